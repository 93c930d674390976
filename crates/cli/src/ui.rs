//! The only place that prints.

use std::io::{self, IsTerminal as _, Write};
use std::time::{Duration, Instant};

use crate::exit::{Exit, Fault};

/// Standard output and standard error. A reader that goes away is no error; a full disk is one, told at the end.
pub(crate) struct Ui {
    out: Out,
    err: Box<dyn Write>,
}

impl Ui {
    pub(crate) fn new() -> Self {
        Self {
            out: Out::new(Box::new(io::stdout())),
            err: Box::new(io::stderr()),
        }
    }

    /// Writes one line of output.
    pub(crate) fn line(&mut self, line: impl AsRef<str>) {
        let _gone = writeln!(self.out, "{}", line.as_ref());
    }

    /// Writes text of several lines as it is.
    pub(crate) fn text(&mut self, text: &str) {
        let _gone = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
    }

    /// Standard output for bytes that are handed on as they are.
    pub(crate) fn raw(&mut self) -> &mut dyn Write {
        &mut self.out
    }

    /// Whether nobody reads standard output any more. A pipe says so before anything is written into it.
    pub(crate) fn reader_is_gone(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let stdout = io::stdout();
        let mut fds = [PollFd::new(&stdout, PollFlags::empty())];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let gone = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
        poll(&mut fds, Some(&now)).is_ok() && fds.iter().any(|fd| fd.revents().intersects(gone))
    }

    /// Hands on the exit code, unless output was lost: then that is what the program has to say.
    pub(crate) fn end(&mut self, exit: Exit) -> Exit {
        let _kept = self.out.flush();
        match self.out.failed.take() {
            None => exit,
            Some(e) => self.fault(
                &Fault::new(Exit::Io, format!("Standard output could not be written: {e}."))
                    .hint("What was printed is not whole."),
            ),
        }
    }

    /// Writes one line for the person that is no output.
    pub(crate) fn note(&mut self, line: impl AsRef<str>) {
        let _gone = writeln!(self.err, "{}", line.as_ref());
    }

    /// A bar for long work, on a terminal only.
    pub(crate) fn progress(&mut self, what: &'static str) -> Progress<'_> {
        let shown = io::stderr().is_terminal();
        let from = Instant::now();
        Progress {
            err: &mut *self.err,
            what,
            shown,
            from,
            drawn: false,
        }
    }

    /// Says what went wrong, and hands on the exit code.
    pub(crate) fn fault(&mut self, fault: &Fault) -> Exit {
        // A fault may name what stands in a file that came with a clone.
        self.note(scrub::visible(&format!("tollgate: {}", fault.sentence)));
        if !fault.hint.is_empty() {
            self.note(scrub::visible(&format!("hint: {}", fault.hint)));
        }
        fault.exit
    }

    /// Whether there is a terminal to ask on.
    pub(crate) fn can_ask(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Asks a person for a word on the terminal. Without one, and where nothing is typed, it is `usual`.
    pub(crate) fn ask(&mut self, question: &str, usual: &str) -> String {
        if !self.can_ask() {
            return usual.to_owned();
        }
        let _gone = write!(self.err, "{question} [{usual}] ").and_then(|()| self.err.flush());
        let mut answer = String::new();
        let read = io::stdin().read_line(&mut answer);
        match answer.trim() {
            word if read.is_ok() && !word.is_empty() => word.to_owned(),
            _ => usual.to_owned(),
        }
    }

    /// Asks a person a question on the terminal. No terminal, no yes.
    pub(crate) fn confirm(&mut self, question: &str) -> bool {
        if !self.can_ask() {
            return false;
        }
        let _gone = write!(self.err, "{question} [y/N] ").and_then(|()| self.err.flush());
        let mut answer = String::new();
        io::stdin().read_line(&mut answer).is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
    }
}

/// Standard output, with the first failure kept that is more than a reader who went away.
struct Out {
    to: Box<dyn Write>,
    failed: Option<io::Error>,
}

impl Out {
    fn new(to: Box<dyn Write>) -> Self {
        Self { to, failed: None }
    }

    /// Keeps a failure; whoever writes learns of it too.
    fn kept<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|e| {
            let kind = e.kind();
            if !matches!(kind, io::ErrorKind::BrokenPipe | io::ErrorKind::Interrupted) {
                self.failed.get_or_insert(e);
            }
            kind.into()
        })
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.to.write(bytes);
        self.kept(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.to.flush();
        self.kept(done)
    }
}

/// Shows how far the making of an index is, on a terminal only. At the end it is taken away.
pub(crate) fn indexing(done: u64, all: u64) {
    let mut err = io::stderr();
    match err.is_terminal() {
        true if done < all => draw(&mut err, "index", done, all),
        true => erase(&mut err),
        false => {}
    }
}

fn draw(err: &mut dyn Write, what: &str, done: u64, all: u64) {
    const WIDTH: u64 = 30;
    let share = done.saturating_mul(100).checked_div(all).unwrap_or_default().min(100);
    let full = usize::try_from(share * WIDTH / 100).unwrap_or_default();
    let rest = usize::try_from(WIDTH).unwrap_or_default().saturating_sub(full);
    let (bar, rest) = ("#".repeat(full), ".".repeat(rest));
    let _gone = write!(err, "\r{what} [{bar}{rest}] {share:>3} %");
}

fn erase(err: &mut dyn Write) {
    let _gone = write!(err, "\r\x1b[K");
}

/// A bar that shows how far long work is.
pub(crate) struct Progress<'a> {
    err: &'a mut dyn Write,
    what: &'static str,
    shown: bool,
    from: Instant,
    drawn: bool,
}

impl Progress<'_> {
    /// How long work may take before a bar is drawn.
    const PATIENCE: Duration = Duration::from_millis(300);

    /// Says how much of it is done.
    pub(crate) fn at(&mut self, done: u64, all: u64) {
        if !self.shown || all == 0 || self.from.elapsed() < Self::PATIENCE {
            return;
        }
        draw(self.err, self.what, done, all);
        self.drawn = true;
    }

    /// Takes the bar away.
    pub(crate) fn end(self) {
        if self.drawn {
            erase(self.err);
        }
    }
}
