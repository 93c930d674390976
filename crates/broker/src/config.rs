//! The person's settings: `config.toml`, and what can be wrong with any file of theirs.

use std::fmt;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use policy::{Posture, Settings};
use rulebook::Fault;
use serde::Deserialize;
use toml::Spanned;

use crate::trusted;

/// The file's name in the settings folder.
const FILE: &str = "config.toml";
/// Globs that can be taken out of the built-in rows, and the bytes of one.
const MOST_GLOBS: usize = 200;
const LONGEST_GLOB: usize = 300;

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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    posture: Option<Spanned<String>>,
    #[serde(default)]
    rules: StoredRules,
    #[serde(default)]
    paths: StoredPaths,
    #[serde(default)]
    breaker: Limits,
    #[serde(default)]
    approvals: Answers,
}

/// What `config.toml` says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Config {
    pub(crate) settings: Settings,
    pub(crate) breaker: Limits,
    pub(crate) approvals: Answers,
}

/// How many refusals in which time lock an agent, and for how long (spec V-3102).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Whether there is a breaker at all.
    pub enabled: bool,
    /// How many refusals.
    pub threshold: NonZeroU32,
    /// In how many seconds.
    pub window_seconds: NonZeroU32,
    /// For how many seconds the agent may only read then.
    pub cooldown_seconds: NonZeroU32,
}

impl Default for Limits {
    fn default() -> Self {
        let number = |n| NonZeroU32::new(n).unwrap_or(NonZeroU32::MIN);
        Self {
            enabled: true,
            threshold: number(5),
            window_seconds: number(60),
            cooldown_seconds: number(300),
        }
    }
}

/// How answers of a person are kept, and waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Answers {
    /// Whether a yes may hold for longer than one call (spec V-3305).
    pub remember: bool,
    /// How many seconds the hook waits for an answer where the agent cannot ask by itself.
    pub wait_seconds: u32,
}

impl Default for Answers {
    fn default() -> Self {
        Self {
            remember: true,
            wait_seconds: 0,
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredRules {
    #[serde(default)]
    disabled: Vec<Spanned<String>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredPaths {
    #[serde(default)]
    unprotected: Vec<Spanned<Unprotected>>,
}

/// Paths that are taken out of the built-in rows on protected parts of a project.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unprotected {
    glob: String,
    reason: String,
}

impl Unprotected {
    /// What is wrong with it.
    fn fault(&self) -> Option<&'static str> {
        if self.glob.is_empty() || self.glob.len() > LONGEST_GLOB {
            return Some("a glob has 1 to 300 bytes");
        }
        // Letters have to stand in it: what names everything names nothing.
        if !self.glob.contains(char::is_alphanumeric) {
            return Some("the glob names everything; name the paths");
        }
        self.reason.trim().is_empty().then_some("it gives no reason")
    }
}

/// Reads the settings in `folder`. No file means the defaults.
///
/// # Errors
/// When there is a file and it cannot be read, trusted or understood, or when others could replace it or take it away.
pub(crate) fn read(folder: &Path) -> Result<Config, ConfigError> {
    let path = folder.join(FILE);
    match trusted::folder(folder).and_then(|()| trusted::file(&path)) {
        Ok(None) => Ok(Config::default()),
        Ok(Some(text)) => parse(&path, &text),
        Err(reason) => Err(ConfigError {
            file: path,
            line: None,
            reason,
            hint: String::new(),
        }),
    }
}

fn parse(path: &Path, text: &str) -> Result<Config, ConfigError> {
    let fault = |at: Option<usize>, reason: String| ConfigError {
        file: path.to_path_buf(),
        line: at.map(|at| text.get(..at).unwrap_or_default().matches('\n').count() + 1),
        reason,
        hint: String::new(),
    };
    let stored: Stored =
        toml::from_str(text).map_err(|e| fault(e.span().map(|s| s.start), e.message().replace('\n', " ")))?;
    let told = |(at, reason)| fault(Some(at), reason);
    let disabled = disabled(stored.rules).map_err(told)?;
    let unprotected = unprotected(stored.paths).map_err(told)?;
    let posture = match stored.posture.as_ref() {
        None => Posture::default(),
        Some(said) => Posture::parse(said.get_ref()).ok_or_else(|| {
            let all = Posture::ALL.map(Posture::as_str).join("`, `");
            let reason = format!("`posture` is `{}`; it can be `{all}`", said.get_ref());
            fault(Some(said.span().start), reason)
        })?,
    };
    Ok(Config {
        settings: Settings {
            posture,
            disabled,
            unprotected,
            ..Settings::default()
        },
        breaker: stored.breaker,
        approvals: stored.approvals,
    })
}

/// Where something is wrong, and what.
type Wrong = (usize, String);

/// The rules that are switched off: built-in ones, and none that guards Tollgate itself.
fn disabled(stored: StoredRules) -> Result<Vec<String>, Wrong> {
    let (known, lasting) = (policy::rule_ids(), policy::lasting_rules());
    for id in &stored.disabled {
        let name = id.get_ref().as_str();
        if !known.contains(&name) {
            return Err((id.span().start, format!("there is no rule `{name}` to disable")));
        }
        if lasting.contains(&name) {
            let reason = format!("`{name}` guards Tollgate itself and cannot be disabled");
            return Err((id.span().start, reason));
        }
    }
    Ok(stored.disabled.into_iter().map(Spanned::into_inner).collect())
}

/// The globs of paths that the built-in rows on protected parts of a project are to say nothing about.
fn unprotected(stored: StoredPaths) -> Result<Vec<String>, Wrong> {
    for (count, one) in stored.unprotected.iter().enumerate() {
        let wrong = one
            .get_ref()
            .fault()
            .map(|wrong| format!("`{}`: {wrong}", one.get_ref().glob));
        let many = (count >= MOST_GLOBS).then(|| format!("there are more than {MOST_GLOBS} globs"));
        if let Some(wrong) = wrong.or(many) {
            return Err((one.span().start, format!("in `unprotected`, {wrong}")));
        }
    }
    Ok(stored
        .unprotected
        .into_iter()
        .map(|one| one.into_inner().glob)
        .collect())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

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
