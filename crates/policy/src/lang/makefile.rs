//! Makefiles, as far as it matters what they run.
//!
//! Both sides of conditionals are read: a variable that is set on either side has two values, and what uses it is given
//! with each of them.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::makecalls::{UNKNOWN, arguments, around, calls_in, closing, command_of, parted, patsubst, subst, words};
use super::tasks::{Bounds, Line, MAX_TARGETS, MAX_TEXT, joined_lines};

/// Variables in variables.
const MAX_DEPTH: usize = 12;
/// Values of one variable that are kept.
const MAX_VALUES: usize = 4;
/// Files that are included.
const MAX_INCLUDES: usize = 16;
/// What make knows itself.
const BUILT_IN: &[(&str, &str)] = &[
    ("MAKE", "make"),
    ("RM", "rm -f"),
    ("CURDIR", "."),
    ("AR", "ar"),
    ("CC", "cc"),
];

/// A target with what it needs and does.
#[derive(Clone, Debug, Default)]
struct Target {
    names: Vec<String>,
    needs: Vec<String>,
    lines: Vec<(usize, String)>,
    vars: BTreeMap<String, String>,
}

/// Values by name.
type Values = BTreeMap<String, String>;

/// A Makefile.
#[derive(Debug, Default)]
pub(crate) struct Makefile {
    vars: BTreeMap<String, Vec<String>>,
    targets: Vec<Target>,
    /// Commands that run whenever the file is read: `X := $(shell ..)`, `X != ..`.
    always: Vec<(usize, String)>,
    exported: Vec<String>,
    /// Open conditionals.
    branches: usize,
    prefix: Option<char>,
    includes: usize,
    bounds: Bounds,
}

/// What a text is expanded for.
#[derive(Clone, Copy)]
struct Scope<'a> {
    this: &'a Target,
    given: &'a Values,
    /// Which of several values a variable has.
    choice: usize,
}

impl Makefile {
    /// Reads a Makefile; `include` gives the text of the files that it names. Lines that are not understood are passed over.
    pub(crate) fn read(text: &str, include: &mut dyn FnMut(&str) -> Option<String>) -> Self {
        let mut file = Self {
            bounds: Bounds::of(text),
            ..Self::default()
        };
        file.take_in(text, None, include);
        file
    }

    /// Lines of an included file stand where it is included.
    fn take_in(&mut self, text: &str, place: Option<usize>, include: &mut dyn FnMut(&str) -> Option<String>) {
        let mut open = false;
        let mut defined: Option<(String, Vec<String>)> = None;
        for (at, line) in joined_lines(text) {
            let at = place.unwrap_or(at);
            if let Some((name, body)) = &mut defined {
                if line.trim() == "endef" {
                    let (name, body) = (name.clone(), body.join("\n"));
                    defined = None;
                    self.set(&name, &body, "");
                } else {
                    body.push(line);
                }
                continue;
            }
            if let Some(recipe) = line.strip_prefix(self.prefix.unwrap_or('\t')) {
                if let Some(target) = self.targets.last_mut().filter(|_| open) {
                    target.lines.push((at, recipe.to_string()));
                }
                continue;
            }
            let line = line.split_once(" #").map_or(line.as_str(), |(code, _)| code).trim();
            if line.is_empty() || line.starts_with('#') || self.condition(at, line) {
                continue;
            }
            if let Some(name) = line.strip_prefix("define ") {
                let name = name.trim_end_matches([' ', '=', ':', '?', '+']).trim();
                defined = Some((name.to_string(), Vec::new()));
            } else if let Some(names) = included(line) {
                self.include(names, at, include);
            } else {
                open = self.statement(at, line);
            }
        }
    }

    /// Whether a target begins here.
    fn statement(&mut self, at: usize, line: &str) -> bool {
        if self.variable(at, line).is_some() {
            return false;
        }
        if let Some(names) = line.strip_prefix("export ") {
            self.at_once(at, names);
            self.exported.extend(words(names));
            return false;
        }
        self.target(at, line)
    }

    /// What is put in as soon as it is read, whatever is made: all but recipes and the values of `=`.
    fn at_once(&mut self, at: usize, text: &str) {
        self.always.extend(calls_in(text).into_iter().map(|call| (at, call)));
    }

