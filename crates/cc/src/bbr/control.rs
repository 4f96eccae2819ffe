//! What the model makes of pacing rate, send quantum and window.
//!
//! Source: draft-ietf-ccwg-bbr §5.6. The gains of the sub-states of PROBE_BW stand in the table of §5.6.1 alone.
//!
//! The initial pacing rate follows from the first round trip, that of the handshake if there is one, and until then from 1 ms. As in
//! Linux a later first round trip corrects the guess, which would stand until the path is full.

use super::model::{Model, RateSample, Repair, seconds};
use crate::state::ControlState;
use crate::units::{larger, smaller};

/// The round trip that the initial pacing rate takes before one is known: `InitPacingRate`.
const NOMINAL_RTT: f64 = 0.001;

impl Model {
    /// `BBR.pacing_gain`
    fn pacing_gain(&self) -> f64 {
        match self.state {
            ControlState::Startup => self.params.startup_pacing_gain,
            ControlState::Drain => self.params.drain_pacing_gain,
            ControlState::ProbeBwDown => self.params.probe_down_pacing_gain,
            ControlState::ProbeBwCruise => self.params.probe_cruise_pacing_gain,
            ControlState::ProbeBwRefill => self.params.probe_refill_pacing_gain,
            ControlState::ProbeBwUp => self.params.probe_up_pacing_gain,
            ControlState::ProbeRtt => self.params.probe_rtt_pacing_gain,
            ControlState::ProbeBw => unreachable!("a state of BBRv1"),
        }
    }

    /// `BBR.cwnd_gain`
    fn cwnd_gain(&self) -> f64 {
        match self.state {
            ControlState::ProbeBwUp => self.params.probe_up_cwnd_gain,
            ControlState::ProbeRtt => self.params.probe_rtt_cwnd_gain,
            _ => self.params.default_cwnd_gain,
        }
    }

    /// `InitPacingRate`
    pub fn init_pacing_rate(&mut self) {
        let srtt = self.srtt.map(seconds).filter(|&srtt| srtt > 0.0);
        self.has_seen_rtt = srtt.is_some();
        let nominal_bandwidth = self.initial_cwnd / srtt.unwrap_or(NOMINAL_RTT);
        self.pacing_rate = self.params.startup_pacing_gain * nominal_bandwidth;
        self.set_send_quantum();
    }

