//! Takes secrets and control codes out of text before it is stored or shown.
//!
//! Pure, without tables built at run time and without regular expressions: it stands in the path of every hook call. The
//! forms are data (`rules/secrets.toml`), turned into static tables when the crate is built. Work is linear in the
//! length of the text.
#![no_std]
extern crate alloc;

mod commands;
mod header;
mod names;
mod options;
mod pem;
mod scan;
mod tables;
mod tokens;
mod url;
mod value;
mod visible;

pub use scan::redact;
pub use visible::visible;

#[cfg(test)]
mod tests;
