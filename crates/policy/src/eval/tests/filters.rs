//! Filters whose input is known.

use super::{print, print_unknown, printed};

#[test]
fn the_ends_of_a_text() {
    print(&[
        (r"printf 'a\nb\nc\n' | head -n 2", "a\nb\n"),
        (r"printf 'a\nb\nc\n' | head -2", "a\nb\n"),
        (r"printf 'a\nb\nc\n' | head -n 7", "a\nb\nc\n"),
        (r"printf 'a\nb\nc\n' | head -n -1", "a\nb\n"),
        (r"printf 'a\nb\nc\n' | tail -n 2", "b\nc\n"),
        (r"printf 'a\nb\nc\n' | tail -2", "b\nc\n"),
        (r"printf 'a\nb\nc\n' | tail -n 7", "a\nb\nc\n"),
        (r"printf 'a\nb\nc\n' | tail -n +2", "b\nc\n"),
        (r"printf 'a\nb\nc\n' | tail -n +1", "a\nb\nc\n"),
        ("printf abcdef | head -c 2", "ab"),
        ("printf abcdef | head -c 9", "abcdef"),
        ("printf abcdef | tail -c 2", "ef"),
        ("seq 12 | head | tail -n 1", "10\n"),
        ("seq 12 | tail | head -n 1", "3\n"),
    ]);
    print_unknown(&["seq 12 | head -n x", "seq 12 | head -c 1k"]);
}

#[test]
fn parts_of_lines() {
    print(&[
        ("echo abcdef | cut -c 2", "b\n"),
        ("echo abcdef | cut -c 2-3", "bc\n"),
        ("echo abcdef | cut -c 4-", "def\n"),
        ("echo abcdef | cut -c -2", "ab\n"),
        ("echo abcdef | cut -c 5,1", "ae\n"),
        ("echo abcdef | cut -c 1-2,2-3", "abc\n"),
        ("echo abcdef | cut -c 5-9", "ef\n"),
        ("echo abcdef | cut -b 1,6", "af\n"),
        ("echo a:b:c | cut -d: -f2", "b\n"),
        ("echo a:b:c | cut -d: -f2-", "b:c\n"),
        ("echo a:b:c | cut -d: -f1,3", "a:c\n"),
        ("echo abc | cut -d: -f2", "abc\n"),
        (r"printf 'a\tb\tc\n' | cut -f3", "c\n"),
        (r"printf 'a b\nc d\n' | cut -d' ' -f2", "b\nd\n"),
        ("echo abc | rev", "cba\n"),
        (r"printf 'ab\ncd\n' | rev", "ba\ndc\n"),
        ("echo abcde | fold -w 2", "ab\ncd\ne\n"),
        (r"printf 'abc\nde\n' | fold -w2", "ab\nc\nde\n"),
        ("echo abcd | fold -w 4", "abcd\n"),
        ("echo abcd | fold", "abcd\n"),
    ]);
    print_unknown(&[
        "echo a:b | cut -d: -f2 -s",
        "echo abc | cut -c x",
        "echo abc | fold -w 0",
        "echo a:b | cut -d: -f x",
    ]);
}

#[test]
fn lines_in_another_order() {
    print(&[
        (r"printf 'b\nc\na\n' | sort", "a\nb\nc\n"),
        (r"printf 'b\nc\na\n' | sort -r", "c\nb\na\n"),
        (r"printf 'b\na\nb\n' | sort -u", "a\nb\n"),
        (r"printf '10\n9\n2\n' | sort", "10\n2\n9\n"),
        (r"printf '10\n9\n2\n' | sort -n", "2\n9\n10\n"),
        (r"printf '10\n 9\nx\n' | sort -nr", "10\n 9\nx\n"),
        (r"printf 'a\na\nb\na\n' | uniq", "a\nb\na\n"),
        (r"printf 'a\nb\n' | tac", "b\na\n"),
        (r"printf 'a\nb\n' | paste -sd ''", "ab\n"),
        (r"printf 'a\nb\n' | paste -sd ,", "a,b\n"),
        (r"printf 'a\nb\n' | paste -s", "a\tb\n"),
        (r"printf 'a\nb\n' | paste -sd '\n'", "a\nb\n"),
        (r"printf 'a\nb\n' | paste -sd '\0'", "ab\n"),
    ]);
    print_unknown(&[
        r"printf 'a\na\n' | uniq -c",
        r"printf 'a b\n' | sort -k 2",
        r"printf 'a\nb\n' | tac -s x",
        r"printf 'a\nb\n' | paste -sd xyz",
        r"printf 'a\nb\n' | paste -d ,",
    ]);
}

