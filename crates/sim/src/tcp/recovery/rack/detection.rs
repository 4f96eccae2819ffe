//! Loss detection by time: a packet is lost when one that was sent sufficiently later has been delivered.
//!
//! Source: RFC 8985 §6.2 (steps 1 to 5), §6.3. Which packets are in flight, and when each was last sent, stands in the records of the
//! flight; here stands in which order they were sent.
//!
//! | parameter         | unit    | default | why                                                             |
//! |-------------------|---------|---------|-----------------------------------------------------------------|
//! | reordering window | ns      | least round trip / 4 | §6.2 step 4; times the rounds with a DSACK and one, at most SRTT |
//! | reordering_window | choice  | rfc8985 | `linux`: an echoed timestamp may show reordering too; `static`: nor does a DSACK widen the window |
//! | DupThresh         | packets | 3       | RFC 6675 §2: without reordering, so many SACKed packets suffice |
//! | persistence       | recoveries | 16   | §6.2 step 4                                                     |
//! | window of the least round trip | ns | 300 s | Linux (`tcp_min_rtt_wlen`); three samples are kept, as there |
//!
//! Cost: each transmission enters a queue once and leaves it once. What was overtaken moves on into a second queue, from whose front the
//! lost packets are taken, and whose back says when the last of it is lost. An acknowledgement looks at no other packet, so it costs the
//! same whatever the window and the number of holes.
//!
//! Differs from §6.2 step 2: an echoed timestamp is that of one packet (RFC 7323 §4.3), so it speaks of that one. Read to the letter, no
//! SACKed retransmission would pass the test, since a receiver with a hole goes on echoing what came before it.
//!
//! Linux differs in one more respect (`reordering_window = "linux"`): the original of a packet that was sent again, shown by its timestamp,
//! has been reordered, where step 3 looks at packets sent once alone (`tcp_try_undo_partial`). So the first reordering widens the window
//! even if it was taken for a loss. `"static"` is Linux's `tcp_recovery` 3: as `"linux"`, and always a quarter of the least round trip.

use crate::tcp::flight::Sending;
use sawtooth_cc::units::{Span, Time};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What shows reordering, and what it does to the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReorderingWindow {
    /// RFC 8985 §6.2.
    #[default]
    Rfc8985,
    /// A timestamp may show it too.
    Linux,
    /// As Linux, and duplicates do not widen the window.
    Static,
}

/// The least value of the last five minutes, nearly: three candidates are kept, each the least since the one before (Linux,
/// `lib/win_minmax.c`).
#[derive(Clone, Copy, Debug, Default)]
struct WindowedMinimum {
    candidates: Option<[(Time, Span); 3]>,
}

impl WindowedMinimum {
    const WINDOW: Span = Span::from_seconds(300);

    fn get(&self) -> Option<Span> {
        self.candidates.map(|[(_, least), ..]| least)
    }

    #[inline(always)]
    fn add(&mut self, now: Time, value: Span) {
        if let Some(kept) = &self.candidates
            && value > kept[2].1
            && (now - kept[0].0).nanos() <= Self::WINDOW.nanos() / 4
        {
            return; // it becomes no candidate, and none is too old: nearly always
        }
        self.choose(now, value);
    }

    #[inline(never)]
    fn choose(&mut self, now: Time, value: Span) {
        let new = (now, value);
        let Some(kept) = &mut self.candidates else {
            self.candidates = Some([new; 3]);
            return;
        };
        if value <= kept[0].1 || now - kept[2].0 > Self::WINDOW {
            *kept = [new; 3];
            return;
        }
        if value <= kept[1].1 {
            (kept[1], kept[2]) = (new, new);
        } else if value <= kept[2].1 {
            kept[2] = new;
        }
        let age = now - kept[0].0;
        if age > Self::WINDOW {
            *kept = [kept[1], kept[2], new];
            if now - kept[0].0 > Self::WINDOW {
                *kept = [kept[1], kept[2], new];
            }
        } else if kept[1].0 == kept[0].0 && age.nanos() > Self::WINDOW.nanos() / 4 {
            (kept[1], kept[2]) = (new, new);
        } else if kept[2].0 == kept[1].0 && age.nanos() > Self::WINDOW.nanos() / 2 {
            kept[2] = new;
        }
    }
}

