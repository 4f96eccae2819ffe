//! Every drop and every mark of listed flows' data at the bottleneck.

use super::{ColumnInfo, Extent, RecordSpec, Series};
use crate::observation::{Kinds, Observation, Occurrence, Site};
use crate::packet::{Packet, PacketKind};
use crate::table::Column;
use crate::topology::BOTTLENECK;
use sawtooth_cc::units::Time;

/// The queue that counts: the first.
const AT_BOTTLENECK: Site = Site::Queue(BOTTLENECK);

/// What happened to a data packet at the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum PacketFate {
    /// It was dropped.
    Drop,
    /// It was marked.
    Mark,
}

/// A drop or a mark at the bottleneck.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct CongestionPoint {
    pub time: Time,
    pub flow: u32,
    pub fate: PacketFate,
}

/// Drops and marks at the bottleneck, in order of time, which is that of one queue.
#[derive(Debug)]
pub struct CongestionSigns {
    /// The rows.
    pub points: Vec<CongestionPoint>,
    flows: u32,
}

impl CongestionSigns {
    fn push(&mut self, time: Time, packet: Packet, fate: PacketFate) {
        if packet.kind() == PacketKind::Data && packet.flow() < self.flows {
            self.points.push(CongestionPoint { time, flow: packet.flow(), fate });
        }
    }
}

impl Series for CongestionSigns {
    const SUMMARY: &'static str = "every drop and mark of a data packet at the bottleneck";
    const COLUMNS: &'static [ColumnInfo] = &[
        ColumnInfo::TIME,
        ColumnInfo::FLOW,
        ColumnInfo::coded("mark", "what happened to the packet", &["dropped", "marked"]),
    ];
    const HEARS: Kinds = Kinds::DROPPED.and(Kinds::MARKED);

    fn new(_: &RecordSpec, extent: &Extent) -> Self {
        CongestionSigns { points: Vec::new(), flows: extent.flows }
    }

    fn observe(&mut self, observation: &Observation) {
        match observation.occurrence {
            Occurrence::PacketDropped { packet, site: AT_BOTTLENECK, .. } => {
                self.push(observation.time, packet, PacketFate::Drop);
            }
            Occurrence::PacketMarked { packet, site: AT_BOTTLENECK } => {
                self.push(observation.time, packet, PacketFate::Mark);
            }
            _ => {}
        }
    }

    fn columns(&self) -> Vec<Column> {
        let points = || self.points.iter();
        vec![
            Column::times(points().map(|point| point.time)),
            Column::indices(points().map(|point| point.flow)),
            Column::indices(points().map(|point| point.fate as u32)),
        ]
    }
}
