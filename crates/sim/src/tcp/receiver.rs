//! The receiver: cumulative acknowledgements, SACK blocks, delayed acknowledgements, ECN feedback.
//!
//! Source: RFC 5681 §4.2 (when to acknowledge), RFC 2018 §4 (which blocks), RFC 2883 §4 (duplicates), RFC 7323 §4.3 (timestamps), RFC 3168 §6.1.3 (echo), RFC 9768 §3.2 (counts).
//!
//! | parameter           | unit  | default | why                                                           |
//! |---------------------|-------|---------|---------------------------------------------------------------|
//! | delayed_ack         | flag  | false   | one acknowledgement per packet, as in all four studies        |
//! | delayed_ack_timeout | ns    | 200 ms  | ns-3 and BSD; RFC 5681 §4.2 allows up to 500 ms               |
//! | ack_every           | packets | 1; 2 with `delayed_ack` | RFC 5681 §4.2: at least every second full-sized segment |
//! | ack_aggregation     | ns    | 0       | acknowledgements leave one by one                             |
//! | ecn                 | choice | off     | `classic` echoes marks, `accurate` and `l4s` give their number in each acknowledgement; see `ecn` |
//!
//! Differs from RFC 9768: an acknowledgement carries the whole count of marked packets, where the RFC has three bits and, in an option,
//! 24-bit counters of bytes. The SYN exchange negotiates nothing.
//!
//! `ack_aggregation` is what radio links do: the first acknowledgement waits that long for others, and all leave together. What is held
//! says what was known when it was made.
//!
//! The receiver never limits the sender unless the scenario gives a receive window.

mod hold;
mod marks;
mod numbers;

use super::number_set::NumberSet;
use crate::ack_details::{AckDetails, DetailsHandle, DetailsPool, Echo, SACK_BLOCKS_MAX, SackBlock};
use crate::packet::{CE, CWR, Packet, RETRANSMISSION};
use crate::scenario::TcpSpec;
use crate::tcp::recovery::Feedback;
use hold::Hold;
use marks::Marks;
use numbers::Numbers;
use prefetch_index::prefetch_index;
use sawtooth_cc::units::{Span, Time};
use std::slice::from_ref;

/// Is an acknowledgement due?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckDecision {
    /// At once.
    Now,
    /// Unless more data comes, at this time.
    At(Time),
    /// At once, but it is [held](Receiver::hold).
    Held,
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
    reports: Option<Reports>,
    hold: Option<Hold>,
    numbers: Option<Numbers>,
}

const NUMBERED: &str = "a receiver of numbered packets has extras";

impl Extras {
    /// Whether a packet is acknowledged at once, for one reason or because enough wait, or when.
    fn answer(&mut self, at_once: bool, now: Time) -> AckDecision {
        let Some(delay) = &mut self.delay else { return self.leave() };
        delay.pending += 1;
        if at_once || delay.pending >= delay.every {
            return self.leave();
        }
        delay.due = delay.due.min(now + delay.span);
        AckDecision::At(delay.due)
    }

    /// An acknowledgement leaves that asks for this packet.
    #[inline(always)]
    fn note_answer(&mut self, next_expected: u32) {
        if let Some(delay) = &mut self.delay {
            (delay.pending, delay.due) = (0, Time::NEVER);
        }
        if let Some(marks) = &mut self.marks {
            marks.note_answer();
        }
        if let Some(reports) = &mut self.reports {
            (reports.acknowledged, reports.answered) = (next_expected, true);
        }
    }

    /// What becomes of an acknowledgement that is due.
    fn leave(&self) -> AckDecision {
        if self.hold.is_some() { AckDecision::Held } else { AckDecision::Now }
    }
}

/// What arrives twice, and the timestamp that is echoed.
#[derive(Clone, Debug, Default)]
struct Reports {
    /// `Last.ACK.sent` of RFC 7323.
    acknowledged: u32,
    /// An acknowledgement has left since the last packet.
    answered: bool,
    /// `TS.Recent` of RFC 7323: of the packet that was next when the last acknowledgement left.
    echo: Option<Echo>,
    /// The next acknowledgement says so. Left out, it is that of the newest packet it acknowledges, sent once, or of one before it.
    tells_echo: bool,
    duplicate: Option<u32>,
}

