//! A scenario: plain data that fully describes one run, and the checks of its values.
//!
//! Everything is an integer in the engine's own units (ns, bit/s, bytes, packets) except controller
//! numbers and probabilities. Python builds it from what people write; Rust users build it directly.
//! After [`Scenario::check`] nothing inside a run can fail.

use sawtooth_cc::{ControllerSpec, Plugins};
use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;

mod apps;
mod arrivals;
mod changes;
mod endpoints;
mod impairments;
mod record;
mod whole;
mod wires;

pub use crate::ack_filter::AckFilterSpec;
pub use crate::bucket::BucketSpec;
pub use crate::queue::QueueSpec;
pub use crate::queue::codel::CodelSpec;
pub use crate::queue::droptail::DropTailSpec;
pub use crate::queue::drr::DrrSpec;
pub use crate::queue::dualpi2::DualPi2Spec;
pub use crate::queue::fq_codel::FqCodelSpec;
pub use crate::queue::pie::PieSpec;
pub use crate::queue::red::{RedSpec, Spacing};
pub use crate::queue::rio::{AverageUpdates, OutProfileRule, RioSpec};
pub use crate::series::RecordSpec;
pub use apps::{AppSpec, FramesSpec, TaskSpec};
pub use arrivals::{ArrivalSchedule, ArrivalSpec};
pub use changes::{ChangeSpec, SetSpec, WhenSpec};
pub use endpoints::{Profile, TcpSpec};
pub use impairments::ImpairmentSpec;
pub use wires::{AggregateSpec, DelaySpec, JitterSpec, LateSpec};

/// One run, fully described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Seed of every random stream of the run.
    pub seed: String,
    /// Simulated time.
    pub duration_ns: u64,
    /// Counters start here.
    pub warmup_ns: u64,
    /// Links, by index. The first with a queue is the bottleneck.
    pub links: Vec<LinkSpec>,
    /// Endpoint settings that flows refer to.
    pub profiles: Vec<Profile>,
    /// TCP flows.
    pub flows: Vec<FlowSpec>,
    /// Processes of short TCP flows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arrivals: Vec<ArrivalSpec>,
    /// Sources of constant bit rate that follow a schedule.
    #[serde(default)]
    pub sources: Vec<SourceSpec>,
    /// Applications that wait for answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apps: Vec<AppSpec>,
    /// What changes in the network during the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ChangeSpec>,
    /// Which time series to keep.
    #[serde(default)]
    pub record: RecordSpec,
}

/// A one-way link: a transmitter (rate or trace), perhaps a queue before it, a wire behind it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// Its name in results.
    pub name: String,
    /// Bits per second; absent for a trace.
    #[serde(default)]
    pub rate_bps: Option<u64>,
    /// Milliseconds at which 1500 bytes may leave (mahimahi's packet-opportunity format).
    #[serde(default)]
    pub trace_ms: Option<Vec<u64>>,
    /// End the trace after one pass instead of starting it again.
    #[serde(default)]
    pub trace_once: bool,
    /// Propagation delay of the wire.
    pub delay_ns: u64,
    /// The discipline in front; absent: an unlimited FIFO that is never the bottleneck.
    #[serde(default)]
    pub queue: Option<QueueSpec>,
    /// Packets lost on arrival, whatever the queue.
    #[serde(default)]
    pub drop: Option<ImpairmentSpec>,
    /// ECN-capable packets marked on arrival, whatever the queue.
    #[serde(default)]
    pub mark: Option<ImpairmentSpec>,
    /// What a token bucket has no tokens for is dropped on arrival.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policer: Option<BucketSpec>,
    /// What a token bucket has no tokens for waits before it is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shaper: Option<BucketSpec>,
    /// Packets that wait in the device, behind the queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_queue: Option<u32>,
    /// Acknowledgements that are not sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ack_filter: Option<AckFilterSpec>,
    /// Further packets lost on arrival, after those of `drop`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<ImpairmentSpec>,
    /// Packets that arrive late at the end of the wire, so that others overtake them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<LateSpec>,
    /// By how much each packet is delayed on the wire, order kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<JitterSpec>,
    /// The link sends in transmit opportunities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aggregate: Option<AggregateSpec>,
}

