//! PIE: arrivals are dropped or marked at random, with a probability that holds the waiting time at a target.
//!
//! Source: RFC 8033 §4 and appendix A; marks §5.1, the two options §5.4 and §5.5 with appendix B.
//!
//! | parameter       | unit    | default | why                                                                     |
//! |-----------------|---------|---------|-------------------------------------------------------------------------|
//! | packets         | packets | given   | a limit in packets, or                                                  |
//! | bytes           | bytes   | given   | a limit in bytes; neither counts the packet in transmission             |
//! | target          | time    | 15 ms   | RFC 8033 §4.2 (QDELAY_REF)                                              |
//! | t_update        | time    | 15 ms   | RFC 8033 §4.2                                                           |
//! | alpha           | 1/s     | 0.125   | RFC 8033 appendix A                                                     |
//! | beta            | 1/s     | 1.25    | RFC 8033 appendix A                                                     |
//! | max_burst       | time    | 150 ms  | RFC 8033 §4.4                                                           |
//! | ecn             | flag    | false   | RFC 8033 §5.1: optional                                                 |
//! | mark_ecnth      | 1       | 0.1     | RFC 8033 §5.1                                                           |
//! | cap_adjustment  | flag    | false   | RFC 8033 §5.5: optional; true in Linux and ns-3                         |
//! | derandomization | flag    | false   | RFC 8033 §5.4: optional; true in Linux, false in ns-3                   |
//! | variant         | choice  | rfc8033 | `docsis` for cable modems (RFC 8034), see [`docsis`]                    |
//!
//! At each update the probability p moves by the step of [`super::pi`], scaled down where p is small ([`scale`]). The delay is that of
//! the packet sent last, by its time of arrival; if it left nothing behind, 0, as in Linux and ns-3. An arrival is hit with
//! probability p, unless a burst is allowed, at most two packets wait, or the delay was below half of the target while p < 0.2. A hit
//! is a mark if `ecn` is true, the packet is ECN-capable and p < `mark_ecnth`; else a drop.
//!
//! A burst is allowed for `max_burst` from the last arrival on that found p at 0 and delays below half of the target. Differs from the
//! RFC, which counts an update as a whole period even if the burst began just before it: here a burst is safe for `max_burst` whenever
//! it begins, rounded up to the next update (as RFC 8033 §4.4 allows). "A couple of packets" are two of any size, where the pseudocode has
//! twice a mean size in bytes. A packet that is marked is queued, which appendix B leaves out, and begins a new distance between hits as a
//! drop does.
//!
//! Left out: the estimate of the departure rate (§5.2), as timestamps give the delay itself, and the state without control (§5.3), which
//! the appendix without options has not either. Appendix B decays the probability while delays are below half of the target; this is
//! appendix A, 2 % where the delay is 0. Linux and ns-3 do the same, Linux by 1/64.

mod docsis;

use super::codel::{SPAN_ACCEPTED, check_span};
use super::fifo::Line;
use super::limit::Limit;
use super::pi::Controller;
use super::table::Conditions;
use super::{
    Backlog, DisciplineInfo, DisciplineParameter, DisciplineSpec, DisciplineState, DropReason, Marking,
    Owner, QueueContext, QueueDiscipline, Queued, Rate, SUBQUEUES_MAX, ScenarioError, Span, TransmitterState,
    require,
};
use crate::packet::{ECT, Packet};
use crate::random::Stream;
use docsis::{Activity, Delays, Docsis, PROBABILITY_HIGH, PROBABILITY_LOW};
use sawtooth_cc::units::Time;
use serde::{Deserialize, Serialize};

/// Its row in the table.
pub const INFO: DisciplineInfo = DisciplineInfo {
    summary: "drops or marks arrivals at random, with a probability that holds the waiting time at the target",
    source: "RFC 8033; RFC 8034",
    buffer: "1000 packets",
    draws: true,
    has_state: true,
    marking: Marking::WithEcn,
    parameters: PARAMETERS,
    ..DisciplineInfo::BLANK
};

