//! Whole endpoints behind the interface in C are flows of a network: their datagrams cross its queues, and what goes wrong in them becomes
//! a message.

mod window;

use sawtooth_cc::Plugins;
use sawtooth_cc::plugin::PluginFault;
use sawtooth_plugin::{
    Codepoint, Endpoint, EndpointDescription, EndpointSettings, EndpointState, Parameter, endpoint,
    endpoint_abi,
};
use sawtooth_sim::scenario::Scenario;
use sawtooth_sim::{Order, Progress, Records, Simulation};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use window::{ACK_BYTES, FixedWindow, toy};

/// The example of one flow with this controller and these changes, by JSON pointer.
fn scenario(plugins: &Plugins, control: &str, changes: &[(&str, Value)]) -> Scenario {
    let mut plain: Value = serde_json::from_str(include_str!("../../sim/examples/one_flow.json")).unwrap();
    let spec = plugins.parse(control).expect("a controller");
    plain["profiles"][0]["controller"] = serde_json::to_value(spec).unwrap();
    plain["profiles"][0]["recovery"] = Value::Null;
    for (pointer, value) in changes {
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        plain.pointer_mut(parent).expect("a place")[key] = value.clone();
    }
    let mut scenario = Scenario::from_value(plain).unwrap();
    scenario.bind(plugins).unwrap();
    scenario
}

fn run(control: &str, changes: &[(&str, Value)]) -> Records {
    sawtooth_sim::run(&scenario(&toy(), control, changes)).unwrap()
}

fn fault(plugins: &Plugins) -> String {
    let name = plugins.iter().next().expect("one").info().name;
    let scenario = scenario(plugins, name, &[]);
    let panic = catch_unwind(AssertUnwindSafe(|| sawtooth_sim::run(&scenario).map(|_| ())))
        .expect_err("it does what no run can go on from");
    panic.downcast::<PluginFault>().expect("a fault").to_string()
}

#[test]
fn a_window_gives_the_throughput_of_a_window() {
    let records = run("toy(window)", &[]);
    let flow = &records.flows[0];
    // The last bit of 1000 bytes at 10 Mbit/s, 20 ms there, an acknowledgement of 44 bytes and 20 ms back.
    let round_trip_ns = 800_000 + 20_000_000 + (ACK_BYTES as u64 + 28) * 800 + 20_000_000;
    let packets = 4_000_000_000 * 20 / round_trip_ns;
    assert!(flow.delivered_total.abs_diff(packets) <= 20, "{} and {packets}", flow.delivered_total);
    let payload = flow.delivered_unique as f64 / flow.delivered_total as f64;
    assert!((payload - 0.972).abs() < 0.001, "{payload}: headers take 28 of 1000 bytes");
    assert_eq!((flow.window_mean, flow.retransmits, flow.drops), (20.0, 0, 0));
    let queued = 19 * 800_000; // the first window leaves at once, so each packet waits for those before it
    assert!((round_trip_ns..=round_trip_ns + queued).contains(&flow.srtt_ns), "{}", flow.srtt_ns);
    assert_eq!(flow.round_trips.minimum.nanos(), flow.srtt_ns.min(flow.round_trips.minimum.nanos()));
}

#[test]
fn what_the_network_drops_comes_again_and_the_digest_is_the_same_in_both_orders() {
    let small = [("/links/0/queue/packets", json!(5)), ("/duration_ns", json!(20_000_000_000u64))];
    let records = run("toy-window(8)", &small);
    let flow = &records.flows[0];
    assert!(flow.drops > 0 && flow.retransmits > 0, "{flow:?}");
    assert!(flow.delivered_unique > 80, "{flow:?}");
    assert_eq!(run("toy-window(8)", &small).digest(), records.digest());
    let plugins = toy();
    let scenario = scenario(&plugins, "toy-window(8)", &small);
    let in_turn = Simulation::new(&scenario, Order::InTurn).unwrap().finish(&Progress::default()).unwrap();
    assert_eq!(in_turn.digest(), records.digest());
    assert_ne!(run("toy-window(7)", &small).digest(), records.digest());
}

#[test]
fn packets_may_be_late_dropped_on_the_way_back_and_beside_tcp() {
    let late = json!({ "kind": "periodic", "n": 9, "delay": { "kind": "constant", "ns": 30_000_000 } });
    let plain = serde_json::to_value(scenario(&toy(), "toy-window(8)", &[])).unwrap();
    let mut tcp = plain["profiles"][0].clone();
    tcp["controller"] = json!({ "kind": "linear", "a_i": 1, "b_i": 1, "a_d": 0, "b_d": 0.5 });
    tcp["recovery"] = json!("sack");
    let flow = |profile: u32| json!({ "profile": profile, "test": true, "forward": [0], "reverse": [1], "start_ns": 0 });
    let records = run(
        "toy-window(8)",
        &[
            ("/links/0/late", late),
            ("/links/1/drop", json!({ "kind": "bernoulli", "p": 0.1 })),
            ("/profiles", json!([plain["profiles"][0], tcp])),
            ("/flows", json!([flow(0), flow(1)])),
            ("/duration_ns", json!(30_000_000_000u64)),
        ],
    );
    assert!(records.flows.iter().all(|flow| flow.delivered_unique > 100), "{:?}", records.flows);
}

