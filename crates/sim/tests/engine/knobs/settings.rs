//! TCP settings: each acts beside the recoveries that read it, and beside no other; each law follows those that concern it.

use super::cases::connections;
use super::controllers::{serving, written};
use super::leaves::{Effect, Subject, alike, effect, other_numbers, put};
use super::nothing_silent;
use sawtooth_cc::{CONTROLLERS, RATE_CONTROLLERS};
use sawtooth_sim::Scenario;
use sawtooth_sim::describe::{OF_WINDOW_LAWS, SettingInfo, TCP};
use sawtooth_sim::tcp::RECOVERIES;
use serde_json::{Value, json};

fn pointer(name: &str) -> String {
    let row = TCP.iter().find(|row| row.name == name).expect("a setting of the table");
    let suffix = if row.kind == "span" { "_ns" } else { "" };
    format!("/profiles/0/tcp/{name}{suffix}")
}

/// Other values of a setting; where it has none, values to begin with.
fn other_values(setting: &SettingInfo, current: Option<&Value>) -> Vec<Value> {
    const SPANS: [u64; 4] = [300_000_000, 30_000_000, 3_000_000_000, 3_000_000];
    match (setting.kind, current) {
        ("choice", _) => setting.choices.iter().map(|&word| json!(word)).collect(),
        ("flag", _) => vec![json!(true), json!(false)],
        ("span", Some(Value::Number(number))) => {
            other_numbers(number).into_iter().chain(SPANS.map(Value::from)).collect()
        }
        (_, Some(Value::Number(number))) => other_numbers(number),
        ("span", _) => SPANS.map(Value::from).to_vec(),
        ("real", _) => vec![json!(4.0), json!(1.5), json!(0.5), json!(0.9)],
        ("count" | "size", _) => vec![json!(4), json!(2), json!(1_000)],
        (kind, _) => {
            panic!("tcp.{}: say in tests/knobs/settings.rs what values a {kind} takes", setting.name)
        }
    }
}

/// A condition of a setting holds, or it does not.
fn set(scenario: &mut Value, (name, word): (&str, &str), holds: bool) {
    let row = TCP.iter().find(|row| row.name == name).expect("a condition is on a setting");
    let value = match word.parse::<bool>() {
        Ok(flag) => json!(flag == holds),
        Err(_) if holds => json!(word),
        Err(_) => json!(row.choices.iter().find(|other| **other != word).expect("another word")),
    };
    put(scenario, &pointer(name), value);
}

/// What a setting does where a condition holds, or where none does.
fn effect_under(
    setting: &SettingInfo,
    networks: &[Value],
    holds: Option<(&str, &str)>,
    read: bool,
) -> Effect {
    let conditioned = networks.iter().map(|network| {
        let mut network = network.clone();
        // Where nobody reads the setting, its conditions may be refused as well.
        let conditions = if read { setting.only_with } else { &[] };
        conditions.iter().for_each(|&other| set(&mut network, other, false));
        holds.iter().for_each(|&one| set(&mut network, one, true));
        Subject::new(network)
    });
    let subjects: Vec<_> = conditioned.collect();
    let pointer = pointer(setting.name);
    let values = other_values(setting, subjects[0].scenario.pointer(&pointer));
    effect(&subjects, &pointer, &values)
}

/// Whether a setting acts where the tables say that it is read, and nowhere else: what is wrong.
fn check(setting: &SettingInfo, networks: &[Value], read: bool) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut expect = |acts: bool, holds: Option<(&str, &str)>| {
        let found = effect_under(setting, networks, holds, read);
        if (found == Effect::Acts) != acts {
            let beside = holds.map_or_else(String::new, |(name, word)| format!(" with {name} = {word}"));
            let expected = if acts { "acts" } else { "does not act" };
            wrong.push(format!(
                "tcp.{}{beside}: {found:?}, where the tables say that it {expected}: mend own_settings or only_with, \
                 or let it act in tests/knobs/cases.rs",
                setting.name
            ));
        }
    };
    if setting.only_with.is_empty() || !read {
        expect(read, None);
    } else {
        expect(false, None);
        setting.only_with.iter().for_each(|&condition| expect(true, Some(condition)));
    }
    wrong
}

