//! A long text is judged like a short one.

use crate::support::judged;
use crate::support::shapes::SHAPES;

/// Effects that are kept of a long text, with those that rules could tell from all before.
const MOST_EFFECTS: usize = 2048;

#[test]
fn what_stands_at_the_end_of_a_long_text_is_found() {
    let mut wrong = Vec::new();
    for shape in SHAPES {
        let judgement = judged(&shape.text());
        let found = judgement.findings.iter().any(|f| f.rule == "rm_rf_root");
        let gave_up = judgement.effects.iter().any(|e| e.tags.has("limit"));
        if !found || gave_up || judgement.effects.len() > MOST_EFFECTS {
            wrong.push((shape.name, found, gave_up, judgement.effects.len()));
        }
    }
    assert_eq!(wrong, Vec::new());
}

#[test]
fn what_is_hidden_among_many_words_is_found() {
    let names = |n: usize| (0..n).map(|i| format!(" name{i}")).collect::<String>();
    for (text, rule) in [
        (format!("rm -rf{} ~/ {}", names(9000), names(9000)), "rm_rf_root"),
        (format!("rm{} -rf ~/ {}", names(9000), names(9000)), "rm_rf_root"),
        (format!("rm ~/ {} -rf", names(9000)), "rm_rf_root"),
        (
            format!("for d in{} /etc; do rm -rf $d; done", names(9000)),
            "rm_rf_root",
        ),
        (format!("d=({} /etc); rm -rf \"${{d[@]}}\"", names(9000)), "rm_rf_root"),
        (format!("eval echo{} \\; rm -rf ~/", names(9000)), "unreadable_command"),
    ] {
        let judgement = judged(&text);
        let start: String = text.chars().take(40).collect();
        let all: Vec<&str> = judgement.findings.iter().map(|f| f.rule.as_str()).collect();
        assert!(all.contains(&rule), "{start}...: {all:?}");
    }
}
