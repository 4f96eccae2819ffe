//! Loss recovery: decides *what* to send and reports loss events; the controller decides *how much*.

pub mod newreno;
pub mod reno;
pub mod sack;
pub mod tahoe;

use crate::ack_details::SackBlock;
use crate::scenario::TcpSpec;
use newreno::NewReno;
use reno::Reno;
use sack::Sack;
pub use sack::{SackPipe, SackTimeout};
use serde::{Deserialize, Serialize};
use tahoe::Tahoe;

/// Duplicate acknowledgements that trigger fast retransmit (RFC 5681 §3.2).
pub const DUPLICATE_ACKS: u32 = 3;

/// Which recovery a flow uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecoveryKind {
    /// RFC 5681.
    Reno,
    /// RFC 6582.
    NewReno,
    /// RFC 2018 and RFC 6675.
    Sack,
    /// Fast retransmit without fast recovery.
    Tahoe,
}

/// One row of the table of recoveries.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RecoveryInfo {
    /// Its name in data.
    pub name: &'static str,
    /// Other spellings.
    pub aliases: &'static [&'static str],
    /// What it does.
    pub summary: &'static str,
    /// The RFC.
    pub source: &'static str,
    /// Its behaviour number, which goes up with every change that moves a result (see `identity`).
    pub behaviour: u32,
    /// What it is in code.
    #[serde(skip)]
    pub kind: RecoveryKind,
}

/// Every recovery there is.
pub const RECOVERIES: &[RecoveryInfo] = &[
    RecoveryInfo {
        name: "reno",
        aliases: &[],
        summary: "fast retransmit and fast recovery, left on the first new acknowledgement",
        source: "RFC 5681 §3.2",
        behaviour: 1,
        kind: RecoveryKind::Reno,
    },
    RecoveryInfo {
        name: "newreno",
        aliases: &["new-reno"],
        summary: "fast recovery that lasts until the whole window is acknowledged; one hole per round trip",
        source: "RFC 6582",
        behaviour: 1,
        kind: RecoveryKind::NewReno,
    },
    RecoveryInfo {
        name: "sack",
        aliases: &[],
        summary: "selective acknowledgements, scoreboard and pipe; many holes per round trip",
        source: "RFC 2018; RFC 6675",
        behaviour: 1,
        kind: RecoveryKind::Sack,
    },
    RecoveryInfo {
        name: "tahoe",
        aliases: &[],
        summary: "fast retransmit, then slow start from one packet; everything after the hole again",
        source: "[Jacobson88]; [FallFloyd96] §2",
        behaviour: 1,
        kind: RecoveryKind::Tahoe,
    },
];

impl RecoveryKind {
    /// Its row of the table.
    pub fn info(self) -> &'static RecoveryInfo {
        RECOVERIES.iter().find(|row| row.kind == self).expect("every recovery has a row")
    }
}

/// What the sender has sent, in packet numbers.
#[derive(Clone, Copy, Debug)]
pub struct SendState {
    /// First number not acknowledged.
    pub una: u32,
    /// Next number to send; behind `high` after a timeout without SACK.
    pub next: u32,
    /// One past the highest number ever sent.
    pub high: u32,
    /// One past the last number there is to send.
    pub limit: u32,
    /// Most packets the receiver takes beyond `una`.
    pub receive_window: u32,
}

impl SendState {
    /// May the packet `next` go as far as data and receiver are concerned?
    #[inline]
    pub fn may_send_next(&self) -> bool {
        self.next < self.limit && self.next - self.una < self.receive_window
    }

    /// Send `next`; was it sent before?
    #[inline]
    pub fn advance(&mut self) -> Transmission {
        let number = self.next;
        self.next += 1;
        let again = number < self.high;
        self.high = self.high.max(self.next);
        Transmission { number, again }
    }
}

/// A packet to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmission {
    /// Its number.
    pub number: u32,
    /// Was it sent before?
    pub again: bool,
}

/// How a recovery repairs the loss that it has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossEvent {
    /// Packet by packet, with the window that the cut leaves.
    Repair,
    /// From the first hole on, in slow start from one packet.
    Restart,
}

/// What an acknowledgement meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Packets acknowledged cumulatively for the first time.
    pub newly_acked: u32,
    /// A loss event begins: the controller must cut.
    pub loss_event: Option<LossEvent>,
    /// Recovery ends with this acknowledgement.
    pub recovered: bool,
    /// The retransmission timer starts afresh.
    pub restart_timer: bool,
}

/// A loss recovery.
pub trait LossRecovery {
    /// An acknowledgement up to `cumulative` with these blocks arrived.
    fn on_ack(&mut self, cumulative: u32, blocks: &[SackBlock], sent: &mut SendState) -> Verdict;

    /// The retransmission timer ran out.
    fn on_timeout(&mut self, sent: &mut SendState);

    /// Is fast recovery under way, so that the window must not grow?
    fn in_recovery(&self) -> bool;

    /// Is there nothing to repair and nothing counted? Then an acknowledgement of new data without blocks moves
    /// `una` and the window alone decides what goes next; the sender does both without asking.
    fn is_calm(&self) -> bool;

