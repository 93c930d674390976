//! Task files: what `make t`, `npm run t` and their like would run. Makefiles and justfiles have readers of their own, the
//! others are JSON.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::Cell;

/// Targets that one call may lead to.
pub(super) const MAX_TARGETS: usize = 64;
/// Longest text that a variable stands for.
pub(super) const MAX_TEXT: usize = 64 << 10;
/// Bytes in which variables are looked for, beside those that grow with the file.
const MAX_LOOKS: usize = 1 << 20;
/// What one look costs beside its bytes.
const LOOK: usize = 32;
/// How much longer than the file all its lines may become, beside the longest text of a variable.
const GROWTH: usize = 3;

/// How much a file may still come to: what is in one another is worked out once for each that it is in.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    /// Bytes of the lines, when their variables are put in.
    room: Cell<usize>,
    /// Bytes in which variables are looked for.
    looks: Cell<usize>,
}

impl Bounds {
    pub(super) fn of(text: &str) -> Self {
        let grown = text.len().saturating_mul(GROWTH);
        Self {
            room: Cell::new(grown.saturating_add(MAX_TEXT)),
            looks: Cell::new(grown.saturating_add(MAX_LOOKS)),
        }
    }

    /// Whether so much text may be looked at once more.
    pub(super) fn looks(&self, bytes: usize) -> bool {
        let left = self.looks.get().checked_sub(bytes.saturating_add(LOOK));
        self.looks.set(left.unwrap_or(self.looks.get()));
        left.is_some()
    }

    /// Whether a line of so many bytes has room; what comes after one that has none is as if it had not been read.
    pub(super) fn fits(&self, bytes: usize) -> bool {
        if bytes > self.room.get() {
            self.room.set(0);
            return false;
        }
        true
    }

    /// A line is kept.
    pub(super) fn keep(&self, bytes: usize) {
        self.room.set(self.room.get().saturating_sub(bytes));
    }
}

/// A line that would be run, with its offset in the file.
pub(crate) type Line = (usize, String);

/// Lines with their offsets; a backslash at the end joins the next one.
pub(super) fn joined_lines(text: &str) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    let mut at = 0;
    let mut continues = false;
    for line in text.split_inclusive('\n') {
        let clean = line.trim_end_matches(['\n', '\r']);
        let (part, more) = clean.strip_suffix('\\').map_or((clean, false), |part| (part, true));
        match out.last_mut().filter(|_| continues) {
            Some((_, whole)) => {
                whole.push(' ');
                whole.push_str(part.trim_start());
            }
            None => out.push((at, part.to_string())),
        }
        continues = more;
        at += line.len();
    }
    out
}

/// The scripts under `key` of a JSON file, in their order by name, with the offset of each in the text.
pub(crate) fn json_scripts(text: &str, key: &str) -> Option<BTreeMap<String, Line>> {
    let whole: serde_json::Value = serde_json::from_str(text).ok()?;
    let mut out = BTreeMap::new();
    for (name, value) in whole.get(key)?.as_object()? {
        let lines: Vec<&str> = match value {
            serde_json::Value::String(one) => alloc::vec![one.as_str()],
            serde_json::Value::Array(many) => many.iter().filter_map(serde_json::Value::as_str).collect(),
            other => other
                .get("command")
                .and_then(serde_json::Value::as_str)
                .into_iter()
                .collect(),
        };
        let at = text.find(&alloc::format!("\"{name}\"")).unwrap_or_default();
        out.insert(name.clone(), (at, lines.join("\n")));
    }
    Some(out)
}

/// The patterns of folders that hold the packages of a workspace: in a `package.json`, or a `pnpm-workspace.yaml`.
pub(crate) fn workspaces(text: &str) -> Vec<String> {
    let plain = |text: &str| text.trim_matches(['"', '\'', ' ']).to_string();
    let Ok(whole) = serde_json::from_str::<serde_json::Value>(text) else {
        let lines = text.lines().skip_while(|l| !l.starts_with("packages:")).skip(1);
        let listed = lines.map_while(|l| l.trim_start().strip_prefix("- "));
        return listed.map(plain).collect();
    };
    let list = whole.get("workspaces");
    let list = list
        .and_then(|l| l.get("packages"))
        .or(list)
        .and_then(serde_json::Value::as_array);
    let names = list.into_iter().flatten().filter_map(serde_json::Value::as_str);
    names.map(plain).collect()
}

