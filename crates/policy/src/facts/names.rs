//! What a name says about the thing behind it: made for trials, on this machine, or elsewhere.
//!
//! The words stand in `rules/settings.toml`, table `words`. A name counts only when all of it is known.

use alloc::string::String;
use alloc::vec::Vec;

use super::settings;

/// Whether `text` is what the pattern `#kind` means.
pub(super) fn is(kind: &str, text: &str) -> bool {
    match kind {
        "scratch" => is_scratch(text),
        "real" => is_real(text),
        "here" => is_here(text),
        "elsewhere" => !is_here(text),
        "gate" => may_mean_gate(text),
        // A command where a file could stand.
        "piped" => text.starts_with(['|', '!']),
        _ => false,
    }
}

/// What a pattern of `pkill` is compared with, where the gate runs.
const GATE: &str = "tollgate-hook";

/// Whether a pattern of names, as `pkill -f` takes one, finds the gate: `toll.ate`, `[t]ollgate`, `^tol+gate`. What repeats
/// or chooses in it is taken for anything.
fn may_mean_gate(text: &str) -> bool {
    if text.starts_with('-') || !text.contains(|c: char| c.is_ascii_alphabetic()) && !text.contains('.') {
        return false;
    }
    text.split(['|', '(', ')']).any(|choice| {
        let mut glob = String::from("*");
        let mut chars = choice.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '^' | '$' => {}
                '\\' => glob.extend(chars.next()),
                '.' => glob.push('?'),
                '*' | '+' | '?' | '{' => {
                    glob.pop();
                    glob.push('*');
                }
                c => glob.push(c),
            }
        }
        glob.push('*');
        choice.chars().any(char::is_alphanumeric) && crate::glob::like(&glob, GATE)
            || matches!(choice, "." | ".*" | ".+")
    })
}

/// Whether `word` is one of the words of a kind of name.
pub(crate) fn is_listed(kind: &str, word: &str) -> bool {
    let rows = settings("words");
    rows.iter()
        .filter(|(name, _)| *name == kind)
        .any(|(_, role)| role.tags.contains(&word))
}

/// Whether the last part of a name is a table that only passes things on.
pub(crate) fn is_passing(name: &str) -> bool {
    words(name).iter().any(|w| is_listed("passing", w)) || is_scratch(name)
}

/// Whether a name says that the thing was made for trials: `shop_test`, `AcmeTest`, `postgres://localhost/dev`.
pub(crate) fn is_scratch(name: &str) -> bool {
    let Some(name) = own_name(name) else { return false };
    let words = words(name);
    words.iter().any(|w| is_listed("scratch", w)) && !words.iter().any(|w| is_listed("real", w))
}

/// Whether a name is that of a stage that others use.
pub(crate) fn is_real(name: &str) -> bool {
    words(name).iter().any(|w| is_listed("real", w))
}

/// The part of an address that names the thing itself; `None` when the address leads off this machine.
fn own_name(text: &str) -> Option<&str> {
    if let Some((_, rest)) = text.split_once("://") {
        let (_, path) = rest.split_once('/')?;
        let path = path.split(['?', '#']).next().unwrap_or_default();
        return is_here(text).then_some(path);
    }
    if let Some(database) = setting(text, "dbname=").or_else(|| setting(text, "database=")) {
        return is_here(text).then_some(database);
    }
    match text.split_once('/') {
        // `host.example/name`
        Some((first, _)) if first.trim_start_matches('.').contains('.') => None,
        Some(_) => text.rsplit('/').find(|part| !part.is_empty()),
        None => Some(text),
    }
}

/// `key=value` in `host=localhost dbname=shop_test` or `Server=localhost;Database=Shop`.
fn setting<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let parts = text.split([' ', ';']);
    let mut found = parts.filter_map(|part| {
        part.get(..key.len())
            .filter(|head| head.eq_ignore_ascii_case(key))
            .and_then(|_| part.get(key.len()..))
    });
    found.next()
}

/// Whether an address, or the name of a host, is this machine's.
pub(crate) fn is_here(text: &str) -> bool {
    let host = match text.split_once("://") {
        Some((_, rest)) => rest.split(['/', '?', '#']).next().unwrap_or_default(),
        None => match setting(text, "host=").or_else(|| setting(text, "server=")) {
            Some(host) => host,
            None if text.contains('=') => return true,
            None => text,
        },
    };
    let host = host.rsplit('@').next().unwrap_or_default();
    if host.starts_with(['/', '(']) || host.is_empty() {
        // A socket, and SQL Server's `(localdb)\NAME`.
        return true;
    }
    let inner = host.strip_prefix('[').and_then(|h| h.split(']').next());
    let plain = |h: &str| String::from(h.split([':', ',', '\\']).next().unwrap_or_default());
    let host = inner.map_or_else(|| plain(host), String::from).to_ascii_lowercase();
    host == "::1" || is_listed("here", &host) || host.split('.').next_back().is_some_and(|end| end == "localhost")
}

/// The words that a name is made of: parted by what is no letter, and where capitals begin. Digits at an end do not count.
fn words(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut small = false;
    for c in name.chars() {
        let starts = small && c.is_ascii_uppercase();
        if !c.is_alphanumeric() || starts {
            out.push(core::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.push(c.to_ascii_lowercase());
        }
        small = c.is_ascii_lowercase();
    }
    out.push(word);
    for word in &mut out {
        let kept = word.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        word.truncate(kept);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{is_here, is_scratch};

    #[test]
    fn a_name_made_of_words_for_trials_is_scratch() {
        for name in [
            "shop_test",
            "test_shop",
            "AcmeTest",
            "shop_scratch2",
            "dev.db",
            "data/dev.db",
            "mongodb://localhost:27017/shop_test",
            "postgres://ann:pw@127.0.0.1/tmp?sslmode=disable",
            "host=localhost port=1 dbname=ship_test",
            "compose.test.yml",
        ] {
            assert!(is_scratch(name), "{name}");
        }
        for name in [
            "shop",
            "testdb",
            "latest",
            "contest",
            "prod_test",
            "postgres://test:pw@h.example/shop",
            "postgres://h.example/shop_test",
            "h.example/shop_test",
            "host=h.example dbname=ship_test",
            "/home/ann/dev/app.db",
            "attestation",
        ] {
            assert!(!is_scratch(name), "{name}");
        }
    }

    #[test]
    fn a_host_is_here_when_it_is_this_machine() {
        for name in [
            "localhost",
            "127.0.0.1:9092",
            "localhost,1433",
            "http://[::1]:80/x",
            "/run/mysqld/x.sock",
            "(localdb)\\X",
            "http://u@localhost:4566",
        ] {
            assert!(is_here(name), "{name}");
        }
        for name in [
            "h.example",
            "10.0.0.1",
            "localhost.h.example",
            "http://localhost@h.example/",
        ] {
            assert!(!is_here(name), "{name}");
        }
    }
}
