//! LEDBAT: a background flow, whose window follows how far the queueing delay is from a target.
//!
//! Source: RFC 6817 §2.4. Per acknowledgement `w <- w + gain (target - delay)/target · acked/w`, where the delay is the least of the last
//! samples less the least of the last minutes. A loss halves the window, which is never below two packets.
//!
//! | parameter | unit    | default | why                                                                             |
//! |-----------|---------|---------|---------------------------------------------------------------------------------|
//! | target    | ms      | 60      | RFC 6817 §2.5 allows up to 100; 60 is that of LEDBAT++ and of Windows            |
//! | gain      | 1       | 1       | RFC 6817 §2.5: at most 1, Reno's growth where nothing waits                      |
//! | filter    | samples | 4       | RFC 6817 §2.5: at least four in a round trip; the least of them counts           |
//! | history   | minutes | 10      | RFC 6817 §2.5: BASE_HISTORY                                                      |
//! | least window | packets | 2    | RFC 6817 §2.5: MIN_CWND                                                          |
//!
//! Differs from the RFC: delays are round trips, since acknowledgements carry no one-way delays here, so a queue on the way back counts
//! too. The initial window is the connection's. The RFC has no slow start, and adds that it never grows faster than TCP: here slow start
//! runs until nine tenths of the target wait, as in libutp. Delay moves a window only while it limits the flow, in place of the clamp to
//! what is in flight and one packet. Where no round trips are measured (the synchronous model) nothing waits.

use crate::bbr::filters::MaxFilter;
use crate::constructor::{ConstructorInfo, ParameterInfo};
use crate::controller::Wants;
use crate::sample::AckSample;
use crate::signal::CongestionSignal;
use crate::units::{Span, Time};
use crate::windowed::{Law, Windowed, spread};
use crate::{ControllerSpec, Properties};
use serde::{Deserialize, Serialize};

/// The numbers of LEDBAT.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedbatParams {
    /// Queueing delay aimed at, in milliseconds.
    pub target: f64,
    /// Packets per round trip where nothing waits.
    pub gain: f64,
    /// Samples of which the least counts.
    pub filter: f64,
    /// Minutes that the least delay is looked for in.
    pub history: f64,
}

/// What it is listed with.
pub const FAMILY: &str = "delay laws";

/// What it answers with and what it needs.
pub const PROPERTIES: Properties = Properties::WINDOW;

/// The names people write.
pub const CONSTRUCTORS: &[ConstructorInfo] = &[ConstructorInfo {
    name: "ledbat",
    aliases: &[],
    summary: "a background flow: its window follows how far the queueing delay is from a target",
    source: "RFC 6817",
    parameters: &[
        ParameterInfo::new(
            "target",
            "ms",
            Some(60.0),
            (1.0, 100.0),
            "queueing delay aimed at; default: Windows, RFC 6817 §2.5 allows up to 100",
        ),
        ParameterInfo::new(
            "gain",
            "packets/round",
            Some(1.0),
            (0.0, 1.0),
            "growth where nothing waits; default: RFC 6817 §2.5",
        ),
        ParameterInfo::new(
            "filter",
            "samples",
            Some(4.0),
            (1.0, 1000.0),
            "the least of so many delays counts; default: RFC 6817 §2.5",
        )
        .whole(),
        ParameterInfo::new(
            "history",
            "minutes",
            Some(10.0),
            (0.01, 1000.0),
            "how long the least delay is remembered; default: RFC 6817 §2.5",
        ),
    ],
    build: |v| ControllerSpec::Ledbat(LedbatParams { target: v[0], gain: v[1], filter: v[2], history: v[3] }),
}];

/// Least window that delay or a loss leaves, in packets.
const LEAST: f64 = 2.0;
/// Slow start ends where so much of the target waits (libutp).
const SLOW_START_END: f64 = 0.9;
const MINUTE: f64 = 60e9;

/// The law; its delays stand elsewhere, so that the controllers of other flows stay small.
#[derive(Clone, Debug)]
pub struct LedbatLaw(Box<State>);

/// A LEDBAT controller.
pub type Ledbat = Windowed<LedbatLaw>;

#[derive(Clone, Debug)]
struct State {
    params: LedbatParams,
    /// Least delays as largest negatives, by the number of the sample.
    recent: MaxFilter,
    samples: u64,
    /// The same by tenths of the history.
    base: MaxFilter,
}

/// Slots of the history; RFC 6817 §2.4.2 has one per minute.
const SLOTS: u64 = 10;

impl State {
    fn note(&mut self, rtt: Span, now: Time) {
        let delay = rtt.nanos() as f64;
        self.samples += 1;
        self.recent.add(self.samples, -delay, self.params.filter as u64);
        let slot = now.nanos() as f64 / (self.params.history * MINUTE / SLOTS as f64);
        self.base.add(slot as u64, -delay, SLOTS);
    }

