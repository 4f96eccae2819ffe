//! First in, first out: what holds the packets that an arrival rule lets in.
//!
//! In front of a link of constant rate it holds nothing: the departure of an accepted packet is known at once. So the port asks the
//! rule only ([`Fifo::rule`]) and sends the packet on ahead of time. It holds packets where that cannot be known, behind a trace of
//! delivery opportunities, and where nothing is worked out ahead.

use super::discipline::{
    Admission, ArrivalRule, Backlog, QueueContext, QueueDiscipline, QueueState, Queued, TransmitterState,
};
use super::owner::Owner;
use crate::packet::Packet;
use crate::ring::Ring;
use sawtooth_cc::units::{Rate, Span, Time};

/// Packets in the order of their arrival.
#[derive(Debug, Default)]
pub struct Line {
    waiting: Ring<Queued>,
    bytes: u64,
}

impl Line {
    /// A packet more, behind all others.
    #[inline]
    pub fn push(&mut self, arrival: Queued) {
        self.bytes += u64::from(arrival.packet.bytes());
        self.waiting.push_back(arrival);
    }

    /// Take the first packet out.
    #[inline]
    pub fn pop(&mut self) -> Option<Queued> {
        let first = self.waiting.pop_front()?;
        self.bytes -= u64::from(first.packet.bytes());
        Some(first)
    }

    /// Take out the first packet of this owner's that is wanted.
    pub fn remove(&mut self, owner: Owner, wanted: &mut dyn FnMut(Packet) -> bool) -> Option<Queued> {
        let mut removed = None;
        for _ in 0..self.waiting.len() {
            let queued = self.waiting.pop_front().expect("so many wait");
            let packet = queued.packet;
            if removed.is_none() && Owner::of(packet) == owner && wanted(packet) {
                self.bytes -= u64::from(packet.bytes());
                removed = Some(queued);
            } else {
                self.waiting.push_back(queued);
            }
        }
        removed
    }

    /// The first packet.
    #[inline]
    pub fn first(&self) -> Option<Queued> {
        self.waiting.front()
    }

    /// How long the first packet has waited.
    pub fn waited(&self, now: Time) -> Span {
        self.waiting.front().map_or(Span::ZERO, |first| now - first.arrived)
    }

    /// What waits.
    #[inline]
    pub fn backlog(&self) -> Backlog {
        Backlog { packets: self.waiting.len() as u64, bytes: self.bytes }
    }
}

/// A first-in first-out queue behind an arrival rule.
#[derive(Debug)]
pub struct Fifo<R> {
    /// Who may wait.
    pub rule: R,
    line: Line,
}

impl<R> Fifo<R> {
    /// An empty queue.
    pub fn new(rule: R) -> Self {
        Fifo { rule, line: Line::default() }
    }
}

impl<R: ArrivalRule> QueueDiscipline for Fifo<R> {
    fn enqueue(&mut self, mut arrival: Queued, context: &mut QueueContext<'_>) {
        let transmitter = context.transmitter;
        let found = QueueState {
            now: transmitter.now,
            waiting: self.backlog(),
            in_transmission: transmitter.in_transmission,
            idle_since: transmitter.idle_since,
        };
        match self.rule.admit(arrival.packet, &found, context.random) {
            Admission::Wait => {}
            Admission::Mark => context.mark(&mut arrival),
            Admission::Drop(reason) => return context.drop(arrival, reason),
        }
        self.line.push(arrival);
    }

    fn dequeue(&mut self, _: &mut QueueContext<'_>) -> Option<Queued> {
        self.line.pop()
    }

    fn remove(
        &mut self,
        owner: Owner,
        wanted: &mut dyn FnMut(Packet) -> bool,
        _: &mut QueueContext<'_>,
    ) -> Option<Queued> {
        self.line.remove(owner, wanted)
    }

    fn backlog(&self) -> Backlog {
        self.line.backlog()
    }

    fn spares(&self, packet: Packet) -> bool {
        self.rule.spares(packet)
    }

    fn set_rate(&mut self, rate: Rate, transmitter: &TransmitterState) {
        self.rule.set_rate(rate, transmitter);
    }
}
