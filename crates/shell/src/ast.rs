//! The tree of a script. Nothing here is expanded: that needs variables, and those live in the evaluator.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

/// A half-open range of byte offsets into the text that was given to [`crate::parse`].
///
/// Text that does not stand literally in the source (the inside of a backtick substitution after its backslashes are
/// undone, for instance) carries the span of the construct that holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A list of commands: a whole text, the inside of a substitution, a group, the body of a loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// The commands in order.
    pub items: Vec<Item>,
    /// What could not be read in this list itself (faults of nested lists are kept there). Empty for most scripts.
    pub faults: Vec<Fault>,
}

/// One command of a list, with the way it is ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The and-or chain.
    pub chain: Chain,
    /// Ended by `&`.
    pub background: bool,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The first pipeline.
    pub first: Pipeline,
    /// The following ones with the operator before each.
    pub rest: Vec<(Joint, Pipeline)>,
}

/// The operator between two pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joint {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined by `|` or `|&`. A single command is a pipeline of one stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// Preceded by an odd number of `!`.
    pub negated: bool,
    /// Preceded by `time` (with or without `-p`).
    pub timed: bool,
    /// The commands, left to right. May be empty for a bare `!` or `time`.
    pub stages: Vec<Command>,
}

/// One command: what it is, what is redirected, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// The form.
    pub form: Form,
    /// Redirections in order. For `|&` the parser adds `2>&1` to the command before it.
    pub redirects: Vec<Redirect>,
    /// From the first byte of the command to its last, redirections included.
    pub span: Span,
}

/// The forms of a command.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// Assignments and words; either may be missing.
    Simple {
        /// `NAME=value` before the first word.
        assigns: Vec<Assign>,
        /// The command name and its arguments. For declaration builtins (`declare`, `export`, `local`, `readonly`,
        /// `typeset`) an array argument `a=(..)` is one word with a [`Part::Array`] in it.
        words: Vec<Word>,
    },
    /// `( list )`
    Subshell(Script),
    /// `{ list; }`
    Group(Script),
    /// `if`, with one branch for `if` and each `elif`.
    If {
        /// Condition and body of each branch.
        branches: Vec<(Script, Script)>,
        /// The `else` body.
        otherwise: Option<Box<Script>>,
    },
    /// `while` or `until`.
    Loop {
        /// True for `until`.
        until: bool,
        /// The condition.
        condition: Box<Script>,
        /// The body.
        body: Box<Script>,
    },
    /// `for NAME in words` or `select NAME in words`.
    For {
        /// The variable.
        name: String,
        /// The words; `None` when `in` is missing (`"$@"` is meant).
        words: Option<Vec<Word>>,
        /// The body.
        body: Box<Script>,
        /// True for `select`.
        select: bool,
    },
    /// `for (( init; test; step ))`.
    ForArith {
        /// The three expressions.
        head: Box<[Arith; 3]>,
        /// The body.
        body: Box<Script>,
    },
    /// `case word in ... esac`.
    Case {
        /// The subject.
        subject: Word,
        /// The arms.
        arms: Vec<Arm>,
    },
    /// `[[ ... ]]`: the operands and operators as words, in order.
    Test(Vec<Word>),
    /// `(( ... ))`.
    Arith(Arith),
    /// `name() body` or `function name body`.
    Function {
        /// The name as written.
        name: String,
        /// The body with its own redirections.
        body: Rc<Command>,
    },
    /// `coproc [NAME] command`.
    Coproc(Box<Command>),
    /// More of the list, the pipeline or the chain that this stands in.
    More(Raw),
}

/// One arm of a `case`.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// The patterns between `|`.
    pub patterns: Vec<Word>,
    /// The commands.
    pub body: Script,
    /// `;&` or `;;&`: the next arm may run too.
    pub falls_through: bool,
}

/// `NAME=value`, `NAME+=value`, `NAME[sub]=value`, `NAME=(..)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assign {
    /// The variable.
    pub name: String,
    /// The subscript, for `name[sub]=`.
    pub index: Option<Word>,
    /// `+=`.
    pub append: bool,
    /// The value; an array literal is one [`Part::Array`].
    pub value: Word,
    /// From the name to the end of the value.
    pub span: Span,
}

/// A redirection.
#[derive(Clone, Debug, PartialEq)]
pub struct Redirect {
    /// The number before the operator (`2>`), if any. `{name}>` sets [`Redirect::fd_var`] instead.
    pub fd: Option<u32>,
    /// The variable of `{name}>`.
    pub fd_var: Option<String>,
    /// The operator.
    pub op: RedirectOp,
    /// The file, descriptor, here-string, or here-document body. A here-document whose delimiter is quoted has one
    /// [`Part::Quoted`]; otherwise its expansions are parsed as inside double quotes ([`Part::Double`]).
    pub target: Word,
    /// From the descriptor to the end of the target (for a here-document: of its delimiter word).
    pub span: Span,
}

/// The redirection operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectOp {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>|`
    Clobber,
    /// `>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `<&`
    DupIn,
    /// `>&`
    DupOut,
    /// `&>`
    Both,
    /// `&>>`
    BothAppend,
    /// `<<` and `<<-` (tabs are already stripped for the latter)
    HereDoc,
    /// `<<<`
    HereString,
}

/// A word: parts that stand next to each other without a blank.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Word {
    /// The parts, left to right.
    pub parts: Vec<Part>,
    /// The bytes of the word with its quotes.
    pub span: Span,
}

