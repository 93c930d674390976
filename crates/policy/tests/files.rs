//! Files that a command would run: what a finding tells about them, and how much of them is read.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test stops where something is wrong"
)]

mod support;

use policy::{Judgement, Verdict, judge};

use support::{Machine, command, guard, rules};

fn on(machine: &Machine, text: &str) -> Judgement {
    judge(&command(text), machine, &guard())
}

#[test]
fn the_steps_of_a_finding_lead_from_the_command_into_the_files() {
    let machine = Machine::new()
        .with_file("a.sh", "echo one\nsh b.sh\n")
        .with_file("b.sh", "\nrm -rf ~/Documents\n");
    let judgement = on(&machine, "sh a.sh");
    assert_eq!(
        judgement.decisive().unwrap().chain,
        [
            "command 1:4",
            "script /home/ann/proj/a.sh",
            "script /home/ann/proj/b.sh",
            "/home/ann/proj/b.sh:2",
            "recursive delete of /home/ann/Documents (outside)",
        ]
    );
}

/// As long as files that are read may be.
fn long() -> String {
    "# A line that says nothing, and costs as much as any other.\n".repeat(4_300)
}

/// Files have work of their own: what comes after its end is as if it had not been read, and the request itself is still
/// judged to its end.
#[test]
fn long_files_use_up_what_is_read_of_files_and_nothing_else() {
    let after = |count: usize, rest: &str| {
        let mut machine = Machine::new().with_file("last.sh", "rm -rf ~/Documents\n");
        let mut text = String::new();
        for number in 0..count {
            machine = machine.with_file(&format!("{number}.sh"), &long());
            text += &format!("sh {number}.sh; ");
        }
        on(&machine, &(text + rest))
    };
    let few = after(4, "sh last.sh");
    assert!(rules(&few).contains(&"delete_outside"), "{:?}", rules(&few));
    assert_eq!(after(14, "sh last.sh").verdict(), Verdict::Allow);
    let own = after(14, "sh last.sh; rm -rf ~");
    assert!(rules(&own).contains(&"rm_rf_root"), "{:?}", rules(&own));
}
