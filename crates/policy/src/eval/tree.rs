//! A sorted map by name of which a copy costs nothing, and a copy that was changed little more than the change: both share
//! what they have in common. What is shared is not looked at when two are compared.

use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// See the module. An AVL tree whose nodes are copied only where they are shared.
#[derive(Debug)]
pub(super) struct Tree<V>(Option<Rc<Node<V>>>);

/// What was set, and the names that are gone.
type Changes<V> = (Vec<(Rc<str>, Rc<V>)>, Vec<Rc<str>>);

#[derive(Debug)]
struct Node<V> {
    name: Rc<str>,
    value: Rc<V>,
    left: Tree<V>,
    right: Tree<V>,
    height: u8,
    count: usize,
}

impl<V> Clone for Tree<V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<V> Clone for Node<V> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            value: self.value.clone(),
            left: self.left.clone(),
            right: self.right.clone(),
            ..*self
        }
    }
}

impl<V> Default for Tree<V> {
    fn default() -> Self {
        Self(None)
    }
}

impl<V: PartialEq> PartialEq for Tree<V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.all_apart_from(other, &mut |name, value| {
                let there = other.get(name).map(|(_, value)| value);
                there.is_some_and(|there| Rc::ptr_eq(there, value) || there == value)
            })
    }
}

