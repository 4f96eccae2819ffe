//! What exists, for whoever shows or documents it: names, parameters, units, defaults and reasons.

use crate::identity;
use crate::queue::{DISCIPLINES, DisciplineInfo};
use crate::rate;
use crate::scenario::{QueueSpec, TcpSpec};
use crate::series::SERIES;
use crate::tcp::{RECOVERIES, RecoveryInfo};
use sawtooth_cc::{CONTROLLERS, RATE_CONTROLLERS};
use serde::Serialize;
use serde_json::{Value, json};

/// One TCP setting.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SettingInfo {
    /// Its key in a scenario; a `span` has the suffix `_ns` in the engine's data.
    pub name: &'static str,
    /// `span`, `count`, `real`, `flag` or `choice`.
    pub kind: &'static str,
    /// What is accepted.
    pub accepted: &'static str,
    /// The words of a choice.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub choices: &'static [&'static str],
    /// Where the default comes from.
    pub why: &'static str,
    /// The engine's data leave it out at its default: its first word.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub implicit: bool,
    /// Other settings with the values of which one at least must hold, or this setting acts on nothing; empty: it always acts.
    #[serde(skip)]
    pub only_with: Conditions,
}

/// Settings, or parameters of the same table, each with a value: a word, `true` or `false`.
pub type Conditions = &'static [(&'static str, &'static str)];

impl SettingInfo {
    const fn only_with(self, conditions: Conditions) -> Self {
        SettingInfo { only_with: conditions, ..self }
    }

    /// Who reads it: recoveries by name, and `none` for flows without one. A setting that recoveries list as their own is read by
    /// these alone, any other by every recovery.
    pub fn read_by(&self) -> Vec<&'static str> {
        let own = |row: &&RecoveryInfo| row.own_settings.contains(&self.name);
        let everybody = !RECOVERIES.iter().any(|row| own(&row));
        let mut readers: Vec<_> =
            RECOVERIES.iter().filter(|row| everybody || own(row)).map(|row| row.name).collect();
        if rate::SETTINGS.contains(&self.name) {
            readers.push("none");
        }
        readers
    }
}

/// Conditions as plain data: `{"delayed_ack": true}`, one table for each that may hold.
fn conditions(conditions: Conditions) -> Value {
    let plain = |word: &str| word.parse::<bool>().map_or_else(|_| word.into(), Value::from);
    conditions.iter().map(|&(name, word)| json!({ name: plain(word) })).collect()
}

const fn setting(
    name: &'static str,
    kind: &'static str,
    accepted: &'static str,
    why: &'static str,
) -> SettingInfo {
    SettingInfo { name, kind, accepted, choices: &[], why, implicit: false, only_with: &[] }
}

const fn choice(name: &'static str, choices: &'static [&'static str], why: &'static str) -> SettingInfo {
    SettingInfo { choices, ..setting(name, "choice", "one of the choices", why) }
}

/// A choice that the engine's data leave out at its default, the first word.
const fn later_choice(
    name: &'static str,
    choices: &'static [&'static str],
    why: &'static str,
) -> SettingInfo {
    SettingInfo { implicit: true, ..choice(name, choices, why) }
}

