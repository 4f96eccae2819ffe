//! What a controller is told, from the types of `cc` to those of C, and its answers back.

use sawtooth_cc::units::{Span, Window};
use sawtooth_cc::{
    AckSample, Congestion, CongestionSignal, ControlSettings, SentPacket, SlowStartExit, TimeoutThreshold,
    UndoSignal, WindowArithmetic,
};
use sawtooth_plugin::{self as plugin, CongestionKind, NONE, RateSample};

fn nanos(span: Option<Span>) -> u64 {
    span.map_or(NONE, Span::nanos)
}

pub fn settings(from: &ControlSettings) -> plugin::Settings {
    let mut random = [0; 4];
    if let Some(key) = from.random {
        for (word, bytes) in random.iter_mut().zip(key.chunks_exact(8)) {
            *word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        }
    }
    plugin::Settings {
        initial_window: from.initial_window.packets(),
        initial_threshold: from.initial_threshold.map_or(f64::INFINITY, Window::packets),
        packet: from.packet.count(),
        random,
        slow_start_exit_law: from.slow_start_exit == SlowStartExit::Law,
        timeout_threshold_law: from.timeout_threshold == TimeoutThreshold::Law,
        whole_windows: from.window_arithmetic == WindowArithmetic::Integer,
        timeouts_cut: from.rto_cuts,
    }
}

/// What a controller without records per packet is told of an acknowledgement; the rest of `to` stays as [`plugin::Ack::classic`] has it.
#[inline(always)]
pub fn classic(from: &AckSample, to: &mut plugin::Ack) {
    to.now_ns = from.now.nanos();
    // Each by itself: the sender has just written them one by one, and what is read as one value would wait until both are in memory.
    to.newly_acked = unsafe { (&raw const from.newly_acked).read_volatile() };
    to.ce_marked = unsafe { (&raw const from.ce_marked).read_volatile() };
    to.newly_marked = unsafe { (&raw const from.newly_marked).read_volatile() }.count();
    to.rtt_latest_ns = nanos(from.rtt.latest);
    to.round_ended = from.round_ended;
    to.in_recovery = from.in_recovery;
    to.cwnd_limited = from.cwnd_limited;
}

pub fn ack(from: &AckSample) -> plugin::Ack {
    // An unreliable one is none: its interval is shorter than any round trip.
    let rate = from.rate.filter(|rate| rate.reliable).map(|rate| RateSample {
        delivered: rate.delivered.count(),
        interval_ns: rate.interval.nanos(),
        prior_delivered: rate.prior_delivered.count(),
        in_flight_at_sending: rate.in_flight_at_sending.count(),
        lost: rate.lost.count(),
        app_limited: rate.app_limited,
    });
    plugin::Ack {
        now_ns: from.now.nanos(),
        newly_acked: from.newly_acked,
        ce_marked: from.ce_marked,
        delivered: from.delivered.count(),
        newly_delivered: from.newly_delivered.count(),
        newly_lost: from.newly_lost.count(),
        in_flight_before: from.in_flight_before.count(),
        in_flight_after: from.in_flight_after.count(),
        rtt_latest_ns: nanos(from.rtt.latest),
        rtt_minimum_ns: nanos(from.rtt.minimum),
        rtt_smoothed_ns: nanos(from.rtt.smoothed),
        rtt_newest_ns: nanos(from.rtt.newest),
        rate: rate.unwrap_or_default(),
        has_rate: rate.is_some(),
        round_ended: from.round_ended,
        in_recovery: from.in_recovery,
        cwnd_limited: from.cwnd_limited,
        newly_marked: from.newly_marked.count(),
    }
}

#[inline]
pub fn packet(from: &SentPacket) -> plugin::Packet {
    plugin::Packet {
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

pub fn congestion(from: &CongestionSignal) -> plugin::Congestion {
    let (kind, repeated) = match from.kind {
        Congestion::Loss => (CongestionKind::Loss, false),
        Congestion::LossRestart { repeated } => (CongestionKind::LossRestart, repeated),
        Congestion::EcnMark => (CongestionKind::EcnMark, false),
        Congestion::Timeout { repeated } => (CongestionKind::Timeout, repeated),
        Congestion::PersistentCongestion => (CongestionKind::PersistentCongestion, false),
    };
    plugin::Congestion {
        now_ns: from.now.nanos(),
        window_of_data: from.window_of_data.number(),
        kind,
        repeated,
    }
}

pub fn undo(from: &UndoSignal) -> plugin::Undo {
    let UndoSignal { now, kind, window_of_data, in_flight, newly_delivered } = *from;
    plugin::Undo {
        signal: congestion(&CongestionSignal { now, kind, window_of_data }),
        in_flight: in_flight.count(),
        newly_delivered: newly_delivered.count(),
    }
}
