//! Paths and hosts out of a record.
//!
//! An effect is stored as a line for people: `ACT [WHAT] [TARGET] [(LABELS)] [by PROGRAM]`. Targets are read from it as
//! they were written; where a name could end in two places, both count, because a search may rather find too much.

use crate::entry::Entry;

/// Acts whose target is a host where it is no path.
const OVER_THE_NET: [&str; 3] = ["send", "fetch", "connect"];

/// What an effect is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target<'a> {
    Path(&'a str),
    Host(&'a str),
}

/// All paths that a record names: targets of effects, and files that were asked for.
#[must_use]
pub fn paths(entry: &Entry<'_>) -> Vec<String> {
    let mut found = Vec::new();
    each_target(entry, |target| {
        if let Target::Path(path) = target {
            found.push(trimmed(path).to_owned());
        }
    });
    let files = entry.request.parts.iter().filter(|part| part.kind.starts_with("file."));
    found.extend(files.map(|part| absolute(&entry.cwd.path, &part.text)));
    sorted(found)
}

/// All hosts that a record names, in small letters and without their ports.
#[must_use]
pub fn hosts(entry: &Entry<'_>) -> Vec<String> {
    let mut found = Vec::new();
    each_target(entry, |target| {
        if let Target::Host(host) = target {
            found.push(host_of(host));
        }
    });
    let urls = entry.request.parts.iter().filter(|part| part.kind == "net.connect");
    found.extend(urls.map(|part| host_of(&part.text)));
    found.retain(|host| !host.is_empty());
    sorted(found)
}

fn sorted(mut found: Vec<String>) -> Vec<String> {
    found.sort_unstable();
    found.dedup();
    found
}

fn absolute(cwd: &str, path: &str) -> String {
    if path.starts_with('/') {
        return trimmed(path).to_owned();
    }
    let path = path.trim_start_matches("./");
    trimmed(&format!("{}/{path}", cwd.trim_end_matches('/'))).to_owned()
}

/// Without slashes at the end, the root aside.
pub(crate) fn trimmed(path: &str) -> &str {
    match path.trim_end_matches('/') {
        "" => "/",
        path => path,
    }
}

fn each_target<'e>(entry: &'e Entry<'_>, mut each: impl FnMut(Target<'e>)) {
    for effect in &entry.effects {
        targets(effect.as_str(), &mut each);
    }
}

fn targets<'e>(effect: &'e str, each: &mut impl FnMut(Target<'e>)) {
    let Some((act, rest)) = effect.split_once(' ') else {
        return;
    };
    let without_program = rest.rsplit_once(" by ").map(|(before, _)| before);
    let before_labels = |text: &'e str| {
        text.strip_suffix(')')
            .and_then(|text| text.rsplit_once(" ("))
            .map(|(t, _)| t)
    };
    let cut = without_program.unwrap_or(rest);
    if let Some(target) = before_labels(cut) {
        return named(act, target, each);
    }
    named(act, cut, each);
    // ` by ` may be part of a name.
    if without_program.is_some() {
        named(act, before_labels(rest).unwrap_or(rest), each);
    }
}

fn named<'e>(act: &str, text: &'e str, each: &mut impl FnMut(Target<'e>)) {
    let start = match text.starts_with('/') {
        true => Some(0),
        false => text.find(" /").map(|at| at + 1),
    };
    if let Some(path) = start.and_then(|at| text.get(at..)) {
        each(Target::Path(path));
    } else if OVER_THE_NET.contains(&act) && !text.is_empty() && !text.contains(' ') {
        each(Target::Host(text));
    }
}

/// The host of an address: without scheme, user, port and path.
pub(crate) fn host_of(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let host = match rest.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        // More than one colon is an address of version 6 without brackets.
        None if rest.matches(':').count() == 1 => rest.split(':').next().unwrap_or_default(),
        None => rest,
    };
    host.trim_end_matches('.').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(effect: &str) -> Vec<Target<'_>> {
        let mut all = Vec::new();
        targets(effect, &mut |target| all.push(target));
        all
    }

    #[test]
    fn targets_are_read_from_the_line_of_an_effect() {
        use Target::{Host, Path};
        for (effect, wanted) in [
            (
                "delete /home/ann/shop (recursive, force) by rm",
                &[Path("/home/ann/shop")][..],
            ),
            (
                "read /home/ann/a b by cat",
                &[Path("/home/ann/a b"), Path("/home/ann/a b by cat")],
            ),
            ("read /a/stand by me", &[Path("/a/stand"), Path("/a/stand by me")]),
            ("write /a (copy).txt", &[Path("/a (copy).txt")]),
            ("delete /", &[Path("/")]),
            ("discard worktree /a (lossy) by git", &[Path("/a")]),
            ("fetch example.org (network) by curl", &[Host("example.org")]),
            (
                "connect localhost:8443 by nc",
                &[Host("localhost:8443"), Host("localhost:8443 by nc")][..1],
            ),
            ("run git by git", &[]),
            ("run-unknown (unknown: limit)", &[]),
            ("", &[]),
        ] {
            assert_eq!(found(effect), wanted, "{effect}");
        }
    }

    #[test]
    fn hosts_are_told_apart_from_what_stands_around_them() {
        for (address, host) in [
            ("https://ann:pw@Example.ORG:8443/a?b#c", "example.org"),
            ("example.org.", "example.org"),
            ("[::1]:80", "::1"),
            ("fe80::1", "fe80::1"),
            ("10.0.0.1:22", "10.0.0.1"),
            ("", ""),
        ] {
            assert_eq!(host_of(address), host, "{address}");
        }
    }

    #[test]
    fn files_that_were_asked_for_count_beside_effects() {
        let line = br#"{"kind":"decision","cwd":{"path":"/w"},"request":{"parts":[{"kind":"file.write","text":"./a/b"},{"kind":"file.read","text":"/x/"},{"kind":"net.connect","text":"http://h/p"},{"kind":"command.run","text":"/no"}]},"effects":["write /w/a/b (workspace)"]}"#;
        let entry = Entry::parse(line).unwrap();
        assert_eq!(paths(&entry), ["/w/a/b", "/x"]);
        assert_eq!(hosts(&entry), ["h"]);
    }
}
