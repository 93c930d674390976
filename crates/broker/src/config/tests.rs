//! What is read from settings files, and which files are trusted.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use policy::{Posture, Settings};

use super::*;
use crate::places::Places;

/// The settings of a person whose folder this is.
fn read(folder: &Path) -> Result<Settings, ConfigError> {
    layers(folder, &[]).map(|layers| layers.anywhere().merged.settings())
}

fn layers(folder: &Path, variables: &[(&str, &str)]) -> Result<Layers, ConfigError> {
    let places = Places {
        home: "/home/ann".into(),
        own_home: None,
        system: folder.join("system"),
        config: folder.to_path_buf(),
        state: folder.join("state"),
        data: folder.join("data"),
    };
    let variable = |name: &str| {
        let mut found = variables.iter().filter(|(other, _)| *other == name);
        found.next().map(|(_, value)| value.into())
    };
    let layers = Layers::read(&places, variable);
    match layers.faults.first() {
        Some(fault) => Err(fault.clone()),
        None => Ok(layers),
    }
}

fn fault(text: &str) -> String {
    let e = stored(Path::new("/c/config.toml"), text).unwrap_err();
    e.to_string()
}

#[test]
fn settings_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let rule = policy::rule_ids()[0];
    let text = format!("posture = \"strict\"\n[rules]\ndisabled = [\"{rule}\"]\n");
    fs::write(folder.path().join(FILE), text).unwrap();
    let settings = read(folder.path()).unwrap();
    assert_eq!(settings.posture, Posture::Strict);
    assert_eq!(settings.disabled, [rule]);
    fs::write(folder.path().join(FILE), "# nothing\n").unwrap();
    let settings = read(folder.path()).unwrap();
    assert_eq!((settings.posture, settings.disabled.len()), (Posture::Guard, 0));
}

#[test]
fn what_is_wrong_is_said_with_file_line_and_reason() {
    for (text, line, reason) in [
        ("\npostur = \"guard\"\n", 2, "there is no `postur`"),
        (
            "posture = \"lax\"\n",
            1,
            "`posture` is `lax`; it can be `guard`, `strict`, `observe`, `off`",
        ),
        ("posture = 3\n", 1, "is wanted"),
        (
            "[rules]\n\ndisabled = [\n  \"no_such_rule\",\n]\n",
            4,
            "no rule `no_such_rule`",
        ),
        ("[rules]\nenabled = []\n", 2, "there is no `enabled`"),
        ("posture = \"guard\"\nposture = \"guard\"\n", 2, "duplicate key"),
        ("posture = \"guard\n", 1, ""),
        ("= = =", 1, ""),
        ("[rules]\ndisabled = \"x\"\n", 2, "is wanted"),
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
    assert_eq!(read(&folder).unwrap().posture, Posture::Strict);
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

/// What holds: the posture, whether a yes may be remembered, and what is wrong or does not count.
fn in_force(layers: &Layers, project: &Path, trusted: bool) -> (Posture, bool, Vec<String>) {
    let file = ProjectFile::read(project);
    let held = layers.in_project(&file, trusted);
    let said = held.project_faults.iter().chain(&held.ignored);
    (
        held.merged.settings().posture,
        held.merged.answers().remember,
        said.map(ToString::to_string).collect(),
    )
}

/// A person's folder with a project in it.
fn folder(user: &str, project: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".tollgate")).unwrap();
    for (name, text) in [(FILE, user), (".tollgate/config.toml", project)] {
        if !text.is_empty() {
            fs::write(folder.path().join(name), text).unwrap();
        }
    }
    folder
}

