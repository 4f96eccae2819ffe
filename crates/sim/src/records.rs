//! Results of a run: counters of flows, queues and processes of short flows, the packet account, and the requested series.

use crate::frames::StreamRecord;
use crate::meter::RoundTripRecord;
use crate::queue::DropReason;
use crate::queue::counters::{Arrivals, Departures};
use crate::series::AllSeries;
use crate::table::{self, Column, Table};
use crate::topology::BOTTLENECK;
use crate::whole::sender::Untold;
use sawtooth_cc::STATES;
use sawtooth_cc::units::{Span, Time};

/// One flow, over the measured time.
#[derive(Clone, Debug, PartialEq)]
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
    /// Data packets dropped at the bottleneck.
    pub drops: u64,
    /// Data packets dropped at other queues.
    pub drops_elsewhere: u64,
    /// Data packets that arrived marked.
    pub marks: u64,
    /// Time mean, packets.
    pub window_mean: f64,
    pub finished_ns: Option<u64>,
    pub srtt_ns: u64,
    pub undos: u64,
    /// Of a tail loss and of a timeout.
    pub tail_probes: u64,
    pub round_trips: RoundTripRecord,
    /// Time mean of the smoothed round trip; none where none was sampled.
    pub srtt_mean_ns: Option<f64>,
    /// Time mean, bit/s; none where nothing paces.
    pub pacing_bps: Option<f64>,
    /// Time mean, bit/s; none where no records of packets are kept.
    pub delivery_bps: Option<f64>,
    /// What a stack from outside does not tell.
    pub untold: Untold,
}

/// The shares of packets whose delays a queue says: what its distribution is drawn from.
pub const DELAY_SHARES: [f64; 24] = [
    0.001, 0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8,
    0.85, 0.9, 0.95, 0.99, 0.999, 1.0,
];

/// One queue, over the measured time.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct QueueRecord {
    pub name: String,
    pub arrivals: Arrivals,
    pub departures: Departures,
    pub delay_p50: Span,
    pub delay_p95: Span,
    pub delay_p99: Span,
    pub delay_p999: Span,
    /// By [`DELAY_SHARES`]; none if no test packet departed.
    pub delay_quantiles: Option<[Span; DELAY_SHARES.len()]>,
    /// Time with something waiting or in transmission.
    pub busy: Span,
    pub empty: Span,
    /// What the link could have carried.
    pub capacity_bytes: u64,
    /// A hash of every departure since the start of the run.
    pub departures_hash: u64,
    /// Its subqueues, where its discipline has some.
    pub subqueues: Vec<SubqueueRecord>,
}

/// One subqueue, over the measured time.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct SubqueueRecord {
    pub name: &'static str,
    pub arrivals: Arrivals,
    pub departures: Departures,
    pub delay_p50: Span,
    pub delay_p95: Span,
    pub delay_p99: Span,
    pub delay_p999: Span,
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
    /// Largest number of concurrent flows, from the start of the run.
    pub concurrent_max: u64,
    /// Completion times, from the SYN to the last acknowledgement, of flows that started in the measured time and were
    /// completed before its end.
    pub completed: u64,
    pub completion_sum: Span,
    pub completion_p50: Span,
    pub completion_p95: Span,
    pub completion_p99: Span,
}

/// How long the controller of a flow was in one of its states, over the measured time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct StateRecord {
    pub flow: u32,
    /// Its place in [`STATES`](sawtooth_cc::STATES).
    pub state: u32,
    pub time: Span,
}

/// A page or a chunk that an application has loaded, from the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct TransactionRecord {
    pub app: u32,
    pub start: Time,
    /// Packets of all responses.
    pub packets: u64,
    /// From the first request to the last packet; none if the run ended before.
    pub duration: Option<Span>,
    /// Of a chunk its bit rate; 0 of a page.
    pub rate_bps: u64,
    /// How long the picture stood still before this chunk was there.
    pub stalled: Span,
}

/// Where all packets went, from the start of the run.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct PacketAccount {
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
    /// By flow and state, where controllers have states.
    pub states: Vec<StateRecord>,
    /// By stream of frames.
    pub streams: Vec<StreamRecord>,
    /// What applications have loaded, by application and time.
    pub transactions: Vec<TransactionRecord>,
    /// The requested series.
    pub series: AllSeries,
    /// The packet account.
    pub account: PacketAccount,
}

