//! The person's settings: `config.toml`, and what can be wrong with any file of theirs.

mod listing;
mod stored;

use std::fmt;
use std::path::{Path, PathBuf};

use policy::Settings;
use rulebook::Fault;
use toml::Spanned;

pub use listing::{Setting, of, own};
use stored::Stored;
pub use stored::{Answers, Limits};

use crate::trusted;

/// The file's name in the settings folder.
pub const FILE: &str = "config.toml";

/// The JSON Schema of `config.toml`.
#[cfg(feature = "schema")]
#[must_use]
pub fn schema() -> String {
    serde_json::to_string_pretty(&schemars::schema_for!(Stored)).unwrap_or_default()
}

/// Why the settings could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1, where it is known.
    pub line: Option<usize>,
    /// What is wrong with it.
    pub reason: String,
    /// What to do about it, one sentence; empty where nothing can be said.
    pub hint: String,
}

impl ConfigError {
    pub(crate) fn of(file: &Path, reason: String) -> Self {
        Self {
            file: file.to_path_buf(),
            line: None,
            reason,
            hint: String::new(),
        }
    }

    /// The error with its hint, without a full stop.
    pub(crate) fn whole(&self) -> String {
        match self.hint.trim_end_matches('.') {
            "" => self.to_string(),
            hint => format!("{self} ({hint})"),
        }
    }
}

