//! The index against the ledger: what it finds is what reading from end to end finds, whatever happens to either.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

mod home;

use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use home::Home;
use views::{Filter, Follow, News};

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// Filters of all kinds, alone and together.
fn filters() -> Vec<Filter> {
    let f = Filter::default;
    let day = views::millis("2026-11-02T00:00:00Z").unwrap();
    vec![
        f(),
        Filter {
            agent: some("codex"),
            ..f()
        },
        Filter {
            verdict: some("ask"),
            ..f()
        },
        Filter {
            verdict: some(""),
            ..f()
        },
        Filter {
            agent: some("claude"),
            verdict: some("deny"),
            ..f()
        },
        Filter {
            agent: some("nobody"),
            ..f()
        },
        Filter {
            kind: some("approval"),
            ..f()
        },
        Filter {
            session: some("s3"),
            ..f()
        },
        Filter {
            rule: some("rule_b"),
            ..f()
        },
        Filter {
            rule: some("rule_c"),
            verdict: some("allow"),
            ..f()
        },
        Filter {
            path: some("/home/ann/shop"),
            ..f()
        },
        Filter {
            path: some("/home/ann/shop/7"),
            ..f()
        },
        Filter {
            path: some("/home/ann/sho"),
            ..f()
        },
        Filter { path: some("/"), ..f() },
        Filter {
            host: some("example.org"),
            ..f()
        },
        Filter {
            host: some("a.example.org"),
            verdict: some("ask"),
            ..f()
        },
        Filter {
            since: Some(day),
            until: Some(day + 86_400_000),
            ..f()
        },
        Filter {
            since: Some(day + 1),
            agent: some("codex"),
            ..f()
        },
        Filter {
            until: Some(day),
            ..f()
        },
        Filter {
            since: Some(u64::MAX),
            ..f()
        },
        Filter {
            text: some("CARGO"),
            ..f()
        },
        Filter {
            text: some("cargo test 7"),
            agent: some("claude"),
            since: Some(day),
            ..f()
        },
        Filter {
            text: some("nowhere"),
            ..f()
        },
    ]
}

/// The index itself answers, and nothing is read from end to end in its place.
fn answers(home: &Home) {
    let views = home.views();
    for filter in filters() {
        views.search(&filter, 10).unwrap();
        assert!(home.index().exists(), "it was thrown away: {filter:?}");
        if filter.text.is_none() {
            let counted = views.index().unwrap().count(&filter).unwrap();
            assert_eq!(counted, views.scan_stats(&filter).unwrap(), "{filter:?}");
        }
    }
}

/// Search, statistics and the last records agree with the ledger.
fn agrees(home: &Home) {
    let views = home.views();
    for filter in filters() {
        for most in [1, 7, 10_000] {
            let (found, read) = (views.search(&filter, most).unwrap(), views.scan(&filter, most).unwrap());
            assert_eq!(found, read, "{filter:?} {most}");
        }
        assert_eq!(
            views.stats(&filter).unwrap(),
            views.scan_stats(&filter).unwrap(),
            "{filter:?}"
        );
    }
    for most in [0, 1, 5, 10_000] {
        assert_eq!(views.last(most).unwrap(), views.scan(&Filter::default(), most).unwrap());
    }
}

#[test]
fn what_the_index_finds_is_what_stands_in_the_ledger() {
    let mut home = Home::new();
    home.write(1, 400);
    home.write(2, 300);
    home.raw(2, b"no record\n");
    home.raw(2, b"\xff\xfe\n");
    home.write(2, 5);
    agrees(&home);
    answers(&home);
    let all = home
        .views()
        .search(
            &Filter {
                agent: some("codex"),
                ..Filter::default()
            },
            10_000,
        )
        .unwrap();
    assert!(all.len() > 100);
}

#[test]
fn new_records_are_taken_in_across_segments_and_not_a_line_twice() {
    let mut home = Home::new();
    home.write(1, 3);
    agrees(&home);
    home.write(1, 20);
    agrees(&home);
    // An append that is still going on, and is finished later.
    home.raw(1, b"{\"kind\":\"deci");
    agrees(&home);
    home.raw(1, b"sion\",\"seq\":99,\"agent\":{\"name\":\"codex\"}}\n");
    agrees(&home);
    home.write(2, 20);
    home.write(5, 20);
    agrees(&home);
    assert_eq!(home.rows(), 64);
    agrees(&home);
    assert_eq!(home.rows(), 64);
}

