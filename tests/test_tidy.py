"""The house rules hold in this tree, and each rule finds what it is there to find.

Every planted violation is one small file laid over a tree that is tidy; the check says which rule must speak and what it must advise.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tools.tidy import RULES, findings

ROOT = Path(__file__).resolve().parents[1]

TIDY = {
    "README.md": "Read docs/model.md and docs/reproductions.md.\n",
    "docs/model.md": "The law of [ChiuJain89] §2 and RFC 6298 §5.5.\n",
    "docs/references.toml": (
        '[ChiuJain89]\ntitle = "t"\nauthors = ["a"]\nin = "j"\nyear = 1989\n[rfc]\n6298 = "Computing the timer"\n'
    ),
    "crates/cc/Cargo.toml": '[package]\nname = "sawtooth-cc"\n[dependencies]\n',
    "crates/cc/src/lib.rs": (
        "//! Controllers.\nmacro_rules! controllers {\n    (CONTROLLERS { $($file:ident;)* }) => { $(pub mod $file;)* };\n}\n"
        'controllers! {\n    CONTROLLERS {\n        linear: LinearParams { a } => "linear" 1 Linear;\n    }\n}\n'
    ),
    "crates/cc/src/linear.rs": (
        "//! Linear controls.\n//!\n//! Source: [ChiuJain89] §2.\n"
        "pub const CONSTRUCTORS: &[ConstructorInfo] = &[\n    ConstructorInfo {\n"
        '        name: "aimd",\n        source: "ChiuJain89 §2",\n    },\n];\nimpl Law for LinearLaw {}\n'
        '#[cfg(test)]\nmod tests {\n    fn t() { check("aimd(1, 0.5)"); named("linear"); }\n}\n'
    ),
    "crates/sim/Cargo.toml": '[package]\nname = "sawtooth-sim"\n[dependencies]\nsawtooth-cc = "0.1"\n',
    "crates/sim/src/lib.rs": "//! The network.\nuse sawtooth_cc::CONTROLLERS;\n",
    "python/sawtooth/__init__.py": '"""The laboratory."""\nfrom sawtooth.measure.metrics import METRICS\n',
    "python/sawtooth/measure/metrics/__init__.py": (
        '"""The metrics."""\nfrom sawtooth.measure.metrics.delay import DELAY\nMETRICS = (DELAY,)\n'
    ),
    "python/sawtooth/measure/metrics/delay.py": '"""Delay.\n\nSource: [ChiuJain89].\n"""\nDELAY = Metric(name="delay")\n',
    "docs/reproductions.md": "| paper/fig4 | [x](../python/sawtooth/papers/paper/studies/fig4.toml) |\n",
    "python/sawtooth/papers/paper/studies/fig4.toml": 'figure = "4"\n[expected]\nsource = "Figure 4"\nvalues = { AIMD = 0.15 }\n',
    "tests/test_delay.py": '"""Delay."""\nassert DELAY.name == "delay"\n',
}

ALLOWED = {
    "crates/cc/src/linear.rs": TIDY["crates/cc/src/linear.rs"].replace("impl", "// no HashMap here\nimpl", 1),
    "crates/sim/src/lib.rs": TIDY["crates/sim/src/lib.rs"]
    + "trait Long {\n    fn declared(\n        &self,\n    ) -> u32;\n    fn short() {}\n"
    + "    // or\n" * 60
    + "}\n"
    + "fn just() {\n"
    + "    f();\n" * 58
    + "}\n"
    + "#[cfg(test)]\nmod tests {\n    fn t() { 2.0_f64.ln(); }\n}\n",
    "tests/test_delay.py": TIDY["tests/test_delay.py"] + 'def just():\n    """D."""\n' + "    x = 1\n" * 59,
    "python/sawtooth/__init__.py": TIDY["python/sawtooth/__init__.py"]
    + "import numpy as np\nrandom = np.random.Generator(np.random.PCG64(7)).random()\n",
    "python/sawtooth/measure/metrics/delay.py": TIDY["python/sawtooth/measure/metrics/delay.py"]
    + "if TYPE_CHECKING:\n    from sawtooth.measure.metrics.loss import LOSS\n",
    "python/sawtooth/measure/metrics/loss.py": ('"""Loss.\n\nSource: [ChiuJain89].\n"""\nLOSS = 1\n'),
}


def rust(line: str) -> dict[str, str]:
    """The engine's lib.rs with one more line."""
    return {"crates/sim/src/lib.rs": TIDY["crates/sim/src/lib.rs"] + line + "\n"}


