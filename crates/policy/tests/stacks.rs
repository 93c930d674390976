//! Layers of rules: the strictest rule decides, a layer can only tighten, and an index hides no rule.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops where something is wrong"
)]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use policy::{
    Act, Exception, Index, Judgement, Kind, Origin, Pattern, Request, Settings, Shelf, Subject, Verdict, Wanted,
    Written, WrittenRule, judge,
};
use support::{CWD, Machine, command, guard};

/// Rules that are too many to be made for every request, and are not.
#[derive(Debug)]
struct Kept {
    index: Index,
    rules: Vec<Plain>,
}

/// A rule without what was worked out of it.
#[derive(Clone, Debug)]
struct Plain {
    id: String,
    origin: Origin,
    verdict: Verdict,
    says: Says,
}

/// What a rule is about.
#[derive(Clone, Copy, Debug)]
enum Says {
    Command(&'static str, bool),
    Kinds(&'static [Kind]),
    Effect(
        &'static [Act],
        &'static [&'static str],
        &'static [&'static str],
        &'static [&'static str],
    ),
}

const WRITES: &[Act] = &[Act::Write, Act::Delete];
const SENDS: &[Act] = &[Act::Send, Act::Fetch, Act::Connect];
const POOL: &[Says] = &[
    Says::Command("^terraform apply", false),
    Says::Command("terraform (apply|destroy)", true),
    Says::Command("(?i)kubectl|terraform", false),
    Says::Command("push|apply", false),
    Says::Command("[a-z]+ push", false),
    Says::Command("git +push", false),
    Says::Command("rm", false),
    Says::Command("x{3}yz|no-such-program", false),
    Says::Command("\\.toml$", false),
    Says::Kinds(&[Kind::FileWrite, Kind::McpCall]),
    Says::Kinds(&[Kind::CommandRun]),
    Says::Effect(WRITES, &["db/**"], &[], &[]),
    Says::Effect(WRITES, &["**/migrations/*.SQL"], &[], &[]),
    Says::Effect(&[Act::Read], &["**/*.rs", "Cargo.toml"], &[], &[]),
    Says::Effect(&[], &["/home/ann/proj/notes.txt"], &[], &[]),
    Says::Effect(&[], &["**/pages/[id].tsx"], &[], &[]),
    Says::Effect(SENDS, &[], &["*.example.org"], &[]),
    Says::Effect(&[], &[], &["API.example.org"], &["network_access"]),
    Says::Effect(&[], &[], &[], &["push_code"]),
    Says::Effect(&[], &[], &[], &["recursive", "home"]),
    Says::Effect(&[Act::Delete], &[], &[], &[]),
    Says::Effect(&[], &["*deploy*"], &[], &[]),
];

const COMMANDS: &[&str] = &[
    "terraform apply -auto-approve",
    "TERRAFORM DESTROY",
    "bash -c 'kubectl apply -f x'",
    "git push origin main",
    "git \\\n push",
    "rm -rf ~",
    "rm db/*",
    "rm */m*/7.sql",
    "cp a db/migrations/7.sql",
    "cat src/[a-c].rs Cargo.toml",
    "curl https://me@api.example.org:8443/x",
    "echo x > notes.txt",
    "ls",
];
const PATHS: &[&str] = &["db/migrations/7.sql", "pages/[id].tsx", "notes.txt", "src/main.rs"];
const ORIGINS: [Origin; 3] = [Origin::System, Origin::User, Origin::Project];
const VERDICTS: [Verdict; 3] = [Verdict::Warn, Verdict::Ask, Verdict::Deny];

