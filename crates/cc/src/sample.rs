//! What a transport measures and a controller may see: a record per packet in flight, and a sample per acknowledgement.
//!
//! Source: RFC 5681 and RFC 3465 (what counts for growth), RFC 9768 §3.2 (marked packets and bytes), draft-ietf-ccwg-bbr §4.1 (delivery rate), RFC 8257 §3.3 (marks).
//! Volumes are bytes. There are no sequence numbers here: which packet a record is of is the transport's business.
//!
//! A transport that keeps no records per packet gives [`AckSample::classic`]; [`Wants`](crate::Wants) says whether that is enough.

use crate::units::{Bytes, Rate, Span, Time};

/// One packet in flight: what its transport knew when it last sent it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SentPacket {
    /// When it was last sent.
    pub sent_at: Time,
    /// Its size on the wire.
    pub size: Bytes,
    /// Delivered on the connection when it was sent.
    pub delivered: Bytes,
    /// When the last of these was delivered.
    pub delivered_at: Time,
    /// When the flight began that the next rate sample covers: the sending time of the packet that was acknowledged last.
    pub first_sent_at: Time,
    /// In flight when it was sent, itself included.
    pub in_flight: Bytes,
    /// Lost on the connection when it was sent.
    pub lost: Bytes,
    /// The sender had less to send than it was allowed to.
    pub app_limited: bool,
    /// How many times it has been sent: 1 for new data.
    pub times_sent: u32,
}

/// A packet that was declared lost just now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LostPacket {
    /// When it was declared lost.
    pub now: Time,
    /// What its transport knew when it last sent it.
    pub sent: SentPacket,
    /// Lost on the connection so far, this packet included.
    pub lost: Bytes,
    /// Delivered on the connection so far.
    pub delivered: Bytes,
    /// The packet before it in the data was the last to be declared lost: both stand in one range of losses.
    pub continues: bool,
}

/// Round-trip times as the transport knows them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoundTripTimes {
    /// The sample that this acknowledgement gave to the estimator, if it gave one (Karn's rule applied).
    pub latest: Option<Span>,
    /// The least over the life of the connection.
    pub minimum: Option<Span>,
    /// The smoothed one (RFC 6298 §2).
    pub smoothed: Option<Span>,
    /// Of the newest packet that is acknowledged, even where the estimator takes no sample of it.
    pub newest: Option<Span>,
}

/// How fast packets were delivered between the sending of one packet and its acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeliveryRate {
    /// Delivered in the interval.
    pub delivered: Bytes,
    /// The longer of the times that sending and acknowledging took.
    pub interval: Span,
    /// Delivered on the connection when the packet was sent.
    pub prior_delivered: Bytes,
    /// In flight when the packet was sent.
    pub in_flight_at_sending: Bytes,
    /// Lost in the interval.
    pub lost: Bytes,
    /// The packet was sent while the application limited the sender.
    pub app_limited: bool,
    /// The interval is no shorter than the least round trip. A shorter one comes of an acknowledgement of an earlier transmission.
    pub reliable: bool,
}

impl DeliveryRate {
    /// The rate itself; `None` over no time, or less than any delivery takes (draft-ietf-ccwg-bbr, `GenerateRateSample`).
    pub fn rate(&self) -> Option<Rate> {
        (self.reliable && self.interval > Span::ZERO).then(|| self.delivered / self.interval)
    }
}

/// What one acknowledgement tells a controller.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AckSample {
    /// When it arrived.
    pub now: Time,
    /// Packets that count for growth: those acknowledged for the first time, after the cap of RFC 3465 §2.
    pub newly_acked: u32,
    /// Packets that the receiver says were marked (CE) since the last acknowledgement.
    pub ce_marked: u32,
    /// Their bytes.
    pub newly_marked: Bytes,
    /// Delivered on the connection so far.
    pub delivered: Bytes,
    /// Delivered with this acknowledgement, selectively or not.
    pub newly_delivered: Bytes,
    /// Called lost with this acknowledgement.
    pub newly_lost: Bytes,
    /// In flight before it was taken in.
    pub in_flight_before: Bytes,
    /// In flight after it was taken in.
    pub in_flight_after: Bytes,
    /// Round-trip times.
    pub rtt: RoundTripTimes,
    /// The delivery rate, if this acknowledgement gives a sample.
    pub rate: Option<DeliveryRate>,
    /// It acknowledges the first packet sent after the last round ended: a round trip has passed.
    pub round_ended: bool,
    /// Loss recovery is in progress.
    pub in_recovery: bool,
    /// The window was what limited the sender, or its pacer; otherwise its size says nothing about the path (RFC 7661 §4.3).
    pub cwnd_limited: bool,
}

impl AckSample {
    /// The sample of a flow without records per packet, outside recovery: packets for growth, a round-trip time if there is one, and
    /// whether the window was the limit.
    #[inline(always)]
    pub fn classic(now: Time, newly_acked: u32, rtt: Option<Span>, cwnd_limited: bool) -> Self {
        let rtt = RoundTripTimes { latest: rtt, ..RoundTripTimes::default() };
        AckSample { now, newly_acked, rtt, cwnd_limited, ..AckSample::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delivery_rate_is_what_was_delivered_over_the_interval() {
        let sample = |interval, reliable| DeliveryRate {
            delivered: Bytes::new(15_000),
            interval,
            prior_delivered: Bytes::ZERO,
            in_flight_at_sending: Bytes::new(30_000),
            lost: Bytes::ZERO,
            app_limited: false,
            reliable,
        };
        // 120,000 bits in 40 ms.
        assert_eq!(sample(Span::from_millis(40), true).rate(), Some(Rate::from_bits_per_second(3_000_000)));
        assert_eq!(sample(Span::from_millis(40), false).rate(), None);
        assert_eq!(sample(Span::ZERO, true).rate(), None);
    }

    #[test]
    fn a_classic_sample_claims_nothing_that_was_not_measured() {
        let rtt = Span::from_millis(20);
        let sample = AckSample::classic(Time::from_nanos(7), 2, Some(rtt), true);
        assert_eq!((sample.now, sample.newly_acked, sample.cwnd_limited), (Time::from_nanos(7), 2, true));
        assert_eq!(sample.rtt, RoundTripTimes { latest: Some(rtt), ..RoundTripTimes::default() });
        assert_eq!(sample.rate, None);
        assert!(!sample.in_recovery && !sample.round_ended);
    }
}
