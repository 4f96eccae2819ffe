//! Random early detection: packets are dropped or marked at random before the queue is full, more often as the average queue grows.
//!
//! Source: [FloydJacobson93] Fig. 2 (average, idle time, spacing `uniform`), [FloydGentle00] (`gentle`), [Floyd94] and
//! RFC 3168 §5 (marks in place of drops). The order of operations and the spacing `wait` are those of ns-2.35 and ns-3.
//!
//! | parameter   | unit    | default | why                                                                              |
//! |-------------|---------|---------|----------------------------------------------------------------------------------|
//! | packets     | packets | given   | a limit in packets, or                                                           |
//! | bytes       | bytes   | given   | a limit in bytes; neither counts the packet in transmission, as in ns-2          |
//! | min         | packets | 25      | [Floyd00] footnote 1                                                             |
//! | max         | packets | 125     | [Floyd00] footnote 1: five times min                                             |
//! | max_p       | 1       | 0.1     | [Floyd00] footnote 1                                                             |
//! | weight      | 1       | 0.002   | [FloydJacobson93] §6                                                             |
//! | gentle      | flag    | true    | [FloydGentle00]; [Floyd00] footnote 1                                            |
//! | spacing     | choice  | wait    | ns-2 and ns-3                                                                    |
//! | ecn         | flag    | false   | RFC 3168; ns-2 and ns-3                                                          |
//! | mean_packet | bytes   | 1000    | the packet of the four studies; ns-2 takes 500                                   |
//!
//! Each arrival moves the average `avg ← (1 − weight)·avg + weight·q`, q being the packets it finds waiting. After an idle time the
//! average first decays as if as many typical packets as fit into that time had found the queue empty; if the rate of the link changes
//! meanwhile, each part of the time counts at its own rate. Between `min` and `max` the
//! average gives `p_b = max_p·(avg − min)/(max − min)`; with `gentle` it rises on to 1 at 2·`max`; without, it is 1 from `max` on. With
//! `count` arrivals since the last drop or mark, this one included, and x = count·p_b:
//!
//! | spacing | probability                                    | drops at a fixed average |
//! |---------|------------------------------------------------|--------------------------|
//! | wait    | 0 for x < 1, p_b/(2 − x) for x < 2, else 1     | 0.67·p_b                 |
//! | uniform | p_b/(1 − x) for x < 1, else 1                  | 2·p_b                    |
//! | none    | p_b                                            | p_b                      |
//!
//! Differs from the paper, as ns-2 does: a packet that finds the average newly above `min` only starts the count. Nothing is dropped
//! early while fewer than two packets wait. A drop for lack of room restarts the count. An arrival at an idle queue moves the average
//! by one step more than the idle time alone would. Differs from ns-2: marks end at `max` and not at a separate probability (there 0.1,
//! the same for `max_p = 0.1`). A drop of probability 1 counts as forced. Thresholds are in packets even where the limit is in bytes.

use super::limit::Limit;
use super::{
    Admission, ArrivalRule, DisciplineInfo, DisciplineParameter, DisciplineSpec, DropReason, Marking,
    QueueState, ScenarioError, TransmitterState, require,
};
use crate::packet::{ECT, Packet};
use crate::random::Stream;
use sawtooth_cc::units::{Rate, Time, power};
use serde::{Deserialize, Serialize};

/// Its row in the table.
pub const INFO: DisciplineInfo = DisciplineInfo {
    summary: "random early detection on the average queue; with ecn it marks ECN-capable packets below max",
    source: "FloydJacobson93; RFC 3168",
    draws: true,
    marking: Marking::WithEcn,
    parameters: PARAMETERS,
    ..DisciplineInfo::BLANK
};

