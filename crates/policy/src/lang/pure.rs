//! Functions that only compute: what they give for what is known.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base64::Engine as _;

use super::value::{MAX_LIST, Val, below, concat, glob, join_path};
use crate::eval::{Labels, Value};

/// Longest text that is worked on.
const MAX: usize = 64 << 10;

/// The value of the function `what`; `all` is what the method is called on, if anything, and the arguments.
pub(super) fn run(what: &str, all: &[Val], home: &str) -> Val {
    let labels = all.iter().fold(Labels::NONE, |l, v| l.with(v.labels()));
    if all.iter().any(|v| v.known().is_some_and(|t| t.len() > MAX)) {
        return Val::unknown(labels.with(Labels::DECODED));
    }
    match known(what, all, home) {
        Some(value) if decodes(what) => value.labelled(labels.with(Labels::DECODED)),
        Some(value) => value.labelled(labels),
        None if decodes(what) => Val::unknown(labels.with(Labels::DECODED)),
        None => Val::unknown(labels),
    }
}

/// Functions whose unknown result is text that was hidden before.
fn decodes(what: &str) -> bool {
    matches!(
        what,
        "base64" | "unhex" | "chr" | "inflate" | "pack" | "unpack" | "rot13" | "decode" | "url"
    )
}

fn known(what: &str, all: &[Val], home: &str) -> Option<Val> {
    let first = all.first();
    Some(match what {
        "same" | "codec" => return codec(all),
        "home" => Val::text(home),
        "expand" => Val::Text(expand(&first?.to_value(), home)),
        "join" => join(all)?,
        "join-path" => path(all),
        "parent" => parent(first?)?,
        "below" => Val::List(alloc::vec![Val::Text(below(&root(first)))]),
        "names" => Val::List(alloc::vec![Val::Text(below(&Value::default()))]),
        "list" => Val::List(all.to_vec()),
        "first" => nth(first?, 0),
        "walk" => walk(&root(first)),
        "glob" => globbed(all),
        "base64" => base64(&text_of(all)?)?,
        "unhex" => unhex(&text_of(all)?)?,
        "url" => unquote(&first?.known()?)?,
        "rot13" => Val::text(rot13(&first?.known()?)),
        "inflate" => inflate(&first?.bytes()?)?,
        "chr" => chr(all)?,
        "ord" => Val::Number(i64::from(u32::from(first?.known()?.chars().next()?))),
        "number" => number(all)?,
        "pack" => pack(all)?,
        "unpack" => unpack(all)?,
        "reverse" => reverse(first?)?,
        "lower" => Val::text(first?.known()?.to_lowercase()),
        "upper" => Val::text(first?.known()?.to_uppercase()),
        "strip" => Val::text(first?.known()?.trim()),
        "replace" => replace(&first?.known()?, &all.get(1)?.known()?, &all.get(2)?.known()?),
        "replace-in" => replace(&all.get(2)?.known()?, &first?.known()?, &all.get(1)?.known()?),
        "split" => split(&first?.known()?, all.get(1).and_then(Val::known)),
        "split-by" => split(&all.get(1)?.known()?, first?.known()),
        "format" => Val::Text(format(&first?.to_value(), all.get(1..).unwrap_or_default())),
        "concat" => all.iter().skip(1).fold(first?.clone(), concat),
        "range" => range(all)?,
        "length" => match all.first()? {
            Val::List(items) => Val::Number(i64::try_from(items.len()).ok()?),
            other => Val::Number(i64::try_from(other.known()?.chars().count()).ok()?),
        },
        "elements" => Val::List(first?.elements(true)),
        "numbered" => Val::List(numbered(first?)),
        "substring" => substring(all)?,
        _ => return None,
    })
}

/// Each element after its place, or after its key.
fn numbered(value: &Val) -> Vec<Val> {
    let pair = |key: Val, element: Val| Val::List(alloc::vec![key, element]);
    match value {
        Val::Map(all) => all
            .iter()
            .map(|(key, v)| pair(Val::text(key.as_str()), v.clone()))
            .collect(),
        other => (0..)
            .zip(other.elements(true))
            .map(|(at, v)| pair(Val::Number(at), v))
            .collect(),
    }
}

fn text_of(all: &[Val]) -> Option<String> {
    all.iter().find_map(Val::known)
}

fn root(first: Option<&Val>) -> Value {
    match first {
        Some(v) if v.is_text() => v.to_value(),
        _ => Value::text("."),
    }
}

