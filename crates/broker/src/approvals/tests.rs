mod race;

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::files;
use crate::moment::Moment;

const HOUR: u64 = 3600;

fn at(seconds: u64) -> Moment {
    Moment {
        wall_ms: 1_700_000_000_000 + seconds * 1000,
        boot_ns: seconds * 1_000_000_000,
        boot_id: "boot".into(),
    }
}

fn bound(request: &str) -> Bound {
    let [cwd, environment, repository, session, agent] = ["cwd", "env", "repo", "session", "agent"].map(str::to_owned);
    let [policy, rules, uses, shown] = ["policy", "rules", "uses", "shown"].map(str::to_owned);
    Bound {
        request: format!("{request:0>32}"),
        cwd,
        environment,
        repository,
        session,
        agent,
        policy,
        rules,
        uses,
        shown,
    }
}

fn asked(remember: bool) -> Asked {
    Asked {
        agent: "claude".into(),
        pid: Some(7),
        process: "claude:7:1:boot".into(),
        session: "s".into(),
        call: "c".into(),
        cwd: "/work".into(),
        parts: vec![("command.run".into(), "git push --force".into())],
        rules: vec!["git_push_force".into()],
        risk: "high".into(),
        classes: Vec::new(),
        files: Vec::new(),
        reason: "because".into(),
        remember,
        native: false,
    }
}

fn yes(scope: Scope, now: &Moment) -> Resolution {
    Resolution {
        at: now.clone(),
        by: "/dev/pts/1".into(),
        scope: Some(scope),
        note: String::new(),
        guidance: String::new(),
    }
}

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        // In memory where there is room for that: nothing here is about the disk.
        Self(
            tempfile::tempdir_in("/dev/shm")
                .or_else(|_| tempfile::tempdir())
                .unwrap(),
        )
    }

    fn store(&self) -> Approvals {
        Approvals::at(self.0.path()).unwrap()
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join("approvals")
    }

    fn files(&self) -> Vec<PathBuf> {
        files::paths(&self.folder()).unwrap()
    }

    /// An ask with a yes to it.
    fn approved(&self, scope: Scope) -> Approval {
        let approval = self.store().ask(asked(true), bound("1"), &at(0)).unwrap();
        let said = yes(scope, &at(1));
        self.store()
            .resolve(&approval.id, Status::Approved, said, &at(1))
            .unwrap()
    }

    fn covers(&self, bound: &Bound, seconds: u64) -> bool {
        self.store().cover(bound, &at(seconds), true).unwrap().is_some()
    }
}

#[test]
fn an_ask_covers_nothing_until_a_person_says_yes() {
    let home = Home::new();
    let approval = home.store().ask(asked(true), bound("1"), &at(0)).unwrap();
    assert!(!home.covers(&bound("1"), 1));
    let no = Resolution {
        scope: None,
        ..yes(Scope::Once, &at(2))
    };
    home.store()
        .resolve(&approval.id, Status::Rejected, no, &at(2))
        .unwrap();
    assert!(!home.covers(&bound("1"), 3));
}

#[test]
fn m_52_a_yes_for_one_call_passes_it_once() {
    let home = Home::new();
    let id = home.approved(Scope::Once).id;
    let grant = home.store().cover(&bound("1"), &at(2), true).unwrap();
    assert_eq!(
        grant,
        Some(Grant {
            id: id.clone(),
            scope: Scope::Once
        })
    );
    assert!(!home.covers(&bound("1"), 3));
    let used = home.store().get(&id).unwrap();
    assert_eq!(used.used, Some(at(2)));
}

