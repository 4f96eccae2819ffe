//! RACK-TLP: losses are found by time, tails by a probe, and what was no loss is taken back.
//!
//! Source: RFC 8985 (detection, `rack/detection.rs`; probe, `rack/probe.rs`), RFC 9937 (`prr`), RFC 5682 §3.1, RFC 3522 and RFC 3708
//! (`rack/spurious.rs`), RFC 2883 (duplicates are reported), RFC 6298 (timeouts).
//!
//! | parameter        | unit   | default | why                                                                       |
//! |------------------|--------|---------|---------------------------------------------------------------------------|
//! | limited_transmit | flag   | true    | RFC 3042                                                                  |
//! | prr              | choice | rfc9937 | RFC 8985 §9.3 recommends it                                               |
//! | rto              | choice | linux   | the timer is the last resort: it must not come before an acknowledgement |
//! | rtt_samples      | choice | every   | the detection measures every packet anyway                                |
//! | timestamps       | flag   | true    | Linux                                                                     |
//! | reordering_window | choice | rfc8985 | see `rack/detection.rs`                                                    |
//! | timers           | choice | exact   | see `tcp/clock.rs`                                                        |
//! | prr_marks        | flag   | false   | RFC 9937 is about losses; Linux spreads the cut after a mark too          |
//! | tail_probe       | flag   | true    | RFC 8985 §7                                                               |
//! | max_ack_delay    | ns     | what the receiver delays | RFC 8985 §7.2; Linux takes 200 ms                        |
//!
//! In flight is what has been sent, less what is SACKed, less what is lost and has not gone again (RFC 9937 §6.2). What has been lost
//! again goes first, then the rest in the order in which it was sent.
//!
//! A timeout calls the first packet lost, and others only if they were sent long enough ago (RFC 8985 §6.3); blocks are kept, since no
//! receiver here forgets what it holds. Without PRR the loss of a retransmission cuts again, once per round trip (RFC 8985 §9.3).
//!
//! The timers exclude each other (RFC 8985 §8): that of the probe is never later than the retransmission timer, and while the reordering
//! timer runs the retransmission timer begins anew.

mod calm;
mod detection;
mod probe;
mod spurious;

use super::{
    About, Acknowledgement, Connection, LossEvent, LossRecovery, RecoveryUpdate, SendState, Transmission,
    acknowledge,
};
use crate::scenario::TcpSpec;
use crate::tcp::flight::Sending;
use crate::tcp::number_set::NumberSet;
use crate::tcp::prr::{Delivery, FlightAtEntry, Prr};
use crate::tcp::timers::Timer;
pub use detection::ReorderingWindow;
use detection::{Detection, News, Situation};
use probe::{Probe, ProbeOutcome, TailLoss};
use sawtooth_cc::units::Time;
use spurious::{Episode, Frto};
use std::collections::VecDeque;

/// What it says about itself.
pub const ABOUT: About = About {
    aliases: &["rack-tlp"],
    title: "RACK-TLP",
    summary: "losses found by time, a probe for tails, and withdrawal of what was no loss; as in today's Linux",
    source: "RFC 8985; RFC 9937; RFC 5682; RFC 3522; RFC 3708",
    behaviour: 2, // 1 kept windows that were not used
    own_settings: &[
        "prr",
        "timestamps",
        "undo",
        "prr_marks",
        "tail_probe",
        "max_ack_delay",
        "reordering_window",
        "timers",
        "application_limit",
    ],
    ignores: &[],
    defaults: &[("prr", "rfc9937"), ("rto", "linux"), ("rtt_samples", "every"), ("idle", "rfc7661")],
};

/// What is being repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    Recovery,
    AfterTimeout(Frto),
}

/// RACK-TLP.
#[derive(Clone, Debug)]
pub struct Rack {
    limited_transmit: bool,
    timestamps: bool,
    sacked: NumberSet,
    /// Lost, and not sent again since.
    lost: NumberSet,
    detection: Detection,
    /// What has been lost more than once, and what once, in the order of going again; some of it may have arrived.
    lost_again: VecDeque<Sending>,
    lost_once: VecDeque<Sending>,
    state: State,
    /// Recovery ends when everything below is acknowledged.
    recovery_point: u32,
    /// The first lost packet must go, whatever is in flight.
    forced: bool,
    /// When the window was cut last.
    cut_at: Time,
    prr: Prr,
    /// The cut after a mark is spread like that after a loss.
    prr_marks: bool,
    /// Such a cut is being spread, until everything below is acknowledged.
    spread_until: Option<u32>,
    delivery: Option<Delivery>,
    tail: TailLoss,
    /// When the reordering timer expires.
    reordering_at: Option<Time>,
    episode: Episode,
    /// Numbers that have been acknowledged alone are still below the bases of these sets.
    is_behind: bool,
}

