//! What senders do: every phase that they enter, every cut that they withdraw, and, at sampling times, their rates.
//!
//! For pictures with the phases as bands.

use super::{ColumnInfo, Extent, RecordSpec, Series};
use crate::observation::{Kinds, Observation, Occurrence, Seen, SenderView};
use crate::table::Column;
use sawtooth_cc::units::{Bytes, Time};

/// What one sender does at one moment.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct SenderPoint {
    pub time: Time,
    pub flow: u32,
    pub why: Seen,
    pub view: SenderView,
}

/// What senders of listed flows do, as it happened.
#[derive(Debug)]
pub struct Senders {
    /// The rows.
    pub points: Vec<SenderPoint>,
}

impl Series for Senders {
    const SUMMARY: &'static str = "phases of senders, withdrawn cuts, pacing and delivery rates: at every change and, with sample, at \
                                   that interval";
    const COLUMNS: &'static [ColumnInfo] = &[
        ColumnInfo::TIME,
        ColumnInfo::FLOW,
        ColumnInfo::coded(
            "event",
            "why there is a row",
            &["a sample", "the phase was entered", "a cut was withdrawn"],
        ),
        ColumnInfo::coded(
            "phase",
            "what the sender does about its window",
            &["none of the others", "slow start", "conservative slow start (RFC 9406)", "fast recovery"],
        ),
        ColumnInfo::new("in_flight_bytes", "in flight; −1 for a rate-based sender", "B"),
        ColumnInfo::new(
            "pacing_bps",
            "the rate at which the last packet left; −1 where nothing paces",
            "bit/s",
        ),
        ColumnInfo::new(
            "delivery_bps",
            "the last sample of the delivery rate; −1 where no records of packets are kept",
            "bit/s",
        ),
        ColumnInfo::new(
            "marked_share",
            "the average share of marked bytes that the controller goes by (alpha of DCTCP and Prague); −1 without one",
            "1",
        ),
    ];
    const HEARS: Kinds = Kinds::SENDER_SEEN;

    fn new(_: &RecordSpec, _: &Extent) -> Self {
        Senders { points: Vec::new() }
    }

    fn observe(&mut self, observation: &Observation) {
        if let Occurrence::SenderSeen { flow, why, view } = observation.occurrence {
            self.points.push(SenderPoint { time: observation.time, flow, why, view });
        }
    }

    fn finish(&mut self) {
        self.points.sort_by_key(|point| (point.time, point.flow)); // those of one flow are in order
    }

    fn columns(&self) -> Vec<Column> {
        let points = || self.points.iter();
        let rates = |value: fn(&SenderView) -> Option<f64>| {
            Column::Moment(points().map(|point| value(&point.view).map(|rate| rate as u64)).collect())
        };
        vec![
            Column::times(points().map(|point| point.time)),
            Column::indices(points().map(|point| point.flow)),
            Column::indices(points().map(|point| point.why as u32)),
            Column::indices(points().map(|point| point.view.phase as u32)),
            Column::Moment(points().map(|point| point.view.in_flight.map(Bytes::count)).collect()),
            rates(|view| view.pacing_bps),
            rates(|view| view.delivery_bps),
            Column::reals(points().map(|point| point.view.marked_share.unwrap_or(-1.0))),
        ]
    }
}
