//! Units of the field as types: `Time`, `Span`, `Rate`, `Bytes`, `Window`, `Probability`.
//!
//! Time is integer nanoseconds from the start of a run. Only operators with a meaning exist
//! (`Bytes / Rate = Span`, `Time + Span = Time`), so bits for bytes or ms for µs do not compile.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Sub, SubAssign};

const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// A moment: nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A length of time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

/// Bits per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate(u64);

/// A number of bytes on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(u64);

/// A congestion window in packets; real-valued, as every paper writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Window(f64);

/// A probability in \[0, 1\].
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Probability(f64);

impl Time {
    /// The start of a run.
    pub const ZERO: Time = Time(0);
    /// Later than any moment of a run: "never".
    pub const NEVER: Time = Time(u64::MAX);

    /// From nanoseconds since the start.
    pub const fn from_nanos(nanos: u64) -> Self {
        Time(nanos)
    }

    /// Nanoseconds since the start.
    pub const fn nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start, for people to read.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND as f64
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);

    /// From nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        Span(nanos)
    }

    /// From microseconds.
    pub const fn from_micros(micros: u64) -> Self {
        Span(micros * 1_000)
    }

    /// From milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Span(millis * 1_000_000)
    }

    /// From whole seconds.
    pub const fn from_seconds(seconds: u64) -> Self {
        Span(seconds * NANOS_PER_SECOND)
    }

    /// Nanoseconds.
    pub const fn nanos(self) -> u64 {
        self.0
    }

    /// Nanoseconds as a real number, of a span below 292 years: through a signed number, which is a third of the work.
    #[inline]
    pub const fn real(self) -> f64 {
        self.0.cast_signed() as f64
    }

    /// Twice as long, and never an overflow.
    pub const fn doubled(self) -> Self {
        Span(self.0.saturating_mul(2))
    }
}

impl Rate {
    /// From bits per second.
    pub const fn from_bits_per_second(bits: u64) -> Self {
        Rate(bits)
    }

    /// Bits per second.
    pub const fn bits_per_second(self) -> u64 {
        self.0
    }
}

impl Bytes {
    /// None.
    pub const ZERO: Bytes = Bytes(0);

    /// The number as a real one, below 2⁶³: through a signed number, which is a third of the work.
    #[inline]
    pub const fn real(self) -> f64 {
        self.0.cast_signed() as f64
    }

    /// From a count of bytes.
    pub const fn new(bytes: u64) -> Self {
        Bytes(bytes)
    }

    /// The count.
    pub const fn count(self) -> u64 {
        self.0
    }
}

impl Window {
    /// From packets.
    pub const fn from_packets(packets: f64) -> Self {
        Window(packets)
    }

    /// Packets, as a real number.
    pub const fn packets(self) -> f64 {
        self.0
    }

    /// Whole packets that may be in flight: `floor(w)`.
    pub fn whole_packets(self) -> u32 {
        self.0 as u32
    }
}

/// The larger of two numbers that are none of them NaN: an instruction, where [`f64::max`] takes five.
#[inline(always)]
pub fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The smaller of two numbers that are none of them NaN.
#[inline(always)]
pub fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

impl Probability {
    /// From a number in \[0, 1\]; `None` for anything else.
    pub fn new(value: f64) -> Option<Self> {
        (0.0..=1.0).contains(&value).then_some(Probability(value))
    }

    /// The number.
    pub const fn value(self) -> f64 {
        self.0
    }
}

impl Add<Span> for Time {
    type Output = Time;
    fn add(self, span: Span) -> Time {
        Time(self.0 + span.0)
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        self.0 += span.0;
    }
}

impl Sub for Time {
    type Output = Span;
    fn sub(self, earlier: Time) -> Span {
        Span(self.0 - earlier.0)
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0 + other.0)
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Span) {
        self.0 += other.0;
    }
}

impl Add for Bytes {
    type Output = Bytes;
    fn add(self, other: Bytes) -> Bytes {
        Bytes(self.0 + other.0)
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Bytes) {
        self.0 += other.0;
    }
}

