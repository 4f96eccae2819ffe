//! A lane: packets in flight to the same next place, in the order in which they will arrive there.
//!
//! Only the head of a lane is an event. Links with the same rate, delay, feeder and next place share a lane. So there is one lane per
//! path length, not one per flow. A packet that finds its link idle arrives after all packets that entered one of these links before
//! it, so it goes to the end of the lane. A packet that had to queue briefly for its own link arrives a little later; packets that
//! enter afterwards are inserted in front of it. A packet that queued for long, or that would have to overtake many, goes into a spare
//! lane that belongs to its link alone.

use crate::blocks::{Blocks, InTransit, NOWHERE, Place};
use crate::event::Moment;
use crate::packet::Packet;
use crate::topology::StageIndex;
use prefetch_index::prefetch_index;

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

/// Packets in flight to one place; half a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Lane {
    /// When the last of them arrives.
    last: Moment,
    /// Where the first of them is.
    head: Place,
    /// Where the next one will be: a lane with a block always has a cell for it.
    tail: Place,
    /// The stage at which they arrive.
    next: StageIndex,
    /// That stage is the end of their route: acknowledgements in this lane arrive at their senders.
    ends: bool,
}

impl Lane {
    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.head == self.tail
    }
}

/// What has left a lane.
#[derive(Clone, Copy, Debug)]
pub struct Left {
    /// The packet.
    pub packet: Packet,
    /// Where it arrives.
    pub stage: StageIndex,
    /// That is the end of its route.
    pub ends: bool,
    /// The moment of the next packet, which becomes an event.
    pub head: Option<Moment>,
}

/// All lanes of a network.
#[derive(Debug)]
pub struct Lanes {
    lanes: Vec<Lane>,
    blocks: Blocks,
}

impl Lanes {
    /// Empty lanes to these stages, each of which may be the end of a route, and room for so many packets. So many lanes are in use all
    /// the time.
    pub fn new(stages: impl Iterator<Item = (StageIndex, bool)>, in_use: usize, room: usize) -> Self {
        let empty = |(next, ends)| Lane { last: Moment::default(), head: NOWHERE, tail: NOWHERE, next, ends };
        Lanes { lanes: stages.map(empty).collect(), blocks: Blocks::new(in_use, room) }
    }

    /// Put a packet into a lane; `None` if there is no such lane.
    #[inline(always)]
    pub fn push(&mut self, lane: u32, packet: Packet, at: Moment) -> Option<Placed> {
        let lane = self.lanes.get_mut(lane as usize)?;
        if lane.last.time >= at.time && is_overtaken(lane, at) {
            return Some(push_between(lane, &mut self.blocks, packet, at));
        }
        lane.last = at;
        let Some(cell) = self.blocks.get_mut(lane.tail) else {
            begin(lane, &mut self.blocks, packet, at);
            return Some(Placed::First);
        };
        *cell = InTransit { at, packet };
        let placed = if lane.is_empty() { Placed::First } else { Placed::Behind };
        advance_tail(lane, &mut self.blocks);
        Some(placed)
    }

    /// Remove the head.
    #[inline(always)]
    pub fn pop(&mut self, lane: u32) -> Left {
        let lane = &mut self.lanes[lane as usize];
        assert!(!lane.is_empty(), "an exit event stands for a packet");
        let packet = self.blocks.get(lane.head).expect("a packet has a cell").packet;
        let mut next = lane.head + 1;
        if self.blocks.ends_block(next) {
            next = self.blocks.end_block(lane.head);
        }
        lane.head = next;
        let head = if lane.is_empty() { None } else { self.blocks.get(lane.head).map(|next| next.at) };
        Left { packet, stage: lane.next, ends: lane.ends, head }
    }

    /// A lane that is empty keeps no memory.
    pub fn release(&mut self, lane: u32) {
        let lane = &mut self.lanes[lane as usize];
        if lane.is_empty() && lane.tail != NOWHERE {
            self.blocks.end_block(lane.tail);
            (lane.head, lane.tail) = (NOWHERE, NOWHERE);
        }
    }

    /// Is this lane's stage the end of a route? `None` if there is no such lane.
    #[inline(always)]
    pub fn ends(&self, lane: u32) -> Option<bool> {
        self.lanes.get(lane as usize).map(|lane| lane.ends)
    }

