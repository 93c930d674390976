//! `tollgate config`: the settings of `config.toml`.

mod init;
mod set;
mod show;
mod validate;

use std::path::PathBuf;

use broker::config::Setting;
use broker::{Broker, ConfigError, Set};

use crate::exit::{Exit, Fault};
use crate::setup::places;
use crate::ui::Ui;
use crate::view::{one_line, safe};

pub(crate) use init::{SETTINGS, STARTER, project_file};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Prints the value of one setting.
    Get {
        /// Its name, such as `breaker.threshold`.
        key: String,
    },
    /// Changes one setting; the rest of the file stays as it is.
    Set(set::Args),
    /// Says what is wrong in a settings file.
    Validate {
        /// The file; without it, your own settings.
        file: Option<PathBuf>,
    },
    /// Lists every setting with its value.
    Show(show::Args),
    /// Writes a file in which everything is a comment, to begin with.
    Init(init::Args),
}

pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    match &args.what {
        What::Get { key } => get(key, ui),
        What::Set(args) => set::run(args, ui),
        What::Validate { file } => validate::run(file.as_deref(), ui),
        What::Show(args) => show::run(args, ui),
        What::Init(args) => init::run(args, ui),
    }
}

fn get(key: &str, ui: &mut Ui) -> Result<Exit, Fault> {
    let set = set()?;
    ui.line(bare(&find(&set.settings, key)?.value));
    Ok(Exit::Done)
}

/// What is set in the working directory, by all layers.
fn set() -> Result<Set, Fault> {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let set = Broker::open(places::find()?).config_in(&here);
    match set.faults.first() {
        Some(fault) => Err(broken(fault)),
        None => Ok(set),
    }
}

/// The setting of that name.
fn find<'s>(settings: &'s [Setting], key: &str) -> Result<&'s Setting, Fault> {
    settings.iter().find(|one| one.key == key).ok_or_else(|| {
        let known: Vec<&str> = settings.iter().map(|one| one.key.as_str()).collect();
        Fault::new(Exit::Usage, format!("There is no setting `{}`.", safe(key)))
            .hint(format!("There are `{}`.", known.join("`, `")))
    })
}

/// A value as a person types it: a word without quotes.
fn bare(value: &toml::Value) -> String {
    match value {
        toml::Value::String(word) => word.clone(),
        other => other.to_string(),
    }
}

/// The fault of settings that cannot be read.
pub(crate) fn broken(error: &ConfigError) -> Fault {
    let sentence = format!("The configuration is broken: {}.", one_line(&error.to_string()));
    let until = "Until it is repaired the hook refuses whatever changes something.";
    Fault::new(Exit::Refused, sentence).hint(format!("{} {until}", error.hint).trim_start())
}