/// A piece of a word.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Unquoted literal text: tilde, braces and glob characters in it are active.
    Lit(String),
    /// Text that stands for itself: `'..'`, `\x`, `$'..'` (already decoded), and literal runs inside double quotes.
    Quoted(String),
    /// `".."` or `$".."`: only [`Part::Quoted`], [`Part::Param`], [`Part::Command`] and [`Part::Arith`] inside.
    Double(Vec<Part>),
    /// `$name`, `${...}`
    Param(Box<Param>),
    /// `$(..)`, `` `..` ``, `${ ..; }`, `$(<file)` (a script whose only command has no words and one redirect)
    Command(Rc<Script>),
    /// `$((..))`, `$[..]`
    Arith(Box<Arith>),
    /// `<(..)` or `>(..)`
    Process {
        /// True for `>(..)`.
        output: bool,
        /// The commands.
        script: Rc<Script>,
    },
    /// `(a b c)` in an assignment.
    Array(Vec<Word>),
    /// The only part of a word that stands for very many (see [`Raw::words`]), or the last of very many parts in quotes (see
    /// [`Raw::parts`]).
    Words(Box<Raw>),
}

/// Text that was read but is not kept as a tree, because there is too much of it. What was wrong with it is a fault of
/// the list that it stands in.
#[derive(Clone, Debug, PartialEq)]
pub struct Raw {
    /// The text.
    pub text: Box<str>,
    /// Where it stands.
    pub span: Span,
    /// What it is text of.
    pub kind: RawKind,
}

/// What a [`Raw`] text holds, and so how it is read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawKind {
    /// Text and expansions in double quotes: [`Raw::parts`].
    Double,
    /// The same in a here-document.
    Document,
    /// Words of a command: [`Raw::words`].
    Words,
    /// Words of an array: [`Raw::words`].
    Elements,
    /// Commands of a list: [`Raw::scripts`].
    Commands,
    /// Commands of a pipeline: [`Raw::stages`].
    Stages,
    /// Pipelines of a chain: [`Raw::links`].
    Links,
}

/// A parameter expansion.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// The name: an identifier, a number, or one of `@*#?-$!0_`.
    pub name: String,
    /// The subscript in `${a[sub]}`.
    pub index: Option<Box<Word>>,
    /// `${!name}`
    pub indirect: bool,
    /// `${#name}`
    pub length: bool,
    /// What is done to the value.
    pub op: ParamOp,
    /// From `$` to the end.
    pub span: Span,
}

/// The operation of a parameter expansion. Words are parsed, so commands hidden in them are in the tree.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamOp {
    /// Just the value.
    None,
    /// `-` `:-` `=` `:=` `?` `:?` `+` `:+`: the operator character, whether a colon stands before it, the word.
    Default {
        /// One of `-`, `=`, `?`, `+`.
        op: char,
        /// With a colon: empty counts as unset.
        colon: bool,
        /// The word.
        word: Box<Word>,
    },
    /// `#` `##` `%` `%%` with the pattern.
    Trim {
        /// At the end (`%`), not the start.
        suffix: bool,
        /// The doubled form.
        longest: bool,
        /// The pattern.
        pattern: Box<Word>,
    },
    /// `/pattern/with`
    Replace {
        /// `//`
        all: bool,
        /// `/#` or `/%`
        anchor: Option<char>,
        /// The pattern.
        pattern: Box<Word>,
        /// The replacement.
        with: Box<Word>,
    },
    /// `:offset:length`
    Slice {
        /// The offset.
        offset: Box<Arith>,
        /// The length.
        length: Option<Box<Arith>>,
    },
    /// `^ ^^ , ,, ~ ~~` with an optional pattern.
    Case {
        /// The operator as written.
        op: String,
        /// The pattern.
        pattern: Option<Box<Word>>,
    },
    /// `@Q`, `@P`, ...
    Transform(char),
    /// `${!prefix*}` and `${!prefix@}`
    Names,
    /// Something bash would refuse at run time or that is not understood; the text, kept raw, and what runs inside it.
    Other(Box<Word>),
}

/// An arithmetic expression: its text and the expansions that stand in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arith {
    /// Literal text and expansions in order, as inside double quotes.
    pub parts: Vec<Part>,
    /// The bytes of the expression.
    pub span: Span,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Why.
    pub kind: FaultKind,
    /// Where reading went wrong.
    pub span: Span,
}

/// Why a part could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A token that cannot stand here.
    Unexpected,
    /// The text ends inside a construct.
    Unterminated,
    /// Nested deeper than [`crate::MAX_DEPTH`].
    TooDeep,
    /// Longer than [`crate::MAX_LEN`].
    TooLong,
}

impl Word {
    /// The text of a word that contains no expansion, glob or tilde-relevant structure: all parts literal or quoted.
    ///
    /// `None` as soon as a part has to be expanded.
    #[must_use]
    pub fn literal(&self) -> Option<String> {
        let mut text = String::new();
        literal_into(&self.parts, &mut text)?;
        Some(text)
    }
}

fn literal_into(parts: &[Part], text: &mut String) -> Option<()> {
    for part in parts {
        match part {
            Part::Lit(s) | Part::Quoted(s) => text.push_str(s),
            Part::Double(inner) => literal_into(inner, text)?,
            Part::Param(_)
            | Part::Command(_)
            | Part::Arith(_)
            | Part::Process { .. }
            | Part::Array(_)
            | Part::Words(_) => {
                return None;
            }
        }
    }
    Some(())
}
