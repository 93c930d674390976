//! What a call took away comes back: the hook keeps it, `tollgate undo` brings it.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test may fail loudly"
)]

#[path = "../approvals/home.rs"]
#[allow(dead_code, reason = "people and grants are for the tests of approvals")]
mod home;
mod kills;

use std::fs;

use serde_json::{Value, json};

use home::{Agent, Home};

/// A repository with a commit, changes and an untracked draft.
fn repository() -> Home {
    let home = Home::new();
    let line = "rmdir .git && git init -q -b main . && git config user.email a@b && git config user.name n \
                && echo a > a && mkdir src && echo x > src/x && printf 'out\\n.env\\n' > .gitignore && git add . && git commit -qm one \
                && echo changed > a && mkdir draft && for n in 1 2 3 4 5 6; do echo $n > draft/$n; done && echo KEY=1 > .env";
    let (code, out) = home.nobody(line);
    assert_eq!(code, 0, "{out}");
    home
}

/// What the hook answers to a command of Claude Code: the verdict that the client sees, and the record.
fn asks(agent: &mut Agent<'_>, home: &Home, command: &str) -> (String, Value) {
    let question = json!({
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command},
        "session_id": "s1", "tool_use_id": "t1", "cwd": home.at("work"), "permission_mode": "default",
    });
    answered(agent, home, &question)
}

fn answered(agent: &mut Agent<'_>, home: &Home, question: &Value) -> (String, Value) {
    fs::write(home.at("question"), question.to_string()).unwrap();
    let (code, out) = agent.runs(&format!(
        "tollgate hook --agent claude < {}",
        home.at("question").display()
    ));
    assert_eq!(code, 0, "{out}");
    let said: Value = serde_json::from_str(&out).unwrap_or_default();
    let verdict = said["hookSpecificOutput"]["permissionDecision"]
        .as_str()
        .unwrap_or("pass");
    (verdict.to_owned(), home.last("decision"))
}

fn read(home: &Home, path: &str) -> String {
    fs::read_to_string(home.at("work").join(path)).unwrap_or_default()
}

fn undo(home: &Home, with: &str) -> String {
    let (code, out) = home.nobody(&format!("tollgate undo {with}"));
    assert_eq!(code, 0, "{out}");
    out
}

#[test]
fn changes_that_git_would_throw_away_pass_with_a_snapshot_and_come_back() {
    let home = repository();
    let mut agent = home.agent();
    let index = fs::read(home.at("work/.git/index")).unwrap();
    let (verdict, record) = asks(&mut agent, &home, "git reset --hard");
    assert_eq!((verdict.as_str(), &record["verdict"]), ("pass", &json!("warn")));
    let id = record["snapshot"].as_str().unwrap().to_owned();
    assert!(
        record["findings"][0]["lost"].as_str().unwrap().contains(&id),
        "{record}"
    );
    assert_eq!(fs::read(home.at("work/.git/index")).unwrap(), index);
    assert_eq!(home.nobody("git reset -q --hard").0, 0);
    assert_eq!(read(&home, "a"), "a\n");
    undo(&home, "");
    assert_eq!(read(&home, "a"), "changed\n");
    assert_eq!(fs::read(home.at("work/.git/index")).unwrap(), index);
    let last = home.last("undo");
    assert!(last["note"].as_str().unwrap().starts_with(&id), "{last}");
    assert_eq!(home.nobody("tollgate log verify").0, 0);
}

#[test]
fn without_softening_the_same_asks_and_is_kept_all_the_same() {
    let home = repository();
    home.configure("[snapshots]\nsoften = false\n");
    let (verdict, record) = asks(&mut home.agent(), &home, "git reset --hard");
    assert_eq!(verdict, "ask");
    assert!(record["snapshot"].as_str().unwrap().starts_with("s-"));
}

