//! `tollgate log stats`.

use serde_json::{Map, Value, json};
use views::{Day, Stats, Views};

use super::{filter, unseen};
use crate::exit::{Exit, Fault};
use crate::ui::Ui;
use crate::view;

/// The longest bar.
const WIDEST: u64 = 40;
/// So many days and names are shown to a person.
const SHOWN: usize = 14;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    filter: filter::Wanted,
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(views: &Views, args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let stats = views.stats(&args.filter.filter()).map_err(|e| unseen(&e))?;
    if args.json {
        ui.line(as_json(&stats).to_string());
    } else {
        tell(&stats, ui);
    }
    Ok(Exit::Done)
}

fn tell(stats: &Stats, ui: &mut Ui) {
    let Some((first, last)) = &stats.between else {
        ui.line("Nothing that was recorded fits.");
        return;
    };
    ui.line(format!("{} records from {first} to {last}", stats.records));
    if stats.unreadable > 0 {
        ui.line(format!("{} lines are no records", stats.unreadable));
    }
    let days: Vec<(String, u64)> = stats.days.iter().map(day).collect();
    let recent = days.get(days.len().saturating_sub(SHOWN)..).unwrap_or_default();
    bars("by day", recent, ui);
    bars("by verdict", &stats.verdicts, ui);
    bars("by agent", &stats.agents, ui);
    bars("by rule", &stats.rules, ui);
    bars("approvals", &stats.approvals, ui);
    if stats.asks_by_hour.iter().any(|asks| *asks > 0) {
        let hours = stats.asks_by_hour.iter().enumerate();
        let hours: Vec<(String, u64)> = hours
            .filter(|(_, asks)| **asks > 0)
            .map(|(hour, asks)| (format!("{hour:02}:00"), *asks))
            .collect();
        bars(
            &format!("asks by hour of the day (UTC), {:.2} an hour", stats.asks_per_hour),
            &hours,
            ui,
        );
    }
    bars("asked about or denied most often", &stats.refused, ui);
}

fn day(day: &Day) -> (String, u64) {
    (day.date.clone(), day.verdicts.values().sum())
}

fn bars(title: &str, counts: &[(String, u64)], ui: &mut Ui) {
    if counts.is_empty() {
        return;
    }
    ui.line(title);
    let shown = counts.get(..counts.len().min(SHOWN)).unwrap_or_default();
    let names: Vec<String> = shown.iter().map(|(name, _)| named(name)).collect();
    let wide = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    let most = shown.iter().map(|(_, count)| *count).max().unwrap_or(1).max(1);
    for (name, (_, count)) in names.iter().zip(shown) {
        let bar = "\u{2588}".repeat(usize::try_from((count * WIDEST).div_ceil(most)).unwrap_or_default());
        ui.line(format!("  {name:<wide$} {count:>8} {bar}"));
    }
    if counts.len() > shown.len() {
        ui.line(format!("  and {} more", counts.len() - shown.len()));
    }
}

fn named(name: &str) -> String {
    match name {
        "" => "-".into(),
        name => view::head(&view::one_line(name), 60),
    }
}

fn as_json(stats: &Stats) -> Value {
    let days = stats.days.iter().map(|day| {
        let verdicts: Vec<_> = day
            .verdicts
            .iter()
            .map(|(name, count)| (name.clone(), *count))
            .collect();
        json!({"date": day.date, "records": day.verdicts.values().sum::<u64>(), "verdicts": map(&verdicts)})
    });
    json!({
        "format": 1,
        "records": stats.records,
        "unreadable": stats.unreadable,
        "first": stats.between.as_ref().map(|(first, _)| first),
        "last": stats.between.as_ref().map(|(_, last)| last),
        "days": days.collect::<Vec<_>>(),
        "kinds": map(&stats.kinds),
        "verdicts": map(&stats.verdicts),
        "agents": map(&stats.agents),
        "rules": map(&stats.rules),
        "approvals": map(&stats.approvals),
        "asks_by_hour": stats.asks_by_hour,
        "asks_per_hour": stats.asks_per_hour,
        "refused": stats.refused.iter().map(|(text, count)| json!({"text": view::safe(text), "count": count})).collect::<Vec<_>>(),
    })
}

fn map(counts: &[(String, u64)]) -> Value {
    let fields = counts
        .iter()
        .map(|(name, count)| (view::safe(name), Value::from(*count)));
    Value::Object(fields.collect::<Map<_, _>>())
}
