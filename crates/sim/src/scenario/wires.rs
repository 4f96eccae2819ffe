//! What delays packets on a link beyond its rate and its propagation: lateness, jitter, transmit opportunities.
//!
//! Sources: the delay models of ns-3 and of Linux's `netem`, for what there is; the numbers are the user's.
//!
//! | what      | delays                                                      | order                                       |
//! |-----------|-------------------------------------------------------------|---------------------------------------------|
//! | late      | packets of a list, a share of them, or every n-th            | not kept: others overtake what is late      |
//! | jitter    | every packet, by a draw or up to the next tick of a clock    | kept                                        |
//! | aggregate | packets that leave in bursts, one per transmit opportunity   | kept                                        |

use super::{ScenarioError, WAIT_MAX_NS, require};
use serde::{Deserialize, Serialize};

/// A delay that is drawn for each packet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum DelaySpec {
    /// Always the same.
    Constant {
        /// How long.
        ns: u64,
    },
    /// Uniform from one time to another.
    Uniform {
        /// The shortest.
        from_ns: u64,
        /// The longest.
        to_ns: u64,
    },
    /// Exponential.
    Exponential {
        /// The mean.
        mean_ns: u64,
    },
    /// Normal; what would be below 0 is 0.
    Normal {
        /// The mean.
        mean_ns: u64,
        /// The standard deviation.
        deviation_ns: u64,
    },
    /// Pareto, from a shortest delay on.
    Pareto {
        /// The shortest.
        least_ns: u64,
        /// The exponent of its tail.
        shape: f64,
    },
}

/// Which packets are late, and by how much. SYN packets are never.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum LateSpec {
    /// `[number, ns]`: the packets with these numbers, counted from 1 as they leave the link; ascending.
    List {
        /// Numbers and delays.
        packets: Vec<[u64; 2]>,
    },
    /// Each independently.
    Bernoulli {
        /// Probability.
        p: f64,
        /// By how much.
        delay: DelaySpec,
    },
    /// Every n-th.
    Periodic {
        /// Period in packets.
        n: u64,
        /// By how much.
        delay: DelaySpec,
    },
}

/// By how much each packet is delayed, order kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum JitterSpec {
    /// By a draw; a packet that would overtake the one before it comes out with it.
    Drawn {
        /// The distribution.
        delay: DelaySpec,
    },
    /// Up to the next multiple of this time: packets come out in bursts, as behind an access that is granted by a schedule.
    Hold {
        /// The time between two bursts.
        every_ns: u64,
    },
}

/// Transmit opportunities: the link waits for each, and sends several packets in it, which arrive together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AggregateSpec {
    /// Most packets in one.
    pub packets: u32,
    /// Longest transmission in one opportunity; a single packet may take longer.
    pub time_ns: u64,
    /// What each costs besides: waiting for the medium, preamble, acknowledgement.
    pub overhead_ns: u64,
    /// Whether all packets of an opportunity belong to one flow, as those of one station do.
    #[serde(default)]
    pub per_flow: bool,
}

impl DelaySpec {
    pub(super) fn check(&self, path: &str) -> Result<(), ScenarioError> {
        let within =
            |ns: u64, name: &str| require(ns <= WAIT_MAX_NS, format!("{path}.{name}"), ns, "at most one day");
        match self {
            DelaySpec::Constant { ns } => within(*ns, "ns"),
            DelaySpec::Uniform { from_ns, to_ns } => {
                within(*to_ns, "to_ns")?;
                require(from_ns <= to_ns, format!("{path}.from_ns"), from_ns, "at most to_ns")
            }
            DelaySpec::Exponential { mean_ns } => within(*mean_ns, "mean_ns"),
            DelaySpec::Normal { mean_ns, deviation_ns } => {
                within(*mean_ns, "mean_ns")?;
                within(*deviation_ns, "deviation_ns")
            }
            DelaySpec::Pareto { least_ns, shape } => {
                within(*least_ns, "least_ns")?;
                require(shape.is_finite() && *shape > 0.0, format!("{path}.shape"), shape, "above 0")
            }
        }
    }
}

impl LateSpec {
    pub(super) fn check(&self, path: &str) -> Result<(), ScenarioError> {
        match self {
            LateSpec::List { packets } => {
                let rising = packets.windows(2).all(|pair| pair[0][0] < pair[1][0])
                    && packets.first().is_some_and(|first| first[0] > 0);
                let listed = format!("{packets:?}");
                require(rising, format!("{path}.packets"), &listed, "ascending packet numbers from 1")?;
                let longest = packets.iter().map(|packet| packet[1]).max().unwrap_or(0);
                require(
                    longest <= WAIT_MAX_NS,
                    format!("{path}.packets"),
                    &listed,
                    "delays of at most one day",
                )
            }
            LateSpec::Bernoulli { p, delay } => {
                require((0.0..=1.0).contains(p), format!("{path}.p"), p, "0 ≤ p ≤ 1")?;
                delay.check(&format!("{path}.delay"))
            }
            LateSpec::Periodic { n, delay } => {
                require(*n > 0, format!("{path}.n"), n, "at least 1")?;
                delay.check(&format!("{path}.delay"))
            }
        }
    }
}

impl JitterSpec {
    pub(super) fn check(&self, path: &str) -> Result<(), ScenarioError> {
        match self {
            JitterSpec::Drawn { delay } => delay.check(&format!("{path}.delay")),
            JitterSpec::Hold { every_ns } => {
                let known = (1..=WAIT_MAX_NS).contains(every_ns);
                require(known, format!("{path}.every_ns"), every_ns, "1 ns to one day")
            }
        }
    }
}

impl AggregateSpec {
    pub(super) fn check(&self, path: &str) -> Result<(), ScenarioError> {
        require(self.packets > 0, format!("{path}.packets"), self.packets, "at least 1")?;
        for (name, ns) in [("time_ns", self.time_ns), ("overhead_ns", self.overhead_ns)] {
            require(ns <= WAIT_MAX_NS, format!("{path}.{name}"), ns, "at most one day")?;
        }
        Ok(())
    }
}
