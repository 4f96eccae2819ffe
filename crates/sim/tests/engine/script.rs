//! A small language in which tests tell what a sender gets, and when, and what it must do.
//!
//! ```text
//! set recovery sack            # a TCP setting, or controller, recovery, packets
//! 0.000 syn                    # the flow starts
//! expect syn
//! 0.100 syn-ack
//! expect send 0-3              # new packets, in this order
//! 0.201 sack 0 2-3 echo        # first number missing, blocks (ends included) newest first, ECN echo
//! 0.203 sack 1 2-4 twice 3      # 3 has arrived once more; `of 1 again` at the end: the timestamp is that of 1, sent again
//! 0.204 acked 12-14 0-9        # where packets are numbered: ranges of packet numbers, newest first; `delay 0.025`, `ce 5`
//! expect retransmit 3 as 15    # data 3 in packet 15; `as` is left out where both numbers are the same
//! 0.202 ack 1                  # `ce 5` at the end: five marked packets so far, where the receiver counts
//! expect retransmit 1 cwr      # flags of a packet: ect, ect1, cwr
//! 0.300 supply 5               # five packets more, where `set supply later`; `last` at the end: there will be no more
//! 0.502 expect timeout         # the retransmission timer runs out at exactly this time
//! expect window 4 + 1/4        # also threshold, timer, srtt, recovery, finished, timeouts, losses, …
//! expect told marked 2         # what the controller was told: see `watched`, also for `set wants …` and `expect heard …`
//! 0.510 expect send 4          # also, where the sender is paced, what the pacer lets go at exactly this time
//! expect nothing
//! ```
//!
//! Times are seconds and never go back. A script is complete: every packet the sender sends and every
//! timeout must be expected, or the script fails. Every mistake is reported as `file:line: sentence`.
//! Scripts of rate-based senders have the inputs and expectations that `paced` tells.

mod paced;
mod watched;

use paced::PacedStage;
use sawtooth_cc::units::{Span, Time};
use sawtooth_cc::{AnyController, ControlSettings, ControllerSpec, Wants, parse_controller};
use sawtooth_sim::ack_details::{AckDetails, Details, DetailsPool, Echo, SACK_BLOCKS_MAX, SackBlock};
use sawtooth_sim::describe::TCP;
use sawtooth_sim::packet::{CWR, ECT, ECT_1, Packet, PacketKind, RETRANSMISSION};
use sawtooth_sim::rate::sender::PacedSender;
use sawtooth_sim::scenario::{FlowSpec, Profile, TcpSpec};
use sawtooth_sim::tcp::RECOVERIES;
use sawtooth_sim::tcp::recovery::AnyRecovery;
use sawtooth_sim::tcp::sender::Sender;
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use watched::{Told, Watched};

/// Play a script to its end.
///
/// # Errors
/// The first mistake, of the script or of the sender, as `file:line: sentence`.
pub fn play(file: &str, text: &str) -> Result<(), String> {
    let mut stage = Stage::default();
    for (index, line) in text.lines().enumerate() {
        let statement = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = statement.split_whitespace().collect();
        if !words.is_empty() {
            stage.line(&words).map_err(|mistake| format!("{file}:{}: {mistake}", index + 1))?;
        }
    }
    stage.nothing_is_left().map_err(|mistake| format!("{file}:{}: {mistake}", text.lines().count()))
}

/// What a statement may go wrong with.
type Checked = Result<(), String>;

/// The sender under test, and what it has sent that no line has expected yet.
#[derive(Default)]
struct Stage {
    settings: Settings,
    now: u64,
    sender: Option<Sender<Watched>>,
    told: Rc<RefCell<Told>>,
    paced: Option<PacedStage>,
    outbox: VecDeque<Packet>,
}

/// What `set` lines say, before there is a sender.
#[derive(Default)]
struct Settings {
    controller: Option<String>,
    recovery: Option<String>,
    packets: Option<u32>,
    wants: Wants,
    supply: bool,
    tcp: Map<String, Value>,
}

impl Settings {
    fn set(&mut self, key: &str, value: &str) -> Checked {
        match key {
            "controller" => self.controller = Some(value.to_owned()),
            "recovery" => self.recovery = Some(value.to_owned()),
            "packets" => self.packets = Some(number(value)?),
            "supply" => self.supply = value == "later",
            "wants" => self.wants = watched::wants(value)?,
            _ => {
                let row = TCP.iter().find(|row| row.name == key);
                if row.ok_or_else(|| format!("`{key}` is no setting"))?.kind == "span" {
                    self.tcp.insert(format!("{key}_ns"), seconds(value)?.into());
                } else {
                    let json = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
                    self.tcp.insert(key.to_owned(), json);
                }
            }
        }
        Ok(())
    }

