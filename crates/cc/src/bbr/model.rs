//! What a BBRv3 flow knows and what it does with it: the variables of the draft by their names, and the order of its steps.
//!
//! Source: draft-ietf-ccwg-bbr §2 (variables), §5.2 (steps). Volumes are bytes, rates bytes per second; `INFINITY` is no bound.

use super::filters::MaxFilter;
use super::params::BbrParams;
use super::remembered::{Probing, Undo};
use super::rounds::RoundCount;
use crate::random::Random;
use crate::sample::AckSample;
use crate::settings::ControlSettings;
use crate::state::ControlState;
use crate::units::{Span, Time};

/// What one acknowledgement tells of the packet sent last of those that it delivers (`RS`).
#[derive(Clone, Copy, Debug, Default)]
pub struct RateSample {
    /// `RS.rtt`
    pub rtt: Option<Span>,
    /// `RS.delivered`
    pub delivered: f64,
    /// `RS.delivery_rate`; 0: none that can be relied on.
    pub delivery_rate: f64,
    /// `RS.newly_acked`
    pub newly_acked: f64,
    /// `RS.tx_in_flight`
    pub tx_in_flight: f64,
    /// `RS.lost`
    pub lost: f64,
    /// `RS.prior_delivered`
    pub prior_delivered: u64,
    /// `RS.is_app_limited`
    pub is_app_limited: bool,
}

/// What is being repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Nothing.
    None,
    /// Fast recovery, since so much had been delivered.
    Fast(u64),
    /// A timeout.
    Timeout,
}

/// How far back filters look, in whole numbers: the same for all samples, so these are made once.
#[derive(Clone, Copy, Debug)]
pub struct Lengths {
    /// `MaxBwFilterLen`, in cycles.
    pub max_bw: u64,
    /// `ExtraAckedFilterLen`, in rounds.
    pub extra_acked: u64,
    /// `MinRTTFilterLen`
    pub min_rtt: Span,
    /// `ProbeRTTInterval`
    pub probe_rtt: Span,
}

impl Lengths {
    fn of(params: &BbrParams) -> Self {
        Lengths {
            max_bw: whole(params.max_bw_filter_len),
            extra_acked: whole(params.extra_acked_filter_len),
            min_rtt: span(params.min_rtt_filter_len),
            probe_rtt: span(params.probe_rtt_interval),
        }
    }
}

/// A BBRv3 flow.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the draft says what its variables are")]
pub struct Model {
    pub params: BbrParams,
    pub lengths: Lengths,
    pub random: Random,
    /// `C.SMSS`
    pub smss: f64,
    /// `C.InitialCwnd`
    pub initial_cwnd: f64,

    // The connection.
    pub now: Time,
    pub delivered: u64,
    pub inflight: f64,
    pub srtt: Option<Span>,
    pub cwnd: f64,
    pub pacing_rate: f64,
    pub send_quantum: f64,
    pub repair: Repair,
    /// The last round in which the window was full.
    pub cwnd_full_round: Option<u64>,
    /// The initial pacing rate follows from a measured round trip.
    pub has_seen_rtt: bool,

    // States and rounds.
    pub state: ControlState,
    pub rounds: RoundCount,
    pub idle_restart: bool,
    pub drain_start_round: u64,

    // Bandwidth.
    pub max_bw_filter: MaxFilter,
    pub cycle_count: u64,
    pub max_bw: f64,
    pub bw_shortterm: f64,
    pub bw: f64,

    // The path full, or not yet.
    pub full_bw: f64,
    pub full_bw_count: u64,
    pub full_bw_now: bool,
    pub full_bw_reached: bool,

    // Round trips.
    pub min_rtt: Option<Span>,
    pub min_rtt_stamp: Time,
    pub probe_rtt_min_delay: Option<Span>,
    pub probe_rtt_min_stamp: Time,
    pub probe_rtt_expired: bool,
    pub probe_rtt_done_stamp: Option<Time>,
    pub probe_rtt_round_done: bool,

    // What may be in flight.
    pub inflight_longterm: f64,
    pub inflight_shortterm: f64,
    pub prior_cwnd: f64,

    // Bursts of acknowledgements.
    pub extra_acked_filter: MaxFilter,
    pub extra_acked: f64,
    pub extra_acked_interval_start: Time,
    pub extra_acked_delivered: f64,

