//! A controller behind the interface in C does what its law does, and what goes wrong in it becomes a message.

mod aimd;

use aimd::{Aimd, from, mine};
use sawtooth_cc::plugin::PluginFault;
use sawtooth_cc::units::{Bytes, Span, Time, Window};
use sawtooth_cc::{
    AckSample, AnyController, Congestion, CongestionSignal, ControlSettings, Controller as _, DeliveryRate,
    IdleSignal, LostPacket, Recovery, RecoverySignal, RoundTripTimes, Rounds, SentPacket, Stepping,
    UndoSignal, WindowOfData, parse_controller,
};
use sawtooth_host::{LoadError, PLUGIN_SOURCES, load, plugins};
use sawtooth_plugin::{Controller, Description, Parameter, Wants, abi, export};
use sawtooth_sim::Scenario;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

fn at(millis: u64) -> Time {
    Time::ZERO + Span::from_millis(millis)
}

#[test]
fn every_signal_does_what_it_does_to_the_built_in_law() {
    use Congestion::{EcnMark, Loss, LossRestart, PersistentCongestion, Timeout};
    let kinds = [
        Loss,
        EcnMark,
        LossRestart { repeated: false },
        LossRestart { repeated: true },
        Timeout { repeated: false },
        Timeout { repeated: true },
        PersistentCongestion,
    ];
    let settings =
        ControlSettings { initial_window: Window::from_packets(8.0), ..ControlSettings::default() };
    for kind in kinds {
        let mut own = AnyController::new(&parse_controller("aimd(2, 0.7)").unwrap(), &settings);
        let mut guest = AnyController::new(&mine().parse("mine(2, 0.7)").unwrap(), &settings);
        for step in 0..200 {
            for control in [&mut own, &mut guest] {
                let rtt = Some(Span::from_millis(20));
                control.on_ack(&AckSample::classic(at(step), 1 + step as u32 % 2, rtt, step % 7 != 0));
                if step % 40 == 20 {
                    control.on_congestion(&CongestionSignal::new(at(step), kind));
                }
            }
            assert_eq!(own.window(), guest.window(), "{kind:?}");
            assert_eq!(own.slow_start_threshold(), guest.slow_start_threshold(), "{kind:?}");
        }
    }
}

#[test]
fn a_run_and_the_synchronous_model_give_the_same_bytes() {
    let mut scenario = Scenario::from_json(include_str!("../../sim/examples/one_flow.json")).unwrap();
    let mut digest = |spec| {
        scenario.profiles[0].controller = spec;
        sawtooth_sim::run(&scenario).unwrap().digest()
    };
    assert_eq!(
        digest(mine().parse("mine(1, 0.8)").unwrap()),
        digest(parse_controller("aimd(1, 0.8)").unwrap())
    );
    let windows = |spec: sawtooth_cc::ControllerSpec| {
        let mut rounds = Rounds::new(&[(spec.clone(), 2.0), (spec, 3.0)], 20.0, Stepping::Whole);
        (0..30).for_each(|_| assert!(rounds.step() || rounds.load() > 0.0));
        rounds.windows().collect::<Vec<_>>()
    };
    assert_eq!(windows(mine().parse("mine").unwrap()), windows(parse_controller("aimd(1, 0.5)").unwrap()));
}

/// Writes down what it is told.
#[derive(Clone)]
struct Listener {
    heard: u64,
}

impl Controller for Listener {
    const DESCRIPTION: Description = Description {
        name: "listener",
        summary: "hears everything",
        source: "none",
        wants: Wants { packets: true, rates: true, rounds: true, recovery: true },
        paces: true,
        draws: true,
        ..Description::NOTHING
    };

    fn new(numbers: &[f64], settings: &sawtooth_plugin::Settings) -> Self {
        assert!(numbers.is_empty());
        assert_eq!(settings.random, [0x0706_0504_0302_0100, 0, 0, 0]);
        assert_eq!((settings.packet, settings.initial_threshold), (1200, 33.0));
        Listener { heard: 1 }
    }

