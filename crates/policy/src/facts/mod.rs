//! What programs mean: the tables made from `rules/programs/*.toml` at build time.
//!
//! Facts, not opinions: which words of a program are options, which are read, written, deleted, sent or executed.

mod args;
pub(crate) mod names;

use crate::Added;

pub(crate) use args::{Parsed, parse};
pub(crate) use rulebook::{Cond, Does, On, Opt, Program, Role, RoleKind, Slot, Style, Test};

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// The facts about a program by its base name; what a person says of it goes before what is built in.
pub(crate) fn program(name: &str, added: &Added) -> Option<&'static Program> {
    added.facts(name).or_else(|| built_in(name))
}

/// The built-in facts about a program.
pub(crate) fn built_in(name: &str) -> Option<&'static Program> {
    let named = |at: usize| PROGRAMS.get(at).filter(|(n, _)| *n == name);
    let at = rulebook::place(PROGRAM_INDEX, name, |at| named(at).is_some())?;
    named(at).map(|(_, p)| *p)
}

/// What the setting `key` of a table (`git`, `ssh`, `env`) means. The pattern that says most is meant: `*` stands for
/// whatever has no row of its own.
pub(crate) fn setting(table: &str, key: &str) -> Option<Role> {
    let table = SETTINGS.iter().position(|(name, _)| *name == table)?;
    let rows = Rows::of(SETTINGS, SETTINGS_BY_NAME, table)?;
    let named = || rows.named(key, str::eq_ignore_ascii_case);
    let place = (key.len() <= SETTINGS_LONGEST).then(named).flatten();
    rows.longest(place.into_iter(), key)
}

/// Whether a variable of that name can change what commands mean, or where they go.
#[must_use]
pub fn steers(variable: &str) -> bool {
    ["env", "server", "steers"]
        .into_iter()
        .any(|table| setting(table, variable).is_some())
}

/// All rows of a table of settings.
pub(crate) fn settings(table: &str) -> &'static [(&'static str, Role)] {
    SETTINGS
        .iter()
        .find(|(name, _)| *name == table)
        .map_or(&[], |(_, rows)| *rows)
}

/// The role of a call: of the names and patterns of the language's table that it ends in, or that it is like, the longest.
pub(crate) fn call(lang: &str, name: &str) -> Option<Role> {
    let table = |wanted: &str| CALLS.iter().position(|(l, _)| *l == wanted);
    let own = match lang {
        // They call what Java has.
        "groovy" | "kotlin" | "scala" => table("java"),
        lang => table(lang),
    };
    let own = own.or_else(|| table("other"));
    let found = own.and_then(|table| call_in(table, name));
    found.or_else(|| table("any").and_then(|table| call_in(table, name)))
}

fn call_in(table: usize, name: &str) -> Option<Role> {
    let rows = Rows::of(CALLS, CALLS_BY_NAME, table)?;
    // `a.b.c` can be called `a.b.c`, `b.c` and `c`.
    let dots = name.char_indices().rev().filter(|(_, c)| *c == '.');
    let parts = dots.filter_map(|(at, _)| name.get(at + 1..));
    let parts = parts.take_while(|part| part.len() <= CALLS_LONGEST);
    let parts = parts.chain((name.len() <= CALLS_LONGEST).then_some(name));
    rows.longest(parts.filter_map(|part| rows.named(part, |a, b| a == b)), name)
}

/// A table of roles with what finds its rows.
type Table = &'static [(&'static str, Role)];

/// A table of roles, its places by name, and the places of its patterns.
#[derive(Clone, Copy)]
struct Rows {
    rows: Table,
    index: &'static [u16],
    patterns: &'static [usize],
}

impl Rows {
    fn of(tables: &[(&str, Table)], by_name: &[(&'static [u16], &'static [usize])], at: usize) -> Option<Self> {
        let (_, rows) = tables.get(at)?;
        let (index, patterns) = by_name.get(at)?;
        Some(Self { rows, index, patterns })
    }

    /// The place of the row of this name.
    fn named(&self, name: &str, same: impl Fn(&str, &str) -> bool) -> Option<usize> {
        rulebook::place(self.index, name, |at| {
            self.rows.get(at).is_some_and(|(key, _)| same(key, name))
        })
    }

    /// The longest of these rows, and of the patterns that `name` is like.
    fn longest(&self, places: impl Iterator<Item = usize>, name: &str) -> Option<Role> {
        let key = |at: &usize| self.rows.get(*at).map_or("", |(key, _)| key);
        let like = |at: &usize| crate::glob::matches(key(at), name);
        let places = places.chain(self.patterns.iter().copied().filter(like));
        let longest = places.max_by_key(|at| (key(at).len(), *at))?;
        self.rows.get(longest).map(|(_, role)| *role)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::{CALLS, SETTINGS, call, parse, setting};
    use crate::eval::Value;
    use crate::facts::Role;
    use crate::glob;

    fn shown(role: Option<Role>) -> alloc::string::String {
        alloc::format!("{role:?}")
    }

    #[test]
    fn the_name_of_a_subcommand_begins_no_command() {
        let mut book = rulebook::Book::default();
        let stanza = "[[program]]\nname = [\"acme\"]\noperands = \"command\"\n\
                      sub = [{ name = [\"list\"], operands = \"value...\" }]\nexamples = [\"acme rm x => delete\"]\n";
        book.add("mine.toml", stanza).unwrap();
        let program = book.programs[0].says.program;
        let sorted = |words: [&str; 2]| {
            let words: Vec<Value> = words.iter().map(|word| Value::text(*word)).collect();
            let parsed = parse(program, &words, false);
            (parsed.path.len(), parsed.commands.len(), parsed.operands.len())
        };
        assert_eq!(sorted(["rm", "x"]), (1, 1, 0));
        assert_eq!(sorted(["list", "x"]), (2, 0, 1));
    }

    #[test]
    fn settings_are_found_as_by_going_through_all() {
        for (table, rows) in SETTINGS {
            for (key, _) in *rows {
                for key in [
                    key.to_ascii_uppercase(),
                    key.to_ascii_lowercase(),
                    alloc::format!("{key}x"),
                ] {
                    let all = rows.iter().filter(|(pattern, _)| glob::matches(pattern, &key));
                    let longest = all.max_by_key(|(pattern, _)| pattern.len()).map(|(_, role)| *role);
                    assert_eq!(shown(setting(table, &key)), shown(longest), "{table} {key}");
                }
            }
        }
    }

    #[test]
    fn calls_are_found_by_what_their_names_end_in() {
        for (lang, rows) in CALLS {
            for (key, _) in *rows {
                for name in [(*key).into(), alloc::format!("a.{key}"), alloc::format!("a.b.{key}")] {
                    let ends = |key: &str| {
                        name == key
                            || name.ends_with(&alloc::format!(".{key}"))
                            || key.contains('*') && glob::matches(key, &name)
                    };
                    let longest = rows
                        .iter()
                        .filter(|(key, _)| ends(key))
                        .max_by_key(|(key, _)| key.len());
                    let longest = longest.map(|(_, role)| *role);
                    assert_eq!(shown(call(lang, &name)), shown(longest), "{lang} {name}");
                }
            }
        }
    }
}
