//! A controller that does what another does and remembers what it was told, so that a script can look at it.
//!
//! ```text
//! set wants packets rates rounds recovery      # what the controller says it wants to hear; left out: nothing
//! expect told marked 2 rtt 0.100 rate 800000   # of the last sample, pair by pair; times in seconds, volumes in packets
//! expect heard lost 2 3                        # other calls since the last such line, in order: `sent`, `lost` (packets called lost so
//!                                              # far), `loss`, `timeout`, `mark`, `entered`, `left`, `undo KIND`, `idle SINCE`
//! ```

use super::{Checked, number, same, seconds, shown};
use sawtooth_cc::units::{Bytes, Rate, Span, Time, Window};
use sawtooth_cc::{
    AckSample, AnyController, Congestion, CongestionSignal, Controller, DeliveryRate, IdleSignal, LostPacket,
    Recovery, RecoverySignal, SentPacket, UndoSignal, Wants,
};
use std::cell::RefCell;
use std::rc::Rc;

/// Packets of scripts have this size.
const PACKET: u64 = 1_000;

/// What a controller was told.
#[derive(Debug, Default)]
pub struct Told {
    sample: Option<AckSample>,
    heard: Vec<String>,
}

/// The controller; copies share what they were told.
#[derive(Debug)]
pub struct Watched {
    inner: AnyController,
    wants: Wants,
    told: Rc<RefCell<Told>>,
}

impl Watched {
    /// Watch this one, in the same notebook as others.
    pub fn new(inner: AnyController, wants: Wants, told: &Rc<RefCell<Told>>) -> Self {
        Watched { inner, wants, told: Rc::clone(told) }
    }

    fn hear(&self, what: impl Into<String>) {
        self.told.borrow_mut().heard.push(what.into());
    }
}

/// `set wants …`.
pub fn wants(text: &str) -> Result<Wants, String> {
    text.split_whitespace().try_fold(Wants::NOTHING, |wants, word| {
        Ok(match word {
            "packets" => Wants { packets: true, ..wants },
            "rates" => Wants { rates: true, ..wants },
            "rounds" => Wants { rounds: true, ..wants },
            "recovery" => Wants { recovery: true, ..wants },
            _ => return Err(format!("`{word}`: expected packets, rates, rounds or recovery")),
        })
    })
}

fn word(kind: Congestion) -> &'static str {
    match kind {
        Congestion::Loss | Congestion::LossRestart { .. } => "loss",
        Congestion::EcnMark => "mark",
        Congestion::Timeout { .. } => "timeout",
        Congestion::PersistentCongestion => "persistent",
    }
}

impl Controller for Watched {
    fn wants(&self) -> Wants {
        self.inner.wants().or(self.wants)
    }

    fn on_established(&mut self, now: Time, rtt: Option<Span>) {
        self.inner.on_established(now, rtt);
    }

    fn on_sent(&mut self, packet: &SentPacket) {
        if packet.times_sent > 1 {
            self.hear("again");
        }
        self.inner.on_sent(packet);
    }

    fn on_ack(&mut self, ack: &AckSample) {
        self.told.borrow_mut().sample = Some(*ack);
        self.inner.on_ack(ack);
    }

    fn on_lost(&mut self, packet: &LostPacket) {
        self.hear(format!("lost {}", packet.lost.count() / PACKET));
        self.inner.on_lost(packet);
    }

    fn on_congestion(&mut self, signal: &CongestionSignal) {
        self.hear(word(signal.kind));
        self.inner.on_congestion(signal);
    }

    fn on_undo(&mut self, signal: &UndoSignal) {
        self.hear(format!("undo {}", word(signal.kind)));
        self.inner.on_undo(signal);
    }

    fn on_idle(&mut self, signal: &IdleSignal) {
        self.hear(format!("idle {}", shown(signal.since.nanos())));
        self.inner.on_idle(signal);
    }

    fn on_recovery(&mut self, signal: &RecoverySignal) {
        self.hear(match signal.change {
            Recovery::Entered => "entered",
            Recovery::Left => "left",
        });
        self.inner.on_recovery(signal);
    }

    fn window(&self) -> Window {
        self.inner.window()
    }

    fn slow_start_threshold(&self) -> Window {
        self.inner.slow_start_threshold()
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.inner.pacing_rate()
    }
}

fn time(span: Option<Span>) -> String {
    span.map_or_else(|| "none".to_owned(), |span| shown(span.nanos()))
}

impl Told {
    /// `expect heard …`: the calls since the last such line.
    pub fn expect_heard(&mut self, words: &[&str]) -> Checked {
        let heard = std::mem::take(&mut self.heard).join(" ");
        same("calls", heard, words.join(" "))
    }

    /// `expect told …`: the last sample, pair by pair.
    pub fn expect(&self, words: &[&str]) -> Checked {
        let sample = self.sample.ok_or("the controller has had no sample")?;
        let volume =
            |what: &str, found: Bytes, count: &str| same(what, found.count(), number::<u64>(count)? * PACKET);
        let rate = sample.rate.ok_or("the sample has no rate");
        let of_rate = |value: fn(&DeliveryRate) -> Bytes| rate.as_ref().map(value).map_err(|&wrong| wrong);
        let yes = |found: bool| if found { "yes" } else { "no" };
        for pair in words.chunks(2) {
            let &[what, expected] = pair else {
                return Err(format!("`told {}`: a value is missing", pair[0]));
            };
            match what {
                "marked" => same(what, sample.ce_marked, number(expected)?)?,
                "acked" => same(what, sample.newly_acked, number(expected)?)?,
                "delivered" => volume(what, sample.delivered, expected)?,
                "newly-delivered" => volume(what, sample.newly_delivered, expected)?,
                "newly-lost" => volume(what, sample.newly_lost, expected)?,
                "in-flight-before" => volume(what, sample.in_flight_before, expected)?,
                "in-flight" => volume(what, sample.in_flight_after, expected)?,
                "round" => same(what, yes(sample.round_ended), expected)?,
                "recovery" => same(what, yes(sample.in_recovery), expected)?,
                "limited" => same(what, yes(sample.cwnd_limited), expected)?,
                "rtt" | "newest" | "minimum" => {
                    let found = match what {
                        "rtt" => sample.rtt.latest,
                        "newest" => sample.rtt.newest,
                        _ => sample.rtt.minimum,
                    };
                    let expected =
                        if expected == "none" { expected.to_owned() } else { shown(seconds(expected)?) };
                    same(what, time(found), expected)?;
                }
                "rate" if expected == "none" => {
                    let found = sample.rate.and_then(|rate| rate.rate());
                    same(what, yes(found.is_some()), "no")?;
                }
                "rate" => {
                    let found = rate?.rate().ok_or("the rate is over no time")?;
                    same(what, found.bits_per_second(), number(expected)?)?;
                }
                "rate-volume" => volume(what, of_rate(|rate| rate.delivered)?, expected)?,
                "rate-lost" => volume(what, of_rate(|rate| rate.lost)?, expected)?,
                "interval" => same(what, time(Some(rate?.interval)), shown(seconds(expected)?))?,
                "app-limited" => same(what, yes(rate?.app_limited), expected)?,
                _ => return Err(format!("`told {what}`: no such expectation")),
            }
        }
        Ok(())
    }
}
