//! The one store for everything that holds for a person.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::model::{MOST_DAYS, Resolution, SESSION};
use super::seal::Secret;
use super::{Approval, Asked, Bound, Grant, Scope, Status};
use crate::files;
use crate::moment::Moment;
use crate::secret::{SecretError, known_secret, machine_secret, passing_secret};

/// The format of what is stored.
const FORMAT: u32 = 1;
/// How many are kept. Beyond that the oldest that are over go.
const MOST: usize = 500;
/// Letters of names: none is easily taken for another one.
const LETTERS: &[u8; 32] = b"abcdefghjkmnpqrstvwxyz0123456789";
const ID_LEN: usize = 8;
/// How much of the request's digest is in a file's name, so that the answers to a request are found without reading others.
const KEY_LEN: usize = 16;

/// Why the store could not do what it was asked.
#[derive(Debug)]
pub enum StoreError {
    /// Reading or writing failed.
    Io(io::Error),
    /// The secret of this installation is not to be had.
    Secret(String, &'static str),
    /// There is no approval of that name.
    Unknown(String),
    /// Another answer was first, or its time is over.
    Settled(Status),
    /// This cannot be answered so.
    NotOffered(&'static str),
    /// The file is not as it was written.
    Damaged(PathBuf),
}

impl StoreError {
    /// What a person can do about it, one sentence.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Io(_) => "Make sure that the state folder can be written.",
            Self::Secret(_, hint) => hint,
            Self::Unknown(_) => "`tollgate approvals list` shows what waits.",
            Self::Settled(_) => "Let the agent ask again.",
            Self::NotOffered(_) => "Approve it for this one call.",
            Self::Damaged(_) => "It counts for nothing; `tollgate approvals clear` takes it away.",
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "cannot keep approvals: {error}"),
            Self::Secret(said, _) => f.write_str(said),
            Self::Unknown(id) => write!(f, "there is no approval `{id}`"),
            Self::Settled(status) => write!(f, "it is {} already", status.as_str()),
            Self::NotOffered(why) => f.write_str(why),
            Self::Damaged(path) => {
                let name = path.to_string_lossy().replace('\n', "\\n");
                write!(f, "`{name}` is not as it was written")
            }
        }
    }
}

impl std::error::Error for StoreError {}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<SecretError> for StoreError {
    fn from(error: SecretError) -> Self {
        Self::Secret(error.to_string(), error.hint())
    }
}

/// The approvals of one installation.
#[derive(Debug)]
pub struct Approvals {
    folder: PathBuf,
    secret: Secret,
}

impl Approvals {
    /// Those below a state folder.
    ///
    /// # Errors
    /// When the secret can neither be read nor made.
    pub(crate) fn at(state: &Path) -> Result<Self, StoreError> {
        Ok(Self {
            folder: state.join("approvals"),
            secret: Secret::new(machine_secret(state)?),
        })
    }

    /// The same for who only looks: without a secret, one that no seal fits.
    pub(crate) fn known(state: &Path) -> Result<Self, StoreError> {
        let secret = match known_secret(state)? {
            Some(secret) => secret,
            None => passing_secret()?,
        };
        Ok(Self {
            folder: state.join("approvals"),
            secret: Secret::new(secret),
        })
    }

    pub(crate) const fn secret(&self) -> &Secret {
        &self.secret
    }

    /// Stores an ask, or finds the one that is the same and waits already.
    ///
    /// # Errors
    /// When it cannot be stored.
    pub(crate) fn ask(&self, asked: Asked, bound: Bound, now: &Moment) -> Result<Approval, StoreError> {
        let lock = files::lock(&self.folder)?;
        let latest = self.latest();
        let same = self
            .about(&bound)?
            .into_iter()
            .find(|approval| approval.bound == bound && approval.status(now, latest) == Status::Pending);
        let approval = match same {
            Some(waiting) => Approval {
                asked_at: now.clone(),
                times: waiting.times.saturating_add(1),
                ..waiting
            },
            None => self.new_approval(asked, bound, now)?,
        };
        self.make_room(now, latest)?;
        self.write(&lock, approval, now)
    }

    fn new_approval(&self, asked: Asked, bound: Bound, now: &Moment) -> Result<Approval, StoreError> {
        Ok(Approval {
            v: FORMAT,
            id: self.free_id()?,
            status: Status::Pending,
            created: now.clone(),
            asked_at: now.clone(),
            times: 1,
            asked,
            bound,
            nonce: word(26)?,
            resolution: None,
            used: None,
            mac: String::new(),
        })
    }

