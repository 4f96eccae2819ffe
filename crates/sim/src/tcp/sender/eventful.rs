//! What a sender does with an acknowledgement that is more than one of new data to a lean sender.

use super::{Sender, WindowCut};
use crate::ack_details::AckDetails;
use crate::tcp::recovery::{Acknowledgement, Connection, LossEvent, LossRecovery};
use sawtooth_cc::units::Time;
use sawtooth_cc::{Congestion, Controller};

impl<C: Controller, R: LossRecovery> Sender<C, R> {
    pub(super) fn on_eventful_ack(
        &mut self,
        cumulative: u32,
        details: Option<&AckDetails>,
        echo: bool,
        now: Time,
    ) -> Option<WindowCut> {
        let ack = Acknowledgement { cumulative, blocks: details.map_or(&[][..], AckDetails::blocks) };
        let marks = details.is_some_and(|details| self.note_counts(details));
        let echo = echo || marks;
        let mut connection = Connection { now, sent: &mut self.sent, rtt: &self.rtt };
        let verdict = self.recovery.on_ack(&ack, &mut connection);
        self.lean = self.recovery.is_calm();
        let mut rtt = None;
        if verdict.newly_acked > 0 {
            rtt = self.note_progress(cumulative, now);
        }
        if verdict.restart_timer {
            self.restart_timer(now);
        }
        if let Some(event) = verdict.loss_event {
            self.stats.loss_events += 1;
            self.timed = None;
            // RFC 3168 §6.1.2: one reduction for the drops and marks of a window of data.
            let repeated = self.sent.una < self.echo_point;
            let kind = match event {
                LossEvent::Repair if repeated => return None,
                LossEvent::Repair => Congestion::Loss,
                LossEvent::Restart => Congestion::LossRestart { repeated },
            };
            if event == LossEvent::Restart {
                self.restart_point = self.sent.high;
            }
            self.note_reduction();
            return Some(self.cut(kind, now));
        }
        if echo {
            // Up to the last packet sent before the cut, acknowledgements still echo: CWR was on a later one.
            let announced = self.reduced_until == 0 || cumulative > self.reduced_until;
            if !announced || self.recovery.in_recovery() {
                return None;
            }
            self.stats.ecn_reductions += 1;
            self.note_reduction();
            self.echo_point = self.sent.high;
            return Some(self.cut(Congestion::EcnMark, now));
        }
        if verdict.newly_acked > 0 && !verdict.recovered && !self.recovery.in_recovery() {
            let ce_marked = self.ce_counted - self.ce_told;
            self.ce_told = self.ce_counted;
            self.grow(verdict.newly_acked, cumulative, rtt, ce_marked, now);
        }
        None
    }

    /// The receiver's count of marked packets; have there been more?
    fn note_counts(&mut self, details: &AckDetails) -> bool {
        let more = details.ce_packets > self.ce_counted;
        self.ce_counted = self.ce_counted.max(details.ce_packets);
        more
    }
}
