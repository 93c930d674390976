//! The last set that loaded whole stays in force beside one that does not count yet.

use super::*;

fn kept(text: &str) -> Machine {
    let machine = Machine::new(text);
    assert!(machine.own(later()).is_whole());
    machine
}

#[test]
fn m_33_rules_of_the_last_whole_set_stay_in_force_while_the_files_are_broken() {
    let machine = kept(TEAM);
    machine.write("config/policies/a.yml", "commands: [");
    machine.write(
        "config/policies/b.yml",
        "commands: [{id: new-one, pattern: npm publish, action: deny, reason: r}]",
    );
    for now in [SystemTime::now(), later(), later() + Duration::from_secs(1 << 20)] {
        let set = machine.own(now);
        assert!(set.own_faults[0].to_string().contains("a.yml"));
        assert_eq!(found(&set, "terraform apply")[..1], ["no-apply"]);
        assert!(found(&set, "write db/x").contains(&"look-db".to_owned()));
        assert!(found(&set, "npm publish").contains(&"new-one".to_owned()));
        let (gone, new) = (Change::Gone, Change::New);
        assert_eq!(
            changes(&set),
            [
                ("no-apply", gone),
                ("ask-make", gone),
                ("look-db", gone),
                ("new-one", new)
            ]
        );
    }
    // Repair is never blocked, and counts at once.
    machine.write("config/policies/a.yml", TEAM);
    assert!(machine.own(SystemTime::now()).own_faults.is_empty());
    assert_eq!(changes(&machine.own(later())), []);
}

#[test]
fn b_0314_a_rule_that_is_lost_to_another_of_its_name_stays_in_force() {
    let machine = kept(TEAM);
    let twice = format!("{TEAM}  - {{id: no-apply, glob: x/**, on: [write], effect: ask, reason: r}}\n");
    machine.write("config/policies/a.yml", &twice);
    let set = machine.own(later());
    assert!(!set.is_whole());
    assert_eq!(verdict(&set, "terraform apply"), Verdict::Deny);
}

#[test]
fn b_0219_a_folder_that_cannot_be_read_breaks_the_set_and_loses_no_rule() {
    let machine = kept(TEAM);
    fs::rename(machine.at("config/policies"), machine.at("config/kept")).unwrap();
    fs::write(machine.at("config/policies"), "no folder").unwrap();
    let set = machine.own(later());
    assert!(set.own_faults[0].to_string().contains("cannot be read"));
    for text in ["terraform apply", "touch x", "write y", "git merge x"] {
        assert_eq!(verdict(&set, text), Verdict::Deny, "{text}");
        assert!(found(&set, text).contains(&"policy.set.broken".to_owned()), "{text}");
    }
    assert_eq!(verdict(&set, "cat x"), Verdict::Allow);
}

#[test]
fn an_edit_tightens_at_once_and_loosens_when_it_is_over() {
    let machine = kept(TEAM);
    // As an editor leaves the file for a moment, and as it is in the middle of writing.
    for half in ["", TEAM.split("  - {id: ask-make").next().unwrap()] {
        machine.write("config/policies/a.yml", half);
        let set = machine.own(SystemTime::now());
        assert!(set.is_whole());
        assert_eq!(verdict(&set, "make release"), Verdict::Ask, "{half}");
    }
    let milder = TEAM.replace("action: deny", "action: warn");
    machine.write("config/policies/a.yml", &milder);
    let set = machine.own(SystemTime::now());
    assert_eq!(verdict(&set, "terraform apply"), Verdict::Deny);
    assert_eq!(changes(&set), [("no-apply", Change::Changed)]);
    machine.write(
        "config/policies/a.yml",
        format!("{milder}classes: {{push_code: deny}}\n"),
    );
    assert_eq!(verdict(&machine.own(SystemTime::now()), "git push"), Verdict::Deny);
    let within_a_second = SystemTime::now() + Duration::from_millis(900);
    assert_eq!(verdict(&machine.own(within_a_second), "terraform apply"), Verdict::Warn);
    assert_eq!(verdict(&machine.own(within_a_second), "git push"), Verdict::Deny);
}

#[test]
fn an_exception_counts_only_in_a_set_that_counts() {
    let allow = |what: &str| format!("allow: [{{pattern: ^git push {what}, suppresses: git_push_force, reason: r}}]\n");
    let machine = kept(&allow("--force"));
    assert!(verdict(&machine.own(later()), "git push --force") < Verdict::Ask);
    machine.write("config/policies/b.yml", allow("-f"));
    let set = machine.own(SystemTime::now());
    assert!(verdict(&set, "git push --force") < Verdict::Ask);
    assert_eq!(verdict(&set, "git push -f"), Verdict::Ask);
    assert_eq!(changes(&set), [("git_push_force", Change::Waits)]);
    machine.write("config/policies/c.yml", "{");
    assert_eq!(verdict(&machine.own(later()), "git push -f"), Verdict::Deny);
    machine.write("config/policies/a.yml", "# none\n");
    let ended = [("git_push_force", Change::Waits), ("git_push_force", Change::Ended)];
    assert_eq!(changes(&machine.own(later())), ended);
    fs::remove_file(machine.at("config/policies/c.yml")).unwrap();
    let set = machine.own(later());
    assert_eq!(verdict(&set, "git push --force"), Verdict::Ask);
    assert!(verdict(&set, "git push -f") < Verdict::Ask);
}

#[test]
fn m_33_a_project_that_breaks_keeps_its_rules_and_asks() {
    let machine = Machine::new("# none\n");
    let file = "project/.tollgate/policies/p.yml";
    machine.write(
        file,
        "commands: [{id: by-project, pattern: deploy, action: deny, reason: r}]",
    );
    machine.all(later());
    machine.write(file, "commands: [{");
    let set = machine.all(later());
    assert_eq!(verdict(&set, "deploy it"), Verdict::Deny);
    assert_eq!(verdict(&set, "touch x"), Verdict::Ask);
    assert_eq!(changes(&set), [("by-project", Change::Gone)]);
}

#[test]
fn a_file_without_a_readable_name_is_a_fault_and_not_a_set_that_never_counts() {
    use std::os::unix::ffi::OsStrExt as _;
    let machine = kept(TEAM);
    let name = std::ffi::OsStr::from_bytes(b"config/policies/\xff.yml");
    fs::write(machine.0.path().join(name), "classes: {push_code: deny}").unwrap();
    let set = machine.own(later());
    assert!(set.own_faults[0].to_string().contains("its name is no text"));
}

#[test]
fn the_file_beside_the_folders_of_a_project_may_be_in_the_middle_of_a_change_too() {
    let machine = Machine::new("# none\n");
    machine.write(
        "project/.tollgate.toml",
        "[[commands]]\npattern = \"deploy\"\naction = \"deny\"\nreason = \"r\"\n",
    );
    // The folders rest since long, and the file was the last that changed.
    assert_eq!(verdict(&machine.all(later()), "deploy it"), Verdict::Deny);
    std::thread::sleep(Duration::from_millis(550));
    fs::remove_file(machine.at("project/.tollgate.toml")).unwrap();
    assert_eq!(verdict(&machine.all(SystemTime::now()), "deploy it"), Verdict::Deny);
    assert!(verdict(&machine.all(later()), "deploy it") < Verdict::Deny);
}
