//! The floor: the least program that still does the work of the benchmark's dumbbell, packet by packet.
//!
//! What it does. Every packet is three events in the order of their times, integer ns: arrival at the bottleneck's queue, end of
//! its transmission, arrival of its acknowledgement at the sender. The queue is a drop-tail ring with the packets in it, the one in
//! transmission counted. Links of constant delay are FIFO rings, and only the heads of rings are compared. [`Way`] says how many there
//! are: one for each distinct round-trip time to the queue and one back, as the benchmark's own links lie; or a single one
//! to the queue, which is leaner; or none on the way back, where acknowledgements lie in buckets of time that are sorted when their turn
//! comes, which is leaner still with many round-trip times. Senders are window-based AIMD(1, 1/2) with slow start, clocked by acknowledgements; packets
//! numbers never repeat, so that a gap in what comes back is a loss; losses halve a window once per window of data. A flow from
//! which nothing returned for a second begins anew with a window of one packet.
//!
//! | number            | value                                     | why                                        |
//! |-------------------|-------------------------------------------|--------------------------------------------|
//! | packet            | 1000 B                                    | the benchmark's scenario                   |
//! | round-trip times  | evenly spaced over 120 ms ± 5 %           | the benchmark's scenario                   |
//! | starts            | 0.1 s apart, all within the first second  | the benchmark's scenario                   |
//! | state of a flow   | 32 B                                      | half a cache line                          |
//! | a packet          | 8 B waiting, 16 B (or 8 B) on a line      | flow, round-trip time and number fit       |
//!
//! What it leaves out. Rates and sizes other than the bottleneck's and its packets' (access links and acknowledgements take no time to
//! send), the receiver as a place of its own, retransmission (a lost packet's number is simply not sent again), scoreboard,
//! round-trip samples and timers of TCP, every counter but forwarded and dropped packets, every choice: one topology, one
//! controller, one discipline. Where one ring carries all packets to the queue, differences in round-trip time lie on the way back
//! alone; that changes nothing at the queue, since it shifts each sender's clock by a constant.

mod buckets;
mod lines;
mod ring;
mod sender;
mod transit;

pub use buckets::Buckets;
pub use lines::Lines;
pub use transit::{Single, Transit};

use ring::Ring;
use sender::Sender;

/// The largest number of flows: what of a packet's 64 bits says whose it is.
pub const FLOWS_MAX: u32 = 1 << 20;
/// Nothing is to happen.
const NEVER: u64 = u64::MAX;
const PACKET_BITS: u64 = 8_000;
/// From the sender to the queue.
const ACCESS_NS: u64 = 17_000_000;
const RTT_MIN_NS: u64 = 114_000_000;
const RTT_SPAN_NS: u64 = 12_000_000;
const SECOND_NS: u64 = 1_000_000_000;

/// What is simulated.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Senders, 1 to [`FLOWS_MAX`].
    pub flows: u32,
    /// Rate of the bottleneck, Mbit/s.
    pub mbit: u64,
    /// Packets that fit into its queue, the one in transmission included.
    pub buffer: usize,
    /// Simulated time.
    pub seconds: u64,
    /// Distinct round-trip times, 1 to the number of flows.
    pub rtts: u32,
}

/// How links of constant delay are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// One ring per round-trip time to the queue, and one back.
    Both,
    /// One ring to the queue, one per round-trip time back.
    Lines,
    /// One ring to the queue, sorted buckets back.
    Buckets,
}

impl Way {
    /// Every way with its name on the command line.
    pub const ALL: [(&str, Way); 3] = [("both", Way::Both), ("lines", Way::Lines), ("buckets", Way::Buckets)];
}

/// Where every packet of a run is at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Packets sent.
    pub sent: u64,
    /// Packets that the bottleneck transmitted.
    pub forwarded: u64,
    /// Packets that found the queue full.
    pub dropped: u64,
    /// Packets in the queue, the one in transmission included.
    pub queued: u64,
    /// Packets on the way to the queue.
    pub arriving: u64,
    /// Packets and acknowledgements on the way from the bottleneck to the sender.
    pub returning: u64,
    /// Acknowledgements that senders got.
    pub acknowledged: u64,
    /// How often a window was halved.
    pub halvings: u64,
    /// How often a flow began anew.
    pub restarts: u64,
}

/// A packet: whose it is, by which line it returns, and the lowest bits of its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet(u64);

impl Packet {
    /// Bits of the number that a packet carries; windows are far smaller.
    pub const NUMBER_BITS: u32 = 20;

    /// Bits of flow and number together.
    pub const NAME_BITS: u32 = 20 + Self::NUMBER_BITS;

    /// The packet `number` of `flow`, which returns by `line`.
    #[inline]
    pub fn new(flow: u32, line: u32, number: u32) -> Self {
        let number = u64::from(number) & ((1 << Self::NUMBER_BITS) - 1);
        Packet(u64::from(line) << Self::NAME_BITS | u64::from(flow) << Self::NUMBER_BITS | number)
    }

