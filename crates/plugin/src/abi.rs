//! The interface in C: what a shared library offers, and what it is told.
//!
//! Source: none; the calls are those of `Controller` in the crate `sawtooth-cc`. `include/sawtooth.h` is made of this file, so every
//! comment here is read by people who write C. A change of any type raises [`ABI`]: a library made for another number is refused.

use std::ffi::{c_char, c_void};

/// The version of this interface.
pub const ABI: u32 = 1;

/// A time that was not measured.
pub const NONE: u64 = u64::MAX;

/// A parameter of a constructor.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name: small letters, digits, -, + and _, beginning with a letter.
    pub name: *const c_char,
    /// Its unit, for instance "packets" or "1".
    pub unit: *const c_char,
    /// What it means, then where its default or its bounds come from.
    pub why: *const c_char,
    /// Its value where it is left out; NAN: it must be given.
    pub default_value: f64,
    /// The smallest value accepted.
    pub min: f64,
    /// The largest value accepted.
    pub max: f64,
    /// Only whole numbers are accepted.
    pub whole: bool,
}

/// What a controller needs to be told beyond acknowledgements outside recovery and congestion.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// `on_sent` and `on_lost`.
    pub packets: bool,
    /// Delivery rates and volumes in `Ack`, and its round trips but the latest. Without it these are 0 or NONE.
    pub rates: bool,
    /// `Ack.round_ended`.
    pub rounds: bool,
    /// Acknowledgements that arrive during recovery, and `on_recovery`.
    pub recovery: bool,
}

/// What holds for a connection whatever its law, as the scenario says.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Packets that may be sent before the first acknowledgement of data.
    pub initial_window: f64,
    /// Where the first slow start ends without congestion; INFINITY: nowhere.
    pub initial_threshold: f64,
    /// Size of the packets on the wire: windows are counted in them.
    pub packet: u64,
    /// A number of its own for each connection that draws (`Controller.draws`): what a generator of random numbers begins with.
    pub random: [u64; 4],
    /// tcp.slow_start_exit is "law": a loss in slow start is answered by the law's own decrease; otherwise the window is halved.
    pub slow_start_exit_law: bool,
    /// tcp.timeout_threshold is "law": the threshold after a timeout is what the law's own decrease leaves; otherwise half the window.
    pub timeout_threshold_law: bool,
    /// tcp.window_arithmetic is "integer": windows are cut to whole packets before each decrease and after it.
    pub whole_windows: bool,
    /// tcp.rto_cuts: a timeout cuts the window.
    pub timeouts_cut: bool,
}

/// One packet in flight: what its sender knew when it last sent it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// When it was last sent.
    pub sent_at_ns: u64,
    /// Its size on the wire.
    pub size: u64,
    /// Delivered on the connection when it was sent.
    pub delivered: u64,
    /// When the last of these was delivered.
    pub delivered_at_ns: u64,
    /// When the flight began that the next rate sample covers.
    pub first_sent_at_ns: u64,
    /// In flight when it was sent, itself included.
    pub in_flight: u64,
    /// Lost on the connection when it was sent.
    pub lost: u64,
    /// How many times it has been sent: 1 for new data.
    pub times_sent: u32,
    /// The sender had less to send than it was allowed to.
    pub app_limited: bool,
}

/// How fast packets were delivered between the sending of one packet and its acknowledgement.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateSample {
    /// Delivered in the interval.
    pub delivered: u64,
    /// The longer of the times that sending and acknowledging took.
    pub interval_ns: u64,
    /// Delivered on the connection when the packet was sent.
    pub prior_delivered: u64,
    /// In flight when the packet was sent.
    pub in_flight_at_sending: u64,
    /// Lost in the interval.
    pub lost: u64,
    /// The packet was sent while the application limited the sender.
    pub app_limited: bool,
}

/// What one acknowledgement tells a controller. What it does not want (`Wants`) is 0 or NONE.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// When it arrived.
    pub now_ns: u64,
    /// Packets that count for growth: those acknowledged for the first time, after the cap of RFC 3465.
    pub newly_acked: u32,
    /// Packets that the receiver says were marked (CE) since the last acknowledgement.
    pub ce_marked: u32,
    /// Delivered on the connection so far.
    pub delivered: u64,
    /// Delivered with this acknowledgement, selectively or not.
    pub newly_delivered: u64,
    /// Called lost with this acknowledgement.
    pub newly_lost: u64,
    /// In flight before it was taken in.
    pub in_flight_before: u64,
    /// In flight after it was taken in.
    pub in_flight_after: u64,
    /// The round trip that it gave to the estimator, or NONE.
    pub rtt_latest_ns: u64,
    /// The least round trip over the life of the connection, or NONE.
    pub rtt_minimum_ns: u64,
    /// The smoothed round trip (RFC 6298), or NONE.
    pub rtt_smoothed_ns: u64,
    /// The round trip of the newest packet that is acknowledged, or NONE.
    pub rtt_newest_ns: u64,
    /// The delivery rate, if there is a sample of it.
    pub rate: RateSample,
    /// Is there one?
    pub has_rate: bool,
    /// A round trip has passed.
    pub round_ended: bool,
    /// Loss recovery is in progress.
    pub in_recovery: bool,
    /// The window, or its pacer, was what limited the sender; otherwise its size says nothing about the path.
    pub cwnd_limited: bool,
    /// The bytes of the packets that were marked. It stands last, so that libraries made before it was there go on.
    pub newly_marked: u64,
}