#[test]
fn every_setting_acts_beside_the_recoveries_that_read_it() {
    let windows = RECOVERIES.iter().map(|row| (row.name, "aimd(1, 0.7)"));
    let rates = RATE_CONTROLLERS.iter().map(|row| ("none", row.name));
    let mut silent = Vec::new();
    for (recovery, controller) in windows.chain(rates) {
        let networks = connections(controller, recovery);
        for setting in TCP {
            let wrong = check(setting, &networks, setting.read_by().contains(&recovery));
            silent.extend(wrong.iter().map(|line| format!("{controller}, {recovery}: {line}")));
        }
    }
    nothing_silent(silent);
}

#[test]
fn every_word_of_a_setting_differs_from_the_others() {
    let mut silent = Vec::new();
    for setting in TCP.iter().filter(|row| row.kind == "choice") {
        let readers = setting.read_by().into_iter().filter(|name| !["none", "endpoint"].contains(name));
        let networks = readers.flat_map(|name| connections("aimd(1, 0.7)", name));
        let subjects: Vec<_> = networks.map(Subject::new).collect();
        let found = alike(&subjects, &pointer(setting.name), setting.choices);
        silent.extend(
            found.map(|(one, other)| format!("tcp.{}: {one} and {other} are the same", setting.name)),
        );
    }
    nothing_silent(silent);
}

#[test]
fn every_recovery_differs_from_the_others() {
    let subjects: Vec<_> = connections("aimd(1, 0.7)", "sack").into_iter().map(Subject::new).collect();
    let names: Vec<_> = RECOVERIES.iter().map(|row| row.name).collect();
    assert_eq!(alike(&subjects, "/profiles/0/recovery", &names), None);
}

/// Does a setting concern the control law?
fn is_of_the_law(setting: &SettingInfo, network: &Value) -> bool {
    let control = |value: Option<Value>| {
        let mut network = network.clone();
        value.into_iter().for_each(|value| put(&mut network, &pointer(setting.name), value));
        let scenario = Scenario::from_value(network).ok();
        scenario.map(|scenario| scenario.profiles[0].tcp.control_settings())
    };
    let values = other_values(setting, network.pointer(&pointer(setting.name)));
    values.into_iter().any(|value| control(Some(value)).is_some_and(|other| Some(other) != control(None)))
}

/// Settings whose words say the same beside a law, and why.
const STILL: &[(&str, &str, &str)] = &[
    ("dctcp", "timeout_threshold", "its own decrease is half of the window"),
    ("vegas", "timeout_threshold", "its own decrease is half of the window"),
    ("vegas", "slow_start_exit", "its own decrease is half of the window"),
    ("ledbat", "timeout_threshold", "its own decrease is half of the window"),
    ("ledbat", "slow_start_exit", "its own decrease is half of the window"),
    ("dctcp", "ecn_beta", "refused: it answers the share of marked packets"),
    ("prague", "ecn_beta", "refused: it answers the share of marked packets"),
];

#[test]
fn every_law_follows_the_settings_of_its_connection() {
    let mut silent = Vec::new();
    for law in CONTROLLERS {
        let usual = serving(law);
        let networks = connections(&written(law), usual);
        let with_rack = connections(&written(law), "rack");
        let conduct = law.properties().conduct;
        let acts = |setting: &&SettingInfo| {
            !STILL.iter().any(|still| (still.0, still.1) == (law.name, setting.name))
        };
        let of_law = |setting: &&SettingInfo| {
            is_of_the_law(setting, &networks[0]) || !conduct && OF_WINDOW_LAWS.contains(&setting.name)
        };
        for setting in TCP.iter().filter(acts).filter(of_law) {
            // Some are read beside `rack` alone.
            let networks = if setting.read_by().contains(&usual) { &networks } else { &with_rack };
            let wrong = check(setting, networks, conduct || !OF_WINDOW_LAWS.contains(&setting.name));
            silent.extend(wrong.iter().map(|line| format!("{}: {line}", law.name)));
        }
    }
    nothing_silent(silent);
}
