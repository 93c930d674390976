//! Tcl: commands made of words.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::calls::Args;
use super::either::{one_of, spread};
use super::value::{Val, concat};
use super::walk::Walk;
use crate::eval::{Labels, Value};

/// Commands that are looked at in one text.
const MAX_COMMANDS: usize = 2048;

impl Walk<'_> {
    /// Every command of `code`, and of the code in its braces and brackets.
    pub(super) fn tcl(&mut self, code: &str) -> Val {
        let chars: Vec<char> = code.chars().collect();
        let mut at = 0;
        let mut last = Val::nothing();
        let mut count = 0;
        while at < chars.len() && count < MAX_COMMANDS && self.spend() {
            let (words, next) = self.tcl_words(&chars, at);
            at = next.max(at + 1);
            count += 1;
            if !words.is_empty() {
                last = self.tcl_command(&words);
            }
        }
        last
    }

    /// The words of the command at `at`, and the place behind it.
    fn tcl_words(&mut self, chars: &[char], mut at: usize) -> (Vec<Val>, usize) {
        let mut words = Vec::new();
        let mut word: Option<Val> = None;
        while let Some(c) = chars.get(at).copied() {
            match c {
                '\n' | ';' => {
                    at += 1;
                    break;
                }
                '#' if words.is_empty() && word.is_none() => {
                    while chars.get(at).is_some_and(|c| *c != '\n') {
                        at += 1;
                    }
                }
                c if c.is_whitespace() => {
                    words.extend(word.take());
                    at += 1;
                }
                '{' if word.is_none() => {
                    let (body, next) = nested(chars, at, '{', '}');
                    word = Some(Val::text(body));
                    at = next;
                }
                '"' if word.is_none() => {
                    let end = quote_end(chars, at + 1);
                    let (value, _) = self.tcl_text(chars, at + 1, end);
                    word = Some(value);
                    at = end + 1;
                }
                _ => {
                    let end = word_end(chars, at);
                    let (value, next) = self.tcl_text(chars, at, end);
                    word = Some(match word.take() {
                        Some(before) => concat(before, &value),
                        None => value,
                    });
                    at = next.max(at + 1);
                }
            }
        }
        words.extend(word);
        (words, at)
    }

    /// Text with `$x` and `[..]` in it.
    fn tcl_text(&mut self, chars: &[char], mut at: usize, end: usize) -> (Val, usize) {
        let mut out = Val::text("");
        while at < end {
            let plain = chars.get(at..end).unwrap_or_default();
            let plain: String = plain.iter().take_while(|c| !matches!(c, '\\' | '[' | '$')).collect();
            if !plain.is_empty() {
                at += plain.chars().count();
                out = concat(out, &Val::Text(Value::text(plain)));
                continue;
            }
            let Some(c) = chars.get(at).copied() else { break };
            match c {
                '\\' => {
                    out = concat(out, &Val::text(chars.get(at + 1).copied().unwrap_or(' ')));
                    at += 2;
                }
                '[' => {
                    let (body, next) = nested(chars, at, '[', ']');
                    let value = self.deeper(Val::nothing(), |walk| walk.tcl(&body));
                    out = concat(out, &value);
                    at = next;
                }
                _ => {
                    let name: String = chars
                        .iter()
                        .skip(at + 1)
                        .take_while(|c| c.is_alphanumeric() || matches!(**c, '_' | ':' | '(' | ')'))
                        .collect();
                    at += name.chars().count() + 1;
                    let value = match name.as_str() {
                        "env(HOME)" | "::env(HOME)" => Val::text(self.host.home()),
                        "argv" => Val::List(self.host.arguments().into_iter().map(Val::Text).collect()),
                        _ => self
                            .known
                            .get(&name)
                            .cloned()
                            .unwrap_or_else(|| Val::unknown(Labels::NONE)),
                    };
                    out = concat(out, &value.each(|v| Val::Text(v.to_value())));
                }
            }
        }
        (out, at)
    }

    /// A command, in each way that its words can be; what a name gets may stay one thing or another.
    fn tcl_command(&mut self, words: &[Val]) -> Val {
        let name = words.first().and_then(Val::known).unwrap_or_default();
        match spread(words).filter(|_| name != "set") {
            Some(ways) => one_of(ways.iter().map(|words| self.tcl_command_of(words)).collect()),
            None => self.tcl_command_of(words),
        }
    }

    fn tcl_command_of(&mut self, words: &[Val]) -> Val {
        let name = words.first().and_then(Val::known).unwrap_or_default();
        let rest = words.get(1..).unwrap_or_default();
        let text = |i: usize| rest.get(i).and_then(Val::known).unwrap_or_default();
        let values = || rest.iter().map(Val::to_value).collect::<Vec<Value>>();
        match name.as_str() {
            "set" => {
                let value = rest.get(1).cloned().unwrap_or_else(Val::nothing);
                self.bind(&text(0), value.clone());
                value
            }
            "exec" | "spawn" => {
                let mut words = values();
                words.retain(|w| !matches!(w.known(), Some("--" | "-ignorestderr" | "-keepnewline" | "-noecho")));
                let piped = words.iter().any(|w| w.prefix().starts_with(['|', '<', '>']));
                if piped || words.len() == 1 && words.first().is_some_and(|w| w.pattern().contains(' ')) {
                    let line = words.iter().map(Value::pattern).collect::<Vec<_>>().join(" ");
                    return self.shell(&name, &Value::text(line), None);
                }
                self.call(&Val::Thing(name, Labels::NONE), Args::of(rest.to_vec()))
            }
            "system" => self.shell(
                &name,
                &Value::text(values().iter().map(Value::pattern).collect::<Vec<_>>().join(" ")),
                None,
            ),
            "eval" | "uplevel" | "catch" | "after" => {
                let mut line = Val::text("");
                for word in rest {
                    line = concat(concat(line, word), &Val::text(" "));
                }
                self.tcl_body(&line)
            }
            "open" => {
                let command = text(0);
                match command.strip_prefix('|') {
                    Some(command) => self.shell("open", &Value::text(command), None),
                    None => self.call(&Val::Thing("open".into(), Labels::NONE), Args::of(rest.to_vec())),
                }
            }
            "file" => {
                let args: Vec<Val> = rest
                    .iter()
                    .skip(1)
                    .filter(|v| !v.known().is_some_and(|t| t.starts_with('-')))
                    .cloned()
                    .collect();
                self.call(
                    &Val::Thing(alloc::format!("file.{}", text(0)), Labels::NONE),
                    Args::of(args),
                )
            }
            "list" | "concat" | "join" => Val::text(values().iter().map(Value::pattern).collect::<Vec<_>>().join(" ")),
            "socket" => {
                self.mark("socket");
                Val::unknown(Labels::NETWORK)
            }
            "gets" | "read" => {
                let socket = self.marks.contains(&"socket");
                let labels = if socket {
                    Labels::NETWORK
                } else {
                    rest.first().map_or(Labels::NONE, Val::labels)
                };
                if rest.len() > 1 {
                    self.bind(&text(1), Val::unknown(labels));
                }
                Val::unknown(labels)
            }
            "glob" => {
                let args = rest
                    .iter()
                    .filter(|v| !v.known().is_some_and(|t| t.starts_with('-')))
                    .cloned()
                    .collect();
                self.call(&Val::Thing("glob".into(), Labels::NONE), Args::of(args))
            }
            "foreach" => {
                if let (Some(list), Some(body)) = (rest.get(1), rest.last()) {
                    let element = match list.known() {
                        Some(all) => Val::text(all.split_whitespace().next().unwrap_or_default()),
                        None => list.clone(),
                    };
                    self.bind(&text(0), element);
                    self.maybe(|walk| walk.tcl_body(body));
                }
                Val::nothing()
            }
            _ => {
                // Bodies of loops, conditions and procedures.
                for word in rest
                    .iter()
                    .filter(|w| w.known().is_some_and(|t| t.contains([' ', '['])))
                {
                    self.maybe(|walk| walk.tcl_body(word));
                }
                Val::nothing()
            }
        }
    }

    fn tcl_body(&mut self, body: &Val) -> Val {
        match body.known() {
            Some(code) => self.deeper(Val::nothing(), |walk| walk.tcl(&code)),
            None => {
                let value = body.to_value();
                let head = value.prefix().to_string();
                if let Some(rest) = head.trim_start().strip_prefix("exec ") {
                    let mut command = Value::text(rest);
                    command.append(&value.without_prefix(head.len()));
                    return self.shell("exec", &command, None);
                }
                Val::nothing()
            }
        }
    }
}

/// What stands between the brackets that open at `at`, and the place behind them.
fn nested(chars: &[char], at: usize, open: char, close: char) -> (String, usize) {
    let mut depth = 0usize;
    let mut end = at;
    while let Some(c) = chars.get(end) {
        if *c == '\\' {
            end += 2;
            continue;
        }
        depth += usize::from(*c == open);
        if *c == close {
            depth -= 1;
            if depth == 0 {
                break;
            }
        }
        end += 1;
    }
    let body = chars.iter().take(end).skip(at + 1).collect();
    (body, end + 1)
}

fn quote_end(chars: &[char], mut at: usize) -> usize {
    while let Some(c) = chars.get(at) {
        match c {
            '\\' => at += 1,
            '[' => at = nested(chars, at, '[', ']').1.saturating_sub(1),
            '"' => return at,
            _ => {}
        }
        at += 1;
    }
    chars.len()
}

fn word_end(chars: &[char], mut at: usize) -> usize {
    while let Some(c) = chars.get(at) {
        match c {
            '\\' => at += 1,
            '[' => at = nested(chars, at, '[', ']').1.saturating_sub(1),
            ';' => return at,
            c if c.is_whitespace() => return at,
            _ => {}
        }
        at += 1;
    }
    chars.len()
}
