//! Calls that compute, print, or stand for other calls.

use alloc::string::String;
use alloc::vec::Vec;

use super::calls::{Args, Site};
use super::value::{Val, concat};
use super::walk::{Walk, dotted};
use super::{pure, role_of};
use crate::Act;
use crate::eval::Labels;
use crate::facts::{Role, RoleKind};

impl Walk<'_> {
    pub(super) fn computed(&mut self, site: &Site<'_>, what: &str) -> Val {
        let all = site.all();
        let first = site.args.list.first();
        match what {
            "print" | "print-line" => self.prints(site, what == "print-line"),
            "environ" => match first.and_then(Val::known) {
                Some(name) => self.environment(&name, site.args.list.get(1)),
                None => Val::Thing(site.name.into(), Labels::ENVIRON),
            },
            "export" => {
                if let [name, value, ..] = site.args.list.as_slice() {
                    self.host.export(&name.known().unwrap_or_default(), &value.to_value());
                }
                Val::nothing()
            }
            "cwd" => {
                if let Some(dir) = site.args.texts().first() {
                    self.host.enter(&dir.to_value());
                }
                Val::nothing()
            }
            "require" => self.required(site),
            "getattr" => match (first, site.args.list.get(1).and_then(Val::known)) {
                (Some(thing), Some(name)) => self.at_key(&thing.clone(), &name),
                _ => Val::Thing(String::new(), site.labels()),
            },
            "apply" => self.applied(site),
            "input" => self.typed_in(site),
            "arguments" => Val::List(self.host.arguments().into_iter().map(Val::Text).collect()),
            "content" => self.content(site),
            "map" => Val::List(self.handed_on(site)),
            "drop" if site.receiver.is_some() => {
                self.host.act(Act::Do, "database.drop", site.name);
                Val::nothing()
            }
            "reverse-shell" => {
                self.host.act(Act::Do, "reverse.shell", site.name);
                Val::nothing()
            }
            "run-unknown" => {
                self.host.act(Act::RunUnknown, "", site.name);
                Val::nothing()
            }
            "home" => Val::text(self.host.home()),
            _ => {
                self.handed_on(site);
                let home = self.host.home();
                pure::run(what, &all, &home)
            }
        }
    }

    /// A line of the standard input, or of what the method is called on.
    fn typed_in(&mut self, site: &Site<'_>) -> Val {
        let value = match site.receiver {
            Some(own) if own.labels() != Labels::NONE => Val::unknown(own.labels()),
            _ => Val::Text(self.host.input()),
        };
        if matches!(self.lang, "ruby" | "perl") {
            self.bind("_", value.clone());
        }
        value
    }

    fn environment(&mut self, name: &str, otherwise: Option<&Val>) -> Val {
        let value = self.host.variable(name);
        match otherwise {
            Some(other) if value.has_unknown() && other.is_text() => other.clone(),
            _ => Val::Text(value),
        }
    }

    /// What is written to an open file.
    fn content(&mut self, site: &Site<'_>) -> Val {
        const APPEND: Role = Role {
            kind: RoleKind::Write,
            arg: "",
            tags: &["append"],
        };
        match (site.receiver, site.args.list.first()) {
            (Some(Val::File(path)), Some(text)) => {
                let (path, text) = (path.clone(), text.to_value());
                self.host.write(site.name, APPEND, &path, &text);
                Val::nothing()
            }
            (Some(Val::Thing(name, _)), _) if name.ends_with("stdout") => self.prints(site, false),
            _ => self.sent(
                site,
                Role {
                    kind: RoleKind::Send,
                    arg: "",
                    tags: &[],
                },
            ),
        }
    }

    fn required(&mut self, site: &Site<'_>) -> Val {
        match site.args.list.first().and_then(Val::known) {
            Some(module) => {
                self.host.load(&module);
                Val::Thing(super::imports::plain_module(&module), Labels::NONE)
            }
            None => Val::nothing(),
        }
    }

    /// `obj.send(:system, x)`, `call_user_func("system", x)`, `f.call(null, x)`, `f.apply(null, [x])`
    fn applied(&mut self, site: &Site<'_>) -> Val {
        let mut rest = site.args.list.clone();
        let own = match site.receiver {
            Some(Val::Function(i)) => Some(Val::Function(*i)),
            Some(Val::Thing(name, l)) if role_of(self.lang, name).is_some() => Some(Val::Thing(name.clone(), *l)),
            _ => None,
        };
        let callee = match own {
            Some(own) => own,
            None if rest.is_empty() => return Val::nothing(),
            None => match (rest.remove(0), site.receiver) {
                (Val::Text(v), Some(Val::Thing(head, _))) if v.known().is_some() => {
                    Val::Thing(dotted(head, v.known().unwrap_or_default()), Labels::NONE)
                }
                (Val::Text(v), _) if v.known().is_some() => {
                    Val::Thing(v.known().unwrap_or_default().into(), Labels::NONE)
                }
                (other, _) => other,
            },
        };
        let mut flat = Vec::new();
        rest.into_iter().for_each(|v| v.flat(&mut flat));
        self.call(&callee, Args::of(flat))
    }

    fn prints(&mut self, site: &Site<'_>, line: bool) -> Val {
        let Some(mut printed) = self.printed.take() else {
            return Val::nothing();
        };
        let mut all = site.args.list.clone();
        if matches!(all.first(), Some(Val::Thing(n, _)) if n.ends_with("STDERR") || n.ends_with("stderr")) {
            self.printed = Some(printed);
            return Val::nothing();
        }
        all.retain(|v| !matches!(v, Val::Thing(n, _) if n.chars().all(|c| c.is_ascii_uppercase())));
        let end = site.args.named(&["end"]).and_then(Val::known);
        let by = if self.syntax.sigils { "" } else { " " };
        for (i, one) in all.iter().enumerate() {
            if i > 0 {
                printed = concat(printed, &Val::text(by));
            }
            printed = concat(printed, &one.each(|v| Val::Text(v.to_value())));
        }
        let end = end.as_deref().unwrap_or(if line { "\n" } else { "" });
        printed = concat(printed, &Val::text(end));
        self.printed = Some(printed);
        Val::nothing()
    }
}
