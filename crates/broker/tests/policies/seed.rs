//! What the formats that the program grew from promise, row by row.

use std::os::unix::fs::symlink;

use broker::{Broker, Places};
use policy::{Kind, Request, Subject, Verdict};

use super::{Machine, ids, own_fault, user};

/// The verdict on a request in the project, and the rules that gave it.
fn judged(machine: &Machine, kind: Kind, subject: Subject) -> (Verdict, Vec<String>) {
    let broker = Broker::open(Places {
        home: machine.at("home"),
        own_home: None,
        system: machine.at("system"),
        config: machine.at("config"),
        state: machine.at("state"),
        data: machine.at("data"),
    });
    let judgement = broker.judge(&Request {
        kind,
        subject,
        cwd: machine.at("project").to_string_lossy().into_owned(),
    });
    let rules = judgement.findings.iter().map(|finding| finding.rule.clone()).collect();
    (judgement.verdict(), rules)
}

fn command(machine: &Machine, text: &str) -> (Verdict, Vec<String>) {
    judged(machine, Kind::CommandRun, Subject::Command(text.into()))
}

fn write(machine: &Machine, path: &str) -> (Verdict, Vec<String>) {
    let subject = Subject::File {
        path: path.into(),
        delete: false,
        content: None,
    };
    judged(machine, Kind::FileWrite, subject)
}

fn with(text: &str) -> Machine {
    Machine::new().with("config/policies/a.yml", text)
}

/// A rule on patches with one field changed.
fn on_patches(field: &str, value: &str) -> String {
    let fields = [
        ("id", "no-debugger"),
        ("description", "No debugger stays behind."),
        ("appliesTo", "[suggestion-apply]"),
        ("message", "A debugger is left."),
        ("matchAddedContent", "{ regex: \"debugger\", flags: \"i\" }"),
        ("matchTouchedFiles", "{ glob: \"**/*.ts\" }"),
    ];
    let lines = fields.map(|(name, text)| {
        let text = if name == field { value } else { text };
        match text {
            "" => String::new(),
            text => format!("    {name}: {text}\n"),
        }
    });
    format!("rules:\n  -\n{}", lines.concat())
}

#[test]
fn b_0301_a_file_has_rules_on_patches_and_actions_on_requests() {
    let text = format!(
        "{}actions:\n  - id: no-npm\n    description: d\n    on: [command.run]\n    match: {{ commandRegex: npm }}\n    message: m\n",
        on_patches("", "")
    );
    let set = user(&text);
    assert_eq!((own_fault(&set), ids(&set)), (String::new(), vec!["no-npm"]));
    assert_eq!(set.patches.ids().collect::<Vec<_>>(), ["no-debugger"]);
    assert_eq!(command(&with(&text), "npm ci").0, Verdict::Deny);
    let asks = text.replace("    message: m\n", "    message: m\n    effect: require_approval\n");
    assert_eq!(command(&with(&asks), "npm ci").0, Verdict::Ask);
}

#[test]
fn b_0303_a_rule_on_patches_has_limits() {
    let long = |n: usize| format!("\"{}\"", "x".repeat(n));
    let regex = |n: usize| format!("{{ regex: \"{}\" }}", "x".repeat(n));
    for (field, good, bad) in [
        ("id", format!("a{}", "b".repeat(95)), format!("a{}", "b".repeat(96))),
        ("id", "a-b_9".into(), "9a".into()),
        ("description", long(512), long(513)),
        ("description", long(1), "\"\"".into()),
        ("appliesTo", "[suggestion-apply, bundle-apply]".into(), "[]".into()),
        ("appliesTo", "[bundle-apply]".into(), "[later]".into()),
        ("message", long(512), long(513)),
        ("matchAddedContent", regex(256), regex(257)),
        (
            "matchAddedContent",
            "{ regex: x, flags: gimsuy }".into(),
            "{ regex: x, flags: q }".into(),
        ),
        (
            "matchTouchedFiles",
            format!("{{ glob: \"{}\" }}", "x".repeat(256)),
            format!("{{ glob: \"{}\" }}", "x".repeat(257)),
        ),
    ] {
        assert_eq!(own_fault(&user(&on_patches(field, &good))), "", "{field}: {good}");
        let fault = own_fault(&user(&on_patches(field, &bad)));
        assert!(fault.contains("a.yml"), "{field}: {bad}: {fault}");
    }
    let none = on_patches("matchAddedContent", "").replace("    matchTouchedFiles: { glob: \"**/*.ts\" }\n", "");
    assert!(!own_fault(&user(&none)).is_empty(), "no matcher");
}

