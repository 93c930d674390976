//! Tokens, and the place in them that is walked next.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::lexer::{Tok, Token, tokens};
use super::syntax::Syntax;

/// A place in a list of tokens.
#[derive(Clone)]
pub(super) struct Cursor {
    pub(super) toks: Rc<Vec<Token>>,
    /// For every opening bracket the place of the one that closes it.
    closes: Rc<Vec<u32>>,
    pub(super) at: usize,
    pub(super) end: usize,
    /// Lines are those of the whole code.
    placed: bool,
}

impl Cursor {
    /// All of a piece of code that does not stand in another one.
    pub(super) fn whole(syntax: Syntax, code: &str) -> Self {
        Self {
            placed: true,
            ..Self::new(syntax, code)
        }
    }

    /// The line that the next token stands in.
    pub(super) fn line(&self) -> Option<u32> {
        self.toks.get(self.at).filter(|_| self.placed).map(|t| t.line)
    }

    pub(super) fn new(syntax: Syntax, code: &str) -> Self {
        let toks = Rc::new(tokens(syntax, code));
        let end = toks.len();
        let closes = Rc::new(closes(&toks));
        Self {
            toks,
            closes,
            at: 0,
            end,
            placed: false,
        }
    }

    pub(super) fn get(&self, at: usize) -> Option<&Tok> {
        if at < self.end {
            self.toks.get(at).map(|t| &t.tok)
        } else {
            None
        }
    }

    pub(super) fn tok(&self) -> Option<&Tok> {
        self.get(self.at)
    }

    pub(super) fn ahead(&self, n: usize) -> Option<&Tok> {
        self.get(self.at + n)
    }

    pub(super) fn spaced(&self, n: usize) -> bool {
        self.toks.get(self.at + n).is_none_or(|t| t.spaced)
    }

    pub(super) fn is(&self, op: &str) -> bool {
        matches!(self.tok(), Some(Tok::Op(o)) if *o == op)
    }

    pub(super) fn is_name(&self, name: &str) -> bool {
        matches!(self.tok(), Some(Tok::Name(n)) if n == name)
    }

    pub(super) fn name(&self) -> Option<&str> {
        match self.tok() {
            Some(Tok::Name(n)) => Some(n),
            _ => None,
        }
    }

    pub(super) fn eat(&mut self, op: &str) -> bool {
        let hit = self.is(op);
        self.at += usize::from(hit);
        hit
    }

    pub(super) fn eat_name(&mut self, name: &str) -> bool {
        let hit = self.is_name(name);
        self.at += usize::from(hit);
        hit
    }

    pub(super) fn skip_lines(&mut self) {
        while matches!(self.tok(), Some(Tok::Newline(_))) {
            self.at += 1;
        }
    }

    pub(super) fn range(&self, at: usize, end: usize) -> Self {
        Self {
            toks: self.toks.clone(),
            closes: self.closes.clone(),
            at,
            end: end.min(self.end),
            placed: self.placed,
        }
    }

    /// The place of the bracket that closes the one at `open`.
    pub(super) fn closing(&self, open: usize) -> usize {
        let close = self.closes.get(open).and_then(|at| usize::try_from(*at).ok());
        close.map_or(self.end, |at| at.min(self.end))
    }
}

fn closes(toks: &[Token]) -> Vec<u32> {
    let mut out = alloc::vec![u32::MAX; toks.len()];
    let mut open = Vec::new();
    for (at, token) in toks.iter().enumerate() {
        match token.tok {
            Tok::Op("(" | "[" | "{") => open.push(at),
            Tok::Op(")" | "]" | "}") => {
                if let Some(slot) = open.pop().and_then(|start: usize| out.get_mut(start)) {
                    *slot = u32::try_from(at).unwrap_or(u32::MAX);
                }
            }
            _ => {}
        }
    }
    out
}

pub(super) fn names_in(cur: &Cursor) -> Vec<String> {
    (cur.at..cur.end)
        .filter_map(|i| match cur.get(i) {
            Some(Tok::Name(n)) => Some(n.clone()),
            _ => None,
        })
        .collect()
}

/// The names of parameters: no defaults, no types behind a colon.
pub(super) fn params_in(cur: &Cursor) -> Vec<String> {
    let mut out = Vec::new();
    let mut fresh = true;
    for at in cur.at..cur.end {
        match cur.get(at) {
            Some(Tok::Name(n)) if fresh => {
                out.push(n.clone());
                fresh = false;
            }
            Some(Tok::Op(",")) => fresh = true,
            _ => {}
        }
    }
    out
}

/// `{a, b: c, d as e}`
pub(super) fn pairs_in(cur: &Cursor) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    let mut renames = false;
    for at in cur.at..cur.end {
        match cur.get(at) {
            Some(Tok::Op(":")) => renames = true,
            Some(Tok::Name(n)) if n == "as" => renames = true,
            Some(Tok::Name(n)) if renames => {
                if let Some(last) = out.last_mut() {
                    last.1.clone_from(n);
                }
                renames = false;
            }
            Some(Tok::Name(n)) => out.push((n.clone(), n.clone())),
            _ => {}
        }
    }
    out
}
