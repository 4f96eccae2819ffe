//! Rate-based flows: a sender that lets a packet go whenever its law says, a receiver that reports, and nothing sent twice.
//!
//! Their packets are data and acknowledgements like those of TCP, so queues, jitter and counters treat both alike. A packet is two
//! words and has no room for what such protocols write into theirs: that stands in a ring beside the one who sent it,
//! [`Stamp`]s of data packets and [`Report`]s of acknowledgements, found by the packet's number until the other side has answered.

pub mod losses;
pub mod receiver;
pub mod sender;

use sawtooth_cc::units::{Span, Time};

/// What a data packet says besides its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// When it was sent.
    pub sent: Time,
    /// The sender's round trip then; zero before it knows one.
    pub rtt: Span,
}

/// What an acknowledgement says besides its number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// The newest data packet.
    pub newest: u32,
    /// How long ago it came.
    pub waited: Span,
    /// Loss events per packet; 0 before the first.
    pub loss_event_rate: f64,
    /// Packets per second received.
    pub receive_rate: f64,
    /// Loss events so far, and those that began with a mark.
    pub loss_events: u64,
    /// As above.
    pub mark_events: u64,
}
