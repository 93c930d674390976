//! Pages of zeros on the walk: which of them a loss of power has left, as far as a record vouches for that.

use super::report::{BreakKind, NAMED};
use super::walk::Walk;
use crate::hash::Hash;
use crate::head::Head;
use crate::holes;
use crate::key;
use crate::lines::{Link, Mend};
use crate::record::signed_text;

impl Walk {
    /// A line that is no record. Zeros of whole pages are kept in mind until it shows whether a loss of power was noted.
    pub(super) fn no_record(&mut self, line: &[u8], offset: u64) {
        let tag = self.report.breaks.len();
        if tag < NAMED && self.zeros.no_record(line, offset, tag) {
            self.malformed(offset, "zeros stand where a record belongs");
            self.hidden = Some(tag);
        } else {
            self.malformed(offset, "it is no record");
        }
    }

    /// The first record of a boot may say which pages of the boot before had not reached the disk. What it names was so by
    /// then, and the key has signed it: zeros that somebody puts there later are not among it.
    pub(super) fn told_of_zeros(&mut self, link: &Link<'_>, line: &[u8]) {
        let before = self.zeros.record(link);
        if link.kind != "lost" || before.is_empty() || !self.is_signed(link, line) {
            return;
        }
        let named = Mend::parse(line)
            .map(|mend| holes::named(&mend.note))
            .unwrap_or_default();
        for zeros in before.into_iter().filter(|zeros| zeros.among(&named)) {
            let when = "the machine stopped before the disk held them, as the first record after that says";
            self.unflushed(zeros.tag, when);
        }
    }

    /// Zeros at the end of what a boot wrote that is over, about which no record says anything yet.
    /// Says whether the record that the head counts stood there.
    pub(super) fn untold_zeros(&mut self, head: &Head) -> bool {
        let stopped = holes::stopped(head, &self.end.boot);
        let zeros = std::mem::take(&mut self.zeros);
        let mut hidden = false;
        for zeros in zeros.unflushed(head.flushed).filter(|_| stopped) {
            let when = "the machine stopped since, and the next record will say so; until then whoever can write here could have \
                        done it too";
            self.unflushed(zeros.tag, when);
            hidden |= zeros.hide(head.seq);
        }
        hidden
    }

    fn unflushed(&mut self, at: usize, when: &str) {
        if let Some(found) = self.report.breaks.get_mut(at) {
            found.kind = BreakKind::LostUnflushed;
            found.what = format!("{}, which had been let through and not waited for: {when}", found.what);
        }
    }

    /// Whether a record about the ledger itself bears the signature of its segment's key.
    pub(super) fn is_signed(&self, link: &Link<'_>, line: &[u8]) -> bool {
        let prev = link.prev().unwrap_or(Hash::GENESIS);
        Mend::parse(line).zip(self.key.as_deref()).is_some_and(|(mend, key)| {
            let text = signed_text(&link.kind, link.seq, &prev, &mend.note);
            key::signed(key, &text, &mend.signature)
        })
    }
}
