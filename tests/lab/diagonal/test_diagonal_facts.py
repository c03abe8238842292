"""What the pages of the diagonal say, against plain loops and known cases: ties, masks, tokens of
zeros, one token, margins below 0.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from attention_core.trace import Trace
from attention_lab.diagonal.depth import Trajectory, TrajectorySample
from attention_lab.diagonal.facts import (
    check_facts,
    depth_facts,
    geometry_facts,
    growth_facts,
    pair_facts,
    proposition_facts,
    search_facts,
    self_attention_facts,
)
from attention_lab.diagonal.metrics import METRICS
from attention_lab.diagonal.modern.delta_rule import DeltaRule
from attention_lab.diagonal.modern.facts import modern_facts
from attention_lab.diagonal.modern.variants import VARIANTS, weightless_vectors
from attention_lab.diagonal.propositions.catalogue import PROPOSITIONS, find_proposition
from attention_lab.diagonal.propositions.checks import PropositionCheck
from attention_lab.diagonal.propositions.counterexamples import Search, search
from attention_lab.diagonal.settings import DiagonalSettings, settings_of_numbers, trace_of_settings

USUAL = {one.key: one.usual for one in VARIANTS}
FREE = DiagonalSettings(weights="free", seed=3)
HEADS = [
    DiagonalSettings(),
    FREE,
    DiagonalSettings(weights="free", causal=True),
    DiagonalSettings(text="the the cat", temperature=0.3),
    settings_of_numbers("1,2; 1,2; 2,-1; 0,0"),
    settings_of_numbers("3"),
]


def softmaxed(trace: Trace) -> list[list[float]]:
    """The shares of a head by loops over its scores."""
    rows = []
    for row in trace.masked_scores[0, 0].tolist():
        powers = [math.exp(score - max(row)) for score in row]
        rows.append([one / sum(powers) for one in powers])
    return rows


@pytest.mark.parametrize("settings", HEADS)
def test_how_much_tokens_look_at_themselves(settings: DiagonalSettings) -> None:
    trace = trace_of_settings(settings)
    shares, n = softmaxed(trace), trace.sizes["T"]
    seen = [sum(score > -math.inf for score in row) for row in trace.masked_scores[0, 0]]
    best = [max([row[j] for j in range(n) if j != i], default=0.0) for i, row in enumerate(shares)]
    tied = [n > 1 and math.isclose(shares[i][i], best[i], rel_tol=1e-9) for i in range(n)]
    found = self_attention_facts(trace, (0, 0))
    assert (found.mine, found.n, found.ties) == (
        sum(shares[i][i] > best[i] or tied[i] for i in range(n)),
        n,
        sum(tied),
    )
    assert found.mass == pytest.approx(sum(shares[i][i] for i in range(n)) / n)
    assert found.uniform == pytest.approx(sum(1 / one for one in seen) / n)
    assert found.broken == sum(
        shares[i][j] > max(shares[i][i], shares[j][j]) + 1e-12
        for i in range(n)
        for j in range(n)
        if i != j
    )
    assert len(found.measures) == len(METRICS)
    assert found.measures[0] == pytest.approx(found.mass)
    assert found.measures[2] == pytest.approx(found.mine / n)


@pytest.mark.parametrize("settings", HEADS[1:4])
def test_a_pair_of_tokens(settings: DiagonalSettings) -> None:
    trace = trace_of_settings(settings)
    shares, scores = softmaxed(trace), trace.masked_scores[0, 0].tolist()
    for i, j in ((0, 2), (2, 0), (1, 0)):
        found = pair_facts(trace, (i, j))
        assert (found.row, found.column) == (i, j)
        assert (found.own, found.share, found.other) == pytest.approx(
            (shares[i][i], shares[i][j], shares[j][j])
        )
        excess = shares[i][j] - max(shares[i][i], shares[j][j])
        assert found.excess == pytest.approx(excess, abs=1e-12)
        assert found.holds == ("fails" if excess > 1e-12 else "holds")
        ratio = scores[i][i] + scores[j][j] - scores[i][j] - scores[j][i]
        known = pytest.approx(ratio, abs=1e-12) if math.isfinite(ratio) else None
        assert found.ratio == known


def test_a_token_with_itself_and_its_row() -> None:
    trace = trace_of_settings(settings_of_numbers("1; 2; 3; 3"))
    found = pair_facts(trace, (1, 1))
    shares = softmaxed(trace)
    assert (found.holds, found.most) == (None, 2)
    assert found.margin == pytest.approx(2.0 * 2 - 2 * 3)
    assert found.largest == pytest.approx(shares[1][2])
    assert found.own == pytest.approx(shares[1][1])
    # Tokens 2 and 3 are equal: the row of the second one peaks at itself, too.
    tied = pair_facts(trace, (3, 3))
    assert (tied.most, tied.margin, tied.largest) == (3, 0, tied.own)


def test_the_bound_that_fails_in_the_smallest_example() -> None:
    trace = trace_of_settings(settings_of_numbers("1; 2; 3"))
    found = pair_facts(trace, (0, 1))
    assert [str(one) for one in (found.share, found.own, found.other)] == [
        "0.2447",
        "0.0900",
        "0.1173",
    ]
    assert (found.holds, str(found.excess), str(found.ratio)) == ("fails", "0.1274", "1.000")


@pytest.mark.parametrize(
    ("number", "check", "found", "by", "where"),
    [
        ("S4", PropositionCheck(False, 0.5, (2, 1)), "violated", 0.5, (2, 1)),
        ("S5", PropositionCheck(False, -0.0, (1,)), "tie", None, (1,)),
        ("S2", PropositionCheck(True, -0.25, (0, 1)), "margin", 0.25, (0, 1)),
        ("S2", PropositionCheck(True, 1e-16, (0, 1)), "equal", None, ()),
        ("S9", PropositionCheck(True, 0.0, (0, 1)), "equal", None, ()),
        ("S2", PropositionCheck(True, 0.0, applies=False), "does not apply", None, ()),
    ],
)
def test_what_is_said_of_a_check(
    number: str,
    check: PropositionCheck,
    found: str,
    by: float | None,
    where: tuple[int, ...],
) -> None:
    facts = check_facts(number, check, 3)
    assert (facts.number, facts.outcome, facts.by, facts.where) == (number, found, by, where)
    alone = check_facts(number, check, 1)
    assert alone.outcome == (found if check.applies else "one token")


def test_which_propositions_some_tokens_violate() -> None:
    small, equal = (
        proposition_facts(trace_of_settings(settings_of_numbers(numbers)), (0, 1), None)
        for numbers in ("1; 2; 3", "3,4; 5,0; -4,3")
    )
    assert small.violated == ("S4", "S5")
    assert equal.violated == ()
    assert [one.number for one in small.checks] == [one.number for one in PROPOSITIONS]
    worst = small.checks[3]
    assert (worst.number, str(worst.by), worst.where) == ("S4", "0.1274", (0, 1))
    assert small.search is None


def test_what_a_search_has_found() -> None:
    found = search(find_proposition("S4"), n_tokens=3, d_model=1)
    assert found.nearest
    facts = search_facts(found)
    assert (facts.tried, facts.applied) == (found.tried, found.applied)
    assert (facts.worst, facts.margin) == (found.nearest.excess, None)
    assert float(facts.worst or 0) > 0
    none = search_facts(search(find_proposition("S2"), n_tokens=3, d_model=2, tries=5))
    assert (none.worst, float(none.margin or -1) >= -1e-9) == (None, True)
    empty = search_facts(Search(None, None, 7, 0))
    assert (empty.tried, empty.applied, empty.worst, empty.margin) == (7, 0, None, None)
    near = search_facts(Search(None, PropositionCheck(True, -0.25), 7, 3))
    assert (near.applied, near.margin) == (3, 0.25)


def peaks(weights: np.ndarray, hidden: np.ndarray) -> tuple[int, int]:
    """Rows whose own number is no smaller than any other that they see, and ties among them."""
    n, mine, tied = len(weights), 0, 0
    for i in range(n):
        others = [weights[i, j] for j in range(n) if j != i and not hidden[i, j]]
        best = max(others, default=-np.inf)
        is_tied = math.isclose(weights[i, i], best, rel_tol=1e-9)
        mine, tied = mine + (weights[i, i] > best or is_tied), tied + is_tied
    return mine, tied


@pytest.mark.parametrize("numbers", ["1; 2; 2", "0,0; 1,2; -3,1; 1,2", "1; -1"])
def test_the_variants_side_by_side(numbers: str) -> None:
    x = trace_of_settings(settings_of_numbers(numbers)).inputs[0]
    found = modern_facts(x, USUAL, DeltaRule(0.75, 0.5), 8)
    runs = [one.run(weightless_vectors(x), one.usual) for one in VARIANTS]
    rows = []
    for looks, one, variant in zip(found.looks, runs, VARIANTS, strict=True):
        hidden = np.isneginf(one.compared)
        assert (looks.rows, looks.ties) == peaks(one.weights, hidden)
        assert looks.title == variant.title
        own = [one.weights[i, i] for i in range(len(x))]
        assert looks.own == pytest.approx(sum(own) / len(x))
        rows.append(int(looks.rows))
    assert (found.n, found.rows.plain, found.others) == (len(x), rows[0], len(VARIANTS) - 1)
    assert found.rows.ties == found.looks[0].ties
    assert found.rows.most == max(rows[1:])
    titles = [one.title for one in VARIANTS][1:]
    if max(rows[1:]) == min(rows[1:]):
        assert (found.rows.fewest, found.rows.most_in, found.rows.fewest_in) == (None, (), ())
    else:
        assert found.rows.fewest == min(rows[1:])
        of = dict(zip(titles, rows[1:], strict=True))
        assert list(found.rows.most_in) == [one for one in titles if of[one] == max(rows[1:])]
        assert list(found.rows.fewest_in) == [one for one in titles if of[one] == min(rows[1:])]


def test_a_token_of_zeros_keeps_nothing_and_the_others_beta() -> None:
    x = np.array([[0.0, 0.0], [1.0, 2.0], [-3.0, 1.0]])
    found = modern_facts(x, USUAL, DeltaRule(0.75), 8)
    assert (found.low, found.high) == pytest.approx((0.75, 0.75))
    nothing = modern_facts(np.zeros((2, 2)), USUAL, DeltaRule(0.75), 8)
    assert (nothing.low, nothing.high) == (None, None)


def test_numbers_of_statements_are_whole_or_have_four_decimals() -> None:
    x = np.array([[1.0], [2.0], [3.0]])
    found = modern_facts(x, USUAL, DeltaRule(0.75), 8)
    norm = dict(found.statements[3].numbers)
    assert str(norm["1/N"]) == "0.3333"
    assert str(norm["its bound"]) == f"{1 / (1 + 2 * math.exp(-8)):.4f}"
    rotary = {name: str(number) for name, number in found.statements[0].numbers}
    assert rotary["of the false ones, S4 and S5, violated"] in ("0", "1", "2")
    assert all(one.holds for one in found.statements)


def trajectory(*distances: float) -> TrajectorySample:
    return TrajectorySample((Trajectory(distances, (0.5,) * len(distances)),))


def test_after_how_many_layers_tokens_are_equal() -> None:
    samples = {
        "a": trajectory(0.9, 0.01, 0.009),
        "b": trajectory(0.9, 0.5, 0.01),
        "c": trajectory(0.001, 0.0, 0.0),
    }
    found = depth_facts(samples, 2, range(3, 12))
    assert found.ends == (("a", 2), ("b", None), ("c", 0))
    assert (found.n_layers, str(found.near), found.first, found.last) == (2, "1 %", 3, 11)
    assert depth_facts({"a": samples["a"]}, 2, range(1)).n_layers is None


def test_which_keys_beat_a_token() -> None:
    trace = trace_of_settings(settings_of_numbers("1,0; 2,5; 0.5,9; -1,-1"))
    found = geometry_facts(trace, 0, is_of_points=True)
    assert (found.own, found.beaten) == (1.0, ((1, 2.0),))
    assert geometry_facts(trace, 2, True).beaten == ()
    assert geometry_facts(trace, 2, True).own == 81.25
    for i in range(4):
        x = trace.inputs[0]
        expected = [(j, x[i] @ x[j]) for j in range(4) if x[i] @ x[j] > x[i] @ x[i]]
        assert dict(geometry_facts(trace, i, True).beaten) == pytest.approx(dict(expected))
    origin = trace_of_settings(settings_of_numbers("0,0; 1,3"))
    assert not geometry_facts(origin, 0, True).has_direction


def test_what_is_read_of_those_turned_away_as_both_become_longer() -> None:
    points = "0.5,0; -0.1,1; -3,0; -3,0; -3,0; -3,0; -3,0; -3,0"
    trace = trace_of_settings(settings_of_numbers(points))
    found, x = geometry_facts(trace, 0, is_of_points=True), trace.inputs[0]
    assert (found.n_longer, found.rising) == (7, 1)
    for one in found.longer:
        shares = []
        for factor in (1.0, 1.5, 2.0, 3.0):
            longer = x.copy()
            longer[[0, one.other]] *= factor
            powers = [math.exp(longer[0] @ other / math.sqrt(2)) for other in longer]
            shares += [powers[one.other] / sum(powers), powers[one.other] / powers[0]]
        assert one.product == pytest.approx(x[0] @ x[one.other])
        assert one.product < 0
        assert one.shares == pytest.approx(tuple(shares[::2]))
        assert one.relative == pytest.approx(tuple(shares[1::2]))
    away = geometry_facts(trace, 0, is_of_points=False)
    assert (away.longer, away.n_longer, away.rising) == ((), None, None)


@pytest.mark.parametrize("scaled", [True, False])
def test_the_width_at_which_half_of_the_attention_is_kept(scaled: bool) -> None:
    found = growth_facts((4, 16), scaled, 3, 14)
    expected = [(math.log(n - 1) + 0.5) ** 2 if scaled else 2 * math.log(n - 1) for n in (4, 16)]
    assert [float(width) for width, _ in found.half] == pytest.approx(expected)
    assert [str(width) for width, _ in found.half] == [f"{one:.0f}" for one in expected]
    assert [n for _, n in found.half] == [4, 16]
    assert (found.measured, found.n) == (11, 14)
    last = found.widths[-1]
    assert (last.n_tokens, str(last.scaled), str(last.unscaled)) == (16, "10.3", "5.4")
    # At this width a token beats 15 others with probability 1/2: Φ(√r)^15.
    beats = 0.5 * (1 + math.erf(math.sqrt(last.rows / 2)))
    assert beats**15 == pytest.approx(0.5)
