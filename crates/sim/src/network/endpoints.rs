//! Flows at the ends of their routes: what senders and receivers make of time and packets.

use super::Network;
use super::supply::Supply;
use crate::ack_details::{Details, DetailsPool};
use crate::event::{Event, Moment};
use crate::observation::{Kinds, Occurrence, Seen};
use crate::packet::{CE, ECE, IN_PROFILE, Packet, PacketKind, TEST};
use crate::pipe::Jitter;
use crate::random::{self, Stream};
use crate::scenario::{FlowSpec, Profile};
use crate::tcp::RttTicks;
use crate::tcp::receiver::AckDecision;
use crate::tcp::sender::{Sender, WindowCut};
use crate::topology::{FlowRoute, NO_LANE, StageIndex};
use crate::transport::{AnyReceiver, Transport};
use crate::whole::receiver::WholeReceiver;
use sawtooth_cc::units::Time;

const IS_TCP: &str = "only TCP's senders come here";

/// A sender and what the network knows about it. What each acknowledgement needs comes first.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct SenderSide {
    /// The timer event that counts; events at other times are stale.
    pub timer_event: Time,
    pub jitter: Option<Box<Jitter>>,
    /// Of a sender that paces, the event that counts after that one; it stands among the events already.
    pub later_event: Time,
    /// First stage of its data.
    pub route: StageIndex,
    /// Of a short flow, packets and answers that have left one end and not reached the other.
    pub under_way: u32,
    pub sender: Transport,
    /// Data packets dropped at queues other than the bottleneck since counting began.
    pub drops_elsewhere: u64,
    /// What its application has not offered yet, where it offers data over time.
    pub supply: Option<Box<Supply>>,
}

/// Seven cache lines: with eight, the lines of all flows that are needed together would share an eighth of the cache's sets.
const _: () = assert!(size_of::<SenderSide>() <= 448);

impl SenderSide {
    /// A sender before its SYN, without jitter. `stream` begins the name of its random streams.
    pub fn new(
        index: u32,
        route: &FlowRoute,
        flow: &FlowSpec,
        profile: &Profile,
        seed: &str,
        stream: impl Fn() -> String,
    ) -> Self {
        let draws = profile.controller.draws();
        let random = draws.then(|| random::key(seed, &format!("{}/controller", stream())));
        let mut sender = Transport::new(index, flow, profile, random);
        if profile.tcp.rtt_ticks == RttTicks::Counted {
            let mut random = Stream::new(seed, &format!("{}/clock", stream()));
            sender.count_ticks((random.uniform() * f64::from(u16::MAX)) as u16);
        }
        SenderSide {
            sender,
            route: route.data,
            under_way: 0,
            timer_event: Time::NEVER,
            later_event: Time::NEVER,
            jitter: None,
            supply: Supply::new(flow),
            drops_elsewhere: 0,
        }
    }
}

/// A receiver and what the network knows about it, in one cache line.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct ReceiverSide {
    pub receiver: AnyReceiver,
    /// First stage of its acknowledgements.
    pub route: StageIndex,
    pub ack_bytes: u16,
    pub ack_flags: u16,
    /// Packets delivered for the first time within the measured time.
    pub delivered_unique: u64,
    /// Packets delivered within the measured time.
    pub delivered_total: u64,
    /// Of these, marked ones.
    pub marks: u64,
    /// Data packets dropped at the bottleneck since counting began. They are counted here, because the prefetch for a packet on its way
    /// to the queue covers them. That saves 10 ns per packet with 100,000 flows and a loss rate of one fifth.
    pub drops: u64,
}