    /// Prefetch this lane itself.
    #[inline(always)]
    pub fn prefetch(&self, lane: u32) {
        prefetch_index(&self.lanes, lane as usize);
    }

    /// Prefetch the packet at this distance behind the head of a lane, and its neighbour.
    #[inline(always)]
    pub fn prefetch_ahead(&self, lane: u32, distance: u32) {
        if let Some(lane) = self.lanes.get(lane as usize) {
            self.blocks.prefetch(self.blocks.ahead(lane.head, distance + 1));
        }
    }

    /// Prefetch the head of a lane, and most often the packet behind it.
    #[inline(always)]
    pub fn prefetch_head(&self, lane: u32) {
        if let Some(lane) = self.lanes.get(lane as usize) {
            self.blocks.prefetch(lane.head);
            self.blocks.prefetch(lane.head.wrapping_add(1));
        }
    }

    /// Prefetch the place of the next packet that is added to a lane.
    #[inline(always)]
    pub fn prefetch_tail(&self, lane: u32) {
        if let Some(lane) = self.lanes.get(lane as usize) {
            self.blocks.prefetch(lane.tail);
        }
    }

    /// The packet that is probably at this distance, less than a block, behind the head of a lane: beyond the last one it is another.
    #[inline(always)]
    pub fn guess_ahead(&self, lane: u32, distance: u32) -> Option<Packet> {
        let lane = self.lanes.get(lane as usize)?;
        Some(self.blocks.get(self.blocks.ahead(lane.head, distance))?.packet)
    }

    /// Packets in all lanes.
    pub fn packets(&self) -> usize {
        let of_lane = |lane: &Lane| {
            let next = |&place: &Place| Some(self.blocks.ahead(place, 1));
            std::iter::successors(Some(lane.head), next).take_while(|&place| place != lane.tail).count()
        };
        self.lanes.iter().map(of_lane).sum()
    }
}

/// Does a packet that arrives then overtake another? Asked only if the times alone leave it open, which saves five instructions.
#[cold]
fn is_overtaken(lane: &Lane, at: Moment) -> bool {
    lane.last > at && !lane.is_empty()
}

/// The first packet of a lane without a block.
#[cold]
fn begin(lane: &mut Lane, blocks: &mut Blocks, packet: Packet, at: Moment) {
    lane.head = blocks.begin_block(NOWHERE);
    *blocks.get_mut(lane.head).expect("a block has cells") = InTransit { at, packet };
    lane.tail = lane.head + 1;
}

/// The cell at the tail has been filled.
#[inline(always)]
fn advance_tail(lane: &mut Lane, blocks: &mut Blocks) {
    let mut next = lane.tail + 1;
    if blocks.ends_block(next) {
        next = blocks.begin_block(lane.tail);
    }
    lane.tail = next;
}

