//! SIMD: the window grows with the square of the time since the last decrease; on congestion it loses the fraction b.
//!
//! Source: [Jin01] §3. After a decrease from w_max to w_0 = (1 - b) w_max the window is `w_0 + c t²` after t round trips, which a memory
//! of w_0 gives step by step: `sqrt(w - w_0) <- sqrt(w - w_0) + sqrt(c)` per round. The size of the increase is the one that is
//! TCP-friendly: a cycle lasts T = sqrt(b w_max / c) rounds and carries 1/p = T w_max (1 - 2b/3) packets, and its rate is that of TCP,
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

use crate::controller::Controller;
use crate::sample::AckSample;
use crate::settings::{Conduct, ControlSettings, Cut};
use crate::signal::CongestionSignal;
use crate::units::{Time, Window};
use serde::{Deserialize, Serialize};

/// The number of SIMD.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimdParams {
    /// Fraction removed on congestion.
    pub b: f64,
}

/// A SIMD controller.
#[derive(Clone, Debug)]
pub struct Simd {
    params: SimdParams,
    conduct: Conduct,
    window: f64,
    /// w_0.
    start: f64,
    /// sqrt(c), packets^(1/2) per round.
    pace: f64,
}

impl Simd {
    /// A controller at the start of its connection.
    pub fn new(params: SimdParams, settings: &ControlSettings) -> Self {
        let mut control = Simd {
            params,
            conduct: Conduct::new(settings),
            window: settings.initial_window.packets(),
            start: 0.0,
            pace: 0.0,
        };
        control.begin(control.window / (1.0 - params.b));
        control
    }

    /// A cycle begins at the window as it is, after a decrease from `w_max`.
    fn begin(&mut self, w_max: f64) {
        let b = self.params.b;
        let share = 1.0 - 2.0 * b / 3.0;
        self.start = self.window;
        self.pace = (9.0 * b / (4.0 * w_max)).sqrt() / share;
    }

    /// So many rounds pass, or a part of one.
    fn grow(&mut self, rounds: f64) {
        let root = (self.window - self.start).max(0.0).sqrt() + self.pace * rounds;
        self.window = self.start + root * root;
    }
}

impl Controller for Simd {
    #[inline]
    fn on_ack(&mut self, ack: &AckSample) {
        if ack.in_recovery || !ack.cwnd_limited {
            return; // an idle window says nothing about the path (RFC 7661 §4.3)
        }
        let acked = f64::from(ack.newly_acked);
        if self.conduct.slow_start.covers(self.window) {
            self.window += acked;
            self.begin(self.window / (1.0 - self.params.b));
        } else {
            self.grow(acked / self.window);
        }
    }

    fn on_round(&mut self, _: Time) {
        self.grow(1.0);
    }

    fn on_congestion(&mut self, signal: &CongestionSignal) {
        let before = self.window;
        let cut = self.conduct.cut(signal.kind, before, (1.0 - self.params.b) * before);
        self.window = cut.window(before);
        match cut {
            Cut::Law(_) => self.begin(before),
            Cut::Half(_) | Cut::Return(_) | Cut::Restart => self.begin(self.window / (1.0 - self.params.b)),
            Cut::None => {}
        }
    }

    #[inline]
    fn window(&self) -> Window {
        Window::from_packets(self.window)
    }

    fn slow_start_threshold(&self) -> Window {
        self.conduct.slow_start.threshold()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::Congestion;

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
        let (mut whole, mut parts) = (at(0.25, 100.0), at(0.25, 100.0));
        whole.on_round(Time::ZERO);
        for _ in 0..100 {
            parts.on_ack(&AckSample::classic(Time::ZERO, 1, None, true));
        }
        assert!((whole.window().packets() - parts.window().packets()).abs() < 1e-3);
    }
}
