"""The numbers behind a picture: complete, in full precision, and safe in a spreadsheet."""

from __future__ import annotations

import csv
import io
import math

import numpy as np
import pandas as pd
import pytest

from attention_core import STEPS, Projections, attend
from attention_core.derivation import Factor, derive
from attention_viz.labels import format_number
from attention_viz.tables import (
    factor_code,
    field_table,
    format_derivation,
    matrix_table,
    terms_table,
)
from tests.viz.example_traces import CASES, D, H, K, S, T, V, example, square
from tests.viz.reading_words import numbers_said

FORMULAS = ("=1+1", "+1", "-1", "@sum", "=cmd|' /C calc'!A0", "\t=1", 'a,b"c')


@pytest.mark.parametrize("case", CASES)
def test_a_table_is_its_matrix(case: str) -> None:
    trace = example(case, tokens=("the",) * 7)
    for field, step in STEPS.items():
        table = matrix_table(trace, field, 5 if step.per_head else None)
        array = getattr(trace, field)[0]
        np.testing.assert_array_equal(table.to_numpy(), array[5] if step.per_head else array)
        assert table.index.is_unique
        assert table.columns.is_unique


@pytest.mark.parametrize("field", ["query_heads", "masked_scores"])
def test_the_table_of_all_heads(field: str) -> None:
    trace = example("causal")
    table = field_table(trace, field)
    array = getattr(trace, field)[0]
    np.testing.assert_array_equal(table.to_numpy(), array.reshape(-1, array.shape[-1]))
    assert list(table.index.get_level_values("head").unique()) == [f"head {h}" for h in range(H)]
    np.testing.assert_array_equal(table.loc["head 3"].to_numpy(), array[3])


def test_a_field_without_heads_is_one_matrix() -> None:
    trace = example()
    pd.testing.assert_frame_equal(field_table(trace, "queries"), matrix_table(trace, "queries"))


def test_shared_heads_have_a_table_for_every_reader() -> None:
    trace = example(shared=True)
    np.testing.assert_array_equal(
        matrix_table(trace, "key_heads", 9).to_numpy(), trace.key_heads[0, 0]
    )
    assert len(field_table(trace, "key_heads")) == H * S


def test_labels_of_rows_and_columns() -> None:
    trace = example(tokens=tuple("abcdefg"))
    scores = matrix_table(trace, "scores", 0)
    assert list(scores.index) == [f"{i} {token}" for i, token in enumerate("abcde")]
    assert list(scores.columns) == [f"{j} {token}" for j, token in enumerate("abcdefg")]
    assert list(matrix_table(trace, "inputs").columns) == [str(i) for i in range(D)]
    assert list(matrix_table(trace, "queries").columns)[:3] == ["0·0", "0·1", "1·0"]
    assert K == 2


@pytest.mark.parametrize("field", ["queries", "masked_scores", "probabilities"])
def test_the_csv_gives_the_numbers_back(field: str) -> None:
    trace = example("causal")
    text = field_table(trace, field).to_csv()
    n_labels = 2 if STEPS[field].per_head else 1
    array = getattr(trace, field)[0]
    again = [
        [float(cell) for cell in row[n_labels:]] for row in list(csv.reader(io.StringIO(text)))[1:]
    ]
    np.testing.assert_array_equal(again, array.reshape(-1, array.shape[-1]))


@pytest.mark.parametrize("field", ["inputs", "scores"])
def test_no_token_becomes_a_formula_in_a_spreadsheet(field: str) -> None:
    rows = list(csv.reader(io.StringIO(field_table(example(tokens=FORMULAS), field).to_csv())))
    cells = [cell for row in rows for cell in row]
    assert any(FORMULAS[0] in cell for cell in cells)
    for cell in cells:
        assert cell[:1] not in tuple("=+@\t-") or math.isfinite(float(cell))


@pytest.mark.parametrize("field", STEPS)
def test_the_terms_of_a_cell(field: str) -> None:
    trace = example("bias and residual")
    derivation = derive(trace, field, tuple(n - 1 for n in getattr(trace, field).shape))
    table = terms_table(derivation)
    assert len(table) == len(derivation.terms)
    assert table["term"].tolist() == [term.value for term in derivation.terms]
    assert table["running sum"].tolist() == pytest.approx(np.cumsum(table["term"]).tolist())
    for row, term in zip(table.to_dict("records"), derivation.terms, strict=True):
        for i, factor in enumerate(term.factors, 1):
            assert (row[f"number {i}"], row[f"value {i}"]) == (factor_code(factor), factor.value)


