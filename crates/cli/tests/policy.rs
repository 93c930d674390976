//! `tollgate policy` and `tollgate schema`, as a person calls them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test may fail loudly, and these run the program itself"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

const TEAM: &str = "commands:
  - pattern: ^terraform apply
    action: deny
    reason: the pipeline applies
paths:
  - glob: db/migrations/**
    on: [write]
    effect: ask
    reason: the data team looks at migrations
classes:
  push_code: ask
";

struct Home(tempfile::TempDir);

impl Home {
    fn new(files: &[(&str, &str)]) -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(home.at("project/.git")).unwrap();
        for (name, text) in files {
            fs::create_dir_all(home.at(name).parent().unwrap()).unwrap();
            fs::write(home.at(name), text).unwrap();
            fs::set_permissions(home.at(name), fs::Permissions::from_mode(0o600)).unwrap();
        }
        home
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Exit code, standard output, standard error.
    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.0.path())
            .env("TOLLGATE_HOME", self.at("t"))
            .current_dir(self.at("project"));
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.run(args).1).unwrap()
    }
}

fn team() -> Home {
    Home::new(&[
        ("t/config/policies/team.yml", TEAM),
        ("project/.tollgate/policies/p.toml", "[classes]\ndeploy = \"deny\"\n"),
    ])
}

#[test]
fn the_rules_of_all_layers_are_listed_with_their_place() {
    let home = team();
    let (exit, out, _) = home.run(&["policy", "list", "--origin"]);
    assert_eq!(exit, 0);
    for said in [
        "deny   commands user:^terraform apply",
        "team.yml:2",
        "project:class.deploy",
        "p.toml:2",
    ] {
        assert!(out.contains(said), "{said}: {out}");
    }
    let listed = home.json(&["policy", "list", "--json"]);
    let layers: Vec<&str> = listed["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["layer"].as_str().unwrap())
        .collect();
    assert_eq!(layers, ["user", "user", "user", "project"]);
}

#[test]
fn check_and_the_hook_judge_by_them() {
    let home = team();
    for (args, exit) in [
        (["check", "bash -c 'terraform apply'"], 20),
        (["check", "cp x db/migrations/7.sql"], 10),
        (["check", "git push"], 10),
        (["check", "kubectl apply -f x.yml"], 20),
        (["check", "make test"], 0),
    ] {
        assert_eq!(home.run(&args).0, exit, "{args:?}");
    }
}

#[test]
fn a_finding_says_whose_rule_it_is() {
    let home = team();
    for (command, said, source) in [
        ("terraform apply", "(yours, ", "user"),
        ("kubectl apply -f x.yml", "(the project's, ", "project"),
        ("rm -rf ~", "(built-in, ", "built-in"),
    ] {
        assert!(home.run(&["check", command]).1.contains(said), "{command}");
        assert_eq!(
            home.json(&["check", "--json", command])["findings"][0]["source"],
            source,
            "{command}"
        );
    }
}

#[test]
fn b_0319_b_0316_doctor_says_what_is_wrong_and_fails() {
    let home = team();
    assert_eq!(home.run(&["policy", "doctor"]).0, 0);
    fs::write(home.at("project/.tollgate/policies/q.yml"), "classes:\n  deplo: ask\n").unwrap();
    let (exit, out, _) = home.run(&["policy", "doctor"]);
    assert_eq!(exit, 1);
    assert!(
        out.contains("q.yml`, line 2: `deplo`: there is no permission class"),
        "{out}"
    );
    assert_eq!(home.run(&["check", "touch a"]).0, 10);
    assert_eq!(home.run(&["check", "cat a"]).0, 0);
}

#[test]
fn m_33_doctor_shows_how_broken_files_differ_from_the_last_that_were_whole() {
    let home = team();
    // The files count, and are kept, when nobody has changed them for half a second.
    std::thread::sleep(std::time::Duration::from_millis(600));
    assert_eq!(home.run(&["check", "terraform apply"]).0, 20);
    let file = home.at("t/config/policies/team.yml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, "commands: [").unwrap();
    let (exit, out, err) = home.run(&["policy", "doctor"]);
    assert_eq!(exit, 1);
    assert!(
        out.contains("`user:^terraform apply` is gone from the files and stays in force (user, "),
        "{out}"
    );
    assert!(err.contains("whatever changes something is refused"), "{err}");
    let json = home.json(&["policy", "doctor", "--json"]);
    assert_eq!(json["differences"][0]["change"], "gone");
    assert_eq!(home.run(&["check", "terraform apply"]).0, 125);
    fs::write(&file, text).unwrap();
    assert_eq!(home.run(&["policy", "doctor"]).0, 0);
}

#[test]
fn v_3407_what_a_clone_wrote_cannot_steer_the_terminal() {
    let rule = "commands:\n  - id: \"\u{202e}evil\\e[31m\"\n    pattern: '('\n    action: deny\n    reason: r\n";
    let home = Home::new(&[("project/.tollgate/policies/a\u{1b}[31m.yml", rule)]);
    for args in [
        &["policy", "list"][..],
        &["policy", "doctor"],
        &["check", "ls"],
        &["status"],
    ] {
        let (_, out, err) = home.run(args);
        let steers = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(
            !out.contains(steers) && !err.contains(steers),
            "{args:?}: {out:?} {err:?}"
        );
    }
}

#[test]
fn b_0318_any_diff_can_be_held_against_the_rules_on_patches() {
    let rules = "rules:\n  - id: no-debugger\n    description: d\n    appliesTo: [bundle-apply]\n    matchAddedContent: {regex: 'debugger;'}\n";
    let home = Home::new(&[("t/config/policies/a.yml", rules)]);
    let diff = "--- a/x.js\n+++ b/x.js\n@@ -1 +1,2 @@\n a();\n+debugger;\n";
    fs::write(home.at("project/bad.patch"), diff).unwrap();
    fs::write(home.at("project/good.patch"), diff.replace("+debugger", "+log()")).unwrap();
    let (exit, out, _) = home.run(&["policy", "check", "bad.patch"]);
    assert_eq!((exit, out.trim()), (1, "x.js:2: d (policy rule: no-debugger)"));
    assert_eq!(home.run(&["policy", "check", "good.patch"]).0, 0);
    assert_eq!(
        home.run(&["policy", "check", "bad.patch", "--surface", "suggestion-apply"])
            .0,
        0
    );
    assert_eq!(home.run(&["policy", "check", "none.patch"]).0, 66);
    assert_eq!(home.run(&["policy", "check", "bad.patch", "--surface", "x"]).0, 64);
}

#[test]
fn m_36_a_file_of_cases_is_judged() {
    let home = team();
    let cases = "cases:\n  - {command: terraform apply, expect: deny, rule: 'user:^terraform apply'}\n  - {write: db/migrations/7.sql, expect: ask}\n";
    fs::write(home.at("project/good.yml"), cases).unwrap();
    assert_eq!(home.run(&["policy", "test", "good.yml"]).0, 0);
    fs::write(
        home.at("project/bad.yml"),
        format!("{cases}  - {{read: a, expect: ask}}\n"),
    )
    .unwrap();
    let (exit, out, _) = home.run(&["policy", "test", "bad.yml"]);
    assert_eq!(exit, 1);
    assert!(
        out.contains("expected ask, got allow") && out.contains("3 cases, 1 wrong"),
        "{out}"
    );
}

#[test]
fn the_schema_names_every_list() {
    let home = Home::new(&[]);
    let schema = home.json(&["schema", "policy"]);
    for list in ["actions", "rules", "commands", "paths", "effects", "classes", "allow"] {
        assert!(schema["properties"][list].is_object(), "{list}");
    }
    assert_eq!(home.run(&["schema", "nothing"]).0, 64);
}

#[test]
fn policy_doctor_names_broken_settings_and_rules_of_ones_own_too() {
    for (name, text, said) in [
        (
            "t/config/config.toml",
            "postur = 1\n",
            "config.toml`, line 1: there is no",
        ),
        ("t/config/rules/a.toml", "[[rule]]\nid = 3\n", "a.toml"),
        (
            "project/.tollgate/config.toml",
            "posture = \"off\"\n",
            "it would loosen `posture`",
        ),
    ] {
        let home = Home::new(&[(name, text)]);
        let (exit, out, _) = home.run(&["policy", "doctor"]);
        assert!(
            exit == 1 && out.contains(said) && !out.contains("nothing wrong"),
            "{exit} {out}"
        );
        let json = home.json(&["policy", "doctor", "--json"]);
        assert_eq!(json["errors"].as_array().unwrap().len(), 1);
        let (exit, _, err) = home.run(&["policy", "list"]);
        assert!(exit == 125 && err.contains(said), "{err}");
    }
}

#[test]
fn an_ending_in_large_letters_is_an_ending() {
    let deny = "commands:\n  - pattern: ^deploy\n    action: deny\n    reason: r\n";
    let toml = "[[commands]]\npattern = \"^deploy\"\naction = \"deny\"\nreason = \"r\"\n";
    for (name, text) in [
        ("t/config/policies/x.YML", deny),
        ("t/config/policies/x.Yaml", deny),
        ("t/config/policies/x.TOML", toml),
        ("project/.tollgate/policies/x.Yml", deny),
        ("project/.tollgate/policies/x.Toml", toml),
    ] {
        let home = Home::new(&[(name, text)]);
        assert_eq!(home.run(&["check", "deploy now"]).0, 20, "{name}");
    }
    let home = Home::new(&[("t/config/rules/a.TOML", "[[rule]]\nid = 3\n")]);
    assert_eq!(home.run(&["check", "ls"]).0, 125);
}
