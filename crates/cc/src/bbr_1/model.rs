//! What a BBRv1 flow knows, and the order of its steps.
//!
//! Source: Linux `tcp_bbr.c`, `bbr_main` and `bbr_update_model`. Volumes are packets, rates packets per second.

use super::params::Bbr1Params;
use super::remembered::{Bursts, LongTerm};
use crate::bbr::filters::MaxFilter;
use crate::bbr::model::{Repair, seconds};
use crate::bbr::rounds::RoundCount;
use crate::random::Random;
use crate::sample::AckSample;
use crate::settings::ControlSettings;
use crate::state::ControlState;
use crate::units::{Bytes, Span, Time};

/// What one acknowledgement tells.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    /// The delivery rate, if it can be relied on, and what had been delivered when the packet was sent that it is of.
    pub rate: Option<(f64, u64)>,
    /// The sample is limited by the application.
    pub app_limited: bool,
    /// Delivered with it.
    pub acked: f64,
    /// Called lost with it.
    pub lost: f64,
    /// In flight before it.
    pub in_flight_before: f64,
    /// The round trip of the newest packet.
    pub rtt: Option<Span>,
    /// Recovery is in progress.
    pub in_recovery: bool,
}

/// A BBRv1 flow.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its numbers.
    pub params: Bbr1Params,
    /// What it draws from.
    pub random: Random,
    /// Bytes of a packet.
    pub packet_bytes: f64,
    /// The window at the start.
    pub initial_cwnd: f64,
    /// Now.
    pub now: Time,
    /// Bytes delivered so far.
    pub delivered: u64,
    /// Packets lost so far.
    pub lost: f64,
    /// In flight.
    pub inflight: f64,
    /// The smoothed round trip.
    pub srtt: Option<Span>,
    /// The window.
    pub cwnd: f64,
    /// The window to come back to after recovery and PROBE_RTT.
    pub prior_cwnd: f64,
    /// The pacing rate.
    pub pacing_rate: f64,
    /// It follows from a measured round trip.
    pub has_seen_rtt: bool,
    /// When the pacer lets the next packet go.
    pub next_departure: Time,
    /// What is being repaired.
    pub repair: Repair,
    /// In the first round of recovery as many packets leave as arrive.
    pub packet_conservation: bool,
    /// The state.
    pub state: ControlState,
    /// Round trips by packets.
    pub rounds: RoundCount,
    /// The first acknowledgement after an idle time is still to come.
    pub idle_restart: bool,
    /// Delivery rates of the last rounds.
    pub bw_filter: MaxFilter,
    /// What gives a policer away.
    pub long_term: LongTerm,
    /// The bandwidth that growth is measured from.
    pub full_bw: f64,
    /// Rounds without growth.
    pub full_bw_count: u32,
    /// The path has been full.
    pub full_bw_reached: bool,
    /// The phase of PROBE_BW.
    pub phase: u64,
    /// When it began.
    pub phase_began: Time,
    /// The least recent round trip.
    pub min_rtt: Option<Span>,
    /// When it was measured, or PROBE_RTT ended.
    pub min_rtt_stamp: Time,
    /// When PROBE_RTT may end.
    pub probe_rtt_done: Option<Time>,
    /// A round has passed at the window of PROBE_RTT.
    pub probe_rtt_round_done: bool,
    /// Bursts of acknowledgements.
    pub bursts: Bursts,
}

impl Model {
    /// Before the connection is open.
    pub fn new(params: Bbr1Params, settings: &ControlSettings) -> Self {
        let key = settings.random.expect("a controller that draws is given a key");
        let cwnd = settings.initial_window.packets();
        let mut model = Model {
            params,
            random: Random::from_key(key),
            packet_bytes: settings.packet.count() as f64,
            initial_cwnd: cwnd,
            now: Time::ZERO,
            delivered: 0,
            lost: 0.0,
            inflight: 0.0,
            srtt: None,
            cwnd,
            prior_cwnd: 0.0,
            pacing_rate: 0.0,
            has_seen_rtt: false,
            next_departure: Time::ZERO,
            repair: Repair::None,
            packet_conservation: false,
            state: ControlState::Startup,
            rounds: RoundCount::default(),
            idle_restart: false,
            bw_filter: MaxFilter::default(),
            long_term: LongTerm::default(),
            full_bw: 0.0,
            full_bw_count: 0,
            full_bw_reached: false,
            phase: 0,
            phase_began: Time::ZERO,
            min_rtt: None,
            min_rtt_stamp: Time::ZERO,
            probe_rtt_done: None,
            probe_rtt_round_done: false,
            bursts: Bursts::default(),
        };
        model.init_pacing_rate();
        model
    }

    /// The connection is open: its clock begins, perhaps with a first round trip.
    pub fn on_established(&mut self, now: Time, rtt: Option<Span>) {
        self.now = now;
        (self.srtt, self.min_rtt) = (rtt, rtt);
        (self.min_rtt_stamp, self.phase_began) = (now, now);
        self.bursts.begin(now);
        self.init_pacing_rate();
    }

