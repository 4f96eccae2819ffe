//! What every controller is held to, for Python: verdicts and answers as JSON.

use crate::controller_spec;
use crate::plugins::{PluginError, fault_of};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sawtooth_cc::conformance::{Script, check, play};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Hold a controller to every rule: a list of verdicts.
#[pyfunction]
pub fn check_controller(py: Python<'_>, text: &str) -> PyResult<String> {
    let spec = controller_spec(text)?;
    let verdicts = py.detach(|| check(&spec));
    Ok(serde_json::to_string(&verdicts).expect("plain data"))
}

/// What a controller answers after each line of a script: a list of pairs, the line and the answers. It has no protocol of its own.
#[pyfunction]
pub fn play_script(py: Python<'_>, text: &str, script: &str) -> PyResult<String> {
    let spec = controller_spec(text)?;
    if spec.properties().own_transport {
        let message = format!("controller \"{text}\": expected one without a transport protocol of its own");
        return Err(PyValueError::new_err(message));
    }
    let script: Script = script.parse().map_err(|error| PyValueError::new_err(format!("{error}")))?;
    let played = py.detach(|| catch_unwind(AssertUnwindSafe(|| play(&spec, &script))));
    let played = played.or_else(|panic| match fault_of(panic.as_ref()) {
        Some(fault) => Err(PluginError::new_err((fault.to_string(), "", ""))),
        None => resume_unwind(panic),
    })?;
    let rows = script.actions.iter().zip(&played);
    let rows: Vec<Value> =
        rows.map(|(action, answered)| json!({ "line": action.to_string(), "answers": answered })).collect();
    Ok(Value::from(rows).to_string())
}