impl Records {
    /// The queue of the bottleneck, the first link that has one; `None` if no link has.
    pub fn bottleneck(&self) -> Option<&QueueRecord> {
        self.queues.get(BOTTLENECK as usize)
    }

    /// All tables of the run: what is shown, stored and hashed.
    pub fn tables(&self) -> Vec<Table> {
        let mut tables = vec![flows(&self.flows), queues(&self.queues), arrivals(&self.arrivals)];
        if self.queues.iter().any(|queue| !queue.subqueues.is_empty()) {
            tables.push(subqueues(&self.queues));
        }
        if !self.states.is_empty() {
            tables.push(states(&self.states));
        }
        if !self.streams.is_empty() {
            tables.push(streams(&self.streams));
        }
        if !self.transactions.is_empty() {
            tables.push(transactions(&self.transactions));
        }
        tables.extend(self.series.tables());
        tables.push(self.account.table());
        tables
    }

    /// A hash of the columns of a run, but those behind [`unhashed_from_here`](Table::unhashed_from_here): equal runs have equal digests.
    /// It covers packets and times only, not how the engine computed them, so a faster engine gives the same digest.
    pub fn digest(&self) -> String {
        table::digest(&self.tables())
    }
}

fn flows(rows: &[FlowRecord]) -> Table {
    let count = |value: fn(&FlowRecord) -> u64| rows.iter().map(value);
    let trips = |value: fn(&RoundTripRecord) -> Span| rows.iter().map(move |flow| value(&flow.round_trips));
    Table::new("flows")
        .indices("id", 0..rows.len() as u32)
        .counts("packet_bytes", count(|flow| u64::from(flow.packet_bytes)))
        .counts("sent", count(|flow| flow.sent))
        .counts("retransmits", count(|flow| flow.retransmits))
        .counts("delivered_unique", count(|flow| flow.delivered_unique))
        .counts("delivered_total", count(|flow| flow.delivered_total))
        .counts("timeouts", count(|flow| flow.timeouts))
        .counts("loss_events", count(|flow| flow.loss_events))
        .counts("ecn_reductions", count(|flow| flow.ecn_reductions))
        .counts("drops", count(|flow| flow.drops))
        .counts("marks", count(|flow| flow.marks))
        .counts("srtt_ns", count(|flow| flow.srtt_ns))
        .counts("drops_elsewhere", count(|flow| flow.drops_elsewhere))
        .reals("window_mean", rows.iter().map(|flow| flow.window_mean))
        .with("finished_ns", Column::Moment(rows.iter().map(|flow| flow.finished_ns).collect()))
        .unhashed_from_here()
        .counts("undos", count(|flow| flow.undos))
        .counts("tail_probes", count(|flow| flow.tail_probes))
        .counts("rtt_samples", count(|flow| flow.round_trips.samples))
        .spans("rtt_ns_sum", trips(|found| found.sum))
        .spans("rtt_min_ns", trips(|found| found.minimum))
        .spans("rtt_p50_ns", trips(|found| found.p50))
        .spans("rtt_p95_ns", trips(|found| found.p95))
        .spans("rtt_p99_ns", trips(|found| found.p99))
        .spans("rtt_p999_ns", trips(|found| found.p999))
        .reals("srtt_mean_ns", rows.iter().map(|flow| flow.srtt_mean_ns.unwrap_or(0.0)))
        .reals("pacing_bps", rows.iter().map(|flow| flow.pacing_bps.unwrap_or(0.0)))
        .reals("delivery_bps", rows.iter().map(|flow| flow.delivery_bps.unwrap_or(0.0)))
        .texts("untold", rows.iter().map(untold_text))
}

/// The columns that hold nothing for this flow, a space between two.
fn untold_text(flow: &FlowRecord) -> String {
    let Untold { window, rtt, lost_packets, congestion_events } = flow.untold;
    let columns = [
        (lost_packets, "retransmits"),
        (congestion_events, "loss_events"),
        (rtt, "srtt_ns"),
        (window, "window_mean"),
    ];
    columns.iter().filter(|(untold, _)| *untold).map(|(_, name)| *name).collect::<Vec<_>>().join(" ")
}

