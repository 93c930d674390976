//! `tollgate log follow`.

use std::io;
use std::ops::ControlFlow;
use std::time::Duration;

use views::{Follow, News, Views};

use super::{filter, lines, unseen};
use crate::exit::{Exit, Fault};
use crate::ui::Ui;

/// How long a look waits for the next one.
const PAUSE: Duration = Duration::from_millis(200);

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    filter: filter::Wanted,
    /// As they are stored, one JSON object a line.
    #[arg(long)]
    jsonl: bool,
}

pub(super) fn run(views: &Views, args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let filter = args.filter.filter();
    let mut follow = Follow::from_end(views.ledger()).map_err(|e| unseen(&e))?;
    loop {
        let mut written = Ok(());
        let news = follow.look(|line| {
            if filter.fits(line) {
                written = one(line, args.jsonl, ui);
            }
            match written {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        if news.map_err(|e| unseen(&e))? == News::Replaced {
            ui.note("The ledger does not go on where it was: `tollgate log verify` says what became of it.");
        }
        if written.is_err() || ui.reader_is_gone() {
            return Ok(Exit::Done);
        }
        std::thread::sleep(PAUSE);
    }
}

fn one(line: &[u8], jsonl: bool, ui: &mut Ui) -> io::Result<()> {
    let out = ui.raw();
    match jsonl {
        true => out.write_all(line)?,
        false => out.write_all(lines::line(line).as_bytes())?,
    }
    out.write_all(b"\n")?;
    out.flush()
}
