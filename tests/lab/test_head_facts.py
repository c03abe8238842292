"""What the pages about heads say, against plain loops: groups between one and all heads, heads that
cancel, a sink, queries that see nothing, cross-attention.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core import HeadNorm, Projections, Rotary, Trace, attend
from attention_lab.heads.counts import layer_size
from attention_lab.heads.facts import (
    average_facts,
    cell_facts,
    shared_facts,
    shared_traces,
    worth_facts,
)
from attention_lab.heads.habits import all_habits
from attention_lab.heads.matrix_facts import matrix_facts
from attention_lab.heads.shared_keys import CACHE

X = np.random.default_rng(3).normal(size=(5, 12))
SEEN = np.tril(np.ones((5, 5), bool))
SEEN[2] = False  # a query that sees no key


def layer(**options: Any) -> Trace:
    """Six heads on two key heads, queries of four features and values of two, with biases."""
    weights = Projections.random(12, 6, n_kv_heads=2, d_k=4, d_v=2, seed=9, bias=True)
    return attend(X, weights, **{"scale": 2.0} | options)


CROSS = attend(X, Projections.random(12, 6, seed=1, d_memory=4), memory=X[:3, :4])
SINKS = layer(sink=[0.5, -1.0, 2.0, 0.0, 1.0, 0.3])


@pytest.mark.parametrize("trace", [layer(), layer(mask=SEEN), SINKS, CROSS], ids=str)
def test_what_each_head_does(trace: Trace) -> None:
    shares, in_order = trace.probabilities[0], trace is not CROSS
    asks = [i for i in range(5) if shares[0, i].any()]
    for found, head in zip(all_habits(trace, (4, 1)), (4, 1), strict=True):
        one = shares[head]
        means = [
            np.mean([one[i, i] for i in asks]) if in_order else None,
            np.mean([one[i, i - 1] for i in asks if i > 0]) if in_order else None,
            np.mean([one[i, 0] for i in asks]),
        ]
        assert found.head == head
        for place, mean in enumerate(means):
            assert found.shares[place] == (None if mean is None else pytest.approx(mean))
        known = {place: mean for place, mean in enumerate(means) if mean and mean >= 0.5}
        assert found.largest == (max(known, key=lambda place: known[place]) if known else None)
        counts = [
            math.exp(-sum(share * math.log(share) for share in one[i] if share > 0)) for i in asks
        ]
        assert found.tokens == pytest.approx(np.mean(counts))
    single = attend([[2.0]], Projections.weightless(1))
    (alone,) = all_habits(single, [0], digits=0)
    assert [*map(str, alone.shares)] == ["100 %", "None", "100 %"]


def test_an_average_hides_nothing_in_one_head_or_where_nothing_is_seen() -> None:
    assert average_facts(layer(), [2]) is None
    assert average_facts(layer(mask=np.zeros((5, 5), bool)), [0, 1]) is None
    found, shares = average_facts(layer(), [2, 5]), layer().probabilities[0, [2, 5]]
    assert found
    sums = [sum(max(shares[0, i, j], shares[1, i, j]) for j in range(5)) for i in range(5)]
    assert found.largest_sum == pytest.approx(max(sums))
    assert found.in_a_head < found.in_the_mean


@pytest.mark.parametrize(
    ("trace", "query", "row"),
    [
        (layer(), 2, "1"),
        (layer(mask=SEEN), 2, "0"),
        (SINKS, 2, "less"),
        (CROSS, 4, "1"),
    ],
)
def test_rows_and_columns_have_their_sums(trace: Trace, query: int, row: str) -> None:
    found, shares = cell_facts(trace, (3, query, 1)), trace.probabilities[0]
    sums = [sum(shares[head, query]) for head in range(6)]
    assert found.row == row
    assert found.sums == pytest.approx((min(sums), max(sums)) if row == "less" else (float(row),))
    assert [*map(str, found.sums)] == [row] or row == "less"
    assert found.column == pytest.approx(sum(shares[3, i, 1] for i in range(5)))
    assert (found.head, found.share) == (3, shares[3, query, 1])


def lengths(trace: Trace) -> tuple[list[np.ndarray], np.ndarray]:
    """What each head adds, and their sum, by loops over heads."""
    p = trace.projections
    parts = [trace.head_outputs[0, h] @ p.w_o[2 * h : 2 * h + 2] for h in range(6)]
    return parts, sum(parts)


@pytest.mark.parametrize("options", [{}, {"residual": True}])
def test_a_head_is_worth_what_the_sum_of_all_heads_moves(options: dict[str, Any]) -> None:
    trace = layer(**options)
    (parts, whole), found = lengths(trace), worth_facts(trace, 4, 3, (5, 0))
    size = np.linalg.norm(whole)
    norms = [np.linalg.norm(part) / size for part in parts]
    most, least = int(np.argmax(norms)), int(np.argmin(norms))
    assert found.found == "some"
    assert (found.most_in, found.least_in) == ((most,), (least,))
    assert (found.most, found.least) == pytest.approx((norms[most], norms[least]))
    assert found.moved == pytest.approx(np.linalg.norm(parts[4][3]))
    signed = [float(np.vdot(part, whole)) / size**2 for part in parts]
    assert signed[1] < 0 < signed[0] < -signed[1]
    assert found.signed_sum == pytest.approx(1)
    assert found.norm_sum == pytest.approx(sum(norms))
    assert list(found.by_signed) == sorted(range(6), key=lambda head: -signed[head])
    assert list(found.by_norm) == sorted(range(6), key=lambda head: -norms[head])
    assert found.off
    assert found.off.heads == (5, 0)
    assert found.off.moved == pytest.approx(np.linalg.norm(parts[0] + parts[5]) / size)
    # Not the sum of both lengths.
    assert found.off.moved < norms[0] + norms[5] - 0.01
    assert found.off.left == ""


@pytest.mark.parametrize(
    ("weights", "options", "found", "left"),
    [
        (Projections.random(12, 1), {}, "alone", "0"),
        (Projections.random(12, 1, bias=True), {"residual": True}, "alone", "bias and input"),
        (replace(Projections.random(12, 2), w_o=np.zeros((12, 12))), {}, "nothing", "0"),
        (Projections.weightless(12, 2), {"residual": True}, "some", "input"),
    ],
)
def test_what_is_left_without_all_heads(
    weights: Projections, options: dict[str, Any], found: str, left: str
) -> None:
    facts = worth_facts(attend(X, weights, **options), 0, 0, range(weights.n_heads))
    assert facts.found == found
    assert facts.off
    assert facts.off.left == left
    assert facts.off.moved == (None if found == "nothing" else pytest.approx(1))
    assert (facts.most is None) == (found in ("alone", "nothing"))


def test_heads_that_add_the_same_are_all_named() -> None:
    one = Projections.random(12, 1, d_k=3, d_v=3, seed=2)
    twice = Projections.from_heads([(one.w_q, one.w_k, one.w_v)] * 2, np.vstack([one.w_o] * 2))
    found = worth_facts(attend(X, twice), 0, 0, ())
    assert (found.found, found.most_in, found.least, found.off) == ("equal", (0, 1), None, None)
    assert str(found.most) == "50.0 %"


def shared(trace: Trace, groups: int, rank: int) -> Any:
    """What *Shared keys and values* says, and the layers that it compares."""
    traces = shared_traces(trace, groups, rank)
    sizes = [layer_size(one) for one in list(traces.values())[:-1]]
    return shared_facts(traces, rank, 0.25, sizes, CACHE), traces


def test_fewer_keys_move_the_output_and_save_numbers() -> None:
    weights = Projections.random(12, 6, d_k=4, d_v=3, seed=1)
    trace = attend(X, weights, scale=1.0)
    found, traces = shared(trace, 3, 5)
    moved = [
        math.sqrt(sum(float(n) ** 2 for n in (one.output - trace.output).ravel()))
        / math.sqrt(sum(float(n) ** 2 for n in trace.output.ravel()))
        for one in traces.values()
    ]
    assert found.moved == pytest.approx(tuple(moved[1:]))
    assert [one.output for one in found.kinds] == pytest.approx(moved)
    assert [(one.name, one.sets, one.kept) for one in found.kinds] == [
        ("MHA", 6, 6 * 7),
        ("GQA", 3, 3 * 7),
        ("MQA", 1, 7),
        ("MLA", None, 5),
    ]
    assert [one.numbers for one in found.savings] == [
        (5 * 6 * 4, 5 * 3 * 4, 5 * 4),
        (5 * 6 * 3, 5 * 3 * 3, 5 * 3),
        (5 * 6 * 7, 5 * 3 * 7, 5 * 7),
    ]
    assert (found.shared, found.heads, found.rank, found.largest) == ("none", None, 5, 12)


@pytest.mark.parametrize(
    ("heads", "groups", "name", "shared_as", "n_moved"),
    [
        (6, 2, "this layer (GQA)", "already", 3),
        (6, 1, "this layer (MQA)", "already", 3),
        (1, 1, "MHA", "alone", 1),
    ],
)
def test_a_layer_may_share_keys_already(
    heads: int, groups: int, name: str, shared_as: str, n_moved: int
) -> None:
    trace = attend(X, Projections.random(12, heads, n_kv_heads=groups))
    found, _ = shared(trace, 1, 4)
    assert (found.kinds[0].name, found.shared, len(found.moved)) == (name, shared_as, n_moved)
    assert (found.heads, found.groups) == ((heads, groups) if n_moved == 3 else (None, None))
    assert found.moved[-1] == found.kinds[-1].output


def test_no_key_can_be_spared_between_norms_and_turns() -> None:
    """Scores from made keys, and as if no key were made, by loops over all pairs."""
    norm, rotary = (
        HeadNorm(np.array([2.0, 0.5, 1.0, 1.5]), np.array([1.0, 3.0, 0.5, 2.0])),
        Rotary(50.0, "halves", 3),
    )
    for options in ({"head_norm": norm}, {"rotary": rotary}, {}):
        trace = layer(**options)
        found, traces = shared(trace, 1, 4)
        latent = traces["MLA"]
        assert found.is_normed == ("head_norm" in options)
        queries = (latent.normed_queries if found.is_normed else latent.query_heads)[0]
        plain = np.array(
            [[[queries[h, i] @ latent.key_heads[0, h // 3, j] for j in range(5)] for i in range(5)]
             for h in range(6)]
        )  # fmt: skip
        gap = np.abs(plain - latent.scores[0]).max()
        if found.is_normed:
            assert found.absorbed == pytest.approx(gap)
            assert found.absorbed > 0.1
            assert found.turned is None
            continue
        assert found.absorbed < 1e-12
        if not options:
            latent = layer(rotary=Rotary())
            latent = shared(latent, 1, 4)[1]["MLA"]
            gap = np.abs(plain - latent.scores[0]).max()
        assert found.turned == pytest.approx(gap)
        assert found.turned > 0.1


MODERN = layer(rotary=Rotary(), head_norm=HeadNorm(2.0), sink=1.0, causal=True)


@pytest.mark.parametrize("trace", [layer(), MODERN, layer(residual=True)])
def test_four_ways_and_convolutions_agree_with_the_layer(trace: Trace) -> None:
    found = matrix_facts(trace, 4)
    assert [one.difference for one in found.ways] == [None] * 4
    assert [one.difference for one in found.convolutions] == [None] * 4
    assert [one.sizes for one in found.convolutions] == [
        (12, 4, 12, 24),
        (12, 4, 12, 8),
        (12, 2, 12, 4),
        (2, 12, 12, 12),
    ]
    assert (found.heads, found.tokens, found.compared, found.head) == (6, 5, 5, 4)
    assert str(found.wasted) == "83.3 %"
    assert found.generated == 5 * found.depth


def test_a_way_that_does_not_agree_says_by_how_much() -> None:
    trace = layer()
    wrong = replace(trace, scores=trace.scores + 1.0)
    most = np.abs(wrong.scores).max()
    assert [one.difference for one in matrix_facts(wrong, 0).ways] == pytest.approx([1 / most] * 4)


def test_arrays_and_designs_are_counted() -> None:
    found = matrix_facts(layer(), 0)
    by_name = {str(one.name): (one.one, one.fused) for one in found.arrays}
    assert by_name["w_q"] == ((12, 4), (12, 24))
    assert by_name["keys"] == ((5, 4), (5, 8))
    assert all(one.numbers_of_one == one.one[0] * one.one[1] for one in found.arrays)
    assert all(one.numbers_of_all == one.fused[0] * one.fused[1] for one in found.arrays)
    # 6 heads × 5 objects, the joined array, the output; 6 × 7 calls, joining, output.
    assert found.designs[0][:3] == (32, 44, 60)
    assert found.designs[1][:3] == (6, 8, 0)
    assert found.more == ("more", "more", "more", "more")
    scores, mixing = 6 * 25 * (4 + 1), 6 * 25 * 2
    assert found.designs[1][3] == 5 * 12 * (24 + 8 + 4) + scores + mixing + 5 * 144
    assert found.designs[0][3] == 5 * 12 * (24 + 24 + 12) + scores + mixing + 5 * 144


def test_a_sink_takes_one_exponential_of_each_row() -> None:
    for trace, expected in ((layer(), 25), (MODERN, 30)):
        (box,) = (one for one in matrix_facts(trace, 0).boxes if one.field == "probabilities")
        assert (box.parts, box.exponentials) == (6, expected)
