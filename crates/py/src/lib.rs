//! The extension module `sawtooth._native`: scenarios in once, columns out once.

mod columns;
mod conformance;
mod plugins;
mod python_controller;
mod told;

use plugins::{PluginError, fault_of, loaded};
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sawtooth_cc::units::Time;
use sawtooth_cc::{ControllerSpec, Rounds, Stepping};
use sawtooth_sim::arrivals::{self as processes, Arrivals};
use sawtooth_sim::queue::DISCIPLINES;
use sawtooth_sim::random::Stream;
use sawtooth_sim::scenario::ArrivalSchedule;
use sawtooth_sim::tcp::RECOVERIES;
use sawtooth_sim::{ENGINE_VERSION, Progress, Records, Scenario, identity, table};
use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

create_exception!(
    _native,
    EngineError,
    PyRuntimeError,
    "A bug inside the engine; names the run so that it can be replayed."
);

/// How often a running simulation looks for Ctrl-C.
const SIGNAL_CHECK: Duration = Duration::from_millis(50);

fn parse_scenario(text: &str) -> PyResult<Scenario> {
    Scenario::from_json(text).map_err(|error| PyValueError::new_err(format!("scenario: {error}")))
}

/// A scenario with the code of its plug-ins, ready to be run.
fn checked_scenario(text: &str) -> PyResult<Scenario> {
    let mut scenario = parse_scenario(text)?;
    let bound = scenario.bind(&loaded()).and_then(|()| scenario.check());
    bound.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(scenario)
}

/// Versions of package and engine, and how this module was built.
#[pyfunction]
fn version(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let version = PyDict::new(py);
    version.set_item("version", env!("CARGO_PKG_VERSION"))?;
    version.set_item("engine", ENGINE_VERSION)?;
    version.set_item("profile", if cfg!(debug_assertions) { "debug" } else { "release" })?;
    version.set_item("rustc", env!("SAWTOOTH_RUSTC"))?;
    version.set_item("target", env!("SAWTOOTH_TARGET"))?;
    Ok(version)
}

/// Everything there is, as plain data: controllers, recoveries, disciplines and TCP settings.
#[pyfunction]
fn describe(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    py.import("json")?.call_method1("loads", (sawtooth_sim::describe::describe(&loaded()).to_string(),))
}

/// Resolve a controller, written as text or as a JSON object, to plain numbers as JSON.
#[pyfunction]
fn controller(text: &str) -> PyResult<String> {
    let spec = controller_spec(text)?;
    Ok(serde_json::to_string(&spec).expect("plain data"))
}

/// The synchronous model: one controller and one window per flow, one capacity in packets per round, no network.
///
/// Runs until so many rounds of congestion or so many rounds in all. Gives the columns `windows` (every flow's window at the
/// start and after each round, flow by flow within a round) and `congested` (one mark per round).
#[pyfunction]
#[pyo3(signature = (controllers, windows, capacity, decreases, rounds_max, acks = false))]
fn rounds<'py>(
    py: Python<'py>,
    controllers: Vec<String>,
    windows: Vec<f64>,
    capacity: f64,
    decreases: u64,
    rounds_max: u64,
    acks: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let invalid = |message: String| PyValueError::new_err(message);
    if controllers.len() != windows.len() || windows.is_empty() {
        let (controllers, windows) = (controllers.len(), windows.len());
        return Err(invalid(format!(
            "windows: {windows} given for {controllers} controllers; expected one each, at least one"
        )));
    }
    if !(capacity > 0.0 && capacity.is_finite()) {
        return Err(invalid(format!("capacity = {capacity}: expected a positive number of packets")));
    }
    let mut flows = Vec::with_capacity(windows.len());
    for (text, &window) in controllers.iter().zip(&windows) {
        if !(window >= 1.0 && window.is_finite()) {
            return Err(invalid(format!("windows = {window}: expected at least 1 packet")));
        }
        let spec = controller_spec(text)?;
        if !spec.properties().window {
            return Err(invalid(format!("controller \"{text}\": it has a rate; expected one with a window")));
        }
        if !spec.properties().conduct {
            return Err(invalid(format!(
                "controller \"{text}\": it has a model; expected a law of the window"
            )));
        }
        flows.push((spec, window));
    }
    let model = || {
        let mut model = Rounds::new(&flows, capacity, if acks { Stepping::Acks } else { Stepping::Whole });
        let (mut trace, mut congested, mut seen) = (Vec::from_iter(model.windows()), Vec::new(), 0);
        while seen < decreases && model.round() < rounds_max {
            let now = model.step();
            seen += u64::from(now);
            congested.push(now);
            trace.extend(model.windows());
        }
        (trace, congested)
    };
    let outcome = py.detach(|| catch_unwind(AssertUnwindSafe(model)));
    let (trace, congested) = outcome.map_err(|panic| match fault_of(panic.as_ref()) {
        Some(fault) => PluginError::new_err((fault.to_string(), "", "")),
        None => EngineError::new_err(format!("synchronous model: {}", panic_message(panic.as_ref()))),
    })?;
    columns::rounds(py, &trace, &congested)
}

