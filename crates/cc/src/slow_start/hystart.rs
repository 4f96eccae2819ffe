//! HyStart: slow start ends when acknowledgements come in a long train, or when round trips get longer.
//!
//! Source: [HaRhee11] §4, as Linux has it (net/ipv4/tcp_cubic.c, 2008 to now). In every round, from a window of 16 packets on: (train)
//! acknowledgements at most 2 ms apart have come for longer than half of the least round trip; (delay) from the ninth sample of the round
//! on, the least round trip of the round is longer than the least of all by more than an eighth, within bounds. Either ends slow start at
//! once, and the threshold is the window.
//!
//! | parameter        | unit    | default | why                                                                         |
//! |------------------|---------|---------|-----------------------------------------------------------------------------|
//! | least window     | packets | 16      | Linux: hystart_low_window                                                   |
//! | spacing          | ms      | 2       | Linux: hystart_ack_delta_us; [HaRhee11] §4.1                                |
//! | train            | 1       | 1/2, or 1 if paced | Linux: pacing delays packets by up to half of a round trip       |
//! | cushion          | ms      | 1, or less where 4 · 64 kB take less at the pacing rate | Linux: hystart_ack_delay; added to the least round trip |
//! | delay threshold  | ms      | 1/8 of the least round trip, 4 to 16 | Linux: HYSTART_DELAY_THRESH                    |
//! | samples          | samples | 8       | Linux: HYSTART_MIN_SAMPLES                                                  |
//!
//! The pacing rate of the cushion is that of slow start, 2 windows per smoothed round trip, paced or not. A timeout begins again what a
//! detection has ended; after other cuts there is no slow start. Differs from Linux: round trips are exact, and not cut to microseconds.

use super::{SenderTraits, SlowStartRule};
use crate::controller::Wants;
use crate::sample::AckSample;
use crate::signal::Congestion;
use crate::units::{Bytes, Span, Time};

const WINDOW_MIN: f64 = 16.0;
const SPACING: Span = Span::from_millis(2);
const CUSHION_MAX: Span = Span::from_millis(1);
const CUSHION_BYTES: f64 = 4.0 * 65_536.0;
const PACING_GAIN: f64 = 2.0;
const DELAY_DIVISOR: u64 = 8;
const DELAY_MIN: Span = Span::from_millis(4);
const DELAY_MAX: Span = Span::from_millis(16);
const SAMPLES: u32 = 8;

/// Which of the two ends slow start: Linux's `hystart_detect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detectors {
    /// Either.
    Both,
    /// Trains of acknowledgements alone.
    Train,
    /// Longer round trips alone.
    Delay,
}

/// The rule and what it has measured.
#[derive(Clone, Copy, Debug)]
pub struct Hystart {
    detectors: Detectors,
    paced: bool,
    packet: Bytes,
    /// It has ended a slow start.
    found: bool,
    /// The least round trip of all.
    least: Option<Span>,
    round_start: Time,
    /// The last acknowledgement of the train that began with the round.
    train: Time,
    /// The least round trip of this round, and its samples but for those beyond the eighth.
    current: Option<Span>,
    samples: u32,
}

impl Hystart {
    /// The rule with both detectors, at the start of a connection.
    pub fn new(sender: SenderTraits) -> Self {
        Hystart::with(Detectors::Both, sender)
    }

    /// The rule with these detectors, at the start of a connection.
    pub fn with(detectors: Detectors, sender: SenderTraits) -> Self {
        Hystart {
            detectors,
            paced: sender.paced,
            packet: sender.packet,
            found: false,
            least: None,
            round_start: Time::ZERO,
            train: Time::ZERO,
            current: None,
            samples: 0,
        }
    }

    /// What the train may last beyond its share of the round trip: data that are sent and received in large pieces arrive late.
    fn cushion(&self, window: f64, srtt: Option<Span>) -> Span {
        let Some(srtt) = srtt else { return CUSHION_MAX };
        let window_bytes = window * self.packet.count() as f64;
        let span = CUSHION_BYTES * srtt.nanos() as f64 / (PACING_GAIN * window_bytes);
        Span::from_nanos(span.min(CUSHION_MAX.nanos() as f64) as u64)
    }

    fn train_is_long(&mut self, window: f64, least: Span, ack: &AckSample) -> bool {
        if ack.now - self.train > SPACING {
            return false;
        }
        self.train = ack.now;
        let longest =
            (least + self.cushion(window, ack.rtt.smoothed)).nanos() / if self.paced { 1 } else { 2 };
        (ack.now - self.round_start).nanos() > longest
    }

    fn delay_is_long(&mut self, least: Span, rtt: Span) -> bool {
        let current = self.current.map_or(rtt, |current| current.min(rtt));
        self.current = Some(current);
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        let eighth = Span::from_nanos(least.nanos() / DELAY_DIVISOR);
        current > least + eighth.clamp(DELAY_MIN, DELAY_MAX)
    }
}

impl SlowStartRule for Hystart {
    fn wants(&self) -> Wants {
        Wants { rates: true, rounds: true, ..Wants::NOTHING }
    }

