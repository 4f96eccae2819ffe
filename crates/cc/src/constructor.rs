//! Constructors: how people write a controller (`"aimd(1, 0.8)"`) and what it means in plain numbers.
//!
//! The papers disagree on letters. [Akella02] writes the factor *kept* on a decrease, [Floyd00] the
//! fraction *removed*. Each constructor states its convention; every one resolves to the same plain form.

use crate::plugin::Plugins;
use crate::{ControllerSpec, Properties};
use serde::Serialize;
use thiserror::Error;

/// One parameter of a constructor.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ParameterInfo {
    /// Its name in text and data.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Its value when left out; `None`: it must be given.
    pub default: Option<f64>,
    /// The smallest value accepted.
    pub min: f64,
    /// The largest value accepted.
    pub max: f64,
    /// Only whole numbers are accepted: it counts something, or it is a flag, 0 or 1.
    pub whole: bool,
    /// What it means, then where its default or its bound comes from.
    pub why: &'static str,
}

impl ParameterInfo {
    /// A parameter with its unit, default, interval and the reason for them.
    pub const fn new(
        name: &'static str,
        unit: &'static str,
        default: Option<f64>,
        interval: (f64, f64),
        why: &'static str,
    ) -> Self {
        ParameterInfo { name, unit, default, min: interval.0, max: interval.1, whole: false, why }
    }

    /// A parameter that takes whole numbers only.
    pub const fn whole(self) -> Self {
        ParameterInfo { whole: true, ..self }
    }
}

/// Of several laws: packets that a round adds.
pub const ADD: ParameterInfo =
    ParameterInfo::new("a", "packets/round", None, (0.0, 1e6), "packets added per round");
/// Of several laws: the fraction that a decrease keeps.
pub const KEEP: ParameterInfo =
    ParameterInfo::new("b", "1", None, (0.0, 1.0), "fraction of the window that a decrease keeps");

/// One row of the table of constructors.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ConstructorInfo {
    /// The name people write.
    pub name: &'static str,
    /// Other spellings.
    pub aliases: &'static [&'static str],
    /// What it does, with its convention.
    pub summary: &'static str,
    /// The paper or RFC.
    pub source: &'static str,
    /// Its parameters in order.
    pub parameters: &'static [ParameterInfo],
    /// From checked parameter values to plain numbers.
    #[serde(skip)]
    pub build: fn(&[f64]) -> ControllerSpec,
}

/// Why a controller could not be built.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ConstructorError {
    /// No row of the table has this name.
    #[error(
        "controller \"{name}\": expected one of {accepted}, or a name of a plug-in that is loaded (--plugin)"
    )]
    UnknownName {
        /// What was written.
        name: String,
        /// The names there are.
        accepted: String,
    },
    /// Text that is not `name(number, …, parameter=number, …)`.
    #[error("controller \"{text}\": expected a form such as \"aimd(1, 0.8)\" or \"aimd(a=1, b=0.8)\"")]
    Malformed {
        /// What was written.
        text: String,
    },
    /// Too few or too many numbers.
    #[error("controller \"{text}\": {given} parameters given; expected {form}")]
    ParameterCount {
        /// What was written.
        text: String,
        /// How many numbers it holds.
        given: usize,
        /// The constructor with its parameters.
        form: String,
    },
    /// A parameter name that this constructor lacks.
    #[error("controller.{parameter}: unknown; expected {form}")]
    UnknownParameter {
        /// What was written.
        parameter: String,
        /// The constructor with its parameters.
        form: String,
    },
    /// A number outside its interval.
    #[error("controller.{parameter} = {value}: expected {min} ≤ {parameter} ≤ {max}")]
    OutOfRange {
        /// Which parameter.
        parameter: &'static str,
        /// What was given.
        value: f64,
        /// Smallest accepted.
        min: f64,
        /// Largest accepted.
        max: f64,
    },
    /// A number with a fraction where only whole ones differ.
    #[error("controller.{parameter} = {value}: expected a whole number, {min} ≤ {parameter} ≤ {max}")]
    NotWhole {
        /// Which parameter.
        parameter: &'static str,
        /// What was given.
        value: f64,
        /// Smallest accepted.
        min: f64,
        /// Largest accepted.
        max: f64,
    },
    /// A number beyond another one of the same controller.
    #[error("controller.{parameter} = {value}: expected {parameter} ≤ {other}, which are {value} and {most}")]
    BeyondOther {
        /// Which parameter.
        parameter: &'static str,
        /// What was given, or its default.
        value: f64,
        /// The parameter that bounds it.
        other: &'static str,
        /// The value of that.
        most: f64,
    },
    /// Plain data of a plug-in that is not at hand.
    #[error("controller \"{name}\": expected its plug-in to be loaded, from the file of SHA-256 {file}")]
    NotLoaded {
        /// Its constructor.
        name: String,
        /// The file's hash.
        file: String,
    },
    /// Plain data of a plug-in that came from another file than the one at hand.
    #[error(
        "controller \"{name}\": expected the file of SHA-256 {file}; the one that is loaded has {loaded}"
    )]
    OtherFile {
        /// Its constructor.
        name: String,
        /// The hash of the file that it came from.
        file: String,
        /// The hash of the file that is loaded.
        loaded: String,
    },
}

