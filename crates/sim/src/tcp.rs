//! TCP endpoints: a sender and a receiver per flow, joined by the network only.
//!
//! Recovery (what is lost, what to send again) is separate from control (how much may be in flight), so
//! any recovery combines with any controller.

pub mod bit_ring;
pub mod clock;
pub mod ecn;
pub mod flight;
pub mod number_set;
pub mod pacer;
pub mod prr;
pub mod receiver;
pub mod recovery;
pub mod rtt;
pub mod scoreboard;
pub mod sender;
pub mod timers;
pub mod window_use;

pub use clock::TimerClock;
pub use ecn::Ecn;
pub use pacer::Pacing;
pub use prr::Reduction;
pub use recovery::rack::ReorderingWindow;
pub use recovery::{RECOVERIES, RecoveryInfo, RecoveryKind, SackPipe, SackTimeout};
pub use rtt::{RtoRule, RttSamples, RttTicks};
pub use window_use::ApplicationLimit;
