//! Two steps: adjust to what was gained in common, first to k1, then to k1 + k2, and stay there.
//!
//! Source: [Lahanas03] §6, which sketches it to say that it cannot work as it stands. Flows that begin together gain k1 packets up to
//! the first congestion and take k1 as their window: they are fair after one cycle. Up to the second congestion they gain k2 and keep
//! k1 + k2: they are efficient after two. Every later congestion takes them back there. A flow that comes later has gained less in
//! common than the others, and bandwidth that is freed later is taken up only from one congestion to the next.
//!
//! | parameter | unit          | default | why                                                        |
//! |-----------|---------------|---------|------------------------------------------------------------|
//! | a         | packets/round | given   | a_I; the paper speaks of steps of one                      |
//!
//! Where the paper is silent: k2 leaves out the step that caused the congestion, so that the small oscillation which the paper asks for
//! is one step. Growth is counted from where slow start ended; a timeout starts again. A recovery with slow start after a loss (Tahoe)
//! returns to what the law left. The increase of a round is spread over its acknowledgements.

use crate::conduct::Conduct;
use crate::constructor::{ADD, ConstructorInfo};
use crate::cut::{Answer, Cut};
use crate::sample::AckSample;
use crate::signal::CongestionSignal;
use crate::units::Time;
use crate::windowed::{Law, Windowed, spread};
use crate::{ControllerSpec, Properties};
use serde::{Deserialize, Serialize};

/// The number of the two-step control.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TwoStepParams {
    /// Packets added per round trip.
    pub a: f64,
}

/// What it is listed with.
pub const FAMILY: &str = "other window laws";

/// What it answers with and what it needs.
pub const PROPERTIES: Properties = Properties::WINDOW;

/// The names people write.
pub const CONSTRUCTORS: &[ConstructorInfo] = &[ConstructorInfo {
    name: "two-step",
    aliases: &[],
    summary: "increase by a packets a round; the first congestion leaves the growth k1 up to it, every later one k1 + k2",
    source: "Lahanas03 §6",
    parameters: &[ADD],
    build: |v| ControllerSpec::TwoStep(TwoStepParams { a: v[0] }),
}];

/// How far a flow has come.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    /// No congestion yet: growth counts from this window.
    Growing(f64),
    /// One: the window was set to k1, which is this.
    Fair(f64),
    /// Two or more: the window returns to k1 + k2, which is this.
    Efficient(f64),
}

/// The law and how far its flow has come.
#[derive(Clone, Debug)]
pub struct TwoStepLaw {
    params: TwoStepParams,
    step: Step,
}

/// A two-step controller.
pub type TwoStep = Windowed<TwoStepLaw>;

impl Law for TwoStepLaw {
    type Params = TwoStepParams;

    fn new(params: TwoStepParams, window: f64) -> Self {
        TwoStepLaw { params, step: Step::Growing(window) }
    }

    #[inline(always)]
    fn increase(&mut self, window: f64, ack: &AckSample) -> f64 {
        spread(window, self.params.a, ack)
    }

    fn whole_round(&mut self, window: f64, _: Time) -> f64 {
        window + self.params.a
    }

    fn decrease(&mut self, window: f64, _: &CongestionSignal) -> f64 {
        match self.step {
            Step::Growing(start) => window - start,
            Step::Fair(k1) => (window - self.params.a).max(k1),
            Step::Efficient(both) => both.min(window),
        }
    }

    fn on_slow_start(&mut self, _: f64, window: f64) {
        if let Step::Growing(start) = &mut self.step {
            *start = window;
        }
    }

    fn on_cut(&mut self, cut: &Cut, _: &Conduct) {
        let left = match cut.answer {
            Answer::Law => cut.after,
            Answer::Return(window) => window,
            Answer::Half | Answer::Alternative | Answer::Restart => {
                return self.step = Step::Growing(cut.after);
            }
            Answer::Nothing => return,
        };
        self.step = match self.step {
            Step::Growing(_) => Step::Fair(left),
            Step::Fair(_) | Step::Efficient(_) => Step::Efficient(left),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Controller;
    use crate::settings::ControlSettings;
    use crate::signal::Congestion;
    use crate::units::Window;

    const LOSS: CongestionSignal = CongestionSignal::new(Time::ZERO, Congestion::Loss);

    fn at(window: f64) -> TwoStep {
        let settings = ControlSettings {
            initial_window: Window::from_packets(window),
            initial_threshold: Some(Window::from_packets(2.0)),
            ..ControlSettings::default()
        };
        TwoStep::new(TwoStepParams { a: 1.0 }, &settings)
    }

    fn grow(control: &mut TwoStep, rounds: u32) -> f64 {
        (0..rounds).for_each(|_| control.on_round(Time::ZERO));
        control.window().packets()
    }

    fn cut(control: &mut TwoStep) -> f64 {
        control.on_congestion(&LOSS);
        control.window().packets()
    }

    /// Flows of 10 and 50 packets on 100: fair after one congestion, and with the whole capacity after two.
    #[test]
    fn one_cycle_to_fairness_and_two_to_efficiency() {
        let (mut small, mut large) = (at(10.0), at(50.0));
        assert_eq!((grow(&mut small, 20), grow(&mut large, 20)), (30.0, 70.0));
        assert_eq!((cut(&mut small), cut(&mut large)), (20.0, 20.0));
        assert_eq!(grow(&mut small, 31) + grow(&mut large, 31), 102.0);
        assert_eq!((cut(&mut small), cut(&mut large)), (50.0, 50.0));
    }

    #[test]
    fn later_congestion_leads_back_to_the_same_window() {
        let mut control = at(10.0);
        grow(&mut control, 20);
        cut(&mut control);
        grow(&mut control, 31);
        assert_eq!(cut(&mut control), 50.0);
        grow(&mut control, 30); // others have left
        assert_eq!(cut(&mut control), 50.0);
        assert_eq!(cut(&mut control), 50.0, "twice at once");
    }

    #[test]
    fn slow_start_is_no_common_growth_and_a_timeout_starts_again() {
        let settings =
            ControlSettings { initial_window: Window::from_packets(10.0), ..ControlSettings::default() };
        let mut control = TwoStep::new(TwoStepParams { a: 1.0 }, &settings);
        control.on_ack(&AckSample::classic(Time::ZERO, 30, None, true));
        assert_eq!(cut(&mut control), 20.0, "slow start is left with half the window");
        grow(&mut control, 8);
        assert_eq!(cut(&mut control), 8.0);
        let timeout = CongestionSignal { kind: Congestion::Timeout { repeated: false }, ..LOSS };
        control.on_congestion(&timeout);
        assert_eq!(control.window().packets(), 1.0);
        control.on_ack(&AckSample::classic(Time::ZERO, 5, None, true));
        grow(&mut control, 4);
        assert_eq!(cut(&mut control), 4.0);
    }
}
