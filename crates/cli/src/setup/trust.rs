//! The trust table in Codex's `config.toml`: Codex runs a hook only while the hash that it names is the hook's.

use std::fmt::Display;

use crate::setup::json;
use crate::setup::site::Site;
use toml_edit::{DocumentMut, Item, Table, value};

/// The text with the hook trusted, everything else as it stands.
pub(crate) fn with_trust(text: &str, key: &str, hash: &str) -> Result<String, String> {
    let mut document = parse(text)?;
    let hooks = table(document.as_table_mut(), "hooks")?;
    let state = table(hooks, "state").map_err(|e| format!("hooks.{e}"))?;
    let entry = table(state, key).map_err(|e| format!("hooks.state.{e}"))?;
    entry.set_implicit(false);
    for (name, item) in [("enabled", value(true)), ("trusted_hash", value(hash))] {
        let same = entry
            .get(name)
            .map(|old| old.to_string().trim() == item.to_string().trim());
        if same != Some(true) {
            entry.insert(name, item);
        }
    }
    Ok(document.to_string())
}

/// The text without the trust of our hooks, by their places in the text of the settings, whichever of its names the file goes
/// by. Codex counts hooks by their position, so the trust of those behind one moves up with them.
pub(crate) fn without_trust(text: &str, site: &Site, settings: &str) -> Result<String, String> {
    let mut text = text.to_owned();
    for event in site.agent.events().iter().copied().chain(site.agent.hears()) {
        let Some(position) = json::position_in(settings, site.agent, event) else {
            continue;
        };
        text = without(&text, &site.named.to_string_lossy(), event, position)?;
        if site.named != site.settings {
            text = without(&text, &site.settings.to_string_lossy(), event, position)?;
        }
    }
    Ok(text)
}

fn without(text: &str, file: &str, event: &str, position: usize) -> Result<String, String> {
    let event = snake(event);
    let mut document = parse(text)?;
    let state = document
        .get_mut("hooks")
        .and_then(Item::as_table_mut)
        .and_then(|hooks| hooks.get_mut("state"))
        .and_then(Item::as_table_mut);
    let Some(state) = state else { return Ok(text.to_owned()) };
    let keys: Vec<String> = state.iter().map(|(key, _)| key.to_owned()).collect();
    let mut moved = Vec::new();
    for key in keys {
        let Some((group, rest)) = place(&key, file, &event) else {
            continue;
        };
        if group < position {
            continue;
        }
        let item = state.remove(&key);
        if let (Some(item), true) = (item, group > position) {
            moved.push((format!("{file}:{event}:{}:{rest}", group - 1), item));
        }
    }
    for (key, item) in moved {
        state.insert(&key, item);
    }
    drop_empty(&mut document);
    Ok(document.to_string())
}

/// The hash with which the hook at `position` is trusted, whichever of its names that goes by.
pub(crate) fn stored(text: &str, site: &Site, position: usize) -> Result<Option<String>, String> {
    let document = parse(text)?;
    let state = document.get("hooks").and_then(|hooks| hooks.get("state"));
    let names = [&site.named, &site.settings].map(|file| key(&file.to_string_lossy(), position));
    let trusted = names
        .iter()
        .filter_map(|name| state?.get(name))
        .find(|entry| entry.get("enabled").and_then(Item::as_bool) != Some(false));
    Ok(trusted.and_then(|entry| entry.get("trusted_hash")?.as_str().map(str::to_owned)))
}

/// The name of the first handler of a group of the event.
pub(crate) fn key(file: &str, group: usize) -> String {
    format!("{file}:{EVENT}:{group}:0")
}

/// An event as Codex's keys have it.
fn snake(event: &str) -> String {
    let mut name = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// Whether hooks are switched off as a whole.
pub(crate) fn hooks_off(text: &str) -> Result<bool, String> {
    let document = parse(text)?;
    let on = document
        .get("features")
        .and_then(|features| features.get("hooks"))
        .and_then(Item::as_bool);
    Ok(on == Some(false))
}

/// The event of our question in Codex's keys.
const EVENT: &str = "pre_tool_use";
/// What only its keys hold.
pub(crate) const ASKED: &str = ":pre_tool_use:";

/// The group and the rest of a key that belongs to the event in `file`.
fn place<'k>(key: &'k str, file: &str, event: &str) -> Option<(usize, &'k str)> {
    let rest = key
        .strip_prefix(file)?
        .strip_prefix(':')?
        .strip_prefix(event)?
        .strip_prefix(':')?;
    let (group, rest) = rest.split_once(':')?;
    Some((group.parse().ok()?, rest))
}

