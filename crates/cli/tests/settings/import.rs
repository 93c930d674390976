//! `tollgate import`.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use crate::home::{Home, no_agent};

const VALLUM: &str = r#"
[security]
guardrail = false
assume_yes = true
strict = false
circuit_breaker = true
breaker_threshold = 3
breaker_window_secs = 60
breaker_cooldown_secs = 300
approval_cache = true
approval_cache_ttl_days = 14

[policy]
disabled = ["git_push_force", "no_such_rule"]

[[policy.rules]]
pattern = '^\s*sudo\b'
action = "ask"
reason = "Elevated: privileges # here"

[[policy.rules]]
pattern = 'kubectl delete'
action = "deny"
reason = "clusters are not touched"

[[policy.rules]]
pattern = 'ls'
action = "allow"
reason = "harmless"

[[policy.rules]]
pattern = '.*'
action = "deny"
reason = "everything"

[[policy.rules]]
pattern = 'kubectl delete'
action = "ask"
reason = "twice"

[[policy.allow]]
pattern = '^git push --force origin staging$'
suppresses = "git_push_force"
reason = "release flow"

[audit]
raw_enabled = false
sanitized_enabled = true
log_dir = "/var/log/vallum"

[pipeline]
head_lines = 40
min_optimize_tokens = 50

[scrubber]
entropy = true
extra_secret_patterns = []

[privacy]
enabled = false
categories = ["iban"]

[optimizer]
disabled = []
"#;

/// What became of a setting, and why.
fn fate(report: &Value, key: &str) -> (String, String) {
    let rows = report["settings"].as_array().unwrap();
    let row = rows.iter().find(|row| row["key"] == key);
    let row = row.unwrap_or_else(|| panic!("no answer to {key}: {report}"));
    let text = |name: &str| row[name].as_str().unwrap().to_owned();
    (text("fate"), text("why"))
}

fn report(home: &Home, words: &str) -> Value {
    let said = home.nobody(&format!("tollgate import {words} --json")).is(0, &[]);
    serde_json::from_str(&said.text).unwrap()
}

/// Holds the answers to some settings against what they should be: the fate, and a part of the reason.
fn holds(report: &Value, answers: &[(&str, &str, &str)]) {
    for (key, wanted, why) in answers {
        let (fate, said) = fate(report, key);
        assert!(fate == *wanted && said.contains(why), "{key}: {fate}, {said}");
    }
}

#[test]
fn v_0301_m_32_rules_of_vallum_become_a_policy_file_and_to_allow_is_no_action() {
    if !no_agent() {
        return;
    }
    let home = Home::new();
    home.write("v/config.toml", VALLUM);
    let report = report(&home, "vallum ../v/config.toml");
    holds(
        &report,
        &[
            ("policy.rules[0]", "taken", "ask on `^\\s*sudo\\b`"),
            ("policy.rules[1]", "taken", "deny on `kubectl delete`"),
            ("policy.rules[2]", "not taken", "`action` is `allow`"),
            ("policy.rules[3]", "not taken", "matches the empty text"),
            (
                "policy.rules[4]",
                "not taken",
                "there is a rule `user:kubectl delete` already",
            ),
            ("policy.allow[0]", "not taken", "it would silence `git_push_force`"),
            ("policy.disabled[0]", "not taken", "`git_push_force` stays on"),
            ("policy.disabled[1]", "no equal", "there is no rule `no_such_rule`"),
        ],
    );
    home.nobody("tollgate policy doctor").is(0, &["2 rules, nothing wrong"]);
    home.nobody("tollgate check 'sudo ls'")
        .is(10, &["user:^\\s*sudo\\b", "Elevated: privileges # here"]);
    home.nobody("tollgate check 'sh -c \"kubectl delete ns x\"'")
        .is(20, &["user:kubectl delete"]);
    home.nobody("tollgate check 'git push --force origin staging'")
        .is(10, &["git_push_force"]);
    assert!(home.notes("config")[0].contains("2 rules of vallum were taken over into"));
}

