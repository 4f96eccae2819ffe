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
//! frames, send the first packet of one; `network/streams.rs` watches what becomes of them. Sizes and intervals of frames may deviate from
//! these as those of a live encoder do (RFC 8593 §5.3, `rate/encoder.rs`). The rate is kept in whole packets: what a frame has less than
//! one is added to the next, and a frame of less than one is skipped.
//!
//! | parameter    | unit        | default | why                                   |
//! |--------------|-------------|---------|---------------------------------------|
//! | packet_bytes | bytes       | 1000    | the test flows' packet                |
//! | rates        | ns, bit/s   | given   | what the environment leaves over      |
//! | counts       | 1           | 1       | how many there are, by entry of rates |
//! | scale_b      | 1           | 0       | RFC 8593 §5.3 (0.15): sizes of frames |
//! | scale_t      | 1           | 0       | the same: their intervals             |

use crate::event::Moment;
use crate::packet::{IN_PROFILE, Packet, PacketKind};
use crate::random::Stream;
use crate::rate::encoder::deviation;
use crate::scenario::{FramesSpec, SourceSpec};
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
    /// What makes one frame unlike another, if anything does.
    varied: Option<Box<Varied>>,
    /// When the next packet goes; `NEVER` while silent.
    pub next_tick: Time,
    /// The same, and when that became certain.
    pub expected: Moment,
    /// The port that notices its packets when somebody comes there; `None`: each is an event.
    pub late_at: Option<u32>,
    /// Is it the only source of that port?
    pub is_alone: bool,
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

/// Frames whose sizes and intervals deviate from their means.
#[derive(Debug)]
struct Varied {
    scale_b: f64,
    scale_t: f64,
    /// Packets of a frame, and the time to the next one, where nothing deviates.
    packets: f64,
    even: Span,
    random: Stream,
    /// Part of a packet that the frames so far have had too little.
    owed: f64,
    /// From the last frame to the next.
    wait: Span,
}

impl Varied {
    fn new(frames: &FramesSpec, random: Stream) -> Self {
        let &FramesSpec { packets, scale_b, scale_t, .. } = frames;
        let (packets, even, wait) = (f64::from(packets), Span::ZERO, Span::ZERO);
        Varied { scale_b, scale_t, packets, even, random, owed: 0.0, wait }
    }

    /// One and a share.
    fn factor(&mut self, scale: f64) -> f64 {
        if scale > 0.0 { 1.0 + deviation(scale, &mut self.random) } else { 1.0 }
    }

    /// The next frame that has a packet: how many, and how long after the last one.
    fn next(&mut self) -> (u32, Span) {
        let mut wait = Span::ZERO;
        loop {
            wait += self.wait;
            self.owed += self.packets * self.factor(self.scale_b);
            let interval = self.even.nanos() as f64 * self.factor(self.scale_t);
            self.wait = Span::from_nanos(interval as u64);
            let packets = self.owed.floor();
            self.owed -= packets;
            if packets >= 1.0 {
                return (packets as u32, wait);
            }
        }
    }
}

impl Source {
    /// A source before its first entry. Its random numbers are for frames that deviate.
    pub fn new(first: u32, spec: &SourceSpec, random: impl FnOnce() -> Stream) -> Self {
        let varies = |frames: &&FramesSpec| frames.scale_b > 0.0 || frames.scale_t > 0.0;
        let varied =
            spec.frames.as_ref().filter(varies).map(|frames| Box::new(Varied::new(frames, random())));
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
            varied,
            next_tick: Time::NEVER,
            expected: Moment::NEVER,
            late_at: None,
            is_alone: false,
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
        if self.of_frame > 0 {
            self.sent = self.sent.wrapping_add(self.frame - self.of_frame); // the rest of that frame never leaves
        }
        (self.of_frame, self.frame_span) = (0, Span::ZERO);
        self.next_change += 1;
        self.next_tick = Time::NEVER;
        let rate = rate * u64::from(self.active);
        if rate > 0 {
            self.interval = Interval::new(self.packet_bytes, rate);
            self.next_tick = now;
            if let Some(varied) = &mut self.varied {
                let bits = varied.packets * 8.0 * f64::from(self.packet_bytes);
                (varied.even, varied.wait) =
                    (Span::from_nanos((bits * 1e9 / rate as f64) as u64), Span::ZERO);
                let (packets, wait) = varied.next();
                (self.frame, self.next_tick) = (packets, now + wait);
            }
        }
    }

