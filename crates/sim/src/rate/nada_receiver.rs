//! NADA's receiver: what it measures of packets, and what it reports every DELTA.
//!
//! Source: RFC 8698 §4.2 and §5.1; the formulas are in `cc`. d_base is the least one-way delay so far, d_queue the least of the last 15
//! queueing delays (§5.1.1). Loss and marking ratios are those of the packets of the last LOGWIN, smoothed at every report (§5.1.2); the
//! receiving rate is what came in the last LOGWIN over LOGWIN (§5.1.3). A packet that comes behind a later one is lost. Average loss
//! intervals are those of RFC 5348 §5.4, in packets, and a loss event is that of TFRC (`losses`).
//!
//! | parameter | unit    | default | why               |
//! |-----------|---------|---------|-------------------|
//! | FILTER    | packets | 15      | RFC 8698 §5.1.1   |
//! | intervals | 1       | 8       | RFC 5348 §5.4     |
//!
//! Differs from the RFC: d_base is never forgotten (§5.1.1 does so after tens of minutes, and runs are shorter), the ramp-up is left at
//! once upon a hole, three packets before it becomes a loss event, and where nothing came for longer than DELTA the report goes with the
//! next packet.

use super::losses::Losses;
use super::{NadaFeedback, Reports, Stamp};
use crate::ring::Ring;
use crate::tcp::receiver::{AckDecision, Received};
use sawtooth_cc::nada::{NadaParams, RateMode};
use sawtooth_cc::tfrc::loss_intervals::LossIntervals;
use sawtooth_cc::units::{Span, Time};

/// Queueing delays of which the least counts.
const FILTER: usize = 15;
/// Loss intervals averaged.
const INTERVALS: usize = 8;
const MILLION: f64 = 1e6;
const BILLION: f64 = 1e9;

/// A packet of the last LOGWIN.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    at: Time,
    delay: Span,
    /// Packets missing right before it.
    missing: u32,
    marked: bool,
}

/// The receiver of one NADA flow.
#[derive(Debug)]
pub struct NadaReceiver {
    params: NadaParams,
    losses: Losses,
    intervals: LossIntervals,
    samples: Ring<Sample>,
    /// How many of the samples are marked, and packets missing among them.
    marked: u32,
    missing: u32,
    /// The last one-way delays, for the filter.
    newest: [Span; FILTER],
    received: usize,
    base: Span,
    newest_at: Time,
    reported_at: Option<Time>,
    due: Time,
    p_loss: f64,
    p_mark: f64,
    loss_events: u64,
    /// Of packets that came marked.
    marks: u64,
    /// Reports in flight.
    pub reports: Reports<NadaFeedback>,
}

