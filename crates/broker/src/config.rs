//! The person's settings: `config.toml`.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use policy::{Posture, Settings};
use serde::Deserialize;
use toml::Spanned;

/// The file's name in the settings folder.
const FILE: &str = "config.toml";
/// More than any settings need.
const LIMIT: u64 = 1 << 20;

/// Why the settings could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1, where it is known.
    pub line: Option<usize>,
    /// What is wrong with it.
    pub reason: String,
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
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredRules {
    #[serde(default)]
    disabled: Vec<Spanned<String>>,
}

/// Reads the settings in `folder`. No file means the defaults.
///
/// # Errors
/// When there is a file and it cannot be read, trusted or understood.
pub(crate) fn read(folder: &Path) -> Result<Settings, ConfigError> {
    let path = folder.join(FILE);
    match text(&path) {
        Ok(None) => Ok(Settings::default()),
        Ok(Some(text)) => parse(&path, &text),
        Err(reason) => Err(ConfigError {
            file: path,
            line: None,
            reason,
        }),
    }
}

/// The file's text; `None` where there is no file.
fn text(path: &Path) -> Result<Option<String>, String> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(format!("it cannot be opened: {e}")),
    };
    let meta = file.metadata().map_err(|e| format!("it cannot be looked at: {e}"))?;
    if !meta.is_file() {
        return Err("it is no regular file".into());
    }
    if meta.uid() != 0 && meta.uid() != rustix::process::geteuid().as_raw() || meta.mode() & 0o022 != 0 {
        return Err("other users can change it; make it yours, mode 0600".into());
    }
    if meta.len() > LIMIT {
        return Err("it is larger than 1 MiB".into());
    }
    let mut text = String::new();
    file.take(LIMIT)
        .read_to_string(&mut text)
        .map_err(|e| format!("it cannot be read: {e}"))?;
    Ok(Some(text))
}

fn parse(path: &Path, text: &str) -> Result<Settings, ConfigError> {
    let fault = |at: Option<usize>, reason: String| ConfigError {
        file: path.to_path_buf(),
        line: at.map(|at| text.get(..at).unwrap_or_default().matches('\n').count() + 1),
        reason,
    };
    let stored: Stored =
        toml::from_str(text).map_err(|e| fault(e.span().map(|s| s.start), e.message().replace('\n', " ")))?;
    let known = policy::rule_ids();
    if let Some(unknown) = stored
        .rules
        .disabled
        .iter()
        .find(|id| !known.contains(&id.get_ref().as_str()))
    {
        let reason = format!("there is no rule `{}` to disable", unknown.get_ref());
        return Err(fault(Some(unknown.span().start), reason));
    }
    let posture = match stored.posture.as_ref().map(|p| p.get_ref().as_str()) {
        None | Some("guard") => Posture::Guard,
        Some("strict") => Posture::Strict,
        Some(other) => {
            let reason = format!("`posture` is `{other}`; it can be `guard` or `strict`");
            return Err(fault(stored.posture.as_ref().map(|p| p.span().start), reason));
        }
    };
    Ok(Settings {
        posture,
        disabled: stored.rules.disabled.into_iter().map(Spanned::into_inner).collect(),
        broken: None,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

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
        .unwrap();
        assert_eq!(settings.posture, Posture::Strict);
        assert_eq!(settings.disabled, [rule]);
        let settings = parse(Path::new("c"), "# nothing\n").unwrap();
        assert_eq!((settings.posture, settings.disabled.len()), (Posture::Guard, 0));
    }

    #[test]
    fn what_is_wrong_is_said_with_file_line_and_reason() {
        for (text, line, reason) in [
            ("\npostur = \"guard\"\n", 2, "unknown field `postur`"),
            (
                "posture = \"off\"\n",
                1,
                "`posture` is `off`; it can be `guard` or `strict`",
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
        assert!(read(folder.path()).unwrap().broken.is_none());
        fs::write(&path, "posture = \"strict\"").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(read(folder.path()).unwrap().posture, Posture::Strict);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(read(folder.path()).unwrap_err().reason.contains("other users"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        fs::write(&path, b"posture = \"\xff\"").unwrap();
        assert!(read(folder.path()).unwrap_err().reason.contains("cannot be read"));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(read(folder.path()).unwrap_err().reason.contains("no regular file"));
    }
}
