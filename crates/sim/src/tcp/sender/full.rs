//! A sender that keeps more than a classic one: what its records tell its controller, and what it sends.
//!
//! Order within one acknowledgement: packets called lost, a withdrawal, the sample, then congestion and recovery, so that a controller has
//! heard what happened before it is asked to react. A controller that does not want to hear of acknowledgements during recovery
//! gets those samples that a classic sender gives, and where that gives none, none.

use super::{Sender, WindowCut};
use crate::packet::Packet;
use crate::tcp::flight::Outcome;
use crate::tcp::recovery::{Acknowledgement, LossRecovery, Verdict};
use crate::tcp::timers::{Due, Timer};
use sawtooth_cc::units::{Bytes, Span, Time};
use sawtooth_cc::{AckSample, Controller, RoundTripTimes, UndoSignal};

/// The connection of a sender, as its recovery sees it.
macro_rules! connection {
    ($sender:ident, $now:expr) => {{
        let (records, timers) = match &mut $sender.extras {
            Some(extras) => (extras.records.as_mut(), Some(&mut extras.timers)),
            None => (None, None),
        };
        let (sent, rtt) = (&mut $sender.sent, &$sender.rtt);
        $crate::tcp::recovery::Connection { now: $now, sent, rtt, records, timers }
    }};
}
pub(super) use connection;

const FULL: &str = "a sender in full has extras";

impl<C: Controller, R: LossRecovery> Sender<C, R> {
    pub(super) fn on_ack_in_full(
        &mut self,
        ack: &Acknowledgement<'_>,
        echo: bool,
        now: Time,
    ) -> Option<WindowCut> {
        let was_recovering = self.recovery.in_recovery();
        self.begin_records(ack.cumulative, now);
        let verdict = self.recovery.on_ack(ack, &mut connection!(self, now));
        let outcome = self.conclude_records(&verdict, now);
        let rtt = self.take_rtt(&verdict, &outcome, ack.cumulative, now);
        if verdict.restart_timer {
            self.restart_timer(now);
        }
        let extras = self.extras.as_ref().expect(FULL);
        let grows = self.may_grow(&verdict, echo);
        if extras.wants.recovery || grows {
            let newly_acked = if echo { 0 } else { self.counted(verdict.newly_acked, ack.cumulative) };
            let ce_marked = self.marks_to_tell();
            let in_recovery = was_recovering || verdict.loss_event.is_some() || self.recovery.in_recovery();
            let sample = AckSample { newly_acked, ce_marked, in_recovery, ..self.sample(rtt, &outcome, now) };
            self.tell(&sample);
        }
        let cut = self.heed(&verdict, echo, ack.cumulative, now);
        if let Some(records) = &mut self.extras.as_mut().expect(FULL).records {
            records.forget_below(self.sent.una);
        }
        cut
    }

    /// When the first timer of all runs out.
    pub(super) fn earliest_deadline(&self) -> Time {
        let others = self.extras.as_ref().map_or(Time::NEVER, |extras| extras.timers.earliest());
        self.retransmit_at.min(others)
    }

    /// A timer other than that of retransmission that has run out, if one has.
    pub(super) fn take_due(&mut self, now: Time) -> Option<Due> {
        self.extras.as_mut()?.timers.take_due(now)
    }

    /// A timer of recovery has run out. Returns the cut it brought, if any.
    pub(super) fn on_recovery_timer(&mut self, timer: Timer, now: Time) -> Option<WindowCut> {
        self.begin_records(self.sent.una, now);
        let verdict = self.recovery.on_timer(timer, &mut connection!(self, now));
        self.conclude_records(&verdict, now);
        if verdict.restart_timer {
            self.restart_timer(now);
        }
        self.heed(&verdict, false, self.sent.una, now)
    }

    /// An acknowledgement arrives, or a timer has run out: what was acknowledged cumulatively is delivered.
    pub(super) fn begin_records(&mut self, cumulative: u32, now: Time) {
        if let Some(records) = self.extras.as_mut().and_then(|extras| extras.records.as_mut()) {
            records.begin(cumulative, now);
        }
    }

    /// Recovery has said what became of packets: what is lost, and whether the last signal was spurious, goes to the controller.
    pub(super) fn conclude_records(&mut self, verdict: &Verdict, now: Time) -> Outcome {
        let minimum = self.rtt.minimum();
        let Some(extras) = &mut self.extras else { return Outcome::default() };
        let mut outcome = Outcome::default();
        if let Some(records) = &mut extras.records {
            outcome = records.conclude(minimum);
            if extras.wants.packets {
                for (packet, lost) in records.newly_lost() {
                    self.control.on_lost(now, &packet, lost);
                }
            }
        }
        if verdict.spurious
            && let Some((kind, window_of_data)) = extras.last_signal.take()
        {
            self.control.on_undo(&UndoSignal {
                now,
                kind,
                window_of_data,
                in_flight: outcome.in_flight_after,
                newly_delivered: outcome.newly_delivered,
            });
        }
        self.follow_change(now);
        outcome
    }

