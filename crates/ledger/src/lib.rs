//! The hash-chained record of decisions: append, show, verify.
//!
//! NDJSON in segments. Each line names the SHA-256 of the line before it, so a change anywhere but at the end is found
//! from the lines alone, and a change at the end from the head file, from an anchor, or from a head that somebody noted
//! elsewhere. Each segment has a key of its own, which signs the segment's end and the next key and is erased then.
//! An append reads the head file and the last line and nothing else, so its cost does not grow with the log.
//!
//! A record counts when its [`Receipt`] exists. A crash before that leaves a line that nobody was promised: the next
//! append sets its remains aside and says so in the log. It is never called tampering.

mod anchors;
mod append;
mod chain;
mod epochs;
mod error;
mod files;
mod folder;
mod glance;
mod hash;
mod head;
mod holes;
mod key;
mod lines;
mod lock;
mod record;
mod records;
mod recover;
mod reserve;
mod stamp;
mod verify;

pub use anchors::{Anchored, Anchors, Checkpoint, Proof, ProofError, Proved, is_verifier};
pub use append::{Flush, Ledger, OnFull, Receipt};
pub use error::LedgerError;
pub use glance::{Glance, glance};
pub use hash::Hash;
pub use lines::{Line, Lines, MAX_LINE};
pub use record::{
    Agent, ChainEnd, Cwd, Decision, Event, FORMAT, Finding, Look, Outcome, Part, Record, Request, Script,
};
pub use records::{Place, Records, line_at, show, show_from};
pub use stamp::{boot_clock, boot_id, read_small, rfc3339};
pub use verify::{Break, BreakKind, Expected, HeadFile, Progress, Report, RunReport, verify, verify_runs, verify_with};
