"""What the paper of 2002 adds to a report: the winner map over settings, and the tables of instances within families.

Source: none. The reprint of 2012 has the same tables and takes them from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sawtooth.papers.akella2002.winners import winner_map

if TYPE_CHECKING:
    from sawtooth.experiment.comparison import Comparison
    from sawtooth.experiment.exhibit import Exhibit


def exhibits(comparison: Comparison) -> list[Exhibit]:
    """The additions to one part."""
    # Imported here: matplotlib takes long.
    if comparison.study.in_families:
        from sawtooth.papers.akella2002.pages.instances import Instances

        return [Instances(comparison)]
    standings = winner_map(comparison.part)
    if not standings:
        return []
    from sawtooth.papers.akella2002.pages.winners import Winners

    return [Winners(standings)]
