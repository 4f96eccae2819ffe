//! From a network at its end to records, with the books balanced first.

use super::Network;
use crate::port::{OPPORTUNITY_BYTES, Port, Transmitter};
use crate::records::{FlowRecord, QueueRecord, Records, Summary};
use crate::scenario::Scenario;
use sawtooth_cc::units::{Span, Time};

impl Network {
    /// Close the books.
    pub fn finish(mut self, scenario: &Scenario) -> Records {
        let summary = self.balance();
        let (warmup, end) = (self.warmup, self.end);
        let ends_a_bin = |interval| (end - warmup).nanos().is_multiple_of(interval);
        if self.series.rates_ns().is_some_and(ends_a_bin) {
            self.record_rates(end);
        }
        let flows = self
            .flows
            .iter_mut()
            .zip(&scenario.flows)
            .map(|(flow, spec)| {
                let since = warmup.max(Time::from_nanos(spec.start_ns)).min(end);
                let window_mean = flow.sender.window_mean(since, end);
                let stats = &flow.sender.stats;
                FlowRecord {
                    packet_bytes: u32::from(scenario.profiles[spec.profile as usize].packet_bytes),
                    sent: stats.sent,
                    retransmits: stats.retransmits,
                    delivered_unique: flow.receiver.delivered_unique,
                    delivered_total: flow.receiver.delivered_total,
                    timeouts: stats.timeouts,
                    loss_events: stats.loss_events,
                    ecn_reductions: stats.ecn_reductions,
                    drops: flow.drops,
                    marks: flow.marks,
                    window_mean,
                    finished_ns: flow.sender.finished.map(Time::nanos),
                    srtt_ns: flow.sender.srtt_nanos(),
                }
            })
            .collect();
        let queues = self.ports.iter().zip(scenario.links.iter().filter(|link| link.queue.is_some())).map(
            |(port, link)| {
                let capacity_bytes = match (&port.transmitter, link.rate_bps) {
                    (Transmitter::Rate(_), Some(rate)) => capacity(rate, end - warmup),
                    _ => port.opportunities * OPPORTUNITY_BYTES,
                };
                queue_record(port, capacity_bytes, warmup, end)
            },
        );
        Records { flows, queues: queues.collect(), series: self.series, summary }
    }

    /// Packets in = delivered + dropped + queued + in flight, at every queue and in the whole network.
    fn balance(&self) -> Summary {
        for port in &self.ports {
            port.queue.assert_conservation(&port.name);
        }
        let queued: u64 =
            self.ports.iter().map(|port| port.queue.backlog().packets + port.in_transmission().packets).sum();
        let on_wires: usize = self.ports.iter().map(|port| port.wire.len()).sum();
        let in_pipes: usize = self.pipes.iter().map(|pipe| pipe.transit.len()).sum();
        let in_flight = on_wires as u64 + in_pipes as u64 + self.census.on_last_wire;
        let census = &self.census;
        let accounted = census.delivered + census.dropped + queued + in_flight;
        assert!(
            census.created == accounted,
            "{} packets were sent but {} delivered + {} dropped + {queued} queued + {in_flight} in flight = {accounted}",
            census.created,
            census.delivered,
            census.dropped,
        );
        for (index, flow) in self.flows.iter().enumerate() {
            let (una, next) = (flow.sender.sent().una, flow.receiver.next_expected());
            assert!(una <= next, "flow {index} has {una} packets acknowledged but only {next} received");
            let window = flow.sender.window().packets();
            assert!(window.is_finite() && window >= 1.0, "flow {index} ends with a window of {window}");
        }
        Summary {
            packets_sent: census.created,
            packets_delivered: census.delivered,
            packets_dropped: census.dropped,
            packets_queued: queued,
            packets_in_flight: in_flight,
            events: census.events,
        }
    }
}

fn capacity(rate_bps: u64, span: Span) -> u64 {
    (u128::from(rate_bps) * u128::from(span.nanos()) / 8_000_000_000) as u64
}

fn queue_record(port: &Port, capacity_bytes: u64, warmup: Time, end: Time) -> QueueRecord {
    let tally = port.queue.tally();
    let busy = port.busy_until(end);
    QueueRecord {
        name: port.name.clone(),
        counters: tally.measured.clone(),
        delay_p50: tally.test_delays.quantile(0.50),
        delay_p95: tally.test_delays.quantile(0.95),
        delay_p99: tally.test_delays.quantile(0.99),
        busy,
        empty: Span::from_nanos((end - warmup).nanos() - busy.nanos()),
        capacity_bytes,
        departures_hash: port.departures_hash,
    }
}