/// What is known when losses are looked for.
fn situation(connection: &Connection<'_>, sacked: u32, repairing: bool) -> Situation {
    let (srtt, handshake) = (connection.rtt.srtt(), connection.rtt.minimum());
    Situation { now: connection.now, sacked, repairing, srtt, handshake }
}

impl Rack {
    /// No loss seen yet.
    pub fn new(tcp: &TcpSpec) -> Self {
        Rack {
            limited_transmit: tcp.limited_transmit,
            timestamps: tcp.timestamps,
            sacked: NumberSet::default(),
            lost: NumberSet::default(),
            detection: Detection::new(tcp.reordering_window),
            lost_again: VecDeque::new(),
            lost_once: VecDeque::new(),
            state: State::Open,
            recovery_point: 0,
            forced: false,
            cut_at: Time::ZERO,
            prr: Prr::new(tcp.prr),
            prr_marks: tcp.prr_marks,
            spread_until: None,
            delivery: None,
            tail: TailLoss::new(tcp.tail_probe, tcp.presumed_ack_delay()),
            reordering_at: None,
            episode: Episode::default(),
            is_behind: false,
        }
    }

    /// Read an acknowledgement: what it delivers, and whether F-RTO may call a timeout spurious for that.
    fn take_in(&mut self, ack: &Acknowledgement<'_>, connection: &mut Connection<'_>) -> Delivery {
        let (una, high, now) = (connection.sent.una, connection.sent.high, connection.now);
        let mut delivery = Delivery { advances: ack.cumulative > una, ..Delivery::default() };
        let echo = ack.echo().filter(|echo| self.timestamps && !echo.again);
        let mut news = News::default();
        for number in una..ack.cumulative {
            if !self.sacked.contains(number) {
                delivery.packets += 1;
                self.lost.remove(number);
                let earlier = echo.is_some_and(|echo| echo.number == number);
                self.detection.on_delivered(&mut news, connection.sending(number), earlier, now);
            }
        }
        self.sacked.advance(ack.cumulative);
        self.lost.advance(ack.cumulative);
        let Rack { sacked, lost, detection, .. } = self;
        for block in ack.blocks {
            let (start, end) = (block.start.max(ack.cumulative), block.end.min(high));
            if start < end {
                sacked.insert(start, end, |number| {
                    delivery.packets += 1;
                    lost.remove(number);
                    detection.on_delivered(&mut news, connection.sending(number), false, now);
                    connection.deliver(number);
                });
            }
        }
        if self.detection.conclude(&news, now) {
            self.tail.note_sample();
        }
        delivery
    }

    /// Look for losses; is there one of a packet that has gone again since the window was cut?
    fn detect(&mut self, connection: &mut Connection<'_>) -> bool {
        if !self.detection.overtakes(|sending| connection.flies(sending.number, sending.times)) {
            self.reordering_at = None;
            return false;
        }
        self.detect_overtaken(connection)
    }

    /// The same where something has been overtaken.
    #[inline(never)]
    fn detect_overtaken(&mut self, connection: &mut Connection<'_>) -> bool {
        let situation = situation(connection, self.sacked.count(), self.state != State::Open);
        let mut found = Vec::new();
        let flies = |sending: &Sending| connection.flies(sending.number, sending.times);
        self.reordering_at = self.detection.detect(&situation, flies, |sending| found.push(sending));
        if let Some(delivery) = &mut self.delivery {
            delivery.tells_of_loss = !found.is_empty();
        }
        let mut again_since_cut = false;
        for sending in found {
            again_since_cut |= sending.times > 1 && sending.at >= self.cut_at;
            self.lose(sending, connection);
        }
        again_since_cut
    }

    fn lose(&mut self, sending: Sending, connection: &mut Connection<'_>) {
        connection.lose(sending.number);
        self.lost.add(sending.number);
        let queue = if sending.times > 1 { &mut self.lost_again } else { &mut self.lost_once };
        queue.push_back(sending);
    }

