//! Congestion controllers and whole endpoints from shared libraries: loading them, and calling them through the interface in C.
//!
//! Source: none; the interface is `sawtooth_plugin::abi`. The crates `cc` and `sim` know no files, so what loads stands here. A library is
//! loaded when somebody asks for its path and never unloaded: its controllers may live as long as the process.

mod convert;
mod endpoint;
mod library;
mod native;

pub use library::{LoadError, endpoints, load, plugins};

/// The files of the crate `sawtooth-plugin` and the header in C, by their paths in it: what a project of one's own is built with.
pub const PLUGIN_SOURCES: &[(&str, &str)] = &[
    ("src/lib.rs", include_str!("../../plugin/src/lib.rs")),
    ("src/abi.rs", include_str!("../../plugin/src/abi.rs")),
    ("src/endpoint_abi.rs", include_str!("../../plugin/src/endpoint_abi.rs")),
    ("src/endpoint.rs", include_str!("../../plugin/src/endpoint.rs")),
    ("src/export.rs", include_str!("../../plugin/src/export.rs")),
    ("include/sawtooth.h", include_str!("../../plugin/include/sawtooth.h")),
];
