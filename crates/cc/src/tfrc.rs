//! TFRC: a rate from an equation. The receiver reports the loss event rate, the sender sends what a TCP would at that rate.
//!
//! Source: [FloydHandley00] §3 (`tfrc`), RFC 5348 §4 (`tfrc-5348`); the sender's rate, without packets. The receiver, in the simulator,
//! decides what is lost and what is a loss event. The average of loss intervals is in [`loss_intervals`], the equation in [`response`].
//!
//! | parameter    | unit | default    | why                                                                                       |
//! |--------------|------|------------|-------------------------------------------------------------------------------------------|
//! | intervals    | 1    | 8          | [FloydHandley00] §3.3, RFC 5348 §5.4                                                      |
//! | discount     | 1    | 0.3 · 0.25 | least factor on old intervals: the newest gets 0.4 of the weights ([FloydHandley00] app. A.1) · RFC 5348 §5.5; 1: none |
//! | damping      | flag | 1 · 0      | [FloydHandley00] §3.4 · RFC 5348 §4.5 leaves it open                                      |
//! | q            | 1    | 0.9        | weight of the past in the averages of the round trip, RFC 5348 §4.3                       |
//! | t_mbi        | s    | 64         | longest time between packets, RFC 5348 §4.3                                               |
//!
//! The two editions differ in this:
//!
//! | | `tfrc` | `tfrc-5348` |
//! |-|--------|-------------|
//! | first rate | one packet per round trip | RFC 3390's window per round trip: 4 packets up to 1095 bytes, 3 up to 2190, else 2 |
//! | limit | twice the rate last reported | twice the highest rate reported in the last two round trips |
//! | no feedback | halves the rate | halves what limits it: the highest reported rate, or the equation's if that is lower (§4.4) |
//! | first loss interval | from the rate received in the last round trip | from the highest rate received (§6.3.1) |
//!
//! With damping the time between packets follows the last round trip at once and the average slowly: X R_sqmean / sqrt(R_sample).
//! The rise per round trip is never clamped: it is what the growing average interval gives.
//! Differs from both: a SYN exchange opens the flow, as everywhere in this laboratory, so that a round trip is known from the start. A
//! flow always has data, so the rules for idle and data-limited senders do not apply.
//!
//! Differs from RFC 5348: §4.3 begins with an infinite rate among those reported, so that no report limits the rate for two round trips. Here
//! the first report does, and slow start is two to three round trips late.

pub mod loss_intervals;
pub mod response;

use crate::constructor::{ConstructorInfo, ParameterInfo};
use crate::units::{Span, Time};
use crate::{ControllerSpec, Properties};
use serde::{Deserialize, Serialize};

/// The numbers of TFRC.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TfrcParams {
    /// Loss intervals averaged.
    pub intervals: f64,
    /// Least factor on the weights of closed intervals; 1: no discounting.
    pub discount: f64,
    /// 1: the time between packets follows the square root of the last round trip; 0: it does not.
    pub damping: f64,
}

/// What it is listed with.
pub const FAMILY: &str = "rate laws";

/// What it answers with and what it needs.
pub const PROPERTIES: Properties = Properties::OWN_TRANSPORT;

const COUNT: ParameterInfo = ParameterInfo::new(
    "intervals",
    "1",
    Some(8.0),
    (2.0, 64.0),
    "loss intervals in the average; default: FloydHandley00 §3.3, RFC 5348 §5.4",
)
.whole();
const DISCOUNT: ParameterInfo = ParameterInfo::new(
    "discount",
    "1",
    Some(0.3),
    (0.01, 1.0),
    "least factor on the weights of older intervals, 1: no discounting; default: the newest interval gets 0.4 of the \
     weights, FloydHandley00 app. A.1",
);
const DAMPING: ParameterInfo = ParameterInfo::new(
    "damping",
    "flag",
    Some(1.0),
    (0.0, 1.0),
    "damping of oscillations, 1: on; default: FloydHandley00 §3.4",
)
.whole();

const fn tfrc(numbers: &[f64]) -> TfrcParams {
    TfrcParams { intervals: numbers[0], discount: numbers[1], damping: numbers[2] }
}

