//! Calls are found with what they fall on, and no text makes the walker fail.

mod lines;
mod values;

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Host;
use crate::Act;
use crate::eval::{Labels, Value};
use crate::facts::Role;

/// Writes down what it is asked for.
#[derive(Default)]
struct Heard(Vec<String>);

impl Heard {
    fn hear(&mut self, what: &str, value: &Value) -> Value {
        self.0
            .push(alloc::format!("{what} {}", value.pattern().replace('\u{e000}', "?")));
        Value::unknown(Labels::NONE)
    }
}

impl Host for Heard {
    fn home(&self) -> String {
        "/home/ann".into()
    }
    fn variable(&mut self, name: &str) -> Value {
        match name {
            "HOME" => Value::text("/home/ann"),
            _ => Value::unknown(Labels::VARIABLE),
        }
    }
    fn export(&mut self, name: &str, value: &Value) {
        self.hear(&alloc::format!("export {name}"), value);
    }
    fn arguments(&mut self) -> Vec<Value> {
        Vec::new()
    }
    fn input(&mut self) -> Value {
        Value::unknown(Labels::INPUT)
    }
    fn spend(&mut self) -> bool {
        true
    }
    fn enter(&mut self, dir: &Value) -> Option<String> {
        self.hear("enter", dir);
        None
    }
    fn leave(&mut self, _: Option<String>) {}
    fn shell(&mut self, _: &str, text: &Value, _: Option<&Value>) -> Value {
        self.hear("shell", text)
    }
    fn start(&mut self, _: &str, words: &[Value], _: Option<&Value>) -> Value {
        let line: Vec<String> = words.iter().map(|w| w.pattern().into_owned()).collect();
        self.hear("start", &Value::text(line.join(" ")))
    }
    fn role(&mut self, _: &str, role: Role, value: &Value) -> Value {
        self.hear(&alloc::format!("{:?}", role.kind).to_lowercase(), value)
    }
    fn write(&mut self, _: &str, _: Role, path: &Value, content: &Value) {
        self.hear("write", path);
        let _ = content.known().map(ToString::to_string);
    }
    fn act(&mut self, _: Act, what: &'static str, _: &str) {
        self.hear("act", &Value::text(what));
    }
}

fn heard(lang: &str, code: &str) -> Vec<String> {
    let mut host = Heard::default();
    super::run(lang, code, &mut host);
    host.0
}

