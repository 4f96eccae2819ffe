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

use super::codel::{SPAN_ACCEPTED, check_span};
use super::fifo::Line;
use super::limit::Limit;
use super::pi::Controller;
use super::table::Conditions;
use super::{
    Backlog, DisciplineInfo, DisciplineParameter, DisciplineSpec, DisciplineState, DropReason, Marking,
    Owner, QueueContext, QueueDiscipline, Queued, Rate, SUBQUEUES_MAX, ScenarioError, Span, require,
};
use crate::packet::{ECT, Packet};
use crate::random::Stream;
use sawtooth_cc::units::Time;
use serde::{Deserialize, Serialize};

/// Its row in the table.
pub const INFO: DisciplineInfo = DisciplineInfo {
    summary: "drops or marks arrivals at random, with a probability that holds the waiting time at the target",
    source: "RFC 8033",
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
];

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

    fn build(&self, _: Rate) -> Pie {
        let (target, period) = (Span::from_nanos(self.target_ns), Span::from_nanos(self.t_update_ns));
        Pie {
            limit: self.buffer(),
            params: Params {
                period,
                max_burst: Span::from_nanos(self.max_burst_ns),
                ecn: self.ecn,
                mark_below: self.mark_ecnth,
                cap_adjustment: self.cap_adjustment,
                derandomization: self.derandomization,
            },
            controller: Controller::new(target, period, self.alpha, self.beta),
            state: State {
                probability: 0.0,
                delay: 0.0,
                allowance: Span::from_nanos(self.max_burst_ns),
                allowed_from: Time::ZERO,
                sum: 0.0,
            },
            line: Line::default(),
        }
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
    /// Waiting time of the packet sent last, in seconds.
    delay: f64,
    /// For how long, from the last update on, a burst is let through.
    allowance: Span,
    /// When the allowance was last made whole.
    allowed_from: Time,
    /// Of the probabilities since the last drop.
    sum: f64,
}

/// A queue under PIE.
#[derive(Debug)]
pub struct Pie {
    limit: Limit,
    params: Params,
    controller: Controller,
    state: State,
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

impl Pie {
    /// Make up for the updates that are due. Most packets find none.
    #[inline(always)]
    fn catch_up(&mut self, now: Time) {
        if self.controller.is_due(now) {
            self.make_up(now);
        }
    }

    #[cold]
    fn make_up(&mut self, now: Time) {
        while let Some(due) = self.controller.due(now) {
            self.update(due);
            let State { probability, delay, .. } = self.state;
            if probability == 0.0 && delay == 0.0 && self.controller.before() == 0.0 {
                self.controller.skip_to(now);
            }
        }
    }

    fn update(&mut self, due: Time) {
        let Pie { params, controller, state, .. } = self;
        let was_idle = state.delay == 0.0 && controller.before() == 0.0;
        let mut step = controller.step(state.delay) / scale(state.probability);
        if params.cap_adjustment && state.probability >= 0.1 {
            step = step.min(0.02);
        }
        state.probability += step;
        if was_idle {
            state.probability *= 0.98;
        }
        state.probability = state.probability.clamp(0.0, 1.0);
        let passed = params.period.nanos().min((due - state.allowed_from).nanos());
        state.allowance = Span::from_nanos(state.allowance.nanos().saturating_sub(passed));
    }

    /// Were delays small, at the last update and since?
    #[inline]
    fn is_calm(&self) -> bool {
        let half = self.controller.target() / 2.0;
        self.state.delay < half && self.controller.before() < half
    }

    /// Is an arrival hit?
    #[inline]
    fn hits(&mut self, random: &mut Stream) -> bool {
        let Pie { params, controller, state, line, .. } = self;
        let spared = controller.before() < controller.target() / 2.0 && state.probability < 0.2;
        if state.allowance > Span::ZERO || spared || line.backlog().packets <= 2 {
            return false;
        }
        if params.derandomization {
            state.sum = if state.probability == 0.0 { 0.0 } else { state.sum + state.probability };
            if state.sum < 0.85 {
                return false;
            }
            if state.sum >= 8.5 {
                return true;
            }
        }
        random.uniform() < state.probability
    }
}

impl QueueDiscipline for Pie {
    fn enqueue(&mut self, mut arrival: Queued, context: &mut QueueContext<'_>) {
        let now = context.now();
        self.catch_up(now);
        if self.state.probability == 0.0 && self.is_calm() {
            (self.state.allowance, self.state.allowed_from) = (self.params.max_burst, now);
        }
        if !self.limit.has_room(self.line.backlog(), arrival.packet) {
            self.state.sum = 0.0;
            return context.drop(arrival, DropReason::Full);
        }
        if self.hits(context.random) {
            self.state.sum = 0.0;
            let marks = self.params.ecn && self.state.probability < self.params.mark_below;
            if !(marks && arrival.packet.has(ECT)) {
                return context.drop(arrival, DropReason::Early);
            }
            context.mark(&mut arrival);
        }
        self.line.push(arrival);
    }

