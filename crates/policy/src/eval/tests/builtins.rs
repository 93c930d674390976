//! Builtins, assignments and expansions at their edges.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{deeds, deeds_on, effects, evaluated, print, print_unknown, printed};
use crate::eval::{Piece, Value, Var};
use crate::tests::Table;

/// What a variable holds after a text.
fn holds(text: &str, name: &str) -> Option<String> {
    evaluated(text, |eval, _| eval.variable_text(name))
}

#[test]
fn shift_takes_as_many_as_there_are() {
    print(&[
        ("set -- a b c; shift 2; echo $1 $#", "c 1\n"),
        ("set -- a b c; shift 3; echo [$1] $#", "[] 0\n"),
        ("set -- a b c; shift 4; echo [$1] $#", "[] 0\n"),
        ("set -- a b c; shift x; echo $1", "b\n"),
        ("set -e a b; echo $1", "a\n"),
        ("set - a b; echo $1", "-\n"),
        ("set +x a; echo $1", "a\n"),
        ("set -o pipefail; echo $#", "1\n"),
    ]);
}

#[test]
fn a_directory_is_entered_as_it_is_written_or_as_it_is() {
    let physical = |text: &str| evaluated(text, |eval, _| eval.state.physical);
    assert!(physical("set -P") && physical("set -o physical") && physical("set -eP"));
    assert!(!physical("set +P") && !physical("set -P; set +P") && !physical("set -o pipefail") && !physical("set -e"));
    assert!(!physical("set -P; set +o physical"));
    for (text, expected) in [
        ("cd now; cd ..; rm a", "delete /home/ann/proj/a"),
        ("cd -P now; cd ..; rm a", "delete /srv/r/a"),
        ("set -P; cd now; cd ..; rm a", "delete /srv/r/a"),
        ("set -P; cd -L now; cd -L ..; rm a", "delete /home/ann/proj/a"),
        ("cd -L -P now; cd ..; rm a", "delete /srv/r/a"),
        ("cd -P -L now; cd ..; rm a", "delete /home/ann/proj/a"),
    ] {
        let all = deeds_on(Table::new().with_link("/home/ann/proj/now", "/srv/r/7"), text);
        assert!(all.iter().any(|d| d == expected), "{text}: {all:?}");
    }
}

#[test]
fn where_a_cd_leads() {
    let cwd = |text: &str| evaluated(text, |eval, _| eval.state.cwd.clone());
    assert_eq!(cwd("cd").as_deref(), Some("/home/ann"));
    assert_eq!(cwd("HOME=/h; cd").as_deref(), Some("/h"));
    assert_eq!(cwd("cd /a; cd /b; cd -").as_deref(), Some("/a"));
    assert_eq!(cwd("pushd /a").as_deref(), Some("/a"));
    for text in ["cd a*", "cd \"$X\"", "cd -", "popd", "CDPATH=/x; cd a", "cd \"/a$X\""] {
        assert_eq!(cwd(text), None, "{text}");
    }
    let deep = |count: usize| cwd(&alloc::format!("cd /{}", "a".repeat(count)));
    assert!(deep(1023).is_some() && deep(1024).is_none());
    // Where it may fail, what follows may run where it began.
    let forks = |text: &str| evaluated(text, |eval, _| eval.forks.len());
    assert_eq!(forks("cd .git"), 0);
    assert_eq!(forks("cd /nowhere"), 1);
}

