//! PIE of cable modems, `variant = "docsis"`: what RFC 8034 has otherwise than RFC 8033.
//!
//! Source: RFC 8034 §4 and appendix A. Its constants A, B, INTERVAL, MAX_BURST and LATENCY_TARGET are parameters of PIE (0.25/s, 2.5/s,
//! 16 ms, 142 ms, 10 ms), its cap of a step and its spaced drops the flags `cap_adjustment` and `derandomization`. What is here:
//!
//! - The delay at an update is what waits over the rate of the link (§4.2), not the wait of the packet sent last.
//! - The probability p is that of a packet of 1024 B; one of b bytes is dropped with p·b/1024, at most 0.85 (§4.6). So p may be above 1, up
//!   to 0.85·1024/64 = 13.6, and its steps grow with it (§4.4): twice, 8 and 32 times from 0.1, 1 and 10 on.
//! - p decays by 2 % where two delays were below 5 ms, and rises by 0.02 more above 200 ms (§4.5, appendix A.2).
//! - At first the queue is *inactive*: nothing is dropped early before a third of the buffer is full. Then it is *quiescent*: the first early
//!   drop makes it *active*, and p stays 0 for `max_burst` from there. When p is 0, no burst is let through and two delays were below half
//!   of the target, an active queue becomes quiescent, and inactive after more than a second of that (§4.3).
//!
//! Where the RFC leaves it open: a third of a buffer in packets is so many packets. The link has one rate, that of its shaper if it has one:
//! credits of a token bucket (`msrtokens`) count for nothing, so a delay is never less than the RFC's. The packet in transmission does not
//! wait. Marks (`ecn`) are off by default, as the RFC has none (§4.7). Packet sizes are not rounded.

use super::super::Backlog;
use super::super::limit::Limit;
use sawtooth_cc::units::{Rate, Span};

/// MEAN_PKTSIZE, bytes.
const MEAN_BYTES: u64 = 1024;
/// MIN_PKTSIZE, bytes.
const LEAST_BYTES: f64 = 64.0;
/// PROB_LOW: the most a packet is dropped with, and where spaced drops begin.
pub const PROBABILITY_LOW: f64 = 0.85;
/// PROB_HIGH: where a spaced drop is certain.
pub const PROBABILITY_HIGH: f64 = 8.5;
/// LATENCY_LOW and LATENCY_HIGH, seconds.
const DELAY_LOW: f64 = 0.005;
const DELAY_HIGH: f64 = 0.2;
/// What is added above LATENCY_HIGH.
const RAMP: f64 = 0.02;
/// BURST_RESET_TIMEOUT.
const QUIET_FOR: Span = Span::from_seconds(1);

/// By what a step is divided at this probability: RFC 8034 appendix A.2, which goes on above 0.1.
pub fn scale(probability: f64) -> f64 {
    match probability {
        p if p < 0.1 => super::scale(p),
        p if p < 1.0 => 0.5,
        p if p < 10.0 => 0.125,
        _ => 0.031_25,
    }
}

/// Whether packets are dropped early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Activity {
    /// Not before a third of the buffer is full.
    #[default]
    Inactive,
    /// Yes, and the first drop begins a burst that is let through.
    Quiescent,
    /// Yes, once that is over.
    Active,
}

/// What evolves, besides what both variants have.
#[derive(Clone, Copy, Debug)]
pub struct Docsis {
    /// Whether packets are dropped early.
    pub activity: Activity,
    /// For how long it has been quiescent and quiet.
    quiet: Span,
    rate: Rate,
}

/// What an update finds, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Delays {
    /// Now.
    pub now: f64,
    /// At the last update.
    pub before: f64,
    /// Which is wanted.
    pub target: f64,
}

impl Docsis {
    /// At a link of this rate.
    pub fn new(rate: Rate) -> Self {
        Docsis { activity: Activity::Inactive, quiet: Span::ZERO, rate }
    }

    /// The link sends at this rate from now on.
    pub fn set_rate(&mut self, rate: Rate) {
        self.rate = rate;
    }

