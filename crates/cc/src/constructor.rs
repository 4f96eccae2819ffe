//! Constructors: how people write a controller (`"aimd(1, 0.8)"`) and what it means in plain numbers.
//!
//! The papers disagree on letters. [Akella02] writes the factor *kept* on a decrease, [Floyd00] the
//! fraction *removed*. Each constructor states its convention; every one resolves to the same plain form.

use crate::laws::{ControllerSpec, Properties};
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
    /// Where the default or the bound comes from.
    pub why: &'static str,
}

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
    #[error("controller \"{name}\": expected one of {accepted}")]
    UnknownName {
        /// What was written.
        name: String,
        /// The names there are.
        accepted: String,
    },
    /// Text that is not `name(number, …)`.
    #[error("controller \"{text}\": expected a form such as \"aimd(1, 0.8)\"")]
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
}

/// Tables of constructors.
pub type Tables = &'static [&'static [ConstructorInfo]];

impl ConstructorInfo {
    /// The constructor as one writes it, for instance `aimd(a, b)`.
    pub fn form(&self) -> String {
        let names: Vec<_> = self.parameters.iter().map(|p| p.name).collect();
        if names.is_empty() { self.name.to_owned() } else { format!("{}({})", self.name, names.join(", ")) }
    }

    /// What its controllers answer with and need, whatever their numbers.
    pub fn properties(&self) -> Properties {
        let smallest: Vec<f64> = self.parameters.iter().map(|parameter| parameter.min).collect();
        (self.build)(&smallest).properties()
    }

    fn answers_to(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    /// Check the values against their intervals and build.
    pub fn with_values(&self, values: &[f64]) -> Result<ControllerSpec, ConstructorError> {
        for (parameter, &value) in self.parameters.iter().zip(values) {
            let ParameterInfo { name, min, max, .. } = *parameter;
            if !(min..=max).contains(&value) {
                return Err(ConstructorError::OutOfRange { parameter: name, value, min, max });
            }
        }
        Ok((self.build)(values))
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
pub fn find(tables: Tables, name: &str) -> Result<&'static ConstructorInfo, ConstructorError> {
    let rows = || tables.iter().copied().flatten();
    rows().find(|row| row.answers_to(name)).ok_or_else(|| ConstructorError::UnknownName {
        name: name.to_owned(),
        accepted: rows().map(ConstructorInfo::form).collect::<Vec<_>>().join(", "),
    })
}

/// Parse text such as `aimd(1, 0.8)` or `maimd`; parameters left out at the end take their defaults.
pub fn parse(tables: Tables, text: &str) -> Result<ControllerSpec, ConstructorError> {
    let malformed = || ConstructorError::Malformed { text: text.to_owned() };
    let trimmed = text.trim();
    let (name, arguments) = match trimmed.split_once('(') {
        None => (trimmed, None),
        Some((name, rest)) => (name.trim_end(), Some(rest.strip_suffix(')').ok_or_else(malformed)?)),
    };
    let row = find(tables, &name.to_ascii_lowercase())?;
    let mut values = Vec::new();
    for part in arguments.map(str::trim).filter(|a| !a.is_empty()).map(|a| a.split(',')).into_iter().flatten()
    {
        let value: f64 = part.trim().parse().map_err(|_| malformed())?;
        values.push(value);
    }
    let left_out = row.parameters.get(values.len()..).unwrap_or_default();
    let given = values.len();
    values.extend(left_out.iter().map_while(|parameter| parameter.default));
    if values.len() != row.parameters.len() {
        return Err(ConstructorError::ParameterCount { text: text.to_owned(), given, form: row.form() });
    }
    row.with_values(&values)
}
