//! The receiver: cumulative acknowledgements, SACK blocks, delayed acknowledgements, ECN feedback.
//!
//! Source: RFC 5681 §4.2 (when to acknowledge), RFC 2018 §4 (which blocks), RFC 3168 §6.1.3 (echo), RFC 9768 §3.2 (counts).
//!
//! | parameter           | unit  | default | why                                                           |
//! |---------------------|-------|---------|---------------------------------------------------------------|
//! | delayed_ack         | flag  | false   | one acknowledgement per packet, as in all four studies        |
//! | delayed_ack_timeout | ns    | 200 ms  | ns-3 and BSD; RFC 5681 §4.2 allows up to 500 ms               |
//! | ack every           | packets | 2     | RFC 5681 §4.2: at least every second full-sized segment       |
//! | ecn_feedback        | choice | echo   | RFC 3168; `counts` gives the number of marked packets in each acknowledgement |
//!
//! Differs from RFC 9768: an acknowledgement carries the whole count of marked packets, where the RFC has three bits and, in an option, counters of 24
//! bits of bytes; and the exchange of SYNs negotiates nothing.
//!
//! The receiver never limits the sender unless the scenario gives a receive window.

use super::number_set::NumberSet;
use crate::ack_details::{AckDetails, SACK_BLOCKS_MAX, SackBlock};
use crate::packet::{CE, CWR, Packet};
use crate::scenario::TcpSpec;
use prefetch_index::prefetch_index;
use sawtooth_cc::units::{Span, Time};
use serde::{Deserialize, Serialize};
use std::slice::from_ref;

/// What a receiver says about marked packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EcnFeedback {
    /// That there were some, until the sender says that it has reduced its window.
    #[default]
    Echo,
    /// How many there were.
    Counts,
}

/// Is an acknowledgement due?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckDecision {
    /// At once.
    Now,
    /// Unless more data comes, at this time.
    At(Time),
}

/// What a data packet was to its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// It had not come before.
    pub is_new: bool,
    /// Whether it is acknowledged at once.
    pub answer: AckDecision,
}

/// What a receiver holds beyond a gap.
#[derive(Clone, Debug, Default)]
struct Disorder {
    beyond: NumberSet,
    recent: [SackBlock; SACK_BLOCKS_MAX],
    recent_len: usize,
}

/// What few receivers do.
#[derive(Clone, Debug, Default)]
struct Extras {
    delay: Option<Delay>,
    marks: Option<Marks>,
}

/// Acknowledgements that wait.
#[derive(Clone, Debug)]
struct Delay {
    span: Span,
    pending: u32,
    due: Time,
}

/// Marked packets, counted.
#[derive(Clone, Debug, Default)]
struct Marks {
    count: u32,
    /// Was the newest packet marked?
    marked: bool,
}

impl Marks {
    /// A packet arrived; is it the first of a run of marked ones?
    fn note(&mut self, marked: bool) -> bool {
        let begins = marked && !self.marked;
        self.count += u32::from(marked);
        self.marked = marked;
        begins
    }
}

/// The receiver of one flow. What most packets need of it is small; the rest stands elsewhere.
#[derive(Clone, Debug)]
pub struct Receiver {
    next_expected: u32,
    sends_sack: bool,
    echo: bool,
    has_gap: bool,
    has_details: bool,
    disorder: Option<Box<Disorder>>,
    extras: Option<Box<Extras>>,
}

impl Receiver {
    /// Packets that may stay unacknowledged before one is sent at once.
    const ACK_EVERY: u32 = 2;

    /// A receiver that has seen nothing.
    pub fn new(sends_sack: bool, tcp: &TcpSpec) -> Self {
        let span = Span::from_nanos(tcp.delayed_ack_timeout_ns);
        let delay = tcp.delayed_ack.then_some(Delay { span, pending: 0, due: Time::NEVER });
        let marks = (tcp.ecn_feedback == EcnFeedback::Counts).then(Marks::default);
        Receiver {
            next_expected: 0,
            sends_sack,
            echo: false,
            has_gap: false,
            has_details: marks.is_some(),
            disorder: None,
            extras: (delay.is_some() || marks.is_some()).then(|| Box::new(Extras { delay, marks })),
        }
    }

    /// Have what it holds beyond a gap, if it does, brought into the cache.
    #[inline(always)]
    pub fn prefetch(&self) {
        if let Some(disorder) = &self.disorder
            && self.has_gap
        {
            prefetch_index(from_ref(&disorder.beyond), 0);
            prefetch_index(from_ref(&disorder.recent), 0);
        }
    }