fn queues(rows: &[QueueRecord]) -> Table {
    let arrived = |value: fn(&Arrivals) -> u64| rows.iter().map(move |queue| value(&queue.arrivals));
    let departed = |value: fn(&Departures) -> u64| rows.iter().map(move |queue| value(&queue.departures));
    let dropped = |reason| rows.iter().map(move |queue| queue.arrivals.drops[reason as usize]);
    let span = |value: fn(&QueueRecord) -> Span| rows.iter().map(value);
    Table::new("queues")
        .texts("name", rows.iter().map(|queue| queue.name.clone()))
        .counts("arrivals", arrived(|counters| counters.arrivals))
        .counts("drops", arrived(Arrivals::dropped))
        .counts("drops_full", dropped(DropReason::Full))
        .counts("drops_impairment", dropped(DropReason::Impairment))
        .counts("marks", arrived(|counters| counters.marks))
        .counts("forwarded", departed(|counters| counters.forwarded))
        .counts("forwarded_bytes", departed(|counters| counters.forwarded_bytes))
        .counts("test_arrivals", arrived(|counters| counters.test_arrivals))
        .counts("test_drops", arrived(|counters| counters.test_drops))
        .counts("test_marks", arrived(|counters| counters.test_marks))
        .counts("test_forwarded", departed(|counters| counters.test_forwarded))
        .spans("delay_ns_sum_all", span(|queue| queue.departures.delay))
        .spans("delay_ns_sum_test", span(|queue| queue.departures.test_delay))
        .spans("delay_p50_ns", span(|queue| queue.delay_p50))
        .spans("delay_p95_ns", span(|queue| queue.delay_p95))
        .spans("delay_p99_ns", span(|queue| queue.delay_p99))
        .spans("busy_ns", span(|queue| queue.busy))
        .spans("empty_ns", span(|queue| queue.empty))
        .counts("capacity_bytes", rows.iter().map(|queue| queue.capacity_bytes))
        .with("departures_hash", Column::Hash(rows.iter().map(|queue| queue.departures_hash).collect()))
        .counts("drops_early", dropped(DropReason::Early))
        .counts("drops_forced", dropped(DropReason::Forced))
        .counts("test_drop_runs", arrived(|counters| counters.test_drop_runs))
        .counts("in_profile_forwarded", departed(|counters| counters.in_profile_forwarded))
        .counts("in_profile_forwarded_bytes", departed(|counters| counters.in_profile_forwarded_bytes))
        .unhashed_from_here()
        .spans("delay_p999_ns", span(|queue| queue.delay_p999))
        .counts("drops_policed", dropped(DropReason::Policed))
        .texts("delay_quantiles_ns", rows.iter().map(quantiles_text))
        .counts("drops_filtered", dropped(DropReason::Filtered))
}

/// Quantiles of the delay, ns, a space between two; nothing if there are none.
fn quantiles_text(queue: &QueueRecord) -> String {
    let texts = queue.delay_quantiles.iter().flatten().map(|span| span.nanos().to_string());
    texts.collect::<Vec<_>>().join(" ")
}

/// The subqueues of all queues, a row each.
fn subqueues(queues: &[QueueRecord]) -> Table {
    let rows: Vec<(u32, &SubqueueRecord)> = (0u32..)
        .zip(queues)
        .flat_map(|(queue, record)| record.subqueues.iter().map(move |subqueue| (queue, subqueue)))
        .collect();
    let each = || rows.iter().map(|&(_, subqueue)| subqueue);
    let arrived = |value: fn(&Arrivals) -> u64| each().map(move |subqueue| value(&subqueue.arrivals));
    let departed = |value: fn(&Departures) -> u64| each().map(move |subqueue| value(&subqueue.departures));
    let dropped = |reason| each().map(move |subqueue| subqueue.arrivals.drops[reason as usize]);
    Table::new("subqueues")
        .indices("queue", rows.iter().map(|&(queue, _)| queue))
        .texts("name", each().map(|subqueue| subqueue.name.to_owned()))
        .counts("arrivals", arrived(|counters| counters.arrivals))
        .counts("drops", arrived(Arrivals::dropped))
        .counts("drops_full", dropped(DropReason::Full))
        .counts("drops_early", dropped(DropReason::Early))
        .counts("drops_forced", dropped(DropReason::Forced))
        .counts("marks", arrived(|counters| counters.marks))
        .counts("forwarded", departed(|counters| counters.forwarded))
        .counts("forwarded_bytes", departed(|counters| counters.forwarded_bytes))
        .counts("test_arrivals", arrived(|counters| counters.test_arrivals))
        .counts("test_drops", arrived(|counters| counters.test_drops))
        .counts("test_marks", arrived(|counters| counters.test_marks))
        .counts("test_forwarded", departed(|counters| counters.test_forwarded))
        .spans("delay_ns_sum_all", each().map(|subqueue| subqueue.departures.delay))
        .spans("delay_ns_sum_test", each().map(|subqueue| subqueue.departures.test_delay))
        .spans("delay_p50_ns", each().map(|subqueue| subqueue.delay_p50))
        .spans("delay_p95_ns", each().map(|subqueue| subqueue.delay_p95))
        .spans("delay_p99_ns", each().map(|subqueue| subqueue.delay_p99))
        .spans("delay_p999_ns", each().map(|subqueue| subqueue.delay_p999))
}

