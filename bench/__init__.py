"""Benchmarks that others can run: the whole engine on a common scenario, beside ns-2 where it is installed.

    make bench                        10 flows, 100 Mbit/s: the scenario of the speed comparison
    python -m bench --help            other sizes, more pairs, JSON

Micro-benchmarks of single parts are criterion's: `make bench-micro`.
"""
