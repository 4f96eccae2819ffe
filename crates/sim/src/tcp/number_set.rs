//! Sets of packet numbers above a moving base: the bits of one word while they lie close together, a [`BitRing`] beyond.
//!
//! Most flows have fewer than 60 packets outstanding. What is SACKed, lost or held of these fits into a [`Word`] that stands in the
//! flow's own cache lines. An earlier layout had a cell of 12 bytes per number, and every packet touched other cache lines. With
//! 100,000 flows, many of them repairing losses, it took 60 ns more per packet and as much memory as everything else.

use super::bit_ring::BitRing;

/// A bit for each number of a span, at its place modulo the width.
type Word = u64;

/// So many numbers from the base on have bits. One bit stays free: no run of ones goes round.
pub const SPAN: u32 = Word::BITS - 1;

/// The bits of `start..end`, at least one and at most [`SPAN`] of them.
#[inline(always)]
fn bits(start: u32, end: u32) -> Word {
    (Word::MAX >> (Word::BITS - (end - start))).rotate_left(start % Word::BITS)
}

/// A set of packet numbers at or above its base.
#[derive(Clone, Debug, Default)]
pub struct NumberSet {
    near: Word,
    base: u32,
    count: u32,
    /// Holds the numbers while the set is wide; empty, but kept, otherwise.
    wide: Option<Box<BitRing>>,
    is_wide: bool,
}

