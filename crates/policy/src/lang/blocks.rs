//! Where blocks and statements end.

use super::cursor::Cursor;
use super::lexer::Tok;
use super::syntax::Blocks;
use super::value::Val;
use super::walk::Walk;

/// Tokens that are looked ahead at for the price of a step.
const TOKENS_PER_STEP: usize = 64;
/// As many of them cost as much as a name that is kept.
const TOKENS_PER_NAME: usize = 8;
/// Bytes of a value that cost as much as a token, how many cost nothing, and how many are counted.
const BYTES_PER_TOKEN: usize = 4;
const FREE_BYTES: usize = 4 << 10;
const MOST_PAID: usize = 64 << 10;
/// As often as that it is looked at where it is one thing or another.
const WAYS: usize = 8;
/// Names, or tokens, that stand before an assignment or in a list of parameters at no price of their own.
const FEW_NAMES: usize = 16;

impl Walk<'_> {
    /// Where the block that starts here ends, the place behind it.
    pub(super) fn block_end(&mut self, cur: &Cursor) -> usize {
        if cur.is("{") {
            return cur.closing(cur.at) + 1;
        }
        let end = match self.syntax.blocks {
            Blocks::Indented => self.indented_end(cur),
            Blocks::Words => worded_end(cur, 1, false),
            Blocks::Braces => simple_end(cur),
        };
        self.pay(end - cur.at.min(end));
        end
    }

    /// Looking ahead costs, too.
    pub(super) fn pay(&mut self, tokens: usize) {
        let steps = u32::try_from(tokens / TOKENS_PER_STEP).unwrap_or(u32::MAX);
        self.fuel = self.fuel.saturating_sub(steps);
    }

    /// And so do names that stand where few do.
    pub(super) fn pay_names(&mut self, count: usize) {
        self.pay(count.saturating_sub(FEW_NAMES).saturating_mul(TOKENS_PER_NAME));
    }

    /// What is many things, or one thing or another, is copied and compared as a whole.
    pub(super) fn pay_value(&mut self, value: &Val) {
        if matches!(value, Val::Either(_) | Val::List(_) | Val::Map(_)) {
            let ways = if value.has_either() { WAYS } else { 1 };
            self.pay(value.size(MOST_PAID).saturating_sub(FREE_BYTES) / BYTES_PER_TOKEN * ways);
        }
    }

    pub(super) fn indented_end(&self, cur: &Cursor) -> usize {
        let mut depth = 0usize;
        for at in cur.at..cur.end {
            match cur.get(at) {
                Some(Tok::Op("(" | "[" | "{")) => depth += 1,
                Some(Tok::Op(")" | "]" | "}")) => depth = depth.saturating_sub(1),
                Some(Tok::Newline(indent)) if depth == 0 && *indent <= self.indent => return at,
                _ => {}
            }
        }
        cur.end
    }

    /// Where the construct ends whose first word stands here: the place of its last word.
    pub(super) fn construct_end(&self, cur: &Cursor) -> usize {
        let rest = cur.range(cur.at + 1, cur.end);
        let looping = matches!(cur.name(), Some("while" | "until"));
        let opened = usize::from(self.lang != "elixir");
        let end = worded_end(&rest, opened, looping);
        let worded = |at: &usize| matches!(cur.get(*at), Some(Tok::Name(n)) if n == "end");
        end.checked_sub(1).filter(worded).unwrap_or(end)
    }
}

/// The place behind the `end` that closes `depth` blocks; `looping`: a `for` or `while` stands on this line, to which a
/// `do` belongs.
fn worded_end(cur: &Cursor, mut depth: usize, mut looping: bool) -> usize {
    let mut starts = true;
    for at in cur.at..cur.end {
        match cur.get(at) {
            Some(Tok::Name(n)) => {
                let always = matches!(n.as_str(), "function" | "def" | "begin" | "case" | "class" | "module");
                let leading = starts && matches!(n.as_str(), "if" | "unless" | "for" | "while" | "until");
                depth += usize::from(always || leading);
                if n == "do" && at > cur.at && !looping {
                    depth += 1;
                }
                looping |= matches!(n.as_str(), "for" | "while" | "until");
                if n == "end" {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return at + 1;
                    }
                }
                starts = matches!(n.as_str(), "then" | "do" | "else");
            }
            Some(Tok::Newline(_) | Tok::Op(";")) => (starts, looping) = (true, false),
            _ => starts = false,
        }
    }
    cur.end
}

/// A statement without a block.
pub(super) fn simple_end(cur: &Cursor) -> usize {
    let mut depth = 0usize;
    for at in cur.at..cur.end {
        match cur.get(at) {
            Some(Tok::Op("(" | "[" | "{")) => depth += 1,
            Some(Tok::Op(")" | "]" | "}")) if depth == 0 => return at,
            Some(Tok::Op(")" | "]" | "}")) => depth -= 1,
            Some(Tok::Op(";" | ",") | Tok::Newline(_)) if depth == 0 => return at,
            _ => {}
        }
    }
    cur.end
}
