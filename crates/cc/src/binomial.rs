//! Binomial controls: per round `w <- w + a / w^k`; on congestion `w <- w - b w^l`.
//!
//! Source: [BansalBalakrishnan01] §2. AIMD is k = 0, l = 1; SQRT is k = l = 1/2; IIAD (inverse increase, additive decrease) is k = 1,
//! l = 0. With k + l = 1 throughput goes as 1/sqrt(p), as TCP's does.
//!
//! | parameter | unit          | default            | why                                                   |
//! |-----------|---------------|--------------------|-------------------------------------------------------|
//! | k         | 1             | IIAD 1, SQRT 1/2   | their definitions                                     |
//! | l         | 1             | IIAD 0, SQRT 1/2   | their definitions                                     |
//! | a         | packets^(1+k) | 1                  | no work here prints one; [Lahanas03] §3.1 needs none  |
//! | b         | packets^(1-l) | 1                  | [Lahanas03] §3.1 keeps 1 - sqrt(1/W) of W with SQRT   |
//!
//! Differs from the paper: the increase of a round is spread over the packets acknowledged in it. The window never falls below one
//! packet. Slow start and timeouts are those of every law here (see `conduct`).

use crate::constructor::{ConstructorInfo, ParameterInfo};
use crate::sample::AckSample;
use crate::signal::CongestionSignal;
use crate::units::{Time, power};
use crate::windowed::{Law, Windowed, spread};
use crate::{ControllerSpec, Properties};
use serde::{Deserialize, Serialize};

/// The numbers of a binomial control.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BinomialParams {
    /// Exponent of the increase.
    pub k: f64,
    /// Exponent of the decrease.
    pub l: f64,
    /// Size of the increase.
    pub a: f64,
    /// Size of the decrease.
    pub b: f64,
}

/// What it is listed with.
pub const FAMILY: &str = "other window laws";

/// What it answers with and what it needs.
pub const PROPERTIES: Properties = Properties::WINDOW;

const UNPRINTED: &str =
    "numerator of the increase a/w^k; default: 1 as for TCP, since no paper here prints one";
const GROW: ParameterInfo = ParameterInfo::new("a", "packets^(1+k)", Some(1.0), (0.0, 1e6), UNPRINTED);
const TAKE: ParameterInfo = ParameterInfo::new(
    "b",
    "packets^(1-l)",
    Some(1.0),
    (0.0, 1e6),
    "factor of the decrease b w^l; default: Lahanas03 §3.1",
);

const fn binomial(k: f64, l: f64, a: f64, b: f64) -> ControllerSpec {
    ControllerSpec::Binomial(BinomialParams { k, l, a, b })
}

/// The names people write.
pub const CONSTRUCTORS: &[ConstructorInfo] = &[
    ConstructorInfo {
        name: "binomial",
        aliases: &[],
        summary: "increase by a/w^k packets a round, decrease by b w^l packets",
        source: "BansalBalakrishnan01 §2",
        parameters: &[
            ParameterInfo::new("k", "1", None, (-1.0, 4.0), "exponent of the increase a/w^k"),
            ParameterInfo::new(
                "l",
                "1",
                None,
                (0.0, 1.0),
                "exponent of the decrease b w^l; above 1 a decrease could exceed the window",
            ),
            GROW,
            TAKE,
        ],
        build: |v| binomial(v[0], v[1], v[2], v[3]),
    },
    ConstructorInfo {
        name: "iiad",
        aliases: &[],
        summary: "binomial(1, 0, a, b): inverse increase by a/w packets a round, additive decrease by b packets",
        source: "BansalBalakrishnan01 §2",
        parameters: &[GROW, TAKE],
        build: |v| binomial(1.0, 0.0, v[0], v[1]),
    },
    ConstructorInfo {
        name: "sqrt",
        aliases: &[],
        summary: "binomial(1/2, 1/2, a, b): increase by a/sqrt(w) packets a round, decrease by b sqrt(w) packets",
        source: "BansalBalakrishnan01 §2",
        parameters: &[GROW, TAKE],
        build: |v| binomial(0.5, 0.5, v[0], v[1]),
    },
];

/// The law.
#[derive(Clone, Debug)]
pub struct BinomialLaw {
    params: BinomialParams,
}

/// A binomial controller.
pub type Binomial = Windowed<BinomialLaw>;

impl BinomialLaw {
    /// Growth of a round at this window.
    fn per_round(&self, window: f64) -> f64 {
        self.params.a / power(window, self.params.k)
    }
}

impl Law for BinomialLaw {
    type Params = BinomialParams;

    fn new(params: BinomialParams, _window: f64) -> Self {
        BinomialLaw { params }
    }

    #[inline]
    fn increase(&mut self, window: f64, ack: &AckSample) -> f64 {
        spread(window, self.per_round(window), ack)
    }

    fn whole_round(&mut self, window: f64, _: Time) -> f64 {
        window + self.per_round(window)
    }

    fn decrease(&mut self, window: f64, _: &CongestionSignal) -> f64 {
        window - self.params.b * power(window, self.params.l)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Controller;
    use crate::settings::ControlSettings;
    use crate::signal::Congestion;
    use crate::units::Window;

    const SQRT: BinomialParams = BinomialParams { k: 0.5, l: 0.5, a: 1.0, b: 1.0 };
    const IIAD: BinomialParams = BinomialParams { k: 1.0, l: 0.0, a: 1.0, b: 1.0 };
    const AIMD: BinomialParams = BinomialParams { k: 0.0, l: 1.0, a: 1.0, b: 0.5 };

    fn at(params: BinomialParams, window: f64) -> Binomial {
        let settings = ControlSettings {
            initial_window: Window::from_packets(window),
            initial_threshold: Some(Window::from_packets(2.0)),
            ..ControlSettings::default()
        };
        Binomial::new(params, &settings)
    }

    #[test]
    fn a_round_adds_a_over_w_to_the_k() {
        for (params, grown) in [(SQRT, 64.0 + 1.0 / 8.0), (IIAD, 64.0 + 1.0 / 64.0), (AIMD, 65.0)] {
            let mut control = at(params, 64.0);
            control.on_round(Time::ZERO);
            assert!((control.window().packets() - grown).abs() < 1e-12, "{params:?}");
            let mut by_acks = at(params, 64.0);
            for _ in 0..64 {
                by_acks.on_ack(&AckSample::classic(Time::ZERO, 1, None, true));
            }
            assert!((by_acks.window().packets() - grown).abs() < 1.0 / 64.0, "{params:?}");
        }
    }

    #[test]
    fn a_loss_takes_b_w_to_the_l() {
        for (params, kept) in [(SQRT, 56.0), (IIAD, 63.0), (AIMD, 32.0)] {
            let mut control = at(params, 64.0);
            control.on_congestion(&CongestionSignal::new(Time::ZERO, Congestion::Loss));
            assert!((control.window().packets() - kept).abs() < 1e-12, "{params:?}");
        }
    }
}
