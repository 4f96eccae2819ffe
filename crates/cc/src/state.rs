//! The states of controllers that are state machines, and the estimates that they go by: what a run shows of them.
//!
//! Source: draft-ietf-ccwg-bbr §2 and §5.1 (names), Linux `tcp_bbr.c` (`probe_bw` as one state).

use crate::units::{Bytes, Rate, Span};
use serde::{Deserialize, Serialize};

/// A state of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum ControlState {
    /// Growing exponentially until the path is full.
    Startup,
    /// Sending slowly until the queue of the start has gone.
    Drain,
    /// BBRv3: sending slowly until the queue of a probe has gone.
    ProbeBwDown,
    /// BBRv3: sending at the estimate.
    ProbeBwCruise,
    /// BBRv3: filling the path before a probe.
    ProbeBwRefill,
    /// BBRv3: probing for more bandwidth.
    ProbeBwUp,
    /// Draining the path to measure its round trip.
    ProbeRtt,
    /// BBRv1: its cycle of gains.
    ProbeBw,
}

/// The names of all states, in the order of [`ControlState`].
pub const STATES: &[&str] = &[
    "startup",
    "drain",
    "probe_bw_down",
    "probe_bw_cruise",
    "probe_bw_refill",
    "probe_bw_up",
    "probe_rtt",
    "probe_bw",
];

impl ControlState {
    /// Its name in scenarios and results.
    pub const fn name(self) -> &'static str {
        STATES[self as usize]
    }
}

/// What a controller with a model of its path believes; `None`: nothing, or no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimates {
    /// The bandwidth that it sends by (`BBR.bw`).
    pub bw: Option<Rate>,
    /// The largest recent delivery rate (`BBR.max_bw`).
    pub max_bw: Option<Rate>,
    /// The bound of the bandwidth after recent losses (`BBR.bw_shortterm`).
    pub bw_shortterm: Option<Rate>,
    /// The least recent round trip (`BBR.min_rtt`).
    pub min_rtt: Option<Span>,
    /// The most in flight that has been found harmless (`BBR.inflight_longterm`).
    pub inflight_longterm: Option<Bytes>,
    /// The bound of what is in flight after recent losses (`BBR.inflight_shortterm`).
    pub inflight_shortterm: Option<Bytes>,
    /// What acknowledgements that come in bursts add to the window (`BBR.extra_acked`).
    pub extra_acked: Option<Bytes>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_its_name() {
        assert_eq!(ControlState::ProbeBw as usize + 1, STATES.len());
        for state in [
            ControlState::Startup,
            ControlState::ProbeBwRefill,
            ControlState::ProbeRtt,
            ControlState::ProbeBw,
        ] {
            assert_eq!(serde_json::to_value(state).unwrap(), state.name());
        }
    }
}
