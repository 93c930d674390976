//! The person's own rules: the files of the folder `rules` beside `config.toml`.

use std::path::{Path, PathBuf};

use ledger::Hash;
use policy::Added;
use rulebook::{Book, Entry, Fault};

use crate::config::ConfigError;
use crate::trusted;

/// The folder's name in the settings folder.
const FOLDER: &str = "rules";

/// A file of rules that is not to be read, or was read.
pub type RuleFile = Result<(PathBuf, String), ConfigError>;

/// The texts of the person's rule files, in the order of their names. A file that is not to be trusted stands there with
/// the reason.
#[must_use]
pub fn rule_files(config: &Path) -> Vec<RuleFile> {
    let folder = config.join(FOLDER);
    match trusted::own_files(&folder, &["toml"]) {
        Ok(paths) => paths.into_iter().map(read_one).collect(),
        Err(reason) => vec![Err(ConfigError::of(&folder, reason))],
    }
}

fn read_one(path: PathBuf) -> RuleFile {
    match trusted::file(&path) {
        Ok(Some(text)) => Ok((path, text)),
        Ok(None) => Err(ConfigError::of(&path, "it went away while it was read".into())),
        Err(reason) => Err(ConfigError::of(&path, reason)),
    }
}

/// What the person added, and the first thing that is wrong with it. One bad file does not silence the others.
pub(crate) fn read(config: &Path) -> (Added, Option<ConfigError>) {
    let (mut book, mut names, mut error) = (Book::default(), String::new(), None);
    for file in rule_files(config) {
        let added = file.and_then(|(path, text)| {
            let name = path.to_string_lossy();
            names += &format!("{name}\0{}\n", Hash::of(text.as_bytes()).hex());
            Ok(book.add(&name, &text)?)
        });
        error = error.or(added.err());
    }
    let (mut added, clash) = added(&book);
    if !names.is_empty() {
        added.set_digest(Hash::of(names.as_bytes()).hex());
    }
    (added, error.or(clash.map(ConfigError::from)))
}

/// A book as an addition to the built-in tables, and the first stanza that would stand in for a built-in one without saying
/// so: that one is left out.
#[must_use]
pub fn added(book: &Book) -> (Added, Option<Fault>) {
    let (mut added, mut fault) = (Added::default(), None);
    for entry in &book.programs {
        if let Err(name) = added.program(entry.says.program, entry.says.replace) {
            let hint = "Say `replace = true` in the stanza to put yours in its place, or give it another name.";
            fault = fault.or(Some(clash(
                entry,
                name,
                "there are built-in facts about this program",
                hint,
            )));
        }
    }
    for entry in &book.rules {
        if let Err(id) = added.rule(entry.says) {
            let hint = "Give yours another id; `[rules] disabled` in `config.toml` switches a built-in rule off.";
            fault = fault.or(Some(clash(entry, id, "there is a built-in rule of this id", hint)));
        }
    }
    for entry in &book.paths {
        added.path(entry.says.globs, entry.says.row);
    }
    (added, fault)
}

