//! `docs/verify.py` beside every verification of the tests: both have to say the same, but for what only keys tell.
//!
//! One `python3` for all of a test program answers folder by folder. Where there is none, it says so once and nothing is
//! compared.

#![allow(clippy::disallowed_methods, reason = "a test may start what it is compared with")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Answers `intact` or what is wrong, on one line, for each folder.
const ASK: &str = "import importlib.util, sys
spec = importlib.util.spec_from_file_location('verify', sys.argv[1])
verify = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(verify)
for line in sys.stdin:
    found, seq, head, torn = verify.check(line[:-1])
    print(ascii(' / '.join(found[:5])) if found else f'intact {seq} {head}', flush=True)
";

/// What is wrong where only a key, a signature or a seal says so: the script does not look at those.
const BY_KEYS: [&str; 5] = [
    "is not that of the key it was begun with",
    "is not signed by",
    "head file or key damaged",
    "the head is sealed by a key",
    "the first key is not signed by itself",
];

struct Python(Child, ChildStdin, BufReader<ChildStdout>);

fn start() -> Option<Mutex<Python>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/verify.py");
    let child = Command::new("python3")
        .args(["-c", ASK])
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        println!("skipped: `python3` does not work here, so `docs/verify.py` was not compared");
        return None;
    };
    let (stdin, stdout) = (child.stdin.take()?, child.stdout.take()?);
    Some(Mutex::new(Python(child, stdin, BufReader::new(stdout))))
}

/// What the script says of a ledger; `None` where it cannot be asked.
pub(crate) fn says(dir: &Path) -> Option<String> {
    static PYTHON: OnceLock<Option<Mutex<Python>>> = OnceLock::new();
    let mut python = PYTHON
        .get_or_init(start)
        .as_ref()?
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    writeln!(python.1, "{}", dir.display()).unwrap();
    let mut said = String::new();
    python.2.read_line(&mut said).unwrap();
    assert!(
        said.ends_with('\n'),
        "`docs/verify.py` ended: {:?}",
        python.0.try_wait()
    );
    Some(said.trim_end().into())
}

/// Compares. `breaks` are ours, `head` the last record's hash; without a head file an empty ledger is nothing to either.
pub(crate) fn agrees(dir: &Path, breaks: &[String], head: &str) {
    if !dir.exists() {
        return;
    }
    let Some(said) = says(dir) else { return };
    let theirs = said.starts_with("intact ");
    let only_by_keys = !breaks.is_empty() && breaks.iter().all(|what| BY_KEYS.iter().any(|by| what.contains(by)));
    if only_by_keys && theirs {
        return;
    }
    assert_eq!(
        theirs,
        breaks.is_empty(),
        "`docs/verify.py` says {said:?}, and ours: {breaks:#?}"
    );
    assert!(!theirs || said.ends_with(head), "{said} and {head}");
}
