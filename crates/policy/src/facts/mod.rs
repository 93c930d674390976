//! What programs mean: the tables made from `rules/programs/*.toml` at build time.
//!
//! Facts, not opinions: which words of a program are options, which are read, written, deleted, sent or executed.

mod args;

pub(crate) use args::{Parsed, parse};

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// A program, or a subcommand of one.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) names: &'static [&'static str],
    pub(crate) style: Style,
    pub(crate) options: &'static [Opt],
    pub(crate) operands: &'static [Slot],
    /// Used instead of `operands` when the first condition list that holds is met.
    pub(crate) alternates: &'static [(&'static [Cond], &'static [Slot])],
    pub(crate) subs: &'static [Program],
    pub(crate) does: &'static [Does],
    /// What is done with what flows in, and when it is read at all.
    pub(crate) stdin: &'static [(Role, &'static [Cond])],
    /// What flows out: a label, or `filter NAME`; the first whose conditions hold.
    pub(crate) stdout: &'static [(&'static str, &'static [Cond])],
    pub(crate) class: &'static str,
}

/// How a program reads its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Short options bundle, long ones take `--`.
    Gnu,
    /// Like `Gnu`, and long options may be cut short.
    Abbreviated,
    /// Options end at the first operand: what follows is handed on (`bash x.sh -f`).
    Posix,
    /// Whole words after a single dash (`find -name`, `java -jar`).
    Long,
    /// `key=value` words (`dd`).
    Pairs,
    /// The first word may be options without a dash (`tar xzf`).
    Bundle,
    /// No options at all: every word is an operand (`echo`, `[`).
    Plain,
}

/// An option with its names.
#[derive(Debug)]
pub(crate) struct Opt {
    pub(crate) names: &'static [&'static str],
    pub(crate) role: Role,
    /// The value can only be attached (`--color[=WHEN]`, `-i[SUFFIX]`).
    pub(crate) attached: bool,
}

/// One place in the list of operands.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) role: Role,
    pub(crate) many: bool,
}

/// What a word is to a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Role {
    pub(crate) kind: RoleKind,
    pub(crate) arg: &'static str,
    pub(crate) tags: &'static [&'static str],
}

/// The closed list of roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RoleKind {
    /// No value.
    Flag,
    /// No value; labels every effect of the call.
    Tag,
    /// A value without effect.
    Value,
    Read,
    /// Looked at, contents not read.
    Stat,
    Write,
    Delete,
    /// Moved away: gone from here, its contents go elsewhere.
    Move,
    Permit,
    /// Literal data that is sent.
    Send,
    /// `@file` is read and sent, anything else is sent as it is; `-` means standard input.
    Upload,
    /// A file that is sent.
    SendFile,
    /// An address that is fetched from.
    Url,
    /// A host that is connected to.
    Host,
    /// `host:path` is remote, anything else local; a read or write according to `arg`.
    Remote,
    /// Text for a shell.
    Script,
    /// The rest of the words are a command.
    Command,
    /// The rest of the words joined are text for a shell.
    ScriptWords,
    /// Words up to `;` or `+` are a command.
    CommandUntil,
    /// Text that is split into words and stands before the rest as a command.
    Words,
    /// A file that is executed; `arg` names the language.
    RunFile,
    /// A program to start.
    RunProgram,
    /// Code in the language `arg`.
    Code,
    /// `key=value` looked up in the table `arg`.
    Keyed,
    /// The directory in which the rest happens.
    Cwd,
    /// A named thing (a branch, a package) that effects may be on.
    Name,
    /// `NAME=value` pairs before a command.
    Env,
}

/// An effect of the call as a whole.
#[derive(Debug)]
pub(crate) struct Does {
    pub(crate) act: crate::Act,
    pub(crate) what: &'static str,
    pub(crate) on: On,
    pub(crate) tags: &'static [&'static str],
    pub(crate) when: &'static [Cond],
}

/// What an effect of the call is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    None,
    Operands,
    First,
    Last,
    Cwd,
    Option(&'static str),
    /// A fixed path.
    Path(&'static str),
}

/// A condition on the words of a call.
#[derive(Debug)]
pub(crate) struct Cond {
    pub(crate) not: bool,
    pub(crate) test: Test,
}

#[derive(Debug)]
pub(crate) enum Test {
    Option(&'static str),
    OptionLike(&'static str, &'static str),
    Tag(&'static str),
    Operand,
    /// The call starts another command.
    Command,
    OperandLike(&'static str),
    NthLike(usize, &'static str),
    /// The call has a `--`.
    DashDash,
    /// Something is piped or redirected in.
    Stdin,
}

/// The facts about a program by its base name.
pub(crate) fn program(name: &str) -> Option<&'static Program> {
    let at = PROGRAMS.binary_search_by(|(n, _)| (*n).cmp(name)).ok()?;
    PROGRAMS.get(at).map(|(_, p)| *p)
}

/// What the setting `key` of a table (`git`, `ssh`, `env`) means.
pub(crate) fn setting(table: &str, key: &str) -> Option<Role> {
    let (_, rows) = SETTINGS.iter().find(|(name, _)| *name == table)?;
    // The pattern that says most is meant: `*` stands for whatever has no row of its own.
    rows.iter()
        .filter(|(pattern, _)| crate::glob::matches(pattern, key))
        .max_by_key(|(pattern, _)| pattern.len())
        .map(|(_, role)| *role)
}

impl Program {
    /// Whether any of its operands can be a command of its own.
    pub(crate) fn starts_commands(&self) -> bool {
        let starts = |slot: &Slot| matches!(slot.role.kind, RoleKind::Command | RoleKind::ScriptWords);
        self.operands.iter().any(starts) || self.alternates.iter().any(|(_, slots)| slots.iter().any(starts))
    }
}

impl Opt {
    pub(crate) fn takes_value(&self) -> bool {
        !matches!(self.role.kind, RoleKind::Flag | RoleKind::Tag)
    }
    pub(crate) fn named(&self, name: &str) -> bool {
        self.names.contains(&name)
    }
}
