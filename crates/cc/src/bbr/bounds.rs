//! The two bounds: the long-term one, which probes raise and lower, and the short-term one, which losses lower until the next probe.
//!
//! Source: draft-ietf-ccwg-bbr §5.3.3.5 and §5.3.3.9 (growth), §5.5.10 (losses); §3.4.2 says why there are two.
//!
//! A transport of ours always has selective acknowledgements. A CE mark counts as a loss without them (`on_mark`).

use super::model::{Model, RateSample};
use crate::sample::LostPacket;
use crate::state::ControlState;
use crate::units::{larger, smaller};

impl Model {
    /// `UpdateLatestDeliverySignals`
    pub fn update_latest_delivery_signals(&mut self, rs: &RateSample) {
        self.bw_latest = larger(self.bw_latest, rs.delivery_rate);
        self.inflight_latest = larger(self.inflight_latest, rs.delivered);
        self.loss_round_start = rs.prior_delivered >= self.loss_round_delivered;
        if self.loss_round_start {
            self.loss_round_delivered = self.delivered;
        }
    }

    /// `AdvanceLatestDeliverySignals`
    pub fn advance_latest_delivery_signals(&mut self, rs: &RateSample) {
        if self.loss_round_start {
            (self.bw_latest, self.inflight_latest) = (rs.delivery_rate, rs.delivered);
        }
    }

    /// `ResetCongestionSignals`
    pub fn reset_congestion_signals(&mut self) {
        self.is_loss_in_round = false;
        (self.bw_latest, self.inflight_latest) = (0.0, 0.0);
    }

    /// `ResetShortTermModel`
    pub fn reset_short_term_model(&mut self) {
        (self.bw_shortterm, self.inflight_shortterm) = (f64::INFINITY, f64::INFINITY);
    }

    /// `UpdateCongestionSignals`
    pub fn update_congestion_signals(&mut self, rs: &RateSample) {
        self.update_max_bw(rs);
        if self.loss_round_start {
            self.adapt_lower_bounds_from_congestion();
            self.is_loss_in_round = false;
        }
    }

    /// `UpdateMaxBw`, with `UpdateRound`
    fn update_max_bw(&mut self, rs: &RateSample) {
        self.rounds.update(rs.prior_delivered, self.delivered);
        self.probing.rounds_since_probe_up += u64::from(self.rounds.start);
        let tells = rs.delivery_rate >= self.max_bw || !rs.is_app_limited;
        if rs.delivery_rate > 0.0 && tells {
            self.max_bw_filter.add(self.cycle_count, rs.delivery_rate, self.lengths.max_bw);
            self.max_bw = self.max_bw_filter.max();
        }
    }

    /// `AdaptLowerBoundsFromCongestion`, with `InitLowerBounds` and `LossLowerBounds`
    fn adapt_lower_bounds_from_congestion(&mut self) {
        if self.is_probing_bw() || !self.is_loss_in_round {
            return;
        }
        if self.bw_shortterm == f64::INFINITY {
            self.bw_shortterm = self.max_bw;
        }
        if self.inflight_shortterm == f64::INFINITY {
            self.inflight_shortterm = self.cwnd;
        }
        let beta = self.params.beta;
        self.bw_shortterm = self.bw_latest.max(beta * self.bw_shortterm);
        self.inflight_shortterm = self.inflight_latest.max(beta * self.inflight_shortterm);
    }

    /// `BoundBWForModel`
    pub fn bound_bw_for_model(&mut self) {
        self.bw = smaller(self.max_bw, self.bw_shortterm);
    }

    /// `InflightWithHeadroom`
    pub fn inflight_with_headroom(&self) -> f64 {
        if self.inflight_longterm == f64::INFINITY {
            return f64::INFINITY;
        }
        let headroom = larger(self.smss, self.params.headroom * self.inflight_longterm);
        larger(self.inflight_longterm - headroom, self.min_pipe_cwnd())
    }

    /// `RaiseInflightLongtermSlope`
    pub fn raise_inflight_longterm_slope(&mut self) {
        let growth_this_round = f64::from(1u32 << self.probing.bw_probe_up_rounds);
        self.probing.bw_probe_up_rounds = (self.probing.bw_probe_up_rounds + 1).min(30);
        self.probing.probe_up_acked_per_inc = (self.cwnd / growth_this_round).max(self.smss);
    }

    /// `ProbeInflightLongtermUpward`
    pub fn probe_inflight_longterm_upward(&mut self, rs: &RateSample) {
        if !self.is_cwnd_limited() || self.cwnd < self.inflight_longterm {
            return;
        }
        self.probing.bw_probe_up_acked += rs.newly_acked;
        if self.probing.bw_probe_up_acked >= self.probing.probe_up_acked_per_inc {
            let delta = (self.probing.bw_probe_up_acked / self.probing.probe_up_acked_per_inc).floor();
            self.probing.bw_probe_up_acked -= delta * self.probing.probe_up_acked_per_inc;
            self.inflight_longterm += delta * self.smss;
        }
        if self.rounds.start {
            self.raise_inflight_longterm_slope();
        }
    }

