//! CUBIC: after a decrease the window follows a cubic function of time, flat where the last congestion was, and never below Reno's.
//!
//! Source: RFC 9438 §4. After congestion at a window W_max the window is `C (t - K)³ + W_max`, t seconds after congestion avoidance
//! began, with `K = cbrt((W_max - cwnd_epoch) / C)`. An acknowledgement adds `(target - cwnd) / cwnd` per packet; target is the function
//! one round trip ahead, at least cwnd and at most `target_max` of it (§4.2). The window of a Reno flow, W_est, is followed where the function is
//! below it (§4.3). A decrease keeps beta (§4.6). If the window had not come back to W_max, the next W_max is lower (§4.7).
//! After a timeout, or where the first slow start ended without congestion, K is 0 and W_max the window where congestion avoidance begins
//! (§4.8, §4.10). Time in which the application limits does not count in t (§4.2, §5.8). What a spurious loss has changed is
//! restored (§4.9.2), and after a spurious timeout the window as by RFC 4015 §3.1 (§4.9.1).
//!
//! | parameter        | unit        | default | why                                                                        |
//! |------------------|-------------|---------|----------------------------------------------------------------------------|
//! | c                | packets/s³  | 0.4     | RFC 9438 §5.1                                                              |
//! | beta             | 1           | 0.7     | RFC 9438 §4.6                                                              |
//! | fast_convergence | flag        | 1       | RFC 9438 §4.7; 0 for a flow that is alone                                  |
//! | friendly         | flag        | 1       | RFC 9438 §4.3; 0: the cubic function alone, as ns-3 before 3.41            |
//! | alpha_late       | flag        | 1       | RFC 9438 §4.3: W_est grows by 1 per round from cwnd_prior on; 0: as before it, Linux |
//! | min_rtt_ahead    | flag        | 0       | RFC 9438 §4.2: target is one smoothed round trip ahead; 1: one least round trip, Linux |
//! | integer          | flag        | 0       | real numbers; 1: whole packets throughout, in 1024ths, Linux               |
//! | fast_first       | flag        | 0       | 1: until the first congestion a round trip adds a twentieth at least, Linux |
//! | target_max       | windows     | 1.5     | RFC 9438 §4.2: target is at most so far ahead                              |
//! | RTT gain         | 1           | 1/8     | RFC 6298 §2.3                                                              |
//!
//! With `integer` windows, W_max and target are whole packets, beta is counted in 1024ths, and a packet is added after so many
//! acknowledgements as the window has, divided by what is missing to the target, without a remainder (net/ipv4/tcp_cubic.c, 2006 to now).
//! W_est is reached in the same way there. `fast_first` is of the same source: where no W_max is known, a packet is added after at most
//! twenty acknowledgements.
//!
//! Differs from the RFC: cwnd is what is cut and not flight_size, as §4.6 permits where only a window that is used grows. An
//! acknowledgement of several packets adds as much as several acknowledgements, so that delayed acknowledgements slow nothing down. The
//! law smooths the round trips that its transport measures itself; that of the handshake is not among them. In the Reno-friendly region
//! the window is never lowered to W_est.

use crate::conduct::Conduct;
use crate::constructor::{ConstructorInfo, ParameterInfo};
use crate::cut::{Answer, Cut};
use crate::sample::AckSample;
use crate::signal::{Congestion, CongestionSignal, IdleSignal, UndoSignal, WindowOfData};
use crate::undo::Restored;
use crate::units::{Bytes, Span, Time, cube_root};
use crate::windowed::{Law, Windowed};
use crate::{ControllerSpec, Properties};
use serde::{Deserialize, Serialize};

