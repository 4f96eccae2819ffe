//! NewReno: fast recovery lasts until everything sent before it is acknowledged.
//!
//! Source: RFC 6582. A partial acknowledgement retransmits the next hole at once and deflates the
//! window by what it acknowledged; the timer restarts on the first partial acknowledgement only (the
//! *impatient* variant, §3.2 step 3 and §4), so many holes end in a timeout rather than in one round trip each.
//!
//! | parameter        | unit | default | why      |
//! |------------------|------|---------|----------|
//! | limited_transmit | flag | true    | RFC 3042 |
//!
//! Differs: on leaving, the window is `ssthresh` (option 2 of §3.2 step 3) without a burst limit.

use super::{DuplicateAcks, LossEvent, LossRecovery, SendState, Transmission, Verdict, acknowledge};
use crate::ack_details::SackBlock;

/// NewReno recovery.
#[derive(Clone, Debug)]
pub struct NewReno {
    duplicates: DuplicateAcks,
    had_partial: bool,
}

impl NewReno {
    /// No loss seen yet.
    pub fn new(limited_transmit: bool) -> Self {
        NewReno { duplicates: DuplicateAcks::new(limited_transmit, true), had_partial: false }
    }
}

impl LossRecovery for NewReno {
    #[inline]
    fn on_ack(&mut self, cumulative: u32, _blocks: &[SackBlock], sent: &mut SendState) -> Verdict {
        if cumulative > sent.una {
            let newly_acked = acknowledge(cumulative, sent);
            if self.duplicates.recovering && cumulative < self.duplicates.recover {
                // RFC 6582 §3.2 step 3, partial acknowledgement: deflate, add back one, retransmit.
                self.duplicates.inflation = (self.duplicates.inflation + 1).saturating_sub(newly_acked);
                self.duplicates.retransmit = true;
                let restart_timer = !self.had_partial;
                self.had_partial = true;
                return Verdict { newly_acked, restart_timer, ..Verdict::default() };
            }
            let recovered = self.duplicates.recovering;
            self.duplicates.reset();
            return Verdict { newly_acked, recovered, restart_timer: true, ..Verdict::default() };
        }
        let duplicate = cumulative == sent.una && sent.high > sent.una;
        let begins = duplicate && self.duplicates.on_duplicate(sent);
        self.had_partial &= !begins;
        let loss_event = begins.then_some(LossEvent::Repair);
        Verdict { loss_event, restart_timer: begins, ..Verdict::default() }
    }

    fn on_timeout(&mut self, sent: &mut SendState) {
        self.duplicates.on_timeout(sent);
    }

    #[inline]
    fn in_recovery(&self) -> bool {
        self.duplicates.recovering
    }

    fn is_calm(&self) -> bool {
        self.duplicates.is_calm()
    }

    #[inline]
    fn flight(&self, sent: &SendState) -> u32 {
        sent.next - sent.una
    }

    #[inline]
    fn next(&mut self, sent: &mut SendState, window: u32) -> Option<Transmission> {
        self.duplicates.next(sent, window)
    }
}
