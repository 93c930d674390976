//! What would be lost, in words and in sums.

#![allow(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use policy::{LOSS_NAMES, Loss};

fn loss(changed: u32, untracked: u32, commits: u32, secrets: u32, bytes: u64) -> Loss {
    Loss {
        changed,
        untracked,
        commits,
        secrets,
        bytes,
        ..Loss::default()
    }
}

#[test]
fn what_would_be_lost_is_said_with_counts_names_and_size() {
    for (loss, said) in [
        (loss(1, 0, 0, 0, 0), "1 file with uncommitted changes"),
        (
            loss(2, 1, 0, 0, 812),
            "2 files with uncommitted changes, 1 file that git does not keep (812 bytes)",
        ),
        (loss(0, 0, 3, 0, 0), "3 commits that are nowhere else"),
        (
            loss(0, 2, 0, 1, 1_000),
            "2 files that git does not keep, 1 ignored file with secrets (1 kB)",
        ),
        (loss(0, 1, 0, 0, 999_999), "1 file that git does not keep (999 kB)"),
        (loss(0, 1, 0, 0, 3_000_000), "1 file that git does not keep (3 MB)"),
        (loss(0, 1, 0, 0, 2_000_000_000), "1 file that git does not keep (2 GB)"),
    ] {
        assert_eq!(loss.words(), said);
    }
    let named = Loss {
        names: vec!["a".into(), "b".into()],
        ..loss(0, 2, 0, 0, 0)
    };
    assert_eq!(named.words(), "2 files that git does not keep: a, b");
    let some = Loss { untracked: 3, ..named };
    assert_eq!(some.words(), "3 files that git does not keep: a, b, …");
}

#[test]
fn what_was_not_looked_at_is_never_nothing() {
    assert!(Loss::default().is_nothing());
    assert!(Loss::more().more && !Loss::more().is_nothing());
    assert_eq!(Loss::more().words(), "more than can be looked at");
    let partly = Loss {
        more: true,
        ..loss(2, 0, 0, 0, 0)
    };
    assert_eq!(partly.words(), "more than 2 files with uncommitted changes");
    for one in [
        loss(1, 0, 0, 0, 0),
        loss(0, 1, 0, 0, 0),
        loss(0, 0, 1, 0, 0),
        loss(0, 0, 0, 1, 0),
    ] {
        assert!(!one.is_nothing());
    }
    assert!(loss(0, 0, 0, 0, 5).is_nothing(), "bytes of nothing are nothing");
}

#[test]
fn losses_add_up_and_keep_as_many_names_as_are_shown() {
    let mut sum = Loss {
        names: vec!["a".into(); LOSS_NAMES],
        ..loss(1, 2, 3, 4, 5)
    };
    sum.add(Loss {
        names: vec!["b".into()],
        more: true,
        ..loss(10, 20, 30, 40, 50)
    });
    assert_eq!(
        (sum.changed, sum.untracked, sum.commits, sum.secrets, sum.bytes),
        (11, 22, 33, 44, 55)
    );
    assert!(sum.more && sum.names.len() == LOSS_NAMES);
    sum.add(loss(u32::MAX, 0, 0, 0, u64::MAX));
    assert_eq!((sum.changed, sum.bytes), (u32::MAX, u64::MAX));
}
