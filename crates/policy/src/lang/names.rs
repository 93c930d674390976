//! Names, and what follows a value directly: members, calls, indices.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::branches::{inside, leaves};
use super::calls::Args;
use super::cursor::{Cursor, names_in};
use super::either::one_of;
use super::expr::is_between;
use super::lexer::Tok;
use super::role_of;
use super::value::Val;
use super::walk::{MAX_ROUNDS, Walk, bare, dotted};
use crate::eval::{Labels, Value};
use crate::facts::RoleKind;

impl Walk<'_> {
    pub(super) fn name(&mut self, name: &str, cur: &mut Cursor) -> Val {
        match name {
            "new" | "await" | "async" | "yield" | "typeof" | "void" | "my" | "our" | "local" | "let" | "const"
            | "var" | "not" | "go" | "defer"
                if (self.lang == "go" || !matches!(name, "go" | "defer"))
                    && matches!(cur.ahead(1), Some(Tok::Name(_) | Tok::Op("(" | "[" | "{" | "&" | "*"))) =>
            {
                cur.at += 1;
                return self.expr(cur, 6);
            }
            "lambda" | "function" | "sub" | "fn" | "func" | "proc"
                if matches!(cur.ahead(1), Some(Tok::Name(_) | Tok::Op("(" | "{" | ":"))) =>
            {
                let function = self.anonymous(name, cur);
                return self.after(function, cur);
            }
            "do" if cur.ahead(1) == Some(&Tok::Op("{")) => {
                cur.at += 1;
                return Val::nothing();
            }
            _ if is_between(name) && !matches!(cur.ahead(1), Some(Tok::Op("(" | "."))) => return Val::nothing(),
            _ => {}
        }
        cur.at += 1;
        let value = self.lookup(name);
        self.after(value, cur)
    }

    fn lookup(&self, name: &str) -> Val {
        let thing = || Val::Thing(name.to_string(), Labels::NONE);
        let known = self.known.get(bare(name));
        // Where variables carry a sign, a name without one is a function.
        let function = self.syntax.sigils && bare(name) == name;
        match known {
            Some(value) if !function || matches!(value.newest(), Val::Function(_)) => value.clone(),
            _ => thing(),
        }
    }

    /// Whatever follows a value without an operator.
    pub(super) fn after(&mut self, mut value: Val, cur: &mut Cursor) -> Val {
        if self.lang == "lisp" {
            return self.constant(value);
        }
        while self.spend() {
            let at = cur.at;
            if self.is_member(cur) || cur.is("[") {
                value = self.constant(value);
            }
            value = match cur.tok() {
                // `"ls".!`, `"ls" !!`: the text is run.
                Some(Tok::Op(op @ ("." | "!")))
                    if self.lang == "scala" && (*op == "!" || cur.ahead(1) == Some(&Tok::Op("!"))) =>
                {
                    while matches!(cur.tok(), Some(Tok::Op("." | "!"))) {
                        cur.at += 1;
                    }
                    self.method(value, "execute", Args::default())
                }
                Some(Tok::Op("." | "?." | "::" | "->" | ":")) if self.is_member(cur) => {
                    self.member_or_method(value, cur)
                }
                Some(Tok::Op("->")) if self.syntax.sigils && matches!(cur.ahead(1), Some(Tok::Op("[" | "{" | "("))) => {
                    cur.at += 1;
                    value
                }
                Some(Tok::Op("(")) if self.callable(&value) => {
                    let args = self.arguments(cur);
                    self.added_to(cur, at + 1, &value, &args);
                    if self.lang == "awk" && matches!(&value, Val::Thing(n, _) if n == "split") {
                        self.split_into(cur, at + 1, &args);
                    }
                    self.call(&value, args)
                }
                Some(Tok::Op("!")) if self.lang == "rust" && cur.ahead(1) == Some(&Tok::Op("(")) => {
                    cur.at += 1;
                    value
                }
                Some(Tok::Op("[")) if !cur.spaced(0) || !self.bare_role(&value) => self.index(value, cur),
                Some(Tok::Op("{")) if self.syntax.sigils && !cur.spaced(0) && !self.bare_role(&value) => {
                    self.index(value, cur)
                }
                _ if self.starts_bare(&value, cur) => {
                    let args = self.bare_arguments(cur);
                    self.added_to(cur, at, &value, &args);
                    self.call(&value, args)
                }
                _ => break,
            };
            if cur.at == at {
                break;
            }
        }
        self.constant(value)
    }

    fn is_member(&self, cur: &Cursor) -> bool {
        if !matches!(cur.ahead(1), Some(Tok::Name(_))) {
            return false;
        }
        match cur.tok() {
            Some(Tok::Op("." | "?.")) => !self.syntax.sigils,
            Some(Tok::Op("->")) => self.syntax.sigils || self.lang == "c",
            Some(Tok::Op("::")) => true,
            // `t:connect(..)`, `os:cmd(..)`
            Some(Tok::Op(":")) => {
                matches!(self.lang, "lua" | "other")
                    && !cur.spaced(0)
                    && !cur.spaced(1)
                    && matches!(cur.ahead(2), Some(Tok::Op("(") | Tok::Text(_)))
            }
            _ => false,
        }
    }

    fn callable(&self, value: &Val) -> bool {
        value.alternatives().iter().any(|one| match one {
            Val::Thing(..) | Val::Function(_) => true,
            Val::Text(v) => self.syntax.sigils && v.known().is_some(),
            _ => false,
        })
    }

    fn member_or_method(&mut self, value: Val, cur: &mut Cursor) -> Val {
        let dot = cur.at;
        cur.at += 1;
        let Some(name) = cur.name().map(ToString::to_string) else {
            return value;
        };
        cur.at += 1;
        let args = if cur.is("(") {
            Some(self.arguments(cur))
        } else if self.starts_bare(&self.member(&value, &name), cur) {
            Some(self.bare_arguments(cur))
        } else {
            None
        };
        let block = self.lang == "ruby" && (cur.is("{") || cur.is_name("do"));
        if block {
            self.block(&value, &name, args.as_ref(), cur);
        }
        match args {
            Some(args) => {
                self.added(cur, dot, &name, &args);
                self.method(value, &name, args)
            }
            // Calls without arguments need no brackets there.
            None if self.lang == "ruby" && (value.is_text() || self.has_role(&value, &name)) => {
                self.method(value, &name, Args::default())
            }
            None => self.member(&value, &name),
        }
    }

    fn has_role(&self, value: &Val, name: &str) -> bool {
        let full = match value {
            Val::Thing(n, _) => dotted(n, name),
            _ => name.to_string(),
        };
        role_of(self.lang, &full).is_some()
    }

    /// `xs.each { |x| .. }`, `Dir.glob("*") do |f| .. end`
    fn block(&mut self, receiver: &Val, name: &str, args: Option<&Args>, cur: &mut Cursor) {
        let braces = cur.is("{");
        cur.at += usize::from(!braces);
        let end = self.block_end(cur);
        let body = cur.range(cur.at, end);
        cur.at = end;
        let (names, body) = self.block_head(inside(&body));
        let source = match (receiver, args) {
            (Val::Thing(..), Some(args)) => self.method(receiver.clone(), name, args.clone()),
            (Val::Thing(..), None) => self.method(receiver.clone(), name, Args::default()),
            _ => receiver.clone(),
        };
        let outer = self.element.take();
        let sure = matches!(source, Val::List(_)) && !leaves(&body);
        self.with_names(&names, |walk| {
            let mut elements = source.elements(false);
            if elements.is_empty() {
                elements.push(Val::nothing());
            }
            for element in elements.into_iter().take(MAX_ROUNDS) {
                walk.element = Some(element);
                walk.round(sure, &body);
            }
        });
        self.element = outer;
    }

    /// The names between the bars at the start of a block.
    fn block_head(&self, body: Cursor) -> (Vec<String>, Cursor) {
        let end = if body.is("|") {
            (body.at + 1..body.end).find(|at| body.get(*at) == Some(&Tok::Op("|")))
        } else {
            None
        };
        (
            end.map_or_else(Vec::new, |end| names_in(&body.range(body.at + 1, end))),
            body,
        )
    }

    pub(super) fn member(&self, value: &Val, name: &str) -> Val {
        match value {
            Val::Either(_) => value.each(|one| self.member(one, name)),
            Val::Thing(head, labels) => {
                let full = dotted(head, name);
                match self.known.get(bare(&full)) {
                    Some(known) => known.clone(),
                    None => Val::Thing(full, *labels),
                }
            }
            Val::Map(all) => all
                .iter()
                .find(|(k, _)| k == name)
                .map_or_else(Val::nothing, |(_, v)| v.clone()),
            Val::Text(v)
                if matches!(
                    name,
                    "text" | "content" | "body" | "stdout" | "data" | "value" | "path" | "name"
                ) =>
            {
                Val::Text(v.clone())
            }
            other => Val::Thing(name.to_string(), other.labels()),
        }
    }

    fn bare_role(&self, value: &Val) -> bool {
        let Val::Thing(name, _) = value else { return false };
        self.syntax.bare_calls
            && !name.starts_with(['$', '@', '%'])
            && role_of(self.lang, name).is_some_and(|r| r.kind != RoleKind::Tag || self.syntax.sigils)
    }

    /// Whether arguments without brackets follow.
    fn starts_bare(&self, value: &Val, cur: &Cursor) -> bool {
        let Val::Thing(name, _) = value else { return false };
        let tagged = matches!(cur.tok(), Some(Tok::Text(_))) && (self.lang == "lua" || name == "$");
        if tagged {
            return true;
        }
        if !self.bare_role(value) {
            return false;
        }
        match cur.tok() {
            Some(Tok::Text(_) | Tok::Shell(_) | Tok::Number(_)) => true,
            Some(Tok::Name(n)) => !is_between(n),
            Some(Tok::Op("@")) if self.lang == "perl" => true,
            Some(Tok::Op("[" | ":" | "*" | "%" | "@" | "<" | "&")) => cur.spaced(0) && !cur.spaced(1),
            Some(Tok::Op("{")) if self.lang == "puppet" => true,
            Some(Tok::Op("{" | "$")) => self.lang == "perl",
            Some(Tok::Op("\\")) => true,
            _ => false,
        }
    }

    fn bare_arguments(&mut self, cur: &mut Cursor) -> Args {
        let mut args = Args::default();
        while self.spend() {
            let at = cur.at;
            self.argument(cur, &mut args);
            // `print F "text"`, `exec {"program"} "name"`: no comma after the first.
            let more = cur.eat(",") || cur.eat("=>");
            let loose = self.lang == "perl"
                && args.list.len() == 1
                && matches!(cur.tok(), Some(Tok::Text(_) | Tok::Name(_)))
                && !cur.name().is_some_and(is_between);
            if more {
                cur.skip_lines();
            }
            if cur.at == at || !(more || loose) {
                break;
            }
        }
        args
    }

    pub(super) fn arguments(&mut self, cur: &mut Cursor) -> Args {
        let close = cur.closing(cur.at);
        let mut inner = cur.range(cur.at + 1, close);
        cur.at = close + 1;
        let mut args = Args::default();
        if let Some(handed) = self.handed.take() {
            args.list.push(handed);
        }
        if inner.at < inner.end && self.lang == "python" && super::lists::comprehension(&inner).is_some() {
            args.list.push(Val::List(self.items(&mut inner)));
            return args;
        }
        while inner.at < inner.end && self.spend() {
            let at = inner.at;
            if !matches!(inner.tok(), Some(Tok::Newline(_) | Tok::Op("," | ";"))) {
                self.argument(&mut inner, &mut args);
            }
            inner.at = inner.at.max(at + 1);
        }
        args
    }

    fn argument(&mut self, cur: &mut Cursor, args: &mut Args) {
        let key = cur.name().map(ToString::to_string);
        let named = match cur.ahead(1) {
            Some(Tok::Op("=")) => !self.syntax.sigils && !matches!(self.lang, "node" | "c"),
            Some(Tok::Op(":")) => !matches!(self.lang, "node" | "lua" | "python") && cur.spaced(2),
            _ => false,
        };
        match key.filter(|_| named) {
            Some(key) => {
                cur.at += 2;
                let value = self.expr(cur, 1);
                args.named.push((key, value));
            }
            None => {
                let spread = cur.is("*") || cur.is("...") || self.syntax.sigils;
                let block = matches!(self.lang, "perl" | "puppet") && cur.is("{");
                let value = if block {
                    let close = cur.closing(cur.at);
                    let mut inner = cur.range(cur.at + 1, close);
                    cur.at = close + 1;
                    // A resource of Puppet has its title first.
                    if self.lang == "puppet" {
                        self.expr(&mut inner, 2)
                    } else {
                        Val::List(self.maybe(|walk| walk.items(&mut inner)))
                    }
                } else {
                    self.expr(cur, 1)
                };
                match value {
                    Val::List(all) if spread => args.list.extend(all),
                    other => args.list.push(other),
                }
            }
        }
    }

    fn index(&mut self, value: Val, cur: &mut Cursor) -> Val {
        let close = cur.closing(cur.at);
        let mut inner = cur.range(cur.at + 1, close);
        // `$ENV{HOME}`: a word in braces is a text.
        let word = match (inner.tok(), close == cur.at + 2, cur.is("{")) {
            (Some(Tok::Name(n)), true, true) if !n.starts_with('$') => Some(n.clone()),
            _ => None,
        };
        cur.at = close + 1;
        if let Some(word) = word {
            return self.at_key(&value, &word);
        }
        let slices = (inner.at..inner.end).any(|i| matches!(inner.get(i), Some(Tok::Op(":" | "::"))));
        if slices && (value.is_text() || matches!(value.newest(), Val::List(_))) {
            return self.slice(&value, &mut inner);
        }
        let key = self.expr(&mut inner, 0);
        if inner.eat(":") {
            self.expr(&mut inner, 0);
        }
        let one = |walk: &mut Self, value: &Val, key: &Val| match (key, value) {
            (Val::Number(n), Val::Map(all)) if all.iter().any(|(k, _)| *k == n.to_string()) => {
                walk.at_key(value, &n.to_string())
            }
            (Val::Number(n), _) => super::pure::nth(value, walk.counted_from_nought(*n)),
            (other, _) if other.known().is_some() => walk.at_key(value, &other.known().unwrap_or_default()),
            // Any of a few.
            (_, Val::List(all)) if all.len() <= MAX_ROUNDS => one_of(all.clone()),
            _ => Val::Thing(String::new(), value.labels().with(key.labels())),
        };
        let mut out = Vec::new();
        for value in value.alternatives() {
            out.extend(key.alternatives().iter().map(|key| one(self, value, key)));
        }
        one_of(out)
    }

    /// Some languages count from one.
    pub(super) fn counted_from_nought(&self, n: i64) -> i64 {
        if matches!(self.lang, "lua" | "julia" | "r") {
            n.saturating_sub(1)
        } else {
            n
        }
    }

    fn slice(&mut self, value: &Val, cur: &mut Cursor) -> Val {
        let mut bounds: [Option<i64>; 3] = [None; 3];
        let mut which = 0;
        while cur.at < cur.end && self.spend() {
            let at = cur.at;
            if cur.eat(":") || cur.eat("::") {
                which += if matches!(cur.get(at), Some(Tok::Op("::"))) {
                    2
                } else {
                    1
                };
                continue;
            }
            let bound = self.expr(cur, 2);
            if let (Val::Number(n), Some(slot)) = (bound, bounds.get_mut(which)) {
                *slot = Some(n);
            }
            cur.at = cur.at.max(at + 1);
        }
        value.each(|one| super::pure::slice(one, bounds))
    }

    pub(super) fn at_key(&mut self, value: &Val, key: &str) -> Val {
        match value {
            Val::Either(_) => value.each(|one| self.at_key(one, key)),
            Val::Thing(name, _) if self.is_environment(name) => Val::Text(self.host.variable(key)),
            Val::Thing(name, _) if is_scope(name) => self.lookup(key),
            other => self.member(other, key),
        }
    }

    pub(super) fn is_environment(&self, name: &str) -> bool {
        role_of(self.lang, bare(name)).is_some_and(|r| r.kind == RoleKind::Value && r.arg == "environ")
    }

    /// `process.env.HOME`, `sys.argv`: names that stand for something.
    fn constant(&mut self, value: Val) -> Val {
        let Val::Thing(name, labels) = &value else { return value };
        if let Some((head, key)) = name.rsplit_once('.')
            && self.is_environment(head)
        {
            return Val::Text(self.host.variable(key));
        }
        let Some(role) = role_of(self.lang, bare(name)) else {
            return value;
        };
        match (role.kind, role.arg) {
            (RoleKind::Value, "environ") => Val::Thing(name.clone(), labels.with(Labels::ENVIRON)),
            (RoleKind::Value, "home") => Val::Text(Value::text(self.host.home())),
            (RoleKind::Value, "arguments") => Val::List(self.host.arguments().into_iter().map(Val::Text).collect()),
            (RoleKind::Value, "input") => Val::Text(self.host.input()),
            _ => value,
        }
    }
}

/// Names that hold all other names.
fn is_scope(name: &str) -> bool {
    matches!(
        name.trim_end_matches("()"),
        "globals"
            | "locals"
            | "vars"
            | "window"
            | "globalThis"
            | "global"
            | "self"
            | "this"
            | "_G"
            | "__builtins__"
            | "builtins"
            | "__builtins__.__dict__"
            | "builtins.__dict__"
            | "root"
            | "GLOBALS"
            | "_ENV"
    ) && name != "_ENV"
}
