//! Lines of the ledger into rows.

use std::collections::HashMap;
use std::ops::ControlFlow;

use ledger::{Hash, Place};
use rusqlite::{Connection, Statement};

use super::meter::Meter;
use super::schema::{SECONDARY, Sort};
use super::{Index, Reached, unusable, write_reached};
use crate::effects::{hosts, paths};
use crate::entry::Entry;
use crate::error::ViewError;
use crate::moment::millis;
use crate::read::lines_from;

/// So many names are remembered while lines are taken in; beyond that they are looked up again.
const MOST_NAMES: usize = 100_000;
/// The longest name that is kept. What is longer is found by its beginning and has to fit as a whole then.
pub(super) const LONGEST: usize = 1 << 10;
/// So much of a refused request is kept for statistics.
pub(crate) const BEGINNING: usize = 120;

/// Takes lines in.
struct Filler<'b> {
    line: Statement<'b>,
    touch: Statement<'b>,
    name: Statement<'b>,
    known: Statement<'b>,
    span: Statement<'b>,
    names: [HashMap<String, i64>; Sort::COUNT],
    /// The stretch of time that the last line lies in.
    now: Option<Span>,
    id: i64,
}

#[derive(Clone, Copy)]
struct Span {
    first: i64,
    last: i64,
    early: i64,
    late: i64,
}

impl Index {
    /// Takes in what the ledger has more than the index.
    pub(super) fn take_in(&mut self, reached: Reached) -> Result<(), ViewError> {
        let wrong = |e: rusqlite::Error| unusable(&self.path, &e);
        let step = self.base.unchecked_transaction().map_err(wrong)?;
        let next = reached.next;
        let mut filler = Filler::new(&step, reached.lines).map_err(wrong)?;
        let after = filler
            .all(&self.ledger, next, reached.clone(), &mut Meter::default())
            .map_err(|e| e.at(&self.path))?;
        filler.keep_span().map_err(wrong)?;
        drop(filler);
        if let Some(after) = after.filter(|after| *after != reached) {
            write_reached(&step, &after).map_err(wrong)?;
            step.commit().map_err(wrong)?;
        }
        Ok(())
    }

    /// Takes the whole ledger into empty tables.
    pub(super) fn fill_all(&mut self, meter: &mut Meter) -> Result<Reached, ViewError> {
        let wrong = |e: rusqlite::Error| unusable(&self.path, &e);
        let nothing = Reached {
            first: String::new(),
            last: Place::default(),
            hash: String::new(),
            next: Place::default(),
            lines: 0,
        };
        let step = self.base.unchecked_transaction().map_err(wrong)?;
        let mut filler = Filler::new(&step, 0).map_err(wrong)?;
        let after = filler
            .all(&self.ledger, Place::default(), nothing.clone(), meter)
            .map_err(|e| e.at(&self.path))?;
        filler.keep_span().map_err(wrong)?;
        drop(filler);
        step.execute_batch(SECONDARY).map_err(wrong)?;
        step.commit().map_err(wrong)?;
        Ok(after.unwrap_or(nothing))
    }
}

/// What went wrong: with the ledger, or with the index.
enum Failed {
    Ledger(ViewError),
    Index(rusqlite::Error),
}

impl Failed {
    fn at(self, path: &std::path::Path) -> ViewError {
        match self {
            Self::Ledger(e) => e,
            Self::Index(e) => unusable(path, &e),
        }
    }
}

