//! The table of controllers: each row makes a plain value, a variant of the enum of controllers, and the names that people write.
//!
//! A *law* has a file with its numbers and its state; a *constructor* is a name that people write; it stands for a law with numbers.
//! Several constructors may share a law: `aimd`, `aiad` and `tcp` are all linear. A row names the law's file and its numbers, in the
//! order of the plain constructor. For each kind it gives the name in results, the behaviour number and the type:
//!
//! ```text
//! linear: LinearParams { a_i, b_i, a_d, b_d } => "linear" 1 Linear;
//! ```
//!
//! Where the source of a law says something else of a setting than RFC 5681, the row ends with the law's own defaults:
//! `with { timeout_threshold = "law" }`.
//!
//! The behaviour number goes up with every change of the law that moves a result. Results of different numbers are different results.
//!
//! The file holds `FAMILY` (laws that are listed together), `PROPERTIES` (what a controller answers with and needs), `CONSTRUCTORS` (its names; one of them is the kind and takes
//! the plain numbers) and, under `CONTROLLERS`, the type named, a [`Controller`](crate::Controller) with `new(params, settings)`. What
//! stands under `RATE_CONTROLLERS` has a transport protocol of its own, whose sender calls the law by its own name.

macro_rules! controllers {
    (
        CONTROLLERS {
            $($file:ident: $params:ident { $($number:ident),* } => $($kind:literal $behaviour:literal $law:ident),+
                $(with { $($setting:ident = $word:literal),+ })?;)*
        }
        RATE_CONTROLLERS {
            $($rate_file:ident: $rate_params:ident { $($rate_number:ident),* } => $($rate_kind:literal $rate_behaviour:literal $rate:ident),+;)*
        }
    ) => {
        $(pub mod $file; pub use $file::{$params, $($law),+};)*
        $(pub mod $rate_file; pub use $rate_file::$rate_params;)*

        $(numbers! { $params { $($number),* } })*
        $(impl $params {
            const DEFAULTS: &[(&str, &str)] = &[$($((stringify!($setting), $word)),+)?];
        })*
        $(numbers! { $rate_params { $($rate_number),* } })*

        /// Every constructor of a law that TCP, or a transport like it, may have. The first name is the one results print.
        pub const CONTROLLERS: &[ConstructorInfo] = {
            const EACH: &[&[ConstructorInfo]] = &[$($file::CONSTRUCTORS),*];
            &constructor::joined::<{ constructor::total(EACH) }>(EACH)
        };

        /// Every constructor of a law with a transport protocol of its own: it has a rate, no window, and takes no loss recovery.
        pub const RATE_CONTROLLERS: &[ConstructorInfo] = {
            const EACH: &[&[ConstructorInfo]] = &[$($rate_file::CONSTRUCTORS),*];
            &constructor::joined::<{ constructor::total(EACH) }>(EACH)
        };

        /// Every law and its behaviour number.
        pub const LAWS: &[(&str, u32)] = &[$($(($kind, $behaviour),)+)* $($(($rate_kind, $rate_behaviour),)+)*];

        /// A controller in plain numbers: what results echo and runs are identified by.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", deny_unknown_fields)]
        pub enum ControllerSpec {
            $($(#[doc = concat!("See [`", stringify!($file), "`].")] #[serde(rename = $kind)] $law($params),)+)*
            $($(#[doc = concat!("See [`", stringify!($rate_file), "`].")] #[serde(rename = $rate_kind)] $rate($rate_params),)+)*
            /// See [`plugin`].
            #[serde(rename = "plugin")]
            Plugin(Box<PluginSpec>),
        }

        impl ControllerSpec {
            /// The constructor that takes the plain numbers themselves, and the numbers in its order.
            pub fn plain(&self) -> (&str, Vec<f64>) {
                match self {
                    $($(ControllerSpec::$law(params) => ($kind, params.numbers()),)+)*
                    $($(ControllerSpec::$rate(params) => ($rate_kind, params.numbers()),)+)*
                    ControllerSpec::Plugin(spec) => (&spec.name, spec.numbers()),
                }
            }

            /// The law behind it and the law's behaviour number, which goes up with every change that moves a result.
            pub fn behaviour(&self) -> (&'static str, u32) {
                match self {
                    $($(ControllerSpec::$law(_) => ($kind, $behaviour),)+)*
                    $($(ControllerSpec::$rate(_) => ($rate_kind, $rate_behaviour),)+)*
                    ControllerSpec::Plugin(_) => plugin::PLUGIN_BEHAVIOUR,
                }
            }

            /// Does it draw random numbers, with the numbers that it has?
            pub fn draws(&self) -> bool {
                match self {
                    ControllerSpec::Nada(params) => params.deviates(),
                    other => other.properties().random,
                }
            }

            /// Settings of a connection that have another default beside it: name and word.
            pub const fn defaults(&self) -> &'static [(&'static str, &'static str)] {
                match self {
                    $($(ControllerSpec::$law(_) => $params::DEFAULTS,)+)*
                    $($(ControllerSpec::$rate(_) => &[],)+)*
                    ControllerSpec::Plugin(_) => plugin::DEFAULTS,
                }
            }

            /// What it is listed with: laws of a kind.
            pub const fn family(&self) -> &'static str {
                match self {
                    $($(ControllerSpec::$law(_) => $file::FAMILY,)+)*
                    $($(ControllerSpec::$rate(_) => $rate_file::FAMILY,)+)*
                    ControllerSpec::Plugin(_) => plugin::FAMILY,
                }
            }

            /// What it answers with and what it needs of a transport.
            pub fn properties(&self) -> Properties {
                match self {
                    $($(ControllerSpec::$law(_) => $file::PROPERTIES,)+)*
                    $($(ControllerSpec::$rate(_) => $rate_file::PROPERTIES,)+)*
                    ControllerSpec::Plugin(spec) => spec.properties,
                }
            }
        }

        /// Any controller of the table, or a plug-in's; an enum, so that no acknowledgement of a law of the table costs a virtual call.
        #[derive(Clone, Debug)]
        pub enum AnyController {
            $($(#[doc = concat!("See [`", stringify!($file), "`].")] $law($law),)+)*
            /// See [`plugin`].
            Plugin(Box<Guest>),
        }

        impl AnyController {
            /// A controller at the start of its connection; of a law without a transport protocol of its own.
            pub fn new(spec: &ControllerSpec, settings: &ControlSettings) -> Self {
                match spec {
                    $($(ControllerSpec::$law(params) => AnyController::$law($law::new(*params, settings)),)+)*
                    $($(ControllerSpec::$rate(_) => unreachable!("{} has a transport protocol of its own", $rate_kind),)+)*
                    ControllerSpec::Plugin(spec) => AnyController::Plugin(spec.start(settings)),
                }
            }
        }

        forwarded! { $($($law)+)* Plugin }
    };
}

/// The numbers of a law in the order of its plain constructor.
macro_rules! numbers {
    ($params:ident { $($number:ident),* }) => {
        impl $params {
            fn numbers(self) -> Vec<f64> {
                let $params { $($number),* } = self;
                vec![$($number),*]
            }
        }
    };
}

/// `Controller` for `AnyController`: every call goes to the law.
///
/// The law of the first row is asked in place, since it is the one that most runs use; a jump over all of them would cost its
/// acknowledgements 20 instructions more. What the others do is not inlined.
macro_rules! forwarded {
    ($first:ident $($law:ident)*) => {
        impl AnyController {
            #[inline(never)]
            fn on_ack_of_others(&mut self, ack: &AckSample) {
                match self {
                    AnyController::$first(_) => unreachable!("it is asked in place"),
                    $(AnyController::$law(control) => control.on_ack(ack),)*
                }
            }

            #[inline(never)]
            fn window_of_others(&self) -> Window {
                match self {
                    AnyController::$first(_) => unreachable!("it is asked in place"),
                    $(AnyController::$law(control) => control.window(),)*
                }
            }

            #[inline(never)]
            fn slow_start_threshold_of_others(&self) -> Window {
                match self {
                    AnyController::$first(_) => unreachable!("it is asked in place"),
                    $(AnyController::$law(control) => control.slow_start_threshold(),)*
                }
            }
        }

        forwarded! { @all $first: $first $($law)* }
    };
    (@all $first:ident: $($law:ident)*) => {
        impl Controller for AnyController {
            fn wants(&self) -> Wants {
                match self { $(AnyController::$law(control) => control.wants(),)* }
            }

            fn on_established(&mut self, now: Time, rtt: Option<Span>) {
                match self { $(AnyController::$law(control) => control.on_established(now, rtt),)* }
            }

            #[inline]
            fn on_sent(&mut self, packet: &SentPacket) {
                match self { $(AnyController::$law(control) => control.on_sent(packet),)* }
            }

            #[inline(never)]
            fn take_sent(&mut self, packet: &SentPacket) -> (Window, PacingNews) {
                match self { $(AnyController::$law(control) => control.take_sent(packet),)* }
            }

            /// The others get a copy of the sample, so that a field that the first law does not read is not written for it.
            #[inline(always)]
            fn on_ack(&mut self, ack: &AckSample) {
                match self {
                    AnyController::$first(control) => control.on_ack(ack),
                    others => others.on_ack_of_others(&{ *ack }),
                }
            }

            #[inline]
            fn on_lost(&mut self, packet: &LostPacket) {
                match self { $(AnyController::$law(control) => control.on_lost(packet),)* }
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

            #[inline(always)]
            fn window(&self) -> Window {
                match self {
                    AnyController::$first(control) => control.window(),
                    others => others.window_of_others(),
                }
            }

            #[inline(always)]
            fn slow_start_threshold(&self) -> Window {
                match self {
                    AnyController::$first(control) => control.slow_start_threshold(),
                    others => others.slow_start_threshold_of_others(),
                }
            }

            fn paces(&self) -> bool {
                match self { $(AnyController::$law(control) => control.paces(),)* }
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
            fn state(&self) -> Option<ControlState> {
                match self { $(AnyController::$law(control) => control.state(),)* }
            }

            fn estimates(&self) -> Option<Estimates> {
                match self { $(AnyController::$law(control) => control.estimates(),)* }
            }

            fn in_conservative_slow_start(&self) -> bool {
                match self { $(AnyController::$law(control) => control.in_conservative_slow_start(),)* }
            }

            fn marked_share(&self) -> Option<f64> {
                match self { $(AnyController::$law(control) => control.marked_share(),)* }
            }

            #[inline(never)]
            fn take_ack(&mut self, ack: &AckSample) -> Heard {
                match self { $(AnyController::$law(control) => control.take_ack(ack),)* }
            }

            #[inline(never)]
            fn pace(&self) -> Pace {
                match self { $(AnyController::$law(control) => control.pace(),)* }
            }

            #[inline]
            fn mark_application_limited(&self) -> bool {
                match self { $(AnyController::$law(control) => control.mark_application_limited(),)* }
            }
        }
    };
}
