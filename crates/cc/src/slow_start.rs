//! Slow start: a value that any window-based controller can hold.
//!
//! Source: RFC 5681 §3.1 (one packet per acknowledged packet while the window is below `ssthresh`).
//!
//! | parameter         | unit    | default | why                                                            |
//! |-------------------|---------|---------|----------------------------------------------------------------|
//! | initial threshold | packets | none    | RFC 5681 §3.1: "arbitrarily high"                              |
//! | exit              | choice  | half    | ns-2 halves when slow start overshoots, because doubling does so by up to a factor two; `law` applies the controller's own decrease |

use crate::units::Window;
use serde::{Deserialize, Serialize};

/// What a loss during slow start does to the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SlowStartExit {
    /// Halve the window, whatever the controller's law.
    #[default]
    Half,
    /// Apply the controller's own decrease.
    Law,
}

/// The slow-start threshold and the rule for leaving.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowStart {
    threshold: f64,
    exit: SlowStartExit,
}

impl SlowStart {
    /// The smallest threshold after a congestion signal, in packets (RFC 5681 §3.1, equation 4).
    pub const THRESHOLD_MIN: f64 = 2.0;

    /// A connection's first slow start; without a threshold it runs until the first congestion signal.
    pub fn new(initial_threshold: Option<Window>, exit: SlowStartExit) -> Self {
        SlowStart { threshold: initial_threshold.map_or(f64::INFINITY, Window::packets), exit }
    }

    /// Is a window of this size in slow start?
    pub fn covers(&self, window: f64) -> bool {
        window < self.threshold
    }

    /// Must a loss at this window halve it instead of applying the law?
    pub fn halves(&self, window: f64) -> bool {
        self.exit == SlowStartExit::Half && self.covers(window)
    }

    /// Remember the window to return to.
    pub fn set_threshold(&mut self, window: f64) {
        self.threshold = window.max(Self::THRESHOLD_MIN);
    }

    /// The threshold.
    pub fn threshold(&self) -> Window {
        Window::from_packets(self.threshold)
    }
}
