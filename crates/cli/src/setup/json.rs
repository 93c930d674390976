//! Edits of a settings file in JSON that leave everything else as it stands: order, blanks, comments.

use agents::json::{self, Json};
use agents::{Agent, Form, Hook, Value};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};

/// The text with our handler in it: at its old place where it was there before, else as the last one, because Codex
/// remembers by position which hooks a person trusts.
pub(crate) fn with_handler(text: &str, agent: Agent, handler: &Fields) -> Result<String, String> {
    let (mark, body) = split_mark(text);
    let root = parse(if body.trim().is_empty() { "{}\n" } else { body })?;
    let object = root.object_value().ok_or("the file does not hold an object")?;
    if agent.is_versioned() && one(&object, "version")?.get("version").is_none() {
        object.insert(0, "version", CstInputValue::Number("1".to_owned()));
    }
    let hooks = if agent.has_events_on_top() {
        object
    } else {
        one(&object, "hooks")?
            .object_value_or_create("hooks")
            .ok_or("`hooks` is not an object")?
    };
    let hears = Hook::Handler(handler.to_vec()).hears();
    let questions = agent.events().iter().map(|event| (*event, handler, agent.matcher()));
    // What is heard is heard whatever it is about: Gemini CLI compares the text for all tools with other things there.
    for (event, handler, matcher) in questions.chain(agent.hears().map(|event| (event, hears.as_slice(), None))) {
        let items = one(&hooks, event)?
            .array_value_or_create(event)
            .ok_or(format!("`hooks.{event}` is not a list"))?;
        put(&items, agent, handler, matcher);
    }
    Ok(format!("{mark}{root}"))
}

/// The text with these switches set, `KEY = VALUE` each.
pub(crate) fn with_pins(text: &str, pins: &[&str]) -> Result<String, String> {
    let root = parse(text)?;
    let mut object = root.object_value().ok_or("the file does not hold an object")?;
    for pin in pins {
        let (key, value) = pin.split_once(" = ").ok_or("a pin is a key and its value")?;
        let mut names: Vec<&str> = key.split('.').collect();
        let last = names.pop().unwrap_or_default();
        for name in names {
            object = object
                .object_value_or_create(name)
                .ok_or(format!("`{name}` is not an object"))?;
        }
        let value = CstInputValue::Bool(value == "true");
        match object.get(last) {
            Some(property) => property.set_value(value),
            None => drop(object.append(last, value)),
        }
        object = root.object_value().ok_or("the file does not hold an object")?;
    }
    Ok(root.to_string())
}

/// The text without any handler of ours, and without the containers that this leaves empty.
pub(crate) fn without_handler(text: &str, agent: Agent) -> Result<String, String> {
    let (mark, body) = split_mark(text);
    if body.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let root = parse(body)?;
    let Some(hooks) = events(&root, agent) else {
        return Ok(text.to_owned());
    };
    let mut any = false;
    for event in agent.events().iter().copied().chain(agent.hears()) {
        let Some(items) = hooks.array_value(event) else {
            continue;
        };
        let ours = our_items(&items, agent);
        if ours.is_empty() {
            continue;
        }
        any = true;
        ours.into_iter().for_each(|item| item.remove_ours(agent));
        if items.elements().is_empty() {
            hooks.get(event).into_iter().for_each(|event| event.remove());
        }
    }
    if any && !agent.has_events_on_top() && hooks.properties().is_empty() {
        root.object_value()
            .and_then(|object| object.get("hooks"))
            .into_iter()
            .for_each(|hooks| hooks.remove());
    }
    Ok(format!("{mark}{root}"))
}

/// Where our handler for calls stands: its index, or that of its group, among all of the event.
pub(crate) fn position(text: &str, agent: Agent) -> Option<usize> {
    position_in(text, agent, agent.event())
}

/// The same for any event.
pub(crate) fn position_in(text: &str, agent: Agent, event: &str) -> Option<usize> {
    let root = parse(split_mark(text).1).ok()?;
    let items = events(&root, agent)?.array_value(event)?;
    items
        .elements()
        .iter()
        .position(|item| Item::of(item, agent).is_some_and(|item| !item.ours(agent).is_empty()))
}

/// Every value that stands at a place of a file, `.` between the names. Readers differ in comments, trailing commas and in
/// which of two entries of a name counts; whatever one of them could read is among them.
pub(crate) fn values(text: &str, place: &str) -> Vec<Json> {
    let root = parse(split_mark(text).1).ok().and_then(|root| root.value());
    place
        .split('.')
        .fold(root.into_iter().collect::<Vec<_>>(), |nodes, name| {
            let objects = nodes.iter().filter_map(CstNode::as_object);
            let entries = objects.flat_map(|object| object.properties());
            entries
                .filter(|entry| entry.decoded_name().as_deref() == Some(name))
                .filter_map(|entry| entry.value())
                .collect()
        })
        .iter()
        .map(value)
        .collect()
}

