//! Patches that stand in shell commands.
//!
//! The client takes such a patch out of the command and applies it itself, or a program of its own does so in whatever
//! folder the command went to; its hook sees the command alone. The text is parsed as bash parses it, every patch in it
//! is read, and its files are taken to be in every folder that the command could have gone to by then. A patch that is
//! not there to be read (a file, a substitution, a filter) is refused.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use policy::{Kind, Request, Subject};
use shell::{Command, Form, Node, Part, Pipeline, RedirectOp, Script, Word};

use crate::Refusal;
use crate::patch::{BEGIN, read};

/// Shells within shells are followed this far.
const DEEPEST: usize = 8;
/// A command that could be in more folders than this is refused.
const FOLDERS: usize = 32;
/// A command with more patches, or more changes of its folder, is refused.
const MOST: usize = 256;
/// Programs that run another one that follows as words.
const WRAPPERS: [&str; 17] = [
    "builtin", "busybox", "chroot", "command", "doas", "env", "exec", "firejail", "ionice", "nice", "nohup", "setsid",
    "stdbuf", "sudo", "time", "timeout", "xargs",
];
/// Programs that run the text they are given.
const SHELLS: [&str; 8] = ["ash", "bash", "busybox", "dash", "fish", "ksh", "sh", "zsh"];
/// Options of wrappers that name the folder in which the program runs.
const FOLDER_OPTIONS: [&str; 4] = ["-C", "-D", "--cd", "--chdir"];
/// Programs that hand their text on as it is.
const PLAIN: [&str; 4] = ["cat", "echo", "printf", "tee"];

/// The files of all patches that stand in a shell command.
///
/// # Errors
/// A [`Refusal`] where one of `patchers` runs and its patch, or the folder it works in, cannot be read. A text that is no
/// patch, in a command that applies none, is just a text: it is judged as part of the command.
pub(crate) fn patches(command: &str, cwd: &str, patchers: &'static [&'static str]) -> Result<Vec<Request>, Refusal> {
    if patchers.is_empty() || !command.contains(BEGIN) && !patchers.iter().any(|p| mentions(command, p)) {
        return Ok(Vec::new());
    }
    let mut seen = Seen {
        patchers,
        ..Seen::default()
    };
    seen.text(command, None, 0);
    if let Some(why) = seen.unreadable {
        return Err(refusal(why));
    }
    let many = [seen.moves.len(), seen.texts.len(), command.matches(BEGIN).count()];
    if many.into_iter().any(|n| n > MOST) {
        // Where none is applied they are just text.
        return if seen.runs > 0 {
            Err(refusal("it holds too many patches or goes through too many folders"))
        } else {
            Ok(Vec::new())
        };
    }
    let mut texts: Vec<(usize, String)> = Vec::new();
    for (at, _) in command.match_indices(BEGIN) {
        let (_, rest) = command.split_at(at);
        let length = rest.get(1..).and_then(|r| r.find(BEGIN)).map_or(rest.len(), |n| n + 1);
        texts.push((at, String::from(rest.split_at(length).0)));
    }
    // What a shell makes of quotes: `$'..\n..'`, `"*** Begin ""Patch"`.
    texts.extend(seen.texts.iter().filter(|(_, text)| !command.contains(text)).cloned());
    let mut requests: Vec<Request> = Vec::new();
    for (at, text) in &texts {
        let readings = readings(text);
        if readings.is_empty() && seen.runs > 0 {
            return Err(refusal("a patch in it cannot be read"));
        }
        if readings.is_empty() {
            continue;
        }
        let folders = seen.folders(*at)?;
        for subject in readings {
            for subject in placed(&subject, &folders, seen.runs > 0)? {
                let request = Request {
                    kind: Kind::FileWrite,
                    subject,
                    cwd: String::from(cwd),
                };
                if !requests.contains(&request) {
                    requests.push(request);
                }
            }
        }
    }
    Ok(requests)
}

/// Whether the name of a patch program could stand in the text, in quotes or out of them.
fn mentions(command: &str, patcher: &str) -> bool {
    let mut wanted = patcher.bytes().peekable();
    let plain = command.bytes().filter(|b| !matches!(b, b'"' | b'\'' | b'\\' | b'\n'));
    if command.contains(patcher) {
        return true;
    }
    // One pass is enough for a test that only saves work: the first letters of the names do not repeat in them.
    for b in plain {
        match wanted.peek() {
            None => return true,
            Some(next) if *next == b => {
                wanted.next();
            }
            Some(_) => {
                wanted = patcher.bytes().peekable();
                if wanted.peek() == Some(&b) {
                    wanted.next();
                }
            }
        }
    }
    wanted.peek().is_none()
}

