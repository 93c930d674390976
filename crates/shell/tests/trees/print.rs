//! Trees as short text.
//!
//! Words look like shell, with every quoted run in single quotes. Commands are in brackets: `[a b]` is a simple
//! command, `{..}` a group, `(..)` a subshell, and the others begin with their name.

use shell::*;

pub(crate) fn script(script: &Script) -> String {
    let mut out: Vec<String> = script.items.iter().map(item).collect();
    out.extend(
        script
            .faults
            .iter()
            .map(|fault| format!("<{:?} {}..{}>", fault.kind, fault.span.start, fault.span.end)),
    );
    out.join(" ; ")
}

fn item(item: &Item) -> String {
    let mut out = pipeline(&item.chain.first);
    for (joint, next) in &item.chain.rest {
        out += if *joint == Joint::And { " && " } else { " || " };
        out += &pipeline(next);
    }
    out + if item.background { " &" } else { "" }
}

fn pipeline(pipeline: &Pipeline) -> String {
    let time = if pipeline.timed { "time " } else { "" };
    let bang = if pipeline.negated { "! " } else { "" };
    format!("{time}{bang}{}", join(&pipeline.stages, " | ", command))
}

fn join<T>(all: &[T], by: &str, print: impl Fn(&T) -> String) -> String {
    all.iter().map(print).collect::<Vec<_>>().join(by)
}

fn command(command: &Command) -> String {
    let mut out = form(&command.form);
    for redirect in &command.redirects {
        out += " ";
        out += &self::redirect(redirect);
    }
    format!("[{out}]")
}

fn form(form: &Form) -> String {
    match form {
        Form::Simple { assigns, words } => {
            let mut all: Vec<String> = assigns.iter().map(assignment).collect();
            all.extend(words.iter().map(word));
            all.join(" ")
        }
        Form::Subshell(inner) => format!("({})", script(inner)),
        Form::Group(inner) => format!("{{{}}}", script(inner)),
        Form::If { branches, otherwise } => {
            let branches = join(branches, " elif ", |(a, b)| format!("{} then {}", script(a), script(b)));
            let otherwise = otherwise
                .as_ref()
                .map_or(String::new(), |body| format!(" else {}", script(body)));
            format!("if {branches}{otherwise}")
        }
        Form::Loop { until, condition, body } => {
            let name = if *until { "until" } else { "while" };
            format!("{name} {} do {}", script(condition), script(body))
        }
        Form::For {
            name,
            words,
            body,
            select,
        } => {
            let words = words
                .as_ref()
                .map_or(String::new(), |words| format!(" in {}", join(words, ",", word)));
            format!(
                "{} {name}{words} do {}",
                if *select { "select" } else { "for" },
                script(body)
            )
        }
        Form::ForArith { head, body } => format!("for {} do {}", join(&**head, ";", arith), script(body)),
        Form::Case { subject, arms } => format!("case {} {}", word(subject), join(arms, " ", arm)),
        Form::Test(words) => format!("test {}", join(words, " ", word)),
        Form::Arith(expression) => format!("arith {}", arith(expression)),
        Form::Function { name, body } => format!("function {name} {}", command(body)),
        Form::Coproc(inner) => format!("coproc {}", command(inner)),
        Form::More(raw) => format!("more {}", raw.text),
    }
}

fn arm(arm: &Arm) -> String {
    let end = if arm.falls_through { " ;&" } else { "" };
    format!("<{} => {}{end}>", join(&arm.patterns, "|", word), script(&arm.body))
}

fn assignment(assign: &Assign) -> String {
    let index = assign
        .index
        .as_ref()
        .map_or(String::new(), |index| format!("[{}]", word(index)));
    format!(
        "{}{index}{}{}",
        assign.name,
        if assign.append { "+:=" } else { ":=" },
        word(&assign.value)
    )
}

fn redirect(redirect: &Redirect) -> String {
    let fd = redirect.fd.map_or(String::new(), |fd| fd.to_string());
    let variable = redirect
        .fd_var
        .as_ref()
        .map_or(String::new(), |name| format!("{{{name}}}"));
    format!("{fd}{variable}{:?}:{}", redirect.op, word(&redirect.target))
}

fn word(word: &Word) -> String {
    parts(&word.parts)
}

fn arith(arith: &Arith) -> String {
    parts(&arith.parts)
}

fn parts(parts: &[Part]) -> String {
    join(parts, "", part)
}

fn part(part: &Part) -> String {
    match part {
        Part::Lit(text) => escape(text),
        Part::Quoted(text) => format!("'{}'", escape(text)),
        Part::Double(inner) => format!("\"{}\"", parts(inner)),
        Part::Param(inner) => param(inner),
        Part::Command(inner) => format!("$({})", script(inner)),
        Part::Arith(inner) => format!("$(({}))", arith(inner)),
        Part::Process { output, script: inner } => format!("{}({})", if *output { ">" } else { "<" }, script(inner)),
        Part::Array(words) => format!("({})", join(words, ",", word)),
        Part::Words(raw) => format!("more {}", raw.text),
    }
}

fn escape(text: &str) -> String {
    text.replace('\n', "\\n").replace('\t', "\\t")
}

fn param(param: &Param) -> String {
    let sign = if param.length { "#" } else { "" };
    let bang = if param.indirect { "!" } else { "" };
    let index = param
        .index
        .as_ref()
        .map_or(String::new(), |index| format!("[{}]", word(index)));
    format!("${{{bang}{sign}{}{index}{}}}", param.name, operation(&param.op))
}

fn operation(op: &ParamOp) -> String {
    match op {
        ParamOp::None => String::new(),
        ParamOp::Default { op, colon, word: value } => {
            format!(" {}{op} {}", if *colon { ":" } else { "" }, word(value))
        }
        ParamOp::Trim {
            suffix,
            longest,
            pattern,
        } => {
            let sign = if *suffix { "%" } else { "#" };
            format!(" {} {}", sign.repeat(if *longest { 2 } else { 1 }), word(pattern))
        }
        ParamOp::Replace {
            all,
            anchor,
            pattern,
            with,
        } => {
            let anchor = anchor.map_or(String::new(), String::from);
            format!(
                " {}{anchor} {} / {}",
                if *all { "//" } else { "/" },
                word(pattern),
                word(with)
            )
        }
        ParamOp::Slice { offset, length } => {
            let length = length
                .as_ref()
                .map_or(String::new(), |length| format!(" : {}", arith(length)));
            format!(" : {}{length}", arith(offset))
        }
        ParamOp::Case { op, pattern } => {
            format!(
                " {op} {}",
                pattern.as_ref().map_or(String::new(), |pattern| word(pattern))
            )
        }
        ParamOp::Transform(letter) => format!(" @{letter}"),
        ParamOp::Names => " *".to_owned(),
        ParamOp::Other(rest) => format!(" ?? {}", word(rest)),
    }
}
