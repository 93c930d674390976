//! Walls around the documents: what they say has to be there.

use super::Finding;
use super::files::Files;
use crate::error::{Error, Result};
use crate::programs::root;
use rulebook::Book;
use std::fmt::Write as _;

/// The page that is made from the rules.
const RULES: &str = "docs/rules.md";
/// The list of attacks, whose last column names a case for each.
const BYPASSES: &str = "docs/bypasses.md";
/// The page with the known limits.
const LIMITS: &str = "SECURITY.md";

const RULES_HEAD: &str = "\
# The built-in rules

Made from `rules/verdicts/` by `cargo xtask rules`; do not edit. These are the ids that `[rules] disabled` in `config.toml`
takes. `allow` in a column says that the rule is silent in that posture. What a rule matches, with examples that must and
must not match, stands in its stanza, and `tollgate rules show ID` says it. `policy.set.broken`, the refusal while `config.toml`
or a rule file of your own cannot be read, is no row here and cannot be disabled; neither can what is marked as `lasting`: it
guards Tollgate itself.
";

/// Writes the page of the rules.
pub(crate) fn write() -> Result<()> {
    let page = page(&Files::of_the_workspace()?).ok_or_else(|| Error::new("the rules cannot be read"))?;
    Ok(std::fs::write(root().join(RULES), page)?)
}

/// A reference that says something else than the program is worse than none.
pub(super) fn rules_page(files: &Files) -> Vec<Finding> {
    let current = page(files).is_none_or(|page| files.get(RULES) == Some(&page));
    (!current)
        .then(|| finding(RULES, "is not what the rules say: run `cargo xtask rules`"))
        .into_iter()
        .collect()
}

/// `None` where there are no rules, or where they cannot be read: another wall says so.
fn page(files: &Files) -> Option<String> {
    let mut page = String::from(RULES_HEAD);
    let mut any = false;
    for (path, text) in files.all().filter(|(path, _)| path.starts_with("rules/verdicts/")) {
        let mut book = Book::default();
        book.add(path, text).ok()?;
        let _ = write!(page, "\n## `{path}`\n\n| rule | guard | strict | risk | why |\n");
        page.push_str("| --- | --- | --- | --- | --- |\n");
        for rule in book.rules.iter().map(|entry| entry.says) {
            let [guard, strict] = [rule.guard, rule.strict].map(rulebook::Verdict::as_str);
            let lasting = if rule.lasting { ", lasting" } else { "" };
            let _ = writeln!(
                page,
                "| `{}`{lasting} | {guard} | {strict} | {} | {} |",
                rule.id,
                rule.risk.as_str(),
                rule.why
            );
            any = true;
        }
    }
    any.then_some(page)
}

/// A link that leads nowhere.
pub(super) fn links(files: &Files) -> Vec<Finding> {
    let pages = files.all().filter(|(path, _)| is_page(path));
    pages
        .flat_map(|(path, text)| {
            let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            let dead = targets.filter(|target| !target.contains("://") && !leads_somewhere(files, path, target));
            dead.map(|target| finding(path, &format!("links to `{target}`, which is not there")))
        })
        .collect()
}

/// The documents at the root and in `docs`. A specification may hold brackets that are no links.
fn is_page(path: &str) -> bool {
    let name = path.strip_prefix("docs/").unwrap_or(path);
    name.ends_with(".md") && !name.contains('/')
}

fn leads_somewhere(files: &Files, page: &str, target: &str) -> bool {
    let path = target.split('#').next().unwrap_or_default();
    let inside = page.strip_prefix("docs/").is_some();
    let path = match path.strip_prefix("../") {
        Some(above) if inside => above.to_owned(),
        _ if inside => format!("docs/{path}"),
        _ => path.to_owned(),
    };
    let folder = format!("{}/", path.trim_end_matches('/'));
    target.starts_with('#') || files.all().any(|(file, _)| file == path || file.starts_with(&folder))
}

/// Every attack names a file, and behind it a text that stands there: its case.
pub(super) fn bypasses(files: &Files) -> Vec<Finding> {
    let rows = files.get(BYPASSES).unwrap_or_default().lines().enumerate();
    let rows =
        rows.filter(|(_, line)| line.starts_with("| ") && !line.starts_with("| ---") && !line.ends_with("| case |"));
    rows.filter(|(_, row)| !has_case(files, row))
        .map(|(number, _)| finding(&format!("{BYPASSES}:{}", number + 1), "names no case that is there"))
        .collect()
}

