//! Task files: what `make t`, `npm run t` and their like would run. Makefiles and justfiles by their lines, the others
//! are JSON.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Targets that one call may lead to.
const MAX_TARGETS: usize = 64;
/// Variables in variables.
const MAX_DEPTH: usize = 8;
/// Longest text that a variable is expanded to.
const MAX_TEXT: usize = 64 << 10;

/// One target of a Makefile or recipe of a justfile.
#[derive(Debug, Default)]
struct Target {
    names: Vec<String>,
    needs: Vec<String>,
    lines: Vec<(usize, String)>,
}

/// A Makefile, as far as it matters what it runs.
#[derive(Debug, Default)]
pub(crate) struct Makefile {
    vars: BTreeMap<String, String>,
    targets: Vec<Target>,
    /// Commands that run whenever the file is read: `X := $(shell ..)`, `X != ..`.
    always: Vec<(usize, String)>,
}

/// A line that would be run, with its offset in the file.
pub(crate) type Line = (usize, String);

impl Makefile {
    /// Reads a Makefile. Both sides of conditionals are read; lines that are not understood are passed over.
    pub(crate) fn read(text: &str) -> Self {
        let mut file = Self::default();
        let mut open = false;
        for (at, line) in joined_lines(text) {
            if let Some(recipe) = line.strip_prefix('\t') {
                if let Some(target) = file.targets.last_mut().filter(|_| open) {
                    target.lines.push((at, recipe.to_string()));
                }
                continue;
            }
            let line = line.split_once(" #").map_or(line.as_str(), |(code, _)| code).trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            open = file.variable(at, line).is_none() && file.target(at, line);
            if !open && line.starts_with('$') {
                file.always.extend(calls_in(line).into_iter().map(|call| (at, call)));
            }
        }
        file
    }

    fn variable(&mut self, at: usize, line: &str) -> Option<()> {
        let line = ["export ", "override "]
            .iter()
            .fold(line, |l, word| l.strip_prefix(word).unwrap_or(l));
        let (name, value) = line.split_once('=')?;
        let runs = name.ends_with('!');
        let now = name.ends_with(':') || runs;
        let name = name.trim_end_matches([':', '?', '+', '!']).trim();
        if name.is_empty() || name.contains([' ', '\t', ':', '$', '(']) {
            return None;
        }
        let value = value.trim();
        if runs {
            self.always.push((at, value.into()));
        } else if now {
            let found = calls_in(value).into_iter().map(|call| (at, call));
            self.always.extend(found.collect::<Vec<_>>());
        }
        let known = if runs {
            "$(shell )".to_string()
        } else {
            value.to_string()
        };
        self.vars.insert(name.into(), known);
        Some(())
    }

    fn target(&mut self, at: usize, line: &str) -> bool {
        let Some((names, rest)) = line.split_once(':') else {
            return false;
        };
        let rest = rest.trim_start_matches(':');
        let (needs, first) = rest.split_once(';').map_or((rest, None), |(n, f)| (n, Some(f)));
        if needs.contains('=') {
            return false;
        }
        let words = |text: &str| self.expand(text, &Target::default(), &BTreeMap::new(), 0);
        let split = |text: String| text.split_whitespace().map(ToString::to_string).collect();
        let (names, needs) = (split(words(names)), split(words(needs)));
        let lines = first.map(|f| (at, f.trim().to_string())).into_iter().collect();
        self.targets.push(Target { names, needs, lines });
        true
    }

    /// What making `goals` (the first target, when there are none) runs, in order; `given` are variables of the command
    /// line.
    pub(crate) fn lines(&self, goals: &[String], given: &BTreeMap<String, String>) -> Vec<Line> {
        let mut out: Vec<Line> = self.always.clone();
        for (_, line) in &mut out {
            *line = self.expand(line, &Target::default(), given, 0);
        }
        let first = self
            .targets
            .iter()
            .find_map(|t| t.names.first().filter(|n| !n.starts_with('.')));
        let mut todo: Vec<String> = if goals.is_empty() {
            first.cloned().into_iter().collect()
        } else {
            goals.to_vec()
        };
        let mut done: Vec<String> = Vec::new();
        while let Some(goal) = todo.pop() {
            if done.contains(&goal) || done.len() >= MAX_TARGETS {
                continue;
            }
            for target in self.targets.iter().filter(|t| t.makes(&goal)) {
                todo.extend(target.needs.iter().cloned());
                let this = Target {
                    names: alloc::vec![goal.clone()],
                    needs: target.needs.clone(),
                    lines: Vec::new(),
                };
                out.extend(target.lines.iter().map(|(at, line)| {
                    let line = self.expand(line, &this, given, 0);
                    (*at, line.trim_start_matches(['@', '-', '+', ' ', '\t']).to_string())
                }));
            }
            done.push(goal);
        }
        out
    }

