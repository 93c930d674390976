//! The circuit breaker: an agent that is refused again and again may only read for a while.
//!
//! Denials, asks that nobody answered and answers of no count, per agent and for the machine as a whole. Reading stays
//! possible, so that a page that provokes five questions cannot lock anybody out.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::approvals::Secret;
use crate::config::Limits;
use crate::files;
use crate::moment::Moment;
use crate::secret::{known_secret, machine_secret};

/// All agents together may be refused this many times as often as one.
const MACHINE: u32 = 4;
/// The same question within this time is one.
const SAME: Duration = Duration::from_secs(10);
/// The file that says since when a refusal could not be counted.
const UNCOUNTED: &str = "uncounted.json";
/// The name under which the whole machine is locked.
const ALL: &str = "*";

/// A lock that is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Locked {
    /// How much longer; what cannot be read says nothing of that.
    pub(crate) left: Duration,
    /// Why.
    pub(crate) why: Why,
}

/// Why there is a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// Too much was refused to this agent.
    Own,
    /// Too much was refused to all agents together.
    All,
    /// A refusal could not be counted.
    Uncounted,
    /// What was counted cannot be read.
    Damaged,
}

/// Something that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal<'a> {
    /// Which agent's process.
    pub(crate) agent: &'a str,
    /// The digest of what it wanted.
    pub(crate) request: &'a str,
    /// The approval that waits, where one does: a later yes takes the refusal back.
    pub(crate) approval: &'a str,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct State {
    refused: Vec<Event>,
    locked: BTreeMap<String, Moment>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Event {
    agent: String,
    request: String,
    approval: String,
    at: Moment,
}

/// What is stored, with a seal: whoever edits it does not know the secret.
#[derive(Deserialize, Serialize)]
struct Sealed<T> {
    mac: String,
    what: T,
}

/// The breaker of one installation.
#[derive(Debug)]
pub(crate) struct Breaker<'a> {
    state: PathBuf,
    folder: PathBuf,
    limits: &'a Limits,
}

impl<'a> Breaker<'a> {
    pub(crate) fn at(state: &Path, limits: &'a Limits) -> Self {
        Self {
            state: state.to_owned(),
            folder: state.join("breaker"),
            limits,
        }
    }

    /// The lock that an agent is under. What cannot be read, has another's seal or is gone is a lock: nobody damages it by
    /// accident, since it is written whole or not at all.
    pub(crate) fn locked(&self, agent: &str, now: &Moment) -> Option<Locked> {
        if !self.limits.enabled {
            return None;
        }
        let damaged = Locked {
            left: seconds(self.limits.cooldown_seconds),
            why: Why::Damaged,
        };
        let (Ok(state), Ok(uncounted)) = (self.read(), self.uncounted()) else {
            return Some(damaged);
        };
        let left = |from: Option<&Moment>| from.and_then(|from| self.left(from, now));
        let own = (left(state.locked.get(agent)), Why::Own);
        let others = [
            (left(state.locked.get(ALL)), Why::All),
            (left(uncounted.as_ref()), Why::Uncounted),
        ];
        let longest = others.into_iter().fold(own, |a, b| if b.0 > a.0 { b } else { a });
        longest.0.map(|left| Locked { left, why: longest.1 })
    }

    /// Who is locked, and for how many more seconds.
    pub(crate) fn locks(&self, now: &Moment) -> Vec<(String, u64)> {
        if !self.limits.enabled {
            return Vec::new();
        }
        let state = self.read().unwrap_or_default();
        let agents = state.locked.iter().filter(|(who, _)| *who != ALL);
        let all = self
            .locked(ALL, now)
            .map(|locked| (ALL.to_owned(), locked.left.as_secs().max(1)));
        agents
            .filter_map(|(who, from)| Some((who.clone(), self.left(from, now)?.as_secs().max(1))))
            .chain(all)
            .collect()
    }

    /// Counts a refusal; true where it is the one that locks.
    ///
    /// # Errors
    /// When it cannot be kept.
    pub(crate) fn count(&self, refusal: &Refusal<'_>, now: &Moment) -> io::Result<bool> {
        if !self.limits.enabled || self.locked(refusal.agent, now).is_some() {
            return Ok(false);
        }
        let counted = self.counted(refusal, now);
        if counted.is_err() {
            // Whoever holds the lock of the folder would not be counted at all otherwise.
            self.note_uncounted(now)?;
        }
        counted
    }

