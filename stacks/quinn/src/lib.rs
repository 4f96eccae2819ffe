//! Whole endpoints of quinn-proto as flows of Sawtooth: `quinn-newreno`, `quinn-cubic` and `quinn-bbr`.
//!
//! Source: crate `quinn-proto`, whose version stands in `stacks/Cargo.toml`; it is used as it is.

#[path = "../../common/exported.rs"]
mod exported;
#[path = "../../common/side.rs"]
mod side;
mod stack;

use quinn_proto::congestion::{BbrConfig, CubicConfig, NewRenoConfig};
use std::sync::Arc;

exported::endpoints! {
    "quinn-proto 0.11.19":
    NewReno = "quinn-newreno", "QUIC of quinn-proto with its NewReno", |window| {
        let mut config = NewRenoConfig::default();
        config.initial_window(window);
        Arc::new(config)
    };
    Cubic = "quinn-cubic", "QUIC of quinn-proto with its CUBIC", |window| {
        let mut config = CubicConfig::default();
        config.initial_window(window);
        Arc::new(config)
    };
    Bbr = "quinn-bbr", "QUIC of quinn-proto with its BBR", |window| {
        let mut config = BbrConfig::default();
        config.initial_window(window);
        Arc::new(config)
    };
}
