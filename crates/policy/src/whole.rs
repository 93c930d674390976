//! Whether the text of a command is all there is to know of it.

use shell::{Form, Item, Part, Word};

use crate::{Act, Judgement, Target};

/// Whether a command says itself all that it does: one command of plain words, which hands on nothing that stands elsewhere.
/// Who reads its text then knows what would be let through; the contents of a file and what another command prints can be
/// others tomorrow.
#[must_use]
pub fn says_all(text: &str, judgement: &Judgement) -> bool {
    is_plain(text)
        && judgement.effects.iter().all(|effect| {
            let elsewhere = effect.act == Act::Read && matches!(effect.target, Target::Path(_) | Target::Unknown(_));
            effect.chain.is_empty() && !effect.tags.has("in-file") && !elsewhere && effect.act != Act::RunUnknown
        })
}

/// One simple command of words that stand for themselves.
fn is_plain(text: &str) -> bool {
    let script = shell::parse(text);
    let [
        Item {
            chain,
            background: false,
        },
    ] = script.items.as_slice()
    else {
        return false;
    };
    let [command] = chain.first.stages.as_slice() else {
        return false;
    };
    let alone = script.faults.is_empty() && chain.rest.is_empty() && !chain.first.negated;
    let words = match &command.form {
        Form::Simple { assigns, words } if assigns.is_empty() => words,
        _ => return false,
    };
    alone && command.redirects.is_empty() && words.iter().all(stands_for_itself)
}

fn stands_for_itself(word: &Word) -> bool {
    let active = |part: &Part| matches!(part, Part::Lit(text) if text.contains(['*', '?', '[', '{', '~']));
    word.literal().is_some() && !word.parts.iter().any(active)
}
