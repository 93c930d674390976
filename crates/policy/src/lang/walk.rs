//! Statements: code walked from top to bottom, loops and functions with what they are given.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Host;
use super::lexer::{Tok, Token, tokens};
use super::syntax::{Blocks, Syntax};
use super::value::Val;
use crate::eval::{Labels, Value};

/// Steps that are taken in one piece of code.
const FUEL: u32 = 60_000;
/// Constructs inside constructs.
const MAX_DEPTH: u32 = 48;
/// Rounds of a loop, and elements of a list that a call is made with.
pub(super) const MAX_ROUNDS: usize = 16;
/// Names that are remembered.
const MAX_NAMES: usize = 1024;

/// A place in a list of tokens.
#[derive(Clone)]
pub(super) struct Cursor {
    pub(super) toks: Rc<[Token]>,
    pub(super) at: usize,
    pub(super) end: usize,
}

impl Cursor {
    pub(super) fn new(syntax: Syntax, code: &str) -> Self {
        let toks: Rc<[Token]> = tokens(syntax, code).into();
        let end = toks.len();
        Self { toks, at: 0, end }
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
            at,
            end: end.min(self.end),
        }
    }

    /// The place of the bracket that closes the one at `open`.
    pub(super) fn closing(&self, open: usize) -> usize {
        let mut depth = 0usize;
        for at in open..self.end {
            match self.get(at) {
                Some(Tok::Op("(" | "[" | "{")) => depth += 1,
                Some(Tok::Op(")" | "]" | "}")) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return at;
                    }
                }
                _ => {}
            }
        }
        self.end
    }
}

/// A function of the code.
#[derive(Clone)]
pub(super) struct Function {
    params: Vec<String>,
    body: Cursor,
}

pub(super) struct Walk<'h> {
    pub(super) lang: &'h str,
    pub(super) syntax: Syntax,
    pub(super) host: &'h mut dyn Host,
    pub(super) known: BTreeMap<String, Val>,
    functions: Vec<Function>,
    /// What names that matter together stand for: `socket`, `shell`, `duplicate`.
    pub(super) marks: Vec<&'static str>,
    fuel: u32,
    depth: u32,
    indent: usize,
    /// What the function that is written as an argument will be given.
    pub(super) element: Option<Val>,
    /// What stands before a `|>`.
    pub(super) handed: Option<Val>,
    returned: Option<Val>,
    /// What the code prints, as far as it is known.
    pub(super) printed: Option<Value>,
}

const DECLARING: &[&str] = &[
    "let", "const", "var", "val", "my", "our", "local", "final", "global", "nonlocal", "mut", "static", "public",
    "private", "export", "default", "auto", "await", "async", "with", "if", "elsif", "elif", "else", "unless", "while",
    "until", "then", "do", "try", "begin", "end", "finally", "ensure", "rescue", "except", "catch", "not", "use", "yield",
    "go", "defer", "throw", "raise", "and", "or", "BEGIN", "END",
];

