//! Lists, and-or chains, pipelines.

use super::Parser;
use super::keywords::{Keyword, Stops};
use crate::{Chain, Command, Form, Item, Joint, Part, Pipeline, Redirect, RedirectOp, Script, Word};
use alloc::vec;
use alloc::vec::Vec;

impl Parser<'_> {
    /// Reads commands up to one of `stops`, which is left for the caller.
    pub(super) fn list(&mut self, stops: Stops) -> Script {
        let outer_faults = core::mem::take(&mut self.faults);
        let outer = self.wanted;
        self.wanted = outer.or(stops);
        let items = self.items(stops, outer);
        self.wanted = outer;
        Script {
            items,
            faults: core::mem::replace(&mut self.faults, outer_faults),
        }
    }

    /// A list that must not be empty.
    pub(super) fn body(&mut self, stops: Stops) -> Script {
        let mut script = self.list(stops);
        if script.items.is_empty() && script.faults.is_empty() {
            let outer = core::mem::take(&mut self.faults);
            self.unexpected();
            script.faults = core::mem::replace(&mut self.faults, outer);
        }
        script
    }

    fn items(&mut self, stops: Stops, outer: Stops) -> Vec<Item> {
        let mut items = Vec::new();
        while self.next_item(stops, outer, &mut items) {}
        self.close_last_item(&mut items);
        items
    }

    /// Reads up to the end of one more command; false at the end of the list.
    pub(super) fn next_item(&mut self, stops: Stops, outer: Stops, items: &mut Vec<Item>) -> bool {
        self.linebreaks();
        if self.at_end() {
            return false;
        }
        if let Some((closer, after)) = self.closer() {
            if stops.has(closer) {
                return false;
            }
            self.unexpected();
            if outer.has(closer) {
                return false;
            }
            self.pos = after;
            return true;
        }
        let here = self.place();
        if let Some(chain) = self.chain() {
            let background = self.separator(&chain);
            self.add_item(items, Item { chain, background }, &here);
        } else {
            self.unexpected();
            self.skip_token();
        }
        true
    }

    /// Moves over what stands between two commands. True for `&`.
    fn separator(&mut self, chain: &Chain) -> bool {
        if core::mem::take(&mut self.goes_on) {
            return false;
        }
        self.blanks();
        match self.peek() {
            None | Some(b'\n' | b')') => false,
            Some(b';') if self.arm_end().is_some() => false,
            Some(b';') => {
                self.pos += 1;
                false
            }
            Some(b'&') if self.nth(1) != Some(b'&') => {
                self.pos += 1;
                true
            }
            _ => {
                // `(a) fi` needs no separator, `(a) >f fi` does: after the target, `fi` is not reserved.
                if self.closer().is_none() || ends_in_redirect(chain) {
                    self.unexpected();
                }
                false
            }
        }
    }

    /// Moves over a token that begins no command: an operator or a reserved word.
    pub(super) fn skip_token(&mut self) {
        if let Some((_, after)) = self.keyword() {
            self.pos = after;
            return;
        }
        let first = self.peek();
        self.advance(1);
        if matches!(first, Some(b'&' | b'|' | b';')) && self.peek() == first {
            self.advance(1);
        }
    }

    fn chain(&mut self) -> Option<Chain> {
        let first = self.pipeline()?;
        let mut chain = Chain {
            first,
            rest: Vec::new(),
        };
        while let Some(joint) = self.joint() {
            self.linebreaks();
            let here = self.place();
            match self.pipeline() {
                Some(pipeline) => self.add_link(&mut chain, joint, pipeline, &here),
                None => {
                    self.unexpected();
                    break;
                }
            }
        }
        self.close_chain(&mut chain);
        Some(chain)
    }

    pub(super) fn joint(&mut self) -> Option<Joint> {
        self.blanks();
        let joint = match (self.peek()?, self.nth(1)?) {
            (b'&', b'&') => Joint::And,
            (b'|', b'|') => Joint::Or,
            _ => return None,
        };
        self.advance(2);
        Some(joint)
    }

    pub(super) fn pipeline(&mut self) -> Option<Pipeline> {
        let mut pipeline = Pipeline {
            negated: false,
            timed: false,
            stages: Vec::new(),
        };
        let mut prefixed = false;
        while let Some((keyword, after)) = self.keyword() {
            match keyword {
                Keyword::Bang => pipeline.negated = !pipeline.negated,
                Keyword::Time => pipeline.timed = true,
                _ => break,
            }
            prefixed = true;
            self.pos = after;
            self.blanks();
            if keyword == Keyword::Time {
                self.time_options();
            }
        }
        match self.command() {
            Some(command) => pipeline.stages = self.stages(command),
            None if prefixed => self.bare_prefix(),
            None => return None,
        }
        Some(pipeline)
    }

    /// `time -p --`
    fn time_options(&mut self) {
        for option in ["-p", "--"] {
            let here = self.pos;
            let length = self.run(|b| b == b'-' || b == b'p');
            if length == option && self.peek().is_none_or(super::cursor::is_meta) {
                self.blanks();
            } else {
                self.pos = here;
            }
        }
    }

    /// `!` and `time` may stand alone, but only before the end of the command.
    fn bare_prefix(&mut self) {
        if !matches!(self.peek(), None | Some(b'\n' | b';')) || self.arm_end().is_some() {
            self.unexpected();
        }
    }

    fn stages(&mut self, first: Command) -> Vec<Command> {
        let mut stages = vec![first];
        loop {
            self.blanks();
            if self.peek() != Some(b'|') || self.nth(1) == Some(b'|') {
                break;
            }
            self.pipe(&mut stages);
            self.linebreaks();
            if self.eat_keyword(Keyword::Bang) {
                self.unexpected();
                self.blanks();
            }
            let here = self.place();
            match self.command() {
                Some(command) => self.add_stage(&mut stages, command, &here),
                None => {
                    self.unexpected();
                    break;
                }
            }
        }
        self.close_last_stage(&mut stages);
        stages
    }

    /// `|` or `|&`, which also sends the errors of the command before it.
    pub(super) fn pipe(&mut self, stages: &mut [Command]) {
        let start = self.pos;
        let both = self.nth(1) == Some(b'&');
        self.advance(if both { 2 } else { 1 });
        let span = self.span(start, self.pos);
        if both
            && let Some(last) = stages.last_mut()
            && !matches!(last.form, Form::More(_))
        {
            let target = Word {
                parts: vec![Part::Lit("1".into())],
                span,
            };
            last.redirects.push(Redirect {
                fd: Some(2),
                fd_var: None,
                op: RedirectOp::DupOut,
                target,
                span,
            });
        }
    }
}

fn ends_in_redirect(chain: &Chain) -> bool {
    let pipeline = chain.rest.last().map_or(&chain.first, |(_, pipeline)| pipeline);
    pipeline
        .stages
        .last()
        .is_some_and(|last| !matches!(last.form, Form::Simple { .. }) && !last.redirects.is_empty())
}
