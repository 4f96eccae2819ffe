//! What all window laws do at congestion: slow start ends, windows have a lower bound, timeouts restart slow start.
//!
//! Source: RFC 5681 §3.1; RFC 9002 §7.6 (persistent congestion). A timeout sets the window to one packet and the threshold to half the
//! window, whatever the law (RFC 5681 §3.1, equation 4, and ns-2). With `timeout_threshold = "law"` the threshold is what the decrease
//! would leave. A second timeout of the same segment keeps the threshold (RFC 5681 §3.1).
//!
//! | parameter      | unit    | default | why                                                     |
//! |----------------|---------|---------|---------------------------------------------------------|
//! | least window   | packets | 1       | less than one could never send again                    |
//! | after timeouts | packets | 1       | RFC 5681 §3.1: the loss window                          |
//! | after persistent congestion | packets | 2 | RFC 9002 §7.2: kMinimumWindow                      |
//! | the rest       |         |         | [`ControlSettings`]                                     |

use crate::controller::Wants;
use crate::cut::{Answer, Cut};
use crate::idle::{Adjusted, IdleRule, Validation};
use crate::sample::AckSample;
use crate::settings::{ControlSettings, TimeoutThreshold, UndoRule, WindowArithmetic};
use crate::signal::{Congestion, CongestionSignal, IdleSignal, UndoSignal};
use crate::slow_start::{AnyRule, SlowStart, SlowStartExit, SlowStartKind, SlowStartRule};
use crate::undo::{Restored, Saved};
use crate::units::{Bytes, Rate};

/// What a window law does not decide itself.
#[derive(Clone, Debug)]
pub struct Conduct {
    /// Slow start.
    pub slow_start: SlowStart,
    beyond: Option<Box<Beyond>>,
    packet_bytes: u32,
    exit: SlowStartExit,
    arithmetic: WindowArithmetic,
    timeout_threshold: TimeoutThreshold,
    rto_cuts: bool,
}

/// What goes beyond RFC 5681, for connections whose settings ask for any of it; kept elsewhere, so that other controllers stay small.
#[derive(Clone, Debug)]
struct Beyond {
    rule: AnyRule,
    ecn_beta: Option<f64>,
    /// An idle time longer than the timeout leaves this window at most (RFC 5681 §4.1).
    restart_window: Option<f64>,
    validation: Option<Validation>,
    /// What stood before the last cut, where every cut can be withdrawn.
    saved: Option<Saved>,
}

impl Beyond {
    fn new(settings: &ControlSettings) -> Option<Box<Self>> {
        let asked = settings.slow_start != SlowStartKind::default()
            || settings.idle != IdleRule::Keep
            || settings.undo != UndoRule::default()
            || settings.ecn_beta.is_some();
        asked.then(|| {
            let restarts = settings.idle == IdleRule::Rfc5681;
            let validates = settings.idle == IdleRule::Rfc7661;
            Box::new(Beyond {
                rule: AnyRule::new(settings.slow_start, settings.sender()),
                ecn_beta: settings.ecn_beta,
                restart_window: restarts.then(|| settings.initial_window.packets()),
                validation: validates.then(|| Validation::new(settings.initial_window, settings.packet)),
                saved: (settings.undo == UndoRule::Linux).then(Saved::default),
            })
        })
    }

    fn wants(&self) -> Wants {
        let validates = self.validation.is_some();
        let validation = Wants { rates: validates, rounds: validates, recovery: validates, packets: false };
        self.rule.wants().or(validation)
    }
}

impl Conduct {
    /// The smallest window, in packets: less than one could never send again.
    pub const WINDOW_MIN: f64 = 1.0;
    /// The window after persistent congestion, in packets (RFC 9002 §7.2 and §7.6.2).
    pub const WINDOW_AFTER_PERSISTENT_CONGESTION: f64 = 2.0;

