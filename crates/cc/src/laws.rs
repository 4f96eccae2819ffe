//! The laws behind the constructors: one line makes a law a plain value, a controller of the enum, and checkable.
//!
//! A *law* has a file with its numbers and its state; a *constructor* (see `CONTROLLERS`) is a name that people write and that comes
//! down to a law with numbers. Several constructors may share a law: `aimd`, `aiad` and `tcp` are all linear.
//! The number behind a law's name is its behaviour number: it goes up with every change of the law that moves a result, and results of
//! other numbers are other results.
//!
//! A law with a transport protocol of its own is no controller of the enum: its sender calls it by its own name. What a controller
//! answers with and needs is said by its [`Properties`].

use crate::aild::{Aild, AildParams};
use crate::binomial::{Binomial, BinomialParams};
use crate::controller::{Controller, Wants};
use crate::fast_convergence::{FastConvergence, FastConvergenceParams};
use crate::linear::{Linear, LinearParams};
use crate::rap::RapParams;
use crate::sample::{AckSample, SentPacket};
use crate::settings::ControlSettings;
use crate::signal::{CongestionSignal, IdleSignal, RecoverySignal, UndoSignal};
use crate::simd::{Simd, SimdParams};
use crate::tfrc::TfrcParams;
use crate::two_step::{TwoStep, TwoStepParams};
use crate::units::{Bytes, Rate, Time, Window};
use serde::{Deserialize, Serialize};

/// What a controller answers with and what it needs of a transport. None excludes another: a controller may have a window and a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Properties {
    /// It answers with a window.
    pub window: bool,
    /// It may answer with a pacing rate.
    pub pacing_rate: bool,
    /// It has a transport protocol of its own, with other reports than acknowledgements, and takes no loss recovery.
    pub own_transport: bool,
    /// It draws random numbers: [`ControlSettings::random`] must be given.
    pub random: bool,
}

impl Properties {
    /// A window and nothing else.
    pub const WINDOW: Properties =
        Properties { window: true, pacing_rate: false, own_transport: false, random: false };
    /// A protocol of its own, which sends at a rate.
    pub const OWN_TRANSPORT: Properties =
        Properties { window: false, pacing_rate: true, own_transport: true, random: false };

    /// Does it take a loss recovery?
    pub const fn takes_recovery(&self) -> bool {
        !self.own_transport
    }
}

