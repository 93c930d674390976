//! The postures that choose between the verdicts of a rule.

/// What happens where no person wrote a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Posture {
    /// Everything no rule speaks about is allowed; built-in rules ask.
    #[default]
    Guard,
    /// Least privilege: permission classes and unknown tools ask, built-in dangers are denied.
    Strict,
    /// Judged as in `guard` and recorded; nothing is held.
    Observe,
    /// Nothing is judged or held. That something was wanted is recorded.
    Off,
}

impl Posture {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Guard, Self::Strict, Self::Observe, Self::Off];

    /// The word used in every output and file.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Guard => "guard",
            Self::Strict => "strict",
            Self::Observe => "observe",
            Self::Off => "off",
        }
    }

    /// The one that a word names.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == word)
    }

    /// Whether an ask or a denial stops anything.
    #[must_use]
    pub const fn holds(self) -> bool {
        matches!(self, Self::Guard | Self::Strict)
    }
}

#[cfg(test)]
mod tests {
    use super::Posture;

    #[test]
    fn each_has_a_word_and_two_of_them_hold() {
        for (posture, word, holds) in [
            (Posture::Guard, "guard", true),
            (Posture::Strict, "strict", true),
            (Posture::Observe, "observe", false),
            (Posture::Off, "off", false),
        ] {
            assert_eq!(posture.as_str(), word);
            assert_eq!(Posture::parse(word), Some(posture));
            assert_eq!(posture.holds(), holds, "{word}");
        }
        assert_eq!(Posture::parse("Guard"), None);
    }
}
