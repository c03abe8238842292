"""Six notations of one layer: ours is what the trace itself writes, and the others differ in
letters, not in truth.
"""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, fields, replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from attention_core import STEPS, Projections, SettingsError, Trace, attend
from attention_lab.notation.array_axes import axes, shape
from attention_lab.notation.notation import OURS, Notation, Symbol, symbol
from attention_lab.notation.quantities import glossary, remark
from attention_lab.notation.texts import DOSHI, GML, MQL5, NOTATIONS, NOTE, SLIDES
from attention_lab.notation.wording import says, turned
from tests.lab.refusal import refused

B, T, S, D, M, K, V, H, G = 2, 3, 5, 7, 11, 13, 17, 6, 3
TEXTS = (GML, MQL5, DOSHI, SLIDES, NOTE)
ALL = pytest.mark.parametrize("notation", NOTATIONS.values(), ids=NOTATIONS)


def a_trace(*, cross: bool = False, d_model: int = D, **weights: Any) -> Trace:
    """Self-attention, or attention over a memory, every axis another prime (but the heads)."""
    rng = np.random.default_rng(3)
    made = {"d_k": K, "d_v": V, "d_memory": M if cross else d_model} | weights
    memory = rng.normal(size=(B, S, M)) if cross else None
    return attend(
        rng.normal(size=(B, T, d_model)), Projections.random(d_model, H, **made), memory=memory
    )


def test_there_are_six() -> None:
    """Ours and five texts, each by the key that stands in the URL; only the manual writes
    tokens as columns.
    """
    assert list(NOTATIONS) == ["ours", "gml", "mql5", "doshi", "slides", "note"]
    assert all(notation.key == key and notation.title for key, notation in NOTATIONS.items())
    assert [key for key, notation in NOTATIONS.items() if notation.convention == "column"] == [
        "gml"
    ]


def test_a_notation_cannot_be_changed() -> None:
    """The records are frozen, so that no page can change what another one shows."""
    with pytest.raises(FrozenInstanceError):
        GML.convention = "row"  # type: ignore[misc]


@ALL
def test_what_is_listed_exists(notation: Notation) -> None:
    """A text names only quantities that the layer has, so that no entry is lost by a slip of
    the pen.
    """
    known = {row.name for row in glossary(OURS)}
    assert (
        known
        == set(OURS.symbols)
        == set(STEPS)
        | {"n_tokens", "d_model", "n_heads", "d_k", "d_v", "scale"}
        | {"w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o"}
    )
    for entries in (notation.symbols, notation.words, notation.remarks):
        assert set(entries) <= known


def test_our_symbols_are_those_of_the_trace() -> None:
    """The symbols of the fields are declared once, in their steps."""
    assert {name: symbol(name, OURS).latex for name in STEPS} == {
        name: step.symbol for name, step in STEPS.items()
    }


@pytest.mark.parametrize("cross", [False, True])
@pytest.mark.parametrize("name", STEPS)
def test_our_axes_are_those_of_the_trace(name: str, cross: bool) -> None:
    """In our notation the badge of a field reads as before."""
    trace = a_trace(cross=cross, n_kv_heads=G if cross else H)
    assert axes(trace, name, OURS) == trace.axes(name)


@ALL
def test_different_things_have_different_symbols(notation: Notation) -> None:
    """No symbol stands for two things in one text, as LaTeX or plain; the manual alone has one
    width for all heads.
    """
    rows = glossary(notation)
    for one, other in combinations(rows, 2):
        if notation is GML and {one.name, other.name} == {"d_k", "d_v"}:
            continue
        assert one.their_symbol.latex != other.their_symbol.latex, (one.name, other.name)
        assert one.their_symbol.plain != other.their_symbol.plain, (one.name, other.name)


@ALL
def test_the_letters_of_indices_are_free(notation: Notation) -> None:
    """A query's, a key's and any key's index is no size of the same text; a head's may be,
    where the text does so.
    """
    head, *others = notation.indices
    sizes = {
        notation.base(name) for name in ("n_tokens", "d_model", "n_heads", "d_k", "d_v", "scale")
    }
    assert len(set(notation.indices)) == 4
    assert not sizes & {*others, "c", "g"}
    if head in sizes:
        assert (
            "the same letter is one head" in remark("n_heads", notation)
            or "n_heads" not in notation.symbols
        )