impl Plain {
    fn rule(&self) -> WrittenRule {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let mut rule = WrittenRule {
            id: self.id.clone(),
            origin: self.origin,
            verdict: self.verdict,
            why: "because".into(),
            kinds: Vec::new(),
            command: None,
            effect: None,
        };
        match self.says {
            Says::Command(text, ignore_case) => rule.command = Some(Pattern::new(text, ignore_case).unwrap()),
            Says::Kinds(kinds) => rule.kinds = kinds.to_vec(),
            Says::Effect(acts, targets, hosts, labels) => {
                rule.effect = Some(Wanted {
                    acts: acts.to_vec(),
                    targets: words(targets),
                    hosts: words(hosts),
                    labels: words(labels),
                    class: None,
                });
            }
        }
        rule
    }
}

impl Shelf for Kept {
    fn index(&self) -> &Index {
        &self.index
    }
    fn rule(&self, at: u32) -> WrittenRule {
        self.rules[at as usize].rule()
    }
}

fn kept(rules: Vec<Plain>) -> Option<Arc<dyn Shelf>> {
    let made: Vec<WrittenRule> = rules.iter().map(Plain::rule).collect();
    let index = Index::of(&made);
    Some(Arc::new(Kept { index, rules }))
}

fn requests() -> Vec<Request> {
    let file = |(kind, path): (Kind, &&str)| Request {
        kind,
        subject: Subject::File {
            path: (*path).to_owned(),
            delete: false,
            content: None,
        },
        cwd: CWD.into(),
    };
    let kinds = [Kind::FileRead, Kind::FileWrite];
    let files = kinds
        .into_iter()
        .flat_map(|kind| PATHS.iter().map(move |path| (kind, path)));
    let url = Request {
        kind: Kind::NetConnect,
        subject: Subject::Url("https://API.example.org/x".into()),
        cwd: CWD.into(),
    };
    COMMANDS
        .iter()
        .map(|text| command(text))
        .chain(files.map(file))
        .chain([url])
        .collect()
}

/// Numbers that are the same in every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most as u64).unwrap()
    }

    fn rule(&mut self, origin: Origin, at: usize) -> (usize, Plain) {
        let which = self.below(POOL.len());
        let plain = Plain {
            id: format!("{}-{at}", origin.as_str()),
            origin,
            verdict: VERDICTS[self.below(3)],
            says: POOL[which],
        };
        (which, plain)
    }
}

/// What is judged over and over, with what each rule alone and no rule at all says of it.
struct Tries {
    requests: Vec<Request>,
    /// For each request, whether each rule of the pool holds.
    holds: Vec<Vec<bool>>,
    /// For each request, the verdict without and with the exception.
    built_in: Vec<[Verdict; 2]>,
}

fn judged(request: &Request, written: Written) -> Judgement {
    let settings = Settings { written, ..guard() };
    judge(request, &Machine::new(), &settings)
}

fn excusing(excused: usize) -> Vec<Exception> {
    let pattern = Pattern::new("rm -rf", false).unwrap();
    let suppresses = "rm_rf_root".into();
    Vec::from([Exception {
        pattern,
        suppresses,
        cwd: None,
    }])
    .split_off(1 - excused)
}

impl Tries {
    fn new() -> Self {
        let requests = requests();
        let alone = |request: &Request, says: &Says| {
            let plain = Plain {
                id: "mine".into(),
                origin: Origin::User,
                verdict: Verdict::Deny,
                says: *says,
            };
            let written = Written {
                rules: vec![plain.rule()],
                ..Written::default()
            };
            judged(request, written)
                .findings
                .iter()
                .any(|finding| finding.rule == "mine")
        };
        let holds = requests
            .iter()
            .map(|request| POOL.iter().map(|says| alone(request, says)).collect());
        let none = |excused| Written {
            exceptions: excusing(excused),
            ..Written::default()
        };
        let built_in = requests
            .iter()
            .map(|request| [0, 1].map(|excused| judged(request, none(excused)).verdict()));
        Self {
            holds: holds.collect(),
            built_in: built_in.collect(),
            requests,
        }
    }