/// What one acknowledgement delivers.
#[derive(Clone, Copy, Debug, Default)]
pub struct News {
    /// The rank of that sent last of the valid ones; 0: there is none.
    newest: u128,
    /// Of those sent once, the least round trip.
    rtt: Option<Span>,
    /// One past the highest number.
    highest: u32,
}

/// A transmission's place in the order of (time, number), from 1: one comparison of two words.
#[inline(always)]
fn rank(sending: &Sending) -> u128 {
    (u128::from(sending.at.nanos()) << 32 | u128::from(sending.number)) + 1
}

/// When the transmission of this rank was made.
#[inline(always)]
fn time_of(rank: u128) -> Time {
    Time::from_nanos(((rank - 1) >> 32) as u64)
}

/// What is known of a connection when losses are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Situation {
    /// The present.
    pub now: Time,
    /// Packets SACKed.
    pub sacked: u32,
    /// Fast recovery, or that after a timeout, is in progress.
    pub repairing: bool,
    /// The smoothed round trip.
    pub srtt: Option<Span>,
    /// The least round trip of the connection, while none of its data has given one.
    pub handshake: Option<Span>,
}

/// The detection of one sender.
#[derive(Clone, Debug)]
pub struct Detection {
    rule: ReorderingWindow,
    least: WindowedMinimum,
    /// `RACK.rtt`
    rtt: Span,
    /// The rank of `RACK.segment`, with its `RACK.xmit_ts`; 0: there is none.
    newest: u128,
    /// `RACK.fack`
    highest: u32,
    reordering_seen: bool,
    /// `RACK.dsack_round`
    dsack_round: Option<u32>,
    multiplier: u32,
    persistence: u32,
    /// Transmissions in the order of (time, number), that `RACK.segment` has not overtaken.
    sent: VecDeque<Sending>,
    /// Those that it has, and that were in flight then.
    overtaken: VecDeque<Sending>,
}

impl Detection {
    const DUPLICATES: u32 = 3;
    const PERSISTENCE: u32 = 16;

    /// Nothing has been sent.
    pub fn new(rule: ReorderingWindow) -> Self {
        Detection {
            rule,
            least: WindowedMinimum::default(),
            rtt: Span::ZERO,
            newest: 0,
            highest: 0,
            reordering_seen: false,
            dsack_round: None,
            multiplier: 1,
            persistence: 0,
            sent: VecDeque::new(),
            overtaken: VecDeque::new(),
        }
    }

    /// A packet leaves. Within one instant numbers rise, but for a packet that is sent again after new ones.
    pub fn on_sent(&mut self, sending: Sending) {
        if self.sent.back().is_none_or(|last| rank(last) < rank(&sending)) {
            self.sent.push_back(sending);
        } else {
            self.insert(sending);
        }
    }

    /// New data leaves: no number is higher, so it is the last in order.
    #[inline(always)]
    pub fn on_sent_new(&mut self, sending: Sending) {
        self.sent.push_back(sending);
    }

    #[cold]
    fn insert(&mut self, sending: Sending) {
        let place =
            self.sent.iter().rposition(|other| rank(other) < rank(&sending)).map_or(0, |place| place + 1);
        self.sent.insert(place, sending);
    }

    /// An acknowledgement delivers this packet, last sent so (steps 1 to 3). `earlier`: it says that an earlier transmission arrived.
    #[inline]
    pub fn on_delivered(&mut self, news: &mut News, sending: Sending, earlier: bool, now: Time) {
        let (number, rtt) = (sending.number, now - sending.at);
        let again = sending.times > 1;
        news.highest = news.highest.max(number + 1);
        let original = !again || earlier && self.rule != ReorderingWindow::Rfc8985;
        self.reordering_seen |= original && number + 1 < self.highest;
        if again && (earlier || self.least.get().is_some_and(|least| rtt < least)) {
            return;
        }
        if !again {
            news.rtt = Some(news.rtt.map_or(rtt, |other| other.min(rtt)));
        }
        news.newest = news.newest.max(rank(&sending));
    }

    /// The acknowledgement has been read. Has it given a round trip of a packet that was sent once?
    #[inline]
    pub fn conclude(&mut self, news: &News, now: Time) -> bool {
        if let Some(rtt) = news.rtt {
            self.least.add(now, rtt);
        }
        self.highest = self.highest.max(news.highest);
        if news.newest != 0 {
            self.rtt = now - time_of(news.newest);
            self.newest = self.newest.max(news.newest);
        }
        news.rtt.is_some()
    }

