//! What a word is to a program becomes an effect.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::effects::Mark;
use super::{Args, Eval, Labels, Stream, UNKNOWN, Value, Var};
use crate::effect::Tags;
use crate::facts::{Role, RoleKind, setting};
use crate::{Act, Target};

/// The call that a word belongs to.
pub(super) struct Context<'c> {
    pub(super) program: &'c str,
    /// Labels from options.
    pub(super) tags: Tags,
    pub(super) stdin: Stream,
    pub(super) piped: bool,
    /// The last operand names another machine.
    pub(super) remote_target: bool,
    /// The program only looks at the text of its words (`echo`, `[`).
    pub(super) plain: bool,
    /// The facts say of the program that it only reads.
    pub(super) reads: bool,
    /// The folder that the call puts things into.
    pub(super) into: Option<Value>,
}

impl<'c> Context<'c> {
    pub(super) fn new(program: &'c str, tags: Tags, stdin: Stream, piped: bool) -> Self {
        Self {
            program,
            tags,
            stdin,
            piped,
            remote_target: false,
            plain: false,
            reads: false,
            into: None,
        }
    }
}

/// `host:path`, `user@host:path`, `rsync://host/path`, `remote:path` of a cloud copier.
pub(super) fn is_remote(value: &Value) -> bool {
    let text = value.pattern();
    if text.contains("://") {
        return !text.starts_with("file:");
    }
    match text.split_once(':') {
        Some((host, _)) => !host.is_empty() && !host.contains('/'),
        None => false,
    }
}

/// The name that something on another machine, or in a container, has there.
pub(super) fn remote_name(value: &Value) -> Option<String> {
    let text = value.pattern();
    let path = text.split_once(':').map_or(text.as_ref(), |(_, path)| path);
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    (!matches!(name, "" | "." | "..") && !name.contains([UNKNOWN, '*', '?'])).then(|| name.to_string())
}

