//! Command languages that work by lines: sed, SQL shells, editors, debuggers, ftp, make, Dockerfiles.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::Act;
use crate::facts::names::{is_passing, is_scratch};
use crate::facts::{Role, RoleKind};

/// A call that was found.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    /// Roles with the literal that they fall on; `None` when it is not a literal.
    pub(crate) uses: Vec<(Role, Option<String>)>,
    /// Effects of the call as such.
    pub(crate) acts: Vec<(Act, &'static str, &'static [&'static str])>,
}

const fn code(lang: &'static str) -> Role {
    Role {
        kind: RoleKind::Code,
        arg: lang,
        tags: &[],
    }
}

const SCRIPT: Role = Role {
    kind: RoleKind::Script,
    arg: "",
    tags: &[],
};
const WRITE: Role = Role {
    kind: RoleKind::Write,
    arg: "",
    tags: &[],
};
const INCLUDE: Role = Role {
    kind: RoleKind::RunFile,
    arg: "sql",
    tags: &[],
};
const READ: Role = Role {
    kind: RoleKind::Read,
    arg: "",
    tags: &[],
};

fn used(name: &str, role: Role, text: &str) -> Call {
    Call {
        name: name.into(),
        uses: alloc::vec![(role, Some(text.trim().to_string()))],
        acts: Vec::new(),
    }
}

fn done(name: &str, act: Act, what: &'static str) -> Call {
    Call {
        name: name.into(),
        uses: Vec::new(),
        acts: alloc::vec![(act, what, &[])],
    }
}

/// The calls of a line language, or `None` when `lang` is not one.
pub(super) fn scan(lang: &str, code: &str) -> Option<Vec<Call>> {
    Some(match lang {
        "sed" => sed(code),
        "sql" | "sqlite" => sql(code),
        "mongo" => mongo(code),
        "vim" | "ed" => editor(code),
        "gdb" => debugger(code),
        "ftp" => code
            .lines()
            .flat_map(|l| l.split(';'))
            .filter_map(|l| file_transfer(l.trim()))
            .collect(),
        "make" => make(code),
        "dockerfile" => code
            .lines()
            .filter_map(|l| l.trim().strip_prefix("RUN "))
            .map(|c| used("RUN", SCRIPT, c))
            .collect(),
        _ => return None,
    })
}

/// `!cmd`, `put FILE`
fn file_transfer(line: &str) -> Option<Call> {
    const SEND: Role = Role {
        kind: RoleKind::SendFile,
        arg: "",
        tags: &[],
    };
    if let Some(command) = line.strip_prefix('!') {
        return Some(used("!", SCRIPT, command));
    }
    let (verb, rest) = line.split_once(char::is_whitespace)?;
    let file = rest.split_whitespace().next()?;
    matches!(verb, "put" | "mput" | "send" | "append" | "reput").then(|| used("put", SEND, file))
}

/// Recipes, and the functions that run or touch something wherever they stand.
fn make(code: &str) -> Vec<Call> {
    let recipes = code.lines().filter_map(|l| l.strip_prefix('\t'));
    let mut out: Vec<Call> = recipes
        .map(|c| used("a recipe", SCRIPT, c.trim_start_matches(['@', '-', '+'])))
        .collect();
    for piece in code.split("$(").skip(1) {
        let piece = piece.split(')').next().unwrap_or_default().trim();
        let (name, rest) = piece.split_once(char::is_whitespace).unwrap_or((piece, ""));
        let file = rest
            .trim_start_matches(['<', '>', ' '])
            .split(',')
            .next()
            .unwrap_or_default();
        match name {
            "shell" => out.push(used("$(shell)", SCRIPT, rest)),
            "file" if rest.starts_with('<') => out.push(used("$(file)", READ, file)),
            "file" if rest.starts_with('>') => out.push(used("$(file)", WRITE, file)),
            _ => {}
        }
    }
    out
}

/// `e` runs what is there, `w` writes, `r` reads: as commands of their own and as flags of `s`.
fn sed(code: &str) -> Vec<Call> {
    let mut out = Vec::new();
    for line in code.lines().flat_map(|l| l.split(';')) {
        let line = line.trim();
        let command = line.trim_start_matches(|c: char| c.is_ascii_digit() || ",$ !".contains(c));
        let command = after_address(command);
        let rest = command.get(1..).unwrap_or_default();
        match command.chars().next() {
            Some('e') => out.push(if command.len() > 1 {
                used("e", SCRIPT, rest)
            } else {
                Call {
                    name: "e".into(),
                    uses: alloc::vec![(SCRIPT, None)],
                    acts: Vec::new(),
                }
            }),
            Some('w' | 'W') => out.push(used("w", WRITE, rest)),
            Some('r' | 'R') if command.starts_with("r ") || command.starts_with("R ") => {
                out.push(used("r", READ, rest))
            }
            Some('s') => substitute(command, &mut out),
            _ => {}
        }
    }
    out
}

fn after_address(command: &str) -> &str {
    match command.strip_prefix('/') {
        Some(rest) => rest.split_once('/').map_or("", |(_, c)| c.trim_start()),
        None => command,
    }
}

/// `s/x/y/e` runs the result; `s/x/y/w file` writes it.
fn substitute(command: &str, out: &mut Vec<Call>) {
    let mut chars = command.chars().skip(1);
    let Some(mark) = chars.next() else { return };
    let parts: Vec<&str> = command
        .get(1 + mark.len_utf8()..)
        .unwrap_or_default()
        .split(mark)
        .collect();
    let [_, with, flags, ..] = parts.as_slice() else { return };
    let (head, file) = flags
        .split_once(['w', ' '])
        .map_or((*flags, None), |(h, f)| (h, Some(f)));
    if head.contains('e') {
        out.push(used("s///e", SCRIPT, with));
    }
    if let Some(file) = file.filter(|f| !f.trim().is_empty() && flags.contains('w')) {
        out.push(used("s///w", WRITE, file));
    }
}

fn sql(code: &str) -> Vec<Call> {
    let mut out = Vec::new();
    for line in code.lines() {
        let line = line.trim();
        if let Some(command) = line
            .strip_prefix("\\!")
            .or_else(|| line.strip_prefix(".shell "))
            .or_else(|| line.strip_prefix(".system "))
            .or_else(|| line.strip_prefix("system "))
        {
            out.push(used("a shell escape", SCRIPT, command));
        }
        if let Some(file) = [".output ", ".once ", ".log ", ".backup ", ".save ", "\\o "]
            .iter()
            .find_map(|p| line.strip_prefix(p))
        {
            let piped = file.trim_start().strip_prefix('|');
            out.push(piped.map_or_else(
                || used("an output file", WRITE, file),
                |c| used("an output pipe", SCRIPT, c),
            ));
        }
        let first = |text: &str| text.split_whitespace().next().unwrap_or_default().to_string();
        if let Some(file) = line.strip_prefix(".import ") {
            out.push(used("an input file", READ, &first(file)));
        }
        let included = [".read ", "\\i ", "\\ir ", "source ", "\\. "];
        if let Some(file) = included.iter().find_map(|p| line.strip_prefix(p)) {
            out.push(used("an included file", INCLUDE, first(file).trim_end_matches(';')));
        }
    }
    for statement in uncommented(code).split(';') {
        let words: Vec<String> = statement.split_whitespace().map(str::to_ascii_lowercase).collect();
        statement_calls(statement, &words, &mut out);
    }
    out
}

/// The code without comments, which part words.
fn uncommented(code: &str) -> String {
    let mut out = String::new();
    let mut rest = code;
    while let Some((before, after)) = rest.split_once("/*") {
        out.push_str(before);
        // MySQL runs what stands in `/*! .. */`.
        let (inside, tail) = after.split_once("*/").unwrap_or((after, ""));
        let live = inside.strip_prefix('!').unwrap_or_default();
        out.push(' ');
        out.push_str(live.trim_start_matches(|c: char| c.is_ascii_digit()));
        out.push(' ');
        rest = tail;
    }
    out.push_str(rest);
    let lines = out
        .lines()
        .map(|line| line.split_once("-- ").map_or(line, |(code, _)| code));
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether a `DELETE` or `UPDATE` has no condition, or one that always holds.
fn takes_all(words: &[String]) -> bool {
    let Some(at) = words.iter().position(|w| w == "where") else {
        return true;
    };
    let condition: String = words.get(at + 1..).unwrap_or_default().concat();
    let same = condition.split_once('=').is_some_and(|(a, b)| a == b && !a.is_empty());
    same || matches!(condition.as_str(), "true" | "1")
}

fn statement_calls(statement: &str, words: &[String], out: &mut Vec<Call>) {
    let word = |i: usize| words.get(i).map_or("", String::as_str);
    let has = |w: &str| words.iter().any(|x| x == w);
    let lost = match word(0) {
        "drop" => matches!(
            word(1),
            "table" | "database" | "schema" | "user" | "role" | "tablespace" | "owned" | "keyspace" | "collection"
        ),
        "truncate" => true,
        "delete" | "update" => words.len() > 2 && takes_all(words),
        "alter" => has("drop") && (has("column") || has("partition")),
        "flushall" | "flushdb" => true,
        _ => false,
    };
    if lost {
        let tags: &[&str] = if for_trials(statement) { &["scratch"] } else { &[] };
        let mut call = done(word(0), Act::Do, "database.drop");
        call.acts = alloc::vec![(Act::Do, "database.drop", tags)];
        out.push(call);
    }
    if has("copy")
        && has("program")
        && let Some(command) = statement.split('\'').nth(1)
    {
        out.push(used("copy to program", SCRIPT, command));
    }
    for (needle, role) in [
        ("load_file(", READ),
        ("pg_read_file(", READ),
        ("readfile(", READ),
        ("into outfile", WRITE),
        ("into dumpfile", WRITE),
        ("writefile(", WRITE),
    ] {
        if let Some(at) = statement.to_ascii_lowercase().find(needle)
            && let Some(file) = statement.get(at..).and_then(|s| s.split(['\'', '"']).nth(1))
        {
            out.push(used(needle, role, file));
        }
    }
}

/// Whether all that a statement drops or empties is named as something made for trials, or as a table that only passes
/// things on.
fn for_trials(statement: &str) -> bool {
    const BEFORE: &[&str] = &[
        "drop", "truncate", "delete", "from", "table", "database", "schema", "only", "if", "exists",
    ];
    const AFTER: &[&str] = &["cascade", "restrict", "restart", "continue", "with", "where", "using"];
    let is = |list: &[&str], word: &str| list.iter().any(|w| w.eq_ignore_ascii_case(word));
    let parts = statement
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|w| !w.is_empty());
    let mut names = parts
        .skip_while(|w| is(BEFORE, w))
        .take_while(|w| !is(AFTER, w))
        .peekable();
    let whole = statement.to_ascii_lowercase().contains("database");
    names.peek().is_some()
        && names.all(|name| {
            let last = name
                .rsplit('.')
                .next()
                .unwrap_or(name)
                .trim_matches(['"', '`', '[', ']', '\'']);
            if whole { is_scratch(last) } else { is_passing(last) }
        })
}

fn mongo(code: &str) -> Vec<Call> {
    let calls = [
        "dropDatabase(",
        ".drop(",
        "deleteMany({})",
        "remove({})",
        "dropUser(",
        "dropAllUsers(",
        "dropIndexes(",
        "shutdownServer(",
        "dropCollection(",
    ];
    calls
        .iter()
        .filter(|c| code.contains(**c))
        .map(|c| done(c.trim_end_matches(['(', ')', '{', '}']), Act::Do, "database.drop"))
        .collect()
}

/// `:!cmd`, `!cmd`, `:w file`, `:py code`
fn editor(code: &str) -> Vec<Call> {
    let mut out = Vec::new();
    // The file that is open by then.
    let mut open = None;
    for line in code.lines().flat_map(|l| l.split('|')) {
        let line = line.trim().trim_start_matches(':').trim_start_matches(['%', ' ']);
        if ["terminal", "term", "shell", "sh"].contains(&line) {
            // A shell that somebody can type into.
            out.push(used(line, SCRIPT, "sh"));
        } else if let Some(command) = ["r !", "!", "terminal ", "term "]
            .iter()
            .find_map(|p| line.strip_prefix(p))
        {
            out.push(used("!", SCRIPT, command));
        } else if let Some(code) = ["py3 ", "py ", "python3 ", "python ", "pythonx "]
            .iter()
            .find_map(|p| line.strip_prefix(p))
        {
            out.push(used("py", self::code("python"), code));
        } else if let Some(code) = line.strip_prefix("lua ") {
            out.push(used("lua", self::code("lua"), code));
        } else if line.contains("system(") {
            out.push(used("system", self::code("other"), line));
        } else if let Some(program) = line.strip_prefix("set shell=") {
            out.push(used("set shell", SCRIPT, &program.replace("\\ ", " ")));
        } else {
            out.extend(edited(line, &mut open));
        }
    }
    out
}

/// What an editor does to a file: `w file`, `w >> file`, `w !cmd`, `e file` and then `w`, `saveas file`, `delete('file')`.
fn edited(line: &str, open: &mut Option<String>) -> Option<Call> {
    const DELETE: Role = Role {
        kind: RoleKind::Delete,
        arg: "",
        tags: &[],
    };
    let line = without_modifiers(line);
    if let Some((_, called)) = line.split_once("writefile(") {
        let file = called.rsplit_once(',').map(|(_, file)| quoted(file));
        return file.map(|file| used("writefile", WRITE, file));
    }
    if let Some(called) = line
        .strip_prefix("call delete(")
        .or_else(|| line.strip_prefix("delete("))
    {
        return Some(used("delete", DELETE, quoted(called)));
    }
    let (verb, rest) = line.split_at(line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len()));
    let rest = rest.strip_prefix('!').unwrap_or(rest).trim();
    if let (Some(command), true) = (rest.strip_prefix('!'), shortens(verb, "write", 1)) {
        return Some(used("!", SCRIPT, command));
    }
    let rest = rest.trim_start_matches(['>', ' ']);
    let file = rest.split_whitespace().find(|word| !word.starts_with("++"));
    let writes = shortens(verb, "write", 1)
        || ["W", "wq", "x", "wa", "wall", "xa", "xall", "wqa", "wqall"].contains(&verb)
        || shortens(verb, "update", 2)
        || shortens(verb, "exit", 3)
        || shortens(verb, "xit", 1);
    let saves = shortens(verb, "saveas", 3)
        || shortens(verb, "redir", 4)
        || shortens(verb, "mksession", 3)
        || shortens(verb, "mkvimrc", 3);
    match file {
        Some(file) if writes || saves => Some(used("w", WRITE, file)),
        Some(file) if shortens(verb, "edit", 1) || shortens(verb, "file", 1) || shortens(verb, "split", 2) => {
            *open = Some(file.into());
            (!shortens(verb, "file", 1)).then(|| used("e", READ, file))
        }
        Some(file) if shortens(verb, "read", 1) => Some(used("r", READ, file)),
        None if writes => open.as_deref().map(|file| used("w", WRITE, file)),
        _ => None,
    }
}

