//! What a turn to the next segment leaves on the disk, step by step.

use super::*;

/// Each call of a trace that names a file, as `NAME file`, in their order; descriptors stand with their paths (`-y`).
fn steps(trace: &str, dir: &Path) -> Vec<String> {
    let dir = format!("{}/", dir.display());
    let file = |line: &str| {
        let path = line.split_once(&dir)?.1;
        Some(path.split(['>', '"']).next()?.to_owned())
    };
    let step = |line: &str| {
        let call = line.split_once(' ')?.1.trim_start();
        let name = call.split_once('(')?.0;
        let on = match name {
            "renameat" => String::from("key.next"),
            _ => file(call).or_else(|| call.contains(dir.trim_end_matches('/')).then(String::new))?,
        };
        let zeros = call.contains("\"00000000") && name == "pwrite64";
        Some(format!("{name} {on}{}", if zeros { " zeros" } else { "" }))
    };
    trace.lines().filter_map(step).collect()
}

/// What a turn leaves to the system is what a loss of power could take: nothing. The old segment, the line of epochs, the new
/// key and the new head are on the disk before the old key goes, and zeros are on the disk where it was.
#[test]
fn a_turn_flushes_each_step_before_the_next_and_erases_the_old_key_in_place() {
    if !works("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path());
    let _ = ledger.append(&record("allow")).unwrap();
    let trace = state.path().join("trace");
    let output = traced(state.path(), TURN, &["-y", "-s", "64", "-o", trace.to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    let steps = steps(&fs::read_to_string(&trace).unwrap(), ledger.dir());
    let wanted = [
        "fdatasync 000001.ndjson",
        "pwrite64 head",
        "pwrite64 key.next",
        "fsync key.next",
        "write epochs",
        "fdatasync epochs",
        "openat 000002.ndjson",
        "fsync ",
        "pwrite64 head",
        "fsync head",
        "pwrite64 key zeros",
        "fsync key",
        "renameat key.next",
        "fsync ",
        "write 000002.ndjson",
    ];
    let mut rest = steps.iter();
    for step in wanted {
        assert!(
            rest.any(|made| made == step),
            "`{step}` is missing or too early: {steps:#?}"
        );
    }
}

/// The file that the old key stood in holds zeros, and not only another name.
#[test]
fn r5_the_old_keys_own_bytes_are_zeros_after_a_turn() {
    let state = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(state.path()).in_segments_of(1);
    let _ = ledger.append(&record("allow")).unwrap();
    let key = fs::File::open(ledger.dir().join("key")).unwrap();
    let mut before = String::new();
    std::io::Read::read_to_string(&mut &key, &mut before).unwrap();
    assert!(before.starts_with("tollgate-key 1 "), "{before}");
    let _ = ledger.append(&record("allow")).unwrap();
    let mut after = vec![0; before.len()];
    std::os::unix::fs::FileExt::read_exact_at(&key, &mut after, 0).unwrap();
    assert_eq!(after, vec![b'0'; before.len()]);
    assert_ne!(fs::read_to_string(ledger.dir().join("key")).unwrap(), before);
}
