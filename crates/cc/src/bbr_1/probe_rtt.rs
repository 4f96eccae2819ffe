//! The least round trip of ten seconds, and PROBE_RTT: four packets for 200 ms where none as short has been seen.
//!
//! Source: [Cardwell16]; Linux `bbr_update_min_rtt`.

use super::model::{Model, Sample};
use crate::bbr::model::span;
use crate::state::ControlState;

impl Model {
    /// The filter, and PROBE_RTT when it expires.
    pub fn update_min_rtt(&mut self, sample: &Sample) {
        let expired = self.has_elapsed(self.min_rtt_stamp, span(self.params.min_rtt_filter_len));
        if let Some(rtt) = sample.rtt
            && (expired || self.min_rtt.is_none_or(|least| rtt < least))
        {
            (self.min_rtt, self.min_rtt_stamp) = (Some(rtt), self.now);
        }
        if expired && !self.idle_restart && self.state != ControlState::ProbeRtt {
            self.state = ControlState::ProbeRtt;
            self.save_cwnd();
            self.probe_rtt_done = None;
        }
        if self.state == ControlState::ProbeRtt {
            self.go_on_in_probe_rtt();
        }
        if sample.acked > 0.0 {
            self.idle_restart = false;
        }
    }

    /// That samples count as limited by the application follows from the state.
    fn go_on_in_probe_rtt(&mut self) {
        if self.probe_rtt_done.is_none() {
            if self.inflight <= self.params.min_pipe_cwnd {
                self.probe_rtt_done = Some(self.now + span(self.params.probe_rtt_duration));
                self.probe_rtt_round_done = false;
                self.rounds.begin(self.delivered);
            }
            return;
        }
        self.probe_rtt_round_done |= self.rounds.start;
        if self.probe_rtt_round_done {
            self.check_probe_rtt_done();
        }
    }

    /// Long enough: back to the window and the state of before.
    pub fn check_probe_rtt_done(&mut self) {
        if self.probe_rtt_done.is_none_or(|done| self.now <= done) {
            return;
        }
        self.min_rtt_stamp = self.now;
        self.cwnd = self.cwnd.max(self.prior_cwnd);
        if self.full_bw_reached {
            self.enter_probe_bw();
        } else {
            self.state = ControlState::Startup;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::bench::{cruising, model, round, rounds};
    use super::*;
    use crate::units::Span;

    #[test]
    fn ten_seconds_without_a_shorter_round_trip_bring_200_ms_at_four_packets() {
        let mut model = cruising();
        let begin = model.min_rtt_stamp;
        let mut before = model.cwnd;
        while model.state != ControlState::ProbeRtt {
            before = model.cwnd;
            rounds(&mut model, 1, 100);
        }
        assert_eq!(model.now, begin + Span::from_millis(10_040), "longer than 10 s");
        assert_eq!((model.cwnd, model.prior_cwnd), (4.0, before));
        rounds(&mut model, 1, 5);
        assert_eq!(model.probe_rtt_done, None);
        rounds(&mut model, 1, 4);
        let done = model.now + Span::from_millis(200);
        assert_eq!(model.probe_rtt_done, Some(done));
        while model.state == ControlState::ProbeRtt {
            rounds(&mut model, 1, 4);
        }
        assert_eq!(model.now, done + Span::from_millis(40));
        assert_eq!(model.state, ControlState::ProbeBw);
        assert_eq!(model.cwnd, model.target_cwnd(), "the window of before, within two BDPs and quanta");
        assert_eq!(model.min_rtt_stamp, model.now);
    }

    #[test]
    fn a_path_that_was_never_full_goes_back_to_startup_and_idleness_takes_the_place_of_the_probe() {
        let mut model = model();
        while model.state != ControlState::ProbeRtt {
            round(&mut model, 20, 0, true);
        }
        while model.state == ControlState::ProbeRtt {
            round(&mut model, 4, 0, true);
        }
        assert_eq!(model.state, ControlState::Startup);
        model.on_idle(model.now + Span::from_seconds(11));
        round(&mut model, 20, 0, true);
        assert_eq!((model.state, model.min_rtt_stamp), (ControlState::Startup, model.now));
    }
}
