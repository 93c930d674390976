//! Which of many rules a request could concern, found without looking at the rules: most say something that has to stand in
//! the command, in a path or among the labels of an effect.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::WrittenRule;
use super::needles::{self, GRAM};
use crate::effect::Effect;
use crate::{Act, Kind, Request, Subject, Target};

/// Bits of the sieve, a power of two: with a thousand words in it, one other text in sixty falls through.
const SIEVE_BITS: u32 = 16;

/// See the module. It is made once and can be kept with the rules, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    /// The kinds and acts that each rule speaks about, a bit for each; no bit means all.
    speaks: Vec<(u16, u16)>,
    /// Words, each with a rule that only holds where one of its words stands. Sorted.
    words: Vec<(u64, u32)>,
    /// Rules that have no such word.
    wordless: Vec<u32>,
    /// A rule wants to know the words of all commands that a text starts.
    listens: bool,
}

/// Where a word stands.
#[derive(Clone, Copy)]
enum Space {
    Command = 1,
    Target = 2,
    Label = 3,
}

fn word(space: Space, word: u32) -> u64 {
    ((space as u64) << 32) | u64::from(word)
}

/// The words of a text: all that is four bytes long.
fn grams(space: Space, text: &[u8]) -> impl Iterator<Item = u64> + '_ {
    text.windows(GRAM).map(move |gram| {
        let letters = gram.iter().map(u8::to_ascii_lowercase);
        word(space, letters.fold(0, |gram, letter| (gram << 8) | u32::from(letter)))
    })
}

fn label(name: &str) -> u64 {
    let hash = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    word(Space::Label, name.bytes().fold(0x811c_9dc5, hash))
}

fn bits<T: PartialEq>(all: &[T], some: &[T]) -> u16 {
    let marked = all.iter().enumerate().filter(|(_, one)| some.contains(one));
    marked.fold(0, |bits, (at, _)| {
        bits | 1_u16
            .checked_shl(u32::try_from(at).unwrap_or(u32::MAX))
            .unwrap_or_default()
    })
}

/// Ways in which a rule may hold; for each, words that all have to stand then. Nothing where no word is known.
fn ways(rule: &WrittenRule) -> Option<Vec<Vec<u64>>> {
    let known = |ways: &Vec<Vec<u64>>| !ways.is_empty() && ways.iter().all(|words| !words.is_empty());
    if let Some(texts) = rule.command.as_ref().and_then(|command| command.one_of()) {
        let ways = texts.iter().map(|text| grams(Space::Command, text).collect());
        return Some(ways.collect()).filter(known);
    }
    let wanted = rule.effect.as_ref()?;
    let parts = |glob: &alloc::string::String| {
        needles::parts_of(glob)
            .flat_map(|part| grams(Space::Target, &part).collect::<Vec<_>>())
            .collect()
    };
    let labels = wanted.labels.iter().map(|name| label(name)).collect();
    let all = [
        wanted.targets.iter().map(parts).collect(),
        wanted.hosts.iter().map(parts).collect(),
        vec![labels],
    ];
    all.into_iter().find(known)
}

impl Index {
    /// The index of rules in their order.
    #[must_use]
    pub fn of(rules: &[WrittenRule]) -> Self {
        let ways: Vec<Option<Vec<Vec<u64>>>> = rules.iter().map(ways).collect();
        let mut often = BTreeMap::<u64, u32>::new();
        for word in ways.iter().flatten().flatten().flatten() {
            *often.entry(*word).or_default() += 1;
        }
        let rarest = |words: &Vec<u64>| {
            words
                .iter()
                .copied()
                .min_by_key(|word| (often.get(word).copied(), *word))
        };
        let mut index = Self::default();
        for (at, (rule, ways)) in (0_u32..).zip(rules.iter().zip(&ways)) {
            let acts = rule.effect.as_ref().map(|wanted| bits(Act::ALL, &wanted.acts));
            index
                .speaks
                .push((bits(Kind::ALL, &rule.kinds), acts.unwrap_or_default()));
            index.listens |= rule.command.is_some();
            match ways {
                Some(ways) => index
                    .words
                    .extend(ways.iter().filter_map(rarest).map(|word| (word, at))),
                None => index.wordless.push(at),
            }
        }
        index.words.sort_unstable();
        index
    }

    /// Whether any rule wants to know the words of every command that a text starts.
    pub(super) const fn listens(&self) -> bool {
        self.listens
    }

    /// The numbers of the rules that could hold, in their order.
    pub(super) fn concerned(&self, request: &Request, effects: &[Effect], calls: &[alloc::string::String]) -> Vec<u32> {
        let mut search = Search::new(self);
        if let Subject::Command(text) = &request.subject {
            search.text(Space::Command, text);
            calls.iter().for_each(|call| search.text(Space::Command, call));
        }
        let (mut acts, mut open) = (0, 0);
        for effect in effects {
            let act = bits(Act::ALL, &[effect.act]);
            acts |= act;
            match &effect.target {
                // Whatever a pattern of the command may mean can be meant by a glob, too.
                Target::Path(text) | Target::Host(text) | Target::Text(text) if text.contains(['*', '?', '[', ']']) => {
                    open |= act;
                }
                Target::Path(text) | Target::Host(text) | Target::Text(text) => search.text(Space::Target, text),
                Target::None | Target::Unknown(_) => {}
            }
            effect.tags.iter().for_each(|tag| search.word(label(tag)));
        }
        if open != 0 {
            search.all_targets();
        }
        let mut found = search.found;
        found.extend(&self.wordless);
        let kind = bits(Kind::ALL, &[request.kind]);
        let speaks = |at: &u32| {
            let of = usize::try_from(*at).ok().and_then(|at| self.speaks.get(at));
            of.is_some_and(|of| (of.0 == 0 || of.0 & kind != 0) && (of.1 == 0 || of.1 & acts != 0))
        };
        found.retain(speaks);
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// A look through an index.
struct Search<'i> {
    words: &'i [(u64, u32)],
    sieve: Vec<u64>,
    found: Vec<u32>,
}

impl<'i> Search<'i> {
    fn new(index: &'i Index) -> Self {
        let mut sieve = vec![0; 1 << (SIEVE_BITS - 6)];
        for (word, _) in &index.words {
            let (at, bit) = Self::hole(*word);
            if let Some(holes) = sieve.get_mut(at) {
                *holes |= bit;
            }
        }
        Self {
            words: &index.words,
            sieve,
            found: Vec::new(),
        }
    }

    /// Where in the sieve a word falls through.
    fn hole(word: u64) -> (usize, u64) {
        let hash = word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SIEVE_BITS);
        (usize::try_from(hash >> 6).unwrap_or_default(), 1 << (hash & 63))
    }

    fn text(&mut self, space: Space, text: &str) {
        for word in grams(space, text.as_bytes()) {
            self.word(word);
        }
    }

    fn word(&mut self, word: u64) {
        let (at, bit) = Self::hole(word);
        if self.sieve.get(at).is_some_and(|holes| holes & bit != 0) {
            self.take(word, word);
        }
    }

    fn all_targets(&mut self) {
        self.take(word(Space::Target, 0), word(Space::Target, u32::MAX));
    }

    fn take(&mut self, first: u64, last: u64) {
        let from = self.words.partition_point(|(word, _)| *word < first);
        let words = self.words.iter().skip(from).take_while(|(word, _)| *word <= last);
        self.found.extend(words.map(|(_, rule)| *rule));
    }
}
