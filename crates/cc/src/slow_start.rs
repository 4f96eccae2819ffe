//! Slow start: the threshold below which it runs, what ends it, and the rule of its growth.
//!
//! Source: RFC 5681 §3.1. A rule of growth is a file under `slow_start/` and a line in `slow_starts!`; every window law has it then.
//!
//! | parameter         | unit    | default  | why                                                            |
//! |-------------------|---------|----------|----------------------------------------------------------------|
//! | initial threshold | packets | none     | RFC 5681 §3.1: "arbitrarily high"                              |
//! | exit              | choice  | half     | ns-2 halves when slow start overshoots, because doubling does so by up to a factor two; `law` applies the controller's own decrease |
//! | rule              | choice  | standard | RFC 5681 §3.1                                                  |
//!
//! How a loss ends it (exit) is [`crate::conduct`]'s business.

use crate::controller::Wants;
use crate::sample::AckSample;
use crate::signal::Congestion;
use crate::units::{Bytes, Window};
use serde::{Deserialize, Serialize};

/// What a loss during slow start does to the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SlowStartExit {
    /// Halve the window, whatever the controller's law.
    #[default]
    Half,
    /// Apply the controller's own decrease.
    Law,
}

/// What a rule of growth knows of its sender.
#[derive(Clone, Copy, Debug)]
pub struct SenderTraits {
    /// It paces what it sends.
    pub paced: bool,
    /// Size of its packets on the wire.
    pub packet: Bytes,
}

/// A rule of growth.
pub trait SlowStartRule {
    /// What it needs to be told.
    fn wants(&self) -> Wants;

    /// An acknowledgement arrived in slow start. Does slow start end here, at this window?
    fn ends(&mut self, window: f64, ack: &AckSample) -> bool;

    /// Packets that this acknowledgement adds.
    fn growth(&mut self, ack: &AckSample) -> f64;

    /// A congestion signal set the threshold: what is left of slow start leads up to it.
    fn on_cut(&mut self, kind: Congestion);

    /// Does it grow more slowly for now, to see whether slow start should end (RFC 9406 §4.2)?
    fn is_conservative(&self) -> bool {
        false
    }
}

