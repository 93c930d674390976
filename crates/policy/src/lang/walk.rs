//! Statements: code walked from top to bottom, loops and functions with what they are given.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Host;
use super::lexer::{Tok, Token, tokens};
use super::syntax::{Blocks, Syntax};
use super::value::Val;
use crate::eval::Value;

/// Steps that are taken in one piece of code.
const FUEL: u32 = 60_000;
/// Tokens that are looked ahead at for the price of a step.
const TOKENS_PER_STEP: usize = 64;
/// Constructs inside constructs.
const MAX_DEPTH: u32 = 48;
/// Rounds of a loop, and elements of a list that a call is made with.
pub(super) const MAX_ROUNDS: usize = 16;
/// Lists in lists that are remembered.
const MAX_NESTED: usize = 8;
/// Names that are remembered.
const MAX_NAMES: usize = 1024;

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
    fn line(&self) -> Option<u32> {
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
    pub(super) indent: usize,
    /// What the function that is written as an argument will be given.
    pub(super) element: Option<Val>,
    /// What stands before a `|>`.
    pub(super) handed: Option<Val>,
    returned: Option<Val>,
    /// What the code prints, as far as it is known.
    pub(super) printed: Option<Value>,
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
        // Lists that hold themselves in every round of a loop are not followed.
        let value = if value.is_deep(MAX_NESTED) {
            Val::unknown(value.labels())
        } else {
            value
        };
        if self.known.len() < MAX_NAMES || self.known.contains_key(name) {
            self.known.insert(name.to_string(), value);
        }
    }

    /// Walks all of a piece of code; gives the value of its last statement.
    pub(super) fn walk(&mut self, cur: &mut Cursor) -> Val {
        self.deeper(Val::nothing(), |walk| walk.statements(cur))
    }

    fn statements(&mut self, cur: &mut Cursor) -> Val {
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
        while cur.name().is_some_and(|n| DECLARING.contains(&n)) && !matches!(cur.ahead(1), Some(Tok::Op("." | "("))) {
            cur.at += 1;
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
                self.returned = Some(value.clone());
                Some(value)
            }
            _ => Some(self.expr(cur, 0)),
        }
    }

    /// `def f(a, b): ..`, `function f(a) {..}`: walked once as it stands, and again where it is called.
    fn definition(&mut self, cur: &mut Cursor) {
        cur.at += 1;
        let Some(name) = cur.name().map(ToString::to_string) else {
            return;
        };
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
        self.walk(&mut body.clone());
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
            let saved: Vec<Option<Val>> = function
                .params
                .iter()
                .map(|p| walk.known.get(bare(p)).cloned())
                .collect();
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
    pub(super) fn block_end(&mut self, cur: &Cursor) -> usize {
        if cur.is("{") {
            return cur.closing(cur.at) + 1;
        }
        let end = match self.syntax.blocks {
            Blocks::Indented => self.indented_end(cur),
            Blocks::Words => self.worded_end(cur),
            Blocks::Braces => simple_end(cur),
        };
        self.pay(end - cur.at.min(end));
        end
    }

    /// Looking ahead costs, too.
    pub(super) fn pay(&mut self, tokens: usize) {
        let steps = u32::try_from(tokens / TOKENS_PER_STEP).unwrap_or(u32::MAX);
        self.fuel = self.fuel.saturating_sub(steps);
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
        // Whether a `for` or `while` stands on this line, to which a `do` belongs.
        let mut looping = false;
        for at in cur.at..cur.end {
            match cur.get(at) {
                Some(Tok::Name(n)) => {
                    let always = matches!(n.as_str(), "function" | "def" | "begin" | "case" | "class" | "module");
                    let leading = starts && matches!(n.as_str(), "if" | "unless" | "for" | "while" | "until");
                    depth += usize::from(always || leading);
                    if n == "do" && at > cur.at && !looping {
                        depth += 1;
                    }
                    looping |= matches!(n.as_str(), "for" | "while" | "until");
                    if n == "end" {
                        depth -= 1;
                        if depth == 0 {
                            return at + 1;
                        }
                    }
                    starts = matches!(n.as_str(), "then" | "do" | "else");
                }
                Some(Tok::Newline(_) | Tok::Op(";")) => (starts, looping) = (true, false),
                _ => starts = false,
            }
        }
        cur.end
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
