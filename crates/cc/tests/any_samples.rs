//! Today's senders under samples that no network would give: whatever is measured, their answers stay within what their sources state.
//!
//! Times reach from nothing to twelve days, volumes to a terabyte, and losses, marks, timeouts and recoveries come in any order. Only the
//! books are a transport's: what has been delivered and lost does not become less, and what is marked or lost has a size.
//!
//! `PROPTEST_CASES=5000 cargo test --release -p sawtooth-cc --test any_samples` draws so many fresh cases for each sender.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use sawtooth_cc::idle::IdleRule;
use sawtooth_cc::units::{Bytes, Rate, Span, Time, Window};
use sawtooth_cc::{
    AckSample, AnyController, Congestion, CongestionSignal, ControlSettings, ControlState, Controller,
    DeliveryRate, IdleSignal, LostPacket, Recovery, RecoverySignal, RoundTripTimes, SentPacket,
    SlowStartKind, UndoSignal, WindowOfData, parse_controller,
};

const SENDERS: [&str; 8] = ["bbr", "bbr-1", "prague", "dctcp", "copa", "vegas", "ledbat", "cubic"];
const CASES: u32 = 200;
const PACKET: u64 = 1_000;
/// What the sums of a controller and of this test may differ by.
const ROUNDING: f64 = 1e-6;

/// What is measured at an acknowledgement, before it is fitted into the books.
#[derive(Clone, Copy, Debug)]
struct Measured {
    delivered: u64,
    lost: u64,
    in_flight: u64,
    marked: u32,
    smoothed: Option<u64>,
    latest: Option<u64>,
    newest: Option<u64>,
    rate: Option<(u64, u64, u64)>,
    flags: [bool; 5],
}

#[derive(Clone, Copy, Debug)]
enum Happening {
    Sent(u64),
    Ack(Measured),
    Lost { in_flight: u64, continues: bool },
    Signal(Congestion),
    Undo,
    Idle,
    Recovery(Recovery),
}

/// Nanoseconds: as in networks, or any microseconds, each power of two alike.
fn span() -> impl Strategy<Value = u64> {
    prop_oneof![1_000_000u64..300_000_000, any_size(40).prop_map(|micros| 1_000 * micros)]
}

/// Bytes: some packets, or any number of bytes.
fn volume() -> impl Strategy<Value = u64> {
    prop_oneof![(0u64..200).prop_map(|packets| packets * PACKET), any_size(40)]
}

fn any_size(bits_max: u32) -> impl Strategy<Value = u64> {
    (0..=bits_max, any::<u64>()).prop_map(|(bits, value)| value & ((1 << bits) - 1))
}

fn measured() -> impl Strategy<Value = Measured> {
    let volumes = (volume(), prop_oneof![3 => Just(0), 1 => volume()], volume(), 0u32..100);
    let times = (prop::option::of(span()), prop::option::of(span()), prop::option::of(span()));
    let rate = prop::option::weighted(0.8, (volume(), span(), volume()));
    (volumes, times, rate, any::<[bool; 5]>()).prop_map(
        |((delivered, lost, in_flight, marked), (smoothed, latest, newest), rate, flags)| Measured {
            delivered,
            lost,
            in_flight,
            marked: if flags[0] { marked } else { 0 },
            smoothed,
            latest,
            newest,
            rate,
            flags,
        },
    )
}

fn happening() -> impl Strategy<Value = (u64, Happening)> {
    let signal = prop_oneof![
        Just(Congestion::Loss),
        any::<bool>().prop_map(|repeated| Congestion::LossRestart { repeated }),
        Just(Congestion::EcnMark),
        any::<bool>().prop_map(|repeated| Congestion::Timeout { repeated }),
        Just(Congestion::PersistentCongestion),
    ];
    let what = prop_oneof![
        8 => measured().prop_map(Happening::Ack),
        3 => volume().prop_map(Happening::Sent),
        2 => (volume(), any::<bool>()).prop_map(|(in_flight, continues)| Happening::Lost { in_flight, continues }),
        2 => signal.prop_map(Happening::Signal),
        1 => Just(Happening::Undo),
        1 => Just(Happening::Idle),
        1 => prop_oneof![Just(Recovery::Entered), Just(Recovery::Left)].prop_map(Happening::Recovery),
    ];
    (span(), what)
}

