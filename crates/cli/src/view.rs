//! How judgements look to a person and to a program.

use agents::{Agent, Answer, Call};
use policy::{Effect, Finding, Judgement, Look, Origin, Request, Subject, Target, Verdict};
use serde_json::{Value, json};

use crate::ui::Ui;

/// The widest line of a command that is shown whole.
const WIDEST: usize = 160;

/// Text without secrets and without anything that steers a terminal.
pub(crate) fn safe(text: &str) -> String {
    scrub::visible(&scrub::redact(text)).into_owned()
}

/// The same on one line: names of files can hold the ends of lines.
pub(crate) fn one_line(text: &str) -> String {
    safe(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// What a request is about, as text.
pub(crate) fn subject(request: &Request) -> &str {
    match &request.subject {
        Subject::Command(text) | Subject::Url(text) => text,
        Subject::File { path, .. } => path,
        Subject::Tool { name, .. } => name,
    }
}

/// The findings of a request, each with the part that it is about underlined.
pub(crate) fn findings(request: &Request, judgement: &Judgement, ui: &mut Ui) {
    for finding in &judgement.findings {
        let Finding {
            rule, verdict, risk, ..
        } = finding;
        ui.line(format!(
            "{}: rule `{rule}` ({}, risk {})",
            verdict.as_str(),
            whose(finding.origin),
            risk.as_str()
        ));
        underlined(request, finding)
            .into_iter()
            .for_each(|line| ui.line(format!("    {line}")));
        let mut say = |label: &str, text: &str| {
            if !text.is_empty() {
                ui.line(format!("  {label}: {}", safe(text)));
            }
        };
        say("why", &finding.why);
        say("how", &finding.chain.join(" -> "));
        say("at stake", &finding.lost);
        say("instead", &finding.instead);
    }
}

/// The permission classes of a request, in one line; `None` where it has none.
pub(crate) fn classes(judgement: &Judgement) -> Option<String> {
    (!judgement.classes.is_empty()).then(|| judgement.classes.join(", "))
}

/// Whose rule it is, said to the person.
const fn whose(origin: Origin) -> &'static str {
    match origin {
        Origin::BuiltIn => "built-in",
        Origin::System => "the machine's",
        Origin::User => "yours",
        Origin::Project => "the project's",
    }
}

/// The line of the request that holds the matching part, and the marks below it.
pub(crate) fn underlined(request: &Request, finding: &Finding) -> Vec<String> {
    let text = subject(request);
    let (start, end) = match finding.span {
        Some(span) => (at(span.start), at(span.end)),
        None => (0, text.len()),
    };
    let line_start = text
        .get(..start)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |i| i + 1);
    let rest = text.get(line_start..).unwrap_or_default();
    let line = rest.lines().next().unwrap_or_default();
    let cut = |from: usize, to: usize| {
        text.get(from..to)
            .map(|part| safe(part).replace('\t', " "))
            .unwrap_or_default()
    };
    let line_end = line_start + line.len();
    let (before, part) = (cut(line_start, start), cut(start, end.min(line_end)));
    let after = cut(end.min(line_end), line_end);
    let (before, after) = (tail(&before, WIDEST / 2), head(&after, WIDEST / 2));
    let part = head(&part, WIDEST);
    let marks = "^".repeat(part.chars().count().max(1));
    vec![
        format!("{before}{part}{after}"),
        format!("{}{marks}", " ".repeat(before.chars().count())),
    ]
}

fn at(offset: u32) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

/// The start of a text.
pub(crate) fn head(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.into();
    }
    text.chars().take(most).chain("...".chars()).collect()
}

fn tail(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.into();
    }
    "...".chars().chain(text.chars().skip(length - most)).collect()
}

