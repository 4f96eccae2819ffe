//! Controllers of plug-ins in a network: one that does what a law of the table does gives the same bytes.

#[path = "../../../cc/tests/guest/mod.rs"]
mod guest;

use guest::{Foreign, Wrong};
use sawtooth_cc::idle::IdleRule;
use sawtooth_cc::plugin::{Answers, PluginFault};
use sawtooth_cc::{Plugins, SlowStartKind};
use sawtooth_networks::networks::{self, MEGABIT, MILLISECOND, SECOND};
use sawtooth_sim::{Scenario, identity, run};
use std::panic::{AssertUnwindSafe, catch_unwind};

fn plugins(file: &'static str, wrong: Option<(u32, Wrong)>) -> Plugins {
    let mut plugins = Plugins::default();
    plugins.add(Foreign::aimd("mine", file, wrong)).unwrap();
    plugins
}

/// Three flows with this controller over a bottleneck that drops.
fn scenario(controller: &str, recovery: &str, plugins: &Plugins) -> Scenario {
    let mut profile = networks::profile("aimd(1, 0.5)", recovery);
    profile.controller = plugins.parse(controller).unwrap();
    profile.tcp.idle = IdleRule::Keep;
    let links = vec![
        networks::port("bottleneck", 10 * MEGABIT, 20 * MILLISECOND, 30),
        networks::pipe("back", 100 * MEGABIT, 20 * MILLISECOND),
    ];
    let mut scenario = networks::scenario(8 * SECOND, links, vec![profile]);
    for index in 0..3 {
        let mut flow = networks::flow(&[0], &[1]);
        flow.start_ns = index * 100 * MILLISECOND;
        scenario.flows.push(flow);
    }
    scenario
}

#[test]
fn a_plug_in_with_the_same_law_gives_the_same_bytes() {
    for recovery in ["sack", "newreno", "rack"] {
        let own = scenario("aimd(1, 0.8)", recovery, &Plugins::NONE);
        let guest = scenario("mine(1, 0.8)", recovery, &plugins("00ff", None));
        assert_eq!(run(&guest).unwrap().digest(), run(&own).unwrap().digest(), "{recovery}");
    }
}

#[test]
fn another_file_makes_another_run() {
    let id = |file| identity::run_id(&scenario("mine(1, 0.8)", "sack", &plugins(file, None)));
    assert_eq!(id("00ff"), id("00ff"));
    assert_ne!(id("00ff"), id("00fe"));
    let used = identity::behaviour(&scenario("mine", "sack", &plugins("00ff", None)));
    assert_eq!(used["law/plugin"], 1);
    assert!(identity::all_behaviour().contains_key("law/plugin"));
}

#[test]
fn a_scenario_is_run_once_it_is_bound() {
    let plugins = plugins("00ff", None);
    let written = scenario("mine", "sack", &plugins);
    let text = serde_json::to_string(&written).unwrap();
    let mut read = Scenario::from_json(&text).unwrap();
    let missing =
        "profiles[0].controller = mine: expected its plug-in to be loaded, from the file of SHA-256 00ff";
    assert_eq!(run(&read).expect_err("no code").to_string(), missing);
    assert_eq!(read.bind(&Plugins::NONE).expect_err("no code").to_string(), missing);
    let other = self::plugins("1234", None);
    assert_eq!(
        read.bind(&other).expect_err("another file").to_string(),
        "profiles[0].controller = mine: expected the file of SHA-256 00ff; the one that is loaded has 1234"
    );
    read.bind(&plugins).unwrap();
    assert_eq!(run(&read).unwrap().digest(), run(&written).unwrap().digest());
}

#[test]
fn what_laws_of_the_table_do_themselves_is_refused() {
    let mut other = scenario("mine", "sack", &plugins("00ff", None));
    other.profiles[0].tcp.slow_start = SlowStartKind::HystartPlusPlus;
    let expected =
        "profiles[0].tcp.slow_start = \"hystart++\": expected standard beside a controller of a plug-in";
    assert!(run(&other).expect_err("no such slow start").to_string().starts_with(expected));
    let mut other = scenario("mine", "sack", &plugins("00ff", None));
    other.profiles[0].tcp.idle = IdleRule::Rfc7661;
    let expected = "profiles[0].tcp.idle = \"rfc7661\": expected keep beside a controller of a plug-in";
    assert!(run(&other).expect_err("no such rule").to_string().starts_with(expected));
}

#[test]
fn a_fault_ends_the_run_and_names_flow_and_time() {
    let refuses = plugins("00ff", Some((100, Wrong::Refuse("lost its way"))));
    let bad = scenario("mine", "sack", &refuses);
    let panic = catch_unwind(AssertUnwindSafe(|| run(&bad))).expect_err("the plug-in refuses");
    let fault = panic.downcast::<PluginFault>().expect("a fault");
    assert_eq!((fault.name.as_str(), fault.call, fault.flow), ("mine", "on_ack", 0));
    assert!(fault.now.nanos() > 40 * MILLISECOND && fault.now.nanos() < 8 * SECOND);
    let silent = Answers { window: 0.0, ..Answers::NONE };
    let answers = plugins("00ff", Some((0, Wrong::Answer(silent))));
    let bad = scenario("mine", "sack", &answers);
    let panic = catch_unwind(AssertUnwindSafe(|| run(&bad))).expect_err("the plug-in answers badly");
    let fault = panic.downcast::<PluginFault>().expect("a fault");
    assert_eq!(fault.call, "create");
}