#[test]
fn v_3620_v_3621_what_loosens_is_named_and_not_taken() {
    let home = Home::new();
    home.write("v/config.toml", VALLUM);
    let report = report(&home, "vallum ../v --dry-run");
    holds(
        &report,
        &[
            ("security.guardrail", "not taken", "`tollgate config set posture off`"),
            ("security.assume_yes", "not taken", "answer for a person"),
            ("security.strict", "same", "guard"),
            ("security.circuit_breaker", "same", "breaker.enabled"),
            (
                "security.breaker_threshold",
                "not taken",
                "`tollgate config set breaker.threshold 3`",
            ),
            ("security.breaker_window_secs", "same", "breaker.window_seconds"),
            ("security.breaker_cooldown_secs", "same", "breaker.cooldown_seconds"),
            ("security.approval_cache", "same", "approvals.remember"),
            ("security.approval_cache_ttl_days", "no equal", "--days"),
            ("audit.log_dir", "no equal", "XDG_STATE_HOME"),
            ("audit.raw_enabled", "same", "secrets"),
            ("audit.sanitized_enabled", "same", "recorded"),
        ],
    );
    let [on, off] = ["guardrail = true\nassume_yes = false", "strict = true\n"];
    home.write(
        "w/config.toml",
        &format!("[security]\n{on}\n{off}[audit]\nraw_enabled = true\nsanitized_enabled = false\n"),
    );
    let report = self::report(&home, "vallum ../w/config.toml --dry-run");
    holds(
        &report,
        &[
            ("security.guardrail", "same", ""),
            ("security.assume_yes", "same", ""),
            ("security.strict", "not taken", "posture strict"),
            ("audit.raw_enabled", "not taken", "secrets"),
            ("audit.sanitized_enabled", "not taken", "recorded"),
        ],
    );
}

#[test]
fn what_is_switched_off_here_is_not_called_the_same() {
    let home = Home::new();
    home.write("v/config.toml", "[security]\nguardrail = true\n");
    home.write("s/project.yml", "policies: { forbidSecretsAccess: true }\n");
    home.write("config/config.toml", "posture = \"observe\"\n");
    holds(
        &report(&home, "vallum ../v --dry-run"),
        &[("security.guardrail", "not taken", "posture `observe` holds nothing")],
    );
    home.write("config/config.toml", "[rules]\ndisabled = [\"file_read_sensitive\"]\n");
    holds(
        &report(&home, "vibestrate ../s --dry-run"),
        &[(
            "policies.forbidSecretsAccess",
            "not taken",
            "`file_read_sensitive` is switched off",
        )],
    );
}

#[test]
fn v_3622_v_3623_what_has_no_equal_is_named_with_the_reason() {
    let home = Home::new();
    home.write("v/config.toml", VALLUM);
    let report = report(&home, "vallum ../v --dry-run");
    for key in [
        "pipeline.head_lines",
        "pipeline.min_optimize_tokens",
        "scrubber.entropy",
        "privacy.enabled",
        "privacy.categories",
        "optimizer.disabled",
    ] {
        holds(&report, &[(key, "no equal", "what commands print")]);
    }
    holds(
        &report,
        &[("scrubber.extra_secret_patterns", "no equal", "forms of secrets")],
    );
    home.write("w/.vallum.toml", "[nothing]\nknown = 1\n");
    let report = self::report(&home, "vallum ../w --dry-run");
    holds(&report, &[("nothing.known", "no equal", "no setting of Vallum")]);
}

#[test]
fn a_dry_run_shows_the_file_and_writes_nothing() {
    let home = Home::new();
    home.write("v/config.toml", VALLUM);
    let said = home.nobody("tollgate import vallum ../v --dry-run");
    let _said = said.is(
        0,
        &[
            "taken      policy.rules[0]:",
            "Nothing was written. The file would be",
            "commands:\n",
            "action: deny",
        ],
    );
    assert!(!home.at("config/policies").exists());
    home.nobody("tollgate import vallum ../v --dry-run --project")
        .is(0, &[".tollgate/policies/imported-vallum.yml"]);
    assert!(!home.at("work/.tollgate").exists());
}

