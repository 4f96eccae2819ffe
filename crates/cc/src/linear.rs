//! Linear controls: per round trip `w <- a_i + b_i*w`; on congestion `w <- a_d + b_d*w`.
//!
//! Source: [ChiuJain89] §2; [Akella02] §5.1. AIMD, AIAD, MIMD and MIAD are parameter choices, not types.
//!
//! | parameter | unit          | default | why                     |
//! |-----------|---------------|---------|-------------------------|
//! | a_i       | packets/round | 1       | TCP, RFC 5681 §3.1      |
//! | b_i       | 1             | 1       | additive increase       |
//! | a_d       | packets       | 0       | multiplicative decrease |
//! | b_d       | 1             | 0.5     | TCP, RFC 5681 §3.1      |
//!
//! Differs from the papers: the increase of a round is spread over the packets acknowledged in it; the
//! window never falls below one packet; below `ssthresh` slow start runs instead. A timeout sets the window
//! to 1 and `ssthresh` to half the window whatever the law (RFC 5681 §3.1, equation 4, and ns-2; with
//! `timeout_threshold = "law"` to what the decrease would leave); a second timeout of the same segment
//! leaves `ssthresh` as it is (RFC 5681 §3.1).

use crate::controller::Controller;
use crate::sample::AckSample;
use crate::settings::{Conduct, ControlSettings};
use crate::signal::CongestionSignal;
use crate::units::{Time, Window};
use serde::{Deserialize, Serialize};

/// The four numbers of a linear control.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinearParams {
    /// Packets added per round trip.
    pub a_i: f64,
    /// Factor per round trip.
    pub b_i: f64,
    /// Packets added on congestion (negative for a decrease).
    pub a_d: f64,
    /// Factor on congestion.
    pub b_d: f64,
}

/// A linear controller.
#[derive(Clone, Debug)]
pub struct Linear {
    params: LinearParams,
    conduct: Conduct,
    window: f64,
}

impl Linear {
    /// A controller at the start of its connection.
    pub fn new(params: LinearParams, settings: &ControlSettings) -> Self {
        Linear { params, conduct: Conduct::new(settings), window: settings.initial_window.packets() }
    }
}

impl Controller for Linear {
    #[inline]
    fn on_ack(&mut self, ack: &AckSample) {
        if ack.in_recovery || !ack.cwnd_limited {
            return; // an idle window says nothing about the path (RFC 7661 §4.3)
        }
        let acked = f64::from(ack.newly_acked);
        if self.conduct.slow_start.covers(self.window) {
            self.window += acked;
        } else {
            let LinearParams { a_i, b_i, .. } = self.params;
            let grown = self.window + acked * (a_i / self.window + (b_i - 1.0));
            self.window = grown.max(Conduct::WINDOW_MIN); // the four numbers may also shrink it
        }
    }

    fn on_round(&mut self, _: Time) {
        let LinearParams { a_i, b_i, .. } = self.params;
        self.window = (a_i + b_i * self.window).max(Conduct::WINDOW_MIN);
    }

