"""The compiled module: doorway to the engine (crates/py). Data goes in once, columns come out once."""

from pathlib import Path
from typing import Any, NotRequired, TypedDict

class _Result(TypedDict):
    run_id: str
    behaviour: dict[str, int]
    digest: str
    tables: dict[str, dict[str, tuple[str, bytes]]]
    summary: dict[str, int]

class _Version(TypedDict):
    version: str
    engine: str
    profile: str
    rustc: str
    target: str

class _Parameter(TypedDict):
    name: str
    unit: str
    default: float | None
    min: float
    max: float
    whole: bool
    accepted: str
    why: str

class _Properties(TypedDict):
    window: bool
    pacing_rate: bool
    own_transport: bool
    random: bool
    counts_marks: bool
    records: bool
    conduct: bool

class _Controller(TypedDict):
    name: str
    aliases: list[str]
    form: str
    summary: str
    source: str
    parameters: list[_Parameter]
    properties: _Properties
    rate_based: bool
    defaults: dict[str, str]
    plugin: NotRequired[str]

class _Recovery(TypedDict):
    name: str
    aliases: list[str]
    title: str
    summary: str
    source: str
    behaviour: int
    selective: bool
    defaults: dict[str, str]
    keeps_records: bool

class _QueueParameterBase(TypedDict):
    name: str
    kind: str
    unit: str
    default: str | float | bool | None
    accepted: str
    why: str
    only_with: list[dict[str, str | bool]]
    of_marks: bool

class _QueueParameter(_QueueParameterBase, total=False):
    choices: list[str]
    optional: bool
    of_l4s: bool
    of_sharing: bool
    implicit: bool

class _Discipline(TypedDict):
    name: str
    aliases: list[str]
    summary: str
    source: str
    buffer: str
    behaviour: int
    schedules: bool
    has_state: bool
    parts: NotRequired[list[str]]
    keeps_flows_apart: bool
    spares_in_profile: bool
    limit_counts_transmission: bool
    knows_departures_ahead: bool
    draws: bool
    marking: str
    parameters: list[_QueueParameter]

class _TcpBase(TypedDict):
    name: str
    kind: str
    default: str | int | float | bool | None
    accepted: str
    why: str
    read_by: list[str]
    of_window_laws: bool
    only_with: list[dict[str, str | bool]]

class _Tcp(_TcpBase, total=False):
    choices: list[str]
    implicit: bool
    flags: list[str]

class _ColumnBase(TypedDict):
    name: str
    meaning: str
    unit: str

class _Column(_ColumnBase, total=False):
    codes: list[str]

class _Series(TypedDict):
    name: str
    key: str
    kind: str
    also: str
    summary: str
    columns: list[_Column]

class _Description(TypedDict):
    controllers: list[_Controller]
    delay_shares: list[float]
    recoveries: list[_Recovery]
    disciplines: list[_Discipline]
    tcp: list[_Tcp]
    series: list[_Series]
    behaviour: dict[str, int]

class EngineError(RuntimeError): ...
class PluginError(Exception): ...

def load_library(path: Path) -> list[tuple[str, str]]: ...
def add_classes(classes: list[tuple[type, Any]], origin: Path | None = None) -> list[tuple[str, str]]: ...
def python_calls() -> list[tuple[str, int, int]]: ...
def check_controller(text: str) -> str: ...
def play_script(text: str, script: str) -> str: ...
def plugin_sources() -> list[tuple[str, str]]: ...
def version() -> _Version: ...
def describe() -> _Description: ...
def controller(text: str) -> str: ...
def recovery(text: str) -> str: ...
def discipline(text: str) -> str: ...
def uniforms(seed: str, stream: str, count: int) -> list[float]: ...
def arrivals(seed: str, name: str, schedule: str, end_ns: int) -> dict[str, tuple[str, bytes]]: ...
def mean_packets(packets_mean: float, packets_shape: float) -> float: ...
def run_id(scenario: str) -> str: ...
def behaviour(scenario: str) -> dict[str, int]: ...
def check(scenario: str) -> str: ...
def rounds(
    controllers: list[str],
    windows: list[float],
    capacity: float,
    decreases: int,
    rounds_max: int,
    acks: bool = False,
) -> dict[str, tuple[str, bytes]]: ...
def run(scenario: str) -> _Result: ...
