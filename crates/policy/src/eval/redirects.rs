//! Redirections: what a command reads and where its output goes.

use alloc::vec::Vec;

use shell::{Redirect, RedirectOp, Word};

use super::{Eval, Stream, Value};
use crate::effect::Tags;
use crate::{Act, Target};

/// What flows into a command, and out of it.
pub(super) struct Flow {
    pub(super) stdin: Stream,
    pub(super) piped: bool,
    /// Files that standard output goes to, and whether it is added at their end.
    pub(super) out: Vec<(Value, bool)>,
}

impl Eval<'_> {
    pub(super) fn redirects(&mut self, redirects: &[Redirect], flow: &mut Flow) {
        for redirect in redirects {
            self.redirect(redirect, flow);
        }
    }

    fn redirect(&mut self, redirect: &Redirect, flow: &mut Flow) {
        let fd = redirect.fd;
        match redirect.op {
            RedirectOp::HereDoc | RedirectOp::HereString => {
                let text = self.here_text(&redirect.target, redirect.op == RedirectOp::HereString);
                self.feed(fd, text, flow);
            }
            RedirectOp::Read | RedirectOp::ReadWrite => {
                let value = self.word(&redirect.target).at(redirect.span);
                // The terminal is where input comes from anyway.
                if value.known() != Some("/dev/tty") {
                    let text = self.read_file(&value, "");
                    self.feed(fd, text, flow);
                }
                if redirect.op == RedirectOp::ReadWrite {
                    self.write_redirect(&value, redirect.op);
                }
            }
            RedirectOp::DupIn | RedirectOp::DupOut => self.duplicate(redirect, flow),
            RedirectOp::Write
            | RedirectOp::Clobber
            | RedirectOp::Append
            | RedirectOp::Both
            | RedirectOp::BothAppend => {
                let value = self.word(&redirect.target).at(redirect.span);
                self.write_redirect(&value, redirect.op);
                let append = matches!(redirect.op, RedirectOp::Append | RedirectOp::BothAppend);
                match fd {
                    None | Some(1) => {
                        flow.out.reserve_exact(1);
                        flow.out.push((value, append));
                    }
                    Some(fd) => {
                        self.state.outputs.insert(fd, value);
                    }
                }
            }
        }
    }

    /// `>&2` copies a descriptor; `>&file` is an old spelling of `&>file`.
    fn duplicate(&mut self, redirect: &Redirect, flow: &mut Flow) {
        let value = self.word(&redirect.target).at(redirect.span);
        let text = value.pattern();
        if text.chars().all(|c| c.is_ascii_digit() || c == '-') {
            return self.copy_descriptor(&text, redirect, flow);
        }
        if redirect.op == RedirectOp::DupOut && !value.has_unknown() {
            self.write_redirect(&value, RedirectOp::Both);
            flow.out.push((value, false));
        }
    }

    /// What a command reads from a descriptor.
    fn feed(&mut self, fd: Option<u32>, text: Stream, flow: &mut Flow) {
        match fd {
            None | Some(0) => {
                flow.stdin = text;
                flow.piped = true;
            }
            Some(fd) => {
                self.state.inputs.insert(fd, text);
            }
        }
    }

    /// `<&3`, `>&3`: a descriptor that the text opened.
    fn copy_descriptor(&mut self, from: &str, redirect: &Redirect, flow: &mut Flow) {
        let Ok(from) = from.trim_end_matches('-').parse::<u32>() else {
            return;
        };
        if redirect.op == RedirectOp::DupIn {
            if let Some(text) = self.state.inputs.get(&from).cloned() {
                self.feed(redirect.fd, text, flow);
            } else if matches!((redirect.fd, from), (None | Some(0), 1 | 2)) {
                // What was written to is the terminal: somebody types, whatever flowed in before.
                flow.stdin = Stream::empty();
                flow.piped = false;
            }
        } else if let (Some(file), None | Some(1)) = (self.state.outputs.get(&from).cloned(), redirect.fd) {
            flow.out.push((file, true));
        }
    }

    fn write_redirect(&mut self, value: &Value, op: RedirectOp) {
        let mut tags = Tags::default();
        tags.add("redirect");
        match op {
            RedirectOp::Append | RedirectOp::BothAppend => tags.add("append"),
            _ => tags.add("truncate"),
        }
        self.path_effect(Act::Write, "", value, tags, "");
    }

    fn here_text(&mut self, word: &Word, newline: bool) -> Stream {
        let value = self.double(&word.parts, word);
        let labels = value.labels;
        let mut text = value.into_known();
        if let Some(text) = text.as_mut().filter(|_| newline) {
            text.push('\n');
        }
        Stream {
            text,
            labels,
            file: None,
        }
    }

    /// Hands what was written to the files it was redirected to; the rest flows on.
    pub(super) fn deliver(&mut self, out: Stream, files: &[(Value, bool)]) -> Stream {
        let Some(((last, append), others)) = files.split_last() else {
            return out;
        };
        for (value, append) in others {
            self.remember_written(value, out.clone(), *append);
        }
        self.remember_written(last, out, *append);
        Stream::empty()
    }

    /// What is at the path now was not written by this text.
    pub(super) fn forget_written(&mut self, value: &Value) {
        if let Target::Path(path) = self.resolve(value) {
            self.state.written.remove(&path);
        }
    }

    pub(super) fn remember_written(&mut self, value: &Value, stream: Stream, append: bool) {
        let Target::Path(path) = self.resolve(value) else {
            return;
        };
        if let Some(sink) = self.state.sinks.get(&path).cloned().map(|sink| sink.0) {
            self.subshell(|eval| eval.script(&sink, stream.clone()));
        }
        let before = if append {
            self.state.written.get(&path).cloned()
        } else {
            None
        };
        let stream = match before {
            Some(before) => before.then(stream),
            None => stream,
        };
        self.state.written.insert(&path, stream);
    }
}
