//! A script: what happens to a connection, in words that a person can read, shorten and play again.
//!
//! Source: none. A line is an action; `#` begins a remark. Numbers of packets are what is asked for: what is not there is not sent, not
//! acknowledged and not lost, so that a script stays one when lines are taken out.
//!
//! | line                     | what happens                                                                                  |
//! |--------------------------|-----------------------------------------------------------------------------------------------|
//! | `threshold 20`           | before all others: the first slow start ends at 20 packets                                     |
//! | `send 10`                | the application has 10 packets; as many leave as the window allows                              |
//! | `ack 3 after 50 ms`      | that much later an acknowledgement of the 3 oldest packets in flight arrives                   |
//! | `lose 1`                 | the oldest packet in flight is declared lost: a loss is signalled unless recovery is under way |
//! | `mark 2`                 | the next acknowledgement says 2 packets were marked; signalled once per window of data         |
//! | `timeout`                | the retransmission timer expires: everything in flight is lost                                 |
//! | `persistent-congestion`  | that is signalled                                                                              |
//! | `undo`                   | the last signal was spurious                                                                   |
//! | `idle 2000 ms`           | nothing is in flight for so long, then the application has data                                |

use std::fmt;
use std::str::FromStr;

/// One line of a script. Times are nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The application has so many packets to send.
    Send(u32),
    /// So much later so many packets are acknowledged.
    Ack(u32, u64),
    /// So many packets are declared lost.
    Lose(u32),
    /// So many packets were marked.
    Mark(u32),
    /// The retransmission timer expires.
    Timeout,
    /// Persistent congestion is signalled.
    PersistentCongestion,
    /// The last signal was spurious.
    Undo,
    /// Nothing happens for so long.
    Idle(u64),
}

/// What happens to a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Packets at which the first slow start ends; without it congestion alone ends it.
    pub threshold: Option<u32>,
    /// What happens, in order.
    pub actions: Vec<Action>,
}

/// A line that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "line {line}: expected threshold N, send N, ack N after T, lose N, mark N, timeout, persistent-congestion, undo or idle T, with whole numbers and times such as 50 ms or 7 ns"
)]
pub struct ScriptError {
    /// Its number, from 1.
    pub line: usize,
}

const MILLISECOND: u64 = 1_000_000;

struct Duration(u64);

impl fmt::Display for Duration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            nanos if nanos.is_multiple_of(MILLISECOND) => write!(formatter, "{} ms", nanos / MILLISECOND),
            nanos => write!(formatter, "{nanos} ns"),
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Action::Send(packets) => write!(formatter, "send {packets}"),
            Action::Ack(packets, after) => write!(formatter, "ack {packets} after {}", Duration(after)),
            Action::Lose(packets) => write!(formatter, "lose {packets}"),
            Action::Mark(packets) => write!(formatter, "mark {packets}"),
            Action::Timeout => formatter.write_str("timeout"),
            Action::PersistentCongestion => formatter.write_str("persistent-congestion"),
            Action::Undo => formatter.write_str("undo"),
            Action::Idle(span) => write!(formatter, "idle {}", Duration(span)),
        }
    }
}

impl fmt::Display for Script {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(threshold) = self.threshold {
            writeln!(formatter, "threshold {threshold}")?;
        }
        self.actions.iter().try_for_each(|action| writeln!(formatter, "{action}"))
    }
}

fn duration(number: &str, unit: &str) -> Option<u64> {
    let number: u64 = number.parse().ok()?;
    match unit {
        "ns" => Some(number),
        "ms" => number.checked_mul(MILLISECOND),
        _ => None,
    }
    .filter(|&nanos| nanos <= Action::SPAN_MAX)
}

impl Action {
    /// The longest time that a line may name: a day.
    pub const SPAN_MAX: u64 = 86_400_000 * MILLISECOND;

    fn parse(words: &[&str]) -> Option<Self> {
        let number = |text: &str| text.parse().ok();
        match *words {
            ["send", packets] => number(packets).map(Action::Send),
            ["ack", packets, "after", span, unit] => {
                Some(Action::Ack(number(packets)?, duration(span, unit)?))
            }
            ["lose", packets] => number(packets).map(Action::Lose),
            ["mark", packets] => number(packets).map(Action::Mark),
            ["timeout"] => Some(Action::Timeout),
            ["persistent-congestion"] => Some(Action::PersistentCongestion),
            ["undo"] => Some(Action::Undo),
            ["idle", span, unit] => duration(span, unit).map(Action::Idle),
            _ => None,
        }
    }
}

impl FromStr for Script {
    type Err = ScriptError;

    fn from_str(text: &str) -> Result<Self, ScriptError> {
        let mut script = Script::default();
        for (index, line) in text.lines().enumerate() {
            let error = ScriptError { line: index + 1 };
            let words: Vec<&str> = line.split('#').next().unwrap_or_default().split_whitespace().collect();
            match words.as_slice() {
                [] => {}
                ["threshold", packets] if script.actions.is_empty() => {
                    let packets: Option<u32> = packets.parse().ok().filter(|&packets| packets > 0);
                    script.threshold = Some(packets.ok_or(error)?);
                }
                words => script.actions.push(Action::parse(words).ok_or(error)?),
            }
        }
        Ok(script)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_read_as_it_is_written() {
        let text = "threshold 20\nsend 10\nack 3 after 50 ms\nack 1 after 7 ns\nlose 1\nmark 2\ntimeout\n\
                    persistent-congestion\nundo\nidle 2000 ms\n";
        let script: Script = text.parse().unwrap();
        assert_eq!(script.to_string(), text);
        assert_eq!((script.threshold, script.actions.len()), (Some(20), 9));
        assert_eq!("# nothing\n\n".parse(), Ok(Script::default()));
    }

    #[test]
    fn a_line_that_is_none_is_named() {
        for bad in
            ["send", "send x", "ack 1", "ack 1 after 3 s", "idle 1", "threshold 0", "send 1\nthreshold 2"]
        {
            let line = bad.lines().count();
            assert_eq!(bad.parse::<Script>(), Err(ScriptError { line }), "{bad}");
        }
    }
}