/// Every TCP setting; defaults are those of [`TcpSpec`].
pub const TCP: &[SettingInfo] = &[
    setting("initial_window", "real", "at least 1 packet", "RFC 6928 §2"),
    setting("initial_rto", "span", "a positive time", "RFC 6298 §2.1"),
    setting("min_rto", "span", "a positive time", "Linux; RFC 6298 §2.4 says 1 s"),
    setting("max_rto", "span", "at least min_rto", "RFC 6298 §2.5"),
    setting("timer_tick", "span", "a time; 0 is an exact clock", "RFC 6298 §4; ns-2 used 10 or 100 ms"),
    setting("limited_transmit", "flag", "true or false", "RFC 3042"),
    setting("delayed_ack", "flag", "true or false", "one acknowledgement per packet, as in the four studies"),
    setting("delayed_ack_timeout", "span", "a positive time", "ns-3; RFC 5681 §4.2 allows up to 500 ms")
        .only_with(&[("delayed_ack", "true")]),
    choice("slow_start_exit", &["half", "law"], "ns-2 halves, because doubling overshoots by up to two"),
    choice(
        "timeout_threshold",
        &["half", "law"],
        "RFC 5681 §3.1 and ns-2: half; law applies the controller's own decrease",
    )
    .only_with(&[("rto_cuts", "true")]),
    choice(
        "window_arithmetic",
        &["real", "integer"],
        "the papers' laws are real; ns-2 of 2000–2002 truncated on decrease",
    ),
    setting("reno_recover_test", "flag", "true or false", "RFC 6582 §3.2, ns-2's default"),
    choice(
        "sack_pipe",
        &["conservative", "rfc6675", "counted"],
        "FallFloyd96: lost packets stay in pipe; rfc6675 takes them out; counted goes without a scoreboard, as ns-2 does",
    ),
    choice(
        "sack_timeout",
        &["resend", "skip"],
        "ns-2's Sack1: everything goes again; skip passes over packets SACKed since (RFC 6675 §5.1)",
    ),
    setting("rto_cuts", "flag", "true or false", "RFC 5681 §3.1; false separates the cut from the silence"),
    setting("ecn", "flag", "true or false; left out it follows the queue", "RFC 3168"),
    setting(
        "receive_window",
        "count",
        "at least 1 packet; left out there is no limit",
        "a receiver never limits unless asked to",
    ),
    setting(
        "initial_ssthresh",
        "real",
        "at least 1 packet; left out there is none",
        "RFC 5681 §3.1: arbitrarily high",
    ),
    later_choice(
        "ecn_feedback",
        &["echo", "counts"],
        "RFC 3168 §6.1.3: echo until the sender has reduced; counts tells how many packets were marked (RFC 9768)",
    )
    .only_with(&[("ecn", "true")]),
    later_choice(
        "rtt_samples",
        &["round", "every"],
        "RFC 6298 §3: one sample per round trip; every takes one from each packet that was sent once, as Linux does",
    ),
    later_choice(
        "pacing",
        &["off", "on"],
        "the four studies are unpaced; on spreads packets as Linux does, 2 windows a round trip below half of the slow-start threshold and 1.2 beyond (RFC 9002 §7.7)",
    ),
];

/// Disciplines of the design that are not built yet.
pub const PLANNED_DISCIPLINES: &[&str] = &["codel", "fq-codel", "pie", "dualpi2"];

fn span_text(nanos: u64) -> String {
    if nanos.is_multiple_of(1_000_000_000) {
        format!("{} s", nanos / 1_000_000_000)
    } else {
        format!("{} ms", nanos as f64 / 1e6)
    }
}

/// A depth of a queue as people write it.
fn depth_text(depth: &Value) -> Value {
    match (depth["packets"].as_u64(), depth["ns"].as_u64()) {
        (Some(packets), _) => format!("{packets} packets").into(),
        (_, Some(nanos)) => span_text(nanos).into(),
        _ => unreachable!("a depth is in packets or in time: {depth}"),
    }
}

/// A row of the table of disciplines with the defaults of its parameters, which are those of its [`QueueSpec`].
fn discipline(row: &DisciplineInfo) -> Value {
    let spec: QueueSpec = serde_json::from_value(json!({ "kind": row.name, "packets": 1 }))
        .expect("every discipline has a limit and defaults for the rest");
    let defaults = serde_json::to_value(&spec).expect("plain data");
    let mut value = serde_json::to_value(row).expect("plain data");
    value["knows_departures_ahead"] = spec.knows_departures_ahead().into();
    for (info, parameter) in
        row.parameters.iter().zip(value["parameters"].as_array_mut().into_iter().flatten())
    {
        let default = &defaults[info.name];
        parameter["only_with"] = conditions(info.only_with);
        parameter["default"] = match info.kind {
            "size" => format!("{default} B").into(),
            "depth" => depth_text(default),
            _ => default.clone(),
        };
    }
    value
}

