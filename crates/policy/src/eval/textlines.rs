//! Filters that work by lines and fields: head, tail, cut, sort, uniq, rev, tac, fold, paste, seq, simple awk.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Value;
use crate::facts::Parsed;

pub(super) fn run(name: &str, parsed: &Parsed, args: &[Value], input: Option<&str>) -> Option<String> {
    match (name, input) {
        ("seq", _) => seq(args),
        ("rev", Some(i)) => Some(lines(i.lines().map(|l| l.chars().rev().collect()))),
        ("tac", Some(i)) if parsed.options.is_empty() => Some(lines(i.lines().rev().map(ToString::to_string))),
        ("head" | "tail", Some(i)) => ends(name == "head", parsed, args, i),
        ("cut", Some(i)) => cut(parsed, i),
        ("sort", Some(i)) => sort(parsed, i),
        ("uniq", Some(i)) => uniq(parsed, i),
        ("fold", Some(i)) => fold(parsed, i),
        ("paste", Some(i)) => paste(parsed, i),
        ("awk", Some(i)) => awk(parsed, i),
        _ => None,
    }
}

fn lines(all: impl Iterator<Item = String>) -> String {
    all.map(|l| l + "\n").collect()
}

fn value<'p>(parsed: &'p Parsed, name: &str) -> Option<&'p str> {
    parsed.option(name)?.1.as_ref()?.known()
}

/// Whether no option was given but those in `names`.
fn only(parsed: &Parsed, names: &[&str]) -> bool {
    parsed.options.iter().all(|(o, _)| names.iter().any(|n| o.named(n)))
}

/// `head -n 3`, `head -3`, `head -c 5`, `tail -n +2`
fn ends(head: bool, parsed: &Parsed, args: &[Value], input: &str) -> Option<String> {
    let short = args
        .iter()
        .find_map(|a| a.known()?.strip_prefix('-')?.parse::<usize>().ok());
    if let Some(count) = value(parsed, "-c") {
        let n: usize = count.parse().ok()?;
        let at = if head {
            n.min(input.len())
        } else {
            input.len().saturating_sub(n)
        };
        let (before, after) = input.split_at_checked(at)?;
        return Some(if head { before } else { after }.to_string());
    }
    let count = value(parsed, "-n")
        .map(ToString::to_string)
        .or(short.map(|n| n.to_string()));
    let count = count.unwrap_or_else(|| "10".into());
    let all: Vec<&str> = input.split_inclusive('\n').collect();
    let from_start = count.strip_prefix('+').filter(|_| !head);
    let to_end = count.strip_prefix('-').filter(|_| head);
    let range = match (from_start, to_end) {
        (Some(n), _) => n.parse::<usize>().ok()?.saturating_sub(1)..all.len(),
        (_, Some(n)) => 0..all.len().saturating_sub(n.parse().ok()?),
        _ => {
            let n: usize = count.parse().ok()?;
            if head {
                0..n.min(all.len())
            } else {
                all.len().saturating_sub(n)..all.len()
            }
        }
    };
    Some(all.get(range).unwrap_or_default().concat())
}

/// The places that `1,3-5,7-` names, among `count`.
fn places(list: &str, count: usize) -> Option<Vec<usize>> {
    let mut out = Vec::new();
    for part in list.split(',') {
        let (from, to) = match part.split_once('-') {
            Some((from, to)) => (
                if from.is_empty() { 1 } else { from.parse().ok()? },
                if to.is_empty() { count } else { to.parse().ok()? },
            ),
            None => (part.parse::<usize>().ok()?, part.parse().ok()?),
        };
        out.extend((from.max(1)..=to.min(count)).map(|n| n - 1));
    }
    out.sort_unstable();
    out.dedup();
    Some(out)
}

fn cut(parsed: &Parsed, input: &str) -> Option<String> {
    if !only(parsed, &["-d", "-f", "-c", "-b"]) {
        return None;
    }
    let mut out = String::new();
    for line in input.lines() {
        if let Some(list) = value(parsed, "-c").or_else(|| value(parsed, "-b")) {
            let chars: Vec<char> = line.chars().collect();
            out.extend(places(list, chars.len())?.iter().filter_map(|i| chars.get(*i)));
        } else {
            let by = value(parsed, "-d").unwrap_or("\t");
            let fields: Vec<&str> = line.split(by).collect();
            let picked = if fields.len() == 1 {
                fields
            } else {
                let wanted = places(value(parsed, "-f")?, fields.len())?;
                wanted.iter().filter_map(|i| fields.get(*i).copied()).collect()
            };
            out.push_str(&picked.join(by));
        }
        out.push('\n');
    }
    Some(out)
}