    fn counted(&self, refusal: &Refusal<'_>, now: &Moment) -> io::Result<bool> {
        self.change(|state| {
            let window = seconds(self.limits.window_seconds);
            state.refused.retain(|event| !now.is_over(&event.at, window, 0));
            let same = |event: &&mut Event| event.agent == refusal.agent && event.request == refusal.request;
            if let Some(event) = state.refused.iter_mut().find(same)
                && !now.is_over(&event.at, SAME, 0)
            {
                return false;
            }
            state.refused.push(Event {
                agent: refusal.agent.into(),
                request: refusal.request.into(),
                approval: refusal.approval.into(),
                at: now.clone(),
            });
            self.trip(state, refusal.agent, now)
        })
    }

    fn trip(&self, state: &mut State, agent: &str, now: &Moment) -> bool {
        let own = state.refused.iter().filter(|event| event.agent == agent).count();
        let reached = |count: usize, most: u32| u32::try_from(count).unwrap_or(u32::MAX) >= most;
        let most = self.limits.threshold.get();
        let who = if reached(own, most) {
            agent
        } else if reached(state.refused.len(), most.saturating_mul(MACHINE)) {
            ALL
        } else {
            return false;
        };
        state.locked.retain(|_, from| self.left(from, now).is_some());
        state.locked.insert(who.into(), now.clone());
        // Whoever is let go starts anew.
        state.refused.retain(|event| who != ALL && event.agent != who);
        true
    }

    /// Takes back what was counted for an ask that a person says yes to.
    ///
    /// # Errors
    /// When it cannot be kept.
    pub(crate) fn forgive(&self, approval: &str) -> io::Result<()> {
        if !self.path().exists() {
            return Ok(());
        }
        self.change(|state| state.refused.retain(|event| event.approval != approval))
    }

    /// Ends all locks, and forgets what was counted. How many locks there were.
    ///
    /// # Errors
    /// When it cannot be kept.
    pub(crate) fn unlock(&self, now: &Moment) -> io::Result<usize> {
        let count = self.locks(now).len();
        let lock = files::lock_or_take(&self.folder)?;
        self.keep(&lock, &State::default())?;
        match std::fs::remove_file(self.folder.join(UNCOUNTED)) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
            _ => Ok(count),
        }
    }

    fn left(&self, from: &Moment, now: &Moment) -> Option<Duration> {
        let over = now.since(from, 0)?;
        seconds(self.limits.cooldown_seconds)
            .checked_sub(over)
            .filter(|left| !left.is_zero())
    }

    fn path(&self) -> PathBuf {
        self.folder.join("state.json")
    }

    /// What was counted; nothing where there is no file.
    fn read(&self) -> io::Result<State> {
        match self.unsealed(&self.path())? {
            None if files::is_marked(&self.folder) => Err(io::ErrorKind::InvalidData.into()),
            state => Ok(state.unwrap_or_default()),
        }
    }

    fn keep(&self, lock: &files::Lock, state: &State) -> io::Result<()> {
        files::replace(lock, &self.path(), &self.sealed(state)?)?;
        lock.mark()
    }

    fn sealed<T: Serialize>(&self, what: &T) -> io::Result<Vec<u8>> {
        let secret = Secret::new(machine_secret(&self.state).map_err(io::Error::other)?);
        let mac = secret.sign(&named(what)?);
        Ok(serde_json::to_vec(&Sealed { mac, what })?)
    }

    /// What stands in a file of ours; `None` where there is none.
    fn unsealed<T: Serialize + for<'de> Deserialize<'de>>(&self, path: &Path) -> io::Result<Option<T>> {
        let text = match files::text(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text?,
        };
        let Sealed { mac, what } = serde_json::from_str(&text)?;
        let secret = known_secret(&self.state).map_err(io::Error::other)?;
        let genuine = match secret {
            Some(secret) => Secret::new(secret).signed(&named(&what)?, &mac),
            None => false,
        };
        if genuine {
            Ok(Some(what))
        } else {
            Err(io::ErrorKind::InvalidData.into())
        }
    }

    /// When a refusal could not be counted.
    fn uncounted(&self) -> io::Result<Option<Moment>> {
        self.unsealed(&self.folder.join(UNCOUNTED))
    }

    /// Keeps that a refusal could not be counted, without the lock that could not be had.
    fn note_uncounted(&self, now: &Moment) -> io::Result<()> {
        let path = self.folder.join(UNCOUNTED);
        let new = self.folder.join(format!("{UNCOUNTED}.{}", std::process::id()));
        std::fs::write(&new, self.sealed(now)?)?;
        std::fs::rename(new, path)
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> io::Result<T> {
        let lock = files::lock(&self.folder)?;
        let mut state = self.read()?;
        let said = change(&mut state);
        self.keep(&lock, &state)?;
        Ok(said)
    }
}

/// What is sealed: nothing that is sealed elsewhere begins like this.
fn named(what: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = b"breaker\n".to_vec();
    serde_json::to_writer(&mut bytes, what)?;
    Ok(bytes)
}

