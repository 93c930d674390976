//! A file that is the hook: a plugin or a script of our own.

/// Every file of ours says so.
const MARK: &str = "Written by `tollgate install`";

/// Whether a file is ours.
pub(crate) fn is_ours(text: &str) -> bool {
    text.contains(MARK) && text.contains(agents::PROGRAM)
}

/// The new text, unless somebody else's stands there.
pub(crate) fn with_file(text: &str, file: &str) -> Result<String, String> {
    if text.trim().is_empty() || is_ours(text) {
        return Ok(file.to_owned());
    }
    Err("a hook of somebody else stands there, and the agent takes one alone".to_owned())
}

/// What stays when ours is gone: nothing, or somebody else's.
pub(crate) fn without_file(text: &str) -> Option<String> {
    (!is_ours(text)).then(|| text.to_owned())
}
