//! Policy files: what they may say, in which layer, and what a mistake does.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops where something is wrong"
)]

mod hostile;
mod seed;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use broker::policies::PolicySet;
use policy::Verdict;

/// 2026-11-30.
const NOW: Duration = Duration::from_secs(1_796_000_000);

struct Machine(tempfile::TempDir);

impl Machine {
    fn new() -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        for folder in ["system/policies", "config/policies", "project/.git", "project/src"] {
            fs::create_dir_all(machine.at(folder)).unwrap();
            fs::set_permissions(machine.at(folder), fs::Permissions::from_mode(0o755)).unwrap();
        }
        machine
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn with(self, name: &str, text: &str) -> Self {
        fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        fs::write(self.at(name), text).unwrap();
        fs::set_permissions(self.at(name), fs::Permissions::from_mode(0o644)).unwrap();
        self
    }

    fn set(&self) -> PolicySet {
        let now = SystemTime::UNIX_EPOCH + NOW;
        PolicySet::own(&self.at("system"), &self.at("config"), now).with_project(&self.at("project/src"), now)
    }
}

fn user(text: &str) -> PolicySet {
    Machine::new().with("config/policies/a.yml", text).set()
}

fn ids(set: &PolicySet) -> Vec<&str> {
    set.rules.iter().map(|rule| rule.entry.id.as_str()).collect()
}

fn own_fault(set: &PolicySet) -> String {
    assert!(set.project_faults.is_empty());
    set.own_faults.first().map(ToString::to_string).unwrap_or_default()
}

/// The three uses that B-0306 names, in the form in which the seed writes them.
const SEED: &str = r#"
actions:
  - id: no-installs
    description: Nothing is installed while checks run.
    on: [command.run]
    match:
      commandRegex: "npm (i|install)|pip install"
      commandFlags: "i"
    effect: deny
    message: Network installs are not allowed.
  - id: sign-off
    description: A person signs off.
    on: [run.complete]
    match: { status: merge_ready }
    effect: require_approval
    message: Runs need approval before completing.
  - id: no-dotenv
    description: Dotenv files stay as they are.
    on: [file.write, file.patch]
    match: { pathGlob: "**/*.env" }
    effect: deny
    message: Writing secret files is blocked.
rules:
  - id: no-debugger
    description: No debugger stays behind.
    appliesTo: [suggestion-apply, bundle-apply]
    matchAddedContent: { regex: "debugger;", flags: "i" }
    matchTouchedFiles: { glob: "**/*.ts" }
    message: A debugger statement is left.
"#;

#[test]
fn b_0306_the_files_of_the_seed_load_as_they_are() {
    let set = user(SEED);
    assert_eq!(own_fault(&set), "");
    assert_eq!(ids(&set), ["no-installs", "sign-off", "no-dotenv"]);
    assert_eq!(set.patches.ids().collect::<Vec<_>>(), ["no-debugger"]);
    // What nothing raises yet waits.
    assert_eq!(set.written().rules.len(), 2);
    assert_eq!(set.rules[1].entry.verdict, Verdict::Ask);
}

#[test]
fn m_30_toml_says_the_same() {
    let text = r#"
[[commands]]
pattern = "^terraform apply"
action = "deny"
reason = "the pipeline does that"
match = ["terraform apply -auto-approve"]
not_match = ["terraform plan"]

[[paths]]
glob = "infra/**"
on = ["write"]
effect = "ask"
reason = "the platform team looks at it"

[[effects]]
id = "no-secrets-out"
on = "send"
label = "secret"
effect = "deny"
reason = "secrets stay here"

[classes]
push_code = "ask"
"#;
    let set = Machine::new().with("config/policies/a.toml", text).set();
    assert_eq!(own_fault(&set), "");
    let names = [
        "user:^terraform apply",
        "user:infra/**",
        "no-secrets-out",
        "user:class.push_code",
    ];
    assert_eq!(ids(&set), names);
    let lines: Vec<_> = set.rules.iter().map(|rule| rule.place.line).collect();
    assert_eq!(lines, [Some(3), Some(10), Some(16), Some(23)]);
}

