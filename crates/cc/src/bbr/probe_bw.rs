//! PROBE_BW: send less than the path carries, then as much, fill it, send more; when to probe, and what the answers to a probe mean.
//!
//! Source: draft-ietf-ccwg-bbr §5.3.3.

use super::model::{Model, RateSample, span};
use super::remembered::AckPhase;
use crate::state::ControlState;
use crate::units::smaller;

impl Model {
    /// `IsInAProbeBWState`
    pub fn is_in_a_probe_bw_state(&self) -> bool {
        use ControlState::{ProbeBwCruise, ProbeBwDown, ProbeBwRefill, ProbeBwUp};
        matches!(self.state, ProbeBwDown | ProbeBwCruise | ProbeBwRefill | ProbeBwUp)
    }

    /// `IsProbingBW`
    pub fn is_probing_bw(&self) -> bool {
        use ControlState::{ProbeBwRefill, ProbeBwUp, Startup};
        matches!(self.state, Startup | ProbeBwRefill | ProbeBwUp)
    }

    /// `StartProbeBW_DOWN`
    pub fn start_probe_bw_down(&mut self) {
        self.reset_congestion_signals();
        self.probing.probe_up_acked_per_inc = f64::INFINITY;
        self.pick_probe_wait();
        self.probing.cycle_stamp = self.now;
        self.probing.ack_phase = AckPhase::ProbeStopping;
        self.start_round();
        self.state = ControlState::ProbeBwDown;
    }

    /// `StartProbeBW_CRUISE`
    pub fn start_probe_bw_cruise(&mut self) {
        self.state = ControlState::ProbeBwCruise;
    }

    /// `StartProbeBW_REFILL`
    pub fn start_probe_bw_refill(&mut self) {
        self.reset_short_term_model();
        self.probing.bw_probe_up_rounds = 0;
        self.probing.bw_probe_up_acked = 0.0;
        self.probing.prev_probe_precautionary = false;
        self.probing.ack_phase = AckPhase::Refilling;
        self.start_round();
        self.state = ControlState::ProbeBwRefill;
    }

    /// `StartProbeBW_UP`
    fn start_probe_bw_up(&mut self, rs: &RateSample) {
        self.probing.ack_phase = AckPhase::ProbeStarting;
        self.start_round();
        self.reset_full_bw();
        self.full_bw = rs.delivery_rate;
        self.state = ControlState::ProbeBwUp;
        self.raise_inflight_longterm_slope();
    }

    /// `UpdateProbeBWCyclePhase`
    pub fn update_probe_bw_cycle_phase(&mut self, rs: &RateSample) {
        if !self.full_bw_reached || self.adapt_long_term_model(rs) {
            return;
        }
        match self.state {
            ControlState::ProbeBwDown => self.go_on_from_down(),
            ControlState::ProbeBwCruise => _ = self.is_time_to_probe_bw(),
            ControlState::ProbeBwRefill if self.rounds.start => {
                self.probing.is_bw_probe_sample = true;
                self.start_probe_bw_up(rs);
            }
            ControlState::ProbeBwUp => self.go_on_from_up(rs),
            _ => {}
        }
    }

    fn go_on_from_down(&mut self) {
        if !self.is_time_to_probe_bw() && self.is_time_to_cruise() {
            self.start_probe_bw_cruise();
        }
    }

    fn go_on_from_up(&mut self, rs: &RateSample) {
        if self.is_time_to_go_down(rs) {
            self.probing.prev_probe_too_high = false;
            self.start_probe_bw_down();
        }
    }

    /// `IsTimeToProbeBW`
    fn is_time_to_probe_bw(&mut self) -> bool {
        let due = self.has_elapsed(self.probing.cycle_stamp, self.probing.bw_probe_wait);
        if due || self.is_reno_coexistence_probe_time() {
            self.start_probe_bw_refill();
            return true;
        }
        false
    }

