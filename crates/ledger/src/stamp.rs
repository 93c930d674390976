//! When a record was written.

use std::fs::File;
use std::io::Read as _;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};

/// One moment on both clocks. The wall clock can be set back; the boot clock cannot, but starts again with every boot and
/// counts from elsewhere in a time namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// RFC 3339, milliseconds, UTC.
    pub(crate) time: String,
    /// Nanoseconds since boot, sleep included.
    pub(crate) mono_ns: u64,
    /// Which boot; empty where the system does not tell.
    pub(crate) boot_id: String,
    /// The wall clock was later when the record before was written.
    pub(crate) clock_back: bool,
}

impl Stamp {
    /// Now.
    pub(crate) fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            time: rfc3339(u64::try_from(since.as_millis()).unwrap_or(u64::MAX)),
            mono_ns: boot_clock(),
            boot_id: boot_id(),
            clock_back: false,
        }
    }

    /// The stamp of the record after one with `time` and `mono_ns` of `boot`: within a boot, order by the boot clock is
    /// the order of the records, and a wall clock that went back is marked. So where neither holds, somebody wrote it
    /// who was not there at that time.
    pub(crate) fn after(mut self, time: &str, mono_ns: u64, boot: &str) -> Self {
        if self.boot_id == boot {
            self.mono_ns = self.mono_ns.max(mono_ns);
        }
        // Both are of one form and length, so the order of the texts is that of the times.
        self.clock_back = *self.time < *time;
        self
    }
}

/// Nanoseconds since boot, sleep included. No setting of the wall clock changes it.
#[must_use]
pub fn boot_clock() -> u64 {
    let now = clock_gettime(ClockId::Boottime);
    let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
    let nanos = u64::try_from(now.tv_nsec).unwrap_or_default();
    seconds.saturating_mul(1_000_000_000).saturating_add(nanos)
}

/// The identity of this boot; empty where the system does not tell.
#[must_use]
pub fn boot_id() -> String {
    #[cfg(test)]
    if let Some(id) = tests::BOOT.with_borrow(Clone::clone) {
        return id;
    }
    static ID: OnceLock<String> = OnceLock::new();
    ID.get_or_init(|| {
        read_small("/proc/sys/kernel/random/boot_id")
            .unwrap_or_default()
            .trim()
            .into()
    })
    .clone()
}

/// The text of a small file of the system, read with one call.
#[must_use]
pub fn read_small(path: &str) -> Option<String> {
    let mut bytes = [0; 4096];
    let length = File::open(path).ok()?.read(&mut bytes).ok()?;
    String::from_utf8(bytes.get(..length)?.to_vec()).ok()
}

/// Formats milliseconds since 1970 without a time zone database.
#[must_use]
pub fn rfc3339(unix_ms: u64) -> String {
    let (days, ms_of_day) = (unix_ms / 86_400_000, unix_ms % 86_400_000);
    let (year, month, day) = civil(days);
    let (hours, minutes) = (ms_of_day / 3_600_000, ms_of_day / 60_000 % 60);
    let (seconds, ms) = (ms_of_day / 1000 % 60, ms_of_day % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{ms:03}Z")
}

/// The date of a day counted from 1970-01-01. The year is taken to start in March, which puts the leap day last; 146,097
/// days are 400 years.
const fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = era * 400 + year_of_era + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    thread_local! {
        /// Another boot than that of the machine, for this test.
        pub(crate) static BOOT: std::cell::RefCell<Option<String>> = const { std::cell::RefCell::new(None) };
    }

    /// From here on it is another boot.
    pub(crate) fn booted(name: u8) {
        BOOT.set(Some(format!("{name:02}345678-9abc-def0-1234-56789abcdef0")));
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
            (1_735_689_599_001, "2024-12-31T23:59:59.001Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(rfc3339(ms), text);
        }
    }

    #[test]
    fn a_clock_that_was_set_back_is_marked_and_the_boot_clock_never_goes_back() {
        let now = Stamp::now();
        let next = |time: &str, mono_ns, boot: &str| now.clone().after(time, mono_ns, boot);
        assert!(!next("", 0, "").clock_back);
        assert!(next("9999-01-01T00:00:00.000Z", 0, "").clock_back);
        assert_eq!(next("", u64::MAX, &now.boot_id).mono_ns, u64::MAX);
        assert_eq!(next("", u64::MAX, "another boot").mono_ns, now.mono_ns);
    }

    #[test]
    fn the_boot_clock_goes_forward() {
        let (a, b) = (Stamp::now(), Stamp::now());
        assert!(b.mono_ns >= a.mono_ns && a.mono_ns > 0);
        assert_eq!(a.boot_id, b.boot_id);
    }
}
