//! Short flows that come and go: each a connection of its own, of TCP or of a stack from outside, with state only while it lasts.
//!
//! A flow gets a slot, a flow number behind those of the scenario's flows, when it starts. Its slot is free for another flow when it is
//! completed and none of its packets or acknowledgements is in flight, late retransmissions included. So no packet of one flow ever
//! reaches another. Timers set for the flow before are recognised by their time, as those of any flow are. Only the next start of each
//! process stands among the events.

use super::Network;
use super::endpoints::{ReceiverSide, SenderSide};
use crate::arrivals::{Arrival, Arrivals};
use crate::event::{Event, Moment};
use crate::histogram::Histogram;
use crate::observation::{Kinds, Occurrence};
use crate::records::ArrivalRecord;
use crate::scenario::{FlowSpec, Profile, Scenario};
use crate::topology::FlowRoute;
use sawtooth_cc::units::{Span, Time};

/// All short flows of a run.
#[derive(Debug)]
pub(super) struct ShortFlows {
    /// Flow number of the first slot.
    pub first: u32,
    /// Seed of the run.
    seed: String,
    processes: Vec<Process>,
    slots: Vec<Slot>,
    /// Slots that are free, by the moment since when; the last one is taken first.
    free: Vec<(Moment, u32)>,
}

/// One process: what its flows have in common, when the next one starts, and what has been counted.
#[derive(Debug)]
struct Process {
    arrivals: Arrivals,
    next: Option<Arrival>,
    flow: FlowSpec,
    profile: Profile,
    route: FlowRoute,
    under_way: u64,
    /// Flows that have started so far.
    begun: u64,
    completion_times: Histogram,
    record: ArrivalRecord,
}

/// Who has a slot.
#[derive(Clone, Copy, Debug)]
struct Slot {
    process: u32,
    start: Time,
    packets: u32,
    state: State,
    /// When the last of what is known of it happens, or has happened.
    ends: Moment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Something is still to be delivered.
    Open,
    /// All is acknowledged, but some packet or acknowledgement is still in flight.
    Completed,
    /// The next flow may have it.
    Free,
}

impl ShortFlows {
    /// No flow has started yet.
    pub fn new(scenario: &Scenario, routes: &[FlowRoute]) -> Self {
        let processes = scenario.arrivals.iter().zip(routes).map(|(spec, &route)| {
            let profile = scenario.profiles[spec.profile as usize].clone();
            Process {
                arrivals: Arrivals::new(&scenario.seed, &spec.name, &spec.schedule),
                next: None,
                // The route is in stages already: copies of the flow need no lists of links.
                flow: FlowSpec { forward: Vec::new(), reverse: Vec::new(), ..spec.flow() },
                record: blank_record(&spec.name, &profile),
                profile,
                route,
                under_way: 0,
                begun: 0,
                completion_times: Histogram::default(),
            }
        });
        ShortFlows {
            first: scenario.flows.len() as u32,
            seed: scenario.seed.clone(),
            processes: processes.collect(),
            slots: Vec::new(),
            free: Vec::new(),
        }
    }

    /// The warm-up is over: what completed flows have counted so far does not belong to the measured time.
    pub fn restart_counters(&mut self) {
        for process in &mut self.processes {
            let record = &mut process.record;
            (record.sent, record.retransmits, record.timeouts) = (0, 0, 0);
        }
    }

    /// The next flow may have this slot. What is done ahead of time does not change which one it gets.
    fn let_free(&mut self, place: u32, since: Moment) {
        let earlier = self.free.iter().rev().take_while(|&&(other, _)| other > since).count();
        self.free.insert(self.free.len() - earlier, (since, place));
    }

    /// The run is over: what has been counted.
    pub fn finish(mut self, senders: &[SenderSide], receivers: &[ReceiverSide]) -> Vec<ArrivalRecord> {
        let first = self.first as usize;
        for (index, slot) in self.slots.iter().enumerate().filter(|(_, slot)| slot.state != State::Free) {
            let process = &mut self.processes[slot.process as usize];
            process.count(&senders[first + index], &receivers[first + index]);
        }
        let records = self.processes.into_iter().map(|process| {
            let times = &process.completion_times;
            ArrivalRecord {
                completion_p50: times.quantile(0.50),
                completion_p95: times.quantile(0.95),
                completion_p99: times.quantile(0.99),
                ..process.record
            }
        });
        records.collect()
    }
}

impl Process {
    /// Add what one of its flows has counted.
    fn count(&mut self, from: &SenderSide, to: &ReceiverSide) {
        let stats = from.sender.stats();
        self.record.sent += stats.sent;
        self.record.retransmits += stats.retransmits;
        self.record.timeouts += stats.timeouts;
        self.record.delivered_unique += to.delivered_unique;
    }
}

