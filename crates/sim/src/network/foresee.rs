//! What the packets of a lane will need soon is brought into the cache before their turn comes.
//!
//! With many flows almost everything that a packet touches lies in memory that was not touched for a round trip: five to eight
//! cache lines for an arrival at a port and the receiver behind it, eight to ten for an acknowledgement. A lane knows whose packets come
//! next; what these need is known step by step, since one line says where the next one is. So a packet is looked
//! at several times on its way to the head of its lane, the first time when its own place in the ring is fetched. With
//! 100,000 flows and 64 round-trip times this takes a third off the cost of a packet, with 1,000 flows that take different
//! paths a fifth.

use super::Network;
use super::endpoints::SenderSide;
use crate::packet::Packet;
use crate::topology::{Place, Stage};
use crate::tournament::Risen;
use crate::transport::{AnyReceiver, Transport};
use prefetch_index::prefetch_index;

/// With more flows than this their state does not fit into the nearest caches.
const FLOWS: usize = 256;
/// With more lanes than this the packets of one come out far apart in time.
const LANES: u32 = 256;
/// How many lanes there may be for the next packet of each to be near enough.
const LANES_NEAR: u32 = 128;
/// How many packets of a lane a stage of foresight goes ahead at most.
const STEP_MAX: usize = 4;

/// How many packets of a lane each stage of foresight goes ahead, with so many lanes.
pub(super) fn step(lanes: u32) -> usize {
    ((LANES_NEAR / lanes.max(1)) as usize).clamp(1, STEP_MAX)
}

/// How it is known what comes soon.
pub(super) enum Foresight {
    /// It need not be known.
    None,
    /// What comes next out of the same lane comes soon, at so many packets for each stage of foresight: the more lanes there are, the
    /// more comes out of others in between. What was fetched too soon has left the nearest cache again: with 128 lanes one packet in
    /// place of four is a tenth of the time with 10,000 flows and more.
    ByLane(usize),
    /// What rises in the tournament comes soon: the packets of one lane are far apart in time.
    ByTurn,
}

impl Network {
    /// How it is known what comes soon.
    #[inline(always)]
    pub(super) fn foresight(&self) -> Foresight {
        if self.senders.len() <= FLOWS {
            Foresight::None
        } else if self.events.lanes() <= LANES {
            Foresight::ByLane(self.step)
        } else {
            Foresight::ByTurn
        }
    }

    /// These lanes have come nearer to their turn: the farther away, the less is known of what they need.
    #[inline(always)]
    pub(super) fn foresee_risen(&self, risen: Risen) {
        let [next, in_4, in_16, in_64, in_256, in_1024] = risen;
        prefetch_index(&self.lanes, in_1024 as usize);
        self.events.foresee(in_1024);
        if let Some(lane) = self.lanes.get(in_256 as usize) {
            lane.foresee_head();
        }
        match self.head(in_64) {
            Some((packet, true)) => self.foresee_sender(packet),
            Some((packet, false)) => prefetch_index(&self.receivers, packet.flow() as usize),
            None => {}
        }
        match self.head(in_16) {
            Some((packet, true)) => self.foresee_sender_stage(packet),
            Some((packet, false)) => self.foresee_receiver_stage(packet),
            None => {}
        }
        match self.head(in_4) {
            Some((packet, true)) => {
                self.foresee_link(self.sender_stage(packet));
                self.foresee_repair(packet);
            }
            Some((packet, false)) => self.foresee_link(self.receiver_stage(packet)),
            None => {}
        }
        match self.head(next) {
            Some((packet, true)) => self.foresee_tail(self.sender_stage(packet)),
            Some((packet, false)) => self.foresee_tail(self.receiver_stage(packet)),
            None => {}
        }
    }

    /// The first packet of a lane, and whether it is one to a sender.
    #[inline(always)]
    fn head(&self, lane: u32) -> Option<(Packet, bool)> {
        let lane = self.lanes.get(lane as usize)?;
        Some((lane.ahead(0)?, lane.ends))
    }

