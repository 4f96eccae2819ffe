//! Descriptions of all tables: names, parameters, units, defaults and their sources. The command line, the schema and the pages show them.

use crate::identity;
use crate::queue::table::Conditions;
use crate::queue::{DISCIPLINES, DisciplineInfo};
use crate::rate;
use crate::records::DELAY_SHARES;
use crate::scenario::{QueueSpec, TcpSpec};
use crate::series::SERIES;
use crate::tcp::{Ecn, RECOVERIES, RecoveryInfo};
use crate::whole;
use sawtooth_cc::plugin::FAMILY as PLUGIN_FAMILY;
use sawtooth_cc::{CONTROLLERS, ConstructorInfo, Plugins, Properties, RATE_CONTROLLERS};
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
    /// The values of a choice.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub choices: &'static [&'static str],
    /// What it means, then where its default comes from: whole sentences.
    pub why: &'static str,
    /// The engine's data omit it at its default: the first choice, true, no time, or none.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub implicit: bool,
    /// A scenario file may also say `auto`, and does so where it says nothing: the other parts of the scenario decide. The first two
    /// words may be written as false and true.
    #[serde(skip)]
    pub decided: bool,
    /// The setting has an effect only if one of these other settings has this value; empty: it always has an effect.
    #[serde(skip)]
    pub only_with: Conditions,
}

impl SettingInfo {
    const fn only_with(self, conditions: Conditions) -> Self {
        SettingInfo { only_with: conditions, ..self }
    }

    /// The recoveries that read it, `none` for rate-based flows and `endpoint` for the whole endpoints of plug-ins. A setting that recoveries list as their own is read by
    /// these alone; any other is read by every recovery that does not ignore it.
    pub fn read_by(&self) -> Vec<&'static str> {
        let own = |row: &RecoveryInfo| row.own_settings.contains(&self.name);
        let everybody = !RECOVERIES.iter().any(own);
        let reads = |row: &&RecoveryInfo| own(row) || everybody && !row.ignores.contains(&self.name);
        let mut readers: Vec<_> = RECOVERIES.iter().filter(reads).map(|row| row.name).collect();
        if rate::SETTINGS.contains(&self.name) {
            readers.push("none");
        }
        if whole::SETTINGS.contains(&self.name) {
            readers.push("endpoint");
        }
        readers
    }
}

/// Conditions as plain data: a table such as `{"delayed_ack": true}` for each.
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
    SettingInfo { name, kind, accepted, choices: &[], why, implicit: false, decided: false, only_with: &[] }
}

const fn choice(name: &'static str, choices: &'static [&'static str], why: &'static str) -> SettingInfo {
    SettingInfo { choices, ..setting(name, "choice", "one of the choices", why) }
}

/// A choice that the engine's data omit at its default, the first one.
const fn later_choice(
    name: &'static str,
    choices: &'static [&'static str],
    why: &'static str,
) -> SettingInfo {
    later(choice(name, choices, why))
}

/// A setting that the engine's data omit at its default.
const fn later(setting: SettingInfo) -> SettingInfo {
    SettingInfo { implicit: true, ..setting }
}

/// The word for what is decided by the rest of a scenario.
pub const AUTO: &str = "auto";

