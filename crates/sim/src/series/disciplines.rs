//! What disciplines with a state of their own are doing at sampling times: how long their first packet has waited, and how they answer.
//!
//! A discipline of several queues that are counted apart has a row for each. A probability that moves at regular times is shown after the
//! updates that are due, whether packets come or not (RFC 8033 §4.2, RFC 9332 figure 8). Looking on changes nothing.

use super::{ColumnInfo, Extent, RecordSpec, Series};
use crate::observation::{Kinds, Observation, Occurrence};
use crate::queue::DisciplineState;
use crate::table::Column;
use sawtooth_cc::units::Time;

/// One discipline, or one queue of it, at one moment.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct DisciplinePoint {
    pub time: Time,
    pub queue: u32,
    pub subqueue: u32,
    pub state: DisciplineState,
}

/// Disciplines, sample by sample.
#[derive(Debug)]
pub struct Disciplines {
    /// The rows.
    pub points: Vec<DisciplinePoint>,
}

impl Series for Disciplines {
    const SUMMARY: &'static str =
        "state of disciplines that have one (codel, fq-codel, pie, dualpi2), at the interval of sample";
    const COLUMNS: &'static [ColumnInfo] = &[
        ColumnInfo::TIME,
        ColumnInfo::new("queue", "row of the queue in `queues`", ""),
        // The column is older than the word.
        ColumnInfo::new("part", "place of the part in `subqueues` of the queue; 0 where it has none", ""),
        ColumnInfo::new("packets", "packets waiting", "packets"),
        ColumnInfo::new("bytes", "size of these packets", "bytes"),
        ColumnInfo::new(
            "waited_ns",
            "how long the packet at the head has waited, or of several queues the longest of these",
            "ns",
        ),
        ColumnInfo::new(
            "probability",
            "probability with which a packet is dropped or marked; 0 for a discipline without one",
            "1",
        ),
        ColumnInfo::new("dropping", "queues in the drop state of CoDel", "queues"),
    ];
    const HEARS: Kinds = Kinds::DISCIPLINE_SAMPLED;

    fn new(_: &RecordSpec, _: &Extent) -> Self {
        Disciplines { points: Vec::new() }
    }

    fn observe(&mut self, observation: &Observation) {
        if let Occurrence::DisciplineSampled { queue, subqueue, state } = observation.occurrence {
            self.points.push(DisciplinePoint { time: observation.time, queue, subqueue, state });
        }
    }

    fn columns(&self) -> Vec<Column> {
        let points = || self.points.iter();
        vec![
            Column::times(points().map(|point| point.time)),
            Column::indices(points().map(|point| point.queue)),
            Column::indices(points().map(|point| point.subqueue)),
            Column::counts(points().map(|point| point.state.backlog.packets)),
            Column::counts(points().map(|point| point.state.backlog.bytes)),
            Column::spans(points().map(|point| point.state.waited)),
            Column::reals(points().map(|point| point.state.probability)),
            Column::counts(points().map(|point| u64::from(point.state.dropping))),
        ]
    }
}
