//! Where paths are, word for word.

use alloc::string::String;
use alloc::vec::Vec;

use super::{clean, drive, everything, excluded, fixed_part, is_ordinary, is_wild, label, place, within};
use crate::Settings;
use crate::effect::Tags;
use crate::tests::Table;
use crate::world::Recorder;

const UNKNOWN: char = '\u{e000}';

#[test]
fn a_path_is_made_absolute_and_clean() {
    for (path, cwd, expected) in [
        ("/a/b", "/c", "/a/b"),
        ("a", "/c", "/c/a"),
        ("a/b", "/c/d", "/c/d/a/b"),
        ("a", "/", "/a"),
        ("", "/", "/"),
        ("", "/c", "/c"),
        (".", "/c", "/c"),
        ("./a", "/c", "/c/a"),
        ("a/", "/c", "/c/a"),
        ("a//b", "/c", "/c/a/b"),
        ("/a//b/", "/c", "/a/b"),
        ("/a/./b", "/c", "/a/b"),
        ("/a/../b", "/c", "/b"),
        ("..", "/c/d", "/c"),
        ("../../..", "/c/d", "/"),
        ("../x", "/c/d", "/c/x"),
        ("/..", "/c", "/"),
        (".a", "/c", "/c/.a"),
        ("a/.b", "/c", "/c/a/.b"),
        ("..a", "/c", "/c/..a"),
        ("a", "/c/", "/c/a"),
        ("a", "/c/./d", "/c/d/a"),
        ("C:\\x\\y", "/c", "/C:/x/y"),
        ("c:/x", "/c", "/C:/x"),
        ("\\\\?\\D:\\x", "/c", "/D:/x"),
        ("1:x", "/c", "/c/1:x"),
        ("ab:x", "/c", "/c/ab:x"),
    ] {
        assert_eq!(clean(path, cwd), expected, "{path} in {cwd}");
    }
    assert_eq!(drive("a"), None);
    assert_eq!(drive("a:"), Some("/A:/".into()));
}

#[test]
fn a_path_is_within_itself_and_what_is_above() {
    for (path, dir, expected) in [
        ("/a", "/a", true),
        ("/a/b", "/a", true),
        ("/ab", "/a", false),
        ("/a", "/a/b", false),
        ("/a", "/", true),
        ("/", "/a", false),
    ] {
        assert_eq!(within(path, dir), expected, "{path} in {dir}");
    }
}

#[test]
fn what_may_stand_for_several_names() {
    for path in ["/a*", "/?", "/[a]", &alloc::format!("/{UNKNOWN}")] {
        assert!(is_wild(path), "{path}");
    }
    for path in ["/a", "/a]", "/\u{ee80}", "/ü"] {
        assert!(!is_wild(path), "{path}");
    }
    for (path, expected) in [
        ("/a/b", "/a/b"),
        ("/a/b*", "/a"),
        ("/a/*/c", "/a"),
        ("/a/b/?", "/a/b"),
        ("/a/[b]/c", "/a"),
        ("/*", "/"),
        (&alloc::format!("/a/{UNKNOWN}"), "/a"),
    ] {
        assert_eq!(fixed_part(path), expected, "{path}");
    }
    for (name, expected) in [
        ("*", true),
        (".*", true),
        (".??*", true),
        ("[!.]*", true),
        ("*.*", true),
        ("", false),
        ("??", false),
        (".", false),
        ("a*", false),
    ] {
        assert_eq!(everything(name), expected, "{name}");
    }
}

#[test]
fn an_exception_holds_for_all_that_a_pattern_can_mean() {
    for (except, path, expected) in [
        ("**/*.example", "/p/.env.example", true),
        ("**/*.example", "/p/.env", false),
        ("**/*.example", "/p/*.example", true),
        ("**/*.example", "/p/*", false),
        ("**/docs/*", "/p/docs/*", false),
    ] {
        assert_eq!(excluded(except, path), expected, "{except} of {path}");
    }
}

