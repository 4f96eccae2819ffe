//! DualPI2: a queue for L4S packets beside one for all others, marked and dropped by one controller of delay so that neither starves the other.
//!
//! Source: RFC 9332 appendix A (figures 2 to 8), the scheduler appendix A.2.
//!
//! | parameter     | unit    | default  | why                                                                              |
//! |---------------|---------|----------|----------------------------------------------------------------------------------|
//! | packets       | packets | given    | the buffer that both queues share, in packets, or                                |
//! | bytes         | bytes   | given    | in bytes; neither counts the packet in transmission                              |
//! | target        | time    | 15 ms    | RFC 9332 figure 2                                                                |
//! | t_update      | time    | 16 ms    | RFC 9332 appendix A.1                                                            |
//! | alpha         | 1/s     | 0.16     | RFC 9332 appendix A.1                                                            |
//! | beta          | 1/s     | 3.2      | RFC 9332 appendix A.1                                                            |
//! | coupling      | 1       | 2        | RFC 9332 figure 2 (k)                                                            |
//! | min_threshold | time    | 800 us   | RFC 9332 figure 2 (minTh)                                                        |
//! | range         | time    | 400 us   | RFC 9332 figure 2; 0 makes a step of the ramp                                    |
//! | min_packets   | packets | 1        | RFC 9332 figure 2 (Th_len)                                                       |
//! | scheduler     | choice  | weighted | RFC 9332 appendix A.2, recommended; `time-shifted` is the other one there        |
//! | weight        | 1       | 0.0625   | RFC 9332 appendix A.2: 1/16 of the bytes for C while both hold packets           |
//! | shift         | time    | 50 ms    | RFC 9332 appendix A.2 (tshift)                                                   |
//!
//! Packets with ECT(1) or a mark go to queue L, the others to C. At each update p' moves by the step of [`super::pi`] for the delay of the
//! packet that has waited longest. A packet of C is hit with probability p_C = p'²: marked if it is ECN-capable, else dropped. A packet of
//! L is marked with the larger of p_CL = coupling · p' and what the ramp says of its own wait: 0 up to `min_threshold`, 1 from there plus
//! `range`. Where p_CL has reached 1, and so p_C 1/coupling², the queues are overloaded: packets of L are dropped with p_C and marked
//! otherwise, and a hit of C is a drop whatever the packet. Those drops are *forced*, for chance had no part in what is dropped; hits come
//! at even distances, not at random (figure 4, `recur`).
//!
//! The weighted scheduler has a credit that each byte sent from C lowers and each byte from L raises while both queues hold packets,
//! in the ratio of their weights; C is served when it is above 0. It returns to 0, in favour of L, when nothing waits (the custom of
//! Linux that the RFC names).
//!
//! Where the RFC leaves it open: L counts as longer than `min_packets` with the packet that is sent, and `lq.time()` is how long that packet
//! waited. A packet that is dropped at its turn costs its queue no credit. Differs from the RFC: an arrival must fit into the buffer
//! whole, whatever its size, where figure 3 keeps room for the largest. In overload every packet of L that is left is marked, as the
//! text says; line 8h of figure 7 would spare one where the sum of likelihoods is exactly 0. Differs from Linux: no hits are spared while less than two packets wait, and
//! Linux draws its hits at random.

use super::codel::{SPAN_ACCEPTED, check_span};
use super::fifo::Line;
use super::limit::Limit;
use super::pi::Controller;
use super::pie::{GAIN_ACCEPTED, check_gain};
use super::table::Conditions;
use super::{
    Backlog, DisciplineInfo, DisciplineParameter, DisciplineSpec, DisciplineState, DropReason, Marking,
    Owner, QueueContext, QueueDiscipline, Queued, Rate, SUBQUEUES_MAX, ScenarioError, Span, require,
};
use crate::packet::{ECT, Packet};
use sawtooth_cc::units::Time;
use serde::{Deserialize, Serialize};

/// Its row in the table.
pub const INFO: DisciplineInfo = DisciplineInfo {
    summary: "an L4S queue beside a classic one, coupled so that neither starves the other",
    source: "RFC 9332",
    buffer: "250 ms",
    schedules: true,
    drops_at_departure: true,
    has_state: true,
    marking: Marking::Always,
    subqueues: &["L", "C"],
    parameters: PARAMETERS,
    ..DisciplineInfo::BLANK
};

