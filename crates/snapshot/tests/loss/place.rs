//! A repository that git made, and what would be lost there.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use policy::{Answer, Loss, Work};
use snapshot::{Known, Looks};
use tempfile::TempDir;

pub(crate) struct Place {
    pub(crate) _dir: TempDir,
    pub(crate) root: PathBuf,
}

/// A repository with two commits, a branch, and nothing lying around.
pub(crate) fn repository() -> Place {
    let dir = TempDir::new().unwrap();
    let root = dir.path().canonicalize().unwrap().join("app");
    fs::create_dir(&root).unwrap();
    let place = Place { _dir: dir, root };
    place.git(&["init", "-q", "-b", "main"]);
    place.write(".gitignore", "build/\n*.log\n.env\n");
    place.write("src/a.rs", "fn a() {}\n");
    place.write("src/b.rs", "fn b() {}\n");
    place.commit("one");
    place.write("src/c.rs", "fn c() {}\n");
    place.commit("two");
    place
}

/// Looks for one judgement, with what the table of paths says.
pub(crate) fn looks() -> Looks {
    let (rebuilt, _) = policy::patterns("rebuilt");
    let (precious, samples) = policy::patterns("precious");
    let all = rebuilt.iter().chain(&precious).chain(&samples);
    let simple = |pattern: &&str| {
        pattern
            .strip_prefix("**/")
            .is_some_and(|name| name.matches('*').count() < 2)
    };
    assert!(
        all.clone().all(simple),
        "a pattern of another form: {:?}",
        all.collect::<Vec<_>>()
    );
    Looks::new(Known {
        rebuilt,
        precious,
        samples,
    })
}

impl Place {
    pub(crate) fn git(&self, args: &[&str]) {
        let out = Command::new("git")
            .args([
                "-c",
                "user.name=t",
                "-c",
                "user.email=t@example.invalid",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(args)
            .current_dir(&self.root)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(
            out.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    pub(crate) fn path(&self, path: &str) -> String {
        self.root.join(path).to_str().unwrap().to_owned()
    }

    pub(crate) fn loss(&self, work: Work<'_>) -> Answer<Loss> {
        looks().loss(&self.root, work)
    }

    pub(crate) fn known(&self, work: Work<'_>) -> Loss {
        match self.loss(work) {
            Answer::Known(loss) => loss,
            other => panic!("{work:?}: {other:?}"),
        }
    }

    pub(crate) fn everything(&self, path: &str) -> Loss {
        self.known(Work::Everything(&self.path(path)))
    }
}
