//! sed with plain scripts: `s`, `y`, `d`, `p`, `q`, addressed by line numbers. A pattern is letters, `.`, sets and anchors,
//! each repeated or not; with anything else the output is not known.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::facts::Parsed;

/// Steps of one comparison.
const MAX_STEPS: usize = 20_000;
/// Commands of one script.
const MAX_COMMANDS: usize = 64;

pub(super) fn run(parsed: &Parsed, input: &str) -> Option<String> {
    let allowed = ["-e", "-n", "-E", "-r"];
    if !parsed.options.iter().all(|(o, _)| allowed.iter().any(|n| o.named(n))) {
        return None;
    }
    let extended = parsed.option("-E").is_some() || parsed.option("-r").is_some();
    let mut script: Vec<String> = parsed
        .options
        .iter()
        .filter(|(o, _)| o.named("-e"))
        .map(|(_, v)| v.as_ref()?.known().map(ToString::to_string))
        .collect::<Option<_>>()?;
    if script.is_empty() {
        script.push(parsed.operands.first()?.0.known()?.to_string());
    }
    let mut commands = Vec::new();
    for text in &script {
        parse(text, extended, &mut commands)?;
    }
    apply(&commands, parsed.option("-n").is_some(), input)
}

struct Command {
    from: Option<usize>,
    to: Option<usize>,
    act: Act,
}

enum Act {
    Delete,
    Print,
    Quit,
    Map(Vec<char>, Vec<char>),
    Replace {
        pattern: Pattern,
        with: Vec<char>,
        all: bool,
        nth: usize,
    },
}

fn parse(text: &str, extended: bool, out: &mut Vec<Command>) -> Option<()> {
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        if matches!(chars.get(at), Some(' ' | ';' | '\n')) {
            at += 1;
            continue;
        }
        if out.len() >= MAX_COMMANDS {
            return None;
        }
        let from = number(&chars, &mut at, None);
        let to = if chars.get(at) == Some(&',') {
            at += 1;
            number(&chars, &mut at, Some(usize::MAX))
        } else {
            from
        };
        let name = *chars.get(at)?;
        at += 1;
        let act = match name {
            'd' => Act::Delete,
            'p' => Act::Print,
            'q' => Act::Quit,
            's' | 'y' => {
                let mark = *chars.get(at)?;
                at += 1;
                let first = part(&chars, &mut at, mark)?;
                let second = part(&chars, &mut at, mark)?;
                if name == 'y' {
                    Act::Map(first, second)
                } else {
                    replace(&chars, &mut at, &first, second, extended)?
                }
            }
            _ => return None,
        };
        if !matches!(chars.get(at), None | Some(' ' | ';' | '\n')) {
            return None;
        }
        out.push(Command { from, to, act });
    }
    Some(())
}

fn number(chars: &[char], at: &mut usize, last: Option<usize>) -> Option<usize> {
    if chars.get(*at) == Some(&'$') && last.is_some() {
        *at += 1;
        return last;
    }
    let digits: String = chars.iter().skip(*at).take_while(|c| c.is_ascii_digit()).collect();
    *at += digits.len();
    digits.parse().ok()
}

/// The text up to the mark, which is passed.
fn part(chars: &[char], at: &mut usize, mark: char) -> Option<Vec<char>> {
    let mut out = Vec::new();
    loop {
        let c = *chars.get(*at)?;
        *at += 1;
        match c {
            '\\' => {
                let e = *chars.get(*at)?;
                *at += 1;
                if e != mark {
                    out.push('\\');
                }
                out.push(e);
            }
            c if c == mark => return Some(out),
            c => out.push(c),
        }
    }
}

fn replace(chars: &[char], at: &mut usize, pattern: &[char], with: Vec<char>, extended: bool) -> Option<Act> {
    let flags: String = chars
        .iter()
        .skip(*at)
        .take_while(|c| c.is_ascii_alphanumeric())
        .collect();
    *at += flags.len();
    let digits: String = flags.chars().filter(char::is_ascii_digit).collect();
    let rest = flags.trim_matches(|c: char| c.is_ascii_digit());
    if !rest.chars().all(|c| c == 'g' || c == 'I' || c == 'i') {
        return None;
    }
    // Parts of what was found are not kept.
    if with
        .windows(2)
        .any(|w| matches!(w, ['\\', '0'..='9' | 'U' | 'L' | 'u' | 'l' | 'E']))
    {
        return None;
    }
    Some(Act::Replace {
        pattern: Pattern::new(pattern, extended, rest.contains(['i', 'I']))?,
        with,
        all: rest.contains('g'),
        nth: digits.parse().unwrap_or(1),
    })
}

