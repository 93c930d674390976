//! Files that the request would run, read and judged as if their text stood in it.
//!
//! Bounded: [`MAX_FILES`] files, [`MAX_LEVELS`] files that start one another; the world bounds the size of each. What is
//! not read (binary, too long, one too many, part of the installed system) stays a program that somebody wrote.

use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use shell::Span;

use super::dialects::is_shell;
use super::{Eval, Stream, UNKNOWN, Value};
use crate::effect::Tags;
use crate::facts::RoleKind;
use crate::world::Recorder;
use crate::{Answer, Target};

/// Files that are read for one judgement.
const MAX_FILES: usize = 16;
/// Files that start one another.
const MAX_LEVELS: usize = 3;
/// Commands in files that are looked at.
pub(super) const FILE_FUEL: u32 = 20_000;
/// Bytes of a file that cost as much as one of them when they are read.
const BYTES_PER_STEP: usize = 128;

/// A file whose text is being judged.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Source {
    path: String,
    /// Offsets at which its lines start.
    lines: Vec<u32>,
}

impl Source {
    pub(super) fn new(path: &str, text: &str) -> Self {
        let starts = text.match_indices('\n').map(|(at, _)| at + 1);
        let lines = core::iter::once(0).chain(starts);
        Self {
            path: path.into(),
            lines: lines.filter_map(|at| u32::try_from(at).ok()).collect(),
        }
    }

    /// The folder that it stands in.
    pub(super) fn folder(&self) -> Option<&str> {
        self.path.rsplit_once('/').map(|(folder, _)| folder)
    }

    /// Its path.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Where a line, counted from zero, starts.
    pub(super) fn start_of(&self, line: u32) -> Option<u32> {
        self.lines.get(usize::try_from(line).ok()?).copied()
    }

    /// `path:line`
    pub(super) fn place(&self, span: Span) -> String {
        let line = self.lines.partition_point(|start| *start <= span.start);
        alloc::format!("{}:{}", self.path, line.max(1))
    }
}

impl Eval<'_> {
    /// Whether the program at this path is part of what was installed and not of anybody's project.
    pub(super) fn is_installed(&self, path: &str) -> bool {
        let mut tags = Tags::default();
        self.label(path, &mut tags);
        tags.has("installed")
    }

    /// The text of a file of somebody's own that is about to be run: its path, its text.
    pub(super) fn script_text(&mut self, value: &Value, lang: &str) -> Option<(String, String)> {
        let Target::Path(path) = self.resolve(value) else {
            return None;
        };
        if value.has_unknown() || value.has_glob() || path.contains(UNKNOWN) || self.is_installed(&path) {
            return None;
        }
        let path = self.entry(path, lang);
        let text = self.file_text(&path)?;
        Some((path, text))
    }

    /// What a file holds that the text did not write itself; what a copy holds is what was copied.
    pub(super) fn file_text(&mut self, path: &str) -> Option<String> {
        let fuel = if self.on_files { self.fuel } else { self.file_fuel };
        if fuel == 0 || self.sources.len() >= MAX_LEVELS {
            return None;
        }
        let path = match self.state.written.get(path) {
            None => path.to_string(),
            Some(copy) => copy.file.as_deref()?.to_string(),
        };
        let path = path.as_str();
        if !self.looked_into.iter().any(|p| p == path) {
            if self.looked_into.len() >= MAX_FILES {
                return None;
            }
            self.looked_into.push(path.to_string());
        }
        match self.world.read(path) {
            Answer::Known(contents) => contents.text.filter(|text| self.may_read(text.len())),
            Answer::Absent | Answer::Unknown => None,
        }
    }

    /// Text that was read from a file and is run now.
    pub(super) fn file_code(&mut self, lang: &str, value: &Value, why: &str, stdin: &Stream) -> Option<Stream> {
        let path = value.file()?.to_string();
        if self.is_installed(&path) {
            return None;
        }
        let text = self.file_text(&path)?;
        let span = value.span;
        Some(self.nested(span, why, |eval| eval.run_text(&path, &text, lang, span, stdin.clone())))
    }

    /// Runs `f` on the text of a file: effects name the file and the line.
    pub(super) fn in_file<T>(&mut self, path: &str, text: &str, span: Span, f: impl FnOnce(&mut Self) -> T) -> T {
        let source = Rc::new(Source::new(path, text));
        let why = alloc::format!("script {path}");
        self.nested(span, &why, |eval| {
            let pin = eval.file_pin.take();
            eval.sources.push(source);
            let out = eval.on_file_fuel(f);
            eval.sources.pop();
            eval.file_pin = pin;
            out
        })
    }

    /// Files have fuel of their own. Where it ends, what is left of them is as if it had not been read; the request itself
    /// is judged to its end.
    fn on_file_fuel<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        if self.on_files {
            return f(self);
        }
        self.on_files = true;
        core::mem::swap(&mut self.fuel, &mut self.file_fuel);
        let out = f(self);
        core::mem::swap(&mut self.fuel, &mut self.file_fuel);
        self.on_files = false;
        out
    }

    /// Whether a text of so many bytes may still be read.
    fn may_read(&mut self, bytes: usize) -> bool {
        let cost = u32::try_from(bytes / BYTES_PER_STEP).unwrap_or(u32::MAX);
        let fuel = if self.on_files {
            &mut self.fuel
        } else {
            &mut self.file_fuel
        };
        let left = fuel.checked_sub(cost);
        *fuel = left.unwrap_or(0);
        left.is_some()
    }

    /// A script in `lang`, or in the language that its first line names.
    pub(super) fn run_script(&mut self, path: &str, text: &str, lang: &str, span: Span, stdin: Stream) -> Stream {
        let lang = named_interpreter(text, self.world).unwrap_or(lang);
        self.run_text(path, text, lang, span, stdin)
    }

    /// The text of a file in `lang`.
    pub(super) fn run_text(&mut self, path: &str, text: &str, lang: &str, span: Span, stdin: Stream) -> Stream {
        self.in_file(path, text, span, |eval| match lang {
            lang if is_shell(lang) => eval.shell_file(lang, text, stdin),
            _ => {
                let whole = Span { start: 0, end: 0 };
                eval.language(lang, text, lang, &stdin, whole)
            }
        })
    }
}

/// The language of the interpreter in a `#!` line, by the facts about that interpreter.
pub(super) fn named_interpreter(text: &str, world: &Recorder<'_>) -> Option<&'static str> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace().map(|w| w.rsplit('/').next().unwrap_or(w));
    let mut name = words.next()?;
    if name == "env" {
        name = words.find(|w| !w.starts_with('-') && !w.contains('='))?;
    }
    let program = world
        .program(name)
        .or_else(|| world.program(name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')))?;
    let role = program
        .operands
        .first()
        .map(|slot| slot.role)
        .filter(|r| r.kind == RoleKind::RunFile)?;
    Some(match role.arg {
        "" if name.ends_with("sh") => "sh",
        "" => "other",
        lang => lang,
    })
}
