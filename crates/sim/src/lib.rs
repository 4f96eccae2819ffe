//! A deterministic packet-level network simulator for congestion control.
//!
//! The same [`Scenario`] (its seed included) gives the same [`Records`], bit for bit, on any machine and
//! any number of threads. Nothing here knows a clock, a thread, a file or a global.
//!
//! ```
//! use sawtooth_sim::{run, scenario::Scenario};
//! let text = include_str!("../examples/one_flow.json");
//! let scenario = Scenario::from_json(text).unwrap();
//! let records = run(&scenario).unwrap();
//! assert!(records.bottleneck().unwrap().departures.forwarded > 0);
//! ```

// What a user of the crate needs: a scenario in, records out, and what there is to choose from.
pub mod describe;
pub mod identity;
pub mod random;
pub mod records;
pub mod scenario;
pub mod series;
pub mod table;

// The engine's parts. Some are reached by this workspace's own tests and benchmarks; none is for others.
#[doc(hidden)]
pub mod ack_details;
pub mod ack_filter;
mod agenda;
mod ahead;
#[doc(hidden)]
pub mod arrivals;
mod blocks;
pub mod bucket;
#[doc(hidden)]
pub mod event;
#[doc(hidden)]
pub mod event_queue;
mod frames;
mod histogram;
mod impairment;
mod lane;
pub mod meter;
mod network;
mod observation;
mod observer;
#[doc(hidden)]
pub mod packet;
mod pipe;
mod player;
#[doc(hidden)]
pub mod port;
#[doc(hidden)]
pub mod queue;
#[doc(hidden)]
pub mod rate;
mod ring;
mod source;
#[doc(hidden)]
pub mod tcp;
#[cfg(test)]
mod testing;
mod topology;
mod tournament;
mod transport;
pub mod whole;
mod wire;

pub use ahead::Order;
pub use network::Progress;
pub use queue::{DISCIPLINES, DisciplineInfo};
pub use records::Records;
use sawtooth_cc::units::Time;
pub use scenario::{Scenario, ScenarioError};
pub use series::{SERIES, SeriesInfo};
pub use tcp::{RECOVERIES, RecoveryInfo, RecoveryKind};

/// The hash of the engine's sources, taken when it was built. It names the engine that made a result; it is no part of a run's
/// identity.
pub const ENGINE_VERSION: &str = env!("SAWTOOTH_ENGINE_VERSION");

/// A run in progress, which can be inspected or stopped. It keeps what it needs of its scenario, and nothing else.
///
/// ```
/// use sawtooth_sim::{Order, Progress, Simulation, scenario::Scenario};
/// use sawtooth_cc::units::{Span, Time};
/// let scenario = Scenario::from_json(include_str!("../examples/one_flow.json")).unwrap();
/// let mut simulation = Simulation::new(&scenario, Order::InTurn).unwrap();
/// let watched = Progress::default();
/// simulation.run_until(Time::ZERO + Span::from_seconds(1), &watched);
/// let records = simulation.finish(&watched).expect("nobody stopped it");
/// assert_eq!(records.digest(), sawtooth_sim::run(&scenario).unwrap().digest());
/// ```
#[derive(Debug)]
pub struct Simulation {
    network: network::Network,
    stopped: bool,
}

impl Simulation {
    /// A run at time zero.
    ///
    /// # Errors
    /// What is wrong with the scenario. A checked scenario cannot fail.
    pub fn new(scenario: &Scenario, order: Order) -> Result<Self, ScenarioError> {
        scenario.check()?;
        Ok(Simulation { network: network::Network::new(scenario, order), stopped: false })
    }

    /// Advance the run to this virtual time, or to its end if that is earlier. Under [`Order::Ahead`] some later effects are done as
    /// well. Does nothing once `progress` says stop.
    pub fn run_until(&mut self, time: Time, progress: &Progress) {
        self.stopped = self.stopped || self.network.run_until(time, progress).is_none();
    }

    /// The time series recorded so far.
    pub fn series(&self) -> &series::AllSeries {
        self.network.series()
    }

    /// Run to the end and return the records; `None` if the run was stopped.
    pub fn finish(mut self, progress: &Progress) -> Option<Records> {
        self.run_until(Time::NEVER, progress);
        (!self.stopped).then(|| self.network.finish())
    }
}

/// Run a scenario.
///
/// # Errors
/// What is wrong with the scenario. A checked scenario cannot fail.
pub fn run(scenario: &Scenario) -> Result<Records, ScenarioError> {
    let records = Simulation::new(scenario, Order::Ahead)?.finish(&Progress::default());
    Ok(records.expect("nobody stops this run"))
}

/// Run a scenario that another thread watches and may stop; `None` if it did. The scenario is gone before the network starts: that of
/// 100,000 flows takes 120 MB.
///
/// # Errors
/// As [`run`].
pub fn run_watched(scenario: Scenario, progress: &Progress) -> Result<Option<Records>, ScenarioError> {
    let simulation = Simulation::new(&scenario, Order::Ahead)?;
    drop(scenario);
    Ok(simulation.finish(progress))
}
