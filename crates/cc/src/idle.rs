//! A window that is not used: how long it may be kept, and what congestion makes of it.
//!
//! Source: RFC 7661 (new congestion window validation), RFC 5681 §4.1 (restart after an idle time).
//!
//! | rule      | what it does                                                                                                    |
//! |-----------|-----------------------------------------------------------------------------------------------------------------|
//! | `keep`    | nothing                                                                                                         |
//! | `rfc5681` | after an idle time above the retransmission timeout the window is no larger than the initial one                |
//! | `rfc7661` | a window of which less than half is used is *not validated*: it is kept, paced, cut for what was used, and halved every five minutes |
//!
//! | parameter         | unit | default      | why                                              |
//! |-------------------|------|--------------|--------------------------------------------------|
//! | used              | 1    | 1/2          | RFC 7661 §4.3: slow start doubles                |
//! | sampling period   | s    | max(1, 3 RTT) | RFC 7661 §4.2                                   |
//! | non-validated period | s | 300          | RFC 7661 §4.4                                    |
//!
//! What was used (`pipeACK`) is what a round trip delivered, the most of the sampling period. It is taken when a round ends and compared
//! with the window as it was when that round began, or with the present one if this is smaller, since slow start has doubled it meanwhile.
//!
//! Differs from RFC 7661: congestion leaves what the law's own decrease leaves of the used volume, where the RFC halves. `LossFlightSize`
//! is what was in flight before the acknowledgement that shows the loss; where a timer finds it, `pipeACK` alone counts.

use crate::bbr::filters::MaxFilter;
use crate::cut::Cut;
use crate::sample::AckSample;
use crate::signal::IdleSignal;
use crate::units::{Bytes, Rate, Span, Time, Window};
use serde::{Deserialize, Serialize};

/// What becomes of a window that is not used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum IdleRule {
    /// It stays.
    #[default]
    #[serde(rename = "keep")]
    Keep,
    /// An idle time ends it.
    #[serde(rename = "rfc5681")]
    Rfc5681,
    /// It is validated.
    #[serde(rename = "rfc7661")]
    Rfc7661,
}

/// A fraction of the window that must be used.
const USED: f64 = 0.5;
/// The shortest sampling period.
const SAMPLING_MIN: Span = Span::from_seconds(1);
/// How long a window is kept that is not validated.
const NON_VALIDATED_MAX: Span = Span::from_seconds(300);

/// Window and slow-start threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adjusted {
    /// The window, in packets.
    pub window: f64,
    /// The threshold, in packets.
    pub threshold: f64,
}

/// A recovery in progress.
#[derive(Clone, Copy, Debug, Default)]
struct Repair {
    /// In flight before it was entered.
    flight: f64,
    /// Lost in it.
    lost: f64,
    /// The volume that was cut, and the fraction that the cut left, if the window was not validated.
    cut: Option<(f64, f64)>,
}

/// Is the window validated?
#[derive(Clone, Debug)]
pub struct Validation {
    initial: f64,
    packet: Bytes,
    /// `pipeACK`; `None` is undefined.
    used: Option<f64>,
    samples: MaxFilter,
    /// Delivered when this round began, and the window then.
    round: Option<(Bytes, f64)>,
    /// Since when the window has not been validated, or was adjusted for that.
    since: Option<Time>,
    srtt: Option<Span>,
    repair: Option<Repair>,
}

impl Validation {
    /// At the start of a connection, with its initial window and the size of its packets.
    pub fn new(initial: Window, packet: Bytes) -> Self {
        Validation {
            initial: initial.packets(),
            packet,
            used: None,
            samples: MaxFilter::default(),
            round: None,
            since: None,
            srtt: None,
            repair: None,
        }
    }

    fn packets(&self, bytes: Bytes) -> f64 {
        bytes.count() as f64 / self.packet.count() as f64
    }

    fn period(&self) -> u64 {
        self.srtt.map_or(SAMPLING_MIN.nanos(), |srtt| SAMPLING_MIN.nanos().max(3 * srtt.nanos()))
    }

