//! `tollgate rules`, as a person calls it: what is listed and shown, and what is said of rule files of one's own.
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

const TOOL: &str = r#"
source = "the tool's --help"

[[program]]
name = ["acmectl", "acme"]
options = "--env = value\n--dry-run = flag"
operands = "value"

[[program.sub]]
name = "nuke"
operands = "name..."
does = ["do acme.nuke @operands when !--dry-run"]
examples = ["acmectl nuke shop => do acme.nuke shop"]

[[rule]]
id = "acme_nuke"
on = ["do"]
what = ["acme.nuke"]
risk = "critical"
why = "it takes a service down"
instead = "try it with `--dry-run`"
lost = "the service {target}"
match = ["acmectl nuke shop", "acme nuke shop"]
not_match = ["acmectl nuke --dry-run shop"]

[[path]]
why = "notes"
glob = ["~/vault/**"]
tags = ["vault"]
"#;

struct Home(tempfile::TempDir);

impl Home {
    fn new(files: &[(&str, &str)]) -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(home.at("project/.git")).unwrap();
        fs::create_dir_all(home.at(".config/tollgate/rules")).unwrap();
        files.iter().for_each(|(name, text)| home.write(name, text));
        home
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.at(".config/tollgate/rules").join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    }

    /// Exit code, standard output, standard error.
    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.0.path())
            .current_dir(self.at("project"));
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn json(&self, args: &[&str]) -> Value {
        let (_, out, err) = self.run(args);
        serde_json::from_str(&out).unwrap_or_else(|e| panic!("{args:?}: {e}: {out}{err}"))
    }
}

#[test]
fn built_in_and_own_rules_are_listed_with_their_source() {
    let home = Home::new(&[("acme.toml", TOOL)]);
    let (code, out, _) = home.run(&["rules", "list"]);
    assert_eq!(code, 0);
    let line = |begins: &str| {
        out.lines()
            .find(|line| line.starts_with(begins))
            .unwrap_or_else(|| panic!("{begins}"))
    };
    assert!(line("program  rm ").ends_with("built-in"));
    assert!(line("rule     rm_rf_root ").contains("ask (strict: deny)"));
    assert!(line("program  acmectl ").ends_with("rules/acme.toml:5"));
    assert!(line("program  acme ").ends_with("rules/acme.toml:5"));
    assert!(line("rule     acme_nuke ").ends_with("rules/acme.toml:16"));
    assert!(line("path     ~/vault/** ").contains("vault"));
    let own = home.json(&["rules", "list", "--user", "--json"]);
    let names: Vec<&str> = own["rules"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|row| row["name"].as_str())
        .collect();
    assert_eq!(names, ["acme", "acmectl", "acme_nuke"]);
    assert_eq!(own["rules"].as_array().unwrap().len(), 4);
    let found = home.json(&["rules", "list", "--json", "RM_RF_ROOT"]);
    assert_eq!(found["rules"][0]["source"], "built-in");
    assert_eq!(
        home.run(&["rules", "list", "no such thing"]).1,
        "There is nothing of the kind.\n"
    );
}

#[test]
fn what_counts_is_told_apart_from_what_does_not() {
    let home = Home::new(&[(
        "mine.toml",
        "[[program]]\nname = \"rm\"\nreplace = true\noperands = \"delete...\"\n",
    )]);
    fs::write(
        home.at(".config/tollgate/config.toml"),
        "[rules]\ndisabled = [\"rm_rf_root\"]\n",
    )
    .unwrap();
    let (_, out, _) = home.run(&["rules", "list", "rm"]);
    let has = |begins: &str, holds: &str| out.lines().any(|line| line.starts_with(begins) && line.contains(holds));
    assert!(
        has("program  rm ", "mine.toml:2") && has("program  rm ", "replaced by yours"),
        "{out}"
    );
    assert!(
        has("program  grm ", "built-in") && !has("program  grm ", "replaced"),
        "{out}"
    );
    assert!(has("rule     rm_rf_root ", "disabled"), "{out}");
}

