//! SIMD: the window grows with the square of the time since the last decrease; on congestion it loses the fraction b.
//!
//! Source: [Jin01] §3. After a decrease from w_max to w_0 = (1 - b) w_max the window is `w_0 + c t²` after t round trips, which a
//! memory of w_0 gives step by step: `sqrt(w - w_0) <- sqrt(w - w_0) + sqrt(c)` per round. The increase is as large as TCP-friendliness
//! allows. A cycle lasts T = sqrt(b w_max / c) rounds and carries 1/p = T w_max (1 - 2b/3) packets. Its rate is that of TCP,
//! sqrt(3/2)/sqrt(p), when T = (2/3) w_max (1 - 2b/3), hence
//!
//! ```text
//! c = 9 b / (4 w_max (1 - 2b/3)²)
//! ```
//!
//! | parameter | unit | default | why                                                   |
//! |-----------|------|---------|-------------------------------------------------------|
//! | b         | 1    | 1/16    | [Lahanas03] §3.1 cites SIMD keeping 15/16             |
//!
//! Differs from the paper: the increase of a round is spread over the packets acknowledged in it. Before the first decrease, and after slow
//! start, the window is taken for one that was just cut: w_max = w / (1 - b).

use crate::conduct::Conduct;
use crate::constructor::{ConstructorInfo, ParameterInfo};
use crate::cut::{Answer, Cut};
use crate::sample::AckSample;
use crate::signal::CongestionSignal;
use crate::units::Time;
use crate::windowed::{Law, Windowed};
use crate::{ControllerSpec, Properties};
use serde::{Deserialize, Serialize};

/// The number of SIMD.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimdParams {
    /// Fraction removed on congestion.
    pub b: f64,
}

/// What it is listed with.
pub const FAMILY: &str = "other window laws";

/// What it answers with and what it needs.
pub const PROPERTIES: Properties = Properties::WINDOW;

/// The names people write.
pub const CONSTRUCTORS: &[ConstructorInfo] = &[ConstructorInfo {
    name: "simd",
    aliases: &[],
    summary: "increase with the square of the time since the last decrease, which removes the fraction b; TCP-friendly for any b",
    source: "Jin01 §3",
    parameters: &[ParameterInfo::new(
        "b",
        "1",
        Some(0.0625),
        (0.0001, 0.9),
        "fraction of the window that a decrease removes; default: Lahanas03 §3.1 keeps 15/16; with none or all removed there is no cycle",
    )],
    build: |v| ControllerSpec::Simd(SimdParams { b: v[0] }),
}];

/// The law and where its cycle began.
#[derive(Clone, Debug)]
pub struct SimdLaw {
    params: SimdParams,
    /// w_0.
    start: f64,
    /// sqrt(c), packets^(1/2) per round.
    pace: f64,
}

/// A SIMD controller.
pub type Simd = Windowed<SimdLaw>;

impl SimdLaw {
    /// A cycle begins at this window, after a decrease from `w_max`.
    fn begin(&mut self, window: f64, w_max: f64) {
        let b = self.params.b;
        let share = 1.0 - 2.0 * b / 3.0;
        self.start = window;
        self.pace = (9.0 * b / (4.0 * w_max)).sqrt() / share;
    }

    /// A cycle begins at this window, taken for one that was just cut.
    fn begin_at(&mut self, window: f64) {
        self.begin(window, window / (1.0 - self.params.b));
    }

    /// The window after so many rounds more, or a part of one.
    fn after_rounds(&self, window: f64, rounds: f64) -> f64 {
        let root = (window - self.start).max(0.0).sqrt() + self.pace * rounds;
        self.start + root * root
    }
}

impl Law for SimdLaw {
    type Params = SimdParams;

    fn new(params: SimdParams, window: f64) -> Self {
        let mut law = SimdLaw { params, start: 0.0, pace: 0.0 };
        law.begin_at(window);
        law
    }

    #[inline]
    fn increase(&mut self, window: f64, ack: &AckSample) -> f64 {
        self.after_rounds(window, f64::from(ack.newly_acked) / window)
    }

    fn whole_round(&mut self, window: f64, _: Time) -> f64 {
        self.after_rounds(window, 1.0)
    }

    fn decrease(&mut self, window: f64, _: &CongestionSignal) -> f64 {
        (1.0 - self.params.b) * window
    }

    fn on_slow_start(&mut self, _: f64, window: f64) {
        self.begin_at(window);
    }

    fn on_cut(&mut self, cut: &Cut, _: &Conduct) {
        match cut.answer {
            Answer::Law | Answer::Alternative => self.begin(cut.after, cut.before),
            Answer::Half | Answer::Return(_) | Answer::Restart => self.begin_at(cut.after),
            Answer::Nothing => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Controller;
    use crate::settings::ControlSettings;
    use crate::signal::Congestion;
    use crate::units::Window;

    const LOSS: CongestionSignal = CongestionSignal::new(Time::ZERO, Congestion::Loss);

    fn at(b: f64, window: f64) -> Simd {
        let settings = ControlSettings {
            initial_window: Window::from_packets(window),
            initial_threshold: Some(Window::from_packets(2.0)),
            ..ControlSettings::default()
        };
        Simd::new(SimdParams { b }, &settings)
    }

    #[test]
    fn the_window_grows_with_the_square_of_time() {
        let (b, w_max) = (0.25, 400.0);
        let mut control = at(b, w_max);
        control.on_congestion(&LOSS);
        let c = 9.0 * b / (4.0 * w_max * (1.0 - 2.0 * b / 3.0) * (1.0 - 2.0 * b / 3.0));
        for t in 1..100 {
            control.on_round(Time::ZERO);
            let expected = 300.0 + c * f64::from(t) * f64::from(t);
            assert!((control.window().packets() - expected).abs() < 1e-6 * expected);
        }
    }

    /// The rate of a long cycle times sqrt(p) is TCP's sqrt(3/2).
    #[test]
    fn it_is_tcp_friendly() {
        for b in [1.0 / 16.0, 0.25, 0.5] {
            let mut control = at(b, 10_000.0);
            control.on_congestion(&LOSS);
            let (mut rounds, mut packets) = (0.0, 0.0);
            while control.window().packets() < 10_000.0 {
                packets += control.window().packets();
                rounds += 1.0;
                control.on_round(Time::ZERO);
            }
            let rate: f64 = packets / rounds;
            let constant = rate / packets.sqrt(); // p = 1 / packets
            assert!((constant - 1.5f64.sqrt()).abs() < 0.002, "b = {b}: {constant}");
        }
    }

    #[test]
    fn a_round_of_acks_is_nearly_a_round() {
        let (mut whole, mut split) = (at(0.25, 100.0), at(0.25, 100.0));
        whole.on_round(Time::ZERO);
        for _ in 0..100 {
            split.on_ack(&AckSample::classic(Time::ZERO, 1, None, true));
        }
        assert!((whole.window().packets() - split.window().packets()).abs() < 1e-3);
    }
}
