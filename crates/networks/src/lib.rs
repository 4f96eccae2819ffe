//! Networks for the tests of the engine (`crates/sim/tests`), random ones above all.
//!
//! What draws random networks takes some ten seconds to compile. As a library it is compiled once, and not once for each file of tests.

#[path = "../../sim/tests/networks/mod.rs"]
pub mod networks;
#[path = "../../sim/tests/random_networks/mod.rs"]
pub mod random_networks;
#[path = "../../sim/tests/random_runs/mod.rs"]
pub mod random_runs;
