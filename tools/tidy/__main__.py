"""`python -m tools.tidy`: print what the rules find."""

from __future__ import annotations

import sys
from pathlib import Path

from tools.tidy import RULES, findings


def main(arguments: list[str]) -> int:
    """Exit code 0 if the tree is tidy, else 1."""
    if arguments == ["--rules"]:
        for rule in RULES:
            print(f"{rule.name:13} {rule.reason}")
        return 0
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[2]
    found = findings(root)
    for line in found:
        print(line)
    print(f"tidy: {len(found)} findings" if found else f"tidy: {len(RULES)} rules, nothing found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
