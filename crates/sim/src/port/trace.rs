//! A transmitter that follows a trace of delivery opportunities.
//!
//! Source of the trace format: mahimahi's packet-opportunity files [Netravali15]: a line is a millisecond at which up to 1500 bytes may
//! leave. Accounting is by bytes, so several small packets share an opportunity and a large one may need two. An unused opportunity is
//! lost. At its end the trace starts again; its length is its last time.

use crate::queue::{Backlog, Queue, Queued, TransmitterState};
use sawtooth_cc::units::{Rate, Span, Time};

/// Bytes that one opportunity of a trace can carry.
pub const OPPORTUNITY_BYTES: u64 = 1500;

/// Delivery opportunities, over and over, and the packet that is using them.
#[derive(Debug)]
pub struct TraceTransmitter {
    times_ms: Vec<u64>,
    once: bool,
    next: usize,
    pass: u64,
    sending: Option<Queued>,
    /// Bytes of the packet in transmission that have not left yet.
    unsent: u64,
    busy_since: Time,
    idle_since: Time,
    /// Opportunities since the end of the warm-up.
    pub opportunities: u64,
}

/// What an opportunity does next.
#[derive(Clone, Copy, Debug)]
pub enum TransmissionEvent {
    /// The transmission of this packet begins.
    Begins(Queued),
    /// The last byte of this packet leaves.
    Ends(Queued),
}

impl TraceTransmitter {
    /// A trace at its beginning. Times ascend and the last is positive; the scenario's check has seen to that.
    pub fn new(times_ms: Vec<u64>, once: bool) -> Self {
        TraceTransmitter {
            times_ms,
            once,
            next: 0,
            pass: 0,
            sending: None,
            unsent: 0,
            busy_since: Time::ZERO,
            idle_since: Time::ZERO,
            opportunities: 0,
        }
    }

    /// When the next opportunity comes, if the trace has not ended.
    pub fn next_opportunity(&mut self) -> Option<Time> {
        if self.next == self.times_ms.len() {
            if self.once {
                return None;
            }
            self.next = 0;
            self.pass += 1;
        }
        let period = self.times_ms[self.times_ms.len() - 1];
        let at = self.pass * period + self.times_ms[self.next];
        self.next += 1;
        Some(Time::ZERO + Span::from_millis(at))
    }

    /// What is in transmission.
    pub fn sending(&self) -> Backlog {
        self.sending.map_or(Backlog::default(), |queued| Backlog::of(queued.packet))
    }

    /// What it is doing now.
    pub fn state(&self, now: Time, queue: &Queue) -> TransmitterState {
        TransmitterState { now, in_transmission: self.sending(), idle_since: self.idle_since(queue) }
    }

    fn is_idle(&self, queue: &Queue) -> bool {
        self.sending.is_none() && queue.held().packets == 0
    }

    /// What one pass of the trace carries at most over its length.
    pub fn mean_rate(&self) -> Rate {
        let bits = 8 * OPPORTUNITY_BYTES * self.times_ms.len() as u64;
        let period_ms = self.times_ms[self.times_ms.len() - 1];
        Rate::from_bits_per_second((bits * 1000 / period_ms).max(1))
    }

    /// Since when there has been nothing to send; `NEVER` if there is something.
    pub fn idle_since(&self, queue: &Queue) -> Time {
        if self.is_idle(queue) { self.idle_since } else { Time::NEVER }
    }

    /// A packet arrives; what waits up to now is still without it.
    pub fn expect(&mut self, now: Time, queue: &Queue) {
        if self.is_idle(queue) {
            self.busy_since = now;
        }
    }

    /// Use up to `budget` bytes of an opportunity. Returns the next begin or end of a transmission, if there is one.
    pub fn use_up(&mut self, now: Time, budget: &mut u64, queue: &mut Queue) -> Option<TransmissionEvent> {
        let Some(queued) = self.sending else {
            if *budget == 0 {
                return None;
            }
            let queued = queue.dequeue(self.state(now, queue))?;
            self.unsent = u64::from(queued.packet.bytes());
            self.sending = Some(queued);
            return Some(TransmissionEvent::Begins(queued));
        };
        let sent = self.unsent.min(*budget);
        self.unsent -= sent;
        *budget -= sent;
        if self.unsent > 0 {
            return None;
        }
        self.sending = None;
        Some(TransmissionEvent::Ends(queued))
    }

    /// Since when there has been something to send, if there is.
    pub fn busy_since(&self, queue: &Queue) -> Option<Time> {
        (!self.is_idle(queue)).then_some(self.busy_since)
    }

    /// A packet has left: since when there was something to send until just now, if there is nothing more.
    pub fn busy_spell(&mut self, now: Time, queue: &Queue) -> Option<Time> {
        if !self.is_idle(queue) {
            return None;
        }
        self.idle_since = now;
        Some(self.busy_since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Packet, PacketKind};
    use crate::random::Stream;
    use crate::scenario::{DropTailSpec, QueueSpec};

    fn opportunities(times_ms: &[u64], once: bool, count: usize) -> Vec<Option<u64>> {
        let mut trace = TraceTransmitter::new(times_ms.to_vec(), once);
        (0..count).map(|_| trace.next_opportunity().map(|time| time.nanos() / 1_000_000)).collect()
    }

    #[test]
    fn a_trace_starts_again_at_its_last_time() {
        assert_eq!(opportunities(&[1], false, 3), [Some(1), Some(2), Some(3)]);
        assert_eq!(opportunities(&[2, 2, 5], false, 5), [Some(2), Some(2), Some(5), Some(7), Some(7)]);
        // A first time of 0 falls together with the last of the pass before.
        assert_eq!(opportunities(&[0, 10], false, 4), [Some(0), Some(10), Some(10), Some(20)]);
        assert_eq!(opportunities(&[3, 4], true, 3), [Some(3), Some(4), None]);
    }

    #[test]
    fn small_packets_share_an_opportunity_and_a_large_one_needs_two() {
        let mut trace = TraceTransmitter::new(vec![1], false);
        let spec = QueueSpec::DropTail(DropTailSpec { packets: Some(4), bytes: None });
        let mut queue = Queue::new(&spec, trace.mean_rate(), Stream::new("1", "test"));
        for (number, bytes) in [(0, 700), (1, 700), (2, 2000)] {
            let packet = Packet::new(PacketKind::Data, 0, number, bytes, 0);
            queue.enqueue(Queued { packet, ..Queued::default() }, trace.state(Time::ZERO, &queue));
        }
        let mut ended = Vec::new();
        for _ in 0..2 {
            let mut budget = OPPORTUNITY_BYTES;
            while let Some(progress) = trace.use_up(Time::ZERO, &mut budget, &mut queue) {
                if let TransmissionEvent::Ends(queued) = progress {
                    ended.push((queued.packet.number(), budget));
                }
            }
        }
        // The second opportunity has 1500 bytes left for the 1900 that remain: the third packet is still in transmission.
        assert_eq!(ended, [(0, 800), (1, 100)]);
        assert_eq!(trace.sending(), Backlog { packets: 1, bytes: 2000 });
    }
}
