"""Where tokens are columns, boards lie transposed, sentences stay, and one line says so."""

from __future__ import annotations

import re
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from attention_lab.masks.invariances import LAYER_CHANGES
from attention_lab.masks.mistakes import MISTAKES
from attention_lab.notation.notation import COLUMN_NOTATION
from attention_lab.notation.texts import NOTATIONS
from attention_ui import frame, panels
from attention_ui.masks.workshop import EXPERIMENTS
from attention_ui.reference import questions
from attention_ui.registry import PAGES
from tests.ui.app import facts, letters, opened, page_context, scenes, stage, texts

NOTE = NOTATIONS["note"].title
SIDES = re.compile(r"\b(?:rows?|columns?)\b|side by side|one below the other", re.IGNORECASE)
BOARDS = [page.url_path for page in PAGES if page.looks_into and page.on_boards]
CASES: list[tuple[str, dict[str, Any]]] = [
    *((page, {}) for page in (*BOARDS, "one-head")),
    ("mask", {"mask": "padding", "n_tokens": 16}),
    ("scores", {"all heads": True}),
    ("output", {"no w_o": True}),
    ("merge", {"head": 1, "query": 2}),
    ("projections", {"d_model": 512, "n_heads": 16}),
    ("output", {"d_model": 512, "n_heads": 16}),
    *((page, {"weights": "weightless"}) for page in ("overview", "output", "head-worth")),
    *(("mask-workshop", {"mw_try": name, "mw_sequence": "1"}) for name in EXPERIMENTS),
    *(("invariances", {"inv_topic": topic}) for topic in ("temperature", "scale")),
    *(
        ("invariances", {"inv_topic": "constants", "inv_change": change.key})
        for change in LAYER_CHANGES
    ),
    ("invariances", {"inv_reads": "causal mask", "inv all": True}),
    *(("break-it", {"bi_fault": fault.key, "mask": "causal"}) for fault in MISTAKES),
    ("break-it", {"bi_spot": True, "bi_answer": True}),
    *(("one-head", {"oh_step": step}) for step in ("W_Q", "mixing", "W_O")),
]


def shown(page: str, choices: dict[str, Any], notation: str) -> AppTest:
    """A page with its choices set in the session, because many of them are not in the URL."""
    app = opened(page, notation=notation)
    for name, value in choices.items():
        app.session_state[name] = value
    return app.run()


def told(app: AppTest) -> list[str]:
    """What the page says, outside the sidebar, and what stands on its boards."""
    kinds = (app.main.markdown, app.main.caption, app.main.info, app.main.warning, app.main.success)
    said = [str(element.value) for kind in kinds for element in kind]
    said += [
        str(element.label) for kind in (app.main.button, app.main.expander) for element in kind
    ]
    for scene in scenes(app):
        said += [scene["description"], *(panel["title"] for panel in scene["panels"])]
        said += [axis["word"] for axis in scene["axes"].values()]
    return said