/// Every TCP setting; defaults are those of [`TcpSpec`].
pub const TCP: &[SettingInfo] = &[
    setting(
        "initial_window",
        "real",
        "at least 1 packet",
        "Window at the start of a connection, in packets. Default: RFC 6928 §2, for packets of any size, as in Linux.",
    ),
    setting(
        "initial_rto",
        "span",
        "a positive time",
        "Retransmission timeout before the first round-trip sample. Default: RFC 6298 §2.1.",
    ),
    setting(
        "min_rto",
        "span",
        "a positive time",
        "Lower bound of the retransmission timeout. Default: Linux; RFC 6298 §2.4 says 1 s.",
    ),
    setting(
        "max_rto",
        "span",
        "at least min_rto",
        "Upper bound of the retransmission timeout. Default: RFC 6298 §2.5.",
    ),
    setting(
        "timer_tick",
        "span",
        "a time; 0 is an exact clock",
        "Tick of the clock that measures round trips (RFC 6298 §4). Default: exact; ns-2 used 10 or 100 ms.",
    ),
    setting(
        "limited_transmit",
        "flag",
        "true or false",
        "Each of the first two duplicate acknowledgements sends a new packet. Default: RFC 3042.",
    ),
    setting(
        "delayed_ack",
        "flag",
        "true or false",
        "The receiver delays acknowledgements. Default: one acknowledgement per packet, as in the four studies.",
    ),
    setting(
        "delayed_ack_timeout",
        "span",
        "a positive time",
        "Longest delay of an acknowledgement. Default: ns-3; RFC 5681 §4.2 allows up to 500 ms.",
    )
    .only_with(&[("delayed_ack", "true")]),
    choice(
        "slow_start_exit",
        &["half", "law"],
        "How a loss in slow start cuts the window: to half, or by the controller's own law. Default: ns-2 halves, \
         because doubling overshoots by up to a factor of two.",
    ),
    choice(
        "timeout_threshold",
        &["half", "law"],
        "Slow-start threshold after a timeout: half the window, or what the controller's own decrease leaves. \
         Default: RFC 5681 §3.1 and ns-2.",
    )
    .only_with(&[("rto_cuts", "true")]),
    choice(
        "window_arithmetic",
        &["real", "integer"],
        "A decrease keeps fractions of a packet (real) or truncates them (integer). Default: the papers' laws are \
         real; ns-2 of 2000–2002 truncated.",
    ),
    setting(
        "reno_recover_test",
        "flag",
        "true or false",
        "Duplicate acknowledgements below the recovery point start no fast retransmit. Default: RFC 6582 §3.2 and ns-2.",
    ),
    choice(
        "sack_pipe",
        &["conservative", "rfc6675", "counted"],
        "What pipe counts: packets with those that are lost (conservative), without them (rfc6675), or by arrivals without a scoreboard, \
         as in ns-2 (counted). Default: FallFloyd96.",
    )
    .only_with(&[("prr", "off")]),
    choice(
        "sack_timeout",
        &["resend", "skip"],
        "What a timeout retransmits: everything (resend), or all but packets SACKed since (skip, RFC 6675 §5.1). Default: ns-2's Sack1.",
    ),
    setting(
        "rto_cuts",
        "flag",
        "true or false",
        "A timeout cuts the window; false separates the cut from the silence. Default: RFC 5681 §3.1.",
    ),
    SettingInfo {
        decided: true,
        ..choice(
            "ecn",
            Ecn::WORDS,
            "ECN: off, with an echo of marks (classic, RFC 3168), with counts of marked packets (accurate, RFC 9768), or with counts \
             and ECT(1) (l4s, RFC 9331). Default: what the controller needs, or else classic where the queue marks.",
        )
    },
    setting(
        "receive_window",
        "count",
        "at least 1 packet; if absent, no limit",
        "Most packets that the receiver accepts beyond its cumulative acknowledgement. Default: the receiver does not limit the flow.",
    ),
    setting(
        "initial_ssthresh",
        "real",
        "at least 1 packet; if absent, no threshold",
        "Slow-start threshold at the start of a connection, in packets. Default: RFC 5681 §3.1, arbitrarily high.",
    ),
    later_choice(
        "rtt_samples",
        &["round", "every"],
        "Round-trip samples: one per round trip, or one from every packet that was sent once, as in Linux. Default: RFC 6298 §3.",
    ),
    later_choice(
        "pacing",
        &["off", "on"],
        "Packets are spread over the round trip as in Linux: 2 windows per round trip below half the slow-start \
         threshold, 1.2 above (RFC 9002 §7.7). Default: the four studies are unpaced.",
    ),
    later_choice(
        "rto",
        &["rfc6298", "linux"],
        "Retransmission timeout: SRTT + 4 RTTVAR and at least min_rto, or SRTT + max(min_rto, 4 RTTVAR) as in Linux. \
         Default: RFC 6298 §2.",
    ),
    later_choice(
        "prr",
        &["off", "rfc9937", "rfc6937-ssrb", "rfc6937-crb"],
        "Proportional rate reduction: fast recovery spreads the cut over a round trip (RFC 9937, or RFC 6937 with either of its \
         bounds). Default: the four studies have none.",
    ),
    later(setting(
        "timestamps",
        "flag",
        "true or false",
        "Acknowledgements echo a timestamp (RFC 7323), which shows whether a retransmission was needed. Default: Linux.",
    )),
    later(setting(
        "ack_every",
        "count",
        "at least 1 packet; if absent, 1, or 2 where delayed_ack = true",
        "The receiver acknowledges every n-th packet, or earlier after delayed_ack_timeout; 2 is the same as delayed_ack = true. Default: \
         one acknowledgement per packet, as in the four studies.",
    )),
    later(setting(
        "ack_aggregation",
        "span",
        "a time; 0 holds nothing",
        "Acknowledgements wait for up to this time and leave together, as on a radio link. Default: none does.",
    )),
    later_choice(
        "slow_start",
        &["standard", "hystart++", "hystart", "hystart-train", "hystart-delay"],
        "When slow start ends without congestion: never (standard), when round trips get longer (hystart++, RFC 9406), as in Linux also \
         after a train of acknowledgements (hystart, HaRhee11), or for one of these two signs alone. Default: RFC 5681 §3.1.",
    ),
    later(setting(
        "ecn_beta",
        "real",
        "more than 0 and at most 1; if absent, what the controller's own decrease leaves",
        "What a mark leaves of the window in congestion avoidance (RFC 8511: 0.8, beside CUBIC 0.85). Default: RFC 3168 §6.1.2, a mark is a loss.",
    ))
    .only_with(&[("ecn", "classic"), ("ecn", "accurate"), ("ecn", "l4s")]),
    later_choice(
        "idle",
        &["keep", "rfc5681", "rfc7661"],
        "What happens to a window that is not used: it stays (keep), it becomes the initial window after an idle time above the timeout \
         (rfc5681, §4.1), or it is kept, paced, and cut to what was used (rfc7661). Default: the four studies have no such flows.",
    ),
    later_choice(
        "undo",
        &["rfc", "linux"],
        "What happens after a cut that proves unnecessary: what the source of the law says (RFC 9438 §4.9; many say nothing), or, for \
         every law, window and threshold are restored, as in Linux. Default: the RFCs.",
    ),
    later_choice(
        "reordering_window",
        &["rfc8985", "linux", "static"],
        "What counts as reordering and widens the window of RACK: packets sent once that come late, and DSACKs (rfc8985); also the \
         timestamp of the original of a retransmitted packet (linux); or the latter with a window that is always a quarter of the least \
         round trip (static, tcp_recovery 3 of Linux). Default: RFC 8985 §6.2.",
    ),
    later(setting(
        "prr_marks",
        "flag",
        "true or false",
        "The cut after a mark is spread over a round trip like that after a loss, as in Linux; false: it takes effect at once. Default: \
         RFC 9937 §6.1 is about losses.",
    ))
    .only_with(&[("ecn", "classic"), ("ecn", "accurate"), ("ecn", "l4s")]),
    later(setting(
        "tail_probe",
        "flag",
        "true or false",
        "A probe is sent when nothing has been heard for two round trips; false: the timer repairs tails, as in Linux with \
         tcp_early_retrans 0. Default: RFC 8985 §7.",
    )),
    later(setting(
        "max_ack_delay",
        "span",
        "a time",
        "Smallest delay of the acknowledgement of a single packet that the sender allows for before it sends a probe (RFC 8985 §7.2); \
         Linux takes 200 ms. Default: the time by which the receiver delays acknowledgements.",
    ))
    .only_with(&[("tail_probe", "true")]),
    later_choice(
        "timers",
        &["exact", "linux"],
        "Timers expire when they are due, or as in Linux: in steps of 4 ms, of 32 ms from 252 ms on, and 2 ms later for probes and the \
         reordering window. Default: the RFCs.",
    ),
    later_choice(
        "application_limit",
        &["rfc9438", "linux"],
        "When a window that is not full may grow: never (rfc9438, §5.8), or as in Linux: if it was full before, in the same window of data, \
         and in slow start up to twice what was in flight. Default: RFC 9438 §5.8.",
    ),
    later_choice(
        "rtt_ticks",
        &["up", "counted"],
        "How a round trip becomes ticks of timer_tick: rounded up, or as many as a clock of the sender's own makes between sending and \
         acknowledgement, as in BSD and ns-2 (counted). Default: a coarse clock must not shorten the timeout.",
    ),
];

