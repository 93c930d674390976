//! Literal code in other languages: what the calls that it makes do.
//!
//! One lexer and one walker serve all. They do not understand a language: they follow names that are given a value,
//! texts that are put together, imports under other names, loops over files, functions that are handed on, and look for
//! calls that `rules/calls.toml` names. What a call does goes to the [`Host`], which has the same effects for it as for
//! a command.

mod blocks;
mod branches;
mod calls;
mod computed;
mod cursor;
mod either;
mod expr;
mod functions;
mod growing;
mod imports;
pub(crate) mod justfile;
mod lexer;
mod lines;
mod lists;
mod loops;
mod makecalls;
pub(crate) mod makefile;
mod names;
mod operators;
mod parts;
mod pure;
mod syntax;
pub(crate) mod tasks;
mod value;
mod walk;
mod words;

#[cfg(test)]
mod tests;

use alloc::string::String;
use alloc::vec::Vec;

use crate::Act;
use crate::eval::Value;
use crate::facts::{self, Role};

pub(crate) use lines::Call;

/// Longest code that is looked at.
const MAX: usize = 256 << 10;

/// What carries out the calls that code makes.
pub(crate) trait Host {
    /// The home directory.
    fn home(&self) -> String;
    /// A variable of the environment.
    fn variable(&mut self, name: &str) -> Value;
    /// A variable of the environment gets a value.
    fn export(&mut self, name: &str, value: &Value);
    /// The words that the code was started with.
    fn arguments(&mut self) -> Vec<Value>;
    /// What the code can read from its standard input.
    fn input(&mut self) -> Value;
    /// Whether one more call may be looked at.
    fn spend(&mut self) -> bool;
    /// So many steps were taken in the code.
    fn walked(&mut self, _steps: u32) {}
    /// What follows stands in this line of the code, counted from zero.
    fn line(&mut self, _line: u32) {}
    /// Names that have a value before the code begins.
    fn bindings(&mut self) -> Vec<(String, Value)> {
        Vec::new()
    }
    /// A module is loaded.
    fn load(&mut self, _module: &str) {}
    /// The working directory changes; gives the one before.
    fn enter(&mut self, dir: &Value) -> Option<String>;
    /// Back to the working directory before.
    fn leave(&mut self, place: Option<String>);
    /// Text for a shell; gives what it writes.
    fn shell(&mut self, call: &str, text: &Value, input: Option<&Value>) -> Value;
    /// A program with its words; gives what it writes.
    fn start(&mut self, call: &str, words: &[Value], input: Option<&Value>) -> Value;
    /// A role that falls on a value; gives what is read by it.
    fn role(&mut self, call: &str, role: Role, value: &Value) -> Value;
    /// A file gets a content.
    fn write(&mut self, call: &str, role: Role, path: &Value, content: &Value);
    /// An effect of the call as such.
    fn act(&mut self, act: Act, what: &'static str, call: &str);
}

/// The calls in `code` when `lang` works by lines, like sed or SQL.
pub(crate) fn lines(lang: &str, code: &str) -> Option<Vec<Call>> {
    lines::scan(lang, cut(code))
}

/// Walks `code`; gives what it prints, where that is known.
pub(crate) fn run(lang: &str, code: &str, host: &mut dyn Host) -> Option<Value> {
    let code = cut(code);
    let syntax = syntax::of(lang);
    let mut walk = walk::Walk::new(lang, syntax, host);
    for (name, value) in walk.host.bindings() {
        walk.bind(&name, value::Val::Text(value));
    }
    if lang == "tcl" {
        walk.tcl(code);
    } else {
        walk.walk(&mut cursor::Cursor::whole(syntax, code));
    }
    walk.host.walked(walk::FUEL.saturating_sub(walk.fuel));
    let has = |m: &str| walk.marks.contains(&m);
    let reverse = has("socket") && (has("shell") || has("duplicate"));
    let memory = has("memory") && has("descriptor");
    if reverse {
        walk.host.act(Act::Do, "reverse.shell", "a socket with a shell");
    }
    if memory {
        walk.host.act(Act::RunUnknown, "", "a program in memory");
    }
    walk.printed.map(printed)
}

/// What is printed, whichever of its alternatives it is: the one after the other.
fn printed(all: value::Val) -> Value {
    match all.alternatives() {
        [one] => one.to_value(),
        several => several.iter().fold(Value::default(), |mut out, one| {
            out.append(&one.to_value());
            out.push_text("\n");
            out
        }),
    }
}

fn cut(code: &str) -> &str {
    let mut end = code.len().min(MAX);
    while !code.is_char_boundary(end) {
        end -= 1;
    }
    code.get(..end).unwrap_or_default()
}

/// A shell that is started to be typed into.
fn is_shell(words: &[Value]) -> bool {
    let Some(program) = words.first().map(Value::pattern) else {
        return false;
    };
    let name = program.rsplit('/').next().unwrap_or_default();
    let shell = matches!(
        name,
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "cmd" | "cmd.exe" | "powershell" | "powershell.exe" | "pwsh"
    );
    let plain = |w: &Value| {
        let redirects = w.pattern().contains(['<', '>']);
        redirects
            || matches!(
                w.known(),
                Some("-i" | "-l" | "-s" | "-p" | "-" | "--login" | "2>&1" | "0<&1" | "1>&0")
            )
    };
    let busybox = name == "busybox" && words.get(1).is_some_and(|w| w.known() == Some("sh"));
    busybox || shell && words.iter().skip(1).all(plain)
}

/// The role of a name: the longest key of the language's table, then of the table for all, that it ends in.
fn role_of(lang: &str, name: &str) -> Option<Role> {
    let name = match name.trim_start_matches(['$', '@', '%', '&', '\\']) {
        "" => name,
        bare => bare,
    };
    facts::call(lang, name)
}
