//! What was read before counts while the files are the same, and only then.

use std::os::unix::fs::MetadataExt as _;

use super::*;

fn is_cached(set: &PolicySet) -> bool {
    set.cache.is_some()
}

#[test]
fn what_was_read_before_says_the_same() {
    let machine = Machine::new(TEAM);
    machine.write("config/policies/b.yml", "actions:\n  - {id: waits, description: d, on: [run.start]}\n  - {id: no-mcp, description: d, on: [mcp.call]}\nrules:\n  - {id: on-patch, description: d, appliesTo: [bundle-apply], matchTouchedFiles: {glob: x}}\nclasses: {push_code: deny}\n");
    let first = machine.own(later());
    assert!(!is_cached(&first) && first.is_whole() && first.differences.is_empty());
    let again = machine.own(later());
    assert!(is_cached(&again));
    assert_eq!(again.digest, first.digest);
    for (text, expected) in [
        ("terraform apply -auto-approve", Verdict::Deny),
        ("bash -c 'cd x && make release'", Verdict::Ask),
        ("write db/a", Verdict::Ask),
        ("cp a db/b", Verdict::Ask),
        ("cp a d?/b", Verdict::Ask),
        ("git push", Verdict::Deny),
        ("ls", Verdict::Allow),
    ] {
        assert_eq!(verdict(&first, text), expected, "{text}");
        assert_eq!(found(&again, text), found(&first, text), "{text}");
    }
    // People see every rule, and those of a project are compared with all names.
    let fully = PolicySet::in_force(&machine.places(), How::Fully, later());
    assert_eq!(
        (fully.rules.len(), fully.patches.ids().count(), fully.differences.len()),
        (6, 1, 0)
    );
    for name in ["no-apply", "waits", "on-patch"] {
        let place = again.cache.as_ref().unwrap().place_of(name).unwrap();
        assert!(
            place.file.ends_with("a.yml") || place.file.ends_with("b.yml") && place.line.is_some(),
            "{name}"
        );
    }
    assert!(again.cache.as_ref().unwrap().place_of("nobody").is_none());
}

#[test]
fn m_30_every_change_of_the_files_is_seen_at_once() {
    let machine = Machine::new(TEAM);
    let file = machine.at("config/policies/a.yml");
    let keep = || {
        machine.own(later());
        assert!(is_cached(&machine.own(later())));
    };
    keep();
    // As long as before, and with the time of before.
    let before = file.metadata().unwrap();
    fs::write(&file, TEAM.replace("terraform apply", "terraform appls")).unwrap();
    let time = before.modified().unwrap();
    fs::File::options()
        .write(true)
        .open(&file)
        .unwrap()
        .set_modified(time)
        .unwrap();
    let after = file.metadata().unwrap();
    assert_eq!(
        (after.len(), after.modified().unwrap(), after.ino()),
        (before.len(), time, before.ino())
    );
    assert_eq!(verdict(&machine.own(later()), "terraform appls"), Verdict::Deny);
    keep();
    machine.write("config/policies/b.yml", "classes: {push_code: deny}");
    assert_eq!(verdict(&machine.own(SystemTime::now()), "git push"), Verdict::Deny);
    keep();
    fs::rename(machine.at("config/policies/b.yml"), machine.at("config/policies/c.yml")).unwrap();
    assert!(!is_cached(&machine.own(later())));
    keep();
    fs::remove_file(machine.at("config/policies/c.yml")).unwrap();
    assert_eq!(verdict(&machine.own(later()), "git push"), Verdict::Warn);
    keep();
    fs::remove_dir_all(machine.at("config/policies")).unwrap();
    assert!(machine.own(later()).rules.is_empty() && !machine.cache().exists());
}

#[test]
fn nothing_is_kept_before_the_files_are_quiet() {
    let machine = Machine::new(TEAM);
    machine.own(SystemTime::now());
    assert!(!machine.cache().exists());
    machine.own(later());
    assert_eq!(machine.cache().metadata().unwrap().mode() & 0o777, 0o600);
}

#[test]
fn whoever_may_write_is_asked_each_time() {
    let machine = Machine::new(TEAM);
    machine.own(later());
    for (name, bits) in [
        ("config/policies/a.yml", 0o666),
        ("config/policies", 0o777),
        ("config", 0o777),
    ] {
        let before = machine.at(name).metadata().unwrap().mode();
        mode(&machine.at(name), bits);
        let set = machine.own(later());
        assert!(!is_cached(&set) && !set.own_faults.is_empty(), "{name}");
        assert_eq!(verdict(&set, "terraform apply"), Verdict::Deny);
        mode(&machine.at(name), before);
        assert!(machine.own(later()).is_whole());
    }
}