/// The names people write.
pub const CONSTRUCTORS: &[ConstructorInfo] = &[
    ConstructorInfo {
        name: "tfrc",
        aliases: &[],
        summary: "TFRC of 2000: the rate that a TCP has at the loss event rate of the last intervals",
        source: "FloydHandley00 §3; Floyd00 §2",
        parameters: &[COUNT, DISCOUNT, DAMPING],
        build: |v| ControllerSpec::Tfrc(tfrc(v)),
    },
    ConstructorInfo {
        name: "tfrc-5348",
        aliases: &["tfrc-rfc5348"],
        summary: "TFRC of RFC 5348: larger first rate, limits that remember two round trips, damping optional",
        source: "RFC 5348",
        parameters: &[
            COUNT,
            ParameterInfo {
                default: Some(0.25),
                why: "least factor on the weights of older intervals, 1: no discounting; default: RFC 5348 §5.5",
                ..DISCOUNT
            },
            ParameterInfo {
                default: Some(0.0),
                why: "damping of oscillations, 1: on; default: off, RFC 5348 §4.5 leaves it open",
                ..DAMPING
            },
        ],
        build: |v| ControllerSpec::Tfrc5348(tfrc(v)),
    },
];

/// Which description is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edition {
    /// [FloydHandley00].
    Paper,
    /// RFC 5348.
    Rfc5348,
}

/// What a report tells the sender.
#[derive(Clone, Copy, Debug)]
pub struct RateReport {
    /// When it arrived.
    pub now: Time,
    /// The round trip of the newest packet that it answers, without the time that packet waited at the receiver.
    pub rtt: Span,
    /// Loss events per packet; 0 before the first.
    pub loss_event_rate: f64,
    /// Packets per second received.
    pub receive_rate: f64,
}

/// Longest time between packets, s.
const T_MBI: f64 = 64.0;
/// Weight of the past in the averages of the round trip.
const Q: f64 = 0.9;

const NANOS: f64 = 1e9;

/// The rate of one TFRC sender; rates in packets per second, times in s.
#[derive(Clone, Debug)]
pub struct TfrcRate {
    edition: Edition,
    damping: bool,
    initial_packets: f64,
    /// X.
    rate: f64,
    /// R, and whether a sample has come.
    rtt: Option<f64>,
    root_mean: f64,
    last_sample: f64,
    loss_event_rate: f64,
    /// Rates reported with the times of their reports: one, or those of two round trips.
    reported: Vec<(Time, f64)>,
    /// When slow start last doubled.
    doubled_at: Time,
}

impl TfrcRate {
    /// The rate before a round trip is known, packets per second (RFC 5348 §4.2).
    const BLIND: f64 = 1.0;

    /// A sender of packets of this size before its first round trip.
    pub fn new(params: TfrcParams, edition: Edition, packet_bytes: u16) -> Self {
        let initial_packets = match (edition, packet_bytes) {
            (Edition::Paper, _) => 1.0,
            (Edition::Rfc5348, 0..=1095) => 4.0,
            (Edition::Rfc5348, 1096..=2190) => 3.0,
            (Edition::Rfc5348, _) => 2.0,
        };
        TfrcRate {
            edition,
            damping: params.damping > 0.0,
            initial_packets,
            rate: Self::BLIND,
            rtt: None,
            root_mean: 0.0,
            last_sample: 0.0,
            loss_event_rate: 0.0,
            reported: Vec::with_capacity(8),
            doubled_at: Time::ZERO,
        }
    }

    /// The handshake measured a round trip.
    pub fn begin(&mut self, now: Time, rtt: Span) {
        self.sample(rtt);
        self.rate = self.initial_packets / self.rtt.expect("just sampled");
        self.doubled_at = now;
    }

    fn sample(&mut self, rtt: Span) {
        let sample = rtt.nanos().max(1) as f64 / NANOS;
        self.last_sample = sample;
        match self.rtt {
            None => (self.rtt, self.root_mean) = (Some(sample), sample.sqrt()),
            Some(average) => {
                self.rtt = Some(Q * average + (1.0 - Q) * sample);
                self.root_mean = Q * self.root_mean + (1.0 - Q) * sample.sqrt();
            }
        }
    }

    /// A report arrived.
    pub fn on_report(&mut self, report: &RateReport) {
        let first = self.rtt.is_none();
        self.sample(report.rtt);
        let rtt = self.rtt.expect("just sampled");
        self.loss_event_rate = report.loss_event_rate;
        self.note_received(report.now, report.receive_rate, rtt);
        let limit = 2.0 * self.receive_rate_max();
        if report.loss_event_rate > 0.0 {
            self.follow_equation(limit, rtt);
            return;
        }
        let initial = self.initial_packets / rtt;
        if first {
            self.rate = initial;
            self.doubled_at = report.now;
        } else if (report.now - self.doubled_at).nanos() as f64 >= rtt * NANOS {
            self.rate = (2.0 * self.rate).min(limit).max(initial);
            self.doubled_at = report.now;
        }
    }

