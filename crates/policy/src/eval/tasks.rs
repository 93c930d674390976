//! Tasks that are kept in a file: `make t`, `npm run t`, `just t`; aliases and hooks of git.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use shell::Span;

use super::roles::Context;
use super::{Eval, Stream, UNKNOWN, Value};
use crate::facts::{Does, On, Parsed};
use crate::lang::tasks::{self, Line, Makefile};
use crate::{Answer, Target, places};

/// Folders above that are looked through for a task file.
const MAX_ABOVE: usize = 16;

/// The option that adds text to what the file says.
const EXTRA: &str = "--eval";

/// Where the tasks of a runner are kept.
enum Store {
    Make,
    Just,
    /// A key of a JSON file.
    Json(&'static str),
    GitHook,
}

/// A runner, as facts name it (`run task.npm`): its files, and how they are read.
fn store(what: &str) -> Option<(Store, &'static [&'static str], &'static str)> {
    Some(match what {
        "task.make" => (Store::Make, &["GNUmakefile", "makefile", "Makefile"], "-f"),
        "task.just" => (Store::Just, &["justfile", "Justfile", ".justfile"], "-f"),
        "task.npm" => (Store::Json("scripts"), &["package.json"], ""),
        "task.composer" => (Store::Json("scripts"), &["composer.json"], ""),
        "task.deno" => (Store::Json("tasks"), &["deno.json", "deno.jsonc", "package.json"], "-c"),
        "task.hook" => (Store::GitHook, &[".git"], ""),
        _ => return None,
    })
}

impl Eval<'_> {
    /// `run task.KIND`: the tasks `on` (the default, when there are none) of the file that keeps them.
    pub(super) fn task(&mut self, does: &Does, on: &[&Value], parsed: &Parsed, context: &Context, span: Span) {
        if does.what == "task.alias" {
            return self.git_alias(parsed, context, span);
        }
        if does.what == "task.module" {
            if let Some(module) = on.first() {
                let rest: Vec<Value> = parsed.operands.iter().skip(1).map(|(v, _)| v.clone()).collect();
                self.run_module(module, &rest, &context.stdin);
            }
            return;
        }
        let Some((store, names, file_option)) = store(does.what) else {
            return;
        };
        let option = |name| parsed.option(name).and_then(|(_, value)| value.as_ref());
        let given = option(EXTRA);
        let found = self.task_file(names, option(file_option), &store);
        let Some((dir, path, text)) = found.or_else(|| given.and_then(|_| self.no_file(names))) else {
            return;
        };
        let goals: Vec<String> = on.iter().filter_map(|v| v.known()).map(ToString::to_string).collect();
        if let Store::GitHook = store {
            return goals.iter().for_each(|hook| self.hook(&path, hook, span));
        }
        let text = match given {
            Some(given) => given.pattern().replace(UNKNOWN, "?") + "\n" + &text,
            None => text,
        };
        let lines = match store {
            Store::Make => make_lines(&text, &goals),
            Store::Just => tasks::just_lines(&text, goals.first().map(String::as_str)),
            Store::Json(key) => json_lines(&text, key, &goals),
            Store::GitHook => Vec::new(),
        };
        let program = context.program.clone();
        let extra = match store {
            Store::Json(_) => handed_on(parsed, usize::from(does.on == On::First)),
            _ => String::new(),
        };
        self.in_file(&path, &text, span, |eval| {
            for (at, line) in lines {
                let start = u32::try_from(at).unwrap_or_default();
                eval.file_pin = Some(Span { start, end: start });
                let line = Value::text(line + &extra).at(Span { start, end: start });
                eval.subshell(|eval| {
                    eval.state.cwd = Some(dir.clone());
                    eval.code_value("sh", &line, &program, Stream::empty(), &[])
                });
            }
        });
    }

    /// Stands for a task file that is not there.
    fn no_file(&self, names: &[&str]) -> Option<(String, String, String)> {
        let cwd = self.state.cwd.clone()?;
        let path = places::clean(names.first()?, &cwd);
        Some((cwd, path, String::new()))
    }

    /// The folder, the path and the text of the file that keeps the tasks.
    fn task_file(&mut self, names: &[&str], given: Option<&Value>, store: &Store) -> Option<(String, String, String)> {
        let cwd = self.state.cwd.clone()?;
        if let Some(given) = given {
            let Target::Path(path) = self.resolve(given) else {
                return None;
            };
            let text = self.task_text(&path)?;
            return Some((cwd, path, text));
        }
        let mut dir = cwd.as_str();
        for _ in 0..MAX_ABOVE {
            for name in names {
                let path = places::clean(name, dir);
                if let Store::GitHook = store {
                    if matches!(self.world.kind(&path), Answer::Known(_)) {
                        return Some((dir.into(), path, String::new()));
                    }
                } else if let Some(text) = self.task_text(&path) {
                    return Some((dir.into(), path, text));
                }
            }
            // make looks nowhere else.
            if matches!(store, Store::Make) || dir == self.world.home() || dir.len() <= 1 {
                return None;
            }
            dir = dir.rfind('/').and_then(|at| dir.get(..at)).filter(|d| !d.is_empty())?;
        }
        None
    }

    /// What the file holds: what this text wrote to it, or what the world has.
    fn task_text(&mut self, path: &str) -> Option<String> {
        if path.contains(UNKNOWN) {
            return None;
        }
        match self.state.written.get(path) {
            Some(written) if written.file.is_none() => written.text.clone(),
            Some(_) => self.file_text(path),
            None if matches!(self.world.kind(path), Answer::Known(_)) => self.file_text(path),
            None => None,
        }
    }

    /// A hook of a repository that a git command would run.
    fn hook(&mut self, git: &str, hook: &str, span: Span) {
        let folder = self.git_setting("core", "hookspath");
        let path = match folder {
            Some(folder) => places::clean(&folder, git.trim_end_matches("/.git")) + "/" + hook,
            None => alloc::format!("{git}/hooks/{hook}"),
        };
        if matches!(self.world.kind(&path), Answer::Known(_)) {
            let hook = Value::text(path).at(span);
            self.subshell(|eval| eval.run_file(&hook, "sh", "git", &Stream::empty()));
        }
    }

    /// A command of git that is none of its own is an alias, if the settings say so.
    fn git_alias(&mut self, parsed: &Parsed, context: &Context, span: Span) {
        let first = parsed.operands.first().and_then(|(v, _)| v.known());
        let Some(name) = first.filter(|_| parsed.path.len() == 1) else {
            return;
        };
        let Some(alias) = self.git_setting("alias", name) else {
            return;
        };
        let line = match alias.strip_prefix('!') {
            Some(shell) => shell.to_string(),
            None => alloc::format!("git {alias}"),
        };
        let line = Value::text(line + &handed_on(parsed, 1)).at(span);
        let why = alloc::format!("git alias {name}");
        let program = context.program.clone();
        self.nested(span, &why, |eval| {
            eval.code_value("sh", &line, &program, Stream::empty(), &[])
        });
    }

    /// A setting of git, from the repository's file or the person's.
    fn git_setting(&mut self, section: &str, key: &str) -> Option<String> {
        let home = self.world.home().to_string();
        let files = [
            alloc::format!("{}/.git/config", self.workspace),
            alloc::format!("{home}/.gitconfig"),
            alloc::format!("{home}/.config/git/config"),
        ];
        files.iter().find_map(|file| {
            let text = self.task_text(file)?;
            setting_in(&text, section, key)
        })
    }
}

