"""Rows of a run in its JSON document: one flow, one queue."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

QUANTILES = {"p50": "rtt_p50_ns", "p95": "rtt_p95_ns", "p99": "rtt_p99_ns", "p999": "rtt_p999_ns"}
"""By name in the document, the column of `flows`."""
IN_PROFILE = ("in_profile_forwarded", "in_profile_forwarded_bytes")
"""Columns that queues within a discipline do not have."""


def flow_json(row: Mapping[str, Any]) -> dict[str, Any]:
    """One flow of the JSON document, from its row. What an earlier version did not store is null."""
    return {
        "id": row["id"],
        "controller": row["controller"],
        "recovery": row["recovery"],
        "test": row["test"],
        "goodput_bps": row["goodput_bps"],
        "loss_pct": row["loss_pct"],
        "timeouts": row["timeouts"],
        "retransmits": row["retransmits"],
        "sent": row["sent"],
        "delivered": row["delivered_unique"],
        "loss_events": row["loss_events"],
        "ecn_reductions": row["ecn_reductions"],
        "drops": row["drops"],
        "marks": row["marks"],
        "mean_window": row["window_mean"],
        "srtt_ms": row["srtt_ns"] / 1e6 if row["srtt_ns"] else None,
        "srtt_mean_ms": row["srtt_mean_ns"] / 1e6 if row.get("srtt_mean_ns") else None,
        "finished_s": row["finished_ns"] / 1e9 if row["finished_ns"] >= 0 else None,
        "rtt_ms": round_trips_ms(row, 0),
        "queue_delay_ms": round_trips_ms(row, row["empty_rtt_ns"]),
        "pacing_bps": row.get("pacing_bps") or None,
        "delivery_rate_bps": row.get("delivery_bps") or None,
        "ce_received": row["marks"],
        "spurious_retransmits": None
        if row["timeouts"] is None
        else row["delivered_total"] - row["delivered_unique"],
        "undos": row.get("undos"),
        "tail_probes": row.get("tail_probes"),
        "states": {name: ns / 1e9 for name, ns in json.loads(row.get("states") or "{}").items()},
        "completion_s": row["completion_s"],
        "slowdown": row["slowdown"],
    }


def round_trips_ms(row: Mapping[str, Any], less_ns: int) -> dict[str, float] | None:
    """Least, mean and quantiles of a flow's round trips, ms, each less a time, but not below 0; None if it counted none."""
    samples = row.get("rtt_samples") or 0
    if not samples:
        return None
    found = {"min": row["rtt_min_ns"], "mean": row["rtt_ns_sum"] / samples}
    found |= {name: row[column] for name, column in QUANTILES.items()}
    return {name: max(value - less_ns, 0) / 1e6 for name, value in found.items()}


def queue_json(row: Mapping[str, Any], subqueues: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """One queue of the JSON document, from its row and those of its subqueues; delays are over forwarded packets: of all, and under `test`
    of test packets."""
    return {
        "name": row["name"],
        "mean_delay_ms": row["mean_delay_ms"],
        "delay_ms": delays_ms(row),
        "arrivals": row["arrivals"],
        "drops": row["drops"],
        "marks": row["marks"],
        "forwarded": row["forwarded"],
        "drops_full": row["drops_full"],
        "drops_early": row["drops_early"],
        "drops_forced": row["drops_forced"],
        "drops_impairment": row["drops_impairment"],
        "drops_policed": row.get("drops_policed", 0),
        "drops_filtered": row.get("drops_filtered", 0),
        "in_profile": {
            "forwarded": row["in_profile_forwarded"],
            "forwarded_bytes": row["in_profile_forwarded_bytes"],
        },
        "test": {
            "mean_delay_ms": row["mean_delay_test_ms"],
            "arrivals": row["test_arrivals"],
            "drops": row["test_drops"],
            "marks": row["test_marks"],
            "forwarded": row["test_forwarded"],
        },
        "subqueues": [subqueue_json(each) for each in subqueues],
    }


def subqueue_json(row: Mapping[str, Any]) -> dict[str, Any]:
    """One queue within a discipline, from its row: what is counted of the whole and of it."""
    whole = queue_json({**row, "drops_impairment": 0, **dict.fromkeys(IN_PROFILE, 0)})
    return {
        name: value
        for name, value in whole.items()
        if name not in ("drops_impairment", "drops_policed", "drops_filtered", "in_profile", "subqueues")
    }


def delays_ms(row: Mapping[str, Any]) -> dict[str, float | None] | None:
    """Mean and quantiles of the queueing delay of forwarded test packets, ms; None if none was forwarded."""
    if not row["test_forwarded"]:
        return None
    columns = {name: f"delay_{name}_ns" for name in ("p50", "p95", "p99", "p999")}
    quantiles = {name: row[column] / 1e6 if column in row else None for name, column in columns.items()}
    return {"mean": row["mean_delay_test_ms"], **quantiles}
