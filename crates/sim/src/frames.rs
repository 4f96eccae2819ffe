//! What becomes of the frames of one stream: on time, late, or never complete.
//!
//! A frame is as old as its first packet, or as the moment at which an encoder gave it. It is complete when its last packet arrives, in
//! whatever order, and late if that is more than a deadline later. Frames count that begin within the measured time and whose deadline is
//! not behind the end of the run, since of others nothing can be said. A stream repairs nothing: what is lost stays lost.

use crate::ahead::Measured;
use crate::histogram::Histogram;
use sawtooth_cc::units::{Span, Time};
use std::collections::VecDeque;

/// A stream of frames, of those that could be judged.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct StreamRecord {
    pub name: String,
    pub packet_bytes: u32,
    pub packets: u64,
    pub received: u64,
    pub frames: u64,
    /// Complete, but after their deadline.
    pub late: u64,
    /// Of which a packet was lost, or under way at the end.
    pub incomplete: u64,
    /// From leaving to being complete, of complete frames.
    pub delay_sum: Span,
    pub delay_p50: Span,
    pub delay_p95: Span,
    pub delay_p99: Span,
    pub delay_p999: Span,
}

/// A frame that is under way, or was lost.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The number of its first packet.
    number: u32,
    start: Time,
    /// When the newest of the packets that have arrived did.
    last: Time,
    /// Packets that it has.
    packets: u32,
    sent: u32,
    received: u32,
}

/// What became of a frame that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct FrameEnd {
    pub start: Time,
    /// When the newest of the packets that arrived did.
    pub last: Time,
    pub packets: u32,
    pub received: u32,
}

impl FrameEnd {
    /// How long it took; `None` of a frame that is incomplete.
    pub fn delay(&self) -> Option<Span> {
        (self.received == self.packets).then(|| self.last - self.start)
    }
}

/// One stream, with those of its frames of which something is still to come.
#[derive(Debug)]
pub struct FrameWatch {
    deadline: Span,
    measured: Measured,
    frames: VecDeque<Frame>,
    /// One past the number of the last packet that the frames so far have.
    next: u32,
    delays: Histogram,
    record: StreamRecord,
    /// Every frame that counts, where somebody asks for them.
    ended: Option<Vec<FrameEnd>>,
}

/// More frames are not waited for: older ones count as they are.
const FRAMES_MAX: usize = 1 << 16;

impl FrameWatch {
    /// A stream that has sent nothing.
    pub fn new(name: String, packet_bytes: u16, deadline_ns: u64, measured: Measured) -> Self {
        FrameWatch {
            deadline: Span::from_nanos(deadline_ns),
            measured,
            frames: VecDeque::new(),
            next: 0,
            delays: Histogram::default(),
            record: StreamRecord { name, packet_bytes: u32::from(packet_bytes), ..StreamRecord::default() },
            ended: None,
        }
    }

    /// The same, which keeps every frame that counts if it is to.
    #[must_use]
    pub fn keeping(self, frames: bool) -> Self {
        FrameWatch { ended: frames.then(Vec::new), ..self }
    }

    /// One past the number of the last packet that the frames so far have.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// A frame of so many packets begins; its first has this number, and the frame before it ended with that.
    pub fn begin(&mut self, number: u32, packets: u32, now: Time) {
        let frame = Frame { number, start: now, last: now, packets, sent: 0, received: 0 };
        self.next = number + packets;
        self.frames.push_back(frame);
        if self.frames.len() > FRAMES_MAX {
            self.close_first();
        }
    }

    fn frame_of(&mut self, number: u32) -> Option<&mut Frame> {
        let place = self.frames.partition_point(|frame| frame.number <= number).checked_sub(1)?;
        self.frames.get_mut(place).filter(|frame| number < frame.number + frame.packets)
    }

    /// A packet leaves.
    pub fn sent(&mut self, number: u32) {
        if let Some(frame) = self.frame_of(number) {
            frame.sent += 1;
        }
    }

    /// A packet has come to its end, perhaps ahead of its time.
    pub fn arrived(&mut self, number: u32, at: Time) {
        let Some(frame) = self.frame_of(number) else { return };
        frame.received += 1;
        frame.last = frame.last.max(at);
        while self.frames.front().is_some_and(|frame| frame.received == frame.packets) {
            self.close_first();
        }
    }

    /// Nothing more is expected of the oldest frame.
    fn close_first(&mut self) {
        let frame = self.frames.pop_front().expect("there is one");
        let Measured { from, to } = self.measured;
        if frame.start < from || frame.start + self.deadline > to {
            return;
        }
        if let Some(ended) = &mut self.ended {
            let Frame { start, last, packets, received, .. } = frame;
            ended.push(FrameEnd { start, last, packets, received });
        }
        let record = &mut self.record;
        record.packets += u64::from(frame.sent);
        record.received += u64::from(frame.received);
        record.frames += 1;
        if frame.received < frame.packets {
            record.incomplete += 1;
            return;
        }
        let delay = frame.last - frame.start;
        record.late += u64::from(delay > self.deadline);
        record.delay_sum += delay;
        self.delays.add(delay);
    }

    /// The run is over: what the stream came to, and its frames where they were kept.
    pub fn finish(mut self) -> (StreamRecord, Vec<FrameEnd>) {
        while !self.frames.is_empty() {
            self.close_first();
        }
        let record = StreamRecord {
            delay_p50: self.delays.quantile(0.50),
            delay_p95: self.delays.quantile(0.95),
            delay_p99: self.delays.quantile(0.99),
            delay_p999: self.delays.quantile(0.999),
            ..self.record
        };
        (record, self.ended.unwrap_or_default())
    }
}