const WEIGHTED: Conditions = &[("scheduler", "weighted")];
const SHIFTED: Conditions = &[("scheduler", "time-shifted")];
const COUPLING_ACCEPTED: &str = "0.01 to 100";
const WEIGHT_ACCEPTED: &str = "0.001 to 0.999";
const PACKETS_MAX: u64 = 1_000_000_000;

/// What can be set besides the buffer.
const PARAMETERS: &[DisciplineParameter] = &[
    DisciplineParameter::span(
        "target",
        SPAN_ACCEPTED,
        "Target of the waiting time in the classic queue. Default: RFC 9332 appendix A.1",
    ),
    DisciplineParameter::span(
        "t_update",
        SPAN_ACCEPTED,
        "Time from one update of the probability to the next. Default: RFC 9332 appendix A.1",
    ),
    DisciplineParameter::new(
        "alpha",
        "real",
        "1/s",
        GAIN_ACCEPTED,
        "Change of the probability at an update, per second of delay above the target. Default: RFC 9332 appendix A.1",
    ),
    DisciplineParameter::new(
        "beta",
        "real",
        "1/s",
        GAIN_ACCEPTED,
        "Change of the probability at an update, per second by which the delay has grown since the last one. Default: RFC 9332 appendix A.1",
    ),
    DisciplineParameter::new(
        "coupling",
        "real",
        "1",
        COUPLING_ACCEPTED,
        "Probability that an L4S packet is marked, relative to the square root of the classic probability. Default: RFC 9332 appendix A.1",
    )
    .of_marks(),
    DisciplineParameter::span(
        "min_threshold",
        SPAN_ACCEPTED,
        "An L4S packet that has waited at least this long is marked by its own queue. Default: RFC 9332 appendix A.1",
    )
    .of_l4s(),
    DisciplineParameter::span(
        "range",
        "0 to 1 day",
        "Additional waiting time from which it is always marked. Default: RFC 9332 appendix A.1",
    )
    .of_l4s(),
    DisciplineParameter::new(
        "min_packets",
        "count",
        "packets",
        "0 to 1e9",
        "Length of the L4S queue up to which its waiting time causes no marks. Default: RFC 9332 appendix A.1",
    )
    .of_l4s(),
    DisciplineParameter::choice(
        "scheduler",
        &["weighted", "time-shifted"],
        "Which queue is served while both hold packets: each by its weight, or the one whose first packet has waited longer, classic \
         packets shift less. Default: RFC 9332 appendix A.2",
    )
    .of_l4s(),
    DisciplineParameter::new(
        "weight",
        "real",
        "1",
        WEIGHT_ACCEPTED,
        "Share of the bytes for the classic queue while both hold packets. Default: RFC 9332 appendix A.2, 1/16",
    )
    .of_l4s()
    .only_with(WEIGHTED),
    DisciplineParameter::span(
        "shift",
        SPAN_ACCEPTED,
        "Head start of an L4S packet: a classic packet must have waited this much longer. Default: RFC 9332 appendix A.2",
    )
    .of_l4s()
    .only_with(SHIFTED),
];

/// Which queue is served while both hold packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduler {
    /// Each has its share of the bytes.
    #[default]
    Weighted,
    /// First in, first out, but for a head start of L.
    TimeShifted,
}

/// The numbers of DualPI2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DualPi2Spec {
    /// Packets of both queues, the one in transmission not included.
    pub packets: Option<u64>,
    /// Bytes of both queues, the packet in transmission not included.
    pub bytes: Option<u64>,
    /// Target of the waiting time.
    pub target_ns: u64,
    /// From one update to the next.
    pub t_update_ns: u64,
    /// Integral gain, 1/s.
    pub alpha: f64,
    /// Proportional gain, 1/s.
    pub beta: f64,
    /// The factor k.
    pub coupling: f64,
    /// Where the ramp begins.
    pub min_threshold_ns: u64,
    /// How long it is.
    pub range_ns: u64,
    /// Packets of L for which the ramp says nothing.
    pub min_packets: u64,
    /// Which queue is served.
    pub scheduler: Scheduler,
    /// Part of C.
    pub weight: f64,
    /// Head start of L.
    pub shift_ns: u64,
}

impl Default for DualPi2Spec {
    fn default() -> Self {
        DualPi2Spec {
            packets: None,
            bytes: None,
            target_ns: 15_000_000,
            t_update_ns: 16_000_000,
            alpha: 0.16,
            beta: 3.2,
            coupling: 2.0,
            min_threshold_ns: 800_000,
            range_ns: 400_000,
            min_packets: 1,
            scheduler: Scheduler::default(),
            weight: 0.0625,
            shift_ns: 50_000_000,
        }
    }
}