impl ReceiverSide {
    /// A receiver that has seen nothing. `stream` begins the name of its random streams.
    pub fn new(
        index: u32,
        route: &FlowRoute,
        flow: &FlowSpec,
        profile: &Profile,
        seed: &str,
        stream: impl FnOnce() -> String,
    ) -> Self {
        let receiver = match profile.controller.endpoint() {
            Some(_) => {
                let random = random::key(seed, &format!("{}/receiver", stream()));
                let receiver = WholeReceiver::new(index, flow, profile, random);
                AnyReceiver::Whole(Box::new(receiver.expect("its controller is an endpoint")))
            }
            None => AnyReceiver::new(profile),
        };
        let test = if flow.test { TEST } else { 0 };
        let in_profile = if flow.in_profile { IN_PROFILE } else { 0 };
        ReceiverSide {
            receiver,
            route: route.answer,
            ack_bytes: profile.ack_bytes,
            ack_flags: test | in_profile,
            delivered_unique: 0,
            delivered_total: 0,
            marks: 0,
            drops: 0,
        }
    }

    /// An acknowledgement that leaves now.
    #[inline(always)]
    fn acknowledgement(&mut self, flow: u32, details: &mut DetailsPool, now: Time) -> Packet {
        let AnyReceiver::Tcp(receiver) = &mut self.receiver else {
            unreachable!("a rate-based receiver reports");
        };
        let (number, echo) = receiver.acknowledge();
        let flags = self.ack_flags | if echo { ECE } else { 0 };
        let ack = Packet::new(PacketKind::Ack, flow, number, self.ack_bytes, flags);
        if !receiver.has_details() {
            return ack;
        }
        ack.with_details(receiver.keep_details(details, now))
    }
}

impl Network {
    /// A sender lets a packet go, perhaps a little later than it could.
    #[inline(always)]
    fn emit(&mut self, flow: u32, packet: Packet, now: Time) {
        self.census.created += 1;
        self.observer.note(Kinds::SENT, now, || Occurrence::PacketSent { packet });
        self.note_begin(flow);
        let side = &mut self.senders[flow as usize];
        let mut at = Moment { time: now, cause: now };
        let route = side.route;
        let stage = self.stages[route as usize];
        if let Some(jitter) = &mut side.jitter
            && packet.kind() == PacketKind::Data
            && stage.link().is_some()
        {
            at.time = jitter.delay(now);
        }
        match stage.link() {
            Some(link) if stage.lane() != NO_LANE => self.pass_one_link(stage, link, packet, at),
            _ => self.travel(packet, route, at),
        }
    }

    /// A packet is at the end of its route, unless the run ends before: the answer that goes out at once, if there is
    /// one, and the first stage of its way.
    #[inline(always)]
    pub(super) fn arrive(&mut self, packet: Packet, at: Moment) -> Option<(Packet, StageIndex)> {
        if at.time >= self.measured.to {
            self.census.beyond_end += 1;
            return None;
        }
        self.census.delivered += 1;
        if packet.kind() == PacketKind::Data {
            return self.receive(packet, at); // nine in ten: no table of jumps before
        }
        match packet.kind() {
            PacketKind::Data => unreachable!("data has been received"),
            PacketKind::Syn => {
                self.census.created += 1;
                let side = &self.receivers[packet.flow() as usize];
                let answer =
                    Packet::new(PacketKind::SynAck, packet.flow(), 0, side.ack_bytes, packet.flags());
                Some((answer, side.route))
            }
            PacketKind::SynAck => {
                self.senders[packet.flow() as usize].sender.on_syn_ack(at.time);
                self.send_allowed(packet.flow(), at.time);
                self.note_end(packet.flow(), at.time);
                None
            }
            PacketKind::Cbr => {
                self.note_stream_arrived(packet, at.time);
                None
            }
            PacketKind::Ack => unreachable!("acknowledgements reach their sender in the order of time"),
        }
    }

