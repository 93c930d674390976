//! Facts in words.

use rulebook::{Cond, Does, On, Role, RoleKind, Style, Test};

/// How a program reads its words.
pub(super) const fn style(style: Style) -> &'static str {
    match style {
        Style::Gnu => "short options bundle, long ones take `--`",
        Style::Abbreviated => "short options bundle, long ones take `--` and may be cut short",
        Style::Posix => "options end at the first operand",
        Style::Long => "options are whole words after one dash",
        Style::Pairs => "options are `key=value`",
        Style::Bundle => "the first word may be options without a dash",
        Style::Plain => "no options: every word is an operand",
    }
}

/// What a word is to the program.
pub(super) fn role(role: &Role) -> String {
    let arg = role.arg;
    let words = match role.kind {
        RoleKind::Flag => "no value, no effect by itself".into(),
        RoleKind::Tag => return format!("no value; labels the call {}", listed(role.tags)),
        RoleKind::Value => "a value without effect".into(),
        RoleKind::Read => "a path that is read".into(),
        RoleKind::Stat => "a path that is looked at, not read".into(),
        RoleKind::Write if arg == "into" => "a folder that things are written into, by their names".into(),
        RoleKind::Write => "a path that is written".into(),
        RoleKind::Delete => "a path that is deleted".into(),
        RoleKind::Move => "a path that is moved away".into(),
        RoleKind::Permit => "a path whose mode or owner changes".into(),
        RoleKind::Send => "data that is sent".into(),
        RoleKind::Upload => "data that is sent, or `@` and a file that is sent".into(),
        RoleKind::SendFile => "a file that is sent".into(),
        RoleKind::Url => "an address that is fetched from".into(),
        RoleKind::Host => "a host that is connected to".into(),
        RoleKind::Remote if arg.is_empty() => "`host:path`, or a local path".into(),
        RoleKind::Remote => format!("`host:path`, or a local path that is copied {arg} here"),
        RoleKind::Script => "text that a shell runs".into(),
        RoleKind::Command => "from here on a command that is run".into(),
        RoleKind::ScriptWords => "from here on text that a shell runs".into(),
        RoleKind::CommandUntil => "a command up to `;` or `+`".into(),
        RoleKind::Words if arg.is_empty() => "text that is split into the words of a command".into(),
        RoleKind::Words => format!("text that is split into words for `{arg}`"),
        RoleKind::RunFile if arg.is_empty() => "a file that is run".into(),
        RoleKind::RunFile => format!("a file that is run as {arg}"),
        RoleKind::RunProgram => "a program that is started".into(),
        RoleKind::Code if arg.is_empty() => "code that is run".into(),
        RoleKind::Code => format!("{arg} code that is run"),
        RoleKind::Keyed => format!("`key=value`, looked up among the settings of `{arg}`"),
        RoleKind::Cwd => "the directory in which the rest happens".into(),
        RoleKind::Name => "a name".into(),
        RoleKind::Env => "`NAME=value` for the command".into(),
    };
    labelled(words, role.tags)
}

/// An effect of the call as a whole.
pub(super) fn does(does: &Does) -> String {
    let mut words = String::from(does.act.as_str());
    if !does.what.is_empty() {
        words += &format!(" {}", does.what);
    }
    words += &match does.on {
        On::None => String::new(),
        On::Operands => " on each operand".into(),
        On::Files => " on each operand that is a file".into(),
        On::First => " on the first operand".into(),
        On::Last => " on the last operand".into(),
        On::Cwd => " on the working directory".into(),
        On::Option(name) => format!(" on the value of `{name}`"),
        On::Path(path) => format!(" on `{path}`"),
    };
    format!("{}{}", labelled(words, does.tags), when(does.when))
}

/// `, when ...`; empty where it always holds.
pub(super) fn when(conds: &[Cond]) -> String {
    if conds.is_empty() {
        return String::new();
    }
    format!(", when {}", conds.iter().map(cond).collect::<Vec<_>>().join(" and "))
}

fn cond(cond: &Cond) -> String {
    let is = if cond.not { "is not" } else { "is" };
    let no = if cond.not { "no" } else { "an" };
    match cond.test {
        Test::Option(name) => format!("`{name}` {is} given"),
        Test::OptionLike(name, pattern) => format!("the value of `{name}` {is} like `{pattern}`"),
        Test::Tag(label) => format!("the call {is} labelled `{label}`"),
        Test::Operand => format!("there is {no} operand"),
        Test::Command if cond.not => "no command is started".into(),
        Test::Command => "a command is started".into(),
        Test::OperandLike(pattern) => format!("{no} operand is like `{pattern}`"),
        Test::CommandLike(pattern) => format!("the command that is started {is} like `{pattern}`"),
        Test::NthLike(index, pattern) => format!("operand {} {is} like `{pattern}`", index + 1),
        Test::DashDash if cond.not => "there is no `--`".into(),
        Test::DashDash => "there is a `--`".into(),
        Test::Stdin if cond.not => "nothing flows in".into(),
        Test::Stdin => "something flows in".into(),
    }
}

fn labelled(words: String, labels: &[&str]) -> String {
    match labels {
        [] => words,
        some => format!("{words} ({})", some.join(", ")),
    }
}

/// `a` and `b`, for people.
pub(super) fn listed(words: &[&str]) -> String {
    words
        .iter()
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