fn apply(commands: &[Command], quiet: bool, input: &str) -> Option<String> {
    let all: Vec<&str> = input.lines().collect();
    let ended = input.ends_with('\n');
    let mut out: Vec<String> = Vec::new();
    let mut quit = false;
    for (i, line) in all.iter().enumerate() {
        let mut text: Vec<char> = line.chars().collect();
        let mut deleted = false;
        for command in commands {
            let within = command.from.is_none_or(|f| i + 1 >= f) && command.to.is_none_or(|t| i < t);
            if !within {
                continue;
            }
            match &command.act {
                Act::Delete => deleted = true,
                Act::Print => out.push(text.iter().collect()),
                Act::Quit => quit = true,
                Act::Map(from, to) if from.len() == to.len() => {
                    for c in &mut text {
                        if let Some(d) = from.iter().position(|f| f == c).and_then(|at| to.get(at)) {
                            *c = *d;
                        }
                    }
                }
                Act::Map(..) => return None,
                Act::Replace {
                    pattern,
                    with,
                    all,
                    nth,
                } => text = pattern.replaced(&text, with, *all, *nth)?,
            }
            if deleted || quit {
                break;
            }
        }
        if !quiet && !deleted {
            out.push(text.iter().collect());
        }
        if quit {
            break;
        }
    }
    let mut joined = out.join("\n");
    if !out.is_empty() && (ended || quit) {
        joined.push('\n');
    }
    Some(joined)
}

enum Atom {
    Char(char),
    Any,
    Set(Vec<(char, char)>, bool),
    Start,
    End,
}

/// Atoms with how often they stand: at least, at most.
struct Pattern {
    atoms: Vec<(Atom, usize, usize)>,
    folded: bool,
}

impl Pattern {
    fn new(chars: &[char], extended: bool, folded: bool) -> Option<Self> {
        let mut atoms: Vec<(Atom, usize, usize)> = Vec::new();
        let mut at = 0;
        while let Some(c) = chars.get(at).copied() {
            at += 1;
            let atom = match c {
                '\\' => {
                    let e = *chars.get(at)?;
                    at += 1;
                    match e {
                        'n' => Atom::Char('\n'),
                        't' => Atom::Char('\t'),
                        's' => Atom::Set(alloc::vec![(' ', ' '), ('\t', '\t')], false),
                        '+' | '?' if !extended => {
                            let last = atoms.last_mut()?;
                            (last.1, last.2) = if e == '+' { (1, usize::MAX) } else { (0, 1) };
                            continue;
                        }
                        e if e.is_alphanumeric() || "(){}|<>".contains(e) && !extended => return None,
                        e => Atom::Char(e),
                    }
                }
                '*' if !atoms.is_empty() => {
                    let last = atoms.last_mut()?;
                    (last.1, last.2) = (0, usize::MAX);
                    continue;
                }
                '+' | '?' if extended => {
                    let last = atoms.last_mut()?;
                    (last.1, last.2) = if c == '+' { (1, usize::MAX) } else { (0, 1) };
                    continue;
                }
                '(' | ')' | '|' | '{' if extended => return None,
                '.' => Atom::Any,
                '^' if atoms.is_empty() => Atom::Start,
                '$' if at == chars.len() => Atom::End,
                '[' => set(chars, &mut at)?,
                c => Atom::Char(c),
            };
            atoms.push((atom, 1, 1));
        }
        (!atoms.is_empty()).then_some(Self { atoms, folded })
    }

