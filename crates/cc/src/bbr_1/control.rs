//! Pacing rate, quantum and window, and what recovery makes of the window.
//!
//! Source: [Cardwell16]; Linux `bbr_set_pacing_rate`, `bbr_tso_segs_goal`, `bbr_bdp`, `bbr_quantization_budget`, `bbr_set_cwnd`,
//! `bbr_set_cwnd_to_recover_or_restore`.

use super::cycle::UP;
use super::model::{Model, Sample};
use crate::bbr::model::{Repair, seconds};
use crate::state::ControlState;
use crate::units::Time;

/// The round trip that the first pacing rate takes before one is known, in seconds.
const NOMINAL_RTT: f64 = 0.001;
/// What adding up leaves of a whole number of packets.
const ROUNDING: f64 = 1e-6;

impl Model {
    /// Pacing over bandwidth.
    pub fn pacing_gain(&self) -> f64 {
        match self.state {
            ControlState::Startup => self.params.startup_gain,
            ControlState::Drain => self.params.drain_gain,
            ControlState::ProbeBw => self.cycle_gain(),
            _ => 1.0,
        }
    }

    /// Window over BDP.
    fn cwnd_gain(&self) -> f64 {
        match self.state {
            ControlState::Startup | ControlState::Drain => self.params.startup_gain,
            ControlState::ProbeBw => self.params.cwnd_gain,
            _ => 1.0,
        }
    }

    fn paced(&self, bw: f64, gain: f64) -> f64 {
        gain * bw * (100.0 - self.params.pacing_margin_percent) / 100.0
    }

    /// The first pacing rate: the window over a round trip.
    pub fn init_pacing_rate(&mut self) {
        let srtt = self.srtt.map(seconds).filter(|&srtt| srtt > 0.0);
        self.has_seen_rtt = srtt.is_some();
        self.pacing_rate = self.paced(self.cwnd / srtt.unwrap_or(NOMINAL_RTT), self.params.startup_gain);
    }

