//! The small notations inside the stanzas: roles, slots, options, conditions, effects.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::keep;
use super::source::Wrong;
use crate::{Act, Cond, Does, On, Opt, Role, RoleKind, Slot, Test};

/// The words of a closed list, for a hint.
pub(super) fn known<T: Copy>(all: &[T], word: impl Fn(T) -> &'static str) -> String {
    let words: Vec<String> = all
        .iter()
        .map(|one| word(*one))
        .filter(|w| !w.is_empty())
        .map(|w| format!("`{w}`"))
        .collect();
    format!("Known are {}.", words.join(", "))
}

/// `kind[:arg][+tag]*`
pub(super) fn role(text: &str) -> Result<Role, Wrong> {
    let mut parts = text.split('+');
    let head = parts.next().unwrap_or_default();
    let (kind, arg) = head.split_once(':').unwrap_or((head, ""));
    let Some(kind) = RoleKind::parse(kind) else {
        return Err(
            Wrong::new(text, format!("no role is called `{kind}`")).hint(known(RoleKind::ALL, RoleKind::as_str))
        );
    };
    let tags: Vec<&str> = parts.collect();
    if tags.iter().any(|tag| tag.is_empty()) || kind == RoleKind::Tag && tags.is_empty() {
        return Err(Wrong::new(text, format!("`{text}` is no role: a label is missing"))
            .hint("A role is `kind[:argument][+label...]`; `+label` alone labels the call."));
    }
    Ok(Role {
        kind,
        arg: keep::text(arg),
        tags: keep::texts(tags),
    })
}

/// `role role... role`
pub(super) fn slots(text: &str) -> Result<&'static [Slot], Wrong> {
    let one = |word: &str| {
        let (role_text, many) = word.strip_suffix("...").map_or((word, false), |rest| (rest, true));
        Ok(Slot {
            role: role(role_text)?,
            many,
        })
    };
    text.split_whitespace()
        .map(one)
        .collect::<Result<_, _>>()
        .map(keep::list)
}

/// Lines of `-a --all / -b = role`: names of one option stand together, options that share the role are parted by ` / `.
pub(super) fn options(text: &str) -> Result<&'static [Opt], Wrong> {
    let mut all = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let Some((names, role_text)) = line.rsplit_once(" = ") else {
            return Err(Wrong::new(line, format!("`{line}` is not `names = role`"))
                .hint("An option is a line such as `-o --output = write`; one without a value is a `flag`."));
        };
        let role = role(role_text.trim()).map_err(|wrong| wrong.at(line))?;
        for names in names.split(" / ") {
            all.push(Opt {
                names: keep::texts(names.split_whitespace().map(|name| name.replace("[]", ""))),
                role,
                attached: names.contains("[]"),
            });
        }
    }
    Ok(keep::list(all))
}

/// The options that conditions and effects in `text` speak about.
pub(super) fn mentioned(text: &str) -> impl Iterator<Item = &str> {
    let names = text.split_whitespace().map(|word| word.trim_start_matches(['!', '@']));
    let names = names.map(|word| word.split('~').next().unwrap_or(word));
    names.filter(|word| word.len() > 1 && word.starts_with('-') && *word != "--")
}

/// `cond and cond`
pub(super) fn conds(text: &str) -> Result<&'static [Cond], Wrong> {
    let parts = text.split(" and ").map(str::trim).filter(|part| !part.is_empty());
    parts.map(cond).collect::<Result<_, _>>().map(keep::list)
}

fn cond(text: &str) -> Result<Cond, Wrong> {
    let (text, not) = text.strip_prefix('!').map_or((text, false), |rest| (rest, true));
    let test = match text {
        "operand" => Test::Operand,
        "command" => Test::Command,
        "stdin" => Test::Stdin,
        "dashdash" => Test::DashDash,
        _ => test(text)?,
    };
    Ok(Cond { not, test })
}

