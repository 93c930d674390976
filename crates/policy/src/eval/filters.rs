//! Pure filters, computed on known input: what `echo x | base64 -d` gives is known without running it.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Value;
use super::value::MAX_STREAM;
use crate::facts::Parsed;

/// The output of filter `name`, or `None` when it cannot be worked out.
pub(super) fn run(name: &str, parsed: &Parsed, args: &[Value], input: Option<&str>) -> Option<String> {
    let given = input.filter(|i| i.len() <= MAX_OUTPUT);
    let text = match name {
        "echo" => echo(args),
        "printf" => printf(args),
        "cat" => input.filter(|_| parsed.options.is_empty()).map(ToString::to_string),
        "tr" => given.and_then(|i| tr(i, parsed)),
        "basename" => path_part(parsed, true),
        "dirname" => path_part(parsed, false),
        "sed" => given.and_then(|i| super::sed::run(parsed, i)),
        "base64" | "base32" | "xxd" | "openssl" | "gunzip" => {
            given.and_then(|i| super::recode::run(name, parsed, args, i))
        }
        _ => super::textlines::run(name, parsed, args, given),
    };
    text.filter(|t| t.len() <= MAX_STREAM)
}

/// Longest text that a filter makes.
const MAX_OUTPUT: usize = 64 << 10;

/// What gzip, zlib or deflate data holds.
pub(crate) fn inflate(bytes: &[u8]) -> Option<Vec<u8>> {
    use miniz_oxide::inflate::{decompress_to_vec_with_limit, decompress_to_vec_zlib_with_limit};
    match bytes {
        [0x1f, 0x8b, 8, flags, rest @ ..] => {
            let body = rest.get(6..)?;
            let named = if flags & 8 == 0 {
                0
            } else {
                body.iter().position(|b| *b == 0)? + 1
            };
            decompress_to_vec_with_limit(body.get(named..)?, MAX_OUTPUT).ok()
        }
        _ => decompress_to_vec_zlib_with_limit(bytes, MAX_OUTPUT)
            .or_else(|_| decompress_to_vec_with_limit(bytes, MAX_OUTPUT))
            .ok(),
    }
}

/// Whether the filter turns coded text into something else, so that its unknown output counts as decoded.
pub(super) fn decodes(name: &str, parsed: &Parsed) -> bool {
    match name {
        "base64" | "base32" => parsed.option("-d").is_some(),
        "openssl" | "gunzip" => true,
        "xxd" => parsed.option("-r").is_some(),
        "decode" => true,
        _ => false,
    }
}

fn known(args: &[Value]) -> Option<Vec<String>> {
    args.iter().map(|arg| Some(arg.written()?.into_owned())).collect()
}

fn echo(args: &[Value]) -> Option<String> {
    let mut escapes = false;
    let mut newline = true;
    let mut rest = args;
    while let [flag, tail @ ..] = rest {
        let flag = flag.pattern();
        let is_flag = flag.len() > 1 && flag.starts_with('-') && flag.chars().skip(1).all(|c| "neE".contains(c));
        if !is_flag {
            break;
        }
        escapes |= flag.contains('e');
        newline &= !flag.contains('n');
        rest = tail;
    }
    let mut text = String::with_capacity(rest.iter().map(|word| word.weight() + 1).sum());
    for (i, word) in rest.iter().enumerate() {
        if word.has_unknown() {
            return None;
        }
        if i > 0 {
            text.push(' ');
        }
        text.push_str(&word.pattern());
    }
    let mut out = if escapes { unescape(&text, false) } else { text };
    if newline {
        out.push('\n');
    }
    Some(out)
}

/// printf with the conversions that matter for hiding text; the format is reused while arguments last.
pub(super) fn printf(args: &[Value]) -> Option<String> {
    let words = known(args)?;
    let mut words = words.as_slice();
    if words.first().map(String::as_str) == Some("--") {
        words = words.get(1..)?;
    }
    let (format, mut args) = words.split_first()?;
    let mut out = String::new();
    loop {
        let before = args.len();
        out.push_str(&one_format(format, &mut args)?);
        if args.is_empty() || args.len() == before || out.len() > MAX_STREAM {
            return Some(out);
        }
    }
}

fn one_format(format: &str, args: &mut &[String]) -> Option<String> {
    let mut out = String::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        let (head, tail) = rest.split_at_checked(at)?;
        out.push_str(&unescape(head, true));
        let spec = tail.get(1..)?;
        let end = spec.find(|c: char| !(c.is_ascii_digit() || "-+ #.*".contains(c)))?;
        let kind = spec.get(end..)?.chars().next()?;
        rest = spec.get(end + kind.len_utf8()..)?;
        if kind == '%' {
            out.push('%');
            continue;
        }
        let arg = match args.split_first() {
            Some((first, more)) => {
                *args = more;
                first.clone()
            }
            None => String::new(),
        };
        out.push_str(&convert(kind, &arg)?);
    }
    out.push_str(&unescape(rest, true));
    Some(out)
}

fn convert(kind: char, arg: &str) -> Option<String> {
    Some(match kind {
        's' => arg.to_string(),
        'b' => unescape(arg, false),
        'q' => arg.to_string(),
        'c' => arg.chars().take(1).collect(),
        'd' | 'i' | 'u' => number(arg)?.to_string(),
        'x' => alloc::format!("{:x}", number(arg)?),
        'X' => alloc::format!("{:X}", number(arg)?),
        'o' => alloc::format!("{:o}", number(arg)?),
        _ => return None,
    })
}