    fn sender(&self, told: &Rc<RefCell<Told>>) -> Result<Sender<Watched>, String> {
        let recovery = self.recovery.as_deref().unwrap_or("sack");
        let row = RECOVERIES.iter().find(|row| row.name == recovery);
        let kind = row.ok_or_else(|| format!("`{recovery}` is no recovery"))?.kind;
        let profile = self.profile()?;
        let control = |settings: &ControlSettings| {
            Watched::new(AnyController::new(&profile.controller, settings), self.wants, told)
        };
        let recovery = AnyRecovery::new(kind, &profile.tcp);
        Ok(Sender::joined(0, &self.flow(), &profile, None, control, recovery))
    }

    fn paced_sender(&self) -> Result<PacedSender, String> {
        if self.recovery.is_some() || self.packets.is_some() {
            return Err("a rate-based sender has no recovery and no end".to_owned());
        }
        Ok(PacedSender::new(0, &self.flow(), &self.profile()?, None))
    }

    fn controller(&self) -> Result<ControllerSpec, String> {
        parse_controller(self.controller.as_deref().unwrap_or("aimd(1, 0.5)"))
            .map_err(|error| error.to_string())
    }

    fn profile(&self) -> Result<Profile, String> {
        let recovery = RECOVERIES.iter().find(|row| Some(row.name) == self.recovery.as_deref());
        let controller = self.controller()?;
        let tcp = TcpSpec::of(&controller, recovery.map(|row| row.kind));
        let mut tcp = serde_json::to_value(tcp).expect("plain data");
        tcp.as_object_mut().expect("a struct is an object").append(&mut self.tcp.clone());
        let tcp = serde_json::from_value(tcp).map_err(|error| format!("settings: {error}"))?;
        Ok(Profile { controller, recovery: None, packet_bytes: 1000, ack_bytes: 40, send_jitter_ns: 0, tcp })
    }

    fn flow(&self) -> FlowSpec {
        FlowSpec {
            profile: 0,
            test: false,
            in_profile: false,
            forward: Vec::new(),
            reverse: Vec::new(),
            start_ns: 0,
            stop_ns: None,
            packets: self.packets,
            supply: if self.supply { vec![[0, 1]] } else { Vec::new() },
            frame_deadline_ns: None,
        }
    }
}

impl Stage {
    fn line(&mut self, words: &[&str]) -> Checked {
        if let Some(paced) = &mut self.paced {
            return match words {
                ["set", ..] => Err("`set` stands before `syn`".to_owned()),
                _ => paced.line(words),
            };
        }
        match *words {
            ["set", key, ref value @ ..] if !value.is_empty() => {
                if self.sender.is_some() {
                    return Err("`set` stands before `syn`".to_owned());
                }
                self.settings.set(key, &value.join(" "))
            }
            ["expect", ref expected @ ..] => self.expect(expected),
            [time, "expect", "timeout"] => {
                self.clock(time, true)?;
                self.expect_timeout()
            }
            [time, "expect", ref expected @ ..] => {
                self.clock(time, true)?;
                self.let_the_pacer_go()?;
                self.expect(expected)
            }
            [time, ref input @ ..] if time.starts_with(|c: char| c.is_ascii_digit()) => {
                self.clock(time, false)?;
                self.nothing_is_left()?;
                self.input(input)
            }
            _ => Err(format!(
                "`{}`: expected `set …`, `TIME syn|syn-ack|ack|sack|stop …` or `expect …`",
                words.join(" ")
            )),
        }
    }

    /// Time goes on to here; the timer must not have run out unnoticed.
    fn clock(&mut self, text: &str, for_timeout: bool) -> Checked {
        let time = seconds(text)?;
        if time < self.now {
            return Err(format!("{text} lies before the line above"));
        }
        let deadline = self.sender.as_ref().map_or(u64::MAX, |sender| sender.deadline().nanos());
        if deadline < time || deadline == time && !for_timeout {
            let at = shown(deadline);
            return Err(format!("the timer ran out at {at}: expected a line `{at} expect timeout` before"));
        }
        self.now = time;
        Ok(())
    }

