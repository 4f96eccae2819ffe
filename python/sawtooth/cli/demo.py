"""`sawtooth demo`: a figure of a paper repeated in less than a minute, with what a newcomer has to know to read it.

It is `sawtooth reproduce` of that figure (`papers.DEMO`) with `--quick` and words around it: the same runs, numbers, verdicts and report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sawtooth.cli.output import JsonOption, StoreOption, console, emit_json, note
from sawtooth.cli.overview import NEXT

if TYPE_CHECKING:
    from sawtooth.experiment.reproduction import Reproduction
    from sawtooth.experiment.study import Study

READING = (
    "How to read it: D is the sum over the environments of an algorithm's distance from the best one there; C is the largest of these\n"
    "distances. Both are scores relative to the best: 0 is best. The number in parentheses is the *printed* one: it stands in the paper."
)

VERDICTS = (
    "A claim holds or fails only where its inequalities are decided at 95 %, else it is undecided. "
    "A claim that fails is a result."
)


def command(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Repeat one figure of a paper in less than a minute: scores beside the printed ones, verdicts on its claims, a report to open.

    Runs that are in the store are not repeated: a second demo takes a few seconds.

    Example: sawtooth demo
    """
    from sawtooth.papers import DEMO
    from sawtooth.papers.reproduce import chosen_studies, reproduce
    from sawtooth.progress import progress_bar
    from sawtooth.run.runner import default_threads

    if not as_json:
        console().print(introduction(chosen_studies(DEMO, quick=True)[0]), soft_wrap=True)
    with progress_bar(DEMO) as progress:
        found = reproduce(
            DEMO,
            quick=True,
            store=store,
            progress=progress,
            processes=default_threads(),
            stages=progress.stage,
        )
    if as_json:
        emit_json(found.to_json())
    else:
        show(found)


def introduction(study: Study) -> str:
    """What is about to happen."""
    matrix = study.matrix
    laws = ", ".join(entry.control for entry in study.algorithm)
    return (
        f"This repeats {study.title}, of a paper of 2002.\n"
        f"The laws: {laws}. Each runs in {len(matrix.environments)} environments (patterns of changing bandwidth) "
        f"with {matrix.seeds} seeds. With the runs that its claims need in addition, these are {study.runs} runs.\n"
    )


def show(found: Reproduction) -> None:
    """Scores, verdicts on what the figure shows, the report, and what to try next."""
    from sawtooth.cli.scores import print_algorithms, print_judged, print_scores
    from sawtooth.report.tables import duration_text

    out = console()
    for part in found.parts:
        print_scores(out, part)
    print_algorithms(out, found.parts)
    out.print(READING, soft_wrap=True)
    out.print()
    own = [item for item in found.judged if item.claim.kind == "simulation" and not item.partial]
    print_judged(out, found.name, own)
    out.print(VERDICTS, soft_wrap=True)
    more = len(found.judged) - len(own)
    out.print(f"\nThe report has {more} more claims, and the runs behind every number. Open it in a browser:")
    out.print(f"  {found.report}", soft_wrap=True)
    out.print(f"\n{NEXT}", soft_wrap=True)
    if found.executed:
        note(f"{found.executed:,} of {len(found.run_ids):,} runs simulated, in {duration_text(found.wall_s)}")