#[test]
fn a_project_may_only_switch_softening_off() {
    let home = repository();
    fs::create_dir(home.at("work/.tollgate")).unwrap();
    fs::write(home.at("work/.tollgate/config.toml"), "[snapshots]\nsoften = false\n").unwrap();
    assert_eq!(asks(&mut home.agent(), &home, "git reset --hard").0, "ask");
    home.configure("[snapshots]\nsoften = false\n");
    fs::write(home.at("work/.tollgate/config.toml"), "[snapshots]\nsoften = true\n").unwrap();
    // What would loosen is a fault of the project, and then it is held as in `strict`.
    assert_eq!(asks(&mut home.agent(), &home, "git reset --hard").0, "deny");
}

#[test]
fn deletes_in_the_project_come_back_committed_or_not() {
    let home = repository();
    let mut agent = home.agent();
    for (command, path, text) in [
        ("rm -rf draft", "draft/3", "3\n"),
        ("rm -rf src", "src/x", "x\n"),
        ("rm a", "a", "changed\n"),
        ("rm -f dra*/1 .env", ".env", "KEY=1\n"),
        ("find draft -name '[23]' -delete", "draft/2", "2\n"),
        ("cd draft && rm 4", "draft/4", "4\n"),
    ] {
        let (verdict, record) = asks(&mut agent, &home, command);
        assert_eq!(verdict, "pass", "{command}");
        assert!(record["snapshot"].is_string(), "{command}: {record}");
        let (_, out) = home.nobody(command);
        assert_eq!(read(&home, path), "", "{command}: {out}");
        undo(&home, "");
        assert_eq!(read(&home, path), text, "{command}");
    }
}

/// Whatever a command takes by whatever name, what was there is there again.
#[test]
fn what_is_named_by_patterns_folders_and_other_commands_comes_back() {
    let home = repository();
    let line = "for n in 1 2 3; do echo $n > un$n.txt; done; mkdir lib build && echo new > lib/x && echo mine > src/mine && echo from > lib/mine \
                && echo b > build/b && git add -f build && git commit -qm build && echo dirty > build/b && tar cf x.tar -C lib mine \
                && ln -s src ld && printf 'un1.txt\nun2.txt\n' > list.txt";
    assert_eq!(home.nobody(line).0, 0);
    let all =
        "find . -path ./.git -prune -o -path ./out -prune -o -type f -print | sort | xargs sha256sum; find . -type l";
    let before = home.nobody(all).1;
    let mut agent = home.agent();
    for command in [
        "rm un[0-9].txt",
        "rm -f un[12].txt",
        "rm -rf [s]rc",
        "cp lib/mine src",
        "cp lib/mine src/",
        "cp lib/* src/",
        "cp -r lib/. src/",
        "cd src; cp ../lib/mine .",
        "mv lib/mine src",
        "install lib/mine src",
        "ln -sf un1.txt a",
        "ln -f un1.txt a",
        "tar xf x.tar -C src",
        "rm -rf $(ls)",
        "rm $(cat list.txt)",
        "git ls-files | xargs rm -f",
        "xargs -a list.txt rm",
        "while read f; do rm $f; done < list.txt",
        "find . -name '*.txt' -exec sed -i s/1/9/ {} +",
        "find src lib -name mine -execdir rm {} +",
        "rm -rf ld/*",
        "rm -rf build",
        "echo x > build/b",
        "git rm -qf a",
    ] {
        let (verdict, record) = asks(&mut agent, &home, command);
        assert!(
            verdict == "ask" || record["snapshot"].is_string(),
            "{command}: {record}"
        );
        home.nobody(command);
        undo(&home, "--force");
        let after = home.nobody(all).1;
        assert_eq!(after, before, "{command}");
    }
}

#[test]
fn what_a_file_tool_writes_over_comes_back_without_force() {
    let home = repository();
    let path = home.at("work/draft/1");
    let question = json!({
        "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"file_path": path, "content": "replaced\n"},
        "session_id": "s1", "tool_use_id": "t2", "cwd": home.at("work"), "permission_mode": "default",
    });
    let (verdict, record) = answered(&mut home.agent(), &home, &question);
    assert_eq!(verdict, "pass");
    assert!(record["snapshot"].is_string(), "{record}");
    fs::write(&path, "replaced\n").unwrap();
    undo(&home, "");
    assert_eq!(read(&home, "draft/1"), "1\n");
}

