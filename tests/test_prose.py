"""Sentences that people wrote on pages, held to the computed blocks beside them: a count, a rank or a range in prose is that of a table."""

from __future__ import annotations

import re
import tomllib

from tools.computed import ROOT

from sawtooth.report import computed


def prose(page: str) -> str:
    """The text of a page of docs."""
    return (ROOT / "docs" / page).read_text("utf-8")


def table(page: str, block: str) -> list[list[str]]:
    """The rows of a block's table, without its head."""
    lines = [line for line in computed.contents(prose(page))[block].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:]]


def number(cell: str) -> float:
    """The first number of a cell."""
    found = re.search(r"[-+−]?\d+(?:\.\d+)?", cell)
    assert found is not None, cell
    return float(found[0].replace("−", "-"))


def bounds(cell: str) -> tuple[float, float]:
    """The interval of a cell such as ``0.61 [0.59, 0.64]``."""
    low, high = cell[cell.index("[") + 1 : cell.index("]")].split(",")
    return float(low), float(high)


SETTINGS = [
    f"{recovery}/{router}" for router in ("droptail", "red", "ecn", "drr") for recovery in ("reno", "sack")
]


def orders(setting: str, column: int) -> tuple[list[str], list[str]]:
    """The four controls of a setting by a score: by ours, and by the printed one."""
    rows = table("akella2002.md", f"{setting} scores")
    ours = {row[0]: number(row[column]) for row in rows[0::2]}
    printed = {name: number(row[column]) for name, row in zip(ours, rows[1::2], strict=True)}
    return sorted(ours, key=lambda name: ours[name]), sorted(printed, key=lambda name: printed[name])


def test_prose_counts_the_settings_whose_order_is_the_printed_one() -> None:
    by_score = {column: [orders(setting, column) for setting in SETTINGS] for column in (1, 5)}
    goodput, loss = (
        [setting for setting, (ours, printed) in zip(SETTINGS, found, strict=True) if ours == printed]
        for found in by_score.values()
    )
    assert goodput == ["sack/droptail", "reno/red"]
    assert (len(loss), len(SETTINGS)) == (7, 8)
    for page in ("akella2002.md", "README.md"):
        text = prose(page)
        assert "by loss is the printed one in seven of eight settings." in text
        assert "in two: with SACK over drop-tail, and with Reno behind RED." in text


def test_prose_on_the_shares_of_smooth_laws_has_the_range_of_their_tables() -> None:
    text = prose("floyd2000.md")
    slow = [number(row[1]) for row in table("floyd2000.md", "floyd2000/shares fig4")]
    assert (round(min(slow), 1), round(max(slow), 1)) == (1.2, 1.6)
    assert "TCP(2/5, 1/8) gets 1.2 to 1.6 times as much as TCP." in text
    assert all(abs(number(row[1]) - 1.0) < 0.04 for row in table("floyd2000.md", "floyd2000/shares fig2"))
    assert "TCP(1/5, 1/8) shares within 4 % on 60 Mbit/s." in text
    flows, share, *_ = table("floyd2000.md", "floyd2000/shares fig3")[-1]
    assert f"gets {round(100 * (1 - number(share)))} % less with {flows} flows of each kind." in text


def test_prose_on_the_gap_ranks_what_explains_it() -> None:
    parts = {row[0]: row[1:] for row in table("floyd2000.md", "floyd2000/gap parts")}
    at_2, at_25, at_3 = (
        {name: -number(parts[name][rate]) for name in ("halving timeouts", "no limited transmit")}
        for rate in range(3)
    )
    assert at_2["halving timeouts"] > 2 * at_2["no limited transmit"]
    assert at_25["halving timeouts"] > at_25["no limited transmit"] > 0.8 * at_25["halving timeouts"]
    assert at_3["no limited transmit"] > at_3["halving timeouts"]
    assert "The lack of limited transmit explains nearly as much at 2.5 %, and more at 3 %." in prose(
        "floyd2000.md"
    )


def test_prose_on_where_a_gain_comes_from_has_its_tables() -> None:
    text = prose("lahanas2003.md")
    rows = [
        row
        for law in ("fc", "fc-plus")
        for flows in (2, 8)
        for row in table("lahanas2003.md", f"lahanas2003/gain parts-{law}-{flows}")
    ]
    apart = [row[5] for row in rows if not bounds(row[5])[0] <= 0.0 <= bounds(row[5])[1]]
    assert (len(apart), len(rows)) == (2, 20)
    assert {round(number(cell), 2) for cell in apart} == {-0.13}
    assert "two of its twenty values differ from zero with certainty, and both are −0.13 %." in text
    gains = {
        row[0]: [number(cell) for cell in row[4:]]
        for row in table("lahanas2003.md", "lahanas2003/stationary fig9")
    }
    assert [round(gain) for gain in (*gains["2"], *gains["32"])] == [6, 9, 2, 2]
    assert "the gain is 6 to 9 % with two flows, and 2 % with 32." in text


def test_prose_on_recovery_counts_where_its_undecided_claim_is_decided() -> None:
    """The table names four values a side, and how many more there are."""
    (row,) = table("lahanas2003.md", "lahanas2003/recovery sensitivity undecided")
    holds, fails = (
        cell.count("`") // 2 + int((re.findall(r"and (\d+) more", cell) or [0])[0]) for cell in row[1:]
    )
    assert (row[0], holds, fails) == ("`lahanas-5-aimd-not-activated`", 6, 5)
    assert "It holds at six other values and fails at five." in prose("lahanas2003.md")