    // Losses.
    pub bw_latest: f64,
    pub inflight_latest: f64,
    pub loss_round_delivered: u64,
    pub loss_round_start: bool,
    pub is_loss_in_round: bool,
    /// Ranges lost since the last round for losses ended.
    pub loss_ranges_in_round: u64,
    pub undo: Undo,

    pub probing: Probing,
}

/// This many seconds, to the nanosecond.
pub fn span(seconds: f64) -> Span {
    Span::from_nanos(whole(seconds * 1e9))
}

/// A number from 0 to below 2⁶³ without its fraction: through a signed one, which is half the work.
pub fn whole(number: f64) -> u64 {
    (number as i64).cast_unsigned()
}

/// Seconds of a span.
pub fn seconds(span: Span) -> f64 {
    span.real() * 1e-9
}

impl Model {
    /// `OnInit`, before the connection is open.
    pub fn new(params: BbrParams, settings: &ControlSettings) -> Self {
        let smss = settings.packet.count() as f64;
        let initial_cwnd = settings.initial_window.packets() * smss;
        let key = settings.random.expect("a controller that draws is given a key");
        let mut model = Model {
            lengths: Lengths::of(&params),
            params,
            random: Random::from_key(key),
            smss,
            initial_cwnd,
            now: Time::ZERO,
            delivered: 0,
            inflight: 0.0,
            srtt: None,
            cwnd: initial_cwnd,
            pacing_rate: 0.0,
            send_quantum: 0.0,
            repair: Repair::None,
            cwnd_full_round: None,
            has_seen_rtt: false,
            state: ControlState::Startup,
            rounds: RoundCount::default(),
            idle_restart: false,
            drain_start_round: 0,
            max_bw_filter: MaxFilter::default(),
            cycle_count: 0,
            max_bw: 0.0,
            bw_shortterm: f64::INFINITY,
            bw: 0.0,
            full_bw: 0.0,
            full_bw_count: 0,
            full_bw_now: false,
            full_bw_reached: false,
            min_rtt: None,
            min_rtt_stamp: Time::ZERO,
            probe_rtt_min_delay: None,
            probe_rtt_min_stamp: Time::ZERO,
            probe_rtt_expired: false,
            probe_rtt_done_stamp: None,
            probe_rtt_round_done: false,
            inflight_longterm: f64::INFINITY,
            inflight_shortterm: f64::INFINITY,
            prior_cwnd: 0.0,
            extra_acked_filter: MaxFilter::default(),
            extra_acked: 0.0,
            extra_acked_interval_start: Time::ZERO,
            extra_acked_delivered: 0.0,
            bw_latest: 0.0,
            inflight_latest: 0.0,
            loss_round_delivered: 0,
            loss_round_start: false,
            is_loss_in_round: false,
            loss_ranges_in_round: 0,
            undo: Undo::default(),
            probing: Probing::default(),
        };
        model.init_pacing_rate();
        model
    }

    /// The connection is open: its clock begins, perhaps with a first round trip.
    pub fn on_established(&mut self, now: Time, rtt: Option<Span>) {
        self.now = now;
        (self.srtt, self.min_rtt, self.probe_rtt_min_delay) = (rtt, rtt, rtt);
        (self.min_rtt_stamp, self.probe_rtt_min_stamp) = (now, now);
        (self.extra_acked_interval_start, self.probing.cycle_stamp) = (now, now);
        self.init_pacing_rate();
    }

    /// `UpdateOnACK`, where the acknowledgement delivers anything.
    pub fn on_ack(&mut self, ack: &AckSample) {
        self.now = ack.now;
        self.delivered = ack.delivered.count();
        self.inflight = ack.in_flight_after.real();
        self.srtt = ack.rtt.smoothed;
        let Some(rate) = ack.rate else { return };
        let delivered = rate.delivered.real();
        let rs = RateSample {
            rtt: ack.rtt.newest,
            delivered,
            delivery_rate: if rate.reliable && rate.interval > Span::ZERO {
                delivered / seconds(rate.interval)
            } else {
                0.0
            },
            newly_acked: ack.newly_delivered.real(),
            tx_in_flight: rate.in_flight_at_sending.real(),
            lost: rate.lost.real(),
            prior_delivered: rate.prior_delivered.count(),
            is_app_limited: rate.app_limited,
        };
        self.update_model_and_state(&rs);
        self.update_control_parameters(&rs);
    }

