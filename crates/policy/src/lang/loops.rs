//! Loops: the body is walked with what the loop goes through.

use alloc::string::String;
use alloc::vec::Vec;

use super::branches::{inside, leaves};
use super::cursor::{Cursor, names_in};
use super::either::one_of;
use super::lexer::Tok;
use super::syntax::Blocks;
use super::value::Val;
use super::walk::{DECLARING, MAX_ROUNDS, Walk};

impl Walk<'_> {
    /// `for x in xs`, `for (const x of xs)`, `foreach my $x (xs)`, `foreach (xs as $x)`, `for _, x := range xs`
    pub(super) fn for_loop(&mut self, cur: &mut Cursor) {
        if self.counted(cur) {
            return;
        }
        let open = cur.at;
        let bracketed = self.lang != "python" && cur.eat("(");
        let (mut names, iter_at) = loop_names(cur);
        if let Some(at) = iter_at {
            cur.at = at;
        } else if !bracketed && self.syntax.sigils && !names.is_empty() {
            cur.at += names.len();
            while !cur.is("(") && cur.at < open + 4 {
                cur.at += 1;
            }
        } else if !self.syntax.sigils {
            return;
        }
        if names.is_empty() {
            names.push("$_".into());
        }
        let stop = if bracketed { cur.closing(open) } else { cur.end };
        let mut range = cur.range(cur.at, stop);
        let iter = self.loop_source(&mut range);
        if let Some(name) = php_names(&range, self.lang) {
            names = name;
        }
        cur.at = if bracketed { stop + 1 } else { range.at };
        self.rounds(&names, &iter, cur);
    }

    /// `for i = 1, 3 do`, `for (let i = 0; i < n; i++)`, `for i := 0; ..`: where the body takes elements by the number, it is
    /// walked with the first numbers; how far the loop goes is not asked.
    fn counted(&mut self, cur: &mut Cursor) -> bool {
        let bracketed = cur.is("(");
        let start = cur.at + usize::from(bracketed);
        let end = if bracketed {
            cur.closing(cur.at)
        } else {
            cur.end.min(start + 64)
        };
        let declared =
            |at: &usize| !matches!(cur.get(*at), Some(Tok::Name(n)) if DECLARING.contains(&n.as_str()) || n == "int");
        let Some(at) = (start..end.min(start + 4)).find(declared) else {
            return false;
        };
        let (Some(Tok::Name(name)), Some(Tok::Op("=" | ":="))) = (cur.get(at), cur.get(at + 1)) else {
            return false;
        };
        let name = name.clone();
        let Some((first, back, body)) = self.bounds(&cur.range(at + 2, end), bracketed) else {
            return false;
        };
        let mut rest = cur.range(body, cur.end);
        let stop = self.block_end(&rest);
        if !indexes(&rest, body, stop, &name) {
            return false;
        }
        let rounds = (0..).take(MAX_ROUNDS);
        let numbers = rounds.map(|n: i64| {
            Val::Number(if back {
                first.saturating_sub(n)
            } else {
                first.saturating_add(n)
            })
        });
        let numbers = Val::List(numbers.collect());
        self.rounds(&[name], &numbers, &mut rest);
        cur.at = rest.at;
        true
    }

    /// The first number of a counted loop, whether it counts back, and where what follows its head begins.
    fn bounds(&mut self, head: &Cursor, bracketed: bool) -> Option<(i64, bool, usize)> {
        let number = |val: Val| match val {
            Val::Number(n) => Some(n),
            _ => None,
        };
        if self.lang == "lua" {
            let mut inner = head.clone();
            let first = number(self.expr(&mut inner, 0))?;
            inner.eat(",").then_some(())?;
            let last = self.expr(&mut inner, 0);
            let step = if inner.eat(",") {
                self.expr(&mut inner, 0)
            } else {
                Val::Number(1)
            };
            let back = matches!(step, Val::Number(n) if n < 0);
            let low = if back { number(last)? } else { first };
            return Some((if back { low.max(first) } else { first }, back, inner.at));
        }
        let parts: Vec<usize> = (head.at..head.end)
            .filter(|at| matches!(head.get(*at), Some(Tok::Op(";") | Tok::Newline(_))))
            .collect();
        let [one, two, ..] = parts.as_slice() else { return None };
        let first = number(self.expr(&mut head.range(head.at, *one), 0))?;
        let back = (*two..head.end).any(|at| matches!(head.get(at), Some(Tok::Op("--" | "-="))));
        let body = if bracketed {
            head.end + 1
        } else {
            (*two..head.end).find(|at| matches!(head.get(*at), Some(Tok::Op("{"))))?
        };
        Some((first, back, body))
    }

    /// `pairs(t)` and `f():lines()` are what they go through.
    pub(super) fn loop_source(&mut self, cur: &mut Cursor) -> Val {
        let mut all = alloc::vec![self.expr(cur, 0)];
        while cur.eat(",") {
            all.push(self.expr(cur, 0));
        }
        match (all.len(), all.pop()) {
            (1, Some(one)) => one,
            (_, Some(last)) => {
                all.push(last);
                Val::List(all)
            }
            (_, None) => Val::nothing(),
        }
    }

    fn rounds(&mut self, names: &[String], iter: &Val, cur: &mut Cursor) {
        if self.syntax.blocks == Blocks::Indented {
            cur.eat(":");
        }
        let end = self.block_end(cur);
        let body = cur.range(cur.at, end);
        let (newest, others) = match iter {
            Val::Either(all) => all.split_last().unwrap_or((iter, &[])),
            one => (one, &[][..]),
        };
        self.with_names(names, |walk| {
            for other in others {
                walk.aside(|walk| walk.rounds_of(names, other, &body));
            }
            walk.rounds_of(names, newest, &body);
        });
        cur.at = end;
    }

    /// What a loop with these names goes through.
    pub(super) fn gone_through(&self, iter: &Val, names: &[String]) -> Vec<Val> {
        match iter {
            // Some languages go through the keys, others through the values.
            Val::Map(all) if names.len() == 1 && matches!(self.lang, "python" | "node" | "awk") => {
                let pair = |(key, value): &(String, Val)| one_of(alloc::vec![Val::text(key.as_str()), value.clone()]);
                all.iter().map(pair).collect()
            }
            other => other.elements(self.lang == "python"),
        }
    }

    fn rounds_of(&mut self, names: &[String], iter: &Val, body: &Cursor) {
        let mut elements = self.gone_through(iter, names);
        // Characters and numbers are put together; what is done to many files is seen from a few.
        let most = if elements.iter().all(|e| e.known().is_some_and(|t| t.len() < 6)) {
            512
        } else {
            MAX_ROUNDS
        };
        elements.truncate(most);
        let sure = !elements.is_empty() && matches!(iter, Val::List(_) | Val::Text(_)) && !leaves(body);
        if elements.is_empty() {
            elements.push(Val::nothing());
        }
        let indent = self.indent;
        for element in elements {
            self.bind_names(names, element);
            self.round(sure, body);
            self.indent = indent;
        }
    }

    /// The body of a loop; where it is not sure to run to its end, as a branch.
    pub(super) fn round(&mut self, sure: bool, body: &Cursor) {
        let mut body = inside(body);
        if sure {
            self.walk(&mut body);
        } else {
            self.maybe(|walk| walk.walk(&mut body));
        }
    }
}

