//! Folders whose content came from another machine just now: an unpacked download, a clone.

use alloc::string::{String, ToString};

use super::roles::Context;
use super::{Eval, Labels, UNKNOWN, Value};
use crate::effect::Tags;
use crate::facts::{Parsed, names};
use crate::{Act, Answer, FileKind, Target, places};

/// Folders that are remembered.
const MAX_FOLDERS: usize = 16;

impl Eval<'_> {
    /// An archive is unpacked here: one that flows in, or that a file holds which was downloaded before.
    pub(super) fn unpack(&mut self, parsed: &Parsed, context: &Context) {
        let options = parsed.options.iter().filter_map(|(_, value)| value.as_deref());
        let words = options.chain(parsed.operands.iter().map(|(value, _)| *value));
        let downloaded = |value: &Value| self.written_to(value).is_some_and(|s| s.labels.has(Labels::NETWORK));
        let flows = context.piped && context.stdin.labels.has(Labels::NETWORK);
        if (flows || words.into_iter().any(downloaded))
            && let Some(dir) = self.state.cwd.clone()
        {
            self.fetch_into(dir);
        }
    }

    /// `git clone URL [DIR]`: what everybody keeps on the well-known hosts keeps a history that can be read.
    pub(super) fn clone_into(&mut self, parsed: &Parsed) {
        let mut operands = parsed.operands.iter().filter_map(|(value, _)| value.known());
        let Some(url) = operands.next().filter(|url| url.contains(':')) else {
            return;
        };
        let host = url.split_once("://").map_or(url, |(_, rest)| rest);
        let host = host.rsplit('@').next().unwrap_or_default();
        let host = host.split(['/', ':']).next().unwrap_or_default();
        if names::is_listed("forges", host) {
            return;
        }
        let last = url.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
        let name = operands.next().unwrap_or_else(|| last.trim_end_matches(".git"));
        if let Some(cwd) = self.state.cwd.as_deref() {
            let dir = places::clean(name, cwd);
            self.fetch_into(dir);
        }
    }

    fn fetch_into(&mut self, dir: String) {
        if self.state.fetched.len() < MAX_FOLDERS && !self.state.fetched.contains(&dir) {
            self.state.fetched.push(dir);
        }
    }

    /// A script that was not there before its folder was fetched runs. Building what was fetched is everyday work.
    pub(super) fn fetched_script(&mut self, value: &Value, why: &str) {
        let Target::Path(path) = self.resolve(value) else {
            return;
        };
        let fetched = self.state.fetched.iter().any(|dir| places::within(&path, dir));
        if !fetched || path.contains(UNKNOWN) || self.world.kind(&path) == Answer::Known(FileKind::File) {
            return;
        }
        let name = path.rsplit('/').next().unwrap_or_default().to_string();
        let script = name.ends_with(".sh") || ["install", "setup"].iter().any(|word| name.starts_with(word));
        if (why != "run" || script) && !names::is_listed("builds", &name) {
            let mut tags = Tags::default();
            tags.add("network");
            tags.add("script");
            let target = Target::Unknown(alloc::format!("{name}, which was fetched just now"));
            self.effect(Act::RunUnknown, "", target, tags, why, value.span);
        }
    }
}