/// Gains that are accepted.
pub const GAIN_ACCEPTED: &str = "0 to 1000 per second";
const WITH_ECN: Conditions = &[("ecn", "true")];

/// What can be set besides the buffer.
const PARAMETERS: &[DisciplineParameter] = &[
    DisciplineParameter::span("target", SPAN_ACCEPTED, "Target of the waiting time. Default: RFC 8033 §4.2"),
    DisciplineParameter::span(
        "t_update",
        SPAN_ACCEPTED,
        "Time from one update of the probability to the next. Default: RFC 8033 §4.2",
    ),
    DisciplineParameter::new(
        "alpha",
        "real",
        "1/s",
        GAIN_ACCEPTED,
        "Change of the probability at an update, per second of delay above the target. Default: RFC 8033 appendix A",
    ),
    DisciplineParameter::new(
        "beta",
        "real",
        "1/s",
        GAIN_ACCEPTED,
        "Change of the probability at an update, per second by which the delay has grown since the last one. Default: RFC 8033 appendix A",
    ),
    DisciplineParameter::span(
        "max_burst",
        "0 to 1 day",
        "Time for which a burst that begins at an empty queue loses nothing. Default: RFC 8033 §4.4",
    ),
    DisciplineParameter::new(
        "ecn",
        "flag",
        "",
        "true or false",
        "ECN-capable packets are marked instead of dropped while the probability is below mark_ecnth. Default: RFC 8033 §5.1",
    )
    .of_marks(),
    DisciplineParameter::new(
        "mark_ecnth",
        "real",
        "1",
        "0 to 1",
        "Probability from which ECN-capable packets are dropped too. Default: RFC 8033 §5.1",
    )
    .of_marks()
    .only_with(WITH_ECN),
    DisciplineParameter::new(
        "cap_adjustment",
        "flag",
        "",
        "true or false",
        "From a probability of 0.1 on, an update adds at most 0.02. Default: RFC 8033 §5.5, optional; Linux and ns-3 do so",
    ),
    DisciplineParameter::new(
        "derandomization",
        "flag",
        "",
        "true or false",
        "Drops are spaced: none before the probabilities since the last one add up to 0.85, and always one at 8.5. Default: \
         RFC 8033 §5.4, optional; Linux does so",
    ),
    DisciplineParameter::choice(
        "variant",
        &["rfc8033", "docsis"],
        "Whose details: docsis is PIE in cable modems, RFC 8034, beside target = 10 ms, t_update = 16 ms, alpha = 0.25, beta = 2.5, \
         max_burst = 142 ms, cap_adjustment and derandomization. Default: RFC 8033",
    )
    .later(),
];

/// Whose details PIE has where these differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// Those of RFC 8033.
    #[default]
    Rfc8033,
    /// Those of RFC 8034.
    Docsis,
}

impl Variant {
    /// Is it what every queue had before there was another? Then the engine's data omit it, and runs keep their identities.
    fn is_default(&self) -> bool {
        *self == Variant::default()
    }
}

/// The numbers of PIE.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PieSpec {
    /// Packets that may wait, without the one in transmission.
    pub packets: Option<u64>,
    /// Bytes that may wait, without those in transmission.
    pub bytes: Option<u64>,
    /// Target of the waiting time.
    pub target_ns: u64,
    /// From one update to the next.
    pub t_update_ns: u64,
    /// Integral gain, 1/s.
    pub alpha: f64,
    /// Proportional gain, 1/s.
    pub beta: f64,
    /// How long a burst is let through.
    pub max_burst_ns: u64,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
    /// Probability from which they are dropped too.
    pub mark_ecnth: f64,
    /// An update adds at most 0.02 from a probability of 0.1 on.
    pub cap_adjustment: bool,
    /// Hits keep their distance.
    pub derandomization: bool,
    /// Whose details.
    #[serde(skip_serializing_if = "Variant::is_default")]
    pub variant: Variant,
}