fn sort(parsed: &Parsed, input: &str) -> Option<String> {
    if !only(parsed, &["-r", "-u", "-n"]) {
        return None;
    }
    let mut all: Vec<&str> = input.lines().collect();
    let number = |l: &str| {
        l.trim_start()
            .chars()
            .take_while(char::is_ascii_digit)
            .collect::<String>()
            .parse::<u64>()
            .unwrap_or(0)
    };
    if parsed.option("-n").is_some() {
        all.sort_by_key(|l| (number(l), *l));
    } else {
        all.sort_unstable();
    }
    if parsed.option("-u").is_some() {
        all.dedup();
    }
    if parsed.option("-r").is_some() {
        all.reverse();
    }
    Some(lines(all.into_iter().map(ToString::to_string)))
}

fn uniq(parsed: &Parsed, input: &str) -> Option<String> {
    if !parsed.options.is_empty() {
        return None;
    }
    let mut all: Vec<&str> = input.lines().collect();
    all.dedup();
    Some(lines(all.into_iter().map(ToString::to_string)))
}

fn fold(parsed: &Parsed, input: &str) -> Option<String> {
    let width: usize = value(parsed, "-w").unwrap_or("80").parse().ok().filter(|w| *w > 0)?;
    let mut out = String::new();
    for line in input.lines() {
        for (i, c) in line.chars().enumerate() {
            if i > 0 && i % width == 0 {
                out.push('\n');
            }
            out.push(c);
        }
        out.push('\n');
    }
    Some(out)
}

/// `paste -sd ''` makes one line of many.
fn paste(parsed: &Parsed, input: &str) -> Option<String> {
    if !only(parsed, &["-s", "-d"]) || parsed.option("-s").is_none() {
        return None;
    }
    let by = match value(parsed, "-d") {
        Some("\\0" | "") => "",
        Some("\\n") => "\n",
        Some(by) if by.chars().count() == 1 => by,
        Some(_) => return None,
        None => "\t",
    };
    Some(input.lines().collect::<Vec<_>>().join(by) + "\n")
}

/// `seq 3`, `seq 2 5`, `seq 1 2 9`
fn seq(args: &[Value]) -> Option<String> {
    let numbers: Vec<i64> = args.iter().map(|a| a.known()?.parse().ok()).collect::<Option<_>>()?;
    let (from, step, to) = match numbers.as_slice() {
        [to] => (1, 1, *to),
        [from, to] => (*from, 1, *to),
        [from, step, to] => (*from, *step, *to),
        _ => return None,
    };
    if step == 0 {
        return None;
    }
    let mut out = String::new();
    let mut at = from;
    for _ in 0..1024 {
        if (step > 0 && at > to) || (step < 0 && at < to) {
            return Some(out);
        }
        out.push_str(&at.to_string());
        out.push('\n');
        at = at.saturating_add(step);
    }
    None
}

/// `{print $2}`, `{print $1 "-" $3}`, `{print $1, $2}`, with `-F`; a `NR==n` before it.
fn awk(parsed: &Parsed, input: &str) -> Option<String> {
    if !only(parsed, &["-F"]) {
        return None;
    }
    let program = parsed.operands.first()?.0.known()?.trim().to_string();
    let (when, body) = program.split_once('{')?;
    let body = body.trim().strip_suffix('}')?.trim().trim_end_matches(';');
    let body = body.strip_prefix("print")?;
    let row: Option<usize> = match when.trim() {
        "" => None,
        when => Some(
            when.strip_prefix("NR")?
                .trim()
                .strip_prefix("==")?
                .trim()
                .parse()
                .ok()?,
        ),
    };
    let by = value(parsed, "-F");
    let mut out = String::new();
    for (i, line) in input.lines().enumerate() {
        if row.is_none_or(|r| r == i + 1) {
            let fields: Vec<&str> = match by {
                Some(by) if by.chars().count() == 1 && by != " " => line.split(by).collect(),
                Some(_) => return None,
                None => line.split_whitespace().collect(),
            };
            out.push_str(&printed(body, line, &fields)?);
            out.push('\n');
        }
    }
    Some(out)
}

/// What a list of fields and texts prints; anything else is not worked out.
fn printed(body: &str, line: &str, fields: &[&str]) -> Option<String> {
    let body = body.trim();
    if body.is_empty() {
        return Some(line.to_string());
    }
    let mut out = String::new();
    let mut rest = body;
    while let Some(c) = rest.chars().next() {
        match c {
            '$' => {
                let name: String = rest.chars().skip(1).take_while(char::is_ascii_alphanumeric).collect();
                let at = if name == "NF" { fields.len() } else { name.parse().ok()? };
                out.push_str(if at == 0 {
                    line
                } else {
                    fields.get(at - 1).copied().unwrap_or_default()
                });
                rest = rest.get(name.len() + 1..)?;
            }
            '"' => {
                let (text, after) = rest.get(1..)?.split_once('"')?;
                if text.contains('\\') {
                    return None;
                }
                out.push_str(text);
                rest = after;
            }
            ',' => {
                out.push(' ');
                rest = rest.get(1..)?;
            }
            ' ' => rest = rest.get(1..)?,
            _ => return None,
        }
    }
    Some(out)
}
