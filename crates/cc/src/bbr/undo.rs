//! What is saved at a loss, and given back where there was none.
//!
//! Source: draft-ietf-ccwg-bbr §5.5.11, §5.6.4.4.
//!
//! Differs from the draft, where several losses are found at once: what stood before the first of them is saved, and once. To the
//! letter the second would save what the first has lowered, and so would the beginning of recovery, which comes after both.

use super::model::{Model, Repair};
use super::remembered::Bounds;
use crate::state::ControlState;

impl Model {
    fn bounds(&self) -> Bounds {
        Bounds {
            cwnd: self.cwnd,
            bw_shortterm: self.bw_shortterm,
            inflight_shortterm: self.inflight_shortterm,
            inflight_longterm: self.inflight_longterm,
        }
    }

    /// A packet is declared lost: the first of this moment?
    pub fn remember_before_losses(&mut self) {
        if self.undo.before_at != Some(self.now) {
            (self.undo.before, self.undo.before_at) = (self.bounds(), Some(self.now));
        }
    }

    /// `SaveStateUponLoss`
    pub fn save_state_upon_loss(&mut self) {
        if self.undo.saved_at == Some(self.now) {
            return;
        }
        let lost_just_now = self.undo.before_at == Some(self.now);
        let saved = if lost_just_now { self.undo.before } else { self.bounds() };
        let cwnd = std::mem::replace(&mut self.cwnd, saved.cwnd);
        self.save_cwnd();
        self.cwnd = cwnd;
        if self.undo.left_at != Some(self.now) {
            self.undo.state = None;
        }
        (self.undo.saved, self.undo.saved_at) = (saved, Some(self.now));
    }

    /// `OnEnterFastRecovery`. Without a packet declared lost just now, a probe has repaired a loss that was never declared.
    pub fn on_loss_event(&mut self) {
        self.save_state_upon_loss();
        if self.undo.before_at != Some(self.now) {
            self.note_loss();
        }
    }

    /// `OnEnterRTO`
    pub fn on_timeout(&mut self) {
        self.save_state_upon_loss();
        self.repair = Repair::Timeout;
        self.cwnd = self.inflight + self.smss;
    }

    /// `HandleSpuriousLossDetection`
    pub fn on_spurious_loss(&mut self) {
        self.restore_cwnd();
        self.is_loss_in_round = false;
        self.reset_full_bw();
        let saved = self.undo.saved;
        self.bw_shortterm = self.bw_shortterm.max(saved.bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(saved.inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(saved.inflight_longterm);
        let probing_rtt = self.state == ControlState::ProbeRtt;
        match self.undo.state.take() {
            Some(ControlState::Startup) if self.state != ControlState::Startup => {
                self.full_bw_reached = false;
                if !probing_rtt {
                    self.enter_startup();
                }
            }
            Some(ControlState::ProbeBwUp) if self.state != ControlState::ProbeBwUp && !probing_rtt => {
                self.start_probe_bw_refill();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::bench::{PACKET, cruising, rounds};
    use super::*;
    use crate::sample::{LostPacket, SentPacket};
    use crate::units::Bytes;

    fn packets(count: u64) -> Bytes {
        Bytes::new(count * PACKET as u64)
    }

    fn lose(model: &mut Model, in_flight: u64, lost: u64) {
        model.on_lost(&LostPacket {
            now: model.now,
            sent: SentPacket { size: packets(1), in_flight: packets(in_flight), ..SentPacket::default() },
            lost: packets(lost),
            delivered: Bytes::new(model.delivered),
            continues: false,
        });
    }

    /// `undo_bw_shortterm`, `undo_inflight_shortterm`, `undo_inflight_longterm` and `undo_state`.
    #[test]
    fn a_loss_and_a_timeout_save_the_bounds_and_the_state_that_they_end() {
        let (bw, short, long) = (2e6, 150.0 * PACKET, 300.0 * PACKET);
        let saved = |losses: u64, timeout: bool| {
            let mut model = cruising();
            (model.state, model.probing.is_bw_probe_sample) = (ControlState::ProbeBwUp, true);
            (model.bw_shortterm, model.inflight_shortterm, model.inflight_longterm) = (bw, short, long);
            (1..=losses).for_each(|lost| lose(&mut model, 100, lost));
            if timeout {
                model.on_timeout()
            } else {
                model.on_loss_event()
            }
            let Bounds { bw_shortterm, inflight_shortterm, inflight_longterm, .. } = model.undo.saved;
            assert_eq!((bw_shortterm, inflight_shortterm, inflight_longterm), (bw, short, long));
            (model.undo.state, model.state)
        };
        use ControlState::{ProbeBwDown, ProbeBwUp};
        for timeout in [false, true] {
            assert_eq!(saved(20, timeout), (Some(ProbeBwUp), ProbeBwDown));
            assert_eq!(
                saved(1, timeout),
                (None, ProbeBwUp),
                "1 of 100 ends nothing, so nothing is to be resumed"
            );
        }
    }

    #[test]
    fn a_spurious_recovery_gives_back_bounds_window_and_probe() {
        let mut model = cruising();
        (model.state, model.probing.is_bw_probe_sample) = (ControlState::ProbeBwUp, true);
        (model.inflight_longterm, model.cwnd) = (300.0 * PACKET, 250.0 * PACKET);
        (1..=20).for_each(|lost| lose(&mut model, 100, lost));
        assert_eq!(model.state, ControlState::ProbeBwDown);
        assert!(model.inflight_longterm < 300.0 * PACKET);
        model.on_loss_event();
        model.repair = Repair::Fast(model.delivered);
        rounds(&mut model, 1, 60);
        model.on_spurious_loss();
        assert_eq!(model.state, ControlState::ProbeBwRefill, "and to UP from there");
        assert_eq!((model.inflight_longterm, model.cwnd), (300.0 * PACKET, 250.0 * PACKET));
        assert_eq!((model.bw_shortterm, model.inflight_shortterm), (f64::INFINITY, f64::INFINITY));
        assert_eq!(model.undo.state, None);
    }

    #[test]
    fn a_spurious_recovery_gives_back_startup() {
        let mut model = super::super::model::bench::model();
        rounds(&mut model, 1, 100);
        lose(&mut model, 100, 1);
        model.on_loss_event();
        model.handle_queue_too_high_in_startup();
        rounds(&mut model, 1, 100);
        assert_ne!(model.state, ControlState::Startup);
        model.on_spurious_loss();
        assert_eq!((model.state, model.full_bw_reached), (ControlState::Startup, false));
        assert_eq!(model.inflight_longterm, f64::INFINITY);
    }

    #[test]
    fn a_timeout_leaves_one_packet_and_its_repair_gives_the_window_back() {
        let mut model = cruising();
        let before = model.cwnd;
        model.inflight = 0.0;
        model.on_timeout();
        assert_eq!(model.cwnd, PACKET);
        rounds(&mut model, 1, 1);
        assert!(model.cwnd < before / 2.0);
        model.on_repaired();
        assert_eq!(model.cwnd, before);
    }
}
