"""Seven notations of one layer: ours is what the trace itself writes, and the others differ in
letters, not in truth.
"""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, fields
from itertools import combinations

import pytest

from attention_core import STEPS
from attention_lab.notation.notation import COLUMN_NOTATION, OURS, Notation, Symbol, axes, symbol
from attention_lab.notation.quantities import glossary, remark
from attention_lab.notation.texts import GML, NOTATIONS, NOTE
from tests.lab.notation_cases import ALL, a_trace


def test_there_are_seven() -> None:
    assert list(NOTATIONS) == ["ours", "columns", "gml", "mql5", "doshi", "slides", "note"]
    assert all(notation.key == key and notation.title for key, notation in NOTATIONS.items())
    assert [key for key, notation in NOTATIONS.items() if notation.convention == "column"] == [
        "columns",
        "gml",
    ]


def test_ours_transposed_keeps_our_letters() -> None:
    assert [key for key, text in NOTATIONS.items() if text.has_our_letters] == ["ours", "columns"]
    for ours, theirs in zip(glossary(OURS), glossary(COLUMN_NOTATION), strict=True):
        assert (theirs.their_symbol, theirs.their_word) == (ours.our_symbol, ours.our_word)
        assert theirs.remark == ours.remark
    assert COLUMN_NOTATION.indices == OURS.indices


def test_a_notation_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        GML.convention = "row"  # type: ignore[misc]


@ALL
def test_what_is_listed_exists(notation: Notation) -> None:
    known = {row.name for row in glossary(OURS)}
    assert (
        known
        == set(OURS.symbols)
        == set(STEPS)
        | {"n_tokens", "d_model", "n_heads", "d_k", "d_v", "scale"}
        | {"w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o"}
    )
    for entries in (notation.symbols, notation.words, notation.remarks, notation.corrections):
        assert set(entries) <= known


def test_our_symbols_are_those_of_the_trace() -> None:
    assert {name: symbol(name, OURS).latex for name in STEPS} == {
        name: step.symbol for name, step in STEPS.items()
    }


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
    sizes = {
        notation.base(name) for name in ("n_tokens", "d_model", "n_heads", "d_k", "d_v", "scale")
    }
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


def test_sentences_need_no_notation() -> None:
    ours = [symbol(name, OURS).plain for name in ("w_q", "w_k", "w_v", "w_o", "scale")]
    for name in STEPS:
        said = set(re.findall(r"[\w’']+", a_trace().sentence(name)))
        assert said.isdisjoint({*ours, "Q", "K", "V"}), name


def test_the_data_never_changes() -> None:
    trace = a_trace()
    before = {field.name: getattr(trace, field.name) for field in fields(trace)}
    bytes_before = {name: before[name].tobytes() for name in STEPS}
    for notation in NOTATIONS.values():
        for name in STEPS:
            axes(trace, name, notation)
    assert all(getattr(trace, name) is value for name, value in before.items())
    assert {name: getattr(trace, name).tobytes() for name in STEPS} == bytes_before


def test_transposing_twice_marks() -> None:
    """A symbol with an upper index is put in brackets, for a second one beside it would be no
    valid LaTeX.
    """
    assert Symbol("K_h").transposed.latex == r"K_h^{\top}"
    assert Symbol("K^{(i)}").transposed.latex == r"(K^{(i)})^{\top}"
