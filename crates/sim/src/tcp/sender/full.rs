//! A sender that keeps more than a classic one: what its records tell its controller, and what it sends.
//!
//! Order within one acknowledgement: packets declared lost, a withdrawal, the sample, then congestion and recovery, so that a
//! controller has heard what happened before it is asked to react. A controller that does not want to hear of acknowledgements during
//! recovery gets those samples that a classic sender gives, and where that gives none, none.

use super::{Sender, StateTimes, WindowCut};
use crate::ack_details::Details;
use crate::observation::{ModelState, Phase, SenderView};
use crate::packet::{Packet, PacketKind, RETRANSMISSION};
use crate::tcp::flight::{Outcome, Sending};
use crate::tcp::recovery::{LossRecovery, RecoveryUpdate, Transmission};
use crate::tcp::timers::{Due, Timer};
use sawtooth_cc::units::{Bytes, Span, Time};
use sawtooth_cc::{AckSample, Congestion, Controller, DeliveryRate, RoundTripTimes, UndoSignal};

/// The connection of a sender, as its recovery sees it.
macro_rules! connection {
    ($sender:ident, $now:expr) => {{
        let (records, timers) = match &mut $sender.extras {
            Some(extras) => (extras.records.as_mut(), Some(&mut extras.timers)),
            None => (None, None),
        };
        let (sent, rtt, retransmit_at) = (&mut $sender.sent, &mut $sender.rtt, $sender.retransmit_at);
        $crate::tcp::recovery::Connection { now: $now, sent, rtt, records, timers, retransmit_at }
    }};
}
pub(super) use connection;

pub(super) const FULL: &str = "a sender in full has extras";

impl<C: Controller, R: LossRecovery> Sender<C, R> {
    /// An acknowledgement to a sender that keeps more than a classic one. Returns the cut it caused, if any.
    #[inline(always)]
    pub fn on_any_ack_in_full(
        &mut self,
        cumulative: u32,
        details: Option<Details<'_>>,
        echo: bool,
        now: Time,
    ) -> Option<WindowCut> {
        if cumulative == self.sent.una + 1 && details.is_none() && !echo && self.takes_alone(now) {
            return None;
        }
        self.on_ack_in_full(cumulative, details, echo, now)
    }

    #[inline(never)]
    fn on_ack_in_full(
        &mut self,
        cumulative: u32,
        details: Option<Details<'_>>,
        echo: bool,
        now: Time,
    ) -> Option<WindowCut> {
        let numbered = self.is_numbered();
        if cumulative < self.sent.una && !numbered {
            return None; // overtaken on its way, as in `eventful`
        }
        let (ack, echo) = self.read(cumulative, details.as_ref(), echo);
        let was_recovering = self.recovery.in_recovery() && !numbered;
        self.begin_records(if numbered { 0 } else { ack.cumulative }, now);
        let mut update = self.recovery.on_ack(&ack, &mut connection!(self, now));
        update.spurious &= !echo; // RFC 4015 §3.1 step 9: marked, the cut was due
        let echo = echo && !numbered;
        let outcome = self.conclude_records(&update, now);
        let rtt = self.take_rtt(&update, &outcome, ack.cumulative, now);
        self.meter_sample(outcome.rtt.or(rtt), outcome.rate.as_ref(), now);
        self.follow_timer(&update, now);
        let recovering = self.recovery.in_recovery();
        let grows = !recovering && self.may_grow(&update, echo);
        let extras = self.extras.as_ref().expect(FULL);
        if extras.wants.recovery || grows {
            let slow_start_max = extras.slow_start_max;
            let newly_acked = match update.newly_acked {
                _ if echo => 0,
                counted if numbered => counted,
                acked => self.counted(acked, ack.cumulative, extras.threshold, slow_start_max),
            };
            let (ce_marked, newly_marked) = self.marks_to_tell();
            let in_recovery = was_recovering || update.loss_event.is_some() || recovering;
            let sample = AckSample {
                newly_acked,
                ce_marked,
                newly_marked,
                in_recovery,
                ..self.sample(rtt, &outcome, now)
            };
            self.tell(&sample);
        }
        let cut = self.heed(&update, echo, ack.cumulative, now);
        self.tell_window(now);
        if !numbered && let Some(records) = &mut self.extras.as_mut().expect(FULL).records {
            records.forget_below(self.sent.una);
        }
        cut
    }

    /// When the first of all timers expires.
    pub(super) fn earliest_deadline(&self) -> Time {
        let others = self.extras.as_ref().map_or(Time::NEVER, |extras| extras.timers.earliest());
        self.retransmit_at.min(others)
    }

    /// A timer other than that of retransmission that has expired, if any.
    pub(super) fn take_due(&mut self, now: Time) -> Option<Due> {
        self.extras.as_mut()?.timers.take_due(now)
    }

