//! Sets of packet numbers above a moving base: a few bits while they lie close together, a [`RunMap`] beyond.
//!
//! Most flows have fewer than a hundred packets outstanding. What is SACKed or held of these fits into the bits of one [`Word`], which
//! stands in the flow's own cache lines, and runs are found by counting ones. A run map of the same numbers has 12 bytes for each,
//! in lines of its own, of which every packet touches other ones: with 100,000 flows of which many repair losses that took 40 ns a
//! packet. Its cost grows neither with the window nor with the number of holes, so it takes over when the numbers need more room,
//! until the set is empty again.

use super::run_map::RunMap;

/// A bit for each number of a span, at its place modulo the width.
pub type Word = u128;

/// So many numbers from the base on have bits. One bit stays free: no run of ones goes round.
pub const SPAN: u32 = Word::BITS - 1;

/// The bit of a number.
#[inline(always)]
pub fn bit(number: u32) -> Word {
    1 << (number % Word::BITS)
}

/// The bits of `start..end`, at most [`SPAN`] of them.
#[inline(always)]
pub fn bits(start: u32, end: u32) -> Word {
    ((1 << (end - start)) - 1 as Word).rotate_left(start % Word::BITS)
}

/// A set of packet numbers at or above its base.
#[derive(Clone, Debug, Default)]
pub struct NumberSet {
    near: Word,
    base: u32,
    count: u32,
    is_wide: bool,
    /// Holds the numbers while the set is wide; empty, but kept, otherwise.
    wide: Option<Box<RunMap>>,
}

impl NumberSet {
    /// The least number that may be in the set.
    #[inline(always)]
    pub fn base(&self) -> u32 {
        self.base
    }

    /// How many numbers are in the set.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        self.count
    }

    fn runs(&self) -> &RunMap {
        self.wide.as_ref().expect("a wide set has a run map")
    }

    fn runs_mut(&mut self) -> &mut RunMap {
        self.wide.as_mut().expect("a wide set has a run map")
    }

    /// Is this number in the set?
    #[inline]
    pub fn contains(&self, number: u32) -> bool {
        if self.is_wide {
            return self.runs().contains(number);
        }
        number.wrapping_sub(self.base) < SPAN && self.near & bit(number) != 0
    }

    /// Add `start..end` (at or above the base) and call `on_new` for each number that was missing.
    /// Runs known so far that touch the range must lie in it wholly or be adjacent to it, as blocks of one
    /// receiver do. Returns the run that now holds the range.
    #[inline]
    pub fn insert(&mut self, start: u32, end: u32, mut on_new: impl FnMut(u32)) -> (u32, u32) {
        if self.is_wide || end - self.base > SPAN {
            return self.insert_wide(start, end, on_new);
        }
        let range = bits(start, end);
        let mut new = (range & !self.near).rotate_right(start % Word::BITS);
        self.near |= range;
        while new != 0 {
            self.count += 1;
            on_new(start + new.trailing_zeros());
            new &= new - 1;
        }
        self.near_run(start)
    }

    #[inline(never)]
    fn insert_wide(&mut self, start: u32, end: u32, on_new: impl FnMut(u32)) -> (u32, u32) {
        if !self.is_wide {
            self.widen();
        }
        let run = self.runs_mut().insert(start, end, on_new);
        self.count = self.runs().count();
        run
    }

    #[cold]
    fn widen(&mut self) {
        let (base, mut left) = (self.base, std::mem::take(&mut self.near));
        let runs = self.wide.get_or_insert_default();
        runs.advance(base);
        while left != 0 {
            let start = base + left.rotate_right(base % Word::BITS).trailing_zeros();
            let end = start + left.rotate_right(start % Word::BITS).trailing_ones();
            runs.insert(start, end, |_| ());
            left &= !bits(start, end);
        }
        self.is_wide = true;
    }

    /// The run that holds this member of the set.
    #[inline(always)]
    fn near_run(&self, number: u32) -> (u32, u32) {
        let from_here = self.near.rotate_right(number % Word::BITS);
        (number - from_here.leading_ones(), number + from_here.trailing_ones())
    }

    /// The run that holds this member of a set which was filled number by number.
    pub fn run_of(&mut self, number: u32) -> (u32, u32) {
        if self.is_wide { self.runs_mut().run_of(number) } else { self.near_run(number) }
    }

    /// Move the base up and forget what lies below.
    #[inline(always)]
    pub fn advance(&mut self, base: u32) {
        if self.count > 0 {
            self.forget_below(base);
        }
        self.base = base;
    }

    fn forget_below(&mut self, base: u32) {
        if self.is_wide {
            self.runs_mut().advance(base);
            self.count = self.runs().count();
            self.is_wide = self.count > 0;
        } else {
            self.near &= if base - self.base < SPAN { !bits(self.base, base) } else { 0 };
            self.count = self.near.count_ones();
        }
    }

    /// Forget everything.
    pub fn clear(&mut self) {
        if self.is_wide {
            self.runs_mut().clear();
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
        /// A receiver's out-of-order store, against a plain set: single numbers in any order within a window that the bits
        /// hold, just hold, and do not hold; base at the first gap, and now and then beyond everything.
        #[test]
        fn single_numbers_form_the_runs_of_a_set(
            window in prop_oneof![Just(40u32), Just(SPAN - 1), Just(SPAN), Just(300)],
            steps in proptest::collection::vec((0u32..300, 0u32..100), 1..400),
        ) {
            let mut set = NumberSet::default();
            let mut model = BTreeSet::new();
            let mut base = 0;
            for (offset, luck) in steps {
                if luck == 0 {
                    base += offset;
                    set.advance(base);
                    model.retain(|&n| n >= base);
                } else if luck == 1 {
                    set.clear();
                    model.clear();
                }
                let number = base + offset % window;
                prop_assert_eq!(set.contains(number), model.contains(&number));
                let fresh = model.insert(number);
                let run = if fresh { set.insert(number, number + 1, |_| ()) } else { set.run_of(number) };
                let first = (base..=number).rev().take_while(|n| model.contains(n)).last().unwrap();
                let end = (number..).find(|n| !model.contains(n)).unwrap();
                prop_assert_eq!(run, (first, end));
                if first == base {
                    base = end;
                    set.advance(base);
                    model.retain(|&n| n >= base);
                }
                prop_assert_eq!(set.count() as usize, model.len());
                for probe in base.saturating_sub(5)..base + 320 {
                    prop_assert_eq!(set.contains(probe), model.contains(&probe));
                }
            }
        }

        /// Blocks report what is new in them, each number once.
        #[test]
        fn known_parts_of_a_block_are_not_reported_again(base in 0u32..1000, blocks in proptest::collection::vec((0u32..8, 1u32..40), 1..20)) {
            let mut set = NumberSet::default();
            set.advance(base);
            let mut model = BTreeSet::new();
            for (place, length) in blocks {
                // Blocks with the same beginning only grow, as those of one receiver do.
                let start = base + 45 * place;
                let end = start + length;
                let mut new = Vec::new();
                set.insert(start, end, |number| new.push(number));
                let expected: Vec<u32> = (start..end).filter(|&number| model.insert(number)).collect();
                prop_assert_eq!(new, expected);
                prop_assert_eq!(set.count() as usize, model.len());
            }
        }
    }
}
