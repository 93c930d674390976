//! Policy files that want to take time or memory: each is refused, and soon.

use std::fs;
use std::path::Path;

use super::{Bench, question};
use crate::error::{Error, Result};

/// The bars, for the whole hook: microseconds of the processor, and KiB.
const MOST_TIME: u128 = 100_000;
const MOST_MEMORY: u64 = 64 << 10;
/// Where the files of a person and of a project are.
const FOLDERS: [&str; 2] = ["config/policies", "work/.tollgate/policies"];

/// Names, endings and texts.
fn texts() -> Vec<(&'static str, &'static str, String)> {
    let repeat = |text: &str, times: usize| text.repeat(times);
    let each = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let rules = |count: usize, line: &dyn Fn(usize) -> String| {
        let rule = |at| format!("  - {{pattern: '{}', action: ask, reason: r}}\n", line(at));
        format!("commands:\n{}", each(count, &rule))
    };
    let laughs = (b'b'..b'z').map(|c| {
        let (c, of) = (char::from(c), char::from(c - 1));
        format!("{c}: &{c} [{}]\n", vec![format!("*{of}"); 9].join(", "))
    });
    let letters = "abcdefghijklmnopqrstuvwxyz";
    let compiled = |at| format!("  - {{pattern: '{at}\\w{{25}}', action: ask, reason: r, match: [{at}{letters}]}}\n");
    vec![
        (
            "a billion laughs",
            "yml",
            format!("a: &a [x]\n{}", laughs.collect::<String>()),
        ),
        (
            "anchors",
            "yml",
            format!("actions:\n{}", each(60_000, &|n| format!("  - &a{n} x\n"))),
        ),
        ("lists in lists", "yml", repeat("[", 1_000_000)),
        ("maps in maps", "yml", format!("actions: {}", repeat("{a: ", 250_000))),
        ("a key again and again", "yml", repeat("actions: []\n", 80_000)),
        (
            "many keys",
            "yml",
            format!("classes:\n{}", each(70_000, &|n| format!("  c{n}: ask\n"))),
        ),
        ("many documents", "yml", repeat("---\nactions: []\n", 60_000)),
        ("10 MiB", "yml", repeat("#\n", 5 << 20)),
        ("many rules", "yml", rules(20_000, &|n| format!("p{n}x"))),
        ("a long expression", "yml", rules(1, &|_| repeat("a", 1_000_000))),
        ("an expression of death", "yml", rules(1, &|_| repeat("(a*)*", 100))),
        (
            "an expression a million long",
            "yml",
            rules(1, &|_| "(a{1000}){1000}".into()),
        ),
        (
            "an expression a billion long",
            "yml",
            rules(1, &|_| "((a{1000}){1000}){1000}".into()),
        ),
        ("an expression of classes", "yml", rules(1, &|_| "\\w{1000}".into())),
        (
            "many large expressions",
            "yml",
            format!("commands:\n{}", each(4_000, &compiled)),
        ),
        ("TOML, lists in lists", "toml", format!("a = {}", repeat("[", 500_000))),
        ("TOML, a long name", "toml", format!("a{} = 1", repeat(".a", 500_000))),
        (
            "TOML, many tables",
            "toml",
            each(50_000, &|n| format!("[a.b{n}.c.d.e.f]\n")),
        ),
    ]
}

pub(super) fn run(hook: &Path) -> Result<()> {
    let (mut worst_time, mut worst_memory) = ((0, ""), (0, ""));
    for (name, ending, text) in texts() {
        for folder in FOLDERS {
            let bench = Bench::prepare(hook.to_path_buf(), "hostile")?;
            let file = bench.folder.join(folder).join(format!("hostile.{ending}"));
            fs::create_dir_all(bench.folder.join(folder))?;
            fs::write(&file, &text)?;
            bench.answers("touch x", &file.to_string_lossy())?;
            let (time, memory) = bench.used(&question("touch x", &bench.folder.join("work")))?;
            worst_time = worst_time.max((time.as_micros(), name));
            worst_memory = worst_memory.max((memory, name));
            fs::remove_dir_all(&bench.folder)?;
        }
    }
    println!(
        "hostile files: at most {:.1} ms of the processor ({}), {:.1} MiB ({})",
        worst_time.0 as f64 / 1e3,
        worst_time.1,
        worst_memory.0 as f64 / 1024.0,
        worst_memory.1
    );
    if worst_time.0 > MOST_TIME || worst_memory.0 > MOST_MEMORY {
        return Err(Error::new("a hostile file takes too much"));
    }
    Ok(())
}
