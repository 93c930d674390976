//! What a container sees: folders of the machine under other names.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Eval, UNKNOWN, Value};
use crate::Target;
use crate::facts::Parsed;
use crate::places;

impl Eval<'_> {
    /// Runs `f` where the folders that options labelled `mount` name stand at their places in the container, in the
    /// directory that the option `-w` names.
    pub(super) fn in_container<T>(&mut self, parsed: &Parsed, f: impl FnOnce(&mut Self) -> T) -> T {
        let given = parsed.options.iter().filter(|(o, _)| o.role.tags.contains(&"mount"));
        let mounts: Vec<(String, String)> = given.filter_map(|(_, v)| self.mount(v.as_ref()?)).collect();
        if mounts.is_empty() {
            return f(self);
        }
        let cwd = self.state.cwd.clone();
        if let Some((_, Some(dir))) = parsed.option("-w") {
            self.state.cwd = dir.known().map(|dir| places::clean(dir, "/"));
        }
        let outer = core::mem::replace(&mut self.state.mounts, mounts.into());
        let out = f(self);
        self.state.mounts = outer;
        self.state.cwd = cwd;
        out
    }

    /// `source:target[:how]` and `type=bind,source=x,target=y`: the place in the container, and that on the machine.
    /// A volume has a name and no place.
    fn mount(&self, value: &Value) -> Option<(String, String)> {
        let text = value.pattern();
        let key = |names: &[&str]| {
            let mut pairs = text.split(',').filter_map(|pair| pair.split_once('='));
            pairs.find(|(name, _)| names.contains(name)).map(|(_, said)| said)
        };
        let (source, target) = match (key(&["source", "src"]), key(&["target", "dst", "destination"])) {
            (Some(source), Some(target)) => (source, target),
            _ => {
                let (source, rest) = text.split_once(':')?;
                (source, rest.split(':').next().unwrap_or(rest))
            }
        };
        if !source.starts_with(['/', '.', '~', UNKNOWN]) {
            return None;
        }
        let place = match self.resolve(&Value::text(source)) {
            Target::Path(path) => path,
            _ => alloc::format!("/{UNKNOWN}"),
        };
        Some((places::clean(target, "/"), place))
    }

    /// Where a path of the container lies on the machine, if it does.
    pub(super) fn behind_mounts(&self, path: &str) -> Option<String> {
        let over = self.state.mounts.iter().filter(|(at, _)| places::within(path, at));
        let (at, place) = over.max_by_key(|(at, _)| at.len())?;
        let rest = path.get(at.trim_end_matches('/').len()..).unwrap_or_default();
        Some(places::clean(rest.trim_start_matches('/'), place).to_string())
    }
}
