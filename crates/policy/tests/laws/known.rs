//! Where a law is broken, and why that is so.

/// A wrapper, the beginning of the texts that it does this to (empty: all), and the reason.
type Known = (&'static str, &'static str, &'static str);

/// Wrapped, these are judged more mildly.
const MILDER: &[Known] = &[];

/// Wrapped, these are judged more strictly although the wrapper does nothing.
const STRICTER: &[Known] = &[];

pub(crate) fn milder(wrapper: &str, text: &str) -> bool {
    listed(MILDER, wrapper, text)
}

pub(crate) fn stricter(wrapper: &str, text: &str) -> bool {
    listed(STRICTER, wrapper, text)
}

fn listed(list: &[Known], wrapper: &str, text: &str) -> bool {
    list.iter()
        .any(|(name, start, _)| (name.is_empty() || *name == wrapper) && text.starts_with(start))
}
