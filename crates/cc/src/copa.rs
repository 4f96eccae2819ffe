//! Copa: steers its rate to the inverse of the queueing delay, and turns more aggressive beside flows that keep the queue full.
//!
//! Source: [ArunBalakrishnan18] §2 and §3. With `dq` the queueing delay the target rate is `1/(delta dq)` packets per second; per
//! acknowledgement the window moves by `v/(delta w)` towards the window of that rate. `v` is 1 and doubles each round trip once the
//! window has gone the same way for three. Packets leave at twice the window per round trip.
//!
//! *Default mode* keeps `delta`. The queue of flows in this mode is nearly empty once in five round trips. Where it is not, something
//! else fills it, and in *competitive mode* `1/delta` grows by one per round trip and halves at a loss, as a window of Reno would.
//!
//! | parameter   | unit      | default | why                                                                              |
//! |-------------|-----------|---------|----------------------------------------------------------------------------------|
//! | delta       | 1/packets | 0.5     | [ArunBalakrishnan18] §2.1: each flow keeps 1/delta packets in the queue          |
//! | competitive | flag      | 1       | §2.2: 0 keeps the default mode                                                   |
//! | empty       | 1         | 0.1     | §2.2: nearly empty is a tenth of what the queue was at most in four round trips  |
//! | empty_rounds | rounds   | 5       | §2.2                                                                             |
//! | standing    | 1         | 0.5     | §2.1: the standing round trip is the least of so much of a smoothed one          |
//! | min_rtt_len | s         | 10      | §2.1: how long the least round trip is remembered                                |
//! | step_max    | 1         | 1/16    | ours: most that the window moves in a round trip, as a share of it, or 1/delta   |
//! | pacing_gain | 1         | 2       | §2.1: so that what waits at the sender is no delay                               |
//!
//! Slow start ends where the rate is above the target. A loss leaves the window in either mode, and a mark is taken for a loss, of which
//! the paper says nothing. Differs from the paper: `step_max` bounds the velocity, since feedback is a round trip old and without a bound
//! the window of a path of hundreds of packets swings between a tenth of it and twice as much; and a velocity gathered in one direction
//! ends at the first acknowledgement in the other, as in mvfst, and not with the round trip. Beside it `tcp.slow_start_exit` is `law`. Where no round trips are measured (the synchronous model) nothing waits.

use crate::bbr::filters::MaxFilter;
use crate::conduct::Conduct;
use crate::constructor::ConstructorInfo;
use crate::controller::Wants;
use crate::sample::AckSample;
use crate::signal::{CongestionSignal, IdleSignal};
use crate::units::{Rate, Span, Time};
use crate::windowed::{Law, Windowed};
use crate::{ControllerSpec, Properties};

named_numbers! { "Copa" CopaParams {
    delta "1/packets" 0.5 in 0.01..=10.0 "a flow keeps 1/delta packets in the queue; default: ArunBalakrishnan18 §2.1";
    competitive "flag" 1.0 in 0.0..=1.0 whole "turns more aggressive where the queue is never nearly empty; default: ArunBalakrishnan18 §2.2";
    empty "1" 0.1 in 0.0..=1.0 "nearly empty, as a share of the most that waited in four round trips; default: ArunBalakrishnan18 §2.2";
    empty_rounds "rounds" 5.0 in 1.0..=1000.0 whole "round trips without a nearly empty queue before it does so; default: ArunBalakrishnan18 §2.2";
    standing "1" 0.5 in 0.05..=4.0 "share of the smoothed round trip in which the least one is the standing one; default: ArunBalakrishnan18 §2.1";
    min_rtt_len "s" 10.0 in 0.05..=1000.0 "how long the least round trip is remembered; default: ArunBalakrishnan18 §2.1";
    step_max "1" 0.0625 in 0.001..=1.0 "most that the window moves in a round trip, as a share of it, or 1/delta; default: ours, so that feedback of a round trip ago does not throw it off";
    pacing_gain "1" 2.0 in 1.0..=10.0 "windows per standing round trip at which packets leave; default: ArunBalakrishnan18 §2.1";
} }

