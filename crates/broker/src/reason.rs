//! The reason of a decision in words, for a person and for a model: what is stopped, why, what it would cost, what to do
//! instead.

use policy::{Finding, Judgement, Request, Verdict};

use crate::note::quoted;

/// The longest piece of a request that is quoted.
const LONGEST_QUOTE: usize = 300;
/// How many steps on the way to it are named.
const STEPS: usize = 6;
/// How many further rules are named.
const FURTHER: usize = 5;

/// The words for the judgements of one call. Redacted, and without anything that could steer a terminal.
pub(crate) fn words(requests: &[Request], judgements: &[Judgement]) -> String {
    let mut findings: Vec<(&Request, &Finding)> = requests
        .iter()
        .zip(judgements)
        .flat_map(|(request, judgement)| judgement.findings.iter().map(move |finding| (request, finding)))
        .collect();
    findings.sort_by_key(|(_, finding)| core::cmp::Reverse(finding.verdict));
    let mut rest = findings.into_iter();
    let Some((request, first)) = rest.next() else {
        return String::new();
    };
    let mut lines = vec![headline(request, first)];
    lines.push(format!("Why: {}.", trimmed(&first.why)));
    if !first.chain.is_empty() {
        let steps: Vec<String> = first.chain.iter().take(STEPS).map(|step| short(step)).collect();
        lines.push(format!("How: {}.", steps.join(" > ")));
    }
    if !first.lost.is_empty() {
        lines.push(format!("At stake: {}.", trimmed(&short(&first.lost))));
    }
    if !first.instead.is_empty() {
        lines.push(format!("Instead: {}.", trimmed(&first.instead)));
    }
    let further: Vec<String> = rest
        .filter(|(_, f)| f.rule != first.rule && f.verdict >= Verdict::Ask)
        .take(FURTHER)
        .map(|(_, f)| format!("`{}` ({}): {}", f.rule, f.verdict.as_str(), trimmed(&f.why)))
        .collect();
    if !further.is_empty() {
        lines.push(format!("Also: {}.", further.join("; ")));
    }
    if first.verdict >= Verdict::Ask {
        lines.push(String::from("Do not look for another way to the same effect."));
    }
    let text = lines.join("\n");
    scrub::visible(&scrub::redact(&text)).into_owned()
}

fn headline(request: &Request, finding: &Finding) -> String {
    let does = match finding.verdict {
        Verdict::Allow => "lets this through",
        Verdict::Warn => "warns",
        Verdict::Ask => "asks a person first",
        Verdict::Deny => "refuses this",
    };
    let part = quoted(request, finding)
        .map(|part| format!(": `{}`", short(part)))
        .unwrap_or_default();
    format!(
        "Tollgate {does} (rule `{}`, risk {}){part}",
        finding.rule,
        finding.risk.as_str()
    )
}

/// A sentence without its full stop, which is added again.
fn trimmed(sentence: &str) -> &str {
    sentence.trim_end_matches('.')
}

/// The piece on one line, its middle left out where it is long.
fn short(part: &str) -> String {
    let line: String = part.chars().map(|c| if c == '\n' { ' ' } else { c }).collect();
    let length = line.chars().count();
    if length <= LONGEST_QUOTE {
        return line;
    }
    let half = LONGEST_QUOTE / 2;
    let (start, end): (String, String) = (
        line.chars().take(half).collect(),
        line.chars().skip(length - half).collect(),
    );
    format!("{start} ... {end}")
}