/// Whether the agent reads the file at all; else what is wrong with it.
pub(crate) fn readable(text: &str, agent: Agent) -> Result<(), String> {
    let body = split_mark(text).1;
    if agent.reads_comments() {
        let options = ParseOptions {
            allow_comments: true,
            ..strict()
        };
        return CstRootNode::parse(body, &options).map(drop).map_err(|e| in_words(&e));
    }
    json::parse_of("it", body.as_bytes())
        .map(drop)
        .map_err(|refusal| refusal.sentence)
}

/// The object in which the events stand.
pub(crate) fn events(root: &CstRootNode, agent: Agent) -> Option<CstObject> {
    let object = root.object_value()?;
    if agent.has_events_on_top() {
        Some(object)
    } else {
        object.object_value("hooks")
    }
}

/// A handler's fields.
type Fields = [(&'static str, Value)];

/// Puts the handler where ours stood, or at the end.
fn put(items: &CstArray, agent: Agent, handler: &Fields, matcher: Option<&str>) {
    let mut ours = our_items(items, agent).into_iter();
    match ours.next() {
        Some(first) if first.is(agent, handler, matcher) => {}
        Some(first) if first.all_ours(agent) => {
            first.item.replace_with(input(agent, handler, matcher));
        }
        Some(shared) => {
            shared.remove_ours(agent);
            items.append(input(agent, handler, matcher));
        }
        None => {
            items.append(input(agent, handler, matcher));
            return;
        }
    }
    ours.for_each(|double| double.remove_ours(agent));
}

/// One item of an event's list: a handler, or a group with its list of handlers.
struct Item {
    item: CstObject,
    handlers: Option<CstArray>,
}

impl Item {
    fn of(node: &CstNode, agent: Agent) -> Option<Self> {
        let item = node.as_object()?;
        let handlers = match agent.form() {
            Form::Groups => Some(item.array_value("hooks")?),
            Form::Handlers | Form::File => None,
        };
        Some(Self { item, handlers })
    }

    /// The handlers in it.
    fn handlers(&self) -> Vec<CstNode> {
        match &self.handlers {
            Some(list) => list.elements(),
            None => vec![self.item.clone().into()],
        }
    }

    /// The handlers that run our hook.
    fn ours(&self, agent: Agent) -> Vec<CstNode> {
        let mut handlers = self.handlers();
        handlers.retain(|node| agent.runs_us(&value(node)));
        handlers
    }

    fn all_ours(&self, agent: Agent) -> bool {
        self.handlers().len() == self.ours(agent).len()
    }

    /// Whether this is exactly the handler, with this matcher.
    fn is(&self, agent: Agent, handler: &Fields, wanted: Option<&str>) -> bool {
        let matcher = self.item.get("matcher").and_then(|prop| prop.value());
        let matcher = matcher.map(|node| value(&node));
        let wanted = wanted.map(|text| Json::String(text.to_owned()));
        let handlers = self.handlers();
        // Further fields of a group may mean that it is not for every call.
        let plain = self.item.properties().len() == 1 + usize::from(wanted.is_some());
        handlers.len() == 1
            && self.all_ours(agent)
            && (self.handlers.is_none() || matcher == wanted && plain)
            && handlers.first().map(value) == Some(Hook::Handler(handler.to_vec()).handler_json())
    }

    fn remove_ours(self, agent: Agent) {
        if self.all_ours(agent) {
            self.item.remove();
        } else {
            self.ours(agent).into_iter().for_each(CstNode::remove);
        }
    }
}

fn our_items(items: &CstArray, agent: Agent) -> Vec<Item> {
    let items = items.elements();
    items
        .iter()
        .filter_map(|item| Item::of(item, agent))
        .filter(|item| !item.ours(agent).is_empty())
        .collect()
}

/// The value of a node, without its comments and trailing commas; null where it holds something that is not JSON, which
/// is never one of our handlers.
pub(crate) fn value(node: &CstNode) -> Json {
    let text = node.to_serde_value().map(|value| value.to_string());
    json::parse(text.unwrap_or_default().as_bytes()).unwrap_or(Json::Null)
}

pub(crate) fn parse(text: &str) -> Result<CstRootNode, String> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        ..strict()
    };
    CstRootNode::parse(text, &options).map_err(|e| in_words(&e))
}

