//! The throw-away place of the demo: a home, a project with a repository, and nothing else.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use broker::Places;
use serde_json::Value;

use crate::commands::demo::script::{Change, Forgery, Scene};

/// The log's name in the ledger's folder, and that of the file with its head.
const LOG: &str = "000001.ndjson";
const HEAD: &str = "head";
/// What else vouches for it, and the place that is kept.
const BESIDE: [&str; 2] = ["key", "epochs"];
const RESERVE: &str = "reserve";

/// What stands in the project and in the home.
const FILES: [(&str, &str); 8] = [
    // This agent is refused more often than one may be.
    ("home/.config/tollgate/config.toml", "[breaker]\nenabled = false\n"),
    ("home/shop/Cargo.toml", "[package]\nname = \"shop\"\n"),
    ("home/shop/src/main.rs", "fn main() {\n    let x = \"one\";\n}\n"),
    ("home/shop/docs/notes.md", "Never type rm -rf / anywhere.\n"),
    ("home/shop/.git/HEAD", "ref: refs/heads/main\n"),
    (
        "home/shop/.git/config",
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
    ),
    ("home/.ssh/id_ed25519", "not a key\n"),
    ("home/.bashrc", "# nothing\n"),
];

/// The folders of the stage, outer before inner.
const FOLDERS: [&str; 15] = [
    "home",
    "home/.config",
    "home/.config/tollgate",
    "home/shop",
    "home/shop/src",
    "home/shop/docs",
    "home/shop/.git",
    "home/shop/.git/refs",
    "home/shop/.git/objects",
    "home/.ssh",
    "home/.local",
    "home/.local/state",
    "home/.local/state/tollgate",
    EDITED,
    CUT,
];
/// Where the forged copies of the ledger go.
const EDITED: &str = "edited";
const CUT: &str = "cut";

/// The place, which goes when this value goes.
pub(crate) struct Stage {
    root: PathBuf,
    places: Places,
}

impl Stage {
    /// Builds it below the folder for temporary files.
    pub(crate) fn build() -> io::Result<Self> {
        let temp = std::env::temp_dir().canonicalize()?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let root = temp.join(format!("tollgate-demo-{}-{}", std::process::id(), now.as_nanos()));
        // Fails where something of that name is there, a link included.
        let folder = |path: &Path| DirBuilder::new().mode(0o700).create(path);
        folder(&root)?;
        let home = root.join("home");
        let places = Places {
            system: root.join("system"),
            config: home.join(".config/tollgate"),
            state: home.join(".local/state/tollgate"),
            data: home.join(".local/share/tollgate"),
            own_home: None,
            home,
        };
        let stage = Self { root, places };
        FOLDERS.iter().try_for_each(|name| folder(&stage.root.join(name)))?;
        FILES
            .iter()
            .try_for_each(|(name, text)| fs::write(stage.root.join(name), text))?;
        Ok(stage)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) const fn places(&self) -> &Places {
        &self.places
    }

    pub(crate) fn ledger(&self) -> PathBuf {
        self.places.state.join("ledger")
    }

    /// Removes it: every file and folder by its name. What somebody else put there stays, and is an error.
    pub(crate) fn clear(&self) -> io::Result<()> {
        let ledgers = [self.ledger(), self.root.join(EDITED), self.root.join(CUT)];
        let names = [LOG, HEAD, RESERVE].into_iter().chain(BESIDE);
        let logs = ledgers
            .iter()
            .flat_map(|folder| names.clone().map(|name| folder.join(name)));
        for file in FILES.iter().map(|(name, _)| self.root.join(name)).chain(logs) {
            gone(fs::remove_file(file))?;
        }
        gone(fs::remove_dir(self.ledger()))?;
        // What the gate keeps beside its ledger.
        let kept = self.places.state.join("snapshots");
        for folder in kept.join("blobs").read_dir().into_iter().flatten().flatten() {
            emptied(&folder.path())?;
            gone(fs::remove_dir(folder.path()))?;
        }
        for name in ["blobs", "new", "."] {
            emptied(&kept.join(name))?;
        }
        for name in ["blobs", "new", ""] {
            gone(fs::remove_dir(kept.join(name)))?;
        }
        for name in ["approvals/spent", "approvals", "breaker", "."] {
            let folder = self.places.state.join(name);
            emptied(&folder)?;
            if name != "." {
                gone(fs::remove_dir(folder))?;
            }
        }
        for folder in FOLDERS.iter().rev().map(|name| self.root.join(name)) {
            gone(fs::remove_dir(folder))?;
        }
        gone(fs::remove_dir(&self.root))
    }

    /// The bytes that the agent writes: a real payload with this stage's paths.
    pub(crate) fn question(&self, scene: &Scene) -> serde_json::Result<Vec<u8>> {
        let capture: Value = serde_json::from_str(scene.payload)?;
        let mut question = capture.get("stdin").cloned().unwrap_or_default();
        if let Change::Command(command) = scene.change
            && let Some(place) = question.pointer_mut("/tool_input/command")
        {
            *place = command.into();
        }
        let home = self.places.home.to_string_lossy();
        let mut text = question.to_string().replace("/home/ann", &home);
        if matches!(scene.change, Change::CutOff) {
            text.pop();
        }
        Ok(text.into_bytes())
    }

    /// A copy of the ledger with one change.
    pub(crate) fn copy(&self, forgery: Forgery) -> io::Result<PathBuf> {
        let copy = self.root.join(match forgery {
            Forgery::Edit => EDITED,
            Forgery::CutEnd => CUT,
        });
        for name in BESIDE.into_iter().chain([HEAD]) {
            fs::copy(self.ledger().join(name), copy.join(name))?;
        }
        let text = fs::read_to_string(self.ledger().join(LOG))?;
        let forged = match forgery {
            Forgery::Edit => text.replacen("\"verdict\":\"ask\"", "\"verdict\":\"allow\"", 1),
            Forgery::CutEnd => {
                let kept = text.lines().count().saturating_sub(1);
                text.split_inclusive('\n').take(kept).collect()
            }
        };
        fs::write(copy.join(LOG), forged)?;
        Ok(copy)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _left = self.clear();
    }
}

/// Removes the files of one folder of ours, and no folder in it.
fn emptied(folder: &Path) -> io::Result<()> {
    let Ok(entries) = folder.read_dir() else { return Ok(()) };
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            gone(fs::remove_file(entry.path()))?;
        }
    }
    Ok(())
}

/// What is not there needs no removing.
fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