#[test]
fn b_0302_files_are_read_by_name_and_what_is_no_policy_file_is_not() {
    let rule = |id: &str| format!("actions: [{{id: {id}, description: d, on: [command.run]}}]");
    let set = Machine::new()
        .with("config/policies/b.yaml", &rule("second"))
        .with("config/policies/a.yml", &rule("first"))
        .with("config/policies/c.json", "{")
        .with("config/policies/.d.yml", "{")
        .with("config/policies/sub/e.yml", "{")
        .with("config/policies/empty.yml", "# nothing\n\n")
        .set();
    assert_eq!(own_fault(&set), "");
    assert_eq!(ids(&set), ["first", "second"]);
}

#[test]
fn what_is_wrong_is_said_with_file_line_and_reason() {
    for (text, line, said) in [
        ("actions:\n  - id: x\n    on: [\n", 3, ""),
        ("actoins: []\n", 1, "actoins"),
        (
            "commands:\n  - pattern: a\n    action: allow\n    reason: r\n",
            3,
            "allow",
        ),
        (
            "commands:\n  - pattern: 'a('\n    action: ask\n    reason: r\n",
            2,
            "unclosed group",
        ),
        (
            "commands:\n  - pattern: 'a*'\n    action: ask\n    reason: r\n",
            2,
            "empty text",
        ),
        (
            "commands:\n  - pattern: abc\n    action: ask\n    reason: ''\n",
            2,
            "gives no reason",
        ),
        (
            "\nactions:\n  - {id: 9x, description: d, on: [command.run]}\n",
            3,
            "its name is not",
        ),
        (
            "actions:\n  - {id: rm_rf_root, description: d, on: [command.run]}\n",
            2,
            "built-in rule",
        ),
        ("actions:\n  - {id: a1, description: d, on: []}\n", 2, "names no kind"),
        (
            "actions:\n  - {id: a1, description: d, on: [command.rum]}\n",
            2,
            "no kind of request is called `command.rum`",
        ),
        (
            "actions:\n  - {id: a1, description: d, on: [command.run], match: {pathGlob: x}}\n",
            2,
            "says nothing about",
        ),
        (
            "actions:\n  - {id: a1, description: d, on: [run.start], effect: require_approval}\n",
            2,
            "`run.start`",
        ),
        (
            "effects:\n  - {id: e1, effect: deny, reason: r}\n",
            2,
            "hold for everything",
        ),
        (
            "effects:\n  - {id: e1, on: remove, effect: deny, reason: r}\n",
            2,
            "no act `remove`",
        ),
        ("classes:\n  pushing: ask\n", 2, "no permission class"),
        (
            "allow:\n  - {pattern: x, suppresses: nothing, reason: r}\n",
            2,
            "no built-in rule",
        ),
        (
            "allow:\n  - {pattern: x, suppresses: git_push_force, reason: r, expires: '2026-13-40'}\n",
            2,
            "no day",
        ),
        (
            "rules:\n  - {id: r1, description: d, appliesTo: [bundle-apply]}\n",
            2,
            "matches nothing",
        ),
        ("actions: []\nactions: []\n", 2, "duplicate"),
        ("a: &x [1]\nb: *x\n", 1, ""),
    ] {
        let set = user(text);
        let fault = own_fault(&set);
        assert!(fault.contains("a.yml`"), "{text}: {fault}");
        assert!(fault.contains(&format!("line {line}: ")), "{text}: {fault}");
        assert!(fault.contains(said) && !fault.contains('\n'), "{text}: {fault}");
        assert!(set.rules.is_empty(), "of a file with a mistake nothing is taken");
    }
}

#[test]
fn m_36_a_rule_whose_example_fails_does_not_load() {
    for (examples, said) in [
        ("match: [npm test]", "`npm test` does not match it"),
        ("not_match: [make release]", "`make release` matches it and must not"),
    ] {
        let text = format!("commands:\n  - pattern: make release\n    action: ask\n    reason: r\n    {examples}\n");
        let set = user(&text);
        assert!(own_fault(&set).contains(said), "{}", own_fault(&set));
        assert!(set.rules.is_empty());
    }
    let good = "paths:\n  - glob: 'db/**'\n    on: [write]\n    effect: ask\n    reason: r\n    match: [write db/a, cp x db/b]\n    not_match: [read db/a, write src/a]\n";
    assert_eq!(own_fault(&user(good)), "");
}

