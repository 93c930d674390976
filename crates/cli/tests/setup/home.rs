//! A throw-away person: a home, a copy of the programs, and a `PATH` with chosen agents on it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

pub(crate) struct Home {
    pub(crate) dir: PathBuf,
    env: Vec<(&'static str, String)>,
}

/// What a command printed and returned.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A Codex that knows one question. It trusts the hash `sha256:feed`, as the real one trusts what stands in its table.
const CODEX: &str = r#"#!/bin/sh
d=${CODEX_HOME:-$HOME/.codex}
while read -r line; do
  case $line in
  *'"initialize"'*) echo '{"id":1,"result":{}}' ;;
  *hooks/list*)
    t=untrusted
    grep -q 'trusted_hash = "sha256:feed"' "$d/config.toml" 2>/dev/null && t=trusted
    echo '{"method":"note"}'
    n=0
    grep -q theirs "$d/hooks.json" && n=1
    echo "{\"id\":2,\"result\":{\"data\":[{\"cwd\":\"/\",\"hooks\":[{\"key\":\"$d/hooks.json:pre_tool_use:$n:0\",\"command\":\"/x/tollgate-hook codex\",\"sourcePath\":\"$d/hooks.json\",\"enabled\":true,\"currentHash\":\"sha256:feed\",\"trustStatus\":\"$t\"}]}]}}" ;;
  esac
done
"#;

impl Home {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("home-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(dir.join("bin")).unwrap();
        fs::create_dir_all(dir.join("work/.git")).unwrap();
        fs::hard_link(env!("CARGO_BIN_EXE_tollgate"), dir.join("bin/tollgate")).unwrap();
        let home = Self { dir, env: Vec::new() };
        home.script("bin/tollgate-hook", "#!/bin/sh\n# the hook\n");
        home
    }

    /// The same with a variable set.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    /// The same with a Codex on `PATH`.
    pub(crate) fn with_codex(self) -> Self {
        self.script("path/codex", CODEX);
        fs::create_dir_all(self.at(".codex")).unwrap();
        self
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.dir.join(path)
    }

    pub(crate) fn script(&self, path: &str, text: &str) {
        self.write(path, text);
        fs::set_permissions(self.at(path), fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.at(path)).ok()
    }

    /// Runs `tollgate` with these words.
    pub(crate) fn tollgate(&self, words: &str) -> Said {
        self.run(&self.at("bin/tollgate"), words)
    }

    /// The same in another working directory.
    pub(crate) fn tollgate_in(&self, folder: &str, words: &str) -> Said {
        self.run_in(folder, &self.at("bin/tollgate"), words)
    }

    pub(crate) fn run(&self, program: &Path, words: &str) -> Said {
        self.run_in("work", program, words)
    }

    fn run_in(&self, folder: &str, program: &Path, words: &str) -> Said {
        let mut command = Command::new(program);
        command
            .args(words.split_whitespace())
            .current_dir(self.at(folder))
            .env_clear()
            .env("HOME", &self.dir)
            .env("PATH", format!("{}:/usr/bin:/bin", self.at("path").display()))
            .envs(self.env.iter().map(|(name, value)| (name, value)));
        // A test beside this one may have forked while this program was being written, and hold it open until it starts
        // its own.
        let started = std::iter::repeat_with(|| command.output())
            .find(|tried| !matches!(tried, Err(e) if e.kind() == std::io::ErrorKind::ExecutableFileBusy));
        Said::from(started.unwrap().unwrap())
    }

    /// Every file below the home that is not ours, with its content.
    pub(crate) fn foreign(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        let folders = agents::Agent::ALL.map(agents::Agent::folder);
        for folder in folders.into_iter().chain(["work", "dotfiles"]) {
            collect(&self.at(folder), &mut found);
        }
        found.sort();
        found
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.dir);
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self {
            code: output.status.code().unwrap_or(-1),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

impl Said {
    /// The code, after checking that both outputs together hold every word.
    pub(crate) fn code_saying(&self, words: &[&str]) -> i32 {
        let all = format!("{}{}", self.out, self.err);
        words
            .iter()
            .for_each(|word| assert!(all.contains(word), "no `{word}` in: {all}"));
        self.code
    }
}

fn collect(path: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    if path.is_dir() {
        found.push((path.to_path_buf(), Vec::new()));
        fs::read_dir(path)
            .unwrap()
            .for_each(|entry| collect(&entry.unwrap().path(), found));
    } else if path.exists() {
        found.push((path.to_path_buf(), fs::read(path).unwrap()));
    }
}

/// Whether an agent started these tests: then nothing may be installed, and the tests that do so are skipped aloud.
pub(crate) fn inside_an_agent() -> bool {
    let mut pid = std::process::id().to_string();
    while pid != "0" {
        let comm = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        if agents::Agent::ALL
            .iter()
            .any(|agent| agent.programs().contains(&comm.trim()))
        {
            eprintln!("SKIPPED: an agent started these tests, and no agent can install Tollgate");
            return true;
        }
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let parent = stat.rsplit(')').next().unwrap_or_default().split_whitespace().nth(1);
        pid = parent.unwrap_or("0").to_owned();
    }
    false
}
