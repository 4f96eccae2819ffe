//! Congestion controllers as pure state machines, for simulators and for real stacks.
//!
//! A controller takes acknowledgements and congestion signals and answers with a window. It knows no
//! packets, sequence numbers, queues, clocks or files, so a QUIC or TCP stack can depend on this crate
//! alone. Start at [`Controller`]; find what exists in [`CONTROLLERS`].
//!
//! ```
//! use sawtooth_cc::{AnyController, Controller, ControlSettings, parse_controller};
//! let spec = parse_controller("aimd(1, 0.8)").unwrap();
//! let control = AnyController::new(&spec, &ControlSettings::default());
//! assert_eq!(control.window().packets(), 10.0);
//! ```

pub mod aild;
pub mod binomial;
pub mod conduct;
pub mod constructor;
pub mod controller;
pub mod fast_convergence;
pub mod laws;
pub mod linear;
pub mod random;
pub mod rap;
pub mod rounds;
pub mod sample;
pub mod settings;
pub mod signal;
pub mod simd;
pub mod slow_start;
pub mod tfrc;
pub mod two_step;
pub mod units;
pub mod windowed;

pub use aild::{Aild, AildParams};
pub use binomial::{Binomial, BinomialParams};
pub use conduct::{Answer, Conduct, Cut};
pub use constructor::{ConstructorError, ConstructorInfo, ParameterInfo};
pub use controller::{Controller, Wants};
pub use fast_convergence::{FastConvergence, FastConvergenceParams};
pub use laws::{AnyController, ControllerSpec, LAWS, Properties};
pub use linear::{Linear, LinearParams};
pub use random::{Random, RandomKey};
pub use rap::RapParams;
pub use rounds::{Rounds, Stepping};
pub use sample::{AckSample, DeliveryRate, RoundTripTimes, SentPacket};
pub use settings::{ControlSettings, TimeoutThreshold, WindowArithmetic};
pub use signal::{
    Congestion, CongestionSignal, IdleSignal, Recovery, RecoverySignal, UndoSignal, WindowOfData,
};
pub use simd::{Simd, SimdParams};
pub use slow_start::{SlowStart, SlowStartExit, SlowStartKind};
pub use tfrc::TfrcParams;
pub use two_step::{TwoStep, TwoStepParams};
pub use windowed::{Law, Windowed};

const fn parameter(
    name: &'static str,
    unit: &'static str,
    default: Option<f64>,
    range: (f64, f64),
    why: &'static str,
) -> ParameterInfo {
    ParameterInfo { name, unit, default, min: range.0, max: range.1, why }
}

const fn linear(a_i: f64, b_i: f64, a_d: f64, b_d: f64) -> ControllerSpec {
    ControllerSpec::Linear(LinearParams { a_i, b_i, a_d, b_d })
}

const fn fast_convergence(a: f64, b: f64, f: f64) -> ControllerSpec {
    ControllerSpec::FastConvergence(FastConvergenceParams { a, b, f })
}

const fn binomial(k: f64, l: f64, a: f64, b: f64) -> ControllerSpec {
    ControllerSpec::Binomial(BinomialParams { k, l, a, b })
}

const ADD: ParameterInfo = parameter("a", "packets/round", None, (0.0, 1e6), "given by the law");
const MULTIPLY: ParameterInfo =
    parameter("m", "1", None, (1.0, 2.0), "more than doubling would outrun slow start");
const KEEP: ParameterInfo = parameter("b", "1", None, (0.0, 1.0), "the fraction kept");
const REMOVE: ParameterInfo = parameter("b", "1", None, (0.0, 1.0), "the fraction removed");
const UNPRINTED: &str = "no work here prints one; 1 as for TCP";
const GROW: ParameterInfo = parameter("a", "packets^(1+k)", Some(1.0), (0.0, 1e6), UNPRINTED);
const TAKE: ParameterInfo = parameter("b", "packets^(1-l)", Some(1.0), (0.0, 1e6), "Lahanas03 §3.1");
const SUBTRACT: ParameterInfo = parameter("d", "packets", None, (0.0, 1e6), "packets subtracted");

