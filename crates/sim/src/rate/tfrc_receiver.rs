//! The receiver of a TFRC flow: average loss interval, receive rate, and when to report them.
//!
//! Source: RFC 5348 §6, [FloydHandley00] §3.3. A report goes once per round trip while data comes, and at once when a loss event begins.
//! The receive rate is that since the last report, of the last round trip if that is shorter (RFC 5348 §6.2).
//!
//! The first loss ends slow start, whose packets say nothing about the path. The interval before it is set to the one for which the
//! equation gives the received rate (RFC 5348 §6.3.1). Until a round trip is known every packet is reported.

use super::losses::{LossEvent, Losses};
use super::{Feedback, Reports, Stamp};
use crate::ring::Ring;
use crate::tcp::receiver::{AckDecision, Received};
use sawtooth_cc::tfrc::loss_intervals::LossIntervals;
use sawtooth_cc::tfrc::{Edition, TfrcParams, response};
use sawtooth_cc::units::{Span, Time};

/// The receiver of one TFRC flow.
#[derive(Debug)]
pub struct TfrcReceiver {
    edition: Edition,
    losses: Losses,
    intervals: LossIntervals,
    /// The sender's round trip as of the newest packet.
    rtt: Span,
    newest_at: Time,
    /// Arrivals of the last round trip.
    arrivals: Ring<Time>,
    reported_at: Option<Time>,
    since_report: u32,
    receive_rate_max: f64,
    due: Time,
    loss_events: u64,
    mark_events: u64,
    /// Reports in flight.
    pub reports: Reports<Feedback>,
}

impl TfrcReceiver {
    /// A receiver that has seen nothing.
    pub fn new(params: TfrcParams, edition: Edition) -> Self {
        TfrcReceiver {
            edition,
            losses: Losses::default(),
            intervals: LossIntervals::new(params.intervals as usize, params.discount),
            rtt: Span::ZERO,
            newest_at: Time::ZERO,
            arrivals: Ring::default(),
            reported_at: None,
            since_report: 0,
            receive_rate_max: 0.0,
            due: Time::NEVER,
            loss_events: 0,
            mark_events: 0,
            reports: Reports::default(),
        }
    }

    /// One more than the highest number that came.
    pub fn next_expected(&self) -> u32 {
        self.losses.next()
    }

    /// Take a data packet.
    #[inline(never)]
    pub fn on_data(&mut self, number: u32, marked: bool, stamp: Stamp, now: Time) -> Received {
        let is_new = number >= self.losses.next();
        self.rtt = stamp.rtt;
        self.newest_at = now;
        self.since_report += 1;
        self.note_arrival(now);
        let mut begun: Option<LossEvent> = None;
        let target = self.first_rate(now);
        let Self { losses, intervals, rtt, loss_events, mark_events, .. } = self;
        losses.on_packet(number, marked, now, stamp.rtt, |event, before| {
            match before {
                Some(before) => intervals.close(f64::from(event.number - before.number)),
                None => intervals.close(first_interval(target, *rtt)),
            }
            begun = Some(event);
            *loss_events += 1;
            *mark_events += u64::from(event.marked);
        });
        let at_once = self.reported_at.is_none_or(|at| now >= at + self.rtt);
        if begun.is_some() || at_once {
            return Received { is_new, answer: AckDecision::Now };
        }
        self.due = self.reported_at.map_or(now, |at| at + self.rtt);
        Received { is_new, answer: AckDecision::At(self.due) }
    }

    fn note_arrival(&mut self, now: Time) {
        self.arrivals.push_back(now);
        while self.arrivals.front().is_some_and(|oldest| oldest + self.rtt <= now && oldest < now) {
            self.arrivals.pop_front();
        }
    }

    /// The rate that the first loss interval stands for.
    fn first_rate(&self, now: Time) -> f64 {
        match self.edition {
            Edition::Paper => self.receive_rate(now),
            Edition::Rfc5348 => self.receive_rate_max.max(self.receive_rate(now)),
        }
    }

    /// Packets per second since the last report, or in the last round trip if that was longer.
    fn receive_rate(&self, now: Time) -> f64 {
        let per_second = |packets: usize, span: Span| packets as f64 * 1e9 / span.nanos().max(1) as f64;
        match self.reported_at {
            Some(at) if now >= at + self.rtt => per_second(self.since_report as usize, now - at),
            _ if self.rtt > Span::ZERO => per_second(self.arrivals.len(), self.rtt),
            _ => 1.0,
        }
    }

