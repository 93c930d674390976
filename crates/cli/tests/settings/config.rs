//! `tollgate config` and `tollgate schema config`.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::Value;

use crate::home::{Home, no_agent, people};

const DEFAULTS: &str = "\
approvals.remember = true
approvals.wait_seconds = 0
breaker.cooldown_seconds = 300
breaker.enabled = true
breaker.threshold = 5
breaker.window_seconds = 60
ledger.flush = \"held\"
ledger.on_full = \"deny\"
paths.unprotected = []
posture = \"guard\"
rules.disabled = []
snapshots.budget_mb = 256
snapshots.days = 14
snapshots.keep_mb = 4096
snapshots.soften = true
";

#[test]
fn v_0304_a_rule_is_switched_off_by_its_name_and_a_name_that_nobody_knows_is_reported() {
    let home = Home::new();
    let push = "tollgate check 'git push --force origin topic'";
    home.nobody(push).is(10, &["git_push_force"]);
    home.write("config/config.toml", "[rules]\ndisabled = [\"git_push_force\"]\n");
    home.nobody(push).is(0, &[]);
    home.nobody("tollgate check 'rm -rf ~'").is(10, &["rm_rf_root"]);
    home.write("config/config.toml", "\n[rules]\ndisabled = [\"git_push_farce\"]\n");
    let said = "config.toml`, line 3: there is no rule `git_push_farce` to disable";
    home.nobody("tollgate doctor").is(125, &[said]);
    home.nobody("tollgate config validate").is(125, &[said]);
}

#[test]
fn v_0306_broken_settings_are_named_with_their_line_and_the_built_in_rules_stay() {
    let home = Home::new();
    home.write("config/config.toml", "# mine\nposture = \"lax\"\n");
    let said = "config.toml`, line 2: `posture` is `lax`; it can be `guard`, `strict`, `observe`, `off`";
    for command in [
        "config validate",
        "config show",
        "config get posture",
        "doctor",
        "check ls",
    ] {
        home.nobody(&format!("tollgate {command}")).is(125, &[said]);
    }
    assert_eq!(home.hook("rm -rf ~"), "deny");
    assert_eq!(home.hook("touch x"), "deny");
    assert_eq!(home.hook("ls"), "");
    home.write("config/config.toml", "# mine\nposture = \"guard\"\n");
    home.nobody("tollgate config validate").is(0, &["nothing wrong"]);
    assert_eq!(home.hook("touch x"), "");
}

#[test]
fn v_0307_no_file_is_the_defaults_and_a_variable_moves_the_file() {
    let home = Home::new();
    assert_eq!(home.nobody("tollgate config show").is(0, &[]).text, DEFAULTS);
    home.nobody("tollgate config validate")
        .is(0, &["there is no such file"]);
    home.write("other/config/config.toml", "posture = \"strict\"\n");
    let home = home.with("TOLLGATE_HOME", "/nowhere");
    home.nobody("tollgate config get posture").is(0, &["guard"]);
    let other = home.at("other").display().to_string();
    home.nobody(&format!("TOLLGATE_HOME={other} tollgate config get posture"))
        .is(0, &["strict"]);
}

#[test]
fn v_3620_v_3621_every_key_is_listed_with_its_value_and_where_it_comes_from() {
    let home = Home::new();
    let text = "posture = \"strict\"\n\n[breaker]\nthreshold = 3\n\n[rules]\ndisabled = [\"git_push_force\"]\n";
    home.write("config/config.toml", text);
    let file = home.at("config/config.toml").display().to_string();
    let shown = home.nobody("tollgate config show --origin").is(0, &[]).text;
    for (line, from) in [
        ("posture = \"strict\"", format!("{file}:1")),
        ("breaker.threshold = 3", format!("{file}:4")),
        ("rules.disabled = [\"git_push_force\"]", format!("{file}:7")),
        ("breaker.window_seconds = 60", "built-in".to_owned()),
    ] {
        let found = shown.lines().find(|shown| shown.starts_with(line)).unwrap();
        assert!(found.ends_with(&format!("  # {from}")), "{found}");
    }
    // What is shown could be put into a file.
    home.write("shown.toml", &shown);
    let validate = format!("tollgate config validate {}", home.at("shown.toml").display());
    home.nobody(&validate).is(0, &["nothing wrong"]);
    let json: Value = serde_json::from_str(&home.nobody("tollgate config show --json").text).unwrap();
    let row = |key: &str| {
        let rows = json["settings"].as_array().unwrap();
        rows.iter().find(|row| row["key"] == key).unwrap().clone()
    };
    assert_eq!(
        (&row("posture")["value"], &row("posture")["default"]),
        (&"strict".into(), &"guard".into())
    );
    assert_eq!(
        row("posture")["origin"],
        serde_json::json!({"layer": "user", "file": file, "line": 1})
    );
    assert_eq!(
        row("approvals.remember")["origin"],
        serde_json::json!({"layer": "built-in"})
    );
}

