//! Tables: the results of a run as named columns of one type each.
//!
//! Code that shows, stores or hashes a run reads its tables and knows no record by name. So a column that is added here is shown,
//! stored and hashed everywhere.

use sawtooth_cc::units::{Span, Time};
use sha2::{Digest, Sha256};

/// The values of one column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Names.
    Text(Vec<String>),
    /// Numbers of components, and codes.
    Index(Vec<u32>),
    /// Counts and nanoseconds; below 2⁶³.
    Count(Vec<u64>),
    /// Hashes, which need all 64 bits.
    Hash(Vec<u64>),
    /// Nanoseconds, or nothing.
    Moment(Vec<Option<u64>>),
    /// Real numbers.
    Real(Vec<f64>),
}

impl Column {
    /// How many values there are.
    pub fn len(&self) -> usize {
        match self {
            Column::Text(values) => values.len(),
            Column::Index(values) => values.len(),
            Column::Count(values) | Column::Hash(values) => values.len(),
            Column::Moment(values) => values.len(),
            Column::Real(values) => values.len(),
        }
    }

    /// Is there no value at all?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Numbers of components, or codes.
    pub fn indices(values: impl Iterator<Item = u32>) -> Self {
        Column::Index(values.collect())
    }

    /// Counts.
    pub fn counts(values: impl Iterator<Item = u64>) -> Self {
        Column::Count(values.collect())
    }

    /// Times, in nanoseconds from the start of the run.
    pub fn times(values: impl Iterator<Item = Time>) -> Self {
        Column::Count(values.map(Time::nanos).collect())
    }

    /// Lengths of time, in nanoseconds.
    pub fn spans(values: impl Iterator<Item = Span>) -> Self {
        Column::Count(values.map(Span::nanos).collect())
    }

    /// Real numbers.
    pub fn reals(values: impl Iterator<Item = f64>) -> Self {
        Column::Real(values.collect())
    }

    /// Does every value say nothing: an empty name, zero, no moment?
    fn is_blank(&self) -> bool {
        match self {
            Column::Text(values) => values.iter().all(String::is_empty),
            Column::Index(values) => values.iter().all(|&value| value == 0),
            Column::Count(values) | Column::Hash(values) => values.iter().all(|&value| value == 0),
            Column::Moment(values) => values.iter().all(Option::is_none),
            Column::Real(values) => values.iter().all(|value| value.to_bits() == 0),
        }
    }

    fn hash_into(&self, hash: &mut Sha256) {
        let mut word = |value: u64| hash.update(value.to_le_bytes());
        match self {
            Column::Text(values) => {
                for value in values {
                    hash_text(hash, value);
                }
            }
            Column::Index(values) => values.iter().for_each(|&value| word(u64::from(value))),
            Column::Count(values) | Column::Hash(values) => values.iter().for_each(|&value| word(value)),
            Column::Moment(values) => values.iter().for_each(|value| word(value.unwrap_or(u64::MAX))),
            Column::Real(values) => values.iter().for_each(|value| word(value.to_bits())),
        }
    }
}

/// A table: columns of one length.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its name in results.
    pub name: &'static str,
    columns: Vec<(&'static str, Column)>,
    /// How many of them a digest covers, if not all.
    hashed: Option<usize>,
}

impl Table {
    /// A table without columns.
    pub fn new(name: &'static str) -> Self {
        Table { name, columns: Vec::new(), hashed: None }
    }

    /// The table with one column more.
    #[must_use]
    pub fn with(mut self, name: &'static str, column: Column) -> Self {
        if let Some((first, other)) = self.columns.first() {
            assert_eq!(other.len(), column.len(), "columns `{first}` and `{name}` have one length");
        }
        self.columns.push((name, column));
        self
    }

    /// The columns that come next enter no digest: they follow from what happens in the run, and a later engine may measure more finely.
    #[must_use]
    pub fn unhashed_from_here(mut self) -> Self {
        self.hashed = Some(self.columns.len());
        self
    }

