//! A congestion controller of one's own for Sawtooth, in Rust: a type with [`Controller`] in a library that exports it.
//!
//! Source: none; the interface is that of the crate `sawtooth-cc`, and its form in C is [`abi`]. This crate depends on nothing, so that a
//! plug-in can be built from a copy of it, without a registry.
//!
//! ```
//! use sawtooth_plugin::{Ack, Congestion, Controller, Description, Parameter, Settings, export_controller};
//!
//! /// A window that never changes.
//! #[derive(Clone)]
//! struct Constant {
//!     window: f64,
//! }
//!
//! impl Controller for Constant {
//!     const DESCRIPTION: Description = Description {
//!         name: "constant",
//!         summary: "a window of w packets, whatever happens",
//!         source: "none",
//!         parameters: &[Parameter::new("w", "packets", Some(10.0), (1.0, 1e6), "the window")],
//!         ..Description::NOTHING
//!     };
//!
//!     fn new(numbers: &[f64], _settings: &Settings) -> Self {
//!         Constant { window: numbers[0] }
//!     }
//!
//!     fn on_ack(&mut self, _ack: &Ack) {}
//!
//!     fn on_congestion(&mut self, _signal: &Congestion) {}
//!
//!     fn window(&self) -> f64 {
//!         self.window
//!     }
//! }
//!
//! export_controller!(Constant);
//! ```
//!
//! Built as a `cdylib` and loaded by `sawtooth run scenario.toml --plugin libconstant.so`, it is `constant(w)` in every scenario. A panic
//! ends the run with its message; a crate that aborts on panic ends the whole process instead.
//!
//! A whole protocol stack, with a transport of its own, is an [`Endpoint`].

pub mod abi;
pub mod endpoint;
pub mod endpoint_abi;
pub mod export;

pub use abi::{Ack, Answers, Congestion, CongestionKind, NONE, Packet, RateSample, Settings, Undo, Wants};
pub use endpoint::{Codepoint, Endpoint, EndpointDescription, EndpointSettings, EndpointState};
use std::time::Duration;

/// A parameter of a constructor.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Its value when left out; `None`: it must be given.
    pub default: Option<f64>,
    /// The smallest and the largest value accepted.
    pub interval: (f64, f64),
    /// Only whole numbers are accepted.
    pub whole: bool,
    /// What it means, then where its default or its bounds come from.
    pub why: &'static str,
}

impl Parameter {
    /// A parameter with its unit, default, interval and the reason for them.
    pub const fn new(
        name: &'static str,
        unit: &'static str,
        default: Option<f64>,
        interval: (f64, f64),
        why: &'static str,
    ) -> Self {
        Parameter { name, unit, default, interval, whole: false, why }
    }

    /// A parameter that takes whole numbers only.
    pub const fn whole(self) -> Self {
        Parameter { whole: true, ..self }
    }
}

/// A constructor, and what its controllers need.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// What people write: small letters, digits, -, + and _, beginning with a letter.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// The paper or RFC.
    pub source: &'static str,
    /// Its parameters, in the order in which people write them.
    pub parameters: &'static [Parameter],
    /// What its controllers need to be told.
    pub wants: Wants,
    /// It may answer with a pacing rate. A rate of a controller that does not say so, and had none from its start, ends the run.
    pub paces: bool,
    /// It draws random numbers, made of [`Settings::random`].
    pub draws: bool,
}

impl Description {
    /// Without a name, without parameters, with nothing that it needs.
    pub const NOTHING: Description = Description {
        name: "",
        summary: "",
        source: "",
        parameters: &[],
        wants: Wants { packets: false, rates: false, rounds: false, recovery: false },
        paces: false,
        draws: false,
    };
}

/// A congestion controller: one per connection.
///
/// The same calls must give the same answers: no clock, no random numbers but those made of [`Settings::random`], no state that
/// controllers share. What is not wanted ([`Description::wants`]) need not be implemented.
pub trait Controller: Clone {
    /// Its name, its parameters, and what it needs.
    const DESCRIPTION: Description;

    /// At the start of a connection; `numbers` are those of the parameters, in their order.
    fn new(numbers: &[f64], settings: &Settings) -> Self;

    /// An acknowledgement arrived.
    fn on_ack(&mut self, ack: &Ack);

    /// The network signalled congestion.
    fn on_congestion(&mut self, signal: &Congestion);

    /// A packet was sent.
    fn on_sent(&mut self, _packet: &Packet) {}