#[test]
fn a_program_and_a_rule_are_shown_in_words() {
    let home = Home::new(&[("acme.toml", TOOL)]);
    for (args, said) in [
        (&["rules", "show", "rm"][..], "a path that is deleted"),
        (&["rules", "show", "git", "push"], "do push.force, when `-f` is given"),
        (&["rules", "show", "rm_rf_root"], "matches     rm -rf /"),
        (&["rules", "show", "acmectl"], "acme.toml:5)"),
        (
            &["rules", "show", "acme", "nuke"],
            "do acme.nuke on each operand, when `--dry-run` is not given",
        ),
        (&["rules", "show", "acme_nuke"], "instead     try it with `--dry-run`"),
        (
            &["rules", "show", "acme_nuke", "--json"],
            "\"title\":\"acme_nuke: a rule",
        ),
    ] {
        let (code, out, err) = home.run(args);
        assert!(code == 0 && out.contains(said), "{args:?}: {out}{err}");
    }
    let (code, out, err) = home.run(&["rules", "show", "rf_root"]);
    assert_eq!((code, out.as_str()), (66, ""));
    assert!(
        err.contains("no program and no rule `rf_root`") && err.contains("hint: Known are `rm_rf_root`"),
        "{err}"
    );
}

#[test]
fn every_built_in_program_and_rule_can_be_shown() {
    let home = Home::new(&[]);
    let all = home.json(&["rules", "list", "--json"]);
    let rows = all["rules"].as_array().unwrap();
    assert!(rows.len() > 300);
    // A process for each would take long; every 29th is another kind of stanza.
    for row in rows.iter().filter(|row| row["kind"] != "path").step_by(29) {
        let name = row["name"].as_str().unwrap();
        assert_eq!(home.run(&["rules", "show", "--", name]).0, 0, "{name}");
    }
}

#[test]
fn good_rules_are_checked_with_their_examples() {
    let home = Home::new(&[("acme.toml", TOOL), ("notes.md", "not rules")]);
    let (code, out, _) = home.run(&["rules", "check"]);
    assert_eq!(
        (code, out.as_str()),
        (0, "1 program, 1 rule, 1 path row; 4 examples; nothing is wrong\n")
    );
    let checked = home.json(&["rules", "check", "--json"]);
    assert_eq!(
        (&checked["examples"], checked["faults"].as_array().unwrap().len()),
        (&Value::from(4), 0)
    );
    let (code, out, _) = Home::new(&[]).run(&["rules", "check"]);
    assert_eq!(
        (code, out.as_str()),
        (
            0,
            "no programs, no rules, no path rows; no examples; nothing is wrong\n"
        )
    );
}

#[test]
fn what_is_wrong_is_named_with_its_place_and_a_hint() {
    for (from, to, said, hint) in [
        (
            "\"value\"\n\n[[program.sub]]",
            "\"valeu\"\n\n[[program.sub]]",
            "`acme.toml`, line 7, `acmectl/acme`: no role is called `valeu`",
            "Known are",
        ),
        (
            "when !--dry-run",
            "when !--dry",
            "line 12, `acmectl/acme nuke`: `--dry` is used in a condition",
            "`--dry = flag`",
        ),
        (
            "\"acmectl\", \"acme\"",
            "\"acmectl\", \"git\"",
            "line 5, `git`: there are built-in facts",
            "`replace = true`",
        ),
        (
            "id = \"acme_nuke\"",
            "id = \"rm_rf_root\"",
            "line 16, `rm_rf_root`: there is a built-in rule",
            "another id",
        ),
        (
            "=> do acme.nuke shop",
            "=> delete",
            "has no effect `delete`",
            "`do acme.nuke shop by acmectl`",
        ),
        (
            "match = [\"acmectl nuke shop\"",
            "match = [\"acmectl nuk shop\"",
            "`acmectl nuk shop` does not match",
            "Its effects are",
        ),
        (
            "nuke --dry-run shop\"]",
            "nuke --dry shop\"]",
            "matches, and must not",
            "tollgate explain",
        ),
        ("[[path]]", "[[paths]]", "line 26: unknown field `paths`", "notation"),
    ] {
        let text = TOOL.replacen(from, to, 1);
        assert_ne!(text, TOOL, "{from}");
        let home = Home::new(&[]);
        let file = home.at("project/acme.toml");
        fs::write(&file, &text).unwrap();
        let (code, out, err) = home.run(&["rules", "check", "acme.toml"]);
        assert_eq!(code, 65, "{to}: {out}{err}");
        assert!(out.contains(said) && out.contains(hint), "{to}: {out}");
        let faults = home.json(&["rules", "check", "--json", "acme.toml"]);
        assert_eq!(faults["faults"][0]["file"], "acme.toml");
        assert!(faults["faults"][0]["line"].is_number());
    }
    let home = Home::new(&[]);
    assert_eq!(home.run(&["rules", "check", "none.toml"]).0, 66);
}

