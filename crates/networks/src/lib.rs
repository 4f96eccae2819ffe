//! Networks for the tests of the engine (`crates/sim/tests`), random ones above all.
//!
//! What draws random networks takes some ten seconds to compile. As a library it is compiled once, and stays compiled when a test changes.

pub mod networks;
pub mod random_networks;
pub mod random_runs;
