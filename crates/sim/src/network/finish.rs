//! From a network at its end to records, with the books balanced first.

use super::Network;
use super::endpoints::{ReceiverSide, SenderSide};
use crate::ahead::Measured;
use crate::event::Moment;
use crate::lane::Lanes;
use crate::port::trace::OPPORTUNITY_BYTES;
use crate::port::{Port, Transmitter};
use crate::queue::counters::Tally;
use crate::records::{
    DELAY_SHARES, FlowRecord, PacketAccount, QueueRecord, Records, StateRecord, SubqueueRecord,
};
use crate::scenario::{FlowSpec, LinkSpec, Scenario};
use crate::transport::{AnyReceiver, Transport};
use crate::wire::Wire;
use sawtooth_cc::units::{Span, Time};

/// What the records take from the scenario, so that nobody has to keep that while the network runs.
#[derive(Debug)]
pub(super) struct Facts {
    /// By listed flow.
    flows: Vec<FlowFacts>,
    /// By port.
    ports: Vec<PortFacts>,
}

#[derive(Debug)]
struct FlowFacts {
    start: Time,
    packet_bytes: u16,
}

#[derive(Debug)]
struct PortFacts {
    rate_bps: Option<u64>,
    subqueues: &'static [&'static str],
}

impl Facts {
    /// Those of a checked scenario.
    pub fn new(scenario: &Scenario) -> Self {
        let flow = |flow: &FlowSpec| FlowFacts {
            start: Time::from_nanos(flow.start_ns),
            packet_bytes: scenario.profiles[flow.profile as usize].packet_bytes,
        };
        let port = |link: &LinkSpec| {
            let subqueues = link.queue.as_ref()?.info().subqueues;
            Some(PortFacts { rate_bps: link.rate_bps, subqueues })
        };
        Facts {
            flows: scenario.flows.iter().map(flow).collect(),
            ports: scenario.links.iter().filter_map(port).collect(),
        }
    }
}

impl Network {
    /// Close the books.
    pub fn finish(mut self) -> Records {
        let account = self.balance();
        (self.lanes, self.passages) = (Lanes::new(std::iter::empty(), 0, 0), Vec::new()); // most of its memory, and records need some
        let flows = self.flow_records();
        let states = self.state_times(self.measured.to);
        let queues = self.queue_records();
        let (streams, transactions) = (self.stream_records(), self.apps.finish());
        let arrivals = self.short.finish(&self.senders, &self.receivers);
        Records {
            flows,
            queues,
            arrivals,
            states,
            streams,
            transactions,
            series: self.observer.finish(),
            account,
        }
    }

    /// What became of each listed flow.
    fn flow_records(&mut self) -> Vec<FlowRecord> {
        let Measured { from, to: end } = self.measured;
        let sides = self.senders.iter_mut().zip(&self.receivers);
        let record = |((side, far), facts): ((&mut SenderSide, &ReceiverSide), &FlowFacts)| {
            let since = from.max(facts.start).min(end);
            flow_record(side, far, since, end, facts.packet_bytes)
        };
        sides.zip(&self.facts.flows).map(record).collect()
    }

    /// What passed each queue.
    fn queue_records(&self) -> Vec<QueueRecord> {
        let Measured { from: warmup, to: end } = self.measured;
        let queues = self.ports.iter().zip(&self.facts.ports).map(|(port, facts)| {
            let (mut busy, mut capacity_bytes) = (port.busy, capacity(facts.rate_bps, end - warmup));
            if let Transmitter::Trace(transmitter) = &port.transmitter {
                busy += transmitter
                    .busy_since(&port.queue)
                    .map_or(Span::ZERO, |since| self.measured.overlap(since, end));
                capacity_bytes = transmitter.opportunities * OPPORTUNITY_BYTES;
            }
            if let Transmitter::Asking(transmitter) = &port.transmitter {
                let bits = port.capacity_before + transmitter.capacity(self.measured, end);
                capacity_bytes = (bits / 8_000_000_000) as u64;
            }
            queue_record(port, facts.subqueues, busy, capacity_bytes, end - warmup)
        });
        queues.collect()
    }

    /// How long the controllers of listed flows were in each of their states.
    fn state_times(&mut self, end: Time) -> Vec<StateRecord> {
        let listed = self.short.first as usize;
        let mut rows = Vec::new();
        for (flow, side) in (0u32..).zip(&mut self.senders[..listed]) {
            let Some(times) = side.sender.state_times(end) else { continue };
            let lasted = (0u32..).zip(times).filter(|(_, time)| *time > Span::ZERO);
            rows.extend(lasted.map(|(state, time)| StateRecord { flow, state, time }));
        }
        rows
    }

