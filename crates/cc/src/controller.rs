//! The interface every congestion controller speaks: samples and signals in, a window and perhaps a rate out.
//!
//! A controller decides *how much* may be in flight and *how fast* it may leave. What is lost and what is sent again is decided by
//! loss recovery, elsewhere; so a controller knows no sequence numbers, packets or queues.
//!
//! A law implements what it needs: the other calls do nothing, and [`Wants`] tells the transport which of them it may leave out.

use crate::sample::{AckSample, LostPacket, SentPacket};
use crate::signal::{CongestionSignal, IdleSignal, RecoverySignal, UndoSignal};
use crate::state::{ControlState, Estimates};
use crate::units::{Bytes, Rate, Span, Time, Window};
use serde::{Deserialize, Serialize};

/// What a controller needs to be told beyond acknowledgements outside recovery and congestion. A transport asks once, at the start of
/// the connection, and spares itself the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// [`Controller::on_sent`] and [`Controller::on_lost`], with a record of the packet.
    pub packets: bool,
    /// [`AckSample::rate`], volumes and everything else that records per packet give.
    pub rates: bool,
    /// [`AckSample::round_ended`].
    pub rounds: bool,
    /// Acknowledgements that arrive during recovery.
    pub recovery: bool,
}

impl Wants {
    /// What the laws of before 2004 need: acknowledgements outside recovery, and congestion.
    pub const NOTHING: Wants = Wants { packets: false, rates: false, rounds: false, recovery: false };

    /// What either of two wants.
    pub const fn or(self, other: Wants) -> Wants {
        Wants {
            packets: self.packets || other.packets,
            rates: self.rates || other.rates,
            rounds: self.rounds || other.rounds,
            recovery: self.recovery || other.recovery,
        }
    }
}

/// What a controller answers with and what it needs of a transport. None excludes another: a controller may have a window and a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Properties {
    /// It answers with a window.
    pub window: bool,
    /// It may answer with a pacing rate.
    pub pacing_rate: bool,
    /// It has a transport protocol of its own, with other reports than acknowledgements, and takes no loss recovery.
    pub own_transport: bool,
    /// It draws random numbers: [`ControlSettings::random`](crate::ControlSettings::random) must be given.
    pub random: bool,
    /// It needs the number of marked packets (RFC 9768), not only that there were some.
    pub counts_marks: bool,
    /// It needs a transport that knows what became of each packet: all that it [`Wants`], whatever was lost.
    pub records: bool,
    /// Its slow start, its bounds and its answers to timeouts are those of all window laws ([`Conduct`](crate::Conduct)), so it reads
    /// the settings of these.
    pub conduct: bool,
    /// The states that it may be in, if it has any.
    #[serde(skip)]
    pub states: &'static [ControlState],
}

impl Properties {
    /// A window and nothing else.
    pub const WINDOW: Properties = Properties {
        window: true,
        pacing_rate: false,
        own_transport: false,
        random: false,
        counts_marks: false,
        records: false,
        conduct: true,
        states: &[],
    };
    /// A protocol of its own, which sends at a rate.
    pub const OWN_TRANSPORT: Properties = Properties {
        window: false,
        pacing_rate: true,
        own_transport: true,
        conduct: false,
        ..Properties::WINDOW
    };
    /// A protocol of its own, with everything that belongs to it: a whole endpoint.
    pub const ENDPOINT: Properties =
        Properties { own_transport: true, random: true, conduct: false, ..Properties::WINDOW };
    /// A window and a rate, both from a model of the path that every packet and every loss improves.
    pub const MODEL: Properties =
        Properties { pacing_rate: true, random: true, records: true, conduct: false, ..Properties::WINDOW };

    /// Does it take a loss recovery?
    pub const fn takes_recovery(&self) -> bool {
        !self.own_transport
    }
}

/// What a controller answers to a full sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heard {
    /// [`Controller::window`]
    pub window: Window,
    /// [`Controller::slow_start_threshold`]
    pub threshold: Window,
    /// What a pacer need ask before the next packet.
    pub pacing: PacingNews,
    /// [`Controller::mark_application_limited`]
    pub application_limited: bool,
}