impl DisciplineSpec for DualPi2Spec {
    type Discipline = DualPi2;

    fn limit(&self) -> (Option<u64>, Option<u64>) {
        (self.packets, self.bytes)
    }

    fn check(&self, path: &str) -> Result<(), ScenarioError> {
        check_span(path, "target_ns", self.target_ns)?;
        check_span(path, "t_update_ns", self.t_update_ns)?;
        check_gain(path, "alpha", self.alpha)?;
        check_gain(path, "beta", self.beta)?;
        let known = (0.01..=100.0).contains(&self.coupling);
        require(known, format!("{path}.coupling"), self.coupling, COUPLING_ACCEPTED)?;
        check_span(path, "min_threshold_ns", self.min_threshold_ns)?;
        if self.range_ns > 0 {
            check_span(path, "range_ns", self.range_ns)?;
        }
        let known = self.min_packets <= PACKETS_MAX;
        require(known, format!("{path}.min_packets"), self.min_packets, "0 to 1e9")?;
        let known = (0.001..=0.999).contains(&self.weight);
        require(known, format!("{path}.weight"), self.weight, WEIGHT_ACCEPTED)?;
        check_span(path, "shift_ns", self.shift_ns)
    }

    fn build(&self, _: Rate) -> DualPi2 {
        let (target, period) = (Span::from_nanos(self.target_ns), Span::from_nanos(self.t_update_ns));
        DualPi2 {
            limit: self.buffer(),
            params: Params {
                coupling: self.coupling,
                overload: (1.0 / (self.coupling * self.coupling)).min(1.0),
                ramp_from: Span::from_nanos(self.min_threshold_ns),
                ramp: Span::from_nanos(self.range_ns),
                min_packets: self.min_packets,
                scheduler: self.scheduler,
                weight: self.weight,
                shift: Span::from_nanos(self.shift_ns),
            },
            controller: Controller::new(target, period, self.alpha, self.beta),
            state: State::default(),
            low: Line::default(),
            classic: Line::default(),
        }
    }
}

/// What is given, besides gains and target.
#[derive(Clone, Copy, Debug)]
struct Params {
    coupling: f64,
    /// The classic probability from which on ECN is of no use.
    overload: f64,
    ramp_from: Span,
    ramp: Span,
    min_packets: u64,
    scheduler: Scheduler,
    weight: f64,
    shift: Span,
}

/// What evolves, besides the delay at the last update.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// p'.
    base: f64,
    /// p_CL.
    coupled: f64,
    /// p_C.
    classic: f64,
    /// What the likelihoods in L and in C add up to, less the hits.
    sums: [f64; 2],
    /// Above 0, it is the turn of C.
    credit: f64,
}

/// The queues, by their number among the subqueues.
const L: u8 = 0;
const C: u8 = 1;

/// Two queues under DualPI2.
#[derive(Debug)]
pub struct DualPi2 {
    limit: Limit,
    params: Params,
    controller: Controller,
    state: State,
    low: Line,
    classic: Line,
}

impl Params {
    /// The likelihood of a mark by the ramp, for a packet of L that waited so long.
    fn native(&self, waited: Span) -> f64 {
        if waited >= self.ramp_from + self.ramp {
            1.0
        } else if waited > self.ramp_from {
            (waited.nanos() - self.ramp_from.nanos()) as f64 / self.ramp.nanos() as f64
        } else {
            0.0
        }
    }
}

impl State {
    fn set_base(&mut self, base: f64, coupling: f64) {
        self.base = base.clamp(0.0, 1.0);
        self.coupled = (coupling * self.base).min(1.0);
        self.classic = self.base * self.base;
    }

    /// Is the next packet of this queue hit? The function `recur` of figure 4.
    fn hits(&mut self, queue: u8, likelihood: f64) -> bool {
        let sum = &mut self.sums[usize::from(queue)];
        *sum += likelihood;
        let hit = *sum > 1.0;
        if hit {
            *sum -= 1.0;
        }
        hit
    }

    /// So much was sent from a queue while the other one held packets.
    fn charge(&mut self, queue: u8, bytes: u16, weight: f64) {
        let bytes = f64::from(bytes);
        self.credit += if queue == L { weight * bytes } else { (weight - 1.0) * bytes };
    }
}

