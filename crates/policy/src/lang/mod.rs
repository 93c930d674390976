//! Literal code in other languages: which calls that matter it makes, with which literals.
//!
//! One tokenizer serves all: names, strings, punctuation. It does not understand a language; it finds calls that
//! `rules/calls.toml` names, and the text literals in their arguments.

mod lexer;
mod lines;
pub(crate) mod tasks;

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use lexer::{Tok, tokens};

use crate::Act;
use crate::facts::{CALLS, Role, RoleKind};
use crate::glob;

/// A call that was found.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    /// Roles with the literal that they fall on; `None` when it is not a literal.
    pub(crate) uses: Vec<(Role, Option<String>)>,
    /// Effects of the call as such.
    pub(crate) acts: Vec<(Act, &'static str, &'static [&'static str])>,
}

/// Longest code that is looked at.
const MAX: usize = 256 << 10;

/// The calls in `code` that the tables name.
pub(crate) fn scan(lang: &str, code: &str) -> Vec<Call> {
    let code = code.get(..code.len().min(MAX)).unwrap_or(code);
    if let Some(calls) = lines::scan(lang, code) {
        return calls;
    }
    let toks = tokens(lang, code);
    let mut scan = Scan {
        lang,
        toks: &toks,
        known: BTreeMap::new(),
        marks: Vec::new(),
        calls: Vec::new(),
    };
    scan.run();
    scan.calls
}

struct Scan<'t> {
    lang: &'t str,
    toks: &'t [Tok],
    /// Names that hold a literal.
    known: BTreeMap<String, String>,
    /// Labels of names that matter together: `socket`, `shell`, `duplicate`.
    marks: Vec<&'static str>,
    calls: Vec<Call>,
}

