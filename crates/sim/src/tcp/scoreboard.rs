//! The SACK scoreboard: what the receiver holds, what is lost, what is in flight.
//!
//! Source: RFC 6675 §4 (`IsLost`, `SetPipe`, `NextSeg`) over the blocks of RFC 2018. `pipe` is kept as
//! counters instead of a walk: outstanding − SACKed − lost + retransmitted. Packets are of one size, so
//! "more than two segments' worth of bytes SACKed above" is: at least three packets SACKed above.
//!
//! | parameter  | unit    | default | why             |
//! |------------|---------|---------|-----------------|
//! | DupThresh  | packets | 3       | RFC 6675 §2     |
//!
//! Cost per acknowledgement is constant, whatever the window and the number of holes: SACKed runs carry
//! boundary tags, and the loss frontier and the retransmission cursor visit each packet once.

use super::number_set::{NumberSet, SPAN, Word, bit};
use super::run_map::NumberRing;
use crate::packet::SackBlock;
use prefetch_index::prefetch_index;
use std::slice::from_ref;

/// Packets SACKed above a hole that make it lost.
pub const DUPLICATE_THRESHOLD: u32 = 3;

const LOST: u8 = 1;
const RETRANSMITTED: u8 = 2;

/// What is known of each outstanding packet besides whether it is SACKed. As with a [`NumberSet`], bits while the window is
/// small and cells beyond.
#[derive(Clone, Debug, Default)]
struct Marks {
    lost: Word,
    retransmitted: Word,
    is_wide: bool,
    wide: Option<Box<NumberRing<u8>>>,
}

impl Marks {
    /// Make room so that every number of `base..end` has its own mark.
    #[inline]
    fn cover(&mut self, base: u32, end: u32) {
        if self.is_wide || end - base > SPAN {
            self.cover_wide(base, end);
        }
    }

    #[inline(never)]
    fn cover_wide(&mut self, base: u32, end: u32) {
        if self.is_wide {
            self.cells_mut().cover(base, end);
            return;
        }
        let known: [u8; SPAN as usize] = std::array::from_fn(|place| self.near(base + place as u32));
        (self.lost, self.retransmitted, self.is_wide) = (0, 0, true);
        let cells = self.wide.get_or_insert_default();
        cells.cover(base, end);
        (base..).zip(known).for_each(|(number, mark)| *cells.at_mut(number) = mark);
    }

    fn cells_mut(&mut self) -> &mut NumberRing<u8> {
        self.wide.as_mut().expect("wide marks have cells")
    }

    /// Everything is settled: all marks are 0.
    #[inline]
    fn settle(&mut self) {
        self.is_wide = false;
    }

    #[inline(always)]
    fn near(&self, number: u32) -> u8 {
        let is_in = |bits: Word| u8::from(bits & bit(number) != 0);
        is_in(self.lost) * LOST | is_in(self.retransmitted) * RETRANSMITTED
    }

    /// The mark of a covered number.
    #[inline(always)]
    fn at(&self, number: u32) -> u8 {
        match &self.wide {
            Some(cells) if self.is_wide => cells.at(number),
            _ => self.near(number),
        }
    }

    #[inline(always)]
    fn set(&mut self, number: u32, mark: u8) {
        match &mut self.wide {
            Some(cells) if self.is_wide => *cells.at_mut(number) = mark,
            _ => {
                let put = |bits: Word, is_in: bool| if is_in { bits | bit(number) } else { bits & !bit(number) };
                self.lost = put(self.lost, mark & LOST != 0);
                self.retransmitted = put(self.retransmitted, mark & RETRANSMITTED != 0);
            }
        }
    }

    /// How many numbers from the base on have marks of their own.
    #[inline(always)]
    fn capacity(&self) -> u32 {
        match &self.wide {
            Some(cells) if self.is_wide => cells.capacity(),
            _ => SPAN,
        }
    }
}

/// The scoreboard of one sender.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    sacked: NumberSet,
    marks: Marks,
    base: u32,
    lost: u32,
    retransmitted: u32,
    /// One more than each of the three highest SACKed numbers, highest first; 0 for none.
    highest: [u32; DUPLICATE_THRESHOLD as usize],
    /// Every number below is SACKed or marked lost.
    frontier: u32,
    /// Every lost number below has been retransmitted in this recovery.
    cursor: u32,
}

impl Scoreboard {
    /// Have it brought into the cache.
    #[inline(always)]
    pub fn foresee(&self) {
        prefetch_index(from_ref(&self.sacked), 0);
        prefetch_index(from_ref(&self.marks), 0);
    }

    /// Is nothing SACKed, lost or sent again?
    #[inline]
    pub fn is_quiet(&self) -> bool {
        self.sacked.count() == 0 && self.lost == 0 && self.retransmitted == 0
    }