#[test]
fn what_a_command_left_behind_is_its_own_once_the_agent_says_that_it_is_over() {
    let home = repository();
    let mut agent = home.agent();
    let (_, record) = asks(&mut agent, &home, "sed -i s/1/one/ draft/1");
    assert_eq!(home.nobody("sed -i s/1/one/ draft/1").0, 0);
    assert_eq!(home.nobody("tollgate undo").0, 125);
    let over = json!({
        "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "sed -i s/1/one/ draft/1"},
        "tool_response": {"stdout": "", "stderr": "", "interrupted": false, "isImage": false},
        "session_id": "s1", "tool_use_id": "t1", "cwd": home.at("work"), "permission_mode": "default",
    });
    fs::write(home.at("question"), over.to_string()).unwrap();
    let (code, out) = agent.runs(&format!(
        "tollgate hook --agent claude < {}",
        home.at("question").display()
    ));
    assert_eq!(code, 0, "{out}");
    assert_eq!(home.last("evidence")["snapshot"], record["snapshot"]);
    undo(&home, "");
    assert_eq!(read(&home, "draft/1"), "1\n");
}

#[test]
fn newer_work_is_replaced_with_force_only_and_kept_even_then() {
    let home = repository();
    asks(&mut home.agent(), &home, "git checkout -- a");
    fs::write(home.at("work/a"), "newer\n").unwrap();
    let (code, out) = home.nobody("tollgate undo");
    assert_eq!(code, 125, "{out}");
    assert!(
        out.contains("ewer work would be replaced") && out.contains("--force"),
        "{out}"
    );
    assert_eq!(read(&home, "a"), "newer\n");
    undo(&home, "--force");
    assert_eq!(read(&home, "a"), "changed\n");
    let before = home.last("undo")["snapshot"].as_str().unwrap().to_owned();
    undo(&home, &format!("{before} --force"));
    assert_eq!(read(&home, "a"), "newer\n");
}

#[test]
fn a_dry_run_and_a_copy_elsewhere_change_nothing() {
    let home = repository();
    asks(&mut home.agent(), &home, "git reset --hard && git clean -fd");
    home.nobody("git reset -q --hard && git clean -qfd");
    let out = undo(&home, "--dry-run");
    assert!(out.contains("write") && out.contains("draft/1"), "{out}");
    let json: Value = serde_json::from_str(undo(&home, "--dry-run --json").lines().next().unwrap()).unwrap();
    assert!(json["steps"].as_array().unwrap().len() > 6, "{json}");
    undo(&home, "--to ../aside");
    assert_eq!(fs::read_to_string(home.at("aside/draft/1")).unwrap(), "1\n");
    assert_eq!(
        (read(&home, "a"), read(&home, "draft/1")),
        ("a\n".into(), String::new())
    );
    undo(&home, "--path draft");
    assert_eq!((read(&home, "a"), read(&home, "draft/1")), ("a\n".into(), "1\n".into()));
}

#[test]
fn no_agent_brings_back_or_prunes() {
    let home = repository();
    let mut agent = home.agent();
    asks(&mut agent, &home, "git checkout -- a");
    home.nobody("git checkout -q -- a");
    for line in [
        "tollgate undo",
        "tollgate undo --force",
        "tollgate snapshots prune --older-than 0",
    ] {
        let (code, out) = agent.runs(line);
        assert_eq!(code, 20, "{line}: {out}");
        assert_ne!(asks(&mut agent, &home, line).0, "pass", "{line}");
    }
    assert_eq!(read(&home, "a"), "a\n");
    assert_eq!(home.last("attempt")["kind"], "attempt");
    assert_eq!(agent.runs("tollgate snapshots list").0, 0);
}

#[test]
fn what_is_denied_takes_no_snapshot_and_nor_does_what_loses_nothing() {
    let home = repository();
    let mut agent = home.agent();
    for command in [
        "ls -la",
        "git status",
        "cat a",
        "echo more >> a",
        "cargo build",
        "git commit -m x",
        "echo new > fresh",
    ] {
        let (_, record) = asks(&mut agent, &home, command);
        assert!(record.get("snapshot").is_none(), "{command}: {record}");
    }
    home.configure("posture = \"strict\"\n");
    let (verdict, record) = asks(&mut agent, &home, "git reset --hard");
    assert_eq!(verdict, "deny");
    assert!(record.get("snapshot").is_none(), "{record}");
    assert!(!home.at("state/snapshots").exists());
}

