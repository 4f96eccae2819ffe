//! NewReno: fast recovery lasts until everything sent before it is acknowledged.
//!
//! Source: RFC 6582. A partial acknowledgement retransmits the next hole at once and deflates the window by what it acknowledged. The
//! timer restarts on the first partial acknowledgement only (the *impatient* variant, §3.2 step 3 and §4). So many holes end in a
//! timeout, and not in one round trip each.
//!
//! | parameter        | unit | default | why      |
//! |------------------|------|---------|----------|
//! | limited_transmit | flag | true    | RFC 3042 |
//!
//! Differs: on leaving, the window is `ssthresh` (option 2 of §3.2 step 3) without a burst limit.

use super::duplicates::DuplicateAcks;
use super::{
    About, Acknowledgement, Connection, LossEvent, LossRecovery, RecoveryUpdate, SendState, Transmission,
    acknowledge,
};
use crate::scenario::TcpSpec;

/// What it says about itself.
pub const ABOUT: About = About {
    aliases: &["new-reno"],
    title: "NewReno",
    summary: "fast recovery until the whole window is acknowledged; it repairs one hole per round trip",
    source: "RFC 6582",
    behaviour: 1,
    own_settings: &[],
    ignores: &[],
    defaults: &[],
};

/// NewReno recovery.
#[derive(Clone, Debug)]
pub struct NewReno {
    duplicates: DuplicateAcks,
    had_partial: bool,
}

impl NewReno {
    /// No loss seen yet.
    pub fn new(tcp: &TcpSpec) -> Self {
        NewReno { duplicates: DuplicateAcks::new(tcp.limited_transmit, true), had_partial: false }
    }
}

impl LossRecovery for NewReno {
    #[inline]
    fn on_ack(&mut self, ack: &Acknowledgement<'_>, connection: &mut Connection<'_>) -> RecoveryUpdate {
        let (cumulative, sent) = (ack.cumulative, &mut *connection.sent);
        if cumulative > sent.una {
            let newly_acked = acknowledge(cumulative, sent);
            if self.duplicates.recovering && cumulative < self.duplicates.recover {
                // RFC 6582 §3.2 step 3, partial acknowledgement: deflate, add back one, retransmit.
                self.duplicates.inflation = (self.duplicates.inflation + 1).saturating_sub(newly_acked);
                self.duplicates.retransmit = true;
                let restart_timer = !self.had_partial;
                self.had_partial = true;
                connection.lose(cumulative);
                return RecoveryUpdate { newly_acked, restart_timer, ..RecoveryUpdate::default() };
            }
            let recovered = self.duplicates.recovering;
            self.duplicates.reset();
            return RecoveryUpdate {
                newly_acked,
                recovered,
                restart_timer: true,
                ..RecoveryUpdate::default()
            };
        }
        let duplicate = cumulative == sent.una && sent.high > sent.una;
        let begins = duplicate && self.duplicates.on_duplicate(sent);
        self.had_partial &= !begins;
        if begins {
            connection.lose(ack.cumulative);
        }
        let loss_event = begins.then_some(LossEvent::Repair);
        RecoveryUpdate { loss_event, restart_timer: begins, ..RecoveryUpdate::default() }
    }

    fn on_timeout(&mut self, connection: &mut Connection<'_>) {
        self.duplicates.on_timeout(connection.sent);
        connection.lose_all();
    }

    #[inline]
    fn in_recovery(&self) -> bool {
        self.duplicates.recovering
    }

    fn is_open(&self) -> bool {
        self.duplicates.is_open()
    }

    #[inline]
    fn flight(&self, sent: &SendState) -> u32 {
        sent.next - sent.una
    }

    #[inline]
    fn next(&mut self, connection: &mut Connection<'_>, window: u32) -> Option<Transmission> {
        self.duplicates.next(connection.sent, window)
    }
}