impl Default for PieSpec {
    fn default() -> Self {
        PieSpec {
            packets: None,
            bytes: None,
            target_ns: 15_000_000,
            t_update_ns: 15_000_000,
            alpha: 0.125,
            beta: 1.25,
            max_burst_ns: 150_000_000,
            ecn: false,
            mark_ecnth: 0.1,
            cap_adjustment: false,
            derandomization: false,
            variant: Variant::default(),
        }
    }
}

/// Check a gain of a controller.
pub fn check_gain(path: &str, name: &str, gain: f64) -> Result<(), ScenarioError> {
    require((0.0..=1000.0).contains(&gain), format!("{path}.{name}"), gain, GAIN_ACCEPTED)
}

impl DisciplineSpec for PieSpec {
    type Discipline = Pie;

    fn limit(&self) -> (Option<u64>, Option<u64>) {
        (self.packets, self.bytes)
    }

    fn check(&self, path: &str) -> Result<(), ScenarioError> {
        check_span(path, "target_ns", self.target_ns)?;
        check_span(path, "t_update_ns", self.t_update_ns)?;
        check_gain(path, "alpha", self.alpha)?;
        check_gain(path, "beta", self.beta)?;
        if self.max_burst_ns > 0 {
            check_span(path, "max_burst_ns", self.max_burst_ns)?;
        }
        let known = (0.0..=1.0).contains(&self.mark_ecnth);
        require(known, format!("{path}.mark_ecnth"), self.mark_ecnth, "0 to 1")
    }

    fn build(&self, rate: Rate) -> Pie {
        let (target, period) = (Span::from_nanos(self.target_ns), Span::from_nanos(self.t_update_ns));
        let docsis = (self.variant == Variant::Docsis).then(|| Docsis::new(rate));
        let max_burst = Span::from_nanos(self.max_burst_ns);
        let law = Law {
            params: Params {
                period,
                max_burst,
                ecn: self.ecn,
                mark_below: self.mark_ecnth,
                cap_adjustment: self.cap_adjustment,
                derandomization: self.derandomization,
            },
            controller: Controller::new(target, period, self.alpha, self.beta),
            state: State {
                probability: 0.0,
                delay: 0.0,
                allowance: if docsis.is_some() { Span::ZERO } else { max_burst },
                allowed_from: Time::ZERO,
                sum: 0.0,
            },
            docsis,
        };
        Pie { limit: self.buffer(), law, line: Line::default() }
    }
}

/// What is given, besides gains and target.
#[derive(Clone, Copy, Debug)]
struct Params {
    period: Span,
    max_burst: Span,
    ecn: bool,
    mark_below: f64,
    cap_adjustment: bool,
    derandomization: bool,
}

/// What evolves, besides the delay at the last update.
#[derive(Clone, Copy, Debug)]
struct State {
    probability: f64,
    /// Waiting time of the packet sent last, in seconds; of cable modems, that of what waited at the last update.
    delay: f64,
    /// For how long, from the last update on, a burst is let through.
    allowance: Span,
    /// When the allowance was last made whole.
    allowed_from: Time,
    /// Of the probabilities since the last drop.
    sum: f64,
}

/// What decides, apart from the packets: those who look on may take a copy ahead.
#[derive(Clone, Copy, Debug)]
struct Law {
    params: Params,
    controller: Controller,
    state: State,
    /// What else evolves in a cable modem.
    docsis: Option<Docsis>,
}

/// A queue under PIE.
#[derive(Debug)]
pub struct Pie {
    limit: Limit,
    law: Law,
    line: Line,
}

/// By what a step is divided at this probability: RFC 8033 §4.2.
fn scale(probability: f64) -> f64 {
    match probability {
        p if p < 0.000_001 => 2048.0,
        p if p < 0.000_01 => 512.0,
        p if p < 0.000_1 => 128.0,
        p if p < 0.001 => 32.0,
        p if p < 0.01 => 8.0,
        p if p < 0.1 => 2.0,
        _ => 1.0,
    }
}

