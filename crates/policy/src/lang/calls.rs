//! Calls: what the tables say of a name becomes effects.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::cursor::Cursor;
use super::either::{one_of, spread, spread_call};
use super::value::Val;
use super::walk::{MAX_ROUNDS, Walk, bare, dotted};
use super::{is_shell, role_of};
use crate::Act;
use crate::eval::{Labels, Value};
use crate::facts::{Role, RoleKind};

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Args {
    pub(super) list: Vec<Val>,
    pub(super) named: Vec<(String, Val)>,
}

impl Args {
    pub(super) fn of(list: Vec<Val>) -> Self {
        Self {
            list,
            named: Vec::new(),
        }
    }

    /// A named argument, or one of an object that holds options.
    pub(super) fn named(&self, names: &[&str]) -> Option<&Val> {
        let fits = |k: &String| names.contains(&k.as_str());
        let direct = self.named.iter().find(|(k, _)| fits(k));
        let inside = self.list.iter().find_map(|v| match v {
            Val::Map(all) => all.iter().find(|(k, _)| fits(k)),
            _ => None,
        });
        direct.or(inside).map(|(_, v)| v)
    }

    pub(super) fn labels(&self) -> Labels {
        let list = self.list.iter().fold(Labels::NONE, |l, v| l.with(v.labels()));
        self.named.iter().fold(list, |l, (_, v)| l.with(v.labels()))
    }

    /// The arguments that are text; lists are taken apart.
    pub(super) fn texts(&self) -> Vec<Val> {
        let mut flat = Vec::new();
        self.list.iter().for_each(|v| v.clone().flat(&mut flat));
        flat.retain(Val::is_text);
        flat
    }
}

/// A call with all that belongs to it.
pub(super) struct Site<'a> {
    pub(super) name: &'a str,
    pub(super) receiver: Option<&'a Val>,
    pub(super) args: &'a Args,
}

impl Site<'_> {
    /// What the method is called on, if that is a value, and the arguments.
    pub(super) fn all(&self) -> Vec<Val> {
        let own = self
            .receiver
            .filter(|v| !matches!(v, Val::Thing(n, l) if *l == Labels::NONE && !n.ends_with("()")));
        own.into_iter().chain(&self.args.list).cloned().collect()
    }

    pub(super) fn labels(&self) -> Labels {
        self.receiver.map_or(Labels::NONE, Val::labels).with(self.args.labels())
    }
}

