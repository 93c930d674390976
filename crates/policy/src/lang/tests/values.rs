//! What expressions come out as: the texts that calls get, and nothing else.

use alloc::string::String;
use alloc::vec::Vec;

use super::heard;

/// Each piece of code does what stands beside it, parted by `; `.
#[track_caller]
fn do_all(lang: &str, cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .map(|(code, expected)| (code, expected, done(lang, code).join("; ")))
        .filter(|(_, expected, got)| got != **expected)
        .map(|(code, expected, got)| alloc::format!("{code}\n  wants {expected:?}\n  gets  {got:?}"))
        .collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// What is heard, but for the remark that something was hidden.
fn done(lang: &str, code: &str) -> Vec<String> {
    let mut all = heard(lang, code);
    all.retain(|one| one != "act ");
    all
}

/// Each expression of Python comes out as this text.
#[track_caller]
fn come_out(cases: &[(&str, &str)]) {
    let texts: Vec<(String, String)> = cases
        .iter()
        .map(|(code, expected)| (alloc::format!("os.system({code})"), alloc::format!("shell {expected}")))
        .collect();
    let texts: Vec<(&str, &str)> = texts.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    do_all("python", &texts);
}

#[test]
fn numbers() {
    come_out(&[
        ("'n' + (1 + 2 * 3)", "n7"),
        ("'n' + ((1 + 2) * 3)", "n9"),
        ("'n' + (10 - 2 - 3)", "n5"),
        ("'n' + (7 / 2)", "n3"),
        ("'n' + (7 % 3)", "n1"),
        ("'n' + ((0 - 7) % 3)", "n2"),
        ("'n' + (5 ^ 3)", "n6"),
        ("'n' + (5 & 3)", "n1"),
        ("'n' + (5 | 3)", "n7"),
        ("'n' + (6 >> 1)", "n3"),
        ("'n' + (-3)", "n-3"),
        ("'n' + (+3)", "n3"),
        ("'n' + (0x1f)", "n31"),
        ("'n' + (1_000)", "n1000"),
        ("'n' + int('10', 16)", "n16"),
        ("'n' + int('12')", "n12"),
        ("'n' + ord('a')", "n97"),
        ("'n' + (7 / 0)", "n?"),
    ]);
}

#[test]
fn texts() {
    come_out(&[
        ("'a' + 'b'", "ab"),
        ("'a' 'b'", "ab"),
        ("'ab' * 2", "abab"),
        ("2 * 'ab'", "abab"),
        ("'ab' * 0", ""),
        ("'a\\tb\\x63\\u0064\\145\\q'", "a\tbcde\\q"),
        ("'a\\'b'", "a'b"),
        ("r'a\\tb'", "a\\tb"),
        ("'''a'b'''", "a'b"),
        ("'%s-%d' % ('x', 3)", "x-3"),
        ("'%s%%' % 'x'", "x%"),
        ("'%c' % 97", "a"),
        ("'%5s|%-3d' % ('x', 3)", "x|3"),
        ("'{} {}'.format('a', 'b')", "a b"),
        ("'{1}{0}'.format('a', 'b')", "ba"),
        ("'{0:x}{1!r}{}'.format('a', 'b', 'c')", "abc"),
        ("'{a b}{}'.format('x')", "{a b}x"),
        ("chr(97) + chr(98)", "ab"),
        ("chr(ord('a') + 1)", "b"),
        ("'aBc'.upper() + 'aBc'.lower()", "ABCabc"),
        ("' a '.strip()", "a"),
        ("'abab'.replace('a', 'x')", "xbxb"),
        ("'a b c'.split()[1]", "b"),
        ("'a,b,c'.split(',')[2]", "c"),
        ("'-'.join(['a', 'b', 'c'])", "a-b-c"),
        ("''.join(map(chr, [97, 98]))", "ab"),
        ("'x' if y else 'z'", "z; shell x"),
        ("'abc' or 'd'", "d; shell abc"),
    ]);
}

#[test]
fn parts_of_texts_and_lists() {
    come_out(&[
        ("'abcdef'[2]", "c"),
        ("'abcdef'[-1]", "f"),
        ("'abcdef'[1:3]", "bc"),
        ("'abcdef'[4:]", "ef"),
        ("'abcdef'[:2]", "ab"),
        ("'abcdef'[-2:]", "ef"),
        ("'abcdef'[:-4]", "ab"),
        ("'abcdef'[::-1]", "fedcba"),
        ("'abcdef'[::2]", "ace"),
        ("'abcdef'[1::2]", "bdf"),
        ("'abcdef'[4:1:-1]", "edc"),
        ("'abcdef'[-1:-3:-1]", "fe"),
        ("'abcdef'[9:]", ""),
        ("'abcdef'[3:2]", ""),
        ("['a', 'b', 'c'][1]", "b"),
        ("['a', 'b', 'c'][-1]", "c"),
        ("''.join(['a', 'b', 'c'][1:])", "bc"),
        ("''.join(['a', 'b', 'c'][::-1])", "cba"),
        ("{'k': 'v', 'l': 'w'}['l']", "w"),
        ("('a', 'b')[1]", "b"),
        ("['a', ['b', 'c']][1][0]", "b"),
        ("(['a'] + ['b'])[1]", "b"),
    ]);
}

#[test]
fn codes() {
    come_out(&[
        ("base64.b64decode('bHM=').decode()", "ls"),
        ("bytes.fromhex('6c 73').decode()", "ls"),
        ("codecs.decode('yf Ab', 'rot13')", "ls No"),
        ("'6c73'.decode('hex')", "ls"),
        ("urllib.parse.unquote('%6cs%20a')", "ls a"),
        ("bytes([108, 115]).decode()", "ls"),
    ]);
}

#[test]
fn paths() {
    come_out(&[
        ("os.path.join('/a', 'b', 'c')", "/a/b/c"),
        ("os.path.join('/a/', 'b')", "/a/b"),
        ("os.path.join('/a', '/b')", "/b"),
        ("Path('/a') / 'b' / 'c'", "/a/b/c"),
        ("os.path.expanduser('~/x')", "/home/ann/x"),
        ("os.path.expanduser('~x')", "~x"),
        ("Path.home() / 'x'", "/home/ann/x"),
        ("os.path.dirname('/a/b/c')", "/a/b"),
        ("os.path.dirname('/a')", "/"),
        ("os.environ['HOME']", "/home/ann"),
        ("os.getenv('HOME')", "/home/ann"),
        ("os.getenv('X', 'd')", "d"),
    ]);
}

#[test]
fn names_hold_what_they_were_given() {
    do_all(
        "python",
        &[
            ("a = 'x'\nb = a + 'y'\nos.system(b)", "shell xy"),
            ("a, b = 'x', 'y'\nos.system(b + a)", "shell yx"),
            ("(a, b) = ('x', 'y')\nos.system(b + a)", "shell yx"),
            ("a = b = 'x'\nos.system(a + b)", "shell xx"),
            ("a = 'x'\na += 'y'\nos.system(a)", "shell xy"),
            ("a = 'x'\nos.system(f'{a}-{a + \"y\"}{{z}}')", "shell x-xy{z}"),
            ("a = {'k': 'x'}\nos.system(a['k'])", "shell x"),
            (
                "for a in ['x', 'y']:\n  os.system(a)\nos.system('z')",
                "shell x; shell y; shell z",
            ),
            ("for a, b in [('x', 'y')]:\n  os.system(b + a)", "shell yx"),
            ("for i in range(2):\n  os.system('n' + i)", "shell n0; shell n1"),
            ("for i in range(3, 5):\n  os.system('n' + i)", "shell n3; shell n4"),
            (
                "[os.system(a + b) for a in 'xy' for b in '12']",
                "shell x1; shell x2; shell y1; shell y2",
            ),
            ("os.system(''.join(a for a in ['x', 'y']))", "shell xy"),
            ("def f(a, b='z'):\n  return a + 'y'\nos.system(f('x'))", "shell xy"),
            ("f = lambda a: a + 'y'\nos.system(f('x'))", "shell xy"),
            ("import os as o\no.system('x')", "shell x"),
            (
                "from os import system as s, remove\ns('x')\nremove('/y')",
                "shell x; delete /y",
            ),
            (
                "import os.path as p, shutil\nshutil.rmtree(p.join('/a', 'b'))",
                "delete /a/b",
            ),
            ("s = getattr(os, 'sys' + 'tem')\ns('x')", "shell x"),
            ("# os.system('x')\nos.system('y') # os.system('z')", "shell y"),
            ("exec(\"os.system('x')\")", "shell x"),
            ("os.environ['A'] = 'b'", "export A b"),
            ("os.putenv('A', 'b')", "export A b"),
            ("os.chdir('/a')", "enter /a"),
            ("subprocess.run(['a', 'b c'])", "start a b c"),
            ("subprocess.run('a b', shell=True)", "shell a b"),
            ("subprocess.run(args=['a', 'b'])", "start a b"),
            ("os.execl('/bin/rm', 'rm', '-r')", "start /bin/rm -r"),
            ("open('/a')", "read /a"),
            ("open('/a', 'w')", "write /a"),
            ("open('/a', mode='a')", "write /a"),
            ("open('/a', 'r+')", "write /a"),
            ("open('/a', 'rb').read()", "read /a"),
            ("with open('/a', 'w') as f:\n  f.write('x')", "write /a; write /a"),
            ("shutil.copy('/a', '/b')", "read /a; write /b"),
            ("Path('/a').write_text('x')", "write /a"),
            ("Path('/a').unlink()", "delete /a"),
        ],
    );
}

#[test]
fn perl() {
    do_all(
        "perl",
        &[
            ("system('a' . 'b');", "shell ab"),
            ("system('a' x 3);", "shell aaa"),
            ("system('a' . 7 x 3);", "shell a777"),
            ("my $x = 'b'; system(\"a$x-${x}c\");", "shell ab-bc"),
            ("my @x = ('a', 'b'); system(\"@x\");", "shell a b"),
            ("my @x = ('a', 'b'); system($x[1]);", "shell b"),
            ("system(q(a (b)));", "shell a (b)"),
            ("$x = 'c'; system(qq{a $x});", "shell a c"),
            ("system('a $x');", "shell a $x"),
            ("$x = 'a'; $x .= 'b'; system($x);", "shell ab"),
            ("`a b`", "shell a b"),
            ("qx(a b)", "shell a b"),
            ("system <<E;\na b\nE\nsystem('c')", "shell a b\n; shell c"),
            ("sub f { return $_[0] . 'b' } system(f('a'));", "shell ab"),
            ("for my $x ('a', 'b') { system($x) }", "shell a; shell b"),
            ("unlink '/a', '/b';", "delete /a; delete /b"),
            ("open(F, '>/a');", "write /a"),
            ("open(F, '>', '/a');", "write /a"),
            ("open(F, '</a');", "read /a"),
            ("open(F, 'a |');", "shell a"),
            ("open(F, '-|', 'a', 'b');", "start a b"),
            ("system(1 + 2 . 'a');", "shell 3a"),
        ],
    );
}

#[test]
fn ruby() {
    do_all(
        "ruby",
        &[
            ("x = 'b'; system(\"a#{x}\")", "shell ab"),
            ("system('a' + 'b')", "shell ab"),
            ("system('a' << 'b')", "shell ab"),
            ("system 'a', 'b'", "start a b"),
            ("system(%w[a b])", "shell a b"),
            ("system('ab' * 2)", "shell abab"),
            ("`a b`", "shell a b"),
            ("%x(a b)", "shell a b"),
            ("['a', 'b'].each { |x| system(x) }", "shell a; shell b"),
            (
                "['a', 'b'].each do |x|\n  system(x)\nend\nsystem('c')",
                "shell a; shell b; shell c",
            ),
            ("def f(x)\n  x + 'b'\nend\nsystem(f('a'))", "shell ab"),
            ("system('ba'.reverse)", "shell ab"),
            ("send(:system, 'a')", "shell a"),
            ("send()", ""),
            ("File.write('/a', 'x')", "write /a"),
            ("ENV['A'] = 'b'", "export A b"),
        ],
    );
}

#[test]
fn node() {
    do_all(
        "node",
        &[
            ("const x = 'b'; execSync(`a${x}`)", "shell ab"),
            ("execSync('a$x' + \"${x}\")", "shell a$x${x}"),
            ("const {execSync: e} = require('child_process'); e('a')", "shell a"),
            ("const [a, b] = ['x', 'y']; execSync(b)", "shell y"),
            ("const f = x => x + 'b'; execSync(f('a'))", "shell ab"),
            ("function f(x) { return x + 'b' } execSync(f('a'))", "shell ab"),
            ("execSync(true ? 'a' : 'b')", "shell b; shell a"),
            ("execSync(x ?? 'b')", "shell b"),
            ("for (const x of ['a', 'b']) { execSync(x) }", "shell a; shell b"),
            ("['a', 'b'].map(x => execSync(x))", "shell a; shell b"),
            ("execSync(['a', 'b'].join(' '))", "shell a b"),
            ("execSync('abc'.substr(1, 1))", "shell b"),
            ("/* execSync('a') */ execSync('b') // execSync('c')", "shell b"),
            ("spawnSync('a', ['b', 'c'])", "start a b c"),
            ("process.env.A = 'b'", ""),
            ("execSync(process.env.HOME)", "shell /home/ann"),
        ],
    );
}

#[test]
fn awk() {
    do_all(
        "awk",
        &[
            ("BEGIN { system(\"a\" \"b\") }", "shell ab"),
            ("BEGIN { x = \"b\"; system(\"a \" x) }", "shell a b"),
            ("BEGIN { \"a\" | getline x; system(x) }", "shell a; shell ?"),
            ("BEGIN { print \"a\" | \"sh\" }", "shell sh"),
            ("BEGIN { print \"a\" > \"/b\" }", "write /b"),
            ("BEGIN { print \"a\" >> \"/b\" }", "write /b"),
            ("{ system($1) }", "shell ?"),
            ("BEGIN { print 2 > 1 }", ""),
        ],
    );
}

#[test]
fn php() {
    do_all(
        "php",
        &[
            ("$x = 'b'; system(\"a$x\");", "shell ab"),
            ("system('a' . 'b');", "shell ab"),
            ("foreach (['a', 'b'] as $x) { system($x); }", "shell a; shell b"),
            ("foreach (['k' => 'a'] as $k => $v) { system($v); }", "shell a"),
        ],
    );
}

#[test]
fn lua() {
    do_all(
        "lua",
        &[
            ("os.execute('a' .. 'b')", "shell ab"),
            ("local x, y = 'a', 'b'\nos.execute(y .. x)", "shell ba"),
            ("os.execute([[a b]])", "shell a b"),
            ("-- os.execute('a')\nos.execute('b')", "shell b"),
            ("--[[ os.execute('a')\n]] os.execute('b')", "shell b"),
        ],
    );
}

#[test]
fn tcl() {
    do_all(
        "tcl",
        &[
            ("set x b; exec a$x c", "start ab c"),
            ("exec a [list b c]", "start a b c"),
            ("exec {a} c", "start a c"),
            ("# exec a\nexec b; exec c", "shell b; shell c"),
            ("exec \"a b\"", "shell a b"),
            ("if {1} { exec a }", "shell a"),
            ("exec a\\tb c", "start atb c"),
            ("foreach x {a b} { exec $x c }", "start a c"),
            ("eval exec a b", "start a b"),
            ("open |a", "shell a"),
            ("exec a | b", "shell a | b"),
        ],
    );
}

#[test]
fn languages_without_a_walker_of_their_own() {
    do_all(
        "other",
        &[("system($\"a b\")", "shell a b"), ("system(\"a\" + \"b\")", "shell ab")],
    );
    do_all(
        "java",
        &[("String x = \"a b\"; Runtime.getRuntime().exec(x);", "shell a b")],
    );
}

#[test]
fn names_are_found_in_their_lines() {
    let code = "a\nb = \"\"\"x\ny\"\"\"\n\n  c # d\ne";
    let toks = crate::lang::lexer::tokens(crate::lang::syntax::of("python"), code);
    let names: Vec<(String, u32)> = toks
        .into_iter()
        .filter_map(|token| match token.tok {
            crate::lang::lexer::Tok::Name(name) => Some((name, token.line)),
            _ => None,
        })
        .collect();
    let expected = [("a", 0), ("b", 1), ("c", 4), ("e", 5)].map(|(name, line)| (name.into(), line));
    assert_eq!(names, expected);
}
