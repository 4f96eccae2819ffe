//! Constant-bit-rate sources whose rate follows a schedule.
//!
//! Source: the cross traffic of [Akella02] §3.3. Perfectly regular: packet k of a stretch leaves at the
//! start of the stretch plus k · bits/rate, rounded down to a nanosecond without accumulating error. At
//! each entry of the schedule the source starts afresh with a packet, as ns-2's does. Not ECN-capable.
//!
//! | parameter    | unit        | default | why                                   |
//! |--------------|-------------|---------|---------------------------------------|
//! | packet_bytes | bytes       | 1000    | the test flows' packet                |
//! | rates        | ns, bit/s   | given   | what the environment leaves over      |

use crate::packet::{Packet, PacketKind};
use crate::scenario::SourceSpec;
use sawtooth_cc::units::{Span, Time};

/// A constant-rate source.
#[derive(Debug)]
pub struct Source {
    index: u32,
    packet_bytes: u16,
    rates: Vec<[u64; 2]>,
    next_change: usize,
    interval: Interval,
    sent: u32,
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
    pub fn new(index: u32, spec: &SourceSpec) -> Self {
        Source {
            index,
            packet_bytes: spec.packet_bytes,
            rates: spec.rates.clone(),
            next_change: 0,
            interval: Interval::default(),
            sent: 0,
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
        self.next_change += 1;
        self.next_tick = Time::NEVER;
        if rate > 0 {
            self.interval = Interval::new(self.packet_bytes, rate);
            self.next_tick = now;
        }
    }

    /// The packet that goes now.
    #[inline]
    pub fn tick(&mut self, now: Time) -> Packet {
        self.next_tick = now + self.interval.next();
        let number = self.sent;
        self.sent = self.sent.wrapping_add(1);
        Packet::new(PacketKind::Cbr, self.index, number, self.packet_bytes, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_regular_without_accumulating_error() {
        let rate = 7_000_000; // 1000 bytes every 1142857.142857… ns
        let spec =
            SourceSpec { name: "cbr".into(), packet_bytes: 1000, route: vec![0], rates: vec![[0, rate]] };
        let mut source = Source::new(0, &spec);
        source.change(Time::ZERO);
        for k in 0..7_000u64 {
            assert_eq!(source.next_tick.nanos(), k * 8_000_000_000_000 / rate);
            source.tick(source.next_tick);
        }
    }

    #[test]
    fn rate_zero_is_silence() {
        let rates = vec![[0, 8_000], [2_000_000_000, 0], [5_000_000_000, 8_000]];
        let spec = SourceSpec { name: "cbr".into(), packet_bytes: 1000, route: vec![0], rates };
        let mut source = Source::new(0, &spec);
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
}
