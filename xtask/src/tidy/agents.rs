//! The tables about agents in the pages, made from `rules/agents.toml`.

use super::Finding;
use super::files::Files;
use crate::error::{Error, Result};
use crate::programs::root;
use std::fmt::Write as _;
use toml::{Table, Value};

const RULES: &str = "rules/agents.toml";
const END: &str = "<!-- end -->\n";

/// A table in a page, between a line that names it and one that ends it.
struct Made {
    page: &'static str,
    name: &'static str,
    head: &'static [&'static str],
    row: fn(&Agent) -> Vec<String>,
}

const MADE: [Made; 3] = [
    Made {
        page: "README.md",
        name: "what each agent can do",
        head: &[
            "agent",
            "how it is known",
            "asks you itself",
            "still runs a call with",
            "not covered",
        ],
        row: |agent| {
            vec![
                agent.text("title"),
                agent.proof(),
                agent.asks(),
                agent.text("open"),
                agent.text("gap"),
            ]
        },
    },
    Made {
        page: "docs/agents.md",
        name: "where each agent is told",
        head: &[
            "agent",
            "file",
            "form",
            "event",
            "also hears",
            "limit",
            "moved by",
            "administrator's file",
        ],
        row: |agent| {
            let (home, file) = (agent.text("home"), agent.text("settings"));
            let project = agent.text("project");
            let file = format!("`~/{home}/{file}`");
            vec![
                agent.text("title"),
                if project.is_empty() {
                    file
                } else {
                    format!("{file}; with `--project`, `{project}`")
                },
                agent.form(),
                agent.code("questions"),
                agent.hears(),
                format!("{} s", agent.number("patience")),
                quoted(&agent.text("moved_by")),
                quoted(&agent.text("managed")),
            ]
        },
    },
    Made {
        page: "docs/agents.md",
        name: "what each hook can do",
        head: &[
            "agent",
            "takes for a yes",
            "changes the call",
            "changes what the model is told",
            "hooks are off with",
            "goes on with",
            "reports as",
        ],
        row: |agent| {
            let off = [agent.code("switches"), agent.code("flags_off")];
            let off: Vec<String> = off.into_iter().filter(|text| !text.is_empty()).collect();
            vec![
                agent.text("title"),
                agent.list("fails_open"),
                agent.text("rewrite"),
                agent.text("output"),
                off.join(", "),
                quoted(&agent.text("resume")),
                quoted(&agent.text("stream")),
            ]
        },
    },
];

/// One table of the rules.
struct Agent<'r>(&'r Table);

impl Agent<'_> {
    fn text(&self, key: &str) -> String {
        self.0.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    fn items(&self, key: &str) -> Vec<String> {
        let items = self.0.get(key).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    fn list(&self, key: &str) -> String {
        self.items(key).join("; ")
    }

    fn code(&self, key: &str) -> String {
        let items: Vec<String> = self.items(key).iter().map(|item| quoted(item)).collect();
        items.join(", ")
    }

    /// The events that it hears beside its questions.
    fn hears(&self) -> String {
        let items = self.items("hears");
        let events: Vec<String> = items
            .iter()
            .filter_map(|item| item.split(' ').next())
            .map(quoted)
            .collect();
        events.join(", ")
    }

    fn number(&self, key: &str) -> i64 {
        self.0.get(key).and_then(Value::as_integer).unwrap_or_default()
    }

    fn proof(&self) -> String {
        match self.text("proof").as_str() {
            "driven" => format!("real client {}, in our suite", self.text("seen")),
            _ => format!("emulated: {}", self.text("seen")),
        }
    }

    fn asks(&self) -> String {
        let modes = self.items("asks");
        match modes.as_slice() {
            [] => "no: an ask is a denial that names an approval".to_owned(),
            [one] if one.is_empty() => "yes".to_owned(),
            _ => {
                let named: Vec<String> = modes
                    .iter()
                    .filter(|mode| !mode.is_empty())
                    .map(|mode| quoted(mode))
                    .collect();
                format!("yes, in {}", named.join(", "))
            }
        }
    }

    fn form(&self) -> String {
        match self.text("form").as_str() {
            "file" => "a file of our own",
            "handlers" => "a handler",
            _ => "a handler in a group of its own",
        }
        .to_owned()
    }
}

fn quoted(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!("`{text}`")
    }
}

