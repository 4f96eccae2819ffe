//! Plug-ins: their names beside the table's, their plain data, and what ends a run.

mod guest;

use guest::{Foreign, Wrong};
use sawtooth_cc::plugin::{Answers, PluginFault, PluginRefused};
use sawtooth_cc::units::{Span, Time, Window};
use sawtooth_cc::{
    AckSample, AnyController, Congestion, CongestionSignal, ConstructorError, ControlSettings, Controller,
    ControllerSpec, ParameterInfo, Plugins, Rounds, Stepping, check_controller, parse_controller,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

const FILE: &str = "00ff";

fn with(plugin: &'static Foreign) -> Plugins {
    let mut plugins = Plugins::default();
    plugins.add(plugin).unwrap();
    plugins
}

fn mine() -> Plugins {
    with(Foreign::aimd("mine", FILE, None))
}

fn ack(millis: u64) -> AckSample {
    let at = Time::ZERO + Span::from_millis(millis);
    AckSample::classic(at, 1, Some(Span::from_millis(20)), true)
}

#[test]
fn a_plug_in_is_named_like_a_controller_of_the_table() {
    let plugins = mine();
    let numbers = |text: &str| {
        let spec = plugins.parse(text).expect(text);
        let (name, numbers) = spec.plain();
        (name.to_owned(), numbers)
    };
    assert_eq!(numbers("mine(2, 0.8)"), ("mine".to_owned(), vec![2.0, 0.8]));
    assert_eq!(numbers(" Mine(2) "), ("mine".to_owned(), vec![2.0, 0.5]));
    let named = plugins.named("mine", &[("b".to_owned(), 0.25)]).unwrap();
    assert_eq!(named.plain().1, [1.0, 0.25]);
    assert_eq!(plugins.parse("aimd(1, 0.8)"), parse_controller("aimd(1, 0.8)"));
    let wrong = |text: &str, wanted: &str| {
        let message = plugins.parse(text).expect_err(text).to_string();
        assert!(message.contains(wanted), "{text}: {message}");
    };
    wrong("mine(1, 1.5)", "controller.b = 1.5: expected 0 ≤ b ≤ 1");
    wrong("mine(1, 1, 1)", "expected mine(a, b)");
    wrong("yours", "rap, nada, mine, or a name of a plug-in that is loaded");
    assert!(parse_controller("mine").is_err(), "nothing is at hand that nobody handed in");
}

#[test]
fn one_of_several_of_a_stack_may_be_written_as_its_word() {
    let mut plugins = with(Foreign::aimd("stack-reno", FILE, None));
    plugins.add(Foreign::aimd("mine-2", FILE, None)).unwrap();
    let plain = |text: &str| plugins.parse(text).map(|spec| spec.plain().1);
    assert_eq!(plain("stack(reno)"), plain("stack-reno"));
    assert_eq!(plain("Stack( reno, 2, b=0.25)"), Ok(vec![2.0, 0.25]));
    assert_eq!(plugins.parse("stack(reno)").unwrap().plain().0, "stack-reno");
    assert!(plain("stack(cubic)").is_err() && plain("stack").is_err() && plain("mine(2)").is_err());
    assert!(parse_controller("aimd(reno)").is_err());
}

#[test]
fn plain_data_say_the_file_and_find_their_code_again() {
    let plugins = mine();
    let spec = plugins.parse("mine(2, 0.8)").unwrap();
    assert_eq!(check_controller(&spec), Ok(()));
    let text = serde_json::to_string(&spec).unwrap();
    assert!(text.starts_with(
        r#"{"kind":"plugin","name":"mine","file":"00ff","parameters":[["a",2.0],["b",0.8]],"properties":"#
    ));
    let mut read: ControllerSpec = serde_json::from_str(&text).unwrap();
    assert_eq!(read, spec);
    let (name, file) = ("mine".to_owned(), FILE.to_owned());
    assert_eq!(
        check_controller(&read),
        Err(ConstructorError::NotLoaded { name: name.clone(), file: file.clone() })
    );
    assert_eq!(plugins.bind(&mut read), Ok(()));
    assert_eq!(check_controller(&read), Ok(()));
    let other = with(Foreign::aimd("mine", "1234", None));
    let loaded = "1234".to_owned();
    assert_eq!(other.bind(&mut read), Err(ConstructorError::OtherFile { name, file, loaded }));
}

#[test]
fn plain_data_that_were_changed_are_refused() {
    let plugins = mine();
    let text = serde_json::to_string(&plugins.parse("mine(2, 0.8)").unwrap()).unwrap();
    let check = |from: &str, to: &str| {
        let mut read: ControllerSpec = serde_json::from_str(&text.replace(from, to)).unwrap();
        plugins.bind(&mut read).unwrap();
        check_controller(&read).expect_err(to)
    };
    assert!(matches!(check("0.8", "8"), ConstructorError::OutOfRange { parameter: "b", .. }));
    assert!(matches!(check(r#"["a",2.0],"#, ""), ConstructorError::ParameterCount { given: 1, .. }));
    assert!(serde_json::from_str::<ControllerSpec>(&text.replace("file", "path")).is_err());
}

#[test]
fn names_that_nobody_could_write_are_refused() {
    let refused = |plugin| Plugins::default().add(plugin).unwrap_err();
    let name = |name: &'static str| refused(Foreign::aimd(name, FILE, None));
    assert_eq!(name("aimd"), PluginRefused::Taken { name: "aimd".to_owned() });
    assert_eq!(name("gaimd"), PluginRefused::Taken { name: "gaimd".to_owned() });
    assert_eq!(name("rap"), PluginRefused::Taken { name: "rap".to_owned() });
    assert_eq!(name("My law"), PluginRefused::Unwritable { name: "My law".to_owned() });
    assert_eq!(name(""), PluginRefused::Unwritable { name: String::new() });
    let parameter = |parameters: &'static [ParameterInfo]| {
        matches!(refused(Foreign::of("mine", parameters, FILE, None)), PluginRefused::Parameter { .. })
    };
    const A: ParameterInfo = ParameterInfo::new("a", "1", None, (0.0, 1.0), "");
    assert!(parameter(const { &[A, A] }));
    assert!(parameter(const { &[ParameterInfo { name: "a b", ..A }] }));
    assert!(parameter(const { &[ParameterInfo { max: f64::INFINITY, ..A }] }));
    assert!(parameter(const { &[ParameterInfo { default: Some(2.0), ..A }] }));
}

#[test]
fn the_last_of_a_name_is_the_one_meant() {
    let mut plugins = mine();
    plugins.add(Foreign::aimd("mine", "1234", None)).unwrap();
    let files: Vec<_> = plugins.iter().map(|plugin| plugin.file().to_owned()).collect();
    assert_eq!(files, ["1234"]);
}

#[test]
fn a_guest_does_what_its_law_does() {
    let settings =
        ControlSettings { initial_window: Window::from_packets(4.0), ..ControlSettings::default() };
    let spec = mine().parse("mine(1, 0.8)").unwrap();
    let mut guest = AnyController::new(&spec, &settings);
    let mut own = AnyController::new(&parse_controller("aimd(1, 0.8)").unwrap(), &settings);
    for step in 0..50 {
        for control in [&mut guest, &mut own] {
            control.on_ack(&ack(step));
            if step % 16 == 9 {
                control.on_congestion(&CongestionSignal::new(ack(step).now, Congestion::Loss));
            }
        }
        assert_eq!(guest.window(), own.window());
        assert_eq!(guest.slow_start_threshold(), own.slow_start_threshold());
    }
    let mut copy = guest.clone();
    copy.on_ack(&ack(50));
    assert_eq!(guest.window(), own.window(), "the copy is another controller");
    guest.on_ack(&ack(50));
    assert_eq!(guest.window(), copy.window());
}

#[test]
fn the_synchronous_model_takes_plug_ins() {
    let windows = |plugins: &Plugins, text| {
        let spec = plugins.parse(text).unwrap();
        let flows = [(spec.clone(), 2.0), (spec, 3.0)];
        let mut rounds = Rounds::new(&flows, 20.0, Stepping::Whole);
        for _ in 0..15 {
            rounds.step();
        }
        rounds.windows().collect::<Vec<_>>()
    };
    assert_eq!(windows(&mine(), "mine(1, 0.5)"), windows(&Plugins::NONE, "aimd(1, 0.5)"));
}

const GOOD: Answers = Answers {
    window: 10.0,
    slow_start_threshold: f64::INFINITY,
    pacing_rate: 0.0,
    send_quantum: 0,
    mark_application_limited: false,
};

/// What ends the life of flow 3, whose controller does this wrong at this call: an ACK after 20 ms, a loss after 40 ms.
fn fault(at: u32, wrong: Wrong) -> Option<String> {
    let spec = with(Foreign::aimd("mine", FILE, Some((at, wrong)))).parse("mine").unwrap();
    let settings = ControlSettings { flow: 3, ..ControlSettings::default() };
    let life = || {
        let mut control = AnyController::new(&spec, &settings);
        control.on_ack(&ack(20));
        let now = Time::ZERO + Span::from_millis(40);
        control.on_congestion(&CongestionSignal::new(now, Congestion::Loss));
    };
    let panic = catch_unwind(AssertUnwindSafe(life)).err()?;
    Some(panic.downcast::<PluginFault>().expect("a fault and nothing else").to_string())
}

#[test]
fn a_fault_names_the_call_the_flow_and_the_time() {
    let check = |at, wrong, expected: &str| assert_eq!(fault(at, wrong).as_deref(), Some(expected));
    check(0, Wrong::Refuse("no"), "plug-in mine: create of flow 3 at 0 s: no");
    check(1, Wrong::Refuse("panic: oh"), "plug-in mine: on_ack of flow 3 at 0.02 s: panic: oh");
    check(
        2,
        Wrong::Answer(Answers { window: f64::NAN, ..GOOD }),
        "plug-in mine: on_congestion of flow 3 at 0.04 s: window = NaN: expected 1 to 1e9 packets",
    );
    assert_eq!(fault(3, Wrong::Refuse("never reached")), None);
}

#[test]
fn answers_out_of_bounds_are_faults() {
    let bad = |answers, wanted: &str| {
        for at in [0, 1] {
            let message = fault(at, Wrong::Answer(answers)).expect(wanted);
            assert!(message.contains(wanted), "{message}");
        }
    };
    bad(Answers { window: 0.5, ..GOOD }, "window = 0.5: expected 1 to 1e9 packets");
    bad(Answers { window: f64::INFINITY, ..GOOD }, "window = inf");
    bad(Answers { slow_start_threshold: f64::NAN, ..GOOD }, "slow_start_threshold = NaN");
    bad(Answers { slow_start_threshold: -1.0, ..GOOD }, "slow_start_threshold = -1");
    bad(Answers { pacing_rate: f64::NAN, ..GOOD }, "pacing_rate = NaN: expected 1 to 1e15 bit/s");
    bad(Answers { pacing_rate: -1.0, ..GOOD }, "pacing_rate = -1");
    bad(Answers { pacing_rate: 0.5, ..GOOD }, "pacing_rate = 0.5");
    bad(Answers { send_quantum: 1 << 31, ..GOOD }, "send_quantum = 2147483648");
    let good = |answers| assert_eq!(fault(1, Wrong::Answer(answers)), None);
    good(GOOD);
    good(Answers { window: 1.0, slow_start_threshold: 0.0, ..GOOD });
    let paced = Answers { pacing_rate: 1e9, send_quantum: 64_000, ..GOOD };
    assert_eq!(fault(0, Wrong::Answer(paced)), None, "it paces from its start on");
    let later = fault(1, Wrong::Answer(paced)).expect("nobody said that it paces");
    assert!(later.contains("pacing_rate = 1000000000: expected none"), "{later}");
}
