//! Rate-based flows at the ends of their routes, away from the path of TCP's packets.

use super::Network;
use crate::event::Moment;
use crate::observation::{Kinds, Occurrence};
use crate::packet::{CE, Packet, PacketKind};
use crate::tcp::receiver::AckDecision;
use crate::transport::{AnyReceiver, Transport};
use sawtooth_cc::units::Time;

const SAME_ENDS: &str = "a flow has the same protocol at both ends";

impl Network {
    /// A data packet of a rate-based flow arrives. What it brings about is done here, so that the way of TCP's packets stays as it was.
    #[cold]
    #[inline(never)]
    pub(super) fn receive_paced(&mut self, packet: Packet, now: Time) {
        let flow = packet.flow();
        let side = &mut self.receivers[flow as usize];
        let (Transport::Paced(sender), AnyReceiver::Paced(receiver)) =
            (&mut self.senders[flow as usize].sender, &mut side.receiver)
        else {
            unreachable!("{SAME_ENDS}");
        };
        let number = packet.number();
        sender.note_arrival(number, now);
        let received = (number >= receiver.next_expected())
            .then(|| receiver.on_data(number, packet.has(CE), sender.stamp(number), now));
        let is_new = true; // nothing is sent twice
        self.observer.note(Kinds::ARRIVED, now, || Occurrence::PacketArrived { packet, is_new });
        if now >= self.measured.from {
            side.delivered_total += 1;
            side.delivered_unique += 1;
            side.marks += u64::from(packet.has(CE));
        }
        let Some(received) = received else {
            self.note_end(flow, now); // it comes late, behind others, and was taken for lost
            return;
        };
        match received.answer {
            AckDecision::Now => {
                let report = self.report(flow, now);
                let route = self.receivers[flow as usize].route;
                self.travel(report, route, Moment { time: now, cause: now });
            }
            AckDecision::At(due) => {
                self.expect_delayed_ack(flow, due);
                self.note_end(flow, now);
            }
            AckDecision::Held => unreachable!("a rate-based receiver holds nothing"),
        }
    }

    /// A report leaves.
    pub(super) fn report(&mut self, flow: u32, now: Time) -> Packet {
        self.census.created += 1;
        let side = &mut self.receivers[flow as usize];
        let AnyReceiver::Paced(receiver) = &mut side.receiver else { unreachable!("{SAME_ENDS}") };
        let number = receiver.report(now);
        Packet::new(PacketKind::Ack, flow, number, side.ack_bytes, side.ack_flags)
    }

    /// A report arrives at its sender.
    #[cold]
    #[inline(never)]
    pub(super) fn on_report(&mut self, packet: Packet, now: Time) {
        let flow = packet.flow();
        let (Transport::Paced(sender), AnyReceiver::Paced(receiver)) =
            (&mut self.senders[flow as usize].sender, &mut self.receivers[flow as usize].receiver)
        else {
            unreachable!("{SAME_ENDS}");
        };
        let report = receiver.arrived(packet.number()); // none if a later one has overtaken it
        if let Some(cut) = report.and_then(|report| sender.on_report(report, now)) {
            self.record_cut(flow, cut, now);
        }
        self.send_allowed(flow, now);
        self.note_end(flow, now);
    }
}
