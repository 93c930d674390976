//! The chain as whoever holds the lock sees it: its end, the open segment and that segment's key.

use crate::epochs::{Epoch, Epochs};
use crate::error::LedgerError;
use crate::files::{Log, Slot};
use crate::folder::Folder;
use crate::hash::Hash;
use crate::head::{Condition, Head};
use crate::key::Key;
use crate::lines::MAX_LINE;
use crate::record::{self, Event, Record, Request};
use crate::recover::{self, Notes};
use crate::reserve;
use crate::stamp::Stamp;

/// The chain, open for writing.
pub(crate) struct Chain {
    folder: Folder,
    slot: Slot,
    log: Log,
    key: Key,
    head: Head,
    /// The end was mended just now, so what comes next has to reach the disk.
    mended: bool,
}

impl Chain {
    /// Opens the chain, begins it where there is none, and mends its end where a crash left something there. `resumes` says
    /// whether the reserve is made whole when there is space again, so that all is as it was.
    pub(crate) fn open(folder: Folder, resumes: bool) -> Result<Self, LedgerError> {
        let slot = folder.head()?;
        let text = slot.read()?;
        if let Some(head) = Head::parse(&text)
            && let Some(key) = key_of(&folder, head.segment)?
            && head.sealed(&text, &key)
        {
            return Self::resume(folder, slot, key, head, resumes);
        }
        // What stands beside an empty log says whether there was ever a head.
        let began = !folder.key()?.is_empty() || Epochs::read(&folder)?.lines.len() > 1;
        if is_empty(&folder)? && !began {
            return Self::begin(folder, slot);
        }
        Self::rebuild(folder, slot, if text.is_empty() { "missing" } else { "damaged" })
    }

    /// The beginning. A sealed head stands there before the first byte of the log does, so that no crash leaves a log
    /// without one: where it is missing beside records, somebody took it away.
    fn begin(folder: Folder, slot: Slot) -> Result<Self, LedgerError> {
        let (key, head) = (Key::new(1)?, Head::GENESIS);
        Epochs::clear(&folder)?;
        Epochs::default().add(&folder, &Epoch::after(&head, &key, None, ""))?;
        folder.stage_key(&key.text())?;
        let text = head.text(&key);
        slot.write(&text)?;
        slot.cut(&text)?;
        slot.sync()?;
        let log = folder.log(1)?;
        folder.install_key()?;
        reserve::fill(&folder)?;
        let mended = true;
        Ok(Self {
            folder,
            slot,
            log,
            key,
            head,
            mended,
        })
    }

    /// Goes on after the head that was acknowledged.
    fn resume(folder: Folder, slot: Slot, key: Key, head: Head, resumes: bool) -> Result<Self, LedgerError> {
        let log = folder.log(head.segment)?;
        let mended = false;
        let mut chain = Self {
            folder,
            slot,
            log,
            key,
            head,
            mended,
        };
        if matches!(chain.head.condition, Condition::Turning | Condition::Suspect) {
            chain.finish_turn()?;
        }
        if chain.head.condition == Condition::Suspect {
            chain.leave_suspect()?;
            return Ok(chain);
        }
        let mend = recover::end(&chain.folder, &mut chain.log, &mut chain.head)?;
        chain.tell(mend)?;
        if resumes && chain.head.condition == Condition::Spent && reserve::fill(&chain.folder)? {
            chain.head.condition = Condition::Good;
        }
        Ok(chain)
    }

    /// Makes the head anew from the segments: nothing vouches for it, and the record that is written says so for ever.
    fn rebuild(folder: Folder, slot: Slot, state: &str) -> Result<Self, LedgerError> {
        let mut notes = Notes::unvouched(state);
        let newest = folder.segments()?.last().copied().unwrap_or(1);
        let mut log = folder.log(newest)?;
        let mut head = recover::last(&folder, &mut log, newest, &mut notes)?;
        head.losses = 1;
        let epochs = Epochs::read(&folder)?;
        let named = |key: &Key| epochs.of(newest).is_none_or(|epoch| epoch.key == key.public());
        let key = match key_of(&folder, newest)?.filter(named) {
            Some(key) => key,
            None => {
                let key = Key::new(newest + 1)?;
                let why = format!("the key of segment {newest} was lost");
                epochs.add(&folder, &Epoch::after(&head, &key, None, &why))?;
                folder.stage_key(&key.text())?;
                folder.install_key()?;
                log = empty_log(&folder, newest + 1)?;
                head = head.turned(newest + 1);
                key
            }
        };
        let mended = true;
        let mut chain = Self {
            folder,
            slot,
            log,
            key,
            head,
            mended,
        };
        chain.tell(notes.record())?;
        chain.slot.cut(&chain.head.text(&chain.key))?;
        Ok(chain)
    }

