//! Operators: how tightly they bind, and what they make of two values.

use alloc::string::String;
use alloc::vec::Vec;

use super::cursor::Cursor;
use super::either::{one_of, spread};
use super::lexer::Tok;
use super::value::{Val, concat, join_path};
use super::walk::Walk;

impl Walk<'_> {
    /// The operator that comes next, and how tightly it binds.
    pub(super) fn operator(&self, cur: &Cursor, left: &Val) -> Option<(&'static str, u8)> {
        let op = match cur.tok()? {
            Tok::Op(op) => *op,
            Tok::Name(n) => match n.as_str() {
                "and" => "&&",
                "or" => "||",
                "x" if self.lang == "perl" => "x",
                "as" if matches!(self.lang, "python" | "other") => "as",
                "if" if self.lang == "python" => "if",
                "eq" | "ne" | "in" | "is" if matches!(self.lang, "perl" | "python") => "==",
                _ => return None,
            },
            _ => return None,
        };
        let level = match op {
            "=" | ":=" | "<-" | "||=" | "&&=" | "??=" | "//=" | "+=" | ".=" | "-=" | "*=" | "/=" | "%=" | "as" => 0,
            "=>" | "->" => 1,
            "?" | "if" if !self.syntax.sigils || op == "?" => 1,
            "||" | "&&" | "??" | "==" | "!=" | "===" | "!==" | "=~" | "!~" | "<=>" | "<=" | ">=" => 2,
            "|>" => 2,
            "<" | ">" | "&" | "|" | "^" => 3,
            "//" if self.lang == "perl" => 2,
            "+" | "-" | "<>" | "<<" | ">>" | "++" => 4,
            "." if self.syntax.sigils => 4,
            ".." if self.lang == "lua" => 4,
            "~" if self.lang == "other" => 4,
            "*" | "/" | "%" | "x" | "**" | "//" => 5,
            _ => return None,
        };
        // `%w` and `*args` after white space start something new.
        let bare = matches!(left, Val::Thing(..)) && self.lang == "ruby" && cur.spaced(0) && !cur.spaced(1);
        (!(bare && matches!(op, "*" | "%" | "-" | "&"))).then_some((op, level))
    }

    /// What an operator makes of two values, whichever of their alternatives they are.
    pub(super) fn joined(&mut self, op: &str, left: Val, right: Val) -> Val {
        match op {
            "||" | "//" | "??" => return preferred(left, right),
            "&&" => return one_of(alloc::vec![right, left]),
            _ => {}
        }
        let both = [left, right];
        match spread(&both) {
            None => {
                let [left, right] = both;
                self.joined_one(op, left, right)
            }
            Some(ways) => {
                let one = |way: Vec<Val>| {
                    let mut both = way.into_iter();
                    Some(self.joined_one(op, both.next()?, both.next()?))
                };
                one_of(ways.into_iter().filter_map(one).collect())
            }
        }
    }

    fn joined_one(&self, op: &str, left: Val, right: Val) -> Val {
        match op {
            "+" | "." | ".." | "<>" | "++" | "~" => concat(left, &right),
            "=~" => left,
            "/" if left.is_text()
                && right.is_text()
                && !matches!((&left, &right), (Val::Number(_), Val::Number(_))) =>
            {
                Val::Text(join_path(&left.to_value(), &right.to_value()))
            }
            "&" if left.is_text() && right.is_text() && arithmetic(op, &left, &right).is_none() => concat(left, &right),
            "*" => arithmetic(op, &left, &right)
                .or_else(|| repeated(&left, &right))
                .or_else(|| repeated(&right, &left))
                .unwrap_or_else(|| self.formatted(op, left, right)),
            "-" | "^" | "/" | "&" | "|" | ">>" | "%" => {
                arithmetic(op, &left, &right).unwrap_or_else(|| self.formatted(op, left, right))
            }
            "x" => repeated(&left, &right).unwrap_or(left),
            "<<" => concat(left, &right),
            _ => Val::nothing(),
        }
    }

    fn formatted(&self, op: &str, left: Val, right: Val) -> Val {
        let labels = left.labels().with(right.labels());
        if op != "%" || !left.is_text() {
            return Val::Thing(String::new(), labels);
        }
        let mut args = Vec::new();
        right.flat(&mut args);
        Val::Text(super::pure::format(&left.to_value(), &args))
    }
}

/// The first value where it is known, and the second where it is not.
pub(super) fn preferred(first: Val, second: Val) -> Val {
    if first.is_unknown() {
        one_of(alloc::vec![first, second])
    } else {
        one_of(alloc::vec![second, first])
    }
}

fn arithmetic(op: &str, left: &Val, right: &Val) -> Option<Val> {
    let (Val::Number(a), Val::Number(b)) = (left, right) else {
        return None;
    };
    let out = match op {
        "-" => a.wrapping_sub(*b),
        "*" => a.wrapping_mul(*b),
        "^" => a ^ b,
        "&" => a & b,
        "|" => a | b,
        "/" => a.checked_div(*b)?,
        "%" => a.checked_rem_euclid(*b)?,
        ">>" => a.checked_shr(u32::try_from(*b).ok()?)?,
        _ => return None,
    };
    Some(Val::Number(out))
}

/// A text or a list a few times.
fn repeated(base: &Val, times: &Val) -> Option<Val> {
    let Val::Number(times) = *times else { return None };
    let mut out = if matches!(base, Val::List(_)) {
        Val::List(Vec::new())
    } else {
        Val::text("")
    };
    for _ in 0..times.clamp(0, 64) {
        out = concat(out, base);
    }
    Some(out)
}
