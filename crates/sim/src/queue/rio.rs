//! RIO, RED with in and out: in-profile packets are neither dropped nor marked, out-profile packets see RED or
//! drop-tail on the whole queue.
//!
//! Source: [ClarkFang98] §III, as [Akella02] §3.3 uses it: in-profile traffic keeps to its profile, so it never reaches its thresholds.
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
//! Differs from the paper: there is no second RED for in-profile packets, which are always accepted. Differs from ns-2, where an
//! out-profile packet that finds no room may push out another one, in-profile packets have thresholds and a limit, and a forced drop
//! leaves the count of the out-profile packets unchanged.

use super::limit::Limit;
use super::red::{self, Detector, RedSpec};
use super::table::Conditions;
use super::{
    Admission, ArrivalRule, DisciplineInfo, DisciplineParameter, DisciplineSpec, DropReason, Marking,
    QueueState, ScenarioError, TransmitterState,
};
use crate::packet::{IN_PROFILE, Packet};
use crate::random::Stream;
use sawtooth_cc::units::Rate;
use serde::{Deserialize, Serialize};

/// Its row in the table.
pub const INFO: DisciplineInfo = DisciplineInfo {
    summary: "in-profile packets are always accepted; the others see RED or drop-tail on the whole queue",
    source: "ClarkFang98",
    spares_in_profile: true,
    draws: true,
    marking: Marking::WithEcn,
    parameters: PARAMETERS,
    ..DisciplineInfo::BLANK
};

const OWN: [DisciplineParameter; 2] = [
    DisciplineParameter::choice(
        "rule",
        &["red", "drop-tail"],
        "What out-profile packets see. Default: ClarkFang98; drop-tail is the drop-tail setting of Akella02",
    ),
    DisciplineParameter::choice(
        "average_updates",
        &["all", "in-profile"],
        "Arrivals that update the average. Default: all, since it is the average of the queue; ns-2 since 2001 takes \
         in-profile arrivals only",
    )
    .only_with(WITH_RED),
];

/// What belongs to RED acts where out-profile packets see RED.
const WITH_RED: Conditions = &[("rule", "red")];

const OWN_AND_RED: [DisciplineParameter; OWN.len() + red::PARAMETERS.len()] = {
    let mut all = [OWN[0]; OWN.len() + red::PARAMETERS.len()];
    let mut index = 1;
    while index < all.len() {
        all[index] = if index < OWN.len() {
            OWN[index]
        } else {
            red::PARAMETERS[index - OWN.len()].only_with(WITH_RED)
        };
        index += 1;
    }
    all
};

/// What can be set besides the buffer: its own parameters and those of RED.
pub const PARAMETERS: &[DisciplineParameter] = &OWN_AND_RED;

/// The numbers of RIO: what out-profile packets see, and of RED those that apply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RioSpec {
    /// What out-profile packets see.
    pub rule: OutProfileRule,
    /// Whose arrivals move the average.
    pub average_updates: AverageUpdates,
    /// RED for out-profile packets; drop-tail uses only its limit.
    #[serde(flatten)]
    pub red: RedSpec,
}

/// What the out-profile packets of RIO see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutProfileRule {
    /// Random early detection.
    #[default]
    Red,
    /// Dropped when the limit is reached.
    #[serde(alias = "droptail")]
    DropTail,
}

/// Whose arrivals move the average of RIO.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AverageUpdates {
    /// Every packet's.
    #[default]
    All,
    /// In-profile packets' only.
    InProfile,
}

impl DisciplineSpec for RioSpec {
    type Discipline = Rio;

    fn limit(&self) -> (Option<u64>, Option<u64>) {
        self.red.limit()
    }

    fn check(&self, path: &str) -> Result<(), ScenarioError> {
        self.red.check(path)
    }

    fn build(&self, rate: Rate) -> Rio {
        Rio {
            rule: self.rule,
            average_updates: self.average_updates,
            limit: self.buffer(),
            detector: Detector::new(&self.red, rate),
        }
    }
}

/// A RIO queue.
#[derive(Debug)]
pub struct Rio {
    rule: OutProfileRule,
    average_updates: AverageUpdates,
    limit: Limit,
    detector: Detector,
}

impl ArrivalRule for Rio {
    #[inline]
    fn admit(&mut self, arrival: Packet, found: &QueueState, random: &mut Stream) -> Admission {
        let in_profile = arrival.has(IN_PROFILE);
        if in_profile || self.average_updates == AverageUpdates::All {
            self.detector.observe(found);
        }
        match self.rule {
            _ if in_profile => Admission::Wait,
            OutProfileRule::Red => self.detector.judge(arrival, found, random),
            OutProfileRule::DropTail if self.limit.has_room(found.waiting, arrival) => Admission::Wait,
            OutProfileRule::DropTail => Admission::Drop(DropReason::Full),
        }
    }

    fn spares(&self, packet: Packet) -> bool {
        packet.has(IN_PROFILE)
    }

    fn set_rate(&mut self, rate: Rate, transmitter: &TransmitterState) {
        self.detector.set_rate(rate, transmitter);
    }
}
