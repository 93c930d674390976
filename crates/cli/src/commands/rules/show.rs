//! `tollgate rules show`.

use rulebook::{Book, Entry, Example, Fact, Opt, Program, Rule};
use serde_json::{Value, json};

use super::words;
use crate::exit::{Exit, Fault};
use crate::rules::{self, place};
use crate::setup::places;
use crate::ui::Ui;
use crate::view::safe;

#[derive(clap::Args)]
pub(super) struct Args {
    /// A program, with its subcommands behind it, or the id of a rule.
    #[arg(value_name = "NAME|ID", required = true)]
    name: Vec<String>,
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

/// What is said, line by line: a word and what stands behind it.
type Lines = Vec<(&'static str, String)>;

pub(super) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    // Your own facts about a program go before the built-in ones.
    let books = [rules::own(&places::find()?.config).0, rules::built_in()?];
    let mut found = Vec::new();
    for book in &books {
        found.extend(of_book(book, &args.name));
    }
    if found.is_empty() {
        return Err(nothing(&args.name, &books));
    }
    if args.json {
        let found: Vec<Value> = found.iter().map(|(title, lines)| as_json(title, lines)).collect();
        ui.line(json!({"format": 1, "found": found}).to_string());
        return Ok(Exit::Done);
    }
    for (title, lines) in &found {
        ui.line(safe(title));
        for (word, text) in lines {
            ui.line(safe(&format!("  {word:<11} {text}")));
        }
    }
    Ok(Exit::Done)
}

fn of_book(book: &Book, name: &[String]) -> Vec<(String, Lines)> {
    let (first, subs) = name
        .split_first()
        .map_or(("", name), |(first, subs)| (first.as_str(), subs));
    let programs = book
        .programs
        .iter()
        .filter(|entry| entry.says.program.names.contains(&first));
    let programs = programs.filter_map(|entry| program(entry, first, subs));
    let rules = book
        .rules
        .iter()
        .filter(|entry| entry.says.id == first && subs.is_empty())
        .map(rule);
    programs.chain(rules).collect()
}

fn program(entry: &Entry<Fact>, name: &str, subs: &[String]) -> Option<(String, Lines)> {
    let mut program = entry.says.program;
    for sub in subs {
        program = program.subs.iter().find(|known| known.names.contains(&sub.as_str()))?;
    }
    let name = std::iter::once(name)
        .chain(subs.iter().map(String::as_str))
        .collect::<Vec<_>>()
        .join(" ");
    let mut lines = facts(program);
    if subs.is_empty() {
        lines.extend(examples(&entry.examples));
    }
    Some((format!("{name}: a program ({})", at(entry)), lines))
}

/// The place with the file, for built-in stanzas too: that is where to read on.
fn at<T>(entry: &Entry<T>) -> String {
    match rules::is_ours(entry) {
        true => format!("built-in, {}:{}", entry.file, entry.line),
        false => place(entry),
    }
}

fn facts(program: &Program) -> Lines {
    let mut lines = vec![
        ("names", program.names.join(", ")),
        ("style", words::style(program.style).into()),
    ];
    lines.extend(options(program.options).into_iter().map(|option| ("option", option)));
    let mut operands = |slots: &[rulebook::Slot], when: String| {
        for slot in slots {
            let many = if slot.many { ", any number" } else { "" };
            lines.push(("operand", format!("{}{many}{when}", words::role(&slot.role))));
        }
    };
    for (when, slots) in program.alternates {
        operands(slots, words::when(when));
    }
    let otherwise = if program.alternates.is_empty() {
        ""
    } else {
        ", otherwise"
    };
    operands(program.operands, otherwise.into());
    lines.extend(program.does.iter().map(|does| ("effect", words::does(does))));
    for (role, when) in program.stdin {
        lines.push(("flows in", format!("{}{}", words::role(role), words::when(when))));
    }
    for (what, when) in program.stdout {
        lines.push(("flows out", format!("{what}{}", words::when(when))));
    }
    for (class, when) in program.class {
        lines.push(("class", format!("{class}{}", words::when(when))));
    }
    lines.extend(program.subs.iter().map(|sub| ("subcommand", sub.names.join(", "))));
    lines
}

/// Options that mean the same stand together, as they do in the rule file.
fn options(options: &[Opt]) -> Vec<String> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for option in options {
        let attached = if option.attached && option.takes_value() {
            ", attached"
        } else {
            ""
        };
        let role = format!("{}{attached}", words::role(&option.role));
        let names = option.names.join(" ");
        match groups.iter_mut().find(|(known, _)| *known == role) {
            Some((_, all)) => all.push(names),
            None => groups.push((role, vec![names])),
        }
    }
    let line = |(role, names): (String, Vec<String>)| format!("{}: {role}", names.join(" / "));
    groups.into_iter().map(line).collect()
}

fn rule(entry: &Entry<Rule>) -> (String, Lines) {
    let rule = entry.says;
    let acts: Vec<&str> = rule.acts.iter().map(|act| act.as_str()).collect();
    let kinds: Vec<&str> = rule.kinds.iter().map(|kind| kind.as_str()).collect();
    let mut lines = vec![
        (
            "verdict",
            format!("{}; in posture strict {}", rule.guard.as_str(), rule.strict.as_str()),
        ),
        ("risk", rule.risk.as_str().into()),
        ("about", acts.join(", ")),
    ];
    let mut some = |word, text: String| {
        if !text.is_empty() {
            lines.push((word, text));
        }
    };
    some("named", rule.whats.join(", "));
    some("asked as", kinds.join(", "));
    for labels in rule.any {
        some("labelled", labels.join(" and ").replace('!', "not "));
    }
    some("of class", rule.class.into());
    some("why", rule.why.into());
    some("at stake", rule.lost.into());
    some("instead", rule.instead.into());
    if rule.remember {
        some("a yes", "may hold for a session, or in a folder for days".into());
    }
    if !rule.reversible.is_empty() {
        some(
            "softened",
            "where a snapshot holds all that would be lost, it does not ask".into(),
        );
    }
    if rule.lasting {
        some("stays", "it guards the gate itself, and cannot be switched off".into());
    }
    lines.extend(examples(&entry.examples));
    (format!("{}: a rule ({})", rule.id, at(entry)), lines)
}

fn examples(examples: &[Example]) -> Lines {
    let one = |example: &Example| match example {
        Example::Effect { command, effect } => ("example", format!("{command} => {effect}")),
        Example::Match(command) => ("matches", command.clone()),
        Example::NotMatch(command) => ("not", command.clone()),
    };
    examples.iter().map(one).collect()
}

fn as_json(title: &str, lines: &Lines) -> Value {
    let lines: Vec<Value> = lines
        .iter()
        .map(|(word, text)| json!({"what": word, "text": safe(text)}))
        .collect();
    json!({"title": safe(title), "lines": lines})
}

/// Nothing of that name; what sounds like it is named.
fn nothing(name: &[String], books: &[Book]) -> Fault {
    let name = name.join(" ");
    let programs = books
        .iter()
        .flat_map(|book| &book.programs)
        .flat_map(|entry| entry.says.program.names);
    let all = programs
        .copied()
        .chain(books.iter().flat_map(|book| &book.rules).map(|entry| entry.says.id));
    let alike: Vec<&str> = all.filter(|known| known.contains(name.as_str())).take(5).collect();
    let hint = match alike.as_slice() {
        [] => "`tollgate rules list` names all; a program that is not among them can be taught.".to_owned(),
        some => format!("Known are {}.", words::listed(some)),
    };
    Fault::new(Exit::NoInput, format!("There is no program and no rule `{name}`.")).hint(hint)
}
