"""Boards of matrices beside the trace: the numbers that travel are those given, and every rule
gives its cell.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_lab.notation.texts import NOTATIONS
from attention_viz.matrices import (
    Matrix,
    Side,
    difference_matrix,
    mask_rule,
    matrix_board,
    softmax_rule,
)
from tests.viz.reading_scenes import numbers

ROWS, COLUMNS = Side("query", ("a", "b")), Side("key")


def test_hidden_cells_travel_as_bits() -> None:
    scores = np.array([[1.0, -np.inf, 2.0], [0.0, 0.5, -np.inf]])
    plain = Matrix("plain", np.ones((2, 3)), ROWS, COLUMNS, None, "plain")
    scene = matrix_board(
        [plain, Matrix("s", scores, ROWS, COLUMNS, (0, 0), "s", rule=mask_rule("plain"))],
        ("s", 1, 2),
        "Some.",
    )
    np.testing.assert_array_equal(numbers(scene["arrays"]["s"]), scores.astype("f4"))
    assert [panel["id"] for panel in scene["panels"]] == ["s"]
    assert scene["rules"]["s"]["operation"] == "mask"
    assert scene["arrays"]["s"]["limit"] == 2.0
    assert "masked" not in scene["arrays"]["plain"]


def test_the_words_before_a_number_without_a_rule() -> None:
    plain = Matrix("plain", np.ones((2, 2)), ROWS, COLUMNS, (0, 0), "plain", says="so:")
    masked = Matrix(
        "masked", np.ones((2, 2)), ROWS, COLUMNS, (1, 0), "masked", rule=mask_rule("plain")
    )
    arrays = matrix_board([plain, masked], ("plain", 0, 0), "Some.")["arrays"]
    assert (arrays["plain"]["given"], "given" in arrays["masked"]) == ("so:", False)


def test_places_are_no_words() -> None:
    counting, words = Side("query", ("0", "1")), Side("key", ("1", "2"))
    scene = matrix_board(
        [Matrix("one", np.zeros((2, 2)), counting, words, (0, 0), "one")], ("one", 0, 0), "Some."
    )
    assert [axis["labels"] for axis in scene["axes"].values()] == [None, ["1", "2"]]


def test_sides_are_axes() -> None:
    keys = Side("key", ("x", "y", "z"), "S")
    one = Matrix("one", np.zeros((2, 3)), ROWS, keys, (0, 0), "one")
    shares = {"kind": "probability", "rule": softmax_rule("one", 3), "place": (1, 0)}
    two = replace(one, name="two", title="two", **shares)
    scene = matrix_board([one, two], ("one", 0, 0), "Some.", NOTATIONS["gml"])
    assert scene["arrays"]["one"]["axes"] == scene["arrays"]["two"]["axes"] == ["side 0", "S"]
    assert scene["axes"]["side 0"] == {"word": "query", "labels": ["a", "b"], "block": None}
    assert (scene["arrays"]["one"]["limit"], scene["arrays"]["two"]["limit"]) == (1.0, None)
    assert scene["transposed"] is True
    assert [panel["role"] for panel in scene["panels"]] == ["operand", "result"]


def test_sizes_are_turned_with_the_matrix_and_words_stay() -> None:
    wide = Matrix("one", np.zeros((2, 3)), ROWS, Side("key", ("x", "y", "z")), (0, 0), "rows moved")
    named = replace(wide, name="two", badge="H × T")
    ours, gml = (
        matrix_board([wide, named], ("one", 1, 2), "Its row.", NOTATIONS[key])
        for key in ("ours", "gml")
    )
    assert [panel["badge"] for panel in ours["panels"]] == ["2 × 3", "H × T"]
    assert [panel["badge"] for panel in gml["panels"]] == ["3 × 2", "T × H"]
    assert gml["description"] == "Its row."
    assert gml["panels"][0]["title"] == gml["arrays"]["one"]["title"] == "rows moved"
    assert (gml["cell"], gml["axes"]) == (ours["cell"], ours["axes"])


@pytest.mark.parametrize(("gap", "limit"), [(0.5, 0.5), (1e-15, 4.0), (0.0, 4.0)])
def test_rounding_is_drawn_as_no_difference(gap: float, limit: float) -> None:
    before = Matrix("b", np.array([[4.0, -np.inf]]), Side("r"), Side("c"), (0, 0), "b")
    after = replace(before, name="a", numbers=np.array([[4.0 + gap, -np.inf]]))
    made = difference_matrix(after, before, (2, 0))
    assert made.limit == pytest.approx(limit)
    assert np.isneginf(made.numbers[0, 1])
