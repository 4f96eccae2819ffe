//! The part of the interface in C for whole endpoints: what a shared library with protocol stacks offers.
//!
//! Source: none; time and datagrams go in, datagrams come out, as in the stacks that do no input or output of their own. It has a version
//! of its own ([`ENDPOINT_ABI`]): a library of controllers is not made anew when it changes. `include/sawtooth.h` is made of this file
//! and of `abi.rs`.

use crate::abi::Parameter;
use std::ffi::{c_char, c_void};

/// The version of this part of the interface.
pub const ENDPOINT_ABI: u32 = 2;

/// What holds for one end of a connection, as the scenario says.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndpointSettings {
    /// It opens the connection and sends data; the other end answers and reads them.
    pub sends: bool,
    /// Datagrams may be ECN-capable.
    pub ecn: bool,
    /// The largest datagram that fits into a packet of the flow.
    pub datagram: u64,
    /// What may be sent before the first acknowledgement of data, in bytes.
    pub initial_window: u64,
    /// A number of its own for each end: what a generator of random numbers begins with.
    pub random: [u64; 4],
}

/// A place for one datagram, which `Endpoint.transmit` fills.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Datagram {
    /// Where its bytes go.
    pub data: *mut u8,
    /// How many have room there.
    pub capacity: usize,
    /// How many there are; 0: there is nothing to send.
    pub length: usize,
    /// Its codepoint, as in the header of IP: 0, or 2 for ECT(0).
    pub ecn: u8,
}

/// What an end says of itself. What it does not know is SAWTOOTH_NONE.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndpointState {
    /// Bytes that may be in flight.
    pub window: u64,
    /// The smoothed round trip.
    pub rtt_ns: u64,
    /// Packets declared lost so far.
    pub lost_packets: u64,
    /// Times at which it answered losses or marks with its window so far.
    pub congestion_events: u64,
    /// Bytes of data that its application has read in order so far.
    pub delivered: u64,
    /// Of the end that sends: no more data will be offered, and the other end has acknowledged all of it.
    pub finished: bool,
}

/// A constructor and the endpoints that it makes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Endpoint {
    /// What people write: small letters, digits, -, + and _, beginning with a letter. No built-in controller may have the name.
    pub name: *const c_char,
    /// What it does, in a line.
    pub summary: *const c_char,
    /// The stack, with its version.
    pub source: *const c_char,
    /// Its parameters, in the order in which people write them.
    pub parameters: *const Parameter,
    /// How many there are.
    pub parameter_count: usize,
    /// The least `EndpointSettings.datagram` that it works with.
    pub datagram_min: u64,
    /// Makes one end of a connection, before anything of it is sent, and puts it into `*endpoint`.
    pub create: Option<
        unsafe extern "C" fn(
            numbers: *const f64,
            settings: *const EndpointSettings,
            endpoint: *mut *mut c_void,
        ) -> *const c_char,
    >,
    /// Ends it.
    pub destroy: Option<unsafe extern "C" fn(endpoint: *mut c_void)>,
    /// The end that sends opens the connection. What it has to send is offered.
    pub begin: Option<unsafe extern "C" fn(endpoint: *mut c_void, now_ns: u64) -> *const c_char>,
    /// The application of the end that sends makes so many bytes of data more available, or with SAWTOOTH_NONE data without end. `more`:
    /// it will offer others. Between an offer and the next that is all there is.
    pub offer: Option<
        unsafe extern "C" fn(endpoint: *mut c_void, now_ns: u64, bytes: u64, more: bool) -> *const c_char,
    >,
    /// The application of the end that sends offers no more data, and takes back what has not been taken by its transport.
    pub stop: Option<unsafe extern "C" fn(endpoint: *mut c_void, now_ns: u64) -> *const c_char>,
    /// The next datagram that may leave now, if there is one. Asked after `begin`, `offer`, `receive`, `on_deadline` and `stop` until
    /// there is none.
    pub transmit: Option<
        unsafe extern "C" fn(endpoint: *mut c_void, now_ns: u64, datagram: *mut Datagram) -> *const c_char,
    >,
    /// A datagram of the other end arrived, with this codepoint: 0, 2 for ECT(0), 3 for CE.
    pub receive: Option<
        unsafe extern "C" fn(
            endpoint: *mut c_void,
            now_ns: u64,
            ecn: u8,
            data: *const u8,
            length: usize,
        ) -> *const c_char,
    >,
    /// When `on_deadline` is to be called, or SAWTOOTH_NONE. Asked when there is nothing more to send.
    pub deadline: Option<unsafe extern "C" fn(endpoint: *mut c_void, at_ns: *mut u64) -> *const c_char>,
    /// A deadline has come.
    pub on_deadline: Option<unsafe extern "C" fn(endpoint: *mut c_void, now_ns: u64) -> *const c_char>,
    /// What it says of itself.
    pub state:
        Option<unsafe extern "C" fn(endpoint: *mut c_void, state: *mut EndpointState) -> *const c_char>,
}

/// The endpoints that a library holds. They stay there as long as the library is loaded.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Endpoints {
    /// SAWTOOTH_ENDPOINT_ABI: the version of this part of the interface that the library was made for.
    pub abi: u32,
    /// How many endpoints it has.
    pub endpoint_count: usize,
    /// Its endpoints.
    pub endpoints: *const Endpoint,
}

unsafe extern "C" {
    /// The function that a library with endpoints must offer.
    pub fn sawtooth_endpoints() -> *const Endpoints;
}