#[test]
fn what_is_read_goes_into_names() {
    for (text, name, expected) in [
        ("read a <<< 'x y'", "a", Some("x y")),
        ("read a b <<< 'x y z'", "a", Some("x")),
        ("read a b <<< 'x y z'", "b", Some("y z")),
        ("read a b c <<< 'x y'", "c", Some("")),
        ("read <<< x", "REPLY", Some("x")),
        ("read -d , a <<< x", "a", Some("x")),
        ("read -n 3 a <<< x", "a", Some("x")),
        ("read -N 3 a <<< x", "a", Some("x")),
        ("read -t 3 a <<< x", "a", Some("x")),
        ("read -u 3 a <<< x", "a", Some("x")),
        ("read -i q a <<< x", "a", Some("x")),
        ("read -s a <<< x", "a", Some("x")),
        ("read a", "a", None),
        ("mapfile -n 1 a <<< x", "n", None),
    ] {
        assert_eq!(holds(text, name).as_deref(), expected, "{name} of {text}");
    }
    let list = |text: &str, name: &str| {
        evaluated(text, |eval, _| match eval.state.vars.get(name) {
            Some(Var::Array(values)) => values.len(),
            _ => 0,
        })
    };
    assert_eq!(list("mapfile <<< 'x'", "MAPFILE"), 1);
    assert_eq!(list("mapfile -t a <<< 'x'", "a"), 1);
    for option in ["-d q", "-n 4", "-O 1", "-s 1", "-u 3", "-c 1"] {
        assert_eq!(list(&alloc::format!("readarray {option} a <<< x"), "a"), 1, "{option}");
    }
    let calls = |text: &str| deeds(text).iter().any(|d| d == "delete /home/ann/proj/x");
    assert!(calls("mapfile -C 'rm x' a <<< y"));
    assert!(!calls("read -C 'rm x' a <<< y"));
    assert!(calls("read 'a[$(rm x)]' <<< y"));
    assert!(calls("printf -v 'a[$(rm x)]' y"));
    assert!(calls("unset 'a[$(rm x)]'"));
    assert!(calls("[ -v 'a[$(rm x)]' ]"));
    assert!(calls("test 'a[$(rm x)]' -eq 1"));
    assert!(calls("test 1 -lt 'a[$(rm x)]'"));
    assert!(calls("[[ 'a[$(rm x)]' -gt 1 ]]"));
    assert!(calls("declare 'a[$(rm x)]=1'"));
    assert!(!calls("[ 'a[$(rm x)]' = 1 ]"));
    assert!(!calls("[ -n 'a[$(rm x)]' ]"));
}

#[test]
fn elements_have_places_and_names() {
    print(&[
        ("a=(x y); a[1]=z; echo ${a[@]}", "x z\n"),
        ("a[2]=z; echo ${#a[@]} ${a[2]}", "3 z\n"),
        ("a=x; a[1]=z; echo ${a[@]}", "x z\n"),
        ("a=(x); a[1+1]=z; echo ${a[2]}", "z\n"),
        ("a=(x); a+=(y z); echo ${a[@]}", "x y z\n"),
        ("a=x; a+=(y); echo ${a[@]}", "x y\n"),
        ("declare -a a='(x y)'; echo ${a[1]}", "y\n"),
        ("declare a='(x y)'; echo $a", "(x y)\n"),
        ("declare -i n=3; echo $n", "3\n"),
        ("declare x=1; declare x+=2; echo $x", "12\n"),
        ("export A=1 B=2; echo $A$B", "12\n"),
        ("local x=1; echo $x", "1\n"),
        ("declare -n r=x; r=5; echo $x", "5\n"),
        ("declare a=(x y); echo ${a[1]}", "y\n"),
    ]);
    let len = |text: &str| {
        evaluated(text, |eval, _| match eval.state.vars.get("a") {
            Some(Var::Array(values)) => values.len(),
            _ => 0,
        })
    };
    assert_eq!(len("a[4095]=x"), 4096);
    assert_eq!(len("a[4096]=x"), 1);
    let exported = |text: &str, name: &str| evaluated(text, |eval, _| eval.state.exported.holds(name));
    assert!(exported("export A", "A") && exported("export A=1", "A") && exported("declare -x A=1", "A"));
    assert!(exported("declare -x A", "A"));
    assert!(!exported("declare A=1", "A") && !exported("A=1", "A") && !exported("declare A", "A"));
    assert!(!exported("A=1 ls", "A"));
}

