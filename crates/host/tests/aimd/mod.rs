//! AIMD as somebody outside writes it, and as its plug-in: every call goes through the interface in C.

use sawtooth_cc::Plugins;
use sawtooth_host::plugins;
use sawtooth_plugin::{
    Ack, Congestion, CongestionKind, Controller, Description, Parameter, Settings, export,
};

/// Additive increase, multiplicative decrease, with the slow start and the timeouts of RFC 5681.
#[derive(Clone)]
pub struct Aimd {
    increase: f64,
    kept: f64,
    window: f64,
    threshold: f64,
}

impl Controller for Aimd {
    const DESCRIPTION: Description = Description {
        name: "mine",
        summary: "additive increase by a packets a round, multiplicative decrease that keeps the fraction b",
        source: "ChiuJain89",
        parameters: &[
            Parameter::new("a", "packets/round", Some(1.0), (0.0, 1e6), "packets added per round"),
            Parameter::new("b", "1", Some(0.5), (0.0, 1.0), "fraction that a decrease keeps"),
        ],
        ..Description::NOTHING
    };

    fn new(numbers: &[f64], settings: &Settings) -> Self {
        Aimd {
            increase: numbers[0],
            kept: numbers[1],
            window: settings.initial_window,
            threshold: settings.initial_threshold,
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        if ack.in_recovery || !ack.cwnd_limited {
            return;
        }
        let packets = f64::from(ack.newly_acked);
        self.window +=
            if self.window < self.threshold { packets } else { packets * (self.increase / self.window) };
    }

    fn on_congestion(&mut self, signal: &Congestion) {
        let in_slow_start = self.window < self.threshold;
        let after = if in_slow_start { self.window / 2.0 } else { self.kept * self.window }.max(1.0);
        match signal.kind {
            CongestionKind::Loss | CongestionKind::EcnMark => {
                self.window = after;
                self.threshold = after.max(2.0);
            }
            CongestionKind::LossRestart => {
                if !signal.repeated {
                    self.threshold = after.max(2.0);
                }
                self.window = 1.0;
            }
            CongestionKind::Timeout => {
                if !signal.repeated {
                    self.threshold = (self.window / 2.0).max(2.0);
                }
                self.window = 1.0;
            }
            CongestionKind::PersistentCongestion => self.window = self.window.min(2.0),
        }
    }

    fn on_round(&mut self, _now_ns: u64) {
        self.window += self.increase;
    }

    fn window(&self) -> f64 {
        self.window
    }

    fn slow_start_threshold(&self) -> f64 {
        self.threshold
    }
}

/// These controllers, as if they came from a file.
pub fn from(controllers: &[fn() -> sawtooth_plugin::abi::Controller]) -> Plugins {
    let offered = export::described(controllers);
    let mut found = Plugins::default();
    for plugin in unsafe { plugins(offered, "00ff") }.expect("a complete description") {
        found.add(plugin).expect("a name of its own");
    }
    found
}

/// `mine(a, b)`.
pub fn mine() -> Plugins {
    from(&[export::controller::<Aimd>])
}
