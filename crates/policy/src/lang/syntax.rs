//! What the lexer and the walker have to know about a language.

/// How text in double quotes takes values in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interpolation {
    None,
    /// `$name`, `${name}`, `@name`
    Sigil,
    /// `${expression}` and `$name` in back quotes only.
    Template,
    /// `${expression}`, `$name` in any double quotes.
    Dollar,
    /// `#{expression}`
    Hash,
}

/// How the body of a function or a loop ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blocks {
    Indented,
    Braces,
    /// `end`
    Words,
}

/// The description of a language.
#[derive(Clone, Copy, Debug)]
pub(super) struct Syntax {
    pub(super) names: &'static [&'static str],
    /// What starts a comment that ends with the line.
    pub(super) comments: &'static [&'static str],
    pub(super) interpolation: Interpolation,
    /// Text in back quotes is a command for a shell.
    pub(super) shell_quotes: bool,
    /// Variables start with `$`, `@` or `%`.
    pub(super) sigils: bool,
    /// Calls need no brackets: `system "ls"`.
    pub(super) bare_calls: bool,
    /// `/x/` can be a pattern.
    pub(super) patterns: bool,
    pub(super) blocks: Blocks,
    /// Single quotes hold a character or a name, not text with escapes.
    pub(super) raw_single: bool,
}

const PLAIN: Syntax = Syntax {
    names: &["other"],
    comments: &["#", "//"],
    interpolation: Interpolation::None,
    shell_quotes: false,
    sigils: false,
    bare_calls: true,
    patterns: false,
    blocks: Blocks::Braces,
    raw_single: false,
};

const ALL: &[Syntax] = &[
    Syntax {
        names: &["python"],
        comments: &["#"],
        bare_calls: true,
        blocks: Blocks::Indented,
        ..PLAIN
    },
    Syntax {
        names: &["node"],
        comments: &["//", "#!"],
        interpolation: Interpolation::Template,
        bare_calls: false,
        patterns: true,
        ..PLAIN
    },
    Syntax {
        names: &["perl"],
        comments: &["#"],
        interpolation: Interpolation::Sigil,
        shell_quotes: true,
        sigils: true,
        patterns: true,
        raw_single: true,
        ..PLAIN
    },
    Syntax {
        names: &["ruby"],
        comments: &["#"],
        interpolation: Interpolation::Hash,
        shell_quotes: true,
        patterns: true,
        blocks: Blocks::Words,
        raw_single: true,
        ..PLAIN
    },
    Syntax {
        names: &["julia"],
        comments: &["#"],
        interpolation: Interpolation::Dollar,
        shell_quotes: true,
        blocks: Blocks::Words,
        ..PLAIN
    },
    Syntax {
        names: &["elixir"],
        comments: &["#"],
        interpolation: Interpolation::Hash,
        blocks: Blocks::Words,
        ..PLAIN
    },
    Syntax {
        names: &["php"],
        comments: &["//", "#"],
        interpolation: Interpolation::Sigil,
        shell_quotes: true,
        sigils: true,
        raw_single: true,
        ..PLAIN
    },
    Syntax {
        names: &["lua"],
        comments: &["--"],
        blocks: Blocks::Words,
        ..PLAIN
    },
    Syntax {
        names: &["applescript", "haskell"],
        comments: &["--"],
        ..PLAIN
    },
    Syntax {
        names: &["awk"],
        comments: &["#"],
        patterns: true,
        ..PLAIN
    },
    Syntax {
        names: &["groovy", "kotlin", "scala"],
        comments: &["//"],
        interpolation: Interpolation::Dollar,
        ..PLAIN
    },
    Syntax {
        names: &["c", "go", "java", "rust", "swift"],
        comments: &["//"],
        bare_calls: false,
        ..PLAIN
    },
    Syntax {
        names: &["lisp"],
        comments: &[";"],
        bare_calls: false,
        ..PLAIN
    },
    Syntax {
        names: &["r"],
        comments: &["#"],
        bare_calls: false,
        ..PLAIN
    },
];

/// The description of `lang`; of a language that is not listed, one that fits most.
pub(super) fn of(lang: &str) -> Syntax {
    *ALL.iter().find(|s| s.names.contains(&lang)).unwrap_or(&PLAIN)
}
