//! A rate-based sender and its receiver over random paths, watched from outside: never faster than the law allows, and slower and slower
//! when nothing is heard.
//!
//! A path has a bottleneck with a queue, delays by a random time without changing the order, drops and marks packets and drops reports at
//! random, and falls silent at some time for good.
//!
//! `PROPTEST_CASES=5000 cargo test --release -p sawtooth-sim --test engine rate_pairs::` draws fresh cases.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use sawtooth_cc::ControllerSpec;
use sawtooth_cc::tfrc::response;
use sawtooth_cc::units::Time;
use sawtooth_networks::networks;
use sawtooth_networks::random_runs::hold;
use sawtooth_sim::packet::PacketKind;
use sawtooth_sim::rate::receiver::PacedReceiver;
use sawtooth_sim::rate::sender::PacedSender;
use sawtooth_sim::rate::{Feedback, Report};
use sawtooth_sim::tcp::Ecn;
use sawtooth_sim::tcp::receiver::AckDecision;
use std::collections::{BTreeMap, VecDeque};

const MILLISECOND: u64 = networks::MILLISECOND;
const SECOND: u64 = networks::SECOND;
const CASES: u32 = 100;
/// Longest wait at the bottleneck.
const QUEUE: u64 = 200 * MILLISECOND;
/// Longest gap between packets, s, of TFRC and RAP.
const GAP_MAX: f64 = 64.0;
const LAWS: [&str; 10] = [
    "tfrc",
    "tfrc(8, 0.3, 0)",
    "tfrc(4, 1, 0)",
    "tfrc-5348",
    "tfrc-5348(8, 0.25, 1)",
    "rap",
    "rap(0.2, 0.125)",
    "rap(1, 0.5, 1, 0.5)",
    "nada",
    "nada(rmin = 400, rmax = 4000, beta_s = 0)",
];

/// Laws that slow down where nothing is heard; RFC 8698 has no rule for that.
fn heedful() -> Vec<&'static str> {
    LAWS.into_iter().filter(|law| !law.starts_with("nada")).collect()
}

/// What lies between sender and receiver.
#[derive(Clone, Debug)]
struct Path {
    delay: u64,
    jitter: u64,
    /// Of the bottleneck for one packet.
    each: u64,
    drop: f64,
    mark: f64,
    drop_reports: f64,
    /// No report arrives from then on.
    silent_from: u64,
    draws: u64,
}

fn path() -> impl Strategy<Value = Path> {
    let shares = (0.0..0.2f64, prop_oneof![Just(0.0), 0.0..0.1f64], prop_oneof![Just(0.0), 0.0..0.5f64]);
    let times = (1..100u64, 0..50u64, 1..20u64);
    (times, shares, prop_oneof![Just(0u64), 0..20u64], any::<u64>()).prop_map(
        |((delay, jitter, each), (drop, mark, drop_reports), silent_s, draws)| Path {
            delay: delay * MILLISECOND,
            jitter: jitter * MILLISECOND,
            each: each * MILLISECOND,
            drop,
            mark,
            drop_reports,
            silent_from: silent_s * SECOND,
            draws: draws | 1,
        },
    )
}

impl Path {
    /// A number in [0, 1), by shifts and exclusive ors.
    fn draw(&mut self) -> f64 {
        self.draws ^= self.draws << 13;
        self.draws ^= self.draws >> 7;
        self.draws ^= self.draws << 17;
        (self.draws >> 11) as f64 / (1u64 << 53) as f64
    }

    /// When something that leaves now arrives, after `last`.
    fn arrival(&mut self, now: u64, last: u64) -> u64 {
        let late = self.draw() * self.jitter as f64;
        (now + self.delay + late as u64).max(last + 1)
    }
}

/// What happens, in the order of time.
#[derive(Debug)]
enum Event {
    SynAck,
    Data { number: u32, marked: bool },
    Report(u32),
}

/// A sender, its receiver, and what is under way between them.
struct Pair {
    path: Path,
    now: u64,
    sender: PacedSender,
    receiver: PacedReceiver,
    events: BTreeMap<u64, VecDeque<Event>>,
    free_at: u64,
    last_data: u64,
    last_report: u64,
    next: u32,
    sent_at: Vec<u64>,
}

/// What the sender did at one moment.
struct Seen {
    before: f64,
    after: f64,
    feedback: Option<Feedback>,
    cut: bool,
    timed_out: bool,
}

