//! What the index can count.

use std::collections::HashMap;

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::query::Plan;
use super::schema::Sort;
use super::{Index, unusable};
use crate::error::ViewError;
use crate::filter::Filter;
use crate::stats::{Row, Stats, Tally};

const HOUR: i64 = 3_600_000;
/// So many of the most refused requests are named.
const TOP: i64 = 10;

/// What is counted together: an hour; kind, agent and verdict.
type Group = (Option<i64>, [Option<i64>; 3]);

impl Index {
    /// Counts what fits. Words are not looked for.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn count(&self, filter: &Filter) -> Result<Stats, ViewError> {
        self.counted(filter).map_err(|e| unusable(&self.path, &e))
    }

    fn counted(&self, filter: &Filter) -> Result<Stats, rusqlite::Error> {
        let mut tally = Tally::default();
        if let Some(plan) = self.planned(filter)? {
            self.lines(&plan, &mut tally)?;
            for (rule, count) in self.names(&plan, Sort::Rule, i64::MAX)? {
                tally.rule(&rule, count);
            }
            for (subject, count) in self.names(&plan, Sort::Refused, TOP)? {
                tally.refused(&subject, count);
            }
        }
        Ok(tally.stats())
    }

    /// Counts lines by the hour, so that what is kept is short however long the log is.
    fn lines(&self, plan: &Plan, tally: &mut Tally) -> rusqlite::Result<()> {
        let sql = format!(
            "SELECT time, kind, agent, verdict FROM lines WHERE {} ORDER BY id",
            plan.clause()
        );
        let mut groups: HashMap<Group, (u64, i64, i64)> = HashMap::new();
        for range in plan.ranges() {
            let mut rows = self.base.prepare(&sql)?;
            let mut rows = rows.query(params_from_iter(plan.values_in(*range)))?;
            while let Some(row) = rows.next()? {
                let time: Option<i64> = row.get(0)?;
                let group = (time.map(|ms| ms / HOUR), [row.get(1)?, row.get(2)?, row.get(3)?]);
                let time = time.unwrap_or_default();
                let (count, first, last) = groups.entry(group).or_insert((0, time, time));
                (*count, *first, *last) = (*count + 1, time.min(*first), time.max(*last));
            }
        }
        for ((hour, names), (count, first, last)) in groups {
            let [kind, agent, verdict] = names;
            let (kind, agent, verdict) = (self.text(kind)?, self.text(agent)?, self.text(verdict)?);
            let ms = |ms| u64::try_from(ms).unwrap_or_default();
            tally.add(&Row {
                count,
                between: hour.map(|_| (ms(first), ms(last))),
                kind: &kind,
                agent: &agent,
                verdict: &verdict,
            });
        }
        Ok(())
    }

    fn text(&self, name: Option<i64>) -> rusqlite::Result<String> {
        let Some(name) = name else { return Ok(String::new()) };
        self.base
            .query_row("SELECT text FROM names WHERE id = ?1", [name], |row| row.get(0))
    }

    /// How many lines touch each name of a sort, the most frequent ones first.
    fn names(&self, plan: &Plan, sort: Sort, most: i64) -> rusqlite::Result<Vec<(String, u64)>> {
        let sql = format!(
            "SELECT n.text, count(*) FROM names n CROSS JOIN touches t ON t.name = n.id CROSS JOIN lines ON lines.id = t.line
             WHERE n.sort = ? AND {} GROUP BY n.id ORDER BY count(*) DESC, n.text LIMIT ?",
            plan.clause()
        );
        let values = plan.values_in(plan.whole());
        let values = [Value::from(sort.number())]
            .into_iter()
            .chain(values)
            .chain([most.into()]);
        let mut rows = self.base.prepare(&sql)?;
        let rows = rows.query_map(params_from_iter(values), |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect()
    }
}
