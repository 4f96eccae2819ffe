"""What README, docs and the help of commands print is run, by what a stock installation has.

The examples of a page run in their order in one directory with a copy of the examples; each must end well. So that this takes seconds,
SHORTER changes what takes long, and ELSEWHERE names what another test runs: to the letter, or, where it says so, the same options on a
study that takes seconds. CONTRIBUTING.md says the same under Tests. `make test` tries that a fault is told;
`make test-long` runs the pages and the help. (tests/test_documents.py runs or parses the commands of the pages each time.)
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.stock import ROOT, asked_for, stock_python, stock_site
from tests.test_printed_examples import FENCE, NAMES, PAGES, words_of

DRIVER = ROOT / "tests" / "printed_driver.py"
Example = tuple[str, Any]


def with_options(words: Sequence[str], **values: str) -> list[str]:
    """The words with options replaced, or added."""
    kept = list(words)
    for name in values:
        while f"--{name}" in kept:
            place = kept.index(f"--{name}")
            del kept[place : place + 2]
    return [*kept, *(word for name, value in values.items() for word in (f"--{name}", value))]


def with_times(words: Sequence[str], option: bool) -> list[str]:
    """Six simulated seconds of which one is the warm-up, unless the example says how long it is."""
    if any(word.startswith("duration") for word in words):
        return list(words)
    if option:
        return with_options(words, duration="6 s", warmup="1 s")
    return [*words, "--set", "duration=6 s", "--set", "warmup=1 s"]


def a_share(words: Sequence[str]) -> list[str]:
    """Some runs of a study, without its verdicts: its claims have tests of their own."""
    kept = [word for word in words if word != "--json"]
    for option in ("--report", "--markdown", "--seeds", "--shard"):
        while option in kept:
            place = kept.index(option)
            del kept[place : place + 2]
    return [*(kept if "--quick" in kept else [*kept, "--quick"]), "--shard", "1/3000"]


SHORTER: tuple[tuple[str, Callable[[Sequence[str]], list[str]]], ...] = (
    (r"compare ", lambda words: with_times(with_options(words, seeds="1"), option=True)),
    (r"sweep ", lambda words: with_times(with_options(words, seeds="1"), option=False)),
    (r"run .*square-wave", lambda words: with_times(words, option=False)),
    (r"run --path", lambda words: with_times(words, option=False)),
    (r"environment search ", lambda words: with_options(words, runs="60")),
    (r"reproduce \S+\.toml", lambda words: [*with_options(words, seeds="2"), "--quick"]),
    (r"reproduce \S*(/mathematics|sliding-window)", list),
    (r"reproduce bbr-draft", list),
    (r"reproduce ", a_share),
)
"""By what a command line begins with: how it is made shorter. The first that fits is taken; others are run as they stand."""

ELSEWHERE: tuple[tuple[str, str], ...] = (
    (r"demo", "make demo and tests/test_wheel.py"),
    (r".*--executor dask", "tests/test_cluster_examples.py starts the scheduler that it needs"),
    (r"store merge", "tests/test_shard.py has the stores that it needs"),
    (r".*--store my-(store|part)", "tests/test_shard.py has the stores that it needs"),
    (
        r"reproduce .*(--sensitivity|--reconstruct)",
        "takes minutes to hours and is not run; tests/test_sensitivity.py and test_reconstruction.py, on studies of seconds",
    ),
    (
        r"reproduce .*(--confirm|--until-decided)",
        "takes minutes and is not run; tests/test_deciding.py, on a network of seconds",
    ),
    (r"reproduce .*--set", "an open parameter: tests/test_reproduce.py"),
    (r"reproduce gain.toml", "tests/test_studies_guide.py writes the file that the page builds"),
    (r".*mine.*", "tests/test_plugins_guide.py builds the controller and follows every line"),
    (
        r"reproduce coexistence",
        "takes minutes and is not run as it stands; tests/test_coexistence.py, on a few pairs, and with --quick",
    ),
    (r".*stacks/target/", "`make test-stacks`, which has the libraries that `make stacks` builds"),
    (r"check-controller aimd\(1, 1\)", "it ends with 1, as the page says: tests/test_check_controller.py"),
    (r"store rm --all", "it would take the runs away from what follows"),
)
"""By what a command line begins with: where it is run, or why it is not."""

OTHER_PACKAGES = re.compile(
    r"^(?:import|from) (duckdb|polars|pandas)\b|load_plugin|st\.cluster\(", re.MULTILINE
)
"""Programs that need what a stock installation has not (tests/test_store.py and tests/test_cluster.py run those), or a built plug-in."""
SHARES = 4
"""In how many tests the pages are run, so that all cores have something to do."""
EXAMPLE = re.compile(r"Example: (sawtooth .*)")


def shortened(words: Sequence[str]) -> list[str] | None:
    """The words that are run in place of these; None where they are run elsewhere."""
    line = " ".join(words)
    if any(re.match(pattern, line) for pattern, _ in ELSEWHERE):
        return None
    change = next((change for pattern, change in SHORTER if re.match(pattern, line)), list)
    return change(words)


def examples_of(page: Path) -> list[Example]:
    """What a page prints, in its order."""
    found: list[Example] = []
    for name, text in FENCE.findall(page.read_text(encoding="utf-8")):
        language = NAMES.get(name, name)
        if language == "python" and not OTHER_PACKAGES.search(text):
            found.append(("python", text))
        lines = text.replace("\\\n", " ").splitlines() if language == "sh" else []
        for line in lines:
            if re.match(r"\s*sawtooth\s", line):
                words = shortened(words_of(line.strip()))
                if words is not None:
                    found.append(("command", words))
    return found


def of_help() -> list[Example]:
    """What the docstrings of commands print."""
    files = sorted((ROOT / "python" / "sawtooth" / "cli").rglob("*.py"))
    found = [line for file in files for line in EXAMPLE.findall(file.read_text(encoding="utf-8"))]
    lines = list(dict.fromkeys(found))
    assert len(lines) > 30
    chosen = [shortened(words_of(line)) for line in lines]
    run = ["run", "scenario.toml"]
    first = ["examples"]  # those that others use
    return [
        ("command", words) for words in (first, run, *(each for each in chosen if each and each != first))
    ]


def follow(groups: Sequence[tuple[str, Sequence[Example]]], tmp_path: Path) -> list[tuple[str, str]]:
    """Run the examples of every group; those that did not end well, with what they said."""
    work = []
    for name, examples in groups:
        place = tmp_path / name
        place.mkdir()
        if ("command", ["examples"]) not in examples:
            shutil.copytree(ROOT / "examples", place / "examples")
        shutil.copy(ROOT / "examples" / "one-flow.toml", place / "scenario.toml")
        work.append([str(place), examples])
    command, environment = stock_python(stock_site(tmp_path / "site", asked_for()))
    done = subprocess.run(
        [*command, str(DRIVER)],
        input=json.dumps(work),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    outcomes = json.loads(done.stdout)
    told = [(name, example) for name, examples in groups for example in examples]
    assert len(outcomes) == len(told)
    return [
        (f"{name}: {what if isinstance(what, str) else ' '.join(what)}", said)
        for (name, (_, what)), (code, said, _) in zip(told, outcomes, strict=True)
        if code != 0
    ]


def name_of(page: Path) -> str:
    """The name of its directory."""
    return "-".join(page.relative_to(ROOT).parts)


def once(examples: Sequence[Example], seen: set[str]) -> list[Example]:
    """Without what another page has had run and nothing of which is used later: lists, formulas and shares of studies."""
    kept = []
    for kind, what in examples:
        line = " ".join(what)
        if kind == "command" and re.match(r"list |model |reproduce |run --schema", line):
            if line in seen:
                continue
            seen.add(line)
        kept.append((kind, what))
    return kept


@pytest.mark.long(100)
@pytest.mark.parametrize("share", range(SHARES))
def test_what_all_pages_print_is_run(share: int, tmp_path: Path) -> None:
    seen: set[str] = set()
    groups = [(name_of(page), once(examples_of(page), seen)) for page in PAGES]
    assert sum(len(examples) for _, examples in groups) > 100
    assert follow([group for group in groups if group[1]][share::SHARES], tmp_path) == []


@pytest.mark.long
def test_what_the_help_of_commands_prints_is_run(tmp_path: Path) -> None:
    assert follow([("help", of_help())], tmp_path) == []


def test_an_example_that_fails_is_told(tmp_path: Path) -> None:
    bad: list[Example] = [
        ("command", ["list", "controllerz"]),
        ("python", "assert 1 == 2"),
        ("command", ["list", "series"]),
    ]
    failed = follow([("bad", bad)], tmp_path)
    assert [what for what, _ in failed] == ["bad: list controllerz", "bad: assert 1 == 2"]
    assert "controllers, recoveries" in failed[0][1]


def test_every_rule_acts_on_something_that_is_printed() -> None:
    lines = [
        " ".join(words_of(line))
        for page in PAGES
        for line in re.findall(
            r"^\s*(sawtooth .*)$", page.read_text(encoding="utf-8").replace("\\\n", " "), re.MULTILINE
        )
    ]
    for pattern, _ in (*ELSEWHERE, *SHORTER):
        assert any(re.match(pattern, line) for line in lines), pattern
