//! A record per packet in flight, and what follows from the records: delivery rates, round trips of single packets, rounds.
//!
//! Source: draft-ietf-ccwg-bbr §4.1 (delivery-rate samples, application-limited phases, round trips); RFC 6298 §3 (Karn's rule).
//!
//! Classic senders keep none of this. Where it is kept, a packet costs a record of 40 bytes in a ring, found by the packet's number.
//!
//! Volumes are counted in packets, since the packets of a flow have one size, and reported in bytes. *In flight* is what has been sent
//! and has been neither delivered nor declared lost. It follows from the records; the estimates by which recoveries bound what they
//! send are separate.
//!
//! Differs from the draft: a packet that is sent again although it is neither lost nor delivered counts once in flight. One that is
//! sent again after its delivery (`sack_timeout = "resend"`) does not count. Without SACK a packet counts as delivered when it is
//! acknowledged cumulatively. Karn's rule by record: an acknowledgement gives no round trip if any packet that it acknowledges was sent
//! more than once, since the others may have arrived long ago.

use crate::ring::Ring;
use sawtooth_cc::units::{Bytes, Span, Time};
use sawtooth_cc::{DeliveryRate, LostPacket, SentPacket};
use std::ops::Range;

/// One transmission of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sending {
    /// The packet.
    pub number: u32,
    /// When.
    pub at: Time,
    /// How many times the packet has been sent with it.
    pub times: u16,
}

impl Sending {
    /// What transmissions are ordered by (`RACK_sent_after` of RFC 8985 §6.2).
    pub fn key(&self) -> (Time, u32) {
        (self.at, self.number)
    }
}

/// What has become of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Fate {
    #[default]
    InFlight,
    Lost,
    Delivered,
}

/// What the sender knew when it last sent a packet, volumes in packets.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    sent_at: Time,
    delivered_at: Time,
    first_sent_at: Time,
    delivered: u32,
    lost: u32,
    in_flight: u32,
    times_sent: u16,
    app_limited: bool,
    fate: Fate,
}

/// What one acknowledgement, or one timer, has brought about so far.
#[derive(Clone, Debug, Default)]
struct News {
    in_flight_before: u32,
    delivered: u32,
    /// The packet sent last of those delivered, and its number.
    newest: Option<(u32, Record)>,
    /// When the one sent first of them was sent.
    oldest_sent_at: Option<Time>,
    /// A packet that was sent more than once has been delivered.
    ambiguous: bool,
    /// Numbers of those declared lost.
    lost: Vec<u32>,
    /// The number before which none of these continues a range: that of the last declared lost earlier, and one.
    lost_next: Option<u32>,
}

/// What one acknowledgement, or one timer, has brought about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Delivered for the first time, selectively or not.
    pub newly_delivered: Bytes,
    /// Called lost.
    pub newly_lost: Bytes,
    /// In flight before.
    pub in_flight_before: Bytes,
    /// In flight now.
    pub in_flight_after: Bytes,
    /// The round trip of the newest packet delivered, if it is certain.
    pub rtt: Option<Span>,
    /// That of the oldest, which has the wait of the acknowledgement in it.
    pub rtt_with_wait: Option<Span>,
    /// How fast packets have been delivered.
    pub rate: Option<DeliveryRate>,
    /// A packet that was sent after the last round ended has been delivered.
    pub round_ended: bool,
}

/// What an acknowledgement of the oldest packet alone has brought about, where that was sent once and in flight.
#[derive(Clone, Copy, Debug)]
pub struct OutcomeAlone {
    /// In flight before.
    pub in_flight_before: Bytes,
    /// In flight now.
    pub in_flight_after: Bytes,
    /// How fast packets have been delivered.
    pub rate: DeliveryRate,
    /// A packet that was sent after the last round ended has been delivered.
    pub round_ended: bool,
}

/// Records of the packets that have been sent and not been acknowledged cumulatively.
#[derive(Debug)]
pub struct FlightRecords {
    packet: Bytes,
    records: Ring<Record>,
    /// The number of the oldest.
    first: u32,
    in_flight: u32,
    /// Delivered so far, and when the last of it was.
    delivered: u32,
    delivered_at: Time,
    /// Called lost so far, a packet as often as it was.
    lost: u32,
    /// When the packet was sent that was delivered last, or the first one after nothing was in flight.
    first_sent_at: Time,
    /// While no more than this has been delivered, samples are limited by the application; 0: they are not.
    app_limited_until: u32,
    /// A round ends with the delivery of a packet that was sent when so much had been delivered.
    round_end: u32,
    news: News,
}

impl FlightRecords {
    /// Nothing has been sent.
    pub fn new(packet: Bytes) -> Self {
        FlightRecords {
            packet,
            records: Ring::default(),
            first: 0,
            in_flight: 0,
            delivered: 0,
            delivered_at: Time::ZERO,
            lost: 0,
            first_sent_at: Time::ZERO,
            app_limited_until: 0,
            round_end: 0,
            news: News::default(),
        }
    }

    fn bytes(&self, packets: u32) -> Bytes {
        Bytes::new(u64::from(packets) * self.packet.count())
    }

