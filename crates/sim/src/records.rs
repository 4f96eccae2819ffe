//! What a run produced: counters per flow and queue, and the time series that were asked for.

use crate::queue::{Counters, DropReason};
use crate::scenario::RecordSpec;
use crate::tcp::sender::WindowCut;
use sawtooth_cc::Congestion;
use sawtooth_cc::units::{Span, Time, Window};
use sha2::{Digest, Sha256};

/// One flow, over the measured time.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct FlowRecord {
    pub packet_bytes: u32,
    pub sent: u64,
    pub retransmits: u64,
    pub delivered_unique: u64,
    pub delivered_total: u64,
    pub timeouts: u64,
    pub loss_events: u64,
    pub ecn_reductions: u64,
    /// Data packets dropped at the first queue.
    pub drops: u64,
    /// Data packets dropped at other queues.
    pub drops_elsewhere: u64,
    /// Data packets that arrived marked.
    pub marks: u64,
    /// Time mean, packets.
    pub window_mean: f64,
    pub finished_ns: Option<u64>,
    pub srtt_ns: u64,
}

/// One queue, over the measured time.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct QueueRecord {
    pub name: String,
    pub counters: Counters,
    pub delay_p50: Span,
    pub delay_p95: Span,
    pub delay_p99: Span,
    /// Time with something waiting or in transmission.
    pub busy: Span,
    pub empty: Span,
    /// What the link could have carried.
    pub capacity_bytes: u64,
    /// A hash of every departure since the start of the run.
    pub departures_hash: u64,
}

/// One process of short flows, over the measured time.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct ArrivalRecord {
    pub name: String,
    pub packet_bytes: u32,
    /// Flows that sent their first SYN.
    pub started: u64,
    /// Flows whose last packet was acknowledged.
    pub finished: u64,
    /// Packets that the flows that started carry.
    pub offered: u64,
    /// Data packets sent.
    pub sent: u64,
    pub retransmits: u64,
    pub delivered_unique: u64,
    pub timeouts: u64,
    /// Most flows at a time, from the start of the run.
    pub concurrent_max: u64,
    /// Completion times, from the SYN to the last acknowledgement, of flows that started in the measured time and were
    /// completed before its end.
    pub completed: u64,
    pub completion_sum: Span,
    pub completion_p50: Span,
    pub completion_p95: Span,
    pub completion_p99: Span,
}

/// A short flow that was completed.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Completion {
    /// Which process it belongs to.
    pub process: u32,
    pub start: Time,
    pub packets: u32,
    /// From the SYN to the last acknowledgement.
    pub span: Span,
}

/// Where all packets went, from the start of the run.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Summary {
    pub packets_sent: u64,
    pub packets_delivered: u64,
    pub packets_dropped: u64,
    pub packets_queued: u64,
    pub packets_in_flight: u64,
    pub events: u64,
}

/// Everything a run produced.
#[derive(Debug)]
pub struct Records {
    /// By flow.
    pub flows: Vec<FlowRecord>,
    /// By queue, in link order.
    pub queues: Vec<QueueRecord>,
    /// By process of short flows.
    pub arrivals: Vec<ArrivalRecord>,
    /// Short flows in the order in which they were completed, if asked for.
    pub completions: Vec<Completion>,
    /// Time series.
    pub series: Series,
    /// The books.
    pub summary: Summary,
}

/// What happened to a window at a recorded moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum WindowEvent {
    /// Nothing: a periodic sample.
    Sample,
    /// A fast retransmit cut it.
    Loss,
    /// A timeout cut it.
    Timeout,
    /// An ECN echo cut it.
    Ecn,
}

/// The window of one flow at one moment.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct WindowPoint {
    pub time: Time,
    pub flow: u32,
    pub event: WindowEvent,
    pub before: f64,
    pub window: f64,
    pub threshold: f64,
}

/// One queue at one moment, the packet in transmission included.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct QueuePoint {
    pub time: Time,
    pub queue: u32,
    pub packets: u64,
    pub bytes: u64,
}

/// New packets delivered to one flow's receiver in the bin that ends at `time`.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct RatePoint {
    pub time: Time,
    pub flow: u32,
    pub delivered: u64,
}

/// What happened to a data packet at the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum PacketFate {
    /// It was dropped.
    Drop,
    /// It was marked.
    Mark,
}

