//! Delivery-rate samples of a sender over a path whose rate and round trip are known, against their formula.
//!
//! Source: draft-ietf-ccwg-bbr §4.1. A sender and a receiver of the engine, and between them a link that is a few lines here, so that
//! nothing but the records and the formula is compared.

use sawtooth_cc::units::{Bytes, Rate, Span, Time, Window};
use sawtooth_cc::{AckSample, CongestionSignal, Controller, Wants};
use sawtooth_sim::packet::Packet;
use sawtooth_sim::scenario::{FlowSpec, Profile, TcpSpec};
use sawtooth_sim::tcp::RecoveryKind;
use sawtooth_sim::tcp::receiver::Receiver;
use sawtooth_sim::tcp::recovery::AnyRecovery;
use sawtooth_sim::tcp::sender::Sender;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

const PACKET: u64 = 1_000;

/// A window that never changes, and every sample that it was told.
struct Fixed {
    window: f64,
    samples: Rc<RefCell<Vec<AckSample>>>,
}

impl Controller for Fixed {
    fn wants(&self) -> Wants {
        Wants { rates: true, ..Wants::NOTHING }
    }

    fn on_ack(&mut self, ack: &AckSample) {
        self.samples.borrow_mut().push(*ack);
    }

    fn on_congestion(&mut self, _: &CongestionSignal) {}

    fn window(&self) -> Window {
        Window::from_packets(self.window)
    }

    fn slow_start_threshold(&self) -> Window {
        Window::from_packets(2.0)
    }
}

/// What arrives where.
enum Arrival {
    Data(Packet),
    Ack(u32),
    /// So many packets from the application.
    Supply(u32),
}

/// A sender, a link of this rate with a queue without end, a receiver, and nothing on the way back but delay.
struct Path {
    sender: Sender<Fixed>,
    receiver: Receiver,
    rate: Rate,
    delay: Span,
    free_at: Time,
    arrivals: BTreeMap<(Time, u64), Arrival>,
    sent: u64,
}

impl Path {
    /// Data without end, or what is supplied at these times in ms.
    fn new(
        rate: Rate,
        delay: Span,
        window: f64,
        supply: &[(u64, u32)],
        samples: &Rc<RefCell<Vec<AckSample>>>,
    ) -> Self {
        let later =
            |&(at, packets): &(u64, u32)| ((Time::ZERO + Span::from_millis(at), 0), Arrival::Supply(packets));
        let tcp = TcpSpec::default();
        let profile = Profile {
            controller: sawtooth_cc::parse_controller("aimd(1, 0.5)").expect("a controller of the table"),
            recovery: Some(RecoveryKind::Sack),
            packet_bytes: PACKET as u16,
            ack_bytes: 40,
            send_jitter_ns: 0,
            tcp: tcp.clone(),
        };
        let flow = FlowSpec {
            profile: 0,
            test: true,
            in_profile: false,
            forward: Vec::new(),
            reverse: Vec::new(),
            start_ns: 0,
            stop_ns: None,
            packets: None,
            supply: supply.iter().map(|&(at, packets)| [at, u64::from(packets)]).collect(),
        };
        let recovery = AnyRecovery::new(RecoveryKind::Sack, &tcp);
        let control = |_: &_| Fixed { window, samples: Rc::clone(samples) };
        Path {
            sender: Sender::joined(0, &flow, &profile, None, control, recovery),
            receiver: Receiver::new(true, &tcp),
            rate,
            delay,
            free_at: Time::ZERO,
            arrivals: supply.iter().map(later).collect(),
            sent: 0,
        }
    }

    fn send_allowed(&mut self, now: Time) {
        while let Some(packet) = self.sender.next_packet(now) {
            self.free_at = self.free_at.max(now) + Bytes::new(PACKET) / self.rate;
            self.sent += 1;
            self.arrivals.insert((self.free_at + self.delay, self.sent), Arrival::Data(packet));
        }
    }

    /// The handshake takes the two delays; then everything up to the end.
    fn run(&mut self, end: Time) {
        self.sender.syn(Time::ZERO);
        let opened = Time::ZERO + self.delay + self.delay;
        self.sender.on_syn_ack(opened);
        self.send_allowed(opened);
        while let Some(((now, order), arrival)) = self.arrivals.pop_first() {
            if now >= end {
                break;
            }
            match arrival {
                Arrival::Data(packet) => {
                    self.receiver.on_data(packet, now);
                    let (number, _) = self.receiver.acknowledge();
                    self.arrivals.insert((now + self.delay, order), Arrival::Ack(number));
                }
                Arrival::Supply(packets) => {
                    self.sender.supply(packets, true, now);
                    self.send_allowed(now);
                }
                Arrival::Ack(number) => {
                    self.sender.on_ack(number, None, false, now);
                    self.send_allowed(now);
                }
            }
        }
    }
}