/// A connection's books, and what its controller has been told.
struct Connection {
    control: AnyController,
    now: Time,
    delivered: u64,
    lost: u64,
    signals: u64,
    last_signal: Option<Congestion>,
    /// The smoothed round trip of before.
    srtt: Option<Span>,
    /// The highest rate that was ever measured or that a first window gives, in bytes per second.
    fastest: f64,
    /// The largest window so far, in packets.
    largest: f64,
    idle: IdleRule,
    in_recovery: bool,
}

impl Connection {
    fn open(sender: &str, settings: ControlSettings, handshake: Option<u64>) -> Self {
        let settings =
            ControlSettings { packet: Bytes::new(PACKET), random: Some([5; 32]), paced: true, ..settings };
        let mut control = AnyController::new(&parse_controller(sender).expect("a sender"), &settings);
        let srtt = handshake.map(Span::from_nanos);
        control.on_established(Time::ZERO, srtt);
        let mut connection = Connection {
            control,
            now: Time::ZERO,
            delivered: 0,
            lost: 0,
            signals: 0,
            last_signal: None,
            srtt: None,
            fastest: settings.initial_window.packets() * PACKET as f64 / 0.001,
            largest: settings.initial_window.packets(),
            idle: settings.idle,
            in_recovery: false,
        };
        connection.note_round_trip(srtt);
        connection
    }

    fn note_round_trip(&mut self, srtt: Option<Span>) {
        self.srtt = srtt.or(self.srtt);
        if let Some(srtt) = srtt.filter(|srtt| *srtt > Span::ZERO) {
            let first_window = ControlSettings::default().initial_window.packets() * PACKET as f64;
            self.fastest = self.fastest.max(first_window / srtt_seconds(srtt));
        }
    }

    fn window(&self) -> f64 {
        self.control.window().packets()
    }

    fn sent(&self, in_flight: u64) -> SentPacket {
        SentPacket {
            sent_at: self.now,
            size: Bytes::new(PACKET),
            delivered: Bytes::new(self.delivered),
            delivered_at: self.now,
            first_sent_at: self.now,
            in_flight: Bytes::new(in_flight.max(PACKET)),
            lost: Bytes::new(self.lost),
            app_limited: false,
            times_sent: 1,
        }
    }

    fn sample(&mut self, measured: &Measured) -> AckSample {
        let Measured { delivered, lost, in_flight, marked, flags, .. } = *measured;
        self.delivered += delivered;
        self.lost += lost;
        let [_, app_limited, reliable, round_ended, cwnd_limited] = flags;
        let packets = u32::try_from(delivered / PACKET).expect("a terabyte has fewer packets");
        let span = |nanos: Option<u64>| nanos.map(Span::from_nanos);
        let rate = measured.rate.map(|(volume, interval, in_flight_at_sending)| DeliveryRate {
            delivered: Bytes::new(volume.min(self.delivered)),
            interval: Span::from_nanos(interval),
            prior_delivered: Bytes::new(self.delivered - volume.min(self.delivered)),
            in_flight_at_sending: Bytes::new(in_flight_at_sending),
            lost: Bytes::new(lost),
            app_limited,
            reliable,
        });
        AckSample {
            now: self.now,
            newly_acked: packets,
            ce_marked: marked.min(packets),
            newly_marked: Bytes::new(u64::from(marked.min(packets)) * PACKET),
            delivered: Bytes::new(self.delivered),
            newly_delivered: Bytes::new(delivered),
            newly_lost: Bytes::new(lost),
            in_flight_before: Bytes::new(in_flight + delivered + lost),
            in_flight_after: Bytes::new(in_flight),
            rtt: RoundTripTimes {
                latest: span(measured.latest),
                minimum: span(measured.latest),
                smoothed: span(measured.smoothed),
                newest: span(measured.newest),
            },
            rate,
            round_ended,
            in_recovery: self.in_recovery,
            cwnd_limited,
        }
    }

