//! The rules, each a look at one script: what is wrong with the controller there, and after which line.

use super::connection::{Answered, Connection};
use super::script::{Action, Script};
use crate::ControllerSpec;
use crate::plugin::PluginFault;
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What is wrong, and after which line of the script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Actions that had happened.
    pub after: usize,
    /// What is wrong.
    pub said: String,
}

/// The smallest window that a law may have whatever is lost: BBR's `MinPipeCwnd`, above LEDBAT's and QUIC's two packets.
const LEAST: f64 = 4.0;
/// Fraction by which a window may grow without growing: what rounding leaves.
const ROUNDING: f64 = 1e-9;

/// What a panic said, if it is this rule's to report.
type Reported = fn(&(dyn Any + Send)) -> Option<String>;

/// Do this with a counter of the actions that have happened; a panic is a fault if `reported` says so.
fn guarded(reported: Reported, look: impl FnOnce(&Cell<usize>) -> Option<Fault>) -> Option<Fault> {
    let after = Cell::new(0);
    match catch_unwind(AssertUnwindSafe(|| look(&after))) {
        Ok(found) => found,
        Err(panic) => reported(panic.as_ref()).map(|said| Fault { after: after.get(), said }),
    }
}

fn every_panic(panic: &(dyn Any + Send)) -> Option<String> {
    let text = panic.downcast_ref::<PluginFault>().map(ToString::to_string);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned())).or(Some("a panic".to_owned()))
}

fn of_clones(panic: &(dyn Any + Send)) -> Option<String> {
    let fault = panic.downcast_ref::<PluginFault>().filter(|fault| fault.call == "clone")?;
    Some(fault.to_string())
}

fn no_panic(_: &(dyn Any + Send)) -> Option<String> {
    None // `bounds` reports it
}

/// Go through a script; `see` gets each action with the connection before and after it.
fn walk(
    spec: &ControllerSpec,
    script: &Script,
    reported: Reported,
    mut see: impl FnMut(Action, &Before, &Connection) -> Option<String>,
) -> Option<Fault> {
    guarded(reported, |after| {
        let mut connection = Connection::open(spec, script);
        for (index, &action) in script.actions.iter().enumerate() {
            let before = Before::of(&connection);
            after.set(index + 1);
            connection.act(action);
            if let Some(said) = see(action, &before, &connection) {
                return Some(Fault { after: index + 1, said });
            }
        }
        None
    })
}

/// What rules compare with.
struct Before {
    window: f64,
    allowed: f64,
    limited: bool,
    losses: u64,
    waits: bool,
    oldest: u64,
}

impl Before {
    fn of(connection: &Connection) -> Self {
        Before {
            window: connection.answers().window,
            allowed: connection.allowed(),
            limited: connection.limited(),
            losses: connection.losses_signalled(),
            waits: connection.waits(),
            oldest: connection.oldest(),
        }
    }
}

pub fn bounds(spec: &ControllerSpec, script: &Script) -> Option<Fault> {
    walk(spec, script, every_panic, |_, _, connection| {
        let Answered { window, threshold, rate, .. } = connection.answers();
        if !(window.is_finite() && window >= 1.0) {
            return Some(format!("window = {window}: expected a finite number of packets, at least 1"));
        }
        if threshold.is_nan() || threshold < 0.0 {
            return Some(format!("slow_start_threshold = {threshold}: expected 0 packets or more"));
        }
        (rate == Some(0)).then(|| "pacing_rate = 0: expected a rate above 0, or none".to_owned())
    })
}

/// A loss whose round trip is not over.
struct Watched {
    before: f64,
    least: f64,
    until: u64,
}

