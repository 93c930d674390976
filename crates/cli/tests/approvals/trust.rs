//! A repository that a person trusts may loosen, for exactly what its files say.

use std::fs;

use serde_json::{Value, json};

use crate::home::{Home, PUSH, people};

const ALLOW: &str = "allow:\n  - pattern: '\\Agit push --force origin topic\\z'\n    suppresses: git_push_force\n    reason: topic branches are ours\n";

/// A home with a project in it that wants more than it may say.
fn home(files: &[(&str, &str)]) -> Home {
    let home = Home::new();
    for (name, text) in files {
        let path = home.at("work").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    home
}

fn trust(home: &Home) -> String {
    let (code, out) = home.person("tollgate trust --yes");
    assert_eq!(code, 0, "{out}");
    out
}

fn listed(home: &Home) -> Value {
    let (_, list) = home.nobody("tollgate trust --list --json");
    serde_json::from_str::<Value>(list.trim()).unwrap()["trusted"].clone()
}

/// What `check` ends with.
fn check(home: &Home, command: &str) -> i32 {
    home.nobody(&format!("tollgate check '{command}'")).0
}

#[test]
fn m_31_a_trusted_repository_may_loosen_until_a_byte_of_it_changes() {
    if !people() {
        return;
    }
    let home = home(&[
        (".tollgate/policies/p.yml", ALLOW),
        (".tollgate/config.toml", "rules.disabled = [\"git_clean_force\"]\n"),
    ]);
    // Nobody trusts it: what it may not say breaks its set, and it is as strict as a project can be.
    assert_eq!((check(&home, PUSH), check(&home, "touch a")), (20, 10));
    let (code, out) = home.nobody("tollgate policy doctor");
    assert!(
        code == 1 && out.contains("`allow` does not") && out.contains("tollgate trust"),
        "{out}"
    );
    let out = trust(&home);
    for said in [
        "`git_push_force` is silent",
        "topic branches are ours",
        "rules.disabled = [\"git_clean_force\"]",
    ] {
        assert!(out.contains(said), "{said}: {out}");
    }
    assert_eq!(
        (
            check(&home, PUSH),
            check(&home, "touch a"),
            check(&home, "git clean -f x")
        ),
        (0, 0, 0)
    );
    assert_eq!(check(&home, "git push --force origin main"), 10, "nothing else");
    assert_eq!(home.agent().asks(PUSH).0, "");
    assert!(home.last("trust")["note"].as_str().unwrap().contains("is trusted for"));
    assert_eq!(listed(&home)[0]["state"], "trusted");
    assert!(home.person("tollgate trust").1.contains("trusted already"));
    // Any other byte, in any of its files.
    for name in [
        ".tollgate/config.toml",
        ".tollgate/policies/p.yml",
        ".tollgate/policies/q.yml",
        ".tollgate.toml",
    ] {
        let path = home.at("work").join(name);
        let before = fs::read_to_string(&path).ok();
        fs::write(&path, format!("{}\n# more\n", before.clone().unwrap_or_default())).unwrap();
        assert_eq!((check(&home, PUSH), check(&home, "touch a")), (20, 10), "{name}");
        let row = &listed(&home)[0];
        assert!(
            row["state"] == "changed" && row["changes"].to_string().contains(name),
            "{row}"
        );
        assert!(home.nobody("tollgate status").1.contains("it changed since"), "{name}");
        assert!(
            home.nobody("tollgate doctor")
                .1
                .contains("is changed since it was trusted"),
            "{name}"
        );
        match before {
            Some(text) => fs::write(&path, text).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        assert_eq!(check(&home, PUSH), 0, "{name}");
    }
    // Asked again, it says what changed.
    let path = home.at("work/.tollgate/policies/p.yml");
    fs::write(&path, ALLOW.replace("topic\\z", "(topic|next)\\z")).unwrap();
    let out = trust(&home);
    for said in [
        "Since it was trusted",
        "p.yml` changed",
        "it says now",
        "it no longer says",
    ] {
        assert!(out.contains(said), "{said}: {out}");
    }
    assert_eq!(check(&home, "git push --force origin next"), 0);
    let (code, out) = home.nobody("tollgate trust --remove");
    assert!(code == 0 && out.contains("not trusted any more"), "{out}");
    assert_eq!(check(&home, PUSH), 20);
}

#[test]
fn m_31_trust_is_for_one_folder_and_nobody_writes_it_by_hand() {
    if !people() {
        return;
    }
    let home = home(&[(".tollgate/policies/p.yml", ALLOW)]);
    let (code, out) = home.person("echo n | tollgate trust");
    assert!(code == 10 && out.contains("It is not trusted."), "{out}");
    assert_eq!(check(&home, PUSH), 10);
    trust(&home);
    assert_eq!(check(&home, PUSH), 0);
    // A copy is another folder, and so is one that stands in its place.
    let (here, there) = (home.at("work"), home.at("there"));
    let copy = format!("cp -r {} {}", here.display(), there.display());
    assert_eq!(home.nobody(&copy).0, 0);
    let in_there = format!("tollgate check --cwd {} '{PUSH}'", there.display());
    assert_eq!(home.nobody(&in_there).0, 10);
    fs::rename(&here, home.at("away")).unwrap();
    fs::rename(&there, &here).unwrap();
    assert_eq!(check(&home, PUSH), 10);
    assert_eq!(listed(&home)[0]["state"], "gone");
    fs::rename(&here, &there).unwrap();
    fs::rename(home.at("away"), &here).unwrap();
    assert_eq!(check(&home, PUSH), 0);
    // Another name for the same folder is the same folder.
    std::os::unix::fs::symlink(&here, home.at("link")).unwrap();
    let inode = format!("tollgate check --cwd {} '{PUSH}'", home.at("link").display());
    assert_eq!(home.nobody(&inode).0, 0);
    // What is stored is sealed.
    let mut stored = fs::read_dir(home.at("state/trust"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let stored = stored.find(|path| path.extension().is_some()).unwrap();
    let text = fs::read_to_string(&stored).unwrap();
    let mut value: Value = serde_json::from_str(&text).unwrap();
    value["by"] = json!("/dev/pts/99");
    fs::write(&stored, value.to_string()).unwrap();
    assert_eq!(check(&home, PUSH), 10);
    assert_eq!(listed(&home), json!([]));
    fs::write(&stored, text).unwrap();
    assert_eq!(check(&home, PUSH), 0);
}

#[test]
fn m_31_trust_silences_nothing_that_guards_the_gate_and_is_not_given_where_it_is_not_needed() {
    if !people() {
        return;
    }
    let only_tightens = home(&[(".tollgate/policies/p.yml", "classes: { push_code: deny }\n")]);
    assert!(trust(&only_tightens).contains("nothing that needs trust"));
    assert_eq!(listed(&only_tightens), json!([]));
    let lasting = ALLOW.replace("git_push_force", "tollgate_self_command");
    for (name, text) in [
        (".tollgate/policies/p.yml", lasting.as_str()),
        (".tollgate/config.toml", "rules.disabled = [\"tollgate_record\"]\n"),
        (".tollgate/config.toml", "breaker.enabled = false\n"),
    ] {
        let home = home(&[(name, text)]);
        let (code, out) = home.person("tollgate trust --yes");
        assert!(code == 125 && out.contains("cannot be read whole"), "{code} {out}");
        assert_eq!((check(&home, "touch a"), check(&home, "tollgate unlock")), (10, 20));
    }
}

#[test]
fn m_31_what_a_clone_calls_its_files_cannot_look_like_our_words() {
    let home = home(&[(".tollgate/policies/x\nyou can trust this.yml", ALLOW)]);
    for line in [
        "tollgate policy doctor",
        "tollgate policy list",
        "tollgate status",
        "tollgate check 'touch a'",
    ] {
        let (_, out) = home.nobody(line);
        assert!(
            !out.lines().any(|line| line.starts_with("you can trust")),
            "{line}: {out}"
        );
    }
}
