//! The standard slow start: a packet for every packet acknowledged, until congestion.
//!
//! Source: RFC 5681 §3.1. How many packets an acknowledgement counts for at most (RFC 3465 §2.2) is the transport's rule.

use super::{SenderTraits, SlowStartRule};
use crate::controller::Wants;
use crate::sample::AckSample;
use crate::signal::Congestion;

/// The rule; it remembers nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standard;

impl Standard {
    /// The rule at the start of a connection.
    pub fn new(_: SenderTraits) -> Self {
        Standard
    }
}

impl SlowStartRule for Standard {
    fn wants(&self) -> Wants {
        Wants::NOTHING
    }

    #[inline(always)]
    fn ends(&mut self, _window: f64, _ack: &AckSample) -> bool {
        false
    }

    #[inline(always)]
    fn growth(&mut self, ack: &AckSample) -> f64 {
        f64::from(ack.newly_acked)
    }

    fn on_cut(&mut self, _: Congestion) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Time;

    #[test]
    fn every_packet_acknowledged_adds_one_and_nothing_but_congestion_ends_it() {
        let ack = AckSample { round_ended: true, ..AckSample::classic(Time::ZERO, 2, None, true) };
        assert_eq!(Standard.growth(&ack), 2.0);
        assert!(!Standard.ends(1e6, &ack));
    }
}
