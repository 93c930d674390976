//! What a policy file may say. YAML and TOML files have the same model; its JSON Schema is made from these types.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The seven lists of a policy file. Every list may be absent.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PolicyFile {
    /// The address of the schema, for editors.
    #[serde(default, rename = "$schema")]
    pub schema: Option<String>,
    /// Rules on requests by their kind.
    #[serde(default)]
    pub actions: Vec<Action>,
    /// Rules on what a patch adds or touches.
    #[serde(default)]
    pub rules: Vec<PatchRule>,
    /// Rules on the text of commands, and of commands that those start.
    #[serde(default)]
    pub commands: Vec<CommandRule>,
    /// Rules on paths, whoever reads, writes or sends them.
    #[serde(default)]
    pub paths: Vec<PathRule>,
    /// Rules on what a request would do.
    #[serde(default)]
    pub effects: Vec<EffectRule>,
    /// A verdict for each permission class, such as `push_code: ask`.
    #[serde(default)]
    pub classes: BTreeMap<String, Opinion>,
    /// Scoped exceptions from built-in rules. Only a person's own files may have them.
    #[serde(default)]
    pub allow: Vec<Allow>,
}

/// How strict a rule is.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Opinion {
    /// It is recorded and shown, and not held.
    Warn,
    /// A person decides.
    #[serde(alias = "require_approval")]
    Ask,
    /// It is refused.
    #[serde(alias = "block")]
    Deny,
}

/// A rule on requests of some kinds.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// Its name: a letter, then letters, digits, `_` and `-`; at most 96.
    pub id: String,
    /// What it is for; at most 512 letters.
    #[serde(default)]
    pub description: String,
    /// Kinds of request, such as `command.run` and `file.write`.
    pub on: Vec<String>,
    /// What a request has to be like; absent, the rule speaks about all of the kinds.
    #[serde(default, rename = "match")]
    pub matches: Option<ActionMatch>,
    /// `deny` when absent.
    #[serde(default)]
    pub effect: Option<Opinion>,
    /// What the refused agent is told; at most 512 letters.
    #[serde(default)]
    pub message: String,
    /// Requests that it must hold for, and must not.
    #[serde(default)]
    pub examples: Examples,
}

/// What a request has to be like. All that is said must hold.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ActionMatch {
    /// The agent (`provider.spawn`).
    #[serde(default)]
    pub provider_id: Option<String>,
    /// An expression that is found in the command (`command.run`).
    #[serde(default)]
    pub command_regex: Option<String>,
    /// `i`: letters of either case are the same. `g m s u y` are read and change nothing for one line.
    #[serde(default)]
    pub command_flags: Option<String>,
    /// A glob of the path (`file.read`, `file.write`, `file.patch`).
    #[serde(default)]
    pub path_glob: Option<String>,
    /// The state that a run would end in (`run.complete`).
    #[serde(default)]
    pub status: Option<String>,
}

/// A rule on patches: it holds where all that it says does.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PatchRule {
    /// Its name, as of an action.
    pub id: String,
    /// What it is for; 1 to 512 letters.
    pub description: String,
    /// `suggestion-apply`, `bundle-apply`, or both.
    pub applies_to: Vec<Surface>,
    /// An expression that is found in an added line.
    #[serde(default)]
    pub match_added_content: Option<AddedContent>,
    /// A glob of a file that the patch touches.
    #[serde(default)]
    pub match_touched_files: Option<TouchedFiles>,
    /// What is said when it holds; at most 512 letters.
    #[serde(default)]
    pub message: String,
}

/// Where a patch is applied.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Surface {
    /// One suggestion of a review.
    SuggestionApply,
    /// A bundle of them.
    BundleApply,
}

/// An expression on added lines.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AddedContent {
    /// The expression; at most 256 letters.
    pub regex: String,
    /// Any of `g i m s u y`.
    #[serde(default)]
    pub flags: String,
}

/// A glob of touched files.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TouchedFiles {
    /// The glob; at most 256 letters.
    pub glob: String,
}