impl Eval<'_> {
    /// Carries a role out, and gives the labels of what is read by it. `rest` are the operands that follow.
    pub(super) fn role(&mut self, role: Role, value: &Value, context: &Context, rest: &Args) -> Labels {
        let mut tags = context.tags.clone();
        role.tags.iter().for_each(|t| tags.add(t));
        let program = context.program;
        match role.kind {
            RoleKind::Name if role.tags.contains(&"database") => {
                self.enter_database(value);
                Labels::NONE
            }
            RoleKind::Name if role.arg.starts_with("package-") => {
                let registry = role.arg.trim_start_matches("package-");
                self.package(registry, value, context)
            }
            RoleKind::Flag
            | RoleKind::Tag
            | RoleKind::Stat
            | RoleKind::Command
            | RoleKind::ScriptWords
            | RoleKind::CommandUntil
            | RoleKind::Cwd
            | RoleKind::Name => Labels::NONE,
            // A credential that is named is taken as read, whatever the program does with it (spec V-2809).
            RoleKind::Value if !context.plain => {
                if tags.has("over") {
                    self.path_effect(Act::Do, "mount.over", value, tags, program);
                } else if !context.reads {
                    self.mention_own(value, program);
                }
                self.mention(value, program)
            }
            RoleKind::Value => value.labels,
            RoleKind::Read if tags.has("hard-link") => self.linked_hard(value, tags, program).labels,
            RoleKind::Read => self.read_with(value, tags, program).labels,
            RoleKind::Write => {
                let labels = self.act_path(Act::Write, value, tags.clone(), program);
                if tags.has("content") {
                    self.remember_written(value, context.stdin.clone(), tags.has("append"));
                }
                labels
            }
            // `rd /s /q x`: what stands behind a slash is no path here.
            RoleKind::Delete if role.arg == "switches" && is_switch(value) => Labels::NONE,
            RoleKind::Delete => self.act_path(Act::Delete, value, tags, program),
            RoleKind::Permit => self.act_path(Act::Permit, value, tags, program),
            RoleKind::Move => {
                tags.add("moved");
                let labels = self.read_with(value, tags.clone(), program).labels;
                self.act_path(Act::Delete, value, tags, program).with(labels)
            }
            RoleKind::Send => self.send(value, tags, context),
            RoleKind::Upload => self.upload(role.arg, value, tags, context),
            RoleKind::SendFile => self.send_file(value, tags, context),
            RoleKind::Url => {
                if role.arg == "save" {
                    self.save_remote_name(value, context);
                }
                self.url(value, tags, context)
            }
            RoleKind::Host => self.host(value, tags, program),
            RoleKind::Remote => self.remote(role.arg, value, tags, context),
            // Such a text may run later, or never.
            RoleKind::Script => self.helper(value, |eval| {
                let stdin = Stream::unknown(Labels::INPUT);
                eval.perhaps(None, |eval| eval.code_value("sh", value, program, stdin, role.tags));
            }),
            RoleKind::Words => {
                self.words(role.arg, value, rest, context);
                Labels::NONE
            }
            RoleKind::RunFile => {
                self.run_operand(role, value, context, rest);
                Labels::NONE
            }
            RoleKind::RunProgram => self.helper(value, |eval| {
                eval.chain.push(alloc::format!("{program} starts"));
                eval.invoke(core::slice::from_ref(value), Stream::empty(), false, value.span);
                eval.chain.pop();
            }),
            RoleKind::Code => {
                self.code_operand(role, value, context, rest);
                Labels::NONE
            }
            RoleKind::Keyed => self.keyed(role.arg, value, context),
            RoleKind::Env => {
                self.env_pair(value);
                Labels::NONE
            }
        }
    }

    /// What a program is made to start by one of its words or settings. A whole command is judged as one, whoever runs it.
    fn helper(&mut self, value: &Value, start: impl FnOnce(&mut Self)) -> Labels {
        let marks = self.marks.len();
        if value.prefix().starts_with('/') {
            self.marks.push(Mark {
                only: Some(Act::Run),
                ..Mark::all("helper")
            });
        }
        start(self);
        self.marks.truncate(marks);
        Labels::NONE
    }

    fn act_path(&mut self, act: Act, value: &Value, tags: Tags, program: &str) -> Labels {
        if value.known() == Some("-") && act == Act::Write {
            return Labels::NONE;
        }
        let (fetched, tags_built) = (tags.has("download"), tags.has("built"));
        self.path_effect(act, "", value, tags, program);
        if act == Act::Write {
            let labels = match (fetched, tags_built) {
                (true, _) => Labels::NETWORK,
                (_, true) => Labels::BUILT,
                _ => Labels::PROGRAM,
            };
            self.remember_written(value, Stream::unknown(labels), false);
        }
        Labels::NONE
    }

    /// Reads a file: what was written to it in the same text, else unknown text with its labels.
    pub(super) fn read_file(&mut self, value: &Value, program: &str) -> Stream {
        self.read_with(value, Tags::default(), program)
    }

    fn read_with(&mut self, value: &Value, tags: Tags, program: &str) -> Stream {
        if matches!(value.known(), Some("-" | "/dev/stdin" | "")) {
            return Stream::unknown(value.labels);
        }
        if let Some(stream) = self.written_to(value) {
            if !value.pattern().starts_with("/dev/fd/") {
                self.path_effect(Act::Read, "", value, tags, program);
            }
            return stream;
        }
        let tags = self.path_effect(Act::Read, "", value, tags, program);
        let secret = ["credential", "sendable-not", "secret-dir"].iter().any(|t| tags.has(t));
        let file = if secret { None } else { self.file_of(value) };
        let environ = value.pattern().contains("/environ");
        let mut labels = Labels::FILE.with(value.labels);
        if secret {
            labels = labels.with(Labels::SECRET);
        }
        if environ {
            labels = labels.with(Labels::ENVIRON);
        }
        Stream {
            file,
            ..Stream::unknown(labels)
        }
    }

    /// A second name of a file: whoever writes to that one writes to the file.
    pub(super) fn linked_hard(&mut self, value: &Value, mut tags: Tags, program: &str) -> Stream {
        let read = self.read_with(value, tags.clone(), program);
        tags.add("hard-link");
        tags.add("append");
        self.path_effect(Act::Write, "", value, tags, program);
        read
    }

    fn send(&mut self, value: &Value, mut tags: Tags, context: &Context) -> Labels {
        value.labels.names().for_each(|l| tags.add(l));
        self.effect(
            Act::Send,
            "",
            Target::Text(shown(value)),
            tags,
            context.program,
            value.span,
        );
        value.labels
    }

    /// `@file`, `name=@file`, `name=<file`: the file is sent; `@-` sends what flows in.
    fn upload(&mut self, role_arg: &str, value: &Value, tags: Tags, context: &Context) -> Labels {
        let text = value.prefix();
        let named = role_arg == "name";
        let at = if let Some(at) = text.find('@').filter(|_| named) {
            Some(at + 1)
        } else if text.starts_with('@') {
            Some(1)
        } else {
            text.find("=@").or_else(|| text.find("=<")).map(|i| i + 2)
        };
        match at {
            Some(at) => {
                let mut file = value.without_prefix(at);
                if let Some((path, _)) = file.known().and_then(|t| t.split_once(';')) {
                    file = Value::text(path).at(value.span);
                }
                self.send_file(&file, tags, context)
            }
            None => self.send(value, tags, context),
        }
    }

    fn send_file(&mut self, value: &Value, mut tags: Tags, context: &Context) -> Labels {
        tags.add("upload");
        if matches!(value.known(), Some("-" | "." | "/dev/stdin")) && context.piped {
            context.stdin.labels.names().for_each(|l| tags.add(l));
            self.effect(
                Act::Send,
                "",
                Target::Text("what flows in".into()),
                tags,
                context.program,
                value.span,
            );
            return context.stdin.labels;
        }
        let labels = self.read_with(value, Tags::default(), context.program).labels;
        labels.names().for_each(|l| tags.add(l));
        self.path_effect(Act::Send, "", value, tags, context.program);
        labels
    }

    /// A web tool fetches an address.
    pub(crate) fn fetch(&mut self, url: &str) {
        let mut tags = Tags::default();
        tags.add("network_access");
        let context = Context::new("", Tags::default(), Stream::empty(), false);
        self.url(&Value::text(url), tags, &context);
    }

    fn url(&mut self, value: &Value, mut tags: Tags, context: &Context) -> Labels {
        let text = value.pattern();
        if text.starts_with("file:") || text.starts_with(['/', '~']) {
            return self.read_with(value, tags, context.program).labels;
        }
        value.labels.names().for_each(|l| tags.add(l));
        if is_metadata(&text) {
            tags.add("metadata-service");
        }
        if confusable(&text) {
            tags.add("confusable");
        }
        if let Some(trick) = crate::hosts::trick(&text) {
            tags.add(trick);
        }
        // A token in the path may be how a service is spoken to; in the query it is data.
        let in_query = value.labels.has(Labels::SECRET_VARIABLE) && text.contains('?');
        if in_query || value.labels.has(Labels::SECRET.with(Labels::ENVIRON)) {
            self.effect(
                Act::Send,
                "",
                Target::Host(host_of(&text)),
                tags.clone(),
                context.program,
                value.span,
            );
        }
        self.effect(
            Act::Fetch,
            "",
            Target::Host(host_of(&text)),
            tags,
            context.program,
            value.span,
        );
        Labels::NETWORK
    }

    /// A fetched file that keeps its remote name.
    fn save_remote_name(&mut self, value: &Value, context: &Context) {
        let text = value.pattern();
        let path = text.split(['?', '#']).next().unwrap_or_default();
        let name = path
            .split_once("://")
            .map_or(path, |(_, rest)| rest)
            .rsplit_once('/')
            .map(|(_, name)| name);
        let name = name.filter(|n| !n.is_empty()).unwrap_or("index.html");
        if !name.contains(UNKNOWN) {
            let mut tags = Tags::default();
            tags.add("download");
            let path = context
                .into
                .as_ref()
                .map_or_else(|| Value::text(name), |dir| dir.joined(name));
            self.act_path(Act::Write, &path.at(value.span), tags, context.program);
        }
    }

    fn host(&mut self, value: &Value, mut tags: Tags, program: &str) -> Labels {
        value.labels.names().for_each(|l| tags.add(l));
        let act = if value
            .labels
            .has(Labels::SECRET.with(Labels::ENVIRON).with(Labels::SECRET_VARIABLE))
        {
            Act::Send
        } else {
            Act::Connect
        };
        self.effect(
            act,
            "",
            Target::Host(host_of(&value.pattern())),
            tags,
            program,
            value.span,
        );
        Labels::NETWORK
    }

    /// An operand of a copier that may be on either side.
    fn remote(&mut self, side: &str, value: &Value, tags: Tags, context: &Context) -> Labels {
        let remote = is_remote(value);
        // A container or a device at hand is another place, but nothing leaves the machine.
        let near = tags.has("near");
        match (side, remote) {
            (_, true) if near => Labels::NONE,
            ("to", true) => {
                let mut tags = tags;
                tags.add("remote-target");
                self.effect(
                    Act::Connect,
                    "",
                    Target::Host(host_of(&value.pattern())),
                    tags,
                    context.program,
                    value.span,
                );
                Labels::NONE
            }
            ("to", false) => {
                let labels = self.act_path(Act::Write, value, tags, context.program);
                if !near {
                    self.remember_written(value, Stream::unknown(Labels::NETWORK), false);
                }
                labels
            }
            (_, true) => {
                let mut tags = tags;
                if let Some(trick) = crate::hosts::trick(&value.pattern()) {
                    tags.add(trick);
                }
                self.effect(
                    Act::Fetch,
                    "",
                    Target::Host(host_of(&value.pattern())),
                    tags,
                    context.program,
                    value.span,
                );
                Labels::NETWORK
            }
            (_, false) if context.remote_target && !near => self.send_file(value, tags, context),
            (_, false) => self.read_with(value, tags, context.program).labels,
        }
    }

    /// `env -S 'cmd args' more`; `words:PROGRAM` are further words for that program, `words:comma` are parted by commas.
    fn words(&mut self, arg: &str, value: &Value, rest: &[Value], context: &Context) {
        if arg == "comma" {
            let argv: Vec<Value> = value
                .pattern()
                .split(',')
                .map(|t| Value::text(t).at(value.span))
                .collect();
            self.invoke(&argv, Stream::empty(), false, value.span);
            return;
        }
        if !arg.is_empty() {
            let line = super::invoke::join(&[Value::text(arg), value.clone()]).at(value.span);
            self.code_value("sh", &line, arg, Stream::empty(), &[]);
            return;
        }
        let Some(text) = value.known() else {
            let mut argv = alloc::vec![value.clone()];
            argv.extend(rest.iter().cloned());
            self.invoke(&argv, context.stdin.clone(), context.piped, value.span);
            return;
        };
        let mut line = Value::text(text).at(value.span);
        for word in rest {
            line.push_text(" ");
            line.append(word);
        }
        self.code_value("sh", &line, context.program, context.stdin.clone(), &[]);
    }

    fn keyed(&mut self, table: &str, value: &Value, context: &Context) -> Labels {
        let text = value.pattern();
        let Some(at) = text.find(if table == "header" { [':', ':'] } else { ['=', ' '] }) else {
            return value.labels;
        };
        let key = text.get(..at).unwrap_or_default();
        let rest = value.without_prefix(at + 1);
        self.setting(table, key.trim_end_matches([':', '+']), &rest, context);
        value.labels
    }

    /// `key` set to `value`, by the table.
    pub(super) fn setting(&mut self, table: &str, key: &str, value: &Value, context: &Context) {
        let Some(role) = setting(table, key) else { return };
        self.chain.push(alloc::format!("setting {key}"));
        match role.kind {
            RoleKind::Tag => {
                let mut tags = context.tags.clone();
                role.tags.iter().for_each(|t| tags.add(t));
                self.effect(
                    Act::Do,
                    "setting",
                    Target::Text(key.into()),
                    tags,
                    context.program,
                    value.span,
                );
            }
            // A git alias is a git command unless it starts with `!`.
            RoleKind::Words => {
                let bang = value.prefix().starts_with('!');
                let line = if bang {
                    value.without_prefix(1)
                } else {
                    super::invoke::join(&[Value::text("git"), value.clone()])
                };
                self.code_value("sh", &line.at(value.span), context.program, Stream::empty(), &[]);
            }
            _ => {
                self.role(role, value, context, &Args::default());
            }
        }
        self.chain.pop();
    }

    fn env_pair(&mut self, value: &Value) {
        let text = value.prefix();
        let Some(at) = text.find('=') else { return };
        let name = text.get(..at).unwrap_or_default().to_string();
        let rest = value.without_prefix(at + 1).at(value.span);
        self.environment(&name, &rest);
        self.state.exported.insert(name.as_str(), ());
        self.state.vars.insert(&name, Var::Scalar(rest));
    }
}

