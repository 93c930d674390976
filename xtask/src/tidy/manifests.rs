//! Walls between crates.

use super::Finding;
use super::files::Files;

/// The crates of the house from the ground up. A crate may use only what stands before it.
const ORDER: [&str; 17] = [
    "shell",
    "rulebook",
    "policy",
    "scrub",
    "agents",
    "ledger",
    "snapshot",
    "broker",
    "views",
    "sandbox",
    "runner",
    "live",
    "supervise",
    "skills",
    "console",
    "hook",
    "cli",
];

/// What the hook may use. It is started for every call of an agent's tools, so whatever it links costs each of them.
const HOOK: [&str; 8] = [
    "shell", "rulebook", "policy", "scrub", "agents", "ledger", "snapshot", "broker",
];

/// Crates that speak to the network. Only `cli` may use one, for what a person tells it to send.
const CLIENTS: [&str; 8] = [
    "ureq",
    "rustls",
    "reqwest",
    "hyper",
    "curl",
    "tokio",
    "native-tls",
    "minreq",
];

/// There is no crate that everything may use, such as `utils`: code lives where it belongs.
pub(super) fn known_crates(files: &Files) -> Vec<Finding> {
    let unknown = files.manifests().filter(|(folder, ..)| !ORDER.contains(folder));
    unknown
        .map(|(folder, path, _)| finding(path, format!("`{folder}` has no place in the order of the house")))
        .collect()
}

/// What is pure stays pure only if it cannot reach what is not.
pub(super) fn dependency_order(files: &Files) -> Vec<Finding> {
    files
        .manifests()
        .flat_map(|(folder, path, text)| out_of_order(folder, path, text))
        .collect()
}

fn out_of_order(folder: &str, path: &str, text: &str) -> Vec<Finding> {
    let manifest: toml::Table = match toml::from_str(text) {
        Ok(manifest) => manifest,
        Err(error) => return vec![finding(path, format!("cannot be read: {error}"))],
    };
    let own = ORDER.iter().position(|name| *name == folder).unwrap_or(ORDER.len());
    let used = manifest.get("dependencies").and_then(toml::Value::as_table);
    let names = used.into_iter().flat_map(toml::Table::keys).map(String::as_str);
    names
        .filter_map(|name| wrong_use(folder, own, name))
        .map(|why| finding(path, why))
        .collect()
}

fn wrong_use(folder: &str, own: usize, name: &str) -> Option<String> {
    if folder != "cli" && CLIENTS.contains(&name) {
        return Some(format!("`{folder}` uses `{name}`, which speaks to the network"));
    }
    let place = ORDER.iter().position(|other| *other == name)?;
    if place >= own {
        return Some(format!("`{folder}` uses `{name}`, which does not stand before it"));
    }
    let foreign = folder == "hook" && !HOOK.contains(&name);
    foreign.then(|| format!("the hook uses `{name}`, which is not on its path"))
}

/// The lints are the other half of the walls. Only the sandbox has its own, for only it may be unsafe.
pub(super) fn lints(files: &Files) -> Vec<Finding> {
    let mut findings: Vec<Finding> = files
        .manifests()
        .filter(|(folder, _, text)| *folder != "sandbox" && !takes_lints(text))
        .map(|(_, path, _)| finding(path, "does not take the lints of the workspace"))
        .collect();
    let forbids = files
        .get("Cargo.toml")
        .is_some_and(|text| text.contains("unsafe_code = \"forbid\""));
    if !forbids {
        findings.push(finding("Cargo.toml", "does not forbid unsafe code"));
    }
    findings
}

fn takes_lints(text: &str) -> bool {
    let manifest: toml::Table = toml::from_str(text).unwrap_or_default();
    manifest
        .get("lints")
        .and_then(|lints| lints.get("workspace"))
        .and_then(toml::Value::as_bool)
        == Some(true)
}

fn finding(path: &str, why: impl Into<String>) -> Finding {
    Finding {
        place: path.to_owned(),
        why: why.into(),
    }
}