impl NadaReceiver {
    /// A receiver that has seen nothing.
    pub fn new(params: NadaParams) -> Self {
        NadaReceiver {
            params,
            losses: Losses::default(),
            intervals: LossIntervals::new(INTERVALS, 1.0),
            samples: Ring::default(),
            marked: 0,
            missing: 0,
            newest: [Span::ZERO; FILTER],
            received: 0,
            base: Span::ZERO,
            newest_at: Time::ZERO,
            reported_at: None,
            due: Time::NEVER,
            p_loss: 0.0,
            p_mark: 0.0,
            loss_events: 0,
            marks: 0,
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
        let missing = number - self.losses.next();
        let delay = now - stamp.sent;
        self.base = if self.received == 0 { delay } else { self.base.min(delay) };
        self.newest[self.received % FILTER] = delay;
        self.received += 1;
        self.newest_at = now;
        self.samples.push_back(Sample { at: now, delay, missing, marked });
        self.missing += missing;
        self.marked += u32::from(marked);
        self.marks += u64::from(marked);
        self.forget(now);
        let Self { losses, intervals, loss_events, .. } = self;
        losses.on_packet(number, false, now, stamp.rtt, |event, before| {
            let begun = before.map_or(0, |before| before.number);
            intervals.close(f64::from((event.number - begun).max(1)));
            *loss_events += 1;
        });
        let due = self.reported_at.map_or(now, |at| at + self.params.report_interval());
        if due <= now {
            return Received { is_new: true, answer: AckDecision::Now };
        }
        self.due = due;
        Received { is_new: true, answer: AckDecision::At(due) }
    }

    /// Packets that came before the last LOGWIN are not looked at any more.
    fn forget(&mut self, now: Time) {
        let window = self.params.window();
        while let Some(oldest) = self.samples.front().filter(|oldest| oldest.at + window <= now) {
            self.samples.pop_front();
            self.missing -= oldest.missing;
            self.marked -= u32::from(oldest.marked);
        }
    }

    /// d_queue in ms, filtered.
    fn queueing(&self) -> f64 {
        let known = self.received.min(FILTER);
        let least = self.newest[..known].iter().min().copied().unwrap_or(self.base);
        self.beyond_base(least)
    }

    /// What a delay has beyond the least one, ms.
    fn beyond_base(&self, delay: Span) -> f64 {
        (delay.nanos() - self.base.nanos()) as f64 / MILLION
    }

    fn mode(&self) -> RateMode {
        let builds_up = |sample: Sample| self.params.builds_up(self.beyond_base(sample.delay));
        let mut samples = (0..self.samples.len()).filter_map(|place| self.samples.ahead(place));
        match self.missing > 0 || samples.any(builds_up) {
            true => RateMode::Gradual,
            false => RateMode::RampUp,
        }
    }

    /// A report leaves: its number.
    #[inline(never)]
    pub fn report(&mut self, now: Time) -> u32 {
        self.forget(now);
        let came = self.samples.len() as f64;
        let sent = came + f64::from(self.missing);
        let share = |count: u32, of: f64| if of > 0.0 { f64::from(count) / of } else { 0.0 };
        self.p_loss = self.params.smoothed(self.p_loss, share(self.missing, sent));
        self.p_mark = self.params.smoothed(self.p_mark, share(self.marked, sent));
        let since = f64::from(self.losses.open_interval());
        let losses = self.intervals.average(0.0).map(|interval| (since, interval));
        let counted = self.params.counted(self.queueing(), losses);
        (self.reported_at, self.due) = (Some(now), Time::NEVER);
        self.reports.send(NadaFeedback {
            newest: self.losses.next() - 1,
            waited: now - self.newest_at,
            mode: self.mode(),
            signal: self.params.signal(counted, self.p_mark, self.p_loss),
            receive_rate: came * BILLION / self.params.window().nanos() as f64,
            loss_events: self.loss_events,
            marks: self.marks,
        })
    }

    /// When a report is due; `NEVER` if none waits.
    pub fn due(&self) -> Time {
        self.due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sawtooth_cc::{ControllerSpec, parse_controller};

    fn receiver(text: &str) -> NadaReceiver {
        let ControllerSpec::Nada(params) = parse_controller(text).unwrap() else { panic!("{text}") };
        NadaReceiver::new(params)
    }

    fn at(millis: u64) -> Time {
        Time::ZERO + Span::from_millis(millis)
    }

    /// Packets every 10 ms, those of `lost` not, marked those of `marked`, each `delay` ms on its way; what is reported, and when.
    fn reports(
        receiver: &mut NadaReceiver,
        count: u32,
        lost: &[u32],
        marked: &[u32],
        delay: impl Fn(u32) -> u64,
    ) -> Vec<(u64, NadaFeedback)> {
        let mut found = Vec::new();
        let mut take = |receiver: &mut NadaReceiver, now: Time| {
            let number = receiver.report(now);
            found.push((now.nanos() / 1_000_000, receiver.reports.take(number).unwrap()));
        };
        for number in (0..count).filter(|number| !lost.contains(number)) {
            let sent = at(10 * u64::from(number));
            let now = sent + Span::from_millis(delay(number));
            if receiver.due() < now {
                take(receiver, receiver.due());
            }
            let stamp = Stamp { sent, rtt: Span::from_millis(100) };
            let answer = receiver.on_data(number, marked.contains(&number), stamp, now).answer;
            if answer == AckDecision::Now {
                take(receiver, now);
            }
        }
        found
    }

    #[test]
    fn a_report_goes_every_delta() {
        let found = reports(&mut receiver("nada"), 60, &[], &[], |_| 25);
        let times: Vec<_> = found.iter().map(|(at, _)| *at).collect();
        assert_eq!(times, [25, 125, 225, 325, 425, 525]);
        let found = reports(&mut receiver("nada(delta = 40)"), 21, &[], &[], |_| 25);
        assert_eq!(found.len(), 6);
    }

    #[test]
    fn what_comes_in_a_window_over_the_window_is_the_receiving_rate() {
        let found = reports(&mut receiver("nada"), 100, &[], &[], |_| 25);
        // Ten packets after 100 ms, fifty in each 500 ms.
        assert_eq!(found[1].1.receive_rate, 22.0);
        assert_eq!(found[8].1.receive_rate, 100.0);
    }

    #[test]
    fn a_queue_is_what_a_delay_has_beyond_the_least_one() {
        // From the thirtieth packet on 30 ms more; the filter lets it pass when it has lasted for 15 packets.
        let found = reports(&mut receiver("nada"), 100, &[], &[], |number| if number < 30 { 25 } else { 55 });
        let signals: Vec<_> = found.iter().map(|(at, feedback)| (*at, feedback.signal)).collect();
        assert!(
            signals.iter().all(|&(at, signal)| signal == if at < 495 { 0.0 } else { 30.0 }),
            "{signals:?}"
        );
        assert_eq!(found[3].1.mode, RateMode::RampUp);
        assert_eq!(found[5].1.mode, RateMode::Gradual);
    }

    #[test]
    fn losses_and_marks_are_ratios_of_a_window() {
        let found = reports(&mut receiver("nada(alpha = 1)"), 60, &[40], &[20, 30], |_| 25);
        let (_, last) = found[5];
        // At 525 ms the fifty packets from number 1 on: one of them lost, two marked.
        assert!((last.signal - (2.0 * 4.0_f64.powi(2) + 10.0 * 2.0_f64.powi(2))).abs() < 1e-9, "{last:?}");
        assert_eq!((last.mode, last.loss_events, last.marks), (RateMode::Gradual, 1, 2));
        // Half a second after it the loss is behind the window, and the ramp-up goes on.
        let found = reports(&mut receiver("nada"), 120, &[40], &[], |_| 25);
        let modes: Vec<_> = found.iter().map(|(at, feedback)| (*at, feedback.mode)).collect();
        let expected = |at: u64| if (430..930).contains(&at) { RateMode::Gradual } else { RateMode::RampUp };
        assert!(modes.iter().all(|&(at, mode)| mode == expected(at)), "{modes:?}");
    }

    #[test]
    fn a_long_queue_is_warped_while_a_loss_is_remembered() {
        // A loss after twenty packets is remembered for seven times as many; then the queue of 150 ms counts whole again.
        let delay = |number: u32| if number < 10 { 25 } else { 175 };
        let found = reports(&mut receiver("nada(dloss = 0)"), 400, &[20], &[], delay);
        let warped = 50.0 * 0.367_879_441_171_442; // 50 ms over e
        let signal_at = |millis: u64| {
            let (_, feedback) = found.iter().find(|(at, _)| *at >= millis).expect("reports go on");
            feedback.signal
        };
        assert!((signal_at(800) - warped).abs() < 1e-9, "{}", signal_at(800));
        assert_eq!(signal_at(2400), 150.0);
    }
}