/// One TCP connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowSpec {
    /// Index into `profiles`.
    pub profile: u32,
    /// Counts in the metrics of the run.
    pub test: bool,
    /// Its packets, in both directions, are in profile: RIO spares them.
    #[serde(default)]
    pub in_profile: bool,
    /// Links that data crosses, in order.
    pub forward: Vec<u32>,
    /// Links that acknowledgements cross, in order.
    pub reverse: Vec<u32>,
    /// When the SYN leaves.
    pub start_ns: u64,
    /// When the sender stops offering new data.
    #[serde(default)]
    pub stop_ns: Option<u64>,
    /// How many packets it carries; absent: without end.
    #[serde(default)]
    pub packets: Option<u32>,
    /// `[after_ns, packets]`: at this time after the flow's start the application makes these packets available; absent: all data is
    /// available from the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supply: Vec<[u64; 2]>,
    /// Its encoder's frames are watched, and one that is complete later than this after the encoder gave it is late; absent: nobody looks
    /// at them. Of a controller with an encoder alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_deadline_ns: Option<u64>,
}

/// A source of constant bit rate whose rate follows a schedule, or several that are alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceSpec {
    /// Its name in results.
    pub name: String,
    /// Packet on the wire.
    pub packet_bytes: u16,
    /// Links it crosses.
    pub route: Vec<u32>,
    /// Its packets are in profile: RIO spares them.
    #[serde(default)]
    pub in_profile: bool,
    /// `[time_ns, bit/s]`: the source starts afresh at each entry; rate 0 is silence.
    pub rates: Vec<[u64; 2]>,
    /// By entry of `rates`, how many sources alike send at this rate each; absent: one. A queue that tells flows apart tells
    /// them apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<u32>,
    /// What it sends is frames, and what becomes of them is watched; absent: packets that nobody looks at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<FramesSpec>,
}

impl SourceSpec {
    /// How many sources there are at most at a time.
    pub fn count(&self) -> u32 {
        self.counts.iter().copied().max().unwrap_or(1)
    }
}

/// What is wrong with a scenario, where, and what would be accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct ScenarioError {
    /// Dotted path, for instance `links[0].rate_bps`.
    pub path: String,
    /// The value found.
    pub value: String,
    /// What would be accepted.
    pub expected: String,
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}: expected {}", self.path, self.value, self.expected)
    }
}

/// The longest run: ten years of nanoseconds fit easily; this keeps time arithmetic far from overflow.
const DURATION_MAX_NS: u64 = 10 * 365 * 86_400 * 1_000_000_000;

/// The longest delay of a wire and the longest timer: a day, so that a route of many links stays far from overflow too.
const WAIT_MAX_NS: u64 = 86_400 * 1_000_000_000;
/// Most packets that a device holds.
const DEVICE_MAX: u32 = 10_000;

/// The fastest link and the fastest source, in bit/s.
pub(crate) const RATE_MAX_BPS: u64 = 100_000_000_000_000;

/// The most sources of a group.
const SOURCES_MAX: u32 = 1_000_000;

/// Refuse what does not meet a condition. Nothing is written as text where it does (`format_args!`): a sweep checks thousands of scenarios.
pub(crate) fn require(
    condition: bool,
    path: impl fmt::Display,
    value: impl fmt::Display,
    expected: impl fmt::Display,
) -> Result<(), ScenarioError> {
    if condition {
        return Ok(());
    }
    Err(ScenarioError { path: path.to_string(), value: value.to_string(), expected: expected.to_string() })
}

impl Scenario {
    /// The scenario in a JSON text. It is read here, so that no program and no test compiles the reader of its own.
    ///
    /// # Errors
    /// The text is no JSON, or no scenario; what it says may still be wrong ([`Self::check`]).
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The scenario in plain data.
    ///
    /// # Errors
    /// As [`Self::from_json`].
    pub fn from_value(plain: serde_json::Value) -> Result<Self, serde_json::Error> {
        serde_json::from_value(plain)
    }

    /// Find the code of the controllers that come from plug-ins.
    ///
    /// # Errors
    /// The first profile whose plug-in is not at hand, or comes from another file.
    pub fn bind(&mut self, plugins: &Plugins) -> Result<(), ScenarioError> {
        for (index, profile) in self.profiles.iter_mut().enumerate() {
            profile.bind(plugins, &format!("profiles[{index}]"))?;
        }
        Ok(())
    }

