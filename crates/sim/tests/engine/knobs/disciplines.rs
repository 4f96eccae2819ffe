//! The parameters of every discipline: each acts where its table says so, and nowhere else.

use super::cases::crowded;
use super::leaves::{Effect, Subject, alike, others, put};
use super::nothing_silent;
use sawtooth_cc::Plugins;
use sawtooth_networks::networks::{MILLISECOND, SECOND};
use sawtooth_sim::describe::describe;
use sawtooth_sim::queue::{DISCIPLINES, DisciplineInfo, DisciplineParameter};
use sawtooth_sim::{Scenario, run};
use serde_json::{Value, json};

const QUEUE: &str = "/links/0/queue";

fn pointer(name: &str) -> String {
    format!("{QUEUE}/{name}")
}

/// A discipline in a small queue, its parameters small accordingly.
fn small(row: &DisciplineInfo) -> Value {
    let mut queue = json!({ "kind": row.name, "packets": 16 });
    let table = describe(&Plugins::NONE);
    let described =
        table["disciplines"].as_array().expect("a list").iter().find(|other| other["name"] == row.name);
    for (parameter, described) in
        row.parameters.iter().zip(described.expect("described")["parameters"].as_array().expect("a list"))
    {
        let value = match (parameter.name, parameter.kind) {
            ("min", _) => json!(2.0),
            ("max", _) => json!(6.0),
            ("weight", _) => json!(if row.schedules { 0.5 } else { 0.1 }),
            (_, "size") => json!(1_000),
            (_, "depth") => json!({ "packets": 4 }),
            ("ecn", _) => json!(true),
            ("target", _) => json!(2 * MILLISECOND),
            ("interval" | "max_burst", _) => json!(10 * MILLISECOND),
            ("t_update", _) => json!(5 * MILLISECOND),
            ("beta", _) => json!(20.0),
            ("mark_ecnth", _) => json!(0.3),
            ("flows", _) => json!(2),
            (_, "span") => {
                described["default"].as_str().map_or(json!(4 * MILLISECOND), |text| json!(nanos(text)))
            }
            _ => described["default"].clone(),
        };
        queue[parameter.key()] = value;
    }
    queue
}

/// A time as the table describes it.
fn nanos(text: &str) -> u64 {
    let (number, unit) = text.split_once(' ').expect("a number and its unit");
    let unit = if unit == "s" { SECOND } else { MILLISECOND };
    (number.parse::<f64>().expect("a number") * unit as f64) as u64
}

/// Other values of a parameter.
fn other_values(parameter: &DisciplineParameter, scenario: &Value) -> Vec<Value> {
    match parameter.kind {
        "depth" => vec![json!({ "packets": 8 }), json!({ "packets": 2 }), json!({ "ns": 20_000_000 })],
        _ if parameter.implicit => parameter.choices[1..].iter().map(|&word| json!(word)).collect(),
        _ => others(scenario, &pointer(&parameter.key())),
    }
}

/// A condition of a parameter holds, or it does not.
fn set(queue: &mut Value, row: &DisciplineInfo, (name, word): (&str, &str), holds: bool) {
    let parameter =
        row.parameters.iter().find(|other| other.name == name).expect("a condition is on a parameter");
    queue[name] = match word.parse::<bool>() {
        Ok(flag) => json!(flag == holds),
        Err(_) if holds => json!(word),
        Err(_) => json!(parameter.choices.iter().find(|other| **other != word).expect("another word")),
    };
}

/// What a parameter does where a condition holds, or where none does.
fn effect_under(
    row: &DisciplineInfo,
    parameter: &DisciplineParameter,
    holds: Option<(&str, &str)>,
) -> Effect {
    let mut queue = small(row);
    parameter.only_with.iter().for_each(|&other| set(&mut queue, row, other, false));
    holds.iter().for_each(|&one| set(&mut queue, row, one, true));
    let subject = Subject::new(crowded(&queue));
    subject.effect(&pointer(&parameter.key()), &other_values(parameter, &subject.scenario))
}

#[test]
fn every_parameter_of_a_discipline_acts() {
    let mut silent = Vec::new();
    for row in DISCIPLINES {
        for parameter in row.parameters {
            let mut expect = |acts: bool, holds: Option<(&str, &str)>| {
                let found = effect_under(row, parameter, holds);
                if (found == Effect::Acts) != acts {
                    silent.push(format!("{}.{} with {holds:?}: {found:?}", row.name, parameter.name));
                }
            };
            expect(parameter.only_with.is_empty(), None);
            parameter.only_with.iter().for_each(|&condition| expect(true, Some(condition)));
        }
    }
    nothing_silent(silent);
}

#[test]
fn every_word_of_a_parameter_differs_from_the_others() {
    let mut silent = Vec::new();
    for row in DISCIPLINES {
        let subjects = [Subject::new(crowded(&small(row)))];
        for parameter in row.parameters.iter().filter(|parameter| parameter.kind == "choice") {
            let found = alike(&subjects, &pointer(parameter.name), parameter.choices);
            silent.extend(found.map(|(one, other)| {
                format!("{}.{}: {one} and {other} are the same", row.name, parameter.name)
            }));
        }
    }
    nothing_silent(silent);
}

#[test]
fn every_discipline_has_a_size_and_differs_from_the_others() {
    let mut silent = Vec::new();
    for row in DISCIPLINES {
        let subject = Subject::new(crowded(&small(row)));
        if subject.effect(&pointer("packets"), &[json!(8), json!(4)]) != Effect::Acts {
            silent.push(format!("{}.packets", row.name));
        }
        let mut bytes = small(row);
        put(&mut bytes, "/packets", Value::Null);
        put(&mut bytes, "/bytes", json!(12_000));
        if Subject::new(crowded(&bytes)).effect(&pointer("bytes"), &[json!(6_000), json!(3_000)])
            != Effect::Acts
        {
            silent.push(format!("{}.bytes", row.name));
        }
        for other in DISCIPLINES.iter().filter(|other| other.name < row.name) {
            if subject.effect(QUEUE, &[small(other)]) != Effect::Acts {
                silent.push(format!("{} and {} are the same", row.name, other.name));
            }
        }
    }
    nothing_silent(silent);
}

#[test]
fn what_is_said_to_decide_about_marks_does_nothing_to_flows_without_ecn() {
    for row in DISCIPLINES {
        let mut scenario = crowded(&small(row));
        for profile in 1..=3 {
            put(&mut scenario, &format!("/profiles/{profile}/tcp/ecn"), json!(false));
        }
        let subject = Subject::new(scenario);
        for parameter in row.parameters {
            let found =
                subject.effect(&pointer(&parameter.key()), &other_values(parameter, &subject.scenario));
            assert_eq!(found != Effect::Acts, parameter.of_marks, "{}.{}", row.name, parameter.name);
        }
    }
}

/// What became of the flows of the crowded network, one of them in profile or not.
fn flows(row: &DisciplineInfo, in_profile: bool) -> String {
    let mut scenario = crowded(&small(row));
    put(&mut scenario, "/flows/3/in_profile", json!(in_profile));
    let scenario = Scenario::from_value(scenario).expect("a scenario");
    format!("{:?}", run(&scenario).expect("it is accepted").flows)
}

#[test]
fn flows_in_profile_are_spared_where_the_table_says_so() {
    for row in DISCIPLINES {
        assert_eq!(flows(row, true) != flows(row, false), row.spares_in_profile, "{}", row.name);
    }
}
