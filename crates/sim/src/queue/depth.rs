//! A depth of a queue: packets that wait, or the time that the link needs for what waits.

use super::{Backlog, ScenarioError, require};
use sawtooth_cc::units::Rate;
use serde::{Deserialize, Serialize};

/// A depth as a scenario gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Depth {
    /// So many packets.
    Packets(u64),
    /// So many nanoseconds of the link.
    Ns(u64),
}

/// A depth before a link whose rate is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// So many packets.
    Packets(u64),
    /// So many bytes.
    Bytes(u64),
}

impl Depth {
    /// What a scenario accepts.
    pub const ACCEPTED: &'static str = "1 to 1e9 packets, or a time of 1 us to 1 day";
    const PACKETS_MAX: u64 = 1_000_000_000;
    const NS_MIN: u64 = 1_000;
    const NS_MAX: u64 = 86_400 * 1_000_000_000;

    /// Check that it lies in its range.
    ///
    /// # Errors
    /// The value found at `path`, and what is accepted.
    pub fn check(self, path: String) -> Result<(), ScenarioError> {
        match self {
            Depth::Packets(packets) => {
                require((1..=Self::PACKETS_MAX).contains(&packets), path, packets, Self::ACCEPTED)
            }
            Depth::Ns(nanos) => {
                require((Self::NS_MIN..=Self::NS_MAX).contains(&nanos), path, nanos, Self::ACCEPTED)
            }
        }
    }

    /// This depth before a link of this rate: a time is as many bytes as the link carries in it, at least one.
    pub fn before(self, rate: Rate) -> Mark {
        match self {
            Depth::Packets(packets) => Mark::Packets(packets),
            Depth::Ns(nanos) => {
                let bytes = u128::from(nanos) * u128::from(rate.bits_per_second()) / 8_000_000_000;
                Mark::Bytes(bytes.max(1) as u64)
            }
        }
    }
}

impl Mark {
    /// Does at least this much wait?
    #[inline]
    pub fn is_reached_by(self, waiting: Backlog) -> bool {
        match self {
            Mark::Packets(packets) => waiting.packets >= packets,
            Mark::Bytes(bytes) => waiting.bytes >= bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_what_the_link_carries_in_it() {
        // 10 Mbit/s carry 1250 bytes in a millisecond.
        let mark = Depth::Ns(1_000_000).before(Rate::from_bits_per_second(10_000_000));
        assert_eq!(mark, Mark::Bytes(1_250));
        assert!(mark.is_reached_by(Backlog { packets: 2, bytes: 1_250 }));
        assert!(!mark.is_reached_by(Backlog { packets: 2, bytes: 1_249 }));
        assert_eq!(Depth::Ns(1_000).before(Rate::from_bits_per_second(1)), Mark::Bytes(1));
        let packets = Depth::Packets(3).before(Rate::from_bits_per_second(1));
        assert!(packets.is_reached_by(Backlog { packets: 3, bytes: 0 }));
        assert!(!packets.is_reached_by(Backlog { packets: 2, bytes: 1_000_000 }));
    }

    #[test]
    fn a_depth_out_of_range_is_refused_with_what_is_accepted() {
        for depth in [Depth::Packets(0), Depth::Packets(2_000_000_000), Depth::Ns(999), Depth::Ns(u64::MAX)] {
            let error = depth.check("threshold".to_owned()).expect_err("out of range");
            assert_eq!((error.path.as_str(), error.expected.as_str()), ("threshold", Depth::ACCEPTED));
        }
        assert!(Depth::Packets(1).check(String::new()).is_ok());
    }
}