impl Law {
    /// Make up for the updates that are due, while so much has waited. Most packets find none.
    #[inline(always)]
    fn catch_up(&mut self, now: Time, waiting: Backlog) {
        if self.controller.is_due(now) {
            self.make_up(now, waiting);
        }
    }

    #[cold]
    fn make_up(&mut self, now: Time, waiting: Backlog) {
        while let Some(due) = self.controller.due(now) {
            match self.docsis {
                None => self.update(due),
                Some(docsis) => self.update_docsis(docsis, waiting),
            }
            let State { probability, delay, .. } = self.state;
            let rests = self.docsis.is_none_or(|docsis| docsis.activity == Activity::Inactive);
            if rests && probability == 0.0 && delay == 0.0 && self.controller.before() == 0.0 {
                self.controller.skip_to(now);
            }
        }
    }

    /// By how much an update moves the probability for this delay; `scale` divides it.
    fn step(&mut self, delay: f64, scale: f64) -> f64 {
        let step = self.controller.step(delay) / scale;
        let capped = self.params.cap_adjustment && self.state.probability >= 0.1;
        if capped { step.min(0.02) } else { step }
    }

    fn update(&mut self, due: Time) {
        let was_idle = self.state.delay == 0.0 && self.controller.before() == 0.0;
        let step = self.step(self.state.delay, scale(self.state.probability));
        let Law { params, state, .. } = self;
        state.probability += step;
        if was_idle {
            state.probability *= 0.98;
        }
        state.probability = state.probability.clamp(0.0, 1.0);
        let passed = params.period.nanos().min((due - state.allowed_from).nanos());
        state.allowance = Span::from_nanos(state.allowance.nanos().saturating_sub(passed));
    }

    /// The same of cable modems, in which a burst is let through for whole periods: RFC 8034 appendix A.2.
    fn update_docsis(&mut self, mut docsis: Docsis, waiting: Backlog) {
        let (before, target) = (self.controller.before(), self.controller.target());
        let delays = Delays { now: docsis.delay(waiting), before, target };
        let period = self.params.period;
        let step = self.step(delays.now, docsis::scale(self.state.probability));
        let state = &mut self.state;
        state.delay = delays.now;
        if state.allowance > Span::ZERO {
            state.probability = 0.0;
            state.allowance = Span::from_nanos(state.allowance.nanos().saturating_sub(period.nanos()));
        } else {
            state.probability = Docsis::moved(state.probability, step, delays);
        }
        docsis.settle(state.probability == 0.0 && state.allowance == Span::ZERO, delays, period);
        self.docsis = Some(docsis);
    }

    /// Were delays small, at the last update and since?
    #[inline]
    fn is_calm(&self) -> bool {
        let half = self.controller.target() / 2.0;
        self.state.delay < half && self.controller.before() < half
    }

    /// A burst may begin with an arrival now.
    #[inline]
    fn allow_burst(&mut self, now: Time) {
        if self.docsis.is_none() && self.state.probability == 0.0 && self.is_calm() {
            (self.state.allowance, self.state.allowed_from) = (self.params.max_burst, now);
        }
    }

    /// Were delays so small at the last update that nothing is dropped?
    #[inline]
    fn is_spared(&self) -> bool {
        self.controller.before() < self.controller.target() / 2.0 && self.state.probability < 0.2
    }

    /// Is an arrival hit that finds so much waiting?
    #[inline]
    fn hits(&mut self, waiting: Backlog, random: &mut Stream) -> bool {
        if self.state.allowance > Span::ZERO || self.is_spared() || waiting.packets <= 2 {
            return false;
        }
        let Law { params, state, .. } = self;
        if params.derandomization {
            state.sum = if state.probability == 0.0 { 0.0 } else { state.sum + state.probability };
        }
        self.draws(self.state.probability, random)
    }

