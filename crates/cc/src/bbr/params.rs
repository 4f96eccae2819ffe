//! The numbers of BBRv3: gains, thresholds and lengths, by the names that draft-ietf-ccwg-bbr gives them, in snake case.
//!
//! Where the draft writes a number without a name, the name is ours. Bounds keep a flow alive, and no more.

named_numbers! { "BBRv3" BbrParams {
    startup_pacing_gain "1" 2.77 in 1.0..=10.0 "pacing in STARTUP; the least that doubles the rate each round: 4 ln 2 (§2.5)";
    drain_pacing_gain "1" 0.5 in 0.05..=1.0 "pacing in DRAIN; the queue of STARTUP goes within a round trip (§2.5)";
    probe_down_pacing_gain "1" 0.9 in 0.05..=1.0 "pacing in PROBE_BW_DOWN; the least with which flows converge beside 1.25 (§5.3.3.1)";
    probe_cruise_pacing_gain "1" 1.0 in 0.05..=2.0 "pacing in PROBE_BW_CRUISE (§5.3.3.2)";
    probe_refill_pacing_gain "1" 1.0 in 0.05..=2.0 "pacing in PROBE_BW_REFILL (§5.3.3.3)";
    probe_up_pacing_gain "1" 1.25 in 1.0..=10.0 "pacing in PROBE_BW_UP (§5.3.3.5)";
    probe_rtt_pacing_gain "1" 1.0 in 0.05..=2.0 "pacing in PROBE_RTT (§5.3.4)";
    pacing_margin_percent "%" 1.0 in 0.0..=50.0 "paced so much below the estimate, so that queues go (§2.5)";
    default_cwnd_gain "1" 2.0 in 1.0..=10.0 "window over BDP in most states; lets the rate double each round (§2.6)";
    probe_up_cwnd_gain "1" 2.25 in 1.0..=10.0 "window over BDP in PROBE_BW_UP, so that the window does not hold the probe (§5.3.3.5)";
    probe_rtt_cwnd_gain "1" 0.5 in 0.05..=1.0 "window over BDP in PROBE_RTT (§5.3.4)";
    min_pipe_cwnd "packets" 4.0 in 1.0..=100.0 "least window; two packets and acknowledgements of two under way beside delayed acknowledgements (§2.8)";
    full_bw_growth "1" 1.25 in 1.0..=4.0 "growth of the delivery rate in a round below which it has reached a plateau (§5.3.1.2)";
    full_bw_rounds "rounds" 3.0 in 1.0..=100.0 whole "rounds without such growth after which the path is full (§5.3.1.2)";
    startup_full_loss_count "1" 6.0 in 1.0..=1000.0 whole "ranges lost in a round that end STARTUP (§5.3.1.3, StartupFullLossCnt)";
    drain_rounds "rounds" 3.0 in 0.0..=100.0 whole "rounds after which DRAIN ends whatever is in flight (§5.3.2)";
    loss_thresh "1" 0.02 in 0.0..=1.0 "loss rate over a round trip that a probe for bandwidth may cause (§2.8)";
    beta "1" 0.7 in 0.05..=1.0 "fraction that a round with losses leaves of the short-term bounds at least (§2.8)";
    headroom "1" 0.15 in 0.0..=0.9 "fraction of inflight_longterm that is left free for others while cruising (§2.8)";
    max_bw_filter_len "cycles" 2.0 in 1.0..=100.0 whole "cycles of PROBE_BW that max_bw looks back on, the present one included (§2.11)";
    extra_acked_filter_len "rounds" 10.0 in 1.0..=100.0 whole "rounds that extra_acked looks back on; 1 in STARTUP (§2.12)";
    min_rtt_filter_len "s" 10.0 in 0.05..=1000.0 "how long a sample of the round trip counts for min_rtt (§2.16.1)";
    probe_rtt_interval "s" 5.0 in 0.05..=1000.0 "longest time without a lower round trip before PROBE_RTT (§2.16.2)";
    probe_rtt_duration "s" 0.2 in 0.001..=100.0 "least time at the small window in PROBE_RTT (§2.16.2)";
    probe_wait_base "s" 2.0 in 0.05..=1000.0 "least time from one probe for bandwidth to the next (§5.3.3.8)";
    probe_wait_spread "s" 1.0 in 0.0..=1000.0 "random time on top of it (§5.3.3.8)";
    probe_wait_rounds "rounds" 63.0 in 1.0..=10000.0 whole "most rounds between probes, or one fewer at random; what Reno needs to share 25 Mbit/s at 30 ms (§5.3.3.8)";
    send_quantum_time "s" 0.001 in 0.0..=1.0 "what leaves at once is what the pacing rate sends in this time (§5.6.3)";
    send_quantum_max "bytes" 65536.0 in 1.0..=1000000.0 "and at most so much: the largest burst that hosts hand to a network card (§5.6.3)";
    send_quantum_min "packets" 2.0 in 1.0..=100.0 "and at least so much (§5.6.3)";
    offload_quanta "1" 3.0 in 0.0..=100.0 "quanta that the window holds at least; the draft takes 3 for TCP and 1 for QUIC, here it is 3 for both (§5.5.8)";
} }
