"""What pages say of a layer with biases and of one without W_O: sentences, formulas and
descriptions agree.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from attention_lab.export.script import notebook
from attention_lab.user_data.own_matrices import OwnMatrices
from tests.ui.app import here, opened, scenes, texts

BIASED = {"own": OwnMatrices(**{f"b_{name}": np.arange(1.0, 17) for name in "qkvo"}).address()}
CASES = [
    (BIASED, "row", "W_Q"),
    ({"weights": "trained", "layer": 3}, "row", "W_Q"),
    (BIASED | {"notation": "gml"}, "column", "(P^Q)ᵀ"),
]


def said_on(page: str, **address: object) -> str:
    """The words of a page as they are read."""
    return texts(opened(page, **address)).replace("\\", "")


@pytest.mark.parametrize(("choices", "line", "weights"), CASES)
def test_a_projected_number_is_told_with_its_bias(
    choices: dict[str, Any], line: str, weights: str
) -> None:
    """A row times a column is not the number that follows where a bias is added to it."""
    across = "column" if line == "row" else "row"
    choices = choices | {"which": "queries", "head": 1, "query": 2, "feature": 3}
    app = opened("projections", **choices)
    said, column = texts(app).replace("\\", ""), here(app).trace.sizes["K"] + 3
    made = (
        f"the dot product of {line} 2 of X and {across} {column} of {weights}, plus number {column}"
        " of b_Q: "
    )
    assert made in said
    assert f"its whole vector multiplied by {weights}, plus b_Q." in said
    assert f"multiplied by {weights}, plus b_Q, give the queries." in scenes(app)[0]["description"]
    assert (
        f":green[{'(P^V)ᵀ' if line == 'column' else 'W_V'}], plus b_Q, b_K, b_V, gives"
        in said_on("overview", **choices)
    )


def test_a_projection_without_a_bias_is_told_without() -> None:
    """Nothing is added, so nothing is said."""
    assert ", plus" not in said_on("projections") + said_on("overview") + said_on("output")


@pytest.mark.parametrize(
    ("choices", "added"),
    [
        ({}, ""),
        ({"residual": "true"}, ", plus the inputs,"),
        (BIASED, ", plus b_O,"),
        (BIASED | {"residual": "true"}, ", plus b_O and the inputs,"),
    ],
)
def test_what_the_output_is_made_of(choices: dict[str, Any], added: str) -> None:
    """Without W_O the merged heads are the output as they are only where nothing is added to
    them.
    """
    mixed, whole = (
        opened("output", **choices, weights=weights) for weights in ("random", "weightless")
    )
    assert (
        scenes(mixed)[0]["description"]
        == f"The merged heads multiplied by W_O{added} give the output."
    )
    assert (
        scenes(whole)[0]["description"]
        == f"The merged heads{added} {'give' if added else 'are'} the output."
    )
    assert f"Without W_O the heads side by side{added} are the output;" in texts(whole)
    assert ("as they are" in whole.info[0].value) == (not added)
    assert f"one vector per token{added.removesuffix(',')}." in texts(mixed)


def test_a_board_names_the_matrix_as_the_notation_does() -> None:
    """What a screen reader is told has the symbols of the sentences beside the board."""
    assert (
        scenes(opened("output", notation="note"))[0]["description"]
        == "The merged heads multiplied by W₀ give the output."
    )
    assert (
        "multiplied by (P^V)ᵀ give"
        in scenes(opened("projections", notation="gml", which="values"))[0]["description"]
    )


def test_the_question_of_a_page_names_the_matrix_as_the_notation_does() -> None:
    """The heading and the formula below it mean the same matrix."""
    assert "What does W₀ do with what the heads found?" in said_on("output", notation="note")
    assert "What does W_O do with what the heads found?" in said_on("output", notation="gml")


def test_sentences_about_trained_heads_name_matrices_as_the_boards_do() -> None:
    """A page that shows the symbols of a text has no others in its sentences."""
    assert "and W₀ may throw it away" in opened("find-a-head", notation="mql5").warning[0].value
    layers = said_on("layers", notation="mql5")
    assert "A trained W_QC and W_KC are needed" in layers
    assert "QC = KC = VC = I, a token’s score with itself is its squared length over √nI." in layers
    assert "Q = K = V = X, a token’s score with itself is its squared length over √C." in said_on(
        "layers"
    )


def test_sentences_about_the_scale_name_the_width_as_the_boards_do() -> None:
    """The width of a head has one name on a page, and a fraction is under one root."""
    told = said_on("invariances", notation="note", inv_topic="temperature")
    assert "1/√d is a temperature of √d for the raw scores" in told
    assert "1/√(N ÷ n_heads) is a temperature of √(N ÷ n_heads)" in said_on(
        "invariances", notation="gml", inv_topic="temperature"
    )


def test_the_notebook_writes_biases() -> None:
    """The formula of a step is that of the line below it."""
    cells = {
        cell["id"]: cell["source"]
        for cell in json.loads(notebook(here(opened(**BIASED)).trace))["cells"]
    }
    for name, symbol in (("queries", "Q"), ("keys", "K"), ("values", "V"), ("output", "O")):
        assert f" + b_{symbol}$$" in cells[f"{name}-text"]
        assert f" + b_{symbol.lower()}" in cells[f"{name}-code"]


def test_the_heads_are_mixed_by_a_matrix_that_is_there() -> None:
    """The page about merging names it as the next one does, and says where there is none."""
    assert "That is the work of W₀, in the next step." in said_on("merge", notation="note")
    assert "work of W_O, in the next step, but this layer has none." in said_on(
        "merge", weights="weightless"
    )
