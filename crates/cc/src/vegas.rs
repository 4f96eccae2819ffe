//! Vegas: keeps a few packets in the queue, by comparing round trips with the least one.
//!
//! Source: [BrakmoPeterson95] §III; Linux, `net/ipv4/tcp_vegas.c`, where the paper leaves things open. Once per round trip, with the least
//! round trip `rtt` in it and the least of all `base`, `diff = w (rtt - base)/base` packets more are under way than the path holds
//! without a queue: below `alpha` the window grows by one, above `beta` it shrinks by one. Slow start ends where `diff` is above `gamma`,
//! with what the path holds and one packet.
//!
//! | parameter | unit    | default | why                                                               |
//! |-----------|---------|---------|-------------------------------------------------------------------|
//! | alpha     | packets | 2       | [BrakmoPeterson95] §III.B has 2 and 4, or 1 and 3; Linux has 2     |
//! | beta      | packets | 4       | as above                                                          |
//! | gamma     | packets | 1       | [BrakmoPeterson95] §III.C; Linux                                   |
//!
//! Differs from the paper, as Linux does: slow start doubles in every round trip and not in every other; a loss halves the window and is
//! found by the flow's recovery; a round trip with fewer than three samples grows as Reno's; the least round trip is forgotten after an
//! idle time. Where no round trips are measured (the synchronous model) it is Reno. `diff` is over the least round trip of all, as in
//! Linux, so that it is packets of the present window.

use crate::conduct::Conduct;
use crate::constructor::{ConstructorError, ConstructorInfo, ParameterInfo};
use crate::controller::Wants;
use crate::cut::Cut;
use crate::sample::AckSample;
use crate::signal::{CongestionSignal, IdleSignal};
use crate::units::{Span, Time};
use crate::windowed::{Law, Windowed, spread};
use crate::{ControllerSpec, Properties};
use serde::{Deserialize, Serialize};

/// The numbers of Vegas.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VegasParams {
    /// Below so many packets in the queue the window grows.
    pub alpha: f64,
    /// Above so many it shrinks.
    pub beta: f64,
    /// Above so many slow start ends.
    pub gamma: f64,
}

impl VegasParams {
    /// Is there a number of packets at which the window stays?
    pub(crate) fn check(&self) -> Result<(), ConstructorError> {
        if self.alpha <= self.beta {
            return Ok(());
        }
        let (parameter, other) = ("alpha", "beta");
        Err(ConstructorError::BeyondOther { parameter, value: self.alpha, other, most: self.beta })
    }
}

/// What it is listed with.
pub const FAMILY: &str = "delay laws";

/// What it answers with and what it needs.
pub const PROPERTIES: Properties = Properties::WINDOW;

const fn packets(name: &'static str, default: f64, why: &'static str) -> ParameterInfo {
    ParameterInfo::new(name, "packets", Some(default), (0.0, 1e6), why)
}

/// The names people write.
pub const CONSTRUCTORS: &[ConstructorInfo] = &[ConstructorInfo {
    name: "vegas",
    aliases: &[],
    summary: "keeps between alpha and beta packets in the queue, by comparing round trips with the least one",
    source: "BrakmoPeterson95 §III; Linux tcp_vegas.c",
    parameters: &[
        packets(
            "alpha",
            2.0,
            "packets in the queue below which the window grows by one a round trip; default: Linux",
        ),
        packets(
            "beta",
            4.0,
            "packets in the queue above which the window shrinks by one a round trip; default: Linux",
        ),
        packets("gamma", 1.0, "packets in the queue above which slow start ends; default: Linux"),
    ],
    build: |v| ControllerSpec::Vegas(VegasParams { alpha: v[0], beta: v[1], gamma: v[2] }),
}];

/// Samples that a round trip must have.
const SAMPLES_MIN: u32 = 3;
/// Least window that delay leaves, in packets (Linux).
const LEAST: f64 = 2.0;

/// What a round trip asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Grow,
    Stay,
    Shrink,
    Reno,
}

/// The law; what it remembers stands elsewhere, so that the controllers of other flows stay small.
#[derive(Clone, Debug)]
pub struct VegasLaw(Box<State>);

/// A Vegas controller.
pub type Vegas = Windowed<VegasLaw>;

#[derive(Clone, Debug)]
struct State {
    params: VegasParams,
    base: Option<Span>,
    least: Option<Span>,
    samples: u32,
    /// The least round trip of the round that has just ended, until it has been answered.
    ended: Option<Span>,
    /// The round that has just ended had too few samples.
    few: bool,
}

impl State {
    /// Packets more than the path holds, and those that it holds.
    fn queued(&self, window: f64, rtt: Span) -> (f64, f64) {
        let base = self.base.unwrap_or(rtt).nanos() as f64;
        let rtt = rtt.nanos() as f64;
        (window * (rtt - base) / base, window * base / rtt)
    }

    fn step(&self, window: f64, rtt: Span) -> Step {
        let (queued, _) = self.queued(window, rtt);
        match () {
            () if self.few => Step::Reno,
            () if queued > self.params.beta => Step::Shrink,
            () if queued < self.params.alpha => Step::Grow,
            () => Step::Stay,
        }
    }

    fn begin_round(&mut self) {
        (self.least, self.samples) = (None, 0);
    }
}

impl Law for VegasLaw {
    type Params = VegasParams;

    const SHRINKS: bool = true;

    fn new(params: VegasParams, _window: f64) -> Self {
        VegasLaw(Box::new(State { params, base: None, least: None, samples: 0, ended: None, few: false }))
    }

