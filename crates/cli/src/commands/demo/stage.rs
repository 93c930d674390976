//! The throw-away place of the demo: a home, a project with a repository, and nothing else.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use broker::Places;
use serde_json::Value;
use tempfile::TempDir;

use crate::commands::demo::script::{Change, Forgery, Scene};

/// The log's name in the ledger's folder, and that of the file with its head.
const LOG: &str = "000001.ndjson";
const HEAD: &str = "head";

/// What stands in the project and in the home.
const FILES: [(&str, &str); 9] = [
    ("home/shop/Cargo.toml", "[package]\nname = \"shop\"\n"),
    ("home/shop/src/main.rs", "fn main() {\n    let x = \"one\";\n}\n"),
    ("home/shop/docs/notes.md", "Never type rm -rf / anywhere.\n"),
    ("home/shop/.git/HEAD", "ref: refs/heads/main\n"),
    (
        "home/shop/.git/config",
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
    ),
    ("home/shop/.git/refs/heads/.keep", ""),
    ("home/shop/.git/objects/.keep", ""),
    ("home/.ssh/id_ed25519", "not a key\n"),
    ("home/.bashrc", "# nothing\n"),
];

/// The place, which goes when this value goes.
pub(crate) struct Stage {
    folder: TempDir,
    root: PathBuf,
    places: Places,
}

impl Stage {
    /// Builds it below the folder for temporary files.
    pub(crate) fn build() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("tollgate-demo-").tempdir()?;
        let root = folder.path().canonicalize()?;
        for (name, text) in FILES {
            let file = root.join(name);
            file.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(file, text)?;
        }
        let home = root.join("home");
        let places = Places {
            config: home.join(".config/tollgate"),
            state: home.join(".local/state/tollgate"),
            data: home.join(".local/share/tollgate"),
            own_home: None,
            home,
        };
        Ok(Self { folder, root, places })
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

    /// Removes it.
    pub(crate) fn clear(self) -> io::Result<()> {
        self.folder.close()
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
            Forgery::Edit => "edited",
            Forgery::CutEnd => "cut",
        });
        fs::create_dir(&copy)?;
        fs::copy(self.ledger().join(HEAD), copy.join(HEAD))?;
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