    /// Packets thought to be in flight.
    fn flight(&self, sent: &SendState) -> u32;

    /// The next packet to send with this many allowed in flight.
    fn next(&mut self, sent: &mut SendState, window: u32) -> Option<Transmission>;
}

/// Any recovery of the table; an enum, so that no virtual call stands on the path of an acknowledgement. A calm sender does not
/// ask it, so its state stands elsewhere.
#[derive(Clone, Debug)]
pub enum AnyRecovery {
    /// Reno.
    Reno(Box<Reno>),
    /// NewReno.
    NewReno(Box<NewReno>),
    /// SACK.
    Sack(Box<Sack>),
    /// Tahoe.
    Tahoe(Box<Tahoe>),
}

impl AnyRecovery {
    /// A recovery that has seen no loss.
    pub fn new(kind: RecoveryKind, tcp: &TcpSpec) -> Self {
        let limited_transmit = tcp.limited_transmit;
        match kind {
            RecoveryKind::Reno => {
                AnyRecovery::Reno(Box::new(Reno::new(limited_transmit, tcp.reno_recover_test)))
            }
            RecoveryKind::NewReno => AnyRecovery::NewReno(Box::new(NewReno::new(limited_transmit))),
            RecoveryKind::Sack => {
                AnyRecovery::Sack(Box::new(Sack::new(limited_transmit, tcp.sack_pipe, tcp.sack_timeout)))
            }
            RecoveryKind::Tahoe => AnyRecovery::Tahoe(Box::new(Tahoe::new(limited_transmit))),
        }
    }
}

macro_rules! each_recovery {
    ($self:ident, $recovery:ident => $body:expr) => {
        match $self {
            AnyRecovery::Reno($recovery) => $body,
            AnyRecovery::NewReno($recovery) => $body,
            AnyRecovery::Sack($recovery) => $body,
            AnyRecovery::Tahoe($recovery) => $body,
        }
    };
}

impl LossRecovery for AnyRecovery {
    #[inline]
    fn on_ack(&mut self, cumulative: u32, blocks: &[SackBlock], sent: &mut SendState) -> Verdict {
        each_recovery!(self, recovery => recovery.on_ack(cumulative, blocks, sent))
    }

    fn on_timeout(&mut self, sent: &mut SendState) {
        each_recovery!(self, recovery => recovery.on_timeout(sent))
    }

    #[inline]
    fn in_recovery(&self) -> bool {
        each_recovery!(self, recovery => recovery.in_recovery())
    }

    fn is_calm(&self) -> bool {
        each_recovery!(self, recovery => recovery.is_calm())
    }

    #[inline]
    fn flight(&self, sent: &SendState) -> u32 {
        each_recovery!(self, recovery => recovery.flight(sent))
    }

    #[inline]
    fn next(&mut self, sent: &mut SendState, window: u32) -> Option<Transmission> {
        each_recovery!(self, recovery => recovery.next(sent, window))
    }
}

/// Duplicate acknowledgements of a sender without SACK: what they trigger, and what they let go.
///
/// Source: RFC 5681 §3.2, RFC 3042 (limited transmit), RFC 6582 §3.2 (the `recover` test).
#[derive(Clone, Debug)]
pub struct DuplicateAcks {
    limited_transmit: bool,
    recover_test: bool,
    count: u32,
    /// Fast recovery is under way.
    recovering: bool,
    /// One past the highest number sent when the last loss event or timeout happened.
    recover: u32,
    /// The first hole must go, whatever the window.
    retransmit: bool,
    /// Packets that have left the network, by duplicate acknowledgements of this recovery.
    inflation: u32,
}

impl DuplicateAcks {
    fn new(limited_transmit: bool, recover_test: bool) -> Self {
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
    fn on_duplicate(&mut self, sent: &SendState) -> bool {
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

    fn is_calm(&self) -> bool {
        self.count == 0 && !self.recovering && !self.retransmit
    }

    /// Recovery is over, or there was none.
    fn reset(&mut self) {
        self.count = 0;
        self.recovering = false;
        self.retransmit = false;
        self.inflation = 0;
    }

    /// Go back to the first hole and send on from there.
    fn on_timeout(&mut self, sent: &mut SendState) {
        self.reset();
        self.recover = sent.high;
        sent.next = sent.una;
    }

    fn next(&mut self, sent: &mut SendState, window: u32) -> Option<Transmission> {
        if self.retransmit {
            self.retransmit = false;
            return Some(Transmission { number: sent.una, again: true });
        }
        let limited = if self.limited_transmit { self.count.min(DUPLICATE_ACKS - 1) } else { 0 };
        let extra = if self.recovering { self.inflation } else { limited };
        (sent.may_send_next() && sent.next - sent.una < window + extra).then(|| sent.advance())
    }
}

/// Move `una` up to `cumulative`; how many packets did it acknowledge?
#[inline(always)]
pub(super) fn acknowledge(cumulative: u32, sent: &mut SendState) -> u32 {
    let newly_acked = cumulative - sent.una;
    sent.una = cumulative;
    sent.next = sent.next.max(cumulative);
    newly_acked
}