    fn on_ack(&mut self, ack: &sawtooth_plugin::Ack) {
        let rate = ack.rate_sample().expect("a sample");
        assert_eq!(
            (rate.delivered, rate.interval_ns, rate.lost, rate.app_limited),
            (5000, 10_000_000, 1000, true)
        );
        assert_eq!(rate.bits_per_second(), Some(4e6));
        assert_eq!((ack.now_ns, ack.newly_acked), (7_000_000, 2));
        assert_eq!((ack.ce_marked, ack.newly_marked), (3, 3000));
        assert_eq!((ack.delivered, ack.newly_delivered, ack.newly_lost), (6000, 2000, 1000));
        assert_eq!((ack.in_flight_before, ack.in_flight_after), (9000, 7000));
        let rtts = [ack.latest_rtt(), ack.minimum_rtt(), ack.smoothed_rtt(), ack.newest_rtt()];
        assert_eq!(rtts.map(|rtt| rtt.map(|rtt| rtt.as_millis())), [None, Some(9), Some(11), Some(10)]);
        assert!(ack.round_ended && ack.in_recovery && !ack.cwnd_limited);
        self.heard += 10;
    }

    fn on_congestion(&mut self, signal: &sawtooth_plugin::Congestion) {
        assert_eq!((signal.now_ns, signal.window_of_data, signal.repeated), (8_000_000, 17, true));
        assert_eq!(signal.kind, sawtooth_plugin::CongestionKind::Timeout);
        self.heard += 100;
    }

    fn on_sent(&mut self, packet: &sawtooth_plugin::Packet) {
        assert_eq!((packet.sent_at_ns, packet.size, packet.delivered), (5_000_000, 1200, 4000));
        assert_eq!((packet.delivered_at_ns, packet.first_sent_at_ns), (4_000_000, 3_000_000));
        assert_eq!(
            (packet.in_flight, packet.lost, packet.times_sent, packet.app_limited),
            (2400, 600, 2, true)
        );
        self.heard += 1_000;
    }

    fn on_lost(&mut self, now_ns: u64, packet: &sawtooth_plugin::Packet, lost: u64) {
        assert_eq!((now_ns, packet.size, lost), (6_000_000, 1200, 1800));
        self.heard += 10_000;
    }

    fn on_undo(&mut self, undo: &sawtooth_plugin::Undo) {
        assert_eq!((undo.signal.now_ns, undo.signal.window_of_data), (9_000_000, 18));
        assert_eq!((undo.in_flight, undo.newly_delivered), (3000, 500));
        self.heard += 100_000;
    }

    fn on_idle(&mut self, now_ns: u64, since_ns: u64) {
        assert_eq!((now_ns, since_ns), (20_000_000, 15_000_000));
        self.heard += 1_000_000;
    }

    fn on_recovery(&mut self, now_ns: u64, entered: bool, in_flight: u64) {
        assert_eq!((now_ns, entered, in_flight), (21_000_000, true, 4000));
        self.heard += 10_000_000;
    }

    fn window(&self) -> f64 {
        self.heard as f64
    }

    fn slow_start_threshold(&self) -> f64 {
        3.0
    }

    fn pacing_rate(&self) -> Option<f64> {
        Some(1e6)
    }

    fn send_quantum(&self) -> u64 {
        2400
    }

    fn mark_application_limited(&self) -> bool {
        true
    }
}

const PACKET: SentPacket = SentPacket {
    sent_at: Time::from_nanos(5_000_000),
    size: Bytes::new(1200),
    delivered: Bytes::new(4000),
    delivered_at: Time::from_nanos(4_000_000),
    first_sent_at: Time::from_nanos(3_000_000),
    in_flight: Bytes::new(2400),
    lost: Bytes::new(600),
    app_limited: true,
    times_sent: 2,
};

fn sample() -> AckSample {
    let millis = |millis| Some(Span::from_millis(millis));
    AckSample {
        now: at(7),
        newly_acked: 2,
        ce_marked: 3,
        newly_marked: Bytes::new(3000),
        delivered: Bytes::new(6000),
        newly_delivered: Bytes::new(2000),
        newly_lost: Bytes::new(1000),
        in_flight_before: Bytes::new(9000),
        in_flight_after: Bytes::new(7000),
        rtt: RoundTripTimes { latest: None, minimum: millis(9), smoothed: millis(11), newest: millis(10) },
        rate: Some(DeliveryRate {
            delivered: Bytes::new(5000),
            interval: Span::from_millis(10),
            prior_delivered: Bytes::new(1000),
            in_flight_at_sending: Bytes::new(9000),
            lost: Bytes::new(1000),
            app_limited: true,
            reliable: true,
        }),
        round_ended: true,
        in_recovery: true,
        cwnd_limited: false,
    }
}

