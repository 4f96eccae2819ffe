//! What holds for a connection whatever its law: start, slow start, timeouts, how windows are kept.
//!
//! Source: RFC 5681 §3.1; the defaults of each setting say theirs. What follows from them for window laws is [`crate::conduct`].

use crate::idle::IdleRule;
use crate::random::RandomKey;
use crate::slow_start::{SenderTraits, SlowStartExit, SlowStartKind};
use crate::units::{Bytes, Window};
use serde::{Deserialize, Serialize};

/// How windows are kept when they are cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WindowArithmetic {
    /// Real numbers throughout.
    #[default]
    Real,
    /// Truncated to whole packets before each decrease and after it, as ns-2 did from 2000 to 2002 (`precisionReduce_ false`).
    Integer,
}

/// What a window law makes of the news that its last cut was for nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UndoRule {
    /// What the law's own source says, for instance RFC 9438 §4.9; many say nothing, and the cut stays.
    #[default]
    Rfc,
    /// The window and the threshold from before the cut, for every law, as Linux does.
    Linux,
}

/// What a timeout makes of the slow-start threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeoutThreshold {
    /// Half the window (RFC 5681 §3.1, equation 4), whatever the controller's law.
    #[default]
    Half,
    /// The window after the controller's own decrease.
    Law,
}

/// What holds for a connection whatever its law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControlSettings {
    /// Packets that may be sent before the first acknowledgement of data.
    pub initial_window: Window,
    /// Where the first slow start ends without congestion; `None`: nowhere.
    pub initial_threshold: Option<Window>,
    /// How slow start grows.
    pub slow_start: SlowStartKind,
    /// What a loss in slow start does.
    pub slow_start_exit: SlowStartExit,
    /// What a timeout makes of the slow-start threshold.
    pub timeout_threshold: TimeoutThreshold,
    /// Real or truncated windows.
    pub window_arithmetic: WindowArithmetic,
    /// Does a timeout cut the window? (`false` separates the cost of the cut from that of the silence.)
    pub rto_cuts: bool,
    /// What a mark leaves of the window in congestion avoidance (RFC 8511); `None`: the law says.
    pub ecn_beta: Option<f64>,
    /// What becomes of a window that is not used.
    pub idle: IdleRule,
    /// What becomes of a cut that was for nothing.
    pub undo: UndoRule,
    /// The transport paces what a window law lets go.
    pub paced: bool,
    /// Size of the flow's packets on the wire: windows are counted in them.
    pub packet: Bytes,
    /// Which of its transport's connections it is. Nothing depends on it: messages name it.
    pub flow: u32,
    /// Where the controller's random numbers come from; a transport gives it where [`Properties::random`](crate::Properties) asks.
    pub random: Option<RandomKey>,
}

impl Default for ControlSettings {
    fn default() -> Self {
        ControlSettings {
            initial_window: Window::from_packets(10.0), // RFC 6928
            initial_threshold: None,
            slow_start: SlowStartKind::default(),
            slow_start_exit: SlowStartExit::default(),
            timeout_threshold: TimeoutThreshold::default(),
            window_arithmetic: WindowArithmetic::default(),
            rto_cuts: true,
            ecn_beta: None,
            idle: IdleRule::default(),
            undo: UndoRule::default(),
            paced: false,
            packet: Bytes::new(1000),
            flow: 0,
            random: None,
        }
    }
}

impl ControlSettings {
    /// What rules of slow start may know of the sender.
    pub fn sender(&self) -> SenderTraits {
        SenderTraits { paced: self.paced, packet: self.packet }
    }
}