impl Sub for Bytes {
    type Output = Bytes;
    fn sub(self, part: Bytes) -> Bytes {
        Bytes(self.0 - part.0)
    }
}

impl SubAssign for Bytes {
    fn sub_assign(&mut self, part: Bytes) {
        self.0 -= part.0;
    }
}

impl Div<Span> for Bytes {
    type Output = Rate;

    /// The rate that carries these bytes in this time, to the nearest bit per second.
    fn div(self, span: Span) -> Rate {
        let bit_nanos = u128::from(self.0) * 8 * u128::from(NANOS_PER_SECOND);
        let span = u128::from(span.0);
        Rate(((bit_nanos + span / 2) / span) as u64)
    }
}

impl Div<Rate> for Bytes {
    type Output = Span;

    /// Time to put these bytes on a wire of this rate, to the nearest nanosecond.
    fn div(self, rate: Rate) -> Span {
        let bit_nanos = u128::from(self.0) * 8 * u128::from(NANOS_PER_SECOND);
        let rate = u128::from(rate.0);
        Span(((bit_nanos + rate / 2) / rate) as u64)
    }
}

/// `base` to the power `exponent`, the same to the last bit on every platform, which the standard library's is not.
pub fn power(base: f64, exponent: f64) -> f64 {
    libm::pow(base, exponent)
}

/// The cube root, the same to the last bit on every platform, which the standard library's is not.
pub fn cube_root(value: f64) -> f64 {
    libm::cbrt(value)
}

/// The natural logarithm, the same to the last bit on every platform, which the standard library's is not.
pub fn logarithm(value: f64) -> f64 {
    libm::log(value)
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09} s", self.0 / NANOS_PER_SECOND, self.0 % NANOS_PER_SECOND)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serialisation_time_is_bits_over_rate() {
        let check = |bytes, rate, nanos| {
            assert_eq!(Bytes::new(bytes) / Rate::from_bits_per_second(rate), Span::from_nanos(nanos));
        };
        check(1000, 100_000_000, 80_000);
        check(40, 100_000_000, 3_200);
        check(1000, 1_000_000_000, 8_000);
        check(1000, 3_000_000_000, 2_667); // 2666.67 rounds up
        check(1, 1, 8_000_000_000);
    }

    #[test]
    fn a_rate_is_bits_over_time() {
        let check = |bytes, nanos, rate| {
            assert_eq!(Bytes::new(bytes) / Span::from_nanos(nanos), Rate::from_bits_per_second(rate));
        };
        check(1000, 80_000, 100_000_000);
        check(2, 3_000_000_000, 5); // 5.33 rounds down
        check(1, 3_000_000_000, 3); // 2.67 rounds up
    }

    #[test]
    fn a_window_admits_whole_packets() {
        assert_eq!(Window::from_packets(10.99).whole_packets(), 10);
    }

    #[test]
    fn a_power_is_what_multiplication_gives() {
        for base in [0.5, 3.0, 10.0] {
            assert!((power(base, 3.0) / (base * base * base) - 1.0).abs() < 1e-15);
            assert!((power(base, 0.5) / base.sqrt() - 1.0).abs() < 1e-15);
            assert_eq!(power(base, 0.0), 1.0);
        }
    }

    #[test]
    fn a_cube_root_undoes_a_cube() {
        for root in [0.0, 0.1, 1.0, 7.0, 1234.5] {
            assert!((cube_root(root * root * root) - root).abs() <= 1e-15 * root);
        }
    }

    #[test]
    fn a_logarithm_undoes_a_power() {
        for exponent in [-3.0, 0.5, 2.0] {
            assert!((logarithm(power(10.0, exponent)) - exponent * logarithm(10.0)).abs() < 1e-14);
        }
        assert_eq!(logarithm(1.0), 0.0);
    }

    #[test]
    fn a_probability_stays_in_its_interval() {
        assert!(Probability::new(1.5).is_none() && Probability::new(f64::NAN).is_none());
        assert_eq!(Probability::new(0.25).map(Probability::value), Some(0.25));
    }
}
