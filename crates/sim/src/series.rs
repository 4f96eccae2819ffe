//! The table of recorded series: what each keeps, the keys of a scenario that ask for it, and what its columns mean.
//!
//! A series is a file in `series/`: what it hears, what it makes of it, its columns. Its line in the table below gives its name in
//! results, its file and type, and the key of `record` that requests it: a `flag`, or an `interval` in nanoseconds. `also` is a key of
//! another series that requests this one, too. The table makes the keys of `record`, the series of a run and their description. Python
//! knows series by that description only.

use crate::ahead::Measured;
use crate::observation::{Kinds, Observation};
use crate::table::{Column, Table};
use serde::{Deserialize, Serialize};

/// What a series knows of its run when it begins.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// How many flows the scenario lists. Short flows have numbers from there on.
    pub flows: u32,
    /// The measured time.
    pub measured: Measured,
}

/// A series that is made of observations.
pub trait Series {
    /// What it keeps.
    const SUMMARY: &'static str;
    /// Its columns, in order.
    const COLUMNS: &'static [ColumnInfo];
    /// What it hears.
    const HEARS: Kinds;

    /// An empty series.
    fn new(spec: &RecordSpec, extent: &Extent) -> Self;

    /// An event of a kind that it hears was observed, perhaps ahead of its time.
    fn observe(&mut self, observation: &Observation);

    /// The run is over: sort what must be in order.
    fn finish(&mut self) {}

    /// The values of its columns.
    fn columns(&self) -> Vec<Column>;
}

/// One column of a series.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ColumnInfo {
    /// Its name, which ends in its unit.
    pub name: &'static str,
    /// What it says.
    pub meaning: &'static str,
    /// Its unit; none for numbers of components and for codes.
    pub unit: &'static str,
    /// What the codes 0, 1, … mean.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub codes: &'static [&'static str],
}

impl ColumnInfo {
    /// When the row happened.
    pub const TIME: ColumnInfo = ColumnInfo::new("time_ns", "time since the start of the run", "ns");
    /// Whose row it is.
    pub const FLOW: ColumnInfo = ColumnInfo::new("flow", "id of the flow", "");

    /// A column of quantities in this unit, or without one.
    pub const fn new(name: &'static str, meaning: &'static str, unit: &'static str) -> Self {
        ColumnInfo { name, meaning, unit, codes: &[] }
    }

    /// A column of codes.
    pub const fn coded(name: &'static str, meaning: &'static str, codes: &'static [&'static str]) -> Self {
        ColumnInfo { name, meaning, unit: "", codes }
    }
}

/// One row of the table of series.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SeriesInfo {
    /// Its name in results.
    pub name: &'static str,
    /// The key of `record` that requests it. In the engine's scenario an interval has the suffix `_ns`.
    #[serde(serialize_with = "serialize_key")]
    pub key: &'static str,
    /// `flag` or `interval`.
    pub kind: &'static str,
    /// Another key that requests it too, if any.
    #[serde(serialize_with = "serialize_key")]
    pub also: &'static str,
    /// What it keeps.
    pub summary: &'static str,
    /// Its columns, in order.
    pub columns: &'static [ColumnInfo],
}

/// The value of a key of `record`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Asked {
    /// A flag.
    Flag(bool),
    /// An interval in nanoseconds.
    Interval(Option<u64>),
}

impl Asked {
    /// Does it request anything?
    pub fn is_on(self) -> bool {
        matches!(self, Asked::Flag(true) | Asked::Interval(Some(_)))
    }
}

impl From<bool> for Asked {
    fn from(flag: bool) -> Self {
        Asked::Flag(flag)
    }
}

impl From<Option<u64>> for Asked {
    fn from(interval: Option<u64>) -> Self {
        Asked::Interval(interval)
    }
}

macro_rules! series {
    (@value flag) => { bool };
    (@value interval) => { Option<u64> };
    ($($kind:ident $name:literal $module:ident::$series:ident($key:ident $(, also $also:ident)?);)*) => {
        $(pub mod $module;)*

        /// Which series a run keeps, by the keys of `record`; [`SERIES`] says what each requests.
        #[derive(Clone, Debug, Default, PartialEq, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        #[allow(missing_docs)]
        pub struct RecordSpec {
            $(pub $key: series!(@value $kind),)*
        }

        impl RecordSpec {
            /// Every key and what it says, in the order of the table.
            pub fn keys(&self) -> impl Iterator<Item = (&'static str, Asked)> {
                [$((stringify!($key), Asked::from(self.$key)),)*].into_iter()
            }
        }

        /// The series of a run: those that its scenario requests.
        #[derive(Debug)]
        #[allow(missing_docs)]
        pub struct AllSeries {
            $(pub $module: Option<$module::$series>,)*
        }

        impl AllSeries {
            /// Empty series.
            pub fn new(spec: &RecordSpec, extent: &Extent) -> Self {
                AllSeries {
                    $($module: (Asked::from(spec.$key).is_on() $(|| Asked::from(spec.$also).is_on())?)
                        .then(|| Series::new(spec, extent)),)*
                }
            }

            /// The kinds of events that any of them hears.
            pub fn hears(&self) -> Kinds {
                [$(self.$module.as_ref().map_or(Kinds::NONE, |_| $module::$series::HEARS),)*]
                    .into_iter()
                    .fold(Kinds::NONE, Kinds::and)
            }

            /// Something was observed.
            #[inline(always)]
            pub fn observe(&mut self, observation: &Observation) {
                let kind = observation.occurrence.kind();
                $(if let Some(series) = &mut self.$module
                    && $module::$series::HEARS.has_any(kind)
                {
                    series.observe(observation);
                })*
            }

            /// The run is over.
            pub fn finish(&mut self) {
                $(if let Some(series) = &mut self.$module { series.finish(); })*
            }

            /// Their tables.
            pub fn tables(&self) -> Vec<Table> {
                let tables = [$(self.$module.as_ref().map(|series| table($name, series)),)*];
                tables.into_iter().flatten().collect()
            }
        }

        /// Every series there is.
        pub const SERIES: &[SeriesInfo] = &[$(SeriesInfo {
            name: $name,
            key: stringify!($key),
            kind: stringify!($kind),
            also: concat!($(stringify!($also))?),
            summary: $module::$series::SUMMARY,
            columns: $module::$series::COLUMNS,
        },)*];
    };
}

