//! Disciplines that schedule: they hold the packets and say which one goes next, when the transmitter becomes free.
//!
//! A discipline of a first-in first-out queue decides on arrival, and a transmitter of constant rate then knows
//! at once when the packet leaves. One that schedules, or that drops at the head of its queue, is asked at the end
//! of every transmission. So is whatever waits for a trace of delivery opportunities: there a discipline of a
//! first-in first-out queue still decides on arrival, and [`Fifo`] holds what it lets in.
//!
//! A scheduler says what it discards to its context, which counts; the network then lets go of it.

use super::drr::Drr;
use super::{Backlog, DropReason, Tally};
use crate::packet::Packet;
use crate::ring::Ring;
use crate::scenario::QueueSpec;
use crate::topology::StageIndex;
use sawtooth_cc::units::Time;

/// A packet that waits, since when, and where it goes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Queued {
    /// The packet.
    pub packet: Packet,
    /// When it reached the port.
    pub arrived: Time,
    /// Its stage at the port.
    pub stage: StageIndex,
}

/// Where a scheduler takes what it discards.
#[derive(Debug)]
pub struct SchedulerContext<'a> {
    pub(super) tally: &'a mut Tally,
    pub(super) dropped: &'a mut Vec<Packet>,
}

impl SchedulerContext<'_> {
    /// This packet, which came in before or just now, is discarded.
    pub fn drop(&mut self, packet: Packet, reason: DropReason) {
        self.tally.measured.count_drop(packet, reason);
        self.dropped.push(packet);
    }
}

/// A discipline that holds its packets and chooses among them.
pub trait Scheduler {
    /// A packet arrives and is held, unless it or others are dropped to make room.
    fn enqueue(&mut self, arrival: Queued, context: &mut SchedulerContext<'_>);

    /// The transmitter is free: the packet that goes now. `None` only if nothing waits any more.
    fn dequeue(&mut self, context: &mut SchedulerContext<'_>) -> Option<Queued>;

    /// What waits.
    fn backlog(&self) -> Backlog;
}

/// First in, first out: what waits for a trace behind a discipline that decides on arrival.
#[derive(Debug, Default)]
pub struct Fifo {
    waiting: Ring<Queued>,
    bytes: u64,
}

impl Scheduler for Fifo {
    fn enqueue(&mut self, arrival: Queued, _: &mut SchedulerContext<'_>) {
        self.bytes += u64::from(arrival.packet.bytes());
        self.waiting.push_back(arrival);
    }

    fn dequeue(&mut self, _: &mut SchedulerContext<'_>) -> Option<Queued> {
        let first = self.waiting.pop_front()?;
        self.bytes -= u64::from(first.packet.bytes());
        Some(first)
    }

    fn backlog(&self) -> Backlog {
        Backlog { packets: self.waiting.len() as u64, bytes: self.bytes }
    }
}

/// Any scheduler; an enum, so that no virtual call stands on the path of a packet.
#[derive(Debug)]
pub enum AnyScheduler {
    /// First in, first out.
    Fifo(Fifo),
    /// Deficit round robin.
    Drr(Box<Drr>),
}

impl AnyScheduler {
    /// What holds the packets of this discipline where the transmitter does not.
    pub fn new(spec: &QueueSpec) -> Self {
        match spec {
            QueueSpec::Drr { packets, bytes, quantum } => {
                AnyScheduler::Drr(Box::new(Drr::new(*packets, *bytes, *quantum)))
            }
            QueueSpec::DropTail { .. } | QueueSpec::Red(_) | QueueSpec::Rio(_) => {
                AnyScheduler::Fifo(Fifo::default())
            }
        }
    }
}

impl Scheduler for AnyScheduler {
    fn enqueue(&mut self, arrival: Queued, context: &mut SchedulerContext<'_>) {
        match self {
            AnyScheduler::Fifo(queue) => queue.enqueue(arrival, context),
            AnyScheduler::Drr(queue) => queue.enqueue(arrival, context),
        }
    }

    fn dequeue(&mut self, context: &mut SchedulerContext<'_>) -> Option<Queued> {
        match self {
            AnyScheduler::Fifo(queue) => queue.dequeue(context),
            AnyScheduler::Drr(queue) => queue.dequeue(context),
        }
    }

    fn backlog(&self) -> Backlog {
        match self {
            AnyScheduler::Fifo(queue) => queue.backlog(),
            AnyScheduler::Drr(queue) => queue.backlog(),
        }
    }
}
