//! HyStart with one of its two detectors: longer round trips alone end slow start.
//!
//! Source: [HaRhee11] §4, as Linux has it with `hystart_detect` 2. The rule and its parameters are those of [`super::hystart`].

use super::hystart::{Detectors, Hystart};
use super::{SenderTraits, SlowStartRule};
use crate::controller::Wants;
use crate::sample::AckSample;
use crate::signal::Congestion;

/// HyStart in which trains of acknowledgements end nothing.
#[derive(Clone, Copy, Debug)]
pub struct HystartDelay(Hystart);

impl HystartDelay {
    /// The rule at the start of a connection.
    pub fn new(sender: SenderTraits) -> Self {
        HystartDelay(Hystart::with(Detectors::Delay, sender))
    }
}

impl SlowStartRule for HystartDelay {
    fn wants(&self) -> Wants {
        self.0.wants()
    }

    fn ends(&mut self, window: f64, ack: &AckSample) -> bool {
        self.0.ends(window, ack)
    }

    fn growth(&mut self, ack: &AckSample) -> f64 {
        self.0.growth(ack)
    }

    fn on_cut(&mut self, kind: Congestion) {
        self.0.on_cut(kind);
    }
}
