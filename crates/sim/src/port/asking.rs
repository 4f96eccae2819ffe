//! A transmitter of constant rate that asks its queue for each packet.
//!
//! Which packet comes next is open until the transmitter is free, so the end of every transmission is an event, or, where nothing depends
//! on it soon (`ahead`), is dealt with when somebody looks at the port.
//!
//! Behind a shaper a packet has left its discipline, and then waits for its tokens. That wait is queueing delay in every record. The
//! discipline does not see it, as the child of Linux's TBF does not: TBF takes the packet out of its child first, and then holds it.

use crate::ahead::Measured;
use crate::bucket::Bucket;
use crate::event::Moment;
use crate::pipe::Serialiser;
use crate::queue::{Backlog, Queued, TransmitterState};
use sawtooth_cc::units::{Rate, Time};

/// A transmitter of constant rate that asks for each packet.
#[derive(Debug)]
pub struct AskingTransmitter {
    serialiser: Serialiser,
    shaper: Option<Bucket>,
    sending: Option<Queued>,
    /// When the queue gave the packet under way, when its transmission begins, and when it ends; `NEVER` if there is none.
    begun: Time,
    sent_from: Time,
    end: Time,
    idle_since: Time,
    rate: Rate,
    /// Since when the rate is this.
    rate_since: Time,
}

impl AskingTransmitter {
    /// An idle transmitter, perhaps behind a shaper.
    pub fn new(rate: Rate, shaper: Option<Bucket>) -> Self {
        let serialiser = Serialiser::new(rate);
        AskingTransmitter {
            serialiser,
            shaper,
            sending: None,
            begun: Time::ZERO,
            sent_from: Time::ZERO,
            end: Time::NEVER,
            idle_since: Time::ZERO,
            rate,
            rate_since: Time::ZERO,
        }
    }

    /// The next transmissions have this rate; the one under way keeps its own.
    pub fn set_rate(&mut self, rate: Rate, now: Time) {
        (self.serialiser, self.rate, self.rate_since) = (Serialiser::new(rate), rate, now);
    }

    /// The rate at which packets leave in the long run: its present one, or that of its shaper.
    pub fn drain(&self) -> Rate {
        let shaped = self.shaper.map_or(u64::MAX, |shaper| shaper.rate_bps());
        Rate::from_bits_per_second(self.rate.bits_per_second().min(shaped))
    }

    /// What it could have sent at that rate until now within the measured time, in bits times 10⁹.
    pub fn capacity(&self, measured: Measured, now: Time) -> u128 {
        let span = measured.overlap(self.rate_since, now);
        u128::from(self.drain().bits_per_second()) * u128::from(span.nanos())
    }

    /// What it is doing now.
    pub fn state(&self, now: Time) -> TransmitterState {
        TransmitterState { now, in_transmission: self.sending(), idle_since: self.idle_since }
    }

    /// What has left the queue and not the port: it is in transmission, or waits for its tokens.
    pub fn sending(&self) -> Backlog {
        self.sending.map_or(Backlog::default(), |queued| Backlog::of(queued.packet))
    }

    /// What waits for its tokens, and what is in transmission.
    pub fn backlogs(&self, now: Time) -> (Backlog, Backlog) {
        let waits = self.shaper.is_some() && now <= self.sent_from;
        if waits { (self.sending(), Backlog::default()) } else { (Backlog::default(), self.sending()) }
    }

    /// Is nothing in transmission?
    pub fn is_idle(&self) -> bool {
        self.sending.is_none()
    }

    /// When the transmission under way has ended, if it has before this moment. One that ends at the same time has if it began before the
    /// other event was caused, as an event of its own would have it.
    #[inline]
    pub fn ended_before(&self, now: Moment) -> Option<Time> {
        let ended = self.end < now.time || self.end == now.time && self.begun < now.cause;
        ended.then_some(self.end)
    }

    /// When the transmission under way ends, if there is one.
    pub fn ends(&self) -> Option<Time> {
        self.sending.map(|_| self.end)
    }

    /// The queue has given a packet: when its transmission begins, which is when it has its tokens, and when that ends.
    #[inline]
    pub fn begin(&mut self, queued: Queued, now: Time) -> (Time, Time) {
        self.sending = Some(queued);
        self.idle_since = Time::NEVER;
        let bytes = queued.packet.bytes();
        let from = match &mut self.shaper {
            None => now,
            Some(shaper) => now + shaper.hold(bytes, now),
        };
        (self.begun, self.sent_from, self.end) = (now, from, from + self.serialiser.span(bytes));
        (from, self.end)
    }

    /// The transmission under way has ended: what was sent, if there was any. Whether another begins is open.
    #[inline]
    pub fn end(&mut self, now: Time) -> Option<Queued> {
        (self.idle_since, self.end) = (now, Time::NEVER);
        self.sending.take()
    }
}
