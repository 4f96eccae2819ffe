//! Whole endpoints of noq-proto as flows of Sawtooth: `noq-newreno`, `noq-cubic` and `noq-bbr3`.
//!
//! Source: crate `noq-proto`, whose version stands in `stacks/Cargo.toml`; it is used as it is.

#[path = "../../common/exported.rs"]
mod exported;
#[path = "../../common/side.rs"]
mod side;
mod stack;

use noq_proto::congestion::{Bbr3Config, CubicConfig, NewRenoConfig};
use std::sync::Arc;

exported::endpoints! {
    "noq-proto 1.4.0":
    NewReno = "noq-newreno", "QUIC of noq-proto with its NewReno", |window| {
        let mut config = NewRenoConfig::default();
        config.initial_window(window);
        Arc::new(config)
    };
    Cubic = "noq-cubic", "QUIC of noq-proto with its CUBIC", |window| {
        let mut config = CubicConfig::default();
        config.initial_window(window);
        Arc::new(config)
    };
    Bbr3 = "noq-bbr3", "QUIC of noq-proto with its BBR, version 3", |window| {
        let mut config = Bbr3Config::default();
        config.initial_window(window);
        Arc::new(config)
    };
}
