//! The way of every data packet of the listed flows: sent, dropped or marked, arrived, acknowledged.
//!
//! For time-sequence diagrams, and to see what befell one packet. At least three rows of 28 bytes a packet, so it is for short runs. An
//! acknowledgement has a row at its sender, and the number that it carries; reports of rate-based flows acknowledge no packet.

use super::{ColumnInfo, Extent, RecordSpec, Series};
use crate::observation::{Kinds, Observation, Occurrence, Site};
use crate::packet::{PacketKind, RETRANSMISSION};
use crate::queue::{DROP_REASONS, DropReason};
use crate::table::Column;
use sawtooth_cc::units::Time;

/// What happened to a packet; numbers are those of the column `event`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum PacketEvent {
    /// It left its sender.
    Sent,
    /// It left its sender, as one with its number had before.
    SentAgain,
    /// It reached its receiver.
    Arrived,
    /// It reached its receiver, which had it already.
    ArrivedAgain,
    /// An acknowledgement reached the sender.
    Acknowledged,
    /// A queue dropped it.
    DroppedAtQueue,
    /// A queue marked it.
    MarkedAtQueue,
    /// A link without a queue lost it.
    DroppedOnLink,
    /// A link without a queue marked it.
    MarkedOnLink,
}

/// What the codes of `event` mean.
const EVENTS: &[&str] = &[
    "sent",
    "sent again",
    "arrived",
    "arrived again",
    "acknowledged",
    "dropped at a queue",
    "marked at a queue",
    "dropped on a link",
    "marked on a link",
];

/// What the codes of `reason` mean: one more than a [`DropReason`].
const REASONS: &[&str; DROP_REASONS + 1] = &[
    "not dropped",
    "the buffer was full",
    "impairment",
    "early, at random",
    "forced, the average was too high",
    "policed",
    "filtered, an acknowledgement that others make superfluous",
];

/// One row. Rows are in the order of their fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub struct PacketPoint {
    pub time: Time,
    pub flow: u32,
    pub event: PacketEvent,
    pub number: u32,
    /// Row of the queue or number of the link where it was dropped or marked; 0 elsewhere.
    pub place: u32,
    /// Code of the reason if it was dropped.
    pub reason: u32,
}

/// Packets, in order of time, then of flow.
#[derive(Debug)]
pub struct Packets {
    /// The rows.
    pub points: Vec<PacketPoint>,
    flows: u32,
}

impl Series for Packets {
    const SUMMARY: &'static str =
        "every data packet of every flow: sent, arrived, dropped, marked, acknowledged";
    const COLUMNS: &'static [ColumnInfo] = &[
        ColumnInfo::TIME,
        ColumnInfo::FLOW,
        ColumnInfo::coded("event", "what happened to the packet", EVENTS),
        ColumnInfo::new(
            "number",
            "number of the packet; for an acknowledgement, the first missing packet",
            "",
        ),
        ColumnInfo::new("place", "where it was dropped or marked: row in `queues`, or link number", ""),
        ColumnInfo::coded("reason", "why it was dropped", REASONS),
    ];
    const HEARS: Kinds =
        Kinds::SENT.and(Kinds::ARRIVED).and(Kinds::DROPPED).and(Kinds::MARKED).and(Kinds::ACKNOWLEDGED);

    fn new(_: &RecordSpec, extent: &Extent) -> Self {
        Packets { points: Vec::new(), flows: extent.flows }
    }

    // Out of line: a run that records rates alone would carry this along for every packet.
    #[inline(never)]
    fn observe(&mut self, observation: &Observation) {
        let (packet, event, place, reason) = match observation.occurrence {
            Occurrence::PacketSent { packet } if packet.has(RETRANSMISSION) => {
                (packet, PacketEvent::SentAgain, 0, 0)
            }
            Occurrence::PacketSent { packet } => (packet, PacketEvent::Sent, 0, 0),
            Occurrence::PacketArrived { packet, is_new: true } => (packet, PacketEvent::Arrived, 0, 0),
            Occurrence::PacketArrived { packet, is_new: false } => (packet, PacketEvent::ArrivedAgain, 0, 0),
            Occurrence::AckArrived { packet, .. } => (packet, PacketEvent::Acknowledged, 0, 0),
            Occurrence::PacketDropped { packet, site: Site::Queue(queue), reason } => {
                (packet, PacketEvent::DroppedAtQueue, queue, code(reason))
            }
            Occurrence::PacketDropped { packet, site: Site::Link(link), reason } => {
                (packet, PacketEvent::DroppedOnLink, link, code(reason))
            }
            Occurrence::PacketMarked { packet, site: Site::Queue(queue) } => {
                (packet, PacketEvent::MarkedAtQueue, queue, 0)
            }
            Occurrence::PacketMarked { packet, site: Site::Link(link) } => {
                (packet, PacketEvent::MarkedOnLink, link, 0)
            }
            _ => return,
        };
        let kind = if event == PacketEvent::Acknowledged { PacketKind::Ack } else { PacketKind::Data };
        if packet.kind() == kind && packet.flow() < self.flows {
            let (time, flow, number) = (observation.time, packet.flow(), packet.number());
            self.points.push(PacketPoint { time, flow, event, number, place, reason });
        }
    }

    fn finish(&mut self) {
        self.points.sort_unstable();
    }

    fn columns(&self) -> Vec<Column> {
        let points = || self.points.iter();
        vec![
            Column::times(points().map(|point| point.time)),
            Column::indices(points().map(|point| point.flow)),
            Column::indices(points().map(|point| point.event as u32)),
            Column::indices(points().map(|point| point.number)),
            Column::indices(points().map(|point| point.place)),
            Column::indices(points().map(|point| point.reason)),
        ]
    }
}

fn code(reason: DropReason) -> u32 {
    reason as u32 + 1
}
