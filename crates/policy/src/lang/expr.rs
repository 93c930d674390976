//! Expressions: what a value is, as far as that can be said.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::calls::Args;
use super::cursor::{Cursor, names_in, pairs_in};
use super::either::{one_of, spread};
use super::lexer::{Part, Tok};
use super::operators::preferred;
use super::value::{Val, concat};
use super::walk::{Walk, dotted};
use crate::eval::{Labels, Value};
use crate::facts::{Role, RoleKind};

/// The text of parts that hold no values.
pub(super) fn plain(parts: &[Part]) -> String {
    parts
        .iter()
        .map(|p| match p {
            Part::Text(t) | Part::Code(t) => t.as_str(),
        })
        .collect()
}

/// Words that stand between expressions, not in them.
const BETWEEN: &[&str] = &[
    "if",
    "unless",
    "else",
    "elif",
    "elsif",
    "for",
    "foreach",
    "while",
    "until",
    "then",
    "do",
    "end",
    "in",
    "of",
    "and",
    "or",
    "is",
    "as",
    "from",
    "import",
    "rescue",
    "return",
    "except",
    "catch",
    "instanceof",
    "eq",
    "ne",
    "lt",
    "gt",
    "with",
    "where",
    "when",
    "case",
    "def",
    "sub",
    "class",
];

