//! NADA's sender: an encoder, the rate shaping buffer behind it, and the law that says how fast both work.
//!
//! Source: RFC 8698 §5.2; the law is in `cc`. The encoder ([`Encoder`]) gives a frame every 1/FPS, or about that. Its size is what the target
//! rate r_vin of that moment gives it, in whole packets. What is left over counts for the next frame, so that the rate is kept; where it is
//! less than a packet the frame is skipped, as encoders do at low rates. The packets of a frame wait in the shaping buffer and leave at
//! r_send.
//!
//! | parameter | unit | default | why                                                               |
//! |-----------|------|---------|-------------------------------------------------------------------|
//! | FRAME_MAX | packets | 10000 | a bound on one frame, which no rate of a call comes near          |

use super::encoder::Encoder;
use crate::frames::FrameWatch;
use sawtooth_cc::RandomKey;
use sawtooth_cc::nada::{NadaParams, NadaRate};
use sawtooth_cc::units::{Span, Time};

/// Most packets of one frame.
const FRAME_MAX: f64 = 10_000.0;
const NANOS: f64 = 1e9;

fn seconds(span: Span) -> f64 {
    span.nanos() as f64 / NANOS
}

/// Encoder and shaping buffer of one flow.
#[derive(Debug)]
pub struct NadaSender {
    /// The law.
    pub rate: NadaRate,
    packet_bytes: f64,
    encoder: Encoder,
    /// When the encoder gives its next frame.
    next_frame: Time,
    /// Packets that the target rate has paid for and no frame has had.
    owed: f64,
    /// Packets that wait.
    waiting: u32,
    /// The number of the next packet that the encoder gives.
    coded: u32,
    /// What becomes of its frames, where somebody wants to know.
    pub watch: Option<Box<FrameWatch>>,
    /// Losses and marks that have been reported.
    pub events: (u64, u64),
}

impl NadaSender {
    /// A sender before its first round trip, with a key if its encoder draws random numbers.
    pub fn new(params: NadaParams, packet_bytes: u16, random: Option<RandomKey>) -> Self {
        NadaSender {
            rate: NadaRate::new(params),
            packet_bytes: f64::from(packet_bytes),
            encoder: Encoder::new(params, random),
            next_frame: Time::NEVER,
            owed: 0.0,
            waiting: 0,
            coded: 0,
            watch: None,
            events: (0, 0),
        }
    }

    /// The handshake measured a round trip, and the camera is on.
    pub fn begin(&mut self, now: Time, rtt: Span) {
        self.rate.begin(now, rtt);
        self.next_frame = now;
    }

    fn buffer_bytes(&self) -> f64 {
        f64::from(self.waiting) * self.packet_bytes
    }

    /// The encoder gives the frames that are due.
    fn encode(&mut self, now: Time) {
        while self.next_frame <= now {
            let packet_bits = 8.0 * self.packet_bytes;
            let target = self.rate.encoder_bps(self.buffer_bytes());
            let coded = self.encoder.code(self.next_frame, target);
            self.owed += coded.bits / packet_bits;
            let packets = self.owed.floor().min(FRAME_MAX);
            self.owed = (self.owed - packets).min(1.0);
            if packets >= 1.0 {
                let packets = packets as u32;
                if let Some(watch) = &mut self.watch {
                    watch.begin(self.coded, packets, self.next_frame);
                }
                self.coded += packets;
                self.waiting += packets;
            }
            self.next_frame += coded.interval;
        }
    }

    /// Take a packet from the buffer, if there is one.
    pub fn take(&mut self, number: u32, now: Time) -> bool {
        self.encode(now);
        if self.waiting == 0 {
            return false;
        }
        self.waiting -= 1;
        if let Some(watch) = &mut self.watch {
            watch.sent(number);
        }
        true
    }

    /// The earliest moment from `at` on at which there may be a packet.
    pub fn ready(&self, at: Time) -> Time {
        if self.waiting == 0 { at.max(self.next_frame) } else { at }
    }

