//! Constant-bit-rate sources whose rate follows a schedule.
//!
//! Source: the cross traffic of [Akella02] §3.3. Packets are evenly spaced: packet k after a change of rate leaves k · bits/rate after
//! the change, rounded down to a nanosecond without accumulating error. At each entry of the schedule the source starts afresh with a
//! packet, as ns-2's does. Not ECN-capable.
//!
//! Sources that are alike, as those of [Akella02] at DRR routers, are one group, whose number may change with the rate. Their
//! packets are spread evenly: with n sources of rate r the group sends at n · r, each source every n-th packet. So each of them is
//! as regular as one alone, and the group costs what its packets cost. (Sources that all start at the same moment would
//! arrive in bursts of n, which says more about the start than about the router.)
//!
//! Frames of real-time media are packets that leave together. A source of frames has one at each moment at which it would, without
//! frames, send the first packet of one; `network/streams.rs` watches what becomes of them.
//!
//! | parameter    | unit        | default | why                                   |
//! |--------------|-------------|---------|---------------------------------------|
//! | packet_bytes | bytes       | 1000    | the test flows' packet                |
//! | rates        | ns, bit/s   | given   | what the environment leaves over      |
//! | counts       | 1           | 1       | how many there are, by entry of rates |

use crate::packet::{IN_PROFILE, Packet, PacketKind};
use crate::scenario::SourceSpec;
use sawtooth_cc::units::{Span, Time};

/// A constant-rate source, or several that are alike.
#[derive(Debug)]
pub struct Source {
    /// The number of the first of them.
    first: u32,
    packet_bytes: u16,
    flags: u16,
    rates: Vec<[u64; 2]>,
    counts: Vec<u32>,
    next_change: usize,
    interval: Interval,
    /// How many of them send, and which of these is next.
    active: u32,
    turn: u32,
    sent: u32,
    /// Packets of a frame, how many of the present one have left, and the time that they take at its rate.
    frame: u32,
    of_frame: u32,
    frame_span: Span,
    /// When the next packet goes; `NEVER` while silent.
    pub next_tick: Time,
}

/// The time between packets, with the part of a nanosecond that division leaves.
#[derive(Clone, Copy, Debug, Default)]
struct Interval {
    nanos: u64,
    remainder: u64,
    rate: u64,
    carried: u64,
}

impl Interval {
    fn new(bytes: u16, rate: u64) -> Self {
        let bit_nanos = u64::from(bytes) * 8 * 1_000_000_000;
        Interval { nanos: bit_nanos / rate, remainder: bit_nanos % rate, rate, carried: 0 }
    }

    #[inline]
    fn next(&mut self) -> Span {
        self.carried += self.remainder;
        let extra = u64::from(self.carried >= self.rate);
        self.carried -= extra * self.rate;
        Span::from_nanos(self.nanos + extra)
    }
}

impl Source {
    /// A source before its first entry.
    pub fn new(first: u32, spec: &SourceSpec) -> Self {
        Source {
            first,
            packet_bytes: spec.packet_bytes,
            flags: if spec.in_profile { IN_PROFILE } else { 0 },
            rates: spec.rates.clone(),
            counts: spec.counts.clone(),
            next_change: 0,
            interval: Interval::default(),
            active: 1,
            turn: 0,
            sent: 0,
            frame: spec.frames.as_ref().map_or(1, |frames| frames.packets),
            of_frame: 0,
            frame_span: Span::ZERO,
            next_tick: Time::NEVER,
        }
    }

    /// When the schedule changes next.
    pub fn change_at(&self) -> Option<Time> {
        self.rates.get(self.next_change).map(|&[at, _]| Time::from_nanos(at))
    }

    /// The schedule changes now.
    pub fn change(&mut self, now: Time) {
        let [_, rate] = self.rates[self.next_change];
        self.active = self.counts.get(self.next_change).copied().unwrap_or(1);
        self.turn = 0;
        (self.of_frame, self.frame_span) = (0, Span::ZERO);
        self.sent = self.sent.next_multiple_of(self.frame);
        self.next_change += 1;
        self.next_tick = Time::NEVER;
        let rate = rate * u64::from(self.active);
        if rate > 0 {
            self.interval = Interval::new(self.packet_bytes, rate);
            self.next_tick = now;
        }
    }

    /// Packets of a frame leave together, and the next frame when they would have left one by one.
    #[inline(never)]
    fn within_a_frame(&mut self, span: Span) -> Span {
        self.frame_span += span;
        self.of_frame += 1;
        if self.of_frame < self.frame {
            return Span::ZERO;
        }
        self.of_frame = 0;
        std::mem::take(&mut self.frame_span)
    }

    /// The packet that goes now.
    #[inline]
    pub fn tick(&mut self, now: Time) -> Packet {
        let mut span = self.interval.next();
        if self.frame > 1 {
            span = self.within_a_frame(span);
        }
        self.next_tick = now + span;
        let (source, number) = (self.first + self.turn, self.sent);
        self.turn = if self.turn + 1 == self.active { 0 } else { self.turn + 1 };
        self.sent = self.sent.wrapping_add(1);
        Packet::new(PacketKind::Cbr, source, number, self.packet_bytes, self.flags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(rates: Vec<[u64; 2]>, counts: Vec<u32>) -> Source {
        let (name, packet_bytes, route) = ("cbr".to_owned(), 1000, vec![0]);
        Source::new(
            7,
            &SourceSpec { name, packet_bytes, route, in_profile: false, rates, counts, frames: None },
        )
    }

    #[test]
    fn packets_are_regular_without_accumulating_error() {
        let rate = 7_000_000; // 1000 bytes every 1142857.142857… ns
        let mut source = source(vec![[0, rate]], vec![]);
        source.change(Time::ZERO);
        for k in 0..7_000u64 {
            assert_eq!(source.next_tick.nanos(), k * 8_000_000_000_000 / rate);
            assert_eq!(source.tick(source.next_tick).flow(), 7);
        }
    }

    #[test]
    fn rate_zero_is_silence() {
        let mut source = source(vec![[0, 8_000], [2_000_000_000, 0], [5_000_000_000, 8_000]], vec![]);
        source.change(Time::ZERO);
        source.tick(Time::ZERO);
        assert_eq!(source.next_tick, Time::from_nanos(1_000_000_000));
        assert_eq!(source.change_at(), Some(Time::from_nanos(2_000_000_000)));
        source.change(Time::from_nanos(2_000_000_000));
        assert_eq!(source.next_tick, Time::NEVER);
        source.change(Time::from_nanos(5_000_000_000));
        assert_eq!(source.next_tick, Time::from_nanos(5_000_000_000));
        assert_eq!(source.change_at(), None);
    }

    #[test]
    fn each_source_of_a_group_is_regular_and_they_take_turns() {
        let rates = vec![[0, 7_000_000], [50_000_000, 5_000_000], [70_000_000, 5_000_000]];
        let mut source = source(rates.clone(), vec![3, 2, 0]);
        for (entry, count) in [(0, 3u64), (1, 2)] {
            let [start, rate] = rates[entry];
            source.change(Time::from_nanos(start));
            for k in 0..30 {
                let at = source.next_tick;
                assert_eq!(at.nanos(), start + k * 8_000_000_000_000 / (count * rate));
                assert_eq!(u64::from(source.tick(at).flow()), 7 + k % count);
            }
        }
        source.change(Time::from_nanos(rates[2][0]));
        assert_eq!(source.next_tick, Time::NEVER, "a group of none is silent");
    }
}