impl Pair {
    fn new(law: &str, path: Path) -> Self {
        let mut profile = networks::profile(law, "none");
        profile.tcp.ecn = Ecn::Classic;
        let mut sender = PacedSender::new(0, &networks::flow(&[0], &[1]), &profile, None);
        assert_eq!(sender.syn(Time::ZERO).kind(), PacketKind::Syn);
        let receiver = PacedReceiver::new(&profile.controller).expect("a law with a rate");
        let opened = 2 * path.delay;
        let events = BTreeMap::from([(opened, VecDeque::from([Event::SynAck]))]);
        Pair {
            path,
            now: 0,
            sender,
            receiver,
            events,
            free_at: 0,
            last_data: 0,
            last_report: 0,
            next: 0,
            sent_at: Vec::new(),
        }
    }

    fn at(&mut self, time: u64, event: Event) {
        self.events.entry(time).or_default().push_back(event);
    }

    /// Packets per second.
    fn rate(&self) -> f64 {
        self.sender.window().packets() * 1e9 / self.sender.srtt_nanos().max(1) as f64
    }

    /// Go on to what comes next; `None` when nothing does before `until`.
    fn step(&mut self, until: u64) -> Result<Option<Seen>, TestCaseError> {
        let event = self.events.keys().next().copied().unwrap_or(u64::MAX);
        let (due, report_due) = (self.sender.deadline().nanos(), self.receiver.due().nanos());
        let next = event.min(due).min(report_due);
        if next > until {
            self.now = until;
            return Ok(None);
        }
        prop_assert!(next >= self.now, "nothing is due in the past");
        self.now = next;
        let now = Time::from_nanos(next);
        let before = self.rate();
        let mut seen = Seen { before, after: before, feedback: None, cut: false, timed_out: false };
        if next == event {
            let mut queue = self.events.remove(&next).expect("the first key");
            let event = queue.pop_front().expect("no empty queues");
            if !queue.is_empty() {
                self.events.insert(next, queue);
            }
            match event {
                Event::SynAck => self.sender.on_syn_ack(now),
                Event::Data { number, marked } => {
                    let stamp = self.sender.stamp(number);
                    let received = self.receiver.on_data(number, marked, stamp, now);
                    prop_assert!(received.is_new, "nothing is sent twice");
                    if received.answer == AckDecision::Now {
                        self.report(now);
                    }
                }
                Event::Report(number) => {
                    let report = self.receiver.arrived(number).expect("reports keep their order here");
                    if let Report::Tfrc(feedback) = report {
                        seen.feedback = Some(feedback);
                    }
                    seen.cut = self.sender.on_report(report, now).is_some();
                }
            }
        } else if next == report_due {
            self.report(now);
        } else {
            let cut = self.sender.on_deadline(now).expect("the SYN was answered");
            seen.timed_out = cut.is_some();
        }
        seen.after = self.rate();
        self.pump(now)?;
        Ok(Some(seen))
    }

    fn report(&mut self, now: Time) {
        let number = self.receiver.report(now);
        let lost = self.path.draw() < self.path.drop_reports || self.now >= self.path.silent_from;
        if !lost {
            self.last_report = self.path.arrival(self.now, self.last_report);
            self.at(self.last_report, Event::Report(number));
        }
    }

    fn pump(&mut self, now: Time) -> Result<(), TestCaseError> {
        while let Some(packet) = self.sender.next_packet(now) {
            prop_assert_eq!(packet.number(), self.next, "in order, each once");
            self.next += 1;
            prop_assert!(self.sent_at.last().is_none_or(|&last| last < self.now), "one packet at a time");
            self.sent_at.push(self.now);
            let begins = self.free_at.max(self.now);
            if self.path.draw() >= self.path.drop && begins <= self.now + QUEUE {
                self.free_at = begins + self.path.each;
                let marked = self.path.draw() < self.path.mark;
                self.last_data = self.path.arrival(self.free_at, self.last_data);
                self.at(self.last_data, Event::Data { number: packet.number(), marked });
            }
        }
        Ok(())
    }
}

fn for_all(laws: &[&'static str], holds: impl Fn(&str, Path) -> Result<(), TestCaseError>) {
    for law in laws {
        hold(law, CASES, path(), |path| holds(law, path));
    }
}

fn tfrc() -> Vec<&'static str> {
    LAWS.into_iter().filter(|law| law.starts_with("tfrc")).collect()
}

/// Up to a rounding.
fn at_most(found: f64, bound: f64) -> bool {
    found <= bound * (1.0 + 1e-6)
}

