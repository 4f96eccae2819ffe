//! A transmitter of constant rate behind a first-in first-out queue.
//!
//! When a packet is let in, the moment at which its transmission ends is known: it follows the one before it. So neither the begin nor
//! the end of a transmission is an event. A packet goes on ahead of time; only its departure time stays here, so that a later arrival
//! finds the right backlog.

use crate::event::Moment;
use crate::pipe::Serialiser;
use crate::queue::Backlog;
use crate::ring::Ring;
use sawtooth_cc::units::{Rate, Time};

/// A packet that waits or is in transmission.
#[derive(Clone, Copy, Debug, Default)]
struct Leaving {
    end: Time,
    bytes: u16,
}

/// Nothing is in transmission.
const NOTHING: Leaving = Leaving { end: Time::NEVER, bytes: 0 };

/// A transmitter of constant rate.
#[derive(Debug)]
pub struct RateTransmitter {
    serialiser: Serialiser,
    sending: Leaving,
    waiting: Ring<Leaving>,
    waiting_bytes: u64,
    free: Time,
}

impl RateTransmitter {
    /// An idle transmitter.
    pub fn new(rate: Rate) -> Self {
        RateTransmitter {
            serialiser: Serialiser::new(rate),
            sending: NOTHING,
            waiting: Ring::default(),
            waiting_bytes: 0,
            free: Time::ZERO,
        }
    }

    /// Remove the packets that have left before this moment. A transmission that ends at the same time has ended if it began before the
    /// other event was caused, for its end was certain from then on.
    #[inline(always)]
    pub fn remove_departed(&mut self, now: Moment) {
        while self.sending.end <= now.time {
            if self.sending.end == now.time && self.sending_since() >= now.cause {
                return;
            }
            self.sending = self.waiting.pop_front().unwrap_or(NOTHING);
            self.waiting_bytes -= u64::from(self.sending.bytes);
        }
    }

    #[cold]
    fn sending_since(&mut self) -> Time {
        Time::from_nanos(self.sending.end.nanos() - self.serialiser.span(self.sending.bytes).nanos())
    }

    /// What waits, and what is in transmission.
    #[inline(always)]
    pub fn backlogs(&self) -> (Backlog, Backlog) {
        let waiting = Backlog { packets: self.waiting.len() as u64, bytes: self.waiting_bytes };
        let sending = Backlog {
            packets: u64::from(self.sending.end != Time::NEVER),
            bytes: u64::from(self.sending.bytes),
        };
        (waiting, sending)
    }

    /// Since when nothing is in transmission; `NEVER` if something is. Nothing waits then either.
    #[inline(always)]
    pub fn idle_since(&self) -> Time {
        if self.sending.end == Time::NEVER { self.free } else { Time::NEVER }
    }

    /// A packet is let in: when its transmission begins and ends.
    #[inline(always)]
    pub fn accept(&mut self, bytes: u16, now: Time) -> (Time, Time) {
        let begin = self.free.max(now);
        self.free = begin + self.serialiser.span(bytes);
        let leaving = Leaving { end: self.free, bytes };
        if self.sending.end == Time::NEVER {
            self.sending = leaving;
        } else {
            self.waiting.push_back(leaving);
            self.waiting_bytes += u64::from(bytes);
        }
        (begin, self.free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(time: u64, cause: u64) -> Moment {
        Moment { time: Time::from_nanos(time), cause: Time::from_nanos(cause) }
    }

    #[test]
    fn packets_leave_one_after_another_and_what_has_left_is_forgotten() {
        let mut transmitter = RateTransmitter::new(Rate::from_bits_per_second(8_000_000_000)); // a byte a nanosecond
        let accept = |transmitter: &mut RateTransmitter, bytes, now| {
            let (begin, end) = transmitter.accept(bytes, Time::from_nanos(now));
            (begin.nanos(), end.nanos())
        };
        assert_eq!(accept(&mut transmitter, 100, 10), (10, 110));
        assert_eq!(accept(&mut transmitter, 50, 20), (110, 160));
        assert_eq!(accept(&mut transmitter, 50, 30), (160, 210));
        let packets = |transmitter: &RateTransmitter| {
            let (waiting, sending) = transmitter.backlogs();
            (waiting.packets, waiting.bytes, sending.packets, sending.bytes)
        };
        assert_eq!(packets(&transmitter), (2, 100, 1, 100));
        // The first transmission began at 10: an event of time 110 comes before its end if it was caused before 10.
        transmitter.remove_departed(moment(110, 10));
        assert_eq!(packets(&transmitter), (2, 100, 1, 100));
        transmitter.remove_departed(moment(110, 11));
        assert_eq!(packets(&transmitter), (1, 50, 1, 50));
        assert_eq!(transmitter.idle_since(), Time::NEVER);
        transmitter.remove_departed(moment(211, 0));
        assert_eq!(packets(&transmitter), (0, 0, 0, 0));
        assert_eq!(transmitter.idle_since(), Time::from_nanos(210));
        assert_eq!(accept(&mut transmitter, 100, 300), (300, 400));
    }
}
