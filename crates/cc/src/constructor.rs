//! Constructors: the names of controllers, their parameters, and what they mean in plain numbers.
//!
//! The papers disagree on letters. [Akella02] writes the factor *kept* on a decrease, [Floyd00] the
//! fraction *removed*. Each constructor states its convention; every one resolves to the same plain form.

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
        match &spec {
            ControllerSpec::Nada(params) => params.check()?,
            ControllerSpec::Vegas(params) => params.check()?,
            _ => {}
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
