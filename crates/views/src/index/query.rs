//! Which lines may fit, newest first.

use ledger::Place;
use rusqlite::types::Value;
use rusqlite::{OptionalExtension as _, params_from_iter};

use super::fill::{LONGEST, beginning};
use super::schema::Sort;
use super::{Index, unusable};
use crate::effects::trimmed;
use crate::error::ViewError;
use crate::filter::{Filter, is_part_of};

/// Up to so many lines that name a path, a host or a rule are listed; beyond that it is asked of each line.
const FEW: usize = 5_000;
/// Up to so many stretches of time are asked for one by one.
const MOST_SPANS: usize = 64;

/// A filter as conditions on rows. `None` in its place means that nothing can fit.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    conditions: Vec<String>,
    values: Vec<Value>,
    /// The lines between which all that fits lies, newest first.
    ranges: Vec<(i64, i64)>,
}

impl Index {
    /// How to find what fits; `None` where nothing does. Words are not in it: they are looked for in the lines.
    pub(crate) fn plan(&self, filter: &Filter) -> Result<Option<Plan>, ViewError> {
        self.planned(filter).map_err(|e| unusable(&self.path, &e))
    }

    pub(super) fn planned(&self, filter: &Filter) -> rusqlite::Result<Option<Plan>> {
        let mut plan = Plan {
            conditions: Vec::new(),
            values: Vec::new(),
            ranges: self.ranges(filter)?,
        };
        if !filter.is_empty() {
            // What is no record fits only where nothing is asked.
            plan.add("lines.kind IS NOT NULL", []);
        }
        plan.time(filter);
        for (sort, column, wanted) in [
            (Sort::Agent, "agent", &filter.agent),
            (Sort::Verdict, "verdict", &filter.verdict),
            (Sort::Kind, "kind", &filter.kind),
            (Sort::Session, "session", &filter.session),
        ] {
            let Some(wanted) = wanted else { continue };
            // What has no such field has no name there.
            if wanted.is_empty() {
                plan.conditions.push(format!("lines.{column} IS NULL"));
                continue;
            }
            match self.named(sort, wanted)? {
                Some(id) => plan.add(&format!("lines.{column} = ?"), [id.into()]),
                None => return Ok(None),
            }
        }
        for names in [Names::of_rule(filter), Names::of_path(filter), self.hosts(filter)?]
            .into_iter()
            .flatten()
        {
            self.touching(&mut plan, names)?;
        }
        Ok((!plan.ranges.is_empty()).then_some(plan))
    }

    fn named(&self, sort: Sort, text: &str) -> rusqlite::Result<Option<i64>> {
        let known = "SELECT id FROM names WHERE sort = ?1 AND text = ?2";
        let text = beginning(text, LONGEST);
        self.base
            .query_row(known, (sort.number(), text), |row| row.get(0))
            .optional()
    }

    fn hosts(&self, filter: &Filter) -> rusqlite::Result<Option<Names>> {
        let Some(host) = &filter.host else { return Ok(None) };
        let mut all = self.base.prepare("SELECT id, text FROM names WHERE sort = ?1")?;
        let mut rows = all.query([Sort::Host.number()])?;
        let mut found: Vec<String> = Vec::new();
        while let Some(row) = rows.next()? {
            if is_part_of(&row.get::<_, String>(1)?, host) {
                found.push(row.get::<_, i64>(0)?.to_string());
            }
        }
        Ok(Some(Names {
            condition: format!("n.id IN ({})", found.join(",")),
            values: Vec::new(),
        }))
    }

    /// Lines that touch one of some names: as a list where they are few, and as a question to each line where not.
    fn touching(&self, plan: &mut Plan, names: Names) -> rusqlite::Result<()> {
        let Names { condition, values } = names;
        let touched = format!("SELECT t.line FROM names n CROSS JOIN touches t ON t.name = n.id WHERE {condition}");
        let some = format!("SELECT count(*) FROM ({touched} LIMIT {FEW})");
        let count: usize = self
            .base
            .query_row(&some, params_from_iter(&values), |row| row.get(0))?;
        let condition = match count < FEW {
            true => format!("lines.id IN ({touched})"),
            false => format!(
                "EXISTS (SELECT 1 FROM touches t CROSS JOIN names n ON n.id = t.name WHERE t.line = lines.id AND {condition})"
            ),
        };
        plan.add(&condition, values);
        Ok(())
    }