/// The name that a `package.json` gives its package.
pub(crate) fn package_name(text: &str) -> Option<String> {
    let whole: serde_json::Value = serde_json::from_str(text).ok()?;
    Some(whole.get("name")?.as_str()?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::justfile::Justfile;
    use crate::lang::makefile::Makefile;

    fn made(text: &str, goals: &[&str]) -> Vec<String> {
        let goals: Vec<String> = goals.iter().map(ToString::to_string).collect();
        let lines = Makefile::read(text, &mut |_| None).lines(&goals, &BTreeMap::new(), false);
        lines.into_iter().map(|(_, line)| line).collect()
    }

    #[test]
    fn a_target_brings_what_it_needs() {
        let text = "OUT = build\nall: clean\n\techo $(OUT) $@\nclean:\n\t@rm -rf $(OUT)/$${X}\nother:\n\tfalse\n";
        assert_eq!(made(text, &[]), ["echo build all", "rm -rf build/${X}"]);
        assert_eq!(made(text, &["clean"]), ["rm -rf build/${X}"]);
    }

    #[test]
    fn what_runs_at_reading_runs_always() {
        let text = "V := $(shell git describe)\nW = $(shell never)\nx:\n\techo $(V)\n";
        assert_eq!(made(text, &["x"]), ["git describe", "echo $(git describe)"]);
    }

    #[test]
    fn files_are_written_and_read_by_functions() {
        let text = "$(file >out/x,it's)\nx:\n\techo $(file <in)\n";
        assert_eq!(made(text, &["x"]), ["printf %s 'it'\\''s' >out/x", "echo $(cat in)"]);
    }

    #[test]
    fn patterns_and_long_lines() {
        let text = "%.o: %.c\n\tcc -c $< \\\n\t  -o $@\n";
        assert_eq!(made(text, &["a.o"]), ["cc -c %.c  -o a.o"]);
    }

    fn just(text: &str) -> Vec<String> {
        let lines = Justfile::read(text, &mut |_| None).lines(&[]);
        lines.into_iter().map(|(_, line)| line).collect()
    }

    #[test]
    fn recipes_of_a_justfile() {
        let text = "x := \"1\"\nbuild: clean\n    cargo build {{flags}}\nclean dir='t':\n    @rm -rf {{dir}}\n";
        assert_eq!(just(text), ["rm -rf t", "cargo build $TOLLGATE_UNKNOWN"]);
    }

    #[test]
    fn a_recipe_runs_once_for_what_it_is_given_and_after_what_it_needs() {
        let text = "all: a b (c '1') (c '2') (c '1') && a d\n    all\na:\n    a\nb: a\n    b\nc x: a\n    c {{x}}\nd: all\n    d\n";
        assert_eq!(just(text), ["a", "b", "c 1", "c 2", "d", "all"]);
        // However many need one another.
        let chain: String = (0..200).map(|n| alloc::format!("r{n}: r{}\n", n + 1)).collect();
        assert_eq!(just(&(chain + "r200:\n    echo end\n")), ["echo end"]);
    }

    #[test]
    fn recipes_that_need_themselves_are_worked_out_up_to_a_bound() {
        let many = "a ".repeat(2000);
        assert_eq!(just(&alloc::format!("a: {many}\n    echo {many}\n")).len(), 1);
        for text in [
            "a x='1': (a x + '1') (a x + '2')\n    echo {{x}}\n",
            "a x='1': (a x + x) (a x / x)\n",
            "a *x: (a x '1' x) (a x x)\n    echo {{x + x}}\n",
        ] {
            assert!(just(text).concat().len() < 200 << 10);
        }
    }

    #[test]
    fn what_a_variable_of_a_justfile_stands_for_is_bounded() {
        let doubled = alloc::format!("x := 'ab'\n{}a:\n    echo {{{{x}}}}\n", "x := x + x\n".repeat(40));
        assert!(just(&doubled).concat().starts_with("echo $TOLLGATE_UNKNOWN"));
        let twice = "x := 'ab'\nx := x + x / x + 'c'\na:\n    echo {{x + \"+/\" / `b`}}\n";
        assert_eq!(just(twice), ["echo abab/abc+//$(b)"]);
        let long = alloc::format!("a:\n    echo {{{{'x'{}}}}}\n", " + 'x'".repeat(50_000));
        assert!(just(&long).concat().starts_with("echo "));
    }

    #[test]
    fn scripts_of_a_package() {
        let text = r#"{"scripts": {"a": "tsc -b", "b": ["x", "y"]}}"#;
        let scripts = json_scripts(text, "scripts").unwrap_or_default();
        assert_eq!(scripts.get("a").map(|(at, l)| (*at, l.as_str())), Some((13, "tsc -b")));
        assert_eq!(scripts.get("b").map(|(_, l)| l.as_str()), Some("x\ny"));
        assert!(json_scripts("{", "scripts").is_none());
    }

    #[test]
    fn what_functions_make_of_a_text_is_bounded() {
        let long = "a ".repeat(20_000);
        for call in [
            "subst a,{},{}",
            "patsubst a,{},{}",
            "addprefix {},{}",
            "addsuffix {},{}",
        ] {
            let call = call.replace("{}", &long);
            let text = alloc::format!("all:\n\techo $({call})\n");
            assert!(made(&text, &["all"]).concat().len() < 100, "{call:.20}");
        }
        let few =
            "X = a b\nX += c\nall:\n\techo $(subst a,bb,$(X)) $(addprefix -I,$(X)) $(X:%=%.o) $(addsuffix .c,$(X))\n";
        assert_eq!(made(few, &["all"]), ["echo bb b c -Ia -Ib -Ic a.o b.o c.o a.c b.c c.c"]);
    }

    #[test]
    fn calls_in_one_another_are_worked_out_up_to_a_bound() {
        let nested = |depth: usize| {
            let (open, word) = ("$(subst a,b,".repeat(depth), "x".repeat(2000));
            let text = alloc::format!("X = {open}{word}{}\nall:\n\techo $(X)\n", ")".repeat(depth));
            made(&text, &["all"]).concat()
        };
        assert!(nested(3).starts_with("echo xxx"));
        assert!(nested(11).contains("TOLLGATE_UNKNOWN"));
    }
}
