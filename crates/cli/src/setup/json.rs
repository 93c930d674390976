//! Edits of a settings file in JSON that leave everything else as it stands: order, blanks, comments.

use agents::json::{self, Json};
use agents::{Agent, EVENT, Entry, Value};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};

/// The text with our entry in it: at its old place where it was there before, else as the last group, because Codex
/// remembers by position which hooks a person trusts.
pub(crate) fn with_entry(text: &str, agent: Agent, entry: &Entry) -> Result<String, String> {
    let (mark, body) = split_mark(text);
    let root = parse(if body.trim().is_empty() { "{}\n" } else { body })?;
    let object = root.object_value().ok_or("the file does not hold an object")?;
    let hooks = one(&object, "hooks")?
        .object_value_or_create("hooks")
        .ok_or("`hooks` is not an object")?;
    let groups = one(&hooks, EVENT)?
        .array_value_or_create(EVENT)
        .ok_or(format!("`hooks.{EVENT}` is not a list"))?;
    put(&groups, agent, entry);
    Ok(format!("{mark}{root}"))
}

/// The text without any entry of ours, and without the containers that this leaves empty.
pub(crate) fn without_entry(text: &str, agent: Agent) -> Result<String, String> {
    let (mark, body) = split_mark(text);
    if body.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let root = parse(body)?;
    let hooks = root.object_value().and_then(|object| object.object_value("hooks"));
    let groups = hooks.as_ref().and_then(|hooks| hooks.array_value(EVENT));
    let (Some(hooks), Some(groups)) = (hooks, groups) else {
        return Ok(text.to_owned());
    };
    let ours = our_groups(&groups, agent);
    if ours.is_empty() {
        return Ok(text.to_owned());
    }
    ours.into_iter().for_each(|group| group.remove_ours(agent));
    if groups.elements().is_empty() {
        hooks.get(EVENT).into_iter().for_each(|event| event.remove());
    }
    if hooks.properties().is_empty() {
        root.object_value()
            .and_then(|object| object.get("hooks"))
            .into_iter()
            .for_each(|hooks| hooks.remove());
    }
    Ok(format!("{mark}{root}"))
}

/// Where our entry stands: the index of its group among all groups of the event.
pub(crate) fn position(text: &str, agent: Agent) -> Option<usize> {
    let root = parse(split_mark(text).1).ok()?;
    let groups = root.object_value()?.object_value("hooks")?.array_value(EVENT)?;
    groups
        .elements()
        .iter()
        .position(|group| Group::of(group).is_some_and(|group| !group.ours(agent).is_empty()))
}

/// Whether exactly this entry stands in the file, once, in a group of its own.
pub(crate) fn has_entry(text: &str, agent: Agent, entry: &Entry) -> bool {
    with_entry(text, agent, entry).is_ok_and(|edited| edited == text)
}

/// Puts the entry where ours stood, or at the end.
fn put(groups: &CstArray, agent: Agent, entry: &Entry) {
    let mut ours = our_groups(groups, agent).into_iter();
    match ours.next() {
        Some(first) if first.is(agent, entry) => {}
        Some(first) if first.handlers.elements().len() == first.ours(agent).len() => {
            first.group.replace_with(input(entry));
        }
        Some(shared) => {
            shared.remove_ours(agent);
            groups.append(input(entry));
        }
        None => {
            groups.append(input(entry));
            return;
        }
    }
    ours.for_each(|double| double.remove_ours(agent));
}

/// A group with its list of handlers.
struct Group {
    group: CstObject,
    handlers: CstArray,
}

impl Group {
    fn of(node: &CstNode) -> Option<Self> {
        let group = node.as_object()?;
        let handlers = group.array_value("hooks")?;
        Some(Self { group, handlers })
    }

    /// The handlers that run our hook.
    fn ours(&self, agent: Agent) -> Vec<CstNode> {
        self.handlers
            .elements()
            .into_iter()
            .filter(|node| agent.runs_us(&value(node)))
            .collect()
    }

    /// Whether this is exactly the entry.
    fn is(&self, agent: Agent, entry: &Entry) -> bool {
        let handlers = self.handlers.elements();
        let matcher = self
            .group
            .get("matcher")
            .and_then(|prop| prop.value())
            .map(|node| value(&node));
        handlers.len() == 1
            && self.ours(agent).len() == 1
            && matcher == Some(Json::String(entry.matcher.to_owned()))
            && handlers.first().map(value) == Some(entry.handler_json())
    }

    fn remove_ours(self, agent: Agent) {
        self.ours(agent).into_iter().for_each(CstNode::remove);
        if self.handlers.elements().is_empty() {
            self.group.remove();
        }
    }
}

fn our_groups(groups: &CstArray, agent: Agent) -> Vec<Group> {
    let groups = groups.elements();
    groups
        .iter()
        .filter_map(Group::of)
        .filter(|group| !group.ours(agent).is_empty())
        .collect()
}

/// The value of a node; null where it is not strict JSON, which is never one of our handlers.
fn value(node: &CstNode) -> Json {
    json::parse(node.to_string().as_bytes()).unwrap_or(Json::Null)
}

fn parse(text: &str) -> Result<CstRootNode, String> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    CstRootNode::parse(text, &options)
        .map_err(|e| format!("line {}, column {}: {}", e.line_display(), e.column_display(), e.kind()))
}

/// The object, unless it has two entries of that name: editing one would leave the other in force.
fn one<'o>(object: &'o CstObject, name: &str) -> Result<&'o CstObject, String> {
    let count = object
        .properties()
        .iter()
        .filter(|prop| prop.decoded_name().as_deref() == Some(name))
        .count();
    if count > 1 {
        Err(format!("`{name}` stands there twice"))
    } else {
        Ok(object)
    }
}

