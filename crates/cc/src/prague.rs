//! Prague: DCTCP for the Internet, with less dependence on the round trip, and safe beside flows that lose packets.
//!
//! Source: draft-briscoe-iccrg-prague §2.3.2, §2.4, §2.5. The share of marked bytes is averaged as by DCTCP, but once per *virtual* round
//! trip, the longer of `rtt_virt` and the smoothed one, and so is the window cut: `w <- w*(1 - alpha/2)`. Without marks the window grows by
//! a packet per round trip; once it has gone on for `rounds` round trips, by a packet of the rate per virtual round trip, which is
//! `(srtt/rtt_virt)²` packets. Packets that were acknowledged as marked add nothing, others also right after a cut. A loss is answered as
//! CUBIC or Reno does, and growth is CUBIC's until the next mark. Packets are paced.
//!
//! | parameter            | unit   | default | why                                                                              |
//! |----------------------|--------|---------|----------------------------------------------------------------------------------|
//! | g                    | 1      | 1/16    | draft §2.3.2                                                                     |
//! | alpha                | 1      | from 1  | draft §2.3.2: 1 until the first mark                                             |
//! | rtt_virt             | ms     | 25      | draft §2.4.4                                                                     |
//! | rounds               | rounds | 500     | draft §2.4.4: D; short flows grow as DCTCP                                       |
//! | cubic                | flag   | 1       | 1: a loss is answered as by CUBIC; 0: as by Reno. Draft §2.4.1 permits both      |
//! | classic_ecn_fallback | flag   | 0       | draft §3.3: off by default; see `classic_ecn`                                    |
//! | pacing gain          | 1      | 2 or 1  | draft §2.5.1: 2 below half of the slow-start threshold, 1 beyond                 |
//! | burst                | µs     | 250     | draft §2.5.2: MAX_BURST_DELAY                                                    |
//!
//! Beside it `tcp.ecn` is `l4s` and `tcp.slow_start_exit` is `law`.
//!
//! Differs from the draft: no segmentation offload, so the burst is whole packets, and always one. The rate follows the window and not
//! the packets in flight if these are more. A loss in the round trip after a cut is answered in full, as in Linux; the draft permits
//! less. Reduced dependence on the round trip stays once it has begun. The default answer to a loss is CUBIC's; the draft's reference
//! implementation, Linux's, has Reno's.

mod classic_ecn;

use crate::conduct::Conduct;
use crate::constructor::{ConstructorInfo, ParameterInfo};
use crate::controller::Wants;
use crate::cubic::{self, CubicLaw, CubicParams};
use crate::cut::Cut;
use crate::dctcp::{GAIN, MarkShare};
use crate::sample::AckSample;
use crate::signal::{Congestion, CongestionSignal, IdleSignal, UndoSignal};
use crate::undo::Restored;
use crate::units::{Bytes, Rate, Span, Time};
use crate::windowed::{Law, Windowed};
use crate::{ControllerSpec, Properties};
use classic_ecn::ClassicEcn;
use serde::{Deserialize, Serialize};

/// The numbers of Prague.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PragueParams {
    /// Gain of the average of the share of marked bytes.
    pub g: f64,
    /// Least virtual round trip, in milliseconds.
    pub rtt_virt: f64,
    /// Round trips after the first slow start before the virtual round trip counts.
    pub rounds: f64,
    /// 1: a loss is answered as by CUBIC; 0: as by Reno.
    pub cubic: f64,
    /// 1: a queue that looks like one with classic ECN is answered more like Reno.
    pub classic_ecn_fallback: f64,
}

/// What it is listed with.
pub const FAMILY: &str = "scalable laws";

/// What it answers with and what it needs.
pub const PROPERTIES: Properties = Properties { pacing_rate: true, counts_marks: true, ..Properties::WINDOW };

const PARAMETERS: &[ParameterInfo] = &[
    GAIN,
    ParameterInfo::new(
        "rtt_virt",
        "ms",
        Some(25.0),
        (0.0, 1000.0),
        "least round trip that flows are made to share by; default: draft-briscoe-iccrg-prague §2.4.4",
    ),
    ParameterInfo::new(
        "rounds",
        "rounds",
        Some(500.0),
        (0.0, 1e6),
        "round trips after the first slow start before rtt_virt counts; default: draft-briscoe-iccrg-prague §2.4.4",
    )
    .whole(),
    ParameterInfo::new(
        "cubic",
        "flag",
        Some(1.0),
        (0.0, 1.0),
        "a loss is answered as by cubic, or else as by Reno; default: one of the two that draft-briscoe-iccrg-prague §2.4.1 permits, Linux has 0",
    )
    .whole(),
    ParameterInfo::new(
        "classic_ecn_fallback",
        "flag",
        Some(0.0),
        (0.0, 1.0),
        "a router that seems to mark by classic ECN is answered more like Reno; default: draft-briscoe-iccrg-prague §3.3",
    )
    .whole(),
];

