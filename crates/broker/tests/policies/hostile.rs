//! Files that want to take time or memory.

use std::time::{Duration, Instant};

use super::Machine;

/// Such files, with what is said of them. `cargo xtask bench policy` has the bars.
fn hostile() -> Vec<(&'static str, String, &'static str)> {
    let repeat = |text: &str, times: usize| text.repeat(times);
    let rule = |pattern: &str| format!("commands: [{{pattern: '{pattern}', action: ask, reason: r}}]");
    let each = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let laughs = (b'b'..b'u').map(|c| {
        let (c, of) = (char::from(c), char::from(c - 1));
        format!("{c}: &{c} [*{of}, *{of}, *{of}, *{of}, *{of}, *{of}, *{of}, *{of}]\n")
    });
    let laughs = format!("a: &a [x]\n{}", laughs.collect::<String>());
    let wide = |at| {
        format!("  - {{pattern: 'p{at}\\w{{25}}', action: ask, reason: r, match: [p{at}abcdefghijklmnopqrstuvwxyz]}}\n")
    };
    vec![
        ("yml", laughs, "there is no `a`"),
        ("yml", "classes: &c {deploy: ask}\n".into(), "anchors (`&`) or aliases"),
        ("yml", "actions:\n  <<: {a: b}\n".into(), ""),
        ("yml", repeat("[", 1_000_000), "nested more than 16 deep"),
        ("yml", format!("actions: {}", repeat("{a: ", 250_000)), ""),
        ("yml", repeat("- ", 500_000), ""),
        ("yml", repeat("actions: []\n", 80_000), "duplicate mapping key: actions"),
        (
            "yml",
            format!("classes:\n{}", repeat("  deploy: ask\n", 70_000)),
            "duplicate mapping key",
        ),
        (
            "yml",
            format!("classes:\n{}", each(70_000, &|n| format!("  c{n}: ask\n"))),
            "more than 50000 keys",
        ),
        ("yml", repeat("---\nactions: []\n", 60_000), "more than one document"),
        ("yml", repeat("#\n", 5 << 20), "larger than 1 MiB"),
        ("yml", repeat("\0", 100), ""),
        ("yml", "%YAML 9.9\n---\n".into(), ""),
        ("yml", "!!binary x\n".into(), ""),
        ("yml", rule(&repeat("(a*)*", 100)), "empty text"),
        (
            "yml",
            rule(&format!("{}a{}", repeat("(", 200), repeat(")", 200))),
            "nest",
        ),
        ("yml", rule("(a{1000}){1000}"), "memory"),
        ("yml", rule("((a{1000}){1000}){1000}"), "memory"),
        ("yml", rule("\\w{1000}"), "memory"),
        ("yml", rule(&repeat("a", 1_000_000)), "longer than 512 bytes"),
        ("yml", rule("(a)\\1"), "backreferences"),
        ("yml", rule("(?=a)b"), "look-around"),
        (
            "yml",
            format!("commands:\n{}", each(64, &wide)),
            "too much time and memory together",
        ),
        ("toml", format!("a = {}", repeat("[", 500_000)), "more than 50000 keys"),
        (
            "toml",
            format!("a{} = 1", repeat(".a", 500_000)),
            "more than 50000 keys",
        ),
        ("toml", format!("a = {}", repeat("{a = ", 10_000)), ""),
        (
            "toml",
            each(50_000, &|n| format!("[a.b{n}.c.d.e.f]\n")),
            "more than 50000 keys",
        ),
        (
            "toml",
            "[classes]\ndeploy = \"ask\"\ndeploy = \"deny\"\n".into(),
            "duplicate key",
        ),
    ]
}

#[test]
fn hostile_files_are_refused_with_file_line_and_reason() {
    for (ending, text, said) in hostile() {
        for (folder, whose) in [("config/policies", false), ("project/.tollgate/policies", true)] {
            let begin = Instant::now();
            let set = Machine::new().with(&format!("{folder}/a.{ending}"), &text).set();
            // What matters is that nobody waits for ever: this machine may be busy.
            assert!(begin.elapsed() < Duration::from_secs(5), "{said}");
            let faults = if whose { &set.project_faults } else { &set.own_faults };
            let start = text.get(..60).unwrap_or(&text);
            if faults.is_empty() && !whose && said.contains("together") {
                continue;
            }
            let fault = faults.first().unwrap_or_else(|| panic!("{start} is taken")).to_string();
            assert!(fault.contains(&format!("a.{ending}`")) && fault.len() < 1000, "{fault}");
            if fault.contains("a project's files may be 256 KiB together") && text.len() > 256 << 10 {
                continue;
            }
            assert!(
                fault.contains(", line ") || said.contains("MiB") || said.is_empty(),
                "{start}: {fault}"
            );
            assert!(fault.contains(said) && !fault.contains("Policy"), "{start}: {fault}");
            assert!(set.rules.is_empty());
        }
    }
}
