//! The tables of the index.

/// Says that a file is an index of ours (`TGLX`).
pub(super) const APPLICATION: i32 = 0x5447_4c58;
/// The number of these tables. Another number is another index, which is made anew.
pub(super) const SCHEMA: i32 = 1;

/// `lines` has a row for each whole line, numbered as they stand; `names` holds each text once; `touches` says which rules,
/// paths, hosts and refused requests a line names; `spans` are the stretches in which the clock only went forward.
pub(super) const TABLES: &str = "
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE names(id INTEGER PRIMARY KEY, sort INTEGER NOT NULL, text TEXT NOT NULL, UNIQUE(sort, text));
CREATE TABLE lines(
    id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, segment INTEGER NOT NULL, offset INTEGER NOT NULL, time INTEGER,
    kind INTEGER, agent INTEGER, verdict INTEGER, session INTEGER);
CREATE TABLE touches(line INTEGER NOT NULL, name INTEGER NOT NULL, PRIMARY KEY(line, name)) WITHOUT ROWID;
CREATE TABLE spans(first INTEGER PRIMARY KEY, last INTEGER NOT NULL, early INTEGER NOT NULL, late INTEGER NOT NULL);
";

/// What makes a search quick. Made after a long build, where that takes less time than with each line. The number of the
/// line is the last column of each, so that the newest lines come first without sorting.
pub(super) const SECONDARY: &str = "
CREATE INDEX lines_of_both ON lines(agent, verdict);
CREATE INDEX lines_of_agent ON lines(agent);
CREATE INDEX lines_of_verdict ON lines(verdict);
CREATE INDEX lines_of_kind ON lines(kind);
CREATE INDEX lines_of_session ON lines(session);
CREATE INDEX touches_of_name ON touches(name, line);
";

/// What kind of text a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Kind,
    Agent,
    Verdict,
    Session,
    Rule,
    Path,
    Host,
    /// What was refused or asked about, at its beginning.
    Refused,
}

impl Sort {
    pub(super) const COUNT: usize = 8;

    pub(super) const fn number(self) -> i64 {
        self as i64
    }
}