    fn include(&mut self, names: &str, at: usize, include: &mut dyn FnMut(&str) -> Option<String>) {
        self.at_once(at, names);
        let names = self.expand(names, self.outside(&Target::default(), &Values::new()), 0);
        for name in words(&names) {
            self.includes += 1;
            if self.includes > MAX_INCLUDES {
                return;
            }
            if let Some(text) = include(&name) {
                self.take_in(&text, Some(at), include);
            }
        }
    }

    #[expect(clippy::unused_self, reason = "it says what outside of all targets holds")]
    const fn outside<'a>(&self, this: &'a Target, given: &'a Values) -> Scope<'a> {
        Scope { this, given, choice: 0 }
    }

    fn condition(&mut self, at: usize, line: &str) -> bool {
        let word = line.split([' ', '\t', '(']).next().unwrap_or_default();
        match word {
            "ifeq" | "ifneq" | "ifdef" | "ifndef" => self.branches += 1,
            "endif" => self.branches = self.branches.saturating_sub(1),
            "else" => {}
            _ => return false,
        }
        self.at_once(at, line);
        true
    }

    fn variable(&mut self, at: usize, line: &str) -> Option<()> {
        let exports = line.starts_with("export ");
        let line = ["export ", "override "]
            .iter()
            .fold(line, |l, word| l.strip_prefix(word).unwrap_or(l));
        let (name, value) = line.split_once('=')?;
        let bare = name.trim_end_matches([':', '?', '+', '!']);
        let how = name.get(bare.len()..).unwrap_or_default();
        let name = bare.trim();
        if name.is_empty() || name.contains([' ', '\t', ':', '$', '(']) {
            return None;
        }
        if exports {
            self.exported.push(name.into());
        }
        let value = value.trim();
        if how.contains('!') {
            self.always.push((at, value.into()));
            self.set(name, "$(shell )", "");
            return Some(());
        }
        if how.contains(':') {
            self.at_once(at, value);
        }
        self.set(name, value, how);
        Some(())
    }

    fn set(&mut self, name: &str, value: &str, how: &str) {
        if name == ".RECIPEPREFIX" {
            self.prefix = value.chars().next();
        }
        let certain = self.branches == 0;
        let values = self.vars.entry(name.into()).or_default();
        match how {
            "+" => match values.is_empty() {
                true => values.push(value.into()),
                false => values.iter_mut().for_each(|v| v.extend([" ", value])),
            },
            "?" if !values.is_empty() => {}
            _ => {
                if certain {
                    values.clear();
                }
                if values.len() < MAX_VALUES && !values.iter().any(|v| v == value) {
                    values.push(value.into());
                }
            }
        }
    }

    fn target(&mut self, at: usize, line: &str) -> bool {
        let Some((names, rest)) = parted(line, ':') else {
            self.at_once(at, line);
            return false;
        };
        self.at_once(at, names);
        let rest = rest.trim_start_matches(':');
        let (needs, first) = parted(rest, ';').map_or((rest, None), |(n, f)| (n, Some(f)));
        let nobody = Target::default();
        let none = Values::new();
        let scope = self.outside(&nobody, &none);
        let names = words(&self.expand(names, scope, 0));
        if let Some((name, value)) = parted(needs, '=') {
            if name.ends_with(':') {
                self.at_once(at, value);
            }
            let name = name.trim_end_matches([':', '?', '+', '!']).trim();
            let name = name.strip_prefix("export ").unwrap_or(name);
            let vars = [(name.to_string(), value.trim().to_string())].into();
            self.targets.push(Target {
                names,
                vars,
                ..Target::default()
            });
            return false;
        }
        let expanded = self.expand(&needs.replace('|', " "), scope, 0);
        self.at_once(at, needs);
        let lines = first.map(|f| (at, f.trim().to_string())).into_iter().collect();
        self.targets.push(Target {
            names,
            needs: words(&expanded),
            lines,
            ..Target::default()
        });
        true
    }

