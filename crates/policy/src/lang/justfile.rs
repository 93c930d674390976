//! Justfiles, as far as it matters what they run.

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::makecalls::UNKNOWN;
use super::tasks::{Bounds, Line, MAX_TARGETS, MAX_TEXT, joined_lines};

/// Files that are imported.
const MAX_IMPORTS: usize = 16;
/// Lines that are kept.
const MAX_LINES: usize = MAX_TARGETS * 16;

#[derive(Debug, Default)]
struct Recipe {
    name: String,
    /// Parameters with their defaults; one that takes all that is left, at the end.
    params: Vec<(String, Option<String>)>,
    takes_rest: bool,
    /// Recipes that run before and after it, with what they are given.
    needs: Vec<Vec<String>>,
    lines: Vec<(usize, String)>,
}

/// Values by name.
type Scope = BTreeMap<String, String>;

/// A recipe with what it is given.
type Call = (String, Vec<String>);

/// What is still to be done.
enum Step<'f> {
    Call(Call),
    /// What a recipe needs has run.
    Lines(&'f Recipe, Scope),
}

/// A justfile.
#[derive(Debug, Default)]
pub(crate) struct Justfile {
    vars: Scope,
    aliases: BTreeMap<String, String>,
    recipes: Vec<Recipe>,
    /// Where the first of each name stands among them.
    places: BTreeMap<String, usize>,
    /// Commands that run whenever the file is read.
    always: Vec<Line>,
    imports: usize,
    bounds: Bounds,
}

impl Justfile {
    /// Reads a justfile; `import` gives the text of the files that it names.
    pub(crate) fn read(text: &str, import: &mut dyn FnMut(&str) -> Option<String>) -> Self {
        let mut file = Self {
            bounds: Bounds::of(text),
            ..Self::default()
        };
        file.take_in(text, None, import);
        file
    }

    fn take_in(&mut self, text: &str, place: Option<usize>, import: &mut dyn FnMut(&str) -> Option<String>) {
        let mut open = false;
        for (at, line) in joined_lines(text) {
            let at = place.unwrap_or(at);
            if line.starts_with([' ', '\t']) {
                if let Some(recipe) = self.recipes.last_mut().filter(|_| open) {
                    recipe.lines.push((at, line));
                }
                continue;
            }
            if line.trim().is_empty() || line.starts_with(['#', '[']) {
                continue;
            }
            open = false;
            if let Some(path) = line.strip_prefix("import ").or_else(|| line.strip_prefix("import? ")) {
                self.imports += 1;
                let path = path.trim().trim_matches(['\'', '"']);
                if let Some(text) = import(path).filter(|_| self.imports <= MAX_IMPORTS) {
                    self.take_in(&text, Some(at), import);
                }
            } else if let Some((name, value)) = line.split_once(":=") {
                self.assignment(at, name, value.trim());
            } else {
                open = self.recipe(&line);
            }
        }
    }

    fn assignment(&mut self, at: usize, name: &str, value: &str) {
        let mut words = name.split_whitespace();
        match (words.next(), words.next()) {
            (Some("alias"), Some(name)) => {
                self.aliases.insert(name.into(), value.into());
            }
            (Some("set"), _) => {}
            (Some("export"), Some(name)) | (Some(name), None) => {
                let text = self.expression(value, &Scope::new());
                if let Some(command) = value.strip_prefix('`').and_then(|v| v.strip_suffix('`')) {
                    self.always.push((at, command.into()));
                }
                self.vars.insert(name.into(), text);
            }
            _ => {}
        }
    }

