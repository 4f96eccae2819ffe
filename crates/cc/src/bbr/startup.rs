//! STARTUP and DRAIN: growth until the path is full, by a plateau of the delivery rate or by losses, and what it leaves behind.
//!
//! Source: draft-ietf-ccwg-bbr §5.3.1, §5.3.2.
//!
//! The draft gives the exit by losses in words. All of it is judged when a round of losses ends: fast recovery has lasted a round, the
//! loss rate exceeds `loss_thresh`, and at least `startup_full_loss_count` ranges were lost in the round.

use super::model::{Model, RateSample, Repair};
use crate::state::ControlState;

impl Model {
    /// `EnterStartup`
    pub fn enter_startup(&mut self) {
        self.state = ControlState::Startup;
    }

    /// `ResetFullBW`
    pub fn reset_full_bw(&mut self) {
        (self.full_bw, self.full_bw_count, self.full_bw_now) = (0.0, 0, false);
    }

    /// `CheckFullBWReached`. A sample without a rate says nothing about a plateau.
    pub fn check_full_bw_reached(&mut self, rs: &RateSample) {
        if self.full_bw_now || !self.rounds.start || rs.is_app_limited || rs.delivery_rate == 0.0 {
            return;
        }
        if rs.delivery_rate >= self.full_bw * self.params.full_bw_growth {
            self.reset_full_bw();
            self.full_bw = rs.delivery_rate;
            return;
        }
        self.full_bw_count += 1;
        self.full_bw_now = self.full_bw_count >= self.params.full_bw_rounds as u64;
        self.full_bw_reached |= self.full_bw_now;
    }

    /// `CheckStartupDone`
    pub fn check_startup_done(&mut self, rs: &RateSample) {
        self.check_startup_high_loss(rs);
        if self.loss_round_start {
            self.loss_ranges_in_round = 0;
        }
        if self.state == ControlState::Startup && self.full_bw_reached {
            self.enter_drain();
        }
    }

    /// `CheckStartupHighLoss`
    fn check_startup_high_loss(&mut self, rs: &RateSample) {
        if self.state != ControlState::Startup || self.full_bw_reached || !self.loss_round_start {
            return;
        }
        let Repair::Fast(since) = self.repair else { return };
        let many = self.loss_ranges_in_round >= self.params.startup_full_loss_count as u64;
        if many && rs.prior_delivered >= since && self.is_inflight_too_high(rs) {
            self.handle_queue_too_high_in_startup();
        }
    }

    /// STARTUP has filled the queue and more.
    pub fn handle_queue_too_high_in_startup(&mut self) {
        self.undo.note_left(ControlState::Startup, self.now);
        (self.full_bw_now, self.full_bw_reached) = (true, true);
        self.inflight_longterm = self.bdp_multiple(self.bw, 1.0).max(self.inflight_latest);
    }

    /// `EnterDrain`
    fn enter_drain(&mut self) {
        self.state = ControlState::Drain;
        self.drain_start_round = self.rounds.count;
    }

    /// `CheckDrainDone`
    pub fn check_drain_done(&mut self) {
        if self.state != ControlState::Drain {
            return;
        }
        let late = self.rounds.count > self.drain_start_round + self.params.drain_rounds as u64;
        if late || self.inflight <= self.inflight_by(self.bw, 1.0) {
            self.start_probe_bw_down(); // EnterProbeBW
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::bench::{PACKET, Round, model, round, rounds};
    use super::*;
    use crate::sample::{LostPacket, SentPacket};
    use crate::units::Bytes;

    #[test]
    fn startup_ends_after_three_rounds_without_growth_by_a_quarter() {
        let mut model = model();
        for packets in [10, 20, 40, 80, 100] {
            rounds(&mut model, 1, packets); // each by a quarter at least
            assert!(!model.full_bw_reached && model.state == ControlState::Startup);
        }
        for count in 1..3 {
            rounds(&mut model, 1, 124);
            assert_eq!((model.full_bw_count, model.full_bw_reached), (count, false));
        }
        rounds(&mut model, 1, 400 / 3); // 133 > 125: it grows again
        assert_eq!((model.full_bw_count, model.state), (0, ControlState::Startup));
        rounds(&mut model, 3, 150);
        assert!(model.full_bw_now && model.full_bw_reached);
        assert_ne!(model.state, ControlState::Startup);
    }

    #[test]
    fn samples_that_the_application_limits_end_nothing() {
        let mut model = model();
        for _ in 0..50 {
            round(&mut model, Round { packets: 20, lost: 0, app_limited: true });
        }
        assert_eq!((model.state, model.full_bw_count), (ControlState::Startup, 0));
    }

    /// So many packets of a round are lost, each by itself or all in a row.
    fn lose(model: &mut Model, count: u64, continues: bool) {
        for lost in 1..=count {
            model.on_lost(&LostPacket {
                now: model.now,
                sent: SentPacket { size: Bytes::new(PACKET as u64), ..SentPacket::default() },
                lost: Bytes::new(lost * PACKET as u64),
                delivered: Bytes::new(model.delivered),
                continues,
            });
        }
    }

    #[test]
    fn startup_ends_with_losses_of_six_ranges_and_two_percent_after_a_round_of_recovery() {
        let left = |ranges: u64, lost: u64, recovers: bool, continues: bool| {
            let mut model = model();
            rounds(&mut model, 1, 100);
            lose(&mut model, ranges, continues);
            if recovers {
                model.repair = Repair::Fast(model.delivered);
            }
            rounds(&mut model, 1, 130); // sent before the losses were found
            let one = Round { packets: 170, lost, app_limited: true };
            model.loss_ranges_in_round = model.loss_ranges_in_round.max(if continues { 1 } else { ranges });
            round(&mut model, one);
            let ended = model.state != ControlState::Startup;
            assert_eq!((model.full_bw_now, model.full_bw_reached), (ended, ended), "both flags say so");
            (ended, model.inflight_longterm)
        };
        assert_eq!(
            left(6, 4, true, false),
            (true, 170.0 * PACKET),
            "delivered in a round, more than the BDP"
        );
        assert!(!left(5, 4, true, false).0, "five ranges");
        assert!(!left(6, 3, true, false).0, "3 of 170 is below 2 %");
        assert!(!left(6, 4, false, false).0, "no recovery");
        assert!(!left(6, 4, true, true).0, "six packets in a row are one range");
    }

    #[test]
    fn drain_ends_when_the_queue_has_gone_or_after_three_rounds() {
        let full = || {
            let mut model = model();
            rounds(&mut model, 1, 100);
            (model.full_bw_reached, model.state) = (true, ControlState::Drain);
            (model.drain_start_round, model.full_bw_now) = (model.rounds.count, true);
            model
        };
        let mut model = full();
        rounds(&mut model, 1, 100);
        assert_eq!(model.state, ControlState::ProbeBwCruise, "DOWN has nothing to do");
        let mut model = full();
        for _ in 0..3 {
            model.max_bw_filter = crate::bbr::filters::MaxFilter::default();
            model.inflight_shortterm = f64::INFINITY;
            model.min_rtt = Some(crate::units::Span::from_millis(20)); // half of what is in flight
            rounds(&mut model, 1, 100);
            assert_eq!(model.state, ControlState::Drain);
        }
        rounds(&mut model, 1, 100);
        assert_eq!(model.state, ControlState::ProbeBwDown);
    }
}
