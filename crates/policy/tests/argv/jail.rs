//! Runs a script in bash where every program but a few filters is a recorder: it writes down how it was called.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Programs that do nothing but write down their words.
const RECORDERS: [&str; 5] = ["recx", "recy", "recz", "touch", "mkdir"];

/// Real programs: they start others, or turn their input into their output.
const REAL: [&str; 12] = [
    "bash", "env", "nice", "nohup", "timeout", "setsid", "xargs", "cat", "tee", "base64", "tr", "rev",
];

/// A network and processes of its own: when the script is ended, nothing that it started stays.
const APART: [&str; 4] = ["-rn", "--pid", "--fork", "--kill-child"];

/// No script of ours runs for longer than a blink.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Jail {
    root: PathBuf,
    bash: PathBuf,
    /// What gives the script a network and processes of its own, where that is possible.
    apart: Option<PathBuf>,
}

/// One call of a recorder.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) cwd: String,
    pub(crate) name: String,
    pub(crate) words: Vec<String>,
}

/// What really happened.
#[derive(Debug, Default)]
pub(crate) struct Ran {
    pub(crate) calls: Vec<Call>,
    /// Files that are there now, absolute.
    pub(crate) files: Vec<String>,
}

fn real(name: &str) -> Option<PathBuf> {
    ["/usr/bin", "/bin"]
        .iter()
        .map(|dir| Path::new(dir).join(name))
        .find(|path| path.is_file())
}

impl Jail {
    /// `None` when a needed program is missing.
    pub(crate) fn new(root: PathBuf) -> Option<Self> {
        empty(&root);
        let bin = root.join("bin");
        fs::create_dir_all(&bin).expect("a folder for the programs");
        let bash = real("bash")?;
        for name in REAL {
            symlink(real(name)?, bin.join(name)).expect("a link to a program");
        }
        for name in RECORDERS {
            let path = bin.join(name);
            let text = format!(
                "#!{} -p\nprintf '%s\\0' \"$#\" \"$PWD\" \"${{0##*/}}\" \"$@\" >> '{}'\n",
                bash.display(),
                root.join("record").display()
            );
            let mut file = fs::File::create(&path).expect("a recorder");
            file.write_all(text.as_bytes()).expect("a recorder");
            drop(file);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a recorder that can be started");
        }
        let apart = real("unshare").filter(|unshare| cuts_off(unshare));
        Some(Self { root, bash, apart })
    }

    /// Where scripts run.
    pub(crate) fn cwd(&self) -> PathBuf {
        self.root.join("here")
    }

    pub(crate) fn run(&self, script: &str) -> Ran {
        let (record, here) = (self.root.join("record"), self.cwd());
        empty(&here);
        fs::create_dir_all(&here).expect("a place to run in");
        fs::write(&record, "").expect("an empty record");
        self.bash(script);
        let mut ran = Ran {
            calls: calls(&fs::read(&record).expect("the record")),
            files: Vec::new(),
        };
        list(&here, &mut ran.files);
        ran.files.sort();
        ran
    }

    fn bash(&self, script: &str) {
        let limits = "ulimit -t 5 -f 64 -c 0; exec \"$0\" --norc --noprofile -c \"$1\"";
        let bash = self.bash.to_string_lossy();
        let mut words = vec![&*bash, "--norc", "--noprofile", "-c", limits, &bash, script];
        let unshare = self.apart.as_ref().map(|path| path.to_string_lossy());
        if let Some(unshare) = &unshare {
            words.splice(0..0, [&[&**unshare], &APART[..]].concat());
        }
        let mut child = command(words[0])
            .args(&words[1..])
            .current_dir(self.cwd())
            .env_clear()
            .env("PATH", self.root.join("bin"))
            .env("HOME", "/home/ann")
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("bash starts");
        let start = Instant::now();
        while child.try_wait().expect("bash can be waited for").is_none() {
            if start.elapsed() > PATIENCE {
                child.kill().expect("bash can be ended");
                panic!("it does not end: {script}");
            }
            sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Jail {
    fn drop(&mut self) {
        empty(&self.root);
    }
}

#[allow(clippy::disallowed_methods, reason = "bash is the oracle: it has to run")]
fn command(program: &str) -> Command {
    Command::new(program)
}

/// Whether that is possible here.
fn cuts_off(unshare: &Path) -> bool {
    let mut child = command(&unshare.to_string_lossy());
    child.args(APART).arg("true").stderr(Stdio::null());
    child.status().is_ok_and(|status| status.success())
}

/// A record: of each call the number of its words, where it ran, its name, and its words, each ended by a NUL.
fn calls(record: &[u8]) -> Vec<Call> {
    let fields = record.split(|byte| *byte == 0);
    let mut fields = fields.map(|field| String::from_utf8_lossy(field).into_owned());
    let mut calls = Vec::new();
    while let Some(count) = fields.next().filter(|count| !count.is_empty()) {
        let count: usize = count.parse().expect("a record starts with a number");
        calls.push(Call {
            cwd: fields.next().expect("a place"),
            name: fields.next().expect("a name"),
            words: fields.by_ref().take(count).collect(),
        });
    }
    calls
}

fn list(dir: &Path, files: &mut Vec<String>) {
    for entry in fs::read_dir(dir).expect("a folder of ours") {
        let path = entry.expect("an entry of ours").path();
        if path.is_dir() {
            list(&path, files);
        } else {
            files.push(path.to_string_lossy().into_owned());
        }
    }
}

/// Removes what is in a folder of ours, and the folder. Links are removed, not followed.
fn empty(dir: &Path) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries {
        let path = entry.expect("an entry of ours").path();
        if path.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
            empty(&path);
        } else {
            fs::remove_file(&path).expect("a file of ours");
        }
    }
    fs::remove_dir(dir).expect("a folder of ours");
}
