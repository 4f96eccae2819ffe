"""Benchmarks that others can run: what a packet costs here, beside ns-2, ns-3 and a floor program, and how that grows.

    make bench                        the comparison: ours, floor, ns-2 and ns-3 where they are installed
    python -m bench compare --help    other sizes, more rounds, JSON
    python -m bench grow              cost against flows, cross traffic, loss, window, recording, and every table entry
    python -m bench sweep             a thousand runs through runner and store
    python -m bench cluster           the same by workers of Dask, and what a task and a run cost beside the engine
    python -m bench gate              instructions per packet against the committed baseline
    python -m bench report            the tables and figures of the performance pages from bench/results

Micro-benchmarks of single parts are criterion's: `make bench-micro`.
"""
