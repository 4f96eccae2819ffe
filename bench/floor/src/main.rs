//! `sawtooth-floor FLOWS MBIT BUFFER_PACKETS SECONDS RTTS [both|lines|buckets]` prints `name value …` on one line: what became of the
//! packets, and peak memory in kB (0 where the kernel does not tell).

use sawtooth_floor::{Settings, Way, run};
use std::process::ExitCode;

const USAGE: &str = "usage: sawtooth-floor FLOWS MBIT BUFFER_PACKETS SECONDS RTTS [both|lines|buckets]";

fn settings(words: &[String]) -> Option<(Settings, Way)> {
    let numbers: Vec<u64> = words.iter().take(5).map_while(|word| word.parse().ok()).collect();
    let &[flows, mbit, buffer, seconds, rtts] = numbers.as_slice() else { return None };
    let (flows, rtts) = (u32::try_from(flows).ok()?, u32::try_from(rtts).ok()?);
    let known = (1..=sawtooth_floor::FLOWS_MAX).contains(&flows)
        && (1..=flows).contains(&rtts)
        && (1..=8_000_000).contains(&mbit)
        && buffer > 0;
    let word = words.get(5).map_or("both", String::as_str);
    let &(_, way) = Way::ALL.iter().find(|(name, _)| *name == word)?;
    known.then_some((Settings { flows, mbit, buffer: buffer as usize, seconds, rtts }, way))
}

/// The largest resident memory so far, kB, as Linux counts it.
fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((settings, way)) = settings(&words) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let counts = run(&settings, way);
    println!(
        "forwarded {} dropped {} sent {} queued {} arriving {} returning {} acknowledged {} halvings {} restarts {} peak_kb {}",
        counts.forwarded,
        counts.dropped,
        counts.sent,
        counts.queued,
        counts.arriving,
        counts.returning,
        counts.acknowledged,
        counts.halvings,
        counts.restarts,
        peak_kb()
    );
    ExitCode::SUCCESS
}
