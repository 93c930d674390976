//! `tollgate schema`.

use crate::exit::{Exit, Fault};
use crate::ui::Ui;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Of which files: `policy` or `config`.
    of: String,
}

pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    match args.of.as_str() {
        "policy" => ui.line(broker::policies::schema()),
        "config" => ui.line(broker::config::schema()),
        other => {
            let fault = Fault::new(Exit::Usage, format!("There is no schema of `{other}`."));
            return Err(fault.hint("There are those of `policy` and `config`."));
        }
    }
    Ok(Exit::Done)
}
