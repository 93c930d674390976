//! From what a file says to rules that can be held against requests. A mistake names the rule and says what to do.

use std::collections::BTreeSet;

use policy::{Act, CLASSES, Exception, Pattern, Verdict, Wanted, WrittenRule};

use super::kinds::{self, Field, Row};
use super::model::{Action, Allow, CommandRule, EffectRule, Opinion, PatchRule, PathRule, PolicyFile, Touch};
use super::{Layer, Mistake};

/// Letters of a name.
const MAX_ID: usize = 96;
/// Letters of an expression or glob in `actions` and `rules`.
const MAX_PATTERN: usize = 256;
/// Bytes of an expression elsewhere.
const MAX_LONG_PATTERN: usize = 512;
/// Letters of a message or description.
const MAX_MESSAGE: usize = 512;
/// Letters of a reason.
const MAX_REASON: usize = 200;
/// Rules of a project (spec V-3406).
const MAX_PROJECT_RULES: usize = 64;
/// Bytes of all files of a project.
const MAX_PROJECT_BYTES: usize = 256 << 10;
/// Steps of all expressions of one file, and of a whole project: about a tenth and a fiftieth of a second.
const MAX_FILE_STEPS: u64 = 1_000_000;
const MAX_PROJECT_STEPS: u64 = 200_000;

/// A rule with what is known of where it stands.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The rule as it is held against requests; `None` for one about kinds that nothing raises yet.
    pub rule: Option<WrittenRule>,
    /// Its name.
    pub id: String,
    /// The list of the file that it stands in.
    pub list: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// What it is about, in words.
    pub about: String,
    /// Requests that it must hold for.
    pub positive: Vec<String>,
    /// Requests that it must not hold for.
    pub negative: Vec<String>,
}

/// What one file comes to.
#[derive(Debug, Default)]
pub(super) struct Compiled {
    pub(super) entries: Vec<Entry>,
    pub(super) exceptions: Vec<(Exception, Allow)>,
}

/// What the files of a layer may still hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    bytes: usize,
    rules: usize,
    steps: u64,
}

impl Room {
    /// A person's files are theirs; those that came with a project may not keep anybody waiting.
    pub(super) const fn of(layer: Layer) -> Self {
        match layer {
            Layer::System | Layer::User => Self {
                bytes: usize::MAX,
                rules: usize::MAX,
                steps: MAX_FILE_STEPS,
            },
            Layer::Project => Self {
                bytes: MAX_PROJECT_BYTES,
                rules: MAX_PROJECT_RULES,
                steps: MAX_PROJECT_STEPS,
            },
        }
    }

    /// Takes the room that a text needs.
    pub(super) fn text(&mut self, text: &str) -> Result<(), Mistake> {
        let said = format!(
            "a project's files may be {} KiB together, and these are more",
            MAX_PROJECT_BYTES >> 10
        );
        self.bytes = self
            .bytes
            .checked_sub(text.len())
            .ok_or_else(|| Mistake::of("", &said))?;
        Ok(())
    }

    fn rules(&mut self, count: usize) -> Result<(), Mistake> {
        let said = format!("a project may have {MAX_PROJECT_RULES} rules, and this one has more");
        self.rules = self.rules.checked_sub(count).ok_or_else(|| Mistake::of("", &said))?;
        Ok(())
    }

    /// Takes the room that an expression needs.
    pub(super) fn pattern(&mut self, id: &str, pattern: Option<&Pattern>) -> Result<(), Mistake> {
        let steps = pattern.map_or(0, Pattern::steps);
        let said = "with it, the expressions would take too much time and memory together";
        self.steps = self
            .steps
            .checked_sub(steps)
            .ok_or_else(|| Mistake::of(id, said).hint("Use fewer repetitions and fewer classes such as `\\w`."))?;
        Ok(())
    }

    fn entry(&mut self, entry: Entry, to: &mut Vec<Entry>) -> Result<(), Mistake> {
        let command = entry.rule.as_ref().and_then(|rule| rule.command.as_ref());
        self.pattern(&entry.id, command)?;
        to.push(entry);
        Ok(())
    }
}