    /// A round trip has passed, outside recovery. What the end of a long time without validation makes of window and threshold.
    pub fn on_round(&mut self, window: f64, threshold: f64, ack: &AckSample) -> Option<Adjusted> {
        self.srtt = ack.rtt.smoothed;
        let began = self.round.replace((ack.delivered, window));
        let (delivered, window_then) = began?;
        let delivered = self.packets(ack.delivered) - self.packets(delivered);
        self.note(delivered, ack.now);
        let validated = self.used.is_some_and(|used| used >= USED * window.min(window_then));
        self.since = if validated { None } else { self.since.or(Some(ack.now)) };
        self.adjusted(window, threshold, ack.now)
    }

    fn note(&mut self, delivered: f64, now: Time) {
        self.samples.add(now.nanos(), delivered, self.period());
        self.used = Some(self.samples.max());
    }

    fn adjusted(&mut self, window: f64, threshold: f64, now: Time) -> Option<Adjusted> {
        let overdue = self.since.is_some_and(|since| now > since + NON_VALIDATED_MAX);
        overdue.then(|| {
            self.since = self.since.map(|since| since + NON_VALIDATED_MAX);
            let threshold = threshold.max(0.75 * window);
            Adjusted { window: window.min((window / 2.0).max(self.initial)), threshold }
        })
    }

    /// An idle time is over: nothing was delivered in it.
    pub fn on_idle(&mut self, window: f64, threshold: f64, signal: &IdleSignal) -> Option<Adjusted> {
        self.used?;
        self.round = None;
        self.note(0.0, signal.now);
        if self.used.is_some_and(|used| used < USED * window) {
            self.since = self.since.or(Some(signal.since));
        }
        let mut adjusted = self.adjusted(window, threshold, signal.now);
        while let Some(so_far) = adjusted
            && let Some(more) = self.adjusted(so_far.window, so_far.threshold, signal.now)
        {
            adjusted = Some(more);
        }
        adjusted
    }

    /// An acknowledgement during recovery.
    pub fn on_repair(&mut self, ack: &AckSample) {
        let (flight, lost) = (self.packets(ack.in_flight_before), self.packets(ack.newly_lost));
        let repair = self.repair.get_or_insert(Repair { flight, ..Repair::default() });
        repair.lost += lost;
    }

    /// What congestion cuts: the window, or what was used of it.
    pub fn volume(&self, window: f64) -> f64 {
        let (Some(used), Some(_)) = (self.used, self.since) else { return window };
        let flight = self.repair.map_or(0.0, |repair| repair.flight);
        used.max(flight).min(window)
    }

    /// Congestion was answered: the window is validated now, and nothing is known of its use.
    pub fn on_cut(&mut self, cut: &Cut) {
        let was_validated = self.since.is_none();
        if let Some(repair) = &mut self.repair
            && !was_validated
            && cut.before > 0.0
        {
            repair.cut = Some((cut.before, cut.after / cut.before));
        }
        self.forget();
    }

    fn forget(&mut self) {
        (self.used, self.since, self.round) = (None, None, None);
        self.samples = MaxFilter::default();
    }

    /// Recovery is over: what was lost has shown that the path holds that much less than was cut.
    pub fn on_repaired(&mut self, window: f64) -> f64 {
        let cut = self.repair.take().and_then(|repair| Some((repair.cut?, repair.lost)));
        self.forget();
        cut.map_or(window, |((volume, kept), lost)| window.min((volume - lost) * kept).max(1.0))
    }

    /// What was cut for was none.
    pub fn on_undo(&mut self) {
        if let Some(repair) = &mut self.repair {
            repair.cut = None;
        }
    }

    /// Is the window validated now?
    pub fn is_validated(&self) -> bool {
        self.since.is_none()
    }

