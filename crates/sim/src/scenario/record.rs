//! The keys of `record`: their text, which is part of every run's identity, and what they may ask for.

use super::{Scenario, ScenarioError, require};
use crate::series::{Asked, RecordSpec};
use serde::{Serialize, Serializer};

/// The keys that stand in every canonical text, asked for or not, and in this order: they are older than the table of series. Any
/// other key stands there if it asks for something.
const WRITTEN_ALWAYS: [&str; 5] = ["windows", "sample_ns", "rates_ns", "congestion", "completions"];

/// The most rows of a series at an interval: two gigabytes and more.
const ROWS_MAX: u64 = 100_000_000;

impl RecordSpec {
    fn get(&self, name: &str) -> Asked {
        let found = self.keys().find(|(key, _)| *key == name);
        found.map(|(_, asked)| asked).expect("the table of series has a line with this key")
    }
}

impl Serialize for RecordSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let always = WRITTEN_ALWAYS.into_iter().map(|key| (key, self.get(key)));
        let others = self.keys().filter(|(key, asked)| asked.is_on() && !WRITTEN_ALWAYS.contains(key));
        serializer.collect_map(always.chain(others))
    }
}

impl Scenario {
    /// Check what `record` asks for. At each interval there is a row for every flow, or every queue, or both.
    pub(super) fn check_record(&self) -> Result<(), ScenarioError> {
        let queues = self.links.iter().filter(|link| link.queue.is_some()).count();
        let rows = (self.flows.len() + queues).max(1) as u64;
        for (key, asked) in self.record.keys() {
            let Asked::Interval(Some(interval)) = asked else { continue };
            let path = format!("record.{key}");
            require(interval > 0, &path, interval, "a positive interval")?;
            let least = self.duration_ns.div_ceil((ROWS_MAX / rows).max(1));
            let expected =
                format!("at least {least} ns, so that {rows} flows and queues have at most {ROWS_MAX} rows");
            require(interval >= least, path, interval, &expected)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_asks_for_nothing_is_written_only_if_it_always_was() {
        let text = |spec: &RecordSpec| serde_json::to_string(spec).unwrap();
        assert_eq!(
            text(&RecordSpec::default()),
            r#"{"windows":false,"sample_ns":null,"rates_ns":null,"congestion":false,"completions":false}"#
        );
        let all: Vec<&str> = RecordSpec::default().keys().map(|(key, _)| key).collect();
        for key in all {
            let parsed = ["true", "250"].map(|value| {
                let given = format!("\"{key}\":{value}");
                let spec: RecordSpec = serde_json::from_str(&format!("{{{given}}}")).ok()?;
                assert!(text(&spec).contains(&given), "{key}");
                assert_eq!(serde_json::from_str::<RecordSpec>(&text(&spec)).unwrap(), spec, "{key}");
                Some(spec)
            });
            assert_eq!(parsed.iter().flatten().count(), 1, "{key} is a flag or an interval");
        }
    }
}