    /// `SetPacingRateWithGain`
    pub fn set_pacing_rate_with_gain(&mut self, pacing_gain: f64) {
        let rate = pacing_gain * self.bw * (100.0 - self.params.pacing_margin_percent) / 100.0;
        if rate > 0.0 && (self.full_bw_reached || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// `SetPacingRate`
    pub fn set_pacing_rate(&mut self) {
        if !self.has_seen_rtt && self.srtt.is_some() {
            self.init_pacing_rate();
        }
        self.set_pacing_rate_with_gain(self.pacing_gain());
    }

    /// `SetSendQuantum`
    pub fn set_send_quantum(&mut self) {
        let quantum = self.pacing_rate * self.params.send_quantum_time;
        let least = self.params.send_quantum_min * self.smss;
        self.send_quantum = larger(smaller(quantum, self.params.send_quantum_max), least);
    }

    /// `BBR.MinPipeCwnd`
    pub fn min_pipe_cwnd(&self) -> f64 {
        self.params.min_pipe_cwnd * self.smss
    }

    /// `BDPMultiple`
    pub fn bdp_multiple(&self, bw: f64, gain: f64) -> f64 {
        self.min_rtt.map_or(self.initial_cwnd, |min_rtt| gain * bw * seconds(min_rtt))
    }

    /// `QuantizationBudget`
    fn quantization_budget(&self, inflight_cap: f64) -> f64 {
        let offload_budget = self.params.offload_quanta * self.send_quantum;
        let cap = larger(larger(inflight_cap, offload_budget), self.min_pipe_cwnd());
        if self.state == ControlState::ProbeBwUp { cap + 2.0 * self.smss } else { cap }
    }

    /// `Inflight`
    pub fn inflight_by(&self, bw: f64, gain: f64) -> f64 {
        self.quantization_budget(self.bdp_multiple(bw, gain))
    }

    /// `UpdateMaxInflight`
    fn max_inflight(&self) -> f64 {
        self.quantization_budget(self.bdp_multiple(self.bw, self.cwnd_gain()) + self.extra_acked)
    }

    /// `SetCwnd`
    pub fn set_cwnd(&mut self, rs: &RateSample) {
        let max_inflight = self.max_inflight();
        if self.full_bw_reached {
            self.cwnd = smaller(self.cwnd + rs.newly_acked, max_inflight);
        } else if self.cwnd < max_inflight || (self.delivered as f64) < self.initial_cwnd {
            self.cwnd += rs.newly_acked;
        }
        self.cwnd = larger(self.cwnd, self.min_pipe_cwnd());
        self.bound_cwnd();
    }

    /// `BoundCwndForProbeRTT` and `BoundCwndForModel`
    fn bound_cwnd(&mut self) {
        if self.state == ControlState::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        let cap = match self.state {
            ControlState::ProbeRtt | ControlState::ProbeBwCruise => self.inflight_with_headroom(),
            _ if self.is_in_a_probe_bw_state() => self.inflight_longterm,
            _ => f64::INFINITY,
        };
        let cap = larger(smaller(cap, self.inflight_shortterm), self.min_pipe_cwnd());
        self.cwnd = smaller(self.cwnd, cap);
    }

    /// `SaveCwnd`
    pub fn save_cwnd(&mut self) {
        let good = self.repair == Repair::None && self.state != ControlState::ProbeRtt;
        self.prior_cwnd = if good { self.cwnd } else { self.prior_cwnd.max(self.cwnd) };
    }

    /// `RestoreCwnd`
    pub fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    /// Recovery is over: the window of before, within what the model allows now.
    pub fn on_repaired(&mut self) {
        self.repair = Repair::None;
        self.restore_cwnd();
        if self.full_bw_reached {
            self.cwnd = self.cwnd.min(self.max_inflight());
        }
        self.cwnd = larger(self.cwnd, self.min_pipe_cwnd());
        self.bound_cwnd();
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::bench::{PACKET, cruising, model};
    use super::super::params::BbrParams;
    use super::*;
    use crate::settings::ControlSettings;

    /// Table of draft-ietf-ccwg-bbr §5.6.1.
    #[test]
    fn gains_are_those_of_the_table() {
        let mut model = cruising();
        let bdp = 100.0 * PACKET;
        model.extra_acked = 0.0;
        model.send_quantum = 2.0 * PACKET;
        let table = [
            (ControlState::Startup, 2.77, 2.0),
            (ControlState::Drain, 0.5, 2.0),
            (ControlState::ProbeBwDown, 0.9, 2.0),
            (ControlState::ProbeBwCruise, 1.0, 2.0),
            (ControlState::ProbeBwRefill, 1.0, 2.0),
            (ControlState::ProbeBwUp, 1.25, 2.25),
            (ControlState::ProbeRtt, 1.0, 0.5),
        ];
        for (state, pacing, window) in table {
            model.state = state;
            model.set_pacing_rate();
            assert!((model.pacing_rate / (0.99 * pacing * bdp / 0.04) - 1.0).abs() < 1e-12, "{state:?}");
            let more = if state == ControlState::ProbeBwUp { 2.0 * PACKET } else { 0.0 };
            assert!((model.max_inflight() - window * bdp - more).abs() < 1e-6, "{state:?}");
        }
    }

    #[test]
    fn the_first_rate_is_that_of_the_initial_window_over_a_round_trip() {
        let model = model(); // ten packets in 40 ms
        assert!((model.pacing_rate - 2.77 * 10.0 * PACKET / 0.04).abs() < 1e-6);
        let settings = ControlSettings { random: Some([0; 32]), ..ControlSettings::default() };
        let mut model = Model::new(BbrParams::default(), &settings);
        model.on_established(crate::units::Time::ZERO, None);
        assert!((model.pacing_rate - 2.77 * 10.0 * PACKET / 0.001).abs() < 1e-3, "nominally 1 ms");
        model.srtt = Some(crate::units::Span::from_millis(100));
        model.set_pacing_rate();
        assert!((model.pacing_rate - 2.77 * 10.0 * PACKET / 0.1).abs() < 1e-6, "until there is a sample");
    }

    #[test]
    fn until_the_path_is_full_the_rate_only_rises() {
        let mut model = model();
        let first = model.pacing_rate;
        model.bw = 100.0;
        model.set_pacing_rate();
        assert_eq!(model.pacing_rate, first);
        model.full_bw_reached = true;
        model.set_pacing_rate();
        assert!((model.pacing_rate - 2.77 * 99.0).abs() < 1e-9);
    }

    #[test]
    fn a_quantum_is_a_millisecond_but_two_packets_at_least_and_64_kilobytes_at_most() {
        let mut model = model();
        for (rate, quantum) in [(1e3, 2_000.0), (5e6, 5_000.0), (1e9, 65_536.0)] {
            model.pacing_rate = rate;
            model.set_send_quantum();
            assert_eq!(model.send_quantum, quantum);
        }
    }

    #[test]
    fn the_window_follows_the_model() {
        let mut model = cruising();
        model.extra_acked = 0.0;
        let rs = RateSample { newly_acked: 10.0 * PACKET, ..RateSample::default() };
        model.cwnd = 150.0 * PACKET;
        model.set_cwnd(&rs);
        assert_eq!(model.cwnd, 160.0 * PACKET, "by what was acknowledged");
        model.cwnd = 500.0 * PACKET;
        model.set_cwnd(&rs);
        assert_eq!(model.cwnd, 200.0 * PACKET, "at once");
        model.inflight_shortterm = 120.0 * PACKET;
        model.set_cwnd(&rs);
        assert_eq!(model.cwnd, 120.0 * PACKET);
        model.inflight_longterm = 100.0 * PACKET;
        model.set_cwnd(&rs);
        assert_eq!(model.cwnd, 85.0 * PACKET, "headroom in CRUISE");
        model.state = ControlState::ProbeBwUp;
        model.cwnd = 150.0 * PACKET;
        model.set_cwnd(&rs);
        assert_eq!(model.cwnd, 100.0 * PACKET, "none in UP");
        model.inflight_longterm = PACKET;
        model.set_cwnd(&rs);
        assert_eq!(model.cwnd, 4.0 * PACKET, "MinPipeCwnd");
    }
}
