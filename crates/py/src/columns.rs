//! Tables as columns: little-endian, contiguous, one `(dtype, bytes)` pair each, wrapped by Arrow unchanged.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use sawtooth_sim::arrivals::Arrival;
use sawtooth_sim::records::PacketAccount;
use sawtooth_sim::table::{Column, Table};

/// The type of a column and its bytes. Counts fit 63 bits by far; no moment is −1.
fn encoded(column: &Column) -> (&'static str, Vec<u8>) {
    let signed = |value: u64| (value as i64).to_le_bytes();
    match column {
        Column::Text(values) => ("utf8", serde_json::to_vec(values).expect("plain data")),
        Column::Index(values) => ("u32", values.iter().copied().flat_map(u32::to_le_bytes).collect()),
        Column::Count(values) => ("i64", values.iter().copied().flat_map(signed).collect()),
        Column::Hash(values) => ("u64", values.iter().copied().flat_map(u64::to_le_bytes).collect()),
        Column::Moment(values) => {
            ("i64", values.iter().flat_map(|value| value.map_or((-1_i64).to_le_bytes(), signed)).collect())
        }
        Column::Real(values) => ("f64", values.iter().copied().flat_map(f64::to_le_bytes).collect()),
    }
}

/// One table as a dictionary of columns.
fn table<'py>(py: Python<'py>, table: &Table) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    for (name, column) in table.columns() {
        let (dtype, bytes) = encoded(column);
        columns.set_item(name, (dtype, PyBytes::new(py, &bytes)))?;
    }
    Ok(columns)
}

/// All tables by name, but that of the summary, which is no table to Python.
pub fn tables<'py>(py: Python<'py>, found: &[Table]) -> PyResult<Bound<'py, PyDict>> {
    let tables = PyDict::new(py);
    for each in found.iter().filter(|each| each.name != PacketAccount::TABLE) {
        tables.set_item(each.name, table(py, each)?)?;
    }
    Ok(tables)
}

/// Starts and lengths of the flows of a process.
pub fn schedule<'py>(py: Python<'py>, flows: &[Arrival]) -> PyResult<Bound<'py, PyDict>> {
    let schedule = Table::new("schedule")
        .times("start_ns", flows.iter().map(|flow| flow.start))
        .indices("packets", flows.iter().map(|flow| flow.packets));
    table(py, &schedule)
}

/// The windows and the congested rounds of the synchronous model, two columns of different length.
pub fn rounds<'py>(py: Python<'py>, windows: &[f64], congested: &[bool]) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    for (name, column) in [
        ("windows", Column::Real(windows.to_vec())),
        ("congested", Column::Index(congested.iter().map(|&now| u32::from(now)).collect())),
    ] {
        let (dtype, bytes) = encoded(&column);
        columns.set_item(name, (dtype, PyBytes::new(py, &bytes)))?;
    }
    Ok(columns)
}

/// The packet account of a run, and how many events it took.
pub fn summary<'py>(
    py: Python<'py>,
    account: &PacketAccount,
    simulated_ns: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let summary = PyDict::new(py);
    summary.set_item("packets_sent", account.packets_sent)?;
    summary.set_item("packets_delivered", account.packets_delivered)?;
    summary.set_item("packets_dropped", account.packets_dropped)?;
    summary.set_item("packets_queued", account.packets_queued)?;
    summary.set_item("packets_in_flight", account.packets_in_flight)?;
    summary.set_item("events", account.events)?;
    summary.set_item("simulated_ns", simulated_ns)?;
    Ok(summary)
}