fn parse(text: &str) -> Result<DocumentMut, String> {
    text.parse().map_err(|e: toml_edit::TomlError| {
        let at = e.span().map_or(0, |span| span.start);
        let line = text.get(..at).unwrap_or_default().matches('\n').count() + 1;
        format!("line {line}: {}", e.message())
    })
}

/// The table of that name, made where it is absent without a header of its own.
fn table(parent: &mut Table, name: impl AsRef<str> + Display) -> Result<&mut Table, String> {
    let item = parent.entry(name.as_ref()).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    item.as_table_mut().ok_or_else(|| format!("{name} is not a table"))
}

/// Takes away `hooks.state` and `hooks` where nothing is left in them.
fn drop_empty(document: &mut DocumentMut) {
    let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_mut) else {
        return;
    };
    if hooks.get("state").and_then(Item::as_table).is_some_and(Table::is_empty) {
        hooks.remove("state");
    }
    if hooks.is_empty() {
        document.remove("hooks");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "/h/.codex/hooks.json:pre_tool_use:0:0";
    const TABLE: &str =
        "\n[hooks.state.\"/h/.codex/hooks.json:pre_tool_use:0:0\"]\nenabled = true\ntrusted_hash = \"sha256:ab\"\n";

    /// The trusted hash under a key, unless the hook is switched off there.
    fn trusted(text: &str, key: &str) -> Option<String> {
        let document = parse(text).ok()?;
        let entry = document.get("hooks")?.get("state")?.get(key)?;
        let on = entry.get("enabled").and_then(Item::as_bool).unwrap_or(true);
        on.then(|| entry.get("trusted_hash")?.as_str().map(str::to_owned))
            .flatten()
    }

    #[test]
    fn trust_goes_in_and_out_and_leaves_the_rest() {
        for text in [
            "",
            "model = \"x\" # mine\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n",
        ] {
            let with = with_trust(text, KEY, "sha256:ab").unwrap();
            assert_eq!(
                with,
                format!("{text}{}", if text.is_empty() { TABLE.trim_start() } else { TABLE })
            );
            assert_eq!(with_trust(&with, KEY, "sha256:ab").unwrap(), with);
            assert_eq!(trusted(&with, KEY).as_deref(), Some("sha256:ab"));
            assert_eq!(without(&with, "/h/.codex/hooks.json", "PreToolUse", 0).unwrap(), text);
        }
    }

    #[test]
    fn a_new_hash_replaces_the_old_one() {
        let with = with_trust(TABLE, KEY, "sha256:cd").unwrap();
        assert_eq!(with, TABLE.replace(":ab", ":cd"));
    }

    #[test]
    fn trust_of_hooks_behind_ours_moves_up() {
        let text = format!(
            "{TABLE}{}{}",
            TABLE.replace(":0:0", ":1:0").replace(":ab", ":cd"),
            TABLE.replace("/h/", "/other/")
        );
        let without = without(&text, "/h/.codex/hooks.json", "PreToolUse", 0).unwrap();
        assert_eq!(trusted(&without, KEY).as_deref(), Some("sha256:cd"));
        assert_eq!(trusted(&without, "/h/.codex/hooks.json:pre_tool_use:1:0"), None);
        assert!(without.contains("/other/"));
    }

    #[test]
    fn switches_are_read() {
        assert_eq!(hooks_off("[features]\nhooks = false\n"), Ok(true));
        assert_eq!(hooks_off("features.hooks = true\n"), Ok(false));
        assert_eq!(
            hooks_off("a = 1\nb = \n").unwrap_err(),
            "line 2: string values must be quoted, expected literal string"
        );
        assert_eq!(trusted(&TABLE.replace("true", "false"), KEY), None);
    }

    #[test]
    fn a_value_in_the_way_is_named() {
        assert_eq!(with_trust("hooks = 3\n", KEY, "x").unwrap_err(), "hooks is not a table");
    }
}
