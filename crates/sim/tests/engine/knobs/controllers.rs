//! The numbers of every constructor: each acts within its range.

use super::cases::connections;
use super::leaves::Subject;
use super::nothing_silent;
use sawtooth_cc::{CONTROLLERS, ConstructorInfo, ParameterInfo, RATE_CONTROLLERS};
use sawtooth_sim::tcp::RECOVERIES;
use serde_json::{Value, to_value};

/// A number to begin with: nothing that a default of the network has too (a decrease to one half, for instance).
fn ordinary(parameter: &ParameterInfo) -> f64 {
    let ParameterInfo { min, max, default, .. } = *parameter;
    match (parameter.unit, default) {
        ("s", Some(default)) if default > 1.0 => default / 10.0, // the networks live for seconds
        ("bytes", Some(0.0)) => 13_500.0, // a size of nothing turns off what belongs to it
        (_, Some(default)) if default != 0.5 => default,
        (_, _) if max <= 1.0 => min + 0.7 * (max - min),
        (_, _) if min == 1.0 => 1.125,
        _ => f64::clamp(2.0, min, max),
    }
}

/// Other numbers of its range, the likeliest to act first.
fn others(parameter: &ParameterInfo, number: f64) -> Vec<f64> {
    let ParameterInfo { min, max, whole, .. } = *parameter;
    let near = [number * 1.25, number * 0.75, number + 1.0, number - 1.0, min, max];
    let fits =
        |other: &f64| *other != number && (min..=max).contains(other) && (!whole || other.fract() == 0.0);
    near.into_iter().filter(fits).collect()
}

/// A constructor with ordinary numbers, as one writes it.
pub fn written(row: &ConstructorInfo) -> String {
    let numbers: Vec<_> = row.parameters.iter().map(ordinary).collect();
    with_numbers(row, &numbers)
}

/// A recovery for its controllers: `sack`, if that will do.
pub fn serving(row: &ConstructorInfo) -> &'static str {
    let names = ["sack"].into_iter().chain(RECOVERIES.iter().map(|row| row.name));
    let serves =
        |name: &&str| RECOVERIES.iter().any(|other| other.name == *name && other.serves(row.properties()));
    let mut serving = names.filter(serves);
    serving.next().expect("a recovery serves every controller")
}

fn with_numbers(row: &ConstructorInfo, numbers: &[f64]) -> String {
    let texts: Vec<_> = numbers.iter().map(f64::to_string).collect();
    format!("{}({})", row.name, texts.join(", "))
}

#[test]
fn every_number_of_a_controller_acts() {
    let windows = CONTROLLERS.iter().map(|row| (row, serving(row)));
    let rates = RATE_CONTROLLERS.iter().map(|row| (row, "none"));
    let mut silent = Vec::new();
    for (row, recovery) in windows.chain(rates) {
        let numbers: Vec<_> = row.parameters.iter().map(ordinary).collect();
        let subjects: Vec<_> = connections(&written(row), recovery).into_iter().map(Subject::new).collect();
        for (index, parameter) in row.parameters.iter().enumerate() {
            // A number may bound another one: what is beyond it is refused.
            let spec = |other: f64| -> Option<Value> {
                let mut changed = numbers.clone();
                changed[index] = other;
                row.with_values(&changed).ok().map(|spec| to_value(spec).expect("plain data"))
            };
            let values: Vec<_> = others(parameter, numbers[index]).into_iter().filter_map(spec).collect();
            assert!(!values.is_empty(), "{}: another value", parameter.name);
            let found = super::leaves::effect(&subjects, "/profiles/0/controller", &values);
            if found != super::leaves::Effect::Acts {
                silent.push(format!("{}: {}: {found:?}", written(row), parameter.name));
            }
        }
    }
    nothing_silent(silent);
}