fn controller_spec(text: &str) -> PyResult<ControllerSpec> {
    if text.trim_start().starts_with('{') { controller_table(text) } else { controller_text(text) }
}

fn controller_text(text: &str) -> PyResult<ControllerSpec> {
    loaded().parse(text).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn controller_table(text: &str) -> PyResult<ControllerSpec> {
    let invalid = |message: String| PyValueError::new_err(message);
    let table: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(text).map_err(|error| invalid(format!("controller: {error}")))?;
    let kind = table.get("kind").and_then(|kind| kind.as_str());
    let kind =
        kind.ok_or_else(|| invalid("controller.kind: expected the name of a controller".to_owned()))?;
    let mut given = Vec::new();
    for (name, value) in table.iter().filter(|(name, _)| *name != "kind") {
        let number = value
            .as_f64()
            .ok_or_else(|| invalid(format!("controller.{name} = {value}: expected a number")))?;
        given.push((name.clone(), number));
    }
    loaded().named(kind, &given).map_err(|error| invalid(error.to_string()))
}

/// The canonical name of a loss recovery.
#[pyfunction]
fn recovery(text: &str) -> PyResult<&'static str> {
    let name = text.trim().to_ascii_lowercase();
    let found = RECOVERIES.iter().find(|row| row.name == name || row.aliases.contains(&name.as_str()));
    found.map(|row| row.name).ok_or_else(|| {
        let names: Vec<_> = RECOVERIES.iter().map(|row| row.name).collect();
        PyValueError::new_err(format!("recovery \"{text}\": expected one of {}", names.join(", ")))
    })
}

/// The canonical name of a queue discipline.
#[pyfunction]
fn discipline(text: &str) -> PyResult<&'static str> {
    let name = text.trim().to_ascii_lowercase();
    let found = DISCIPLINES.iter().find(|row| row.name == name || row.aliases.contains(&name.as_str()));
    found.map(|row| row.name).ok_or_else(|| {
        let names: Vec<_> = DISCIPLINES.iter().map(|row| row.name).collect();
        PyValueError::new_err(format!("queue \"{text}\": expected one of {}", names.join(", ")))
    })
}

/// The first `count` numbers, uniform in [0, 1), of a named random stream.
#[pyfunction]
fn uniforms(seed: &str, stream: &str, count: usize) -> Vec<f64> {
    let mut stream = Stream::new(seed, stream);
    (0..count).map(|_| stream.uniform()).collect()
}

/// The flows of a process of short flows that start before `end_ns`, as a run draws them: the columns `start_ns` and `packets`.
///
/// `schedule` is that of the engine's scenario, as JSON.
#[pyfunction]
fn arrivals<'py>(
    py: Python<'py>,
    seed: &str,
    name: &str,
    schedule: &str,
    end_ns: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let schedule: ArrivalSchedule = serde_json::from_str(schedule)
        .map_err(|error| PyValueError::new_err(format!("schedule: {error}")))?;
    schedule.check("schedule").map_err(|error| PyValueError::new_err(error.to_string()))?;
    let end = Time::from_nanos(end_ns);
    let flows = Arrivals::new(seed, name, &schedule).take_while(|flow| flow.start < end).collect::<Vec<_>>();
    columns::schedule(py, &flows)
}

/// The mean length of the flows of a drawn process in whole packets, if the distribution of lengths has this mean and shape before
/// rounding.
#[pyfunction]
fn mean_packets(packets_mean: f64, packets_shape: f64) -> f64 {
    processes::mean_packets(packets_mean, packets_shape)
}

/// The identity that a run of this will have (`run_id`). Raise ValueError naming the field, its value and what is accepted, if the engine
/// cannot run it.
#[pyfunction]
fn check(scenario: &str) -> PyResult<String> {
    Ok(identity::run_id(&checked_scenario(scenario)?))
}

/// The identity of a run: hash of the canonical scenario and of the behaviour numbers of what it uses.
#[pyfunction]
fn run_id(scenario: &str) -> PyResult<String> {
    Ok(identity::run_id(&parse_scenario(scenario)?))
}