    /// Check everything a user can get wrong.
    ///
    /// # Errors
    /// The first problem found, with its path.
    pub fn check(&self) -> Result<(), ScenarioError> {
        require(
            (1..=DURATION_MAX_NS).contains(&self.duration_ns),
            "duration_ns",
            self.duration_ns,
            "1 ns to ten years",
        )?;
        require(self.warmup_ns < self.duration_ns, "warmup_ns", self.warmup_ns, "less than duration_ns")?;
        require(!self.links.is_empty(), "links", "[]", "at least one link")?;
        let anybody = !self.flows.is_empty() || !self.sources.is_empty() || !self.arrivals.is_empty();
        require(anybody, "flows", "[]", "at least one flow or source")?;
        for (i, link) in self.links.iter().enumerate() {
            link.check(format_args!("links[{i}]"), self.largest_packet())?;
        }
        for (i, profile) in self.profiles.iter().enumerate() {
            profile.check(&format!("profiles[{i}]"))?;
        }
        for (i, flow) in self.flows.iter().enumerate() {
            self.check_flow(flow, format_args!("flows[{i}]"))?;
        }
        for (i, arrivals) in self.arrivals.iter().enumerate() {
            arrivals.check(self, &format!("arrivals[{i}]"))?;
        }
        for (i, source) in self.sources.iter().enumerate() {
            self.check_source(source, format_args!("sources[{i}]"))?;
        }
        self.check_apps()?;
        for (i, change) in self.changes.iter().enumerate() {
            self.check_change(change, &format!("changes[{i}]"))?;
        }
        self.check_order()?;
        self.check_told()?;
        self.check_record()
    }

    /// Bytes of the largest packet of any flow or source.
    fn largest_packet(&self) -> u64 {
        let profiles = self.profiles.iter().map(|profile| profile.packet_bytes.max(profile.ack_bytes));
        let sources = self.sources.iter().map(|source| source.packet_bytes);
        u64::from(profiles.chain(sources).max().unwrap_or(1))
    }

    fn check_route(&self, route: &[u32], path: fmt::Arguments<'_>) -> Result<(), ScenarioError> {
        require(
            !route.is_empty() && route.len() < 250,
            path,
            format_args!("{} links", route.len()),
            "1 to 249 links",
        )?;
        for &link in route {
            require(
                (link as usize) < self.links.len(),
                path,
                link,
                format_args!("an index below {}", self.links.len()),
            )?;
        }
        Ok(())
    }

    fn check_flow(&self, flow: &FlowSpec, path: fmt::Arguments<'_>) -> Result<(), ScenarioError> {
        let profiles = self.profiles.len();
        require(
            (flow.profile as usize) < profiles,
            format_args!("{path}.profile"),
            flow.profile,
            format_args!("an index below {profiles}"),
        )?;
        self.check_route(&flow.forward, format_args!("{path}.forward"))?;
        self.check_route(&flow.reverse, format_args!("{path}.reverse"))?;
        require(
            flow.packets != Some(0),
            format_args!("{path}.packets"),
            0,
            "at least 1, or none for a flow without end",
        )?;
        require(
            flow.start_ns <= DURATION_MAX_NS,
            format_args!("{path}.start_ns"),
            flow.start_ns,
            "at most ten years",
        )?;
        let controller = &self.profiles[flow.profile as usize].controller;
        let carries = controller.properties().takes_recovery() || controller.endpoint().is_some();
        let endless = flow.packets.is_none() || carries;
        let expected = "none for a rate-based flow, which never makes up for what is lost";
        require(endless, format_args!("{path}.packets"), flow.packets.unwrap_or(0), expected)?;
        self.check_supply(flow, format_args!("{path}.supply"))?;
        if let Some(stop) = flow.stop_ns {
            require(stop > flow.start_ns, format_args!("{path}.stop_ns"), stop, "later than start_ns")?;
        }
        if let Some(deadline) = flow.frame_deadline_ns {
            let at = || format!("{path}.frame_deadline_ns");
            let codes = matches!(controller, ControllerSpec::Nada(_));
            require(
                codes,
                at(),
                deadline,
                "none for a flow whose controller has no encoder, such as nada's",
            )?;
            require((1..=WAIT_MAX_NS).contains(&deadline), at(), deadline, "more than 0, at most one day")?;
        }
        let jitter = self.profiles[flow.profile as usize].send_jitter_ns;
        let first = &self.links[flow.forward[0] as usize];
        require(
            jitter == 0 || first.queue.is_none() && first.trace_ms.is_none(),
            format_args!("{path}.forward"),
            format_args!("[{}, …]", flow.forward[0]),
            "a first link without queue where send_jitter_ns is set",
        )
    }

