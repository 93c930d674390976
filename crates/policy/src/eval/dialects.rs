//! Texts for shells whose grammar is not that of bash.
//!
//! A text for fish or csh is put into the words of bash first (`shell::in_bash`). What zsh, fish and csh make of a text that
//! cannot be read is not known, so there it asks; bash would refuse such a text. `sh` may be a shell that knows less than bash:
//! where that makes a difference, both readings are judged.

use shell::{Dialect, Span, in_bash};

use super::{Eval, Stream, long};

/// Languages that are shells.
const SHELLS: &[&str] = &["sh", "zsh", "fish", "csh"];
/// Programs that read `sh` as bash does.
const LIKE_BASH: &[&str] = &[
    "bash",
    "rbash",
    "ksh",
    "mksh",
    "eval",
    "trap",
    "source",
    "mapfile",
    "readarray",
];

/// Builtins that run text in the shell that they stand in.
const IN_SHELL: &[&str] = &["eval", "source", "trap"];

/// Whether a language of the facts is a shell's.
pub(super) fn is_shell(lang: &str) -> bool {
    SHELLS.contains(&lang)
}

impl Eval<'_> {
    /// Text that `program` hands to a shell.
    pub(super) fn shell_text(&mut self, lang: &str, program: &str, text: &str, span: Span, stdin: Stream) -> Stream {
        let why = alloc::format!("{program} runs text");
        // `eval` and `source` are of the shell that they stand in.
        let lang = match self.foreign {
            inside if lang == "sh" && !inside.is_empty() && IN_SHELL.contains(&program) => inside,
            _ => lang,
        };
        if lang != "sh" {
            return self.nested(span, &why, |eval| eval.foreign_text(lang, text, stdin));
        }
        let other = match LIKE_BASH.contains(&program) {
            true => None,
            false => other_reading(text),
        };
        let outer = core::mem::take(&mut self.foreign);
        if let Some(other) = other {
            self.perhaps(None, |eval| {
                eval.subshell(|eval| eval.inner_text(&other, span, &why, stdin.clone()))
            });
        }
        let out = self.inner_text(text, span, &why, stdin);
        self.foreign = outer;
        out
    }

    /// The text of a file for a shell.
    pub(super) fn shell_file(&mut self, lang: &str, text: &str, stdin: Stream) -> Stream {
        if lang != "sh" {
            return self.foreign_text(lang, text, stdin);
        }
        let outer = core::mem::take(&mut self.foreign);
        let bash = text.lines().next().is_some_and(|line| line.contains("bash"));
        if let Some(other) = other_reading(text).filter(|_| !bash) {
            self.perhaps(None, |eval| eval.subshell(|eval| eval.text(&other, stdin.clone())));
        }
        let out = self.text(text, stdin);
        self.foreign = outer;
        out
    }

    fn foreign_text(&mut self, lang: &str, text: &str, stdin: Stream) -> Stream {
        self.reparsed += text.len();
        if self.nest >= super::MAX_NEST || self.reparsed > super::MAX_REPARSE {
            self.give_up("too many texts in one another", Span::default());
            return Stream::unknown(super::Labels::RUNTIME);
        }
        let known = SHELLS.iter().find(|known| **known == lang).copied().unwrap_or_default();
        let outer = core::mem::replace(&mut self.foreign, known);
        let out = match lang {
            "fish" => self.translated(Dialect::Fish, text, stdin),
            "csh" => self.translated(Dialect::Csh, text, stdin),
            _ => self.text(text, stdin),
        };
        self.foreign = outer;
        out
    }

    fn translated(&mut self, dialect: Dialect, text: &str, stdin: Stream) -> Stream {
        match in_bash(dialect, text) {
            Some(text) => self.text(&text, stdin),
            None => {
                if self.sources.is_empty() {
                    self.faults(long::Faulty::all());
                }
                self.tokens(text);
                Stream::unknown(super::Labels::PROGRAM)
            }
        }
    }
}

/// What a shell without the additions of bash reads, where that is something else and makes sense.
fn other_reading(text: &str) -> Option<alloc::string::String> {
    if text.len() > super::MAX_TOKENS || !(text.contains("&>") || text.contains("$'")) {
        return None;
    }
    in_bash(Dialect::Posix, text).filter(|other| other != text && !shell::parse(other).has_faults())
}
