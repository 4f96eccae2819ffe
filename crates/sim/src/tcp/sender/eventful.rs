//! Acknowledgements that are more than one of new data to a lean sender: duplicates, blocks, marks, the end of a recovery.

use super::full::connection;
use super::{Sender, WindowCut};
use crate::ack_details::Details;
use crate::tcp::recovery::{Acknowledgement, LossRecovery, RecoveryUpdate};
use sawtooth_cc::Controller;
use sawtooth_cc::units::{Bytes, Time};

impl<C: Controller, R: LossRecovery> Sender<C, R> {
    #[inline(never)]
    pub(super) fn on_eventful_ack(
        &mut self,
        cumulative: u32,
        details: Option<Details<'_>>,
        echo: bool,
        now: Time,
    ) -> Option<WindowCut> {
        if self.extras.is_some() {
            return self.on_any_ack_in_full(cumulative, details, echo, now);
        }
        if cumulative < self.sent.una {
            return None; // overtaken on its way: a later one has said all that it says (RFC 9293 §3.10.7.4)
        }
        let (ack, echo) = self.read(cumulative, details.as_ref(), echo);
        let update = self.recovery.on_ack(&ack, &mut connection!(self, now));
        self.lean = self.recovery.is_open();
        let mut rtt = None;
        if update.newly_acked > 0 {
            rtt = self.time_round_trip(cumulative, now);
        }
        if update.restart_timer {
            self.restart_timer(now);
        }
        if self.may_grow(&update, echo) && !self.recovery.in_recovery() {
            let marks = self.marks_to_tell();
            self.grow(update.newly_acked, cumulative, rtt, marks, now);
        }
        if update.recovered || update.loss_event.is_some() || echo {
            return self.heed(&update, echo, cumulative, now);
        }
        None
    }

    /// An acknowledgement as recovery sees it, and whether it tells of marks.
    #[inline(always)]
    pub(super) fn read<'a>(
        &mut self,
        cumulative: u32,
        details: Option<&'a Details<'_>>,
        echo: bool,
    ) -> (Acknowledgement<'a>, bool) {
        let blocks = details.map_or(&[][..], |details| details.blocks());
        let ack = Acknowledgement { cumulative, blocks, details: details.map(|details| &**details) };
        (ack, echo | details.is_some_and(|&details| self.note_counts(details)))
    }

    /// The receiver's count of marked packets; have there been more?
    fn note_counts(&mut self, details: Details<'_>) -> bool {
        let more = details.ce_packets > self.ce_counted;
        self.ce_counted = self.ce_counted.max(details.ce_packets);
        more
    }

    /// Marked packets that the controller hears of with this sample, and their bytes.
    pub(super) fn marks_to_tell(&mut self) -> (u32, Bytes) {
        let marks = self.ce_counted - self.ce_told;
        self.ce_told = self.ce_counted;
        (marks, Bytes::new(u64::from(marks) * u64::from(self.packet_bytes)))
    }

    /// Does an acknowledgement with this update count for the growth of the window, outside recovery?
    #[inline]
    pub(super) fn may_grow(&self, update: &RecoveryUpdate, echo: bool) -> bool {
        let plain = update.newly_acked > 0 && update.loss_event.is_none() && !echo;
        let ends = update.recovered && !self.is_numbered(); // RFC 9002 B.5: what was sent in the period counts
        plain && !update.spurious && !ends
    }

    /// In flight by the records, or else by what recovery thinks.
    pub(super) fn in_flight(&self) -> Bytes {
        let records = self.extras.as_ref().and_then(|extras| extras.records.as_ref());
        let estimate = || u64::from(self.recovery.flight(&self.sent)) * u64::from(self.packet_bytes);
        records.map_or_else(|| Bytes::new(estimate()), |records| records.in_flight())
    }
}
