//! Lists, maps and comprehensions.

use alloc::string::String;
use alloc::vec::Vec;

use super::cursor::{Cursor, names_in};
use super::expr::plain;
use super::lexer::Tok;
use super::value::{MAX_LIST, Val};
use super::walk::Walk;

impl Walk<'_> {
    /// `[..]`, `{..}`; keys of pairs are elements, too.
    pub(super) fn list(&mut self, cur: &mut Cursor) -> Val {
        let close = cur.closing(cur.at);
        let mut inner = cur.range(cur.at + 1, close);
        let lua = self.lang == "lua" && cur.is("{");
        let pair = |cur: &Cursor| {
            matches!(cur.ahead(1), Some(Tok::Op(":" | "=>"))) || lua && matches!(cur.ahead(1), Some(Tok::Op("=")))
        };
        let map = cur.is("{") && (pair(&inner) || inner.at == inner.end)
            || cur.is("[") && matches!(inner.ahead(1), Some(Tok::Op("=>")));
        cur.at = close + 1;
        if map && comprehension(&inner).is_none() {
            return self.map(&mut inner);
        }
        Val::List(self.items(&mut inner))
    }

    /// `{a: 1, "b": 2}`, `["a" => 1]`
    fn map(&mut self, cur: &mut Cursor) -> Val {
        let mut all = Vec::new();
        while cur.at < cur.end && self.spend() {
            let at = cur.at;
            cur.skip_lines();
            // `["a"] = 1`
            let bracketed = self.lang == "lua" && cur.eat("[");
            let key = match cur.tok() {
                Some(Tok::Name(n)) => n.clone(),
                Some(Tok::Text(parts)) => plain(parts),
                _ => String::new(),
            };
            let equals = self.lang == "lua" && matches!(cur.ahead(1 + usize::from(bracketed)), Some(Tok::Op("=")));
            if equals || matches!(cur.ahead(1), Some(Tok::Op(":" | "=>"))) {
                cur.at += 2 + usize::from(bracketed);
                cur.skip_lines();
            }
            let value = self.expr(cur, 0);
            if all.len() < MAX_LIST {
                all.push((key, value));
            }
            cur.at = cur.at.max(at + 1);
            if !cur.eat(",") {
                cur.eat(";");
            }
        }
        Val::Map(all)
    }

    /// The values in brackets, with comprehensions carried out.
    pub(super) fn items(&mut self, cur: &mut Cursor) -> Vec<Val> {
        if let Some(at) = comprehension(cur).filter(|_| self.lang == "python") {
            return self.comprehended(cur, at);
        }
        let mut all = Vec::new();
        while cur.at < cur.end && self.spend() {
            let at = cur.at;
            if matches!(cur.tok(), Some(Tok::Newline(_) | Tok::Op("," | ":" | ";"))) {
                cur.at += 1;
                continue;
            }
            // A brace may as well be a block of statements.
            let statement = cur.name().is_some_and(|n| {
                matches!(
                    n,
                    "for" | "foreach" | "return" | "let" | "const" | "var" | "my" | "def" | "function" | "if" | "while"
                )
            });
            let value = if statement {
                self.walk(&mut cur.range(at, cur.end))
            } else {
                self.expr(cur, 0)
            };
            if statement {
                cur.at = cur.end;
            }
            if all.len() < MAX_LIST {
                all.push(value);
            }
            cur.at = cur.at.max(at + 1);
        }
        all
    }

    /// `x for a in as for b in bs if c`
    fn comprehended(&mut self, cur: &mut Cursor, at: usize) -> Vec<Val> {
        let element = cur.range(cur.at, at);
        let mut clauses = cur.range(at + 1, cur.end);
        let mut out = Vec::new();
        self.maybe(|walk| walk.clause(&element, &mut clauses, &mut out));
        cur.at = cur.end;
        out
    }

    fn clause(&mut self, element: &Cursor, cur: &mut Cursor, out: &mut Vec<Val>) {
        let Some(at) = (cur.at..cur.end).find(|i| matches!(cur.get(*i), Some(Tok::Name(n)) if n == "in")) else {
            return;
        };
        let names = names_in(&cur.range(cur.at, at));
        cur.at = at + 1;
        let iter = self.expr(cur, 2);
        let next = (cur.at..cur.end).find(|i| matches!(cur.get(*i), Some(Tok::Name(n)) if n == "for"));
        let condition = cur.range(cur.at, next.unwrap_or(cur.end));
        let mut elements = self.gone_through(&iter, &names);
        if elements.is_empty() {
            elements.push(Val::nothing());
        }
        for one in elements {
            if !self.spend() || out.len() >= MAX_LIST {
                return;
            }
            self.bind_names(&names, one);
            self.walk(&mut condition.clone());
            match next {
                Some(at) => {
                    let mut rest = cur.range(at + 1, cur.end);
                    self.deeper((), |walk| walk.clause(element, &mut rest, out));
                }
                None => {
                    let value = self.expr(&mut element.clone(), 0);
                    out.push(value);
                }
            }
        }
    }
}

/// Where the `for` of a comprehension stands, before any comma.
pub(super) fn comprehension(cur: &Cursor) -> Option<usize> {
    let mut depth = 0usize;
    for at in cur.at..cur.end {
        match cur.get(at) {
            Some(Tok::Op("(" | "[" | "{")) => depth += 1,
            Some(Tok::Op(")" | "]" | "}")) => depth = depth.saturating_sub(1),
            Some(Tok::Op(",")) if depth == 0 => return None,
            Some(Tok::Name(n)) if depth == 0 && n == "for" && at > cur.at => return Some(at),
            _ => {}
        }
    }
    None
}
