//! Records as columns: little-endian, contiguous, one `(dtype, bytes)` pair each, wrapped by Arrow unchanged.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use sawtooth_sim::Records;
use sawtooth_sim::arrivals::Arrival;
use sawtooth_sim::queue::{Counters, DropReason};
use sawtooth_sim::records::{Completion, CongestionPoint, QueuePoint, RatePoint, WindowPoint};

/// A table under construction.
struct Table<'py> {
    columns: Bound<'py, PyDict>,
}

impl<'py> Table<'py> {
    fn new(py: Python<'py>) -> Self {
        Table { columns: PyDict::new(py) }
    }

    fn add(&self, name: &str, dtype: &str, bytes: &[u8]) -> PyResult<()> {
        self.columns.set_item(name, (dtype, PyBytes::new(self.columns.py(), bytes)))
    }

    fn i64(&self, name: &str, values: impl Iterator<Item = i64>) -> PyResult<()> {
        self.add(name, "i64", &values.flat_map(i64::to_le_bytes).collect::<Vec<u8>>())
    }

    fn u64(&self, name: &str, values: impl Iterator<Item = u64>) -> PyResult<()> {
        self.add(name, "u64", &values.flat_map(u64::to_le_bytes).collect::<Vec<u8>>())
    }

    fn u32(&self, name: &str, values: impl Iterator<Item = u32>) -> PyResult<()> {
        self.add(name, "u32", &values.flat_map(u32::to_le_bytes).collect::<Vec<u8>>())
    }

    fn f64(&self, name: &str, values: impl Iterator<Item = f64>) -> PyResult<()> {
        self.add(name, "f64", &values.flat_map(f64::to_le_bytes).collect::<Vec<u8>>())
    }
}

/// Counters fit 63 bits by far; a hash needs all 64.
fn is_hash(column: &str) -> bool {
    column.ends_with("_hash")
}

fn counters<'py, const N: usize>(table: &Table<'py>, rows: &[[(&'static str, u64); N]]) -> PyResult<()> {
    for (place, &(name, _)) in rows.first().iter().flat_map(|row| row.iter().enumerate()) {
        let values = rows.iter().map(|row| row[place].1);
        if is_hash(name) {
            table.u64(name, values)?;
        } else {
            table.i64(name, values.map(|value| value as i64))?;
        }
    }
    Ok(())
}

fn flows<'py>(py: Python<'py>, records: &Records) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(py);
    table.u32("id", 0..records.flows.len() as u32)?;
    counters(&table, &records.flows.iter().map(|flow| flow.columns()).collect::<Vec<_>>())?;
    table.i64("drops_elsewhere", records.flows.iter().map(|flow| flow.drops_elsewhere as i64))?;
    table.f64("window_mean", records.flows.iter().map(|flow| flow.window_mean))?;
    table.i64("finished_ns", records.flows.iter().map(|flow| flow.finished_ns.map_or(-1, |at| at as i64)))?;
    Ok(table.columns)
}

fn queues<'py>(py: Python<'py>, records: &Records) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(py);
    let names: Vec<&str> = records.queues.iter().map(|queue| queue.name.as_str()).collect();
    table.add("name", "utf8", serde_json::to_string(&names).expect("plain data").as_bytes())?;
    counters(&table, &records.queues.iter().map(|queue| queue.columns()).collect::<Vec<_>>())?;
    // Further counters, which digests leave alone: they are older than these.
    let counted = |name, count: fn(&Counters) -> u64| {
        table.i64(name, records.queues.iter().map(|queue| count(&queue.counters) as i64))
    };
    counted("drops_early", |counters| counters.drops[DropReason::Early as usize])?;
    counted("drops_forced", |counters| counters.drops[DropReason::Forced as usize])?;
    counted("test_drop_runs", |counters| counters.test_drop_runs)?;
    counted("in_profile_forwarded", |counters| counters.in_profile_forwarded)?;
    counted("in_profile_forwarded_bytes", |counters| counters.in_profile_forwarded_bytes)?;
    Ok(table.columns)
}

fn arrivals<'py>(py: Python<'py>, records: &Records) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(py);
    let names: Vec<&str> = records.arrivals.iter().map(|process| process.name.as_str()).collect();
    table.add("name", "utf8", serde_json::to_string(&names).expect("plain data").as_bytes())?;
    counters(&table, &records.arrivals.iter().map(|process| process.columns()).collect::<Vec<_>>())?;
    Ok(table.columns)
}

