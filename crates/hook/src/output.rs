//! Writing an answer so that it counts.

use std::os::fd::BorrowedFd;

use agents::Reply;

/// The exit code that stops a call in every agent when no JSON could be written.
const BLOCK: u8 = 2;

/// Writes the answer, each stream with one call, and returns the exit code to end with. Where standard output does not
/// take it, the exit code and standard error say no instead.
pub fn write(reply: &Reply, out: BorrowedFd<'_>, err: BorrowedFd<'_>) -> u8 {
    if reply.stdout.is_empty() || (!discards(out) && all(out, &reply.stdout)) {
        let _gone = reply.stderr.is_empty() || all(err, &reply.stderr);
        return reply.code;
    }
    // Codex lets a call run when standard error is silent too, so the JSON goes there if there are no other words.
    let words = if reply.stderr.is_empty() {
        &reply.stdout
    } else {
        &reply.stderr
    };
    let _gone = all(err, words);
    BLOCK
}

/// Whether what is written is thrown away. A closed stream has become the null device by the time the program starts.
fn discards(out: BorrowedFd<'_>) -> bool {
    rustix::fs::fstat(out).is_ok_and(|stat| {
        let device = (rustix::fs::major(stat.st_rdev), rustix::fs::minor(stat.st_rdev));
        rustix::fs::FileType::from_raw_mode(stat.st_mode).is_char_device() && device == (1, 3)
    })
}

/// Whether all bytes were taken. The standard streams of `std` are buffered and would hide that.
fn all(to: BorrowedFd<'_>, bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while !rest.is_empty() {
        match rustix::io::write(to, rest) {
            Ok(0) => return false,
            Ok(n) => rest = rest.get(n..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
    true
}
