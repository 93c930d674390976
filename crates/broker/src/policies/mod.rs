//! Policy files: what a person, a team or a project wrote about requests, in YAML or TOML.
//!
//! A layer is a folder of files: `/etc/tollgate/policies`, `policies` beside `config.toml`, `.tollgate/policies` at the root
//! of the repository. All of them add rules, and the strictest rule decides, so that a layer can only tighten what the ones
//! before it say; `allow` takes a built-in finding away and is for the first two layers, and for a project that the person trusts. From a file with a mistake in
//! it nothing is taken, and the set is broken until it is mended.

mod cache;
mod compile;
mod dates;
mod examples;
mod force;
mod kinds;
mod layers;
pub mod model;
mod patch;
mod read;
mod stamps;
mod store;
mod stored;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::PathBuf;

use policy::Origin;

pub use compile::Entry;
pub(crate) use force::How;
pub use force::{Change, Difference};
pub(crate) use layers::project_layers;
pub use layers::{Excepted, PolicySet, Standing, alone, project_folder};
pub use patch::{PatchRules, Violation};
pub use read::{Case, cases};

/// The JSON Schema of a policy file.
#[cfg(feature = "schema")]
#[must_use]
pub fn schema() -> String {
    let schema = schemars::schema_for!(model::PolicyFile);
    serde_json::to_string_pretty(&schema).unwrap_or_default()
}

/// Whose files they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// `/etc/tollgate/policies`: the machine's.
    System,
    /// The person's own.
    User,
    /// They came with the repository.
    Project,
}

impl Layer {
    /// The word that rules without a name of their own begin with, and that lists show.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.origin().as_str()
    }

    /// Whose rules they are, as findings say it.
    #[must_use]
    pub const fn origin(self) -> Origin {
        match self {
            Self::System => Origin::System,
            Self::User => Origin::User,
            Self::Project => Origin::Project,
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is wrong in a file, before it is known on which line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    /// The rule; empty where it is about the file.
    pub(crate) rule: String,
    pub(crate) line: Option<usize>,
    pub(crate) said: String,
    pub(crate) hint: String,
}

impl Mistake {
    fn of(rule: &str, said: &str) -> Self {
        Self {
            rule: rule.to_owned(),
            line: None,
            said: said.to_owned(),
            hint: String::new(),
        }
    }

    fn hint(self, hint: &str) -> Self {
        Self {
            hint: hint.to_owned(),
            ..self
        }
    }
}

/// Where a rule stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Whose file it is.
    pub layer: Layer,
    /// The file.
    pub file: PathBuf,
    /// The line on which its name or pattern stands first, counted from 1.
    pub line: Option<usize>,
}