    /// Everything below `una` is acknowledged.
    #[inline(always)]
    pub fn acknowledge(&mut self, una: u32) {
        if !self.is_quiet() {
            self.settle_below(una);
        }
        self.sacked.advance(una);
        self.base = una;
        if self.is_quiet() {
            self.marks.settle();
        }
    }

    /// Packets below `una` are neither lost nor under way again any more.
    #[cold]
    fn settle_below(&mut self, una: u32) {
        let top = una.min(self.base.saturating_add(self.marks.capacity()));
        for number in self.base..top {
            let mark = self.marks.at(number);
            if mark != 0 {
                self.marks.set(number, 0);
            }
            if mark != 0 && !self.sacked.contains(number) {
                self.lost -= u32::from(mark & LOST != 0);
                self.retransmitted -= u32::from(mark & RETRANSMITTED != 0);
            }
        }
    }

    /// Digest the blocks of an acknowledgement; how many packets are SACKed for the first time?
    pub fn sack(&mut self, blocks: &[SackBlock], high: u32) -> u32 {
        let mut news = 0;
        for block in blocks {
            let (start, end) = (block.start.max(self.base), block.end.min(high));
            if start >= end {
                continue;
            }
            self.marks.cover(self.base, high + 1);
            let Scoreboard { sacked, marks, lost, retransmitted, highest, .. } = self;
            sacked.insert(start, end, |number| {
                news += 1;
                let mark = marks.at(number);
                *lost -= u32::from(mark & LOST != 0);
                *retransmitted -= u32::from(mark & RETRANSMITTED != 0);
                let rank = highest.iter().position(|&other| number + 1 > other);
                if let Some(rank) = rank {
                    highest[rank..].rotate_right(1);
                    highest[rank] = number + 1;
                }
            });
        }
        if news > 0 {
            self.move_frontier();
        }
        news
    }

    /// Mark lost what has three SACKed packets above.
    fn move_frontier(&mut self) {
        let third = self.highest[DUPLICATE_THRESHOLD as usize - 1].saturating_sub(1);
        for number in self.frontier.max(self.base)..third {
            if !self.sacked.contains(number) {
                let mark = self.marks.at(number);
                self.lost += u32::from(mark & LOST == 0);
                self.marks.set(number, mark | LOST);
            }
        }
        self.frontier = self.frontier.max(third);
    }

    /// `SetPipe` of RFC 6675 §4: packets thought to be in flight, with `una..high` outstanding.
    #[inline]
    pub fn pipe(&self, una: u32, high: u32) -> u32 {
        high - una - self.sacked.count() - self.lost + self.retransmitted
    }

    /// Packets that are lost by `IsLost` of RFC 6675 §4 and not SACKed, retransmitted or not.
    #[inline]
    pub fn lost(&self) -> u32 {
        self.lost
    }

    /// `IsLost` of RFC 6675 §4 for the first outstanding packet.
    pub fn first_is_lost(&self) -> bool {
        self.lost > 0 && self.marks.at(self.base) & LOST != 0
    }

    /// A recovery begins: lost packets are retransmitted from `una` on. The first is counted as lost
    /// whatever the blocks say, because three duplicate acknowledgements did.
    pub fn begin_recovery(&mut self, high: u32) {
        self.marks.cover(self.base, high + 1);
        self.cursor = self.base;
        let mark = self.marks.at(self.base);
        if mark & LOST == 0 {
            self.marks.set(self.base, mark | LOST);
            self.lost += 1;
        }
    }

    /// The timer ran out: the blocks are forgotten (RFC 2018 §8) and everything outstanding is lost.
    pub fn all_lost(&mut self, high: u32) {
        self.marks.cover(self.base, high + 1);
        self.sacked.clear();
        for number in self.base..high {
            self.marks.set(number, LOST);
        }
        self.lost = high - self.base;
        self.retransmitted = 0;
        self.highest = [0; DUPLICATE_THRESHOLD as usize];
        self.frontier = high;
        self.cursor = self.base;
    }

    /// Rule 1 of `NextSeg`: the first lost packet not yet retransmitted in this recovery.
    pub fn next_lost(&mut self) -> Option<u32> {
        if self.lost == 0 {
            return None;
        }
        self.cursor = self.cursor.max(self.base);
        while self.cursor < self.frontier.max(self.base + 1) {
            let number = self.cursor;
            if self.marks.at(number) == LOST && !self.sacked.contains(number) {
                return Some(number);
            }
            self.cursor += 1;
        }
        None
    }

    /// Rule 3 of `NextSeg`: a hole below the highest SACKed packet that is not known to be lost.
    pub fn next_hole(&mut self) -> Option<u32> {
        self.cursor = self.cursor.max(self.base);
        while self.cursor + 1 < self.highest[0] {
            let number = self.cursor;
            if self.marks.at(number) & RETRANSMITTED == 0 && !self.sacked.contains(number) {
                return Some(number);
            }
            self.cursor += 1;
        }
        None
    }