#[test]
fn finds_calls_with_what_they_fall_on() {
    let mut missing = Vec::new();
    for (lang, code, expected) in [
        ("python", "import os; os.system('rm -rf /')", "shell rm -rf /"),
        (
            "python",
            "import subprocess as s\ns.run(['rm', '-rf', '/x'])",
            "start rm -rf /x",
        ),
        ("python", "c = 'rm -r a'\nos.system(c)", "shell rm -r a"),
        ("python", "from shutil import rmtree as r; r('/x')", "delete /x"),
        ("python", "getattr(__import__('o'+'s'), 'sys'+'tem')('id')", "shell id"),
        (
            "python",
            "import os\nfor d, _, fs in os.walk('/a'):\n  for f in fs:\n    os.remove(os.path.join(d, f))\n",
            "delete /a/*",
        ),
        (
            "python",
            "[os.remove(os.path.join(d,f)) for d,_,fs in os.walk(os.environ['HOME']) for f in fs]",
            "delete /home/ann/*",
        ),
        (
            "python",
            "exec(bytes.fromhex('6f732e73797374656d2827696427 29').decode())",
            "shell id",
        ),
        (
            "python",
            "os.system(''.join(chr(ord(c)-1) for c in 'sn!b'))",
            "shell rm a",
        ),
        ("python", "os.system('%s -rf %s' % ('rm', '/x'))", "shell rm -rf /x"),
        ("python", "a='x'; os.system(f'rm {a}')", "shell rm x"),
        ("python", "os.system('a mr'[::-1])", "shell rm a"),
        ("python", "def go(p):\n    os.remove(p)\n\ngo('/x')\n", "delete /x"),
        (
            "python",
            "from pathlib import Path\n(Path.home() / '.x').unlink()",
            "delete /home/ann/.x",
        ),
        ("python", "with open('/x', 'w') as f:\n  f.write('a')", "write /x"),
        (
            "node",
            "require('child_process').execSync(\"rm -rf ~\")",
            "shell rm -rf ~",
        ),
        ("node", "const {rmSync: r} = require('fs'); r('/x')", "delete /x"),
        (
            "node",
            "import {execSync as e} from 'child_process'; e(`rm ${'a'}`)",
            "shell rm a",
        ),
        (
            "node",
            "require('fs').rmSync(require('os').homedir(), {recursive: true})",
            "delete /home/ann",
        ),
        (
            "node",
            "eval(atob('cmVxdWlyZSgnY2hpbGRfcHJvY2VzcycpLmV4ZWMoJ2lkJyk='))",
            "shell id",
        ),
        (
            "node",
            "const cp = require('child_process'); cp['ex' + 'ec']('id')",
            "shell id",
        ),
        ("node", "['/a', '/b'].forEach(f => fs.unlinkSync(f))", "delete /b"),
        (
            "node",
            "require('child_process').spawn('rm', ['-rf', '/x'], {stdio: 'inherit'})",
            "start rm -rf /x",
        ),
        ("perl", "system \"rm -rf /\";", "shell rm -rf /"),
        ("perl", "my @c = ('rm', '-rf', '/x'); system(@c)", "start rm -rf /x"),
        ("perl", "unlink glob(\"$ENV{HOME}/*\")", "delete /home/ann/*"),
        ("perl", "$x = pack('H*', '6964'); system($x)", "shell id"),
        ("ruby", "`rm -rf ~`", "shell rm -rf ~"),
        ("ruby", "exec %q(rm -rf ~)", "shell rm -rf ~"),
        ("ruby", "Dir.glob('/a/*').each { |f| File.delete(f) }", "delete /a/*"),
        ("ruby", "Kernel.send(:system, 'id')", "shell id"),
        ("php", "$f = 'sys'.'tem'; $f('id');", "shell id"),
        ("lua", "os['exec'..'ute']('id')", "shell id"),
        ("awk", "BEGIN { system(\"ls\") }", "shell ls"),
        ("awk", "BEGIN { print \"x\" | \"sh\" }", "shell sh"),
        (
            "awk",
            "BEGIN { c = \"rm\"; system(c \" -rf \" \"x\") }",
            "shell rm -rf x",
        ),
        ("tcl", "set c rm; exec $c -rf /x", "start rm -rf /x"),
        ("lisp", "(delete-directory \"/x\" t)", "delete /x"),
    ] {
        let all = heard(lang, code);
        if !all.iter().any(|l| l == expected) {
            missing.push(alloc::format!("{lang}: {code}: {all:?}"));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

const LANGUAGES: &[&str] = &[
    "python",
    "node",
    "perl",
    "ruby",
    "php",
    "lua",
    "awk",
    "tcl",
    "lisp",
    "go",
    "c",
    "java",
    "rust",
    "julia",
    "r",
    "elixir",
    "applescript",
    "other",
];

/// Pieces of code.
const PIECES: &[&str] = &[
    "import",
    "from",
    "os",
    ".",
    "system",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "'",
    "\"",
    "`",
    "$",
    "@",
    "%",
    "#",
    "\\",
    "\n",
    " ",
    ";",
    ":",
    "::",
    "=",
    "=>",
    "->",
    "|",
    "def",
    "f",
    "for",
    "x",
    "in",
    "while",
    "do",
    "end",
    "lambda",
    "q",
    "qx",
    "s",
    "tr",
    "/",
    "<<EOF",
    "EOF",
    "eval",
    "exec",
    "open",
    "'w'",
    "print",
    "1",
    "-1",
    "[::-1]",
    "*",
    "+",
    "..",
    "chr",
    "\u{e9}",
    "if",
    "else",
    "return",
    "function",
    "sub",
    "new",
    "await",
    "'rm -rf /'",
    "b64decode",
    "unlink",
    "glob",
    "f'{x}'",
    "${x}",
    "#{x}",
    "(1, 2)",
    "map",
    "join",
    "'%s %c'",
    "%w(",
    "<STDIN>",
    "[[",
    "]]",
    "--",
    "//",
    "/*",
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(512))]

    #[test]
    fn no_code_makes_the_walker_fail(
        lang in proptest::sample::select(LANGUAGES),
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..60),
    ) {
        heard(lang, &pieces.concat());
        heard(lang, &pieces.join(" "));
    }

    #[test]
    fn no_bytes_make_the_walker_fail(lang in proptest::sample::select(LANGUAGES), code in ".{0,200}") {
        heard(lang, &code);
    }
}

#[test]
fn long_code_ends() {
    for lang in LANGUAGES {
        for piece in [
            "(",
            "[",
            "{",
            "f(",
            "a.b(",
            "'",
            "x=x+x;",
            "for x in y: ",
            "lambda: ",
            "`",
            "s{",
            "<<A\n",
            "x+",
            "if(",
        ] {
            heard(lang, &piece.repeat(20_000));
        }
        heard(lang, "x = 'aa'; x = x + x; ".repeat(500).as_str());
        heard(lang, "def f(a): f(a); f(a)\nf(1)\n".repeat(200).as_str());
        heard(
            lang,
            "for i in range(500):\n for j in range(500):\n  for k in range(500):\n   f(i)\n",
        );
    }
}
