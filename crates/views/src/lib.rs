//! The ledger as people and programs read it: searched, counted, followed, exported.
//!
//! The ledger is the truth, and everything here is made from its lines. The index that makes a search quick only says
//! where to look: each hit is read from the ledger and has to fit again. An index that is missing, damaged, foreign or of
//! another ledger is made anew, and where none can be written the ledger is read from end to end.

mod effects;
mod entry;
mod error;
mod export;
mod filter;
mod follow;
mod index;
mod moment;
mod read;
mod search;
mod stats;

pub use effects::{hosts, paths};
pub use entry::{Agent, Cwd, Decision, Entry, Finding, Part, Request, Text};
pub use error::ViewError;
pub use export::{Export, Exported, Format};
pub use filter::Filter;
pub use follow::{Follow, News};
pub use index::Index;
pub use moment::{Moment, millis};
pub use search::{Hit, Told, Views};
pub use stats::{Counts, Day, Stats};