/// A rule on commands.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CommandRule {
    /// Its name; `user:PATTERN` or `project:PATTERN` when absent.
    #[serde(default)]
    pub id: Option<String>,
    /// An expression that is found in the command, or in the words of one that it starts.
    pub pattern: String,
    /// How strict it is.
    #[serde(alias = "effect")]
    pub action: Opinion,
    /// Why; 1 to 200 letters.
    pub reason: String,
    /// Requests that it must hold for.
    #[serde(default, rename = "match")]
    pub positive: Vec<String>,
    /// Requests that it must not hold for.
    #[serde(default, rename = "not_match")]
    pub negative: Vec<String>,
}

/// A rule on paths.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PathRule {
    /// Its name; `user:GLOB` or `project:GLOB` when absent.
    #[serde(default)]
    pub id: Option<String>,
    /// Which paths: from the root, or from the project.
    pub glob: String,
    /// What happens to them.
    pub on: Vec<Touch>,
    /// How strict it is.
    #[serde(alias = "action")]
    pub effect: Opinion,
    /// Why; 1 to 200 letters.
    pub reason: String,
    /// Requests that it must hold for.
    #[serde(default, rename = "match")]
    pub positive: Vec<String>,
    /// Requests that it must not hold for.
    #[serde(default, rename = "not_match")]
    pub negative: Vec<String>,
}

/// What happens to a path.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Touch {
    /// It is read.
    Read,
    /// It is made, changed or removed.
    Write,
    /// It is sent.
    Send,
    /// A patch touches it.
    Patch,
}

/// A rule on what a request would do. All that it says must hold of one effect.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EffectRule {
    /// Its name, as of an action.
    pub id: String,
    /// Acts: `run`, `read`, `write`, `delete`, `permit`, `send`, `fetch`, `connect`, `discard`, `do`.
    #[serde(default)]
    pub on: OneOrMany,
    /// A glob of the path, or of what else it is on.
    #[serde(default)]
    pub target: OneOrMany,
    /// Labels that it must have, such as `secret`, `outside`, `recursive`.
    #[serde(default)]
    pub label: OneOrMany,
    /// A permission class.
    #[serde(default)]
    pub class: Option<String>,
    /// A glob of the host that it speaks to.
    #[serde(default)]
    pub to: OneOrMany,
    /// How strict it is.
    #[serde(alias = "action")]
    pub effect: Opinion,
    /// Why; 1 to 200 letters.
    pub reason: String,
    /// Requests that it must hold for.
    #[serde(default, rename = "match")]
    pub positive: Vec<String>,
    /// Requests that it must not hold for.
    #[serde(default, rename = "not_match")]
    pub negative: Vec<String>,
}

/// One word, or several.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum OneOrMany {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl Default for OneOrMany {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl OneOrMany {
    /// All of them.
    #[must_use]
    pub fn words(&self) -> &[String] {
        match self {
            Self::One(word) => std::slice::from_ref(word),
            Self::Many(words) => words,
        }
    }
}

/// A scoped exception.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Allow {
    /// An expression that is found in the command's own text.
    pub pattern: String,
    /// The built-in rule that is silent for such commands.
    pub suppresses: String,
    /// The folder in which the command must be started, from the root on; any where this is left out.
    #[serde(default)]
    pub cwd: Option<String>,
    /// Why; 1 to 200 letters.
    pub reason: String,
    /// The last day on which it counts, `YYYY-MM-DD`.
    #[serde(default)]
    pub expires: Option<String>,
    /// Requests that it must hold for.
    #[serde(default, rename = "match")]
    pub positive: Vec<String>,
    /// Requests that it must not hold for.
    #[serde(default, rename = "not_match")]
    pub negative: Vec<String>,
}

/// Requests that a rule must hold for, and must not: a command, or `read PATH`, `write PATH`, `delete PATH`, `fetch URL`.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Examples {
    /// It holds for each of these.
    #[serde(default, rename = "match")]
    pub positive: Vec<String>,
    /// It holds for none of these.
    #[serde(default, rename = "not_match")]
    pub negative: Vec<String>,
}
