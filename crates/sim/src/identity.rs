//! A run's identity: the hash of its canonical scenario (seed included) and the engine version.

use crate::ENGINE_VERSION;
use crate::scenario::Scenario;
use sha2::{Digest, Sha256};

/// Hexadecimal digits of a run's identity.
pub const RUN_ID_DIGITS: usize = 24;

/// The canonical text of a scenario: every field, in declaration order, no white space.
pub fn canonical(scenario: &Scenario) -> String {
    serde_json::to_string(scenario).expect("plain data always has a text")
}

/// The identity of the run of this scenario by this engine.
pub fn run_id(scenario: &Scenario) -> String {
    let mut hash = Sha256::new();
    hash.update(ENGINE_VERSION.as_bytes());
    hash.update(canonical(scenario).as_bytes());
    let mut digits: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    digits.truncate(RUN_ID_DIGITS);
    digits
}
