"""The layers of the source texts: each can be chosen, and walked through in its letters."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

import numpy as np
import pytest

from attention_lab.notation.texts import GML
from attention_ui.registry import story_steps
from tests.ui.app import facts, opened, page_context, scenes, texts
from tests.ui.laboratories import opened_at


def test_the_laboratory_leads_to_the_layer_of_the_package() -> None:
    page, query = re.search(r"\((\w+)\?(\S+)\)", texts(opened("stiefel"))).groups()
    choices = dict(parse_qsl(query))
    trace = page_context(opened(page, **choices)).trace
    heads = np.hsplit(trace.projections.w_q, trace.sizes["H"])
    assert all(np.allclose(p.T @ p, np.eye(p.shape[1])) for p in heads)
    assert trace.projections.w_o is None
    np.testing.assert_array_equal(trace.output, trace.merged + trace.inputs)
    for step in story_steps():
        app = opened(step.url_path, **choices)
        assert not app.exception
        assert page_context(app).notation is GML
    assert facts(app)["has_w_o"] is False


@pytest.mark.parametrize(("choices", "free"), [({}, False), ({"d_o": 10}, True)])
def test_the_output_page_says_that_its_width_is_free(
    choices: dict[str, object], free: bool
) -> None:
    assert facts(opened("output", **choices))["free_width"] is free


@pytest.mark.parametrize(("page", "n_lines"), [("softmax", 2), ("mixing", 3)])
def test_element_by_element(page: str, n_lines: int) -> None:
    told = [
        facts(opened(page, notation=notation, query=query))["element_by_element"]
        for notation, query in (("note", 3), ("note", 4), ("ours", 4))
    ]
    assert [len(lines) for lines in told] == [n_lines, n_lines, 0]
    assert ["_{4}" in told[0][0], "_{5}" in told[1][0]] == [True, True]


def test_the_temperature_moves_on_the_softmax_page() -> None:
    spread = []
    for chosen in ("0.5", "5"):
        app = opened_at(opened("softmax", inv_temperature=chosen), "softmax temperature")
        told = facts(app)
        assert told["temperature_of_the_row"] == float(chosen)
        spread.append(told["effective_tokens"])
    assert spread[0][0] == spread[1][0]
    assert spread[0][1] < spread[0][0] < spread[1][1]


def test_the_book_on_one_matrix_or_many() -> None:
    app = opened("one-matrix-or-many", n_heads=3, d_model=12, notation="mql5", query=2, key=1)
    told = facts(app)
    pinned = [scene["cell"] for scene in scenes(app)]
    assert [cell["array"] for cell in pinned] == ["pair_products", "weighted_values"]
    assert pinned[1]["index"] == [0, 0, 2, 1, 0]
    assert [row.fused[1] // row.one[1] for row in told["array_sizes"]] == [1] + [3] * 6
    assert max(max(one.gaps) for one in told["as_convolutions"]) < 1e-12