    /// The end of the chain.
    pub(crate) const fn head(&self) -> &Head {
        &self.head
    }

    /// How much of the open segment was read so far.
    pub(crate) const fn bytes_read(&self) -> u64 {
        self.log.read.get()
    }

    /// Adds a record and acknowledges it.
    pub(crate) fn add(&mut self, record: &Record, flush: bool) -> Result<(), LedgerError> {
        let mut head = self.write(record)?;
        if flush || self.mended {
            if let Err(error) = self.log.sync() {
                return Err(self.suspect(error));
            }
            head.flushed = head.seq;
        }
        let waited = flush || self.mended;
        self.head = head;
        self.mended = false;
        self.save()?;
        // Where somebody took the reserve away it is made again, beside a flush that costs more than looking for it.
        if waited && self.head.condition == Condition::Good {
            let _without = reserve::fill(&self.folder);
        }
        Ok(())
    }

    /// Begins the next segment when this one is longer than `limit`.
    pub(crate) fn turn_when_long(&mut self, limit: u64) -> Result<(), LedgerError> {
        // What the full disk has suspended stays so, whatever else there is to do.
        if self.log.len < limit || self.head.condition == Condition::Spent {
            return Ok(());
        }
        if let Err(error) = self.log.sync() {
            return Err(self.suspect(error));
        }
        self.head.flushed = self.head.seq;
        self.head.condition = Condition::Turning;
        self.save()?;
        self.turn()?;
        reserve::fill(&self.folder)?;
        Ok(())
    }

    /// Records, in the place that was kept for that, that there is no place for a record. Says whether that is recorded.
    pub(crate) fn refuse(&mut self, record: &Record, verdict: &str) -> bool {
        // A segment that is half begun is finished first, and that takes place as well.
        let open = matches!(self.head.condition, Condition::Good | Condition::Spent);
        if !open {
            return false;
        }
        self.head.condition = Condition::Spent;
        let recorded = reserve::spend(&self.folder) && self.add(&refusal(record, verdict), true).is_ok();
        if !recorded {
            // A head is written over in place, which takes no space: at least that the disk was full is kept.
            let _unsaid = self.save();
        }
        recorded
    }

    /// Seals this segment and begins the next one. What a crash leaves of it is finished or forgotten by the next append:
    /// the head on the disk says that it was under way.
    fn turn(&mut self) -> Result<(), LedgerError> {
        let next = Key::new(self.head.segment + 1)?;
        self.folder.stage_key(&next.text())?;
        let epoch = Epoch::after(&self.head, &next, Some(&self.key), "");
        Epochs::read(&self.folder)?.add(&self.folder, &epoch)?;
        self.begun(next)
    }

    /// Makes the segment whose epoch was written the open one. The key before is erased only when the new head is on the
    /// disk: with a head of the old segment and no key of it, the end could not be vouched for.
    fn begun(&mut self, next: Key) -> Result<(), LedgerError> {
        let log = empty_log(&self.folder, next.segment)?;
        self.folder.sync()?;
        let head = self.head.turned(next.segment);
        self.slot.write(&head.text(&next))?;
        self.slot.sync()?;
        self.folder.install_key()?;
        (self.log, self.key, self.head) = (log, next, head);
        Ok(())
    }