/// Reads one file's lists but for that of rules on patches, of which there are so many.
pub(super) fn compile(file: PolicyFile, layer: Layer, patches: usize, room: &mut Room) -> Result<Compiled, Mistake> {
    let mut out = Compiled::default();
    let lists = [
        file.actions.len(),
        file.commands.len(),
        file.paths.len(),
        file.effects.len(),
    ];
    room.rules(lists.iter().sum::<usize>() + file.classes.len() + patches)?;
    for action in file.actions {
        room.entry(on_kinds(action, layer)?, &mut out.entries)?;
    }
    for rule in file.commands {
        room.entry(on_command(rule, layer)?, &mut out.entries)?;
    }
    for rule in file.paths {
        room.entry(on_path(rule, layer)?, &mut out.entries)?;
    }
    for rule in file.effects {
        room.entry(on_effect(rule, layer)?, &mut out.entries)?;
    }
    for (class, opinion) in file.classes {
        room.entry(on_class(class, opinion, layer)?, &mut out.entries)?;
    }
    for allow in file.allow {
        let (exception, allow) = exception(allow)?;
        room.pattern(&exception.suppresses, Some(&exception.pattern))?;
        out.exceptions.push((exception, allow));
    }
    let mut seen = BTreeSet::new();
    match out.entries.iter().find(|entry| !seen.insert(entry.id.as_str())) {
        Some(twice) => Err(Mistake::of(&twice.id, "two rules have this name").hint("Give one of them another `id`.")),
        None => Ok(out),
    }
}

impl Opinion {
    pub(super) const fn verdict(self) -> Verdict {
        match self {
            Self::Warn => Verdict::Warn,
            Self::Ask => Verdict::Ask,
            Self::Deny => Verdict::Deny,
        }
    }
}

fn on_kinds(action: Action, layer: Layer) -> Result<Entry, Mistake> {
    let id = checked_id(&action.id)?;
    let rows = kinds_of(&action)?;
    let opinion = action.effect.unwrap_or(Opinion::Deny);
    let stuck: Vec<&str> = rows.iter().filter(|row| !row.holds).map(|row| row.name).collect();
    if opinion == Opinion::Ask && !stuck.is_empty() {
        let said = format!("nothing can wait for a person at `{}`", stuck.join("`, `"));
        return Err(Mistake::of(&id, &said).hint("Use `deny` there, or leave the kind out."));
    }
    for text in [&action.message, &action.description] {
        at_most(&id, "a message or description", text, MAX_MESSAGE)?;
    }
    let matches = action.matches.unwrap_or_default();
    let given = [
        (Field::ProviderId, matches.provider_id.is_some()),
        (Field::CommandRegex, matches.command_regex.is_some()),
        (Field::PathGlob, matches.path_glob.is_some()),
        (Field::Status, matches.status.is_some()),
    ];
    for (field, _) in given.iter().filter(|(_, given)| *given) {
        if let Some(row) = rows.iter().find(|row| !row.fields.contains(field)) {
            let said = format!("`{}` says nothing about `{}`", field.name(), row.name);
            return Err(Mistake::of(&id, &said).hint("Make a rule of its own for that kind."));
        }
    }
    let ignore_case = ignores_case(&id, matches.command_flags.as_deref().unwrap_or_default())?;
    let command = matches.command_regex.as_deref();
    let command = command
        .map(|text| pattern(&id, text, ignore_case, MAX_PATTERN))
        .transpose()?;
    if let Some(glob) = &matches.path_glob {
        within(&id, "a glob", glob, MAX_PATTERN)?;
    }
    let kinds: Vec<policy::Kind> = rows.iter().filter_map(|row| row.kind).collect();
    let why = if action.message.is_empty() {
        &action.description
    } else {
        &action.message
    };
    let rule = WrittenRule {
        id: id.clone(),
        origin: layer.origin(),
        verdict: opinion.verdict(),
        why: why.clone(),
        kinds: kinds.clone(),
        command,
        effect: matches.path_glob.map(|glob| Wanted {
            acts: vec![Act::Read, Act::Write, Act::Delete],
            targets: vec![glob],
            ..Wanted::default()
        }),
    };
    Ok(Entry {
        about: action.on.join(", "),
        rule: (!kinds.is_empty()).then_some(rule),
        id,
        list: "actions",
        verdict: opinion.verdict(),
        positive: action.examples.positive,
        negative: action.examples.negative,
    })
}

fn kinds_of(action: &Action) -> Result<Vec<&'static Row>, Mistake> {
    if action.on.is_empty() {
        return Err(Mistake::of(&action.id, "`on` names no kind").hint(&format!("Kinds are {}.", kinds::names())));
    }
    let known = |name: &String| {
        kinds::kind(name).ok_or_else(|| {
            Mistake::of(&action.id, &format!("no kind of request is called `{name}`"))
                .hint(&format!("Kinds are {}.", kinds::names()))
        })
    };
    action.on.iter().map(known).collect()
}