    fn check_supply(&self, flow: &FlowSpec, path: fmt::Arguments<'_>) -> Result<(), ScenarioError> {
        if flow.supply.is_empty() {
            return Ok(());
        }
        let count = || format!("{} entries", flow.supply.len());
        let controller = &self.profiles[flow.profile as usize].controller;
        let carries = controller.properties().takes_recovery() || controller.endpoint().is_some();
        let expected = "none for a rate-based flow, which always has something to send";
        require(carries, path, count(), expected)?;
        let expected = "none beside packets, of which it is the sum";
        require(flow.packets.is_none(), path, count(), expected)?;
        for (i, pair) in flow.supply.windows(2).enumerate() {
            let at = format!("{path}[{}]", i + 1);
            require(pair[0][0] < pair[1][0], at, pair[1][0], "a time later than the one before")?;
        }
        let mut total = 0u64;
        for (i, &[after, packets]) in flow.supply.iter().enumerate() {
            let at = || format!("{path}[{i}]");
            require(after <= DURATION_MAX_NS, at(), after, "at most ten years after the start")?;
            require(packets > 0, at(), 0, "at least 1 packet")?;
            total = total.saturating_add(packets);
            require(total < u64::from(u32::MAX), at(), packets, "fewer than 4294967295 packets together")?;
        }
        Ok(())
    }

    fn check_source(&self, source: &SourceSpec, path: fmt::Arguments<'_>) -> Result<(), ScenarioError> {
        self.check_route(&source.route, format_args!("{path}.route"))?;
        require(source.packet_bytes > 0, format_args!("{path}.packet_bytes"), 0, "at least 1")?;
        for (i, pair) in source.rates.windows(2).enumerate() {
            let at = format!("{path}.rates[{}]", i + 1);
            require(pair[0][0] < pair[1][0], at, pair[1][0], "a time later than the one before")?;
        }
        for (i, &[_, rate]) in source.rates.iter().enumerate() {
            require(rate <= RATE_MAX_BPS, format_args!("{path}.rates[{i}]"), rate, "at most 100 Tbit/s")?;
        }
        let (rates, counts) = (source.rates.len(), source.counts.len());
        require(
            counts == 0 || counts == rates,
            format_args!("{path}.counts"),
            format_args!("{counts} numbers"),
            format_args!("none, or as many as rates: {rates}"),
        )?;
        if let Some(frames) = &source.frames {
            frames.check(&format!("{path}.frames"))?;
            require(
                counts == 0,
                format_args!("{path}.counts"),
                counts,
                "none beside frames, which are of one source",
            )?;
        }
        for (i, (&count, &[_, rate])) in source.counts.iter().zip(&source.rates).enumerate() {
            let known = count <= SOURCES_MAX && rate.saturating_mul(u64::from(count)) <= RATE_MAX_BPS;
            let expected = "at most 1000000 sources, of 100 Tbit/s together";
            require(known, format_args!("{path}.counts[{i}]"), count, expected)?;
        }
        Ok(())
    }
}

impl LinkSpec {
    /// Does a packet that enters come out behind the one before it, at a moment that is known when it enters?
    pub fn keeps_order(&self) -> bool {
        self.queue.is_none() && self.trace_ms.is_none()
    }

    /// May it lose packets for other reasons than a full or a busy queue?
    pub fn loses(&self) -> bool {
        self.drop.is_some() || self.loss.is_some() || self.policer.is_some()
    }

