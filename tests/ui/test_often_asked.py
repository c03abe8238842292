"""What learners ask stands on the page concerned, with the numbers of the layer that is shown."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.masks.hiding import HIDING_VALUES
from tests.ui.app import facts, opened, page_context


@pytest.mark.parametrize("n_heads", [1, 4, 16])
def test_the_split_counts_weights_and_the_rank_of_scores(n_heads: int) -> None:
    app = opened("split", d_model=16, n_heads=n_heads, weights="random")
    page_facts, trace = facts(app), page_context(app).trace
    assert page_facts["weights"] == 4 * 16 * 16
    assert page_facts["largest_rank"] == min(16 // n_heads, trace.sizes["T"])
    assert np.linalg.matrix_rank(trace.scores[0]).max() <= page_facts["largest_rank"]


def test_the_mask_page_tells_of_the_newest_token_alone() -> None:
    app = opened("mask", mask="causal", weights="random")
    alone = facts(app)["last_query"]
    assert alone.hidden_top_left == page_context(app).trace.sizes["S"] - 1
    assert alone.bottom_right < 1e-12 < alone.top_left


def test_the_softmax_page_tells_of_dropout() -> None:
    page_facts = facts(opened("softmax"))
    assert page_facts["sum_of_row"] == pytest.approx(1)
    assert page_facts["sum_with_dropout"] != pytest.approx(1)


def test_a_layer_without_output_weights_gets_some_in_another_basis() -> None:
    page_facts = [
        facts(opened("head-worth", weights=weights)) for weights in ("weightless", "random")
    ]
    assert [one["gets_w_o"] for one in page_facts] == [True, False]
    assert [one["has_w_o"] for one in page_facts] == [False, True]


def test_what_hides_in_every_type_of_number() -> None:
    end = float(np.finfo(np.float16).min)
    assert [way.key for way in HIDING_VALUES if -np.inf < way.value < end] == ["billion"]