#[test]
fn a_damaged_cache_only_costs_time() {
    let machine = Machine::new(TEAM);
    machine.own(later());
    let whole = fs::read(machine.cache()).unwrap();
    let texts = ["terraform apply", "make release", "write db/x", "rm -rf ~"];
    let expected = texts.map(|text| found(&machine.own(later()), text));
    let check = |bytes: &[u8], what: &str| {
        fs::write(machine.cache(), bytes).unwrap();
        let set = machine.own(SystemTime::now());
        assert!(set.is_whole(), "{what}");
        assert_eq!(texts.map(|text| found(&set, text)), expected, "{what}");
    };
    for at in (0..whole.len()).step_by(3) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        check(&bytes, &format!("byte {at}"));
    }
    for length in (0..whole.len()).step_by(17) {
        check(&whole[..length], &format!("{length} bytes"));
    }
    check(&[0xff; 100], "noise");
    check(&[&whole[..], b"more"].concat(), "more");
    fs::remove_file(machine.cache()).unwrap();
    fs::create_dir(machine.cache()).unwrap();
    assert_eq!(verdict(&machine.own(later()), "terraform apply"), Verdict::Deny);
}

#[test]
fn nobody_can_put_rules_or_exceptions_into_it() {
    let allow = "allow: [{pattern: ^git push --force, suppresses: git_push_force, reason: r}]";
    let (machine, other) = (Machine::new(TEAM), Machine::new(allow));
    other.own(later());
    machine.own(later());
    // That of another machine, and that of other files.
    fs::copy(other.cache(), machine.cache()).unwrap();
    assert!(!is_cached(&machine.own(SystemTime::now())));
    fs::copy(other.at("state/approval.secret"), machine.at("state/approval.secret")).unwrap();
    let set = machine.own(SystemTime::now());
    assert!(!is_cached(&set) && set.differences.is_empty());
    assert_eq!(verdict(&set, "git push --force"), Verdict::Ask);
    // Without a secret that is the person's alone there is no cache.
    machine.own(later());
    assert!(is_cached(&machine.own(later())));
    mode(&machine.at("state/approval.secret"), 0o644);
    assert!(!is_cached(&machine.own(later())));
}

#[test]
fn a_day_ends_in_what_was_read_before_too() {
    let machine = Machine::new(
        "allow: [{pattern: ^git push --force, suppresses: git_push_force, reason: r, expires: '2026-12-31'}]",
    );
    // 2026-12-31 and the day after.
    let day = |number: u64| SystemTime::UNIX_EPOCH + Duration::from_secs((20_818 + number) * 86_400 + 100);
    // The files are newer than these days or older, and rest by either.
    let (last, over) = (day(0), day(1));
    machine.own(last);
    for (now, count) in [(last, 1), (over, 0), (last, 1)] {
        let set = machine.own(now);
        assert!(is_cached(&set));
        assert_eq!(set.exceptions.len(), count);
    }
}

#[test]
fn each_project_has_its_own_and_few_are_kept() {
    let machine = Machine::new(TEAM);
    machine.write(
        "project/.tollgate/policies/p.yml",
        "commands: [{id: by-project, pattern: deploy, action: ask, reason: r}]",
    );
    for cached in [false, true] {
        let set = machine.all(later());
        assert_eq!(found(&set, "deploy it")[..1], ["by-project"]);
        assert_eq!(found(&set, "terraform apply")[..1], ["no-apply"]);
        assert_eq!(is_cached(&set), cached);
    }
    // A name of the person's is no name for a project, wherever both were read from.
    machine.write(
        "project/.tollgate/policies/p.yml",
        "commands: [{id: no-apply, pattern: deploy, action: ask, reason: r}]",
    );
    for _ in 0..2 {
        let set = machine.all(later());
        assert!(set.own_faults.is_empty());
        assert!(set.project_faults[0].to_string().contains("`no-apply`: a rule in `"));
        assert_eq!(verdict(&set, "terraform apply"), Verdict::Deny);
    }
    for number in 0..70 {
        let folder = machine.at(&format!("many/{number}/.tollgate/policies"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("p.yml"), "classes: {push_code: ask}").unwrap();
        let (places, cwd) = (machine.places(), machine.at(&format!("many/{number}")));
        let set = PolicySet::default().join(PolicySet::of_project(&places, &cwd, How::Quickly, later()), false);
        assert_eq!(set.rules.len(), 1);
    }
    let kept = machine.at("state/policies").read_dir().unwrap();
    let caches = kept.filter(|entry| entry.as_ref().unwrap().file_name() != crate::files::LOCK);
    assert_eq!(caches.count(), 65);
    assert!(machine.cache().exists());
}
