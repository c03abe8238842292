"""Seven notations of one layer, in letters, axes and words, true where they differ; tokens as
columns are the same numbers transposed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from attention_core import STEPS, Projections, Trace, attend
from attention_core.projections import BIASES, MATRICES
from attention_lab.notation.columns import column_gap, column_layer
from attention_lab.notation.element_wise import output_of_element, weights_of_element
from attention_lab.notation.notation import COLUMN_NOTATION, OURS, Notation, axes, shape, symbol
from attention_lab.notation.quantities import glossary, remark
from attention_lab.notation.texts import DOSHI, GML, MQL5, NOTATIONS, NOTE, SLIDES
from attention_lab.scenario import trace_of
from tests.core.random_layers import Layer, assert_same, calls
from tests.lab.refusal import missing
from tests.lab.test_scenario import SMALL

B, T, S, D, M, K, V, H, G = 2, 3, 5, 7, 11, 13, 17, 6, 3
SIZES = ("n_tokens", "d_model", "n_heads", "d_k", "d_v", "scale")
TEXTS = (GML, MQL5, DOSHI, SLIDES, NOTE)
ALL = pytest.mark.parametrize("notation", NOTATIONS.values(), ids=NOTATIONS)


def a_trace(
    *, cross: bool = False, d_model: int = D, options: dict[str, Any] | None = None, **weights: Any
) -> Trace:
    """Self-attention, or attention over a memory, every axis another prime (but the heads)."""
    rng = np.random.default_rng(3)
    made = {"d_k": K, "d_v": V, "d_memory": M if cross else d_model} | weights
    x, memory = rng.normal(size=(B, T, d_model)), rng.normal(size=(B, S, M)) if cross else None
    return attend(x, Projections.random(d_model, H, **made), memory=memory, **(options or {}))


def test_ours_transposed_keeps_our_letters() -> None:
    assert [key for key, text in NOTATIONS.items() if text.has_our_letters] == ["ours", "columns"]
    for ours, theirs in zip(glossary(OURS), glossary(COLUMN_NOTATION), strict=True):
        assert (theirs.their_symbol, theirs.their_word) == (ours.our_symbol, ours.our_word)
        assert theirs.remark == ours.remark
    assert COLUMN_NOTATION.indices == OURS.indices


@ALL
def test_what_is_listed_exists(notation: Notation) -> None:
    known = {row.name for row in glossary(OURS)}
    weights = {*MATRICES, *BIASES, "query_gain", "key_gain", "sink"}
    assert known == set(OURS.symbols) == {*STEPS, *SIZES, *weights}
    for entries in (notation.symbols, notation.words, notation.remarks, notation.corrections):
        assert set(entries) <= known


@ALL
def test_different_things_have_different_symbols(notation: Notation) -> None:
    rows = glossary(notation)
    for one, other in combinations(rows, 2):
        if notation is GML and {one.name, other.name} == {"d_k", "d_v"}:
            continue
        assert one.their_symbol.latex != other.their_symbol.latex, (one.name, other.name)
        assert one.their_symbol.plain != other.their_symbol.plain, (one.name, other.name)


@ALL
def test_the_letters_of_indices_are_free(notation: Notation) -> None:
    head, *others = notation.indices
    sizes = {notation.base(name) for name in SIZES}
    assert len(set(notation.indices)) == 4
    assert not sizes & {*others, "c", "g"}
    if head in sizes:
        assert "n_heads" not in notation.symbols or "head" in remark("n_heads", notation)


@ALL
def test_plain_symbols_are_plain(notation: Notation) -> None:
    for row in glossary(notation):
        for plain in (row.their_symbol.plain, row.their_symbol.transposed.plain):
            assert not re.search(r"[\\{}\0]", plain), plain


def test_some_symbols_by_hand() -> None:
    expected = {
        "ours": "Sₕ Aₕ Oₕ W_Q dₖ",
        "columns": "Sₕ Aₕ Oₕ W_Q dₖ",
        "gml": "Cᵢ 𝒫ᵢ Oᵢ P^Q N ÷ n_heads",
        "mql5": "Sₕ Aₕ Oₕ W_QC nK",
        "doshi": "Sₕ Aₕ Oₕ W_Q Query size",
        "slides": "Sₕ αₕ Oₕ W_Q dₖ",
        "note": "S⁽ⁱ⁾ A⁽ⁱ⁾ H⁽ⁱ⁾ W^q d",
    }
    for key, plain in expected.items():
        names = ("scores", "probabilities", "head_outputs", "w_q", "d_k")
        assert " ".join(symbol(name, NOTATIONS[key]).plain for name in names) == plain
    assert symbol("w_o", NOTE).plain == "W₀"
    assert symbol("w_v", NOTE).plain == "W^ν"


def test_our_axes_are_those_of_the_trace() -> None:
    for trace in (a_trace(), a_trace(cross=True, n_kv_heads=G)):
        assert [axes(trace, name, OURS) for name in trace.steps] == [*map(trace.axes, trace.steps)]


def test_axes_of_the_texts_by_hand() -> None:
    even = a_trace(d_k=1, d_v=1, d_model=H)
    shared = a_trace(d_k=1, d_v=1, d_model=H, n_kv_heads=G)
    # The manual's N ÷ n_heads is written only where the heads share the width evenly.
    uneven, cross = a_trace(), a_trace(cross=True)
    for trace, name, notation, expected in (
        (even, "inputs", GML, "B, N, T"),
        (even, "queries", GML, "B, N, T"),
        (even, "query_heads", GML, "B, n_heads, N ÷ n_heads, T"),
        (even, "query_heads", DOSHI, "Batch, Head, Sequence, Query size"),
        (even, "merged", DOSHI, "Batch, Sequence, Head·Value size"),
        (even, "scores", SLIDES, "B, h, N, N"),
        (even, "value_heads", NOTE, "B, dₕ, n, dᵥ"),
        (even, "keys", MQL5, "B, N, h·nK"),
        (uneven, "query_heads", GML, "B, n_heads, dₖ, T"),
        (uneven, "merged", GML, "B, n_heads·dᵥ, T"),
        (shared, "keys", GML, "B, G·(N ÷ n_heads), T"),
        (cross, "scores", GML, "B, n_heads, S, T"),
        (uneven, "scores", COLUMN_NOTATION, "B, H, S, T"),
    ):
        assert ", ".join(axes(trace, name, notation)) == expected


def test_shapes_are_turned_like_their_axes() -> None:
    trace = a_trace(cross=True)
    for name in trace.steps:
        *first, rows, columns = getattr(trace, name).shape
        assert shape(trace, name, OURS) == shape(trace, name, DOSHI) == (*first, rows, columns)
        assert shape(trace, name, GML) == (*first, columns, rows)


@ALL
def test_two_sequences_have_two_lengths(notation: Notation) -> None:
    *_, one, other = axes(a_trace(cross=True), "scores", notation)
    assert one != other


@pytest.mark.parametrize("notation", TEXTS, ids=lambda notation: notation.key)
def test_where_a_text_is_silent_it_is_said(notation: Notation) -> None:
    silent = [row for row in glossary(notation) if row.name not in notation.symbols]
    assert silent
    for row in silent:
        assert missing(row.remark, OURS.title.lower()) == [], row.name
        base = notation.base(row.name)
        assert base == OURS.base(row.name)
        written = notation.of_head(base) if "_h" in row.our_symbol.latex else base
        assert row.their_symbol.latex == written


# The symbols and numbers that each correction names.
CORRECTED: dict[Notation, dict[str, tuple[object, ...]]] = {
    GML: {
        "w_q": ("N × (N ÷ n_heads)", "Pᵀ"),
        "w_k": (),
        "w_v": (),
        "keys": ("keys",),
        "scores": (1,),
        "scaled_scores": ("√N", "N ÷ n_heads"),
        "probabilities": ("T",),
    },
    MQL5: {
        "scaled_scores": ("nK",),
        "probabilities": ("i", "j"),
        "merged": ("h·d_v", "nI"),
    },
    DOSHI: {
        "inputs": ("embedding", "Q", "K", "V"),
        "scores": ("K", "transposed"),
        "masked_scores": ("decoder's",),
        "probabilities": (),
        "head_outputs": ("values",),
    },
    SLIDES: {
        "probabilities": ("α_ij", "α_ii", "α_jj"),
        "head_outputs": ("channels",),
        "merged": ("W_O", "h·d_v"),
    },
    NOTE: {
        "w_q": (),
        "w_k": (),
        "w_v": ("n", "s"),
        "w_o": ("d·d_h", "d_h·d_v"),
        "values": ("w_ij", "x_j", "x_i"),
        "scaled_scores": ("d", "√d"),
        "head_outputs": ("H^(i)", "V^(i)", "n × n"),
    },
}


@pytest.mark.parametrize("notation", TEXTS, ids=lambda notation: notation.key)
def test_mistakes_are_corrected_where_they_stand(notation: Notation) -> None:
    assert notation.corrections.keys() == CORRECTED[notation].keys()
    for name, facts in CORRECTED[notation].items():
        assert missing(notation.corrections[name], *facts) == []
        assert notation.corrections[name] in remark(name, notation)


MASK = np.random.default_rng(7).random((B, H, T, S)) < 0.6
MASK[0, 0, 1] = False


def run(**options: Any) -> Trace:
    """Attention over a memory with biases."""
    return a_trace(cross=True, bias=True, options=options)


@settings(max_examples=40)
@given(calls())
def test_the_numbers_are_the_same_for_any_layer(call: tuple[Layer, dict[str, Any]]) -> None:
    layer, options = call
    trace = layer.run(**options)
    columns = column_layer(trace)
    assert list(columns) == list(trace.steps)
    for name, array in columns.items():
        assert_same(array.swapaxes(-1, -2), getattr(trace, name))
    assert column_gap(trace) < 1e-11


def test_no_w_o_and_nan_rows() -> None:
    trace, empty = run(), run(mask=MASK, empty_rows="nan")
    joined = replace(trace.projections, w_o=None, b_o=np.arange(H * V))
    capped = attend(trace.inputs, joined, memory=trace.memory, softcap=0.5, scale=-0.25)
    assert np.isnan(empty.probabilities).any()
    assert max(column_gap(capped), column_gap(empty)) < 1e-12


def test_a_wrong_number_is_found_and_not_a_number_is_never_small() -> None:
    trace = run(mask=MASK, residual=True)
    for name, more in [*((name, 1e-3) for name in trace.steps), ("output", np.nan)]:
        wrong = getattr(trace, name).copy()
        wrong[tuple(np.argwhere(np.isfinite(wrong))[-1])] += more
        assert not column_gap(replace(trace, **{name: wrong})) < 1e-4, name


NUMBER = re.compile(r"-?\d+\.\d{3}")


def test_the_weights_of_one_element() -> None:
    trace = trace_of(SMALL)
    _, line = weights_of_element(trace, head=1, query=2, key=3)
    shown = [0, 1, 3, 5]
    expected = [*trace.masked_scores[0, 1, 2][shown], *trace.probabilities[0, 1, 2][shown]]
    np.testing.assert_allclose([float(one) for one in NUMBER.findall(line)], expected, atol=6e-4)
    assert line.count(r"\cdots") == 4


@pytest.mark.parametrize("key", [0, 2, 5])
def test_the_output_of_one_element(key: int) -> None:
    trace = trace_of(SMALL)
    *_, line = output_of_element(trace, head=1, query=4, key=key, feature=2)
    *factors, total = (float(one) for one in NUMBER.findall(line))
    shown = sorted({0, 1, key, 5})
    pairs = zip(trace.probabilities[0, 1, 4][shown], trace.values[0, shown, 5], strict=True)
    np.testing.assert_allclose(factors, np.array(list(pairs)).ravel(), atol=6e-4)
    assert total == pytest.approx(trace.head_outputs[0, 1, 4, 2], abs=6e-4)