    /// The lines between which a stretch of time lies. While the clock goes forward, time and number go together.
    fn ranges(&self, filter: &Filter) -> rusqlite::Result<Vec<(i64, i64)>> {
        let last: i64 = self
            .base
            .query_row("SELECT coalesce(max(id), 0) FROM lines", [], |row| row.get(0))?;
        if filter.since.is_none() && filter.until.is_none() {
            return Ok(vec![(1, last)]);
        }
        let (since, until) = (ms(filter.since.unwrap_or(0)), ms(filter.until.unwrap_or(u64::MAX)));
        let spans = "SELECT first, last, early, late FROM spans WHERE late >= ?1 AND early < ?2 ORDER BY first DESC";
        let mut spans = self.base.prepare(spans)?;
        let rows = spans.query_map((since, until), |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })?;
        let spans: Vec<(i64, i64, i64, i64)> = rows.collect::<rusqlite::Result<_>>()?;
        if spans.len() > MOST_SPANS {
            let first = spans.iter().map(|span| span.0).min().unwrap_or(1);
            let last = spans.iter().map(|span| span.1).max().unwrap_or(last);
            return Ok(vec![(first, last)]);
        }
        let mut ranges = Vec::new();
        for (first, last, early, late) in spans {
            let low = if early >= since {
                first
            } else {
                self.at(first, last, since)?
            };
            let high = if late < until {
                last
            } else {
                self.at(first, last, until)? - 1
            };
            if low <= high {
                ranges.push((low, high));
            }
        }
        Ok(ranges)
    }

    /// The first line of a stretch that is not before a time; the one after the stretch where there is none.
    fn at(&self, first: i64, last: i64, time: i64) -> rusqlite::Result<i64> {
        let (mut low, mut high) = (first, last + 1);
        // A line without a time has that of the one before it.
        let sql = "SELECT time FROM lines WHERE id BETWEEN ?1 AND ?2 AND time IS NOT NULL ORDER BY id DESC LIMIT 1";
        let mut known = self.base.prepare(sql)?;
        while low < high {
            let middle = low + (high - low) / 2;
            let there: Option<i64> = known.query_row((first, middle), |row| row.get(0)).optional()?;
            if there.is_none_or(|there| there < time) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    /// The next lines that may fit below some number, newest first: their numbers and places.
    pub(crate) fn page(&self, plan: &Plan, below: i64, most: usize) -> Result<Vec<(i64, Place)>, ViewError> {
        let mut found = Vec::new();
        for (low, high) in &plan.ranges {
            let high = (*high).min(below.saturating_sub(1));
            if high >= *low && found.len() < most {
                let rows = self.rows(plan, (*low, high), most - found.len());
                found.extend(rows.map_err(|e| unusable(&self.path, &e))?);
            }
        }
        Ok(found)
    }

    fn rows(&self, plan: &Plan, (low, high): (i64, i64), most: usize) -> rusqlite::Result<Vec<(i64, Place)>> {
        let sql = format!(
            "SELECT id, segment, offset FROM lines WHERE {} ORDER BY id DESC LIMIT ?",
            plan.clause()
        );
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let values = plan.values_in((low, high)).chain([Value::from(most)]);
        let mut rows = self.base.prepare(&sql)?;
        let rows = rows.query_map(params_from_iter(values), |row| {
            let offset = u64::try_from(row.get::<_, i64>(2)?).unwrap_or_default();
            let segment = row.get(1)?;
            Ok((row.get(0)?, Place { segment, offset }))
        })?;
        rows.collect()
    }
}

/// Names that fit, as a condition on `names n`.
struct Names {
    condition: String,
    values: Vec<Value>,
}

impl Names {
    fn of_rule(filter: &Filter) -> Option<Self> {
        let rule = beginning(filter.rule.as_ref()?, LONGEST);
        Some(Self {
            condition: "n.sort = ? AND n.text = ?".into(),
            values: vec![Sort::Rule.number().into(), rule.to_owned().into()],
        })
    }

    /// A path and all below it, which stand side by side in the order of bytes.
    fn of_path(filter: &Filter) -> Option<Self> {
        let path = beginning(trimmed(filter.path.as_ref()?), LONGEST);
        let (first, after) = match path {
            "/" => ("/".to_owned(), "0".to_owned()),
            path => (format!("{path}/"), format!("{path}0")),
        };
        let sort = Value::from(Sort::Path.number());
        Some(Self {
            condition: "((n.sort = ? AND n.text = ?) OR (n.sort = ? AND n.text >= ? AND n.text < ?))".into(),
            values: vec![sort.clone(), path.to_owned().into(), sort, first.into(), after.into()],
        })
    }
}

impl Plan {
    fn add(&mut self, condition: &str, values: impl IntoIterator<Item = Value>) {
        self.conditions.push(condition.to_owned());
        self.values.extend(values);
    }

    fn time(&mut self, filter: &Filter) {
        if let Some(since) = filter.since {
            self.add("lines.time >= ?", [ms(since).into()]);
        }
        if let Some(until) = filter.until {
            self.add("lines.time < ?", [ms(until).into()]);
        }
    }

    /// The conditions behind `WHERE`; their values are those of [`Plan::values_in`].
    pub(super) fn clause(&self) -> String {
        let conditions = self.conditions.iter().map(|condition| format!(" AND {condition}"));
        std::iter::once("lines.id BETWEEN ? AND ?".to_owned())
            .chain(conditions)
            .collect()
    }

    pub(super) fn values_in(&self, (low, high): (i64, i64)) -> impl Iterator<Item = Value> + '_ {
        [Value::from(low), Value::from(high)]
            .into_iter()
            .chain(self.values.iter().cloned())
    }

    pub(super) fn ranges(&self) -> &[(i64, i64)] {
        &self.ranges
    }

    /// The lines between which all ranges lie.
    pub(super) fn whole(&self) -> (i64, i64) {
        let low = self.ranges.iter().map(|range| range.0).min();
        let high = self.ranges.iter().map(|range| range.1).max();
        (low.unwrap_or(1), high.unwrap_or(0))
    }
}

/// Milliseconds as they are stored.
fn ms(time: u64) -> i64 {
    i64::try_from(time).unwrap_or(i64::MAX)
}
