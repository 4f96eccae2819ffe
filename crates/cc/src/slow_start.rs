//! Slow start: the threshold below which it runs, what ends it, and the rule of its growth.
//!
//! Source: RFC 5681 §3.1. A rule of growth is a file under `slow_start/` and a line in `slow_starts!`; every window law has it then.
//!
//! | parameter         | unit    | default  | why                                                            |
//! |-------------------|---------|----------|----------------------------------------------------------------|
//! | initial threshold | packets | none     | RFC 5681 §3.1: "arbitrarily high"                              |
//! | exit              | choice  | half     | ns-2 halves when slow start overshoots, because doubling does so by up to a factor two; `law` applies the controller's own decrease |
//! | rule              | choice  | standard | RFC 5681 §3.1                                                  |

use crate::controller::Wants;
use crate::sample::AckSample;
use crate::settings::ControlSettings;
use crate::units::Window;
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

/// A rule of growth.
pub trait SlowStartRule {
    /// What it needs to be told.
    fn wants(&self) -> Wants;

    /// An acknowledgement arrived in slow start. Does slow start end here, at this window?
    fn ends(&mut self, window: f64, ack: &AckSample) -> bool;

    /// Packets that this acknowledgement adds.
    fn growth(&mut self, ack: &AckSample) -> f64;

    /// A congestion signal set the threshold: what is left of slow start leads up to it.
    fn on_cut(&mut self);
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
            fn new(kind: SlowStartKind) -> Self {
                match kind { $(SlowStartKind::$rule => AnyRule::$rule($file::$rule::default()),)* }
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

            fn on_cut(&mut self) {
                match self { $(AnyRule::$rule(rule) => rule.on_cut(),)* }
            }
        }
    };
}

slow_starts! {
    #[default]
    standard: "standard" Standard;
}

/// The slow start of one connection.
#[derive(Clone, Debug)]
pub struct SlowStart<R = AnyRule> {
    threshold: f64,
    exit: SlowStartExit,
    rule: R,
}

impl SlowStart {
    /// A connection's first slow start; without a threshold it runs until a congestion signal or the rule ends it.
    pub fn new(settings: &ControlSettings) -> Self {
        SlowStart::with_rule(AnyRule::new(settings.slow_start), settings)
    }
}

impl<R: SlowStartRule> SlowStart<R> {
    /// The smallest threshold after a congestion signal, in packets (RFC 5681 §3.1, equation 4).
    pub const THRESHOLD_MIN: f64 = 2.0;

    fn with_rule(rule: R, settings: &ControlSettings) -> Self {
        let threshold = settings.initial_threshold.map_or(f64::INFINITY, Window::packets);
        SlowStart { threshold, exit: settings.slow_start_exit, rule }
    }

    /// What its rule needs to be told.
    pub fn wants(&self) -> Wants {
        self.rule.wants()
    }

    /// Is a window of this size in slow start?
    #[inline(always)]
    pub fn covers(&self, window: f64) -> bool {
        window < self.threshold
    }

    /// An acknowledgement arrived. Is this window in slow start?
    #[inline(always)]
    pub fn on_ack(&mut self, window: f64, ack: &AckSample) -> bool {
        if self.covers(window) && self.rule.ends(window, ack) {
            self.threshold = window;
        }
        self.covers(window)
    }

    /// Packets that an acknowledgement adds in slow start.
    #[inline(always)]
    pub fn growth(&mut self, ack: &AckSample) -> f64 {
        self.rule.growth(ack)
    }

    /// Must a loss at this window halve it instead of applying the law?
    pub fn halves(&self, window: f64) -> bool {
        self.exit == SlowStartExit::Half && self.covers(window)
    }

    /// A congestion signal was answered: slow start, if there is any left, leads up to this window.
    pub fn cut_to(&mut self, window: f64) {
        self.threshold = window.max(Self::THRESHOLD_MIN);
        self.rule.on_cut();
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

    /// Adds half of what is acknowledged, and ends with the first round, at eight packets or more, unless a cut came before.
    #[derive(Default)]
    struct OneRound {
        cuts: u32,
    }

    impl SlowStartRule for OneRound {
        fn wants(&self) -> Wants {
            Wants { rounds: true, ..Wants::NOTHING }
        }

        fn ends(&mut self, window: f64, ack: &AckSample) -> bool {
            ack.round_ended && window >= 8.0 && self.cuts == 0
        }

        fn growth(&mut self, ack: &AckSample) -> f64 {
            f64::from(ack.newly_acked) / 2.0
        }

        fn on_cut(&mut self) {
            self.cuts += 1;
        }
    }

    fn ack(round_ended: bool) -> AckSample {
        AckSample { round_ended, ..AckSample::classic(Time::ZERO, 4, None, true) }
    }

    #[test]
    fn a_rule_says_how_fast_slow_start_grows_and_when_it_ends() {
        let mut slow_start = SlowStart::with_rule(OneRound::default(), &ControlSettings::default());
        assert!(slow_start.wants().rounds);
        assert!(slow_start.on_ack(7.0, &ack(true)), "too small");
        assert!(slow_start.on_ack(10.0, &ack(false)));
        assert_eq!(slow_start.growth(&ack(false)), 2.0);
        assert!(!slow_start.on_ack(12.0, &ack(true)), "the round ended");
        assert_eq!(slow_start.threshold().packets(), 12.0);
        assert!(slow_start.on_ack(11.0, &ack(false)), "below the threshold");
    }

    #[test]
    fn a_rule_hears_of_cuts() {
        let mut slow_start = SlowStart::with_rule(OneRound::default(), &ControlSettings::default());
        slow_start.cut_to(16.0);
        assert!(slow_start.on_ack(15.0, &ack(true)), "only the first slow start ends with its first round");
        assert!(!slow_start.on_ack(16.0, &ack(false)));
    }

    #[test]
    fn a_threshold_after_congestion_is_two_packets_at_least() {
        let mut slow_start = SlowStart::new(&ControlSettings::default());
        assert_eq!(slow_start.threshold().packets(), f64::INFINITY);
        slow_start.cut_to(1.0);
        assert_eq!(slow_start.threshold().packets(), 2.0);
    }
}
