"""Where tokens are columns, boards lie transposed, and one line says so."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.notation.columns import column_gap
from attention_lab.notation.notation import COLUMN_NOTATION
from attention_lab.notation.texts import NOTATIONS
from attention_lab.rounding import tolerance
from attention_viz.labels import format_agreement
from tests.ui.app import letters, opened, page_context, scenes, stage, texts
from tests.viz.reading_files import scene_in, story_in

NOTE = NOTATIONS["note"].title


def shown(page: str, choices: dict[str, Any], notation: str) -> AppTest:
    """A page with its choices set in the session, because many of them are not in the URL."""
    app = opened(page, notation=notation)
    for name, value in choices.items():
        app.session_state[name] = value
    return app.run()


@pytest.mark.parametrize("page", ["overview", "split", "all-heads", "mask-workshop"])
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
    trace = page_context(app).trace
    agree = format_agreement(
        column_gap(trace), max(tolerance(trace, field) for field in trace.steps)
    )
    assert f"of the whole layer {agree}" in texts(app)
    assert COLUMN_NOTATION.title not in texts(app)


def test_a_section_that_keeps_its_rows_says_so() -> None:
    ours, columns = (opened("growth", notation=key).main.caption for key in ("ours", "columns"))
    assert len(columns) == len(ours) + 1


def test_a_hand_out_speaks_as_its_board(files: dict[str, Any]) -> None:
    trace = page_context(shown("softmax", {"closer": ["files"]}, "gml")).trace
    story = story_in(files["attention-story.html"]())
    scene = scene_in(story, "softmax", ".0")
    assert scene["stage"]["says"] == trace.sentence("probabilities")
    assert scene["transposed"] is True
    code = {step["path"]: step.get("code") for step in story["steps"]}
    assert code["softmax"] == trace.code("probabilities")


def titles(app: AppTest) -> dict[str, str]:
    """What stands above each matrix of the first board."""
    return {panel["array"]: panel["title"] for panel in scenes(app)[0]["panels"]}


@pytest.mark.parametrize("notation", ["ours", "gml"])
def test_a_projected_number_names_the_lines_it_is_made_of(notation: str) -> None:
    app = opened("projections", notation=notation, which="keys", head=1, key=3, feature=2)
    trace, named = page_context(app).trace, titles(app)
    now = page_context(app)
    source, weights = (now.symbol(name).replace("\\", "") for name in ("memory", "w_k"))
    assert source == named["memory"].split()[0]
    assert weights in named["w_k"]
    assert "ᵀ" not in weights
    assert f"row 3 of {source} and column 6 of {weights}" in texts(app).replace("\\", "")
    first = f"{trace.memory[0, 3, 0]:.3f} × {trace.projections.w_k[0, 6]:.3f} "
    assert f": {first}" in texts(app).replace("\\", "")
    assert (named["w_k"] == "(P^K)ᵀ") == (notation == "gml")


def test_sentences_name_the_matrix_that_is_not_transposed() -> None:
    app = opened("output", notation="gml", head=1, query=2, feature=3)
    assert titles(app)["w_o"] == "W_Oᵀ"
    assert "rows 4 to 7 of W_O." in texts(app).replace("\\", "")
    assert "W_Oᵀ" not in texts(app).replace("\\", "")


def test_formulas_of_heads_have_the_letters_of_the_text() -> None:
    app = opened("find-a-head", notation="note", fh_rule="entropy")
    app.session_state["find-a-head How it is measured"] = True
    assert r"A_{jk} \ln" in texts(app.run())
    worth = texts(opened("head-worth", notation="note"))
    assert r"\langle Y^{(i)}, Y\rangle" in worth
    assert not any(ours in worth for ours in ("W_Q", "W_O", "A_h", "Y_h"))


@pytest.mark.parametrize("page", ["growth", "claims"])
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
