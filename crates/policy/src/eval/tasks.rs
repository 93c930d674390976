//! Tasks that are kept in a file: `make t`, `npm run t`, `just t`.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use shell::Span;

use super::roles::Context;
use super::{Eval, Stream, UNKNOWN, Value};
use crate::facts::{Does, On, Parsed};
use crate::lang::justfile::Justfile;
use crate::lang::makefile::Makefile;
use crate::lang::tasks::{self, Line};
use crate::{Answer, Target, places};

/// Folders above that are looked through for a task file.
const MAX_ABOVE: usize = 16;

/// Packages of a workspace that are looked at.
const MAX_PACKAGES: usize = 16;

/// The option that adds text to what the file says.
const EXTRA: &str = "--eval";

/// How the files of a runner are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Store {
    Make,
    Just,
    /// A key of a JSON file.
    Json(&'static str),
    GitHook,
}

/// A runner, as facts name it (`run task.npm`): how its files are read, and the option that names another one. The names
/// of its files are the table `task-files`.
fn store(what: &str) -> Option<(Store, &'static [&'static str], &'static str)> {
    let (store, option) = match what {
        "task.make" => (Store::Make, "-f"),
        "task.just" => (Store::Just, "-f"),
        "task.npm" | "task.script" | "task.workspace" | "task.workspaces" | "task.composer" => {
            (Store::Json("scripts"), "")
        }
        "task.deno" => (Store::Json("tasks"), "-c"),
        "task.hook" => (Store::GitHook, ""),
        _ => return None,
    };
    let same = match what {
        "task.script" | "task.workspace" | "task.workspaces" => "task.npm",
        _ => what,
    };
    let rows = crate::facts::settings("task-files").iter();
    let names = rows
        .filter(|(name, _)| *name == same)
        .map(|(_, role)| role.tags)
        .next()?;
    Some((store, names, option))
}

/// A file of tasks: the folder that they run in, its path, its text.
struct TaskFile {
    dir: String,
    path: String,
    text: String,
}

