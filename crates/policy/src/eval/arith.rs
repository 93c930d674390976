//! Arithmetic on known integers. What cannot be worked out is `None`; expansions inside are evaluated either way.

use alloc::string::{String, ToString};

use shell::{Arith, Part, Word};

use super::{Eval, Stream, Value, Var};

/// Longest expression that is computed.
const MAX: usize = 4096;

impl Eval<'_> {
    pub(super) fn arith(&mut self, expression: &Arith) -> Option<i64> {
        let text = self.arith_words(expression);
        self.arith_text(text.known()?)
    }

    /// The expression with its expansions done.
    fn arith_words(&mut self, expression: &Arith) -> Value {
        self.word(&Word {
            parts: alloc::vec![Part::Double(expression.parts.clone())],
            span: expression.span,
        })
    }

    /// `(( expression ))` as a command: whether it is true. `((rm -rf x))` is an expression to bash, and two subshells to
    /// shells that know no such thing (`sh`, `make` and `npm` use one). Where it begins as a call of a known program, it is
    /// followed as that too.
    pub(super) fn arith_command(&mut self, expression: &Arith) -> Option<bool> {
        let text = self.arith_words(expression);
        let value = text.known().and_then(|text| self.arith_text(text));
        let text = text.pattern();
        if self.begins_a_call(&text) {
            let why = "`((` opens two subshells";
            self.perhaps(None, |eval| {
                eval.subshell(|eval| eval.inner_text(&text, expression.span, why, Stream::empty()))
            });
        }
        value.map(|n| n != 0)
    }

    /// Whether a text is a known program and something that no operator would stand before.
    fn begins_a_call(&self, text: &str) -> bool {
        let (first, rest) = text.trim_start().split_once(char::is_whitespace).unwrap_or_default();
        let name = first.rsplit('/').next().unwrap_or_default();
        let mut next = rest.trim_start().chars();
        let an_operand = match (next.next(), next.next()) {
            (Some('-'), Some(letter)) => letter == '-' || letter.is_ascii_alphabetic(),
            (Some(start), _) => start.is_alphanumeric() || matches!(start, '~' | '/' | '.' | '"' | '\''),
            (None, _) => false,
        };
        an_operand && self.world.program(name).is_some()
    }

    /// Computes text in which all expansions are done.
    pub(super) fn arith_text(&mut self, text: &str) -> Option<i64> {
        if text.len() > MAX || self.fuel == 0 {
            return None;
        }
        self.fuel = self.fuel.saturating_sub(1);
        let mut calc = Calc {
            text: text.as_bytes(),
            at: 0,
            depth: 0,
            eval: self,
        };
        let value = calc.comma()?;
        calc.blanks();
        (calc.at >= calc.text.len()).then_some(value)
    }
}

struct Calc<'t, 'e, 'w> {
    text: &'t [u8],
    at: usize,
    depth: u32,
    eval: &'e mut Eval<'w>,
}

