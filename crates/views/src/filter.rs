//! What is looked for.

use memchr::memchr2_iter;

use crate::effects::{hosts, paths, trimmed};
use crate::entry::Entry;
use crate::moment::millis;

/// What a record has to be to be shown. All that is given has to fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// From this millisecond since 1970 on.
    pub since: Option<u64>,
    /// Before this millisecond.
    pub until: Option<u64>,
    /// The agent's name.
    pub agent: Option<String>,
    /// The verdict.
    pub verdict: Option<String>,
    /// A rule among its findings.
    pub rule: Option<String>,
    /// The kind of record.
    pub kind: Option<String>,
    /// The agent's session.
    pub session: Option<String>,
    /// A path that it names, or that lies above one.
    pub path: Option<String>,
    /// A host that it names, or the domain that one belongs to.
    pub host: Option<String>,
    /// Words in one of its texts; case does not count.
    pub text: Option<String>,
}

impl Filter {
    /// Whether everything fits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a line fits. What is no record fits only where nothing is asked.
    #[must_use]
    pub fn fits(&self, line: &[u8]) -> bool {
        if self.is_empty() {
            return true;
        }
        self.can_hold_text(line) && Entry::parse(line).is_some_and(|entry| self.fits_entry(&entry))
    }

    /// Whether a record fits.
    #[must_use]
    pub fn fits_entry(&self, entry: &Entry<'_>) -> bool {
        self.fits_fields(entry) && self.fits_places(entry) && self.fits_text(entry)
    }

    fn fits_fields(&self, entry: &Entry<'_>) -> bool {
        let is = |wanted: &Option<String>, is: &str| wanted.as_ref().is_none_or(|wanted| wanted == is);
        is(&self.agent, &entry.agent.name)
            && is(&self.verdict, &entry.verdict)
            && is(&self.kind, &entry.kind)
            && is(&self.session, &entry.session)
            && self.fits_time(&entry.time)
            && self
                .rule
                .as_ref()
                .is_none_or(|rule| entry.findings.iter().any(|f| f.rule == *rule))
    }

    fn fits_time(&self, time: &str) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        let after = |ms| self.since.is_none_or(|since| ms >= since);
        let before = |ms| self.until.is_none_or(|until| ms < until);
        millis(time).is_some_and(|ms| after(ms) && before(ms))
    }

    fn fits_places(&self, entry: &Entry<'_>) -> bool {
        let path = |wanted: &String| paths(entry).iter().any(|path| is_below(path, wanted));
        let host = |wanted: &String| hosts(entry).iter().any(|host| is_part_of(host, wanted));
        self.path.as_ref().is_none_or(path) && self.host.as_ref().is_none_or(host)
    }

    fn fits_text(&self, entry: &Entry<'_>) -> bool {
        let Some(words) = &self.text else { return true };
        if words.is_ascii() {
            return entry.texts().any(|text| holds(text.as_bytes(), words.as_bytes()));
        }
        let words = words.to_lowercase();
        entry.texts().any(|text| text.to_lowercase().contains(&words))
    }

    /// Whether the words may stand in a line: in JSON only some characters are written in another way.
    fn can_hold_text(&self, line: &[u8]) -> bool {
        let plain = |words: &&String| {
            words
                .bytes()
                .all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\'))
        };
        self.text
            .as_ref()
            .filter(plain)
            .is_none_or(|words| holds(line, words.as_bytes()))
    }
}

/// Whether a path is `wanted` or lies below it.
pub(crate) fn is_below(path: &str, wanted: &str) -> bool {
    let wanted = trimmed(wanted);
    wanted == "/"
        || path
            .strip_prefix(wanted)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a host is `wanted` or a name in that domain.
pub(crate) fn is_part_of(host: &str, wanted: &str) -> bool {
    let wanted = wanted.trim_matches('.').to_ascii_lowercase();
    host.strip_suffix(wanted.as_str())
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Whether ASCII words stand in a text; case does not count.
fn holds(text: &[u8], words: &[u8]) -> bool {
    let Some(first) = words.first() else { return true };
    let same = |at: usize| {
        text.get(at..at + words.len())
            .is_some_and(|part| part.eq_ignore_ascii_case(words))
    };
    memchr2_iter(first.to_ascii_lowercase(), first.to_ascii_uppercase(), text).any(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &[u8] = br#"{"seq":1,"time":"2026-11-30T15:41:58.866Z","kind":"decision","agent":{"name":"claude"},"session":"s1","verdict":"ask","findings":[{"rule":"a"},{"rule":"b"}],"request":{"parts":[{"kind":"command.run","text":"RM -rf \"x\u001b\""}]},"effects":["delete /home/ann/shop/x (force) by rm","fetch api.Example.org by curl"]}"#;

    fn with(change: impl FnOnce(&mut Filter)) -> bool {
        let mut filter = Filter::default();
        change(&mut filter);
        filter.fits(LINE)
    }

    #[test]
    fn all_that_is_given_has_to_fit() {
        let ms = millis("2026-11-30T15:41:58.866Z").unwrap();
        let s = |text: &str| Some(text.to_owned());
        assert!(with(|f| (f.since, f.until) = (Some(ms), Some(ms + 1))));
        assert!(!with(|f| f.since = Some(ms + 1)));
        assert!(!with(|f| f.until = Some(ms)));
        assert!(with(|f| f.agent = s("claude")) && !with(|f| f.agent = s("claud")));
        assert!(with(|f| f.verdict = s("ask")) && !with(|f| f.verdict = s("deny")));
        assert!(with(|f| f.rule = s("b")) && !with(|f| f.rule = s("c")));
        assert!(with(|f| f.kind = s("decision")) && !with(|f| f.kind = s("start")));
        assert!(with(|f| f.session = s("s1")) && !with(|f| f.session = s("s")));
        assert!(!with(|f| (f.agent, f.verdict) = (s("claude"), s("deny"))));
        for (path, fits) in [
            ("/home/ann/shop", true),
            ("/home/ann/shop/", true),
            ("/home/ann/sho", false),
            ("/", true),
            ("/home/ann/shop/x/y", false),
        ] {
            assert_eq!(with(|f| f.path = s(path)), fits, "{path}");
        }
        for (host, fits) in [
            ("api.example.org", true),
            ("EXAMPLE.org", true),
            ("ple.org", false),
            ("example.com", false),
        ] {
            assert_eq!(with(|f| f.host = s(host)), fits, "{host}");
        }
        for (text, fits) in [
            ("rm -RF", true),
            ("\"x\u{1b}", true),
            ("rm -rx", false),
            ("decision", false),
            ("", true),
        ] {
            assert_eq!(with(|f| f.text = s(text)), fits, "{text}");
        }
    }

    #[test]
    fn what_is_no_record_fits_only_where_nothing_is_asked() {
        assert!(Filter::default().fits(b"\xff"));
        let agent = Filter {
            agent: Some(String::new()),
            ..Filter::default()
        };
        assert!(!agent.fits(b"\xff") && !agent.fits(b"{}"));
    }
}
