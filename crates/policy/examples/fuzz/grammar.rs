//! Texts made from a grammar: a file of lines `NAME text`, in which `<NAME>` stands for one of the texts of that name.

use std::collections::BTreeMap;

use crate::Random;

/// Names in names that are followed.
const DEEPEST: usize = 12;
/// The longest text that is made.
const LONGEST: usize = 8 << 10;

/// What may stand for each name.
#[derive(Default)]
pub(crate) struct Grammar(BTreeMap<String, Vec<String>>);

impl Grammar {
    /// Reads a grammar. `\n` in a text is a new line.
    pub(crate) fn read(text: &str) -> Self {
        let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
            let (name, text) = line.split_once(' ').unwrap_or((line, ""));
            names.entry(name.into()).or_default().push(text.replace("\\n", "\n"));
        }
        Self(names)
    }

    /// A text of the name `start`, if there is one.
    pub(crate) fn text(&self, random: &mut Random) -> Option<String> {
        let mut out = String::new();
        self.add("start", random, 0, &mut out);
        (!out.is_empty()).then_some(out)
    }

    fn add(&self, name: &str, random: &mut Random, depth: usize, out: &mut String) {
        let Some(texts) = self.0.get(name) else {
            out.push_str(&format!("<{name}>"));
            return;
        };
        // Far down the shortest text ends it.
        let shortest = || texts.iter().min_by_key(|text| text.matches('<').count());
        let text = if depth > DEEPEST || out.len() > LONGEST {
            shortest()
        } else {
            texts.get(random.below(texts.len()))
        };
        let mut rest = text.map(String::as_str).unwrap_or_default();
        while let Some((head, tail)) = rest.split_once('<') {
            out.push_str(head);
            match tail.split_once('>') {
                Some((name, after)) if depth < 4 * DEEPEST && self.0.contains_key(name) => {
                    self.add(name, random, depth + 1, out);
                    rest = after;
                }
                _ => {
                    out.push('<');
                    rest = tail;
                }
            }
        }
        out.push_str(rest);
    }
}