#[test]
fn what_cannot_be_kept_is_asked_about_and_named() {
    let home = repository();
    home.configure("[snapshots]\nbudget_mb = 1\n");
    fs::create_dir(home.at("work/data")).unwrap();
    fs::write(home.at("work/data/big"), vec![7; 2 << 20]).unwrap();
    let mut agent = home.agent();
    let (verdict, record) = asks(&mut agent, &home, "rm -rf data");
    assert_eq!(verdict, "ask");
    let lost = record["findings"][0]["lost"].as_str().unwrap();
    assert!(
        lost.contains("cannot be brought back") && lost.contains("data/big"),
        "{record}"
    );
    // No space for a snapshot at all.
    fs::remove_dir_all(home.at("state/snapshots/new")).unwrap();
    fs::write(home.at("state/snapshots/new"), "in the way").unwrap();
    let (verdict, record) = asks(&mut agent, &home, "rm a");
    assert_eq!(verdict, "ask");
    assert_eq!(record["findings"][0]["rule"], "cannot_be_undone");
}

#[test]
fn what_home_system_and_project_hold_is_never_softened() {
    let home = repository();
    let mut agent = home.agent();
    for command in [
        "rm -rf ~",
        "rm -rf .",
        "rm -rf .git",
        "git push --force origin main",
        "rm -rf ~/Documents",
        "rm -rf /etc/x",
        "psql -c 'drop table x'",
    ] {
        fs::create_dir_all(home.at("home/Documents")).unwrap();
        let (verdict, _) = asks(&mut agent, &home, command);
        assert_ne!(verdict, "pass", "{command}");
    }
}

#[test]
fn snapshots_say_why_they_were_taken_and_how_now_differs() {
    let home = repository();
    asks(&mut home.agent(), &home, "git checkout -- a");
    home.nobody("git checkout -q -- a");
    let (code, list) = home.nobody("tollgate snapshots list --json");
    assert_eq!(code, 0);
    let list: Value = serde_json::from_str(&list).unwrap();
    let one = &list["snapshots"][0];
    assert_eq!(
        (&one["agent"], &one["request"], &one["session"]),
        (&json!("claude"), &json!("git checkout -- a"), &json!("s1"))
    );
    assert!(home.nobody("tollgate snapshots list").1.contains("git checkout -- a"));
    assert!(home.nobody("tollgate snapshots show").1.contains("work/a"));
    let (_, diff) = home.nobody("tollgate snapshots diff");
    assert!(diff.contains("-changed") && diff.contains("+a"), "{diff}");
    assert_eq!(home.nobody("tollgate undo nothing").0, 66);
    let (_, pruned) = home.nobody("tollgate snapshots prune --older-than 0");
    assert!(pruned.contains("1 snapshot"), "{pruned}");
    assert!(home.nobody("tollgate snapshots list").1.contains("no snapshot"));
}

#[test]
fn before_the_first_commit_nothing_is_proved() {
    let home = Home::new();
    assert_eq!(home.nobody("rmdir .git && git init -q -b main . && echo 1 > f").0, 0);
    let mut agent = home.agent();
    for command in ["git clean -fd", "git reset --hard", "git checkout -- ."] {
        let (verdict, record) = asks(&mut agent, &home, command);
        assert_eq!(verdict, "ask", "{command}");
        assert!(record["snapshot"].is_string(), "{command}: it is kept all the same");
    }
}

#[test]
fn check_says_what_the_hook_would() {
    let home = repository();
    let (code, out) = home.nobody("tollgate check 'git reset --hard'");
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("warn") && out.contains("snapshot"), "{out}");
    assert!(!home.at("state/snapshots").exists());
    home.configure("[snapshots]\nsoften = false\n");
    assert_eq!(home.nobody("tollgate check 'git reset --hard'").0, 10);
}
