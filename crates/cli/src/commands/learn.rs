//! `tollgate learn`.

use broker::{Broker, Proposal};
use serde_json::{Value, json};

use crate::commands::log::{age, unreadable};
use crate::exit::{Exit, Fault};
use crate::setup::places;
use crate::ui::Ui;
use crate::view::safe;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only what is not older than this: `30m`, `12h`, `7d`.
    #[arg(long, value_name = "AGE", value_parser = age)]
    since: Option<std::time::Duration>,
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

/// Prints what a person can put into a policy file. It writes none: that is the person's to do.
pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let broker = Broker::open(places::find()?);
    let proposals = broker.learn(args.since).map_err(|e| unreadable(&e))?;
    if args.json {
        let rows: Vec<Value> = proposals.iter().map(as_json).collect();
        ui.line(json!({"format": 1, "proposals": rows}).to_string());
        return Ok(Exit::Done);
    }
    if proposals.is_empty() {
        ui.note("No question came three times that could be left out without harm.");
        return Ok(Exit::Done);
    }
    ui.line("# What `tollgate learn` proposes, for a file in the folder `policies` beside `config.toml`.");
    ui.line("allow:");
    for one in &proposals {
        ui.line(format!("  # {}", evidence(one)));
        ui.line(format!("  - pattern: {}", quoted(&pattern(&one.command))));
        ui.line(format!("    suppresses: {}", one.rule));
        ui.line(format!("    reason: {}", quoted(&evidence(one))));
    }
    Ok(Exit::Done)
}

fn evidence(one: &Proposal) -> String {
    let (first, last) = (day(&one.between.0), day(&one.between.1));
    format!(
        "asked {} times from {first} to {last}, approved {} times, never refused",
        one.asked, one.approved
    )
}

fn day(time: &str) -> &str {
    time.split('T').next().unwrap_or_default()
}

/// The very command and no other one.
pub(super) fn pattern(command: &str) -> String {
    let escape = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | ' ' | '_' | '-' | '/' | ':' | '=' | ',' | '@' => c.to_string(),
        _ => format!("\\x{{{:x}}}", u32::from(c)),
    };
    let text = command.chars().map(escape).collect::<String>();
    format!("\\A{text}\\z")
}

/// In the quotes of YAML in which nothing but the quote has a meaning.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", safe(text).replace('\'', "''"))
}

fn as_json(one: &Proposal) -> Value {
    json!({
        "rule": one.rule, "command": safe(&one.command), "pattern": pattern(&one.command), "asked": one.asked,
        "approved": one.approved, "first": one.between.0, "last": one.between.1,
    })
}
