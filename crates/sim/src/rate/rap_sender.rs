//! RAP's sender: what is lost, and when a step ends.
//!
//! Source: [Rejaie99] §2.1 and §2.2. A packet is lost when one with a number higher by three has arrived, or when its timeout has
//! expired. Timeouts are checked whenever a packet is due. Losses among packets sent before the last cut are part of its event. A mark
//! counts as a loss. A step lasts a smoothed round trip, and a cut restarts it. A step without a cut in which something was
//! acknowledged raises the rate.
//!
//! | parameter | unit    | default | why                                          |
//! |-----------|---------|---------|----------------------------------------------|
//! | reach     | packets | 3       | [Rejaie99] §2.2, as TCP's fast retransmit    |
//!
//! A timeout does not back off: each one cuts the rate, which lengthens the gap between packets as well. Differs from ns-2's RAP: a
//! step in which nothing was acknowledged raises nothing, where ns-2 asks whether something was sent. Of packets whose acknowledgements
//! were lost, only those of the last hole count as missing.

use super::Arrived;
use sawtooth_cc::Congestion;
use sawtooth_cc::rap::{RapParams, RapRate};
use sawtooth_cc::units::{Span, Time};
use std::collections::VecDeque;
use std::ops::Range;

/// A packet is lost when one with a number this much higher arrives.
const REACH: u32 = 3;

/// What RAP adds to a paced sender.
#[derive(Debug)]
pub struct RapSender {
    /// The law.
    pub rate: RapRate,
    /// One past the highest number acknowledged.
    next_acked: u32,
    /// Packets jumped over by an acknowledgement and not lost yet, with the time each was sent.
    missing: VecDeque<(u32, Time)>,
    /// Everything below has been out for a timeout or been acknowledged.
    timed_out: u32,
    /// Everything below was sent before the last cut.
    cut_point: u32,
    step_ends: Time,
    acked_in_step: bool,
}

impl RapSender {
    /// A sender before its SYN.
    pub fn new(params: RapParams) -> Self {
        RapSender {
            rate: RapRate::new(params),
            next_acked: 0,
            missing: VecDeque::new(),
            timed_out: 0,
            cut_point: 0,
            step_ends: Time::NEVER,
            acked_in_step: false,
        }
    }

    /// The first round trip is known.
    pub fn begin(&mut self, now: Time, rtt: Span) {
        self.rate.begin(rtt);
        self.restart_step(now);
    }

    /// Numbers that this acknowledgement is the first to jump over: `note_missing` wants each.
    ///
    /// Where acknowledgements were lost, only the last hole is known; what came before it counts as received.
    pub fn newly_missing(&self, ack: Arrived) -> Range<u32> {
        ack.hole.max(self.next_acked).max(self.timed_out)..ack.run
    }

    /// A packet was jumped over; it was sent then.
    pub fn note_missing(&mut self, number: u32, sent: Time) {
        self.missing.push_back((number, sent));
    }

    /// A packet was acknowledged after this round trip, while `next` is the number of the next packet. Returns why the rate was cut.
    pub fn on_ack(&mut self, ack: Arrived, rtt: Span, next: u32, now: Time) -> Option<Congestion> {
        if self.rate.round_trip().is_none() {
            self.begin(now, rtt);
        } else {
            self.rate.sample(rtt);
        }
        self.next_acked = self.next_acked.max(ack.number + 1);
        self.acked_in_step = true;
        let mut cause = None;
        while let Some(&(number, _)) = self.missing.front().filter(|&&(first, _)| ack.number >= first + REACH)
        {
            self.missing.pop_front();
            if number >= self.cut_point {
                cause = Some(Congestion::Loss);
            }
        }
        if cause.is_none() && ack.marked && ack.number >= self.cut_point {
            cause = Some(Congestion::EcnMark);
        }
        if cause.is_some() {
            self.cut(next, now);
        }
        cause
    }

