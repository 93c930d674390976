//! Packages that a command installs: what a person sees of each, and names that are almost those of others (spec F-1503).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test stops where something is wrong"
)]

mod support;

use policy::Verdict;

use support::{Machine, guard, on, rules, shown, strict};

fn card(machine: &Machine, text: &str) -> String {
    let judgement = on(machine, text, &strict());
    let found = judgement.findings.iter().find(|f| f.rule == "class.install_dependency");
    found
        .unwrap_or_else(|| panic!("{text}: {}", shown(&judgement)))
        .lost
        .clone()
}

#[test]
fn f_1503_the_card_of_a_package_says_what_is_known_of_it() {
    let bare = Machine::new();
    let project = Machine::new()
        .with_file("package.json", r#"{"dependencies": {"bcrypt": "^5.1.0", "husky": "9"}}"#)
        .with_file(
            "package-lock.json",
            "{\"packages\": {\"node_modules/husky\": {\n \"version\": \"9.0.0\",\n \"hasInstallScript\": true\n}, \"node_modules/zod\": {\"version\": \"3.0.0\"}}}",
        )
        .with_file("node_modules/bcrypt/package.json", r#"{"scripts": {"install": "node-gyp rebuild"}}"#)
        .with_file("node_modules/yaml/package.json", r#"{"scripts": {"test": "mocha"}}"#);
    for (machine, text, said) in [
        (
            &bare,
            "npm install left-pad",
            "left-pad (no version is pinned, new to the project, install scripts would run)",
        ),
        (
            &bare,
            "npm install left-pad@1.3.0",
            "left-pad@1.3.0 (pinned, new to the project, install scripts would run)",
        ),
        (
            &bare,
            "npm i --ignore-scripts left-pad@^1",
            "left-pad@^1 (no version is pinned, new to the project, install scripts are switched off)",
        ),
        (
            &bare,
            "pnpm add @acme/x@2.0.1",
            "@acme/x@2.0.1 (pinned, new to the project, install scripts would run)",
        ),
        (
            &bare,
            "npx left-pad@1.3.0",
            "left-pad@1.3.0 (pinned, new to the project, install scripts would run)",
        ),
        (
            &bare,
            "bun add zod",
            "zod (no version is pinned, new to the project, install scripts would run)",
        ),
        (
            &bare,
            "pip install httpx==0.27.0",
            "httpx==0.27.0 (pinned, new to the project)",
        ),
        (
            &bare,
            "cargo add anyhow",
            "anyhow (no version is pinned, new to the project)",
        ),
        (
            &project,
            "npm install bcrypt",
            "bcrypt (no version is pinned, named by the project, it has install scripts, and they would run)",
        ),
        (
            &project,
            "npm install husky",
            "husky (no version is pinned, named by the project, it has install scripts, and they would run)",
        ),
        (
            &project,
            "npm install zod",
            "zod (no version is pinned, named by the project, the version that is known has no install scripts)",
        ),
        (
            &project,
            "cd src && npm install yaml",
            "yaml (no version is pinned, new to the project, the version that is known has no install scripts)",
        ),
        (&bare, "npm ci", ""),
    ] {
        assert_eq!(card(machine, text), said, "{text}");
    }
    assert!(card(&bare, "npm i --registry https://r.example/ left-pad").ends_with(", from r.example)"));
    assert!(card(&bare, "npm i a b c d e f").ends_with("; and 2 more"));
}

#[test]
fn f_1503_a_name_that_is_one_slip_away_asks_and_what_the_project_names_does_not() {
    let asks = |machine: &Machine, text: &str| {
        let judgement = on(machine, text, &guard());
        let found = rules(&judgement).contains(&"look_alike_package");
        assert_eq!(
            judgement.verdict() == Verdict::Ask,
            found,
            "{text}: {}",
            shown(&judgement)
        );
        found
    };
    let bare = Machine::new();
    for text in [
        "npm install lodahs",
        "npx expresss",
        "yarn add axois",
        "pnpm dlx expresss",
        "pip install reqeusts",
    ] {
        assert!(asks(&bare, text), "{text}");
    }
    for text in [
        "npm install @me/lodahs",
        "npm i ./lodahs",
        "npm i git+https://github.com/ann/lodahs",
        "npm i vits",
        "npm i lodash",
    ] {
        assert!(!asks(&bare, text), "{text}");
    }
    for (file, text) in [
        ("package.json", "{\"devDependencies\": {\"lodahs\": \"*\"}}"),
        ("package-lock.json", "{\"packages\": {\"node_modules/lodahs\": {}}}"),
        ("pnpm-lock.yaml", "packages:\n  lodahs@1.0.0:\n"),
        ("node_modules/.bin/lodahs", ""),
    ] {
        assert!(!asks(&Machine::new().with_file(file, text), "npx lodahs"), "{file}");
    }
    // Part of another name is not the name.
    let other = Machine::new().with_file(
        "package.json",
        "{\"dependencies\": {\"lodahs-plus\": \"*\", \"my.lodahs\": \"1\"}}",
    );
    assert!(asks(&other, "npm install lodahs"));
}
