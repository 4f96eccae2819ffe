//! Sets of packet numbers above a moving base, as maximal runs, in constant time per number.
//!
//! A ring of cells indexed by packet number. The first and the last cell of a run know the other end of it
//! (boundary tags), so runs merge, and blocks that hold nothing new are skipped, without a search. Cost
//! grows neither with the window nor with the number of holes. Nothing is allocated before the first use.

/// Cells for a sliding range of packet numbers; a power of two of them.
#[derive(Clone, Debug, Default)]
pub struct NumberRing<T> {
    cells: Vec<T>,
}

impl<T: Copy + Default> NumberRing<T> {
    /// Make room so that every number of `base..end` has its own cell; cells of new numbers are default.
    #[inline]
    pub fn cover(&mut self, base: u32, end: u32) {
        if (end - base) as usize > self.cells.len() {
            self.grow(base, end);
        }
    }

    #[cold]
    fn grow(&mut self, base: u32, end: u32) {
        let mut larger = vec![T::default(); ((end - base) as usize).next_power_of_two().max(64)];
        let mask = larger.len() - 1;
        for number in base..base + self.cells.len() as u32 {
            larger[number as usize & mask] = self.at(number);
        }
        self.cells = larger;
    }

    #[inline(always)]
    fn place(&self, number: u32) -> usize {
        number as usize & (self.cells.len() - 1)
    }

    /// The cell of a covered number.
    #[inline(always)]
    pub fn at(&self, number: u32) -> T {
        self.cells[self.place(number)]
    }

    /// The cell of a covered number, to change.
    #[inline(always)]
    pub fn at_mut(&mut self, number: u32) -> &mut T {
        let place = self.place(number);
        &mut self.cells[place]
    }

    /// Are there any cells?
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// How many numbers have cells.
    #[inline(always)]
    pub fn capacity(&self) -> u32 {
        self.cells.len() as u32
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    present: bool,
    /// In the last cell of a run: its first number. In others: a number of the same run, at or before this
    /// one; itself only in the first cell. Following it leads to the first cell, as in a union-find tree.
    first: u32,
    /// In the first cell of a run: one past its last number.
    end: u32,
}

/// A set of packet numbers at or above its base.
#[derive(Clone, Debug, Default)]
pub struct RunMap {
    cells: NumberRing<Cell>,
    base: u32,
    count: u32,
}

impl RunMap {
    /// How many numbers are in the set.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Is this number in the set?
    #[inline]
    pub fn contains(&self, number: u32) -> bool {
        self.count > 0
            && number >= self.base
            && number - self.base < self.cells.capacity()
            && self.cells.at(number).present
    }

    /// Add `start..end` (at or above the base) and call `on_new` for each number that was missing.
    /// Runs known so far that touch the range must lie in it wholly or be adjacent to it, as blocks of one
    /// receiver do. Returns the run that now holds the range.
    pub fn insert(&mut self, start: u32, end: u32, mut on_new: impl FnMut(u32)) -> (u32, u32) {
        self.cells.cover(self.base, end + 1);
        let mut number = start;
        while number < end {
            let cell = self.cells.at(number);
            if cell.present {
                number = cell.end;
            } else {
                self.cells.at_mut(number).present = true;
                self.count += 1;
                on_new(number);
                number += 1;
            }
        }
        let mut run = (start, number.max(end));
        if start > self.base && self.contains(start - 1) {
            run.0 = self.cells.at(start - 1).first;
        }
        let right = run.1;
        if self.contains(right) {
            run.1 = self.cells.at(right).end;
            self.cells.at_mut(right).first = run.0;
        }
        self.cells.at_mut(start).first = run.0;
        self.cells.at_mut(run.0).end = run.1;
        self.cells.at_mut(run.1 - 1).first = run.0;
        run
    }

    /// The run that holds this member of a set which was filled number by number. Paths are halved on the
    /// way, so the cost is all but constant, amortised.
    pub fn run_of(&mut self, number: u32) -> (u32, u32) {
        let mut first = number;
        while self.cells.at(first).first != first {
            let before = self.cells.at(first).first;
            self.cells.at_mut(first).first = self.cells.at(before).first;
            first = before;
        }
        (first, self.cells.at(first).end)
    }

    /// Move the base up and forget what lies below.
    #[inline(always)]
    pub fn advance(&mut self, base: u32) {
        if self.count > 0 {
            self.forget_below(base);
        }
        self.base = base;
    }

    #[cold]
    fn forget_below(&mut self, base: u32) {
        let top = base.min(self.base.saturating_add(self.cells.capacity()));
        for number in self.base..top {
            if self.cells.at(number).present {
                self.cells.at_mut(number).present = false;
                self.count -= 1;
                if number + 1 == base && self.contains(base) {
                    self.reopen_run(base);
                }
            }
        }
    }

    /// A run was cut in two by the base: give its rest a first cell of its own.
    #[cold]
    fn reopen_run(&mut self, first: u32) {
        let mut end = first;
        while self.contains(end) {
            end += 1;
        }
        self.cells.at_mut(first).end = end;
        self.cells.at_mut(end - 1).first = first;
    }

    /// The end of the run that begins with this number.
    #[inline]
    pub fn run_end(&self, first: u32) -> u32 {
        self.cells.at(first).end
    }

    /// Forget everything.
    pub fn clear(&mut self) {
        if self.count > 0 {
            for number in self.base..self.base + self.cells.capacity() {
                self.cells.at_mut(number).present = false;
            }
            self.count = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// A receiver's out-of-order store, against a plain set: single numbers in any order, base at the first gap.
        #[test]
        fn single_numbers_form_the_runs_of_a_set(numbers in proptest::collection::vec(0u32..300, 1..300)) {
            let mut map = RunMap::default();
            let mut model = BTreeSet::new();
            let mut base = 0;
            for number in numbers {
                if number < base || model.contains(&number) {
                    prop_assert!(number < base || map.contains(number));
                    continue;
                }
                model.insert(number);
                let run = map.insert(number, number + 1, |_| ());
                let first = (base..=number).rev().take_while(|n| model.contains(n)).last().unwrap();
                let end = (number..).find(|n| !model.contains(n)).unwrap();
                prop_assert_eq!(run, (first, end));
                if first == base {
                    base = end;
                    map.advance(base);
                    model.retain(|&n| n >= base);
                }
                prop_assert_eq!(map.count() as usize, model.len());
                for probe in 0..320 {
                    prop_assert_eq!(map.contains(probe), model.contains(&probe));
                    if model.contains(&probe) {
                        let first = (base..=probe).rev().take_while(|n| model.contains(n)).last().unwrap();
                        let end = (probe..).find(|n| !model.contains(n)).unwrap();
                        prop_assert_eq!(map.run_of(probe), (first, end));
                    }
                }
            }
        }
    }

    #[test]
    fn known_parts_of_a_block_are_not_reported_again() {
        let mut map = RunMap::default();
        let mut new = Vec::new();
        for (start, end) in [(5, 8), (5, 10), (20, 21), (12, 15), (5, 15)] {
            map.insert(start, end, |number| new.push(number));
        }
        assert_eq!(new, [5, 6, 7, 8, 9, 20, 12, 13, 14, 10, 11]);
        assert_eq!(map.run_end(5), 15);
    }
}
