//! What became of every frame of the streams: when it began, how much of it arrived, and how long that took.
//!
//! These are the frames that `streams` counts: they begin in the measured time, and their deadline is not behind the end of the run.
//! Of a stream without frames each packet is one.

use super::{ColumnInfo, Extent, RecordSpec, Series};
use crate::frames::FrameEnd;
use crate::observation::{Kinds, Observation, Occurrence};
use crate::table::Column;

/// Frames, stream by stream in the order in which they began.
#[derive(Debug)]
pub struct Frames {
    /// The row of its stream in `streams`, and what became of it.
    points: Vec<(u32, FrameEnd)>,
}

impl Series for Frames {
    const SUMMARY: &'static str = "what became of every frame of calls, and of every packet of UDP streams";
    const COLUMNS: &'static [ColumnInfo] = &[
        ColumnInfo::new("stream", "row of its stream in `streams`", ""),
        ColumnInfo::new("start_ns", "time at which the frame was there, since the start of the run", "ns"),
        ColumnInfo::new("packets", "packets that it has", "packets"),
        ColumnInfo::new("received", "packets of it that arrived", "packets"),
        ColumnInfo::new(
            "delay_ns",
            "time until the last of them arrived; none of a frame that is incomplete",
            "ns",
        ),
    ];
    const HEARS: Kinds = Kinds::FRAME_ENDED;

    fn new(_: &RecordSpec, _: &Extent) -> Self {
        Frames { points: Vec::new() }
    }

    fn observe(&mut self, observation: &Observation) {
        if let Occurrence::FrameEnded { stream, frame } = observation.occurrence {
            self.points.push((stream, frame));
        }
    }

    fn columns(&self) -> Vec<Column> {
        let frames = || self.points.iter().map(|(_, frame)| frame);
        vec![
            Column::indices(self.points.iter().map(|&(stream, _)| stream)),
            Column::times(frames().map(|frame| frame.start)),
            Column::indices(frames().map(|frame| frame.packets)),
            Column::indices(frames().map(|frame| frame.received)),
            Column::Moment(frames().map(|frame| frame.delay().map(|delay| delay.nanos())).collect()),
        ]
    }
}
