"""How records show themselves: a line for each array, a table, a sentence for a cell."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pytest

from attention_core import Projections, SettingsError, ShapeError, attend, derive
from attention_core.projections import BIASES, MATRICES
from attention_lab import AttentionMaps
from tests.core.trace_cases import CASES, run

B, T, D, H = 2, 5, 12, 3
X = np.random.default_rng(1).normal(size=(B, T, D))
P = Projections.random(D, H, d_k=4, bias=True)


def number(text: str) -> float:
    return float(text.replace("−", "-").replace("∞", "inf"))


@pytest.mark.parametrize("case", CASES)
def test_a_trace_has_a_line_and_a_row_for_each_array(case: str) -> None:
    trace, _ = run(case)
    title, *lines = repr(trace).splitlines()
    assert f"{trace.sizes['T']} tokens" in title
    assert [line.split()[0] for line in lines] == list(trace.steps)
    for line in lines:
        array = getattr(trace, line.split()[0])
        assert f"{array.dtype.name} {array.shape}" in line
        assert line.endswith(" ".join(trace.steps[line.split()[0]].letters))
    table = trace._repr_html_()
    assert table.count("<tr>") == len(trace.steps) + 1
    assert len(table) < 20_000


def test_weights_have_a_line_for_each_matrix_and_bias() -> None:
    title, *lines = repr(P).splitlines()
    assert "3 heads" in title
    assert [line.split()[0] for line in lines] == [*MATRICES, *BIASES]
    assert P._repr_html_().count("<tr>") == 9


@pytest.mark.parametrize("case", CASES)
def test_the_sentence_of_a_cell_says_its_number(case: str) -> None:
    trace, _ = run(case)
    for name in trace.steps:
        array = getattr(trace, name)
        for index in np.ndindex(*array.shape):
            sentence = str(derive(trace, name, index))
            assert sentence.startswith(f"{name}[{', '.join(map(str, index))}] = ")
            last = sentence.removesuffix(", as it is given").removesuffix(", hidden by the mask")
            assert number(last.split(" = ")[-1]) == pytest.approx(array[index], rel=0.006)
            if sum(index) > 3:
                break


def test_the_sentence_of_a_sum_can_be_added_up() -> None:
    trace = attend(X, P)
    for index in ((0, 1, 2, 3), (1, 2, 4, 0)):
        _, products, result = str(derive(trace, "scores", index)).split(" = ")
        total = sum(
            np.prod([number(factor) for factor in product.split(" × ")])
            for product in products.split(" + ")
        )
        assert total == pytest.approx(number(result), abs=0.03)


def test_an_index_may_count_from_the_end() -> None:
    trace = attend(X, P)
    assert derive(trace, "scores", (-1, -2, -3, -5)) == derive(trace, "scores", (1, 1, 2, 0))
    with pytest.raises(SettingsError, match="holds no cell"):
        derive(trace, "scores", (0, 0, 0, -6))


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("attention", "probabilities"),
        ("attn_weights", "probabilities"),
        ("probs", "probabilities"),
        ("probabillities", "probabilities"),
        ("Q", "queries"),
        ("scaled_score", "scaled_scores"),
        ("context", "head_outputs"),
    ],
)
def test_a_wrong_name_is_told_the_right_one(name: str, meant: str) -> None:
    trace = attend(X, P)
    with pytest.raises(AttributeError, match=rf"'{name}'; did you mean '{meant}'\?"):
        getattr(trace, name)
    assert not hasattr(trace, "_ipython_display_")


HIDING = np.where(np.tri(T) > 0, 0.0, -np.inf)
PADDED = np.arange(T) < np.array([[3], [4]])  # True = may be seen; shapes: (B, S)


@pytest.mark.parametrize(
    ("mask", "written"),
    [
        (HIDING, "bias=mask"),
        (np.maximum(HIDING, -1e9), "bias=mask"),
        (np.where(PADDED, 0, -np.inf), "bias=mask[:, None, None, :]"),
        (np.repeat(HIDING[None], B * H, 0), "bias=mask.reshape(2, 3, 5, 5)"),
        (np.ones((T, T)), "mask=(mask > 0)"),
        (PADDED.astype(int), "mask=(mask > 0)[:, None, None, :]"),
        (PADDED, "mask=mask[:, None, None, :]"),
        (~PADDED, "mask=~mask[:, None, None, :]"),
        (np.tile(~np.eye(T, dtype=bool), (B * H, 1, 1)), "mask=~mask.reshape(2, 3, 5, 5)"),
    ],
)
def test_a_mask_of_pytorch_is_told_what_to_write(mask: np.ndarray, written: str) -> None:
    with pytest.raises((SettingsError, ShapeError)) as caught:
        attend(X, P, mask=mask)
    assert re.search(rf"{re.escape(written)}(?=$|,|;| for)", str(caught.value))
    name, _, expression = written.partition("=")
    attend(X, P, **{name: eval(expression, {"mask": mask})})


def test_a_bias_is_told_its_axes() -> None:
    with pytest.raises(ShapeError, match=r"bias=bias\[:, None, None, :\]"):
        attend(X, P, bias=np.zeros((B, T - 1)), memory=X[:, 1:])


def test_a_mask_that_hides_whole_rows_is_seen_in_the_title() -> None:
    inverted = attend(X, P, mask=np.triu(np.ones((T, T), bool), 1))
    assert re.search(rf"keys?: {B * H} .*~mask", repr(inverted).splitlines()[0])
    assert "~mask" not in repr(attend(X, P, causal=True))


def test_a_cell_and_maps_show_themselves() -> None:
    trace = attend(X, P)
    cell = derive(trace, "scores", (0, 1, 2, 3))
    assert unescape(re.sub("<.*?>", "", cell._repr_html_())) == str(cell)
    maps = AttentionMaps.of([trace.probabilities[:1], trace.probabilities[1:]])
    table = maps._repr_html_()
    assert repr(maps) in table
    assert table.count(f"float64 {(H, T, T)}") == 2