/// `x.decode("hex")`, `codecs.decode(x, "rot13")`, `Buffer.from(x, "base64")`; without a name nothing changes.
fn codec(all: &[Val]) -> Option<Val> {
    let first = all.iter().find(|v| v.is_text() || matches!(v, Val::List(_)))?;
    let name = all
        .iter()
        .skip(1)
        .find_map(Val::known)
        .unwrap_or_default()
        .to_lowercase();
    match name.as_str() {
        "hex" | "hex_codec" => unhex(&first.known()?),
        "base64" | "base64_codec" | "base64url" => base64(&first.known()?),
        "rot13" | "rot_13" | "rot-13" => Some(Val::text(rot13(&first.known()?))),
        _ => match first {
            Val::List(all) if all.iter().all(|v| matches!(v, Val::Number(_))) => chr(all),
            other => Some(other.clone()),
        },
    }
}

/// A leading `~` is the home directory.
fn expand(value: &Value, home: &str) -> Value {
    let rest = match value.prefix().strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => value.without_prefix(1),
        _ => return value.clone(),
    };
    let mut out = Value::text(home).labelled(value.labels);
    out.append(&rest);
    out
}

/// The list among the values, its elements parted by the text among them.
fn join(all: &[Val]) -> Option<Val> {
    let list = all.iter().find_map(|v| match v {
        Val::List(all) => Some(all),
        _ => None,
    })?;
    let by = all
        .iter()
        .find(|v| v.is_text())
        .cloned()
        .unwrap_or_else(|| Val::text(""));
    let mut out = Val::text("");
    for (i, one) in list.iter().enumerate() {
        if i > 0 {
            out = concat(out, &by);
        }
        let one = match one {
            Val::Number(_) if matches!(out, Val::Text(_)) => Val::Text(one.to_value()),
            one if one.is_text() => one.clone(),
            one => Val::unknown(one.labels()),
        };
        out = concat(out, &one);
    }
    Some(match out {
        Val::Text(v) => Val::Text(v),
        other => Val::Text(other.to_value()),
    })
}

fn path(all: &[Val]) -> Val {
    let mut flat = Vec::new();
    all.iter().for_each(|v| v.clone().flat(&mut flat));
    let mut out = Value::default();
    for (i, part) in flat.iter().enumerate() {
        let part = part.to_value();
        out = if i == 0 { part } else { join_path(&out, &part) };
    }
    Val::Text(out)
}

fn parent(value: &Val) -> Option<Val> {
    let text = value.known()?;
    let (head, _) = text.trim_end_matches('/').rsplit_once('/').unwrap_or((".", ""));
    Some(Val::text(if head.is_empty() { "/" } else { head }))
}

/// `for folder, folders, files in os.walk(root)`
fn walk(root: &Value) -> Val {
    let inside = || Val::List(alloc::vec![Val::Text(below(&Value::default()))]);
    Val::List(alloc::vec![Val::List(alloc::vec![
        Val::Text(root.clone()),
        inside(),
        inside()
    ])])
}

fn globbed(all: &[Val]) -> Val {
    let texts: Vec<Value> = all.iter().filter(|v| v.is_text()).map(Val::to_value).collect();
    let mut out = Vec::new();
    match texts.as_slice() {
        [root, pattern, ..] => out.push(Val::Text(glob(&join_path(root, pattern)))),
        [pattern] => out.extend(
            pattern
                .known()
                .map(|t| {
                    t.split_whitespace()
                        .map(|p| Val::Text(glob(&Value::text(p))))
                        .collect::<Vec<_>>()
                })
                .unwrap_or_else(|| alloc::vec![Val::Text(glob(pattern))]),
        ),
        [] => {}
    }
    Val::List(out)
}

fn base64(text: &str) -> Option<Val> {
    let clean: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '=')
        .map(|c| match c {
            '-' => '+',
            '_' => '/',
            c => c,
        })
        .collect();
    let bytes = base64::engine::general_purpose::STANDARD_NO_PAD.decode(clean).ok()?;
    Some(Val::Bytes(bytes, Labels::NONE))
}

fn unhex(text: &str) -> Option<Val> {
    let digits: Vec<u8> = text
        .chars()
        .filter(|c| !c.is_whitespace() && *c != ':')
        .map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok()))
        .collect::<Option<_>>()?;
    let bytes = digits
        .chunks(2)
        .map(|pair| pair.iter().fold(0u8, |b, d| b << 4 | d))
        .collect();
    Some(Val::Bytes(bytes, Labels::NONE))
}

fn unquote(text: &str) -> Option<Val> {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(b) = bytes.next() {
        if b != b'%' {
            out.push(b);
            continue;
        }
        let digit = |b: Option<u8>| {
            b.and_then(|b| char::from(b).to_digit(16))
                .and_then(|d| u8::try_from(d).ok())
        };
        out.push(digit(bytes.next())? << 4 | digit(bytes.next())?);
    }
    Some(Val::Bytes(out, Labels::NONE))
}

