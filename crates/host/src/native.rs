//! A controller of a shared library, called through its pointers.

use crate::convert;
use sawtooth_cc::plugin::{Answers, Call, Outcome, Plugin, PluginController};
use sawtooth_cc::{AckSample, ConstructorInfo, ControlSettings, Properties, Recovery, Wants};
use sawtooth_plugin::{Ack, Congestion, Packet, Settings, Undo, abi};
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;

type Answer = *const c_char;

/// The calls of a library; those that a controller may leave out are options.
#[derive(Clone, Copy, Debug)]
struct Calls {
    create: unsafe extern "C" fn(*const f64, *const Settings, *mut *mut c_void) -> Answer,
    clone: unsafe extern "C" fn(*const c_void, *mut *mut c_void) -> Answer,
    destroy: unsafe extern "C" fn(*mut c_void),
    answers: unsafe extern "C" fn(*const c_void, *mut abi::Answers) -> Answer,
    on_ack: unsafe extern "C" fn(*mut c_void, *const Ack) -> Answer,
    on_congestion: unsafe extern "C" fn(*mut c_void, *const Congestion) -> Answer,
    on_sent: Option<unsafe extern "C" fn(*mut c_void, *const Packet) -> Answer>,
    on_lost: Option<unsafe extern "C" fn(*mut c_void, u64, *const Packet, u64) -> Answer>,
    on_undo: Option<unsafe extern "C" fn(*mut c_void, *const Undo) -> Answer>,
    on_idle: Option<unsafe extern "C" fn(*mut c_void, u64, u64) -> Answer>,
    on_recovery: Option<unsafe extern "C" fn(*mut c_void, u64, bool, u64) -> Answer>,
    on_round: Option<unsafe extern "C" fn(*mut c_void, u64) -> Answer>,
}

/// A constructor of a shared library.
#[derive(Debug)]
pub struct Native {
    info: ConstructorInfo,
    file: String,
    wants: Wants,
    properties: Properties,
    calls: Calls,
}

impl Native {
    /// From what the library says of it; what it lacks, if that cannot be done without.
    pub fn new(info: ConstructorInfo, file: String, from: &abi::Controller) -> Result<Self, &'static str> {
        let abi::Wants { packets, rates, rounds, recovery } = from.wants;
        let properties = Properties { pacing_rate: from.paces, random: from.draws, ..Properties::WINDOW };
        let calls = Calls {
            create: from.create.ok_or("the call create")?,
            clone: from.clone.ok_or("the call clone")?,
            destroy: from.destroy.ok_or("the call destroy")?,
            answers: from.answers.ok_or("the call answers")?,
            on_ack: from.on_ack.ok_or("the call on_ack")?,
            on_congestion: from.on_congestion.ok_or("the call on_congestion")?,
            on_sent: from.on_sent,
            on_lost: from.on_lost,
            on_undo: from.on_undo,
            on_idle: from.on_idle,
            on_recovery: from.on_recovery,
            on_round: from.on_round,
        };
        let wants = Wants { packets, rates, rounds, recovery };
        Ok(Native { info, file, wants, properties, calls })
    }
}

/// # Safety
/// The pointer is null, or to text that stays until the next call.
#[inline(always)]
pub(crate) unsafe fn outcome(answer: Answer) -> Outcome {
    if answer.is_null() { Ok(()) } else { Err(unsafe { fault(answer) }) }
}

#[cold]
unsafe fn fault(answer: Answer) -> Box<str> {
    unsafe { CStr::from_ptr(answer) }.to_string_lossy().into()
}

/// The call that it is told of went well; what failed is the question after it.
#[cold]
fn of_answers(what: Box<str>) -> Box<str> {
    format!("answers: {what}").into()
}

impl Plugin for Native {
    fn info(&self) -> &ConstructorInfo {
        &self.info
    }

    fn file(&self) -> &str {
        &self.file
    }

    fn properties(&self) -> Properties {
        self.properties
    }

    fn wants(&self) -> Wants {
        self.wants
    }

    fn create(
        &self,
        numbers: &[f64],
        settings: &ControlSettings,
    ) -> Result<Box<dyn PluginController>, Box<str>> {
        let mut state = null_mut();
        let settings = convert::settings(settings);
        unsafe { outcome((self.calls.create)(numbers.as_ptr(), &settings, &mut state))? };
        let ack = Ack::classic(0, 0, None, false);
        NativeController { calls: self.calls, state, ack, rates: self.wants.rates }.checked()
    }
}