impl Walk<'_> {
    pub(super) fn call(&mut self, callee: &Val, args: Args) -> Val {
        match callee {
            Val::Either(_) => callee.each(|one| self.call(one, args.clone())),
            Val::Function(index) => self.call_function(*index, &args.list),
            Val::Thing(name, labels) => {
                let owner = name.rsplit_once('.').map(|(head, _)| Val::Thing(head.into(), *labels));
                self.call_name(name, owner.as_ref(), &args)
            }
            other => match other.known() {
                Some(name) => self.call_name(&name, None, &args),
                None => Val::Thing(String::new(), other.labels().with(args.labels())),
            },
        }
    }

    pub(super) fn method(&mut self, receiver: Val, name: &str, args: Args) -> Val {
        match &receiver {
            Val::Either(_) => receiver.each(|one| self.method(one.clone(), name, args.clone())),
            Val::Thing(head, _) => {
                let full = dotted(head, name);
                match self.known.get(&full).cloned() {
                    Some(known @ (Val::Function(_) | Val::Either(_))) => self.call(&known, args),
                    _ => self.call_name(&full, Some(&receiver), &args),
                }
            }
            Val::Map(_) if matches!(self.member(&receiver, name).newest(), Val::Function(_)) => {
                let function = self.member(&receiver, name);
                self.call(&function, args)
            }
            _ => self.call_name(name, Some(&receiver), &args),
        }
    }

    fn call_name(&mut self, name: &str, receiver: Option<&Val>, args: &Args) -> Val {
        if !self.host.spend() {
            return Val::nothing();
        }
        args.list.iter().chain(receiver).for_each(|v| self.pay_value(v));
        let name = bare(name);
        let functions: Vec<Val> = match self.known.get(name) {
            Some(known) => known
                .alternatives()
                .iter()
                .filter(|v| matches!(v, Val::Function(_)))
                .cloned()
                .collect(),
            None => Vec::new(),
        };
        if !functions.is_empty() {
            return one_of(functions.iter().map(|f| self.call(f, args.clone())).collect());
        }
        let site = Site { name, receiver, args };
        match role_of(self.lang, name) {
            Some(role) => self.each_call(&site, role),
            None => match name.rsplit_once('.').and_then(|(_, own)| self.known.get(own).cloned()) {
                // A method of the code's own.
                Some(own @ Val::Function(_)) => self.call(&own, args.clone()),
                _ => self.other_call(&site),
            },
        }
    }

    /// A call with values that are one thing or another is one call for each way that they can be.
    fn each_call(&mut self, site: &Site<'_>, role: Role) -> Val {
        let whole = matches!(
            (role.kind, role.arg),
            (RoleKind::Tag, _) | (RoleKind::Value, "print" | "print-line" | "map" | "apply")
        );
        let ways = if whole {
            None
        } else {
            spread_call(site.receiver, site.args)
        };
        let Some(ways) = ways else {
            return self.known_call(site, role);
        };
        let mut out = Vec::new();
        for (receiver, args) in &ways {
            if !self.spend() || !self.host.spend() {
                break;
            }
            let site = Site {
                receiver: receiver.as_ref(),
                args,
                ..*site
            };
            out.push(self.known_call(&site, role));
        }
        one_of(out)
    }

    /// A function that nothing is known of: what it gives has the labels of what it got, and functions that it got are
    /// called.
    fn other_call(&mut self, site: &Site<'_>) -> Val {
        let given = self.handed_on(site);
        if !given.is_empty() {
            return Val::List(given);
        }
        let labels = site.labels();
        // What a file that was opened gives is what was in it.
        if let Some(text @ Val::Text(_)) = site.receiver {
            return Val::unknown(text.labels().with(labels));
        }
        Val::Thing(alloc::format!("{}()", site.name), labels)
    }

    /// `map(f, xs)`, `xs.forEach(f)`, `Thread(target=f, args=xs)`
    pub(super) fn handed_on(&mut self, site: &Site<'_>) -> Vec<Val> {
        let functions: Vec<Val> = site
            .args
            .list
            .iter()
            .chain(site.args.named.iter().map(|(_, v)| v))
            .flat_map(Val::alternatives)
            .filter(|v| match v {
                Val::Function(_) => true,
                Val::Thing(name, _) => {
                    role_of(self.lang, name).is_some_and(|r| r.kind != RoleKind::Value || r.arg == "chr")
                }
                _ => false,
            })
            .take(4)
            .cloned()
            .collect();
        if functions.is_empty() {
            return Vec::new();
        }
        let mut given: Vec<Val> = site.receiver.map(|r| r.elements(true)).unwrap_or_default();
        let texts = site.args.list.iter().chain(site.args.named.iter().map(|(_, v)| v));
        given.extend(
            texts
                .filter(|v| v.is_text() || matches!(v, Val::List(_)))
                .flat_map(|v| v.elements(true)),
        );
        let most = if given.iter().all(|v| v.known().is_some_and(|t| t.len() < 6)) {
            512
        } else {
            MAX_ROUNDS
        };
        given.truncate(most);
        let mut out = Vec::new();
        for function in functions {
            for one in &given {
                self.pay_value(one);
                out.push(self.call(&function, Args::of(alloc::vec![one.clone()])));
            }
        }
        out
    }

    fn known_call(&mut self, site: &Site<'_>, role: Role) -> Val {
        match role.kind {
            RoleKind::Tag => {
                role.tags.iter().for_each(|t| self.mark(t));
                self.handed_on(site);
                let far = role.tags.contains(&"socket") || role.tags.contains(&"network");
                let labels = if far {
                    site.labels().with(Labels::NETWORK)
                } else {
                    site.labels()
                };
                Val::Thing(alloc::format!("{}()", site.name), labels)
            }
            RoleKind::Value => self.computed(site, role.arg),
            RoleKind::Code => self.code(site, role),
            RoleKind::Script => self.command(site, role),
            RoleKind::Url => self.fetched(site, role),
            RoleKind::Send => self.sent(site, role),
            RoleKind::Read if role.arg == "mode" => self.opened(site, role),
            RoleKind::Read if role.arg == "third" => self.packed(site, role),
            // A read of what is open already.
            RoleKind::Read if site.receiver.is_some_and(Val::is_text) && role.arg != "receiver" => {
                site.receiver.cloned().unwrap_or_else(Val::nothing)
            }
            _ => self.on_paths(site, role),
        }
    }

    /// Roles that fall on paths: of the method's own object, or of the arguments.
    fn on_paths(&mut self, site: &Site<'_>, role: Role) -> Val {
        // What is copied goes elsewhere, and is not what the call gives.
        let arg = if role.arg == "to" { role.arg } else { "" };
        let plain = Role { arg, ..role };
        let own = site.receiver.filter(|v| role.arg == "receiver" && v.is_text());
        let mut texts = site.args.texts();
        let named = site
            .args
            .named(&["path", "src", "file", "filename", "name", "destination", "dst"]);
        if texts.is_empty() && own.is_none() {
            texts.extend(named.filter(|v| v.is_text()).cloned());
        }
        let several = matches!(role.kind, RoleKind::Delete | RoleKind::Move) && !matches!(role.arg, "to" | "receiver");
        let count = if several { MAX_ROUNDS } else { 1 };
        let (paths, rest): (Vec<Val>, Vec<Val>) = match own {
            Some(own) => (alloc::vec![own.clone()], texts),
            None => {
                let rest = texts.iter().skip(1).cloned().collect();
                (texts.into_iter().take(count).collect(), rest)
            }
        };
        let mut out = Val::nothing();
        for path in paths {
            let value = path.to_value();
            if role.kind == RoleKind::Write {
                let content = rest.first().map_or_else(|| Value::unknown(Labels::NONE), Val::to_value);
                self.host.write(site.name, plain, &value, &content);
            } else {
                out = Val::Text(self.host.role(site.name, plain, &value));
            }
        }
        if let (true, Some(target)) = (matches!(role.arg, "to"), rest.first()) {
            const WRITE: Role = Role {
                kind: RoleKind::Write,
                arg: "",
                tags: &[],
            };
            self.host.write(site.name, WRITE, &target.to_value(), &out.to_value());
        }
        self.handed_on(site);
        out
    }

    /// `make_archive(name, format, folder)`
    fn packed(&mut self, site: &Site<'_>, role: Role) -> Val {
        let folder = site
            .args
            .list
            .get(2)
            .or_else(|| site.args.named(&["root_dir", "base_dir"]));
        if let Some(folder) = folder.filter(|v| v.is_text()) {
            self.host.role(site.name, Role { arg: "", ..role }, &folder.to_value());
        }
        Val::nothing()
    }

    /// `open("x", "w")`, `open(F, ">x")`, `open(F, "cmd |")`, `open("|cmd")`
    fn opened(&mut self, site: &Site<'_>, role: Role) -> Val {
        let texts = site.args.texts();
        let own = site.receiver.filter(|v| v.is_text());
        let mut words = own.into_iter().chain(&texts);
        let Some(first) = words.next() else {
            return Val::Thing("open()".into(), site.labels());
        };
        let second = words.next();
        let named = site.args.named(&["mode", "flag"]).and_then(Val::known);
        let head = first.known().unwrap_or_default();
        let leading = matches!(
            head.trim().split(':').next(),
            Some("<" | ">" | ">>" | "+<" | "+>" | "-|" | "|-")
        ) && second.is_some();
        let (mode, path) = if leading {
            (
                head.trim().to_string(),
                second.map_or_else(Value::default, Val::to_value),
            )
        } else {
            (
                named.or_else(|| second.and_then(Val::known)).unwrap_or_default(),
                first.to_value(),
            )
        };
        if leading && matches!(mode.as_str(), "-|" | "|-") || !leading && self.is_pipe(&head) {
            let command = if leading {
                let words: Vec<Value> = texts.iter().skip(1).map(Val::to_value).collect();
                return match words.as_slice() {
                    [line] => self.shell(site.name, line, None),
                    words => self.start_words(site.name, words, None),
                };
            } else {
                Value::text(head.trim_matches(['|', ' ', '-']))
            };
            return self.shell(site.name, &command, None);
        }
        if self.syntax.sigils && (mode.contains('&') || head.contains('&')) {
            self.mark("duplicate");
        }
        let arrow = !leading && self.syntax.sigils && head.trim_start().starts_with('>');
        let path = if arrow {
            Value::text(head.trim_start_matches(['>', '+', ' ']))
        } else {
            path
        };
        let writes = arrow || (mode.len() <= 12 && mode.contains(['w', 'a', 'x', '+', '>']) && !mode.contains('/'));
        if !writes {
            let path = if self.syntax.sigils && !leading {
                trimmed(&path)
            } else {
                path
            };
            return Val::Text(self.host.role(site.name, Role { arg: "", ..role }, &path));
        }
        let append = mode.contains('a') || mode.contains(">>") || head.starts_with(">>");
        const WRITE: Role = Role {
            kind: RoleKind::Write,
            arg: "",
            tags: &[],
        };
        const APPEND: Role = Role {
            kind: RoleKind::Write,
            arg: "",
            tags: &["append"],
        };
        let role = if append { APPEND } else { WRITE };
        self.host.write(site.name, role, &path, &Value::default());
        Val::File(path)
    }

    fn is_pipe(&self, head: &str) -> bool {
        matches!(self.lang, "perl" | "ruby" | "tcl") && (head.trim_end().ends_with('|') || head.starts_with('|'))
    }

    /// Text that is run as code: in the same language by this very walker, so that it sees the same names.
    fn code(&mut self, site: &Site<'_>, role: Role) -> Val {
        // The last text is the body: `new Function("a", "b", "code")`.
        let texts = site.args.texts();
        let value = if role.arg == self.lang && site.name.ends_with("Function") {
            texts.last()
        } else {
            texts.first()
        };
        let Some(value) = value.cloned().or_else(|| site.args.list.first().cloned()) else {
            return Val::nothing();
        };
        if let Val::Function(index) = value {
            return self.call_function(index, &[]);
        }
        let text = value.to_value();
        self.hidden(site.name, &text);
        match text.known() {
            Some(code) if role.arg == self.lang => {
                let code = code.to_string();
                let value = self.deeper(Val::nothing(), |walk| {
                    let mut cur = Cursor::new(walk.syntax, &code);
                    walk.walk(&mut cur)
                });
                if matches!(value, Val::Thing(..) | Val::List(_)) || site.name.ends_with("compile") {
                    Val::text(code)
                } else {
                    value
                }
            }
            // A module or an object is no code.
            _ if matches!(value, Val::Thing(..)) && text.labels == Labels::NONE => value,
            _ => Val::Text(self.host.role(site.name, role, &text)),
        }
    }

    /// Code that was hidden is worth a look, even where it could be read: nobody hides what may be seen.
    pub(super) fn hidden(&mut self, name: &str, text: &Value) {
        if text.labels.has(Labels::DECODED) && !text.has_unknown() {
            self.host.act(Act::RunUnknown, "", name);
        }
    }

    /// A command: text for a shell, or the words of one.
    fn command(&mut self, site: &Site<'_>, role: Role) -> Val {
        let place = site
            .args
            .named(&["cwd", "dir", "chdir"])
            .map(Val::to_value)
            .map(|dir| self.host.enter(&dir));
        let input = site.args.named(&["input", "stdin_data"]).map(Val::to_value);
        let out = self.command_here(site, role, input.as_ref());
        if let Some(place) = place {
            self.host.leave(place);
        }
        self.handed_on(site);
        out
    }

    fn command_here(&mut self, site: &Site<'_>, role: Role, input: Option<&Value>) -> Val {
        let mut list = site.args.list.clone();
        if let Some(args @ Val::List(_)) = site.args.named(&["args"]).filter(|_| list.len() > 1) {
            list.push(args.clone());
        }
        if role.arg == "receiver" {
            list = site.receiver.cloned().into_iter().collect();
        }
        list.extend(
            site.args
                .named(&["args", "cmd", "command", "file"])
                .cloned()
                .filter(|_| site.args.list.is_empty()),
        );
        // What comes first is the command, known or not.
        let unknown = match list.iter().find(|v| !matches!(v, Val::Map(_))) {
            Some(Val::Thing(_, labels)) => Some(*labels),
            _ => None,
        };
        if let Some(labels) = unknown {
            return match labels == Labels::NONE {
                true => Val::unknown(Labels::PROGRAM),
                false => self.shell(site.name, &Value::unknown(labels), input),
            };
        }
        let listed = matches!(list.iter().find(|v| !matches!(v, Val::Map(_))), Some(Val::List(_)));
        let mut words: Vec<Value> = Vec::new();
        for value in list.iter().filter(|v| v.is_text() || matches!(v, Val::List(_))) {
            let mut flat = Vec::new();
            value.clone().flat(&mut flat);
            words.extend(flat.iter().map(Val::to_value));
        }
        let Some(first) = words.first().cloned() else {
            return Val::unknown(Labels::PROGRAM);
        };
        let single = words.len() == 1 && !listed;
        let one_word = !first.prefix().contains(' ') && !first.pattern().contains(' ');
        if single || !(listed || one_word) {
            return self.shell(site.name, &first, input);
        }
        // `execl("/bin/rm", "rm", "-rf")` names the program twice.
        let again = |w: &Value| {
            let (a, b) = (first.pattern(), w.pattern());
            a == b || a.ends_with(&alloc::format!("/{b}")) || b.ends_with(&alloc::format!("/{a}"))
        };
        if words.get(1).is_some_and(again) {
            words.remove(1);
        }
        self.start_words(site.name, &words, input)
    }

    fn start_words(&mut self, name: &str, words: &[Value], input: Option<&Value>) -> Val {
        if is_shell(words) {
            self.mark("shell");
        }
        self.descriptor(words);
        Val::Text(self.host.start(name, words, input))
    }

    /// A program that is no file but an open descriptor.
    fn descriptor(&mut self, words: &[Value]) {
        let program = words.first().map(Value::pattern).unwrap_or_default();
        if program.starts_with("/proc/") && program.contains("/fd/") {
            self.mark("descriptor");
        }
    }

    /// Text for a shell, in each way that it can be.
    pub(super) fn shells(&mut self, name: &str, text: &Val, input: Option<&Val>) -> Val {
        let input = input.map(Val::to_value);
        let all = spread(core::slice::from_ref(text)).unwrap_or_else(|| alloc::vec![alloc::vec![text.clone()]]);
        let texts = all.into_iter().flatten();
        one_of(
            texts
                .map(|text| self.shell(name, &text.to_value(), input.as_ref()))
                .collect(),
        )
    }

    pub(super) fn shell(&mut self, name: &str, text: &Value, input: Option<&Value>) -> Val {
        self.hidden(name, text);
        let words: Vec<Value> = text.pattern().split_whitespace().map(Value::text).collect();
        self.descriptor(&words);
        if is_shell(&words) {
            self.mark("shell");
        }
        Val::Text(self.host.shell(name, text, input))
    }

    /// `requests.post(url, data=open(f))`, `fetch(url, {body})`: the address, and what is sent there.
    fn fetched(&mut self, site: &Site<'_>, role: Role) -> Val {
        let texts = site.args.texts();
        let named = site.args.named(&["url", "uri", "host"]).cloned();
        let looks_like = |v: &&Val| v.to_value().prefix().contains("://") || v.to_value().has_unknown();
        let url = texts.iter().find(looks_like).cloned().or(named);
        let labels = site.labels();
        let url = match url {
            Some(url) => url,
            // Without an address it is another function of that name.
            None if role.arg == "any" && labels == Labels::NONE => return self.other_call(site),
            None => Val::unknown(labels),
        };
        let plain = Role { arg: "", ..role };
        let mut value = url.to_value();
        value.labels = value.labels.with(labels);
        let out = self.host.role(site.name, plain, &value);
        if role.arg == "to"
            && let Some(target) = texts.get(1)
        {
            const WRITE: Role = Role {
                kind: RoleKind::Write,
                arg: "",
                tags: &["download"],
            };
            self.host.write(site.name, WRITE, &target.to_value(), &out);
        }
        self.handed_on_with(site, &Val::Text(out.clone()));
        Val::Text(out)
    }

    /// Functions among the arguments get what was fetched.
    fn handed_on_with(&mut self, site: &Site<'_>, value: &Val) {
        let functions: Vec<Val> = site
            .args
            .list
            .iter()
            .flat_map(Val::alternatives)
            .filter(|v| matches!(v, Val::Function(_)))
            .cloned()
            .collect();
        for function in functions.iter().take(4) {
            self.call(function, Args::of(alloc::vec![value.clone()]));
        }
    }

    /// What is sent matters when it holds a secret.
    pub(super) fn sent(&mut self, site: &Site<'_>, role: Role) -> Val {
        let labels = site.args.labels();
        if labels.has(Labels::SECRET.with(Labels::ENVIRON).with(Labels::SECRET_VARIABLE)) {
            self.host.role(site.name, role, &Value::unknown(labels));
        }
        self.handed_on(site);
        Val::Thing(alloc::format!("{}()", site.name), site.labels())
    }
}

fn trimmed(value: &Value) -> Value {
    match value.known() {
        Some(text) => Value::text(text.trim_start_matches(['<', ' '])).labelled(value.labels),
        None => value.clone(),
    }
}