    /// Take a data packet.
    #[inline]
    pub fn on_data(&mut self, packet: Packet, now: Time) -> Received {
        let echo_changes = self.note_ecn(packet);
        let in_order = packet.number() == self.next_expected;
        let had_gap = self.has_gap;
        let mut is_new = true;
        if in_order && !had_gap {
            self.next_expected += 1;
        } else {
            is_new = self.on_disorder(packet.number());
        }
        if self.extras.is_none() {
            return Received { is_new, answer: AckDecision::Now };
        }
        let marked = packet.has(CE);
        // RFC 5681 §4.2: data out of order, and data that fills a gap, is acknowledged at once.
        Received { is_new, answer: self.answer_with_extras(marked, echo_changes, !in_order || had_gap, now) }
    }

    /// Whether a packet is acknowledged at once, where marks are counted or acknowledgements wait.
    fn answer_with_extras(
        &mut self,
        marked: bool,
        echo_changes: bool,
        disorder: bool,
        now: Time,
    ) -> AckDecision {
        let Some(extras) = &mut self.extras else { return AckDecision::Now };
        let mut ecn_changes = echo_changes;
        if let Some(marks) = &mut extras.marks {
            // RFC 9768 §3.2.2.5.1: a mark after a packet without one is told at once.
            ecn_changes = marks.note(marked);
            self.echo = false;
        }
        let Some(delay) = &mut extras.delay else { return AckDecision::Now };
        delay.pending += 1;
        if disorder || ecn_changes || delay.pending >= Self::ACK_EVERY {
            return AckDecision::Now;
        }
        delay.due = delay.due.min(now + delay.span);
        AckDecision::At(delay.due)
    }

    fn note_ecn(&mut self, packet: Packet) -> bool {
        let before = self.echo;
        if packet.has(CWR) {
            self.echo = false;
        }
        if packet.has(CE) {
            self.echo = true;
        }
        before != self.echo
    }

    /// Is the packet new?
    #[cold]
    fn on_disorder(&mut self, number: u32) -> bool {
        let (next, sends_sack) = (self.next_expected, self.sends_sack);
        if number < next {
            return false; // a duplicate
        }
        let Disorder { beyond, .. } = &mut **self.disorder.get_or_insert_default();
        beyond.advance(next);
        if beyond.contains(number) {
            if sends_sack {
                // RFC 2018 §4: the first block holds the segment that triggered the acknowledgement.
                let (start, end) = beyond.run_of(number);
                self.report_first(SackBlock { start, end });
            }
            return false;
        }
        beyond.add(number);
        let (start, end) = beyond.run_of(number);
        if start == next {
            self.next_expected = end;
            beyond.advance(end);
            self.has_gap = beyond.count() > 0;
            self.forget_blocks_below(end);
        } else {
            self.has_gap = true;
            if sends_sack {
                self.report_first(SackBlock { start, end });
            }
        }
        true
    }

    /// The newest block comes first; older ones it covers are left out (RFC 2018 §4).
    fn report_first(&mut self, newest: SackBlock) {
        let Disorder { recent, recent_len, .. } = &mut **self.disorder.get_or_insert_default();
        let mut kept = [newest; SACK_BLOCKS_MAX];
        let mut len = 1;
        for &block in &recent[..*recent_len] {
            let covered = newest.start <= block.start && block.end <= newest.end;
            if !covered && len < SACK_BLOCKS_MAX {
                kept[len] = block;
                len += 1;
            }
        }
        (*recent, *recent_len) = (kept, len);
        self.has_details = true;
    }

    fn forget_blocks_below(&mut self, number: u32) {
        let Disorder { recent, recent_len, .. } = &mut **self.disorder.get_or_insert_default();
        let mut len = 0;
        for i in 0..*recent_len {
            if recent[i].start >= number {
                recent[len] = recent[i];
                len += 1;
            }
        }
        *recent_len = len;
        self.has_details = len > 0 || self.counted_marks().is_some();
    }

    /// An acknowledgement leaves: its number and its echo. It carries [`Receiver::details`] if there are any.
    #[inline(always)]
    pub fn acknowledge(&mut self) -> (u32, bool) {
        if let Some(extras) = &mut self.extras
            && let Some(delay) = &mut extras.delay
        {
            (delay.pending, delay.due) = (0, Time::NEVER);
        }
        (self.next_expected, self.echo)
    }

    /// When the delayed acknowledgement is due; `NEVER` if none waits.
    pub fn ack_due(&self) -> Time {
        let delay = self.extras.as_ref().and_then(|extras| extras.delay.as_ref());
        delay.map_or(Time::NEVER, |delay| delay.due)
    }

    fn counted_marks(&self) -> Option<u32> {
        self.extras.as_ref()?.marks.as_ref().map(|marks| marks.count)
    }

    /// Does an acknowledgement say more than its number and its echo now?
    #[inline(always)]
    pub fn has_details(&self) -> bool {
        self.has_details
    }

    /// What an acknowledgement says in detail.
    #[cold]
    pub fn details(&self) -> AckDetails {
        let ce_packets = self.counted_marks().unwrap_or(0);
        match &self.disorder {
            Some(disorder) => AckDetails::new(disorder.recent, disorder.recent_len, ce_packets),
            None => AckDetails::counting(ce_packets),
        }
    }

