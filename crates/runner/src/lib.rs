//! The only spawn in the product.
//!
//! [`run`] uses up a [`Clearance`], which only the broker can make: nothing runs that was not decided and recorded. A
//! child gets exactly the environment that its profile lists, a process group of its own, and a deadline after which the
//! whole group is killed. What it prints is kept up to a bound.

mod leftovers;
mod outcome;
mod profile;
mod run;

pub use leftovers::end_all_at_home;
pub use outcome::{End, Outcome};
pub use profile::{Input, Profile, Talk};
pub use run::run;