    #[inline]
    fn line(self) -> u32 {
        (self.0 >> Self::NAME_BITS) as u32
    }

    /// Flow and number together.
    #[inline]
    fn name(self) -> u64 {
        self.0 & ((1 << Self::NAME_BITS) - 1)
    }

    #[inline]
    fn flow_and_number(name: u64) -> (u32, u32) {
        ((name >> Self::NUMBER_BITS) as u32, name as u32 & ((1 << Self::NUMBER_BITS) - 1))
    }
}

/// The two delays of each line: to the queue, and from it to the receiver and back to the sender, ns.
#[derive(Clone, Copy, Debug)]
pub struct Delays {
    /// What neighbouring lines differ by on the way to the queue and on the way back, times 2^24.
    steps: [u64; 2],
}

impl Delays {
    /// Evenly spaced delays of so many lines, the difference on the way back alone or in equal parts on both.
    pub fn new(lines: u32, both: bool) -> Self {
        let step = (RTT_SPAN_NS << 24) / u64::from(lines.max(2) - 1);
        Delays { steps: if both { [step / 2, step / 2] } else { [0, step] } }
    }

    /// From the sender to the queue.
    #[inline]
    pub fn to_queue(self, line: u32) -> u64 {
        ACCESS_NS + ((u64::from(line) * self.steps[0]) >> 24)
    }

    /// From the queue to the receiver and back to the sender.
    #[inline]
    pub fn back(self, line: u32) -> u64 {
        RTT_MIN_NS - ACCESS_NS + ((u64::from(line) * self.steps[1]) >> 24)
    }
}

/// Run with links kept in this way.
pub fn run(settings: &Settings, way: Way) -> Counts {
    let delays = Delays::new(settings.rtts, way == Way::Both);
    let lines = || Lines::new(settings.rtts);
    match way {
        Way::Lines => Dumbbell::new(settings, delays, Single::default(), lines()).run(settings),
        Way::Both => Dumbbell::new(settings, delays, lines(), lines()).run(settings),
        Way::Buckets => {
            let buckets = Buckets::new(transmission_ns(settings.mbit));
            Dumbbell::new(settings, delays, Single::default(), buckets).run(settings)
        }
    }
}

fn transmission_ns(mbit: u64) -> u64 {
    (PACKET_BITS * 1_000 / mbit).max(1)
}

struct Dumbbell<A, R> {
    senders: Vec<Sender>,
    arriving: A,
    queue: Ring<Packet>,
    buffer: usize,
    transmission_ns: u64,
    transmitted_at: u64,
    returns: R,
    delays: Delays,
    counts: Counts,
}

impl<A: Transit, R: Transit> Dumbbell<A, R> {
    fn new(settings: &Settings, delays: Delays, arriving: A, returns: R) -> Self {
        let Settings { flows, rtts, .. } = *settings;
        assert!((1..=FLOWS_MAX).contains(&flows), "1 to {FLOWS_MAX} flows");
        assert!((1..=flows).contains(&rtts), "1 round-trip time to one for each flow");
        // Neighbours in number are far apart in round-trip time.
        let line = |flow: u32| (u64::from(flow) * 7919 % u64::from(rtts)) as u32;
        Dumbbell {
            senders: (0..flows).map(|flow| Sender::new(line(flow))).collect(),
            arriving,
            queue: Ring::with_room(settings.buffer),
            buffer: settings.buffer,
            transmission_ns: transmission_ns(settings.mbit),
            transmitted_at: NEVER,
            returns,
            delays,
            counts: Counts {
                sent: 0,
                forwarded: 0,
                dropped: 0,
                queued: 0,
                arriving: 0,
                returning: 0,
                acknowledged: 0,
                halvings: 0,
                restarts: 0,
            },
        }
    }

    fn run(mut self, settings: &Settings) -> Counts {
        let end = settings.seconds * SECOND_NS;
        let mut starts: Vec<(u64, u32)> = (0..settings.flows)
            .map(|flow| {
                (u64::from(flow % 10) * 100_000_000 + u64::from(flow / 10) * 100_000 % 100_000_000, flow)
            })
            .collect();
        starts.sort_unstable();
        let first_second = starts.iter().take_while(|(at, _)| *at < end);
        for &(at, flow) in first_second {
            self.events_before(at);
            self.senders[flow as usize].start();
            self.send(flow, at);
        }
        for second in 2..=settings.seconds {
            self.events_before(second * SECOND_NS);
            self.restart_silent(second * SECOND_NS);
        }
        self.events_before(end);
        Counts {
            queued: self.queue.len() as u64,
            arriving: self.arriving.len() as u64,
            returning: self.returns.len() as u64,
            ..self.counts
        }
    }

