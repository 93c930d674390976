//! Arrays by name, and options of a script: `declare -A m=([a]=b)`, `getopts "d:" o`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use shell::{Part, Word};

use super::{Eval, Labels, Value, Var};

/// Options of one script that are told apart.
const MAX_OPTIONS: usize = 16;
/// The variable that counts them, whose name no text can write.
const PLACE: &str = "OPTIND[]";

impl Eval<'_> {
    /// Notes what `[key]=value` says in the words of an array, and gives the words without their keys.
    pub(super) fn keyed_words(&mut self, name: &str, words: &[Word]) -> Vec<Word> {
        let mut plain = Vec::with_capacity(words.len());
        for word in words {
            let Some((key, word)) = keyed(word) else {
                plain.push(word.clone());
                continue;
            };
            let value = self.word(&word);
            self.set_keyed(name, &key, value);
            plain.push(word);
        }
        plain
    }

    /// An element by its name; the variable has a name that no text can give it otherwise.
    pub(super) fn set_keyed(&mut self, name: &str, key: &str, value: Value) {
        self.state.vars.insert(&format!("{name}[{key}]"), Var::Scalar(value));
    }

    /// The element of this name, if one was set.
    pub(super) fn get_keyed(&self, name: &str, index: Option<&Value>) -> Option<Value> {
        let key = index?.known()?;
        match self.state.vars.get(format!("{name}[{key}]").as_str()) {
            Some(Var::Scalar(value)) => Some(value.clone()),
            _ => None,
        }
    }

    /// `getopts "d:" o`: the next of the options that the script was given. Whether it found one is the answer, where the
    /// words are known.
    pub(super) fn getopts(&mut self, args: &[Value]) -> Option<bool> {
        let [letters, name, ..] = args else { return None };
        let name = String::from(name.prefix());
        let given: Vec<Value> = match args.get(2..) {
            Some(words) if !words.is_empty() => words.to_vec(),
            _ => self.state.positional.iter().cloned().collect(),
        };
        let at = match self.state.vars.get(PLACE) {
            Some(Var::Scalar(place)) => place.known().and_then(|text| text.parse().ok()).unwrap_or(0),
            _ => 0,
        };
        let found = options(letters.prefix(), &given);
        let next = found.get(at).cloned();
        let ended = next.is_none() && !given.is_empty() && given.iter().all(|word| word.known().is_some());
        let unknown = || Value::unknown(Labels::RUNTIME);
        let known = next.is_some();
        let (letter, argument, index) = next.unwrap_or_else(|| (unknown(), unknown(), found.last().map_or(1, |o| o.2)));
        let number = |n: usize| Var::Scalar(Value::text(format!("{n}")));
        self.state.vars.insert(&name, Var::Scalar(letter));
        self.state.vars.insert("OPTARG", Var::Scalar(argument));
        self.state.vars.insert("OPTIND", number(index));
        self.state.vars.insert(PLACE, number(if known { at + 1 } else { 0 }));
        (known || ended).then_some(known)
    }
}

/// The key of `[key]=value`, and the word without it.
fn keyed(word: &Word) -> Option<(String, Word)> {
    let Some(Part::Lit(text)) = word.parts.first() else {
        return None;
    };
    let (key, rest) = text.strip_prefix('[')?.split_once("]=")?;
    let mut plain = word.clone();
    match plain.parts.first_mut() {
        Some(first) if !rest.is_empty() => *first = Part::Lit(rest.into()),
        _ => drop(plain.parts.drain(..1)),
    }
    Some((key.into(), plain))
}

/// The options among the words of a script, each with its argument and the number of the word behind it.
fn options(letters: &str, words: &[Value]) -> Vec<(Value, Value, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|_| found.len() < MAX_OPTIONS) {
        let text = word.prefix();
        let Some(cluster) = text.strip_prefix('-').filter(|rest| !rest.is_empty() && *rest != "-") else {
            break;
        };
        at += 1;
        for (place, letter) in cluster.char_indices() {
            let option = Value::text(String::from(letter)).at(word.span);
            if !letters.contains(&*format!("{letter}:")) {
                found.push((option, Value::default(), at + 1));
                continue;
            }
            let rest = word.without_prefix(1 + place + letter.len_utf8());
            let argument = if rest.pieces.is_empty() {
                at += 1;
                words.get(at - 1).cloned().unwrap_or_default()
            } else {
                rest
            };
            found.push((option, argument, at + 1));
            break;
        }
    }
    found
}