    fn follow_equation(&mut self, limit: f64, rtt: f64) {
        self.rate = response::rate(self.loss_event_rate, rtt).min(limit).max(1.0 / T_MBI);
    }

    fn note_received(&mut self, now: Time, rate: f64, rtt: f64) {
        match self.edition {
            Edition::Paper => self.reported.clear(),
            Edition::Rfc5348 => {
                self.reported.retain(|&(at, _)| (now - at).nanos() as f64 <= 2.0 * rtt * NANOS);
            }
        }
        self.reported.push((now, rate));
    }

    fn receive_rate_max(&self) -> f64 {
        self.reported.iter().fold(0.0, |highest, &(_, rate)| rate.max(highest))
    }

    /// Nothing was heard of the receiver for the time of [`Self::silence_allowed`].
    pub fn on_silence(&mut self, now: Time) {
        let least = 1.0 / T_MBI;
        let (Edition::Rfc5348, Some(rtt), true) = (self.edition, self.rtt, self.loss_event_rate > 0.0) else {
            self.rate = (self.rate / 2.0).max(least);
            return;
        };
        // RFC 5348 §4.4: the limit is halved, whichever it was, and the rate follows.
        let received = self.receive_rate_max();
        let calculated = response::rate(self.loss_event_rate, rtt);
        let limit = if calculated > 2.0 * received { received } else { calculated / 2.0 };
        self.reported.clear();
        self.reported.push((now, limit.max(least) / 2.0));
        self.follow_equation(limit.max(least), rtt);
    }

    /// How long to wait for a report before the rate is halved: max(4R, 2/X), and two seconds before a round trip is known.
    pub fn silence_allowed(&self) -> Span {
        let Some(rtt) = self.rtt else { return Span::from_seconds(2) };
        span((4.0 * rtt).max(2.0 / self.rate))
    }

    /// The time between two packets.
    pub fn interval(&self) -> Span {
        let damped = if self.damping && self.rtt.is_some() {
            self.rate * self.root_mean / self.last_sample.sqrt()
        } else {
            self.rate
        };
        span(1.0 / damped.max(1.0 / T_MBI))
    }

    /// R; zero before the first sample.
    pub fn rtt(&self) -> Span {
        self.rtt.map_or(Span::ZERO, span)
    }

    /// X R: packets per round trip; packets per second before a round trip is known.
    pub fn packets_per_round_trip(&self) -> f64 {
        self.rate * self.rtt.unwrap_or(1.0)
    }

    /// X in packets per second.
    pub fn packets_per_second(&self) -> f64 {
        self.rate
    }
}