impl From<Fault> for ConfigError {
    fn from(fault: Fault) -> Self {
        let reason = match fault.stanza.as_str() {
            "" => fault.sentence,
            stanza => format!("`{stanza}`: {}", fault.sentence),
        };
        Self {
            file: fault.file.into(),
            line: fault.line,
            reason,
            hint: fault.hint,
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl std::error::Error for ConfigError {}

/// What `config.toml` says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Config {
    pub(crate) settings: Settings,
    pub(crate) breaker: Limits,
    pub(crate) approvals: Answers,
}

/// Reads the settings in `folder`. No file means the defaults.
///
/// # Errors
/// When there is a file and it cannot be read, trusted or understood, or when others could replace it or take it away.
pub(crate) fn read(folder: &Path) -> Result<Config, ConfigError> {
    match text(folder)? {
        (_, None) => Ok(Config::default()),
        (path, Some(text)) => parse(&path, &text),
    }
}

/// The text of the person's settings and its path; no text where there is no file.
fn text(folder: &Path) -> Result<(PathBuf, Option<String>), ConfigError> {
    let path = folder.join(FILE);
    match trusted::folder(folder).and_then(|()| trusted::file(&path)) {
        Ok(text) => Ok((path, text)),
        Err(reason) => Err(ConfigError::of(&path, reason)),
    }
}

fn parse(path: &Path, text: &str) -> Result<Config, ConfigError> {
    let stored = stored(path, text)?;
    let unprotected = stored.paths.unprotected.into_iter();
    Ok(Config {
        settings: Settings {
            posture: stored.posture.0,
            disabled: stored.rules.disabled.into_iter().map(Spanned::into_inner).collect(),
            unprotected: unprotected.map(|one| one.into_inner().glob).collect(),
            ..Settings::default()
        },
        breaker: stored.breaker,
        approvals: stored.approvals,
    })
}

fn stored(path: &Path, text: &str) -> Result<Stored, ConfigError> {
    let fault = |at: Option<usize>, reason: String| ConfigError {
        line: at.map(|at| line_at(text, at)),
        ..ConfigError::of(path, reason)
    };
    let stored: Stored =
        toml::from_str(text).map_err(|e| fault(e.span().map(|s| s.start), e.message().replace('\n', " ")))?;
    match stored.rules.wrong().or_else(|| stored.paths.wrong()) {
        None => Ok(stored),
        Some((at, reason)) => Err(fault(Some(at), reason)),
    }
}

/// The line of a place in a text, counted from 1.
fn line_at(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or_default().matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use policy::Posture;

    use super::*;

    fn fault(text: &str) -> String {
        let e = parse(Path::new("/c/config.toml"), text).unwrap_err();
        e.to_string()
    }

    #[test]
    fn settings_are_read() {
        let rule = policy::rule_ids()[0];
        let settings = parse(
            Path::new("c"),
            &format!("posture = \"strict\"\n[rules]\ndisabled = [\"{rule}\"]\n"),
        )
        .unwrap()
        .settings;
        assert_eq!(settings.posture, Posture::Strict);
        assert_eq!(settings.disabled, [rule]);
        let settings = parse(Path::new("c"), "# nothing\n").unwrap().settings;
        assert_eq!((settings.posture, settings.disabled.len()), (Posture::Guard, 0));
    }

    #[test]
    fn what_is_wrong_is_said_with_file_line_and_reason() {
        for (text, line, reason) in [
            ("\npostur = \"guard\"\n", 2, "unknown field `postur`"),
            (
                "posture = \"lax\"\n",
                1,
                "`posture` is `lax`; it can be `guard`, `strict`, `observe`, `off`",
            ),
            ("posture = 3\n", 1, "invalid type"),
            (
                "[rules]\n\ndisabled = [\n  \"no_such_rule\",\n]\n",
                4,
                "no rule `no_such_rule`",
            ),
            ("[rules]\nenabled = []\n", 2, "unknown field `enabled`"),
            ("posture = \"guard\"\nposture = \"guard\"\n", 2, "duplicate key"),
            ("posture = \"guard\n", 1, ""),
            ("= = =", 1, ""),
            ("[rules]\ndisabled = \"x\"\n", 2, "invalid type"),
        ] {
            let said = fault(text);
            assert!(
                said.starts_with(&format!("`/c/config.toml`, line {line}: ")),
                "{text}: {said}"
            );
            assert!(said.contains(reason) && !said.contains('\n'), "{said}");
        }
    }

    #[test]
    fn a_file_that_others_can_change_is_not_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        assert!(read(folder.path()).unwrap().settings.broken.is_none());
        fs::write(&path, "posture = \"strict\"").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(read(folder.path()).unwrap().settings.posture, Posture::Strict);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(read(folder.path()).unwrap_err().reason.contains("other users"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        fs::write(&path, b"posture = \"\xff\"").unwrap();
        assert!(read(folder.path()).unwrap_err().reason.contains("cannot be read"));
        fs::remove_file(&path).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        assert!(read(folder.path()).unwrap_err().reason.contains("no regular file"));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(read(folder.path()).unwrap_err().reason.contains("no regular file"));
    }

    #[test]
    fn folders_in_which_others_may_write_are_not_trusted() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let (folder, outer) = (root.join("a/.config/tollgate"), root.join("a"));
        fs::create_dir_all(&folder).unwrap();
        let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        for file in [false, true] {
            if file {
                fs::write(folder.join(FILE), "posture = \"strict\"").unwrap();
            }
            for place in [&folder, &root.join("a/.config"), &outer] {
                let held = *place != folder;
                for (bits, trusted) in [(0o777, false), (0o702, false), (0o1777, held), (0o755, true)] {
                    mode(place, bits);
                    let read = read(&folder);
                    assert_eq!(read.is_ok(), trusted, "{} {bits:o}", place.display());
                    if let Err(error) = read {
                        assert!(error.reason.contains(&format!("`{}`", place.display())), "{error}");
                    }
                }
            }
        }
        // A folder that is not there yet can be made by whoever may write above it.
        mode(&outer, 0o777);
        assert!(read(&outer.join("none/tollgate")).is_err());
        mode(&outer, 0o1777);
        assert!(read(&outer.join("none/tollgate")).is_ok());
        mode(&outer, 0o755);
        // Where the file is a link, the place that it leads to counts too.
        let away = root.join("away");
        fs::create_dir(&away).unwrap();
        fs::rename(folder.join(FILE), away.join("c")).unwrap();
        symlink(away.join("c"), folder.join(FILE)).unwrap();
        assert_eq!(read(&folder).unwrap().settings.posture, Posture::Strict);
        mode(&away, 0o777);
        assert!(read(&folder).unwrap_err().reason.contains("away"));
    }

    #[test]
    fn a_link_that_others_can_replace_is_not_trusted() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::create_dir_all(at("real/tollgate")).unwrap();
        fs::create_dir(at("home")).unwrap();
        symlink(at("real"), at("home/.config")).unwrap();
        // A sticky folder holds our link as it would hold our folder.
        for (mode, trusted) in [(0o755, true), (0o777, false), (0o1777, true)] {
            fs::set_permissions(at("home"), fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(read(&at("home/.config/tollgate")).is_ok(), trusted, "{mode:o}");
        }
    }

    #[test]
    fn a_link_to_nothing_is_not_the_same_as_no_file() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::create_dir(at("c")).unwrap();
        symlink("c", at("good")).unwrap();
        symlink("nowhere", at("bad")).unwrap();
        assert!(read(&at("c")).is_ok() && read(&at("good")).is_ok() && read(&at("none/c")).is_ok());
        symlink("nowhere", at("c").join(FILE)).unwrap();
        for folder in ["c", "good", "bad", "bad/tollgate"] {
            assert!(
                read(&at(folder)).unwrap_err().reason.contains("link to nothing"),
                "{folder}"
            );
        }
    }
}