/// What may have changed of the rate at which packets leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacingNews {
    /// Anything: [`Controller::pace`] says what.
    Ask,
    /// Nothing since it was asked last.
    Same,
    /// There is none: [`Controller::paces`] is false.
    NoRate,
}

/// What a pacer goes by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// [`Controller::pacing_rate`]
    pub rate: Option<Rate>,
    /// [`Controller::send_quantum`]
    pub quantum: Bytes,
}

/// A congestion controller.
pub trait Controller {
    /// Which calls and samples it needs.
    fn wants(&self) -> Wants {
        Wants::NOTHING
    }

    /// The connection is open; the exchange that opened it gave this round trip, unless something of it was lost.
    fn on_established(&mut self, _now: Time, _rtt: Option<Span>) {}

    /// A packet was sent.
    fn on_sent(&mut self, _packet: &SentPacket) {}

    /// An acknowledgement arrived.
    fn on_ack(&mut self, ack: &AckSample);

    /// A packet was declared lost.
    fn on_lost(&mut self, _packet: &LostPacket) {}

    /// The network signalled congestion.
    fn on_congestion(&mut self, signal: &CongestionSignal);

    /// What was signalled about a window of data was spurious.
    fn on_undo(&mut self, _signal: &UndoSignal) {}

    /// The application has data again after nothing was in flight.
    fn on_idle(&mut self, _signal: &IdleSignal) {}

    /// Loss recovery was entered or left. On entry this comes after the congestion signal.
    fn on_recovery(&mut self, _signal: &RecoverySignal) {}

    /// A round trip passed in congestion avoidance that delivered the whole window: the step of the synchronous model
    /// (see [`crate::rounds`]). A law whose round is not the sum of its acknowledgements to the last digit says so itself.
    fn on_round(&mut self, now: Time) {
        for _ in 0..self.window().whole_packets() {
            self.on_ack(&AckSample::classic(now, 1, None, true));
        }
    }

    /// How many packets may be in flight.
    fn window(&self) -> Window;

    /// The window below which slow start runs.
    fn slow_start_threshold(&self) -> Window;

    /// May it say how fast packets leave, until something else happens to it? If not, nobody asks.
    fn paces(&self) -> bool {
        true
    }

    /// How fast packets may leave; `None`: the law does not say.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// What may leave back to back when the pacer lets something go: as many whole packets as fit, and always one.
    fn send_quantum(&self) -> Bytes {
        Bytes::ZERO
    }

    /// The state that it is in, one of [`Properties::states`].
    fn state(&self) -> Option<ControlState> {
        None
    }

    /// Is it in conservative slow start (RFC 9406 §4.2)?
    fn in_conservative_slow_start(&self) -> bool {
        false
    }

    /// The average share of marked bytes that it goes by (alpha of RFC 8257 §3.3), if it keeps one.
    fn marked_share(&self) -> Option<f64> {
        None
    }

    /// What it believes of its path, if it has a model of it.
    fn estimates(&self) -> Option<Estimates> {
        None
    }

    /// Must rate samples of what is sent from now on count as limited by the application, because the law itself holds back?
    fn mark_application_limited(&self) -> bool {
        false
    }

    /// An acknowledgement arrived at a transport that fills in the whole sample: [`Controller::on_ack`], and what it asks next, in one call.
    fn take_ack(&mut self, ack: &AckSample) -> Heard {
        self.on_ack(ack);
        Heard {
            window: self.window(),
            threshold: self.slow_start_threshold(),
            pacing: if self.paces() { PacingNews::Ask } else { PacingNews::NoRate },
            application_limited: self.mark_application_limited(),
        }
    }

    /// A packet was sent: [`Controller::on_sent`], and what follows from it, in one call.
    fn take_sent(&mut self, packet: &SentPacket) -> (Window, PacingNews) {
        self.on_sent(packet);
        (self.window(), PacingNews::Ask)
    }

    /// All that a pacer asks, in one call.
    fn pace(&self) -> Pace {
        Pace { rate: self.pacing_rate(), quantum: self.send_quantum() }
    }
}
