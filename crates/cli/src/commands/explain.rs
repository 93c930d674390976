//! `tollgate explain`.

mod tree;

use policy::{Act, Effect, Subject};
use serde_json::json;

use crate::commands::check::{self, Args, Judged};
use crate::exit::{Exit, Fault};
use crate::ui::Ui;
use crate::view;

/// How many of a kind are shown to a person.
const MOST: usize = 200;

pub(crate) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let judged = check::judge(args)?;
    if args.json {
        ui.line(as_json(&judged).to_string());
    } else {
        show(&judged, ui);
    }
    Ok(check::exit(judged.judgement.verdict()))
}

fn lines(judged: &Judged) -> Vec<String> {
    match &judged.request.subject {
        Subject::Command(text) => tree::lines(text),
        _ => Vec::new(),
    }
}

fn show(judged: &Judged, ui: &mut Ui) {
    let Judged { request, judgement, .. } = judged;
    let (runs, others): (Vec<&Effect>, Vec<&Effect>) = judgement.effects.iter().partition(|e| e.act == Act::Run);
    // Only a command says and starts something; a file is read or written, and that is all.
    if matches!(request.subject, Subject::Command(_)) {
        section("What it says", lines(judged), ui);
        section("What it starts", runs.iter().map(|e| effect(e, judged)).collect(), ui);
    }
    section("What that does", others.iter().map(|e| effect(e, judged)).collect(), ui);
    let looks = judgement.looks.iter();
    let looks = looks.map(|l| view::safe(&format!("{} {}: {}", l.question, l.subject, l.answer)));
    section("Its classes", view::classes(judgement).into_iter().collect(), ui);
    section("What was looked at", looks.collect(), ui);
    ui.line("Findings");
    if judgement.findings.is_empty() {
        ui.line("  none");
    }
    view::findings(request, judgement, ui);
    ui.line(format!("Verdict: {}", judgement.verdict().as_str()));
}

fn section(title: &str, lines: Vec<String>, ui: &mut Ui) {
    ui.line(title);
    if lines.is_empty() {
        ui.line("  nothing");
    }
    let more = lines.len().saturating_sub(MOST);
    lines
        .into_iter()
        .take(MOST)
        .for_each(|line| ui.line(format!("  {line}")));
    if more > 0 {
        ui.line(format!("  and {more} more"));
    }
}

/// One effect, the part of the text that says so, and the way to it.
fn effect(effect: &Effect, judged: &Judged) -> String {
    let start = usize::try_from(effect.span.start).unwrap_or(usize::MAX);
    let end = usize::try_from(effect.span.end).unwrap_or(usize::MAX);
    let mut line = effect.summary();
    if let Some(part) = view::subject(&judged.request)
        .get(start..end)
        .filter(|part| !part.is_empty())
    {
        line.push_str(&format!("   from `{}`", view::head(&part.replace('\n', " "), 80)));
    }
    if !effect.chain.is_empty() {
        line.push_str(&format!("   by way of {}", effect.chain.join(" -> ")));
    }
    view::safe(&line)
}

fn as_json(judged: &Judged) -> serde_json::Value {
    let Judged {
        request,
        judgement,
        posture,
        ..
    } = judged;
    json!({
        "verdict": judgement.verdict().as_str(),
        "kind": request.kind.as_str(),
        "subject": view::safe(view::subject(request)),
        "cwd": request.cwd,
        "posture": posture.as_str(),
        "tree": lines(judged),
        "classes": judgement.classes,
        "effects": judgement.effects.iter().map(|e| view::effect_json(request, e)).collect::<Vec<_>>(),
        "looks": judgement.looks.iter().map(view::look_json).collect::<Vec<_>>(),
        "findings": judgement.findings.iter().map(|f| view::finding_json(request, f)).collect::<Vec<_>>(),
    })
}
