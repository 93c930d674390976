//! Values that are one thing or another: what a branch gives stands beside what was there before.
//!
//! The last alternative is what plain reading from top to bottom gives. Whatever is made of a value leads the last to
//! the last, and the last is never dropped: so to know of more alternatives makes no judgement milder.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::calls::Args;
use super::value::Val;
use crate::eval::{Labels, Piece};

/// Alternatives of one value.
const MOST: usize = 8;
/// Ways in which the alternatives of several values are put together.
const MOST_WAYS: usize = 16;
/// What all alternatives but the last may weigh, in bytes.
const HEAVY: usize = 16 << 10;
/// What an element weighs that is no text.
const ELEMENT: usize = 16;
/// What all copies of values may weigh together.
const MUCH: usize = 512 << 10;
/// Alternatives in the elements of alternatives.
const MAX_NESTED: usize = 3;

impl Val {
    /// All that it can be; of most values that is the value.
    pub(super) fn alternatives(&self) -> &[Self] {
        match self {
            Self::Either(all) => all,
            one => core::slice::from_ref(one),
        }
    }

    /// What plain reading gives.
    pub(super) fn newest(&self) -> &Self {
        self.alternatives().last().unwrap_or(self)
    }

    /// What `f` makes of each alternative.
    pub(super) fn each(&self, f: impl FnMut(&Self) -> Self) -> Self {
        one_of(self.alternatives().iter().map(f).collect())
    }

    fn is_nothing(&self) -> bool {
        matches!(self, Self::Thing(name, labels) if name.is_empty() && *labels == Labels::NONE)
    }

    pub(super) fn has_either(&self) -> bool {
        match self {
            Self::Either(_) => true,
            Self::List(all) => all.iter().any(Self::has_either),
            Self::Map(all) => all.iter().any(|(_, v)| v.has_either()),
            _ => false,
        }
    }

    /// How much there is of it; counted up to `most`.
    pub(super) fn size(&self, most: usize) -> usize {
        let sum = |all: &mut dyn Iterator<Item = &Self>| {
            let mut sum = ELEMENT;
            for one in all {
                if sum > most {
                    break;
                }
                sum += one.size(most - sum);
            }
            sum
        };
        match self {
            Self::Text(v) | Self::File(v) => ELEMENT * v.pieces.len().max(1) + v.weight(),
            Self::Bytes(bytes, _) => ELEMENT + bytes.len(),
            Self::Thing(name, _) => ELEMENT + name.len(),
            Self::Number(_) | Self::Function(_) => ELEMENT,
            Self::List(all) => sum(&mut all.iter()),
            Self::Either(all) => sum(&mut all.iter()),
            Self::Map(all) => sum(&mut all.iter().map(|(_, v)| v)),
        }
    }

    /// How many alternatives stand at each place that has some.
    fn places(&self, out: &mut Vec<usize>) {
        match self {
            Self::Either(all) => out.push(all.len()),
            Self::List(all) => all.iter().for_each(|v| v.places(out)),
            Self::Map(all) => all.iter().for_each(|(_, v)| v.places(out)),
            _ => {}
        }
    }

    /// The same with one alternative for each of these places.
    fn picked(&self, which: &mut impl Iterator<Item = usize>) -> Self {
        match self {
            Self::Either(all) => {
                let at = which.next().unwrap_or(usize::MAX);
                all.get(at).unwrap_or_else(|| self.newest()).clone()
            }
            Self::List(all) => Self::List(all.iter().map(|v| v.picked(which)).collect()),
            Self::Map(all) => Self::Map(all.iter().map(|(k, v)| (k.clone(), v.picked(which))).collect()),
            other => other.clone(),
        }
    }

    /// Whether it says what it is, so that it is lost where it is not kept.
    fn tells(&self) -> bool {
        match self {
            Self::Text(v) => v.pieces.iter().any(|p| matches!(p, Piece::Text(_))),
            Self::Bytes(..) | Self::List(_) | Self::File(_) => true,
            _ => false,
        }
    }
}

/// One of `all`, of which the last is the newest. Where there are too many, some of them are only known to exist.
pub(super) fn one_of(all: Vec<Val>) -> Val {
    let mut out: Vec<Val> = Vec::new();
    let mut last = Val::nothing();
    for value in all {
        for one in value.alternatives() {
            if one.is_nothing() {
                continue;
            }
            out.retain(|known| known != one);
            out.push(one.clone());
        }
        last = value;
    }
    if out.len() < 2 {
        return out.pop().unwrap_or(last);
    }
    Val::Either(Rc::from(bounded(out)))
}