    /// Numbers below have all arrived.
    pub fn next_expected(&self) -> u32 {
        self.next_expected
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{ECT, PacketKind};

    fn data(number: u32, flags: u16) -> Packet {
        Packet::new(PacketKind::Data, 0, number, 1000, flags)
    }

    fn blocks_after(numbers: &[u32]) -> (u32, Vec<(u32, u32)>) {
        let mut receiver = Receiver::new(true, &TcpSpec::default());
        for &number in numbers {
            receiver.on_data(data(number, 0), Time::ZERO);
        }
        let (next, _) = receiver.acknowledge();
        (next, receiver.details().blocks().iter().map(|block| (block.start, block.end)).collect())
    }

    #[test]
    fn the_newest_block_comes_first_and_covered_ones_disappear() {
        assert_eq!(blocks_after(&[0, 1]), (2, vec![]));
        assert_eq!(blocks_after(&[0, 2, 4, 6, 8]), (1, vec![(8, 9), (6, 7), (4, 5)]));
        assert_eq!(blocks_after(&[0, 2, 4, 6, 8, 3]), (1, vec![(2, 5), (8, 9), (6, 7)]));
        assert_eq!(blocks_after(&[0, 2, 4, 6, 8, 3, 1]), (5, vec![(8, 9), (6, 7)]));
        assert_eq!(blocks_after(&[0, 2, 2, 0]), (1, vec![(2, 3)]));
        assert_eq!(blocks_after(&[0, 2, 3, 5, 7, 9, 3]), (1, vec![(2, 4), (9, 10), (7, 8)]));
    }

    #[test]
    fn every_second_packet_is_acknowledged_and_disorder_at_once() {
        let mut receiver = Receiver::new(true, &TcpSpec { delayed_ack: true, ..TcpSpec::default() });
        let later = AckDecision::At(Time::ZERO + Span::from_millis(200));
        assert_eq!(receiver.on_data(data(0, 0), Time::ZERO).answer, later);
        assert_eq!(receiver.on_data(data(1, 0), Time::ZERO).answer, AckDecision::Now);
        receiver.acknowledge();
        assert_eq!(receiver.on_data(data(3, 0), Time::ZERO).answer, AckDecision::Now);
        receiver.acknowledge();
        assert_eq!(receiver.on_data(data(2, 0), Time::ZERO).answer, AckDecision::Now); // fills the gap
        receiver.acknowledge();
        assert_eq!(receiver.on_data(data(4, 0), Time::ZERO).answer, later);
    }

    #[test]
    fn congestion_experienced_is_echoed_until_the_window_is_reduced() {
        let mut receiver = Receiver::new(false, &TcpSpec::default());
        let echo_after = |receiver: &mut Receiver, packet: Packet| {
            receiver.on_data(packet, Time::ZERO);
            receiver.acknowledge().1
        };
        assert!(!echo_after(&mut receiver, data(0, ECT)));
        assert!(echo_after(&mut receiver, data(1, ECT | CE)));
        assert!(echo_after(&mut receiver, data(2, ECT)));
        assert!(!echo_after(&mut receiver, data(3, ECT | CWR)));
        assert!(echo_after(&mut receiver, data(4, ECT | CWR | CE)));
    }

    #[test]
    fn marked_packets_are_counted_duplicates_among_them_and_nothing_is_echoed() {
        let tcp = TcpSpec { ecn: true, ecn_feedback: EcnFeedback::Counts, ..TcpSpec::default() };
        let mut receiver = Receiver::new(true, &tcp);
        let mut counted = |packet: Packet| {
            receiver.on_data(packet, Time::ZERO);
            let (_, echo) = receiver.acknowledge();
            assert!(!echo && receiver.has_details());
            (receiver.details().ce_packets, receiver.details().blocks().len())
        };
        assert_eq!(counted(data(0, ECT)), (0, 0));
        assert_eq!(counted(data(1, ECT | CE)), (1, 0));
        assert_eq!(counted(data(1, ECT | CE)), (2, 0));
        assert_eq!(counted(data(3, ECT | CE)), (3, 1));
        assert_eq!(counted(data(2, ECT)), (3, 0));
    }

    #[test]
    fn the_first_mark_of_a_run_is_told_at_once() {
        let tcp =
            TcpSpec { delayed_ack: true, ecn: true, ecn_feedback: EcnFeedback::Counts, ..TcpSpec::default() };
        let mut receiver = Receiver::new(true, &tcp);
        let mut told = |packet: Packet| {
            let at_once = receiver.on_data(packet, Time::ZERO).answer == AckDecision::Now;
            if at_once {
                receiver.acknowledge();
            }
            at_once
        };
        assert!(told(data(0, ECT | CE)));
        assert!(!told(data(1, ECT | CE)));
        assert!(told(data(2, ECT | CE))); // the second that waits
        assert!(!told(data(3, ECT)));
        assert!(told(data(4, ECT | CE)));
    }
}