fn rot13(text: &str) -> String {
    let turn = |c: char, base: u8| char::from((c as u8 - base + 13) % 26 + base);
    text.chars()
        .map(|c| match c {
            'a'..='z' => turn(c, b'a'),
            'A'..='Z' => turn(c, b'A'),
            c => c,
        })
        .collect()
}

fn inflate(bytes: &[u8]) -> Option<Val> {
    let out = crate::eval::inflate(bytes)?;
    Some(Val::Bytes(out, Labels::NONE))
}

fn chr(all: &[Val]) -> Option<Val> {
    let mut flat = Vec::new();
    all.iter().for_each(|v| v.clone().flat(&mut flat));
    let text: String = flat
        .iter()
        .map(|v| match v {
            Val::Number(n) => u32::try_from(*n).ok().and_then(char::from_u32),
            other => other.known()?.parse().ok().and_then(char::from_u32),
        })
        .collect::<Option<_>>()?;
    Some(Val::text(text))
}

/// `int("72", 16)`, `parseInt`
fn number(all: &[Val]) -> Option<Val> {
    if let Some(Val::Number(n)) = all.first() {
        return Some(Val::Number(*n));
    }
    let radix = match all.get(1) {
        Some(Val::Number(n)) => u32::try_from(*n).ok().filter(|r| (2..=36).contains(r))?,
        _ => 10,
    };
    let text = all.first()?.known()?;
    let digits = text
        .trim()
        .trim_start_matches("0x")
        .trim_start_matches("0b")
        .trim_start_matches("0o");
    i64::from_str_radix(digits, radix).ok().map(Val::Number)
}

/// `pack("H*", "72")`, `[114].pack("c*")`
fn pack(all: &[Val]) -> Option<Val> {
    let format = all.iter().rev().find_map(|v| v.known().filter(|t| t.ends_with('*')))?;
    let rest: Vec<Val> = all
        .iter()
        .filter(|v| v.known().as_ref() != Some(&format))
        .cloned()
        .collect();
    match format.chars().next()? {
        'H' => {
            let mut flat = Vec::new();
            rest.iter().for_each(|v| v.clone().flat(&mut flat));
            unhex(&flat.first()?.known()?)
        }
        'C' | 'c' | 'U' | 'W' => chr(&rest),
        _ => None,
    }
}

/// `"cm0=".unpack("m")`
fn unpack(all: &[Val]) -> Option<Val> {
    let format = all.iter().skip(1).find_map(Val::known)?;
    match format.chars().next()? {
        'm' => base64(&all.first()?.known()?),
        _ => None,
    }
}

pub(super) fn reverse(value: &Val) -> Option<Val> {
    Some(match value {
        Val::List(all) => Val::List(all.iter().rev().cloned().collect()),
        Val::Bytes(b, l) => Val::Bytes(b.iter().rev().copied().collect(), *l),
        other => Val::text(other.known()?.chars().rev().collect::<String>()),
    })
}

fn replace(text: &str, from: &str, to: &str) -> Val {
    // What grows without bound is not followed.
    if from.is_empty() || to.len() > 256 {
        return Val::unknown(Labels::DECODED);
    }
    Val::text(text.replace(from, to))
}

fn split(text: &str, by: Option<String>) -> Val {
    let parts: Vec<Val> = match by.as_deref() {
        None => text.split_whitespace().take(MAX_LIST).map(Val::text).collect(),
        Some("") => text.chars().take(MAX_LIST).map(Val::text).collect(),
        Some(by) => text.split(by).take(MAX_LIST).map(Val::text).collect(),
    };
    Val::List(parts)
}

fn range(all: &[Val]) -> Option<Val> {
    let numbers: Vec<i64> = all
        .iter()
        .map(|v| if let Val::Number(n) = v { Some(*n) } else { None })
        .collect::<Option<_>>()?;
    let (from, to) = match numbers.as_slice() {
        [to] => (0, *to),
        [from, to, ..] => (*from, *to),
        [] => return None,
    };
    Some(Val::List((from..to).take(512).map(Val::Number).collect()))
}

/// `s.substr(start, length)`
fn substring(all: &[Val]) -> Option<Val> {
    let text = all.first()?.known()?;
    let number = |v: Option<&Val>| {
        if let Some(Val::Number(n)) = v {
            usize::try_from(*n).ok()
        } else {
            None
        }
    };
    let from = number(all.get(1))?;
    let take = number(all.get(2)).unwrap_or(usize::MAX);
    Some(Val::text(text.chars().skip(from).take(take).collect::<String>()))
}