/// Everything, as plain data.
pub fn describe() -> Value {
    let defaults = serde_json::to_value(TcpSpec::default()).expect("plain data");
    let tcp: Vec<Value> = TCP
        .iter()
        .map(|setting| {
            let mut row = serde_json::to_value(setting).expect("plain data");
            row["default"] = match setting.kind {
                "span" => defaults[format!("{}_ns", setting.name)].as_u64().map(span_text).into(),
                _ if setting.name == "ecn" => Value::Null,
                _ if setting.implicit => setting.choices[0].into(),
                _ => defaults[setting.name].clone(),
            };
            row["read_by"] = setting.read_by().into();
            row["only_with"] = conditions(setting.only_with);
            row
        })
        .collect();
    let controllers: Vec<Value> = CONTROLLERS
        .iter()
        .chain(RATE_CONTROLLERS)
        .map(|row| {
            let properties = row.properties();
            let mut value = serde_json::to_value(row).expect("plain data");
            value["properties"] = serde_json::to_value(properties).expect("plain data");
            value["rate_based"] = (!properties.window).into();
            value["form"] = row.form().into();
            for parameter in value["parameters"].as_array_mut().into_iter().flatten() {
                let whole = if parameter["whole"] == true { ", whole" } else { "" };
                parameter["accepted"] = format!("{} to {}{whole}", parameter["min"], parameter["max"]).into();
            }
            value
        })
        .collect();
    json!({
        "controllers": controllers,
        "recoveries": RECOVERIES,
        "disciplines": DISCIPLINES.iter().map(discipline).collect::<Vec<_>>(),
        "tcp": tcp,
        "series": SERIES,
        "behaviour": identity::all_behaviour(),
        "planned": { "disciplines": PLANNED_DISCIPLINES },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_of_a_discipline_is_described_with_its_default() {
        for row in DISCIPLINES {
            let described = discipline(row);
            let spec: QueueSpec =
                serde_json::from_value(json!({ "kind": row.name, "packets": 1 })).expect("a limit is enough");
            let spec = serde_json::to_value(spec).unwrap();
            let mut keys: Vec<&str> = row.parameters.iter().map(|parameter| parameter.name).collect();
            keys.extend(["kind", "packets", "bytes"]);
            let mut fields: Vec<&str> = spec.as_object().unwrap().keys().map(String::as_str).collect();
            keys.sort_unstable();
            fields.sort_unstable();
            assert_eq!(keys, fields, "{}: the table and the QueueSpec list the same parameters", row.name);
            for parameter in described["parameters"].as_array().unwrap() {
                let default = &parameter["default"];
                assert!(!default.is_null(), "{}: {parameter}", row.name);
                let choices = parameter["choices"].as_array();
                assert!(choices.is_none_or(|choices| choices.contains(default)), "{parameter}");
            }
        }
        let red =
            DISCIPLINES.iter().find(|row| row.name == "red").map(discipline).expect("a row of the table");
        assert_eq!((&red["name"], &red["parameters"][7]["default"]), (&json!("red"), &json!("1000 B")));
    }

    #[test]
    fn every_setting_is_described_with_its_default() {
        let defaults = serde_json::to_value(TcpSpec::default()).unwrap();
        let keys: Vec<String> = TCP
            .iter()
            .filter(|row| !row.implicit)
            .map(|row| if row.kind == "span" { format!("{}_ns", row.name) } else { row.name.to_owned() })
            .collect();
        let fields: Vec<&String> = defaults.as_object().unwrap().keys().collect();
        let mut sorted: Vec<&String> = keys.iter().collect();
        sorted.sort();
        assert_eq!(sorted, fields, "TCP and TcpSpec list the same settings");
        let described = describe();
        for row in TCP.iter().filter(|row| row.implicit) {
            let with = |word: &str| {
                let mut tcp = defaults.clone();
                tcp[row.name] = word.into();
                serde_json::from_value::<TcpSpec>(tcp).expect("a choice of the table")
            };
            assert_eq!(with(row.choices[0]), TcpSpec::default(), "{}: the default comes first", row.name);
            for &word in &row.choices[1..] {
                assert_eq!(serde_json::to_value(with(word)).unwrap()[row.name], word);
            }
        }
        assert_eq!(described["tcp"][1]["default"], "1 s");
        assert_eq!(described["tcp"][2]["default"], "200 ms");
        assert_eq!(described["tcp"][8]["default"], "half");
        assert_eq!(described["controllers"][0]["form"], "aimd(a, b)");
    }
}
