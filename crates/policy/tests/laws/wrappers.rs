//! Ways to say the same command again: each gives a text that does what the command does, and perhaps more.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use shell::Form;

/// A command, and its words if it is nothing but a program with its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) text: String,
    words: Option<Vec<String>>,
}

impl Subject {
    /// `None` for a text that cannot be read: around it, nothing is what it seems.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let script = shell::parse(text);
        (!script.has_faults()).then(|| Self {
            text: text.to_owned(),
            words: words(text, &script),
        })
    }

    fn program(&self) -> Option<(&str, &[String])> {
        let (name, rest) = self.words.as_ref()?.split_first()?;
        Some((name, rest))
    }
}

/// Names that mean something only to the shell itself, so that no other program can start them.
const BUILTINS: &[&str] = &[
    ".", "alias", "bind", "builtin", "cd", "command", "coproc", "declare", "enable", "eval", "exec", "export",
    "history", "mapfile", "popd", "printf", "pushd", "read", "readonly", "set", "shopt", "source", "trap", "type",
    "typeset", "unset", "time", "[", "[[", "test", "echo", "kill", "hash", "let", "local", "fc", "ulimit", "umask",
    "jobs", "wait", ":",
];

/// The words of a text that is one simple command without assignments and redirections, as they are written.
fn words(text: &str, script: &shell::Script) -> Option<Vec<String>> {
    let [item] = script.items.as_slice() else { return None };
    let pipeline = &item.chain.first;
    let plain = item.chain.rest.is_empty() && !item.background && !pipeline.negated && !pipeline.timed;
    let [command] = pipeline.stages.as_slice() else {
        return None;
    };
    let Form::Simple { assigns, words } = &command.form else {
        return None;
    };
    let whole = text.len() == command.span.end as usize && command.span.start == 0;
    if !plain || !assigns.is_empty() || !command.redirects.is_empty() || !whole {
        return None;
    }
    let name = words.first()?.literal()?;
    let usual = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if BUILTINS.contains(&name.as_str()) || !name.chars().all(usual) || !text.starts_with(&name) {
        return None;
    }
    let raw = |word: &shell::Word| {
        text.get(word.span.start as usize..word.span.end as usize)
            .map(str::to_owned)
    };
    words.iter().map(raw).collect()
}

/// One way to say a command again.
pub(crate) struct Wrapper {
    pub(crate) name: &'static str,
    /// `None` where it cannot be said that way.
    pub(crate) wrap: fn(&Subject) -> Option<String>,
    /// Whether it does nothing beside the command.
    pub(crate) transparent: bool,
}

/// In single quotes.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// In backticks, where a backslash protects three characters.
fn ticked(text: &str) -> String {
    let protected: String = text
        .chars()
        .flat_map(|c| matches!(c, '\\' | '`' | '$').then_some('\\').into_iter().chain([c]))
        .collect();
    format!("`\n{protected}\n`")
}

/// A table of wrappers around any text: `%t` stands for the text, `%q` for the text in quotes.
macro_rules! around {
    ($($transparent:ident $name:literal = $template:literal),* $(,)?) => {
        &[$(Wrapper {
            name: $name,
            wrap: |subject| Some(fill($template, &subject.text)),
            transparent: is!($transparent),
        }),*]
    };
}

/// A table of wrappers around the words of a simple command.
macro_rules! around_words {
    ($($transparent:ident $name:literal = $wrap:expr),* $(,)?) => {
        &[$(Wrapper {
            name: $name,
            wrap: |subject| {
                let (program, arguments) = subject.program()?;
                let wrap: fn(&str, &str) -> String = $wrap;
                Some(wrap(program, &arguments.join(" ")))
            },
            transparent: is!($transparent),
        }),*]
    };
}

macro_rules! is {
    (clear) => {
        true
    };
    (other) => {
        false
    };
}

/// The text always has lines of its own, so that a comment or a here-document at its end stays what it is.
fn fill(template: &str, text: &str) -> String {
    // The template is taken apart first: the text may hold the same marks.
    let mut out = String::new();
    for (i, piece) in template.split("%t").enumerate() {
        if i > 0 {
            out.push_str(&format!("\n{text}\n"));
        }
        for (j, piece) in piece.split("%q").enumerate() {
            if j > 0 {
                out.push_str(&quoted(text));
            }
            out.push_str(piece);
        }
    }
    out
}

/// `{}` means something else inside `find -exec`.
fn without_braces(text: &str) -> Option<&str> {
    (!text.contains("{}")).then_some(text)
}

