//! A window law and the controller made of it: what laws do not decide stands here and in [`crate::conduct`], once for all of them.
//!
//! Source: RFC 5681 §3.1 (slow start below the threshold), RFC 7661 §4.3 (an idle window does not grow). A law is its numbers, its
//! increase and its decrease. In recovery no window of a law here grows.

use crate::conduct::Conduct;
use crate::controller::{Controller, Pace, Wants};
use crate::cut::Cut;
use crate::sample::AckSample;
use crate::settings::ControlSettings;
use crate::signal::{CongestionSignal, IdleSignal, Recovery, RecoverySignal, UndoSignal};
use crate::undo::Restored;
use crate::units::{Bytes, Rate, Time, Window};
use std::fmt::Debug;

/// A law of the window: what a round trip without congestion adds, and what congestion leaves. Windows are packets.
///
/// The hooks at the end are for laws that remember something; they do nothing by themselves.
pub trait Law: Clone + Debug {
    /// Its numbers.
    type Params: Copy;

    /// Acknowledgements may shrink its window; what is left is no slow start then.
    const SHRINKS: bool = false;
    /// It may say how fast packets leave.
    const PACES: bool = false;

    /// The law of these numbers, at the start of a connection with this window.
    fn new(params: Self::Params, window: f64) -> Self;

    /// The window after an acknowledgement in congestion avoidance; see [`spread`].
    fn increase(&mut self, window: f64, ack: &AckSample) -> f64;

    /// The window after a whole round trip in congestion avoidance: the increase as papers write it.
    fn whole_round(&mut self, window: f64, now: Time) -> f64;

    /// What congestion leaves of this window.
    fn decrease(&mut self, window: f64, signal: &CongestionSignal) -> f64;

    /// An acknowledgement arrived, whether the window grows at it or not; during recovery only if the law wants to hear of these.
    #[inline(always)]
    fn on_ack(&mut self, _ack: &AckSample) {}

    /// Slow start would go on: does the law end it, and at which window?
    #[inline(always)]
    fn ends_slow_start(&mut self, _window: f64, _ack: &AckSample) -> Option<f64> {
        None
    }

    /// Slow start raised the window.
    #[inline(always)]
    fn on_slow_start(&mut self, _before: f64, _window: f64) {}

    /// A congestion signal arrived, with this window and this slow-start threshold in force; [`Law::decrease`] comes next.
    fn on_signal(&mut self, _window: f64, _threshold: f64, _signal: &CongestionSignal) {}

    /// A congestion signal was answered, with or without what [`Law::decrease`] had said.
    fn on_cut(&mut self, _cut: &Cut, _conduct: &Conduct) {}

    /// The last signal about some data was spurious: what is to be restored, if the law restores anything. Packets have this size.
    fn undo(&mut self, _window: f64, _signal: &UndoSignal, _packet: Bytes) -> Option<Restored> {
        None
    }

    /// The application has data again after nothing was in flight.
    fn on_idle(&mut self, _signal: &IdleSignal) {}

    /// How fast packets may leave at this window; `None`: as its transport says.
    #[inline(always)]
    fn pacing_rate(&self, _window: f64, _conduct: &Conduct) -> Option<Rate> {
        None
    }

    /// What may leave back to back at a rate of its own.
    #[inline(always)]
    fn send_quantum(&self, _rate: Rate) -> Bytes {
        Bytes::ZERO
    }

    /// The average share of marked bytes that it goes by, if it keeps one.
    fn marked_share(&self) -> Option<f64> {
        None
    }

    /// What it needs to be told.
    fn wants(&self) -> Wants {
        Wants::NOTHING
    }
}

/// The window after an acknowledgement, where a round trip adds `per_round` packets: the increase is spread over the packets of the round.
#[inline(always)]
pub fn spread(window: f64, per_round: f64, ack: &AckSample) -> f64 {
    window + f64::from(ack.newly_acked) * (per_round / window)
}

/// The controller of a window law.
#[derive(Clone, Debug)]
pub struct Windowed<L> {
    pub(crate) law: L,
    conduct: Conduct,
    pub(crate) window: f64,
}

