//! `tollgate demo`: a scripted agent in a throw-away home, sent through the same code as a real one.

mod script;
mod stage;

use agents::Call;
use broker::{Broker, Flush};
use ledger::Report;
use policy::{Judgement, Verdict};
use serde_json::Value;

use crate::commands::demo::script::{SCENES, Scene};
use crate::commands::demo::stage::Stage;
use crate::commands::log;
use crate::exit::{Exit, Fault};
use crate::ui::Ui;
use crate::view;

pub(crate) fn run(ui: &mut Ui) -> Result<Exit, Fault> {
    let stage = Stage::build().map_err(|e| Fault::new(Exit::Io, format!("The stage could not be built: {e}.")))?;
    ui.line(format!(
        "A scripted agent works in {} (removed at the end).",
        stage.root().display()
    ));
    ui.line("Nothing that it asks for is run: only the gate's answers are real.");
    ui.line("(An agent that is refused so often may only read for a while; that is switched off here.)");
    let mut surprises = 0;
    for (number, scene) in SCENES.iter().enumerate() {
        ui.line("");
        surprises += usize::from(!play(number + 1, scene, &stage, ui)?);
    }
    surprises += usize::from(!closing(&stage, ui)?);
    let root = stage.root().to_path_buf();
    stage
        .clear()
        .map_err(|e| Fault::new(Exit::Io, format!("`{}` could not be removed: {e}.", root.display())))?;
    ui.line(format!("Removed {}.", root.display()));
    if surprises > 0 {
        return Err(Fault::new(
            Exit::Failed,
            format!("{surprises} scenes did not go as they should."),
        ));
    }
    ui.line("To put the gate into your own agents: `tollgate install` (`--dry-run` shows what it would write).");
    Ok(Exit::Done)
}

/// One call: the question, the answer, and why. Whether it went as the script says.
fn play(number: usize, scene: &Scene, stage: &Stage, ui: &mut Ui) -> Result<bool, Fault> {
    let question = stage
        .question(scene)
        .map_err(|e| Fault::new(Exit::Failed, format!("Scene {number}: {e}.")))?;
    ui.line(format!("{number:>2}. {}", scene.about));
    let reply = hook::run(scene.agent, Ok(stage.places().clone()), &question);
    let said: Value = serde_json::from_slice(&reply.stdout).unwrap_or_default();
    let told = said
        .pointer("/hookSpecificOutput/permissionDecision")
        .and_then(Value::as_str)
        .unwrap_or("nothing");
    let mut cannot_ask = None;
    let verdict = match agents::read(scene.agent, &question) {
        Ok(call) => {
            cannot_ask = scene.agent.cannot_ask(&call.permission_mode);
            explain(&call, stage, ui)
        }
        Err(unread) => {
            ui.line(format!(
                "    {}",
                view::safe(&view::head(&String::from_utf8_lossy(&question), 100))
            ));
            ui.line(format!("    deny: {}", unread.sentence));
            Verdict::Deny
        }
    };
    ui.line(format!(
        "    {} is told: {}",
        scene.agent.as_str(),
        told_in_words(told, cannot_ask.filter(|_| verdict == Verdict::Ask))
    ));
    let as_expected = verdict == scene.verdict && (verdict >= Verdict::Ask) == (told != "nothing");
    if !as_expected {
        ui.line(format!("    UNEXPECTED: the script says {}", scene.verdict.as_str()));
    }
    Ok(as_expected)
}

/// What the agent is told; where an ask became a denial, why.
fn told_in_words(told: &str, cannot_ask: Option<String>) -> String {
    match (told, cannot_ask) {
        ("nothing", _) => "nothing; its own prompts stay as they are".into(),
        ("deny", Some(why)) => {
            format!("deny in place of ask, because {why}; with this reason and how a person can do it")
        }
        (told, _) => format!("{told}, with this reason"),
    }
}

/// The request and what was found, from the same judgement that the gate made.
fn explain(call: &Call, stage: &Stage, ui: &mut Ui) -> Verdict {
    let broker = Broker::open(stage.places().clone());
    let mut verdict = Verdict::Allow;
    for request in &call.requests {
        let judgement: Judgement = broker.judge(request);
        ui.line(format!(
            "    {} {}: {}",
            call.tool,
            request.kind.as_str(),
            view::safe(view::subject(request))
        ));
        verdict = verdict.max(judgement.verdict());
        let Some(finding) = judgement.decisive() else {
            ui.line("    allow: no rule speaks against it");
            continue;
        };
        view::underlined(request, finding)
            .into_iter()
            .for_each(|line| ui.line(format!("        {line}")));
        ui.line(format!(
            "    {}: rule `{}` (risk {})",
            finding.verdict.as_str(),
            finding.rule,
            finding.risk.as_str()
        ));
        for (label, text) in [
            ("because", finding.why.clone()),
            ("reached by", finding.chain.join(" -> ")),
            ("at stake", finding.lost.clone()),
            ("instead", finding.instead.clone()),
        ] {
            if !text.is_empty() {
                ui.line(format!("      {label}: {}", view::safe(&text)));
            }
        }
    }
    verdict
}

/// The ledger, and two copies of it that somebody changed.
fn closing(stage: &Stage, ui: &mut Ui) -> Result<bool, Fault> {
    let failed = |e: std::io::Error| Fault::new(Exit::Io, format!("The copy of the ledger could not be made: {e}."));
    let unreadable = |e: ledger::LedgerError| Fault::new(Exit::Io, format!("The ledger cannot be read: {e}."));
    let ledger = stage.ledger();
    ui.line("");
    ui.line("The ledger holds every one of these decisions:");
    let whole = ledger::verify(&ledger, None).map_err(unreadable)?;
    log::tell(&whole, Flush::default(), ui);
    let mut as_expected = whole.intact() && whole.records == SCENES.len() as u64;
    for (about, change) in script::FORGERIES {
        let copy = stage.copy(*change).map_err(failed)?;
        let report: Report = ledger::verify(&copy, None).map_err(unreadable)?;
        ui.line("");
        ui.line(*about);
        log::tell(&report, Flush::default(), ui);
        as_expected &= !report.intact();
    }
    ui.line("");
    Ok(as_expected)
}
