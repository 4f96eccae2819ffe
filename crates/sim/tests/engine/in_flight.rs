//! Nothing leaves while as much is in flight as the window allows: every law of the table, at every packet that it sends, in random
//! networks with losses, marks, cross traffic and flows of any length.
//!
//! A plug-in carries out the law of the table and looks on. The window is the sum of all bounds of a law: for `bbr` it is the least of
//! `max_inflight` and both bounds (`BoundCwndForModel`). What specifications let go beyond it is counted: a probe for lost tails (RFC 8985
//! §7.3, RFC 9002 §7.5), and the first packet that a loss event repairs (RFC 9937 §6.2, RFC 9002 §7.3.2). After a cut, proportional rate
//! reduction lets what is in flight fall to the window of a law; then the bound is what was in flight when it cut.
//!
//! `PROPTEST_CASES=500 cargo test --release -p sawtooth-sim --test engine in_flight::` draws so many fresh cases per combination.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use sawtooth_cc::plugin::{Answers, Call, Outcome, Plugin, PluginController, unnamed};
use sawtooth_cc::{
    AnyController, CONTROLLERS, ConstructorInfo, ControlSettings, Controller, ControllerSpec, IdleRule,
    Plugins, Properties, SlowStartKind, Wants,
};
use sawtooth_networks::networks::{SECOND, dumbbell, profile};
use sawtooth_networks::random_networks::{Entries, any_network};
use sawtooth_networks::random_runs::hold;
use sawtooth_sim::queue::DISCIPLINES;
use sawtooth_sim::run;
use sawtooth_sim::scenario::Scenario;
use sawtooth_sim::tcp::{RECOVERIES, RecoveryInfo};
use std::sync::{Arc, Mutex};

/// Cases per combination of recovery, law and discipline.
const CASES: u32 = 8;
/// RFC 9002 §7.2: the least window that a sender over QUIC's recovery goes by, in packets.
const QUIC_LEAST: u64 = 2;

/// What was seen of the packets of all flows of a run.
#[derive(Clone, Debug, Default)]
struct Seen {
    packets: u64,
    /// Packets after which as much was in flight as the window allows.
    full: u64,
    /// Packets that left above the window while it was no cut that they waited for: what was in flight, and the window.
    beyond: Vec<(u64, u64)>,
}

/// `watched`: a law of the table under another name, and who looks on.
#[derive(Debug)]
struct Watched {
    info: ConstructorInfo,
    spec: ControllerSpec,
    least: u64,
    /// Proportional rate reduction may answer for its cuts.
    spread: bool,
    seen: Arc<Mutex<Seen>>,
}

impl Plugin for Watched {
    fn info(&self) -> &ConstructorInfo {
        &self.info
    }

    fn file(&self) -> &str {
        "00"
    }

    fn properties(&self) -> Properties {
        self.spec.properties()
    }

    fn wants(&self) -> Wants {
        let settings = ControlSettings { random: Some([7; 32]), ..ControlSettings::default() };
        Wants { packets: true, ..AnyController::new(&self.spec, &settings).wants() }
    }

    fn create(&self, _: &[f64], settings: &ControlSettings) -> Result<Box<dyn PluginController>, Box<str>> {
        let settings = ControlSettings { random: settings.random.or(Some([7; 32])), ..*settings };
        Ok(Box::new(Watch {
            law: AnyController::new(&self.spec, &settings),
            packet: settings.packet.count(),
            least: self.least,
            spread: self.spread,
            in_flight: 0,
            falling_from: None,
            seen: Arc::clone(&self.seen),
        }))
    }
}

/// One flow's law, and what is in flight.
#[derive(Clone, Debug)]
struct Watch {
    law: AnyController,
    packet: u64,
    least: u64,
    spread: bool,
    in_flight: u64,
    /// What was in flight when the window was last cut, until as little is in flight as the window allows.
    falling_from: Option<u64>,
    seen: Arc<Mutex<Seen>>,
}

impl Watch {
    fn sees_sent(&mut self, in_flight: u64) {
        let window = (self.law.window().packets() as u64).max(self.least) * self.packet;
        let mut seen = self.seen.lock().expect("nobody panics while looking");
        seen.packets += 1;
        self.in_flight = in_flight;
        if in_flight <= window {
            self.falling_from = None;
            seen.full += u64::from(in_flight + self.packet > window);
        } else if self.falling_from.is_none_or(|before| in_flight > before) {
            seen.beyond.push((in_flight, window));
        }
    }
}