#[test]
fn b_0305_an_action_denies_unless_it_says_otherwise() {
    let action = |more: &str| {
        format!(
            "actions:\n  - id: no-npm\n    description: d\n    on: [command.run]\n    match: {{ commandRegex: \"^npm ci\" }}\n    message: the lock file is not ours\n{more}"
        )
    };
    assert_eq!(command(&with(&action("")), "npm ci").0, Verdict::Deny);
    let (verdict, rules) = command(&with(&action("    effect: require_approval\n")), "npm ci");
    assert_eq!((verdict, rules[0].as_str()), (Verdict::Ask, "no-npm"));
    assert!(!own_fault(&user(&action("    effect: allow\n"))).is_empty());
}

#[test]
fn b_0307_every_field_belongs_to_its_kinds_and_all_of_them_hold() {
    let action = |on: &str, matches: &str| {
        format!("actions:\n  - id: a\n    description: d\n    on: [{on}]\n    match: {{ {matches} }}\n    message: m\n")
    };
    for (on, matches, fine) in [
        ("provider.spawn", "providerId: codex", true),
        ("command.run", "commandRegex: x, commandFlags: i", true),
        ("file.write, file.patch", "pathGlob: '**/x'", true),
        ("run.complete", "status: merge_ready", true),
        ("command.run", "pathGlob: '**/x'", false),
        ("file.write", "commandRegex: x", false),
        ("command.run", "status: merge_ready", false),
        ("file.write", "providerId: codex", false),
    ] {
        assert_eq!(
            own_fault(&user(&action(on, matches))).is_empty(),
            fine,
            "{on}: {matches}"
        );
    }
    let flags = with(&action("command.run", "commandRegex: '^NPM ci', commandFlags: i"));
    assert_eq!(command(&flags, "npm ci").0, Verdict::Deny);
}

#[test]
fn b_0308_without_a_match_an_action_is_about_every_request_of_its_kinds() {
    let text = "actions:\n  - id: a\n    description: d\n    on: [command.run]\n    message: m\n";
    let machine = with(text);
    assert_eq!(command(&machine, "ls").0, Verdict::Deny);
    assert_eq!(write(&machine, "src/a.rs").0, Verdict::Allow);
    for kind in ["run.start", "terminal.create", "git.merge"] {
        let of = |matches: &str| {
            format!("actions:\n  - id: a\n    description: d\n    on: [{kind}]\n{matches}    message: m\n")
        };
        assert_eq!(own_fault(&user(&of(""))), "", "{kind}");
        assert!(
            !own_fault(&user(&of("    match: { commandRegex: x }\n"))).is_empty(),
            "{kind} has no fields"
        );
    }
}

