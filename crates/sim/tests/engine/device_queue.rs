//! The queue of a device behind a discipline: what it changes, and what it leaves as it is.

use sawtooth_networks::networks::{
    MEGABIT, MILLISECOND, SECOND, dumbbell, pipe, port, profile, scenario, source,
};
use sawtooth_sim::scenario::{CodelSpec, LinkSpec, PieSpec, QueueSpec, Scenario};
use sawtooth_sim::{Order, Progress, Records, Simulation, run};

/// A source of 11 Mbit/s over a link of 8 Mbit/s, which sends a packet in a millisecond.
fn flooded(link: LinkSpec) -> Scenario {
    let mut scenario = scenario(30 * SECOND, vec![link], Vec::new());
    scenario.warmup_ns = 10 * SECOND;
    scenario.sources = vec![source(&[0], &[[0, 11 * MEGABIT]])];
    scenario
}

fn before(packets: Option<u32>, queue: QueueSpec) -> LinkSpec {
    LinkSpec { device_queue: packets, queue: Some(queue), ..pipe("link", 8 * MEGABIT, MILLISECOND) }
}

fn records(scenario: &Scenario) -> Records {
    run(scenario).expect("a scenario")
}

#[test]
fn a_device_behind_drop_tail_is_a_longer_buffer() {
    let with = |device, packets| {
        let mut scenario = dumbbell(3, packets, profile("cubic", "sack"), 20 * SECOND);
        scenario.links[0].device_queue = device;
        let records = records(&scenario);
        assert!(records.queues[0].arrivals.dropped() > 0);
        (records.queues[0].departures_hash, records.queues[0].arrivals.dropped())
    };
    let longer = with(None, 40);
    assert_eq!(with(Some(1), 39), longer);
    assert_eq!(with(Some(25), 15), longer);
    assert_ne!(with(None, 39), longer);
}

/// PIE holds the wait within the discipline at its target, and the packets of the device wait beyond it.
#[test]
fn a_discipline_sees_a_transmission_less_of_the_wait_for_each_packet_of_the_device() {
    let pie = || QueueSpec::Pie(PieSpec { packets: Some(1_000), ..PieSpec::default() });
    let mean = |device| {
        let queue = records(&flooded(before(device, pie()))).queues.remove(0);
        queue.departures.delay.nanos() as f64 / queue.departures.forwarded as f64 / 1e6
    };
    let plain = mean(None);
    for device in [1, 5, 20] {
        let more = mean(Some(device)) - plain;
        assert!((more - f64::from(device)).abs() < 0.5, "{device}: {more} ms");
    }
}

/// What the device holds is no longer CoDel's: packets that wait for less than the target in it are never dropped.
#[test]
fn what_waits_in_the_device_is_not_dropped() {
    let codel = || QueueSpec::Codel(CodelSpec { packets: Some(1_000), ..CodelSpec::default() });
    let dropped = |device| {
        let mut scenario = dumbbell(1, 40, profile("aimd(1, 0.5)", "sack"), 20 * SECOND);
        scenario.profiles[0].tcp.receive_window = Some(60);
        scenario.links[0].queue = Some(codel());
        scenario.links[0].device_queue = device;
        records(&scenario).queues[0].arrivals.dropped()
    };
    assert!(dropped(None) > 0);
    assert_eq!(dropped(Some(100)), 0);
}

#[test]
fn both_orders_do_the_same() {
    let codel = QueueSpec::Codel(CodelSpec { packets: Some(100), ..CodelSpec::default() });
    for queue in [None, Some(codel)] {
        let mut scenario = dumbbell(3, 40, profile("aimd(1, 0.5)", "sack"), 5 * SECOND);
        scenario.links[0].device_queue = Some(2);
        scenario.links[0].queue = queue.or_else(|| scenario.links[0].queue.clone());
        let digest = |order| {
            let simulation = Simulation::new(&scenario, order).expect("a scenario");
            simulation.finish(&Progress::default()).expect("nobody stops this run").digest()
        };
        assert_eq!(digest(Order::Ahead), digest(Order::InTurn));
    }
}

#[test]
fn a_device_needs_a_queue_before_it() {
    let refused = |link: LinkSpec| flooded(link).check().expect_err("refused").to_string();
    let bare = LinkSpec { device_queue: Some(1), ..pipe("link", MEGABIT, 0) };
    assert!(refused(bare).starts_with("links[0].device_queue = 1: expected none"));
    for packets in [0, 10_001] {
        let link = LinkSpec { device_queue: Some(packets), ..port("link", MEGABIT, 0, 10) };
        let expected = format!("links[0].device_queue = {packets}: expected 1 to 10000 packets");
        assert_eq!(refused(link), expected);
    }
}
