//! What happens to a connection beside acknowledgements: congestion, its withdrawal, idleness, recovery.
//!
//! Source: RFC 5681 §3.1 (loss, timeout), RFC 3168 §6.1.2 (marks), RFC 9002 §7.6 (persistent congestion), RFC 4015 (undo), RFC 5681 §4.1
//! (idle).

use crate::units::{Bytes, Span, Time};

/// Why the network asks a sender to slow down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Congestion {
    /// Fast retransmit found a loss: the first of this window of data.
    Loss,
    /// Fast retransmit found a loss, and recovery begins again from one packet (Tahoe): the law says where slow start ends.
    LossRestart {
        /// This window of data has been cut for before, at an ECN echo (RFC 3168 §6.1.2): the threshold stays.
        repeated: bool,
    },
    /// An ECN echo, the first of this window of data (RFC 3168 §6.1.2).
    EcnMark,
    /// The retransmission timer expired.
    Timeout {
        /// The segment had been sent by the timer before and was lost again (RFC 5681 §3.1).
        repeated: bool,
    },
    /// Everything sent over a long time was lost (RFC 9002 §7.6); the loss that begins it has been signalled before.
    PersistentCongestion,
}

/// The window of data that a signal is about. Numbers rise with the connection, and signals about the same window carry the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct WindowOfData(u64);

impl WindowOfData {
    /// From a number that the transport has for it, for instance how much it had sent when the window ended.
    pub const fn numbered(number: u64) -> Self {
        WindowOfData(number)
    }

    /// The number.
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// One congestion signal; recovery sends at most one per window of data, plus timeouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CongestionSignal {
    /// When the sender learnt of it.
    pub now: Time,
    /// What happened.
    pub kind: Congestion,
    /// To which data.
    pub window_of_data: WindowOfData,
}

impl CongestionSignal {
    /// A signal of a caller that withdraws none and so need not tell windows of data apart.
    pub const fn new(now: Time, kind: Congestion) -> Self {
        CongestionSignal { now, kind, window_of_data: WindowOfData::numbered(0) }
    }
}

/// Signals about a window of data were spurious: nothing of it had been lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UndoSignal {
    /// When the sender learnt of it.
    pub now: Time,
    /// What the last signal had said.
    pub kind: Congestion,
    /// The window of data that the signals carried.
    pub window_of_data: WindowOfData,
    /// In flight now (RFC 4015 §3: FlightSize).
    pub in_flight: Bytes,
    /// Delivered with the acknowledgement that showed it (RFC 4015 §3).
    pub newly_delivered: Bytes,
}

/// The application has data again after nothing was in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdleSignal {
    /// Now, before the first packet of the new flight.
    pub now: Time,
    /// Since when nothing was in flight.
    pub since: Time,
    /// The retransmission timeout.
    pub timeout: Span,
}

/// What became of loss recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// It has begun; a timeout is signalled as such.
    Entered,
    /// Everything that was in flight when it began, or when a timeout was signalled, has been delivered; or it was withdrawn.
    Left,
}

/// Loss recovery was entered or left, or a timeout has been repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoverySignal {
    /// When.
    pub now: Time,
    /// Which of the two.
    pub change: Recovery,
    /// In flight then.
    pub in_flight: Bytes,
}
