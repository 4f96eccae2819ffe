//! Prefetching: what the next packets of a lane will touch is brought into the cache before their turn comes.
//!
//! With many flows, almost everything that a packet touches was last touched a round trip ago and has left the cache: five to eight
//! cache lines for an arrival at a port and the receiver behind it, eight to ten for an acknowledgement. A lane knows which packets
//! come next. What a packet needs becomes known step by step, since one line holds the address of the next. So a packet triggers
//! several prefetches on its way to the head of its lane, the first for its own place in the ring. With 100,000 flows and 64 round-trip
//! times this saves a third of the time of a packet, with 1,000 flows on different paths a fifth.

use super::Network;
use super::endpoints::SenderSide;
use crate::packet::Packet;
use crate::topology::{Place, Stage};
use crate::tournament::Winners;
use crate::transport::{AnyReceiver, Transport};
use prefetch_index::prefetch_index;

/// With more flows than this their state does not fit into the nearest caches.
pub(super) const FLOWS: usize = 256;
/// With more lanes than this the packets of one come out far apart in time.
const LANES: u32 = 256;
/// How many lanes there may be for the next packet of each to be near enough.
const LANES_NEAR: u32 = 128;
/// The largest distance in packets between two steps of prefetching.
const STEP_MAX: u32 = 4;

/// The distance in packets of a lane between two steps of prefetching, with so many lanes.
pub(super) fn step(lanes: u32) -> u32 {
    (LANES_NEAR / lanes.max(1)).clamp(1, STEP_MAX)
}

/// How the next packets are found.
pub(super) enum Prefetching {
    /// Not at all: the state of few flows stays in the cache.
    None,
    /// They are the next packets of the same lane, this many packets apart per step. The more lanes there are, the more packets of
    /// other lanes come in between, and what was fetched too early has left the first-level cache again: with 128 lanes and 10,000
    /// flows or more, a distance of one packet instead of four saves a tenth of the time.
    ByLane(u32),
    /// They are the heads of the lanes that win the upper levels of the tournament tree: packets of one lane are far apart in time.
    ByTurn,
}

impl Network {
    /// How the next packets are found in this network.
    #[inline(always)]
    pub(super) fn prefetching(&self) -> Prefetching {
        if self.senders.len() <= FLOWS {
            Prefetching::None
        } else if self.events.lanes() <= LANES {
            Prefetching::ByLane(self.step)
        } else {
            Prefetching::ByTurn
        }
    }

    /// Prefetch for the heads of these lanes: the later a head comes, the less is known of what it needs.
    #[inline(always)]
    pub(super) fn prefetch_winners(&self, winners: Winners) {
        let [next, in_4, in_16, in_64, in_256, in_1024] = winners;
        self.lanes.prefetch(in_1024);
        self.events.prefetch(in_1024);
        self.lanes.prefetch_head(in_256);
        match self.head(in_64) {
            Some((packet, true)) => self.prefetch_sender(packet),
            Some((packet, false)) => prefetch_index(&self.receivers, packet.flow() as usize),
            None => {}
        }
        match self.head(in_16) {
            Some((packet, true)) => self.prefetch_sender_stage(packet),
            Some((packet, false)) => self.prefetch_receiver_stage(packet),
            None => {}
        }
        match self.head(in_4) {
            Some((packet, true)) => {
                self.prefetch_link(self.sender_stage(packet));
                self.prefetch_repair(packet);
            }
            Some((packet, false)) => self.prefetch_link(self.receiver_stage(packet)),
            None => {}
        }
        match self.head(next) {
            Some((packet, true)) => self.prefetch_tail(self.sender_stage(packet)),
            Some((packet, false)) => self.prefetch_tail(self.receiver_stage(packet)),
            None => {}
        }
    }

    /// The first packet of a lane, and whether it is an acknowledgement to a sender.
    #[inline(always)]
    fn head(&self, lane: u32) -> Option<(Packet, bool)> {
        Some((self.lanes.guess_ahead(lane, 0)?, self.lanes.ends(lane)?))
    }

