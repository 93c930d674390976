//! The last set of policy files that loaded whole, kept in the state folder: read instead of the files while they are the
//! same, and put beside them while they are broken.
//!
//! It is sealed with the machine's secret, so nobody can put a rule or an exception into it, and it is for files whose
//! inode, length and times are what they were. Without it, or with one that is damaged, foreign or of another version, the
//! files are read, which only takes longer. What a call needs is at the front and sealed as a whole; rules stand behind it
//! in portions that the front names by their digests.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use hmac::{Hmac, KeyInit as _, Mac as _};
use policy::{Act, Index, Kind, Shelf, Verdict, WrittenRule};
use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::layers::{Excepted, PolicySet, Standing};
use super::stamps::{Stamp, Stamps};
use super::stored::{Patch, Placed, Rule, Silence};
use super::{Layer, Place, dates};

/// What every such file begins with; another number is another format.
const MAGIC: &[u8] = b"tollgate policies 2\n";
/// What is read first: all of the front of most sets.
const FIRST: usize = 32 << 10;
/// More than the front of any set that can be loaded.
const MOST: usize = 64 << 20;
const SEAL: usize = 32;
/// Rules of one portion.
const PORTION: usize = 16;

/// The front of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Front {
    /// The program, and the words that numbers stand for.
    version: String,
    /// The built-in rules: what may be named and silenced depends on them.
    built_in: String,
    folders: Vec<String>,
    files: Vec<Stamp>,
    digest: String,
    index: Index,
    /// Hashes of all names, each with its number: rules first, then rules on patches. Sorted.
    names: Vec<(u32, u32)>,
    silences: Vec<Placed<Silence>>,
    /// How many rules there are.
    rules: u32,
    /// Length and digest of each portion of rules, and last of the rules on patches.
    portions: Vec<(u32, [u8; 32])>,
}

/// An open cache of which the front was found to be sealed by us.
#[derive(Debug)]
pub(super) struct Cache {
    file: File,
    front: Front,
    /// Where the first portion begins.
    body: u64,
    layers: Vec<(Layer, PathBuf)>,
    /// The portion that was used last.
    last: Mutex<Option<(usize, Vec<Placed<Rule>>)>>,
    /// The files, read after all because a portion was damaged.
    read: Mutex<Option<PolicySet>>,
}

fn version() -> String {
    let words = Act::ALL.iter().map(|act| act.as_str());
    let words = words.chain(Kind::ALL.iter().map(|kind| kind.as_str()));
    let words = words.chain(Verdict::ALL.iter().map(|verdict| verdict.as_str()));
    let words: Vec<&str> = words.chain(policy::CLASSES).collect();
    format!("{} {}", env!("CARGO_PKG_VERSION"), words.join(" "))
}

fn folders(layers: &[(Layer, PathBuf)]) -> Option<Vec<String>> {
    let name = |(_, folder): &(Layer, PathBuf)| folder.to_str().map(str::to_owned);
    layers.iter().map(name).collect()
}

/// FNV-1a: only a hint, which the name itself confirms.
fn hash(name: &str) -> u32 {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    name.bytes().fold(0x811c_9dc5, step)
}

fn seal(secret: &[u8; 32], front: &[u8]) -> Option<Hmac<Sha256>> {
    let mac = Hmac::new_from_slice(secret).ok()?;
    Some(mac.chain_update(MAGIC).chain_update(front))
}

