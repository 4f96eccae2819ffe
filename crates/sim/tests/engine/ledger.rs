//! The ledger: the digest of every example and of some three thousand random networks, with the behaviour numbers of what each uses.
//!
//! A digest may move only together with a behaviour number (see `identity`). `LEDGER=write cargo test -p sawtooth-sim --test engine
//! ledger::` writes the rows of new behaviour, and refuses where a digest moved and no number did. The reason goes into CHANGELOG.md under
//! *Changed behaviour*. That no row was ever rewritten by hand is checked against the history (`tests/test_ledger.py`).

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use sawtooth_networks::networks::examples;
use sawtooth_networks::random_networks::{Entries, any_network, combinations};
use sawtooth_sim::scenario::Scenario;
use sawtooth_sim::{identity, run};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

const LEDGER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ledger.txt");
const HEAD: &str = "\
# Digests of the example scenarios (examples/*.json) and of random networks (crates/networks), with the behaviour numbers of what
# they use. Written by `LEDGER=write cargo test -p sawtooth-sim --test engine ledger::`, read in debug and release builds.
";
/// Random networks behind each row.
const NETWORKS: usize = 12;

/// A row: what it is of, the behaviour numbers, the digest.
type Rows = BTreeMap<String, (String, String)>;

/// The same networks each time: they depend on the names of the entries alone, so a new entry moves no other's.
fn drawn(entries: Entries) -> (String, Vec<Scenario>) {
    let recovery = entries.recovery.map_or("none", |row| row.name);
    let name = format!("random/{}/{recovery}/{}", entries.discipline.name, entries.controller.name);
    let seed: [u8; 32] = Sha256::digest(&name).into();
    let mut runner =
        TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    let strategy = any_network(entries);
    let network = || strategy.new_tree(&mut runner).expect("a network can be drawn").current().0;
    (name, std::iter::repeat_with(network).take(NETWORKS).collect())
}

fn row(scenarios: &[Scenario]) -> (String, String) {
    let mut used = BTreeMap::new();
    let mut digests = Vec::new();
    for scenario in scenarios {
        used.extend(identity::behaviour(scenario));
        digests.push(run(scenario).expect("scenarios of the ledger pass the check").digest());
    }
    let used: Vec<String> = used.iter().map(|(name, number)| format!("{name}={number}")).collect();
    let digest = match digests.as_slice() {
        [only] => only.clone(),
        all => Sha256::digest(all.concat()).iter().map(|byte| format!("{byte:02x}")).collect(),
    };
    (used.join(","), digest)
}

fn found() -> Rows {
    let examples = examples().into_iter().map(|(name, scenario)| (format!("example/{name}"), vec![scenario]));
    let scenarios = examples.chain(combinations().into_iter().map(drawn));
    scenarios.map(|(name, scenarios)| (name, row(&scenarios))).collect()
}

fn parsed(text: &str) -> Rows {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [name, digest, used] = words[..] else { panic!("ledger.txt: {line}: expected three words") };
            (name.to_owned(), (used.to_owned(), digest.to_owned()))
        })
        .collect()
}

fn written(rows: &Rows) -> String {
    let lines = rows.iter().map(|(name, (used, digest))| format!("{name:40} {digest} {used}\n"));
    HEAD.to_owned() + &lines.collect::<String>()
}

/// Rows whose digest is another although no behaviour number is.
fn moved<'a>(known: &'a Rows, found: &Rows) -> Vec<&'a str> {
    let silent = |name: &&String| {
        let ((used, digest), Some((used_now, digest_now))) = (&known[*name], found.get(*name)) else {
            return false;
        };
        used == used_now && digest != digest_now
    };
    known.keys().filter(silent).map(String::as_str).collect()
}

#[test]
fn no_digest_moves_without_a_behaviour_number() {
    let found = found();
    let known = parsed(&std::fs::read_to_string(LEDGER).expect("the ledger is readable"));
    let moved = moved(&known, &found);
    assert!(
        moved.is_empty(),
        "{} digests moved and no behaviour number did: {}. If the change is meant, raise the number of what changed (the law's in \
         `laws!`, the recovery's or the discipline's in its row, a feature's in FEATURES, CORE_BEHAVIOUR) and say why in CHANGELOG.md",
        moved.len(),
        moved.join(", "),
    );
    if std::env::var("LEDGER").is_ok_and(|what| what == "write") {
        std::fs::write(LEDGER, written(&found)).expect("the ledger can be written");
    } else {
        let stale: Vec<&str> = found
            .iter()
            .filter(|(name, row)| known.get(*name) != Some(row))
            .map(|(name, _)| name.as_str())
            .chain(known.keys().filter(|name| !found.contains_key(*name)).map(String::as_str))
            .collect();
        assert!(
            stale.is_empty(),
            "rows of new, changed or missing behaviour: {}. Write them: LEDGER=write cargo test -p sawtooth-sim --test engine ledger::",
            stale.join(", "),
        );
    }
}

#[test]
fn a_row_that_moves_silently_is_found_and_one_with_a_new_number_is_not() {
    let rows =
        |used: &str, digest: &str| Rows::from([("a".to_owned(), (used.to_owned(), digest.to_owned()))]);
    let known = rows("core=1", "aa");
    assert_eq!(moved(&known, &rows("core=1", "bb")), ["a"]);
    assert!(moved(&known, &rows("core=2", "bb")).is_empty());
    assert!(moved(&known, &rows("core=1", "aa")).is_empty());
    assert!(moved(&known, &Rows::new()).is_empty());
    assert_eq!(parsed(&written(&known)), known);
}

#[test]
fn another_number_is_another_identity_and_an_unused_component_is_none() {
    let scenario = &examples()["one_flow"];
    let used = identity::behaviour(scenario);
    assert_eq!(
        used.keys().map(String::as_str).collect::<Vec<_>>(),
        ["core", "law/linear", "queue/droptail", "recovery/sack"]
    );
    let other = Scenario { seed: "another".to_owned(), ..scenario.clone() };
    assert_ne!(identity::run_id(scenario), identity::run_id(&other));
    assert_eq!(identity::run_id(scenario).len(), identity::RUN_ID_DIGITS);
    let raised: BTreeMap<String, u32> =
        used.iter().map(|(name, number)| (name.clone(), number + 1)).collect();
    for name in used.keys() {
        let mut numbers = used.clone();
        numbers.insert(name.clone(), raised[name]);
        assert_ne!(identity::identity_of(&numbers, scenario), identity::run_id(scenario), "{name}");
    }
}