/// What can be set besides the buffer.
pub const PARAMETERS: &[DisciplineParameter] = &[
    DisciplineParameter::new(
        "min",
        "real",
        "packets",
        "above 0, at most 1e9 packets",
        "Average queue below which nothing is dropped early. Default: Floyd00 footnote 1",
    ),
    DisciplineParameter::new(
        "max",
        "real",
        "packets",
        "above min, at most 1e9 packets",
        "Average queue from which drops replace marks. Default: Floyd00 footnote 1, five times min",
    ),
    DisciplineParameter::new(
        "max_p",
        "real",
        "1",
        "0 < max_p ≤ 1",
        "Probability of an early drop as the average reaches max. Default: Floyd00 footnote 1",
    ),
    DisciplineParameter::new(
        "weight",
        "real",
        "1",
        "0 < weight ≤ 1",
        "Weight of an arrival in the average. Default: FloydJacobson93 §6",
    ),
    DisciplineParameter::new(
        "gentle",
        "flag",
        "",
        "true or false",
        "Between max and 2·max the probability rises from max_p to 1; false: it is 1 from max on. Default: \
         FloydGentle00 and Floyd00 footnote 1",
    ),
    DisciplineParameter::choice(
        "spacing",
        &["wait", "uniform", "none"],
        "How early drops are spaced; at a fixed average the choices drop 0.67, 2 and 1 times p_b. Default: \
         ns-2 and ns-3; FloydJacobson93 has uniform",
    ),
    DisciplineParameter::new(
        "ecn",
        "flag",
        "",
        "true or false",
        "Below max, ECN-capable packets are marked instead of dropped (RFC 3168)",
    )
    .of_marks(),
    DisciplineParameter::new(
        "mean_packet",
        "size",
        "bytes",
        "1 B to 65535 B",
        "Size of a typical packet: it sets how fast the average decays while the queue is idle. Default: the packet of the studies",
    ),
];

/// The numbers of random early detection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RedSpec {
    /// Packets that may wait, without the one in transmission.
    pub packets: Option<u64>,
    /// Bytes that may wait, without those in transmission.
    pub bytes: Option<u64>,
    /// Average below which nothing is dropped, packets.
    pub min: f64,
    /// Average at which drops take the place of marks, packets.
    pub max: f64,
    /// Probability on reaching `max`.
    pub max_p: f64,
    /// Weight of an arrival in the average.
    pub weight: f64,
    /// From `max` to twice that the probability rises to 1, instead of jumping there.
    pub gentle: bool,
    /// How drops keep their distance.
    pub spacing: Spacing,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
    /// Bytes of a typical packet, for the average of an idle queue.
    pub mean_packet: u64,
}

impl Default for RedSpec {
    fn default() -> Self {
        RedSpec {
            packets: None,
            bytes: None,
            min: 25.0,
            max: 125.0,
            max_p: 0.1,
            weight: 0.002,
            gentle: true,
            spacing: Spacing::default(),
            ecn: false,
            mean_packet: 1000,
        }
    }
}

/// How the drops of RED keep their distance from each other, `p` being the probability that the average gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Spacing {
    /// Evenly over 1/p to 2/p packets.
    #[default]
    Wait,
    /// Evenly over 1 to 1/p packets.
    Uniform,
    /// Each packet independently.
    None,
}

impl DisciplineSpec for RedSpec {
    type Discipline = Red;

    fn limit(&self) -> (Option<u64>, Option<u64>) {
        (self.packets, self.bytes)
    }

    fn check(&self, path: &str) -> Result<(), ScenarioError> {
        let at = |name: &str| format!("{path}.{name}");
        let RedSpec { min, max, max_p, weight, mean_packet, .. } = *self;
        require(min > 0.0 && min < 1e9, at("min"), min, "above 0, at most 1e9 packets")?;
        require(max > min && max <= 1e9, at("max"), max, "above min, at most 1e9 packets")?;
        require(max_p > 0.0 && max_p <= 1.0, at("max_p"), max_p, "0 < max_p ≤ 1")?;
        require(weight > 0.0 && weight <= 1.0, at("weight"), weight, "0 < weight ≤ 1")?;
        let packet = (1..=u64::from(u16::MAX)).contains(&mean_packet);
        require(packet, at("mean_packet"), mean_packet, "1 B to 65535 B")
    }

