//! Where a name stands in a table, without a search: a table of places, by a hash of the names.

use alloc::vec::Vec;

/// The places of `names` by their hash: twice as many slots as names and more, of which those that are not used hold
/// zero and the others a place and one.
#[must_use]
pub fn index(names: &[&str]) -> Vec<u16> {
    let mut slots = alloc::vec![0; (names.len() * 2).next_power_of_two()];
    for (place, name) in (1..).zip(names) {
        if let Some(at) = probes(slots.len(), name).find(|at| slots.get(*at) == Some(&0))
            && let Some(slot) = slots.get_mut(at)
        {
            *slot = place;
        }
    }
    slots
}

/// The place of `name` in the table that `slots` is the [`index`] of; `is` says whether its name at a place is this one.
pub fn place(slots: &[u16], name: &str, is: impl Fn(usize) -> bool) -> Option<usize> {
    let places = probes(slots.len(), name).map_while(|at| {
        let slot = slots.get(at).copied().unwrap_or_default();
        usize::from(slot).checked_sub(1)
    });
    places.into_iter().find(|place| is(*place))
}

/// The slots in which a name can be, the likeliest first. Capitals are no different from small letters.
fn probes(slots: usize, name: &str) -> impl Iterator<Item = usize> {
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0193)
    });
    let first = usize::try_from(hash ^ (hash >> 15)).unwrap_or_default();
    (0..slots).map(move |n| first.wrapping_add(n) & slots.wrapping_sub(1))
}

/// Which pairs of letters stand in a text, as far as a number can tell: a text that another one contains has none that
/// are not in that one's.
#[must_use]
pub fn pairs(text: &str) -> u64 {
    let letters = text.bytes().map(|byte| u64::from(byte.to_ascii_lowercase()));
    let pair = |(a, b): (u64, u64)| 1 << ((a.wrapping_mul(7) ^ b) % 64);
    letters
        .clone()
        .zip(letters.skip(1))
        .map(pair)
        .fold(0, |all, bit: u64| all | bit)
}

#[cfg(test)]
mod tests {
    use super::{index, pairs, place};

    #[test]
    fn a_part_has_no_pairs_but_those_of_the_whole() {
        let whole = pairs("/home/ann/Mimikatz.exe");
        for part in ["mimikatz", ".exe", "k", "", "ann/mimi"] {
            assert_eq!(whole & pairs(part), pairs(part), "{part}");
        }
        assert_ne!(whole & pairs("linpeas"), pairs("linpeas"));
    }

    #[test]
    fn every_name_is_found_and_no_other() {
        let names = ["a", "b", "A", "git", "rm", "", "zz"];
        let slots = index(&names);
        for (at, name) in names.iter().enumerate() {
            assert_eq!(place(&slots, name, |p| names[p] == *name), Some(at), "{name}");
        }
        assert_eq!(place(&slots, "c", |p| names[p] == "c"), None);
        assert_eq!(place(&[], "c", |_| true), None);
    }
}
