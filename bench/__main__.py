"""`python -m bench compare|grow|memory|disciplines|calls|sweep|cluster|appendix|gate|report`; without a word `compare`."""

from __future__ import annotations

import sys

from bench import appendix, calls, cluster, compare, disciplines, gate, grow, memory, report, sweep

COMMANDS = {
    "compare": compare.main,
    "grow": grow.main,
    "memory": memory.main,
    "disciplines": disciplines.main,
    "calls": calls.main,
    "sweep": sweep.main,
    "cluster": cluster.main,
    "appendix": appendix.main,
    "gate": gate.main,
    "report": report.main,
}


def main(words: list[str]) -> int:
    """Hand the words behind the command to it; options alone are those of `compare`."""
    if words and words[0] in COMMANDS:
        return COMMANDS[words[0]](words[1:])
    if words and not words[0].startswith("-"):
        print(f"python -m bench {words[0]}: expected one of {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    return compare.main(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
