//! Round bench: controllers share one capacity, round by round, without a network.
//!
//! Source: the binary-feedback model of [ChiuJain89] §2, `sawtooth_cc::rounds` with single acknowledgements. Here a
//! round is one of congestion when the windows together are above capacity plus queue.
//!
//! Goldens hold whole packets and Jain × 1000. `INSTA_UPDATE=always cargo test -p sawtooth-cc` writes them anew.

use proptest::prelude::*;
use sawtooth_cc::units::Time;
use sawtooth_cc::{
    AckSample, CONTROLLERS, Congestion, CongestionSignal, ConstructorError, Controller, ControllerSpec,
    Rounds, Stepping, parse_controller,
};
use std::fmt::Write;

/// Long enough for windows far apart to meet, if they ever do.
const ROUNDS_MAX: u64 = 100_000;

/// Controllers of one kind on one bottleneck.
struct Bench {
    rounds: Rounds,
}

impl Bench {
    /// Controllers with these windows, sharing `limit` packets a round: more is too much.
    fn new(text: &str, limit: f64, starts: &[f64]) -> Self {
        let spec = parse_controller(text).expect("the bench is given controllers of the table");
        let flows: Vec<_> = starts.iter().map(|&start| (spec.clone(), start)).collect();
        Bench { rounds: Rounds::new(&flows, limit.next_up(), Stepping::Acks) }
    }

    fn windows(&self) -> Vec<f64> {
        self.rounds.windows().collect()
    }

    fn sum(&self) -> f64 {
        self.rounds.load()
    }

    fn round(&self) -> u64 {
        self.rounds.round()
    }

    fn step(&mut self) -> bool {
        self.rounds.step()
    }

    /// Run up to the next decrease, this included; the windows just before it.
    fn run_to_decrease(&mut self) -> Vec<f64> {
        while self.round() < ROUNDS_MAX {
            let before = self.windows();
            if self.step() {
                return before;
            }
        }
        panic!("no congestion in {ROUNDS_MAX} rounds: windows {:?}", self.windows());
    }

    /// Jain's index [Jain84] × 1000.
    fn jain(&self) -> u64 {
        let squares: f64 = self.windows().iter().map(|window| window * window).sum();
        (1000.0 * self.sum() * self.sum() / (self.windows().len() as f64 * squares)).round() as u64
    }
}

/// Two flows from 10 and 70 packets, capacity 100, queue 20: the first decreases, and later ones at doubling distances.
fn golden(text: &str) -> String {
    let mut bench = Bench::new(text, 120.0, &[10.0, 70.0]);
    let mut table = format!("{text}\ndecrease  round  before      after      jain\n");
    let mut line = |decrease: u32, round: u64, before: &[f64], bench: &Bench| {
        let after = bench.windows();
        writeln!(
            table,
            "{decrease:8} {round:6} {:4.0} {:4.0}   {:4.0} {:4.0}   {:5}",
            before[0],
            before[1],
            after[0],
            after[1],
            bench.jain()
        )
        .expect("a string takes any text");
    };
    line(0, 0, &bench.windows(), &bench);
    for decrease in 1..=64 {
        let before = bench.run_to_decrease();
        if decrease <= 4 || u32::is_power_of_two(decrease) {
            line(decrease, bench.round(), &before, &bench);
        }
    }
    table
}

/// What the goldens cover: file name and controller.
const GOLDENS: &[(&str, &str)] = &[
    ("aimd_half", "aimd(1, 0.5)"),
    ("aimd_gentle", "aimd(1, 0.8)"),
    ("aiad", "aiad(1, 3)"),
    ("mimd", "mimd(1.125, 0.8)"),
    ("miad", "miad(1.125, 3)"),
    ("tcp_slow", "tcp(0.2, 0.125)"),
    ("linear", "linear(1, 1.1, 0, 0.5)"),
    ("aimad", "aimad"),
    ("maimd", "maimd"),
    ("aimd_fc", "aimd-fc(1, 0.5)"),
    ("aimd_fc_plus", "aimd-fc+(1, 0.5)"),
    ("binomial", "binomial(1, 0.5, 4, 2)"),
    ("iiad", "iiad"),
    ("sqrt", "sqrt"),
    ("simd", "simd"),
    ("aild", "aild(1, 135)"),
    ("two_step", "two-step(1)"),
    ("cubic", "cubic"),
    ("dctcp", "dctcp"),
    ("prague", "prague"),
    ("vegas", "vegas"),
    ("ledbat", "ledbat"),
    ("copa", "copa"),
];

#[test]
fn two_flows_from_unequal_starts() {
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (name, text) in GOLDENS {
            insta::assert_snapshot!(*name, golden(text));
        }
    });
}

#[test]
fn every_row_of_the_table_has_a_golden() {
    for row in CONTROLLERS.iter().filter(|row| row.properties().conduct) {
        let covered = GOLDENS.iter().any(|(_, text)| text.split('(').next() == Some(row.name));
        assert!(covered, "`{}` has no golden: add a line to GOLDENS", row.name);
    }
}