    /// The delay of what waits, in seconds.
    pub fn delay(&self, waiting: Backlog) -> f64 {
        8.0 * waiting.bytes as f64 / self.rate.bits_per_second() as f64
    }

    /// The next probability, for a step of the controller that is scaled already.
    pub fn moved(probability: f64, step: f64, delays: Delays) -> f64 {
        let mut next = probability + step;
        if delays.now < DELAY_LOW && delays.before < DELAY_LOW {
            next *= 0.98;
        } else if delays.now > DELAY_HIGH {
            next += RAMP;
        }
        next.clamp(0.0, PROBABILITY_LOW * MEAN_BYTES as f64 / LEAST_BYTES)
    }

    /// An update is over. `calm`: no burst is let through, and p is 0.
    pub fn settle(&mut self, calm: bool, delays: Delays, period: Span) {
        let half = 0.5 * delays.target;
        let is_quiet = calm && delays.now < half && delays.before < half;
        match self.activity {
            Activity::Active if is_quiet => (self.activity, self.quiet) = (Activity::Quiescent, Span::ZERO),
            Activity::Quiescent if is_quiet => {
                self.quiet += period;
                if self.quiet > QUIET_FOR {
                    (self.activity, self.quiet) = (Activity::Inactive, Span::ZERO);
                }
            }
            Activity::Quiescent => self.quiet = Span::ZERO,
            Activity::Active | Activity::Inactive => {}
        }
    }

    /// May an arrival be dropped early, as full as the buffer is? It is quiescent from here on, if it was inactive.
    pub fn wakes(&mut self, waiting: Backlog, limit: Limit) -> bool {
        let is_small = match limit {
            Limit::Packets(packets) => 3 * waiting.packets < packets,
            Limit::Bytes(bytes) => 3 * waiting.bytes < bytes,
        };
        if self.activity == Activity::Inactive && !is_small {
            self.activity = Activity::Quiescent;
        }
        self.activity != Activity::Inactive
    }

    /// A packet is dropped early: does that begin a burst that is let through?
    pub fn note_drop(&mut self) -> bool {
        let begins = self.activity == Activity::Quiescent;
        if begins {
            self.activity = Activity::Active;
        }
        begins
    }

    /// With which probability a packet of this size is dropped.
    pub fn scaled(probability: f64, bytes: u16) -> f64 {
        (probability * f64::from(bytes) / MEAN_BYTES as f64).min(PROBABILITY_LOW)
    }

