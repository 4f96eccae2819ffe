//! A scenario: plain data that fully describes one run, and the checks at the door.
//!
//! Everything is an integer in the engine's own units (ns, bit/s, bytes, packets) except controller
//! numbers and probabilities. Python builds it from what people write; Rust users build it directly.
//! After [`Scenario::check`] nothing inside a run can fail.

use sawtooth_cc::{
    ConstructorError, ControlSettings, ControllerSpec, SlowStartExit, TimeoutThreshold, WindowArithmetic,
    check_controller, units::Window,
};
use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;

use crate::tcp::{EcnFeedback, Pacing, RecoveryKind, RttSamples, SackPipe, SackTimeout};

mod arrivals;
mod record;

pub use crate::queue::QueueSpec;
pub use crate::queue::droptail::DropTailSpec;
pub use crate::queue::drr::DrrSpec;
pub use crate::queue::red::{RedSpec, Spacing};
pub use crate::queue::rio::{AverageUpdates, OutProfileRule, RioSpec};
pub use crate::series::RecordSpec;
pub use arrivals::{ArrivalSchedule, ArrivalSpec};

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
}

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
}

/// Endpoint settings shared by flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The congestion controller.
    pub controller: ControllerSpec,
    /// The loss recovery; none for a rate-based controller, which sends nothing twice.
    #[serde(default)]
    pub recovery: Option<RecoveryKind>,
    /// Data packet on the wire.
    pub packet_bytes: u16,
    /// Acknowledgement and SYN on the wire.
    pub ack_bytes: u16,
    /// Each data packet leaves the sender uniformly up to this much later, order kept.
    #[serde(default)]
    pub send_jitter_ns: u64,
    /// The other TCP settings.
    pub tcp: TcpSpec,
}

/// TCP settings. Defaults and reasons stand in [`crate::describe::TCP`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct TcpSpec {
    pub initial_window: f64,
    pub initial_rto_ns: u64,
    pub min_rto_ns: u64,
    pub max_rto_ns: u64,
    pub timer_tick_ns: u64,
    pub limited_transmit: bool,
    pub delayed_ack: bool,
    pub delayed_ack_timeout_ns: u64,
    pub slow_start_exit: SlowStartExit,
    pub timeout_threshold: TimeoutThreshold,
    pub window_arithmetic: WindowArithmetic,
    pub reno_recover_test: bool,
    pub sack_pipe: SackPipe,
    #[serde(default)]
    pub sack_timeout: SackTimeout,
    pub rto_cuts: bool,
    pub ecn: bool,
    pub receive_window: Option<u32>,
    pub initial_ssthresh: Option<f64>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub ecn_feedback: EcnFeedback,
    #[serde(default, skip_serializing_if = "is_default")]
    pub rtt_samples: RttSamples,
    #[serde(default, skip_serializing_if = "is_default")]
    pub pacing: Pacing,
}

/// Settings that came later are left out at their default, so that scenarios from before keep their text and their identity.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Default for TcpSpec {
    fn default() -> Self {
        let control = ControlSettings::default();
        TcpSpec {
            initial_window: control.initial_window.packets(),
            initial_rto_ns: 1_000_000_000,
            min_rto_ns: 200_000_000,
            max_rto_ns: 60_000_000_000,
            timer_tick_ns: 0,
            limited_transmit: true,
            delayed_ack: false,
            delayed_ack_timeout_ns: 200_000_000,
            slow_start_exit: control.slow_start_exit,
            timeout_threshold: control.timeout_threshold,
            window_arithmetic: control.window_arithmetic,
            reno_recover_test: true,
            sack_pipe: SackPipe::default(),
            sack_timeout: SackTimeout::default(),
            rto_cuts: control.rto_cuts,
            ecn: false,
            receive_window: None,
            initial_ssthresh: None,
            ecn_feedback: EcnFeedback::default(),
            rtt_samples: RttSamples::default(),
            pacing: Pacing::default(),
        }
    }
}