fn completions<'py>(py: Python<'py>, points: &[Completion]) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(py);
    table.u32("process", points.iter().map(|done| done.process))?;
    table.i64("start_ns", points.iter().map(|done| done.start.nanos() as i64))?;
    table.u32("packets", points.iter().map(|done| done.packets))?;
    table.i64("completion_ns", points.iter().map(|done| done.span.nanos() as i64))?;
    Ok(table.columns)
}

/// Starts and lengths of the flows of a process.
pub fn schedule<'py>(py: Python<'py>, flows: &[Arrival]) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(py);
    table.i64("start_ns", flows.iter().map(|flow| flow.start.nanos() as i64))?;
    table.u32("packets", flows.iter().map(|flow| flow.packets))?;
    Ok(table.columns)
}

fn windows<'py>(py: Python<'py>, points: &[WindowPoint]) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(py);
    table.i64("time_ns", points.iter().map(|point| point.time.nanos() as i64))?;
    table.u32("flow", points.iter().map(|point| point.flow))?;
    table.u32("event", points.iter().map(|point| point.event as u32))?;
    table.f64("window_before", points.iter().map(|point| point.before))?;
    table.f64("window", points.iter().map(|point| point.window))?;
    table.f64("ssthresh", points.iter().map(|point| point.threshold))?;
    Ok(table.columns)
}

fn queue_samples<'py>(py: Python<'py>, points: &[QueuePoint]) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(py);
    table.i64("time_ns", points.iter().map(|point| point.time.nanos() as i64))?;
    table.u32("queue", points.iter().map(|point| point.queue))?;
    table.i64("packets", points.iter().map(|point| point.packets as i64))?;
    table.i64("bytes", points.iter().map(|point| point.bytes as i64))?;
    Ok(table.columns)
}

fn rates<'py>(py: Python<'py>, points: &[RatePoint]) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(py);
    table.i64("time_ns", points.iter().map(|point| point.time.nanos() as i64))?;
    table.u32("flow", points.iter().map(|point| point.flow))?;
    table.i64("delivered_packets", points.iter().map(|point| point.delivered as i64))?;
    Ok(table.columns)
}

fn congestion<'py>(py: Python<'py>, points: &[CongestionPoint]) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(py);
    table.i64("time_ns", points.iter().map(|point| point.time.nanos() as i64))?;
    table.u32("flow", points.iter().map(|point| point.flow))?;
    table.u32("mark", points.iter().map(|point| point.fate as u32))?;
    Ok(table.columns)
}

/// The windows and the congested rounds of the synchronous model.
pub fn rounds<'py>(py: Python<'py>, windows: &[f64], congested: &[bool]) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(py);
    table.f64("windows", windows.iter().copied())?;
    table.u32("congested", congested.iter().map(|&now| u32::from(now)))?;
    Ok(table.columns)
}

/// All tables of a run, by name.
pub fn tables<'py>(py: Python<'py>, records: &Records) -> PyResult<Bound<'py, PyDict>> {
    let tables = PyDict::new(py);
    tables.set_item("flows", flows(py, records)?)?;
    tables.set_item("queues", queues(py, records)?)?;
    tables.set_item("arrivals", arrivals(py, records)?)?;
    tables.set_item("completions", completions(py, &records.completions)?)?;
    tables.set_item("windows", windows(py, &records.series.windows)?)?;
    tables.set_item("queue_samples", queue_samples(py, &records.series.queues)?)?;
    tables.set_item("rates", rates(py, &records.series.rates)?)?;
    tables.set_item("congestion", congestion(py, &records.series.congestion)?)?;
    Ok(tables)
}

/// The books of a run.
pub fn summary<'py>(py: Python<'py>, records: &Records, simulated_ns: u64) -> PyResult<Bound<'py, PyDict>> {
    let books = &records.summary;
    let summary = PyDict::new(py);
    summary.set_item("packets_sent", books.packets_sent)?;
    summary.set_item("packets_delivered", books.packets_delivered)?;
    summary.set_item("packets_dropped", books.packets_dropped)?;
    summary.set_item("packets_queued", books.packets_queued)?;
    summary.set_item("packets_in_flight", books.packets_in_flight)?;
    summary.set_item("events", books.events)?;
    summary.set_item("simulated_ns", simulated_ns)?;
    Ok(summary)
}
