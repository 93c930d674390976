//! Justfiles, as far as it matters what they run.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::tasks::{Line, MAX_TARGETS, joined_lines};

/// Files that are imported.
const MAX_IMPORTS: usize = 16;
/// Recipes that need one another.
const MAX_LEVELS: usize = 16;

/// A text whose value nobody knows.
const UNKNOWN: &str = "$TOLLGATE_UNKNOWN";

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

/// A justfile.
#[derive(Debug, Default)]
pub(crate) struct Justfile {
    vars: BTreeMap<String, String>,
    aliases: BTreeMap<String, String>,
    recipes: Vec<Recipe>,
    /// Commands that run whenever the file is read.
    always: Vec<Line>,
    imports: usize,
}

impl Justfile {
    /// Reads a justfile; `import` gives the text of the files that it names.
    pub(crate) fn read(text: &str, import: &mut dyn FnMut(&str) -> Option<String>) -> Self {
        let mut file = Self::default();
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
                let text = self.expression(value, &BTreeMap::new());
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
        while let Some((name, tail)) = rest.split_first() {
            let takes = self
                .find(name)
                .map_or(0, |r| if r.takes_rest { tail.len() } else { r.params.len() });
            let (args, tail) = tail.split_at(takes.min(tail.len()));
            self.run(name, args, 0, &mut out);
            rest = tail;
        }
        out
    }

    fn find(&self, name: &str) -> Option<&Recipe> {
        let name = self.aliases.get(name).map_or(name, String::as_str);
        self.recipes.iter().find(|r| r.name == name)
    }

    fn run(&self, name: &str, args: &[String], level: usize, out: &mut Vec<Line>) {
        let Some(recipe) = self
            .find(name)
            .filter(|_| level < MAX_LEVELS && out.len() < MAX_TARGETS * 16)
        else {
            return;
        };
        let mut scope = BTreeMap::new();
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
        for need in &recipe.needs {
            if let Some((name, args)) = need.split_first() {
                let args: Vec<String> = args.iter().map(|a| self.expression(a, &scope)).collect();
                self.run(name, &args, level + 1, out);
            }
        }
        let filled = |(at, line): &(usize, String)| (*at, self.interpolated(line, &scope));
        let lines: Vec<Line> = recipe.lines.iter().map(filled).collect();
        match lines.first() {
            Some((at, first)) if first.trim_start().starts_with("#!") => out.push((*at, dedented(&lines))),
            _ => out.extend(
                lines
                    .into_iter()
                    .map(|(at, l)| (at, l.trim().trim_start_matches(['@', '-']).to_string())),
            ),
        }
    }

    /// `{{expression}}` becomes its value.
    fn interpolated(&self, line: &str, scope: &BTreeMap<String, String>) -> String {
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
    fn expression(&self, text: &str, scope: &BTreeMap<String, String>) -> String {
        let text = text.trim();
        for (mark, between) in [('+', ""), ('/', "/")] {
            if let Some((left, right)) = split_outside(text, mark) {
                return self.expression(left, scope) + between + &self.expression(right, scope);
            }
        }
        let quoted = |mark: &str| text.strip_prefix(mark).and_then(|t| t.strip_suffix(mark));
        if let Some(inner) = ["\"", "'"].iter().find_map(|mark| quoted(mark)) {
            return inner.into();
        }
        if let Some(command) = quoted("`") {
            return alloc::format!("$({command})");
        }
        let known = scope.get(text).or_else(|| self.vars.get(text));
        known.cloned().unwrap_or_else(|| match text {
            "" => String::new(),
            "justfile_directory()" | "invocation_directory()" => ".".into(),
            "home_directory()" | "home_dir()" => "~".into(),
            _ => UNKNOWN.into(),
        })
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