/// The sentence of a lock, for whoever is refused by it (spec V-3110).
pub(crate) fn words(locked: Locked, limits: &Limits) -> String {
    let (whose, most) = match locked.why {
        Why::Own => ("of this agent", limits.threshold.get()),
        Why::All => ("of all agents together", limits.threshold.get().saturating_mul(MACHINE)),
        Why::Uncounted => {
            return format!(
                "a refusal could not be counted, since the state of the breaker was held or could not be written; for {} more seconds only reading is let through",
                locked.left.as_secs().max(1)
            );
        }
        Why::Damaged => {
            return "the state of the breaker is not as it was written; until a person runs `tollgate unlock` only reading is let through".into();
        }
    };
    format!(
        "{most} calls {whose} were refused within {} seconds; for {} more seconds only reading is let through",
        limits.window_seconds,
        locked.left.as_secs().max(1),
    )
}

fn seconds(number: NonZeroU32) -> Duration {
    Duration::from_secs(u64::from(number.get()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Moment {
        Moment {
            wall_ms: 1_700_000_000_000 + seconds * 1000,
            boot_ns: seconds * 1_000_000_000,
            boot_id: "boot".into(),
        }
    }

    struct Bench {
        home: tempfile::TempDir,
        limits: Limits,
    }

    impl Bench {
        fn new() -> Self {
            Self {
                home: tempfile::tempdir().unwrap(),
                limits: Limits::default(),
            }
        }

        fn breaker(&self) -> Breaker<'_> {
            Breaker::at(self.home.path(), &self.limits)
        }

        /// Refuses something new to an agent.
        fn refuse(&self, agent: &str, second: u64) -> bool {
            let request = format!("r{second}");
            let refusal = Refusal {
                agent,
                request: &request,
                approval: &format!("a{second}"),
            };
            self.breaker().count(&refusal, &at(second)).unwrap()
        }

        fn locked(&self, agent: &str, second: u64) -> Option<u64> {
            self.breaker()
                .locked(agent, &at(second))
                .map(|locked| locked.left.as_secs())
        }
    }

    #[test]
    fn v_3101_the_fifth_refusal_in_a_minute_locks_for_five_minutes() {
        let bench = Bench::new();
        for second in [1, 11, 21, 31] {
            assert!(!bench.refuse("a", second));
        }
        assert_eq!(bench.locked("a", 32), None);
        assert!(bench.refuse("a", 60));
        assert_eq!(bench.locked("a", 60), Some(300));
        assert_eq!(bench.locked("a", 359), Some(1));
        assert_eq!(bench.locked("a", 360), None);
    }

    #[test]
    fn refusals_that_are_spread_out_lock_nobody() {
        let bench = Bench::new();
        assert!((0..40).all(|n| !bench.refuse("a", n * 15)));
    }

    #[test]
    fn v_3105_a_lock_is_not_made_longer() {
        let bench = Bench::new();
        (1..6).for_each(|second| assert_eq!(bench.refuse("a", second), second == 5));
        for second in 6..20 {
            assert!(!bench.refuse("a", second));
        }
        assert_eq!(bench.locked("a", 20), Some(285));
    }

    #[test]
    fn v_3108_one_agent_does_not_lock_another_but_all_together_do() {
        let bench = Bench::new();
        (1..6).for_each(|second| {
            bench.refuse("a", second);
        });
        assert!(bench.locked("a", 6).is_some() && bench.locked("b", 6).is_none());
        // Five of `a` were counted before; four each of five others make twenty.
        let bench = Bench::new();
        let mut tripped = 0;
        for (n, agent) in ["b", "c", "d", "e", "f"].into_iter().enumerate() {
            for k in 0..4 {
                let second = 1 + u64::try_from(n * 4 + k).unwrap();
                tripped += usize::from(bench.refuse(agent, second));
            }
        }
        assert_eq!(tripped, 1);
        assert_eq!(bench.locked("z", 21), Some(299));
    }

    #[test]
    fn the_same_question_within_ten_seconds_is_one() {
        let bench = Bench::new();
        let refusal = Refusal {
            agent: "a",
            request: "same",
            approval: "",
        };
        for second in 0..10 {
            assert!(!bench.breaker().count(&refusal, &at(second)).unwrap());
        }
        assert!(!bench.refuse("a", 11) && !bench.refuse("a", 12) && !bench.refuse("a", 13));
        assert!(bench.refuse("a", 14));
    }

    #[test]
    fn m_98_a_yes_takes_its_refusal_back() {
        let bench = Bench::new();
        for second in 1..5 {
            bench.refuse("a", second);
            bench.breaker().forgive(&format!("a{second}")).unwrap();
        }
        assert!((5..9).all(|second| !bench.refuse("a", second)));
        assert!(bench.refuse("a", 9));
    }

    #[test]
    fn v_3109_unlock_starts_anew() {
        let bench = Bench::new();
        (1..6).for_each(|second| {
            bench.refuse("a", second);
        });
        assert_eq!(bench.breaker().unlock(&at(7)).unwrap(), 1);
        assert_eq!(bench.locked("a", 8), None);
        assert!((8..12).all(|second| !bench.refuse("a", second)));
    }

    #[test]
    fn no_edit_ends_a_lock() {
        let bench = Bench::new();
        (1..6).for_each(|second| {
            bench.refuse("a", second);
        });
        let path = bench.breaker().path();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("\"a\":"), "{text}");
        for edit in [
            text.replace("\"a\":", "\"b\":"),
            "{}".into(),
            r#"{"mac":"","what":{}}"#.into(),
        ] {
            std::fs::write(&path, edit).unwrap();
            let locked = bench.breaker().locked("a", &at(7)).unwrap();
            assert_eq!(locked.why, Why::Damaged);
        }
        std::fs::remove_file(&path).unwrap();
        assert_eq!(bench.breaker().locked("z", &at(7)).unwrap().why, Why::Damaged);
        bench.breaker().unlock(&at(8)).unwrap();
        assert_eq!(bench.locked("a", 9), None);
    }

    #[test]
    fn a_person_unlocks_while_somebody_holds_the_lock() {
        let bench = Bench::new();
        (1..6).for_each(|second| {
            bench.refuse("a", second);
        });
        let held = files::lock(&bench.breaker().folder).unwrap();
        assert_eq!(bench.breaker().unlock(&at(7)).unwrap(), 1);
        assert_eq!(bench.locked("a", 8), None);
        drop(held);
    }

    #[test]
    fn v_3102_it_can_be_set_and_switched_off() {
        let mut bench = Bench::new();
        bench.limits.threshold = NonZeroU32::new(2).unwrap();
        bench.limits.cooldown_seconds = NonZeroU32::new(10).unwrap();
        assert!(!bench.refuse("a", 1) && bench.refuse("a", 2));
        assert_eq!(bench.locked("a", 3), Some(9));
        bench.limits.enabled = false;
        assert_eq!(bench.locked("a", 3), None);
        assert!((20..40).all(|second| !bench.refuse("b", second)));
    }

    #[test]
    fn r_9_no_wall_clock_ends_or_makes_a_lock() {
        let bench = Bench::new();
        (1..6).for_each(|second| {
            bench.refuse("a", second);
        });
        let wall = |wall_ms| Moment { wall_ms, ..at(100) };
        for wall_ms in [0, u64::MAX / 2] {
            assert!(bench.breaker().locked("a", &wall(wall_ms)).is_some());
        }
    }

    #[test]
    fn v_3107_what_cannot_be_read_is_a_lock_until_a_person_ends_it() {
        let bench = Bench::new();
        assert_eq!(bench.locked("a", 1), None, "no file is no lock");
        for bad in ["{", "", "[1]", "{\"locked\": 3}", "\u{0}"] {
            (1..6).for_each(|second| {
                bench.refuse("a", second);
            });
            std::fs::write(bench.breaker().path(), bad).unwrap();
            for (agent, second) in [("a", 6), ("b", 6), ("a", 100_000)] {
                let locked = bench.breaker().locked(agent, &at(second)).unwrap();
                assert_eq!(locked.why, Why::Damaged, "{bad}");
            }
            assert!(!bench.refuse("a", 10), "and nothing is written over it");
            assert_eq!(std::fs::read_to_string(bench.breaker().path()).unwrap(), bad);
            assert_eq!(bench.breaker().locks(&at(6)).len(), 1);
            assert!(bench.breaker().forgive("a1").is_err());
            assert_eq!(bench.breaker().unlock(&at(7)).unwrap(), 1);
            assert_eq!(bench.locked("a", 8), None);
        }
    }

    #[test]
    fn whoever_holds_the_lock_of_the_folder_may_only_read() {
        let bench = Bench::new();
        bench.refuse("a", 1);
        let held = files::lock(&bench.breaker().folder).unwrap();
        let from = std::time::Instant::now();
        let refusal = Refusal {
            agent: "a",
            request: "new",
            approval: "",
        };
        assert!(bench.breaker().count(&refusal, &at(2)).is_err());
        assert!(from.elapsed() < Duration::from_secs(4), "the wait is bounded");
        for agent in ["a", "b"] {
            let locked = bench.breaker().locked(agent, &at(3)).unwrap();
            assert_eq!((locked.why, locked.left.as_secs()), (Why::Uncounted, 299));
        }
        assert_eq!(bench.locked("a", 303), None);
        drop(held);
        assert!(bench.breaker().unlock(&at(4)).unwrap() > 0);
        assert_eq!(bench.locked("a", 5), None);
    }
}