/// `key = value` in the section `[section]` of a file of git settings.
fn setting_in(text: &str, section: &str, key: &str) -> Option<String> {
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        if let Some(head) = line.strip_prefix('[') {
            inside = head.trim_end_matches(']').trim().eq_ignore_ascii_case(section);
        } else if let Some((name, value)) = line.split_once('=').filter(|_| inside)
            && name.trim().eq_ignore_ascii_case(key)
        {
            let value = value.trim();
            let bare = value
                .strip_prefix('"')
                .and_then(|v| v.strip_suffix('"'))
                .unwrap_or(value);
            return Some(bare.replace("\\\"", "\"").replace("\\\\", "\\"));
        }
    }
    None
}

/// Words with `=` are variables, the others targets.
fn make_lines(text: &str, words: &[String]) -> Vec<Line> {
    let (given, goals): (Vec<&String>, Vec<&String>) = words.iter().partition(|w| w.contains('='));
    let given: BTreeMap<String, String> = given
        .iter()
        .filter_map(|w| w.split_once('='))
        .map(|(name, value)| (name.trim_end_matches([':', '+', '?']).to_string(), value.to_string()))
        .collect();
    let goals: Vec<String> = goals.into_iter().cloned().collect();
    Makefile::read(text).lines(&goals, &given)
}

/// A script with what runs before and after it.
fn json_lines(text: &str, key: &str, goals: &[String]) -> Vec<Line> {
    let Some(scripts) = tasks::json_scripts(text, key) else {
        return Vec::new();
    };
    let names = goals
        .iter()
        .flat_map(|g| [alloc::format!("pre{g}"), g.clone(), alloc::format!("post{g}")]);
    names.filter_map(|name| scripts.get(&name).cloned()).collect()
}

/// The words after the task's name are handed on to it.
fn handed_on(parsed: &Parsed, count: usize) -> String {
    let mut out = String::new();
    for (word, _) in parsed.operands.iter().skip(count) {
        let text = word.pattern().replace(UNKNOWN, "?").replace('\'', "'\\''");
        out.push_str(&alloc::format!(" '{text}'"));
    }
    out
}
