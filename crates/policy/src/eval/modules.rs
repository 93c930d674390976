//! Modules of one's own: what `import x`, `require("./x")` and `python -m x` load runs with whoever loads it.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use shell::Span;

use super::{Eval, Stream, Value};
use crate::{Answer, FileKind, places};

/// Files that start one another, among which modules are still followed: the code itself.
const MAX_LEVELS: usize = 1;

/// Where modules of a language stand.
struct Style {
    langs: &'static [&'static str],
    /// Dots in a name part folders, and every name may be one's own.
    dotted: bool,
    /// What is put behind a name.
    ends: &'static [&'static str],
    /// What of a module runs only when it is started itself begins with this.
    main: &'static str,
}

const STYLES: &[Style] = &[
    Style {
        langs: &["python"],
        dotted: true,
        ends: &[".py", "/__init__.py"],
        main: "\nif __name__ ==",
    },
    Style {
        langs: &["node"],
        dotted: false,
        ends: &["", ".js", ".mjs", ".cjs", ".ts", "/index.js", "/index.ts"],
        main: "\nif (require.main === module",
    },
    Style {
        langs: &["ruby", "perl", "php", "lua"],
        dotted: false,
        ends: &["", ".rb", ".lua", ".pm"],
        main: "\nif __FILE__ ==",
    },
];

impl Eval<'_> {
    /// Code of `lang` loads `module`: what stands in that file runs now, if it is one of the project.
    pub(super) fn load_module(&mut self, lang: &str, module: &str, span: Span) {
        let Some(style) = STYLES.iter().find(|s| s.langs.contains(&lang)) else {
            return;
        };
        if self.sources.len() > MAX_LEVELS || !(style.dotted || module.starts_with(['.', '/'])) {
            return;
        }
        let Some(path) = self.module_file(style, module) else {
            return;
        };
        if self.modules.contains(&path) || self.is_installed(&path) {
            return;
        }
        self.modules.push(path.clone());
        if let Some(text) = self.file_text(&path) {
            let text = text.split(style.main).next().unwrap_or_default();
            self.subshell(|eval| eval.run_text(&path, text, lang, span, Stream::empty()));
        }
    }

    /// `python -m a.b` runs `a/b.py` or `a/b/__main__.py`.
    pub(super) fn run_module(&mut self, module: &Value, rest: &[Value], stdin: &Stream) {
        let (Some(name), Some(cwd)) = (module.known(), self.state.cwd.clone()) else {
            return;
        };
        let name = name.replace('.', "/");
        let ends = [".py", "/__main__.py"];
        let path = ends.iter().map(|end| places::clean(&(name.clone() + end), &cwd));
        if let Some(path) = path.into_iter().find(|path| self.is_file(path)) {
            let file = Value::text(path).at(module.span);
            let saved = core::mem::replace(&mut self.state.positional, rest.into());
            self.child(|eval| eval.run_file(&file, "python", "python", stdin));
            self.state.positional = saved;
        }
    }

    /// What an interpreter starts with when it is given a folder.
    pub(super) fn entry(&self, path: String, lang: &str) -> String {
        let name = match lang {
            "python" => "__main__.py",
            "node" => "index.js",
            _ => return path,
        };
        if self.world.kind(&path) == Answer::Known(FileKind::Dir) {
            return alloc::format!("{path}/{name}");
        }
        path
    }

    fn module_file(&self, style: &Style, module: &str) -> Option<String> {
        let above = module.chars().take_while(|c| *c == '.').count();
        let name = match module.get(above..) {
            Some(rest) if style.dotted => "../".repeat(above.saturating_sub(1)) + &rest.replace('.', "/"),
            _ => module.to_string(),
        };
        let folder = self.sources.last().and_then(|s| s.folder());
        let cwd = self.state.cwd.as_deref();
        let mut folders: Vec<&str> = folder.into_iter().chain(cwd).collect();
        folders.dedup();
        let ends = |folder: &&str| {
            let base = places::clean(&name, folder);
            style.ends.iter().map(move |end| alloc::format!("{base}{end}"))
        };
        folders.iter().flat_map(ends).find(|path| self.is_file(path))
    }

    fn is_file(&self, path: &str) -> bool {
        self.state.written.contains_key(path) || self.world.kind(path) == Answer::Known(FileKind::File)
    }
}
