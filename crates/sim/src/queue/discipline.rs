//! What a queue discipline is: the two calls it answers, what it sees, and what it may do to packets.
//!
//! A discipline holds packets. [`QueueDiscipline::enqueue`] takes an arrival, [`QueueDiscipline::dequeue`] returns the packet that is
//! sent next. In both, the discipline may drop and mark through the [`QueueContext`], which counts. Where all decisions fall on
//! arrival, a discipline is an [`ArrivalRule`] inside a [`super::fifo::Fifo`].

use super::counters::Tally;
use super::drop_reason::DropReason;
use super::owner::Owner;
use crate::packet::Packet;
use crate::random::Stream;
use crate::topology::StageIndex;
use sawtooth_cc::units::{Rate, Span, Time};

/// A packet that waits, since when, and where it goes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Queued {
    /// The packet.
    pub packet: Packet,
    /// When it reached the port.
    pub arrived: Time,
    /// Its stage at the port.
    pub stage: StageIndex,
    /// The subqueue of the discipline to which it was assigned, if that has some.
    pub subqueue: u8,
}

/// Packets and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Packets.
    pub packets: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Backlog {
    /// One packet.
    pub fn of(packet: Packet) -> Self {
        Backlog { packets: 1, bytes: u64::from(packet.bytes()) }
    }

    /// These and others.
    pub fn and(self, other: Backlog) -> Self {
        Backlog { packets: self.packets + other.packets, bytes: self.bytes + other.bytes }
    }
}

/// What the transmitter behind a queue is doing.
#[derive(Clone, Copy, Debug)]
pub struct TransmitterState {
    /// The present.
    pub now: Time,
    /// What is in transmission.
    pub in_transmission: Backlog,
    /// Since when there has been nothing to send; `NEVER` if there is something.
    pub idle_since: Time,
}

/// What an arriving packet finds.
#[derive(Clone, Copy, Debug)]
pub struct QueueState {
    /// The present.
    pub now: Time,
    /// What waits.
    pub waiting: Backlog,
    /// What is in transmission; some buffer limits include it.
    pub in_transmission: Backlog,
    /// Since when there has been nothing to send; `NEVER` if there is something.
    pub idle_since: Time,
}

/// What a discipline does to a packet besides holding it, for the network to act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The packet is discarded.
    Dropped(Packet, DropReason),
    /// The packet, which was not marked before, is marked.
    Marked(Packet),
}

/// What a discipline sees and may do, on arrival of a packet and when one can be sent.
#[derive(Debug)]
pub struct QueueContext<'a> {
    /// The transmitter, and the present.
    pub transmitter: &'a TransmitterState,
    /// Random numbers of this queue alone.
    pub random: &'a mut Stream,
    pub(super) tally: &'a mut Tally,
    pub(super) signals: &'a mut Vec<Signal>,
}

impl QueueContext<'_> {
    /// The present.
    pub fn now(&self) -> Time {
        self.transmitter.now
    }

    /// An arrival belongs to this subqueue, which is counted apart.
    pub fn assign(&mut self, arrival: &mut Queued, subqueue: u8) {
        arrival.subqueue = subqueue;
        self.tally.subqueues[usize::from(subqueue)].count_arrival(arrival.packet);
    }

    /// Discard a packet that arrives now or has been held.
    pub fn drop(&mut self, queued: Queued, reason: DropReason) {
        self.tally.count_drop(queued.packet, reason);
        if let Some(subqueue) = self.tally.subqueues.get_mut(usize::from(queued.subqueue)) {
            subqueue.count_drop(queued.packet, reason);
        }
        self.signals.push(Signal::Dropped(queued.packet, reason));
    }

    /// Mark a packet, which must be ECN-capable, as having met congestion.
    pub fn mark(&mut self, queued: &mut Queued) {
        self.tally.count_mark(queued.packet);
        if let Some(subqueue) = self.tally.subqueues.get_mut(usize::from(queued.subqueue)) {
            subqueue.count_mark(queued.packet);
        }
        let marked = queued.packet.marked();
        if queued.packet != marked {
            queued.packet = marked;
            self.signals.push(Signal::Marked(marked));
        }
    }
}

/// What a discipline, or a subqueue of it, is doing, for those who look on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DisciplineState {
    /// What waits.
    pub backlog: Backlog,
    /// How long the first packet has waited; of several queues the longest of these.
    pub waited: Span,
    /// With which probability a packet is dropped or marked; 0 for a discipline without one.
    pub probability: f64,
    /// Queues in the drop state.
    pub dropping: u32,
}

/// The most subqueues of a discipline.
pub const SUBQUEUES_MAX: usize = 2;

/// A queue discipline.
pub trait QueueDiscipline {
    /// A packet arrives: it is held, perhaps marked, or it or others are dropped.
    fn enqueue(&mut self, arrival: Queued, context: &mut QueueContext<'_>);

    /// The transmitter is free: the packet that is sent now. `None` only if nothing is held any more.
    fn dequeue(&mut self, context: &mut QueueContext<'_>) -> Option<Queued>;

    /// The first of this owner's packets that waits and is wanted is held no more.
    fn remove(
        &mut self,
        owner: Owner,
        wanted: &mut dyn FnMut(Packet) -> bool,
        context: &mut QueueContext<'_>,
    ) -> Option<Queued>;

    /// What is held.
    fn backlog(&self) -> Backlog;

    /// Must this packet neither be dropped nor marked here?
    fn spares(&self, _packet: Packet) -> bool {
        false
    }

    /// From now on the link sends at this rate, or at this mean rate.
    fn set_rate(&mut self, _rate: Rate, _transmitter: &TransmitterState) {}

    /// What it is doing, subqueue by subqueue; nothing for a discipline without a state.
    fn states(&self, _now: Time) -> [Option<DisciplineState>; SUBQUEUES_MAX] {
        [None; SUBQUEUES_MAX]
    }
}

/// What becomes of an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It waits its turn.
    Wait,
    /// It waits its turn and is marked; only for ECN-capable packets.
    Mark,
    /// It is discarded.
    Drop(DropReason),
}

/// A rule that decides on arrival, once and for all, what becomes of a packet; what it lets in goes first in, first out.
pub trait ArrivalRule {
    /// May this packet wait? `random` are the queue's own random numbers.
    fn admit(&mut self, arrival: Packet, found: &QueueState, random: &mut Stream) -> Admission;

    /// Must this packet neither be dropped nor marked here?
    fn spares(&self, _packet: Packet) -> bool {
        false
    }

    /// From now on the link sends at this rate.
    fn set_rate(&mut self, _rate: Rate, _transmitter: &TransmitterState) {}
}
