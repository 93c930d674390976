//! What a person added to the built-in tables.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use rulebook::{PathRow, Program, Rule};

use crate::facts;
use crate::rules::RULES;

/// Programs, rules and special paths beside the built-in ones. Rules and paths only add: a built-in rule still speaks.
#[derive(Clone, Debug, Default)]
pub struct Added {
    programs: BTreeMap<&'static str, &'static Program>,
    rules: Vec<Rule>,
    globs: Vec<(&'static str, PathRow)>,
    digest: String,
}

impl Added {
    /// Adds facts about a program. What is built in stays, unless they `replace` it.
    ///
    /// # Errors
    /// The name that has built-in facts.
    pub fn program(&mut self, program: &'static Program, replace: bool) -> Result<(), &'static str> {
        let known = program.names.iter().find(|name| facts::built_in(name).is_some());
        if let Some(name) = known.filter(|_| !replace) {
            return Err(name);
        }
        self.programs.extend(program.names.iter().map(|name| (*name, program)));
        Ok(())
    }

    /// Adds a rule.
    ///
    /// # Errors
    /// The id, when a built-in rule has it.
    pub fn rule(&mut self, rule: Rule) -> Result<(), &'static str> {
        if RULES.iter().any(|built_in| built_in.id == rule.id) {
            return Err(rule.id);
        }
        self.rules.push(rule);
        Ok(())
    }

    /// Adds labels to the paths that one of the globs means.
    pub fn path(&mut self, globs: &'static [&'static str], row: PathRow) {
        self.globs.extend(globs.iter().map(|glob| (*glob, row)));
    }

    /// Names the texts that all this stood in, for the record.
    pub fn set_digest(&mut self, digest: String) {
        self.digest = digest;
    }

    /// The name of the texts that all this stood in; empty where there are none.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The facts about a program that were added.
    pub(crate) fn facts(&self, name: &str) -> Option<&'static Program> {
        self.programs.get(name).copied()
    }

    pub(crate) fn rules(&self) -> &[Rule] {
        &self.rules
    }

    pub(crate) fn globs(&self) -> &[(&'static str, PathRow)] {
        &self.globs
    }
}

#[cfg(test)]
mod tests {
    use super::Added;
    use crate::facts;
    use crate::rules::RULES;

    #[test]
    fn what_is_built_in_stays_unless_it_is_replaced() {
        let (Some(program), Some(rule)) = (facts::built_in("rm"), RULES.first()) else {
            panic!("there are programs and rules");
        };
        let mut added = Added::default();
        assert_eq!(added.program(program, false), Err("rm"));
        assert!(added.facts("rm").is_none());
        assert_eq!(added.program(program, true), Ok(()));
        assert!(added.facts("rm").is_some() && added.facts("mv").is_none());
        assert_eq!(added.rule(*rule), Err(rule.id));
        assert_eq!(added.rules().len(), 0);
        let mut own = *rule;
        own.id = "a-rule-of-ann";
        assert_eq!(added.rule(own), Ok(()));
        assert_eq!(added.rules().len(), 1);
        added.set_digest("x".into());
        assert_eq!(added.digest(), "x");
    }
}
