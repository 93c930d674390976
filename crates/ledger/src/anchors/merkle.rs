//! The Merkle tree over all records (RFC 6962): the leaves are the stored lines, without their newline.
//!
//! With it a record can be shown to be among those that a checkpoint counts, and an earlier checkpoint to be about the
//! beginning of the same log, by a few hashes instead of the log.

use sha2::{Digest as _, Sha256};

use crate::hash::Hash;

/// The hash of a leaf.
pub(crate) fn leaf(line: &[u8]) -> Hash {
    digest(0, &[line])
}

/// The hash of two subtrees.
pub(crate) fn node(left: &Hash, right: &Hash) -> Hash {
    digest(1, &[&left.bytes(), &right.bytes()])
}

fn digest(kind: u8, parts: &[&[u8]]) -> Hash {
    let mut sha = Sha256::new();
    sha.update([kind]);
    for part in parts {
        sha.update(part);
    }
    Hash::from_bytes(sha.finalize().into())
}

/// The root of no leaves.
pub(crate) fn empty() -> Hash {
    Hash::of(b"")
}

/// Something that knows the hashes of the leaves in `start .. start + size`, as one subtree.
pub(crate) trait Leaves {
    /// Why it could not say.
    type Error;
    /// The hash of 2^`height` leaves, of which the first is number `index` times as many.
    fn subtree(&self, height: u32, index: u64) -> Result<Hash, Self::Error>;
}

/// How many leaves the left subtree of `size` leaves has: the largest power of two below.
const fn left_of(size: u64) -> u64 {
    1 << (63 - (size - 1).leading_zeros())
}

/// The root of the leaves from `start` on, `size` of them. `start` has to be where such a subtree can begin.
pub(crate) fn root<L: Leaves>(leaves: &L, start: u64, size: u64) -> Result<Hash, L::Error> {
    if size == 0 {
        return Ok(empty());
    }
    if size.is_power_of_two() {
        return leaves.subtree(size.trailing_zeros(), start / size);
    }
    let left = left_of(size);
    let (a, b) = (root(leaves, start, left)?, root(leaves, start + left, size - left)?);
    Ok(node(&a, &b))
}

/// The proof that leaf `index` is in the tree of `size` leaves.
pub(crate) fn inclusion<L: Leaves>(leaves: &L, index: u64, size: u64) -> Result<Vec<Hash>, L::Error> {
    let mut proof = Vec::new();
    path(leaves, 0, index, size, &mut proof)?;
    Ok(proof)
}

fn path<L: Leaves>(leaves: &L, start: u64, index: u64, size: u64, proof: &mut Vec<Hash>) -> Result<(), L::Error> {
    if size <= 1 {
        return Ok(());
    }
    let left = left_of(size);
    if index < left {
        path(leaves, start, index, left, proof)?;
        proof.push(root(leaves, start + left, size - left)?);
    } else {
        path(leaves, start + left, index - left, size - left, proof)?;
        proof.push(root(leaves, start, left)?);
    }
    Ok(())
}

/// The proof that the tree of `old` leaves is the beginning of the one of `new` leaves.
pub(crate) fn consistency<L: Leaves>(leaves: &L, old: u64, new: u64) -> Result<Vec<Hash>, L::Error> {
    let mut proof = Vec::new();
    if old > 0 && old < new {
        between(leaves, 0, old, new, true, &mut proof)?;
    }
    Ok(proof)
}

fn between<L: Leaves>(
    leaves: &L,
    start: u64,
    old: u64,
    new: u64,
    whole: bool,
    proof: &mut Vec<Hash>,
) -> Result<(), L::Error> {
    if old == new {
        if !whole {
            proof.push(root(leaves, start, new)?);
        }
        return Ok(());
    }
    let left = left_of(new);
    if old <= left {
        between(leaves, start, old, left, whole, proof)?;
        proof.push(root(leaves, start + left, new - left)?);
    } else {
        between(leaves, start + left, old - left, new - left, false, proof)?;
        proof.push(root(leaves, start, left)?);
    }
    Ok(())
}

/// The root that a leaf and its proof make; `None` where the proof has not the length that it must have.
pub(crate) fn root_of(index: u64, size: u64, leaf: &Hash, proof: &[Hash]) -> Option<Hash> {
    if index >= size {
        return None;
    }
    let mut rest = proof.iter();
    let root = climb(index, size, leaf, &mut rest)?;
    rest.next().is_none().then_some(root)
}

fn climb(index: u64, size: u64, leaf: &Hash, proof: &mut std::slice::Iter<'_, Hash>) -> Option<Hash> {
    if size == 1 {
        return Some(*leaf);
    }
    let left = left_of(size);
    if index < left {
        let a = climb(index, left, leaf, proof)?;
        return Some(node(&a, proof.next()?));
    }
    let b = climb(index - left, size - left, leaf, proof)?;
    Some(node(proof.next()?, &b))
}