    fn sender(&mut self) -> Result<&mut Sender<Watched>, String> {
        self.sender.as_mut().ok_or_else(|| "there is no sender before `syn`".to_owned())
    }

    /// Let the sender send what it may, as the network does after each event.
    fn pump(&mut self) -> Checked {
        let now = Time::from_nanos(self.now);
        while let Some(packet) = self.sender()?.next_packet(now) {
            self.outbox.push_back(packet);
        }
        Ok(())
    }

    fn input(&mut self, words: &[&str]) -> Checked {
        let now = Time::from_nanos(self.now);
        match *words {
            ["syn"] if self.settings.controller()?.properties().own_transport => {
                self.paced = Some(PacedStage::begin(&self.settings, self.now)?);
                return Ok(());
            }
            ["syn"] => {
                let mut sender = self.settings.sender(&self.told)?;
                self.outbox.push_back(sender.syn(now));
                self.sender = Some(sender);
                return Ok(());
            }
            ["stop"] => {
                self.sender()?.stop();
                return Ok(());
            }
            ["supply", packets] => self.sender()?.supply(number(packets)?, true, now),
            ["supply", packets, "last"] => self.sender()?.supply(number(packets)?, false, now),
            ["syn-ack"] => self.sender()?.on_syn_ack(now),
            ["ack" | "sack", cumulative, ref rest @ ..] => self.acknowledge(cumulative, rest)?,
            ["acked", ref rest @ ..] => self.acknowledge_numbers(rest)?,
            _ => return Err(format!("`{}`: no such input", words.join(" "))),
        }
        self.pump()
    }

    fn acknowledge(&mut self, cumulative: &str, rest: &[&str]) -> Checked {
        let now = Time::from_nanos(self.now);
        let cumulative: u32 = number(cumulative)?;
        let (mut details, mut echo) = (AckDetails::default(), false);
        let (mut duplicate, mut of, mut blocks) = (None, None, 0);
        let mut words = rest.iter();
        let missing = || "a number is missing".to_owned();
        while let Some(word) = words.next() {
            match *word {
                "echo" => echo = true,
                "ce" => details.ce_packets = number(words.next().ok_or_else(missing)?)?,
                "twice" => duplicate = Some(number(words.next().ok_or_else(missing)?)?),
                "of" => of = Some(Echo { number: number(words.next().ok_or_else(missing)?)?, again: false }),
                "again" => of = of.map(|echo| Echo { again: true, ..echo }),
                block => {
                    let (first, last) = range(block)?;
                    details.push_block(SackBlock { start: first, end: last + 1 });
                    blocks += 1;
                }
            }
        }
        if blocks > SACK_BLOCKS_MAX {
            return Err(format!("{blocks} blocks: an acknowledgement carries {SACK_BLOCKS_MAX}"));
        }
        let sender = self.sender()?;
        let sent = sender.sent();
        let ends = details.blocks().iter().map(|block| block.end);
        let top = ends.chain([cumulative]).max().unwrap_or_default();
        if cumulative < sent.una || top > sent.high {
            let (una, high) = (sent.una, sent.high);
            return Err(format!("{una} is acknowledged and {high} not sent yet: no receiver says this"));
        }
        details = duplicate.map_or(details, |number| details.with_duplicate(number));
        details = of.map_or(details, |echo| details.with_echo(echo, cumulative));
        let details = (details != AckDetails::default()).then_some(&details);
        sender.on_ack(cumulative, details.map(Details::from), echo, now);
        Ok(())
    }

    fn acknowledge_numbers(&mut self, words: &[&str]) -> Checked {
        let now = Time::from_nanos(self.now);
        let (mut ranges, mut delay, mut ce_packets) = (Vec::new(), Span::ZERO, 0);
        let mut words = words.iter();
        let missing = || "a number is missing".to_owned();
        while let Some(word) = words.next() {
            match *word {
                "delay" => delay = Span::from_nanos(seconds(words.next().ok_or_else(missing)?)?),
                "ce" => ce_packets = number(words.next().ok_or_else(missing)?)?,
                numbers => {
                    let (first, last) = range(numbers)?;
                    ranges.push(SackBlock { start: first, end: last + 1 });
                }
            }
        }
        let sender = self.sender()?;
        let next = sender.stats.sent;
        if ranges.iter().any(|range| u64::from(range.end) > next) {
            return Err(format!("{next} packets have been sent: no receiver says this"));
        }
        if !ranges.is_sorted_by(|newer, older| older.end < newer.start) {
            return Err("ranges go downward and do not touch".to_owned());
        }
        let mut pool = DetailsPool::default();
        let handle = pool.keep_ranges(AckDetails::of_numbers(&ranges, delay, ce_packets), &ranges);
        sender.on_ack(0, pool.get(handle), false, now);
        Ok(())
    }