def test_prose_on_a_constant_number_of_flows_counts_its_verdicts() -> None:
    counts = computed.contents(prose("lahanas2003.md"))["lahanas2003/stationary sensitivity counts"]
    undecided = table("lahanas2003.md", "lahanas2003/stationary sensitivity undecided")
    assert "1 of 10 verdicts on runs turn" in counts
    assert "8 are decided at the values taken, and 3 are decided and the same at every value" in counts
    assert [row[1:] for row in undecided] == [
        ["`flows.packet = 512 B`, `flows.start = uniform 0..0.1 s`", ""]
    ] * 2
    # Eight are decided: one turns, three are the same everywhere, and four are left.
    text = prose("lahanas2003.md")
    assert "Of its ten verdicts three are decided and the same at every value. Four are undecided" in text
    assert "both hold with packets of 512 B, and if flows start within 0.1 s." in text


def test_prose_on_prague_over_codel_depends_on_the_buffer() -> None:
    shares = {
        row[0]: number(row[1])
        for row in table("l4s.md", "l4s cells")
        if re.match(r"Codel \S+ BDP, cubic", row[0])
    }
    deep = [share for name, share in shares.items() if number(name) >= 4]
    shallow = [share for name, share in shares.items() if number(name) < 4]
    assert len(deep) == len(shallow) == 2
    assert min(deep) > 0.9
    assert max(shallow) < 0.5
    assert "almost everything from CUBIC if the buffer has four bandwidth-delay products or more." in prose(
        "l4s.md"
    )


def test_prose_on_the_length_of_a_run_and_on_cross_traffic_counts_what_turns() -> None:
    """What the page says of one claim in words is what its table and `turns.toml` have."""
    text = prose("akella2002-open-parameters.md")
    kept_turns = ROOT / "python" / "sawtooth" / "papers" / "akella2002" / "claims" / "turns.toml"
    tables = tomllib.loads(kept_turns.read_text("utf-8"))
    claim = "akella-3.3-cross-no-loss"
    (settings,) = (entry for entry in tables["varied"] if entry["study"] == "akella2002")
    by_length = {turn["claim"] for turn in tables["turn"] if turn["parameter"] == "duration"}
    assert by_length & set(settings["turning"]) == {claim}
    assert "No other claim turns with the length of a run." in text
    values = [turn["value"] for turn in tables["turn"] if turn["claim"] == claim]
    assert len(values) == 7
    assert "Seven values turn the claim that cross traffic loses nothing at R1" in text


def test_prose_on_fair_queueing_counts_the_rows_of_its_table() -> None:
    text = prose("akella2002-open-parameters.md")
    rows = table("akella2002-open-parameters.md", "reddy2012/fair-queueing sensitivity parameters")
    left = [(row[0], row[3]) for row in rows if row[5] == "0"]
    assert left == [("`environment.cross_load`", "1.0"), ("`path.rtt`", "40 ms")]
    assert not any(row[4].startswith("1") for row in rows), "no value turns it"
    assert f"fails at {len(rows) - len(left)} of {len(rows)} values." in text


def test_prose_on_fresh_seeds_counts_what_they_left_open_and_decided() -> None:
    """By the checks of today, in the blocks that the page has before the whole paper's, which is by earlier ones."""
    text = prose("akella2002.md")
    blocks = computed.contents(text)
    names = [
        f"akella2002/{part} confirmation" for part in ("fig12", "hybrids", "appendix", "fig1", "fig2", "aild")
    ]
    left = [line for name in names for line in blocks[name].splitlines() if line.startswith("| `")]
    assert len(left) == 3
    assert "Three stay open there:" in text
    assert " 3 are newly decided." in blocks[names[0]]
    assert " 2 are newly decided." in blocks["akella2002/appendix confirmation"]
    assert "So do two on the appendix:" in text
    assert "Three verdicts on the eight settings that were undecided are decided there." in text
    assert all(" 0 are contradicted" in blocks[name] for name in [*names, "akella2002 confirmation"])
    assert "None of the decided verdicts is contradicted." in text


def test_prose_on_the_patterns_adds_up_their_tables() -> None:
    """Counts in sentences are sums over three tables, of which each is filled by another command."""
    text = prose("akella2002-open-parameters.md")
    blocks = computed.contents(text)
    said = [
        re.search(
            r"(\d+) of (\d+) verdicts on runs turn.* and (\d+) (?:is|are) decided and the same",
            blocks[f"{study} sensitivity counts"],
        )
        for study in ("akella2002/fig1", "akella2002/fig2", "reddy2012/patterns")
    ]
    turned, judged, same = (sum(int(found[part]) for found in said if found) for part in (1, 2, 3))
    for page in ("akella2002-open-parameters.md", "akella2002.md"):
        assert f"Under the patterns of Figures 1 and 2 most verdicts turn: {turned} of {judged}." in prose(
            page
        )
    listed = text.split("verdicts are decided and the same at every value. Three claims hold:")[1]
    hold, fail = listed.split("Four fail:")[:2]
    counts = [part.split("\n\n")[1].count("\n- ") + 1 for part in (hold, fail)]
    assert counts == [3, 4]
    assert sum(counts) == same


def test_prose_counts_the_values_at_which_the_hybrid_of_2012_holds() -> None:
    page = "akella2002-open-parameters.md"
    ((claim, holds, fails),) = table(page, "reddy2012/hybrid sensitivity undecided")
    more = re.search(r" and (\d+) more$", holds)
    assert more is not None
    found = len(re.sub(r" and \d+ more$", "", holds).split(", ")) + int(more[1])
    tried = re.search(
        r"0 of (\d+) values turn", computed.contents(prose(page))["reddy2012/hybrid sensitivity counts"]
    )
    assert tried is not None
    assert (claim, fails) == ("`reddy-6-small-md`", "")
    assert f"It holds at {found} of the {tried[1]} others, and fails at none." in prose(page)
