//! PROBE_RTT and `min_rtt`: the least round trip of the last ten seconds, and a small window now and then so that it can be seen.
//!
//! Source: draft-ietf-ccwg-bbr §5.3.4, §5.5.7.

use super::model::{Model, RateSample, span};
use super::remembered::AckPhase;
use crate::state::ControlState;

impl Model {
    /// `UpdateMinRTT`
    pub fn update_min_rtt(&mut self, rs: &RateSample) {
        self.probe_rtt_expired = self.has_elapsed(self.probe_rtt_min_stamp, self.lengths.probe_rtt);
        if let Some(rtt) = rs.rtt
            && (self.probe_rtt_expired || self.probe_rtt_min_delay.is_none_or(|least| rtt < least))
        {
            (self.probe_rtt_min_delay, self.probe_rtt_min_stamp) = (Some(rtt), self.now);
        }
        let Some(least) = self.probe_rtt_min_delay else { return };
        let expired = self.has_elapsed(self.min_rtt_stamp, self.lengths.min_rtt);
        if expired || self.min_rtt.is_none_or(|min_rtt| least < min_rtt) {
            (self.min_rtt, self.min_rtt_stamp) = (Some(least), self.probe_rtt_min_stamp);
        }
    }

    /// `CheckProbeRTT`
    pub fn check_probe_rtt(&mut self, rs: &RateSample) {
        if self.state != ControlState::ProbeRtt && self.probe_rtt_expired && !self.idle_restart {
            self.state = ControlState::ProbeRtt;
            self.save_cwnd();
            self.probe_rtt_done_stamp = None;
            self.probing.ack_phase = AckPhase::ProbeStopping;
            self.start_round();
        }
        if self.state == ControlState::ProbeRtt {
            self.handle_probe_rtt();
        }
        if rs.delivered > 0.0 {
            self.idle_restart = false;
        }
    }

    /// `HandleProbeRTT`; that samples count as limited by the application follows from the state.
    fn handle_probe_rtt(&mut self) {
        if self.probe_rtt_done_stamp.is_none() {
            if self.inflight <= self.probe_rtt_cwnd() {
                self.probe_rtt_done_stamp = Some(self.now + span(self.params.probe_rtt_duration));
                self.probe_rtt_round_done = false;
                self.start_round();
            }
            return;
        }
        self.probe_rtt_round_done |= self.rounds.start;
        if self.probe_rtt_round_done {
            self.check_probe_rtt_done();
        }
    }

    /// `CheckProbeRTTDone`
    pub fn check_probe_rtt_done(&mut self) {
        if self.probe_rtt_done_stamp.is_some_and(|done| self.now > done) {
            self.probe_rtt_min_stamp = self.now;
            self.restore_cwnd();
            self.exit_probe_rtt();
        }
    }

    /// `ExitProbeRTT`
    fn exit_probe_rtt(&mut self) {
        self.reset_short_term_model();
        if self.full_bw_reached {
            self.start_probe_bw_down();
            self.start_probe_bw_cruise();
        } else {
            self.enter_startup();
        }
    }

    /// `ProbeRTTCwnd`
    pub fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp_multiple(self.bw, self.params.probe_rtt_cwnd_gain).max(self.min_pipe_cwnd())
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::bench::{PACKET, Round, cruising, model, round, rounds};
    use super::*;
    use crate::sample::{AckSample, DeliveryRate, RoundTripTimes};
    use crate::units::{Bytes, Span};

    /// Samples every 10 ms for as long as this holds.
    fn samples_while(model: &mut Model, rtt: u64, in_flight: u64, holds: impl Fn(&Model) -> bool) {
        for _ in 0..2_000 {
            if !holds(model) {
                return;
            }
            sample(model, 10, rtt, in_flight);
        }
        panic!("it does not end: {model:?}");
    }

    /// An acknowledgement with this round trip and so much in flight.
    fn sample(model: &mut Model, millis: u64, rtt: u64, in_flight: u64) {
        let rtt = Some(Span::from_millis(rtt));
        model.on_ack(&AckSample {
            now: model.now + Span::from_millis(millis),
            delivered: Bytes::new(model.delivered + PACKET as u64),
            newly_delivered: Bytes::new(PACKET as u64),
            in_flight_after: Bytes::new(in_flight * PACKET as u64),
            rtt: RoundTripTimes { newest: rtt, smoothed: rtt, ..RoundTripTimes::default() },
            rate: Some(DeliveryRate {
                delivered: Bytes::new(100 * PACKET as u64),
                interval: Span::from_millis(40),
                prior_delivered: Bytes::new(model.delivered),
                in_flight_at_sending: Bytes::new(in_flight * PACKET as u64),
                lost: Bytes::ZERO,
                app_limited: false,
                reliable: true,
            }),
            ..AckSample::default()
        });
    }

    #[test]
    fn five_seconds_without_a_lower_round_trip_bring_probe_rtt() {
        let mut model = cruising();
        let begin = model.probe_rtt_min_stamp;
        samples_while(&mut model, 40, 100, |model| model.state != ControlState::ProbeRtt);
        assert_eq!(model.now, begin + Span::from_millis(5_010), "longer than 5 s");
        // Half of the BDP of 100 packets; the clock runs when so few are in flight.
        assert_eq!(model.cwnd, 50.0 * PACKET);
        sample(&mut model, 20, 40, 60);
        assert_eq!(model.probe_rtt_done_stamp, None);
        sample(&mut model, 20, 40, 50);
        assert_eq!(model.probe_rtt_done_stamp, Some(model.now + Span::from_millis(200)));
        let begin = model.now;
        samples_while(&mut model, 30, 40, |model| model.state == ControlState::ProbeRtt);
        assert_eq!(model.now, begin + Span::from_millis(210));
        assert_eq!(model.state, ControlState::ProbeBwCruise);
        assert_eq!(model.min_rtt, Some(Span::from_millis(30)), "measured with little in flight");
        assert_eq!(model.probe_rtt_min_stamp, model.now);
        assert!(model.cwnd > 75.0 * PACKET, "the window of before, within the new bound");
    }

    #[test]
    fn a_flow_that_has_not_filled_the_path_goes_back_to_startup() {
        let mut model = model();
        for _ in 0..200 {
            round(&mut model, Round { packets: 20, lost: 0, app_limited: true });
            if model.state == ControlState::ProbeRtt {
                break;
            }
        }
        assert_eq!(model.state, ControlState::ProbeRtt);
        for _ in 0..20 {
            round(&mut model, Round { packets: 4, lost: 0, app_limited: true });
        }
        assert_eq!(model.state, ControlState::Startup);
    }

    #[test]
    fn an_idle_time_takes_the_place_of_probe_rtt() {
        let mut model = cruising();
        let idle = model.now + Span::from_seconds(6);
        model.on_idle(idle);
        assert!(model.idle_restart);
        sample(&mut model, 40, 40, 100);
        assert!(!model.idle_restart && model.probe_rtt_expired);
        assert_eq!(model.probe_rtt_min_stamp, model.now, "the sample counts");
        rounds(&mut model, 10, 100);
        assert_ne!(model.state, ControlState::ProbeRtt);
    }

    #[test]
    fn the_least_round_trip_is_forgotten_after_ten_seconds() {
        let mut model = cruising();
        let begin = model.min_rtt_stamp;
        samples_while(&mut model, 50, 20, |model| model.min_rtt == Some(Span::from_millis(40)));
        assert!((9_990..=10_010).contains(&((model.now - begin).nanos() / 1_000_000)));
        assert_eq!(model.min_rtt, Some(Span::from_millis(50)));
    }
}
