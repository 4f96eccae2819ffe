"""What `sawtooth` says when nothing is asked of it: what it is for, and the first three commands."""

from __future__ import annotations

from typing import Final

OVERVIEW: Final = """Sawtooth is a congestion-control laboratory. It says how well, how fairly and how robustly a congestion controller
shares a network, and how certain that is.

Start here:

  sawtooth demo                                             repeat a figure of a paper, in less than a minute
  sawtooth examples                                         copy scenarios to start from into ./examples
  sawtooth run examples/one-flow.toml --plot sawtooth.svg   simulate one and draw it

Then `sawtooth compare` puts controllers side by side, and `sawtooth list` shows everything that has a name.
`sawtooth --help` lists the commands, `sawtooth COMMAND --help` explains one; `sawtooth completion --help` says how to get
tab completion."""

NEXT: Final = """Next:
  sawtooth examples                                         copy scenarios to start from into ./examples
  sawtooth run examples/one-flow.toml --plot sawtooth.svg   simulate one and draw it
  sawtooth compare 'aimd(1, 0.8)' 'aimd(1, 0.5)' --environment sq-high --seeds 3"""

__all__ = ["NEXT", "OVERVIEW"]
