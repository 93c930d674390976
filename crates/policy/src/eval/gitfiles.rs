//! What a repository's own files make git run: aliases and hooks.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use shell::Span;

use super::roles::Context;
use super::tasks::handed_on;
use super::{Eval, Stream, Value};
use crate::facts::Parsed;
use crate::{Answer, FileKind, places};

/// Files of settings that include one another.
const MAX_INCLUDES: usize = 8;

impl Eval<'_> {
    /// A hook of the repository around `dir` that a git command would run.
    pub(super) fn hook(&mut self, dir: &str, hook: &str, parsed: &Parsed, span: Span) {
        let git = self.git_folder(dir);
        let folder = given_setting(parsed, "core.hookspath").or_else(|| self.git_setting("core", "hookspath"));
        let path = match folder {
            Some(folder) => places::clean(&self.at_home(&folder), dir) + "/" + hook,
            None => alloc::format!("{git}/hooks/{hook}"),
        };
        if matches!(self.world.kind(&path), Answer::Known(FileKind::File)) {
            let hook = Value::text(path).at(span);
            self.subshell(|eval| {
                eval.state.cwd = Some(dir.into());
                eval.run_file(&hook, "sh", "git", &Stream::empty())
            });
        }
    }

    /// A command of git that is none of its own is an alias, if the settings say so.
    pub(super) fn git_alias(&mut self, parsed: &Parsed, context: &Context, span: Span) {
        let first = parsed.operands.first().and_then(|(v, _)| v.known());
        let Some(name) = first.filter(|_| parsed.path.len() == 1) else {
            return;
        };
        let given = given_setting(parsed, &alloc::format!("alias.{name}").to_ascii_lowercase());
        let Some(alias) = given.or_else(|| self.git_setting("alias", name)) else {
            return;
        };
        let line = match alias.strip_prefix('!') {
            Some(shell) => shell.to_string(),
            None => alloc::format!("git {alias}"),
        };
        let line = Value::text(line + &handed_on(parsed, 1)).at(span);
        let why = alloc::format!("git alias {name}");
        let program = context.program;
        self.nested(span, &why, |eval| {
            eval.code_value("sh", &line, program, Stream::empty(), &[])
        });
    }

    /// Where the settings and hooks of the repository whose folder is `dir` are: a linked worktree shares those of the
    /// repository that it came from, a submodule has its own elsewhere.
    fn git_folder(&mut self, dir: &str) -> String {
        let own = alloc::format!("{dir}/.git");
        if self.world.kind(&own) != Answer::Known(FileKind::File) {
            return own;
        }
        let text = self.small_text(&own);
        let Some(linked) = text.as_deref().and_then(|t| t.trim().strip_prefix("gitdir:")) else {
            return own;
        };
        let linked = places::clean(linked.trim(), dir);
        match self.small_text(&alloc::format!("{linked}/commondir")) {
            Some(common) => places::clean(common.trim(), &linked),
            None => linked,
        }
    }

    /// A setting of git, from the repository's file or the person's.
    fn git_setting(&mut self, section: &str, key: &str) -> Option<String> {
        let home = self.world.home().to_string();
        let workspace = self.workspace.clone();
        let mut files = alloc::vec![
            alloc::format!("{}/config", self.git_folder(&workspace)),
            alloc::format!("{home}/.gitconfig"),
            alloc::format!("{home}/.config/git/config"),
        ];
        let mut at = 0;
        while let Some(file) = files.get(at).cloned() {
            at += 1;
            let Some(text) = self.small_text(&file) else { continue };
            if let Some(value) = setting_in(&text, section, key) {
                return Some(value);
            }
            // Whether the condition of an include holds is not asked.
            let folder = file.rsplit_once('/').map_or("/", |(folder, _)| folder);
            let more: Vec<String> = includes(&text)
                .iter()
                .map(|path| places::clean(&self.at_home(path), folder))
                .collect();
            files.extend(more.into_iter().take(MAX_INCLUDES.saturating_sub(files.len())));
        }
        None
    }

    /// What a file of git says about itself. It is no script, and does not count as one.
    fn small_text(&mut self, path: &str) -> Option<String> {
        self.task_text(path)
    }

    fn at_home(&self, path: &str) -> String {
        match path.strip_prefix("~/") {
            Some(rest) => alloc::format!("{}/{rest}", self.world.home()),
            None => path.to_string(),
        }
    }
}

/// The value of `git -c key=value`.
fn given_setting(parsed: &Parsed, key: &str) -> Option<String> {
    let given = parsed.options.iter().filter(|(o, _)| o.named("-c"));
    let values = given.filter_map(|(_, value)| value.as_ref()?.known()?.split_once('='));
    let mut same = values.filter(|(name, _)| name.eq_ignore_ascii_case(key));
    same.next_back().map(|(_, value)| value.to_string())
}

/// `path = x` in the sections `[include]` and `[includeIf "..."]`.
fn includes(text: &str) -> Vec<String> {
    let lines = settings(text).filter(|(head, name, _)| {
        head.to_ascii_lowercase().starts_with("include") && name.eq_ignore_ascii_case("path")
    });
    lines.map(|(_, _, value)| value.trim_matches('"').to_string()).collect()
}

/// `key = value` in the section `[section]` of a file of git settings. The last one counts.
fn setting_in(text: &str, section: &str, key: &str) -> Option<String> {
    let same =
        settings(text).filter(|(head, name, _)| head.eq_ignore_ascii_case(section) && name.eq_ignore_ascii_case(key));
    let value = same.last()?.2;
    let bare = value
        .strip_prefix('"')
        .and_then(|v| v.strip_suffix('"'))
        .unwrap_or(value);
    Some(bare.replace("\\\"", "\"").replace("\\\\", "\\"))
}

/// Section, name and value of every setting in a file of git settings. The first may stand on the line of its section.
fn settings(text: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let mut section = "";
    text.lines().filter_map(move |line| {
        let mut line = line.trim();
        if let Some((head, rest)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            section = head.trim();
            line = rest.trim();
        }
        let (name, value) = line.split_once('=')?;
        Some((section, name.trim(), value.trim()))
    })
}
