//! An agenda: events that are set in any number and rarely looked at, such as timers.
//!
//! A binary heap finds the earliest, but its cost grows with what it holds: each step down is another cache line, and with
//! 100,000 flows a timer that merely comes to be set anew took 17 of them, a fifteenth of the whole time. So the heap holds
//! few: when it is full, events go unsorted into pages of about a millisecond each, and a page is put into the heap
//! when the earliest event may be in it.

use crate::event::{Event, Moment};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// An event and its place in the order.
type Entry = (Moment, Event);

/// Events by moment, then by event.
#[derive(Debug, Default)]
pub struct Agenda {
    near: BinaryHeap<Reverse<Entry>>,
    /// By page: what comes in it and is not in the heap.
    far: BTreeMap<u64, Vec<Entry>>,
    /// The page from which on events may lie in `far`.
    first_far: Option<u64>,
}

impl Agenda {
    /// With as many the heap is not larger than the nearest cache.
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
        self.settle();
    }

    /// When the earliest event comes.
    #[inline]
    pub fn first(&self) -> Option<Moment> {
        self.near.peek().map(|&Reverse((at, _))| at)
    }

    /// Take the earliest event out.
    pub fn pop(&mut self) -> Option<Event> {
        let Reverse((_, event)) = self.near.pop()?;
        self.settle();
        Some(event)
    }

    /// See to it that the heap holds the earliest event.
    #[inline]
    fn settle(&mut self) {
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
        /// Whatever is added and taken out, events come in order, with pages and without.
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
