//! BBR version 1: paces at the largest recent delivery rate, keeps two such BDPs in flight at most, and takes no notice of losses.
//!
//! Source: [Cardwell16]; Linux, `net/ipv4/tcp_bbr.c` of 4.9 to 6.18, whose constants are the defaults. `bbr_1/model.rs` has what is
//! known and the order of the steps, `bandwidth` the rate samples, STARTUP and DRAIN, `cycle` PROBE_BW, `probe_rtt` PROBE_RTT,
//! `long_term` what gives a policer away, `aggregation` bursts of acknowledgements, `control` rate, quantum and window;
//! `bbr_1/params.rs` lists the parameters with unit, default and reason. Volumes are packets, as in Linux.
//!
//! | silent in the paper        | here, as Linux has it                                                                            |
//! |----------------------------|--------------------------------------------------------------------------------------------------|
//! | losses                     | a window less what was lost, packet conservation for a round of recovery, then slow start to twice the BDP; the window of before when recovery ends |
//! | timeouts                   | one packet beside what is in flight; growth starts anew where the path was not full                |
//! | marks                      | nothing: `ecn` is `off` by default                                                               |
//! | policers                   | two intervals of losses at the same rate fix the rate for 48 rounds                              |
//! | bursts of acknowledgements | go on top of the window, since Linux 5.1                                                         |
//!
//! Differs from Linux: the windowed maximum is exact, where Linux keeps three samples. Time and rates are not rounded to ticks and
//! fixed point. No round-trip sample counts as delayed by the receiver. What waits at the pacer is never handed to a queue below, so
//! *in flight* is what has left. The first window is that of the connection also where Linux takes ten packets.

mod aggregation;
mod bandwidth;
mod control;
mod cycle;
mod long_term;
mod model;
mod params;
mod probe_rtt;
mod remembered;

use crate::bbr::rate;
use crate::constructor::ConstructorInfo;
use crate::controller::{Controller, Wants};
use crate::sample::{AckSample, LostPacket, SentPacket};
use crate::settings::ControlSettings;
use crate::signal::{Congestion, CongestionSignal, IdleSignal, Recovery, RecoverySignal, UndoSignal};
use crate::state::{ControlState, Estimates};
use crate::units::{Bytes, Rate, Span, Time, Window};
use crate::{ControllerSpec, Properties};
use model::Model;
pub use params::{Bbr1Params, PARAMETERS};

/// What it is listed with.
pub const FAMILY: &str = "BBR";

/// What it answers with and what it needs.
pub const PROPERTIES: Properties = Properties {
    states: &[ControlState::Startup, ControlState::Drain, ControlState::ProbeBw, ControlState::ProbeRtt],
    ..Properties::MODEL
};

/// The names people write.
pub const CONSTRUCTORS: &[ConstructorInfo] = &[ConstructorInfo {
    name: "bbr-1",
    aliases: &["bbr1", "bbrv1"],
    summary: "BBR version 1, as in Linux: paces at the largest recent delivery rate in a cycle of gains, whatever is lost",
    source: "Cardwell16; Linux tcp_bbr.c",
    parameters: PARAMETERS,
    build: |values| ControllerSpec::Bbr1(Bbr1Params::from_values(values)),
}];

/// A BBRv1 controller. Its state is elsewhere, so that the controllers of other flows stay small.
#[derive(Clone, Debug)]
pub struct Bbr1 {
    model: Box<Model>,
}

impl Bbr1 {
    /// A controller at the start of its connection.
    pub fn new(params: Bbr1Params, settings: &ControlSettings) -> Self {
        Bbr1 { model: Box::new(Model::new(params, settings)) }
    }
}

impl Controller for Bbr1 {
    fn wants(&self) -> Wants {
        Wants { packets: true, rates: true, rounds: false, recovery: true }
    }

    fn on_established(&mut self, now: Time, rtt: Option<Span>) {
        self.model.on_established(now, rtt);
    }

    fn on_sent(&mut self, packet: &SentPacket) {
        self.model.note_sent(packet.sent_at, packet.in_flight);
    }

    fn on_ack(&mut self, ack: &AckSample) {
        self.model.on_ack(ack);
    }

    fn on_lost(&mut self, packet: &LostPacket) {
        self.model.note_lost(packet.lost);
    }

    fn on_congestion(&mut self, signal: &CongestionSignal) {
        match signal.kind {
            Congestion::Timeout { .. } | Congestion::PersistentCongestion => {
                self.model.on_timeout(signal.now);
            }
            // What is lost is told with the acknowledgements.
            Congestion::Loss | Congestion::LossRestart { .. } | Congestion::EcnMark => {}
        }
    }

    fn on_undo(&mut self, signal: &UndoSignal) {
        self.model.on_spurious_loss(signal.now);
    }

    fn on_idle(&mut self, signal: &IdleSignal) {
        self.model.on_idle(signal.now);
    }

    fn on_recovery(&mut self, signal: &RecoverySignal) {
        if signal.change == Recovery::Left {
            self.model.on_repaired();
        }
    }

    fn window(&self) -> Window {
        Window::from_packets(self.model.cwnd)
    }

    fn slow_start_threshold(&self) -> Window {
        Window::from_packets(f64::INFINITY)
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(rate(self.model.pacing_rate * self.model.packet_bytes))
    }

    fn send_quantum(&self) -> Bytes {
        Bytes::new((self.model.send_quantum() * self.model.packet_bytes) as u64)
    }

    fn mark_application_limited(&self) -> bool {
        self.model.state == ControlState::ProbeRtt
    }

    fn state(&self) -> Option<ControlState> {
        Some(self.model.state)
    }

    fn estimates(&self) -> Option<Estimates> {
        let model = &self.model;
        let known = |packets: f64| (packets > 0.0).then(|| rate(packets * model.packet_bytes));
        Some(Estimates {
            bw: known(model.bw()),
            max_bw: known(model.max_bw()),
            bw_shortterm: model.long_term.rate().and_then(known),
            min_rtt: model.min_rtt,
            extra_acked: Some(Bytes::new((model.extra_acked() * model.packet_bytes) as u64)),
            ..Estimates::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{AnyController, ControlSettings, Controller, ControllerSpec, parse_controller};

    #[test]
    fn start_up_doubles_the_rate_each_round_and_drain_empties_what_it_left() {
        let Ok(ControllerSpec::Bbr1(params)) = parse_controller("bbr-1") else {
            panic!("a row of the table")
        };
        // [Cardwell16]: 2/ln 2, so that the rate doubles while acknowledgements lag by a round trip. Linux rounds to 1/256.
        assert!((params.startup_gain - 2.0 / 2f64.ln()).abs() < 1.0 / 256.0);
        assert!((params.drain_gain - 1.0 / params.startup_gain).abs() < 1.0 / 256.0);
        // A cycle of eight phases sends what the path carries.
        assert_eq!(params.probe_up_gain + params.probe_down_gain + 6.0 * params.cruise_gain, 8.0);
    }

    #[test]
    fn it_starts_with_the_initial_window_and_a_rate_before_the_first_sample() {
        let settings = ControlSettings { random: Some([7; 32]), ..ControlSettings::default() };
        let control = AnyController::new(&parse_controller("bbr-1").expect("a row of the table"), &settings);
        assert_eq!(control.window(), settings.initial_window);
        assert!(control.pacing_rate().is_some_and(|rate| rate.bits_per_second() > 0));
        assert_eq!(control.estimates().expect("it has a model").max_bw, None);
    }
}
