//! `tollgate policy`.

mod doctor;
mod list;
mod patch;
mod replay;
mod test;

use std::path::PathBuf;

use broker::Broker;
use broker::policies::PolicySet;

use crate::exit::{Exit, Fault};
use crate::setup::places;
use crate::ui::Ui;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Lists the rules of your policy files and of the project's, and where each stands.
    List(list::Args),
    /// Says what is wrong in policy files.
    Doctor(doctor::Args),
    /// Holds a patch against the rules on patches.
    Check(patch::Args),
    /// Judges past decisions again by what is set now, and shows which would be others.
    Replay(replay::Args),
    /// Judges the requests of a file and compares with what it expects.
    Test(test::Args),
}

pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    match &args.what {
        What::List(args) => list::run(args, ui),
        What::Doctor(args) => doctor::run(args, ui),
        What::Check(args) => patch::run(args, ui),
        What::Replay(args) => replay::run(args, ui),
        What::Test(args) => test::run(args, ui),
    }
}

/// The policy files that are in force here. Broken ones are read as far as they can be: repair is never blocked.
fn set() -> Result<PolicySet, Fault> {
    let broker = Broker::open(places::find()?);
    Ok(broker.policies(&here()?))
}

pub(super) fn here() -> Result<PathBuf, Fault> {
    places::here()
}

/// What is wrong in all layers.
fn faults(set: &PolicySet) -> impl Iterator<Item = &broker::ConfigError> {
    set.own_faults.iter().chain(&set.project_faults)
}
