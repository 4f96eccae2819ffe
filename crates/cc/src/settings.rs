//! What holds for a connection whatever its law: start, slow start, timeouts, how windows are kept.
//!
//! Source: RFC 5681 §3.1; the defaults of each setting say theirs. [`Conduct`] is the part that every window law
//! shares: a law says what a loss would leave, `Conduct` says whether the law is asked at all.

use crate::random::RandomKey;
use crate::signal::Congestion;
use crate::slow_start::{SlowStart, SlowStartExit};
use crate::units::{Bytes, Window};
use serde::{Deserialize, Serialize};

/// How windows are kept when they are cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WindowArithmetic {
    /// Real numbers throughout.
    #[default]
    Real,
    /// Truncated to whole packets on each decrease, as ns-2 did from 2000 to 2002.
    Integer,
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
    /// What a loss in slow start does.
    pub slow_start_exit: SlowStartExit,
    /// What a timeout makes of the slow-start threshold.
    pub timeout_threshold: TimeoutThreshold,
    /// Real or truncated windows.
    pub window_arithmetic: WindowArithmetic,
    /// Does a timeout cut the window? (`false` separates the cost of the cut from that of the silence.)
    pub rto_cuts: bool,
    /// Size of the flow's packets on the wire: windows are counted in them.
    pub packet: Bytes,
    /// Where the controller's random numbers come from; a transport gives it where [`Properties::random`](crate::Properties) asks.
    pub random: Option<RandomKey>,
}

impl Default for ControlSettings {
    fn default() -> Self {
        ControlSettings {
            initial_window: Window::from_packets(10.0), // RFC 6928
            initial_threshold: None,
            slow_start_exit: SlowStartExit::default(),
            timeout_threshold: TimeoutThreshold::default(),
            window_arithmetic: WindowArithmetic::default(),
            rto_cuts: true,
            packet: Bytes::new(1000),
            random: None,
        }
    }
}

/// What a congestion signal did to the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cut {
    /// The control law was applied.
    Law(f64),
    /// Slow start was left with half the window.
    Half(f64),
    /// The control law was applied, and slow start from one packet leads to what it left.
    Return(f64),
    /// The connection starts again with one packet, after a timeout.
    Restart,
    /// Nothing: a timeout that must not cut.
    None,
}

/// What a window law does not decide itself.
#[derive(Clone, Debug)]
pub struct Conduct {
    arithmetic: WindowArithmetic,
    timeout_threshold: TimeoutThreshold,
    rto_cuts: bool,
    /// Slow start, which every law here leaves to this value.
    pub slow_start: SlowStart,
}

impl Conduct {
    /// The smallest window, in packets: less than one could never send again.
    pub const WINDOW_MIN: f64 = 1.0;

    /// At the start of a connection.
    pub fn new(settings: &ControlSettings) -> Self {
        Conduct {
            arithmetic: settings.window_arithmetic,
            timeout_threshold: settings.timeout_threshold,
            rto_cuts: settings.rto_cuts,
            slow_start: SlowStart::new(settings.initial_threshold, settings.slow_start_exit),
        }
    }

    /// A window after a cut, truncated if windows are whole, and never below the smallest.
    pub fn kept(&self, window: f64) -> f64 {
        let kept = match self.arithmetic {
            WindowArithmetic::Real => window,
            WindowArithmetic::Integer => window.floor(),
        };
        kept.max(Self::WINDOW_MIN)
    }

    /// What a signal does to `window`, where the law would leave `law`; also sets the slow-start threshold.
    pub fn cut(&mut self, kind: Congestion, window: f64, law: f64) -> Cut {
        let halves = self.slow_start.halves(window);
        match kind {
            Congestion::Loss | Congestion::EcnMark => {
                let after = self.kept(if halves { window / 2.0 } else { law });
                self.slow_start.set_threshold(after);
                if halves { Cut::Half(after) } else { Cut::Law(after) }
            }
            Congestion::LossRestart { repeated: true } => Cut::Restart,
            Congestion::LossRestart { repeated: false } => {
                let after = self.kept(if halves { window / 2.0 } else { law });
                self.slow_start.set_threshold(after);
                if halves { Cut::Restart } else { Cut::Return(after) }
            }
            Congestion::Timeout { .. } | Congestion::PersistentCongestion if !self.rto_cuts => Cut::None,
            // RFC 9002 §7.6.2: the window alone; the loss that came before has set the threshold.
            Congestion::PersistentCongestion => Cut::Restart,
            Congestion::Timeout { repeated } => {
                if !repeated {
                    let half = self.timeout_threshold == TimeoutThreshold::Half || halves;
                    self.slow_start.set_threshold(self.kept(if half { window / 2.0 } else { law }));
                }
                Cut::Restart
            }
        }
    }
}

impl Cut {
    /// The window afterwards.
    pub fn window(self, before: f64) -> f64 {
        match self {
            Cut::Law(after) | Cut::Half(after) => after,
            Cut::Return(_) | Cut::Restart => Conduct::WINDOW_MIN,
            Cut::None => before,
        }
    }
}
