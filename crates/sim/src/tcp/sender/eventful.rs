//! Acknowledgements that are more than one of new data to a lean sender: losses, marks, the end of a recovery.

use super::full::connection;
use super::{Sender, WindowCut};
use crate::ack_details::AckDetails;
use crate::tcp::recovery::{Acknowledgement, LossEvent, LossRecovery, Verdict};
use sawtooth_cc::units::{Bytes, Time};
use sawtooth_cc::{Congestion, Controller, Recovery, RecoverySignal};

impl<C: Controller, R: LossRecovery> Sender<C, R> {
    pub(super) fn on_eventful_ack(
        &mut self,
        cumulative: u32,
        details: Option<&AckDetails>,
        echo: bool,
        now: Time,
    ) -> Option<WindowCut> {
        let ack = Acknowledgement { cumulative, blocks: details.map_or(&[][..], AckDetails::blocks) };
        let echo = echo | details.is_some_and(|details| self.note_counts(details));
        if self.extras.is_some() {
            return self.on_ack_in_full(&ack, echo, now);
        }
        let verdict = self.recovery.on_ack(&ack, &mut connection!(self, now));
        self.lean = self.recovery.is_open();
        let mut rtt = None;
        if verdict.newly_acked > 0 {
            rtt = self.note_progress(cumulative, now);
        }
        if verdict.restart_timer {
            self.restart_timer(now);
        }
        if self.may_grow(&verdict, echo) {
            let ce_marked = self.marks_to_tell();
            self.grow(verdict.newly_acked, cumulative, rtt, ce_marked, now);
        }
        if verdict.recovered || verdict.loss_event.is_some() || echo {
            return self.heed(&verdict, echo, cumulative, now);
        }
        None
    }

    /// The receiver's count of marked packets; have there been more?
    fn note_counts(&mut self, details: &AckDetails) -> bool {
        let more = details.ce_packets > self.ce_counted;
        self.ce_counted = self.ce_counted.max(details.ce_packets);
        more
    }

    /// Marked packets that the controller hears of with this sample.
    pub(super) fn marks_to_tell(&mut self) -> u32 {
        let marks = self.ce_counted - self.ce_told;
        self.ce_told = self.ce_counted;
        marks
    }

    /// Does an acknowledgement with this verdict count for the growth of the window?
    #[inline]
    pub(super) fn may_grow(&self, verdict: &Verdict, echo: bool) -> bool {
        let plain = verdict.newly_acked > 0 && verdict.loss_event.is_none() && !echo;
        plain && !verdict.recovered && !self.recovery.in_recovery()
    }

    /// Losses and marks that an acknowledgement or a timer told of: the cut, if there is one.
    pub(super) fn heed(
        &mut self,
        verdict: &Verdict,
        echo: bool,
        cumulative: u32,
        now: Time,
    ) -> Option<WindowCut> {
        if verdict.recovered {
            self.tell_of_recovery(Recovery::Left, now);
        }
        match verdict.loss_event {
            Some(event) => self.on_loss_event(event, now),
            None if echo => self.on_echo(cumulative, now),
            None => None,
        }
    }

    fn on_loss_event(&mut self, event: LossEvent, now: Time) -> Option<WindowCut> {
        self.stats.loss_events += 1;
        self.timed = None;
        // RFC 3168 §6.1.2: one reduction for the drops and marks of a window of data.
        let repeated = self.sent.una < self.echo_point;
        match event {
            LossEvent::Repair => {
                let cut = (!repeated).then(|| {
                    self.note_reduction();
                    self.cut(Congestion::Loss, now)
                });
                self.tell_of_recovery(Recovery::Entered, now);
                cut
            }
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
        self.stats.ecn_reductions += 1;
        self.note_reduction();
        self.echo_point = self.sent.high;
        Some(self.cut(Congestion::EcnMark, now))
    }

    fn tell_of_recovery(&mut self, change: Recovery, now: Time) {
        let in_flight = self.in_flight();
        self.control.on_recovery(&RecoverySignal { now, change, in_flight });
        self.follow_change(now);
    }

    /// In flight by the records, or else by what recovery thinks.
    pub(super) fn in_flight(&self) -> Bytes {
        let records = self.extras.as_ref().and_then(|extras| extras.records.as_ref());
        let estimate = || u64::from(self.recovery.flight(&self.sent)) * u64::from(self.packet_bytes);
        records.map_or_else(|| Bytes::new(estimate()), |records| records.in_flight())
    }
}