def python(line: str) -> dict[str, str]:
    """The package's __init__.py with one more line."""
    return {"python/sawtooth/__init__.py": TIDY["python/sawtooth/__init__.py"] + line + "\n"}


UNLISTED = TIDY["crates/cc/src/linear.rs"].replace("Linear", "Cubic")
QUEUE = {
    "crates/sim/src/lib.rs": TIDY["crates/sim/src/lib.rs"] + "mod queue;\n",
    "crates/sim/src/queue.rs": '//! Queues.\ndisciplines! {\n    arrival "red" red::Red(RedSpec);\n}\n',
    "crates/sim/src/queue/red.rs": (
        '//! RED.\n//!\n//! Source: [ChiuJain89].\nconst INFO: Info = Info { source: "ChiuJain89" };\n'
        "impl ArrivalRule for Red {}\n#[cfg(test)]\nmod tests {}\n"
    ),
}
GUEST = {
    "python/sawtooth/papers/__init__.py": '"""Papers."""\nPAPERS = (paper.PAPER,)\n',
    "python/sawtooth/papers/paper/__init__.py": '"""A paper."""\nPAPER = Paper(printed="paper.printed.tables")\n',
    "python/sawtooth/papers/paper/printed.py": '"""Its tables."""\n',
}

PLANTED: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("banned-name", "BTreeMap", rust("use std::collections::HashMap;")),
    ("banned-name", "`now` argument", rust("fn f() { Instant::now(); }")),
    ("banned-name", "`now` argument", rust("fn f() { SystemTime::UNIX_EPOCH; }")),
    ("banned-name", "own stream", rust("fn f() { thread_rng(); }")),
    ("banned-name", "own stream", rust("fn f() { StdRng::seed_from_u64(1); }")),
    ("banned-name", "`units`", rust("fn f(x: f64) -> f64 { x.powf(0.5) }")),
    ("banned-name", "`units`", rust("fn f(x: f64) -> f64 { x.ln() + x.exp() }")),
    ("banned-name", "assert!", rust("fn f() { debug_assert!(true); }")),
    ("banned-name", "no global state", rust("static mut COUNT: u64 = 0;")),
    ("banned-name", "no clock, thread, file", rust("use std::fs;")),
    ("banned-name", "prints nothing", rust('fn f() { println!("here"); }')),
    ("banned-name", "build it", rust("fn f() { todo!() }")),
    ("banned-name", "say why", rust("#[cfg(test)]\nmod tests {\n    #[ignore]\n    fn t() {}\n}")),
    ("banned-name", "open an issue", rust("// TO" + "DO later")),
    ("banned-name", "named stream", python("import random\nx = random.random()")),
    ("banned-name", "global one is shared", python("import numpy as np\nx = np.random.rand(3)")),
    ("banned-name", "hashlib", python("x = hash('a')")),
    ("banned-name", "Parquet", python("from pickle import loads\nx = loads(b'')")),
    (
        "banned-name",
        "as it is",
        {
            "tests/test_delay.py": '"""D."""\nimport pytest\nname = "delay"\n@pytest.mark.xfail\ndef test_x(): ...\n'
        },
    ),
    ("table-entry", "stands in no test", {"tests/test_delay.py": '"""Nothing."""\n'}),
    (
        "one-meaning",
        "say which one it is",
        python("class Curve: ...")
        | {
            "python/sawtooth/measure/metrics/delay.py": TIDY["python/sawtooth/measure/metrics/delay.py"]
            + "class Curve: ...\n"
        },
    ),
    (
        "listed",
        "FORMATS row `yaml` stands in no test",
        {
            "python/sawtooth/run/export.py": '"""Export.\n\nSource: none.\n"""\nFORMATS: Final = ("csv", "yaml")\n',
            "tests/test_csv.py": '"""C."""\nname = "csv"\n',
        },
    ),
    (
        "listed",
        "`Star` stands in no row of SHAPES",
        {
            "python/sawtooth/scenario/shapes.py": (
                '"""Shapes.\n\nSource: none.\n"""\nclass Star(Shape):\n    """S."""\n    name: ClassVar[str] = "star"\nSHAPES: Final = ()\n'
            ),
            "tests/test_star.py": '"""S."""\nname = "star"\n',
        },
    ),
    (
        "listed",
        "`Star` stands in SHAPES and not in TOPOLOGIES",
        {
            "python/sawtooth/scenario/shapes.py": '"""Shapes.\n\nSource: none.\n"""\nSHAPES: Final = (Star,)\n',
            "python/sawtooth/scenario/topology/__init__.py": '"""T."""\nTOPOLOGIES: Final = {}\n',
        },
    ),
    (
        "table-entry",
        "row `aimd` stands in no test",
        {"crates/cc/src/linear.rs": TIDY["crates/cc/src/linear.rs"].replace("aimd(", "aiad(")},
    ),
    (
        "table-entry",
        "names no reference",
        {
            "crates/cc/src/linear.rs": TIDY["crates/cc/src/linear.rs"].replace(
                'source: "ChiuJain89', 'source: "folklore'
            )
        },
    ),
    (
        "table-entry",
        "CONTROLLERS and RATE_CONTROLLERS row `linear` stands in no test",
        {"crates/cc/src/linear.rs": TIDY["crates/cc/src/linear.rs"].replace('named("linear")', "")},
    ),
    (
        "table-entry",
        "SERIES row `depths` stands in no test",
        {
            "crates/sim/src/series.rs": '//! Series.\nseries! {\n    flag "depths" depths::Depths(depths);\n}\n',
            "crates/sim/src/lib.rs": TIDY["crates/sim/src/lib.rs"] + "mod series;\n",
            "crates/sim/src/series/depths.rs": "//! Depths.\n",
        },
    ),
    (
        "table-entry",
        "SLOW_STARTS row `hasty` stands in no test",
        {
            "crates/cc/src/lib.rs": TIDY["crates/cc/src/lib.rs"] + "mod slow_start;\n",
            "crates/cc/src/slow_start.rs": '//! Rules.\nslow_starts! {\n    hasty: "hasty" Hasty;\n}\n',
        },
    ),
    (
        "table-entry",
        "`paper2` stands in no row of PAPERS",
        {"python/sawtooth/papers/paper2/__init__.py": '"""A paper."""\nPAPER = Paper(name="paper2")\n'},
    ),
    (
        "import",
        "papers are guests",
        {
            **GUEST,
            "python/sawtooth/report/page.py": '"""A page."""\nfrom sawtooth.papers.paper.printed import tables\n',
        },
    ),
    (
        "table-entry",
        "`cubic` stands in no row of `controllers!`",
        {
            "crates/cc/src/lib.rs": TIDY["crates/cc/src/lib.rs"] + "mod cubic;\n",
            "crates/cc/src/cubic.rs": UNLISTED,
        },
    ),
    (
        "table-entry",
        "`rap` stands in no row of `controllers!`",
        {
            "crates/cc/src/lib.rs": TIDY["crates/cc/src/lib.rs"] + "mod rap;\n",
            "crates/cc/src/rap.rs": TIDY["crates/cc/src/linear.rs"].replace(
                "impl Law for LinearLaw {}\n", ""
            ),
        },
    ),
    (
        "table-entry",
        "no `Source:`",
        {"crates/cc/src/linear.rs": TIDY["crates/cc/src/linear.rs"].replace("Source: ", "")},
    ),
    (
        "table-entry",
        "`linear` has no test",
        {
            "crates/cc/src/linear.rs": TIDY["crates/cc/src/linear.rs"].partition("#[cfg(test)]")[0],
            "tests/test_aimd.py": '"""aimd"""\n',
        },
    ),
    (
        "table-entry",
        "stands in no METRICS",
        {"python/sawtooth/measure/metrics/jitter.py": TIDY["python/sawtooth/measure/metrics/delay.py"]},
    ),
    (
        "table-entry",
        "no `Source:`",
        {"python/sawtooth/measure/metrics/delay.py": '"""Delay."""\nDELAY = Metric(name="delay")\n'},
    ),
    ("table-entry", "DISCIPLINES row `red` stands in no test", QUEUE),
    (
        "table-entry",
        "DISCIPLINES row `red` names no reference",
        {
            **QUEUE,
            "crates/sim/src/queue/red.rs": QUEUE["crates/sim/src/queue/red.rs"].replace(
                '"ChiuJain89"', '"folklore"'
            ),
        },
    ),
    ("head", "begin with `//!`", {"crates/sim/src/lib.rs": "use sawtooth_cc::CONTROLLERS;\n"}),
    ("head", "docstring", {"tests/test_delay.py": 'assert DELAY.name == "delay"\n'}),
    ("citation", "is it [ChiuJain89]?", {"docs/model.md": "[ChuiJain89]\n"}),
    (
        "citation",
        "[Nagle84] is not in",
        {"crates/cc/src/linear.rs": "//! [Nagle84]\n" + TIDY["crates/cc/src/linear.rs"]},
    ),
    ("citation", "RFC 6289 is not in", {"docs/model.md": "RFC 6289 §5\n"}),
    ("citation", "write RFC 6298", {"docs/model.md": "RFC" + "6298 §5\n"}),
    (
        "citation",
        "lacks authors",
        {"docs/references.toml": TIDY["docs/references.toml"].replace('authors = ["a"]\n', "")},
    ),
    ("study", "no row", {"docs/reproductions.md": "nothing but fig4.toml\n"}),
    (
        "study",
        "does not exist",
        {"docs/reproductions.md": "fig4 [x](../python/sawtooth/papers/paper/studies/fig5.toml)\n"},
    ),
    (
        "study",
        "no expected values",
        {"python/sawtooth/papers/paper/studies/fig4.toml": 'figure = "4"\n[expected]\nsource = "Figure 4"\n'},
    ),
    ("study", "nothing extends it", {"python/sawtooth/papers/paper/studies/shared.toml": "seeds = 5\n"}),
    (
        "import",
        "cc depends on sawtooth-sim",
        {"crates/cc/Cargo.toml": '[dependencies]\nsawtooth-sim = "0.1"\n'},
    ),
    (
        "import",
        "`sawtooth_sim` in cc",
        {"crates/cc/src/linear.rs": TIDY["crates/cc/src/linear.rs"] + "use sawtooth_sim::run;\n"},
    ),
    (
        "import",
        "metrics see no files",
        {
            "python/sawtooth/measure/metrics/delay.py": TIDY["python/sawtooth/measure/metrics/delay.py"]
            + "from pathlib import Path\n"
        },
    ),
    (
        "import",
        "a report never runs anything",
        {
            "python/sawtooth/__init__.py": (
                '"""L."""\nfrom sawtooth import report\nfrom sawtooth.measure import metrics\nfrom sawtooth.run import runner\n'
            ),
            "python/sawtooth/report.py": '"""R."""\nfrom sawtooth.run.runner import execute\n',
            "python/sawtooth/run/runner.py": '"""R."""\n',
        },
    ),
    (
        "import",
        "below the command line",
        {
            "python/sawtooth/cli.py": '"""C."""\nfrom sawtooth import tables\nfrom sawtooth.measure import metrics\n',
            "python/sawtooth/tables.py": '"""T."""\nimport sawtooth.cli\n',
        },
    ),
    (
        "import",
        "import cycle",
        {
            "python/sawtooth/__init__.py": '"""L."""\nfrom sawtooth import a\nfrom sawtooth.measure import metrics\n',
            "python/sawtooth/a.py": '"""A."""\nimport sawtooth.b\n',
            "python/sawtooth/b.py": '"""B."""\nfrom sawtooth.a import x\n',
        },
    ),
    (
        "import",
        "import cycle",
        {
            "python/sawtooth/__init__.py": '"""L."""\nfrom sawtooth import a\nfrom sawtooth.measure import metrics\n',
            "python/sawtooth/a.py": '"""A."""\nimport sawtooth.b\n',
            "python/sawtooth/b.py": '"""B."""\ndef called():\n    from sawtooth.a import x\n',
        },
    ),
    (
        "import",
        "import cycle",
        {
            "python/sawtooth/__init__.py": '"""L."""\nfrom sawtooth import a\nfrom sawtooth.measure import metrics\n',
            "python/sawtooth/a.py": '"""A."""\nimport sawtooth.b\n',
            "python/sawtooth/b.py": '"""B."""\nif TYPE_CHECKING:\n    from sawtooth.a import x\n',
        },
    ),
    ("dead-file", "no `mod` leads here", {"crates/sim/src/left_over.rs": "//! Left over.\n"}),
    (
        "dead-file",
        "nothing in the package imports it",
        {
            "python/sawtooth/cli.py": '"""C."""\nfrom sawtooth.measure import metrics\n',
            "python/sawtooth/left_over.py": '"""L."""\n',
        },
    ),
    ("dead-file", "no test or program names `left_over`", {"tests/golden_files/left_over.csv": "1\n"}),
    ("dead-file", "no page leads here", {"docs/left_over.md": "Left over.\n"}),
    ("large-blob", "limit 600000", {"docs/model.md": "x" * 600_001}),
    ("machine-path", "relative to the repository", {"docs/model.md": "see /ho" + "me/somebody/results\n"}),
    (
        "machine-path",
        "relative to the repository",
        {"tests/test_delay.py": '"""delay"""\nx = "..' + '/shared/reference"\n'},
    ),
    ("long-file", "find the seam", {"tests/test_delay.py": '"""delay"""\n' + "x = 1\n" * 600}),
    (
        "long-function",
        "`long` has 61 lines, limit 60: find the seam",
        {"tests/test_delay.py": '"""delay"""\ndef long():\n    """What."""\n' + "    x = 1\n" * 60},
    ),
    (
        "long-function",
        "`long` has 61 lines, limit 60: find the seam",
        rust(
            "impl X {\n    pub(crate) fn long(\n        &self,\n    ) {\n"
            + "        f();\n" * 57
            + "    }\n}"
        ),
    ),
)