#[test]
fn m_31_a_project_tightens_and_what_would_loosen_breaks_it() {
    let rule = "git_push_force";
    let disabled = format!("rules.disabled = [\"{rule}\"]\n");
    for (user, project, posture, wrong) in [
        ("", "posture = \"strict\"", Posture::Strict, ""),
        ("posture = \"off\"", "posture = \"guard\"", Posture::Guard, ""),
        ("posture = \"strict\"", "", Posture::Strict, ""),
        ("posture = \"strict\"", "posture = \"strict\"", Posture::Strict, ""),
        (&disabled, "rules.disabled = []", Posture::Guard, ""),
        (&disabled, &disabled, Posture::Guard, ""),
        ("", "approvals.remember = false", Posture::Guard, ""),
        (
            "",
            "posture = \"observe\"",
            Posture::Strict,
            "line 1: it would loosen `posture`",
        ),
        (
            "",
            "# a\nposture = \"off\"",
            Posture::Strict,
            "line 2: it would loosen `posture`",
        ),
        ("", &disabled, Posture::Strict, "it would loosen `rules.disabled`"),
        (
            "",
            "paths.unprotected = [{ glob = \"auth/**\", reason = \"r\" }]",
            Posture::Strict,
            "it would loosen `paths.unprotected`",
        ),
        (
            "approvals.remember = false",
            "approvals.remember = true",
            Posture::Strict,
            "it would loosen `approvals.remember`",
        ),
        (
            "",
            "approvals.wait_seconds = 9",
            Posture::Strict,
            "it would loosen `approvals.wait_seconds`",
        ),
        ("", "breaker.threshold = 1", Posture::Strict, "no project's to say"),
        ("", "breaker.enabled = true", Posture::Strict, "no project's to say"),
        ("", "postur = 1", Posture::Strict, "there is no `postur`"),
    ] {
        let folder = folder(user, project);
        let layers = layers(folder.path(), &[]).unwrap();
        let (held, _, said) = in_force(&layers, folder.path(), false);
        assert_eq!(held, posture, "{user} {project}");
        assert!(
            said.concat().contains(wrong) && said.is_empty() == wrong.is_empty(),
            "{said:?}"
        );
    }
}

#[test]
fn m_31_one_line_that_would_loosen_takes_nothing_from_the_others() {
    let folder = folder(
        "approvals.remember = true",
        "posture = \"strict\"\nrules.disabled = [\"git_push_force\"]",
    );
    let layers = layers(folder.path(), &[]).unwrap();
    let file = ProjectFile::read(folder.path());
    let held = layers.in_project(&file, false).merged;
    assert_eq!(
        (held.settings().posture, held.settings().disabled.len()),
        (Posture::Strict, 0)
    );
    assert!(!held.answers().remember, "as strict as a project can say");
}

#[test]
fn m_31_a_trusted_project_speaks_like_the_person_but_not_about_the_machine() {
    let folder = folder("", "posture = \"observe\"\nrules.disabled = [\"git_push_force\"]");
    let layers_ = layers(folder.path(), &[]).unwrap();
    assert_eq!(
        in_force(&layers_, folder.path(), true),
        (Posture::Observe, true, vec![])
    );
    fs::write(folder.path().join(".tollgate/config.toml"), "breaker.enabled = false").unwrap();
    let (posture, _, said) = in_force(&layers_, folder.path(), true);
    assert!(posture == Posture::Strict && said.concat().contains("no project's to say"));
    // What guards the gate is no setting of anybody.
    let lasting = policy::lasting_rules()[0];
    fs::write(
        folder.path().join(".tollgate/config.toml"),
        format!("rules.disabled = [\"{lasting}\"]"),
    )
    .unwrap();
    assert!(
        in_force(&layers_, folder.path(), true)
            .2
            .concat()
            .contains("guards Tollgate itself")
    );
    assert!(layers(folder.path(), &[]).is_ok());
}

#[test]
fn v_3403_a_projects_settings_are_no_link_and_no_folder() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    let layers = layers(&at("config"), &[]).unwrap();
    let said = |project: &str| in_force(&layers, &at(project), false).2.concat();
    fs::create_dir_all(at("real/.tollgate")).unwrap();
    fs::write(at("real/.tollgate/config.toml"), "posture = \"strict\"").unwrap();
    assert_eq!(said("real"), "");
    fs::create_dir_all(at("file/.tollgate")).unwrap();
    symlink(at("real/.tollgate/config.toml"), at("file/.tollgate/config.toml")).unwrap();
    fs::create_dir_all(at("folder")).unwrap();
    symlink(at("real/.tollgate"), at("folder/.tollgate")).unwrap();
    fs::create_dir_all(at("nothing/.tollgate")).unwrap();
    symlink("nowhere", at("nothing/.tollgate/config.toml")).unwrap();
    for project in ["file", "folder", "nothing"] {
        assert!(said(project).contains("it is a link"), "{project}");
    }
    fs::create_dir_all(at("other/.tollgate/config.toml")).unwrap();
    assert!(said("other").contains("no regular file"));
    fs::create_dir_all(at("large/.tollgate")).unwrap();
    fs::write(at("large/.tollgate/config.toml"), "# x\n".repeat(20_000)).unwrap();
    assert!(said("large").contains("larger than 64 KiB"));
    assert_eq!(said("none"), "");
}

