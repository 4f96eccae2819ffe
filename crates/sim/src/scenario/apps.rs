//! Applications in a scenario: what offers data because of what has been delivered, and streams whose frames are watched.
//!
//! An application has connections, each a pair of flows: requests go one way, responses the other. Both flows carry nothing but what it
//! feeds them, so they have no `packets`, `supply` or `stop_ns` of their own.

use super::{DURATION_MAX_NS, FlowSpec, RATE_MAX_BPS, Scenario, ScenarioError, WAIT_MAX_NS, require};
use serde::{Deserialize, Serialize};

/// An application that waits for answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppSpec {
    /// Its name, that of its random stream `apps/<name>` too.
    pub name: String,
    /// When it makes its first request.
    pub start_ns: u64,
    /// It begins nothing from then on; absent: never.
    #[serde(default)]
    pub stop_ns: Option<u64>,
    /// By connection, the flow of its requests and that of its responses.
    pub connections: Vec<[u32; 2]>,
    /// Packets of a request.
    pub request_packets: u32,
    /// What it does with them.
    pub task: TaskSpec,
}

/// What an application does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum TaskSpec {
    /// Pages of objects, with time to think between them.
    Pages {
        /// Objects of a page; the first alone, then the others side by side.
        objects: u32,
        /// Mean size of an object in packets, before it is rounded up.
        packets_mean: f64,
        /// Shape of the Pareto distribution of sizes; absent: all alike.
        #[serde(default)]
        packets_shape: Option<f64>,
        /// Mean of the exponential time from the end of a page to the next; 0: none.
        think_ns: u64,
    },
    /// A film in chunks of a quality that the buffer decides.
    Video {
        /// Bit rates to choose from, ascending.
        rates_bps: Vec<u64>,
        /// Playing time of a chunk.
        chunk_ns: u64,
        /// Largest playing time in the buffer.
        buffer_ns: u64,
        /// Playing time in the buffer up to which the lowest rate is chosen.
        reservoir_ns: u64,
    },
}

/// What the far end of a stream is asked about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FramesSpec {
    /// Packets of a frame, which leave together; of frames that deviate, their mean.
    pub packets: u32,
    /// A frame that is complete later than this after it left is late.
    pub deadline_ns: u64,
    /// Scale of the deviation of sizes, as a share (RFC 8593 §5.3).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub scale_b: f64,
    /// The same of intervals.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub scale_t: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(scale: &f64) -> bool {
    *scale == 0.0
}

const PACKETS_MAX: u32 = 1_000_000;

impl Scenario {
    /// Does an application feed this flow?
    pub fn feeds(&self, flow: &FlowSpec) -> bool {
        self.apps
            .iter()
            .flat_map(|app| app.connections.iter().flatten())
            .any(|&fed| self.flows.get(fed as usize).is_some_and(|other| std::ptr::eq(other, flow)))
    }

    pub(super) fn check_apps(&self) -> Result<(), ScenarioError> {
        let mut taken = vec![false; self.flows.len()];
        for (i, app) in self.apps.iter().enumerate() {
            let path = format!("apps[{i}]");
            app.check(&path)?;
            for (j, &flow) in app.connections.iter().flatten().enumerate() {
                let at = format!("{path}.connections[{}][{}]", j / 2, j % 2);
                let Some(spec) = self.flows.get(flow as usize) else {
                    let expected = format!("an index below {}", self.flows.len());
                    return require(false, at, flow, &expected);
                };
                let free = !std::mem::replace(&mut taken[flow as usize], true);
                require(free, &at, flow, "a flow that no other connection has")?;
                let profile = &self.profiles[spec.profile as usize];
                let delivers = profile.controller.properties().takes_recovery()
                    || profile.controller.endpoint().is_some();
                require(delivers, &at, flow, "a flow with a recovery, which delivers everything")?;
                let plain = spec.packets.is_none() && spec.supply.is_empty() && spec.stop_ns.is_none();
                require(plain, &at, flow, "a flow without packets, supply or stop_ns")?;
                require(
                    spec.start_ns <= app.start_ns,
                    &at,
                    flow,
                    "a flow that starts before its application",
                )?;
            }
        }
        Ok(())
    }
}