#[test]
fn v_3624_no_variable_answers_an_ask_or_switches_anything_off() {
    let home = Home::new()
        .with("VALLUM_ASSUME_YES", "1")
        .with("TOLLGATE_ASSUME_YES", "1")
        .with("TOLLGATE_POSTURE", "off")
        .with("TOLLGATE_NO_PROJECT_CONFIG", "1");
    let rule = "commands:\n  - pattern: ^deploy\n    action: deny\n    reason: the pipeline deploys\n";
    home.write("work/.tollgate/policies/p.yml", rule);
    home.nobody("tollgate check 'rm -rf ~'").is(10, &["rm_rf_root"]);
    home.nobody("tollgate check 'deploy now'").is(20, &["project:^deploy"]);
    let shown = home.nobody("tollgate config show").text;
    let (settings, note) = shown.split_at(DEFAULTS.len());
    assert_eq!(settings, DEFAULTS);
    assert!(
        note.contains("It does not count: `TOLLGATE_POSTURE`: it would loosen `posture`"),
        "{note}"
    );
}

#[test]
fn m_31_every_layer_is_heard_and_says_where_it_stands() {
    let home = Home::new().with("TOLLGATE_APPROVALS_REMEMBER", "false");
    home.write("config/config.toml", "[breaker]\nthreshold = 3\n");
    home.write("work/.tollgate/config.toml", "# ours\nposture = \"strict\"\n");
    let shown = home.nobody("tollgate config show --origin").is(0, &[]).text;
    let file = home.at("work/.tollgate/config.toml").display().to_string();
    for (line, from) in [
        ("posture = \"strict\"", format!("project {file}:2")),
        (
            "approvals.remember = false",
            "environment TOLLGATE_APPROVALS_REMEMBER".to_owned(),
        ),
        (
            "breaker.threshold = 3",
            format!("{}:2", home.at("config/config.toml").display()),
        ),
    ] {
        let found = shown.lines().find(|shown| shown.starts_with(line)).unwrap();
        assert!(found.ends_with(&format!("  # {from}")), "{found}");
    }
    home.nobody("tollgate check 'rm -rf ~'").is(20, &["rm_rf_root"]);
    home.nobody("tollgate status").is(0, &["posture      strict"]);
    home.nobody("tollgate check --posture guard 'rm -rf ~'").is(10, &[]);
    home.nobody("tollgate check --posture lax 'rm -rf ~'")
        .is(64, &["`strict`"]);
    home.nobody("cd / && tollgate config get posture").is(0, &["guard"]);
    assert_eq!(home.hook("rm -rf ~"), "deny");
}

#[test]
fn m_31_what_would_loosen_in_a_project_breaks_its_settings_and_is_named() {
    let home = Home::new();
    home.write("work/.tollgate/config.toml", "posture = \"observe\"\n");
    let said = "config.toml`, line 1: it would loosen `posture`";
    home.nobody("tollgate config show").is(125, &[said, "tollgate trust"]);
    home.nobody("tollgate policy doctor").is(1, &[said]);
    home.nobody("tollgate status").is(125, &[said]);
    home.nobody("tollgate doctor").is(0, &[said]);
    home.nobody("tollgate check 'touch a'")
        .is(10, &[said, "policy.set.broken"]);
    home.nobody("tollgate check 'rm -rf ~'").is(20, &["rm_rf_root"]);
    home.nobody("tollgate check 'cat a'").is(0, &[]);
    assert_eq!(home.hook("touch a"), "ask");
}

#[test]
fn m_31_a_variable_that_nobody_understands_breaks_the_settings() {
    let home = Home::new().with("TOLLGATE_POSTURE", "stric");
    home.nobody("tollgate config show")
        .is(125, &["`TOLLGATE_POSTURE`: it is `stric`"]);
    home.nobody("tollgate doctor").is(125, &["TOLLGATE_POSTURE"]);
    assert_eq!(home.hook("touch a"), "deny");
    assert_eq!(home.hook("cat a"), "");
}

#[test]
fn one_setting_is_read() {
    let home = Home::new();
    assert_eq!(
        home.nobody("tollgate config get breaker.threshold").is(0, &[]).text,
        "5\n"
    );
    assert_eq!(home.nobody("tollgate config get posture").is(0, &[]).text, "guard\n");
    home.nobody("tollgate config get breaker.treshold")
        .is(64, &["There is no setting `breaker.treshold`", "`breaker.threshold`"]);
}