/// What it is listed with.
pub const FAMILY: &str = "delay laws";

/// What it answers with and what it needs.
pub const PROPERTIES: Properties = Properties { pacing_rate: true, ..Properties::WINDOW };

/// The names people write.
pub const CONSTRUCTORS: &[ConstructorInfo] = &[ConstructorInfo {
    name: "copa",
    aliases: &[],
    summary: "steers its rate to the inverse of the queueing delay; more aggressive beside flows that keep the queue full",
    source: "ArunBalakrishnan18 §2",
    parameters: PARAMETERS,
    build: |values| ControllerSpec::Copa(CopaParams::from_values(values)),
}];

/// Round trips in the same direction before the velocity doubles.
const SAME_WAY: u32 = 3;
/// Round trips in which the largest counts for the most that waited.
const MOST_ROUNDS: u64 = 4;

/// The law; what it remembers stands elsewhere, so that the controllers of other flows stay small.
#[derive(Clone, Debug)]
pub struct CopaLaw(Box<State>);

/// A Copa controller.
pub type Copa = Windowed<CopaLaw>;

#[derive(Clone, Debug)]
struct State {
    params: CopaParams,
    /// Least round trips as largest negatives, in seconds by nanoseconds.
    least: MaxFilter,
    standing: MaxFilter,
    most: MaxFilter,
    srtt: Option<Span>,
    velocity: f64,
    /// The window went up in the last round trip, or down; for so many round trips.
    upwards: bool,
    same_way: u32,
    /// The window when this round began.
    before: Option<f64>,
    /// Round trips since the queue was nearly empty.
    full_rounds: u32,
    /// 1/delta in competitive mode.
    inverse: Option<f64>,
    round_ended: bool,
}

impl State {
    fn note(&mut self, rtt: Span, now: Time) {
        let (seconds, slot) = (rtt.nanos() as f64 / 1e9, now.nanos());
        let srtt = self.srtt.unwrap_or(rtt).nanos();
        self.least.add(slot, -seconds, (self.params.min_rtt_len * 1e9) as u64);
        self.standing.add(slot, -seconds, ((self.params.standing * srtt as f64) as u64).max(1));
        self.most.add(slot, seconds, (MOST_ROUNDS * srtt).max(1));
        if self.queueing() < self.params.empty * (self.most.max() + self.least.max())
            || self.queueing() <= 0.0
        {
            self.full_rounds = 0;
        }
    }

    /// The standing round trip, in seconds; 0 before the first.
    fn standing(&self) -> f64 {
        -self.standing.max()
    }

    /// Queueing delay, in seconds.
    fn queueing(&self) -> f64 {
        self.standing() + self.least.max()
    }

    fn delta(&self) -> f64 {
        self.inverse.map_or(self.params.delta, |inverse| 1.0 / inverse)
    }

    /// Is this window that of the target rate, or a smaller one?
    fn is_below_target(&self, window: f64) -> bool {
        window * self.delta() * self.queueing() <= self.standing()
    }

    /// The window is about to go this way: what it had gathered speed for in the other direction is forgotten.
    fn turn(&mut self, upwards: bool, window: f64) {
        if upwards != self.upwards && self.velocity > 1.0 {
            (self.velocity, self.same_way) = (1.0, 0);
            (self.upwards, self.before) = (upwards, Some(window));
        }
    }

