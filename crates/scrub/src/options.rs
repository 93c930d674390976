//! Options of single programs that carry a secret under a name that does not say so: `mysql -pX`, `curl -u name:X`.

use crate::names::Says;
use crate::tables::{Choice, How, OPTIONS};
use crate::tokens::{Hit, byte};
use crate::value::{Joint, compound, quote, secret, shell_word, stand_in};

/// The program whose options are being read.
#[derive(Clone, Copy, Default)]
pub(crate) struct Program<'a> {
    name: &'a str,
    /// The word that some programs need before the option means a secret was seen.
    after: bool,
}

impl<'a> Program<'a> {
    /// Notes a word of the text.
    pub(crate) fn word(&mut self, word: &'a str) {
        let known = |name: &str| {
            OPTIONS
                .iter()
                .any(|choice| choice.programs.iter().any(|p| p.eq_ignore_ascii_case(name)))
        };
        if known(word) {
            *self = Self {
                name: word,
                after: false,
            };
        } else if self.needs(word) {
            self.after = true;
        }
    }

    fn needs(&self, word: &str) -> bool {
        OPTIONS
            .iter()
            .flat_map(|choice| choice.only_after)
            .any(|(name, needed)| *name == self.name && *needed == word)
    }

    /// The secret of the option `word`, which stands at `at`.
    pub(crate) fn secret(&self, text: &[u8], at: usize, word: &str) -> Option<Hit> {
        if self.name.is_empty() {
            return None;
        }
        let mine = |choice: &&Choice| choice.programs.iter().any(|p| p.eq_ignore_ascii_case(self.name));
        OPTIONS
            .iter()
            .filter(mine)
            .filter(|choice| self.ready(choice))
            .find_map(|choice| {
                choice
                    .flags
                    .iter()
                    .find_map(|flag| argument(text, at, word, flag, choice.how))
            })
    }

    fn ready(&self, choice: &Choice) -> bool {
        self.after || !choice.only_after.iter().any(|(name, _)| *name == self.name)
    }
}

/// The secret in the argument of `flag`, if `word` is it.
fn argument(text: &[u8], at: usize, word: &str, flag: &str, how: How) -> Option<Hit> {
    let same = if flag.starts_with('-') {
        word == flag
    } else {
        word.eq_ignore_ascii_case(flag)
    };
    let short = flag.len() == 2;
    let behind = at + flag.len();
    let start = if how == How::Glued {
        (word.starts_with(flag) && !starts_space(text, behind)).then_some(behind)?
    } else if same {
        next_word(text, behind)?
    } else if short && word.starts_with(flag) && matches!(how, How::User | How::Percent | How::Comma) {
        behind
    } else {
        return None;
    };
    if matches!(how, How::Glued | How::Next) {
        let (start, end) = compound(text, start).or_else(|| secret(text, start, Says::Password, Joint::Word))?;
        return Some(Hit {
            start,
            end,
            kind: "password",
        });
    }
    part(text, start, how)
}

/// The secret behind the mark in `name:X`, `name%X`, `pass:X` or `name=X`.
fn part(text: &[u8], at: usize, how: How) -> Option<Hit> {
    let quoted = quote(text, at);
    let (start, end) = match quoted {
        Some(quote) => (quote.inside, quote.close(text)?),
        None => (at, word_end(text, at)),
    };
    let word = text.get(start..end)?;
    let mark = match how {
        How::Percent => b'%',
        How::Pair | How::Value => b'=',
        How::Comma => b',',
        _ => b':',
    };
    let behind = word.iter().position(|b| *b == mark)? + 1;
    // `name:'X'`
    if quoted.is_none()
        && let Some(quote) = quote(text, start + behind)
        && quote.close(text).is_some_and(|close| close + 1 == end)
        && text
            .get(quote.inside..)
            .is_some_and(|rest| !rest.starts_with(b"$") && stand_in(rest, 0).is_none())
        && quote.inside + 1 < end
    {
        let (start, end) = (quote.inside, end - 1);
        let kind = how.kind();
        return Some(Hit { start, end, kind });
    }
    if how == How::Prefixed && word.get(..behind) != Some(b"pass:") {
        return None;
    }
    let value = word.get(behind..)?;
    let bare = quote(value, 0).map_or(value, |quote| value.get(quote.inside..).unwrap_or_default());
    let taken = bare.starts_with(crate::value::OPEN.as_bytes());
    let variable = matches!(byte(bare, 0), b'$' | b'<' | b'{' | b'*') || taken;
    let address = value.starts_with(b"//");
    let kind = how.kind();
    (!value.is_empty() && !variable && !address).then_some(Hit {
        start: start + behind,
        end,
        kind,
    })
}

/// The end of an argument out of quotes, with the quotes in it that are closed.
fn word_end(text: &[u8], at: usize) -> usize {
    let end = at + plain_length(text, at);
    let mark = byte(text, end);
    let inside = byte(text, end + 1);
    let pieces = matches!(mark, b'"' | b'\'') && (!inside.is_ascii_whitespace() && inside != 0);
    let after = matches!(byte(text, end.wrapping_sub(1)), b':' | b'=' | b'%' | b',');
    if pieces && (after || inside.is_ascii_alphanumeric() || inside == mark) {
        shell_word(text, at).map_or(end, |(whole, _)| whole)
    } else {
        end
    }
}

/// Names and passwords are not longer than this.
const LONGEST_PAIR: usize = 4096;

fn plain_length(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..text.len().min(at + LONGEST_PAIR)).unwrap_or_default();
    let ends =
        |b: &u8| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'`' | b'&' | b'|' | b'<' | b'>' | b'(' | b')');
    rest.iter().position(ends).unwrap_or(rest.len())
}

fn starts_space(text: &[u8], at: usize) -> bool {
    matches!(byte(text, at), 0 | b' ' | b'\t' | b'\n' | b'\r')
}

/// Where the argument starts: after `=`, or after spaces.
fn next_word(text: &[u8], at: usize) -> Option<usize> {
    if byte(text, at) == b'=' {
        return Some(at + 1);
    }
    let rest = text.get(at..)?;
    let spaces = rest.iter().take(16).take_while(|b| matches!(b, b' ' | b'\t')).count();
    (spaces > 0).then_some(at + spaces)
}