@pytest.mark.parametrize("notation", TEXTS, ids=lambda notation: notation.key)
def test_where_a_text_is_silent_it_is_said(notation: Notation) -> None:
    """What a text has no symbol for is ours, and the remark says so."""
    silent = [row for row in glossary(notation) if row.name not in notation.symbols]
    assert silent
    for row in silent:
        assert "ours is used" in row.remark.lower(), row.name
        base = notation.base(row.name)
        assert base == OURS.base(row.name)
        assert row.their_symbol.latex == (
            notation.of_head(base) if "_h" in row.our_symbol.latex else base
        )


CORRECTED = [
    (GML, "w_q", "Pᵀ"),
    (GML, "keys", "keys are meant"),
    (GML, "scores", "no correlations"),
    (GML, "scaled_scores", "√N"),
    (GML, "probabilities", "upper limit T"),
    (MQL5, "scaled_scores", "nK"),
    (MQL5, "probabilities", "symmetry"),
    (MQL5, "merged", "larger than the input only"),
    (DOSHI, "inputs", "not the embedding"),
    (DOSHI, "scores", "transposed"),
    (DOSHI, "head_outputs", "no score"),
    (DOSHI, "masked_scores", "finite bias"),
    (SLIDES, "probabilities", "not always the largest"),
    (SLIDES, "merged", "side by side"),
    (SLIDES, "head_outputs", "channels"),
    (NOTE, "values", "drops the sum"),
    (NOTE, "scaled_scores", "√d"),
    (NOTE, "head_outputs", "lacks the factor"),
    (NOTE, "w_o", "d_h·d_v"),
    (NOTE, "w_v", "it has s"),
]


@pytest.mark.parametrize(("notation", "name", "words"), CORRECTED)
def test_mistakes_are_corrected_where_they_stand(notation: Notation, name: str, words: str) -> None:
    """The known mistakes of the texts are not repeated; the remark says what is right."""
    assert "Corrected: " in remark(name, notation)
    assert words in remark(name, notation)


@ALL
def test_the_glossary_is_complete(notation: Notation) -> None:
    """Every row has words, symbols and a meaning, in sentences; ours beside ours is the same."""
    for row in glossary(notation):
        assert row.our_word
        assert row.their_word
        assert row.meaning.endswith(".")
        assert row.remark == "" or row.remark.endswith(".")
        if notation is OURS:
            assert (row.our_word, row.our_symbol) == (row.their_word, row.their_symbol)


@ALL
def test_plain_symbols_are_plain(notation: Notation) -> None:
    """A canvas label holds no LaTeX."""
    for row in glossary(notation):
        for plain in (row.their_symbol.plain, row.their_symbol.transposed.plain):
            assert not re.search(r"[\\{}\0]", plain), plain