@pytest.fixture
def _silent_on_the_notation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what a page says of the notation itself, which in ours it does not say, and what
    learners ask, in their words.
    """
    monkeypatch.setattr(questions, "show_questions", lambda: None)
    monkeypatch.setattr(frame, "show_foot", lambda page: None)
    for module, name in (
        (frame, "note_columns"),
        (panels, "note_columns"),
        (panels, "note_swap"),
    ):
        monkeypatch.setattr(module, name, lambda now: None)


@pytest.mark.usefixtures("_silent_on_the_notation")
@pytest.mark.parametrize(("page", "choices"), CASES)
def test_sentences_about_rows_and_columns_stay(page: str, choices: dict[str, Any]) -> None:
    ours, gml = (
        [
            side.lower()
            for words in told(shown(page, choices, notation))
            for side in SIDES.findall(words)
        ]
        for notation in ("ours", "gml")
    )
    assert gml == ours


@pytest.mark.parametrize("page", BOARDS)
@pytest.mark.parametrize("notation", ["gml", "columns"])
def test_one_line_says_how_matrices_lie(page: str, notation: str) -> None:
    assert facts(opened(page, notation=notation))["gap_with_columns"] < 1e-9
    assert "gap_with_columns" not in facts(opened(page))


@pytest.mark.parametrize("page", BOARDS)
def test_our_letters_stay_where_only_the_matrices_are_transposed(page: str) -> None:
    ours, columns = (opened(page, notation=notation) for notation in ("ours", "columns"))
    for one, other in zip(scenes(ours), scenes(columns), strict=True):
        assert (one["transposed"], other["transposed"]) == (False, True)
        titles = [
            [
                panel["title"].split()[0].replace("ᵀ", "")
                for panel in scene["panels"]
                if panel["title"]
            ]
            for scene in (one, other)
        ]
        assert titles[0] == titles[1]


def test_the_formulas_of_our_letters_transposed() -> None:
    app = opened("scores", notation="columns")
    assert "".join(letters(stage(app)["formula"])).startswith("Sh=Kh⊤Qh")
    assert facts(app)["gap_with_columns"] < 1e-12
    assert COLUMN_NOTATION.title not in texts(app)


def test_a_section_that_keeps_its_rows_says_so() -> None:
    ours, columns = (opened("growth", notation=key).main.caption for key in ("ours", "columns"))
    assert len(columns) == len(ours) + 1


def test_a_hand_out_speaks_as_its_board(monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, Any] = {}
    monkeypatch.setattr(
        st, "download_button", lambda _, data, name, *__, **___: files.setdefault(name, data)
    )
    trace = page_context(shown("softmax", {"closer": ["files"]}, "gml")).trace
    page = files["probabilities.html"]()
    assert trace.sentence("probabilities") in page
    assert '"transposed": true' in page
    assert "axis=-1" in page


def titles(app: AppTest) -> dict[str, str]:
    """What stands above each matrix of the first board."""
    return {panel["array"]: panel["title"] for panel in scenes(app)[0]["panels"]}


@pytest.mark.parametrize("notation", ["ours", "gml"])
def test_a_projected_number_names_the_lines_it_is_made_of(notation: str) -> None:
    app = opened("projections", notation=notation, which="keys", head=1, key=3, feature=2)
    trace, named = page_context(app).trace, titles(app)
    told = facts(app)
    source, weights, _ = (symbol.replace("\\", "") for symbol in told["symbols"])
    assert source == named["memory"].split()[0]
    assert weights in named["w_k"]
    assert "ᵀ" not in weights
    assert (told["row"], told["column"]) == (3, 6)
    first = f"{trace.memory[0, 3, 0]:.3f} × {trace.projections.w_k[0, 6]:.3f} "
    assert f": {first}" in texts(app).replace("\\", "")
    assert (named["w_k"] == "(P^K)ᵀ") == (notation == "gml")


def test_sentences_name_the_matrix_that_is_not_transposed() -> None:
    app = opened("output", notation="gml", head=1, query=2, feature=3)
    assert titles(app)["w_o"] == "W_Oᵀ"
    assert facts(app)["block"] == slice(4, 8)
    assert facts(app)["mixed_by"].replace("\\", "") == "W_O"
    assert "W_Oᵀ" not in texts(app)


def test_formulas_of_heads_have_the_letters_of_the_text() -> None:
    does = texts(opened("head-portraits", notation="gml"))
    assert all(formula in does for formula in (r"\sum_m \mathcal{P}_{mn} \ln", r"to $\ln T_n$"))
    assert r"A_{jk} \ln" in texts(opened("layers", notation="note", ly_measure="Entropy"))
    worth = texts(opened("head-worth", notation="note", basis=1))
    for formula in (
        r"$W^q (W^k)^{\top}$",
        r"\langle Y^{(i)}, Y\rangle",
        "$W_0$",
        "$W^q$",
        "$A^{(i)}$",
    ):
        assert formula in worth
    assert not any(ours in worth for ours in ("W_Q", "W_O", "A_h", "Y_h"))


@pytest.mark.parametrize(
    "page", ["self-attention-mass", "growth", "claims", "training", "stiefel", "lexicon"]
)
def test_no_page_claims_symbols_that_it_does_not_show(page: str) -> None:
    said = {
        (one, notation): [caption.value for caption in opened(one, notation=notation).main.caption]
        for one in ("scores", page)
        for notation in ("ours", "note")
    }
    elsewhere, kept = (
        [words for words in said[one, "note"] if NOTE in words and words not in said[one, "ours"]]
        for one in ("scores", page)
    )
    assert (len(elsewhere), len(kept)) == (1, 1)
    assert elsewhere != kept
