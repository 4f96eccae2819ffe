//! The plug-ins of this process: those that somebody asked for, by name or by file. Nothing else loads any.

use crate::python_controller::{Described, PythonPlugin};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use sawtooth_cc::plugin::Plugin;
use sawtooth_cc::{PluginFault, Plugins};
use std::any::Any;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};

create_exception!(
    _native,
    PluginError,
    PyException,
    "A plug-in did what no run can go on from: what it did, then run id and seed, which are empty outside runs."
);

/// What a plug-in did, if that is what unwound.
pub fn fault_of(panic: &(dyn Any + Send)) -> Option<&PluginFault> {
    panic.downcast_ref()
}

static LOADED: RwLock<Plugins> = RwLock::new(Plugins::NONE);
/// Those of them that are written in Python, in the order in which they came.
static IN_PYTHON: RwLock<Vec<&'static PythonPlugin>> = RwLock::new(Vec::new());

/// What is at hand now.
pub fn loaded() -> Plugins {
    LOADED.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The file that each came from; a class that stands in none is not here.
static ORIGINS: Mutex<BTreeMap<&'static str, PathBuf>> = Mutex::new(BTreeMap::new());

/// All of them or, if one is refused, none. A name belongs to one file, which may be loaded again when it has changed: of two files with
/// the same name nobody could say which is meant.
fn add(found: &[&'static dyn Plugin], origin: Option<&Path>) -> PyResult<Vec<(String, String)>> {
    let mut held = LOADED.write().unwrap_or_else(PoisonError::into_inner);
    let mut origins = ORIGINS.lock().unwrap_or_else(PoisonError::into_inner);
    let mut joined = held.clone();
    for (index, &plugin) in found.iter().enumerate() {
        let name = plugin.info().name;
        let other = origins.get(name).filter(|other| origin.is_some_and(|origin| origin != *other));
        let other = other.map(|other| other.display().to_string());
        let twice = found[..index].iter().any(|earlier| earlier.info().name == name);
        if let Some(other) = other.or(twice.then(|| "this file".to_owned())) {
            return Err(PyValueError::new_err(format!(
                "{name}: expected a name of its own; {other} has one of this name"
            )));
        }
        joined.add(plugin).map_err(|error| PyValueError::new_err(error.to_string()))?;
    }
    for plugin in found {
        let name = plugin.info().name;
        match origin {
            Some(origin) => origins.insert(name, origin.to_owned()),
            None => origins.remove(name),
        };
    }
    *held = joined;
    Ok(found.iter().map(|plugin| (plugin.info().name.to_owned(), plugin.file().to_owned())).collect())
}

/// Load a shared library: names of its controllers, each with the SHA-256 of the file.
#[pyfunction]
pub fn load_library(path: PathBuf) -> PyResult<Vec<(String, String)>> {
    let found = sawtooth_host::load(&path).map_err(|error| PyValueError::new_err(error.to_string()))?;
    add(&found, Some(&path.canonicalize()?))
}

/// Take classes of Python for controllers: those of one file, or one that stands in none.
#[pyfunction]
#[pyo3(signature = (classes, origin=None))]
pub fn add_classes(
    classes: Vec<(Bound<'_, PyAny>, Described)>,
    origin: Option<PathBuf>,
) -> PyResult<Vec<(String, String)>> {
    let made = classes.into_iter().map(|(class, described)| PythonPlugin::new(&class, described));
    let plugins: Vec<&'static PythonPlugin> = made.collect::<PyResult<_>>()?;
    let found: Vec<&'static dyn Plugin> = plugins.iter().map(|&plugin| plugin as _).collect();
    let named = add(&found, origin.map(|path| path.canonicalize()).transpose()?.as_deref())?;
    IN_PYTHON.write().unwrap_or_else(PoisonError::into_inner).extend(plugins);
    Ok(named)
}

/// Do this on a thread that the interpreter knows, if controllers are written in Python: each of their calls would make it known anew,
/// which takes longer than the call. The interpreter is released meanwhile.
pub fn known_to_python<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if IN_PYTHON.read().unwrap_or_else(PoisonError::into_inner).is_empty() {
        return work();
    }
    Python::attach(|py| py.detach(work))
}

/// What the calls of controllers written in Python took so far: name, calls, nanoseconds.
#[pyfunction]
pub fn python_calls() -> Vec<(String, u64, u64)> {
    let plugins = IN_PYTHON.read().unwrap_or_else(PoisonError::into_inner);
    let rows = plugins.iter().map(|plugin| {
        let (calls, nanos) = plugin.cost().so_far();
        (plugin.info().name.to_owned(), calls, nanos)
    });
    rows.filter(|(_, calls, _)| *calls > 0).collect()
}

/// Text of the files that a project of one's own is built with, by their paths in the crate `sawtooth-plugin`.
#[pyfunction]
pub fn plugin_sources() -> Vec<(&'static str, &'static str)> {
    sawtooth_host::PLUGIN_SOURCES.to_vec()
}
