//! RAP: AIMD of a rate by the gap between packets. A round trip without loss adds a packet per round trip, a loss event halves the rate.
//!
//! Source: [Rejaie99] §2.1 (decision function), §2.3 (fine-grain adaptation). With the gap IPG and a step of one smoothed round trip:
//!
//! ```text
//! no loss in the step:   1/IPG <- 1/IPG + a/SRTT
//! loss event:            IPG <- IPG / (1 - b)
//! fine grain:            a packet waits IPG FRTT/XRTT
//! timeout:               mu SRTT + phi VAR
//! ```
//!
//! | parameter  | unit               | default | why                                                                   |
//! |------------|--------------------|---------|-----------------------------------------------------------------------|
//! | a          | packets/round trip | 1       | [Rejaie99] §2.1                                                       |
//! | b          | 1                  | 0.5     | the fraction removed, as in TCP(a, b); [Rejaie99] §2.1 halves         |
//! | fine_grain | flag               | 0       | 1: a short average of the round trip over a long one stretches the gap |
//! | gain       | 1                  | 0.125   | weight of the newest round trip in SRTT and in its mean deviation VAR, as RFC 6298 has it for SRTT; 0.5 in ns-2's RAP |
//! | mu, phi    | 1                  | 1.2, 4  | ns-2's RAP; without the margin of mu a path of constant round trips would time out |
//! | K_f, K_x   | 1                  | 0.9, 0.01 | weights of the newest round trip in FRTT and XRTT, ns-2's RAP        |
//!
//! ns-2's RAP is by the authors' group. The gain matters because a step lasts a smoothed round trip. With a large gain, all flows over
//! an oscillating queue grow fast together while it is short (docs/validation.md).
//!
//! Differs from the paper: the first rate is one packet per round trip, which the SYN exchange has measured. A rate never falls below
//! one packet in 64 s. There is no slow start, as in the paper.

use crate::constructor::{ConstructorInfo, ParameterInfo};
use crate::units::Span;
use crate::{ControllerSpec, Properties};
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
    /// Weight of the newest round trip in the averages.
    pub gain: f64,
}

/// What it is listed with.
pub const FAMILY: &str = "rate laws";

/// What it answers with and what it needs.
pub const PROPERTIES: Properties = Properties::OWN_TRANSPORT;

/// The names people write.
pub const CONSTRUCTORS: &[ConstructorInfo] = &[ConstructorInfo {
    name: "rap",
    aliases: &[],
    summary: "RAP: a round trip without loss adds a packets to the rate of a round trip, a loss event removes the fraction b",
    source: "Rejaie99 §2",
    parameters: &[
        ParameterInfo::new(
            "a",
            "packets/round",
            Some(1.0),
            (0.0, 1e6),
            "packets added per round; default: Rejaie99 §2.1",
        ),
        ParameterInfo::new(
            "b",
            "1",
            Some(0.5),
            (0.0, 0.99),
            "fraction of the rate that a decrease removes, below 1: at 1 nothing would be sent again; default: Rejaie99 §2.1",
        ),
        ParameterInfo::new(
            "fine_grain",
            "flag",
            Some(0.0),
            (0.0, 1.0),
            "fine-grain rate adaptation (Rejaie99 §2.3), 1: on; default: off, which shows the AIMD alone",
        )
        .whole(),
        ParameterInfo::new(
            "gain",
            "1",
            Some(0.125),
            (0.001, 1.0),
            "weight of the newest sample in SRTT; default: RFC 6298 §2; ns-2's RAP has 0.5",
        ),
    ],
    build: |v| ControllerSpec::Rap(RapParams { a: v[0], b: v[1], fine_grain: v[2], gain: v[3] }),
}];

/// Longest time between packets, s.
const GAP_MAX: f64 = 64.0;
/// Time to wait for an acknowledgement before any round trip is known, s.
const FIRST_TIMEOUT: f64 = 2.0;
const MU: f64 = 1.2;
const PHI: f64 = 4.0;
const SHORT: f64 = 0.9;
const LONG: f64 = 0.01;
const NANOS: f64 = 1e9;

/// The rate of one RAP sender; times in s.
#[derive(Clone, Debug)]
pub struct RapRate {
    params: RapParams,
    /// IPG.
    gap: f64,
    averages: Option<Averages>,
}

