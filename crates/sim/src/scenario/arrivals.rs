//! Arrival processes in a scenario: short flows that come and go, many thousands in a run.

use super::{DURATION_MAX_NS, FlowSpec, Scenario, ScenarioError, require};
use serde::{Deserialize, Serialize};

/// Short TCP flows between the same two places, each a connection of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrivalSpec {
    /// Its name in results and in its random stream, `arrivals/<name>`.
    pub name: String,
    /// Index into `profiles`.
    pub profile: u32,
    /// Its packets, in both directions, are in profile: RIO spares them.
    #[serde(default)]
    pub in_profile: bool,
    /// Links that data crosses, in order.
    pub forward: Vec<u32>,
    /// Links that acknowledgements cross, in order.
    pub reverse: Vec<u32>,
    /// When flows start, and how long they are.
    pub schedule: ArrivalSchedule,
}

/// When flows start, and how many packets each carries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum ArrivalSchedule {
    /// As listed, flow by flow.
    List {
        /// When each SYN leaves; ascending.
        starts_ns: Vec<u64>,
        /// How many packets each carries.
        packets: Vec<u32>,
    },
    /// Drawn: a Poisson process whose intensity follows a schedule, and lengths with a heavy tail.
    Poisson {
        /// `[time_ns, interval_ns]`: from this time on, the mean time between two starts; 0 is silence.
        intervals: Vec<[u64; 2]>,
        /// Mean of the Pareto distribution of lengths, in packets, before they are rounded up to whole ones.
        packets_mean: f64,
        /// Its shape: the tail falls as the length to the power of minus this.
        packets_shape: f64,
    },
}

/// The least mean time between two starts: a microsecond, far below what a packet takes.
const INTERVAL_MIN_NS: u64 = 1_000;

impl ArrivalSpec {
    /// What any of its flows is, but for its start and its length.
    pub fn flow(&self) -> FlowSpec {
        FlowSpec {
            profile: self.profile,
            test: false,
            in_profile: self.in_profile,
            forward: self.forward.clone(),
            reverse: self.reverse.clone(),
            start_ns: 0,
            stop_ns: None,
            packets: Some(1),
            supply: Vec::new(),
            frame_deadline_ns: None,
        }
    }

    pub(super) fn check(&self, scenario: &Scenario, path: &str) -> Result<(), ScenarioError> {
        scenario.check_flow(&self.flow(), format_args!("{path}"))?;
        // They share their first link, which handles packets as they come; jitter would let later ones pass first.
        let jitter = scenario.profiles[self.profile as usize].send_jitter_ns;
        require(
            jitter == 0,
            format!("{path}.profile"),
            self.profile,
            "a profile without send_jitter_ns, since these flows share their first link",
        )?;
        self.schedule.check(&format!("{path}.schedule"))
    }
}

impl ArrivalSchedule {
    /// Is this something that can be drawn or followed?
    ///
    /// # Errors
    /// The first problem found, with its path.
    pub fn check(&self, path: &str) -> Result<(), ScenarioError> {
        match self {
            ArrivalSchedule::List { starts_ns, packets } => {
                let at = format!("{path}.starts_ns");
                require(starts_ns.is_sorted(), &at, "unsorted times", "ascending times")?;
                let last = starts_ns.last().copied().unwrap_or(0);
                require(last <= DURATION_MAX_NS, &at, last, "at most ten years")?;
                let (lengths, expected) = (packets.len(), format!("one for each start, {}", starts_ns.len()));
                require(lengths == starts_ns.len(), format!("{path}.packets"), lengths, &expected)?;
                require(!packets.contains(&0), format!("{path}.packets"), 0, "at least 1 packet a flow")
            }
            ArrivalSchedule::Poisson { intervals, packets_mean, packets_shape } => {
                require(!intervals.is_empty(), format!("{path}.intervals"), "[]", "at least one interval")?;
                for (i, pair) in intervals.windows(2).enumerate() {
                    let at = format!("{path}.intervals[{}]", i + 1);
                    require(pair[0][0] < pair[1][0], at, pair[1][0], "a time later than the one before")?;
                }
                for (i, &[_, interval]) in intervals.iter().enumerate() {
                    let known = interval == 0 || (INTERVAL_MIN_NS..=DURATION_MAX_NS).contains(&interval);
                    let at = format!("{path}.intervals[{i}]");
                    require(known, at, interval, "0, or 1 µs to ten years")?;
                }
                let mean = (1.0..=1e9).contains(packets_mean);
                require(mean, format!("{path}.packets_mean"), packets_mean, "1 to 1e9 packets")?;
                let shape = *packets_shape > 1.0 && *packets_shape <= 1e3;
                let accepted = "more than 1, below which there is no mean, and at most 1000";
                require(shape, format!("{path}.packets_shape"), packets_shape, accepted)
            }
        }
    }
}
