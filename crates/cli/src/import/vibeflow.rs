//! VibeFlow's `SETTINGS.json`.

use serde_json::{Value, json};

use super::{Import, SECRETS, entries, leaves, text};

/// Rules of a person's own that VibeFlow reads (spec F-2515).
const MOST: usize = 32;
/// Files that the template `protect-config` is about (spec F-2511).
const CONFIG: &[&str] = &[
    "tsconfig*.json",
    "biome.json",
    ".githooks/**",
    ".eslintrc*",
    ".prettierrc*",
];

const OWN: &str = "it is about VibeFlow's own work";
const ENVIRONMENT: &str = "agents are not started from here, so that their environment is theirs";

pub(super) fn take(value: &Value, import: &mut Import) {
    for (key, value) in leaves(value) {
        match key.as_str() {
            "hooks.custom" => custom(&key, value, import),
            "hooks.templates" => templates(&key, value, import),
            key if key.starts_with("envPolicy") => import.no_equal(key, ENVIRONMENT),
            key => import.no_equal(key, OWN),
        }
    }
}

fn custom(key: &str, value: &Value, import: &mut Import) {
    for (i, (key, rule)) in entries(key, value).into_iter().enumerate() {
        if i < MOST {
            own(&key, rule, import);
        } else {
            import.not_taken(&key, format!("VibeFlow itself reads no more than {MOST}"));
        }
    }
}

/// A literal in a command or a path, whose letters may be of either case. Its risk is a verdict (spec F-2503).
fn own(key: &str, rule: &Value, import: &mut Import) {
    let [name, kind, literal, risk, reason] =
        ["name", "kind", "pattern", "risk", "reason"].map(|key| text(rule, key).trim());
    let verdict = match risk {
        "medium" => "warn",
        "high" => "ask",
        "critical" => "deny",
        "none" | "low" => return import.no_equal(key, "of that risk it changes nothing"),
        _ => return import.not_taken(key, "its `risk` is none that VibeFlow reads"),
    };
    if literal.is_empty() {
        return import.not_taken(key, "it has no `pattern`");
    }
    let reason = [reason, name, "taken over from VibeFlow"]
        .into_iter()
        .find(|text| !text.is_empty());
    let reason = super::at_most(reason.unwrap_or_default(), 200);
    let told = format!("{verdict} on `{}`", super::at_most(literal, 80));
    match kind {
        "command" => {
            let rule = json!({"pattern": expression(literal), "action": verdict, "reason": reason});
            import.rule(key, "commands", rule, &told);
        }
        "file" => {
            let glob = format!("**{literal}**");
            let rule = json!({"glob": glob, "on": ["write", "patch"], "effect": verdict, "reason": reason});
            import.rule(key, "paths", rule, &told);
        }
        _ => import.not_taken(key, "its `kind` is neither `command` nor `file`"),
    }
}

/// An expression that finds the very text, in letters of either case.
fn expression(literal: &str) -> String {
    let escaped = literal.chars().map(|c| match c {
        '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' | '#' | '&' | '-' | '~' => {
            format!("\\{c}")
        }
        c => c.to_string(),
    });
    format!("(?i){}", escaped.collect::<String>())
}

fn templates(key: &str, value: &Value, import: &mut Import) {
    let on: Vec<&str> = value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    for name in [
        "block-destructive",
        "flag-installs",
        "protect-secrets",
        "protect-config",
        "workspace-guard",
    ] {
        let key = format!("{key}.{name}");
        match name {
            _ if !on.contains(&name) => import.not_taken(&key, "that it is off would loosen"),
            "block-destructive" => import.built_in(&key, &[], "built-in rules ask about what destroys"),
            "flag-installs" => import.built_in(
                &key,
                &["class.install_dependency"],
                "the class `install_dependency` warns",
            ),
            "protect-secrets" => import.built_in(&key, SECRETS, "`read_sensitive_creds` and `file_read_sensitive` ask"),
            "protect-config" => CONFIG.iter().for_each(|glob| config(&key, glob, import)),
            _ => workspace(&key, import),
        }
    }
}

fn config(key: &str, glob: &str, import: &mut Import) {
    let reason = "a file that builds and checks go by";
    let rule = json!({"glob": format!("**/{glob}"), "on": ["write", "patch"], "effect": "ask", "reason": reason});
    import.rule(key, "paths", rule, &format!("ask on writing `{glob}`"));
}

fn workspace(key: &str, import: &mut Import) {
    let rule = json!({
        "id": "vibeflow-workspace-guard", "on": ["write", "delete"], "label": "outside", "effect": "ask",
        "reason": "it leaves the workspace",
    });
    import.rule(key, "effects", rule, "ask on writing outside the project");
}