/// The files of a patch as it stands, and with `\n` read as line ends, as `printf` and `echo -e` do.
fn readings(text: &str) -> Vec<Subject> {
    let mut subjects = read(text).unwrap_or_default();
    if text.contains("\\n") {
        let unescaped = text.replace("\\n", "\n").replace("\\t", "\t");
        for subject in read(&unescaped).unwrap_or_default() {
            if !subjects.contains(&subject) {
                subjects.push(subject);
            }
        }
    }
    subjects
}

/// The file in every folder it could be in. The one in the call's own folder comes first.
fn placed(subject: &Subject, folders: &[Option<String>], runs: bool) -> Result<Vec<Subject>, Refusal> {
    let mut all = Vec::from([subject.clone()]);
    let Subject::File { path, delete, content } = subject else {
        return Ok(all);
    };
    if path.starts_with(['/', '~']) {
        return Ok(all);
    }
    for folder in folders {
        match folder {
            Some(folder) => all.push(Subject::File {
                path: join(folder, path),
                delete: *delete,
                content: content.clone(),
            }),
            None if runs => {
                return Err(refusal(
                    "the folder it goes to is not known; name files by absolute paths",
                ));
            }
            None => {}
        }
    }
    Ok(all)
}

fn join(folder: &str, path: &str) -> String {
    if path.starts_with(['/', '~']) || folder.is_empty() {
        return String::from(path);
    }
    format!("{}/{path}", folder.trim_end_matches('/'))
}

fn refusal(why: &str) -> Refusal {
    Refusal {
        kind: "unreadable-patch",
        sentence: format!("The command applies a patch that cannot be judged: {why}."),
        hint: String::from(
            "Put the patch itself into the command, as in `apply_patch <<'EOF'`, after a plain `cd FOLDER &&` if any.",
        ),
    }
}

/// What was seen in a command.
#[derive(Default)]
struct Seen {
    patchers: &'static [&'static str],
    /// Where the command goes, with the byte at which it does; `None` for a folder that is not known.
    moves: Vec<(usize, Option<String>)>,
    /// Order in the text is not order in time: functions, loops, pipes, traps, the background.
    tangled: bool,
    /// Words that hold a patch, out of their quotes.
    texts: Vec<(usize, String)>,
    /// How many patch programs run.
    runs: usize,
    unreadable: Option<&'static str>,
}

impl Seen {
    /// The folders in which a patch at that byte could be applied, relative to the call's own.
    fn folders(&self, at: usize) -> Result<Vec<Option<String>>, Refusal> {
        let mut all: Vec<Option<String>> = Vec::new();
        for (_, target) in self.moves.iter().filter(|(place, _)| self.tangled || *place < at) {
            let mut next = Vec::from([target.clone()]);
            if let Some(target) = target {
                let below = all.iter().map(|f| f.as_ref().map(|f| join(f, target)));
                next.extend(below);
            }
            for folder in next {
                if !all.contains(&folder) {
                    all.push(folder);
                }
            }
            if all.len() > FOLDERS {
                return Err(refusal("it goes through too many folders"));
            }
        }
        Ok(all)
    }

    /// Looks through a text; `place` is where it stands in the whole command if it is inside of another.
    fn text(&mut self, text: &str, place: Option<usize>, depth: usize) {
        if depth > DEEPEST {
            self.unreadable = Some("it stands too deep");
            return;
        }
        let script = shell::parse(text);
        script.visit(&mut |node| match node {
            Node::Script(script) => self.script(script, text, place, depth),
            Node::Command(command) => self.command(command, place),
            Node::Word(word) => self.word(word, text, place),
            Node::Redirect(_) => {}
        });
    }