#[test]
fn b_0314_one_bad_file_does_not_silence_the_others() {
    let set = Machine::new()
        .with("config/policies/a.yml", "actions: [")
        .with(
            "config/policies/b.yml",
            "actions: [{id: kept, description: d, on: [command.run]}]",
        )
        .set();
    assert_eq!(ids(&set), ["kept"]);
    assert!(own_fault(&set).contains("a.yml"));
}

#[test]
fn m_34_one_name_is_one_rule_over_all_files_and_layers() {
    let rule = "actions: [{id: twice, description: d, on: [command.run]}]";
    let set = Machine::new()
        .with("config/policies/a.yml", rule)
        .with("config/policies/b.yml", rule)
        .set();
    assert!(
        own_fault(&set).contains("b.yml`, line 1: `twice`"),
        "{}",
        own_fault(&set)
    );
    assert_eq!(ids(&set), ["twice", "twice"], "neither rule is lost");
    let set = Machine::new()
        .with("config/policies/a.yml", rule)
        .with("project/.tollgate/policies/p.yml", rule)
        .set();
    assert!(set.own_faults.is_empty());
    assert!(set.project_faults[0].to_string().contains("`twice`"));
}

#[test]
fn b_0315_rules_on_patches_share_the_names_of_all_others() {
    let patch = |id: &str| {
        format!("rules: [{{id: {id}, description: d, appliesTo: [bundle-apply], matchTouchedFiles: {{glob: x}}}}]")
    };
    let set = Machine::new()
        .with(
            "config/policies/a.yml",
            "actions: [{id: twice, description: d, on: [command.run]}]",
        )
        .with("config/policies/b.yml", &patch("twice"))
        .set();
    assert!(
        own_fault(&set).contains("b.yml`, line 1: `twice`"),
        "{}",
        own_fault(&set)
    );
    for (id, said) in [("9x", "its name is not"), ("rm_rf_root", "built-in rule")] {
        assert!(own_fault(&user(&patch(id))).contains(said), "{id}");
    }
}

