//! Counts over the ledger.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use ledger::{Place, rfc3339};

use crate::entry::Entry;
use crate::error::ViewError;
use crate::filter::Filter;
use crate::index::{BEGINNING, beginning};
use crate::moment::millis;
use crate::read::lines_from;
use crate::search::Views;

const HOUR: u64 = 3_600_000;
/// So many of the most refused requests are named.
const TOP: usize = 10;

/// Names and how often each came, the most frequent first.
pub type Counts = Vec<(String, u64)>;

/// A day in UTC.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Day {
    /// Its date.
    pub date: String,
    /// Its records by verdict; those without one under their kind.
    pub verdicts: BTreeMap<String, u64>,
}

/// What was counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    /// All records that fit.
    pub records: u64,
    /// Lines that are no records.
    pub unreadable: u64,
    /// The time of the first and the last one.
    pub between: Option<(String, String)>,
    /// By day, the oldest first.
    pub days: Vec<Day>,
    /// By kind of record.
    pub kinds: Counts,
    /// Decisions by verdict.
    pub verdicts: Counts,
    /// Decisions by agent.
    pub agents: Counts,
    /// Findings by rule, a rule once a record.
    pub rules: Counts,
    /// What was asked about or denied most often, at its beginning.
    pub refused: Counts,
    /// Decisions that asked, by the hour of the day in UTC.
    pub asks_by_hour: [u64; 24],
    /// Decisions that asked, for each hour from the first record to the last.
    pub asks_per_hour: f64,
    /// What people answered: `approved` and `rejected`.
    pub approvals: Counts,
}

/// Records that are alike.
pub(crate) struct Row<'a> {
    pub(crate) count: u64,
    /// First and last, within one hour.
    pub(crate) between: Option<(u64, u64)>,
    pub(crate) kind: &'a str,
    pub(crate) agent: &'a str,
    pub(crate) verdict: &'a str,
}

/// Adds up.
#[derive(Default)]
pub(crate) struct Tally {
    records: u64,
    unreadable: u64,
    between: Option<(u64, u64)>,
    days: BTreeMap<u64, BTreeMap<String, u64>>,
    kinds: BTreeMap<String, u64>,
    verdicts: BTreeMap<String, u64>,
    agents: BTreeMap<String, u64>,
    rules: BTreeMap<String, u64>,
    refused: BTreeMap<String, u64>,
    asks: [u64; 24],
    approvals: BTreeMap<String, u64>,
}

fn more(counts: &mut BTreeMap<String, u64>, name: &str, by: u64) {
    match counts.get_mut(name) {
        Some(count) => *count += by,
        None => {
            counts.insert(name.to_owned(), by);
        }
    }
}

impl Tally {
    pub(crate) fn add(&mut self, row: &Row<'_>) {
        let Row {
            count, kind, verdict, ..
        } = *row;
        self.records += count;
        if kind.is_empty() {
            self.unreadable += count;
            return;
        }
        more(&mut self.kinds, kind, count);
        self.when(row);
        match kind {
            "decision" => {
                more(&mut self.verdicts, verdict, count);
                more(&mut self.agents, row.agent, count);
            }
            "approval" => {
                let said = if verdict == "allow" { "approved" } else { "rejected" };
                more(&mut self.approvals, said, count);
            }
            _ => {}
        }
    }

    fn when(&mut self, row: &Row<'_>) {
        let Some((first, last)) = row.between else { return };
        self.between = Some(match self.between {
            None => (first, last),
            Some((early, late)) => (early.min(first), late.max(last)),
        });
        let outcome = if row.kind == "decision" { row.verdict } else { row.kind };
        more(self.days.entry(first / (24 * HOUR)).or_default(), outcome, row.count);
        if (row.kind, row.verdict) == ("decision", "ask") {
            let hour = usize::try_from(first / HOUR % 24).unwrap_or_default();
            self.asks
                .iter_mut()
                .skip(hour)
                .take(1)
                .for_each(|asks| *asks += row.count);
        }
    }

    pub(crate) fn rule(&mut self, rule: &str, count: u64) {
        more(&mut self.rules, rule, count);
    }

    pub(crate) fn refused(&mut self, subject: &str, count: u64) {
        more(&mut self.refused, subject, count);
    }

    /// Takes in one record.
    fn entry(&mut self, entry: &Entry<'_>) {
        self.add(&Row {
            count: 1,
            between: millis(&entry.time).map(|ms| (ms, ms)),
            kind: &entry.kind,
            agent: &entry.agent.name,
            verdict: &entry.verdict,
        });
        let rules: BTreeSet<&str> = entry.findings.iter().map(|finding| finding.rule.as_ref()).collect();
        rules
            .into_iter()
            .filter(|rule| !rule.is_empty())
            .for_each(|rule| self.rule(rule, 1));
        let subject = beginning(entry.subject(), BEGINNING);
        if entry.is_refused() && !subject.is_empty() {
            self.refused(subject, 1);
        }
    }

    pub(crate) fn stats(self) -> Stats {
        let asks: u64 = self.asks.iter().sum();
        let hours = self
            .between
            .map_or(0, |(first, last)| (last - first).div_ceil(HOUR))
            .max(1);
        let day = |(day, verdicts): (u64, _)| Day {
            date: rfc3339(day * 24 * HOUR).chars().take(10).collect(),
            verdicts,
        };
        let mut refused = frequent(self.refused);
        refused.truncate(TOP);
        Stats {
            records: self.records,
            unreadable: self.unreadable,
            between: self.between.map(|(first, last)| (rfc3339(first), rfc3339(last))),
            days: self.days.into_iter().map(day).collect(),
            kinds: frequent(self.kinds),
            verdicts: frequent(self.verdicts),
            agents: frequent(self.agents),
            rules: frequent(self.rules),
            refused,
            asks_by_hour: self.asks,
            #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
            asks_per_hour: asks as f64 / hours as f64,
            approvals: frequent(self.approvals),
        }
    }
}

fn frequent(counts: BTreeMap<String, u64>) -> Counts {
    let mut counts: Counts = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}

impl Views {
    /// Counts what fits: by the index, or where there can be none, or where words are looked for, from the lines.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn stats(&self, filter: &Filter) -> Result<Stats, ViewError> {
        if self.is_empty()? {
            return Ok(Stats::default());
        }
        if filter.text.is_none() {
            match self.index().and_then(|index| index.count(filter)) {
                Err(ViewError::Index { .. }) => {}
                counted => return counted,
            }
        }
        self.scan_stats(filter)
    }

    /// Counts what fits from the lines alone.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn scan_stats(&self, filter: &Filter) -> Result<Stats, ViewError> {
        let mut tally = Tally::default();
        let unreadable = Row {
            count: 1,
            between: None,
            kind: "",
            agent: "",
            verdict: "",
        };
        lines_from(self.ledger(), Place::default(), |_, line| {
            match Entry::parse(line) {
                Some(entry) if filter.fits_entry(&entry) => tally.entry(&entry),
                None if filter.is_empty() => tally.add(&unreadable),
                _ => {}
            }
            ControlFlow::Continue(())
        })?;
        Ok(tally.stats())
    }
}
