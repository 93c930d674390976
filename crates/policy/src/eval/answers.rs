//! Programs whose output follows from what is known: where one is, what a path is called, what a variable holds.

use alloc::format;
use alloc::string::{String, ToString};

use super::feeders::found_lines;
use super::{Eval, UNKNOWN, Value, Var};
use crate::facts;
use crate::facts::Parsed;
use crate::{Answer, Target};

impl Eval<'_> {
    /// Whether a variable of the table `stage` says that this is a place for tests.
    pub(super) fn on_trial(&self) -> bool {
        facts::settings("stage").iter().any(|(name, role)| {
            let said = self.state.vars.get(*name).and_then(|v| match v {
                super::Var::Scalar(value) => value.known(),
                _ => None,
            });
            said.is_some_and(|text| role.tags.contains(&text))
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
            "find" => found_lines(parsed),
            _ => None,
        }
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