#[test]
fn what_is_hashed_aliased_or_put_at_the_end() {
    let deletes = |text: &str| deeds(text).iter().any(|d| d == "delete /home/ann/proj/x");
    assert!(deletes("hash -p /bin/rm ls; ls x"));
    assert!(!deletes("hash -r /bin/rm ls; ls x"));
    assert!(deletes("alias ls='rm'; ls x"));
    assert!(!deletes("alias ls='rm'; unalias ls; ls x"));
    assert!(deletes("alias 'l=ls; rm x'"));
    let traps = |count: usize| evaluated(&"trap 'rm x' EXIT\n".repeat(count), |eval, _| eval.traps.len());
    assert_eq!((traps(15), traps(17)), (15, 16));
    assert_eq!(evaluated("trap - EXIT", |eval, _| eval.traps.len()), 1);
}

#[test]
fn deep_expressions_are_not_worked_out() {
    let signs = |count: usize| printed(&alloc::format!("echo $(({}1))", "- ".repeat(count)));
    assert_eq!(signs(62).as_deref(), Some("1\n"));
    assert_eq!(signs(63), None);
    let brackets = |count: usize| printed(&alloc::format!("echo $(({}1{}))", "(".repeat(count), ")".repeat(count)));
    assert_eq!(brackets(31).as_deref(), Some("1\n"));
    assert_eq!(brackets(32), None);
    let long = |count: usize| printed(&alloc::format!("echo $(({}1))", " ".repeat(count)));
    assert_eq!(long(4095).as_deref(), Some("1\n"));
    assert_eq!(long(4096), None);
    print(&[
        ("echo $((1?0?4:5:6)) $((0?1:0?2:3)) $((3,4,5))", "5 3 5\n"),
        ("x=3; echo $((x=+4)) $((x==4)) $((x>=4)) $((x!=4))", "4 1 1 0\n"),
        ("echo $((2*3**2)) $((-2**2)) $((1<2==1)) $((5&6==6))", "18 4 1 1\n"),
        ("x='y'; y='z'; z=7; echo $((x))", "7\n"),
        ("echo $((0))  $((00)) $((0x0))", "0 0 0\n"),
    ]);
    print_unknown(&[
        "a=(1 2); echo $((a))",
        "echo $((a[0]))",
        "echo $((08))",
        "x='1+'; echo $((x))",
    ]);
    assert!(
        deeds("echo $((a[$(rm x)]))")
            .iter()
            .any(|d| d == "delete /home/ann/proj/x")
    );
}

#[test]
fn two_brackets_may_be_two_subshells() {
    let deletes = |text: &str| deeds(text).iter().any(|d| d == "delete /home/ann/proj/x");
    for text in [
        "((rm x))",
        "((rm -f x))",
        "((rm --force x))",
        "((/bin/rm x))",
        "(( rm  x ))",
    ] {
        assert!(deletes(text), "{text}: {:?}", deeds(text));
    }
    for text in [
        "((rm - x))",
        "((rm -1))",
        "((rm + x))",
        "((rm=1))",
        "((rm))",
        "((unknown x))",
    ] {
        assert!(!deletes(text), "{text}: {:?}", deeds(text));
    }
}

#[test]
fn braces_become_as_many_words_as_fit() {
    let count = |text: &str| printed(text).map(|out| out.split_whitespace().count());
    assert_eq!(count("echo {1..511}"), Some(511));
    assert_eq!(count("echo {1..512}"), None);
    let long = |count: usize| printed(&alloc::format!("echo {{a,b}}{}", "c".repeat(count)));
    assert!(long(1024 - 5).is_some() && long(1024 - 4).is_none());
    print(&[
        ("echo {a,b}{c,d}{e,f}", "ace acf ade adf bce bcf bde bdf\n"),
        ("echo {1..3..-1} {3..1..2} {a..a} {5..5}", "1 2 3 3 1 a 5\n"),
        ("echo {01..03}", "1 2 3\n"),
        ("echo a{,}b {a,b}}", "ab ab a} b}\n"),
        ("echo {{a,b},c} x{a,{b,c}}", "a b c xa xb xc\n"),
    ]);
}