    fn events_before(&mut self, end: u64) {
        loop {
            let arrival = self.arriving.earliest();
            let back = self.returns.earliest();
            let transmitted = self.transmitted_at;
            if transmitted <= arrival && transmitted <= back {
                if transmitted >= end {
                    return;
                }
                self.end_transmission(transmitted);
            } else if arrival <= back {
                if arrival >= end {
                    return;
                }
                self.arrive(arrival);
            } else {
                if back >= end {
                    return;
                }
                let (flow, number) = Packet::flow_and_number(self.returns.take());
                self.acknowledge(flow, number, back);
            }
        }
    }

    #[inline]
    fn arrive(&mut self, now: u64) {
        let packet = Packet(self.arriving.take());
        if self.queue.len() < self.buffer {
            if self.queue.len() == 0 {
                self.transmitted_at = now + self.transmission_ns;
            }
            self.queue.put(packet);
        } else {
            self.counts.dropped += 1;
        }
    }

    #[inline]
    fn end_transmission(&mut self, now: u64) {
        let packet = self.queue.take();
        self.counts.forwarded += 1;
        self.transmitted_at = if self.queue.len() == 0 { NEVER } else { now + self.transmission_ns };
        let line = packet.line();
        self.returns.put(line, now + self.delays.back(line), packet.name());
    }

    #[inline]
    fn acknowledge(&mut self, flow: u32, number: u32, now: u64) {
        self.counts.acknowledged += 1;
        let halved = self.senders[flow as usize].on_ack(number);
        self.counts.halvings += u64::from(halved);
        self.send(flow, now);
    }

    #[inline]
    fn send(&mut self, flow: u32, now: u64) {
        let sender = &mut self.senders[flow as usize];
        while let Some(number) = sender.next_packet() {
            self.counts.sent += 1;
            let line = sender.line();
            self.arriving.put(line, now + self.delays.to_queue(line), Packet::new(flow, line, number).0);
        }
    }

    fn restart_silent(&mut self, now: u64) {
        for flow in 0..self.senders.len() as u32 {
            if self.senders[flow as usize].silent() {
                self.counts.restarts += 1;
                self.send(flow, now);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Counts, Settings, Way, run};

    const TEN: Settings = Settings { flows: 10, mbit: 100, buffer: 1_500, seconds: 30, rtts: 10 };

    /// Run in every way and check that every packet is somewhere.
    fn counted(settings: &Settings) -> [Counts; 3] {
        Way::ALL.map(|(_, way)| {
            let counts = run(settings, way);
            let Counts { sent, forwarded, dropped, queued, arriving, returning, acknowledged, .. } = counts;
            assert_eq!(sent, arriving + queued + forwarded + dropped, "{settings:?}");
            assert_eq!(forwarded, returning + acknowledged, "{settings:?}");
            assert!(queued <= settings.buffer as u64, "{settings:?}");
            assert_eq!(counts, run(settings, way), "the same again");
            counts
        })
    }

    #[test]
    fn no_packet_is_lost_from_the_account() {
        counted(&TEN);
        counted(&Settings { flows: 1, rtts: 1, mbit: 10, buffer: 3, ..TEN });
        counted(&Settings { flows: 300, rtts: 64, mbit: 300, buffer: 100, seconds: 10 });
        counted(&Settings { flows: 300, rtts: 300, mbit: 3_000, buffer: 45_000, seconds: 5 });
    }

    #[test]
    fn the_link_is_full_once_slow_start_is_over() {
        for settings in [TEN, Settings { flows: 200, rtts: 64, mbit: 2_000, buffer: 30_000, seconds: 10 }] {
            let later = counted(&Settings { seconds: settings.seconds + 10, ..settings });
            for (early, late) in counted(&settings).iter().zip(later) {
                // Ten seconds of 1000 B packets.
                let full = settings.mbit * 1_000 / 8 * 10;
                let share = (late.forwarded - early.forwarded) as f64 / full as f64;
                assert!((0.999..=1.001).contains(&share), "{share} of {settings:?}");
            }
        }
    }

    #[test]
    fn a_lone_flow_draws_the_sawtooth_of_its_buffer() {
        // bdp + buffer = 142.5 + 143 packets at 10 Mbit/s and 114 ms: from half of that to all of it at one packet per round trip.
        let settings = Settings { flows: 1, mbit: 10, buffer: 143, seconds: 600, rtts: 1 };
        let [counts, ..] = counted(&settings);
        let bdp = 114.0 / 0.8; // packets: 0.8 ms each
        let top = bdp + settings.buffer as f64;
        // Sum of one packet per round trip from top/2 to top, each round trip as long as its window lasts at the bottleneck.
        let packets_per_tooth = (top * top - top * top / 4.0) / 2.0;
        let teeth = 600.0 * 1_250.0 / packets_per_tooth;
        assert!(
            (counts.halvings as f64 / teeth - 1.0).abs() < 0.15,
            "{} halvings, expected {teeth}",
            counts.halvings
        );
    }

    #[test]
    fn more_flows_on_one_link_lose_more() {
        let [few, ..] = counted(&TEN);
        let [many, ..] = counted(&Settings { flows: 40, rtts: 40, ..TEN });
        assert!(many.dropped > few.dropped);
    }
}
