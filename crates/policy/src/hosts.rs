//! Addresses that are written to be taken for others: `rules/settings.toml` names the hosts that are copied.

use crate::facts::{RoleKind, settings};

/// Endings that make the name before an `@` read like a host.
const ENDINGS: &[&str] = &["com", "org", "net", "io", "dev", "co", "gov", "edu", "app", "ai"];

/// What kind of trick an address plays, if any: `host-in-name` (`http://github.com@h/`), `look-alike`.
pub(crate) fn trick(url: &str) -> Option<&'static str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let (user, host) = authority
        .rsplit_once('@')
        .map_or((None, authority), |(u, h)| (Some(u), h));
    if user.is_some_and(reads_like_host) {
        return Some("host-in-name");
    }
    let host = host.split(':').next().unwrap_or_default().to_ascii_lowercase();
    looks_like_another(&host).then_some("look-alike")
}

fn reads_like_host(user: &str) -> bool {
    let name = user.split([':', '%']).next().unwrap_or_default();
    name.rsplit_once('.')
        .is_some_and(|(head, end)| !head.is_empty() && ENDINGS.iter().any(|e| e.eq_ignore_ascii_case(end)))
}

fn looks_like_another(host: &str) -> bool {
    let known = settings("host");
    let own = |name: &str| host == name || host.strip_suffix(name).is_some_and(|head| head.ends_with('.'));
    if known.iter().any(|(name, _)| own(name)) {
        return false;
    }
    known.iter().any(|(name, role)| {
        let near = role.kind == RoleKind::Tag;
        is_copy(registered(host), name, near) || leads_with(host, name)
    })
}

/// The last two labels of a host.
fn registered(host: &str) -> &str {
    let mut dots = host.rmatch_indices('.').skip(1);
    dots.next()
        .map_or(host, |(at, _)| host.get(at + 1..).unwrap_or_default())
}

/// `github.com.example.net`: a known name where only the end of a host counts. `google.com.au` is a country's.
fn leads_with(host: &str, known: &str) -> bool {
    let rest = host.strip_prefix("www.").unwrap_or(host).strip_prefix(known);
    rest.and_then(|r| r.strip_prefix('.')).is_some_and(|r| r.len() > 2)
}

/// Whether a name differs from a known one by letters that look alike or, when `near`, by one slip of the keys.
fn is_copy(name: &str, known: &str, near: bool) -> bool {
    if skeleton(name).eq(skeleton(known)) {
        return true;
    }
    let (Some((a, end)), Some((b, known_end))) = (name.rsplit_once('.'), known.rsplit_once('.')) else {
        return false;
    };
    near && end == known_end && b.len() >= 5 && one_slip(a.as_bytes(), b.as_bytes())
}

/// Letters that are read as one another become one.
fn skeleton(text: &str) -> impl Iterator<Item = char> {
    let mut rest = text.chars();
    core::iter::from_fn(move || {
        let pair = match rest.as_str().as_bytes() {
            [b'r', b'n', ..] => 'm',
            [b'v', b'v', ..] => 'w',
            [b'c', b'l', ..] => 'd',
            _ => {
                return Some(match rest.next()? {
                    '0' => 'o',
                    '1' | 'i' | '|' => 'l',
                    '5' => 's',
                    '3' => 'e',
                    c => c,
                });
            }
        };
        rest.nth(1).map(|_| pair)
    })
}

/// One letter replaced, left out or added, or two neighbours swapped.
pub(crate) fn one_slip(a: &[u8], b: &[u8]) -> bool {
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (rest_a, rest_b) = (a.get(same..).unwrap_or_default(), b.get(same..).unwrap_or_default());
    match (rest_a, rest_b) {
        ([p, q, tail_a @ ..], [r, s, tail_b @ ..]) if p == s && q == r && tail_a == tail_b => true,
        _ => {
            let (x, y) = (rest_a.get(1..), rest_b.get(1..));
            x.is_some() && x == y || x == Some(rest_b) || y == Some(rest_a)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{one_slip, registered, trick};

    #[test]
    fn one_slip_is_one_letter_or_two_neighbours() {
        for (a, b) in [
            ("abc", "acb"),
            ("abc", "abd"),
            ("abc", "ab"),
            ("ab", "abc"),
            ("abc", "xabc"),
            ("abc", "bac"),
        ] {
            assert!(one_slip(a.as_bytes(), b.as_bytes()), "{a} {b}");
        }
        for (a, b) in [
            ("abc", "abc"),
            ("abc", "axd"),
            ("abc", "a"),
            ("abc", "cba"),
            ("abcd", "badc"),
            ("abc", "acbd"),
        ] {
            assert!(!one_slip(a.as_bytes(), b.as_bytes()), "{a} {b}");
        }
    }

    #[test]
    fn the_end_of_a_host_is_what_is_registered() {
        for (host, expected) in [("a", "a"), ("a.b", "a.b"), ("a.b.c", "b.c"), ("a.b.c.d", "c.d")] {
            assert_eq!(registered(host), expected);
        }
    }

    #[test]
    fn copies_of_known_hosts_are_seen_and_others_are_not() {
        for url in [
            "https://gitbub.com/x",
            "https://githup.com/x",
            "https://www.mlcrosoft.com/x",
            "https://paypaI.com/x",
            "https://github.com.example.net/x",
            "https://pytohn.org/x",
            "https://pythn.org",
            "https://GITBUB.com/x",
            "https://gitbub.com:443/x",
            "https://ann@gitbub.com",
            "https://gitbub.com?x",
            "https://gitbub.com#x",
            "https://gitbub.com\\x",
            "https://api.gitbub.com/x",
            "https://www.github.com.example.net",
        ] {
            assert_eq!(trick(url), Some("look-alike"), "{url}");
        }
        assert_eq!(trick("http://gitlab.com@192.0.2.7/x"), Some("host-in-name"));
        assert_eq!(trick("http://gitlab.com:x@192.0.2.7/x"), Some("host-in-name"));
        for url in [
            "https://github.com/a@b",
            "https://api.github.com/x",
            "https://x.githubusercontent.com",
            "https://gitea.com/x",
            "https://pypy.org/x",
            "https://stack.com",
            "https://ann:pw@git.example.org/x",
            "https://first.last@example.org/x",
            "https://www.google.com.au/x",
            "https://registry.npmjs.org",
            "http://localhost:8000",
            "http://127.0.0.1",
            "gitbub.com/x",
            "https://gitbub.org/x",
            "https://example.org/gitbub.com",
            "https://.com@example.org/x",
            "https://ann.surname@example.org/x",
            "https://mygithub.com/x",
            "https://github.com.au/x",
        ] {
            assert_eq!(trick(url), None, "{url}");
        }
    }
}