#[test]
fn m_31_a_variable_only_tightens() {
    let strict = folder("", "posture = \"strict\"");
    let plain = folder("", "");
    for (folder, value, posture, counts) in [
        (&plain, "strict", Posture::Strict, true),
        (&plain, "guard", Posture::Guard, true),
        (&plain, "", Posture::Guard, true),
        (&plain, "observe", Posture::Guard, false),
        (&plain, "off", Posture::Guard, false),
        (&strict, "guard", Posture::Strict, false),
        (&strict, "strict", Posture::Strict, true),
    ] {
        let layers = layers(folder.path(), &[("TOLLGATE_POSTURE", value)]).unwrap();
        let (held, _, said) = in_force(&layers, folder.path(), false);
        assert_eq!((held, said.is_empty()), (posture, counts), "{value}");
        assert!(counts || said.concat().contains("`TOLLGATE_POSTURE`: it would loosen `posture`"));
    }
    for (value, remember) in [("false", false), ("true", true)] {
        let layers = layers(plain.path(), &[("TOLLGATE_APPROVALS_REMEMBER", value)]).unwrap();
        assert_eq!(in_force(&layers, plain.path(), false).1, remember);
    }
    for (name, value) in [("TOLLGATE_POSTURE", "stric"), ("TOLLGATE_APPROVALS_REMEMBER", "no")] {
        let error = layers(plain.path(), &[(name, value)]).unwrap_err();
        assert!(
            error.to_string().contains(&format!("`{name}`: it is `{value}`")),
            "{error}"
        );
    }
}

#[test]
fn the_machines_settings_are_roots_alone_or_do_not_count() {
    let folder = folder("approvals.remember = false", "");
    let path = folder.path().join("system").join(FILE);
    fs::create_dir(folder.path().join("system")).unwrap();
    fs::set_permissions(folder.path().join("system"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(&path, "posture = \"strict\"\napprovals.remember = true\n").unwrap();
    let held = || in_force(&layers(folder.path(), &[]).unwrap(), folder.path(), false);
    let roots = rustix::process::geteuid().is_root();
    for (mode, counts) in [(0o644, roots), (0o600, roots), (0o666, false), (0o664, false)] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let (posture, remember, said) = held();
        assert_eq!(posture == Posture::Strict, counts, "{mode:o}");
        assert!(!remember, "the person is heard before the machine");
        assert_eq!(said.is_empty(), counts, "{said:?}");
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    fs::rename(&path, folder.path().join("away")).unwrap();
    symlink(folder.path().join("away"), &path).unwrap();
    assert!(held().2.concat().contains("is not root's alone"));
    if roots {
        fs::remove_file(&path).unwrap();
        fs::write(&path, "posture = 3").unwrap();
        assert!(layers(folder.path(), &[]).unwrap_err().reason.contains("is wanted"));
    }
}

#[test]
fn every_key_says_which_layer_gave_it() {
    let folder = folder("breaker.threshold = 3", "\nposture = \"strict\"");
    let variables = [("TOLLGATE_APPROVALS_REMEMBER", "false")];
    let mut layers = layers(folder.path(), &variables).unwrap();
    let origin = |layers: &Layers, key: &str| {
        let rows = layers
            .in_project(&ProjectFile::read(folder.path()), false)
            .merged
            .rows();
        let row = rows.into_iter().find(|row| row.key == key).unwrap();
        (row.origin.source.as_str(), row.origin.line)
    };
    assert_eq!(origin(&layers, "posture"), ("project", Some(2)));
    assert_eq!(origin(&layers, "breaker.threshold"), ("user", Some(1)));
    assert_eq!(origin(&layers, "approvals.remember"), ("environment", None));
    assert_eq!(origin(&layers, "rules.disabled"), ("built-in", None));
    layers.with_posture(Posture::Observe);
    assert_eq!(origin(&layers, "posture"), ("flags", None));
}