impl TcpSpec {
    /// What of this concerns the controller.
    pub fn control_settings(&self) -> ControlSettings {
        ControlSettings {
            initial_window: Window::from_packets(self.initial_window),
            initial_threshold: self.initial_ssthresh.map(Window::from_packets),
            slow_start_exit: self.slow_start_exit,
            timeout_threshold: self.timeout_threshold,
            window_arithmetic: self.window_arithmetic,
            rto_cuts: self.rto_cuts,
            ..ControlSettings::default()
        }
    }
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
    /// `[after_ns, packets]`: so long after its start its application makes so many more packets available; absent: everything is
    /// there from the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supply: Vec<[u64; 2]>,
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

/// The fastest link and the fastest source, in bit/s.
const RATE_MAX_BPS: u64 = 100_000_000_000_000;

/// The most sources of a group.
const SOURCES_MAX: u32 = 1_000_000;

pub(crate) fn require(
    condition: bool,
    path: impl Into<String>,
    value: impl fmt::Display,
    expected: &str,
) -> Result<(), ScenarioError> {
    if condition {
        return Ok(());
    }
    Err(ScenarioError { path: path.into(), value: value.to_string(), expected: expected.to_owned() })
}

impl Scenario {
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
            link.check(&format!("links[{i}]"))?;
        }
        for (i, profile) in self.profiles.iter().enumerate() {
            profile.check(&format!("profiles[{i}]"))?;
        }
        for (i, flow) in self.flows.iter().enumerate() {
            self.check_flow(flow, &format!("flows[{i}]"))?;
        }
        for (i, arrivals) in self.arrivals.iter().enumerate() {
            arrivals.check(self, &format!("arrivals[{i}]"))?;
        }
        for (i, source) in self.sources.iter().enumerate() {
            self.check_source(source, &format!("sources[{i}]"))?;
        }
        self.check_record()
    }

    fn check_route(&self, route: &[u32], path: &str) -> Result<(), ScenarioError> {
        require(
            !route.is_empty() && route.len() < 250,
            path,
            format!("{} links", route.len()),
            "1 to 249 links",
        )?;
        for &link in route {
            require(
                (link as usize) < self.links.len(),
                path,
                link,
                &format!("an index below {}", self.links.len()),
            )?;
        }
        Ok(())
    }

    fn check_flow(&self, flow: &FlowSpec, path: &str) -> Result<(), ScenarioError> {
        let profiles = self.profiles.len();
        require(
            (flow.profile as usize) < profiles,
            format!("{path}.profile"),
            flow.profile,
            &format!("an index below {profiles}"),
        )?;
        self.check_route(&flow.forward, &format!("{path}.forward"))?;
        self.check_route(&flow.reverse, &format!("{path}.reverse"))?;
        require(
            flow.packets != Some(0),
            format!("{path}.packets"),
            0,
            "at least 1, or none for a flow without end",
        )?;
        require(
            flow.start_ns <= DURATION_MAX_NS,
            format!("{path}.start_ns"),
            flow.start_ns,
            "at most ten years",
        )?;
        let controller = self.profiles[flow.profile as usize].controller.properties();
        let endless = flow.packets.is_none() || controller.takes_recovery();
        require(
            endless,
            format!("{path}.packets"),
            flow.packets.unwrap_or(0),
            "none for a rate-based flow, which never makes up for what is lost",
        )?;
        self.check_supply(flow, &format!("{path}.supply"))?;
        if let Some(stop) = flow.stop_ns {
            require(stop > flow.start_ns, format!("{path}.stop_ns"), stop, "later than start_ns")?;
        }
        let jitter = self.profiles[flow.profile as usize].send_jitter_ns;
        let first = &self.links[flow.forward[0] as usize];
        require(
            jitter == 0 || first.queue.is_none() && first.trace_ms.is_none(),
            format!("{path}.forward"),
            format!("[{}, …]", flow.forward[0]),
            "a first link without queue where send_jitter_ns is set",
        )
    }

    fn check_supply(&self, flow: &FlowSpec, path: &str) -> Result<(), ScenarioError> {
        if flow.supply.is_empty() {
            return Ok(());
        }
        let count = || format!("{} entries", flow.supply.len());
        let takes_recovery = self.profiles[flow.profile as usize].controller.properties().takes_recovery();
        let expected = "none for a rate-based flow, which always has something to send";
        require(takes_recovery, path, count(), expected)?;
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

    fn check_source(&self, source: &SourceSpec, path: &str) -> Result<(), ScenarioError> {
        self.check_route(&source.route, &format!("{path}.route"))?;
        require(source.packet_bytes > 0, format!("{path}.packet_bytes"), 0, "at least 1")?;
        for (i, pair) in source.rates.windows(2).enumerate() {
            let at = format!("{path}.rates[{}]", i + 1);
            require(pair[0][0] < pair[1][0], at, pair[1][0], "a time later than the one before")?;
        }
        for (i, &[_, rate]) in source.rates.iter().enumerate() {
            require(rate <= RATE_MAX_BPS, format!("{path}.rates[{i}]"), rate, "at most 100 Tbit/s")?;
        }
        let (rates, counts) = (source.rates.len(), source.counts.len());
        require(
            counts == 0 || counts == rates,
            format!("{path}.counts"),
            format!("{counts} numbers"),
            &format!("none, or as many as rates: {rates}"),
        )?;
        for (i, (&count, &[_, rate])) in source.counts.iter().zip(&source.rates).enumerate() {
            let known = count <= SOURCES_MAX && rate.saturating_mul(u64::from(count)) <= RATE_MAX_BPS;
            let expected = "at most 1000000 sources, of 100 Tbit/s together";
            require(known, format!("{path}.counts[{i}]"), count, expected)?;
        }
        Ok(())
    }
}

