//! BBR version 3: a model of the path from delivery rates, round trips and losses says how fast to send and how much may be in flight.
//!
//! Source: draft-ietf-ccwg-bbr at commit 4ce5e87 (2026-08-03, after -06). Names of variables, states and steps are the draft's:
//! `bbr/model.rs` has the variables and the order of the steps, `startup`, `probe_bw` and `probe_rtt` the states, `bounds` what probes
//! and losses make of both bounds, `undo` what spurious losses give back, `control` pacing rate, quantum and window. `bbr/params.rs` lists
//! the parameters with unit, default and reason.
//!
//! Differs from the draft: slots that a windowed maximum looks back on are counted with the present one, exactly (`filters`). An
//! acknowledgement that delivers nothing changes nothing. Where several losses are found at once, what stood before them is saved
//! (`undo`). DRAIN is bounded by `inflight_shortterm` alone, as in `BoundCwndForModel`; the table of §5.6.1 has `inflight_longterm` too.
//! A restart from idle paces at the estimate less the margin, as in `SetPacingRateWithGain`; the text of §5.4.1 says exactly the estimate.
//! The offload budget is three quanta under every recovery: the draft takes three for TCP and one for QUIC (§5.5.8), `offload_quanta = 1`.
//!
//! ECN: the draft specifies no response but asks for one (§3.7). So `ecn` is `off` by default. With `classic` a mark counts
//! as one loss without selective acknowledgements.

mod aggregation;
mod bounds;
mod control;
pub mod filters;
pub mod model;
mod params;
mod probe_bw;
mod probe_rtt;
mod remembered;
pub mod rounds;
mod startup;
mod undo;

use crate::constructor::ConstructorInfo;
use crate::controller::{Controller, Heard, PacingNews, Wants};
use crate::sample::{AckSample, LostPacket, SentPacket};
use crate::settings::ControlSettings;
use crate::signal::{Congestion, CongestionSignal, IdleSignal, Recovery, RecoverySignal, UndoSignal};
use crate::state::{ControlState, Estimates};
use crate::units::{Bytes, Rate, Span, Time, Window};
use crate::{ControllerSpec, Properties};
use model::{Model, Repair, whole};
pub use params::{BbrParams, PARAMETERS};

/// What it is listed with.
pub const FAMILY: &str = "BBR";

/// What it answers with and what it needs.
pub const PROPERTIES: Properties = Properties {
    states: &[
        ControlState::Startup,
        ControlState::Drain,
        ControlState::ProbeBwDown,
        ControlState::ProbeBwCruise,
        ControlState::ProbeBwRefill,
        ControlState::ProbeBwUp,
        ControlState::ProbeRtt,
    ],
    ..Properties::MODEL
};

/// The names people write.
pub const CONSTRUCTORS: &[ConstructorInfo] = &[ConstructorInfo {
    name: "bbr",
    aliases: &["bbr-3", "bbr3", "bbrv3"],
    summary: "BBR version 3: paces at the estimated bandwidth, probes for more and for the round trip, bounded by losses",
    source: "draft-ietf-ccwg-bbr",
    parameters: PARAMETERS,
    build: |values| ControllerSpec::Bbr(BbrParams::from_values(values)),
}];

/// A BBRv3 controller. Its state is elsewhere, so that the controllers of other flows stay small.
#[derive(Clone, Debug)]
pub struct Bbr {
    model: Box<Model>,
}

/// Bytes per second as a rate, at least one bit per second.
pub(crate) fn rate(bytes_per_second: f64) -> Rate {
    Rate::from_bits_per_second(whole(8.0 * bytes_per_second).max(1))
}

impl Bbr {
    /// A controller at the start of its connection.
    pub fn new(params: BbrParams, settings: &ControlSettings) -> Self {
        Bbr { model: Box::new(Model::new(params, settings)) }
    }
}

impl Controller for Bbr {
    fn wants(&self) -> Wants {
        Wants { packets: true, rates: true, rounds: false, recovery: true }
    }

    fn on_established(&mut self, now: Time, rtt: Option<Span>) {
        self.model.on_established(now, rtt);
    }

    fn on_sent(&mut self, packet: &SentPacket) {
        self.model.note_sent(packet.in_flight.real());
    }

