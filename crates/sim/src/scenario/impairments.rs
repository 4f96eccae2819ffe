//! Which packets a link drops or marks by itself.

use super::{DURATION_MAX_NS, ScenarioError, require};
use serde::{Deserialize, Serialize};

/// Which packets an impairment hits. SYN packets are never hit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum ImpairmentSpec {
    /// Each independently.
    Bernoulli {
        /// Probability.
        p: f64,
    },
    /// Every n-th.
    Periodic {
        /// Period in packets.
        n: u64,
    },
    /// Those with these numbers, counted from 1 as they reach the link; ascending.
    List {
        /// The numbers.
        packets: Vec<u64>,
    },
    /// Bursts by a chain of two states.
    #[serde(rename = "gilbert-elliott")]
    GilbertElliott {
        /// Probability that a good state turns bad after a packet.
        p: f64,
        /// Probability that a bad state turns good after a packet.
        r: f64,
        /// Probability that a packet is spared in the bad state.
        h: f64,
        /// Probability that a packet is spared in the good state.
        k: f64,
    },
    /// Whatever comes within a time.
    Blackout {
        /// Where it begins.
        from_ns: u64,
        /// How long it lasts.
        length_ns: u64,
        /// From one beginning to the next; absent: there is one.
        #[serde(default)]
        every_ns: Option<u64>,
    },
}

impl ImpairmentSpec {
    pub(super) fn check(&self, path: &str) -> Result<(), ScenarioError> {
        match self {
            ImpairmentSpec::Bernoulli { p } => {
                require((0.0..=1.0).contains(p), format!("{path}.p"), p, "0 ≤ p ≤ 1")
            }
            ImpairmentSpec::Periodic { n } => require(*n > 0, format!("{path}.n"), n, "at least 1"),
            ImpairmentSpec::List { packets } => {
                let rising = packets.windows(2).all(|pair| pair[0] < pair[1]) && packets.first() != Some(&0);
                require(
                    rising,
                    format!("{path}.packets"),
                    format!("{packets:?}"),
                    "ascending packet numbers from 1",
                )
            }
            ImpairmentSpec::GilbertElliott { p, r, h, k } => {
                for (name, value) in [("p", p), ("r", r), ("h", h), ("k", k)] {
                    require((0.0..=1.0).contains(value), format!("{path}.{name}"), value, "0 to 1")?;
                }
                Ok(())
            }
            ImpairmentSpec::Blackout { from_ns, length_ns, every_ns } => {
                let expected = "at most ten years";
                require(*from_ns <= DURATION_MAX_NS, format!("{path}.from_ns"), from_ns, expected)?;
                let known = (1..=DURATION_MAX_NS).contains(length_ns);
                require(known, format!("{path}.length_ns"), length_ns, "1 ns to ten years")?;
                let apart = every_ns.is_none_or(|every| every > *length_ns);
                let every = every_ns.unwrap_or(0);
                require(apart, format!("{path}.every_ns"), every, "longer than length_ns")
            }
        }
    }
}
