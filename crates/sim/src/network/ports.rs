//! Ports that ask their queue for each packet when they can send it: behind a trace, and behind a discipline whose departures are
//! not known ahead.

use super::Network;
use crate::ack_filter::{AckFilter, supersedes};
use crate::event::{Event, Moment};
use crate::observation::Site;
use crate::packet::{Packet, PacketKind};
use crate::port::Transmitter;
use crate::port::trace::{OPPORTUNITY_BYTES, TransmissionEvent};
use crate::queue::{DropReason, Queued, Signal};
use crate::topology::{NO_LANE, Place, Stage};
use crate::transport::AnyReceiver;
use sawtooth_cc::units::{Span, Time};

impl Network {
    /// A packet reaches a port that asks for each packet.
    #[inline(never)]
    pub(super) fn enter_asking_port(&mut self, index: u32, arrival: Queued) {
        let now = arrival.arrived;
        self.catch_up_port(index, self.events.now());
        let is_filtered =
            self.ports[index as usize].ack_filter.is_some() && arrival.packet.kind() == PacketKind::Ack;
        if is_filtered && !self.filter_acks(index, arrival.packet, now) {
            return;
        }
        let port = &mut self.ports[index as usize];
        let state = port.transmitter_state(now);
        if let Transmitter::Trace(transmitter) = &mut port.transmitter {
            transmitter.expect(now, &port.queue);
        }
        port.queue.enqueue(arrival, state);
        let may_go = match &port.transmitter {
            Transmitter::Asking(transmitter) => transmitter.is_idle(),
            Transmitter::Aggregate(transmitter) => transmitter.is_idle(),
            Transmitter::Rate(_) | Transmitter::Trace(_) => false,
        };
        self.follow_signals(index, now);
        if may_go {
            self.transmit_next(index, now);
        }
    }

    /// The ACK filter of a port looks at an arriving packet, if it is an acknowledgement of TCP or QUIC: may it wait?
    #[cold]
    fn filter_acks(&mut self, index: u32, ack: Packet, now: Time) -> bool {
        let AnyReceiver::Tcp(receiver) = &self.receivers[ack.flow() as usize].receiver else { return true };
        let port = &mut self.ports[index as usize];
        let state = port.transmitter_state(now);
        match port.ack_filter.as_mut().expect("the port has a filter") {
            AckFilter::Superseded(spared) => {
                let numbered = receiver.is_numbered();
                let details = &self.details;
                port.queue
                    .drop_superseded(ack, *spared, state, |older| supersedes(ack, older, numbered, details));
            }
            AckFilter::Thin(n, thinned) => {
                if !thinned.admits(*n, ack, receiver.is_numbered(), &self.details) {
                    port.queue.count_refused(ack, DropReason::Filtered);
                    self.discard(ack, Site::Queue(index), DropReason::Filtered, now);
                    return false;
                }
            }
        }
        self.follow_signals(index, now);
        true
    }

    /// What the discipline of a port has dropped leaves the run, and what it has marked is noted. Most packets are let through, so
    /// whether there is anything stands apart from what is done.
    #[inline(always)]
    fn follow_signals(&mut self, index: u32, now: Time) {
        if self.ports[index as usize].queue.has_signals() {
            self.follow_each_signal(index, now);
        }
    }

    #[inline(never)]
    fn follow_each_signal(&mut self, index: u32, now: Time) {
        while let Some(signal) = self.ports[index as usize].queue.next_signal() {
            match signal {
                Signal::Dropped(packet, reason) => self.discard(packet, Site::Queue(index), reason, now),
                Signal::Marked(packet) => self.note_mark(packet, Site::Queue(index), now),
            }
        }
    }

    /// The transmitter of a port that asks is free: its queue chooses the next packet. When that will have left is certain.
    fn transmit_next(&mut self, index: u32, now: Time) {
        let port = &mut self.ports[index as usize];
        let Transmitter::Asking(transmitter) = &mut port.transmitter else {
            return self.next_opportunity(index, now);
        };
        let sent = transmitter.end(now);
        let next = port.queue.dequeue(transmitter.state(now));
        let mut end = None;
        if let Some(queued) = next {
            let (from, at) = transmitter.begin(queued, now);
            port.busy += self.measured.overlap(now, at);
            if from < self.measured.to {
                port.count_begin(&queued, from, self.measured);
            }
            end = Some(at);
        }
        let leaves_ahead = port.leaves_ahead;
        if port.departs_late {
            self.expect_look(index);
        } else {
            self.events.set_port(index, end);
        }
        match (leaves_ahead, sent, next, end) {
            (false, Some(queued), ..) => self.go_on(index, queued, now),
            (true, _, Some(queued), Some(end)) => self.go_on(index, queued, end),
            _ => {}
        }
        self.follow_signals(index, now);
    }