impl<V> Tree<V> {
    pub(super) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |node| node.count)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    fn height(&self) -> u8 {
        self.0.as_ref().map_or(0, |node| node.height)
    }

    /// Whether both are the same one, and not only alike.
    pub(super) fn is(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    fn node(&self, name: &str) -> Option<&Rc<Node<V>>> {
        let mut at = self;
        loop {
            let node = at.0.as_ref()?;
            at = match name.cmp(&node.name) {
                Ordering::Equal => return Some(node),
                Ordering::Less => &node.left,
                Ordering::Greater => &node.right,
            };
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<(&Rc<str>, &Rc<V>)> {
        self.node(name).map(|node| (&node.name, &node.value))
    }

    /// Whether `keeps` says so of everything that is not shared with `other`.
    fn all_apart_from(&self, other: &Self, keeps: &mut impl FnMut(&Rc<str>, &Rc<V>) -> bool) -> bool {
        let Some(node) = &self.0 else { return true };
        if other.node(&node.name).is_some_and(|there| Rc::ptr_eq(there, node)) {
            return true;
        }
        node.left.all_apart_from(other, keeps)
            && keeps(&node.name, &node.value)
            && node.right.all_apart_from(other, keeps)
    }

    /// What stands here otherwise than in `other`, and the names that stand only there.
    pub(super) fn changes(&self, other: &Self) -> Changes<V> {
        let (mut set, mut gone) = (Vec::new(), Vec::new());
        self.all_apart_from(other, &mut |name, value| {
            if other.get(name).is_none_or(|(_, there)| !Rc::ptr_eq(there, value)) {
                set.push((name.clone(), value.clone()));
            }
            true
        });
        other.all_apart_from(self, &mut |name, _| {
            if self.node(name).is_none() {
                gone.push(name.clone());
            }
            true
        });
        (set, gone)
    }

    /// All of them in the order of their names.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Rc<str>, &Rc<V>)> {
        let mut path: Vec<&Node<V>> = Vec::new();
        let mut next = self;
        core::iter::from_fn(move || {
            while let Some(node) = &next.0 {
                path.push(node);
                next = &node.left;
            }
            let node = path.pop()?;
            next = &node.right;
            Some((&node.name, &node.value))
        })
    }

    /// Puts something under a name; `key` makes the name to be kept, where there is none.
    pub(super) fn insert(&mut self, name: &str, key: impl FnOnce() -> Rc<str>, value: Rc<V>) {
        let Some(shared) = &mut self.0 else {
            self.0 = Some(Rc::new(Node {
                name: key(),
                value,
                left: Self(None),
                right: Self(None),
                height: 1,
                count: 1,
            }));
            return;
        };
        let node = Rc::make_mut(shared);
        match name.cmp(&node.name) {
            // All heights stay as they are.
            Ordering::Equal => return node.value = value,
            Ordering::Less => node.left.insert(name, key, value),
            Ordering::Greater => node.right.insert(name, key, value),
        }
        self.balance();
    }

    pub(super) fn remove(&mut self, name: &str) {
        let Some(shared) = &mut self.0 else { return };
        let node = Rc::make_mut(shared);
        match name.cmp(&node.name) {
            Ordering::Less => node.left.remove(name),
            Ordering::Greater => node.right.remove(name),
            Ordering::Equal => match node.right.take_first() {
                Some((name, value)) => (node.name, node.value) = (name, value),
                None => *self = core::mem::take(&mut node.left),
            },
        }
        self.balance();
    }

    fn take_first(&mut self) -> Option<(Rc<str>, Rc<V>)> {
        let node = Rc::make_mut(self.0.as_mut()?);
        let first = node.left.take_first();
        if first.is_some() {
            self.balance();
            return first;
        }
        let first = (node.name.clone(), node.value.clone());
        *self = core::mem::take(&mut node.right);
        Some(first)
    }

    /// Puts height and count right, and the heights of both sides near each other.
    fn balance(&mut self) {
        let Some(node) = self.0.as_mut().map(Rc::make_mut) else {
            return;
        };
        let (left, right) = (node.left.height(), node.right.height());
        if left > right + 1 {
            if node.left.leans(false) {
                node.left.turn(false);
            }
            self.turn(true);
        } else if right > left + 1 {
            if node.right.leans(true) {
                node.right.turn(true);
            }
            self.turn(false);
        } else {
            node.measure();
        }
    }

    /// Whether the left side is higher, or the right one.
    fn leans(&self, left: bool) -> bool {
        self.0.as_ref().is_some_and(|node| {
            let (higher, lower) = if left {
                (&node.left, &node.right)
            } else {
                (&node.right, &node.left)
            };
            higher.height() > lower.height()
        })
    }

    /// Lifts the left side above the root, or the right one.
    fn turn(&mut self, left: bool) {
        let Some(mut root) = self.0.take() else { return };
        let below = Rc::make_mut(&mut root);
        let Some(mut lifted) = below.side(left).0.take() else {
            self.0 = Some(root);
            return;
        };
        let above = Rc::make_mut(&mut lifted);
        *below.side(left) = core::mem::take(above.side(!left));
        below.measure();
        *above.side(!left) = Self(Some(root));
        above.measure();
        self.0 = Some(lifted);
    }
}

impl<V> Node<V> {
    fn side(&mut self, left: bool) -> &mut Tree<V> {
        if left { &mut self.left } else { &mut self.right }
    }

    fn measure(&mut self) {
        self.height = self.left.height().max(self.right.height()) + 1;
        self.count = self.left.len() + self.right.len() + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::Tree;
    use alloc::collections::BTreeMap;
    use alloc::rc::Rc;
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    fn all(tree: &Tree<usize>) -> Vec<(String, usize)> {
        tree.iter().map(|(name, value)| (name.to_string(), **value)).collect()
    }

    #[test]
    fn it_is_like_any_map_and_its_copies_stay_as_they_were() {
        let (mut tree, mut map) = (Tree::default(), BTreeMap::new());
        let mut before = (tree.clone(), map.clone());
        let mut state = 7_usize;
        for n in 0..4000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let name = (state >> 40) % 300;
            if state >> 60 < 5 {
                tree.remove(&name.to_string());
                map.remove(&name.to_string());
            } else {
                tree.insert(&name.to_string(), || name.to_string().into(), Rc::new(n));
                map.insert(name.to_string(), n);
            }
            if n % 100 == 0 {
                assert_eq!(all(&before.0), before.1.clone().into_iter().collect::<Vec<_>>());
                before = (tree.clone(), map.clone());
            }
            assert_eq!(tree.len(), map.len());
        }
        assert_eq!(all(&tree), map.into_iter().collect::<Vec<_>>());
        assert!(tree.height() < 14);
    }

    #[test]
    fn changes_lead_from_one_to_the_other() {
        let mut before = Tree::default();
        for n in 0..100 {
            before.insert(&n.to_string(), || n.to_string().into(), Rc::new(n));
        }
        let mut after = before.clone();
        assert!(after.is(&before));
        after.insert("5", || "5".into(), Rc::new(500));
        after.insert("x", || "x".into(), Rc::new(1));
        after.remove("77");
        assert!(after != before);
        let (set, gone) = after.changes(&before);
        assert_eq!(set.len(), 2);
        assert_eq!(gone, ["77".into()]);
        let mut led = before.clone();
        set.into_iter()
            .for_each(|(name, value)| led.insert(&name, || name.clone(), value));
        gone.iter().for_each(|name| led.remove(name));
        assert!(led == after);
    }
}
