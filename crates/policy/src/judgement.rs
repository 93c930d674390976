//! The opinion on a request: all findings, and the strictest verdict among them.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use shell::Span;

use crate::classes::{self, Classes};
use crate::effect::Tags;
use crate::eval::{Eval, Value};
use crate::rules::{self, RULES};
use crate::world::Recorder;
use crate::{
    Act, Added, Effect, Kind, Look, Posture, Request, Risk, Subject, Target, Verdict, World, Written, WrittenRule,
    card, why,
};

/// What people have set.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Posture.
    pub posture: Posture,
    /// Ids of built-in rules that the person switched off.
    pub disabled: Vec<String>,
    /// Globs of paths that the built-in rows of protected parts of a project say nothing about (spec B-1402).
    pub unprotected: Vec<String>,
    /// Programs, rules and paths that the person added.
    pub added: Added,
    /// Rules of policy files.
    pub written: Written,
    /// Why the person's configuration could not be read. While it is set, every effect that changes something and is
    /// not known to be harmless is refused.
    pub broken: Option<String>,
    /// Why the rules of the project could not be read. While it is set, every such effect asks.
    pub project_broken: Option<String>,
    /// Why the agent may only read for a while. While it is set, every such effect is refused.
    pub locked: Option<String>,
}

/// Whose rule it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It came with the program.
    BuiltIn,
    /// The machine's administrator wrote it.
    System,
    /// The person wrote it.
    User,
    /// It came with the project.
    Project,
}

impl Origin {
    /// The word used in every output.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BuiltIn => "built-in",
            Self::System => "system",
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// One rule that matched.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule's id.
    pub rule: String,
    /// Whose rule it is.
    pub origin: Origin,
    /// Its verdict under the posture in force.
    pub verdict: Verdict,
    /// How bad it is.
    pub risk: Risk,
    /// Why the rule exists, one sentence.
    pub why: String,
    /// What to do instead, one sentence.
    pub instead: String,
    /// What would be lost or given away, in words (`everything under /home/ann`); empty when nothing can be named.
    pub lost: String,
    /// The part of the command text that made it match. `None` for file tools.
    pub span: Option<Span>,
    /// What it would lose can be brought back from a snapshot, all of it: then nobody needs to be asked.
    pub reversible: bool,
    /// How the matching part was reached, outermost first (`variable c = "rm"`, `sudo runs`, ...).
    pub chain: Vec<String>,
}

/// All findings of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// The rules that matched, strictest first, in rule order among equals.
    pub findings: Vec<Finding>,
    /// What carrying the request out would do.
    pub effects: Vec<Effect>,
    /// What was asked of the world.
    pub looks: Vec<Look>,
    /// The permission classes of the request, of the twelve, in the order of [`crate::CLASSES`].
    pub classes: Vec<&'static str>,
    /// Built-in rules that would have spoken, but for an exception that the person wrote.
    pub excused: Vec<String>,
}

impl Judgement {
    /// The strictest verdict; `Allow` when nothing matched.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.findings.iter().map(|f| f.verdict).max().unwrap_or_default()
    }

    /// The finding that decides: the first of the strictest.
    #[must_use]
    pub fn decisive(&self) -> Option<&Finding> {
        self.findings.iter().find(|f| f.verdict == self.verdict())
    }
}

/// The rule id of the refusal while a person's configuration cannot be read.
const BROKEN: &str = "policy.set.broken";
/// The rule id of the refusal while an agent may only read.
pub const LOCKED: &str = "circuit_breaker";

/// Judges one request. Total: it never panics, and its work is bounded.
#[must_use]
pub fn judge(request: &Request, world: &dyn World, settings: &Settings) -> Judgement {
    if settings.posture == Posture::Off && settings.broken.is_none() {
        return Judgement::default();
    }
    judge_within(request, world, settings, u32::MAX)
}

