//! A scenario as JSON: its leaves, other values for each of them, and what a run makes of such a change.

use sawtooth_sim::{Scenario, run};
use serde_json::{Number, Value, json};

/// A single value in a scenario.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Where it stands: a JSON pointer.
    pub pointer: String,
    /// What it is, whichever link, flow or packet it belongs to: `links[].queue<red>.min`.
    pub knob: String,
}

/// Every leaf of a scenario that has a value.
pub fn leaves(scenario: &Value) -> Vec<Leaf> {
    let mut found = Vec::new();
    walk(scenario, &mut String::new(), String::new(), &mut found);
    found
}

fn walk(value: &Value, pointer: &mut String, knob: String, found: &mut Vec<Leaf>) {
    let mut below = |part: &str, item: &Value, knob: String| {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(part);
        walk(item, pointer, knob, found);
        pointer.truncate(length);
    };
    match value {
        Value::Null => {}
        Value::Object(fields) => {
            let table = knob_of_table(value, &knob);
            fields.iter().for_each(|(name, field)| below(name, field, joined(&table, name)));
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                // A list in a list is a row, whose columns differ in meaning.
                let column = if knob.ends_with(']') { format!("[{index}]") } else { "[]".to_owned() };
                below(&index.to_string(), item, format!("{knob}{column}"));
            }
        }
        _ => found.push(Leaf { pointer: pointer.clone(), knob }),
    }
}

/// A table is known by its kind, if it has one.
pub fn knob_of_table(table: &Value, knob: &str) -> String {
    match table.get("kind").and_then(Value::as_str) {
        Some(kind) => format!("{knob}<{kind}>"),
        None => knob.to_owned(),
    }
}

pub fn joined(knob: &str, name: &str) -> String {
    if knob.is_empty() { name.to_owned() } else { format!("{knob}.{name}") }
}

/// Other values for a leaf, the likeliest to act first.
pub fn others(scenario: &Value, pointer: &str) -> Vec<Value> {
    let value = scenario.pointer(pointer).expect("a pointer of this scenario");
    match value {
        Value::Bool(flag) => vec![json!(!flag)],
        Value::Number(number) => other_numbers(number),
        Value::String(text) => {
            let words = words(scenario, pointer).unwrap_or_else(|| vec![format!("{text}, another")]);
            words.into_iter().filter(|word| word != text).map(Value::from).collect()
        }
        _ => panic!("{pointer} is no leaf"),
    }
}

pub fn other_numbers(number: &Number) -> Vec<Value> {
    let mut values: Vec<Value> = match number.as_u64() {
        Some(0) => [1u64, 1_000, 1_000_000].map(Value::from).to_vec(),
        Some(n) => [n * 2, n / 2, n + 1, n - 1, n * 10, n / 1_000].map(Value::from).to_vec(),
        None => {
            let x = number.as_f64().expect("a real number");
            [x * 1.25, x * 0.75, x + 1.0, x - 1.0, x * 10.0, x / 1_000.0].map(Value::from).to_vec()
        }
    };
    values.retain(|value| value.as_f64() != number.as_f64());
    values
}

/// The words that a text accepts, from the complaint about another one; `None` where any text will do.
pub fn words(scenario: &Value, pointer: &str) -> Option<Vec<String>> {
    let complaint = complaint(&with(scenario, pointer, json!("no such word")))?;
    assert!(complaint.contains("unknown variant"), "{pointer}: {complaint}");
    Some(expected(&complaint))
}

/// The keys that a table accepts, from the complaint about another one; empty where the complaint does not list them.
pub fn fields(scenario: &Value, pointer: &str) -> Vec<String> {
    let mut changed = scenario.clone();
    changed.pointer_mut(pointer).expect("a table")["no such key"] = json!(0);
    let complaint = complaint(&changed).unwrap_or_else(|| panic!("{pointer} takes any key"));
    assert!(complaint.contains("unknown field"), "{pointer}: {complaint}");
    expected(&complaint)
}

fn complaint(scenario: &Value) -> Option<String> {
    Scenario::from_value(scenario.clone()).err().map(|error| error.to_string())
}

/// The quoted names behind "expected".
fn expected(complaint: &str) -> Vec<String> {
    let (_, listed) = complaint.split_once("expected").unwrap_or_default();
    listed.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The scenario with one value replaced, or put where there was none.
pub fn with(scenario: &Value, pointer: &str, value: Value) -> Value {
    let mut changed = scenario.clone();
    put(&mut changed, pointer, value);
    changed
}

/// Put a value under a pointer whose table exists.
pub fn put(scenario: &mut Value, pointer: &str, value: Value) {
    let (table, name) = pointer.rsplit_once('/').expect("a pointer has a slash");
    match scenario.pointer_mut(table) {
        Some(Value::Object(fields)) => drop(fields.insert(name.to_owned(), value)),
        Some(Value::Array(items)) => items[name.parse::<usize>().expect("an index")] = value,
        _ => panic!("{pointer} leads nowhere"),
    }
}

/// The digest of a run, or why there is none.
fn digest(scenario: Value) -> Result<String, String> {
    let scenario = Scenario::from_value(scenario).map_err(|error| error.to_string())?;
    run(&scenario).map(|records| records.digest()).map_err(|error| error.to_string())
}

/// What comes of other values at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// One of them gives another digest.
    Acts,
    /// All of them are refused.
    Refused,
    /// Some are accepted, and nothing changes.
    None,
}

/// A scenario that has been run.
pub struct Subject {
    pub scenario: Value,
    digest: String,
}

impl Subject {
    pub fn new(scenario: Value) -> Self {
        let digest = digest(scenario.clone()).unwrap_or_else(|error| panic!("{error} in {scenario}"));
        Subject { scenario, digest }
    }

    /// The digest with another value at a place; `None` if that is refused.
    pub fn digest_with(&self, pointer: &str, value: &Value) -> Option<String> {
        digest(with(&self.scenario, pointer, value.clone())).ok()
    }

    /// Try values at a place until one of them gives another digest.
    pub fn effect(&self, pointer: &str, values: &[Value]) -> Effect {
        let mut found = Effect::Refused;
        for value in values {
            match self.digest_with(pointer, value) {
                Some(after) if after != self.digest => return Effect::Acts,
                Some(_) => found = Effect::None,
                None => {}
            }
        }
        found
    }
}

/// Try values at the same place of several scenarios until one of them gives another digest.
pub fn effect(subjects: &[Subject], pointer: &str, values: &[Value]) -> Effect {
    let mut found = Effect::Refused;
    for subject in subjects {
        match subject.effect(pointer, values) {
            Effect::Acts => return Effect::Acts,
            Effect::None => found = Effect::None,
            Effect::Refused => {}
        }
    }
    found
}

/// The first two words that no scenario tells apart, if there are any.
pub fn alike<'a>(subjects: &[Subject], pointer: &str, choices: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let told = |word: &str| -> Vec<_> {
        subjects.iter().map(|subject| subject.digest_with(pointer, &word.into())).collect()
    };
    let digests: Vec<_> = choices.iter().map(|word| told(word)).collect();
    let mut pairs = (0..choices.len()).flat_map(|last| (0..last).map(move |first| (first, last)));
    let (first, last) = pairs.find(|&(first, last)| digests[first] == digests[last])?;
    Some((choices[first], choices[last]))
}
