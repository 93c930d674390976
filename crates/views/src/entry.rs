//! A stored line as its fields.

use std::borrow::Cow;

use serde::Deserialize;

/// A text that is borrowed from the line where nothing in it is escaped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl Text<'_> {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The fields of a record that are shown, searched or exported; what does not apply is empty. See `docs/ledger.md`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Entry<'a> {
    /// The number of the record.
    pub seq: u64,
    /// When, as RFC 3339 in UTC.
    #[serde(borrow)]
    pub time: Cow<'a, str>,
    /// What happened.
    #[serde(borrow)]
    pub kind: Cow<'a, str>,
    /// Who asked.
    #[serde(borrow)]
    pub agent: Agent<'a>,
    /// The agent's session.
    #[serde(borrow)]
    pub session: Cow<'a, str>,
    /// The agent's own id of the call.
    #[serde(borrow)]
    pub call: Cow<'a, str>,
    /// What was asked.
    #[serde(borrow)]
    pub request: Request<'a>,
    /// What carrying it out would do.
    #[serde(borrow)]
    pub effects: Vec<Text<'a>>,
    /// The permission classes of that.
    #[serde(borrow)]
    pub classes: Vec<Text<'a>>,
    /// The rules that matched.
    #[serde(borrow)]
    pub findings: Vec<Finding<'a>>,
    /// The verdict.
    #[serde(borrow)]
    pub verdict: Cow<'a, str>,
    /// How the judgement became a decision.
    #[serde(borrow)]
    pub decision: Decision<'a>,
    /// The version of the program that decided.
    #[serde(borrow)]
    pub version: Cow<'a, str>,
    /// Where it would have happened.
    #[serde(borrow)]
    pub cwd: Cwd<'a>,
    /// The working tree around that.
    #[serde(borrow)]
    pub repository: Cow<'a, str>,
    /// A sentence for people.
    #[serde(borrow)]
    pub note: Cow<'a, str>,
}

/// Who asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Agent<'a> {
    /// The agent's name.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// Its process.
    pub pid: Option<u32>,
    /// The version that it claims.
    #[serde(borrow)]
    pub version: Cow<'a, str>,
}

/// What was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Request<'a> {
    /// SHA-256 of the agent's whole input.
    #[serde(borrow)]
    pub digest: Cow<'a, str>,
    /// The agent's checkpoint.
    #[serde(borrow)]
    pub event: Cow<'a, str>,
    /// The agent's name for the tool.
    #[serde(borrow)]
    pub tool: Cow<'a, str>,
    /// What is wanted, one by one.
    #[serde(borrow)]
    pub parts: Vec<Part<'a>>,
}

/// One thing that is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Part<'a> {
    /// Its kind: `command.run`, `file.write`.
    #[serde(borrow)]
    pub kind: Cow<'a, str>,
    /// The command, the path or the address, redacted.
    #[serde(borrow)]
    pub text: Cow<'a, str>,
}

/// A rule that matched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Finding<'a> {
    /// The rule's id.
    #[serde(borrow)]
    pub rule: Cow<'a, str>,
    /// Its verdict.
    #[serde(borrow)]
    pub verdict: Cow<'a, str>,
    /// How bad it is.
    #[serde(borrow)]
    pub risk: Cow<'a, str>,
    /// Which part of the request, counted from 0.
    pub part: usize,
    /// What made it match.
    #[serde(borrow)]
    pub text: Cow<'a, str>,
    /// What would be lost.
    #[serde(borrow)]
    pub lost: Cow<'a, str>,
    /// How that was reached, outermost first.
    #[serde(borrow)]
    pub chain: Vec<Text<'a>>,
}

/// How the judgement became a decision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Decision<'a> {
    /// The posture in force.
    #[serde(borrow)]
    pub posture: Cow<'a, str>,
    /// The agent's own permission mode.
    #[serde(borrow)]
    pub mode: Cow<'a, str>,
    /// The approval that was asked for, or that covered it.
    #[serde(borrow)]
    pub approval: Cow<'a, str>,
    /// How far that approval reaches.
    #[serde(borrow)]
    pub granted: Cow<'a, str>,
    /// The rules that an exception silenced.
    #[serde(borrow)]
    pub exception: Cow<'a, str>,
    /// The remembered approval that covered it.
    #[serde(borrow)]
    pub cache_hit: Cow<'a, str>,
}

/// The working directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Cwd<'a> {
    /// As the agent gave it.
    #[serde(borrow)]
    pub path: Cow<'a, str>,
}

impl<'a> Entry<'a> {
    /// Reads a line. `None` where it is no record: then only its bytes can be shown.
    #[must_use]
    pub fn parse(line: &'a [u8]) -> Option<Self> {
        let entry: Self = serde_json::from_slice(line).ok()?;
        (!entry.kind.is_empty()).then_some(entry)
    }

    /// What it is about, for one line: the first part, the note, or the tool.
    #[must_use]
    pub fn subject(&self) -> &str {
        let part = self.request.parts.first().map(|part| part.text.as_ref());
        let texts = [part.unwrap_or_default(), &self.note, &self.request.tool];
        texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
    }

    /// The verdict, or the kind where nothing was judged.
    #[must_use]
    pub fn outcome(&self) -> &str {
        if self.verdict.is_empty() {
            &self.kind
        } else {
            &self.verdict
        }
    }

    /// The first finding, which gave its name to the answer.
    #[must_use]
    pub fn rule(&self) -> &str {
        self.findings.first().map_or("", |finding| &finding.rule)
    }

    /// The risk of that finding.
    #[must_use]
    pub fn risk(&self) -> &str {
        self.findings.first().map_or("", |finding| &finding.risk)
    }

    /// Whether something was asked for and not simply let through.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.kind == "decision" && matches!(self.verdict.as_ref(), "ask" | "deny")
    }

    /// All texts in which words are looked for.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let parts = self.request.parts.iter().map(|part| part.text.as_ref());
        let findings = self.findings.iter().flat_map(|finding| {
            let chain = finding.chain.iter().map(Text::as_str);
            [finding.text.as_ref(), &finding.lost].into_iter().chain(chain)
        });
        let own = [
            self.note.as_ref(),
            &self.request.tool,
            &self.cwd.path,
            &self.repository,
            &self.decision.approval,
            &self.decision.exception,
        ];
        let effects = self.effects.iter().map(Text::as_str);
        parts.chain(own).chain(findings).chain(effects)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_without_what_is_not_known_and_what_is_no_record_is_none() {
        let line = br#"{"format":1,"seq":7,"kind":"decision","new":{"a":[1]},"effects":["run a","run \"b\""],"agent":{"name":"claude","pid":3}}"#;
        let entry = Entry::parse(line).unwrap();
        assert_eq!(
            (entry.seq, entry.agent.name.as_ref(), entry.agent.pid),
            (7, "claude", Some(3))
        );
        assert_eq!(
            entry.effects.iter().map(Text::as_str).collect::<Vec<_>>(),
            ["run a", "run \"b\""]
        );
        for line in [
            "",
            "{}",
            "[]",
            "{\"kind\":1}",
            "{\"kind\":\"a\",\"kind\":\"b\"}",
            "\u{0}",
        ] {
            assert_eq!(Entry::parse(line.as_bytes()), None, "{line}");
        }
    }
}
