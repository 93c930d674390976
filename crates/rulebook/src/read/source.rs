//! A file that is read, and the places in it.

use alloc::string::{String, ToString as _};
use core::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;

use crate::Fault;

/// What is wrong with a piece of text, before it is known where that stands.
#[derive(Debug)]
pub(super) struct Wrong {
    /// The piece, as it stands in the file, so that its line can be found.
    part: String,
    sentence: String,
    hint: String,
}

impl Wrong {
    pub(super) fn new(part: &str, sentence: impl Into<String>) -> Self {
        Self {
            part: part.to_string(),
            sentence: sentence.into(),
            hint: String::new(),
        }
    }

    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: hint.into(),
            ..self
        }
    }

    /// The same about a longer piece, which is found more surely.
    pub(super) fn at(self, part: &str) -> Self {
        Self {
            part: part.to_string(),
            ..self
        }
    }
}

/// A file's name and text.
#[derive(Clone, Copy)]
pub(super) struct Source<'s> {
    pub(super) file: &'s str,
    pub(super) text: &'s str,
}

impl Source<'_> {
    /// The whole file as TOML.
    pub(super) fn toml<T: DeserializeOwned>(self) -> Result<T, Fault> {
        toml::from_str(self.text).map_err(|e| {
            let wrong = Wrong::new("", e.message().replace('\n', " "));
            let wrong = wrong.hint("The notation of rule files is in ARCHITECTURE.md.");
            self.fault(e.span(), "", wrong)
        })
    }

    pub(super) fn fault(self, span: Option<Range<usize>>, stanza: &str, wrong: Wrong) -> Fault {
        Fault {
            file: self.file.to_string(),
            line: span.map(|span| self.line(&span, &wrong.part)),
            stanza: stanza.to_string(),
            sentence: wrong.sentence,
            hint: wrong.hint,
        }
    }

    /// The line of `part` within a span, or that of its start.
    pub(super) fn line(self, span: &Range<usize>, part: &str) -> usize {
        let within = self.text.get(span.clone()).unwrap_or_default();
        let at = span.start + within.find(part).unwrap_or_default();
        self.text.get(..at).unwrap_or_default().matches('\n').count() + 1
    }
}

/// A stanza of a file.
pub(super) struct Stanza<'s> {
    pub(super) source: Source<'s>,
    /// The program's name or the rule's id.
    pub(super) name: String,
}

impl Stanza<'_> {
    /// Reads one text of the stanza.
    pub(super) fn read<T>(
        &self,
        text: &Spanned<String>,
        notation: impl FnOnce(&str) -> Result<T, Wrong>,
    ) -> Result<T, Fault> {
        notation(text.get_ref()).map_err(|wrong| self.fault(text.span(), wrong))
    }

    /// Reads texts of the stanza, a row each.
    pub(super) fn rows<T>(
        &self,
        texts: &[Spanned<String>],
        notation: impl Fn(&str) -> Result<T, Wrong>,
    ) -> Result<alloc::vec::Vec<T>, Fault> {
        texts.iter().map(|text| self.read(text, &notation)).collect()
    }

    pub(super) fn fault(&self, span: Range<usize>, wrong: Wrong) -> Fault {
        self.source.fault(Some(span), &self.name, wrong)
    }
}