fn in_words(error: &jsonc_parser::errors::ParseError) -> String {
    let (line, column) = (error.line_display(), error.column_display());
    format!("line {line}, column {column}: {}", error.kind())
}

/// JSON as its standard has it.
const fn strict() -> ParseOptions {
    ParseOptions {
        allow_comments: false,
        allow_trailing_commas: false,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
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

/// The handler as it is written, in a group where there are groups.
fn input(agent: Agent, handler: &Fields, matcher: Option<&str>) -> CstInputValue {
    let field = |(name, value): &(&str, Value)| {
        let value = match value {
            Value::Text(text) => CstInputValue::String(text.clone()),
            Value::List(items) => CstInputValue::Array(items.iter().cloned().map(CstInputValue::String).collect()),
            Value::Number(n) => CstInputValue::Number(n.to_string()),
            Value::Bool(yes) => CstInputValue::Bool(*yes),
        };
        ((*name).to_owned(), value)
    };
    let handler = CstInputValue::Object(handler.iter().map(field).collect());
    if agent.form() != Form::Groups {
        return handler;
    }
    let matcher = matcher.map(|text| ("matcher".to_owned(), CstInputValue::String(text.to_owned())));
    let handlers = ("hooks".to_owned(), CstInputValue::Array(vec![handler]));
    CstInputValue::Object(matcher.into_iter().chain([handlers]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handler() -> Vec<(&'static str, Value)> {
        let hook = Agent::Claude.hook(&agents::Places {
            hook: "/d/tollgate-hook".into(),
            config: "/c".into(),
            state: "/s".into(),
            data: "/d".into(),
        });
        match hook {
            Hook::Handler(fields) => fields,
            Hook::File { .. } => panic!("a file"),
        }
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
        let once = with_handler(text, Agent::Claude, &handler()).unwrap();
        assert_eq!(
            with_handler(&once, Agent::Claude, &handler()).unwrap(),
            once,
            "a second time changes nothing"
        );
        once
    }

    /// The entry goes in and out, and what was there before is there again.
    fn there_and_back(text: &str) -> String {
        let with = put(text);
        assert_eq!(without_handler(&with, Agent::Claude).unwrap(), text, "{with}");
        with
    }

    #[test]
    fn f_2605_an_absent_file_becomes_one_with_our_entry() {
        let with = put("");
        let begins = format!("{{\n  \"hooks\": {{\n    \"PreToolUse\": [\n      {OURS}\n    ],\n");
        assert!(
            with.starts_with(&begins) && with.ends_with("\n    ]\n  }\n}\n"),
            "{with}"
        );
        for event in Agent::Claude.hears() {
            assert_eq!(position_in(&with, Agent::Claude, event), Some(0), "{event}");
        }
        assert_eq!(with.matches("\"--news\"").count(), Agent::Claude.hears().count());
    }

    #[test]
    fn foreign_hooks_comments_and_order_stay() {
        let text = "{\n  // mine\n  \"model\": \"opus\", /* b */\n  \"hooks\": {\n    \"Notification\": [], // done\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"other\"}]} // theirs\n    ]\n  },\n  \"env\": {\"A\": \"1\"}\n}\n";
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
            "{\"hooks\":{\"Notification\":[]}}",
            "{\n}\n",
        ] {
            let without = without_handler(&put(text), Agent::Claude).unwrap();
            assert_eq!(squeeze(&without), squeeze(text));
        }
    }

    #[test]
    fn an_old_entry_is_replaced_at_its_place() {
        let old = OURS.replace("/d/", "/old/").replace("\"*\"", "\"Bash\"");
        let foreign = r#"{"matcher":"X","hooks":[]}"#;
        let text = format!("{{\"hooks\":{{\"PreToolUse\":[{old},{foreign},{old}]}}}}");
        let with = put(&text);
        assert_eq!(with.matches("onFailure").count(), 1);
        assert_eq!(position(&with, Agent::Claude), Some(0));
        assert!(with.contains(foreign) && !with.contains("/old/"), "{with}");
    }

    #[test]
    fn a_group_shared_with_a_foreign_handler_keeps_it() {
        let text = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"a"},{"type":"command","command":"/x/tollgate-hook claude"}]}]}}"#;
        let with = put(text);
        assert_eq!(
            (with.matches("onFailure").count(), position(&with, Agent::Claude)),
            (1, Some(1))
        );
        let without = without_handler(text, Agent::Claude).unwrap();
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
            let error = with_handler(text, Agent::Claude, &handler()).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