    /// The event of a port that asks: a transmission has ended, or it is time to look.
    pub(super) fn transmit_end(&mut self, index: u32, now: Time) {
        self.let_in_sources(index);
        if !self.ports[index as usize].departs_late {
            return self.transmit_next(index, now);
        }
        self.catch_up_port(index, self.events.now());
        self.ports[index as usize].is_expected = false;
        self.events.set_port(index, None);
        self.expect_look(index);
    }

    /// Somebody looks at a port whose transmissions end unseen: those that have ended before this moment are followed by others.
    #[inline]
    pub(super) fn catch_up_port(&mut self, index: u32, now: Moment) {
        loop {
            let port = &self.ports[index as usize];
            let Transmitter::Asking(transmitter) = &port.transmitter else { return };
            let Some(end) = transmitter.ended_before(now).filter(|_| port.departs_late) else { return };
            self.transmit_next(index, end);
        }
    }

    /// The same of all ports.
    pub(super) fn catch_up_ports(&mut self, now: Moment) {
        for index in 0..self.ports.len() as u32 {
            self.let_in_before(index, now);
            self.catch_up_port(index, now);
        }
    }

    /// Whatever is sent after the packet in transmission arrives behind the wire when the delay has passed since the end of that, or
    /// later: there is an event before, if somebody looks or not.
    #[inline]
    fn expect_look(&mut self, index: u32) {
        let port = &mut self.ports[index as usize];
        if let Transmitter::Asking(transmitter) = &port.transmitter
            && !port.is_expected
            && let Some(end) = transmitter.ends()
        {
            port.is_expected = true;
            let before = Span::from_nanos(port.delay.nanos() - 1);
            self.events.set_port(index, Some(end + before));
        }
    }

    /// The same where packets are sent in transmit opportunities: all of one leave at its end.
    fn next_opportunity(&mut self, index: u32, now: Time) {
        let port = &mut self.ports[index as usize];
        let Transmitter::Aggregate(transmitter) = &mut port.transmitter else {
            unreachable!("only a port that asks chooses when it is free");
        };
        let sent = transmitter.end(now);
        let end = transmitter.begin(&mut port.queue, now).map(|span| now + span);
        let next = transmitter.packets().to_vec();
        for queued in &next {
            port.count_begin(queued, now, self.measured);
        }
        if let Some(end) = end {
            port.busy += self.measured.overlap(now, end);
        }
        let leaves_ahead = port.leaves_ahead;
        self.events.set_port(index, end);
        let (leaving, at) = if leaves_ahead { (next, end.unwrap_or(now)) } else { (sent, now) };
        for queued in leaving {
            self.go_on(index, queued, at);
        }
        self.follow_signals(index, now);
    }

    /// Is this a packet of cross traffic at the end of its way, and does nobody count frames?
    #[inline(always)]
    fn ends_unseen(&self, packet: Packet, stage: Stage) -> bool {
        let ends = || self.stages[stage.next() as usize].place() == Place::End;
        packet.kind() == PacketKind::Cbr && !self.streams.any() && ends()
    }

    /// The last bit of this packet leaves a port then.
    #[inline(always)]
    fn go_on(&mut self, index: u32, queued: Queued, departure: Time) {
        let stage = self.stages[queued.stage as usize];
        if let Some(at) = self.leave_port(self.ports[index as usize].delay, stage, departure) {
            match stage.lane() {
                NO_LANE if self.ends_unseen(queued.packet, stage) => self.census.delivered += 1,
                NO_LANE => self.travel(queued.packet, stage.next(), at),
                _ => self.wait(stage, false, queued.packet, at),
            }
        }
    }

    /// A trace lets up to 1500 bytes go; what is not used is lost.
    pub(super) fn opportunity(&mut self, index: u32, now: Time) {
        let Transmitter::Trace(transmitter) = &mut self.ports[index as usize].transmitter else {
            unreachable!("only a trace-driven port has opportunities");
        };
        transmitter.opportunities += 1;
        if let Some(next) = transmitter.next_opportunity() {
            self.events.schedule(next, Event::Opportunity(index));
        }
        let mut budget = OPPORTUNITY_BYTES;
        loop {
            let port = &mut self.ports[index as usize];
            let Transmitter::Trace(transmitter) = &mut port.transmitter else { return };
            match transmitter.use_up(now, &mut budget, &mut port.queue) {
                None => break,
                Some(TransmissionEvent::Begins(queued)) => {
                    port.count_begin(&queued, now, self.measured);
                }
                Some(TransmissionEvent::Ends(queued)) => {
                    if let Some(since) = transmitter.busy_spell(now, &port.queue) {
                        port.busy += self.measured.overlap(since, now);
                    }
                    self.go_on(index, queued, now);
                }
            }
        }
        self.follow_signals(index, now);
    }
}
