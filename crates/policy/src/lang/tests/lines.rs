//! Languages that work by lines.

use alloc::string::String;
use alloc::vec::Vec;

use crate::lang::lines;

/// What the code does, in short.
fn calls(lang: &str, code: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    for call in lines(lang, code).unwrap_or_default() {
        for (role, text) in call.uses {
            let kind = alloc::format!("{:?}", role.kind).to_lowercase();
            out.push(alloc::format!("{kind} {}", text.unwrap_or_else(|| "?".into())));
        }
        for (_, what, tags) in call.acts {
            out.push(alloc::format!("{what}{}", tags.concat()));
        }
    }
    out.join("; ")
}

#[track_caller]
fn all(lang: &str, cases: &[(&str, &str)]) {
    for (code, expected) in cases {
        assert_eq!(calls(lang, code), *expected, "{lang}: {code}");
    }
}

#[test]
fn sed() {
    all(
        "sed",
        &[
            ("e ls", "script ls"),
            ("1e ls", "script ls"),
            ("$!e ls", "script ls"),
            ("e", "script ?"),
            ("/x/e ls", "script ls"),
            ("/x/ w out", "write out"),
            ("w out", "write out"),
            ("W out", "write out"),
            ("r in", "read in"),
            ("R in", "read in"),
            ("rx", ""),
            ("s/a/b/", ""),
            ("s/a/b/g", ""),
            ("s/a/ls/e", "script ls"),
            ("s/a/ls/ge", "script ls"),
            ("s,a,ls,e", "script ls"),
            ("s/a/b/w out", "write out"),
            ("s/a/b/gw out", "write out"),
            ("s/a/b", ""),
            ("s", ""),
            ("p;e ls", "script ls"),
            ("p", ""),
        ],
    );
}

#[test]
fn sql() {
    all(
        "sql",
        &[
            ("\\! ls", "script ls"),
            (".shell ls", "script ls"),
            (".output f", "write f"),
            (".once |ls", "script ls"),
            (".import f t", "read f"),
            ("\\i f;", "runfile f"),
            (".read f", "runfile f"),
            ("drop table t", "database.drop"),
            ("DROP DATABASE d;", "database.drop"),
            ("drop index i", ""),
            ("drop table if exists tmp_x", "database.dropscratch"),
            ("drop table tmp_x, users", "database.drop"),
            ("truncate t", "database.drop"),
            ("delete from t", "database.drop"),
            ("delete from t where id = 1", ""),
            ("delete from t where 1=1", "database.drop"),
            ("delete from t where 1 = 1", "database.drop"),
            ("delete from t where true", "database.drop"),
            ("update t set a = 1", "database.drop"),
            ("update t set a = 1 where b = 2", ""),
            ("alter table t drop column c", "database.drop"),
            ("alter table t drop constraint c", ""),
            ("alter table t add column c", ""),
            ("flushall", "database.drop"),
            ("select 1; drop table t", "database.drop"),
            ("select 'x' -- drop table t", ""),
            ("drop/* x */table t", "database.drop"),
            ("/*! drop table t */", "database.drop"),
            ("/*!50000 drop table t */", "database.drop"),
            ("/* drop table t */", ""),
            ("copy t to program 'ls'", "script ls"),
            ("copy t to 'f'", ""),
            ("select load_file('f')", "read f"),
            ("select 1 INTO OUTFILE 'f'", "write f"),
            ("select pg_read_file('f')", "read f"),
        ],
    );
    all("mongo", &[("db.x.drop()", "database.drop"), ("db.x.find()", "")]);
}

#[test]
fn editors_and_debuggers() {
    all(
        "vim",
        &[
            (":!ls", "script ls"),
            ("r !ls", "script ls"),
            ("%!ls", "script ls"),
            ("w f", "write f"),
            ("w! f", "write f"),
            ("saveas f", "write f"),
            ("py x", "code x"),
            ("lua x", "code x"),
            ("call system('ls')", "code call system('ls')"),
            ("terminal", "script sh"),
            ("term ls", "script ls"),
            ("set shell=a\\ b", "script a b"),
            ("q", ""),
            ("x | !ls", "script ls"),
        ],
    );
    all(
        "gdb",
        &[
            ("shell ls", "script ls"),
            ("!ls", "script ls"),
            ("make x", "script x"),
            ("python x", "code x"),
            ("call system(\"ls\")", "code call system(\"ls\")"),
            ("run", ""),
        ],
    );
    all(
        "ftp",
        &[
            ("!ls", "script ls"),
            ("put f", "sendfile f"),
            ("get f", ""),
            ("cd x; mput f g", "sendfile f"),
            ("put", ""),
        ],
    );
}

#[test]
fn recipes() {
    all(
        "make",
        &[
            ("t:\n\tls", "script ls"),
            ("t:\n\t@-ls", "script ls"),
            ("X = $(shell ls)", "script ls"),
            ("X = $(file <f)", "read f"),
            ("$(file >f,x)", "write f"),
            ("$(file >>f,x)", "write f"),
            ("$(X)", ""),
            ("t: u", ""),
        ],
    );
    all("dockerfile", &[("FROM x\nRUN ls\nCOPY a b", "script ls")]);
    assert!(lines("python", "x").is_none());
}