/// Judges one request with no more work than this: about so many commands are looked at. Less work can only make the
/// judgement stricter, which is what this is for: to try it.
#[must_use]
pub fn judge_within(request: &Request, world: &dyn World, settings: &Settings, most: u32) -> Judgement {
    let recorder = Recorder::new(world, settings);
    let mut eval = Eval::new(&recorder, &request.cwd);
    eval.most = most;
    eval.note_calls(settings.written.listens());
    effects(request, &mut eval);
    let (calls, workspace) = (eval.take_calls(), eval.workspace.clone());
    let effects = eval.effects.into_list();
    let looks = recorder.into_looks();
    let of: Vec<Classes> = effects.iter().map(|e| Classes::of(request.kind, e)).collect();
    let (mut findings, mut excused) = (Vec::new(), Vec::new());
    let built_in = RULES.iter().filter(|r| !settings.disabled.iter().any(|d| d == r.id));
    let built_in = built_in.map(|rule| (rule, Origin::BuiltIn));
    let added = settings.added.rules().iter().map(|rule| (rule, Origin::User));
    for (rule, origin) in built_in.chain(added) {
        let mut matching = effects
            .iter()
            .zip(&of)
            .filter(|(e, of)| rules::matches(rule, request.kind, e, **of))
            .map(|(e, _)| e)
            .peekable();
        let any = matching.peek().is_some();
        let mut left = matching.filter(|e| !settings.written.excuses(rule.id, request, e));
        if let Some(effect) = left.next() {
            let mut finding = rules::finding(rule, origin, request.kind, effect, settings);
            let one = |e: &Effect| rules::is_reversible(rule, e);
            finding.reversible = one(effect) && left.all(one);
            finding.chain = why::steps(request, effect);
            if rule.class == "install_dependency" {
                finding.lost = card::words(&effects);
            }
            findings.push(finding);
        } else if any {
            excused.push(rule.id.to_string());
        }
    }
    for rule in settings.written.concerned(request, &effects, &calls) {
        if let Some(effect) = rule.holds(request, &effects, &of, &calls, &[&workspace]) {
            findings.push(written(&rule, effect, request));
        }
    }
    if let Some(effect) = effects.iter().find(|e| !harmless(e)) {
        let troubles = [
            (&settings.broken, Verdict::Deny),
            (&settings.project_broken, Verdict::Ask),
        ];
        for (reason, verdict) in troubles {
            findings.extend(
                reason
                    .as_ref()
                    .map(|reason| broken(reason, verdict, effect, request.kind)),
            );
        }
        let locked = settings.locked.as_ref();
        findings.extend(locked.map(|reason| self::locked(reason, effect, request.kind)));
    }
    findings.retain(|f| f.verdict != Verdict::Allow);
    findings.sort_by_key(|f| core::cmp::Reverse(f.verdict));
    Judgement {
        findings,
        classes: classes::named(request.kind, &of),
        effects,
        looks,
        excused,
    }
}

/// The finding of a rule that somebody wrote.
fn written(rule: &WrittenRule, effect: Option<&Effect>, request: &Request) -> Finding {
    Finding {
        rule: rule.id.clone(),
        origin: rule.origin,
        verdict: rule.verdict,
        risk: Risk::Medium,
        why: rule.why.clone(),
        instead: String::new(),
        lost: String::new(),
        reversible: false,
        span: effect.filter(|_| request.kind == Kind::CommandRun).map(|e| e.span),
        chain: effect.map(|e| why::steps(request, e)).unwrap_or_default(),
    }
}

/// What carrying the request out would do.
fn effects(request: &Request, eval: &mut Eval<'_>) {
    match &request.subject {
        Subject::Command(text) => {
            hidden_characters(text, eval);
            eval.request(text);
        }
        Subject::File { path, delete, .. } => {
            let act = match (request.kind, delete) {
                (Kind::FileRead, _) => Act::Read,
                (_, true) => Act::Delete,
                (_, false) => Act::Write,
            };
            let value = file_value(path, eval);
            eval.path_effect(act, "", &value, Tags::default(), "");
        }
        Subject::Url(url) => eval.fetch(url),
        Subject::Tool { name, .. } => {
            let what = match request.kind {
                Kind::McpCall => "mcp.call",
                // `Tool(field)`: a field that widens what a known tool may do.
                _ if name.ends_with(')') => "tool.widened",
                _ => "tool.unknown",
            };
            eval.effect(
                Act::Do,
                what,
                Target::Text(name.clone()),
                Tags::default(),
                "",
                Span::default(),
            );
        }
    }
}

/// File tools take paths literally, but for a leading `~`.
fn file_value(path: &str, eval: &Eval<'_>) -> Value {
    match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            Value::text(alloc::format!("{}{rest}", eval.world.home()))
        }
        _ => Value::text(path),
    }
}

/// Characters that make a person see another text than the shell does.
fn hidden_characters(text: &str, eval: &mut Eval<'_>) {
    // Nearly all texts have no unusual byte.
    let unusual = |byte: u8| !matches!(byte, b'\t' | b'\n' | b' '..=b'~');
    let Some(from) = text.bytes().position(unusual) else {
        return;
    };
    let hidden = |c: char| matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    // A lone carriage return moves the cursor back in a terminal, so that what follows covers what came before.
    let returns = |at: usize, c: char| c == '\r' && !matches!(text.as_bytes().get(at + 1), None | Some(b'\n'));
    let rest = text.get(from..).unwrap_or_default().char_indices();
    if let Some((at, c)) = rest
        .map(|(at, c)| (from + at, c))
        .find(|(at, c)| hidden(*c) || returns(*at, *c))
    {
        let start = u32::try_from(at).unwrap_or_default();
        let end = u32::try_from(at + c.len_utf8()).unwrap_or_default();
        let target = Target::Text(alloc::format!("U+{:04X}", u32::from(c)));
        eval.effect(Act::Do, "text.hidden", target, Tags::default(), "", Span { start, end });
    }
}

