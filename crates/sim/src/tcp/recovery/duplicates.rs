//! Duplicate acknowledgements of a sender without SACK: what they trigger, and what they let go.
//!
//! Source: RFC 5681 §3.2, RFC 3042 (limited transmit), RFC 6582 §3.2 (the `recover` test).

use super::{DUPLICATE_ACKS, SendState, Transmission};

/// Duplicate acknowledgements of a sender without SACK.
#[derive(Clone, Debug)]
pub struct DuplicateAcks {
    limited_transmit: bool,
    recover_test: bool,
    count: u32,
    /// Fast recovery is in progress.
    pub recovering: bool,
    /// One past the highest number sent when the last loss event or timeout happened.
    pub recover: u32,
    /// The first hole must go, whatever the window.
    pub retransmit: bool,
    /// Packets that have left the network, by duplicate acknowledgements of this recovery.
    pub inflation: u32,
}

impl DuplicateAcks {
    /// None yet.
    pub fn new(limited_transmit: bool, recover_test: bool) -> Self {
        DuplicateAcks {
            limited_transmit,
            recover_test,
            count: 0,
            recovering: false,
            recover: 0,
            retransmit: false,
            inflation: 0,
        }
    }

    /// One more duplicate; does it start a fast retransmit?
    pub fn on_duplicate(&mut self, sent: &SendState) -> bool {
        self.count += 1;
        if self.recovering {
            self.inflation += 1;
            return false;
        }
        // RFC 6582 §3.2 step 2: only if everything sent before the last event has been acknowledged.
        let allowed = !self.recover_test || self.recover == 0 || sent.una > self.recover;
        if self.count != DUPLICATE_ACKS || !allowed {
            return false;
        }
        self.recovering = true;
        self.recover = sent.high;
        self.retransmit = true;
        self.inflation = DUPLICATE_ACKS;
        true
    }

    /// Is there nothing to repair and nothing counted?
    pub fn is_open(&self) -> bool {
        self.count == 0 && !self.recovering && !self.retransmit
    }

    /// Recovery is over, or there was none.
    pub fn reset(&mut self) {
        self.count = 0;
        self.recovering = false;
        self.retransmit = false;
        self.inflation = 0;
    }

    /// Go back to the first hole and send on from there.
    pub fn on_timeout(&mut self, sent: &mut SendState) {
        self.reset();
        self.recover = sent.high;
        sent.next = sent.una;
    }

    /// The next packet to send with this many allowed in flight.
    pub fn next(&mut self, sent: &mut SendState, window: u32) -> Option<Transmission> {
        if self.retransmit {
            self.retransmit = false;
            return Some(Transmission { number: sent.una, again: true });
        }
        let limited = if self.limited_transmit { self.count.min(DUPLICATE_ACKS - 1) } else { 0 };
        let extra = if self.recovering { self.inflation } else { limited };
        (sent.may_send_next() && sent.next - sent.una < window + extra).then(|| sent.advance())
    }
}
