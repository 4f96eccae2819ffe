//! Endpoints of a scenario: what flows share, and their TCP settings.

use super::{ScenarioError, WAIT_MAX_NS, require};
use crate::ack_details::ACK_DELAY_MAX;
use crate::describe::OF_WINDOW_LAWS;
use crate::tcp::recovery::{Feedback, table};
use crate::tcp::{
    ApplicationLimit, Ecn, Pacing, RECOVERIES, RecoveryKind, Reduction, ReorderingWindow, RtoRule,
    RttSamples, RttTicks, SackPipe, SackTimeout, TimerClock,
};
use sawtooth_cc::units::{Span, Window};
use sawtooth_cc::{
    ConstructorError, ControlSettings, ControllerSpec, IdleRule, Plugins, SlowStartExit, SlowStartKind,
    TimeoutThreshold, UndoRule, WindowArithmetic, check_controller,
};
use serde::{Deserialize, Serialize};

/// Endpoint settings shared by flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The congestion controller.
    pub controller: ControllerSpec,
    /// The loss recovery; none for a rate-based controller, which sends nothing twice, and for a whole endpoint, which has its own.
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
    pub ecn: Ecn,
    pub receive_window: Option<u32>,
    pub initial_ssthresh: Option<f64>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub rtt_samples: RttSamples,
    #[serde(default, skip_serializing_if = "is_default")]
    pub pacing: Pacing,
    #[serde(default, skip_serializing_if = "is_default")]
    pub rto: RtoRule,
    #[serde(default, skip_serializing_if = "is_default")]
    pub prr: Reduction,
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub timestamps: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub ack_every: Option<u32>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub ack_aggregation_ns: u64,
    #[serde(default, skip_serializing_if = "is_default")]
    pub slow_start: SlowStartKind,
    #[serde(default, skip_serializing_if = "is_default")]
    pub ecn_beta: Option<f64>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub idle: IdleRule,
    #[serde(default, skip_serializing_if = "is_default")]
    pub undo: UndoRule,
    #[serde(default, skip_serializing_if = "is_default")]
    pub reordering_window: ReorderingWindow,
    #[serde(default, skip_serializing_if = "is_default")]
    pub prr_marks: bool,
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub tail_probe: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub max_ack_delay_ns: u64,
    #[serde(default, skip_serializing_if = "is_default")]
    pub timers: TimerClock,
    #[serde(default, skip_serializing_if = "is_default")]
    pub application_limit: ApplicationLimit,
    #[serde(default, skip_serializing_if = "is_default")]
    pub rtt_ticks: RttTicks,
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_yes(flag: &bool) -> bool {
    *flag
}

/// Settings that were added later are omitted at their default, so that older scenarios keep their text and their identity.
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
            ecn: Ecn::default(),
            receive_window: None,
            initial_ssthresh: None,
            rtt_samples: RttSamples::default(),
            pacing: Pacing::default(),
            rto: RtoRule::default(),
            prr: Reduction::default(),
            timestamps: true,
            ack_every: None,
            ack_aggregation_ns: 0,
            slow_start: control.slow_start,
            ecn_beta: None,
            idle: control.idle,
            undo: control.undo,
            reordering_window: ReorderingWindow::default(),
            prr_marks: false,
            tail_probe: true,
            max_ack_delay_ns: 0,
            timers: TimerClock::default(),
            application_limit: ApplicationLimit::default(),
            rtt_ticks: RttTicks::default(),
        }
    }
}

impl TcpSpec {
    /// The defaults of a flow with this recovery: some have their own.
    pub fn beside(recovery: Option<RecoveryKind>) -> Self {
        TcpSpec::default().with(recovery.map_or(&[][..], |kind| kind.info().defaults))
    }

    fn with(self, defaults: &[(&str, &str)]) -> Self {
        if defaults.is_empty() {
            return self;
        }
        let mut plain = serde_json::to_value(self).expect("plain data");
        for &(name, word) in defaults {
            match word.strip_suffix(" ms").and_then(|number| number.parse::<u64>().ok()) {
                Some(millis) => plain[format!("{name}_ns")] = (millis * 1_000_000).into(),
                None => plain[name] = table::plain(word),
            }
        }
        serde_json::from_value(plain).expect("a default is a setting and a word of it")
    }

