//! What a sender makes of losses, marks and timeouts: one cut per window of data.
//!
//! Source: RFC 5681 §3.1, RFC 6298 §5.5–5.7 (timeouts), RFC 3168 §6.1.2 (echoes, and one reduction for the drops and marks of a window
//! of data), RFC 8257 §3.5 (not where marks are answered by their share).

use super::full::connection;
use super::{Sender, WindowCut};
use crate::packet::Packet;
use crate::tcp::recovery::{LossEvent, LossRecovery, RecoveryUpdate};
use sawtooth_cc::units::Time;
use sawtooth_cc::{Congestion, CongestionSignal, Controller, Recovery, RecoverySignal, WindowOfData};

impl<C: Controller, R: LossRecovery> Sender<C, R> {
    /// Losses and marks that an acknowledgement or a timer told of: the cut, if there is one.
    #[inline]
    pub(super) fn heed(
        &mut self,
        update: &RecoveryUpdate,
        echo: bool,
        cumulative: u32,
        now: Time,
    ) -> Option<WindowCut> {
        let of_recovery = update.recovered || update.timeout_repaired || update.persistent;
        if of_recovery || update.loss_event.is_some() || update.marked || echo {
            return self.react(update, echo, cumulative, now);
        }
        None
    }

    #[inline(never)]
    fn react(
        &mut self,
        update: &RecoveryUpdate,
        echo: bool,
        cumulative: u32,
        now: Time,
    ) -> Option<WindowCut> {
        if update.recovered || update.timeout_repaired {
            self.tell_of_recovery(Recovery::Left, now);
        }
        let cut = match update.loss_event {
            Some(event) => self.on_loss_event(event, now),
            None if update.marked => self.on_marks(now),
            None if echo => self.on_echo(cumulative, now),
            None => None,
        };
        if update.persistent {
            let persistent = self.cut(Congestion::PersistentCongestion, now);
            return Some(WindowCut { before: cut.map_or(persistent.before, |cut| cut.before), ..persistent });
        }
        cut
    }

    fn on_loss_event(&mut self, event: LossEvent, now: Time) -> Option<WindowCut> {
        self.stats.loss_events += 1;
        self.timed = None;
        // RFC 3168 §6.1.2: one reduction for the drops and marks of a window of data. RFC 8257 §3.5: but for losses as if there were no
        // marks, whose reduction may be small.
        let repeated = self.sent.una < self.echo_point && !self.counts_marks;
        match event {
            LossEvent::Repair => {
                let cut = (!repeated).then(|| {
                    self.note_reduction();
                    self.cut(Congestion::Loss, now)
                });
                self.tell_of_recovery(Recovery::Entered, now);
                cut
            }
            LossEvent::Repaired => (!repeated).then(|| {
                self.note_reduction();
                self.cut(Congestion::Loss, now)
            }),
            LossEvent::Restart => {
                self.restart_point = self.sent.high;
                self.note_reduction();
                Some(self.cut(Congestion::LossRestart { repeated }, now))
            }
        }
    }

    fn on_echo(&mut self, cumulative: u32, now: Time) -> Option<WindowCut> {
        // Up to the last packet sent before the cut, acknowledgements still echo: CWR was on a later one.
        let announced = self.reduced_until == 0 || cumulative > self.reduced_until;
        if !announced || self.recovery.in_recovery() {
            return None;
        }
        let cut = self.cut_for_marks(now)?;
        self.echo_point = self.sent.high;
        if self.extras.is_some() {
            self.recovery.on_mark_cut(&mut connection!(self, now));
        }
        Some(cut)
    }

    /// Marks where packets are numbered.
    fn on_marks(&mut self, now: Time) -> Option<WindowCut> {
        let cut = self.cut_for_marks(now)?;
        self.recovery.on_mark_cut(&mut connection!(self, now));
        Some(cut)
    }

    /// None if the controller does not answer marks now; perhaps it answers the next one.
    fn cut_for_marks(&mut self, now: Time) -> Option<WindowCut> {
        let before = self.reduced_until;
        self.note_reduction();
        let cut = self.cut(Congestion::EcnMark, now);
        if self.counts_marks && self.window == cut.before {
            self.reduced_until = before;
            return None;
        }
        self.stats.ecn_reductions += 1;
        Some(cut)
    }

    fn tell_of_recovery(&mut self, change: Recovery, now: Time) {
        let in_flight = self.in_flight();
        self.control.on_recovery(&RecoverySignal { now, change, in_flight });
        self.follow_change(now);
    }

    /// The retransmission timer expired. Returns the SYN to send again, or the cut.
    pub(super) fn on_timeout(&mut self, now: Time) -> Result<WindowCut, Packet> {
        self.stats.timeouts += 1;
        self.rtt.back_off();
        self.rto = self.rtt.rto();
        self.timed = None;
        if !self.established {
            self.syn_lost = true;
            return Err(self.syn(now));
        }
        let repeated = self.timer_resent == Some(self.sent.una);
        self.timer_resent = Some(self.sent.una);
        self.restart_point = self.sent.high;
        self.begin_records(self.sent.una, now);
        self.recovery.on_timeout(&mut connection!(self, now));
        self.lean = self.recovery.is_open() && self.extras.is_none();
        self.conclude_without_sample(&RecoveryUpdate::default(), now);
        self.note_reduction();
        let cut = self.cut(Congestion::Timeout { repeated }, now);
        self.retransmit_at = self.timeout_at(now);
        self.tell_window(now);
        Ok(cut)
    }

    /// ECN and loss share one reduction per window of data (RFC 3168 §6.1.2).
    fn note_reduction(&mut self) {
        self.reduced_until = self.sent.high;
        self.announce_reduction = self.announces;
    }

    fn cut(&mut self, kind: Congestion, now: Time) -> WindowCut {
        self.accrue_window(now);
        let before = self.window;
        // A restart after an echo repeats the cut of the window of data that was cut for at the echo.
        let end = match kind {
            Congestion::LossRestart { repeated: true } => self.echo_point,
            _ => self.reduced_until,
        };
        let window_of_data = WindowOfData::numbered(u64::from(end));
        if let Some(extras) = &mut self.extras {
            extras.last_signal = Some((kind, window_of_data));
        }
        self.control.on_congestion(&CongestionSignal { now, kind, window_of_data });
        self.follow_control();
        WindowCut { kind, before }
    }
}
