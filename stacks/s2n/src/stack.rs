//! A controller of s2n-quic-core with what its connection would keep for it: round trips, packets in flight, random numbers.

use num_rational::Ratio;
use s2n_quic_core::event::builder::{BbrState, SlowStartExitCause};
use s2n_quic_core::packet::number::PacketNumberSpace::ApplicationData;
use s2n_quic_core::random::Generator;
use s2n_quic_core::recovery::bandwidth::{Bandwidth, RateSample};
use s2n_quic_core::recovery::congestion_controller::Publisher;
use s2n_quic_core::recovery::{CongestionController, RttEstimator};
use s2n_quic_core::time::Timestamp;
use sawtooth_plugin::{Ack, Congestion, CongestionKind, Packet, Settings};
use std::collections::VecDeque;
use std::time::Duration;

/// RFC 9002 §6.2.2: the round trip before any was measured.
const INITIAL_RTT: Duration = Duration::from_millis(333);

/// Random numbers of the connection: SplitMix64 from what the simulator gives.
#[derive(Clone, Debug)]
struct Random(u64);

impl Random {
    fn fill(&mut self, bytes: &mut [u8]) {
        for part in bytes.chunks_mut(8) {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut word = self.0;
            word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            word ^= word >> 31;
            part.copy_from_slice(&word.to_le_bytes()[..part.len()]);
        }
    }
}

impl Generator for Random {
    fn public_random_fill(&mut self, bytes: &mut [u8]) {
        self.fill(bytes);
    }

    fn private_random_fill(&mut self, bytes: &mut [u8]) {
        self.fill(bytes);
    }
}

/// What a controller publishes, as far as anybody asks for it.
#[derive(Clone, Copy, Debug, Default)]
struct Published {
    pacing: Option<Bandwidth>,
}

impl Publisher for Published {
    fn on_slow_start_exited(&mut self, _cause: SlowStartExitCause, _window: u32) {}

    fn on_delivery_rate_sampled(&mut self, _sample: RateSample) {}

    fn on_pacing_rate_updated(&mut self, rate: Bandwidth, _burst: u32, _gain: Ratio<u64>) {
        self.pacing = Some(rate);
    }

    fn on_bbr_state_changed(&mut self, _state: BbrState) {}
}

/// A controller and its connection.
#[derive(Clone, Debug)]
pub struct Stack<C: CongestionController> {
    control: C,
    rtt: RttEstimator,
    packet: u64,
    /// Of each packet that may be in flight: when it was sent, and what the controller keeps of it.
    flight: VecDeque<(u64, C::PacketInfo)>,
    published: Published,
    random: Random,
    /// Acknowledgements say how many packets were marked.
    counts_marks: bool,
}

fn time(nanos: u64) -> Timestamp {
    // It asks for a source of time: that is the simulator's clock.
    unsafe { Timestamp::from_duration(Duration::from_nanos(nanos)) }
}

impl<C: CongestionController> Stack<C> {
    /// At the start of a connection.
    pub fn new(control: C, settings: &Settings) -> Self {
        Stack {
            control,
            rtt: RttEstimator::new(INITIAL_RTT),
            packet: settings.packet,
            flight: VecDeque::new(),
            published: Published::default(),
            random: Random(settings.random[0]),
            counts_marks: false,
        }
    }

    /// Packets that may be in flight.
    pub fn window(&self) -> f64 {
        (f64::from(self.control.congestion_window()) / self.packet as f64).max(1.0)
    }

    /// What the controller published, in bit/s; before it knows anything, it publishes an infinite rate, which is none.
    pub fn pacing_rate(&self) -> Option<f64> {
        let rate = self.published.pacing.filter(|&rate| rate != Bandwidth::INFINITY)?;
        Some((8.0 * rate.as_bytes_per_second() as f64).clamp(1.0, 1e15))
    }

    /// What may be sent at once, in bytes.
    pub fn send_quantum(&self) -> u64 {
        self.control.send_quantum().map_or(0, |bytes| bytes as u64)
    }

    /// A packet was sent.
    pub fn on_sent(&mut self, packet: &Packet) {
        let (sent_at, limited) = (time(packet.sent_at_ns), Some(packet.app_limited));
        let bytes = packet.size as usize;
        let info = self.control.on_packet_sent(sent_at, bytes, limited, &self.rtt, &mut self.published);
        self.flight.push_back((packet.sent_at_ns, info));
    }

    /// Of packets that were sent then, what the controller keeps of the last; it forgets older ones of no further use.
    fn info(&self, sent_at_ns: u64) -> Option<C::PacketInfo> {
        let later = self.flight.partition_point(|&(sent_at, _)| sent_at <= sent_at_ns);
        later.checked_sub(1).and_then(|index| self.flight.get(index)).map(|&(_, info)| info)
    }

    /// A packet was declared lost.
    pub fn on_lost(&mut self, now_ns: u64, packet: &Packet) {
        if let Some(info) = self.info(packet.sent_at_ns) {
            self.lose(packet.size as u32, info, false, now_ns);
        }
    }

    fn lose(&mut self, bytes: u32, info: C::PacketInfo, persistent: bool, now_ns: u64) {
        let bytes = bytes.min(self.control.bytes_in_flight());
        let (random, published) = (&mut self.random, &mut self.published);
        self.control.on_packet_lost(bytes, info, persistent, true, random, time(now_ns), published);
    }

    /// An acknowledgement arrived.
    pub fn on_ack(&mut self, ack: &Ack) {
        if ack.ce_marked > 0 {
            self.counts_marks = true;
            self.mark(ack.ce_marked, ack.now_ns);
        }
        let Some(rtt) = ack.newest_rtt().filter(|_| ack.newly_delivered > 0) else { return };
        let sent_at_ns = ack.now_ns - ack.rtt_newest_ns;
        let Some(info) = self.info(sent_at_ns) else { return };
        let (sent_at, now) = (time(sent_at_ns), time(ack.now_ns));
        self.rtt.update_rtt(Duration::ZERO, rtt, now, true, ApplicationData);
        self.control.on_rtt_update(sent_at, now, &self.rtt, &mut self.published);
        // What was called lost and arrived after all is in flight no more.
        let bytes = ack.newly_delivered.min(u64::from(self.control.bytes_in_flight())) as usize;
        let (rtt, random, published) = (&self.rtt, &mut self.random, &mut self.published);
        self.control.on_ack(sent_at, bytes, info, rtt, random, now, published);
        self.forget(ack);
    }

    /// So many more packets were marked.
    fn mark(&mut self, packets: u32, now_ns: u64) {
        self.control.on_explicit_congestion(packets.into(), time(now_ns), &mut self.published);
    }

    /// Packets older than all that are in flight are of no further use: of so many bytes at most the newest.
    fn forget(&mut self, ack: &Ack) {
        let in_flight = (ack.in_flight_after / self.packet) as usize;
        let kept = 2 * in_flight + 1024;
        if self.flight.len() > 2 * kept {
            self.flight.drain(..self.flight.len() - kept);
        }
    }

    /// The network signalled congestion.
    pub fn on_congestion(&mut self, signal: &Congestion) {
        match signal.kind {
            CongestionKind::Loss | CongestionKind::LossRestart => {}
            CongestionKind::EcnMark if self.counts_marks => {}
            CongestionKind::EcnMark => self.mark(1, signal.now_ns),
            CongestionKind::Timeout | CongestionKind::PersistentCongestion => {
                if let Some(&(_, info)) = self.flight.back() {
                    self.lose(0, info, true, signal.now_ns);
                }
            }
        }
    }
}