    /// Is one hit with this probability, the sum of which since the last hit has been taken?
    #[inline]
    fn draws(&self, probability: f64, random: &mut Stream) -> bool {
        if self.params.derandomization {
            if self.state.sum < PROBABILITY_LOW {
                return false;
            }
            if self.state.sum >= PROBABILITY_HIGH {
                return true;
            }
        }
        random.uniform() < probability
    }

    /// Is this arrival hit in a cable modem? RFC 8034 appendix A.3.
    fn hits_docsis(&mut self, bytes: u16, waiting: Backlog, limit: Limit, random: &mut Stream) -> bool {
        let Some(docsis) = &mut self.docsis else { unreachable!("only cable modems have these details") };
        if self.state.allowance > Span::ZERO {
            return false;
        }
        if self.state.probability == 0.0 {
            self.state.sum = 0.0;
        }
        if !docsis.wakes(waiting, limit) {
            return false;
        }
        let probability = Docsis::scaled(self.state.probability, bytes);
        self.state.sum += probability;
        if self.is_spared() || Docsis::is_short(waiting) || !self.draws(probability, random) {
            return false;
        }
        if self.docsis.as_mut().is_some_and(Docsis::note_drop) {
            self.state.allowance = self.params.max_burst;
        }
        true
    }
}

impl QueueDiscipline for Pie {
    fn enqueue(&mut self, mut arrival: Queued, context: &mut QueueContext<'_>) {
        let now = context.now();
        let Pie { limit, law, line } = self;
        let waiting = line.backlog();
        law.catch_up(now, waiting);
        law.allow_burst(now);
        if !limit.has_room(waiting, arrival.packet) {
            law.state.sum = 0.0;
            return context.drop(arrival, DropReason::Full);
        }
        let probability = law.state.probability;
        let hits = match law.docsis {
            None => law.hits(waiting, context.random),
            Some(_) => law.hits_docsis(arrival.packet.bytes(), waiting, *limit, context.random),
        };
        if hits {
            law.state.sum = 0.0;
            let marks = law.params.ecn && probability < law.params.mark_below;
            if !(marks && arrival.packet.has(ECT)) {
                return context.drop(arrival, DropReason::Early);
            }
            context.mark(&mut arrival);
        }
        line.push(arrival);
    }

    fn dequeue(&mut self, context: &mut QueueContext<'_>) -> Option<Queued> {
        let now = context.now();
        let Pie { law, line, .. } = self;
        law.catch_up(now, line.backlog());
        let sent = line.pop();
        if law.docsis.is_none() {
            law.state.delay = match sent {
                Some(queued) if line.backlog().packets > 0 => (now - queued.arrived).nanos() as f64 / 1e9,
                _ => 0.0,
            };
        }
        sent
    }

    fn remove(
        &mut self,
        owner: Owner,
        wanted: &mut dyn FnMut(Packet) -> bool,
        context: &mut QueueContext<'_>,
    ) -> Option<Queued> {
        if self.law.docsis.is_some() {
            self.law.catch_up(context.now(), self.line.backlog());
        }
        self.line.remove(owner, wanted)
    }

    fn backlog(&self) -> Backlog {
        self.line.backlog()
    }

    fn set_rate(&mut self, rate: Rate, transmitter: &TransmitterState) {
        if self.law.docsis.is_some() {
            self.law.catch_up(transmitter.now, self.line.backlog());
        }
        if let Some(docsis) = &mut self.law.docsis {
            docsis.set_rate(rate);
        }
    }

    fn states(&self, now: Time) -> [Option<DisciplineState>; SUBQUEUES_MAX] {
        let (backlog, waited) = (self.line.backlog(), self.line.waited(now));
        let mut law = self.law; // a copy, so that looking on changes nothing
        law.catch_up(now, backlog);
        let probability = law.state.probability;
        [Some(DisciplineState { backlog, waited, probability, dropping: 0 }), None]
    }
}

#[cfg(test)]
mod tests;
