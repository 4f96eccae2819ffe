//! A shared library: loading it, and reading what it says of itself.

use crate::endpoint::NativeStack;
use crate::native::Native;
use libloading::Library;
use sawtooth_cc::plugin::{Plugin, unnamed};
use sawtooth_cc::{ConstructorInfo, ParameterInfo};
use sawtooth_plugin::{abi, endpoint_abi};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Why a library gives no plug-ins.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be read.
    #[error("expected a file that can be read: {0}")]
    Unreadable(std::io::Error),
    /// It is no shared library of this machine.
    #[error("expected a shared library: {}", said(.0))]
    NoLibrary(libloading::Error),
    /// It offers no plug-in.
    #[error("expected a library with the function sawtooth_plugin or sawtooth_endpoints (sawtooth.h)")]
    NoPlugin,
    /// It was made for another version of the interface.
    #[error("expected version {wanted} of the interface of {offer} (sawtooth.h); this library has {found}")]
    OtherVersion {
        /// What it is for: controllers or endpoints.
        offer: &'static str,
        /// The version here.
        wanted: u32,
        /// Its version.
        found: u32,
    },
    /// What it says of itself is incomplete.
    #[error("{offer} {index} of the library: expected {expected}")]
    Incomplete {
        /// What it is.
        offer: &'static str,
        /// Which of these.
        index: usize,
        /// What is missing.
        expected: &'static str,
    },
}

/// The plug-ins of a library. Its code runs from here on; what it holds stays for the life of the process.
///
/// # Errors
/// A file that is no such library, or one that describes its controllers badly.
pub fn load(path: &Path) -> Result<Vec<&'static dyn Plugin>, LoadError> {
    let bytes = std::fs::read(path).map_err(LoadError::Unreadable)?;
    let file: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    // A bare name would be looked for in the system's directories.
    let path = path.canonicalize().map_err(LoadError::Unreadable)?;
    let library: &'static Library = Box::leak(Box::new(opened(path, &file)?));
    let offered = unsafe { library.get::<unsafe extern "C" fn() -> *const abi::Plugin>(b"sawtooth_plugin") };
    let stacks = unsafe {
        library.get::<unsafe extern "C" fn() -> *const endpoint_abi::Endpoints>(b"sawtooth_endpoints")
    };
    let mut found = Vec::new();
    if offered.is_err() && stacks.is_err() {
        return Err(LoadError::NoPlugin);
    }
    if let Ok(offered) = offered {
        found.extend(unsafe { plugins(offered(), &file) }?);
    }
    if let Ok(stacks) = stacks {
        found.extend(unsafe { endpoints(stacks(), &file) }?);
    }
    Ok(found)
}

/// What the system says: the reason stands in the source of the error.
fn said(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// The hash of what was first loaded from each path.
static OPENED: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());

/// The library at a path, whose contents have this hash.
fn opened(path: PathBuf, file: &str) -> Result<Library, LoadError> {
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    let first = opened.entry(path.clone()).or_insert_with(|| file.to_owned());
    if first == file {
        return unsafe { Library::new(path) }.map_err(LoadError::NoLibrary);
    }
    // It was built anew: by its old name the system would give out what it has loaded before.
    let copy = std::env::temp_dir().join(format!("sawtooth-{}-{file}", std::process::id()));
    std::fs::copy(&path, &copy).map_err(LoadError::Unreadable)?;
    let library = unsafe { Library::new(&copy) }.map_err(LoadError::NoLibrary);
    std::fs::remove_file(copy).map_err(LoadError::Unreadable)?;
    library
}

/// The plug-ins of a description; `file` is the SHA-256 of what it came from.
///
/// # Safety
/// The pointer is null, or to a description as [`abi`] has it, which stays for the life of the process.
///
/// # Errors
/// A description of another version, or an incomplete one.
pub unsafe fn plugins(
    offered: *const abi::Plugin,
    file: &str,
) -> Result<Vec<&'static dyn Plugin>, LoadError> {
    let offered = unsafe { offered.as_ref() }.ok_or(LoadError::NoPlugin)?;
    if offered.abi != abi::ABI {
        let offer = "controllers";
        return Err(LoadError::OtherVersion { offer, wanted: abi::ABI, found: offered.abi });
    }
    let controllers: &'static [abi::Controller] =
        unsafe { slice(offered.controllers, offered.controller_count) };
    if controllers.is_empty() {
        let (offer, expected) = ("controller", "at least one controller");
        return Err(LoadError::Incomplete { offer, index: 0, expected });
    }
    let plugins = controllers.iter().enumerate().map(|(index, controller)| {
        let native = described(controller, file);
        let offer = "controller";
        let native = native.map_err(|expected| LoadError::Incomplete { offer, index, expected })?;
        Ok(Box::leak(Box::new(native)) as &'static dyn Plugin)
    });
    plugins.collect()
}