    /// A round trip has passed, at this window now.
    fn end_round(&mut self, window: f64) {
        if let Some(before) = self.before.replace(window) {
            let upwards = window > before;
            self.same_way = if upwards == self.upwards { self.same_way + 1 } else { 0 };
            self.upwards = upwards;
            self.velocity = if self.same_way >= SAME_WAY { 2.0 * self.velocity } else { 1.0 };
        }
        self.velocity = self.velocity.min((self.params.step_max * self.delta() * window).max(1.0));
        self.full_rounds = self.full_rounds.saturating_add(1);
        let competes =
            self.params.competitive == 1.0 && f64::from(self.full_rounds) > self.params.empty_rounds;
        self.inverse =
            competes.then(|| self.inverse.map_or(1.0 / self.params.delta, |inverse| inverse + 1.0));
    }
}

impl Law for CopaLaw {
    type Params = CopaParams;
    const PACES: bool = true;

    const SHRINKS: bool = true;

    fn new(params: CopaParams, _window: f64) -> Self {
        CopaLaw(Box::new(State {
            params,
            least: MaxFilter::default(),
            standing: MaxFilter::default(),
            most: MaxFilter::default(),
            srtt: None,
            velocity: 1.0,
            upwards: true,
            same_way: 0,
            before: None,
            full_rounds: 0,
            inverse: None,
            round_ended: false,
        }))
    }

    fn on_ack(&mut self, ack: &AckSample) {
        let state = &mut *self.0;
        state.srtt = ack.rtt.smoothed.or(state.srtt);
        if let Some(rtt) = ack.rtt.newest {
            state.note(rtt, ack.now);
        }
        state.round_ended |= ack.round_ended;
    }

    fn ends_slow_start(&mut self, window: f64, _: &AckSample) -> Option<f64> {
        let state = &mut *self.0;
        state.round_ended = false;
        (!state.is_below_target(window)).then(|| {
            (state.before, state.velocity, state.same_way) = (None, 1.0, 0);
            window
        })
    }

    fn increase(&mut self, window: f64, ack: &AckSample) -> f64 {
        let state = &mut *self.0;
        if std::mem::take(&mut state.round_ended) {
            state.end_round(window);
        }
        let upwards = state.is_below_target(window);
        state.turn(upwards, window);
        let step = f64::from(ack.newly_acked) * state.velocity / (state.delta() * window);
        if upwards { window + step } else { window - step }
    }

    fn whole_round(&mut self, window: f64, _: Time) -> f64 {
        window + 1.0 / self.0.delta()
    }

    fn decrease(&mut self, window: f64, _: &CongestionSignal) -> f64 {
        let least = 1.0 / self.0.params.delta;
        self.0.inverse = self.0.inverse.map(|inverse| (inverse / 2.0).max(least));
        window
    }

    fn on_idle(&mut self, _: &IdleSignal) {
        let state = &mut *self.0;
        (state.before, state.velocity, state.same_way) = (None, 1.0, 0);
    }

    fn pacing_rate(&self, window: f64, conduct: &Conduct) -> Option<Rate> {
        let standing = self.0.standing();
        let bits = 8.0 * window * conduct.packet().count() as f64;
        (standing > 0.0).then(|| {
            Rate::from_bits_per_second((self.0.params.pacing_gain * bits / standing).max(1.0) as u64)
        })
    }

