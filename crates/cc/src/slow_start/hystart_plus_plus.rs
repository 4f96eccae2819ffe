//! HyStart++: slow start ends when round trips get longer, after some rounds of slower growth that show whether they stay so.
//!
//! Source: RFC 9406 §4.2. A round ends with the acknowledgement of a packet that was sent after it had begun. Its least round trip is
//! compared with that of the round before. If it is longer by an eighth, within bounds, conservative slow start (CSS) begins: growth is
//! divided by four. Should the round trips get shorter again, slow start goes on; after five rounds, a first part of one included, it
//! ends, and the threshold is the window.
//!
//! | parameter          | unit    | default | why                                                                      |
//! |--------------------|---------|---------|--------------------------------------------------------------------------|
//! | MIN_RTT_THRESH     | ms      | 4       | RFC 9406 §4.3                                                            |
//! | MAX_RTT_THRESH     | ms      | 16      | RFC 9406 §4.3                                                            |
//! | MIN_RTT_DIVISOR    | 1       | 8       | RFC 9406 §4.3                                                            |
//! | N_RTT_SAMPLE       | samples | 8       | RFC 9406 §4.3                                                            |
//! | CSS_GROWTH_DIVISOR | 1       | 4       | RFC 9406 §4.3                                                            |
//! | CSS_ROUNDS         | rounds  | 5       | RFC 9406 §4.3                                                            |
//! | L                  | packets | 8, or none if paced | RFC 9406 §4.3; counted by the transport, see [`super::SlowStartKind::counted`] |
//!
//! Only the first slow start of a connection has it; after any cut slow start is the standard one, as §4.3 recommends.

use super::{SenderTraits, SlowStartRule};
use crate::controller::Wants;
use crate::sample::AckSample;
use crate::signal::Congestion;
use crate::units::Span;

const RTT_THRESHOLD_MIN: Span = Span::from_millis(4);
const RTT_THRESHOLD_MAX: Span = Span::from_millis(16);
const RTT_DIVISOR: u64 = 8;
const SAMPLES: u32 = 8;
const GROWTH_DIVISOR: f64 = 4.0;
const CONSERVATIVE_ROUNDS: u32 = 5;

/// The rule and what it has measured.
#[derive(Clone, Copy, Debug)]
pub struct HystartPlusPlus {
    phase: Phase,
    /// The least round trip of the last round.
    last: Option<Span>,
    /// That of this round.
    current: Option<Span>,
    /// Samples of this round.
    samples: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Slow start, watched.
    Watched,
    /// CSS: the least round trip that began it, and how many of its rounds have ended.
    Conservative { baseline: Span, rounds: u32 },
    /// The first slow start is over.
    Over,
}

impl HystartPlusPlus {
    /// Is the least round trip of this round certain enough, and longer than that of the last by so much that the queue grows?
    fn delay_has_grown(&self) -> Option<Span> {
        let (last, current) = (self.last?, self.current?);
        let eighth = Span::from_nanos(last.nanos() / RTT_DIVISOR);
        let threshold = eighth.clamp(RTT_THRESHOLD_MIN, RTT_THRESHOLD_MAX);
        (self.samples >= SAMPLES && current >= last + threshold).then_some(current)
    }

    /// A round has ended. Were these all rounds of CSS?
    fn end_round(&mut self) -> bool {
        (self.last, self.current, self.samples) = (self.current, None, 0);
        let Phase::Conservative { rounds, .. } = &mut self.phase else { return false };
        *rounds += 1;
        *rounds >= CONSERVATIVE_ROUNDS
    }
}

impl HystartPlusPlus {
    /// The rule at the start of a connection.
    pub fn new(_: SenderTraits) -> Self {
        HystartPlusPlus { phase: Phase::Watched, last: None, current: None, samples: 0 }
    }
}

impl SlowStartRule for HystartPlusPlus {
    fn wants(&self) -> Wants {
        Wants { rates: true, rounds: true, ..Wants::NOTHING }
    }

    fn ends(&mut self, _window: f64, ack: &AckSample) -> bool {
        if self.phase == Phase::Over {
            return false;
        }
        if ack.round_ended && self.end_round() {
            self.phase = Phase::Over;
            return true;
        }
        let Some(rtt) = ack.rtt.newest else { return false };
        self.current = Some(self.current.map_or(rtt, |current| current.min(rtt)));
        self.samples += 1;
        match self.phase {
            Phase::Watched => {
                if let Some(baseline) = self.delay_has_grown() {
                    self.phase = Phase::Conservative { baseline, rounds: 0 };
                }
            }
            Phase::Conservative { baseline, .. } => {
                if self.samples >= SAMPLES && self.current < Some(baseline) {
                    self.phase = Phase::Watched;
                }
            }
            Phase::Over => {}
        }
        false
    }