    /// A timer of recovery has expired. Returns the cut it brought, if any.
    pub(super) fn on_recovery_timer(&mut self, timer: Timer, now: Time) -> Option<WindowCut> {
        self.begin_records(if self.is_numbered() { 0 } else { self.sent.una }, now);
        let update = self.recovery.on_timer(timer, &mut connection!(self, now));
        self.conclude_without_sample(&update, now);
        self.follow_timer(&update, now);
        let cut = self.heed(&update, false, self.sent.una, now);
        self.tell_window(now);
        cut
    }

    /// Do its transmissions have numbers of their own?
    pub(super) fn is_numbered(&self) -> bool {
        self.extras.as_ref().is_some_and(|extras| extras.next_packet.is_some())
    }

    /// The retransmission timer restarts, if there is one.
    fn follow_timer(&mut self, update: &RecoveryUpdate, now: Time) {
        if !update.restart_timer {
            return;
        }
        if !self.is_numbered() {
            self.restart_timer(now);
        } else if self.sent.una == self.sent.limit {
            self.note_end_of_data(now);
        }
    }

    /// Recovery hears which window the controller has made of everything.
    pub(super) fn tell_window(&mut self, now: Time) {
        let window = self.allowed;
        if self.extras.is_some() {
            self.recovery.on_window(&mut connection!(self, now), window);
        }
        self.note_calm();
        self.note_state(now);
    }

    /// Recovery has done something: has it anything to repair now?
    #[inline(always)]
    fn note_calm(&mut self) {
        self.calm = self.extras.is_some() && !self.is_numbered() && self.recovery.is_open();
    }

    /// The controller may have entered another state.
    pub(super) fn note_state(&mut self, now: Time) {
        if let Some(states) = self.extras.as_mut().and_then(|extras| extras.states.as_mut())
            && let Some(state) = self.control.state()
        {
            states.note(state, now);
        }
    }

    /// What the controller believes and does, if it has states.
    pub fn model(&self) -> Option<ModelState> {
        Some(ModelState {
            state: self.control.state()?,
            window: self.window,
            in_flight: self.in_flight(),
            pacing: self.control.pacing_rate(),
            estimates: self.control.estimates().unwrap_or_default(),
        })
    }

    /// What it does, for people to see.
    pub fn view(&self) -> SenderView {
        let meter = self.aside.meter.as_ref();
        SenderView {
            phase: self.phase(),
            in_flight: Some(self.in_flight()),
            pacing_bps: meter.and_then(|meter| meter.pacing.latest()),
            delivery_bps: meter.and_then(|meter| meter.delivery.latest()),
            marked_share: self.control.marked_share(),
            undos: self.undos(),
        }
    }

    /// A controller with states has no slow start of this kind: its states say more.
    fn phase(&self) -> Phase {
        if self.recovery.in_recovery() {
            Phase::Recovery
        } else if self.control.state().is_some() || self.window >= self.control.slow_start_threshold() {
            Phase::Steady
        } else if self.control.in_conservative_slow_start() {
            Phase::ConservativeSlowStart
        } else {
            Phase::SlowStart
        }
    }

    /// What the controller believes and does, if it has entered a state since this was last asked.
    pub fn take_entered(&mut self) -> Option<ModelState> {
        self.extras.as_mut()?.states.as_mut()?.take_entered()?;
        self.model()
    }

    /// The time that the controller has been in each of its states since counting began, if it has states.
    pub fn state_times(&mut self, now: Time) -> Option<StateTimes> {
        Some(self.extras.as_mut()?.states.as_mut()?.spent(now))
    }

    /// An acknowledgement arrives or a timer has expired: what was acknowledged cumulatively is delivered.
    pub(super) fn begin_records(&mut self, cumulative: u32, now: Time) {
        if let Some(records) = self.extras.as_mut().and_then(|extras| extras.records.as_mut()) {
            records.begin(cumulative, now);
        }
    }

    /// Recovery has said what became of packets: what is lost, and whether the last signal was spurious, goes to the controller.
    #[inline(always)]
    fn conclude_records(&mut self, update: &RecoveryUpdate, now: Time) -> Outcome {
        let minimum = self.rtt.minimum();
        let Some(extras) = &mut self.extras else { return Outcome::default() };
        let outcome =
            extras.records.as_mut().map_or_else(Outcome::default, |records| records.conclude(minimum));
        let first = !std::mem::replace(&mut extras.has_concluded, true);
        let told = extras.wants.packets && outcome.newly_lost > Bytes::ZERO;
        if told {
            self.tell_of_losses(now);
        }
        if update.spurious {
            self.withdraw_signal(outcome.in_flight_after, outcome.newly_delivered, now);
        }
        if told || update.spurious || first {
            self.follow_change(now);
        }
        outcome
    }