impl<'h> Walk<'h> {
    pub(super) fn new(lang: &'h str, syntax: Syntax, host: &'h mut dyn Host) -> Self {
        Self {
            lang,
            syntax,
            host,
            known: BTreeMap::new(),
            functions: Vec::new(),
            marks: Vec::new(),
            fuel: FUEL,
            depth: 0,
            indent: 0,
            element: None,
            handed: None,
            returned: None,
            printed: Some(Value::default()),
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
        if self.known.len() < MAX_NAMES || self.known.contains_key(name) {
            self.known.insert(name.to_string(), value);
        }
    }

    /// Walks all of a piece of code; gives the value of its last statement.
    pub(super) fn walk(&mut self, cur: &mut Cursor) -> Val {
        let mut last = Val::nothing();
        while cur.at < cur.end && self.spend() {
            let at = cur.at;
            if let Some(value) = self.statement(cur) {
                last = value;
            }
            cur.at = cur.at.max(at + 1);
        }
        last
    }

    fn statement(&mut self, cur: &mut Cursor) -> Option<Val> {
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

    fn named_statement(&mut self, name: &str, cur: &mut Cursor) -> Option<Val> {
        match name {
            "import" | "from" if !matches!(cur.ahead(1), Some(Tok::Op("(" | "." | "="))) => {
                self.import(cur);
                None
            }
            "def" | "function" | "fn" | "sub" | "func" | "defp" | "fun" if matches!(cur.ahead(1), Some(Tok::Name(_))) => {
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
            "return" => {
                cur.at += 1;
                let value = self.expr(cur, 0);
                self.returned = Some(value.clone());
                Some(value)
            }
            _ if DECLARING.contains(&name) && !matches!(cur.ahead(1), Some(Tok::Op("." | "("))) => {
                cur.at += 1;
                if cur.at < cur.end { self.statement(cur) } else { None }
            }
            _ => Some(self.expr(cur, 0)),
        }
    }

    /// `import a.b as c`, `from m import x as y`, `import {a as b} from "m"`, `import * as x from "m"`, `import "os"`
    fn import(&mut self, cur: &mut Cursor) {
        let start = cur.at;
        let stop = |t: Option<&Tok>| matches!(t, None | Some(Tok::Newline(_) | Tok::Op(";")));
        let mut end = start + 1;
        if matches!(cur.ahead(1), Some(Tok::Op("("))) {
            end = cur.closing(start + 1) + 1;
        }
        let mut open = false;
        while end < cur.end && (open || !stop(cur.get(end))) {
            match cur.get(end) {
                Some(Tok::Op("(" | "{")) => open = true,
                Some(Tok::Op(")" | "}")) => open = false,
                _ => {}
            }
            end += 1;
        }
        let inner = cur.range(start, end);
        cur.at = end;
        let quoted = (start..end).find_map(|i| match inner.get(i) {
            Some(Tok::Text(parts)) => Some(super::expr::plain(parts)),
            _ => None,
        });
        match quoted {
            Some(module) => self.import_quoted(&inner, &module),
            None => self.import_named(&inner),
        }
    }

    fn import_quoted(&mut self, cur: &Cursor, module: &str) {
        let module = module.strip_prefix("node:").unwrap_or(module).replace('/', ".");
        let braces = (cur.at..cur.end).find(|i| cur.get(*i) == Some(&Tok::Op("{"))).unwrap_or(cur.end);
        let whole = names_in(&cur.range(cur.at + 1, braces));
        for name in whole.iter().filter(|n| !matches!(n.as_str(), "as" | "from" | "type")) {
            self.bind(name, Val::Thing(module.clone(), Labels::NONE));
        }
        for (from, to) in pairs_in(&cur.range(braces, cur.closing(braces))) {
            let thing = alloc::format!("{module}.{from}");
            self.bind(&to, Val::Thing(thing, Labels::NONE));
        }
    }

    fn import_named(&mut self, cur: &Cursor) {
        let from = cur.is_name("from");
        let mut module = String::new();
        let mut at = cur.at + 1;
        let mut items = cur.at + 1;
        if from {
            while let Some(tok) = cur.get(at) {
                at += 1;
                match tok {
                    Tok::Name(n) if n == "import" => break,
                    Tok::Name(n) => module = dotted(&module, n),
                    _ => {}
                }
            }
            items = at;
        }
        let mut path = String::new();
        let mut at = items;
        while at < cur.end {
            match cur.get(at) {
                Some(Tok::Name(n)) if n == "as" => {
                    if let Some(Tok::Name(alias)) = cur.get(at + 1) {
                        let thing = dotted(&module, &path);
                        self.bind(&alias.clone(), Val::Thing(thing, Labels::NONE));
                    }
                    path.clear();
                    at += 1;
                }
                Some(Tok::Name(n)) => path = dotted(&path, n),
                Some(Tok::Op(",")) => self.imported(from, &module, &mut path),
                _ => {}
            }
            at += 1;
        }
        self.imported(from, &module, &mut path);
    }

    fn imported(&mut self, from: bool, module: &str, path: &mut String) {
        let path = core::mem::take(path);
        if from && !path.is_empty() {
            let thing = dotted(module, &path);
            self.bind(&path, Val::Thing(thing, Labels::NONE));
        }
    }

    /// `def f(a, b): ..`, `function f(a) {..}`: walked once as it stands, and again where it is called.
    fn definition(&mut self, cur: &mut Cursor) {
        cur.at += 1;
        let Some(name) = cur.name().map(ToString::to_string) else { return };
        cur.at += 1;
        while matches!(cur.tok(), Some(Tok::Op("." | ":"))) && matches!(cur.ahead(1), Some(Tok::Name(_))) {
            cur.at += 2;
        }
        let function = self.function(cur);
        self.bind(&name, function);
    }

    /// Parameters and body of a function, from its brackets on.
    pub(super) fn function(&mut self, cur: &mut Cursor) -> Val {
        let mut params = Vec::new();
        if cur.is("(") {
            let close = cur.closing(cur.at);
            params = params_in(&cur.range(cur.at + 1, close));
            cur.at = close + 1;
        }
        if cur.is("=>") || cur.is("->") {
            cur.at += 1;
        }
        let end = self.block_end(cur);
        let body = cur.range(cur.at, end);
        cur.at = end;
        self.new_function(params, body)
    }

    pub(super) fn new_function(&mut self, params: Vec<String>, body: Cursor) -> Val {
        let element = self.element.clone().unwrap_or_else(Val::nothing);
        params.iter().for_each(|p| self.bind(p, element.clone()));
        let printed = self.printed.clone();
        self.deeper(Val::nothing(), |walk| walk.walk(&mut body.clone()));
        // It has printed nothing yet.
        self.printed = printed;
        self.returned = None;
        if self.functions.len() >= 256 {
            return Val::nothing();
        }
        self.functions.push(Function { params, body });
        Val::Function(self.functions.len() - 1)
    }

    pub(super) fn call_function(&mut self, index: usize, args: &[Val]) -> Val {
        let Some(function) = self.functions.get(index).cloned() else {
            return Val::nothing();
        };
        self.deeper(Val::nothing(), |walk| {
            let saved: Vec<Option<Val>> = function.params.iter().map(|p| walk.known.get(bare(p)).cloned()).collect();
            for (i, param) in function.params.iter().enumerate() {
                walk.bind(param, args.get(i).cloned().unwrap_or_else(Val::nothing));
            }
            if walk.syntax.sigils {
                walk.bind("_", Val::List(args.to_vec()));
            }
            let outer = walk.returned.take();
            let last = walk.walk(&mut function.body.clone());
            let out = walk.returned.take().unwrap_or(last);
            walk.returned = outer;
            for (param, value) in function.params.iter().zip(saved) {
                match value {
                    Some(value) => walk.bind(param, value),
                    None => {
                        walk.known.remove(bare(param));
                    }
                }
            }
            out
        })
    }

    /// Where the block that starts here ends, the place behind it.
    pub(super) fn block_end(&self, cur: &Cursor) -> usize {
        if cur.is("{") {
            return cur.closing(cur.at) + 1;
        }
        match self.syntax.blocks {
            Blocks::Indented => self.indented_end(cur),
            Blocks::Words => self.worded_end(cur),
            Blocks::Braces => simple_end(cur),
        }
    }

    fn indented_end(&self, cur: &Cursor) -> usize {
        let mut depth = 0usize;
        for at in cur.at..cur.end {
            match cur.get(at) {
                Some(Tok::Op("(" | "[" | "{")) => depth += 1,
                Some(Tok::Op(")" | "]" | "}")) => depth = depth.saturating_sub(1),
                Some(Tok::Newline(indent)) if depth == 0 && *indent <= self.indent => return at,
                _ => {}
            }
        }
        cur.end
    }

    fn worded_end(&self, cur: &Cursor) -> usize {
        let mut depth = 1usize;
        let mut starts = true;
        for at in cur.at..cur.end {
            match cur.get(at) {
                Some(Tok::Name(n)) => {
                    let always = matches!(n.as_str(), "function" | "def" | "begin" | "case" | "class" | "module");
                    let leading = starts && matches!(n.as_str(), "if" | "unless" | "for" | "while" | "until");
                    depth += usize::from(always || leading);
                    if n == "do" && at > cur.at && !self.loop_word(cur, at) {
                        depth += 1;
                    }
                    if n == "end" {
                        depth -= 1;
                        if depth == 0 {
                            return at + 1;
                        }
                    }
                    starts = matches!(n.as_str(), "then" | "do" | "else");
                }
                Some(Tok::Newline(_) | Tok::Op(";")) => starts = true,
                _ => starts = false,
            }
        }
        cur.end
    }

    /// Whether the `do` at `at` belongs to a `for` or `while` on its line.
    fn loop_word(&self, cur: &Cursor, at: usize) -> bool {
        (cur.at..at)
            .rev()
            .take_while(|i| !matches!(cur.get(*i), Some(Tok::Newline(_) | Tok::Op(";"))))
            .any(|i| matches!(cur.get(i), Some(Tok::Name(n)) if matches!(n.as_str(), "for" | "while" | "until")))
    }

    /// `for x in xs`, `for (const x of xs)`, `foreach my $x (xs)`, `foreach (xs as $x)`, `for _, x := range xs`
    fn for_loop(&mut self, cur: &mut Cursor) {
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

    /// `pairs(t)` and `f():lines()` are what they go through.
    fn loop_source(&mut self, cur: &mut Cursor) -> Val {
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
        let mut elements = iter.elements(self.lang == "python");
        // Characters and numbers are put together; what is done to many files is seen from a few.
        let most = if elements.iter().all(|e| e.known().is_some_and(|t| t.len() < 6)) {
            512
        } else {
            MAX_ROUNDS
        };
        elements.truncate(most);
        if elements.is_empty() {
            elements.push(Val::nothing());
        }
        let indent = self.indent;
        for element in elements {
            self.bind_names(names, element);
            self.deeper(Val::nothing(), |walk| walk.walk(&mut body.clone()));
            self.indent = indent;
        }
        cur.at = end;
    }

    /// One name gets the value, several get its elements.
    pub(super) fn bind_names(&mut self, names: &[String], value: Val) {
        match (names, &value) {
            ([one], _) => self.bind(one, value),
            (_, Val::List(all)) => {
                for (i, name) in names.iter().enumerate() {
                    let one = all.get(i).cloned().unwrap_or_else(Val::nothing);
                    self.bind(name, one);
                }
            }
            _ => names.iter().for_each(|n| self.bind(n, value.clone())),
        }
    }
}

/// A statement without a block.
fn simple_end(cur: &Cursor) -> usize {
    let mut depth = 0usize;
    for at in cur.at..cur.end {
        match cur.get(at) {
            Some(Tok::Op("(" | "[" | "{")) => depth += 1,
            Some(Tok::Op(")" | "]" | "}")) if depth == 0 => return at,
            Some(Tok::Op(")" | "]" | "}")) => depth -= 1,
            Some(Tok::Op(";" | ",") | Tok::Newline(_)) if depth == 0 => return at,
            _ => {}
        }
    }
    cur.end
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

pub(super) fn names_in(cur: &Cursor) -> Vec<String> {
    (cur.at..cur.end)
        .filter_map(|i| match cur.get(i) {
            Some(Tok::Name(n)) => Some(n.clone()),
            _ => None,
        })
        .collect()
}

/// The names of parameters: no defaults, no types behind a colon.
fn params_in(cur: &Cursor) -> Vec<String> {
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