    /// A packet has left this lane: prefetch for those behind it, in steps of so many packets.
    #[inline(always)]
    pub(super) fn prefetch(&self, lane: u32, step: u32) {
        self.lanes.prefetch_ahead(lane, 4 * step);
        if self.lanes.ends(lane) == Some(true) {
            self.prefetch_senders(lane, step);
        } else {
            self.prefetch_receivers(lane, step);
        }
    }

    fn ahead(&self, lane: u32, distance: u32) -> Option<Packet> {
        self.lanes.guess_ahead(lane, distance)
    }

    /// Acknowledgements.
    fn prefetch_senders(&self, lane: u32, step: u32) {
        if let Some(packet) = self.ahead(lane, 3 * step) {
            self.prefetch_sender(packet);
        }
        if let Some(packet) = self.ahead(lane, 2 * step) {
            self.prefetch_sender_stage(packet);
        }
        if let Some(packet) = self.ahead(lane, step) {
            self.prefetch_link(self.sender_stage(packet));
            self.prefetch_tail(self.sender_stage(packet));
            self.prefetch_repair(packet);
        }
    }

    /// Data.
    fn prefetch_receivers(&self, lane: u32, step: u32) {
        if let Some(packet) = self.ahead(lane, 3 * step) {
            prefetch_index(&self.receivers, packet.flow() as usize);
        }
        if let Some(packet) = self.ahead(lane, 2 * step) {
            self.prefetch_receiver_stage(packet);
        }
        if let Some(packet) = self.ahead(lane, step) {
            self.prefetch_link(self.receiver_stage(packet));
            self.prefetch_tail(self.receiver_stage(packet));
        }
    }

    /// The first line of the sender that a packet goes to, and what it says in detail.
    #[inline(always)]
    fn prefetch_sender(&self, packet: Packet) {
        prefetch_index(&self.senders, packet.flow() as usize);
        self.details.prefetch(packet.details());
    }

    /// The other lines of the sender, and the first stage of what it sends.
    #[inline(always)]
    fn prefetch_sender_stage(&self, packet: Packet) {
        if let Some(side) = self.senders.get(packet.flow() as usize) {
            side.sender.prefetch();
            prefetch_index(&self.stages, side.route as usize);
        }
    }

    /// The scoreboard, if anything is to be repaired.
    #[inline(always)]
    fn prefetch_repair(&self, packet: Packet) {
        if let Some(SenderSide { sender: Transport::Tcp(sender), .. }) =
            self.senders.get(packet.flow() as usize)
        {
            sender.prefetch_repair();
        }
    }

    #[inline(always)]
    fn sender_stage(&self, packet: Packet) -> Option<Stage> {
        let side = self.senders.get(packet.flow() as usize)?;
        Some(self.stages[side.route as usize])
    }

    /// The first stage of the acknowledgement, and what the receiver holds beyond a gap.
    #[inline(always)]
    fn prefetch_receiver_stage(&self, packet: Packet) {
        if let Some(side) = self.receivers.get(packet.flow() as usize) {
            prefetch_index(&self.stages, side.route as usize);
            if let AnyReceiver::Tcp(receiver) = &side.receiver {
                receiver.prefetch();
            }
        }
    }

    /// The stage behind the link that all acknowledgements take.
    #[inline(always)]
    fn receiver_stage(&self, packet: Packet) -> Option<Stage> {
        let side = self.receivers.get(packet.flow() as usize)?;
        let first = self.stages[side.route as usize];
        Some(self.stages[first.next() as usize])
    }

    /// The link of a stage, and the lane behind it.
    #[inline(always)]
    fn prefetch_link(&self, stage: Option<Stage>) {
        if let Some(stage) = stage
            && let Place::Link(link) = stage.place()
        {
            prefetch_index(&self.links, link as usize);
            self.lanes.prefetch(stage.lane());
        }
    }

    /// The end of the lane behind a stage.
    #[inline(always)]
    fn prefetch_tail(&self, stage: Option<Stage>) {
        if let Some(stage) = stage {
            self.lanes.prefetch_tail(stage.lane());
        }
    }
}
