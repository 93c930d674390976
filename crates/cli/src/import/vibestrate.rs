//! Vibestrate's `project.yml`, and the policy files beside it, whose lists ours have too.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Import, SECRETS, entries, leaves};
use crate::exit::Fault;
use crate::setup::files::io_fault;

const RUNS: &str = "agents are not run from here, so that there are no runs, stages and seats";
const SANDBOX: &str = "what passes runs as the agent runs it, without a sandbox";

/// `project.yml`, and the policy files by name.
pub(super) fn files(path: &Path) -> Result<Vec<PathBuf>, Fault> {
    let folder = Some(path.join(".vibestrate")).filter(|folder| folder.is_dir());
    let folder = folder.unwrap_or_else(|| path.to_path_buf());
    let mut files = Vec::new();
    let policies = folder.join("policies");
    if policies.is_dir() {
        for entry in policies.read_dir().map_err(|e| io_fault("read", &policies, &e))? {
            files.push(entry.map_err(|e| io_fault("read", &policies, &e))?.path());
        }
    }
    files.retain(|file| {
        file.is_file()
            && file
                .extension()
                .is_some_and(|ending| ending == "yml" || ending == "yaml")
    });
    files.sort();
    let project = folder.join("project.yml");
    Ok(Some(project)
        .filter(|file| file.is_file())
        .into_iter()
        .chain(files)
        .collect())
}

pub(super) fn parse(text: &str) -> Result<Value, String> {
    if text
        .lines()
        .all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
    {
        return Ok(Value::Null);
    }
    serde_saphyr::from_str(text).map_err(|e| e.to_string())
}

pub(super) fn take(path: &Path, value: &Value, import: &mut Import) {
    if value.get("actions").is_some() || value.get("rules").is_some() {
        let file = path.file_stem().unwrap_or_default().to_string_lossy();
        return policies(&file, value, import);
    }
    for (key, value) in leaves(value) {
        setting(&key, value, import);
    }
}

/// Both lists are read as they are.
fn policies(file: &str, value: &Value, import: &mut Import) {
    for (list, value) in value.as_object().into_iter().flatten() {
        let name = format!("{file}: {list}");
        let list = match list.as_str() {
            "actions" => "actions",
            "rules" => "rules",
            _ => {
                import.no_equal(&name, "no list of Vibestrate's policy files is known by that name");
                continue;
            }
        };
        for (key, rule) in entries(&name, value) {
            let id = super::at_most(super::text(rule, "id"), 60);
            import.rule(&key, list, rule.clone(), &format!("`{id}`"));
        }
    }
}

fn setting(key: &str, value: &Value, import: &mut Import) {
    let on = value.as_bool() == Some(true);
    let (table, _) = key.split_once('.').unwrap_or((key, ""));
    match key {
        "policies.protectedPaths" => entries(key, value)
            .iter()
            .for_each(|(key, glob)| protected(key, glob, import)),
        "policies.unprotectedPaths" => import.not_taken(
            key,
            "it would loosen; put paths and a reason into `[paths] unprotected` of `config.toml`",
        ),
        "policies.forbidAutoPush" if on => import.rule(key, "classes", json!({"push_code": "ask"}), "`push_code: ask`"),
        "policies.forbidSecretsAccess" if on => {
            import.built_in(key, SECRETS, "`read_sensitive_creds` and `file_read_sensitive` ask")
        }
        "policies.forbidAutoPush" | "policies.forbidSecretsAccess" => import.not_taken(key, "it would loosen"),
        "policies.forbidMainBranchWrites" => import.no_equal(key, "rules do not know the branch"),
        _ if table == "execution" => import.no_equal(key, SANDBOX),
        _ => import.no_equal(key, RUNS),
    }
}

fn protected(key: &str, glob: &Value, import: &mut Import) {
    let glob = glob.as_str().unwrap_or_default();
    let rule = json!({
        "glob": glob, "on": ["write", "patch"], "effect": "ask", "reason": "a protected path of Vibestrate",
    });
    import.rule(
        key,
        "paths",
        rule,
        &format!("ask on writing `{}`", super::at_most(glob, 80)),
    );
}