    /// How fast packets may leave at this window, if it is not validated: it is spread over a round trip.
    pub fn pacing_rate(&self, window: f64) -> Option<Rate> {
        let (_, srtt) = (self.since?, self.srtt.filter(|&srtt| srtt > Span::ZERO)?);
        let bytes = window * self.packet.count() as f64;
        Some(Rate::from_bits_per_second((8e9 * bytes / srtt.nanos() as f64).max(1.0) as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::Answer;
    use crate::sample::RoundTripTimes;

    const ROUND: Span = Span::from_millis(100);

    fn validation() -> Validation {
        Validation::new(Window::from_packets(10.0), Bytes::new(1000))
    }

    fn at(rounds: u64) -> Time {
        Time::from_nanos(rounds * ROUND.nanos())
    }

    fn ack(now: Time, delivered: u64) -> AckSample {
        AckSample {
            now,
            delivered: Bytes::new(delivered * 1_000),
            rtt: RoundTripTimes { smoothed: Some(ROUND), ..RoundTripTimes::default() },
            round_ended: true,
            ..AckSample::default()
        }
    }

    /// Rounds of so many packets at this window and threshold; the last adjustment.
    fn rounds(state: &mut Validation, from: u64, count: u64, packets: u64, window: f64) -> Option<Adjusted> {
        let mut last = None;
        for round in from..from + count {
            last = state.on_round(window, 20.0, &ack(at(round), round * packets)).or(last);
        }
        last
    }

    #[test]
    fn a_window_is_validated_by_half_of_it_in_a_round_trip() {
        for (packets, validated) in [(50, true), (49, false)] {
            let mut state = validation();
            assert_eq!(state.volume(100.0), 100.0, "undefined");
            rounds(&mut state, 0, 2, packets, 100.0);
            assert_eq!(state.volume(100.0), if validated { 100.0 } else { 49.0 });
            // 100 packets of 1000 bytes in 100 ms.
            let paced = (!validated).then(|| Rate::from_bits_per_second(8_000_000));
            assert_eq!(state.pacing_rate(100.0), paced);
        }
    }

    #[test]
    fn slow_start_is_validated_although_it_has_doubled_the_window() {
        let mut state = validation();
        let mut delivered = 1;
        for round in 0..6 {
            let window = 10.0 * f64::from(1 << round) + 1.0;
            assert_eq!(state.on_round(window, f64::INFINITY, &ack(at(round), delivered)), None);
            assert_eq!(state.volume(window), window);
            delivered += 10 << round;
        }
    }

    #[test]
    fn the_most_of_a_second_counts() {
        let mut state = validation();
        rounds(&mut state, 0, 2, 60, 100.0);
        state.round = None;
        rounds(&mut state, 2, 9, 10, 100.0);
        assert_eq!(state.volume(100.0), 100.0, "60 packets 0.9 s ago");
        rounds(&mut state, 11, 1, 10, 100.0);
        assert_eq!(state.volume(100.0), 10.0);
    }

    #[test]
    fn after_five_minutes_half_is_left_and_three_quarters_are_the_threshold() {
        let mut state = validation();
        assert_eq!(rounds(&mut state, 0, 3_000, 10, 100.0), None);
        let found = rounds(&mut state, 3_000, 3, 10, 100.0);
        assert_eq!(found, Some(Adjusted { window: 50.0, threshold: 75.0 }));
        assert_eq!(rounds(&mut state, 3_003, 100, 10, 50.0), None);
        // Ten minutes of silence: twice, and never below the initial window.
        let signal = IdleSignal { now: at(10_100), since: at(3_103), timeout: ROUND };
        let found = state.on_idle(50.0, 75.0, &signal);
        assert_eq!(found, Some(Adjusted { window: 12.5, threshold: 75.0 }));
        assert_eq!(
            state.on_idle(12.5, 75.0, &IdleSignal { now: at(20_000), ..signal }).map(|found| found.window),
            Some(10.0)
        );
    }

    #[test]
    fn congestion_cuts_what_was_used_and_takes_off_what_was_lost() {
        let mut state = validation();
        rounds(&mut state, 0, 2, 20, 100.0);
        let shows = AckSample {
            in_flight_before: Bytes::new(30_000),
            newly_lost: Bytes::new(4_000),
            ..ack(at(2), 41)
        };
        state.on_repair(&shows);
        assert_eq!(state.volume(100.0), 30.0, "the larger of 20 in a round trip and 30 in flight");
        state.on_cut(&Cut { answer: Answer::Law, before: 30.0, after: 15.0 });
        assert_eq!((state.volume(15.0), state.pacing_rate(15.0)), (15.0, None));
        state.on_repair(&AckSample { newly_lost: Bytes::new(2_000), ..shows });
        assert_eq!(state.on_repaired(15.0), 12.0, "(30 - 6)/2");
        // A validated window is left alone.
        rounds(&mut state, 3, 2, 20, 20.0);
        state.on_repair(&shows);
        state.on_cut(&Cut { answer: Answer::Law, before: 20.0, after: 10.0 });
        assert_eq!(state.on_repaired(10.0), 10.0);
    }
}
