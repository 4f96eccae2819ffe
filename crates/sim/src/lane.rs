//! A lane: packets on their way to the same next place, in the order in which they get there.
//!
//! Only the head of a lane stands in the event queue. Links that are alike (same rate, delay and feeder, same
//! next place) share a lane, so that there are as many as distinct path lengths rather than as many as flows: a packet
//! that finds its link idle comes out behind all that entered links alike before it. One that had to wait a little for its
//! own link's transmitter comes out a little later, and the next ones are put in their places before it. One that
//! waited for long, or would have to pass many, takes a spare lane of its link alone.

use crate::event::Moment;
use crate::packet::Packet;
use crate::ring::Ring;
use crate::topology::StageIndex;

/// A packet whose way to its next place is certain: two to a cache line, and none astride of two.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub struct InTransit {
    /// When it gets there.
    pub at: Moment,
    /// The packet.
    pub packet: Packet,
}

/// How many packets one may pass to find its place.
const REACH: usize = 8;

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// It is the head now and needs an event.
    First,
    /// It is behind another.
    Behind,
    /// It would have to pass too many.
    Nowhere,
}

/// Packets on their way to one place: one cache line.
#[derive(Debug)]
#[repr(align(64))]
pub struct Lane {
    packets: Ring<InTransit>,
    /// When the last of them gets there.
    last: Moment,
    /// What the packets meet next.
    pub next: StageIndex,
    /// It is the end of their way: what is in this lane are acknowledgements, for their senders.
    pub ends: bool,
}

impl Lane {
    /// An empty lane to this stage, the end of a way or not.
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

    /// What comes then comes before another. (Asked only where the times alone do not say no: five instructions less.)
    #[cold]
    fn is_overtaken(&self, at: Moment) -> bool {
        self.last > at && !self.is_empty()
    }

    #[inline(never)]
    fn push_between(&mut self, packet: Packet, at: Moment) -> Placed {
        for distance in 1..=REACH {
            match self.packets.from_back(distance) {
                Some(other) if other.at > at => {}
                other => {
                    self.packets.insert_before(distance, InTransit { at, packet });
                    return if other.is_none() { Placed::First } else { Placed::Behind };
                }
            }
        }
        Placed::Nowhere
    }

    /// Take the head out; also the moment of the new head, which needs an event.
    #[inline(always)]
    pub fn pop(&mut self) -> (Packet, Option<Moment>) {
        let head = self.packets.pop_front().expect("an exit event stands for a packet");
        (head.packet, self.packets.front().map(|next| next.at))
    }

    /// Have the packet that comes out after so many others, and its neighbour, brought into the cache.
    #[inline(always)]
    pub fn foresee(&self, distance: usize) {
        self.packets.foresee(distance + 1);
    }

    /// Have the packet that comes out next brought into the cache.
    #[inline(always)]
    pub fn foresee_head(&self) {
        self.packets.foresee(0);
        self.packets.foresee(1);
    }

    /// Have the place of the next packet that is put in brought into the cache.
    #[inline(always)]
    pub fn foresee_tail(&self) {
        self.packets.foresee(self.packets.len());
    }

    /// The packet that comes out after so many others.
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