/// Settings of window laws and of what a window law needs: a controller with a model of the path reads none of them.
pub const OF_WINDOW_LAWS: &[&str] = &[
    "slow_start_exit",
    "timeout_threshold",
    "window_arithmetic",
    "rto_cuts",
    "initial_ssthresh",
    "pacing",
    "prr",
    "slow_start",
    "ecn_beta",
    "idle",
    "undo",
    "prr_marks",
    "application_limit",
];

fn span_text(nanos: u64) -> String {
    if nanos.is_multiple_of(1_000_000_000) {
        format!("{} s", nanos / 1_000_000_000)
    } else {
        format!("{} ms", nanos as f64 / 1e6)
    }
}

/// A queue depth as a scenario file writes it.
fn depth_text(depth: &Value) -> Value {
    match (depth["packets"].as_u64(), depth["ns"].as_u64()) {
        (Some(packets), _) => format!("{packets} packets").into(),
        (_, Some(nanos)) => span_text(nanos).into(),
        _ => unreachable!("a depth is in packets or in time: {depth}"),
    }
}

/// A row of the table of disciplines, with the defaults of its parameters from its [`QueueSpec`].
fn discipline(row: &DisciplineInfo) -> Value {
    let spec: QueueSpec = serde_json::from_value(json!({ "kind": row.name, "packets": 1 }))
        .expect("every discipline has a limit and defaults for the rest");
    let defaults = serde_json::to_value(&spec).expect("plain data");
    let mut value = serde_json::to_value(row).expect("plain data");
    value["knows_departures_ahead"] = spec.knows_departures_ahead().into();
    for (info, parameter) in
        row.parameters.iter().zip(value["parameters"].as_array_mut().into_iter().flatten())
    {
        let default = &defaults[info.key()];
        parameter["only_with"] = conditions(info.only_with);
        parameter["default"] = match info.kind {
            "size" => format!("{default} B").into(),
            "depth" => depth_text(default),
            "span" => default.as_u64().map(span_text).into(),
            "choice" if info.implicit => info.choices[0].into(),
            _ => default.clone(),
        };
    }
    value
}