    fn on_congestion(&mut self, signal: &CongestionSignal) {
        let LinearParams { a_d, b_d, .. } = self.params;
        let law = a_d + b_d * self.window;
        self.window = self.conduct.cut(signal.kind, self.window, law).window(self.window);
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
    use crate::settings::{TimeoutThreshold, WindowArithmetic};
    use crate::signal::Congestion;
    use crate::slow_start::SlowStartExit;

    const TCP: LinearParams = LinearParams { a_i: 1.0, b_i: 1.0, a_d: 0.0, b_d: 0.5 };

    fn ack(packets: u32) -> AckSample {
        AckSample::classic(Time::ZERO, packets, None, true)
    }

    fn signal(kind: Congestion) -> CongestionSignal {
        CongestionSignal::new(Time::ZERO, kind)
    }

    /// A controller past slow start at the given window.
    fn at(params: LinearParams, window: f64) -> Linear {
        let settings = ControlSettings {
            initial_window: Window::from_packets(window),
            initial_threshold: Some(Window::from_packets(2.0)),
            ..ControlSettings::default()
        };
        Linear::new(params, &settings)
    }

    #[test]
    fn one_round_of_acks_adds_the_increase() {
        for (params, expected) in [
            (TCP, 101.0),
            (LinearParams { a_i: 3.0, ..TCP }, 103.0),
            (LinearParams { a_i: 0.0, b_i: 1.125, ..TCP }, 112.5),
            (LinearParams { a_i: 1.0, b_i: 1.1, ..TCP }, 111.0),
        ] {
            let mut control = at(params, 100.0);
            for _ in 0..100 {
                control.on_ack(&ack(1));
            }
            let grown = control.window().packets();
            // Spreading the increase over a growing window changes it by second-order terms only.
            let tolerance = (expected - 100.0) * (expected - 100.0) / 100.0;
            assert!((grown - expected).abs() <= tolerance, "{params:?}: {grown}, expected {expected}");
        }
    }

    #[test]
    fn a_round_is_the_law_itself() {
        for (params, expected) in [
            (TCP, 101.0),
            (LinearParams { a_i: 0.0, b_i: 1.125, ..TCP }, 112.5),
            (LinearParams { a_i: 1.0, b_i: 1.5, ..TCP }, 151.0),
            (LinearParams { a_i: -200.0, ..TCP }, 1.0),
        ] {
            let mut control = at(params, 100.0);
            control.on_round(Time::ZERO);
            assert_eq!(control.window().packets(), expected);
        }
    }

    #[test]
    fn a_loss_applies_the_law_once() {
        for (params, expected) in [
            (TCP, 50.0),
            (LinearParams { b_d: 0.8, ..TCP }, 80.0),
            (LinearParams { a_d: -3.0, b_d: 1.0, ..TCP }, 97.0),
            (LinearParams { a_d: -1.0, b_d: 0.9, ..TCP }, 89.0),
            (LinearParams { a_d: -300.0, b_d: 1.0, ..TCP }, 1.0),
        ] {
            let mut control = at(params, 100.0);
            control.on_congestion(&signal(Congestion::Loss));
            assert_eq!(control.window().packets(), expected);
            assert_eq!(control.slow_start_threshold().packets(), expected.max(2.0));
        }
    }

    #[test]
    fn a_loss_in_slow_start_halves_unless_the_law_is_asked_for() {
        for (exit, expected) in [(SlowStartExit::Half, 50.0), (SlowStartExit::Law, 80.0)] {
            let settings = ControlSettings {
                initial_window: Window::from_packets(100.0),
                slow_start_exit: exit,
                ..ControlSettings::default()
            };
            let mut control = Linear::new(LinearParams { b_d: 0.8, ..TCP }, &settings);
            control.on_congestion(&signal(Congestion::Loss));
            assert_eq!(control.window().packets(), expected);
        }
    }

    #[test]
    fn a_timeout_restarts_below_half_the_window_or_the_decreased_one() {
        for (timeout_threshold, expected) in [(TimeoutThreshold::Half, 50.0), (TimeoutThreshold::Law, 80.0)] {
            let settings = ControlSettings {
                initial_window: Window::from_packets(100.0),
                initial_threshold: Some(Window::from_packets(2.0)),
                timeout_threshold,
                ..ControlSettings::default()
            };
            let mut control = Linear::new(LinearParams { b_d: 0.8, ..TCP }, &settings);
            control.on_congestion(&signal(Congestion::Timeout { repeated: false }));
            assert_eq!(control.window().packets(), 1.0);
            assert_eq!(control.slow_start_threshold().packets(), expected);
            control.on_congestion(&signal(Congestion::Timeout { repeated: true }));
            assert_eq!(control.slow_start_threshold().packets(), expected);
        }
    }

    #[test]
    fn a_timeout_that_must_not_cut_does_not() {
        let settings = ControlSettings { rto_cuts: false, ..ControlSettings::default() };
        let mut control = Linear::new(TCP, &settings);
        control.on_congestion(&signal(Congestion::Timeout { repeated: false }));
        assert_eq!(control.window(), settings.initial_window);
    }

    #[test]
    fn integer_arithmetic_truncates_the_decrease_only() {
        let settings = ControlSettings {
            initial_window: Window::from_packets(101.0),
            initial_threshold: Some(Window::from_packets(2.0)),
            window_arithmetic: WindowArithmetic::Integer,
            ..ControlSettings::default()
        };
        let mut control = Linear::new(TCP, &settings);
        control.on_congestion(&signal(Congestion::Loss));
        assert_eq!(control.window().packets(), 50.0);
        control.on_ack(&ack(1));
        assert_eq!(control.window().packets(), 50.0 + 1.0 / 50.0);
    }

    #[test]
    fn an_idle_window_does_not_grow() {
        let mut control = at(TCP, 10.0);
        control.on_ack(&AckSample { cwnd_limited: false, ..ack(1) });
        assert_eq!(control.window().packets(), 10.0);
    }
}
