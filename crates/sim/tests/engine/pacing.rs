//! Paced senders in a network, and a controller with a rate of its own: what pacing changes and what it must not.

use sawtooth_cc::units::{Bytes, Rate, Span, Time, Window};
use sawtooth_cc::{AckSample, CongestionSignal, Controller, SentPacket, Wants};
use sawtooth_networks::networks::{self, MILLISECOND, SECOND, dumbbell, profile};
use sawtooth_sim::records::Records;
use sawtooth_sim::run;
use sawtooth_sim::scenario::{FlowSpec, Profile, Scenario, TcpSpec};
use sawtooth_sim::tcp::recovery::AnyRecovery;
use sawtooth_sim::tcp::sender::Sender;
use sawtooth_sim::tcp::{Pacing, RecoveryKind};
use std::cell::RefCell;
use std::rc::Rc;

/// One flow over 10 Mbit/s and 40 ms, 50 packets, with room for a thousand.
fn one_flow(pacing: Pacing, tcp: TcpSpec) -> Scenario {
    let endpoints = Profile { tcp: TcpSpec { pacing, ..tcp }, ..profile("aimd(1, 0.5)", "sack") };
    dumbbell(1, 1_000, endpoints, 20 * SECOND)
}

fn both(tcp: &TcpSpec) -> (Records, Records) {
    let with = |pacing| run(&one_flow(pacing, tcp.clone())).expect("the scenario is valid");
    (with(Pacing::Off), with(Pacing::On))
}

#[test]
fn a_window_that_limits_grows_whether_it_is_paced_or_not() {
    // Congestion avoidance from the start, no loss: a packet a round trip, up to some 200 packets after 20 s.
    let (unpaced, paced) = both(&TcpSpec { initial_ssthresh: Some(2.0), ..TcpSpec::default() });
    let (unpaced, paced) = (&unpaced.flows[0], &paced.flows[0]);
    assert_eq!((unpaced.loss_events, paced.loss_events), (0, 0));
    let ratio = paced.window_mean / unpaced.window_mean;
    assert!(unpaced.window_mean > 100.0 && (0.98..=1.02).contains(&ratio), "{ratio}");
}

#[test]
fn slow_start_doubles_whether_it_is_paced_or_not() {
    // A delayed acknowledgement lets four packets go, and the next one comes while the pacer holds some of them: that is no lack of data.
    // If it were taken for one, every second acknowledgement would grow nothing. A last round of paced packets is spread over half
    // of its round trip, so some of it comes later than a burst would.
    let delivered = |pacing| {
        let tcp = TcpSpec { initial_window: 4.0, delayed_ack: true, ..TcpSpec::default() };
        let mut scenario = one_flow(pacing, tcp);
        scenario.duration_ns = 310 * MILLISECOND;
        run(&scenario).expect("the scenario is valid").flows[0].delivered_unique
    };
    let (unpaced, paced) = (delivered(Pacing::Off), delivered(Pacing::On));
    assert!(unpaced > 150 && paced <= unpaced && 10 * paced > 9 * unpaced, "{unpaced} and {paced} packets");
}

#[test]
fn pacing_spreads_an_initial_window_that_would_queue_as_a_burst() {
    // 20 packets at once at a link that takes 0.8 ms for each: the mean one waits for 9.5 others. Paced at two windows a round trip of
    // some 40 ms they come a millisecond apart, and none waits.
    let tcp = TcpSpec { initial_window: 20.0, ..TcpSpec::default() };
    let delay = |pacing| {
        let mut scenario = one_flow(pacing, tcp.clone());
        scenario.flows[0].packets = Some(20);
        let records = run(&scenario).expect("the scenario is valid");
        assert!(records.flows[0].finished_ns.is_some());
        let departures = &records.queues[0].departures;
        departures.test_delay.nanos() / departures.test_forwarded
    };
    let (burst, spread) = (delay(Pacing::Off), delay(Pacing::On));
    assert_eq!(spread, 0);
    assert!(burst.abs_diff(19 * 800_000 / 2) < MILLISECOND / 5, "{burst} ns");
}

#[test]
fn an_application_that_does_not_fill_its_window_is_not_limited_by_the_pacer() {
    // 20 packets every 40 ms over 80 ms: 40 in flight at most, however large the window. Bursts come while acknowledgements of earlier ones
    // do, so the pacer holds packets at each. RFC 9002 §7.8: that is no full window. It had grown by a packet in every such round trip.
    let window = |pacing, recovery| {
        let endpoints = profile("aimd(1, 0.5)", recovery);
        let tcp = TcpSpec { pacing, initial_ssthresh: Some(50.0), ..endpoints.tcp.clone() };
        let mut scenario = dumbbell(1, 1_000, Profile { tcp, ..endpoints }, 20 * SECOND);
        scenario.links.iter_mut().for_each(|link| link.rate_bps = link.rate_bps.map(|_| 100_000_000));
        let delays: u64 = scenario.links.iter().map(|link| link.delay_ns).sum();
        scenario.links.iter_mut().for_each(|link| link.delay_ns = link.delay_ns * 80 * MILLISECOND / delays);
        scenario.flows[0].supply = (0..500).map(|burst| [40 * MILLISECOND * burst, 20]).collect();
        run(&scenario).expect("the scenario is valid").flows[0].window_mean
    };
    for recovery in ["sack", "rack", "quic"] {
        let (unpaced, paced) = (window(Pacing::Off, recovery), window(Pacing::On, recovery));
        assert!(paced <= 1.02 * unpaced, "{recovery}: {paced} packets, {unpaced} without pacing");
    }
}

