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
//! Cost per acknowledgement is constant, whatever the window and the number of holes: a block is looked through word by word
//! of its bits, full words at once, and the loss frontier and the retransmission cursor visit each packet once.

use super::number_set::NumberSet;
use crate::ack_details::SackBlock;
use prefetch_index::prefetch_index;
use std::slice::from_ref;

/// Packets SACKed above a hole that make it lost.
pub const DUPLICATE_THRESHOLD: u32 = 3;

/// What blocks say about a packet for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The receiver holds it.
    Arrived,
    /// It is lost (`IsLost`).
    Lost,
}

/// The scoreboard of one sender.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    sacked: NumberSet,
    /// What is lost by `IsLost` and not SACKed, retransmitted or not.
    lost: NumberSet,
    /// What has been sent again in this recovery and not been SACKed.
    retransmitted: NumberSet,
    base: u32,
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
    pub fn prefetch(&self) {
        prefetch_index(from_ref(&self.sacked), 0);
        prefetch_index(from_ref(&self.retransmitted), 0);
    }

    /// Is nothing SACKed, lost or sent again?
    #[inline]
    pub fn is_quiet(&self) -> bool {
        self.sacked.count() == 0 && self.lost.count() == 0 && self.retransmitted.count() == 0
    }

    /// Everything below `una` is acknowledged.
    #[inline(always)]
    pub fn acknowledge(&mut self, una: u32) {
        self.sacked.advance(una);
        self.lost.advance(una);
        self.retransmitted.advance(una);
        self.base = una;
    }

    /// Digest the blocks of an acknowledgement and tell what they say about single packets; how many are SACKed for the first time?
    #[inline]
    pub fn sack(&mut self, blocks: &[SackBlock], high: u32, mut tell: impl FnMut(u32, Finding)) -> u32 {
        let before = self.sacked.count();
        for block in blocks {
            let (start, end) = (block.start.max(self.base), block.end.min(high));
            if start >= end {
                continue;
            }
            let Scoreboard { sacked, lost, retransmitted, highest, .. } = self;
            sacked.insert(start, end, |number| {
                lost.remove(number);
                retransmitted.remove(number);
                tell(number, Finding::Arrived);
                let rank = highest.iter().position(|&other| number + 1 > other);
                if let Some(rank) = rank {
                    (rank + 1..highest.len()).rev().for_each(|lower| highest[lower] = highest[lower - 1]);
                    highest[rank] = number + 1;
                }
            });
        }
        let news = self.sacked.count() - before;
        if news > 0 {
            self.move_frontier(|number| tell(number, Finding::Lost));
        }
        news
    }

    /// Mark lost what has three SACKed packets above.
    #[inline]
    fn move_frontier(&mut self, mut on_lost: impl FnMut(u32)) {
        let third = self.highest[DUPLICATE_THRESHOLD as usize - 1].saturating_sub(1);
        for number in self.frontier.max(self.base)..third {
            if !self.sacked.contains(number) {
                self.lost.add(number);
                on_lost(number);
            }
        }
        self.frontier = self.frontier.max(third);
    }

    /// `SetPipe` of RFC 6675 §4: packets thought to be in flight, with `una..high` outstanding.
    #[inline]
    pub fn pipe(&self, una: u32, high: u32) -> u32 {
        high - una - self.sacked.count() - self.lost.count() + self.retransmitted.count()
    }

    /// Packets that are SACKed.
    #[inline]
    pub fn sacked(&self) -> u32 {
        self.sacked.count()
    }

    /// Packets that are lost by `IsLost` of RFC 6675 §4 and not SACKed, retransmitted or not.
    #[inline]
    pub fn lost(&self) -> u32 {
        self.lost.count()
    }

    /// `IsLost` of RFC 6675 §4 for the first outstanding packet.
    pub fn first_is_lost(&self) -> bool {
        self.lost.contains(self.base)
    }

    /// A recovery begins: lost packets are retransmitted from `una` on. The first is counted as lost
    /// whatever the blocks say, because three duplicate acknowledgements did.
    pub fn begin_recovery(&mut self) {
        self.cursor = self.base;
        self.lost.add(self.base);
    }

    /// The timer expired: the blocks are forgotten (RFC 2018 §8) and everything outstanding is lost.
    pub fn all_lost(&mut self, high: u32) {
        self.sacked.clear();
        self.retransmitted.clear();
        if high > self.base {
            self.lost.insert(self.base, high, |_| ());
        }
        self.highest = [0; DUPLICATE_THRESHOLD as usize];
        self.frontier = high;
        self.cursor = self.base;
    }

    /// Rule 1 of `NextSeg`: the first lost packet not yet retransmitted in this recovery.
    pub fn next_lost(&mut self) -> Option<u32> {
        if self.lost.count() == 0 {
            return None;
        }
        self.cursor = self.cursor.max(self.base);
        while self.cursor < self.frontier.max(self.base + 1) {
            let number = self.cursor;
            if self.lost.contains(number) && !self.retransmitted.contains(number) {
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
            if !self.retransmitted.contains(number) && !self.sacked.contains(number) {
                return Some(number);
            }
            self.cursor += 1;
        }
        None
    }

    /// This packet has been sent again.
    pub fn note_retransmission(&mut self, number: u32) {
        self.retransmitted.add(number);
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
    use crate::tcp::number_set::SPAN;
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
            let (mut arrived, mut lost) = (BTreeSet::new(), BTreeSet::new());
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
                            board.sack(&[SackBlock { start, end }], high, |number, finding| match finding {
                                Finding::Arrived => _ = arrived.insert(number),
                                Finding::Lost => _ = lost.insert(number),
                            });
                            model.sacked.extend(start..end);
                        }
                        model.update_lost(high);
                        // What is told is what the model finds, but for what is acknowledged cumulatively.
                        let beyond = |set: &BTreeSet<u32>| set.range(una..).copied().collect::<Vec<_>>();
                        prop_assert_eq!(beyond(&arrived), beyond(&model.sacked));
                        prop_assert!(lost.is_subset(&model.lost) && beyond(&model.lost).iter().all(|n| lost.contains(n)));
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
                        (arrived, lost) = (BTreeSet::new(), model.lost.clone());
                    }
                }
                prop_assert_eq!(board.pipe(model.una, high), model.pipe(high));
            }
        }
    }

    #[test]
    fn three_packets_above_make_a_hole_lost() {
        let mut board = Scoreboard::default();
        let mut told = Vec::new();
        board.sack(&[SackBlock { start: 1, end: 3 }], 10, |number, finding| told.push((number, finding)));
        assert!(!board.first_is_lost());
        board.sack(&[SackBlock { start: 1, end: 4 }], 10, |number, finding| told.push((number, finding)));
        assert_eq!(
            told,
            [(1, Finding::Arrived), (2, Finding::Arrived), (3, Finding::Arrived), (0, Finding::Lost)]
        );
        assert!(board.first_is_lost());
        assert_eq!(board.next_lost(), Some(0));
        assert_eq!(board.pipe(0, 10), 6);
    }

    #[test]
    fn without_new_data_a_hole_that_is_not_lost_may_go() {
        let mut board = Scoreboard::default();
        board.sack(&[SackBlock { start: 2, end: 3 }, SackBlock { start: 4, end: 5 }], 10, |_, _| ());
        assert_eq!(board.next_lost(), None);
        assert_eq!(board.next_hole(), Some(0));
        board.note_retransmission(0);
        assert_eq!(board.next_hole(), Some(1));
        board.note_retransmission(1);
        assert_eq!(board.next_hole(), Some(3));
    }
}
