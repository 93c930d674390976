//! The order of verdicts, and the postures that choose between them.

/// An opinion, mildest first; the strictest of all findings wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Nothing speaks against it.
    #[default]
    Allow,
    /// Worth showing, not worth stopping.
    Warn,
    /// A person decides.
    Ask,
    /// Refused.
    Deny,
}

impl Verdict {
    /// The word used in every output and file.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// How bad a matched rule is. Shown to people; it never decides by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Risk {
    /// Ordinary work.
    #[default]
    Low,
    /// Worth a look.
    Medium,
    /// Can cost work, secrets or privacy.
    High,
    /// Cannot be undone.
    Critical,
}

impl Risk {
    /// The word used in every output and file.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// What happens where no person wrote a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Posture {
    /// Everything no rule speaks about is allowed; built-in rules ask.
    #[default]
    Guard,
    /// Least privilege: permission classes and unknown tools ask, built-in dangers are denied.
    Strict,
}