/// Binary operators by strength, strongest last; longer spellings before shorter ones.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Calc<'_, '_, '_> {
    fn blanks(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        self.blanks();
        let found = self
            .text
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(token.as_bytes()));
        if found {
            self.at += token.len();
        }
        found
    }

    fn comma(&mut self) -> Option<i64> {
        let mut value = self.ternary()?;
        while self.eat(",") {
            value = self.ternary()?;
        }
        Some(value)
    }

    fn ternary(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > 64 {
            return None;
        }
        let test = self.binary(0)?;
        let value = if self.eat("?") {
            let yes = self.ternary()?;
            if !self.eat(":") {
                return None;
            }
            let no = self.ternary()?;
            if test != 0 { yes } else { no }
        } else {
            test
        };
        self.depth -= 1;
        Some(value)
    }

    fn operator(&mut self, level: usize) -> Option<&'static str> {
        self.blanks();
        let rest = self.text.get(self.at..)?;
        let op = LEVELS.get(level)?.iter().find(|op| rest.starts_with(op.as_bytes()))?;
        let next = rest.get(op.len()).copied();
        // `|` must not take half of `||`, nor `<` half of `<<`, nor any of them half of an assignment.
        let doubled = op.len() == 1 && next == op.bytes().next() && matches!(*op, "|" | "&" | "<" | ">" | "*");
        let assigns = next == Some(b'=') && !matches!(*op, "==" | "!=" | "<=" | ">=");
        (!doubled && !assigns).then_some(*op)
    }

    fn binary(&mut self, level: usize) -> Option<i64> {
        if level == LEVELS.len() {
            return self.power();
        }
        let mut left = self.binary(level + 1)?;
        while let Some(op) = self.operator(level) {
            self.at += op.len();
            let right = self.binary(level + 1)?;
            left = apply(op, left, right)?;
        }
        Some(left)
    }

    fn power(&mut self) -> Option<i64> {
        let base = self.unary()?;
        if self.eat("**") {
            let exponent = u32::try_from(self.unary()?).ok()?;
            return base.checked_pow(exponent);
        }
        Some(base)
    }

    fn unary(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > 64 {
            return None;
        }
        let value = if self.eat("++") {
            self.step(1)?
        } else if self.eat("--") {
            self.step(-1)?
        } else if self.eat("!") {
            i64::from(self.unary()? == 0)
        } else if self.eat("~") {
            !self.unary()?
        } else if self.eat("-") {
            self.unary()?.checked_neg()?
        } else if self.eat("+") {
            self.unary()?
        } else {
            self.primary()?
        };
        self.depth -= 1;
        Some(value)
    }

    fn step(&mut self, by: i64) -> Option<i64> {
        let name = self.name()?;
        let value = self.lookup(&name)?.checked_add(by)?;
        self.store(&name, value);
        Some(value)
    }

    fn primary(&mut self) -> Option<i64> {
        if self.eat("(") {
            let value = self.comma()?;
            return self.eat(")").then_some(value);
        }
        if self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            return self.number();
        }
        let name = self.name()?;
        if self.text.get(self.at) == Some(&b'[') {
            return self.subscript();
        }
        self.assign_or_read(&name)
    }

    fn assign_or_read(&mut self, name: &str) -> Option<i64> {
        if self.eat("++") {
            let value = self.lookup(name)?;
            self.store(name, value.checked_add(1)?);
            return Some(value);
        }
        if self.eat("--") {
            let value = self.lookup(name)?;
            self.store(name, value.checked_sub(1)?);
            return Some(value);
        }
        for op in ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"] {
            if self.eat(&alloc::format!("{op}=")) {
                let right = self.ternary()?;
                let value = apply(op, self.lookup(name)?, right)?;
                self.store(name, value);
                return Some(value);
            }
        }
        self.blanks();
        if self.text.get(self.at) == Some(&b'=') && self.text.get(self.at + 1) != Some(&b'=') {
            self.at += 1;
            let value = self.ternary()?;
            self.store(name, value);
            return Some(value);
        }
        self.lookup(name)
    }

    /// A subscript is expanded again when it is evaluated: a command hidden in it runs.
    fn subscript(&mut self) -> Option<i64> {
        let rest = core::str::from_utf8(self.text.get(self.at..)?).ok()?;
        let end = rest.rfind(']')?;
        let inside = rest.get(1..end)?.to_string();
        self.at += end + 1;
        self.eval.subscript_text(&inside);
        None
    }

    fn number(&mut self) -> Option<i64> {
        let start = self.at;
        while self
            .text
            .get(self.at)
            .is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'#')
        {
            self.at += 1;
        }
        let text = core::str::from_utf8(self.text.get(start..self.at)?).ok()?;
        if let Some((base, digits)) = text.split_once('#') {
            return i64::from_str_radix(digits, base.parse().ok().filter(|b| (2..=36).contains(b))?).ok();
        }
        if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            return i64::from_str_radix(hex, 16).ok();
        }
        if text.len() > 1 && text.starts_with('0') {
            return i64::from_str_radix(text, 8).ok();
        }
        text.parse().ok()
    }

    fn name(&mut self) -> Option<String> {
        self.blanks();
        let start = self.at;
        while self
            .text
            .get(self.at)
            .is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_')
        {
            self.at += 1;
        }
        let text = core::str::from_utf8(self.text.get(start..self.at)?).ok()?;
        (!text.is_empty()).then(|| text.to_string())
    }

    /// A variable's value is itself an expression.
    fn lookup(&mut self, name: &str) -> Option<i64> {
        let text = match self.eval.state.vars.get(name) {
            Some(Var::Scalar(value)) => value.known()?.to_string(),
            Some(_) => return None,
            // Unset counts as 0, but a name that the text did not set may be set outside.
            None => return None,
        };
        if text.trim().is_empty() {
            return Some(0);
        }
        if let Ok(n) = text.trim().parse() {
            return Some(n);
        }
        if self.eval.nest >= super::MAX_NEST {
            return None;
        }
        self.eval.nest += 1;
        let value = self.eval.arith_text(&text);
        self.eval.nest -= 1;
        value
    }

    fn store(&mut self, name: &str, value: i64) {
        self.eval
            .state
            .vars
            .insert(name, Var::Scalar(Value::text(value.to_string())));
    }
}

impl Eval<'_> {
    /// The inside of `a[..]` in arithmetic, `-v` tests and declarations: expanded once more.
    pub(super) fn subscript_text(&mut self, inside: &str) {
        if inside.contains(['$', '`']) {
            let text = alloc::format!(": \"{}\"", inside.replace('"', "\\\""));
            self.inner_text(
                &text,
                shell::Span::default(),
                "a subscript is expanded",
                Stream::empty(),
            );
        }
    }
}

fn apply(op: &str, a: i64, b: i64) -> Option<i64> {
    Some(match op {
        "+" => a.checked_add(b)?,
        "-" => a.checked_sub(b)?,
        "*" => a.checked_mul(b)?,
        "/" => a.checked_div(b)?,
        "%" => a.checked_rem(b)?,
        "<<" => a.checked_shl(u32::try_from(b).ok()?)?,
        ">>" => a.checked_shr(u32::try_from(b).ok()?)?,
        "<" => i64::from(a < b),
        ">" => i64::from(a > b),
        "<=" => i64::from(a <= b),
        ">=" => i64::from(a >= b),
        "==" => i64::from(a == b),
        "!=" => i64::from(a != b),
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        "&&" => i64::from(a != 0 && b != 0),
        "||" => i64::from(a != 0 || b != 0),
        _ => return None,
    })
}
