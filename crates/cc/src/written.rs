//! Controllers as people write them: `"aimd(1, 0.8)"`, `"cubic(beta=0.8)"`, or a name and named numbers.
//!
//! Source: none. The rows that names are looked up in are those of [`crate::constructor`] and of the plug-ins at hand.

use crate::ControllerSpec;
use crate::constructor::{ConstructorError, ConstructorInfo};
use crate::plugin::Plugins;

/// Find a constructor by name or alias.
fn find<'a>(name: &str, plugins: &'a Plugins) -> Result<&'a ConstructorInfo, ConstructorError> {
    plugins.rows().find(|row| row.answers_to(name)).ok_or_else(|| ConstructorError::UnknownName {
        name: name.to_owned(),
        accepted: plugins.rows().map(|row| row.name).collect::<Vec<_>>().join(", "),
    })
}

/// Parse a controller as people write it, for instance `aimd(1, 0.8)`, `cubic(beta=0.8)` or `maimd`: numbers in order, then by name.
/// Parameters left out take their defaults.
///
/// # Errors
/// Unknown names, wrong numbers of parameters and values out of range, each with what is accepted.
pub fn parse_controller(text: &str) -> Result<ControllerSpec, ConstructorError> {
    Plugins::NONE.parse(text)
}

fn parse(text: &str, plugins: &Plugins) -> Result<ControllerSpec, ConstructorError> {
    let malformed = || ConstructorError::Malformed { text: text.to_owned() };
    let trimmed = text.trim();
    let (name, arguments) = match trimmed.split_once('(') {
        None => (trimmed, None),
        Some((name, rest)) => (name.trim_end(), Some(rest.strip_suffix(')').ok_or_else(malformed)?)),
    };
    let name = name.to_ascii_lowercase();
    let arguments = arguments.map(str::trim).filter(|written| !written.is_empty());
    let arguments: Vec<&str> = arguments.map(|written| written.split(',').collect()).unwrap_or_default();
    let (row, arguments) = match arguments.first().and_then(|word| plugins.member(&name, word.trim())) {
        Some(row) => (row, &arguments[1..]),
        None => (find(&name, plugins)?, arguments.as_slice()),
    };
    let count = || ConstructorError::ParameterCount {
        text: text.to_owned(),
        given: arguments.len(),
        form: row.form(),
    };
    let mut values: Vec<Option<f64>> = vec![None; row.parameters.len()];
    let mut named = false;
    for (index, argument) in arguments.iter().enumerate() {
        let (place, number) = match argument.split_once('=') {
            Some((name, number)) => {
                named = true;
                let known = row.parameters.iter().position(|parameter| parameter.name == name.trim());
                let unknown = || ConstructorError::UnknownParameter {
                    parameter: name.trim().to_owned(),
                    form: row.form(),
                };
                (known.ok_or_else(unknown)?, number)
            }
            None if named => return Err(malformed()),
            None => (index, *argument),
        };
        let value = values.get_mut(place).ok_or_else(count)?;
        if value.replace(number.trim().parse().map_err(|_| malformed())?).is_some() {
            return Err(malformed());
        }
    }
    let defaults = row.parameters.iter().map(|parameter| parameter.default);
    let values: Option<Vec<f64>> =
        values.iter().zip(defaults).map(|(given, default)| given.or(default)).collect();
    Ok(plugins.complete(row, row.with_values(&values.ok_or_else(count)?)?))
}

/// Build a controller from a constructor's name and named parameters.
///
/// # Errors
/// As [`parse_controller`].
pub fn named_controller(name: &str, given: &[(String, f64)]) -> Result<ControllerSpec, ConstructorError> {
    Plugins::NONE.named(name, given)
}

impl Plugins {
    /// As [`parse_controller`], with these plug-ins beside the table.
    ///
    /// # Errors
    /// As there.
    pub fn parse(&self, text: &str) -> Result<ControllerSpec, ConstructorError> {
        parse(text, self)
    }

    /// As [`named_controller`], with these plug-ins beside the table.
    ///
    /// # Errors
    /// As there.
    pub fn named(&self, name: &str, given: &[(String, f64)]) -> Result<ControllerSpec, ConstructorError> {
        let row = find(name, self)?;
        Ok(self.complete(row, row.with_named(given)?))
    }
}

