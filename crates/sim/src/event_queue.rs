//! The event queue: a knock-out tournament ordered by `(time, sequence)`.
//!
//! Equal times run in scheduling order, which makes a run a function of its scenario. Every component has
//! at most one event of each kind ahead of it (only the head of a FIFO waits here, and a timer that is set
//! again replaces the old one), so each has a slot of its own and the slots play a tournament. A new time
//! replays the matches between its slot and the root, log₂ of the number of slots; their opponents are
//! known beforehand, so the matches cost little more than their comparisons (half of what a heap took).

use crate::event::Event;
use sawtooth_cc::units::Time;

/// Position in the total order of all events ever scheduled.
pub type Sequence = u64;

/// How many components of each kind there are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Population {
    /// Pipes.
    pub pipes: u32,
    /// Ports.
    pub ports: u32,
    /// Flows.
    pub flows: u32,
    /// Constant-rate sources.
    pub sources: u32,
}

impl Population {
    /// Slots of events that belong to no component.
    const GLOBAL: u32 = 3;

    fn slots(&self) -> u32 {
        self.pipes + 2 * self.ports + 3 * self.flows + 2 * self.sources + Self::GLOBAL
    }

    /// Where an event waits. Kinds that exclude each other share a slot: a port either transmits at a rate
    /// or waits for opportunities, and a flow that has not started has no timer.
    #[inline(always)]
    fn slot(&self, event: Event) -> u32 {
        let ports = self.pipes;
        let flows = ports + 2 * self.ports;
        let sources = flows + 3 * self.flows;
        let global = sources + 2 * self.sources;
        match event {
            Event::PipeExit(pipe) => pipe,
            Event::TransmitEnd(port) | Event::Opportunity(port) => ports + 2 * port,
            Event::WireExit(port) => ports + 2 * port + 1,
            Event::FlowStart(flow) | Event::RetransmitTimer(flow) => flows + flow,
            Event::DelayedAck(flow) => flows + self.flows + flow,
            Event::FlowStop(flow) => flows + 2 * self.flows + flow,
            Event::SourceTick(source) => sources + source,
            Event::SourceChange(source) => sources + self.sources + source,
            Event::WarmupEnd => global,
            Event::Sample => global + 1,
            Event::RateBin => global + 2,
        }
    }
}

const NO_SLOT: u32 = u32::MAX;

/// Events that are still to come.
#[derive(Debug)]
pub struct EventQueue {
    population: Population,
    /// By slot; `Time::NEVER` where nothing waits.
    times: Vec<Time>,
    /// By slot.
    sequences: Vec<Sequence>,
    /// By slot.
    events: Vec<Event>,
    /// Winners: node 1 is the final, node n's players are nodes 2n and 2n + 1, the last half are the slots.
    winners: Vec<u32>,
    /// The slot whose event was popped last and that has not been given another.
    open: u32,
    next_sequence: Sequence,
}

impl EventQueue {
    /// An empty queue for so many components.
    pub fn new(population: Population) -> Self {
        let slots = population.slots();
        let mut winners: Vec<u32> = (0..2 * slots).map(|node| node.saturating_sub(slots)).collect();
        for node in (1..slots as usize).rev() {
            winners[node] = winners[2 * node];
        }
        EventQueue {
            population,
            times: vec![Time::NEVER; slots as usize],
            sequences: vec![0; slots as usize],
            events: vec![Event::WarmupEnd; slots as usize],
            winners,
            open: NO_SLOT,
            next_sequence: 0,
        }
    }

    /// Take the next place in the total order, for something that will enter the queue later.
    #[inline(always)]
    pub fn reserve_sequence(&mut self) -> Sequence {
        let sequence = self.next_sequence;
        self.next_sequence += 1;
        sequence
    }

    /// Schedule an event behind all that were scheduled before, in place of one of its kind and component.
    #[inline(always)]
    pub fn push(&mut self, time: Time, event: Event) {
        let sequence = self.reserve_sequence();
        self.push_reserved(time, sequence, event);
    }

    /// Schedule an event at a place taken earlier, in place of one of its kind and component.
    #[inline(always)]
    pub fn push_reserved(&mut self, time: Time, sequence: Sequence, event: Event) {
        let slot = self.population.slot(event);
        self.events[slot as usize] = event;
        self.sequences[slot as usize] = sequence;
        self.play(slot, time);
    }