def test_some_symbols_by_hand() -> None:
    """The symbols are those the texts print."""
    expected = {
        "ours": "Sₕ Aₕ Oₕ W_Q dₖ",
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


def test_an_unknown_quantity_is_refused() -> None:
    """The error names what was asked for and what there is."""
    with refused(SettingsError, "w_x", "n_tokens"):
        symbol("w_x", GML)


def test_axes_of_the_texts_by_hand() -> None:
    """Each text names the axes by its own sizes; in the column convention the last two change
    places.
    """
    trace = a_trace(d_k=1, d_v=1, d_model=H)
    assert axes(trace, "inputs", GML) == ("B", "N", "T")
    assert axes(trace, "queries", GML) == ("B", "N", "T")
    assert axes(trace, "query_heads", GML) == ("B", "n_heads", "N ÷ n_heads", "T")
    assert axes(trace, "query_heads", DOSHI) == ("Batch", "Head", "Sequence", "Query size")
    assert axes(trace, "merged", DOSHI) == ("Batch", "Sequence", "Head·Value size")
    assert axes(trace, "scores", SLIDES) == ("B", "h", "N", "N")
    assert axes(trace, "value_heads", NOTE) == ("B", "dₕ", "n", "dᵥ")
    assert axes(trace, "keys", MQL5) == ("B", "N", "h·nK")


def test_shapes_are_turned_like_their_axes() -> None:
    """In the column convention rows and columns change places, and nothing else does."""
    trace = a_trace(cross=True)
    for name in STEPS:
        *first, rows, columns = getattr(trace, name).shape
        assert shape(trace, name, OURS) == shape(trace, name, DOSHI) == (*first, rows, columns)
        assert shape(trace, name, GML) == (*first, columns, rows)


def test_axes_of_weights() -> None:
    """A weight matrix is turned like everything else in the column convention; a vector or a
    number is not.
    """
    trace = a_trace(bias=True)
    assert axes(trace, "w_q", OURS) == ("D", "H·K")
    assert axes(trace, "w_o", GML) == ("N", "n_heads·dᵥ")
    assert axes(trace, "b_o", GML) == ("N",)
    assert axes(trace, "scale", GML) == ()


def test_two_sequences_have_two_lengths() -> None:
    """In cross-attention no text may call both lengths by one letter."""
    for notation in NOTATIONS.values():
        *_, one, other = axes(a_trace(cross=True), "scores", notation)
        assert one != other
    assert axes(a_trace(cross=True), "scores", GML)[-2:] == ("S", "T")
    assert axes(a_trace(), "scores", replace(OURS, convention="column"))[-2:] == ("S", "T")


def test_a_width_that_does_not_hold_is_not_written() -> None:
    """The manual's N ÷ n_heads is written only where the heads share the width evenly;
    otherwise d_k and d_v.
    """
    uneven = a_trace()
    assert axes(uneven, "query_heads", GML)[-2:] == ("dₖ", "T")
    assert axes(uneven, "merged", GML)[-2:] == ("n_heads·dᵥ", "T")
    shared = a_trace(d_k=1, d_v=1, d_model=H, n_kv_heads=G)
    assert axes(shared, "keys", GML)[-2:] == ("G·(N ÷ n_heads)", "T")


def test_sentences_follow_the_notation() -> None:
    """Symbols in a step's sentence change, and rows and columns change places where tokens are
    columns.
    """
    trace = a_trace()
    assert all(says(trace, name, OURS) == trace.says(name) for name in STEPS)
    assert (
        says(trace, "queries", GML)
        == "Every token asks one question per head: its whole vector multiplied by (P^Q)ᵀ."
    )
    assert says(trace, "query_heads", GML).startswith("Each head takes its own block of rows of Q:")
    assert says(trace, "key_heads", MQL5).startswith(
        "Each head takes its own block of columns of KC:"
    )
    assert says(trace, "probabilities", GML).startswith("Each column becomes shares")
    assert says(trace, "merged", GML).startswith("The heads are laid one below the other again")
    assert "the same number λ; one over" in says(trace, "scaled_scores", NOTE)
    assert (
        says(trace, "inputs", GML)
        == "One column of numbers per token: all that the layer knows of it."
    )


def test_words_change_sides_where_tokens_are_columns() -> None:
    """Rows and columns change places at the beginning of a sentence, too, and only as whole
    words.
    """
    words = "Row 2, column 5. Rows lie side by side: columns, no browser, arrow or columnist."
    assert (
        turned(words, GML)
        == "Column 2, row 5. Columns lie one below the other: rows, no browser, arrow or columnist."
    )
    assert turned(words, OURS) == words


def test_the_data_never_changes() -> None:
    """Writing a trace in another notation leaves every array as it was, the same object with
    the same bytes.
    """
    trace = a_trace()
    before = {field.name: getattr(trace, field.name) for field in fields(trace)}
    bytes_before = {name: before[name].tobytes() for name in STEPS}
    for notation in NOTATIONS.values():
        for name in STEPS:
            axes(trace, name, notation)
            says(trace, name, notation)
    assert all(getattr(trace, name) is value for name, value in before.items())
    assert {name: getattr(trace, name).tobytes() for name in STEPS} == bytes_before


def test_transposing_twice_marks() -> None:
    """A symbol with an upper index is put in brackets, for a second one beside it would be no
    valid LaTeX.
    """
    assert Symbol("K_h").transposed.latex == r"K_h^{\top}"
    assert Symbol("K^{(i)}").transposed.latex == r"(K^{(i)})^{\top}"
