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
//! Differs from the papers: the increase of a round is spread over the packets acknowledged in it. The window never falls below one
//! packet. Slow start and timeouts are those of every law here (see `conduct`).

use crate::constructor::{ADD, ConstructorInfo, KEEP, ParameterInfo};
use crate::sample::AckSample;
use crate::signal::CongestionSignal;
use crate::units::Time;
use crate::windowed::{Law, Windowed};
use crate::{ControllerSpec, Properties};
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

/// What it is listed with.
pub const FAMILY: &str = "linear laws";

/// What it answers with and what it needs.
pub const PROPERTIES: Properties = Properties::WINDOW;

const MULTIPLY: ParameterInfo = ParameterInfo::new(
    "m",
    "1",
    None,
    (1.0, 2.0),
    "factor of the increase; more than 2 would outrun slow start",
);
const SUBTRACT: ParameterInfo =
    ParameterInfo::new("d", "packets", None, (0.0, 1e6), "packets that a decrease subtracts");

const fn linear(a_i: f64, b_i: f64, a_d: f64, b_d: f64) -> ControllerSpec {
    ControllerSpec::Linear(LinearParams { a_i, b_i, a_d, b_d })
}

/// The names people write.
pub const CONSTRUCTORS: &[ConstructorInfo] = &[
    ConstructorInfo {
        name: "aimd",
        aliases: &[],
        summary: "additive increase by a packets a round, multiplicative decrease that keeps the fraction b",
        source: "ChiuJain89; Akella02 §3.2",
        parameters: &[ADD, KEEP],
        build: |v| linear(v[0], 1.0, 0.0, v[1]),
    },
    ConstructorInfo {
        name: "aiad",
        aliases: &[],
        summary: "additive increase by a packets a round, additive decrease by d packets",
        source: "ChiuJain89; Akella02 §3.2",
        parameters: &[ADD, SUBTRACT],
        build: |v| linear(v[0], 1.0, -v[1], 1.0),
    },
    ConstructorInfo {
        name: "mimd",
        aliases: &[],
        summary: "multiplicative increase by the factor m a round, multiplicative decrease that keeps the fraction b",
        source: "ChiuJain89; Akella02 §3.2",
        parameters: &[MULTIPLY, KEEP],
        build: |v| linear(0.0, v[0], 0.0, v[1]),
    },
    ConstructorInfo {
        name: "miad",
        aliases: &[],
        summary: "multiplicative increase by the factor m a round, additive decrease by d packets",
        source: "ChiuJain89; Akella02 §3.2",
        parameters: &[MULTIPLY, SUBTRACT],
        build: |v| linear(0.0, v[0], -v[1], 1.0),
    },
    ConstructorInfo {
        name: "tcp",
        aliases: &["gaimd"],
        summary: "TCP(a, b): additive increase by a packets a round, decrease that removes the fraction b",
        source: "Floyd00 §1",
        parameters: &[
            ParameterInfo::new(
                "a",
                "packets/round",
                Some(1.0),
                (0.0, 1e6),
                "packets added per round; default: TCP, RFC 5681 §3.1",
            ),
            ParameterInfo::new(
                "b",
                "1",
                Some(0.5),
                (0.0, 1.0),
                "fraction of the window that a decrease removes; default: TCP, RFC 5681 §3.1",
            ),
        ],
        build: |v| linear(v[0], 1.0, 0.0, 1.0 - v[1]),
    },
    ConstructorInfo {
        name: "linear",
        aliases: &[],
        summary: "w <- a_i + b_i w a round, w <- a_d + b_d w on congestion",
        source: "ChiuJain89 §2; Akella02 §5.1",
        parameters: &[
            ParameterInfo::new(
                "a_i",
                "packets/round",
                Some(1.0),
                (-1e6, 1e6),
                "packets added per round; default: TCP, RFC 5681 §3.1",
            ),
            ParameterInfo::new(
                "b_i",
                "1",
                Some(1.0),
                (0.0, 2.0),
                "factor of the increase; default: additive increase",
            ),
            ParameterInfo::new(
                "a_d",
                "packets",
                Some(0.0),
                (-1e6, 1e6),
                "packets added by a decrease; default: multiplicative decrease",
            ),
            ParameterInfo::new(
                "b_d",
                "1",
                Some(0.5),
                (0.0, 1.0),
                "factor of the decrease; default: TCP, RFC 5681 §3.1",
            ),
        ],
        build: |v| linear(v[0], v[1], v[2], v[3]),
    },
    ConstructorInfo {
        name: "aimad",
        aliases: &[],
        summary: "linear(1, 1, -1, 0.9): AIAD with a small multiplicative part in the decrease",
        source: "Akella02 §5.2",
        parameters: &[],
        build: |_| linear(1.0, 1.0, -1.0, 0.9),
    },
    ConstructorInfo {
        name: "maimd",
        aliases: &[],
        summary: "linear(1, 1.1, 0, 0.8): multiplicative and additive increase, multiplicative decrease",
        source: "Akella02 §5.2",
        parameters: &[],
        build: |_| linear(1.0, 1.1, 0.0, 0.8),
    },
];

/// The law.
#[derive(Clone, Debug)]
pub struct LinearLaw {
    params: LinearParams,
}

/// A linear controller.
pub type Linear = Windowed<LinearLaw>;

impl Law for LinearLaw {
    type Params = LinearParams;

    fn new(params: LinearParams, _window: f64) -> Self {
        LinearLaw { params }
    }

    #[inline(always)]
    fn increase(&mut self, window: f64, ack: &AckSample) -> f64 {
        let LinearParams { a_i, b_i, .. } = self.params;
        window + f64::from(ack.newly_acked) * (a_i / window + (b_i - 1.0))
    }

    fn whole_round(&mut self, window: f64, _: Time) -> f64 {
        let LinearParams { a_i, b_i, .. } = self.params;
        a_i + b_i * window
    }

    fn decrease(&mut self, window: f64, _: &CongestionSignal) -> f64 {
        let LinearParams { a_d, b_d, .. } = self.params;
        a_d + b_d * window
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Controller;
    use crate::settings::ControlSettings;
    use crate::signal::Congestion;
    use crate::units::Window;

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
}
