//! Start, length and completion time of every short flow that was completed.

use super::{ColumnInfo, Extent, RecordSpec, Series};
use crate::observation::{Kinds, Observation, Occurrence};
use crate::table::Column;
use sawtooth_cc::units::{Span, Time};

/// A short flow that was completed.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Completion {
    /// Which process it belongs to.
    pub process: u32,
    pub start: Time,
    pub packets: u32,
    /// From the SYN to the last acknowledgement.
    pub span: Span,
}

/// Short flows, in the order in which they were completed.
#[derive(Debug)]
pub struct Completions {
    /// The rows.
    pub points: Vec<Completion>,
}

impl Series for Completions {
    const SUMMARY: &'static str = "start, length and completion time of every short flow";
    const COLUMNS: &'static [ColumnInfo] = &[
        ColumnInfo::new("process", "row of its arrival process in `arrivals`", ""),
        ColumnInfo::new("start_ns", "time of its first SYN, since the start of the run", "ns"),
        ColumnInfo::new("packets", "packets that the flow carried", "packets"),
        ColumnInfo::new("completion_ns", "time from the first SYN to the last acknowledgement", "ns"),
    ];
    const HEARS: Kinds = Kinds::COMPLETED;

    fn new(_: &RecordSpec, _: &Extent) -> Self {
        Completions { points: Vec::new() }
    }

    fn observe(&mut self, observation: &Observation) {
        if let Occurrence::FlowCompleted { process, start, packets } = observation.occurrence {
            self.points.push(Completion { process, start, packets, span: observation.time - start });
        }
    }

    fn columns(&self) -> Vec<Column> {
        let points = || self.points.iter();
        vec![
            Column::indices(points().map(|point| point.process)),
            Column::times(points().map(|point| point.start)),
            Column::indices(points().map(|point| point.packets)),
            Column::spans(points().map(|point| point.span)),
        ]
    }
}