    fn numbers(&self) -> Range<u32> {
        self.first..self.first + self.records.len() as u32
    }

    fn record_mut(&mut self, number: u32) -> &mut Record {
        let record = number.checked_sub(self.first).and_then(|place| self.records.ahead_mut(place as usize));
        record.expect("what has been sent and not been acknowledged has a record")
    }

    /// This packet leaves now, for the first time if its number is the next one. How often has it been sent with it?
    #[inline]
    pub fn on_sent(&mut self, number: u32, now: Time) -> u16 {
        if self.in_flight == 0 {
            (self.first_sent_at, self.delivered_at) = (now, now);
        }
        if number == self.numbers().end {
            self.in_flight += 1;
            self.records.push_back(self.record_of(Fate::InFlight, 1, now));
            1
        } else {
            self.sent_again(number, now)
        }
    }

    #[inline(never)]
    fn sent_again(&mut self, number: u32, now: Time) -> u16 {
        let Record { fate, times_sent, .. } = *self.record_mut(number);
        self.in_flight += u32::from(fate == Fate::Lost);
        let fate = if fate == Fate::Lost { Fate::InFlight } else { fate };
        let record = self.record_of(fate, times_sent.saturating_add(1), now);
        *self.record_mut(number) = record;
        record.times_sent
    }

    /// What is known when a packet leaves.
    #[inline(always)]
    fn record_of(&self, fate: Fate, times_sent: u16, now: Time) -> Record {
        Record {
            sent_at: now,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            delivered: self.delivered,
            lost: self.lost,
            in_flight: self.in_flight,
            times_sent,
            app_limited: self.app_limited_until != 0,
            fate,
        }
    }

    fn told(&self, record: Record) -> SentPacket {
        SentPacket {
            sent_at: record.sent_at,
            size: self.packet,
            delivered: self.bytes(record.delivered),
            delivered_at: record.delivered_at,
            first_sent_at: record.first_sent_at,
            in_flight: self.bytes(record.in_flight),
            lost: self.bytes(record.lost),
            app_limited: record.app_limited,
            times_sent: u32::from(record.times_sent),
        }
    }

    /// The record of a packet that has been sent and was not acknowledged cumulatively before this acknowledgement.
    pub fn packet(&self, number: u32) -> Option<SentPacket> {
        let record = self.records.ahead(number.checked_sub(self.first)? as usize)?;
        Some(self.told(record))
    }

    /// The last transmission of a packet that has a record.
    #[inline]
    pub fn sending(&self, number: u32) -> Option<Sending> {
        let record = self.records.ahead(number.checked_sub(self.first)? as usize)?;
        Some(Sending { number, at: record.sent_at, times: record.times_sent })
    }

    /// Is this transmission of a packet the last one, and in flight?
    #[inline]
    pub fn flies(&self, number: u32, times: u16) -> bool {
        let record = number.checked_sub(self.first).and_then(|place| self.records.ahead(place as usize));
        record.is_some_and(|record| record.times_sent == times && record.fate == Fate::InFlight)
    }

    /// This packet, declared lost, is in flight after all.
    pub fn regain(&mut self, number: u32) {
        let record = self.record_mut(number);
        if record.fate == Fate::Lost {
            record.fate = Fate::InFlight;
            self.in_flight += 1;
        }
    }

    /// An acknowledgement arrives, or a timer has expired: everything below `cumulative` is delivered.
    pub fn begin(&mut self, cumulative: u32, now: Time) {
        let News { lost, lost_next, .. } = &mut self.news;
        let lost_next = lost.last().map(|number| number + 1).or(*lost_next);
        lost.clear();
        let lost = std::mem::take(lost);
        self.news = News { in_flight_before: self.in_flight, lost, lost_next, ..News::default() };
        for number in self.first..cumulative {
            self.deliver(number, now);
        }
    }

    /// This packet is known to have arrived. Only the first time counts.
    pub fn deliver(&mut self, number: u32, now: Time) {
        let record = self.record_mut(number);
        if record.fate == Fate::Delivered {
            return;
        }
        let was_in_flight = record.fate == Fate::InFlight;
        record.fate = Fate::Delivered;
        let record = *record;
        self.in_flight -= u32::from(was_in_flight);
        self.delivered += 1;
        self.delivered_at = now;
        self.news.delivered += 1;
        self.news.ambiguous |= record.times_sent > 1;
        let oldest = self.news.oldest_sent_at.unwrap_or(record.sent_at);
        self.news.oldest_sent_at = Some(oldest.min(record.sent_at));
        let is_newest =
            self.news.newest.is_none_or(|(newest, other)| (record.sent_at, number) > (other.sent_at, newest));
        if is_newest {
            self.news.newest = Some((number, record));
        }
    }

    /// This packet is declared lost, if it is in flight.
    pub fn lose(&mut self, number: u32) {
        let record = self.record_mut(number);
        if record.fate != Fate::InFlight {
            return;
        }
        record.fate = Fate::Lost;
        self.in_flight -= 1;
        self.lost += 1;
        self.news.lost.push(number);
    }