    fn happen(&mut self, after: u64, what: Happening) -> Option<AckSample> {
        self.now += Span::from_nanos(after);
        self.largest = self.largest.max(self.window());
        let now = self.now;
        match what {
            Happening::Sent(in_flight) => self.control.on_sent(&self.sent(in_flight)),
            Happening::Ack(measured) => {
                let sample = self.sample(&measured);
                self.note_round_trip(sample.rtt.smoothed);
                if let Some(rate) = sample.rate.filter(|rate| rate.interval > Span::ZERO) {
                    let seconds = rate.interval.nanos() as f64 / 1e9;
                    self.fastest = self.fastest.max(rate.delivered.count() as f64 / seconds);
                }
                self.control.on_ack(&sample);
                return Some(sample);
            }
            Happening::Lost { in_flight, continues } => {
                let sent = self.sent(in_flight);
                self.lost += PACKET;
                let (lost, delivered) = (Bytes::new(self.lost), Bytes::new(self.delivered));
                self.control.on_lost(&LostPacket { now, sent, lost, delivered, continues });
            }
            Happening::Signal(kind) => {
                self.signals += 1;
                self.last_signal = Some(kind);
                let window_of_data = WindowOfData::numbered(self.signals);
                self.control.on_congestion(&CongestionSignal { now, kind, window_of_data });
            }
            Happening::Undo => {
                if let Some(kind) = self.last_signal.take() {
                    let window_of_data = WindowOfData::numbered(self.signals);
                    let (in_flight, newly_delivered) = (Bytes::new(PACKET), Bytes::new(PACKET));
                    self.control.on_undo(&UndoSignal {
                        now,
                        kind,
                        window_of_data,
                        in_flight,
                        newly_delivered,
                    });
                }
            }
            Happening::Idle => {
                let since = Time::from_nanos(now.nanos() - after);
                self.control.on_idle(&IdleSignal { now, since, timeout: Span::from_seconds(1) });
            }
            Happening::Recovery(change) => {
                self.in_recovery = change == Recovery::Entered;
                let in_flight = Bytes::new(PACKET);
                self.control.on_recovery(&RecoverySignal { now, change, in_flight });
            }
        }
        None
    }
}

fn srtt_seconds(srtt: Span) -> f64 {
    srtt.nanos() as f64 / 1e9
}

fn bits(rate: Rate) -> f64 {
    rate.bits_per_second() as f64
}

/// Each sender meets the same sequences every time.
fn hold(sender: &str, holds: impl Fn(&mut Connection, u64, Happening) -> Result<(), TestCaseError>) {
    let asked: Option<u32> = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let config = Config { cases: asked.unwrap_or(CASES), failure_persistence: None, ..Config::default() };
    let mut seed = [0; 32];
    sender.bytes().zip(&mut seed).for_each(|(byte, place)| *place = byte);
    let mut runner = match asked {
        Some(_) => TestRunner::new(config),
        None => TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed)),
    };
    let settings = (
        prop_oneof![Just(IdleRule::Keep), Just(IdleRule::Rfc5681), Just(IdleRule::Rfc7661)],
        prop_oneof![
            Just(SlowStartKind::Standard),
            Just(SlowStartKind::HystartPlusPlus),
            Just(SlowStartKind::Hystart)
        ],
    );
    let drawn = (settings, prop::option::of(span()), prop::collection::vec(happening(), 1..80));
    let ran = runner.run(&drawn, |((idle, slow_start), handshake, happenings)| {
        let settings = ControlSettings { idle, slow_start, ..ControlSettings::default() };
        let mut connection = Connection::open(sender, settings, handshake);
        for (after, what) in happenings {
            holds(&mut connection, after, what)?;
        }
        Ok(())
    });
    if let Err(failure) = ran {
        panic!("{sender}: {failure}");
    }
}

#[test]
fn windows_and_rates_are_those_of_something_that_can_be_sent() {
    for sender in SENDERS {
        hold(sender, |connection, after, what| {
            connection.happen(after, what);
            let (window, threshold) =
                (connection.window(), connection.control.slow_start_threshold().packets());
            prop_assert!(window.is_finite() && window >= 1.0, "a window of {window}");
            prop_assert!(threshold >= 1.0, "a threshold of {threshold}");
            if let Some(rate) = connection.control.pacing_rate() {
                // At most everything that may be in flight or was delivered leaves in a microsecond, the shortest time that is measured.
                let bytes = PACKET as f64 * window.max(connection.largest) + connection.delivered as f64;
                let most = 3.0 * 8.0 * (1e6 * bytes + connection.fastest);
                prop_assert!(bits(rate) >= 1.0, "a rate of 0");
                prop_assert!(bits(rate) <= most, "{rate:?} with a window of {window}");
            }
            Ok(())
        });
    }
}