impl NumberSet {
    /// How many numbers are in the set.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        self.count
    }

    fn ring(&self) -> &BitRing {
        self.wide.as_ref().expect("a wide set has a ring")
    }

    fn ring_mut(&mut self) -> &mut BitRing {
        self.wide.as_mut().expect("a wide set has a ring")
    }

    /// Is this number in the set?
    #[inline]
    pub fn contains(&self, number: u32) -> bool {
        if self.is_wide {
            return number.wrapping_sub(self.base) < self.ring().room() && self.ring().contains(number);
        }
        number.wrapping_sub(self.base) < SPAN && self.near >> (number % Word::BITS) & 1 != 0
    }

    /// Add a number at or above the base; was it missing?
    #[inline]
    pub fn add(&mut self, number: u32) -> bool {
        if self.is_wide || number - self.base >= SPAN {
            self.widen(number + 1);
            let is_new = self.ring_mut().insert(number);
            self.count += u32::from(is_new);
            return is_new;
        }
        let bit = 1 << (number % Word::BITS);
        let is_new = self.near & bit == 0;
        self.near |= bit;
        self.count += u32::from(is_new);
        is_new
    }

    /// Add `start..end`, at least one number at or above the base, and call `on_new` for each that was missing.
    #[inline]
    pub fn insert(&mut self, start: u32, end: u32, mut on_new: impl FnMut(u32)) {
        if self.is_wide || end - self.base > SPAN {
            self.widen(end);
            let first = self.ring().run_end(start);
            if first < end {
                self.insert_wide(first, end, on_new); // of most blocks all is known
            }
            return;
        }
        let range = bits(start, end);
        let mut new = (range & !self.near).rotate_right(start % Word::BITS);
        self.near |= range;
        self.count += new.count_ones();
        while new != 0 {
            on_new(start + new.trailing_zeros());
            new &= new - 1;
        }
    }

    /// The same from the first number on that is missing.
    #[inline(never)]
    fn insert_wide(&mut self, mut number: u32, end: u32, mut on_new: impl FnMut(u32)) {
        let ring = self.wide.as_mut().expect("a wide set has a ring");
        while number < end {
            ring.insert(number);
            self.count += 1;
            on_new(number);
            number += 1;
            if number < end {
                number = ring.run_end(number);
            }
        }
    }

    /// Keep the numbers in the ring from now on, with room up to `end`.
    #[inline(always)]
    fn widen(&mut self, end: u32) {
        if !self.is_wide || end - self.base > self.ring().room() {
            self.make_room(end);
        }
    }

    #[cold]
    fn make_room(&mut self, end: u32) {
        let (base, mut left) = (self.base, std::mem::take(&mut self.near));
        self.is_wide = true;
        let ring = self.wide.get_or_insert_default();
        if end - base > ring.room() {
            ring.grow(base, end);
        }
        left = left.rotate_right(base % Word::BITS);
        while left != 0 {
            ring.insert(base + left.trailing_zeros());
            left &= left - 1;
        }
    }

    /// Take a number out, if it is in.
    #[inline]
    pub fn remove(&mut self, number: u32) {
        if self.count > 0 && self.contains(number) {
            self.count -= 1;
            if self.is_wide {
                self.ring_mut().remove(number);
            } else {
                self.near &= !(1 << (number % Word::BITS));
            }
        }
    }

    /// The run of numbers that holds this member of the set.
    #[inline]
    pub fn run_of(&self, number: u32) -> (u32, u32) {
        if self.is_wide {
            return (self.ring().run_start(number), self.ring().run_end(number));
        }
        let from_here = self.near.rotate_right(number % Word::BITS);
        (number - from_here.leading_ones(), number + from_here.trailing_ones())
    }

    /// Move the base up and forget what lies below.
    #[inline(always)]
    pub fn advance(&mut self, base: u32) {
        if self.count > 0 && base > self.base {
            self.forget_below(base);
        }
        self.base = base;
    }

    fn forget_below(&mut self, base: u32) {
        if self.is_wide {
            let known = self.base.saturating_add(self.ring().room());
            let (start, end) = (self.base, base.min(known));
            self.count -= self.ring_mut().remove_range(start, end);
            self.is_wide = self.count > 0;
        } else {
            self.near &= if base - self.base < SPAN { !bits(self.base, base) } else { 0 };
            self.count = self.near.count_ones();
        }
    }

    /// Forget everything.
    pub fn clear(&mut self) {
        if self.is_wide {
            let (start, end) = (self.base, self.base.saturating_add(self.ring().room()));
            self.ring_mut().remove_range(start, end);
        }
        (self.near, self.count, self.is_wide) = (0, 0, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// A receiver's out-of-order store, against a plain set: numbers in any order within a window that the bits
        /// hold, just hold, and do not hold; base at the first gap, and now and then beyond everything.
        #[test]
        fn numbers_form_the_runs_of_a_set(
            window in prop_oneof![Just(40u32), Just(SPAN - 1), Just(SPAN), Just(SPAN + 1), Just(700)],
            steps in proptest::collection::vec((0u32..700, 0u32..100), 1..500),
        ) {
            let mut set = NumberSet::default();
            let mut model = BTreeSet::new();
            let mut base = 0;
            for (offset, luck) in steps {
                let number = base + offset % window;
                match luck {
                    0 => {
                        base += offset;
                        set.advance(base);
                        model.retain(|&n| n >= base);
                    }
                    1 => {
                        set.clear();
                        model.clear();
                    }
                    2..10 => {
                        set.remove(number);
                        model.remove(&number);
                    }
                    _ => {
                        prop_assert_eq!(set.contains(number), model.contains(&number));
                        prop_assert_eq!(set.add(number), model.insert(number));
                        let first = (base..=number).rev().take_while(|n| model.contains(n)).last().unwrap();
                        let end = (number..).find(|n| !model.contains(n)).unwrap();
                        prop_assert_eq!(set.run_of(number), (first, end));
                        if first == base {
                            base = end;
                            set.advance(base);
                            model.retain(|&n| n >= base);
                        }
                    }
                }
                prop_assert_eq!(set.count() as usize, model.len());
                for probe in base.saturating_sub(5)..base + 720 {
                    prop_assert_eq!(set.contains(probe), model.contains(&probe));
                }
            }
        }

        /// Blocks report what is new in them, each number once.
        #[test]
        fn known_parts_of_a_block_are_not_reported_again(
            base in 0u32..1000, blocks in proptest::collection::vec((0u32..900, 1u32..80), 1..30)
        ) {
            let mut set = NumberSet::default();
            set.advance(base);
            let mut model = BTreeSet::new();
            for (offset, length) in blocks {
                let (start, end) = (base + offset, base + offset + length);
                let mut new = Vec::new();
                set.insert(start, end, |number| new.push(number));
                let expected: Vec<u32> = (start..end).filter(|&number| model.insert(number)).collect();
                prop_assert_eq!(new, expected);
                prop_assert_eq!(set.count() as usize, model.len());
            }
        }
    }
}