fn arrivals(rows: &[ArrivalRecord]) -> Table {
    let count = |value: fn(&ArrivalRecord) -> u64| rows.iter().map(value);
    let span = |value: fn(&ArrivalRecord) -> Span| rows.iter().map(value);
    Table::new("arrivals")
        .texts("name", rows.iter().map(|process| process.name.clone()))
        .counts("packet_bytes", count(|process| u64::from(process.packet_bytes)))
        .counts("started", count(|process| process.started))
        .counts("finished", count(|process| process.finished))
        .counts("offered_packets", count(|process| process.offered))
        .counts("sent", count(|process| process.sent))
        .counts("retransmits", count(|process| process.retransmits))
        .counts("delivered_unique", count(|process| process.delivered_unique))
        .counts("timeouts", count(|process| process.timeouts))
        .counts("concurrent_max", count(|process| process.concurrent_max))
        .counts("completed", count(|process| process.completed))
        .spans("completion_ns_sum", span(|process| process.completion_sum))
        .spans("completion_p50_ns", span(|process| process.completion_p50))
        .spans("completion_p95_ns", span(|process| process.completion_p95))
        .spans("completion_p99_ns", span(|process| process.completion_p99))
}

fn states(rows: &[StateRecord]) -> Table {
    Table::new("states")
        .indices("flow", rows.iter().map(|row| row.flow))
        .texts("state", rows.iter().map(|row| STATES[row.state as usize].to_owned()))
        .spans("time_ns", rows.iter().map(|row| row.time))
}

fn streams(rows: &[StreamRecord]) -> Table {
    let count = |value: fn(&StreamRecord) -> u64| rows.iter().map(value);
    let span = |value: fn(&StreamRecord) -> Span| rows.iter().map(value);
    Table::new("streams")
        .texts("name", rows.iter().map(|stream| stream.name.clone()))
        .counts("packet_bytes", count(|stream| u64::from(stream.packet_bytes)))
        .counts("packets", count(|stream| stream.packets))
        .counts("received", count(|stream| stream.received))
        .counts("frames", count(|stream| stream.frames))
        .counts("late", count(|stream| stream.late))
        .counts("incomplete", count(|stream| stream.incomplete))
        .spans("delay_ns_sum", span(|stream| stream.delay_sum))
        .spans("delay_p50_ns", span(|stream| stream.delay_p50))
        .spans("delay_p95_ns", span(|stream| stream.delay_p95))
        .spans("delay_p99_ns", span(|stream| stream.delay_p99))
        .spans("delay_p999_ns", span(|stream| stream.delay_p999))
}

fn transactions(rows: &[TransactionRecord]) -> Table {
    let durations = rows.iter().map(|row| row.duration.map(Span::nanos)).collect();
    Table::new("transactions")
        .indices("app", rows.iter().map(|row| row.app))
        .times("start_ns", rows.iter().map(|row| row.start))
        .counts("packets", rows.iter().map(|row| row.packets))
        .with("duration_ns", Column::Moment(durations))
        .counts("rate_bps", rows.iter().map(|row| row.rate_bps))
        .spans("stalled_ns", rows.iter().map(|row| row.stalled))
}

impl PacketAccount {
    /// The name of its table.
    pub const TABLE: &'static str = "summary";

    /// The packet account, a table of one row. The number of events is left out: it describes the engine, not the result.
    fn table(&self) -> Table {
        let one = std::iter::once;
        Table::new(Self::TABLE)
            .counts("packets_sent", one(self.packets_sent))
            .counts("packets_delivered", one(self.packets_delivered))
            .counts("packets_dropped", one(self.packets_dropped))
            .counts("packets_queued", one(self.packets_queued))
            .counts("packets_in_flight", one(self.packets_in_flight))
    }
}