#[test]
fn windows_stay_above_the_least_of_their_sources() {
    // RFC 6817 §2.5 (MIN_CWND), and Linux: delay leaves two packets.
    for sender in ["ledbat", "vegas"] {
        hold(sender, |connection, after, what| {
            let before = connection.window();
            let answered = connection.happen(after, what).is_some();
            let window = connection.window();
            // RFC 7661 lowers windows that are not used, whatever the law.
            let shrunk = answered && window < before && connection.idle != IdleRule::Rfc7661;
            prop_assert!(!shrunk || window >= 2.0, "{before} to {window} packets");
            Ok(())
        });
    }
    // draft-ietf-ccwg-bbr §5.6.4.3, and Linux tcp_bbr.c outside recovery: MinPipeCwnd after every acknowledgement that delivers something.
    for sender in ["bbr", "bbr-1"] {
        hold(sender, |connection, after, what| {
            let acknowledged = connection.happen(after, what).filter(|ack| ack.newly_delivered > Bytes::ZERO);
            if acknowledged.is_some_and(|ack| ack.rate.is_some() && !(sender == "bbr-1" && ack.in_recovery)) {
                prop_assert!(connection.window() >= 4.0, "{} packets", connection.window());
            }
            Ok(())
        });
    }
}

/// RFC 5681 §3.1 in slow start and less elsewhere: as much as is acknowledged, and nothing at congestion.
#[test]
fn a_window_law_adds_at_most_what_is_acknowledged_and_congestion_adds_nothing() {
    for sender in ["prague", "dctcp", "copa", "vegas", "ledbat", "cubic"] {
        hold(sender, |connection, after, what| {
            let before = connection.window();
            let acknowledged = connection.happen(after, what);
            let window = connection.window();
            // Known: see `a_window_cut_by_an_idle_time_may_come_back_at_once`.
            let comes_back = connection.idle == IdleRule::Rfc5681 && ["cubic", "prague"].contains(&sender);
            if let Some(ack) = acknowledged.filter(|_| !comes_back) {
                // [BrakmoPeterson95] §III.B: Vegas moves by a packet where a round trip ends.
                let counted = if sender == "vegas" { ack.newly_acked.max(1) } else { ack.newly_acked };
                let most = before + f64::from(counted) + ROUNDING * before;
                prop_assert!(window <= most, "{before} to {window} packets at {}", ack.newly_acked);
            }
            if let Happening::Signal(kind) = what {
                // RFC 9002 §7.6.2 sets the window after persistent congestion, which may have been smaller.
                let most = if kind == Congestion::PersistentCongestion { before.max(2.0) } else { before };
                // A loss leaves a window of two (RFC 9438 §4.6, RFC 5681 §3.1, equation 4).
                let most = if kind == Congestion::EcnMark { most } else { most.max(2.0) };
                prop_assert!(window <= most, "{before} to {window} packets at {kind:?}");
            }
            Ok(())
        });
    }
}

/// draft-briscoe-iccrg-prague §2.5.1, [ArunBalakrishnan18] §2.1: at most two windows leave in a round trip.
#[test]
fn prague_paces_at_two_windows_per_round_trip_at_most() {
    hold("prague", |connection, after, what| {
        connection.happen(after, what);
        if let (Some(rate), Some(srtt)) = (connection.control.pacing_rate(), connection.srtt)
            && srtt > Span::ZERO
        {
            let most = 2.0 * 8.0 * connection.window() * PACKET as f64 / srtt_seconds(srtt);
            prop_assert!(bits(rate) <= most.max(1.0) * (1.0 + ROUNDING), "{rate:?}, two windows: {most}");
        }
        Ok(())
    });
}

/// The gain of the window in a state, outside start-up: draft-ietf-ccwg-bbr §5.6.1, [Cardwell16] with Linux's numbers.
fn window_gain(state: ControlState) -> f64 {
    match state {
        ControlState::ProbeBwUp => 2.25,
        ControlState::Drain | ControlState::ProbeBw => 2.89, // version 1 drains with the window of its start-up
        _ => 2.0,
    }
}

