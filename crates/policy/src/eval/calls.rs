//! Calls of functions, and the words of all calls for whoever wants to know them.

use alloc::string::String;
use alloc::vec::Vec;

use super::invoke::join;
use super::state::{Function, Shared, State};
use super::{BYTES_PER_WORD, Eval, Labels, Stream, UNKNOWN, Value};

/// Calls whose words are kept.
const MAX_NOTED: usize = 256;
/// Bytes that are kept of the words of one call.
const MAX_WORDS: usize = 4096;

impl Eval<'_> {
    /// Keeps the words of every command that is started from now on, if anybody wants them.
    pub(crate) fn note_calls(&mut self, wanted: bool) {
        self.noted = wanted.then(Vec::new);
    }

    /// The words that were kept.
    pub(crate) fn take_calls(&mut self) -> Vec<String> {
        self.noted.take().unwrap_or_default()
    }

    pub(super) fn note_call(&mut self, argv: &[Value]) {
        let Some(noted) = &mut self.noted else {
            return;
        };
        if noted.len() >= MAX_NOTED || argv.len() > MAX_WORDS {
            return;
        }
        let words = join(argv).pattern().replace(UNKNOWN, "…");
        if words.len() <= MAX_WORDS && !noted.contains(&words) {
            noted.push(words);
        }
    }

    pub(super) fn call(
        &mut self,
        name: &str,
        function: &Function,
        argv: &[Value],
        stdin: Stream,
        piped: bool,
    ) -> Stream {
        let mut args = argv.get(1..).unwrap_or_default().to_vec();
        if self.is_endless(name, &mut args) {
            return Stream::unknown(Labels::RUNTIME);
        }
        let saved = core::mem::replace(&mut self.state.positional, args.into());
        // The same call in the same state would only do the same again.
        let same = |(called, state): &(String, Shared<State>)| called == name && *state == self.state;
        if let Some(at) = self.calls.iter().position(same) {
            self.cut = self.cut.min(at);
            self.state.positional = saved;
            return Stream::unknown(Labels::RUNTIME);
        }
        let forks = core::mem::take(&mut self.forks);
        let left = core::mem::take(&mut self.left);
        let out = match self.known_call(function, &stdin, piped) {
            Some(trace) => self.repeat(&trace),
            None => self.first_call(name, function, stdin, piped),
        };
        let ends = core::mem::replace(&mut self.forks, forks);
        let left = core::mem::replace(&mut self.left, left);
        for mut state in ends.into_iter().chain(left) {
            state.positional = saved.clone();
            self.fork(state);
        }
        self.state.positional = saved;
        out
    }

    /// Whether a function that calls itself has been followed far enough: one that nothing ends as far as is known, because
    /// the end hangs on what is not known or the call is known not to happen. On the way there what is not known of the
    /// arguments grows until nothing new comes.
    fn is_endless(&mut self, name: &str, args: &mut [Value]) -> bool {
        let present = self.calls.iter().filter(|(called, _)| called == name).count();
        if present > 0 && self.idle > 0 {
            return true;
        }
        let (followed, most) = self.most_recursion();
        if present < followed || !args.iter().any(Value::has_unknown) {
            return false;
        }
        for arg in args.iter_mut().filter(|arg| arg.has_unknown()) {
            *arg = Value::unknown(arg.labels).at(arg.span);
        }
        present >= most
    }

    fn first_call(&mut self, name: &str, function: &Function, stdin: Stream, piped: bool) -> Stream {
        let level = self.calls.len();
        let cut = core::mem::replace(&mut self.cut, usize::MAX);
        self.spend_bytes(BYTES_PER_WORD);
        self.calls.push((name.into(), self.state.clone()));
        let mark = self.listen();
        let broken = core::mem::take(&mut self.broken);
        self.scopes.push(Vec::new());
        let out = self.nested_call(name, function, |eval| {
            eval.command(&function.body, stdin.clone(), piped)
        });
        self.leave_scope();
        self.broken = broken;
        let trace = self.heard(mark, &out);
        self.calls.pop();
        // What was left out because a call around this one does it is there only inside that call.
        if self.cut >= level {
            self.cut = cut;
            if let Some(trace) = trace {
                self.remember_call(function, stdin, piped, trace);
            }
        } else {
            self.cut = self.cut.min(cut);
        }
        out
    }

    /// Like [`Eval::nested`], but spans in the body are those of the place where it was defined.
    fn nested_call<T>(&mut self, name: &str, function: &Function, f: impl FnOnce(&mut Self) -> T) -> T {
        let (pin, file_pin) = (self.pin, self.file_pin);
        let here = self.sources.last().cloned();
        let elsewhere = function.source != here;
        self.pin = function.pin.or(pin);
        if elsewhere {
            self.file_pin = None;
            self.sources.extend(function.source.clone());
        }
        self.nest += 1;
        self.chain.push(alloc::format!("function {name}"));
        let out = f(self);
        self.chain.pop();
        self.nest -= 1;
        if elsewhere && function.source.is_some() {
            self.sources.pop();
        }
        self.pin = pin;
        self.file_pin = file_pin;
        out
    }
}
