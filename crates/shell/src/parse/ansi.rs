//! The escapes of `$'...'`.

use alloc::string::String;
use alloc::vec::Vec;

/// Undoes the escapes. A NUL ends the text, as it ends bash's own string.
pub(super) fn decode(text: &str) -> String {
    let mut rest = text.as_bytes();
    let mut out = Vec::with_capacity(rest.len());
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'\\' {
            let Some(after) = escape(rest, &mut out) else { break };
            rest = after;
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Decodes what stands after a backslash and returns what follows; `None` for a NUL.
fn escape<'a>(text: &'a [u8], out: &mut Vec<u8>) -> Option<&'a [u8]> {
    let Some((&letter, rest)) = text.split_first() else {
        out.push(b'\\');
        return Some(text);
    };
    match letter {
        b'a' => out.push(7),
        b'b' => out.push(8),
        b'e' | b'E' => out.push(27),
        b'f' => out.push(12),
        b'n' => out.push(b'\n'),
        b'r' => out.push(b'\r'),
        b't' => out.push(b'\t'),
        b'v' => out.push(11),
        b'\\' | b'\'' | b'"' | b'?' => out.push(letter),
        b'0'..=b'7' => return octal(text, out),
        b'x' => return hexadecimal(rest, out),
        b'u' => return unicode(letter, rest, 4, out),
        b'U' => return unicode(letter, rest, 8, out),
        b'c' => return control(rest, out),
        _ => out.extend([b'\\', letter]),
    }
    Some(rest)
}

/// The value of at most `most` digits, and what follows them.
fn number(text: &[u8], radix: u32, most: usize) -> (u32, &[u8]) {
    let digits = text
        .iter()
        .take(most)
        .take_while(|b| char::from(**b).is_digit(radix))
        .count();
    let (number, rest) = text.split_at_checked(digits).unwrap_or((&[], text));
    let value = number.iter().filter_map(|b| char::from(*b).to_digit(radix));
    (
        value.fold(0u32, |sum, digit| sum.wrapping_mul(radix).wrapping_add(digit)),
        rest,
    )
}

fn push_byte(value: u32, out: &mut Vec<u8>) -> Option<()> {
    let [byte, ..] = value.to_le_bytes();
    if byte == 0 {
        return None;
    }
    out.push(byte);
    Some(())
}

fn octal<'a>(text: &'a [u8], out: &mut Vec<u8>) -> Option<&'a [u8]> {
    let (value, rest) = number(text, 8, 3);
    push_byte(value, out)?;
    Some(rest)
}

/// `\xHH`, or `\x{H...}` whose closing brace is optional.
fn hexadecimal<'a>(text: &'a [u8], out: &mut Vec<u8>) -> Option<&'a [u8]> {
    let braced = text.strip_prefix(b"{");
    let (value, rest) = number(
        braced.unwrap_or(text),
        16,
        if braced.is_some() { usize::MAX } else { 2 },
    );
    if rest.len() == braced.unwrap_or(text).len() {
        out.extend(b"\\x");
        return Some(text);
    }
    push_byte(value, out)?;
    Some(if braced.is_some() {
        rest.strip_prefix(b"}").unwrap_or(rest)
    } else {
        rest
    })
}

fn unicode<'a>(letter: u8, text: &'a [u8], most: usize, out: &mut Vec<u8>) -> Option<&'a [u8]> {
    let (value, rest) = number(text, 16, most);
    if rest.len() == text.len() {
        out.extend([b'\\', letter]);
        return Some(text);
    }
    if value == 0 {
        return None;
    }
    let character = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
    out.extend(character.encode_utf8(&mut [0; 4]).as_bytes());
    Some(rest)
}

/// `\cX`
fn control<'a>(text: &'a [u8], out: &mut Vec<u8>) -> Option<&'a [u8]> {
    let Some((&letter, rest)) = text.split_first() else {
        out.extend(b"\\c");
        return Some(text);
    };
    // `\c\\` is one control character, for the second backslash belongs to the first.
    let rest = if letter == b'\\' {
        rest.strip_prefix(b"\\").unwrap_or(rest)
    } else {
        rest
    };
    let value = if letter == b'?' {
        127
    } else {
        letter.to_ascii_uppercase() & 0x1f
    };
    push_byte(u32::from(value), out)?;
    Some(rest)
}