def plant(root: Path, overlay: dict[str, str]) -> list[str]:
    """Findings in the tidy tree with `overlay` laid over it."""
    for name, text in (TIDY | overlay).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return findings(root)


def test_this_tree_is_tidy() -> None:
    found = findings(ROOT)
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("overlay", [{}, ALLOWED], ids=["base", "names where they are allowed"])
def test_a_tidy_tree_has_no_findings(tmp_path: Path, overlay: dict[str, str]) -> None:
    assert plant(tmp_path, overlay) == []


@pytest.mark.parametrize(
    ("rule", "advice", "overlay"), PLANTED, ids=[f"{rule}: {advice}" for rule, advice, _ in PLANTED]
)
def test_a_planted_violation_is_found_with_advice(
    tmp_path: Path, rule: str, advice: str, overlay: dict[str, str]
) -> None:
    found = plant(tmp_path, overlay)
    assert found, f"[{rule}] found nothing"
    assert all(f"[{rule}]" in line for line in found), "\n".join(found)
    assert any(advice in line for line in found), "\n".join(found)
    path, line = found[0].split(":")[:2]
    assert (tmp_path / path).exists()
    assert int(line) >= 1


def test_every_rule_has_a_planted_violation_and_a_reason() -> None:
    assert {rule for rule, _, _ in PLANTED} == {rule.name for rule in RULES}
    assert all(len(rule.reason.split()) >= 6 for rule in RULES)


@pytest.mark.skipif(not shutil.which("git"), reason="asks git what is ignored")
def test_what_git_ignores_is_not_looked_at(tmp_path: Path) -> None:
    overlay = {".gitignore": "/out/\n", "out/left_over.md": "see /ho" + "me/somebody\n"}
    assert plant(tmp_path, overlay) != []
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    assert findings(tmp_path) == []
