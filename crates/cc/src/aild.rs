//! AILD, additive increase and loss-proportional decrease: per round `w <- w + a`; on congestion `w <- w - beta f`, f the loss ratio.
//!
//! Source: [Akella02] §6, which cites it as a control outside the linear family. The loss ratio is n signals over the packets
//! acknowledged in the last n intervals between signals. [FloydHandley00] §3.3 averages loss intervals in the same way, but with
//! weights.
//!
//! | parameter | unit          | default | why                                       |
//! |-----------|---------------|---------|-------------------------------------------|
//! | a         | packets/round | given   | by the law                                |
//! | beta      | packets       | given   | the paper prints none                     |
//! | intervals | 1             | 8       | [FloydHandley00] §3.3 averages over eight |
//!
//! Differs from the paper: a sender learns of one loss per window of data, so f counts loss events; where losses come in bursts, these
//! are fewer than lost packets. Marks and timeouts count as losses. Packets acknowledged during fast recovery do not count. The
//! increase of a round is spread over the packets acknowledged in it. Slow start and timeouts are those of every law here (see
//! `conduct`).

use crate::constructor::{ADD, ConstructorInfo, ParameterInfo};
use crate::sample::AckSample;
use crate::signal::{Congestion, CongestionSignal};
use crate::units::Time;
use crate::windowed::{Law, Windowed, spread};
use crate::{ControllerSpec, Properties};
use serde::{Deserialize, Serialize};

/// Intervals between signals over which the loss ratio is taken.
const INTERVALS: usize = 8;

/// The numbers of an AILD control.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AildParams {
    /// Packets added a round.
    pub a: f64,
    /// Packets subtracted per unit of the loss ratio.
    pub beta: f64,
}

/// What it is listed with.
pub const FAMILY: &str = "other window laws";

/// What it answers with and what it needs.
pub const PROPERTIES: Properties = Properties::WINDOW;

/// The names people write.
pub const CONSTRUCTORS: &[ConstructorInfo] = &[ConstructorInfo {
    name: "aild",
    aliases: &[],
    summary: "additive increase by a packets a round, decrease by beta times the ratio of losses to packets",
    source: "Akella02 §6",
    parameters: &[
        ADD,
        ParameterInfo::new(
            "beta",
            "packets",
            None,
            (0.0, 1e9),
            "packets that a decrease removes per unit of the loss ratio",
        ),
    ],
    build: |v| ControllerSpec::Aild(AildParams { a: v[0], beta: v[1] }),
}];

/// The law and the losses it has seen.
#[derive(Clone, Debug)]
pub struct AildLaw {
    params: AildParams,
    /// Elsewhere, so that the controllers of other flows stay small.
    losses: Box<LossRatio>,
}

/// An AILD controller.
pub type Aild = Windowed<AildLaw>;

/// Signals per packet over the last intervals.
#[derive(Clone, Debug, Default)]
struct LossRatio {
    /// Packets acknowledged in each of the last intervals, the newest at `ended - 1` modulo their number.
    packets: [f64; INTERVALS],
    /// Intervals that have ended.
    ended: usize,
    /// Packets acknowledged since the last signal.
    since: f64,
}

impl LossRatio {
    /// A signal ends an interval; the ratio now, in (0, 1].
    fn signal(&mut self) -> f64 {
        self.packets[self.ended % INTERVALS] = self.since.max(1.0); // what was lost was sent
        self.ended += 1;
        self.since = 0.0;
        self.ended.min(INTERVALS) as f64 / self.packets.iter().sum::<f64>()
    }
}

impl Law for AildLaw {
    type Params = AildParams;

    fn new(params: AildParams, _window: f64) -> Self {
        AildLaw { params, losses: Box::default() }
    }

    #[inline(always)]
    fn increase(&mut self, window: f64, ack: &AckSample) -> f64 {
        spread(window, self.params.a, ack)
    }

    fn whole_round(&mut self, window: f64, _: Time) -> f64 {
        self.losses.since += window;
        window + self.params.a
    }

    fn decrease(&mut self, window: f64, signal: &CongestionSignal) -> f64 {
        match signal.kind {
            // The same loss once more.
            Congestion::Timeout { repeated: true } | Congestion::PersistentCongestion => window,
            _ => window - self.params.beta * self.losses.signal(),
        }
    }

    #[inline(always)]
    fn on_ack(&mut self, ack: &AckSample) {
        if !ack.in_recovery {
            self.losses.since += f64::from(ack.newly_acked);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Controller;
    use crate::settings::ControlSettings;
    use crate::units::Window;

    const LOSS: CongestionSignal = CongestionSignal::new(Time::ZERO, Congestion::Loss);

    fn at(window: f64, beta: f64) -> Aild {
        let settings = ControlSettings {
            initial_window: Window::from_packets(window),
            initial_threshold: Some(Window::from_packets(2.0)),
            ..ControlSettings::default()
        };
        Aild::new(AildParams { a: 1.0, beta }, &settings)
    }

    fn acknowledge(control: &mut Aild, packets: u32) {
        for _ in 0..packets {
            control.on_ack(&AckSample::classic(Time::ZERO, 1, None, true));
        }
    }

    #[test]
    fn a_round_adds_a() {
        let mut control = at(100.0, 300.0);
        acknowledge(&mut control, 100);
        assert!((control.window().packets() - 101.0).abs() < 0.01);
    }

    /// 200 packets and a signal: f = 1/200. Another 100 and a signal: f = 2/300.
    #[test]
    fn a_signal_takes_beta_times_the_ratio_of_losses() {
        let mut control = at(100.0, 600.0);
        acknowledge(&mut control, 200);
        let before = control.window().packets();
        control.on_congestion(&LOSS);
        assert!((before - control.window().packets() - 600.0 / 200.0).abs() < 1e-9);
        acknowledge(&mut control, 100);
        let before = control.window().packets();
        control.on_congestion(&LOSS);
        assert!((before - control.window().packets() - 600.0 * 2.0 / 300.0).abs() < 1e-9);
    }

    #[test]
    fn only_the_last_eight_intervals_count() {
        let mut control = at(1000.0, 600.0);
        control.on_congestion(&LOSS); // an interval of one packet
        for _ in 0..INTERVALS {
            acknowledge(&mut control, 100);
            control.on_congestion(&LOSS);
        }
        acknowledge(&mut control, 100);
        let before = control.window().packets();
        control.on_congestion(&LOSS);
        assert!((before - control.window().packets() - 600.0 / 100.0).abs() < 1e-9);
    }

    #[test]
    fn a_repeated_timeout_is_no_further_loss() {
        let mut control = at(100.0, 600.0);
        acknowledge(&mut control, 200);
        for repeated in [false, true] {
            control.on_congestion(&CongestionSignal::new(Time::ZERO, Congestion::Timeout { repeated }));
            assert_eq!(control.window().packets(), 1.0);
        }
        acknowledge(&mut control, 200);
        let before = control.window().packets();
        control.on_congestion(&LOSS);
        assert!((before - control.window().packets() - 600.0 * 2.0 / 400.0).abs() < 1e-9);
    }
}
