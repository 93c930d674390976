//! Text that cannot steer a terminal or hide from its reader.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

/// Shows control characters, escape sequences, direction marks and invisible characters as `\x1b` or `\u{202e}`.
/// Line ends and tabs stay.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\r' => out.push_str("\\r"),
            c if !hidden(c) => out.push(c),
            c if c.is_ascii() => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            c => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
        }
    }
    Cow::Owned(out)
}

/// Characters that a reader does not see, or that change how the ones around them are seen.
const fn hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Controls; soft hyphen; Arabic letter mark; Hangul fillers; Khmer and Mongolian vowel separators.
        '\0'..='\x1f'
        | '\x7f'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}' => true,
        // Zero width, direction marks and overrides, separators, invisible operators, variation selectors, tags.
        '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' => true,
        '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_shown() {
        for (text, shown) in [
            ("plain\ttext\nüß 漢字 👍🏽", "plain\ttext\nüß 漢字 👍🏽"),
            ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
            ("a\rb", "a\\rb"),
            ("a\u{202e}b\u{200b}c\u{feff}", "a\\u{202e}b\\u{200b}c\\u{feff}"),
            ("\u{9b}31m\x07\x7f\0", "\\u{9b}31m\\x07\\x7f\\x00"),
            ("\u{e0041}", "\\u{e0041}"),
        ] {
            assert_eq!(visible(text), shown);
            assert_eq!(visible(shown), shown);
        }
    }
}