    fn wants(&self) -> Wants {
        Wants { rates: true, rounds: true, ..Wants::NOTHING }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Controller;
    use crate::sample::RoundTripTimes;
    use crate::settings::ControlSettings;
    use crate::signal::Congestion;
    use crate::units::{Bytes, Window};

    fn at(window: f64, threshold: Option<f64>) -> Copa {
        let settings = ControlSettings {
            initial_window: Window::from_packets(window),
            initial_threshold: threshold.map(Window::from_packets),
            packet: Bytes::new(1_000),
            slow_start_exit: crate::SlowStartExit::Law,
            ..ControlSettings::default()
        };
        Copa::new(CopaParams::default(), &settings)
    }

    /// An acknowledgement after so many milliseconds with this round trip; all smoothed ones are 100 ms.
    fn ack(now: u64, millis: u64, round_ended: bool) -> AckSample {
        let span = |millis| Some(Span::from_millis(millis));
        let rtt = RoundTripTimes { newest: span(millis), smoothed: span(100), ..RoundTripTimes::default() };
        let now = Time::ZERO + Span::from_millis(now);
        AckSample { rtt, round_ended, ..AckSample::classic(now, 1, None, true) }
    }

    #[test]
    fn the_window_goes_towards_the_rate_that_is_the_inverse_of_the_delay() {
        // 20 ms wait: 1/(0.5 · 0.02) is 100 packets a second, which is a window of 12 over 120 ms.
        for (window, up) in [(11.0, true), (12.0, true), (13.0, false)] {
            let mut control = at(window, Some(2.0));
            control.on_ack(&AckSample { newly_acked: 0, ..ack(0, 100, false) });
            control.on_ack(&ack(60, 120, false));
            let step = 1.0 / (0.5 * window);
            let expected = if up { window + step } else { window - step };
            assert!((control.window().packets() - expected).abs() < 1e-9, "{window}");
        }
    }

    #[test]
    fn the_standing_round_trip_is_the_least_of_half_a_smoothed_one() {
        let mut control = at(10.0, Some(2.0));
        for (now, millis, standing) in
            [(0, 100, 100), (20, 140, 100), (49, 150, 100), (50, 150, 140), (70, 160, 150)]
        {
            control.on_ack(&ack(now, millis, false));
            assert!((control.law.0.standing() - standing as f64 / 1e3).abs() < 1e-12, "after {now} ms");
        }
        // Packets leave at two windows per standing round trip.
        let window = control.window().packets();
        let expected = 2.0 * 8_000.0 * window / 0.150;
        assert!(
            control.pacing_rate().is_some_and(|rate| (rate.bits_per_second() as f64 - expected).abs() < 2.0)
        );
    }

    #[test]
    fn the_velocity_doubles_after_three_round_trips_the_same_way() {
        let mut control = at(100.0, Some(2.0));
        control.law.0.params.step_max = 1.0;
        let mut velocities = Vec::new();
        for round in 0..8 {
            control.on_ack(&ack(100 * round, 100, true));
            velocities.push(control.law.0.velocity);
        }
        assert_eq!(velocities, [1.0, 1.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0]);
        for round in 8..10 {
            control.on_ack(&ack(100 * round, 900, true)); // far above the target
        }
        assert_eq!(control.law.0.velocity, 1.0, "it has turned round");
    }

    #[test]
    fn a_queue_that_is_never_nearly_empty_is_competed_for() {
        let mut control = at(100.0, Some(2.0));
        control.on_ack(&ack(0, 100, false));
        let mut inverses = Vec::new();
        for round in 1..=8 {
            // 150 to 200 ms: never within a tenth of what waits at most.
            control.on_ack(&ack(100 * round, 200, false));
            control.on_ack(&ack(100 * round + 60, 150, true));
            inverses.push(control.law.0.inverse);
        }
        assert_eq!(inverses, [None, None, None, None, None, Some(2.0), Some(3.0), Some(4.0)]);
        let window = control.window().packets();
        control.on_congestion(&CongestionSignal::new(Time::ZERO, Congestion::Loss));
        assert_eq!((control.law.0.inverse, control.window().packets()), (Some(2.0), window));
        control.on_ack(&ack(880, 101, true));
        assert_eq!(control.law.0.inverse, None, "it was nearly empty");
    }

    #[test]
    fn slow_start_ends_above_the_target_rate() {
        let mut control = at(20.0, None);
        control.on_ack(&ack(0, 100, false));
        // 8 ms wait: 250 packets a second, a window of 27.
        for now in 51..57 {
            control.on_ack(&ack(now, 108, false));
        }
        assert_eq!(control.window().packets(), 27.0);
        (58..61).for_each(|now| control.on_ack(&ack(now, 108, false)));
        let threshold = control.slow_start_threshold().packets();
        assert!((27.0..=28.0).contains(&threshold), "{threshold}");
    }
}