    /// At the start of a connection.
    pub fn new(settings: &ControlSettings) -> Self {
        Conduct {
            slow_start: SlowStart::new(settings.initial_threshold),
            beyond: Beyond::new(settings),
            packet_bytes: u32::try_from(settings.packet.count()).expect("a packet is smaller than 4 GB"),
            exit: settings.slow_start_exit,
            arithmetic: settings.window_arithmetic,
            timeout_threshold: settings.timeout_threshold,
            rto_cuts: settings.rto_cuts,
        }
    }

    /// What it needs to be told.
    pub fn wants(&self) -> Wants {
        self.beyond.as_ref().map_or(Wants::NOTHING, |beyond| beyond.wants())
    }

    /// An acknowledgement arrived. Is this window in slow start? The threshold is looked at first, and a rule of growth beside it gets a copy
    /// of the sample: most acknowledgements are beyond slow start, and no sample need be written for them.
    #[inline(always)]
    pub fn in_slow_start(&mut self, window: f64, ack: &AckSample) -> bool {
        if !self.slow_start.covers(window) {
            return false;
        }
        match &mut self.beyond {
            None => true,
            Some(beyond) => self.slow_start.on_ack(Some(&mut beyond.rule), window, &{ *ack }),
        }
    }

    /// Packets that an acknowledgement adds in slow start.
    #[inline(always)]
    pub fn growth(&mut self, ack: &AckSample) -> f64 {
        match &mut self.beyond {
            None => f64::from(ack.newly_acked), // as the standard rule
            Some(beyond) => beyond.rule.growth(&{ *ack }),
        }
    }

    /// Does this window grow in conservative slow start?
    pub fn in_conservative_slow_start(&self, window: f64) -> bool {
        let slower = self.beyond.as_ref().is_some_and(|beyond| beyond.rule.is_conservative());
        slower && self.slow_start.covers(window)
    }

    fn validation(&mut self) -> Option<&mut Validation> {
        self.beyond.as_mut()?.validation.as_mut()
    }

    /// A round trip has passed outside recovery: the window, if it has been kept unused for too long.
    pub fn on_round(&mut self, window: f64, ack: &AckSample) -> f64 {
        let threshold = self.slow_start.threshold().packets();
        let adjusted = self.validation().and_then(|validation| validation.on_round(window, threshold, ack));
        self.adjust(window, adjusted)
    }

    fn adjust(&mut self, window: f64, adjusted: Option<Adjusted>) -> f64 {
        let Some(adjusted) = adjusted else { return window };
        self.slow_start.restore(adjusted.threshold);
        adjusted.window
    }

    /// The application has data again: the window that is left.
    pub fn on_idle(&mut self, window: f64, signal: &IdleSignal) -> f64 {
        let threshold = self.slow_start.threshold().packets();
        let Some(beyond) = &mut self.beyond else { return window };
        if let Some(restart) = beyond.restart_window {
            return if signal.now - signal.since > signal.timeout { window.min(restart) } else { window };
        }
        let validation = beyond.validation.as_mut();
        let adjusted = validation.and_then(|validation| validation.on_idle(window, threshold, signal));
        self.adjust(window, adjusted)
    }

    /// An acknowledgement arrives during recovery.
    pub fn on_repair(&mut self, ack: &AckSample) {
        if let Some(validation) = self.validation() {
            validation.on_repair(ack);
        }
    }

    /// Recovery is over: the window that is left.
    pub fn on_repaired(&mut self, window: f64) -> f64 {
        self.validation().map_or(window, |validation| validation.on_repaired(window))
    }

    fn saved(&mut self) -> Option<&mut Saved> {
        self.beyond.as_mut()?.saved.as_mut()
    }

    /// A congestion signal arrived, at this window.
    pub fn on_signal(&mut self, window: f64, signal: &CongestionSignal) {
        let (window, threshold) = (self.counted(window), self.slow_start.threshold().packets());
        if let Some(saved) = self.saved() {
            saved.on_signal(window, threshold, signal);
        }
    }