    /// Does too little wait for a drop?
    pub fn is_short(waiting: Backlog) -> bool {
        waiting.bytes <= 2 * MEAN_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{AnyDiscipline, TransmitterState};
    use super::super::super::{DisciplineSpec, DropReason, Queue, QueueDiscipline, QueueSpec, Queued};
    use super::super::{Pie, PieSpec, Variant};
    use super::*;
    use crate::packet::{Packet, PacketKind};
    use crate::random::Stream;
    use sawtooth_cc::units::Time;

    const MILLISECOND: u64 = 1_000_000;
    /// A byte a microsecond.
    const RATE: Rate = Rate::from_bits_per_second(8_000_000);

    /// The numbers of RFC 8034 appendix A.1.2.
    fn modem(packets: u64) -> PieSpec {
        PieSpec {
            packets: Some(packets),
            target_ns: 10 * MILLISECOND,
            t_update_ns: 16 * MILLISECOND,
            alpha: 0.25,
            beta: 2.5,
            max_burst_ns: 142 * MILLISECOND,
            cap_adjustment: true,
            derandomization: true,
            variant: Variant::Docsis,
            ..PieSpec::default()
        }
    }

    fn waiting(millis: f64) -> Backlog {
        Backlog { packets: 10, bytes: (1_000.0 * millis).round() as u64 }
    }

    /// The probability after an update that finds these delays, in milliseconds.
    fn after(spec: &PieSpec, probability: f64, before: f64, now: f64) -> f64 {
        let mut law = spec.build(RATE).law;
        law.state.probability = probability;
        law.controller.step(before / 1e3);
        law.make_up(Time::from_nanos(16 * MILLISECOND), waiting(now));
        law.state.probability
    }

    #[test]
    fn steps_grow_with_the_probability_beyond_one() {
        let plain = PieSpec { cap_adjustment: false, ..modem(1_000) };
        for (probability, divisor) in [
            (0.0, 2048.0),
            (0.000_001, 512.0),
            (0.000_01, 128.0),
            (0.000_1, 32.0),
            (0.001, 8.0),
            (0.01, 2.0),
            (0.1, 0.5),
            (0.9, 0.5),
            (1.0, 0.125),
            (9.0, 0.125),
            (10.0, 0.03125),
        ] {
            let step: f64 = (0.25 * (0.020 - 0.010) + 2.5 * (0.020 - 0.015)) / divisor;
            let found = after(&plain, probability, 15.0, 20.0);
            assert!((found - probability - step).abs() < 1e-12, "{probability}: {found}");
            let capped = if probability >= 0.1 { step.min(0.02) } else { step };
            let found = after(&modem(1_000), probability, 15.0, 20.0);
            assert!((found - probability - capped).abs() < 1e-12, "{probability}, capped: {found}");
        }
    }

    #[test]
    fn a_short_delay_decays_and_a_long_one_ramps_up() {
        let check = |probability, before, now, expected: f64| {
            let found = after(&modem(1_000), probability, before, now);
            assert!((found - expected).abs() < 1e-12, "{before} ms, then {now} ms: {found}, not {expected}");
        };
        let step = |before: f64, now: f64| (0.25 * (now - 10.0) + 2.5 * (now - before)) / 1e3;
        check(0.5, 4.9, 4.0, 0.98 * (0.5 + step(4.9, 4.0) / 0.5));
        check(0.5, 5.0, 4.0, 0.5 + step(5.0, 4.0) / 0.5);
        check(0.5, 4.0, 5.0, 0.5 + step(4.0, 5.0) / 0.5);
        check(0.5, 200.0, 200.0, 0.52); // 0.25 * 0.19 / 0.5 is more than the cap
        check(0.5, 201.0, 201.0, 0.54);
        check(13.59, 201.0, 201.0, 0.85 * 1024.0 / 64.0);
        check(0.000_001, 100.0, 20.0, 0.0);
    }

    fn arriving(number: u32, bytes: u16, now: u64) -> (Queued, TransmitterState) {
        let packet = Packet::new(PacketKind::Data, 0, number, bytes, 0);
        let now = Time::from_nanos(now);
        let transmitter =
            TransmitterState { now, in_transmission: Backlog::default(), idle_since: Time::NEVER };
        (Queued { packet, arrived: now, ..Queued::default() }, transmitter)
    }

    fn inside(queue: &mut Queue) -> &mut Pie {
        let AnyDiscipline::Pie(pie) = &mut queue.discipline else { unreachable!("it is PIE") };
        pie
    }

    fn queue(spec: PieSpec) -> Queue {
        Queue::new(&QueueSpec::Pie(spec), RATE, Stream::new("1", "test"))
    }

    #[test]
    fn nothing_is_dropped_before_a_third_of_the_buffer_and_the_first_drop_begins_a_burst() {
        let mut queue = queue(modem(300));
        inside(&mut queue).law.controller.step(0.02);
        inside(&mut queue).law.state.probability = 2.0;
        let mut first = None;
        for number in 0..250 {
            let (arrival, transmitter) = arriving(number, 1000, 0);
            let before = inside(&mut queue).backlog().packets;
            queue.enqueue(arrival, transmitter);
            if queue.next_signal().is_some() {
                assert_eq!(first.replace(before), None, "the burst is let through");
            }
        }
        // Each arrival adds 0.85, so the first that counts is hit with probability 0.85.
        assert!(first.is_some_and(|before| (100..110).contains(&before)), "{first:?}");
        let law = &mut inside(&mut queue).law;
        assert_eq!(
            (law.docsis.unwrap().activity, law.state.allowance),
            (Activity::Active, Span::from_millis(142))
        );
        let updates = 142u64.div_ceil(16);
        for update in 1..=updates + 1 {
            law.make_up(Time::from_nanos(update * 16 * MILLISECOND), waiting(50.0));
            assert_eq!(law.state.probability > 0.0, update > updates, "update {update}");
        }
    }

    #[test]
    fn an_active_queue_that_is_quiet_for_more_than_a_second_is_inactive_again() {
        let mut law = modem(300).build(RATE).law;
        law.docsis.as_mut().expect("a modem").activity = Activity::Active;
        law.controller.step(0.0049); // a delay that does not grow
        let mut seen = Vec::new();
        for update in 1..=70 {
            law.make_up(Time::from_nanos(update * 16 * MILLISECOND), waiting(4.9));
            let activity = law.docsis.expect("a modem").activity;
            if seen.last().is_none_or(|&(_, last)| last != activity) {
                seen.push((update, activity));
            }
        }
        let inactive = 1 + 1_000 / 16 + 1;
        assert_eq!(seen, [(1, Activity::Quiescent), (inactive, Activity::Inactive)]);
        // Half of the target is not quiet.
        let mut law = modem(300).build(RATE).law;
        law.docsis.as_mut().expect("a modem").activity = Activity::Active;
        (1..=70).for_each(|update| law.make_up(Time::from_nanos(update * 16 * MILLISECOND), waiting(5.0)));
        assert_eq!(law.docsis.expect("a modem").activity, Activity::Active);
    }

    /// How many of many arrivals of one size are dropped early by an active queue, at a probability that stays.
    fn dropped(spec: PieSpec, probability: f64, bytes: u16, arrivals: u32) -> f64 {
        let mut queue = queue(PieSpec { t_update_ns: 1_000 * MILLISECOND, packets: Some(1_000_000), ..spec });
        (0..40).for_each(|number| {
            let (arrival, transmitter) = arriving(number, 1000, 0);
            queue.enqueue(arrival, transmitter);
        });
        let law = &mut inside(&mut queue).law;
        law.docsis.as_mut().expect("a modem").activity = Activity::Active;
        law.state.probability = probability;
        law.controller.step(0.02);
        (0..arrivals).for_each(|number| {
            let (arrival, transmitter) = arriving(40 + number, bytes, 0);
            queue.enqueue(arrival, transmitter);
        });
        queue.tally().arrivals.drops[DropReason::Early as usize] as f64
    }

    #[test]
    fn a_packet_is_dropped_in_proportion_to_its_size() {
        const ARRIVALS: u32 = 50_000;
        let random = PieSpec { derandomization: false, ..modem(1_000) };
        for (probability, bytes) in [(0.2, 64), (0.2, 512), (0.2, 1024), (0.2, 1500), (8.0, 64), (13.0, 1500)]
        {
            let share = (probability * f64::from(bytes) / 1024.0).min(0.85);
            let (expected, found) =
                (f64::from(ARRIVALS) * share, dropped(random.clone(), probability, bytes, ARRIVALS));
            assert!((found - expected).abs() < 5.0 * expected.sqrt(), "{probability}, {bytes} B: {found}");
            // Spaced, the distance is one less than the least, and on average 1/p more.
            let mean = (0.85 / share).ceil() - 1.0 + 1.0 / share;
            let (expected, found) =
                (f64::from(ARRIVALS) / mean, dropped(modem(1_000), probability, bytes, ARRIVALS));
            assert!(
                (found - expected).abs() < 0.1 * expected,
                "{probability}, {bytes} B, spaced: {found}, {expected}"
            );
        }
    }

    #[test]
    fn the_delay_is_what_waits_over_the_rate_of_the_link() {
        let mut pie = modem(300).build(RATE);
        let docsis = |pie: &Pie| pie.law.docsis.expect("a modem");
        assert!((docsis(&pie).delay(waiting(20.0)) - 0.020).abs() < 1e-12);
        let (_, transmitter) = arriving(0, 1000, 0);
        pie.set_rate(Rate::from_bits_per_second(2_000_000), &transmitter);
        assert!((docsis(&pie).delay(waiting(20.0)) - 0.080).abs() < 1e-12);
    }
}