impl Scan<'_> {
    fn run(&mut self) {
        for at in 0..self.toks.len() {
            match self.toks.get(at) {
                Some(Tok::Name(name)) => self.name(at, name),
                Some(Tok::Shell(text)) => self.shell(text),
                Some(Tok::Text(text)) => {
                    if is_shell(text) {
                        self.mark("shell");
                    }
                    if text == "socket" {
                        self.mark("socket");
                    }
                    if self.lang == "awk" {
                        self.awk(at, text);
                    }
                }
                _ => {}
            }
        }
        let has = |m: &str| self.marks.contains(&m);
        if has("socket") && (has("shell") || has("duplicate")) {
            self.calls.push(Call {
                name: "a socket with a shell".into(),
                uses: Vec::new(),
                acts: alloc::vec![(Act::Do, "reverse.shell", &[])],
            });
        }
    }

    fn mark(&mut self, label: &'static str) {
        if !self.marks.contains(&label) {
            self.marks.push(label);
        }
    }

    fn shell(&mut self, text: &str) {
        const SCRIPT: Role = Role {
            kind: RoleKind::Script,
            arg: "",
            tags: &[],
        };
        self.calls.push(Call {
            name: "a shell command".into(),
            uses: alloc::vec![(SCRIPT, Some(text.into()))],
            acts: Vec::new(),
        });
    }

    /// `print | "cmd"`, `"cmd" | getline`, `print > "file"`
    fn awk(&mut self, at: usize, text: &str) {
        let before = at.checked_sub(1).and_then(|i| self.toks.get(i));
        let after = self.toks.get(at + 1);
        let piped = before == Some(&Tok::Punct('|'))
            || (after == Some(&Tok::Punct('|'))
                && matches!(self.toks.get(at + 2), Some(Tok::Name(n)) if n == "getline"));
        if piped {
            self.shell(text);
        }
        if before == Some(&Tok::Punct('>')) {
            const WRITE: Role = Role {
                kind: RoleKind::Write,
                arg: "",
                tags: &[],
            };
            self.calls.push(Call {
                name: "print".into(),
                uses: alloc::vec![(WRITE, Some(text.into()))],
                acts: Vec::new(),
            });
        }
        if text.starts_with("/inet/") {
            self.mark("socket");
            self.mark("duplicate");
        }
    }

    fn name(&mut self, at: usize, name: &str) {
        self.assignment(at, name);
        let Some(role) = role_of(self.lang, name) else { return };
        if role.kind == RoleKind::Tag {
            role.tags.iter().for_each(|t| self.mark(t));
            return;
        }
        if role.arg == "receiver" {
            return self.method(at, name, role);
        }
        let literals = self.arguments(at + 1);
        let decoded = literals.decodes;
        let call = self.call(name, role, &literals.texts, literals.list);
        self.calls.push(call);
        if decoded && matches!(role.kind, RoleKind::Code | RoleKind::Script) {
            self.calls.push(Call {
                name: name.into(),
                uses: Vec::new(),
                acts: alloc::vec![(Act::RunUnknown, "", &["decoded", "other-code"])],
            });
        }
    }

    /// `Path("x").write_text(..)`: the literal that the method is called on.
    fn method(&mut self, at: usize, name: &str, role: Role) {
        let before = self.toks.get(at.saturating_sub(12)..at).unwrap_or_default();
        let text = before.iter().rev().find_map(|tok| match tok {
            Tok::Text(text) => Some(text.clone()),
            Tok::Name(name) => self.known.get(name.split('.').next().unwrap_or_default()).cloned(),
            _ => None,
        });
        let own = name
            .split_once('.')
            .and_then(|(variable, _)| self.known.get(variable).cloned());
        if let Some(path) = own.or(text) {
            let role = Role { arg: "", ..role };
            self.calls.push(Call {
                name: name.into(),
                uses: alloc::vec![(role, Some(path))],
                acts: Vec::new(),
            });
        }
    }

    fn call(&mut self, name: &str, role: Role, texts: &[String], list: bool) -> Call {
        let first = texts.first().cloned();
        let second = texts.get(1).map_or("", String::as_str);
        let mut role = role;
        let arg = match role.kind {
            RoleKind::Script if list || (texts.len() > 1 && first.as_ref().is_some_and(|f| !f.contains(' '))) => {
                let mut words = texts.to_vec();
                // `execl("/bin/rm", "rm", "-rf")` names the program twice.
                if words.get(1).is_some_and(|w| {
                    words
                        .first()
                        .is_some_and(|f| f == w || f.ends_with(&alloc::format!("/{w}")))
                }) {
                    words.remove(1);
                }
                (!words.is_empty()).then(|| words.join(" "))
            }
            RoleKind::Read if role.arg == "mode" && opens_for_writing(second, first.as_deref()) => {
                role.kind = RoleKind::Write;
                first.map(|f| f.trim_start_matches(['>', '+']).trim().to_string())
            }
            RoleKind::Read
                if role.arg == "mode"
                    && first
                        .as_ref()
                        .is_some_and(|f| f.trim_end().ends_with('|') || f.starts_with('|')) =>
            {
                role.kind = RoleKind::Script;
                first.map(|f| f.trim_matches(['|', ' ']).to_string())
            }
            _ => first,
        };
        // A command that is computed next to a socket is one that the other side sends.
        if role.kind == RoleKind::Script && arg.as_deref().is_none_or(|a| a.split_whitespace().any(is_shell)) {
            self.mark("shell");
        }
        // A path that is not a literal names nothing that could be judged.
        let uses = match (&arg, role.kind) {
            (None, RoleKind::Read | RoleKind::Write | RoleKind::Delete | RoleKind::Url | RoleKind::Host) => Vec::new(),
            _ => alloc::vec![(role, arg)],
        };
        Call {
            name: name.into(),
            uses,
            acts: Vec::new(),
        }
    }

    /// `name = "literal"`
    fn assignment(&mut self, at: usize, name: &str) {
        let value = match self.toks.get(at + 2) {
            Some(Tok::Name(maker)) if maker.ends_with("Path") => self.toks.get(at + 4),
            other => other,
        };
        if self.toks.get(at + 1) == Some(&Tok::Punct('='))
            && let Some(Tok::Text(text)) = value
        {
            self.known.insert(name.trim_start_matches('$').into(), text.clone());
        }
    }

    /// The text literals of a call's arguments: up to the closing bracket, or to the end of the statement.
    fn arguments(&self, from: usize) -> Arguments {
        let mut out = Arguments::default();
        let mut depth = 0usize;
        let bracketed = self.toks.get(from) == Some(&Tok::Punct('('));
        let first = self.toks.get(if bracketed { from + 1 } else { from });
        out.list = first == Some(&Tok::Punct('['));
        let mut joining = false;
        for tok in self.toks.iter().skip(from).take(256) {
            match tok {
                Tok::Punct('(' | '[' | '{') => depth += 1,
                Tok::Punct(')' | ']' | '}') if depth <= 1 => return out,
                Tok::Punct(')' | ']' | '}') => depth -= 1,
                Tok::Punct(';') | Tok::Newline if depth == 0 => return out,
                Tok::Punct('+' | '.') => {
                    joining = true;
                    continue;
                }
                Tok::Text(text) => out.push(text, joining),
                Tok::Name(name) => self.argument_name(name, joining, &mut out),
                _ => {}
            }
            joining = false;
        }
        out
    }

    fn argument_name(&self, name: &str, joining: bool, out: &mut Arguments) {
        let last = name.rsplit(['.', ':', '>']).next().unwrap_or(name);
        if matches!(
            last,
            "b64decode"
                | "fromhex"
                | "decompress"
                | "atob"
                | "unpack"
                | "pack"
                | "chr"
                | "fromCharCode"
                | "base64_decode"
                | "decode64"
                | "unhexlify"
                | "gzinflate"
                | "str_rot13"
                | "decode"
        ) {
            out.decodes = true;
        }
        if let Some(text) = self.known.get(name.trim_start_matches('$')) {
            out.push(text, joining);
        } else if matches!(
            name,
            "HOME"
                | "ENV.HOME"
                | "process.env.HOME"
                | "os.homedir"
                | "Dir.home"
                | "Path.home"
                | "pathlib.Path.home"
                | "homedir"
        ) {
            out.push("~", joining);
        }
    }
}