/// A command of an editor without its range (`1,$`, `'a,'b`) and what only says how it is carried out (`silent!`).
fn without_modifiers(line: &str) -> &str {
    const HOW: [&str; 7] = ["silent!", "silent", "sil!", "sil", "noautocmd", "keepalt", "lockmarks"];
    let range = |c: char| c.is_ascii_digit() || ".,$%;+- :".contains(c);
    let mut line = line.trim_start_matches(range);
    while let Some(rest) = HOW.iter().find_map(|how| line.strip_prefix(how)?.strip_prefix(' ')) {
        line = rest.trim_start_matches(range);
    }
    line
}

/// Whether a word is a command of an editor, cut short to so many letters at most.
fn shortens(word: &str, command: &str, least: usize) -> bool {
    word.len() >= least && command.starts_with(word)
}

/// The text in the first quotes.
fn quoted(text: &str) -> &str {
    let text = text.trim();
    let mark = text.find(['\'', '"']);
    let inside = mark.and_then(|at| text.get(at + 1..)).unwrap_or(text);
    inside.split(['\'', '"']).next().unwrap_or_default()
}

fn debugger(code: &str) -> Vec<Call> {
    let mut out = Vec::new();
    for line in code.lines() {
        let line = line.trim();
        if let Some(command) = line
            .strip_prefix("shell ")
            .or_else(|| line.strip_prefix('!'))
            .or_else(|| line.strip_prefix("platform shell "))
            .or_else(|| line.strip_prefix("make "))
        {
            out.push(used("shell", SCRIPT, command));
        } else if let Some(code) = line.strip_prefix("python ").or_else(|| line.strip_prefix("script ")) {
            out.push(used("python", self::code("python"), code));
        } else if line.contains("system(") {
            out.push(used("system", self::code("other"), line));
        }
    }
    out
}