    /// Losses have been looked for: recovery begins with the first, and, without a reduction, anew with that of a retransmission.
    fn begin_if_lost(&mut self, lost_again: bool, connection: &Connection<'_>, update: &mut RecoveryUpdate) {
        let sent = &*connection.sent;
        let begins = self.state == State::Open && self.lost.count() > 0;
        let anew = self.state == State::Recovery && lost_again && !self.prr.is_on();
        if begins {
            self.episode.begin(sent.una);
            self.tail.reset();
            self.forced = !self.prr.is_on();
            if self.spread_until.take().is_none() {
                self.begin_reduction(sent);
            }
        }
        if begins || anew {
            self.state = State::Recovery;
            (self.recovery_point, self.cut_at) = (sent.high, connection.now);
            update.loss_event = Some(LossEvent::Repair);
            update.restart_timer = true;
        }
    }

    /// A cut begins to be spread over what is in flight.
    fn begin_reduction(&mut self, sent: &SendState) {
        self.prr.begin(FlightAtEntry {
            outstanding: sent.high - sent.una,
            sacked: self.sacked.count(),
            delivered: self.delivery.map_or(0, |delivery| delivery.packets),
        });
    }

    /// Nothing was lost: everything outstanding is in flight, and recovery ends.
    fn withdraw(&mut self, connection: &mut Connection<'_>, update: &mut RecoveryUpdate) {
        for number in connection.sent.una..connection.sent.high {
            if self.lost.contains(number) {
                connection.regain(number);
            }
        }
        self.lost.clear();
        (self.lost_once, self.lost_again) = (VecDeque::new(), VecDeque::new());
        let outstanding = connection.sent.una..connection.sent.high;
        let all = outstanding.map(|number| connection.sending(number));
        self.detection.restore(all.filter(|sending| connection.flies(sending.number, sending.times)));
        self.episode.withdraw(connection.sent);
        update.recovered |= self.state == State::Recovery;
        update.timeout_repaired |= matches!(self.state, State::AfterTimeout(_));
        update.spurious = true;
        self.leave(connection.sent.una);
    }

    fn leave(&mut self, recovery_point: u32) {
        (self.state, self.recovery_point, self.forced) = (State::Open, recovery_point, false);
        self.end_reduction();
    }

    fn end_reduction(&mut self) {
        self.spread_until = None;
        self.prr.end();
    }

    /// F-RTO (RFC 5682 §3.1): does this acknowledgement show that a timeout was spurious?
    fn frto(
        &mut self,
        ack: &Acknowledgement<'_>,
        delivery: Delivery,
        una_before: u32,
        sent: &SendState,
    ) -> bool {
        let State::AfterTimeout(frto) = self.state else { return false };
        let covered = ack.blocks.iter().map(|block| block.end).fold(ack.cumulative, u32::max);
        let (next, spurious) = match frto {
            Frto::First if ack.cumulative == una_before => (Frto::First, false),
            // Step 2a, and 2b without new data: conventional recovery.
            Frto::First if ack.cumulative >= self.recovery_point || !sent.may_send_next() => {
                (Frto::Off, false)
            }
            Frto::First => (Frto::Second { left: 2 }, false),
            Frto::Second { .. } if covered > self.recovery_point || delivery.packets == 0 => {
                (Frto::Off, false)
            }
            Frto::Second { .. } => (Frto::Off, true),
            Frto::Off => (Frto::Off, false),
        };
        self.state = State::AfterTimeout(next);
        spurious
    }

    /// What has arrived says whether the last cut was without a loss.
    fn is_spurious(
        &mut self,
        ack: &Acknowledgement<'_>,
        delivery: Delivery,
        una_before: u32,
        nothing_sacked: bool,
        sent: &SendState,
    ) -> bool {
        let by_duplicates =
            self.episode.all_arrived_twice(ack, una_before, nothing_sacked) && self.lost.count() == 0;
        let by_echo = delivery.advances && self.episode.echoes_an_original(ack, sent) && self.timestamps;
        let by_frto = self.frto(ack, delivery, una_before, sent);
        by_duplicates || by_echo || by_frto
    }

    /// The next of what is lost.
    #[inline]
    fn next_lost(&mut self) -> Option<u32> {
        if self.lost_again.is_empty() && self.lost_once.is_empty() { None } else { self.first_lost() }
    }

    fn first_lost(&mut self) -> Option<u32> {
        for queue in [&mut self.lost_again, &mut self.lost_once] {
            while let Some(sending) = queue.front() {
                if self.lost.contains(sending.number) {
                    return Some(sending.number);
                }
                queue.pop_front();
            }
        }
        None
    }

