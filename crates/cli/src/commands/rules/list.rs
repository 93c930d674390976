//! `tollgate rules list`.

use broker::Broker;
use rulebook::{Book, Entry, Fact, Place, Rule};
use serde_json::{Value, json};

use crate::exit::{Exit, Fault};
use crate::rules::{self, is_ours, place};
use crate::setup::places;
use crate::ui::Ui;

#[derive(clap::Args)]
pub(super) struct Args {
    /// Only those that hold this text in their name, class or labels.
    pattern: Option<String>,
    /// Only your own.
    #[arg(long)]
    user: bool,
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

/// What can be listed, built-in and added.
struct Shelf {
    ours: Book,
    own: Book,
    disabled: Vec<String>,
}

/// A line of the list.
struct Row {
    kind: &'static str,
    name: String,
    /// The verdict of a rule, the class of a program, the labels of paths.
    says: String,
    place: String,
    /// All words that a pattern is looked for in.
    words: String,
    json: Value,
}

pub(super) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let places = places::find()?;
    let here = std::env::current_dir().unwrap_or_default();
    let (own, errors) = rules::own(&places.config);
    let shelf = Shelf {
        ours: if args.user { Book::default() } else { rules::built_in()? },
        own,
        disabled: Broker::open(places).settings_in(&here).disabled,
    };
    let pattern = args.pattern.as_deref().unwrap_or_default().to_lowercase();
    let rows: Vec<Row> = shelf
        .rows()
        .into_iter()
        .filter(|row| row.words.contains(&pattern))
        .collect();
    if args.json {
        let rows: Vec<&Value> = rows.iter().map(|row| &row.json).collect();
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        ui.line(json!({"format": 1, "rules": rows, "errors": errors}).to_string());
    } else {
        show(&rows, ui);
    }
    match errors.first() {
        None => Ok(Exit::Done),
        Some(error) => {
            Err(Fault::new(Exit::Refused, format!("Not all of your rules can be read: {error}.")).hint(&error.hint))
        }
    }
}

fn show(rows: &[Row], ui: &mut Ui) {
    if rows.is_empty() {
        ui.line("There is nothing of the kind.");
    }
    let width = |text: fn(&Row) -> &str| {
        rows.iter()
            .map(|row| text(row).chars().count())
            .max()
            .unwrap_or_default()
    };
    let (name, says) = (width(|row| &row.name).min(40), width(|row| &row.says).min(40));
    for row in rows {
        let line = format!("{:<8} {:<name$} {:<says$} {}", row.kind, row.name, row.says, row.place);
        ui.line(crate::view::safe(&line));
    }
}

impl Shelf {
    fn rows(&self) -> Vec<Row> {
        let books = [&self.own, &self.ours];
        let programs = books.iter().flat_map(|book| &book.programs);
        let names = programs.flat_map(|entry| entry.says.program.names.iter().map(move |name| (entry, *name)));
        let mut programs: Vec<Row> = names.map(|(entry, name)| self.program(entry, name)).collect();
        programs.sort_by(|a, b| a.name.cmp(&b.name));
        let rules = books.iter().flat_map(|book| &book.rules).map(|entry| self.rule(entry));
        let paths = books.iter().flat_map(|book| &book.paths).map(path);
        programs.into_iter().chain(rules).chain(paths).collect()
    }

    fn program(&self, entry: &Entry<Fact>, name: &'static str) -> Row {
        let classes: Vec<&str> = entry.says.program.class.iter().map(|(class, _)| *class).collect();
        let class = classes.join(", ");
        // Whoever looks for a name wants to know which facts count.
        let mut own = self.own.programs.iter().flat_map(|own| own.says.program.names);
        let replaced = is_ours(entry) && own.any(|own| *own == name);
        Row {
            kind: "program",
            name: name.into(),
            says: if replaced {
                "replaced by yours".into()
            } else {
                class.clone()
            },
            place: place(entry),
            words: format!("{name} {class}").to_lowercase(),
            json: json!({
                "kind": "program", "name": name, "class": class, "replaced": replaced, "source": source(entry),
                "line": entry.line,
            }),
        }
    }

    fn rule(&self, entry: &Entry<Rule>) -> Row {
        let rule = entry.says;
        let disabled = is_ours(entry) && self.disabled.iter().any(|id| id == rule.id);
        let verdicts = format!("{} (strict: {})", rule.guard.as_str(), rule.strict.as_str());
        Row {
            kind: "rule",
            name: rule.id.into(),
            says: if disabled { "disabled".into() } else { verdicts },
            place: place(entry),
            words: rule.id.to_lowercase(),
            json: json!({
                "kind": "rule", "name": rule.id, "guard": rule.guard.as_str(), "strict": rule.strict.as_str(),
                "risk": rule.risk.as_str(), "disabled": disabled, "source": source(entry), "line": entry.line,
            }),
        }
    }
}

fn path(entry: &Entry<Place>) -> Row {
    let Place { globs, row, .. } = &entry.says;
    let labels = row.tags.join(", ");
    let first = globs.first().copied().unwrap_or_default();
    Row {
        kind: "path",
        name: match globs.len() {
            1 => first.into(),
            more => format!("{first} and {} more", more - 1),
        },
        words: format!("{} {labels}", globs.join(" ")).to_lowercase(),
        json: json!({
            "kind": "path", "globs": globs, "except": row.except, "labels": row.tags, "source": source(entry),
            "line": entry.line,
        }),
        says: labels,
        place: place(entry),
    }
}

fn source<T>(entry: &Entry<T>) -> &str {
    if is_ours(entry) { "built-in" } else { &entry.file }
}