    /// A column of names.
    #[must_use]
    pub fn texts(self, name: &'static str, values: impl Iterator<Item = String>) -> Self {
        self.with(name, Column::Text(values.collect()))
    }

    /// A column of numbers of components, or of codes.
    #[must_use]
    pub fn indices(self, name: &'static str, values: impl Iterator<Item = u32>) -> Self {
        self.with(name, Column::indices(values))
    }

    /// A column of counts.
    #[must_use]
    pub fn counts(self, name: &'static str, values: impl Iterator<Item = u64>) -> Self {
        self.with(name, Column::counts(values))
    }

    /// A column of times, in nanoseconds from the start of the run.
    #[must_use]
    pub fn times(self, name: &'static str, values: impl Iterator<Item = Time>) -> Self {
        self.with(name, Column::times(values))
    }

    /// A column of lengths of time, in nanoseconds.
    #[must_use]
    pub fn spans(self, name: &'static str, values: impl Iterator<Item = Span>) -> Self {
        self.with(name, Column::spans(values))
    }

    /// A column of real numbers.
    #[must_use]
    pub fn reals(self, name: &'static str, values: impl Iterator<Item = f64>) -> Self {
        self.with(name, Column::reals(values))
    }

    /// The columns in their order.
    pub fn columns(&self) -> &[(&'static str, Column)] {
        &self.columns
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }
}

fn hash_text(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text.as_bytes());
}

/// A hash of the values of these tables, with the names of tables and columns: equal runs have equal digests.
///
/// Tables without rows and blank columns add nothing to the hash. So a column that a later engine adds keeps the digests of runs for
/// which it is blank.
pub fn digest(tables: &[Table]) -> String {
    let mut hash = Sha256::new();
    for table in tables.iter().filter(|table| table.rows() > 0) {
        hash_text(&mut hash, table.name);
        hash.update((table.rows() as u64).to_le_bytes());
        let hashed = &table.columns[..table.hashed.unwrap_or(table.columns.len())];
        for (name, column) in hashed.iter().filter(|(_, column)| !column.is_blank()) {
            hash_text(&mut hash, name);
            column.hash_into(&mut hash);
        }
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(counts: &[u64]) -> Table {
        Table::new("flows").counts("sent", counts.iter().copied())
    }

    #[test]
    fn every_value_and_every_name_moves_the_digest() {
        let base = digest(&[table(&[1, 2])]);
        assert_eq!(base, digest(&[table(&[1, 2])]));
        let others = [
            digest(&[table(&[1, 3])]),
            digest(&[table(&[1, 2, 0])]),
            digest(&[Table::new("queues").counts("sent", [1, 2].into_iter())]),
            digest(&[Table::new("flows").counts("drops", [1, 2].into_iter())]),
            digest(&[table(&[1, 2]).reals("mean", [0.0, 0.5].into_iter())]),
            digest(&[table(&[1, 2]).texts("name", ["", "x"].map(String::from).into_iter())]),
            digest(&[table(&[1, 2]).with("at", Column::Moment(vec![None, Some(0)]))]),
        ];
        for (index, other) in others.iter().enumerate() {
            assert_ne!(base, *other, "{index}");
            assert!(!others[..index].contains(other), "{index}");
        }
    }

    #[test]
    fn columns_behind_the_hashed_ones_add_nothing() {
        let base = table(&[1, 2]);
        let beside = table(&[1, 2]).unhashed_from_here().counts("undos", [1, 2].into_iter());
        assert_eq!(digest(&[base]), digest(std::slice::from_ref(&beside)));
        assert_eq!(beside.columns().len(), 2);
    }

    #[test]
    fn what_says_nothing_adds_nothing() {
        let base = digest(&[table(&[1, 2])]);
        let blank = table(&[1, 2])
            .counts("spurious", [0, 0].into_iter())
            .reals("pacing", [0.0, 0.0].into_iter())
            .with("at", Column::Moment(vec![None, None]));
        assert_eq!(base, digest(&[blank, Table::new("states").counts("since", std::iter::empty())]));
    }
}