    fn dequeue(&mut self, context: &mut QueueContext<'_>) -> Option<Queued> {
        let now = context.now();
        self.catch_up(now);
        let sent = self.line.pop();
        self.state.delay = match sent {
            Some(queued) if self.line.backlog().packets > 0 => (now - queued.arrived).nanos() as f64 / 1e9,
            _ => 0.0,
        };
        sent
    }

    fn remove(
        &mut self,
        owner: Owner,
        wanted: &mut dyn FnMut(Packet) -> bool,
        _: &mut QueueContext<'_>,
    ) -> Option<Queued> {
        self.line.remove(owner, wanted)
    }

    fn backlog(&self) -> Backlog {
        self.line.backlog()
    }

    fn states(&self, now: Time) -> [Option<DisciplineState>; SUBQUEUES_MAX] {
        let (backlog, waited) = (self.line.backlog(), self.line.waited(now));
        [Some(DisciplineState { backlog, waited, probability: self.state.probability, dropping: 0 }), None]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Packet, PacketKind};
    use crate::queue::{Queue, QueueSpec, TransmitterState};

    const MILLISECOND: u64 = 1_000_000;
    /// Time of a packet of 1250 B at 10 Mbit/s.
    const PACKET: u64 = MILLISECOND;

    fn idle(now: u64) -> TransmitterState {
        let now = Time::from_nanos(now);
        TransmitterState { now, in_transmission: Backlog::default(), idle_since: Time::NEVER }
    }

    fn queued(number: u32, flags: u16, now: u64) -> Queued {
        let packet = Packet::new(PacketKind::Data, 0, number, 1250, flags);
        Queued { packet, arrived: Time::from_nanos(now), ..Queued::default() }
    }

    fn queue(spec: PieSpec) -> Queue {
        let spec = QueueSpec::Pie(PieSpec { packets: Some(100_000), ..spec });
        Queue::new(&spec, Rate::from_bits_per_second(10_000_000), Stream::new("1", "test"))
    }

    /// From this time on, for so long, several packets arrive in the time of one; when one was dropped or marked first, if ever.
    fn first_hit(queue: &mut Queue, from: u64, nanos: u64, overload: u64, flags: u16) -> Option<u64> {
        let mut first = None;
        for (number, now) in (0u32..).zip((from..from + nanos).step_by((PACKET / overload) as usize)) {
            queue.enqueue(queued(number, flags, now), idle(now));
            if u64::from(number) % overload == overload - 1 {
                queue.dequeue(idle(now));
            }
            if queue.next_signal().is_some() {
                first = first.or(Some(now - from));
            }
        }
        first
    }

    #[test]
    fn a_burst_from_empty_loses_nothing_for_its_allowance_whenever_it_begins() {
        for overload in [2, 3, 10] {
            for from in (0..40).map(|step| 1_000 * MILLISECOND + step * 700_000) {
                let mut pie = queue(PieSpec::default());
                assert_eq!(
                    first_hit(&mut pie, from, 150 * MILLISECOND, overload, 0),
                    None,
                    "{overload} {from}"
                );
            }
        }
        let mut pie = queue(PieSpec::default());
        let first =
            first_hit(&mut pie, 0, 3_000 * MILLISECOND, 2, 0).expect("overload is dropped in the end");
        assert!(first >= 150 * MILLISECOND, "{first}");
        let mut without = queue(PieSpec { max_burst_ns: 0, ..PieSpec::default() });
        assert!(first_hit(&mut without, 0, 150 * MILLISECOND, 10, 0).is_some(), "where none is allowed");
    }

    /// A queue whose last packet waited for so long, at this probability.
    fn set(spec: &PieSpec, probability: f64, delay_ms: f64) -> Pie {
        let spec = PieSpec { packets: Some(1_000), ..spec.clone() };
        let mut pie = spec.build(Rate::from_bits_per_second(1));
        pie.state.probability = probability;
        pie.state.delay = delay_ms / 1e3;
        pie.controller.step(delay_ms / 1e3);
        pie
    }

