//! `tollgate config`: the settings of `config.toml`.

mod init;
mod set;
mod show;
mod validate;

use std::path::PathBuf;

use broker::ConfigError;
use broker::config::{self, Setting};

use crate::exit::{Exit, Fault};
use crate::setup::places;
use crate::ui::Ui;
use crate::view::safe;

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
    let settings = config::own(&places::find()?.config).map_err(|e| broken(&e))?;
    ui.line(bare(&find(&settings, key)?.value));
    Ok(Exit::Done)
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
    let sentence = format!("The configuration is broken: {}.", safe(&error.to_string()));
    let until = "Until it is repaired the hook refuses whatever changes something.";
    Fault::new(Exit::Refused, sentence).hint(format!("{} {until}", error.hint).trim_start())
}
