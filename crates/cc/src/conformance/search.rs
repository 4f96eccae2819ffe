//! Scripts to look at, and the smallest one in which a rule is still broken.
//!
//! Source: none. Scripts are drawn from streams with fixed keys: the same for every controller, every time. A script is made smaller as
//! long as anything can be left out of it, or a number replaced by a plainer one.

use super::rules::Fault;
use super::script::{Action, Script};
use crate::random::Random;

/// Scripts that are looked at.
pub const SCRIPTS: u64 = 300;
const ACTIONS: u64 = 40;
const TRIALS: u32 = 4_000;
const MILLISECOND: u64 = 1_000_000;
/// More than any window: the application always has data.
const PLENTY: u32 = 1_000;

/// The script of this number: even ones have round trips as networks have them, odd ones any.
pub fn script(number: u64) -> Script {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&number.to_le_bytes());
    let mut random = Random::from_key(key);
    let thresholds = [None, Some(2), Some(20)];
    let threshold = thresholds[random.up_to(2) as usize];
    let mut actions = Vec::new();
    while (actions.len() as u64) < ACTIONS {
        more(&mut random, number.is_multiple_of(2), &mut actions);
    }
    Script { threshold, actions }
}

fn more(random: &mut Random, calm: bool, actions: &mut Vec<Action>) {
    let few = 1 + random.up_to(11) as u32;
    let span = if calm { MILLISECOND * (20 + random.up_to(60)) } else { any_span(random) };
    match random.up_to(99) {
        0..40 => {
            let sent = if random.up_to(3) == 0 { few } else { PLENTY };
            actions.extend([Action::Send(sent), Action::Ack(PLENTY, span)]);
        }
        40..50 => actions.push(Action::Send(few)),
        50..60 => actions.push(Action::Send(PLENTY)),
        60..75 => actions.push(Action::Ack(few, span)),
        75..84 => actions.push(Action::Lose(1 + few / 4)),
        84..88 => actions.push(Action::Mark(few)),
        88..93 => actions.extend([Action::Send(few), Action::Timeout]),
        93..94 => actions.push(Action::PersistentCongestion),
        94..97 => actions.push(Action::Undo),
        _ => actions.extend([Action::Ack(PLENTY, span), Action::Idle(span.saturating_mul(20))]),
    }
}

/// From a microsecond to 100 s, each power of ten alike.
fn any_span(random: &mut Random) -> u64 {
    let decade = 10u64.pow(3 + random.up_to(7) as u32);
    decade + random.up_to(9 * decade)
}

/// The smallest script found in which this is still wrong, with what is wrong there.
pub fn smallest(script: Script, fault: Fault, judge: impl Fn(&Script) -> Option<Fault>) -> (Script, Fault) {
    let mut found = (cut(script, &fault), fault);
    let mut trials = 0;
    loop {
        let before = found.0.clone();
        let mut attempt = |candidate: Script, found: &mut (Script, Fault)| {
            trials += 1;
            match judge(&candidate).filter(|_| trials <= TRIALS) {
                Some(fault) => {
                    *found = (cut(candidate, &fault), fault);
                    true
                }
                None => false,
            }
        };
        shorten(&mut found, &mut attempt);
        simplify(&mut found, &mut attempt);
        if found.0 == before || trials > TRIALS {
            return found;
        }
    }
}

type Attempt<'a> = dyn FnMut(Script, &mut (Script, Fault)) -> bool + 'a;

/// Without what comes after the fault.
fn cut(mut script: Script, fault: &Fault) -> Script {
    script.actions.truncate(fault.after);
    script
}

/// Leave out half, a quarter, … of the actions, and single ones.
fn shorten(found: &mut (Script, Fault), attempt: &mut Attempt<'_>) {
    let mut length = found.0.actions.len() / 2;
    while length > 0 {
        let mut start = 0;
        while start < found.0.actions.len() {
            let mut candidate = found.0.clone();
            let end = (start + length).min(candidate.actions.len());
            candidate.actions.drain(start..end);
            if !attempt(candidate, found) {
                start += length;
            }
        }
        length /= 2;
    }
    let mut start = 0;
    while start < found.0.actions.len() {
        let mut candidate = found.0.clone();
        candidate.actions.remove(start);
        if !attempt(candidate, found) {
            start += 1;
        }
    }
}

/// Put plainer numbers in the place of others.
fn simplify(found: &mut (Script, Fault), attempt: &mut Attempt<'_>) {
    if found.0.threshold.is_some() {
        let candidate = Script { threshold: None, ..found.0.clone() };
        attempt(candidate, found);
    }
    let mut index = 0;
    while let Some(&action) = found.0.actions.get(index) {
        for plainer in plainer(action).into_iter().filter(|&plainer| plainer != action) {
            let mut candidate = found.0.clone();
            candidate.actions[index] = plainer;
            if attempt(candidate, found) {
                break;
            }
        }
        index += 1;
    }
}

/// What may stand in the place of an action, the plainest first.
fn plainer(action: Action) -> Vec<Action> {
    let span = 50 * MILLISECOND;
    let packets = |count: u32| [1, 10, count / 2].into_iter().filter(move |&less| 0 < less && less < count);
    match action {
        Action::Send(count) => packets(count).map(Action::Send).collect(),
        Action::Ack(count, after) if after == span => {
            packets(count).map(|less| Action::Ack(less, span)).collect()
        }
        Action::Ack(count, after) => {
            let rounded = after / MILLISECOND * MILLISECOND;
            vec![
                Action::Ack(count, span),
                Action::Ack(1, after),
                Action::Ack(count, rounded.max(MILLISECOND)),
            ]
        }
        Action::Lose(count) => packets(count).map(Action::Lose).collect(),
        Action::Mark(count) => packets(count).map(Action::Mark).collect(),
        Action::Idle(after) if after != 1_000 * MILLISECOND => vec![Action::Idle(1_000 * MILLISECOND)],
        _ => Vec::new(),
    }
}
