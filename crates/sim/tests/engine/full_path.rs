//! A sender that keeps records sends what a lean one sends.
//!
//! The way of a lean sender is short because all recoveries agree on it; a sender with extras asks at every step. Both must come to the
//! same packets at the same times, for every law and every recovery, whatever the path loses and marks. Only what a controller hears
//! beyond a classic one (acknowledgements during recovery) may change that, and is left out here.

use crate::path::{Path, Shape};
use proptest::prelude::*;
use sawtooth_cc::units::{Bytes, Span, Time, Window};
use sawtooth_cc::{
    AckSample, AnyController, CONTROLLERS, CongestionSignal, ConstructorInfo, ControlSettings, Controller,
    ControllerSpec, LostPacket, SentPacket, Wants,
};
use sawtooth_sim::packet::Packet;
use sawtooth_sim::scenario::TcpSpec;
use sawtooth_sim::tcp::{Ecn, RECOVERIES, RecoveryInfo};

/// A law of the table that wants more than it reads.
struct Curious {
    inner: AnyController,
    wants: Wants,
    delivered: Bytes,
    lost: Bytes,
}

impl Controller for Curious {
    fn wants(&self) -> Wants {
        self.wants
    }

    fn on_sent(&mut self, packet: &SentPacket) {
        assert!(packet.in_flight >= packet.size && packet.times_sent > 0);
    }

    fn on_ack(&mut self, ack: &AckSample) {
        if self.wants.rates {
            assert!(ack.delivered >= self.delivered && !ack.in_recovery, "{ack:?}");
            self.delivered = ack.delivered;
        }
        self.inner.on_ack(ack);
    }

    fn on_lost(&mut self, packet: &LostPacket) {
        assert_eq!(packet.lost, self.lost + packet.sent.size, "one by one");
        self.lost = packet.lost;
    }

    fn on_congestion(&mut self, signal: &CongestionSignal) {
        self.inner.on_congestion(signal);
    }

    fn window(&self) -> Window {
        self.inner.window()
    }

    fn slow_start_threshold(&self) -> Window {
        self.inner.slow_start_threshold()
    }
}

const EVERYTHING: Wants = Wants { packets: true, rates: true, rounds: true, recovery: false };

fn sent(
    shape: &Shape,
    recovery: &RecoveryInfo,
    tcp: &TcpSpec,
    spec: &ControllerSpec,
    wants: Wants,
) -> Vec<(Time, Packet)> {
    let control = |settings: &ControlSettings| {
        let inner = AnyController::new(spec, settings);
        Curious { inner, wants, delivered: Bytes::ZERO, lost: Bytes::ZERO }
    };
    let mut path = Path::new(shape.clone(), recovery, tcp, control);
    path.run(Time::ZERO + Span::from_seconds(3));
    path.sent
}

fn shape() -> impl Strategy<Value = Shape> {
    let singles = proptest::collection::btree_set(1u64..600, 0..12);
    let burst = prop::option::of((1u64..400, 1u64..40));
    let marked = proptest::collection::btree_set(1u64..600, 0..6);
    (500_000u64..8_000_000, 1u64..60, singles, burst, marked).prop_map(
        |(rate, delay, mut lost, burst, marked)| {
            burst.into_iter().for_each(|(first, length)| lost.extend(first..first + length));
            Shape { lost, marked, ..Shape::new(rate, delay) }
        },
    )
}

fn ecn() -> impl Strategy<Value = Ecn> {
    proptest::sample::select(&[Ecn::Off, Ecn::Classic, Ecn::Accurate, Ecn::L4s][..])
}

fn tcp() -> impl Strategy<Value = TcpSpec> {
    (1.0f64..20.0, any::<[bool; 2]>(), ecn(), 50u64..400).prop_map(
        |(initial_window, flags, ecn, min_rto_ms)| {
            let [delayed_ack, limited_transmit] = flags;
            TcpSpec {
                initial_window,
                delayed_ack,
                limited_transmit,
                ecn,
                min_rto_ns: min_rto_ms * 1_000_000,
                initial_ssthresh: Some(12.0),
                ..TcpSpec::default()
            }
        },
    )
}

/// Laws that a sender without records can have.
fn lean_laws() -> Vec<ConstructorInfo> {
    let is_lean = |law: &&ConstructorInfo| {
        let control = AnyController::new(&spec(law), &ControlSettings::default());
        control.wants() == Wants::NOTHING
    };
    CONTROLLERS.iter().filter(|law| !law.properties().random).filter(is_lean).copied().collect()
}

/// A law with numbers that the table accepts.
fn spec(law: &ConstructorInfo) -> ControllerSpec {
    let numbers: Vec<f64> =
        law.parameters.iter().map(|row| row.default.unwrap_or(0.5f64.max(row.min))).collect();
    law.with_values(&numbers).expect("numbers that the table accepts")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn records_change_nothing(
        shape in shape(),
        tcp in tcp(),
        recovery in proptest::sample::select(RECOVERIES),
        law in proptest::sample::select(lean_laws()),
    ) {
        let spec = spec(&law);
        let lean = sent(&shape, &recovery, &tcp, &spec, Wants::NOTHING);
        let full = sent(&shape, &recovery, &tcp, &spec, EVERYTHING);
        prop_assert!(lean.len() > 3);
        prop_assert_eq!(lean, full, "{} over {}", law.name, recovery.name);
    }
}