fn has_case(files: &Files, row: &str) -> bool {
    let case = || {
        let (_, rest) = row.rsplit_once("](../")?;
        let (file, rest) = rest.split_once(')')?;
        let text = rest.split('`').nth(1)?.replace("\\|", "|");
        Some(files.get(file)?.contains(&text))
    };
    case() == Some(true)
}

/// A limit that a test shows is one while that test is ignored.
pub(super) fn limits(files: &Files) -> Vec<Finding> {
    let rows = files.get(LIMITS).unwrap_or_default().lines().enumerate();
    let rows = rows.filter(|(_, row)| row.starts_with("| ") && row.contains(" is ignored"));
    let lifted = rows.filter(|(_, row)| !row.split('`').any(|name| is_ignored(files, name)));
    lifted
        .map(|(number, _)| {
            finding(
                &format!("{LIMITS}:{}", number + 1),
                "names no ignored test: is the limit gone?",
            )
        })
        .collect()
}

fn is_ignored(files: &Files, test: &str) -> bool {
    let head = format!("fn {test}(");
    let before = files
        .all()
        .filter(|(path, _)| path.ends_with(".rs"))
        .filter_map(|(_, text)| text.split_once(&head));
    before
        .flat_map(|(before, _)| before.lines().rev().take(2))
        .any(|line| line.starts_with("#[ignore"))
}

fn finding(place: &str, why: &str) -> Finding {
    Finding {
        place: place.to_owned(),
        why: why.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERDICTS: &str = "[[rule]]\nid = \"x\"\non = [\"run\"]\nstrict = \"ask\"\nrisk = \"low\"\nwhy = \"it is\"\ninstead = \"\"\nmatch = [\"x\"]\n";

    fn house(files: &[(&'static str, &'static str)]) -> Files {
        Files::sample(files.iter().copied())
    }

    #[test]
    fn the_page_of_the_rules_has_to_be_current() {
        let rules = ("rules/verdicts/1.toml", VERDICTS);
        assert!(
            page(&house(&[rules]))
                .unwrap()
                .ends_with("| `x` | ask | ask | low | it is |\n")
        );
        assert_eq!(rules_page(&house(&[rules])).len(), 1);
        assert_eq!(rules_page(&house(&[rules, (RULES, "# Old\n")])).len(), 1);
        assert_eq!(rules_page(&house(&[])), []);
    }

    #[test]
    fn a_dead_link_is_found() {
        let there = [
            ("spec/a.md", ""),
            ("docs/b.md", ""),
            ("README.md", "[a](spec/a.md) [s](spec/) [x](https://x/y) [h](#z)"),
        ];
        assert_eq!(links(&house(&there)), []);
        for (page, link) in [
            ("docs/c.md", "[a](spec/a.md)"),
            ("docs/c.md", "[a](../b.md)"),
            ("CONTRIBUTING.md", "[b](b.md)"),
        ] {
            assert_eq!(
                links(&Files::sample(there.into_iter().chain([(page, link)]))).len(),
                1,
                "{link}"
            );
        }
        let fine = [("docs/c.md", "[a](../spec/a.md#x) [b](b.md)")];
        assert_eq!(links(&Files::sample(there.into_iter().chain(fine))), []);
    }

    #[test]
    fn an_attack_without_its_case_is_found() {
        let page = |row: &'static str| house(&[("spec/a.md", "rm -rf / | sh  # ask\n"), (BYPASSES, row)]);
        assert_eq!(
            bypasses(&page(
                "| trick | answer | case |\n| --- | --- | --- |\n| t | a | [a](../spec/a.md): `/ \\| sh` |\n"
            )),
            []
        );
        for row in [
            "| t | a | [a](../spec/a.md): `rm -r /` |",
            "| t | a | [a](../spec/b.md): `rm` |",
            "| t | a | none |",
        ] {
            assert_eq!(bypasses(&page(row)).len(), 1, "{row}");
        }
    }

    #[test]
    fn a_limit_that_is_gone_is_found() {
        let page = (LIMITS, "| x | The test `a_b` is ignored. |\n| y | no test |\n");
        let ignored = (
            "crates/shell/tests/a.rs",
            "#[test]\n#[ignore = \"later\"]\nfn a_b() {}\n",
        );
        let run = ("crates/shell/tests/a.rs", "#[test]\nfn a_b() {}\n");
        assert_eq!(limits(&house(&[page, ignored])), []);
        assert_eq!(limits(&house(&[page, run])).len(), 1);
        assert_eq!(limits(&house(&[page])).len(), 1);
    }
}