impl Cache {
    /// Opens a cache that was sealed with this secret, for the same folders.
    pub(super) fn open(
        path: &Path,
        secret: impl FnOnce() -> Option<[u8; 32]>,
        layers: &[(Layer, PathBuf)],
    ) -> Option<Self> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let mut bytes = vec![0; FIRST];
        let read = file.read_at(&mut bytes, 0).ok()?;
        bytes.truncate(read);
        let length = bytes.strip_prefix(MAGIC)?.first_chunk::<4>()?;
        let length = usize::try_from(u32::from_le_bytes(*length))
            .ok()
            .filter(|length| *length <= MOST)?;
        let start = MAGIC.len() + 4;
        let body = start + length + SEAL;
        if bytes.len() < body {
            bytes.resize(body, 0);
            let rest = bytes.get_mut(read..)?;
            file.read_exact_at(rest, u64::try_from(read).ok()?).ok()?;
        }
        let (front, sealed) = (bytes.get(start..start + length)?, bytes.get(start + length..body)?);
        seal(&secret()?, front)?.verify_slice(sealed).ok()?;
        let front: Front = postcard::from_bytes(front).ok()?;
        (front.version == version() && Some(&front.folders) == folders(layers).as_ref()).then_some(Self {
            file,
            front,
            body: u64::try_from(body).ok()?,
            layers: layers.to_vec(),
            last: Mutex::default(),
            read: Mutex::default(),
        })
    }

    /// Whether it was made of these files, beside these built-in rules.
    pub(super) fn is_of(&self, stamps: &Stamps) -> bool {
        self.front.files == stamps.files && self.front.built_in == policy::RULES_DIGEST
    }

    /// The name of the texts that it was made of.
    pub(super) fn digest(&self) -> &str {
        &self.front.digest
    }

    /// Every exception, over or not: the rule that it is from, and where it stands.
    pub(super) fn loosening(&self) -> Vec<(String, Place)> {
        let all = self.front.silences.iter();
        all.map(|one| (one.says.suppresses.clone(), one.place())).collect()
    }

    /// Exceptions whose day is not over.
    pub(super) fn exceptions(&self, now: SystemTime) -> Vec<Excepted> {
        let counts = |one: &&Placed<Silence>| one.says.expires.as_ref().is_none_or(|day| !dates::is_over(day, now));
        let counting = self.front.silences.iter().filter(counts);
        counting.map(Placed::excepted).collect()
    }

    /// Where a rule of that name stands.
    pub(super) fn place_of(&self, name: &str) -> Option<Place> {
        let names = &self.front.names;
        let from = names.partition_point(|(other, _)| *other < hash(name));
        let alike = names.iter().skip(from).take_while(|(other, _)| *other == hash(name));
        alike
            .filter_map(|(_, at)| self.named(*at))
            .find(|(other, _)| other == name)
            .map(|(_, place)| place)
    }

    fn named(&self, at: u32) -> Option<(String, Place)> {
        if at < self.front.rules {
            return self.placed(at, |rule| (rule.says.id.clone(), rule.place()));
        }
        let at = usize::try_from(at - self.front.rules).ok()?;
        let patches = self.patches()?;
        patches.get(at).map(|patch| (patch.says.id.clone(), patch.place()))
    }

    /// All rules; `None` where a portion is damaged.
    pub(super) fn rules(&self) -> Option<Vec<Placed<Rule>>> {
        let portions = 0..self.front.portions.len().saturating_sub(1);
        let rules: Option<Vec<Vec<_>>> = portions.map(|at| self.portion(at)).collect();
        rules.map(|rules| rules.concat())
    }

    /// All rules on patches; `None` where they are damaged.
    pub(super) fn patches(&self) -> Option<Vec<Placed<Patch>>> {
        self.portion(self.front.portions.len().checked_sub(1)?)
    }

    fn portion<T: for<'de> Deserialize<'de>>(&self, at: usize) -> Option<Vec<T>> {
        let (length, digest) = self.front.portions.get(at)?;
        let before = self
            .front
            .portions
            .iter()
            .take(at)
            .map(|(length, _)| u64::from(*length));
        let mut bytes = vec![0; usize::try_from(*length).ok().filter(|length| *length <= MOST)?];
        self.file
            .read_exact_at(&mut bytes, self.body + before.sum::<u64>())
            .ok()?;
        let whole = <[u8; 32]>::from(Sha256::digest(&bytes)) == *digest;
        postcard::from_bytes(&bytes).ok().filter(|_| whole)
    }

    /// Something of the rule with that number. A portion is read once for all its rules that follow each other.
    fn placed<T>(&self, at: u32, of: impl FnOnce(&Placed<Rule>) -> T) -> Option<T> {
        let at = usize::try_from(at).ok()?;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref().is_none_or(|(portion, _)| *portion != at / PORTION) {
            *last = Some((at / PORTION, self.portion(at / PORTION)?));
        }
        let (_, rules) = last.as_ref()?;
        rules.get(at % PORTION).map(of)
    }

    /// The rule from the files themselves, which are those that the index was made of.
    fn read_again(&self, at: u32) -> WrittenRule {
        let mut set = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let set = set.get_or_insert_with(|| PolicySet::of(&self.layers, SystemTime::now()));
        let mut rules = set.rules.iter().filter_map(|rule| rule.entry.rule.as_ref());
        let rule = usize::try_from(at).ok().and_then(|at| rules.nth(at));
        rule.cloned().unwrap_or_else(|| WrittenRule {
            id: "policy.set.broken".into(),
            origin: policy::Origin::User,
            verdict: Verdict::Deny,
            why: "the policy files changed while a request was judged, and it is not known what they say of it".into(),
            kinds: Vec::new(),
            command: None,
            effect: None,
        })
    }
}