/// A drop or a mark at the bottleneck.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct CongestionPoint {
    pub time: Time,
    pub flow: u32,
    pub fate: PacketFate,
}

/// The time series of a run.
#[derive(Debug)]
pub struct Series {
    spec: RecordSpec,
    /// Windows: samples and cuts, in order of time.
    pub windows: Vec<WindowPoint>,
    /// Queues.
    pub queues: Vec<QueuePoint>,
    /// Rates.
    pub rates: Vec<RatePoint>,
    /// Drops and marks at the bottleneck, in order of time.
    pub congestion: Vec<CongestionPoint>,
    flows: usize,
    /// Bin by bin, the packets of each flow.
    delivered: Vec<u64>,
}

impl Series {
    /// Empty series.
    pub fn new(spec: &RecordSpec, flows: usize) -> Self {
        Series {
            spec: spec.clone(),
            windows: Vec::new(),
            queues: Vec::new(),
            rates: Vec::new(),
            congestion: Vec::new(),
            flows,
            delivered: Vec::new(),
        }
    }

    /// Interval of samples.
    pub fn sample_ns(&self) -> Option<u64> {
        self.spec.sample_ns
    }

    /// A window was cut.
    pub fn cut(&mut self, time: Time, flow: u32, cut: WindowCut, window: Window, threshold: Window) {
        if self.spec.windows && (flow as usize) < self.flows {
            let event = match cut.kind {
                Congestion::Loss | Congestion::LossRestart { .. } => WindowEvent::Loss,
                Congestion::EcnMark => WindowEvent::Ecn,
                Congestion::Timeout { .. } => WindowEvent::Timeout,
            };
            let before = cut.before.packets();
            self.windows.push(WindowPoint {
                time,
                flow,
                event,
                before,
                window: window.packets(),
                threshold: threshold.packets(),
            });
        }
    }

    /// A data packet was dropped or marked at the bottleneck.
    pub fn congested(&mut self, time: Time, flow: u32, fate: PacketFate) {
        if self.spec.congestion && (flow as usize) < self.flows {
            self.congestion.push(CongestionPoint { time, flow, fate });
        }
    }

    /// A window at a sampling time.
    pub fn window(&mut self, time: Time, flow: u32, window: Window, threshold: Window) {
        let (window, threshold) = (window.packets(), threshold.packets());
        self.windows.push(WindowPoint {
            time,
            flow,
            event: WindowEvent::Sample,
            before: window,
            window,
            threshold,
        });
    }

    /// A queue at a sampling time.
    pub fn queue(&mut self, time: Time, queue: u32, packets: u64, bytes: u64) {
        self.queues.push(QueuePoint { time, queue, packets, bytes });
    }

    /// A packet is delivered for the first time, so long after counting began.
    #[inline]
    pub fn delivered(&mut self, since: Span, flow: u32) {
        if let Some(interval) = self.spec.rates_ns
            && (flow as usize) < self.flows
        {
            let cell = (since.nanos() / interval) as usize * self.flows + flow as usize;
            if cell >= self.delivered.len() {
                self.delivered.resize(cell + 1, 0);
            }
            self.delivered[cell] += 1;
        }
    }

    /// The run is over: whole bins become points.
    pub fn finish_rates(&mut self, begin: Time, end: Time) {
        let Some(interval) = self.spec.rates_ns else { return };
        let bins = (end - begin).nanos() / interval;
        for bin in 0..bins {
            let time = begin + Span::from_nanos((bin + 1) * interval);
            for flow in 0..self.flows {
                let delivered = self.delivered.get(bin as usize * self.flows + flow).copied().unwrap_or(0);
                self.rates.push(RatePoint { time, flow: flow as u32, delivered });
            }
        }
    }
}