impl<'b> Filler<'b> {
    fn new(base: &'b Connection, lines: i64) -> rusqlite::Result<Self> {
        let last = "SELECT first, last, early, late FROM spans ORDER BY first DESC LIMIT 1";
        let span = base.query_row(last, [], |row| {
            Ok(Span {
                first: row.get(0)?,
                last: row.get(1)?,
                early: row.get(2)?,
                late: row.get(3)?,
            })
        });
        Ok(Self {
            line: base.prepare(
                "INSERT INTO lines(id, seq, segment, offset, time, kind, agent, verdict, session)
                 VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?,
            touch: base.prepare("INSERT OR IGNORE INTO touches(line, name) VALUES(?1, ?2)")?,
            name: base.prepare("INSERT OR IGNORE INTO names(sort, text) VALUES(?1, ?2)")?,
            known: base.prepare("SELECT id FROM names WHERE sort = ?1 AND text = ?2")?,
            span: base.prepare("INSERT OR REPLACE INTO spans(first, last, early, late) VALUES(?1, ?2, ?3, ?4)")?,
            names: Default::default(),
            now: span.ok(),
            id: lines,
        })
    }

    /// Takes in all lines from a place on, and says how far that went; `None` where there is no ledger.
    fn all(
        &mut self,
        ledger: &std::path::Path,
        from: Place,
        mut reached: Reached,
        meter: &mut Meter,
    ) -> Result<Option<Reached>, Failed> {
        let (mut failed, mut last) = (None, Vec::new());
        let next = lines_from(ledger, from, |place, line| {
            if reached.first.is_empty() {
                reached.first = Hash::of(line).hex();
            }
            reached.last = place;
            last.clear();
            last.extend_from_slice(line);
            meter.line(line);
            match self.take(place, line) {
                Ok(()) => ControlFlow::Continue(()),
                Err(e) => {
                    failed = Some(e);
                    ControlFlow::Break(())
                }
            }
        })
        .map_err(Failed::Ledger)?;
        if let Some(e) = failed {
            return Err(Failed::Index(e));
        }
        if self.id > reached.lines {
            reached.hash = Hash::of(&last).hex();
            reached.lines = self.id;
        }
        Ok(next.map(|next| Reached { next, ..reached }))
    }

    fn take(&mut self, place: Place, line: &[u8]) -> rusqlite::Result<()> {
        self.id += 1;
        let entry = Entry::parse(line);
        let time = entry.as_ref().and_then(|entry| millis(&entry.time));
        let time = time.and_then(|ms| i64::try_from(ms).ok());
        if let Some(time) = time {
            self.pass(time)?;
        }
        let (mut kind, mut agent, mut verdict, mut session, mut seq) = (None, None, None, None, 0);
        if let Some(entry) = &entry {
            kind = self.number(Sort::Kind, &entry.kind)?;
            agent = self.number(Sort::Agent, &entry.agent.name)?;
            verdict = self.number(Sort::Verdict, &entry.verdict)?;
            session = self.number(Sort::Session, &entry.session)?;
            seq = i64::try_from(entry.seq).unwrap_or(i64::MAX);
            self.touches(entry)?;
        }
        let offset = i64::try_from(place.offset).unwrap_or(i64::MAX);
        let row = (self.id, seq, place.segment, offset, time, kind, agent, verdict, session);
        self.line.execute(row).map(|_| ())
    }

    fn touches(&mut self, entry: &Entry<'_>) -> rusqlite::Result<()> {
        for finding in &entry.findings {
            self.touch(Sort::Rule, &finding.rule)?;
        }
        for path in paths(entry) {
            self.touch(Sort::Path, &path)?;
        }
        for host in hosts(entry) {
            self.touch(Sort::Host, &host)?;
        }
        if entry.is_refused() {
            self.touch(Sort::Refused, beginning(entry.subject(), BEGINNING))?;
        }
        Ok(())
    }

    fn touch(&mut self, sort: Sort, text: &str) -> rusqlite::Result<()> {
        if let Some(name) = self.number(sort, text)? {
            self.touch.execute((self.id, name))?;
        }
        Ok(())
    }

    /// The number of a name; `None` for an empty one.
    fn number(&mut self, sort: Sort, text: &str) -> rusqlite::Result<Option<i64>> {
        let text = beginning(text, LONGEST);
        if text.is_empty() {
            return Ok(None);
        }
        let number = usize::try_from(sort.number()).unwrap_or_default();
        let Some(names) = self.names.get_mut(number) else {
            return Ok(None);
        };
        if let Some(id) = names.get(text) {
            return Ok(Some(*id));
        }
        self.name.execute((sort.number(), text))?;
        let id = self.known.query_row((sort.number(), text), |row| row.get(0))?;
        if names.len() >= MOST_NAMES {
            names.clear();
        }
        names.insert(text.to_owned(), id);
        Ok(Some(id))
    }

    /// Goes on in time. Where the clock went back, another stretch begins.
    fn pass(&mut self, time: i64) -> rusqlite::Result<()> {
        let id = self.id;
        match &mut self.now {
            Some(span) if time >= span.late => (span.last, span.late) = (id, time),
            _ => {
                self.keep_span()?;
                self.now = Some(Span {
                    first: id,
                    last: id,
                    early: time,
                    late: time,
                });
            }
        }
        Ok(())
    }

    fn keep_span(&mut self) -> rusqlite::Result<()> {
        if let Some(span) = self.now {
            self.span.execute((span.first, span.last, span.early, span.late))?;
        }
        Ok(())
    }
}

/// The first bytes of a text, without half a character.
pub(crate) fn beginning(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|i| text.is_char_boundary(*i));
    text.get(..end.unwrap_or_default()).unwrap_or_default()
}