    /// `PickProbeWait`
    fn pick_probe_wait(&mut self) {
        self.probing.rounds_since_probe_up = self.random.up_to(1);
        let wait = self.params.probe_wait_base + self.params.probe_wait_spread * self.random.uniform();
        self.probing.bw_probe_wait = span(wait);
    }

    /// `IsRenoCoexistenceProbeTime`; the window of Reno is counted in packets.
    fn is_reno_coexistence_probe_time(&self) -> bool {
        let rounds = smaller(self.target_inflight() / self.smss, self.params.probe_wait_rounds);
        self.probing.rounds_since_probe_up as f64 >= rounds
    }

    /// `TargetInflight`
    pub fn target_inflight(&self) -> f64 {
        smaller(self.bdp_multiple(self.bw, 1.0), self.cwnd)
    }

    /// `IsTimeToCruise`
    fn is_time_to_cruise(&self) -> bool {
        self.inflight <= self.inflight_with_headroom() && self.inflight <= self.inflight_by(self.max_bw, 1.0)
    }

    /// `IsTimeToGoDown`
    fn is_time_to_go_down(&mut self, rs: &RateSample) -> bool {
        if self.probing.prev_probe_too_high && self.inflight >= self.inflight_longterm {
            self.probing.prev_probe_precautionary = true;
            return true;
        }
        if self.is_cwnd_limited() && self.cwnd >= self.inflight_longterm {
            self.reset_full_bw(); // inflight_longterm bounds the bandwidth
            self.full_bw = rs.delivery_rate;
        } else if self.full_bw_now {
            return true;
        }
        false
    }

