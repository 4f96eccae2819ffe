"""Who hurts whom when two senders meet at a router, by `sawtooth reproduce coexistence`: a study of our own, of no paper.

``setup.toml`` has every number, ``pairs`` makes scenarios of it, ``perform`` runs them and forms shares and harm, ``page`` writes the
report with the matrix, ``command`` is what the command line asks for.
"""

from __future__ import annotations

from typing import Final

from sawtooth.papers.paper import Paper

PAPER: Final = Paper(name="coexistence", further={"coexistence": "coexistence.command.COEXISTENCE"})