/// The names people write.
pub const CONSTRUCTORS: &[ConstructorInfo] = &[ConstructorInfo {
    name: "prague",
    aliases: &[],
    summary: "as dctcp, for the Internet: paced, at virtual round trips of 25 ms at least, and as cubic or Reno after a loss; asks for L4S service",
    source: "draft-briscoe-iccrg-prague",
    parameters: PARAMETERS,
    build: |v| {
        ControllerSpec::Prague(PragueParams {
            g: v[0],
            rtt_virt: v[1],
            rounds: v[2],
            cubic: v[3],
            classic_ecn_fallback: v[4],
        })
    },
}];

/// Most that leaves back to back, as time at the rate (§2.5.2).
const BURST: Span = Span::from_micros(250);

/// The law; what it remembers stands elsewhere, so that the controllers of other flows stay small.
#[derive(Clone, Debug)]
pub struct PragueLaw(Box<State>);

/// A Prague controller.
pub type Prague = Windowed<PragueLaw>;

#[derive(Clone, Debug)]
struct State {
    params: PragueParams,
    marks: MarkShare,
    /// A mark has been seen: something on the way marks.
    saw_mark: bool,
    /// A round trip has passed since the average was last moved.
    round_passed: bool,
    /// When that was.
    averaged_at: Time,
    /// When a mark last cut the window.
    cut_at: Option<Time>,
    /// Averages since the first slow start.
    rounds: u32,
    in_slow_start: bool,
    srtt: Option<Span>,
    /// The last cut was for a loss: growth is the loss law's.
    after_loss: bool,
    /// What that was before the last loss.
    was_after_loss: bool,
    /// The answer to losses, and growth after them.
    on_loss: Option<CubicLaw>,
    classic: Option<ClassicEcn>,
}

/// CUBIC as its RFC has it.
fn rfc9438() -> CubicParams {
    let row = &cubic::CONSTRUCTORS[0];
    let defaults: Vec<f64> =
        row.parameters.iter().map(|parameter| parameter.default.expect("one each")).collect();
    match (row.build)(&defaults) {
        ControllerSpec::Cubic(params) => params,
        other => unreachable!("the first constructor of cubic gives {other:?}"),
    }
}

impl State {
    /// The virtual round trip.
    fn virtual_rtt(&self) -> Span {
        let least = Span::from_nanos((self.params.rtt_virt * 1e6) as u64);
        self.srtt.map_or(least, |srtt| srtt.max(least))
    }

    /// Does the virtual round trip count by now?
    fn is_virtual(&self) -> bool {
        f64::from(self.rounds) >= self.params.rounds && !self.in_slow_start
    }

    /// What a round trip without marks adds.
    fn per_round(&self) -> f64 {
        match self.srtt {
            Some(srtt) if self.is_virtual() => {
                let ratio = srtt.nanos() as f64 / self.virtual_rtt().nanos() as f64;
                ratio * ratio
            }
            _ => 1.0,
        }
    }

    /// The average moves with a round trip, or with a virtual one.
    fn move_average(&mut self, now: Time) {
        if !self.round_passed || (self.is_virtual() && now - self.averaged_at < self.virtual_rtt()) {
            return;
        }
        if self.saw_mark {
            self.marks.end_window();
            if let Some(classic) = &mut self.classic {
                classic.judge();
            }
        } else {
            self.marks.forget();
        }
        self.rounds = self.rounds.saturating_add(u32::from(!self.in_slow_start));
        (self.round_passed, self.averaged_at) = (false, now);
    }

    /// alpha, or what stands for it where the queue seems to be one with classic ECN.
    fn alpha(&self) -> f64 {
        let classic = self.classic.as_ref().map_or(0.0, ClassicEcn::least_alpha);
        self.marks.alpha().max(classic)
    }
}

/// Packets that were acknowledged without a mark.
fn unmarked(ack: &AckSample) -> f64 {
    if ack.ce_marked == 0 {
        return f64::from(ack.newly_acked);
    }
    let packet = ack.newly_marked.count() as f64 / f64::from(ack.ce_marked);
    let delivered = ack.newly_delivered.count() as f64 / packet;
    (delivered - f64::from(ack.ce_marked)).max(0.0)
}

impl Law for PragueLaw {
    type Params = PragueParams;
    const PACES: bool = true;

