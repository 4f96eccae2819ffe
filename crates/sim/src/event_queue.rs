//! The event queue: a heap ordered by `(time, sequence)`.
//!
//! Equal times run in scheduling order, which makes a run a function of its scenario. A four-ary heap
//! (shallower than a binary one, children in one cache line or two). Most events schedule a successor, so
//! popping only opens a *hole* at the root: the first push that follows fills it and sinks once, which
//! halves the work; a pop with the hole still open closes it with the last entry.

use crate::event::Event;
use sawtooth_cc::units::Time;

/// Position in the total order of all events ever scheduled.
pub type Sequence = u64;

#[derive(Clone, Copy, Debug)]
struct Entry {
    time: u64,
    sequence: Sequence,
    event: Event,
}

impl Entry {
    #[inline(always)]
    fn key(&self) -> u128 {
        (u128::from(self.time) << 64) | u128::from(self.sequence)
    }
}

const ARITY: usize = 4;

/// Events that are still to come.
#[derive(Debug, Default)]
pub struct EventQueue {
    heap: Vec<Entry>,
    hole: bool,
    next_sequence: Sequence,
}

impl EventQueue {
    /// Take the next place in the total order, for something that will enter the queue later.
    #[inline(always)]
    pub fn reserve_sequence(&mut self) -> Sequence {
        let sequence = self.next_sequence;
        self.next_sequence += 1;
        sequence
    }

    /// Schedule an event behind all that were scheduled before.
    #[inline]
    pub fn push(&mut self, time: Time, event: Event) {
        let sequence = self.reserve_sequence();
        self.push_reserved(time, sequence, event);
    }

    /// Schedule an event at a place taken earlier.
    #[inline]
    pub fn push_reserved(&mut self, time: Time, sequence: Sequence, event: Event) {
        let entry = Entry { time: time.nanos(), sequence, event };
        if self.hole {
            self.hole = false;
            self.sink(0, entry);
        } else {
            self.heap.push(entry);
            self.rise(self.heap.len() - 1, entry);
        }
    }

    /// The earliest event, if any comes before `end`.
    #[inline]
    pub fn pop_before(&mut self, end: Time) -> Option<(Time, Event)> {
        if self.hole {
            self.hole = false;
            let last = self.heap.pop().expect("a hole is an entry of the heap");
            if !self.heap.is_empty() {
                self.sink(0, last);
            }
        }
        let first = self.heap.first()?;
        if first.time >= end.nanos() {
            return None;
        }
        let popped = (Time::from_nanos(first.time), first.event);
        self.hole = true;
        Some(popped)
    }

    #[inline]
    fn rise(&mut self, mut place: usize, entry: Entry) {
        let key = entry.key();
        while place > 0 {
            let parent = (place - 1) / ARITY;
            if self.heap[parent].key() <= key {
                break;
            }
            self.heap[place] = self.heap[parent];
            place = parent;
        }
        self.heap[place] = entry;
    }

    #[inline]
    fn sink(&mut self, mut place: usize, entry: Entry) {
        let key = entry.key();
        let heap = self.heap.as_mut_slice();
        loop {
            let first_child = place * ARITY + 1;
            let least = match heap.get(first_child..first_child + ARITY) {
                Some(children) => first_child + least_of_four(children),
                None => match least_of_few(&heap[first_child.min(heap.len())..]) {
                    Some(least) => first_child + least,
                    None => break,
                },
            };
            if key <= heap[least].key() {
                break;
            }
            heap[place] = heap[least];
            place = least;
        }
        heap[place] = entry;
    }
}

/// A knock-out tournament: two rounds instead of three comparisons in a row, and no branches.
#[inline(always)]
fn least_of_four(children: &[Entry]) -> usize {
    let [a, b, c, d] = [children[0].key(), children[1].key(), children[2].key(), children[3].key()];
    let (left, left_key) = if b < a { (1, b) } else { (0, a) };
    let (right, right_key) = if d < c { (3, d) } else { (2, c) };
    if right_key < left_key { right } else { left }
}

#[inline]
fn least_of_few(children: &[Entry]) -> Option<usize> {
    (0..children.len()).min_by_key(|&child| children[child].key())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Any mixture of pushes and pops behaves like a sorted set of `(time, sequence)`.
        #[test]
        fn order_is_by_time_then_scheduling(operations in proptest::collection::vec(proptest::option::of(0u64..20), 1..400)) {
            let mut queue = EventQueue::default();
            let mut model = BTreeSet::new();
            for (sequence, operation) in operations.iter().enumerate() {
                match operation {
                    Some(time) => {
                        let label = sequence as u32;
                        queue.push(Time::from_nanos(*time), Event::FlowStart(label));
                        model.insert((*time, label));
                    }
                    None => {
                        let expected = model.pop_first().map(|(time, label)| (Time::from_nanos(time), Event::FlowStart(label)));
                        prop_assert_eq!(queue.pop_before(Time::NEVER), expected);
                    }
                }
            }
            while let Some((time, label)) = model.pop_first() {
                prop_assert_eq!(queue.pop_before(Time::NEVER), Some((Time::from_nanos(time), Event::FlowStart(label))));
            }
            prop_assert_eq!(queue.pop_before(Time::NEVER), None);
        }
    }

    #[test]
    fn nothing_at_or_after_the_end_is_popped() {
        let mut queue = EventQueue::default();
        queue.push(Time::from_nanos(5), Event::WarmupEnd);
        assert_eq!(queue.pop_before(Time::from_nanos(5)), None);
        assert_eq!(queue.pop_before(Time::from_nanos(6)), Some((Time::from_nanos(5), Event::WarmupEnd)));
    }
}
