"""Where tokens are columns, boards lie transposed, and one line says so."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.notation.columns import column_gap
from attention_lab.notation.notation import COLUMN_NOTATION
from attention_lab.notation.texts import NOTATIONS
from attention_lab.rounding import tolerance
from attention_lab.words.numbers import format_agreement
from tests.ui.app import letters, opened, page_context, scenes, stage, texts

NOTE = NOTATIONS["note"].title


def test_the_formulas_of_our_letters_transposed() -> None:
    app = opened("scores", notation="columns")
    assert "".join(letters(stage(app)["formula"])).startswith("Sh=Kh⊤Qh")
    trace = page_context(app).trace
    agree = format_agreement(
        column_gap(trace), max(tolerance(trace, field) for field in trace.steps)
    )
    assert f"of the whole layer {agree}" in texts(app)
    assert COLUMN_NOTATION.title not in texts(app)


def titles(app: AppTest) -> dict[str, str]:
    """What stands above each matrix of the first board."""
    return {panel["array"]: panel["title"] for panel in scenes(app)[0]["panels"]}


@pytest.mark.parametrize("notation", ["ours", "gml"])
def test_a_projected_number_names_the_lines_it_is_made_of(notation: str) -> None:
    app = opened("projections", notation=notation, which="keys", head=1, key=3, feature=2)
    trace, named = page_context(app).trace, titles(app)
    now = page_context(app)
    source, weights = now.written("memory"), now.written("w_k", on_board=True)
    assert source == named["memory"].split()[0]
    assert weights == named["w_k"]
    row, column = {"ours": ("row", "column"), "gml": ("column", "row")}[notation]
    lines = f"{row} 3 of {source} and {column} 6 of {weights}"
    assert lines in texts(app).replace("\\", "")
    first = f"{trace.memory[0, 3, 0]:.3f} × {trace.projections.w_k[0, 6]:.3f} "
    assert f": {first}" in texts(app).replace("\\", "")
    assert (named["w_k"] == "(P^K)ᵀ") == (notation == "gml")


def test_formulas_of_heads_have_the_letters_of_the_text() -> None:
    app = opened("find-a-head", notation="note", fh_rule="entropy")
    app.session_state["find-a-head How it is measured"] = True
    assert r"A_{jk} \ln" in texts(app.run())
    worth = texts(opened("head-worth", notation="note"))
    assert r"\langle Y^{(i)}, Y\rangle" in worth
    assert not any(ours in worth for ours in ("W_Q", "W_O", "A_h", "Y_h"))


@pytest.mark.parametrize("page", ["growth", "questions"])
def test_no_page_claims_symbols_that_it_does_not_show(page: str) -> None:
    said = {
        (path, notation): {one.value for one in opened(path, notation=notation).main.caption}
        for path in ("scores", page)
        for notation in ("ours", "note", "columns", "gml")
    }
    told = {key: words - said[key[0], "ours"] for key, words in said.items()}
    assert len(told[page, "columns"]) == len(told[page, "note"]) == len(told["scores", "note"]) == 1
    assert told[page, "note"] != told["scores", "note"]
    assert all(NOTE in words for words in told[page, "note"] | told["scores", "note"])
    assert any(" 1" in words for words in told["scores", "gml"])  # it counts heads from 1
