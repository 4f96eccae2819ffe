//! An agenda: events that are scheduled in any number, such as timers.
//!
//! A binary heap finds the earliest, but its cost grows with its size: each level is another cache line. With 100,000 flows a timer
//! that expired only to be re-armed touched 17 lines, which was a fifteenth of the run time. So the heap is kept small. When it is
//! full, events go unsorted into pages of about a millisecond of virtual time each. A page moves into the heap when it may hold the
//! earliest event, as in a calendar queue.

use crate::event::{Event, Moment};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// An event and its place in the order.
type Entry = (Moment, Event);

/// Events by moment, then by event.
#[derive(Debug, Default)]
pub struct Agenda {
    near: BinaryHeap<Reverse<Entry>>,
    /// By page, its events that are not in the heap.
    far: BTreeMap<u64, Vec<Entry>>,
    /// The first page of `far`.
    first_far: Option<u64>,
}

impl Agenda {
    /// A heap of this size fits into the first-level cache.
    const NEAR_MAX: usize = 256;
    /// A page is 2²⁰ ns.
    const PAGE_BITS: u32 = 20;

    fn page(at: Moment) -> u64 {
        at.time.nanos() >> Self::PAGE_BITS
    }

    /// Add an event.
    pub fn add(&mut self, at: Moment, event: Event) {
        if self.near.len() < Self::NEAR_MAX {
            self.near.push(Reverse((at, event)));
        } else {
            let page = Self::page(at);
            self.far.entry(page).or_default().push((at, event));
            self.first_far = Some(self.first_far.map_or(page, |first| first.min(page)));
        }
        self.refill_near();
    }

    /// The moment of the earliest event.
    #[inline]
    pub fn first(&self) -> Option<Moment> {
        self.near.peek().map(|&Reverse((at, _))| at)
    }

    /// Remove the earliest event.
    pub fn pop(&mut self) -> Option<Event> {
        let Reverse((_, event)) = self.near.pop()?;
        self.refill_near();
        Some(event)
    }

    /// Move pages into the heap until it holds the earliest event.
    #[inline]
    fn refill_near(&mut self) {
        while let Some(page) = self.first_far
            && self.first().is_none_or(|first| page <= Self::page(first))
        {
            self.open(page);
        }
    }

    fn open(&mut self, page: u64) {
        let entries = self.far.remove(&page).expect("the first page has entries");
        self.near.extend(entries.into_iter().map(Reverse));
        self.first_far = self.far.first_key_value().map(|(&page, _)| page);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sawtooth_cc::units::Time;
    use std::collections::BTreeSet;

    proptest! {
        /// Events come in order after any sequence of additions and removals, with pages and without.
        #[test]
        fn events_come_in_order(operations in proptest::collection::vec(proptest::option::weighted(0.7, (0u64..40, 0u64..3)), 1..2000)) {
            let (mut agenda, mut model) = (Agenda::default(), BTreeSet::new());
            for (step, operation) in (0u32..).zip(operations) {
                match operation {
                    Some((quarter, cause)) => {
                        let time = Time::from_nanos(quarter << (Agenda::PAGE_BITS - 2));
                        let entry = (Moment { time, cause: Time::from_nanos(cause) }, Event::SenderTimer(step));
                        agenda.add(entry.0, entry.1);
                        model.insert(entry);
                    }
                    None => prop_assert_eq!(agenda.pop(), model.pop_first().map(|(_, event)| event)),
                }
                prop_assert_eq!(agenda.first(), model.first().map(|&(at, _)| at));
            }
            while let Some((_, event)) = model.pop_first() {
                prop_assert_eq!(agenda.pop(), Some(event));
            }
            prop_assert_eq!(agenda.pop(), None);
        }
    }
}