impl LinkSpec {
    /// Does a packet that enters come out behind the one before it, at a moment that is known when it enters?
    pub fn keeps_order(&self) -> bool {
        self.queue.is_none() && self.trace_ms.is_none()
    }

    fn check(&self, path: &str) -> Result<(), ScenarioError> {
        match (&self.rate_bps, &self.trace_ms) {
            (Some(rate), None) => {
                let known = (1..=RATE_MAX_BPS).contains(rate);
                require(known, format!("{path}.rate_bps"), rate, "1 bit/s to 100 Tbit/s")?;
                require(
                    !self.trace_once,
                    format!("{path}.trace_once"),
                    true,
                    "false where there is no trace",
                )?;
            }
            (None, Some(trace)) => {
                let some = trace.last().is_some_and(|&last| last > 0);
                require(
                    some,
                    format!("{path}.trace_ms"),
                    "no time after 0",
                    "at least one delivery after 0 ms",
                )?;
                let within = trace.last().is_some_and(|&last| last <= DURATION_MAX_NS / 1_000_000);
                require(
                    within,
                    format!("{path}.trace_ms"),
                    "a time beyond ten years",
                    "milliseconds within ten years",
                )?;
                require(
                    trace.is_sorted(),
                    format!("{path}.trace_ms"),
                    "unsorted times",
                    "ascending milliseconds",
                )?;
                require(
                    self.queue.is_some(),
                    format!("{path}.queue"),
                    "none",
                    "a queue in front of a trace",
                )?;
            }
            (rate, _) => {
                let given = if rate.is_some() { "rate and trace" } else { "neither" };
                require(false, format!("{path}.rate_bps"), given, "either rate_bps or trace_ms")?;
            }
        }
        require(self.delay_ns <= WAIT_MAX_NS, format!("{path}.delay_ns"), self.delay_ns, "at most one day")?;
        if let Some(queue) = &self.queue {
            queue.check(&format!("{path}.queue"))?;
        }
        for (name, impairment) in [("drop", &self.drop), ("mark", &self.mark)] {
            if let Some(impairment) = impairment {
                impairment.check(&format!("{path}.{name}"))?;
            }
        }
        Ok(())
    }
}

impl ImpairmentSpec {
    fn check(&self, path: &str) -> Result<(), ScenarioError> {
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
        }
    }
}