impl Shelf for Cache {
    fn index(&self) -> &Index {
        &self.front.index
    }

    fn rule(&self, at: u32) -> WrittenRule {
        let rule = self.placed(at, |rule| rule.says.rule(rule.place().layer));
        rule.flatten().unwrap_or_else(|| self.read_again(at))
    }
}

/// A set that loaded whole, as the bytes of a cache. `None` where a name in it is no text.
pub(super) fn bytes(
    set: &PolicySet,
    layers: &[(Layer, PathBuf)],
    stamps: &Stamps,
    secret: &[u8; 32],
) -> Option<Vec<u8>> {
    // What nothing raises has no place in the index, so it comes last.
    let (raised, waiting): (Vec<&Standing>, Vec<&Standing>) =
        set.rules.iter().partition(|rule| rule.entry.rule.is_some());
    let written: Vec<WrittenRule> = raised.iter().filter_map(|rule| rule.entry.rule.clone()).collect();
    let rules = raised.into_iter().chain(waiting);
    let rules: Vec<Placed<Rule>> = rules
        .map(|rule| Placed::of(&rule.place, Rule::of(&rule.entry)))
        .collect::<Option<_>>()?;
    let patches = set.patches.stored()?;
    let mut portions: Vec<Vec<u8>> = rules
        .chunks(PORTION)
        .map(|portion| postcard::to_allocvec(portion).ok())
        .collect::<Option<_>>()?;
    portions.push(postcard::to_allocvec(&patches).ok()?);
    let names = rules
        .iter()
        .map(|rule| &rule.says.id)
        .chain(patches.iter().map(|patch| &patch.says.id));
    let mut names: Vec<(u32, u32)> = names.map(|name| hash(name)).zip(0..).collect();
    names.sort_unstable();
    let silences = set.all_exceptions().map(|one| Placed::of(&one.place, Silence::of(one)));
    let front = Front {
        version: version(),
        built_in: policy::RULES_DIGEST.into(),
        folders: folders(layers)?,
        files: stamps.files.clone(),
        digest: set.digest.clone(),
        index: Index::of(&written),
        names,
        silences: silences.collect::<Option<_>>()?,
        rules: u32::try_from(rules.len()).ok()?,
        portions: portions
            .iter()
            .map(|bytes| Some((u32::try_from(bytes.len()).ok()?, Sha256::digest(bytes).into())))
            .collect::<Option<_>>()?,
    };
    let front = postcard::to_allocvec(&front).ok()?;
    let mut out = MAGIC.to_vec();
    out.extend(u32::try_from(front.len()).ok()?.to_le_bytes());
    out.extend_from_slice(&front);
    out.extend(seal(secret, &front)?.finalize().into_bytes());
    out.extend(portions.concat());
    Some(out)
}