    fn recipe(&mut self, line: &str) -> bool {
        let Some((head, needs)) = split_outside(line, ':') else {
            return false;
        };
        let mut words = pieces(head).into_iter();
        let Some(name) = words.next() else { return false };
        let mut recipe = Recipe {
            name: name.trim_start_matches('@').to_string(),
            ..Recipe::default()
        };
        for word in words {
            recipe.takes_rest |= word.starts_with(['*', '+']);
            let (name, default) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_string())),
                None => (word.as_str(), word.starts_with('*').then(String::new)),
            };
            let name = name.trim_start_matches(['*', '+', '$']).to_string();
            recipe.params.push((name, default));
        }
        for piece in pieces(needs).iter().filter(|p| p.as_str() != "&&") {
            let inner = piece.strip_prefix('(').and_then(|p| p.strip_suffix(')'));
            recipe
                .needs
                .push(inner.map_or_else(|| alloc::vec![piece.clone()], pieces));
        }
        let place = self.recipes.len();
        self.places.entry(recipe.name.clone()).or_insert(place);
        self.recipes.push(recipe);
        true
    }

    /// What `words` run (the first recipe, when there are none): recipes with their arguments, and `name=value`.
    pub(crate) fn lines(&mut self, words: &[String]) -> Vec<Line> {
        let mut out = self.always.clone();
        let mut words = words.to_vec();
        for word in &words {
            if let Some((name, value)) = word.split_once('=') {
                self.vars.insert(name.into(), value.into());
            }
        }
        words.retain(|w| !w.contains('='));
        if let (true, Some(first)) = (words.is_empty(), self.recipes.first()) {
            words.push(first.name.clone());
        }
        let mut rest = words.as_slice();
        let mut done = BTreeSet::new();
        while let Some((name, tail)) = rest.split_first() {
            let takes = self
                .find(name)
                .map_or(0, |r| if r.takes_rest { tail.len() } else { r.params.len() });
            let (args, tail) = tail.split_at(takes.min(tail.len()));
            self.run((name.clone(), args.to_vec()), &mut done, &mut out);
            rest = tail;
        }
        out
    }

    fn find(&self, name: &str) -> Option<&Recipe> {
        let name = self.aliases.get(name).map_or(name, String::as_str);
        self.recipes.get(*self.places.get(name)?)
    }

    /// A recipe, after those that it needs. As in just, none runs twice with the same arguments.
    fn run(&self, call: Call, done: &mut BTreeSet<Call>, out: &mut Vec<Line>) {
        let mut steps = alloc::vec![Step::Call(call)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Call(call) if out.len() < MAX_LINES && !done.contains(&call) => {
                    let (name, args) = &call;
                    let cost = args.iter().map(String::len).sum();
                    if let Some(recipe) = self.find(name).filter(|_| self.bounds.looks(cost)) {
                        let scope = self.scope(recipe, args);
                        let needs: Vec<Step> = recipe.needs.iter().filter_map(|n| self.needed(n, &scope)).collect();
                        steps.push(Step::Lines(recipe, scope));
                        steps.extend(needs.into_iter().rev());
                    }
                    done.insert(call);
                }
                Step::Call(_) => {}
                Step::Lines(recipe, scope) => self.recipe_lines(recipe, &scope, out),
            }
        }
    }

    /// What its parameters stand for.
    fn scope(&self, recipe: &Recipe, args: &[String]) -> Scope {
        let mut scope = Scope::new();
        for (i, (param, default)) in recipe.params.iter().enumerate() {
            let last = recipe.takes_rest && i + 1 == recipe.params.len();
            let value = match args.get(i) {
                Some(_) if last => args.get(i..).unwrap_or_default().join(" "),
                Some(arg) => arg.clone(),
                None => default
                    .as_ref()
                    .map_or_else(|| UNKNOWN.into(), |d| self.expression(d, &scope)),
            };
            scope.insert(param.clone(), value);
        }
        scope
    }

    /// A recipe that another one needs; none where that is too much to work out.
    fn needed(&self, need: &[String], scope: &Scope) -> Option<Step<'_>> {
        let (name, args) = need.split_first()?;
        let args = args.iter().map(|a| self.expression(a, scope)).collect();
        self.bounds.looks(name.len()).then(|| Step::Call((name.clone(), args)))
    }

    fn recipe_lines(&self, recipe: &Recipe, scope: &Scope, out: &mut Vec<Line>) {
        if !self.bounds.looks(recipe.lines.iter().map(|(_, line)| line.len()).sum()) {
            return;
        }
        let filled = |(at, line): &(usize, String)| (*at, self.interpolated(line, scope));
        let mut lines: Vec<Line> = recipe.lines.iter().map(filled).collect();
        match lines.first() {
            Some((at, first)) if first.trim_start().starts_with("#!") => lines = alloc::vec![(*at, dedented(&lines))],
            _ => lines
                .iter_mut()
                .for_each(|(_, l)| *l = l.trim().trim_start_matches(['@', '-']).to_string()),
        }
        for (at, line) in lines {
            if self.bounds.fits(line.len()) {
                self.bounds.keep(line.len());
                out.push((at, line));
            }
        }
    }

    /// `{{expression}}` becomes its value.
    fn interpolated(&self, line: &str, scope: &Scope) -> String {
        let mut out = String::new();
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("{{") {
            out.push_str(before);
            let (inner, tail) = after.split_once("}}").unwrap_or((after, ""));
            out.push_str(&self.expression(inner.trim(), scope));
            rest = tail;
        }
        out + rest
    }

    /// Text, names, commands, and what `+` and `/` put together.
    fn expression(&self, text: &str, scope: &Scope) -> String {
        let mut out = String::new();
        for sum in parts_outside(text, '+') {
            for (m, part) in parts_outside(sum, '/').enumerate() {
                let value = self.operand(part.trim(), scope);
                if !self.bounds.looks(value.len()) || out.len() + value.len() > MAX_TEXT {
                    return UNKNOWN.into();
                }
                if m > 0 {
                    out.push('/');
                }
                out.push_str(&value);
            }
        }
        out
    }

    fn operand<'v>(&'v self, text: &'v str, scope: &'v Scope) -> Cow<'v, str> {
        let quoted = |mark: &str| text.strip_prefix(mark).and_then(|t| t.strip_suffix(mark));
        if let Some(inner) = ["\"", "'"].iter().find_map(|mark| quoted(mark)) {
            return inner.into();
        }
        if let Some(command) = quoted("`") {
            return alloc::format!("$({command})").into();
        }
        if let Some(known) = scope.get(text).or_else(|| self.vars.get(text)) {
            return known.into();
        }
        match text {
            "" => "",
            "justfile_directory()" | "invocation_directory()" => ".",
            "home_directory()" | "home_dir()" => "~",
            _ => UNKNOWN,
        }
        .into()
    }
}

