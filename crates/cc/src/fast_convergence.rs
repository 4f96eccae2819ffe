//! AIMD-FC and AIMD-FC+: additive increase, multiplicative decrease of the part of the window that is not common knowledge.
//!
//! Source: [Lahanas03] §3.2 (AIMD-FC), §4.2 (AIMD-FC+), equation (13). In a cycle the window grows from w by k, the same k for every
//! flow that hears of congestion at the same time. Only the *decrease window* dw, what was there before, is multiplied:
//!
//! ```text
//! dw <- b dw + (w + k - dw)      w <- dw + f q      q <- k
//! ```
//!
//! where q is the growth of the cycle before. With f = 0 this is AIMD-FC, `w <- b w + k`.
//!
//! | parameter | unit          | default | why                                                             |
//! |-----------|---------------|---------|-----------------------------------------------------------------|
//! | a         | packets/round | given   | a_I; the paper analyses 1                                       |
//! | b         | 1             | given   | b_D, the fraction of the decrease window kept; the paper analyses 1/2 |
//! | f         | 1             | 0.5     | f(q) = f q; the paper allows 0 to q/2 and analyses q/2          |
//!
//! Where the paper is silent: below `dw = 2 a` (equation 13) the decrease is that of AIMD on the whole window. Then q restarts at 0,
//! because the window may now be smaller than q. Slow start is not common growth: there dw follows the window. After slow start, and
//! after a timeout, dw is the halved window and k = 0. A recovery that answers a loss with slow start from one packet (Tahoe) returns
//! to the window that the law left. The cycle begins there; dw and q are kept on the way. For b > 1/2 the window after a decrease is at
//! most the one before it (for b <= 1/2 that follows from q <= dw). The increase of a round is spread over its acknowledgements.

use crate::conduct::Conduct;
use crate::constructor::{ADD, ConstructorInfo, KEEP, ParameterInfo};
use crate::cut::{Answer, Cut};
use crate::sample::AckSample;
use crate::signal::CongestionSignal;
use crate::units::Time;
use crate::windowed::{Law, Windowed, spread};
use crate::{ControllerSpec, Properties};
use serde::{Deserialize, Serialize};

/// The numbers of AIMD-FC+.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FastConvergenceParams {
    /// Packets added per round trip.
    pub a: f64,
    /// Fraction of the decrease window kept on congestion.
    pub b: f64,
    /// Fraction of the growth of the cycle before the one that ends, added after a decrease; 0 is AIMD-FC.
    pub f: f64,
}

/// What it is listed with.
pub const FAMILY: &str = "other window laws";

/// What it answers with and what it needs.
pub const PROPERTIES: Properties = Properties::WINDOW;

const fn fast_convergence(a: f64, b: f64, f: f64) -> ControllerSpec {
    ControllerSpec::FastConvergence(FastConvergenceParams { a, b, f })
}

/// The names people write.
pub const CONSTRUCTORS: &[ConstructorInfo] = &[
    ConstructorInfo {
        name: "aimd-fc",
        aliases: &[],
        summary: "AIMD with fast convergence: only the window before the last increase is cut, to the fraction b; AIMD-FC+ with f = 0",
        source: "Lahanas03 §3.2",
        parameters: &[ADD, KEEP],
        build: |v| fast_convergence(v[0], v[1], 0.0),
    },
    ConstructorInfo {
        name: "aimd-fc+",
        aliases: &[],
        summary: "AIMD-FC that adds the fraction f of the growth of the cycle before the one that ends, after each decrease",
        source: "Lahanas03 §4.2",
        parameters: &[
            ADD,
            KEEP,
            ParameterInfo::new(
                "f",
                "1",
                Some(0.5),
                (0.0, 0.5),
                "fraction of the growth that is added back; default: Lahanas03 §4.2, f(q) = q/2",
            ),
        ],
        build: |v| fast_convergence(v[0], v[1], v[2]),
    },
];

/// The law and what it knows of the last cycles.
#[derive(Clone, Debug)]
pub struct FastConvergenceLaw {
    params: FastConvergenceParams,
    /// The window at the beginning of the cycle: w; the growth k is what the window has more. Above the window while slow start
    /// returns to it.
    start: f64,
    /// dw.
    decrease_window: f64,
    /// q.
    growth_before: f64,
}

/// An AIMD-FC or AIMD-FC+ controller.
pub type FastConvergence = Windowed<FastConvergenceLaw>;