/// `$'..'` with every byte as a number.
fn octal(text: &str) -> String {
    let numbers: String = text.bytes().map(|byte| format!("\\{byte:03o}")).collect();
    format!("$'{numbers}'")
}

pub(crate) const TEXTS: &[Wrapper] = around![
    clear "bash -c" = "bash -c %q",
    clear "bash -lc" = "bash -lc %q",
    clear "bash -c with words" = "bash --norc -e -c %q one two",
    clear "env bash -c" = "env A=1 bash -c %q",
    other "sudo bash -c" = "sudo bash -c %q",
    clear "nohup bash -c" = "nohup bash -c %q",
    clear "timeout bash -c" = "timeout -k 1 5 bash -c %q",
    clear "nice bash -c" = "nice -n 5 bash -c %q",
    clear "setsid bash -c" = "setsid -w bash -c %q",
    clear "command bash -c" = "command bash -c %q",
    clear "exec bash -c" = "exec bash -c %q",
    clear "eval" = "eval %q",
    clear "eval of a variable" = "v_=%q; eval \"$v_\"",
    clear "bash -c of a variable" = "v_=%q\nbash -c \"$v_\"",
    clear "subshell" = "(%t)",
    clear "group" = "{%t}",
    clear "if" = "if :; then%tfi",
    clear "else" = "if [ -e nothing ]; then :; else%tfi",
    clear "condition" = "if%t then :; fi",
    clear "for" = "for i_ in 1; do%tdone",
    clear "while" = "while :; do%tbreak; done",
    clear "until" = "until%t do break; done",
    clear "case" = "case x in x)%t;; esac",
    clear "case of an unknown" = "case $(date) in x)%t;; *) :;; esac",
    clear "function" = "f_() {%t}; f_",
    clear "function with words" = "function f_ {%t}\nf_ one two",
    clear "and" = ": && {%t}",
    clear "or" = "false || {%t}",
    clear "after a line" = "cd .%t",
    clear "before a line" = "%ttrue",
    clear "not" = "! {%t}",
    clear "time" = "time {%t}",
    clear "background" = "{%t} &\nwait",
    clear "in front of a pipe" = "{%t} | cat",
    clear "output dropped" = "{%t} > /dev/null 2>&1",
    clear "substitution" = ": \"$(%t)\"",
    clear "assigned" = "v_=$(%t)",
    clear "process" = "cat <(%t)",
    clear "here-document" = "bash <<'END_OF_IT'%tEND_OF_IT\n",
    clear "here-string" = "bash <<< %q",
    clear "printf into bash" = "printf '%s\\n' %q | bash",
    clear "echo -E into bash" = "echo -E %q | bash -s",
    clear "file" = "cat > w.sh <<'END_OF_IT'%tEND_OF_IT\nbash w.sh",
    clear "file that is sourced" = "printf '%s\\n' %q > w.sh && . ./w.sh",
    clear "process into bash" = "bash <(printf '%s\\n' %q)",
    clear "trap" = "trap %q EXIT",
    other "xargs bash -c" = "echo | xargs bash -c %q",
    clear "script -c" = "script -qc %q /dev/null",
    clear "flock -c" = "flock w.lock -c %q",
    other "su -c" = "su ann -c %q",
    other "watch" = "watch -n 9 %q",
    clear "coproc" = "coproc {%t}",
];

/// What has to be computed from the text.
pub(crate) const CODES: &[Wrapper] = &[
    Wrapper {
        name: "find -exec bash -c",
        wrap: |subject| {
            let text = without_braces(&subject.text)?;
            Some(format!("find . -maxdepth 0 -exec bash -c {} \\;", quoted(text)))
        },
        transparent: true,
    },
    Wrapper {
        name: "find -exec",
        wrap: |subject| {
            let (program, arguments) = subject.program()?;
            let arguments = arguments.join(" ");
            Some(format!(
                "find . -maxdepth 0 -exec {program} {} \\;",
                without_braces(&arguments)?
            ))
        },
        transparent: true,
    },
    Wrapper {
        name: "backticks",
        wrap: |subject| Some(format!(": {}", ticked(&subject.text))),
        transparent: true,
    },
    Wrapper {
        name: "base64",
        wrap: |subject| Some(format!("echo {} | base64 -d | bash", STANDARD.encode(&subject.text))),
        transparent: false,
    },
    Wrapper {
        name: "hex",
        wrap: |subject| {
            let hex: String = subject.text.bytes().map(|byte| format!("{byte:02x}")).collect();
            Some(format!("echo {hex} | xxd -r -p | bash"))
        },
        transparent: false,
    },
    Wrapper {
        name: "backwards",
        wrap: |subject| {
            let one = !subject.text.contains('\n');
            let back: String = subject.text.chars().rev().collect();
            one.then(|| format!("rev <<< {} | bash", quoted(&back)))
        },
        transparent: true,
    },
    Wrapper {
        name: "$'..' of all of it",
        wrap: |subject| Some(format!("eval {}", octal(&subject.text))),
        transparent: true,
    },
];

