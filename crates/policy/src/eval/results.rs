//! What a call leaves behind: what flows out of it, and what its copies hold.

use alloc::rc::Rc;
use alloc::string::String;

use super::roles::Context;
use super::{Eval, Labels, Stream, UNKNOWN, Value, filters};
use crate::Target;
use crate::facts::{Parsed, RoleKind};

impl Eval<'_> {
    /// What is written by a copy is what was read: a copy of a secret is a secret, a copy of a download a download, and a
    /// copy of a program is that program under another name.
    pub(super) fn copies(&mut self, parsed: &Parsed, context: &Context, labels: Labels) {
        let (Some((target, role)), Some((source, _))) = (parsed.operands.last(), parsed.operands.first()) else {
            return;
        };
        if role.kind != RoleKind::Write || !role.tags.contains(&"copy") || parsed.operands.len() < 2 {
            return;
        }
        let inside;
        let target = if self.is_folder(target) {
            let name = source.pattern();
            inside = target.joined(name.trim_end_matches('/').rsplit('/').next().unwrap_or_default());
            &inside
        } else {
            target
        };
        let piped = matches!(source.known(), Some("/dev/stdin" | "-"));
        let content = if piped {
            Some(context.stdin.clone())
        } else {
            self.written_to(source)
        };
        match content {
            Some(content) => self.remember_written(target, content, false),
            None if labels.has(Labels::SECRET.with(Labels::NETWORK).with(Labels::DECODED)) => {
                self.remember_written(target, Stream::unknown(labels), false);
            }
            // What was copied is read where the original stands.
            None => match self.file_of(source) {
                Some(file) if !labels.has(Labels::SECRET) && parsed.operands.len() == 2 => {
                    let copy = Stream {
                        file: Some(file),
                        ..Stream::unknown(labels.with(Labels::FILE))
                    };
                    self.remember_written(target, copy, false);
                }
                _ => self.forget_written(target),
            },
        }
        let name = source.pattern();
        let name = name.rsplit('/').next().unwrap_or_default();
        if let (Target::Path(path), true) = (self.resolve(target), self.world.program(name).is_some()) {
            self.state.renamed.insert(path, name.into());
        }
    }

    pub(super) fn output(&mut self, parsed: &Parsed, context: &Context, argv: &[Value], labels: Labels) -> Stream {
        // What code prints that was walked is known.
        if let Some(printed) = self.printed.take() {
            return Stream {
                labels: printed.labels.with(labels),
                ..printed
            };
        }
        let rows = parsed.path.iter().rev().map(|p| p.stdout).find(|s| !s.is_empty());
        let row = rows.and_then(|rows| rows.iter().find(|(_, when)| parsed.all(when)));
        let emits = row.map_or("", |(emits, _)| *emits);
        match emits.split_once(' ') {
            Some(("filter", name)) => {
                let text = self.filter(name, parsed, context, argv);
                let labels = match name {
                    "find" if !parsed.tag("filter") => labels.with(Labels::FOUND).with(Labels::ALL_FOUND),
                    "find" => labels.with(Labels::FOUND),
                    "which" => labels.with(Labels::LOOKED_UP),
                    _ => labels,
                };
                let extra = if filters::decodes(name, parsed) {
                    Labels::DECODED
                } else {
                    Labels::NONE
                };
                match text {
                    Some(text) => Stream {
                        labels: labels.with(extra),
                        ..Stream::known(text)
                    },
                    // What a filter makes of it is another text than what went in.
                    None => Stream {
                        file: self.passed_on(name, parsed, context),
                        ..Stream::unknown(labels.with(extra).with(Labels::PROGRAM))
                    },
                }
            }
            _ if emits == "none" => Stream::empty(),
            _ => Stream::unknown(labels.with(Labels::PROGRAM).with(Labels::from_name(emits))),
        }
    }

    /// The one file whose text a program passes on as it is.
    fn passed_on(&self, name: &str, parsed: &Parsed, context: &Context) -> Option<Rc<str>> {
        if name != "cat" || !parsed.options.is_empty() {
            return None;
        }
        match parsed.operands.as_slice() {
            [] => context.stdin.file.clone(),
            [(one, _)] if one.known() == Some("-") => context.stdin.file.clone(),
            [(one, _)] => match self.written_to(one) {
                Some(written) => written.file,
                None => self.file_of(one),
            },
            _ => None,
        }
    }

    /// The path of a file that is named as a whole.
    pub(super) fn file_of(&self, value: &Value) -> Option<Rc<str>> {
        if value.labels.has(Labels::LOOKED_UP) {
            return looked_up(value);
        }
        if value.has_unknown() || value.has_glob() {
            return None;
        }
        match self.resolve(value) {
            Target::Path(path) => Some(path.into()),
            _ => None,
        }
    }

    /// Whether what a path holds, or what it leads to, is somebody's own text and no installed program.
    pub(super) fn holds_own_text(&self, value: &Value) -> bool {
        let copied = self.written_to(value).map(|stream| stream.file);
        match (copied, self.resolve(value)) {
            (Some(Some(file)), _) => !self.is_installed(&file),
            (Some(None), _) => false,
            (None, Target::Path(path)) => !self.is_installed(&path),
            (None, _) => false,
        }
    }

    /// A pure filter on known input is computed here.
    fn filter(&mut self, name: &str, parsed: &Parsed, context: &Context, argv: &[Value]) -> Option<String> {
        if let Some(text) = self.answer(name, parsed) {
            return Some(text + "\n");
        }
        let files = parsed.operands.iter().filter(|(_, r)| r.kind == RoleKind::Read);
        let mut input = None;
        for (file, _) in files {
            let piece = if file.known() == Some("-") {
                context.stdin.clone()
            } else {
                self.written_to(file)?
            };
            input = Some(input.map_or(piece.clone(), |i: Stream| i.then(piece)));
        }
        let input = input.unwrap_or_else(|| context.stdin.clone());
        filters::run(name, parsed, argv.get(1..).unwrap_or_default(), input.text.as_deref())
    }

    pub(super) fn written_to(&self, file: &Value) -> Option<Stream> {
        if self.state.written.tells_nothing() {
            return None;
        }
        match self.resolve(file) {
            Target::Path(path) => self.state.written.get(&path).cloned(),
            _ => None,
        }
    }
}

/// Where a program lies whose place was asked of the machine: among what is installed, under its name.
fn looked_up(value: &Value) -> Option<Rc<str>> {
    let text = value.pattern();
    let name = text.trim_end().rsplit('/').next().unwrap_or_default();
    let known = !name.is_empty() && !name.contains(UNKNOWN);
    known.then(|| alloc::format!("/usr/bin/{name}").into())
}