#[test]
fn a_file_that_is_there_stays_as_it_is() {
    if !no_agent() {
        return;
    }
    let home = Home::new();
    home.write("v/config.toml", VALLUM);
    home.write("config/policies/imported-vallum.yml", "# mine\n");
    home.nobody("tollgate import vallum ../v").is(1, &["is there already"]);
    assert_eq!(home.read("config/policies/imported-vallum.yml"), "# mine\n");
    fs::remove_file(home.at("config/policies/imported-vallum.yml")).unwrap();
    symlink(home.at("elsewhere"), home.at("config/policies/imported-vallum.yml")).unwrap();
    home.nobody("tollgate import vallum ../v").is(1, &["is there already"]);
    assert!(!home.at("elsewhere").exists());
}

#[test]
fn a_rule_that_is_in_force_already_is_named() {
    if !no_agent() {
        return;
    }
    let home = Home::new();
    home.write("v/config.toml", VALLUM);
    let own = "commands:\n  - pattern: kubectl delete\n    action: ask\n    reason: mine\n";
    home.write("config/policies/own.yml", own);
    let report = report(&home, "vallum ../v");
    holds(
        &report,
        &[(
            "policy.rules[1]",
            "not taken",
            "there is a rule `user:kubectl delete` already",
        )],
    );
    home.nobody("tollgate policy doctor").is(0, &["2 rules, nothing wrong"]);
}

#[test]
fn rules_of_a_project_are_taken_into_the_project() {
    if !no_agent() {
        return;
    }
    let home = Home::new();
    home.write(
        "work/.vallum.toml",
        "[[policy.rules]]\npattern = 'make deploy'\naction = \"deny\"\nreason = \"ci\"\n",
    );
    home.nobody("tollgate import vallum .vallum.toml --project")
        .is(0, &["Written:"]);
    home.nobody("tollgate check 'make deploy'")
        .is(20, &["project:make deploy"]);
    assert!(home.at("work/.tollgate/policies/imported-vallum.yml").exists());
}

const PROJECT: &str = r#"
policies:
  defaultPermissionMode: auto
  forbidMainBranchWrites: true
  forbidSecretsAccess: true
  forbidAutoPush: true
  forbidAutoMerge: true
  preserveArtifacts: true
  strictApplyOnly: false
  hardenReadOnlySeats: false
  allowInteractiveTerminal: false
  requireApprovalAtStages: []
  unattendedApprovalTimeoutMs: 0
  approvalMaxChangeRounds: 3
  protectedPaths: ["db/migrations/**", "legal/*.md"]
  unprotectedPaths: ["docs/auth/**"]
execution:
  backend: local-worktree
  isolation: off
  container:
    image: node:22-bookworm-slim
    egress: { mode: open, allow: [] }
budget: { spendCapDailyUsd: null, capAction: stop, onLimit: stop }
resilience:
  enabled: true
  rateLimit: { attempts: 5 }
  usageLimit: { action: stop }
supervisorControl: { autonomy: act }
posture: { autoApplySandbox: false, autoApplyApproval: false }
commands: { validate: [], scopeValidationByChange: true }
"#;

const SAFETY: &str = r#"
actions:
  - id: no-network-installs
    description: Block installs during validation.
    on: [command.run]
    match:
      commandRegex: "npm (i|install)|pip install"
      commandFlags: "i"
    effect: deny
    message: Network installs are not allowed.
  - id: no-secret-writes
    description: Refuse writes to dotenv files.
    on: [file.write, file.patch]
    match: { pathGlob: "**/*.env" }
    effect: deny
    message: Writing secret files is blocked.
  - id: hold-a-start
    on: [run.start]
    effect: require_approval
rules:
  - id: no-debugger
    description: No debugger stays behind.
    appliesTo: [suggestion-apply]
    matchAddedContent: { regex: "debugger;" }
extra: 1
"#;