impl PluginController for Watch {
    fn call(&mut self, call: Call<'_>, answers: &mut Answers) -> Outcome {
        match call {
            Call::Sent(packet) => {
                self.sees_sent(packet.in_flight.count());
                self.law.on_sent(packet);
            }
            Call::Ack(ack) => {
                self.in_flight = ack.in_flight_before.count();
                self.law.on_ack(ack);
            }
            Call::Lost(packet) => self.law.on_lost(packet),
            Call::Congestion(signal) => {
                self.falling_from = self.spread.then_some(self.in_flight);
                self.law.on_congestion(signal);
            }
            Call::Undo(signal) => self.law.on_undo(signal),
            Call::Idle(signal) => self.law.on_idle(signal),
            Call::Recovery(signal) => self.law.on_recovery(signal),
            Call::Round(now) => self.law.on_round(now),
        }
        self.answers(answers)
    }

    fn answers(&self, answers: &mut Answers) -> Outcome {
        answers.window = self.law.window().packets();
        answers.slow_start_threshold = self.law.slow_start_threshold().packets();
        answers.pacing_rate = self.law.pacing_rate().map_or(0.0, |rate| rate.bits_per_second() as f64);
        answers.send_quantum = self.law.send_quantum().count();
        answers.mark_application_limited = self.law.mark_application_limited();
        Ok(())
    }

    fn copy(&self) -> Result<Box<dyn PluginController>, Box<str>> {
        Ok(Box::new(self.clone()))
    }
}

/// The same scenario with its first profile's law watched, and what will have been seen.
fn watched(scenario: &Scenario, recovery: &RecoveryInfo) -> (Scenario, Arc<Mutex<Seen>>) {
    let mut scenario = Scenario { warmup_ns: 0, ..scenario.clone() };
    let profile = &mut scenario.profiles[0];
    let (seen, conduct) = (Arc::default(), profile.controller.properties().conduct);
    let plugin = Watched {
        info: ConstructorInfo {
            name: "watched",
            aliases: &[],
            summary: "a law of the table",
            source: "none",
            parameters: &[],
            build: unnamed,
        },
        spec: profile.controller.clone(),
        least: if recovery.name == "quic" { QUIC_LEAST } else { 1 },
        spread: conduct && recovery.own_settings.contains(&"prr"),
        seen: Arc::clone(&seen),
    };
    let mut plugins = Plugins::default();
    plugins.add(Box::leak(Box::new(plugin))).expect("a name that the table has not");
    profile.controller = plugins.parse("watched").expect("it has just been added");
    (profile.tcp.slow_start, profile.tcp.idle) = (SlowStartKind::Standard, IdleRule::Keep);
    (scenario, seen)
}

/// What is sent above the window is no more than what specifications excuse, one by one.
fn stays_within_its_window(scenario: &Scenario, recovery: &RecoveryInfo) -> Result<Seen, TestCaseError> {
    let (scenario, seen) = watched(scenario, recovery);
    let records = run(&scenario).expect("random networks pass the check");
    let seen = seen.lock().expect("the run is over").clone();
    let count = |of: fn(&sawtooth_sim::records::FlowRecord) -> u64| records.flows.iter().map(of).sum::<u64>();
    prop_assert_eq!(seen.packets, count(|flow| flow.sent), "every packet was seen");
    let excused = count(|flow| flow.tail_probes + flow.loss_events + flow.timeouts);
    prop_assert!(
        seen.beyond.len() as u64 <= excused,
        "{} beyond the window, {excused} excused: {:?}",
        seen.beyond.len(),
        seen.beyond
    );
    Ok(seen)
}

/// The recoveries of today's senders.
fn recoveries() -> impl Iterator<Item = &'static RecoveryInfo> {
    RECOVERIES.iter().filter(|row| ["rack", "quic"].contains(&row.name))
}

#[test]
fn nothing_leaves_above_the_window_in_any_network() {
    for recovery in recoveries() {
        for discipline in DISCIPLINES {
            for controller in CONTROLLERS.iter().filter(|row| recovery.serves(row.properties())) {
                let entries = Entries { recovery: Some(recovery), controller, discipline };
                hold(entries, CASES, any_network(entries), |network| {
                    stays_within_its_window(&network.0, recovery).map(drop)
                });
            }
        }
    }
}

/// Laws that fill a queue, or keep some packets in it.
const LAWS: [&str; 9] =
    ["aimd(1, 0.5)", "cubic", "bbr", "bbr-1", "copa", "dctcp", "prague", "vegas", "ledbat"];

#[test]
fn flows_that_share_a_queue_keep_to_their_windows_and_use_them() {
    for recovery in recoveries() {
        for law in LAWS {
            let three = dumbbell(3, 30, profile(law, recovery.name), 20 * SECOND);
            let seen = stays_within_its_window(&three, recovery)
                .unwrap_or_else(|error| panic!("{} × {law}: {error}", recovery.name));
            assert!(seen.full > 0, "{} × {law}: the window never limits", recovery.name);
        }
    }
}
