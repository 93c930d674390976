//! Statements: code walked from top to bottom, loops and functions with what they are given.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Host;
use super::branches::{Branch, Open};
use super::cursor::{Cursor, names_in};
use super::either::one_of;
use super::functions::Function;
use super::lexer::Tok;
use super::syntax::{Blocks, Syntax};
use super::value::Val;

/// Steps that are taken in one piece of code.
pub(super) const FUEL: u32 = 60_000;
/// Constructs inside constructs.
const MAX_DEPTH: u32 = 48;
/// Rounds of a loop, and elements of a list that a call is made with.
pub(super) const MAX_ROUNDS: usize = 16;
/// Lists in lists that are remembered.
const MAX_NESTED: usize = 8;
/// Names that are remembered.
const MAX_NAMES: usize = 1024;

pub(super) struct Walk<'h> {
    pub(super) lang: &'h str,
    pub(super) syntax: Syntax,
    pub(super) host: &'h mut dyn Host,
    pub(super) known: BTreeMap<String, Val>,
    /// The branches that are being walked, the innermost last.
    pub(super) branches: Vec<Branch>,
    pub(super) functions: Vec<Function>,
    /// What names that matter together stand for: `socket`, `shell`, `duplicate`.
    pub(super) marks: Vec<&'static str>,
    pub(super) fuel: u32,
    depth: u32,
    pub(super) indent: usize,
    /// What the function that is written as an argument will be given.
    pub(super) element: Option<Val>,
    /// What stands before a `|>`.
    pub(super) handed: Option<Val>,
    /// What the function that is walked gives.
    pub(super) returned: Option<Val>,
    /// What the code prints, as far as it is known.
    pub(super) printed: Option<Val>,
}

pub(super) const DECLARING: &[&str] = &[
    "let", "const", "var", "val", "my", "our", "local", "final", "global", "nonlocal", "mut", "static", "public",
    "private", "export", "default", "auto", "await", "async", "with", "if", "elsif", "elif", "else", "unless", "while",
    "until", "then", "do", "try", "begin", "end", "finally", "ensure", "rescue", "except", "catch", "not", "use",
    "yield", "go", "defer", "throw", "raise", "and", "or", "BEGIN", "END",
];

impl<'h> Walk<'h> {
    pub(super) fn new(lang: &'h str, syntax: Syntax, host: &'h mut dyn Host) -> Self {
        Self {
            lang,
            syntax,
            host,
            known: BTreeMap::new(),
            branches: Vec::new(),
            functions: Vec::new(),
            marks: Vec::new(),
            fuel: FUEL,
            depth: 0,
            indent: 0,
            element: None,
            handed: None,
            returned: None,
            printed: Some(Val::text("")),
        }
    }

    pub(super) fn mark(&mut self, label: &'static str) {
        if !self.marks.contains(&label) {
            self.marks.push(label);
        }
    }