#[test]
fn everything_that_is_told_arrives_and_everything_answered_comes_back() {
    let mut key = [0; 32];
    (0..8).for_each(|index| key[index] = index as u8);
    let settings = ControlSettings {
        initial_threshold: Some(Window::from_packets(33.0)),
        packet: Bytes::new(1200),
        random: Some(key),
        ..ControlSettings::default()
    };
    let spec = from(&[export::controller::<Listener>]).parse("listener").unwrap();
    assert!(spec.properties().pacing_rate && spec.properties().random && spec.properties().window);
    let mut control = AnyController::new(&spec, &settings);
    let wants = control.wants();
    assert!(wants.packets && wants.rates && wants.rounds && wants.recovery);
    control.on_sent(&PACKET);
    control.on_lost(&LostPacket {
        now: at(6),
        sent: PACKET,
        lost: Bytes::new(1800),
        ..LostPacket::default()
    });
    control.on_ack(&sample());
    let (kind, window_of_data) = (Congestion::Timeout { repeated: true }, WindowOfData::numbered(17));
    control.on_congestion(&CongestionSignal { now: at(8), kind, window_of_data });
    let (window_of_data, in_flight) = (WindowOfData::numbered(18), Bytes::new(3000));
    control.on_undo(&UndoSignal {
        now: at(9),
        kind,
        window_of_data,
        in_flight,
        newly_delivered: Bytes::new(500),
    });
    control.on_idle(&IdleSignal { now: at(20), since: at(15), timeout: Span::ZERO });
    let in_flight = Bytes::new(4000);
    control.on_recovery(&RecoverySignal { now: at(21), change: Recovery::Entered, in_flight });
    assert_eq!(control.window().packets(), 11_111_111.0);
    assert_eq!(control.slow_start_threshold().packets(), 3.0);
    assert_eq!(control.pacing_rate().map(|rate| rate.bits_per_second()), Some(1_000_000));
    assert_eq!(control.send_quantum(), Bytes::new(2400));
    assert!(control.mark_application_limited());
}

/// A rate from its start or after the first acknowledgement, where its description says nothing of pacing.
#[derive(Clone)]
struct Undeclared<const EARLY: bool> {
    rate: Option<f64>,
}

impl<const EARLY: bool> Controller for Undeclared<EARLY> {
    const DESCRIPTION: Description =
        Description { name: "undeclared", summary: "a rate", source: "none", ..Description::NOTHING };

    fn new(_numbers: &[f64], _settings: &sawtooth_plugin::Settings) -> Self {
        Undeclared { rate: EARLY.then_some(2e6) }
    }

    fn on_ack(&mut self, _ack: &sawtooth_plugin::Ack) {
        self.rate = Some(1e6);
    }

    fn on_congestion(&mut self, _signal: &sawtooth_plugin::Congestion) {}

    fn window(&self) -> f64 {
        10.0
    }

    fn pacing_rate(&self) -> Option<f64> {
        self.rate
    }
}

/// A sender that was not told of pacing at its start went on without the rate, and said nothing.
#[test]
fn a_later_rate_of_what_does_not_say_that_it_paces_ends_the_run() {
    let made = |spec| AnyController::new(&spec, &ControlSettings::default());
    let mut early = made(from(&[export::controller::<Undeclared<true>>]).parse("undeclared").unwrap());
    early.on_ack(&AckSample::classic(at(30), 1, None, true));
    let rate = early.pacing_rate().map(|rate| rate.bits_per_second());
    assert_eq!(rate, Some(1_000_000), "it paces from its start on");
    let mut control = made(from(&[export::controller::<Undeclared<false>>]).parse("undeclared").unwrap());
    let call = || control.on_ack(&AckSample::classic(at(30), 1, None, true));
    let panic = catch_unwind(AssertUnwindSafe(call)).expect_err("a rate that nobody would take");
    assert_eq!(
        panic.downcast::<PluginFault>().expect("a fault").to_string(),
        "plug-in undeclared: on_ack of flow 0 at 0.03 s: pacing_rate = 1000000: expected none, since its description does not say that \
         it paces"
    );
}

#[test]
fn a_panic_ends_the_run_with_its_message() {
    let mut control = {
        let spec = from(&[export::controller::<Listener>]).parse("listener").unwrap();
        let mut key = [0; 32];
        (0..8).for_each(|index| key[index] = index as u8);
        let settings = ControlSettings {
            initial_threshold: Some(Window::from_packets(33.0)),
            packet: Bytes::new(1200),
            random: Some(key),
            flow: 4,
            ..ControlSettings::default()
        };
        AnyController::new(&spec, &settings)
    };
    let call = || control.on_ack(&AckSample::classic(at(30), 1, None, true));
    let panic = catch_unwind(AssertUnwindSafe(call)).expect_err("it expects a sample");
    let fault = panic.downcast::<PluginFault>().expect("a fault");
    assert_eq!(fault.to_string(), "plug-in listener: on_ack of flow 4 at 0.03 s: panic: a sample");
}