    /// The defaults of a flow with this controller and this recovery.
    pub fn of(controller: &ControllerSpec, recovery: Option<RecoveryKind>) -> Self {
        TcpSpec::beside(recovery).with(controller.defaults())
    }

    /// So many packets in order are acknowledged at once; fewer wait for up to `delayed_ack_timeout`.
    pub fn acknowledged_at_once(&self) -> u32 {
        self.ack_every.unwrap_or(if self.delayed_ack { 2 } else { 1 })
    }

    /// For how long a sender thinks that the receiver of a single packet may keep the acknowledgement (`TLP.max_ack_delay` of RFC 8985).
    pub fn presumed_ack_delay(&self) -> Span {
        self.max_ack_delay().max(Span::from_nanos(self.max_ack_delay_ns))
    }

    /// How long a receiver delays an acknowledgement at most (`max_ack_delay` of RFC 9002).
    pub fn max_ack_delay(&self) -> Span {
        let delays = self.acknowledged_at_once() > 1;
        Span::from_nanos(if delays { self.delayed_ack_timeout_ns } else { 0 })
    }

    /// What of this concerns the controller.
    pub fn control_settings(&self) -> ControlSettings {
        ControlSettings {
            initial_window: Window::from_packets(self.initial_window),
            initial_threshold: self.initial_ssthresh.map(Window::from_packets),
            slow_start: self.slow_start,
            paced: self.pacing == Pacing::On,
            slow_start_exit: self.slow_start_exit,
            timeout_threshold: self.timeout_threshold,
            window_arithmetic: self.window_arithmetic,
            rto_cuts: self.rto_cuts,
            ecn_beta: self.ecn_beta,
            idle: self.idle,
            undo: self.undo,
            ..ControlSettings::default()
        }
    }
}

/// Settings that mean nothing to a rate-based controller: the name, its default in words, and the reason.
const NOTHING_TO_A_RATE: &[(&str, &str, &str)] = &[
    ("rtt_samples", "round", "which has its own measure of round trips"),
    ("pacing", "off", "whose packets leave one by one anyway"),
    ("rto", "rfc6298", "which retransmits nothing"),
    ("prr", "off", "which has no fast recovery"),
    ("ack_every", "none", "whose receiver reports"),
    ("ack_aggregation_ns", "0", "whose receiver reports"),
    ("slow_start", "standard", "which has a start of its own"),
    ("ecn_beta", "none", "which takes a mark for a loss"),
    ("idle", "keep", "which has a rule of its own"),
    ("undo", "rfc", "which retransmits nothing"),
    ("reordering_window", "rfc8985", "which retransmits nothing"),
    ("prr_marks", "false", "which has no fast recovery"),
    ("tail_probe", "true", "which retransmits nothing"),
    ("max_ack_delay_ns", "0", "which retransmits nothing"),
    ("timers", "exact", "which retransmits nothing"),
    ("application_limit", "rfc9438", "which has no window"),
    ("rtt_ticks", "up", "which has its own measure of round trips"),
];

impl Profile {
    /// Does a receiver answer a data packet at the moment at which it arrives, whatever else happens?
    pub fn answers_at_once(&self) -> bool {
        let at_once = self.tcp.acknowledged_at_once() == 1 && self.tcp.ack_aggregation_ns == 0;
        at_once && !self.controller.properties().own_transport
    }

    /// What means nothing to a rate-based controller stays at its default.
    fn check_beside_a_rate(&self, path: &str) -> Result<(), ScenarioError> {
        let ecn = self.tcp.ecn;
        let expected = "off or classic for a rate-based controller, whose reports say what was marked";
        require(!ecn.counts(), format!("{path}.tcp.ecn"), ecn.word(), expected)?;
        let plain = |tcp: &TcpSpec| serde_json::to_value(tcp).expect("plain data");
        let (given, defaults) = (plain(&self.tcp), plain(&TcpSpec::default()));
        for &(name, default, reason) in NOTHING_TO_A_RATE {
            let value = &given[name];
            let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let expected = format!("{default} for a rate-based controller, {reason}");
            require(*value == defaults[name], format!("{path}.tcp.{name}"), shown, &expected)?;
        }
        Ok(())
    }