/// Writes the tables into their pages.
pub(crate) fn write() -> Result<()> {
    let files = Files::of_the_workspace()?;
    let mut pages: Vec<&str> = MADE.iter().map(|made| made.page).collect();
    pages.dedup();
    for page in pages {
        let text =
            current(&files, page).ok_or_else(|| Error::new(format!("`{page}` has not the lines for its tables")))?;
        std::fs::write(root().join(page), text)?;
    }
    Ok(())
}

/// A table that says something else than the rules is worse than none.
pub(super) fn agents_pages(files: &Files) -> Vec<Finding> {
    if files.get(RULES).is_none() {
        return Vec::new();
    }
    let pages = ["README.md", "docs/agents.md"];
    let old = pages
        .into_iter()
        .filter(|page| current(files, page).as_deref() != files.get(page));
    old.map(|page| Finding {
        place: page.to_owned(),
        why: "has tables of agents that are not what the rules say: run `cargo xtask agents`".to_owned(),
    })
    .collect()
}

/// The page with its tables as they have to be; `None` where a table has no place.
fn current(files: &Files, page: &str) -> Option<String> {
    let rules: Table = files.get(RULES)?.parse().ok()?;
    let agents: Vec<Agent<'_>> = rules
        .iter()
        .filter(|(name, _)| *name != "unknown")
        .filter_map(|(_, rows)| rows.as_table().map(Agent))
        .collect();
    let mut text = files.get(page)?.to_owned();
    for made in MADE.iter().filter(|made| made.page == page) {
        let begin = format!("<!-- {}: made from {RULES} by `cargo xtask agents` -->\n", made.name);
        let (before, rest) = text.split_once(&begin)?;
        let (_, behind) = rest.split_once(END)?;
        text = format!("{before}{begin}{}{END}{behind}", table(made, &agents));
    }
    Some(text)
}

fn table(made: &Made, agents: &[Agent<'_>]) -> String {
    let mut text = String::new();
    let mut line = |cells: &[String]| {
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    };
    line(&made.head.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>());
    line(&made.head.iter().map(|_| "---".to_owned()).collect::<Vec<_>>());
    for agent in agents {
        let cells = (made.row)(agent).into_iter();
        line(&cells.map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = "[unknown]\n[aider]\ntitle = \"Aider\"\nseen = \"1.0\"\nproof = \"driven\"\nasks = []\ngap = \"a|b\"\nopen = \"x; y\"\n";

    #[test]
    fn tables_have_to_be_current_and_keep_what_is_around_them() {
        let begin = "<!-- what each agent can do: made from rules/agents.toml by `cargo xtask agents` -->";
        let page = format!("# A\n{begin}\nold\n<!-- end -->\nbehind\n");
        let files = Files::sample([(RULES, ROW), ("README.md", page.as_str())].into_iter());
        assert_eq!(agents_pages(&files).len(), 1);
        let made = current(&files, "README.md").unwrap();
        assert!(
            made.starts_with("# A\n") && made.ends_with("<!-- end -->\nbehind\n"),
            "{made}"
        );
        assert!(
            made.contains("| Aider | real client 1.0, in our suite | no: an ask is a denial that names an approval | x; y | a\\|b |"),
            "{made}"
        );
        let files = Files::sample([(RULES, ROW), ("README.md", made.as_str())].into_iter());
        assert_eq!(agents_pages(&files), []);
        assert_eq!(agents_pages(&Files::sample([].into_iter())), []);
    }
}
