//! Tests of the whole engine, one subject a module. They are one program: as programs of their own, each would be linked with the engine
//! and compile proptest and serde for itself, and their tests would wait for each other.
//!
//! A test here shares its process with all others: one that sets an environment variable or the current directory, or counts what the
//! process allocates, gets a file of its own in `tests`. One subject: `cargo test -p sawtooth-sim --test engine ledger::`.

mod ack_path;
mod applications;
mod bad_scenarios;
mod buckets;
mod changes;
mod delay_laws;
mod delivery_rate;
mod determinism;
mod device_queue;
mod disciplines;
mod drr;
mod dualpi2;
mod fq_codel;
mod full_path;
mod grids;
mod idle;
mod in_flight;
mod knobs;
mod latecomers;
mod ledger;
mod lone_flow;
mod order;
mod pacing;
mod packets;
mod path;
mod physics;
mod plugin;
mod properties;
mod queue_management;
mod rap;
mod rate_pairs;
mod rate_properties;
mod recovery_interface;
mod scalable;
mod script;
mod sender_scripts;
mod short_flows;
mod supply;
mod tfrc;
mod wires;