fn on_command(rule: CommandRule, layer: Layer) -> Result<Entry, Mistake> {
    let id = id_or(rule.id.as_deref(), &rule.pattern, layer)?;
    let command = pattern(&id, &rule.pattern, false, MAX_LONG_PATTERN)?;
    reason(&id, &rule.reason)?;
    Ok(Entry {
        rule: Some(WrittenRule {
            id: id.clone(),
            origin: layer.origin(),
            verdict: rule.action.verdict(),
            why: rule.reason,
            kinds: vec![policy::Kind::CommandRun],
            command: Some(command),
            effect: None,
        }),
        id,
        list: "commands",
        verdict: rule.action.verdict(),
        about: format!("commands like `{}`", rule.pattern),
        positive: rule.positive,
        negative: rule.negative,
    })
}

fn on_path(rule: PathRule, layer: Layer) -> Result<Entry, Mistake> {
    let id = id_or(rule.id.as_deref(), &rule.glob, layer)?;
    within(&id, "a glob", &rule.glob, MAX_LONG_PATTERN)?;
    reason(&id, &rule.reason)?;
    if rule.on.is_empty() {
        return Err(Mistake::of(&id, "`on` is empty").hint("Say `read`, `write`, `send` or `patch`."));
    }
    let mut acts = Vec::new();
    for touch in &rule.on {
        acts.extend_from_slice(match touch {
            Touch::Read => &[Act::Read][..],
            Touch::Write => &[Act::Write, Act::Delete, Act::Permit],
            Touch::Send => &[Act::Send],
            Touch::Patch => &[],
        });
    }
    let wanted = Wanted {
        acts: acts.clone(),
        targets: vec![rule.glob.clone()],
        ..Wanted::default()
    };
    Ok(Entry {
        rule: (!acts.is_empty()).then(|| plain(&id, layer, rule.effect, rule.reason, wanted)),
        id,
        list: "paths",
        verdict: rule.effect.verdict(),
        about: rule.glob,
        positive: rule.positive,
        negative: rule.negative,
    })
}

fn on_effect(rule: EffectRule, layer: Layer) -> Result<Entry, Mistake> {
    let id = checked_id(&rule.id)?;
    reason(&id, &rule.reason)?;
    let act = |word: &String| {
        let all: Vec<&str> = Act::ALL.iter().map(|act| act.as_str()).collect();
        Act::parse(word).ok_or_else(|| {
            Mistake::of(&id, &format!("there is no act `{word}`")).hint(&format!("Acts are {}.", all.join(", ")))
        })
    };
    let acts: Vec<Act> = rule.on.words().iter().map(act).collect::<Result<_, _>>()?;
    let class = rule.class.as_ref().map(|class| known_class(&id, class));
    let wanted = Wanted {
        acts,
        targets: rule.target.words().to_vec(),
        hosts: rule.to.words().to_vec(),
        labels: rule.label.words().to_vec(),
        class: class.transpose()?,
    };
    let says_nothing = wanted.acts.is_empty() && wanted.targets.is_empty() && wanted.hosts.is_empty();
    if says_nothing && wanted.labels.is_empty() && wanted.class.is_none() {
        return Err(
            Mistake::of(&id, "it would hold for everything").hint("Say `on`, `target`, `label`, `class` or `to`.")
        );
    }
    let all = wanted.targets.iter().chain(&wanted.hosts).chain(&wanted.labels);
    for word in all {
        within(&id, "a glob or label", word, MAX_LONG_PATTERN)?;
    }
    Ok(Entry {
        about: wanted
            .acts
            .iter()
            .map(|act| act.as_str())
            .collect::<Vec<_>>()
            .join(", "),
        rule: Some(plain(&id, layer, rule.effect, rule.reason, wanted)),
        id,
        list: "effects",
        verdict: rule.effect.verdict(),
        positive: rule.positive,
        negative: rule.negative,
    })
}

fn on_class(class: String, opinion: Opinion, layer: Layer) -> Result<Entry, Mistake> {
    let known = known_class(&class, &class)?;
    let id = format!("{}:class.{class}", layer.name());
    let wanted = Wanted {
        class: Some(known),
        ..Wanted::default()
    };
    let why = format!(
        "the policy says `{}` for the class `{class}`",
        opinion.verdict().as_str()
    );
    let mut rule = plain(&id, layer, opinion, why, wanted);
    // A shell runs a command whether or not anything is known of what it does.
    if known == "shell_execute" {
        rule.kinds = vec![policy::Kind::CommandRun];
        rule.effect = None;
    }
    Ok(Entry {
        rule: Some(rule),
        id,
        list: "classes",
        verdict: opinion.verdict(),
        about: class,
        positive: Vec::new(),
        negative: Vec::new(),
    })
}

