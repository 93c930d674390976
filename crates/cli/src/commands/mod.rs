//! One file per command: what can be given to it, and what it does.

pub(crate) mod doctor;
pub(crate) mod install;
pub(crate) mod uninstall;
