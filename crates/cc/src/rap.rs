//! RAP: AIMD of a rate by the gap between packets. A round trip without loss adds a packet per round trip, a loss event halves the rate.
//!
//! Source: [Rejaie99] §2.1 (decision function), §2.3 (fine-grain adaptation). With the gap IPG and a step of one smoothed round trip:
//!
//! ```text
//! no loss in the step:   1/IPG <- 1/IPG + a/SRTT
//! loss event:            IPG <- IPG / (1 - b)
//! fine grain:            a packet waits IPG FRTT/XRTT
//! ```
//!
//! | parameter  | unit               | default | why                                                                   |
//! |------------|--------------------|---------|-----------------------------------------------------------------------|
//! | a          | packets/round trip | 1       | [Rejaie99] §2.1                                                       |
//! | b          | 1                  | 0.5     | the fraction removed, as in TCP(a, b); [Rejaie99] §2.1 halves         |
//! | fine_grain | flag               | 0       | 1: a short average of the round trip over a long one stretches the gap |
//! | K_f, K_x   | 1                  | 0.9, 0.99 | weights of the past in FRTT and XRTT, [Rejaie99] §2.3                |
//!
//! Differs from the paper: the first rate is one packet per round trip, which the SYN exchange has measured; a rate never falls
//! below a packet in 64 s. There is no slow start, as in the paper.

use crate::units::Span;
use serde::{Deserialize, Serialize};

/// The numbers of RAP.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RapParams {
    /// Packets per round trip added in a step without loss.
    pub a: f64,
    /// Fraction of the rate removed on a loss event.
    pub b: f64,
    /// 1: fine-grain adaptation.
    pub fine_grain: f64,
}

/// Longest time between packets, s.
const GAP_MAX: f64 = 64.0;
const SHORT: f64 = 0.9;
const LONG: f64 = 0.99;
const NANOS: f64 = 1e9;

/// The rate of one RAP sender; times in s.
#[derive(Clone, Debug)]
pub struct RapRate {
    params: RapParams,
    /// IPG.
    gap: f64,
    /// FRTT and XRTT, once there is a sample.
    averages: Option<(f64, f64)>,
}

impl RapRate {
    /// Before the first round trip is known: a packet a second.
    pub fn new(params: RapParams) -> Self {
        RapRate { params, gap: 1.0, averages: None }
    }

    /// The handshake measured a round trip.
    pub fn begin(&mut self, rtt: Span) {
        self.gap = seconds(rtt);
        self.sample(rtt);
    }

    /// A packet was acknowledged after this round trip.
    pub fn sample(&mut self, rtt: Span) {
        let sample = seconds(rtt);
        let averages = self.averages.get_or_insert((sample, sample));
        averages.0 = SHORT * averages.0 + (1.0 - SHORT) * sample;
        averages.1 = LONG * averages.1 + (1.0 - LONG) * sample;
    }

    /// A step of one smoothed round trip passed without a loss event.
    pub fn on_step(&mut self, srtt: Span) {
        self.gap = 1.0 / (1.0 / self.gap + self.params.a / seconds(srtt));
    }

    /// A loss event.
    pub fn on_loss(&mut self) {
        self.gap = (self.gap / (1.0 - self.params.b)).min(GAP_MAX);
    }

    /// The time between two packets.
    pub fn interval(&self) -> Span {
        let stretch = match self.averages {
            Some((short, long)) if self.params.fine_grain > 0.0 => short / long,
            _ => 1.0,
        };
        Span::from_nanos(((self.gap * stretch).min(GAP_MAX) * NANOS) as u64)
    }

    /// Packets per round trip.
    pub fn packets_per_round_trip(&self, srtt: Span) -> f64 {
        seconds(srtt) / self.gap
    }
}

fn seconds(span: Span) -> f64 {
    span.nanos().max(1) as f64 / NANOS
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Span = Span::from_millis(100);

    fn begun(a: f64, b: f64, fine_grain: f64) -> RapRate {
        let mut rate = RapRate::new(RapParams { a, b, fine_grain });
        rate.begin(RTT);
        rate
    }

    fn packets(rate: &RapRate, expected: f64) {
        let found = rate.packets_per_round_trip(RTT);
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} instead of {expected}");
    }

    #[test]
    fn a_step_adds_a_and_a_loss_removes_the_fraction_b() {
        let mut rate = begun(0.5, 0.125, 0.0);
        packets(&rate, 1.0);
        (0..8).for_each(|_| rate.on_step(RTT));
        packets(&rate, 5.0);
        assert_eq!(rate.interval(), Span::from_millis(20));
        rate.on_loss();
        packets(&rate, 5.0 * 0.875);
    }

    #[test]
    fn losses_alone_leave_a_packet_in_64_seconds() {
        let mut rate = begun(1.0, 0.5, 0.0);
        (0..100).for_each(|_| rate.on_loss());
        assert_eq!(rate.interval(), Span::from_seconds(64));
    }

    #[test]
    fn fine_grain_follows_the_short_average_over_the_long_one() {
        let mut rate = begun(1.0, 0.5, 1.0);
        rate.sample(Span::from_millis(200));
        let stretch = (0.9 * 0.1 + 0.1 * 0.2) / (0.99 * 0.1 + 0.01 * 0.2);
        assert_eq!(rate.interval(), Span::from_nanos((0.1 * stretch * 1e9) as u64));
    }
}
