//! The postures that choose between the verdicts of a rule.

/// What happens where no person wrote a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Posture {
    /// Everything no rule speaks about is allowed; built-in rules ask.
    #[default]
    Guard,
    /// Least privilege: permission classes and unknown tools ask, built-in dangers are denied.
    Strict,
}