impl Reports {
    fn note(&mut self, packet: Packet, is_new: bool, had_gap: bool) {
        if std::mem::take(&mut self.answered) {
            (self.tells_echo, self.duplicate) = (false, None);
        }
        let (number, again) = (packet.number(), packet.has(RETRANSMISSION));
        if !is_new {
            self.duplicate = Some(number);
        } else if number == self.acknowledged {
            self.echo = Some(Echo { number, again });
            self.tells_echo = again || had_gap;
        }
    }
}

/// Acknowledgements that wait.
#[derive(Clone, Debug)]
struct Delay {
    span: Span,
    /// Packets that may stay unacknowledged before one is sent at once.
    every: u32,
    pending: u32,
    due: Time,
}

/// The receiver of one flow. The part that most packets need is small; the rest is boxed.
#[derive(Clone, Debug)]
pub struct Receiver {
    next_expected: u32,
    numbered: bool,
    sends_sack: bool,
    echo: bool,
    has_gap: bool,
    has_details: bool,
    /// There are reports, and nothing else that data in order would touch.
    reports_alone: bool,
    disorder: Option<Box<Disorder>>,
    extras: Option<Box<Extras>>,
}

impl Receiver {
    /// A receiver that has seen nothing.
    pub fn new(feedback: Feedback, tcp: &TcpSpec) -> Self {
        let numbered = feedback == Feedback::Numbered;
        let (span, every) = (Span::from_nanos(tcp.delayed_ack_timeout_ns), tcp.acknowledged_at_once());
        let delay = (every > 1).then_some(Delay { span, every, pending: 0, due: Time::NEVER });
        let hold = Hold::new(Span::from_nanos(tcp.ack_aggregation_ns));
        // RFC 9000 §13.4.1: where packets are numbered, marks are counted.
        let marks = (numbered || tcp.ecn.counts()).then(Marks::default);
        let reports = (feedback == Feedback::Reporting).then(Reports::default);
        let numbers = numbered.then(Numbers::default);
        let needed = delay.is_some() || marks.is_some() || reports.is_some() || hold.is_some();
        Receiver {
            next_expected: 0,
            numbered,
            sends_sack: matches!(feedback, Feedback::Selective | Feedback::Reporting),
            echo: false,
            has_gap: false,
            has_details: marks.is_some(),
            reports_alone: reports.is_some() && delay.is_none() && marks.is_none() && hold.is_none(),
            disorder: None,
            extras: needed.then(|| Box::new(Extras { delay, marks, reports, hold, numbers })),
        }
    }

    /// Do packets have numbers of their own, so that its blocks are ranges of these?
    pub fn is_numbered(&self) -> bool {
        self.numbered
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
        if self.extras.is_some() {
            return self.on_data_beside(packet, now);
        }
        self.note_ecn(packet);
        Received { is_new: self.take(packet.number()), answer: AckDecision::Now }
    }

    /// Take a data packet where there are extras. Most are in order, and most of these receivers do no more than to report.
    #[inline(never)]
    fn on_data_beside(&mut self, packet: Packet, now: Time) -> Received {
        let in_order = packet.number() == self.next_expected && !self.has_gap && !packet.has(CE | CWR);
        if in_order
            && self.reports_alone
            && let Some(reports) = self.extras.as_mut().and_then(|extras| extras.reports.as_mut())
        {
            reports.note(packet, true, false);
            self.has_details = reports.tells_echo || reports.duplicate.is_some();
            self.next_expected += 1;
            return Received { is_new: true, answer: AckDecision::Now };
        }
        self.on_data_in_full(packet, now)
    }

    /// Is the packet new?
    #[inline(always)]
    fn take(&mut self, number: u32) -> bool {
        if number == self.next_expected && !self.has_gap {
            self.next_expected += 1;
            return true;
        }
        self.on_disorder(number)
    }

