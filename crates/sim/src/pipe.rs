//! A link without a queue discipline, and the transmitters of senders.
//!
//! Such a link never drops for lack of room, and it serves in order of arrival. So the time at which a packet leaves is known when it
//! enters: `max(now, free) + size/rate + delay`.

use crate::random::Stream;
use sawtooth_cc::units::{Bytes, Rate, Span, Time};

/// How long packets of one size take; almost all packets of a link have one size.
#[derive(Clone, Copy, Debug)]
pub struct Serialiser {
    rate: Rate,
    bytes: u16,
    span: Span,
}

impl Serialiser {
    /// A transmitter of this rate.
    pub fn new(rate: Rate) -> Self {
        Serialiser { rate, bytes: 0, span: Span::ZERO }
    }

    /// Time to send this many bytes.
    #[inline(always)]
    pub fn span(&mut self, bytes: u16) -> Span {
        if bytes != self.bytes {
            self.adopt(bytes);
        }
        self.span
    }

    #[cold]
    fn adopt(&mut self, bytes: u16) {
        self.bytes = bytes;
        self.span = Bytes::new(u64::from(bytes)) / self.rate;
    }
}

/// A link without a queue discipline: 32 bytes, half a cache line, since each flow may have two of its own.
#[derive(Debug)]
#[repr(align(32))]
pub struct PipeLink {
    free: Time,
    delay: Span,
    rate: Rate,
    /// How long packets of the last size take, in ns; almost all packets of a link have one size.
    span_ns: u32,
    bytes: u16,
    /// Does any impairment sit on this link?
    pub is_impaired: bool,
}

impl PipeLink {
    /// An idle link.
    pub fn new(rate: Rate, delay: Span, is_impaired: bool) -> Self {
        PipeLink { free: Time::ZERO, delay, rate, span_ns: 0, bytes: 0, is_impaired }
    }

    /// Packets that enter from now on have this delay.
    pub fn set_delay(&mut self, delay: Span) {
        self.delay = delay;
    }

    /// Would a packet that enters now have to wait for more than a few others?
    #[inline(always)]
    pub fn is_busy_at(&self, now: Time) -> bool {
        self.free > now + Span::from_nanos(4 * u64::from(self.span_ns))
    }

    /// When a packet that enters now comes out.
    #[inline(always)]
    pub fn pass(&mut self, bytes: u16, now: Time) -> Time {
        let span =
            if bytes == self.bytes { Span::from_nanos(u64::from(self.span_ns)) } else { self.span(bytes) };
        self.free = self.free.max(now) + span;
        self.free + self.delay
    }

    #[cold]
    fn span(&mut self, bytes: u16) -> Span {
        let span = Bytes::new(u64::from(bytes)) / self.rate;
        if let Ok(span_ns) = u32::try_from(span.nanos()) {
            (self.span_ns, self.bytes) = (span_ns, bytes);
        }
        span
    }
}

/// A sender that lets each packet go a little later than it could, order kept.
#[derive(Debug)]
pub struct Jitter {
    limit: Span,
    last: Time,
    random: Stream,
}

impl Jitter {
    /// Up to `limit` later.
    pub fn new(limit: Span, random: Stream) -> Self {
        Jitter { limit, last: Time::ZERO, random }
    }

    /// When a packet that could leave now leaves.
    #[inline]
    pub fn delay(&mut self, now: Time) -> Time {
        let late = now + Span::from_nanos(self.random.nanos_up_to(self.limit.nanos()));
        self.last = self.last.max(late);
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_of_a_burst_follow_each_other_at_the_links_rate() {
        let mut link = PipeLink::new(Rate::from_bits_per_second(1_000_000_000), Span::from_millis(1), false);
        let exits: Vec<u64> = (0..3).map(|_| link.pass(1000, Time::ZERO).nanos()).collect();
        assert_eq!(exits, [1_008_000, 1_016_000, 1_024_000]);
        assert_eq!(link.pass(40, Time::from_nanos(1_000_000)).nanos(), 2_000_320);
    }

    #[test]
    fn jitter_keeps_order_and_stays_within_its_limit() {
        let mut jitter = Jitter::new(Span::from_micros(80), Stream::new("1", "test"));
        let mut last = Time::ZERO;
        for step in 0..1000 {
            let now = Time::from_nanos(step * 10_000);
            let leaves = jitter.delay(now);
            assert!(leaves >= last && leaves >= now);
            assert!(
                (leaves - now).nanos() <= 80_000,
                "no packet waits for more than its own draw or an earlier one's"
            );
            last = leaves;
        }
    }
}