impl Walk<'_> {
    /// An expression whose operators bind at least as tightly as `least`.
    pub(super) fn expr(&mut self, cur: &mut Cursor, least: u8) -> Val {
        self.deeper(Val::nothing(), |walk| walk.expr_here(cur, least))
    }

    fn expr_here(&mut self, cur: &mut Cursor, least: u8) -> Val {
        let start = cur.at;
        let mut left = self.operand(cur);
        while self.spend() {
            if self.side_by_side(cur, &left, least) {
                let right = self.expr(cur, 5);
                left = concat(left, &right);
                continue;
            }
            let Some((op, level)) = self.operator(cur, &left) else {
                break;
            };
            if level < least {
                break;
            }
            let at = cur.at;
            cur.at += 1;
            left = self.binary(op, level, left, cur.range(start, at), cur);
            self.pay_value(&left);
        }
        left
    }

    /// In awk texts that follow each other are one.
    fn side_by_side(&self, cur: &Cursor, left: &Val, least: u8) -> bool {
        let next = match cur.tok() {
            Some(Tok::Text(_) | Tok::Number(_) | Tok::Op("$")) => true,
            Some(Tok::Name(n)) => !is_between(n) && n != "getline",
            _ => false,
        };
        self.lang == "awk" && least < 5 && left.is_text() && next
    }

    /// `print | "cmd"`, `"cmd" | getline`, `print > "file"`
    fn awk(&mut self, op: &str, left: &Val, cur: &mut Cursor) -> Val {
        cur.eat("&");
        if cur.eat_name("getline") {
            let out = self.shells("getline", left, None);
            if let Some(name) = cur.name().map(ToString::to_string) {
                cur.at += 1;
                self.bind(&name, out.clone());
            }
            return out;
        }
        let right = self.expr(cur, 4);
        if right.is_text() && op == "|" {
            return left.each(|left| self.shells("print", &right, Some(left)));
        }
        if right.is_text() && !matches!(right, Val::Number(_)) {
            const WRITE: Role = Role {
                kind: RoleKind::Write,
                arg: "",
                tags: &[],
            };
            for path in right.alternatives() {
                self.host.write("print", WRITE, &path.to_value(), &left.to_value());
            }
        }
        Val::nothing()
    }

    fn binary(&mut self, op: &'static str, level: u8, left: Val, target: Cursor, cur: &mut Cursor) -> Val {
        cur.skip_lines();
        match op {
            "=" | ":=" | "<-" => {
                // `x and y = 1`
                let under = (target.at..target.end).rev().find(|at| chooses(target.get(*at)));
                let value = self.expr(cur, 0);
                match under {
                    Some(at) => self.maybe(|walk| walk.assign(&target.range(at + 1, target.end), value.clone())),
                    None => self.assign(&target, value.clone()),
                }
                value
            }
            "||=" | "&&=" | "??=" | "//=" => {
                let value = self.maybe(|walk| walk.expr(cur, 0));
                self.maybe(|walk| walk.assign(&target, value.clone()));
                one_of(alloc::vec![left, value])
            }
            "+=" | ".=" => {
                let right = self.expr(cur, 1);
                let value = concat(left, &right);
                self.assign(&target, value.clone());
                value
            }
            "<<" if self.lang == "ruby" => {
                let right = self.expr(cur, level + 1);
                let value = left.each(|left| match left {
                    Val::List(all) => Val::List(all.iter().chain([&right]).cloned().collect()),
                    other => concat(other.clone(), &right),
                });
                // `a << b << c`
                let owner = target.range(target.at, target.at + 1);
                if target.end == target.at + 1 || matches!(target.ahead(1), Some(Tok::Op("<<"))) {
                    self.assign(&owner, value.clone());
                }
                value
            }
            "as" => {
                let names: Vec<String> = cur.name().map(ToString::to_string).into_iter().collect();
                cur.at += names.len();
                self.bind_names(&names, left.clone());
                left
            }
            "=>" | "->" => self.arrow(left, &target, cur),
            "?" => self.choice(cur),
            "if" => {
                self.expr(cur, 2);
                if !cur.eat_name("else") {
                    return left;
                }
                let other = self.maybe(|walk| walk.expr(cur, 1));
                one_of(alloc::vec![other, left])
            }
            "|>" => {
                self.handed = Some(left);
                let right = self.expr(cur, level + 1);
                match self.handed.take() {
                    Some(arg) => self.call(&right, Args::of(alloc::vec![arg])),
                    None => right,
                }
            }
            "|" | ">" | ">>" if self.lang == "awk" => self.awk(op, &left, cur),
            "||" | "//" | "??" | "&&" => {
                let right = self.maybe(|walk| walk.expr(cur, level + 1));
                self.joined(op, left, right)
            }
            _ => {
                let right = self.expr(cur, level + 1);
                self.joined(op, left, right)
            }
        }
    }

    fn choice(&mut self, cur: &mut Cursor) -> Val {
        let first = self.maybe(|walk| walk.expr(cur, 1));
        cur.skip_lines();
        if !cur.eat(":") {
            return first;
        }
        let second = self.maybe(|walk| walk.expr(cur, 1));
        preferred(first, second)
    }

    /// `x => ..` is a function in some languages, a pair in others.
    fn arrow(&mut self, left: Val, target: &Cursor, cur: &mut Cursor) -> Val {
        if matches!(self.lang, "perl" | "ruby" | "php") {
            let right = self.expr(cur, 1);
            return if matches!(left, Val::Thing(..)) {
                right
            } else {
                Val::List(alloc::vec![left, right])
            };
        }
        self.pay_names(target.end.saturating_sub(target.at));
        let params = names_in(target);
        let end = if cur.is("{") {
            cur.closing(cur.at) + 1
        } else {
            self.block_end_of_expression(cur)
        };
        let body = cur.range(cur.at, end);
        cur.at = end;
        self.new_function(params, body, false)
    }

    /// Where an expression ends that is the body of a function.
    pub(super) fn block_end_of_expression(&mut self, cur: &Cursor) -> usize {
        let end = expression_end(cur);
        self.pay(end - cur.at.min(end));
        end
    }

    pub(super) fn assign(&mut self, target: &Cursor, value: Val) {
        self.pay_names(target.end.saturating_sub(target.at));
        let value = match value {
            Val::Thing(name, labels) if name.is_empty() && labels == Labels::NONE => Val::nothing(),
            other => other,
        };
        match target.tok() {
            Some(Tok::Op("{")) => {
                for (from, to) in pairs_in(target) {
                    let member = self.member(&value, &from);
                    self.bind(&to, member);
                }
            }
            Some(Tok::Op("[" | "(")) => self.bind_names(&names_in(target), value),
            Some(Tok::Name(_)) => self.assign_name(target, value),
            _ => {}
        }
    }

    fn assign_name(&mut self, target: &Cursor, value: Val) {
        let indexed = (target.at..target.end).any(|i| matches!(target.get(i), Some(Tok::Op("[" | "{"))));
        let names = names_in(target);
        let Some(first) = names.first() else { return };
        if indexed {
            // A setting of the environment, or one more element.
            let key = (target.at..target.end).find_map(|i| match target.get(i) {
                Some(Tok::Text(parts)) => Some(plain(parts)),
                _ => None,
            });
            let head = self.known.get(super::walk::bare(first)).cloned();
            let thing = match head {
                Some(Val::Thing(n, _)) => n,
                _ => first.clone(),
            };
            let rest = dotted(&thing, &joined(names.get(1..).unwrap_or_default()));
            if let (Some(key), true) = (key, self.is_environment(&rest)) {
                for one in value.alternatives() {
                    self.host.export(&key, &one.to_value());
                }
                return;
            }
            return self.put_element(target, first, value);
        }
        self.put_member(&names, &value);
        let name = joined(&names);
        // Types stand before names: `String x = ..`.
        if let (true, Some(last)) = (names.len() > 1 && !has_dots(target), names.last()) {
            return self.bind(last, value);
        }
        self.bind(&name, value);
    }

    /// An operand with what follows it directly.
    fn operand(&mut self, cur: &mut Cursor) -> Val {
        let Some(tok) = cur.tok().cloned() else {
            return Val::nothing();
        };
        match tok {
            Tok::Text(parts) => {
                cur.at += 1;
                let mut value = self.text(&parts);
                while let Some(Tok::Text(more)) = cur.tok().cloned() {
                    cur.at += 1;
                    value = concat(value, &self.text(&more));
                }
                self.after(value, cur)
            }
            Tok::Shell(parts) => {
                cur.at += 1;
                let command = self.text(&parts);
                let out = self.shells("a shell command", &command, None);
                self.after(out, cur)
            }
            Tok::Number(n) => {
                cur.at += 1;
                self.after(Val::Number(n), cur)
            }
            Tok::Pattern(code) => {
                cur.at += 1;
                if let Some(code) = code {
                    self.walk(&mut Cursor::new(self.syntax, &code));
                }
                Val::unknown(Labels::NONE)
            }
            Tok::Newline(_) => Val::nothing(),
            Tok::Op(op) => self.operator_first(op, cur),
            Tok::Name(name) => self.name(&name, cur),
        }
    }

    fn operator_first(&mut self, op: &str, cur: &mut Cursor) -> Val {
        match op {
            "(" => self.bracket(cur),
            "[" | "{" => {
                let list = self.list(cur);
                self.after(list, cur)
            }
            "<" if self.lang == "perl" => self.angle(cur),
            // A field of the line that was read.
            "$" if self.lang == "awk" => {
                cur.at += 1;
                self.operand(cur);
                Val::Text(Value::unknown(Labels::INPUT))
            }
            ":" if self.lang == "ruby" || self.lang == "elixir" => {
                cur.at += 1;
                match cur.name().map(ToString::to_string) {
                    Some(name) => {
                        cur.at += 1;
                        let value = if self.lang == "ruby" {
                            Val::text(name)
                        } else {
                            Val::Thing(name, Labels::NONE)
                        };
                        self.after(value, cur)
                    }
                    None => Val::nothing(),
                }
            }
            "-" | "+" => {
                cur.at += 1;
                match self.expr(cur, 5) {
                    Val::Number(n) if op == "-" => Val::Number(n.wrapping_neg()),
                    other => other,
                }
            }
            // The length of a list.
            "#" if self.lang == "lua" => {
                cur.at += 1;
                match self.expr(cur, 5) {
                    Val::List(all) => Val::Number(i64::try_from(all.len()).unwrap_or(i64::MAX)),
                    other => other,
                }
            }
            "!" | "~" | "*" | "**" | "..." | "&" | "\\" | "@" | "++" | "--" | "#" | "$" | "%" | "::" | "<-" => {
                cur.at += 1;
                self.expr(cur, 5)
            }
            _ => Val::nothing(),
        }
    }

    /// `(a)`, `(a, b)`, `(a, b) => ..`
    fn bracket(&mut self, cur: &mut Cursor) -> Val {
        let close = cur.closing(cur.at);
        let mut inner = cur.range(cur.at + 1, close);
        let single = !has_comma(&inner);
        cur.at = close + 1;
        // The names of a function's parameters are no calls.
        if cur.is("=>") || cur.is("->") && !self.syntax.sigils {
            return Val::nothing();
        }
        if let (true, Some(name)) = (self.lang == "lisp", inner.name().map(ToString::to_string)) {
            inner.at += 1;
            let args = self.items(&mut inner);
            return self.call(&Val::Thing(name, Labels::NONE), Args::of(args));
        }
        let mut all = self.items(&mut inner);
        let value = match (single, all.len()) {
            (true, 1) => all.pop().unwrap_or_else(Val::nothing),
            _ => Val::List(all),
        };
        self.after(value, cur)
    }

    /// `<STDIN>`, `<$file>`, `<*.txt>`
    fn angle(&mut self, cur: &mut Cursor) -> Val {
        let close = (cur.at..cur.end.min(cur.at + 12)).find(|i| cur.get(*i) == Some(&Tok::Op(">")));
        let Some(close) = close else {
            cur.at += 1;
            return Val::nothing();
        };
        let names = names_in(&cur.range(cur.at, close));
        cur.at = close + 1;
        match names.first().map(String::as_str) {
            Some("STDIN") | None => Val::Text(self.host.input()),
            Some(name) => {
                let labels = self
                    .known
                    .get(super::walk::bare(name))
                    .map_or(Labels::NONE, Val::labels);
                Val::unknown(labels)
            }
        }
    }

    pub(super) fn text(&mut self, parts: &[Part]) -> Val {
        let mut out = Val::text("");
        if self.lang == "awk" && plain(parts).starts_with("/inet/") {
            self.mark("socket");
            self.mark("duplicate");
        }
        for part in parts {
            let piece = match part {
                Part::Text(text) => Val::text(text.as_str()),
                Part::Code(code) => {
                    let mut cur = Cursor::new(self.syntax, code);
                    let value = self.deeper(Val::nothing(), |walk| walk.expr(&mut cur, 0));
                    self.pay_value(&value);
                    value.each(|one| match one {
                        Val::List(all) => spaced(all),
                        other => other.clone(),
                    })
                }
            };
            out = concat(out, &piece);
            self.pay_value(&out);
        }
        out
    }

    /// A function without a name: `function (a) {..}`, `lambda a: ..`, `sub {..}`, `fn a -> .. end`
    pub(super) fn anonymous(&mut self, name: &str, cur: &mut Cursor) -> Val {
        cur.at += 1;
        if name == "lambda" {
            let colon = (cur.at..cur.end)
                .find(|i| cur.get(*i) == Some(&Tok::Op(":")))
                .unwrap_or(cur.end);
            let params = names_in(&cur.range(cur.at, colon));
            cur.at = colon + 1;
            let end = self.block_end_of_expression(cur);
            let body = cur.range(cur.at, end);
            cur.at = end;
            return self.new_function(params, body, false);
        }
        if cur.name().is_some() {
            cur.at += 1;
        }
        self.function(cur, false)
    }
}

