//! Lists and maps that are filled one value after the other.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::calls::Args;
use super::lexer::Tok;
use super::value::{MAX_LIST, Val};
use super::walk::{Cursor, Walk, bare};
use crate::eval::Labels;

/// Methods that add to the list that they are called on, and functions that add to their first argument.
const ADDING: [&str; 6] = ["append", "push", "add", "unshift", "push_back", "<<"];
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

    /// The same for a key that is known.
    pub(super) fn put(&mut self, name: &str, key: &Val, value: Val) {
        // Where variables need no declaration, lists need none either.
        let undeclared = self.syntax.sigils || self.lang == "awk";
        let mut held = match self.known.get(name) {
            Some(Val::Map(all)) if all.is_empty() && matches!(key, Val::Number(_)) => Val::List(Vec::new()),
            Some(held @ (Val::List(_) | Val::Map(_))) => held.clone(),
            None if undeclared => Val::Map(Vec::new()),
            _ => return,
        };
        match (&mut held, key) {
            (Val::List(all), Val::Number(n)) => {
                let at = usize::try_from(self.counted_from_nought(*n)).unwrap_or(usize::MAX);
                if let Some(place) = all.get_mut(at) {
                    *place = value;
                } else if all.len() < MAX_LIST {
                    all.push(value);
                }
            }
            (Val::Map(all), key) => {
                let key = key.known().unwrap_or_default();
                all.retain(|(known, _)| *known != key);
                if all.len() < MAX_LIST {
                    all.push((key, value));
                }
            }
            _ => return,
        }
        self.bind(name, held);
    }

    /// `t.append(x)`, `t.push(x)`: `at` is where the method's dot stands.
    pub(super) fn added(&mut self, cur: &Cursor, at: usize, method: &str, args: &Args) {
        if method == "insert" {
            let function = Val::Thing("table.insert".into(), Labels::NONE);
            return self.added_to(cur, at + 3, &function, args);
        }
        let member = at
            .checked_sub(2)
            .is_some_and(|at| matches!(cur.get(at), Some(Tok::Op("." | "->" | "::"))));
        let owner = at.checked_sub(1).and_then(|at| cur.get(at));
        if let (Some(Tok::Name(owner)), true) = (owner, ADDING.contains(&method) && !member) {
            self.grow(&owner.clone(), &args.list);
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
            self.grow(&owner.clone(), last.as_slice());
        }
    }

    fn grow(&mut self, owner: &str, values: &[Val]) {
        let owner = bare(owner);
        let mut all = match self.known.get(owner) {
            Some(Val::List(all)) => all.clone(),
            Some(Val::Map(all)) if all.is_empty() => Vec::new(),
            None if self.syntax.sigils => Vec::new(),
            _ => return,
        };
        let room = MAX_LIST.saturating_sub(all.len());
        all.extend(values.iter().take(room).cloned());
        self.bind(owner, Val::List(all));
    }

    /// `t.x = v` where `t` is a map.
    pub(super) fn put_member(&mut self, names: &[String], value: &Val) {
        if let [owner, key] = names
            && matches!(self.known.get(bare(owner)), Some(Val::Map(_)))
        {
            self.put(bare(owner), &Val::text(key.to_string()), value.clone());
        }
    }
}
