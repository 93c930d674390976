//! Finding records.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use ledger::Place;

use crate::error::ViewError;
use crate::filter::Filter;
use crate::index::{Index, Plan};
use crate::read::{last_segment, lines_from};

/// So many lines are asked of the index at once where words are looked for in them.
const PAGE: usize = 4096;
/// So many segments are looked into from the end, one by one, for the last records.
const STEPS_BACK: usize = 16;

/// A record that fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Where it stands.
    pub place: Place,
    /// Its line, as it is stored in the ledger.
    pub line: Vec<u8>,
}

/// A ledger to be read, and the index beside it.
#[derive(Clone, Debug)]
pub struct Views {
    ledger: PathBuf,
    folder: PathBuf,
    told: Option<Told>,
}

/// What is told while an index is made: bytes of the ledger that were taken in, and all of them. At the end both are the same.
pub type Told = fn(u64, u64);

/// Lines of the ledger are not what the index says of them.
struct Stale;

impl Views {
    /// The ledger in a folder, with an index in `<state>/index`.
    #[must_use]
    pub fn new(state: &Path, ledger: &Path) -> Self {
        Self {
            ledger: ledger.to_path_buf(),
            folder: state.join("index"),
            told: None,
        }
    }

    /// The same, telling how far it is while an index is made of a whole ledger.
    #[must_use]
    pub const fn telling(mut self, told: Told) -> Self {
        self.told = Some(told);
        self
    }

    /// The folder of the ledger.
    #[must_use]
    pub fn ledger(&self) -> &Path {
        &self.ledger
    }

    /// Whether nothing was ever recorded.
    ///
    /// # Errors
    /// When the ledger cannot be opened.
    pub fn is_empty(&self) -> Result<bool, ViewError> {
        Ok(last_segment(&self.ledger)?.is_none())
    }

    /// The index, up to date.
    ///
    /// # Errors
    /// When the ledger cannot be read, or no index be written.
    pub fn index(&self) -> Result<Index, ViewError> {
        Index::open(&self.folder, &self.ledger, self.told)
    }

