"""The answer that a page opens with: two to six sentences, every word of them computed from the runs.

Source: none. What was found comes first (who leads, what the figures show), then the verdicts, then what it rests on.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from sawtooth.experiment.intervals import interval
from sawtooth.experiment.leads import WORDS, measured
from sawtooth.experiment.scoring import SCORED
from sawtooth.plurals import number_of
from sawtooth.report.claims import listed, verdict_sentences
from sawtooth.report.curve_tables import contrast_scale
from sawtooth.report.tables import setting_title
from sawtooth.scenario.environments.sets import WITHOUT

if TYPE_CHECKING:
    from sawtooth.claims.table import Judged
    from sawtooth.experiment.comparison import Comparison
    from sawtooth.experiment.curves import Curve
    from sawtooth.experiment.flow_shares import SharesFigure
    from sawtooth.experiment.leads import Lead
    from sawtooth.experiment.matrix import SettingBlock

MOST: Final = 6
"""Sentences of an answer."""
FIGURES: Final = 3
"""Figures that an answer speaks of."""
NAMED: Final = 4
"""Series of a figure that a sentence names."""
CARD: Final = 140
"""Characters that a card has room for."""
UNITS_BEHIND: Final = ("s", "ms", "%")
"""Units that stand behind titles of figures."""
ALONE: Final = {"goodput": "goodput", "delay": "queueing delay", "loss": "loss"}
"""By metric: what is said of an algorithm alone."""


def part_answer(comparison: Comparison) -> list[str]:
    """What came out of one study."""
    found = findings(comparison)
    own = verdict_sentences(comparison.judged)
    beside = printed_sentence(comparison)
    rest = [*own, *([beside] if beside else []), size_sentence(comparison)]
    return [*found[: MOST - len(rest)], *rest]


def findings(comparison: Comparison) -> list[str]:
    """What the runs show, without the claims: what the paper's own additions say, who leads, what the figures show.

    Where none of these says anything, the values of an algorithm alone.
    """
    added = [sentence for entry in comparison.exhibits for sentence in entry.answer()]
    figures = [shares_sentence(figure) for figure in comparison.shares]
    figures += [curve_sentence(curve) for curve in comparison.curves]
    leading = [] if comparison.study.in_families else lead_sentences(comparison)
    return [*added, *leading, *figures[:FIGURES]] or alone_sentences(comparison)


def lead_sentences(comparison: Comparison) -> list[str]:
    """Who leads in what: by how much in a single setting, in how many of several."""
    leads = comparison.leads
    if not leads:
        return []
    if len(comparison.own) == 1:
        return [lead.text for lead in leads] if comparison.printed is None else _in_short(leads)
    by_metric = {metric: [lead for lead in leads if lead.metric == metric] for metric in SCORED}
    open_ones = [metric for metric, found in by_metric.items() if not any(lead.decided for lead in found)]
    said = [_over_settings(found) for metric, found in by_metric.items() if metric not in open_ones]
    if open_ones:
        what = listed([WORDS[metric][0] for metric in open_ones])
        said.append(f"Who has {what} is undecided in {_all(len(comparison.own))}.")
    return said


def alone_sentences(comparison: Comparison) -> list[str]:
    """Goodput, queueing delay and loss of an algorithm alone; of several settings the least and the most."""
    blocks = [block for block in comparison.own if len(block.algorithms) == 1]
    if not blocks:
        return []
    places = len(comparison.results.environments)
    over = f", on average over {places} environments" if places > 1 else ""
    said = []
    for place, (metric, what) in enumerate(ALONE.items()):
        whose = f"Its {what}" if place else f"The {what} of {blocks[0].algorithms[0]}"
        said.append(f"{whose} {_amount(blocks, metric)}{'' if place else over}.")
    return said


def _amount(blocks: Sequence[SettingBlock], metric: str) -> str:
    """How much of a metric the algorithm alone has."""
    _, scale, unit = WORDS[metric]
    found = {block.setting: interval(block.of(block.algorithms[0], metric).mean(axis=0)) for block in blocks}
    if any(math.isnan(value.mean) for value in found.values()):
        return "is undefined"
    shown = {setting: f"{measured(value, scale)} {unit}" for setting, value in found.items()}
    least, most = (pick(found, key=lambda setting: found[setting].mean) for pick in (min, max))
    if shown[least] == shown[most]:
        return f"is {shown[least]}"
    return f"lies between {shown[least]} ({setting_title(least)}) and {shown[most]} ({setting_title(most)})"


def _all(count: int) -> str:
    return "both settings" if count == 2 else f"all {count} settings"


def _in_short(leads: Sequence[Lead]) -> list[str]:
    """Who leads in what in one setting, and what is undecided, in a sentence."""
    parts = _decided(leads)
    undecided = [WORDS[lead.metric][0] for lead in leads if not lead.decided]
    if undecided:
        parts.append(f"who has {listed(undecided)} is undecided")
    sentence = "; ".join(parts)
    return [f"{sentence[0].upper()}{sentence[1:]}."]


def card_sentence(comparison: Comparison) -> str:
    """What a card says of a part: the first sentence of its answer, or in a few words who leads in what."""
    first = part_answer(comparison)[0]
    leads = comparison.leads
    if not leads or first != leads[0].text:
        return first
    parts = _decided(leads)
    if not parts:
        return "No lead is decided."
    rest = "" if all(lead.conclusive for lead in leads) else "; the rest is undecided"
    whole = f"{'; '.join(parts)}{rest}."
    return whole if len(whole) <= CARD else f"{parts[0]}; more on its page."


def _decided(leads: Sequence[Lead]) -> list[str]:
    """Who leads in what, a clause for each leader."""
    decided: dict[str, list[str]] = {}
    for lead in leads:
        if lead.decided and lead.leader is not None:
            decided.setdefault(lead.leader, []).append(WORDS[lead.metric][0])
    return [f"{name} has {listed(words)}" for name, words in decided.items()]


def _over_settings(leads: Sequence[Lead]) -> str:
    """In how many settings each leads in one metric."""
    what = WORDS[leads[0].metric][0]
    ahead = Counter(lead.leader for lead in leads if lead.decided)
    undecided = sum(not lead.decided for lead in leads)
    (first, most), *others = ahead.most_common()
    where = f"in {_all(most)}" if most == len(leads) else f"in {most} of {len(leads)} settings"
    shown = [f"{first} has {what} {where}", *(f"{name} in {count}" for name, count in others)]
    rest = f"; undecided in {undecided}" if undecided else ""
    return f"{listed(shown)}{rest}."


def printed_sentence(comparison: Comparison) -> str:
    """Whether the best by D of goodput is the paper's best; empty where nothing printed stands beside ours."""
    same, pairs = 0, []
    for block in comparison.own:
        table = comparison.beside(block)
        theirs = {name: row["D_goodput"] for name, row in table.items() if "D_goodput" in row}
        if len(theirs) < 2 or comparison.study.in_families:
            continue
        ours = {name: block.scores.of(name, "goodput").D.mean for name in theirs}
        best, wanted = min(ours, key=lambda name: ours[name]), min(theirs.values())
        printed = [name for name, value in theirs.items() if value == wanted]
        same += best in printed
        pairs.append((best, printed))
    score = "By D of goodput (score relative to the best: 0 is best)"
    if not pairs:
        return ""
    if len(pairs) == 1:
        best, printed = pairs[0]
        return f"{score} {best} is best, " + (
            "as in the paper." if same else f"in the paper {listed(printed)}."
        )
    return f"{score} the best is the paper's in {same} of {len(pairs)} settings."


