"""The benchmark runs, counts what it says, and compares like with like."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from bench.measure import Spread, usage

ROOT = Path(__file__).resolve().parents[1]


def test_a_short_benchmark_reports_cost_packets_and_memory() -> None:
    words = "--alone --flows 2 --mbit 10 --buffer 50 --pairs 2 --lead-in 10 --seconds 20 --json"
    done = subprocess.run(
        [sys.executable, "-m", "bench", *words.split()], cwd=ROOT, capture_output=True, text=True, check=True
    )
    told = json.loads(done.stdout)
    # 10 Mbit/s are 1250 packets of 1000 B a second; the buffer is small, so the link is not always busy.
    assert 0.8 * 20 * 1250 < told["packets"]["sawtooth"] <= 20 * 1250
    cost = told["ns_per_packet"]["sawtooth"]
    assert 0 < cost["low"] <= cost["median"] <= cost["high"]
    assert told["peak_kb"]["sawtooth"] >= told["idle_interpreter_kb"] > 0
    assert told["ratio"] == {}


def test_usage_counts_the_cpu_time_of_the_child() -> None:
    busy = "import time\nwhile time.process_time() < 0.2: pass\nprint(input())"
    used = usage([sys.executable, "-I", "-c", busy], "heard\n")
    assert used.cpu_s >= 0.2
    assert used.output == "heard\n"


def test_a_spread_is_median_smallest_and_largest() -> None:
    assert Spread.of([3.0, 1.0, 2.0]) == Spread(2.0, 1.0, 3.0)
    assert Spread.of([3.0, 1.0, 2.0]).text(1) == "2.0 (1.0 … 3.0)"