    /// Variables are replaced; what make does not know is left to the shell, as the environment is.
    fn expand(&self, text: &str, this: &Target, given: &BTreeMap<String, String>, depth: usize) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            out.push_str(before);
            rest = match after.chars().next() {
                Some('$') => {
                    out.push('$');
                    after.get(1..).unwrap_or_default()
                }
                Some(open @ ('(' | '{')) => {
                    let end = closing(after, open).unwrap_or(after.len());
                    let inner = after.get(1..end).unwrap_or_default();
                    out.push_str(&self.reference(inner, this, given, depth));
                    after.get(end + 1..).unwrap_or_default()
                }
                Some(c) => {
                    out.push_str(&self.reference(c.encode_utf8(&mut [0; 4]), this, given, depth));
                    after.get(c.len_utf8()..).unwrap_or_default()
                }
                None => "",
            };
            if out.len() > MAX_TEXT {
                return out;
            }
        }
        out.push_str(rest);
        out
    }

    fn reference(&self, inner: &str, this: &Target, given: &BTreeMap<String, String>, depth: usize) -> String {
        let needs = || this.needs.join(" ");
        match inner {
            "@" => return this.names.join(" "),
            "<" => return this.needs.first().cloned().unwrap_or_default(),
            "^" | "+" | "?" => return needs(),
            _ => {}
        }
        if let Some(command) = command_of(inner) {
            return alloc::format!("$({})", self.expand(&command, this, given, depth + 1));
        }
        if depth >= MAX_DEPTH {
            return "$TOLLGATE_UNKNOWN".into();
        }
        match given.get(inner).or_else(|| self.vars.get(inner)) {
            Some(value) => self.expand(value, this, given, depth + 1),
            None if inner.contains([' ', ':', ',', '$']) => "$TOLLGATE_UNKNOWN".into(),
            None => alloc::format!("${{{inner}}}"),
        }
    }
}

impl Target {
    fn makes(&self, goal: &str) -> bool {
        self.names.iter().any(|name| match name.split_once('%') {
            Some((head, tail)) => {
                goal.len() > head.len() + tail.len() && goal.starts_with(head) && goal.ends_with(tail)
            }
            None => name == goal,
        })
    }
}

/// The commands of all `$(shell ..)` and `$(file ..)` in a text.
fn calls_in(text: &str) -> Vec<String> {
    let inner = |at: usize| {
        let after = text.get(at + 1..)?;
        let open = after.chars().next()?;
        let end = closing(after, open).unwrap_or(after.len());
        command_of(after.get(1..end)?)
    };
    let starts = text.match_indices("$(").chain(text.match_indices("${"));
    starts.take(MAX_TARGETS).filter_map(|(at, _)| inner(at)).collect()
}

/// `shell COMMAND` is that command; `file OP NAME,TEXT` reads or writes as a redirection would.
fn command_of(call: &str) -> Option<String> {
    if let Some(command) = call.strip_prefix("shell ") {
        return Some(command.into());
    }
    let rest = call.strip_prefix("file ")?;
    let (place, text) = rest.split_once(',').unwrap_or((rest, ""));
    Some(match place.trim_start().strip_prefix('<') {
        Some(name) => alloc::format!("cat {name}"),
        None => alloc::format!("printf %s '{}' {place}", text.replace('\'', "'\\''")),
    })
}

/// Where the bracket that `text` starts with is closed.
fn closing(text: &str, open: char) -> Option<usize> {
    let close = if open == '(' { ')' } else { '}' };
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// Lines with their offsets; a backslash at the end joins the next one.
fn joined_lines(text: &str) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    let mut at = 0;
    let mut continues = false;
    for line in text.split_inclusive('\n') {
        let clean = line.trim_end_matches(['\n', '\r']);
        let (part, more) = clean.strip_suffix('\\').map_or((clean, false), |part| (part, true));
        match out.last_mut().filter(|_| continues) {
            Some((_, whole)) => {
                whole.push(' ');
                whole.push_str(part.trim_start());
            }
            None => out.push((at, part.to_string())),
        }
        continues = more;
        at += line.len();
    }
    out
}