    /// The last signal was spurious. `None`: the law says what that means; or else whether anything is restored, whatever the law.
    pub fn restored(&mut self, window: f64, signal: &UndoSignal) -> Option<Option<Restored>> {
        let threshold = self.slow_start.threshold().packets();
        Some(self.saved()?.restore(window, threshold, signal))
    }

    /// What was cut for was none.
    pub fn on_undo(&mut self) {
        if let Some(validation) = self.validation() {
            validation.on_undo();
        }
    }

    /// Is the window not validated, so that packets may have to leave more slowly?
    pub fn paces(&self) -> bool {
        let validation = self.beyond.as_ref().and_then(|beyond| beyond.validation.as_ref());
        validation.is_some_and(|validation| !validation.is_validated())
    }

    /// How fast packets may leave at a window that is not validated.
    pub fn pacing_rate(&self, window: f64) -> Option<Rate> {
        self.beyond.as_ref()?.validation.as_ref()?.pacing_rate(window)
    }

    /// What a signal of congestion cuts: the window, or what has been used of it. A timeout takes the whole of it.
    pub fn used(&self, kind: Congestion, window: f64) -> f64 {
        let validation = self.beyond.as_ref().and_then(|beyond| beyond.validation.as_ref());
        match (validation, kind) {
            (Some(validation), Congestion::Loss | Congestion::EcnMark) => validation.volume(window),
            _ => window,
        }
    }

    /// Size of the packets that windows are counted in.
    pub fn packet(&self) -> Bytes {
        Bytes::new(u64::from(self.packet_bytes))
    }

    /// The window that a law cuts: its whole packets if windows are whole, since ns-2 took the fraction off before it cut.
    pub fn counted(&self, window: f64) -> f64 {
        match self.arithmetic {
            WindowArithmetic::Real => window,
            WindowArithmetic::Integer => window.floor(),
        }
    }

    /// A window after a cut, truncated if windows are whole, and never below the smallest.
    pub fn kept(&self, window: f64) -> f64 {
        self.counted(window).max(Self::WINDOW_MIN)
    }

    /// What a signal does to the window `window`, where the law would leave `law`; also sets the slow-start threshold.
    pub fn cut(&mut self, kind: Congestion, window: f64, law: f64) -> Cut {
        let cut = self.answered(kind, window, law);
        if let Some(beyond) = &mut self.beyond
            && cut.answer != Answer::Nothing
        {
            beyond.rule.on_cut(kind);
            if let Some(validation) = &mut beyond.validation {
                validation.on_cut(&cut);
            }
        }
        cut
    }

    fn ecn_beta(&self) -> Option<f64> {
        self.beyond.as_ref()?.ecn_beta
    }