#[test]
fn b_3629_m_32_policy_files_of_vibestrate_are_taken_as_they_are() {
    if !no_agent() {
        return;
    }
    let home = Home::new();
    home.write("s/.vibestrate/project.yml", PROJECT);
    home.write("s/.vibestrate/policies/safety.yml", SAFETY);
    home.write(
        "s/.vibestrate/policies/again.yaml",
        "actions:\n  - id: no-secret-writes\n    on: [file.write]\n",
    );
    home.write("s/.vibestrate/policies/empty.yml", "# nothing\n");
    home.write("s/.vibestrate/policies/notes.txt", "= =");
    let report = report(&home, "vibestrate ../s");
    holds(
        &report,
        &[
            ("safety: actions[0]", "taken", "`no-network-installs`"),
            (
                "safety: actions[1]",
                "not taken",
                "there is a rule `no-secret-writes` already",
            ),
            (
                "safety: actions[2]",
                "not taken",
                "nothing can wait for a person at `run.start`",
            ),
            ("safety: rules[0]", "taken", "`no-debugger`"),
            ("safety: extra", "no equal", "no list"),
            ("again: actions[0]", "taken", "`no-secret-writes`"),
        ],
    );
    home.nobody("tollgate policy doctor").is(0, &["nothing wrong"]);
    home.nobody("tollgate check 'npm i left-pad'")
        .is(20, &["no-network-installs"]);
    home.nobody("tollgate check 'NPM I left-pad'")
        .is(20, &["no-network-installs"]);
    home.nobody("tollgate check --write x.env")
        .is(20, &["no-secret-writes"]);
    home.write("p.patch", "--- a/x.js\n+++ b/x.js\n@@ -0,0 +1 @@\n+debugger;\n");
    home.nobody("tollgate policy check ../p.patch").is(1, &["no-debugger"]);
}

#[test]
fn b_3621_b_3623_switches_and_protected_paths_of_vibestrate() {
    if !no_agent() {
        return;
    }
    let home = Home::new();
    home.write("s/project.yml", PROJECT);
    let report = report(&home, "vibestrate ../s/project.yml");
    holds(
        &report,
        &[
            ("policies.protectedPaths[0]", "taken", "`db/migrations/**`"),
            ("policies.protectedPaths[1]", "taken", "`legal/*.md`"),
            ("policies.unprotectedPaths", "not taken", "[paths] unprotected"),
            ("policies.forbidAutoPush", "taken", "`push_code: ask`"),
            ("policies.forbidSecretsAccess", "same", "read_sensitive_creds"),
            ("policies.forbidMainBranchWrites", "no equal", "branch"),
            ("policies.forbidAutoMerge", "no equal", "no runs"),
            ("policies.preserveArtifacts", "no equal", "no runs"),
            ("policies.requireApprovalAtStages", "no equal", "no runs"),
            ("policies.unattendedApprovalTimeoutMs", "no equal", "no runs"),
            ("policies.approvalMaxChangeRounds", "no equal", "no runs"),
        ],
    );
    home.nobody("tollgate check 'git push origin topic'")
        .is(10, &["push_code"]);
    home.nobody("tollgate check --write legal/terms.md")
        .is(10, &["legal/*.md"]);
    home.nobody("tollgate check 'rm db/migrations/7.sql'")
        .is(10, &["db/migrations/**"]);
    home.nobody("tollgate check --write docs/x.md").is(0, &[]);
}

#[test]
fn b_3620_b_3622_b_3624_b_3625_b_3626_b_3627_b_3628_what_is_about_runs_has_no_equal() {
    let home = Home::new();
    home.write("s/project.yml", PROJECT);
    let report = report(&home, "vibestrate ../s/project.yml --dry-run");
    for (key, why) in [
        ("policies.defaultPermissionMode", "no runs"),
        ("policies.strictApplyOnly", "no runs"),
        ("policies.hardenReadOnlySeats", "no runs"),
        ("policies.allowInteractiveTerminal", "no runs"),
        ("execution.backend", "without a sandbox"),
        ("execution.isolation", "without a sandbox"),
        ("execution.container.image", "without a sandbox"),
        ("execution.container.egress.mode", "without a sandbox"),
        ("execution.container.egress.allow", "without a sandbox"),
        ("budget.spendCapDailyUsd", "no runs"),
        ("budget.capAction", "no runs"),
        ("resilience.rateLimit.attempts", "no runs"),
        ("resilience.usageLimit.action", "no runs"),
        ("supervisorControl.autonomy", "no runs"),
        ("posture.autoApplyApproval", "no runs"),
        ("commands.validate", "no runs"),
    ] {
        holds(&report, &[(key, "no equal", why)]);
    }
}