/// What the agent would be told: `nothing`, `ask` or `deny`.
pub(crate) fn told(agent: Agent, requests: &[Request], verdict: Verdict) -> String {
    let call = Call {
        agent,
        event: "PreToolUse".into(),
        session: String::new(),
        cwd: String::new(),
        tool: String::new(),
        tool_use_id: String::new(),
        permission_mode: String::new(),
        requests: requests.to_vec(),
        news: None,
        unknown_tool: false,
        input_digest_source: String::new(),
    };
    let answer = Answer {
        verdict,
        granted: false,
        reason: "-".into(),
    };
    let reply = agents::reply(agent, &call, &answer);
    let said: Value = serde_json::from_slice(&reply.stdout).unwrap_or_default();
    let decision = said
        .pointer("/hookSpecificOutput/permissionDecision")
        .and_then(Value::as_str);
    decision.unwrap_or("nothing").into()
}

pub(crate) fn finding_json(request: &Request, finding: &Finding) -> Value {
    let part = finding
        .span
        .and_then(|span| subject(request).get(at(span.start)..at(span.end)));
    json!({
        "rule": finding.rule,
        "source": finding.origin.as_str(),
        "verdict": finding.verdict.as_str(),
        "risk": finding.risk.as_str(),
        "why": safe(&finding.why),
        "lost": safe(&finding.lost),
        "instead": safe(&finding.instead),
        "span": finding.span.map(|span| [span.start, span.end]),
        "text": part.map(safe),
        "chain": finding.chain.iter().map(|step| safe(step)).collect::<Vec<_>>(),
    })
}

pub(crate) fn effect_json(request: &Request, effect: &Effect) -> Value {
    let (kind, target) = match &effect.target {
        Target::None => ("none", None),
        Target::Path(t) => ("path", Some(t)),
        Target::Host(t) => ("host", Some(t)),
        Target::Text(t) => ("text", Some(t)),
        Target::Unknown(why) => ("unknown", Some(why)),
    };
    let part = subject(request)
        .get(at(effect.span.start)..at(effect.span.end))
        .filter(|part| !part.is_empty());
    json!({
        "act": effect.act.as_str(),
        "what": effect.what,
        "target": {"kind": kind, "text": target.map(|t| safe(t))},
        "tags": effect.tags.iter().collect::<Vec<_>>(),
        "program": safe(&effect.program),
        "span": [effect.span.start, effect.span.end],
        "text": part.map(safe),
        "chain": effect.chain.iter().map(|step| safe(step)).collect::<Vec<_>>(),
    })
}

pub(crate) fn look_json(look: &Look) -> Value {
    json!({"subject": safe(&look.subject), "question": look.question, "answer": safe(&look.answer)})
}

#[cfg(test)]
mod tests {
    use policy::Kind;

    use super::*;

    fn finding(start: usize, end: usize) -> Finding {
        let request = command("rm -rf /");
        let world = broker::Broker::open(
            broker::Places::from_variables(broker::Given::default(), |_| Some("/nowhere/at/all".into())).unwrap(),
        );
        let mut finding = world.judge(&request).findings.remove(0);
        let span = finding.span.as_mut().unwrap();
        span.start = u32::try_from(start).unwrap();
        span.end = u32::try_from(end).unwrap();
        finding
    }

    fn command(text: &str) -> Request {
        Request {
            kind: Kind::CommandRun,
            subject: Subject::Command(text.into()),
            cwd: "/".into(),
        }
    }

    #[test]
    fn the_part_is_underlined_on_its_line() {
        let text = "cd /\n\trm -rf ü ~; ls\nx";
        let start = text.find("rm").unwrap();
        let end = text.find(';').unwrap();
        assert_eq!(
            underlined(&command(text), &finding(start, end)),
            [" rm -rf ü ~; ls", " ^^^^^^^^^^"]
        );
        assert_eq!(
            underlined(&command(text), &finding(start, text.len())),
            [" rm -rf ü ~; ls", " ^^^^^^^^^^^^^^"]
        );
        // A span that fits nothing is no reason to fail.
        assert_eq!(underlined(&command("ab"), &finding(7, 9)).len(), 2);
    }
}
