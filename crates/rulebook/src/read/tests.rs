//! What the notation says, and what is said about text that is not in it.

use super::*;

fn read(text: &str) -> Result<Book, Fault> {
    let mut book = Book::default();
    book.add("a.toml", text).map(|()| book)
}

const GOOD: &str = r#"
source = "the manual"

[[program]]
name = ["deployctl", "dctl"]
style = "long"
options = """
-f --force / --all = +force
-o[] = write+log
"""
operands = "name value..."
alternates = ["-f and !operand => read"]
does = ["do deploy.nuke @first +prod when --force or dashdash"]
stdin = ["send when stdin"]
stdout = "network"
examples = ["deployctl --force x => deploy.nuke"]

[[program.sub]]
name = "nuke"
does = ["delete @-o when -f"]
examples = ["dctl nuke -f => delete"]

[[rule]]
id = "nuke"
kind = ["command.run"]
on = ["do"]
what = ["deploy.nuke"]
any = ["prod !dry", "force"]
strict = "ask"
risk = "high"
why = "w"
instead = "i"
match = ["deployctl -f x"]
not_match = ["deployctl x"]

[[path]]
why = "secrets"
glob = ["~/vault/**"]
tags = ["credential"]
"#;

#[test]
fn a_file_says_what_its_stanzas_say() {
    let book = read(GOOD).unwrap();
    let fact = &book.programs[0];
    let program = fact.says.program;
    assert_eq!(
        (fact.line, fact.says.replace, program.names),
        (5, false, &["deployctl", "dctl"][..])
    );
    assert_eq!(program.options.len(), 3);
    assert!(program.options[2].attached && program.options[2].named("-o"));
    assert_eq!((program.operands.len(), program.operands[1].many), (2, true));
    assert_eq!(program.does.len(), 2, "an `or` is two rows");
    assert_eq!(program.subs[0].names, ["nuke"]);
    assert_eq!(fact.examples.len(), 2);
    let rule = book.rules[0].says;
    assert_eq!(
        (rule.guard, rule.strict, rule.any.len()),
        (crate::Verdict::Ask, crate::Verdict::Ask, 2)
    );
    assert_eq!((book.rules[0].line, book.rules[0].examples.len()), (24, 2));
    assert_eq!(book.paths[0].says.globs, ["~/vault/**"]);
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_a_hint() {
    for (from, to, line, sentence, hint) in [
        (
            "style = \"long\"",
            "style = \"loong\"",
            6,
            "no style is called `loong`",
            "`long`",
        ),
        ("write+log", "wriite+log", 9, "no role is called `wriite`", "`write`"),
        ("write+log", "write+", 9, "a label is missing", "label"),
        ("-o[] = write+log", "-o[] write", 9, "is not `names = role`", "flag"),
        ("name value...", "nam value...", 11, "no role is called `nam`", "`name`"),
        (
            "!operand",
            "!operands",
            12,
            "`operands` is not a condition",
            "operand~PATTERN",
        ),
        (
            "-f and !operand => read",
            "-f",
            12,
            "is not `conditions => operands`",
            "",
        ),
        (
            "when --force or",
            "when --forse or",
            13,
            "`--forse` is used in a condition",
            "--forse = flag",
        ),
        (
            "do deploy.nuke",
            "dont deploy.nuke",
            13,
            "no act is called `dont`",
            "`do`",
        ),
        ("do deploy.nuke @first", "do deploy nuke", 13, "names two things", "ACT"),
        ("do deploy.nuke @first", "do", 13, "does not say what", "rule"),
        ("x => deploy.nuke\"", "x\"", 16, "is not `command => effect`", "explain"),
        (
            "delete @-o",
            "delete @-x",
            20,
            "`-x` is used in a condition",
            "-x = flag",
        ),
        (
            "\"command.run\"",
            "\"command\"",
            25,
            "no kind of request is called `command`",
            "`command.run`",
        ),
        ("on = [\"do\"]", "on = []", 24, "speaks about no act", "`delete`"),
        ("on = [\"do\"]", "on = [\"did\"]", 26, "no act is called `did`", "`do`"),
        (
            "strict = \"ask\"",
            "strict = \"block\"",
            29,
            "no verdict is called `block`",
            "`deny`",
        ),
        (
            "risk = \"high\"",
            "risk = \"huge\"",
            30,
            "no risk is called `huge`",
            "`critical`",
        ),
        (
            "match = [\"deployctl -f x\"]",
            "match = []",
            24,
            "carries an example",
            "match =",
        ),
        ("why = \"secrets\"", "why = \"\"", 37, "says why", ""),
        ("[\"~/vault/**\"]", "[]", 37, "has globs and labels", ""),
        ("style = ", "stile = ", 6, "unknown field `stile`", "notation"),
        ("operands = \"", "operands = 3 # \"", 11, "invalid type", "notation"),
        (
            "name = \"nuke\"",
            "name = 3",
            19,
            "a text or a list of texts",
            "notation",
        ),
        ("name = \"nuke\"", "name = []", 19, "a program has a name", ""),
        ("[[path]]", "[[paths]]", 36, "unknown field `paths`", "notation"),
    ] {
        let text = GOOD.replacen(from, to, 1);
        assert_ne!(text, GOOD, "{from}");
        let fault = read(&text).unwrap_err();
        let said = fault.to_string();
        assert_eq!(fault.line, Some(line), "{to}: {said}");
        assert!(fault.sentence.contains(sentence), "{to}: {said}");
        assert!(
            fault.hint.contains(hint) && (hint.is_empty() || fault.hint.ends_with('.')),
            "{to}: {}",
            fault.hint
        );
        assert!(
            said.starts_with(&format!("`a.toml`, line {line}")) && !said.contains('\n'),
            "{said}"
        );
    }
}

#[test]
fn nothing_is_described_twice() {
    let mut book = read(GOOD).unwrap();
    let program = "[[program]]\nname = [\"new\", \"dctl\"]\n";
    let fault = book.add("b.toml", program).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "`b.toml`, line 2, `dctl`: it stands in `a.toml`, line 5, already"
    );
    let rule =
        "[[rule]]\nid = \"nuke\"\non = [\"do\"]\nrisk = \"low\"\nwhy = \"w\"\ninstead = \"i\"\nmatch = [\"x\"]\n";
    assert!(book.add("b.toml", rule).is_err());
    assert!(read(&format!("{rule}{rule}")).is_err(), "within a file, too");
    assert_eq!(
        (book.programs.len(), book.rules.len()),
        (1, 1),
        "a file counts whole or not at all"
    );
}

