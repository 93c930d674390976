//! Names of packages: what a word that names one says, and whether it is close to a well-known name (spec F-1503).

use alloc::borrow::Cow;
use alloc::string::{String, ToString};

use crate::hosts::one_slip;

include!(concat!(env!("OUT_DIR"), "/packages.rs"));

/// Letters of the shortest name that is compared: shorter ones are close to too many.
const SHORTEST: usize = 5;
/// Letters from which on another letter, one more or one less is a slip. In shorter names only letters that changed places
/// or were doubled are: one letter apart are too many packages of their own.
const LONG: usize = 6;
/// Letters that begin a word which is a place and no name.
const PLACES: &[char] = &['.', '/', '~', '-'];

/// What the names of files end in that stand where a package could.
const FILES: &[&str] = &[".tgz", ".whl", ".gz", ".zip", ".txt", ".in", ".toml"];

/// A package as somebody named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// Its name, in small letters.
    pub(crate) name: String,
    /// What was said about the version; empty where nothing was.
    pub(crate) version: String,
}

/// The package that a word names in a registry; `None` where it is a path, an address or no name at all.
pub(crate) fn read(word: &str) -> Option<Named> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "@/._-".contains(c);
    let scope = usize::from(word.starts_with('@'));
    let rest = word.get(scope..)?;
    let ends = rest.find(['@', '=', '<', '>', '~', '!', '[', ';', ' ', '^']);
    let (name, said) = word.split_at_checked(ends.map_or(word.len(), |at| at + scope))?;
    let is_place = name.is_empty() || name.starts_with(PLACES) || said.contains(['/', ':']);
    let is_file = FILES.iter().any(|ending| name.ends_with(ending));
    let is_path = is_file || scope == 0 && name.contains('/') || name.contains("..");
    if is_place || is_path || !name.chars().all(plain) {
        return None;
    }
    // `requests[socks]==2`: what stands in brackets is no version.
    let version = said.rsplit_once(']').map_or(said, |(_, after)| after);
    Some(Named {
        name: name.to_ascii_lowercase(),
        version: version.trim_start_matches('@').to_string(),
    })
}

impl Named {
    /// Whether one version and no other is meant.
    pub(crate) fn is_pinned(&self) -> bool {
        let version = self.version.trim_start_matches('=');
        let is_number = version.starts_with(|c: char| c.is_ascii_digit()) && version.contains('.');
        is_number && version.chars().all(|c| c.is_ascii_alphanumeric() || ".+-_".contains(c)) && !version.contains(".x")
    }

    /// The well-known package of a registry that the name is one slip of the keys away from.
    pub(crate) fn near(&self, registry: &str) -> Option<&'static str> {
        let known = PACKAGES.iter().find(|(of, _)| *of == registry)?.1;
        let name = spelt(registry, &self.name);
        if name.len() < SHORTEST || name.starts_with('@') || known.binary_search(&&*name).is_ok() {
            return None;
        }
        let near = |own: &&&str| own.len() >= SHORTEST && own.len().abs_diff(name.len()) <= 1 && is_slip(&name, own);
        known.iter().find(near).copied()
    }
}

/// PyPI takes `_`, `.` and `-` for the same letter.
fn spelt<'n>(registry: &str, name: &'n str) -> Cow<'n, str> {
    match registry {
        "pypi" if name.contains(['_', '.']) => Cow::Owned(name.replace(['_', '.'], "-")),
        _ => Cow::Borrowed(name),
    }
}

fn is_slip(name: &str, own: &str) -> bool {
    one_slip(name.as_bytes(), own.as_bytes()) && (own.len() >= LONG || is_swapped(name, own) || is_doubled(name, own))
}

/// The same letters in another order.
fn is_swapped(name: &str, own: &str) -> bool {
    let count = |text: &str, byte: u8| text.bytes().filter(|b| *b == byte).count();
    name.len() == own.len() && own.bytes().all(|byte| count(name, byte) == count(own, byte))
}

/// One letter stands there twice instead of once.
fn is_doubled(name: &str, own: &str) -> bool {
    let (mut letters, mut last) = (String::new(), None);
    for (c, next) in name.chars().zip(own.chars().chain(['\0'])) {
        if last != Some(c) || c == next {
            letters.push(c);
        }
        last = Some(c);
    }
    name.len() == own.len() + 1 && letters == own
}

#[cfg(test)]
mod tests {
    use super::{PACKAGES, read};

