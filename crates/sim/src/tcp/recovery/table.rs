//! The table of recoveries: the fields of a row, and the macro that makes kinds and dispatch from the rows.

use super::{AnyRecovery, LossRecovery, RecoveryKind};
use crate::scenario::TcpSpec;
use sawtooth_cc::Properties;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// What a recovery says about itself.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Other spellings.
    pub aliases: &'static [&'static str],
    /// Its name in the text of a report.
    pub title: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// The RFC.
    pub source: &'static str,
    /// Its behaviour number, which goes up with every change that moves a result (see `identity`).
    pub behaviour: u32,
    /// TCP settings that it reads and not every recovery does.
    pub own_settings: &'static [&'static str],
    /// TCP settings that every other recovery reads and it does not.
    pub ignores: &'static [&'static str],
    /// Settings that have another default beside it: name, and the value as a scenario file has it.
    pub defaults: &'static [(&'static str, &'static str)],
}

/// What the receiver tells beside the first missing packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feedback {
    /// Nothing.
    Cumulative,
    /// The packets that it holds beyond.
    Selective,
    /// Those, what has arrived twice (RFC 2883), and which timestamp it echoes (RFC 7323).
    Reporting,
    /// Instead, ranges of the numbers that packets have of their own (RFC 9000 §19.3).
    Numbered,
}

/// One row of the table of recoveries.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RecoveryInfo {
    /// Its name in data.
    pub name: &'static str,
    /// Other spellings.
    pub aliases: &'static [&'static str],
    /// Its name in the text of a report.
    pub title: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// The RFC.
    pub source: &'static str,
    /// Its behaviour number, which goes up with every change that moves a result (see `identity`).
    pub behaviour: u32,
    /// TCP settings that it reads and not every recovery does.
    #[serde(skip)]
    pub own_settings: &'static [&'static str],
    /// TCP settings that every other recovery reads and it does not.
    #[serde(skip)]
    pub ignores: &'static [&'static str],
    /// Settings that have another default beside it: name, and the value as a scenario file has it.
    #[serde(serialize_with = "as_table")]
    pub defaults: &'static [(&'static str, &'static str)],
    /// Does the receiver say what it holds beyond a gap?
    pub selective: bool,
    /// What else it tells.
    #[serde(skip)]
    pub feedback: Feedback,
    /// What it is in code.
    #[serde(skip)]
    pub kind: RecoveryKind,
}

impl RecoveryInfo {
    /// A row.
    pub const fn new(name: &'static str, kind: RecoveryKind, feedback: Feedback, about: About) -> Self {
        let About { aliases, title, summary, source, behaviour, own_settings, ignores, defaults } = about;
        RecoveryInfo {
            name,
            aliases,
            title,
            summary,
            source,
            behaviour,
            own_settings,
            ignores,
            defaults,
            selective: !matches!(feedback, Feedback::Cumulative),
            feedback,
            kind,
        }
    }
}

impl RecoveryInfo {
    /// Does it know enough of each packet for such a controller?
    pub fn serves(&self, controller: Properties) -> bool {
        !controller.records || AnyRecovery::new(self.kind, &TcpSpec::default()).keeps_records()
    }
}

/// A value as a scenario file has it: a number or a flag where it is one.
pub fn plain(word: &str) -> Value {
    serde_json::from_str(word).unwrap_or_else(|_| word.into())
}

/// Pairs as a table.
fn as_table<S: Serializer>(pairs: &&[(&str, &str)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|&(name, word)| (name, plain(word))))
}

