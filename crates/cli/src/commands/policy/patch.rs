//! `tollgate policy check`.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use broker::policies::model::Surface;
use broker::policies::{PolicySet, Violation};
use serde_json::{Value, json};

use super::{faults, set};
use crate::exit::{Exit, Fault};
use crate::ui::Ui;
use crate::view::safe;

/// Bytes of a patch.
const LIMIT: u64 = 16 << 20;

#[derive(clap::Args)]
pub(super) struct Args {
    /// A unified diff; `-` reads standard input.
    patch: PathBuf,
    /// Only rules about this place: `suggestion-apply` or `bundle-apply`.
    #[arg(long)]
    surface: Option<String>,
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, ui: &mut Ui) -> Result<Exit, Fault> {
    let surface = surface(args.surface.as_deref())?;
    let diff = read(&args.patch)?;
    let set = set()?;
    let found = set.patches.check(&diff, surface);
    if args.json {
        ui.line(as_json(&set, &found).to_string());
    } else {
        show(&found, ui);
    }
    if let Some(error) = faults(&set).next() {
        let fault = Fault::new(Exit::Refused, format!("Not all policy files can be read: {error}."));
        return Err(fault.hint(&error.hint));
    }
    Ok(if found.is_empty() { Exit::Done } else { Exit::Failed })
}

fn surface(name: Option<&str>) -> Result<Option<Surface>, Fault> {
    match name {
        None => Ok(None),
        Some("suggestion-apply") => Ok(Some(Surface::SuggestionApply)),
        Some("bundle-apply") => Ok(Some(Surface::BundleApply)),
        Some(other) => Err(Fault::new(Exit::Usage, format!("There is no surface `{other}`."))
            .hint("It can be `suggestion-apply` or `bundle-apply`.")),
    }
}

fn read(path: &Path) -> Result<String, Fault> {
    let name = path.display();
    let fault = |e: std::io::Error| {
        let missing = e.kind() == std::io::ErrorKind::NotFound;
        let exit = if missing { Exit::NoInput } else { Exit::Io };
        Fault::new(exit, format!("`{name}` cannot be read: {e}."))
    };
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        std::io::stdin()
            .take(LIMIT + 1)
            .read_to_end(&mut bytes)
            .map_err(fault)?;
    } else {
        let file = std::fs::File::open(path).map_err(fault)?;
        file.take(LIMIT + 1).read_to_end(&mut bytes).map_err(fault)?;
    }
    if bytes.len() as u64 > LIMIT {
        return Err(Fault::new(Exit::Data, format!("`{name}` is larger than 16 MiB.")));
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if !text.is_empty() && !text.contains("\n@@ ") && !text.contains("diff --git ") {
        return Err(Fault::new(Exit::Data, format!("`{name}` is no unified diff.")).hint("`git diff` writes one."));
    }
    Ok(text)
}

fn show(found: &[Violation], ui: &mut Ui) {
    for violation in found {
        let line = violation.line.map(|line| format!(":{line}")).unwrap_or_default();
        let Violation {
            rule, message, file, ..
        } = violation;
        ui.line(safe(&format!("{file}{line}: {message} (policy rule: {rule})")));
    }
    if found.is_empty() {
        ui.line("no rule on patches speaks against it");
    }
}

fn as_json(set: &PolicySet, found: &[Violation]) -> Value {
    let found: Vec<Value> = found
        .iter()
        .map(|v| json!({"rule": v.rule, "message": safe(&v.message), "file": safe(&v.file), "line": v.line}))
        .collect();
    json!({"format": 1, "rules": set.patches.ids().count(), "violations": found})
}