    /// Has each transmission a number of its own?
    fn is_numbered(&self) -> bool {
        self.settings.recovery.as_deref() == Some("quic")
    }

    /// Where the sender waits for its pacer until now, it sends.
    fn let_the_pacer_go(&mut self) -> Checked {
        let (now, at) = (Time::from_nanos(self.now), shown(self.now));
        let sender = self.sender()?;
        if sender.deadline() == now {
            let timeouts = sender.stats.timeouts;
            if sender.on_deadline(now).is_err() || sender.stats.timeouts > timeouts {
                return Err(format!("the timer ran out at {at}: expected a line `{at} expect timeout`"));
            }
            self.pump()?;
        }
        Ok(())
    }

    fn expect_timeout(&mut self) -> Checked {
        let now = self.now;
        self.nothing_is_left()?;
        let sender = self.sender()?;
        let deadline = sender.deadline().nanos();
        if deadline != now {
            let state =
                if deadline == u64::MAX { "is off".into() } else { format!("says {}", shown(deadline)) };
            return Err(format!("expected a timeout at {}, but the timer {state}", shown(now)));
        }
        let timeouts = sender.stats.timeouts;
        match sender.on_deadline(Time::from_nanos(now)) {
            Err(syn) => {
                self.outbox.push_back(syn);
                Ok(())
            }
            Ok(_) if sender.stats.timeouts == timeouts => Err("another timer has run out".to_owned()),
            Ok(_) => self.pump(),
        }
    }

    fn expect(&mut self, words: &[&str]) -> Checked {
        match *words {
            ["nothing"] => return self.nothing_is_left(),
            ["told", ref pairs @ ..] => return self.told.borrow().expect(pairs),
            ["heard", ref calls @ ..] => return self.told.borrow_mut().expect_heard(calls),
            ["syn"] => return self.expect_packet((PacketKind::Syn, 0, false, 0), 0),
            [what @ ("send" | "retransmit"), numbers, ref rest @ ..] => {
                let (first, last) = range(numbers)?;
                let (own, flags) = match *rest {
                    ["as", own, ref flags @ ..] => (range(own)?.0, flags),
                    ref flags => (first, flags),
                };
                let flags = flag_bits(flags)?;
                let data = |number| (PacketKind::Data, number, what == "retransmit", flags);
                return (first..=last)
                    .try_for_each(|number| self.expect_packet(data(number), own + number - first));
            }
            _ => {}
        }
        let sender = self.sender()?;
        match *words {
            ["window", ref sum @ ..] => close("window", sender.window().packets(), value(sum)?),
            ["threshold", "none"] => {
                same("threshold", sender.slow_start_threshold().packets(), f64::INFINITY)
            }
            ["threshold", ref sum @ ..] => {
                close("threshold", sender.slow_start_threshold().packets(), value(sum)?)
            }
            ["timer", "off"] => same("timer", shown(sender.deadline().nanos()), shown(u64::MAX)),
            ["timer", at] => same("timer", shown(sender.deadline().nanos()), shown(seconds(at)?)),
            ["srtt", span] => same("srtt", shown(sender.srtt_nanos()), shown(seconds(span)?)),
            ["recovery", "on"] => same("recovery", sender.in_recovery(), true),
            ["recovery", "off"] => same("recovery", sender.in_recovery(), false),
            ["finished"] => same("finished", sender.finished.is_some(), true),
            ["unfinished"] => same("finished", sender.finished.is_some(), false),
            ["timeouts", count] => same("timeouts", sender.stats.timeouts, number(count)?),
            ["losses", count] => same("loss events", sender.stats.loss_events, number(count)?),
            ["reductions", count] => same("ECN reductions", sender.stats.ecn_reductions, number(count)?),
            ["undos", count] => same("undos", sender.undos(), number(count)?),
            ["retransmits", count] => same("retransmits", sender.stats.retransmits, number(count)?),
            _ => Err(format!("`expect {}`: no such expectation", words.join(" "))),
        }
    }