    /// Until the path is full the rate only rises.
    pub fn set_pacing_rate(&mut self, gain: f64) {
        if !self.has_seen_rtt && self.srtt.is_some() {
            self.init_pacing_rate();
        }
        let rate = self.paced(self.bw(), gain);
        if rate > 0.0 && (self.full_bw_reached || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// Packets that leave at once.
    pub fn send_quantum(&self) -> f64 {
        let rate = self.pacing_rate * self.packet_bytes;
        let bytes = (rate * self.params.send_quantum_time).min(self.params.send_quantum_max);
        let least = if 8.0 * rate < self.params.slow_rate { 1.0 } else { self.params.send_quantum_min };
        (bytes / self.packet_bytes).floor().max(least)
    }

    fn bdp(&self, bw: f64, gain: f64) -> f64 {
        let product = |min_rtt| (gain * bw * seconds(min_rtt) - ROUNDING).ceil();
        self.min_rtt.map_or(self.initial_cwnd, product)
    }

    /// Room for bursts, an even number, and a probe that is above the BDP however small this is.
    fn with_quanta(&self, packets: f64) -> f64 {
        let packets = packets + (self.params.offload_quanta * self.send_quantum()).floor();
        let even = 2.0 * (packets / 2.0).ceil();
        let probes = self.state == ControlState::ProbeBw && self.phase == UP;
        even + if probes { 2.0 } else { 0.0 }
    }

    /// What is in flight at this bandwidth and gain.
    pub fn inflight_by(&self, bw: f64, gain: f64) -> f64 {
        self.with_quanta(self.bdp(bw, gain))
    }

    /// Is recovery entered with this acknowledgement? Then the window of before is one to come back to.
    pub fn note_recovery(&mut self, sample: &Sample) {
        if sample.in_recovery && self.repair == Repair::None && sample.acked > 0.0 {
            self.save_cwnd();
            self.repair = Repair::Fast(self.delivered);
            self.packet_conservation = true;
        }
    }

    /// The window, unless recovery or PROBE_RTT has cut it.
    pub fn save_cwnd(&mut self) {
        let good = self.repair == Repair::None && self.state != ControlState::ProbeRtt;
        self.prior_cwnd = if good { self.cwnd } else { self.prior_cwnd.max(self.cwnd) };
    }

    /// The window after an acknowledgement.
    pub fn set_cwnd(&mut self, sample: &Sample) {
        if sample.acked > 0.0 && !self.conserves(sample) {
            let target = self.target_cwnd();
            if self.full_bw_reached {
                self.cwnd = (self.cwnd + sample.acked).min(target);
            } else if self.cwnd < target || (self.delivered as f64) < self.initial_cwnd * self.packet_bytes {
                self.cwnd += sample.acked;
            }
            self.cwnd = self.cwnd.max(self.params.min_pipe_cwnd);
        }
        self.cap_cwnd();
    }

    /// What the window grows to.
    pub fn target_cwnd(&self) -> f64 {
        self.with_quanta(self.bdp(self.bw(), self.cwnd_gain()) + self.extra_cwnd())
    }

    fn cap_cwnd(&mut self) {
        if self.state == ControlState::ProbeRtt {
            self.cwnd = self.cwnd.min(self.params.min_pipe_cwnd);
        }
    }

    /// Losses leave the window; in the first round of recovery it is what is in flight and has arrived just now.
    fn conserves(&mut self, sample: &Sample) -> bool {
        if sample.lost > 0.0 {
            self.cwnd = (self.cwnd - sample.lost).max(1.0);
        }
        if self.repair == Repair::Fast(self.delivered) {
            self.rounds.begin(self.delivered); // recovery begins with this acknowledgement, and a round with it
            self.packet_conservation = true;
            self.cwnd = (self.inflight + sample.acked).max(1.0);
        }
        if self.packet_conservation {
            self.cwnd = self.cwnd.max(self.inflight + sample.acked);
        }
        self.packet_conservation
    }

    /// Recovery is over: the window of before, within the target.
    pub fn on_repaired(&mut self) {
        self.repair = Repair::None;
        self.packet_conservation = false;
        self.cwnd = self.cwnd.max(self.prior_cwnd);
        if self.full_bw_reached {
            self.cwnd = self.cwnd.min(self.target_cwnd());
        }
        self.cwnd = self.cwnd.max(self.params.min_pipe_cwnd);
        self.cap_cwnd();
    }

    /// The retransmission timer expired, or everything of a long time was lost. It counts as the end of a round.
    pub fn on_timeout(&mut self, now: Time) {
        self.now = now;
        if self.repair == Repair::None {
            self.save_cwnd();
        }
        self.repair = Repair::Timeout;
        self.cwnd = self.inflight + 1.0;
        self.full_bw = 0.0;
        self.rounds.start = true;
        self.sample_long_term(true, false);
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::bench::{cruising, model, rounds};
    use super::super::params::Bbr1Params;
    use super::*;
    use crate::controller::Controller;
    use crate::settings::ControlSettings;
    use crate::units::Span;

    fn sample(acked: f64, lost: f64, in_recovery: bool) -> Sample {
        Sample { acked, lost, in_recovery, ..Sample::default() }
    }

    #[test]
    fn gains_are_those_of_the_kernel() {
        let mut model = cruising(); // 2500 packets a second, a BDP of 100
        (model.bursts, model.phase) = (super::super::remembered::Bursts::default(), 5);
        for (state, pacing, window) in [
            (ControlState::Startup, 739.0 / 256.0, 289.0),
            (ControlState::Drain, 88.0 / 256.0, 289.0),
            (ControlState::ProbeBw, 1.0, 200.0),
            (ControlState::ProbeRtt, 1.0, 100.0),
        ] {
            model.state = state;
            model.set_pacing_rate(model.pacing_gain());
            assert!((model.pacing_rate / (0.99 * pacing * 2_500.0) - 1.0).abs() < 1e-12, "{state:?}");
            let with_quanta: f64 = window + 3.0 * model.send_quantum();
            assert_eq!(model.target_cwnd(), 2.0 * (with_quanta / 2.0).ceil(), "{state:?}");
        }
    }

    #[test]
    fn a_quantum_is_a_thousandth_of_a_second_and_two_packets_but_on_slow_paths_one() {
        let mut model = model();
        for (rate, quantum) in
            [(100.0, 1.0), (149.0, 1.0), (150.0, 2.0), (2_500.0, 2.0), (5_000.0, 4.0), (1e6, 65.0)]
        {
            model.pacing_rate = rate;
            assert_eq!(model.send_quantum(), quantum, "{rate} packets of 1000 bytes a second");
        }
    }

    #[test]
    fn the_first_rate_is_that_of_the_initial_window_over_a_round_trip() {
        assert!((model().pacing_rate - 0.99 * 2.88671875 * 10.0 / 0.04).abs() < 1e-9);
        let settings = ControlSettings { random: Some([0; 32]), ..ControlSettings::default() };
        let mut model = Model::new(Bbr1Params::default(), &settings);
        assert!((model.pacing_rate - 0.99 * 2.88671875 * 10.0 / 0.001).abs() < 1e-6, "nominally 1 ms");
        model.srtt = Some(Span::from_millis(100));
        model.set_pacing_rate(1.0);
        assert!((model.pacing_rate - 0.99 * 2.88671875 * 10.0 / 0.1).abs() < 1e-9);
    }

    #[test]
    fn recovery_conserves_packets_for_a_round_and_gives_the_window_back() {
        let mut model = cruising();
        let before = model.cwnd;
        // An acknowledgement of one packet shows three losses: 96 in flight.
        model.inflight = 96.0;
        model.delivered += 1_000;
        model.note_recovery(&sample(1.0, 3.0, true));
        model.set_cwnd(&sample(1.0, 3.0, true));
        assert_eq!((model.cwnd, model.prior_cwnd), (97.0, before));
        model.delivered += 1_000;
        model.inflight = 97.0;
        model.set_cwnd(&sample(1.0, 0.0, true));
        assert_eq!(model.cwnd, 98.0, "as many as arrive");
        model.delivered += 1_000;
        model.packet_conservation = false; // a round later
        model.set_cwnd(&sample(2.0, 0.0, true));
        assert_eq!(model.cwnd, 100.0, "slow start");
        model.on_repaired();
        assert_eq!(model.cwnd, before);
    }

    #[test]
    fn a_timeout_leaves_one_packet_and_its_repair_gives_the_window_back() {
        let mut model = cruising();
        let before = model.cwnd;
        model.inflight = 0.0;
        model.on_timeout(model.now);
        assert_eq!((model.cwnd, model.full_bw), (1.0, 0.0));
        rounds(&mut model, 1, 1);
        assert!(model.cwnd < before / 2.0);
        model.on_repaired();
        assert_eq!(model.cwnd, before);
    }

    #[test]
    fn marks_change_nothing() {
        use crate::signal::{Congestion, CongestionSignal};
        let settings = ControlSettings { random: Some([0; 32]), ..ControlSettings::default() };
        let mut control = super::super::Bbr1::new(Bbr1Params::default(), &settings);
        control.on_congestion(&CongestionSignal::new(Time::ZERO, Congestion::EcnMark));
        assert_eq!(control.window(), settings.initial_window);
    }
}