#[test]
fn sequences() {
    print(&[
        ("seq 3", "1\n2\n3\n"),
        ("seq 1", "1\n"),
        ("seq 0", ""),
        ("seq 2 4", "2\n3\n4\n"),
        ("seq 1 2 6", "1\n3\n5\n"),
        ("seq 1 2 5", "1\n3\n5\n"),
        ("seq 5 -2 0", "5\n3\n1\n"),
        ("seq 3 -1 1", "3\n2\n1\n"),
        ("seq 1 -1 3", ""),
        ("seq 3 1 1", ""),
        ("seq 1000 | tail -n 1", "1000\n"),
    ]);
    print_unknown(&["seq 1 0 3", "seq 1 2 3 4", "seq x", "seq 5000"]);
}

#[test]
fn fields_that_are_printed() {
    print(&[
        ("echo 'a b  c' | awk '{print}'", "a b  c\n"),
        ("echo 'a b  c' | awk '{print $0}'", "a b  c\n"),
        ("echo 'a b  c' | awk '{print $2}'", "b\n"),
        ("echo 'a b  c' | awk '{print $1, $3}'", "a c\n"),
        ("echo 'a b  c' | awk '{print $1 \"-\" $2}'", "a-b\n"),
        ("echo 'a b  c' | awk '{print $NF}'", "c\n"),
        ("echo 'a b  c' | awk '{print $3 $1; }'", "ca\n"),
        ("echo a:b:c | awk -F: '{print $2}'", "b\n"),
        (r"printf 'a b\nc d\n' | awk '{print $2}'", "b\nd\n"),
        (r"printf 'a b\nc d\n' | awk 'NR==2{print $1}'", "c\n"),
        (r"printf 'a b\nc d\n' | awk 'NR == 1 {print $2}'", "b\n"),
    ]);
}

#[test]
fn characters_in_place_of_others() {
    print(&[
        ("echo abc | tr a x", "xbc\n"),
        ("echo abcd | tr a-c x-z", "xyzd\n"),
        ("echo abcd | tr a-c x", "xxxd\n"),
        ("echo abcabc | tr -d b", "acac\n"),
        ("echo a1b2 | tr -d 0-9", "ab\n"),
        ("echo a1b2 | tr -cd 0-9", "12"),
        ("echo a1b2 | tr -c 'a-z\\n' _", "a_b_\n"),
        ("echo aabbcc | tr -s b", "aabcc\n"),
        ("echo aabbcc | tr -s a-c", "abc\n"),
        ("echo aabbcc | tr -s a x", "xbbcc\n"),
        ("echo aAbB | tr '[:lower:]' x", "xAxB\n"),
        ("echo aAbB | tr '[:upper:]' '[:lower:]'", "aabb\n"),
        ("echo 'a.b-c' | tr -d '[:punct:]'", "abc\n"),
        ("echo 'a b' | tr -d '[:blank:]'", "ab\n"),
        ("echo 'xfg' | tr -d '[:xdigit:]'", "xg\n"),
        ("echo 'a1-' | tr -d '[:alnum:]'", "-\n"),
        ("echo 'a1-' | tr -d '[:alpha:]'", "1-\n"),
        ("echo 'a b' | tr -d '[:space:]'", "ab"),
        (r"printf 'a\nb\n' | tr '\n' ,", "a,b,"),
        ("echo a-b | tr - _", "a_b\n"),
        ("echo a-c | tr a- x_", "x_c\n"),
    ]);
    print_unknown(&["echo abc | tr '[=a=]' x", "echo abc | tr '[:word:]' x"]);
}