/// The numbers of CUBIC.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CubicParams {
    /// C, packets per second cubed.
    pub c: f64,
    /// The fraction of the window that a decrease keeps.
    pub beta: f64,
    /// 1: W_max is lowered where the window had not come back to it.
    pub fast_convergence: f64,
    /// 1: never below Reno's window.
    pub friendly: f64,
    /// 1: Reno's window grows by one packet per round trip from the last decrease's window on.
    pub alpha_late: f64,
    /// 1: the target is one least round trip ahead, not one smoothed one.
    pub min_rtt_ahead: f64,
    /// 1: windows are whole packets.
    pub integer: f64,
    /// 1: until the first congestion the window grows by at least a twentieth per round trip.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fast_first: f64,
    /// Most that the target is ahead, in windows.
    #[serde(default = "target_max", skip_serializing_if = "is_target_max")]
    pub target_max: f64,
}

/// §4.2.
const TARGET_MAX: f64 = 1.5;

const fn target_max() -> f64 {
    TARGET_MAX
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_target_max(value: &f64) -> bool {
    *value == TARGET_MAX
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// What it is listed with.
pub const FAMILY: &str = "other window laws";

/// What it answers with and what it needs.
pub const PROPERTIES: Properties = Properties::WINDOW;

const fn flag(name: &'static str, default: f64, why: &'static str) -> ParameterInfo {
    ParameterInfo::new(name, "flag", Some(default), (0.0, 1.0), why).whole()
}

/// The names people write.
pub const CONSTRUCTORS: &[ConstructorInfo] = &[ConstructorInfo {
    name: "cubic",
    aliases: &[],
    summary: "the window is a cubic function of the time since the last decrease, flat at the window of the last congestion, and at least \
              Reno's",
    source: "RFC 9438",
    parameters: &[
        ParameterInfo::new(
            "c",
            "packets/s^3",
            Some(0.4),
            (0.0001, 1000.0),
            "steepness of the cubic function; default: RFC 9438 §5.1",
        ),
        ParameterInfo::new(
            "beta",
            "1",
            Some(0.7),
            (0.0, 1.0),
            "fraction of the window that a decrease keeps; default: RFC 9438 §4.6",
        ),
        flag(
            "fast_convergence",
            1.0,
            "the next plateau is lower where the window had not come back to the last; default: RFC 9438 §4.7",
        ),
        flag("friendly", 1.0, "the window is at least Reno's; default: RFC 9438 §4.3"),
        flag(
            "alpha_late",
            1.0,
            "Reno's window grows by a packet per round trip from the last decrease's window on; default: RFC 9438 §4.3, Linux has 0",
        ),
        flag(
            "min_rtt_ahead",
            0.0,
            "the target is one least round trip ahead instead of one smoothed one; default: RFC 9438 §4.2, Linux has 1",
        ),
        flag(
            "integer",
            0.0,
            "windows, plateau and target are whole packets; default: real numbers, Linux has 1",
        ),
        flag(
            "fast_first",
            0.0,
            "until the first congestion, or after a timeout, a round trip adds at least a twentieth; default: RFC 9438 §4.10, Linux has 1",
        ),
        ParameterInfo::new(
            "target_max",
            "windows",
            Some(TARGET_MAX),
            (1.01, 100.0),
            "a round trip multiplies the window by at most this; default: RFC 9438 §4.2",
        ),
    ],
    build: |v| {
        ControllerSpec::Cubic(CubicParams {
            c: v[0],
            beta: v[1],
            fast_convergence: v[2],
            friendly: v[3],
            alpha_late: v[4],
            min_rtt_ahead: v[5],
            integer: v[6],
            fast_first: v[7],
            target_max: v[8],
        })
    },
}];

/// Gain of the smoothed round trip (RFC 6298 §2.3).
const GAIN: f64 = 0.125;
/// Least window after a loss, in packets (§4.6).
const AFTER_LOSS_MIN: f64 = 2.0;
/// With `integer`, β is a whole number of 1024ths: Linux, BICTCP_BETA_SCALE.
const BETA_SCALE: f64 = 1024.0;
/// Acknowledgements per packet with `integer`: at most so many windows.
const WINDOWS_PER_PACKET: f64 = 100.0;
/// For so long the number of acknowledgements per packet stands with `integer`, if the window stands: Linux, HZ/32.
const STANDS: Span = Span::from_micros(31_250);
/// Acknowledgements per packet with `fast_first`, at most.
const ACKS_AT_FIRST: f64 = 20.0;

/// The law; what it remembers stands elsewhere, so that the controllers of other flows stay small.
#[derive(Clone, Debug)]
pub struct CubicLaw(Box<State>);

/// A CUBIC controller.
pub type Cubic = Windowed<CubicLaw>;

/// A stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// t_epoch, moved on by what does not count.
    start: Time,
    /// K, seconds.
    k: f64,
    /// The height of the plateau.
    plateau: f64,
    /// W_est.
    estimate: f64,
    /// There was no W_max when it began.
    first: bool,
}

#[derive(Clone, Debug)]
struct State {
    params: CubicParams,
    /// `None` until congestion avoidance goes on.
    epoch: Option<Epoch>,
    /// W_max, if there is one.
    w_max: Option<f64>,
    /// cwnd_prior; 0 before the threshold was set for the first time.
    prior: f64,
    /// How far ahead the target is: a smoothed or a least round trip.
    ahead: Option<f64>,
    /// When the law last heard of anything.
    heard: Time,
    /// The window at the start of the connection.
    initial: f64,
    /// Acknowledgements since a packet was added last, where windows are whole.
    counted: f64,
    /// Acknowledgements for which one is added, at which window and when that was found.
    pace: Option<(f64, f64, Time)>,
    /// The last signal was about congestion that had been answered before.
    repeated: bool,
    undo: Option<Undo>,
}

/// What a withdrawal restores (§4.9.2).
#[derive(Clone, Copy, Debug)]
struct Undo {
    timeout: bool,
    window_of_data: WindowOfData,
    window: f64,
    threshold: f64,
    prior: f64,
    w_max: Option<f64>,
    epoch: Option<Epoch>,
}

fn seconds(span: Span) -> f64 {
    span.real() / 1e9
}

fn is_timeout(kind: Congestion) -> bool {
    matches!(kind, Congestion::Timeout { .. })
}

impl CubicParams {
    /// The increase per round trip with which AIMD that keeps beta has the window of Reno (§4.3).
    fn alpha(&self) -> f64 {
        3.0 * (1.0 - self.beta) / (1.0 + self.beta)
    }

    fn whole(&self, window: f64) -> f64 {
        if self.integer == 1.0 { window.floor() } else { window }
    }

    /// What a decrease leaves.
    fn kept(&self, window: f64) -> f64 {
        if self.integer == 1.0 {
            (window.floor() * self.scaled_beta() / BETA_SCALE).floor()
        } else {
            self.beta * window
        }
    }

    /// The next W_max after a window that had not come back to the last (§4.7).
    fn lowered(&self, window: f64) -> f64 {
        if self.integer == 1.0 {
            (window.floor() * (BETA_SCALE + self.scaled_beta()) / (2.0 * BETA_SCALE)).floor()
        } else {
            window * (1.0 + self.beta) / 2.0
        }
    }

    fn scaled_beta(&self) -> f64 {
        (BETA_SCALE * self.beta).round()
    }
}

impl Epoch {
    /// W_cubic (§4.2).
    fn cubic(&self, c: f64, t: f64) -> f64 {
        let from_plateau = t - self.k;
        c * from_plateau * from_plateau * from_plateau + self.plateau
    }
}

impl State {
    /// A stage of congestion avoidance begins with this window.
    fn begin(&mut self, window: f64, now: Time) {
        if self.prior == 0.0 {
            self.prior = window;
        }
        let first = self.w_max.is_none();
        let plateau = self.w_max.get_or_insert(window).max(window);
        let k = cube_root((plateau - window) / self.params.c);
        self.epoch = Some(Epoch { start: now, k, plateau, estimate: window, first });
        (self.counted, self.pace) = (0.0, None);
    }

    /// W_est after so many rounds more, or a part of one (§4.3).
    fn raise_estimate(&self, estimate: f64, rounds: f64) -> f64 {
        let late = self.params.alpha_late == 1.0 && estimate >= self.prior;
        estimate + rounds * if late { 1.0 } else { self.params.alpha() }
    }

    fn is_friendly(&self, cubic: f64, estimate: f64) -> bool {
        self.params.friendly == 1.0 && cubic < estimate
    }

    fn note_round_trip(&mut self, rtt: Span) {
        let rtt = seconds(rtt);
        self.ahead = Some(match self.ahead {
            None => rtt,
            Some(least) if self.params.min_rtt_ahead == 1.0 => least.min(rtt),
            Some(smoothed) => smoothed + GAIN * (rtt - smoothed),
        });
    }

    /// Acknowledgements for which a packet is added, where windows are whole.
    fn acks_per_packet(&self, window: f64, epoch: &Epoch, t: f64) -> f64 {
        let from_plateau = epoch.cubic(self.params.c, t + self.ahead.unwrap_or(0.0)) - epoch.plateau;
        let missing = epoch.plateau + from_plateau.trunc() - window;
        let steps = |missing: f64| (window / missing).floor();
        let mut acks = if missing > 0.0 { steps(missing) } else { WINDOWS_PER_PACKET * window };
        if epoch.first && self.params.fast_first == 1.0 {
            acks = acks.min(ACKS_AT_FIRST);
        }
        let behind = epoch.estimate.floor() - window;
        if self.params.friendly == 1.0 && behind > 0.0 {
            acks = acks.min(steps(behind));
        }
        acks.max(1.0 / (self.params.target_max - 1.0)) // at least two with 1.5 windows per round trip (§4.2)
    }

    /// The same, found anew where the window has changed or some time has passed.
    fn pace_at(&mut self, window: f64, now: Time, epoch: &Epoch) -> f64 {
        if let Some((acks, at, found)) = self.pace
            && at == window
            && now - found <= STANDS
        {
            return acks;
        }
        let acks = self.acks_per_packet(window, epoch, seconds(now - epoch.start));
        self.pace = Some((acks, window, now));
        acks
    }

    /// The window after so many packets were acknowledged, where windows are whole.
    fn counted_on(&mut self, window: f64, packets: f64, acks: f64) -> f64 {
        let mut grown = window;
        if self.counted >= acks {
            (self.counted, grown) = (0.0, grown + 1.0);
        }
        self.counted += packets;
        let more = (self.counted / acks).floor();
        self.counted -= more * acks;
        grown + more
    }

    /// Time up to now in which the window could not show what it is good for.
    fn skip(&mut self, now: Time) {
        let heard = self.heard;
        if let Some(epoch) = &mut self.epoch {
            epoch.start += now - heard;
        }
    }
}

impl Law for CubicLaw {
    type Params = CubicParams;

    fn new(params: CubicParams, window: f64) -> Self {
        CubicLaw(Box::new(State {
            params,
            epoch: None,
            w_max: None,
            prior: 0.0,
            ahead: None,
            heard: Time::ZERO,
            initial: window,
            counted: 0.0,
            pace: None,
            repeated: false,
            undo: None,
        }))
    }

    fn increase(&mut self, window: f64, ack: &AckSample) -> f64 {
        let state = &mut *self.0;
        if state.epoch.is_none() {
            state.begin(window, ack.now);
        }
        let mut epoch = state.epoch.expect("a stage has begun");
        let packets = f64::from(ack.newly_acked);
        epoch.estimate = state.raise_estimate(epoch.estimate, packets / window);
        state.epoch = Some(epoch);
        let t = seconds(ack.now - epoch.start);
        if state.params.integer == 1.0 {
            let acks = state.pace_at(window, ack.now, &epoch);
            return state.counted_on(window, packets, acks);
        }
        let least = if epoch.first && state.params.fast_first == 1.0 { packets / ACKS_AT_FIRST } else { 0.0 };
        if state.is_friendly(epoch.cubic(state.params.c, t), epoch.estimate) {
            return window.max(epoch.estimate).max(window + least);
        }
        let ahead = epoch.cubic(state.params.c, t + state.ahead.unwrap_or(0.0));
        let target = ahead.clamp(window, state.params.target_max * window);
        window + (packets * (target - window) / window).max(least)
    }

    fn whole_round(&mut self, window: f64, now: Time) -> f64 {
        let state = &mut *self.0;
        if state.epoch.is_none() {
            state.begin(window, state.heard);
        }
        state.heard = now;
        let mut epoch = state.epoch.expect("a stage has begun");
        epoch.estimate = state.raise_estimate(epoch.estimate, 1.0);
        state.epoch = Some(epoch);
        let cubic = epoch.cubic(state.params.c, seconds(now - epoch.start));
        if state.is_friendly(cubic, epoch.estimate) {
            return window.max(epoch.estimate);
        }
        cubic.clamp(window, state.params.target_max * window)
    }

    fn decrease(&mut self, window: f64, signal: &CongestionSignal) -> f64 {
        self.0.heard = signal.now;
        self.0.repeated = matches!(
            signal.kind,
            Congestion::Timeout { repeated: true }
                | Congestion::LossRestart { repeated: true }
                | Congestion::PersistentCongestion
        );
        let least = if signal.kind == Congestion::EcnMark { Conduct::WINDOW_MIN } else { AFTER_LOSS_MIN };
        self.0.params.kept(window).max(least)
    }

    fn on_ack(&mut self, ack: &AckSample) {
        let state = &mut *self.0;
        if let Some(rtt) = ack.rtt.latest {
            state.note_round_trip(rtt);
        }
        if !ack.cwnd_limited {
            state.skip(ack.now);
        }
        state.heard = ack.now;
    }

    fn on_slow_start(&mut self, _: f64, _: f64) {
        self.0.epoch = None;
    }

    fn on_signal(&mut self, window: f64, threshold: f64, signal: &CongestionSignal) {
        let state = &mut *self.0;
        let (timeout, window_of_data) = (is_timeout(signal.kind), signal.window_of_data);
        let known = |undo: &Undo| (undo.timeout, undo.window_of_data) == (timeout, window_of_data);
        if signal.kind == Congestion::PersistentCongestion || state.undo.as_ref().is_some_and(known) {
            return; // a signal about what has been answered before
        }
        let State { prior, w_max, epoch, .. } = *state;
        state.undo = Some(Undo { timeout, window_of_data, window, threshold, prior, w_max, epoch });
    }

    fn on_cut(&mut self, cut: &Cut, _: &Conduct) {
        let state = &mut *self.0;
        if cut.answer == Answer::Nothing {
            return;
        }
        let before = state.params.whole(cut.before);
        state.epoch = None;
        if !state.repeated {
            state.prior = before;
        }
        state.w_max = match state.w_max {
            _ if cut.answer == Answer::Restart => None,
            Some(w_max) if state.params.fast_convergence == 1.0 && before < w_max => {
                Some(state.params.lowered(before))
            }
            _ => Some(before),
        };
    }

    fn on_idle(&mut self, signal: &IdleSignal) {
        self.0.skip(signal.now);
        self.0.heard = signal.now;
    }

    fn undo(&mut self, window: f64, signal: &UndoSignal, packet: Bytes) -> Option<Restored> {
        let state = &mut *self.0;
        let (timeout, window_of_data) = (is_timeout(signal.kind), signal.window_of_data);
        let undo =
            state.undo.take_if(|undo| (undo.timeout, undo.window_of_data) == (timeout, window_of_data))?;
        if window >= state.prior {
            return None; // it has grown beyond what it was before
        }
        (state.prior, state.w_max, state.epoch) = (undo.prior, undo.w_max, undo.epoch);
        if !timeout {
            return Some(Restored { window: undo.window, threshold: undo.threshold });
        }
        // RFC 4015 §3.1, step 9.
        let packets = |bytes: Bytes| bytes.count() as f64 / packet.count() as f64;
        let window = packets(signal.in_flight) + packets(signal.newly_delivered).min(state.initial);
        Some(Restored { window, threshold: undo.window.max(undo.threshold) })
    }
}

#[cfg(test)]
mod tests;
