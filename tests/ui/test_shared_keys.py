"""The page on shared keys and values: three kinds of sharing, compared and counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_lab.heads.counts import layer_size
from attention_lab.heads.shared_keys import CACHE, share_heads
from attention_lab.user_data.user_matrices import UserMatrices
from attention_ui.heads.choices import SHARING_KINDS, choose_clicked_kind
from tests.ui.app import (
    alternatives,
    facts,
    opened,
    page_context,
    scenes,
)

WIDE = {"own": UserMatrices(w_o=np.ones((16, 3))).url_value()}


@pytest.mark.parametrize(
    ("n_heads", "asked", "groups"),
    [(4, 0, 2), (8, 0, 4), (4, 2, 2), (6, 4, 3), (5, 3, 1), (16, 99, 16), (1, 8, 1)],
)
def test_groups_divide_the_heads(n_heads: int, asked: int, groups: int) -> None:
    url = {"groups": asked} if asked else {}
    app = opened("shared-keys", n_heads=n_heads, d_model=n_heads * 4, **url)
    trace = page_context(app).trace
    assert facts(app)["sets_of_keys"] == {"MHA": n_heads, "GQA": groups, "MQA": 1}
    shared = share_heads(trace.projections, groups)
    size = sum(count.of(replace(layer_size(trace), n_kv_heads=shared.groups)) for count in CACHE)
    assert facts(app)["numbers_together"]["GQA"] == size
    (board,) = scenes(app)
    assert board["arrays"]["GQA"]["shape"] == list(trace.probabilities.shape[1:])
    assert board["panels"][1]["badge"].split()[0] == str(groups)


def test_a_clicked_kind_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened("shared-keys", kind="MQA", head=2, query=5, key=7)
    (board,) = scenes(app)
    assert board["cell"] == {"array": "MQA", "index": [2, 5, 7]}
    session: dict[str, Any] = {}
    monkeypatch.setattr("streamlit.session_state", session)
    choose_clicked_kind("GQA", [1, 3, 4])
    assert session == {"kind": "GQA", "head": 1, "query": 3, "key": 4}
    choose_clicked_kind("other", [9, 9, 9])
    assert session["kind"] == "GQA"


def test_matrices_that_all_kinds_share() -> None:
    assert facts(opened("shared-keys"))["matrices_kept"] == ["w_q", "w_o"]
    assert facts(opened("shared-keys", weights="weightless"))["matrices_kept"] == ["w_q"]


def test_the_strongest_colour_is_a_share() -> None:
    assert facts(opened("shared-keys", text="Hello"))["strongest_colour"] == 1
    assert 0 < facts(opened("shared-keys"))["strongest_colour"] < 1


@pytest.mark.parametrize("count", ["parameters", "cache", "multiplications"])
@pytest.mark.parametrize(
    ("choices", "usual"), [({"weights": "weightless"}, False), (WIDE, False), ({}, True)]
)
def test_counts_of_a_layer_without_the_usual_w_o(
    count: str, choices: dict[str, Any], usual: bool
) -> None:
    stated = facts(opened("shared-keys", shared_count=count, **choices))
    assert stated["counted_as_it_is"] is (usual or count == "cache")
    assert stated["has_w_o"] is ("weights" not in choices)


def test_a_chart_of_counts_names_what_it_compares() -> None:
    (description,) = alternatives(opened("shared-keys"))
    assert all(kind in description for kind in SHARING_KINDS)