    /// Packets in = delivered + dropped + queued + in flight, at every queue and in the whole network.
    fn balance(&mut self) -> PacketAccount {
        // What leaves a port at the end or later has not left it; its way ahead is counted with what is in flight.
        let last = Moment { time: self.measured.to, cause: Time::ZERO };
        let (mut queued, mut left_ahead) = (0, 0);
        for port in &mut self.ports {
            let (waiting, sending) = port.backlogs(last);
            left_ahead += match &port.transmitter {
                Transmitter::Rate(_) => waiting.packets + sending.packets,
                Transmitter::Asking(transmitter) if port.leaves_ahead => transmitter.sending().packets,
                Transmitter::Aggregate(_) if port.leaves_ahead => sending.packets,
                Transmitter::Asking(_) | Transmitter::Aggregate(_) | Transmitter::Trace(_) => 0,
            };
            port.queue.assert_conservation(&port.name, waiting.packets);
            queued += waiting.packets + sending.packets;
        }
        let in_lanes =
            self.lanes.packets() + self.passages.iter().map(|passage| passage.len()).sum::<usize>();
        let on_wires = self.wires.values().map(Wire::len).sum::<usize>();
        let held = self.receivers.iter().map(|side| side.receiver.held()).sum::<usize>();
        let census = &self.census;
        let in_flight = (in_lanes + on_wires + held) as u64 + census.beyond_end - left_ahead;
        let accounted = census.delivered + census.dropped + queued + in_flight;
        assert!(
            census.created == accounted,
            "{} packets were sent but {} delivered + {} dropped + {queued} queued + {in_flight} in flight = {accounted}",
            census.created,
            census.delivered,
            census.dropped,
        );
        for (flow, (from, to)) in self.senders.iter().zip(&self.receivers).enumerate() {
            let window = from.sender.window().packets();
            let mut least = f64::MIN_POSITIVE;
            if let (Transport::Tcp(sender), AnyReceiver::Tcp(receiver)) = (&from.sender, &to.receiver) {
                let (una, next) = (sender.sent().una, receiver.next_expected());
                assert!(una <= next, "flow {flow} has {una} packets acknowledged but only {next} received");
                least = 1.0;
            }
            assert!(window.is_finite() && window >= least, "flow {flow} ends with a window of {window}");
        }
        PacketAccount {
            packets_sent: census.created,
            packets_delivered: census.delivered,
            packets_dropped: census.dropped,
            packets_queued: queued,
            packets_in_flight: in_flight,
            events: census.events,
        }
    }
}

/// What became of a flow that was measured from `since` on.
fn flow_record(
    from: &mut SenderSide,
    to: &ReceiverSide,
    since: Time,
    end: Time,
    packet_bytes: u16,
) -> FlowRecord {
    let window_mean = from.sender.window_mean(since, end);
    let (undos, tail_probes) = from.sender.undos_and_probes();
    let (round_trips, srtt_mean_ns, [pacing_bps, delivery_bps]) = match from.sender.meter() {
        Some(found) => {
            let rates = [found.pacing.mean(end), found.delivery.mean(end)];
            (found.round_trips.record(), found.smoothed.mean(end), rates)
        }
        None => Default::default(),
    };
    let stats = from.sender.stats();
    FlowRecord {
        packet_bytes: u32::from(packet_bytes),
        sent: stats.sent,
        retransmits: stats.retransmits,
        delivered_unique: to.delivered_unique,
        delivered_total: to.delivered_total,
        timeouts: stats.timeouts,
        loss_events: stats.loss_events,
        ecn_reductions: stats.ecn_reductions,
        drops: to.drops,
        drops_elsewhere: from.drops_elsewhere,
        marks: to.marks,
        window_mean,
        finished_ns: from.sender.finished().map(Time::nanos),
        srtt_ns: from.sender.srtt_nanos(),
        undos,
        tail_probes,
        round_trips,
        srtt_mean_ns,
        pacing_bps,
        delivery_bps,
        untold: from.sender.untold(),
    }
}

fn capacity(rate_bps: Option<u64>, span: Span) -> u64 {
    (u128::from(rate_bps.unwrap_or(0)) * u128::from(span.nanos()) / 8_000_000_000) as u64
}

fn queue_record(
    port: &Port,
    names: &[&'static str],
    busy: Span,
    capacity_bytes: u64,
    measured: Span,
) -> QueueRecord {
    let tally = port.queue.tally();
    QueueRecord {
        name: port.name.clone(),
        arrivals: tally.arrivals.clone(),
        departures: tally.departures.clone(),
        delay_p50: tally.test_delays.quantile(0.50),
        delay_p95: tally.test_delays.quantile(0.95),
        delay_p99: tally.test_delays.quantile(0.99),
        delay_p999: tally.test_delays.quantile(0.999),
        delay_quantiles: (tally.test_delays.count() > 0).then(|| tally.test_delays.quantiles(DELAY_SHARES)),
        busy,
        empty: Span::from_nanos(measured.nanos() - busy.nanos()),
        capacity_bytes,
        departures_hash: port.departures_hash,
        subqueues: names
            .iter()
            .zip(&tally.subqueues)
            .map(|(&name, tally)| subqueue_record(name, tally))
            .collect(),
    }
}

fn subqueue_record(name: &'static str, tally: &Tally) -> SubqueueRecord {
    let delay = |share| tally.test_delays.quantile(share);
    SubqueueRecord {
        name,
        arrivals: tally.arrivals.clone(),
        departures: tally.departures.clone(),
        delay_p50: delay(0.50),
        delay_p95: delay(0.95),
        delay_p99: delay(0.99),
        delay_p999: delay(0.999),
    }
}
