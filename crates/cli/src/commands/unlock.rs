//! `tollgate unlock`.

use broker::Broker;

use crate::exit::{Exit, Fault};
use crate::setup::places;
use crate::ui::Ui;

/// Ends the time in which an agent that was refused too often may only read.
pub(crate) fn run(ui: &mut Ui) -> Result<Exit, Fault> {
    let broker = Broker::open(places::find()?);
    let person = broker.person("unlock an agent")?;
    ui.line(match broker.unlock(&person)? {
        0 => "No agent was locked.",
        1 => "Unlocked.",
        _ => "All are unlocked.",
    });
    Ok(Exit::Done)
}