const SETTINGS: &str = r#"{
  "tools": {"codegraph": true, "lsp": true},
  "envPolicy": {"deny": ["MY_APP_*"], "allow": ["MY_*"]},
  "hooks": {
    "templates": ["block-destructive", "protect-secrets", "protect-config", "workspace-guard"],
    "custom": [
      {"name": "no prod", "kind": "command", "pattern": "deploy.sh --PROD", "risk": "critical", "reason": "ask ops: first"},
      {"name": "locks", "kind": "file", "pattern": "Package-Lock", "risk": "high"},
      {"name": "soft", "kind": "command", "pattern": "docker", "risk": "medium"},
      {"name": "nothing", "kind": "command", "pattern": "x", "risk": "low"},
      {"name": "odd", "kind": "mail", "pattern": "x", "risk": "high"},
      {"name": "empty", "kind": "command", "pattern": " ", "risk": "high"},
      {"name": "risky", "kind": "command", "pattern": "x", "risk": "extreme"}
    ]
  },
  "updatedAt": "2026-01-01"
}"#;

#[test]
fn m_32_literal_rules_of_vibeflow_become_a_policy_file() {
    if !no_agent() {
        return;
    }
    let home = Home::new();
    home.write("f/.vibeflow/SETTINGS.json", SETTINGS);
    let report = report(&home, "vibeflow ../f");
    holds(
        &report,
        &[
            ("hooks.custom[0]", "taken", "deny on `deploy.sh --PROD`"),
            ("hooks.custom[1]", "taken", "ask on `Package-Lock`"),
            ("hooks.custom[2]", "taken", "warn on `docker`"),
            ("hooks.custom[3]", "no equal", "it changes nothing"),
            ("hooks.custom[4]", "not taken", "neither `command` nor `file`"),
            ("hooks.custom[5]", "not taken", "no `pattern`"),
            ("hooks.custom[6]", "not taken", "`risk`"),
            ("hooks.templates.block-destructive", "same", ""),
            ("hooks.templates.flag-installs", "not taken", "off"),
            ("hooks.templates.protect-config", "taken", "tsconfig"),
            ("hooks.templates.workspace-guard", "taken", "outside the project"),
            ("envPolicy.deny", "no equal", "environment"),
            ("envPolicy.allow", "no equal", "environment"),
            ("tools.lsp", "no equal", "VibeFlow's own work"),
        ],
    );
    home.nobody("tollgate policy doctor").is(0, &["nothing wrong"]);
    home.nobody("tollgate check './Deploy.sh --prod now'")
        .is(20, &["ask ops: first"]);
    home.nobody("tollgate check './deployXsh --prod now'").is(0, &[]);
    home.nobody("tollgate check --write web/package-lock.json")
        .is(10, &["locks"]);
    home.nobody("tollgate check --write web/tsconfig.base.json")
        .is(10, &["builds and checks"]);
    home.nobody("tollgate check --write /srv/x")
        .is(10, &["leaves the workspace"]);
    home.nobody("tollgate check --write src/x").is(0, &[]);
}

#[test]
fn settings_that_cannot_be_read_are_named_and_nothing_is_written() {
    let home = Home::new();
    for (program, name, text, said) in [
        ("vallum", "c.toml", "[security\n", "c.toml` cannot be read"),
        ("vibestrate", "p.yml", "a: [", "p.yml` cannot be read"),
        ("vibestrate", "p.yml", "- a\n", "it holds no settings"),
        ("vibeflow", "s.json", "{", "s.json` cannot be read"),
        ("vibeflow", "s.json", "[]", "it holds no settings"),
    ] {
        home.write(name, text);
        home.nobody(&format!("tollgate import {program} ../{name} --dry-run"))
            .is(65, &[said]);
    }
    home.nobody("tollgate import vallum ../nothing --dry-run")
        .is(66, &["no settings of vallum"]);
    home.nobody("tollgate import other ../c.toml")
        .is(64, &["vallum, vibestrate, vibeflow"]);
    assert!(!home.at("config/policies").exists());
}

#[test]
fn no_agent_takes_settings_over() {
    let home = Home::new().with("CLAUDECODE", "1");
    home.write("v/config.toml", VALLUM);
    home.nobody("tollgate import vallum ../v")
        .is(20, &["No agent can take settings over"]);
    assert!(!home.at("config/policies").exists());
    assert_eq!(home.notes("attempt").len(), 1);
    assert_eq!(home.hook("tollgate import vallum ../v"), "deny");
    assert_eq!(home.hook("tollgate import vallum ../v --dry-run"), "");
}