proptest! {
    /// [ChiuJain89] §3: an additive increase keeps the difference of two windows and a multiplicative
    /// decrease shrinks it by `b`, so after k decreases it is bᵏ of the first, and the ratio tends to 1.
    #[test]
    fn aimd_shrinks_the_difference_by_its_factor(
        a in 0.2f64..3.0, b in 0.3f64..0.85, small in 5.0f64..40.0, large in 60.0f64..100.0, limit in 120.0f64..300.0
    ) {
        let mut bench = Bench::new(&format!("aimd({a}, {b})"), limit, &[small, large]);
        let mut bound = large - small;
        for decrease in 1..=40 {
            bench.run_to_decrease();
            // The factor 1.1 and the packet allow for an increase spread over a growing window, and for whole acks.
            bound *= 1.1 * b;
            let windows = bench.windows();
            let difference = (windows[1] - windows[0]).abs();
            prop_assert!(difference <= bound + 1.0, "decrease {decrease}: {windows:?}, difference above {bound}");
        }
        prop_assert!(bench.jain() >= 998, "{:?}", bench.windows());
    }

    /// [ChiuJain89] §3: additive steps move both windows alike, so the difference stays and fairness never comes.
    #[test]
    fn aiad_keeps_the_difference(
        a in 0.2f64..3.0, d in 1.0f64..10.0, small in 20.0f64..40.0, large in 60.0f64..100.0, limit in 150.0f64..300.0
    ) {
        let mut bench = Bench::new(&format!("aiad({a}, {d})"), limit, &[small, large]);
        let mut drift = 0.0;
        while bench.round() < 300 {
            let windows = bench.windows();
            // Spreading `a` over a window that grows meanwhile gives a − a²/2w a round, to second order.
            drift += a * a / 2.0 * (1.0 / windows[0] - 1.0 / windows[1]);
            bench.step();
            let windows = bench.windows();
            let change = ((windows[1] - windows[0]) - (large - small)).abs();
            prop_assert!(change <= 1.5 * drift + a.max(1.0), "round {}: {windows:?}", bench.round());
        }
    }

    /// [ChiuJain89] §3: multiplicative steps move both windows along a line through the origin.
    #[test]
    fn mimd_keeps_the_ratio(
        m in 1.02f64..1.2, b in 0.4f64..0.9, small in 40.0f64..60.0, large in 80.0f64..200.0, limit in 300.0f64..500.0
    ) {
        let mut bench = Bench::new(&format!("mimd({m}, {b})"), limit, &[small, large]);
        for decrease in 1..=30 {
            bench.run_to_decrease();
            let windows = bench.windows();
            let change = (windows[1] / windows[0]) / (large / small);
            // Whole acks leave a rounding of one ack a round, (m − 1)/w of the window.
            prop_assert!((change - 1.0).abs() < 0.1, "decrease {decrease}: {windows:?}");
        }
    }

    /// [ChiuJain89] §3: multiplicative increase widens every gap and additive decrease keeps it: one flow takes all.
    #[test]
    fn miad_starves_the_smaller(
        m in 1.05f64..1.2, d in 2.0f64..10.0, small in 20.0f64..50.0, large in 60.0f64..100.0, limit in 150.0f64..300.0
    ) {
        let mut bench = Bench::new(&format!("miad({m}, {d})"), limit, &[small, large]);
        let mut ratio_before = large / small;
        while ratio_before < 20.0 {
            let windows = bench.run_to_decrease();
            let ratio = windows[1] / windows[0];
            // Whole acks may hide a small step, never turn it round by more than one ack.
            prop_assert!(ratio > ratio_before - m / windows[0], "{windows:?}: {ratio} after {ratio_before}");
            ratio_before = ratio;
        }
    }
}

/// A controller of the table with numbers that its row accepts, and what happens to it.
fn anything() -> impl Strategy<Value = (ControllerSpec, f64, Vec<u8>)> {
    let laws: Vec<_> = CONTROLLERS.iter().filter(|row| row.properties().conduct).collect();
    let rows = proptest::sample::select(laws).prop_flat_map(|row| {
        let numbers: Vec<_> = row.parameters.iter().map(|p| p.min.max(-20.0)..=p.max.min(20.0)).collect();
        numbers.prop_filter_map("numbers that bound each other", |values| {
            let whole = row.parameters.iter().zip(values).map(|(p, v)| if p.whole { v.round() } else { v });
            match row.with_values(&whole.collect::<Vec<_>>()) {
                Err(ConstructorError::BeyondOther { .. }) => None,
                built => Some(built.expect("values inside their intervals")),
            }
        })
    });
    (rows, 1.0f64..100.0, proptest::collection::vec(0u8..8, 1..200))
}

proptest! {
    /// Whatever numbers the table accepts, and whatever happens: the window is a number and at least one packet.
    #[test]
    fn a_window_stays_a_window((spec, start, events) in anything()) {
        let mut control = Rounds::new(&[(spec.clone(), start)], 1.0, Stepping::Acks).controllers()[0].clone();
        for event in events {
            let now = Time::ZERO;
            match event {
                0 => control.on_congestion(&CongestionSignal::new(now, Congestion::Loss)),
                1 => control.on_congestion(&CongestionSignal::new(now, Congestion::Timeout { repeated: false })),
                2 => control.on_congestion(&CongestionSignal::new(now, Congestion::LossRestart { repeated: false })),
                3 => control.on_round(now),
                packets => control.on_ack(&AckSample::classic(now, u32::from(packets) - 3, None, true)),
            }
            let window = control.window().packets();
            prop_assert!(window.is_finite() && window >= 1.0, "{spec:?}: {window}");
        }
    }
}