    /// The earliest event, if any comes before `end`.
    #[inline(always)]
    pub fn pop_before(&mut self, end: Time) -> Option<(Time, Event)> {
        if self.open != NO_SLOT {
            self.play(self.open, Time::NEVER);
        }
        let slot = self.winners[1];
        let time = self.times[slot as usize];
        if time >= end {
            return None;
        }
        self.open = slot;
        Some((time, self.events[slot as usize]))
    }

    /// Give a slot its time and replay its matches.
    #[inline]
    fn play(&mut self, slot: u32, time: Time) {
        if slot == self.open {
            self.open = NO_SLOT;
        }
        let EventQueue { times, sequences, winners, .. } = self;
        let (times, sequences) = (times.as_mut_slice(), sequences.as_slice());
        let winners = &mut winners[..2 * times.len()];
        times[slot as usize] = time;
        let (mut winner, mut least) = (slot, time);
        let mut node = times.len() + slot as usize;
        while node > 1 {
            let opponent = winners[node ^ 1];
            let other = times[opponent as usize];
            let equal = other == least;
            if equal && sequences[opponent as usize] < sequences[winner as usize] {
                winner = opponent;
            }
            (winner, least) = if other < least { (opponent, other) } else { (winner, least) };
            node /= 2;
            winners[node] = winner;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const FLOWS: u32 = 13;

    fn queue() -> EventQueue {
        EventQueue::new(Population { flows: FLOWS, ..Population::default() })
    }

    proptest! {
        /// Any mixture of pushes, replacements and pops behaves like a sorted map of `(time, sequence)`.
        #[test]
        fn order_is_by_time_then_scheduling(
            operations in proptest::collection::vec(proptest::option::of((0u64..20, 0..FLOWS)), 1..400)
        ) {
            let mut queue = queue();
            let mut model: BTreeMap<(u64, usize), u32> = BTreeMap::new();
            for (sequence, operation) in operations.into_iter().enumerate() {
                match operation {
                    Some((time, flow)) => {
                        queue.push(Time::from_nanos(time), Event::RetransmitTimer(flow));
                        model.retain(|_, other| *other != flow);
                        model.insert((time, sequence), flow);
                    }
                    None => {
                        let expected = model.pop_first();
                        let expected = expected.map(|((time, _), flow)| (Time::from_nanos(time), Event::RetransmitTimer(flow)));
                        prop_assert_eq!(queue.pop_before(Time::NEVER), expected);
                    }
                }
            }
            while let Some(((time, _), flow)) = model.pop_first() {
                let expected = (Time::from_nanos(time), Event::RetransmitTimer(flow));
                prop_assert_eq!(queue.pop_before(Time::NEVER), Some(expected));
            }
            prop_assert_eq!(queue.pop_before(Time::NEVER), None);
        }
    }

    #[test]
    fn nothing_at_or_after_the_end_is_popped() {
        let mut queue = queue();
        queue.push(Time::from_nanos(5), Event::WarmupEnd);
        assert_eq!(queue.pop_before(Time::from_nanos(5)), None);
        assert_eq!(queue.pop_before(Time::from_nanos(6)), Some((Time::from_nanos(5), Event::WarmupEnd)));
    }

    #[test]
    fn every_event_has_a_slot_of_its_own() {
        let population = Population { pipes: 3, ports: 2, flows: 4, sources: 2 };
        let mut slots = Vec::new();
        slots.extend((0..3).map(|pipe| population.slot(Event::PipeExit(pipe))));
        slots.extend(
            (0..2)
                .flat_map(|port| [Event::TransmitEnd(port), Event::WireExit(port)])
                .map(|e| population.slot(e)),
        );
        for flow in 0..4 {
            let events = [Event::RetransmitTimer(flow), Event::DelayedAck(flow), Event::FlowStop(flow)];
            slots.extend(events.map(|event| population.slot(event)));
        }
        for source in 0..2 {
            slots.extend(
                [Event::SourceTick(source), Event::SourceChange(source)].map(|event| population.slot(event)),
            );
        }
        slots.extend([Event::WarmupEnd, Event::Sample, Event::RateBin].map(|event| population.slot(event)));
        slots.sort_unstable();
        assert_eq!(slots, (0..population.slots()).collect::<Vec<_>>());
    }
}
