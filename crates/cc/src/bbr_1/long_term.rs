//! Policers: two intervals with many losses and the same rate fix that rate for a while.
//!
//! Source: Linux `bbr_lt_bw_sampling`, after [Flach16].

use super::model::Model;
use super::remembered::LongTerm;
use crate::bbr::model::seconds;
use crate::state::ControlState;
use crate::units::Span;

/// Shortest interval that gives a rate.
const SHORTEST: Span = Span::from_millis(1);

impl Model {
    /// Nothing is known of a policer.
    pub fn reset_long_term(&mut self) {
        self.long_term = LongTerm::default();
        self.begin_interval();
    }

    fn begin_interval(&mut self) {
        let (since, delivered, lost) = (self.now, self.delivered, self.lost);
        self.long_term = LongTerm { rounds: 0, since, delivered, lost, ..self.long_term };
    }

    /// A sample, with losses or without.
    pub fn sample_long_term(&mut self, losses: bool, app_limited: bool) {
        let ended = u32::from(self.rounds.start);
        if self.long_term.used {
            self.long_term.rounds += if self.state == ControlState::ProbeBw { ended } else { 0 };
            if f64::from(self.long_term.rounds) >= self.params.lt_bw_rounds {
                self.reset_long_term();
                self.enter_probe_bw();
            }
            return;
        }
        if !self.long_term.sampling {
            if !losses {
                return; // until the first loss the tokens of a policer are not used up
            }
            self.begin_interval();
            self.long_term.sampling = true;
        }
        if app_limited {
            self.reset_long_term();
            return;
        }
        self.long_term.rounds += ended;
        let rounds = f64::from(self.long_term.rounds);
        if rounds > 4.0 * self.params.lt_interval_rounds {
            self.reset_long_term();
        } else if losses && rounds >= self.params.lt_interval_rounds {
            self.end_interval();
        }
    }

    /// An interval ends with a loss, when a policer has used up its tokens again; if there were enough of them.
    fn end_interval(&mut self) {
        let interval = self.now - self.long_term.since;
        let lost = self.lost - self.long_term.lost;
        let delivered = (self.delivered - self.long_term.delivered) as f64 / self.packet_bytes;
        if delivered == 0.0 || lost < self.params.lt_loss_thresh * delivered || interval < SHORTEST {
            return;
        }
        let bw = delivered / seconds(interval);
        let before = self.long_term.bw;
        let difference = (bw - before).abs();
        let close = difference <= self.params.lt_bw_ratio * before
            || 8.0 * difference * self.packet_bytes <= self.params.lt_bw_diff;
        if before > 0.0 && close {
            self.long_term = LongTerm { bw: (bw + before) / 2.0, used: true, rounds: 0, ..self.long_term };
        } else {
            self.long_term.bw = bw;
            self.begin_interval();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::Model;
    use super::super::model::bench::{cruising, round, rounds};

    /// Four rounds of so many packets, of which so many are lost besides.
    fn interval(model: &mut Model, packets: u64, lost: u64) {
        (0..4).for_each(|_| round(model, packets, lost, false));
    }

    #[test]
    fn two_intervals_of_the_same_rate_with_a_fifth_lost_give_a_policer_away() {
        let mut model = cruising();
        round(&mut model, 50, 10, false); // the first loss begins an interval, and is a round of it
        (0..3).for_each(|_| round(&mut model, 50, 10, false));
        assert_eq!(model.long_term.rate(), None, "one interval");
        interval(&mut model, 52, 11);
        // 150 packets in 120 ms; 208 in 160 ms.
        let expected = (150.0 / 0.12 + 208.0 / 0.16) / 2.0;
        assert!(model.long_term.rate().is_some_and(|rate| (rate / expected - 1.0).abs() < 1e-9));
        assert_eq!((model.bw(), model.cycle_gain()), (model.long_term.rate().unwrap_or(0.0), 1.0));
        rounds(&mut model, 47, 52);
        assert!(model.long_term.rate().is_some());
        rounds(&mut model, 1, 52);
        assert_eq!(model.long_term.rate(), None, "after 48 rounds it is tried again");
    }

    #[test]
    fn few_losses_other_rates_and_samples_of_the_application_give_none_away() {
        for (packets, lost) in [(50, 9), (60, 20)] {
            let mut model = cruising();
            (0..4).for_each(|_| round(&mut model, 50, 10, false));
            interval(&mut model, packets, lost);
            assert_eq!(model.long_term.rate(), None, "{packets} delivered, {lost} lost");
        }
        let mut model = cruising();
        (0..4).for_each(|_| round(&mut model, 50, 10, false));
        round(&mut model, 50, 10, true);
        interval(&mut model, 50, 10);
        assert_eq!(model.long_term.rate(), None, "it begins anew");
    }
}
