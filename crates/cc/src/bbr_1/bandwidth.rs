//! The bandwidth: the largest delivery rate of the last rounds; STARTUP until it grows no more, and DRAIN.
//!
//! Source: [Cardwell16]; Linux `bbr_update_bw`, `bbr_check_full_bw_reached`, `bbr_check_drain`.

use super::model::{Model, Sample};
use crate::state::ControlState;

impl Model {
    /// The largest recent delivery rate.
    pub fn max_bw(&self) -> f64 {
        self.bw_filter.max()
    }

    /// The bandwidth that it sends by: that of a policer, if there seems to be one.
    pub fn bw(&self) -> f64 {
        self.long_term.rate().unwrap_or_else(|| self.max_bw())
    }

    /// Rounds, policers and the filter.
    pub fn update_bw(&mut self, sample: &Sample) {
        self.rounds.start = false;
        let Some((rate, prior_delivered)) = sample.rate else { return };
        self.rounds.update(prior_delivered, self.delivered);
        if self.rounds.start {
            self.packet_conservation = false;
        }
        self.sample_long_term(sample.lost > 0.0, sample.app_limited);
        if !sample.app_limited || rate >= self.max_bw() {
            // A sample counts while it is at most so many rounds old.
            self.bw_filter.add(self.rounds.count, rate, self.params.bw_filter_len as u64 + 1);
        }
    }

    /// Three rounds without growth by a quarter: the path is full.
    pub fn check_full_bw_reached(&mut self, sample: &Sample) {
        if self.full_bw_reached || !self.rounds.start || sample.app_limited {
            return;
        }
        if self.max_bw() >= self.full_bw * self.params.full_bw_growth {
            (self.full_bw, self.full_bw_count) = (self.max_bw(), 0);
            return;
        }
        self.full_bw_count += 1;
        self.full_bw_reached = f64::from(self.full_bw_count) >= self.params.full_bw_rounds;
    }

    /// STARTUP ends with a full path, DRAIN with a BDP in flight.
    pub fn check_drain(&mut self) {
        if self.state == ControlState::Startup && self.full_bw_reached {
            self.state = ControlState::Drain;
        }
        if self.state == ControlState::Drain
            && self.in_network_at_departure(self.inflight) <= self.inflight_by(self.max_bw(), 1.0)
        {
            self.enter_probe_bw();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::bench::{cruising, model, round, rounds};
    use super::*;

    #[test]
    fn startup_ends_after_three_rounds_without_growth_by_a_quarter() {
        let mut model = model();
        for packets in [10, 20, 40, 50, 63] {
            rounds(&mut model, 1, packets);
            assert!(!model.full_bw_reached, "each grew by a quarter");
        }
        for count in 1..3 {
            rounds(&mut model, 1, 78); // 78 < 1.25 · 63
            assert_eq!((model.full_bw_count, model.state), (count, ControlState::Startup));
        }
        rounds(&mut model, 1, 79); // 78.75 at least: it grows again
        assert_eq!(model.full_bw_count, 0);
        rounds(&mut model, 3, 79);
        assert!(model.full_bw_reached && model.state != ControlState::Startup);
    }

    #[test]
    fn samples_that_the_application_limits_end_nothing_and_lower_nothing() {
        let mut startup = model();
        (0..50).for_each(|_| round(&mut startup, 20, 0, true));
        assert_eq!((startup.state, startup.full_bw_count), (ControlState::Startup, 0));
        let mut model = cruising();
        (0..50).for_each(|_| round(&mut model, 20, 0, true));
        assert_eq!(model.max_bw(), 2_500.0, "100 packets in 40 ms");
        round(&mut model, 200, 0, true);
        assert_eq!(model.max_bw(), 5_000.0, "a larger one counts");
    }

    #[test]
    fn a_sample_counts_for_ten_rounds_after_its_own() {
        let mut model = cruising();
        rounds(&mut model, 1, 200);
        rounds(&mut model, 10, 100);
        assert_eq!(model.max_bw(), 5_000.0);
        rounds(&mut model, 1, 100);
        assert_eq!(model.max_bw(), 2_500.0);
    }

    #[test]
    fn drain_lasts_until_a_bdp_is_in_flight() {
        let mut model = model();
        rounds(&mut model, 2, 100);
        model.min_rtt = Some(crate::units::Span::from_millis(20)); // half of what is in flight
        rounds(&mut model, 4, 100);
        assert_eq!(model.state, ControlState::Drain);
        rounds(&mut model, 1, 50);
        assert_eq!(model.state, ControlState::ProbeBw);
    }
}
