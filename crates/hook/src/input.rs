//! Reading a question that may be too long, or never end.

use std::io::{self, ErrorKind};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// The longest question that is looked at.
pub const LIMIT: usize = 2 << 20;
/// How long a question may take to arrive: less than the shortest time-out of an agent.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// How much is read at a time. Most questions are shorter.
const CHUNK: usize = 8 << 10;

/// Reads to the end, at most one byte more than [`LIMIT`] and for at most `patience`. More than the limit is refused by
/// whoever reads the bytes.
///
/// # Errors
/// When the stream fails, or does not end in time.
pub fn read(from: impl AsFd, patience: Duration) -> io::Result<Vec<u8>> {
    let deadline = Instant::now() + patience;
    let mut bytes = Vec::new();
    let mut chunk = [0; CHUNK];
    while bytes.len() <= LIMIT {
        wait(&from, deadline)?;
        let want = chunk.len().min(LIMIT + 1 - bytes.len());
        match rustix::io::read(&from, chunk.get_mut(..want).unwrap_or_default()) {
            Ok(0) => break,
            Ok(n) => bytes.extend_from_slice(chunk.get(..n).unwrap_or_default()),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(e) => return Err(e.into()),
        }
    }
    Ok(bytes)
}

/// Waits until there is something to read, or the end.
fn wait(from: &impl AsFd, deadline: Instant) -> io::Result<()> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        let left = Timespec::try_from(left).map_err(|_| ErrorKind::InvalidInput)?;
        let mut polled = [PollFd::new(from, PollFlags::IN)];
        match poll(&mut polled, Some(&left)) {
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(e) => return Err(e.into()),
        }
    }
}
