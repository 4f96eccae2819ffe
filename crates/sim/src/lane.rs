//! A lane: packets on their way to the same next place, in the order in which they get there.
//!
//! Only the head of a lane stands in the event queue. Links that are alike (same rate, delay and feeder, same
//! next place) share a lane, so that there are as many as distinct path lengths rather than as many as flows: a packet
//! that finds its link idle comes out behind all that entered links alike before it. One that has to wait for its
//! own link's transmitter may come out later than packets behind it, and takes a spare lane of that link alone.

use crate::event::Moment;
use crate::packet::Packet;
use crate::ring::Ring;
use crate::topology::StageIndex;

/// A packet whose way to its next place is certain.
#[derive(Clone, Copy, Debug, Default)]
pub struct InTransit {
    /// When it gets there.
    pub at: Moment,
    /// The packet.
    pub packet: Packet,
}

/// Packets on their way to one place.
#[derive(Debug)]
pub struct Lane {
    packets: Ring<InTransit>,
    last: Moment,
    /// What the packets meet next.
    pub next: StageIndex,
}

impl Lane {
    /// An empty lane to this stage.
    pub fn new(next: StageIndex) -> Self {
        Lane { packets: Ring::default(), last: Moment::default(), next }
    }

    /// Would a packet of this moment come out behind all that ever went in?
    #[inline(always)]
    pub fn is_open_for(&self, at: Moment) -> bool {
        self.last <= at
    }

    /// Put a packet in, behind all others. Is it the head now, which needs an event?
    #[inline(always)]
    pub fn push(&mut self, packet: Packet, at: Moment) -> bool {
        assert!(self.last <= at, "packets of a lane come out in the order in which they went in");
        self.last = at;
        self.packets.push_back(InTransit { at, packet });
        self.packets.len() == 1
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::PacketKind;
    use sawtooth_cc::units::Time;

    #[test]
    fn only_the_head_needs_an_event() {
        let at = |time| Moment { time: Time::from_nanos(time), cause: Time::ZERO };
        let packet = |number| Packet::new(PacketKind::Data, 0, number, 1000, 0);
        let mut lane = Lane::new(0);
        assert!(lane.push(packet(0), at(5)));
        assert!(!lane.push(packet(1), at(5)));
        assert!(!lane.is_open_for(at(4)) && lane.is_open_for(at(5)));
        assert_eq!(lane.pop(), (packet(0), Some(at(5))));
        assert_eq!(lane.pop(), (packet(1), None));
        assert!(lane.is_empty() && lane.push(packet(2), at(6)));
    }
}