/// What a recipe of a justfile runs, in order, with the recipes that it needs. `{{..}}` is left to be unknown.
pub(crate) fn just_lines(text: &str, goal: Option<&str>) -> Vec<Line> {
    let mut recipes: Vec<Target> = Vec::new();
    for (at, line) in joined_lines(text) {
        let indented = line.starts_with([' ', '\t']);
        if indented {
            if let Some(recipe) = recipes.last_mut() {
                recipe.lines.push((at, line.trim().to_string()));
            }
            continue;
        }
        let head = line.split_once(':').filter(|(_, rest)| !rest.starts_with('='));
        let Some((head, needs)) = head.filter(|_| !line.starts_with('#')) else {
            continue;
        };
        let Some(name) = head.split_whitespace().next() else {
            continue;
        };
        recipes.push(Target {
            names: alloc::vec![name.trim_start_matches('@').to_string()],
            needs: needs
                .split_whitespace()
                .map(|n| n.trim_matches(['(', ')']).to_string())
                .collect(),
            lines: Vec::new(),
        });
    }
    let first = recipes.first().and_then(|r| r.names.first());
    let mut todo: Vec<String> = goal
        .map(ToString::to_string)
        .or_else(|| first.cloned())
        .into_iter()
        .collect();
    let mut done: Vec<String> = Vec::new();
    let mut out = Vec::new();
    while let Some(goal) = todo.pop() {
        if done.contains(&goal) || done.len() >= MAX_TARGETS {
            continue;
        }
        for recipe in recipes.iter().filter(|r| r.makes(&goal)) {
            todo.extend(recipe.needs.iter().cloned());
            out.extend(
                recipe
                    .lines
                    .iter()
                    .map(|(at, l)| (*at, interpolated(l.trim_start_matches(['@', '-'])))),
            );
        }
        done.push(goal);
    }
    out
}

/// `{{name}}` becomes a variable that nobody knows.
fn interpolated(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        out.push_str("$TOLLGATE_UNKNOWN");
        rest = after.split_once("}}").map_or("", |(_, rest)| rest);
    }
    out + rest
}

/// The scripts under `key` of a JSON file, in their order by name, with the offset of each in the text.
pub(crate) fn json_scripts(text: &str, key: &str) -> Option<BTreeMap<String, Line>> {
    let whole: serde_json::Value = serde_json::from_str(text).ok()?;
    let mut out = BTreeMap::new();
    for (name, value) in whole.get(key)?.as_object()? {
        let lines: Vec<&str> = match value {
            serde_json::Value::String(one) => alloc::vec![one.as_str()],
            serde_json::Value::Array(many) => many.iter().filter_map(serde_json::Value::as_str).collect(),
            other => other
                .get("command")
                .and_then(serde_json::Value::as_str)
                .into_iter()
                .collect(),
        };
        let at = text.find(&alloc::format!("\"{name}\"")).unwrap_or_default();
        out.insert(name.clone(), (at, lines.join("\n")));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str, goals: &[&str]) -> Vec<String> {
        let goals: Vec<String> = goals.iter().map(ToString::to_string).collect();
        let lines = Makefile::read(text).lines(&goals, &BTreeMap::new());
        lines.into_iter().map(|(_, line)| line).collect()
    }

    #[test]
    fn a_target_brings_what_it_needs() {
        let text = "OUT = build\nall: clean\n\techo $(OUT) $@\nclean:\n\t@rm -rf $(OUT)/$${X}\nother:\n\tfalse\n";
        assert_eq!(made(text, &[]), ["echo build all", "rm -rf build/${X}"]);
        assert_eq!(made(text, &["clean"]), ["rm -rf build/${X}"]);
    }

    #[test]
    fn what_runs_at_reading_runs_always() {
        let text = "V := $(shell git describe)\nW = $(shell never)\nx:\n\techo $(V)\n";
        assert_eq!(made(text, &["x"]), ["git describe", "echo $(git describe)"]);
    }

    #[test]
    fn files_are_written_and_read_by_functions() {
        let text = "$(file >out/x,it's)\nx:\n\techo $(file <in)\n";
        assert_eq!(made(text, &["x"]), ["printf %s 'it'\\''s' >out/x", "echo $(cat in)"]);
    }

    #[test]
    fn patterns_and_long_lines() {
        let text = "%.o: %.c\n\tcc -c $< \\\n\t  -o $@\n";
        assert_eq!(made(text, &["a.o"]), ["cc -c %.c  -o a.o"]);
    }

    #[test]
    fn recipes_of_a_justfile() {
        let text = "x := \"1\"\nbuild: clean\n    cargo build {{flags}}\nclean dir='t':\n    @rm -rf {{dir}}\n";
        let lines: Vec<String> = just_lines(text, None).into_iter().map(|(_, l)| l).collect();
        assert_eq!(lines, ["cargo build $TOLLGATE_UNKNOWN", "rm -rf $TOLLGATE_UNKNOWN"]);
    }

    #[test]
    fn scripts_of_a_package() {
        let text = r#"{"scripts": {"a": "tsc -b", "b": ["x", "y"]}}"#;
        let scripts = json_scripts(text, "scripts").unwrap_or_default();
        assert_eq!(scripts.get("a").map(|(at, l)| (*at, l.as_str())), Some((13, "tsc -b")));
        assert_eq!(scripts.get("b").map(|(_, l)| l.as_str()), Some("x\ny"));
        assert!(json_scripts("{", "scripts").is_none());
    }
}