/// Put a packet in front of the last ones, which it overtakes.
#[inline(never)]
fn push_between(lane: &mut Lane, blocks: &mut Blocks, packet: Packet, at: Moment) -> Placed {
    let mut moved = [lane.tail; REACH + 1];
    for distance in 1..=REACH {
        let place = blocks.before(moved[distance - 1]);
        moved[distance] = place;
        let first = place == lane.head;
        if !first && blocks.get(blocks.before(place)).expect("it is not the first").at > at {
            continue;
        }
        for index in 0..distance {
            let from = *blocks.get(moved[index + 1]).expect("a packet has a cell");
            *blocks.get_mut(moved[index]).expect("and so has the tail") = from;
        }
        *blocks.get_mut(place).expect("a packet has a cell") = InTransit { at, packet };
        advance_tail(lane, blocks);
        return if first { Placed::First } else { Placed::Behind };
    }
    Placed::Nowhere
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::PacketKind;
    use proptest::prelude::*;
    use sawtooth_cc::units::Time;

    fn packet(number: u32) -> Packet {
        Packet::new(PacketKind::Data, 0, number, 1000, 0)
    }

    fn at(time: u64) -> Moment {
        Moment { time: Time::from_nanos(time), cause: Time::ZERO }
    }

    /// What a lane does, without blocks: behind all that arrive no later, unless too many arrive later.
    fn push_into(model: &mut Vec<(Moment, u32)>, number: u32, at: Moment) -> Placed {
        let overtaken = model.iter().rev().take_while(|(other, _)| *other > at).count();
        if overtaken > REACH {
            return Placed::Nowhere;
        }
        let place = model.len() - overtaken;
        model.insert(place, (at, number));
        if place == 0 { Placed::First } else { Placed::Behind }
    }

    #[derive(Clone, Debug)]
    enum Step {
        /// So many packets, each at most this much earlier than the latest so far.
        Push(u32, u32, u64),
        Pop(u32, u32),
        Release(u32),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => (0u32..4, 1u32..90, 0u64..14).prop_map(|(lane, count, early)| Step::Push(lane, count, early)),
            4 => (0u32..4, 1u32..90).prop_map(|(lane, count)| Step::Pop(lane, count)),
            1 => (0u32..4).prop_map(Step::Release),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Four lanes of one pool, with blocks of either size, against a list each.
        #[test]
        fn lanes_are_lists(steps in proptest::collection::vec(step(), 1..60), in_use in prop_oneof![Just(4), Just(1_000)]) {
            let mut lanes = Lanes::new((0..4).map(|lane| (lane, lane == 3)), in_use, 0);
            let mut models = vec![Vec::new(); 4];
            let (mut number, mut clock) = (0, 20);
            for step in steps {
                match step {
                    Step::Push(lane, count, early) => {
                        for _ in 0..count {
                            (number, clock) = (number + 1, clock + 1);
                            let at = at(clock - early * u64::from(number % 3 == 0));
                            let placed = push_into(&mut models[lane as usize], number, at);
                            prop_assert_eq!(lanes.push(lane, packet(number), at), Some(placed));
                        }
                    }
                    Step::Pop(lane, count) => {
                        let model = &mut models[lane as usize];
                        for _ in 0..count.min(model.len() as u32) {
                            prop_assert_eq!(lanes.guess_ahead(lane, 0), Some(packet(model[0].1)));
                            if let Some(&(_, second)) = model.get(1) {
                                prop_assert_eq!(lanes.guess_ahead(lane, 1), Some(packet(second)));
                            }
                            let left = lanes.pop(lane);
                            prop_assert_eq!(left.packet, packet(model.remove(0).1));
                            prop_assert_eq!((left.stage, left.ends), (lane, lane == 3));
                            prop_assert_eq!(left.head, model.first().map(|&(at, _)| at));
                        }
                    }
                    Step::Release(lane) => lanes.release(lane),
                }
                prop_assert_eq!(lanes.packets(), models.iter().map(Vec::len).sum::<usize>());
            }
            prop_assert_eq!(lanes.push(4, packet(0), at(clock)), None);
        }
    }

    #[test]
    fn lanes_hold_a_block_more_than_their_packets_however_these_move() {
        for (in_use, block) in [(1, 128), (1_000, 16)] {
            let mut lanes = Lanes::new((0..50).map(|lane| (lane, false)), in_use, 0);
            let (mut clock, packets) = (0, 2_000);
            for lane in 0..50 {
                for number in 0..packets {
                    clock += 1;
                    lanes.push(lane, packet(number), at(clock));
                }
                for number in 0..packets {
                    assert_eq!(lanes.pop(lane).packet.number(), number);
                }
                lanes.release(lane);
            }
            let cells = lanes.blocks.cells();
            assert!((packets as usize..=packets as usize + 2 * block).contains(&cells), "{cells} cells");
        }
    }

    #[test]
    fn a_packet_passes_a_few_others_at_most() {
        let mut lanes = Lanes::new([(0, false)].into_iter(), 1, 0);
        let mut push = |number, time| lanes.push(0, packet(number), at(time)).expect("there is a lane");
        assert_eq!(push(0, 10), Placed::First);
        assert_eq!(push(1, 10), Placed::Behind);
        assert_eq!(push(2, 9), Placed::First);
        assert_eq!(push(3, 9), Placed::Behind);
        for number in 4..10 {
            assert_eq!(push(number, 20), Placed::Behind);
        }
        assert_eq!(push(10, 10), Placed::Behind);
        assert_eq!(push(11, 9), Placed::Nowhere);
        let out: Vec<u32> = (0..lanes.packets()).map(|_| lanes.pop(0).packet.number()).collect();
        assert_eq!(out, [2, 3, 0, 1, 10, 4, 5, 6, 7, 8, 9]);
    }
}