#[test]
fn marks_reach_the_other_end_where_packets_are_ecn_capable() {
    let step = json!({ "kind": "step", "packets": 50, "threshold": { "packets": 3 } });
    let marked = |ecn: bool| {
        let records =
            run("toy-window(60)", &[("/links/0/queue", step.clone()), ("/profiles/0/tcp/ecn", json!(ecn))]);
        (records.flows[0].marks, records.flows[0].loss_events)
    };
    let (marks, echoed) = marked(true);
    assert!(marks > 100 && echoed > 100 && echoed <= marks + 60, "{marks} {echoed}");
    assert_eq!(marked(false), (0, 0));
}

#[test]
fn an_application_that_stops_sends_no_more() {
    let flow = json!([{ "profile": 0, "test": true, "forward": [0], "reverse": [1], "start_ns": 0, "stop_ns": 2_000_000_000u64 }]);
    let whole = run("toy(window)", &[]).flows[0].sent;
    let stopped = run("toy(window)", &[("/flows", flow)]).flows[0].sent;
    assert!(stopped < whole / 3, "{stopped} of {whole}");
}

#[test]
fn a_transfer_that_ends_is_finished_when_all_of_it_has_been_acknowledged() {
    // 100 packets of 1000 bytes in datagrams of 972, twenty in a round trip: the last leaves behind the fifth.
    let flow = |rest: Value| {
        let mut flow = json!({ "profile": 0, "test": true, "forward": [0], "reverse": [1], "start_ns": 1_000_000_000u64 });
        flow.as_object_mut().expect("a table").extend(rest.as_object().expect("a table").clone());
        json!([flow])
    };
    let whole = run("toy(window)", &[("/flows", flow(json!({ "packets": 100 })))]);
    let sent = 100_000u64.div_ceil(972);
    let rounds = (sent - 1) / 20;
    let round_trip_ns = 800_000 + 20_000_000 + (ACK_BYTES as u64 + 28) * 800 + 20_000_000;
    let last_ns = rounds * round_trip_ns + ((sent - 1) % 20) * 800_000 + round_trip_ns;
    let finished = whole.flows[0].finished_ns.expect("it finishes") - 1_000_000_000;
    assert!(finished.abs_diff(last_ns) < 1_000_000, "{finished} and {last_ns}");
    assert_eq!((whole.flows[0].sent, whole.flows[0].delivered_unique), (sent, 100));
    // The same in two portions, the second after everything of the first is there.
    let supplied = json!({ "supply": [[0, 60], [1_000_000_000u64, 40]] });
    let portions = run("toy(window)", &[("/flows", flow(supplied))]);
    let finished = portions.flows[0].finished_ns.expect("it finishes") - 1_000_000_000;
    assert!((1_000_000_000..1_200_000_000).contains(&finished), "{finished}");
    assert_eq!((portions.flows[0].sent, portions.flows[0].delivered_unique), (sent, 100));
    assert_eq!(run("toy(window)", &[]).flows[0].finished_ns, None, "data without end");
}

/// Transfers that come and go over a lossy path, and a user who asks, in both orders of events: packets of one transfer that arrive late
/// never reach the next one in its slot.
#[test]
fn transfers_and_users_come_and_go() {
    let late = json!({ "kind": "periodic", "n": 23, "delay": { "kind": "constant", "ns": 90_000_000 } });
    let starts: Vec<u64> = (0..60).map(|index| 1_000_000_000 + index * 2_000_000_000).collect();
    let schedule = json!({ "kind": "list", "starts_ns": starts, "packets": vec![30; 60] });
    let arrivals =
        json!([{ "name": "files", "profile": 0, "forward": [0], "reverse": [1], "schedule": schedule }]);
    let flow = |there: u32| json!({ "profile": 0, "test": false, "forward": [there], "reverse": [1 - there], "start_ns": 0 });
    let task = json!({ "kind": "pages", "objects": 3, "packets_mean": 4.0, "think_ns": 50_000_000 });
    let app =
        json!({ "name": "user", "start_ns": 0, "connections": [[0, 1]], "request_packets": 1, "task": task });
    let busy = [
        ("/links/0/late", late.clone()),
        ("/links/1/late", late),
        ("/links/0/drop", json!({ "kind": "bernoulli", "p": 0.01 })),
        ("/links/1/drop", json!({ "kind": "bernoulli", "p": 0.01 })),
        ("/flows", json!([flow(1), flow(0)])),
        ("/apps", json!([app])),
        ("/arrivals", arrivals),
        ("/duration_ns", json!(180_000_000_000u64)),
        ("/warmup_ns", json!(0)),
    ];
    let plugins = toy();
    let scenario = scenario(&plugins, "toy-window(8)", &busy);
    let records = sawtooth_sim::run(&scenario).unwrap();
    let files = &records.arrivals[0];
    assert_eq!((files.started, files.completed, files.delivered_unique), (60, 60, 60 * 30));
    assert!(files.concurrent_max > 1 && files.concurrent_max < 30, "slots are used again: {files:?}");
    assert!(files.retransmits > 0, "{files:?}");
    let loaded = records.transactions.iter().filter(|page| page.duration.is_some()).count();
    assert!(loaded > 20, "{loaded} pages");
    let in_turn = Simulation::new(&scenario, Order::InTurn).unwrap().finish(&Progress::default()).unwrap();
    assert_eq!(in_turn.digest(), records.digest());
}