#[derive(Default)]
struct Arguments {
    texts: Vec<String>,
    list: bool,
    decodes: bool,
}

impl Arguments {
    fn push(&mut self, text: &str, joining: bool) {
        match self.texts.last_mut() {
            Some(last) if joining => last.push_str(text),
            // `$ENV{'HOME'}`, `os.environ['HOME']`, `getenv("HOME")`
            _ if text == "HOME" => self.texts.push("~".into()),
            _ => self.texts.push(text.into()),
        }
    }
}

fn opens_for_writing(mode: &str, path: Option<&str>) -> bool {
    let words = mode.len() <= 3 && mode.contains(['w', 'a', 'x', '+', '>']);
    words || path.is_some_and(|p| p.starts_with('>'))
}

fn is_shell(text: &str) -> bool {
    let program = text
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .rsplit('/')
        .next()
        .unwrap_or_default();
    matches!(
        program,
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "cmd" | "cmd.exe" | "powershell" | "powershell.exe"
    )
}

/// The role of a name: the longest key of the language's table, then of the table for all, that it ends in.
fn role_of(lang: &str, name: &str) -> Option<Role> {
    let name = name.trim_start_matches('$');
    let table = |wanted: &str| {
        CALLS
            .iter()
            .find(|(l, _)| *l == wanted)
            .map_or(&[][..], |(_, rows)| *rows)
    };
    let hit = |key: &str| {
        name == key
            || name.ends_with(key)
                && name
                    .get(..name.len() - key.len())
                    .is_some_and(|h| h.ends_with(['.', ':', '>']))
            || key.contains('*') && glob::matches(key, name)
    };
    table(lang)
        .iter()
        .chain(table("any"))
        .find(|(key, _)| hit(key))
        .map(|(_, role)| *role)
}

#[cfg(test)]
mod tests {
    use super::scan;
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    fn literals(lang: &str, code: &str) -> Vec<String> {
        scan(lang, code)
            .iter()
            .flat_map(|c| c.uses.iter())
            .filter_map(|(_, t)| t.as_ref())
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn finds_calls_with_their_literals() {
        for (lang, code, expected) in [
            ("python", "import os; os.system('rm -rf /')", "rm -rf /"),
            (
                "python",
                "import subprocess as s\ns.run(['rm', '-rf', '/x'])",
                "rm -rf /x",
            ),
            ("python", "c = 'rm -r a'\nos.system(c)", "rm -r a"),
            ("node", "require('child_process').execSync(\"rm -rf ~\")", "rm -rf ~"),
            ("perl", "system \"rm -rf /\";", "rm -rf /"),
            ("ruby", "`rm -rf ~`", "rm -rf ~"),
            ("ruby", "exec %q(rm -rf ~)", "rm -rf ~"),
            ("awk", "BEGIN { system(\"ls\") }", "ls"),
            ("awk", "BEGIN { print \"x\" | \"sh\" }", "sh"),
        ] {
            assert!(
                literals(lang, code).iter().any(|l| l == expected),
                "{lang}: {code}: {:?}",
                literals(lang, code)
            );
        }
    }
}
