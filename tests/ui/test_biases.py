"""What pages state of a layer with biases and of one without W_O: facts, formulas and boards
agree.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from attention_lab.export.script import notebook
from attention_lab.user_data.user_matrices import UserMatrices
from attention_ui.registry import page_of
from tests.ui.app import facts, letters, opened, page_context, scenes, stage, texts

BIASED = {"own": UserMatrices(**{f"b_{name}": np.arange(1.0, 17) for name in "qkvo"}).url_value()}
CASES = [
    (BIASED, "W_Q", "W_V"),
    ({"weights": "trained", "layer": 3}, "W_Q", "W_V"),
    (BIASED | {"notation": "gml"}, "P^Q", "P^V"),
]


def symbol(fact: str) -> str:
    """A symbol as it is read, without the escapes."""
    return fact.replace("\\", "")


def described(page: str, **address: object) -> str:
    """The description of a page's first board for a screen reader."""
    return str(scenes(opened(page, **address))[0]["description"])


@pytest.mark.parametrize(("choices", "w_q", "w_v"), CASES)
def test_a_projected_number_is_told_with_its_bias(
    choices: dict[str, Any], w_q: str, w_v: str
) -> None:
    choices = choices | {"which": "queries", "head": 1, "query": 2, "feature": 3}
    app = opened("projections", **choices)
    told, column = facts(app), page_context(app).trace.sizes["K"] + 3
    assert [symbol(told["symbols"][1]), symbol(told["bias"])] == [w_q, "b_Q"]
    assert (told["row"], told["column"]) == (2, column)
    assert told["arithmetic"].index == (0, 2, column)
    assert any(f.name == "b_q" for term in told["arithmetic"].terms for f in term.factors)
    assert letters(stage(app)["formula"])[-3:] == ["+", "b", "Q"]
    assert all(name in described("projections", **choices) for name in (w_q, "b_Q"))
    whole = facts(opened("overview", **choices))
    assert [symbol(bias) for bias in whole["biases"]] == ["b_Q", "b_K", "b_V"]
    assert symbol(whole["multiplied_by"][2]) == w_v


def test_a_projection_without_a_bias_is_told_without() -> None:
    assert facts(opened("projections"))["bias"] is None
    assert facts(opened("overview"))["biases"] == []
    assert facts(opened("output"))["has_bias"] is False
    assert not any("b_" in described(page) for page in ("projections", "output"))


@pytest.mark.parametrize(
    ("choices", "bias", "residual"),
    [
        ({}, False, False),
        ({"residual": "true"}, False, True),
        (BIASED, True, False),
        (BIASED | {"residual": "true"}, True, True),
    ],
)
def test_what_the_output_is_made_of(choices: dict[str, Any], bias: bool, residual: bool) -> None:
    for weights, multiplied in (("random", True), ("weightless", False)):
        app = opened("output", **choices, weights=weights)
        told = facts(app)
        assert (told["has_w_o"], told["has_bias"], told["residual"]) == (multiplied, bias, residual)
        description = described("output", **choices, weights=weights)
        assert ("W_O" in description, "b_O" in description) == (multiplied, bias)
        assert ("inputs" in scenes(app)[0]["arrays"]) == residual
        trace = page_context(app).trace
        assert (trace.output.tobytes() == trace.merged.tobytes()) == (
            not (multiplied or bias or residual)
        )


@pytest.mark.parametrize(
    ("page", "choices", "name"),
    [
        ("output", {"notation": "note"}, "W₀"),
        ("output", {"notation": "gml"}, "W_Oᵀ"),
        ("projections", {"notation": "gml", "which": "values"}, "(P^V)ᵀ"),
    ],
)
def test_a_board_names_the_matrix_as_the_notation_does(
    page: str, choices: dict[str, Any], name: str
) -> None:
    told = facts(opened(page, **choices))
    assert name in described(page, **choices)
    in_sentences = symbol(told["mixed_by"] if page == "output" else told["symbols"][1])
    assert in_sentences == name.removesuffix("ᵀ").strip("()")


@pytest.mark.parametrize(("notation", "name"), [("note", "W₀"), ("gml", "W_O")])
def test_the_question_of_a_page_names_the_matrix_as_the_notation_does(
    notation: str, name: str
) -> None:
    question = page_of("output").question.replace("W_O", name)
    assert question in texts(opened("output", notation=notation)).replace("\\", "")


def test_the_notebook_writes_biases() -> None:
    cells = {
        cell["id"]: cell["source"]
        for cell in json.loads(notebook(page_context(opened(**BIASED)).trace))["cells"]
    }
    for name, letter in (("queries", "Q"), ("keys", "K"), ("values", "V"), ("output", "O")):
        assert f" + b_{letter}$$" in cells[f"{name}-text"]
        assert f" + b_{letter.lower()}" in cells[f"{name}-code"]


def test_the_heads_are_mixed_by_a_matrix_that_is_there() -> None:
    told = facts(opened("merge", notation="note"))
    assert (symbol(told["mixed_by"]), told["has_w_o"]) == ("W₀", True)
    assert facts(opened("merge", weights="weightless"))["has_w_o"] is False