    /// A packet comes out of this lane: see to those behind it, in stages of so many packets.
    #[inline(always)]
    pub(super) fn foresee(&self, lane: u32, step: usize) {
        self.lanes[lane as usize].foresee(4 * step);
        if self.lanes[lane as usize].ends {
            self.foresee_senders(lane, step);
        } else {
            self.foresee_receivers(lane, step);
        }
    }

    fn ahead(&self, lane: u32, distance: usize) -> Option<Packet> {
        self.lanes[lane as usize].ahead(distance)
    }

    /// Acknowledgements.
    fn foresee_senders(&self, lane: u32, step: usize) {
        if let Some(packet) = self.ahead(lane, 3 * step) {
            self.foresee_sender(packet);
        }
        if let Some(packet) = self.ahead(lane, 2 * step) {
            self.foresee_sender_stage(packet);
        }
        if let Some(packet) = self.ahead(lane, step) {
            self.foresee_link(self.sender_stage(packet));
            self.foresee_tail(self.sender_stage(packet));
            self.foresee_repair(packet);
        }
    }

    /// Data.
    fn foresee_receivers(&self, lane: u32, step: usize) {
        if let Some(packet) = self.ahead(lane, 3 * step) {
            prefetch_index(&self.receivers, packet.flow() as usize);
        }
        if let Some(packet) = self.ahead(lane, 2 * step) {
            self.foresee_receiver_stage(packet);
        }
        if let Some(packet) = self.ahead(lane, step) {
            self.foresee_link(self.receiver_stage(packet));
            self.foresee_tail(self.receiver_stage(packet));
        }
    }

    /// The first line of the sender that a packet goes to, and what it says in detail.
    #[inline(always)]
    fn foresee_sender(&self, packet: Packet) {
        prefetch_index(&self.senders, packet.flow() as usize);
        self.details.foresee(packet.details());
    }

    /// The other lines of the sender, and the first stage of what it sends.
    #[inline(always)]
    fn foresee_sender_stage(&self, packet: Packet) {
        if let Some(side) = self.senders.get(packet.flow() as usize) {
            side.sender.foresee();
            prefetch_index(&self.stages, side.route as usize);
        }
    }

    /// The scoreboard, if anything is to be repaired.
    #[inline(always)]
    fn foresee_repair(&self, packet: Packet) {
        if let Some(SenderSide { sender: Transport::Tcp(sender), .. }) =
            self.senders.get(packet.flow() as usize)
        {
            sender.foresee_repair();
        }
    }

    #[inline(always)]
    fn sender_stage(&self, packet: Packet) -> Option<Stage> {
        let side = self.senders.get(packet.flow() as usize)?;
        Some(self.stages[side.route as usize])
    }

    /// The first stage of the acknowledgement, and what the receiver holds beyond a gap.
    #[inline(always)]
    fn foresee_receiver_stage(&self, packet: Packet) {
        if let Some(side) = self.receivers.get(packet.flow() as usize) {
            prefetch_index(&self.stages, side.route as usize);
            if let AnyReceiver::Tcp(receiver) = &side.receiver {
                receiver.foresee();
            }
        }
    }

    /// The stage after the link that all acknowledgements take.
    #[inline(always)]
    fn receiver_stage(&self, packet: Packet) -> Option<Stage> {
        let side = self.receivers.get(packet.flow() as usize)?;
        let first = self.stages[side.route as usize];
        Some(self.stages[first.next as usize])
    }

    /// The link of a stage, and the lane behind it.
    #[inline(always)]
    fn foresee_link(&self, stage: Option<Stage>) {
        if let Some(Stage { place: Place::Link(link), lane, .. }) = stage {
            prefetch_index(&self.links, link as usize);
            prefetch_index(&self.lanes, lane as usize);
        }
    }

    /// The end of the lane behind a stage.
    #[inline(always)]
    fn foresee_tail(&self, stage: Option<Stage>) {
        if let Some(lane) = stage.and_then(|stage| self.lanes.get(stage.lane as usize)) {
            lane.foresee_tail();
        }
    }
}