/// Whether elements are taken by a number of this name: `t[i]`, `t[i + 1]`.
fn indexes(cur: &Cursor, from: usize, to: usize, name: &str) -> bool {
    (from..to).any(|at| {
        matches!(cur.get(at), Some(Tok::Op("["))) && matches!(cur.get(at + 1), Some(Tok::Name(n)) if n == name)
    })
}

/// The names before `in`, `of`, `:`, `range` and where what follows starts.
fn loop_names(cur: &Cursor) -> (Vec<String>, Option<usize>) {
    let mut names = Vec::new();
    // `foreach my $x (xs)`
    let sigil = |n: &Vec<String>| n.last().is_some_and(|n| n.starts_with('$'));
    for at in cur.at..cur.end.min(cur.at + 16) {
        if sigil(&names) && cur.get(at) == Some(&Tok::Op("(")) {
            break;
        }
        match cur.get(at) {
            Some(Tok::Name(n)) if matches!(n.as_str(), "in" | "of" | "range") => return (names, Some(at + 1)),
            Some(Tok::Name(n)) if DECLARING.contains(&n.as_str()) => {}
            Some(Tok::Name(n)) => names.push(n.clone()),
            // A type stands before the name.
            Some(Tok::Op(":")) if names.len() > 1 => return (names.split_off(1), Some(at + 1)),
            Some(Tok::Op("," | "(" | ")" | "[" | "]" | ":=" | "=")) => {}
            _ => break,
        }
    }
    names.truncate(1);
    (names, None)
}

/// `foreach (xs as $k => $v)`
fn php_names(cur: &Cursor, lang: &str) -> Option<Vec<String>> {
    if lang != "php" || !cur.is_name("as") {
        return None;
    }
    let mut names = names_in(&cur.range(cur.at + 1, cur.end));
    let last = names.pop()?;
    Some(alloc::vec![last])
}
