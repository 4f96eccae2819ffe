//! Whole endpoints of a plug-in: what one end of a connection must do, and the guard that every call to one passes.
//!
//! Source: none. An endpoint has loss recovery, control, pacing and acknowledgements of its own; it is told the time and what arrives, and
//! hands out datagrams. It is named like a controller and is a [`Plugin`](super::Plugin) with a [`Stack`].
//!
//! | bound                   | accepted                        | why                                                     |
//! |-------------------------|---------------------------------|---------------------------------------------------------|
//! | length of a datagram    | 1 byte to what the packet holds | a packet has one size, and it is that of the flow       |
//! | deadlines at one moment | [`AT_ONCE_MAX`]                 | a deadline that stays where it is would last for ever   |
//! | datagrams at one moment | [`AT_ONCE_MAX`]                 | the same                                                |
//! | window                  | 1 byte to [`WINDOW_MAX`]        | 10⁹ of the largest datagrams, as with controllers       |
//! | smoothed round trip     | up to [`RTT_MAX_NS`]            | 11 days; no run lasts as long                           |
//! | counts                  | no less than before, to [`COUNT_MAX`] | what is measured is the difference of two         |
//! | delivered               | no less than before, to what arrived | nothing is read that did not arrive                |
//!
//! What is out of its bounds, an error that a call returns or a panic in it ends the run, as with controllers.

use super::{Outcome, PluginSpec, raise};
use crate::ControllerSpec;
use crate::units::{Bytes, Span, Time};
use std::fmt;

/// The most datagrams, and the most deadlines, of one end at one moment.
pub const AT_ONCE_MAX: u32 = 100_000;
/// The largest window, in bytes.
pub const WINDOW_MAX: u64 = 65_535_000_000_000;
/// The longest round trip, in nanoseconds.
pub const RTT_MAX_NS: u64 = 1_000_000_000_000_000;
/// The most packets declared lost, and the most congestion events.
pub const COUNT_MAX: u64 = 1_000_000_000_000_000;

/// What holds for one end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndSettings {
    /// Which flow, for messages.
    pub flow: u32,
    /// It opens the connection and sends data; the other end answers and reads them.
    pub sends: bool,
    /// Datagrams may be ECN-capable.
    pub ecn: bool,
    /// The largest datagram.
    pub datagram: Bytes,
    /// What may be sent before the first acknowledgement of data.
    pub initial_window: Bytes,
    /// What a generator of random numbers begins with.
    pub random: [u8; 32],
}

/// What stands in the header of IP about congestion, RFC 3168 §5.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Codepoint {
    /// Not ECN-capable.
    #[default]
    NotEct,
    /// ECT(0).
    Ect0,
    /// Congestion experienced.
    Ce,
}

/// What an end says of itself; none: it does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndState {
    /// What may be in flight.
    pub window: Option<Bytes>,
    /// The smoothed round trip.
    pub rtt: Option<Span>,
    /// Packets declared lost so far.
    pub lost_packets: Option<u64>,
    /// Times at which losses or marks were answered with the window so far.
    pub congestion_events: Option<u64>,
    /// Data that the application has read in order so far.
    pub delivered: Bytes,
    /// No more data will be offered, and all of it has been acknowledged.
    pub finished: bool,
}

/// Makes the ends of connections.
pub trait Stack {
    /// The least [`EndSettings::datagram`] that it works with.
    fn datagram_min(&self) -> Bytes;

    /// One end before anything is sent, of these numbers in the order of the constructor.
    ///
    /// # Errors
    /// Why there is none.
    fn end(&self, numbers: &[f64], settings: &EndSettings) -> Result<Box<dyn Endpoint>, Box<str>>;
}

/// One end of a connection. Every call may return why the run cannot go on.
#[expect(clippy::missing_errors_doc, reason = "it is the same for all")]
pub trait Endpoint: fmt::Debug {
    /// Open the connection. What there is to send is offered.
    fn begin(&mut self, now: Time) -> Outcome;

    /// The application makes so much data more available; none: data without end. `more`: it will offer others.
    fn offer(&mut self, now: Time, bytes: Option<Bytes>, more: bool) -> Outcome;

    /// The application offers no more data, and takes back what the transport has not taken.
    fn stop(&mut self, now: Time) -> Outcome;

    /// Write the next datagram that may leave now; its length, 0 if there is none.
    fn transmit(&mut self, now: Time, place: &mut [u8]) -> Result<(usize, Codepoint), Box<str>>;

    /// A datagram of the other end arrived.
    fn receive(&mut self, now: Time, codepoint: Codepoint, datagram: &[u8]) -> Outcome;

    /// When [`Endpoint::on_deadline`] is to be called; `NEVER`: not at all.
    fn deadline(&mut self) -> Result<Time, Box<str>>;

    /// A deadline has come.
    fn on_deadline(&mut self, now: Time) -> Outcome;

    /// What it says of itself.
    fn state(&mut self) -> Result<EndState, Box<str>>;
}

/// One end behind the guard.
#[derive(Debug)]
pub struct End {
    inner: Box<dyn Endpoint>,
    name: String,
    flow: u32,
    /// Of the last call.
    now: Time,
    /// Datagrams and deadlines at that moment.
    at_once: u32,
    /// Does its application read?
    reads: bool,
    /// Bytes of the datagrams that arrived.
    arrived: u64,
    /// What it said of itself last.
    said: EndState,
}

impl ControllerSpec {
    /// The plug-in that it is, if that is a whole endpoint.
    pub fn endpoint(&self) -> Option<&PluginSpec> {
        match self {
            ControllerSpec::Plugin(spec) if spec.is_endpoint() => Some(spec),
            _ => None,
        }
    }
}

