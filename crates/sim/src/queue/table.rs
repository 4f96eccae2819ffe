//! The table of disciplines: what a row says, and the macro that makes specification and discipline of the rows.

use super::discipline::Backlog;
use super::limit::Limit;
use crate::describe::Conditions;
use crate::scenario::ScenarioError;
use sawtooth_cc::units::Rate;
use serde::Serialize;

/// One parameter of a discipline, besides its buffer. Its default is that of its specification.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct DisciplineParameter {
    /// Its key in a scenario.
    pub name: &'static str,
    /// `real`, `size` (in bytes), `depth` (packets or time), `flag` or `choice`.
    pub kind: &'static str,
    /// The words of a choice.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub choices: &'static [&'static str],
    /// Its unit.
    pub unit: &'static str,
    /// What is accepted.
    pub accepted: &'static str,
    /// Where the default comes from.
    pub why: &'static str,
    /// Other parameters with the values of which one at least must hold, or this one acts on nothing; empty: it always acts.
    #[serde(skip)]
    pub only_with: Conditions,
    /// Does it decide about marks alone, so that it acts on ECN-capable packets only?
    pub of_marks: bool,
}

impl DisciplineParameter {
    /// A parameter without choices.
    pub const fn new(
        name: &'static str,
        kind: &'static str,
        unit: &'static str,
        accepted: &'static str,
        why: &'static str,
    ) -> Self {
        DisciplineParameter { name, kind, choices: &[], unit, accepted, why, only_with: &[], of_marks: false }
    }

    /// One word of several.
    pub const fn choice(
        name: &'static str,
        choices: &'static [&'static str],
        why: &'static str,
    ) -> DisciplineParameter {
        Self { choices, ..Self::new(name, "choice", "", "one of the choices", why) }
    }

    /// A parameter that decides about marks alone.
    pub const fn of_marks(self) -> Self {
        DisciplineParameter { of_marks: true, ..self }
    }

    /// A parameter that acts beside some values of others only.
    pub const fn only_with(self, conditions: Conditions) -> Self {
        DisciplineParameter { only_with: conditions, ..self }
    }
}

/// Which packets a discipline marks, so that ECN-capable senders are worth having.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Marking {
    /// It never marks.
    Never,
    /// It marks if its parameter `ecn` says so.
    WithEcn,
    /// It always marks.
    Always,
}

/// One row of the table of disciplines.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct DisciplineInfo {
    /// Its name in data.
    pub name: &'static str,
    /// Other spellings.
    pub aliases: &'static [&'static str],
    /// What it does.
    pub summary: &'static str,
    /// The paper or RFC.
    pub source: &'static str,
    /// Its behaviour number, which goes up with every change that moves a result (see `identity`).
    pub behaviour: u32,
    /// Does it choose which packet is sent next?
    pub schedules: bool,
    /// Does it keep flows apart, so that each gets its share whatever the others send?
    pub keeps_flows_apart: bool,
    /// Does it neither drop nor mark packets in profile?
    pub spares_in_profile: bool,
    /// Does its limit count the packet in transmission?
    pub limit_counts_transmission: bool,
    /// Does it draw random numbers?
    pub draws: bool,
    /// Which packets it marks.
    pub marking: Marking,
    /// Its parameters besides the buffer, which every discipline has.
    pub parameters: &'static [DisciplineParameter],
}

impl DisciplineInfo {
    /// A row in which nothing is said yet: rows name what differs.
    pub const BLANK: DisciplineInfo = DisciplineInfo {
        name: "",
        aliases: &[],
        summary: "",
        source: "",
        behaviour: 1,
        schedules: false,
        keeps_flows_apart: false,
        spares_in_profile: false,
        limit_counts_transmission: false,
        draws: false,
        marking: Marking::Never,
        parameters: &[],
    };
}

/// The numbers of a discipline as a scenario gives them.
pub trait DisciplineSpec {
    /// What it makes: a discipline, or an arrival rule.
    type Discipline;

    /// Its limit: packets, or bytes.
    fn limit(&self) -> (Option<u64>, Option<u64>);

    /// Check its numbers; the limit is checked already.
    ///
    /// # Errors
    /// The first number out of range, below `path`.
    fn check(&self, path: &str) -> Result<(), ScenarioError>;

    /// An empty queue of this kind before a link that sends at this rate, or at this mean rate. Its numbers have been checked.
    fn build(&self, rate: Rate) -> Self::Discipline;

    /// The limit that was given; a checked specification has one.
    fn buffer(&self) -> Limit {
        let (packets, bytes) = self.limit();
        Limit::new(packets, bytes)
    }

