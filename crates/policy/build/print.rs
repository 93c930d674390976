//! What was read, as Rust expressions.

use rulebook::{Act, Cond, Does, On, Opt, PathRow, Program, Role, Rule, Slot, Test};

/// Something that can stand in a static.
pub(crate) trait Print {
    /// The expression.
    fn print(&self) -> String;
}

impl Print for str {
    fn print(&self) -> String {
        format!("{self:?}")
    }
}

impl Print for String {
    fn print(&self) -> String {
        self.as_str().print()
    }
}

impl Print for usize {
    fn print(&self) -> String {
        self.to_string()
    }
}

impl<T: Print + ?Sized> Print for &T {
    fn print(&self) -> String {
        (**self).print()
    }
}

/// A slice, not an array: that is what the tables hold.
impl<T: Print> Print for [T] {
    fn print(&self) -> String {
        let items: Vec<String> = self.iter().map(Print::print).collect();
        format!("&[{}]", items.join(", "))
    }
}

impl<A: Print, B: Print> Print for (A, B) {
    fn print(&self) -> String {
        format!("({}, {})", self.0.print(), self.1.print())
    }
}

impl<T: Print> Print for Vec<T> {
    fn print(&self) -> String {
        self.as_slice().print()
    }
}

/// Closed lists print as their variants' names.
macro_rules! variants {
    ($($name:ident),*) => {
        $(impl Print for rulebook::$name {
            fn print(&self) -> String {
                format!(concat!("rulebook::", stringify!($name), "::{:?}"), self)
            }
        })*
    };
}

variants!(Kind, Risk, RoleKind, Style, Verdict);

impl Print for Act {
    fn print(&self) -> String {
        format!("rulebook::Act::{self:?}")
    }
}

/// A structure prints field by field.
macro_rules! fields {
    ($($name:ident { $($field:ident),* })*) => {
        $(impl Print for $name {
            fn print(&self) -> String {
                let fields = [$(format!(concat!(stringify!($field), ": {}"), self.$field.print())),*];
                format!(concat!("rulebook::", stringify!($name), " {{ {} }}"), fields.join(", "))
            }
        })*
    };
}

fields! {
    Program { names, style, options, operands, alternates, subs, does, stdin, stdout, place, class }
    Opt { names, role, attached }
    Slot { role, many }
    Role { kind, arg, tags }
    Does { act, what, on, tags, when }
    Cond { not, test }
    Rule { id, kinds, acts, whats, any, class, guard, strict, risk, why, instead, lost, remember, reversible, lasting }
    PathRow { except, tags }
}

impl Print for bool {
    fn print(&self) -> String {
        self.to_string()
    }
}

impl Print for On {
    fn print(&self) -> String {
        format!("rulebook::On::{self:?}")
    }
}

impl Print for Test {
    fn print(&self) -> String {
        format!("rulebook::Test::{self:?}")
    }
}
