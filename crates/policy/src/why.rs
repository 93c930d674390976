//! How a finding came about, step by step, for people.

use alloc::string::String;
use alloc::vec::Vec;

use shell::Span;

use crate::{Effect, Request, Subject};

/// The steps that lead to an effect, outermost first: the variables that the command was made of, what started it, where it
/// stands, and what it does.
pub(crate) fn steps(request: &Request, effect: &Effect) -> Vec<String> {
    let Subject::Command(text) = &request.subject else {
        return effect.chain.clone();
    };
    let variables = effect.uses.iter().map(|used| {
        let place = used
            .span
            .map(|span| alloc::format!(" ({})", place(text, span)))
            .unwrap_or_default();
        alloc::format!("variable {} = {:?}{place}", used.name, used.value)
    });
    let mut steps: Vec<String> = variables.collect();
    steps.extend(effect.chain.iter().cloned());
    steps.push(alloc::format!("command {}", place(text, effect.span)));
    steps.push(effect.deed());
    steps
}

/// `line:column` of a place in a text, both from 1, columns in characters.
fn place(text: &str, span: Span) -> String {
    let before = text.get(..span.start as usize).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    alloc::format!("{line}:{column}")
}