    /// The same for what is no acknowledgement.
    #[inline(never)]
    pub(super) fn conclude_without_sample(&mut self, update: &RecoveryUpdate, now: Time) {
        self.conclude_records(update, now);
    }

    #[inline(never)]
    fn tell_of_losses(&mut self, now: Time) {
        if let Some(records) = self.extras.as_ref().and_then(|extras| extras.records.as_ref()) {
            for packet in records.newly_lost(now) {
                self.control.on_lost(&packet);
            }
        }
    }

    /// The last signal was spurious, if there was one that can be withdrawn.
    #[inline(never)]
    fn withdraw_signal(&mut self, in_flight: Bytes, newly_delivered: Bytes, now: Time) {
        let Some(extras) = &mut self.extras else { return };
        let last = extras.last_signal.take().filter(|&(kind, _)| kind != Congestion::EcnMark);
        let Some((kind, window_of_data)) = last else { return };
        extras.undos += 1;
        self.restart_point = self.sent.una;
        self.control.on_undo(&UndoSignal { now, kind, window_of_data, in_flight, newly_delivered });
    }

    /// The sample that an acknowledgement gives to the estimator.
    fn take_rtt(
        &mut self,
        update: &RecoveryUpdate,
        outcome: &Outcome,
        cumulative: u32,
        now: Time,
    ) -> Option<Span> {
        if self.is_numbered() {
            return update.rtt; // which has gone into the averages
        }
        if self.extras.as_ref().expect(FULL).samples_every_packet {
            let rtt = outcome.rtt_with_wait?; // RFC 7323 §4.3: the timeout must not expire while an acknowledgement waits
            if !self.rtt.sample_exactly(rtt) {
                self.rtt.sample(rtt, now);
            }
            outcome.rtt.into_iter().for_each(|rtt| self.rtt.note(rtt));
            self.rto = self.rtt.rto();
            return Some(rtt);
        }
        outcome.rtt.into_iter().for_each(|rtt| self.rtt.note(rtt));
        if update.newly_acked > 0 { self.time_round_trip(cumulative, now) } else { None }
    }

