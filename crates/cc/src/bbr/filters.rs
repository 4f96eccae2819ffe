//! The largest value of a window of slots: cycles, or round trips.
//!
//! Source: draft-ietf-ccwg-bbr §5.5.3 (`UpdateWindowedMaxFilter`). The draft allows an approximation by three samples; this is exact.
//!
//! A slot that is over goes only when a value of a later slot arrives. So an estimate stays while nothing is measured.

use std::collections::VecDeque;

/// A windowed maximum. Values fall from front to back, and slots rise.
#[derive(Clone, Debug, Default)]
pub struct MaxFilter {
    kept: VecDeque<(u64, f64)>,
    /// The first of these and the last, if there are any, where a new value is compared with them at once.
    ends: Option<[(u64, f64); 2]>,
}

impl MaxFilter {
    /// A value of this slot, in a window of so many slots, this one included.
    #[inline]
    pub fn add(&mut self, slot: u64, value: f64, window: u64) {
        if let Some([(first, _), (last, least)]) = self.ends
            && (last == slot && least > value && first + window > slot)
        {
            return; // nothing is kept of it, and nothing forgotten: most often
        }
        self.keep(slot, value, window);
    }

    #[inline(never)]
    fn keep(&mut self, slot: u64, value: f64, window: u64) {
        while self.kept.back().is_some_and(|&(_, smaller)| smaller <= value) {
            self.kept.pop_back();
        }
        // A smaller value of the same slot never becomes the largest.
        if self.kept.back().is_none_or(|&(last, _)| last != slot) {
            self.kept.push_back((slot, value));
        }
        while self.kept.front().is_some_and(|&(first, _)| first + window <= slot) {
            self.kept.pop_front();
        }
        self.ends = self.kept.front().zip(self.kept.back()).map(|(&first, &last)| [first, last]);
    }

    /// The largest value; 0 before the first.
    pub fn max(&self) -> f64 {
        self.ends.map_or(0.0, |[(_, value), _]| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The maximum over the slots of the window, for any values in any slots.
        #[test]
        fn the_largest_of_the_window(steps in proptest::collection::vec((0u64..3, 0u32..20), 1..200), window in 1u64..6) {
            let (mut filter, mut all, mut slot) = (MaxFilter::default(), Vec::new(), 0);
            for (ahead, value) in steps {
                slot += ahead;
                filter.add(slot, f64::from(value), window);
                all.push((slot, value));
                let inside = all.iter().filter(|(then, _)| then + window > slot);
                let expected = inside.map(|&(_, value)| value).max().expect("this value is inside");
                prop_assert_eq!(filter.max(), f64::from(expected));
                prop_assert!(filter.kept.len() <= window as usize);
            }
        }
    }

    #[test]
    fn nothing_is_forgotten_while_nothing_is_measured() {
        let mut filter = MaxFilter::default();
        assert_eq!(filter.max(), 0.0);
        filter.add(0, 9.0, 2);
        filter.add(1, 5.0, 2);
        assert_eq!(filter.max(), 9.0);
        filter.add(7, 1.0, 2);
        assert_eq!(filter.max(), 1.0);
    }
}