#[test]
fn a_clock_that_goes_back_loses_nothing() {
    let mut home = Home::new();
    for start in [
        "2026-11-03T00:00:00Z",
        "2026-11-01T00:00:00Z",
        "2031-01-01T00:00:00Z",
        "2026-11-02T10:00:00Z",
    ] {
        home.now = views::millis(start).unwrap();
        home.write(1, 50);
    }
    agrees(&home);
    // More turns than are asked for one by one.
    for turn in 0..100 {
        home.now = views::millis("2026-11-02T10:00:00Z").unwrap() - turn * 3_600_000;
        home.write(1, 2);
    }
    agrees(&home);
    answers(&home);
}

#[test]
fn a_ledger_that_was_replaced_or_cut_is_indexed_anew() {
    let mut home = Home::new();
    home.write(1, 50);
    agrees(&home);
    // Another one in its place, of another first line.
    home.clear();
    home.now += 1;
    home.write(1, 80);
    agrees(&home);
    assert_eq!(home.rows(), 80);
    // Its end cut off, and something else written there.
    let kept: Vec<String> = home.text(1).lines().take(60).map(|line| format!("{line}\n")).collect();
    fs::write(home.segment(1), kept.concat()).unwrap();
    agrees(&home);
    assert_eq!(home.rows(), 60);
    home.clear();
    assert_eq!(home.views().search(&Filter::default(), 5).unwrap(), []);
}

#[test]
fn a_line_that_was_changed_is_shown_as_it_is_and_never_as_the_index_has_it() {
    let mut home = Home::new();
    home.write(1, 50);
    agrees(&home);
    // Of the same length, in the middle: neither the first nor the last line tells.
    let changed = home.text(1).replacen("\"name\":\"codex\"", "\"name\":\"c0dex\"", 1);
    fs::write(home.segment(1), changed).unwrap();
    agrees(&home);
    let changed = Filter {
        agent: some("c0dex"),
        ..Filter::default()
    };
    assert_eq!(home.views().search(&changed, 5).unwrap().len(), 1);
    // The first line tells before anything is looked for.
    let first = home.text(1).replacen("\"name\":\"claude\"", "\"name\":\"c1aude\"", 1);
    fs::write(home.segment(1), first).unwrap();
    let changed = Filter {
        agent: some("c1aude"),
        ..Filter::default()
    };
    assert_eq!(home.views().search(&changed, 5).unwrap().len(), 1);
}

#[test]
fn an_index_that_is_damaged_or_foreign_is_thrown_away() {
    let mut home = Home::new();
    home.write(1, 300);
    agrees(&home);
    let index = home.index();
    let whole = fs::read(&index).unwrap();
    let mut damaged = whole.clone();
    damaged[4096..].fill(0x5a);
    let mut other = whole.clone();
    // `user_version` in the header of the file.
    other[60..64].copy_from_slice(&[0, 0, 0, 99]);
    for bytes in [
        b"x".to_vec(),
        Vec::new(),
        b"SQLite format 3\0".to_vec(),
        damaged,
        whole[..9000].to_vec(),
        other,
    ] {
        fs::write(&index, &bytes).unwrap();
        agrees(&home);
        assert_eq!(fs::read(&index).unwrap().len(), whole.len());
    }
    // What others can read is none of ours; neither is what leads elsewhere.
    fs::set_permissions(&index, fs::Permissions::from_mode(0o644)).unwrap();
    agrees(&home);
    assert_eq!(fs::metadata(&index).unwrap().permissions().mode() & 0o777, 0o600);
    let elsewhere = home.folder.path().join("elsewhere");
    fs::rename(&index, &elsewhere).unwrap();
    symlink(&elsewhere, &index).unwrap();
    let before = fs::read(&elsewhere).unwrap();
    home.write(1, 10);
    agrees(&home);
    assert!(!index.is_symlink() && fs::read(&elsewhere).unwrap() == before);
    let folder = index.parent().unwrap();
    assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn without_a_place_for_an_index_the_ledger_is_read() {
    let mut home = Home::new();
    home.write(1, 50);
    // A folder that others can write.
    let folder = home.index().parent().unwrap().to_path_buf();
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    agrees(&home);
    assert!(home.views().index().is_err() && !home.index().exists());
    // A file where the folder should be.
    fs::remove_dir_all(&folder).unwrap();
    fs::write(&folder, "").unwrap();
    agrees(&home);
}

#[test]
fn a_ledger_that_is_not_there_is_empty() {
    let home = Home::new();
    let views = home.views();
    assert!(views.is_empty().unwrap());
    assert_eq!(views.search(&Filter::default(), 5).unwrap(), []);
    assert_eq!(views.last(5).unwrap(), []);
    assert_eq!(views.stats(&Filter::default()).unwrap(), views::Stats::default());
    assert!(!home.index().exists());
}

#[test]
fn the_index_is_made_once_by_many_at_the_same_time() {
    let mut home = Home::new();
    home.write(1, 500);
    let views = home.views();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let filter = Filter {
                    agent: some("codex"),
                    ..Filter::default()
                };
                assert_eq!(views.search(&filter, 50).unwrap(), views.scan(&filter, 50).unwrap());
            });
        }
    });
    assert_eq!(home.rows(), 500);
}