    fn build(&self, rate: Rate) -> Red {
        Red { detector: Detector::new(self, rate) }
    }
}

/// What is given, in the form in which it is used.
#[derive(Clone, Debug)]
struct Params {
    limit: Limit,
    min: f64,
    max: f64,
    max_p: f64,
    weight: f64,
    /// Probability per packet between `min` and `max`.
    slope: f64,
    /// The same from `max` on; infinite unless gentle.
    gentle_slope: f64,
    spacing: Spacing,
    ecn: bool,
    /// Bit · s/ns of a typical packet, and bits per second: their quotient is its time.
    packet: u64,
    rate: u64,
}

/// What evolves.
#[derive(Clone, Debug, Default)]
struct State {
    average: f64,
    /// Arrivals since the last drop or mark.
    count: u64,
    above_min: bool,
    /// When the rate changed last; idle time before it has been passed.
    rate_since: Time,
}

/// Averages and decides; what becomes of packets is counted by the frame. RED and RIO are made of it.
#[derive(Clone, Debug)]
pub struct Detector {
    params: Params,
    state: State,
}

impl Detector {
    /// A detector that has seen no packet, before a link of this rate.
    pub fn new(spec: &RedSpec, rate: Rate) -> Self {
        let RedSpec { min, max, max_p, weight, .. } = *spec;
        Detector {
            params: Params {
                limit: spec.buffer(),
                min,
                max,
                max_p,
                weight,
                slope: max_p / (max - min),
                gentle_slope: if spec.gentle { (1.0 - max_p) / max } else { f64::INFINITY },
                spacing: spec.spacing,
                ecn: spec.ecn,
                packet: 8_000_000_000 * spec.mean_packet,
                rate: rate.bits_per_second(),
            },
            state: State::default(),
        }
    }

    /// The average queue, packets.
    pub fn average(&self) -> f64 {
        self.state.average
    }

    /// A packet arrives and moves the average.
    #[inline]
    pub fn observe(&mut self, found: &QueueState) {
        if found.idle_since != Time::NEVER {
            self.pass_idle_time(found.idle_since, found.now);
        }
        let weight = self.params.weight;
        self.state.average = (1.0 - weight) * self.state.average + weight * found.waiting.packets as f64;
    }

    /// Typical packets that could have been sent meanwhile found the queue empty.
    fn pass_idle_time(&mut self, since: Time, now: Time) {
        let idle_ns = (now - since.max(self.state.rate_since)).nanos();
        let packets = u128::from(idle_ns) * u128::from(self.params.rate) / u128::from(self.params.packet);
        if packets > 0 {
            self.state.average *= power(1.0 - self.params.weight, packets as f64);
        }
    }

    /// The link sends at this rate from now on.
    pub fn set_rate(&mut self, rate: Rate, transmitter: &TransmitterState) {
        if transmitter.idle_since != Time::NEVER {
            self.pass_idle_time(transmitter.idle_since, transmitter.now);
        }
        (self.params.rate, self.state.rate_since) = (rate.bits_per_second(), transmitter.now);
    }

    /// What becomes of a packet that arrives now.
    #[inline]
    pub fn judge(&mut self, arrival: Packet, found: &QueueState, random: &mut Stream) -> Admission {
        let Detector { params, state } = self;
        state.count += 1;
        let mut admission = Admission::Wait;
        if state.average < params.min || found.waiting.packets < 2 {
            state.above_min = false;
        } else if !state.above_min {
            (state.above_min, state.count) = (true, 1);
        } else {
            admission = self.draw(arrival, random);
        }
        if !self.params.limit.has_room(found.waiting, arrival) {
            admission = Admission::Drop(DropReason::Full);
        }
        if admission != Admission::Wait {
            self.state.count = 0;
        }
        admission
    }