#[test]
fn the_page_of_settings_has_every_key_with_its_value() {
    let page = include_str!("../../../../docs/settings.md");
    for line in DEFAULTS.lines() {
        let (key, value) = line.split_once(" = ").unwrap();
        assert!(page.contains(&format!("\n| `{key}` | `{value}` | ")), "{key}");
    }
}

#[test]
fn a_person_changes_one_setting_and_the_rest_of_the_file_stays() {
    if !people() {
        return;
    }
    let home = Home::new();
    let text = "# mine\nposture = \"guard\"  # for now\n\n[breaker]\nthreshold = 5\n";
    home.write("config/config.toml", text);
    home.person("tollgate config set posture strict")
        .is(0, &["posture: guard -> strict"]);
    assert_eq!(home.read("config/config.toml"), text.replace("\"guard\"", "\"strict\""));
    let mode = fs::metadata(home.at("config/config.toml"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let notes = home.notes("config");
    assert_eq!(notes.len(), 1);
    assert!(
        notes[0].starts_with("`posture` from `guard` to `strict` at /dev/pts/"),
        "{notes:?}"
    );
    home.person("tollgate config set posture strict").is(0, &["already"]);
    home.person("tollgate config set rules.disabled git_push_force,git_clean_force")
        .is(0, &["rules.disabled"]);
    home.nobody("tollgate check 'git clean -fdx'").is(0, &[]);
    assert_eq!(home.notes("config").len(), 2);
    home.nobody("tollgate log verify").is(0, &["intact"]);
}

#[test]
fn a_setting_that_another_layer_overrules_says_so() {
    if !people() {
        return;
    }
    let home = Home::new();
    home.write("work/.tollgate/config.toml", "posture = \"strict\"\n");
    home.person("cd ../work && tollgate config set posture observe").is(
        0,
        &[
            "guard -> observe",
            "It does not count here: `posture` is `strict`, as project",
        ],
    );
}

#[test]
fn a_value_that_is_none_changes_nothing() {
    if !people() {
        return;
    }
    let home = Home::new();
    let set = |words: &str, code: i32, said: &str| {
        let _said = home.person(&format!("tollgate config set {words}")).is(code, &[said]);
    };
    set("posture lax", 65, "`posture` cannot be `lax`");
    set("breaker.threshold 0", 65, "`breaker.threshold` cannot be `0`");
    set("breaker.threshold many", 65, "cannot be `many`");
    set("breaker.enabled perhaps", 65, "cannot be `perhaps`");
    set("rules.disabled git_push_farce", 65, "there is no rule `git_push_farce`");
    set("breaker.treshold 3", 64, "There is no setting");
    assert!(!home.at("config/config.toml").exists());
    assert!(home.notes("config").is_empty());
    // A file that is broken elsewhere is named; one that the change mends is mended.
    home.write("config/config.toml", "posture = \"lax\"\n");
    set("breaker.threshold 3", 125, "line 1: `posture` is `lax`");
    assert_eq!(home.read("config/config.toml"), "posture = \"lax\"\n");
    set("posture strict", 0, "posture: (broken) -> strict");
    home.write("config/config.toml", "posture = \n");
    set("posture strict", 125, "line 1");
}

#[test]
fn a_settings_file_that_is_a_link_stays_one() {
    if !people() {
        return;
    }
    let home = Home::new();
    home.write("dotfiles/c.toml", "# mine\n");
    symlink(home.at("dotfiles/c.toml"), home.at("config/config.toml")).unwrap();
    home.person("tollgate config set posture strict").is(0, &[]);
    assert!(home.at("config/config.toml").is_symlink());
    assert_eq!(home.read("dotfiles/c.toml"), "# mine\n\nposture = \"strict\"\n");
}

#[test]
fn only_a_person_at_a_terminal_changes_settings() {
    let home = Home::new();
    home.nobody("tollgate config set posture off")
        .is(20, &["change a setting"]);
    let agent = Home::new().with("CLAUDECODE", "1");
    for command in ["config set posture off", "config init", "config init --project"] {
        agent.person(&format!("tollgate {command}")).is(20, &["No agent can"]);
    }
    for one in [&home, &agent] {
        assert!(!one.at("config/config.toml").exists() && !one.at("work/.tollgate").exists());
        assert!(!one.notes("attempt").is_empty() && one.notes("config").is_empty());
    }
}

#[test]
fn the_schema_says_what_every_key_is() {
    let home = Home::new();
    let schema: Value = serde_json::from_str(&home.nobody("tollgate schema config").is(0, &[]).text).unwrap();
    assert_eq!(schema["additionalProperties"], false);
    let postures = serde_json::json!(["guard", "strict", "observe", "off"]);
    assert_eq!(schema["properties"]["posture"]["enum"], postures);
    let table = |name: &str| {
        let of = schema["properties"][name]["$ref"].as_str().unwrap();
        schema.pointer(of.trim_start_matches('#')).unwrap().clone()
    };
    for line in DEFAULTS.lines() {
        let (key, _) = line.split_once(" = ").unwrap();
        let property = match key.split_once('.') {
            None => schema["properties"][key].clone(),
            Some((name, key)) => table(name)["properties"][key].clone(),
        };
        assert!(
            property["description"].as_str().is_some_and(|text| !text.is_empty()),
            "{key}: {property}"
        );
    }
    assert_eq!(table("breaker")["properties"]["threshold"]["minimum"], 1);
    let rules = &table("rules")["properties"]["disabled"]["items"]["enum"];
    assert!(rules.as_array().unwrap().contains(&"git_push_force".into()));
    home.nobody("tollgate schema nothing")
        .is(64, &["`policy` and `config`"]);
}

#[test]
fn v_3405_a_project_gets_a_file_to_begin_with_and_nothing_is_written_over() {
    if !no_agent() {
        return;
    }
    let home = Home::new();
    let init = "cd ../work && mkdir -p src && cd src && tollgate config init --project";
    home.nobody(init).is(0, &[".tollgate/policies/project.yml"]);
    let text = home.read("work/.tollgate/policies/project.yml");
    assert!(text.starts_with("# yaml-language-server: $schema="));
    assert!(text.lines().all(|line| line.is_empty() || line.starts_with('#')));
    home.nobody("tollgate policy doctor").is(0, &["0 rules, nothing wrong"]);
    home.write("work/.tollgate/policies/project.yml", "# mine\n");
    home.nobody(init).is(1, &["is there already"]);
    assert_eq!(home.read("work/.tollgate/policies/project.yml"), "# mine\n");
    // What stands there as a comment would count without the `#`.
    home.write("work/.tollgate/policies/project.yml", &uncommented(&text));
    home.nobody("tollgate policy doctor").is(0, &["5 rules, nothing wrong"]);
    home.nobody("tollgate check 'terraform apply'")
        .is(20, &["project:^terraform apply"]);
}

/// The text without the `#` of lines that are no sentences.
fn uncommented(text: &str) -> String {
    let line = |line: &str| {
        let bare = line
            .strip_prefix('#')
            .filter(|rest| !rest.is_empty() && !rest.starts_with(' ') || rest.starts_with("  "));
        bare.unwrap_or(line).to_owned() + "\n"
    };
    text.lines().map(line).collect()
}

#[test]
fn a_link_that_came_with_the_project_is_not_followed() {
    if !no_agent() {
        return;
    }
    let home = Home::new();
    fs::create_dir(home.at("elsewhere")).unwrap();
    symlink(home.at("elsewhere"), home.at("work/.tollgate")).unwrap();
    home.nobody("tollgate config init --project").is(125, &["is a link"]);
    fs::remove_file(home.at("work/.tollgate")).unwrap();
    fs::create_dir_all(home.at("work/.tollgate/policies")).unwrap();
    symlink(home.at("elsewhere/x"), home.at("work/.tollgate/policies/project.yml")).unwrap();
    home.nobody("tollgate config init --project")
        .is(1, &["is there already"]);
    assert_eq!(fs::read_dir(home.at("elsewhere")).unwrap().count(), 0);
}

#[test]
fn settings_to_begin_with_say_what_holds_anyway() {
    if !no_agent() {
        return;
    }
    let home = Home::new();
    home.nobody("tollgate config init").is(0, &["config.toml"]);
    assert_eq!(home.nobody("tollgate config show").text, DEFAULTS);
    let text = home.read("config/config.toml");
    let settings: String = text
        .lines()
        .filter_map(|line| line.strip_prefix("# "))
        .filter(|line| {
            line.starts_with('[')
                || line
                    .split(" = ")
                    .next()
                    .is_some_and(|key| !key.contains(' ') && key != *line)
        })
        .map(|line| line.to_owned() + "\n")
        .collect();
    home.write("config/config.toml", &settings);
    assert_eq!(home.nobody("tollgate config show").is(0, &[]).text, DEFAULTS);
    let shown = home.nobody("tollgate config show --origin").text;
    assert!(!shown.contains("built-in"), "{shown}");
    home.nobody("tollgate config init").is(1, &["is there already"]);
    assert_eq!(home.read("config/config.toml"), settings);
}
