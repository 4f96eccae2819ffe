//! Controllers written in Python: a class whose methods are the calls of `sawtooth.h`, for prototypes.
//!
//! Every call takes the interpreter, makes an object of what happened, and asks for the answers: about a microsecond, where a compiled
//! plug-in takes some nanoseconds, and runs of several threads take turns. What that came to is counted, for the user to see.

use crate::told;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use sawtooth_cc::plugin::{Answers, Call, Outcome, Plugin, PluginController, unnamed};
use sawtooth_cc::{ConstructorInfo, ControlSettings, ParameterInfo, Properties, Recovery, Wants};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// What its calls took so far.
#[derive(Debug, Default)]
pub struct Cost {
    calls: AtomicU64,
    nanos: AtomicU64,
}

impl Cost {
    /// Calls, and nanoseconds that these took, waiting for the interpreter included.
    pub fn so_far(&self) -> (u64, u64) {
        (self.calls.load(Ordering::Relaxed), self.nanos.load(Ordering::Relaxed))
    }

    fn add(&self, since: Instant) {
        let nanos = u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.nanos.fetch_add(nanos, Ordering::Relaxed);
    }
}

/// Methods that a class may leave out, and whether this one did.
#[derive(Clone, Copy, Debug)]
struct Has {
    on_sent: bool,
    on_lost: bool,
    on_undo: bool,
    on_idle: bool,
    on_recovery: bool,
    on_round: bool,
    slow_start_threshold: bool,
    pacing_rate: bool,
    send_quantum: bool,
    mark_application_limited: bool,
}

/// What a class says of itself, as Python hands it in.
#[derive(FromPyObject)]
pub struct Described {
    name: String,
    summary: String,
    source: String,
    parameters: Vec<Parameter>,
    packets: bool,
    rates: bool,
    rounds: bool,
    recovery: bool,
    paces: bool,
    draws: bool,
    file: String,
}

#[derive(FromPyObject)]
struct Parameter {
    name: String,
    unit: String,
    default: Option<f64>,
    min: f64,
    max: f64,
    whole: bool,
    why: String,
}

/// The constructor of a class.
#[derive(Debug)]
pub struct PythonPlugin {
    info: ConstructorInfo,
    file: String,
    properties: Properties,
    wants: Wants,
    class: AssertUnwindSafe<Py<PyAny>>,
    has: Has,
    cost: Arc<Cost>,
}

fn kept(text: String) -> &'static str {
    text.leak()
}

impl PythonPlugin {
    /// Of a class and what it says of itself; it stays for the life of the process.
    pub fn new(class: &Bound<'_, PyAny>, described: Described) -> PyResult<&'static Self> {
        let has = |name| class.hasattr(name);
        let has = Has {
            on_sent: has("on_sent")?,
            on_lost: has("on_lost")?,
            on_undo: has("on_undo")?,
            on_idle: has("on_idle")?,
            on_recovery: has("on_recovery")?,
            on_round: has("on_round")?,
            slow_start_threshold: has("slow_start_threshold")?,
            pacing_rate: has("pacing_rate")?,
            send_quantum: has("send_quantum")?,
            mark_application_limited: has("mark_application_limited")?,
        };
        let Described { packets, rates, rounds, recovery, paces, draws, .. } = described;
        let parameters = described.parameters.into_iter().map(|from| ParameterInfo {
            name: kept(from.name),
            unit: kept(from.unit),
            default: from.default,
            min: from.min,
            max: from.max,
            whole: from.whole,
            why: kept(from.why),
        });
        let info = ConstructorInfo {
            name: kept(described.name),
            aliases: &[],
            summary: kept(described.summary),
            source: kept(described.source),
            parameters: parameters.collect::<Vec<_>>().leak(),
            build: unnamed,
        };
        let wants = Wants { packets, rates, rounds, recovery };
        let properties = Properties { pacing_rate: paces, random: draws, ..Properties::WINDOW };
        let class = AssertUnwindSafe(class.clone().unbind());
        let (file, cost) = (described.file, Arc::default());
        Ok(Box::leak(Box::new(PythonPlugin { info, file, properties, wants, class, has, cost })))
    }

    /// What its calls took so far.
    pub fn cost(&self) -> &Cost {
        &self.cost
    }
}

/// What an exception says, and where it was raised.
#[cold]
fn fault(py: Python<'_>, error: &PyErr) -> Box<str> {
    let mut place = String::new();
    let mut next = error.traceback(py).map(|trace| trace.into_any());
    while let Some(trace) = next.filter(|trace| !trace.is_none()) {
        let line = trace.getattr("tb_lineno").and_then(|line| line.extract::<u32>());
        let file = trace.getattr("tb_frame").and_then(|frame| frame.getattr("f_code"));
        let file =
            file.and_then(|code| code.getattr("co_filename")).and_then(|name| name.extract::<String>());
        if let (Ok(line), Ok(file)) = (line, file) {
            let name = file.rsplit('/').next().unwrap_or_default();
            place = format!(" ({name}:{line})");
        }
        next = trace.getattr("tb_next").ok();
    }
    let kind = error.get_type(py).name().map_or_else(|_| "exception".to_owned(), |name| name.to_string());
    let said = error.value(py).to_string();
    let said = said.lines().next().unwrap_or_default();
    format!("{kind}: {said}{place}").into()
}

impl Plugin for PythonPlugin {
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
        Python::attach(|py| {
            let made = self.class.call1(py, (numbers.to_vec(), told::Settings::of(settings)));
            let object = made.map_err(|error| fault(py, &error))?;
            let cost = Arc::clone(&self.cost);
            Ok(Box::new(PythonController { object, has: self.has, cost }) as Box<_>)
        })
    }
}