    /// One stack of layers, on one request.
    fn one(&self, numbers: &mut Numbers) {
        let at = numbers.below(self.requests.len());
        let (request, excused) = (&self.requests[at], numbers.below(2));
        let (mut own, mut project, mut expected) = (Vec::new(), Vec::new(), self.built_in[at][excused]);
        for origin in ORIGINS {
            for number in 0..numbers.below(5) {
                let (which, rule) = numbers.rule(origin, number);
                if self.holds[at][which] {
                    expected = expected.max(rule.verdict);
                }
                if origin == Origin::Project {
                    &mut project
                } else {
                    &mut own
                }
                .push(rule);
            }
        }
        let rules = own.iter().chain(&project).map(Plain::rule).collect();
        let exceptions = excusing(excused);
        let all = judged(
            request,
            Written {
                rules,
                exceptions: exceptions.clone(),
                ..Written::default()
            },
        );
        let shown = || format!("{request:?}\n{own:?}\n{project:?}");
        assert_eq!(all.verdict(), expected, "{}", shown());
        let decisive = all.decisive().map(|finding| finding.origin as u8);
        let equals = all.findings.iter().filter(|finding| finding.verdict == expected);
        assert_eq!(
            decisive,
            equals.map(|finding| finding.origin as u8).min(),
            "{}",
            shown()
        );
        let fewer = Written {
            rules: own.iter().map(Plain::rule).collect(),
            exceptions: exceptions.clone(),
            ..Written::default()
        };
        assert!(
            judged(request, fewer).verdict() <= expected,
            "a layer made it milder: {}",
            shown()
        );
        let indexed = Written {
            rules: project.iter().map(Plain::rule).collect(),
            shelf: kept(own.clone()),
            exceptions,
            ..Written::default()
        };
        assert_eq!(judged(request, indexed).findings, all.findings, "{}", shown());
    }
}

fn try_stacks(count: usize) {
    let (tries, mut numbers) = (Tries::new(), Numbers(0x7011_6a7e));
    for held in 0..POOL.len() {
        let once = tries.holds.iter().filter(|holds| holds[held]).count();
        assert_eq!(once == 0, held == 7 || held == 21, "{:?} holds for {once}", POOL[held]);
    }
    for _ in 0..count {
        tries.one(&mut numbers);
    }
}

#[test]
fn v_0302_the_strictest_of_all_layers_decides_and_a_layer_only_tightens() {
    try_stacks(4_000);
}

#[test]
#[ignore = "the suite `stacks`"]
fn v_0302_a_million_stacks_of_layers() {
    try_stacks(1_000_000);
}

/// A thousand rules, and how many were made.
#[derive(Debug)]
struct Counted(Index, AtomicUsize);

impl Shelf for Counted {
    fn index(&self) -> &Index {
        &self.0
    }
    fn rule(&self, at: u32) -> WrittenRule {
        self.1.fetch_add(1, Ordering::Relaxed);
        numbered(at)
    }
}

fn numbered(at: u32) -> WrittenRule {
    let plain = Plain {
        id: format!("r{at}"),
        origin: Origin::User,
        verdict: Verdict::Ask,
        says: Says::Kinds(&[]),
    };
    let text = format!("^tool-{at} (deploy|release)");
    let command = Pattern::new(&text, at.is_multiple_of(2)).unwrap();
    WrittenRule {
        command: Some(command),
        ..plain.rule()
    }
}

#[test]
fn of_a_thousand_rules_few_are_made() {
    let rules: Vec<WrittenRule> = (0..1_000).map(numbered).collect();
    for (text, most) in [
        ("git status", 0),
        ("cargo test --workspace", 0),
        ("tool-723 deploy", 20),
    ] {
        let shelf = Arc::new(Counted(Index::of(&rules), AtomicUsize::new(0)));
        let written = Written {
            shelf: Some(shelf.clone()),
            ..Written::default()
        };
        let judgement = judged(&command(text), written);
        assert!(shelf.1.load(Ordering::Relaxed) <= most, "{text}: {:?}", shelf.1);
        assert_eq!(
            judgement.findings.iter().any(|finding| finding.rule == "r723"),
            most > 0
        );
    }
}
