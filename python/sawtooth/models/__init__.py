"""Closed forms and the synchronous model: everything of the four works that is algebra, to be used without a network.

Every function takes numbers or NumPy arrays (which broadcast), says its units and the equation it comes from, and raises ``InputError``
for what lies outside its domain. Modules by subject:

- ``synchronous``: controllers of the laboratory on one capacity with binary feedback, round by round [ChiuJain89]
- ``fairness``: steady states and fairness of the four-parameter linear family [Akella02] §5.1
- ``fairness_map``: the same family in the synchronous model, for maps
- ``response``: the deterministic response function of AIMD, window and rate over drop rate, exact and approximate [Floyd00] §3
- ``cubic``: the deterministic response function of CUBIC, exact and as RFC 9438 approximates it
- ``padhye``: the stochastic response function of TCP with timeouts, and the form that TFRC uses [Padhye98]
- ``random_loss``: the constants of the 1/sqrt(p) law under regular and random loss [Mathis97]
- ``compatibility``: which AIMD take the share of TCP, and how much the others take [Floyd00] §3.2, §6
- ``smoothness``: smoothness, responsiveness and aggressiveness of AIMD and of binomial controls [Floyd00] §5.1
- ``tfrc_average``: the average loss interval of TFRC, and the rise and fall of its rate [FloydHandley00]
- ``whole_packets``: AIMD in whole packets, without a network
- ``fast_convergence``: AIMD-FC and AIMD-FC+ [Lahanas03]
- ``fair_queueing``, ``sliding_window``, ``loss_proportional``: what the studies cite in passing
- ``inputs``: what a model accepts, and the error for what it does not
"""

from __future__ import annotations

from typing import Final

CYCLES: Final = 100
"""Cycles of the synchronous model where the caller says nothing. Here, because the help text of a command names it and loads no model."""