/// What is known of round trips once there is a sample.
#[derive(Clone, Copy, Debug)]
struct Averages {
    /// SRTT and VAR.
    smoothed: f64,
    deviation: f64,
    /// FRTT and XRTT.
    short: f64,
    long: f64,
}

impl RapRate {
    /// Before the first round trip is known: a packet a second.
    pub fn new(params: RapParams) -> Self {
        RapRate { params, gap: 1.0, averages: None }
    }

    /// The first round trip is known: a packet in each.
    pub fn begin(&mut self, rtt: Span) {
        self.gap = seconds(rtt);
        self.sample(rtt);
    }

    /// A packet was acknowledged after this round trip.
    pub fn sample(&mut self, rtt: Span) {
        let sample = seconds(rtt);
        let first = Averages { smoothed: sample, deviation: 0.0, short: sample, long: sample };
        let averages = self.averages.get_or_insert(first);
        let off = sample - averages.smoothed;
        averages.smoothed += self.params.gain * off;
        averages.deviation += self.params.gain * (off.abs() - averages.deviation);
        averages.short += SHORT * (sample - averages.short);
        averages.long += LONG * (sample - averages.long);
    }

    /// SRTT; `None` before the first sample.
    pub fn round_trip(&self) -> Option<Span> {
        self.averages.map(|averages| span(averages.smoothed))
    }

    /// How long a packet may be out before it counts as lost.
    pub fn timeout(&self) -> Span {
        span(self.averages.map_or(FIRST_TIMEOUT, |found| MU * found.smoothed + PHI * found.deviation))
    }

    /// A step of one smoothed round trip passed without a loss event.
    pub fn on_step(&mut self) {
        if let Some(averages) = self.averages {
            self.gap = 1.0 / (1.0 / self.gap + self.params.a / averages.smoothed);
        }
    }

    /// A loss event.
    pub fn on_loss(&mut self) {
        self.gap = (self.gap / (1.0 - self.params.b)).min(GAP_MAX);
    }

    /// The time between two packets.
    pub fn interval(&self) -> Span {
        let stretch = match self.averages {
            Some(averages) if self.params.fine_grain > 0.0 => averages.short / averages.long,
            _ => 1.0,
        };
        span((self.gap * stretch).min(GAP_MAX))
    }

    /// Packets per round trip; packets per second before a round trip is known.
    pub fn packets_per_round_trip(&self) -> f64 {
        self.averages.map_or(1.0, |averages| averages.smoothed) / self.gap
    }
}

fn span(seconds: f64) -> Span {
    Span::from_nanos((seconds * NANOS) as u64)
}

fn seconds(span: Span) -> f64 {
    span.nanos().max(1) as f64 / NANOS
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Span = Span::from_millis(100);

    fn begun(a: f64, b: f64, fine_grain: f64) -> RapRate {
        let mut rate = RapRate::new(RapParams { a, b, fine_grain, gain: 0.125 });
        rate.begin(RTT);
        rate
    }

    fn packets(rate: &RapRate, expected: f64) {
        let found = rate.packets_per_round_trip();
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} instead of {expected}");
    }

    #[test]
    fn a_step_adds_a_and_a_loss_removes_the_fraction_b() {
        let mut rate = begun(0.5, 0.125, 0.0);
        packets(&rate, 1.0);
        (0..8).for_each(|_| rate.on_step());
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
        let stretch = (0.1 * 0.1 + 0.9 * 0.2) / (0.99 * 0.1 + 0.01 * 0.2);
        let interval = rate.interval().nanos() as f64 / 1e9;
        assert!((interval / (0.1 * stretch) - 1.0).abs() < 1e-6, "{interval}");
    }

    #[test]
    fn a_timeout_has_a_margin_over_the_average_and_over_its_deviation() {
        let mut rate = begun(1.0, 0.5, 0.0);
        assert_eq!(rate.timeout(), Span::from_millis(120));
        rate.sample(Span::from_millis(180));
        // SRTT 100 + 80/8 = 110 ms, VAR 80/8 = 10 ms.
        let found = rate.timeout().nanos() as f64 / 1e6;
        assert!((found - (1.2 * 110.0 + 4.0 * 10.0)).abs() < 1e-3, "{found}");
    }
}
