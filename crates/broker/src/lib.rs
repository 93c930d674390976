//! The one decision: settings, world, judgement, record, and then an answer.
//!
//! Nothing is answered before it is recorded: a [`Decision`] holds the ledger's receipt and cannot be made without one.
//! Nothing is started without a [`Clearance`], which only this crate can make. This is also the only crate in the path
//! of a hook that reads the environment.

mod answers;
pub mod approvals;
mod breaker;
mod clearance;
pub mod config;
mod decide;
mod error;
mod files;
mod here;
mod history;
mod hold;
mod identity;
mod moment;
mod note;
mod people;
mod places;
pub mod policies;
pub mod proofs;
mod reason;
mod rules;
mod safe;
mod saving;
mod secret;
mod told;
mod trust;
mod trusted;
mod undo;
mod wording;
mod world;

pub use answers::{Answered, Refused, Said};
pub use clearance::{Clearance, Own};
pub use config::{Answers, ConfigError, Flush, Keeping, Limits, OnFull, Snapshots};
pub use decide::{Broker, Decision};
pub use error::Error;
pub use here::Set;
pub use history::{Proposal, Replayed};
pub use moment::Moment;
pub use people::{NotAPerson, Person};
pub use places::{Given, Places};
pub use rules::{RuleFile, added, rule_files};
pub use safe::{Unsafe, only_own_hands};
pub use trust::{Fits, Project, Trusted};
pub use undo::{NotUndone, Undone};