fn span(seconds: f64) -> Span {
    Span::from_nanos((seconds * NANOS) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use loss_intervals::LossIntervals;

    const PARAMS: TfrcParams = TfrcParams { intervals: 8.0, discount: 1.0, damping: 0.0 };
    const RTT: Span = Span::from_millis(100);

    fn begun(edition: Edition) -> TfrcRate {
        let mut sender = TfrcRate::new(PARAMS, edition, 1000);
        sender.begin(Time::ZERO, RTT);
        sender
    }

    fn report(millis: u64, loss_event_rate: f64, receive_rate: f64) -> RateReport {
        RateReport { now: Time::ZERO + Span::from_millis(millis), rtt: RTT, loss_event_rate, receive_rate }
    }

    fn close_to(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} instead of {expected}");
    }

    #[test]
    fn slow_start_doubles_once_per_round_trip_up_to_twice_what_arrives() {
        let mut sender = begun(Edition::Paper);
        close_to(sender.packets_per_second(), 10.0);
        sender.on_report(&report(100, 0.0, 10.0));
        close_to(sender.packets_per_second(), 20.0);
        sender.on_report(&report(150, 0.0, 20.0)); // half a round trip later: not yet
        close_to(sender.packets_per_second(), 20.0);
        sender.on_report(&report(200, 0.0, 15.0));
        close_to(sender.packets_per_second(), 30.0);
    }

    #[test]
    fn the_editions_begin_as_they_say() {
        close_to(begun(Edition::Rfc5348).packets_per_round_trip(), 4.0);
        let large = |bytes| {
            let mut sender = TfrcRate::new(PARAMS, Edition::Rfc5348, bytes);
            sender.begin(Time::ZERO, RTT);
            sender.packets_per_round_trip()
        };
        close_to(large(1500), 3.0);
        close_to(large(4000), 2.0);
    }

    #[test]
    fn after_a_loss_the_equation_holds_below_twice_what_arrives() {
        let mut sender = begun(Edition::Paper);
        sender.on_report(&report(100, 0.01, 1000.0));
        close_to(sender.packets_per_second(), response::rate(0.01, 0.1));
        sender.on_report(&report(200, 0.01, 20.0));
        close_to(sender.packets_per_second(), 40.0);
    }

    #[test]
    fn rfc_5348_remembers_two_round_trips_of_reports() {
        let mut sender = begun(Edition::Rfc5348);
        sender.on_report(&report(100, 0.01, 45.0));
        sender.on_report(&report(200, 0.01, 20.0));
        close_to(sender.packets_per_second(), 90.0);
        sender.on_report(&report(301, 0.01, 20.0));
        close_to(sender.packets_per_second(), 40.0);
    }

    #[test]
    fn silence_halves_the_rate() {
        let mut sender = begun(Edition::Paper);
        sender.on_report(&report(100, 0.01, 1000.0));
        let before = sender.packets_per_second();
        assert_eq!(sender.silence_allowed(), Span::from_millis(400));
        sender.on_silence(Time::ZERO);
        close_to(sender.packets_per_second(), before / 2.0);
        for _ in 0..40 {
            sender.on_silence(Time::ZERO);
        }
        assert_eq!(sender.interval(), Span::from_seconds(64));
        assert_eq!(sender.silence_allowed(), Span::from_seconds(128));
    }

    #[test]
    fn silence_halves_the_limit_of_rfc_5348() {
        let mut sender = begun(Edition::Rfc5348);
        sender.on_report(&report(100, 0.01, 1000.0));
        let calculated = response::rate(0.01, 0.1);
        sender.on_silence(Time::ZERO + Span::from_millis(500));
        close_to(sender.packets_per_second(), calculated / 2.0);
        sender.on_silence(Time::ZERO + Span::from_millis(900));
        close_to(sender.packets_per_second(), calculated / 4.0);
    }

    #[test]
    fn damping_answers_a_longer_round_trip_with_a_longer_interval() {
        let mut sender = TfrcRate::new(TfrcParams { damping: 1.0, ..PARAMS }, Edition::Paper, 1000);
        sender.begin(Time::ZERO, RTT);
        let slow = RateReport { rtt: Span::from_millis(400), ..report(100, 0.01, 1000.0) };
        sender.on_report(&slow);
        let root_mean = 0.9 * 0.1f64.sqrt() + 0.1 * 0.4f64.sqrt();
        let rate = response::rate(0.01, 0.9 * 0.1 + 0.1 * 0.4);
        let seconds = 0.4f64.sqrt() / (rate * root_mean);
        assert_eq!(sender.interval(), Span::from_nanos((seconds * 1e9) as u64));
    }

    /// The rise in packets per round trip, round by round, when nothing more is lost after eight intervals of so many packets.
    fn rises(interval: f64, discount: f64) -> Vec<f64> {
        let mut intervals = LossIntervals::new(8, discount);
        (0..8).for_each(|_| intervals.close(interval));
        let mut open = 0.0;
        let rates: Vec<f64> = (0..1000)
            .map(|_| {
                let rate = response::rate(intervals.loss_event_rate(open), 1.0);
                open += rate;
                rate
            })
            .collect();
        rates.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    #[test]
    fn the_rise_per_round_trip_comes_from_the_average_alone() {
        // c² w / 2 with c² = 3/2: 0.125 for w = 1/6, 0.30 for w = 0.4; nobody clamps it.
        let (plain, discounted) = (rises(1000.0, 1.0), rises(1000.0, 0.3));
        let largest = |rises: &[f64]| rises.iter().copied().fold(0.0, f64::max);
        assert!((0.12..=0.14).contains(&largest(&plain)), "{}", largest(&plain));
        let settled = *discounted.last().unwrap();
        assert!((0.28..=0.30).contains(&settled), "{settled}");
        // While the discount itself still falls the rise is higher: at most 0.75 · 0.6, where the factor reaches 0.3.
        assert!((0.40..=0.455).contains(&largest(&discounted)), "{}", largest(&discounted));
    }
}
