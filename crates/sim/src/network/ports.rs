//! Ports that ask their queue for each packet when they can send it: behind a trace, and behind a discipline that
//! schedules.

use super::Network;
use crate::event::Event;
use crate::packet::CE;
use crate::port::Transmitter;
use crate::port::trace::{OPPORTUNITY_BYTES, Progress as Sending};
use crate::queue::scheduler::Queued;
use crate::queue::{Admission, QueueContext};
use crate::topology::NO_LANE;
use sawtooth_cc::units::Time;

impl Network {
    /// A packet reaches a port that asks for each packet.
    #[inline(never)]
    pub(super) fn enter_asking_port(&mut self, index: u32, mut arrival: Queued) {
        let was_marked = arrival.packet.has(CE);
        let port = &mut self.ports[index as usize];
        let (waiting, in_transmission) = port.backlogs(self.events.now());
        let idle_since = match &port.transmitter {
            Transmitter::Trace(transmitter) => transmitter.idle_since(&port.queue),
            _ => Time::NEVER, // a discipline that schedules does not ask
        };
        let context = QueueContext { now: arrival.arrived, waiting, in_transmission, idle_since };
        match port.queue.offer(arrival.packet, &context) {
            Admission::Wait => {}
            Admission::Mark => arrival.packet = arrival.packet.marked(),
            Admission::Drop(_) => {
                self.bury(arrival.packet, Some(index), arrival.arrived);
                return;
            }
        }
        if let Transmitter::Trace(transmitter) = &mut port.transmitter {
            transmitter.expect(arrival.arrived, &port.queue);
        }
        port.queue.enqueue(arrival);
        let may_go =
            matches!(&port.transmitter, Transmitter::Scheduled(transmitter) if transmitter.is_idle());
        if arrival.packet.has(CE) && !was_marked {
            self.note_mark(arrival.packet, index, arrival.arrived);
        }
        self.bury_dropped(index);
        if may_go {
            self.transmit_next(index, arrival.arrived);
        }
    }

    /// What the scheduler of a port has dropped leaves the run.
    fn bury_dropped(&mut self, index: u32) {
        while let Some(packet) = self.ports[index as usize].queue.next_dropped() {
            self.bury(packet, Some(index), self.events.now().time);
        }
    }

    /// The transmitter of a port that schedules is free: its queue chooses the next packet, which goes on ahead of time.
    pub(super) fn transmit_next(&mut self, index: u32, now: Time) {
        let port = &mut self.ports[index as usize];
        let Transmitter::Scheduled(transmitter) = &mut port.transmitter else {
            unreachable!("only a port that schedules chooses when it is free");
        };
        let next = port.queue.dequeue();
        if let Some(queued) = next {
            let end = now + transmitter.begin(queued.packet.bytes());
            self.events.set_port(index, Some(end));
            port.busy += self.measured.part_of(now, end);
            port.count_departure(queued.packet, queued.arrived, now, self.measured);
            self.go_on(index, queued, end);
        } else {
            transmitter.rest();
            self.events.set_port(index, None);
        }
        self.bury_dropped(index);
    }

    /// The last bit of this packet leaves a port then.
    fn go_on(&mut self, index: u32, queued: Queued, departure: Time) {
        let stage = self.stages[queued.stage as usize];
        if let Some(at) = self.leave_port(self.ports[index as usize].delay, stage, departure) {
            match stage.lane {
                NO_LANE => self.travel(queued.packet, stage.next, at),
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
            match transmitter.use_up(&mut budget, &mut port.queue) {
                None => break,
                Some(Sending::Begins(queued)) => {
                    port.count_departure(queued.packet, queued.arrived, now, self.measured);
                }
                Some(Sending::Ends(queued)) => {
                    if let Some(since) = transmitter.busy_spell(now, &port.queue) {
                        port.busy += self.measured.part_of(since, now);
                    }
                    self.go_on(index, queued, now);
                }
            }
        }
        self.bury_dropped(index);
    }
}
