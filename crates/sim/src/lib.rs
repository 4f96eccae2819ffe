//! A deterministic packet-level network simulator for congestion control.
//!
//! The same [`Scenario`] (its seed included) gives the same [`Records`], bit for bit, on any machine and
//! any number of threads. Nothing here knows a clock, a thread, a file or a global.
//!
//! ```
//! use sawtooth_sim::{run, scenario::Scenario};
//! let text = include_str!("../examples/one_flow.json");
//! let scenario: Scenario = serde_json::from_str(text).unwrap();
//! let records = run(&scenario).unwrap();
//! assert!(records.queues[0].departures.forwarded > 0);
//! ```

pub mod agenda;
pub mod ahead;
pub mod arrivals;
pub mod describe;
pub mod event;
pub mod event_queue;
pub mod histogram;
pub mod identity;
pub mod impairment;
pub mod lane;
pub mod network;
pub mod packet;
pub mod pipe;
pub mod port;
pub mod queue;
pub mod random;
pub mod rate;
pub mod records;
pub mod ring;
pub mod scenario;
pub mod source;
pub mod table;
pub mod tcp;
#[cfg(test)]
mod testing;
pub mod topology;
pub mod tournament;
pub mod transport;

pub use ahead::Order;
pub use network::Progress;
pub use records::Records;
pub use scenario::{Scenario, ScenarioError};

/// The hash of the engine's sources, taken when it was built. It says who made a result and is no part of a run's identity.
pub const ENGINE_VERSION: &str = env!("SAWTOOTH_ENGINE_VERSION");

/// Run a scenario.
///
/// # Errors
/// What is wrong with the scenario. A checked scenario cannot fail.
pub fn run(scenario: &Scenario) -> Result<Records, ScenarioError> {
    Ok(run_watched(scenario, &Progress::default())?.expect("nobody stops this run"))
}

/// Run a scenario that another thread watches and may stop; `None` if it did.
///
/// # Errors
/// As [`run`].
pub fn run_watched(scenario: &Scenario, progress: &Progress) -> Result<Option<Records>, ScenarioError> {
    run_in_order(scenario, Order::Ahead, progress)
}

/// Run a scenario in this order, whichever gives the same records; `None` if another thread stopped it.
///
/// # Errors
/// As [`run`].
pub fn run_in_order(
    scenario: &Scenario,
    order: Order,
    progress: &Progress,
) -> Result<Option<Records>, ScenarioError> {
    scenario.check()?;
    let mut network = network::Network::new(scenario, order);
    Ok(network.run(progress).map(|()| network.finish(scenario)))
}
