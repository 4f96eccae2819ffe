//! What a congestion signal did to a window: how it was answered, and the window before and after.
//!
//! Source: none; laws and idle rules are told of it.

/// How a congestion signal was answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// The law was applied.
    Law,
    /// Slow start was left with half the window.
    Half,
    /// A mark left the fraction that the settings say (RFC 8511).
    Alternative,
    /// The law was applied, and slow start from one packet leads to this window, which it left.
    Return(f64),
    /// The connection starts again, after a timeout or persistent congestion.
    Restart,
    /// Not at all: a timeout that must not cut.
    Nothing,
}

/// What a congestion signal did to the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// How it was answered.
    pub answer: Answer,
    /// The window before.
    pub before: f64,
    /// The window afterwards.
    pub after: f64,
}