    /// Is this the first transmission in order that has not been overtaken, and was nothing overtaken that might be lost?
    #[inline(always)]
    pub fn comes_next(&self, sending: &Sending) -> bool {
        let first = self.sent.front() == Some(sending) && self.newest <= rank(sending);
        first && self.overtaken.is_empty()
    }

    /// What [`Detection::on_delivered`], [`Detection::conclude`] and [`Detection::overtakes`] come to for a packet that
    /// [comes next](Detection::comes_next), where the acknowledgement delivers no other.
    #[inline(always)]
    pub fn on_delivered_alone(&mut self, sending: &Sending, now: Time) {
        self.reordering_seen |= sending.number + 1 < self.highest;
        self.highest = self.highest.max(sending.number + 1);
        self.rtt = now - sending.at;
        self.least.add(now, self.rtt);
        self.newest = rank(sending);
        self.sent.pop_front();
    }

    /// The window grows with rounds that report duplicates, and falls back after sixteen recoveries without (step 4).
    pub fn adapt(&mut self, una: u32, next: u32, duplicate: bool, leaves: bool) {
        if self.dsack_round.is_some_and(|round| una >= round) {
            self.dsack_round = None;
        }
        let widens = duplicate && self.rule != ReorderingWindow::Static;
        if self.dsack_round.is_none() && widens {
            self.dsack_round = Some(next);
            self.multiplier += 1;
            self.persistence = Self::PERSISTENCE;
        } else if leaves {
            self.persistence = self.persistence.saturating_sub(1);
            if self.persistence == 0 {
                self.multiplier = 1;
            }
        }
    }

    /// `RACK.reo_wnd`
    fn window(&self, situation: &Situation) -> Span {
        if !self.reordering_seen && (situation.repairing || situation.sacked >= Self::DUPLICATES) {
            return Span::ZERO;
        }
        let least = self.least.get().or(situation.handshake).unwrap_or(Span::ZERO);
        let window = Span::from_nanos(least.nanos().saturating_mul(u64::from(self.multiplier)) / 4);
        situation.srtt.map_or(window, |srtt| window.min(srtt))
    }

    /// Step 5, first part: has `RACK.segment` overtaken anything? `flies` knows whether a transmission is the last one of its packet and in
    /// flight. If nothing was, nothing is lost and nothing will be.
    #[inline]
    pub fn overtakes(&mut self, flies: impl Fn(&Sending) -> bool) -> bool {
        while let Some(first) = self.sent.front() {
            let flies = flies(first);
            if flies && rank(first) >= self.newest {
                break;
            }
            if flies {
                self.overtaken.push_back(*first);
            }
            self.sent.pop_front();
        }
        !self.overtaken.is_empty()
    }

    /// The rest of step 5, where anything was overtaken: `lose` hears of each packet that is lost now. When all that was overtaken will be
    /// lost, unless it arrives; none if nothing is left of it.
    pub fn detect(
        &mut self,
        situation: &Situation,
        flies: impl Fn(&Sending) -> bool,
        mut lose: impl FnMut(Sending),
    ) -> Option<Time> {
        let patience = self.rtt + self.window(situation);
        while let Some(first) = self.overtaken.front() {
            if flies(first) {
                if first.at + patience > situation.now {
                    break;
                }
                lose(*first);
            }
            self.overtaken.pop_front();
        }
        while self.overtaken.back().is_some_and(|last| !flies(last)) {
            self.overtaken.pop_back();
        }
        self.overtaken.back().map(|last| last.at + patience)
    }

    /// Is a packet last sent then lost when the retransmission timer expires (§6.3)?
    pub fn is_overdue(&self, sending: &Sending, situation: &Situation) -> bool {
        sending.at + self.rtt + self.window(situation) <= situation.now
    }