/// The endpoints of a description; `file` is the SHA-256 of what it came from.
///
/// # Safety
/// The pointer is null, or to a description as [`endpoint_abi`] has it, which stays for the life of the process.
///
/// # Errors
/// A description of another version, or an incomplete one.
pub unsafe fn endpoints(
    offered: *const endpoint_abi::Endpoints,
    file: &str,
) -> Result<Vec<&'static dyn Plugin>, LoadError> {
    let offered = unsafe { offered.as_ref() }.ok_or(LoadError::NoPlugin)?;
    let (wanted, found) = (endpoint_abi::ENDPOINT_ABI, offered.abi);
    if found != wanted {
        return Err(LoadError::OtherVersion { offer: "endpoints", wanted, found });
    }
    let offer = "endpoint";
    let endpoints: &'static [endpoint_abi::Endpoint] =
        unsafe { slice(offered.endpoints, offered.endpoint_count) };
    if endpoints.is_empty() {
        return Err(LoadError::Incomplete { offer, index: 0, expected: "at least one endpoint" });
    }
    let plugins = endpoints.iter().enumerate().map(|(index, endpoint)| {
        let stack = described_endpoint(endpoint, file);
        let stack = stack.map_err(|expected| LoadError::Incomplete { offer, index, expected })?;
        Ok(Box::leak(Box::new(stack)) as &'static dyn Plugin)
    });
    plugins.collect()
}

/// # Safety
/// The pointer is null, or to so many values that stay.
unsafe fn slice<T>(first: *const T, count: usize) -> &'static [T] {
    if first.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(first, count) } }
}

fn described(controller: &'static abi::Controller, file: &str) -> Result<Native, &'static str> {
    let parameters = unsafe { parameters(controller.parameters, controller.parameter_count) }?;
    let info = constructor([controller.name, controller.summary, controller.source], parameters)?;
    Native::new(info, file.to_owned(), controller)
}

fn described_endpoint(
    endpoint: &'static endpoint_abi::Endpoint,
    file: &str,
) -> Result<NativeStack, &'static str> {
    let parameters = unsafe { parameters(endpoint.parameters, endpoint.parameter_count) }?;
    let info = constructor([endpoint.name, endpoint.summary, endpoint.source], parameters)?;
    NativeStack::new(info, file.to_owned(), endpoint)
}

/// # Safety
/// The pointer is null, or to so many parameters that stay.
unsafe fn parameters(
    first: *const abi::Parameter,
    count: usize,
) -> Result<&'static [ParameterInfo], &'static str> {
    let given = unsafe { slice(first, count) };
    if given.len() != count {
        return Err("parameters");
    }
    let parameters: Result<Vec<ParameterInfo>, &'static str> = given.iter().map(parameter).collect();
    Ok(parameters?.leak())
}

fn constructor(
    [name, summary, source]: [*const c_char; 3],
    parameters: &'static [ParameterInfo],
) -> Result<ConstructorInfo, &'static str> {
    Ok(ConstructorInfo {
        name: text(name, "a name in UTF-8")?,
        aliases: &[],
        summary: text(summary, "a summary in UTF-8")?,
        source: text(source, "a source in UTF-8")?,
        parameters,
        build: unnamed,
    })
}

fn parameter(from: &abi::Parameter) -> Result<ParameterInfo, &'static str> {
    Ok(ParameterInfo {
        name: text(from.name, "parameters with names in UTF-8")?,
        unit: text(from.unit, "parameters with units in UTF-8")?,
        default: (!from.default_value.is_nan()).then_some(from.default_value),
        min: from.min,
        max: from.max,
        whole: from.whole,
        why: text(from.why, "parameters with reasons in UTF-8")?,
    })
}

fn text(from: *const c_char, expected: &'static str) -> Result<&'static str, &'static str> {
    if from.is_null() {
        return Err(expected);
    }
    unsafe { CStr::from_ptr(from) }.to_str().map_err(|_| expected)
}
