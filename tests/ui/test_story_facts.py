"""What the pages of the story state is true of small, steep and unusual layers, too."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_core.derivation import derive
from attention_lab.heads.weight_blocks import absorbed_size
from attention_lab.user_data.user_matrices import UserMatrices
from attention_ui import frame
from attention_ui.reference import questions
from tests.ui.app import facts, letters, opened, page_context, scenes, stage, texts

TIED = {"text": "row row", "positions": "false", "mask": "causal"}


def in_all_heads(**url: object) -> AppTest:
    """The page of the scores with one pair of tokens in all heads."""
    app = opened("scores", **url)
    app.session_state["all heads"] = True
    return app.run()


def test_the_block_of_a_head() -> None:
    narrow = facts(opened("projections", d_k=1, n_heads=2, which="queries", head=1))
    assert (narrow["block"], narrow["features_read"]) == (slice(1, 2), narrow["features"])
    plain = facts(opened("projections", weights="weightless", d_model=4, head=3))
    assert (plain["block"], plain["is_identity"], plain["weightless"]) == (slice(3, 4), True, True)
    head = facts(opened("output", head=1, n_heads=2, d_v=5))
    assert head["block"] == slice(5, 10)


def test_a_window_of_the_output_holds_the_column_in_focus() -> None:
    wide = UserMatrices(w_o=np.ones((16, 65))).url_value()
    assert facts(opened("output", own=wide, feature=64, whole="true"))["drawn_columns"] == (64, 65)
    assert facts(opened("output", own=wide, whole="true"))["drawn_columns"] == (0, 64)
    assert "drawn_columns" not in facts(opened("output", whole="true"))


def test_a_window_of_the_projections_holds_the_head_in_focus() -> None:
    app = opened("projections", d_k=64, n_heads=16, which="queries", head=9, whole="true")
    first, end = facts(app)["drawn_columns"]
    assert facts(app)["columns"] == 1024 > end - first
    assert first <= facts(app)["block"].start < facts(app)["block"].stop <= end
    assert scenes(app)[0]["arrays"]["queries"]["shape"][-1] == end - first


@pytest.mark.parametrize(
    ("notation", "scale", "many", "wide"),
    [
        ("ours", "s", "h", "dₖ"),
        ("note", "λ", "dₕ", "d"),
        ("gml", "s", "n_heads", "(N ÷ n_heads)"),
        ("doshi", "s", "Head", "(Query size)"),
    ],
)
def test_widths_have_the_symbols_of_the_notation(
    notation: str, scale: str, many: str, wide: str
) -> None:
    """The note calls the width of the layer s: where |s| is below 1 would be nowhere."""
    told = facts(opened("scale", notation=notation))
    assert told["symbol_of_scale"].replace("\\", "") == scale
    assert told["symbol_of_d_k"].replace("\\", "") == wide
    assert (told["d_k"], told["scale"]) == (4, 0.5)
    told = facts(in_all_heads(notation=notation))
    assert [symbol.replace("\\", "") for symbol in told["symbols"]] == [many, wide]
    assert told["products"]["full"] == 4**2 * 4
    assert told["products"]["hadamard"] == 4 * 4


@pytest.mark.parametrize("page", ["overview", "scores", "softmax", "merge", "mask", "mixing"])
def test_a_word_that_stands_twice_is_named_with_its_place(page: str) -> None:
    text = "the cat and the dog and the bird"
    said = texts(opened(page, text=text, head=3, key=3, mask="causal", query=4))
    assert re.findall("“(?:the|and)”(?! \\()", said) == []
    assert "“dog”" in said


@pytest.mark.parametrize(
    ("text", "n_others"),
    [("one two three four five", 2), ("one two three four", 1), ("one two three", 0), ("a", 0)],
)
def test_the_rest_of_a_row_is_counted(text: str, n_others: int) -> None:
    app = opened("softmax", text=text)
    row = page_context(app).trace.probabilities[0, 0, 0]
    named = facts(app)["reads"]
    assert facts(app)["other_keys_read"] == n_others == len(row) - len(named)
    assert [share for _, share in named] == sorted(row, reverse=True)[:3]
    assert all(row[key] == share for key, share in named)
    assert facts(app)["sum_of_row"] == row.sum()


def test_one_token_reads_itself_alone() -> None:
    for page in ("overview", "mixing"):
        told = facts(opened(page, text="Hello"))
        assert (told["reads_most"], told["tied_keys"]) == ([(0, 1.0)], 1)


@pytest.mark.parametrize(
    ("choices", "tied", "share"),
    [
        (
            {"text": "row row your boat", "positions": "false", "scaling": "custom", "scale": 0},
            4,
            0.25,
        ),
        (TIED | {"query": 1}, 2, 0.5),
        (TIED | {"query": 0}, 1, 1.0),
    ],
)
def test_what_is_read_most_where_shares_are_equal(
    choices: dict[str, Any], tied: int, share: float
) -> None:
    for page in ("overview", "mixing"):
        told = facts(opened(page, **choices))
        assert told["tied_keys"] == tied
        assert [one for _, one in told["reads_most"]] == [pytest.approx(share)]


def test_one_head_has_no_other_to_be_compared_with() -> None:
    told = facts(in_all_heads(n_heads=1, d_model=1))
    assert told["products"]["full"] == told["products"]["hadamard"] == told["d_k"] == 1
    assert told["several_heads"] is False
    app = in_all_heads(query=2, key=5)
    assert facts(app)["several_heads"]
    scores = page_context(app).trace.scores[0, :, 2, 5]
    assert facts(app)["of_all_heads"] == pytest.approx(scores.sum(), rel=1e-6)


@pytest.mark.parametrize(
    ("notation", "inputs", "memory"), [("ours", "X", "M"), ("note", "X", "X"), ("mql5", "I", "I")]
)
def test_what_keys_are_made_from_is_written_as_in_the_formula(
    notation: str, inputs: str, memory: str
) -> None:
    app = opened("projections", notation=notation, which="keys", weights="weightless")
    written = letters(stage(app)["formula"])
    assert memory in written[written.index("=") :]
    assert facts(app)["symbols"][0] == scenes(app)[0]["panels"][0]["title"].split()[0] == memory
    assert facts(opened("tokens", notation=notation))["symbols"] == (inputs, memory)


def test_an_output_that_is_a_copy_is_told_as_one() -> None:
    app = opened("output", weights="weightless", feature=5)
    (term,) = facts(app)["arithmetic"].terms
    assert [factor.name for factor in term.factors] == ["merged"]
    assert facts(app)["arithmetic"].result == page_context(app).trace.output[0, 0, 5]
    assert facts(app)["has_w_o"] is False
    assert "heads_mixed" not in facts(app)


def test_the_arithmetic_is_that_of_the_cell_in_focus() -> None:
    app = opened("softmax", head=1, query=2, key=3)
    assert facts(app)["arithmetic"] == derive(
        page_context(app).trace, "probabilities", (0, 1, 2, 3)
    )


@pytest.mark.parametrize("page", ["overview", "scale"])
def test_negative_numbers_have_a_minus_sign(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "show_questions", lambda: None)
    monkeypatch.setattr(frame, "show_foot", lambda page: None)
    app = opened(page, scaling="custom", scale=-0.5)
    assert facts(app)["scale"] == -0.5
    assert not re.search(r"(?<![\w)\]-])-\d", texts(app).replace("\\", ""))
    assert "−" in texts(app)


def test_tables_name_axes_as_the_notation_does() -> None:
    for page, axes, head in (("scores", ["n", "n"], 1), ("output", None, None)):
        app = opened(page, notation="note", head=1)
        app.session_state["closer"] = ["numbers"]
        told = facts(app.run())
        assert told["head_of_table"] == head
        assert axes is None or told["axes_of_table"] == axes
    app = opened("split", notation="note")
    app.session_state["closer"] = ["numbers"]
    assert facts(app.run())["axes_of_table"] == ["n", "d"]


def test_an_axis_is_called_by_the_letter_it_stands_under() -> None:
    words = {
        (page, residual): {letter: axis["word"] for letter, axis in scenes(app)[0]["axes"].items()}
        for page in ("split", "output", "projections")
        for residual in ("false", "true")
        for app in [opened(page, which="keys", residual=residual)]
    }
    assert {words["split", residual]["H"] for residual in ("false", "true")} == {"head"}
    assert {found["D"] for (page, _), found in words.items() if page != "split"} == {
        "model feature"
    }
    wide = UserMatrices(w_o=np.ones((16, 3))).url_value()
    assert scenes(opened("output", own=wide))[0]["axes"]["O"]["word"] == "output feature"


def test_heads_that_are_added_without_w_o() -> None:
    app = opened("output", d_model=24, n_heads=3, d_v=5)
    app.session_state["no w_o"] = True
    told = facts(app.run())
    assert (
        told["numbers_apart_and_together"] == absorbed_size(page_context(app).trace) == (720, 1728)
    )
    assert 0 < told["gap_without_w_o"] < 1e-12
    assert 0 < told["gap"] < 1e-12
    assert len(app.latex) == 1 + len(opened("output").latex)
    boxes = [opened("output", weights=weights).main.expander for weights in ("tied", "weightless")]
    assert list(map(len, boxes)) == [1, 0]


def test_what_has_worked_on_the_inputs_of_a_trained_layer() -> None:
    for layer in (0, 1, 5):
        assert facts(opened("tokens", weights="trained", layer=layer))["earlier_layers"] == layer