macro_rules! slow_starts {
    ($($(#[$attribute:meta])* $file:ident: $name:literal $rule:ident;)*) => {
        $(pub mod $file;)*

        /// Which rule of growth a connection has.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub enum SlowStartKind { $($(#[$attribute])* #[doc = concat!("See [`", stringify!($file), "`].")] #[serde(rename = $name)] $rule,)* }

        /// Any rule of growth.
        #[derive(Clone, Debug)]
        pub enum AnyRule { $(#[doc = concat!("See [`", stringify!($file), "`].")] $rule($file::$rule),)* }

        impl AnyRule {
            /// The rule of this kind, at the start of a connection.
            pub fn new(kind: SlowStartKind, sender: SenderTraits) -> Self {
                match kind { $(SlowStartKind::$rule => AnyRule::$rule($file::$rule::new(sender)),)* }
            }
        }

        impl SlowStartRule for AnyRule {
            fn wants(&self) -> Wants {
                match self { $(AnyRule::$rule(rule) => rule.wants(),)* }
            }

            #[inline(always)]
            fn ends(&mut self, window: f64, ack: &AckSample) -> bool {
                match self { $(AnyRule::$rule(rule) => rule.ends(window, ack),)* }
            }

            #[inline(always)]
            fn growth(&mut self, ack: &AckSample) -> f64 {
                match self { $(AnyRule::$rule(rule) => rule.growth(ack),)* }
            }

            fn on_cut(&mut self, kind: Congestion) {
                match self { $(AnyRule::$rule(rule) => rule.on_cut(kind),)* }
            }

            fn is_conservative(&self) -> bool {
                match self { $(AnyRule::$rule(rule) => rule.is_conservative(),)* }
            }
        }
    };
}

slow_starts! {
    #[default]
    standard: "standard" Standard;
    hystart_plus_plus: "hystart++" HystartPlusPlus;
    hystart: "hystart" Hystart;
    hystart_train: "hystart-train" HystartTrain;
    hystart_delay: "hystart-delay" HystartDelay;
}

impl SlowStartKind {
    /// Most packets that one acknowledgement counts for in slow start: L of RFC 3465 §2.2 is 2, that of RFC 9406 §4.3 is 8, and without
    /// bound where the sender is paced.
    pub const fn counted(self, paced: bool) -> u32 {
        match self {
            SlowStartKind::HystartPlusPlus if paced => u32::MAX,
            SlowStartKind::HystartPlusPlus => 8,
            SlowStartKind::Standard
            | SlowStartKind::Hystart
            | SlowStartKind::HystartTrain
            | SlowStartKind::HystartDelay => 2,
        }
    }
}

/// The slow start of one connection. Where its rule is the standard one, there is none beside it.
#[derive(Clone, Debug)]
pub struct SlowStart {
    threshold: f64,
}

impl SlowStart {
    /// The smallest threshold after a congestion signal, in packets (RFC 5681 §3.1, equation 4).
    pub const THRESHOLD_MIN: f64 = 2.0;

    /// A connection's first slow start; without a threshold it runs until a congestion signal or the rule ends it.
    pub fn new(threshold: Option<Window>) -> Self {
        SlowStart { threshold: threshold.map_or(f64::INFINITY, Window::packets) }
    }

    /// Is a window of this size in slow start?
    #[inline(always)]
    pub fn covers(&self, window: f64) -> bool {
        window < self.threshold
    }

    /// An acknowledgement arrived. Is this window in slow start?
    #[inline(always)]
    pub fn on_ack(&mut self, rule: Option<&mut impl SlowStartRule>, window: f64, ack: &AckSample) -> bool {
        if !self.covers(window) {
            return false;
        }
        let ends = rule.is_some_and(|rule| rule.ends(window, ack));
        if ends {
            self.threshold = window;
        }
        !ends
    }

    /// A congestion signal was answered: slow start, if there is any left, leads up to this window.
    pub fn cut_to(&mut self, window: f64) {
        self.threshold = window.max(Self::THRESHOLD_MIN);
    }

    /// A cut was withdrawn: the threshold is what it was before.
    pub fn restore(&mut self, threshold: f64) {
        self.threshold = threshold;
    }

    /// The threshold.
    pub fn threshold(&self) -> Window {
        Window::from_packets(self.threshold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Time;

    /// Ends with the first round, at eight packets or more.
    struct OneRound;

    impl SlowStartRule for OneRound {
        fn wants(&self) -> Wants {
            Wants { rounds: true, ..Wants::NOTHING }
        }

        fn ends(&mut self, window: f64, ack: &AckSample) -> bool {
            ack.round_ended && window >= 8.0
        }

        fn growth(&mut self, ack: &AckSample) -> f64 {
            f64::from(ack.newly_acked) / 2.0
        }

        fn on_cut(&mut self, _: Congestion) {}
    }

    fn ack(round_ended: bool) -> AckSample {
        AckSample { round_ended, ..AckSample::classic(Time::ZERO, 4, None, true) }
    }

    #[test]
    fn a_rule_says_when_slow_start_ends() {
        let mut slow_start = SlowStart::new(None);
        let mut goes_on =
            |window, round_ended| slow_start.on_ack(Some(&mut OneRound), window, &ack(round_ended));
        assert!(goes_on(7.0, true), "too small");
        assert!(goes_on(10.0, false));
        assert!(!goes_on(12.0, true), "the round ended");
        assert!(goes_on(11.0, false), "below the threshold");
        assert_eq!(slow_start.threshold().packets(), 12.0);
    }

    #[test]
    fn without_a_rule_only_the_threshold_ends_slow_start() {
        let mut slow_start = SlowStart::new(None);
        assert!(slow_start.on_ack(None::<&mut OneRound>, 1e6, &ack(true)));
        slow_start.cut_to(16.0);
        assert!(!slow_start.on_ack(None::<&mut OneRound>, 16.0, &ack(true)));
    }

    #[test]
    fn a_threshold_after_congestion_is_two_packets_at_least() {
        let mut slow_start = SlowStart::new(None);
        assert_eq!(slow_start.threshold().packets(), f64::INFINITY);
        slow_start.cut_to(1.0);
        assert_eq!(slow_start.threshold().packets(), 2.0);
    }
}