/// Lines without the indentation that the first one has.
fn dedented(lines: &[Line]) -> String {
    let first = lines.first().map_or("", |(_, l)| l.as_str());
    let indent = first.len() - first.trim_start().len();
    let cut = |line: &str| line.get(indent..).unwrap_or_else(|| line.trim_start()).to_string();
    lines.iter().map(|(_, l)| cut(l) + "\n").collect()
}

/// The parts before and after the first `mark` that stands in no quotes or brackets.
fn split_outside(text: &str, mark: char) -> Option<(&str, &str)> {
    let mut quote = None;
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), c) if q == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, c) if c == mark && depth == 0 => {
                return Some((text.get(..at)?, text.get(at + c.len_utf8()..)?));
            }
            _ => {}
        }
    }
    None
}

/// What stands between all such marks.
fn parts_outside(text: &str, mark: char) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    core::iter::from_fn(move || {
        let whole = rest.take()?;
        let Some((part, others)) = split_outside(whole, mark) else {
            return Some(whole);
        };
        rest = Some(others);
        Some(part)
    })
}

/// Words, with quotes and brackets kept together.
fn pieces(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = text.trim();
    while let Some((word, tail)) = split_outside(rest, ' ') {
        if !word.is_empty() {
            out.push(word.to_string());
        }
        rest = tail.trim_start();
    }
    if !rest.is_empty() {
        out.push(rest.to_string());
    }
    out
}
