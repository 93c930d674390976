//! Lists of commands: conditions, loops, functions.

use super::{print, print_unknown, printed};

#[test]
fn tests_have_an_outcome() {
    let outcome = |test: &str| printed(&alloc::format!("{test} && x=y || x=n; echo $x"));
    for (test, expected) in [
        ("[ a = a ]", true),
        ("[ a = b ]", false),
        ("[ a == a ]", true),
        ("[[ a == b ]]", false),
        ("[ a != b ]", true),
        ("[ a != a ]", false),
        ("[ a ]", true),
        ("[ '' ]", false),
        ("test a", true),
        ("[ -n a ]", true),
        ("[ -n '' ]", false),
        ("[ -z '' ]", true),
        ("[ -z a ]", false),
        ("[ ! -z a ]", true),
        ("[ ! a = a ]", false),
        ("[ 2 -eq 2 ]", true),
        ("[ 2 -eq 02 ]", true),
        ("[ 2 -eq 3 ]", false),
        ("[ 2 -ne 3 ]", true),
        ("[ 2 -ne 2 ]", false),
        ("[ 2 -lt 3 ]", true),
        ("[ 2 -lt 2 ]", false),
        ("[ 2 -le 2 ]", true),
        ("[ 3 -le 2 ]", false),
        ("[ 3 -gt 2 ]", true),
        ("[ 2 -gt 2 ]", false),
        ("[ 2 -ge 2 ]", true),
        ("[ 2 -ge 3 ]", false),
        ("true", true),
        ("false", false),
        (":", true),
        ("! true", false),
        ("! false", true),
        ("x=1", true),
    ] {
        let expected = if expected { "y\n" } else { "n\n" };
        assert_eq!(outcome(test).as_deref(), Some(expected), "{test}");
    }
    for test in [
        "[ -f x ]",
        "[ x -eq 1 ]",
        "[ \"$X\" = a ]",
        "ls",
        "[ a -a b -a c ]",
        "true | false",
    ] {
        assert_eq!(outcome(test), None, "{test}");
    }
}

#[test]
fn only_what_is_reached_prints() {
    print(&[
        (
            "true && echo a; false && echo b; true || echo c; false || echo d",
            "a\nd\n",
        ),
        ("! true && echo a; ! false && echo b", "b\n"),
        ("false && echo a || echo b", "b\n"),
        ("true && x=a || x=b; echo $x", "a\n"),
        ("if false; then echo a; elif true; then echo b; else echo c; fi", "b\n"),
        ("if true; then echo a; elif true; then echo b; else echo c; fi", "a\n"),
        ("(echo a); { echo b; }; echo c | cat", "a\nb\nc\n"),
        ("x=1; true && x=2; echo $x; false && x=3; echo $x", "2\n2\n"),
        ("f() { echo $1 $#; }; f a b; f", "a 2\n0\n"),
        ("f() { x=2; }; x=1; f; echo $x", "2\n"),
        ("exec > /dev/null; echo a > f; cat f > g; cat < g", "a\n"),
    ]);
}

#[test]
fn cases_pick_their_arm() {
    print(&[
        ("case b in a) echo 1;; b) echo 2;; *) echo 3;; esac", "2\n"),
        ("case c in a) echo 1;; b) echo 2;; *) echo 3;; esac", "3\n"),
        ("case a in a) echo 1;; a) echo 2;; *) echo 3;; esac", "1\n"),
        ("case b in a|b) echo 1;; *) echo 2;; esac", "1\n"),
        ("case a/b in *b) echo 1;; esac", "1\n"),
        ("case ab in a?) echo 1;; *) echo 2;; esac", "1\n"),
        ("case x in [a-c]) echo 1;; [x-z]) echo 2;; esac", "2\n"),
        ("case a in a) echo 1;& b) echo 2;; c) echo 3;; esac", "1\n2\n"),
        ("case b in a) echo 1;& b) echo 2;; c) echo 3;; esac", "2\n"),
        (
            "case a in a) echo 1;& b) echo 2;& c) echo 3;; *) echo 4;; esac",
            "1\n2\n3\n",
        ),
        ("case x in a) echo 1;; esac", ""),
        ("x=a; case $x in \"$x\") echo 1;; esac", "1\n"),
        ("x=1; case b in a) x=2;; b) x=3;; *) x=4;; esac; echo $x", "3\n"),
    ]);
    print_unknown(&["case $X in a) echo 1;; b) echo 2;; esac"]);
}

#[test]
fn loops_go_round() {
    print(&[
        ("i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done", "0\n1\n2\n"),
        ("i=0; until [ $i -ge 2 ]; do echo $i; i=$((i+1)); done", "0\n1\n"),
        ("i=0; while ((i<2)); do echo $i; ((i++)); done; echo $i", "0\n1\n2\n"),
        ("i=0; while [ $i -lt 20 ]; do i=$((i+1)); done; echo $i", "20\n"),
        ("while false; do echo a; done", ""),
        ("until true; do echo a; done", ""),
        ("for x in a b; do echo $x; done; echo $x", "a\nb\nb\n"),
        ("for ((i=0;i<3;i++)); do echo $i; done", "0\n1\n2\n"),
        ("for ((i=3;i>0;i-=2)); do echo $i; done; echo $i", "3\n1\n-1\n"),
        (
            "printf 'a b\\nc d\\n' | while read x y; do echo \"$y$x\"; done",
            "ba\ndc\n",
        ),
        ("while read x; do echo \"<$x>\"; done <<< 'a'", "<a>\n"),
        ("for i in $(seq 256); do :; done; echo $i", "256\n"),
    ]);
    print_unknown(&[
        "for i in $(seq 300); do :; done; echo $i",
        "while ls; do echo a; done",
        "for ((;;)); do echo a; done",
    ]);
}