    /// A controller with a transport that keeps no records, or with settings that are those of window laws.
    fn check_beside_a_model(&self, path: &str) -> Result<(), ScenarioError> {
        let properties = self.controller.properties();
        if let Some(recovery) = self.recovery.map(|kind| kind.info()).filter(|row| !row.serves(properties)) {
            let serving: Vec<_> = RECOVERIES.iter().filter(|row| row.serves(properties)).collect();
            let names = serving.iter().map(|row| row.name).collect::<Vec<_>>().join(" or ");
            let expected = format!("{names} for a controller that needs to know what became of each packet");
            require(false, format!("{path}.recovery"), recovery.name, &expected)?;
        }
        if let ControllerSpec::Plugin(_) = self.controller
            && properties.takes_recovery()
        {
            self.check_beside_a_plugin(path)?;
        }
        if !properties.takes_recovery() || properties.conduct {
            return Ok(());
        }
        let plain = |tcp: &TcpSpec| serde_json::to_value(tcp).expect("plain data");
        let (given, defaults) = (plain(&self.tcp), plain(&TcpSpec::default()));
        for &name in OF_WINDOW_LAWS {
            let (given, default) = (&given[name], &defaults[name]);
            let expected =
                "its default beside a controller with a model of the path: only window laws read it";
            require(given == default, format!("{path}.tcp.{name}"), given, expected)?;
        }
        Ok(())
    }

    /// What laws of the table carry out themselves is not part of the interface of plug-ins.
    fn check_beside_a_plugin(&self, path: &str) -> Result<(), ScenarioError> {
        let (at, tcp) = (|name: &str| format!("{path}.tcp.{name}"), &self.tcp);
        let word = serde_json::to_value(tcp.slow_start).expect("plain data");
        let expected = "standard beside a controller of a plug-in, which has a slow start of its own";
        require(tcp.slow_start == SlowStartKind::default(), at("slow_start"), word, expected)?;
        let word = serde_json::to_value(tcp.idle).expect("plain data");
        let expected = "keep beside a controller of a plug-in, which hears of idle times itself";
        require(tcp.idle == IdleRule::Keep, at("idle"), word, expected)?;
        let word = serde_json::to_value(tcp.undo).expect("plain data");
        let expected = "rfc beside a controller of a plug-in, which hears of spurious signals itself";
        require(tcp.undo == UndoRule::Rfc, at("undo"), word, expected)?;
        let given = tcp.ecn_beta.unwrap_or_default();
        let expected = "none beside a controller of a plug-in, which answers marks itself";
        require(tcp.ecn_beta.is_none(), at("ecn_beta"), given, expected)
    }

    /// Has each transmission a number of its own?
    fn is_numbered(&self) -> bool {
        self.recovery.is_some_and(|kind| kind.info().feedback == Feedback::Numbered)
    }

    /// Where packets are numbered, acknowledgements have few bits for their delay.
    fn check_numbered(&self, path: &str) -> Result<(), ScenarioError> {
        let told = !self.is_numbered() || self.tcp.max_ack_delay() <= ACK_DELAY_MAX;
        let timeout = self.tcp.delayed_ack_timeout_ns;
        require(told, format!("{path}.tcp.delayed_ack_timeout_ns"), timeout, "at most 500 ms beside quic")
    }

    /// What a mark leaves, where marks arrive and the law does not answer their number.
    fn check_ecn_beta(&self, path: &str) -> Result<(), ScenarioError> {
        let Some(kept) = self.tcp.ecn_beta else { return Ok(()) };
        let at = format!("{path}.tcp.ecn_beta");
        require(kept > 0.0 && kept <= 1.0, at.clone(), kept, "more than 0 and at most 1")?;
        let counts = self.controller.properties().counts_marks;
        require(!counts, at.clone(), kept, "none for a controller that counts marks")?;
        require(self.tcp.ecn != Ecn::Off, at, kept, "none where tcp.ecn is off")
    }

