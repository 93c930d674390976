//! JSON as a gate has to read it: what two readers could understand differently is refused.
//!
//! Duplicate keys, a byte order mark, bytes after the end, lone surrogates, broken UTF-8 and deep nesting each have led
//! to a checker seeing one command and the agent running another.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::Refusal;

/// The longest question that is read.
pub const MAX_BYTES: usize = 2 << 20;

/// The start of the message that a duplicate key raises inside the parser.
const DUPLICATE: &str = "duplicate key";

/// A JSON value. Objects are sorted by key, so that equal values have equal text.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number that fits 64 bits.
    Number(serde_json::Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object without duplicate keys.
    Object(BTreeMap<String, Json>),
}

/// Reads an agent's question strictly.
///
/// # Errors
/// A [`Refusal`] that names what is wrong with the question.
pub fn parse(bytes: &[u8]) -> Result<Json, Refusal> {
    parse_of("The question", bytes)
}

/// Reads JSON as settings are written: past a byte order mark, comments and trailing commas. `None` where it is none even then.
#[must_use]
pub fn lenient(text: &str) -> Option<Json> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    while let Some(first) = rest.chars().next() {
        let taken = if first == '"' {
            string_end(rest)
        } else if rest.starts_with("//") {
            rest = rest.split_once('\n').map_or("", |(_, behind)| behind);
            continue;
        } else if rest.starts_with("/*") {
            rest = rest.split_once("*/")?.1;
            continue;
        } else {
            if matches!(first, '}' | ']') && plain.trim_end().ends_with(',') {
                plain.truncate(plain.trim_end().len() - 1);
            }
            first.len_utf8()
        };
        let (part, behind) = rest.split_at_checked(taken)?;
        plain.push_str(part);
        rest = behind;
    }
    parse(plain.as_bytes()).ok()
}

/// The length of the string at the beginning of a text, with its quotes.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Reads any JSON text strictly. `subject` begins the sentence of the refusal: `The question`, `it`.
///
/// # Errors
/// A [`Refusal`] that names what is wrong with the text.
pub fn parse_of(subject: &str, bytes: &[u8]) -> Result<Json, Refusal> {
    if bytes.len() > MAX_BYTES {
        return Err(Refusal::new(
            "too-large",
            format!("{subject} is larger than 2 MiB and was not read."),
        ));
    }
    let text = core::str::from_utf8(bytes).map_err(|e| {
        Refusal::new(
            "not-utf8",
            format!("{subject} is not valid UTF-8 after byte {}.", e.valid_up_to()),
        )
    })?;
    if text.starts_with('\u{feff}') {
        return Err(Refusal::new(
            "byte-order-mark",
            format!("{subject} starts with a byte order mark."),
        ));
    }
    if text.trim_ascii().is_empty() {
        return Err(Refusal::new("empty", format!("{subject} is empty.")));
    }
    serde_json::from_str(text).map_err(|e| refusal(subject, &e))
}

/// Names the fault that the parser found.
fn refusal(subject: &str, error: &serde_json::Error) -> Refusal {
    let text = error.to_string();
    let kind = if text.starts_with(DUPLICATE) {
        "duplicate-key"
    } else if text.starts_with("recursion limit") {
        "too-deep"
    } else if text.starts_with("trailing characters") {
        "trailing-bytes"
    } else if text.contains("surrogate") || text.contains("hex escape") {
        "lone-surrogate"
    } else if error.is_eof() {
        "truncated"
    } else {
        "not-json"
    };
    Refusal::new(kind, format!("{subject} is not strict JSON: {text}."))
}

/// A JSON string literal of `text`, quotes included. Cannot fail.
#[must_use]
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

impl Json {
    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The entries of an object.
    #[must_use]
    pub fn as_object(&self) -> Option<&BTreeMap<String, Json>> {
        match self {
            Self::Object(entries) => Some(entries),
            _ => None,
        }
    }

    /// The items of an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The entry `key` of an object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_object()?.get(key)
    }

    /// The value as compact text, keys sorted.
    #[must_use]
    pub fn text(&self) -> String {
        // Only a map with keys that are no strings could fail, and there is none.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// What the value is, for sentences.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => to.serialize_unit(),
            Self::Bool(b) => to.serialize_bool(*b),
            Self::Number(n) => n.serialize(to),
            Self::String(s) => to.serialize_str(s),
            Self::Array(items) => {
                let mut seq = to.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|item| seq.serialize_element(item))?;
                seq.end()
            }
            Self::Object(entries) => {
                let mut map = to.serialize_map(Some(entries.len()))?;
                entries.iter().try_for_each(|(k, v)| map.serialize_entry(k, v))?;
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Strict)
    }
}

/// Builds a [`Json`] and refuses a second entry of the same name.
struct Strict;

impl<'de> Visitor<'de> for Strict {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }
    fn visit_bool<E>(self, b: bool) -> Result<Json, E> {
        Ok(Json::Bool(b))
    }
    fn visit_i64<E>(self, n: i64) -> Result<Json, E> {
        Ok(Json::Number(n.into()))
    }
    fn visit_u64<E>(self, n: u64) -> Result<Json, E> {
        Ok(Json::Number(n.into()))
    }
    fn visit_f64<E: serde::de::Error>(self, n: f64) -> Result<Json, E> {
        serde_json::Number::from_f64(n)
            .map(Json::Number)
            .ok_or_else(|| E::custom("number out of range"))
    }
    fn visit_str<E>(self, s: &str) -> Result<Json, E> {
        Ok(Json::String(String::from(s)))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut entries = BTreeMap::new();
        while let Some((key, value)) = map.next_entry::<String, Json>()? {
            if entries.contains_key(&key) {
                return Err(A::Error::custom(format_args!("{DUPLICATE} {}", quote(&key))));
            }
            entries.insert(key, value);
        }
        Ok(Json::Object(entries))
    }
}