/// Are these plain numbers ones that the table accepts?
///
/// # Errors
/// The first number out of its interval; a plug-in that is not bound to its code.
pub fn check_controller(spec: &ControllerSpec) -> Result<(), ConstructorError> {
    if let ControllerSpec::Plugin(spec) = spec {
        return spec.check();
    }
    let (name, values) = spec.plain();
    find(name, &Plugins::NONE)?.with_values(&values).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        AildParams, BinomialParams, CONTROLLERS, FastConvergenceParams, LAWS, LinearParams, RATE_CONTROLLERS,
        SimdParams, TwoStepParams,
    };

    fn linear(a_i: f64, b_i: f64, a_d: f64, b_d: f64) -> ControllerSpec {
        ControllerSpec::Linear(LinearParams { a_i, b_i, a_d, b_d })
    }

    fn fast_convergence(a: f64, b: f64, f: f64) -> ControllerSpec {
        ControllerSpec::FastConvergence(FastConvergenceParams { a, b, f })
    }

    fn binomial(k: f64, l: f64, a: f64, b: f64) -> ControllerSpec {
        ControllerSpec::Binomial(BinomialParams { k, l, a, b })
    }

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
    fn numbers_may_be_named() {
        let same = |one: &str, other: &str| {
            assert_eq!(parse_controller(one).unwrap(), parse_controller(other).unwrap(), "{one}");
        };
        same("aimd(a=1, b=0.8)", "aimd(1, 0.8)");
        same("aimd( b = 0.8 , a = 1 )", "aimd(1, 0.8)");
        same("tcp(b=0.125)", "tcp(1, 0.125)");
        same("binomial(1, 0, b=2)", "binomial(1, 0, 1, 2)");
        same("cubic(beta=0.7)", "cubic");
        let wrong = |text: &str, wanted: &str| {
            let message = parse_controller(text).expect_err(text).to_string();
            assert!(message.contains(wanted), "{text}: {message}");
        };
        wrong("aimd(c=1, b=0.8)", "controller.c: unknown; expected aimd(a, b)");
        wrong("aimd(b=0.8)", "1 parameters given; expected aimd(a, b)");
        wrong("aimd(a=1, 0.8)", "expected a form such as");
        wrong("aimd(1, 0.8, b=0.7)", "expected a form such as");
        wrong("cubic(beta=1.2)", "controller.beta = 1.2: expected 0 ≤ beta ≤ 1");
        wrong("cubic(friendly=0.5)", "controller.friendly = 0.5: expected a whole number");
    }

    #[test]
    fn plain_numbers_can_be_read_back_as_written() {
        for text in
            ["aimd(1, 0.8)", "aimd-fc+(1, 0.5)", "binomial(1, 0)", "simd(0.1)", "aild(1, 135)", "two-step(1)"]
        {
            let spec = parse_controller(text).unwrap();
            assert_eq!(check_controller(&spec), Ok(()));
            let table = serde_json::to_value(&spec).unwrap();
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
        let check = |text: &str, wanted: &str| {
            let message = parse_controller(text).expect_err(text).to_string();
            assert!(message.contains(wanted), "{text}: {message}");
        };
        check("amid(1, 0.8)", "expected one of aimd, aiad");
        check("aimd(1)", "expected aimd(a, b)");
        check("aimd(1, 1.5)", "0 ≤ b ≤ 1");
        check("aimd(1, 0.8", "aimd(1, 0.8)");
        check("aimd(1, x)", "expected a form");
        check("mimd(0.9, 0.5)", "1 ≤ m ≤ 2");
        check("aimd(1, NaN)", "0 ≤ b ≤ 1");
        check("aimd-fc+(1)", "expected aimd-fc+(a, b, f)");
        check("aimd-fc+(1, 0.5, 0.6)", "0 ≤ f ≤ 0.5");
        check("sqrt(1, 1, 1)", "3 parameters given; expected sqrt(a, b)");
        check("tfrc(8.5)", "controller.intervals = 8.5: expected a whole number, 2 ≤ intervals ≤ 64");
        check("tfrc(8, 0.3, 0.5)", "controller.damping = 0.5: expected a whole number, 0 ≤ damping ≤ 1");
        check("rap(1, 0.5, 0.1)", "controller.fine_grain = 0.1: expected a whole number");
    }

    #[test]
    fn every_row_has_what_a_reader_needs() {
        for row in CONTROLLERS.iter().chain(RATE_CONTROLLERS) {
            assert!(!row.summary.is_empty() && !row.source.is_empty(), "{}", row.name);
            assert!(
                row.parameters.iter().all(|p| p.whole || p.unit != "flag"),
                "{}: a flag is 0 or 1",
                row.name
            );
        }
    }

    #[test]
    fn every_name_stands_once() {
        let rows = || CONTROLLERS.iter().chain(RATE_CONTROLLERS);
        let mut names: Vec<_> = rows().flat_map(|row| row.aliases.iter().chain([&row.name])).collect();
        let written = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), written);
    }

    #[test]
    fn every_law_has_a_constructor_of_its_plain_numbers() {
        let none = Plugins::NONE;
        for (kind, _) in LAWS {
            let row = find(kind, &none).unwrap();
            let values: Vec<f64> = row.parameters.iter().map(|p| p.default.unwrap_or(p.max)).collect();
            assert_eq!(row.with_values(&values).unwrap().plain(), (*kind, values));
        }
    }

    #[test]
    fn only_rate_controllers_have_a_transport_of_their_own() {
        for (rows, own_transport) in [(CONTROLLERS, false), (RATE_CONTROLLERS, true)] {
            for row in rows {
                let properties = row.properties();
                assert_eq!(properties.own_transport, own_transport, "{}", row.name);
                assert_eq!(properties.takes_recovery(), !own_transport, "{}", row.name);
                assert!(properties.window || properties.pacing_rate, "{} answers with nothing", row.name);
            }
        }
    }
}
