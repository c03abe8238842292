"""The numbers behind a picture: complete, in full precision, safe in a spreadsheet, read back."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from attention_core import (
    STEPS,
    FileError,
    HeadNorm,
    Projections,
    Rotary,
    ShapeError,
    Trace,
    attend,
)
from attention_core.derivation import Factor, derive
from attention_core.trace import USUAL_STEPS
from attention_lab.export.trace_files import field_csv
from attention_lab.scenario import Scenario, trace_of
from attention_lab.user_data.matrix_names import ALL_SYMBOLS
from attention_lab.user_data.user_matrices import read_matrices
from attention_lab.words.numbers import format_number
from attention_viz.arithmetic import factor_code, format_derivation
from attention_viz.curves import error_bar_series, line_series
from attention_viz.figure_table import ERROR, NAME, figure_table, table_csv
from attention_viz.story.closer import matrix_numbers, terms_numbers
from attention_viz.tables import numbers_frame
from tests.viz.example_traces import CASES, D, H, K, S, T, V, example, square
from tests.viz.reading_words import missing, numbers_said

FORMULAS = ("=1+1", "+1", "-1", "@sum", "=cmd|' /C calc'!A0", "\t=1", 'a,b"c')


@pytest.mark.parametrize("case", CASES)
def test_a_table_is_its_matrix(case: str) -> None:
    trace = example(case, tokens=("the",) * 7)
    for field, step in trace.steps.items():
        table = matrix_numbers(trace, field, 5)
        numbers, array = [line[1:] for line in table.rows], getattr(trace, field)[0]
        np.testing.assert_array_equal(numbers, array[5] if step.per_head else array)
        for names in ([line[0] for line in table.rows], table.head):
            assert len(set(names)) == len(names)


def test_shared_heads_have_a_table_for_every_reader() -> None:
    trace = example(shared=True)
    numbers = [line[1:] for line in matrix_numbers(trace, "key_heads", 9).rows]
    np.testing.assert_array_equal(numbers, trace.key_heads[0, 0])
    assert len(field_csv(trace, "key_heads").splitlines()) == 1 + H * S


def test_labels_of_rows_and_columns() -> None:
    trace = example(tokens=tuple("abcdefg"))
    scores = matrix_numbers(trace, "scores", 0)
    assert [line[0] for line in scores.rows] == [f"{i} {token}" for i, token in enumerate("abcde")]
    assert list(scores.head)[1:] == [f"{j} {token}" for j, token in enumerate("abcdefg")]
    assert list(matrix_numbers(trace, "inputs", 0).head)[1:] == [str(i) for i in range(D)]
    assert list(matrix_numbers(trace, "queries", 0).head)[1:4] == ["0·0", "0·1", "1·0"]
    assert K == 2


@pytest.mark.parametrize("field", ["queries", "masked_scores", "probabilities"])
def test_the_csv_gives_the_numbers_back(field: str) -> None:
    trace = example("causal")
    text = field_csv(trace, field)
    n_labels = 2 if STEPS[field].per_head else 1
    array = getattr(trace, field)[0]
    again = [
        [float(cell) for cell in row[n_labels:]] for row in list(csv.reader(io.StringIO(text)))[1:]
    ]
    np.testing.assert_array_equal(again, array.reshape(-1, array.shape[-1]))


@pytest.mark.parametrize("field", ["inputs", "scores"])
def test_no_token_becomes_a_formula_in_a_spreadsheet(field: str) -> None:
    rows = list(csv.reader(io.StringIO(field_csv(example(tokens=FORMULAS), field))))
    cells = [cell for row in rows for cell in row]
    assert any(FORMULAS[0] in cell for cell in cells)
    for cell in cells:
        assert cell[:1] not in tuple("=+@\t-") or math.isfinite(float(cell))


def test_no_name_in_a_chart_becomes_a_formula_in_a_spreadsheet() -> None:
    table = pd.DataFrame({"name": ["=1+1", "-x", "\uff1d1", "-0.5"], "of": [-1.5, None, 0, 2]})
    rows = list(csv.reader(io.StringIO(table_csv(table))))
    assert rows[1:] == [["'=1+1", "-1.5"], ["'-x", ""], ["'\uff1d1", "0.0"], ["-0.5", "2.0"]]


@pytest.mark.parametrize("field", USUAL_STEPS)
def test_the_terms_of_a_cell(field: str) -> None:
    trace = example("bias and residual")
    derivation = derive(trace, field, tuple(n - 1 for n in getattr(trace, field).shape))
    found = terms_numbers(derivation)
    table = [dict(zip(found.head, row, strict=True)) for row in found.rows]
    values = [term.value for term in derivation.terms]
    assert [row["term"] for row in table] == values
    assert [row["running sum"] for row in table] == pytest.approx(np.cumsum(values).tolist())
    for row, term in zip(table, derivation.terms, strict=True):
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


def line(trace: Trace, field: str, *index: int, **places: int) -> str:
    """The arithmetic of a cell of the first sequence."""
    return format_derivation(derive(trace, field, (0, *index)), **places)


def test_the_arithmetic_of_qk_norm() -> None:
    trace = attend([[3.0, 4.0]], Projections.weightless(2), head_norm=HeadNorm(2.0, epsilon=0.5))
    # the root of 12.5 + 0.5
    assert line(trace, "normed_queries", 0, 0, 1) == "4.0000 / 3.6056 × 2.0000 ≈ 2.2188"


@pytest.mark.parametrize("case", CASES)
def test_the_sentence_of_a_cell_ends_in_its_number(case: str) -> None:
    trace = example(case)
    for field in trace.steps:
        index = tuple(n - 1 for n in getattr(trace, field).shape)
        number = format_number(float(getattr(trace, field)[index]), 4)
        assert line(trace, field, *index[1:]).endswith(number), field


OPTIONS: list[dict[str, Any]] = [
    {},
    {"softcap": 0.75},
    {"bias": np.array([[0.5, -1.5], [-0.25, 2.0]])},
    {"softcap": 2.0, "bias": np.array([[0.5, -1.5], [-0.25, 2.0]]), "sink": 1.0, "causal": True},
    {"head_norm": HeadNorm(2.0), "rotary": Rotary()},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_arithmetic_of_a_cell_gives_its_number(options: dict[str, Any]) -> None:
    """The left side is worked out as it stands."""
    trace = attend([[1.0, 0.5], [2.0, -1.0]], Projections.weightless(2), scale=-0.5, **options)
    for field in ("scores", "scaled_scores", "masked_scores", "probabilities", "head_outputs"):
        for index in np.ndindex(getattr(trace, field).shape[1:]):
            left, _, right = line(trace, field, *index).removeprefix("allowed: ").partition(" = ")
            left, _, right = (left, "", right) if right else left.partition(" ≈ ")
            if not right:  # a score that is hidden, or that stays as it is
                continue
            code = left.replace("−", "-").replace("×", "*").replace("tanh", "math.tanh")
            value = float(getattr(trace, field)[0][index])
            assert eval(code) == pytest.approx(value, abs=0.005), (field, index)
            assert float(right.replace("−", "-")) == pytest.approx(value, abs=5e-5)


TWO = attend([[1.0, 0.5], [2.0, -1.0]], Projections.weightless(2), scale=0.5, causal=True)


def test_a_mask_says_what_it_did() -> None:
    seen, hidden = (line(TWO, "masked_scores", 0, *cell) for cell in ((1, 0), (0, 1)))
    assert numbers_said(seen) == [0.75, 0.75]
    assert numbers_said(hidden) == [0.75]
    assert ("∞" in seen, hidden.endswith("−∞")) == (False, True)


def test_long_sums_are_cut_short() -> None:
    text = line(square(7), "head_outputs", 0, 6, 0)
    assert numbers_said(text.partition("…")[2])[0] == 3
    assert text.count("×") == 4
    assert (T, V) == (5, 3)


def test_what_is_rounded_is_not_said_to_be_equal() -> None:
    parts = attend([[1 / 3, 0.5], [2.0, -1.0]], Projections.weightless(2))
    large = attend([[-3.081097], [1.0]], Projections.weightless(1), scale=-100.0)
    exact = "2.000 × 1.000 + (−1.000 × 0.500) = 1.5000"
    assert line(TWO, "scores", 0, 1, 0) == exact
    assert line(parts, "scores", 0, 1, 0) == "2.000 × 0.333 + (−1.000 × 0.500) ≈ 0.1667"
    assert line(TWO, "scaled_scores", 0, 1, 0) == "1.5000 × 0.5000 = 0.7500"
    assert line(TWO, "inputs", 0, 0) == "inputs[0, 0] = 1.0000"
    assert line(parts, "inputs", 0, 0) == "inputs[0, 0] ≈ 0.3333"
    assert line(large, "scaled_scores", 0, 0, 1) == "−3.0811 × −100.0000 ≈ 308.1097"
    assert " / 1.0000 = 1.0000" in line(TWO, "probabilities", 0, 0, 0)
    assert " ≈ 0." in line(TWO, "probabilities", 0, 1, 0)
    assert line(TWO, "probabilities", 0, 0, 1).endswith(" = 0.0000")


def test_one_product_can_be_followed() -> None:
    weights = Projections([[1.0]], [[0.75]], [[1.0]], [[1.0]], n_heads=1)
    narrow = attend([[-1.514], [1.0]], weights)
    assert line(narrow, "scores", 0, 1, 0) == "1.0000 × −1.1355 = −1.1355"
    assert line(narrow, "scores", 0, 1, 0, places=2) == "1.00 × −1.14 ≈ −1.1355"


LAYOUT = {"xaxis": {"title": {"text": "step"}}, "yaxis": {"title": {"text": "loss"}}}


def test_curves_stand_below_one_another_with_the_titles_of_their_axes() -> None:
    data = [
        line_series([1, 2, 3], [0.5, None, 0.25], "<b>one</b>", "@text"),
        error_bar_series([4], [2.0], [0.125], "other", "@text"),
    ]
    table = figure_table({"data": data, "layout": LAYOUT})
    assert list(table) == [NAME, "step", "loss", ERROR]
    assert table[NAME].tolist() == ["one", "one", "one", "other"]
    assert table["loss"].dropna().tolist() == [0.5, 0.25, 2.0]
    assert table[ERROR].dropna().tolist() == [0.125]


def test_decoration_is_left_out() -> None:
    mark = line_series([1], [1], "mark", "@text", hoverinfo="skip")
    table = figure_table({"data": [mark, line_series([1], [7], "line", "@text")], "layout": LAYOUT})
    assert table.to_numpy().tolist() == [["line", 1.0, 7.0]]


def test_bars_have_the_words_of_their_places() -> None:
    bars = {"type": "bar", "name": "b", "x": [0, 1], "y": np.array([0.5, 2.0]), "xaxis": "x2"}
    ticks = {"tickvals": [0, 1], "ticktext": ["the &lt;cat&gt;", "sat"]}
    table = figure_table({"data": [bars], "layout": {"xaxis2": ticks}})
    assert table["x"].tolist() == ["the <cat>", "sat"]
    assert table["y"].tolist() == [0.5, 2.0]


def test_what_a_pointer_reads_as_words_is_told_without_markup() -> None:
    dots = {
        "type": "scatter",
        "name": "",
        "x": [0.1],
        "y": [3],
        "text": ["head 1<br><b>0.25</b>"],
        "customdata": [["entropy", 1]],
        "hovertemplate": "%{text}<extra>%{customdata[0]}</extra>",
    }
    table = figure_table({"data": [dots], "layout": {}})
    assert table.to_dict("records") == [{"of": "entropy · 1", "says": "head 1, 0.25"}]


TRACE = trace_of(Scenario(d_model=4, n_heads=2, text='we, "like" 3,5 tea; שלום token'))


@pytest.mark.parametrize("kind", [{}, {"sep": ";", "decimal": ","}, {"sep": "\t"}])
@pytest.mark.parametrize("name", ["inputs.csv", "x.csv", "W_Q.csv"])
def test_the_inputs_come_back(kind: dict[str, Any], name: str) -> None:
    table = numbers_frame(matrix_numbers(TRACE, "inputs", 0)).to_csv(index=False, **kind)
    own = read_matrices(table.encode(), name)
    assert own.x is not None
    np.testing.assert_allclose(own.x, TRACE.inputs[0], atol=5e-5)  # of the screen's four decimals
    assert own.arrays.keys() == {"x"}


@pytest.mark.parametrize("field", ["queries", "scores", "probabilities"])
def test_other_tables_are_no_matrix_of_a_layer(field: str) -> None:
    with pytest.raises(FileError) as error:
        read_matrices(field_csv(TRACE, field).encode(), f"{field}.csv")
    assert missing(str(error.value), *ALL_SYMBOLS.values()) == []


@pytest.mark.parametrize(
    ("data", "error", "facts"),
    [
        (b"token,0,1\na,1,2\nb,3\n", ShapeError, ["X", "row 0", "2 cells", "row 1", "line 3"]),
        (b"token,0,2\na,1,2\n", FileError, ["X", "'token'", "line 1"]),
    ],
)
def test_a_damaged_table_is_refused(data: bytes, error: type[Exception], facts: list[str]) -> None:
    with pytest.raises(error) as refused:
        read_matrices(data, "x.csv")
    said = str(refused.value).replace("Line", "line")
    assert missing(said, *facts) == []
