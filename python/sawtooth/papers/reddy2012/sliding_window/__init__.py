"""Go-Back-N, simulated frame by frame and laid over its formula: the sliding-window passage of the 2012 paper as a study.

``protocol`` is the simulation, ``study`` the file ``studies/sliding-window.toml`` and its points, ``simulate`` what comes out, ``page`` its
report. What simulates and draws is loaded when it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from sawtooth.papers.further import Further, Request

if TYPE_CHECKING:
    from sawtooth.papers.reddy2012.sliding_window.simulate import Arq


class _SlidingWindow(Further):
    """The passage by its name on the command line."""

    takes: ClassVar[frozenset[str]] = frozenset({"seeds", "quick"})

    def row(self) -> Mapping[str, Any]:
        """One study, with no runs of the engine."""
        from sawtooth.papers.reddy2012.sliding_window.passage import passage
        from sawtooth.papers.reddy2012.sliding_window.study import NAME, load_arq

        study = load_arq()
        return {
            "name": NAME,
            "title": study.title,
            "paper": study.paper,
            "figure": "",
            "runs": 0,
            "claims": len(passage()),
        }

    def reproduce(self, order: Request) -> Arq:
        """Simulate it and write its report."""
        from sawtooth.papers.reddy2012.sliding_window.page import write_arq
        from sawtooth.papers.reddy2012.sliding_window.simulate import reproduce_arq
        from sawtooth.papers.reddy2012.sliding_window.study import NAME

        name = NAME.replace("/", "_") + ("-quick" if order.quick else "")
        return order.reported(reproduce_arq(order.seeds, order.quick, order.progress), name, write_arq)


SLIDING_WINDOW: Final = _SlidingWindow()