    /// The sample that an acknowledgement gives to the estimator.
    fn take_rtt(&mut self, verdict: &Verdict, outcome: &Outcome, cumulative: u32, now: Time) -> Option<Span> {
        if self.extras.as_ref().expect(FULL).samples_every_packet {
            let rtt = outcome.rtt?;
            self.rtt.sample(rtt);
            self.rto = self.rtt.rto();
            return Some(rtt);
        }
        outcome.rtt.into_iter().for_each(|rtt| self.rtt.note(rtt));
        if verdict.newly_acked > 0 { self.note_progress(cumulative, now) } else { None }
    }

    /// What the records and the estimator say.
    fn sample(&self, rtt: Option<Span>, outcome: &Outcome, now: Time) -> AckSample {
        let records = self.extras.as_ref().expect(FULL).records.as_ref();
        AckSample {
            delivered: records.map(|records| records.delivered()).unwrap_or_default(),
            newly_delivered: outcome.newly_delivered,
            newly_lost: outcome.newly_lost,
            in_flight_before: outcome.in_flight_before,
            in_flight_after: outcome.in_flight_after,
            rtt: RoundTripTimes {
                latest: rtt,
                minimum: self.rtt.minimum(),
                smoothed: self.rtt.srtt(),
                newest: outcome.rtt,
            },
            rate: outcome.rate,
            round_ended: outcome.round_ended,
            ..AckSample::classic(now, 0, rtt, self.window_limited)
        }
    }

    fn tell(&mut self, sample: &AckSample) {
        self.control.on_ack(sample);
        self.follow_change(sample.now);
        if self.control.mark_application_limited()
            && let Some(records) = &mut self.extras.as_mut().expect(FULL).records
        {
            records.mark_app_limited();
        }
    }

    /// The next packet to send now, where recovery has something to repair or more is kept than a classic sender does.
    pub(super) fn next_packet_in_full(&mut self, now: Time) -> Option<Packet> {
        let pacer = self.extras.as_ref().and_then(|extras| extras.pacer.as_ref());
        if let Some(opens_at) = pacer.and_then(|pacer| pacer.holds(now)) {
            self.wait_for_the_pacer(opens_at);
            return None;
        }
        let window = self.allowed;
        let next = self.recovery.next(&mut connection!(self, now), window);
        let Some(transmission) = next else {
            self.window_limited = self.recovery.flight(&self.sent) >= window;
            self.note_shortage();
            return None;
        };
        let packet = self.packet_of(transmission, now);
        if self.extras.is_some() {
            self.note_sent(transmission.number, now);
        }
        Some(packet)
    }

    /// A packet leaves: its record, who hears of it, and when the next one may.
    fn note_sent(&mut self, number: u32, now: Time) {
        let extras = self.extras.as_mut().expect(FULL);
        if extras.samples_every_packet {
            self.timed = None;
        }
        if let Some(records) = &mut extras.records {
            let record = records.on_sent(number, now);
            if extras.wants.packets {
                self.control.on_sent(&record);
                self.follow_change(now);
            }
            self.recovery.on_sent(number, &mut connection!(self, now));
        }
        let packet = Bytes::new(u64::from(self.packet_bytes));
        self.extras.as_mut().expect(FULL).pace(&self.control, packet, self.rtt.srtt(), now);
    }

    /// The pacer holds what there may be to send. Where nothing is repaired it is plain whether there is anything, and a window that is full
    /// or data that is short limits as it would without a pacer. Otherwise it is the pacer that limits, not the
    /// application; its rate comes from the window, unless the controller has one of its own, so it counts as the window.
    fn wait_for_the_pacer(&mut self, opens_at: Time) {
        if self.recovery.is_open() {
            let full = self.recovery.flight(&self.sent) >= self.allowed;
            if full || !self.sent.may_send_next() {
                self.window_limited = full;
                self.note_shortage();
                return;
            }
        }
        self.window_limited |= self.control.pacing_rate().is_none();
        self.extras.as_mut().expect(FULL).timers.pace(opens_at);
    }

    /// Nothing may go now. If that is because there is no data, samples say little about the path for a while.
    fn note_shortage(&mut self) {
        let short = !self.window_limited && self.sent.next >= self.sent.limit;
        if short && let Some(records) = self.extras.as_mut().and_then(|extras| extras.records.as_mut()) {
            records.mark_app_limited();
        }
    }
}