    fn draw(&self, arrival: Packet, random: &mut Stream) -> Admission {
        let Params { max, spacing, ecn, .. } = self.params;
        let State { average, count, .. } = self.state;
        let even = self.params.probability(average);
        let spaced = spaced(spacing, even, count);
        let hit = spaced >= 1.0 || spaced > 0.0 && random.uniform() < spaced;
        if !hit {
            Admission::Wait
        } else if ecn && arrival.has(ECT) && average < max {
            Admission::Mark
        } else {
            Admission::Drop(if even >= 1.0 { DropReason::Forced } else { DropReason::Early })
        }
    }
}

impl Params {
    /// `p_b` at this average, which is not below `min`.
    fn probability(&self, average: f64) -> f64 {
        let rising = match average < self.max {
            true => self.slope * (average - self.min),
            false if self.gentle_slope.is_finite() => self.max_p + self.gentle_slope * (average - self.max),
            false => 1.0,
        };
        rising.min(1.0)
    }
}

/// The probability for the `count`-th packet since the last one that was hit, `p` being what the average gives.
fn spaced(spacing: Spacing, p: f64, count: u64) -> f64 {
    let x = count as f64 * p;
    match spacing {
        Spacing::Wait if x < 1.0 => 0.0,
        Spacing::Wait if x < 2.0 => (p / (2.0 - x)).min(1.0),
        Spacing::Uniform if x < 1.0 => (p / (1.0 - x)).min(1.0),
        Spacing::Wait | Spacing::Uniform => 1.0,
        Spacing::None => p,
    }
}

/// A RED queue.
#[derive(Debug)]
pub struct Red {
    detector: Detector,
}

impl ArrivalRule for Red {
    #[inline]
    fn admit(&mut self, arrival: Packet, found: &QueueState, random: &mut Stream) -> Admission {
        self.detector.observe(found);
        self.detector.judge(arrival, found, random)
    }