    fn on_ack(&mut self, ack: &AckSample) {
        let state = &mut *self.0;
        if let Some(rtt) = ack.rtt.newest {
            state.base = Some(state.base.map_or(rtt, |base| base.min(rtt)));
            state.least = Some(state.least.map_or(rtt, |least| least.min(rtt)));
            state.samples += 1;
        }
        state.ended = None;
        if ack.round_ended {
            (state.ended, state.few) = (state.least, state.samples < SAMPLES_MIN);
            state.begin_round();
        }
    }

    fn ends_slow_start(&mut self, window: f64, _: &AckSample) -> Option<f64> {
        let rtt = self.0.ended.filter(|_| !self.0.few)?;
        let (queued, held) = self.0.queued(window, rtt);
        (queued > self.0.params.gamma).then(|| window.min(held + 1.0))
    }

    fn increase(&mut self, window: f64, ack: &AckSample) -> f64 {
        if self.0.base.is_none() {
            return spread(window, 1.0, ack);
        }
        let Some(rtt) = self.0.ended.take() else { return window };
        match self.0.step(window, rtt) {
            Step::Grow => window + 1.0,
            Step::Stay => window,
            Step::Shrink => (window - 1.0).max(LEAST),
            Step::Reno => spread(window, 1.0, ack),
        }
    }

    fn whole_round(&mut self, window: f64, _: Time) -> f64 {
        window + 1.0
    }

    fn decrease(&mut self, window: f64, _: &CongestionSignal) -> f64 {
        window / 2.0
    }

    fn on_cut(&mut self, _: &Cut, _: &Conduct) {
        self.0.begin_round();
    }

    fn on_idle(&mut self, _: &IdleSignal) {
        self.0.base = None;
        self.0.begin_round();
    }

    fn wants(&self) -> Wants {
        Wants { rates: true, rounds: true, ..Wants::NOTHING }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Controller;
    use crate::parse_controller;
    use crate::sample::RoundTripTimes;
    use crate::settings::ControlSettings;
    use crate::units::Window;

    fn ack(millis: u64, round_ended: bool) -> AckSample {
        let rtt = Some(Span::from_millis(millis));
        let rtt = RoundTripTimes { newest: rtt, latest: rtt, ..RoundTripTimes::default() };
        AckSample { rtt, round_ended, ..AckSample::classic(Time::ZERO, 1, None, true) }
    }

    fn at(window: f64, threshold: Option<f64>) -> Vegas {
        let settings = ControlSettings {
            initial_window: Window::from_packets(window),
            initial_threshold: threshold.map(Window::from_packets),
            ..ControlSettings::default()
        };
        let mut control = Vegas::new(VegasParams { alpha: 2.0, beta: 4.0, gamma: 1.0 }, &settings);
        control.law.0.base = Some(Span::from_millis(100));
        control
    }

    /// A round of three samples.
    fn round(control: &mut Vegas, millis: u64) -> f64 {
        [false, false, true].iter().for_each(|&ended| control.on_ack(&ack(millis, ended)));
        control.window().packets()
    }

    #[test]
    fn the_window_follows_the_packets_in_the_queue() {
        // 20 (rtt - 100)/100 packets of 20: 2 at 110 ms, 4 at 120 ms.
        for (millis, expected) in
            [(109, 21.0), (110, 20.0), (115, 20.0), (120, 20.0), (121, 19.0), (100, 21.0)]
        {
            assert_eq!(round(&mut at(20.0, Some(2.0)), millis), expected, "{millis} ms");
        }
        assert_eq!(round(&mut at(2.0, Some(2.0)), 1_000), 2.0, "no less than two");
        let mut control = at(20.0, Some(20.0));
        assert_eq!(
            [round(&mut control, 130), round(&mut control, 130)],
            [19.0, 18.0],
            "no slow start between"
        );
    }

    #[test]
    fn slow_start_ends_with_what_the_path_holds_and_one() {
        let mut control = at(20.0, None);
        assert_eq!(round(&mut control, 104), 23.0, "0.9 packets in the queue of 22 when the round ends");
        let mut control = at(20.0, None);
        // 22 at the end of the round, 2.2 of them in the queue: 22/1.1 + 1.
        assert!((round(&mut control, 110) - 21.0).abs() < 1e-9);
        assert!((control.slow_start_threshold().packets() - 21.0).abs() < 1e-9);
    }

    #[test]
    fn two_samples_are_too_few() {
        let mut control = at(10.0, Some(2.0));
        control.on_ack(&ack(300, false));
        control.on_ack(&ack(300, true));
        assert_eq!(control.window().packets(), 10.1);
    }

    #[test]
    fn growth_above_the_place_where_it_shrinks_is_refused() {
        for (text, value, most) in [("vegas(alpha = 4, beta = 2)", 4, 2), ("vegas(beta = 1)", 2, 1)] {
            let error = parse_controller(text).unwrap_err().to_string();
            let expected =
                format!("controller.alpha = {value}: expected alpha ≤ beta, which are {value} and {most}");
            assert_eq!(error, expected, "{text}");
        }
        assert!(parse_controller("vegas(alpha = 3, beta = 3)").is_ok());
    }

    #[test]
    fn a_loss_halves_and_an_idle_time_forgets_the_least_round_trip() {
        use crate::signal::Congestion;
        let mut control = at(20.0, Some(2.0));
        control.on_congestion(&CongestionSignal::new(Time::ZERO, Congestion::Loss));
        assert_eq!(control.window().packets(), 10.0);
        control.on_idle(&IdleSignal { now: Time::ZERO, since: Time::ZERO, timeout: Span::ZERO });
        assert_eq!(round(&mut control, 300), 11.0, "300 ms is the least now");
    }
}