    fn on_ack(&mut self, ack: &AckSample) {
        self.model.on_ack(ack);
    }

    fn take_sent(&mut self, packet: &SentPacket) -> (Window, PacingNews) {
        self.on_sent(packet);
        (self.window(), PacingNews::Same)
    }

    /// Most acknowledgements move neither the rate nor the quantum.
    fn take_ack(&mut self, ack: &AckSample) -> Heard {
        let before = (self.model.pacing_rate, self.model.send_quantum);
        self.model.on_ack(ack);
        let same = before == (self.model.pacing_rate, self.model.send_quantum);
        Heard {
            window: self.window(),
            threshold: self.slow_start_threshold(),
            pacing: if same { PacingNews::Same } else { PacingNews::Ask },
            application_limited: self.mark_application_limited(),
        }
    }

    fn on_lost(&mut self, packet: &LostPacket) {
        self.model.on_lost(packet);
    }

    fn on_congestion(&mut self, signal: &CongestionSignal) {
        self.model.now = signal.now;
        match signal.kind {
            Congestion::Timeout { .. } | Congestion::PersistentCongestion => self.model.on_timeout(),
            Congestion::EcnMark => self.model.on_mark(),
            Congestion::Loss | Congestion::LossRestart { .. } => self.model.on_loss_event(),
        }
    }

    fn on_undo(&mut self, signal: &UndoSignal) {
        self.model.now = signal.now;
        self.model.on_spurious_loss();
    }

    fn on_idle(&mut self, signal: &IdleSignal) {
        self.model.on_idle(signal.now);
    }

    fn on_recovery(&mut self, signal: &RecoverySignal) {
        match signal.change {
            Recovery::Entered => self.model.repair = Repair::Fast(self.model.delivered),
            Recovery::Left => self.model.on_repaired(),
        }
    }

    fn window(&self) -> Window {
        Window::from_packets(self.model.cwnd / self.model.smss)
    }

    fn slow_start_threshold(&self) -> Window {
        Window::from_packets(f64::INFINITY)
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(rate(self.model.pacing_rate))
    }

    fn send_quantum(&self) -> Bytes {
        Bytes::new(whole(self.model.send_quantum))
    }

    fn mark_application_limited(&self) -> bool {
        self.model.state == ControlState::ProbeRtt
    }

    fn state(&self) -> Option<ControlState> {
        Some(self.model.state)
    }

    fn estimates(&self) -> Option<Estimates> {
        let model = &self.model;
        let known = |rate_in_bytes: f64| {
            (rate_in_bytes > 0.0 && rate_in_bytes.is_finite()).then(|| rate(rate_in_bytes))
        };
        let bound = |bytes: f64| bytes.is_finite().then(|| Bytes::new(bytes as u64));
        Some(Estimates {
            bw: known(model.bw),
            max_bw: known(model.max_bw),
            bw_shortterm: known(model.bw_shortterm),
            min_rtt: model.min_rtt,
            inflight_longterm: bound(model.inflight_longterm),
            inflight_shortterm: bound(model.inflight_shortterm),
            extra_acked: bound(model.extra_acked),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{AnyController, ControlSettings, Controller, ControllerSpec, parse_controller};

    #[test]
    fn start_up_doubles_the_rate_each_round_and_drain_empties_what_it_left() {
        let Ok(ControllerSpec::Bbr(params)) = parse_controller("bbr") else { panic!("a row of the table") };
        // draft-ietf-ccwg-bbr: 4 ln 2, so that the rate doubles while acknowledgements lag by a round trip.
        assert!((params.startup_pacing_gain - 4.0 * 2f64.ln()).abs() < 0.005);
        assert!(params.drain_pacing_gain * params.default_cwnd_gain <= 1.0, "less than is delivered leaves");
        assert!(params.probe_down_pacing_gain < 1.0 && params.probe_up_pacing_gain > 1.0);
    }

    #[test]
    fn it_starts_with_the_initial_window_and_a_rate_before_the_first_sample() {
        let settings = ControlSettings { random: Some([7; 32]), ..ControlSettings::default() };
        let control = AnyController::new(&parse_controller("bbr").expect("a row of the table"), &settings);
        assert_eq!(control.window(), settings.initial_window);
        assert!(control.pacing_rate().is_some_and(|rate| rate.bits_per_second() > 0));
    }
}
