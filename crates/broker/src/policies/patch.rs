//! Rules on patches: what is added, in which files.

use std::path::Path;

use policy::Pattern;

use super::compile::Room;
use super::model::{PatchRule, Surface};
use super::stored::{Expression, Patch, Placed};
use super::{Mistake, Place};

/// Letters of an added line that are looked at (spec B-0304).
const MAX_LINE: usize = 4096;

/// The rules on patches of a set.
#[derive(Clone, Debug, Default)]
pub struct PatchRules(Vec<Compiled>);

#[derive(Clone, Debug)]
struct Compiled {
    id: String,
    place: Place,
    message: String,
    surfaces: Vec<Surface>,
    added: Option<Pattern>,
    touched: Option<String>,
}

/// A rule that a patch goes against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: String,
    /// What its author says about it.
    pub message: String,
    /// The file in the patch.
    pub file: String,
    /// The added line, counted in the new file; `None` where the file alone is meant.
    pub line: Option<usize>,
}

impl PatchRules {
    pub(super) fn add(&mut self, rule: &PatchRule, place: Place, room: &mut Room) -> Result<(), Mistake> {
        let id = super::compile::patch_id(rule)?;
        if rule.applies_to.is_empty() {
            return Err(
                Mistake::of(&rule.id, "`appliesTo` is empty").hint("Say `suggestion-apply`, `bundle-apply` or both.")
            );
        }
        if rule.match_added_content.is_none() && rule.match_touched_files.is_none() {
            let said = "it matches nothing";
            return Err(Mistake::of(&rule.id, said).hint("Give it `matchAddedContent`, `matchTouchedFiles` or both."));
        }
        let added = rule.match_added_content.as_ref();
        let added = added.map(|added| super::compile::patch_pattern(&rule.id, &added.regex, &added.flags));
        let added = added.transpose()?;
        room.pattern(&rule.id, added.as_ref())?;
        self.0.push(Compiled {
            id,
            place,
            message: if rule.message.is_empty() {
                rule.description.clone()
            } else {
                rule.message.clone()
            },
            surfaces: rule.applies_to.clone(),
            added,
            touched: rule.match_touched_files.as_ref().map(|touched| touched.glob.clone()),
        });
        Ok(())
    }

    /// All of them as they are kept; `None` where the name of a file is no text.
    pub(super) fn stored(&self) -> Option<Vec<Placed<Patch>>> {
        self.0
            .iter()
            .map(|rule| Placed::of(&rule.place, rule.stored()))
            .collect()
    }

    pub(super) fn add_stored(&mut self, patch: &Placed<Patch>) {
        let says = &patch.says;
        let all = [Surface::SuggestionApply, Surface::BundleApply];
        let surfaces = all.into_iter().zip(&says.surfaces);
        self.0.push(Compiled {
            id: says.id.clone(),
            place: patch.place(),
            message: says.message.clone(),
            surfaces: surfaces.filter_map(|(surface, said)| said.then_some(surface)).collect(),
            added: says.added.as_ref().map(Expression::pattern),
            touched: says.touched.clone(),
        });
    }

    pub(super) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The names of the rules, each with its place.
    pub(super) fn places(&self) -> impl Iterator<Item = (&str, &Place)> {
        self.0.iter().map(|rule| (rule.id.as_str(), &rule.place))
    }

    /// The names of the rules.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|rule| rule.id.as_str())
    }

    /// The rules that a unified diff goes against where it is applied, each once, with the first place.
    #[must_use]
    pub fn check(&self, diff: &str, surface: Option<Surface>) -> Vec<Violation> {
        let files = files(diff);
        let here = |rule: &&Compiled| surface.is_none_or(|surface| rule.surfaces.contains(&surface));
        self.0
            .iter()
            .filter(here)
            .filter_map(|rule| rule.violated(&files))
            .collect()
    }
}

impl Compiled {
    fn stored(&self) -> Patch {
        let said = |surface| self.surfaces.contains(&surface);
        Patch {
            id: self.id.clone(),
            message: self.message.clone(),
            surfaces: vec![said(Surface::SuggestionApply), said(Surface::BundleApply)],
            added: self.added.as_ref().map(Expression::of),
            touched: self.touched.clone(),
        }
    }