fn has_dots(cur: &Cursor) -> bool {
    (cur.at..cur.end).any(|i| matches!(cur.get(i), Some(Tok::Op("." | "::" | "->" | "?."))))
}

/// Whether what stands behind it may not be looked at.
fn chooses(tok: Option<&Tok>) -> bool {
    match tok {
        Some(Tok::Op(op)) => matches!(*op, "&&" | "||"),
        Some(Tok::Name(n)) => n == "and" || n == "or",
        _ => false,
    }
}

fn has_comma(cur: &Cursor) -> bool {
    let mut depth = 0usize;
    (cur.at..cur.end).any(|i| {
        match cur.get(i) {
            Some(Tok::Op("(" | "[" | "{")) => depth += 1,
            Some(Tok::Op(")" | "]" | "}")) => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && cur.get(i) == Some(&Tok::Op(","))
    })
}

/// Names with dots between them.
fn joined(names: &[String]) -> String {
    let named: Vec<&str> = names.iter().map(String::as_str).filter(|n| !n.is_empty()).collect();
    named.join(".")
}

fn spaced(all: &[Val]) -> Val {
    if let Some(ways) = spread(all) {
        return one_of(ways.iter().map(|way| spaced(way)).collect());
    }
    let mut out = Val::text("");
    for (i, one) in all.iter().enumerate() {
        if i > 0 {
            out = concat(out, &Val::text(" "));
        }
        out = concat(out, one);
    }
    out
}

/// Whether a name stands between expressions.
pub(super) fn is_between(name: &str) -> bool {
    BETWEEN.contains(&name)
}

/// The first comma or end of a line outside of brackets.
fn expression_end(cur: &Cursor) -> usize {
    let mut depth = 0usize;
    for at in cur.at..cur.end {
        match cur.get(at) {
            Some(Tok::Op("(" | "[" | "{")) => depth += 1,
            Some(Tok::Op(")" | "]" | "}")) if depth == 0 => return at,
            Some(Tok::Op(")" | "]" | "}")) => depth -= 1,
            Some(Tok::Op("," | ";") | Tok::Newline(_)) if depth == 0 && at > cur.at => return at,
            _ => {}
        }
    }
    cur.end
}
