//! Vallum's `config.toml` and `.vallum.toml`.

use serde_json::{Value, json};

use super::{Import, entries, leaves, text};

const OUTPUT: &str = "what commands print is not changed here";

pub(super) fn take(value: &Value, import: &mut Import) {
    for (key, value) in leaves(value) {
        setting(&key, value, import);
    }
}

fn setting(key: &str, value: &Value, import: &mut Import) {
    let yes = value.as_bool();
    let (table, _) = key.split_once('.').unwrap_or((key, ""));
    match key {
        "security.guardrail" if yes == Some(true) => import.built_in(key, &[], "the built-in rules ask"),
        "security.guardrail" => import.not_taken(
            key,
            "it would let everything pass; `tollgate config set posture off` does that",
        ),
        "security.assume_yes" if yes == Some(false) => import.same(key, "nothing answers for a person"),
        "security.assume_yes" => import.not_taken(key, "it would answer for a person, and nothing here does"),
        "security.strict" if yes == Some(false) => import.same(key, "posture `guard`"),
        "security.strict" => import.not_taken(key, "`tollgate config set posture strict` is what comes near"),
        "security.circuit_breaker" => import.mirror(key, "breaker.enabled", value),
        "security.breaker_threshold" => import.mirror(key, "breaker.threshold", value),
        "security.breaker_window_secs" => import.mirror(key, "breaker.window_seconds", value),
        "security.breaker_cooldown_secs" => import.mirror(key, "breaker.cooldown_seconds", value),
        "security.approval_cache" => import.mirror(key, "approvals.remember", value),
        "security.approval_cache_ttl_days" => {
            import.no_equal(
                key,
                "every yes says for how many days it holds (`approvals approve ID --days N`)",
            );
        }
        "policy.disabled" => each(key, value, import, disabled),
        "policy.rules" => each(key, value, import, rule),
        "policy.allow" => each(key, value, import, allow),
        "audit.log_dir" => import.no_equal(key, "the ledger is in the state folder (`XDG_STATE_HOME`)"),
        "audit.raw_enabled" if yes == Some(false) => {
            import.same(key, "secrets are taken out before anything is stored")
        }
        "audit.raw_enabled" => import.not_taken(key, "secrets are taken out before anything is stored"),
        "audit.sanitized_enabled" if yes == Some(true) => import.same(key, "every decision is recorded"),
        "audit.sanitized_enabled" => import.not_taken(key, "nothing is answered that is not recorded"),
        "scrubber.extra_secret_patterns" => import.no_equal(key, "the forms of secrets are built in"),
        _ if matches!(table, "pipeline" | "scrubber" | "privacy" | "optimizer") => import.no_equal(key, OUTPUT),
        _ => import.no_equal(key, "no setting of Vallum is known by that name"),
    }
}

fn each(key: &str, value: &Value, import: &mut Import, one: fn(&str, &Value, &mut Import)) {
    let list = entries(key, value);
    if list.is_empty() {
        import.same(key, "there is nothing in it");
    }
    list.into_iter().for_each(|(key, entry)| one(&key, entry, import));
}

fn disabled(key: &str, name: &Value, import: &mut Import) {
    let name = name.as_str().unwrap_or_default();
    if ::policy::rule_ids().contains(&name) {
        let how = "it would loosen; put it into `[rules] disabled` with `tollgate config set rules.disabled`";
        import.not_taken(key, format!("`{name}` stays on: {how}"));
    } else {
        import.no_equal(key, &format!("there is no rule `{}` here", super::at_most(name, 60)));
    }
}

/// A rule asks or denies; to allow is no action (spec V-0301).
fn rule(key: &str, rule: &Value, import: &mut Import) {
    let [pattern, action, reason] = ["pattern", "action", "reason"].map(|key| text(rule, key));
    if !matches!(action, "ask" | "deny") {
        let said = format!(
            "`action` is `{}`, and a rule asks or denies",
            super::at_most(action, 60)
        );
        return import.not_taken(key, said);
    }
    let known = |table: &serde_json::Map<String, Value>| {
        table
            .keys()
            .all(|key| ["pattern", "action", "reason"].contains(&key.as_str()))
    };
    if !rule.as_object().is_some_and(known) {
        return import.not_taken(key, "it says more than `pattern`, `action` and `reason`");
    }
    let reason = if reason.is_empty() {
        "taken over from Vallum"
    } else {
        reason
    };
    let ours = json!({"pattern": pattern, "action": action, "reason": super::at_most(reason, 200)});
    import.rule(
        key,
        "commands",
        ours,
        &format!("{action} on `{}`", super::at_most(pattern, 80)),
    );
}

fn allow(key: &str, allow: &Value, import: &mut Import) {
    let [pattern, rule] = ["pattern", "suppresses"].map(|key| super::at_most(text(allow, key), 120));
    let how = "add it to `allow` in a policy file of yours";
    import.not_taken(
        key,
        format!("it would silence `{rule}` for commands like `{pattern}`; {how}"),
    );
}