/// What a method answers, or an exception that names it and what would be accepted.
#[inline]
fn answer<'py, T: for<'a> FromPyObject<'a, 'py>>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
    expected: &str,
) -> PyResult<T> {
    let given = object.call_method0(name)?;
    given.extract().map_err(|_| PyTypeError::new_err(format!("{name}() gave {given:?}: expected {expected}")))
}

/// An object of such a class.
#[derive(Debug)]
struct PythonController {
    object: Py<PyAny>,
    has: Has,
    cost: Arc<Cost>,
}

impl PythonController {
    /// Calls the interpreter, counts it, and makes a fault of an exception.
    fn timed<T>(&self, call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> Result<T, Box<str>> {
        let since = Instant::now();
        let found = Python::attach(|py| call(self.object.bind(py)).map_err(|error| fault(py, &error)));
        self.cost.add(since);
        found
    }

    /// Tells the object; says whether it has a method for this.
    fn tell(&self, object: &Bound<'_, PyAny>, call: Call<'_>) -> PyResult<bool> {
        let (py, has) = (object.py(), self.has);
        let told = match call {
            Call::Ack(ack) => object.call_method1(intern!(py, "on_ack"), (told::Ack::of(ack),)),
            Call::Congestion(signal) => {
                object.call_method1(intern!(py, "on_congestion"), (told::Congestion::of(signal),))
            }
            Call::Sent(packet) if has.on_sent => {
                object.call_method1(intern!(py, "on_sent"), (told::Packet::of(packet),))
            }
            Call::Lost(packet) if has.on_lost => {
                let (now, lost) = (packet.now.nanos(), packet.lost.count());
                object.call_method1(intern!(py, "on_lost"), (now, told::Packet::of(&packet.sent), lost))
            }
            Call::Undo(signal) if has.on_undo => {
                object.call_method1(intern!(py, "on_undo"), (told::Undo::of(signal),))
            }
            Call::Idle(signal) if has.on_idle => {
                object.call_method1(intern!(py, "on_idle"), (signal.now.nanos(), signal.since.nanos()))
            }
            Call::Recovery(signal) if has.on_recovery => {
                let entered = signal.change == Recovery::Entered;
                let told = (signal.now.nanos(), entered, signal.in_flight.count());
                object.call_method1(intern!(py, "on_recovery"), told)
            }
            Call::Round(now) if has.on_round => object.call_method1(intern!(py, "on_round"), (now.nanos(),)),
            _ => return Ok(false),
        };
        told.map(|_| true)
    }

    /// What the object answers now.
    fn asked(&self, object: &Bound<'_, PyAny>, answers: &mut Answers) -> PyResult<()> {
        let (py, has) = (object.py(), self.has);
        answers.window = answer(object, intern!(py, "window"), "a number")?;
        if has.slow_start_threshold {
            let name = intern!(py, "slow_start_threshold");
            answers.slow_start_threshold = answer(object, name, "a number")?;
        }
        if has.pacing_rate {
            let rate: Option<f64> = answer(object, intern!(py, "pacing_rate"), "a number, or None")?;
            // No rate is what 0 stands for; a rate of 0 is out of bounds.
            answers.pacing_rate = rate.map_or(0.0, |rate| if rate == 0.0 { -1.0 } else { rate });
        }
        if has.send_quantum {
            answers.send_quantum = answer(object, intern!(py, "send_quantum"), "a whole number of bytes")?;
        }
        if has.mark_application_limited {
            let name = intern!(py, "mark_application_limited");
            answers.mark_application_limited = answer(object, name, "True or False")?;
        }
        Ok(())
    }
}

impl PluginController for PythonController {
    fn call(&mut self, call: Call<'_>, answers: &mut Answers) -> Outcome {
        self.timed(|object| if self.tell(object, call)? { self.asked(object, answers) } else { Ok(()) })
    }

    fn answers(&self, answers: &mut Answers) -> Outcome {
        self.timed(|object| self.asked(object, answers))
    }

    fn copy(&self) -> Result<Box<dyn PluginController>, Box<str>> {
        let copied = |object: &Bound<'_, PyAny>| {
            object.py().import("copy")?.call_method1("deepcopy", (object,)).map(Bound::unbind)
        };
        let object = self.timed(copied)?;
        Ok(Box::new(PythonController { object, has: self.has, cost: Arc::clone(&self.cost) }))
    }

    fn takes_rounds(&self) -> bool {
        self.has.on_round
    }
}