def size_sentence(comparison: Comparison) -> str:
    """What the answer rests on."""
    study, results = comparison.study, comparison.results
    runs = number_of(len(comparison.run_ids), "run")
    if not comparison.own:
        seeds = max(entry.seeds for entry in study.probe)
        return f"This rests on {runs} over {'up to ' * (seeds > 1)}{number_of(seeds, 'seed')}."
    settings = (
        setting_title(comparison.own[0].setting)
        if len(comparison.own) == 1
        else f"{len(comparison.own)} settings"
    )
    places = len(results.environments)
    first = results.environments[0]
    alone = "without cross traffic" if first == WITHOUT else f"the environment {first}"
    where = f"{places} environments" if places > 1 else alone
    return f"This rests on {runs}: {settings}, {where}, {number_of(len(results.seeds), 'seed')}."


def shares_sentence(figure: SharesFigure) -> str:
    """Between which shares each kind of a mixed population lies."""
    kinds = []
    for place, kind in enumerate(figure.spec.kinds):
        means = [point.means[place].mean for _, points in figure.columns for point in points]
        kinds.append(f"{kind} gets {min(means):.2f} to {max(means):.2f} of a fair share")
    return f"{_title(figure.spec.title)}: {listed(kinds)}."


def curve_sentence(curve: Curve) -> str:
    """How the series of a curve stand to the one they are compared with, or where each begins and ends."""
    compared = [name for name in curve.series if any(point.contrast is not None for point in curve.of(name))]
    series = [str(name) for name in curve.series]
    if compared:
        said = [_contrast(curve, str(name)) for name in compared]
        said[0] = f"beside {curve.spec.beside}, {said[0]}"
    elif all(_cumulative(_means(curve, name)) for name in series):
        said = _medians(curve, series)
    else:
        said = [f"{name if len(series) > 1 else 'it'} {_course(curve, name)}" for name in series]
    more = f" ({len(said) - NAMED} more below)" if len(said) > NAMED else ""
    return f"{_title(curve.spec.title)}: {'; '.join(said[:NAMED])}{more}."


