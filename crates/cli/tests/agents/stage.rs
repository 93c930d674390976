//! A person's home for one run of one client: something to lose, a project to work in, and Tollgate installed by itself.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use agents::json::{self, Json};
use agents::{Agent, Run, Step};
use live::Model;

use crate::clients::{node, program};

pub(crate) const KEY: &str = "-----BEGIN OPENSSH PRIVATE KEY-----\nbm90IGEga2V5\n-----END OPENSSH PRIVATE KEY-----\n";
pub(crate) const PROFILE: &str = "# the person's own\n";

/// How long one run of a client may take.
const LIMIT: Duration = Duration::from_secs(90);

/// Hooks that give no answer: what they are, and what stands in the place of the program; nothing where it is missing.
pub(crate) const BROKEN: [(&str, Option<&str>); 3] = [
    ("killed", Some("#!/bin/sh\nkill -9 $$\n")),
    ("failing", Some("#!/bin/sh\necho noise\nexit 1\n")),
    ("missing", None),
];

pub(crate) struct Stage {
    pub(crate) home: PathBuf,
    /// What the commands of this person find on `PATH`, before the system's own.
    pub(crate) path: Vec<PathBuf>,
}

impl Stage {
    /// A fresh home of that name.
    pub(crate) fn new(name: &str) -> Self {
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stage").join(name);
        let _absent = fs::remove_dir_all(&home);
        fs::create_dir_all(home.join("project")).unwrap();
        let stage = Self { home, path: Vec::new() };
        stage.write(".ssh/id_rsa", KEY);
        stage.write(".bashrc", PROFILE);
        stage.write("thesis.txt", "the only copy\n");
        stage.write("project/hello.txt", "line one\n");
        let git = Command::new("git")
            .args(["init", "-q"])
            .current_dir(stage.project())
            .env("HOME", &stage.home)
            .status();
        assert!(git.unwrap().success());
        stage
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.home.join("project")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.home.join(".local/state/tollgate")
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.home.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Adds the fields of an object to a file of settings.
    pub(crate) fn merge(&self, path: &str, fields: &str) {
        let object = |text: &str| match json::parse(text.as_bytes()).unwrap() {
            Json::Object(fields) => fields,
            other => panic!("{other:?} is no object"),
        };
        let mut all = object(&self.read(path).unwrap_or_else(|| "{}".to_owned()));
        all.extend(object(fields));
        self.write(path, &Json::Object(all).text());
    }

    pub(crate) fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.home.join(path)).ok()
    }

    /// Whether everything of the person is as it was.
    pub(crate) fn is_whole(&self) -> bool {
        self.read(".ssh/id_rsa").as_deref() == Some(KEY)
            && self.read(".bashrc").as_deref() == Some(PROFILE)
            && self.read("thesis.txt").is_some()
    }

    /// A program with this person's environment and nothing else.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let path: Vec<String> = self
            .path
            .iter()
            .map(|folder| format!("{}:", folder.display()))
            .collect();
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", &self.home)
            .env("PATH", format!("{}/usr/local/bin:/usr/bin:/bin", path.concat()))
            .env("TMPDIR", "/tmp")
            .env("LANG", "C.UTF-8")
            .env("SHELL", "/bin/bash")
            .env("TERM", "xterm-256color")
            .current_dir(self.project())
            .stdin(Stdio::null());
        command
    }

    /// The client of an agent, as it is driven by a model: in its most permissive mode.
    pub(crate) fn client(&self, agent: Agent, model: &Model) -> Command {
        let drive = agent.drive().unwrap();
        let home = self.home.display().to_string();
        let run = Run {
            url: model.url(),
            home: &home,
        };
        for (path, text) in drive.files(run) {
            match self.read(path) {
                // Trust in the hook stands there too.
                Some(_) if path.ends_with(".toml") => {}
                _ if path.ends_with(".json") => self.merge(path, &text),
                _ => self.write(path, &text),
            }
        }
        let start = |args: Vec<String>| {
            let program = program(agent);
            let mut client = if program.extension().is_some_and(|ending| ending == "js") {
                let mut client = self.command(node());
                client.arg(program);
                client
            } else {
                self.command(program)
            };
            client.args(args).envs(drive.env(run));
            if agent == Agent::Copilot {
                // It unpacks itself there at its first start.
                let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("agents-cache");
                fs::create_dir_all(&cache).unwrap();
                client.env("XDG_CACHE_HOME", cache);
            }
            client
        };
        let before = drive.before(run);
        if !before.is_empty() {
            assert!(start(before).output().unwrap().status.success());
        }
        start(drive.args(run))
    }

    /// Puts the client on this person's `PATH`, as an installation would.
    pub(crate) fn install_client(&mut self, agent: Agent) {
        let folder = self.home.join("bin");
        fs::create_dir_all(&folder).unwrap();
        let name = agent.programs().first().unwrap();
        std::os::unix::fs::symlink(program(agent), folder.join(name)).unwrap();
        if program(agent).extension().is_some_and(|ending| ending == "js") {
            std::os::unix::fs::symlink(node(), folder.join("node")).unwrap();
            fs::set_permissions(program(agent), fs::Permissions::from_mode(0o755)).unwrap();
        }
        self.path.push(folder);
    }

    /// Puts another program in the place of the installed hook, or none.
    pub(crate) fn replace_hook(&self, text: Option<&str>) {
        let hook = self.home.join(".local/share/tollgate/bin/tollgate-hook");
        match text {
            Some(text) => fs::write(hook, text).unwrap(),
            None => fs::remove_file(hook).unwrap(),
        }
    }

    /// Runs `tollgate`, which must succeed.
    pub(crate) fn tollgate(&self, words: &str) -> String {
        let program = Path::new(env!("CARGO_BIN_EXE_tollgate"));
        assert!(
            program.with_file_name("tollgate-hook").is_file(),
            "`tollgate-hook` is not built: cargo build -p tollgate-hook comes first"
        );
        let output = self.command(program).args(words.split_whitespace()).output().unwrap();
        assert!(output.status.success(), "tollgate {words}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The verdicts that the ledger has, in the order in which they were decided.
    pub(crate) fn verdicts(&self) -> Vec<String> {
        let text = self.tollgate("log show --jsonl");
        let records = text.lines().map(|line| json::parse(line.as_bytes()).unwrap());
        let word = |record: &Json, field: &str| record.get(field).and_then(Json::as_str).unwrap_or_default().to_owned();
        let decisions = records.filter(|record| word(record, "kind") == "decision");
        decisions.map(|record| word(&record, "verdict")).collect()
    }

    /// Runs a client to its end. With `sealed`, the ledger's folder is mounted read-only for it: a mode would not bind
    /// root.
    pub(crate) fn play(&self, client: Command, sealed: bool) -> Output {
        let mut client = if sealed { self.seal(&client) } else { client };
        let log = |name: &str| fs::File::create(self.home.with_extension(name)).unwrap();
        let mut child = client.stdout(log("out")).stderr(log("err")).spawn().unwrap();
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if started.elapsed() > LIMIT {
                child.kill().unwrap();
                break child.wait().unwrap();
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        let text = |name: &str| fs::read(self.home.with_extension(name)).unwrap();
        Output {
            status,
            stdout: text("out"),
            stderr: text("err"),
        }
    }

    /// The same command in a mount namespace in which the ledger's folder cannot be written.
    fn seal(&self, client: &Command) -> Command {
        const SCRIPT: &str = r#"mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@""#;
        let mut sealed = self.command("unshare");
        sealed
            .args(["-m", "--", "sh", "-c", SCRIPT])
            .arg(self.state())
            .arg(client.get_program())
            .args(client.get_args());
        for (name, value) in client.get_envs() {
            if let Some(value) = value {
                sealed.env(name, value);
            }
        }
        sealed
    }
}

/// A call of a tool whose fields are texts.
pub(crate) fn step(tool: &str, fields: &[(&str, &str)]) -> Step {
    let fields = fields
        .iter()
        .map(|(name, value)| ((*name).to_owned(), Json::String((*value).to_owned())));
    Step {
        tool: tool.to_owned(),
        input: Json::Object(fields.collect()).text(),
    }
}

/// What the model was told, after a check that it was told about every step.
pub(crate) fn heard(model: &Model, steps: usize, output: &Output) -> Vec<String> {
    let heard = model.heard();
    assert_eq!(heard.len(), steps, "{heard:#?}\n{output:#?}");
    heard
}

/// Checks that the model was told that the gate stopped a call.
pub(crate) fn assert_stopped(heard: &str) {
    assert!(heard.contains("Tollgate"), "the model heard: {heard}");
}