    fn near(registry: &str, word: &str) -> Option<&'static str> {
        read(word).and_then(|named| named.near(registry))
    }

    #[test]
    fn one_slip_away_from_a_well_known_name_is_near() {
        for (registry, word, known) in [
            ("npm", "lodahs", "lodash"),
            ("npm", "expresss", "express"),
            ("npm", "expres", "express"),
            ("npm", "expresz@4.1.0", "express"),
            ("npm", "axois", "axios"),
            ("npm", "chalkk", "chalk"),
            ("npm", "LODAHS", "lodash"),
            ("pypi", "reqeusts==2.32", "requests"),
            ("pypi", "djagno", "django"),
            ("pypi", "scikit_laern", "scikit-learn"),
            ("pypi", "beautifulsuop4[lxml]>=4", "beautifulsoup4"),
            ("crates", "serde_jsno", "serde_json"),
        ] {
            assert_eq!(near(registry, word), Some(known), "{word}");
        }
    }

    #[test]
    fn what_is_known_short_scoped_a_place_or_far_is_not() {
        for (registry, word) in [
            ("npm", "express"),
            ("npm", "preact"),
            ("npm", "ioredis"),
            ("npm", "@acme/lodahs"),
            ("npm", "@lodahs/x"),
            ("npm", "./lodahs"),
            ("npm", "../lodahs"),
            ("npm", "/srv/lodahs"),
            ("npm", "~/lodahs"),
            ("npm", "ann/lodahs"),
            ("npm", "github:ann/lodahs"),
            ("npm", "git+https://h.example/lodahs"),
            ("npm", "https://h.example/lodahs.tgz"),
            ("npm", "lodahs@file:vendor/lodahs"),
            ("npm", "lodahs.tgz"),
            ("npm", "@a/../lodahs"),
            ("pypi", "reqeusts.txt"),
            ("npm", "vits"),
            ("npm", "koaa"),
            ("npm", "axis"),
            ("npm", "axiom"),
            ("npm", "acme-orders"),
            ("pypi", "flash"),
            ("pypi", "lodahs"),
            ("elsewhere", "lodahs"),
            ("npm", ""),
            ("npm", "-"),
            ("npm", "ü"),
        ] {
            assert_eq!(near(registry, word), None, "{word}");
        }
    }

    #[test]
    fn one_version_is_a_pin_and_a_range_is_none() {
        let pinned = |word| read(word).is_some_and(|named| named.is_pinned());
        for word in ["x@1.2.3", "@a/x@1.2.3-rc.1", "x==1.0", "x[a]==1.0.1", "x@=1.0.4"] {
            assert!(pinned(word), "{word}");
        }
        for word in [
            "x",
            "x@latest",
            "x@^1.2.3",
            "x@1",
            "x>=1.2",
            "x~=1.2",
            "x@1.x",
            "x@1.2 || 2.0",
            "@a/x",
        ] {
            assert!(!pinned(word), "{word}");
        }
    }

    #[test]
    fn a_word_is_a_name_and_a_version() {
        for (word, expected) in [
            ("x", Some(("x", ""))),
            ("X@1", Some(("x", "1"))),
            ("@a/b", Some(("@a/b", ""))),
            ("@a/b@^2", Some(("@a/b", "^2"))),
            ("x==2", Some(("x", "==2"))),
            ("x[y]==2", Some(("x", "==2"))),
            ("x[y]", Some(("x", ""))),
            ("x>=1", Some(("x", ">=1"))),
            ("x!=1", Some(("x", "!=1"))),
            ("x~=1", Some(("x", "~=1"))),
            ("x;python", Some(("x", ";python"))),
            ("x y", Some(("x", " y"))),
            ("a/b", None),
            (".x", None),
            ("~x", None),
            ("x.zip", None),
            ("x@file:y", None),
            ("x@a/b", None),
            ("a..b", None),
            ("x$y", None),
            ("=1", None),
        ] {
            let named = read(word);
            let told = named.as_ref().map(|n| (n.name.as_str(), n.version.as_str()));
            assert_eq!(told, expected, "{word}");
        }
    }

    #[test]
    fn letters_may_be_swapped_or_doubled() {
        use super::{is_doubled, is_swapped};
        for (name, own, swapped, doubled) in [
            ("abdc", "abcd", true, false),
            ("abcc", "abcd", false, false),
            ("abcdd", "abcd", false, true),
            ("aabcd", "abcd", false, true),
            ("abccd", "abccd", true, false),
            ("abcccd", "abccd", false, true),
            ("abcde", "abcd", false, false),
            ("abc", "abcd", false, false),
        ] {
            assert_eq!(is_swapped(name, own), swapped, "{name} {own}");
            assert_eq!(is_doubled(name, own), doubled, "{name} {own}");
        }
    }

    /// Names that are close to each other are all in the list, so none is taken for a slip.
    #[test]
    fn no_known_name_is_near() {
        for (registry, names) in PACKAGES {
            assert!(names.len() >= 50, "{registry}");
            for name in *names {
                assert_eq!(near(registry, name), None, "{name}");
            }
        }
    }
}