    #[test]
    fn small_probabilities_move_in_small_steps() {
        for (probability, divisor) in [
            (0.0, 2048.0),
            (0.000_000_9, 2048.0),
            (0.000_001, 512.0),
            (0.000_009, 512.0),
            (0.000_01, 128.0),
            (0.000_09, 128.0),
            (0.000_1, 32.0),
            (0.000_9, 32.0),
            (0.001, 8.0),
            (0.009, 8.0),
            (0.01, 2.0),
            (0.09, 2.0),
            (0.1, 1.0),
            (0.5, 1.0),
        ] {
            let mut pie = set(&PieSpec::default(), probability, 20.0);
            pie.state.delay = 0.025; // 10 ms above the target, 5 ms more than before
            pie.update(Time::from_nanos(15 * MILLISECOND));
            let expected: f64 = probability + (0.125 * 0.010 + 1.25 * 0.005) / divisor;
            assert!(
                (pie.state.probability - expected).abs() < 1e-15,
                "{probability}: {}",
                pie.state.probability
            );
        }
    }

    #[test]
    fn steps_are_capped_bounded_and_decay_when_nothing_waits() {
        let after = |spec: &PieSpec, probability, before_ms, delay_ms: f64| {
            let mut pie = set(spec, probability, before_ms);
            pie.state.delay = delay_ms / 1e3;
            pie.update(Time::from_nanos(15 * MILLISECOND));
            pie.state.probability
        };
        let (plain, capped) = (PieSpec::default(), PieSpec { cap_adjustment: true, ..PieSpec::default() });
        let step = 0.125 * 0.085 + 1.25 * 0.100;
        assert!((after(&plain, 0.1, 0.0, 100.0) - 0.1 - step).abs() < 1e-12);
        assert!((after(&capped, 0.1, 0.0, 100.0) - 0.12).abs() < 1e-12);
        assert!((after(&capped, 0.09, 0.0, 100.0) - 0.09 - step / 2.0).abs() < 1e-12, "below 0.1 it is not");
        assert_eq!((after(&plain, 0.99, 0.0, 100.0), after(&plain, 0.000_001, 100.0, 0.0)), (1.0, 0.0));
        let idle = 0.98 * (0.5 - 0.125 * 0.015);
        assert!((after(&plain, 0.5, 0.0, 0.0) - idle).abs() < 1e-12);
    }

    /// How many of many arrivals at a full queue are dropped and marked, at a probability that stays.
    fn hit(spec: PieSpec, probability: f64, flags: u16, arrivals: u32) -> (u64, u64) {
        let spec = QueueSpec::Pie(PieSpec { packets: Some(1_000_000), t_update_ns: 1_000_000_000, ..spec });
        let mut queue = Queue::new(&spec, Rate::from_bits_per_second(1), Stream::new("1", "test"));
        let super::super::AnyDiscipline::Pie(pie) = &mut queue.discipline else { unreachable!("it is PIE") };
        pie.state.probability = probability;
        pie.state.allowance = Span::ZERO;
        pie.controller.step(0.015);
        for number in 0..arrivals {
            queue.enqueue(queued(number, flags, 0), idle(0));
        }
        let arrivals = &queue.tally().arrivals;
        (arrivals.dropped(), arrivals.marks)
    }

    #[test]
    fn arrivals_are_hit_with_the_probability_and_marked_below_the_threshold() {
        const ARRIVALS: u32 = 100_000;
        let ecn = PieSpec { ecn: true, ..PieSpec::default() };
        for (probability, spec, flags, marks) in [
            (0.05, PieSpec::default(), ECT, false),
            (0.05, ecn.clone(), 0, false),
            (0.05, ecn.clone(), ECT, true),
            (0.099, ecn.clone(), ECT, true),
            (0.1, ecn.clone(), ECT, false),
            (0.15, PieSpec { mark_ecnth: 0.2, ..ecn.clone() }, ECT, true),
        ] {
            let (dropped, marked) = hit(spec, probability, flags, ARRIVALS);
            let (found, none) = if marks { (marked, dropped) } else { (dropped, marked) };
            let expected = f64::from(ARRIVALS) * probability;
            assert!((found as f64 - expected).abs() < 5.0 * expected.sqrt(), "{probability}: {found}");
            assert_eq!(none, 0);
        }
    }

    #[test]
    fn hits_that_keep_their_distance_are_at_least_0_85_over_p_apart() {
        let spec = PieSpec { derandomization: true, ..PieSpec::default() };
        // The first packets, while at most two wait, do not count.
        for probability in [0.01, 0.05] {
            let least = (0.85f64 / probability).ceil() as u32;
            assert_eq!(hit(spec.clone(), probability, 0, 3 + least - 1).0, 0);
            let most = (8.5f64 / probability).ceil() as u32;
            assert!(hit(spec.clone(), probability, 0, 3 + most).0 >= 1);
            let (found, _) = hit(spec.clone(), probability, 0, 100_000);
            // After the least distance each arrival is hit with probability p, up to the certain one.
            let mean = f64::from(least) - 1.0 + 1.0 / probability;
            let expected = 100_000.0 / mean;
            assert!((found as f64 - expected).abs() < 0.1 * expected, "{probability}: {found}, {expected}");
        }
    }
}
