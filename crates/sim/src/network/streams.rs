//! The streams of a run whose frames are watched: sources of frames, and flows whose encoder gives frames.

use super::Network;
use crate::ahead::Measured;
use crate::frames::{FrameWatch, StreamRecord};
use crate::observation::{Kinds, Occurrence};
use crate::packet::Packet;
use crate::scenario::Scenario;
use sawtooth_cc::units::Time;

/// The streams of a run, by the numbers of their sources.
#[derive(Debug, Default)]
pub(super) struct Streams {
    numbers: Vec<u32>,
    streams: Vec<FrameWatch>,
}

impl Streams {
    /// The sources with frames; numbers are those that [`Source`](crate::source::Source) gives.
    pub fn new(scenario: &Scenario, measured: Measured) -> Self {
        let mut found = Streams::default();
        let mut first = 0;
        for source in &scenario.sources {
            if let Some(spec) = &source.frames {
                let name = source.name.clone();
                let watch = FrameWatch::new(name, source.packet_bytes, spec.deadline_ns, measured)
                    .keeping(scenario.record.frames);
                found.numbers.push(first);
                found.streams.push(watch);
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

    fn stream(&mut self, packet: Packet) -> Option<&mut FrameWatch> {
        let place = self.numbers.binary_search(&packet.flow()).ok()?;
        Some(&mut self.streams[place])
    }

    /// A packet of a source leaves, in a frame of so many.
    #[cold]
    fn sent(&mut self, packet: Packet, frame: u32, now: Time) {
        let Some(watch) = self.stream(packet) else { return };
        let number = packet.number();
        if number >= watch.next() {
            watch.begin(number, frame, now);
        }
        watch.sent(number);
    }

    /// A packet of a source has come to its end, perhaps ahead of its time.
    #[cold]
    fn arrived(&mut self, packet: Packet, at: Time) {
        if let Some(watch) = self.stream(packet) {
            watch.arrived(packet.number(), at);
        }
    }
}

impl Network {
    /// A packet of a source leaves, in a frame of so many: somebody may watch it.
    #[inline(always)]
    pub(super) fn note_stream_sent(&mut self, packet: Packet, frame: u32, now: Time) {
        if self.streams.any() {
            self.streams.sent(packet, frame, now);
        }
    }

    /// A packet of a source has arrived: somebody may wait for it.
    #[inline(always)]
    pub(super) fn note_stream_arrived(&mut self, packet: Packet, at: Time) {
        if self.streams.any() {
            self.streams.arrived(packet, at);
        }
    }

    /// What became of all frames: those of sources in the order of the scenario, then those of flows.
    pub(super) fn stream_records(&mut self) -> Vec<StreamRecord> {
        let of_sources = std::mem::take(&mut self.streams).streams.into_iter();
        let of_flows = self.senders.iter_mut().filter_map(|side| side.sender.take_watch());
        let ended: Vec<_> = of_sources.chain(of_flows).map(FrameWatch::finish).collect();
        let mut records = Vec::with_capacity(ended.len());
        for (stream, (record, frames)) in (0u32..).zip(ended) {
            for frame in frames {
                let told = || Occurrence::FrameEnded { stream, frame };
                self.observer.note(Kinds::FRAME_ENDED, frame.start, told);
            }
            records.push(record);
        }
        records
    }
}
