//! `tollgate rules check`.

use std::path::PathBuf;

use rulebook::Book;
use serde_json::{Value, json};

use crate::exit::{Exit, Fault};
use crate::rules::{self, examples};
use crate::setup::places;
use crate::ui::Ui;

/// More than any rules need.
const LIMIT: u64 = 1 << 20;

#[derive(clap::Args)]
pub(super) struct Args {
    /// The files; those in the folder `rules` of your settings where none is named.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

/// What is wrong, where, and what to do.
struct Wrong {
    place: String,
    line: Option<usize>,
    /// The whole sentence, with the place.
    sentence: String,
    hint: String,
}

pub(super) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let places = places::find()?;
    let (book, mut wrong) = match args.files.as_slice() {
        [] => {
            let (book, errors) = rules::own(&places.config);
            (book, errors.into_iter().map(Wrong::from).collect())
        }
        files => read(files)?,
    };
    let (added, clash) = broker::added(&book);
    wrong.extend(clash.map(Wrong::from));
    let home = places.home.to_string_lossy();
    wrong.extend(examples::wrong(&book, &added, &home).into_iter().map(Wrong::from));
    if args.json {
        ui.line(as_json(&book, &wrong).to_string());
    } else {
        show(&book, &wrong, ui);
    }
    Ok(if wrong.is_empty() { Exit::Done } else { Exit::Data })
}

fn read(files: &[PathBuf]) -> Result<(Book, Vec<Wrong>), Fault> {
    let (mut book, mut wrong) = (Book::default(), Vec::new());
    for file in files {
        let name = file.to_string_lossy();
        let fault = |e: std::io::Error| {
            let exit = if e.kind() == std::io::ErrorKind::NotFound {
                Exit::NoInput
            } else {
                Exit::Io
            };
            Fault::new(exit, format!("`{name}` cannot be read: {e}."))
        };
        if file.metadata().map_err(fault)?.len() > LIMIT {
            return Err(Fault::new(Exit::Data, format!("`{name}` is larger than 1 MiB.")));
        }
        let text = std::fs::read_to_string(file).map_err(fault)?;
        wrong.extend(book.add(&name, &text).err().map(Wrong::from));
    }
    Ok((book, wrong))
}

impl From<rulebook::Fault> for Wrong {
    fn from(fault: rulebook::Fault) -> Self {
        Self {
            sentence: fault.to_string(),
            place: fault.file,
            line: fault.line,
            hint: fault.hint,
        }
    }
}

impl From<broker::ConfigError> for Wrong {
    fn from(error: broker::ConfigError) -> Self {
        Self {
            sentence: error.to_string(),
            place: error.file.to_string_lossy().into_owned(),
            line: error.line,
            hint: error.hint,
        }
    }
}

fn show(book: &Book, wrong: &[Wrong], ui: &mut Ui) {
    for Wrong { sentence, hint, .. } in wrong {
        ui.line(crate::view::safe(&format!("{sentence}.")));
        if !hint.is_empty() {
            ui.line(crate::view::safe(&format!("  hint: {hint}")));
        }
    }
    ui.line(summary(book, wrong.len()));
}

/// `2 programs, 1 rule, no paths; 5 examples; nothing is wrong`
fn summary(book: &Book, wrong: usize) -> String {
    let wrong = match wrong {
        0 => "nothing is wrong".into(),
        1 => "1 fault".into(),
        more => format!("{more} faults"),
    };
    format!("{}; {wrong}", rules::contents(book))
}

fn as_json(book: &Book, wrong: &[Wrong]) -> Value {
    let faults = wrong
        .iter()
        .map(|wrong| json!({"file": wrong.place, "line": wrong.line, "sentence": wrong.sentence, "hint": wrong.hint}));
    json!({
        "format": 1,
        "programs": book.programs.len(),
        "rules": book.rules.len(),
        "paths": book.paths.len(),
        "examples": examples::count(book),
        "faults": faults.collect::<Vec<_>>(),
    })
}
