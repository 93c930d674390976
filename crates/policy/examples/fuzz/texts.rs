//! Texts out of other texts.

use crate::Random;
use crate::targets::Target;

/// The longest text that is made.
const LONGEST: usize = 64 << 10;

/// What other texts are put into; `@` is the place.
const AROUND: &[&str] = &[
    "$(@)",
    "\"$(@)\"",
    "`@`",
    "(@)",
    "{ @; }",
    "eval '@'",
    "bash -c '@'",
    "bash -c \"@\"",
    "sh <<'E'\n@\nE\n",
    "cat <<E\n@\nE\n",
    "f() { @; }; f",
    "f() { @; f $1x; }; f a",
    "if @; then @; fi",
    "while @; do @; done",
    "for i in 1 2 3; do @; done",
    "for i in {1..40}; do @; done",
    "case $x in a) @;; *) @;; esac",
    "@ && @ || @",
    "@ | @",
    "@ &",
    "x='@'; eval \"$x\"",
    "python3 -c '@'",
    "perl -e '@'",
    "ruby -e \"@\"",
    "node -e '@'",
    "awk '@'",
    "sed '@' f",
    "find . -exec @ \\;",
    "xargs @",
    "echo @ | base64 -d | sh",
    "x[$(@)]=1",
    "${x:-@}",
    "$((@))",
    "[[ @ ]]",
    "trap '@' EXIT",
    "alias a='@'; a",
    "sudo @",
    "env A=b @",
    "ssh h '@'",
    "docker run i @",
    "<(@)",
    "@ > f",
    "@ < f",
    "source f @",
    "cd @",
    "export A=@",
    "set -- @; \"$@\"",
    "printf '%s' @",
    "read -r x <<< '@'",
    "a=(@)",
    "{@,@}",
    "'@'",
    "\"@\"",
    "\\@",
    "# @\n",
    "@\n@",
    "git -c x='@' y",
    "make -f - <<'E'\na:\n\t@\nE\n",
    "psql -c '@'",
    "os.system(\"@\")",
    "system('@')",
    "subprocess.run([\"@\"])",
];
/// Pieces that are put in anywhere.
const PIECES: &[&str] = &[
    "$x", "\"", "'", "`", "$(", ")", "{", "}", ";", "\n", "|", "&&", "<<E\n", "\\", "*", "~", "/", "..", "${", "[",
    "]", "((", "$((", "=", "-rf", "\0", "é", "\u{202e}", "!", "#", "%", "\t", "EOF", "then", "done", "esac", "in",
    "function", "$@", "$1", "<(",
];

/// Pieces for everything that is no command.
const CODE_PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "`",
    "\\",
    "\n",
    "\n    ",
    "\t",
    ",",
    ";",
    ":",
    ".",
    "=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "$",
    "@",
    "#",
    "//",
    "/*",
    "*/",
    "\"\"\"",
    "'''",
    "<<E\n",
    "f\"{",
    "${",
    "#{",
    "$(",
    "|",
    "||",
    "&&",
    "->",
    "=>",
    "::",
    "0",
    "1",
    "99999999999999999999",
    "-1",
    "1e9",
    "0x7fffffff",
    "\0",
    "é",
    "\u{202e}",
    "~/",
    "../",
    "/etc/passwd",
    "rm -rf ~",
    "x",
    "end",
    "if",
    "for",
    "while",
    "in",
    "def",
    "function",
    "return",
    "import",
    "1..9999999",
    "* 99999",
    "s/a/b/",
    "[[:alpha:]]",
    "\\1",
    "%s",
    "%999999999d",
    "{1,99999}",
];

/// A text for a target.
pub(crate) fn text(random: &mut Random, target: &Target, all: &[Target]) -> String {
    let seeds: Vec<&str> = target.seeds.iter().map(String::as_str).collect();
    let made = match random.below(3) {
        0 => target.grammar.text(random),
        1 => chain(random, &seeds),
        _ => None,
    };
    let mut text = made.unwrap_or_else(|| random.of(&seeds).to_string());
    for _ in 0..random.below(6) {
        text = match random.below(10) {
            0..3 if target.is_shell() => around(random, &seeds, &text),
            0..2 => exchanged(random, &text, &seeds),
            2 => format!("{text}\n{}", target.grammar.text(random).unwrap_or_default()),
            3 => {
                let joint = random.of(&["; ", "\n", " && ", " | ", " "]);
                format!("{text}{joint}{}", random.of(&seeds))
            }
            4 => put_in(random, &text, target.is_shell()),
            5 => cut(random, &text),
            6 => repeated(random, &text),
            7 => swapped(random, &text),
            8 if target.is_shell() => other(random, all, &text),
            _ => format!("{}\n{text}", random.of(&seeds)),
        };
        let end = (0..=LONGEST.min(text.len())).rev().find(|i| text.is_char_boundary(*i));
        text.truncate(end.unwrap_or_default());
    }
    text
}