def _contrast(curve: Curve, series: str) -> str:
    """At how many points a series is higher or lower than the one beside it, and by how much at most."""
    found = [
        point.contrast for point in curve.points if str(point.series) == series and point.contrast is not None
    ]
    sides = [("higher", [entry for entry in found if entry.low is not None and entry.low > 0.0])]
    sides.append(("lower", [entry for entry in found if entry.high is not None and entry.high < 0.0]))
    scale, unit = contrast_scale(curve), " %" if curve.spec.contrast == "ratio" else ""
    said = [
        f"{side} at {len(entries)} (by up to {scale * max(abs(entry.mean) for entry in entries):.3g}{unit})"
        for side, entries in sides
        if entries
    ]
    return (
        f"{series} is {listed(said)} of {len(found)} points"
        if said
        else f"{series} differs at none of {len(found)} points"
    )


def _means(curve: Curve, series: str) -> list[float]:
    return [point.value.mean for point in curve.points if str(point.series) == series]


def _cumulative(values: Sequence[float]) -> bool:
    """Whether a series is a distribution: a share that grows from nothing to nearly everything."""
    grows = all(one <= other for one, other in pairwise(values))
    return len(values) > NAMED and grows and values[0] < 0.1 and 0.9 < values[-1] <= 1.0


def _medians(curve: Curve, series: Sequence[str]) -> list[str]:
    """Where distributions pass one half, those together that pass it at the same place."""
    alike: dict[str, list[str]] = {}
    for name in series:
        points = [point for point in curve.points if str(point.series) == name]
        at = next((point.x for point in points if point.value.mean >= 0.5), points[-1].x)
        alike.setdefault(str(at), []).append(name)
    what = curve.spec.x_label or curve.spec.x
    whose = {at: "" if len(series) == 1 else f" for {listed(names)}" for at, names in alike.items()}
    return [f"half lies below a {what} of {at}{names}" for at, names in whose.items()]


def _course(curve: Curve, series: str) -> str:
    """From the first place to the last where these are numbers, else the least and the most."""
    points = [point for point in curve.points if str(point.series) == series]
    if len(points) == 1:
        return f"is {points[0].value.mean:.3g} at {points[0].x}"
    if all(isinstance(point.x, int | float) for point in points):
        first, last = points[0], points[-1]
        at = f"{curve.spec.x_label or curve.spec.x} {first.x}"
        return f"goes from {first.value.mean:.3g} at {at} to {last.value.mean:.3g} at {last.x}"
    least = min(points, key=lambda point: point.value.mean)
    most = max(points, key=lambda point: point.value.mean)
    return f"ranges from {least.value.mean:.3g} with {least.x} to {most.value.mean:.3g} with {most.x}"


def _title(words: str) -> str:
    """A title before a colon; a unit behind it stands in brackets."""
    name, _, unit = words.removesuffix(".").rpartition(", ")
    return f"{name} ({unit})" if unit in UNITS_BEHIND else words.removesuffix(".")


def paper_answer(parts: Sequence[Comparison], judged: Sequence[Judged], runs: int) -> list[str]:
    """What came out of a whole paper or a directory of studies: the verdicts, then what its parts show."""
    own = verdict_sentences(judged)
    rest = f"This rests on {number_of(runs, 'run')} in {number_of(len(parts), 'part')}."
    first, *others = parts
    found = findings(first)[:2]
    if others and first.own and not first.study.paper:  # of a paper the first part is what it is about
        found = [f"{first.study.title}: {said}" for said in found]
    for part in others:
        # Figures are named in their sentences; who leads is said of the whole part.
        found += [f"{part.study.title}: {said}" if part.own else said for said in findings(part)[:1]]
    return [*own, *found[: MOST - 1 - len(own)], rest]