impl AppSpec {
    fn check(&self, path: &str) -> Result<(), ScenarioError> {
        let at = |name: &str| format!("{path}.{name}");
        require(self.start_ns <= DURATION_MAX_NS, at("start_ns"), self.start_ns, "at most ten years")?;
        if let Some(stop) = self.stop_ns {
            require(stop > self.start_ns, at("stop_ns"), stop, "later than start_ns")?;
        }
        require(!self.connections.is_empty(), at("connections"), "[]", "at least one connection")?;
        let known = (1..=PACKETS_MAX).contains(&self.request_packets);
        require(known, at("request_packets"), self.request_packets, "1 to 1000000 packets")?;
        match &self.task {
            TaskSpec::Pages { objects, packets_mean, packets_shape, think_ns } => {
                let known = (1..=100_000).contains(objects);
                require(known, at("task.objects"), objects, "1 to 100000 objects")?;
                let known = (1.0..=1e6).contains(packets_mean);
                require(known, at("task.packets_mean"), packets_mean, "1 to 1000000 packets")?;
                let shape = packets_shape.unwrap_or(2.0);
                let known = shape > 1.0 && shape <= 1e3;
                require(known, at("task.packets_shape"), shape, "more than 1 and at most 1000")?;
                require(*think_ns <= WAIT_MAX_NS, at("task.think_ns"), think_ns, "at most one day")
            }
            TaskSpec::Video { rates_bps, chunk_ns, buffer_ns, reservoir_ns } => {
                require(!rates_bps.is_empty(), at("task.rates_bps"), "[]", "at least one rate")?;
                let ascending = rates_bps.windows(2).all(|pair| pair[0] < pair[1]);
                require(ascending, at("task.rates_bps"), "unsorted rates", "ascending rates")?;
                let (least, most) = (rates_bps[0], rates_bps[rates_bps.len() - 1]);
                let known = least > 0 && most <= RATE_MAX_BPS;
                require(known, at("task.rates_bps"), least, "1 bit/s to 100 Tbit/s")?;
                let known = (1_000_000..=WAIT_MAX_NS).contains(chunk_ns);
                require(known, at("task.chunk_ns"), chunk_ns, "1 ms to one day")?;
                let chunk_bits = u128::from(most) * u128::from(*chunk_ns) / 1_000_000_000;
                let carried = chunk_bits <= 8_000_000_000;
                require(carried, at("task.chunk_ns"), chunk_ns, "chunks of at most 1 GB")?;
                let known = (*chunk_ns..=WAIT_MAX_NS).contains(buffer_ns);
                require(known, at("task.buffer_ns"), buffer_ns, "at least a chunk, at most one day")?;
                let known = reservoir_ns < buffer_ns;
                require(known, at("task.reservoir_ns"), reservoir_ns, "less than buffer_ns")
            }
        }
    }
}

impl FramesSpec {
    pub(super) fn check(&self, path: &str) -> Result<(), ScenarioError> {
        let known = (1..=PACKETS_MAX).contains(&self.packets);
        require(known, format!("{path}.packets"), self.packets, "1 to 1000000 packets")?;
        let known = (1..=WAIT_MAX_NS).contains(&self.deadline_ns);
        require(known, format!("{path}.deadline_ns"), self.deadline_ns, "more than 0, at most one day")?;
        for (name, scale) in [("scale_b", self.scale_b), ("scale_t", self.scale_t)] {
            require((0.0..=0.5).contains(&scale), format!("{path}.{name}"), scale, "0 to 0.5")?;
        }
        Ok(())
    }
}