impl<L: Law> Windowed<L> {
    /// A controller at the start of its connection.
    pub fn new(params: L::Params, settings: &ControlSettings) -> Self {
        let window = settings.initial_window.packets();
        Windowed { law: L::new(params, window), conduct: Conduct::new(settings), window }
    }
}

impl<L: Law> Controller for Windowed<L> {
    fn wants(&self) -> Wants {
        self.law.wants().or(self.conduct.wants())
    }

    /// What is rarely asked gets a copy of the sample, so that fields that nobody reads are not written for it.
    #[inline(always)]
    fn on_ack(&mut self, ack: &AckSample) {
        if ack.in_recovery {
            self.conduct.on_repair(&{ *ack });
            if !self.law.wants().recovery {
                return; // told for others' sake
            }
        } else if ack.round_ended {
            self.window = self.conduct.on_round(self.window, &{ *ack });
        }
        self.law.on_ack(ack);
        let mut slow_start = self.conduct.in_slow_start(self.window, ack);
        if slow_start && let Some(window) = self.law.ends_slow_start(self.window, ack) {
            (self.window, slow_start) = (window, false);
            self.conduct.slow_start.cut_to(window);
        }
        if ack.in_recovery || !ack.cwnd_limited {
            return; // an idle window says nothing about the path (RFC 7661 §4.3)
        }
        let grown = if slow_start {
            let grown = self.window + self.conduct.growth(ack);
            self.law.on_slow_start(self.window, grown);
            grown
        } else {
            let moved = self.law.increase(self.window, ack);
            if L::SHRINKS && moved < self.slow_start_threshold().packets() {
                self.conduct.slow_start.cut_to(moved);
            }
            moved
        };
        self.window = grown.max(Conduct::WINDOW_MIN); // some numbers of some laws shrink it
    }

    fn on_round(&mut self, now: Time) {
        self.window = self.law.whole_round(self.window, now).max(Conduct::WINDOW_MIN);
    }

    fn on_congestion(&mut self, signal: &CongestionSignal) {
        self.law.on_signal(self.window, self.slow_start_threshold().packets(), signal);
        self.conduct.on_signal(self.window, signal);
        let used = self.conduct.used(signal.kind, self.window);
        let law = self.law.decrease(self.conduct.counted(used), signal);
        let cut = self.conduct.cut(signal.kind, used, law);
        self.window = cut.after;
        self.law.on_cut(&cut, &self.conduct);
    }

    fn on_undo(&mut self, signal: &UndoSignal) {
        let packet = self.conduct.packet();
        let restored = self
            .conduct
            .restored(self.window, signal)
            .unwrap_or_else(|| self.law.undo(self.window, signal, packet));
        if let Some(restored) = restored {
            self.window = restored.window.max(Conduct::WINDOW_MIN);
            self.conduct.slow_start.restore(restored.threshold);
            self.conduct.on_undo();
        }
    }

    fn on_idle(&mut self, signal: &IdleSignal) {
        self.law.on_idle(signal);
        self.window = self.conduct.on_idle(self.window, signal);
    }

    fn on_recovery(&mut self, signal: &RecoverySignal) {
        if signal.change == Recovery::Left {
            self.window = self.conduct.on_repaired(self.window);
        }
    }

    #[inline]
    fn window(&self) -> Window {
        Window::from_packets(self.window)
    }

    #[inline]
    fn slow_start_threshold(&self) -> Window {
        self.conduct.slow_start.threshold()
    }

    fn paces(&self) -> bool {
        L::PACES || self.conduct.paces()
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        self.law.pacing_rate(self.window, &self.conduct).or_else(|| self.conduct.pacing_rate(self.window))
    }

    #[inline]
    fn send_quantum(&self) -> Bytes {
        self.pacing_rate().map_or(Bytes::ZERO, |rate| self.law.send_quantum(rate))
    }

    #[inline]
    fn pace(&self) -> Pace {
        let rate = self.pacing_rate();
        let quantum = rate.map_or(Bytes::ZERO, |rate| self.law.send_quantum(rate));
        Pace { rate, quantum }
    }

    fn in_conservative_slow_start(&self) -> bool {
        self.conduct.in_conservative_slow_start(self.window)
    }