    /// Queueing delay over target. After a long idle time the recent samples may be older than the history, and none of them is a queue.
    fn filled(&self) -> f64 {
        ((self.base.max() - self.recent.max()) / (self.params.target * 1e6)).max(0.0)
    }
}

impl Law for LedbatLaw {
    type Params = LedbatParams;

    const SHRINKS: bool = true;

    fn new(params: LedbatParams, _window: f64) -> Self {
        LedbatLaw(Box::new(State {
            params,
            recent: MaxFilter::default(),
            samples: 0,
            base: MaxFilter::default(),
        }))
    }

    fn on_ack(&mut self, ack: &AckSample) {
        if let Some(rtt) = ack.rtt.newest {
            self.0.note(rtt, ack.now);
        }
    }

    fn ends_slow_start(&mut self, window: f64, _: &AckSample) -> Option<f64> {
        (self.0.filled() > SLOW_START_END).then_some(window)
    }

    fn increase(&mut self, window: f64, ack: &AckSample) -> f64 {
        let off_target = 1.0 - self.0.filled();
        spread(window, self.0.params.gain * off_target, ack).max(LEAST.min(window))
    }

    fn whole_round(&mut self, window: f64, _: Time) -> f64 {
        window + self.0.params.gain
    }

    fn decrease(&mut self, window: f64, _: &CongestionSignal) -> f64 {
        (window / 2.0).max(LEAST).min(window)
    }

    fn wants(&self) -> Wants {
        Wants { rates: true, ..Wants::NOTHING }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Controller;
    use crate::sample::RoundTripTimes;
    use crate::settings::ControlSettings;
    use crate::units::Window;

    fn at(window: f64, threshold: Option<f64>) -> Ledbat {
        let settings = ControlSettings {
            initial_window: Window::from_packets(window),
            initial_threshold: threshold.map(Window::from_packets),
            ..ControlSettings::default()
        };
        Ledbat::new(LedbatParams { target: 60.0, gain: 1.0, filter: 4.0, history: 10.0 }, &settings)
    }

    fn ack(second: u64, millis: u64) -> AckSample {
        let rtt = RoundTripTimes { newest: Some(Span::from_millis(millis)), ..RoundTripTimes::default() };
        AckSample { rtt, ..AckSample::classic(Time::from_nanos(second * 1_000_000_000), 1, None, true) }
    }

    #[test]
    fn the_window_moves_by_the_distance_from_the_target() {
        // 100 ms at first; then 20, 60 and 90 ms wait: 2/3, 0 and -1/2 of a packet per round trip.
        for (millis, per_round) in [(100, 1.0), (120, 2.0 / 3.0), (160, 0.0), (190, -0.5)] {
            let mut control = at(20.0, Some(2.0));
            control.law.0.note(Span::from_millis(100), Time::ZERO);
            (0..4).for_each(|_| control.law.0.note(Span::from_millis(millis), Time::ZERO));
            control.on_ack(&ack(0, millis));
            let expected = 20.0 + per_round / 20.0;
            assert!((control.window().packets() - expected).abs() < 1e-12, "{millis} ms");
        }
    }

    #[test]
    fn the_least_of_four_counts() {
        let mut control = at(20.0, Some(2.0));
        control.law.0.note(Span::from_millis(100), Time::ZERO);
        for (millis, filled) in [(160, 0.0), (160, 0.0), (160, 0.0), (130, 0.5), (160, 0.5)] {
            control.law.0.note(Span::from_millis(millis), Time::ZERO);
            assert!(
                (control.law.0.filled() - filled).abs() < 1e-12,
                "{millis} ms: {}",
                control.law.0.filled()
            );
        }
    }

    #[test]
    fn the_least_delay_is_remembered_for_ten_minutes() {
        let mut control = at(20.0, Some(2.0));
        control.on_ack(&ack(0, 100));
        for second in 1..=599 {
            control.on_ack(&ack(second, 130));
        }
        assert!((control.law.0.filled() - 0.5).abs() < 1e-12);
        control.on_ack(&ack(600, 130));
        assert_eq!(control.law.0.filled(), 0.0);
    }

    #[test]
    fn slow_start_ends_near_the_target_and_a_loss_halves_but_for_two_packets() {
        use crate::signal::Congestion;
        let mut control = at(20.0, None);
        control.on_ack(&ack(0, 100));
        (0..4).for_each(|_| control.on_ack(&ack(0, 154)));
        assert_eq!(control.window().packets(), 25.0);
        assert_eq!(
            control.slow_start_threshold().packets(),
            f64::INFINITY,
            "the least of four is 100 or 154"
        );
        (0..4).for_each(|_| control.on_ack(&ack(0, 155)));
        assert!(control.slow_start_threshold().packets() < 30.0);
        for (window, left) in [(20.0, 10.0), (3.0, 2.0), (2.0, 2.0)] {
            let mut control = at(window, Some(2.0));
            control.on_congestion(&CongestionSignal::new(Time::ZERO, Congestion::Loss));
            assert_eq!(control.window().packets(), left);
        }
    }
}