#[test]
fn tables_of_roles_are_read() {
    let tables = role_tables("s.toml", "[git]\n\"core.pager\" = \"script\"\n").unwrap();
    assert_eq!(tables["git"]["core.pager"].kind, crate::RoleKind::Script);
    let fault = role_tables("s.toml", "[git]\n\"core.pager\" = \"scrypt\"\n").unwrap_err();
    assert!(
        fault
            .to_string()
            .starts_with("`s.toml`, line 2, `git`: no role is called `scrypt`"),
        "{fault}"
    );
}

#[test]
fn no_text_makes_it_panic() {
    for cut in 0..GOOD.len() {
        let (head, tail) = GOOD.split_at(cut);
        let _either = (read(head), read(tail));
    }
}

#[test]
fn a_class_has_conditions_and_is_one_of_the_twelve() {
    let text =
        "[[program]]\nname = \"d\"\noptions = \"--dry = flag\"\nclass = [\"network_access when --dry\", \"deploy\"]\n";
    let program = read(text).unwrap().programs[0].says.program;
    let classes: Vec<(&str, usize)> = program.class.iter().map(|(class, when)| (*class, when.len())).collect();
    assert_eq!(classes, [("network_access", 1), ("deploy", 0)]);
    assert_eq!(
        read("[[program]]\nname = \"d\"\nclass = \"deploy\"\n")
            .unwrap()
            .programs[0]
            .says
            .program
            .class
            .len(),
        1
    );
    for (wrong, said) in [
        (
            text.replace("\"deploy\"", "\"ship\""),
            "there is no permission class `ship`",
        ),
        (
            text.replace("when --dry", "when --wet"),
            "`--wet` is used in a condition",
        ),
    ] {
        let fault = read(&wrong).unwrap_err();
        assert!(fault.line == Some(4) && fault.sentence.contains(said), "{fault}");
    }
}

#[test]
fn a_rule_may_speak_of_a_class_and_guard_the_gate() {
    let book = read(&GOOD.replace("why = \"w\"", "why = \"w\"\nclass = \"deploy\"\nlasting = true")).unwrap();
    let rule = book.rules[0].says;
    assert_eq!((rule.class, rule.lasting), ("deploy", true));
    let rule = read(GOOD).unwrap().rules[0].says;
    assert_eq!((rule.class, rule.lasting), ("", false));
    assert!(read(&GOOD.replace("why = \"w\"", "why = \"w\"\nclass = \"ship\"")).is_err());
}

#[test]
fn lists_of_names_say_where_they_are_from_and_are_sorted() {
    let lists = name_lists("p.toml", "source = \"memory\"\n[names]\nnpm = \"a b\"\n").unwrap();
    assert_eq!(lists["npm"], ["a", "b"]);
    for (text, said) in [
        ("source = \"\"\n[names]\n", "where the names are from"),
        ("[names]\n", "missing field `source`"),
        ("source = \"m\"\n[names]\nnpm = \"b a\"\n", "`a` does not come after"),
        ("source = \"m\"\n[names]\nnpm = \"a a\"\n", "`a` does not come after"),
    ] {
        let fault = name_lists("p.toml", text).unwrap_err();
        assert!(fault.sentence.contains(said), "{fault}");
    }
}