    fn script(&mut self, script: &Script, text: &str, place: Option<usize>, depth: usize) {
        for item in &script.items {
            self.tangled |= item.background;
            self.pipeline(&item.chain.first, text, place, depth);
            for (_, pipeline) in &item.chain.rest {
                self.pipeline(pipeline, text, place, depth);
            }
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline, text: &str, place: Option<usize>, depth: usize) {
        self.tangled |= pipeline.stages.len() > 1;
        for (n, stage) in pipeline.stages.iter().enumerate() {
            let Form::Simple { words, .. } = &stage.form else {
                continue;
            };
            let before = pipeline.stages.get(..n).unwrap_or_default();
            if let Some(at) = self.patcher(words) {
                self.runs += 1;
                let arguments = words.get(at + 1..).unwrap_or_default();
                if let Some(why) = source(stage, arguments, before, text) {
                    self.unreadable = Some(why);
                }
            }
            for inner in inner_texts(stage, words) {
                self.text(&inner, Some(place.unwrap_or(start(words))), depth + 1);
            }
        }
    }

    /// Which word starts a patch program.
    fn patcher(&self, words: &[Word]) -> Option<usize> {
        let names: Vec<Option<String>> = words
            .iter()
            .map(|w| w.literal().map(|t| String::from(base(&t))))
            .collect();
        let known = |n: &Option<String>| n.as_deref().is_some_and(|n| self.patchers.contains(&n));
        let at = names.iter().position(known)?;
        let (first, between) = (names.first()?.as_deref(), names.get(1..at.max(1))?);
        let option = names.get(at)?.as_deref().is_some_and(|n| n.starts_with('-'));
        let looked_up = first == Some("command") && between.iter().any(|w| matches!(w.as_deref(), Some("-v" | "-V")));
        let runs = if option {
            // `codex --codex-run-as-apply-patch`, and programs whose name is not known.
            names
                .iter()
                .take(at)
                .any(|n| n.as_deref().is_none_or(|n| n.contains("codex")))
        } else {
            let found = names.get(at.wrapping_sub(1)).and_then(Option::as_deref);
            at == 0
                || first.is_some_and(|n| WRAPPERS.contains(&n)) && between_is_plain(between)
                || matches!(found, Some("-exec" | "-execdir" | "-ok" | "-okdir"))
        };
        (runs && !looked_up).then_some(at)
    }

    fn command(&mut self, command: &Command, place: Option<usize>) {
        let words = match &command.form {
            Form::Simple { words, assigns } => {
                if assigns.iter().any(|a| a.name == "CDPATH") {
                    self.moves.push((0, None));
                }
                words
            }
            Form::Function { .. }
            | Form::Loop { .. }
            | Form::For { .. }
            | Form::ForArith { .. }
            | Form::Coproc(_)
            | Form::More(_) => {
                self.tangled = true;
                return;
            }
            _ => return,
        };
        let at = place.unwrap_or(start(words));
        let mut rest = words.as_slice();
        while let Some((word, more)) = rest.split_first() {
            rest = more;
            let Some(text) = word.literal() else { continue };
            match base(&text) {
                "trap" => self.tangled = true,
                "cd" | "pushd" | "chdir" | "z" => {
                    self.moves.extend(target(more).map(|t| (at, t)));
                    return;
                }
                option if FOLDER_OPTIONS.contains(&option) => self.moves.extend(target(more).map(|t| (at, t))),
                _ => {
                    if let Some(folder) = text.strip_prefix("--chdir=").or_else(|| text.strip_prefix("--cd=")) {
                        self.moves.push((at, Some(String::from(folder))));
                    }
                }
            }
        }
    }

    /// A word that holds a patch itself, not in a substitution within it.
    fn word(&mut self, word: &Word, text: &str, place: Option<usize>) {
        let mut own = String::new();
        let whole = own_text(&word.parts, &mut own);
        let Some(found) = own.find(BEGIN) else { return };
        if !whole && self.runs > 0 {
            self.unreadable = Some("the shell would change it; put the delimiter of the here-document into quotes");
        }
        let (_, patch) = own.split_at(found);
        let at = place.unwrap_or(usize::try_from(word.span.start).unwrap_or(text.len()));
        self.texts.push((at, String::from(patch)));
    }
}

/// Where words start.
fn start(words: &[Word]) -> usize {
    words
        .first()
        .and_then(|w| usize::try_from(w.span.start).ok())
        .unwrap_or_default()
}

/// Options, their arguments, assignments and numbers: what can stand between a wrapper and its program.
fn between_is_plain(words: &[Option<String>]) -> bool {
    let mut option = false;
    words.iter().all(|word| {
        let word = word.as_deref().unwrap_or("-");
        let plain = word.starts_with(['-', '.'])
            || word.starts_with(|c: char| c.is_ascii_digit())
            || word.contains('=')
            || WRAPPERS.contains(&word)
            || option;
        option = word.starts_with('-');
        plain
    })
}

/// The folder that `cd` is given: `None` where it goes nowhere new, `Some(None)` where that is not known.
fn target(words: &[Word]) -> Option<Option<String>> {
    let mut words = words.iter().skip_while(|w| {
        let option = w.literal();
        option.is_some_and(|w| w.starts_with('-') && w != "-")
    });
    let Some(word) = words.next() else {
        return Some(Some(String::from("~")));
    };
    if let [Part::Param(param)] = word.parts.as_slice() {
        return variable(&param.name);
    }
    if let [Part::Double(inner)] = word.parts.as_slice()
        && let [Part::Param(param)] = inner.as_slice()
    {
        return variable(&param.name);
    }
    match word.literal() {
        Some(text) if text == "-" || text.is_empty() => None,
        Some(_) if active(&word.parts) => Some(None),
        other => Some(other),
    }
}

fn variable(name: &str) -> Option<Option<String>> {
    match name {
        "HOME" => Some(Some(String::from("~"))),
        "PWD" | "OLDPWD" => None,
        _ => Some(None),
    }
}

/// Whether unquoted text holds a glob or braces.
fn active(parts: &[Part]) -> bool {
    parts
        .iter()
        .any(|part| matches!(part, Part::Lit(text) if text.contains(['*', '?', '[', '{'])))
}

/// The last part of a path.
fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Why the patch of a program cannot be read; `None` where it stands in the command.
fn source(stage: &Command, arguments: &[Word], before: &[Command], text: &str) -> Option<&'static str> {
    let has_patch = |word: &Word| {
        let raw = (usize::try_from(word.span.start), usize::try_from(word.span.end));
        let raw = if let (Ok(start), Ok(end)) = raw {
            text.get(start..end)
        } else {
            None
        };
        let mut own = String::new();
        own_text(&word.parts, &mut own);
        own.contains(BEGIN) || raw.is_some_and(|raw| raw.contains(BEGIN))
    };
    let helps = |w: &Word| matches!(w.literal().as_deref(), Some("--help" | "-h" | "--version" | "-V"));
    if arguments.iter().any(helps) {
        return None;
    }
    match arguments.first() {
        Some(word) if word.literal().as_deref() != Some("-") => {
            return (!has_patch(word)).then_some("it does not stand in the command itself");
        }
        _ => {}
    }
    let inputs = stage.redirects.iter().rev().find(|r| {
        matches!(
            r.op,
            RedirectOp::Read | RedirectOp::ReadWrite | RedirectOp::DupIn | RedirectOp::HereDoc | RedirectOp::HereString
        ) && r.fd.is_none_or(|fd| fd == 0)
    });
    if let Some(input) = inputs {
        let here = matches!(input.op, RedirectOp::HereDoc | RedirectOp::HereString) && has_patch(&input.target);
        return (!here).then_some("it does not stand in the command itself");
    }
    if before.is_empty() {
        // The input of a group around it, or nothing at all.
        return (!text.contains(BEGIN)).then_some("it does not stand in the command itself");
    }
    let (mut here, mut changed) = (false, false);
    for command in before {
        let Form::Simple { words, .. } = &command.form else {
            changed = true;
            continue;
        };
        let name = words.first().and_then(Word::literal).unwrap_or_default();
        changed |= !PLAIN.contains(&base(&name));
        here |= words.iter().any(has_patch) || command.redirects.iter().any(|r| has_patch(&r.target));
        let format = words.get(1).and_then(Word::literal).unwrap_or_default();
        changed |= base(&name) == "printf" && format.contains(BEGIN) && format.replace("%%", "").contains('%');
        changed |= base(&name) == "cat" && !here;
    }
    if !here {
        return Some("it does not stand in the command itself");
    }
    changed.then_some("a program changes it first")
}