/// Every constructor of a law with a window. The first name is the one results print.
pub const CONTROLLERS: &[ConstructorInfo] = &[
    ConstructorInfo {
        name: "aimd",
        aliases: &[],
        summary: "additive increase by a packets a round, multiplicative decrease that keeps the fraction b",
        source: "ChiuJain89; Akella02 §3.2",
        parameters: &[ADD, KEEP],
        build: |v| linear(v[0], 1.0, 0.0, v[1]),
    },
    ConstructorInfo {
        name: "aiad",
        aliases: &[],
        summary: "additive increase by a packets a round, additive decrease by d packets",
        source: "ChiuJain89; Akella02 §3.2",
        parameters: &[ADD, SUBTRACT],
        build: |v| linear(v[0], 1.0, -v[1], 1.0),
    },
    ConstructorInfo {
        name: "mimd",
        aliases: &[],
        summary: "multiplicative increase by the factor m a round, multiplicative decrease that keeps the fraction b",
        source: "ChiuJain89; Akella02 §3.2",
        parameters: &[MULTIPLY, KEEP],
        build: |v| linear(0.0, v[0], 0.0, v[1]),
    },
    ConstructorInfo {
        name: "miad",
        aliases: &[],
        summary: "multiplicative increase by the factor m a round, additive decrease by d packets",
        source: "ChiuJain89; Akella02 §3.2",
        parameters: &[MULTIPLY, SUBTRACT],
        build: |v| linear(0.0, v[0], -v[1], 1.0),
    },
    ConstructorInfo {
        name: "tcp",
        aliases: &["gaimd"],
        summary: "TCP(a, b): additive increase by a packets a round, decrease that removes the fraction b",
        source: "Floyd00 §1",
        parameters: &[
            parameter("a", "packets/round", Some(1.0), (0.0, 1e6), "TCP, RFC 5681 §3.1"),
            ParameterInfo { default: Some(0.5), ..REMOVE },
        ],
        build: |v| linear(v[0], 1.0, 0.0, 1.0 - v[1]),
    },
    ConstructorInfo {
        name: "linear",
        aliases: &[],
        summary: "w <- a_i + b_i w a round, w <- a_d + b_d w on congestion",
        source: "ChiuJain89 §2; Akella02 §5.1",
        parameters: &[
            parameter("a_i", "packets/round", Some(1.0), (-1e6, 1e6), "TCP, RFC 5681 §3.1"),
            parameter("b_i", "1", Some(1.0), (0.0, 2.0), "additive increase"),
            parameter("a_d", "packets", Some(0.0), (-1e6, 1e6), "multiplicative decrease"),
            parameter("b_d", "1", Some(0.5), (0.0, 1.0), "TCP, RFC 5681 §3.1"),
        ],
        build: |v| linear(v[0], v[1], v[2], v[3]),
    },
    ConstructorInfo {
        name: "aimad",
        aliases: &[],
        summary: "linear(1, 1, -1, 0.9): AIAD with a small multiplicative part in the decrease",
        source: "Akella02 §5.2",
        parameters: &[],
        build: |_| linear(1.0, 1.0, -1.0, 0.9),
    },
    ConstructorInfo {
        name: "maimd",
        aliases: &[],
        summary: "linear(1, 1.1, 0, 0.8): multiplicative and additive increase, multiplicative decrease",
        source: "Akella02 §5.2",
        parameters: &[],
        build: |_| linear(1.0, 1.1, 0.0, 0.8),
    },
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
        summary: "AIMD-FC that adds the fraction f of the growth two cycles back after each decrease",
        source: "Lahanas03 §4.2",
        parameters: &[ADD, KEEP, parameter("f", "1", Some(0.5), (0.0, 0.5), "Lahanas03 §4.2: f(q) = q/2")],
        build: |v| fast_convergence(v[0], v[1], v[2]),
    },
    ConstructorInfo {
        name: "binomial",
        aliases: &[],
        summary: "increase by a/w^k packets a round, decrease by b w^l packets",
        source: "BansalBalakrishnan01 §2",
        parameters: &[
            parameter("k", "1", None, (-1.0, 4.0), "given by the law"),
            parameter("l", "1", None, (0.0, 1.0), "a decrease takes no more than a part of the window"),
            GROW,
            TAKE,
        ],
        build: |v| binomial(v[0], v[1], v[2], v[3]),
    },
    ConstructorInfo {
        name: "iiad",
        aliases: &[],
        summary: "binomial(1, 0, a, b): inverse increase by a/w packets a round, additive decrease by b packets",
        source: "BansalBalakrishnan01 §2",
        parameters: &[GROW, TAKE],
        build: |v| binomial(1.0, 0.0, v[0], v[1]),
    },
    ConstructorInfo {
        name: "sqrt",
        aliases: &[],
        summary: "binomial(1/2, 1/2, a, b): increase by a/sqrt(w) packets a round, decrease by b sqrt(w) packets",
        source: "BansalBalakrishnan01 §2",
        parameters: &[GROW, TAKE],
        build: |v| binomial(0.5, 0.5, v[0], v[1]),
    },
    ConstructorInfo {
        name: "simd",
        aliases: &[],
        summary: "increase with the square of the time since the last decrease, which removes the fraction b; TCP-friendly for any b",
        source: "Jin01 §3",
        parameters: &[parameter(
            "b",
            "1",
            Some(0.0625),
            (0.0001, 0.9),
            "Lahanas03 §3.1 keeps 15/16; a share of nothing or all has no cycle",
        )],
        build: |v| ControllerSpec::Simd(SimdParams { b: v[0] }),
    },
    ConstructorInfo {
        name: "aild",
        aliases: &[],
        summary: "additive increase by a packets a round, decrease by beta times the ratio of losses to packets",
        source: "Akella02 §6",
        parameters: &[ADD, parameter("beta", "packets", None, (0.0, 1e9), "given by the law")],
        build: |v| ControllerSpec::Aild(AildParams { a: v[0], beta: v[1] }),
    },
    ConstructorInfo {
        name: "two-step",
        aliases: &[],
        summary: "increase by a packets a round; the first congestion leaves the growth k1 up to it, every later one k1 + k2",
        source: "Lahanas03 §6",
        parameters: &[ADD],
        build: |v| ControllerSpec::TwoStep(TwoStepParams { a: v[0] }),
    },
];

