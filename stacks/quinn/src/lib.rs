//! Whole endpoints of quinn-proto as flows of Sawtooth: `quinn-newreno`, `quinn-cubic` and `quinn-bbr`.
//!
//! Source: crate `quinn-proto`, whose version stands in `stacks/Cargo.toml`; it is used as it is, but in the builds of `make stacks-causes`.

#[path = "../../common/exported.rs"]
mod exported;
#[path = "../../common/side.rs"]
mod side;
mod stack;

use quinn_proto::congestion::{BbrConfig, CubicConfig, NewRenoConfig};

exported::endpoints! {
    NewReno = "quinn-newreno", "QUIC of quinn-proto with its NewReno", NewRenoConfig;
    Cubic = "quinn-cubic", "QUIC of quinn-proto with its CUBIC", CubicConfig;
    Bbr = "quinn-bbr", "QUIC of quinn-proto with its BBR", BbrConfig;
}
