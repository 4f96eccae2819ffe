//! What a sender in full does most of the time: its recovery has nothing to repair, and an acknowledgement is of one packet.
//!
//! It comes to the same as the way of all other acknowledgements and packets in `full`, which is spared: no update, outcome or list
//! of losses is made, since nothing would be in them.

use super::Sender;
use super::full::{FULL, connection};
use crate::packet::Packet;
use crate::tcp::flight::{OutcomeAlone, Sending};
use crate::tcp::recovery::LossRecovery;
use sawtooth_cc::units::{Bytes, Span, Time};
use sawtooth_cc::{AckSample, Controller, RoundTripTimes};

impl<C: Controller, R: LossRecovery> Sender<C, R> {
    /// An acknowledgement of the oldest packet and of nothing else. False if it is not as plain as that; nothing has been done then.
    #[inline(always)]
    pub(super) fn takes_alone(&mut self, now: Time) -> bool {
        let Some(extras) = &mut self.extras else { return false };
        let plain = extras.samples_every_packet && extras.next_packet.is_none() && extras.has_concluded;
        let Some(records) = extras.records.as_mut().filter(|_| plain) else { return false };
        let Some(oldest) = records.oldest_in_flight() else { return false };
        if !self.recovery.take_alone(oldest, &mut self.sent, now) {
            return false;
        }
        let outcome = records.deliver_oldest(self.rtt.minimum(), now);
        let delivered = records.delivered();
        let rtt = now - oldest.at;
        if !self.rtt.sample_exactly(rtt) {
            self.rtt.sample(rtt, now);
        }
        self.rto = self.rtt.rto();
        self.meter_sample(Some(rtt), Some(&outcome.rate), now);
        self.restart_timer(now);
        self.tell_alone(rtt, &outcome, delivered, now);
        self.recovery.on_window_alone(&mut connection!(self, now));
        self.note_state(now);
        true
    }

    #[inline(always)]
    fn tell_alone(&mut self, rtt: Span, outcome: &OutcomeAlone, delivered: Bytes, now: Time) {
        let (ce_marked, newly_marked) = self.marks_to_tell();
        let sample = AckSample {
            now,
            newly_acked: 1,
            ce_marked,
            newly_marked,
            delivered,
            newly_delivered: Bytes::new(u64::from(self.packet_bytes)),
            newly_lost: Bytes::ZERO,
            in_flight_before: outcome.in_flight_before,
            in_flight_after: outcome.in_flight_after,
            rtt: RoundTripTimes {
                latest: Some(rtt),
                minimum: self.rtt.minimum(),
                smoothed: self.rtt.srtt(),
                newest: Some(rtt),
            },
            rate: Some(outcome.rate),
            round_ended: outcome.round_ended,
            in_recovery: false,
            cwnd_limited: self.window_limited,
        };
        self.tell(&sample);
    }

    /// New data as window and pacer let it go, where recovery has nothing to repair and packets have no numbers of their own.
    #[inline(always)]
    pub(super) fn next_calm_packet(&mut self, now: Time) -> Option<Packet> {
        let full = self.sent.next - self.sent.una >= self.allowed;
        if full || !self.sent.may_send_next() {
            self.note_halt(full);
            return None;
        }
        let extras = self.extras.as_mut().expect(FULL);
        if let Some(opens_at) = extras.pacer.as_ref().and_then(|pacer| pacer.holds(now)) {
            extras.timers.pace(opens_at, now);
            self.limit_by_pacer();
            return None;
        }
        let transmission = self.sent.advance();
        let packet = self.packet_of(transmission, now);
        if transmission.again {
            self.note_sent(transmission.number, now);
        } else {
            self.note_sent_new(transmission.number, now);
        }
        Some(packet)
    }

    /// New data leaves: its record, who hears of it, and when the next packet may.
    #[inline(always)]
    fn note_sent_new(&mut self, number: u32, now: Time) {
        let extras = self.extras.as_mut().expect(FULL);
        if extras.samples_every_packet {
            self.timed = None;
        }
        if let Some(records) = &mut extras.records {
            records.on_sent(number, now);
            if extras.wants.packets {
                let packet = records.packet(number).expect("it has just been sent");
                let (window, pacing) = self.control.take_sent(&packet);
                extras.note_pacing(pacing);
                self.follow_window(window, now);
            }
            let sending = Sending { number, at: now, times: 1 };
            self.recovery.on_sent_new(sending, &mut connection!(self, now));
        }
        self.pace(now);
    }
}
