//! Every controller of the table is held to every rule or stands among the exemptions, and what breaks a rule is found.

mod guest;

use guest::{Foreign, Wrong};
use sawtooth_cc::conformance::{EXEMPTIONS, Judged, RULES, Script, check, play};
use sawtooth_cc::plugin::Answers;
use sawtooth_cc::{
    CONTROLLERS, ConstructorInfo, ControllerSpec, Plugins, RATE_CONTROLLERS, parse_controller,
};

/// A controller of each constructor, with numbers that are somebody's: half where a fraction is meant.
fn usual(row: &ConstructorInfo) -> ControllerSpec {
    let values: Vec<f64> = row
        .parameters
        .iter()
        .map(|parameter| {
            let middle = if parameter.max <= 1.0 { 0.5 } else { 1.1 };
            parameter.default.unwrap_or(middle).clamp(parameter.min, parameter.max)
        })
        .collect();
    row.with_values(&values).expect("values inside their intervals")
}

#[test]
fn every_law_of_the_table_passes_or_is_exempt() {
    for row in CONTROLLERS {
        for verdict in check(&usual(row)) {
            let broken = verdict.script.unwrap_or_default();
            assert_ne!(
                verdict.result,
                Judged::Broken,
                "{} {}: {:?}\n{broken}",
                row.name,
                verdict.id,
                verdict.said
            );
        }
    }
}

#[test]
fn laws_with_a_protocol_of_their_own_are_exempt() {
    for row in RATE_CONTROLLERS {
        assert!(check(&usual(row)).iter().all(|verdict| verdict.result == Judged::Exempt), "{}", row.name);
    }
}

#[test]
fn no_exemption_could_be_left_out() {
    for exemption in EXEMPTIONS {
        let law = CONTROLLERS.iter().find(|row| row.name == exemption.law).expect(exemption.law);
        let rule = RULES.iter().find(|rule| rule.id == exemption.rule).expect(exemption.rule);
        assert!(rule.broken(&usual(law)).is_some(), "{exemption:?}");
    }
}

fn broken(spec: &ControllerSpec) -> Vec<(&'static str, String)> {
    let verdicts = check(spec).into_iter().filter(|verdict| verdict.result == Judged::Broken);
    verdicts.map(|verdict| (verdict.id, verdict.script.expect("a script"))).collect()
}

#[test]
fn a_law_that_keeps_everything_does_not_react_to_losses() {
    let found = broken(&parse_controller("aimd(1, 1)").unwrap());
    let [(rule, script)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(*rule, "loss-reaction");
    assert!(script.lines().count() <= 6, "{script}");
    assert!(script.contains("lose 1\n"), "{script}");
}

#[test]
fn an_answer_out_of_bounds_breaks_the_bounds_and_nothing_else() {
    let nan = Answers { slow_start_threshold: 2.0, ..Answers::NONE };
    for (wrong, said) in [(Wrong::Answer(nan), "window = NaN"), (Wrong::Refuse("lost my way"), "lost my way")]
    {
        let mut plugins = Plugins::default();
        plugins.add(Foreign::aimd("mine", "00ff", Some((3, wrong)))).unwrap();
        let verdicts = check(&plugins.parse("mine").unwrap());
        let broken: Vec<_> = verdicts.iter().filter(|verdict| verdict.result == Judged::Broken).collect();
        let [verdict] = broken.as_slice() else { panic!("{broken:?}") };
        assert_eq!(verdict.id, "bounds");
        let found = verdict.said.as_deref().unwrap();
        assert!(found.starts_with("plug-in mine: ") && found.contains(said), "{found}");
    }
}

#[test]
fn a_script_shows_what_a_law_answers() {
    let windows = |controller: &str, text: &str| {
        let script: Script = text.parse().unwrap();
        let answered = play(&parse_controller(controller).unwrap(), &script);
        answered.iter().map(|each| each.window).collect::<Vec<_>>()
    };
    // Ten packets leave, slow start adds ten, a loss halves, a timeout leaves one.
    let text = "send 1000\nack 10 after 50 ms\nsend 1000\nlose 1\ntimeout\nsend 1\nack 1 after 50 ms\n";
    assert_eq!(windows("aimd(1, 0.5)", text), [10.0, 20.0, 20.0, 10.0, 1.0, 1.0, 2.0]);
    // What the window does not limit does not grow, and a second loss of the same data is no second signal.
    assert_eq!(
        windows("aimd(1, 0.5)", "send 9\nack 2 after 50 ms\nlose 1\nlose 1\n"),
        [10.0, 10.0, 5.0, 5.0]
    );
    // A loss in data that was marked is not answered again (RFC 3168 §6.1.2).
    assert_eq!(windows("aimd(1, 0.5)", "send 10\nmark 1\nlose 1\n"), [10.0, 5.0, 5.0]);
    // The signal of one round trip was spurious: nothing is restored by a law that restores nothing, and recovery is over.
    let undone = "send 10\nlose 1\nundo\nlose 1\n";
    assert_eq!(windows("aimd(1, 0.5)", undone), [10.0, 5.0, 5.0, 2.5]);
    assert_eq!(windows("aimd(1, 0.5)", "idle 1000 ms\nack 1 after 50 ms\nmark 1\nundo\n"), [10.0; 4]);
}