#[test]
fn rules_that_are_not_read_are_named_by_check_list_and_doctor() {
    let home = Home::new(&[
        ("acme.toml", TOOL),
        ("bad.toml", "[[program]]\nname = \"x\"\nstyle = \"fancy\"\n"),
    ]);
    let (code, out, _) = home.run(&["rules", "check"]);
    assert!(
        code == 65 && out.contains("bad.toml`, line 3: `x`: no style is called `fancy`"),
        "{out}"
    );
    let (code, out, err) = home.run(&["rules", "list", "--user"]);
    assert!(
        code == 125 && out.contains("acme_nuke") && err.contains("bad.toml`, line 3"),
        "{out}{err}"
    );
    let (code, _, err) = home.run(&["check", "touch x"]);
    assert!(
        code == 125 && err.contains("bad.toml`, line 3") && err.contains("Known are `gnu`"),
        "{err}"
    );
    let (code, out, _) = home.run(&["doctor"]);
    assert!(code == 125 && out.contains("bad.toml`, line 3"), "{out}");
    // A rule file that others can write is as good as none.
    let home = Home::new(&[("acme.toml", TOOL)]);
    fs::set_permissions(
        home.at(".config/tollgate/rules/acme.toml"),
        fs::Permissions::from_mode(0o666),
    )
    .unwrap();
    assert_eq!(home.run(&["rules", "check"]).0, 65);
}

#[test]
fn an_example_that_fails_is_found_by_check_and_doctor_and_not_by_the_hook() {
    let home = Home::new(&[("acme.toml", &TOOL.replace("=> do acme.nuke shop", "=> delete"))]);
    assert_eq!(home.run(&["rules", "check"]).0, 65);
    let (_, out, _) = home.run(&["doctor"]);
    assert!(
        out.contains("bad  rules") && out.contains("has no effect `delete`"),
        "{out}"
    );
    assert_eq!(
        home.run(&["check", "touch x"]).0,
        0,
        "the notation is right, so the rules are in force"
    );
    assert_eq!(home.run(&["check", "acmectl nuke shop"]).0, 10);
    let home = Home::new(&[("acme.toml", TOOL)]);
    let (_, out, _) = home.run(&["doctor"]);
    assert!(
        out.contains("Your own rules: 1 program, 1 rule, 1 path row; 4 examples. All hold."),
        "{out}"
    );
}

#[test]
fn a_finding_says_whose_rule_it_is() {
    let home = Home::new(&[("acme.toml", TOOL)]);
    assert!(
        home.run(&["check", "acmectl nuke shop"])
            .1
            .contains("rule `acme_nuke` (yours, risk critical)")
    );
    assert!(
        home.run(&["check", "rm -rf ~"])
            .1
            .contains("rule `rm_rf_root` (built-in, risk critical)")
    );
    assert_eq!(
        home.json(&["check", "--json", "acmectl nuke shop"])["findings"][0]["source"],
        "user"
    );
}

#[test]
fn the_example_of_the_readme_holds() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    let section = readme.split("## Teach it a program").nth(1).unwrap();
    let text = section.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let home = Home::new(&[("acme.toml", text)]);
    let (code, out, _) = home.run(&["rules", "check"]);
    assert_eq!(code, 0, "{out}");
    assert!(section.contains(&out), "{out}");
}
