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
        loop {
            self.linebreaks();
            if self.at_end() {
                return items;
            }
            if let Some((closer, after)) = self.closer() {
                if stops.has(closer) {
                    return items;
                }
                self.unexpected();
                if outer.has(closer) {
                    return items;
                }
                self.pos = after;
            } else if let Some(chain) = self.chain() {
                let background = self.separator(&chain);
                items.push(Item { chain, background });
            } else {
                self.unexpected();
                self.skip_token();
            }
        }
    }

    /// Moves over what stands between two commands. True for `&`.
    fn separator(&mut self, chain: &Chain) -> bool {
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
        let mut rest = Vec::new();
        while let Some(joint) = self.joint() {
            self.linebreaks();
            match self.pipeline() {
                Some(pipeline) => rest.push((joint, pipeline)),
                None => {
                    self.unexpected();
                    break;
                }
            }
        }
        Some(Chain { first, rest })
    }

    fn joint(&mut self) -> Option<Joint> {
        self.blanks();
        let joint = match (self.peek()?, self.nth(1)?) {
            (b'&', b'&') => Joint::And,
            (b'|', b'|') => Joint::Or,
            _ => return None,
        };
        self.advance(2);
        Some(joint)
    }

    fn pipeline(&mut self) -> Option<Pipeline> {
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
                return stages;
            }
            self.pipe(&mut stages);
            self.linebreaks();
            if self.eat_keyword(Keyword::Bang) {
                self.unexpected();
                self.blanks();
            }
            match self.command() {
                Some(command) => stages.push(command),
                None => {
                    self.unexpected();
                    return stages;
                }
            }
        }
    }

    /// `|` or `|&`, which also sends the errors of the command before it.
    fn pipe(&mut self, stages: &mut [Command]) {
        let start = self.pos;
        let both = self.nth(1) == Some(b'&');
        self.advance(if both { 2 } else { 1 });
        let span = self.span(start, self.pos);
        if both && let Some(last) = stages.last_mut() {
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