    /// `AdaptLongTermModel`: did it decide a transition?
    fn adapt_long_term_model(&mut self, rs: &RateSample) -> bool {
        if self.probing.ack_phase == AckPhase::ProbeStarting && self.rounds.start {
            self.probing.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.probing.ack_phase == AckPhase::ProbeStopping && self.rounds.start {
            self.probing.is_bw_probe_sample = false;
            self.probing.ack_phase = AckPhase::Init;
            if self.is_in_a_probe_bw_state() {
                if !rs.is_app_limited {
                    self.cycle_count += 1; // AdvanceMaxBwFilter
                }
                if self.probing.prev_probe_precautionary && !self.probing.prev_probe_too_high {
                    self.start_probe_bw_refill();
                    return true;
                }
            }
        }
        if !self.is_inflight_too_high(rs) && self.inflight_longterm < f64::INFINITY {
            self.inflight_longterm = self.inflight_longterm.max(rs.tx_in_flight);
            if self.state == ControlState::ProbeBwUp {
                self.probe_inflight_longterm_upward(rs);
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::bench::{PACKET, Round, cruising, model, round, rounds};
    use super::*;
    use crate::units::Span;

    #[test]
    fn a_probe_waits_two_to_three_seconds_and_at_most_so_many_rounds() {
        let mut model = model();
        let mut waits: Vec<Span> = Vec::new();
        let mut starts = [0, 0];
        for _ in 0..200 {
            model.start_probe_bw_down();
            waits.push(model.probing.bw_probe_wait);
            starts[model.probing.rounds_since_probe_up as usize] += 1;
        }
        assert!(waits.iter().all(|wait| (2_000..=3_000).contains(&(wait.nanos() / 1_000_000))));
        assert!(waits.iter().any(|wait| wait.nanos() < 2_200_000_000));
        assert!(waits.iter().any(|wait| wait.nanos() > 2_800_000_000));
        assert!(starts.iter().all(|&count| count > 60), "{starts:?}");
    }

    #[test]
    fn a_cycle_goes_through_its_states() {
        let mut model = cruising();
        let mut seen = vec![model.state];
        for _ in 0..150 {
            rounds(&mut model, 1, 100);
            if seen.last() != Some(&model.state) {
                seen.push(model.state);
            }
            if seen.len() == 5 {
                break;
            }
        }
        use ControlState::{ProbeBwCruise, ProbeBwDown, ProbeBwRefill, ProbeBwUp};
        assert_eq!(seen, [ProbeBwCruise, ProbeBwRefill, ProbeBwUp, ProbeBwDown, ProbeBwCruise]);
    }

    /// In draft-cardwell-iccrg-bbr-congestion-control-02 the phase *stopping* lasts through CRUISE, so that the filter of two slots moves on
    /// at each round.
    #[test]
    fn a_cruise_of_many_rounds_forgets_nothing() {
        let mut model = cruising();
        let (estimate, cycles) = (model.max_bw, model.cycle_count);
        for _ in 0..40 {
            rounds(&mut model, 1, 60);
            assert_eq!(model.state, ControlState::ProbeBwCruise);
            assert_eq!((model.max_bw, model.cycle_count), (estimate, cycles));
        }
        assert_eq!(estimate, 100.0 * PACKET / 0.04);
        assert_eq!(model.probing.ack_phase, AckPhase::Init);
    }

    #[test]
    fn a_lower_bandwidth_is_believed_after_two_probes() {
        let mut model = cruising();
        let before = model.max_bw;
        let cycles = model.cycle_count;
        for _ in 0..400 {
            assert_eq!(model.max_bw, before);
            rounds(&mut model, 1, 45);
            if model.cycle_count == cycles + 2 {
                rounds(&mut model, 1, 45);
                assert_eq!(model.max_bw, 45.0 * PACKET / 0.04);
                return;
            }
        }
        panic!("no second cycle: {model:?}");
    }

    #[test]
    fn a_probe_ends_after_three_rounds_without_growth_but_not_while_the_long_term_bound_is_used_in_full() {
        let probing = |count: u32| {
            let mut model = cruising();
            model.start_probe_bw_refill();
            rounds(&mut model, 1 + count, 100);
            model
        };
        let model = probing(2);
        assert_eq!(
            (model.state, model.full_bw_count, model.full_bw_now),
            (ControlState::ProbeBwUp, 2, false)
        );
        let model = probing(3);
        assert_eq!(
            (model.state, model.full_bw_count, model.full_bw_now),
            (ControlState::ProbeBwDown, 3, true)
        );
        // With the bound in the way a plateau says nothing.
        let mut model = probing(2);
        (model.full_bw_count, model.full_bw_now) = (3, true);
        (model.inflight_longterm, model.cwnd) = (100.0 * PACKET, 100.0 * PACKET);
        model.note_sent(100.0 * PACKET);
        let rs = RateSample { delivery_rate: 7.0, ..RateSample::default() };
        assert!(model.is_cwnd_limited() && !model.is_time_to_go_down(&rs));
        assert_eq!(
            (model.full_bw_count, model.full_bw_now, model.full_bw),
            (0, false, 7.0),
            "the count begins anew"
        );
    }

    #[test]
    fn a_probe_that_went_too_high_makes_the_next_a_short_one() {
        let mut model = cruising();
        model.inflight_longterm = 90.0 * PACKET;
        model.probing.prev_probe_too_high = true;
        (model.state, model.full_bw_now) = (ControlState::ProbeBwUp, false);
        rounds(&mut model, 1, 90); // in flight what the last probe had too much of
        assert_eq!((model.state, model.probing.prev_probe_precautionary), (ControlState::ProbeBwDown, true));
        assert!(!model.probing.prev_probe_too_high);
        rounds(&mut model, 1, 90);
        assert_eq!(model.state, ControlState::ProbeBwRefill, "no loss in the round after it: at once again");
        assert!(!model.probing.prev_probe_precautionary);
    }

    #[test]
    fn samples_limited_by_the_application_move_no_cycle_on() {
        let mut model = cruising();
        let (cycles, estimate) = (model.cycle_count, model.max_bw);
        model.start_probe_bw_down();
        round(&mut model, Round { packets: 40, lost: 0, app_limited: true });
        assert_eq!((model.cycle_count, model.max_bw), (cycles, estimate));
        assert_eq!(model.probing.ack_phase, AckPhase::Init);
    }
}
