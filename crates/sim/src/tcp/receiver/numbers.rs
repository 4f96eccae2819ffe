//! The packet numbers that a receiver has seen, in ranges.
//!
//! Source: RFC 9000 §13.2.1 (when to acknowledge), §13.2.3 (which ranges), §13.2.5 (delay).
//!
//! | parameter | unit   | default | why                                                                              |
//! |-----------|--------|---------|----------------------------------------------------------------------------------|
//! | ranges    | ranges | 32      | RFC 9000 §13.2.3 leaves the number to the receiver; the oldest are left out first |
//!
//! A number below what has been left out is not accepted any more, as §13.2.3 demands. Nothing acknowledges acknowledgements, so ranges
//! are never left out for having been acknowledged (§13.2.4).

use crate::ack_details::SackBlock;
use sawtooth_cc::units::{Span, Time};

/// Most ranges that are kept.
pub const RANGES_MAX: usize = 32;

/// What a packet was to its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noted {
    /// It is taken: its number is new and not too old.
    pub accepted: bool,
    /// It is the one behind the newest.
    pub in_order: bool,
}

/// The numbers that have come.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// Newest first.
    ranges: Vec<SackBlock>,
    /// Lower numbers are not accepted.
    floor: u32,
    /// When the highest number came.
    newest_at: Time,
}

impl Numbers {
    /// The ranges, newest first.
    pub fn ranges(&self) -> &[SackBlock] {
        &self.ranges
    }

    /// For how long the acknowledgement of the highest number has waited.
    pub fn delay(&self, now: Time) -> Span {
        now - self.newest_at
    }

    /// A packet with this number arrives.
    pub fn note(&mut self, number: u32, now: Time) -> Noted {
        let next = self.ranges.first().map_or(0, |range| range.end);
        if number >= next {
            self.newest_at = now;
        }
        if number == next && next > 0 {
            self.ranges[0].end += 1;
            return Noted { accepted: true, in_order: true };
        }
        let accepted = number >= self.floor && self.insert(number);
        if self.ranges.len() > RANGES_MAX {
            self.floor = self.ranges.pop().map_or(self.floor, |oldest| oldest.end);
        }
        Noted { accepted, in_order: number == next }
    }

    /// Put a number among the ranges; was it missing?
    fn insert(&mut self, number: u32) -> bool {
        let above = self.ranges.iter().take_while(|range| range.start > number).count();
        if self.ranges.get(above).is_some_and(|range| number < range.end) {
            return false;
        }
        let extends = self.ranges.get(above).is_some_and(|range| range.end == number);
        let precedes = above > 0 && self.ranges[above - 1].start == number + 1;
        match (extends, precedes) {
            (true, true) => {
                self.ranges[above - 1].start = self.ranges[above].start;
                self.ranges.remove(above);
            }
            (true, false) => self.ranges[above].end += 1,
            (false, true) => self.ranges[above - 1].start -= 1,
            (false, false) => self.ranges.insert(above, SackBlock { start: number, end: number + 1 }),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// The newest runs of a set, newest first, and where those that do not fit end.
    fn runs(seen: &BTreeSet<u32>) -> Vec<SackBlock> {
        let mut runs: Vec<SackBlock> = Vec::new();
        for &number in seen.iter().rev() {
            match runs.last_mut() {
                Some(run) if run.start == number + 1 => run.start = number,
                _ => runs.push(SackBlock { start: number, end: number + 1 }),
            }
        }
        runs
    }

    proptest! {
        /// Packets in any order, against a plain set from which the oldest runs are taken.
        #[test]
        fn ranges_are_the_newest_runs_of_a_set(
            width in prop_oneof![Just(6u32), Just(40), Just(400)],
            steps in proptest::collection::vec((0u32..400, 1u32..4), 1..400),
        ) {
            let (mut numbers, mut seen, mut floor) = (Numbers::default(), BTreeSet::new(), 0);
            let mut base = 0;
            for (offset, step) in steps {
                let number = base + offset % width;
                base += step;
                let expected = number >= floor && seen.insert(number);
                let next = numbers.ranges().first().map_or(0, |range| range.end);
                let noted = numbers.note(number, Time::ZERO);
                prop_assert_eq!(noted, Noted { accepted: expected, in_order: number == next });
                let mut expected = runs(&seen);
                if expected.len() > RANGES_MAX {
                    floor = expected[RANGES_MAX].end;
                    seen.retain(|&number| number >= floor);
                    expected.truncate(RANGES_MAX);
                }
                prop_assert_eq!(numbers.ranges(), &expected);
            }
        }
    }
}