pub fn loss_reaction(spec: &ControllerSpec, script: &Script) -> Option<Fault> {
    let mut watched: Option<Watched> = None;
    walk(spec, script, no_panic, |action, before, connection| {
        let now = connection.allowed();
        if let Action::Lose(_) = action
            && connection.losses_signalled() > before.losses
        {
            watched = Some(Watched { before: before.allowed, least: now, until: connection.sent() });
        } else if matches!(action, Action::Lose(_) | Action::Ack(..) | Action::Send(_)) {
            if let Some(loss) = &mut watched {
                loss.least = loss.least.min(now);
            }
        } else {
            watched = None; // another signal: what follows is not the answer to this one alone
        }
        let over = watched.take_if(|loss| connection.oldest() >= loss.until)?;
        let Watched { before, least, .. } = over;
        (before > LEAST && least >= before).then(|| {
            format!(
                "{least} packets may be in flight in the round trip after the loss; {before} might before it"
            )
        })
    })
}

pub fn app_limited(spec: &ControllerSpec, script: &Script) -> Option<Fault> {
    walk(spec, script, no_panic, |action, before, connection| {
        let acknowledged = matches!(action, Action::Ack(..)) && connection.oldest() > before.oldest;
        let (was, is) = (before.window, connection.answers().window);
        (acknowledged && !before.limited && is > was * (1.0 + ROUNDING)).then(|| {
            format!("the window grows from {was} to {is} packets, though the application had less to send")
        })
    })
}

pub fn no_feedback(spec: &ControllerSpec, script: &Script) -> Option<Fault> {
    walk(spec, script, no_panic, |action, before, connection| {
        let window = connection.answers().window;
        (action == Action::Timeout && before.waits && window >= 2.0)
            .then(|| format!("{window} packets may be sent after a timeout: expected one"))
    })
}

/// What a connection answers after each of these actions.
fn answers(connection: &mut Connection, actions: &[Action], after: &Cell<usize>) -> Vec<Answered> {
    let each = actions.iter().map(|&action| {
        after.set(after.get() + 1);
        connection.act(action);
        connection.answers()
    });
    each.collect()
}

/// The first place where two connections answered something else.
fn parted(one: &[Answered], other: &[Answered], begun: usize, who: [&str; 2]) -> Option<Fault> {
    let index = one.iter().zip(other).position(|(one, other)| !same(one, other))?;
    let said = format!("{} answers {}; {} answers {}", who[0], one[index], who[1], other[index]);
    Some(Fault { after: begun + index + 1, said })
}

/// Equal to the last bit, where a number that is none equals itself.
fn same(one: &Answered, other: &Answered) -> bool {
    let bits = |answered: &Answered| {
        let Answered { window, threshold, rate, quantum, holds_back } = *answered;
        (window.to_bits(), threshold.to_bits(), rate, quantum, holds_back)
    };
    bits(one) == bits(other)
}

pub fn clone(spec: &ControllerSpec, script: &Script) -> Option<Fault> {
    guarded(of_clones, |after| {
        let half = script.actions.len() / 2;
        let (first, rest) = script.actions.split_at(half);
        let mut original = Connection::open(spec, script);
        answers(&mut original, first, after);
        let mut copy = original.clone();
        let copied = answers(&mut copy, rest, after);
        after.set(half);
        let own = answers(&mut original, rest, after);
        let who = ["a clone made half-way", "the original"];
        parted(&copied, &own, half, who)
    })
}

pub fn deterministic(spec: &ControllerSpec, script: &Script) -> Option<Fault> {
    guarded(no_panic, |after| {
        let first = answers(&mut Connection::open(spec, script), &script.actions, after);
        after.set(0);
        // Another connection lives meanwhile and hears other things.
        let mut other = Connection::open(spec, script);
        let mut again = Connection::open(spec, script);
        let mut second = Vec::with_capacity(first.len());
        for &action in &script.actions {
            other.act(Action::Send(3));
            other.act(Action::Ack(2, 1_000_000));
            second.extend(answers(&mut again, &[action], after));
        }
        parted(&first, &second, 0, ["the first of two equal connections", "the second, beside another one"])
    })
}