    fn marked_share(&self) -> Option<f64> {
        self.law.marked_share()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::Congestion;
    use crate::slow_start::SlowStartExit;

    fn ack(packets: u32) -> AckSample {
        AckSample::classic(Time::ZERO, packets, None, true)
    }

    fn settings(window: f64) -> ControlSettings {
        ControlSettings { initial_window: Window::from_packets(window), ..ControlSettings::default() }
    }

    /// Writes down what it is told; adds a packet a round and keeps three quarters.
    #[derive(Clone, Debug)]
    struct Listener {
        heard: Vec<String>,
    }

    impl Law for Listener {
        type Params = ();

        fn new((): (), window: f64) -> Self {
            Listener { heard: vec![format!("new {window}")] }
        }

        fn increase(&mut self, window: f64, ack: &AckSample) -> f64 {
            spread(window, 1.0, ack)
        }

        fn whole_round(&mut self, window: f64, now: Time) -> f64 {
            self.heard.push(format!("round at {}", now.nanos()));
            window + 1.0
        }

        fn decrease(&mut self, window: f64, signal: &CongestionSignal) -> f64 {
            self.heard.push(format!("{:?} at {window}", signal.kind));
            0.75 * window
        }

        fn on_ack(&mut self, ack: &AckSample) {
            self.heard.push(format!("ack of {}", ack.newly_acked));
        }

        fn on_slow_start(&mut self, before: f64, window: f64) {
            self.heard.push(format!("slow start {before} to {window}"));
        }

        fn on_cut(&mut self, cut: &Cut, conduct: &Conduct) {
            self.heard.push(format!(
                "{:?} {} to {}, keeps {}",
                cut.answer,
                cut.before,
                cut.after,
                conduct.kept(0.25)
            ));
        }

        fn wants(&self) -> Wants {
            Wants { rates: true, ..Wants::NOTHING }
        }
    }

    fn heard(control: &mut Windowed<Listener>) -> Vec<String> {
        std::mem::take(&mut control.law.heard)
    }

    #[test]
    fn a_law_hears_of_what_its_conduct_decides() {
        let settings =
            ControlSettings { initial_threshold: Some(Window::from_packets(12.0)), ..settings(10.0) };
        let mut control = Windowed::<Listener>::new((), &settings);
        assert_eq!(control.wants(), Wants { rates: true, ..Wants::NOTHING });
        control.on_ack(&ack(2));
        assert_eq!(heard(&mut control), ["new 10", "ack of 2", "slow start 10 to 12"]);
        control.on_ack(&AckSample { in_recovery: true, ..ack(3) });
        control.on_ack(&ack(6));
        assert_eq!(control.window().packets(), 12.0 + 6.0 / 12.0);
        assert_eq!(heard(&mut control), ["ack of 6"]);
        control.on_round(Time::from_nanos(5));
        assert_eq!(control.window().packets(), 13.5);
        assert_eq!(heard(&mut control), ["round at 5"]);
    }

    #[test]
    fn a_law_hears_how_a_signal_was_answered() {
        let check = |kind: Congestion, exit, expected: &str| {
            let settings = ControlSettings { slow_start_exit: exit, ..settings(8.0) };
            let mut control = Windowed::<Listener>::new((), &settings);
            control.on_congestion(&CongestionSignal::new(Time::ZERO, kind));
            assert_eq!(heard(&mut control)[1..], [format!("{kind:?} at 8"), expected.to_owned()]);
        };
        use SlowStartExit::{Half, Law};
        check(Congestion::Loss, Law, "Law 8 to 6, keeps 1");
        check(Congestion::EcnMark, Half, "Half 8 to 4, keeps 1");
        check(Congestion::LossRestart { repeated: false }, Law, "Return(6.0) 8 to 1, keeps 1");
        check(Congestion::LossRestart { repeated: false }, Half, "Restart 8 to 1, keeps 1");
        check(Congestion::LossRestart { repeated: true }, Law, "Restart 8 to 1, keeps 1");
        check(Congestion::Timeout { repeated: false }, Law, "Restart 8 to 1, keeps 1");
        check(Congestion::PersistentCongestion, Law, "Restart 8 to 2, keeps 1");
    }
}
