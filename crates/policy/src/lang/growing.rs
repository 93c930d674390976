//! Lists and maps that are filled one value after the other.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::calls::Args;
use super::cursor::Cursor;
use super::either::one_of;
use super::lexer::Tok;
use super::value::{MAX_LIST, Val};
use super::walk::{MAX_ROUNDS, Walk, bare};
use crate::eval::Labels;

/// Methods that add to the list that they are called on, and functions that add to their first argument.
const ADDING: [&str; 8] = [
    "append",
    "push",
    "add",
    "unshift",
    "push_back",
    "insert",
    "prepend",
    "extend",
];
const ADDING_TO: [&str; 4] = ["table.insert", "push", "array_push", "unshift"];

impl Walk<'_> {
    /// `t[1] = x`, `h["a"] = x`, `$h{a} = x`: what is known holds one more value from now on, or another one.
    pub(super) fn put_element(&mut self, target: &Cursor, name: &str, value: Val) {
        let open = (target.at..target.end).find(|at| matches!(target.get(*at), Some(Tok::Op("[" | "{"))));
        let Some(open) = open else { return };
        let mut inner = target.range(open + 1, target.closing(open));
        let word = match (inner.tok(), target.get(open)) {
            (Some(Tok::Name(word)), Some(Tok::Op("{"))) if !word.starts_with('$') => Some(word.clone()),
            _ => None,
        };
        let key = word.map_or_else(|| self.expr(&mut inner, 0), Val::text);
        self.put(bare(name), &key, value);
    }

    /// The same for a key that was worked out.
    pub(super) fn put(&mut self, name: &str, key: &Val, value: Val) {
        // Where variables need no declaration, lists need none either.
        let undeclared = self.syntax.sigils || self.lang == "awk";
        let held = match self.known.get(name) {
            Some(held) => held.clone(),
            None if undeclared => Val::Map(Vec::new()),
            None => return,
        };
        let filled = held.each(|held| {
            one_of(
                key.alternatives()
                    .iter()
                    .map(|key| self.filled(held, key, &value))
                    .collect(),
            )
        });
        if held
            .alternatives()
            .iter()
            .any(|v| matches!(v, Val::List(_) | Val::Map(_)))
        {
            self.bind(name, filled);
        }
    }

    /// `held` with `value` at `key`.
    fn filled(&self, held: &Val, key: &Val, value: &Val) -> Val {
        let key = key.newest();
        let mut held = match held {
            Val::Map(all) if all.is_empty() && matches!(key, Val::Number(_)) && self.lang != "awk" => {
                Val::List(Vec::new())
            }
            other => other.clone(),
        };
        match (&mut held, key) {
            (Val::List(all), Val::Number(n)) => {
                let at = usize::try_from(self.counted_from_nought(*n)).unwrap_or(usize::MAX);
                if let Some(place) = all.get_mut(at) {
                    *place = value.clone();
                } else if all.len() < MAX_LIST {
                    all.push(value.clone());
                }
            }
            // At one of the places.
            (Val::List(all), key) if key.known().is_none() => {
                for place in all.iter_mut().take(MAX_ROUNDS) {
                    *place = one_of(alloc::vec![value.clone(), place.clone()]);
                }
            }
            (Val::Map(all), key) => {
                let key = key.known().unwrap_or_default();
                all.retain(|(known, _)| *known != key);
                if all.len() < MAX_LIST {
                    all.push((key, value.clone()));
                }
            }
            _ => {}
        }
        held
    }

    /// `t.append(x)`, `t.push(x)`: `at` is where the method's dot stands.
    pub(super) fn added(&mut self, cur: &Cursor, at: usize, method: &str, args: &Args) {
        if method == "insert" && self.lang == "lua" {
            let function = Val::Thing("table.insert".into(), Labels::NONE);
            return self.added_to(cur, at + 3, &function, args);
        }
        let member = at
            .checked_sub(2)
            .is_some_and(|at| matches!(cur.get(at), Some(Tok::Op("." | "->" | "::"))));
        let owner = at.checked_sub(1).and_then(|at| cur.get(at));
        if let (Some(Tok::Name(owner)), true) = (owner, ADDING.contains(&method) && !member) {
            let owner = owner.clone();
            match (method, args.list.as_slice()) {
                ("insert", [Val::Number(place), rest @ ..]) => self.grow(&owner, rest, Some(*place)),
                ("insert", [_, rest @ ..]) => self.grow(&owner, rest, None),
                ("unshift" | "prepend", all) => self.grow(&owner, all, Some(0)),
                ("extend", all) => {
                    let all: Vec<Val> = all.iter().flat_map(|v| v.elements(true)).collect();
                    self.grow(&owner, &all, None);
                }
                (_, all) => self.grow(&owner, all, None),
            }
        }
    }

    /// `table.insert(t, x)`, `push @t, x`: `first` is where the first argument stands.
    pub(super) fn added_to(&mut self, cur: &Cursor, first: usize, function: &Val, args: &Args) {
        let Val::Thing(name, _) = function else { return };
        if !ADDING_TO.contains(&name.as_str()) {
            return;
        }
        let at = if matches!(cur.get(first), Some(Tok::Op("@"))) {
            first + 1
        } else {
            first
        };
        if let Some(Tok::Name(owner)) = cur.get(at) {
            // The list itself may have been taken apart among the arguments.
            let last = args.list.last().cloned();
            let place = (name == "unshift").then_some(0);
            self.grow(&owner.clone(), last.as_slice(), place);
        }
    }

    /// `split(text, a, by)` of awk: the parts by their numbers.
    pub(super) fn split_into(&mut self, cur: &Cursor, first: usize, args: &Args) {
        let close = cur.closing(first.saturating_sub(1));
        let comma = (first..close).find(|at| matches!(cur.get(*at), Some(Tok::Op(","))));
        let (Some(Tok::Name(name)), Some(text)) = (comma.and_then(|at| cur.get(at + 1)), args.list.first()) else {
            return;
        };
        let by = args.list.get(2).cloned().unwrap_or_else(|| Val::text(" "));
        let parts = text.each(|text| {
            let parts = super::pure::run("split", &[text.clone(), by.clone()], "").elements(false);
            let keys = (1..=parts.len()).map(|n| n.to_string());
            Val::Map(keys.zip(parts).collect())
        });
        self.bind(&name.clone(), parts);
    }

    /// A list gets more elements: at its end, or at this place.
    fn grow(&mut self, owner: &str, values: &[Val], place: Option<i64>) {
        let owner = bare(owner);
        if self.grows_in_place(owner, values, place) {
            return;
        }
        let held = match self.known.get(owner) {
            Some(held) => held.clone(),
            None if self.syntax.sigils => Val::List(Vec::new()),
            None => return,
        };
        let grown = |held: &Val| {
            let mut all = match held {
                Val::List(all) => all.clone(),
                Val::Map(all) if all.is_empty() => Vec::new(),
                other => return other.clone(),
            };
            let room = MAX_LIST.saturating_sub(all.len());
            let end = i64::try_from(all.len()).unwrap_or(i64::MAX);
            let at = place
                .map_or(end, |n| if n < 0 { n.saturating_add(end) } else { n })
                .clamp(0, end);
            let at = usize::try_from(at).unwrap_or_default();
            all.splice(at..at, values.iter().take(room).cloned());
            Val::List(all)
        };
        self.bind(owner, held.each(grown));
    }

    /// Adds to the end of a list, where nobody asks what it held before: else each element would copy all before it.
    fn grows_in_place(&mut self, owner: &str, values: &[Val], place: Option<i64>) -> bool {
        let noted = self.branches.last().is_none_or(|branch| branch.has_noted(owner));
        let Some(Val::List(all)) = self.known.get_mut(owner).filter(|_| noted && place.is_none()) else {
            return false;
        };
        // Lists in lists may be too deep.
        if values.iter().any(|v| v.is_deep(0)) {
            return false;
        }
        let room = MAX_LIST.saturating_sub(all.len());
        all.extend(values.iter().take(room).cloned());
        true
    }

    /// `t.x = v` where `t` is a map.
    pub(super) fn put_member(&mut self, names: &[String], value: &Val) {
        if let [owner, key] = names
            && self
                .known
                .get(bare(owner))
                .is_some_and(|v| v.alternatives().iter().any(|v| matches!(v, Val::Map(_))))
        {
            self.put(bare(owner), &Val::text(key.to_string()), value.clone());
        }
    }
}
