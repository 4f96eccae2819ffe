//! From the trait to the interface in C: what [`export_controller!`](crate::export_controller) writes into a library.
//!
//! A panic does not leave the library: the call returns its message and its place, which end the run. For this the library's own panic
//! hook is replaced when it is loaded; the one of the simulator is another.

use crate::abi;
use crate::{Answers, Controller, Parameter};
use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::ptr::null;

/// Makes a library of controllers: `export_controller!(Mine);` or, of several, `export_controller!(Mine, Yours);`.
#[macro_export]
macro_rules! export_controller {
    ($($controller:ty),+ $(,)?) => {
        /// What this library holds.
        #[unsafe(no_mangle)]
        pub extern "C" fn sawtooth_plugin() -> *const $crate::abi::Plugin {
            $crate::export::plugin(&[$($crate::export::controller::<$controller>),+])
        }
    };
}

/// What the library holds: made when it is loaded, and kept for good.
pub fn plugin(controllers: &[fn() -> abi::Controller]) -> *const abi::Plugin {
    hear_panics();
    described(controllers)
}

/// Keep the place of each panic for the message.
pub(crate) fn hear_panics() {
    set_hook(Box::new(|panic| {
        let place = panic.location().map(|place| format!(" ({}:{})", place.file(), place.line()));
        PLACE.with(|last| *last.borrow_mut() = place.unwrap_or_default());
    }));
}

/// The same within a program, whose panic hook is left alone.
pub fn described(controllers: &[fn() -> abi::Controller]) -> *const abi::Plugin {
    let controllers: Vec<abi::Controller> = controllers.iter().map(|describe| describe()).collect();
    let controllers = controllers.leak();
    Box::leak(Box::new(abi::Plugin {
        abi: abi::ABI,
        controller_count: controllers.len(),
        controllers: controllers.as_ptr(),
    }))
}

pub(crate) fn text(text: &str) -> *const c_char {
    CString::new(text.replace('\0', " ")).expect("no zero byte is left").into_raw()
}

/// Parameters as C has them, kept for good.
pub(crate) fn described_parameters(parameters: &[Parameter]) -> &'static [abi::Parameter] {
    let described = parameters.iter().map(|parameter| abi::Parameter {
        name: text(parameter.name),
        unit: text(parameter.unit),
        why: text(parameter.why),
        default_value: parameter.default.unwrap_or(f64::NAN),
        min: parameter.interval.0,
        max: parameter.interval.1,
        whole: parameter.whole,
    });
    described.collect::<Vec<_>>().leak()
}

/// A constructor with its calls.
pub fn controller<C: Controller>() -> abi::Controller {
    let described = C::DESCRIPTION;
    let parameters = described_parameters(described.parameters);
    abi::Controller {
        name: text(described.name),
        summary: text(described.summary),
        source: text(described.source),
        parameters: parameters.as_ptr(),
        parameter_count: parameters.len(),
        wants: described.wants,
        paces: described.paces,
        draws: described.draws,
        create: Some(create::<C>),
        clone: Some(clone::<C>),
        destroy: Some(destroy::<C>),
        answers: Some(answers::<C>),
        on_ack: Some(on_ack::<C>),
        on_congestion: Some(on_congestion::<C>),
        on_sent: Some(on_sent::<C>),
        on_lost: Some(on_lost::<C>),
        on_undo: Some(on_undo::<C>),
        on_idle: Some(on_idle::<C>),
        on_recovery: Some(on_recovery::<C>),
        on_round: Some(on_round::<C>),
    }
}

thread_local! {
    /// Where the last panic of this thread was, if the hook saw it.
    static PLACE: RefCell<String> = RefCell::default();
    /// Why the last call of this thread failed.
    static FAULT: RefCell<CString> = RefCell::default();
}

/// What a panic said, kept until the next one.
#[cold]
fn fault(payload: &(dyn Any + Send)) -> *const c_char {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
    let place = PLACE.with(RefCell::take);
    let message = CString::new(format!("panic: {text}{place}").replace('\0', " "));
    FAULT.with(|fault| {
        *fault.borrow_mut() = message.expect("no zero byte is left");
        fault.borrow().as_ptr()
    })
}

/// Null, or what the panic said.
#[inline(always)]
pub(crate) fn guarded(call: impl FnOnce()) -> *const c_char {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(()) => null(),
        Err(payload) => fault(payload.as_ref()),
    }
}

// Every pointer below is valid for the length of the call: the simulator promises it.

unsafe extern "C" fn create<C: Controller>(
    numbers: *const f64,
    settings: *const abi::Settings,
    controller: *mut *mut c_void,
) -> *const c_char {
    guarded(|| {
        let count = C::DESCRIPTION.parameters.len();
        let numbers = if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(numbers, count) } };
        let made = Box::new(C::new(numbers, unsafe { &*settings }));
        unsafe { *controller = Box::into_raw(made).cast() };
    })
}

unsafe extern "C" fn clone<C: Controller>(
    controller: *const c_void,
    copy: *mut *mut c_void,
) -> *const c_char {
    guarded(|| {
        let made = Box::new(unsafe { (*controller.cast::<C>()).clone() });
        unsafe { *copy = Box::into_raw(made).cast() };
    })
}

unsafe extern "C" fn destroy<C: Controller>(controller: *mut c_void) {
    // A panic while it ends ends nothing else.
    guarded(|| drop(unsafe { Box::from_raw(controller.cast::<C>()) }));
}

unsafe extern "C" fn answers<C: Controller>(
    controller: *const c_void,
    answers: *mut Answers,
) -> *const c_char {
    guarded(|| {
        let controller = unsafe { &*controller.cast::<C>() };
        let found = Answers {
            window: controller.window(),
            slow_start_threshold: controller.slow_start_threshold(),
            pacing_rate: controller.pacing_rate().map_or(0.0, |rate| if rate == 0.0 { -1.0 } else { rate }),
            send_quantum: controller.send_quantum(),
            mark_application_limited: controller.mark_application_limited(),
        };
        // One by one: window and threshold, read as one value of 16 bytes, would wait until the window that was just written is in memory.
        unsafe {
            (&raw mut (*answers).window).write_volatile(found.window);
            (&raw mut (*answers).slow_start_threshold).write_volatile(found.slow_start_threshold);
            (*answers).pacing_rate = found.pacing_rate;
            (*answers).send_quantum = found.send_quantum;
            (*answers).mark_application_limited = found.mark_application_limited;
        }
    })
}

macro_rules! calls {
    ($($name:ident($($argument:ident: $type:ty $(=> $given:expr)?),*);)*) => {
        $(unsafe extern "C" fn $name<C: Controller>(controller: *mut c_void, $($argument: $type),*) -> *const c_char {
            guarded(|| unsafe { (*controller.cast::<C>()).$name($(calls!(@ $argument $(=> $given)?)),*) })
        })*
    };
    (@ $argument:ident => $given:expr) => { $given };
    (@ $argument:ident) => { $argument };
}

calls! {
    on_ack(ack: *const abi::Ack => &*ack);
    on_congestion(signal: *const abi::Congestion => &*signal);
    on_sent(packet: *const abi::Packet => &*packet);
    on_lost(now_ns: u64, packet: *const abi::Packet => &*packet, lost: u64);
    on_undo(undo: *const abi::Undo => &*undo);
    on_idle(now_ns: u64, since_ns: u64);
    on_recovery(now_ns: u64, entered: bool, in_flight: u64);
    on_round(now_ns: u64);
}
