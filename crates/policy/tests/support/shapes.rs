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
];
