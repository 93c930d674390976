//! Very long texts. Their trees would be many times as large as they are, so what goes beyond what people write by hand
//! is read, and stays text. Whoever walks the tree reads it again, piece by piece.
//!
//! Here-documents are kept as trees: their bodies stand elsewhere in the text.

use super::Parser;
use super::cursor::is_meta;
use super::keywords::{Keyword, Stops};
use super::pieces::Pieces;
use super::quotes::Quoting;
use super::words::Place;
use crate::walk::fill_documents;
use crate::{Chain, Command, FaultKind, Form, Item, Joint, MAX_LEN, Part, Pipeline, Raw, RawKind, Script, Span, Word};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// Words of one command, or of one array, that are kept.
const WORDS: usize = 1024;
/// Parts of a text in double quotes that are kept.
pub(super) const PARTS: usize = 8192;
/// Assignments before a command; after so many the rest is read as another command.
pub(super) const ASSIGNS: usize = 1024;
/// Commands of one pipeline that are kept.
const STAGES: usize = 256;
/// Pipelines of one chain that are kept.
const LINKS: usize = 256;
/// Commands of one list that are kept.
const ITEMS: usize = 2048;

/// Where something begins, and which here-documents there were before it.
pub(super) struct Here {
    start: usize,
    bodies: usize,
    waits: bool,
}

