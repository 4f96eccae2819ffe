//! Every knob acts: another value of it gives another digest, or it is refused.
//!
//! Nothing is listed here that the engine lists itself. The leaves of a scenario come from its JSON, the fields and words that it
//! accepts from the complaints about others, settings and parameters from the tables. So what is added later is tested as it stands, or
//! fails with the sentence that says what to add.

mod cases;
mod controllers;
mod disciplines;
mod leaves;
mod settings;

use leaves::{Effect, Leaf, Subject, fields, joined, knob_of_table, leaves, others, words};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Fail with all that was found.
fn nothing_silent(found: Vec<String>) {
    assert!(found.is_empty(), "{} silent knobs:\n{}", found.len(), found.join("\n"));
}

/// Names stand in results; where a random stream is called after them they move it.
fn is_name(knob: &str) -> bool {
    knob.ends_with(".name")
}

/// These have tests of their own, made of the tables.
fn is_of_a_table(knob: &str) -> bool {
    ["profiles[].tcp.", "profiles[].controller<", "links[].queue<"]
        .iter()
        .any(|table| knob.starts_with(table))
}

/// Types that stand at several places: a knob under each of them that it is a part of, and as it stands.
fn spellings(knob: &str) -> Vec<String> {
    let places = [(".delay<", "delay<"), (".late<", "late<"), (".jitter<", "jitter<")];
    let impairments = [".drop<", ".loss<", ".mark<"].map(|place| (place, "impairment<"));
    let of = |(place, of): &(&str, &str)| Some(format!("{of}{}", knob.rsplit_once(place)?.1));
    places.iter().chain(&impairments).filter_map(of).chain([knob.to_owned()]).collect()
}

/// Such a type is looked at once, wherever it stands.
fn shared(knob: &str) -> String {
    spellings(knob).swap_remove(0)
}

/// A kind goes with the keys of its table: each is a case of its own, and without them another is refused.
fn is_kind(knob: &str) -> bool {
    knob.ends_with(">.kind")
}

/// Leaves that act on nothing in a case, and why.
const STILL: &[(&str, &str, &str)] = &[
    ("shares", "/seed", "nothing is drawn"),
    ("shares", "/record/completions", "there are no short flows"),
    ("trace", "/record/completions", "there are no short flows"),
    ("model", "/record/completions", "there are no short flows"),
    ("applications", "/record/completions", "there are no short flows"),
    ("wires", "/record/completions", "there are no short flows"),
    ("acknowledgements", "/seed", "nothing is drawn"),
    ("acknowledgements", "/record/completions", "there are no short flows"),
    ("calls", "/seed", "nothing is drawn"),
    ("calls", "/record/completions", "there are no short flows"),
];

#[test]
fn every_leaf_of_a_scenario_acts() {
    let mut silent = Vec::new();
    let mut acting = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for (case, scenario) in cases::cases() {
        let subject = Subject::new(scenario);
        for Leaf { pointer, knob } in leaves(&subject.scenario) {
            if is_name(&knob) || is_of_a_table(&knob) {
                continue;
            }
            let effect = subject.effect(&pointer, &others(&subject.scenario, &pointer));
            let still = STILL.iter().any(|&(name, place, _)| (name, place) == (case, &*pointer));
            if still != (effect == Effect::None) {
                let value = subject.scenario.pointer(&pointer).expect("a leaf");
                let expected = if still { "None, as STILL says" } else { "Acts" };
                silent.push(format!("{case}: {pointer} = {value}: {effect:?}, expected {expected}"));
            }
            if effect == Effect::Acts {
                acting.insert(knob.clone());
            }
            seen.insert(knob);
        }
    }
    let never = seen.difference(&acting).filter(|knob| !is_kind(knob));
    silent.extend(never.map(|knob| format!("{knob}: every other value is refused in every case")));
    nothing_silent(silent);
}

/// The tables in a scenario: where each stands, and what it is.
fn tables(value: &Value, pointer: String, knob: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            let own = knob_of_table(value, knob);
            for (name, member) in members {
                tables(member, format!("{pointer}/{name}"), &joined(&own, name), found);
            }
            found.push((pointer, own));
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                tables(item, format!("{pointer}/{index}"), &format!("{knob}[]"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn every_field_of_a_scenario_is_in_a_case() {
    let (mut used, mut there) = (BTreeSet::new(), BTreeMap::new());
    for (case, scenario) in cases::cases() {
        used.extend(leaves(&scenario).into_iter().flat_map(|leaf| spellings(&leaf.knob)));
        let mut found = Vec::new();
        tables(&scenario, String::new(), "", &mut found);
        for (pointer, knob) in found {
            if is_of_a_table(&format!("{knob}.")) {
                continue;
            }
            for field in fields(&scenario, &pointer) {
                there.insert(shared(&joined(&knob, &field)), case);
            }
            if scenario.pointer(&format!("{pointer}/kind")).is_some() {
                let (table, _) = knob.rsplit_once('<').expect("a table with a kind");
                let kinds = words(&scenario, &format!("{pointer}/kind")).expect("kinds are words");
                there.extend(kinds.iter().map(|kind| (shared(&format!("{table}<{kind}>")), case)));
            }
        }
    }
    let is_part = |rest: &str| rest.is_empty() || rest.starts_with(['.', '[', '<']);
    let is_used =
        |knob: &String| used.iter().filter_map(|leaf| leaf.strip_prefix(knob.as_str())).any(is_part);
    let unused = there.iter().filter(|(knob, _)| !is_used(knob));
    let hint = "no scenario of tests/knobs/cases.rs gives it a value";
    nothing_silent(unused.map(|(knob, case)| format!("{knob}: {hint}; add it to \"{case}\"")).collect());
}
