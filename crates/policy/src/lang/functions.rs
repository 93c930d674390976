//! Functions of the code: walked once as they stand, and again where they are called.

use alloc::collections::BTreeSet;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::branches::inside;
use super::cursor::{Cursor, params_in};
use super::lexer::Tok;
use super::value::Val;
use super::walk::{Walk, bare};

/// Functions that are remembered.
const MAX_FUNCTIONS: usize = 256;

/// A function of the code.
#[derive(Clone)]
pub(super) struct Function {
    params: Vec<String>,
    body: Cursor,
    own: Rc<Own>,
}

type Names = BTreeSet<String>;

/// The names that mean something else outside of a function.
#[derive(Clone, Debug)]
pub(super) enum Own {
    /// All that it gives a value to, but for these.
    AllBut(Names),
    Only(Names),
}

impl Own {
    pub(super) fn has(&self, name: &str) -> bool {
        match self {
            Self::AllBut(shared) => !name.contains('.') && !shared.contains(name),
            Self::Only(own) => own.contains(name),
        }
    }
}

impl Walk<'_> {
    /// `def f(a, b): ..`, `function f(a) {..}`
    pub(super) fn definition(&mut self, cur: &mut Cursor) {
        cur.at += 1;
        let Some(name) = cur.name().map(ToString::to_string) else {
            return;
        };
        cur.at += 1;
        while matches!(cur.tok(), Some(Tok::Op("." | ":"))) && matches!(cur.ahead(1), Some(Tok::Name(_))) {
            cur.at += 2;
        }
        let function = self.function(cur, true);
        self.bind(&name, function);
    }

    /// Parameters and body of a function, from its brackets on.
    pub(super) fn function(&mut self, cur: &mut Cursor, named: bool) -> Val {
        let mut params = Vec::new();
        if cur.is("(") {
            let close = cur.closing(cur.at);
            params = params_in(&cur.range(cur.at + 1, close));
            // What a method is called on is no argument.
            if params.first().is_some_and(|p| matches!(p.as_str(), "self" | "cls")) {
                params.remove(0);
            }
            cur.at = close + 1;
        }
        if cur.is("=>") || cur.is("->") {
            cur.at += 1;
        }
        let end = self.block_end(cur);
        let body = cur.range(cur.at, end);
        cur.at = end;
        self.new_function(params, body, named)
    }

    pub(super) fn new_function(&mut self, params: Vec<String>, body: Cursor, named: bool) -> Val {
        let element = self.element.clone().unwrap_or_else(Val::nothing);
        let printed = self.printed.clone();
        let returned = self.returned.take();
        let own = Rc::new(self.own_names(&params, &body, named));
        self.within(own.clone(), |walk| {
            params.iter().for_each(|p| walk.bind(p, element.clone()));
            walk.walk(&mut inside(&body))
        });
        // It has printed nothing yet.
        self.printed = printed;
        self.returned = returned;
        if self.functions.len() >= MAX_FUNCTIONS {
            return Val::nothing();
        }
        self.functions.push(Function { params, body, own });
        Val::Function(self.functions.len() - 1)
    }

    pub(super) fn call_function(&mut self, index: usize, args: &[Val]) -> Val {
        let Some(function) = self.functions.get(index).cloned() else {
            return Val::nothing();
        };
        self.deeper(Val::nothing(), |walk| {
            walk.within(function.own.clone(), |walk| walk.called(&function, args))
        })
    }

    fn called(&mut self, function: &Function, args: &[Val]) -> Val {
        for (i, param) in function.params.iter().enumerate() {
            self.bind(param, args.get(i).cloned().unwrap_or_else(Val::nothing));
        }
        if self.syntax.sigils {
            self.bind("_", Val::List(args.to_vec()));
        }
        let outer = self.returned.take();
        let last = self.walk(&mut inside(&function.body));
        let out = self.returned.take().unwrap_or(last);
        self.returned = outer;
        out
    }

    /// The names that are a function's own: in some languages all but those that it says otherwise of, in others those
    /// that it declares.
    fn own_names(&mut self, params: &[String], body: &Cursor, named: bool) -> Own {
        self.pay(body.end.saturating_sub(body.at));
        if matches!(self.lang, "python" | "php" | "r") || self.lang == "ruby" && named {
            let shared = shared(body, self.lang == "ruby");
            self.pay_names(shared.len());
            return Own::AllBut(shared);
        }
        let mut own = Names::new();
        params.iter().for_each(|p| add(&mut own, bare(p)));
        declared(body, &mut own);
        self.pay_names(own.len());
        Own::Only(own)
    }
}

/// Names that a function says are not its own: `global x`, `$x` and `@x` of Ruby, `x <<- 1`.
fn shared(body: &Cursor, ruby: bool) -> Names {
    let mut out = Names::new();
    let mut says = false;
    for at in body.at..body.end {
        match body.get(at) {
            Some(Tok::Name(n)) if matches!(n.as_str(), "global" | "nonlocal") => says = true,
            Some(Tok::Name(n)) => {
                let outwards = body.get(at + 1) == Some(&Tok::Op("<<"));
                if says || outwards || n.starts_with('@') || ruby && n.starts_with('$') {
                    add(&mut out, bare(n));
                }
            }
            Some(Tok::Newline(_) | Tok::Op(";")) => says = false,
            _ => {}
        }
    }
    out
}

/// Names that are declared: `let x`, `my ($x, $y)`, `const {x, y}`, `x := 1`, `String x = ..`.
fn declared(body: &Cursor, out: &mut Names) {
    const DECLARE: &[&str] = &["let", "const", "var", "val", "my", "local", "auto", "mut"];
    for at in body.at..body.end {
        match (body.get(at), body.get(at + 1)) {
            (Some(Tok::Name(n)), Some(Tok::Name(next))) => {
                let typed = body.get(at + 2) == Some(&Tok::Op("=")) && !matches!(n.as_str(), "return" | "and" | "or");
                if DECLARE.contains(&n.as_str()) || typed {
                    add(out, bare(next));
                }
            }
            (Some(Tok::Name(n)), Some(Tok::Op("(" | "{" | "["))) if DECLARE.contains(&n.as_str()) => {
                let inner = body.range(at + 2, body.closing(at + 1));
                let names = (inner.at..inner.end).filter_map(|at| match inner.get(at) {
                    Some(Tok::Name(n)) => Some(bare(n)),
                    _ => None,
                });
                names.for_each(|n| add(out, n));
            }
            (Some(Tok::Name(n)), Some(Tok::Op(":="))) => add(out, n),
            _ => {}
        }
    }
}

/// The same few names come again and again.
fn add(names: &mut Names, name: &str) {
    if !names.contains(name) {
        names.insert(name.to_string());
    }
}
