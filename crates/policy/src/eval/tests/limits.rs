//! Bounds of the work, and what long texts keep.

use alloc::string::String;

use super::{deeds, effects, evaluated};
use crate::effect::Tags;
use crate::eval::Eval;
use crate::eval::effects::{Mark, New};
use crate::tests::Table;
use crate::world::Recorder;
use crate::{Act, Effect, Loss, Settings, Target};

fn has(text: &str, deed: &str) -> bool {
    deeds(text).iter().any(|d| d.split(" by ").next() == Some(deed))
}

fn gives_up(text: &str) -> bool {
    effects(text).iter().any(|e| e.contains("too much to work out"))
}

#[test]
fn a_look_is_spent_where_nothing_is_left() {
    evaluated("", |eval, _| {
        let span = shell::Span::default();
        assert!(!eval.is_spent(span));
        eval.exhausted = true;
        assert!(!eval.is_spent(span));
        eval.exhausted = false;
        eval.fuel = 0;
        assert!(eval.is_spent(span) && eval.exhausted);
    });
    evaluated("", |eval, _| {
        fill(eval, 8191);
        eval.exhausted = true;
        assert!(!eval.is_spent(shell::Span::default()));
        fill(eval, 1);
        assert!(eval.is_spent(shell::Span::default()));
        eval.exhausted = false;
        assert!(!eval.is_spent(shell::Span::default()));
    });
}

fn effect(at: u32) -> Effect {
    Effect {
        act: Act::Read,
        what: "",
        target: Target::None,
        tags: Tags::default(),
        program: String::new(),
        span: shell::Span { start: at, end: at },
        chain: alloc::vec::Vec::new(),
        uses: alloc::sync::Arc::default(),
        dir: alloc::sync::Arc::default(),
        loss: Loss::default(),
    }
}

fn fill(eval: &mut Eval<'_>, count: u32) {
    (0..count).for_each(|n| eval.effects.push(effect(n)));
}

#[test]
fn effects_are_kept_once_and_beyond_many_by_what_rules_look_at() {
    evaluated("", |eval, _| {
        let (target, other) = (Target::Path("/x".into()), Target::Path("/y".into()));
        let (none, mut some) = (Tags::default(), Tags::default());
        some.add("home");
        let new = |target, tags, program, at| New {
            act: Act::Delete,
            what: "",
            target,
            tags,
            program,
            span: shell::Span { start: at, end: at },
            dir: "",
        };
        let keep = |eval: &mut Eval<'_>, of: &New<'_>| {
            let known = eval.effects.says_nothing_new(of);
            if !known {
                eval.effects.push(Effect {
                    act: of.act,
                    target: of.target.clone(),
                    tags: of.tags.clone(),
                    program: of.program.into(),
                    span: of.span,
                    ..effect(0)
                });
            }
            !known
        };
        assert!(keep(eval, &new(&target, &none, "rm", 1)));
        assert!(!keep(eval, &new(&target, &none, "rm", 1)));
        assert!(keep(eval, &new(&target, &none, "rm", 2)));
        assert!(keep(eval, &new(&target, &none, "mv", 1)));
        assert!(keep(eval, &new(&other, &none, "rm", 1)));
        assert!(keep(eval, &new(&target, &some, "rm", 1)));
        assert!(!keep(eval, &new(&other, &none, "rm", 1)));
        assert!(!keep(eval, &new(&target, &none, "mv", 1)));
        fill(eval, 1019);
        // From now on only what a rule could tell apart is new.
        assert!(!keep(eval, &new(&other, &some, "mv", 9)));
        let mut third = some.clone();
        third.add("force");
        assert!(keep(eval, &new(&target, &third, "rm", 9)));
        assert!(!keep(eval, &new(&target, &third, "rm", 10)));
        let mut turned = Tags::default();
        turned.add("force");
        turned.add("home");
        assert!(!keep(eval, &new(&target, &turned, "rm", 10)));
        assert!(!keep(eval, &new(&other, &none, "x", 10)));
    });
}

#[test]
fn a_mark_labels_what_it_is_for() {
    let labels = |mark: Mark, act, before: &'static str| {
        let mut tags = Tags::default();
        tags.add(before);
        mark.put(act, &mut tags);
        tags.has("m")
    };
    let only = Mark {
        only: Some(Act::Delete),
        ..Mark::all("m")
    };
    let unless = Mark {
        unless: "b",
        ..Mark::all("m")
    };
    assert!(labels(Mark::all("m"), Act::Read, "b"));
    assert!(labels(only, Act::Delete, "b") && !labels(only, Act::Read, "b"));
    assert!(labels(unless, Act::Read, "a") && !labels(unless, Act::Read, "b"));
}

#[test]
fn long_texts_are_followed_to_their_end() {
    for text in [
        "ls a b c\n".repeat(3_000) + "rm x",
        alloc::format!("for f in {} ; do rm x; done", "a ".repeat(3_000)),
        alloc::format!("echo {} | cat; rm x", "a".repeat(200_000)),
        alloc::format!("true {}; rm x", "&& true ".repeat(3_000)),
        alloc::format!("cat {}; rm x", "| cat ".repeat(300)),
        alloc::format!("{{ {} }}; rm x", "ls a; ".repeat(3_000)),
        alloc::format!("echo \"{}\"; rm x", "$a ".repeat(3_000)),
    ] {
        let head: String = text.chars().take(30).collect();
        assert!(has(&text, "delete /home/ann/proj/x"), "{head}");
        assert!(!gives_up(&text), "{head}");
    }
}

