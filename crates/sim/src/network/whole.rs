//! Flows whose ends are stacks from outside, at the ends of their routes, away from the path of TCP's packets.

use super::Network;
use crate::event::Moment;
use crate::observation::{Kinds, Occurrence};
use crate::packet::{CE, Packet, PacketKind};
use crate::transport::{AnyReceiver, Transport};
use crate::whole::codepoint;
use crate::whole::receiver::WholeReceiver;
use crate::whole::sender::WholeSender;
use sawtooth_cc::units::Time;

const SAME_ENDS: &str = "a flow has the same protocol at both ends";

impl Network {
    fn whole_ends(&mut self, flow: u32) -> (&mut WholeSender, &mut WholeReceiver) {
        let (sender, receiver) =
            (&mut self.senders[flow as usize].sender, &mut self.receivers[flow as usize].receiver);
        let (Transport::Whole(sender), AnyReceiver::Whole(receiver)) = (sender, receiver) else {
            unreachable!("{SAME_ENDS}");
        };
        (sender, receiver)
    }

    /// A data packet arrives.
    #[cold]
    #[inline(never)]
    pub(super) fn receive_whole(&mut self, packet: Packet, now: Time) {
        let flow = packet.flow();
        let counts = now >= self.measured.from;
        let (sender, receiver) = self.whole_ends(flow);
        let (place, length) = sender.flight.take(packet.number());
        receiver.receive(codepoint(packet), &place[..length], counts, now);
        sender.flight.give_back(place);
        let delivered = receiver.delivered_packets();
        let is_new = true; // each datagram is
        self.observer.note(Kinds::ARRIVED, now, || Occurrence::PacketArrived { packet, is_new });
        if counts {
            let side = &mut self.receivers[flow as usize];
            side.delivered_total += 1;
            side.delivered_unique = delivered;
            side.marks += u64::from(packet.has(CE));
        }
        if self.apps.any() {
            let (_, receiver) = self.whole_ends(flow);
            let read = receiver.read_packets();
            self.apps.heed_arrival(flow, read, &mut self.events, now);
        }
        self.answer_whole(flow, now);
        self.note_end(flow, now);
    }

    /// The receiver of a flow lets go what it has, and its deadline is seen to.
    pub(super) fn answer_whole(&mut self, flow: u32, now: Time) {
        while let Some(answer) = self.whole_ends(flow).1.next_packet(now) {
            self.census.created += 1;
            self.note_begin(flow);
            let route = self.receivers[flow as usize].route;
            self.travel(answer, route, Moment { time: now, cause: now });
        }
        let due = self.whole_ends(flow).1.deadline();
        if due != Time::NEVER {
            self.expect_delayed_ack(flow, due);
        }
    }

    /// The deadline of a receiver may have come.
    pub(super) fn receiver_deadline(&mut self, flow: u32, now: Time) {
        let receiver = self.whole_ends(flow).1;
        if receiver.deadline() <= now {
            receiver.on_deadline(now);
        }
        self.answer_whole(flow, now);
    }

    /// A packet of the receiver arrives at its sender.
    #[cold]
    #[inline(never)]
    pub(super) fn on_answer(&mut self, packet: Packet, now: Time) {
        let (sender, receiver) = self.whole_ends(packet.flow());
        let (place, length) = receiver.flight.take(packet.number());
        sender.receive(codepoint(packet), &place[..length], now);
        receiver.flight.give_back(place);
        self.send_allowed(packet.flow(), now);
        self.note_end(packet.flow(), now);
    }

    /// A flow that came and went has gone: whatever its ends would still do, they do not.
    #[cold]
    pub(super) fn close_whole(&mut self, flow: u32) {
        if let Transport::Whole(sender) = &mut self.senders[flow as usize].sender {
            sender.close();
        }
        if let AnyReceiver::Whole(receiver) = &mut self.receivers[flow as usize].receiver {
            receiver.close();
        }
    }

    /// A packet was dropped; if it is one of a stack, nobody will ask for its bytes.
    pub(super) fn forget_bytes(&mut self, packet: Packet) {
        let flow = packet.flow() as usize;
        match packet.kind() {
            PacketKind::Data => {
                if let Transport::Whole(sender) = &mut self.senders[flow].sender {
                    sender.flight.drop_packet(packet.number());
                }
            }
            PacketKind::Ack => {
                if let AnyReceiver::Whole(receiver) = &mut self.receivers[flow].receiver {
                    receiver.flight.drop_packet(packet.number());
                }
            }
            PacketKind::Syn | PacketKind::SynAck | PacketKind::Cbr => {}
        }
    }
}
