"""What is seen beside the picture of a step, against plain loops: signs, ties, a cell alone, more
queries than keys.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab.block import BlockChoices, block_of
from attention_lab.focus import Focus
from attention_lab.heads.keys_read import read_row, scale_effect
from attention_lab.next_token import next_token_of
from attention_lab.scenario import Scenario
from attention_lab.story.seen import (
    block_seen,
    cell_seen,
    keys_seen,
    largest_other,
    next_seen,
    scores_seen,
)

X = np.random.default_rng(5).normal(size=(5, 12))
WEIGHTS = Projections.random(12, 6, n_kv_heads=2, seed=1, d_memory=12)
CROSS = attend(X, WEIGHTS, memory=X[:3] * 2, scale=-0.5, softcap=1.5)
MASK = np.ones((6, 5, 5), bool)
MASK[2, 3, 1:] = False
MASK[4, 1] = False
MASKED = attend(X, WEIGHTS, mask=MASK)


def test_a_cell_and_the_number_farthest_from_0_beside_it() -> None:
    x = np.array([[-3.0, 1.0, 2.0], [0.5, 0.25, -0.25]])
    trace = attend(x, Projections.weightless(3))
    seen = cell_seen(trace, "inputs", (0, 0, 1))
    assert (str(seen.number), seen.other) == ("1", 0)
    assert cell_seen(trace, "inputs", (0, 0, 0)).other == 2
    assert str(cell_seen(trace, "inputs", (0, 1, 2)).number) == "−0.250"
    assert largest_other([4.0], 0) == 0
    small = attend(np.array([[1e-5, 3.0]]), Projections.weightless(2))
    assert str(cell_seen(small, "inputs", (0, 0, 0)).number) == "≈ 0"


@pytest.mark.parametrize("query", range(5))
@pytest.mark.parametrize("head", [0, 3, 5])
def test_scores_of_a_row_keep_their_signs(head: int, query: int) -> None:
    dots = [
        float(sum(a * b for a, b in zip(q, k, strict=True)))
        for q in CROSS.query_heads[0, head][query : query + 1]
        for k in CROSS.key_heads[0, head // 3]
    ]
    for key in range(3):
        seen = scores_seen(CROSS, Focus(head, query, key, 0))
        others = {place: dot for place, dot in enumerate(dots) if place != key}
        assert (seen.low, seen.high) == pytest.approx((min(dots), max(dots)))
        assert seen.other == max(others, key=lambda place: others[place])
        assert seen.most == pytest.approx(dots[seen.other])


def test_the_scale_makes_scores_spread_less_and_shares_flatter() -> None:
    seen = scale_effect(CROSS, 4)
    raw = CROSS.scores[0, 4].ravel().tolist()
    capped = [1.5 * math.tanh(-0.5 * one / 1.5) for one in raw]
    spreads, tops = (seen.spread_raw, seen.spread), (seen.top_raw, seen.top)
    for spread, top, numbers in zip(spreads, tops, (raw, capped), strict=True):
        mean = sum(numbers) / 15
        assert spread == pytest.approx(math.sqrt(sum((n - mean) ** 2 for n in numbers) / 15))
        rows = [[math.exp(n) for n in numbers[i : i + 3]] for i in range(0, 15, 3)]
        assert top == pytest.approx(sum(max(row) / sum(row) for row in rows) / 5)
    assert (seen.width, str(seen.root)) == (2, "1.41")


@pytest.mark.parametrize(
    ("head", "query", "seen", "hidden"), [(2, 3, 1, 4), (4, 1, 0, 5), (4, 2, 5, 5), (0, 0, 5, 0)]
)
def test_keys_are_counted_for_the_query_and_hidden_cells_for_its_head(
    head: int, query: int, seen: int, hidden: int
) -> None:
    found = keys_seen(MASKED, head, query)
    assert (found.n_seen, found.n_keys, found.n_hidden, found.n_cells) == (seen, 5, hidden, 25)
    cross = keys_seen(CROSS, head, query)
    assert (cross.n_seen, cross.n_keys, cross.n_hidden, cross.n_cells) == (3, 3, 0, 15)


def test_what_a_query_reads_most() -> None:
    for head, query in ((0, 4), (2, 3)):
        row = MASKED.probabilities[0, head, query].tolist()
        seen = read_row(MASKED, head, query)
        assert (seen.key, seen.share, seen.tied) == (row.index(max(row)), max(row), 1)
        assert str(seen.total) == "1"
    nothing = read_row(MASKED, 4, 1)
    assert (nothing.key, nothing.share, str(nothing.total)) == (None, 0.0, "0")
    even = read_row(attend(np.zeros((3, 2)), Projections.weightless(2)), 0, 1)
    assert (even.key, even.tied, str(even.share)) == (0, 3, "33.3 %")
    sink = read_row(attend(X, WEIGHTS, sink=2.0), 1, 1)
    assert 0 < sink.total < 0.9


def test_a_number_before_and_after_a_block() -> None:
    layer = Scenario("we saw it", d_model=8, n_heads=2)
    block = block_of(layer, BlockChoices())
    assert block_seen(block, 1, 2).before == block.inputs[1, 2]
    assert block_seen(block, 1, 2).after == block.output[1, 2]
    for width in (6, 12):
        block = block_of(replace(layer, d_o=width), BlockChoices())
        for feature in (2, width - 1):
            assert block_seen(block, 2, feature).before is None
            assert block_seen(block, 2, feature).after == block.output[2, feature]


@pytest.mark.parametrize("layer", [0, 4])
@pytest.mark.parametrize("has_output_matrix", [False, True])
def test_the_head_that_adds_most_to_a_logit(layer: int, has_output_matrix: bool) -> None:
    text = "One day, a little frog was very sad. The"
    found = next_token_of(Scenario(text, weights="language model", layer=layer))
    embedding = found.run.decoder.embedding[found.shown[0]]
    if has_output_matrix:
        output = -found.run.decoder.embedding[::-1]
        decoder = replace(found.run.decoder, output=output)
        found = replace(found, run=replace(found.run, decoder=decoder))
        embedding = output[found.shown[0]]
    seen, run = next_seen(found), found.run
    names, parts = run.parts(found.position)
    scale = run.decoder.last_norm.gain / run.divisors[found.position]
    added = {
        name[2]: sum(float(p * s * e) for p, s, e in zip(part, scale, embedding, strict=True))
        for name, part in zip(names, parts, strict=True)
        if name[0] == "head" and name[1] == layer
    }
    assert len(added) == 8
    assert seen.head == max(added, key=lambda head: added[head])
    assert seen.added == pytest.approx(added[seen.head], rel=1e-4)
    assert seen.logit == pytest.approx(run.logits[found.position, found.shown[0]])
    assert seen.n_parts == (10 if layer == 4 else 11)