#[test]
fn the_files_that_the_documentation_shows_load() {
    let page = include_str!("../../../../docs/policies.md");
    let shown: Vec<&str> = page
        .split("```yaml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    let lists = shown.iter().find(|text| text.contains("commands:")).unwrap();
    let set = user(lists);
    assert_eq!(own_fault(&set), "");
    assert_eq!(
        (set.rules.len(), set.exceptions.len(), set.patches.ids().count()),
        (7, 1, 1)
    );
    let cases = shown.iter().find(|text| text.contains("cases:")).unwrap();
    assert_eq!(
        broker::policies::cases(std::path::Path::new("cases.yml"), cases)
            .unwrap()
            .len(),
        3
    );
}

#[test]
fn m_31_a_project_may_only_tighten() {
    let set = Machine::new()
        .with(
            "project/.tollgate/policies/p.yml",
            "commands: [{pattern: deploy, action: deny, reason: r}]",
        )
        .set();
    assert_eq!(ids(&set), ["project:deploy"]);
    let set = Machine::new()
        .with(
            "project/.tollgate/policies/p.yml",
            "allow: [{pattern: push, suppresses: git_push_force, reason: r}]",
        )
        .set();
    assert!(set.exceptions.is_empty());
    assert!(set.project_faults[0].to_string().contains("may only tighten"));
}

#[test]
fn v_3402_the_project_is_the_nearest_repository() {
    let machine = Machine::new()
        .with("project/.tollgate/policies/p.yml", "classes: {deploy: ask}")
        .with("project/src/.tollgate/policies/q.yml", "classes: {push_code: ask}");
    assert_eq!(ids(&machine.set()), ["project:class.deploy"]);
    fs::remove_dir(machine.at("project/.git")).unwrap();
    assert_eq!(ids(&machine.set()), ["project:class.push_code"]);
}

#[test]
fn v_3403_a_link_is_refused_unread() {
    let machine = Machine::new().with("elsewhere/p.yml", "classes: {deploy: ask}");
    fs::create_dir_all(machine.at("project/.tollgate/policies")).unwrap();
    symlink(
        machine.at("elsewhere/p.yml"),
        machine.at("project/.tollgate/policies/p.yml"),
    )
    .unwrap();
    let set = machine.set();
    assert!(set.rules.is_empty() && set.project_faults[0].reason.contains("link"));
    let machine = Machine::new().with("elsewhere/policies/p.yml", "classes: {deploy: ask}");
    fs::create_dir_all(machine.at("project/.tollgate")).unwrap();
    symlink(
        machine.at("elsewhere/policies"),
        machine.at("project/.tollgate/policies"),
    )
    .unwrap();
    let set = machine.set();
    assert!(set.rules.is_empty() && set.project_faults[0].reason.contains("link"));
}

#[test]
fn v_3406_keys_that_nobody_knows_are_mistakes_at_every_level() {
    for (text, fine) in [
        ("commands: [{pattern: p, action: ask, reason: r@}]\n@", "commands"),
        ("paths: [{glob: p, on: [write], effect: ask, reason: r@}]\n@", "paths"),
        ("effects: [{id: e, on: send, effect: ask, reason: r@}]\n@", "effects"),
        (
            "actions: [{id: a, description: d, on: [command.run], message: m, match: {commandRegex: p@}, examples: {match: [p]@}@}]\n@",
            "actions",
        ),
        (
            "rules: [{id: r, description: d, appliesTo: [bundle-apply], matchAddedContent: {regex: p@}, matchTouchedFiles: {glob: p@}@}]\n@",
            "rules",
        ),
    ] {
        let faults = |text: &str| {
            let set = Machine::new().with("project/.tollgate/policies/p.yml", text).set();
            set.project_faults.iter().map(ToString::to_string).collect::<String>()
        };
        assert_eq!(faults(&text.replace('@', "")), "", "{fine}");
        let parts: Vec<&str> = text.split('@').collect();
        for at in 1..parts.len() {
            let (before, after) = (parts[..at].concat(), parts[at..].concat());
            let key = if before.ends_with('\n') {
                "surprise: 1\n"
            } else {
                ", surprise: 1"
            };
            let text = format!("{before}{key}{after}");
            assert!(faults(&text).contains("surprise"), "{text}: {}", faults(&text));
        }
    }
}

#[test]
fn v_3406_a_project_has_limits() {
    let rules = |count: usize| {
        let lines = (0..count).map(|n| format!("  - {{pattern: p{n}x, action: ask, reason: r}}\n"));
        format!("commands:\n{}", lines.collect::<String>())
    };
    let with = |count| {
        Machine::new()
            .with("project/.tollgate/policies/p.yml", &rules(count))
            .set()
    };
    assert_eq!(with(64).rules.len(), 64);
    let large = format!("# {}\n{}", "x".repeat(200 << 10), rules(10));
    let set = Machine::new()
        .with("project/.tollgate/policies/p.yml", &large)
        .with("project/.tollgate/policies/q.yml", &large.replace(": p", ": q"))
        .set();
    assert!(
        set.rules.len() == 10
            && set.project_faults[0]
                .to_string()
                .contains("q.yml`: a project's files may be 256 KiB")
    );
    let set = with(65);
    assert!(set.rules.is_empty() && set.project_faults[0].reason.contains("64 rules"));
    for (pattern, reason, said) in [
        ("p".repeat(513), "r".into(), "longer than 512"),
        ("p".into(), "r".repeat(201), "longer than 200"),
    ] {
        let text = format!("commands: [{{pattern: {pattern}, action: ask, reason: {reason}}}]");
        let set = Machine::new().with("project/.tollgate/policies/p.yml", &text).set();
        assert!(set.project_faults[0].reason.contains(said));
    }
}

#[test]
fn what_others_can_change_is_not_trusted() {
    let machine = Machine::new().with("config/policies/a.yml", "classes: {deploy: ask}");
    let mode = |name: &str, bits| fs::set_permissions(machine.at(name), fs::Permissions::from_mode(bits)).unwrap();
    for (name, bits, trusted) in [
        ("config/policies/a.yml", 0o666, false),
        ("config/policies/a.yml", 0o644, true),
        ("config/policies", 0o777, false),
        ("config/policies", 0o755, true),
    ] {
        mode(name, bits);
        let set = machine.set();
        assert_eq!(
            set.own_faults.is_empty() && set.rules.len() == 1,
            trusted,
            "{name} {bits:o}"
        );
    }
}

#[test]
fn an_exception_ends_with_its_day() {
    let allow = |day: &str| {
        user(&format!(
            "allow: [{{pattern: push, suppresses: git_push_force, reason: r, expires: '{day}'}}]"
        ))
    };
    assert_eq!(allow("2026-12-31").exceptions.len(), 1);
    let set = allow("2026-11-01");
    assert!(set.exceptions.is_empty() && set.own_faults.is_empty());
}

const DIFF: &str = "diff --git a/src/a.ts b/src/a.ts
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,2 +1,3 @@
 let x = 1;
+  Debugger;
-debugger; // gone
+let y = 2;
--- a/old.rs
+++ /dev/null
@@ -1 +0,0 @@
-fn f() {}
";

#[test]
fn b_0304_a_patch_is_held_against_added_lines_of_the_files_that_are_meant() {
    let set = user(SEED);
    let found = set.patches.check(DIFF, None);
    assert_eq!(found.len(), 1);
    let first = &found[0];
    assert_eq!(
        (first.rule.as_str(), first.file.as_str(), first.line),
        ("no-debugger", "src/a.ts", Some(2))
    );
    assert!(set.patches.check(&DIFF.replace(".ts", ".md"), None).is_empty());
    assert!(
        set.patches
            .check(&DIFF.replace("+  Debugger", "   Debugger"), None)
            .is_empty()
    );
    let touched =
        user("rules: [{id: keep-old, description: d, appliesTo: [bundle-apply], matchTouchedFiles: {glob: 'old.*'}}]");
    assert_eq!(touched.patches.check(DIFF, None)[0].file, "old.rs");
    assert!(
        touched
            .patches
            .check(DIFF, Some(broker::policies::model::Surface::SuggestionApply))
            .is_empty()
    );
}

#[test]
fn a_file_of_a_thousand_rules_is_fine() {
    let rules = (0..1_000).map(|n| {
        format!(
            "  - {{pattern: '^tool-{n} \\w+', action: ask, reason: r, match: [tool-{n} go], not_match: [tool-{n}]}}\n"
        )
    });
    let set = user(&format!("commands:\n{}", rules.collect::<String>()));
    assert_eq!((own_fault(&set).as_str(), set.rules.len()), ("", 1_000));
    assert_eq!(
        (set.rules[0].place.line, set.rules[999].place.line),
        (Some(2), Some(1_001))
    );
}

#[test]
fn every_change_of_a_file_is_another_digest() {
    let digest = |text: &str| user(text).digest;
    assert_eq!(Machine::new().set().digest, "");
    assert_ne!(digest("classes: {deploy: ask}"), digest("classes: {deploy: deny}"));
    assert_ne!(digest("# a"), digest("# b"));
}

#[test]
fn a_system_policy_is_roots_alone() {
    let machine = Machine::new().with("system/policies/s.yml", "classes: {deploy: deny}");
    let set = machine.set();
    if rustix::process::geteuid().is_root() {
        assert_eq!(ids(&set), ["system:class.deploy"]);
        fs::set_permissions(machine.at("system"), fs::Permissions::from_mode(0o777)).unwrap();
        let set = machine.set();
        assert!(
            set.rules.is_empty() && !set.own_faults.is_empty(),
            "it is not ignored in silence"
        );
    } else {
        assert!(set.rules.is_empty() && set.own_faults[0].reason.contains("root"));
    }
}
