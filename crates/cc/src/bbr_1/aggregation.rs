//! Bursts of acknowledgements: how much more is acknowledged at once than the bandwidth accounts for.
//!
//! Source: Linux `bbr_update_ack_aggregation`, since 5.1.

use super::model::{Model, Sample};
use crate::bbr::model::seconds;

impl Model {
    /// The most of the last rounds.
    pub fn extra_acked(&self) -> f64 {
        self.bursts.slots[0].max(self.bursts.slots[1])
    }

    /// What goes on top of the window for them.
    pub fn extra_cwnd(&self) -> f64 {
        if !self.full_bw_reached {
            return 0.0;
        }
        let most = (self.bw() * self.params.extra_acked_max).floor();
        (self.params.extra_acked_gain * self.extra_acked()).floor().min(most)
    }

    /// An acknowledgement arrived.
    pub fn update_bursts(&mut self, sample: &Sample) {
        if sample.acked == 0.0 || sample.rate.is_none() {
            return;
        }
        if self.rounds.start {
            self.bursts.rounds += 1;
            if f64::from(self.bursts.rounds) >= self.params.extra_acked_filter_len {
                self.bursts.rounds = 0;
                self.bursts.current = 1 - self.bursts.current;
                self.bursts.slots[self.bursts.current] = 0.0;
            }
        }
        let mut expected = (self.bw() * seconds(self.now - self.bursts.since)).floor();
        if self.bursts.acked <= expected {
            self.bursts.begin(self.now);
            expected = 0.0;
        }
        self.bursts.acked += sample.acked;
        let extra = (self.bursts.acked - expected).min(self.cwnd);
        let slot = &mut self.bursts.slots[self.bursts.current];
        *slot = slot.max(extra);
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::bench::{cruising, rounds};
    use super::super::remembered::Bursts;
    use super::*;
    use crate::units::Span;

    fn burst(model: &mut Model, millis: u64, packets: f64) -> f64 {
        model.now += Span::from_millis(millis);
        model.update_bursts(&Sample { rate: Some((0.0, 0)), acked: packets, ..Sample::default() });
        model.extra_acked()
    }

    #[test]
    fn what_comes_above_the_bandwidth_counts_in_slots_of_five_rounds() {
        let mut model = cruising(); // 2.5 packets a millisecond
        (model.bursts, model.rounds.start, model.cwnd) = (Bursts::default(), false, 200.0);
        model.bursts.begin(model.now);
        assert_eq!(burst(&mut model, 20, 50.0), 50.0, "nothing is expected of the first");
        assert_eq!(burst(&mut model, 10, 30.0), 55.0, "80 where 25 were expected");
        assert_eq!(burst(&mut model, 30, 40.0), 55.0, "100 were expected: the count begins anew");
        assert_eq!(model.extra_cwnd(), 55.0);
        model.cwnd = 30.0;
        model.bursts.slots = [0.0; 2];
        assert_eq!(burst(&mut model, 60, 70.0), 30.0, "no more than the window");
        model.rounds.start = true;
        for round in 1..=10 {
            let kept = burst(&mut model, 1_000, 5.0);
            assert_eq!(
                kept,
                if round < 10 { 30.0 } else { 5.0 },
                "{round}: the first slot ends after five, and after ten begins anew"
            );
        }
    }

    #[test]
    fn the_window_gets_a_tenth_of_a_second_of_the_bandwidth_at_most() {
        let mut model = cruising();
        model.bursts.slots = [900.0, 0.0];
        assert_eq!(model.extra_cwnd(), 250.0);
        model.full_bw_reached = false;
        assert_eq!(model.extra_cwnd(), 0.0);
        rounds(&mut model, 1, 100);
    }
}