/// Why the network asks a sender to slow down.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CongestionKind {
    /// Fast retransmit found a loss: the first of this window of data.
    Loss = 0,
    /// The same, and recovery begins again from one packet (Tahoe). `repeated`: this window of data has been cut for before.
    LossRestart = 1,
    /// An ECN echo, the first of this window of data.
    EcnMark = 2,
    /// The retransmission timer expired. `repeated`: the segment had been sent by the timer before.
    Timeout = 3,
    /// Everything sent over a long time was lost (RFC 9002 §7.6).
    PersistentCongestion = 4,
}

/// One congestion signal: at most one per window of data, plus timeouts.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Congestion {
    /// When the sender learnt of it.
    pub now_ns: u64,
    /// The window of data that it is about: signals about the same one carry the same number.
    pub window_of_data: u64,
    /// What happened.
    pub kind: CongestionKind,
    /// See `CongestionKind`.
    pub repeated: bool,
}

/// Signals about a window of data were spurious: nothing of it had been lost.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undo {
    /// What the last signal had said; `now_ns` is when it was found to be spurious.
    pub signal: Congestion,
    /// In flight now.
    pub in_flight: u64,
    /// Delivered with the acknowledgement that showed it.
    pub newly_delivered: u64,
}

/// What a controller answers. What `answers` does not write stays as it was. The bounds are those that end a run.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answers {
    /// How many packets may be in flight: 1 to 1e9.
    pub window: f64,
    /// The window below which slow start runs, in packets: 0 or more, or INFINITY.
    pub slow_start_threshold: f64,
    /// How fast packets may leave: 1 to 1e15 bit/s; 0: it does not say.
    pub pacing_rate: f64,
    /// What may leave back to back when the pacer lets something go: at most 1e9 bytes; one packet always may.
    pub send_quantum: u64,
    /// Rate samples of what is sent from now on count as limited by the application, because the law itself holds back.
    pub mark_application_limited: bool,
}

/// A constructor and the controllers that it makes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Controller {
    /// What people write: small letters, digits, -, + and _, beginning with a letter. No built-in controller may have the name.
    pub name: *const c_char,
    /// What it does, in a line.
    pub summary: *const c_char,
    /// The paper or RFC.
    pub source: *const c_char,
    /// Its parameters, in the order in which people write them.
    pub parameters: *const Parameter,
    /// How many there are.
    pub parameter_count: usize,
    /// What its controllers need to be told.
    pub wants: Wants,
    /// It may answer with a pacing rate. A rate of a controller that does not say so, and had none from its start, ends the run.
    pub paces: bool,
    /// It draws random numbers, made of `Settings.random`.
    pub draws: bool,
    /// Makes a controller at the start of its connection, of as many numbers as there are parameters, and puts it into `*controller`.
    pub create: Option<
        unsafe extern "C" fn(
            numbers: *const f64,
            settings: *const Settings,
            controller: *mut *mut c_void,
        ) -> *const c_char,
    >,
    /// Makes a controller in the same state.
    pub clone:
        Option<unsafe extern "C" fn(controller: *const c_void, copy: *mut *mut c_void) -> *const c_char>,
    /// Ends a controller.
    pub destroy: Option<unsafe extern "C" fn(controller: *mut c_void)>,
    /// What holds now: asked after `create` and after every call.
    pub answers:
        Option<unsafe extern "C" fn(controller: *const c_void, answers: *mut Answers) -> *const c_char>,
    /// An acknowledgement arrived.
    pub on_ack: Option<unsafe extern "C" fn(controller: *mut c_void, ack: *const Ack) -> *const c_char>,
    /// The network signalled congestion.
    pub on_congestion:
        Option<unsafe extern "C" fn(controller: *mut c_void, signal: *const Congestion) -> *const c_char>,
    /// Optional. A packet was sent.
    pub on_sent:
        Option<unsafe extern "C" fn(controller: *mut c_void, packet: *const Packet) -> *const c_char>,
    /// Optional. A packet was declared lost; `lost` counts all declared losses of the connection, this one included.
    pub on_lost: Option<
        unsafe extern "C" fn(
            controller: *mut c_void,
            now_ns: u64,
            packet: *const Packet,
            lost: u64,
        ) -> *const c_char,
    >,
    /// Optional. The last signals were spurious.
    pub on_undo: Option<unsafe extern "C" fn(controller: *mut c_void, undo: *const Undo) -> *const c_char>,
    /// Optional. The application has data again after nothing was in flight since then.
    pub on_idle:
        Option<unsafe extern "C" fn(controller: *mut c_void, now_ns: u64, since_ns: u64) -> *const c_char>,
    /// Optional. Loss recovery was entered or left. On entry this comes after the congestion signal.
    pub on_recovery: Option<
        unsafe extern "C" fn(
            controller: *mut c_void,
            now_ns: u64,
            entered: bool,
            in_flight: u64,
        ) -> *const c_char,
    >,
    /// Optional. A round trip passed in congestion avoidance that delivered the whole window: the step of the synchronous model. Without
    /// it that model makes one acknowledgement for each whole packet of the window.
    pub on_round: Option<unsafe extern "C" fn(controller: *mut c_void, now_ns: u64) -> *const c_char>,
}

/// What a library holds. It stays there as long as the library is loaded.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Plugin {
    /// SAWTOOTH_ABI: the version of this interface that the library was made for.
    pub abi: u32,
    /// How many controllers it has.
    pub controller_count: usize,
    /// Its controllers.
    pub controllers: *const Controller,
}

unsafe extern "C" {
    /// The one function that a library must offer.
    pub fn sawtooth_plugin() -> *const Plugin;
}