    pub(super) fn spend(&mut self) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        self.fuel > 0
    }

    /// Enters a construct, unless it lies too deep.
    pub(super) fn deeper<T>(&mut self, otherwise: T, f: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH || !self.spend() {
            return otherwise;
        }
        self.depth += 1;
        let out = f(self);
        self.depth -= 1;
        out
    }

    pub(super) fn bind(&mut self, name: &str, value: Val) {
        let name = bare(name);
        // Lists that hold themselves in every round of a loop are not followed.
        let value = if value.is_deep(MAX_NESTED) {
            Val::unknown(value.labels())
        } else {
            value
        };
        if self.known.len() < MAX_NAMES || self.known.contains_key(name) {
            let held = self.known.insert(name.to_string(), value);
            self.note(name, held);
        }
    }

    /// Walks all of a piece of code; gives the value of its last statement.
    pub(super) fn walk(&mut self, cur: &mut Cursor) -> Val {
        self.deeper(Val::nothing(), |walk| walk.statements(cur))
    }

    fn statements(&mut self, cur: &mut Cursor) -> Val {
        let mut last = Val::nothing();
        let mut open = Open::default();
        while cur.at < cur.end && self.spend() {
            let at = cur.at;
            self.branch(cur, &mut open);
            if let Some(value) = self.statement(cur) {
                last = value;
            }
            cur.at = cur.at.max(at + 1);
            self.branches_end(cur.at, &mut open);
        }
        self.branches_end(usize::MAX, &mut open);
        last
    }

    fn statement(&mut self, cur: &mut Cursor) -> Option<Val> {
        if cur.name().is_some_and(|n| DECLARING.contains(&n)) && !matches!(cur.ahead(1), Some(Tok::Op("." | "("))) {
            cur.at += 1;
            return None;
        }
        if let Some(line) = cur.line().filter(|_| !matches!(cur.tok(), Some(Tok::Newline(_)))) {
            self.host.line(line);
        }
        if self.several(cur) {
            return None;
        }
        match cur.tok()? {
            Tok::Newline(indent) => {
                self.indent = *indent;
                None
            }
            // `{a, b: c} = x` takes apart; any other brace opens a block.
            Tok::Op("{") if cur.get(cur.closing(cur.at) + 1) != Some(&Tok::Op("=")) => None,
            // The parameters of a block: `{ |x| .. }`.
            Tok::Op("|") if self.lang == "ruby" => {
                let end = (cur.at + 1..cur.end.min(cur.at + 16)).find(|i| cur.get(*i) == Some(&Tok::Op("|")))?;
                let names = names_in(&cur.range(cur.at + 1, end));
                let element = self.element.clone().unwrap_or_else(Val::nothing);
                names.iter().for_each(|n| self.bind(n, element.clone()));
                cur.at = end + 1;
                None
            }
            Tok::Op(";" | "," | ")" | "]" | "}" | ":" | "|" | "=>") => None,
            Tok::Name(name) => {
                let name = name.clone();
                self.named_statement(&name, cur)
            }
            _ => Some(self.expr(cur, 0)),
        }
    }

    /// `a, b = f()`, `local a, b = 1, 2`
    fn several(&mut self, cur: &mut Cursor) -> bool {
        let mut names = Vec::new();
        let mut at = cur.at;
        while let (Some(Tok::Name(name)), Some(Tok::Op(op @ ("," | "=" | ":=")))) = (cur.get(at), cur.get(at + 1)) {
            names.push(name.clone());
            at += 2;
            if *op != "," || names.len() > 8 {
                break;
            }
        }
        if names.len() < 2 || !matches!(cur.get(at - 1), Some(Tok::Op("=" | ":="))) {
            return false;
        }
        cur.at = at;
        let value = self.loop_source(cur);
        self.bind_names(&names, value);
        true
    }

    fn named_statement(&mut self, name: &str, cur: &mut Cursor) -> Option<Val> {
        match name {
            "import" | "from"
                if !matches!(cur.ahead(1), Some(Tok::Op("(" | "." | "=")))
                    || name == "from"
                        && self.lang == "python"
                        && cur.spaced(1)
                        && !matches!(cur.ahead(1), Some(Tok::Op("="))) =>
            {
                self.import(cur);
                None
            }
            "def" if self.lang == "groovy" && cur.ahead(2) == Some(&Tok::Op("=")) => {
                cur.at += 1;
                None
            }
            "def" | "function" | "fn" | "sub" | "func" | "defp" | "fun"
                if matches!(cur.ahead(1), Some(Tok::Name(_))) =>
            {
                self.definition(cur);
                None
            }
            "class" | "module" | "package" | "struct" | "interface" => {
                cur.at += 2;
                None
            }
            "for" | "foreach" => {
                cur.at += 1;
                self.for_loop(cur);
                None
            }
            "if" | "elsif" | "elif" | "while" | "until" | "unless" | "switch" | "when"
                if cur.ahead(1) == Some(&Tok::Op("(")) && self.syntax.blocks != Blocks::Indented =>
            {
                let close = cur.closing(cur.at + 1);
                self.walk(&mut cur.range(cur.at + 2, close));
                cur.at = close + 1;
                None
            }
            "return" => {
                cur.at += 1;
                let value = self.expr(cur, 0);
                let before = self.returned.take();
                self.returned = Some(one_of(before.into_iter().chain([value.clone()]).collect()));
                Some(value)
            }
            _ => Some(self.expr(cur, 0)),
        }
    }

    /// One name gets the value, several get its elements.
    pub(super) fn bind_names(&mut self, names: &[String], value: Val) {
        if let [one] = names {
            return self.bind(one, value);
        }
        for (i, name) in names.iter().enumerate() {
            let one = value.each(|v| match v {
                Val::List(all) => all.get(i).cloned().unwrap_or_else(Val::nothing),
                other => other.clone(),
            });
            self.bind(name, one);
        }
    }
}

/// A variable without the sign that says what it holds.
pub(super) fn bare(name: &str) -> &str {
    let rest = name.trim_start_matches(['$', '@', '%', '&']);
    if rest.is_empty() { name } else { rest }
}

pub(super) fn dotted(head: &str, tail: &str) -> String {
    if head.is_empty() {
        return tail.to_string();
    }
    if tail.is_empty() {
        return head.to_string();
    }
    alloc::format!("{head}.{tail}")
}
