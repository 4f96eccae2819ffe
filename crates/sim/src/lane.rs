//! A lane: packets on their way to the same next place, in the order in which they get there.
//!
//! Only the head of a lane stands in the event queue. Links that are alike (same rate, delay and feeder, same
//! next place) share a lane, so that there are as many lanes as distinct path lengths rather than as many as
//! flows: a packet that enters an idle link comes out behind all that entered links alike before it. One that
//! waited for its own link's transmitter may come out a little later, and then packets behind it overtake:
//! they are put in order from the back. Who would have to pass more than [`REACH`] others becomes a straggler and
//! waits in a heap, so that the cost of a packet has a bound that does not grow with the number of flows.

use crate::event::Moment;
use crate::packet::Packet;
use crate::ring::Ring;
use crate::topology::StageIndex;
use std::cmp::Ordering;

/// How many packets a packet may pass to find its place in a lane.
pub const REACH: usize = 32;

/// A packet whose way to its next place is certain.
#[derive(Clone, Copy, Debug, Default)]
pub struct InTransit {
    /// When it gets there.
    pub at: Moment,
    /// The packet.
    pub packet: Packet,
}

/// What became of a packet that entered a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// It is the head now and needs an event.
    First,
    /// It is behind another.
    Behind,
    /// Its place is too far from the back.
    Nowhere,
}

/// Packets on their way to one place.
#[derive(Debug)]
pub struct Lane {
    packets: Ring<InTransit>,
    /// What the packets meet next.
    pub next: StageIndex,
}

impl Lane {
    /// An empty lane to this stage.
    pub fn new(next: StageIndex) -> Self {
        Lane { packets: Ring::default(), next }
    }

    /// Put a packet in.
    #[inline(always)]
    pub fn push(&mut self, packet: Packet, at: Moment) -> Placed {
        let len = self.packets.len();
        if len == 0 || self.packets.at(len - 1).at <= at {
            self.packets.push_back(InTransit { at, packet });
            return if len == 0 { Placed::First } else { Placed::Behind };
        }
        self.push_between(InTransit { at, packet })
    }

    #[cold]
    fn push_between(&mut self, entry: InTransit) -> Placed {
        let len = self.packets.len();
        let lowest = len.saturating_sub(REACH);
        let mut index = len - 1;
        while index > lowest && self.packets.at(index - 1).at > entry.at {
            index -= 1;
        }
        if index > 0 && self.packets.at(index - 1).at > entry.at {
            return Placed::Nowhere;
        }
        self.packets.insert(index, entry);
        if index == 0 { Placed::First } else { Placed::Behind }
    }

    /// Take the head out; also the moment of the new head, which needs an event.
    #[inline(always)]
    pub fn pop(&mut self) -> (Packet, Option<Moment>) {
        let head = self.packets.pop_front().expect("an exit event stands for a packet");
        (head.packet, self.packets.front().map(|next| next.at))
    }

    /// Packets inside.
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Is nothing inside?
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
}

/// A packet that found no place in its lane. The greatest of a heap comes out of it first.
#[derive(Clone, Copy, Debug)]
pub struct Straggler {
    /// The packet.
    pub entry: InTransit,
    /// What it meets next.
    pub next: StageIndex,
    /// How many stragglers there were before: equal moments come out in the order of entry.
    pub serial: u64,
}

impl Ord for Straggler {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.entry.at, other.serial).cmp(&(self.entry.at, self.serial))
    }
}

impl PartialOrd for Straggler {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Straggler {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Straggler {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::PacketKind;
    use proptest::prelude::*;
    use sawtooth_cc::units::Time;

    proptest! {
        /// A lane gives its packets in order, equal moments in the order of entry, and refuses only distant ones.
        #[test]
        fn packets_come_out_in_order(times in proptest::collection::vec(0u64..60, 1..200)) {
            let (mut lane, mut model) = (Lane::new(StageIndex::default()), Vec::new());
            for (number, time) in (0u32..).zip(times) {
                let at = Moment { time: Time::from_nanos(time), cause: Time::ZERO };
                let later = model.iter().filter(|&&(other, _)| other > time).count();
                let placed = lane.push(Packet::new(PacketKind::Data, 0, number, 1000, 0), at);
                prop_assert_eq!(placed == Placed::Nowhere, later > REACH);
                if placed != Placed::Nowhere {
                    prop_assert_eq!(placed == Placed::First, later == model.len());
                    model.push((time, number));
                }
            }
            model.sort();
            for (_, number) in model {
                prop_assert_eq!(lane.pop().0.number(), number);
            }
            prop_assert!(lane.is_empty());
        }
    }
}