impl Parser<'_> {
    pub(super) fn place(&self) -> Here {
        Here {
            start: self.joined(self.pos),
            bodies: self.bodies.len(),
            waits: !self.pending.is_empty(),
        }
    }

    /// Whether all that was read since `here` stands there.
    fn is_whole(&self, here: &Here) -> bool {
        !here.waits && self.pending.is_empty() && self.bodies.len() == here.bodies
    }

    /// Text from `start` to here, whose place in this text is kept until [`Parser::close`].
    fn opened(&self, start: usize, kind: RawKind) -> Raw {
        let offset = |at| u32::try_from(at).unwrap_or(u32::MAX);
        Raw {
            text: Box::default(),
            span: Span {
                start: offset(start),
                end: offset(self.pos),
            },
            kind,
        }
    }

    fn extend(&self, raw: &mut Raw) {
        raw.span.end = u32::try_from(self.pos).unwrap_or(u32::MAX);
    }

    /// Puts the text in its place.
    fn close_raw(&self, raw: &mut Raw) -> Span {
        if raw.text.is_empty() {
            let offset = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
            let (start, end) = (offset(raw.span.start), offset(raw.span.end));
            raw.text = self.raw(start, end).into();
            raw.span = self.span(start, end);
        }
        raw.span
    }

    /// Something that is left as text cannot keep its faults.
    fn keep_fault(&mut self, faulty: bool, here: &Here) {
        if faulty {
            self.fault(FaultKind::Unexpected, here.start, self.pos);
        }
    }

    /// Reads one more word.
    pub(super) fn add_word(&mut self, words: &mut Vec<Word>, place: Place) {
        if words.len() < WORDS {
            words.push(self.word(place));
            return;
        }
        let here = self.place();
        if here.waits || !self.skip_plain_word() {
            let word = self.word(place);
            let array = word.parts.iter().any(|part| matches!(part, Part::Array(_)));
            if array || !self.is_whole(&here) {
                words.push(word);
                return;
            }
            self.keep_fault(word.has_faults(), &here);
        }
        let kind = match place {
            Place::Element => RawKind::Elements,
            _ => RawKind::Words,
        };
        if let Some(raw) = words.last_mut().and_then(opened_words)
            && (kind == RawKind::Elements || self.only_blanks(raw.span.end, here.start))
        {
            self.extend(raw);
            return;
        }
        words.push(Word {
            parts: vec![Part::Words(Box::new(self.opened(here.start, kind)))],
            span: Span::default(),
        });
    }

    fn only_blanks(&self, from: u32, to: usize) -> bool {
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        self.raw(from, to)
            .bytes()
            .all(|b| matches!(b, b' ' | b'\t' | b'\\' | b'\n'))
    }

    /// Moves over a word without anything special in it, and says whether one stood here.
    fn skip_plain_word(&mut self) -> bool {
        let start = self.pos;
        self.run(is_plain);
        let ends = self.at(self.pos).is_none_or(is_meta);
        if self.pos == start || !ends {
            self.pos = start;
            return false;
        }
        true
    }

    /// There are no more words.
    pub(super) fn close_words(&mut self, words: &mut [Word]) {
        for word in words.iter_mut().skip(WORDS) {
            if let Some(raw) = opened_words(word) {
                word.span = self.close_raw(raw);
            }
        }
    }

    /// The rest of a text in quotes that has very many parts.
    pub(super) fn many_quoted(&mut self, parts: &mut Vec<Part>, end: Option<u8>, quoting: Quoting) {
        let kind = match quoting {
            Quoting::Document => RawKind::Document,
            Quoting::Bare | Quoting::Double => RawKind::Double,
        };
        loop {
            let here = self.place();
            let mut pieces = Pieces::default();
            if !self.quoted_piece(&mut pieces, end, quoting) {
                break;
            }
            let read = pieces.finish();
            if !self.is_whole(&here) {
                close_quoted(self, parts);
                parts.extend(read);
                continue;
            }
            let word = Word {
                parts: read,
                span: Span::default(),
            };
            self.keep_fault(word.has_faults(), &here);
            if let Some(Part::Words(raw)) = parts.last_mut().filter(|part| is_open(part)) {
                self.extend(raw);
            } else {
                parts.push(Part::Words(Box::new(self.opened(here.start, kind))));
            }
        }
        close_quoted(self, parts);
    }

    /// Adds a command to a list.
    pub(super) fn add_item(&mut self, items: &mut Vec<Item>, item: Item, here: &Here) {
        if items.len() < ITEMS || !self.is_whole(here) {
            self.close_last_item(items);
            // Most lists are one command.
            if items.is_empty() {
                items.reserve_exact(1);
            }
            items.push(item);
            return;
        }
        self.keep_fault(item.has_faults(), here);
        if let Some(raw) = items
            .last_mut()
            .and_then(|i| opened_stage(&mut i.chain.first, RawKind::Commands))
        {
            self.extend(raw);
            return;
        }
        let chain = Chain {
            first: alone(self.opened(here.start, RawKind::Commands)),
            rest: Vec::new(),
        };
        items.push(Item {
            chain,
            background: false,
        });
    }

    /// There are no more commands, or the next one is kept.
    pub(super) fn close_last_item(&mut self, items: &mut [Item]) {
        if let Some(item) = items.last_mut() {
            self.close_pipeline(&mut item.chain.first, RawKind::Commands);
        }
    }

    /// Adds a pipeline to a chain.
    pub(super) fn add_link(&mut self, chain: &mut Chain, joint: Joint, pipeline: Pipeline, here: &Here) {
        if chain.rest.len() < LINKS || !self.is_whole(here) {
            self.close_chain(chain);
            chain.rest.push((joint, pipeline));
            return;
        }
        let faulty = pipeline.stages.iter().any(Command::has_faults);
        self.keep_fault(faulty, here);
        if let Some(raw) = chain.rest.last_mut().and_then(|(_, p)| opened_stage(p, RawKind::Links)) {
            self.extend(raw);
            return;
        }
        chain.rest.push((joint, alone(self.opened(here.start, RawKind::Links))));
    }

    pub(super) fn close_chain(&mut self, chain: &mut Chain) {
        if let Some((_, pipeline)) = chain.rest.last_mut() {
            self.close_pipeline(pipeline, RawKind::Links);
        }
    }

    /// Adds a command to a pipeline.
    pub(super) fn add_stage(&mut self, stages: &mut Vec<Command>, stage: Command, here: &Here) {
        if stages.len() < STAGES || !self.is_whole(here) {
            self.close_last_stage(stages);
            stages.push(stage);
            return;
        }
        self.keep_fault(stage.has_faults(), here);
        if let Some(raw) = stages.last_mut().and_then(|s| opened_command(s, RawKind::Stages)) {
            self.extend(raw);
            return;
        }
        stages.push(more(self.opened(here.start, RawKind::Stages)));
    }

    pub(super) fn close_last_stage(&mut self, stages: &mut [Command]) {
        if let Some(stage) = stages.last_mut() {
            self.close_command(stage, RawKind::Stages);
        }
    }

    fn close_pipeline(&mut self, pipeline: &mut Pipeline, kind: RawKind) {
        if let [stage] = pipeline.stages.as_mut_slice() {
            self.close_command(stage, kind);
        }
    }

    fn close_command(&mut self, command: &mut Command, kind: RawKind) {
        if let Some(raw) = opened_command(command, kind) {
            command.span = self.close_raw(raw);
        }
    }
}

