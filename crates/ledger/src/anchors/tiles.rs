//! The tree's hashes on disk, in the layout of C2SP `tlog-tiles`: a tile holds 256 hashes of one height.
//!
//! They are made of the log and can be made again; what is read of them counts only when it leads to a signed root.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::retry_on_intr;

use super::merkle::{self, Leaves};
use crate::hash::Hash;

/// Hashes in a tile, and the height of the subtree under one.
const WIDTH: u64 = 256;
const HEIGHT: u32 = 8;
const HASH: usize = 32;

/// The tiles below a folder, of a tree of a given size.
#[derive(Debug)]
pub(crate) struct Tiles {
    root: PathBuf,
    /// How many leaves the tiles hold.
    pub(crate) size: u64,
    /// The tile of each level that is not full yet.
    open: Vec<Vec<Hash>>,
}

impl Tiles {
    /// No leaves yet.
    pub(crate) const fn new(root: PathBuf) -> Self {
        let open = Vec::new();
        Self { root, size: 0, open }
    }

    /// The tiles of a tree of `size` leaves, as they were saved.
    pub(crate) fn read(root: PathBuf, size: u64) -> io::Result<Self> {
        let mut tiles = Self {
            root,
            size,
            open: Vec::new(),
        };
        let mut count = size;
        while count > 0 {
            let hashes = tiles.tile(tiles.open.len(), count / WIDTH, count % WIDTH)?;
            tiles.open.push(hashes);
            count /= WIDTH;
        }
        Ok(tiles)
    }

    /// Adds a leaf. Tiles that are full are written.
    pub(crate) fn push(&mut self, leaf: Hash) -> io::Result<()> {
        self.size += 1;
        let (mut level, mut hash) = (0, leaf);
        loop {
            if self.open.len() == level {
                self.open.push(Vec::new());
            }
            let Some(tile) = self.open.get_mut(level) else {
                return Ok(());
            };
            tile.push(hash);
            if (tile.len() as u64) < WIDTH {
                return Ok(());
            }
            let full = std::mem::take(tile);
            let index = (self.size >> (HEIGHT as usize * level)) / WIDTH - 1;
            write(&self.path(level, index, 0), &full)?;
            hash = fold(full);
            level += 1;
        }
    }

    /// Writes the tiles that are not full.
    pub(crate) fn save(&self) -> io::Result<()> {
        for (level, tile) in self.open.iter().enumerate().filter(|(_, tile)| !tile.is_empty()) {
            let index = (self.size >> (HEIGHT as usize * level)) / WIDTH;
            write(&self.path(level, index, tile.len() as u64), tile)?;
        }
        Ok(())
    }

    /// The root of the first `size` leaves.
    pub(crate) fn root(&self, size: u64) -> io::Result<Hash> {
        merkle::root(self, 0, size)
    }

    /// A tile; `part` says how many hashes one has that is not full.
    fn tile(&self, level: usize, index: u64, part: u64) -> io::Result<Vec<Hash>> {
        let count = if part == 0 { 0 } else { part };
        if part == 0 && (self.size >> (HEIGHT as usize * level)) / WIDTH == index {
            return Ok(Vec::new());
        }
        let bytes = get(&self.path(level, index, part), WIDTH * HASH as u64)?;
        let hashes: Vec<Hash> = bytes
            .chunks_exact(HASH)
            .filter_map(|chunk| chunk.try_into().ok().map(Hash::from_bytes))
            .collect();
        let expected = if count == 0 { WIDTH } else { count };
        if bytes.len() as u64 == expected * HASH as u64 {
            return Ok(hashes);
        }
        Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "a tile has not the length of a tile",
        ))
    }

    /// Where a tile is: `tile/LEVEL/x001/x234/067`, with `.p/COUNT` behind one that is not full.
    fn path(&self, level: usize, index: u64, part: u64) -> PathBuf {
        let mut path = self.root.join("tile").join(level.to_string());
        let mut groups = vec![index % 1000];
        let mut rest = index / 1000;
        while rest > 0 {
            groups.push(rest % 1000);
            rest /= 1000;
        }
        let last = groups.len() - 1;
        for (at, group) in groups.iter().rev().enumerate() {
            path.push(match (at == last, part) {
                (false, _) => format!("x{group:03}"),
                (true, 0) => format!("{group:03}"),
                (true, _) => format!("{group:03}.p"),
            });
        }
        if part > 0 {
            path.push(part.to_string());
        }
        path
    }
}