/// Events per packet that pacing adds. A delayed acknowledgement lets two packets go, of which one waits: half of the packets.
fn events_for_waiting(shared: bool) -> (f64, Scenario) {
    let tcp = TcpSpec { delayed_ack: true, receive_window: Some(20), ..TcpSpec::default() };
    let scenario = |pacing| {
        let mut scenario = one_flow(pacing, tcp.clone());
        if shared {
            let start_ns = scenario.duration_ns - MILLISECOND;
            scenario.flows.push(FlowSpec { start_ns, ..scenario.flows[0].clone() });
        }
        scenario
    };
    let per_packet = |pacing| {
        let records = run(&scenario(pacing)).expect("the scenario is valid");
        records.account.events as f64 / records.flows[0].sent as f64
    };
    (per_packet(Pacing::On) - per_packet(Pacing::Off), scenario(Pacing::On))
}

#[test]
fn a_packet_that_waits_before_a_shared_link_takes_one_timer() {
    // Half an event a packet. The other timers' event must not be set anew each time.
    let (more, _) = events_for_waiting(true);
    assert!((0.48..=0.52).contains(&more), "{more} events per packet");
}

#[test]
fn packets_that_wait_before_a_link_of_their_own_share_a_timer() {
    // It is put off by the delay of that link each time, so there is one event per delay, at most, however many packets wait.
    let (more, scenario) = events_for_waiting(false);
    let sent = run(&scenario).expect("the scenario is valid").flows[0].sent as f64;
    let delay_ns = scenario.links[scenario.flows[0].forward[0] as usize].delay_ns;
    let delays = scenario.duration_ns as f64 / (delay_ns - 1) as f64;
    assert!(
        more * sent <= delays + 1.0 && more < 0.48,
        "{more} events per packet, {sent} packets, {delays} delays"
    );
}

/// A rate, a window that does not matter, and what it was told. The rate may be another from some packet on.
struct Rated {
    rate: Rate,
    sent: u32,
    later: Option<(u32, Rate)>,
    quantum: Bytes,
    limited: Rc<RefCell<Vec<bool>>>,
}

impl Controller for Rated {
    fn wants(&self) -> Wants {
        Wants { packets: self.later.is_some(), ..Wants::NOTHING }
    }

    fn on_sent(&mut self, _: &SentPacket) {
        self.sent += 1;
        self.rate = self.later.filter(|&(from, _)| from <= self.sent).map_or(self.rate, |(_, rate)| rate);
    }

    fn on_ack(&mut self, ack: &AckSample) {
        self.limited.borrow_mut().push(ack.cwnd_limited);
    }

    fn on_congestion(&mut self, _: &CongestionSignal) {}

    fn window(&self) -> Window {
        Window::from_packets(1_000.0)
    }

    fn slow_start_threshold(&self) -> Window {
        Window::from_packets(2.0)
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.rate)
    }

    fn send_quantum(&self) -> Bytes {
        self.quantum
    }
}

/// When each packet of the first 10 ms leaves, in µs, and what the controller is told at an acknowledgement after them.
fn paced_by_controller(quantum: u64, later: Option<(u32, Rate)>) -> (Vec<u64>, Vec<bool>) {
    let limited = Rc::new(RefCell::new(Vec::new()));
    let flow = FlowSpec { forward: Vec::new(), reverse: Vec::new(), ..networks::flow(&[], &[]) };
    let endpoints = profile("aimd(1, 0.5)", "sack");
    assert_eq!(endpoints.tcp.pacing, Pacing::Off, "a controller with a rate is paced whatever the setting");
    let control = |_: &_| Rated {
        rate: Rate::from_bits_per_second(8_000_000),
        sent: 0,
        later,
        quantum: Bytes::new(quantum),
        limited: Rc::clone(&limited),
    };
    let recovery = AnyRecovery::new(RecoveryKind::Sack, &endpoints.tcp);
    let mut sender = Sender::joined(0, &flow, &endpoints, None, control, recovery);
    sender.syn(Time::ZERO);
    let opened = Time::ZERO + Span::from_millis(100);
    sender.on_syn_ack(opened);
    let (mut now, mut left) = (opened, Vec::new());
    while now < opened + Span::from_millis(10) {
        while sender.next_packet(now).is_some() {
            left.push((now - opened).nanos() / 1_000);
        }
        now = sender.deadline();
        sender.on_deadline(now).expect("the SYN has been answered");
    }
    sender.on_ack(1, None, false, now);
    let told = limited.borrow().clone();
    (left, told)
}

#[test]
fn a_controller_that_answers_with_a_rate_is_paced_by_it() {
    // 1000 bytes at 8 Mbit/s: a packet a millisecond. The pacer holds data, so neither the application limits nor the window,
    // which has said so since the start.
    let (left, told) = paced_by_controller(0, None);
    assert_eq!(left, (0..10).map(|packet| packet * 1_000).collect::<Vec<_>>());
    assert_eq!(told, [true]);
    // Three at a time, every three milliseconds; 3,999 bytes are three packets.
    for quantum in [3_000, 3_999] {
        let (left, _) = paced_by_controller(quantum, None);
        assert_eq!(left, [0, 0, 0, 3_000, 3_000, 3_000, 6_000, 6_000, 6_000, 9_000, 9_000, 9_000]);
    }
}

#[test]
fn a_rate_that_changes_with_a_packet_paces_what_follows_it() {
    let half = Rate::from_bits_per_second(4_000_000);
    let (left, _) = paced_by_controller(0, Some((3, half)));
    assert_eq!(left, [0, 1_000, 2_000, 4_000, 6_000, 8_000]);
}