    /// Everything in flight is declared lost.
    pub fn lose_all(&mut self) {
        self.numbers().for_each(|number| self.lose(number));
    }

    /// The acknowledgement, or the timer, has been dealt with.
    #[inline(always)]
    pub fn conclude(&mut self, minimum_rtt: Option<Span>) -> Outcome {
        if self.app_limited_until != 0 && self.delivered > self.app_limited_until {
            self.app_limited_until = 0; // the gap has left the path
        }
        let newest = self.news.newest.map(|(_, record)| record);
        let round_ended = newest.is_some_and(|record| record.delivered >= self.round_end);
        if round_ended {
            self.round_end = self.delivered;
        }
        if let Some(record) = newest {
            self.first_sent_at = record.sent_at;
        }
        let certain = |sent_at: Option<Time>| {
            sent_at.filter(|_| !self.news.ambiguous).map(|sent_at| self.delivered_at - sent_at)
        };
        Outcome {
            newly_delivered: self.bytes(self.news.delivered),
            newly_lost: self.bytes(self.news.lost.len() as u32),
            in_flight_before: self.bytes(self.news.in_flight_before),
            in_flight_after: self.bytes(self.in_flight),
            rtt: certain(newest.map(|record| record.sent_at)),
            rtt_with_wait: certain(self.news.oldest_sent_at),
            rate: newest.map(|record| self.rate(record, minimum_rtt)),
            round_ended,
        }
    }

    /// The transmission of the oldest packet, if it was sent once and is in flight.
    #[inline(always)]
    pub fn oldest_in_flight(&self) -> Option<Sending> {
        let record = self.records.front_ref()?;
        let plain = record.times_sent == 1 && record.fate == Fate::InFlight;
        plain.then_some(Sending { number: self.first, at: record.sent_at, times: 1 })
    }

    /// What [`FlightRecords::begin`], [`FlightRecords::conclude`] and [`FlightRecords::forget_below`] come to where the
    /// [oldest packet](FlightRecords::oldest_in_flight) and no other is delivered.
    #[inline(always)]
    pub fn deliver_oldest(&mut self, minimum_rtt: Option<Span>, now: Time) -> OutcomeAlone {
        let oldest = self.records.pop_front().expect("the oldest packet has a record");
        self.first += 1;
        let in_flight_before = self.bytes(self.in_flight);
        self.in_flight -= 1;
        self.delivered += 1;
        self.delivered_at = now;
        if self.app_limited_until != 0 && self.delivered > self.app_limited_until {
            self.app_limited_until = 0;
        }
        let round_ended = oldest.delivered >= self.round_end;
        if round_ended {
            self.round_end = self.delivered;
        }
        self.first_sent_at = oldest.sent_at;
        let (in_flight_after, rate) = (self.bytes(self.in_flight), self.rate(oldest, minimum_rtt));
        OutcomeAlone { in_flight_before, in_flight_after, rate, round_ended }
    }

    /// What has been delivered since this packet was sent, over the longer of the times that sending and delivering it took; not
    /// reliable over less than the least round trip, which no delivery takes (draft-ietf-ccwg-bbr, `GenerateRateSample`).
    #[inline(always)]
    fn rate(&self, newest: Record, minimum_rtt: Option<Span>) -> DeliveryRate {
        let sending = newest.sent_at - newest.first_sent_at;
        let interval = sending.max(self.delivered_at - newest.delivered_at);
        DeliveryRate {
            delivered: self.bytes(self.delivered - newest.delivered),
            interval,
            prior_delivered: self.bytes(newest.delivered),
            in_flight_at_sending: self.bytes(newest.in_flight),
            lost: self.bytes(self.lost - newest.lost),
            app_limited: newest.app_limited,
            reliable: minimum_rtt.is_none_or(|minimum| interval >= minimum),
        }
    }

    /// Everything below is acknowledged cumulatively: nobody asks for it again.
    pub fn forget_below(&mut self, una: u32) {
        while self.first < una && self.records.pop_front().is_some() {
            self.first += 1;
        }
    }

    /// What was declared lost just now, in that order.
    pub fn newly_lost(&self, now: Time) -> impl Iterator<Item = LostPacket> + '_ {
        let before = self.lost - self.news.lost.len() as u32;
        let mut next = self.news.lost_next;
        (before + 1..).zip(&self.news.lost).map(move |(lost, &number)| {
            let sent = self.packet(number).expect("a lost packet has a record");
            let continues = next.replace(number + 1) == Some(number);
            LostPacket { now, sent, lost: self.bytes(lost), delivered: self.delivered(), continues }
        })
    }

    /// The sender had less data than it was allowed to send. Samples of packets sent until now, and until the gap has left the path,
    /// say little about the path.
    pub fn mark_app_limited(&mut self) {
        self.app_limited_until = (self.delivered + self.in_flight).max(1);
    }

    /// Delivered so far.
    pub fn delivered(&self) -> Bytes {
        self.bytes(self.delivered)
    }

    /// In flight now.
    pub fn in_flight(&self) -> Bytes {
        self.bytes(self.in_flight)
    }
}

#[cfg(test)]
mod tests;
