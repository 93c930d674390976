//! The stanzas as they stand in a file, and what they say.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::Deserialize;
use toml::Spanned;

use super::notation::{self, known};
use super::source::{Source, Stanza, Wrong};
use super::{Book, Entry, Example, Fact, Place, keep};
use crate::{Act, CLASSES, Fault, Kind, Opt, PathRow, Program, Risk, Rule, Style, Verdict};

type Text = Spanned<String>;

/// A label, and when it counts.
type Labelled = (&'static str, &'static [crate::Cond]);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredFile {
    /// Where the facts were looked up; for people.
    #[serde(default, rename = "source")]
    _source: String,
    #[serde(default)]
    program: Vec<StoredProgram>,
    #[serde(default)]
    rule: Vec<StoredRule>,
    #[serde(default)]
    path: Vec<StoredPath>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "this must be a text or a list of texts")]
enum Texts {
    One(String),
    Many(Vec<String>),
}

impl Texts {
    fn all(&self) -> &[String] {
        match self {
            Self::One(one) => core::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredProgram {
    name: Spanned<Texts>,
    #[serde(default)]
    replace: bool,
    style: Option<Text>,
    options: Option<Text>,
    operands: Option<Text>,
    #[serde(default)]
    alternates: Vec<Text>,
    #[serde(default)]
    does: Vec<Text>,
    #[serde(default)]
    stdin: Vec<Text>,
    stdout: Option<Spanned<Texts>>,
    #[serde(default)]
    place: Vec<Text>,
    class: Option<Spanned<Texts>>,
    #[serde(default)]
    examples: Vec<Text>,
    #[serde(default)]
    sub: Vec<StoredProgram>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredRule {
    id: Text,
    #[serde(default)]
    kind: Vec<Text>,
    on: Vec<Text>,
    #[serde(default)]
    what: Vec<String>,
    #[serde(default)]
    any: Vec<String>,
    #[serde(default)]
    class: Option<Text>,
    #[serde(default)]
    lasting: bool,
    guard: Option<Text>,
    strict: Option<Text>,
    risk: Text,
    why: String,
    instead: String,
    #[serde(default)]
    lost: String,
    #[serde(default)]
    remember: bool,
    #[serde(default)]
    reversible: Vec<String>,
    #[serde(default, rename = "match")]
    matches: Vec<String>,
    #[serde(default)]
    not_match: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredPath {
    why: Text,
    glob: Vec<String>,
    #[serde(default)]
    except: Vec<String>,
    tags: Vec<String>,
}

/// What a file says.
pub(super) fn file(source: Source<'_>) -> Result<Book, Fault> {
    let stored: StoredFile = source.toml()?;
    Ok(Book {
        programs: stored
            .program
            .iter()
            .map(|p| fact(source, p))
            .collect::<Result<_, _>>()?,
        rules: stored.rule.iter().map(|r| rule(source, r)).collect::<Result<_, _>>()?,
        paths: stored.path.iter().map(|p| place(source, p)).collect::<Result<_, _>>()?,
    })
}

fn entry<T>(stanza: &Stanza<'_>, at: core::ops::Range<usize>, says: T, examples: Vec<Example>) -> Entry<T> {
    Entry {
        file: stanza.source.file.into(),
        line: stanza.source.line(&at, ""),
        says,
        examples,
    }
}

fn fact(source: Source<'_>, stored: &StoredProgram) -> Result<Entry<Fact>, Fault> {
    let name = stored.name.get_ref().all().join("/");
    let stanza = Stanza { source, name };
    let mut examples = Vec::new();
    let program = keep::one(program(&stanza, stored, &[], &mut examples)?);
    let says = Fact {
        program,
        replace: stored.replace,
    };
    Ok(entry(&stanza, stored.name.span(), says, examples))
}

/// A program and its subcommands. `above` are the options that are known from the programs before it.
fn program(
    stanza: &Stanza<'_>,
    stored: &StoredProgram,
    above: &[&'static [Opt]],
    examples: &mut Vec<Example>,
) -> Result<Program, Fault> {
    let names = stored.name.get_ref().all();
    if names.is_empty() || names.iter().any(String::is_empty) {
        return Err(stanza.fault(stored.name.span(), Wrong::new("", "a program has a name")));
    }
    let options = stored.options.as_ref();
    let options = options.map_or(Ok(&[][..]), |text| stanza.read(text, notation::options))?;
    let mut declared = above.to_vec();
    declared.push(options);
    only_declared(stanza, stored, &declared)?;
    for text in &stored.examples {
        examples.push(stanza.read(text, example)?);
    }
    let operands = stored.operands.as_ref();
    let subs = stored.sub.iter().map(|sub| {
        let name = format!("{} {}", stanza.name, sub.name.get_ref().all().join("/"));
        let source = stanza.source;
        program(&Stanza { source, name }, sub, &declared, examples)
    });
    let subs = subs.collect::<Result<_, _>>()?;
    let does = stanza.rows(&stored.does, notation::does)?;
    Ok(Program {
        names: keep::texts(names),
        style: style(stanza, stored.style.as_ref())?,
        options,
        operands: operands.map_or(Ok(&[][..]), |text| stanza.read(text, notation::slots))?,
        alternates: keep::list(stanza.rows(&stored.alternates, notation::alternate)?),
        subs: keep::list(subs),
        does: keep::list(does.into_iter().flatten().collect()),
        stdin: keep::list(stanza.rows(&stored.stdin, notation::stdin)?),
        stdout: labels(stanza, stored.stdout.as_ref())?,
        place: keep::list(stanza.rows(&stored.place, notation::stdout)?),
        class: classes(stanza, stored.class.as_ref())?,
    })
}

/// Labels with the conditions of each.
fn labels(stanza: &Stanza<'_>, rows: Option<&Spanned<Texts>>) -> Result<&'static [Labelled], Fault> {
    let Some(rows) = rows else { return Ok(&[]) };
    let row = |text: &String| notation::stdout(text).map_err(|wrong| stanza.fault(rows.span(), wrong));
    rows.get_ref()
        .all()
        .iter()
        .map(row)
        .collect::<Result<_, _>>()
        .map(keep::list)
}

/// The permission classes of a program, each with its conditions.
fn classes(stanza: &Stanza<'_>, rows: Option<&Spanned<Texts>>) -> Result<&'static [Labelled], Fault> {
    let read = labels(stanza, rows)?;
    let known = |(name, _): &&Labelled| CLASSES.contains(name);
    match (read.iter().find(|row| !known(row)), rows) {
        (Some((name, _)), Some(rows)) => Err(stanza.fault(rows.span(), no_class(name))),
        _ => Ok(read),
    }
}

fn no_class(name: &str) -> Wrong {
    Wrong::new(name, format!("there is no permission class `{name}`"))
        .hint(format!("Classes are {}.", CLASSES.join(", ")))
}

fn style(stanza: &Stanza<'_>, text: Option<&Text>) -> Result<Style, Fault> {
    let parse = |word: &str| {
        Style::parse(word).ok_or_else(|| {
            Wrong::new(word, format!("no style is called `{word}`")).hint(known(Style::ALL, Style::as_str))
        })
    };
    text.map_or(Ok(Style::Gnu), |text| stanza.read(text, parse))
}

/// A condition on an option that nobody declared could never hold.
fn only_declared(stanza: &Stanza<'_>, stored: &StoredProgram, declared: &[&'static [Opt]]) -> Result<(), Fault> {
    let is_declared = |name: &str| {
        declared
            .iter()
            .flat_map(|options| options.iter())
            .any(|o| o.named(name))
    };
    let rows = stored.does.iter().chain(&stored.alternates);
    let rows = rows.chain(&stored.stdin).chain(&stored.place);
    let rows = rows.map(|text| (text.get_ref(), text.span()));
    let classes = stored.class.iter();
    let classes = classes.flat_map(|texts| texts.get_ref().all().iter().map(|text| (text, texts.span())));
    for (text, span) in rows.chain(classes) {
        if let Some(name) = notation::mentioned(text).find(|name| !is_declared(name)) {
            let wrong = Wrong::new(
                name,
                format!("`{name}` is used in a condition but is not among the options"),
            );
            let hint = format!("Add a line such as `{name} = flag` to `options`.");
            return Err(stanza.fault(span, wrong.hint(hint)));
        }
    }
    Ok(())
}

fn example(text: &str) -> Result<Example, Wrong> {
    let Some((command, effect)) = text.split_once(" => ") else {
        return Err(Wrong::new(text, format!("`{text}` is not `command => effect`"))
            .hint("The right side is a text that one of the effects contains; `tollgate explain` shows them."));
    };
    Ok(Example::Effect {
        command: command.into(),
        effect: effect.into(),
    })
}

fn rule(source: Source<'_>, stored: &StoredRule) -> Result<Entry<Rule>, Fault> {
    let name = stored.id.get_ref().clone();
    let stanza = Stanza { source, name };
    if stored.id.get_ref().is_empty() {
        return Err(stanza.fault(stored.id.span(), Wrong::new("", "a rule has an id")));
    }
    if stored.matches.is_empty() {
        let wrong = Wrong::new("", "a rule carries an example that it matches");
        return Err(stanza.fault(
            stored.id.span(),
            wrong.hint("Add `match = [\"a command that it is about\"]`."),
        ));
    }
    if stored.on.is_empty() {
        let wrong = Wrong::new("", "a rule speaks about no act");
        return Err(stanza.fault(stored.id.span(), wrong.hint(known(Act::ALL, Act::as_str))));
    }
    let kind = |word: &str| {
        let wrong = || Wrong::new(word, format!("no kind of request is called `{word}`"));
        Kind::parse(word).ok_or_else(|| wrong().hint(known(Kind::ALL, Kind::as_str)))
    };
    let class = |name: &str| match CLASSES.iter().find(|class| **class == name) {
        Some(class) => Ok(*class),
        None => Err(no_class(name)),
    };
    let class = stored.class.as_ref().map(|text| stanza.read(text, class));
    let any = stored.any.iter().map(|line| keep::texts(line.split_whitespace()));
    let reversible = stored
        .reversible
        .iter()
        .map(|line| keep::texts(line.split_whitespace()));
    let says = Rule {
        id: keep::text(&stanza.name),
        kinds: keep::list(stanza.rows(&stored.kind, kind)?),
        acts: keep::list(stanza.rows(&stored.on, notation::act)?),
        whats: keep::texts(&stored.what),
        any: keep::list(any.collect()),
        class: class.transpose()?.unwrap_or_default(),
        guard: verdict(&stanza, stored.guard.as_ref(), Verdict::Ask)?,
        strict: verdict(&stanza, stored.strict.as_ref(), Verdict::Deny)?,
        risk: stanza.read(&stored.risk, risk)?,
        why: keep::text(&stored.why),
        instead: keep::text(&stored.instead),
        lost: keep::text(&stored.lost),
        remember: stored.remember,
        reversible: keep::list(reversible.collect()),
        lasting: stored.lasting,
    };
    let matches = stored.matches.iter().cloned().map(Example::Match);
    let examples = matches.chain(stored.not_match.iter().cloned().map(Example::NotMatch));
    Ok(entry(&stanza, stored.id.span(), says, examples.collect()))
}

fn verdict(stanza: &Stanza<'_>, text: Option<&Text>, otherwise: Verdict) -> Result<Verdict, Fault> {
    let parse = |word: &str| {
        let wrong = || Wrong::new(word, format!("no verdict is called `{word}`"));
        Verdict::parse(word).ok_or_else(|| wrong().hint(known(Verdict::ALL, Verdict::as_str)))
    };
    text.map_or(Ok(otherwise), |text| stanza.read(text, parse))
}

fn risk(word: &str) -> Result<Risk, Wrong> {
    let wrong = || Wrong::new(word, format!("no risk is called `{word}`"));
    Risk::parse(word).ok_or_else(|| wrong().hint(known(Risk::ALL, Risk::as_str)))
}

fn place(source: Source<'_>, stored: &StoredPath) -> Result<Entry<Place>, Fault> {
    let name = stored.tags.join(" ");
    let stanza = Stanza { source, name };
    let fault = |sentence: &str| Err(stanza.fault(stored.why.span(), Wrong::new("", sentence)));
    if stored.why.get_ref().is_empty() {
        return fault("a row says why");
    }
    if stored.glob.is_empty() || stored.tags.is_empty() {
        return fault("a row has globs and labels");
    }
    let says = Place {
        why: stored.why.get_ref().clone(),
        globs: keep::texts(&stored.glob),
        row: PathRow {
            except: keep::texts(&stored.except),
            tags: keep::texts(&stored.tags),
        },
    };
    Ok(entry(&stanza, stored.why.span(), says, Vec::new()))
}