    /// A packet was declared lost; `lost` counts all declared losses of the connection, this one included.
    fn on_lost(&mut self, _now_ns: u64, _packet: &Packet, _lost: u64) {}

    /// The last signals were spurious.
    fn on_undo(&mut self, _undo: &Undo) {}

    /// The application has data again after nothing was in flight since then.
    fn on_idle(&mut self, _now_ns: u64, _since_ns: u64) {}

    /// Loss recovery was entered or left. On entry this comes after the congestion signal.
    fn on_recovery(&mut self, _now_ns: u64, _entered: bool, _in_flight: u64) {}

    /// A round trip passed in congestion avoidance that delivered the whole window: the step of the synchronous model.
    fn on_round(&mut self, now_ns: u64) {
        for _ in 0..self.window() as u32 {
            self.on_ack(&Ack::classic(now_ns, 1, None, true));
        }
    }

    /// How many packets may be in flight: 1 to 1e9.
    fn window(&self) -> f64;

    /// The window below which slow start runs, in packets. The sender counts acknowledgements of many packets as RFC 3465 says below it.
    fn slow_start_threshold(&self) -> f64 {
        f64::INFINITY
    }

    /// How fast packets may leave, in bit/s; `None`: it does not say. It says so of itself by [`Description::paces`].
    fn pacing_rate(&self) -> Option<f64> {
        None
    }

    /// What may leave back to back when the pacer lets something go, in bytes; one packet always may.
    fn send_quantum(&self) -> u64 {
        0
    }

    /// Must rate samples of what is sent from now on count as limited by the application, because the law itself holds back?
    fn mark_application_limited(&self) -> bool {
        false
    }
}

fn measured(nanos: u64) -> Option<Duration> {
    (nanos != NONE).then(|| Duration::from_nanos(nanos))
}

impl Ack {
    /// The acknowledgement of a flow without records per packet, outside recovery.
    pub const fn classic(now_ns: u64, newly_acked: u32, rtt_ns: Option<u64>, cwnd_limited: bool) -> Self {
        Ack {
            now_ns,
            newly_acked,
            ce_marked: 0,
            delivered: 0,
            newly_delivered: 0,
            newly_lost: 0,
            in_flight_before: 0,
            in_flight_after: 0,
            rtt_latest_ns: match rtt_ns {
                Some(rtt) => rtt,
                None => NONE,
            },
            rtt_minimum_ns: NONE,
            rtt_smoothed_ns: NONE,
            rtt_newest_ns: NONE,
            rate: RateSample {
                delivered: 0,
                interval_ns: 0,
                prior_delivered: 0,
                in_flight_at_sending: 0,
                lost: 0,
                app_limited: false,
            },
            has_rate: false,
            round_ended: false,
            in_recovery: false,
            cwnd_limited,
            newly_marked: 0,
        }
    }

    /// The round trip that it gave to the estimator.
    pub fn latest_rtt(&self) -> Option<Duration> {
        measured(self.rtt_latest_ns)
    }

    /// The least round trip over the life of the connection.
    pub fn minimum_rtt(&self) -> Option<Duration> {
        measured(self.rtt_minimum_ns)
    }

    /// The smoothed round trip (RFC 6298).
    pub fn smoothed_rtt(&self) -> Option<Duration> {
        measured(self.rtt_smoothed_ns)
    }

    /// The round trip of the newest packet that is acknowledged.
    pub fn newest_rtt(&self) -> Option<Duration> {
        measured(self.rtt_newest_ns)
    }

    /// The delivery rate, if there is a sample of it.
    pub fn rate_sample(&self) -> Option<&RateSample> {
        self.has_rate.then_some(&self.rate)
    }
}

impl RateSample {
    /// In bit/s; `None` over no time.
    pub fn bits_per_second(&self) -> Option<f64> {
        (self.interval_ns > 0).then(|| 8e9 * self.delivered as f64 / self.interval_ns as f64)
    }
}

impl Settings {
    /// A connection without settings of its own: ten packets of 1000 bytes to begin with, halving, real windows.
    pub const DEFAULT: Settings = Settings {
        initial_window: 10.0,
        initial_threshold: f64::INFINITY,
        packet: 1000,
        random: [0; 4],
        slow_start_exit_law: false,
        timeout_threshold_law: false,
        whole_windows: false,
        timeouts_cut: true,
    };
}

impl Congestion {
    /// A signal about a window of data that no other signal is about.
    pub const fn new(now_ns: u64, kind: CongestionKind) -> Self {
        Congestion { now_ns, window_of_data: 0, kind, repeated: false }
    }
}
