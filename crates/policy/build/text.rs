//! The small notations inside the rule files: roles, slots, options, conditions, effects.

/// A Rust string literal.
pub(crate) fn lit(text: &str) -> String {
    format!("{text:?}")
}

/// A `&[&str]` literal.
pub(crate) fn list<S: AsRef<str>>(items: &[S]) -> String {
    let inner: Vec<String> = items.iter().map(|s| lit(s.as_ref())).collect();
    format!("&[{}]", inner.join(", "))
}

/// `kind[:arg][+tag]*` as a `Role` expression.
pub(crate) fn role(text: &str, place: &str) -> String {
    let mut parts = text.split('+');
    let head = parts.next().unwrap_or_default();
    let tags: Vec<&str> = parts.collect();
    let (kind, arg) = head.split_once(':').unwrap_or((head, ""));
    let kind = match kind {
        "" => "Tag",
        "flag" => "Flag",
        "value" => "Value",
        "read" => "Read",
        "stat" => "Stat",
        "write" => "Write",
        "delete" => "Delete",
        "move" => "Move",
        "permit" => "Permit",
        "send" => "Send",
        "upload" => "Upload",
        "send-file" => "SendFile",
        "url" => "Url",
        "host" => "Host",
        "remote" => "Remote",
        "script" => "Script",
        "command" => "Command",
        "script-words" => "ScriptWords",
        "command-until" => "CommandUntil",
        "words" => "Words",
        "run-file" => "RunFile",
        "run-program" => "RunProgram",
        "code" => "Code",
        "keyed" => "Keyed",
        "cwd" => "Cwd",
        "name" => "Name",
        "env" => "Env",
        other => panic!("{place}: no role is called `{other}`"),
    };
    format!(
        "Role {{ kind: RoleKind::{kind}, arg: {}, tags: {} }}",
        lit(arg),
        list(&tags)
    )
}

/// `role role... role` as a slice of slots.
pub(crate) fn slots(text: &str, place: &str) -> String {
    let one = |t: &str| {
        let (role_text, many) = t.strip_suffix("...").map_or((t, false), |r| (r, true));
        format!("Slot {{ role: {}, many: {many} }}", role(role_text, place))
    };
    let all: Vec<String> = text.split_whitespace().map(one).collect();
    format!("&[{}]", all.join(", "))
}

/// Lines of `-a --all / -b = role` as a slice of options: names of one option stand together, options that share the
/// role are parted by ` / `.
pub(crate) fn options(text: &str, place: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
    let all: Vec<String> = lines.flat_map(|line| option_line(line, place)).collect();
    format!("&[{}]", all.join(", "))
}

fn option_line(line: &str, place: &str) -> Vec<String> {
    let (names, role_text) = line
        .rsplit_once(" = ")
        .unwrap_or_else(|| panic!("{place}: `{line}` is not `names = role`"));
    let one = |names: &str| {
        let attached = names.contains("[]");
        let names: Vec<String> = names.split_whitespace().map(|n| n.replace("[]", "")).collect();
        format!(
            "Opt {{ names: {}, role: {}, attached: {attached} }}",
            list(&names),
            role(role_text.trim(), place)
        )
    };
    names.split(" / ").map(one).collect()
}

/// The names of the options in such lines.
pub(crate) fn option_names(text: &str) -> Vec<String> {
    let heads = text
        .lines()
        .filter_map(|l| l.rsplit_once(" = "))
        .map(|(names, _)| names);
    heads
        .flat_map(str::split_whitespace)
        .filter(|n| *n != "/")
        .map(|n| n.replace("[]", ""))
        .collect()
}

/// The options that conditions and effects in `text` speak about.
pub(crate) fn mentioned(text: &str) -> Vec<String> {
    let names = text.split_whitespace().map(|w| w.trim_start_matches(['!', '@']));
    let names = names.map(|w| w.split('~').next().unwrap_or(w));
    names
        .filter(|w| w.len() > 1 && w.starts_with('-') && *w != "--")
        .map(str::to_owned)
        .collect()
}

/// `cond and cond` as a slice of conditions.
pub(crate) fn conds(text: &str, place: &str) -> String {
    let one = |t: &str| {
        let (t, not) = t.strip_prefix('!').map_or((t, false), |r| (r, true));
        let test = match t {
            "operand" => "Test::Operand".into(),
            "command" => "Test::Command".into(),
            "stdin" => "Test::Stdin".into(),
            "dashdash" => "Test::DashDash".into(),
            _ => cond_text(t, place),
        };
        format!("Cond {{ not: {not}, test: {test} }}")
    };
    let all: Vec<String> = text
        .split(" and ")
        .map(str::trim)
        .filter(|t| !t.is_empty())
        .map(one)
        .collect();
    format!("&[{}]", all.join(", "))
}

fn cond_text(text: &str, place: &str) -> String {
    if let Some(tag) = text.strip_prefix(':') {
        return format!("Test::Tag({})", lit(tag));
    }
    match text.split_once('~') {
        None if text.starts_with('-') || text.ends_with('=') => format!("Test::Option({})", lit(text)),
        None => panic!("{place}: `{text}` is not a condition"),
        Some(("operand", pattern)) => format!("Test::OperandLike({})", lit(pattern)),
        Some((n, pattern)) => match n.parse::<usize>() {
            Ok(n) => format!(
                "Test::NthLike({}, {})",
                n.checked_sub(1)
                    .unwrap_or_else(|| panic!("{place}: operands count from 1")),
                lit(pattern)
            ),
            Err(_) => format!("Test::OptionLike({}, {})", lit(n), lit(pattern)),
        },
    }
}

/// `ACT [WHAT] [@ON] [+tag]* [when CONDS]` as a `Does` expression.
pub(crate) fn does(text: &str, place: &str) -> String {
    let (head, when) = text.split_once(" when ").unwrap_or((text, ""));
    let mut words = head.split_whitespace();
    let act = act(words.next().unwrap_or_default(), place);
    let (mut what, mut on, mut tags) = ("", "On::None".to_owned(), Vec::new());
    for word in words {
        if let Some(tag) = word.strip_prefix('+') {
            tags.push(tag);
        } else if let Some(place_of) = word.strip_prefix('@') {
            on = on_text(place_of);
        } else {
            what = word;
        }
    }
    format!(
        "Does {{ act: {act}, what: {}, on: {on}, tags: {}, when: {} }}",
        lit(what),
        list(&tags),
        conds(when, place)
    )
}

fn on_text(text: &str) -> String {
    match text {
        "operands" => "On::Operands".into(),
        "first" => "On::First".into(),
        "last" => "On::Last".into(),
        "cwd" => "On::Cwd".into(),
        option if option.starts_with('-') || option.ends_with('=') => format!("On::Option({})", lit(option)),
        path => format!("On::Path({})", lit(path)),
    }
}

/// The name of an act as an `Act` expression.
pub(crate) fn act(name: &str, place: &str) -> String {
    let variant = match name {
        "run" => "Run",
        "run-unknown" => "RunUnknown",
        "read" => "Read",
        "write" => "Write",
        "delete" => "Delete",
        "permit" => "Permit",
        "send" => "Send",
        "fetch" => "Fetch",
        "connect" => "Connect",
        "discard" => "Discard",
        "do" => "Do",
        other => panic!("{place}: no act is called `{other}`"),
    };
    format!("crate::Act::{variant}")
}