const INTERVALS: ParameterInfo =
    parameter("intervals", "1", Some(8.0), (2.0, 64.0), "FloydHandley00 §3.3; RFC 5348 §5.4");
const DISCOUNT: ParameterInfo = parameter(
    "discount",
    "1",
    Some(0.3),
    (0.01, 1.0),
    "gives the newest interval 0.4 of the weights, FloydHandley00 app. A.1; 1: none",
);
const DAMPING: ParameterInfo = parameter("damping", "flag", Some(1.0), (0.0, 1.0), "FloydHandley00 §3.4");

const fn tfrc(numbers: &[f64]) -> TfrcParams {
    TfrcParams { intervals: numbers[0], discount: numbers[1], damping: numbers[2] }
}

/// Every constructor of a law with a rate. Such a flow has a sender of its own and takes no loss recovery.
pub const RATE_CONTROLLERS: &[ConstructorInfo] = &[
    ConstructorInfo {
        name: "tfrc",
        aliases: &[],
        summary: "TFRC of 2000: the rate that a TCP has at the loss event rate of the last intervals",
        source: "FloydHandley00 §3; Floyd00 §2",
        parameters: &[INTERVALS, DISCOUNT, DAMPING],
        build: |v| ControllerSpec::Tfrc(tfrc(v)),
    },
    ConstructorInfo {
        name: "tfrc-5348",
        aliases: &["tfrc-rfc5348"],
        summary: "TFRC of RFC 5348: larger first rate, limits that remember two round trips, damping optional",
        source: "RFC 5348",
        parameters: &[
            INTERVALS,
            ParameterInfo { default: Some(0.25), why: "RFC 5348 §5.5; 1: none", ..DISCOUNT },
            ParameterInfo { default: Some(0.0), why: "RFC 5348 §4.5 leaves it open", ..DAMPING },
        ],
        build: |v| ControllerSpec::Tfrc5348(tfrc(v)),
    },
    ConstructorInfo {
        name: "rap",
        aliases: &[],
        summary: "RAP: a round trip without loss adds a packets to the rate of a round trip, a loss event removes the fraction b",
        source: "Rejaie99 §2",
        parameters: &[
            parameter("a", "packets/round", Some(1.0), (0.0, 1e6), "Rejaie99 §2.1"),
            parameter("b", "1", Some(0.5), (0.0, 0.99), "Rejaie99 §2.1; at 1 nothing would be sent again"),
            parameter("fine_grain", "flag", Some(0.0), (0.0, 1.0), "Rejaie99 §2.3; off shows the AIMD alone"),
            parameter("gain", "1", Some(0.125), (0.001, 1.0), "of SRTT, RFC 6298 §2; ns-2's RAP has 0.5"),
        ],
        build: |v| ControllerSpec::Rap(RapParams { a: v[0], b: v[1], fine_grain: v[2], gain: v[3] }),
    },
];

/// Both tables.
const TABLES: constructor::Tables = &[CONTROLLERS, RATE_CONTROLLERS];

/// Parse a controller as people write it, for instance `aimd(1, 0.8)`.
///
/// # Errors
/// Unknown names, wrong numbers of parameters and values out of range, each with what is accepted.
pub fn parse_controller(text: &str) -> Result<ControllerSpec, ConstructorError> {
    constructor::parse(TABLES, text)
}

/// Build a controller from a constructor's name and named parameters.
///
/// # Errors
/// As [`parse_controller`].
pub fn named_controller(name: &str, given: &[(String, f64)]) -> Result<ControllerSpec, ConstructorError> {
    constructor::find(TABLES, name)?.with_named(given)
}

