//! Whole endpoints of quinn-proto over our network.

#[path = "../../common/runs.rs"]
mod runs;

use quinn::sawtooth_endpoints;

#[test]
fn ten_repetitions_have_the_same_digest() {
    runs::the_same_ten_times(sawtooth_endpoints(), &["quinn(newreno)", "quinn(cubic)", "quinn(bbr)"]);
}

#[test]
fn its_newreno_and_its_cubic_do_what_ours_do() {
    runs::held_against_ours(
        sawtooth_endpoints(),
        &[("quinn(newreno)", "aimd(1, 0.5)"), ("quinn(cubic)", "cubic")],
    );
}

#[test]
fn marks_are_heeded() {
    runs::heeds_marks(sawtooth_endpoints(), &["quinn(newreno)", "quinn(cubic)"]);
}

#[test]
fn what_is_read_was_carried() {
    runs::what_is_read_was_carried(sawtooth_endpoints(), &["quinn(newreno)", "quinn(cubic)"]);
}
