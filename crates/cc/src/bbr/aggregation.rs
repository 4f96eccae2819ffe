//! `extra_acked`: how much more is acknowledged at once than the bandwidth accounts for, where acknowledgements come in bursts.
//!
//! Source: draft-ietf-ccwg-bbr §5.5.9.

use super::model::{Model, RateSample, seconds};
use crate::units::smaller;

impl Model {
    /// `UpdateACKAggregation`
    pub fn update_ack_aggregation(&mut self, rs: &RateSample) {
        let interval = self.now - self.extra_acked_interval_start;
        let mut expected_delivered = self.bw * seconds(interval);
        if self.extra_acked_delivered <= expected_delivered {
            self.extra_acked_delivered = 0.0;
            self.extra_acked_interval_start = self.now;
            expected_delivered = 0.0;
        }
        self.extra_acked_delivered += rs.newly_acked;
        let extra = smaller(self.extra_acked_delivered - expected_delivered, self.cwnd);
        let window = if self.full_bw_reached { self.lengths.extra_acked } else { 1 };
        self.extra_acked_filter.add(self.rounds.count, extra, window);
        self.extra_acked = self.extra_acked_filter.max();
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::bench::{PACKET, cruising};
    use super::*;
    use crate::units::Span;

    #[test]
    fn what_comes_above_the_bandwidth_counts() {
        let mut model = cruising(); // 100 packets in 40 ms: 2.5 a millisecond
        model.extra_acked_filter = super::super::filters::MaxFilter::default();
        (model.extra_acked_delivered, model.extra_acked_interval_start) = (0.0, model.now);
        let mut burst = |millis: u64, packets: f64| {
            model.now += Span::from_millis(millis);
            model.update_ack_aggregation(&RateSample {
                newly_acked: packets * PACKET,
                ..RateSample::default()
            });
            model.extra_acked / PACKET
        };
        // Nothing was expected: all fifty are more. They account for the next 20 ms.
        assert!((burst(20, 50.0) - 50.0).abs() < 1e-9);
        // After 10 ms 25 were expected, of 80 that came.
        assert!((burst(10, 30.0) - 55.0).abs() < 1e-9);
        // 80 − 25 · … : after 32 ms all were due, and the count begins anew.
        assert!((burst(30, 40.0) - 55.0).abs() < 1e-9);
    }

    #[test]
    fn a_burst_counts_no_more_than_the_window_and_for_ten_rounds() {
        let mut model = cruising();
        model.cwnd = 30.0 * PACKET;
        let rs = |packets: f64| RateSample { newly_acked: packets * PACKET, ..RateSample::default() };
        model.now += Span::from_seconds(1);
        model.rounds.count += 100;
        model.update_ack_aggregation(&rs(70.0));
        assert_eq!(model.extra_acked, 30.0 * PACKET);
        for round in 1..=10 {
            model.now += Span::from_seconds(1);
            model.rounds.count += 1;
            model.update_ack_aggregation(&rs(10.0));
            assert_eq!(model.extra_acked, if round < 10 { 30.0 } else { 10.0 } * PACKET);
        }
    }
}