impl Profile {
    /// Does a receiver answer a data packet at the moment at which it arrives, whatever else happens?
    pub fn answers_at_once(&self) -> bool {
        !self.tcp.delayed_ack && !self.controller.properties().own_transport
    }

    fn check(&self, path: &str) -> Result<(), ScenarioError> {
        let tcp = &self.tcp;
        let at = |name: &str| format!("{path}.{name}");
        require(self.packet_bytes > 0, at("packet_bytes"), self.packet_bytes, "at least 1")?;
        require(self.ack_bytes > 0, at("ack_bytes"), self.ack_bytes, "at least 1")?;
        let initial = (1.0..=1e9).contains(&tcp.initial_window);
        require(initial, at("tcp.initial_window"), tcp.initial_window, "1 to 1e9 packets")?;
        let threshold = tcp.initial_ssthresh.is_none_or(|threshold| threshold >= 1.0);
        require(threshold, at("tcp.initial_ssthresh"), "below 1", "at least 1 packet, or none")?;
        require(tcp.receive_window != Some(0), at("tcp.receive_window"), 0, "at least 1 packet, or none")?;
        require(tcp.min_rto_ns > 0, at("tcp.min_rto_ns"), 0, "a positive time")?;
        require(tcp.initial_rto_ns > 0, at("tcp.initial_rto_ns"), 0, "a positive time")?;
        require(tcp.max_rto_ns >= tcp.min_rto_ns, at("tcp.max_rto_ns"), tcp.max_rto_ns, "at least min_rto")?;
        require(tcp.delayed_ack_timeout_ns > 0, at("tcp.delayed_ack_timeout_ns"), 0, "a positive time")?;
        for (name, span) in [
            ("send_jitter_ns", self.send_jitter_ns),
            ("tcp.initial_rto_ns", tcp.initial_rto_ns),
            ("tcp.max_rto_ns", tcp.max_rto_ns),
            ("tcp.timer_tick_ns", tcp.timer_tick_ns),
            ("tcp.delayed_ack_timeout_ns", tcp.delayed_ack_timeout_ns),
        ] {
            require(span <= WAIT_MAX_NS, at(name), span, "at most one day")?;
        }
        let counts = tcp.ecn_feedback == EcnFeedback::Counts;
        require(!counts || tcp.ecn, at("tcp.ecn_feedback"), "counts", "echo where tcp.ecn is false")?;
        let takes_recovery = self.controller.properties().takes_recovery();
        let expected = "echo for a rate-based controller, whose reports say what was marked";
        require(!counts || takes_recovery, at("tcp.ecn_feedback"), "counts", expected)?;
        let every = tcp.rtt_samples == RttSamples::Every;
        let expected = "round for a rate-based controller, which has its own measure of round trips";
        require(!every || takes_recovery, at("tcp.rtt_samples"), "every", expected)?;
        let paced = tcp.pacing == Pacing::On;
        let expected = "off for a rate-based controller, whose packets leave one by one anyway";
        require(!paced || takes_recovery, at("tcp.pacing"), "on", expected)?;
        let wanted = if takes_recovery {
            "a loss recovery for a controller with a window"
        } else {
            "none for a rate-based controller, which sends nothing twice"
        };
        let fits = self.recovery.is_some() == takes_recovery;
        require(fits, at("recovery"), self.recovery.map_or("none", |_| "given"), wanted)?;
        check_controller(&self.controller).map_err(|error| match error {
            ConstructorError::OutOfRange { parameter, value, min, max } => ScenarioError {
                path: at(&format!("controller.{parameter}")),
                value: value.to_string(),
                expected: format!("{min} ≤ {parameter} ≤ {max}"),
            },
            ConstructorError::NotWhole { parameter, value, min, max } => ScenarioError {
                path: at(&format!("controller.{parameter}")),
                value: value.to_string(),
                expected: format!("a whole number, {min} ≤ {parameter} ≤ {max}"),
            },
            other => unreachable!("plain numbers can only be out of range or not whole: {other}"),
        })
    }
}