/// What a scenario uses, with the behaviour number of each: `core`, `law/linear`, `recovery/sack`, `queue/droptail`.
#[pyfunction]
fn behaviour(scenario: &str) -> PyResult<BTreeMap<String, u32>> {
    Ok(identity::behaviour(&parse_scenario(scenario)?))
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

/// Run on a thread of its own while this one lets Python breathe and watches for Ctrl-C. Messages name the run.
fn run_watched(py: Python<'_>, scenario: Scenario, id: &str) -> PyResult<Records> {
    let seed = scenario.seed.clone();
    let progress = Arc::new(Progress::default());
    let (sender, receiver) = channel();
    let watched = Arc::clone(&progress);
    let thread = std::thread::spawn(move || {
        let simulate = || catch_unwind(AssertUnwindSafe(|| sawtooth_sim::run_watched(scenario, &watched)));
        let outcome = plugins::known_to_python(simulate);
        // The receiver is gone only if the run was stopped; then nobody wants the outcome.
        let _ = sender.send(outcome);
    });
    let mut receiver = receiver;
    let outcome = loop {
        let waited;
        (receiver, waited) = py.detach(move || {
            let waited = receiver.recv_timeout(SIGNAL_CHECK);
            (receiver, waited)
        });
        match waited {
            Ok(outcome) => break outcome,
            Err(RecvTimeoutError::Timeout) => {
                if let Err(signal) = py.check_signals() {
                    progress.stop.store(true, Ordering::Relaxed);
                    py.detach(|| thread.join()).ok();
                    return Err(signal);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(EngineError::new_err("the run's thread ended without a word"));
            }
        }
    };
    match outcome {
        Ok(Ok(Some(records))) => Ok(records),
        Ok(Ok(None)) => Err(PyKeyboardInterrupt::new_err("the run was stopped")),
        Ok(Err(error)) => Err(PyValueError::new_err(error.to_string())),
        Err(panic) => {
            let now = progress.now_ns.load(Ordering::Relaxed);
            if let Some(fault) = fault_of(panic.as_ref()) {
                return Err(PluginError::new_err((fault.to_string(), id.to_owned(), seed)));
            }
            let message = panic_message(panic.as_ref());
            Err(EngineError::new_err(format!("run {id}, seed {seed}, virtual time {now} ns: {message}")))
        }
    }
}

/// Run a scenario. The interpreter is released meanwhile.
#[pyfunction]
fn run<'py>(py: Python<'py>, scenario: &str) -> PyResult<Bound<'py, PyDict>> {
    let scenario = checked_scenario(scenario)?;
    let (id, duration_ns) = (identity::run_id(&scenario), scenario.duration_ns);
    let result = PyDict::new(py);
    result.set_item("run_id", &id)?;
    result.set_item("behaviour", identity::behaviour(&scenario))?;
    let records = run_watched(py, scenario, &id)?;
    let tables = records.tables();
    result.set_item("digest", table::digest(&tables))?;
    result.set_item("tables", columns::tables(py, &tables)?)?;
    result.set_item("summary", columns::summary(py, &records.account, duration_ns)?)?;
    Ok(result)
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("EngineError", module.py().get_type::<EngineError>())?;
    module.add("PluginError", module.py().get_type::<PluginError>())?;
    module.add_function(wrap_pyfunction!(plugins::load_library, module)?)?;
    module.add_function(wrap_pyfunction!(plugins::add_classes, module)?)?;
    module.add_function(wrap_pyfunction!(plugins::python_calls, module)?)?;
    module.add_function(wrap_pyfunction!(plugins::plugin_sources, module)?)?;
    module.add_function(wrap_pyfunction!(conformance::check_controller, module)?)?;
    module.add_function(wrap_pyfunction!(conformance::play_script, module)?)?;
    module.add_function(wrap_pyfunction!(version, module)?)?;
    module.add_function(wrap_pyfunction!(describe, module)?)?;
    module.add_function(wrap_pyfunction!(controller, module)?)?;
    module.add_function(wrap_pyfunction!(recovery, module)?)?;
    module.add_function(wrap_pyfunction!(discipline, module)?)?;
    module.add_function(wrap_pyfunction!(uniforms, module)?)?;
    module.add_function(wrap_pyfunction!(arrivals, module)?)?;
    module.add_function(wrap_pyfunction!(mean_packets, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(run_id, module)?)?;
    module.add_function(wrap_pyfunction!(behaviour, module)?)?;
    module.add_function(wrap_pyfunction!(rounds, module)?)?;
    module.add_function(wrap_pyfunction!(run, module)?)?;
    Ok(())
}
