"""Edits: exact as text, safe to read from strangers, one for a cell; and what follows from each."""

from __future__ import annotations

import string
from urllib.parse import quote_plus

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import Projections, SettingsError, attend
from attention_core.projections import MATRICES
from attention_lab.files.file_checks import MAX_VALUE
from attention_lab.user_data.edits import (
    MAX_EDITS,
    MAX_INDEX,
    MAX_URL_EDITS,
    Edit,
    Edits,
    apply_edits,
    edits_outside,
    outside_note,
)
from attention_lab.user_data.matrix_names import SYMBOLS
from attention_lab.user_data.text_store import is_key
from tests.lab.refusal import Facts, missing, refused
from tests.lab.user_matrix_cases import H, K, T, a_trace

PLACES = st.integers(0, MAX_INDEX)
VALUES = st.floats(-MAX_VALUE, MAX_VALUE)
SOME_EDITS = st.lists(
    st.builds(Edit, st.sampled_from(sorted(SYMBOLS)), PLACES, PLACES, VALUES), max_size=40
)


@given(SOME_EDITS)
def test_edits_come_back_from_their_text(items: list[Edit]) -> None:
    edits = Edits(tuple(items))
    text = edits.encode()
    back = Edits.decode(text)
    assert back == edits
    assert [one.value.hex() for one in back.items] == [one.value.hex() for one in edits.items]
    assert quote_plus(text) == text
    assert set(text) <= set(string.ascii_letters + string.digits + "*-._")


def test_the_text_of_edits() -> None:
    edits = Edits((Edit("w_q", 3, 5, 1.25), Edit("x", 0, 2, -2), Edit("w_o", 1, 0, 1e-7)))
    assert edits.encode() == "wq_3_5_1.25__x_0_2_-2__wo_1_0_1e-07"
    assert Edits.decode("wq_03_5_1.250__x_0_2_-2.0__wo_1_0_1e-7") == edits
    assert Edits.decode("") == Edits()


def test_one_edit_for_a_cell() -> None:
    edits = Edits().add(Edit("x", 0, 0, 1)).add(Edit("x", 0, 1, 2)).add(Edit("x", 0, 0, 3))
    assert edits.encode() == "x_0_1_2__x_0_0_3"
    assert Edits.decode("x_0_0_1__x_0_1_2__x_00_0_3") == edits
    assert edits.undo().encode() == "x_0_1_2"
    assert edits.undo().undo() == edits.undo().undo().undo() == Edits()


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        *(
            (text, (text, "matrix", "row", "column", "value", "x", "wq", "wk", "wv", "wo"))
            for text in (
                *("wz_0_0_1", "w_q_0_0_1", "WQ_0_0_1", "wq_-1_0_1", "wq_0_-1_1", "wq_1.5_0_1"),
                *("wq_0_99999999_1", "wq_٣_0_1", "wq_0_0_nan", "wq_0_0_inf", "wq_0_0_-infinity"),
                *("wq_0_0_1e99999", "wq_0_0_0x10", "wq_0_0_1,5", "wq_0_0_+1", "wq_0_0_"),
                "wq_0_0_１",
            )
        ),
        ("wq_4096_0_1", ("row", 4096, 4095)),
        ("wq_0_0_1e999", ("value", "inf")),
        ("wq_0_0___import__('os')", ("wq_0_0",)),
        ("x_0_0_1__", ("''",)),
        ("x_0_0_1__oops", ("oops",)),
        pytest.param(
            "x_0_0_" + "1" * 10**6, ("matrix", "row", "column", "value"), id="a million digits"
        ),
        ("\x00<script>", ("\\x00<script>",)),
        pytest.param("__".join(f"x_0_{i}_1" for i in range(41)), (41, 40), id="one too many"),
        pytest.param("_" * 10**6, (500001, 40), id="empty edits"),
    ],
)
def test_bad_text_is_refused_by_name(text: str, facts: Facts) -> None:
    with refused(SettingsError, *facts) as caught:
        Edits.decode(text)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e6 + 1, 10**99, 10**400])
def test_a_value_is_a_number_within_bounds(value: float) -> None:
    with refused(SettingsError, "value", -1000000, 1000000):
        Edit("x", 0, 0, value)


@pytest.mark.parametrize(("row", "column"), [(-1, 0), (4096, 0), (0, -1), (0, 4096)])
def test_a_place_is_within_bounds(row: int, column: int) -> None:
    with refused(SettingsError, "row", row, "column", column, MAX_INDEX):
        Edit("x", row, column, 1.0)


def test_many_edits_are_kept_apart_from_the_url() -> None:
    many = tuple(Edit("x", i // 10, i % 10, i / 3) for i in range(MAX_URL_EDITS + 1))
    short, long = Edits(many[1:]), Edits(many)
    assert short.url_value() == short.encode()
    assert is_key(long.url_value())
    assert (Edits.from_url(short.url_value()), Edits.from_url(long.url_value())) == (short, long)
    with refused(SettingsError, 4000):
        Edits(tuple(Edit("x", i // 4000, i % 4000, 0) for i in range(MAX_EDITS + 1)))


def layer() -> tuple[np.ndarray, Projections]:
    """Inputs and weights, every axis another prime."""
    trace = a_trace()
    return np.array(trace.inputs[0]), trace.projections


def test_edits_change_their_cells_only() -> None:
    inputs, weights = layer()
    edits = Edits((Edit("x", 4, 6, 9.5), Edit("w_k", 6, 21, -3), Edit("w_o", 25, 0, 0.1)))
    x, p = apply_edits(edits, inputs, weights)
    before = {"x": inputs} | {name: getattr(weights, name) for name in MATRICES}
    after = {"x": x} | {name: getattr(p, name) for name in MATRICES}
    changed = {name: np.argwhere(after[name] != before[name]).tolist() for name in before}
    assert changed == {"x": [[4, 6]], "w_q": [], "w_k": [[6, 21]], "w_v": [], "w_o": [[25, 0]]}
    assert [after[one.matrix][one.row, one.column] for one in edits.items] == [9.5, -3, 0.1]
    assert not x.flags.writeable
    assert inputs.flags.writeable


def test_edits_outside_are_kept_with_a_note() -> None:
    edits = Edits((Edit("x", T, 0, 1.0), Edit("w_q", 0, H * K, 1.0), Edit("w_v", 0, 0, 1.0)))
    trace = attend(*apply_edits(edits, *layer()))
    assert edits_outside(edits, trace) == edits.items[:2]
    assert missing(outside_note(edits, trace), 2) == []
    assert outside_note(Edits(edits.items[2:]), trace) == ""
    inputs, weights = layer()
    x, p = apply_edits(Edits(edits.items[:2]), inputs, weights)
    assert x is inputs
    assert p is weights


def test_edits_of_a_layer_without_weights() -> None:
    edits = Edits((Edit("w_q", 0, 1, 3.0), Edit("w_o", 0, 0, 2.0)))
    trace = attend(*apply_edits(edits, np.eye(2), Projections.weightless(2)))
    assert trace.queries[0].tolist() == [[1.0, 3.0], [0.0, 1.0]]
    assert (trace.keys == trace.inputs).all()
    assert edits_outside(edits, trace) == edits.items[1:]
