//! The tree of a script as indented lines.

use shell::{Command, Form, Joint, Part, Pipeline, Redirect, Script, Span, Word};

use crate::view;

/// Deeper parts are not shown.
const DEEPEST: usize = 24;
/// A tree of more lines is cut.
const MOST: usize = 400;
/// How much of the text is quoted on a line.
const WIDEST: usize = 100;

/// The lines of the tree of `text`.
pub(crate) fn lines(text: &str) -> Vec<String> {
    let mut tree = Tree {
        text,
        lines: Vec::new(),
    };
    tree.script(&shell::parse(text), 0);
    tree.lines
}

struct Tree<'a> {
    text: &'a str,
    lines: Vec<String>,
}

impl Tree<'_> {
    fn line(&mut self, depth: usize, line: &str) {
        if self.lines.len() < MOST && depth <= DEEPEST {
            self.lines.push(format!("{}{}", "  ".repeat(depth), view::safe(line)));
        }
    }

    /// The text of a span on one line.
    fn quote(&self, span: Span) -> String {
        let (start, end) = (usize::try_from(span.start), usize::try_from(span.end));
        let part = start
            .ok()
            .zip(end.ok())
            .and_then(|(start, end)| self.text.get(start..end))
            .unwrap_or_default();
        format!(
            "`{}`",
            view::head(&part.split_whitespace().collect::<Vec<_>>().join(" "), WIDEST)
        )
    }

    fn script(&mut self, script: &Script, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        for item in &script.items {
            self.pipeline(
                &item.chain.first,
                if item.background { "in the background: " } else { "" },
                depth,
            );
            for (joint, pipeline) in &item.chain.rest {
                let joint = match joint {
                    Joint::And => "and then: ",
                    Joint::Or => "or else: ",
                };
                self.pipeline(pipeline, joint, depth);
            }
        }
        for fault in &script.faults {
            let line = format!("could not be read ({:?}): {}", fault.kind, self.quote(fault.span));
            self.line(depth, &line);
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline, label: &str, depth: usize) {
        match pipeline.stages.as_slice() {
            [only] => self.command(only, label, depth),
            stages => {
                self.line(depth, &format!("{label}pipe"));
                stages.iter().for_each(|stage| self.command(stage, "", depth + 1));
            }
        }
    }

    fn command(&mut self, command: &Command, label: &str, depth: usize) {
        let name = match &command.form {
            Form::Simple { words, .. } if words.is_empty() => "assign",
            Form::Simple { .. } => "command",
            Form::Subshell(_) => "subshell",
            Form::Group(_) => "group",
            Form::If { .. } => "if",
            Form::Loop { until: true, .. } => "until",
            Form::Loop { .. } => "while",
            Form::For { select: true, .. } => "select",
            Form::For { .. } | Form::ForArith { .. } => "for",
            Form::Case { .. } => "case",
            Form::Test(_) => "test",
            Form::Arith(_) => "arithmetic",
            Form::Function { .. } => "function",
            Form::Coproc(_) => "coprocess",
            Form::More(_) => "more",
        };
        let line = format!("{label}{name} {}", self.quote(command.span));
        self.line(depth, &line);
        self.inside(&command.form, depth + 1);
        command
            .redirects
            .iter()
            .for_each(|redirect| self.redirect(redirect, depth + 1));
    }

    /// What is nested in a form.
    fn inside(&mut self, form: &Form, depth: usize) {
        match form {
            Form::Simple { assigns, words } => {
                assigns.iter().for_each(|assign| self.word(&assign.value, depth));
                words.iter().for_each(|word| self.word(word, depth));
            }
            Form::Subshell(script) | Form::Group(script) => self.script(script, depth),
            Form::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.script(condition, depth);
                    self.script(body, depth + 1);
                }
                otherwise.iter().for_each(|body| self.script(body, depth + 1));
            }
            Form::Loop { condition, body, .. } => {
                self.script(condition, depth);
                self.script(body, depth + 1);
            }
            Form::For { words, body, .. } => {
                words.iter().flatten().for_each(|word| self.word(word, depth));
                self.script(body, depth);
            }
            Form::ForArith { body, .. } => self.script(body, depth),
            Form::Case { subject, arms } => {
                self.word(subject, depth);
                arms.iter().for_each(|arm| self.script(&arm.body, depth));
            }
            Form::Test(words) => words.iter().for_each(|word| self.word(word, depth)),
            Form::Arith(arith) => self.parts(&arith.parts, depth),
            Form::Function { body, .. } => self.command(body, "", depth),
            Form::Coproc(command) => self.command(command, "", depth),
            Form::More(_) => {}
        }
    }

    fn redirect(&mut self, redirect: &Redirect, depth: usize) {
        let line = format!("redirect {}", self.quote(redirect.span));
        self.line(depth, &line);
        self.word(&redirect.target, depth + 1);
    }

    fn word(&mut self, word: &Word, depth: usize) {
        self.parts(&word.parts, depth);
    }

    /// Only what runs in a word is worth a line.
    fn parts(&mut self, parts: &[Part], depth: usize) {
        for part in parts {
            match part {
                Part::Lit(_) | Part::Quoted(_) | Part::Param(_) | Part::Words(_) => {}
                Part::Double(inner) => self.parts(inner, depth),
                Part::Arith(arith) => self.parts(&arith.parts, depth),
                Part::Array(words) => words.iter().for_each(|word| self.word(word, depth)),
                Part::Command(script) => {
                    self.line(depth, "substitution");
                    self.script(script, depth + 1);
                }
                Part::Process { script, .. } => {
                    self.line(depth, "process substitution");
                    self.script(script, depth + 1);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_shown_as_a_tree() {
        assert_eq!(
            lines("cd x && curl $(cat u) | sh > out; if a; then b; fi"),
            [
                "command `cd x`",
                "and then: pipe",
                "  command `curl $(cat u)`",
                "    substitution",
                "      command `cat u`",
                "  command `sh > out`",
                "    redirect `> out`",
                "if `if a; then b; fi`",
                "  command `a`",
                "    command `b`",
            ]
        );
        assert!(lines("echo 'x").iter().any(|line| line.contains("could not be read")));
        assert!(lines(&"$(".repeat(5000)).len() <= MOST);
    }
}