#[test]
fn b_0310_b_0311_globs_are_held_against_every_path_and_anchored() {
    let of = |glob: &str| {
        with(&format!(
            "actions:\n  - id: a\n    description: d\n    on: [file.write]\n    match: {{ pathGlob: '{glob}' }}\n    message: m\n"
        ))
    };
    for (glob, path, matches) in [
        ("**/*.lock", "Cargo.lock", true),
        ("**/*.lock", "deep/er/Cargo.lock", true),
        ("**/*.lock", "Cargo.lock.bak", false),
        ("**/a/*.rs", "src/a/x.rs", true),
        ("**/a/*.rs", "src/a/b/x.rs", false),
        ("**/a/**", "src/a/b/x.rs", true),
        ("**/?.rs", "src/x.rs", true),
        ("**/?.rs", "src/xy.rs", false),
        ("**/a.b", "src/axb", false),
    ] {
        let found = write(&of(glob), path).1.contains(&"a".to_owned());
        assert_eq!(found, matches, "{glob} {path}");
    }
    // Both halves of a move.
    let machine = with("paths:\n  - glob: '**/kept.txt'\n    on: [write]\n    effect: deny\n    reason: it stays\n");
    for text in ["mv kept.txt b.txt", "mv b.txt kept.txt", "cp a kept.txt"] {
        assert_eq!(command(&machine, text).0, Verdict::Deny, "{text}");
    }
}

#[test]
fn b_0312_an_ask_is_refused_where_nothing_can_wait() {
    let of = |kind: &str| {
        format!(
            "actions:\n  - id: a\n    description: d\n    on: [{kind}]\n    effect: require_approval\n    message: m\n"
        )
    };
    for kind in ["run.complete", "file.patch", "command.run", "file.write"] {
        assert_eq!(own_fault(&user(&of(kind))), "", "{kind}");
    }
    for kind in ["provider.spawn", "run.start", "git.merge", "terminal.create"] {
        let fault = own_fault(&user(&of(kind)));
        assert!(fault.contains(kind), "{fault}");
    }
}

#[test]
fn b_0325_only_what_did_load_is_held_against_requests_and_the_rest_is_named() {
    let machine = with("commands:\n  - pattern: '^make'\n    action: deny\n    reason: r\n")
        .with("config/policies/b.yml", "commands: [");
    let (verdict, rules) = command(&machine, "make all");
    assert_eq!(verdict, Verdict::Deny);
    assert!(rules.contains(&"policy.set.broken".to_owned()), "{rules:?}");
    assert!(own_fault(&machine.set()).contains("b.yml"));
}

#[test]
fn v_0301_a_rule_on_commands_asks_or_denies_and_never_allows() {
    let of = |action: &str| {
        format!("[[commands]]\npattern = '^make deploy'\naction = \"{action}\"\nreason = \"the pipeline does that\"\n")
    };
    for (action, verdict) in [("ask", Verdict::Ask), ("deny", Verdict::Deny)] {
        let machine = Machine::new().with("config/policies/a.toml", &of(action));
        assert_eq!(command(&machine, "make deploy").0, verdict);
        assert_eq!(command(&machine, "make test").0, Verdict::Allow);
    }
    let machine = Machine::new().with("config/policies/a.toml", &of("allow"));
    assert!(own_fault(&machine.set()).contains("allow"));
}

#[test]
fn v_0307_without_files_there_is_nothing_to_say() {
    let machine = Machine::new();
    assert_eq!(
        (ids(&machine.set()).len(), own_fault(&machine.set())),
        (0, String::new())
    );
    assert_eq!(command(&machine, "make").0, Verdict::Allow);
}

#[test]
fn v_3202_an_exception_names_a_built_in_rule_and_does_not_match_nothing() {
    let of = |pattern: &str, rule: &str| {
        format!("allow:\n  - pattern: '{pattern}'\n    suppresses: {rule}\n    reason: r\n")
    };
    assert_eq!(own_fault(&user(&of("^git push -f origin mine$", "git_push_force"))), "");
    for (pattern, rule) in [
        (".*", "git_push_force"),
        ("", "git_push_force"),
        ("(", "git_push_force"),
        ("^x$", "no_such_rule"),
    ] {
        assert!(
            own_fault(&user(&of(pattern, rule))).contains("a.yml"),
            "{pattern} {rule}"
        );
    }
}