    fn new(params: PragueParams, window: f64) -> Self {
        PragueLaw(Box::new(State {
            params,
            marks: MarkShare::new(params.g),
            saw_mark: false,
            round_passed: false,
            averaged_at: Time::ZERO,
            cut_at: None,
            rounds: 0,
            in_slow_start: true,
            srtt: None,
            after_loss: false,
            was_after_loss: false,
            on_loss: (params.cubic == 1.0).then(|| CubicLaw::new(rfc9438(), window)),
            classic: (params.classic_ecn_fallback == 1.0).then(ClassicEcn::default),
        }))
    }

    fn on_ack(&mut self, ack: &AckSample) {
        let state = &mut *self.0;
        state.srtt = ack.rtt.smoothed.or(state.srtt);
        if let Some(classic) = &mut state.classic {
            classic.note(&ack.rtt);
        }
        state.saw_mark |= ack.ce_marked > 0;
        state.marks.note(ack.newly_delivered, ack.newly_marked);
        state.round_passed |= ack.round_ended;
        state.move_average(ack.now);
        if let Some(cubic) = state.on_loss.as_mut().filter(|_| !ack.in_recovery) {
            cubic.on_ack(ack);
        }
    }

    fn increase(&mut self, window: f64, ack: &AckSample) -> f64 {
        let state = &mut *self.0;
        state.in_slow_start = false;
        match &mut state.on_loss {
            Some(cubic) if state.after_loss => cubic.increase(window, ack),
            _ => window + unmarked(ack) * state.per_round() / window,
        }
    }

    fn whole_round(&mut self, window: f64, now: Time) -> f64 {
        match &mut self.0.on_loss {
            Some(cubic) if self.0.after_loss => cubic.whole_round(window, now),
            _ => window + 1.0,
        }
    }

    fn decrease(&mut self, window: f64, signal: &CongestionSignal) -> f64 {
        let state = &mut *self.0;
        if signal.kind != Congestion::EcnMark {
            return state.on_loss.as_mut().map_or(window / 2.0, |cubic| cubic.decrease(window, signal));
        }
        let recent = state.cut_at.is_some_and(|cut_at| signal.now - cut_at < state.virtual_rtt());
        if recent && state.is_virtual() {
            return window; // it has been cut in this virtual round trip
        }
        state.cut_at = Some(signal.now);
        window * (1.0 - state.alpha() / 2.0)
    }

    fn on_slow_start(&mut self, before: f64, window: f64) {
        self.0.in_slow_start = true;
        if let Some(cubic) = &mut self.0.on_loss {
            cubic.on_slow_start(before, window);
        }
    }

    fn on_signal(&mut self, window: f64, threshold: f64, signal: &CongestionSignal) {
        let state = &mut *self.0;
        state.in_slow_start = false;
        if signal.kind == Congestion::EcnMark {
            state.after_loss = false;
            return;
        }
        state.was_after_loss = std::mem::replace(&mut state.after_loss, true);
        if let Some(cubic) = &mut state.on_loss {
            cubic.on_signal(window, threshold, signal);
        }
    }

    fn on_cut(&mut self, cut: &Cut, conduct: &Conduct) {
        let state = &mut *self.0;
        if let Some(classic) = &mut state.classic {
            classic.note_cut(cut.after);
        }
        if let Some(cubic) = state.on_loss.as_mut().filter(|_| state.after_loss) {
            cubic.on_cut(cut, conduct);
        }
    }

    fn undo(&mut self, window: f64, signal: &UndoSignal, packet: Bytes) -> Option<Restored> {
        let restored = self.0.on_loss.as_mut()?.undo(window, signal, packet)?;
        self.0.after_loss = self.0.was_after_loss;
        Some(restored)
    }

    fn on_idle(&mut self, signal: &IdleSignal) {
        if let Some(cubic) = &mut self.0.on_loss {
            cubic.on_idle(signal);
        }
    }

    fn pacing_rate(&self, window: f64, conduct: &Conduct) -> Option<Rate> {
        let srtt = self.0.srtt.filter(|srtt| *srtt > Span::ZERO)?;
        let gain = if window < conduct.slow_start.threshold().packets() / 2.0 { 2.0 } else { 1.0 };
        let bits = 8.0 * conduct.packet().count() as f64 * window;
        Some(Rate::from_bits_per_second((gain * bits * 1e9 / srtt.nanos() as f64).max(1.0) as u64))
    }

    fn send_quantum(&self, rate: Rate) -> Bytes {
        Bytes::new((rate.bits_per_second() as f64 / 8.0 * BURST.nanos() as f64 / 1e9) as u64)
    }

    fn marked_share(&self) -> Option<f64> {
        Some(self.0.alpha())
    }

    fn wants(&self) -> Wants {
        Wants { rounds: true, recovery: true, ..Wants::NOTHING }
    }
}

#[cfg(test)]
mod tests;