impl Eval<'_> {
    /// `run task.KIND`: the tasks `on` (the default, when there are none) of the file that keeps them.
    pub(super) fn task(&mut self, does: &Does, on: &[&Value], parsed: &Parsed, context: &Context, span: Span) {
        match does.what {
            "task.alias" => return self.git_alias(parsed, context, span),
            "task.module" => return self.module_task(on, parsed, context),
            "task.unpack" => return self.unpack(parsed, context),
            "task.clone" => return self.clone_into(parsed),
            // A word that is no command of the runner's own.
            "task.script" if parsed.path.len() != 1 => return,
            _ => {}
        }
        let Some((store, names, file_option)) = store(does.what) else {
            return;
        };
        let option = |name| parsed.option(name).and_then(|(_, value)| value.as_deref());
        let given = option(EXTRA).map(|text| text.pattern().replace(UNKNOWN, "?") + "\n");
        let found = self.task_file(names, option(file_option), &store, context);
        let mut files: Vec<TaskFile> = found
            .or_else(|| given.as_ref().and_then(|_| self.no_file(names)))
            .into_iter()
            .collect();
        let mut goals: Vec<String> = on.iter().filter_map(|v| Some(v.written()?.into_owned())).collect();
        if store == Store::GitHook {
            let dirs: Vec<String> = files.into_iter().map(|f| f.dir).collect();
            dirs.iter()
                .for_each(|dir| goals.iter().for_each(|hook| self.hook(dir, hook, parsed, span)));
            return;
        }
        if let Store::Json("scripts") = store {
            let mut named = named_packages(parsed);
            if does.what == "task.workspace" && !goals.is_empty() {
                named = alloc::vec![goals.remove(0)];
                goals.truncate(1);
            }
            let all = parsed.tag("packages") || does.what == "task.workspaces";
            files = self.chosen_packages(files, &named, all);
        }
        for mut file in files {
            file.text = given.clone().unwrap_or_default() + &file.text;
            self.task_of(&file, store, does, &goals, parsed, context, span);
        }
    }

    /// The tasks `goals` of one file.
    #[expect(clippy::too_many_arguments, reason = "they are the parts of a call")]
    fn task_of(
        &mut self,
        file: &TaskFile,
        store: Store,
        does: &Does,
        goals: &[String],
        parsed: &Parsed,
        context: &Context,
        span: Span,
    ) {
        let dir = &file.dir;
        let mut include = |name: &str| self.task_text(&places::clean(name, dir));
        let mut environment = String::new();
        let mut names: Vec<String> = Vec::new();
        let lines = match store {
            Store::Make => {
                let (given, goals) = variables(goals);
                let make = Makefile::read(&file.text, &mut include);
                environment = make.environment(&given);
                make.lines(&goals, &given, does.tags.contains(&"dry"))
            }
            Store::Just => Justfile::read(&file.text, &mut include).lines(goals),
            Store::Json(key) => {
                let scripts = json_lines(&file.text, key, goals);
                names = scripts.iter().map(|(name, _)| name.clone()).collect();
                scripts.into_iter().map(|(_, line)| line).collect()
            }
            Store::GitHook => Vec::new(),
        };
        if lines.is_empty() {
            return;
        }
        let extra = match store {
            Store::Json(_) => handed_on(
                parsed,
                match does.on {
                    On::First => 1,
                    On::Operands => usize::MAX,
                    _ => 0,
                },
            ),
            _ => String::new(),
        };
        self.in_file(&file.path, &file.text, span, |eval| {
            eval.subshell(|eval| {
                eval.state.cwd = Some(dir.clone());
                // All lines begin with what the file hands on to them.
                if !environment.is_empty() {
                    eval.text(&environment, Stream::empty());
                }
                for (i, (at, line)) in lines.into_iter().enumerate() {
                    let level = eval.chain.len();
                    let name = names.get(i).map(|name| alloc::format!("its script {name}"));
                    eval.chain.extend(name);
                    let start = u32::try_from(at).unwrap_or_default();
                    let place = Span { start, end: start };
                    eval.file_pin = Some(place);
                    let line = Value::text(line + &extra).at(place);
                    eval.subshell(|eval| eval.task_line(&line, context.program));
                    eval.chain.truncate(level);
                }
            });
        });
    }

    /// A line of a task: for a shell, or for the interpreter that it begins with.
    fn task_line(&mut self, line: &Value, program: &str) -> Stream {
        let text = line.known().unwrap_or_default();
        let lang = if text.starts_with("#!") {
            super::look::named_interpreter(text, self.world).unwrap_or("other")
        } else {
            "sh"
        };
        self.code_value(lang, line, program, Stream::empty(), &[])
    }

    fn module_task(&mut self, on: &[&Value], parsed: &Parsed, context: &Context) {
        if let Some(module) = on.first() {
            let rest: Vec<Value> = parsed.operands.iter().skip(1).map(|(v, _)| (*v).clone()).collect();
            self.run_module(module, &rest, &context.stdin);
        }
    }

    /// Stands for a task file that is not there.
    fn no_file(&self, names: &[&str]) -> Option<TaskFile> {
        let dir = self.state.cwd.clone()?;
        let path = places::clean(names.first()?, &dir);
        Some(TaskFile {
            dir,
            path,
            text: String::new(),
        })
    }

    /// The file that keeps the tasks.
    fn task_file(
        &mut self,
        names: &[&str],
        given: Option<&Value>,
        store: &Store,
        context: &Context,
    ) -> Option<TaskFile> {
        let cwd = self.state.cwd.clone()?;
        if let Some(given) = given {
            return self.given_file(given, cwd, context);
        }
        let mut dir = cwd.as_str();
        for _ in 0..MAX_ABOVE {
            for name in names {
                let path = places::clean(name, dir);
                let text = match store {
                    Store::GitHook => matches!(self.world.kind(&path), Answer::Known(_)).then(String::new),
                    _ => self.task_text(&path),
                };
                if let Some(text) = text {
                    let dir = dir.to_string();
                    return Some(TaskFile { dir, path, text });
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

    /// A file that an option names; `-` is what flows in.
    fn given_file(&mut self, given: &Value, dir: String, context: &Context) -> Option<TaskFile> {
        let streamed = matches!(given.known(), Some("-" | "/dev/stdin"));
        let (path, text) = match (streamed, &context.stdin.text) {
            (true, Some(text)) => (places::clean("-", &dir), text.clone()),
            (true, None) => {
                let path = context.stdin.file.as_deref()?.to_string();
                let text = self.task_text(&path)?;
                (path, text)
            }
            (false, _) => {
                let Target::Path(path) = self.resolve(given) else {
                    return None;
                };
                let text = self.task_text(&path)?;
                (path, text)
            }
        };
        Some(TaskFile { dir, path, text })
    }

    /// The packages of a workspace that options choose; without one, the package itself.
    fn chosen_packages(&mut self, files: Vec<TaskFile>, named: &[String], all: bool) -> Vec<TaskFile> {
        let (Some(root), true) = (files.first(), !named.is_empty() || all) else {
            return files;
        };
        let mut patterns = tasks::workspaces(&root.text);
        if let Some(text) = self.task_text(&places::clean("pnpm-workspace.yaml", &root.dir)) {
            patterns.extend(tasks::workspaces(&text));
        }
        patterns.extend(named.iter().map(|name| name.trim_end_matches("...").to_string()));
        let dir = root.dir.clone();
        let mut out: Vec<TaskFile> = Vec::new();
        let paths: Vec<String> = patterns.iter().flat_map(|p| self.packages_like(p, &dir)).collect();
        for path in paths {
            let package = path.rsplit_once('/').map_or(dir.as_str(), |(dir, _)| dir).to_string();
            if out.iter().any(|f| f.path == path) || out.len() >= MAX_PACKAGES {
                continue;
            }
            let Some(text) = self.task_text(&path) else { continue };
            let name = tasks::package_name(&text).unwrap_or_default();
            let is = |wanted: &String| {
                let wanted = wanted.trim_start_matches("./").trim_end_matches("...");
                crate::glob::matches(wanted, &name) || package.ends_with(&alloc::format!("/{wanted}"))
            };
            if named.is_empty() || named.iter().any(is) {
                out.push(TaskFile {
                    dir: package,
                    path,
                    text,
                });
            }
        }
        out
    }

    /// The `package.json` files in the folders that a pattern stands for.
    fn packages_like(&self, pattern: &str, dir: &str) -> Vec<String> {
        let (folder, last) = pattern.trim_end_matches('/').rsplit_once('/').unwrap_or((".", pattern));
        let folder = places::clean(folder.trim_end_matches("/**"), dir);
        if !last.contains('*') {
            return alloc::vec![places::clean(&(pattern.to_string() + "/package.json"), dir)];
        }
        let names = match self.world.list(&folder) {
            Answer::Known(names) => names,
            Answer::Absent | Answer::Unknown => Vec::new(),
        };
        let inside = names.iter().filter(|name| crate::glob::matches(last, name));
        inside
            .map(|name| alloc::format!("{folder}/{name}/package.json"))
            .collect()
    }

    /// What the file holds: what this text wrote to it, or what the world has.
    pub(super) fn task_text(&mut self, path: &str) -> Option<String> {
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
}

/// The packages of a workspace that options name.
fn named_packages(parsed: &Parsed) -> Vec<String> {
    let options = parsed.options.iter().filter(|(o, _)| o.role.tags.contains(&"package"));
    options
        .filter_map(|(_, v)| Some(v.as_ref()?.known()?.to_string()))
        .collect()
}

/// Words with `=` are variables, the others targets.
fn variables(words: &[String]) -> (BTreeMap<String, String>, Vec<String>) {
    let (given, goals): (Vec<&String>, Vec<&String>) = words.iter().partition(|w| w.contains('='));
    let given = given
        .iter()
        .filter_map(|w| w.split_once('='))
        .map(|(name, value)| (name.trim_end_matches([':', '+', '?']).to_string(), value.to_string()))
        .collect();
    (given, goals.into_iter().cloned().collect())
}

/// A script with what runs before and after it.
fn json_lines(text: &str, key: &str, goals: &[String]) -> Vec<(String, Line)> {
    let Some(scripts) = tasks::json_scripts(text, key) else {
        return Vec::new();
    };
    let goals = goals.iter().flat_map(|goal| {
        let name = ["npm:", "yarn:", "pnpm:", "bun:"]
            .iter()
            .find_map(|by| goal.strip_prefix(by));
        let name = name.unwrap_or(goal);
        match name.contains('*') {
            true => scripts
                .keys()
                .filter(|key| crate::glob::matches(name, key))
                .cloned()
                .collect(),
            false => alloc::vec![name.to_string()],
        }
    });
    let names = goals.flat_map(|g| [alloc::format!("pre{g}"), g.clone(), alloc::format!("post{g}")]);
    names
        .filter_map(|name| scripts.get(&name).cloned().map(|line| (name, line)))
        .collect()
}

/// The words after the task's name are handed on to it.
pub(super) fn handed_on(parsed: &Parsed, count: usize) -> String {
    let mut out = String::new();
    for (word, _) in parsed.operands.iter().skip(count) {
        let text = word.pattern().replace(UNKNOWN, "?").replace('\'', "'\\''");
        out.push_str(&alloc::format!(" '{text}'"));
    }
    out
}