pub(crate) const WORDS: &[Wrapper] = around_words![
    other "sudo" = |p, a| format!("sudo {p} {a}"),
    other "sudo with options" = |p, a| format!("sudo -n -u root -- {p} {a}"),
    other "doas" = |p, a| format!("doas {p} {a}"),
    clear "env" = |p, a| format!("env -u X_ A=1 {p} {a}"),
    clear "assignment" = |p, a| format!("A_=1 B_='2 3' {p} {a}"),
    clear "nohup" = |p, a| format!("nohup {p} {a}"),
    clear "timeout" = |p, a| format!("timeout --kill-after=1 5s {p} {a}"),
    clear "nice" = |p, a| format!("nice -n 19 {p} {a}"),
    clear "ionice" = |p, a| format!("ionice -c 3 {p} {a}"),
    clear "setsid" = |p, a| format!("setsid --wait {p} {a}"),
    clear "stdbuf" = |p, a| format!("stdbuf -oL -eL {p} {a}"),
    clear "command" = |p, a| format!("command -- {p} {a}"),
    clear "exec" = |p, a| format!("exec -a ls {p} {a}"),
    clear "time" = |p, a| format!("time -p {p} {a}"),
    clear "flock" = |p, a| format!("flock w.lock {p} {a}"),
    other "xargs" = |p, a| format!("echo | xargs {p} {a}"),
    other "xargs -I" = |p, a| format!("echo one | xargs -I@@ {p} {a}"),
    clear "many at once" = |p, a| format!("nohup nice -n 3 env A=1 timeout 5 setsid stdbuf -o0 {p} {a} &"),
    clear "quoted name" = |p, a| format!("'{p}' {a}"),
    clear "double-quoted name" = |p, a| format!("\"{p}\" {a}"),
    clear "split name" = |p, a| format!("{}\"\"{} {a}", &p[..1], &p[1..]),
    clear "half-quoted name" = |p, a| format!("'{}'{} {a}", &p[..1], &p[1..]),
    clear "escaped name" = |p, a| format!("{}\\{} {a}", &p[..p.len() - 1], &p[p.len() - 1..]),
    clear "$'..' name" = |p, a| format!("{} {a}", octal(p)),
    clear "hex name" = |p, a| format!("$'{}' {a}", p.bytes().map(|b| format!("\\x{b:02x}")).collect::<String>()),
    clear "name from echo" = |p, a| format!("$(echo {p}) {a}"),
    clear "name from backticks" = |p, a| format!("`printf %s {p}` {a}"),
    clear "name in a variable" = |p, a| format!("n_={p}; $n_ {a}"),
    clear "name in two variables" = |p, a| format!("m_={} n_={}; $m_$n_ {a}", &p[..1], &p[1..]),
    clear "name in an array" = |p, a| format!("n_=({p}); \"${{n_[@]}}\" {a}"),
    clear "name by reference" = |p, a| format!("n_={p}; o_=n_; ${{!o_}} {a}"),
    clear "name cut out" = |p, a| format!("n_=__{p}__; n_=${{n_#__}}; ${{n_%__}} {a}"),
    clear "name as default" = |p, a| format!("${{unset_:-{p}}} {a}"),
    clear "name read" = |p, a| format!("read -r n_ <<< {p}; $n_ {a}"),
    clear "name printed" = |p, a| format!("printf -v n_ %s {p}; \"$n_\" {a}"),
    clear "words as arguments" = |p, a| format!("f_() {{ \"$@\"; }}; f_ {p} {a}"),
    clear "words as parameters" = |p, a| format!("set -- {p} {a}; \"$@\""),
    clear "words in an array" = |p, a| format!("n_=({p} {a}); \"${{n_[@]}}\""),
    clear "continued lines" = |p, a| format!("{p} \\\n {}", a),
    clear "blanks" = |p, a| format!("  \t {p} \t  {a}   "),
    clear "comment" = |p, a| format!("{p} {a} # and that is all; ls"),
    clear "semicolon" = |p, a| format!("true; {p} {a};"),
    clear "and" = |p, a| format!("true && {p} {a}"),
    clear "or" = |p, a| format!("{p} {a} || true"),
    clear "redirected" = |p, a| format!("2>/dev/null {p} {a}"),
];

