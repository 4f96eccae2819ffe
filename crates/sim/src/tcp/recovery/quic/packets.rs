//! Packets by packet number: which are acknowledged, which are lost, and which lost ones lie side by side.
//!
//! Source: RFC 9002 §6.1 and A.10 (loss by number and by time), §7.6 (persistent congestion).
//!
//! | parameter        | unit        | default | why    |
//! |------------------|-------------|---------|--------|
//! | packet threshold | packets     | 3       | §6.1.1 |
//! | time threshold   | round trips | 9/8     | §6.1.2 |
//!
//! Numbers rise with the time of sending, so what is not lost yet begins behind what is: a mark moves up past each packet once. An
//! acknowledgement looks at the packets that it acknowledges for the first time, at those that it makes lost and at one more, so it costs
//! the same whatever the window. Ranges are looked through word by word of their bits.

use super::super::Connection;
use crate::ack_details::SackBlock;
use crate::ring::Ring;
use crate::tcp::number_set::NumberSet;
use sawtooth_cc::units::{Span, Time};

/// kPacketThreshold of RFC 9002 §6.1.1.
const PACKET_THRESHOLD: u32 = 3;

/// What has become of a packet: it is acknowledged, or lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketFate {
    /// Its number.
    pub number: u32,
    /// The data in it.
    pub carries: u32,
    /// It had been called lost.
    pub was_lost: bool,
}

/// What a search for losses has found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// The first and the last packet that is lost now.
    pub newest: Option<(u32, u32)>,
    /// When the next one will be, unless it is acknowledged.
    pub until: Option<Time>,
    /// From the sending of the first lost packet to that of the last of a row in which none is acknowledged, the longest that grew now.
    pub span: Span,
}

/// All packets of a connection that are still remembered.
#[derive(Clone, Debug, Default)]
pub struct Packets {
    /// What they carry, from the first on.
    carries: Ring<u32>,
    first: u32,
    acknowledged: NumberSet,
    largest: Option<u32>,
    /// The search for losses has examined the packets below: each is acknowledged or lost.
    examined: u32,
    in_flight: u32,
    /// Packets below were sent before there was a round-trip sample.
    sampled: u32,
    /// The first lost packet of the row that ends below `examined`, and when it was sent.
    run: Option<(u32, Time)>,
}

impl Packets {
    /// The number of the next packet.
    pub fn next_number(&self) -> u32 {
        self.first + self.carries.len() as u32
    }

    /// Sent, and neither acknowledged nor lost.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Is this packet lost, as far as is known?
    pub fn is_lost(&self, number: u32) -> bool {
        number < self.examined && !self.acknowledged.contains(number)
    }

    fn carried_by(&self, number: u32) -> u32 {
        self.carries.ahead((number - self.first) as usize).expect("a packet that is remembered")
    }

    /// A packet leaves with this data; its number. `sampled`: there has been a round-trip sample.
    pub fn on_sent(&mut self, carries: u32, sampled: bool) -> u32 {
        let number = self.next_number();
        self.carries.push_back(carries);
        self.in_flight += 1;
        if !sampled {
            self.sampled = number + 1;
        }
        number
    }

    /// These ranges have arrived: `tell` hears of each packet that was not known to have.
    pub fn acknowledge(
        &mut self,
        ranges: &[SackBlock],
        connection: &mut Connection<'_>,
        mut tell: impl FnMut(PacketFate),
    ) {
        let next = self.next_number();
        let Packets { carries, first, acknowledged, examined, in_flight, .. } = self;
        let mut late = None;
        for range in ranges {
            assert!(range.end <= next, "packet {} is acknowledged and {next} not sent yet", range.end - 1);
            let start = range.start.max(*first);
            if start >= range.end {
                break; // older ranges lie below
            }
            acknowledged.insert(start, range.end, |number| {
                let was_lost = number < *examined;
                connection.deliver(number);
                *in_flight -= u32::from(!was_lost);
                late = late.max(was_lost.then_some(number));
                let carries = carries.ahead((number - *first) as usize).expect("a packet that is remembered");
                tell(PacketFate { number, carries, was_lost });
            });
        }
        self.largest = self.largest.max(ranges.first().map(|range| range.end - 1));
        // What is left of a row lies behind the last packet of it that has arrived after all.
        if let (Some(late), Some((begin, _))) = (late, self.run)
            && late >= begin
        {
            let begin = late + 1;
            self.run = (begin < self.examined).then(|| (begin, connection.sending(begin).at));
        }
    }

    /// The row of lost packets has been made use of.
    pub fn end_run(&mut self) {
        self.run = None;
    }

    /// `DetectAndRemoveLostPackets`: `tell` hears of each packet that is lost now, which is so when one that was sent after it is
    /// acknowledged and it was sent three numbers before that or so long ago.
    pub fn detect(
        &mut self,
        threshold: Span,
        connection: &mut Connection<'_>,
        mut tell: impl FnMut(PacketFate),
    ) -> Losses {
        let mut losses = Losses::default();
        let Some(largest) = self.largest else { return losses };
        while self.examined <= largest {
            let number = self.examined;
            if self.acknowledged.contains(number) {
                self.run = None;
            } else {
                let sent_at = connection.sending(number).at;
                if sent_at + threshold > connection.now && largest < number + PACKET_THRESHOLD {
                    losses.until = Some(sent_at + threshold);
                    break;
                }
                connection.lose(number);
                self.in_flight -= 1;
                let (first, _) = losses.newest.unwrap_or((number, number));
                losses.newest = Some((first, number));
                if number >= self.sampled {
                    let (_, since) = *self.run.get_or_insert((number, sent_at));
                    losses.span = losses.span.max(sent_at - since);
                }
                tell(PacketFate { number, carries: self.carried_by(number), was_lost: false });
            }
            self.examined += 1;
        }
        losses
    }

    /// Forget the oldest packets: those that are acknowledged, and lost ones that were sent so long ago, of which `tell` hears.
    pub fn forget(&mut self, remembered: Span, connection: &mut Connection<'_>, mut tell: impl FnMut(u32)) {
        let before = self.first;
        while self.first < self.examined {
            if self.is_lost(self.first) {
                if connection.sending(self.first).at + remembered > connection.now {
                    break;
                }
                tell(self.first);
            }
            self.carries.pop_front();
            self.first += 1;
        }
        if self.first > before {
            self.acknowledged.advance(self.first);
            connection.forget_below(self.first);
        }
    }
}