impl Leaves for Tiles {
    type Error = io::Error;

    fn subtree(&self, height: u32, index: u64) -> io::Result<Hash> {
        let level = (height / HEIGHT) as usize;
        let (span, first) = (1_u64 << (height % HEIGHT), index << (height % HEIGHT));
        let tile = first / WIDTH;
        let open = self.size >> (HEIGHT as usize * level);
        let hashes = match self.open.get(level) {
            Some(hashes) if tile == open / WIDTH => hashes.clone(),
            _ => self.tile(level, tile, 0)?,
        };
        let from = usize::try_from(first % WIDTH).unwrap_or_default();
        let range = hashes.get(from..from + usize::try_from(span).unwrap_or_default());
        let missing = || io::Error::new(io::ErrorKind::UnexpectedEof, "a tile has fewer hashes than the tree");
        Ok(fold(range.ok_or_else(missing)?.to_vec()))
    }
}

/// The hash of a whole subtree.
fn fold(mut row: Vec<Hash>) -> Hash {
    while row.len() > 1 {
        row = row
            .chunks(2)
            .map(|pair| match pair {
                [left, right] => merkle::node(left, right),
                rest => rest.first().copied().unwrap_or(Hash::GENESIS),
            })
            .collect();
    }
    row.first().copied().unwrap_or(Hash::GENESIS)
}

/// Writes a file whole, in a folder that is made where it is missing.
pub(crate) fn write(path: &Path, hashes: &[Hash]) -> io::Result<()> {
    let bytes: Vec<u8> = hashes.iter().flat_map(Hash::bytes).collect();
    put(path, &bytes)
}

/// Reads a file of ours: no link, nothing but a file, and not longer than it may be.
pub(crate) fn get(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    use std::io::Read as _;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let file = fs::File::from(retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty()))?);
    let meta = file.metadata()?;
    if !meta.is_file() || meta.len() > longest {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is no file of ours"));
    }
    let mut bytes = Vec::new();
    file.take(longest).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Puts a file in the place of the old one, whole. What stands there already is left.
pub(crate) fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if get(path, bytes.len() as u64).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    use std::io::Write as _;
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let new = path.with_extension("new");
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&new, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(n: u64) -> Hash {
        merkle::leaf(format!("{n}").as_bytes())
    }

    /// The root by the definition, without tiles.
    fn plain(leaves: &[Hash]) -> Hash {
        match leaves {
            [] => merkle::empty(),
            [one] => *one,
            many => {
                let left = many.len().next_power_of_two() / 2;
                merkle::node(&plain(&many[..left]), &plain(&many[left..]))
            }
        }
    }

    #[test]
    fn tiles_yield_the_roots_of_every_size_however_often_they_were_saved() {
        let folder = tempfile::tempdir().unwrap();
        let leaves: Vec<Hash> = (0..1500).map(leaf).collect();
        let mut tiles = Tiles::new(folder.path().to_path_buf());
        for (n, leaf) in leaves.iter().enumerate() {
            tiles.push(*leaf).unwrap();
            let size = n as u64 + 1;
            if size.is_multiple_of(100) || size.is_multiple_of(256) {
                tiles.save().unwrap();
                tiles = Tiles::read(folder.path().to_path_buf(), size).unwrap();
                assert_eq!(tiles.root(size).unwrap(), plain(&leaves[..=n]), "{size}");
                for old in [1, 7, 255, 256, 257, 511, 512, 1000] {
                    if old < size {
                        assert_eq!(
                            tiles.root(old).unwrap(),
                            plain(&leaves[..old as usize]),
                            "{old} of {size}"
                        );
                    }
                }
            }
        }
        assert!(folder.path().join("tile/0/004").exists() && folder.path().join("tile/1/000.p/5").exists());
    }

    #[test]
    fn places_are_those_of_tlog_tiles() {
        let tiles = Tiles::new(PathBuf::from("/"));
        assert_eq!(tiles.path(0, 1_234_067, 0), Path::new("/tile/0/x001/x234/067"));
        assert_eq!(tiles.path(2, 5, 17), Path::new("/tile/2/005.p/17"));
    }
}