#[test]
fn texts_that_are_run_as_text_are_bounded_together() {
    let inner = |bytes: usize| {
        gives_up(&alloc::format!(
            "x='{}'; eval \"$x\"; eval \"$x\"; eval \"$x\"",
            " ".repeat(bytes)
        ))
    };
    assert!(!inner(600_000));
    assert!(inner(800_000));
}

#[test]
fn what_cannot_be_read_is_looked_at_in_pieces() {
    for (text, expected) in [
        ("if rm x; then (", true),
        ("case x in a) rm x;; (", true),
        ("for f in rm x (", true),
        ("while ! rm x; do (", true),
        ("$( rm x", true),
        ("echo 'rm x", false),
        ("a[rm x (", false),
    ] {
        let got = has(text, "delete /home/ann/proj/x");
        assert_eq!(got, expected, "{text}: {:?}", deeds(text));
    }
    assert!(effects("ls (").iter().any(|e| e.contains("unparsed")));
}

#[test]
fn lines_behind_an_interpreter_are_meant_for_it() {
    let deletes = |text: &str| {
        evaluated("", |eval, _| {
            eval.request(text);
            eval.effects
                .iter()
                .any(|e| e.act == Act::Delete && e.target == Target::Path("/home/ann/proj/x".into()))
        })
    };
    assert!(deletes("python3\nimport os\nos.remove('x')"));
    assert!(deletes("python3.11\nimport os\nos.remove('x')"));
    assert!(!deletes("python3 -V\nimport os\nos.remove('x')"));
    assert!(!deletes("ls\nimport os\nos.remove('x')"));
}

#[test]
fn the_project_is_the_nearest_repository() {
    let settings = Settings::default();
    let found = |table: &Table, cwd: &str| Eval::new(&Recorder::new(table, &settings), cwd).workspace;
    let table = Table::new()
        .with_file("/home/ann/.git/x", "")
        .with_file("/srv/a/b/.git", "gitdir: x");
    for (cwd, expected) in [
        ("/home/ann/proj", "/home/ann/proj"),
        ("/home/ann/proj/a/b", "/home/ann/proj"),
        ("/home/ann/other", "/home/ann/other"),
        ("/home/ann", "/home/ann"),
        ("/srv/a/b/c", "/srv/a/b"),
        ("/srv/a", "/srv/a"),
        ("/", "/"),
    ] {
        assert_eq!(found(&table, cwd), expected, "{cwd}");
    }
    let deep = |count: usize| found(&table, &alloc::format!("/home/ann/proj{}", "/d".repeat(count)));
    assert_eq!(deep(31), "/home/ann/proj");
    assert_ne!(deep(32), "/home/ann/proj");
}

#[test]
fn a_nest_of_texts_has_an_end() {
    let nested = |count: usize| {
        let mut text = String::from("rm x");
        for _ in 0..count {
            text = alloc::format!("eval {}", text.replace(' ', "\\ ").replace("\\\\", "\\\\\\"));
            if text.len() > 10_000 {
                break;
            }
        }
        text
    };
    assert!(
        deeds(&nested(3)).iter().any(|d| d.starts_with("delete")),
        "{}",
        nested(3)
    );
    let calls = |count: usize| {
        let mut text = String::new();
        for n in 0..count {
            text += &alloc::format!("f{n}() {{ f{}; }}\n", n + 1);
        }
        gives_up(&alloc::format!("{text}f{count}() {{ rm x; }}\nf0"))
    };
    assert!(!calls(20) && calls(30));
}

#[test]
fn words_of_a_kind_are_kept_up_to_a_number() {
    let options = |kinds: usize| {
        let words: String = (0..kinds).map(|n| alloc::format!("--o{n}=1 ")).collect();
        gives_up(&alloc::format!("tool {}{words}z", "y ".repeat(1_100)))
    };
    // Names are a kind, too.
    assert!(!options(511) && options(512));
    let set = |name: &str| gives_up(&alloc::format!("{name} {}", "--o=1 y ".repeat(2_000)));
    assert!(set("eval") && set("sudo"));
    assert!(!set("tool"));
}

/// The fuel that judging a text takes.
fn spent(text: &str) -> u32 {
    let mut left = 0;
    evaluated(text, |eval, _| left = eval.fuel);
    20_000 - left
}

#[test]
fn patterns_are_tried_on_short_texts_alone() {
    let deletes = |text: &str| deeds(text).iter().any(|deed| deed.starts_with("delete /"));
    let long = "a".repeat(300);
    assert!(deletes("x=aab; ${x//a*b/rm} -rf /"));
    // Every part of the text would be held against the pattern.
    assert!(!deletes(&alloc::format!("x={long}b; ${{x//a*b/rm}} -rf /")));
    // A pattern without wildcards is one text.
    assert!(deletes(&alloc::format!("x={long}b; ${{x//{long}b/rm}} -rf /")));
    // What is cut off is told apart by capitals.
    assert!(deletes("x=RMrm; ${x#RM} -rf /") && !deletes("x=RMrm; ${x#rm} -rf /"));
}

#[test]
fn text_in_operations_is_paid_for() {
    let nested = |text: &str| spent(&alloc::format!("echo ${{w[${{w[${{w={text}}}]}}]}}"));
    let long = "y".repeat(64 << 10);
    let bytes_per_step = 512;
    assert!(nested(&long) - nested("y") >= (64 << 10) / bytes_per_step);
    let (cut, plain) = (spent("x=a; echo ${x#b} ${x#b}"), spent("x=a; echo $x $x"));
    assert!(cut <= plain + 2, "short ones are nearly free: {cut}, {plain}");
}
