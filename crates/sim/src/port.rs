//! A router port: a queue, a transmitter (a rate, or a trace of delivery opportunities) and a wire.
//!
//! Source of the trace format: mahimahi's packet-opportunity files [Netravali15]: a line is a
//! millisecond at which up to 1500 bytes may leave. Accounting is by bytes, so several small packets share
//! an opportunity and a large one may need two; an unused opportunity is lost; at its end the trace starts
//! again, its length being its last time.

use crate::impairment::Impairment;
use crate::packet::Packet;
use crate::pipe::{Serialiser, Transit};
use crate::queue::{Backlog, Queue};
use sawtooth_cc::units::{Span, Time};

/// Bytes that one opportunity of a trace can carry.
pub const OPPORTUNITY_BYTES: u64 = 1500;

/// Delivery opportunities, over and over.
#[derive(Debug)]
pub struct Trace {
    times_ms: Vec<u64>,
    once: bool,
    next: usize,
    pass: u64,
    /// Bytes of the packet in transmission that have not left yet.
    pub unsent: u64,
}

impl Trace {
    /// A trace at its beginning. Times ascend and the last is positive; the scenario's check has seen to that.
    pub fn new(times_ms: Vec<u64>, once: bool) -> Self {
        Trace { times_ms, once, next: 0, pass: 0, unsent: 0 }
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
}

/// What puts packets on the wire.
#[derive(Debug)]
pub enum Transmitter {
    /// A constant rate.
    Rate(Serialiser),
    /// Opportunities from a file.
    Trace(Trace),
}

/// A port of a router.
#[derive(Debug)]
pub struct Port {
    /// Its name in results.
    pub name: String,
    /// What waits.
    pub queue: Queue,
    /// What sends.
    pub transmitter: Transmitter,
    /// The packet in transmission.
    pub sending: Option<Packet>,
    /// Propagation delay of the wire.
    pub delay: Span,
    /// What is on the wire.
    pub wire: Transit,
    /// Losses of this link.
    pub drop: Option<Impairment>,
    /// Marks of this link.
    pub mark: Option<Impairment>,
    /// Time with something to send since the end of the warm-up.
    pub busy: Span,
    busy_since: Time,
    /// Opportunities since the end of the warm-up.
    pub opportunities: u64,
    /// A running hash of every departure: when, whose, which.
    pub departures_hash: u64,
}

impl Port {
    /// An idle port.
    pub fn new(name: String, queue: Queue, transmitter: Transmitter, delay: Span) -> Self {
        Port {
            name,
            queue,
            transmitter,
            sending: None,
            delay,
            wire: Transit::default(),
            drop: None,
            mark: None,
            busy: Span::ZERO,
            busy_since: Time::ZERO,
            opportunities: 0,
            departures_hash: 0xcbf2_9ce4_8422_2325,
        }
    }

    /// What the transmitter holds.
    #[inline]
    pub fn in_transmission(&self) -> Backlog {
        self.sending
            .map_or(Backlog::default(), |packet| Backlog { packets: 1, bytes: u64::from(packet.bytes) })
    }

    /// Take the next packet from the queue into the transmitter.
    #[inline]
    pub fn load(&mut self, now: Time, dropped: &mut Vec<Packet>) -> Option<Packet> {
        self.sending = self.queue.dequeue(now, dropped);
        if let Some(packet) = self.sending {
            self.hash_departure(now, &packet);
        }
        self.sending
    }

    #[inline]
    fn hash_departure(&mut self, now: Time, packet: &Packet) {
        let word = now.nanos()
            ^ (u64::from(packet.flow) << 40)
            ^ (u64::from(packet.number) << 8)
            ^ u64::from(packet.flags);
        self.departures_hash =
            (self.departures_hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    /// The port has something to send from now on.
    pub fn becomes_busy(&mut self, now: Time) {
        self.busy_since = now;
    }

    /// The port has nothing more to send.
    pub fn becomes_idle(&mut self, now: Time) {
        self.busy += now - self.busy_since;
    }

    /// Start measuring now.
    pub fn restart_counters(&mut self, now: Time) {
        self.queue.restart_counters();
        self.busy = Span::ZERO;
        self.busy_since = now;
        self.opportunities = 0;
    }

    /// Busy time up to now, a busy spell that is not over included.
    pub fn busy_until(&self, now: Time) -> Span {
        let open = if self.sending.is_some() || self.queue.backlog().packets > 0 {
            now - self.busy_since
        } else {
            Span::ZERO
        };
        self.busy + open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opportunities(times_ms: &[u64], once: bool, count: usize) -> Vec<Option<u64>> {
        let mut trace = Trace::new(times_ms.to_vec(), once);
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
}