/// Whether an effect is known to change nothing.
fn harmless(effect: &Effect) -> bool {
    match effect.act {
        Act::Read => true,
        Act::Run => effect.tags.has("read_workspace"),
        Act::Write => effect.tags.has("harmless-device"),
        _ => false,
    }
}

fn broken(reason: &str, verdict: Verdict, effect: &Effect, kind: Kind) -> Finding {
    let (whose, held) = match verdict {
        Verdict::Deny => ("the configuration", "let through"),
        _ => ("the policy of the project", "done without a question"),
    };
    Finding {
        rule: BROKEN.into(),
        origin: Origin::BuiltIn,
        verdict,
        risk: Risk::High,
        why: alloc::format!("{whose} cannot be read, so nothing that changes something is {held}: {reason}"),
        instead: "repair the file, or ask the person to; `tollgate doctor` names the line".to_string(),
        lost: String::new(),
        reversible: false,
        span: (kind == Kind::CommandRun).then_some(effect.span),
        chain: effect.chain.clone(),
    }
}

fn locked(reason: &str, effect: &Effect, kind: Kind) -> Finding {
    Finding {
        rule: LOCKED.into(),
        origin: Origin::BuiltIn,
        verdict: Verdict::Deny,
        risk: Risk::High,
        why: reason.into(),
        instead: "read and look meanwhile, and say what is needed; a person can run `tollgate unlock`".to_string(),
        lost: String::new(),
        reversible: false,
        span: (kind == Kind::CommandRun).then_some(effect.span),
        chain: effect.chain.clone(),
    }
}

/// Whether a person's yes to a rule may hold for longer than one call. Only built-in rules say so of themselves.
#[must_use]
pub fn remembers(finding: &Finding) -> bool {
    finding.origin == Origin::BuiltIn && may_remember(&finding.rule)
}

/// The same for the built-in rule of this id.
#[must_use]
pub fn may_remember(id: &str) -> bool {
    RULES.iter().any(|rule| rule.id == id && rule.remember)
}