/// Texts that look as if the command were changed or never reached, while bash still runs it.
pub(crate) const DECOYS: &[Wrapper] = around_words![
    clear "not changed by and" = |p, a| format!("n_={p}; false && n_=true; $n_ {a}"),
    clear "not changed by or" = |p, a| format!("n_={p}; true || n_=true; $n_ {a}"),
    clear "not changed by if" = |p, a| format!("n_={p}; if [ -e nothing ]; then n_=true; fi; $n_ {a}"),
    clear "not changed by else" = |p, a| format!("if :; then n_={p}; else n_=true; fi; $n_ {a}"),
    clear "not changed by while" = |p, a| format!("n_={p}; while false; do n_=true; done; $n_ {a}"),
    clear "not changed by case" = |p, a| format!("n_={p}; case x in y) n_=true ;; esac; $n_ {a}"),
    clear "not changed by a subshell" = |p, a| format!("n_={p}; (n_=true); $n_ {a}"),
    clear "not changed by a pipe" = |p, a| format!("n_={p}; : | n_=true; $n_ {a}"),
    clear "not changed by a prefix" = |p, a| format!("n_={p}; n_=true :; $n_ {a}"),
    clear "not changed behind return" = |p, a| format!("n_={p}; f_() {{ return; n_=true; }}; f_; $n_ {a}"),
    clear "changed in the second round" = |p, a| format!("n_=true; while :; do $n_ {a}; n_={p}; done"),
    clear "changed in the last round" = |p, a| format!("n_=true; until [ $n_ = {p} ]; do n_={p}; done; $n_ {a}"),
    clear "changed in a round of for" = |p, a| format!("n_=true; for i_ in 1 2; do $n_ {a}; n_={p}; done"),
    clear "shifted words" = |p, a| format!("f_() {{ while [ $# -gt 0 ]; do $1 {a}; shift; done; }}; f_ true {p}"),
    clear "not exported" = |p, a| format!("n_=true; bash -c '${{n_-{p}}} \"$@\"' _ {a}"),
    clear "an alias that is not used" = |p, a| format!("alias {p}=true; {p} {a}"),
    clear "a function that is not used" = |p, a| format!("{p}() {{ :; }}; command {p} {a}"),
    clear "a function that is not made" = |p, a| format!("false && {p}() {{ :; }}; {p} {a}"),
    clear "a function that is taken back" = |p, a| format!("{p}() {{ :; }}; unset -f {p}; {p} {a}"),
    clear "the first of an array" = |p, a| format!("n_={p}; n_+=(true); $n_ {a}"),
    clear "an array in a string" = |p, a| format!("declare -a n_='({p})'; \"${{n_[@]}}\" {a}"),
    clear "mapfile" = |p, a| format!("mapfile -t n_ <<< {p}; $n_ {a}"),
    clear "a plus option" = |p, a| format!("bash +e -c '\"$@\"' _ {p} {a}"),
    clear "env -" = |p, a| format!("env - {p} {a}"),
    clear "trap --" = |p, a| format!("trap -- '\"$@\"' EXIT; set -- {p} {a}"),
    clear "a later arm" = |p, a| format!("case x in x) : ;;& y) : ;; *) {p} {a} ;; esac"),
    clear "a directory that is not there" = |p, a| format!("cd no_such 2> /dev/null || {p} {a}"),
    clear "a directory that is not taken" = |p, a| format!("false && cd /tmp/x; {p} {a}"),
    clear "no such command" = |p, a| format!("command_not_found_handle() {{ {p} {a}; }}; no_such_"),
    clear "exec of the input" = |p, a| format!("exec <<'END_OF_IT'\n{p} {a}\nEND_OF_IT\nbash"),
    clear "another descriptor" = |p, a| format!("exec 3<<'END_OF_IT'\n{p} {a}\nEND_OF_IT\nbash <&3"),
    clear "the error output" = |p, a| format!("{{ cat <<'END_OF_IT' >&2\n{p} {a}\nEND_OF_IT\n}} 2> w_; bash w_"),
];
