//! What is looked for, as it is typed.

use std::path::{Component, Path, PathBuf};

use broker::Moment as Now;
use views::{Filter, Moment};

#[derive(clap::Args)]
pub(super) struct Wanted {
    /// Only what came after this: `30m`, `2h`, `7d`, `2026-11-30` or `2026-11-30T15:41`, in UTC.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    since: Option<Moment>,
    /// Only what came before the end of this.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    until: Option<Moment>,
    /// Only what this agent asked.
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Only this verdict.
    #[arg(long, value_name = "VERDICT", value_parser = ["allow", "warn", "ask", "deny"])]
    verdict: Option<String>,
    /// Only where this rule matched.
    #[arg(long, value_name = "RULE")]
    rule: Option<String>,
    /// Only records of this kind: `decision`, `approval`, `config` ...
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Only what an agent's session asked.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only what concerns this path or something below it.
    #[arg(long, value_name = "PATH")]
    path: Option<PathBuf>,
    /// Only what concerns this host or a host of this domain.
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
}

impl Wanted {
    pub(super) fn filter(&self) -> Filter {
        Filter {
            since: self.since.map(|moment| moment.from),
            until: self.until.map(|moment| moment.to),
            agent: self.agent.clone(),
            verdict: self.verdict.clone(),
            rule: self.rule.clone(),
            kind: self.kind.clone(),
            session: self.session.clone(),
            path: self.path.as_deref().map(absolute),
            host: self.host.clone(),
            text: None,
        }
    }
}

fn moment(text: &str) -> Result<Moment, String> {
    Moment::parse(text, Now::now().wall_ms)
}

/// A path as effects name it: from the root on, without `.` and `..`.
fn absolute(path: &Path) -> String {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut clean = PathBuf::new();
    for component in whole.components() {
        match component {
            Component::ParentDir => {
                clean.pop();
            }
            component => clean.push(component),
        }
    }
    clean.to_string_lossy().into_owned()
}
