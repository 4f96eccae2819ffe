//! A lane: packets in flight to the same next place, in the order in which they will arrive there.
//!
//! Only the head of a lane is an event. Links with the same rate, delay, feeder and next place share a lane. So there is one lane per
//! path length, not one per flow. A packet that finds its link idle arrives after all packets that entered one of these links before
//! it, so it goes to the end of the lane. A packet that had to queue briefly for its own link arrives a little later; packets that
//! enter afterwards are inserted in front of it. A packet that queued for long, or that would have to overtake many, goes into a spare
//! lane that belongs to its link alone.

use crate::event::Moment;
use crate::packet::Packet;
use crate::ring::Ring;
use crate::topology::StageIndex;

/// A packet in flight. Aligned so that a cache line holds two and none is split between two lines.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub struct InTransit {
    /// When it arrives.
    pub at: Moment,
    /// The packet.
    pub packet: Packet,
}

/// How many packets a packet may overtake to find its place.
const REACH: usize = 8;

/// Where a packet was put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// At the head: its arrival is an event now.
    First,
    /// Behind another packet.
    Behind,
    /// Nowhere: it would have to overtake too many.
    Nowhere,
}

/// Packets in flight to one place; one cache line.
#[derive(Debug)]
#[repr(align(64))]
pub struct Lane {
    packets: Ring<InTransit>,
    /// When the last of them arrives.
    last: Moment,
    /// The stage at which they arrive.
    pub next: StageIndex,
    /// That stage is the end of their route: acknowledgements in this lane arrive at their senders.
    pub ends: bool,
}

impl Lane {
    /// An empty lane to this stage, which may be the end of a route.
    pub fn new(next: StageIndex, ends: bool) -> Self {
        Lane { packets: Ring::default(), last: Moment::default(), next, ends }
    }

    /// Put a packet in.
    #[inline(always)]
    pub fn push(&mut self, packet: Packet, at: Moment) -> Placed {
        if self.last.time >= at.time && self.is_overtaken(at) {
            return self.push_between(packet, at);
        }
        self.last = at;
        self.packets.push_back(InTransit { at, packet });
        if self.packets.len() == 1 { Placed::First } else { Placed::Behind }
    }

    /// Does a packet that arrives then overtake another? Asked only if the times alone leave it open, which saves five instructions.
    #[cold]
    fn is_overtaken(&self, at: Moment) -> bool {
        self.last > at && !self.is_empty()
    }

    #[inline(never)]
    fn push_between(&mut self, packet: Packet, at: Moment) -> Placed {
        for distance in 1..=REACH {
            match self.packets.nth_back(distance) {
                Some(other) if other.at > at => {}
                other => {
                    self.packets.insert_before(distance, InTransit { at, packet });
                    return if other.is_none() { Placed::First } else { Placed::Behind };
                }
            }
        }
        Placed::Nowhere
    }

    /// Remove the head; also returns the moment of the new head, which becomes an event.
    #[inline(always)]
    pub fn pop(&mut self) -> (Packet, Option<Moment>) {
        let head = self.packets.pop_front().expect("an exit event stands for a packet");
        (head.packet, self.packets.front().map(|next| next.at))
    }

    /// An empty lane keeps little memory.
    pub fn release(&mut self) {
        self.packets.release();
    }

    /// Prefetch the packet at this distance behind the head, and its neighbour.
    #[inline(always)]
    pub fn prefetch(&self, distance: usize) {
        self.packets.prefetch(distance + 1);
    }

    /// Prefetch the head.
    #[inline(always)]
    pub fn prefetch_head(&self) {
        self.packets.prefetch(0);
        self.packets.prefetch(1);
    }

    /// Prefetch the place of the next packet that is added.
    #[inline(always)]
    pub fn prefetch_tail(&self) {
        self.packets.prefetch(self.packets.len());
    }

    /// The packet at this distance behind the head.
    #[inline(always)]
    pub fn ahead(&self, distance: usize) -> Option<Packet> {
        Some(self.packets.ahead(distance)?.packet)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::PacketKind;
    use sawtooth_cc::units::Time;

    #[test]
    fn a_packet_passes_a_few_others_at_most() {
        let at = |time| Moment { time: Time::from_nanos(time), cause: Time::ZERO };
        let packet = |number| Packet::new(PacketKind::Data, 0, number, 1000, 0);
        let mut lane = Lane::new(0, false);
        assert_eq!(lane.push(packet(0), at(10)), Placed::First);
        assert_eq!(lane.push(packet(1), at(10)), Placed::Behind);
        assert_eq!(lane.push(packet(2), at(9)), Placed::First);
        assert_eq!(lane.push(packet(3), at(9)), Placed::Behind);
        for number in 4..10 {
            assert_eq!(lane.push(packet(number), at(20)), Placed::Behind);
        }
        assert_eq!(lane.push(packet(10), at(10)), Placed::Behind);
        assert_eq!(lane.push(packet(11), at(9)), Placed::Nowhere);
        let out: Vec<u32> =
            std::iter::from_fn(|| (!lane.is_empty()).then(|| lane.pop().0.number())).collect();
        assert_eq!(out, [2, 3, 0, 1, 10, 4, 5, 6, 7, 8, 9]);
    }
}
