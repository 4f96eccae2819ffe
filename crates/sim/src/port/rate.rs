//! A transmitter of constant rate behind a first-in first-out queue.
//!
//! When a packet is let in, the moment at which its transmission ends is known: it follows the one before it. So
//! neither the begin nor the end of a transmission is an event; a packet goes on ahead of time, and what stays
//! here is when it leaves, so that a later arrival finds the right backlog.

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

/// A transmitter of constant rate.
#[derive(Debug)]
pub struct RateTransmitter {
    serialiser: Serialiser,
    leaving: Ring<Leaving>,
    bytes: u64,
    free: Time,
}

impl RateTransmitter {
    /// An idle transmitter.
    pub fn new(rate: Rate) -> Self {
        RateTransmitter { serialiser: Serialiser::new(rate), leaving: Ring::default(), bytes: 0, free: Time::ZERO }
    }

    /// Forget what has left before this moment. A transmission that ends at the same time has ended if it began
    /// before the other event was caused: that is when its end was certain.
    #[inline]
    pub fn settle(&mut self, now: Moment) {
        while let Some(first) = self.leaving.front() {
            let over = first.end < now.time
                || (first.end == now.time
                    && first.end.nanos() - self.serialiser.span(first.bytes).nanos() < now.cause.nanos());
            if !over {
                return;
            }
            self.leaving.pop_front();
            self.bytes -= u64::from(first.bytes);
        }
    }

    /// What waits, and what is in transmission.
    #[inline]
    pub fn backlogs(&self) -> (Backlog, Backlog) {
        match self.leaving.front() {
            None => (Backlog::default(), Backlog::default()),
            Some(first) => {
                let bytes = u64::from(first.bytes);
                let waiting =
                    Backlog { packets: self.leaving.len() as u64 - 1, bytes: self.bytes - bytes };
                (waiting, Backlog { packets: 1, bytes })
            }
        }
    }

    /// A packet is let in: when its transmission begins and ends.
    #[inline]
    pub fn accept(&mut self, bytes: u16, now: Time) -> (Time, Time) {
        let begin = self.free.max(now);
        self.free = begin + self.serialiser.span(bytes);
        self.leaving.push_back(Leaving { end: self.free, bytes });
        self.bytes += u64::from(bytes);
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
        transmitter.settle(moment(110, 10));
        assert_eq!(packets(&transmitter), (2, 100, 1, 100));
        transmitter.settle(moment(110, 11));
        assert_eq!(packets(&transmitter), (1, 50, 1, 50));
        transmitter.settle(moment(211, 0));
        assert_eq!(packets(&transmitter), (0, 0, 0, 0));
        assert_eq!(accept(&mut transmitter, 100, 300), (300, 400));
    }
}
