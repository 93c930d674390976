//! `$name` and `${...}`.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use shell::{Param, ParamOp, Span, Word};

use super::expand::{Fields, Mode};
use super::{BYTES_PER_WORD, Eval, Labels, Stream, Value, Var, patterns};
use crate::Answer;

/// What a parameter holds.
enum Held {
    /// Certainly not set.
    Unset,
    One(Value),
    Many(Vec<Value>),
}

impl Eval<'_> {
    pub(super) fn param(&mut self, param: &Param, out: &mut Fields, mode: Mode) {
        if self.plain(param, out, mode) {
            return;
        }
        // Operations stand in one another, and each reads what stands in it more than once.
        if self.is_spent(Span::default()) {
            return out.current().push_unknown(Labels::RUNTIME);
        }
        self.spend_bytes(BYTES_PER_WORD);
        let held = self.held(param);
        if param.length {
            let value = length(&held).map_or_else(|| Value::unknown(Labels::RUNTIME), |n| Value::text(n.to_string()));
            return self.insert(&value, out, mode);
        }
        if let ParamOp::Default { op, colon, word } = &param.op {
            return self.default(param, held, (*op, *colon), word, out, mode);
        }
        match held {
            Held::Unset => {
                let _ = self.operate(&param.op, &Value::default());
            }
            Held::One(value) => {
                let value = self.operate(&param.op, &value);
                self.insert(&value, out, mode);
            }
            Held::Many(values) => self.many(param, &values, out, mode),
        }
    }

    /// `$name` of a variable that holds one value, which is put into the word as it is. `false`: it is something else.
    fn plain(&mut self, param: &Param, out: &mut Fields, mode: Mode) -> bool {
        if !matches!(param.op, ParamOp::None) || param.length || param.indirect || param.index.is_some() {
            return false;
        }
        let name = self.referred(&param.name);
        let Some((name, var)) = self.state.vars.shared(&name) else {
            return false;
        };
        let (name, var) = (name.clone(), var.clone());
        let Var::Scalar(value) = var.as_ref() else { return false };
        self.used(&name, &var);
        self.insert(value, out, mode);
        true
    }

    /// `$@`, `$*`, `${a[@]}`: one field each, or joined for `*` inside quotes.
    fn many(&mut self, param: &Param, values: &[Value], out: &mut Fields, mode: Mode) {
        let values: Vec<Value> = match &param.op {
            ParamOp::Slice { offset, length } => self.slice_list(values, offset, length.as_deref()),
            op => values.iter().map(|v| self.operate(op, v)).collect(),
        };
        let star = param.name == "*"
            || param
                .index
                .as_ref()
                .is_some_and(|i| i.literal().as_deref() == Some("*"));
        let joiner = if star {
            self.ifs().chars().next().map(|c| c.to_string()).unwrap_or_default()
        } else {
            " ".into()
        };
        for (i, value) in values.iter().enumerate() {
            if self.fuel == 0 {
                return self.give_up("too many parameters in one another", param.span);
            }
            if i > 0 {
                if mode == Mode::Whole || (mode == Mode::Quoted && star) {
                    out.current().push_text(&joiner);
                } else {
                    out.end_field();
                }
            }
            self.insert(value, out, mode);
        }
    }

    fn held(&mut self, param: &Param) -> Held {
        let mut name = Cow::Borrowed(param.name.as_str());
        if param.indirect && param.op != ParamOp::Names {
            match self.indirect_name(param) {
                Some(Ok(target)) => name = Cow::Owned(target),
                Some(Err(held)) => return held,
                None => return Held::Unset,
            }
        }
        let index = param.index.as_ref().map(|word| self.word(word));
        self.named(&name, index.as_ref())
    }

    /// `${!x}`: the name that x holds. `Err` carries a value that needs no further look-up.
    fn indirect_name(&mut self, param: &Param) -> Option<Result<String, Held>> {
        // `${!#}` is the last positional parameter, or `$0` when there is none; `${!@}` without arguments is nothing.
        if param.name == "#" {
            let last = self
                .state
                .positional
                .last()
                .cloned()
                .unwrap_or_else(|| Value::text("bash"));
            return Some(Err(Held::One(last)));
        }
        if matches!(param.name.as_str(), "@" | "*") && self.state.positional.is_empty() {
            return None;
        }
        match self.named(&param.name, None) {
            Held::One(value) => match value.known() {
                Some("") => None,
                Some(name) => Some(Ok(name.to_string())),
                None => Some(Err(Held::One(Value::unknown(value.labels.with(Labels::RUNTIME))))),
            },
            Held::Unset => None,
            Held::Many(_) => Some(Err(Held::One(Value::unknown(Labels::RUNTIME)))),
        }
    }

    fn named(&mut self, name: &str, index: Option<&Value>) -> Held {
        let all = index.is_some_and(|i| matches!(i.known(), Some("@" | "*")) || i.pattern() == "*");
        let name = self.referred(name);
        let Some((key, var)) = self.state.vars.shared(&name) else {
            return self.special(&name);
        };
        let (key, var) = (key.clone(), var.clone());
        match var.as_ref() {
            Var::Ref(_) => Held::Unset,
            Var::Scalar(value) => {
                self.used(&key, &var);
                Held::One(value.clone())
            }
            // In other shells a list without an index is all of it.
            Var::Array(values) if all || index.is_none() && !self.foreign.is_empty() => Held::Many(values.clone()),
            Var::Array(values) => match self.get_keyed(&name, index) {
                Some(value) => Held::One(value),
                None => self.element(values, index),
            },
        }
    }

    /// The variable that a name stands for after `declare -n`; references that go round in a circle end somewhere in it.
    pub(super) fn referred<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let mut target = name;
        for _ in 0..16 {
            match self.state.vars.get(target) {
                Some(Var::Ref(next)) => target = next,
                _ => break,
            }
        }
        if target == name {
            Cow::Borrowed(name)
        } else {
            Cow::Owned(target.to_string())
        }
    }

    fn element(&mut self, values: &[Value], index: Option<&Value>) -> Held {
        let at = match index {
            None => Some(0),
            Some(index) => index
                .known()
                .map(ToString::to_string)
                .and_then(|text| self.arith_text(&text)),
        };
        match at {
            None => Held::One(Value::unknown(Labels::RUNTIME)),
            Some(n) => {
                let count = i64::try_from(values.len()).unwrap_or(i64::MAX);
                let n = if n < 0 { n + count } else { n };
                usize::try_from(n)
                    .ok()
                    .and_then(|n| values.get(n))
                    .map_or(Held::Unset, |v| Held::One(v.clone()))
            }
        }
    }

    /// What a variable of the environment is to a program that the text starts.
    pub(super) fn environment_value(&mut self, name: &str) -> Value {
        match self.state.vars.get(name) {
            Some(Var::Scalar(value)) => return value.clone(),
            Some(_) => return Value::unknown(Labels::VARIABLE),
            None => {}
        }
        let named = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        match self.special(name) {
            Held::One(value) if named => value,
            _ => Value::unknown(Labels::VARIABLE),
        }
    }

    /// Parameters that the text did not set.
    fn special(&mut self, name: &str) -> Held {
        let known = |text: &str| Held::One(Value::text(text));
        if let Ok(n) = name.parse::<usize>() {
            if n == 0 {
                let file = || self.sources.last().map_or("bash", |s| s.path());
                return self.state.zero.clone().map_or_else(|| known(file()), Held::One);
            }
            return self
                .state
                .positional
                .get(n - 1)
                .map_or(Held::Unset, |v| Held::One(v.clone()));
        }
        match name {
            "@" | "*" => Held::Many(self.state.positional.to_vec()),
            "#" => known(&self.state.positional.len().to_string()),
            "HOME" => known(self.world.home()),
            "USER" | "LOGNAME" => known(self.world.user()),
            "PWD" => self
                .state
                .cwd
                .clone()
                .map_or_else(|| Held::One(Value::unknown(Labels::RUNTIME)), |cwd| known(&cwd)),
            "BASH_SOURCE" => match self.sources.last() {
                Some(source) => known(source.path()),
                None => Held::One(Value::unknown(Labels::VARIABLE)),
            },
            "SHELL" | "BASH" => known("/bin/bash"),
            "IFS" => known(" \t\n"),
            "?" | "$" | "!" | "RANDOM" | "SECONDS" | "BASHPID" | "PPID" | "EPOCHSECONDS" => {
                Held::One(Value::unknown(Labels::RUNTIME))
            }
            "-" => known("hBc"),
            "_" => Held::One(Value::unknown(Labels::RUNTIME)),
            "TMPDIR" => match self.world.var(name) {
                Answer::Known(text) => known(&text),
                _ => known("/tmp"),
            },
            "PATH" => match self.world.var(name) {
                Answer::Known(text) => known(&text),
                _ => known("/usr/local/bin:/usr/bin:/bin"),
            },
            name if names_a_secret(name) => Held::One(Value::unknown(Labels::VARIABLE.with(Labels::SECRET_VARIABLE))),
            _ => Held::One(Value::unknown(Labels::VARIABLE)),
        }
    }

    /// `${x:-w}` and its kin. A variable that nobody set in the text may or may not be set outside.
    fn default(
        &mut self,
        param: &Param,
        held: Held,
        (op, colon): (char, bool),
        word: &Word,
        out: &mut Fields,
        mode: Mode,
    ) {
        let outside = matches!(&held, Held::One(v) if v.has_unknown() && v.labels.has(Labels::VARIABLE));
        let unset = match &held {
            Held::Unset => true,
            Held::One(v) => {
                (colon && v.known() == Some("")) || outside && self.world.var(&param.name) == Answer::Absent
            }
            Held::Many(vs) => vs.is_empty() || (colon && vs.iter().all(|v| v.known() == Some(""))),
        };
        match (op, unset) {
            // The shell stops when it is unset, so whatever comes out is not empty.
            ('?', _) if outside => self.insert(&Value::unknown(Labels::RUNTIME), out, mode),
            ('+', true) => {
                let _ = self.word(word);
            }
            ('+', false) | ('-' | '=' | '?', true) => {
                if op == '=' {
                    let value = self.word(word);
                    self.state.vars.insert(param.name.as_str(), Var::Scalar(value));
                }
                self.parts(&word.parts, out, mode);
            }
            _ => {
                // The word may hold commands that run if the variable turns out to be unset.
                if outside {
                    let _ = self.word(word);
                }
                match held {
                    Held::One(v) => self.insert(&v, out, mode),
                    Held::Many(vs) => self.many(param, &vs, out, mode),
                    Held::Unset => {}
                }
            }
        }
    }

    fn operate(&mut self, op: &ParamOp, value: &Value) -> Value {
        let labels = value.labels;
        let text = value.known().map(ToString::to_string);
        let done = match op {
            ParamOp::None | ParamOp::Default { .. } | ParamOp::Names => return value.clone(),
            ParamOp::Trim {
                suffix,
                longest,
                pattern,
            } => {
                let pattern = self.word(pattern);
                text.zip(pattern.written()).and_then(|(t, p)| {
                    self.spend_bytes(patterns::cost(&t, &p, false));
                    patterns::trim(&t, &p, *suffix, *longest)
                })
            }
            ParamOp::Replace {
                all,
                anchor,
                pattern,
                with,
            } => {
                let (pattern, with) = (self.word(pattern), self.word(with));
                text.zip(pattern.written()).zip(with.written()).and_then(|((t, p), w)| {
                    self.spend_bytes(patterns::cost(&t, &p, true) + w.len() * usize::from(*all));
                    patterns::replace(&t, &p, &w, *all, *anchor)
                })
            }
            ParamOp::Slice { offset, length } => {
                let offset = self.arith(offset);
                let length = length.as_ref().map(|l| self.arith(l));
                text.and_then(|t| offset.and_then(|o| slice(&t, o, length)))
            }
            ParamOp::Case { op, .. } => text.map(|t| change_case(&t, op)),
            ParamOp::Transform('P') => text.and_then(|t| self.prompt(&t)),
            ParamOp::Transform('U') => text.map(|t| t.to_uppercase()),
            ParamOp::Transform('L') => text.map(|t| t.to_lowercase()),
            ParamOp::Transform(_) => text,
            ParamOp::Other(word) => {
                let _ = self.word(word);
                None
            }
        };
        match done {
            Some(text) => Value::text(text).labelled(labels),
            None => Value::unknown(labels.with(Labels::RUNTIME)),
        }
    }

    /// `${x@P}` expands the value like a prompt: commands in it run.
    fn prompt(&mut self, text: &str) -> Option<String> {
        let quoted = alloc::format!(": \"{}\"", text.replace('"', "\\\""));
        self.inner_text(&quoted, Span::default(), "expanded as a prompt", Stream::empty());
        (!text.contains(['\\', '$', '`'])).then(|| text.to_string())
    }

    fn slice_list(&mut self, values: &[Value], offset: &shell::Arith, length: Option<&shell::Arith>) -> Vec<Value> {
        let from = self.arith(offset).and_then(|n| usize::try_from(n).ok());
        let count = length
            .and_then(|l| self.arith(l))
            .and_then(|n| usize::try_from(n).ok())
            .unwrap_or(usize::MAX);
        match from {
            Some(from) => values
                .iter()
                .skip(from.saturating_sub(usize::from(from > 0 && values.len() == self.state.positional.len())))
                .take(count)
                .cloned()
                .collect(),
            None => values.to_vec(),
        }
    }
}

