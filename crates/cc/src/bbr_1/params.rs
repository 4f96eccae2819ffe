//! The numbers of BBRv1. Gains are the fractions of 256 that Linux computes with; names are ours where Linux has none.

named_numbers! { "BBRv1" Bbr1Params {
    startup_gain "1" 2.88671875 in 1.0..=10.0 "pacing and window over the BDP in STARTUP; the least that doubles the rate each round: 2/ln 2 as 739/256 (bbr_high_gain)";
    drain_gain "1" 0.34375 in 0.05..=1.0 "pacing in DRAIN; the queue of STARTUP goes in one round: 88/256 (bbr_drain_gain)";
    probe_up_gain "1" 1.25 in 1.0..=10.0 "pacing in the first of the eight phases of PROBE_BW (bbr_pacing_gain)";
    probe_down_gain "1" 0.75 in 0.05..=1.0 "pacing in the second phase, so that the queue of the first goes (bbr_pacing_gain)";
    cruise_gain "1" 1.0 in 0.05..=2.0 "pacing in the other six phases (bbr_pacing_gain)";
    cwnd_gain "1" 2.0 in 1.0..=10.0 "window over the BDP in PROBE_BW; leaves room for delayed acknowledgements (bbr_cwnd_gain)";
    first_phases "1" 7.0 in 1.0..=8.0 whole "phases that PROBE_BW may begin with, drawn at random; 7: each but the second (bbr_cycle_rand)";
    pacing_margin_percent "%" 1.0 in 0.0..=50.0 "paced so much below the estimate, so that queues go (bbr_pacing_margin_percent)";
    min_pipe_cwnd "packets" 4.0 in 1.0..=100.0 "least window, and the window in PROBE_RTT; two packets and acknowledgements of two under way (bbr_cwnd_min_target)";
    full_bw_growth "1" 1.25 in 1.0..=4.0 "growth of the bandwidth below which it has reached a plateau (bbr_full_bw_thresh)";
    full_bw_rounds "rounds" 3.0 in 1.0..=100.0 whole "rounds without such growth after which the path is full (bbr_full_bw_cnt)";
    bw_filter_len "rounds" 10.0 in 1.0..=100.0 whole "rounds that a bandwidth sample counts for after its own: a cycle and two (bbr_bw_rtts)";
    min_rtt_filter_len "s" 10.0 in 0.05..=1000.0 "longest time without a lower round trip before PROBE_RTT (bbr_min_rtt_win_sec)";
    probe_rtt_duration "s" 0.2 in 0.001..=100.0 "least time at the small window in PROBE_RTT; costs 2 % of ten seconds (bbr_probe_rtt_mode_ms)";
    lt_interval_rounds "rounds" 4.0 in 1.0..=100.0 whole "least length of an interval that may show a policer; four times that is the longest (bbr_lt_intvl_min_rtts)";
    lt_loss_thresh "1" 0.1953125 in 0.0..=1.0 "lost over delivered in such an interval: 50/256 (bbr_lt_loss_thresh)";
    lt_bw_ratio "1" 0.125 in 0.0..=1.0 "difference over rate up to which the rates of two intervals are the same (bbr_lt_bw_ratio)";
    lt_bw_diff "bit/s" 4000.0 in 0.0..=1000000000.0 "difference up to which they are the same in any case (bbr_lt_bw_diff)";
    lt_bw_rounds "rounds" 48.0 in 1.0..=10000.0 whole "rounds in PROBE_BW at the rate of a policer before it is tried again (bbr_lt_bw_max_rtts)";
    extra_acked_gain "1" 1.0 in 0.0..=10.0 "of what bursts of acknowledgements hold, so much goes on top of the window (bbr_extra_acked_gain)";
    extra_acked_filter_len "rounds" 5.0 in 1.0..=31.0 whole "rounds in each of the two slots that extra_acked looks back on (bbr_extra_acked_win_rtts)";
    extra_acked_max "s" 0.1 in 0.0..=10.0 "at most what the bandwidth carries in this time goes on top (bbr_extra_acked_max_us)";
    send_quantum_time "s" 0.0009765625 in 0.0..=1.0 "what leaves at once is what the pacing rate sends in this time: 2^-10 s (sk_pacing_shift)";
    send_quantum_max "bytes" 65535.0 in 1.0..=1000000.0 "and at most so much (GSO_LEGACY_MAX_SIZE)";
    send_quantum_min "packets" 2.0 in 1.0..=100.0 "and at least so much, from slow_rate on (bbr_min_tso_segs)";
    slow_rate "bit/s" 1200000.0 in 0.0..=1000000000.0 "pacing rate below which a single packet may leave (bbr_min_tso_rate)";
    offload_quanta "1" 3.0 in 0.0..=100.0 "quanta that the window holds beyond the BDP, for hosts that send and receive in bursts (bbr_quantization_budget)";
} }
