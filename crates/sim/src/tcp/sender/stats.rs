//! What a sender counts, and what it tells of a cut.

use sawtooth_cc::Congestion;
use sawtooth_cc::units::{Span, Window};

/// What is counted per sender since counting began.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct SenderStats {
    window_seconds: f64,
    /// Data packets sent.
    pub sent: u64,
    /// Of these, packets sent before.
    pub retransmits: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Fast retransmits.
    pub loss_events: u64,
    /// Reductions on ECN echoes.
    pub ecn_reductions: u64,
}

impl SenderStats {
    /// The window has been this for so long.
    #[inline]
    pub fn accrue(&mut self, window: Window, span: Span) {
        // A span fits into 63 bits, from which the conversion is one instruction instead of six.
        self.window_seconds += window.packets() * span.nanos().cast_signed() as f64;
    }

    /// Time mean of the window over so long.
    pub fn window_mean(&self, span: Span) -> f64 {
        let nanos = span.nanos() as f64;
        if nanos > 0.0 { self.window_seconds / nanos } else { 0.0 }
    }
}

/// A cut of the window, to be recorded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowCut {
    /// Why.
    pub kind: Congestion,
    /// Window before.
    pub before: Window,
}
