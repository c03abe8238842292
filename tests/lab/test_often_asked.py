"""Facts behind answers to what learners ask: how many weights, how narrow a head, which corner of a
causal mask, what dropout leaves of a sum.
"""

from __future__ import annotations

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_core.masks import window_mask
from attention_lab.diagonal.token_matrices import gaussian_tokens
from attention_lab.masks.hiding import HIDING_VALUES, last_query_alone
from attention_lab.masks.mistakes import DROPOUT_RATE, row_sum_with_dropout

X = gaussian_tokens(5, 6)


@pytest.mark.parametrize("n_heads", [1, 2, 3, 6])
def test_more_heads_of_less_width_have_as_many_weights(n_heads: int) -> None:
    assert Projections.random(6, n_heads).n_weights == 4 * 6 * 6
    assert Projections.random(6, n_heads, d_k=2, d_v=2).n_weights == 4 * 6 * 2 * n_heads


def test_narrow_heads_have_scores_of_low_rank() -> None:
    x = gaussian_tokens(9, 8)
    for width in (1, 2, 4):
        scores = attend(x, Projections.random(8, 8 // width)).scores[0]
        assert (np.linalg.matrix_rank(scores) == width).all()
    for head in attend(x, Projections.random(8, 8)).scores[0]:
        orders = {tuple(np.argsort(row)) for row in head}
        assert len(orders) == 2 == len(orders & {order[::-1] for order in orders})


def test_a_causal_mask_for_the_newest_token_starts_at_the_bottom_right() -> None:
    trace = attend(X, Projections.random(6, 2))
    found = last_query_alone(trace)
    assert found.hidden_top_left == 4
    assert found.bottom_right < 1e-12 < 0.1 < found.top_left
    whole = attend(X, trace.projections, causal=True)
    for n_new in (1, 2, 4):
        rows = window_mask(5, 5, right=0)[-n_new:]
        new = attend(X[-n_new:], trace.projections, memory=X, mask=rows)
        assert np.abs(new.output - whole.output[:, -n_new:]).max() < 1e-12
    alone = last_query_alone(attend(X[:1], trace.projections))
    assert (alone.hidden_top_left, alone.top_left) == (0, 0)


def test_dropout_keeps_means_and_not_sums() -> None:
    trace = attend(gaussian_tokens(60, 6), Projections.random(6, 2))
    sums = [row_sum_with_dropout(trace, head, query) for head in (0, 1) for query in range(60)]
    assert min(abs(total - 1) for total in sums) > 1e-9
    assert np.mean(sums) == pytest.approx(1, abs=0.03)
    one = attend([[1.0]], Projections.weightless(1))
    assert row_sum_with_dropout(one, 0, 0) in (0, pytest.approx(1 / (1 - DROPOUT_RATE)))


def test_what_hides_in_every_type_of_number() -> None:
    end = float(np.finfo(np.float16).min)
    assert [name for name, (one, _) in HIDING_VALUES.items() if -np.inf < one < end] == ["−10⁹"]
