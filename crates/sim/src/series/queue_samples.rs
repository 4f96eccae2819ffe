//! The depth of every queue at sampling times.

use super::{ColumnInfo, Extent, RecordSpec, Series};
use crate::observation::{Kinds, Observation, Occurrence};
use crate::table::Column;
use sawtooth_cc::units::Time;

/// One queue at one moment, the packet in transmission included.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct QueuePoint {
    pub time: Time,
    pub queue: u32,
    pub packets: u64,
    pub bytes: u64,
}

/// Queues, sample by sample.
#[derive(Debug)]
pub struct QueueSamples {
    /// The rows.
    pub points: Vec<QueuePoint>,
}

impl Series for QueueSamples {
    const SUMMARY: &'static str = "depth of every queue, sampled at this interval";
    const COLUMNS: &'static [ColumnInfo] = &[
        ColumnInfo::TIME,
        ColumnInfo::new("queue", "row of the queue in `queues`", ""),
        ColumnInfo::new("packets", "packets waiting or in transmission", "packets"),
        ColumnInfo::new("bytes", "size of these packets", "bytes"),
    ];
    const HEARS: Kinds = Kinds::QUEUE_SAMPLED;

    fn new(_: &RecordSpec, _: &Extent) -> Self {
        QueueSamples { points: Vec::new() }
    }

    fn observe(&mut self, observation: &Observation) {
        if let Occurrence::QueueSampled { queue, backlog } = observation.occurrence {
            let time = observation.time;
            self.points.push(QueuePoint { time, queue, packets: backlog.packets, bytes: backlog.bytes });
        }
    }

    fn columns(&self) -> Vec<Column> {
        let points = || self.points.iter();
        vec![
            Column::times(points().map(|point| point.time)),
            Column::indices(points().map(|point| point.queue)),
            Column::counts(points().map(|point| point.packets)),
            Column::counts(points().map(|point| point.bytes)),
        ]
    }
}
