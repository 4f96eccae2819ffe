//! Whole endpoints of noq-proto as flows of Sawtooth: `noq-newreno`, `noq-cubic` and `noq-bbr3`.
//!
//! Source: crate `noq-proto`, whose version stands in `stacks/Cargo.toml`; it is used as it is, but in the builds of `make stacks-causes`.

#[path = "../../common/exported.rs"]
mod exported;
#[path = "../../common/side.rs"]
mod side;
mod stack;

use noq_proto::congestion::{Bbr3Config, CubicConfig, NewRenoConfig};

exported::endpoints! {
    NewReno = "noq-newreno", "QUIC of noq-proto with its NewReno", NewRenoConfig;
    Cubic = "noq-cubic", "QUIC of noq-proto with its CUBIC", CubicConfig;
    Bbr3 = "noq-bbr3", "QUIC of noq-proto with its BBR, version 3", Bbr3Config;
}