    fn answered(&mut self, kind: Congestion, window: f64, law: f64) -> Cut {
        let halves = self.exit == SlowStartExit::Half && self.slow_start.covers(window);
        let before = self.counted(window);
        let cut = |answer, after| Cut { answer, before, after };
        match kind {
            Congestion::EcnMark if !self.slow_start.covers(window) && self.ecn_beta().is_some() => {
                let kept = self.ecn_beta().unwrap_or(1.0);
                let after = self.kept(before * kept);
                self.slow_start.cut_to(after);
                cut(Answer::Alternative, after)
            }
            Congestion::Loss | Congestion::EcnMark => {
                let after = self.kept(if halves { before / 2.0 } else { law });
                self.slow_start.cut_to(after);
                cut(if halves { Answer::Half } else { Answer::Law }, after)
            }
            Congestion::LossRestart { repeated: true } => cut(Answer::Restart, Self::WINDOW_MIN),
            Congestion::LossRestart { repeated: false } => {
                let after = self.kept(if halves { before / 2.0 } else { law });
                self.slow_start.cut_to(after);
                cut(if halves { Answer::Restart } else { Answer::Return(after) }, Self::WINDOW_MIN)
            }
            Congestion::Timeout { .. } | Congestion::PersistentCongestion if !self.rto_cuts => {
                Cut { answer: Answer::Nothing, before: window, after: window }
            }
            Congestion::Timeout { repeated } => {
                if !repeated {
                    let half = self.timeout_threshold == TimeoutThreshold::Half || halves;
                    self.slow_start.cut_to(self.kept(if half { before / 2.0 } else { law }));
                }
                cut(Answer::Restart, Self::WINDOW_MIN)
            }
            // The window alone: the loss that came before has set the threshold.
            Congestion::PersistentCongestion => {
                cut(Answer::Restart, window.min(Self::WINDOW_AFTER_PERSISTENT_CONGESTION))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Controller;
    use crate::linear::{Linear, LinearParams};
    use crate::sample::AckSample;
    use crate::signal::CongestionSignal;
    use crate::units::{Time, Window};

    const TCP: LinearParams = LinearParams { a_i: 1.0, b_i: 1.0, a_d: 0.0, b_d: 0.5 };

    fn ack(packets: u32) -> AckSample {
        AckSample::classic(Time::ZERO, packets, None, true)
    }

    fn signal(kind: Congestion) -> CongestionSignal {
        CongestionSignal::new(Time::ZERO, kind)
    }

    fn settings(window: f64) -> ControlSettings {
        ControlSettings {
            initial_window: Window::from_packets(window),
            initial_threshold: Some(Window::from_packets(2.0)),
            ..ControlSettings::default()
        }
    }

    /// A controller past slow start at the given window.
    fn at(params: LinearParams, window: f64) -> Linear {
        Linear::new(params, &settings(window))
    }

    #[test]
    fn a_loss_in_slow_start_halves_unless_the_law_is_asked_for() {
        for (exit, expected) in [(SlowStartExit::Half, 50.0), (SlowStartExit::Law, 80.0)] {
            let settings = ControlSettings {
                initial_window: Window::from_packets(100.0),
                slow_start_exit: exit,
                ..ControlSettings::default()
            };
            let mut control = Linear::new(LinearParams { b_d: 0.8, ..TCP }, &settings);
            control.on_congestion(&signal(Congestion::Loss));
            assert_eq!(control.window().packets(), expected);
        }
    }

    #[test]
    fn a_timeout_restarts_below_half_the_window_or_the_decreased_one() {
        for (timeout_threshold, expected) in [(TimeoutThreshold::Half, 50.0), (TimeoutThreshold::Law, 80.0)] {
            let settings = ControlSettings {
                initial_window: Window::from_packets(100.0),
                initial_threshold: Some(Window::from_packets(2.0)),
                timeout_threshold,
                ..ControlSettings::default()
            };
            let mut control = Linear::new(LinearParams { b_d: 0.8, ..TCP }, &settings);
            control.on_congestion(&signal(Congestion::Timeout { repeated: false }));
            assert_eq!(control.window().packets(), 1.0);
            assert_eq!(control.slow_start_threshold().packets(), expected);
            control.on_congestion(&signal(Congestion::Timeout { repeated: true }));
            assert_eq!(control.slow_start_threshold().packets(), expected);
        }
    }

    #[test]
    fn a_timeout_that_must_not_cut_does_not() {
        let settings = ControlSettings { rto_cuts: false, ..ControlSettings::default() };
        let mut control = Linear::new(TCP, &settings);
        control.on_congestion(&signal(Congestion::Timeout { repeated: false }));
        assert_eq!(control.window(), settings.initial_window);
    }

    #[test]
    fn integer_arithmetic_truncates_the_decrease_only() {
        let settings = ControlSettings {
            initial_window: Window::from_packets(101.0),
            initial_threshold: Some(Window::from_packets(2.0)),
            window_arithmetic: WindowArithmetic::Integer,
            ..ControlSettings::default()
        };
        let mut control = Linear::new(TCP, &settings);
        control.on_congestion(&signal(Congestion::Loss));
        assert_eq!(control.window().packets(), 50.0);
        control.on_ack(&ack(1));
        assert_eq!(control.window().packets(), 50.0 + 1.0 / 50.0);
    }

    #[test]
    fn integer_arithmetic_cuts_the_whole_packets_of_the_window() {
        let whole = |kind, expected: f64| {
            let settings = ControlSettings {
                window_arithmetic: WindowArithmetic::Integer,
                timeout_threshold: TimeoutThreshold::Law,
                ..settings(9.2)
            };
            let mut control = Linear::new(LinearParams { b_d: 0.875, ..TCP }, &settings);
            control.on_congestion(&signal(kind));
            assert_eq!(control.slow_start_threshold().packets(), expected);
        };
        // 7/8 of 9 packets is 7.875; of 9.2 it would be 8.05.
        whole(Congestion::Loss, 7.0);
        whole(Congestion::Timeout { repeated: false }, 7.0);
        let settings = ControlSettings {
            rto_cuts: false,
            window_arithmetic: WindowArithmetic::Integer,
            ..settings(8.96)
        };
        let mut control = Linear::new(TCP, &settings);
        control.on_congestion(&signal(Congestion::Timeout { repeated: false }));
        assert_eq!(control.window().packets(), 8.96, "a timeout that must not cut leaves the fraction");
    }

    #[test]
    fn a_window_that_is_idle_or_in_recovery_does_not_grow() {
        let mut control = at(TCP, 10.0);
        for kept in [AckSample { cwnd_limited: false, ..ack(1) }, AckSample { in_recovery: true, ..ack(1) }] {
            control.on_ack(&kept);
            assert_eq!(control.window().packets(), 10.0);
        }
        control.on_ack(&ack(1));
        assert_eq!(control.window().packets(), 10.1);
    }

    #[test]
    fn persistent_congestion_leaves_two_packets_and_the_threshold() {
        let mut control = at(TCP, 40.0);
        control.on_congestion(&signal(Congestion::Loss));
        control.on_congestion(&signal(Congestion::PersistentCongestion));
        assert_eq!(control.window().packets(), 2.0);
        assert_eq!(control.slow_start_threshold().packets(), 20.0);
        control.on_congestion(&signal(Congestion::Timeout { repeated: false }));
        control.on_congestion(&signal(Congestion::PersistentCongestion));
        assert_eq!(control.window().packets(), 1.0, "nothing raises a window here");
    }

    /// RFC 8511 §3.1: 0.8 of the window; not in slow start (§4), and not for a loss.
    #[test]
    fn a_mark_may_keep_more_than_a_loss() {
        let settings = ControlSettings { ecn_beta: Some(0.8), ..settings(100.0) };
        for (kind, left) in [(Congestion::EcnMark, 80.0), (Congestion::Loss, 50.0)] {
            let mut control = Linear::new(TCP, &settings);
            control.on_congestion(&signal(kind));
            assert_eq!((control.window().packets(), control.slow_start_threshold().packets()), (left, left));
        }
        let mut control = Linear::new(TCP, &ControlSettings { initial_threshold: None, ..settings });
        control.on_congestion(&signal(Congestion::EcnMark));
        assert_eq!(control.window().packets(), 50.0);
    }

    /// RFC 5681 §4.1: RW = min(IW, cwnd), and the threshold stays.
    #[test]
    fn an_idle_time_above_the_timeout_leaves_the_initial_window() {
        let span = crate::units::Span::from_millis;
        let idle =
            |millis| IdleSignal { now: Time::ZERO + span(millis), since: Time::ZERO, timeout: span(200) };
        for (window, millis, left) in [(40.0, 200, 40.0), (40.0, 201, 10.0), (6.0, 201, 6.0)] {
            let settings = ControlSettings { idle: IdleRule::Rfc5681, ..settings(10.0) };
            let mut control = Linear::new(TCP, &settings);
            control.window = window;
            control.on_idle(&idle(millis));
            assert_eq!((control.window().packets(), control.slow_start_threshold().packets()), (left, 2.0));
        }
    }
}
