//! A file that is edited at random bytes never makes a verdict milder than the stricter of before and after.

use super::*;

const TEXT: &str = "commands:
  - {id: a1, pattern: ^terraform apply, action: deny, reason: r}
  - {id: a2, pattern: make (release|deploy), action: ask, reason: r, match: [make deploy]}
paths:
  - {id: p1, glob: db/**, on: [write], effect: ask, reason: r}
effects:
  - {id: e1, on: [send, fetch], to: '*.example', effect: deny, reason: r}
classes: {push_code: ask}
allow:
  - {pattern: ^git push --force, suppresses: git_push_force, reason: r}
";
const REQUESTS: &[&str] = &[
    "terraform apply",
    "make release",
    "write db/a",
    "curl https://x.example/a",
    "git push --force",
    "ls",
];

/// Numbers that are the same in every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most.max(1) as u64).unwrap()
    }

    fn edit(&mut self, text: &mut Vec<u8>) {
        let at = self.below(text.len());
        let letters = b"abdegrstwy*.^|(){}[]:,'#- \n";
        match self.below(8) {
            0..4 if at < text.len() => text[at] = letters[self.below(letters.len())],
            4 | 5 => text.insert(at, letters[self.below(letters.len())]),
            6 if at < text.len() => drop(text.remove(at)),
            _ => {
                // A line comes again, or goes.
                let mut lines: Vec<Vec<u8>> = text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
                let line = self.below(lines.len());
                if self.below(2) == 0 {
                    lines.remove(line);
                } else {
                    lines.insert(line, lines[line].clone());
                }
                *text = lines.join(&b'\n');
            }
        }
    }
}

fn verdicts(set: &PolicySet) -> Vec<Verdict> {
    REQUESTS.iter().map(|text| verdict(set, text)).collect()
}

/// Edits a file so often; returns how many of the edits left it whole.
fn edit(times: usize) -> usize {
    let machine = Machine::new(TEXT);
    let mut numbers = Numbers(0x7011_6a7e);
    let mut before = verdicts(&machine.own(later()));
    let (mut text, mut sound, mut whole) = (TEXT.as_bytes().to_vec(), TEXT.as_bytes().to_vec(), 0);
    for round in 0..times {
        numbers.edit(&mut text);
        machine.write("config/policies/a.yml", &text);
        let alone = PolicySet::own(&machine.at("system"), &machine.at("config"), later());
        let after = verdicts(&alone);
        let now = machine.own(SystemTime::now());
        let stricter: Vec<Verdict> = before.iter().zip(&after).map(|(a, b)| *a.max(b)).collect();
        let shown = String::from_utf8_lossy(&text);
        let verdicts = verdicts(&now);
        assert!(
            verdicts.iter().zip(&stricter).all(|(a, b)| a >= b),
            "{round}: {verdicts:?} {stricter:?}\n{shown}"
        );
        if alone.is_whole() {
            whole += 1;
            sound.clone_from(&text);
            if numbers.below(4) == 0 {
                assert_eq!(super::edits::verdicts(&machine.own(later())), after, "{round}\n{shown}");
                before = after;
            }
        } else if numbers.below(3) > 0 {
            text.clone_from(&sound);
        }
        if numbers.below(50) == 0 {
            text = TEXT.as_bytes().to_vec();
        }
    }
    whole
}

#[test]
fn no_edit_makes_a_verdict_milder_than_before_and_after() {
    assert!(edit(200) > 20);
}

#[test]
#[ignore = "the suite `edits`"]
fn no_edit_of_ten_thousand_makes_a_verdict_milder() {
    let whole = edit(10_000);
    assert!(whole > 1_000, "{whole}");
}
