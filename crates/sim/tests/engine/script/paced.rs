//! The same small language for senders of rate-based flows, which let packets go by the clock.
//!
//! ```text
//! set controller tfrc(8, 0.3, 0)
//! 0.000 syn
//! expect syn
//! 0.100 syn-ack
//! expect send 0
//! 0.200 expect send 1                     # the clock says so at this time, to a microsecond
//! 0.250 report 0 waited 0.050 p 0 rate 10 # TFRC: newest packet, how long ago it came, loss event rate, packets/s received
//! 0.300 arrived 5 run 3 hole 2 mark       # RAP: packet that came, first of its run, first of the hole before, marked
//! expect rate 20                          # packets per second; also window, srtt, losses, reductions, timeouts
//! 0.900 expect timeout                    # silence or an overdue packet cuts the rate
//! 1.000 expect step                       # RAP: a step ends and nothing is sent
//! ```
//!
//! `report` takes `losses N` and `marks N` as well: loss events so far, and those of them that began with a mark.

use super::{Checked, Settings, close, describe, flag_bits, nothing_sent, number, packet_text, range, same};
use super::{seconds, shown, value};
use sawtooth_cc::units::{Span, Time};
use sawtooth_sim::packet::{Packet, PacketKind};
use sawtooth_sim::rate::sender::PacedSender;
use sawtooth_sim::rate::{Arrived, Feedback, Report};
use std::collections::VecDeque;

/// Times of the clock are stated to a microsecond, since rates are real numbers.
const CLOSE_NS: u64 = 1_000;

/// The sender under test, and what it has sent that no line has expected yet.
pub struct PacedStage {
    now: u64,
    sender: PacedSender,
    outbox: VecDeque<Packet>,
}

impl PacedStage {
    /// A sender whose SYN leaves now.
    pub fn begin(settings: &Settings, now: u64) -> Result<Self, String> {
        let mut sender = settings.paced_sender()?;
        let syn = sender.syn(Time::from_nanos(now));
        Ok(PacedStage { now, sender, outbox: VecDeque::from([syn]) })
    }

    /// A statement after `syn`.
    pub fn line(&mut self, words: &[&str]) -> Checked {
        match *words {
            ["expect", ref expected @ ..] => self.expect(expected),
            [time, "expect", "timeout"] => self.expect_timeout(time),
            [time, "expect", "step"] => self.expect_step(time),
            [time, "expect", "send", ref packet @ ..] => {
                self.reach(time)?;
                self.sender.on_deadline(self.time()).map_err(|_| "the SYN is sent again")?;
                self.pump();
                self.expect_sent(packet)
            }
            [time, ref input @ ..] if time.starts_with(|c: char| c.is_ascii_digit()) => {
                self.clock(seconds(time)?)?;
                self.nothing_is_left()?;
                self.input(input)
            }
            _ => Err(format!(
                "`{}`: expected `TIME syn-ack|report|arrived|stop …` or `expect …`",
                words.join(" ")
            )),
        }
    }

    fn time(&self) -> Time {
        Time::from_nanos(self.now)
    }

    /// Time goes on to here; nothing may have been due before.
    fn clock(&mut self, time: u64) -> Checked {
        let due = self.sender.deadline().nanos();
        if time < self.now {
            return Err(format!("{} lies before the line above", shown(time)));
        }
        if due <= time {
            return Err(format!("something is due at {}: expected a line before", shown(due)));
        }
        self.now = time;
        Ok(())
    }

    /// Time goes on to what is due next, which must be here.
    fn reach(&mut self, text: &str) -> Checked {
        self.nothing_is_left()?;
        let (time, due) = (seconds(text)?, self.sender.deadline().nanos());
        if due.abs_diff(time) > CLOSE_NS {
            return Err(format!("expected something due at {text}, but the clock says {}", shown(due)));
        }
        self.now = due;
        Ok(())
    }

    fn pump(&mut self) {
        while let Some(packet) = self.sender.next_packet(self.time()) {
            self.outbox.push_back(packet);
        }
    }

