//! Whole endpoints in Rust: a type with [`Endpoint`] in a library that exports it by [`export_endpoint!`](crate::export_endpoint).
//!
//! Source: none. One value is one end of one connection; the simulator makes two for each flow, carries their datagrams as packets and
//! tells both the virtual time. What an endpoint needs of random numbers it makes of [`EndpointSettings::random`].

use crate::endpoint_abi as abi;
use crate::export::{described_parameters, guarded, hear_panics, text};
use crate::{NONE, Parameter};
use std::ffi::{c_char, c_void};

pub use abi::{EndpointSettings, EndpointState};

/// A constructor of endpoints.
#[derive(Clone, Copy, Debug)]
pub struct EndpointDescription {
    /// What people write: small letters, digits, -, + and _, beginning with a letter.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// The stack, with its version.
    pub source: &'static str,
    /// Its parameters, in the order in which people write them.
    pub parameters: &'static [Parameter],
    /// The least [`EndpointSettings::datagram`] that it works with.
    pub datagram_min: u64,
}

/// The codepoints of ECN, RFC 3168 §5.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Codepoint {
    /// Not ECN-capable.
    #[default]
    NotEct,
    /// ECN-capable: ECT(0).
    Ect0,
    /// Congestion experienced.
    Ce,
}

impl Codepoint {
    /// As it stands in the header of IP.
    pub const fn bits(self) -> u8 {
        match self {
            Codepoint::NotEct => 0,
            Codepoint::Ect0 => 2,
            Codepoint::Ce => 3,
        }
    }

    const fn of(bits: u8) -> Self {
        match bits {
            2 => Codepoint::Ect0,
            3 => Codepoint::Ce,
            _ => Codepoint::NotEct,
        }
    }
}

impl EndpointState {
    /// Nothing is known, and nothing has happened.
    pub const NOTHING: EndpointState = EndpointState {
        window: NONE,
        rtt_ns: NONE,
        lost_packets: NONE,
        congestion_events: NONE,
        delivered: 0,
        finished: false,
    };
}

/// One end of a connection.
///
/// The same calls must give datagrams of the same sizes at the same times: no clock, and no random numbers that change either.
pub trait Endpoint: Sized {
    /// Its name and its parameters.
    const DESCRIPTION: EndpointDescription;

    /// One end before anything is sent; `numbers` are those of the parameters, in their order.
    fn new(numbers: &[f64], settings: &EndpointSettings) -> Self;

    /// Open the connection. What there is to send is offered.
    fn begin(&mut self, now_ns: u64);

    /// The application makes so many bytes of data more available; `None`: data without end. `more`: it will offer others.
    fn offer(&mut self, now_ns: u64, bytes: Option<u64>, more: bool);

    /// The application offers no more data, and takes back what the transport has not taken.
    fn stop(&mut self, now_ns: u64);

    /// Write the next datagram that may leave now into this empty buffer; `None`: there is none.
    fn transmit(&mut self, now_ns: u64, datagram: &mut Vec<u8>) -> Option<Codepoint>;

    /// A datagram of the other end arrived.
    fn receive(&mut self, now_ns: u64, codepoint: Codepoint, datagram: &[u8]);

    /// When [`Endpoint::on_deadline`] is to be called.
    fn deadline(&mut self) -> Option<u64>;

    /// A deadline has come.
    fn on_deadline(&mut self, now_ns: u64);

    /// What it says of itself.
    fn state(&mut self) -> EndpointState;
}

/// Makes a library of endpoints: `export_endpoint!(Mine);` or, of several, `export_endpoint!(Mine, Yours);`.
#[macro_export]
macro_rules! export_endpoint {
    ($($endpoint:ty),+ $(,)?) => {
        /// The endpoints of this library.
        #[unsafe(no_mangle)]
        pub extern "C" fn sawtooth_endpoints() -> *const $crate::endpoint_abi::Endpoints {
            $crate::endpoint::library(&[$($crate::endpoint::exported::<$endpoint>),+])
        }
    };
}

/// The endpoints of a library: made when it is loaded, and kept for good.
pub fn library(endpoints: &[fn() -> abi::Endpoint]) -> *const abi::Endpoints {
    hear_panics();
    offered(endpoints)
}

/// The same within a program, whose panic hook is left alone.
pub fn offered(endpoints: &[fn() -> abi::Endpoint]) -> *const abi::Endpoints {
    let endpoints = endpoints.iter().map(|describe| describe()).collect::<Vec<_>>().leak();
    Box::leak(Box::new(abi::Endpoints {
        abi: abi::ENDPOINT_ABI,
        endpoint_count: endpoints.len(),
        endpoints: endpoints.as_ptr(),
    }))
}

/// One end, and where it writes what it sends.
struct Held<E> {
    endpoint: E,
    datagram: Vec<u8>,
}

