//! The table of recoveries: what a row says, and the macro that makes kinds and dispatch of the rows.

use super::RecoveryKind;
use serde::Serialize;

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
    /// Does the receiver say what it holds beyond a gap?
    pub selective: bool,
    /// What it is in code.
    #[serde(skip)]
    pub kind: RecoveryKind,
}

impl RecoveryInfo {
    /// A row.
    pub const fn new(name: &'static str, kind: RecoveryKind, selective: bool, about: About) -> Self {
        let About { aliases, title, summary, source, behaviour, own_settings } = about;
        RecoveryInfo { name, aliases, title, summary, source, behaviour, own_settings, selective, kind }
    }
}

/// Makes of the rows: the modules, `RecoveryKind`, `RECOVERIES` and `AnyRecovery`. The receiver of a `cumulative` row says which packet it
/// misses first, that of a `selective` row also what it holds beyond.
macro_rules! recoveries {
    (@selective cumulative) => { false };
    (@selective selective) => { true };
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
                recoveries!(@selective $class),
                $module::ABOUT,
            ),)*
        ];

        impl RecoveryKind {
            /// Its row of the table.
            pub fn info(self) -> &'static RecoveryInfo {
                &RECOVERIES[self as usize]
            }
        }

        /// Any recovery of the table; an enum, so that no virtual call stands on the path of an acknowledgement. A lean sender
        /// does not ask it, so its state stands elsewhere.
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
            fn on_ack(&mut self, ack: &Acknowledgement<'_>, connection: &mut Connection<'_>) -> Verdict {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.on_ack(ack, connection),)* }
            }

            fn on_timeout(&mut self, connection: &mut Connection<'_>) {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.on_timeout(connection),)* }
            }

            fn on_timer(&mut self, timer: Timer, connection: &mut Connection<'_>) -> Verdict {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.on_timer(timer, connection),)* }
            }

            fn on_sent(&mut self, number: u32, connection: &mut Connection<'_>) {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.on_sent(number, connection),)* }
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

            #[inline(always)]
            fn prefetch(&self) {
                match self { $(AnyRecovery::$recovery(recovery) => recovery.prefetch(),)* }
            }
        }
    };
}
pub(super) use recoveries;