fn is_switch(value: &Value) -> bool {
    let text = value.prefix().trim_start_matches('/');
    value.prefix().starts_with('/') && text.len() <= 2 && text.chars().all(|c| c.is_ascii_alphabetic())
}

fn shown(value: &Value) -> String {
    let text = value.pattern().replace(UNKNOWN, "…");
    text.chars().take(80).collect()
}

/// The addresses at which clouds hand credentials to their machines, in the spellings that a resolver takes.
fn is_metadata(url: &str) -> bool {
    const HOSTS: &[&str] = &[
        "169.254.169.254",
        "169.254.170.2",
        "100.100.100.200",
        "metadata.google.internal",
        "metadata",
        "2852039166",
        "0xa9fea9fe",
        "0xa9.0xfe.0xa9.0xfe",
        "0251.0376.0251.0376",
    ];
    let rest = url.split_once("://").map_or(url, |(_, r)| r).to_ascii_lowercase();
    HOSTS.contains(&host_of(&rest).as_str())
        || ["[fd00:ec2::254]", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]"]
            .iter()
            .any(|h| rest.contains(h))
}

fn host_of(text: &str) -> String {
    let rest = text.split_once("://").map_or(text, |(_, r)| r);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let rest = rest.rsplit('@').next().unwrap_or_default();
    let host = rest.split(':').next().unwrap_or_default();
    host.replace(UNKNOWN, "…")
}

/// Letters of other scripts inside an otherwise Latin host, and punycode.
fn confusable(text: &str) -> bool {
    let host = host_of(text);
    let foreign = host.chars().any(|c| c > '\u{24f}' && c != '…');
    let latin = host.chars().any(|c| c.is_ascii_alphabetic());
    let rest_foreign = text
        .chars()
        .any(|c| matches!(c, '\u{400}'..='\u{4ff}' | '\u{370}'..='\u{3ff}'));
    (foreign && latin) || host.split('.').any(|l| l.starts_with("xn--")) || rest_foreign
}
