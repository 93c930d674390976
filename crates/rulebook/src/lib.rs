//! The notation of `rules/`: what programs do, what is thought of it, and which places are special.
//!
//! Pure: text in, a [`Book`] or a [`Fault`] with its place out. The same reader serves the build of the built-in tables
//! and the rules that a person adds. The build turns a book into statics; a person's book is used as it was read.
//!
//! What is read stays for the life of the process (`keep`), so a book from a file and a table built into a program are
//! of the same types, and an effect names its labels without owning them. A hook lives for one question. Whoever lives
//! longer reads a file again only when it has changed.
#![no_std]
extern crate alloc;

mod fault;
mod index;
mod opinions;
mod programs;
#[cfg(feature = "read")]
mod read;
mod words;

pub use fault::Fault;
pub use index::{index, pairs, place};
pub use opinions::{PathRow, Rule};
pub use programs::{Cond, Does, On, Opt, Program, Role, Slot, Test};
#[cfg(feature = "read")]
pub use read::{Book, Entry, Example, Fact, NameLists, Place, RoleTables, name_lists, role_tables};
pub use words::{Act, CLASSES, Kind, Risk, RoleKind, Style, Verdict};