/// Makes the modules, `RecoveryKind`, `RECOVERIES` and `AnyRecovery` from the rows. With a `cumulative` row the receiver reports the
/// first missing packet, with a `selective` row also the packets beyond it, and with a `reporting` row also what has arrived twice and
/// whose timestamp it echoes. With a `numbered` row it reports packet numbers, which are never reused.
macro_rules! recoveries {
    (@class cumulative) => { Feedback::Cumulative };
    (@class selective) => { Feedback::Selective };
    (@class reporting) => { Feedback::Reporting };
    (@class numbered) => { Feedback::Numbered };
    ($($(#[$doc:meta])* $class:ident $name:literal $module:ident::$recovery:ident($settings:ident);)*) => {
        $(pub mod $module;)*

        /// Which recovery a flow uses.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum RecoveryKind {
            $($(#[$doc])* #[serde(rename = $name)] $recovery,)*
        }

        /// Every recovery there is.
        pub const RECOVERIES: &[RecoveryInfo] = &[
            $(RecoveryInfo::new(
                $name,
                RecoveryKind::$recovery,
                recoveries!(@class $class),
                $module::ABOUT,
            ),)*
        ];

        impl RecoveryKind {
            /// Its row of the table.
            pub fn info(self) -> &'static RecoveryInfo {
                &RECOVERIES[self as usize]
            }
        }

        /// Any recovery of the table; an enum, so that no acknowledgement costs a virtual call. A lean sender does not ask it, so its
        /// state is boxed.
        #[derive(Clone, Debug)]
        pub enum AnyRecovery {
            $($(#[$doc])* $recovery(Box<$module::$recovery>),)*
        }

        impl AnyRecovery {
            /// A recovery that has seen no loss.
            pub fn new(kind: RecoveryKind, tcp: &$crate::scenario::TcpSpec) -> Self {
                match kind {
                    $(RecoveryKind::$recovery => {
                        let settings: &$settings = tcp;
                        AnyRecovery::$recovery(Box::new($module::$recovery::new(settings)))
                    })*
                }
            }
        }

        impl LossRecovery for AnyRecovery {
            #[inline]
            fn on_ack(&mut self, ack: &Acknowledgement<'_>, connection: &mut Connection<'_>) -> RecoveryUpdate {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.on_ack(ack, connection),)* }
            }

            #[inline(always)]
            fn take_alone(&mut self, oldest: Sending, sent: &mut SendState, now: Time) -> bool {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.take_alone(oldest, sent, now),)* }
            }

            #[inline(always)]
            fn on_window_alone(&mut self, connection: &mut Connection<'_>) {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.on_window_alone(connection),)* }
            }

            fn on_timeout(&mut self, connection: &mut Connection<'_>) {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.on_timeout(connection),)* }
            }

            fn on_timer(&mut self, timer: Timer, connection: &mut Connection<'_>) -> RecoveryUpdate {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.on_timer(timer, connection),)* }
            }

            fn on_sent(&mut self, sending: Sending, connection: &mut Connection<'_>) {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.on_sent(sending, connection),)* }
            }

            #[inline(always)]
            fn on_sent_new(&mut self, sending: Sending, connection: &mut Connection<'_>) {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.on_sent_new(sending, connection),)* }
            }

            fn on_window(&mut self, connection: &mut Connection<'_>, window: u32) {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.on_window(connection, window),)* }
            }

            fn count_marks(&mut self, counts: bool) {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.count_marks(counts),)* }
            }

            fn on_mark_cut(&mut self, connection: &mut Connection<'_>) {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.on_mark_cut(connection),)* }
            }

            #[inline]
            fn in_recovery(&self) -> bool {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.in_recovery(),)* }
            }

            #[inline]
            fn is_open(&self) -> bool {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.is_open(),)* }
            }

            #[inline]
            fn flight(&self, sent: &SendState) -> u32 {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.flight(sent),)* }
            }

            #[inline]
            fn next(&mut self, connection: &mut Connection<'_>, window: u32) -> Option<Transmission> {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.next(connection, window),)* }
            }

            fn keeps_records(&self) -> bool {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.keeps_records(),)* }
            }

            fn numbers_packets(&self) -> bool {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.numbers_packets(),)* }
            }

            fn probes(&self) -> u64 {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.probes(),)* }
            }

            #[inline(always)]
            fn prefetch(&self) {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.prefetch(),)* }
            }
        }
    };
}
pub(super) use recoveries;
