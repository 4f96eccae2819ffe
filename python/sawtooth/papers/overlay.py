"""Runs beside the formulas of all papers, as `import sawtooth` offers them: `st.overlay()`.

Source: none; ``papers.formulas`` says where each formula comes from.
"""

from __future__ import annotations

from sawtooth.papers.formulas.overlay import overlay

__all__ = ["overlay"]