    fn expect_packet(&mut self, what: (PacketKind, u32, bool, u16), own: u32) -> Checked {
        let (kind, number, again, flags) = what;
        let numbered = self.is_numbered();
        let own = if numbered { own } else { number };
        let wanted = format!("{}{}", describe(kind, number, again, flags), own_number(number, own));
        let Some(packet) = self.outbox.pop_front() else {
            return Err(format!("expected {wanted}, but the sender sends nothing"));
        };
        let own = if numbered { packet.packet_number() } else { packet.number() };
        same("packet", format!("{}{}", packet_text(packet), own_number(packet.number(), own)), wanted)
    }

    fn nothing_is_left(&self) -> Checked {
        self.paced.as_ref().map_or_else(|| nothing_sent(&self.outbox), PacedStage::nothing_is_left)
    }
}

fn nothing_sent(outbox: &VecDeque<Packet>) -> Checked {
    match outbox.front() {
        None => Ok(()),
        Some(packet) => Err(format!("the sender sends {}, which no line expects", packet_text(*packet))),
    }
}

fn own_number(number: u32, own: u32) -> String {
    if number == own { String::new() } else { format!(" as {own}") }
}

fn packet_text(packet: Packet) -> String {
    describe(packet.kind(), packet.number(), packet.has(RETRANSMISSION), packet.flags() & (ECT | ECT_1 | CWR))
}

fn describe(kind: PacketKind, number: u32, again: bool, flags: u16) -> String {
    let what = match (kind, again) {
        (PacketKind::Syn, _) => return "syn".to_owned(),
        (_, false) => "send",
        (_, true) => "retransmit",
    };
    let ect = match flags & (ECT | ECT_1) {
        0 => "",
        ECT => " ect",
        _ => " ect1",
    };
    let cwr = if flags & CWR == 0 { "" } else { " cwr" };
    format!("{what} {number}{ect}{cwr}")
}

fn flag_bits(words: &[&str]) -> Result<u16, String> {
    words.iter().try_fold(0, |bits, word| match *word {
        "ect" => Ok(bits | ECT),
        "ect1" => Ok(bits | ECT | ECT_1),
        "cwr" => Ok(bits | CWR),
        _ => Err(format!("`{word}`: expected ect, ect1 or cwr")),
    })
}

fn same<T: PartialEq + std::fmt::Display>(what: &str, found: T, expected: T) -> Checked {
    if found == expected { Ok(()) } else { Err(format!("expected {what} {expected}, found {found}")) }
}

/// Equal up to the rounding of a few operations.
fn close(what: &str, found: f64, expected: f64) -> Checked {
    if (found - expected).abs() < 1e-9 { Ok(()) } else { same(what, found, expected) }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}`: expected a whole number"))
}

/// `3` or `3-7`, both ends included.
fn range(text: &str) -> Result<(u32, u32), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (number(first)?, number(last)?);
    if first <= last { Ok((first, last)) } else { Err(format!("`{text}`: a range goes upward")) }
}

/// A sum of numbers and fractions: `4 + 1/4`.
fn value(words: &[&str]) -> Result<f64, String> {
    let text = words.join(" ");
    let wrong = || format!("`{text}`: expected a sum such as 4 + 1/4");
    text.split('+')
        .map(|term| {
            let (above, below) = term.split_once('/').unwrap_or((term, "1"));
            let above: f64 = above.trim().parse().map_err(|_| wrong())?;
            let below: f64 = below.trim().parse().map_err(|_| wrong())?;
            Ok(above / below)
        })
        .sum()
}

/// Seconds with up to nine decimals, to nanoseconds, exactly.
fn seconds(text: &str) -> Result<u64, String> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    if whole.is_empty() || decimals.len() > 9 || !digits(whole) || !digits(decimals) {
        return Err(format!("`{text}`: expected seconds, with up to nine decimals"));
    }
    let nanos: u64 = format!("{decimals:0<9}").parse().expect("nine digits");
    Ok(number::<u64>(whole)? * 1_000_000_000 + nanos)
}

fn shown(nanos: u64) -> String {
    if nanos == u64::MAX {
        return "off".to_owned();
    }
    let text = format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000);
    let short = text.trim_end_matches('0');
    // Three decimals at least, as scripts write times.
    text[..short.len().max(text.len() - 6)].to_owned()
}
