//! Walking a tree.

use crate::{Command, Item, Redirect, RedirectOp, Script, Word};

/// What [`Script::visit`] shows.
#[derive(Clone, Copy, Debug)]
pub enum Node<'a> {
    /// A list of commands.
    Script(&'a Script),
    /// A command.
    Command(&'a Command),
    /// A redirection.
    Redirect(&'a Redirect),
    /// A word.
    Word(&'a Word),
}

impl Script {
    /// Whether anything in this script, or in any script inside it, could not be read.
    #[must_use]
    pub fn has_faults(&self) -> bool {
        let mut search = Faults(false);
        reading::script(self, &mut search);
        search.0
    }

    /// Whether a fault anywhere in the tree satisfies `test`.
    pub fn any_fault(&self, test: impl Fn(&crate::Fault) -> bool) -> bool {
        let mut found = false;
        self.visit(&mut |node| {
            if let Node::Script(script) = node {
                found |= script.faults.iter().any(&test);
            }
        });
        found
    }

    /// Calls `see` on everything in the tree, outer before inner.
    pub fn visit(&self, see: &mut dyn FnMut(Node<'_>)) {
        reading::script(self, &mut See(see));
    }
}

impl Word {
    /// Whether anything in a script inside this word could not be read.
    pub(crate) fn has_faults(&self) -> bool {
        let mut search = Faults(false);
        reading::word(self, &mut search);
        search.0
    }
}

impl Command {
    /// Whether anything in a script inside this command could not be read.
    pub(crate) fn has_faults(&self) -> bool {
        let mut search = Faults(false);
        reading::command(self, &mut search);
        search.0
    }
}

impl Item {
    /// Whether anything in a script inside this command could not be read.
    pub(crate) fn has_faults(&self) -> bool {
        let mut search = Faults(false);
        reading::item(self, &mut search);
        search.0
    }
}

struct Faults(bool);

impl reading::Visitor for Faults {
    fn script(&mut self, script: &Script) {
        self.0 |= !script.faults.is_empty();
    }
}

struct See<'s>(&'s mut dyn FnMut(Node<'_>));

impl reading::Visitor for See<'_> {
    fn script(&mut self, script: &Script) {
        (self.0)(Node::Script(script));
    }

    fn command(&mut self, command: &Command) {
        (self.0)(Node::Command(command));
    }

    fn redirect(&mut self, redirect: &Redirect) {
        (self.0)(Node::Redirect(redirect));
    }

    fn word(&mut self, word: &Word) {
        (self.0)(Node::Word(word));
    }
}

/// Puts the bodies of here-documents in the places that the parser numbered.
pub(crate) fn fill_documents(script: &mut Script, bodies: &mut [Word]) {
    if !bodies.is_empty() {
        writing::script(script, &mut Fill(bodies));
    }
}

/// The same for a command that stands alone.
pub(crate) fn fill_command(command: &mut Command, bodies: &mut [Word]) {
    if !bodies.is_empty() {
        writing::command(command, &mut Fill(bodies));
    }
}

/// The same for a word that stands alone.
pub(crate) fn fill_word(word: &mut Word, bodies: &mut [Word]) {
    if !bodies.is_empty() {
        writing::word(word, &mut Fill(bodies));
    }
}

struct Fill<'b>(&'b mut [Word]);

impl writing::Visitor for Fill<'_> {
    fn redirect(&mut self, redirect: &mut Redirect) {
        if redirect.op == RedirectOp::HereDoc
            && let Some(body) = usize::try_from(redirect.target.span.start)
                .ok()
                .and_then(|n| self.0.get_mut(n))
        {
            redirect.target = core::mem::take(body);
        }
    }
}

/// The same walk over shared and over exclusive references.
macro_rules! walk {
    ($module:ident, $function_body:expr, $inner_script:expr $(, $mut:tt)?) => {
        mod $module {
            use crate::{Arith, Arm, Assign, Command, Form, Item, Param, ParamOp, Part, Pipeline, Redirect, Script, Word};
            use alloc::rc::Rc;

            /// What is done at each node, before the walk goes into it.
            pub(super) trait Visitor {
                fn script(&mut self, _: &$($mut)? Script) {}
                fn command(&mut self, _: &$($mut)? Command) {}
                fn redirect(&mut self, _: &$($mut)? Redirect) {}
                fn word(&mut self, _: &$($mut)? Word) {}
            }

            pub(super) fn script(script: &$($mut)? Script, v: &mut dyn Visitor) {
                v.script(script);
                for next in &$($mut)? script.items {
                    item(next, v);
                }
            }

            pub(super) fn item(item: &$($mut)? Item, v: &mut dyn Visitor) {
                pipeline(&$($mut)? item.chain.first, v);
                for (_, next) in &$($mut)? item.chain.rest {
                    pipeline(next, v);
                }
            }

            fn pipeline(pipeline: &$($mut)? Pipeline, v: &mut dyn Visitor) {
                for stage in &$($mut)? pipeline.stages {
                    command(stage, v);
                }
            }

            pub(super) fn command(command: &$($mut)? Command, v: &mut dyn Visitor) {
                v.command(command);
                form(&$($mut)? command.form, v);
                for redirect in &$($mut)? command.redirects {
                    v.redirect(redirect);
                    word(&$($mut)? redirect.target, v);
                }
            }

            fn form(form: &$($mut)? Form, v: &mut dyn Visitor) {
                match form {
                    Form::Simple { assigns, words: all } => {
                        for assign in assigns {
                            assignment(assign, v);
                        }
                        words(all, v);
                    }
                    Form::Subshell(inner) | Form::Group(inner) => script(inner, v),
                    Form::If { branches, otherwise } => {
                        for (condition, body) in branches {
                            script(condition, v);
                            script(body, v);
                        }
                        if let Some(body) = otherwise {
                            script(body, v);
                        }
                    }
                    Form::Loop { condition, body, .. } => {
                        script(condition, v);
                        script(body, v);
                    }
                    Form::For { words: list, body, .. } => {
                        if let Some(list) = list {
                            words(list, v);
                        }
                        script(body, v);
                    }
                    Form::ForArith { head, body } => {
                        for expression in &$($mut)? **head {
                            arith(expression, v);
                        }
                        script(body, v);
                    }
                    Form::Case { subject, arms } => {
                        word(subject, v);
                        for next in arms {
                            arm(next, v);
                        }
                    }
                    Form::Test(list) => words(list, v),
                    Form::Arith(expression) => arith(expression, v),
                    Form::Function { body, .. } => {
                        let inner: fn(&$($mut)? Rc<Command>) -> Option<&$($mut)? Command> = $function_body;
                        if let Some(inner) = inner(body) {
                            command(inner, v);
                        }
                    }
                    Form::Coproc(inner) => command(inner, v),
                    Form::More(_) => {}
                }
            }

            fn arm(arm: &$($mut)? Arm, v: &mut dyn Visitor) {
                words(&$($mut)? arm.patterns, v);
                script(&$($mut)? arm.body, v);
            }

            fn assignment(assign: &$($mut)? Assign, v: &mut dyn Visitor) {
                if let Some(index) = &$($mut)? assign.index {
                    word(index, v);
                }
                word(&$($mut)? assign.value, v);
            }

            fn words(list: &$($mut)? [Word], v: &mut dyn Visitor) {
                for next in list {
                    word(next, v);
                }
            }

            pub(super) fn word(word: &$($mut)? Word, v: &mut dyn Visitor) {
                v.word(word);
                parts(&$($mut)? word.parts, v);
            }

            fn arith(arith: &$($mut)? Arith, v: &mut dyn Visitor) {
                parts(&$($mut)? arith.parts, v);
            }

            fn parts(parts: &$($mut)? [Part], v: &mut dyn Visitor) {
                for part in parts {
                    self::part(part, v);
                }
            }

            fn part(part: &$($mut)? Part, v: &mut dyn Visitor) {
                match part {
                    Part::Lit(_) | Part::Quoted(_) | Part::Words(_) => {}
                    Part::Double(inner) => parts(inner, v),
                    Part::Param(inner) => param(inner, v),
                    Part::Command(inner) | Part::Process { script: inner, .. } => {
                        let own: fn(&$($mut)? Rc<Script>) -> Option<&$($mut)? Script> = $inner_script;
                        if let Some(inner) = own(inner) {
                            script(inner, v);
                        }
                    }
                    Part::Arith(inner) => arith(inner, v),
                    Part::Array(inner) => words(inner, v),
                }
            }

            fn param(param: &$($mut)? Param, v: &mut dyn Visitor) {
                if let Some(index) = &$($mut)? param.index {
                    word(index, v);
                }
                match &$($mut)? param.op {
                    ParamOp::None | ParamOp::Transform(_) | ParamOp::Names => {}
                    ParamOp::Default { word: operand, .. }
                    | ParamOp::Trim { pattern: operand, .. }
                    | ParamOp::Other(operand) => word(operand, v),
                    ParamOp::Replace { pattern, with, .. } => {
                        word(pattern, v);
                        word(with, v);
                    }
                    ParamOp::Slice { offset, length } => {
                        arith(offset, v);
                        if let Some(length) = length {
                            arith(length, v);
                        }
                    }
                    ParamOp::Case { pattern, .. } => {
                        if let Some(pattern) = pattern {
                            word(pattern, v);
                        }
                    }
                }
            }
        }
    };
}

walk!(reading, |body| Some(body), |inner| Some(inner));
// The parser has just made the tree, so everything in it has one owner.
walk!(writing, |body| Rc::get_mut(body), |inner| Rc::get_mut(inner), mut);
