//! Tahoe: fast retransmit, then slow start from one packet; everything after the first hole is sent again.
//!
//! Source: [Jacobson88] with the fast retransmit that 4.3BSD-Tahoe added, as [FallFloyd96] §2 describes it. The third duplicate
//! acknowledgement is treated as a timeout would be, without the wait: the control law gives the slow-start threshold, the
//! window is one packet, and the sender goes back to the first hole. There is no fast recovery (RFC 5681 §3.2 came later).
//!
//! | parameter        | unit | default | why      |
//! |------------------|------|---------|----------|
//! | limited_transmit | flag | true    | RFC 3042 |
//!
//! Differs from 4.3BSD-Tahoe: duplicates below the recovery point are not counted (the `recover` test of RFC 6582 §3.2, which
//! ns-2's Tahoe has as well). Without it, packets that arrive twice while the sender goes back would start the next fast retransmit.
//! A mark (ECN) is no loss: it cuts the window by the law, without slow start (RFC 3168 §6.1.2).

use super::{
    About, Acknowledgement, Connection, DUPLICATE_ACKS, LossEvent, LossRecovery, RecoveryUpdate, SendState,
    Transmission, acknowledge,
};
use crate::scenario::TcpSpec;

/// What it says about itself.
pub const ABOUT: About = About {
    aliases: &[],
    title: "Tahoe",
    summary: "fast retransmit, then slow start from one packet; it resends everything after the first hole",
    source: "[Jacobson88]; [FallFloyd96] §2",
    behaviour: 1,
    own_settings: &[],
    ignores: &[],
    defaults: &[],
};

/// Tahoe recovery.
#[derive(Clone, Debug)]
pub struct Tahoe {
    limited_transmit: bool,
    /// Duplicate acknowledgements that count; never more than two, the third acts.
    duplicates: u32,
    /// One past the highest number sent when the last loss event or timeout happened.
    recover: u32,
}

impl Tahoe {
    /// No loss seen yet.
    pub fn new(tcp: &TcpSpec) -> Self {
        Tahoe { limited_transmit: tcp.limited_transmit, duplicates: 0, recover: 0 }
    }

    /// Send on from the first hole.
    fn go_back(&mut self, sent: &mut SendState) {
        self.duplicates = 0;
        self.recover = sent.high;
        sent.next = sent.una;
    }
}

impl LossRecovery for Tahoe {
    #[inline]
    fn on_ack(&mut self, ack: &Acknowledgement<'_>, connection: &mut Connection<'_>) -> RecoveryUpdate {
        let (cumulative, sent) = (ack.cumulative, &mut *connection.sent);
        if cumulative > sent.una {
            self.duplicates = 0;
            let newly_acked = acknowledge(cumulative, sent);
            return RecoveryUpdate { newly_acked, restart_timer: true, ..RecoveryUpdate::default() };
        }
        let duplicate = cumulative == sent.una && sent.high > sent.una;
        if !duplicate || self.recover > 0 && sent.una <= self.recover {
            return RecoveryUpdate::default();
        }
        self.duplicates += 1;
        if self.duplicates < DUPLICATE_ACKS {
            return RecoveryUpdate::default();
        }
        self.go_back(sent);
        connection.lose_all();
        RecoveryUpdate {
            loss_event: Some(LossEvent::Restart),
            restart_timer: true,
            ..RecoveryUpdate::default()
        }
    }

    fn on_timeout(&mut self, connection: &mut Connection<'_>) {
        self.go_back(connection.sent);
        connection.lose_all();
    }

    #[inline]
    fn in_recovery(&self) -> bool {
        false
    }

    fn is_open(&self) -> bool {
        self.duplicates == 0
    }

    #[inline]
    fn flight(&self, sent: &SendState) -> u32 {
        sent.next - sent.una
    }

    #[inline]
    fn next(&mut self, connection: &mut Connection<'_>, window: u32) -> Option<Transmission> {
        let sent = &mut *connection.sent;
        let extra = if self.limited_transmit { self.duplicates } else { 0 };
        (sent.may_send_next() && sent.next - sent.una < window + extra).then(|| sent.advance())
    }
}
