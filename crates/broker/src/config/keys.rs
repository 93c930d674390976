//! Every key of the settings: how a layer takes it over from another one, and when that tightens.

use policy::Posture;

use super::stored::{Flush, OnFull, Stored};

/// A key.
pub(super) struct Key {
    /// Its name, `TABLE.KEY`.
    pub(super) name: &'static str,
    /// Takes the value of the second over into the first.
    pub(super) take: fn(&mut Stored, &Stored),
    /// Whether nothing that the first holds is let through by the second.
    pub(super) tightens: fn(&Stored, &Stored) -> bool,
    /// Whether it speaks of one project, and not of all that agents do on this machine.
    pub(super) of_projects: bool,
}

/// All of them, in the order in which they are listed.
pub(super) const KEYS: [Key; 15] = [
    Key {
        name: "approvals.remember",
        take: |to, from| to.approvals.remember = from.approvals.remember,
        tightens: |is, would| is.approvals.remember || !would.approvals.remember,
        of_projects: true,
    },
    Key {
        name: "approvals.wait_seconds",
        take: |to, from| to.approvals.wait_seconds = from.approvals.wait_seconds,
        tightens: |is, would| would.approvals.wait_seconds <= is.approvals.wait_seconds,
        of_projects: true,
    },
    Key {
        name: "breaker.cooldown_seconds",
        take: |to, from| to.breaker.cooldown_seconds = from.breaker.cooldown_seconds,
        tightens: |is, would| would.breaker.cooldown_seconds >= is.breaker.cooldown_seconds,
        of_projects: false,
    },
    Key {
        name: "breaker.enabled",
        take: |to, from| to.breaker.enabled = from.breaker.enabled,
        tightens: |is, would| would.breaker.enabled || !is.breaker.enabled,
        of_projects: false,
    },
    Key {
        name: "breaker.threshold",
        take: |to, from| to.breaker.threshold = from.breaker.threshold,
        tightens: |is, would| would.breaker.threshold <= is.breaker.threshold,
        of_projects: false,
    },
    Key {
        name: "breaker.window_seconds",
        take: |to, from| to.breaker.window_seconds = from.breaker.window_seconds,
        tightens: |is, would| would.breaker.window_seconds >= is.breaker.window_seconds,
        of_projects: false,
    },
    Key {
        name: "ledger.flush",
        take: |to, from| to.ledger.flush = from.ledger.flush,
        tightens: |is, would| would.ledger.flush == Flush::Full || is.ledger.flush == Flush::Held,
        of_projects: false,
    },
    Key {
        name: "ledger.on_full",
        take: |to, from| to.ledger.on_full = from.ledger.on_full,
        tightens: |is, would| would.ledger.on_full != OnFull::Ask || is.ledger.on_full == OnFull::Ask,
        of_projects: false,
    },
    Key {
        name: "paths.unprotected",
        take: |to, from| to.paths.clone_from(&from.paths),
        tightens: |is, would| {
            let mut globs = would.paths.globs();
            globs.all(|glob| is.paths.globs().any(|other| other == glob))
        },
        of_projects: true,
    },
    Key {
        name: "posture",
        take: |to, from| to.posture = from.posture,
        tightens: |is, would| strictness(would.posture.0) >= strictness(is.posture.0),
        of_projects: true,
    },
    Key {
        name: "rules.disabled",
        take: |to, from| to.rules.clone_from(&from.rules),
        tightens: |is, would| would.rules.ids().all(|id| is.rules.ids().any(|other| other == id)),
        of_projects: true,
    },
    Key {
        name: "snapshots.budget_mb",
        take: |to, from| to.snapshots.budget_mb = from.snapshots.budget_mb,
        tightens: |is, would| would.snapshots.budget_mb >= is.snapshots.budget_mb,
        of_projects: false,
    },
    Key {
        name: "snapshots.days",
        take: |to, from| to.snapshots.days = from.snapshots.days,
        tightens: |is, would| would.snapshots.days >= is.snapshots.days,
        of_projects: false,
    },
    Key {
        name: "snapshots.keep_mb",
        take: |to, from| to.snapshots.keep_mb = from.snapshots.keep_mb,
        tightens: |is, would| would.snapshots.keep_mb >= is.snapshots.keep_mb,
        of_projects: false,
    },
    Key {
        name: "snapshots.soften",
        take: |to, from| to.snapshots.soften = from.snapshots.soften,
        tightens: |is, would| is.snapshots.soften || !would.snapshots.soften,
        of_projects: true,
    },
];

const fn strictness(posture: Posture) -> u8 {
    match posture {
        Posture::Off => 0,
        Posture::Observe => 1,
        Posture::Guard => 2,
        Posture::Strict => 3,
    }
}
