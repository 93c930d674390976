//! What a rule may say about each kind of request (spec M-11). The checks of a file when it is read, and
//! what `policy list` says of a rule that waits, come from this table.

use policy::Kind;

/// A field of `match`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    ProviderId,
    CommandRegex,
    PathGlob,
    Status,
}

/// One kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Its name.
    pub(super) name: &'static str,
    /// What raises it in this program; `None` while nothing does, so that a rule about it waits.
    pub(super) kind: Option<Kind>,
    /// Fields that a rule about it may match.
    pub(super) fields: &'static [Field],
    /// A request of this kind can wait for a person.
    pub(super) holds: bool,
}

const fn row(name: &'static str, kind: Option<Kind>, fields: &'static [Field], holds: bool) -> Row {
    Row {
        name,
        kind,
        fields,
        holds,
    }
}

/// The closed list.
pub(super) const KINDS: &[Row] = &[
    row("command.run", Some(Kind::CommandRun), &[Field::CommandRegex], true),
    row("file.read", Some(Kind::FileRead), &[Field::PathGlob], true),
    row("file.write", Some(Kind::FileWrite), &[Field::PathGlob], true),
    row("file.patch", None, &[Field::PathGlob], true),
    row("net.connect", Some(Kind::NetConnect), &[], true),
    row("mcp.call", Some(Kind::McpCall), &[], true),
    row("tool.other", Some(Kind::ToolOther), &[], true),
    row("provider.spawn", None, &[Field::ProviderId], false),
    row("run.start", None, &[], false),
    row("run.complete", None, &[Field::Status], true),
    row("git.merge", None, &[], false),
    row("terminal.create", None, &[], false),
    row("skill.install", None, &[], false),
    row("config.write", None, &[], false),
];

pub(super) fn kind(name: &str) -> Option<&'static Row> {
    KINDS.iter().find(|row| row.name == name)
}

/// The names of all kinds, for people.
pub(super) fn names() -> String {
    KINDS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ")
}

impl Field {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::ProviderId => "providerId",
            Self::CommandRegex => "commandRegex",
            Self::PathGlob => "pathGlob",
            Self::Status => "status",
        }
    }
}