#[test]
fn tfrc_is_never_faster_than_twice_what_the_receiver_reports() {
    for_all(&tfrc(), |law, path| {
        let remembers = law.starts_with("tfrc-5348");
        let mut pair = Pair::new(law, path);
        let mut reports: Vec<(u64, f64)> = Vec::new();
        while let Some(seen) = pair.step(30 * SECOND)? {
            prop_assert!(seen.after.is_finite());
            let Some(feedback) = seen.feedback else { continue };
            let rtt = pair.sender.srtt_nanos();
            // The edition of the RFC remembers the reports of two round trips, that of the paper the last one.
            reports.push((pair.now, feedback.receive_rate));
            let since = if remembers { pair.now.saturating_sub(2 * rtt + 1) } else { pair.now };
            let highest = reports.iter().filter(|report| report.0 >= since).fold(0.0f64, |a, b| a.max(b.1));
            let p = feedback.loss_event_rate;
            if p > 0.0 {
                let equation = response::rate(p, rtt as f64 / 1e9);
                let bound = (2.0 * highest).max(1.0 / GAP_MAX);
                prop_assert!(at_most(seen.after, bound), "{} > {bound} at p = {p}", seen.after);
                prop_assert!(at_most(seen.after, equation.max(1.0 / GAP_MAX)), "{} > {equation}", seen.after);
            } else {
                let first = if remembers { 4.0 } else { 1.0 } * 1e9 / rtt as f64;
                let bound = (2.0 * highest).max(first).max(seen.before * 1.5);
                prop_assert!(at_most(seen.after, bound), "{} > {bound} in slow start", seen.after);
                prop_assert!(at_most(seen.after, (2.0 * seen.before).max(first)), "more than doubled");
            }
        }
        Ok(())
    });
}

#[test]
fn tfrc_backs_off_by_the_timer_when_nothing_is_heard() {
    for_all(&tfrc(), |law, path| {
        let mut pair = Pair::new(law, path);
        let (mut heard, mut cuts) = (0, 0u32);
        while let Some(seen) = pair.step(600 * SECOND)? {
            let wait = pair.now - heard;
            if seen.feedback.is_some() || pair.next == 0 || heard == 0 {
                (heard, cuts) = (pair.now, 0);
            } else if seen.timed_out {
                // RFC 5348 §4.4: after max(4R, 2/X), with the rate of that time.
                let expected = (4.0 * pair.sender.srtt_nanos() as f64).max(2e9 / seen.before);
                let off = wait as f64 / expected - 1.0;
                prop_assert!(off.abs() < 1e-6, "after {wait} ns instead of {expected}");
                prop_assert!(at_most(seen.after, seen.before), "{} to {}", seen.before, seen.after);
                if law.starts_with("tfrc-5348") {
                    // What limits the rate is halved; the second time at the latest that is the rate itself.
                    prop_assert!(cuts == 0 || at_most(seen.after, (seen.before / 2.0).max(1.0 / GAP_MAX)));
                } else {
                    let half = (seen.before / 2.0).max(1.0 / GAP_MAX);
                    prop_assert!((seen.after / half - 1.0).abs() < 1e-6, "{} to {}", seen.before, seen.after);
                }
                (heard, cuts) = (pair.now, cuts + 1);
            } else {
                prop_assert!(
                    (seen.after / seen.before - 1.0).abs() < 1e-9,
                    "nothing was heard and nothing ran out"
                );
            }
        }
        if pair.path.silent_from + 300 * SECOND < pair.now {
            prop_assert!(at_most(pair.rate(), 0.1), "{} packets a second after five minutes", pair.rate());
        }
        Ok(())
    });
}

#[test]
fn rap_cuts_by_its_fraction_and_climbs_by_its_step() {
    for (law, a, b) in [("rap", 1.0, 0.5), ("rap(0.2, 0.125)", 0.2, 0.125), ("rap(1, 0.5, 1, 0.5)", 1.0, 0.5)]
    {
        hold(law, CASES, path(), |path| {
            let mut pair = Pair::new(law, path);
            let mut cut_at = 0;
            let (mut gap, mut risen) = (f64::NAN, 0u64);
            while let Some(seen) = pair.step(60 * SECOND)? {
                let rtt = pair.sender.srtt_nanos();
                if rtt == 0 {
                    continue;
                }
                let found = 1.0 / seen.after;
                if seen.cut || seen.timed_out {
                    let expected = (gap / (1.0 - b)).min(GAP_MAX);
                    // A step may have ended at the same moment.
                    let raised = (1.0 / (1.0 / gap + a * 1e9 / rtt as f64) / (1.0 - b)).min(GAP_MAX);
                    let cut = (found / expected - 1.0).abs().min((found / raised - 1.0).abs());
                    prop_assert!(cut < 1e-6, "a gap of {gap} s became {found} s");
                    // Only packets sent after the last cut can bring another.
                    prop_assert!(pair.sent_at.iter().any(|&at| at >= cut_at), "two cuts for one flight");
                    cut_at = pair.now;
                    risen = pair.now;
                } else if (found / gap - 1.0).abs() > 1e-6 && !gap.is_nan() {
                    let step = 1.0 / found - 1.0 / gap;
                    let expected = a * 1e9 / rtt as f64;
                    prop_assert!(
                        (step / expected - 1.0).abs() < 1e-3,
                        "a step of {step} instead of {expected}"
                    );
                    prop_assert!(pair.now > risen, "two steps at once");
                    risen = pair.now;
                }
                gap = found;
            }
            Ok(())
        });
    }
}