    /// Is a probe to be sent if nothing is heard (§7.2)?
    fn may_probe(&self, sent: &SendState) -> bool {
        let calm = self.state == State::Open && self.sacked.count() == 0 && self.reordering_at.is_none();
        calm && sent.una < sent.high
    }

    fn set_reordering_timer(&self, connection: &mut Connection<'_>) {
        let at = self.reordering_at.map_or(Time::NEVER, |due| connection.expiry(due));
        connection.set_timer(Timer::Reordering, at);
    }

    #[inline(always)]
    fn set_probe_timer(&mut self, connection: &mut Connection<'_>) {
        let (srtt, retransmit_at, now) = (connection.rtt.srtt(), connection.retransmit_at, connection.now);
        let due = self.tail.time(connection.sent, srtt, now);
        let at = if due == Time::NEVER { due } else { connection.expiry(due).min(retransmit_at) };
        connection.set_timer(Timer::Probe, at);
    }
}

impl LossRecovery for Rack {
    fn on_ack(&mut self, ack: &Acknowledgement<'_>, connection: &mut Connection<'_>) -> RecoveryUpdate {
        if self.is_calm(ack, connection.sent) {
            return self.on_calm_ack(ack.cumulative, connection);
        }
        self.catch_up(connection.sent.una);
        let una_before = connection.sent.una;
        let nothing_sacked = self.sacked.count() == 0;
        let mut delivery = self.take_in(ack, connection);
        let newly_acked = acknowledge(ack.cumulative, connection.sent);
        let mut update =
            RecoveryUpdate { newly_acked, restart_timer: newly_acked > 0, ..RecoveryUpdate::default() };
        let probed = self.tail.on_ack(ack, una_before);
        if self.is_spurious(ack, delivery, una_before, nothing_sacked, connection.sent) {
            self.withdraw(connection, &mut update);
        }
        let leaves = self.state != State::Open && connection.sent.una >= self.recovery_point;
        if leaves {
            update.recovered = self.state == State::Recovery;
            update.timeout_repaired = !update.recovered;
            self.episode.end(connection.sent);
            self.leave(self.recovery_point);
        }
        if self.spread_until.is_some_and(|number| connection.sent.una >= number) {
            self.end_reduction();
        }
        self.detection.adapt(connection.sent.una, connection.sent.next, ack.duplicate().is_some(), leaves);
        self.episode.forget_below(connection.sent.una);
        delivery.tells_of_loss = false;
        self.delivery = Some(delivery);
        let lost_again = self.detect(connection);
        self.begin_if_lost(lost_again, connection, &mut update);
        if probed == ProbeOutcome::Repaired && update.loss_event.is_none() && self.state == State::Open {
            update.loss_event = Some(LossEvent::Repaired);
        }
        update.restart_timer |= self.reordering_at.is_some();
        self.set_reordering_timer(connection);
        update
    }

    #[inline(always)]
    fn take_alone(&mut self, oldest: Sending, sent: &mut SendState, now: Time) -> bool {
        if !self.is_calm_itself() || !self.detection.comes_next(&oldest) {
            return false;
        }
        self.detection.on_delivered_alone(&oldest, now);
        self.tail.note_sample();
        let cumulative = oldest.number + 1;
        acknowledge(cumulative, sent);
        self.detection.adapt(cumulative, sent.next, false, false);
        self.is_behind = true;
        true
    }

    #[inline(always)]
    fn on_window_alone(&mut self, connection: &mut Connection<'_>) {
        if connection.sent.una < connection.sent.high {
            self.set_probe_timer(connection);
        } else {
            connection.set_timer(Timer::Probe, Time::NEVER);
        }
    }

    fn on_timeout(&mut self, connection: &mut Connection<'_>) {
        let (una, high) = (connection.sent.una, connection.sent.high);
        self.catch_up(una);
        let frto = match self.state {
            State::Open | State::AfterTimeout(Frto::First) => Frto::First,
            _ if una >= self.recovery_point => Frto::First,
            _ => Frto::Off,
        };
        if self.state == State::Open {
            self.episode.begin(una);
        }
        self.state = State::AfterTimeout(frto);
        (self.recovery_point, self.cut_at, self.forced) = (high, connection.now, true);
        self.end_reduction();
        self.delivery = None;
        self.tail.reset();
        self.reordering_at = None;
        let situation = situation(connection, self.sacked.count(), true);
        (self.lost_once, self.lost_again) = (VecDeque::new(), VecDeque::new());
        for number in una..high {
            let sending = connection.sending(number);
            let overdue = || number == una || self.detection.is_overdue(&sending, &situation);
            if self.lost.contains(number) || connection.flies(number, sending.times) && overdue() {
                connection.lose(number);
                self.lost.add(number);
                self.lost_once.push_back(sending);
            }
        }
        connection.set_timer(Timer::Reordering, Time::NEVER);
        connection.set_timer(Timer::Probe, Time::NEVER);
    }

