//! Days on which exceptions end.

use std::time::SystemTime;

use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The day that a text names as `2026-12-31`.
pub(super) fn day(text: &str) -> Option<Date> {
    let shape = text.len() == 10
        && text.bytes().enumerate().all(|(at, b)| {
            if matches!(at, 4 | 7) {
                b == b'-'
            } else {
                b.is_ascii_digit()
            }
        });
    shape.then(|| text.parse().ok()).flatten()
}

/// Whether a day is over, by the clock of UTC. What is no day is over, too.
pub(super) fn is_over(text: &str, now: SystemTime) -> bool {
    let today = jiff::Timestamp::try_from(now).map(|now| now.to_zoned(TimeZone::UTC).date());
    match (day(text), today) {
        (Some(last), Ok(today)) => today > last,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn only_days_that_are_in_the_calendar_are_days() {
        for (text, good) in [
            ("2026-12-31", true),
            ("2028-02-29", true),
            ("2026-02-29", false),
            ("2026-13-40", false),
            ("2026-1-1", false),
            ("20261231", false),
            ("2026-12-31T00:00", false),
            ("never", false),
        ] {
            assert_eq!(day(text).is_some(), good, "{text}");
        }
    }

    #[test]
    fn a_day_counts_to_its_end_and_what_is_no_day_is_over() {
        // 2026-12-31, 23:59:59.
        let late = SystemTime::UNIX_EPOCH + Duration::from_secs(1_798_761_599);
        assert!(!is_over("2026-12-31", late));
        assert!(is_over("2026-12-31", late + Duration::from_secs(1)));
        assert!(is_over("2026-13-40", late));
    }
}