    /// What was called lost is in flight after all: these are all that are, in the order of their numbers.
    pub fn restore(&mut self, flying: impl Iterator<Item = Sending>) {
        self.overtaken.clear();
        self.sent = flying.collect();
        self.sent.make_contiguous().sort_unstable_by_key(rank);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// RFC 8985 §6 word for word: it walks over all packets at each acknowledgement.
    #[derive(Default)]
    struct Naive {
        /// `xmit_ts`, how often sent, lost.
        packets: BTreeMap<u32, (Time, u16, bool)>,
        min_rtt: Option<Span>,
        rtt: Span,
        segment: Option<(Time, u32)>,
        fack: u32,
        reordering_seen: bool,
        dsack_round: Option<u32>,
        multiplier: u32,
        persist: i64,
    }

    impl Naive {
        fn acknowledge(&mut self, delivered: &[u32], now: Time) {
            let mut segments: Vec<(Time, u32, u16)> = Vec::new();
            for &number in delivered {
                let (at, times, _) = self.packets.remove(&number).expect("it was sent");
                segments.push((at, number, times));
                if number + 1 > self.fack {
                    self.fack = number + 1;
                } else if number + 1 < self.fack && times == 1 {
                    self.reordering_seen = true;
                }
            }
            segments.sort_unstable();
            let least_before = self.min_rtt;
            for &(at, number, times) in &segments {
                let rtt = now - at;
                if times == 1 {
                    self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
                } else if least_before.is_some_and(|least| rtt < least) {
                    continue;
                }
                self.rtt = rtt;
                self.segment = self.segment.max(Some((at, number)));
            }
        }

        fn adapt(&mut self, una: u32, next: u32, dsack: bool, leaves: bool) {
            if self.dsack_round.is_some_and(|round| una >= round) {
                self.dsack_round = None;
            }
            if self.dsack_round.is_none() && dsack {
                (self.dsack_round, self.persist) = (Some(next), 16);
                self.multiplier += 1;
            } else if leaves {
                self.persist -= 1;
                if self.persist <= 0 {
                    self.multiplier = 1;
                }
            }
        }

        fn window(&self, situation: &Situation) -> Span {
            if !self.reordering_seen && (situation.repairing || situation.sacked >= 3) {
                return Span::ZERO;
            }
            let quarter = self.min_rtt.or(situation.handshake).unwrap_or(Span::ZERO).nanos();
            let window = Span::from_nanos(quarter * u64::from(self.multiplier) / 4);
            situation.srtt.map_or(window, |srtt| window.min(srtt))
        }

        fn detect(&mut self, situation: &Situation) -> (Vec<u32>, Option<Time>) {
            let patience = self.rtt + self.window(situation);
            let (mut lost, mut until) = (Vec::new(), None);
            for (&number, (at, _, is_lost)) in &mut self.packets {
                if !*is_lost && Some((*at, number)) < self.segment {
                    if *at + patience <= situation.now {
                        (*is_lost, lost) = (true, [lost.as_slice(), &[number]].concat());
                    } else {
                        until = until.max(Some(*at + patience));
                    }
                }
            }
            (lost, until)
        }
    }

    #[derive(Clone, Debug)]
    enum Step {
        Send(u32),
        /// Of what is in flight or lost, these ranks arrive in one acknowledgement.
        Deliver(Vec<usize>, bool),
        /// The lost packet of this rank goes again.
        Again(usize),
        /// Nothing arrives, and the timer of the detection expires.
        Wait,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            3 => (1u32..5).prop_map(Step::Send),
            4 => (proptest::collection::vec(0usize..40, 1..4), any::<bool>()).prop_map(|(ranks, dsack)| Step::Deliver(ranks, dsack)),
            2 => (0usize..8).prop_map(Step::Again),
            1 => Just(Step::Wait),
        ]
    }

    /// Both find the same packets lost, and the same time for the timer, which is returned.
    fn detect_alike(
        detection: &mut Detection,
        naive: &mut Naive,
        situation: &Situation,
    ) -> Result<Option<Time>, TestCaseError> {
        let (expected, until) = naive.detect(situation);
        let mut lost = BTreeSet::new();
        let flies = |sending: &Sending| {
            naive.packets.get(&sending.number).is_some_and(|&(at, times, is_lost)| {
                (at, times) == (sending.at, sending.times) && (!is_lost || expected.contains(&sending.number))
            })
        };
        let overtakes = detection.overtakes(flies);
        let found = detection.detect(situation, flies, |sending| _ = lost.insert(sending.number));
        prop_assert!(overtakes || (lost.is_empty() && found.is_none()));
        prop_assert_eq!(lost.into_iter().collect::<Vec<_>>(), expected);
        prop_assert_eq!(found, until);
        Ok(found)
    }

