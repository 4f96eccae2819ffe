//! The numbers of NADA, by the names and with the defaults of RFC 8698 Table 2: rates in kbit/s, times in ms. `xmax` is not there, and the
//! numbers of the encoder, from `tau_v` on, are those of RFC 8593 Figure 2, which are off by default.

named_numbers! { "NADA" NadaParams {
    prio "1" 1.0 in 0.01..=100.0 "weight of the call; default: RFC 8698 Table 2, as all up to alpha";
    rmin "kbit/s" 150.0 in 1.0..=1e6 "least rate of the encoder";
    rmax "kbit/s" 1500.0 in 1.0..=1e7 "greatest rate of the encoder";
    xref "ms" 10.0 in 0.01..=1e4 "signal at which a call of weight 1 rests at its greatest rate";
    kappa "1" 0.5 in 0.001..=10.0 "gain of the gradual update";
    eta "1" 2.0 in 0.0..=100.0 "weight of the change of the signal in the gradual update";
    tau "ms" 500.0 in 1.0..=1e4 "bound on the round trip in the gradual update";
    delta "ms" 100.0 in 1.0..=1e4 "time between two reports";
    logwin "ms" 500.0 in 1.0..=1e4 "window in which the receiver looks at packets";
    qeps "ms" 10.0 in 0.0..=1e4 "queueing delay from which a queue counts as building up, which ends the ramp-up";
    dfilt "ms" 120.0 in 0.0..=1e4 "bound on the delay of the filter";
    gamma_max "1" 0.5 in 0.0..=10.0 "greatest step of the ramp-up";
    qbound "ms" 50.0 in 0.0..=1e4 "bound on the queueing delay that the ramp-up makes";
    multiloss "1" 7.0 in 0.0..=1e3 "average loss intervals for which a loss is remembered";
    qth "ms" 50.0 in 0.01..=1e4 "queueing delay above which it is warped while a loss is remembered";
    lambda "1" 0.5 in 0.0..=100.0 "exponent of the warping";
    plrref "1" 0.01 in 1e-4..=1.0 "loss ratio at which the penalty is dloss";
    pmrref "1" 0.01 in 1e-4..=1.0 "marking ratio at which the penalty is dmark";
    dloss "ms" 10.0 in 0.0..=1e4 "penalty for losses";
    dmark "ms" 2.0 in 0.0..=1e4 "penalty for marks";
    fps "1/s" 30.0 in 1.0..=1e3 "frames of the video";
    beta_s "1" 0.1 in 0.0..=10.0 "how much a full shaping buffer raises the sending rate";
    beta_v "1" 0.1 in 0.0..=10.0 "how much a full shaping buffer lowers the rate of the encoder";
    alpha "1" 0.1 in 0.001..=1.0 "weight of the newest ratio in those of losses and marks";
    tau_v "ms" 0.0 in 0.0..=1e4 "time for which the encoder ignores other rates after it has reacted to one; default: none (RFC 8593: 200)";
    k_d "frames" 8.0 in 2.0..=1000.0 whole "frames of the transient after an abrupt change of the rate; default: RFC 8593 Figure 2";
    k_b "bytes" 0.0 in 0.0..=1e6 "first frame of that transient, 0: no transient; default: none (RFC 8593: 13500)";
    scale_t "1" 0.0 in 0.0..=0.5 "scale of the Laplacian deviation of frame intervals; default: none (RFC 8593: 0.15)";
    scale_b "1" 0.0 in 0.0..=0.5 "scale of the Laplacian deviation of frame sizes; default: none (RFC 8593: 0.15)";
    xmax "ms" 0.0 in 0.0..=1e6 "bound on the signal, 0: none; default: none, as the RFC's text; the authors' ns-3 module has 500";
} }
