//! The table of disciplines: the fields of a row, and the macro that makes specification and discipline from the rows.

use super::discipline::Backlog;
use super::limit::Limit;
use crate::scenario::ScenarioError;
use sawtooth_cc::units::Rate;
use serde::Serialize;

/// Settings, or parameters of the same table, each with a value: one of its choices, `true` or `false`.
pub type Conditions = &'static [(&'static str, &'static str)];

/// One parameter of a discipline, besides its buffer. Its default is that of its specification.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct DisciplineParameter {
    /// Its key in a scenario; a `span` has the suffix `_ns` in the engine's data.
    pub name: &'static str,
    /// `real`, `count`, `size` (in bytes), `span` (a time), `depth` (packets or time), `flag` or `choice`.
    pub kind: &'static str,
    /// The values of a choice; the first is the default of one that the engine's data omit there.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub choices: &'static [&'static str],
    /// Its unit.
    pub unit: &'static str,
    /// What is accepted.
    pub accepted: &'static str,
    /// What it means, then where its default comes from: sentences without the last full stop.
    pub why: &'static str,
    /// The parameter has an effect only if one of these others has this value; empty: it always has an effect.
    #[serde(skip)]
    pub only_with: Conditions,
    /// Does it decide about marks only, and so affect ECN-capable packets only?
    pub of_marks: bool,
    /// Does it decide about L4S packets only, and so affect packets with ECT(1) only?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub of_l4s: bool,
    /// Does it act only where several flows share the queue?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub of_sharing: bool,
    /// May it be absent, and is by default?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// Do the data omit it at its default, the first choice? So those of a scenario from before there was a choice stay as they are.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub implicit: bool,
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
        DisciplineParameter {
            name,
            kind,
            choices: &[],
            unit,
            accepted,
            why,
            only_with: &[],
            of_marks: false,
            of_l4s: false,
            of_sharing: false,
            optional: false,
            implicit: false,
        }
    }

    /// One value of several.
    pub const fn choice(
        name: &'static str,
        choices: &'static [&'static str],
        why: &'static str,
    ) -> DisciplineParameter {
        Self { choices, ..Self::new(name, "choice", "", "one of the choices", why) }
    }

    /// A time.
    pub const fn span(name: &'static str, accepted: &'static str, why: &'static str) -> Self {
        Self::new(name, "span", "ns", accepted, why)
    }

    /// Its key in the engine's scenario.
    pub fn key(&self) -> String {
        if self.kind == "span" { format!("{}_ns", self.name) } else { self.name.to_owned() }
    }

    /// A parameter that decides about marks only.
    pub const fn of_marks(self) -> Self {
        DisciplineParameter { of_marks: true, ..self }
    }

    /// A parameter that affects L4S packets only.
    pub const fn of_l4s(self) -> Self {
        DisciplineParameter { of_marks: true, of_l4s: true, ..self }
    }

    /// A parameter that acts only among several flows.
    pub const fn of_sharing(self) -> Self {
        DisciplineParameter { of_sharing: true, ..self }
    }

    /// A parameter that is absent unless it is given.
    pub const fn optional(self) -> Self {
        DisciplineParameter { optional: true, ..self }
    }

    /// A choice that the data omit at its default.
    pub const fn later(self) -> Self {
        DisciplineParameter { implicit: true, ..self }
    }

    /// A parameter that has an effect only under these conditions.
    pub const fn only_with(self, conditions: Conditions) -> Self {
        DisciplineParameter { only_with: conditions, ..self }
    }
}

/// When a discipline marks packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Marking {
    /// It never marks.
    Never,
    /// It marks if its parameter `ecn` is true.
    WithEcn,
    /// It marks if its parameter `ecn` is true or a threshold, `ce_threshold`, is given; with `ce_threshold_ect1` packets with ECT(1).
    WithEcnOrThreshold,
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
    /// Its buffer where a scenario says nothing, as a scenario file writes it.
    pub buffer: &'static str,
    /// Its behaviour number, which goes up with every change that moves a result (see `identity`).
    pub behaviour: u32,
    /// Does it choose which packet is sent next?
    pub schedules: bool,
    /// Does it isolate flows, so that each gets its share whatever the others send?
    pub keeps_flows_apart: bool,
    /// Does it neither drop nor mark packets in profile?
    pub spares_in_profile: bool,
    /// Does its limit count the packet in transmission?
    pub limit_counts_transmission: bool,
    /// May it drop a packet that it has let in, when it is asked for the next one?
    #[serde(skip)]
    pub drops_at_departure: bool,
    /// Does it use random numbers?
    pub draws: bool,
    /// Has it a state that can be recorded?
    pub has_state: bool,
    /// Which packets it marks.
    pub marking: Marking,
    /// The queues that it consists of, if their packets are counted apart; `parts` in the document of `sawtooth list`.
    #[serde(rename = "parts", skip_serializing_if = "<[_]>::is_empty")]
    pub subqueues: &'static [&'static str],
    /// Its parameters besides the buffer, which every discipline has.
    pub parameters: &'static [DisciplineParameter],
}

impl DisciplineInfo {
    /// The values that a row has where it names no others.
    pub const BLANK: DisciplineInfo = DisciplineInfo {
        name: "",
        aliases: &[],
        summary: "",
        source: "",
        buffer: "1 bdp",
        behaviour: 1,
        schedules: false,
        keeps_flows_apart: false,
        spares_in_profile: false,
        limit_counts_transmission: false,
        drops_at_departure: false,
        draws: false,
        has_state: false,
        marking: Marking::Never,
        subqueues: &[],
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

    /// Does the empty buffer hold this much? For tests of limits.
    fn holds(&self, backlog: Backlog) -> bool {
        !self.buffer().is_exceeded_by(backlog)
    }
}

/// Makes the modules, `QueueSpec`, `AnyDiscipline` and `DISCIPLINES` from the rows. An `arrival` row is an arrival rule: at a link of
/// constant rate its departures are known ahead of time. A `departure` row is a discipline that is asked for each packet.
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

        /// Any discipline of the table. It is an enum, so that no packet costs a virtual call.
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

            /// Kept out of line, so that the path of drop-tail stays a comparison.
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

            fn remove(
                &mut self,
                owner: Owner,
                wanted: &mut dyn FnMut(Packet) -> bool,
                context: &mut QueueContext<'_>,
            ) -> Option<Queued> {
                match self { $(AnyDiscipline::$name(queue) => queue.remove(owner, wanted, context),)* }
            }

            fn backlog(&self) -> Backlog {
                match self { $(AnyDiscipline::$name(queue) => queue.backlog(),)* }
            }

            fn spares(&self, packet: Packet) -> bool {
                match self { $(AnyDiscipline::$name(queue) => queue.spares(packet),)* }
            }

            fn set_rate(&mut self, rate: Rate, transmitter: &TransmitterState) {
                match self { $(AnyDiscipline::$name(queue) => queue.set_rate(rate, transmitter),)* }
            }

            fn states(&self, now: Time) -> [Option<DisciplineState>; SUBQUEUES_MAX] {
                match self { $(AnyDiscipline::$name(queue) => queue.states(now),)* }
            }
        }
    };
}
pub(super) use disciplines;