    proptest! {
        /// Any history of transmissions and arrivals: the same packets are lost at the same times as by the walks of the RFC.
        #[test]
        fn the_queues_agree_with_the_walks_of_the_rfc(
            steps in proptest::collection::vec((step(), 0u64..30_000_000, any::<bool>()), 1..150),
        ) {
            let mut detection = Detection::new(ReorderingWindow::default());
            let mut naive = Naive { multiplier: 1, ..Naive::default() };
            let (mut now, mut next, mut sacked) = (Time::from_nanos(1), 0u32, 0u32);
            for (step, pause, repairing) in steps {
                now += Span::from_nanos(pause);
                let mut send = |number: u32, naive: &mut Naive| {
                    let times = naive.packets.get(&number).map_or(0, |&(_, times, _)| times) + 1;
                    naive.packets.insert(number, (now, times, false));
                    detection.on_sent(Sending { number, at: now, times });
                };
                let mut dsack = false;
                match step {
                    Step::Send(count) => {
                        (next..next + count).for_each(|number| send(number, &mut naive));
                        next += count;
                    }
                    Step::Again(rank) => {
                        let lost: Vec<u32> = naive.packets.iter().filter(|(_, packet)| packet.2).map(|(&n, _)| n).collect();
                        if let Some(&number) = lost.get(rank) {
                            send(number, &mut naive);
                        }
                    }
                    Step::Deliver(ranks, duplicate) => {
                        let there: Vec<u32> = naive.packets.keys().copied().collect();
                        let chosen: BTreeSet<u32> = ranks.iter().filter_map(|&rank| there.get(rank).copied()).collect();
                        let mut news = News::default();
                        for &number in &chosen {
                            let (at, times, _) = naive.packets[&number];
                            detection.on_delivered(&mut news, Sending { number, at, times }, false, now);
                        }
                        detection.conclude(&news, now);
                        naive.acknowledge(&chosen.into_iter().collect::<Vec<_>>(), now);
                        (dsack, sacked) = (duplicate, sacked % 7 + 1);
                    }
                    Step::Wait => {}
                }
                let una = naive.packets.keys().next().copied().unwrap_or(next);
                let leaves = una % 5 == 0;
                detection.adapt(una, next, dsack, leaves);
                naive.adapt(una, next, dsack, leaves);
                let srtt = Some(Span::from_nanos(40_000_000));
                let mut situation = Situation { now, sacked, repairing, srtt, handshake: None };
                for _ in 0..2 {
                    let found = detect_alike(&mut detection, &mut naive, &situation)?;
                    // The timer expires: everything that was overtaken is lost then.
                    match found {
                        Some(at) if pause % 3 == 0 => (now, situation.now) = (at, at),
                        _ => break,
                    }
                }
            }
        }
    }

    #[test]
    fn a_packet_that_is_delivered_alone_changes_what_one_of_several_does() {
        let at = |millis| Time::ZERO + Span::from_millis(millis);
        let sending = |number: u32| Sending { number, at: at(u64::from(number / 3)), times: 1 };
        let (mut alone, mut among) = [(); 2].map(|()| Detection::new(ReorderingWindow::Rfc8985)).into();
        for number in 0..300 {
            alone.on_sent(sending(number));
            among.on_sent(sending(number));
        }
        for number in 0..300 {
            // Round trips fall and rise, over more than the quarter of the window after which candidates are replaced.
            let now = at(1_000 * u64::from(number) + 40 + 7 * u64::from(number) % 30);
            assert!(alone.comes_next(&sending(number)));
            alone.on_delivered_alone(&sending(number), now);
            let mut news = News::default();
            among.on_delivered(&mut news, sending(number), false, now);
            assert!(among.conclude(&news, now));
            among.overtakes(|other| other.number > number);
            assert_eq!(format!("{alone:?}"), format!("{among:?}"));
        }
    }

    #[test]
    fn the_least_round_trip_is_forgotten_after_five_minutes() {
        let at = |seconds| Time::ZERO + Span::from_seconds(seconds);
        let mut least = WindowedMinimum::default();
        least.add(at(0), Span::from_millis(20));
        (1..400).for_each(|second| least.add(at(second), Span::from_millis(80)));
        assert_eq!(least.get(), Some(Span::from_millis(80)));
        least.add(at(401), Span::from_millis(30));
        assert_eq!(least.get(), Some(Span::from_millis(30)));
    }
}
