//! Rate-based flows: a sender that lets a packet go whenever its law says, a receiver that reports, and nothing sent twice.
//!
//! Their packets are data and acknowledgements like those of TCP, so queues, jitter and counters treat both alike. A packet is two
//! words and has no room for the fields of these protocols. They stand in a ring beside the sender of the packet, [`Stamp`]s of data
//! packets and [`Report`]s of acknowledgements. They are found by the packet's number until the other side has answered.
//! A data packet that comes behind a later one was taken for lost: it counts as delivered, and nothing is reported on it.

pub mod encoder;
pub mod losses;
pub mod nada_receiver;
pub mod nada_sender;
pub mod rap_receiver;
pub mod rap_sender;
pub mod receiver;
pub mod sender;
pub mod tfrc_receiver;

use crate::ring::Ring;
use sawtooth_cc::nada::RateMode;
use sawtooth_cc::units::{Span, Time};

/// The TCP settings that mean something to a flow with a rate: those of its handshake, and whether its packets are ECN-capable.
pub const SETTINGS: &[&str] = &["initial_rto", "min_rto", "max_rto", "ecn"];

/// What a data packet says besides its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// When it was sent.
    pub sent: Time,
    /// The sender's round trip then; zero before it knows one.
    pub rtt: Span,
}

/// What an acknowledgement says besides its number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Report {
    /// A report of TFRC.
    Tfrc(Feedback),
    /// An acknowledgement of RAP.
    Rap(Arrived),
    /// A report of NADA.
    Nada(NadaFeedback),
}

/// What a receiver of TFRC reports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Feedback {
    /// The newest data packet.
    pub newest: u32,
    /// How long ago it came.
    pub waited: Span,
    /// Loss events per packet; 0 before the first.
    pub loss_event_rate: f64,
    /// Packets per second received.
    pub receive_rate: f64,
    /// Loss events so far.
    pub loss_events: u64,
    /// Those of them that began with a mark.
    pub mark_events: u64,
}

/// What a receiver of NADA reports (RFC 8698 §5.3).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NadaFeedback {
    /// The newest data packet.
    pub newest: u32,
    /// How long ago it came.
    pub waited: Span,
    /// rmode.
    pub mode: RateMode,
    /// x_curr, ms.
    pub signal: f64,
    /// r_recv in packets per second.
    pub receive_rate: f64,
    /// Loss events so far.
    pub loss_events: u64,
    /// Marked packets so far.
    pub marks: u64,
}

/// What a receiver of RAP acknowledges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrived {
    /// The packet that came.
    pub number: u32,
    /// It was marked.
    pub marked: bool,
    /// From this number on all have come.
    pub run: u32,
    /// From this number up to `run` none has come.
    pub hole: u32,
}

/// What was written into acknowledgements under way, by number.
#[derive(Debug, Default)]
pub struct Reports<T> {
    ring: Ring<T>,
    /// The number of the oldest.
    first: u32,
}

impl<T: Copy + Default> Reports<T> {
    /// An acknowledgement leaves: its number.
    pub fn send(&mut self, report: T) -> u32 {
        self.ring.push_back(report);
        self.first + self.ring.len() as u32 - 1
    }

    /// The acknowledgement of this number arrives; what was sent before it is forgotten. None if a later one has arrived.
    pub fn take(&mut self, number: u32) -> Option<T> {
        let forgotten = number.checked_sub(self.first)?;
        self.first = number + 1;
        (0..forgotten).for_each(|_| _ = self.ring.pop_front());
        self.ring.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_that_others_have_overtaken_says_nothing() {
        let mut reports = Reports::default();
        let numbers: Vec<u32> = (0..5).map(|what| reports.send(10 + what)).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4]);
        assert_eq!(
            [2, 1, 0, 2, 4, 3].map(|number| reports.take(number)),
            [Some(12), None, None, None, Some(14), None]
        );
        assert_eq!((reports.send(20), reports.take(5)), (5, Some(20)));
    }
}
