//! What becomes of the frames of streams: on time, late, or never complete.
//!
//! A frame is as old as its first packet. It is complete when its last packet arrives, in whatever order, and late if that is more than a
//! deadline after it left. Frames count that leave within the measured time and whose deadline is not behind the end of the run, since of
//! others nothing can be said. A stream repairs nothing: what is lost stays lost.

use super::Network;
use crate::histogram::Histogram;
use crate::packet::Packet;
use crate::records::StreamRecord;
use crate::scenario::{FramesSpec, Scenario};
use sawtooth_cc::units::{Span, Time};
use std::collections::VecDeque;

/// A frame that is under way, or was lost.
#[derive(Clone, Copy, Debug)]
struct Frame {
    start: Time,
    /// When the newest of the packets that have arrived did.
    last: Time,
    sent: u32,
    received: u32,
}

/// One stream, with those of its frames of which something is still to come.
#[derive(Debug)]
struct Stream {
    spec: FramesSpec,
    frames: VecDeque<Frame>,
    /// The number of the first of them.
    first: u32,
    delays: Histogram,
    record: StreamRecord,
}

/// More frames are not waited for: older ones count as they are.
const FRAMES_MAX: usize = 1 << 16;

/// The streams of a run, by the numbers of their sources.
#[derive(Debug, Default)]
pub(super) struct Streams {
    numbers: Vec<u32>,
    streams: Vec<Stream>,
    from: Time,
    to: Time,
}

impl Streams {
    /// The sources with frames; numbers are those that [`Source`](crate::source::Source) gives.
    pub fn new(scenario: &Scenario) -> Self {
        let mut found = Streams {
            from: Time::from_nanos(scenario.warmup_ns),
            to: Time::from_nanos(scenario.duration_ns),
            ..Streams::default()
        };
        let mut first = 0;
        for source in &scenario.sources {
            if let Some(spec) = &source.frames {
                let record = StreamRecord { name: source.name.clone(), ..StreamRecord::default() };
                found.numbers.push(first);
                found.streams.push(Stream {
                    spec: spec.clone(),
                    frames: VecDeque::new(),
                    first: 0,
                    delays: Histogram::default(),
                    record: StreamRecord { packet_bytes: u32::from(source.packet_bytes), ..record },
                });
            }
            first += source.count();
        }
        found
    }

    /// Are there any?
    #[inline(always)]
    pub fn any(&self) -> bool {
        !self.numbers.is_empty()
    }

    fn stream(&mut self, packet: Packet) -> Option<&mut Stream> {
        let place = self.numbers.binary_search(&packet.flow()).ok()?;
        Some(&mut self.streams[place])
    }

    /// A packet of a source leaves.
    #[cold]
    fn sent(&mut self, packet: Packet, now: Time) {
        let (from, to) = (self.from, self.to);
        let Some(stream) = self.stream(packet) else { return };
        let number = packet.number() / stream.spec.packets;
        if stream.frames.is_empty() {
            stream.first = number;
        }
        if number - stream.first == stream.frames.len() as u32 {
            stream.frames.push_back(Frame { start: now, last: now, sent: 0, received: 0 });
        }
        stream.frames.back_mut().expect("it was put there").sent += 1;
        if stream.frames.len() > FRAMES_MAX {
            stream.close_first(from, to);
        }
    }

    /// A packet of a source has come to its end, perhaps ahead of its time.
    #[cold]
    fn arrived(&mut self, packet: Packet, at: Time) {
        let (from, to) = (self.from, self.to);
        let Some(stream) = self.stream(packet) else { return };
        let place = (packet.number() / stream.spec.packets).checked_sub(stream.first);
        let Some(frame) = place.and_then(|place| stream.frames.get_mut(place as usize)) else { return };
        frame.received += 1;
        frame.last = frame.last.max(at);
        while stream.frames.front().is_some_and(|frame| frame.received == stream.spec.packets) {
            stream.close_first(from, to);
        }
    }

    /// The run is over.
    pub fn finish(mut self) -> Vec<StreamRecord> {
        let (from, to) = (self.from, self.to);
        for stream in &mut self.streams {
            while !stream.frames.is_empty() {
                stream.close_first(from, to);
            }
        }
        let quantiles = |stream: Stream| StreamRecord {
            delay_p50: stream.delays.quantile(0.50),
            delay_p95: stream.delays.quantile(0.95),
            delay_p99: stream.delays.quantile(0.99),
            delay_p999: stream.delays.quantile(0.999),
            ..stream.record
        };
        self.streams.into_iter().map(quantiles).collect()
    }
}

impl Stream {
    /// Nothing more is expected of the oldest frame.
    fn close_first(&mut self, from: Time, to: Time) {
        let frame = self.frames.pop_front().expect("there is one");
        self.first += 1;
        let deadline = Span::from_nanos(self.spec.deadline_ns);
        if frame.start < from || frame.start + deadline > to {
            return;
        }
        let record = &mut self.record;
        record.packets += u64::from(frame.sent);
        record.received += u64::from(frame.received);
        record.frames += 1;
        if frame.received < frame.sent {
            record.incomplete += 1;
            return;
        }
        let delay = frame.last - frame.start;
        record.late += u64::from(delay > deadline);
        record.delay_sum += delay;
        self.delays.add(delay);
    }
}

impl Network {
    /// A packet of a source leaves: somebody may watch it.
    #[inline(always)]
    pub(super) fn note_stream_sent(&mut self, packet: Packet, now: Time) {
        if self.streams.any() {
            self.streams.sent(packet, now);
        }
    }

    /// A packet of a source has arrived: somebody may wait for it.
    #[inline(always)]
    pub(super) fn note_stream_arrived(&mut self, packet: Packet, at: Time) {
        if self.streams.any() {
            self.streams.arrived(packet, at);
        }
    }
}