    fn update_model_and_state(&mut self, rs: &RateSample) {
        self.update_latest_delivery_signals(rs);
        self.update_congestion_signals(rs);
        self.update_ack_aggregation(rs);
        self.check_full_bw_reached(rs);
        self.check_startup_done(rs);
        self.check_drain_done();
        self.update_probe_bw_cycle_phase(rs);
        self.update_min_rtt(rs);
        self.check_probe_rtt(rs);
        self.advance_latest_delivery_signals(rs);
        self.bound_bw_for_model();
    }

    fn update_control_parameters(&mut self, rs: &RateSample) {
        self.set_pacing_rate();
        self.set_send_quantum();
        self.set_cwnd(rs);
    }

    /// `StartRound`
    pub fn start_round(&mut self) {
        self.rounds.begin(self.delivered);
    }

    /// A packet leaves with so much in flight, itself included: does the window allow no other? (`C.is_cwnd_limited`)
    pub fn note_sent(&mut self, in_flight: f64) {
        self.inflight = in_flight;
        if in_flight + self.smss > self.cwnd {
            self.cwnd_full_round = Some(self.rounds.count);
        }
    }

    /// `C.is_cwnd_limited`: the window was full at some point of the last round trip.
    pub fn is_cwnd_limited(&self) -> bool {
        self.cwnd_full_round.is_some_and(|round| round + 1 >= self.rounds.count)
    }

    /// `HandleRestartFromIdle`
    pub fn on_idle(&mut self, now: Time) {
        self.now = now;
        self.idle_restart = true;
        self.extra_acked_interval_start = now;
        if self.is_in_a_probe_bw_state() {
            self.set_pacing_rate_with_gain(1.0);
        } else if self.state == ControlState::ProbeRtt {
            self.check_probe_rtt_done();
        }
    }

    /// Does a time that began then last longer than this?
    pub fn has_elapsed(&self, since: Time, span: Span) -> bool {
        self.now > since + span
    }
}

#[cfg(test)]
pub mod bench {
    //! A model past its start, and acknowledgements for it.

    use super::*;
    use crate::sample::{DeliveryRate, RoundTripTimes};
    use crate::units::Bytes;

    /// Bytes of a packet.
    pub const PACKET: f64 = 1_000.0;

    /// This many milliseconds after the start.
    pub fn at(millis: u64) -> Time {
        Time::ZERO + Span::from_millis(millis)
    }

    /// A model of a connection that opened at the start, over 40 ms.
    pub fn model() -> Model {
        let settings = ControlSettings { random: Some([3; 32]), ..ControlSettings::default() };
        let mut model = Model::new(BbrParams::default(), &settings);
        model.on_established(at(0), Some(Span::from_millis(40)));
        model
    }

    /// What acknowledgements say: one per 40 ms, which ends a round.
    #[derive(Clone, Copy, Debug)]
    pub struct Round {
        /// Packets in flight, and delivered in each round.
        pub packets: u64,
        /// Of those sent with the last one, how many were lost.
        pub lost: u64,
        /// The application limits.
        pub app_limited: bool,
    }

    /// A round trip of 40 ms that delivers so many packets, in one acknowledgement.
    pub fn round(model: &mut Model, round: Round) {
        let Round { packets, lost, app_limited } = round;
        let now = model.now + Span::from_millis(40);
        let volume = Bytes::new(packets * PACKET as u64);
        let delivered = Bytes::new(model.delivered) + volume;
        let rtt = Some(Span::from_millis(40));
        model.note_sent(packets as f64 * PACKET);
        model.on_ack(&AckSample {
            now,
            delivered,
            newly_delivered: volume,
            in_flight_before: volume,
            in_flight_after: volume,
            rtt: RoundTripTimes { latest: rtt, minimum: rtt, smoothed: rtt, newest: rtt },
            rate: Some(DeliveryRate {
                delivered: volume,
                interval: Span::from_millis(40),
                prior_delivered: Bytes::new(model.delivered),
                in_flight_at_sending: volume,
                lost: Bytes::new(lost * PACKET as u64),
                app_limited,
                reliable: true,
            }),
            ..AckSample::default()
        });
    }

    /// Rounds of so many packets.
    pub fn rounds(model: &mut Model, count: u32, packets: u64) {
        (0..count).for_each(|_| round(model, Round { packets, lost: 0, app_limited: false }));
    }

    /// A model in CRUISE that has found 100 packets per round trip.
    pub fn cruising() -> Model {
        let mut model = model();
        rounds(&mut model, 4, 100);
        assert_eq!(model.state, ControlState::ProbeBwCruise, "full, and no queue with 100 in flight");
        rounds(&mut model, 1, 100); // no answer to the start arrives any more
        model
    }
}