#[test]
fn without_any_report_every_law_that_heeds_silence_falls_to_a_trickle() {
    for_all(&heedful(), |law, path| {
        let mut pair = Pair::new(law, Path { silent_from: 0, ..path });
        let mut last = f64::INFINITY;
        while let Some(seen) = pair.step(1_000 * SECOND)? {
            if pair.next > 0 {
                prop_assert!(at_most(seen.after, last), "{last} to {} without a word", seen.after);
                last = seen.after;
            }
        }
        let late = pair.sent_at.iter().filter(|&&at| at >= 700 * SECOND).count();
        prop_assert!(late <= 60, "{late} packets in the last five minutes");
        prop_assert!(pair.next > 0);
        Ok(())
    });
}

#[test]
fn a_call_stays_between_its_least_and_its_greatest_rate() {
    for (law, least, greatest) in
        [("nada", 150e3, 1500e3), ("nada(rmin = 400, rmax = 4000, beta_s = 0)", 400e3, 4000e3)]
    {
        hold(law, CASES, path(), |path| {
            let mut pair = Pair::new(law, path);
            let packet_bits = 8.0 * f64::from(networks::profile(law, "none").packet_bytes);
            while pair.step(30 * SECOND)?.is_some() {
                if pair.sender.srtt_nanos() > 0 {
                    let rate = pair.rate() * packet_bits;
                    prop_assert!(at_most(rate, greatest) && at_most(least, rate), "{rate} bit/s");
                }
                if let [.., before, last] = pair.sent_at[..] {
                    let gap = (last - before) as f64 / 1e9;
                    prop_assert!(
                        gap >= packet_bits / greatest * (1.0 - 1e-6) - 2e-9,
                        "{gap} s between packets"
                    );
                }
            }
            // What the encoder gives at its least rate leaves, whatever is heard: but for a frame and what half a second begins with.
            let since = pair.sent_at.first().map_or(0, |&at| 30 * SECOND - at) as f64 / 1e9;
            let due = least * (since - 1.0) / packet_bits - 2.0;
            prop_assert!(f64::from(pair.next) >= due, "{} packets where {due} were due", pair.next);
            Ok(())
        });
    }
}

#[test]
fn packets_keep_the_distance_that_the_law_says() {
    // Without damping and fine grain the gap is one over the rate, whatever happened in between: the next packet goes a gap of
    // now after the last.
    for law in ["tfrc(8, 0.3, 0)", "tfrc(4, 1, 0)", "rap", "rap(0.2, 0.125)"] {
        hold(law, CASES, path(), |path| {
            let mut pair = Pair::new(law, path);
            // The gap that held when the last packet left, or after any change since: the smallest of them.
            let mut smallest = f64::INFINITY;
            while let Some(seen) = pair.step(20 * SECOND)? {
                let after = 1.0 / seen.after;
                if let [.., before, last] = pair.sent_at[..]
                    && last == pair.now
                {
                    let found = (last - before) as f64 / 1e9;
                    let bound = smallest.min(after).min(GAP_MAX);
                    prop_assert!(
                        found >= bound * (1.0 - 1e-6) - 2e-9,
                        "{found} s where the law says {bound} s"
                    );
                    smallest = after;
                }
                smallest = smallest.min(after);
            }
            Ok(())
        });
    }
}

#[test]
fn a_lost_handshake_stops_no_clock() {
    for_all(&LAWS, |law, path| {
        let mut pair = Pair::new(law, path);
        let rto = pair.sender.deadline();
        pair.events.clear();
        prop_assert!(pair.sender.on_deadline(rto).is_err(), "the SYN is sent again");
        let opened = rto.nanos() + 2 * pair.path.delay;
        pair.at(opened, Event::SynAck);
        let mut moments = 0u64;
        while pair.step(60 * SECOND)?.is_some() {
            moments += 1;
            // Each packet is sent, arrives and is reported on; steps and timers come with them.
            prop_assert!(
                moments < 10_000 + 20 * u64::from(pair.next),
                "time stands still at {} ns",
                pair.now
            );
        }
        prop_assert!(pair.next > 0);
        Ok(())
    });
}

#[test]
fn the_laws_are_those_of_the_table() {
    let spec = |law: &str| networks::profile(law, "none").controller;
    assert!(matches!(spec("tfrc"), ControllerSpec::Tfrc(_)));
    for row in sawtooth_cc::RATE_CONTROLLERS {
        assert!(
            LAWS.iter().any(|law| law.split('(').next() == Some(row.name)),
            "give {} its cases",
            row.name
        );
    }
}