    fn set_rate(&mut self, rate: Rate, transmitter: &TransmitterState) {
        self.detector.set_rate(rate, transmitter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::PacketKind;
    use crate::queue::Backlog;

    fn close(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 1e-9 * expected.abs().max(1.0)
    }

    fn found(packets: u64, idle_since: Time, now_ns: u64) -> QueueState {
        let waiting = Backlog { packets, bytes: 1000 * packets };
        let now = Time::from_nanos(now_ns);
        QueueState { now, waiting, in_transmission: Backlog::default(), idle_since }
    }

    #[test]
    fn the_average_approaches_what_arrivals_find_and_decays_while_idle() {
        // 1000 bytes at 8 Mbit/s: a typical packet a millisecond.
        let spec = RedSpec { packets: Some(100), weight: 0.01, ..RedSpec::default() };
        let mut red = Detector::new(&spec, Rate::from_bits_per_second(8_000_000));
        for n in 1..=50 {
            red.observe(&found(20, Time::NEVER, 0));
            assert!(close(red.average(), 20.0 * (1.0 - power(0.99, f64::from(n)))), "after {n} arrivals");
        }
        let before = red.average();
        // Idle for 30.9 ms: thirty whole packets, and this arrival, found the queue empty.
        red.observe(&found(0, Time::from_nanos(1_000_000), 31_900_000));
        assert!(close(red.average(), before * power(0.99, 31.0)), "{}", red.average());
        // Idle for less than a packet: this arrival alone.
        let before = red.average();
        red.observe(&found(0, Time::from_nanos(40_000_000), 40_999_999));
        assert!(close(red.average(), before * 0.99));
    }

    #[test]
    fn each_part_of_an_idle_time_counts_at_its_own_rate() {
        // 1000 bytes: a typical packet a millisecond at 8 Mbit/s, one in 4 ms at 2 Mbit/s.
        let spec = RedSpec { packets: Some(100), weight: 0.01, ..RedSpec::default() };
        let mut red = Detector::new(&spec, Rate::from_bits_per_second(8_000_000));
        red.observe(&found(50, Time::NEVER, 0));
        let before = red.average();
        let (idle_since, now) = (Time::from_nanos(1_000_000), Time::from_nanos(11_000_000));
        let transmitter = TransmitterState { now, in_transmission: Backlog::default(), idle_since };
        red.set_rate(Rate::from_bits_per_second(2_000_000), &transmitter);
        // Ten packets before the change, five after it, and this arrival.
        red.observe(&found(0, idle_since, 31_000_000));
        assert!(close(red.average(), before * power(0.99, 16.0)), "{}", red.average());
        // A busy time, and an idle one at the new rate alone.
        let before = red.average();
        red.observe(&found(0, Time::from_nanos(40_000_000), 60_000_000));
        assert!(close(red.average(), before * power(0.99, 6.0)), "{}", red.average());
    }

    #[test]
    fn the_probability_rises_to_max_p_and_from_there_gently_or_at_once() {
        let spec = RedSpec { packets: Some(1000), min: 20.0, max: 60.0, max_p: 0.2, ..RedSpec::default() };
        let rate = Rate::from_bits_per_second(1);
        let gentle = Detector::new(&spec, rate).params;
        let steep = Detector::new(&RedSpec { gentle: false, ..spec }, rate).params;
        for (average, even, at_once) in [
            (20.0, 0.0, 0.0),
            (30.0, 0.05, 0.05),
            (50.0, 0.15, 0.15),
            (60.0, 0.2, 1.0),
            (90.0, 0.6, 1.0), // halfway from max to twice max
            (120.0, 1.0, 1.0),
            (500.0, 1.0, 1.0),
        ] {
            assert!(close(gentle.probability(average), even), "{average}");
            assert!(close(steep.probability(average), at_once), "{average}");
        }
    }

    /// The chance that the first hit is this packet, packets being counted from 1.
    fn first_hit(spacing: Spacing, p: f64, packets: u64) -> Vec<f64> {
        let mut left = 1.0;
        (1..=packets)
            .map(|count| {
                let hit = left * spaced(spacing, p, count);
                left -= hit;
                hit
            })
            .collect()
    }

    #[test]
    fn distances_between_hits_are_spread_evenly() {
        const N: u64 = 64; // p = 1/64
        let even = |from: u64, to: u64| {
            let share = 1.0 / (to - from + 1) as f64;
            (1..=3 * N).map(|n| if (from..=to).contains(&n) { share } else { 0.0 }).collect::<Vec<_>>()
        };
        let p = 1.0 / N as f64;
        let alike = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(alike(&first_hit(Spacing::Wait, p, 3 * N), &even(N, 2 * N - 1)));
        assert!(alike(&first_hit(Spacing::Uniform, p, 3 * N), &even(1, N - 1)));
        let geometric: Vec<f64> = (0..3 * N).map(|n| p * power(1.0 - p, n as f64)).collect();
        assert!(alike(&first_hit(Spacing::None, p, 3 * N), &geometric));
    }

    #[test]
    fn the_first_packet_above_min_only_starts_the_count() {
        // The average is what the arrival finds, and 30 packets mean certain death.
        let spec = RedSpec {
            packets: Some(100),
            weight: 1.0,
            min: 10.0,
            max: 20.0,
            gentle: false,
            ..RedSpec::default()
        };
        let mut red = spec.build(Rate::from_bits_per_second(1));
        let mut random = Stream::new("1", "test");
        let mut admit = |packets| {
            let packet = Packet::new(PacketKind::Data, 0, 0, 1000, 0);
            red.admit(packet, &found(packets, Time::NEVER, 0), &mut random)
        };
        let forced = Admission::Drop(DropReason::Forced);
        assert_eq!([admit(30), admit(30), admit(30)], [Admission::Wait, forced, forced]);
        assert_eq!([admit(9), admit(30), admit(30)], [Admission::Wait, Admission::Wait, forced]);
        assert_eq!(admit(100), Admission::Drop(DropReason::Full));
    }
}