fn is_open(part: &Part) -> bool {
    matches!(part, Part::Words(raw) if raw.text.is_empty())
}

fn close_quoted(parser: &Parser<'_>, parts: &mut [Part]) {
    if let Some(Part::Words(raw)) = parts.last_mut().filter(|part| is_open(part)) {
        parser.close_raw(raw);
    }
}

/// Whether a byte stands for itself wherever it stands in an argument.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b',' | b':' | b'%')
}

fn more(raw: Raw) -> Command {
    Command {
        form: Form::More(raw),
        redirects: Vec::new(),
        span: Span::default(),
    }
}

fn alone(raw: Raw) -> Pipeline {
    Pipeline {
        negated: false,
        timed: false,
        stages: vec![more(raw)],
    }
}

fn opened_words(word: &mut Word) -> Option<&mut Raw> {
    match word.parts.as_mut_slice() {
        [Part::Words(raw)] if raw.text.is_empty() => Some(raw),
        _ => None,
    }
}

fn opened_stage(pipeline: &mut Pipeline, kind: RawKind) -> Option<&mut Raw> {
    match pipeline.stages.as_mut_slice() {
        [stage] => opened_command(stage, kind),
        _ => None,
    }
}

/// Only a text of the same kind goes on: the first stage of a long pipeline is no part of a long list.
fn opened_command(command: &mut Command, kind: RawKind) -> Option<&mut Raw> {
    match &mut command.form {
        Form::More(raw) if raw.kind == kind && raw.text.is_empty() => Some(raw),
        _ => None,
    }
}

/// Reads a text command by command: each script is as little as can be read on its own, mostly one command.
///
/// All together they are what [`crate::parse`] reads at once.
pub struct Scripts<'t> {
    parser: Parser<'t>,
    /// The text is too long, which nobody has been told yet.
    too_long: bool,
    /// Where the last script began.
    from: usize,
}

impl<'t> Scripts<'t> {
    /// Begins to read.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        let too_long = text.len() > MAX_LEN;
        let mut parser = Parser::new(if too_long { "" } else { text });
        parser.wanted = Stops::NONE;
        Self {
            parser,
            too_long,
            from: 0,
        }
    }

    /// The text of the last script, with the blank lines and comments before it.
    #[must_use]
    pub fn last_text(&self) -> &'t str {
        self.parser.raw(self.from, self.parser.pos).trim()
    }
}

impl Iterator for Scripts<'_> {
    type Item = Script;

    fn next(&mut self) -> Option<Script> {
        if core::mem::take(&mut self.too_long) {
            return Some(super::too_long());
        }
        let parser = &mut self.parser;
        self.from = parser.pos;
        let mut items = Vec::new();
        let mut open = true;
        while open && (items.is_empty() || !parser.pending.is_empty()) {
            open = parser.next_item(Stops::NONE, Stops::NONE, &mut items);
            parser.blanks();
            if open && parser.peek() == Some(b'\n') {
                parser.linebreaks();
            }
        }
        parser.close_last_item(&mut items);
        if !open {
            parser.read_documents();
        }
        let faults = core::mem::take(&mut parser.faults);
        if items.is_empty() && faults.is_empty() {
            return None;
        }
        let mut script = Script { items, faults };
        fill_documents(&mut script, &mut parser.bodies);
        parser.bodies.clear();
        Some(script)
    }
}

