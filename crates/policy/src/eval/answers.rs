//! Programs whose output follows from what is known: where one is, what a path is called, what a variable holds.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::invoke::LASTING;
use super::{Eval, UNKNOWN, Value, Var};
use crate::effect::Tags;
use crate::facts;
use crate::facts::Parsed;
use crate::{Answer, FileKind, Target};

impl Eval<'_> {
    /// What the variables of the table `stage` say: `local` is a place for tests, `real` one that others use.
    pub(super) fn stage(&self) -> Vec<&'static str> {
        let label = |(name, role): &(&str, facts::Role)| match self.state.vars.get(name) {
            Some(Var::Scalar(value)) if role.tags.contains(&value.known()?) => Some("local"),
            Some(Var::Scalar(value)) if facts::names::is_real(value.known()?) => Some("real"),
            _ => None,
        };
        facts::settings("stage").iter().filter_map(label).collect()
    }

    /// What is said of all that a call does holds for the call alone; that it happens in a container or elsewhere, for what it starts too.
    /// Gives back what held before.
    pub(super) fn enter_place(&mut self, parsed: &Parsed) -> Vec<&'static str> {
        let outer = core::mem::take(&mut self.around);
        self.around = outer.iter().copied().filter(|label| LASTING.contains(label)).collect();
        let place: Vec<&'static str> = parsed.place().collect();
        // What lies on another machine is not known by its name.
        let afar = ["afar", "remote"].iter().any(|label| self.around.contains(label));
        if !place.is_empty() && !afar && !self.served_elsewhere() {
            self.around.extend(place);
        }
        outer
    }

    /// Code speaks to this database from now on.
    pub(super) fn enter_database(&mut self, value: &Value) {
        let trial = value
            .known()
            .is_some_and(|name| name == ":memory:" || name.starts_with("/tmp/") || facts::names::is_scratch(name));
        self.around.retain(|label| *label != "trial");
        if trial && !self.served_elsewhere() {
            self.around.push("trial");
        }
    }

    /// Whether a variable of the table `server` sends clients to another machine.
    fn served_elsewhere(&self) -> bool {
        facts::settings("server").iter().any(|(name, _)| {
            let said = match self.state.vars.get(name) {
                Some(Var::Scalar(value)) => value.known().map(ToString::to_string),
                Some(_) => None,
                None => match self.world.var(name) {
                    Answer::Known(value) => Some(value),
                    Answer::Absent | Answer::Unknown => return false,
                },
            };
            said.is_none_or(|host| !facts::names::is_here(&host))
        })
    }

    /// The output of answer `name`, without its last newline; `None` when it cannot be worked out.
    pub(super) fn answer(&self, name: &str, parsed: &Parsed) -> Option<String> {
        let first = parsed.operands.first().map(|(v, _)| v);
        match name {
            "pwd" => self.state.cwd.clone(),
            "realpath" => self.real_path_of(first?),
            "printenv" => self.variable_in_environment(first?.known()?),
            "rev-parse" => self.repository(parsed),
            // Where it lies does not matter for what it is.
            "which" => first?
                .known()
                .filter(|name| !name.starts_with('-'))
                .map(ToString::to_string),
            "mktemp" => Some("/tmp/tmp.XXXXXXXXXX".to_string()),
            "find" => self.found_lines(parsed),
            "ls" => self.listed(parsed),
            _ => None,
        }
    }

    /// `ls x*` and `ls FILE` print the names that they are given; what lies in a folder is not known here.
    fn listed(&self, parsed: &Parsed) -> Option<String> {
        let alone = parsed.option("-d").is_some();
        let named = |value: &Value| -> Option<String> {
            let text = value.written()?.into_owned();
            let path = match self.resolve(value) {
                Target::Path(path) => path,
                _ => return None,
            };
            let mut tags = Tags::default();
            self.label(&path, &mut tags);
            let is_file = self.world.kind(&path) == Answer::Known(FileKind::File) || tags.has("credential");
            let is_folder = text.ends_with('/') || self.is_folder(value);
            (alone || is_file || value.has_glob() && !is_folder).then_some(text)
        };
        let lines: Option<Vec<String>> = parsed.operands.iter().map(|(value, _)| named(value)).collect();
        lines.filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n"))
    }

    fn real_path_of(&self, value: &Value) -> Option<String> {
        match self.resolve(value) {
            Target::Path(path) if !path.contains(UNKNOWN) => match self.world.real_path(&path) {
                Answer::Known(real) => Some(real),
                _ => Some(path),
            },
            _ => None,
        }
    }

    fn variable_in_environment(&self, name: &str) -> Option<String> {
        match self.state.vars.get(name) {
            Some(Var::Scalar(value)) => value.known().map(ToString::to_string),
            Some(_) => None,
            None => match name {
                "HOME" => Some(self.world.home().to_string()),
                "USER" | "LOGNAME" => Some(self.world.user().to_string()),
                "PWD" => self.state.cwd.clone(),
                _ => None,
            },
        }
    }

    /// `git rev-parse --show-toplevel` and `--git-dir`
    fn repository(&self, parsed: &Parsed) -> Option<String> {
        let cwd = self.state.cwd.as_deref()?;
        if !crate::places::within(cwd, &self.workspace) {
            return None;
        }
        if parsed.option("--show-toplevel").is_some() {
            Some(self.workspace.clone())
        } else if parsed.option("--git-dir").is_some()
            || parsed.option("--absolute-git-dir").is_some()
            || parsed.option("--git-common-dir").is_some()
        {
            Some(format!("{}/.git", self.workspace))
        } else {
            None
        }
    }
}