/// The rates that samples gave after the first two round trips, in bit/s.
fn rates(rate: Rate, delay: Span, window: f64) -> Vec<u64> {
    let samples = Rc::new(RefCell::new(Vec::new()));
    let mut path = Path::new(rate, delay, window, &[], &samples);
    path.run(Time::ZERO + Span::from_seconds(5));
    let samples = samples.borrow();
    let settled = samples.iter().filter(|sample| sample.delivered > Bytes::new(3 * window as u64 * PACKET));
    settled
        .map(|sample| sample.rate.and_then(|rate| rate.rate()).expect("a sample").bits_per_second())
        .collect()
}

#[test]
fn a_full_link_shows_its_own_rate() {
    for (bits, delay_ms, window) in [(8_000_000, 20, 100.0), (1_000_000, 5, 3.0), (100_000_000, 50, 2_000.0)]
    {
        let rate = Rate::from_bits_per_second(bits);
        let found = rates(rate, Span::from_millis(delay_ms), window);
        // The window is more than rate × round trip, so packets are delivered one behind the other.
        assert!(found.len() > 500, "{} samples", found.len());
        assert!(found.iter().all(|&found| found.abs_diff(bits) <= bits / 1_000_000 + 1), "{bits}: {found:?}");
    }
}

#[test]
fn a_window_below_the_path_shows_the_window_per_round_trip() {
    for (bits, delay_ms, window) in [(8_000_000u64, 20, 10.0), (100_000_000, 50, 7.0)] {
        let found = rates(Rate::from_bits_per_second(bits), Span::from_millis(delay_ms), window);
        let round_trip = 2.0 * delay_ms as f64 / 1e3 + 8.0 * PACKET as f64 / bits as f64;
        let expected = window * 8.0 * PACKET as f64 / round_trip;
        assert!(found.len() > 100, "{} samples", found.len());
        assert!(
            found.iter().all(|&found| (found as f64 / expected - 1.0).abs() < 1e-6),
            "{expected}: {found:?}"
        );
    }
}

#[test]
fn samples_of_an_application_that_pauses_are_flagged_and_no_others() {
    // 8 Mbit/s, 41 ms: a full link, a pause, five packets, a pause, a full link again. Packets are told apart by when they were sent.
    let rate = Rate::from_bits_per_second(8_000_000);
    let samples = Rc::new(RefCell::new(Vec::new()));
    let supply = [(100, 1_000), (3_000, 5), (4_000, 1_000)];
    Path::new(rate, Span::from_millis(20), 100.0, &supply, &samples).run(Time::ZERO + Span::from_seconds(6));
    let samples = samples.borrow();
    assert_eq!(samples.len(), 2_005);
    let of = |from: usize, to: usize| {
        samples[from..to].iter().map(|sample| {
            let rate = sample.rate.expect("it delivers something");
            (rate.app_limited, rate.rate().expect("over some time").bits_per_second())
        })
    };
    // Data came later than the connection: the first window was sent after a gap, and the draft counts one packet more as such.
    assert!(of(0, 101).all(|(flagged, _)| flagged));
    assert!(of(101, 1_000).all(|(flagged, _)| !flagged), "all of it was sent before data ran out");
    assert!(of(300, 1_000).all(|(_, found)| found.abs_diff(8_000_000) <= 10));
    // Five packets at once after a pause: the first has its own round trip, 41 ms, and the fifth 4 ms more for five packets.
    let expected = |packets: u64| packets * 8 * PACKET * 1_000 / (41 + packets - 1);
    let found: Vec<(bool, u64)> = of(1_000, 1_005).collect();
    assert!(
        found.iter().zip(1..).all(|(&(flagged, rate), count)| flagged && rate.abs_diff(expected(count)) <= 1),
        "{found:?}"
    );
    // A window of 100 leaves at once after the pause. With the delivery of its first packet the gap has left the path: what is sent then
    // is flagged no more, and from the third window on shows the link again.
    assert!(of(1_005, 1_105).all(|(flagged, _)| flagged));
    assert!(of(1_105, 2_005).all(|(flagged, _)| !flagged));
    assert!(of(1_205, 2_005).all(|(_, found)| found.abs_diff(8_000_000) <= 10));
}