/// Whether `proof` shows that the tree with `old_root` is the beginning of the one with `new_root`.
pub(crate) fn is_beginning(old: u64, new: u64, old_root: &Hash, new_root: &Hash, proof: &[Hash]) -> bool {
    match (old, new) {
        (0, _) => proof.is_empty() && *old_root == empty(),
        _ if old > new => false,
        _ if old == new => proof.is_empty() && old_root == new_root,
        _ => {
            let mut rest = proof.iter();
            let both = join(old, new, Some(old_root), &mut rest);
            both == Some((*old_root, *new_root)) && rest.next().is_none()
        }
    }
}

/// The roots of the old and the new tree, from the proof. `known` is the old root, as long as it is a whole subtree.
fn join(old: u64, new: u64, known: Option<&Hash>, proof: &mut std::slice::Iter<'_, Hash>) -> Option<(Hash, Hash)> {
    if old == new {
        let whole = known.or_else(|| proof.next())?;
        return Some((*whole, *whole));
    }
    let left = left_of(new);
    if old <= left {
        let (was, a) = join(old, left, known, proof)?;
        return Some((was, node(&a, proof.next()?)));
    }
    let (was, b) = join(old - left, new - left, None, proof)?;
    let a = proof.next()?;
    Some((node(a, &was), node(a, &b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Some_(Vec<Hash>);

    impl Leaves for Some_ {
        type Error = ();
        fn subtree(&self, height: u32, index: u64) -> Result<Hash, ()> {
            let (from, to) = ((index << height) as usize, ((index + 1) << height) as usize);
            let mut row = self.0.get(from..to).ok_or(())?.to_vec();
            while row.len() > 1 {
                row = row.chunks(2).map(|pair| node(&pair[0], &pair[1])).collect();
            }
            Ok(row[0])
        }
    }

    fn leaves(count: u64) -> Some_ {
        Some_((0..count).map(|n| leaf(format!("leaf {n}").as_bytes())).collect())
    }

    /// The test vectors that RFC 6962's reference implementation is tested with.
    #[test]
    fn the_roots_are_those_of_rfc_6962() {
        let inputs: [&[u8]; 8] = [
            b"",
            b"\x00",
            b"\x10",
            b"\x20\x21",
            b"\x30\x31",
            b"\x40\x41\x42\x43",
            b"\x50\x51\x52\x53\x54\x55\x56\x57",
            b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
        ];
        let tree = Some_(inputs.iter().map(|input| leaf(input)).collect());
        for (size, hex) in [
            (1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
            (2, "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
            (3, "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"),
            (8, "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"),
        ] {
            assert_eq!(root(&tree, 0, size).unwrap().hex(), hex, "{size}");
        }
    }

    #[test]
    fn every_leaf_is_proved_and_no_other_one() {
        let tree = leaves(70);
        for size in 1..=70 {
            let whole = root(&tree, 0, size).unwrap();
            for index in 0..size {
                let proof = inclusion(&tree, index, size).unwrap();
                let own = tree.0[index as usize];
                assert_eq!(root_of(index, size, &own, &proof), Some(whole), "{index} of {size}");
                let other = leaf(b"another");
                assert_ne!(root_of(index, size, &other, &proof), Some(whole));
                if size > 1 {
                    let short = &proof[..proof.len() - 1];
                    assert_ne!(root_of(index, size, &own, short), Some(whole));
                    let wrong = (index + 1) % size;
                    assert_ne!(
                        root_of(wrong, size, &own, &proof),
                        Some(whole),
                        "{index} as {wrong} of {size}"
                    );
                }
                let long = [&proof[..], &[whole]].concat();
                assert_eq!(root_of(index, size, &own, &long), None);
            }
            assert_eq!(root_of(size, size, &whole, &[]), None);
        }
    }

    #[test]
    fn every_earlier_tree_is_proved_a_beginning_and_no_other_one() {
        let (tree, mut other) = (leaves(40), leaves(40));
        other.0[0] = leaf(b"changed");
        for new in 0..=40 {
            for old in 0..=new {
                let roots = (root(&tree, 0, old).unwrap(), root(&tree, 0, new).unwrap());
                let proof = consistency(&tree, old, new).unwrap();
                assert!(is_beginning(old, new, &roots.0, &roots.1, &proof), "{old} of {new}");
                if old > 0 {
                    let changed = root(&other, 0, old).unwrap();
                    assert!(!is_beginning(old, new, &changed, &roots.1, &proof), "{old} of {new}");
                    let changed = root(&other, 0, new).unwrap();
                    assert!(!is_beginning(old, new, &roots.0, &changed, &proof), "{old} of {new}");
                }
                if old != new {
                    assert!(!is_beginning(new, old, &roots.1, &roots.0, &proof));
                }
            }
        }
    }
}
