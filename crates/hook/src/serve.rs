//! One question of an agent, from its first byte to the exit code.

use std::ffi::OsString;
use std::os::fd::AsFd as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{io, panic, process, thread};

use agents::{Agent, Refusal, Reply};
use broker::{Broker, Given, Places};

use crate::{Args, PATIENCE, parse, read, write};

/// How long a judgement may take. The agents wait for a minute and more, and then let the call run.
pub(crate) const DEADLINE: Duration = Duration::from_secs(5);
/// How long the record of a late refusal may take.
const GRACE: Duration = Duration::from_secs(1);
/// The watch sleeps, and once in its life it writes a sentence.
const STACK: usize = 128 << 10;

/// Answers the question on standard input, by the arguments after the program's name.
#[must_use]
pub fn serve(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    // The default hook prints to standard error, where an agent shows it to its model.
    panic::set_hook(Box::new(|_| {}));
    outlive_file_limit();
    let args = match parse(args) {
        Ok(args) => args,
        Err((agent, why)) => return misused(agent, &why),
    };
    let agent = args.agent;
    let refuse = |sentence: &str| {
        if args.news {
            agents::pass(agent)
        } else {
            agents::refuse(agent, sentence)
        }
    };
    let question = match read(io::stdin(), PATIENCE) {
        Ok(question) => Arc::new(question),
        Err(e) => {
            return say(&refuse(&format!(
                "Tollgate refused this call: its question could not be read ({e})."
            )));
        }
    };
    let progress = Arc::new(Progress::default());
    watch(&args, &question, &progress);
    let waits = |time: Duration| progress.wait(time);
    let places = Places::find(args.given.clone());
    let reply = crate::run_waiting(agent, places, &question, Some(&waits), args.news);
    if progress.answered.swap(true, Ordering::SeqCst) {
        // The watch is answering, and ends the process.
        thread::sleep(DEADLINE);
    }
    say(&reply)
}

/// Where files may not grow (`ulimit -f`), a write would end the process without a word, and the call would run. With a
/// handler the write fails like any other, and the call is refused.
fn outlive_file_limit() {
    let noticed = Arc::new(AtomicBool::new(false));
    // Without a handler nothing is worse than before.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, noticed);
}

/// How far the answer is.
#[derive(Debug, Default)]
struct Progress {
    answered: AtomicBool,
    /// How long a person is waited for, in milliseconds.
    waits: AtomicU64,
}

impl Progress {
    fn wait(&self, time: Duration) {
        let time = u64::try_from(time.as_millis()).unwrap_or_default();
        self.waits.store(time, Ordering::SeqCst);
    }

    fn deadline(&self) -> Duration {
        DEADLINE + Duration::from_millis(self.waits.load(Ordering::SeqCst))
    }
}

/// Refuses in time where a judgement hangs: on a dead network drive, or on a text that nobody thought of.
fn watch(args: &Args, question: &Arc<Vec<u8>>, progress: &Arc<Progress>) {
    let (args, question, progress) = (args.clone(), Arc::clone(question), Arc::clone(progress));
    let started = Instant::now();
    let watching = thread::Builder::new().stack_size(STACK).spawn(move || {
        while let Some(left) = progress.deadline().checked_sub(started.elapsed()) {
            thread::sleep(left);
        }
        if !progress.answered.swap(true, Ordering::SeqCst) {
            let agent = args.agent;
            // The ledger may be what hangs.
            let news = args.news;
            let recording = thread::spawn(move || record_late(agent, args.given, &question));
            let from = Instant::now();
            while !recording.is_finished() && from.elapsed() < GRACE {
                thread::sleep(Duration::from_millis(5));
            }
            let reply = if news {
                agents::pass(agent)
            } else {
                agents::refuse(agent, "Tollgate refused this call: judging it took too long.")
            };
            let code = write(&reply, io::stdout().as_fd(), io::stderr().as_fd());
            process::exit(i32::from(code));
        }
    });
    // Without a thread there is still the bound on the work itself.
    drop(watching);
}

/// A hook entry that was written wrong must not let anything run. Where the agent is not known, the exit code that
/// blocks in all of them is used too.
fn misused(agent: Option<Agent>, why: &str) -> ExitCode {
    let sentence =
        format!("Tollgate refused this call: its hook is set up wrongly, {why}. Run `tollgate install` again.");
    let mut reply = agents::refuse(agent.unwrap_or(Agent::Claude), &sentence);
    if agent.is_none() {
        reply = Reply {
            stderr: format!("{sentence}\n").into_bytes(),
            code: 2,
            ..reply
        };
    }
    say(&reply)
}

fn say(reply: &Reply) -> ExitCode {
    let code = write(reply, io::stdout().as_fd(), io::stderr().as_fd());
    ExitCode::from(code)
}

fn late() -> Refusal {
    Refusal {
        kind: "late",
        sentence: String::from("Judging the question took too long."),
        hint: String::new(),
    }
}

/// Records that a question was refused because judging it took too long.
fn record_late(agent: Agent, given: Given, stdin: &[u8]) {
    if let Ok(places) = Places::find(given) {
        let _ = Broker::open(places).record_malformed(agent, stdin, &late());
    }
}
