//! What BBR remembers of its probes for bandwidth, and of what stood before a loss: records that the model holds.
//!
//! Source: draft-ietf-ccwg-bbr §5.3.3 (probing), §5.5.11 and §5.6.4.4 (undo). The rules are in `probe_bw` and `undo`.

use crate::state::ControlState;
use crate::units::{Span, Time};

/// `BBR.ack_phase`: of which phase of a probe the acknowledgements are that arrive now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckPhase {
    /// Of none.
    Init,
    /// `ACKS_REFILLING`
    Refilling,
    /// `ACKS_PROBE_STARTING`
    ProbeStarting,
    /// `ACKS_PROBE_FEEDBACK`
    ProbeFeedback,
    /// `ACKS_PROBE_STOPPING`
    ProbeStopping,
}

/// Probing for bandwidth.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the draft says what its variables are")]
pub struct Probing {
    pub ack_phase: AckPhase,
    pub is_bw_probe_sample: bool,
    pub bw_probe_up_acked: f64,
    pub probe_up_acked_per_inc: f64,
    pub bw_probe_up_rounds: u32,
    pub rounds_since_probe_up: u64,
    pub bw_probe_wait: Span,
    pub cycle_stamp: Time,
    pub prev_probe_too_high: bool,
    pub prev_probe_precautionary: bool,
}

impl Default for Probing {
    fn default() -> Self {
        Probing {
            ack_phase: AckPhase::Init,
            is_bw_probe_sample: false,
            bw_probe_up_acked: 0.0,
            probe_up_acked_per_inc: f64::INFINITY,
            bw_probe_up_rounds: 0,
            rounds_since_probe_up: 0,
            bw_probe_wait: Span::ZERO,
            cycle_stamp: Time::ZERO,
            prev_probe_too_high: false,
            prev_probe_precautionary: false,
        }
    }
}

/// `BBR.undo_state` and the bounds beside it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Undo {
    pub(super) state: Option<ControlState>,
    /// When that state was left.
    pub(super) left_at: Option<Time>,
    pub(super) saved: Bounds,
    pub(super) saved_at: Option<Time>,
    /// What stood before the losses of this moment, and the moment.
    pub(super) before: Bounds,
    pub(super) before_at: Option<Time>,
}

/// Window and bounds at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bounds {
    pub(super) cwnd: f64,
    pub(super) bw_shortterm: f64,
    pub(super) inflight_shortterm: f64,
    pub(super) inflight_longterm: f64,
}

impl Undo {
    /// This state is left because of losses.
    pub fn note_left(&mut self, state: ControlState, now: Time) {
        (self.state, self.left_at) = (Some(state), Some(now));
    }
}
