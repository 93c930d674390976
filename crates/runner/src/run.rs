//! Starting, talking, waiting, killing.

use std::io::{self, BufRead as _, BufReader, Read};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use broker::Clearance;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::{End, Input, Outcome, Profile, Talk};

/// The longest line of a talk; the rest of a longer one is read as the next.
const LINE: u64 = 1 << 20;
/// How many lines may wait to be taken in; a child that prints faster waits.
const WAITING: usize = 64;
/// How often a child is looked at that prints nothing.
const BEAT: Duration = Duration::from_millis(10);
/// How long output is awaited after the end: a child of the child may hold it open for ever.
const DRAIN: Duration = Duration::from_millis(200);

/// Runs a program to its end or its deadline, against a clearance that is used up by it.
#[must_use]
#[expect(
    clippy::needless_pass_by_value,
    reason = "a clearance is used up: it permits one run"
)]
pub fn run(clearance: Clearance, profile: Profile<'_>) -> Outcome {
    carry_out(clearance.program(), profile)
}

fn carry_out(program: &Path, profile: Profile<'_>) -> Outcome {
    let started = Instant::now();
    match start(program, &profile) {
        Ok(child) => Run::new(child, profile.input, profile.keep).attend(started, profile.deadline),
        Err(e) => Outcome {
            end: End::NotStarted(e.to_string()),
            stdout: Vec::new(),
            stderr: Vec::new(),
            cut: false,
        },
    }
}

/// Starts the child in a process group of its own.
fn start(program: &Path, profile: &Profile<'_>) -> io::Result<Child> {
    if !program.is_absolute() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the program is not named by an absolute path",
        ));
    }
    let stdin = if matches!(profile.input, Input::Nothing) {
        Stdio::null()
    } else {
        Stdio::piped()
    };
    Command::new(program)
        .args(&profile.args)
        .current_dir(&profile.cwd)
        .env_clear()
        .envs(profile.env.iter().map(|(name, value)| (name, value)))
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
}

/// What the readers of the two outputs report.
enum News {
    Out(Vec<u8>),
    Err(Vec<u8>),
    Closed,
}

/// A child that is being attended.
struct Run<'p> {
    child: Child,
    stdin: Option<Sender<Vec<u8>>>,
    talk: Option<&'p mut dyn FnMut(&str) -> Talk>,
    news: Receiver<News>,
    keep: usize,
    open: usize,
    outcome: Outcome,
}

impl<'p> Run<'p> {
    fn new(mut child: Child, input: Input<'p>, keep: usize) -> Self {
        let (sender, news) = mpsc::sync_channel(WAITING);
        let mut open = 0;
        if let Some(out) = child.stdout.take() {
            open += 1;
            read(out, sender.clone(), News::Out);
        }
        if let Some(err) = child.stderr.take() {
            open += 1;
            read(err, sender, News::Err);
        }
        let stdin = child.stdin.take().map(write);
        let outcome = Outcome {
            end: End::TimedOut,
            stdout: Vec::new(),
            stderr: Vec::new(),
            cut: false,
        };
        let mut run = Self {
            child,
            stdin,
            talk: None,
            news,
            keep,
            open,
            outcome,
        };
        match input {
            Input::Nothing => {}
            Input::Bytes(bytes) => {
                let _gone = run.stdin.take().map(|stdin| stdin.send(bytes));
            }
            Input::Talk(talk) => {
                run.talk = Some(talk);
                run.hear("");
            }
        }
        run
    }

    fn attend(mut self, started: Instant, deadline: Duration) -> Outcome {
        let mut looked = started;
        while started.elapsed() < deadline {
            // A child that prints without pause is looked at now and then all the same.
            if self.listen(BEAT) && looked.elapsed() < BEAT {
                continue;
            }
            looked = Instant::now();
            if self.has_ended() {
                break;
            }
        }
        let ended = self.has_ended();
        // The group is killed before its leader is reaped, so that its number cannot belong to anybody else yet.
        self.kill();
        let status = self.child.wait();
        self.drain();
        if ended {
            self.outcome.end = end(status);
        }
        self.outcome
    }

