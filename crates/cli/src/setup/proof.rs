//! Whether what was proved of an agent is still so.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use agents::{Agent, Hook};
use broker::proofs::{Proof, Subject};
use broker::{Broker, Places};
use ledger::Hash;

use crate::exit::Fault;
use crate::setup::site::Site;
use crate::setup::{binary, places, version};

/// What is known of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// There is none.
    None,
    /// It holds: the same client, and the same entry.
    Holds(Proof),
    /// Something changed since, as a clause.
    Over(String),
}

impl Standing {
    /// How the proof of an agent stands today.
    pub(crate) fn of(site: &Site, places: &Places) -> Self {
        let Some(proof) = Broker::open(places.clone()).proof(site.agent) else {
            return Self::None;
        };
        let Ok(Some(now)) = subject(site, places) else {
            return Self::Over(format!("{} is not on `PATH` any more", site.agent.title()));
        };
        match changed(&proof.subject, &now) {
            Some(why) => Self::Over(why),
            None => Self::Holds(proof),
        }
    }
}

/// What differs, as a clause. A version that the files do not tell is covered by the program's stamp.
fn changed(then: &Subject, now: &Subject) -> Option<String> {
    if then.hook != now.hook {
        Some("the hook is another one".to_owned())
    } else if !now.version.is_empty() && then.version != now.version {
        Some(format!("the version is {} and was {}", now.version, then.version))
    } else if then.program != now.program || then.stamp != now.stamp {
        Some(format!("the program `{}` is another one", now.program.display()))
    } else {
        None
    }
}

/// The client's program, by the first of its names that is on `PATH`.
pub(crate) fn program(agent: Agent) -> Option<PathBuf> {
    agent.programs().iter().find_map(|name| places::program(name))
}

/// What a proof of today would be about; `None` where the client is not on `PATH`. The version is empty where no file tells it.
pub(crate) fn subject(site: &Site, places: &Places) -> Result<Option<Subject>, Fault> {
    let Some(program) = program(site.agent).and_then(|program| program.canonicalize().ok()) else {
        return Ok(None);
    };
    let Ok(meta) = fs::metadata(&program) else {
        return Ok(None);
    };
    let version = version::of(&program, site.agent);
    Ok(Some(Subject {
        stamp: (meta.len(), meta.mtime(), meta.mtime_nsec()),
        version: version.map(version::text).unwrap_or_default(),
        hook: digest(site, places)?,
        program,
    }))
}

/// The digest of the entry, its file, and the program that it starts.
fn digest(site: &Site, places: &Places) -> Result<String, Fault> {
    let hook = site.agent.hook(&places::for_site(site, places)?);
    let entry = match &hook {
        Hook::Handler(_) => hook.handler_json().text(),
        Hook::File { text, .. } => text.clone(),
    };
    let binary = binary::hash(&places::hook(places))?
        .map(|hash| hash.hex())
        .unwrap_or_default();
    let file = site.settings.display();
    Ok(Hash::of(format!("{file}\n{binary}\n{entry}").as_bytes()).hex())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_another_one_ends_a_proof() {
        let then = Subject {
            program: "/bin/a".into(),
            stamp: (1, 2, 3),
            version: "1.2.3".into(),
            hook: "h".into(),
        };
        assert_eq!(changed(&then, &then), None);
        let untold = Subject {
            version: String::new(),
            ..then.clone()
        };
        assert_eq!(changed(&then, &untold), None);
        let ends = |said: &str, change: fn(&mut Subject)| {
            let mut now = then.clone();
            change(&mut now);
            assert!(changed(&then, &now).unwrap().contains(said));
        };
        ends("hook", |s| s.hook = "i".into());
        ends("version", |s| s.version = "1.2.4".into());
        ends("program", |s| s.stamp.0 = 2);
        ends("program", |s| s.program = "/bin/b".into());
    }
}