/// The words and signs of a text.
fn tokens(text: &str) -> Vec<&str> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (head, tail) = rest.split_at(end);
        out.push(head);
        rest = tail;
    }
    out
}

/// Words that follow each other as they do somewhere in the seeds.
fn chain(random: &mut Random, seeds: &[&str]) -> Option<String> {
    let all: Vec<&str> = (0..4).flat_map(|_| tokens(random.of(seeds))).collect();
    let mut at = random.below(all.len());
    let mut out = String::new();
    for _ in 0..random.below(200) {
        let token = *all.get(at)?;
        out.push_str(token);
        let places: Vec<usize> = (0..all.len()).filter(|i| all.get(*i) == Some(&token)).collect();
        at = places.get(random.below(places.len()))? + 1;
    }
    Some(out)
}

/// A part of the text exchanged for one of a seed, at the borders of words.
fn exchanged(random: &mut Random, text: &str, seeds: &[&str]) -> String {
    let (mine, other) = (tokens(text), tokens(random.of(seeds)));
    let (from, left_out) = (random.below(mine.len() + 1), random.below(12));
    let (start, taken) = (random.below(other.len() + 1), random.below(24));
    let part = other.iter().skip(start).take(taken);
    let rest = mine.iter().skip(from + left_out);
    mine.iter().take(from).chain(part).chain(rest).copied().collect()
}

/// Two words of the text in each other's place.
fn swapped(random: &mut Random, text: &str) -> String {
    let mut all = tokens(text);
    let (a, b) = (random.below(all.len()), random.below(all.len()));
    if !all.is_empty() {
        all.swap(a, b);
    }
    all.concat()
}

/// A question of another target, about the text or one of its own.
fn other(random: &mut Random, all: &[Target], text: &str) -> String {
    let Some(target) = all.get(random.below(all.len())).filter(|t| !t.is_rules()) else {
        return text.into();
    };
    let seeds: Vec<&str> = target.seeds.iter().map(String::as_str).collect();
    let way = random.below(target.ways());
    let inside = if random.below(2) == 0 { text } else { random.of(&seeds) };
    target.question(way, inside).1
}

fn around(random: &mut Random, seeds: &[&str], text: &str) -> String {
    let mut out = String::new();
    for (i, part) in random.of(AROUND).split('@').enumerate() {
        if i == 1 {
            out.push_str(text);
        } else if i > 1 {
            out.push_str(random.of(seeds));
        }
        out.push_str(part);
    }
    out
}

/// A place between two characters.
fn place(random: &mut Random, text: &str) -> usize {
    let at = random.below(text.len() + 1);
    (0..=at).rev().find(|i| text.is_char_boundary(*i)).unwrap_or_default()
}

fn put_in(random: &mut Random, text: &str, shell: bool) -> String {
    let (head, tail) = text.split_at(place(random, text));
    let pieces = if shell { PIECES } else { CODE_PIECES };
    format!("{head}{}{tail}", random.of(pieces))
}

fn cut(random: &mut Random, text: &str) -> String {
    let (a, b) = (place(random, text), place(random, text));
    let (start, end) = (a.min(b), a.max(b));
    let (head, tail) = (
        text.get(..start).unwrap_or_default(),
        text.get(end..).unwrap_or_default(),
    );
    format!("{head}{tail}")
}

/// One piece of the text very often.
fn repeated(random: &mut Random, text: &str) -> String {
    let (a, b) = (place(random, text), place(random, text));
    let (start, end) = (a.min(b), a.max(b));
    let piece = text.get(start..end).unwrap_or_default();
    let times = (1 << random.below(12)).min(LONGEST / (piece.len() + 1));
    let (head, tail) = (
        text.get(..start).unwrap_or_default(),
        text.get(end..).unwrap_or_default(),
    );
    format!("{head}{}{tail}", piece.repeat(times))
}
