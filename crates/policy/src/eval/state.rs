//! What a subshell inherits and does not give back.
//!
//! States are copied at every fork, so a copy shares everything with its original until one of them changes. Reads of
//! names are noted while somebody asks for it: what was not read cannot have made a difference (see `memo`).

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use core::ops::{Deref, DerefMut};

use shell::{Command, Script, Span};

use super::args::Args;
use super::look::Source;
use super::tree::Tree;
use super::value::{Stream, Value};

/// What a variable holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Var {
    Scalar(Value),
    Array(Vec<Value>),
    /// Another name for a variable (`declare -n`).
    Ref(String),
}

/// A function, and where its text stands.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(super) body: Rc<Command>,
    pub(super) pin: Option<Span>,
    pub(super) source: Option<Rc<Source>>,
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.body, &other.body)
    }
}

/// A value that is shared until it is changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared<T>(Rc<T>);

impl<T> Shared<T> {
    /// Whether both are the same one, and not only alike.
    pub(super) fn is(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Rc::make_mut(&mut self.0)
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self(Rc::new(value))
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        self.is(other) || self.0 == other.0
    }
}

/// What is kept by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Var,
    Exported,
    Function,
    Alias,
    Written,
}

/// Things of a kind that are kept.
const MOST: usize = 16 << 10;
/// Files of which it is kept what was written to them.
const MOST_WRITTEN: usize = 64;
/// Pipes with names, beside them.
const MOST_PIPES: usize = 1024;
/// Looks among which the same one is looked for before it is noted.
const RECENT: usize = 12;

/// What flows through a pipe that has a name is wanted by the very command that names it.
fn most_written(name: &str) -> usize {
    if name.starts_with("/dev/fd/") {
        MOST_WRITTEN + MOST_PIPES
    } else {
        MOST_WRITTEN
    }
}

/// A name that was looked up, and the address of what was found; zero when there was nothing.
pub(super) type Read = (Kind, Rc<str>, usize);

/// The names that were looked up since somebody began to listen.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) listeners: Cell<u32>,
    pub(super) reads: RefCell<Vec<Read>>,
    /// Where what the last listener hears begins.
    pub(super) base: Cell<usize>,
    /// Something looked at all names at once.
    pub(super) all: Cell<bool>,
}

/// Things by name.
#[derive(Clone, Debug)]
pub(crate) struct Table<V> {
    kind: Kind,
    log: Rc<Log>,
    map: Tree<V>,
}

impl<V: PartialEq> PartialEq for Table<V> {
    fn eq(&self, other: &Self) -> bool {
        self.map == other.map
    }
}

/// The address of a shared value, to tell it from others while both live.
fn address<V>(value: Option<&Rc<V>>) -> usize {
    value.map_or(0, |v| Rc::as_ptr(v).cast::<u8>().addr())
}

impl<V> Table<V> {
    fn new(kind: Kind, log: &Rc<Log>) -> Self {
        Self {
            kind,
            log: log.clone(),
            map: Tree::default(),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&V> {
        self.shared(name).map(|(_, v)| v.as_ref())
    }

    /// The same with its name, both to be shared.
    pub(super) fn shared(&self, name: &str) -> Option<(&Rc<str>, &Rc<V>)> {
        let found = self.map.get(name);
        if self.log.listeners.get() > 0 {
            self.note(name, found);
        }
        found
    }

    fn note(&self, name: &str, found: Option<(&Rc<str>, &Rc<V>)>) {
        let address = address(found.map(|(_, v)| v));
        let mut reads = self.log.reads.borrow_mut();
        // The same few names are looked up again and again.
        let heard = reads.get(self.log.base.get()..).unwrap_or_default();
        let again = |(kind, key, at): &Read| *kind == self.kind && *at == address && key.as_ref() == name;
        if !heard.iter().rev().take(RECENT).any(again) {
            let key = found.map_or_else(|| name.into(), |(key, _)| key.clone());
            reads.push((self.kind, key, address));
        }
    }

    pub(super) fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Whether there is nothing, and nobody asks what was looked for.
    pub(super) fn tells_nothing(&self) -> bool {
        self.map.is_empty() && self.log.listeners.get() == 0
    }

    /// The same without a note.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.map.get(name).is_some()
    }

    pub(super) fn insert(&mut self, name: &str, value: V) {
        if self.takes(name) {
            self.map.insert(name, || name.into(), Rc::new(value));
        }
    }

    fn put(&mut self, name: Rc<str>, value: Rc<V>) {
        if self.takes(&name) {
            self.map.insert(&name, || name.clone(), value);
        }
    }

    /// Makes room for something; `false` where nothing more is kept.
    fn takes(&mut self, name: &str) -> bool {
        match self.kind {
            // What was set long ago is forgotten: then it is not known.
            Kind::Var | Kind::Exported if self.map.len() >= MOST => self.map = Tree::default(),
            Kind::Written if self.map.len() >= most_written(name) => return self.holds(name),
            _ => {}
        }
        true
    }

    pub(super) fn remove(&mut self, name: &str) {
        if self.holds(name) {
            self.map.remove(name);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.log.all.set(true);
        self.map.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.map.len()
    }

    /// All of them; whoever asks for this has read everything.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        self.log.all.set(true);
        self.map.iter().map(|(k, v)| (k.as_ref(), v.as_ref()))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|(name, _)| name)
    }