    fn violated(&self, files: &[Touched]) -> Option<Violation> {
        let meant = |file: &&Touched| {
            self.touched
                .as_ref()
                .is_none_or(|glob| policy::path_fits(glob, &file.path))
        };
        for file in files.iter().filter(meant) {
            let line = match &self.added {
                None => None,
                Some(pattern) => match file.added.iter().find(|(_, text)| pattern.matches(text)) {
                    None => continue,
                    Some((line, _)) => Some(*line),
                },
            };
            return Some(Violation {
                rule: self.id.clone(),
                message: self.message.clone(),
                file: file.path.clone(),
                line,
            });
        }
        None
    }
}

/// A file of a diff.
#[derive(Debug, Default, PartialEq, Eq)]
struct Touched {
    path: String,
    /// Added lines by their number in the new file.
    added: Vec<(usize, String)>,
}

/// The files of a unified diff, deleted and renamed ones under their old names too.
fn files(diff: &str) -> Vec<Touched> {
    let (mut files, mut old, mut next) = (Vec::<Touched>::new(), String::new(), 0);
    let mut left = (0_usize, 0_usize);
    for line in diff.lines() {
        if left.0 > 0 || left.1 > 0 {
            match line.as_bytes().first() {
                Some(b'+') => {
                    let text: String = line.chars().skip(1).take(MAX_LINE).collect();
                    if let Some(file) = files.last_mut() {
                        file.added.push((next, text));
                    }
                    next += 1;
                    left.1 = left.1.saturating_sub(1);
                }
                Some(b'-') => left.0 = left.0.saturating_sub(1),
                Some(b'\\') => {}
                _ => {
                    next += 1;
                    left = (left.0.saturating_sub(1), left.1.saturating_sub(1));
                }
            }
        } else if let Some(path) = line.strip_prefix("--- ") {
            old = name(path);
        } else if let Some(path) = line.strip_prefix("+++ ") {
            let new = name(path);
            for path in [&old, &new] {
                if !path.is_empty() && (path == &new || old != new) {
                    touch(&mut files, path);
                }
            }
        } else if let Some(path) = ["rename from ", "rename to ", "copy to "]
            .iter()
            .find_map(|p| line.strip_prefix(p))
        {
            touch(&mut files, &unquoted(path));
        } else if let Some((from, to, start)) = hunk(line) {
            (left, next) = ((from, to), start);
        } else if let Some(names) = line.strip_prefix("diff --git ") {
            // A change of mode or of a binary file has no other line that names it.
            if let Some((_, path)) = names.split_once(" b/") {
                touch(&mut files, path);
            }
        }
    }
    files
}

fn touch(files: &mut Vec<Touched>, path: &str) {
    match files.iter().position(|file| file.path == path) {
        Some(at) => {
            let file = files.remove(at);
            files.push(file);
        }
        None => files.push(Touched {
            path: path.to_owned(),
            added: Vec::new(),
        }),
    }
}

/// `a/src/x.rs`, with what stands behind a tab dropped; empty for `/dev/null`.
fn name(text: &str) -> String {
    let text = unquoted(text.split('\t').next().unwrap_or_default());
    if Path::new(&text) == Path::new("/dev/null") {
        return String::new();
    }
    let short = text.strip_prefix("a/").or_else(|| text.strip_prefix("b/"));
    short.unwrap_or(&text).to_owned()
}

fn unquoted(text: &str) -> String {
    let text = text.trim_end_matches('\r');
    text.strip_prefix('"')
        .and_then(|t| t.strip_suffix('"'))
        .unwrap_or(text)
        .to_owned()
}

/// `@@ -1,2 +3,4 @@`: how many old and new lines, and the number of the first new one.
fn hunk(line: &str) -> Option<(usize, usize, usize)> {
    let ranges = line.strip_prefix("@@ -")?.split(" @@").next()?;
    let (old, new) = ranges.split_once(" +")?;
    let count = |range: &str| range.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok());
    let start = new.split(',').next()?.parse().ok()?;
    Some((count(old)?, count(new)?, start))
}