    /// Take a data packet where marks are counted, more is reported than blocks, or acknowledgements wait.
    #[inline(never)]
    fn on_data_in_full(&mut self, packet: Packet, now: Time) -> Received {
        if self.numbered {
            return self.on_numbered(packet, now);
        }
        let echo_changes = self.note_ecn(packet);
        let in_order = packet.number() == self.next_expected;
        let had_gap = self.has_gap;
        let is_new = self.take(packet.number());
        if let Some(extras) = &mut self.extras
            && let Some(reports) = &mut extras.reports
        {
            reports.note(packet, is_new, had_gap);
            let has_blocks = self.disorder.as_ref().is_some_and(|disorder| disorder.recent_len > 0);
            let has_news = reports.tells_echo || reports.duplicate.is_some();
            self.has_details = has_news || has_blocks || extras.marks.is_some();
        }
        let marked = packet.has(CE);
        // RFC 5681 §4.2: data out of order, and data that fills a gap, is acknowledged at once.
        Received { is_new, answer: self.answer_with_extras(marked, echo_changes, !in_order || had_gap, now) }
    }

    /// Take a data packet that has a number of its own (RFC 9000 §13.2.1).
    fn on_numbered(&mut self, packet: Packet, now: Time) -> Received {
        let extras = self.extras.as_mut().expect(NUMBERED);
        let noted = extras.numbers.as_mut().expect(NUMBERED).note(packet.packet_number(), now);
        let marks = extras.marks.as_mut().expect(NUMBERED);
        marks.count(noted.accepted && packet.has(CE));
        let answer = extras.answer(!noted.in_order || packet.has(CE), now);
        let is_new = noted.accepted && self.take(packet.number());
        Received { is_new, answer }
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
            ecn_changes = marks.note(marked);
            self.echo = false;
        }
        extras.answer(disorder || ecn_changes, now)
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
        if let Some(extras) = &mut self.extras {
            extras.note_answer(self.next_expected);
        }
        (self.next_expected, self.echo)
    }

    /// When the delayed acknowledgement is due; `NEVER` if none waits.
    pub fn ack_due(&self) -> Time {
        let delay = self.extras.as_ref().and_then(|extras| extras.delay.as_ref());
        delay.map_or(Time::NEVER, |delay| delay.due)
    }

    fn hold_mut(&mut self) -> Option<&mut Hold> {
        self.extras.as_mut()?.hold.as_mut()
    }

    /// When the acknowledgements that are held leave; `NEVER` if none is.
    pub fn held_until(&self) -> Time {
        let hold = self.extras.as_ref().and_then(|extras| extras.hold.as_ref());
        hold.map_or(Time::NEVER, Hold::ends)
    }

    /// Are acknowledgements held?
    pub fn holds(&self) -> bool {
        self.extras.as_ref().is_some_and(|extras| extras.hold.is_some())
    }

    /// Hold an acknowledgement that was made now; when it leaves.
    pub fn hold(&mut self, ack: Packet, now: Time) -> Time {
        self.hold_mut().expect("this receiver holds acknowledgements").keep(ack, now)
    }

    /// The first acknowledgement that is held, when their time has come.
    pub fn let_go(&mut self, now: Time) -> Option<Packet> {
        self.hold_mut()?.let_go(now)
    }

    /// How many acknowledgements are held.
    pub fn held(&self) -> usize {
        let hold = self.extras.as_ref().and_then(|extras| extras.hold.as_ref());
        hold.map_or(0, Hold::len)
    }

    fn counted_marks(&self) -> Option<u32> {
        self.extras.as_ref()?.marks.as_ref().map(Marks::counted)
    }

    /// Does an acknowledgement say more than its number and its echo now?
    #[inline(always)]
    pub fn has_details(&self) -> bool {
        self.has_details
    }

    /// The ranges of packet numbers that an acknowledgement tells; none where packets have no numbers of their own.
    fn ranges(&self) -> &[SackBlock] {
        let numbers = self.extras.as_ref().and_then(|extras| extras.numbers.as_ref());
        numbers.map_or(&[], Numbers::ranges)
    }

    /// Put what an acknowledgement says in detail into the pool.
    #[inline(never)]
    pub fn keep_details(&self, pool: &mut DetailsPool, now: Time) -> DetailsHandle {
        match &self.disorder {
            Some(disorder) if self.extras.is_none() => {
                pool.keep(AckDetails::new(disorder.recent, disorder.recent_len, 0))
            }
            _ => self.keep_all_details(pool, now),
        }
    }

    #[inline(never)]
    fn keep_all_details(&self, pool: &mut DetailsPool, now: Time) -> DetailsHandle {
        pool.keep_ranges(self.details(now), self.ranges())
    }

    /// What an acknowledgement says in detail.
    #[cold]
    pub fn details(&self, now: Time) -> AckDetails {
        let ce_packets = self.counted_marks().unwrap_or(0);
        if let Some(numbers) = self.extras.as_ref().and_then(|extras| extras.numbers.as_ref()) {
            return AckDetails::of_numbers(numbers.ranges(), numbers.delay(now), ce_packets);
        }
        let mut details = match &self.disorder {
            Some(disorder) => AckDetails::new(disorder.recent, disorder.recent_len, ce_packets),
            None => AckDetails::counting(ce_packets),
        };
        if let Some(reports) = self.extras.as_ref().and_then(|extras| extras.reports.as_ref()) {
            if let Some(number) = reports.duplicate {
                details = details.with_duplicate(number);
            }
            if let Some(echo) = reports.echo.filter(|_| reports.tells_echo) {
                details = details.with_echo(echo, self.next_expected);
            }
        }
        details
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
    use crate::tcp::Ecn;

    fn data(number: u32, flags: u16) -> Packet {
        Packet::new(PacketKind::Data, 0, number, 1000, flags)
    }

    fn blocks_after(numbers: &[u32]) -> (u32, Vec<(u32, u32)>) {
        let mut receiver = Receiver::new(Feedback::Selective, &TcpSpec::default());
        for &number in numbers {
            receiver.on_data(data(number, 0), Time::ZERO);
        }
        let (next, _) = receiver.acknowledge();
        (next, receiver.details(Time::ZERO).blocks().iter().map(|block| (block.start, block.end)).collect())
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
        let mut receiver =
            Receiver::new(Feedback::Selective, &TcpSpec { delayed_ack: true, ..TcpSpec::default() });
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
    fn so_many_packets_are_acknowledged_at_once_as_the_setting_says() {
        let sent_at = |ack_every: u32| {
            let tcp = TcpSpec { ack_every: Some(ack_every), ..TcpSpec::default() };
            let mut receiver = Receiver::new(Feedback::Selective, &tcp);
            let answered = |number: &u32| {
                let at_once = receiver.on_data(data(*number, 0), Time::ZERO).answer == AckDecision::Now;
                at_once && receiver.acknowledge().0 == number + 1
            };
            (0..12).filter(answered).collect::<Vec<u32>>()
        };
        assert_eq!(sent_at(1), (0..12).collect::<Vec<_>>());
        assert_eq!(sent_at(2), [1, 3, 5, 7, 9, 11]);
        assert_eq!(sent_at(5), [4, 9]);
        assert_eq!(TcpSpec { delayed_ack: true, ..TcpSpec::default() }.acknowledged_at_once(), 2);
    }

    #[test]
    fn congestion_experienced_is_echoed_until_the_window_is_reduced() {
        let mut receiver = Receiver::new(Feedback::Cumulative, &TcpSpec::default());
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
        let tcp = TcpSpec { ecn: Ecn::Accurate, ..TcpSpec::default() };
        let mut receiver = Receiver::new(Feedback::Selective, &tcp);
        let mut counted = |packet: Packet| {
            receiver.on_data(packet, Time::ZERO);
            let (_, echo) = receiver.acknowledge();
            assert!(!echo && receiver.has_details());
            (receiver.details(Time::ZERO).ce_packets, receiver.details(Time::ZERO).blocks().len())
        };
        assert_eq!(counted(data(0, ECT)), (0, 0));
        assert_eq!(counted(data(1, ECT | CE)), (1, 0));
        assert_eq!(counted(data(1, ECT | CE)), (2, 0));
        assert_eq!(counted(data(3, ECT | CE)), (3, 1));
        assert_eq!(counted(data(2, ECT)), (3, 0));
    }
}
