//! `read` and `mapfile`: what flows in becomes variables.

use alloc::vec::Vec;

use super::{Eval, Labels, Stream, Value, Var};

impl Eval<'_> {
    /// `read a b`, also `read 'a[$(x)]'`
    pub(super) fn read(&mut self, builtin: &str, args: &[Value], stdin: &Stream, piped: bool) {
        let mut names = Vec::new();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.known() {
                Some("-a") => names.extend(args.next().and_then(Value::known)),
                Some("-C") if builtin != "read" => {
                    if let Some(code) = args.next() {
                        self.code_here("sh", code, builtin, Stream::empty(), &[]);
                    }
                }
                Some("-p" | "-d" | "-n" | "-N" | "-t" | "-u" | "-i") if builtin == "read" => {
                    args.next();
                }
                Some("-d" | "-n" | "-O" | "-s" | "-u" | "-c") if builtin != "read" => {
                    args.next();
                }
                Some(name) if !name.starts_with('-') => names.push(name),
                _ => {}
            }
        }
        for name in &names {
            if let Some((_, inside)) = name.split_once('[') {
                self.subscript_text(inside);
            }
        }
        if names.is_empty() {
            names.push(if builtin == "read" { "REPLY" } else { "MAPFILE" });
        }
        let labels = if piped { stdin.labels } else { Labels::INPUT };
        self.spread(builtin, &names, stdin, labels);
    }

    fn spread(&mut self, builtin: &str, names: &[&str], stdin: &Stream, labels: Labels) {
        let Some(text) = stdin.text.as_deref().filter(|t| !t.is_empty()) else {
            let some = Stream {
                text: None,
                labels,
                file: stdin.file.clone(),
            };
            let some = super::expand::stream_value(some);
            for name in names {
                self.state.vars.insert(name, Var::Scalar(some.clone()));
            }
            return;
        };
        if builtin != "read" {
            let lines = text.lines().map(|l| Value::text(l).labelled(labels)).collect();
            if let Some(name) = names.first() {
                self.state.vars.insert(name, Var::Array(lines));
            }
            return;
        }
        let mut rest = text.lines().next().unwrap_or_default().trim();
        for (i, name) in names.iter().enumerate() {
            let (head, tail) = if i + 1 == names.len() {
                (rest, "")
            } else {
                rest.split_once(char::is_whitespace).unwrap_or((rest, ""))
            };
            self.set(name, Value::text(head).labelled(labels), false);
            rest = tail.trim_start();
        }
    }
}