#[test]
fn what_means_nothing_to_a_stack_is_refused() {
    let refused = |pointer: &str, value: Value| {
        let error = scenario(&toy(), "toy(window)", &[(pointer, value)]).check().expect_err(pointer);
        error.to_string()
    };
    assert!(refused("/profiles/0/recovery", json!("sack")).contains("a recovery of its own"));
    assert!(
        refused("/profiles/0/tcp/min_rto_ns", json!(7))
            .contains("its default beside an endpoint of a plug-in")
    );
    assert!(refused("/profiles/0/tcp/ecn", json!("l4s")).contains("off or classic for an endpoint"));
    assert!(refused("/profiles/0/packet_bytes", json!(127)).contains("at least 128 beside this endpoint"));
    assert!(refused("/flows/0/supply", json!([[5, 9], [5, 1]])).contains("a time later than the one before"));
    assert!(refused("/record", json!({ "congestion": true })).contains("none tells what cuts its window"));
    let when = json!({ "kind": "state", "flow": 0, "state": "drain" });
    let change = json!([{ "when": when, "set": [{ "kind": "rate", "link": 0, "bps": 1000 }] }]);
    assert!(refused("/changes", change).contains("a flow whose controller has states"));
}

macro_rules! toys {
    ($($name:ident: $transmit:expr, $deadline:expr;)*) => {
        $(struct $name;

        impl Endpoint for $name {
            const DESCRIPTION: EndpointDescription =
                EndpointDescription { name: "bad", parameters: &[] as &[Parameter], ..FixedWindow::DESCRIPTION };

            fn new(_numbers: &[f64], _settings: &EndpointSettings) -> Self {
                $name
            }

            fn begin(&mut self, _now_ns: u64) {}

            fn offer(&mut self, _now_ns: u64, _bytes: Option<u64>, _more: bool) {}

            fn stop(&mut self, _now_ns: u64) {}

            fn transmit(&mut self, _now_ns: u64, datagram: &mut Vec<u8>) -> Option<Codepoint> {
                datagram.resize($transmit, 0);
                (!datagram.is_empty()).then_some(Codepoint::NotEct)
            }

            fn receive(&mut self, _now_ns: u64, _codepoint: Codepoint, _datagram: &[u8]) {}

            fn deadline(&mut self) -> Option<u64> {
                $deadline
            }

            fn on_deadline(&mut self, _now_ns: u64) {}

            fn state(&mut self) -> EndpointState {
                EndpointState::NOTHING
            }
        })*
    };
}

fn fail() -> usize {
    panic!("no more")
}

toys! {
    TooLong: 973, None;
    NeverDone: 10, None;
    Stuck: 0, Some(5);
    Panics: fail(), None;
}

#[test]
fn a_stack_that_goes_wrong_ends_the_run_with_a_message() {
    let of = |described: fn() -> endpoint_abi::Endpoint| fault(&window::from(&[described]));
    assert!(of(endpoint::exported::<TooLong>).contains("a datagram of 973 bytes, of at most 972"));
    assert!(of(endpoint::exported::<NeverDone>).contains("transmit of flow 0 at 0 s: 100001 at one moment"));
    assert!(of(endpoint::exported::<Stuck>).contains("on_deadline of flow 0 at"));
    assert!(of(endpoint::exported::<Panics>).contains("transmit of flow 0 at 0 s: panic: no more"));
}

#[test]
fn an_incomplete_description_is_refused() {
    let refused = |plugin: endpoint_abi::Endpoints| {
        let kept = Box::leak(Box::new(plugin));
        unsafe { sawtooth_host::endpoints(kept, "00ff") }
            .map(|found| found.len())
            .expect_err("incomplete")
            .to_string()
    };
    let mut lacking = endpoint::exported::<FixedWindow>();
    lacking.state = None;
    let endpoints = std::ptr::from_ref(Box::leak(Box::new(lacking)));
    let offered = endpoint_abi::Endpoints { abi: endpoint_abi::ENDPOINT_ABI, endpoint_count: 1, endpoints };
    assert_eq!(refused(offered), "endpoint 0 of the library: expected the call state");
    let other = endpoint_abi::Endpoints { abi: 7, ..offered };
    assert!(
        refused(other).contains("version 2 of the interface of endpoints (sawtooth.h); this library has 7")
    );
    let none = endpoint_abi::Endpoints { endpoint_count: 0, ..offered };
    assert!(refused(none).contains("at least one endpoint"));
}