fn bounded(mut all: Vec<Val>) -> Vec<Val> {
    let newest = all.pop();
    let mut room = HEAVY;
    let mut lost: Option<Labels> = None;
    let mut out = Vec::with_capacity(all.len() + 1);
    for one in all {
        let size = one.size(room);
        if size <= room && out.len() + 2 < MOST {
            room -= size;
            out.push(one);
        } else {
            let known = lost.unwrap_or(Labels::NONE);
            let known = if one.tells() {
                known.with(Labels::CROWDED)
            } else {
                known
            };
            lost = Some(known.with(one.labels()));
        }
    }
    out.extend(lost.map(Val::unknown));
    out.extend(newest);
    out
}

/// Which alternatives are put together, for so many at each place: all with all where these are few; else those that
/// were given side by side, and each one with the newest of the others.
fn ways(places: &[usize]) -> Vec<Vec<usize>> {
    let newest: Vec<usize> = places.iter().map(|n| n.saturating_sub(1)).collect();
    let total = places.iter().try_fold(1usize, |all, n| all.checked_mul(*n));
    if let Some(total) = total.filter(|n| *n <= MOST_WAYS) {
        return (0..total).map(|n| digits(n, places)).collect();
    }
    let deepest = places.iter().copied().max().unwrap_or(1);
    let back = |by: usize| newest.iter().map(move |n| n.saturating_sub(by)).collect::<Vec<_>>();
    let mut out: Vec<Vec<usize>> = (1..deepest).rev().map(back).collect();
    for (place, last) in newest.iter().enumerate() {
        for other in 0..*last {
            let mut way = newest.clone();
            if let Some(at) = way.get_mut(place) {
                *at = other;
            }
            out.push(way);
        }
    }
    out.truncate(MOST_WAYS - 1);
    out.push(newest);
    out
}

/// `n` written with as many digits as there are places.
fn digits(mut n: usize, places: &[usize]) -> Vec<usize> {
    let mut out: Vec<usize> = places
        .iter()
        .rev()
        .map(|base| {
            let digit = n % base.max(&1);
            n /= base.max(&1);
            digit
        })
        .collect();
    out.reverse();
    out
}

/// `values` without alternatives, in each way that they can be; nothing where they have none.
pub(super) fn spread(values: &[Val]) -> Option<Vec<Vec<Val>>> {
    values
        .iter()
        .any(Val::has_either)
        .then(|| spread_out(values, MAX_NESTED))
}

fn spread_out(values: &[Val], nested: usize) -> Vec<Vec<Val>> {
    let mut places = Vec::new();
    values.iter().for_each(|v| v.places(&mut places));
    let mut ways = ways(&places);
    // Of much there are few copies.
    let size: usize = values.iter().map(|v| v.size(MUCH)).sum();
    ways.drain(..ways.len().saturating_sub((MUCH / size.max(1)).max(1)));
    let count = ways.len();
    let mut out = Vec::new();
    for (i, way) in ways.into_iter().enumerate() {
        let mut which = way.into_iter();
        let picked: Vec<Val> = values.iter().map(|v| v.picked(&mut which)).collect();
        let again = nested > 0 && picked.iter().any(Val::has_either);
        if again && (out.len() < MOST_WAYS || i + 1 == count) {
            out.extend(spread_out(&picked, nested - 1));
        } else {
            out.push(picked);
        }
    }
    let over = out.len().saturating_sub(MOST_WAYS * 2);
    out.drain(..over);
    out
}

/// What a call falls on, and its arguments, in each way that they can be.
pub(super) fn spread_call(receiver: Option<&Val>, args: &Args) -> Option<Vec<(Option<Val>, Args)>> {
    let own = receiver.into_iter();
    let all: Vec<Val> = own
        .chain(&args.list)
        .chain(args.named.iter().map(|(_, v)| v))
        .cloned()
        .collect();
    let ways = spread(&all)?;
    let call = |way: Vec<Val>| {
        let mut values = way.into_iter();
        let own = receiver.and_then(|_| values.next());
        let list = values.by_ref().take(args.list.len()).collect();
        let named = args.named.iter().map(|(k, _)| k.clone()).zip(values).collect();
        (own, Args { list, named })
    };
    Some(ways.into_iter().map(call).collect())
}

/// What `f` makes of two values, in each way that they can be.
pub(super) fn both(a: &Val, b: &Val, f: impl Fn(&Val, &Val) -> Val) -> Val {
    let (left, right) = (a.alternatives(), b.alternatives());
    let ways = ways(&[left.len(), right.len()]);
    let pair = |way: &Vec<usize>| {
        let at = |all: &[Val], i: usize| way.get(i).and_then(|n| all.get(*n)).cloned();
        Some(f(&at(left, 0)?, &at(right, 1)?))
    };
    one_of(ways.iter().filter_map(pair).collect())
}