fn blank_record(name: &str, profile: &Profile) -> ArrivalRecord {
    ArrivalRecord {
        name: name.to_owned(),
        packet_bytes: u32::from(profile.packet_bytes),
        started: 0,
        finished: 0,
        offered: 0,
        sent: 0,
        retransmits: 0,
        delivered_unique: 0,
        timeouts: 0,
        concurrent_max: 0,
        completed: 0,
        completion_sum: Span::ZERO,
        completion_p50: Span::ZERO,
        completion_p95: Span::ZERO,
        completion_p99: Span::ZERO,
    }
}

impl Network {
    /// Have the next flow of a process start when it is due, if there is one within the run.
    pub(super) fn expect_arrival(&mut self, index: u32) {
        let process = &mut self.short.processes[index as usize];
        let end = self.measured.to;
        process.next = process.arrivals.next().filter(|arrival| arrival.start < end);
        if let Some(arrival) = process.next {
            self.events.schedule(arrival.start, Event::Arrival(index));
        }
    }

    /// A short flow starts.
    pub(super) fn arrival(&mut self, index: u32, now: Time) {
        let process = &mut self.short.processes[index as usize];
        let Arrival { packets, .. } = process.next.expect("an event stands for a flow");
        process.flow.packets = Some(packets);
        process.under_way += 1;
        let record = &mut process.record;
        record.concurrent_max = record.concurrent_max.max(process.under_way);
        if now >= self.measured.from {
            record.started += 1;
            record.offered += u64::from(packets);
        }
        let slot = Slot { process: index, start: now, packets, state: State::Open, ends: Moment::default() };
        let flow = self.place(slot);
        self.flow_start(flow, now);
        self.expect_arrival(index);
    }

    /// Give a flow a slot; its flow number.
    fn place(&mut self, slot: Slot) -> u32 {
        let ShortFlows { first, seed, processes, slots, free, .. } = &mut self.short;
        let Process { flow, profile, route, record, begun, .. } = &mut processes[slot.process as usize];
        let present = self.events.now();
        let last = free.iter().rposition(|&(since, _)| since <= present); // what ends ahead of time has not ended
        let reused = last.map(|index| free.remove(index).1);
        let place = reused.unwrap_or(slots.len() as u32);
        let number = *first + place;
        let stream = || format!("arrivals/{}/{begun}", record.name);
        let sender = SenderSide::new(number, route, flow, profile, seed, stream);
        let receiver = ReceiverSide::new(number, route, flow, profile, seed, stream);
        *begun += 1;
        if reused.is_some() {
            slots[place as usize] = slot;
            // A timer of the flow before may still stand among the events. It is kept in mind, as it would be for the
            // same flow: when it comes, this one's deadline decides.
            let timer_event = self.senders[number as usize].timer_event;
            self.senders[number as usize] = SenderSide { timer_event, ..sender };
            self.receivers[number as usize] = receiver;
        } else {
            slots.push(slot);
            self.senders.push(sender);
            self.receivers.push(receiver);
            self.ack_events.push(Time::NEVER);
        }
        number
    }

    /// A packet or an acknowledgement of this flow enters the network. Only short flows count what is in flight.
    #[inline(always)]
    pub(super) fn note_begin(&mut self, flow: u32) {
        if flow >= self.short.first {
            self.senders[flow as usize].under_way += 1;
        }
    }

    /// A packet or an acknowledgement of this flow is no longer in flight at this time, and nothing answers it. If it was the last of a
    /// short flow, the slot becomes free.
    #[inline(always)]
    pub(super) fn note_end(&mut self, flow: u32, time: Time) {
        if flow >= self.short.first {
            self.senders[flow as usize].under_way -= 1;
            if time > self.events.now().time {
                self.note_later_end(flow, time);
            }
            self.close_if_finished(flow);
        }
    }

    /// It is known ahead of time.
    #[inline(never)]
    fn note_later_end(&mut self, flow: u32, time: Time) {
        let ends = &mut self.short.slots[(flow - self.short.first) as usize].ends;
        *ends = (*ends).max(Moment { time, cause: time });
    }

    fn close_if_finished(&mut self, flow: u32) {
        let side = &self.senders[flow as usize];
        let Some(finished) = side.sender.finished() else { return };
        let place = flow - self.short.first;
        let slot = &mut self.short.slots[place as usize];
        let process = &mut self.short.processes[slot.process as usize];
        if slot.state == State::Open {
            (slot.state, slot.ends) = (State::Completed, slot.ends.max(self.events.now()));
            process.under_way -= 1;
            let span = finished - slot.start;
            let record = &mut process.record;
            record.finished += u64::from(finished >= self.measured.from);
            if slot.start >= self.measured.from {
                record.completed += 1;
                record.completion_sum += span;
                process.completion_times.add(span);
            }
            let Slot { process, start, packets, .. } = *slot;
            self.observer.note(Kinds::COMPLETED, finished, || Occurrence::FlowCompleted {
                process,
                start,
                packets,
            });
        }
        if slot.state == State::Completed && side.under_way == 0 {
            slot.state = State::Free;
            process.count(side, &self.receivers[flow as usize]);
            let since = slot.ends.max(self.events.now());
            self.short.let_free(place, since);
            self.close_whole(flow);
        }
    }
}