    /// The next packet has become certain now.
    #[inline(always)]
    pub fn expect(&mut self, now: Time) {
        self.expected = Moment { time: self.next_tick, cause: now };
    }

    /// Packets of the frame to which the next packet belongs.
    #[inline]
    pub fn frame(&self) -> u32 {
        self.frame
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
        let span = std::mem::take(&mut self.frame_span);
        let Some(varied) = &mut self.varied else { return span };
        let (packets, wait) = varied.next();
        self.frame = packets;
        wait
    }

    /// The packet that goes now.
    #[inline]
    pub fn tick(&mut self, now: Time) -> Packet {
        let mut span = self.interval.next();
        if self.frame > 1 || self.varied.is_some() {
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
        let spec = SourceSpec { name, packet_bytes, route, in_profile: false, rates, counts, frames: None };
        Source::new(7, &spec, || unreachable!("nothing deviates"))
    }

    /// A second of silence, a thousand seconds of frames of four packets at 0.8 Mbit/s, one every 40 ms, and silence again.
    fn varied(scale_b: f64, scale_t: f64) -> Source {
        let mut source = source(vec![[1_000_000_000, 800_000], [1_001_000_000_000, 0]], vec![]);
        let frames = FramesSpec { packets: 4, deadline_ns: 1, scale_b, scale_t };
        source.varied = Some(Box::new(Varied::new(&frames, Stream::new("1", "test"))));
        source.change(Time::from_nanos(1_000_000_000));
        source
    }

    /// When each frame left, and its packets.
    fn frames(source: &mut Source, end: u64) -> Vec<(u64, u32)> {
        let mut found: Vec<(u64, u32)> = Vec::new();
        while source.next_tick.nanos() < end {
            let (at, size) = (source.next_tick, source.frame());
            assert_eq!(source.tick(at).kind(), PacketKind::Cbr);
            for _ in 1..size {
                assert_eq!(source.next_tick, at, "packets of a frame leave together");
                source.tick(at);
            }
            found.push((at.nanos(), size));
        }
        found
    }

    /// A Laplacian of scale s that ends at b either way deviates by s(1 − exp(−b/s)) in the mean.
    #[test]
    fn frames_deviate_as_an_encoders_and_keep_the_rate() {
        let expected = |scale: f64| scale * (1.0 - (-0.95 / scale).exp());
        let mut source = varied(0.0, 0.15);
        let found = frames(&mut source, 1_001_000_000_000);
        assert!(found.iter().all(|&(_, size)| size == 4), "sizes have no scale");
        let spans = found.windows(2).map(|pair| (pair[1].0 - pair[0].0) as f64 / 40e6);
        let mean = spans.map(|span| (span - 1.0).abs()).sum::<f64>() / (found.len() - 1) as f64;
        assert!((mean / expected(0.15) - 1.0).abs() < 0.03, "{mean}");

        let mut source = varied(0.15, 0.0);
        let found = frames(&mut source, 1_001_000_000_000);
        assert!(
            found.iter().all(|&(at, _)| (at - 1_000_000_000) % 40_000_000 == 0),
            "intervals have no scale"
        );
        assert!((24_900..=25_000).contains(&found.len()), "a frame of less than a packet is skipped");
        let packets: u32 = found.iter().map(|&(_, size)| size).sum();
        assert!((f64::from(packets) / 100_000.0 - 1.0).abs() < 0.005, "{packets}");
        let unlike = found.iter().filter(|&&(_, size)| size != 4).count();
        assert!(unlike > 5_000, "{unlike} of 25000 frames have other than four packets");
    }

    #[test]
    fn a_source_that_deviates_falls_silent_and_begins_afresh() {
        let mut source = varied(0.3, 0.3);
        let before = frames(&mut source, 1_001_000_000_000);
        source.change(Time::from_nanos(1_001_000_000_000));
        assert_eq!(source.next_tick, Time::NEVER);
        assert!(before[0].0 >= 1_000_000_000 && before.iter().all(|&(_, size)| size >= 1));
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
