//! What a controller written in Python is told: plain objects with the fields of `sawtooth.h`. What was not measured is `None`.

use pyo3::prelude::*;
use sawtooth_cc as cc;
use sawtooth_cc::units::{Span, Window};
use sawtooth_cc::{Congestion as Kind, SlowStartExit, TimeoutThreshold, WindowArithmetic};

macro_rules! told {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* $(,)? })*) => {
        $($(#[$doc])*
        #[pyclass(frozen, get_all, module = "sawtooth._native")]
        #[derive(Clone, Debug)]
        pub struct $name { $($field: $type),* }

        #[pymethods]
        impl $name {
            fn __repr__(&self) -> String {
                format!("{self:?}")
            }

            /// It never changes, so a copy of a controller may share it.
            fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
                this
            }
        })*
    };
}

told! {
    /// What holds for a connection whatever its law, as the scenario says.
    Settings {
        initial_window: f64,
        initial_threshold: f64,
        packet: u64,
        random: (u64, u64, u64, u64),
        slow_start_exit_law: bool,
        timeout_threshold_law: bool,
        whole_windows: bool,
        timeouts_cut: bool,
    }
    /// One packet in flight: what its sender knew when it last sent it.
    Packet {
        sent_at_ns: u64,
        size: u64,
        delivered: u64,
        delivered_at_ns: u64,
        first_sent_at_ns: u64,
        in_flight: u64,
        lost: u64,
        times_sent: u32,
        app_limited: bool,
    }
    /// How fast packets were delivered between the sending of one packet and its acknowledgement.
    RateSample {
        delivered: u64,
        interval_ns: u64,
        prior_delivered: u64,
        in_flight_at_sending: u64,
        lost: u64,
        app_limited: bool,
    }
    /// What one acknowledgement tells a controller.
    Ack {
        now_ns: u64,
        newly_acked: u32,
        ce_marked: u32,
        newly_marked: u64,
        delivered: u64,
        newly_delivered: u64,
        newly_lost: u64,
        in_flight_before: u64,
        in_flight_after: u64,
        rtt_latest_ns: Option<u64>,
        rtt_minimum_ns: Option<u64>,
        rtt_smoothed_ns: Option<u64>,
        rtt_newest_ns: Option<u64>,
        rate: Option<RateSample>,
        round_ended: bool,
        in_recovery: bool,
        cwnd_limited: bool,
    }
    /// One congestion signal; `kind` is loss, loss-restart, ecn-mark, timeout or persistent-congestion.
    Congestion { now_ns: u64, window_of_data: u64, kind: &'static str, repeated: bool }
    /// Signals about a window of data were spurious.
    Undo { signal: Congestion, in_flight: u64, newly_delivered: u64 }
}

impl Settings {
    pub fn of(from: &cc::ControlSettings) -> Self {
        let mut words = [0; 4];
        if let Some(key) = from.random {
            for (word, bytes) in words.iter_mut().zip(key.chunks_exact(8)) {
                *word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            }
        }
        Settings {
            initial_window: from.initial_window.packets(),
            initial_threshold: from.initial_threshold.map_or(f64::INFINITY, Window::packets),
            packet: from.packet.count(),
            random: words.into(),
            slow_start_exit_law: from.slow_start_exit == SlowStartExit::Law,
            timeout_threshold_law: from.timeout_threshold == TimeoutThreshold::Law,
            whole_windows: from.window_arithmetic == WindowArithmetic::Integer,
            timeouts_cut: from.rto_cuts,
        }
    }
}

impl Packet {
    pub fn of(from: &cc::SentPacket) -> Self {
        Packet {
            sent_at_ns: from.sent_at.nanos(),
            size: from.size.count(),
            delivered: from.delivered.count(),
            delivered_at_ns: from.delivered_at.nanos(),
            first_sent_at_ns: from.first_sent_at.nanos(),
            in_flight: from.in_flight.count(),
            lost: from.lost.count(),
            times_sent: from.times_sent,
            app_limited: from.app_limited,
        }
    }
}

impl Ack {
    pub fn of(from: &cc::AckSample) -> Self {
        let rate = from.rate.filter(|rate| rate.reliable).map(|rate| RateSample {
            delivered: rate.delivered.count(),
            interval_ns: rate.interval.nanos(),
            prior_delivered: rate.prior_delivered.count(),
            in_flight_at_sending: rate.in_flight_at_sending.count(),
            lost: rate.lost.count(),
            app_limited: rate.app_limited,
        });
        Ack {
            now_ns: from.now.nanos(),
            newly_acked: from.newly_acked,
            ce_marked: from.ce_marked,
            newly_marked: from.newly_marked.count(),
            delivered: from.delivered.count(),
            newly_delivered: from.newly_delivered.count(),
            newly_lost: from.newly_lost.count(),
            in_flight_before: from.in_flight_before.count(),
            in_flight_after: from.in_flight_after.count(),
            rtt_latest_ns: from.rtt.latest.map(Span::nanos),
            rtt_minimum_ns: from.rtt.minimum.map(Span::nanos),
            rtt_smoothed_ns: from.rtt.smoothed.map(Span::nanos),
            rtt_newest_ns: from.rtt.newest.map(Span::nanos),
            rate,
            round_ended: from.round_ended,
            in_recovery: from.in_recovery,
            cwnd_limited: from.cwnd_limited,
        }
    }
}

impl Congestion {
    pub fn of(from: &cc::CongestionSignal) -> Self {
        let (kind, repeated) = match from.kind {
            Kind::Loss => ("loss", false),
            Kind::LossRestart { repeated } => ("loss-restart", repeated),
            Kind::EcnMark => ("ecn-mark", false),
            Kind::Timeout { repeated } => ("timeout", repeated),
            Kind::PersistentCongestion => ("persistent-congestion", false),
        };
        Congestion { now_ns: from.now.nanos(), window_of_data: from.window_of_data.number(), kind, repeated }
    }
}

impl Undo {
    pub fn of(from: &cc::UndoSignal) -> Self {
        let cc::UndoSignal { now, kind, window_of_data, in_flight, newly_delivered } = *from;
        Undo {
            signal: Congestion::of(&cc::CongestionSignal { now, kind, window_of_data }),
            in_flight: in_flight.count(),
            newly_delivered: newly_delivered.count(),
        }
    }
}