    /// What making `goals` (the first target, when there are none) runs, in order; `given` are variables of the command
    /// line. When `dry`, only what runs all the same.
    pub(crate) fn lines(&self, goals: &[String], given: &Values, dry: bool) -> Vec<Line> {
        let nobody = Target::default();
        let mut out: Vec<Line> = Vec::new();
        for (at, line) in &self.always {
            self.variants(*at, line, &nobody, given, &mut out);
        }
        let mut todo: Vec<String> = if goals.is_empty() {
            self.first_goals()
        } else {
            goals.to_vec()
        };
        let mut done: Vec<String> = Vec::new();
        while let Some(goal) = todo.pop() {
            if done.contains(&goal) || done.len() >= MAX_TARGETS {
                continue;
            }
            let made: Vec<&Target> = self.targets.iter().filter(|t| t.makes(&goal)).collect();
            let vars: Values = made.iter().flat_map(|t| t.vars.clone()).collect();
            for target in made {
                todo.extend(target.needs.iter().cloned());
                let this = Target {
                    names: alloc::vec![goal.clone()],
                    needs: target.needs.clone(),
                    vars: vars.clone(),
                    lines: Vec::new(),
                };
                self.recipe(target, &this, given, dry, &mut out);
            }
            done.push(goal);
        }
        out
    }

    fn first_goals(&self) -> Vec<String> {
        let none = Values::new();
        let nobody = Target::default();
        if let Some(goals) = self.vars.get(".DEFAULT_GOAL") {
            return goals
                .iter()
                .map(|g| self.expand(g, self.outside(&nobody, &none), 0))
                .collect();
        }
        let plain = |t: &&Target| t.vars.is_empty();
        let name = |t: &Target| t.names.first().filter(|n| !n.starts_with('.')).cloned();
        self.targets.iter().filter(plain).find_map(name).into_iter().collect()
    }

    fn recipe(&self, target: &Target, this: &Target, given: &Values, dry: bool, out: &mut Vec<Line>) {
        let shell = self
            .vars
            .get("SHELL")
            .and_then(|v| v.first())
            .cloned()
            .unwrap_or_default();
        let other = !shell.is_empty() && !shell.trim_end().ends_with("sh");
        let whole = other && self.targets.iter().any(|t| t.makes(".ONESHELL"));
        let runs = |line: &&(usize, String)| {
            let marks = line.1.trim_start().split(|c| !matches!(c, '@' | '-' | '+')).next();
            !dry || marks.is_some_and(|m| m.contains('+')) || line.1.contains("(MAKE)") || line.1.contains("{MAKE}")
        };
        let mut lines: Vec<(usize, String)> = target.lines.iter().filter(runs).cloned().collect();
        if let (true, Some((at, _))) = (whole, lines.first()) {
            let all: Vec<&str> = lines.iter().map(|(_, l)| l.as_str()).collect();
            lines = alloc::vec![(*at, all.join("\n"))];
        }
        for (at, line) in lines {
            let line = if other {
                alloc::format!("#!{shell}\n{line}")
            } else {
                line
            };
            self.variants(at, &line, this, given, out);
        }
    }

    /// A line with each of the values that its variables can have.
    fn variants(&self, at: usize, line: &str, this: &Target, given: &Values, out: &mut Vec<Line>) {
        let first = out.len();
        for choice in 0..MAX_VALUES {
            let text = self.expand(line, Scope { this, given, choice }, 0);
            let long = text.len();
            if !self.bounds.fits(long) {
                return;
            }
            let lines = text
                .split('\n')
                .map(|l| l.trim_start_matches(['@', '-', '+', ' ', '\t']));
            let line = (
                at,
                if text.starts_with("#!") {
                    text
                } else {
                    lines.collect::<Vec<_>>().join("\n")
                },
            );
            if !out.get(first..).unwrap_or_default().contains(&line) {
                self.bounds.keep(long);
                out.push(line);
            }
        }
    }

    /// What gives recipes the variables of their environment, for a shell.
    pub(crate) fn environment(&self, given: &Values) -> String {
        let nobody = Target::default();
        let mut out = String::new();
        for name in &self.exported {
            if let Some(text) = self.vars.get(name).and_then(|values| values.first()) {
                let text = self.expand(text, self.outside(&nobody, given), 0).replace('"', "\\\"");
                out.push_str(&alloc::format!("export {name}=\"{text}\"\n"));
            }
        }
        out
    }

