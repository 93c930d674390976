//! `declare` and its relatives.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use shell::{Assign, Part, Word};

use super::{Eval, Value, Var};

/// Variables that one call of a function makes its own.
const MAX_LOCALS: usize = 256;

impl Eval<'_> {
    /// `export A=b`, `declare -n ref=x`, `declare 'a[$(x)]=1'`
    pub(super) fn declare(&mut self, builtin: &str, words: &[Word]) {
        let mut flags = String::new();
        for word in words {
            if let Some((name, values)) = self.array_argument(word) {
                self.make_local(builtin, &flags, &name);
                self.state.vars.insert(&name, Var::Array(values));
            } else if let [Part::Words(raw)] = word.parts.as_slice() {
                let values = self.many_fields(raw);
                self.declare_values(builtin, values, &mut flags);
            } else {
                let value = self.word(word);
                self.declare_values(builtin, alloc::vec![value], &mut flags);
            }
        }
    }

    fn declare_values(&mut self, builtin: &str, values: Vec<Value>, flags: &mut String) {
        for value in values {
            let text = value.prefix().to_string();
            if let Some(f) = text.strip_prefix(['-', '+']).filter(|_| !text.contains('=')) {
                flags.push_str(f);
                continue;
            }
            let exports = builtin == "export" || flags.contains('x');
            let Some(eq) = text.find('=') else {
                self.make_local(builtin, flags, &text);
                if exports {
                    self.state.exported.insert(&text, ());
                }
                continue;
            };
            let (head, _) = text.split_at_checked(eq).unwrap_or((&text, ""));
            let (name, append) = head.strip_suffix('+').map_or((head, false), |h| (h, true));
            let rest = value.without_prefix(eq + 1);
            self.make_local(builtin, flags, name);
            if exports {
                self.state.exported.insert(name, ());
            }
            let list = rest
                .known()
                .filter(|t| flags.contains(['a', 'A']) && t.starts_with('('));
            if let Some(list) = list.map(ToString::to_string) {
                self.array_text(name, &list);
            } else if let Some((_, inside)) = name.split_once('[') {
                self.subscript_text(inside);
            } else if flags.contains('n') {
                if let Some(target) = rest.known() {
                    self.state.vars.insert(name, Var::Ref(target.into()));
                }
            } else {
                if flags.contains('i')
                    && let Some(text) = rest.known().map(ToString::to_string)
                {
                    let _ = self.arith_text(&text);
                }
                self.set(name, rest, append);
            }
        }
    }

    /// A variable of the function being called, which hides one of the same name until the function ends.
    fn make_local(&mut self, builtin: &str, flags: &str, name: &str) {
        let local = builtin == "local" || matches!(builtin, "declare" | "typeset") && !flags.contains('g');
        let Some(scope) = self.scopes.last_mut().filter(|_| local) else {
            return;
        };
        if !scope.iter().any(|(known, _)| known == name) && scope.len() < MAX_LOCALS {
            scope.push((name.into(), self.state.vars.get(name).cloned()));
        }
    }

    /// Gives the variables that a function made its own back what they held before, in every state in which it ends.
    pub(super) fn leave_scope(&mut self) {
        let scope = self.scopes.pop().unwrap_or_default();
        let states = self.forks.iter_mut().chain(&mut self.left);
        for state in core::iter::once(&mut self.state).chain(states) {
            for (name, before) in &scope {
                match before {
                    Some(value) => state.vars.insert(name, value.clone()),
                    None => state.vars.remove(name),
                }
            }
        }
    }

    /// `declare -a x='(a b)'`: the text is read as an array.
    fn array_text(&mut self, name: &str, list: &str) {
        let script = shell::parse(&alloc::format!("x={list}"));
        let command = script.items.first().and_then(|i| i.chain.first.stages.first());
        if let Some(shell::Form::Simple { assigns, .. }) = command.map(|c| &c.form)
            && let Some(assign) = assigns.first()
        {
            self.assign(&Assign {
                name: name.into(),
                ..assign.clone()
            });
        }
    }

    fn array_argument(&mut self, word: &Word) -> Option<(String, Vec<Value>)> {
        let [Part::Lit(head), Part::Array(words)] = word.parts.as_slice() else {
            return None;
        };
        let name = head.trim_end_matches(['=', '+']);
        let words = self.keyed_words(name, words);
        let values = words.iter().flat_map(|w| self.fields(w)).collect();
        Some((name.to_string(), values))
    }
}