/// A constructor with its calls.
pub fn exported<E: Endpoint>() -> abi::Endpoint {
    let described = E::DESCRIPTION;
    let parameters = described_parameters(described.parameters);
    abi::Endpoint {
        name: text(described.name),
        summary: text(described.summary),
        source: text(described.source),
        parameters: parameters.as_ptr(),
        parameter_count: parameters.len(),
        datagram_min: described.datagram_min,
        create: Some(create::<E>),
        destroy: Some(destroy::<E>),
        begin: Some(begin::<E>),
        offer: Some(offer::<E>),
        stop: Some(stop::<E>),
        transmit: Some(transmit::<E>),
        receive: Some(receive::<E>),
        deadline: Some(deadline::<E>),
        on_deadline: Some(on_deadline::<E>),
        state: Some(state::<E>),
    }
}

// Every pointer below is valid for the length of the call: the simulator promises it.

unsafe extern "C" fn create<E: Endpoint>(
    numbers: *const f64,
    settings: *const EndpointSettings,
    endpoint: *mut *mut c_void,
) -> *const c_char {
    guarded(|| {
        let count = E::DESCRIPTION.parameters.len();
        let numbers = if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(numbers, count) } };
        let made = Held { endpoint: E::new(numbers, unsafe { &*settings }), datagram: Vec::new() };
        unsafe { *endpoint = Box::into_raw(Box::new(made)).cast() };
    })
}

unsafe extern "C" fn destroy<E: Endpoint>(endpoint: *mut c_void) {
    // A panic while it ends ends nothing else.
    guarded(|| drop(unsafe { Box::from_raw(endpoint.cast::<Held<E>>()) }));
}

/// # Safety
/// The pointer is one that `create` of the same type gave.
unsafe fn held<'a, E>(endpoint: *mut c_void) -> &'a mut Held<E> {
    unsafe { &mut *endpoint.cast() }
}

unsafe extern "C" fn begin<E: Endpoint>(endpoint: *mut c_void, now_ns: u64) -> *const c_char {
    guarded(|| unsafe { held::<E>(endpoint) }.endpoint.begin(now_ns))
}

unsafe extern "C" fn offer<E: Endpoint>(
    endpoint: *mut c_void,
    now_ns: u64,
    bytes: u64,
    more: bool,
) -> *const c_char {
    let bytes = (bytes != NONE).then_some(bytes);
    guarded(|| unsafe { held::<E>(endpoint) }.endpoint.offer(now_ns, bytes, more))
}

unsafe extern "C" fn stop<E: Endpoint>(endpoint: *mut c_void, now_ns: u64) -> *const c_char {
    guarded(|| unsafe { held::<E>(endpoint) }.endpoint.stop(now_ns))
}

unsafe extern "C" fn on_deadline<E: Endpoint>(endpoint: *mut c_void, now_ns: u64) -> *const c_char {
    guarded(|| unsafe { held::<E>(endpoint) }.endpoint.on_deadline(now_ns))
}

unsafe extern "C" fn transmit<E: Endpoint>(
    endpoint: *mut c_void,
    now_ns: u64,
    place: *mut abi::Datagram,
) -> *const c_char {
    guarded(|| {
        let (held, place) = unsafe { (held::<E>(endpoint), &mut *place) };
        held.datagram.clear();
        let Some(codepoint) = held.endpoint.transmit(now_ns, &mut held.datagram) else {
            place.length = 0;
            return;
        };
        let length = held.datagram.len();
        assert!(
            length > 0 && length <= place.capacity,
            "a datagram of {length} bytes, of at most {}",
            place.capacity
        );
        unsafe { std::ptr::copy_nonoverlapping(held.datagram.as_ptr(), place.data, length) };
        (place.length, place.ecn) = (length, codepoint.bits());
    })
}

unsafe extern "C" fn receive<E: Endpoint>(
    endpoint: *mut c_void,
    now_ns: u64,
    ecn: u8,
    data: *const u8,
    length: usize,
) -> *const c_char {
    guarded(|| {
        let datagram = unsafe { std::slice::from_raw_parts(data, length) };
        unsafe { held::<E>(endpoint) }.endpoint.receive(now_ns, Codepoint::of(ecn), datagram);
    })
}

unsafe extern "C" fn deadline<E: Endpoint>(endpoint: *mut c_void, at_ns: *mut u64) -> *const c_char {
    guarded(|| unsafe { *at_ns = held::<E>(endpoint).endpoint.deadline().unwrap_or(NONE) })
}

unsafe extern "C" fn state<E: Endpoint>(endpoint: *mut c_void, state: *mut EndpointState) -> *const c_char {
    guarded(|| unsafe { *state = held::<E>(endpoint).endpoint.state() })
}