/// Are these plain numbers ones that the table accepts?
///
/// # Errors
/// The first number out of its interval.
pub fn check_controller(spec: &ControllerSpec) -> Result<(), ConstructorError> {
    let (name, values) = spec.plain();
    constructor::find(TABLES, name)?.with_values(&values).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructors_follow_their_papers_conventions() {
        let check = |text: &str, a_i, b_i, a_d, b_d| {
            assert_eq!(parse_controller(text), Ok(linear(a_i, b_i, a_d, b_d)), "{text}");
        };
        check("aimd(1, 0.8)", 1.0, 1.0, 0.0, 0.8);
        check(" AIMD(1,0.8) ", 1.0, 1.0, 0.0, 0.8);
        check("aiad(1, 3)", 1.0, 1.0, -3.0, 1.0);
        check("mimd(1.125, 0.8)", 0.0, 1.125, 0.0, 0.8);
        check("miad(1.125, 3)", 0.0, 1.125, -3.0, 1.0);
        check("tcp(0.2, 0.125)", 0.2, 1.0, 0.0, 0.875);
        check("gaimd(0.31, 0.125)", 0.31, 1.0, 0.0, 0.875);
        check("tcp", 1.0, 1.0, 0.0, 0.5);
        check("linear(1, 1.1, 0, 0.5)", 1.0, 1.1, 0.0, 0.5);
        check("aimad", 1.0, 1.0, -1.0, 0.9);
        check("maimd", 1.0, 1.1, 0.0, 0.8);
    }

    #[test]
    fn what_is_left_out_at_the_end_takes_its_default() {
        let check = |text: &str, spec| assert_eq!(parse_controller(text), Ok(spec), "{text}");
        check("aimd-fc(1, 0.5)", fast_convergence(1.0, 0.5, 0.0));
        check("aimd-fc+(1, 0.5)", fast_convergence(1.0, 0.5, 0.5));
        check("aimd-fc+(1, 0.5, 0.25)", fast_convergence(1.0, 0.5, 0.25));
        check("sqrt", binomial(0.5, 0.5, 1.0, 1.0));
        check("iiad(2)", binomial(1.0, 0.0, 2.0, 1.0));
        check("binomial(0, 1, 1, 0.5)", binomial(0.0, 1.0, 1.0, 0.5));
        check("simd", ControllerSpec::Simd(SimdParams { b: 0.0625 }));
        check("aild(1, 135)", ControllerSpec::Aild(AildParams { a: 1.0, beta: 135.0 }));
        check("two-step(1)", ControllerSpec::TwoStep(TwoStepParams { a: 1.0 }));
    }

    #[test]
    fn plain_numbers_can_be_read_back_as_written() {
        for text in
            ["aimd(1, 0.8)", "aimd-fc+(1, 0.5)", "binomial(1, 0)", "simd(0.1)", "aild(1, 135)", "two-step(1)"]
        {
            let spec = parse_controller(text).unwrap();
            assert_eq!(check_controller(&spec), Ok(()));
            let table = serde_json::to_value(spec).unwrap();
            let kind = table["kind"].as_str().unwrap();
            let numbers: Vec<(String, f64)> = table
                .as_object()
                .unwrap()
                .iter()
                .filter_map(|(key, value)| Some((key.clone(), value.as_f64()?)))
                .collect();
            assert_eq!(named_controller(kind, &numbers), Ok(spec), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_what_is_accepted() {
        let check = |text: &str, part: &str| {
            let message = parse_controller(text).expect_err(text).to_string();
            assert!(message.contains(part), "{text}: {message}");
        };
        check("amid(1, 0.8)", "aimd(a, b)");
        check("aimd(1)", "expected aimd(a, b)");
        check("aimd(1, 1.5)", "0 ≤ b ≤ 1");
        check("aimd(1, 0.8", "aimd(1, 0.8)");
        check("aimd(1, x)", "expected a form");
        check("mimd(0.9, 0.5)", "1 ≤ m ≤ 2");
        check("aimd(1, NaN)", "0 ≤ b ≤ 1");
        check("aimd-fc+(1)", "expected aimd-fc+(a, b, f)");
        check("aimd-fc+(1, 0.5, 0.6)", "0 ≤ f ≤ 0.5");
        check("sqrt(1, 1, 1)", "3 parameters given; expected sqrt(a, b)");
    }

    #[test]
    fn every_row_has_what_a_reader_needs() {
        for row in CONTROLLERS.iter().chain(RATE_CONTROLLERS) {
            assert!(!row.summary.is_empty() && !row.source.is_empty(), "{}", row.name);
            assert!(
                std::ptr::eq(constructor::find(TABLES, row.name).unwrap(), row),
                "{} appears twice",
                row.name
            );
        }
    }
}
