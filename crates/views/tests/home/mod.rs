//! A ledger in a folder of its own, written line by line.
#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "a test may fail loudly, and not each uses all"
)]

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::PathBuf;

use serde_json::{Value, json};
use views::Views;

pub(crate) struct Home {
    pub(crate) folder: tempfile::TempDir,
    /// The time of the next record.
    pub(crate) now: u64,
    seq: u64,
}

impl Home {
    pub(crate) fn new() -> Self {
        let now = views::millis("2026-11-01T00:00:00Z").unwrap();
        Self {
            folder: tempfile::tempdir().unwrap(),
            now,
            seq: 0,
        }
    }

    pub(crate) fn views(&self) -> Views {
        Views::new(self.folder.path(), &self.folder.path().join("ledger"))
    }

    pub(crate) fn segment(&self, segment: u32) -> PathBuf {
        self.folder.path().join(format!("ledger/{segment:06}.ndjson"))
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.folder.path().join("index/ledger.sqlite")
    }

    pub(crate) fn text(&self, segment: u32) -> String {
        fs::read_to_string(self.segment(segment)).unwrap()
    }

    /// The rows of the index.
    pub(crate) fn rows(&self) -> i64 {
        let base = rusqlite::Connection::open(self.index()).unwrap();
        base.query_row("SELECT count(*) FROM lines", [], |row| row.get(0))
            .unwrap()
    }

    pub(crate) fn clear(&self) {
        fs::remove_dir_all(self.folder.path().join("ledger")).unwrap();
    }

    /// Adds bytes to a segment.
    pub(crate) fn raw(&self, segment: u32, bytes: &[u8]) {
        let ledger = self.folder.path().join("ledger");
        fs::create_dir_all(&ledger).unwrap();
        fs::set_permissions(&ledger, fs::Permissions::from_mode(0o700)).unwrap();
        let path = self.segment(segment);
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(path)
            .unwrap();
        file.write_all(bytes).unwrap();
    }

    pub(crate) fn record(&self, segment: u32, record: &Value) {
        self.raw(segment, format!("{record}\n").as_bytes());
    }

    /// Adds records of all kinds, ten minutes apart.
    pub(crate) fn write(&mut self, segment: u32, count: u64) {
        for _ in 0..count {
            self.seq += 1;
            let record = record(self.seq, self.now);
            self.record(segment, &record);
            self.now += 600_000;
        }
    }
}

fn record(seq: u64, now: u64) -> Value {
    let mut record = json!({
        "format": 1, "seq": seq, "prev": "0", "time": ledger::rfc3339(now), "kind": "decision",
        "agent": {"name": if seq.is_multiple_of(3) { "codex" } else { "claude" }},
        "session": format!("s{}", seq % 5),
        "verdict": "allow",
        "request": {"tool": "Bash", "parts": [{"kind": "command.run", "text": format!("cargo test {seq}")}]},
        "effects": [format!("read /home/ann/shop/{} (workspace) by cargo", seq % 20), "run cargo by cargo"],
        "cwd": {"path": "/home/ann/shop"},
    });
    match seq % 7 {
        1 => {
            record["verdict"] = json!("ask");
            record["findings"] = json!([{"rule": "rule_a", "verdict": "ask"}, {"rule": "rule_b", "verdict": "warn"}, {"rule": "rule_a", "verdict": "ask"}]);
        }
        2 => {
            record["verdict"] = json!("deny");
            record["findings"] = json!([{"rule": "rule_b", "verdict": "deny"}]);
            record["effects"] = json!(["fetch a.Example.org:8443 by curl", "write /home/ann/shopping (x)"]);
        }
        3 => {
            record["kind"] = json!("approval");
            record["verdict"] = json!(if seq.is_multiple_of(2) { "allow" } else { "deny" });
        }
        4 => {
            record.as_object_mut().unwrap().remove("verdict");
            record["kind"] = json!("config");
            record["note"] = json!("posture: guard -> strict");
        }
        _ => {}
    }
    record
}