#[test]
fn what_echo_and_printf_write() {
    print(&[
        ("echo a  b", "a b\n"),
        ("echo", "\n"),
        ("echo -n a", "a"),
        ("echo -e 'a\\tb'", "a\tb\n"),
        ("echo -ne 'a\\nb'", "a\nb"),
        ("echo -E 'a\\tb'", "a\\tb\n"),
        ("echo 'a\\tb'", "a\\tb\n"),
        ("echo -x a", "-x a\n"),
        ("echo - a", "- a\n"),
        ("echo -e '\\x41\\0102\\u0043'", "ABC\n"),
        ("printf 'a\\x62\\143\\1014'", "abcA4"),
        ("printf '\\u0041\\U00000042'", "AB"),
        ("printf '\\x4a1'", "J1"),
        ("printf 'a\\\\b\\qc'", "a\\b\\qc"),
        ("printf %s a b", "ab"),
        ("printf '%s-' a b", "a-b-"),
        ("printf '%s %s;' a b c", "a b;c ;"),
        ("printf 'a%%b'", "a%b"),
        ("printf -- x", "x"),
        ("printf '%d %d' 12 0x1f", "12 31"),
        ("printf '%d %i' 010 \"'A\"", "8 65"),
        ("printf '%d'", "0"),
        ("printf '%x %X %o' 255 255 8", "ff FF 10"),
        ("printf '%c%c' abc de", "ad"),
        ("printf '%b' 'a\\0101'", "aA"),
        ("printf 'x' a b", "x"),
        ("printf '%-s|' a", "a|"),
    ]);
    print_unknown(&["printf '%z' a", "printf '%d' x", "echo $(date)"]);
}

#[test]
fn codes_are_taken_apart() {
    print(&[
        ("printf abc | base64", "YWJj\n"),
        ("echo YWJj | base64 -d", "abc"),
        (r"printf 'YW\nJj' | base64 --decode", "abc"),
        ("echo MFRGG=== | base32 -d", "abc"),
        ("echo GEZDGNBV | base32 -d", "12345"),
        ("echo 616263 | xxd -r -p", "abc"),
        ("printf abc | xxd -p", "616263\n"),
        ("echo '00000000: 6162 63  abc' | xxd -r", "abc"),
        ("printf abc | openssl base64", "YWJj\n"),
        ("echo YWJj | openssl base64 -d", "abc"),
        ("echo /w== | base64 -d | base64", "/w==\n"),
        ("echo ff | xxd -r -p | xxd -p", "ff\n"),
        ("echo w6k= | base64 -d", "é"),
        (
            "echo H4sIAAAAAAAAA0tMSuYCAE6Bc4AEAAAA | base64 -d | gunzip | tr -d '\\n'",
            "abc",
        ),
        ("basename /a/b/c", "c\n"),
        ("basename /a/b/", "b\n"),
        ("dirname /a/b/c", "/a/b\n"),
        ("dirname /a", "/\n"),
        ("dirname a", ".\n"),
        ("printf x | cat", "x"),
        ("printf x | cat | cat", "x"),
    ]);
    print_unknown(&[
        "echo YWJj | openssl enc -aes-256-cbc -base64 -d -k x",
        "echo 618 | base32 -d",
        "echo xyz | xxd -r -p",
        "echo '*' | base64 -d",
        "printf x | cat -n",
    ]);
    let long = printed(&alloc::format!("printf {} | xxd -p", "a".repeat(31)));
    assert_eq!(long, Some(alloc::format!("{}\n61\n", "61".repeat(30))));
}
