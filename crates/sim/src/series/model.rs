//! What controllers with a model of their path believe and do: at every state that they enter, and at sampling times.
//!
//! For pictures with the states as bands. Flows whose controller has no states have no rows.

use super::{ColumnInfo, Extent, RecordSpec, Series};
use crate::observation::{Kinds, ModelState, Observation, Occurrence};
use crate::table::Column;
use sawtooth_cc::STATES;
use sawtooth_cc::units::{Bytes, Rate, Span, Time};

/// Why there is a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ModelEvent {
    /// A periodic sample.
    Sample,
    /// The controller has entered this state.
    Entered,
}

/// What one controller believes and does at one moment.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct ModelPoint {
    pub time: Time,
    pub flow: u32,
    pub event: ModelEvent,
    pub model: ModelState,
}

/// Models of listed flows, as they happened.
#[derive(Debug)]
pub struct Models {
    /// The rows.
    pub points: Vec<ModelPoint>,
    flows: u32,
}

impl Series for Models {
    const SUMMARY: &'static str = "state and estimates of controllers with a model of the path: at every state entered and, with \
                                   sample, at that interval";
    const COLUMNS: &'static [ColumnInfo] = &[
        ColumnInfo::TIME,
        ColumnInfo::FLOW,
        ColumnInfo::coded("event", "why there is a row", &["a sample", "the state was entered"]),
        ColumnInfo::coded("state", "the state of the controller", STATES),
        ColumnInfo::new("window", "the window", "packets"),
        ColumnInfo::new("in_flight_bytes", "in flight", "B"),
        ColumnInfo::new("pacing_bps", "the pacing rate", "bit/s"),
        ColumnInfo::new("bw_bps", "the bandwidth that the controller sends by", "bit/s"),
        ColumnInfo::new("max_bw_bps", "the largest recent delivery rate", "bit/s"),
        ColumnInfo::new("bw_shortterm_bps", "bound of the bandwidth after recent losses", "bit/s"),
        ColumnInfo::new("min_rtt_ns", "the least recent round trip", "ns"),
        ColumnInfo::new("inflight_longterm_bytes", "the most in flight that has been found harmless", "B"),
        ColumnInfo::new("inflight_shortterm_bytes", "bound of what is in flight after recent losses", "B"),
        ColumnInfo::new("extra_acked_bytes", "what bursts of acknowledgements add to the window", "B"),
    ];
    const HEARS: Kinds = Kinds::STATE_ENTERED.and(Kinds::SENDER_SAMPLED);

    fn new(_: &RecordSpec, extent: &Extent) -> Self {
        Models { points: Vec::new(), flows: extent.flows }
    }

    fn observe(&mut self, observation: &Observation) {
        let (flow, event, model) = match observation.occurrence {
            Occurrence::StateEntered { flow, model } => (flow, ModelEvent::Entered, Some(model)),
            Occurrence::SenderSampled { flow, state } => (flow, ModelEvent::Sample, state.model),
            _ => return,
        };
        if let Some(model) = model
            && flow < self.flows
        {
            self.points.push(ModelPoint { time: observation.time, flow, event, model });
        }
    }

    fn finish(&mut self) {
        self.points.sort_by_key(|point| (point.time, point.flow)); // samples of one time are in order
    }

    fn columns(&self) -> Vec<Column> {
        let points = || self.points.iter();
        let rates = |value: fn(&ModelState) -> Option<Rate>| {
            Column::Moment(points().map(|point| value(&point.model).map(Rate::bits_per_second)).collect())
        };
        let volumes = |value: fn(&ModelState) -> Option<Bytes>| {
            Column::Moment(points().map(|point| value(&point.model).map(Bytes::count)).collect())
        };
        let min_rtt = points().map(|point| point.model.estimates.min_rtt.map(Span::nanos));
        vec![
            Column::times(points().map(|point| point.time)),
            Column::indices(points().map(|point| point.flow)),
            Column::indices(points().map(|point| point.event as u32)),
            Column::indices(points().map(|point| point.model.state as u32)),
            Column::reals(points().map(|point| point.model.window.packets())),
            Column::counts(points().map(|point| point.model.in_flight.count())),
            rates(|model| model.pacing),
            rates(|model| model.estimates.bw),
            rates(|model| model.estimates.max_bw),
            rates(|model| model.estimates.bw_shortterm),
            Column::Moment(min_rtt.collect()),
            volumes(|model| model.estimates.inflight_longterm),
            volumes(|model| model.estimates.inflight_shortterm),
            volumes(|model| model.estimates.extra_acked),
        ]
    }
}