    fn check(&self, path: fmt::Arguments<'_>, largest_packet: u64) -> Result<(), ScenarioError> {
        self.check_rate_or_trace(path)?;
        require(
            self.delay_ns <= WAIT_MAX_NS,
            format_args!("{path}.delay_ns"),
            self.delay_ns,
            "at most one day",
        )?;
        if let Some(queue) = &self.queue {
            queue.check(&format!("{path}.queue"))?;
        }
        self.check_buckets(path, largest_packet)?;
        self.check_device(path)?;
        if let Some(filter) = &self.ack_filter {
            let path = format!("{path}.ack_filter");
            require(self.queue.is_some(), &path, "given", "none on a link without a queue")?;
            filter.check(&path)?;
        }
        for (name, impairment) in [("drop", &self.drop), ("mark", &self.mark), ("loss", &self.loss)] {
            if let Some(impairment) = impairment {
                impairment.check(&format!("{path}.{name}"))?;
            }
        }
        self.late.as_ref().map_or(Ok(()), |late| late.check(&format!("{path}.late")))?;
        self.jitter.as_ref().map_or(Ok(()), |jitter| jitter.check(&format!("{path}.jitter")))?;
        if let Some(aggregate) = &self.aggregate {
            let path = format!("{path}.aggregate");
            let expected = "none but on a link with a queue and a rate";
            require(self.queue.is_some() && self.rate_bps.is_some(), &path, "given", expected)?;
            aggregate.check(&path)?;
        }
        Ok(())
    }
}

impl LinkSpec {
    /// It sends at a rate or by a trace.
    fn check_rate_or_trace(&self, path: fmt::Arguments<'_>) -> Result<(), ScenarioError> {
        let at = |name: &str| format!("{path}.{name}");
        match (&self.rate_bps, &self.trace_ms) {
            (Some(rate), None) => {
                let known = (1..=RATE_MAX_BPS).contains(rate);
                require(known, format_args!("{path}.rate_bps"), rate, "1 bit/s to 100 Tbit/s")?;
                let once = format_args!("{path}.trace_once");
                require(!self.trace_once, once, true, "false where there is no trace")
            }
            (None, Some(trace)) => {
                let last = trace.last().copied().unwrap_or_default();
                require(last > 0, at("trace_ms"), "no time after 0", "at least one delivery after 0 ms")?;
                let within = last <= DURATION_MAX_NS / 1_000_000;
                require(within, at("trace_ms"), "a time beyond ten years", "milliseconds within ten years")?;
                require(trace.is_sorted(), at("trace_ms"), "unsorted times", "ascending milliseconds")?;
                require(self.queue.is_some(), at("queue"), "none", "a queue in front of a trace")
            }
            (rate, _) => {
                let given = if rate.is_some() { "rate and trace" } else { "neither" };
                require(false, format_args!("{path}.rate_bps"), given, "either rate_bps or trace_ms")
            }
        }
    }

    fn check_buckets(&self, path: fmt::Arguments<'_>, largest_packet: u64) -> Result<(), ScenarioError> {
        for (name, bucket) in [("policer", &self.policer), ("shaper", &self.shaper)] {
            bucket.map_or(Ok(()), |bucket| bucket.check(&format!("{path}.{name}"), largest_packet))?;
        }
        let can_hold = self.queue.is_some() && self.rate_bps.is_some() && self.aggregate.is_none();
        let expected = "none on a link without a queue, with a trace or with transmit opportunities";
        let at = format_args!("{path}.shaper");
        require(self.shaper.is_none() || can_hold, at, "a token bucket", expected)
    }

    fn check_device(&self, path: fmt::Arguments<'_>) -> Result<(), ScenarioError> {
        let Some(packets) = self.device_queue else { return Ok(()) };
        let path = format!("{path}.device_queue");
        require((1..=DEVICE_MAX).contains(&packets), &path, packets, "1 to 10000 packets")?;
        let can_hold = self.queue.is_some() && self.rate_bps.is_some() && self.aggregate.is_none();
        let expected = "none on a link without a queue, with a trace or with transmit opportunities";
        require(can_hold, path, packets, expected)
    }

    /// The rate at which packets leave in the long run, bit/s; `None` for a trace.
    pub fn drain_bps(&self) -> Option<u64> {
        let shaped = self.shaper.map_or(u64::MAX, |shaper| shaper.rate_bps);
        self.rate_bps.map(|rate| rate.min(shaped))
    }
}