/// The labels that something gives to a path.
fn labels(of: impl FnOnce(&Recorder<'_>, &mut Tags)) -> String {
    let (table, settings) = (Table::new(), Settings::default());
    let mut tags = Tags::default();
    of(&Recorder::new(&table, &settings), &mut tags);
    let all: Vec<&str> = tags.iter().collect();
    all.join(" ")
}

#[test]
fn a_place_has_labels_of_its_own() {
    let mut wrong = Vec::new();
    for (path, expected) in [
        ("/", "root"),
        ("/*", "root"),
        ("/?x", "root"),
        ("/etc", "system system-dir system-top outside"),
        ("/etc/*", "system system-dir system-top outside"),
        ("/etc/a", "system system-top outside"),
        ("/etc/a/b", "system system-top outside"),
        ("/etc/a/b/c", "system outside"),
        ("/data", "outside"),
        ("/data/etc", "outside"),
        ("/tmp", "temp temp-root"),
        ("/tmp/a", "temp"),
        ("/tmpx", "outside"),
        ("/var/tmp", "temp temp-root"),
        ("/var/tmp/a", "temp"),
        ("/private/tmp", "temp temp-root"),
        ("/private/var/tmp", "temp"),
        ("/var/folders/a", "temp"),
        ("/dev/shm", "temp harmless-device"),
        ("/dev", "system system-dir system-top outside"),
        ("/dev/sda", "device outside"),
        ("/dev/null", "harmless-device"),
        ("/dev/tcp/h/80", "socket outside"),
        ("/dev/udp/h/80", "socket outside"),
        ("/dev/tcp/localhost/80", "loopback-socket outside"),
        ("/dev/tcp/127.0.0.1/80", "loopback-socket outside"),
        ("/home", "home in-home above-workspace outside"),
        ("/home/*", "home in-home outside"),
        ("/home/ann", "home in-home above-workspace outside"),
        ("/home/ann/*", "home in-home outside"),
        ("/home/ann/.*", "home in-home outside"),
        ("/home/ann/a", "in-home outside"),
        ("/home/bob", "home in-home outside"),
        ("/home/bob/*", "home in-home outside"),
        ("/home/bob/a", "in-home outside"),
        ("/home/bob/a/*", "in-home outside"),
        ("/root", "system system-dir system-top home in-home outside"),
        ("/root/*", "system system-dir system-top home in-home outside"),
        ("/root/a", "system system-top in-home outside"),
        ("/Users", "home in-home outside"),
        ("/Users/x", "home in-home outside"),
        ("/home/ann/proj", "in-home workspace-root workspace"),
        ("/home/ann/proj/*", "in-home workspace-all workspace"),
        ("/home/ann/proj/a", "in-home workspace"),
        ("/home/ann/projects", "in-home outside"),
        ("/C:", "root outside"),
        ("/C:/*", "root outside"),
        ("/C:/a", "outside"),
        ("/C:/Windows", "system system-dir outside"),
        ("/C:/Windows/a", "system outside"),
        ("/C:/$Recycle.Bin/a", "system outside"),
        ("/C:/Users", "in-home home outside"),
        ("/C:/Users/x", "in-home home outside"),
        ("/C:/Users/x/*", "in-home home outside"),
        ("/C:/Users/x/a", "in-home outside"),
        ("/CD:/Windows", "outside"),
    ] {
        let got = labels(|world, tags| place(path, "/home/ann/proj", world, tags));
        if got != expected {
            wrong.push(alloc::format!("{path}: {got}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_project_below_a_folder_of_the_system_is_a_project() {
    for (path, workspace, expected) in [
        ("/srv/shop/a", "/srv/shop", "workspace"),
        ("/srv/shop", "/srv/shop", "system system-top workspace-root workspace"),
        ("/srv/other", "/srv/shop", "system system-top outside"),
        ("/srv/a", "/srv", "system system-top workspace"),
        ("/usr/shop/a", "/usr/shop", "system system-top workspace"),
        ("/var/www/a", "/var/www", "workspace"),
        ("/home/ann", "/home/ann", "home in-home workspace-root workspace"),
        ("/home/ann/a", "/home/ann", "in-home outside"),
        ("/home/ann/*", "/home/ann", "home in-home workspace-all outside"),
        ("/a", "", ""),
    ] {
        let got = labels(|world, tags| place(path, workspace, world, tags));
        assert_eq!(got, expected, "{path} with {workspace}");
    }
}

#[test]
fn what_belongs_to_the_gate_is_told_apart() {
    let (table, settings) = (Table::new().with_own("/data/gate/state"), Settings::default());
    let recorder = Recorder::new(&table, &settings);
    let wrong: Vec<String> = [
        ("/data/gate/state", "self record"),
        ("/data/gate/state/ledger", "self record"),
        ("/data/gate/state/ledger/a", "self record"),
        ("/data/gate/state/ledgers", "self"),
        ("/data/gate/state/approvals/x", "self record"),
        ("/data/gate/state/approval.secret", "self record"),
        ("/data/gate/state/breaker", "self record"),
        ("/data/gate/state/policies", "self"),
        ("/data/gate/state/*", "self"),
        ("/data/gate/*", "self"),
        ("/data/gate/s*", "self"),
        ("/data/gate/x*", ""),
        ("/data/gate/states", ""),
        ("/data/gate", "above-self"),
        ("/data", "above-self"),
        ("/", ""),
        ("/home/ann", "above-self"),
        ("/home/ann/proj", ""),
    ]
    .iter()
    .filter_map(|(path, expected)| {
        let mut tags = Tags::default();
        label(path, "/home/ann/proj", &recorder, &mut tags);
        let mut of_us: Vec<&str> = tags
            .iter()
            .filter(|tag| matches!(*tag, "self" | "record" | "above-self"))
            .collect();
        of_us.sort_unstable_by(|a, b| b.cmp(a));
        let got = of_us.join(" ");
        (got != *expected).then(|| alloc::format!("{path}: {got}"))
    })
    .collect();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_path_of_windows_is_labelled_with_either_stroke() {
    let got = labels(|world, tags| label("/home/ann/proj/.ssh\\id_rsa", "/home/ann/proj", world, tags));
    assert!(got.contains("credential"), "{got}");
}

#[test]
fn most_names_are_ordinary() {
    let (table, settings) = (Table::new(), Settings::default());
    let recorder = Recorder::new(&table, &settings);
    for (name, expected) in [
        ("a", true),
        ("main.rs", true),
        ("tollgate", false),
        (".env", false),
        ("id_rsa", false),
        ("Makefile", true),
    ] {
        assert_eq!(is_ordinary(name, &recorder), expected, "{name}");
    }
}

#[test]
fn what_a_person_took_out_of_a_protected_row_has_none_of_its_labels() {
    let table = Table::new();
    let with = |globs: &[&str], path: &str| {
        let settings = Settings {
            unprotected: globs.iter().map(|glob| String::from(*glob)).collect(),
            ..Settings::default()
        };
        let mut tags = Tags::default();
        label(path, "/home/ann/proj", &Recorder::new(&table, &settings), &mut tags);
        (tags.has("full-review"), tags.has("credential"))
    };
    const AUTH: &str = "/home/ann/proj/auth/login.rs";
    assert_eq!(with(&[], AUTH), (true, false));
    assert_eq!(with(&["auth/**"], AUTH), (false, false));
    assert_eq!(with(&["/home/ann/proj/auth/**"], AUTH), (false, false));
    assert_eq!(with(&["billing/**"], AUTH), (true, false));
    assert_eq!(with(&["auth/**"], "/home/ann/other/auth/login.rs"), (true, false));
    // No other row is silenced.
    assert!(with(&["**"], "/home/ann/.ssh/id_rsa").1);
}