    /// What an acknowledgement says to those who read the results.
    #[inline(always)]
    pub(super) fn meter_sample(&mut self, rtt: Option<Span>, rate: Option<&DeliveryRate>, now: Time) {
        let Some(meter) = &mut self.aside.meter else { return };
        if let Some(rtt) = rtt {
            meter.round_trips.add(rtt);
        }
        if let Some(srtt) = self.rtt.srtt() {
            meter.smoothed.note(srtt.real(), now);
        }
        if let Some(rate) = rate.filter(|rate| rate.reliable && rate.interval > Span::ZERO) {
            let seconds = rate.interval.real() / 1e9;
            meter.delivery.note(8.0 * rate.delivered.real() / seconds, now);
        }
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

    #[inline(always)]
    pub(super) fn tell(&mut self, sample: &AckSample) {
        let heard = self.control.take_ack(sample);
        self.follow_window(heard.window, sample.now);
        let extras = self.extras.as_mut().expect(FULL);
        extras.note_pacing(heard.pacing);
        extras.threshold = heard.threshold;
        if heard.application_limited
            && let Some(records) = &mut extras.records
        {
            records.mark_app_limited();
        }
    }

    /// The next packet to send now, where recovery has something to repair or more is kept than a classic sender does.
    #[inline(always)]
    pub fn next_packet_in_full(&mut self, now: Time) -> Option<Packet> {
        if self.calm { self.next_calm_packet(now) } else { self.next_other_packet(now) }
    }

    /// The same where recovery has something to repair, or where packets are numbered.
    #[inline(never)]
    fn next_other_packet(&mut self, now: Time) -> Option<Packet> {
        let pacer = self.extras.as_ref().and_then(|extras| extras.pacer.as_ref());
        if let Some(opens_at) = pacer.and_then(|pacer| pacer.holds(now)) {
            self.wait_for_the_pacer(opens_at, now);
            return None;
        }
        let next = self.next_to_repair(now);
        let Some(transmission) = next else {
            self.note_halt(self.window_limited);
            return None;
        };
        let packet = if self.is_numbered() {
            self.numbered_packet_of(transmission)
        } else {
            self.packet_of(transmission, now)
        };
        if self.extras.is_some() {
            self.note_sent(transmission.number, now);
            self.note_calm(); // a probe has left
        }
        Some(packet)
    }

    /// What recovery sends next.
    fn next_to_repair(&mut self, now: Time) -> Option<Transmission> {
        let window = self.allowed;
        let next = self.recovery.next(&mut connection!(self, now), window);
        if next.is_none() {
            // What a recovery holds back although there is something to send, it holds for the window's sake.
            let held = self.recovery.in_recovery() && self.sent.may_send_next();
            self.window_limited = held || self.is_full();
        }
        next
    }

    /// Is as much in flight as the window allows?
    #[inline]
    fn is_full(&self) -> bool {
        self.recovery.flight(&self.sent) >= self.allowed
    }

    /// A packet with a number of its own. It is new, whatever it carries: ECN-capable like any other (RFC 9000 §13.4.1).
    fn numbered_packet_of(&mut self, transmission: Transmission) -> Packet {
        let Transmission { number, again } = transmission;
        self.stats.sent += 1;
        self.stats.retransmits += u64::from(again);
        let flags = self.flags | if again { RETRANSMISSION } else { 0 };
        let own = self.extras.as_ref().and_then(|extras| extras.next_packet).expect(FULL);
        self.packet(PacketKind::Data, number, self.packet_bytes, flags).with_packet_number(own)
    }

    /// A packet leaves: its record, who hears of it, and when the next one may.
    #[inline(never)]
    pub(super) fn note_sent(&mut self, number: u32, now: Time) {
        let extras = self.extras.as_mut().expect(FULL);
        if extras.samples_every_packet {
            self.timed = None;
        }
        let name = extras.name(number);
        if let Some(records) = &mut extras.records {
            let times = records.on_sent(name, now);
            if extras.wants.packets {
                let packet = records.packet(name).expect("it has just been sent");
                let (window, pacing) = self.control.take_sent(&packet);
                extras.note_pacing(pacing);
                self.follow_window(window, now);
            }
            let sending = Sending { number, at: now, times };
            self.recovery.on_sent(sending, &mut connection!(self, now));
        }
        self.pace(now);
    }

    /// A packet leaves: when may the next one?
    #[inline(always)]
    pub(super) fn pace(&mut self, now: Time) {
        let packet = Bytes::new(u64::from(self.packet_bytes));
        let extras = self.extras.as_mut().expect(FULL);
        let gap = extras.pace(&self.control, self.window, packet, self.rtt.srtt(), now);
        if gap > Span::ZERO
            && let Some(meter) = &mut self.aside.meter
        {
            meter.pacing.note(8e9 * f64::from(self.packet_bytes) / gap.real(), now);
        }
    }

    /// The pacer holds what there may be to send. Where packets are numbered and nothing is repaired it is plain whether there is anything,
    /// and a window that is full or data that is short limits as it would without a pacer. Otherwise it is the pacer that limits; its rate
    /// comes from the window, unless the controller has one of its own, so it counts as the window if there is enough to fill that.
    fn wait_for_the_pacer(&mut self, opens_at: Time, now: Time) {
        if self.is_numbered() && self.recovery.is_open() {
            let full = self.is_full();
            if full || !self.sent.may_send_next() {
                return self.note_halt(full);
            }
        }
        self.limit_by_pacer();
        self.extras.as_mut().expect(FULL).timers.pace(opens_at, now);
    }

    /// The pacer holds something that the window would let go. Without a rate of its own a controller is limited by the window then, if
    /// what there is to send would have filled it without the pacer (RFC 9002 §7.8).
    #[inline(always)]
    pub(super) fn limit_by_pacer(&mut self) {
        if self.control.pacing_rate().is_none() {
            self.window_limited = self.would_be_full();
        }
        self.look_at_use(false);
    }

    /// Would as much be in flight as the window allows, if everything that there is to send left now? At the end of a transfer and while
    /// something is repaired it counts as if it were.
    #[inline]
    fn would_be_full(&self) -> bool {
        if !self.more_to_come || !self.recovery.is_open() {
            return true;
        }
        let waiting = self.sent.waiting();
        u64::from(self.recovery.flight(&self.sent)) + u64::from(waiting) >= u64::from(self.allowed)
    }

    /// Nothing may go now, since the window is full, or because there is no data.
    #[inline(always)]
    pub(super) fn note_halt(&mut self, full: bool) {
        self.window_limited = full;
        self.note_shortage(full);
        self.look_at_use(full);
    }

    /// Where it is remembered how the window was used, this says whether it limits the flow.
    #[inline(always)]
    fn look_at_use(&mut self, full: bool) {
        if let Some(window_use) = self.extras.as_mut().and_then(|extras| extras.window_use.as_mut()) {
            let threshold = self.control.slow_start_threshold();
            self.window_limited =
                window_use.look(full, self.sent.una..self.sent.high, self.window, threshold);
        }
    }

    /// If nothing may go because there is no data, samples say little about the path for a while.
    fn note_shortage(&mut self, full: bool) {
        let short = !full && self.sent.next >= self.sent.limit;
        if short && let Some(records) = self.extras.as_mut().and_then(|extras| extras.records.as_mut()) {
            records.mark_app_limited();
        }
    }
}