impl PluginSpec {
    /// Is it a whole endpoint, with a protocol of its own?
    pub fn is_endpoint(&self) -> bool {
        self.properties.own_transport
    }

    /// The least datagram that its stack works with, if it is a whole endpoint whose code has been found.
    pub fn datagram_min(&self) -> Option<Bytes> {
        self.code.and_then(|code| code.stack()).map(Stack::datagram_min)
    }

    /// One end of a connection of a whole endpoint.
    pub fn end(&self, settings: &EndSettings) -> End {
        let code = self.code.expect("a checked controller of a plug-in is bound to its code");
        let stack = code.stack().expect("a plug-in with a protocol of its own has a stack");
        let made = stack.end(&self.numbers(), settings);
        let fault = |what: Box<str>| -> ! {
            raise(self.name.clone(), "create", settings.flow, Time::ZERO, what.into_string())
        };
        let inner = made.unwrap_or_else(|what| fault(what));
        End {
            inner,
            name: self.name.clone(),
            flow: settings.flow,
            now: Time::ZERO,
            at_once: 0,
            reads: !settings.sends,
            arrived: 0,
            said: EndState::default(),
        }
    }
}

impl End {
    #[cold]
    fn raise(&self, call: &'static str, what: Box<str>) -> ! {
        raise(self.name.clone(), call, self.flow, self.now, what.into_string())
    }

    fn checked<T>(&self, call: &'static str, outcome: Result<T, Box<str>>) -> T {
        outcome.unwrap_or_else(|what| self.raise(call, what))
    }

    fn moves_to(&mut self, now: Time) {
        if now != self.now {
            (self.now, self.at_once) = (now, 0);
        }
    }

    fn count(&mut self, call: &'static str) {
        self.at_once += 1;
        if self.at_once > AT_ONCE_MAX {
            self.raise(
                call,
                format!("{} at one moment: expected at most {AT_ONCE_MAX}", self.at_once).into(),
            );
        }
    }

    /// [`Endpoint::begin`].
    pub fn begin(&mut self, now: Time) {
        self.moves_to(now);
        let done = self.inner.begin(now);
        self.checked("begin", done);
    }

    /// [`Endpoint::offer`].
    pub fn offer(&mut self, now: Time, bytes: Option<Bytes>, more: bool) {
        self.moves_to(now);
        let done = self.inner.offer(now, bytes, more);
        self.checked("offer", done);
    }

    /// [`Endpoint::stop`].
    pub fn stop(&mut self, now: Time) {
        self.moves_to(now);
        let done = self.inner.stop(now);
        self.checked("stop", done);
    }

    /// [`Endpoint::transmit`].
    pub fn transmit(&mut self, now: Time, place: &mut [u8]) -> Option<(usize, Codepoint)> {
        self.moves_to(now);
        let found = self.inner.transmit(now, place);
        let (length, codepoint) = self.checked("transmit", found);
        if length > place.len() {
            let most = place.len();
            self.raise("transmit", format!("length = {length}: expected at most {most} bytes").into());
        }
        if length == 0 {
            return None;
        }
        self.count("transmit");
        Some((length, codepoint))
    }

    /// [`Endpoint::receive`].
    pub fn receive(&mut self, now: Time, codepoint: Codepoint, datagram: &[u8]) {
        self.moves_to(now);
        self.arrived += datagram.len() as u64;
        let done = self.inner.receive(now, codepoint, datagram);
        self.checked("receive", done);
    }

    /// [`Endpoint::deadline`], not before the last call.
    pub fn deadline(&mut self) -> Time {
        let at = self.inner.deadline();
        self.checked("deadline", at).max(self.now)
    }

    /// [`Endpoint::on_deadline`].
    pub fn on_deadline(&mut self, now: Time) {
        self.moves_to(now);
        self.count("on_deadline");
        let done = self.inner.on_deadline(now);
        self.checked("on_deadline", done);
    }

    /// [`Endpoint::state`].
    pub fn state(&mut self) -> EndState {
        let found = self.inner.state();
        let state = self.checked("state", found);
        if let Some(what) = self.fault(&state) {
            self.raise("state", what.into_boxed_str());
        }
        self.said = state;
        state
    }

    /// What it says that cannot be, with what would be accepted.
    fn fault(&self, state: &EndState) -> Option<String> {
        if let Some(window) = state.window.map(Bytes::count).filter(|bytes| !(1..=WINDOW_MAX).contains(bytes))
        {
            return Some(format!("window = {window}: expected 1 to {WINDOW_MAX} bytes"));
        }
        if let Some(rtt) = state.rtt.map(Span::nanos).filter(|&nanos| nanos > RTT_MAX_NS) {
            return Some(format!("rtt_ns = {rtt}: expected at most {RTT_MAX_NS}"));
        }
        let said = &self.said;
        let counts = [
            ("lost_packets", state.lost_packets, said.lost_packets),
            ("congestion_events", state.congestion_events, said.congestion_events),
        ];
        for (name, count, before) in counts {
            let least = before.unwrap_or(0);
            if count.or(before.map(|_| 0)).is_some_and(|count| count < least || count > COUNT_MAX) {
                let count = count.map_or_else(|| "none".to_owned(), |count| count.to_string());
                return Some(format!("{name} = {count}: expected {least}, as said before, to {COUNT_MAX}"));
            }
        }
        let (delivered, least, most) = (state.delivered.count(), said.delivered.count(), self.arrived);
        (self.reads && !(least..=most).contains(&delivered)).then(|| {
            format!(
                "delivered = {delivered}: expected {least}, as said before, to the {most} bytes that arrived"
            )
        })
    }
}