    /// The answer that covers a call, if there is one. One that was for one call is used up by this. Those that hold for
    /// longer count while people want such answers (`remember`).
    ///
    /// # Errors
    /// When the store cannot be read, or it cannot be kept that an answer is used up. Nothing is covered then.
    pub(crate) fn cover(&self, bound: &Bound, now: &Moment, remember: bool) -> Result<Option<Grant>, StoreError> {
        let latest = self.latest();
        for approval in self.about(bound)? {
            let Some(scope) = approval.scope() else { continue };
            let stands = approval.status(now, latest) == Status::Approved && approval.used.is_none();
            let kept = remember || scope == Scope::Once;
            if !stands || !kept || !approval.bound.covers(bound, scope) {
                continue;
            }
            let grant = Grant {
                id: approval.id.clone(),
                scope,
            };
            if scope != Scope::Once || self.use_up(approval, now)? {
                return Ok(Some(grant));
            }
        }
        Ok(None)
    }

    /// The no that a person said to this very call in this session.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) fn refused(&self, bound: &Bound, now: &Moment) -> Result<Option<Approval>, StoreError> {
        let latest = self.latest();
        let holds = |one: &Approval| {
            let no = matches!(one.status, Status::Rejected | Status::ChangesRequested);
            let said = one.resolution.as_ref();
            no && one.bound == *bound && said.is_some_and(|said| !now.is_over(&said.at, SESSION, latest))
        };
        Ok(self.about(bound)?.into_iter().find(holds))
    }

    /// Uses an answer up. Whoever makes the file of its nonce has it; a file that was put back later finds it spent.
    fn use_up(&self, approval: Approval, now: &Moment) -> Result<bool, StoreError> {
        if !files::claim(&self.folder.join("spent").join(&approval.nonce))? {
            return Ok(false);
        }
        let lock = files::lock(&self.folder)?;
        let used = Approval {
            used: Some(now.clone()),
            ..approval
        };
        self.write(&lock, used, now)?;
        Ok(true)
    }

    /// All approvals, the oldest first, and what is damaged.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list(&self) -> Result<(Vec<Approval>, Vec<PathBuf>), StoreError> {
        let (mut all, mut damaged) = (Vec::new(), Vec::new());
        for path in files::paths(&self.folder)? {
            match self.read(&path) {
                Some(approval) => all.push(approval),
                None => damaged.push(path),
            }
        }
        all.sort_by(|a, b| (a.created.wall_ms, &a.id).cmp(&(b.created.wall_ms, &b.id)));
        Ok((all, damaged))
    }

    /// The approval of that name.
    ///
    /// # Errors
    /// When there is none, or it is damaged.
    pub fn get(&self, id: &str) -> Result<Approval, StoreError> {
        let unknown = || StoreError::Unknown(id.into());
        let plain = id.len() == ID_LEN && id.bytes().all(|b| LETTERS.contains(&b));
        let ending = format!(".{id}.json");
        let named = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let key = name.strip_suffix(&ending);
            key.is_some_and(|key| key.len() == KEY_LEN && key.bytes().all(|b| b.is_ascii_hexdigit()))
        };
        let mut paths = files::paths(&self.folder)?;
        paths.retain(|path| plain && named(path));
        let first = paths.first().cloned().ok_or_else(unknown)?;
        // What somebody put beside it under its name does not stand in its way.
        paths
            .iter()
            .find_map(|path| self.read(path))
            .ok_or(StoreError::Damaged(first))
    }

    /// Answers an ask. The first answer stands.
    ///
    /// # Errors
    /// When it is unknown, was answered, is over, or cannot be answered so.
    pub(crate) fn resolve(
        &self,
        id: &str,
        status: Status,
        said: Resolution,
        now: &Moment,
    ) -> Result<Approval, StoreError> {
        let lock = files::lock(&self.folder)?;
        let approval = self.get(id)?;
        let stands = approval.status(now, self.latest());
        if stands != Status::Pending {
            return Err(StoreError::Settled(stands));
        }
        offered(&approval, &said)?;
        let answered = Approval {
            status,
            resolution: Some(said),
            ..approval
        };
        self.write(&lock, answered, now)
    }

    /// Takes one answer back.
    ///
    /// # Errors
    /// When it is unknown or the folder cannot be written.
    pub(crate) fn take_back(&self, id: &str, now: &Moment) -> Result<Approval, StoreError> {
        let lock = files::lock(&self.folder)?;
        let approval = Approval {
            status: Status::Rejected,
            resolution: None,
            ..self.get(id)?
        };
        self.write(&lock, approval, now)
    }

    /// Takes every answer back that could still cover something, and drops what is over; what waits stays. How many were
    /// taken back.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub(crate) fn clear(&self, now: &Moment) -> Result<usize, StoreError> {
        let _lock = files::lock(&self.folder)?;
        let latest = self.latest();
        let mut taken = 0;
        for path in files::paths(&self.folder)? {
            let status = self
                .read(&path)
                .map(|one| (one.status(now, latest), one.used.is_some()));
            if matches!(status, Some((Status::Pending, _))) {
                continue;
            }
            taken += usize::from(matches!(status, Some((Status::Approved, false))));
            std::fs::remove_file(&path)?;
        }
        Ok(taken)
    }

    /// The latest wall clock that was seen, as far as it can be believed.
    #[must_use]
    pub fn latest(&self) -> u64 {
        let text = files::text(&self.folder.join("latest")).unwrap_or_default();
        text.trim()
            .split_once(' ')
            .filter(|(wall, mac)| self.secret.signed(wall.as_bytes(), mac))
            .and_then(|(wall, _)| wall.parse().ok())
            .unwrap_or_default()
    }

    fn saw(&self, lock: &files::Lock, now: &Moment) -> Result<(), StoreError> {
        if now.wall_ms <= self.latest() {
            return Ok(());
        }
        let wall = now.wall_ms.to_string();
        let line = format!("{wall} {}\n", self.secret.sign(wall.as_bytes()));
        Ok(files::replace(lock, &self.folder.join("latest"), line.as_bytes())?)
    }

    /// The approvals about the same request.
    fn about(&self, bound: &Bound) -> Result<Vec<Approval>, StoreError> {
        let key = key(bound);
        let about = |path: &PathBuf| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with(key))
        };
        let paths = files::paths(&self.folder)?;
        Ok(paths
            .into_iter()
            .filter(about)
            .filter_map(|path| self.read(&path))
            .collect())
    }

    fn free_id(&self) -> Result<String, StoreError> {
        loop {
            let id = word(ID_LEN)?;
            if matches!(self.get(&id), Err(StoreError::Unknown(_))) {
                return Ok(id);
            }
        }
    }

    fn write(&self, lock: &files::Lock, approval: Approval, now: &Moment) -> Result<Approval, StoreError> {
        let mut signed = Approval {
            mac: String::new(),
            ..approval
        };
        signed.mac = self.secret.sign(&text(&signed)?);
        let name = format!("{}.{}.json", key(&signed.bound), signed.id);
        files::replace(lock, &self.folder.join(name), &text(&signed)?)?;
        self.saw(lock, now)?;
        Ok(signed)
    }

    /// What is stored there, if it is as it was written.
    fn read(&self, path: &Path) -> Option<Approval> {
        let stored: Approval = serde_json::from_str(&files::text(path).ok()?).ok()?;
        let name = format!("{}.{}.json", key(&stored.bound), stored.id);
        let mac = stored.mac.clone();
        let unsigned = Approval {
            mac: String::new(),
            ..stored
        };
        let genuine = unsigned.v == FORMAT
            && path.file_name().is_some_and(|own| own == name.as_str())
            && self.secret.signed(&text(&unsigned).ok()?, &mac);
        genuine.then_some(Approval { mac, ..unsigned })
    }

    /// Drops what is over where there is too much of it.
    fn make_room(&self, now: &Moment, latest: u64) -> Result<(), StoreError> {
        if files::paths(&self.folder)?.len() < MOST {
            return Ok(());
        }
        let (all, damaged) = self.list()?;
        let over = all
            .iter()
            .filter(|one| !matches!(one.status(now, latest), Status::Pending | Status::Approved) || one.used.is_some());
        let path = |one: &Approval| self.folder.join(format!("{}.{}.json", key(&one.bound), one.id));
        for path in over.map(path).chain(damaged) {
            std::fs::remove_file(path)?;
        }
        // Where nothing is over, what has waited longest goes: nobody answers that many.
        let (all, _) = self.list()?;
        let waiting = all.iter().filter(|one| one.status == Status::Pending);
        for one in waiting.take(all.len().saturating_sub(MOST - MOST / 10)) {
            std::fs::remove_file(path(one))?;
        }
        Ok(())
    }
}

/// Whether an ask can be answered so.
fn offered(approval: &Approval, said: &Resolution) -> Result<(), StoreError> {
    match said.scope {
        None | Some(Scope::Once) => Ok(()),
        Some(_) if !approval.asked.remember => Err(StoreError::NotOffered(
            "what destroys, concerns credentials or the gate itself, or runs other people's code is approved for one call only",
        )),
        Some(Scope::Here { days }) if days == 0 || days > MOST_DAYS => {
            Err(StoreError::NotOffered("a yes is remembered for 1 to 90 days"))
        }
        Some(_) => Ok(()),
    }
}

fn key(bound: &Bound) -> &str {
    bound.request.get(..KEY_LEN).unwrap_or_default()
}

fn text(approval: &Approval) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(approval).map_err(|e| StoreError::Io(e.into()))
}

/// A random word.
fn word(length: usize) -> Result<String, StoreError> {
    let mut bytes = vec![0; length];
    getrandom::fill(&mut bytes).map_err(|e| StoreError::Io(io::Error::other(e.to_string())))?;
    let letter = |byte: &u8| LETTERS.get(usize::from(*byte) % LETTERS.len()).copied().map(char::from);
    Ok(bytes.iter().filter_map(letter).collect())
}