    /// `IsInflightTooHigh`
    pub fn is_inflight_too_high(&self, rs: &RateSample) -> bool {
        rs.lost > rs.tx_in_flight * self.params.loss_thresh
    }

    /// `HandleInflightTooHigh`
    fn handle_inflight_too_high(&mut self, tx_in_flight: f64, is_app_limited: bool) {
        self.probing.prev_probe_too_high = true;
        self.probing.is_bw_probe_sample = false;
        if !is_app_limited {
            self.inflight_longterm = tx_in_flight.max(self.target_inflight() * self.params.beta);
        }
        if self.state == ControlState::ProbeBwUp {
            self.undo.note_left(ControlState::ProbeBwUp, self.now);
            self.start_probe_bw_down();
        }
    }

    /// `NoteLoss`
    pub fn note_loss(&mut self) {
        if !self.is_loss_in_round {
            self.loss_round_delivered = self.delivered;
            self.save_state_upon_loss();
        }
        self.is_loss_in_round = true;
    }

    /// `HandleLostPacket`
    pub fn on_lost(&mut self, packet: &LostPacket) {
        (self.now, self.delivered) = (packet.now, packet.delivered.count());
        self.inflight = (self.inflight - self.smss).max(0.0);
        self.remember_before_losses();
        self.note_loss();
        self.loss_ranges_in_round += u64::from(!packet.continues || self.loss_ranges_in_round == 0);
        if !self.probing.is_bw_probe_sample {
            return;
        }
        let lost = (packet.lost - packet.sent.lost).count() as f64;
        let tx_in_flight = packet.sent.in_flight.count() as f64;
        let rs = RateSample { tx_in_flight, lost, ..RateSample::default() };
        if self.is_inflight_too_high(&rs) {
            let size = packet.sent.size.count() as f64;
            self.handle_inflight_too_high(self.inflight_at_loss(&rs, size), packet.sent.app_limited);
        }
    }

    /// `InflightAtLoss`
    fn inflight_at_loss(&self, rs: &RateSample, size: f64) -> f64 {
        let thresh = self.params.loss_thresh;
        let inflight_prev = rs.tx_in_flight - size;
        let lost_prev = rs.lost - size;
        let lost_prefix = (thresh * inflight_prev - lost_prev) / (1.0 - thresh);
        inflight_prev + lost_prefix
    }

