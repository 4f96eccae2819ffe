//! Grids of small networks as text: whole packets, so that a change of behaviour shows where and how much.
//!
//! `INSTA_UPDATE=always cargo test -p sawtooth-sim --test engine grids::` writes them anew; the changelog then says why.

use sawtooth_cc::parse_controller;
use sawtooth_networks::networks::{SECOND, dumbbell, profile};
use sawtooth_sim::records::FlowRecord;
use sawtooth_sim::run;
use sawtooth_sim::scenario::{ImpairmentSpec, Profile, Scenario};
use sawtooth_sim::tcp::{RECOVERIES, SackPipe};
use std::fmt::Write;

/// One number of a flow.
type Number = fn(&FlowRecord) -> u64;

/// What a grid shows of each cell: the sum over its flows.
const SHOWN: [(&str, Number); 4] = [
    ("delivered", |flow| flow.delivered_unique),
    ("loss events", |flow| flow.loss_events),
    ("timeouts", |flow| flow.timeouts),
    ("retransmits", |flow| flow.retransmits),
];

/// One table per number, a row per first coordinate, a column per second.
fn grid<R, C>(rows: &[(String, R)], columns: &[(String, C)], cell: impl Fn(&R, &C) -> Scenario) -> String {
    let cells: Vec<Vec<Vec<FlowRecord>>> = rows
        .iter()
        .map(|(_, row)| columns.iter().map(|(_, column)| run(&cell(row, column)).unwrap().flows).collect())
        .collect();
    let mut text = String::new();
    for (title, number) in SHOWN {
        write!(text, "{title:22}").unwrap();
        columns.iter().for_each(|(name, _)| write!(text, "{name:>16}").unwrap());
        text.push('\n');
        for ((name, _), row) in rows.iter().zip(&cells) {
            write!(text, "  {name:20}").unwrap();
            row.iter()
                .for_each(|flows| write!(text, "{:16}", flows.iter().map(number).sum::<u64>()).unwrap());
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

fn check(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// A golden for each recovery, so that a new one moves none.
fn check_recoveries<R>(
    name: &str,
    rows: &[(String, R)],
    controller: &str,
    cell: impl Fn(&R, &Profile) -> Scenario,
) {
    for (recovery, endpoints) in recoveries(controller) {
        let file = format!("{name}@{}", recovery.to_lowercase().replace(", ", "_").replace(' ', ""));
        check(&file, &grid(rows, &[(recovery, endpoints)], &cell));
    }
}

#[test]
fn buffer_by_loss() {
    let rows: Vec<(String, Option<ImpairmentSpec>)> = vec![
        ("no loss".to_owned(), None),
        ("every 1000th".to_owned(), Some(ImpairmentSpec::Periodic { n: 1000 })),
        ("every 100th".to_owned(), Some(ImpairmentSpec::Periodic { n: 100 })),
        ("bernoulli 0.001".to_owned(), Some(ImpairmentSpec::Bernoulli { p: 0.001 })),
        ("bernoulli 0.01".to_owned(), Some(ImpairmentSpec::Bernoulli { p: 0.01 })),
        ("bernoulli 0.1".to_owned(), Some(ImpairmentSpec::Bernoulli { p: 0.1 })),
    ];
    // 40 ms of 10 Mbit/s hold 50 packets of 1000 bytes.
    let columns: Vec<(String, u64)> =
        [5, 12, 25, 50, 200].map(|packets| (format!("{packets} packets"), packets)).into();
    let text = grid(&rows, &columns, |loss, &buffer| {
        let mut scenario = dumbbell(1, buffer, profile("aimd(1, 0.5)", "sack"), 10 * SECOND);
        scenario.links[0].drop.clone_from(loss);
        scenario
    });
    check("buffer_by_loss", &text);
}

/// Every recovery of the table, and the two variants that are settings.
fn recoveries(controller: &str) -> Vec<(String, Profile)> {
    let mut columns: Vec<(String, Profile)> =
        RECOVERIES.iter().map(|row| (row.name.to_owned(), profile(controller, row.name))).collect();
    let mut variant = profile(controller, "reno");
    variant.tcp.reno_recover_test = false;
    columns.push(("reno, RFC 5681".to_owned(), variant));
    let mut variant = profile(controller, "sack");
    variant.tcp.sack_pipe = SackPipe::Rfc6675;
    columns.push(("sack, RFC 6675".to_owned(), variant));
    for (_, endpoints) in &mut columns {
        endpoints.send_jitter_ns = 800_000; // one packet of the bottleneck, against phase effects [FloydJacobson92]
    }
    columns
}

#[test]
fn flows_by_recovery() {
    let rows: Vec<(String, u32)> = [1, 2, 4, 8, 16].map(|flows| (format!("{flows} flows"), flows)).into();
    check_recoveries("flows_by_recovery", &rows, "aimd(1, 0.5)", |&flows, endpoints| {
        dumbbell(flows, 50, endpoints.clone(), 10 * SECOND)
    });
}

#[test]
fn overshoot_by_recovery() {
    // One flow leaves its first slow start with up to half of a window lost: what each recovery makes of it.
    let rows: Vec<(String, u64)> =
        [12, 50, 200, 800].map(|packets| (format!("{packets} packets"), packets)).into();
    check_recoveries("overshoot_by_recovery", &rows, "aimd(1, 0.5)", |&buffer, endpoints| {
        dumbbell(1, buffer, endpoints.clone(), 10 * SECOND)
    });
}

#[test]
fn controller_by_recovery() {
    let rows: Vec<(String, &str)> = [
        "aimd(1, 0.5)",
        "aimd(1, 0.8)",
        "aiad(1, 3)",
        "mimd(1.125, 0.8)",
        "miad(1.125, 3)",
        "aimad",
        "maimd",
    ]
    .map(|control| (control.to_owned(), control))
    .into();
    check_recoveries("controller_by_recovery", &rows, "aimd(1, 0.5)", |control, endpoints| {
        let controller = parse_controller(control).unwrap();
        dumbbell(4, 50, Profile { controller, ..endpoints.clone() }, 10 * SECOND)
    });
}