    /// This packet has been sent again.
    pub fn note_retransmission(&mut self, number: u32) {
        let mark = self.marks.at(number);
        self.retransmitted += u32::from(mark & RETRANSMITTED == 0);
        self.marks.set(number, mark | RETRANSMITTED);
        self.cursor = self.cursor.max(number + 1);
    }

    /// Is this packet known to have arrived?
    pub fn is_sacked(&self, number: u32) -> bool {
        self.sacked.contains(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// RFC 6675 word for word: sets, walks, no counters.
    #[derive(Default)]
    struct Model {
        una: u32,
        sacked: BTreeSet<u32>,
        lost: BTreeSet<u32>,
        retransmitted: BTreeSet<u32>,
    }

    impl Model {
        fn update_lost(&mut self, high: u32) {
            for number in self.una..high {
                if !self.sacked.contains(&number) && self.sacked.range(number..).count() >= 3 {
                    self.lost.insert(number);
                }
            }
        }

        fn pipe(&self, high: u32) -> u32 {
            (self.una..high)
                .filter(|number| !self.sacked.contains(number))
                .map(|number| {
                    u32::from(!self.lost.contains(&number)) + u32::from(self.retransmitted.contains(&number))
                })
                .sum()
        }

        fn next_lost(&self, high: u32) -> Option<u32> {
            (self.una..high).find(|number| {
                !self.sacked.contains(number)
                    && self.lost.contains(number)
                    && !self.retransmitted.contains(number)
            })
        }
    }

    #[derive(Clone, Debug)]
    enum Step {
        /// The packet with this rank among the missing ones reaches the receiver.
        Receive(usize),
        Retransmit,
        Timeout,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            10 => (0usize..60).prop_map(Step::Receive),
            2 => (0usize..400).prop_map(Step::Receive),
            4 => Just(Step::Retransmit),
            1 => Just(Step::Timeout),
        ]
    }

    proptest! {
        /// Any history of arrivals, retransmissions and timeouts leaves counters equal to the walks of the RFC.
        #[test]
        fn counters_agree_with_the_walks_of_the_rfc(
            high in prop_oneof![Just(60u32), Just(SPAN - 1), Just(SPAN), Just(300)],
            steps in proptest::collection::vec(step(), 1..200),
        ) {
            let mut board = Scoreboard::default();
            let mut model = Model::default();
            let mut received = BTreeSet::new();
            for step in steps {
                match step {
                    Step::Receive(rank) => {
                        let missing: Vec<u32> = (0..high).filter(|n| !received.contains(n)).collect();
                        if missing.is_empty() {
                            break;
                        }
                        let number = missing[rank % missing.len()];
                        received.insert(number);
                        let una = (0..).find(|n| !received.contains(n)).unwrap();
                        board.acknowledge(una);
                        model.una = una;
                        if number > una {
                            let start = (0..=number).rev().take_while(|n| received.contains(n)).last().unwrap();
                            let end = (number..).find(|n| !received.contains(n)).unwrap();
                            board.sack(&[SackBlock { start, end }], high);
                            model.sacked.extend(start..end);
                        }
                        model.update_lost(high);
                    }
                    Step::Retransmit => {
                        let next = board.next_lost();
                        prop_assert_eq!(next, model.next_lost(high));
                        if let Some(number) = next {
                            board.note_retransmission(number);
                            model.retransmitted.insert(number);
                        }
                    }
                    Step::Timeout => {
                        board.all_lost(high);
                        model.sacked.clear();
                        model.retransmitted.clear();
                        model.lost = (model.una..high).collect();
                    }
                }
                prop_assert_eq!(board.pipe(model.una, high), model.pipe(high));
            }
        }
    }

    #[test]
    fn three_packets_above_make_a_hole_lost() {
        let mut board = Scoreboard::default();
        board.sack(&[SackBlock { start: 1, end: 3 }], 10);
        assert!(!board.first_is_lost());
        board.sack(&[SackBlock { start: 1, end: 4 }], 10);
        assert!(board.first_is_lost());
        assert_eq!(board.next_lost(), Some(0));
        assert_eq!(board.pipe(0, 10), 6);
    }

    #[test]
    fn without_new_data_a_hole_that_is_not_lost_may_go() {
        let mut board = Scoreboard::default();
        board.sack(&[SackBlock { start: 2, end: 3 }, SackBlock { start: 4, end: 5 }], 10);
        assert_eq!(board.next_lost(), None);
        assert_eq!(board.next_hole(), Some(0));
        board.note_retransmission(0);
        assert_eq!(board.next_hole(), Some(1));
        board.note_retransmission(1);
        assert_eq!(board.next_hole(), Some(3));
    }
}