    /// Takes in what the child prints, for a moment; true when there was something. A child that has closed its outputs is only waited for.
    fn listen(&mut self, moment: Duration) -> bool {
        if self.open == 0 {
            thread::sleep(moment);
            return false;
        }
        match self.news.recv_timeout(moment) {
            Ok(News::Out(bytes)) => {
                let line = String::from_utf8_lossy(&bytes);
                self.hear(line.trim_end_matches(['\n', '\r']));
                store(&mut self.outcome.stdout, &bytes, self.keep, &mut self.outcome.cut);
                true
            }
            Ok(News::Err(bytes)) => {
                store(&mut self.outcome.stderr, &bytes, self.keep, &mut self.outcome.cut);
                true
            }
            Ok(News::Closed) => {
                self.open -= 1;
                self.open > 0
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => false,
        }
    }

    /// Hands a line to the talk and says its answer. A child that does not listen any more ends the talk.
    fn hear(&mut self, line: &str) {
        let (Some(talk), Some(stdin)) = (self.talk.as_mut(), self.stdin.as_mut()) else {
            return;
        };
        let over = match talk(line) {
            Talk::Say(bytes) => stdin.send(bytes).is_err(),
            Talk::Listen => false,
            Talk::End => true,
        };
        if over {
            self.stdin = None;
        }
    }

    /// Whether the child has ended; it stays unreaped.
    fn has_ended(&self) -> bool {
        let Some(pid) = self.pid() else { return true };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
    }

    fn kill(&self) {
        if let Some(pid) = self.pid() {
            let _gone = kill_process_group(pid, Signal::KILL);
        }
    }

    fn pid(&self) -> Option<Pid> {
        Pid::from_raw(i32::try_from(self.child.id()).ok()?)
    }

    fn drain(&mut self) {
        let until = Instant::now() + DRAIN;
        while self.open > 0 && Instant::now() < until {
            self.listen(BEAT);
        }
    }
}

/// Reads one output line by line until its end.
fn read(from: impl Read + Send + 'static, to: SyncSender<News>, news: fn(Vec<u8>) -> News) {
    thread::spawn(move || {
        let mut from = BufReader::new(from);
        loop {
            let mut line = Vec::new();
            match from.by_ref().take(LINE).read_until(b'\n', &mut line) {
                Ok(1..) if to.send(news(line)).is_ok() => {}
                _ => break,
            }
        }
        let _gone = to.send(News::Closed);
    });
}

/// Writes beside the reading, so that neither side waits for the other. The input ends when nothing can come any more.
fn write(mut to: impl io::Write + Send + 'static) -> Sender<Vec<u8>> {
    let (sender, bytes) = mpsc::channel::<Vec<u8>>();
    thread::spawn(move || {
        bytes
            .iter()
            .try_for_each(|bytes| to.write_all(&bytes).and_then(|()| to.flush()))
    });
    sender
}

/// Keeps what fits.
fn store(kept: &mut Vec<u8>, bytes: &[u8], keep: usize, cut: &mut bool) {
    let room = keep.saturating_sub(kept.len()).min(bytes.len());
    kept.extend(bytes.iter().take(room));
    *cut |= room < bytes.len();
}

fn end(status: io::Result<ExitStatus>) -> End {
    match status {
        Ok(status) => status
            .code()
            .map_or_else(|| End::Signalled(status.signal().unwrap_or_default()), End::Exited),
        Err(e) => End::NotStarted(e.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn profile<'p>(args: &[&str], input: Input<'p>) -> Profile<'p> {
        Profile {
            args: args.iter().map(OsString::from).collect(),
            cwd: "/".into(),
            env: vec![("PATH".into(), "/usr/bin:/bin".into())],
            input,
            deadline: Duration::from_secs(10),
            keep: 1 << 16,
        }
    }

    fn run(program: &str, profile: Profile<'_>) -> Outcome {
        carry_out(Path::new(program), profile)
    }

    fn sh(script: &str, with: impl FnOnce(&mut Profile<'_>)) -> Outcome {
        let mut profile = profile(&["-c", script], Input::Nothing);
        with(&mut profile);
        run("/bin/sh", profile)
    }

    fn text(bytes: &[u8]) -> String {
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[test]
    fn outputs_code_and_signal_are_told() {
        let outcome = sh("echo one; echo two >&2; pwd; exit 7", |_| {});
        assert_eq!(
            (outcome.end, text(&outcome.stdout), text(&outcome.stderr)),
            (End::Exited(7), "one\n/\n".into(), "two\n".into())
        );
        assert_eq!(sh("kill -9 $$", |_| {}).end, End::Signalled(9));
    }

    /// A profile names no program, so there is none that could differ from the one that was recorded.
    #[test]
    fn the_program_is_that_of_the_clearance() {
        let folder = tempfile::tempdir().unwrap();
        let given = broker::Given {
            config: Some(folder.path().join("config")),
            state: Some(folder.path().join("state")),
            data: Some(folder.path().join("data")),
        };
        let places = broker::Places::from_variables(given, |_| Some(folder.path().into())).unwrap();
        let broker = broker::Broker::open(places);
        for (program, said) in [("/bin/echo", "/bin/sh -c id\n"), ("/usr/bin/printf", "/bin/sh")] {
            let clearance = broker
                .clear_own(broker::Own::CodexAppServer, Path::new(program))
                .unwrap();
            let outcome = super::run(clearance, profile(&["/bin/sh", "-c", "id"], Input::Nothing));
            assert!(
                text(&outcome.stdout).starts_with(said),
                "{program}: {}",
                text(&outcome.stdout)
            );
        }
        let clearance = broker
            .clear_own(broker::Own::CodexAppServer, Path::new("echo"))
            .unwrap();
        let outcome = super::run(clearance, profile(&[], Input::Nothing));
        assert!(matches!(outcome.end, End::NotStarted(_)), "no search in PATH");
    }

    #[test]
    fn nothing_of_the_environment_is_inherited() {
        let outcome = run("/usr/bin/env", profile(&[], Input::Nothing));
        assert_eq!(text(&outcome.stdout), "PATH=/usr/bin:/bin\n");
    }

    #[test]
    fn input_arrives_and_ends() {
        let much = vec![b'x'; 300_000];
        let outcome = run(
            "/bin/cat",
            Profile {
                keep: 400_000,
                ..profile(&[], Input::Bytes(much.clone()))
            },
        );
        assert!(outcome.stdout == much && !outcome.cut);
        assert_eq!(run("/bin/true", profile(&[], Input::Bytes(much))).end, End::Exited(0));
    }

    #[test]
    fn a_talk_goes_line_by_line() {
        let mut heard = Vec::new();
        let mut talk = |line: &str| {
            heard.push(line.to_owned());
            match line {
                "" => Talk::Say(b"one\nno\n".to_vec()),
                "one" => Talk::Listen,
                "no" => Talk::Say(b"two\n".to_vec()),
                _ => Talk::End,
            }
        };
        assert_eq!(
            run("/bin/cat", profile(&[], Input::Talk(&mut talk))).end,
            End::Exited(0)
        );
        assert_eq!(heard, ["", "one", "no", "two"]);
    }

    #[test]
    fn the_deadline_ends_the_whole_group() {
        let script = "sleep 60 & echo $!; trap '' TERM; sleep 60; sleep 60";
        let outcome = sh(script, |late| late.deadline = Duration::from_secs(1));
        assert_eq!(outcome.end, End::TimedOut);
        let pid = text(&outcome.stdout).trim().to_owned();
        assert!(!pid.is_empty());
        // The child of the child is not ours to wait for: whoever inherits it reaps it.
        let is_gone = || {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.is_empty() || stat.contains(") Z ") || stat.contains(") X ")
        };
        let killed = Instant::now();
        while !is_gone() {
            assert!(killed.elapsed() < Duration::from_secs(5), "process {pid} lives on");
            thread::sleep(BEAT);
        }
    }

    #[test]
    fn a_deaf_child_does_not_outlast_the_deadline() {
        let input = Input::Bytes(vec![0; 1 << 20]);
        let deaf = Profile {
            deadline: Duration::from_millis(200),
            ..profile(&["60"], input)
        };
        assert_eq!(run("/bin/sleep", deaf).end, End::TimedOut);
    }

    #[test]
    fn a_child_that_left_the_group_does_not_hold_the_run() {
        let started = Instant::now();
        let outcome = sh("setsid sleep 5 & echo hi", |_| {});
        assert_eq!((outcome.end, text(&outcome.stdout)), (End::Exited(0), "hi\n".into()));
        assert!(started.elapsed() < Duration::from_secs(3));
    }

    #[test]
    fn output_is_bounded() {
        let outcome = sh("yes | head -c 5000000; echo x >&2", |little| little.keep = 10);
        assert_eq!(
            (outcome.stdout.len(), outcome.cut, outcome.end),
            (10, true, End::Exited(0))
        );
        assert_eq!(text(&outcome.stderr), "x\n");
    }

    #[test]
    fn programs_are_named_by_absolute_paths_and_must_exist() {
        for program in ["true", "./true", "/nowhere/true"] {
            assert!(
                matches!(run(program, profile(&[], Input::Nothing)).end, End::NotStarted(_)),
                "{program}"
            );
        }
    }
}