/// The pieces of the words of a call, each glob in angle brackets.
fn pieces(words: &str) -> String {
    evaluated(&alloc::format!("set -- {words}"), |eval, _| {
        let shown = |value: &Value| -> String {
            let pieces = value.pieces.iter().map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::Glob(glob) => alloc::format!("<{glob}>"),
                Piece::Unknown => "?".to_string(),
                Piece::File(path) => alloc::format!("@{path}"),
            });
            pieces.collect()
        };
        let all: Vec<String> = eval.state.positional.iter().map(shown).collect();
        all.join(" ")
    })
}

#[test]
fn what_is_active_in_a_word() {
    for (words, expected) in [
        ("a*b", "a<*>b"),
        ("[a]x", "<[a]>x"),
        ("[ab]", "<[ab]>"),
        ("a[b", "a[b"),
        ("a[]b", "a[]b"),
        ("a[]b]c", "a[]b]c"),
        ("'a*'b?", "a*b<?>"),
        ("\"a*\"", "a*"),
        ("a\\*", "a*"),
        ("~/*", "/home/ann/<*>"),
        ("a=~/x", "a=/home/ann/x"),
        ("--a=~/x", "--a=/home/ann/x"),
        ("a=~x", "a=~x"),
        ("a.b=~/x", "a.b=~/x"),
        ("a$X", "a?"),
        ("\"$(cat f)\"", "@/home/ann/proj/f"),
        ("a\"$(cat f)\"", "a?"),
        ("~bob/x ~root/x ~+/x ~-x", "/home/bob/x /root/x /home/ann/proj/x ~-x"),
    ] {
        assert_eq!(pieces(words), expected, "{words}");
    }
}

#[test]
fn fields_are_split_where_the_shell_is_told_to() {
    print(&[
        ("x='a b'; set -- $x; echo $#", "2\n"),
        ("x='a b'; set -- \"$x\"; echo $#", "1\n"),
        ("x=''; set -- $x; echo $#", "0\n"),
        ("x=''; set -- \"$x\"; echo $#", "1\n"),
        ("x=' a '; set -- $x; echo $# $1", "1 a\n"),
        ("x='a:b'; IFS=:; set -- $x; echo $2", "b\n"),
        ("x='a b'; set -- x$x; echo $1 $2", "xa b\n"),
        ("set -- \"$@\"; echo $#", "0\n"),
        ("set -- \"$@\" \"\"; echo $#", "1\n"),
        ("set -- \"a$@\"; echo $#", "1\n"),
        ("a=(); set -- \"${a[@]}\"; echo $#", "0\n"),
    ]);
}

#[test]
fn variables_that_make_programs_run_something() {
    let hijack = |text: &str| effects(text).iter().any(|e| e.starts_with("do env.hijack"));
    assert!(hijack("export LD_PRELOAD=/tmp/x.so") && hijack("LD_PRELOAD=/tmp/x.so ls"));
    assert!(!hijack("export LD_PRELOAD="));
    assert!(!hijack("export BASH_ENV=/dev/null") && !hijack("export OTHER=/tmp/x.so"));
    let own = |text: &str| effects(text).iter().any(|e| e.contains("own-library"));
    for text in [
        "export LD_LIBRARY_PATH=/usr/lib",
        "export LD_LIBRARY_PATH=./lib",
        "export LD_LIBRARY_PATH=/usr/lib:./lib",
        "export LD_PRELOAD=/usr/lib/libjemalloc.so",
    ] {
        assert!(own(text), "{text}: {:?}", effects(text));
    }
    for text in [
        "export LD_LIBRARY_PATH=/tmp/x",
        "export LD_LIBRARY_PATH=/usr/lib:/tmp/x",
        "export LD_PRELOAD=./lib/x.so",
        "export LD_PRELOAD=\"/usr/lib/a.so /tmp/x.so\"",
    ] {
        assert!(!own(text), "{text}: {:?}", effects(text));
    }
    let deletes = |text: &str| deeds(text).iter().any(|d| d == "delete /home/ann/proj/x");
    assert!(deletes("export BASH_FUNC_f%%='() { rm x; }; rm x'"));
    assert!(deletes("PAGER='rm x' git log"));
}
