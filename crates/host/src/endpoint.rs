//! A whole endpoint of a shared library, called through its pointers.

use crate::native::outcome;
use sawtooth_cc::plugin::endpoint::{Codepoint, EndSettings, EndState, Endpoint, Stack};
use sawtooth_cc::plugin::{Outcome, Plugin, PluginController};
use sawtooth_cc::units::{Bytes, Span, Time};
use sawtooth_cc::{ConstructorInfo, ControlSettings, Properties, Wants};
use sawtooth_plugin::endpoint_abi::{self, Datagram, EndpointSettings, EndpointState};
use sawtooth_plugin::{Codepoint as Bits, NONE};
use std::ffi::{c_char, c_void};
use std::ptr::null_mut;

type Answer = *const c_char;

/// The calls of a library; none may be left out.
#[derive(Clone, Copy, Debug)]
struct Calls {
    create: unsafe extern "C" fn(*const f64, *const EndpointSettings, *mut *mut c_void) -> Answer,
    destroy: unsafe extern "C" fn(*mut c_void),
    begin: unsafe extern "C" fn(*mut c_void, u64) -> Answer,
    offer: unsafe extern "C" fn(*mut c_void, u64, u64, bool) -> Answer,
    stop: unsafe extern "C" fn(*mut c_void, u64) -> Answer,
    transmit: unsafe extern "C" fn(*mut c_void, u64, *mut Datagram) -> Answer,
    receive: unsafe extern "C" fn(*mut c_void, u64, u8, *const u8, usize) -> Answer,
    deadline: unsafe extern "C" fn(*mut c_void, *mut u64) -> Answer,
    on_deadline: unsafe extern "C" fn(*mut c_void, u64) -> Answer,
    state: unsafe extern "C" fn(*mut c_void, *mut EndpointState) -> Answer,
}

/// A constructor of endpoints of a shared library.
#[derive(Debug)]
pub struct NativeStack {
    info: ConstructorInfo,
    file: String,
    datagram_min: u64,
    calls: Calls,
}

impl NativeStack {
    /// From what the library says of it; what it lacks, if that cannot be done without.
    pub fn new(
        info: ConstructorInfo,
        file: String,
        from: &endpoint_abi::Endpoint,
    ) -> Result<Self, &'static str> {
        let calls = Calls {
            create: from.create.ok_or("the call create")?,
            destroy: from.destroy.ok_or("the call destroy")?,
            begin: from.begin.ok_or("the call begin")?,
            offer: from.offer.ok_or("the call offer")?,
            stop: from.stop.ok_or("the call stop")?,
            transmit: from.transmit.ok_or("the call transmit")?,
            receive: from.receive.ok_or("the call receive")?,
            deadline: from.deadline.ok_or("the call deadline")?,
            on_deadline: from.on_deadline.ok_or("the call on_deadline")?,
            state: from.state.ok_or("the call state")?,
        };
        Ok(NativeStack { info, file, datagram_min: from.datagram_min, calls })
    }
}

impl Plugin for NativeStack {
    fn info(&self) -> &ConstructorInfo {
        &self.info
    }

    fn file(&self) -> &str {
        &self.file
    }

    fn properties(&self) -> Properties {
        Properties::ENDPOINT
    }

    fn wants(&self) -> Wants {
        Wants::NOTHING
    }

    fn create(
        &self,
        _numbers: &[f64],
        _settings: &ControlSettings,
    ) -> Result<Box<dyn PluginController>, Box<str>> {
        Err("it is a whole endpoint: expected a controller".into())
    }

    fn stack(&self) -> Option<&dyn Stack> {
        Some(self)
    }
}

impl Stack for NativeStack {
    fn datagram_min(&self) -> Bytes {
        Bytes::new(self.datagram_min)
    }