    /// Only a coarse clock has ticks to count.
    fn check_ticks(&self, path: &str) -> Result<(), ScenarioError> {
        let has_ticks = self.tcp.timer_tick_ns > 0 || self.tcp.rtt_ticks == RttTicks::Up;
        let expected = "up where tcp.timer_tick is 0: there is nothing to count";
        require(has_ticks, format!("{path}.tcp.rtt_ticks"), "counted", expected)
    }

    pub(super) fn check(&self, path: &str) -> Result<(), ScenarioError> {
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
        if self.is_numbered() {
            // Probes back off up to it: below the granularity of timers (RFC 9002 §6.1.2) they would leave without end.
            let bounded = tcp.max_rto_ns >= 1_000_000;
            require(bounded, at("tcp.max_rto_ns"), tcp.max_rto_ns, "at least 1 ms beside quic")?;
        } else {
            let bounded = tcp.max_rto_ns >= tcp.min_rto_ns;
            require(bounded, at("tcp.max_rto_ns"), tcp.max_rto_ns, "at least min_rto")?;
        }
        require(tcp.delayed_ack_timeout_ns > 0, at("tcp.delayed_ack_timeout_ns"), 0, "a positive time")?;
        require(tcp.ack_every != Some(0), at("tcp.ack_every"), 0, "at least 1 packet, or none")?;
        let agree = !tcp.delayed_ack || tcp.ack_every != Some(1);
        require(agree, at("tcp.ack_every"), 1, "2 or more, or none, where tcp.delayed_ack is true")?;
        for (name, span) in [
            ("send_jitter_ns", self.send_jitter_ns),
            ("tcp.initial_rto_ns", tcp.initial_rto_ns),
            ("tcp.max_rto_ns", tcp.max_rto_ns),
            ("tcp.timer_tick_ns", tcp.timer_tick_ns),
            ("tcp.delayed_ack_timeout_ns", tcp.delayed_ack_timeout_ns),
            ("tcp.ack_aggregation_ns", tcp.ack_aggregation_ns),
            ("tcp.max_ack_delay_ns", tcp.max_ack_delay_ns),
        ] {
            require(span <= WAIT_MAX_NS, at(name), span, "at most one day")?;
        }
        self.check_numbered(path)?;
        let uncounted = self.controller.properties().counts_marks && !tcp.ecn.counts();
        require(
            !uncounted,
            at("tcp.ecn"),
            tcp.ecn.word(),
            "accurate or l4s for a controller that counts marks",
        )?;
        self.check_ecn_beta(path)?;
        let takes_recovery = self.controller.properties().takes_recovery();
        let is_stack = self.controller.endpoint().is_some();
        let wanted = if is_stack {
            self.check_beside_a_stack(path)?;
            "none for an endpoint of a plug-in, which has a recovery of its own"
        } else if takes_recovery {
            "a loss recovery for a controller with a window"
        } else {
            self.check_beside_a_rate(path)?;
            "none for a rate-based controller, which sends nothing twice"
        };
        let fits = self.recovery.is_some() == takes_recovery;
        require(fits, at("recovery"), self.recovery.map_or("none", |_| "given"), wanted)?;
        self.check_beside_a_model(path).and_then(|()| self.check_ticks(path))?;
        check_controller(&self.controller).map_err(|error| self.complaint(path, error))
    }

    /// Find the code of its controller, if that comes from a plug-in.
    pub(super) fn bind(&mut self, plugins: &Plugins, path: &str) -> Result<(), ScenarioError> {
        plugins.bind(&mut self.controller).map_err(|error| self.complaint(path, error))
    }

    /// What is wrong with its controller.
    fn complaint(&self, path: &str, error: ConstructorError) -> ScenarioError {
        let at = |name: &str| format!("{path}.{name}");
        match error {
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
            ConstructorError::NotLoaded { name, file } => ScenarioError {
                path: at("controller"),
                value: name,
                expected: format!("its plug-in to be loaded, from the file of SHA-256 {file}"),
            },
            ConstructorError::OtherFile { name, file, loaded } => ScenarioError {
                path: at("controller"),
                value: name,
                expected: format!("the file of SHA-256 {file}; the one that is loaded has {loaded}"),
            },
            other => ScenarioError {
                path: at("controller"),
                value: self.controller.plain().0.to_owned(),
                expected: other.to_string(),
            },
        }
    }
}
