//! Imports: names of modules, and of what is in them.

use alloc::string::String;

use super::cursor::{Cursor, names_in, pairs_in};
use super::lexer::Tok;
use super::value::Val;
use super::walk::{Walk, dotted};
use crate::eval::Labels;

impl Walk<'_> {
    /// `import a.b as c`, `from m import x as y`, `import {a as b} from "m"`, `import * as x from "m"`, `import "os"`
    pub(super) fn import(&mut self, cur: &mut Cursor) {
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
        self.host.load(module);
        let module = plain_module(module);
        let braces = (cur.at..cur.end)
            .find(|i| cur.get(*i) == Some(&Tok::Op("{")))
            .unwrap_or(cur.end);
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
        let above = (cur.at + 1..cur.end).take_while(|i| matches!(cur.get(*i), Some(Tok::Op("." | "..."))));
        let above = above.fold(String::new(), |dots, i| {
            dots + match cur.get(i) {
                Some(Tok::Op(op)) => *op,
                _ => "",
            }
        });
        if from {
            self.load_from(cur, &above);
        }
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

    /// `from a.b import c` loads `a.b`, and `a.b.c` where that is a module.
    fn load_from(&mut self, cur: &Cursor, above: &str) {
        let words = names_in(&cur.range(cur.at + 1, cur.end));
        let mut parts = words.splitn(2, |w| w == "import");
        let module = parts.next().map(|m| m.join(".")).unwrap_or_default();
        let module = String::from(above) + &module;
        if !module.chars().all(|c| c == '.') {
            self.host.load(&module);
        }
        for name in parts.next().unwrap_or_default() {
            let dot = if module.ends_with('.') { "" } else { "." };
            self.host.load(&alloc::format!("{module}{dot}{name}"));
        }
    }

    fn imported(&mut self, from: bool, module: &str, path: &mut String) {
        let path = core::mem::take(path);
        if !from && !path.is_empty() {
            self.host.load(&path);
        }
        if from && !path.is_empty() {
            let thing = dotted(module, &path);
            self.bind(&path, Val::Thing(thing, Labels::NONE));
        }
    }
}

/// A module as names in it are written: `node:fs/promises` is `fs.promises`.
pub(super) fn plain_module(module: &str) -> String {
    module.strip_prefix("node:").unwrap_or(module).replace('/', ".")
}