    /// What fits, newest first, at most `most`. Every hit is read from the ledger. Where there can be no index, the ledger
    /// is read from end to end.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn search(&self, filter: &Filter, most: usize) -> Result<Vec<Hit>, ViewError> {
        if self.is_empty()? || most == 0 {
            return Ok(Vec::new());
        }
        // Where the index turns out not to be that of these lines, a new one is.
        for _ in 0..2 {
            let found = self.index().and_then(|index| self.indexed(&index, filter, most));
            match found {
                Ok(Ok(hits)) => return Ok(hits),
                Ok(Err(Stale)) | Err(ViewError::Index { .. }) => {}
                Err(e) => return Err(e),
            }
            if Index::forget(&self.folder, &self.ledger).is_err() {
                break;
            }
        }
        self.scan(filter, most)
    }

    /// The last records, newest first. They are read from the end, without an index.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn last(&self, most: usize) -> Result<Vec<Hit>, ViewError> {
        let Some(last) = last_segment(&self.ledger)? else {
            return Ok(Vec::new());
        };
        let mut hits: Vec<Hit> = Vec::new();
        for segment in (1..=last).rev().take(STEPS_BACK) {
            let upto = hits.last().map(|hit| hit.place);
            let more = most - hits.len();
            hits.extend(self.newest((Place { segment, offset: 0 }, upto), more, |_| true)?);
            if hits.len() >= most || segment == 1 {
                return Ok(hits);
            }
        }
        self.scan(&Filter::default(), most)
    }

    /// What fits, newest first, from the ledger alone.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn scan(&self, filter: &Filter, most: usize) -> Result<Vec<Hit>, ViewError> {
        self.newest((Place::default(), None), most, |line| filter.fits(line))
    }

    /// The last lines that fit from one place to before another.
    fn newest(
        &self,
        (from, upto): (Place, Option<Place>),
        most: usize,
        fits: impl Fn(&[u8]) -> bool,
    ) -> Result<Vec<Hit>, ViewError> {
        let mut last = Newest::of(most);
        lines_from(&self.ledger, from, |place, line| {
            if upto.is_some_and(|upto| place >= upto) {
                return ControlFlow::Break(());
            }
            if fits(line) {
                last.keep(place, line);
            }
            ControlFlow::Continue(())
        })?;
        Ok(last.first_to_last())
    }

    fn indexed(&self, index: &Index, filter: &Filter, most: usize) -> Result<Result<Vec<Hit>, Stale>, ViewError> {
        let Some(plan) = index.plan(filter)? else {
            return Ok(Ok(Vec::new()));
        };
        if filter.text.is_none() {
            let places = index.page(&plan, i64::MAX, most)?;
            return self.read(filter, &places);
        }
        self.worded(index, &plan, filter, most)
    }

    /// Reads lines one by one. Each has to be what the index says.
    fn read(&self, filter: &Filter, places: &[(i64, Place)]) -> Result<Result<Vec<Hit>, Stale>, ViewError> {
        let mut hits = Vec::with_capacity(places.len());
        for (_, place) in places {
            match ledger::line_at(&self.ledger, *place)? {
                Some(line) if filter.fits(&line) => hits.push(Hit { place: *place, line }),
                _ => return Ok(Err(Stale)),
            }
        }
        Ok(Ok(hits))
    }

    /// Looks for words in what else fits, page by page from the end.
    fn worded(
        &self,
        index: &Index,
        plan: &Plan,
        filter: &Filter,
        most: usize,
    ) -> Result<Result<Vec<Hit>, Stale>, ViewError> {
        let (mut hits, mut below) = (Vec::new(), i64::MAX);
        loop {
            let places = index.page(plan, below, PAGE)?;
            let Some((lowest, _)) = places.last() else { break };
            below = *lowest;
            match self.words_in(&places, filter, most - hits.len())? {
                Ok(more) => hits.extend(more),
                Err(Stale) => return Ok(Err(Stale)),
            }
            if hits.len() >= most {
                break;
            }
        }
        Ok(Ok(hits))
    }

    /// The newest lines of a page that fit. Lines that stand close together are read in one go.
    fn words_in(
        &self,
        places: &[(i64, Place)],
        filter: &Filter,
        most: usize,
    ) -> Result<Result<Vec<Hit>, Stale>, ViewError> {
        let (Some((high, newest)), Some((low, oldest))) = (places.first(), places.last()) else {
            return Ok(Ok(Vec::new()));
        };
        let close = usize::try_from(high - low).is_ok_and(|lines| lines / 4 <= places.len());
        let mut ahead = places.iter().rev().map(|(_, place)| *place).peekable();
        let mut last = Newest::of(most);
        if close {
            lines_from(&self.ledger, *oldest, |place, line| {
                if ahead.next_if_eq(&place).is_some() && filter.fits(line) {
                    last.keep(place, line);
                }
                if place >= *newest {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })?;
        } else {
            while let Some(place) = ahead.peek().copied() {
                let Some(line) = ledger::line_at(&self.ledger, place)? else {
                    break;
                };
                if filter.fits(&line) {
                    last.keep(place, &line);
                }
                ahead.next();
            }
        }
        // A line that is not where the index has it.
        if ahead.peek().is_some() {
            return Ok(Err(Stale));
        }
        Ok(Ok(last.first_to_last()))
    }
}

/// The last few of many lines.
struct Newest {
    most: usize,
    lines: VecDeque<Hit>,
}

impl Newest {
    const fn of(most: usize) -> Self {
        Self {
            most,
            lines: VecDeque::new(),
        }
    }

    fn keep(&mut self, place: Place, line: &[u8]) {
        if self.most == 0 {
            return;
        }
        if self.lines.len() == self.most {
            self.lines.pop_front();
        }
        let line = line.to_vec();
        self.lines.push_back(Hit { place, line });
    }

    fn first_to_last(self) -> Vec<Hit> {
        self.lines.into_iter().rev().collect()
    }
}