macro_rules! laws {
    (
        windows {
            $($(#[$doc:meta])* $kind:literal $behaviour:literal $law:ident($params:ident { $($number:ident),* });)*
        }
        rates {
            $(
                $(#[$rate_doc:meta])* $rate_kind:literal $rate_behaviour:literal
                $rate:ident($rate_params:ident { $($rate_number:ident),* });
            )*
        }
    ) => {
        /// A controller in plain numbers: what results echo and runs are identified by.
        #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", deny_unknown_fields)]
        pub enum ControllerSpec {
            $($(#[$doc])* #[serde(rename = $kind)] $law($params),)*
            $($(#[$rate_doc])* #[serde(rename = $rate_kind)] $rate($rate_params),)*
        }

        impl ControllerSpec {
            /// The constructor that takes the plain numbers themselves, and the numbers in its order.
            pub fn plain(&self) -> (&'static str, Vec<f64>) {
                match *self {
                    $(ControllerSpec::$law($params { $($number),* }) => ($kind, vec![$($number),*]),)*
                    $(ControllerSpec::$rate($rate_params { $($rate_number),* }) => {
                        ($rate_kind, vec![$($rate_number),*])
                    })*
                }
            }

            /// The law behind it and the law's behaviour number, which goes up with every change that moves a result.
            pub fn behaviour(&self) -> (&'static str, u32) {
                match self {
                    $(ControllerSpec::$law(_) => ($kind, $behaviour),)*
                    $(ControllerSpec::$rate(_) => ($rate_kind, $rate_behaviour),)*
                }
            }

            /// What it answers with and what it needs of a transport.
            pub const fn properties(&self) -> Properties {
                match self {
                    $(ControllerSpec::$law(_) => Properties::WINDOW,)*
                    $(ControllerSpec::$rate(_) => Properties::OWN_TRANSPORT,)*
                }
            }
        }

        /// Every law and its behaviour number.
        pub const LAWS: &[(&str, u32)] = &[$(($kind, $behaviour),)* $(($rate_kind, $rate_behaviour),)*];

        /// Any controller of the table; an enum, so that no virtual call stands on the path of an acknowledgement.
        #[derive(Clone, Debug)]
        pub enum AnyController {
            $($(#[$doc])* $law($law),)*
        }

        impl AnyController {
            /// A controller at the start of its connection; of a law without a transport protocol of its own.
            pub fn new(spec: &ControllerSpec, settings: &ControlSettings) -> Self {
                match *spec {
                    $(ControllerSpec::$law(params) => AnyController::$law($law::new(params, settings)),)*
                    $(ControllerSpec::$rate(_) => unreachable!("{} has a transport protocol of its own", $rate_kind),)*
                }
            }
        }

        impl Controller for AnyController {
            fn wants(&self) -> Wants {
                match self { $(AnyController::$law(control) => control.wants(),)* }
            }

            #[inline]
            fn on_sent(&mut self, packet: &SentPacket) {
                match self { $(AnyController::$law(control) => control.on_sent(packet),)* }
            }

            /// Each law gets a copy of its own: so what a law does not read is never written where the sample is made, even if the
            /// function of another law, which reads it, is not inlined (16 instructions an acknowledgement).
            #[inline(always)]
            fn on_ack(&mut self, ack: &AckSample) {
                match self { $(AnyController::$law(control) => control.on_ack(&{ *ack }),)* }
            }

            #[inline]
            fn on_lost(&mut self, now: Time, packet: &SentPacket, lost: Bytes) {
                match self { $(AnyController::$law(control) => control.on_lost(now, packet, lost),)* }
            }

            fn on_congestion(&mut self, signal: &CongestionSignal) {
                match self { $(AnyController::$law(control) => control.on_congestion(signal),)* }
            }

            fn on_undo(&mut self, signal: &UndoSignal) {
                match self { $(AnyController::$law(control) => control.on_undo(signal),)* }
            }

            fn on_idle(&mut self, signal: &IdleSignal) {
                match self { $(AnyController::$law(control) => control.on_idle(signal),)* }
            }

            fn on_recovery(&mut self, signal: &RecoverySignal) {
                match self { $(AnyController::$law(control) => control.on_recovery(signal),)* }
            }

            fn on_round(&mut self, now: Time) {
                match self { $(AnyController::$law(control) => control.on_round(now),)* }
            }

            #[inline]
            fn window(&self) -> Window {
                match self { $(AnyController::$law(control) => control.window(),)* }
            }

            #[inline]
            fn slow_start_threshold(&self) -> Window {
                match self { $(AnyController::$law(control) => control.slow_start_threshold(),)* }
            }

            #[inline]
            fn pacing_rate(&self) -> Option<Rate> {
                match self { $(AnyController::$law(control) => control.pacing_rate(),)* }
            }

            #[inline]
            fn send_quantum(&self) -> Bytes {
                match self { $(AnyController::$law(control) => control.send_quantum(),)* }
            }

            #[inline]
            fn mark_application_limited(&self) -> bool {
                match self { $(AnyController::$law(control) => control.mark_application_limited(),)* }
            }
        }
    };
}

laws! {
    windows {
        /// A linear control.
        "linear" 1 Linear(LinearParams { a_i, b_i, a_d, b_d });
        /// AIMD-FC+, with f = 0 AIMD-FC.
        "aimd-fc+" 1 FastConvergence(FastConvergenceParams { a, b, f });
        /// A binomial control.
        "binomial" 1 Binomial(BinomialParams { k, l, a, b });
        /// SIMD.
        "simd" 1 Simd(SimdParams { b });
        /// AILD.
        "aild" 1 Aild(AildParams { a, beta });
        /// k1, then k1 + k2.
        "two-step" 1 TwoStep(TwoStepParams { a });
    }
    rates {
        /// TFRC as in 2000.
        "tfrc" 1 Tfrc(TfrcParams { intervals, discount, damping });
        /// TFRC as in RFC 5348.
        "tfrc-5348" 1 Tfrc5348(TfrcParams { intervals, discount, damping });
        /// RAP.
        "rap" 1 Rap(RapParams { a, b, fine_grain, gain });
    }
}
