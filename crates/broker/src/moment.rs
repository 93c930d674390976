//! Moments that a clock which was set back cannot bring back.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// A moment on both clocks: the one that people set, and the one that only a new boot starts again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moment {
    /// Milliseconds since 1970, as the wall clock said.
    pub wall_ms: u64,
    /// Nanoseconds since boot, sleep included.
    pub boot_ns: u64,
    /// Which boot; empty where the system does not tell.
    pub boot_id: String,
}

impl Moment {
    /// Now.
    #[must_use]
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            wall_ms: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
            boot_ns: ledger::boot_clock(),
            boot_id: ledger::boot_id(),
        }
    }

    /// The moment as people write it.
    #[must_use]
    pub fn rfc3339(&self) -> String {
        ledger::rfc3339(self.wall_ms)
    }

    /// How long ago an earlier moment was; `None` where no clock can tell, or where the wall clock was set back since.
    ///
    /// Within one boot only the boot clock counts. `latest` is the latest wall clock that was ever seen: across boots time
    /// is never earlier than that.
    #[must_use]
    pub fn since(&self, earlier: &Self, latest: u64) -> Option<Duration> {
        if !self.boot_id.is_empty() && self.boot_id == earlier.boot_id {
            return self.boot_ns.checked_sub(earlier.boot_ns).map(Duration::from_nanos);
        }
        self.wall_ms.checked_sub(earlier.wall_ms)?;
        let now = self.wall_ms.max(latest);
        now.checked_sub(earlier.wall_ms).map(Duration::from_millis)
    }

    /// Whether at least `lifetime` is over since an earlier moment. What cannot be told is over.
    #[must_use]
    pub fn is_over(&self, earlier: &Self, lifetime: Duration, latest: u64) -> bool {
        self.since(earlier, latest).is_none_or(|age| age >= lifetime)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn at(wall_s: u64, boot_s: u64, boot: &str) -> Moment {
        Moment {
            wall_ms: wall_s * 1000,
            boot_ns: boot_s * 1_000_000_000,
            boot_id: boot.into(),
        }
    }

    #[test]
    fn within_a_boot_the_wall_clock_does_not_count() {
        let asked = at(1_000_000, 100, "a");
        for wall in [0, 999_000, 1_000_001, 900_000_000] {
            assert!(!at(wall, 3_699, "a").is_over(&asked, HOUR, 0), "{wall}");
            assert!(at(wall, 3_700, "a").is_over(&asked, HOUR, 0), "{wall}");
        }
        assert!(
            at(1_000_001, 99, "a").is_over(&asked, HOUR, 0),
            "a boot clock that ran back"
        );
    }

    #[test]
    fn across_boots_no_time_comes_back() {
        let asked = at(1_000_000, 100, "a");
        assert!(!at(1_003_599, 5, "b").is_over(&asked, HOUR, 0));
        assert!(at(1_003_600, 5, "b").is_over(&asked, HOUR, 0));
        assert!(
            at(999_999, 5, "b").is_over(&asked, HOUR, 0),
            "set back behind the answer"
        );
        let latest = 1_005_000 * 1000;
        assert!(
            at(1_000_060, 5, "b").is_over(&asked, HOUR, latest),
            "later was seen before"
        );
        assert!(at(1_000_001, 101, "").is_over(&at(1_000_000, 100, ""), Duration::from_secs(1), 0));
    }
}
