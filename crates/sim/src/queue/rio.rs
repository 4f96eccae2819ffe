//! RIO, RED with in and out: in-profile packets are neither dropped nor marked, out-profile packets see RED or
//! drop-tail on the whole queue.
//!
//! Source: [ClarkFang98] §III, in the use of [Akella02] §3.3: the in-profile traffic keeps to its profile, so that the
//! thresholds for it are out of reach.
//!
//! | parameter       | unit   | default | why                                                                           |
//! |-----------------|--------|---------|-------------------------------------------------------------------------------|
//! | rule            | choice | red     | [ClarkFang98] §III; drop-tail is the drop-tail setting of [Akella02]          |
//! | average_updates | choice | all     | the average is that of the queue; `in-profile` is what ns-2 has done since 2001 |
//!
//! and those of RED ([`super::red`]), which hold for out-profile packets; with `rule = "drop-tail"` only the limit does.
//! The limit bounds what an out-profile packet may find waiting, the packet in transmission not counted; in-profile
//! packets are accepted beyond it.
//!
//! Differs from the paper: there is no second RED for in-profile packets, which are always accepted. Differs from ns-2, where
//! an out-profile packet that finds no room may push out another one, where in-profile packets have thresholds and
//! a limit, and where a forced drop leaves the count of the out-profile packets alone.

use super::limit::Limit;
use super::red::{self, Detector};
use super::{Admission, DisciplineParameter, DropReason, QueueContext, QueueDiscipline};
use crate::packet::{IN_PROFILE, Packet};
use crate::random::Stream;
use crate::scenario::{AverageUpdates, OutProfileRule, RioSpec};
use sawtooth_cc::units::Rate;

const fn choice(
    name: &'static str,
    choices: &'static [&'static str],
    why: &'static str,
) -> DisciplineParameter {
    DisciplineParameter { name, kind: "choice", choices, unit: "", accepted: "one of the choices", why }
}

const OWN: [DisciplineParameter; 2] = [
    choice(
        "rule",
        &["red", "drop-tail"],
        "ClarkFang98: red; drop-tail serves the drop-tail setting of Akella02",
    ),
    choice(
        "average_updates",
        &["all", "in-profile"],
        "the average is the queue's: every arrival; ns-2 since 2001: in-profile arrivals only",
    ),
];

const OWN_AND_RED: [DisciplineParameter; OWN.len() + red::PARAMETERS.len()] = {
    let mut all = [OWN[0]; OWN.len() + red::PARAMETERS.len()];
    let mut index = 1;
    while index < all.len() {
        all[index] = if index < OWN.len() { OWN[index] } else { red::PARAMETERS[index - OWN.len()] };
        index += 1;
    }
    all
};

/// What can be set besides the buffer: its own parameters and those of RED.
pub const PARAMETERS: &[DisciplineParameter] = &OWN_AND_RED;

/// A RIO queue.
#[derive(Debug)]
pub struct Rio {
    rule: OutProfileRule,
    average_updates: AverageUpdates,
    limit: Limit,
    detector: Detector,
}

impl Rio {
    /// An empty queue before a link of this rate.
    pub fn new(spec: &RioSpec, rate: Rate) -> Self {
        Rio {
            rule: spec.rule,
            average_updates: spec.average_updates,
            limit: Limit::new(spec.red.packets, spec.red.bytes),
            detector: Detector::new(&spec.red, rate),
        }
    }
}

impl QueueDiscipline for Rio {
    #[inline]
    fn admit(&mut self, arrival: Packet, context: &QueueContext, random: &mut Stream) -> Admission {
        let in_profile = arrival.has(IN_PROFILE);
        if in_profile || self.average_updates == AverageUpdates::All {
            self.detector.observe(context);
        }
        match self.rule {
            _ if in_profile => Admission::Wait,
            OutProfileRule::Red => self.detector.judge(arrival, context, random),
            OutProfileRule::DropTail if self.limit.has_room(context.waiting, arrival) => Admission::Wait,
            OutProfileRule::DropTail => Admission::Drop(DropReason::Full),
        }
    }
}