#[test]
fn v_3205_an_exception_has_a_reason_and_is_from_nothing_that_people_wrote() {
    let text = "allow:\n  - pattern: '^git push -f origin mine$'\n    suppresses: git_push_force\n    reason: ''\n";
    assert!(!own_fault(&user(text)).is_empty());
    let own = "commands:\n  - id: mine\n    pattern: '^make'\n    action: ask\n    reason: r\nallow:\n  - pattern: '^make$'\n    suppresses: mine\n    reason: r\n";
    assert!(!own_fault(&user(own)).is_empty());
}

#[test]
fn v_3401_a_file_at_the_root_of_the_repository_may_ask_and_deny_and_nothing_else() {
    let rule = "[[commands]]\npattern = '^make deploy'\naction = \"deny\"\nreason = \"the pipeline does that\"\n";
    let machine = Machine::new().with("project/.tollgate.toml", rule);
    assert_eq!(command(&machine, "make deploy").0, Verdict::Deny);
    // Of a file with a mistake in it nothing is taken; an exception is not taken, and what tightens beside it is.
    for (more, verdict) in [
        ("posture = \"off\"\n", Verdict::Ask),
        (
            "[[allow]]\npattern = '^x$'\nsuppresses = \"rm_rf_root\"\nreason = \"r\"\n",
            Verdict::Deny,
        ),
    ] {
        let machine = Machine::new().with("project/.tollgate.toml", &format!("{more}{rule}"));
        let faults = machine.set().project_faults;
        assert!(faults[0].to_string().contains(".tollgate.toml"), "{faults:?}");
        assert_eq!(command(&machine, "make deploy").0, verdict, "{more}");
        assert!(machine.set().exceptions.is_empty());
    }
    let linked = Machine::new().with("elsewhere.toml", rule);
    symlink(linked.at("elsewhere.toml"), linked.at("project/.tollgate.toml")).unwrap();
    assert!(linked.set().project_faults[0].to_string().contains("it is a link"));
}

#[test]
fn v_3404_rules_without_a_name_are_called_by_their_layer_and_pattern() {
    let rule = "commands:\n  - pattern: '^make deploy'\n    action: deny\n    reason: r\n";
    let machine = Machine::new()
        .with("config/policies/a.yml", rule)
        .with("project/.tollgate/policies/b.yml", rule);
    assert_eq!(ids(&machine.set()), ["user:^make deploy", "project:^make deploy"]);
    let (_, rules) = command(&machine, "make deploy");
    assert_eq!(rules, ["user:^make deploy", "project:^make deploy"]);
}

#[test]
fn v_3407_a_fault_says_where_and_why_and_not_what_stands_there() {
    let text = "commands:\n  - pattern: '^x'\n    action: deny\n    reason: r\n    secret_\u{1b}[31m: hunter2hunter2\n";
    let machine = Machine::new().with("project/.tollgate/policies/b.yml", text);
    let fault = machine.set().project_faults[0].to_string();
    assert!(fault.contains("b.yml") && !fault.contains("hunter2"), "{fault}");
    assert!(!fault.chars().any(char::is_control) && fault.len() < 600, "{fault}");
}

#[test]
fn v_3408_what_a_project_asks_is_never_remembered_nor_excepted_from() {
    let rule = "commands:\n  - id: theirs\n    pattern: '^git push'\n    action: ask\n    reason: r\n";
    let machine = Machine::new().with("project/.tollgate/policies/b.yml", rule);
    let broker_says = command(&machine, "git push --force");
    assert!(broker_says.1.contains(&"theirs".to_owned()));
    assert!(!policy::may_remember("theirs") && policy::may_remember("git_push_force"));
    let excepting = machine.with(
        "config/policies/a.yml",
        "allow:\n  - pattern: '^git push'\n    suppresses: theirs\n    reason: r\n",
    );
    assert!(!own_fault(&excepting.set()).is_empty());
}