@pytest.mark.parametrize(
    ("factor", "text"),
    [
        (Factor("queries", (0, 3, 5), 1.0), "queries[3, 5]"),
        (Factor("key_heads", (0, 1, 3, 5), 1.0), "key_heads[1, 3, 5]"),
        (Factor("w_q", (3, 5), 1.0), "W_Q[3, 5]"),
        (Factor("b_o", (5,), 1.0), "b_O[5]"),
        (Factor("scale", (), 1.0), "s"),
    ],
)
def test_where_a_number_stands(factor: Factor, text: str) -> None:
    """A number is named as code would name it, without the batch axis of one sequence."""
    assert factor_code(factor) == text


@pytest.mark.parametrize("case", CASES)
def test_the_sentence_of_a_cell_ends_in_its_number(case: str) -> None:
    trace = example(case)
    for field in STEPS:
        index = tuple(n - 1 for n in getattr(trace, field).shape)
        number = format_number(float(getattr(trace, field)[index]), 4)
        assert format_derivation(derive(trace, field, index)).endswith(number), field


def test_a_mask_says_what_it_did() -> None:
    trace = attend([[1.0, 0.5], [2.0, -1.0]], Projections.weightless(2), scale=0.5, causal=True)
    seen, hidden = (
        format_derivation(derive(trace, "masked_scores", (0, 0, *cell)))
        for cell in ((1, 0), (0, 1))
    )
    assert numbers_said(seen) == [0.75, 0.75]
    assert numbers_said(hidden) == [0.75]
    assert ("∞" in seen, hidden.endswith("−∞")) == (False, True)


def test_long_sums_are_cut_short() -> None:
    text = format_derivation(derive(square(7), "head_outputs", (0, 0, 6, 0)))
    assert numbers_said(text.partition("…")[2])[0] == 3
    assert text.count("×") == 4
    assert (T, V) == (5, 3)


def test_what_is_rounded_is_not_said_to_be_equal() -> None:
    whole = attend([[1.0, 0.5], [2.0, -1.0]], Projections.weightless(2), scale=0.5, causal=True)
    parts = attend([[1 / 3, 0.5], [2.0, -1.0]], Projections.weightless(2))
    assert (
        format_derivation(derive(whole, "scores", (0, 0, 1, 0)))
        == "2.000 × 1.000 + (−1.000 × 0.500) = 1.5000"
    )
    assert (
        format_derivation(derive(parts, "scores", (0, 0, 1, 0)))
        == "2.000 × 0.333 + (−1.000 × 0.500) ≈ 0.1667"
    )
    assert (
        format_derivation(derive(whole, "scaled_scores", (0, 0, 1, 0)))
        == "1.5000 × 0.5000 = 0.7500"
    )
    assert format_derivation(derive(whole, "inputs", (0, 0, 0))) == "inputs[0, 0] = 1.0000"
    assert format_derivation(derive(parts, "inputs", (0, 0, 0))) == "inputs[0, 0] ≈ 0.3333"
    large = attend([[-3.081097], [1.0]], Projections.weightless(1), scale=-100.0)
    assert (
        format_derivation(derive(large, "scaled_scores", (0, 0, 0, 1)))
        == "−3.0811 × −100.0000 ≈ 308.1097"
    )
    assert " / 1.0000 = 1.0000" in format_derivation(derive(whole, "probabilities", (0, 0, 0, 0)))
    assert " ≈ 0." in format_derivation(derive(whole, "probabilities", (0, 0, 1, 0)))
    assert format_derivation(derive(whole, "probabilities", (0, 0, 0, 1))).endswith(" = 0.0000")


def test_one_product_can_be_followed() -> None:
    narrow = attend(
        [[-1.514], [1.0]],
        Projections(w_q=[[1.0]], w_k=[[0.75]], w_v=[[1.0]], w_o=[[1.0]], n_heads=1),
    )
    derivation = derive(narrow, "scores", (0, 0, 1, 0))
    assert format_derivation(derivation) == "1.0000 × −1.1355 = −1.1355"
    assert format_derivation(derivation, 2) == "1.00 × −1.14 ≈ −1.1355"
