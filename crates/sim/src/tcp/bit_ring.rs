//! A bit for each number of a sliding range, in a ring of words, and the run of ones around a number.
//!
//! A window of 500 packets is one cache line. In a large ring a second level marks the full words. So the end of a run is found by
//! reading two words and one more for each 4,096 numbers of the run: with 100,000 packets outstanding, at most 25.

/// Bits of a sliding range of numbers; whoever uses it keeps fewer than [`BitRing::room`] between the least and the greatest one set.
#[derive(Clone, Debug)]
pub struct BitRing {
    words: Vec<u64>,
    /// A bit for each word that has no zero; none of these while there are few words.
    full: Vec<u64>,
}

impl Default for BitRing {
    fn default() -> Self {
        BitRing { words: vec![0; Self::WORDS_MIN], full: Vec::new() }
    }
}

impl BitRing {
    /// One cache line.
    const WORDS_MIN: usize = 8;
    /// Words that one word of the second level stands for.
    const GROUP: usize = 64;

    /// How many numbers may lie between the least and the greatest. One word stays free: the ends of the range share none, and a run
    /// ends before it begins again.
    pub fn room(&self) -> u32 {
        (self.words.len() as u32 - 1) * 64
    }

    /// Make room for the numbers from `base` on up to `end`; none outside the old room may be set.
    pub fn grow(&mut self, base: u32, end: u32) {
        let words = ((end - base) as usize / 64 + 2).next_power_of_two();
        let mut larger = BitRing {
            words: vec![0; words.max(Self::WORDS_MIN)],
            full: vec![0; if words > Self::GROUP { words / Self::GROUP } else { 0 }],
        };
        for word in base / 64..base / 64 + self.words.len() as u32 {
            larger.put(word, self.word(word));
        }
        *self = larger;
    }

    #[inline(always)]
    fn word(&self, word: u32) -> u64 {
        self.words[word as usize & (self.words.len() - 1)]
    }

    #[inline(always)]
    fn put(&mut self, word: u32, bits: u64) {
        let place = word as usize & (self.words.len() - 1);
        self.words[place] = bits;
        if let Some(group) = self.full.get_mut(place / Self::GROUP) {
            let bit = 1 << (place % Self::GROUP);
            *group = if bits == u64::MAX { *group | bit } else { *group & !bit };
        }
    }

    /// Is this number set?
    #[inline(always)]
    pub fn contains(&self, number: u32) -> bool {
        self.word(number / 64) >> (number % 64) & 1 != 0
    }

    /// Set a number; was it missing?
    #[inline(always)]
    pub fn insert(&mut self, number: u32) -> bool {
        let (word, bit) = (self.word(number / 64), 1 << (number % 64));
        self.put(number / 64, word | bit);
        word & bit == 0
    }

    /// Take a number out.
    #[inline(always)]
    pub fn remove(&mut self, number: u32) {
        self.put(number / 64, self.word(number / 64) & !(1 << (number % 64)));
    }

    /// Take all of `start..end` out; how many were set?
    pub fn remove_range(&mut self, start: u32, end: u32) -> u32 {
        let (mut number, mut removed) = (start, 0);
        while number < end {
            let next = (number | 63).saturating_add(1).min(end);
            let bits = u64::MAX >> (64 - (next - number)) << (number % 64);
            let word = self.word(number / 64);
            removed += (word & bits).count_ones();
            self.put(number / 64, word & !bits);
            number = next;
        }
        removed
    }

    /// The first number from this one on that is not set.
    #[inline]
    pub fn run_end(&self, number: u32) -> u32 {
        let zeros = !self.word(number / 64) >> (number % 64);
        if zeros != 0 {
            return number + zeros.trailing_zeros();
        }
        let word = self.next_with_zero(number / 64 + 1);
        word * 64 + (!self.word(word)).trailing_zeros()
    }

    fn next_with_zero(&self, mut word: u32) -> u32 {
        if self.full.is_empty() {
            while self.word(word) == u64::MAX {
                word += 1;
            }
            return word;
        }
        loop {
            let group = self.full[(word as usize / Self::GROUP) & (self.full.len() - 1)];
            let zeros = !group >> (word % 64);
            if zeros != 0 {
                return word + zeros.trailing_zeros();
            }
            word = (word | 63) + 1;
        }
    }

    /// The first number of the run that this one, which is set, belongs to. The number before it is not set; below 0 nothing is.
    #[inline]
    pub fn run_start(&self, number: u32) -> u32 {
        let zeros = !self.word(number / 64) << (63 - number % 64);
        if zeros != 0 {
            return number + 1 - zeros.leading_zeros();
        }
        let word = self.last_with_zero((number / 64).wrapping_sub(1));
        word.wrapping_mul(64).wrapping_add(64 - (!self.word(word)).leading_zeros())
    }

    fn last_with_zero(&self, mut word: u32) -> u32 {
        if self.full.is_empty() {
            while self.word(word) == u64::MAX {
                word = word.wrapping_sub(1);
            }
            return word;
        }
        loop {
            let group = self.full[(word as usize / Self::GROUP) & (self.full.len() - 1)];
            let zeros = !group << (63 - word % 64);
            if zeros != 0 {
                return word.wrapping_sub(zeros.leading_zeros());
            }
            word = (word & !63).wrapping_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Against a plain set: runs of any length, in rings of any size, wherever the range lies.
        #[test]
        fn runs_are_those_of_a_set(
            base in prop_oneof![Just(0u32), 0u32..10_000, Just(1 << 30)],
            runs in proptest::collection::vec((0u32..9_000, 1u32..3_000), 1..12),
            removed in proptest::collection::vec((0u32..9_000, 1u32..200), 0..6),
        ) {
            let mut ring = BitRing::default();
            let mut model = BTreeSet::new();
            for (offset, length) in runs {
                let (start, end) = (base + offset, base + offset + length);
                if end - base > ring.room() {
                    ring.grow(base, end);
                }
                (start..end).for_each(|number| _ = ring.insert(number));
                model.extend(start..end);
            }
            for (offset, length) in removed {
                let end = (offset + length).min(ring.room());
                let start = offset.min(end);
                let expected = (base + start..base + end).filter(|number| model.remove(number)).count();
                prop_assert_eq!(ring.remove_range(base + start, base + end) as usize, expected);
            }
            let mut start = base;
            for number in base..base + ring.room() {
                prop_assert_eq!(ring.contains(number), model.contains(&number));
                if !model.contains(&number) {
                    start = number + 1;
                } else {
                    prop_assert_eq!(ring.run_start(number), start);
                    if number % 13 == 0 {
                        prop_assert_eq!(Some(ring.run_end(number)), (number..).find(|other| !model.contains(other)));
                    }
                }
            }
        }
    }
}