    /// Does this much fit into the buffer beside nothing else? For tests of limits.
    fn holds(&self, backlog: Backlog) -> bool {
        !self.buffer().is_exceeded_by(backlog)
    }
}

/// Makes of the rows: the modules, `QueueSpec`, `AnyDiscipline` and `DISCIPLINES`. An `arrival` row is an arrival rule, whose departures are
/// known ahead of time behind a constant rate; a `departure` row is a discipline that must be asked for each packet.
macro_rules! disciplines {
    (@held arrival $module:ident $name:ident) => { Fifo<$module::$name> };
    (@held departure $module:ident $name:ident) => { Box<$module::$name> };
    (@build arrival $spec:expr, $rate:expr) => { Fifo::new($spec.build($rate)) };
    (@build departure $spec:expr, $rate:expr) => { Box::new($spec.build($rate)) };
    (@known_ahead arrival) => { true };
    (@known_ahead departure) => { false };
    (@admit arrival $queue:expr, $arrival:expr, $found:expr, $random:expr) => {
        $queue.rule.admit($arrival, $found, $random)
    };
    (@admit departure $queue:expr, $arrival:expr, $found:expr, $random:expr) => {
        unreachable!("{:?} is asked for each packet, and not on arrival alone", $queue)
    };
    ($($(#[$doc:meta])* $class:ident $kind:literal $module:ident::$name:ident($spec:ident);)*) => {
        $(pub mod $module;)*

        /// A queue discipline with its numbers.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind")]
        pub enum QueueSpec {
            $($(#[$doc])* #[serde(rename = $kind)] $name($module::$spec),)*
        }

        /// Every discipline there is.
        pub const DISCIPLINES: &[DisciplineInfo] = &[
            $(DisciplineInfo { name: $kind, ..$module::INFO },)*
        ];

        impl QueueSpec {
            /// Its row of the table.
            pub fn info(&self) -> &'static DisciplineInfo {
                let name = match self { $(QueueSpec::$name(_) => $kind,)* };
                DISCIPLINES.iter().find(|row| row.name == name).expect("every discipline has a row")
            }

            /// Is it certain on arrival whether and when a packet leaves, if the link has a constant rate?
            pub fn knows_departures_ahead(&self) -> bool {
                match self { $(QueueSpec::$name(_) => disciplines!(@known_ahead $class),)* }
            }

            /// Its limit: packets or bytes.
            pub fn limit(&self) -> (Option<u64>, Option<u64>) {
                match self { $(QueueSpec::$name(spec) => spec.limit(),)* }
            }

            fn check_numbers(&self, path: &str) -> Result<(), ScenarioError> {
                match self { $(QueueSpec::$name(spec) => DisciplineSpec::check(spec, path),)* }
            }
        }

        /// Any discipline of the table; an enum, so that no virtual call stands on the path of a packet.
        #[derive(Debug)]
        pub enum AnyDiscipline {
            $($(#[$doc])* $name(disciplines!(@held $class $module $name)),)*
        }

        impl AnyDiscipline {
            /// A discipline that has seen no packet, before a link that sends at this rate, or at this mean rate.
            pub fn new(spec: &QueueSpec, rate: Rate) -> Self {
                match spec {
                    $(QueueSpec::$name(spec) => {
                        AnyDiscipline::$name(disciplines!(@build $class spec, rate))
                    })*
                }
            }

            /// What is more than a comparison stays out of the way of drop-tail.
            #[inline(never)]
            fn admit_by_rule(&mut self, arrival: Packet, found: QueueState, random: &mut Stream) -> Admission {
                let found = &found; // a copy: so the caller's need not be in memory
                match self {
                    $(AnyDiscipline::$name(queue) => disciplines!(@admit $class queue, arrival, found, random),)*
                }
            }
        }

        impl QueueDiscipline for AnyDiscipline {
            fn enqueue(&mut self, arrival: Queued, context: &mut QueueContext<'_>) {
                match self { $(AnyDiscipline::$name(queue) => queue.enqueue(arrival, context),)* }
            }

            fn dequeue(&mut self, context: &mut QueueContext<'_>) -> Option<Queued> {
                match self { $(AnyDiscipline::$name(queue) => queue.dequeue(context),)* }
            }

            fn backlog(&self) -> Backlog {
                match self { $(AnyDiscipline::$name(queue) => queue.backlog(),)* }
            }

            fn spares(&self, packet: Packet) -> bool {
                match self { $(AnyDiscipline::$name(queue) => queue.spares(packet),)* }
            }
        }
    };
}
pub(super) use disciplines;