/// `API_KEY`, `GITHUB_TOKEN`, `DB_PASSWORD`
fn names_a_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    [
        "SECRET",
        "TOKEN",
        "PASSWORD",
        "PASSWD",
        "API_KEY",
        "APIKEY",
        "ACCESS_KEY",
        "PRIVATE_KEY",
        "CREDENTIAL",
        "PASSPHRASE",
    ]
    .iter()
    .any(|w| name.contains(w))
        || name.split('_').any(|part| matches!(part, "PASS" | "PAT"))
}

fn length(held: &Held) -> Option<usize> {
    match held {
        Held::Unset => Some(0),
        Held::One(v) => v.known().map(|t| t.chars().count()),
        Held::Many(vs) => Some(vs.len()),
    }
}

fn slice(text: &str, offset: i64, length: Option<Option<i64>>) -> Option<String> {
    let chars: Vec<char> = text.chars().collect();
    let count = i64::try_from(chars.len()).ok()?;
    let start = if offset < 0 { count + offset } else { offset };
    if start < 0 || start > count {
        return Some(String::new());
    }
    let end = match length {
        None => count,
        Some(None) => return None,
        Some(Some(n)) if n < 0 => count + n,
        Some(Some(n)) => start.saturating_add(n).min(count),
    };
    let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
    Some(chars.get(start..end).unwrap_or_default().iter().collect())
}

fn change_case(text: &str, op: &str) -> String {
    let all = op.len() > 1;
    let change = |c: char| -> char {
        match op.chars().next() {
            Some('^') => c.to_ascii_uppercase(),
            Some(',') => c.to_ascii_lowercase(),
            _ if c.is_ascii_uppercase() => c.to_ascii_lowercase(),
            _ => c.to_ascii_uppercase(),
        }
    };
    text.chars()
        .enumerate()
        .map(|(i, c)| if all || i == 0 { change(c) } else { c })
        .collect()
}