    /// Goes on with a segment that was being begun, when its epoch was written.
    fn finish_turn(&mut self) -> Result<(), LedgerError> {
        let next = Key::parse(&self.folder.next_key()?).filter(|key| key.segment == self.head.segment + 1);
        let epochs = Epochs::read(&self.folder)?;
        match (next, epochs.last()) {
            (Some(next), Some(epoch)) if epoch.begins(&next, &self.head) => self.begun(next),
            _ if self.head.condition == Condition::Turning => {
                self.head.condition = Condition::Good;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Leaves a segment whose flush failed: what was written after the head is set aside, and the next one is begun.
    fn leave_suspect(&mut self) -> Result<(), LedgerError> {
        let mut notes = Notes::suspect(self.head.segment);
        recover::cut(&self.folder, &mut self.log, &self.head, &mut notes)?;
        self.turn()?;
        self.tell(notes.record())
    }

    /// Notes that a flush failed. The system reports that once and then calls the same bytes clean, so nothing of this
    /// segment is believed or flushed again.
    fn suspect(&mut self, error: LedgerError) -> LedgerError {
        self.head.condition = Condition::Suspect;
        // When this fails too, the disk fails for the next append as well.
        let _unsaid = self.save().and_then(|()| self.slot.sync());
        error
    }

    /// Writes the record that tells what was mended.
    fn tell(&mut self, mend: Option<Record>) -> Result<(), LedgerError> {
        if let Some(mend) = mend {
            if matches!(mend.kind, Event::Lost | Event::Broken | Event::Unvouched) {
                self.head.losses += 1;
            }
            self.head = self.write(&mend)?;
            self.mended = true;
        }
        Ok(())
    }

    /// Writes one line after the head and returns the head that it makes.
    fn write(&mut self, record: &Record) -> Result<Head, LedgerError> {
        let old = &self.head;
        let seq = old.seq.saturating_add(1);
        let stamp = Stamp::now().after(&old.time, old.mono_ns, &old.boot);
        let signed = self.signed(record, seq);
        // A record is plain strings and numbers; serde_json has no way to fail on it but running out of memory.
        let line = record::line(signed.as_ref().unwrap_or(record), &stamp, seq, &old.hash);
        let line = line.map_err(|_| LedgerError::TooLong { bytes: 0 })?;
        if line.len() > MAX_LINE {
            return Err(LedgerError::TooLong { bytes: line.len() });
        }
        let start = self.log.len;
        self.log.append(&line)?;
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let mut head = Head {
            seq,
            start,
            end: self.log.len,
            hash: Hash::of(text),
            time: stamp.time,
            ..self.head.clone()
        };
        // Where the system did not say which boot it is, the last one that is known counts.
        if !stamp.boot_id.is_empty() {
            (head.mono_ns, head.boot) = (stamp.mono_ns, stamp.boot_id);
        }
        Ok(head)
    }

    /// The same record with the segment's signature, where it is one about the ledger itself.
    fn signed(&self, record: &Record, seq: u64) -> Option<Record> {
        let text = || record::signed_text(record.kind.as_str(), seq, &self.head.hash, &record.note);
        record.kind.is_signed().then(|| Record {
            signature: self.key.sign(&text()),
            ..record.clone()
        })
    }

    /// Acknowledges.
    fn save(&self) -> Result<(), LedgerError> {
        self.slot.write(&self.head.text(&self.key))
    }
}

/// The file of a segment that is to be begun. What stands in it already is set aside: nothing there was acknowledged.
fn empty_log(folder: &Folder, number: u32) -> Result<Log, LedgerError> {
    let mut log = folder.log(number)?;
    if log.len > 0 {
        folder.set_aside(&mut log, 0)?;
    }
    Ok(log)
}

/// Whether no segment holds a byte. Such a ledger has no end that somebody could have cut off.
fn is_empty(folder: &Folder) -> Result<bool, LedgerError> {
    for number in folder.segments()? {
        if folder.read_log(number)?.is_some_and(|log| log.len > 0) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The key of a segment. One that was made and not put in its place by a crash is put there now.
fn key_of(folder: &Folder, segment: u32) -> Result<Option<Key>, LedgerError> {
    let of = |key: &Key| key.segment == segment;
    if let Some(key) = Key::parse(&folder.key()?).filter(of) {
        return Ok(Some(key));
    }
    let staged = Key::parse(&folder.next_key()?).filter(of);
    if staged.is_some() {
        folder.install_key()?;
    }
    Ok(staged)
}

/// What is said of a request for which there is no place: enough to know it again.
fn refusal(record: &Record, verdict: &str) -> Record {
    let request = record.request.as_ref().map(|request| Request {
        digest: request.digest.clone(),
        event: request.event.clone(),
        tool: request.tool.clone(),
        parts: Vec::new(),
    });
    Record {
        kind: Event::Full,
        agent: record.agent.clone(),
        session: record.session.clone(),
        call: record.call.clone(),
        request,
        verdict: verdict.into(),
        version: record.version.clone(),
        note: "The disk is full, and what this would do could not be recorded.".into(),
        ..Record::default()
    }
}