/// Texts that the command hands to a shell.
fn inner_texts(command: &Command, words: &[Word]) -> Vec<String> {
    let literal: Vec<Option<String>> = words.iter().map(Word::literal).collect();
    let name = literal
        .iter()
        .flatten()
        .map(|w| base(w))
        .find(|w| SHELLS.contains(w) || *w == "eval");
    let Some(name) = name else { return Vec::new() };
    let mut texts = Vec::new();
    if name == "eval" {
        let all: Vec<String> = literal.iter().skip(1).flatten().cloned().collect();
        texts.push(all.join(" "));
        return texts;
    }
    let is_c = |w: &String| w.starts_with('-') && !w.starts_with("--") && w.ends_with('c');
    let at = literal.iter().position(|w| w.as_ref().is_some_and(is_c));
    if let Some(text) = at.and_then(|at| literal.get(at + 1)).cloned().flatten() {
        texts.push(text);
    }
    for redirect in &command.redirects {
        if matches!(redirect.op, RedirectOp::HereDoc | RedirectOp::HereString) {
            let mut text = String::new();
            own_text(&redirect.target.parts, &mut text);
            texts.push(text);
        }
    }
    texts
}

/// The text of parts out of their quotes, without what is put in by the shell; false where there is such.
fn own_text(parts: &[Part], text: &mut String) -> bool {
    let mut whole = true;
    for part in parts {
        match part {
            Part::Lit(s) | Part::Quoted(s) => text.push_str(s),
            Part::Double(inner) => whole &= own_text(inner, text),
            Part::Param(_)
            | Part::Command(_)
            | Part::Arith(_)
            | Part::Process { .. }
            | Part::Array(_)
            | Part::Words(_) => {
                whole = false;
            }
        }
    }
    whole
}
