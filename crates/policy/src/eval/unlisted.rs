//! Programs of which nothing is known: what their words point at.

use alloc::vec::Vec;

use shell::Span;

use super::{Eval, Labels, Stream, UNKNOWN, Value};
use crate::effect::Tags;
use crate::{Act, Answer, FileKind, Target, facts, places};

/// Words of such a program among which another program is looked for.
const MAX_WRAPPED: usize = 16;

impl Eval<'_> {
    /// The name of the program itself is not known.
    pub(super) fn unknown_command(&mut self, argv: &[Value], stdin: &Stream, piped: bool) -> Stream {
        let Some(name) = argv.first() else {
            return Stream::empty();
        };
        let mut tags = Tags::default();
        tags.add("command-name");
        if name.has_glob() && !name.has_unknown() {
            tags.add("command-glob");
        }
        name.labels.names().for_each(|l| tags.add(l));
        // All of a text for a shell is one variable: whatever it holds is run, words and all.
        let inside = self.chain.last().is_some_and(|c| c.ends_with("runs text"));
        if inside && argv.len() == 1 && name.prefix().is_empty() {
            tags.add("whole-command");
        }
        if piped {
            stdin
                .labels
                .names()
                .filter(|l| matches!(*l, "network" | "decoded"))
                .for_each(|l| tags.add(l));
        }
        for arg in argv.iter().skip(1) {
            self.hint(arg, &mut tags);
        }
        self.file_code("sh", name, "the command", stdin);
        let shown = name.pattern().replace(UNKNOWN, "…");
        self.effect(Act::RunUnknown, "", Target::Unknown(shown), tags, "", name.span);
        Stream::unknown(stdin.labels.with(Labels::PROGRAM))
    }

    /// What an argument of an unknown program points at.
    fn hint(&self, arg: &Value, tags: &mut Tags) {
        let text = arg.pattern();
        if text.starts_with('-') {
            let short = !text.starts_with("--");
            if short && text.contains(['r', 'R']) && text.contains('f') || text.starts_with("--recursive") {
                tags.add("recursive");
            }
            return;
        }
        if text.starts_with(['/', '~', '.'])
            && let Target::Path(path) = self.resolve(arg)
        {
            let mut found = Tags::default();
            self.label(&path, &mut found);
            for tag in ["root", "home", "system-dir", "credential"] {
                if found.has(tag) {
                    tags.add(match tag {
                        "credential" => "on-credential",
                        _ => "on-root-or-home",
                    });
                }
            }
        }
    }

    /// A program without facts. Naming a credential to it counts as reading it.
    pub(super) fn unlisted(&mut self, base: &str, argv: &[Value], stdin: &Stream, span: Span) -> Stream {
        self.effect(Act::Run, "", Target::Text(base.into()), Tags::default(), base, span);
        self.disturbed = true;
        self.found_in_path(base, argv, stdin);
        self.wrapped(argv, stdin, span);
        self.answers_for_a_person(base, argv, span);
        let fetched = |arg: &&Value| arg.prefix().starts_with("/dev/fd/") && arg.labels.has(Labels::NETWORK);
        if let Some(code) = argv.iter().skip(1).find(fetched) {
            // Nobody knows what the program does with a download that it gets as a file of its own.
            let mut tags = Tags::default();
            tags.add("network");
            let target = Target::Unknown("a download that is handed to a program".into());
            self.effect(Act::RunUnknown, "", target, tags, base, code.span);
        }
        let mut labels = stdin.labels.with(Labels::PROGRAM);
        let mut writes = false;
        for arg in argv.iter().skip(1) {
            if writes && !arg.prefix().starts_with('-') {
                let mut tags = Tags::default();
                tags.add("mentioned");
                self.path_effect(Act::Write, "", arg, tags, base);
            }
            writes = matches!(
                arg.known(),
                Some("-o" | "-O" | "-w" | "--output" | "--out" | "--outfile" | "--output-file" | "--write")
            );
            labels = labels.with(self.mention(arg, base));
            self.mention_own(arg, base);
        }
        self.works_in_own(base, span);
        Stream::unknown(labels)
    }

    /// A folder of our own that is named to a program of which nobody says that it only reads: it may do anything to it.
    pub(super) fn mention_own(&mut self, arg: &Value, program: &str) {
        let text = arg.pattern();
        let from = text.find(['/', '~', '.']).filter(|_| !text.contains([' ', '*', '\n']));
        let Some(from) = from.filter(|_| !text.contains("://")) else {
            return;
        };
        let path = arg.without_prefix(from);
        if matches!(self.resolve(&path), Target::Path(full) if self.is_own_folder(&full)) {
            let mut tags = Tags::default();
            tags.add("mentioned");
            self.path_effect(Act::Write, "", &path.at(arg.span), tags, program);
        }
    }

    /// The same for a program that is started in such a folder.
    pub(super) fn works_in_own(&mut self, program: &str, span: Span) {
        if self.state.cwd.as_deref().is_some_and(|cwd| self.is_own_folder(cwd)) {
            let mut tags = Tags::default();
            tags.add("mentioned");
            self.path_effect(Act::Write, "", &Value::text(".").at(span), tags, program);
        }
    }

    /// Whether a path lies in a folder of our own; our programs are files.
    fn is_own_folder(&self, path: &str) -> bool {
        let own = |dir: &&alloc::string::String| places::within(path, dir);
        let mut dirs = self.world.own_dirs().iter().filter(own);
        dirs.any(|dir| self.world.kind(dir) != Answer::Known(FileKind::File))
    }

    /// A program of which nothing is known may start what its words say: `wrap -n rm -rf ~`. It is taken for a wrapper where
    /// the words from there on are a shell with code, or a program that takes things away and a place that nobody names to
    /// another program.
    fn wrapped(&mut self, argv: &[Value], stdin: &Stream, span: Span) {
        let of_kind = |kind: &str, word: &Value| {
            let name = word.known().unwrap_or_default();
            facts::names::is_listed(kind, name.rsplit('/').next().unwrap_or_default())
        };
        let starts = |at: &usize| {
            let rest = argv.get(at + 1..).unwrap_or_default();
            let code = |word: &Value| word.prefix().starts_with('-') && word.prefix().ends_with('c');
            argv.get(*at).is_some_and(|word| {
                of_kind("shells", word) && rest.first().is_some_and(code)
                    || of_kind("takes-away", word) && rest.iter().any(|arg| self.points_at_all(arg))
            })
        };
        let first = (1..argv.len().min(MAX_WRAPPED)).find(starts);
        if let Some(words) = first.and_then(|at| argv.get(at..)) {
            self.chain.push("a program that nobody knows may run".into());
            self.external = true;
            self.subshell(|eval| eval.invoke(words, stdin.clone(), false, span));
            self.chain.pop();
        }
    }

    /// Whether a word names the root, a home or a folder of the system.
    fn points_at_all(&self, arg: &Value) -> bool {
        let mut tags = Tags::default();
        self.hint(arg, &mut tags);
        tags.has("on-root-or-home")
    }

    /// A copy of this program under another name, or a program that starts it, is known by what it is told to do.
    fn answers_for_a_person(&mut self, base: &str, argv: &[Value], span: Span) {
        let told = |pair: &[Value]| {
            let words: Vec<&str> = pair.iter().filter_map(Value::known).collect();
            facts::setting("answers", &words.join(" ")).is_some()
        };
        if argv.windows(2).any(told) {
            let target = Target::Text("approvals".into());
            self.effect(Act::Do, "self.command", target, Tags::default(), base, span);
        }
    }

    /// A program of the project that is found because the text put its folder into `PATH`.
    fn found_in_path(&mut self, base: &str, argv: &[Value], stdin: &Stream) {
        let Some(super::Var::Scalar(path)) = self.state.vars.get("PATH").cloned() else {
            return;
        };
        for folder in path.pattern().split(':').filter(|f| !f.contains(UNKNOWN)).take(8) {
            let folder = if folder.is_empty() { "." } else { folder };
            let file = Value::text(alloc::format!("{folder}/{base}"));
            let Target::Path(full) = self.resolve(&file) else {
                continue;
            };
            if self.world.kind(&full) == Answer::Known(FileKind::File) {
                let words: Vec<Value> = core::iter::once(file.at(argv.first().map_or(Span::default(), |a| a.span)))
                    .chain(argv.iter().skip(1).cloned())
                    .collect();
                self.local_program(&words, stdin);
                return;
            }
        }
    }

    /// The words of an option or operand whose meaning is not known: a credential in it is taken as read.
    pub(super) fn mention(&mut self, arg: &Value, program: &str) -> Labels {
        let text = arg.pattern();
        let path = match text.split_once('=') {
            Some((head, tail)) if head.starts_with('-') || !tail.is_empty() => {
                arg.without_prefix(text.len() - tail.len())
            }
            _ => arg.clone(),
        };
        let marks = ["@", "file://", "fileb://"];
        let mark = marks.iter().find(|m| path.prefix().starts_with(**m));
        let path = mark.map_or_else(|| path.clone(), |m| path.without_prefix(m.len()));
        // A quoted pattern is for the program to use, not a path.
        if path.known().is_some_and(|t| t.contains('*')) {
            return arg.labels;
        }
        if !path.prefix().contains('/') && !path.prefix().starts_with('.')
            || path.prefix().contains("://")
            || path.prefix().contains(' ')
        {
            return arg.labels;
        }
        let Target::Path(full) = self.resolve(&path) else {
            return arg.labels;
        };
        let mut tags = Tags::default();
        self.label(&full, &mut tags);
        if tags.has("credential") {
            let mut tags = Tags::default();
            tags.add("mentioned");
            self.path_effect(Act::Read, "", &path.at(arg.span), tags, program);
            return arg.labels.with(Labels::SECRET);
        }
        arg.labels
    }
}
