//! `tollgate schema`.

use crate::exit::{Exit, Fault};
use crate::ui::Ui;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Of which files: `policy`.
    of: String,
}

pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    match args.of.as_str() {
        "policy" => ui.line(broker::policies::schema()),
        other => {
            let fault = Fault::new(Exit::Usage, format!("There is no schema of `{other}`."));
            return Err(fault.hint("There is one of `policy`."));
        }
    }
    Ok(Exit::Done)
}