impl DualPi2 {
    /// Make up for the updates that are due.
    #[inline]
    fn catch_up(&mut self, now: Time) {
        if self.controller.is_due(now) {
            (self.controller, self.state) = self.caught_up(now);
        }
    }

    /// What evolves, after the updates that are due.
    fn caught_up(&self, now: Time) -> (Controller, State) {
        let (mut controller, mut state) = (self.controller, self.state);
        while let Some(due) = controller.due(now) {
            let delay = self.low.waited(due).max(self.classic.waited(due)).nanos() as f64 / 1e9;
            let base = state.base + controller.step(delay);
            state.set_base(base, self.params.coupling);
            if state.base == 0.0 && controller.before() == 0.0 && self.backlog().packets == 0 {
                controller.skip_to(now);
            }
        }
        (controller, state)
    }

    /// The queue that is served now.
    fn next(&self, now: Time) -> Option<u8> {
        let (low, classic) = (self.low.first()?.arrived, self.classic.first()?.arrived);
        let is_classic = match self.params.scheduler {
            Scheduler::Weighted => self.state.credit > 0.0,
            Scheduler::TimeShifted => now - low + self.params.shift < now - classic,
        };
        Some(if is_classic { C } else { L })
    }

    /// A packet of L is about to be sent: whether it is marked; `None` if it is dropped instead.
    fn judge_low(&mut self, queued: &Queued, now: Time) -> Option<bool> {
        let Params { min_packets, .. } = self.params;
        if self.state.coupled >= 1.0 {
            return (!self.state.hits(L, self.state.classic)).then_some(true);
        }
        let with_it = self.low.backlog().packets + 1;
        let native = if with_it > min_packets { self.params.native(now - queued.arrived) } else { 0.0 };
        Some(self.state.hits(L, native.max(self.state.coupled)))
    }

    /// The same of a packet of C.
    fn judge_classic(&mut self, queued: &Queued) -> Option<bool> {
        if !self.state.hits(C, self.state.classic) {
            return Some(false);
        }
        (queued.packet.has(ECT) && !self.is_overloaded()).then_some(true)
    }

    fn is_overloaded(&self) -> bool {
        self.state.classic >= self.params.overload
    }
}

impl QueueDiscipline for DualPi2 {
    fn enqueue(&mut self, mut arrival: Queued, context: &mut QueueContext<'_>) {
        self.catch_up(context.now());
        let queue = if arrival.packet.is_l4s() { L } else { C };
        context.assign(&mut arrival, queue);
        if !self.limit.has_room(self.backlog(), arrival.packet) {
            context.drop(arrival, DropReason::Full);
        } else if queue == L {
            self.low.push(arrival);
        } else {
            self.classic.push(arrival);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext<'_>) -> Option<Queued> {
        let now = context.now();
        self.catch_up(now);
        loop {
            let contended = self.next(now);
            let from_low = contended.map_or(self.low.first().is_some(), |queue| queue == L);
            let popped = if from_low { self.low.pop() } else { self.classic.pop() };
            let Some(mut queued) = popped else {
                self.state.credit = 0.0;
                return None;
            };
            let judged = if from_low { self.judge_low(&queued, now) } else { self.judge_classic(&queued) };
            let Some(marked) = judged else {
                let forced = queued.packet.has(ECT);
                context.drop(queued, if forced { DropReason::Forced } else { DropReason::Early });
                continue;
            };
            if marked {
                context.mark(&mut queued);
            }
            if let Some(queue) = contended {
                self.state.charge(queue, queued.packet.bytes(), self.params.weight);
            }
            return Some(queued);
        }
    }

    fn remove(
        &mut self,
        owner: Owner,
        wanted: &mut dyn FnMut(Packet) -> bool,
        _: &mut QueueContext<'_>,
    ) -> Option<Queued> {
        self.low.remove(owner, wanted).or_else(|| self.classic.remove(owner, wanted))
    }

    fn backlog(&self) -> Backlog {
        let (low, classic) = (self.low.backlog(), self.classic.backlog());
        Backlog { packets: low.packets + classic.packets, bytes: low.bytes + classic.bytes }
    }

    fn states(&self, now: Time) -> [Option<DisciplineState>; SUBQUEUES_MAX] {
        let (_, State { coupled, classic, .. }) = self.caught_up(now);
        [(&self.low, coupled), (&self.classic, classic)].map(|(line, probability)| {
            Some(DisciplineState {
                backlog: line.backlog(),
                waited: line.waited(now),
                probability,
                dropping: 0,
            })
        })
    }
}

#[cfg(test)]
mod tests;