    /// A report leaves: its number.
    #[inline(never)]
    pub fn report(&mut self, now: Time) -> u32 {
        let receive_rate = self.receive_rate(now);
        self.receive_rate_max = self.receive_rate_max.max(receive_rate);
        (self.reported_at, self.since_report, self.due) = (Some(now), 0, Time::NEVER);
        self.reports.send(Feedback {
            newest: self.losses.next() - 1,
            waited: now - self.newest_at,
            loss_event_rate: self.intervals.loss_event_rate(f64::from(self.losses.open_interval())),
            receive_rate,
            loss_events: self.loss_events,
            mark_events: self.mark_events,
        })
    }

    /// When a report is due; `NEVER` if none waits.
    pub fn due(&self) -> Time {
        self.due
    }
}

/// The loss interval at which the equation gives this rate.
fn first_interval(packets_per_second: f64, rtt: Span) -> f64 {
    let seconds = if rtt > Span::ZERO { rtt.nanos() as f64 / 1e9 } else { 1.0 };
    1.0 / response::loss_event_rate(packets_per_second, seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: TfrcParams = TfrcParams { intervals: 8.0, discount: 1.0, damping: 0.0 };
    const RTT: Span = Span::from_millis(100);

    fn at(millis: u64) -> Time {
        Time::ZERO + Span::from_millis(millis)
    }

    fn stamp() -> Stamp {
        Stamp { sent: Time::ZERO, rtt: RTT }
    }

    #[test]
    fn reports_go_once_per_round_trip() {
        let mut receiver = TfrcReceiver::new(PARAMS, Edition::Paper);
        let mut answers = Vec::new();
        for k in 0..25u32 {
            let now = at(u64::from(k) * 10);
            if receiver.due() <= now {
                receiver.report(now);
                answers.push((k, "timer"));
            }
            match receiver.on_data(k, false, stamp(), now).answer {
                AckDecision::Now => {
                    receiver.report(now);
                    answers.push((k, "data"));
                }
                AckDecision::At(due) => assert_eq!(due, receiver.due()),
                AckDecision::Held => panic!("it holds nothing"),
            }
        }
        assert_eq!(answers, [(0, "data"), (10, "timer"), (20, "timer")]);
        // Ten packets in each round trip of 100 ms; the packet that comes with the timer counts later.
        assert_eq!(receiver.reports.take(1).unwrap().receive_rate, 90.0);
        assert_eq!(receiver.reports.take(2).unwrap().receive_rate, 100.0);
    }

    #[test]
    fn the_first_loss_interval_is_that_of_the_rate_received() {
        let mut receiver = TfrcReceiver::new(PARAMS, Edition::Paper);
        for (place, k) in (0u64..).zip((0..30u32).filter(|&k| k != 20)) {
            let now = at(place * 10);
            if receiver.on_data(k, false, stamp(), now).answer == AckDecision::Now {
                receiver.report(now);
            }
            if receiver.loss_events == 1 {
                assert_eq!(k, 23, "three packets after the lost one");
                // Ten packets in the last 100 ms: the equation at the reported loss event rate gives 100 a second.
                let p = receiver.reports.take(receiver.reports.first).unwrap().loss_event_rate;
                let last =
                    receiver.reports.take(receiver.reports.first + receiver.reports.ring.len() as u32 - 1);
                assert_eq!(p, 0.0);
                let rate = response::rate(last.unwrap().loss_event_rate, 0.1);
                assert!((rate / 100.0 - 1.0).abs() < 1e-6, "{rate}");
                return;
            }
        }
        panic!("the loss was not seen");
    }

    #[test]
    fn a_loss_event_is_reported_at_once_and_closes_an_interval() {
        let mut receiver = TfrcReceiver::new(PARAMS, Edition::Paper);
        let lost = [10, 60, 61];
        let mut reported = Vec::new();
        for k in (0..100u32).filter(|k| !lost.contains(k)) {
            let now = at(u64::from(k) * 10);
            let before = receiver.loss_events;
            let answer = receiver.on_data(k, false, stamp(), now).answer;
            if receiver.loss_events > before {
                assert_eq!(answer, AckDecision::Now);
                reported.push(k);
            }
            if answer == AckDecision::Now {
                receiver.report(now);
            }
        }
        assert_eq!(reported, [13, 64]);
        let first = first_interval(90.0, RTT); // of the ten packets of a round trip one is missing
        let average = receiver.intervals.average(0.0).unwrap();
        assert!((average / ((first + 50.0) / 2.0) - 1.0).abs() < 0.01, "{average} from {first} and 50");
    }
}