fn clash<T>(entry: &Entry<T>, name: &str, sentence: &str, hint: &str) -> Fault {
    Fault {
        file: entry.file.clone(),
        line: Some(entry.line),
        stanza: name.into(),
        sentence: sentence.into(),
        hint: hint.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    const PROGRAM: &str = "[[program]]\nname = \"acmectl\"\n";

    struct Home(tempfile::TempDir);

    impl Home {
        fn new(files: &[(&str, &str)]) -> Self {
            let home = Self(tempfile::tempdir().unwrap());
            fs::create_dir(home.rules()).unwrap();
            mode(&home.rules(), 0o755);
            for (name, text) in files {
                fs::write(home.rules().join(name), text).unwrap();
                mode(&home.rules().join(name), 0o644);
            }
            home
        }

        fn rules(&self) -> PathBuf {
            self.0.path().join(FOLDER)
        }

        fn error(&self) -> Option<String> {
            read(self.0.path()).1.map(|error| error.to_string())
        }

        fn digest(&self) -> String {
            read(self.0.path()).0.digest().to_owned()
        }
    }

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn no_folder_is_no_rules() {
        let home = tempfile::tempdir().unwrap();
        let (added, error) = read(home.path());
        assert!(error.is_none() && added.digest().is_empty());
        let home = Home::new(&[("README.md", "= ="), (".#a.toml", "= ="), ("a.toml~", "= =")]);
        assert_eq!((home.error(), home.digest()), (None, String::new()));
    }

    #[test]
    fn every_change_of_a_file_is_another_digest() {
        let home = Home::new(&[("a.toml", PROGRAM)]);
        let first = home.digest();
        fs::write(home.rules().join("b.toml"), "").unwrap();
        mode(&home.rules().join("b.toml"), 0o644);
        let second = home.digest();
        fs::write(home.rules().join("a.toml"), format!("{PROGRAM}\n")).unwrap();
        let third = home.digest();
        assert!(!first.is_empty() && first != second && second != third && first != third);
    }

    #[test]
    fn a_clash_is_named_unless_it_is_meant() {
        for (text, said) in [
            (
                "[[program]]\nname = \"rm\"\n",
                Some("a.toml`, line 2: `rm`: there are built-in facts"),
            ),
            ("[[program]]\nname = \"rm\"\nreplace = true\n", None),
            (
                "[[rule]]\nid = \"rm_rf_root\"\non = [\"read\"]\nrisk = \"low\"\nwhy = \"w\"\ninstead = \"i\"\nmatch = [\"x\"]\n",
                Some("line 2: `rm_rf_root`: there is a built-in rule"),
            ),
        ] {
            let error = Home::new(&[("a.toml", text)]).error();
            match said {
                Some(said) => assert!(error.unwrap().contains(said), "{text}"),
                None => assert_eq!(error, None),
            }
        }
        let twice = Home::new(&[("a.toml", PROGRAM), ("b.toml", PROGRAM)]);
        assert!(
            twice
                .error()
                .unwrap()
                .contains("b.toml`, line 2: `acmectl`: it stands in")
        );
    }

    #[test]
    fn what_others_can_change_is_not_trusted() {
        let home = Home::new(&[("a.toml", PROGRAM)]);
        let file = home.rules().join("a.toml");
        for (path, bits, trusted) in [
            (home.rules(), 0o777, false),
            (home.rules(), 0o1777, false),
            (home.rules(), 0o755, true),
            (file.clone(), 0o666, false),
            (file.clone(), 0o644, true),
        ] {
            mode(&path, bits);
            assert_eq!(home.error().is_none(), trusted, "{} {bits:o}", path.display());
        }
        // A folder without files counts too: whoever may write there may put one there.
        fs::remove_file(&file).unwrap();
        mode(&home.rules(), 0o777);
        assert!(home.error().is_some());
    }

    #[test]
    fn links_are_followed_only_to_safe_places() {
        let home = Home::new(&[]);
        let away = home.0.path().join("away");
        fs::create_dir(&away).unwrap();
        mode(&away, 0o755);
        fs::write(away.join("x"), PROGRAM).unwrap();
        mode(&away.join("x"), 0o644);
        symlink(away.join("x"), home.rules().join("a.toml")).unwrap();
        assert_eq!(home.error(), None);
        mode(&away, 0o777);
        assert!(home.error().unwrap().contains("away"));
        mode(&away, 0o755);
        fs::remove_file(away.join("x")).unwrap();
        assert!(home.error().unwrap().contains("link to nothing"));
        let other = tempfile::tempdir().unwrap();
        symlink("nowhere", other.path().join(FOLDER)).unwrap();
        assert!(read(other.path()).1.unwrap().reason.contains("link to nothing"));
    }

    #[test]
    fn what_is_no_folder_and_what_is_no_file_are_named() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join(FOLDER), PROGRAM).unwrap();
        assert!(read(home.path()).1.unwrap().reason.contains("cannot be read"));
        let home = Home::new(&[]);
        fs::create_dir(home.rules().join("a.toml")).unwrap();
        assert!(home.error().unwrap().contains("no regular file"));
    }
}