    fn on_timer(&mut self, timer: Timer, connection: &mut Connection<'_>) -> RecoveryUpdate {
        let mut update = RecoveryUpdate { restart_timer: true, ..RecoveryUpdate::default() };
        if timer == Timer::Probe {
            self.tail.on_timer(connection.sent);
            return update;
        }
        self.catch_up(connection.sent.una);
        self.delivery = Some(Delivery::default());
        let lost_again = self.detect(connection);
        self.begin_if_lost(lost_again, connection, &mut update);
        self.set_reordering_timer(connection);
        update
    }

    fn on_sent(&mut self, sending: Sending, connection: &mut Connection<'_>) {
        self.detection.on_sent(sending);
        self.prr.on_sent();
        if sending.times > 1 {
            self.catch_up(connection.sent.una);
            self.lost.remove(sending.number);
            self.episode.note_again(sending.number, connection.sent);
        }
        if let Some(probe) = self.tail.due.take() {
            self.tail.on_sent(probe, connection.sent);
        } else if sending.times == 1 && self.may_probe(connection.sent) {
            self.set_probe_timer(connection);
        }
    }

    #[inline(always)]
    fn on_sent_new(&mut self, sending: Sending, connection: &mut Connection<'_>) {
        self.detection.on_sent_new(sending);
        if self.reordering_at.is_none() {
            self.set_probe_timer(connection);
        }
    }

    fn on_window(&mut self, connection: &mut Connection<'_>, window: u32) {
        let delivery = self.delivery.take();
        if let Some(delivery) = delivery
            && self.prr.is_active()
        {
            let in_flight = self.flight(connection.sent);
            self.prr.on_delivery(delivery, in_flight, window);
        }
        if !self.may_probe(connection.sent) {
            connection.set_timer(Timer::Probe, Time::NEVER);
        } else if delivery.is_some_and(|delivery| delivery.advances) {
            self.set_probe_timer(connection);
        }
    }

    fn on_mark_cut(&mut self, connection: &mut Connection<'_>) {
        if self.prr_marks && self.prr.is_on() && self.state == State::Open {
            self.begin_reduction(connection.sent);
            self.spread_until = Some(connection.sent.high);
        }
    }

    fn in_recovery(&self) -> bool {
        self.state == State::Recovery || self.spread_until.is_some()
    }

    fn is_open(&self) -> bool {
        let calm = self.state == State::Open && self.tail.due.is_none() && self.spread_until.is_none();
        calm && self.sacked.count() == 0 && self.lost.count() == 0
    }

    fn flight(&self, sent: &SendState) -> u32 {
        sent.high - sent.una - self.sacked.count() - self.lost.count()
    }

    fn next(&mut self, connection: &mut Connection<'_>, window: u32) -> Option<Transmission> {
        let sent = &mut *connection.sent;
        match self.tail.due {
            Some(Probe::New) if sent.may_send_next() => return Some(sent.advance()),
            Some(Probe::Again) => return Some(Transmission { number: sent.high - 1, again: true }),
            _ => self.tail.due = None, // the application has stopped in between
        }
        if self.forced {
            self.forced = false;
            if let Some(number) = self.next_lost() {
                return Some(Transmission { number, again: true });
            }
        }
        let waits = self.state == State::Open && self.sacked.count() > 0 && !self.limited_transmit;
        let flight = if waits { sent.high - sent.una } else { self.flight(sent) };
        if flight >= self.prr.window().unwrap_or(window) {
            return None;
        }
        match &mut self.state {
            State::AfterTimeout(Frto::First | Frto::Second { left: 0 }) => None,
            State::AfterTimeout(Frto::Second { left }) => sent.may_send_next().then(|| {
                *left -= 1;
                sent.advance()
            }),
            _ => match self.next_lost() {
                Some(number) => Some(Transmission { number, again: true }),
                None => sent.may_send_next().then(|| sent.advance()),
            },
        }
    }

    fn keeps_records(&self) -> bool {
        true
    }

    fn probes(&self) -> u64 {
        self.tail.count
    }
}