    pub(super) fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.log.all.set(true);
        let gone: Vec<Rc<str>> = self
            .map
            .iter()
            .map(|(name, _)| name.clone())
            .filter(|name| !keep(name))
            .collect();
        gone.iter().for_each(|name| self.map.remove(name));
    }

    /// The address of what stands under a name; not noted.
    fn address_of(&self, name: &str) -> usize {
        address(self.map.get(name).map(|(_, value)| value))
    }

    fn same(&self, other: &Self, name: &str) -> bool
    where
        V: PartialEq,
    {
        match (self.map.get(name), other.map.get(name)) {
            (Some((_, a)), Some((_, b))) => Rc::ptr_eq(a, b) || a == b,
            (None, None) => true,
            _ => false,
        }
    }

    /// Makes the changes that led from `before` to `after`.
    fn follow(&mut self, before: &Self, after: &Self) {
        if before.map.is(&after.map) {
            return;
        }
        if before.map.is(&self.map) {
            self.map = after.map.clone();
            return;
        }
        let (set, gone) = after.map.changes(&before.map);
        set.into_iter().for_each(|(name, value)| self.put(name, value));
        gone.iter().for_each(|name| self.map.remove(name));
    }
}

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    pub(super) vars: Table<Var>,
    /// Variables that other programs get to see.
    pub(super) exported: Table<()>,
    pub(super) functions: Table<Function>,
    pub(super) aliases: Table<String>,
    pub(super) positional: Args,
    /// `$0`, where a text was given another one.
    pub(super) zero: Option<Value>,
    /// `None` after a `cd` to a place that is not known.
    pub(super) cwd: Option<String>,
    /// `cd` follows links (`set -P`).
    pub(super) physical: bool,
    /// What was moved earlier in the text: the new path, and the old one.
    pub(super) moved: Shared<BTreeMap<String, String>>,
    /// Files written earlier in the text, and with what.
    pub(super) written: Table<Stream>,
    /// Links and mounts made earlier in the text: the new path, and what it stands for.
    pub(super) links: Shared<BTreeMap<String, String>>,
    /// Folders that the container around this place shares with the machine: the path there, and that on the machine.
    pub(super) mounts: Shared<Vec<(String, String)>>,
    /// Copies of programs: the path, and the name of the program.
    pub(super) renamed: Shared<BTreeMap<String, String>>,
    /// Folders whose content was fetched earlier in the text.
    pub(super) fetched: Shared<Vec<String>>,
    /// What can be read from descriptors that the text opened.
    pub(super) inputs: Shared<BTreeMap<u32, Stream>>,
    /// Files that descriptors which the text opened write to.
    pub(super) outputs: Shared<BTreeMap<u32, Value>>,
    /// `>(..)`: the name, and what reads from it.
    pub(super) sinks: Shared<BTreeMap<String, Sink>>,
}

/// A script that reads what is written to a name.
#[derive(Clone, Debug)]
pub(crate) struct Sink(pub(super) Rc<Script>);

impl PartialEq for Sink {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl State {
    pub(super) fn new(cwd: String, log: &Rc<Log>) -> Self {
        Self {
            vars: Table::new(Kind::Var, log),
            exported: Table::new(Kind::Exported, log),
            functions: Table::new(Kind::Function, log),
            aliases: Table::new(Kind::Alias, log),
            positional: Args::default(),
            zero: None,
            cwd: Some(cwd),
            physical: false,
            moved: Shared::default(),
            written: Table::new(Kind::Written, log),
            links: Shared::default(),
            mounts: Shared::default(),
            renamed: Shared::default(),
            fetched: Shared::default(),
            inputs: Shared::default(),
            outputs: Shared::default(),
            sinks: Shared::default(),
        }
    }

    /// What a subshell did to files stays.
    pub(super) fn keep_files(&mut self, inner: &Self) {
        self.written = inner.written.clone();
        self.links = inner.links.clone();
        self.fetched = inner.fetched.clone();
        self.renamed = inner.renamed.clone();
    }

    /// Whether everything is the same that is not kept by name.
    pub(super) fn same_place(&self, other: &Self) -> bool {
        self.cwd == other.cwd
            && self.physical == other.physical
            && self.moved == other.moved
            && self.positional == other.positional
            && self.zero == other.zero
            && self.links == other.links
            && self.mounts == other.mounts
            && self.renamed == other.renamed
            && self.fetched == other.fetched
            && self.inputs == other.inputs
            && self.outputs == other.outputs
            && self.sinks == other.sinks
    }

    /// The address of what stands under a name.
    pub(super) fn address_of(&self, kind: Kind, name: &str) -> usize {
        match kind {
            Kind::Var => self.vars.address_of(name),
            Kind::Exported => self.exported.address_of(name),
            Kind::Function => self.functions.address_of(name),
            Kind::Alias => self.aliases.address_of(name),
            Kind::Written => self.written.address_of(name),
        }
    }

    /// Whether both hold the same under a name.
    pub(super) fn agrees(&self, other: &Self, kind: Kind, name: &str) -> bool {
        match kind {
            Kind::Var => self.vars.same(&other.vars, name),
            Kind::Exported => self.exported.same(&other.exported, name),
            Kind::Function => self.functions.same(&other.functions, name),
            Kind::Alias => self.aliases.same(&other.aliases, name),
            Kind::Written => self.written.same(&other.written, name),
        }
    }

    /// This state after the changes that led from `before` to `after`.
    pub(super) fn following(&self, before: &Self, after: &Self) -> Self {
        let mut next = Self {
            vars: self.vars.clone(),
            exported: self.exported.clone(),
            functions: self.functions.clone(),
            aliases: self.aliases.clone(),
            written: self.written.clone(),
            ..after.clone()
        };
        next.vars.follow(&before.vars, &after.vars);
        next.exported.follow(&before.exported, &after.exported);
        next.functions.follow(&before.functions, &after.functions);
        next.aliases.follow(&before.aliases, &after.aliases);
        next.written.follow(&before.written, &after.written);
        next
    }
}