    #[inline(always)]
    fn receive(&mut self, packet: Packet, at: Moment) -> Option<(Packet, StageIndex)> {
        let side = &mut self.receivers[packet.flow() as usize];
        let AnyReceiver::Tcp(receiver) = &mut side.receiver else {
            self.receive_otherwise(packet, at.time);
            return None;
        };
        let received = receiver.on_data(packet, at.time);
        let is_new = received.is_new;
        if let Some(rates) = self.observer.rates_alone() {
            if is_new {
                rates.count(packet.flow(), at.time);
            }
        } else if self.observer.hears(Kinds::ARRIVED) {
            self.observer.note(Kinds::ARRIVED, at.time, || Occurrence::PacketArrived { packet, is_new });
            if self.apps.any() {
                self.apps.heed_arrival(packet.flow(), receiver.next_expected(), &mut self.events, at.time);
            }
        }
        if at.time >= self.measured.from {
            side.delivered_total += 1;
            side.delivered_unique += u64::from(is_new);
            side.marks += u64::from(packet.has(CE));
        }
        match received.answer {
            AckDecision::Now => {
                self.census.created += 1;
                Some((side.acknowledgement(packet.flow(), &mut self.details, at.time), side.route))
            }
            later => {
                self.answer_later(packet.flow(), later, at.time);
                None
            }
        }
    }

    /// Data of a flow that is not TCP's arrives.
    #[cold]
    fn receive_otherwise(&mut self, packet: Packet, now: Time) {
        match self.receivers[packet.flow() as usize].receiver {
            AnyReceiver::Whole(_) => self.receive_whole(packet, now),
            _ => self.receive_paced(packet, now),
        }
    }

    /// What the receiver of such a flow sends arrives at its sender.
    #[cold]
    fn on_other_answer(&mut self, packet: Packet, now: Time) {
        match self.senders[packet.flow() as usize].sender {
            Transport::Whole(_) => self.on_answer(packet, now),
            _ => self.on_report(packet, now),
        }
    }

    /// An acknowledgement waits for others, or for the next packet.
    #[inline(never)]
    fn answer_later(&mut self, flow: u32, answer: AckDecision, now: Time) {
        match answer {
            AckDecision::At(due) => {
                self.expect_delayed_ack(flow, due);
                self.note_end(flow, now);
            }
            AckDecision::Held => self.hold_ack(flow, now),
            AckDecision::Now => unreachable!("that leaves at once"),
        }
    }

    /// An acknowledgement is made that leaves with others; until then it is under way.
    #[cold]
    fn hold_ack(&mut self, flow: u32, now: Time) {
        self.census.created += 1;
        let side = &mut self.receivers[flow as usize];
        let ack = side.acknowledgement(flow, &mut self.details, now);
        let AnyReceiver::Tcp(receiver) = &mut side.receiver else {
            unreachable!("a rate-based receiver holds nothing");
        };
        let until = receiver.hold(ack, now);
        self.expect_delayed_ack(flow, until);
    }

    /// What was held leaves, if its time has come.
    fn let_go(&mut self, flow: u32, now: Time) {
        loop {
            let side = &mut self.receivers[flow as usize];
            let AnyReceiver::Tcp(receiver) = &mut side.receiver else { return };
            let Some(ack) = receiver.let_go(now) else { return };
            let route = side.route;
            self.travel(ack, route, Moment { time: now, cause: now });
        }
    }

    #[inline(always)]
    pub(super) fn on_ack(&mut self, packet: Packet, now: Time) {
        self.census.delivered += 1;
        match &self.senders[packet.flow() as usize].sender {
            Transport::Tcp(sender) if sender.keeps_more() => self.on_ack_in_full(packet, now),
            Transport::Tcp(_) => self.on_classic_ack(packet, now),
            _ => self.on_other_answer(packet, now),
        }
    }

    #[inline(never)]
    fn on_classic_ack(&mut self, packet: Packet, now: Time) {
        let cut = self.tell_of_ack(packet, now, Sender::on_ack);
        if let Some(cut) = cut {
            self.record_cut(packet.flow(), cut, now);
        }
        self.send_upon_ack(packet.flow(), now);
        self.note_end(packet.flow(), now);
    }

    /// The same of a sender that keeps more than a classic one.
    #[inline(never)]
    fn on_ack_in_full(&mut self, packet: Packet, now: Time) {
        let (flow, present) = (packet.flow(), self.events.now());
        if let Some(opened) = self.tcp(flow).take_pacing(present) {
            self.send_late(flow, opened, present);
        }
        let cut = self.tell_of_ack(packet, now, Sender::on_any_ack_in_full);
        if let Some(cut) = cut {
            self.record_cut(flow, cut, now);
        }
        self.send_in_full(flow, now);
        self.arm_timer(flow);
        self.note_end(flow, now);
    }