/// One of very many words.
#[derive(Debug)]
pub struct Next<'r> {
    /// As it is written.
    pub text: &'r str,
    /// What it is; `None` for text without quotes, expansions and patterns, which stands for itself.
    pub word: Option<Word>,
}

impl Raw {
    fn reader(&self) -> Parser<'_> {
        let mut parser = Parser::new(&self.text);
        parser.pinned = Some(self.span);
        parser
    }

    /// The words.
    pub fn words(&self) -> impl Iterator<Item = Next<'_>> {
        let elements = self.kind == RawKind::Elements;
        let place = if elements { Place::Element } else { Place::Argument };
        let mut parser = self.reader();
        core::iter::from_fn(move || {
            if elements {
                parser.linebreaks();
            } else {
                parser.blanks();
            }
            let start = parser.pos;
            if parser.skip_plain_word() {
                return Some(Next {
                    text: parser.raw(start, parser.pos),
                    word: None,
                });
            }
            if !parser.word_begins() {
                return None;
            }
            let mut word = parser.word(place);
            fill(&mut word, &mut parser);
            Some(Next {
                text: parser.raw(start, parser.pos),
                word: Some(word),
            })
        })
    }

    /// The parts of a text in quotes.
    pub fn parts(&self) -> impl Iterator<Item = Part> {
        let quoting = match self.kind {
            RawKind::Document => Quoting::Document,
            _ => Quoting::Double,
        };
        let mut parser = self.reader();
        core::iter::from_fn(move || {
            let mut pieces = Pieces::default();
            if !parser.quoted_piece(&mut pieces, None, quoting) {
                return None;
            }
            let mut word = Word {
                parts: pieces.finish(),
                span: Span::default(),
            };
            fill(&mut word, &mut parser);
            Some(word.parts)
        })
        .flatten()
    }

    /// The commands of a list.
    #[must_use]
    pub fn scripts(&self) -> Scripts<'_> {
        Scripts {
            parser: self.reader(),
            too_long: false,
            from: 0,
        }
    }

    /// The commands of a pipeline.
    pub fn stages(&self) -> impl Iterator<Item = Command> {
        let mut parser = self.reader();
        core::iter::from_fn(move || {
            let command = parser.command()?;
            parser.blanks();
            let mut stage = [command];
            if parser.peek() == Some(b'|') && parser.nth(1) != Some(b'|') {
                parser.pipe(&mut stage);
                parser.linebreaks();
                parser.eat_keyword(Keyword::Bang);
                parser.blanks();
            }
            let [mut command] = stage;
            fill_command(&mut command, &mut parser);
            Some(command)
        })
    }

    /// The pipelines of a chain, each with what stands before it; the first of them has been joined already.
    pub fn links(&self) -> impl Iterator<Item = (Option<Joint>, Pipeline)> {
        let mut parser = self.reader();
        let mut first = true;
        core::iter::from_fn(move || {
            let mut joint = None;
            if !core::mem::take(&mut first) {
                joint = Some(parser.joint()?);
                parser.linebreaks();
            }
            let mut pipeline = parser.pipeline()?;
            for stage in &mut pipeline.stages {
                fill_command(stage, &mut parser);
            }
            Some((joint, pipeline))
        })
    }
}

/// Bodies of here-documents inside a word belong to it.
fn fill(word: &mut Word, parser: &mut Parser<'_>) {
    crate::walk::fill_word(word, &mut parser.bodies);
    parser.bodies.clear();
}

fn fill_command(command: &mut Command, parser: &mut Parser<'_>) {
    crate::walk::fill_command(command, &mut parser.bodies);
}
