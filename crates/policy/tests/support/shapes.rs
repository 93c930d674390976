//! Texts of 1 MiB, each long in another way, with a dangerous command at the end.

use std::fmt::Write;

/// As long as a text may be.
pub(crate) const LONGEST: usize = 1 << 20;
/// What stands at the end.
const END: &str = "\nrm -rf ~/\n";

/// Names a shape, and makes its text.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    head: &'static str,
    /// What is repeated; `@` is its number.
    piece: &'static str,
    tail: &'static str,
}

const fn shape(name: &'static str, head: &'static str, piece: &'static str, tail: &'static str) -> Shape {
    Shape {
        name,
        head,
        piece,
        tail,
    }
}

impl Shape {
    /// The text.
    pub(crate) fn text(&self) -> String {
        let mut text = String::with_capacity(LONGEST);
        text.push_str(self.head);
        let mut piece = String::new();
        for n in 0.. {
            piece.clear();
            for (i, part) in self.piece.split('@').enumerate() {
                if i > 0 {
                    write!(piece, "{n}").expect("a string takes everything");
                }
                piece.push_str(part);
            }
            if text.len() + piece.len() + self.tail.len() + END.len() > LONGEST {
                break;
            }
            text.push_str(&piece);
        }
        text + self.tail + END
    }
}

/// All of them.
pub(crate) const SHAPES: &[Shape] = &[
    shape("one word", "echo ", "a", ""),
    shape(
        "a quoted here-document",
        "cat > f <<'EOF'\n",
        "line # of $text\n",
        "\nEOF",
    ),
    shape("a here-document", "cat > f <<EOF\n", "line @ of text\n", "\nEOF"),
    shape(
        "a here-document with variables",
        "cat > f <<EOF\n",
        "line # of $x and more text\n",
        "\nEOF",
    ),
    shape("the same word", "echo", " w", ""),
    shape("words", "echo", " w@", ""),
    shape("files to remove", "rm -f", " file@", ""),
    shape("files to add", "git add", " src/m@/f.rs", ""),
    shape("files to copy", "cp", " f@", " dest"),
    shape("the same line", "", "echo x\n", ""),
    shape("lines", "", "echo @\n", ""),
    shape("true", "", "true;", ""),
    shape("a pipeline", "cat x", " | cat", ""),
    shape("a chain", "true", " && true", ""),
    shape("assignments", "", "x@=1\n", ""),
    shape("assignments in a line", "", "x@=1 ", ""),
    shape("assignments of one variable", "", "x=@;", ""),
    shape("quoted strings", "echo", " 'a b @' \"c\"", ""),
    shape("python", "python3 -c '", "print(@)\n", "'"),
    shape("the same substitution", "echo", " $(ls)", ""),
    shape("substitutions", "echo", " $(ls @)", ""),
    shape("substitutions in lines", "", "x=$(ls @)\n", ""),
    shape("a loop over words", "for x in", " w@", "; do echo $x; done"),
    shape("branches", "", "if [ -f x@ ]; then echo @; fi\n", ""),
    shape("a group", "{\n", "echo @\n", "}"),
    shape("a function", "f() {\n", "echo @\n", "}\nf"),
    shape("an array", "a=(", " w@", ")"),
    shape("variables", "echo", " $x", ""),
    shape("here-documents", "", "cat <<E\n@\nE\n", ""),
    shape("redirections", "", "echo x > f@\n", ""),
    shape("comments", "", "# nothing to do\n", ""),
    shape("pipelines", "", "cat f@ | grep x | sort -u\n", ""),
    shape("pipelines into files", "", "cat f@ | sed s/a/b/ > out@.txt\n", ""),
    shape(
        "functions",
        "",
        "f@() {\n  local name=$1\n  if [ -z \"$name\" ]; then\n    echo \"no name is given to f@\" >&2\n    return 1\n  fi\n  \
         mkdir -p \"out/$name\"\n  for file in src/*.c; do\n    cp \"$file\" \"out/$name/\" || return 2\n  done\n  \
         printf '%s has been copied\\n' \"$name\" | tee -a copy.log\n}\nf@ a@\n",
        "",
    ),
    shape("one quoted string", "echo \"", "a b $x c ", "\""),
    shape("a path", "cat a", "/b", ""),
    shape("paths", "cat", " src/a@/b/c.rs", ""),
    shape(
        "python in a here-document",
        "python3 - <<'E'\nimport os\n",
        "x@ = os.path.join('a', str(@))\n",
        "E",
    ),
    shape(
        "node in a here-document",
        "node - <<'E'\n",
        "const x@ = require('./a@').b(@);\n",
        "E",
    ),
    shape("perl", "perl -e '", "my $x@ = \"a@\"; print $x@;\n", "'"),
    shape("SQL", "psql <<'E'\n", "insert into t values (@, 'x');\n", "E"),
    shape("a filter", "sed '", "s/a@/b/;", "' f"),
    shape(
        "lines with several things",
        "",
        "mkdir -p d@ && cp -r \"$src/@\" d@/ || exit 1\n",
        "",
    ),
    shape("cases", "", "case $x in a@) echo @;; *) ls;; esac\n", ""),
    shape("loops", "", "for i in a b @; do echo $i > $i.txt; done\n", ""),
    shape("arrays", "", "a@=(x y @); echo ${a@[1]}\n", ""),
    shape("arithmetic", "", "n=$((n + @))\n", ""),
    shape("options of one program", "python3", " -m p@", ""),
    shape("wrappers", "", "sudo env A=@ nice -n 5 make x@\n", ""),
];
