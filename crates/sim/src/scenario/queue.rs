//! The queue of a link as plain data: which discipline, how much room, its numbers, and what they may be.
//!
//! Defaults of parameters are those of the types here; their units and reasons stand beside the disciplines
//! ([`crate::queue::DISCIPLINES`]).

use super::{ScenarioError, require};
use serde::{Deserialize, Serialize};

/// A queue discipline with its numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum QueueSpec {
    /// First in, first out; what does not fit is dropped.
    DropTail {
        /// Packets, the one in transmission included.
        #[serde(default)]
        packets: Option<u64>,
        /// Bytes, the packet in transmission included.
        #[serde(default)]
        bytes: Option<u64>,
    },
    /// A queue per flow, served in turn.
    Drr {
        /// Packets of all queues, the one in transmission not included.
        #[serde(default)]
        packets: Option<u64>,
        /// Bytes of all queues, the packet in transmission not included.
        #[serde(default)]
        bytes: Option<u64>,
        /// Bytes that a queue may send in its turn.
        #[serde(default = "default_quantum")]
        quantum: u32,
    },
    /// Random early detection.
    Red(RedSpec),
    /// In-profile packets are spared; the others see RED or drop-tail.
    Rio(RioSpec),
}

/// One packet of the usual size.
fn default_quantum() -> u32 {
    1000
}

/// The largest quantum: many packets, and far from overflow.
const QUANTUM_MAX: u32 = 1_000_000;

/// The numbers of random early detection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RedSpec {
    /// Packets that may wait, without the one in transmission.
    pub packets: Option<u64>,
    /// Bytes that may wait, without those in transmission.
    pub bytes: Option<u64>,
    /// Average below which nothing is dropped, packets.
    pub min: f64,
    /// Average at which drops take the place of marks, packets.
    pub max: f64,
    /// Probability on reaching `max`.
    pub max_p: f64,
    /// Weight of an arrival in the average.
    pub weight: f64,
    /// From `max` to twice that the probability rises to 1, instead of jumping there.
    pub gentle: bool,
    /// How drops keep their distance.
    pub spacing: Spacing,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
    /// Bytes of a typical packet, for the average of an idle queue.
    pub mean_packet: u64,
}

impl Default for RedSpec {
    fn default() -> Self {
        RedSpec {
            packets: None,
            bytes: None,
            min: 25.0,
            max: 125.0,
            max_p: 0.1,
            weight: 0.002,
            gentle: true,
            spacing: Spacing::default(),
            ecn: false,
            mean_packet: 1000,
        }
    }
}

/// How the drops of RED keep their distance from each other, `p` being the probability that the average gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Spacing {
    /// Evenly over 1/p to 2/p packets.
    #[default]
    Wait,
    /// Evenly over 1 to 1/p packets.
    Uniform,
    /// Each packet independently.
    None,
}

/// The numbers of RIO: what out-profile packets see, and of RED those that apply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RioSpec {
    /// What out-profile packets see.
    pub rule: OutProfileRule,
    /// Whose arrivals move the average.
    pub average_updates: AverageUpdates,
    /// RED for out-profile packets; of it drop-tail takes the limit alone.
    #[serde(flatten)]
    pub red: RedSpec,
}

/// What the out-profile packets of RIO see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutProfileRule {
    /// Random early detection.
    #[default]
    Red,
    /// Dropped when the limit is reached.
    #[serde(alias = "droptail")]
    DropTail,
}

/// Whose arrivals move the average of RIO.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AverageUpdates {
    /// Every packet's.
    #[default]
    All,
    /// In-profile packets' only.
    InProfile,
}

impl QueueSpec {
    /// Does the discipline choose the packet that goes next, so that it must be asked when the transmitter is free?
    pub fn schedules(&self) -> bool {
        match self {
            QueueSpec::DropTail { .. } | QueueSpec::Red(_) | QueueSpec::Rio(_) => false,
            QueueSpec::Drr { .. } => true,
        }
    }

    /// Its limit: packets or bytes.
    pub fn limit(&self) -> (Option<u64>, Option<u64>) {
        match self {
            QueueSpec::DropTail { packets, bytes } | QueueSpec::Drr { packets, bytes, .. } => {
                (*packets, *bytes)
            }
            QueueSpec::Red(red) | QueueSpec::Rio(RioSpec { red, .. }) => (red.packets, red.bytes),
        }
    }

    /// Its name in data, that of its row in the table of disciplines.
    pub fn kind(&self) -> &'static str {
        match self {
            QueueSpec::DropTail { .. } => "droptail",
            QueueSpec::Drr { .. } => "drr",
            QueueSpec::Red(_) => "red",
            QueueSpec::Rio(_) => "rio",
        }
    }

    /// Its name to users.
    fn name(&self) -> &'static str {
        match self {
            QueueSpec::DropTail { .. } => "drop-tail",
            QueueSpec::Drr { .. } => "drr",
            QueueSpec::Red(_) => "red",
            QueueSpec::Rio(_) => "rio",
        }
    }

    pub(super) fn check(&self, path: &str) -> Result<(), ScenarioError> {
        let (packets, bytes) = self.limit();
        let one = packets.is_some() != bytes.is_some();
        require(one, path, self.name(), "either packets or bytes as its limit")?;
        require(packets.or(bytes).is_some_and(|limit| limit > 0), path, 0, "a limit of at least 1")?;
        match self {
            QueueSpec::DropTail { .. } => Ok(()),
            QueueSpec::Drr { quantum, .. } => {
                let known = (1..=QUANTUM_MAX).contains(quantum);
                require(known, format!("{path}.quantum"), quantum, "1 to 1000000 bytes")
            }
            QueueSpec::Red(red) => red.check(path),
            QueueSpec::Rio(rio) => rio.red.check(path),
        }
    }
}

impl RedSpec {
    fn check(&self, path: &str) -> Result<(), ScenarioError> {
        let at = |name: &str| format!("{path}.{name}");
        let RedSpec { min, max, max_p, weight, mean_packet, .. } = *self;
        require(min > 0.0 && min < 1e9, at("min"), min, "above 0, at most 1e9 packets")?;
        require(max > min && max <= 1e9, at("max"), max, "above min, at most 1e9 packets")?;
        require(max_p > 0.0 && max_p <= 1.0, at("max_p"), max_p, "0 < max_p ≤ 1")?;
        require(weight > 0.0 && weight <= 1.0, at("weight"), weight, "0 < weight ≤ 1")?;
        let packet = (1..=u64::from(u16::MAX)).contains(&mean_packet);
        require(packet, at("mean_packet"), mean_packet, "1 B to 65535 B")
    }
}
