//! RAP in whole networks: the saw tooth of a rate.

use sawtooth_networks::networks::{self, MILLISECOND, SECOND};
use sawtooth_sim::scenario::{ImpairmentSpec, LinkSpec, RecordSpec, Scenario};
use sawtooth_sim::series::windows::{WindowEvent, WindowPoint};
use sawtooth_sim::tcp::Ecn;
use sawtooth_sim::{Records, run};

/// One flow over a link that is never full and drops or marks every n-th packet; a round trip of 100 ms.
fn regular(controller: &str, n: u64, marks: bool) -> Scenario {
    let every = Some(ImpairmentSpec::Periodic { n });
    let (drop, mark) = if marks { (None, every) } else { (every, None) };
    let bottleneck = networks::port("bottleneck", 1_000_000_000, 50 * MILLISECOND, 100_000);
    let reverse = networks::pipe("reverse", 1_000_000_000, 50 * MILLISECOND);
    let mut profile = networks::profile(controller, "none");
    profile.tcp.ecn = if marks { Ecn::Classic } else { Ecn::Off };
    let links = vec![LinkSpec { drop, mark, ..bottleneck }, reverse];
    Scenario {
        flows: vec![networks::flow(&[0], &[1])],
        warmup_ns: 100 * SECOND,
        record: RecordSpec { windows: true, ..RecordSpec::default() },
        ..networks::scenario(300 * SECOND, links, vec![profile])
    }
}

/// Drops of one in n packets hold AIMD(a, b) at this mean, in packets per round trip ([Floyd00] eq. 7).
fn mean(a: f64, b: f64, n: u64) -> f64 {
    ((2.0 - b) * a / (2.0 * b) * n as f64).sqrt()
}

#[test]
fn regular_losses_hold_the_mean_of_aimd() {
    for (controller, a, b) in [("rap", 1.0, 0.5), ("rap(0.2, 0.125)", 0.2, 0.125)] {
        for marks in [false, true] {
            let records = run(&regular(controller, 400, marks)).unwrap();
            let flow = &records.flows[0];
            let expected = mean(a, b, 400);
            // The cut comes a round trip and three packets late, with a packet per round trip more each time.
            let ratio = flow.window_mean / expected;
            assert!((0.95..=1.12).contains(&ratio), "{controller}: {} of {expected}", flow.window_mean);
            let events = flow.loss_events + flow.ecn_reductions;
            assert!(events.abs_diff(flow.sent / 400) <= 1, "{controller}: {flow:?}");
            assert_eq!(flow.ecn_reductions > 0, marks);
        }
    }
}

fn cuts(records: &Records, kind: WindowEvent) -> Vec<&WindowPoint> {
    let windows = records.series.windows.as_ref().expect("windows are recorded");
    windows.points.iter().filter(|point| point.event == kind).collect()
}

#[test]
fn each_event_removes_the_fraction_b() {
    let records = run(&regular("rap(1, 0.25)", 400, false)).unwrap();
    let cuts = cuts(&records, WindowEvent::Loss);
    assert!(cuts.len() > 30);
    for cut in &cuts {
        // The acknowledgement that reveals the loss may end a step as well, but a step with a cut adds nothing.
        assert!((cut.window / cut.before - 0.75).abs() < 0.01, "{cut:?}");
    }
}

#[test]
fn silence_cuts_the_rate_again_and_again() {
    let mut scenario = regular("rap", 400, false);
    scenario.warmup_ns = 0;
    scenario.links[1].drop = Some(ImpairmentSpec::List { packets: (1_000..100_000).collect() });
    let records = run(&scenario).unwrap();
    let cuts = cuts(&records, WindowEvent::Timeout);
    assert!(cuts.len() >= 6, "{cuts:?}");
    for pair in cuts[..6].windows(2) {
        assert!((pair[1].window / pair[0].window - 0.5).abs() < 1e-9, "{pair:?}");
    }
}
