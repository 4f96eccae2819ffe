"""Where and with what numbers were measured: they mean nothing without it."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from datetime import UTC, datetime
from typing import Any

from bench.subjects.frame import ROOT


def provenance() -> dict[str, Any]:
    """Processor, cores, system, compilers, versions of the programs compared, commit and date."""
    from bench.subjects import ns3
    from sawtooth import _native

    native = _native.version()
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "rustc": native["rustc"],
        "engine": native["engine"],
        "commit": _said(["git", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD"]),
        "python": platform.python_version(),
        "ns-2": _said(["dpkg-query", "-W", "-f", "${Version}", "ns2"]) if shutil.which("ns") else None,
        "ns-3": ns3.version(),
    }


def _said(command: list[str]) -> str | None:
    if shutil.which(command[0]) is None:
        return None
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or None


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.machine()
