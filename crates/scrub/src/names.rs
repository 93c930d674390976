//! Whether the name of a variable, field or option says that its value is a secret.

use alloc::string::String;
use alloc::vec::Vec;

use crate::tables::{ALWAYS, ASSIGNED, GLUED, NEUTRAL, NEVER, OPTION_NAMES, PAIRS, PASSWORD, SECRET, VARIABLES};

/// What a name says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    /// A password: any value may be one.
    Password,
    /// Another secret.
    Secret,
    /// A key, which may also be the path of a file.
    Key,
}

impl Says {
    /// What stands in the text for the value.
    pub(crate) const fn kind(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Secret => "secret",
            Self::Key => "key",
        }
    }
}

/// Names longer than this are looked at from their end only.
const LONGEST: usize = 80;

/// What the name says; `None` for most.
pub(crate) fn says(name: &str) -> Option<Says> {
    let cut = name.len().saturating_sub(LONGEST);
    let name = name.get(cut..)?.trim_start_matches('-');
    // Cheap first: every name that counts has one of these letters near its end.
    let lower = name.to_ascii_lowercase();
    if ALWAYS.contains(&lower.as_str()) {
        return Some(Says::Secret);
    }
    if NEVER.contains(&lower.as_str()) {
        return None;
    }
    let words = words(name);
    let mut words = words.as_slice();
    while let Some((last, rest)) = words.split_last()
        && !rest.is_empty()
        && (NEUTRAL.contains(&last.as_str()) || last.bytes().all(|b| b.is_ascii_digit()))
    {
        words = rest;
    }
    let (last, rest) = words.split_last()?;
    let last = last.trim_end_matches(|c: char| c.is_ascii_digit());
    if PASSWORD.contains(&last) {
        return Some(Says::Password);
    }
    if SECRET.contains(&last) {
        return Some(Says::Secret);
    }
    if rest
        .last()
        .is_some_and(|before| PAIRS.iter().any(|pair| pair.split_once(' ') == Some((before, last))))
    {
        return Some(Says::Key);
    }
    let glued = GLUED.iter().find(|end| last.ends_with(*end))?;
    Some(if glued.starts_with("pass") {
        Says::Password
    } else {
        Says::Secret
    })
}

/// What an option says whose name alone says nothing.
pub(crate) fn option(word: &str) -> Option<Says> {
    (word.starts_with("--") && OPTION_NAMES.contains(&word)).then_some(Says::Password)
}

/// What a name says right before a `=` that says nothing elsewhere.
pub(crate) fn assigned(word: &str) -> Option<Says> {
    if word.len() > LONGEST {
        return None;
    }
    let upper = !word.bytes().any(|b| b.is_ascii_lowercase());
    let last = word.rsplit('_').next().unwrap_or(word).to_ascii_lowercase();
    let whole = ASSIGNED.contains(&word.to_ascii_lowercase().as_str());
    let count =
        whole || upper && VARIABLES.contains(&last.as_str()) && !NEVER.contains(&word.to_ascii_lowercase().as_str());
    count.then_some(Says::Secret)
}

/// The words of a name, in lowercase: cut at everything that is no letter or digit, and before a capital that follows a
/// small letter.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut small = false;
    for c in name.chars() {
        if (!c.is_alphanumeric() || c.is_uppercase() && small) && !word.is_empty() {
            words.push(core::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        small = c.is_lowercase() || c.is_ascii_digit();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        for (name, expected) in [
            ("PASSWORD", Some(Says::Password)),
            ("DB_PASSWORD_PROD", Some(Says::Password)),
            ("dbPassword", Some(Says::Password)),
            ("spring.datasource.password", Some(Says::Password)),
            ("pgpassword", Some(Says::Secret)),
            ("GITHUB_TOKEN", Some(Says::Secret)),
            ("TOKEN2", Some(Says::Secret)),
            ("TOKEN_2", Some(Says::Secret)),
            ("clientSecret", Some(Says::Secret)),
            ("--api-key", Some(Says::Key)),
            ("X-Api-Key", Some(Says::Key)),
            ("AWS_SECRET_ACCESS_KEY", Some(Says::Key)),
            ("AccountKey", Some(Says::Key)),
            ("SECRET_KEY_BASE", Some(Says::Key)),
            ("_authToken", Some(Says::Secret)),
            ("_auth", Some(Says::Secret)),
            ("PWD", None),
            ("OLDPWD", None),
            ("token_limit", None),
            ("max_tokens", None),
            ("TOKENIZER", None),
            ("PASSWORD_FILE", None),
            ("SECRET_NAME", None),
            ("secretName", None),
            ("primary_key", None),
            ("public-key", None),
            ("keyboard", None),
            ("compass", None),
            ("", None),
            ("_", None),
        ] {
            assert_eq!(says(name), expected, "{name}");
        }
    }
}
