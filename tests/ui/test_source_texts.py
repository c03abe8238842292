"""The layers of the source texts: each can be chosen, and walked through in its letters."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

import numpy as np
import pytest

from attention_lab.heads.patterns import effective_tokens
from attention_lab.masks.temperature import at_temperature
from attention_lab.notation.texts import GML
from attention_lab.page_list import story_steps
from attention_lab.words.numbers import format_number
from tests.ui.app import opened, opened_folds, page_context, texts


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


@pytest.mark.parametrize(("choices", "free"), [({}, False), ({"d_o": 10}, True)])
def test_the_output_page_says_that_its_width_is_free(
    choices: dict[str, object], free: bool
) -> None:
    assert ("Numbers for each token: 16 in the input" in texts(opened("output", **choices))) is free


@pytest.mark.parametrize(("page", "n_lines"), [("softmax", 2), ("mixing", 3)])
def test_element_by_element(page: str, n_lines: int) -> None:
    lines = [
        [line.value for line in opened(page, notation=notation, query=query).latex]
        for notation, query in (("note", 3), ("note", 4), ("ours", 4))
    ]
    assert [len(found) - len(lines[2]) for found in lines] == [n_lines, n_lines, 0]
    assert ["_{4}" in "".join(lines[0]), "_{5}" in "".join(lines[1])] == [True, True]


def test_the_temperature_moves_on_the_softmax_page() -> None:
    trace = page_context(opened("softmax")).trace
    for chosen in (0.5, 5.0):
        app = opened_folds(opened("softmax", inv_temperature=f"{chosen:g}"))
        shares = at_temperature(trace, np.array([chosen]), 0)[0, 0]
        rows = [shares, trace.probabilities[0, 0, 0]]
        new, old = (format_number(float(effective_tokens(row)), 2) for row in rows)
        assert f"**{new}** instead of {old}" in texts(app)
