//! What readers of files say is wrong, in the words of whoever wrote the file.

/// How readers begin what they find, and what a value of that type is called.
const TYPES: [(&str, &str); 8] = [
    ("integer ", "the number "),
    ("floating point ", "the number "),
    ("string ", "the text "),
    ("boolean ", ""),
    ("sequence", "a list"),
    ("map", "a table"),
    ("unit value", "nothing"),
    ("unit", "nothing"),
];

/// A sentence of a reader without the names of types of a programming language.
pub(crate) fn plain(said: &str) -> String {
    field(said).or_else(|| value(said)).unwrap_or_else(|| said.to_owned())
}

fn field(said: &str) -> Option<String> {
    if let Some((name, rest)) = behind(said, "unknown field `") {
        return Some(match rest.split_once("expected ") {
            Some((_, known)) => {
                let known = known.strip_prefix("one of ").unwrap_or(known);
                format!("there is no `{name}`; there is {known}")
            }
            None => format!("there is no `{name}`{rest}"),
        });
    }
    if let Some((name, rest)) = behind(said, "unknown variant `") {
        let known = rest.split_once("expected ").map_or(rest, |(_, known)| known);
        let known = known.strip_prefix("one of ").unwrap_or(known);
        return Some(format!("it is `{name}`; it can be {known}"));
    }
    if let Some((name, rest)) = behind(said, "missing field `") {
        return Some(format!("`{name}` is missing{rest}"));
    }
    let (name, rest) = behind(said, "duplicate field `")?;
    Some(format!("`{name}` stands twice{rest}"))
}

/// `invalid type: integer `3`, expected a string`
fn value(said: &str) -> Option<String> {
    let rest = ["invalid type: ", "invalid value: "]
        .iter()
        .find_map(|head| said.strip_prefix(head))?;
    let (found, wanted) = rest.split_once(", expected ")?;
    let found = TYPES
        .iter()
        .find_map(|(head, name)| Some(format!("{name}{}", found.strip_prefix(head)?)))?;
    Some(format!(
        "{} stands where {} is wanted",
        found.replace('"', "`"),
        kind(wanted)
    ))
}

fn kind(wanted: &str) -> &str {
    match wanted {
        "a string" | "string" | "a borrowed string" => "a text",
        "a boolean" | "boolean" | "bool" => "`true` or `false`",
        "a sequence" | "sequence" | "an array" => "a list",
        wanted if wanted.starts_with("struct ") || wanted.contains("map") => "a table",
        wanted if wanted.starts_with("a nonzero") => "a whole number above nought",
        "integer" | "u8" | "u16" | "u32" | "u64" | "usize" | "i64" => "a whole number",
        other => other,
    }
}

/// The name behind a head, up to the closing mark, and the rest.
fn behind<'t>(text: &'t str, head: &str) -> Option<(&'t str, &'t str)> {
    text.strip_prefix(head)?.split_once('`')
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn no_word_of_a_reader_is_left() {
        for (said, words) in [
            (
                "unknown field `a`, expected `b` or `c`",
                "there is no `a`; there is `b` or `c`",
            ),
            (
                "unknown field `a`, expected one of `b`, `c`",
                "there is no `a`; there is `b`, `c`",
            ),
            ("unknown variant `a`, expected `b`", "it is `a`; it can be `b`"),
            ("missing field `a`", "`a` is missing"),
            ("duplicate field `a`", "`a` stands twice"),
            (
                "invalid type: integer `3`, expected a string",
                "the number `3` stands where a text is wanted",
            ),
            (
                "invalid type: string \"x\", expected a sequence",
                "the text `x` stands where a list is wanted",
            ),
            (
                "invalid type: boolean `true`, expected u32",
                "`true` stands where a whole number is wanted",
            ),
            (
                "invalid value: integer `0`, expected a nonzero u32",
                "the number `0` stands where a whole number above nought is wanted",
            ),
            (
                "invalid type: sequence, expected struct Rules",
                "a list stands where a table is wanted",
            ),
            ("duplicate key", "duplicate key"),
        ] {
            assert_eq!(plain(said), words);
        }
    }
}
