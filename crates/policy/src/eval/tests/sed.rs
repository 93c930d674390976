//! Scripts of sed.

use super::{print, print_unknown, printed};

#[test]
fn lines_are_addressed() {
    print(&[
        (r"printf 'a\nb\nc\n' | sed 2d", "a\nc\n"),
        (r"printf 'a\nb\nc\n' | sed 1,2d", "c\n"),
        (r"printf 'a\nb\nc\nd\n' | sed 2,3d", "a\nd\n"),
        (r"printf 'a\nb\nc\n' | sed '2,$d'", "a\n"),
        (r"printf 'a\nb\nc\n' | sed -n 2p", "b\n"),
        (r"printf 'a\nb\nc\n' | sed -n 2,3p", "b\nc\n"),
        (r"printf 'a\nb\n' | sed p", "a\na\nb\nb\n"),
        (r"printf 'a\nb\n' | sed 2p", "a\nb\nb\n"),
        (r"printf 'a\nb\nc\n' | sed 2q", "a\nb\n"),
        (r"printf 'a\nb\nc' | sed 1q", "a\n"),
        (r"printf 'a\nb\nc\n' | sed -n 2q", ""),
        (r"printf 'a\nb\nc\n' | sed '1d;3d'", "b\n"),
        (r"printf 'a\nb\nc\n' | sed ' 1d ; 3d '", "b\n"),
        (r"printf 'a\nb\nc\n' | sed -e 1d -e 2d", "c\n"),
        (r"printf 'a\nb\n' | sed '1d;p'", "b\nb\n"),
        (r"printf 'a\nb\n' | sed '1s/./x/'", "x\nb\n"),
        (r"printf 'a\n' | sed d", ""),
        (r"printf 'a\nb' | sed s/a/c/", "c\nb"),
    ]);
    print_unknown(&[
        r"printf 'a\nb\n' | sed '1!d'",
        r"printf 'a\nb\n' | sed 1dx",
        r"printf 'a\nb\n' | sed -z 1d",
        r"printf 'a\nb\n' | sed 2,",
        r"printf 'a\nb\n' | sed s/a",
        r"printf 'a\nb\n' | sed s/a/b",
        r"printf 'a\nb\n' | sed a",
    ]);
}

#[test]
fn as_many_commands_as_fit() {
    let with = |count: usize| alloc::format!("echo a | sed -n '{}'", "p;".repeat(count));
    assert_eq!(printed(&with(64)), Some("a\n".repeat(64)));
    assert_eq!(printed(&with(65)), None);
}

#[test]
fn texts_are_replaced() {
    print(&[
        ("echo aaa | sed s/a/x/", "xaa\n"),
        ("echo aaa | sed s/a/x/g", "xxx\n"),
        ("echo aaaa | sed s/a/x/2", "axaa\n"),
        ("echo aaaa | sed s/a/x/3", "aaxa\n"),
        ("echo aaaa | sed s/a/x/2g", "axxx\n"),
        ("echo aaaa | sed s/aa/x/2", "aax\n"),
        ("echo aBc | sed s/b/x/I", "axc\n"),
        ("echo abc | sed s/B/x/i", "axc\n"),
        ("echo aBc | sed s/b/x/", "aBc\n"),
        ("echo abc | sed 's/b/[&]/'", "a[b]c\n"),
        ("echo abc | sed 's/b/&&/;s/c/d/'", "abbd\n"),
        (r"echo abc | sed 's/b/\&/'", "a&c\n"),
        (r"echo abc | sed 's/b/x\ny/'", "ax\nyc\n"),
        (r"echo abc | sed 's/b/\t/'", "a\tc\n"),
        ("echo a/b/c | sed s,/,-,g", "a-b-c\n"),
        (r"echo a/b/c | sed 's/\//-/'", "a-b/c\n"),
        ("echo abc | sed 's/b//'", "ac\n"),
        ("echo abc | sed 's/x*/-/g'", "-a-b-c-\n"),
        ("echo abc | sed 's/x*/-/2'", "a-bc\n"),
        ("echo abc | sed y/abc/xyz/", "xyz\n"),
        ("echo aabbd | sed y/ab/ba/", "bbaad\n"),
    ]);
    print_unknown(&[
        r"echo abc | sed 's/\(b\)/x/'",
        r"echo abc | sed 's/b/\1/'",
        r"echo abc | sed 's/b/\U&/'",
        "echo abc | sed s/b/x/w",
        "echo abc | sed y/ab/x/",
        "echo abc | sed s//x/",
    ]);
}