    fn replaced(&self, text: &[char], with: &[char], all: bool, nth: usize) -> Option<Vec<char>> {
        let mut out = Vec::new();
        let mut at = 0;
        let mut found = 0;
        let mut steps = 0;
        while at <= text.len() {
            let end = self.end_of(text, at, 0, &mut steps);
            if steps > MAX_STEPS || out.len() > super::value::MAX_STREAM {
                return None;
            }
            match end {
                Some(end) if found + 1 < nth || !all && found >= nth => {
                    found += 1;
                    out.extend(text.get(at..end.max(at + 1).min(text.len())).unwrap_or_default());
                    at = end.max(at + 1);
                }
                Some(end) => {
                    found += 1;
                    fill(with, text.get(at..end).unwrap_or_default(), &mut out);
                    if end == at {
                        out.extend(text.get(at));
                    }
                    at = end.max(at + 1);
                }
                None => {
                    out.extend(text.get(at));
                    at += 1;
                }
            }
        }
        Some(out)
    }

    /// Where the longest match from `at` on ends.
    fn end_of(&self, text: &[char], at: usize, atom: usize, steps: &mut usize) -> Option<usize> {
        *steps += 1;
        if *steps > MAX_STEPS {
            return None;
        }
        let Some((what, least, most)) = self.atoms.get(atom) else {
            return Some(at);
        };
        match what {
            Atom::Start if at != 0 => return None,
            Atom::End if at != text.len() => return None,
            Atom::Start | Atom::End => return self.end_of(text, at, atom + 1, steps),
            _ => {}
        }
        let mut count = 0;
        while count < *most && text.get(at + count).is_some_and(|c| self.fits(what, *c)) {
            count += 1;
        }
        *steps += count;
        loop {
            if count < *least {
                return None;
            }
            if let Some(end) = self.end_of(text, at + count, atom + 1, steps) {
                return Some(end);
            }
            count = count.checked_sub(1)?;
        }
    }

    fn fits(&self, atom: &Atom, c: char) -> bool {
        let one = |c: char| match atom {
            Atom::Char(d) => *d == c,
            Atom::Any => true,
            Atom::Set(ranges, not) => ranges.iter().any(|(a, b)| (*a..=*b).contains(&c)) != *not,
            Atom::Start | Atom::End => false,
        };
        one(c) || self.folded && (one(c.to_ascii_lowercase()) || one(c.to_ascii_uppercase()))
    }
}

fn set(chars: &[char], at: &mut usize) -> Option<Atom> {
    let not = chars.get(*at) == Some(&'^');
    *at += usize::from(not);
    let mut ranges = Vec::new();
    loop {
        let c = *chars.get(*at)?;
        *at += 1;
        match c {
            ']' if !ranges.is_empty() => return Some(Atom::Set(ranges, not)),
            '[' if chars.get(*at) == Some(&':') => {
                let rest: String = chars.iter().skip(*at + 1).take_while(|c| **c != ':').collect();
                *at += rest.chars().count() + 3;
                ranges.extend(class(&rest)?);
            }
            c => match (chars.get(*at), chars.get(*at + 1)) {
                (Some('-'), Some(end)) if *end != ']' => {
                    ranges.push((c, *end));
                    *at += 2;
                }
                _ => ranges.push((c, c)),
            },
        }
    }
}

fn class(name: &str) -> Option<Vec<(char, char)>> {
    Some(match name {
        "digit" => alloc::vec![('0', '9')],
        "lower" => alloc::vec![('a', 'z')],
        "upper" => alloc::vec![('A', 'Z')],
        "alpha" => alloc::vec![('a', 'z'), ('A', 'Z')],
        "alnum" => alloc::vec![('a', 'z'), ('A', 'Z'), ('0', '9')],
        "space" | "blank" => alloc::vec![(' ', ' '), ('\t', '\t'), ('\n', '\n')],
        "punct" => alloc::vec![('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        _ => return None,
    })
}

/// The replacement, with `&` for what was found.
fn fill(with: &[char], found: &[char], out: &mut Vec<char>) {
    let mut chars = with.iter();
    while let Some(c) = chars.next() {
        match c {
            '&' => out.extend(found),
            '\\' => out.extend(chars.next().map(|e| match e {
                'n' => '\n',
                't' => '\t',
                e => *e,
            })),
            c => out.push(*c),
        }
    }
}
