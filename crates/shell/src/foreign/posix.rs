//! What a shell without the additions of bash makes of a text: `a &>f b` is `a` in the background and then `>f b`, and
//! `$'a'` is a `$` before a text in quotes.

use alloc::string::String;

pub(super) fn read(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    let (mut last, mut quote) = (' ', None);
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        match (quote, c) {
            (Some('\''), _) if c != '\'' => out.push(c),
            (_, '\\') => {
                out.push(c);
                out.extend(chars.next());
            }
            (Some(mark), _) if c == mark => {
                quote = None;
                out.push(c);
            }
            (Some(_), _) => out.push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                out.push(c);
            }
            (None, '#') if last.is_whitespace() || last == ';' => {
                out.push(c);
                while let Some(c) = chars.next_if(|c| *c != '\n') {
                    out.push(c);
                }
            }
            (None, '$') if next == Some('\'') => out.push_str("\\$"),
            (None, '&') if next == Some('>') && !matches!(last, '&' | '>' | '<') => out.push_str("& "),
            (None, _) => out.push(c),
        }
        last = c;
    }
    out
}
