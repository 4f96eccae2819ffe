//! A transmitter that sends in transmit opportunities, as radio links do: it waits for the medium, sends several packets, and they
//! arrive together.
//!
//! Source: the aggregation of IEEE 802.11 (A-MPDU) in its simplest form, without collisions, rate control and retransmissions: each
//! opportunity costs `overhead` (waiting, preamble, acknowledgement), then packets follow each other at the rate of the link, at most
//! `packets` of them and for at most `time`. With `per_flow` an opportunity ends before a packet of another flow, as one that serves
//! one station does. That packet is the first of the next opportunity, so a discipline that schedules is asked for it early.
//!
//! A link that is always busy with packets of b bytes and n of them in each opportunity carries n·b / (overhead + n·b/rate).

use crate::packet::Packet;
use crate::pipe::Serialiser;
use crate::queue::{Backlog, Queue, Queued, TransmitterState};
use crate::scenario::AggregateSpec;
use sawtooth_cc::units::{Rate, Span, Time};

/// A transmitter of transmit opportunities.
#[derive(Debug)]
pub struct AggregateTransmitter {
    serialiser: Serialiser,
    spec: AggregateSpec,
    sending: Vec<Queued>,
    /// Taken from the queue and not fit for this opportunity: the first of the next.
    kept: Option<Queued>,
    idle_since: Time,
}

fn backlog(packets: impl Iterator<Item = Packet>) -> Backlog {
    packets.map(Backlog::of).fold(Backlog::default(), Backlog::and)
}

impl AggregateTransmitter {
    /// An idle transmitter.
    pub fn new(rate: Rate, spec: AggregateSpec) -> Self {
        AggregateTransmitter {
            serialiser: Serialiser::new(rate),
            spec,
            sending: Vec::new(),
            kept: None,
            idle_since: Time::ZERO,
        }
    }

    /// What it is doing now.
    pub fn state(&self, now: Time) -> TransmitterState {
        let in_transmission = self.kept().and(self.sending());
        TransmitterState { now, in_transmission, idle_since: self.idle_since }
    }

    /// What is in transmission.
    pub fn sending(&self) -> Backlog {
        backlog(self.sending.iter().map(|queued| queued.packet))
    }

    /// What waits for the next opportunity outside the queue.
    pub fn kept(&self) -> Backlog {
        backlog(self.kept.iter().map(|queued| queued.packet))
    }

    /// Is nothing in transmission?
    pub fn is_idle(&self) -> bool {
        self.sending.is_empty()
    }

    /// An opportunity begins now, with what the queue gives: how long it lasts; `None` if there is nothing to send.
    pub fn begin(&mut self, queue: &mut Queue, now: Time) -> Option<Span> {
        let mut time = Span::ZERO;
        while (self.sending.len() as u32) < self.spec.packets {
            let kept = self.kept.take();
            let Some(next) = kept.or_else(|| queue.dequeue(self.state(now))) else { break };
            let longer = time + self.serialiser.span(next.packet.bytes());
            let stranger =
                self.sending.first().is_some_and(|first| first.packet.flow() != next.packet.flow());
            let fits = longer <= Span::from_nanos(self.spec.time_ns) && !(self.spec.per_flow && stranger);
            if !fits && !self.sending.is_empty() {
                self.kept = Some(next);
                break;
            }
            time = longer;
            self.sending.push(next);
        }
        if self.sending.is_empty() {
            return None;
        }
        self.idle_since = Time::NEVER;
        Some(time + Span::from_nanos(self.spec.overhead_ns))
    }

    /// The packets in transmission, in order.
    pub fn packets(&self) -> &[Queued] {
        &self.sending
    }

    /// The opportunity under way has ended: what was sent. Whether another begins is open.
    pub fn end(&mut self, now: Time) -> Vec<Queued> {
        self.idle_since = now;
        std::mem::take(&mut self.sending)
    }
}