/// A controller of a shared library.
#[derive(Debug)]
struct NativeController {
    calls: Calls,
    state: *mut c_void,
    /// The last acknowledgement that it was told of.
    ack: Ack,
    /// It wants all that there is in one.
    rates: bool,
}

// The library writes into the answers that are kept here.
const _: () = {
    use std::mem::offset_of;
    assert!(size_of::<Answers>() == size_of::<abi::Answers>());
    assert!(offset_of!(Answers, window) == offset_of!(abi::Answers, window));
    assert!(offset_of!(Answers, slow_start_threshold) == offset_of!(abi::Answers, slow_start_threshold));
    assert!(offset_of!(Answers, pacing_rate) == offset_of!(abi::Answers, pacing_rate));
    assert!(offset_of!(Answers, send_quantum) == offset_of!(abi::Answers, send_quantum));
    assert!(
        offset_of!(Answers, mark_application_limited) == offset_of!(abi::Answers, mark_application_limited)
    );
};

impl NativeController {
    fn checked(self) -> Result<Box<dyn PluginController>, Box<str>> {
        if self.state.is_null() {
            return Err("expected a controller, or a reason why there is none".into());
        }
        Ok(Box::new(self))
    }
}

impl Drop for NativeController {
    fn drop(&mut self) {
        if !self.state.is_null() {
            unsafe { (self.calls.destroy)(self.state) }
        }
    }
}

impl PluginController for NativeController {
    #[inline]
    fn on_ack(&mut self, ack: &AckSample, answers: &mut Answers) -> Outcome {
        if self.rates {
            self.ack = convert::ack(ack);
        } else {
            convert::classic(ack, &mut self.ack);
        }
        unsafe { outcome((self.calls.on_ack)(self.state, &self.ack))? };
        self.answers(answers)
    }

    fn call(&mut self, call: Call<'_>, answers: &mut Answers) -> Outcome {
        let (calls, state) = (&self.calls, self.state);
        unsafe {
            match call {
                Call::Ack(ack) => return self.on_ack(ack, answers),
                Call::Sent(packet) => {
                    let Some(on_sent) = calls.on_sent else { return Ok(()) };
                    outcome(on_sent(state, &convert::packet(packet)))?;
                }
                Call::Lost(packet) => {
                    let Some(on_lost) = calls.on_lost else { return Ok(()) };
                    let (now, lost) = (packet.now.nanos(), packet.lost.count());
                    outcome(on_lost(state, now, &convert::packet(&packet.sent), lost))?;
                }
                Call::Congestion(signal) => {
                    outcome((calls.on_congestion)(state, &convert::congestion(signal)))?;
                }
                Call::Undo(signal) => {
                    let Some(on_undo) = calls.on_undo else { return Ok(()) };
                    outcome(on_undo(state, &convert::undo(signal)))?;
                }
                Call::Idle(signal) => {
                    let Some(on_idle) = calls.on_idle else { return Ok(()) };
                    outcome(on_idle(state, signal.now.nanos(), signal.since.nanos()))?;
                }
                Call::Recovery(signal) => {
                    let Some(on_recovery) = calls.on_recovery else { return Ok(()) };
                    let entered = signal.change == Recovery::Entered;
                    outcome(on_recovery(state, signal.now.nanos(), entered, signal.in_flight.count()))?;
                }
                Call::Round(now) => {
                    let Some(on_round) = calls.on_round else { return Ok(()) };
                    outcome(on_round(state, now.nanos()))?;
                }
            }
        }
        self.answers(answers)
    }

    #[inline(always)]
    fn answers(&self, answers: &mut Answers) -> Outcome {
        let answer = unsafe { (self.calls.answers)(self.state, std::ptr::from_mut(answers).cast()) };
        unsafe { outcome(answer) }.map_err(of_answers)
    }

    fn copy(&self) -> Result<Box<dyn PluginController>, Box<str>> {
        let mut state = null_mut();
        unsafe { outcome((self.calls.clone)(self.state, &mut state))? };
        NativeController { state, ..*self }.checked()
    }

    fn takes_rounds(&self) -> bool {
        self.calls.on_round.is_some()
    }
}
