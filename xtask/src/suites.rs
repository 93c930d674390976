//! The suites that are more than `cargo test`: what each needs, and how it is run.
//!
//! To add one, add a row. A suite whose needs are not met is skipped, and the run says so.

/// Something that a suite cannot do without.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Need {
    /// A program on the path.
    Program(&'static str),
    /// An environment variable that names the suite's data.
    Variable(&'static str),
}

/// A named suite.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suite {
    pub(crate) name: &'static str,
    /// What it shows when it passes.
    pub(crate) shows: &'static str,
    pub(crate) needs: &'static [Need],
    /// Arguments of cargo, run one after the other.
    pub(crate) cargo: &'static [&'static str],
}

pub(crate) const SUITES: &[Suite] = &[
    Suite {
        name: "agents",
        shows: "the real clients, offline, are stopped by the hook and told why",
        needs: &[Need::Program("npm"), Need::Program("unshare")],
        cargo: &[
            "build --package tollgate --package tollgate-hook",
            "test --package tollgate --test agents -- --ignored --nocapture",
        ],
    },
    Suite {
        name: "laws",
        shows: "no wrapper in a wrapper in a wrapper makes a verdict milder, in 200,000 tries",
        needs: &[],
        cargo: &["test --release --package tollgate-policy --test laws -- --ignored --nocapture"],
    },
    Suite {
        name: "race",
        shows: "of 32 processes that want the one call of a yes, one gets it, 10,000 times",
        needs: &[],
        cargo: &["test --release --package tollgate-broker --lib race -- --ignored --nocapture"],
    },
    Suite {
        name: "stacks",
        shows: "the strictest rule of a million stacks of layers decides, and no layer makes a verdict milder",
        needs: &[],
        cargo: &["test --release --package tollgate-policy --test stacks -- --ignored --nocapture"],
    },
    Suite {
        name: "edits",
        shows: "none of 10,000 edits of a policy file makes a verdict milder than the stricter of before and after",
        needs: &[],
        cargo: &["test --release --package tollgate-broker --lib edits -- --ignored --nocapture"],
    },
    Suite {
        name: "bits",
        shows: "every changed bit of a ledger of a thousand records is found, and a line of 1 GiB is read over",
        needs: &[],
        cargo: &["test --release --package tollgate-ledger --lib verify -- --ignored --nocapture"],
    },
    Suite {
        name: "kills",
        shows: "a hook that is killed at any call that changes something uses a yes up once or not at all, calls that fail or \
                are interrupted let nothing through unrecorded, and neither damages a ledger or a checkpoint",
        needs: &[Need::Program("strace"), Need::Program("script")],
        cargo: &[
            "build --package tollgate-ledger --examples",
            "test --package tollgate-ledger --test faults -- --ignored --nocapture",
            "test --package tollgate --test approvals kills -- --ignored --nocapture",
        ],
    },
    Suite {
        name: "undo",
        shows: "what 42 commands destroy in 120 repositories comes back to the byte, and neither a snapshot nor an undo that is killed \
                at any call loses anything",
        needs: &[Need::Program("strace")],
        cargo: &[
            "test --release --package tollgate-snapshot --test undo rounds -- --ignored --nocapture",
            "test --package tollgate --test undo kills -- --ignored --nocapture",
        ],
    },
    Suite {
        name: "fuzz",
        shows: "texts that nobody wrote are judged without a panic, in one way, soon and in little memory",
        needs: &[],
        cargo: &["run --release --quiet --package tollgate-policy --example fuzz -- --rounds 20000"],
    },
    Suite {
        name: "cases",
        shows: "commands from files outside the repository are read as bash reads them",
        needs: &[Need::Program("bash"), Need::Variable("TOLLGATE_CASES")],
        cargo: &["test --package tollgate-shell --test cases -- --ignored --nocapture"],
    },
];

impl Suite {
    /// What is missing on this machine, if anything.
    pub(crate) fn missing(&self) -> Option<String> {
        self.needs.iter().find_map(|need| match need {
            Need::Program(name) if !crate::programs::is_installed(name) => Some(format!("`{name}` is not installed")),
            Need::Variable(name) if std::env::var_os(name).is_none() => Some(format!("{name} is not set")),
            Need::Program(_) | Need::Variable(_) => None,
        })
    }
}
