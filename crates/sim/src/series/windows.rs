//! The windows of listed flows: at every cut, and at sampling times.

use super::{ColumnInfo, Extent, RecordSpec, Series};
use crate::observation::{Kinds, Observation, Occurrence, SenderState};
use crate::table::Column;
use sawtooth_cc::Congestion;
use sawtooth_cc::units::Time;

/// What happened to a window at a recorded moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum WindowEvent {
    /// Nothing: a periodic sample.
    Sample,
    /// A fast retransmit cut it.
    Loss,
    /// A timeout or persistent congestion cut it.
    Timeout,
    /// An ECN echo cut it.
    Ecn,
}

impl From<Congestion> for WindowEvent {
    fn from(cause: Congestion) -> Self {
        match cause {
            Congestion::Loss | Congestion::LossRestart { .. } => WindowEvent::Loss,
            Congestion::Timeout { .. } | Congestion::PersistentCongestion => WindowEvent::Timeout,
            Congestion::EcnMark => WindowEvent::Ecn,
        }
    }
}

/// The window of one flow at one moment, in packets.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct WindowPoint {
    pub time: Time,
    pub flow: u32,
    pub event: WindowEvent,
    pub before: f64,
    pub window: f64,
    pub threshold: f64,
}

/// Windows: samples and cuts, as they happened.
#[derive(Debug)]
pub struct Windows {
    /// The rows.
    pub points: Vec<WindowPoint>,
    flows: u32,
    /// Are cuts kept, too, or samples alone?
    with_cuts: bool,
}

impl Windows {
    fn push(&mut self, time: Time, flow: u32, event: WindowEvent, before: f64, state: SenderState) {
        let (window, threshold) = (state.window.packets(), state.threshold.packets());
        self.points.push(WindowPoint { time, flow, event, before, window, threshold });
    }
}

impl Series for Windows {
    const SUMMARY: &'static str =
        "every decrease of a window; with sample, also every window at that interval";
    const COLUMNS: &'static [ColumnInfo] = &[
        ColumnInfo::TIME,
        ColumnInfo::FLOW,
        ColumnInfo::coded(
            "event",
            "what happened to the window",
            &[
                "none: a sample",
                "cut by a fast retransmit",
                "cut by a timeout or persistent congestion",
                "cut by an ECN echo",
            ],
        ),
        ColumnInfo::new("window_before", "the window before the event", "packets"),
        ColumnInfo::new("window", "the window after it", "packets"),
        ColumnInfo::new("ssthresh", "the window below which slow start runs", "packets"),
    ];
    const HEARS: Kinds = Kinds::CUT.and(Kinds::SENDER_SAMPLED);

    fn new(spec: &RecordSpec, extent: &Extent) -> Self {
        Windows { points: Vec::new(), flows: extent.flows, with_cuts: spec.windows }
    }

    fn observe(&mut self, observation: &Observation) {
        match observation.occurrence {
            Occurrence::WindowCut { flow, cut, state } if self.with_cuts && flow < self.flows => {
                self.push(observation.time, flow, cut.kind.into(), cut.before.packets(), state);
            }
            Occurrence::SenderSampled { flow, state } => {
                self.push(observation.time, flow, WindowEvent::Sample, state.window.packets(), state);
            }
            _ => {}
        }
    }

    fn columns(&self) -> Vec<Column> {
        let points = || self.points.iter();
        vec![
            Column::times(points().map(|point| point.time)),
            Column::indices(points().map(|point| point.flow)),
            Column::indices(points().map(|point| point.event as u32)),
            Column::reals(points().map(|point| point.before)),
            Column::reals(points().map(|point| point.window)),
            Column::reals(points().map(|point| point.threshold)),
        ]
    }
}
