//! The parser: one cursor over the bytes, one method per construct.
//!
//! There is no separate token stream. What a byte means depends on where it stands (`#` after a blank, `}` in command
//! position, `(` after `a=`), so every construct reads its own bytes. Files, from the outside in: `lists` (lists,
//! chains, pipelines), `commands` and `compounds`, `conditional` (`[[ ]]`), `redirects` and `heredoc`, `words`,
//! `quotes`, `expansions`, `params` and `arith`.

mod ansi;
mod arith;
mod commands;
mod compounds;
mod conditional;
mod cursor;
mod expansions;
mod heredoc;
mod keywords;
mod lists;
mod long;
mod params;
mod pieces;
mod quotes;
mod redirects;
mod words;

use crate::walk::fill_documents;
use crate::{Fault, FaultKind, Script, Span, Word};
use alloc::vec;
use alloc::vec::Vec;
use heredoc::Pending;
use keywords::Stops;
pub use long::{Next, Scripts};

/// How many constructs may stand inside one another. Deeper text is not read: it gets a [`FaultKind::TooDeep`].
///
/// Chosen so that reading, walking and dropping the deepest tree fit in 256 KiB of stack in a release build.
pub const MAX_DEPTH: usize = 64;

/// The longest text that is read, in bytes. Longer text gets a [`FaultKind::TooLong`] and an empty script.
pub const MAX_LEN: usize = 1 << 20;

/// Reads a text the way bash would.
///
/// Never fails: what cannot be read is a [`Fault`] in the innermost list around it.
#[must_use]
pub fn parse(text: &str) -> Script {
    if text.len() > MAX_LEN {
        return too_long();
    }
    let mut parser = Parser::new(text);
    let mut script = parser.whole();
    fill_documents(&mut script, &mut parser.bodies);
    script
}

fn too_long() -> Script {
    let span = Span::default();
    Script {
        items: Vec::new(),
        faults: vec![Fault {
            kind: FaultKind::TooLong,
            span,
        }],
    }
}

/// The state of reading one text.
struct Parser<'t> {
    /// The place and the end at which a reserved word was last looked for, and what was found.
    last_keyword: Option<keywords::Looked>,
    text: &'t str,
    /// The next byte to read.
    pos: usize,
    /// Reading stops here. Lowered while only a part of the text is meant, such as the body of a here-document.
    end: usize,
    /// How many constructs are open.
    depth: usize,
    /// How many bytes may still be read in vain by [`Parser::arithmetic`], which has to try before it knows. Bounding
    /// the sum keeps reading linear.
    fuel: usize,
    /// Set while the text is not the original one; then every span is this one.
    pinned: Option<Span>,
    /// Faults of the list that is being read.
    faults: Vec<Fault>,
    /// After [`FaultKind::TooDeep`] the rest is skipped, and nothing more is said about it.
    gave_up: bool,
    /// What the constructs around the current list will accept as their end. It decides how to go on after a stray
    /// closing word: leave it to the construct that waits for it, or skip it.
    wanted: Stops,
    /// Inside `${ ...; }` a brace that begins a word closes the list, whatever follows it.
    brace_closes: bool,
    /// Inside `$(...)`, where the delimiter of a here-document may share its line with the closing parenthesis.
    in_parens: bool,
    /// Here-documents whose operator has been read and whose body has not.
    pending: Vec<Pending>,
    /// Bodies by the number that stands in for them in the tree until the end.
    bodies: Vec<Word>,
    /// The command that was just read goes on: it had too many assignments.
    goes_on: bool,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        Parser {
            text,
            pos: 0,
            end: text.len(),
            depth: 0,
            fuel: text.len().saturating_mul(4).saturating_add(4096),
            pinned: None,
            faults: Vec::new(),
            gave_up: false,
            wanted: Stops::NONE,
            brace_closes: false,
            in_parens: false,
            pending: Vec::new(),
            bodies: Vec::new(),
            goes_on: false,
            last_keyword: None,
        }
    }

    /// Reads everything. Here-documents that still wait at the end are empty.
    fn whole(&mut self) -> Script {
        let script = self.list(Stops::NONE);
        self.read_documents();
        script
    }

    /// Reads `text`, which stands for the bytes of `span`, with a parser of its own.
    fn aside<T>(&mut self, text: &str, span: Span, read: impl FnOnce(&mut Parser<'_>) -> T) -> T {
        let mut inner = Parser::new(text);
        inner.depth = self.depth;
        inner.fuel = self.fuel;
        inner.pinned = Some(self.pinned.unwrap_or(span));
        inner.bodies = core::mem::take(&mut self.bodies);
        let result = read(&mut inner);
        self.fuel = inner.fuel;
        self.bodies = inner.bodies;
        self.faults.append(&mut inner.faults);
        result
    }

    /// Reads with the end of the text moved to `end`.
    fn up_to<T>(&mut self, end: usize, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = core::mem::replace(&mut self.end, end);
        let result = read(self);
        self.end = outer;
        result
    }

    /// Reads one level deeper, or gives up when that is too deep.
    fn nested<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            self.give_up();
            return T::default();
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn give_up(&mut self) {
        self.fault(FaultKind::TooDeep, self.pos, self.end);
        self.gave_up = true;
        self.pos = self.end;
    }

    fn fault(&mut self, kind: FaultKind, start: usize, end: usize) {
        if !self.gave_up {
            let span = self.span(start, end);
            self.faults.push(Fault { kind, span });
        }
    }

    /// Something that cannot stand here, or the end of the text where something must stand.
    fn unexpected(&mut self) {
        let kind = if self.at_end() {
            FaultKind::Unterminated
        } else {
            FaultKind::Unexpected
        };
        let length = self.raw(self.pos, self.end).chars().next().map_or(0, char::len_utf8);
        self.fault(kind, self.pos, self.pos + length);
    }

    fn unterminated(&mut self, start: usize) {
        self.fault(FaultKind::Unterminated, start, self.pos);
    }

    fn span(&self, start: usize, end: usize) -> Span {
        let offset = |at| u32::try_from(at).unwrap_or(u32::MAX);
        self.pinned.unwrap_or(Span {
            start: offset(start),
            end: offset(end),
        })
    }
}
