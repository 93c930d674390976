//! Stops where a text is never done with, which nothing else could tell of.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{process, thread};

/// For how long a text may be tried.
const LONGEST: Duration = Duration::from_secs(10);

/// What is being tried: since when, and what keeps it.
static TRIED: Mutex<Option<(Instant, Keep)>> = Mutex::new(None);

type Keep = Box<dyn Fn() -> String + Send>;

/// Looks at the clock from now on.
pub(crate) fn start() {
    thread::spawn(|| {
        loop {
            thread::sleep(Duration::from_secs(1));
            let tried = TRIED.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, keep)) = tried.as_ref().filter(|(since, _)| since.elapsed() > LONGEST) {
                println!("HANGS\n    {}", keep());
                process::exit(1);
            }
        }
    });
}

/// Tries something; if it takes too long, `keep` says what it was, and the program ends.
pub(crate) fn over<T>(keep: impl Fn() -> String + Send + 'static, run: impl FnOnce() -> T) -> T {
    let set = |to| *TRIED.lock().unwrap_or_else(PoisonError::into_inner) = to;
    set(Some((Instant::now(), Box::new(keep))));
    let done = run();
    set(None);
    done
}