#[test]
fn what_is_no_plug_in_is_refused() {
    let here = |path: &str| load(Path::new(path)).map(|found| found.len()).expect_err(path).to_string();
    assert!(here("no-such-file.so").contains("expected a file that can be read"));
    assert!(here("Cargo.toml").contains("expected a shared library"));
    let refused = |plugin: abi::Plugin| {
        let kept = Box::leak(Box::new(plugin));
        unsafe { plugins(kept, "00ff") }.map(|found| found.len()).expect_err("incomplete")
    };
    let none = abi::Plugin { abi: abi::ABI, controller_count: 0, controllers: std::ptr::null() };
    assert!(matches!(refused(none), LoadError::Incomplete { index: 0, .. }));
    let other = abi::Plugin { abi: abi::ABI + 1, ..none };
    assert!(
        refused(other)
            .to_string()
            .contains("expected version 1 of the interface of controllers (sawtooth.h); this library has 2")
    );
    let lacking = |lack: fn(&mut abi::Controller)| {
        let mut controller = export::controller::<Aimd>();
        lack(&mut controller);
        let controllers = Box::leak(Box::new(controller));
        refused(abi::Plugin { abi: abi::ABI, controller_count: 1, controllers }).to_string()
    };
    let incomplete = |expected: &str| format!("controller 0 of the library: expected {expected}");
    assert_eq!(lacking(|controller| controller.clone = None), incomplete("the call clone"));
    assert_eq!(lacking(|controller| controller.name = std::ptr::null()), incomplete("a name in UTF-8"));
    assert_eq!(lacking(|controller| controller.parameters = std::ptr::null()), incomplete("parameters"));
}

#[test]
fn every_file_of_the_crate_is_handed_out() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugin");
    let mut files = Vec::new();
    for folder in ["include", "src"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            files.push(format!("{folder}/{}", entry.unwrap().file_name().into_string().unwrap()));
        }
    }
    let mut handed: Vec<&str> = PLUGIN_SOURCES.iter().map(|&(path, _)| path).collect();
    files.sort_unstable();
    handed.sort_unstable();
    assert_eq!(handed, files);
}

/// A window that falls apart when it is copied or asked for.
struct Fragile {
    copied: f64,
    window: f64,
}

impl Clone for Fragile {
    fn clone(&self) -> Self {
        Fragile { copied: self.copied, window: self.copied }
    }
}

impl Controller for Fragile {
    const DESCRIPTION: Description = Description {
        name: "fragile",
        parameters: &[Parameter::new("copied", "packets", None, (0.0, 100.0), "the window of a copy")],
        ..Description::NOTHING
    };

    fn new(numbers: &[f64], _settings: &sawtooth_plugin::Settings) -> Self {
        Fragile { copied: numbers[0], window: 10.0 }
    }

    fn on_ack(&mut self, _ack: &sawtooth_plugin::Ack) {
        self.window = 42.0;
    }

    fn on_congestion(&mut self, _signal: &sawtooth_plugin::Congestion) {}

    fn window(&self) -> f64 {
        assert!(self.window < 42.0, "no answer");
        self.window
    }
}

#[test]
fn a_copy_is_asked_at_once_and_an_answer_that_fails_is_called_one() {
    let copied = |window| {
        let spec = from(&[export::controller::<Fragile>]).parse(&format!("fragile({window})")).unwrap();
        AnyController::new(&spec, &ControlSettings::default())
    };
    assert_eq!(copied(7).clone().window().packets(), 7.0, "its own answers, not those of the original");
    let fault = |act: fn(&mut AnyController)| {
        let mut control = copied(0);
        let ended = catch_unwind(AssertUnwindSafe(|| act(&mut control))).expect_err("it does not go on");
        ended.downcast_ref::<PluginFault>().expect("a fault").to_string()
    };
    let copy = fault(|control| drop(control.clone()));
    assert_eq!(copy, "plug-in fragile: clone of flow 0 at 0 s: window = 0: expected 1 to 1e9 packets");
    let asked = fault(|control| control.on_ack(&sample()));
    assert!(
        asked.starts_with("plug-in fragile: on_ack of flow 0 at 0.007 s: answers: panic: no answer"),
        "{asked}"
    );
}
