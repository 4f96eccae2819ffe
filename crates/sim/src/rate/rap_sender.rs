//! RAP's sender: what is lost, when a step ends, when the timer runs out.
//!
//! Source: [Rejaie99] §2.1 and §2.2. A packet is lost when one with a number higher by three has come, or when nothing comes for a
//! timeout of RFC 6298 §2. Losses among packets sent before the last cut are part of its event. A mark counts as a loss.
//!
//! | parameter | unit    | default | why                                          |
//! |-----------|---------|---------|----------------------------------------------|
//! | reach     | packets | 3       | [Rejaie99] §2.2, as TCP's fast retransmit    |
//!
//! The timer does not back off: each time it runs out the rate is cut, which lengthens the gap between packets as well.

use super::Arrived;
use crate::scenario::TcpSpec;
use crate::tcp::rtt::RttEstimator;
use sawtooth_cc::Congestion;
use sawtooth_cc::rap::{RapParams, RapRate};
use sawtooth_cc::units::{Span, Time};
use std::collections::VecDeque;

/// A higher number by so many makes a packet lost.
const REACH: u32 = 3;

/// What RAP adds to a paced sender.
#[derive(Debug)]
pub struct RapSender {
    /// The law.
    pub rate: RapRate,
    timing: RttEstimator,
    /// One past the highest number acknowledged.
    next_acked: u32,
    /// Missing so far: first number and one past the last.
    missing: VecDeque<(u32, u32)>,
    /// Everything below was sent before the last cut.
    cut_point: u32,
    step_ends: Time,
    cut_in_step: bool,
}

impl RapSender {
    /// A sender before its SYN.
    pub fn new(params: RapParams, tcp: &TcpSpec) -> Self {
        RapSender {
            rate: RapRate::new(params),
            timing: RttEstimator::new(tcp),
            next_acked: 0,
            missing: VecDeque::new(),
            cut_point: 0,
            step_ends: Time::ZERO,
            cut_in_step: false,
        }
    }

    /// The handshake measured a round trip.
    pub fn begin(&mut self, now: Time, rtt: Span) {
        self.timing.sample(rtt);
        self.rate.begin(rtt);
        self.step_ends = now + rtt;
    }

    /// A packet was acknowledged after this round trip, while `next` is the number of the next packet. Returns why the rate was cut.
    pub fn on_ack(&mut self, ack: Arrived, rtt: Span, next: u32, now: Time) -> Option<Congestion> {
        self.timing.sample(rtt);
        self.rate.sample(rtt);
        // Where acknowledgements were lost, only the last hole is known; what came before it counts as received.
        if ack.run > self.next_acked {
            self.missing.push_back((ack.hole.max(self.next_acked), ack.run));
        }
        self.next_acked = self.next_acked.max(ack.number + 1);
        let mut cause = None;
        while let Some(&(first, end)) =
            self.missing.front().filter(|&&(first, _)| ack.number >= first + REACH)
        {
            let lost_end = end.min(ack.number + 1 - REACH);
            if lost_end > self.cut_point.max(first) {
                cause = Some(Congestion::Loss);
            }
            self.missing.pop_front();
            if lost_end < end {
                self.missing.push_front((lost_end, end));
                break;
            }
        }
        if cause.is_none() && ack.marked && ack.number >= self.cut_point {
            cause = Some(Congestion::EcnMark);
        }
        if cause.is_some() {
            self.cut(next);
        }
        if now >= self.step_ends {
            if !self.cut_in_step {
                self.rate.on_step(self.srtt());
            }
            self.cut_in_step = false;
            self.step_ends = now + self.srtt();
        }
        cause
    }

    /// Nothing came for a timeout.
    pub fn on_silence(&mut self, next: u32) {
        self.cut(next);
    }

    fn cut(&mut self, next: u32) {
        self.rate.on_loss();
        self.cut_point = next;
        self.cut_in_step = true;
    }

    /// How long to wait for an acknowledgement: a timeout, or two gaps if they are longer.
    pub fn silence_allowed(&self) -> Span {
        self.timing.rto().max(self.rate.interval().doubled())
    }

    /// Smoothed round trip; zero before the first sample.
    pub fn srtt(&self) -> Span {
        self.timing.srtt().unwrap_or(Span::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Span = Span::from_millis(100);

    fn begun() -> RapSender {
        let mut sender = RapSender::new(RapParams { a: 1.0, b: 0.5, fine_grain: 0.0 }, &TcpSpec::default());
        sender.begin(Time::ZERO, RTT);
        sender
    }

    /// Acknowledgements `(number, run, hole)` that come every 10 ms while ten packets are under way: those that cut the rate.
    fn cuts(acks: &[(u32, u32, u32)]) -> Vec<u32> {
        let mut sender = begun();
        let mut found = Vec::new();
        for (place, &(number, run, hole)) in (1u64..).zip(acks) {
            let now = Time::ZERO + Span::from_millis(10 * place);
            let ack = Arrived { number, marked: false, run, hole };
            if sender.on_ack(ack, RTT, number + 10, now).is_some() {
                found.push(number);
            }
        }
        found
    }

    #[test]
    fn a_number_higher_by_three_makes_a_loss() {
        assert_eq!(cuts(&[(0, 0, 0), (1, 0, 0), (3, 3, 2), (4, 3, 2)]), [0u32; 0]);
        assert_eq!(cuts(&[(0, 0, 0), (1, 0, 0), (3, 3, 2), (4, 3, 2), (5, 3, 2)]), [5]);
    }

    #[test]
    fn losses_of_one_flight_are_one_event() {
        // 2 is lost; at the cut 14 packets have been sent, so the loss of 8 belongs to the same event and that of 17 does not.
        let mut acks = vec![(0, 0, 0), (1, 0, 0)];
        acks.extend((3..8).map(|number| (number, 3, 2)));
        acks.extend((9..17).map(|number| (number, 9, 8)));
        acks.extend((18..25).map(|number| (number, 18, 17)));
        assert_eq!(cuts(&acks), [5, 20]);
    }

    #[test]
    fn lost_acknowledgements_are_made_up_for() {
        assert_eq!(cuts(&[(0, 0, 0), (9, 0, 0)]), [0u32; 0]);
        assert_eq!(cuts(&[(0, 0, 0), (9, 5, 4)]), [9]);
    }

    #[test]
    fn a_step_without_a_cut_adds_a_packet_per_round_trip() {
        let mut sender = begun();
        for number in 0..10u32 {
            let now = Time::ZERO + Span::from_millis(100 * (u64::from(number) + 1));
            sender.on_ack(Arrived { number, ..Arrived::default() }, RTT, number + 1, now);
        }
        let packets = sender.rate.packets_per_round_trip(sender.srtt());
        assert!((packets - 11.0).abs() < 1e-6, "{packets}");
    }
}
