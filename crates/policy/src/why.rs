//! How a finding came about, step by step, for people.

use alloc::string::String;
use alloc::vec::Vec;

use shell::Span;

use crate::{Effect, Request, Subject};

/// The steps that lead to an effect, outermost first: where the command stands, the variables that it was made of, what it
/// started, and what that does. What was set inside a file comes after the file.
pub(crate) fn steps(request: &Request, effect: &Effect) -> Vec<String> {
    let Subject::Command(text) = &request.subject else {
        return effect.chain.clone();
    };
    let variables = effect.uses.iter().map(|used| {
        let place = used
            .span
            .map(|span| alloc::format!(" ({})", place(text, span)))
            .unwrap_or_default();
        alloc::format!("variable {} = {:?}{place}", used.name, used.value)
    });
    let mut steps = alloc::vec![alloc::format!("command {}", place(text, effect.span))];
    if effect.tags.has("in-file") {
        steps.extend(effect.chain.iter().cloned());
        steps.extend(variables);
    } else {
        steps.extend(variables);
        steps.extend(effect.chain.iter().cloned());
    }
    steps.push(effect.deed());
    steps
}

/// How many lines end in a text, which may be very long: a byte at a time would take ten times as long.
fn lines(text: &[u8]) -> usize {
    let ends = |part: &[u8]| part.iter().fold(0_u8, |ends, byte| ends + u8::from(*byte == b'\n'));
    text.chunks(u8::MAX.into()).map(|part| usize::from(ends(part))).sum()
}

/// `line:column` of a place in a text, both from 1, columns in characters.
fn place(text: &str, span: Span) -> String {
    let before = text.get(..span.start as usize).unwrap_or_default();
    let line = lines(before.as_bytes()) + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    alloc::format!("{line}:{column}")
}

#[cfg(test)]
mod tests {
    use shell::Span;

    use super::{lines, place};

    #[test]
    fn a_place_is_a_line_and_a_column_in_characters() {
        let text = "ab\ncd\u{e4}f\n\nx";
        for (at, expected) in [
            (0, "1:1"),
            (1, "1:2"),
            (2, "1:3"),
            (3, "2:1"),
            (7, "2:4"),
            (9, "3:1"),
            (10, "4:1"),
        ] {
            assert_eq!(place(text, Span { start: at, end: at }), expected, "{at}");
        }
        assert_eq!(place(text, Span { start: 99, end: 99 }), "1:1");
    }

    #[test]
    fn lines_of_very_long_texts_are_counted() {
        assert_eq!(lines(b""), 0);
        assert_eq!(lines("\n".repeat(255).as_bytes()), 255);
        assert_eq!(lines("\n".repeat(1_000).as_bytes()), 1_000);
        assert_eq!(lines("ab\n".repeat(700).as_bytes()), 700);
    }
}