    /// The time between two packets that wait.
    pub fn interval(&self) -> Span {
        let seconds = 8.0 * self.packet_bytes / self.rate.sending_bps(self.buffer_bytes());
        Span::from_nanos((seconds * NANOS) as u64)
    }

    /// r_ref times the round trip, in packets; packets per second before a round trip is known.
    pub fn packets_per_round_trip(&self) -> f64 {
        let rtt = if self.rate.rtt() > Span::ZERO { seconds(self.rate.rtt()) } else { 1.0 };
        self.rate.reference_bps() * rtt / (8.0 * self.packet_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ahead::Measured;
    use sawtooth_cc::{ControllerSpec, parse_controller};

    fn sender(text: &str, packet_bytes: u16) -> NadaSender {
        let ControllerSpec::Nada(params) = parse_controller(text).unwrap() else { panic!("{text}") };
        let mut sender = NadaSender::new(params, packet_bytes, None);
        sender.begin(Time::ZERO, Span::from_millis(100));
        sender
    }

    /// When packets leave in the first so many milliseconds, each as soon as it may.
    fn sent(sender: &mut NadaSender, millis: u64) -> Vec<Time> {
        let (mut now, mut times) = (Time::ZERO, Vec::new());
        while now < Time::ZERO + Span::from_millis(millis) {
            if sender.take(times.len() as u32, now) {
                times.push(now);
                now += sender.interval();
            }
            now = sender.ready(now);
        }
        times
    }

    #[test]
    fn the_rate_of_the_encoder_is_kept_in_whole_packets() {
        // 150 kbit/s in packets of 1200 bytes: 0.52 in each of 300 frames.
        let times = sent(&mut sender("nada", 1200), 10_000);
        assert!(times.len().abs_diff(156) <= 1, "{}", times.len());
        // Of 250 bytes: 2.5 in a frame, two and three by turns.
        let times = sent(&mut sender("nada", 250), 10_000);
        assert!(times.len().abs_diff(750) <= 3, "{}", times.len());
        // No frame is skipped.
        let gaps: Vec<_> = times.windows(2).map(|pair| (pair[1] - pair[0]).nanos()).collect();
        assert!(gaps.iter().all(|&gap| gap <= 33_400_000), "{gaps:?}");
    }

    #[test]
    fn packets_of_a_frame_leave_at_the_sending_rate() {
        let mut sender = sender("nada(rmin = 1200, fps = 25, beta_s = 0)", 1000);
        let times = sent(&mut sender, 39);
        // Six packets a frame; 1000 bytes at 1.2 Mbit/s take 6.67 ms, so the sixth leaves after five of these.
        assert_eq!(times.len(), 6);
        let last = seconds(times[5] - times[0]);
        assert!((last - 5.0 * 8.0 * 1000.0 / 1.2e6).abs() < 1e-6, "{last}");
    }

    #[test]
    fn frames_are_watched_from_the_encoder_on() {
        let measured = Measured { from: Time::ZERO, to: Time::ZERO + Span::from_seconds(10) };
        let mut sender = sender("nada(rmin = 1200, fps = 25)", 1000);
        sender.watch = Some(Box::new(FrameWatch::new("call".to_owned(), 1000, 30_000_000, measured)));
        let times = sent(&mut sender, 1000);
        let mut watch = sender.watch.take().unwrap();
        // Each packet takes 10 ms; the last of a frame leaves some 32 ms after the first, and is too late.
        for (number, &at) in (0u32..).zip(&times) {
            if number != 7 {
                watch.arrived(number, at + Span::from_millis(10));
            }
        }
        let (record, _) = watch.finish();
        assert_eq!((record.frames, record.incomplete), (25, 1));
        assert_eq!(record.late, 24);
        assert_eq!(record.packets, record.received + 1);
    }
}