/// What a decrease leaves.
struct Left {
    decrease_window: f64,
    window: f64,
    /// The growth that is known afterwards.
    growth: f64,
}

impl FastConvergenceLaw {
    /// This window becomes the decrease window of a first cycle.
    fn begin(&mut self, window: f64) {
        self.start = window;
        self.decrease_window = window;
        self.growth_before = 0.0;
    }

    fn left(&self, window: f64) -> Left {
        let FastConvergenceParams { a, b, f } = self.params;
        if self.decrease_window < 2.0 * a || window < self.start {
            let kept = b * window;
            return Left { decrease_window: kept, window: kept, growth: 0.0 };
        }
        let decrease_window = b * self.decrease_window + (window - self.decrease_window);
        Left {
            decrease_window,
            window: (decrease_window + f * self.growth_before).min(window),
            growth: window - self.start,
        }
    }
}

impl Law for FastConvergenceLaw {
    type Params = FastConvergenceParams;

    fn new(params: FastConvergenceParams, window: f64) -> Self {
        FastConvergenceLaw { params, start: window, decrease_window: window, growth_before: 0.0 }
    }

    #[inline(always)]
    fn increase(&mut self, window: f64, ack: &AckSample) -> f64 {
        spread(window, self.params.a, ack)
    }

    fn whole_round(&mut self, window: f64, _: Time) -> f64 {
        window + self.params.a
    }

    fn decrease(&mut self, window: f64, _: &CongestionSignal) -> f64 {
        self.left(window).window
    }

    fn on_slow_start(&mut self, before: f64, window: f64) {
        let returns = before < self.start;
        if !returns {
            self.begin(window);
        }
    }