fn test(text: &str) -> Result<Test, Wrong> {
    if let Some(tag) = text.strip_prefix(':') {
        return Ok(Test::Tag(keep::text(tag)));
    }
    match text.split_once('~') {
        None if text.starts_with('-') || text.ends_with('=') => Ok(Test::Option(keep::text(text))),
        None => Err(Wrong::new(text, format!("`{text}` is not a condition")).hint(
            "Conditions are an option (`-f`, `of=`), `-f~PATTERN`, `:label`, `operand`, `operand~PATTERN`, `2~PATTERN`, `command`, `command~PATTERN`, `dashdash` and `stdin`, joined by ` and `.",
        )),
        Some(("command", pattern)) => Ok(Test::CommandLike(keep::text(pattern))),
        Some(("operand", pattern)) => Ok(Test::OperandLike(keep::text(pattern))),
        Some((place, pattern)) => match place.parse::<usize>() {
            Ok(place) => match place.checked_sub(1) {
                Some(index) => Ok(Test::NthLike(index, keep::text(pattern))),
                None => Err(Wrong::new(text, "operands count from 1".to_string())),
            },
            Err(_) => Ok(Test::OptionLike(keep::text(place), keep::text(pattern))),
        },
    }
}

/// `ACT [WHAT] [@ON] [+tag]* [when CONDS [or CONDS]*]`: a row for each alternative.
pub(super) fn does(text: &str) -> Result<Vec<Does>, Wrong> {
    let (head, when) = text.split_once(" when ").unwrap_or((text, ""));
    when.split(" or ").map(|when| does_row(head, when)).collect()
}

fn does_row(head: &str, when: &str) -> Result<Does, Wrong> {
    let mut words = head.split_whitespace();
    let act = act(words.next().unwrap_or_default())?;
    let (mut what, mut on, mut tags) = ("", On::None, Vec::new());
    for word in words {
        if let Some(tag) = word.strip_prefix('+') {
            tags.push(tag);
        } else if let Some(place) = word.strip_prefix('@') {
            on = on_what(place);
        } else if what.is_empty() {
            what = word;
        } else {
            return Err(
                Wrong::new(head, format!("`{head}` names two things: `{what}` and `{word}`"))
                    .hint("An effect is `ACT [WHAT] [@ON] [+label...] [when CONDITIONS]`."),
            );
        }
    }
    if what.is_empty() && matches!(act, Act::Do | Act::Discard) {
        return Err(Wrong::new(head, format!("`{head}` does not say what"))
            .hint("Name it, as in `do deploy.start`, so that a rule can speak about it."));
    }
    Ok(Does {
        act,
        what: keep::text(what),
        on,
        tags: keep::texts(tags),
        when: conds(when)?,
    })
}

fn on_what(text: &str) -> On {
    match text {
        "operands" => On::Operands,
        "files" => On::Files,
        "first" => On::First,
        "last" => On::Last,
        "cwd" => On::Cwd,
        option if option.starts_with('-') || option.ends_with('=') => On::Option(keep::text(option)),
        path => On::Path(keep::text(path)),
    }
}

/// The name of an act.
pub(super) fn act(word: &str) -> Result<Act, Wrong> {
    Act::parse(word)
        .ok_or_else(|| Wrong::new(word, format!("no act is called `{word}`")).hint(known(Act::ALL, Act::as_str)))
}

/// `CONDS => SLOTS`
pub(super) fn alternate(text: &str) -> Result<(&'static [Cond], &'static [Slot]), Wrong> {
    let Some((when, then)) = text.split_once("=>") else {
        return Err(Wrong::new(text, format!("`{text}` is not `conditions => operands`")));
    };
    Ok((conds(when.trim())?, slots(then)?))
}

/// `ROLE [when CONDS]`
pub(super) fn stdin(text: &str) -> Result<(Role, &'static [Cond]), Wrong> {
    let (what, when) = text.split_once(" when ").unwrap_or((text, ""));
    Ok((role(what.trim())?, conds(when)?))
}

/// `LABEL [when CONDS]`
pub(super) fn stdout(text: &str) -> Result<(&'static str, &'static [Cond]), Wrong> {
    let (what, when) = text.split_once(" when ").unwrap_or((text, ""));
    Ok((keep::text(what.trim()), conds(when)?))
}