// In the order in which digests hash their tables: new ones go to the end.
series! {
    flag "completions" completions::Completions(completions);
    flag "windows" windows::Windows(windows, also sample_ns);
    interval "queue_samples" queue_samples::QueueSamples(sample_ns);
    interval "rates" rates::Rates(rates_ns);
    flag "congestion" congestion::CongestionSigns(congestion);
    flag "packets" packets::Packets(packets);
    flag "model" model::Models(model);
    flag "disciplines" disciplines::Disciplines(disciplines);
    flag "senders" senders::Senders(senders);
    flag "frames" frames::Frames(frames);
}

fn table<S: Series>(name: &'static str, series: &S) -> Table {
    let columns = series.columns();
    assert_eq!(columns.len(), S::COLUMNS.len(), "series `{name}` has the columns that it describes");
    S::COLUMNS
        .iter()
        .zip(columns)
        .fold(Table::new(name), |table, (info, column)| table.with(info.name, column))
}

/// The key of a scenario file: without the unit that the engine's key ends in.
fn serialize_key<S: serde::Serializer>(key: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(key.strip_suffix("_ns").unwrap_or(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Observer;
    use crate::scenario::Scenario;
    use crate::testing::dumbbell;
    use sawtooth_cc::units::Time;
    use serde_json::json;

    /// A scenario that asks for this alone.
    fn asking(key: &str, kind: &str) -> Scenario {
        let value = if kind == "flag" { json!(true) } else { json!(100_000_000) };
        let record = serde_json::from_value(json!({ (key): value })).expect("a key of the table");
        Scenario { record, ..dumbbell(2) }
    }

    #[test]
    fn a_series_is_there_if_any_of_its_keys_asks_for_it_with_the_columns_that_it_describes() {
        for row in SERIES {
            for other in SERIES {
                let scenario = asking(other.key, other.kind);
                let tables = crate::run(&scenario).unwrap().series.tables();
                let found = tables.iter().find(|table| table.name == row.name);
                assert_eq!(
                    found.is_some(),
                    [row.key, row.also].contains(&other.key),
                    "{} where {} is asked for",
                    row.name,
                    other.key
                );
                let Some(table) = found else { continue };
                assert!(
                    table
                        .columns()
                        .iter()
                        .map(|(name, _)| name)
                        .eq(row.columns.iter().map(|info| &info.name))
                );
                for ((name, column), info) in table.columns().iter().zip(row.columns) {
                    if let (Column::Index(values), false) = (column, info.codes.is_empty()) {
                        let known = values.iter().all(|&code| (code as usize) < info.codes.len());
                        assert!(known, "{}.{name} has codes that nothing describes", row.name);
                    }
                }
            }
        }
    }

    #[test]
    fn nobody_hears_anything_unless_asked_to() {
        let scenario = dumbbell(2);
        let measured = Measured { from: Time::ZERO, to: Time::from_nanos(scenario.duration_ns) };
        let extent = Extent { flows: 2, measured };
        let series = AllSeries::new(&scenario.record, &extent);
        assert_eq!((series.hears(), series.tables().len()), (Kinds::NONE, 0));
        let mut observer = Observer::new(&scenario.record, &extent);
        observer.note(Kinds::CUT, Time::ZERO, || unreachable!("nobody asked what happened"));
        assert!(observer.finish().tables().is_empty());
    }

    #[test]
    fn what_is_described_stands_under_the_keys_of_scenario_files() {
        let described = serde_json::to_value(SERIES).unwrap();
        let windows = &described[1];
        assert_eq!((&windows["name"], &windows["kind"]), (&json!("windows"), &json!("flag")));
        assert_eq!((&windows["key"], &windows["also"]), (&json!("windows"), &json!("sample")));
        assert_eq!(described[3]["key"], "rates");
        assert_eq!(described[4]["columns"][2]["codes"], json!(["dropped", "marked"]));
    }
}