    fn on_cut(&mut self, cut: &Cut, conduct: &Conduct) {
        let start = match cut.answer {
            Answer::Law => cut.after,
            Answer::Return(window) => window,
            Answer::Half | Answer::Alternative | Answer::Restart => return self.begin(cut.after),
            Answer::Nothing => return,
        };
        let left = self.left(cut.before);
        self.start = start;
        self.decrease_window = conduct.kept(left.decrease_window).min(start);
        self.growth_before = left.growth;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Controller;
    use crate::settings::ControlSettings;
    use crate::signal::Congestion;
    use crate::units::Window;

    const FC: FastConvergenceParams = FastConvergenceParams { a: 1.0, b: 0.5, f: 0.0 };
    const FC_PLUS: FastConvergenceParams = FastConvergenceParams { f: 0.5, ..FC };
    const LOSS: CongestionSignal = CongestionSignal::new(Time::ZERO, Congestion::Loss);

    fn ack(packets: u32) -> AckSample {
        AckSample::classic(Time::ZERO, packets, None, true)
    }

    /// A controller past slow start at the given window.
    fn at(params: FastConvergenceParams, window: f64) -> FastConvergence {
        let settings = ControlSettings {
            initial_window: Window::from_packets(window),
            initial_threshold: Some(Window::from_packets(2.0)),
            ..ControlSettings::default()
        };
        FastConvergence::new(params, &settings)
    }

    fn grow(control: &mut FastConvergence, rounds: u32) {
        (0..rounds).for_each(|_| control.on_round(Time::ZERO));
    }

    #[test]
    fn only_what_was_there_before_the_cycle_is_cut() {
        let mut control = at(FC, 20.0);
        grow(&mut control, 6);
        control.on_congestion(&LOSS);
        assert_eq!(control.window().packets(), 20.0 / 2.0 + 6.0);
        grow(&mut control, 4);
        control.on_congestion(&LOSS);
        assert_eq!(control.window().packets(), 16.0 / 2.0 + 4.0);
    }

    #[test]
    fn the_plus_adds_half_the_growth_of_the_cycle_before() {
        let mut control = at(FC_PLUS, 20.0);
        grow(&mut control, 6);
        control.on_congestion(&LOSS); // dw = 10 + 6, nothing known before
        assert_eq!(control.window().packets(), 16.0);
        grow(&mut control, 4);
        control.on_congestion(&LOSS); // dw = 8 + 4, half of 6
        assert_eq!(control.window().packets(), 12.0 + 3.0);
        grow(&mut control, 2);
        control.on_congestion(&LOSS); // dw = 6 + (17 - 12), half of 4
        assert_eq!(control.window().packets(), 11.0 + 2.0);
    }

    /// [Lahanas03] §3.3.2 and §4.2.2: one flow against W ends between 2/3 W and W, and between 7/9 W and W.
    #[test]
    fn one_flow_settles_at_two_thirds_and_seven_ninths() {
        for (params, share) in [(FC, 2.0 / 3.0), (FC_PLUS, 7.0 / 9.0)] {
            let (capacity, mut control) = (9000.0, at(params, 1000.0));
            for _ in 0..60 {
                while control.window().packets() < capacity {
                    control.on_round(Time::ZERO);
                }
                control.on_congestion(&LOSS);
            }
            let settled = control.window().packets();
            assert!((settled - share * capacity).abs() < 2.0, "{settled}");
        }
    }

    #[test]
    fn below_twice_the_increase_the_whole_window_is_cut() {
        let mut control = at(FC_PLUS, 1.5);
        grow(&mut control, 10);
        control.on_congestion(&LOSS);
        assert_eq!(control.window().packets(), 11.5 / 2.0);
        grow(&mut control, 3);
        control.on_congestion(&LOSS);
        assert_eq!(control.window().packets(), 5.75 / 2.0 + 3.0, "no growth of the cycle before is known");
    }

    #[test]
    fn slow_start_is_no_common_growth() {
        let settings =
            ControlSettings { initial_window: Window::from_packets(10.0), ..ControlSettings::default() };
        let mut control = FastConvergence::new(FC_PLUS, &settings);
        control.on_ack(&ack(30));
        control.on_congestion(&LOSS);
        assert_eq!(control.window().packets(), 20.0);
        grow(&mut control, 8);
        control.on_congestion(&LOSS);
        assert_eq!(control.window().packets(), 20.0 / 2.0 + 8.0);
    }

    #[test]
    fn a_timeout_starts_again() {
        let mut control = at(FC_PLUS, 40.0);
        grow(&mut control, 10);
        control.on_congestion(&LOSS);
        let timeout = CongestionSignal { kind: Congestion::Timeout { repeated: false }, ..LOSS };
        control.on_congestion(&timeout);
        assert_eq!(control.window().packets(), 1.0);
        assert_eq!(control.slow_start_threshold().packets(), 15.0);
        control.on_ack(&ack(14));
        grow(&mut control, 5);
        control.on_congestion(&LOSS);
        assert_eq!(control.window().packets(), 15.0 / 2.0 + 5.0);
    }

    #[test]
    fn slow_start_after_a_loss_returns_to_the_cycle() {
        let mut control = at(FC_PLUS, 20.0);
        grow(&mut control, 6);
        control.on_congestion(&LOSS); // dw = 10 + 6
        grow(&mut control, 4);
        let restart = CongestionSignal { kind: Congestion::LossRestart { repeated: false }, ..LOSS };
        control.on_congestion(&restart); // dw = 8 + 4, half of 6
        assert_eq!(control.window().packets(), 1.0);
        assert_eq!(control.slow_start_threshold().packets(), 12.0 + 3.0);
        (0..14).for_each(|_| control.on_ack(&ack(1)));
        grow(&mut control, 2);
        control.on_congestion(&LOSS); // dw = 6 + (17 - 12), half of 4
        assert_eq!(control.window().packets(), 11.0 + 2.0);
    }

    #[test]
    fn a_second_loss_on_the_way_back_begins_anew() {
        let mut control = at(FC_PLUS, 20.0);
        let restart = CongestionSignal { kind: Congestion::LossRestart { repeated: false }, ..LOSS };
        control.on_congestion(&restart);
        control.on_ack(&ack(5));
        control.on_congestion(&restart); // slow start at 6: the threshold is half of it
        assert_eq!(control.slow_start_threshold().packets(), 3.0);
        control.on_ack(&ack(2));
        grow(&mut control, 7);
        control.on_congestion(&LOSS);
        assert_eq!(control.window().packets(), 3.0 / 2.0 + 7.0);
    }

    #[test]
    fn a_decrease_never_raises_the_window() {
        let mut control = at(FastConvergenceParams { b: 0.9, ..FC_PLUS }, 10.0);
        grow(&mut control, 100);
        control.on_congestion(&LOSS);
        let before = control.window().packets();
        control.on_congestion(&LOSS); // 100 packets of growth are known, half of them exceed a tenth of dw
        assert_eq!(control.window().packets(), before);
    }

    #[test]
    fn acks_of_a_round_add_the_increase() {
        let mut control = at(FC, 100.0);
        (0..100).for_each(|_| control.on_ack(&ack(1)));
        assert!((control.window().packets() - 101.0).abs() <= 1.0 / 100.0);
    }
}