    /// Variables are replaced; what make does not know is left to the shell, as the environment is.
    fn expand(&self, text: &str, scope: Scope<'_>, depth: usize) -> String {
        if !self.bounds.looks(text.len()) {
            return UNKNOWN.into();
        }
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
                    out.push_str(&self.reference(inner, scope, depth));
                    after.get(end + 1..).unwrap_or_default()
                }
                Some(c) => {
                    out.push_str(&self.reference(c.encode_utf8(&mut [0; 4]), scope, depth));
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

    fn reference(&self, inner: &str, scope: Scope<'_>, depth: usize) -> String {
        match inner {
            "@" | "@F" => return scope.this.names.join(" "),
            "@D" => return ".".into(),
            "<" => return scope.this.needs.first().cloned().unwrap_or_default(),
            "^" | "+" | "?" => return scope.this.needs.join(" "),
            _ => {}
        }
        if let Some(command) = command_of(inner) {
            return alloc::format!("$({})", self.expand(&command, scope, depth + 1));
        }
        if depth >= MAX_DEPTH {
            return UNKNOWN.into();
        }
        let name = self.expand(inner, scope, depth + 1);
        if let Some(value) = self.value(&name, scope) {
            return self.expand(&value, scope, depth + 1);
        }
        if let Some((name, change)) = name.split_once(':')
            && let (Some(value), Some((from, to))) = (self.value(name, scope), change.split_once('='))
        {
            let value = self.expand(&value, scope, depth + 1);
            let (from, to) = if from.contains('%') {
                (from.to_string(), to.to_string())
            } else {
                (alloc::format!("%{from}"), alloc::format!("%{to}"))
            };
            return patsubst(&from, &to, &value);
        }
        match inner.split_once([' ', '\t']) {
            Some((function, rest)) => self.function(function, rest.trim_start(), scope, depth + 1),
            None if name.contains([' ', ':', ',', '$']) => UNKNOWN.into(),
            None => alloc::format!("${{{name}}}"),
        }
    }

    fn value(&self, name: &str, scope: Scope<'_>) -> Option<String> {
        if let Some(value) = scope.given.get(name).or_else(|| scope.this.vars.get(name)) {
            return Some(value.clone());
        }
        match self.vars.get(name) {
            Some(values) => values.get(scope.choice.min(values.len().saturating_sub(1))).cloned(),
            None => BUILT_IN.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_string()),
        }
    }

    fn function(&self, name: &str, rest: &str, scope: Scope<'_>, depth: usize) -> String {
        let args = arguments(rest);
        let arg = |i: usize| args.get(i).copied().unwrap_or_default();
        let text = |i: usize| self.expand(arg(i), scope, depth);
        match name {
            "call" => self.called(&args, scope, depth),
            "foreach" => {
                let each = |word: String| {
                    let mut given = scope.given.clone();
                    given.insert(text(0).trim().to_string(), word);
                    self.expand(arg(2), Scope { given: &given, ..scope }, depth)
                };
                words(&text(1))
                    .into_iter()
                    .take(MAX_TARGETS)
                    .map(each)
                    .collect::<Vec<_>>()
                    .join(" ")
            }
            // Either side may be what is meant.
            "if" if scope.choice == 0 || args.len() < 3 => text(1),
            "if" => text(2),
            "or" | "and" => text(scope.choice.min(args.len().saturating_sub(1))),
            "subst" => subst(&text(0), &text(1), &text(2)),
            "patsubst" => patsubst(text(0).trim(), text(1).trim(), &text(2)),
            "addprefix" => around(&text(0), &text(1), ""),
            "addsuffix" => around("", &text(1), &text(0)),
            "strip" | "abspath" | "realpath" | "wildcard" | "sort" | "firstword" | "lastword" | "value" => text(0),
            "eval" | "info" | "warning" | "error" => String::new(),
            "filter" | "filter-out" => text(1),
            _ => UNKNOWN.into(),
        }
    }

    /// `$(call f,a,b)`: the text of `f` with `$(1)` and `$(2)`.
    fn called(&self, args: &[&str], scope: Scope<'_>, depth: usize) -> String {
        let text = |arg: &&str| self.expand(arg, scope, depth);
        let name = args.first().map(text).unwrap_or_default();
        let Some(body) = self.value(name.trim(), scope) else {
            return UNKNOWN.into();
        };
        let mut given = scope.given.clone();
        for (i, arg) in args.iter().enumerate() {
            given.insert(i.to_string(), text(arg));
        }
        self.expand(&body, Scope { given: &given, ..scope }, depth)
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

/// `include FILES`, and its forms that do not mind when a file is missing.
fn included(line: &str) -> Option<&str> {
    ["include", "-include", "sinclude"]
        .iter()
        .find_map(|word| line.strip_prefix(word)?.strip_prefix([' ', '\t']))
}