    fn ends(&mut self, window: f64, ack: &AckSample) -> bool {
        if self.found {
            return false;
        }
        if ack.round_ended {
            (self.round_start, self.train) = (ack.now, ack.now);
            (self.current, self.samples) = (None, 0);
        }
        let Some(rtt) = ack.rtt.newest else { return false };
        let least = self.least.map_or(rtt, |least| least.min(rtt));
        self.least = Some(least);
        if window < WINDOW_MIN {
            return false;
        }
        let train = self.detectors != Detectors::Delay && self.train_is_long(window, least, ack);
        let delay = self.detectors != Detectors::Train && self.delay_is_long(least, rtt);
        self.found = train || delay;
        self.found
    }

    fn growth(&mut self, ack: &AckSample) -> f64 {
        f64::from(ack.newly_acked)
    }

    fn on_cut(&mut self, kind: Congestion) {
        if matches!(kind, Congestion::Timeout { .. }) {
            (self.found, self.least) = (false, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::ControlSettings;

    fn rule(paced: bool) -> Hystart {
        Hystart::new(ControlSettings { paced, ..ControlSettings::default() }.sender())
    }

    fn ack(micros: u64, round_ended: bool, rtt_micros: u64) -> AckSample {
        let now = Time::ZERO + Span::from_micros(micros);
        let mut ack = AckSample { round_ended, ..AckSample::classic(now, 1, None, true) };
        ack.rtt.newest = Some(Span::from_micros(rtt_micros));
        ack.rtt.smoothed = Some(Span::from_micros(rtt_micros));
        ack
    }

    /// When a train of acknowledgements this far apart, in a round that begins at 1 s, ends slow start at a round trip of 30 ms.
    fn train(rule: &mut Hystart, window: f64, apart: u64) -> Option<u64> {
        (0..400)
            .map(|index| index * apart)
            .find(|&at| rule.ends(window, &ack(1_000_000 + at, at == 0, 30_000)))
    }

    /// Half of 30 ms, or all of it, and a cushion of 1 ms: Linux's threshold.
    #[test]
    fn a_train_of_more_than_half_a_round_trip_ends_slow_start() {
        assert_eq!(train(&mut rule(false), 20.0, 100), Some(15_600));
        assert_eq!(train(&mut rule(true), 20.0, 100), Some(31_100));
        assert_eq!(train(&mut rule(false), 15.9, 100), None, "the window is too small");
        assert_eq!(train(&mut rule(false), 20.0, 2_000), Some(16_000));
        assert_eq!(train(&mut rule(false), 20.0, 2_001), None, "that is no train");
        // 262,144 bytes take 0.2 ms at 2 · 19,660.8 packets of 1000 bytes in 30 ms.
        assert_eq!(train(&mut rule(false), 19_660.8, 100), Some(15_200));
    }

    #[test]
    fn an_interrupted_train_does_not_go_on() {
        let mut rule = rule(false);
        assert!(!rule.ends(20.0, &ack(0, true, 30_000)));
        assert!(!rule.ends(20.0, &ack(3_000, false, 30_000)));
        assert!(!rule.ends(20.0, &ack(20_000, false, 30_000)));
        assert!(!rule.ends(20.0, &ack(20_100, false, 30_000)));
    }

    #[test]
    fn the_ninth_sample_of_a_longer_round_ends_slow_start() {
        for (base, more, found) in [
            (100_000, 12_500, None),
            (100_000, 12_501, Some(8)),
            (20_000, 4_001, Some(8)),
            (200_000, 16_000, None),
        ] {
            let mut rule = rule(false);
            rule.ends(20.0, &ack(0, true, base));
            let mut acks = (0..20).map(|index| ack(500_000 + 5_000 * index, index == 0, base + more));
            assert_eq!(acks.position(|ack| rule.ends(20.0, &ack)), found, "{base} + {more}");
        }
    }

    #[test]
    fn it_ends_one_slow_start_until_a_timeout() {
        let mut rule = rule(false);
        assert!(train(&mut rule, 20.0, 100).is_some());
        assert!(train(&mut rule, 20.0, 100).is_none());
        rule.on_cut(Congestion::Loss);
        assert!(train(&mut rule, 20.0, 100).is_none());
        rule.on_cut(Congestion::Timeout { repeated: false });
        assert!(train(&mut rule, 20.0, 100).is_some());
    }

    /// Acknowledgements every 0.1 ms for 40 ms, in a round that is 13 ms longer than the last: each detector sees its own sign first.
    #[test]
    fn one_detector_hears_nothing_of_the_other() {
        for (detectors, train, delay) in [
            (Detectors::Both, Some(156), Some(8)),
            (Detectors::Train, Some(156), None),
            (Detectors::Delay, None, Some(8)),
        ] {
            let new = || Hystart::with(detectors, ControlSettings::default().sender());
            let mut rule = new();
            let found = (0..400u64).find(|&at| rule.ends(20.0, &ack(1_000_000 + 100 * at, at == 0, 30_000)));
            assert_eq!(found, train, "{detectors:?}");
            let mut rule = new();
            rule.ends(20.0, &ack(0, true, 100_000));
            let mut acks = (0..20).map(|index| ack(500_000 + 5_000 * index, index == 0, 113_000));
            assert_eq!(acks.position(|ack| rule.ends(20.0, &ack)), delay, "{detectors:?}");
        }
    }
}