    fn end(&self, numbers: &[f64], settings: &EndSettings) -> Result<Box<dyn Endpoint>, Box<str>> {
        let (words, _) = settings.random.as_chunks::<8>();
        let settings = EndpointSettings {
            sends: settings.sends,
            ecn: settings.ecn,
            datagram: settings.datagram.count(),
            initial_window: settings.initial_window.count(),
            random: [0, 1, 2, 3].map(|index| u64::from_le_bytes(words[index])),
        };
        let mut state = null_mut();
        unsafe { outcome((self.calls.create)(numbers.as_ptr(), &settings, &mut state))? };
        if state.is_null() {
            return Err("expected an endpoint, or a reason why there is none".into());
        }
        Ok(Box::new(NativeEndpoint { calls: self.calls, state }))
    }
}

/// One end of a connection of a shared library.
#[derive(Debug)]
struct NativeEndpoint {
    calls: Calls,
    state: *mut c_void,
}

impl Drop for NativeEndpoint {
    fn drop(&mut self) {
        unsafe { (self.calls.destroy)(self.state) }
    }
}

fn bits(codepoint: Codepoint) -> u8 {
    match codepoint {
        Codepoint::NotEct => Bits::NotEct.bits(),
        Codepoint::Ect0 => Bits::Ect0.bits(),
        Codepoint::Ce => Bits::Ce.bits(),
    }
}

fn told(value: u64) -> Option<u64> {
    (value != NONE).then_some(value)
}

impl Endpoint for NativeEndpoint {
    fn begin(&mut self, now: Time) -> Outcome {
        unsafe { outcome((self.calls.begin)(self.state, now.nanos())) }
    }

    fn offer(&mut self, now: Time, bytes: Option<Bytes>, more: bool) -> Outcome {
        let bytes = bytes.map_or(NONE, Bytes::count);
        unsafe { outcome((self.calls.offer)(self.state, now.nanos(), bytes, more)) }
    }

    fn stop(&mut self, now: Time) -> Outcome {
        unsafe { outcome((self.calls.stop)(self.state, now.nanos())) }
    }

    fn transmit(&mut self, now: Time, place: &mut [u8]) -> Result<(usize, Codepoint), Box<str>> {
        let mut datagram = Datagram { data: place.as_mut_ptr(), capacity: place.len(), length: 0, ecn: 0 };
        unsafe { outcome((self.calls.transmit)(self.state, now.nanos(), &mut datagram))? };
        match datagram.ecn {
            0 => Ok((datagram.length, Codepoint::NotEct)),
            2 => Ok((datagram.length, Codepoint::Ect0)),
            other => Err(format!("ecn = {other}: expected 0, or 2 for ECT(0)").into()),
        }
    }

    fn receive(&mut self, now: Time, codepoint: Codepoint, datagram: &[u8]) -> Outcome {
        let (data, length) = (datagram.as_ptr(), datagram.len());
        unsafe { outcome((self.calls.receive)(self.state, now.nanos(), bits(codepoint), data, length)) }
    }

    fn deadline(&mut self) -> Result<Time, Box<str>> {
        let mut at = NONE;
        unsafe { outcome((self.calls.deadline)(self.state, &mut at))? };
        Ok(told(at).map_or(Time::NEVER, Time::from_nanos))
    }

    fn on_deadline(&mut self, now: Time) -> Outcome {
        unsafe { outcome((self.calls.on_deadline)(self.state, now.nanos())) }
    }

    fn state(&mut self) -> Result<EndState, Box<str>> {
        let mut state = sawtooth_plugin::EndpointState::NOTHING;
        unsafe { outcome((self.calls.state)(self.state, &mut state))? };
        Ok(EndState {
            window: told(state.window).map(Bytes::new),
            rtt: told(state.rtt_ns).map(Span::from_nanos),
            lost_packets: told(state.lost_packets),
            congestion_events: told(state.congestion_events),
            delivered: Bytes::new(state.delivered),
            finished: state.finished,
        })
    }
}