/// `'c` is the code of the character.
fn number(arg: &str) -> Option<i64> {
    if let Some(c) = arg.strip_prefix('\'').or_else(|| arg.strip_prefix('"')) {
        return c.chars().next().map(|c| i64::from(u32::from(c)));
    }
    if arg.is_empty() {
        return Some(0);
    }
    if let Some(hex) = arg.strip_prefix("0x") {
        return i64::from_str_radix(hex, 16).ok();
    }
    if arg.len() > 1 && arg.starts_with('0') {
        return i64::from_str_radix(arg, 8).ok();
    }
    arg.parse().ok()
}

/// Backslash escapes of echo -e and printf. In a printf format an octal needs no leading zero.
fn unescape(text: &str, format: bool) -> String {
    let mut bytes = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            push_char(&mut bytes, c);
            continue;
        }
        let Some(e) = chars.next() else {
            bytes.push(b'\\');
            break;
        };
        match e {
            'n' => bytes.push(b'\n'),
            't' => bytes.push(b'\t'),
            'r' => bytes.push(b'\r'),
            'a' => bytes.push(7),
            'b' => bytes.push(8),
            'f' => bytes.push(12),
            'v' => bytes.push(11),
            'e' | 'E' => bytes.push(27),
            '\\' => bytes.push(b'\\'),
            'x' => push_code(&mut bytes, digits(&mut chars, 16, 2, None), false),
            'u' => push_code(&mut bytes, digits(&mut chars, 16, 4, None), true),
            'U' => push_code(&mut bytes, digits(&mut chars, 16, 8, None), true),
            '0' => push_code(&mut bytes, digits(&mut chars, 8, 3, Some(0)), false),
            '1'..='7' if format || chars.peek().is_some_and(char::is_ascii_digit) => {
                push_code(&mut bytes, digits(&mut chars, 8, 2, e.to_digit(8)), false)
            }
            'c' if !format => break,
            other => {
                bytes.push(b'\\');
                push_char(&mut bytes, other);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn push_char(bytes: &mut Vec<u8>, c: char) {
    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

fn push_code(bytes: &mut Vec<u8>, code: Option<u32>, wide: bool) {
    let Some(code) = code else { return };
    match (wide, u8::try_from(code & 0xff)) {
        (false, Ok(byte)) => bytes.push(byte),
        _ => push_char(bytes, char::from_u32(code).unwrap_or('\u{fffd}')),
    }
}

fn digits(
    chars: &mut core::iter::Peekable<core::str::Chars<'_>>,
    radix: u32,
    max: usize,
    first: Option<u32>,
) -> Option<u32> {
    let mut value = first;
    for _ in 0..max {
        let Some(d) = chars.peek().and_then(|c| c.to_digit(radix)) else {
            break;
        };
        chars.next();
        value = Some(value.unwrap_or(0).wrapping_mul(radix).wrapping_add(d));
    }
    value
}

/// `-d` deletes, `-s` makes one of many, `-c` means all others.
fn tr(input: &str, parsed: &Parsed) -> Option<String> {
    let sets: Vec<Vec<char>> = parsed
        .operands
        .iter()
        .map(|(v, _)| v.written().and_then(|t| set(&t)))
        .collect::<Option<_>>()?;
    let (from, to) = (sets.first()?, sets.get(1));
    let has = |name: &str| parsed.option(name).is_some();
    let chosen = |c: char| from.contains(&c) != has("-c");
    let mut out = String::new();
    for c in input.chars() {
        let mapped = match to {
            _ if has("-d") && chosen(c) => continue,
            Some(to) if !has("-d") && chosen(c) => {
                let at = if has("-c") {
                    None
                } else {
                    from.iter().rposition(|f| *f == c)
                };
                at.and_then(|i| to.get(i)).or(to.last()).copied().unwrap_or(c)
            }
            _ => c,
        };
        let squeezed =
            has("-s") && out.ends_with(mapped) && to.map_or_else(|| chosen(mapped), |to| to.contains(&mapped));
        if !squeezed {
            out.push(mapped);
        }
    }
    Some(out)
}

/// The characters of a set: ranges, classes, escapes. What repeats or compares is not worked out.
fn set(text: &str) -> Option<Vec<char>> {
    let mut text = unescape(text, true);
    for (class, chars) in [
        ("[:lower:]", "a-z"),
        ("[:upper:]", "A-Z"),
        ("[:digit:]", "0-9"),
        ("[:alpha:]", "A-Za-z"),
        ("[:alnum:]", "0-9A-Za-z"),
        ("[:xdigit:]", "0-9A-Fa-f"),
        ("[:space:]", " \t\n\r\u{b}\u{c}"),
        ("[:blank:]", " \t"),
        ("[:punct:]", "!-/:-@[-`{-~"),
    ] {
        text = text.replace(class, chars);
    }
    if text.contains("[:") || text.contains("[=") {
        return None;
    }
    let chars: Vec<char> = text.chars().collect();
    let mut out = Vec::new();
    let mut i = 0;
    while let Some(c) = chars.get(i) {
        match (chars.get(i + 1), chars.get(i + 2)) {
            (Some('-'), Some(end)) if end >= c => {
                out.extend((*c..=*end).take(256));
                i += 3;
            }
            _ => {
                out.push(*c);
                i += 1;
            }
        }
    }
    Some(out)
}

fn path_part(parsed: &Parsed, last: bool) -> Option<String> {
    let path = parsed.operands.first()?.0.known()?.trim_end_matches('/').to_string();
    let (head, tail) = path.rsplit_once('/').unwrap_or((".", &path));
    let head = if head.is_empty() { "/" } else { head };
    Some(alloc::format!("{}\n", if last { tail } else { head }))
}
