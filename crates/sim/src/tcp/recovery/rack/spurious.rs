//! What shows that a recovery was begun without a loss: timestamps, duplicates at the receiver, F-RTO.
//!
//! Source: RFC 3522 §3.2 (Eifel detection), RFC 3708 §3 (DSACK), RFC 5682 §3.1 (F-RTO with SACK). What follows for the window is the
//! controller's business (RFC 4015).
//!
//! | parameter  | unit | default | why                                                          |
//! |------------|------|---------|--------------------------------------------------------------|
//! | timestamps | flag | true    | Linux; without them only duplicates and F-RTO show the truth |
//!
//! An echoed timestamp says which transmission it is of. The first retransmission of an episode has a time; an original packet whose
//! number had been sent by then is older.

use super::super::{Acknowledgement, SendState};
use crate::tcp::number_set::NumberSet;

/// How far F-RTO has come after a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frto {
    /// Conventional recovery.
    Off,
    /// Step 2: the acknowledgement of the retransmitted packet is awaited.
    First,
    /// Step 3: new packets go, this many more, and the next acknowledgement decides.
    Second {
        /// New packets that may still leave.
        left: u8,
    },
}

/// What the last episode of a sender has sent again, and what became of it.
#[derive(Clone, Debug, Default)]
pub struct Episode {
    /// It may still turn out to have been without a loss.
    open: bool,
    /// The first hole when it began.
    first: u32,
    /// One past the highest number sent when its first retransmission left.
    known: Option<u32>,
    /// No acknowledgement has moved the first hole since.
    awaits_first: bool,
    /// Sent again, since the episode began or as a probe.
    again: NumberSet,
    /// Of these, those of the episode that have not been reported as duplicates.
    unreported: NumberSet,
    /// A packet was sent again twice, or all acknowledgements of a window were lost: duplicates prove nothing.
    spoiled: bool,
    /// The network has duplicated a packet: duplicates never prove anything again (RFC 3708 §3 A.4).
    network_duplicates: bool,
    /// The receiver has reported a duplicate before.
    receiver_reports: bool,
    /// One past the highest number sent when the recovery ended; with it acknowledged all duplicates have been reported.
    forgotten_at: Option<u32>,
}

impl Episode {
    /// Recovery begins.
    pub fn begin(&mut self, una: u32) {
        self.unreported.clear();
        self.again.advance(una); // a probe above it stays
        self.unreported.advance(una);
        (self.open, self.first) = (true, una);
        (self.known, self.awaits_first) = (None, true);
        (self.spoiled, self.forgotten_at) = (false, None);
    }

    /// Recovery has ended; duplicates may still be reported.
    pub fn end(&mut self, sent: &SendState) {
        self.awaits_first = false;
        self.forgotten_at = Some(sent.high);
    }

    /// A packet is sent again.
    pub fn note_again(&mut self, number: u32, sent: &SendState) {
        self.again.add(number);
        if self.open && self.forgotten_at.is_none() {
            self.spoiled |= !self.unreported.add(number);
            self.known.get_or_insert(sent.high);
        }
    }

    /// Everything below is acknowledged.
    pub fn forget_below(&mut self, una: u32) {
        if self.forgotten_at.is_some_and(|number| una > number) {
            self.open = false;
            self.forgotten_at = None;
            self.again.clear();
            self.unreported.clear();
        }
        if !self.open {
            self.again.advance(una);
            self.unreported.advance(una);
        }
    }

    /// Whatever it was, it has been withdrawn.
    pub fn withdraw(&mut self, sent: &SendState) {
        self.end(sent);
        self.spoiled = true;
    }

    /// RFC 3522 §3.2, at an acknowledgement that moves the first hole: does it echo a transmission older than the first retransmission?
    pub fn echoes_an_original(&mut self, ack: &Acknowledgement<'_>, sent: &SendState) -> bool {
        if !std::mem::take(&mut self.awaits_first) {
            return false;
        }
        let Some(known) = self.known else { return false };
        let older = ack.echo().is_some_and(|echo| !echo.again && echo.number < known);
        // Step 5: all acknowledgements of the window may have been lost instead.
        older && ack.duplicate().is_none() && (self.receiver_reports || ack.cumulative < sent.high)
    }

    /// RFC 3708 §3, at each acknowledgement: has everything that was sent again arrived twice?
    pub fn all_arrived_twice(
        &mut self,
        ack: &Acknowledgement<'_>,
        una_before: u32,
        nothing_sacked: bool,
    ) -> bool {
        let Some(number) = ack.duplicate() else { return false };
        self.receiver_reports = true;
        if number == una_before && nothing_sacked {
            self.spoiled = true; // A.1: the acknowledgements of a whole window were lost
        }
        if self.open && number >= self.first && !self.again.contains(number) {
            self.network_duplicates = true;
        }
        self.unreported.remove(number);
        let all = self.known.is_some() && self.unreported.count() == 0;
        self.open && all && !self.spoiled && !self.network_duplicates
    }
}