    /// A sender hears of an acknowledgement in this way.
    #[inline(always)]
    fn tell_of_ack(
        &mut self,
        packet: Packet,
        now: Time,
        tell: impl FnOnce(&mut Sender, u32, Option<Details<'_>>, bool, Time) -> Option<WindowCut>,
    ) -> Option<WindowCut> {
        let Transport::Tcp(sender) = &mut self.senders[packet.flow() as usize].sender else {
            unreachable!("{IS_TCP}");
        };
        self.observer.note(Kinds::ACKNOWLEDGED, now, || Occurrence::AckArrived {
            packet,
            newly_acknowledged: packet.number().saturating_sub(sender.sent().una),
        });
        let details = self.details.get(packet.details());
        let cut = tell(sender, packet.number(), details, packet.has(ECE), now);
        self.details.release(packet.details());
        cut
    }

    /// The sender of a flow that is TCP's.
    #[inline(always)]
    pub(super) fn tcp(&mut self, flow: u32) -> &mut Sender {
        let Transport::Tcp(sender) = &mut self.senders[flow as usize].sender else {
            unreachable!("{IS_TCP}")
        };
        sender
    }

    pub(super) fn expect_delayed_ack(&mut self, flow: u32, due: Time) {
        let event = &mut self.ack_events[flow as usize];
        if due < *event {
            *event = due;
            self.events.schedule(due, Event::DelayedAck(flow));
        }
    }

    pub(super) fn delayed_ack(&mut self, flow: u32, now: Time) {
        if self.ack_events[flow as usize] != now {
            return; // stale
        }
        self.ack_events[flow as usize] = Time::NEVER;
        if let AnyReceiver::Whole(_) = self.receivers[flow as usize].receiver {
            return self.receiver_deadline(flow, now);
        }
        self.let_go(flow, now);
        let side = &self.receivers[flow as usize];
        let (due, route) = (side.receiver.answer_due(), side.route);
        if due <= now {
            self.note_begin(flow);
            let side = &mut self.receivers[flow as usize];
            let ack = match &side.receiver {
                AnyReceiver::Tcp(receiver) if receiver.holds() => return self.hold_ack(flow, now),
                AnyReceiver::Tcp(_) => {
                    self.census.created += 1;
                    side.acknowledgement(flow, &mut self.details, now)
                }
                AnyReceiver::Paced(_) => self.report(flow, now),
                AnyReceiver::Whole(_) => unreachable!("a stack has seen to its deadline"),
            };
            self.travel(ack, route, Moment { time: now, cause: now });
        }
        let later = if due > now { due } else { Time::NEVER };
        let next = later.min(self.receivers[flow as usize].receiver.held_until());
        if next != Time::NEVER {
            self.expect_delayed_ack(flow, next);
        }
    }

    pub(super) fn flow_start(&mut self, flow: u32, now: Time) {
        self.begin_supply(flow, now);
        if let Transport::Whole(sender) = &mut self.senders[flow as usize].sender {
            sender.begin(now);
            return self.send_allowed(flow, now);
        }
        let syn = self.senders[flow as usize].sender.syn(now);
        self.emit(flow, syn, now);
        self.arm_timer(flow);
    }

    /// The application of a flow offers no more data.
    pub(super) fn flow_stop(&mut self, flow: u32, now: Time) {
        self.send_overdue(flow, self.events.now());
        match &mut self.senders[flow as usize].sender {
            Transport::Whole(sender) => {
                sender.stop(now);
                self.send_allowed(flow, now);
            }
            sender => sender.stop(),
        }
    }

    /// Send whatever the flow may send now, and see to its timer.
    #[inline(never)]
    pub(super) fn send_allowed(&mut self, flow: u32, now: Time) {
        if self.heeds_states {
            self.heed_state(flow, now);
        }
        while let Some(packet) = self.senders[flow as usize].sender.next_packet(now) {
            self.emit(flow, packet, now);
        }
        self.arm_timer(flow);
    }

    /// The same after an acknowledgement, which most packets leave upon: where the window alone decides, in line.
    #[inline(always)]
    fn send_upon_ack(&mut self, flow: u32, now: Time) {
        if self.heeds_states {
            return self.send_allowed(flow, now);
        }
        loop {
            let Transport::Tcp(sender) = &mut self.senders[flow as usize].sender else {
                return self.send_allowed(flow, now);
            };
            if !sender.is_plain() {
                return self.send_allowed(flow, now);
            }
            let Some(packet) = sender.next_plain_packet(now) else { break };
            self.emit(flow, packet, now);
        }
        self.arm_timer(flow);
    }

    /// The same of a sender that keeps more than a classic one, once its connection is open; its timer is left as it is.
    #[inline(always)]
    pub(super) fn send_in_full(&mut self, flow: u32, now: Time) {
        if self.heeds_states {
            self.heed_state(flow, now);
        }
        while let Some(packet) = self.tcp(flow).next_packet_in_full(now) {
            self.emit(flow, packet, now);
        }
    }

    /// A controller may have entered a state, or a sender a phase.
    #[cold]
    #[inline(never)]
    fn heed_state(&mut self, flow: u32, now: Time) {
        self.heed_phase(flow, now);
        let Some(model) = self.senders[flow as usize].sender.take_entered() else { return };
        self.observer.note(Kinds::STATE_ENTERED, now, || Occurrence::StateEntered { flow, model });
        self.change_upon(flow, model.state, now);
    }

    fn heed_phase(&mut self, flow: u32, now: Time) {
        let Some(last) = self.last_seen.get_mut(flow as usize) else { return };
        let view = self.senders[flow as usize].sender.view();
        let (phase, undos) = std::mem::replace(last, (view.phase, view.undos));
        let entered = (view.phase != phase).then_some(Seen::Entered);
        let undone = (view.undos > undos).then_some(Seen::Undone);
        for why in undone.into_iter().chain(entered) {
            self.observer.note(Kinds::SENDER_SEEN, now, || Occurrence::SenderSeen { flow, why, view });
        }
    }

    #[inline(always)]
    pub(super) fn arm_timer(&mut self, flow: u32) {
        let side = &self.senders[flow as usize];
        let deadline = side.sender.deadline();
        if deadline < side.timer_event {
            self.expect_timer(flow, deadline);
        }
    }

    /// Have the timer event of a sender come earlier than it would. A sender that paces does so packet by packet: the event for its other
    /// timers is kept in mind, or each packet would leave one behind.
    #[inline(never)]
    fn expect_timer(&mut self, flow: u32, deadline: Time) {
        let side = &mut self.senders[flow as usize];
        if side.sender.is_paced() {
            side.later_event = side.timer_event;
        }
        side.timer_event = deadline;
        self.events.schedule(deadline, Event::SenderTimer(flow));
    }

    pub(super) fn sender_timer(&mut self, flow: u32, now: Time) {
        let side = &mut self.senders[flow as usize];
        if side.timer_event != now {
            return; // stale
        }
        side.timer_event = std::mem::replace(&mut side.later_event, Time::NEVER);
        self.send_overdue(flow, Moment { time: now, cause: Time::ZERO });
        let side = &mut self.senders[flow as usize];
        if side.sender.deadline() > now {
            self.arm_timer(flow); // acknowledgements have moved it
            return;
        }
        match side.sender.on_deadline(now) {
            Err(syn) => {
                self.emit(flow, syn, now);
                self.arm_timer(flow);
            }
            Ok(cut) => {
                if let Some(cut) = cut {
                    self.record_cut(flow, cut, now);
                }
                self.send_allowed(flow, now);
            }
        }
    }

    pub(super) fn record_cut(&mut self, flow: u32, cut: WindowCut, now: Time) {
        let sender = &self.senders[flow as usize].sender;
        self.observer.note(Kinds::CUT, now, || Occurrence::WindowCut { flow, cut, state: sender.state() });
    }
}