    fn input(&mut self, words: &[&str]) -> Checked {
        let now = self.time();
        match *words {
            ["stop"] => self.sender.stop(),
            ["syn-ack"] => self.sender.on_syn_ack(now),
            ["report", newest, ref rest @ ..] => {
                let mut feedback = Feedback { newest: number(newest)?, ..Feedback::default() };
                for pair in rest.chunks(2) {
                    match *pair {
                        ["waited", time] => feedback.waited = Span::from_nanos(seconds(time)?),
                        ["p", p] => feedback.loss_event_rate = value(&[p])?,
                        ["rate", rate] => feedback.receive_rate = value(&[rate])?,
                        ["losses", count] => feedback.loss_events = number(count)?,
                        ["marks", count] => feedback.mark_events = number(count)?,
                        _ => {
                            return Err(format!(
                                "`{}`: expected waited, p, rate, losses or marks",
                                pair.join(" ")
                            ));
                        }
                    }
                }
                self.sender.on_report(Report::Tfrc(feedback), now);
            }
            ["arrived", packet, ref rest @ ..] => {
                let packet: u32 = number(packet)?;
                let marked = rest.last() == Some(&"mark");
                let mut ack = Arrived { number: packet, marked, ..Arrived::default() };
                for pair in rest[..rest.len() - usize::from(marked)].chunks(2) {
                    match *pair {
                        ["run", first] => ack.run = number(first)?,
                        ["hole", first] => ack.hole = number(first)?,
                        _ => return Err(format!("`{}`: expected run or hole", pair.join(" "))),
                    }
                }
                self.sender.on_report(Report::Rap(ack), now);
            }
            _ => return Err(format!("`{}`: no such input", words.join(" "))),
        }
        self.pump();
        Ok(())
    }

    fn expect_timeout(&mut self, time: &str) -> Checked {
        self.reach(time)?;
        match self.sender.on_deadline(self.time()) {
            Err(syn) => self.outbox.push_back(syn),
            Ok(Some(_)) => self.pump(),
            Ok(None) => return Err(format!("expected a timeout at {time}, but nothing is overdue")),
        }
        Ok(())
    }

    fn expect_step(&mut self, time: &str) -> Checked {
        self.reach(time)?;
        match self.sender.on_deadline(self.time()) {
            Ok(None) => self.pump(),
            _ => return Err(format!("expected the end of a step at {time}, but there is a timeout")),
        }
        Ok(())
    }

    fn expect(&mut self, words: &[&str]) -> Checked {
        let sender = &self.sender;
        let rtt = sender.srtt_nanos() as f64 / 1e9;
        match *words {
            ["nothing"] => self.nothing_is_left(),
            ["syn"] => self.expect_packet(PacketKind::Syn, 0, 0),
            ["send", ref packet @ ..] => self.expect_sent(packet),
            ["rate", ref sum @ ..] => near("rate", sender.window().packets() / rtt, value(sum)?),
            ["window", ref sum @ ..] => near("window", sender.window().packets(), value(sum)?),
            ["threshold", "none"] => {
                same("threshold", sender.slow_start_threshold().packets(), f64::INFINITY)
            }
            ["threshold", ref sum @ ..] => {
                close("threshold", sender.slow_start_threshold().packets(), value(sum)?)
            }
            ["timer", "off"] => same("timer", shown(sender.deadline().nanos()), shown(u64::MAX)),
            ["srtt", span] => near("srtt", rtt, seconds(span)? as f64 / 1e9),
            ["timeouts", count] => same("timeouts", sender.stats.timeouts, number(count)?),
            ["losses", count] => same("loss events", sender.stats.loss_events, number(count)?),
            ["reductions", count] => same("ECN reductions", sender.stats.ecn_reductions, number(count)?),
            _ => Err(format!("`expect {}`: no such expectation", words.join(" "))),
        }
    }

    fn expect_sent(&mut self, words: &[&str]) -> Checked {
        let [numbers, flags @ ..] = words else { return Err("`send`: expected a packet".to_owned()) };
        let (first, last) = range(numbers)?;
        let flags = flag_bits(flags)?;
        (first..=last).try_for_each(|number| self.expect_packet(PacketKind::Data, number, flags))
    }

    fn expect_packet(&mut self, kind: PacketKind, number: u32, flags: u16) -> Checked {
        let wanted = describe(kind, number, false, flags);
        match self.outbox.pop_front() {
            None => Err(format!("expected {wanted}, but the sender sends nothing")),
            Some(packet) => same("packet", packet_text(packet), wanted),
        }
    }

    /// No packet is left that no line has expected.
    pub fn nothing_is_left(&self) -> Checked {
        nothing_sent(&self.outbox)
    }
}

/// Equal up to the nanosecond to which times are kept.
fn near(what: &str, found: f64, expected: f64) -> Checked {
    if (found / expected - 1.0).abs() < 1e-6 { Ok(()) } else { same(what, found, expected) }
}