/// A constructor with what its controllers answer with and need.
fn controller(row: &ConstructorInfo, properties: Properties, family: &str) -> Value {
    let mut value = serde_json::to_value(row).expect("plain data");
    value["properties"] = serde_json::to_value(properties).expect("plain data");
    value["rate_based"] = (!properties.window).into();
    value["form"] = row.form().into();
    value["family"] = family.into();
    value["defaults"] = row.defaults().iter().map(|&(name, word)| (name, word)).collect();
    for parameter in value["parameters"].as_array_mut().into_iter().flatten() {
        let whole = if parameter["whole"] == true { ", whole" } else { "" };
        parameter["accepted"] = format!("{} to {}{whole}", parameter["min"], parameter["max"]).into();
    }
    value
}

/// A row of the table of recoveries, and whether it knows what became of each packet.
fn recovery(info: &RecoveryInfo) -> Value {
    let mut row = serde_json::to_value(info).expect("plain data");
    row["keeps_records"] = info.serves(Properties::MODEL).into();
    row
}

/// All descriptions as plain data; a controller of a plug-in says the SHA-256 of its file.
pub fn describe(plugins: &Plugins) -> Value {
    let defaults = serde_json::to_value(TcpSpec::default()).expect("plain data");
    let tcp: Vec<Value> = TCP
        .iter()
        .map(|setting| {
            let mut row = serde_json::to_value(setting).expect("plain data");
            row["default"] = match setting.kind {
                "span" => {
                    let nanos = defaults[format!("{}_ns", setting.name)].as_u64();
                    nanos.or(setting.implicit.then_some(0)).map(span_text).into()
                }
                _ if setting.decided => AUTO.into(),
                _ if setting.implicit && setting.kind == "choice" => setting.choices[0].into(),
                "flag" if setting.implicit => {
                    let TcpSpec { timestamps, prr_marks, tail_probe, .. } = TcpSpec::default();
                    let flags =
                        json!({ "timestamps": timestamps, "prr_marks": prr_marks, "tail_probe": tail_probe });
                    flags[setting.name].clone()
                }
                _ => defaults.get(setting.name).cloned().unwrap_or_default(),
            };
            if setting.decided {
                row["flags"] = setting.choices[..2].into();
                row["choices"].as_array_mut().expect("a choice has words").insert(0, AUTO.into());
            }
            row["read_by"] = setting.read_by().into();
            row["only_with"] = conditions(setting.only_with);
            row["of_window_laws"] = OF_WINDOW_LAWS.contains(&setting.name).into();
            row
        })
        .collect();
    let controllers: Vec<Value> = CONTROLLERS
        .iter()
        .chain(RATE_CONTROLLERS)
        .map(|row| controller(row, row.properties(), row.family()))
        .chain(plugins.iter().map(|plugin| {
            let mut row = controller(plugin.info(), plugin.properties(), PLUGIN_FAMILY);
            row["plugin"] = plugin.file().into();
            row
        }))
        .collect();
    json!({
        "controllers": controllers,
        "delay_shares": DELAY_SHARES,
        "recoveries": RECOVERIES.iter().map(recovery).collect::<Vec<_>>(),
        "disciplines": DISCIPLINES.iter().map(discipline).collect::<Vec<_>>(),
        "tcp": tcp,
        "series": SERIES,
        "behaviour": identity::all_behaviour(),
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
            let stands = row.parameters.iter().filter(|parameter| !parameter.implicit);
            let mut keys: Vec<String> = stands.map(|parameter| parameter.key()).collect();
            keys.extend(["kind", "packets", "bytes"].map(String::from));
            let mut fields: Vec<String> = spec.as_object().unwrap().keys().cloned().collect();
            keys.sort_unstable();
            fields.sort_unstable();
            assert_eq!(keys, fields, "{}: the table and the QueueSpec list the same parameters", row.name);
            for parameter in described["parameters"].as_array().unwrap() {
                let default = &parameter["default"];
                assert_eq!(default.is_null(), parameter["optional"] == true, "{}: {parameter}", row.name);
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
        let described = describe(&Plugins::NONE);
        for row in TCP.iter().filter(|row| row.implicit && row.kind == "choice") {
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
