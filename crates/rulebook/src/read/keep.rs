//! What is read stays: see the head of the crate.

use alloc::boxed::Box;
use alloc::string::ToString as _;
use alloc::vec::Vec;

/// A text for the life of the process.
pub(super) fn text(text: &str) -> &'static str {
    if text.is_empty() {
        return "";
    }
    Box::leak(text.to_string().into_boxed_str())
}

/// A list for the life of the process.
pub(super) fn list<T>(items: Vec<T>) -> &'static [T] {
    if items.is_empty() {
        return &[];
    }
    Box::leak(items.into_boxed_slice())
}

/// Texts for the life of the process.
pub(super) fn texts<S: AsRef<str>>(items: impl IntoIterator<Item = S>) -> &'static [&'static str] {
    list(items.into_iter().map(|item| text(item.as_ref())).collect())
}

/// One thing for the life of the process.
pub(super) fn one<T>(item: T) -> &'static T {
    Box::leak(Box::new(item))
}