/// Ids of all built-in rules, in evaluation order.
#[must_use]
pub fn rule_ids() -> Vec<&'static str> {
    RULES.iter().map(|r| r.id).collect()
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    use super::{Settings, judge, may_remember, rule_ids};
    use crate::tests::Table;
    use crate::{Kind, Posture, Request, Subject, Verdict};

    fn request(kind: Kind, subject: Subject) -> Request {
        Request {
            kind,
            subject,
            cwd: "/home/ann/proj".into(),
        }
    }

    fn command(text: &str) -> Request {
        request(Kind::CommandRun, Subject::Command(text.into()))
    }

    /// The place and the name of a character that nobody sees.
    fn hidden(text: &str) -> Option<(u32, u32, String)> {
        let judgement = judge(&command(text), &Table::new(), &Settings::default());
        let effect = judgement.effects.iter().find(|effect| effect.what == "text.hidden")?;
        Some((effect.span.start, effect.span.end, effect.summary()))
    }

    #[test]
    fn characters_that_nobody_sees_are_named_with_their_place() {
        for c in [
            '\0',
            '\u{8}',
            '\u{b}',
            '\u{c}',
            '\u{e}',
            '\u{1f}',
            '\u{7f}',
            '\u{9f}',
            '\u{200b}',
            '\u{200f}',
            '\u{202a}',
            '\u{202e}',
            '\u{2060}',
            '\u{2064}',
            '\u{2066}',
            '\u{2069}',
            '\u{feff}',
            '\u{e0000}',
            '\u{e007f}',
        ] {
            let got = hidden(&alloc::format!("ls \u{e4}{c}x"));
            let end = 5 + u32::try_from(c.len_utf8()).unwrap_or_default();
            let summary = alloc::format!("do text.hidden U+{:04X}", u32::from(c));
            assert_eq!(got, Some((5, end, summary)), "{c:?}");
        }
        for text in [
            "ls \t\n x",
            "ls \u{a0}",
            "ls \u{2010}",
            "ls \u{202f}",
            "ls \u{206a}",
            "ls x\r\nls",
            "ls\r",
            "ls ~ !",
        ] {
            assert_eq!(hidden(text), None, "{text:?}");
        }
        assert!(hidden("ls \rx").is_some() && hidden("\u{e4}\rx\r\n").is_some());
    }

    /// The verdict where the configuration, the project's rules or the right to change anything is missing.
    fn troubled(request: &Request) -> [Verdict; 3] {
        let why = || Some("why".to_string());
        let of = |settings: Settings| judge(request, &Table::new(), &settings).verdict();
        [
            of(Settings {
                broken: why(),
                ..Settings::default()
            }),
            of(Settings {
                project_broken: why(),
                ..Settings::default()
            }),
            of(Settings {
                locked: why(),
                ..Settings::default()
            }),
        ]
    }

    #[test]
    fn only_what_changes_nothing_passes_where_something_is_broken() {
        const HELD: [Verdict; 3] = [Verdict::Deny, Verdict::Ask, Verdict::Deny];
        for text in [
            "touch a",
            "rm a",
            "unknown-tool",
            "curl https://h.example",
            "chmod +x a",
            "cargo build",
            "cat a > b",
        ] {
            assert_eq!(troubled(&command(text)), HELD, "{text}");
        }
        for text in [
            "ls",
            "cat a",
            "git status",
            "ls > /dev/null",
            "grep -rn x src 2>/dev/null",
        ] {
            assert_eq!(troubled(&command(text)), [Verdict::Allow; 3], "{text}");
        }
        let file = |delete| Subject::File {
            path: "a".into(),
            delete,
            content: None,
        };
        assert_eq!(troubled(&request(Kind::FileWrite, file(false))), HELD);
        assert_eq!(troubled(&request(Kind::FileWrite, file(true))), HELD);
        assert_eq!(troubled(&request(Kind::FileRead, file(false))), [Verdict::Allow; 3]);
    }

    #[test]
    fn a_finding_that_has_a_place_in_a_text_tells_it() {
        let settings = Settings {
            broken: Some("why".into()),
            ..Settings::default()
        };
        let spans = |request: &Request| {
            let judgement = judge(request, &Table::new(), &settings);
            let spans: Vec<bool> = judgement
                .findings
                .iter()
                .map(|finding| finding.span.is_some())
                .collect();
            spans
        };
        assert!(spans(&command("touch a")).iter().all(|has| *has));
        let tool = Subject::File {
            path: "a".into(),
            delete: false,
            content: None,
        };
        assert!(spans(&request(Kind::FileWrite, tool)).iter().all(|has| !*has));
    }

    #[test]
    fn tools_are_told_apart_by_their_kind_and_name() {
        let what = |kind, name: &str| {
            let subject = Subject::Tool {
                name: name.into(),
                input: "{}".into(),
            };
            let judgement = judge(&request(kind, subject), &Table::new(), &Settings::default());
            let whats: Vec<&str> = judgement.effects.iter().map(|effect| effect.what).collect();
            whats.join(" ")
        };
        assert_eq!(what(Kind::McpCall, "x"), "mcp.call");
        assert_eq!(what(Kind::ToolOther, "x"), "tool.unknown");
        assert_eq!(what(Kind::ToolOther, "x(y)"), "tool.widened");
    }

    #[test]
    fn nothing_is_judged_where_the_gate_is_off() {
        let with = |posture, broken: Option<&str>| {
            let settings = Settings {
                posture,
                broken: broken.map(ToString::to_string),
                ..Settings::default()
            };
            judge(&command("rm -rf ~"), &Table::new(), &settings)
        };
        assert!(with(Posture::Off, None).effects.is_empty());
        assert_eq!(with(Posture::Off, Some("why")).verdict(), Verdict::Deny);
        assert!(!with(Posture::Observe, None).effects.is_empty());
        let judgement = with(Posture::Guard, None);
        assert_eq!(judgement.decisive().map(|f| f.rule.as_str()), Some("rm_rf_root"));
    }

    #[test]
    fn a_rule_that_is_switched_off_is_silent_and_others_are_not() {
        let settings = Settings {
            disabled: ["rm_rf_root".to_string()].into(),
            ..Settings::default()
        };
        let judgement = judge(&command("rm -rf ~; git push --force"), &Table::new(), &settings);
        assert!(judgement.findings.iter().all(|finding| finding.rule != "rm_rf_root"));
        assert_eq!(judgement.verdict(), Verdict::Ask);
        assert!(rule_ids().iter().any(|id| may_remember(id)) && rule_ids().iter().any(|id| !may_remember(id)));
        assert!(!may_remember("no-such-rule"));
    }
}
