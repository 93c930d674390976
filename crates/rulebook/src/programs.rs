//! What programs mean: which of their words are options, which are read, written, deleted, sent or executed.

use crate::{Act, RoleKind, Style};

/// A program, or a subcommand of one.
#[derive(Debug)]
pub struct Program {
    /// Its names.
    pub names: &'static [&'static str],
    /// How it reads its words.
    pub style: Style,
    /// Its options.
    pub options: &'static [Opt],
    /// The places of its operands.
    pub operands: &'static [Slot],
    /// Used instead of `operands` when the first condition list that holds is met.
    pub alternates: &'static [(&'static [Cond], &'static [Slot])],
    /// Its subcommands.
    pub subs: &'static [Program],
    /// Effects of the call as a whole.
    pub does: &'static [Does],
    /// What is done with what flows in, and when it is read at all.
    pub stdin: &'static [(Role, &'static [Cond])],
    /// What flows out: a label, or `filter NAME`; the first whose conditions hold.
    pub stdout: &'static [(&'static str, &'static [Cond])],
    /// Labels of everything that the call does, with what says so: `local` where it works on something made for trials.
    pub place: &'static [(&'static str, &'static [Cond])],
    /// The permission class: the first whose conditions hold.
    pub class: &'static [(&'static str, &'static [Cond])],
}

/// An option with its names.
#[derive(Debug)]
pub struct Opt {
    /// Its names, dashes included.
    pub names: &'static [&'static str],
    /// What its value is.
    pub role: Role,
    /// The value can only be attached (`--color[=WHEN]`, `-i[SUFFIX]`).
    pub attached: bool,
}

/// One place in the list of operands.
#[derive(Debug)]
pub struct Slot {
    /// What the word there is.
    pub role: Role,
    /// It takes as many as there are.
    pub many: bool,
}

/// What a word is to a program.
#[derive(Clone, Copy, Debug)]
pub struct Role {
    /// Its kind.
    pub kind: RoleKind,
    /// What the kind needs to know: a language, a table; else empty.
    pub arg: &'static str,
    /// Labels of its effects.
    pub tags: &'static [&'static str],
}

/// An effect of the call as a whole.
#[derive(Debug)]
pub struct Does {
    /// The verb.
    pub act: Act,
    /// The name of a `do` or `discard`; else empty.
    pub what: &'static str,
    /// On what.
    pub on: On,
    /// Labels.
    pub tags: &'static [&'static str],
    /// When.
    pub when: &'static [Cond],
}

/// What an effect of the call is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// Nothing that could be named.
    None,
    /// Each operand.
    Operands,
    /// Each operand that is a file to the program: no script or expression among them.
    Files,
    /// The first operand.
    First,
    /// The last operand.
    Last,
    /// The working directory.
    Cwd,
    /// The value of an option.
    Option(&'static str),
    /// A fixed path.
    Path(&'static str),
}

/// A condition on the words of a call.
#[derive(Debug)]
pub struct Cond {
    /// It must not hold.
    pub not: bool,
    /// What is tested.
    pub test: Test,
}

/// What a condition tests.
#[derive(Debug)]
pub enum Test {
    /// The option is given.
    Option(&'static str),
    /// The option's value is like the pattern.
    OptionLike(&'static str, &'static str),
    /// An option has labelled the call.
    Tag(&'static str),
    /// There is an operand.
    Operand,
    /// The call starts another command.
    Command,
    /// One operand is like the pattern.
    OperandLike(&'static str),
    /// The name of the command that the call starts is like the pattern.
    CommandLike(&'static str),
    /// The operand with this index is like the pattern.
    NthLike(usize, &'static str),
    /// The call has a `--`.
    DashDash,
    /// Something is piped or redirected in.
    Stdin,
}

impl Program {
    /// Whether any of its operands can be a command of its own.
    #[must_use]
    pub fn starts_commands(&self) -> bool {
        let starts = |slot: &Slot| matches!(slot.role.kind, RoleKind::Command | RoleKind::ScriptWords);
        self.operands.iter().any(starts) || self.alternates.iter().any(|(_, slots)| slots.iter().any(starts))
    }
}

impl Opt {
    /// Whether it takes a value.
    #[must_use]
    pub fn takes_value(&self) -> bool {
        !matches!(self.role.kind, RoleKind::Flag | RoleKind::Tag)
    }

    /// Whether this is one of its names.
    #[must_use]
    pub fn named(&self, name: &str) -> bool {
        // Most names differ in length or in their last letter, which is quicker to see.
        let end = name.as_bytes().last();
        let like = |own: &&str| own.len() == name.len() && own.as_bytes().last() == end && *own == name;
        self.names.iter().any(like)
    }
}
