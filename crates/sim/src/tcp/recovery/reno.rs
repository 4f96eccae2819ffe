//! Reno: fast retransmit and fast recovery, which the first new acknowledgement ends.
//!
//! Source: RFC 5681 §3.2, with the `recover` test of RFC 6582 §3.2 (ns-2's default): duplicate acknowledgements below the recovery
//! point start no second fast retransmit. So two losses in one window usually end in a timeout, the severe penalty that [Akella02]
//! studies.
//!
//! | parameter         | unit | default | why                                                 |
//! |-------------------|------|---------|-----------------------------------------------------|
//! | limited_transmit  | flag | true    | RFC 3042                                            |
//! | reno_recover_test | flag | true    | ns-2 (`bugFix_`); `false` gives RFC 5681 alone      |
//!
//! After a timeout it goes back to the first hole and sends everything again.

use super::duplicates::DuplicateAcks;
use super::{
    About, Acknowledgement, Connection, LossEvent, LossRecovery, RecoveryUpdate, SendState, Transmission,
    acknowledge,
};
use crate::scenario::TcpSpec;

/// What it says about itself.
pub const ABOUT: About = About {
    aliases: &[],
    title: "Reno",
    summary: "fast retransmit and fast recovery, which the first new acknowledgement ends",
    source: "RFC 5681 §3.2",
    behaviour: 1,
    own_settings: &["reno_recover_test"],
    ignores: &[],
    defaults: &[],
};

/// Reno recovery.
#[derive(Clone, Debug)]
pub struct Reno {
    duplicates: DuplicateAcks,
}

impl Reno {
    /// No loss seen yet.
    pub fn new(tcp: &TcpSpec) -> Self {
        Reno { duplicates: DuplicateAcks::new(tcp.limited_transmit, tcp.reno_recover_test) }
    }
}

impl LossRecovery for Reno {
    #[inline]
    fn on_ack(&mut self, ack: &Acknowledgement<'_>, connection: &mut Connection<'_>) -> RecoveryUpdate {
        let (cumulative, sent) = (ack.cumulative, &mut *connection.sent);
        if cumulative > sent.una {
            let newly_acked = acknowledge(cumulative, sent);
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
