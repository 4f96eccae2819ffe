//! The synchronous model: controllers share one capacity, round by round, without a network.
//!
//! Source: the binary feedback of [ChiuJain89] §2, as [Akella02] §5.1 and [Lahanas03] §2 use it. If the sum of the windows is at or
//! above the capacity when a round begins, every controller hears of one loss and none grows. Any other round delivers the whole window
//! of each. There is no slow start. The controllers are those of the packet simulator.
//!
//! | parameter | unit    | default | why                                                                                  |
//! |-----------|---------|---------|--------------------------------------------------------------------------------------|
//! | capacity  | packets | given   | per round trip, queue included; reached counts as exceeded, [Lahanas03] §2.1          |
//! | stepping  | choice  | whole   | a round is one application of the law, as the papers write it; `Acks` delivers single acknowledgements, as the packet simulator does |

use crate::controller::Controller;
use crate::sample::AckSample;
use crate::settings::ControlSettings;
use crate::signal::{Congestion, CongestionSignal};
use crate::slow_start::SlowStartExit;
use crate::units::{Span, Time, Window};
use crate::{AnyController, ControllerSpec};

/// How a round without congestion reaches a controller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stepping {
    /// At once.
    #[default]
    Whole,
    /// As single acknowledgements; fractions of a packet are carried over, so that in the long run a window of `w` gets `w` of them.
    Acks,
}

/// Controllers on one capacity.
#[derive(Clone, Debug)]
pub struct Rounds {
    controllers: Vec<AnyController>,
    /// Parts of acknowledgements still owed to each.
    owed: Vec<f64>,
    capacity: f64,
    stepping: Stepping,
    round: u64,
}

impl Rounds {
    /// What a round trip lasts, for laws that look at the clock.
    pub const ROUND: Span = Span::from_millis(100);

    /// Controllers past slow start with these windows, sharing `capacity` packets a round.
    pub fn new(flows: &[(ControllerSpec, f64)], capacity: f64, stepping: Stepping) -> Self {
        let control = |(flow, (spec, window)): (usize, &(ControllerSpec, f64))| {
            let settings = ControlSettings {
                initial_window: Window::from_packets(*window),
                flow: flow as u32,
                initial_threshold: Some(Window::from_packets(0.0)),
                slow_start_exit: SlowStartExit::Law,
                ..ControlSettings::default()
            };
            AnyController::new(spec, &settings)
        };
        Rounds {
            controllers: flows.iter().enumerate().map(control).collect(),
            owed: vec![0.0; flows.len()],
            capacity,
            stepping,
            round: 0,
        }
    }

    /// The controllers.
    pub fn controllers(&self) -> &[AnyController] {
        &self.controllers
    }

    /// The window of each, in packets.
    pub fn windows(&self) -> impl Iterator<Item = f64> + '_ {
        self.controllers.iter().map(|control| control.window().packets())
    }

    /// The windows together, in packets.
    pub fn load(&self) -> f64 {
        self.windows().sum()
    }

    /// Rounds so far.
    pub fn round(&self) -> u64 {
        self.round
    }

    /// One round; was it one of congestion?
    pub fn step(&mut self) -> bool {
        self.round += 1;
        let now = Time::from_nanos(self.round.saturating_mul(Self::ROUND.nanos()));
        let congested = self.load() >= self.capacity;
        for (control, owed) in self.controllers.iter_mut().zip(&mut self.owed) {
            if congested {
                control.on_congestion(&CongestionSignal::new(now, Congestion::Loss));
                continue;
            }
            match self.stepping {
                Stepping::Whole => control.on_round(now),
                Stepping::Acks => {
                    *owed += control.window().packets();
                    while *owed >= 1.0 {
                        *owed -= 1.0;
                        control.on_ack(&AckSample::classic(now, 1, None, true));
                    }
                }
            }
        }
        congested
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_controller;

    fn two(text: &str, windows: [f64; 2], capacity: f64, stepping: Stepping) -> Rounds {
        let spec = parse_controller(text).unwrap();
        Rounds::new(&windows.map(|window| (spec.clone(), window)), capacity, stepping)
    }

    /// [Lahanas03] §2.1 by hand: 2 and 3 packets, 20 together: 8 increases, then 5.
    #[test]
    fn a_cycle_by_hand() {
        let mut rounds = two("aimd(1, 0.5)", [2.0, 3.0], 20.0, Stepping::Whole);
        let congested: Vec<u64> = (1..=15).filter(|_| rounds.step()).collect();
        assert_eq!(congested, [9, 15]);
        assert_eq!(rounds.windows().collect::<Vec<_>>(), [5.0, 5.25]);
    }

    #[test]
    fn acknowledgements_add_up_to_a_round() {
        for text in ["aimd(1, 0.5)", "aimd-fc+(1, 0.5)", "mimd(1.1, 0.5)", "sqrt", "iiad", "simd"] {
            let mut whole = two(text, [40.0, 60.0], 1e9, Stepping::Whole);
            let mut acks = two(text, [40.0, 60.0], 1e9, Stepping::Acks);
            for _ in 0..20 {
                assert!(!whole.step() && !acks.step());
            }
            let (whole, acks) = (whole.load(), acks.load());
            assert!((whole / acks - 1.0).abs() < 0.1, "{text}: {whole} and {acks}");
        }
    }
}
