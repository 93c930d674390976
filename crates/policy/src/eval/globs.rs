//! Patterns that the shell would replace by names, compared with what is there.
//!
//! A pattern stays a pattern for the rules about places: what is there now need not be there when the text runs. The names
//! are used where they say more: a file called `-rf` becomes an option, a script has a text, a loss has a size.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Eval, UNKNOWN, Value};
use crate::effect::Tags;
use crate::{Act, Answer, Target, glob};

/// Names that one pattern may stand for.
const MAX_NAMES: usize = 256;

impl Eval<'_> {
    /// The paths that a pattern stands for, sorted. `None` when that cannot be said.
    pub(super) fn matches(&self, value: &Value) -> Option<Vec<String>> {
        let Target::Path(path) = self.resolve(value) else {
            return None;
        };
        if !value.has_glob() || path.contains(UNKNOWN) {
            return None;
        }
        let mut found = alloc::vec![String::new()];
        for part in path.split('/').filter(|p| !p.is_empty()) {
            let mut next = Vec::new();
            for dir in &found {
                if part.contains(['*', '?', '[']) {
                    next.extend(self.names(dir, part)?.iter().map(|name| alloc::format!("{dir}/{name}")));
                } else {
                    next.push(alloc::format!("{dir}/{part}"));
                }
            }
            if next.len() > MAX_NAMES {
                return None;
            }
            found = next;
        }
        Some(found)
    }

    /// Names in a folder that a pattern without `/` stands for: what is there, and what the text wrote.
    fn names(&self, dir: &str, pattern: &str) -> Option<Vec<String>> {
        let mut names = match self.world.list(if dir.is_empty() { "/" } else { dir }) {
            Answer::Known(names) => names,
            Answer::Absent => Vec::new(),
            Answer::Unknown => return None,
        };
        let below = alloc::format!("{dir}/");
        let written = self.state.written.names().filter_map(|path| path.strip_prefix(&below));
        names.extend(written.filter(|rest| !rest.contains('/')).map(ToString::to_string));
        names.retain(|name| (!name.starts_with('.') || pattern.starts_with('.')) && glob::matches(pattern, name));
        names.sort();
        names.dedup();
        Some(names)
    }

    /// Names with a dash at their start that a pattern stands for: the program takes them as options. A pattern that begins
    /// with a letter stands for none of them.
    pub(super) fn dashed(&mut self, value: &Value) -> Vec<Value> {
        let pattern = value.pattern();
        let first = value.prefix().is_empty() || pattern.starts_with('-');
        let bare = first && !pattern.contains(['/', UNKNOWN]);
        let Some(cwd) = self.state.cwd.as_deref().filter(|_| bare) else {
            return Vec::new();
        };
        let names = self.names(cwd.trim_end_matches('/'), &pattern).unwrap_or_default();
        let dashed: Vec<String> = names
            .into_iter()
            .filter(|name| name.starts_with('-'))
            .take(MAX_NAMES)
            .collect();
        if let Some(name) = dashed.first() {
            let target = Target::Text(name.clone());
            self.effect(Act::Do, "option.injected", target, Tags::default(), "", value.span);
        }
        dashed
            .into_iter()
            .map(|name| Value::text(name).at(value.span))
            .collect()
    }
}
