//! The recovery period: one reduction for the losses and marks of a round trip, and whether its losses were any.
//!
//! Source: RFC 9002 §7.3.2, B.6 to B.8. A period begins with the loss, or the mark, of a packet that was sent after the last period
//! began, and ends when a packet that was sent in it is acknowledged.

use super::packets::Packets;
use crate::tcp::number_set::NumberSet;
use std::ops::RangeInclusive;

/// The periods of one sender.
#[derive(Clone, Debug, Default)]
pub struct Period {
    in_progress: bool,
    /// Packets from here on were sent after the last reduction.
    from: u32,
    /// What `from` was before the last reduction.
    earlier: u32,
    /// All losses of the last period may still turn out to be none.
    doubtful: bool,
    /// Packets called lost since it began that have not been acknowledged.
    suspects: NumberSet,
}

impl Period {
    /// Has a period begun and not ended?
    pub fn in_progress(&self) -> bool {
        self.in_progress
    }

    /// Was this packet sent after the last reduction?
    pub fn is_after(&self, number: u32) -> bool {
        number >= self.from
    }

    /// A period begins; packets from this number on are sent in it.
    pub fn begin(&mut self, next: u32) {
        (self.earlier, self.from) = (self.from, next);
        (self.in_progress, self.doubtful) = (true, true);
        self.suspects.clear();
    }

    /// A mark has been reported: the reduction was due in any case (RFC 4015 §3.1 step 9).
    pub fn on_mark(&mut self) {
        self.doubtful = false;
        self.suspects.clear();
    }

    /// These packets are searched for losses of the period.
    pub fn on_lost(&mut self, numbers: RangeInclusive<u32>, packets: &Packets) {
        if self.doubtful {
            for number in numbers.filter(|&number| packets.is_lost(number)) {
                self.suspects.add(number);
            }
        }
    }

    /// A packet that was called lost is acknowledged: was it the last of its period?
    pub fn on_late(&mut self, number: u32) -> bool {
        if !self.suspects.contains(number) {
            return false;
        }
        self.suspects.remove(number);
        self.doubtful && self.suspects.count() == 0
    }

    /// A lost packet is not expected any more: its loss was one.
    pub fn on_forgotten(&mut self, number: u32) {
        if self.suspects.contains(number) {
            self.on_mark();
        }
        self.suspects.advance(number + 1);
    }

    /// This is the largest packet acknowledged for the first time, and perhaps all losses were spurious: does the period end?
    pub fn on_acknowledged(&mut self, largest: u32, spurious: bool) -> bool {
        let ends = self.in_progress && (spurious || self.is_after(largest));
        if ends {
            self.in_progress = false;
        }
        if spurious {
            self.from = self.earlier;
            self.doubtful = false;
        }
        ends
    }

    /// Persistent congestion: the next loss reduces again (B.8).
    pub fn forget_reduction(&mut self) {
        self.from = 0;
    }
}