    fn growth(&mut self, ack: &AckSample) -> f64 {
        let packets = f64::from(ack.newly_acked);
        if self.is_conservative() { packets / GROWTH_DIVISOR } else { packets }
    }

    fn is_conservative(&self) -> bool {
        matches!(self.phase, Phase::Conservative { .. })
    }

    fn on_cut(&mut self, _: Congestion) {
        self.phase = Phase::Over;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Time;

    fn rule() -> HystartPlusPlus {
        HystartPlusPlus::new(crate::ControlSettings::default().sender())
    }

    fn ack(round_ended: bool, micros: u64) -> AckSample {
        let mut ack = AckSample { round_ended, ..AckSample::classic(Time::ZERO, 1, None, true) };
        ack.rtt.newest = Some(Span::from_micros(micros));
        ack
    }

    /// A round of so many acknowledgements with this round trip; does slow start end in it?
    fn round(rule: &mut HystartPlusPlus, acks: u32, micros: u64) -> bool {
        (0..acks).any(|index| rule.ends(10.0, &ack(index == 0, micros)))
    }

    fn is_conservative(rule: &mut HystartPlusPlus) -> bool {
        let slower = rule.growth(&ack(false, 0)) == 0.25;
        assert_eq!(SlowStartRule::is_conservative(rule), slower);
        slower
    }

    #[test]
    fn at_100_ms_an_increase_by_12_5_ms_begins_css_and_12_4_ms_does_not() {
        for (micros, begins) in [(112_500, true), (112_499, false), (112_400, false)] {
            let mut rule = rule();
            round(&mut rule, 10, 100_000);
            round(&mut rule, 10, micros);
            assert_eq!(is_conservative(&mut rule), begins, "{micros}");
        }
    }

    #[test]
    fn the_threshold_has_bounds() {
        for (base, increase) in [(8_000, 4_000), (32_000, 4_000), (64_000, 8_000), (200_000, 16_000)] {
            for (less, begins) in [(0, true), (1, false)] {
                let mut rule = rule();
                round(&mut rule, 8, base);
                round(&mut rule, 8, base + increase - less);
                assert_eq!(is_conservative(&mut rule), begins, "{base} + {increase} - {less}");
            }
        }
    }

    #[test]
    fn seven_samples_are_not_enough() {
        let mut rule = rule();
        round(&mut rule, 7, 100_000);
        round(&mut rule, 7, 150_000);
        assert!(!is_conservative(&mut rule));
        rule.ends(10.0, &ack(false, 150_000));
        assert!(is_conservative(&mut rule), "the eighth of its round; of the last round one is enough");
    }

    #[test]
    fn css_lasts_five_rounds_the_first_of_them_a_part() {
        let mut rule = rule();
        round(&mut rule, 10, 100_000);
        round(&mut rule, 10, 120_000);
        for _ in 0..4 {
            assert!(is_conservative(&mut rule));
            assert!(!round(&mut rule, 10, 120_000));
        }
        assert!(round(&mut rule, 1, 120_000), "the fifth round of CSS has ended");
        assert!(!round(&mut rule, 10, 200_000), "only once");
    }

    #[test]
    fn growth_is_divided_by_four() {
        let mut rule = rule();
        round(&mut rule, 10, 100_000);
        let ack = AckSample { newly_acked: 6, ..ack(false, 100_000) };
        assert_eq!(rule.growth(&ack), 6.0);
        round(&mut rule, 10, 120_000);
        assert_eq!(rule.growth(&ack), 1.5);
    }

    #[test]
    fn slow_start_goes_on_when_round_trips_get_shorter_again() {
        let mut rule = rule();
        round(&mut rule, 10, 100_000);
        round(&mut rule, 10, 120_000);
        round(&mut rule, 7, 119_999);
        assert!(is_conservative(&mut rule), "seven samples are not enough");
        round(&mut rule, 8, 119_999);
        assert!(!is_conservative(&mut rule));
        for _ in 0..10 {
            assert!(!round(&mut rule, 10, 119_999));
        }
    }

    #[test]
    fn after_a_cut_slow_start_is_the_standard_one() {
        let mut rule = rule();
        round(&mut rule, 10, 100_000);
        rule.on_cut(Congestion::Timeout { repeated: false });
        round(&mut rule, 10, 200_000);
        assert!(!is_conservative(&mut rule));
    }
}