    /// A packet is due. Has one been out for a timeout that is not part of the last event? `sent` says when each from `first` up to `next`
    /// left, those that nothing has been heard of. Then the rate is cut.
    pub fn times_out(&mut self, first: u32, next: u32, now: Time, sent: impl Fn(u32) -> Time) -> bool {
        let limit = self.rate.timeout();
        let mut lost = false;
        while let Some(&(number, _)) = self.missing.front().filter(|&&(_, sent)| sent + limit <= now) {
            self.missing.pop_front();
            lost |= number >= self.cut_point;
        }
        self.timed_out = self.timed_out.max(first);
        while self.timed_out < next && sent(self.timed_out) + limit <= now {
            lost |= self.timed_out >= self.cut_point;
            self.timed_out += 1;
        }
        if lost {
            self.cut(next, now);
        }
        lost
    }

    fn cut(&mut self, next: u32, now: Time) {
        self.rate.on_loss();
        self.cut_point = next;
        self.restart_step(now);
    }

    /// When the step ends.
    pub fn step_ends(&self) -> Time {
        self.step_ends
    }

    /// The step has ended without a cut.
    pub fn on_step(&mut self, now: Time) {
        if self.acked_in_step {
            self.rate.on_step();
        }
        self.restart_step(now);
    }

    fn restart_step(&mut self, now: Time) {
        self.acked_in_step = false;
        // Before a round trip is known there are no steps.
        self.step_ends = self.rate.round_trip().map_or(Time::NEVER, |rtt| now + rtt.max(Span::from_nanos(1)));
    }

    /// Smoothed round trip; zero before the first sample.
    pub fn srtt(&self) -> Span {
        self.rate.round_trip().unwrap_or(Span::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Span = Span::from_millis(100);

    fn begun() -> RapSender {
        let mut sender = RapSender::new(RapParams { a: 1.0, b: 0.5, fine_grain: 0.0, gain: 0.125 });
        sender.begin(Time::ZERO, RTT);
        sender
    }

    fn at(millis: u64) -> Time {
        Time::ZERO + Span::from_millis(millis)
    }

    /// Acknowledgements `(number, run, hole)` that come every 10 ms while ten packets are in flight: those that cut the rate.
    fn cuts(acks: &[(u32, u32, u32)]) -> Vec<u32> {
        let mut sender = begun();
        let mut found = Vec::new();
        for (place, &(number, run, hole)) in (1u64..).zip(acks) {
            let now = at(10 * place);
            let ack = Arrived { number, marked: false, run, hole };
            for missing in sender.newly_missing(ack) {
                sender.note_missing(missing, now);
            }
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
            sender.on_ack(Arrived { number, ..Arrived::default() }, RTT, number + 1, sender.step_ends());
            sender.on_step(sender.step_ends());
        }
        let packets = sender.rate.packets_per_round_trip();
        assert!((packets - 11.0).abs() < 1e-6, "{packets}");
        sender.on_step(sender.step_ends());
        assert_eq!(sender.rate.packets_per_round_trip(), packets, "nothing was acknowledged");
    }

    #[test]
    fn a_cut_begins_the_step_anew() {
        let mut sender = begun();
        for number in [0, 1] {
            sender.on_ack(Arrived { number, ..Arrived::default() }, RTT, 10, at(10));
        }
        let ack = Arrived { number: 5, run: 3, hole: 2, marked: false };
        sender.newly_missing(ack).for_each(|number| sender.note_missing(number, at(0)));
        assert_eq!(sender.on_ack(ack, RTT, 10, at(70)), Some(Congestion::Loss));
        assert_eq!(sender.step_ends(), at(170));
    }

    #[test]
    fn without_a_round_trip_there_are_no_steps() {
        let mut sender = RapSender::new(RapParams { a: 1.0, b: 0.5, fine_grain: 0.0, gain: 0.125 });
        assert!(!sender.times_out(0, 1, at(1_999), |_| at(0)));
        assert!(sender.times_out(0, 1, at(2_000), |_| at(0)));
        assert_eq!(sender.step_ends(), Time::NEVER);
    }

    #[test]
    fn a_packet_that_is_out_for_a_timeout_is_lost_once() {
        let mut sender = begun();
        let sent = |number: u32| at(10 * u64::from(number));
        assert!(!sender.times_out(0, 10, at(119), sent));
        assert!(sender.times_out(0, 10, at(120), sent));
        assert!(!sender.times_out(0, 10, at(400), sent), "those sent before the cut are part of its event");
        assert!(!sender.times_out(0, 11, at(219), sent));
        assert!(sender.times_out(0, 11, at(220), sent));
    }
}
