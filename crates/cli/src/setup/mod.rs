//! Putting the hook into an agent's settings and taking it out again.

mod files;
mod json;
mod record;
mod safe;
mod session;
mod trust;