/// A byte order mark, and the rest.
fn split_mark(text: &str) -> (&str, &str) {
    text.strip_prefix('\u{feff}')
        .map_or(("", text), |body| ("\u{feff}", body))
}

fn input(entry: &Entry) -> CstInputValue {
    let field = |(name, value): &(&str, Value)| {
        let value = match value {
            Value::Text(text) => CstInputValue::String(text.clone()),
            Value::List(items) => CstInputValue::Array(items.iter().cloned().map(CstInputValue::String).collect()),
            Value::Number(n) => CstInputValue::Number(n.to_string()),
        };
        ((*name).to_owned(), value)
    };
    let handler = CstInputValue::Object(entry.handler.iter().map(field).collect());
    CstInputValue::Object(vec![
        ("matcher".to_owned(), CstInputValue::String(entry.matcher.to_owned())),
        ("hooks".to_owned(), CstInputValue::Array(vec![handler])),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        Agent::Claude.entry(&agents::Places {
            hook: "/d/tollgate-hook".into(),
            config: "/c".into(),
            state: "/s".into(),
            data: "/d".into(),
        })
    }

    const OURS: &str = r#"{
        "matcher": "*",
        "hooks": [
          {
            "type": "command",
            "command": "/d/tollgate-hook",
            "args": ["claude", "--config", "/c", "--state", "/s", "--data", "/d"],
            "timeout": 60,
            "onFailure": "block"
          }
        ]
      }"#;

    fn put(text: &str) -> String {
        let once = with_entry(text, Agent::Claude, &entry()).unwrap();
        assert_eq!(
            with_entry(&once, Agent::Claude, &entry()).unwrap(),
            once,
            "a second time changes nothing"
        );
        assert!(has_entry(&once, Agent::Claude, &entry()));
        once
    }

    /// The entry goes in and out, and what was there before is there again.
    fn there_and_back(text: &str) -> String {
        let with = put(text);
        assert_eq!(without_entry(&with, Agent::Claude).unwrap(), text, "{with}");
        with
    }

    #[test]
    fn an_absent_file_becomes_one_with_our_entry() {
        assert_eq!(
            put(""),
            format!("{{\n  \"hooks\": {{\n    \"PreToolUse\": [\n      {OURS}\n    ]\n  }}\n}}\n")
        );
    }

    #[test]
    fn foreign_hooks_comments_and_order_stay() {
        let text = "{\n  // mine\n  \"model\": \"opus\", /* b */\n  \"hooks\": {\n    \"Stop\": [], // done\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"other\"}]} // theirs\n    ]\n  },\n  \"env\": {\"A\": \"1\"}\n}\n";
        let with = there_and_back(text);
        assert!(
            with.contains(OURS) && with.find("other") < with.find("tollgate-hook"),
            "{with}"
        );
    }

    #[test]
    fn many_shapes_of_files_come_back_as_they_were() {
        for text in [
            "{}",
            "{}\n",
            "{\n\t\"a\": 1\n}\n",
            "{\r\n  \"a\": 1\r\n}\r\n",
            "\u{feff}{\n  \"a\": 1\n}\n",
            "{\n    \"a\": [1, 2],\n}\n",
            "// top\n{\n  \"a\": 1 // one\n  // end\n}\n// bottom\n",
        ] {
            there_and_back(text);
        }
    }

    #[test]
    fn a_file_of_one_line_may_get_more_lines_and_nothing_else() {
        let squeeze = |text: &str| text.split_whitespace().collect::<String>();
        for text in [
            "{\"a\":1}",
            "{ \"a\": 1, \"b\": [ ] }",
            "{\"hooks\":{\"Stop\":[]}}",
            "{\n}\n",
        ] {
            let without = without_entry(&put(text), Agent::Claude).unwrap();
            assert_eq!(squeeze(&without), squeeze(text));
        }
    }

    #[test]
    fn an_old_entry_is_replaced_at_its_place() {
        let old = OURS.replace("/d/", "/old/").replace("\"*\"", "\"Bash\"");
        let foreign = r#"{"matcher":"X","hooks":[]}"#;
        let text = format!("{{\"hooks\":{{\"PreToolUse\":[{old},{foreign},{old}]}}}}");
        let with = put(&text);
        assert_eq!(with.matches("tollgate-hook").count(), 1);
        assert_eq!(position(&with, Agent::Claude), Some(0));
        assert!(with.contains(foreign) && !with.contains("/old/"), "{with}");
    }

    #[test]
    fn a_group_shared_with_a_foreign_handler_keeps_it() {
        let text = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"a"},{"type":"command","command":"/x/tollgate-hook claude"}]}]}}"#;
        let with = put(text);
        assert_eq!(
            (with.matches("tollgate-hook").count(), position(&with, Agent::Claude)),
            (1, Some(1))
        );
        let without = without_entry(text, Agent::Claude).unwrap();
        assert!(without.contains(r#"[{"type":"command","command":"a"}]"#), "{without}");
    }

    #[test]
    fn files_that_would_be_misread_are_not_touched() {
        for (text, why) in [
            ("[]", "object"),
            ("{\"hooks\": 3}", "`hooks` is not an object"),
            ("{\"hooks\": {\"PreToolUse\": {}}}", "`hooks.PreToolUse` is not a list"),
            ("{\"hooks\": {}, \"hooks\": {}}", "`hooks` stands there twice"),
            ("{\n  \"a\": 'x'\n}", "line 2, column 8"),
            ("{\n  \"a\": 1", "line 1"),
        ] {
            let error = with_entry(text, Agent::Claude, &entry()).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
