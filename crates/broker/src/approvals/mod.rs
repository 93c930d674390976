//! Approvals: what was asked, what a person answered, and how far the answer reaches.
//!
//! Every ask that nobody answered yet is a file below `<state>/approvals`, whichever way it will be answered. An answer is
//! bound to what was shown ([`Bound`]) and signed with the secret of this installation, so that it covers this call and no
//! other one. A yes for one call is used up when the call passes.

mod bound;
mod model;
mod seal;
mod store;

pub use bound::Bound;
pub use model::{Approval, Asked, Grant, Resolution, Scope, Status};
pub(crate) use seal::Secret;
pub use store::{Approvals, StoreError};

#[cfg(test)]
mod tests;
