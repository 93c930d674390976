//! How a program is to be run.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// With what a program is run, and for how long. Which program it is says the clearance.
pub struct Profile<'p> {
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its working directory.
    pub cwd: PathBuf,
    /// Its whole environment; nothing is inherited.
    pub env: Vec<(OsString, OsString)>,
    /// What it reads.
    pub input: Input<'p>,
    /// How long it may take.
    pub deadline: Duration,
    /// How many bytes of each of its outputs are kept.
    pub keep: usize,
}

/// What a program reads from its standard input.
pub enum Input<'p> {
    /// Nothing.
    Nothing,
    /// These bytes, then the end.
    Bytes(Vec<u8>),
    /// A talk, line by line: it is asked once with an empty line at the start, then with each line that the program
    /// prints, without its line end.
    Talk(&'p mut dyn FnMut(&str) -> Talk),
}

/// What is said next in a talk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Talk {
    /// These bytes.
    Say(Vec<u8>),
    /// Nothing yet.
    Listen,
    /// Nothing more: the standard input is closed.
    End,
}

impl Profile<'_> {
    /// The variables of `names` that are set here, for a profile that passes them on.
    #[must_use]
    pub fn inherit(names: &[&str]) -> Vec<(OsString, OsString)> {
        names
            .iter()
            .filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)))
            .collect()
    }
}