fn exception(allow: Allow) -> Result<(Exception, Allow), Mistake> {
    let id = &allow.suppresses;
    if !policy::rule_ids().contains(&id.as_str()) {
        return Err(Mistake::of(id, "there is no built-in rule of this name").hint("`tollgate rules list` has them."));
    }
    if policy::lasting_rules().contains(&id.as_str()) {
        let said = "it guards Tollgate itself, and no exception silences it";
        return Err(Mistake::of(id, said).hint("Do it yourself, in your own terminal."));
    }
    reason(id, &allow.reason)?;
    let pattern = pattern(id, &allow.pattern, false, MAX_LONG_PATTERN)?;
    if let Some(date) = &allow.expires
        && super::dates::day(date).is_none()
    {
        let said = format!("`expires` is `{date}`, and that is no day");
        return Err(Mistake::of(id, &said).hint("Write a day as `2026-12-31`."));
    }
    if allow.cwd.as_ref().is_some_and(|cwd| !cwd.starts_with('/')) {
        return Err(Mistake::of(id, "`cwd` is no absolute path").hint("Write the folder from the root on."));
    }
    let exception = Exception {
        pattern,
        suppresses: allow.suppresses.clone(),
        cwd: allow.cwd.clone(),
    };
    Ok((exception, allow))
}

fn plain(id: &str, layer: Layer, opinion: Opinion, why: String, wanted: Wanted) -> WrittenRule {
    WrittenRule {
        id: id.to_owned(),
        origin: layer.origin(),
        verdict: opinion.verdict(),
        why,
        kinds: Vec::new(),
        command: None,
        effect: Some(wanted),
    }
}

fn known_class(id: &str, class: &str) -> Result<&'static str, Mistake> {
    if let Some(known) = CLASSES.iter().find(|known| **known == class) {
        return Ok(known);
    }
    let said = format!("there is no permission class `{class}`");
    Err(Mistake::of(id, &said).hint(&format!("Classes are {}.", CLASSES.join(", "))))
}

fn checked_id(id: &str) -> Result<String, Mistake> {
    let good = id.starts_with(|c: char| c.is_ascii_alphabetic())
        && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        && id.len() <= MAX_ID;
    if !good {
        let said = "its name is not a letter followed by letters, digits, `_` and `-`, at most 96";
        return Err(Mistake::of(id, said));
    }
    if policy::rule_ids().contains(&id) {
        return Err(Mistake::of(id, "a built-in rule has this name").hint("Give yours another `id`."));
    }
    Ok(id.to_owned())
}

/// The name that was given, else `user:PATTERN`.
fn id_or(id: Option<&str>, pattern: &str, layer: Layer) -> Result<String, Mistake> {
    match id {
        Some(id) => checked_id(id),
        None => Ok(format!("{}:{pattern}", layer.name())),
    }
}

fn pattern(id: &str, text: &str, ignore_case: bool, most: usize) -> Result<Pattern, Mistake> {
    within(id, "an expression", text, most)?;
    Pattern::new(text, ignore_case)
        .map_err(|bad| Mistake::of(id, &format!("`{}` cannot be used: {}", super::read::short(text), bad.0)))
}

/// The name of a rule on patches, whose texts and glob have been looked at.
pub(super) fn patch_id(rule: &PatchRule) -> Result<String, Mistake> {
    let id = checked_id(&rule.id)?;
    within(&id, "a description", &rule.description, MAX_MESSAGE)?;
    at_most(&id, "a message", &rule.message, MAX_MESSAGE)?;
    if let Some(touched) = &rule.match_touched_files {
        within(&id, "a glob", &touched.glob, MAX_PATTERN)?;
    }
    Ok(id)
}

/// The expression of a rule on patches.
pub(super) fn patch_pattern(id: &str, text: &str, flags: &str) -> Result<Pattern, Mistake> {
    pattern(id, text, ignores_case(id, flags)?, MAX_PATTERN)
}

fn ignores_case(id: &str, flags: &str) -> Result<bool, Mistake> {
    match flags.chars().find(|flag| !"gimsuy".contains(*flag)) {
        Some(flag) => Err(Mistake::of(id, &format!("there is no flag `{flag}`")).hint("Flags are g, i, m, s, u, y.")),
        None => Ok(flags.contains('i')),
    }
}

fn reason(id: &str, text: &str) -> Result<(), Mistake> {
    if text.trim().is_empty() {
        return Err(Mistake::of(id, "it gives no reason").hint("Say why in `reason`: whoever is asked will read it."));
    }
    within(id, "a reason", text, MAX_REASON)
}

/// A text that says something, and not too much.
fn within(id: &str, what: &str, text: &str, most: usize) -> Result<(), Mistake> {
    if text.is_empty() {
        return Err(Mistake::of(id, &format!("{what} is empty")));
    }
    at_most(id, what, text, most)
}

fn at_most(id: &str, what: &str, text: &str, most: usize) -> Result<(), Mistake> {
    if text.len() > most {
        return Err(Mistake::of(id, &format!("{what} is longer than {most} bytes")));
    }
    Ok(())
}
