//! One file per command: what can be given to it, and what it does.

pub(crate) mod approvals;
pub(crate) mod check;
pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod hook;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod install;
pub(crate) mod learn;
pub(crate) mod log;
pub(crate) mod policy;
pub(crate) mod rehearse;
pub(crate) mod rules;
pub(crate) mod schema;
pub(crate) mod snapshots;
pub(crate) mod status;
pub(crate) mod trust;
pub(crate) mod undo;
pub(crate) mod uninstall;
pub(crate) mod unlock;
