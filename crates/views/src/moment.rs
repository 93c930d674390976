//! Points in time, as records and people write them.

const DAY: u64 = 86_400_000;

/// A stretch of time that a person named: a day, a minute, a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Its first millisecond since 1970.
    pub from: u64,
    /// The first millisecond after it.
    pub to: u64,
}

impl Moment {
    /// Reads `2h` or `7d` (so long before `now`), `2026-11-30`, `2026-11-30T15:41` or `2026-11-30T15:41:58Z`, in UTC.
    ///
    /// # Errors
    /// A sentence that says what can be written.
    pub fn parse(text: &str, now: u64) -> Result<Self, String> {
        let at = age(text).map(|age| Self::exactly(now.saturating_sub(age)));
        at.or_else(|| date(text))
            .ok_or_else(|| format!("`{text}` is no time; write `30m`, `2h`, `7d`, `2026-11-30` or `2026-11-30T15:41`"))
    }

    const fn exactly(ms: u64) -> Self {
        Self { from: ms, to: ms + 1 }
    }
}

/// A number and `s`, `m`, `h`, `d` or `w`.
fn age(text: &str) -> Option<u64> {
    let unit = match text.chars().next_back()? {
        's' => 1000,
        'm' => 60_000,
        'h' => 3_600_000,
        'd' => DAY,
        'w' => 7 * DAY,
        _ => return None,
    };
    let number: u64 = digits(text.get(..text.len() - 1)?)?;
    number.checked_mul(unit)
}

fn date(text: &str) -> Option<Moment> {
    let (day, time) = match text.split_once(['T', ' ']) {
        Some((day, time)) => (day, Some(time.strip_suffix('Z').unwrap_or(time))),
        None => (text, None),
    };
    let start = days(day)? * DAY;
    let Some(time) = time else {
        return Some(Moment {
            from: start,
            to: start + DAY,
        });
    };
    let (ms, length) = of_day(time)?;
    Some(Moment {
        from: start + ms,
        to: start + ms + length,
    })
}

/// The milliseconds since 1970 of a record's time; `None` where it is none.
#[must_use]
pub fn millis(time: &str) -> Option<u64> {
    let (day, time) = time.strip_suffix('Z')?.split_once('T')?;
    Some(days(day)? * DAY + of_day(time)?.0)
}

/// `15:41`, `15:41:58` or `15:41:58.866`: its milliseconds, and how many are meant.
fn of_day(time: &str) -> Option<(u64, u64)> {
    let (clock, fraction) = time.split_once('.').map_or((time, None), |(c, f)| (c, Some(f)));
    let mut fields = clock.split(':');
    let (hours, minutes) = (two(fields.next()?)?, two(fields.next()?)?);
    let seconds = fields.next().map(two);
    if fields.next().is_some() || hours > 23 || minutes > 59 {
        return None;
    }
    let start = hours * 3_600_000 + minutes * 60_000;
    let Some(seconds) = seconds else {
        return fraction.is_none().then_some((start, 60_000));
    };
    let start = start + seconds.filter(|seconds| *seconds < 61)? * 1000;
    match fraction {
        None => Some((start, 1000)),
        Some(text) => {
            let digits = digits(text)?;
            let ms = format!("{:0<3}", text).get(..3)?.parse::<u64>().ok()?;
            (digits < 1_000_000_000).then_some((start + ms, 1))
        }
    }
}

fn two(text: &str) -> Option<u64> {
    digits(text).filter(|_| text.len() == 2)
}

fn digits(text: &str) -> Option<u64> {
    let all = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| text.parse().ok())?
}

/// The days since 1970 of a date.
fn days(text: &str) -> Option<u64> {
    let mut fields = text.split('-');
    let (year, month, day) = (fields.next()?, two(fields.next()?)?, two(fields.next()?)?);
    let year = digits(year).filter(|y| year.len() == 4 && *y >= 1970)?;
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let longest = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if fields.next().is_some() || !(1..=longest).contains(&day) {
        return None;
    }
    // The year is taken to start in March, which puts the leap day last; 146,097 days are 400 years.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let (era, of_era) = (year / 400, year % 400);
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + day_of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_they_are_written() {
        for ms in [
            0,
            951_782_399_999,
            951_782_400_000,
            1_709_164_800_000,
            1_735_689_599_001,
            4_107_542_400_000,
        ] {
            assert_eq!(millis(&ledger::rfc3339(ms)), Some(ms));
        }
        for text in [
            "",
            "2026-11-30",
            "2026-11-31T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-11-30T24:00:00Z",
            "x",
            "2026-11-30T15:41:58.x",
        ] {
            assert_eq!(millis(text), None, "{text}");
        }
    }

    #[test]
    fn people_name_ages_days_and_minutes() {
        let now = 1_000_000_000_000;
        let parse = |text| Moment::parse(text, now).map(|m| (m.from, m.to));
        assert_eq!(parse("2h"), Ok((now - 7_200_000, now - 7_199_999)));
        let day = millis("2026-11-30T00:00:00Z").unwrap();
        assert_eq!(parse("2026-11-30"), Ok((day, day + DAY)));
        assert_eq!(parse("2026-11-30T15:41"), Ok((day + 56_460_000, day + 56_520_000)));
        assert_eq!(parse("2026-11-30 15:41:58Z"), Ok((day + 56_518_000, day + 56_519_000)));
        for text in [
            "",
            "d",
            "2x",
            "-2h",
            "2026-13-01",
            "99999999999999999999d",
            "18446744073709551615d",
            "ä",
        ] {
            assert!(
                parse(text).unwrap_err().starts_with(&format!("`{text}` is no time")),
                "{text}"
            );
        }
    }
}