    /// These bytes as packets.
    pub fn packets(&self, bytes: Bytes) -> f64 {
        bytes.count() as f64 / self.packet_bytes
    }

    /// A packet leaves with so much in flight, itself included.
    pub fn note_sent(&mut self, now: Time, in_flight: Bytes) {
        self.inflight = self.packets(in_flight);
        let gap = Span::from_nanos((1e9 / self.pacing_rate) as u64);
        self.next_departure = self.next_departure.max(now) + gap;
    }

    /// A packet is declared lost, after which so much has been.
    pub fn note_lost(&mut self, lost: Bytes) {
        self.lost = self.packets(lost);
        self.inflight = (self.inflight - 1.0).max(0.0);
    }

    /// An acknowledgement arrived.
    pub fn on_ack(&mut self, ack: &AckSample) {
        self.now = ack.now;
        self.delivered = ack.delivered.count();
        self.inflight = self.packets(ack.in_flight_after);
        self.srtt = ack.rtt.smoothed;
        let reliable = ack.rate.filter(|rate| rate.reliable && rate.interval > Span::ZERO);
        let measured = reliable.map(|rate| {
            (self.packets(rate.delivered) / seconds(rate.interval), rate.prior_delivered.count())
        });
        let sample = Sample {
            rate: measured,
            app_limited: ack.rate.is_some_and(|rate| rate.app_limited),
            acked: self.packets(ack.newly_delivered),
            lost: self.packets(ack.newly_lost),
            in_flight_before: self.packets(ack.in_flight_before),
            rtt: ack.rtt.newest,
            in_recovery: ack.in_recovery,
        };
        self.note_recovery(&sample);
        self.update_bw(&sample);
        self.update_bursts(&sample);
        self.update_phase(&sample);
        self.check_full_bw_reached(&sample);
        self.check_drain();
        self.update_min_rtt(&sample);
        self.set_pacing_rate(self.pacing_gain());
        self.set_cwnd(&sample);
    }

    /// The application has data again after nothing was in flight.
    pub fn on_idle(&mut self, now: Time) {
        self.now = now;
        self.idle_restart = true;
        self.bursts.begin(now);
        match self.state {
            ControlState::ProbeBw => self.set_pacing_rate(1.0),
            ControlState::ProbeRtt => self.check_probe_rtt_done(),
            _ => {}
        }
    }

    /// The last loss was none.
    pub fn on_spurious_loss(&mut self, now: Time) {
        self.now = now;
        (self.full_bw, self.full_bw_count) = (0.0, 0);
        self.reset_long_term();
    }

    /// Has more than this passed since then?
    pub fn has_elapsed(&self, since: Time, span: Span) -> bool {
        self.now > since + span
    }
}

#[cfg(test)]
pub mod bench {
    //! A model, and acknowledgements for it.

    use super::*;

    /// A model of a connection that opened at the start, over 40 ms, with packets of 1000 bytes.
    pub fn model() -> Model {
        with(Bbr1Params::default())
    }

    /// The same with other numbers.
    pub fn with(params: Bbr1Params) -> Model {
        let settings = ControlSettings { random: Some([3; 32]), ..ControlSettings::default() };
        let mut model = Model::new(params, &settings);
        model.on_established(Time::ZERO, Some(Span::from_millis(40)));
        model
    }

    /// A round trip of 40 ms that delivers so many packets in one acknowledgement and loses so many.
    pub fn round(model: &mut Model, packets: u64, lost: u64, app_limited: bool) {
        use crate::sample::{DeliveryRate, RoundTripTimes};
        let now = model.now + Span::from_millis(40);
        let rtt = Some(Span::from_millis(40));
        let bytes = |packets: u64| Bytes::new(packets * 1_000);
        let before = Bytes::new(model.delivered);
        for _ in 0..lost {
            model.note_lost(Bytes::new((model.lost as u64 + 1) * 1_000));
        }
        model.on_ack(&AckSample {
            now,
            delivered: before + bytes(packets),
            newly_delivered: bytes(packets),
            newly_lost: bytes(lost),
            in_flight_before: bytes(packets),
            in_flight_after: bytes(packets),
            rtt: RoundTripTimes { latest: rtt, minimum: rtt, smoothed: rtt, newest: rtt },
            rate: Some(DeliveryRate {
                delivered: bytes(packets),
                interval: Span::from_millis(40),
                prior_delivered: before,
                in_flight_at_sending: bytes(packets),
                lost: bytes(lost),
                app_limited,
                reliable: true,
            }),
            ..AckSample::default()
        });
    }

    /// Rounds of so many packets, without losses.
    pub fn rounds(model: &mut Model, count: u32, packets: u64) {
        (0..count).for_each(|_| round(model, packets, 0, false));
    }

    /// A model in PROBE_BW that has found 100 packets per round trip.
    pub fn cruising() -> Model {
        let mut model = model();
        rounds(&mut model, 5, 100);
        assert_eq!(model.state, ControlState::ProbeBw, "full, and no queue with 100 in flight");
        model
    }
}