#[test]
fn r_13_each_of_the_twelve_things_alone_refuses() {
    type Change = (&'static str, fn(&mut Bound));
    let changes: [Change; 10] = [
        ("request", |b| b.request.replace_range(31..32, "x")),
        ("cwd", |b| b.cwd.push('x')),
        ("environment", |b| b.environment.push('x')),
        ("repository", |b| b.repository.push('x')),
        ("session", |b| b.session.push('x')),
        ("agent", |b| b.agent.push('x')),
        ("policy", |b| b.policy.push('x')),
        ("rules", |b| b.rules.push('x')),
        ("uses", |b| b.uses.push('x')),
        ("shown", |b| b.shown.push('x')),
    ];
    for scope in [Scope::Once, Scope::Session, Scope::Here { days: 14 }] {
        let home = Home::new();
        home.approved(scope);
        let free = |name: &str| matches!(scope, Scope::Here { .. }) && matches!(name, "session" | "agent");
        for (name, change) in changes.iter().filter(|(name, _)| !free(name)) {
            let mut other = bound("1");
            change(&mut other);
            assert!(!home.covers(&other, 2), "{name} {scope:?}");
        }
        for (one, change) in &changes {
            for (two, more) in changes.iter().filter(|(two, _)| two > one && !(free(one) && free(two))) {
                let mut other = bound("1");
                change(&mut other);
                more(&mut other);
                assert!(!home.covers(&other, 2), "{one} and {two} {scope:?}");
            }
        }
        // The end of the answer.
        let end = 1 + scope.lifetime().as_secs();
        assert!(!home.covers(&bound("1"), end), "{scope:?}");
        assert!(home.covers(&bound("1"), end - 1), "{scope:?}");
    }
    // The nonce: the file as it was before the call passed is put back.
    let home = Home::new();
    home.approved(Scope::Once);
    let path = home.files()[0].clone();
    let before = fs::read(&path).unwrap();
    assert!(home.covers(&bound("1"), 2));
    fs::write(&path, before).unwrap();
    assert!(!home.covers(&bound("1"), 3));
}

#[test]
fn v_3305_what_was_not_written_by_us_counts_for_nothing() {
    let home = Home::new();
    let approval = home.store().ask(asked(true), bound("1"), &at(0)).unwrap();
    let path = home.files()[0].clone();
    let pending = fs::read_to_string(&path).unwrap();
    fs::write(&path, pending.replace("\"pending\"", "\"approved\"")).unwrap();
    assert!(!home.covers(&bound("1"), 1));
    assert!(matches!(home.store().get(&approval.id), Err(StoreError::Damaged(_))));
    fs::write(&path, &pending).unwrap();
    home.store()
        .resolve(&approval.id, Status::Approved, yes(Scope::Once, &at(1)), &at(1))
        .unwrap();
    let approved = fs::read_to_string(&path).unwrap();
    for (from, to) in [
        ("\"once\"", "{\"here\":{\"days\":90}}"),
        ("\"shown\":\"shown\"", "\"shown\":\"other\""),
        ("git push --force", "git push"),
        ("\"wall_ms\":1700000001000", "\"wall_ms\":1800000001000"),
    ] {
        let changed = approved.replace(from, to);
        assert_ne!(changed, approved, "{from}");
        fs::write(&path, changed).unwrap();
        assert!(!home.covers(&bound("1"), 2), "{from}");
    }
    // Another name for the same file is another request's.
    fs::write(&path, &approved).unwrap();
    let other = bound("2").request.chars().take(16).collect::<String>();
    fs::copy(&path, home.folder().join(format!("{other}.{}.json", approval.id))).unwrap();
    assert!(!home.covers(&bound("2"), 2));
    // The secret of another installation.
    let away = Home::new();
    away.approved(Scope::Once);
    for file in away.files() {
        fs::copy(&file, home.folder().join(file.file_name().unwrap())).unwrap();
    }
    assert_eq!(home.store().list().unwrap().1.len(), 2);
}

#[test]
fn v_3304_m_53_what_must_not_be_remembered_is_offered_once_only() {
    let home = Home::new();
    let approval = home.store().ask(asked(false), bound("1"), &at(0)).unwrap();
    let answer = |scope| {
        let said = yes(scope, &at(1));
        home.store().resolve(&approval.id, Status::Approved, said, &at(1))
    };
    for scope in [Scope::Session, Scope::Here { days: 1 }] {
        assert!(matches!(answer(scope), Err(StoreError::NotOffered(_))), "{scope:?}");
    }
    assert!(answer(Scope::Once).is_ok());
}

#[test]
fn v_3305_answers_that_hold_for_longer_can_be_switched_off() {
    let home = Home::new();
    home.approved(Scope::Here { days: 14 });
    assert_eq!(home.store().cover(&bound("1"), &at(2), false).unwrap(), None);
    assert!(home.covers(&bound("1"), 2));
}

#[test]
fn v_3303_days_are_bounded() {
    for (days, fine) in [(0, false), (1, true), (90, true), (91, false)] {
        let home = Home::new();
        let approval = home.store().ask(asked(true), bound("1"), &at(0)).unwrap();
        let said = yes(Scope::Here { days }, &at(1));
        let answered = home.store().resolve(&approval.id, Status::Approved, said, &at(1));
        assert_eq!(answered.is_ok(), fine, "{days}");
    }
}

#[test]
fn v_3307_a_use_does_not_renew_a_remembered_yes() {
    let home = Home::new();
    home.approved(Scope::Here { days: 1 });
    for hour in [1, 12, 23] {
        assert!(home.covers(&bound("1"), hour * HOUR), "{hour}");
    }
    assert!(!home.covers(&bound("1"), 24 * HOUR + 1));
    let again = home.store().ask(asked(true), bound("1"), &at(24 * HOUR + 2)).unwrap();
    let said = yes(Scope::Once, &at(24 * HOUR + 3));
    let at = at(24 * HOUR + 3);
    assert!(home.store().resolve(&again.id, Status::Approved, said, &at).is_ok());
}

#[test]
fn r_9_no_clock_brings_a_yes_back() {
    let home = Home::new();
    home.approved(Scope::Once);
    let on = |wall: i64, boot_s: u64, boot: &str| Moment {
        wall_ms: at(0).wall_ms.saturating_add_signed(wall * 1000),
        boot_ns: boot_s * 1_000_000_000,
        boot_id: boot.into(),
    };
    let day: i64 = 86_400;
    let covers = |moment: &Moment| {
        let store = home.store();
        let all = store.list().unwrap().0;
        all[0].status(moment, store.latest()) == Status::Approved
    };
    for wall in [-5 * 365 * day, -day, -1, 0, 2, day, 400 * day] {
        assert!(
            covers(&on(wall, 100, "boot")),
            "the wall clock does not count within a boot: {wall}"
        );
        assert!(!covers(&on(wall, 3602, "boot")), "{wall}");
    }
    assert!(covers(&on(60, 1, "next")), "a minute later, after a new boot");
    assert!(!covers(&on(-60, 1, "next")), "set back behind the answer");
    assert!(!covers(&on(3601, 1, "next")));
    // Something was written an hour later; then the clock is set back and the machine starts again.
    home.store()
        .ask(asked(true), bound("2"), &on(2 * 3600, 50, "boot"))
        .unwrap();
    assert!(!covers(&on(60, 1, "next")));
    // Whoever forges what was seen last gains nothing.
    fs::write(home.folder().join("latest"), "0 00\n").unwrap();
    assert_eq!(home.store().latest(), 0);
    assert!(!covers(&on(3601, 1, "next")));
}

#[test]
fn b_0504_m_51_the_first_answer_stands() {
    let home = Home::new();
    let id = home.approved(Scope::Once).id;
    let late = home
        .store()
        .resolve(&id, Status::Rejected, yes(Scope::Once, &at(2)), &at(2));
    assert!(matches!(late, Err(StoreError::Settled(Status::Approved))));
}

#[test]
fn b_0506_an_ask_that_nobody_answers_expires_and_is_no_yes() {
    let home = Home::new();
    let approval = home.store().ask(asked(true), bound("1"), &at(0)).unwrap();
    let late = at(24 * HOUR);
    assert_eq!(approval.status(&late, 0), Status::Expired);
    let answered = home
        .store()
        .resolve(&approval.id, Status::Approved, yes(Scope::Once, &late), &late);
    assert!(matches!(answered, Err(StoreError::Settled(Status::Expired))));
}

#[test]
fn the_same_ask_again_is_one() {
    let home = Home::new();
    let first = home.store().ask(asked(true), bound("1"), &at(0)).unwrap();
    let again = home.store().ask(asked(true), bound("1"), &at(5)).unwrap();
    assert_eq!((again.id, again.times), (first.id.clone(), 2));
    let other = Bound {
        cwd: "elsewhere".into(),
        ..bound("1")
    };
    assert_ne!(home.store().ask(asked(true), other, &at(6)).unwrap().id, first.id);
}

#[test]
fn v_3308_clear_takes_every_yes_back_and_leaves_what_waits() {
    let home = Home::new();
    home.approved(Scope::Here { days: 14 });
    let waits = home.store().ask(asked(true), bound("2"), &at(2)).unwrap();
    assert_eq!(home.store().clear(&at(3)).unwrap(), 1);
    assert!(!home.covers(&bound("1"), 4));
    let ids: Vec<String> = home.store().list().unwrap().0.into_iter().map(|one| one.id).collect();
    assert_eq!(ids, [waits.id]);
}

#[test]
fn b_0502_an_ask_has_one_of_five_statuses() {
    let all = [
        Status::Pending,
        Status::Approved,
        Status::Rejected,
        Status::ChangesRequested,
        Status::Expired,
    ];
    let words = ["pending", "approved", "rejected", "changes_requested", "expired"];
    assert_eq!(all.map(Status::as_str), words);
    for (status, word) in all.into_iter().zip(words) {
        assert_eq!(serde_json::to_value(status).unwrap(), word);
    }
}

#[test]
fn b_0503_m_50_one_file_holds_all_that_is_known_of_an_ask() {
    let home = Home::new();
    home.approved(Scope::Once);
    let text = fs::read_to_string(&home.files()[0]).unwrap();
    let stored: serde_json::Value = serde_json::from_str(&text).unwrap();
    for place in [
        "/id",
        "/status",
        "/created/wall_ms",
        "/asked_at/boot_ns",
        "/asked/agent",
        "/asked/session",
        "/asked/cwd",
        "/asked/parts/0",
        "/asked/rules/0",
        "/asked/risk",
        "/asked/classes",
        "/asked/files",
        "/asked/reason",
        "/resolution/at",
        "/resolution/by",
        "/resolution/note",
        "/resolution/guidance",
        "/nonce",
        "/mac",
    ] {
        assert!(stored.pointer(place).is_some(), "{place}");
    }
}

#[test]
fn b_0507_who_wants_something_else_says_what_and_nothing_passes() {
    let home = Home::new();
    let approval = home.store().ask(asked(true), bound("1"), &at(0)).unwrap();
    let said = Resolution {
        scope: None,
        guidance: "push to a new branch".into(),
        ..yes(Scope::Once, &at(1))
    };
    let answered = home
        .store()
        .resolve(&approval.id, Status::ChangesRequested, said, &at(1))
        .unwrap();
    assert_eq!(answered.resolution.unwrap().guidance, "push to a new branch");
    assert!(!home.covers(&bound("1"), 2));
}

#[test]
fn v_3301_a_signature_is_over_every_byte_and_made_by_this_installation_alone() {
    let (one, other) = (seal::Secret::new([1; 32]), seal::Secret::new([2; 32]));
    let mac = one.sign(b"rm -rf build");
    assert!(one.signed(b"rm -rf build", &mac) && !one.signed(b"rm -rf  build", &mac));
    assert!(!other.signed(b"rm -rf build", &mac));
    for wrong in [
        "",
        "00",
        mac.trim_start_matches(|c: char| mac.starts_with(c)),
        &format!("{mac}0"),
        &mac.replace(|c: char| c.is_ascii_digit(), "0"),
    ] {
        assert!(!one.signed(b"rm -rf build", wrong), "{wrong}");
    }
    // Where a text ends is part of a digest.
    let digest = |parts: &[&str]| one.digest("x", &parts.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>());
    assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
}

#[test]
fn names_lead_to_no_other_file() {
    let home = Home::new();
    home.approved(Scope::Once);
    fs::write(home.0.path().join("approval.json"), "{}").unwrap();
    for id in ["", "../approval", "a/../../x", "json", "12345678", "ABCDEFGH"] {
        assert!(matches!(home.store().get(id), Err(StoreError::Unknown(_))), "{id}");
    }
}

#[test]
fn b_0501_a_reader_never_sees_half_a_file() {
    let home = Home::new();
    let approval = home.approved(Scope::Session);
    fs::write(home.folder().join("new"), "{\"half").unwrap();
    assert_eq!(home.store().get(&approval.id).unwrap(), approval);
    home.store().ask(asked(true), bound("3"), &at(2)).unwrap();
    assert!(!Path::new(&home.folder().join("new")).exists());
}

#[test]
fn there_is_room_for_a_new_ask_whatever_waits() {
    let home = Home::new();
    for n in 0..1100 {
        home.store().ask(asked(true), bound(&n.to_string()), &at(n)).unwrap();
    }
    let count = home.files().len();
    assert!((400..=500).contains(&count), "{count}");
    let late = home.store().ask(asked(true), bound("late"), &at(1101)).unwrap();
    assert!(home.store().get(&late.id).is_ok());
}