#[test]
fn patterns_are_compared() {
    print(&[
        ("echo abc | sed s/./x/", "xbc\n"),
        ("echo abab | sed 's/a.*b/x/'", "x\n"),
        ("echo abcabd | sed 's/.*b/x/'", "xd\n"),
        ("echo aabc | sed 's/[ab]*b/x/'", "xc\n"),
        ("echo aab | sed 's/^a/x/g'", "xab\n"),
        ("echo abb | sed 's/b$/x/'", "abx\n"),
        ("echo abc | sed 's/^/> /'", "> abc\n"),
        ("echo abc | sed 's/$/;/'", "abc;\n"),
        ("echo 'a$b' | sed 's/$b/x/'", "ax\n"),
        ("echo 'a^b' | sed 's/a^/x/'", "xb\n"),
        ("echo 'a*b' | sed 's/*/x/'", "axb\n"),
        (r"echo abbc | sed 's/b\+/x/'", "axc\n"),
        (r"echo ac | sed 's/ab\+c/x/'", "ac\n"),
        (r"echo abbc | sed 's/b\?c/x/'", "abx\n"),
        ("echo abbc | sed -E 's/b+/x/'", "axc\n"),
        ("echo ac | sed -E 's/ab+c/x/'", "ac\n"),
        ("echo ac | sed -r 's/ab?c/x/'", "x\n"),
        ("echo abbc | sed -E 's/ab?c/x/'", "abbc\n"),
        ("echo a+b | sed 's/a+/x/'", "xb\n"),
        ("echo 'a(b' | sed 's/(/x/'", "axb\n"),
        (r"echo 'a(b' | sed -E 's/\(/x/'", "axb\n"),
        (r"echo a.b | sed 's/\./x/'", "axb\n"),
        (r"echo 'a b' | sed 's/\s/x/'", "axb\n"),
        (r"printf 'a\tb\n' | sed 's/\t/x/'", "axb\n"),
        (r"printf 'a\tb\n' | sed 's/\s/x/'", "axb\n"),
    ]);
    print_unknown(&[
        "echo abc | sed -E 's/(b)/x/'",
        "echo abc | sed -E 's/b|c/x/'",
        "echo abc | sed -E 's/b{2}/x/'",
        r"echo abc | sed 's/\w/x/'",
        "echo abc | sed -E 's/+/x/'",
        r"echo abc | sed 's/\+/x/'",
        "echo abc | sed 's/[b/x/'",
    ]);
}

#[test]
fn sets_are_compared() {
    print(&[
        ("echo abcd | sed 's/[bd]/x/g'", "axcx\n"),
        ("echo abcd | sed 's/[^bd]/x/g'", "xbxd\n"),
        ("echo abcde | sed 's/[b-d]/x/g'", "axxxe\n"),
        ("echo a-c | sed 's/[a-]/x/g'", "xxc\n"),
        ("echo 'a]c' | sed 's/[]a]/x/g'", "xxc\n"),
        ("echo 'a]c' | sed 's/[^]]/x/g'", "x]x\n"),
        ("echo a1B2 | sed 's/[[:digit:]]/x/g'", "axBx\n"),
        ("echo a1B2 | sed 's/[[:digit:]a]/x/g'", "xxBx\n"),
        ("echo a1B2 | sed 's/[a[:digit:]]/x/g'", "xxBx\n"),
        ("echo a1B2 | sed 's/[[:upper:][:digit:]]/x/g'", "axxx\n"),
        ("echo a1B2 | sed 's/[[:lower:]]/x/g'", "x1B2\n"),
        ("echo a1B2- | sed 's/[[:alpha:]]/x/g'", "x1x2-\n"),
        ("echo a1B2- | sed 's/[[:alnum:]]/x/g'", "xxxx-\n"),
        ("echo 'a b' | sed 's/[[:space:]]/x/g'", "axb\n"),
        ("echo 'a b' | sed 's/[[:blank:]]/x/g'", "axb\n"),
        ("echo 'a.b_c' | sed 's/[[:punct:]]/x/g'", "axbxc\n"),
        ("echo a12b | sed -E 's/[0-9]+/x/'", "axb\n"),
        ("echo a[b | sed 's/[[]/x/'", "axb\n"),
    ]);
    print_unknown(&["echo abc | sed 's/[[:word:]]/x/'"]);
}

#[test]
fn much_trying_ends() {
    let text = alloc::format!("echo {} | sed -E 's/a*a*a*a*a*a*b/x/'", "a".repeat(60));
    assert_eq!(printed(&text), None);
}