/// How many rows these lists have together.
pub const fn total(lists: &[&[ConstructorInfo]]) -> usize {
    let (mut rows, mut list) = (0, 0);
    while list < lists.len() {
        rows += lists[list].len();
        list += 1;
    }
    rows
}

/// These lists, none of them empty, as one.
pub const fn joined<const TOTAL: usize>(lists: &[&[ConstructorInfo]]) -> [ConstructorInfo; TOTAL] {
    let mut rows = [lists[0][0]; TOTAL];
    let (mut next, mut list) = (0, 0);
    while list < lists.len() {
        let mut row = 0;
        while row < lists[list].len() {
            rows[next] = lists[list][row];
            next += 1;
            row += 1;
        }
        list += 1;
    }
    rows
}

impl ConstructorInfo {
    /// The constructor as one writes it, for instance `aimd(a, b)`.
    pub fn form(&self) -> String {
        let names: Vec<_> = self.parameters.iter().map(|p| p.name).collect();
        if names.is_empty() { self.name.to_owned() } else { format!("{}({})", self.name, names.join(", ")) }
    }

    /// What its controllers answer with and need, whatever their numbers.
    pub fn properties(&self) -> Properties {
        self.any().properties()
    }

    /// Settings of a connection that have another default beside its controllers: name and word.
    pub fn defaults(&self) -> &'static [(&'static str, &'static str)] {
        self.any().defaults()
    }

    /// Its family.
    pub fn family(&self) -> &'static str {
        self.any().family()
    }

    fn any(&self) -> ControllerSpec {
        let smallest: Vec<f64> = self.parameters.iter().map(|parameter| parameter.min).collect();
        (self.build)(&smallest)
    }

    pub(crate) fn answers_to(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    /// Check the values against their intervals and build.
    pub fn with_values(&self, values: &[f64]) -> Result<ControllerSpec, ConstructorError> {
        for (parameter, &value) in self.parameters.iter().zip(values) {
            let ParameterInfo { name: parameter, min, max, whole, .. } = *parameter;
            if !(min..=max).contains(&value) {
                return Err(ConstructorError::OutOfRange { parameter, value, min, max });
            }
            if whole && value.fract() != 0.0 {
                return Err(ConstructorError::NotWhole { parameter, value, min, max });
            }
        }
        let spec = (self.build)(values);
        if let ControllerSpec::Nada(params) = &spec {
            params.check()?;
        }
        Ok(spec)
    }

    /// Build from named values; what is left out takes its default.
    pub fn with_named(&self, given: &[(String, f64)]) -> Result<ControllerSpec, ConstructorError> {
        if let Some((name, _)) = given.iter().find(|(name, _)| self.parameters.iter().all(|p| p.name != name))
        {
            return Err(ConstructorError::UnknownParameter { parameter: name.clone(), form: self.form() });
        }
        let mut values = Vec::with_capacity(self.parameters.len());
        for parameter in self.parameters {
            let value = given.iter().find(|(name, _)| name == parameter.name).map(|&(_, value)| value);
            let Some(value) = value.or(parameter.default) else {
                return Err(ConstructorError::ParameterCount {
                    text: self.name.to_owned(),
                    given: given.len(),
                    form: self.form(),
                });
            };
            values.push(value);
        }
        self.with_values(&values)
    }
}

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
    let parts = arguments.map(str::trim).filter(|written| !written.is_empty());
    let parts: Vec<&str> = parts.map(|written| written.split(',').collect()).unwrap_or_default();
    let (row, parts) = match parts.first().and_then(|word| plugins.member(&name, word.trim())) {
        Some(row) => (row, &parts[1..]),
        None => (find(&name, plugins)?, parts.as_slice()),
    };
    let count =
        || ConstructorError::ParameterCount { text: text.to_owned(), given: parts.len(), form: row.form() };
    let mut values: Vec<Option<f64>> = vec![None; row.parameters.len()];
    let mut named = false;
    for (index, part) in parts.iter().enumerate() {
        let (place, number) = match part.split_once('=') {
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
            None => (index, *part),
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
        let wrong = |text: &str, part: &str| {
            let message = parse_controller(text).expect_err(text).to_string();
            assert!(message.contains(part), "{text}: {message}");
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
        let check = |text: &str, part: &str| {
            let message = parse_controller(text).expect_err(text).to_string();
            assert!(message.contains(part), "{text}: {message}");
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