/// Element or character number `n`, counted from the end when it is negative.
pub(super) fn nth(value: &Val, n: i64) -> Val {
    let labels = value.labels();
    let place = |len: usize| {
        let len = i64::try_from(len).unwrap_or(i64::MAX);
        usize::try_from(if n < 0 { len.saturating_add(n) } else { n }).ok()
    };
    let found = match value {
        Val::List(all) => place(all.len()).and_then(|i| all.get(i)).cloned(),
        Val::Map(all) => place(all.len()).and_then(|i| all.get(i)).map(|(_, v)| v.clone()),
        other => other.known().and_then(|t| {
            let at = place(t.chars().count())?;
            t.chars().nth(at).map(Val::text)
        }),
    };
    found.unwrap_or_else(|| Val::Thing(String::new(), labels))
}

/// `value[from:to:step]`
pub(super) fn slice(value: &Val, bounds: [Option<i64>; 3]) -> Val {
    let [from, to, step] = bounds;
    let pick = |len: usize| -> Vec<usize> {
        let len = i64::try_from(len).unwrap_or(i64::MAX);
        let step = step.filter(|s| *s != 0).unwrap_or(1);
        let fix = |n: i64| if n < 0 { n.saturating_add(len) } else { n };
        let mut at = from.map_or(if step < 0 { len - 1 } else { 0 }, fix);
        let end = to.map_or(if step < 0 { -1 } else { len }, fix);
        let mut out = Vec::new();
        while out.len() < MAX && (if step < 0 { at > end } else { at < end }) {
            if (0..len).contains(&at) {
                out.extend(usize::try_from(at).ok());
            } else if at >= len && step > 0 || at < 0 && step < 0 {
                break;
            }
            at = at.saturating_add(step);
        }
        out
    };
    match value {
        Val::List(all) => Val::List(pick(all.len()).iter().filter_map(|i| all.get(*i).cloned()).collect()),
        Val::Bytes(bytes, labels) => Val::Bytes(
            pick(bytes.len())
                .iter()
                .filter_map(|i| bytes.get(*i).copied())
                .collect(),
            *labels,
        ),
        other => match other.known() {
            Some(text) if text.len() <= MAX => {
                let chars: Vec<char> = text.chars().collect();
                let picked: String = pick(chars.len()).iter().filter_map(|i| chars.get(*i)).collect();
                Val::text(picked).labelled(other.labels())
            }
            _ => Val::unknown(other.labels()),
        },
    }
}

/// `%s`, `%d`, `{}`, `{0}` and `{name}` filled in, one after the other.
pub(super) fn format(template: &Value, args: &[Val]) -> Value {
    let Some(text) = template.known() else {
        let labels = args.iter().fold(template.labels, |l, v| l.with(v.labels()));
        return Value::unknown(labels);
    };
    let mut out = Value::default().labelled(template.labels);
    let mut next = 0;
    let mut rest = text;
    while let Some(at) = rest.find(['%', '{']) {
        let (head, tail) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_text(head);
        let Some((len, which)) = placeholder(tail) else {
            out.push_text(tail.get(..1).unwrap_or_default());
            rest = tail.get(1..).unwrap_or_default();
            continue;
        };
        rest = tail.get(len..).unwrap_or_default();
        if tail.starts_with("%%") {
            out.push_text("%");
            continue;
        }
        let index = which.unwrap_or(next);
        next = index + 1;
        match args.get(index) {
            Some(Val::Number(n)) if tail.get(..len).is_some_and(|p| p.ends_with('c')) => {
                let c = u32::try_from(*n).ok().and_then(char::from_u32);
                out.push_text(&c.map(|c| c.to_string()).unwrap_or_default());
            }
            Some(value) => out.append(&value.to_value()),
            None => out.push_unknown(Labels::NONE),
        }
    }
    out.push_text(rest);
    out
}

/// The length of a placeholder, and which argument it names.
fn placeholder(text: &str) -> Option<(usize, Option<usize>)> {
    if text.starts_with('{') {
        let end = text.find('}')?;
        let inner = text.get(1..end)?;
        let number = inner.split([':', '!']).next().and_then(|n| n.parse().ok());
        return inner
            .chars()
            .all(|c| c.is_alphanumeric() || "_:!".contains(c))
            .then_some((end + 1, number));
    }
    let spec = text.get(1..)?;
    let end = spec.find(|c: char| !(c.is_ascii_digit() || "-+ #.".contains(c)))?;
    let kind = spec.get(end..)?.chars().next()?;
    (kind.is_ascii_alphabetic() || kind == '%').then_some((end + 2, None))
}