    /// A CE mark: of as little as one loss there would be without selective acknowledgements. Then any loss is too much.
    pub fn on_mark(&mut self) {
        self.note_loss();
        if self.state == ControlState::Startup && !self.full_bw_reached {
            self.handle_queue_too_high_in_startup();
        } else if self.probing.is_bw_probe_sample {
            self.handle_inflight_too_high(self.inflight, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::bench::{PACKET, Round, cruising, round, rounds};
    use super::*;
    use crate::sample::SentPacket;
    use crate::units::Bytes;

    fn packets(count: u64) -> Bytes {
        Bytes::new(count * PACKET as u64)
    }

    /// A packet sent with so much in flight is lost, the n-th since.
    fn lose(model: &mut Model, in_flight: u64, lost: u64) {
        model.on_lost(&LostPacket {
            now: model.now,
            sent: SentPacket { size: packets(1), in_flight: packets(in_flight), ..SentPacket::default() },
            lost: packets(lost),
            delivered: Bytes::new(model.delivered),
            continues: false,
        });
    }

    #[test]
    fn a_round_with_losses_lowers_the_short_term_bounds_to_what_was_delivered_but_not_below_beta() {
        for (delivered, kept) in [(90, 0.9), (20, 0.7)] {
            let mut model = cruising();
            let (max_bw, cwnd) = (model.max_bw, model.cwnd);
            rounds(&mut model, 1, delivered); // what is compared is the last round
            lose(&mut model, 100, 1);
            assert_eq!(model.bw_shortterm, f64::INFINITY, "when the round ends");
            rounds(&mut model, 2, delivered);
            let expected = (delivered as f64 * PACKET / 0.04).max(0.7 * max_bw);
            assert!((model.bw_shortterm / expected - 1.0).abs() < 1e-12, "{kept}: {}", model.bw_shortterm);
            assert_eq!(model.inflight_shortterm, (delivered as f64 * PACKET).max(0.7 * cwnd));
            assert_eq!(model.bw, model.bw_shortterm.min(model.max_bw));
        }
    }

    #[test]
    fn a_probe_that_loses_too_much_sets_the_long_term_bound_where_losses_crossed_the_threshold() {
        let mut model = cruising();
        (model.state, model.probing.is_bw_probe_sample) = (ControlState::ProbeBwUp, true);
        lose(&mut model, 200, 4); // 4 of 200: not above 2 %
        assert_eq!((model.state, model.inflight_longterm), (ControlState::ProbeBwUp, f64::INFINITY));
        lose(&mut model, 200, 5);
        assert_eq!(model.state, ControlState::ProbeBwDown);
        // 199 before this packet, of which 4 lost: with x of it, (4 + x) / (199 + x) = 2 %.
        let x = (0.02 * 199.0 - 4.0) / 0.98;
        assert!((model.inflight_longterm - (199.0 + x) * PACKET).abs() < 1e-6);
        assert!(model.probing.prev_probe_too_high && !model.probing.is_bw_probe_sample);
        let bound = model.inflight_longterm;
        lose(&mut model, 100, 50);
        assert_eq!(model.inflight_longterm, bound, "once per probe");
    }

    #[test]
    fn the_long_term_bound_never_falls_below_beta_of_the_target() {
        let mut model = cruising();
        (model.state, model.probing.is_bw_probe_sample) = (ControlState::ProbeBwUp, true);
        lose(&mut model, 10, 5);
        assert_eq!(model.inflight_longterm, 0.7 * 100.0 * PACKET);
    }

    #[test]
    fn a_loss_that_the_application_kept_small_leaves_the_bound_but_ends_the_probe() {
        let mut model = cruising();
        (model.state, model.probing.is_bw_probe_sample) = (ControlState::ProbeBwUp, true);
        let sent = SentPacket {
            size: packets(1),
            in_flight: packets(10),
            app_limited: true,
            ..SentPacket::default()
        };
        let (now, delivered) = (model.now, Bytes::new(model.delivered));
        model.on_lost(&LostPacket { now, sent, lost: packets(5), delivered, continues: false });
        assert_eq!((model.state, model.inflight_longterm), (ControlState::ProbeBwDown, f64::INFINITY));
    }

    #[test]
    fn the_long_term_bound_grows_by_twice_as_much_in_each_round() {
        let mut model = cruising();
        model.inflight_longterm = 100.0 * PACKET;
        model.cwnd = 100.0 * PACKET;
        (model.state, model.probing.bw_probe_up_rounds) = (ControlState::ProbeBwUp, 0);
        model.raise_inflight_longterm_slope();
        let mut grown = Vec::new();
        for _ in 0..4 {
            let before = model.inflight_longterm;
            for number in 1..=100 {
                model.rounds.start = number == 100;
                model.cwnd = model.inflight_longterm; // it is what limits
                model.cwnd_full_round = Some(model.rounds.count);
                model.probe_inflight_longterm_upward(&RateSample {
                    newly_acked: PACKET,
                    ..RateSample::default()
                });
            }
            grown.push((model.inflight_longterm - before) / PACKET);
        }
        for (found, doubled) in grown.iter().zip([1.0f64, 2.0, 4.0, 8.0]) {
            assert!((found - doubled).abs() <= 1.0, "{grown:?}: the window grows meanwhile");
        }
    }

    #[test]
    fn what_was_in_flight_without_harm_raises_the_bound() {
        let mut model = cruising();
        model.inflight_longterm = 80.0 * PACKET;
        round(&mut model, Round { packets: 100, lost: 0, app_limited: false });
        assert_eq!(model.inflight_longterm, 100.0 * PACKET);
        round(&mut model, Round { packets: 120, lost: 3, app_limited: false });
        assert_eq!(model.inflight_longterm, 100.0 * PACKET, "3 of 120 are too many");
    }

    #[test]
    fn headroom_is_left_while_cruising() {
        let mut model = cruising();
        assert_eq!(model.inflight_with_headroom(), f64::INFINITY);
        model.inflight_longterm = 100.0 * PACKET;
        assert_eq!(model.inflight_with_headroom(), 85.0 * PACKET);
        model.inflight_longterm = 3.0 * PACKET;
        assert_eq!(model.inflight_with_headroom(), 4.0 * PACKET, "MinPipeCwnd");
    }

    #[test]
    fn a_mark_ends_startup_or_a_probe() {
        let mut model = super::super::model::bench::model();
        rounds(&mut model, 1, 100);
        model.on_mark();
        rounds(&mut model, 1, 100);
        assert_ne!(model.state, ControlState::Startup);
        let mut model = cruising();
        (model.state, model.probing.is_bw_probe_sample) = (ControlState::ProbeBwUp, true);
        model.on_mark();
        assert_eq!((model.state, model.inflight_longterm), (ControlState::ProbeBwDown, 100.0 * PACKET));
    }
}
