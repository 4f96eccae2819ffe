//! The interface every congestion controller speaks: samples and signals in, a window out.
//!
//! A controller decides *how much* may be in flight. What is lost and what is sent again is decided by
//! loss recovery, elsewhere; so a controller knows no sequence numbers, packets or queues.

use crate::units::{Span, Time, Window};

/// What one acknowledgement tells a controller. Not called during fast recovery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AckSample {
    /// When the acknowledgement arrived.
    pub now: Time,
    /// Packets it acknowledges for the first time, after the cap of RFC 3465 §2.
    pub newly_acked: u32,
    /// A round-trip time sample, if this acknowledgement gave one (Karn's rule applied).
    pub rtt: Option<Span>,
    /// The window was not what limited the sender, so its size says nothing about the path.
    pub app_limited: bool,
}

/// Why the network asks a sender to slow down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Congestion {
    /// Fast retransmit found a loss: the first of this window of data.
    Loss,
    /// Fast retransmit found a loss, and recovery begins again from one packet (Tahoe): the law says where slow start ends.
    LossRestart {
        /// This window of data has been cut for before, at an ECN echo (RFC 3168 §6.1.2): the threshold stays.
        repeated: bool,
    },
    /// An ECN echo, the first of this window of data (RFC 3168 §6.1.2).
    EcnMark,
    /// The retransmission timer ran out.
    Timeout {
        /// The segment had been sent by the timer before and was lost again (RFC 5681 §3.1).
        repeated: bool,
    },
}

/// One congestion signal; recovery sends at most one per window of data, plus timeouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CongestionSignal {
    /// When the sender learnt of it.
    pub now: Time,
    /// What happened.
    pub kind: Congestion,
}

/// A congestion controller.
pub trait Controller {
    /// An acknowledgement of new data arrived outside fast recovery.
    fn on_ack(&mut self, ack: &AckSample);

    /// A round trip passed in congestion avoidance that delivered the whole window: the step of the synchronous model
    /// (see [`crate::rounds`]). A law whose round is not the sum of its acknowledgements to the last digit says so itself.
    fn on_round(&mut self, now: Time) {
        for _ in 0..self.window().whole_packets() {
            self.on_ack(&AckSample { now, newly_acked: 1, rtt: None, app_limited: false });
        }
    }

    /// The network signalled congestion.
    fn on_congestion(&mut self, signal: &CongestionSignal);

    /// How many packets may be in flight.
    fn window(&self) -> Window;

    /// The window below which slow start runs.
    fn slow_start_threshold(&self) -> Window;
}