#[test]
fn new_records_are_followed_across_segments_and_over_a_cut() {
    let mut home = Home::new();
    home.write(1, 10);
    let mut follow = Follow::from_end(home.views().ledger()).unwrap();
    let mut look = |wanted: u64| {
        let mut seen = 0;
        let news = follow.look(|_| {
            seen += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(seen, wanted);
        news.unwrap()
    };
    look(0);
    home.write(1, 2);
    assert_eq!(look(2), News::Followed);
    look(0);
    home.raw(1, b"{\"kind\":");
    look(0);
    home.raw(1, b"\"start\"}\n");
    look(1);
    home.write(1, 1);
    home.write(2, 3);
    look(4);
    look(0);
    let kept: Vec<String> = home.text(2).lines().take(1).map(|line| format!("{line}\n")).collect();
    fs::write(home.segment(2), kept.concat()).unwrap();
    assert_eq!(look(0), News::Replaced);
    home.write(2, 2);
    assert_eq!(look(2), News::Followed);
}

#[test]
fn a_follower_waits_for_a_ledger_that_is_not_there_yet() {
    let mut home = Home::new();
    let mut follow = Follow::from_end(home.views().ledger()).unwrap();
    home.write(1, 2);
    let mut seen = 0;
    let _ = follow.look(|_| {
        seen += 1;
        ControlFlow::Continue(())
    });
    assert_eq!(seen, 2);
}

/// What was told while an index was made of a long ledger: how far it is, and at the end all of it.
#[test]
fn the_making_of_a_long_index_tells_how_far_it_is() {
    use std::sync::Mutex;
    static TOLD: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());
    fn told(done: u64, all: u64) {
        TOLD.lock().unwrap().push((done, all));
    }
    let state = tempfile::tempdir().unwrap();
    let ledger = ledger::Ledger::at(state.path());
    let record = ledger::Record {
        verdict: "allow".into(),
        note: "n".repeat(1 << 20),
        ..ledger::Record::default()
    };
    let views = views::Views::new(state.path(), ledger.dir()).telling(told);
    let _ = ledger.append(&record).unwrap();
    assert_eq!(views.search(&Filter::default(), 9).unwrap().len(), 1);
    assert!(TOLD.lock().unwrap().is_empty(), "a short one is made at once");
    std::fs::remove_dir_all(state.path().join("index")).unwrap();
    (0..9).for_each(|_| drop(ledger.append(&record).unwrap()));
    assert_eq!(views.search(&Filter::default(), 99).unwrap().len(), 10);
    let said = std::mem::take(&mut *TOLD.lock().unwrap());
    let all = std::fs::metadata(ledger.dir().join("000001.ndjson")).unwrap().len();
    assert!(said.len() == 3 && said.is_sorted(), "{said:?}");
    assert!(
        said.iter().all(|(_, whole)| *whole == all) && said[2].0 == all,
        "{said:?}"
    );
    assert_eq!(views.search(&Filter::default(), 99).unwrap().len(), 10);
    assert!(TOLD.lock().unwrap().is_empty(), "it is there");
}