impl QueueRecord {
    /// Its counters by name, in a fixed order; what tables and digests are made of.
    pub fn columns(&self) -> [(&'static str, u64); 20] {
        let counters = &self.counters;
        [
            ("arrivals", counters.arrivals),
            ("drops", counters.drops.iter().sum()),
            ("drops_full", counters.drops[DropReason::Full as usize]),
            ("drops_impairment", counters.drops[DropReason::Impairment as usize]),
            ("marks", counters.marks),
            ("forwarded", counters.forwarded),
            ("forwarded_bytes", counters.forwarded_bytes),
            ("test_arrivals", counters.test_arrivals),
            ("test_drops", counters.test_drops),
            ("test_marks", counters.test_marks),
            ("test_forwarded", counters.test_forwarded),
            ("delay_ns_sum_all", counters.delay.nanos()),
            ("delay_ns_sum_test", counters.test_delay.nanos()),
            ("delay_p50_ns", self.delay_p50.nanos()),
            ("delay_p95_ns", self.delay_p95.nanos()),
            ("delay_p99_ns", self.delay_p99.nanos()),
            ("busy_ns", self.busy.nanos()),
            ("empty_ns", self.empty.nanos()),
            ("capacity_bytes", self.capacity_bytes),
            ("departures_hash", self.departures_hash),
        ]
    }
}

impl FlowRecord {
    /// Its counters by name, in a fixed order; what tables and digests are made of.
    pub fn columns(&self) -> [(&'static str, u64); 11] {
        [
            ("packet_bytes", u64::from(self.packet_bytes)),
            ("sent", self.sent),
            ("retransmits", self.retransmits),
            ("delivered_unique", self.delivered_unique),
            ("delivered_total", self.delivered_total),
            ("timeouts", self.timeouts),
            ("loss_events", self.loss_events),
            ("ecn_reductions", self.ecn_reductions),
            ("drops", self.drops),
            ("marks", self.marks),
            ("srtt_ns", self.srtt_ns),
        ]
    }
}

impl ArrivalRecord {
    /// Its counters by name, in a fixed order; what tables and digests are made of.
    pub fn columns(&self) -> [(&'static str, u64); 14] {
        [
            ("packet_bytes", u64::from(self.packet_bytes)),
            ("started", self.started),
            ("finished", self.finished),
            ("offered_packets", self.offered),
            ("sent", self.sent),
            ("retransmits", self.retransmits),
            ("delivered_unique", self.delivered_unique),
            ("timeouts", self.timeouts),
            ("concurrent_max", self.concurrent_max),
            ("completed", self.completed),
            ("completion_ns_sum", self.completion_sum.nanos()),
            ("completion_p50_ns", self.completion_p50.nanos()),
            ("completion_p95_ns", self.completion_p95.nanos()),
            ("completion_p99_ns", self.completion_p99.nanos()),
        ]
    }
}

impl Records {
    /// A hash of every number a run produced: equal runs have equal digests. It speaks of packets and
    /// times only, never of how the engine found them, so a faster engine keeps it.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        let mut word = |value: u64| hash.update(value.to_le_bytes());
        for flow in &self.flows {
            flow.columns().iter().for_each(|&(_, value)| word(value));
            word(flow.window_mean.to_bits());
            word(flow.finished_ns.unwrap_or(u64::MAX));
        }
        for queue in &self.queues {
            queue.columns().iter().for_each(|&(_, value)| word(value));
        }
        for process in &self.arrivals {
            process.columns().iter().for_each(|&(_, value)| word(value));
        }
        for done in &self.completions {
            [u64::from(done.process), done.start.nanos(), u64::from(done.packets), done.span.nanos()]
                .into_iter()
                .for_each(&mut word);
        }
        for point in &self.series.windows {
            [
                point.time.nanos(),
                u64::from(point.flow),
                u64::from(point.event as u32),
                point.window.to_bits(),
            ]
            .into_iter()
            .for_each(&mut word);
        }
        for point in &self.series.queues {
            [point.time.nanos(), u64::from(point.queue), point.packets, point.bytes]
                .into_iter()
                .for_each(&mut word);
        }
        for point in &self.series.rates {
            [point.time.nanos(), u64::from(point.flow), point.delivered].into_iter().for_each(&mut word);
        }
        for point in &self.series.congestion {
            [point.time.nanos(), u64::from(point.flow), u64::from(point.fate as u32)]
                .into_iter()
                .for_each(&mut word);
        }
        let Summary {
            packets_sent,
            packets_delivered,
            packets_dropped,
            packets_queued,
            packets_in_flight,
            ..
        } = self.summary;
        [packets_sent, packets_delivered, packets_dropped, packets_queued, packets_in_flight]
            .into_iter()
            .for_each(&mut word);
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