/// What a model allows in flight, by what it tells of itself; one packet of slack for estimates in whole bytes and bits.
#[test]
fn bbr_keeps_its_window_within_its_model() {
    for sender in ["bbr", "bbr-1"] {
        hold(sender, |connection, after, what| {
            let sample = connection.happen(after, what);
            let control = &connection.control;
            let (Some(model), Some(state)) = (control.estimates(), control.state()) else { unreachable!() };
            let told = sample.is_some_and(|ack| {
                ack.rate.is_some()
                    && ack.newly_delivered > Bytes::ZERO
                    && !(sender == "bbr-1" && ack.in_recovery)
            });
            if !told {
                return Ok(());
            }
            let packet = PACKET as f64;
            let window = connection.window() * packet;
            let least = 4.0 * packet;
            let bound = |bytes: Option<Bytes>| bytes.map_or(f64::INFINITY, |bytes| bytes.count() as f64);
            // draft-ietf-ccwg-bbr §5.6.4.6, `BoundCwndForModel`
            let longterm = match state {
                ControlState::Startup | ControlState::Drain => f64::INFINITY,
                ControlState::ProbeBwCruise | ControlState::ProbeRtt => {
                    let bound = bound(model.inflight_longterm);
                    bound - packet.max(0.15 * bound)
                }
                _ => bound(model.inflight_longterm),
            };
            let stated = longterm.min(bound(model.inflight_shortterm)).max(least);
            prop_assert!(
                window <= stated + packet || stated.is_nan(),
                "{window} bytes in {state:?}, bounds: {model:?}"
            );
            let bw = model.bw.map_or(0.0, |bw| bits(bw) + 1.0) / 8.0;
            let first = ControlSettings::default().initial_window.packets() * packet;
            let multiple = |gain: f64| model.min_rtt.map_or(first, |least| gain * bw * srtt_seconds(least));
            let most = match (sender, state) {
                (_, ControlState::Startup) => f64::INFINITY,
                ("bbr", ControlState::ProbeRtt) => multiple(0.5).max(least), // `ProbeRTTCwnd`
                (_, ControlState::ProbeRtt) => least,
                _ => {
                    // `QuantizationBudget`; version 1 adds the quanta, and rounds to an even number of packets.
                    let quanta = 3.0 * control.send_quantum().count() as f64;
                    let planned = multiple(window_gain(state)) + bound(model.extra_acked);
                    let probing = 2.0 * packet;
                    if sender == "bbr" {
                        planned.max(quanta).max(least) + probing
                    } else {
                        planned + quanta + 2.0 * probing
                    }
                }
            };
            prop_assert!(
                window <= most.max(least) * (1.0 + ROUNDING) + packet,
                "{window} bytes in {state:?}, by its model {most}: {model:?}"
            );
            Ok(())
        });
    }
}

/// The rate in a state, over the bandwidth: draft-ietf-ccwg-bbr §5.6.1, [Cardwell16].
#[test]
fn bbr_paces_no_faster_than_a_gain_over_what_was_measured() {
    for (sender, start_up) in [("bbr", 2.77), ("bbr-1", 2.89)] {
        hold(sender, |connection, after, what| {
            let told = connection.happen(after, what).is_some_and(|ack| ack.rate.is_some());
            let control = &connection.control;
            let rate = control.pacing_rate().map_or(f64::INFINITY, bits);
            if sender == "bbr" {
                let most = start_up * 8.0 * connection.fastest;
                prop_assert!(
                    rate <= most * (1.0 + ROUNDING) + 1.0,
                    "{rate} bit/s, the fastest start gives {most}"
                );
            }
            let probing = control
                .state()
                .is_some_and(|state| !matches!(state, ControlState::Startup | ControlState::ProbeRtt));
            if let Some(bw) = control.estimates().and_then(|model| model.bw).filter(|_| told && probing) {
                let most = 1.25 * (bits(bw) + 1.0);
                prop_assert!(
                    rate <= most * (1.0 + ROUNDING) + 1.0,
                    "{rate} bit/s over a bandwidth of {bw:?}"
                );
            }
            Ok(())
        });
    }
}

/// Known, and wrong: where the restart window of RFC 5681 §4.1 is above the slow-start threshold, the stage of congestion avoidance goes on,
/// and W_est of before the idle time takes the window back with the first acknowledgement. Linux would add a packet at every other.
#[test]
fn a_window_cut_by_an_idle_time_may_come_back_at_once() {
    let settings = ControlSettings {
        initial_threshold: Some(Window::from_packets(2.0)),
        idle: IdleRule::Rfc5681,
        ..ControlSettings::default()
    };
    let mut control = AnyController::new(&parse_controller("cubic").expect("a sender"), &settings);
    let at = |seconds| Time::ZERO + Span::from_seconds(seconds);
    for _ in 0..500 {
        control.on_ack(&AckSample::classic(at(1), 1, None, true));
    }
    let before = control.window().packets();
    assert!(before > 20.0, "{before} packets");
    control.on_idle(&IdleSignal { now: at(3), since: at(1), timeout: Span::from_seconds(1) });
    assert_eq!(control.window(), settings.initial_window, "RFC 5681 §4.1");
    control.on_ack(&AckSample::classic(at(3), 1, None, true));
    assert!(control.window().packets() > before, "one packet was acknowledged");
}
