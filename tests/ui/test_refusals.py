"""What a URL asks for and no control has: what is shown instead, and one notice that says so."""

from __future__ import annotations

import pytest

from attention_lab.choices import FIELD_BOUNDS
from attention_lab.scenario import Scenario
from tests.ui.app import errors, opened, page_context, refused, said

# Page, name in the URL, what is asked for, label of the choice, and what is shown instead.
REFUSED: list[tuple[str, str, str, str, str | None]] = [
    # infinity for a whole number
    ("scores", "d_model", "1e400", "Embedding size", "16"),
    ("scores", "seed", "-inf", "Seed", "0"),
    ("training", "train_steps", "Infinity", "Steps (0: set by the task)", None),
    ("what-changes", "inv_shuffle", "-inf", "Shuffle number", None),
    # a value that a choice has not
    ("all-heads", "heads_stage", "<script>", "What is shown", None),
    ("growth", "growth_causal", "perhaps", "Causal mask", None),
    ("practice", "pr_step", "99", "Step", None),
    ("mask-workshop", "mw_window", "99", "Window", None),
    ("scores", "own_scale", "2", "Each head its own colours", "off"),
    ("glossary", "notation", "martian", "Notation", "ours"),
    ("scores", "head", "100000", "Head", "3"),
    ("scores", "lesson", "<b>", "Lesson", None),
    ("class", "room", "A1", "Room", None),
    # heads, places and cells beyond the last
    ("shared-keys", "groups", "9" * 100, "Key/value heads", None),
    ("shared-keys", "groups", "3", "Key/value heads", None),
    ("head-worth", "off", "1.100", "Heads that are switched off", None),
    ("all-heads", "subset", "4", "Only these heads", None),
    ("one-head", "th_cell", "99-3-0", "Cell", None),
    ("self-attention-mass", "lab_cell", "7-99", "Pair", None),
    ("convolution", "conv_pixel", "99-1", "Pixel", None),
    ("convolution", "conv_own", "a b c", "Own kernel", None),
    # a control that only other pages show
    ("layers", "layer", "-9", "Layer of the model", "0"),
    ("depth", "seed", "-9", "Seed", "0"),
    # choices that earlier versions had
    ("convolution", "conv_image", "drawn", "Picture", None),
]


@pytest.mark.parametrize(("page", "name", "junk", "label", "shown"), REFUSED)
def test_what_there_is_not_is_refused_once(
    page: str, name: str, junk: str, label: str, shown: str | None
) -> None:
    app = opened(page, **{name: junk})
    assert not errors(app)
    assert [one[1:] for one in refused(app)] == [(junk[:40], shown)]
    assert label in refused(app)[0][0]
    app.run()
    assert not app.toast


# Nonsense for many controls at once: the layer stays the usual one.
NONSENSE: list[dict[str, str]] = [
    {"n_heads": "17", "d_model": "-5", "n_tokens": "<script>alert(1)</script>", "scale": "101"}
    | {"seed": str(FIELD_BOUNDS["seed"][1] + 1), "embedding": "glove", "residual": "perhaps"},
    # Characters that cannot be seen are named by their codes.
    {"n_heads": "\u202e", "seed": "4\x00", "d_model": "4\r5", "n_tokens": "👩\u200d🚀"},
]
CODES = {"\u202e": "\\u202e", "4\x00": "4\\x00", "4\r5": "4\\r5", "👩\u200d🚀": "👩\\u200d🚀"}


@pytest.mark.parametrize("junk", NONSENSE, ids=range(len(NONSENSE)))
def test_every_refused_value_has_a_notice(junk: dict[str, str]) -> None:
    app = opened("scores", **junk)
    assert not errors(app)
    assert page_context(app).scenario == Scenario()
    asked = sorted(CODES.get(one, one)[:40] for one in junk.values())
    assert sorted(one[1] for one in refused(app)) == asked
    assert len(app.toast) == len(junk)
    assert all("<script>" not in toast.value for toast in app.toast)


@pytest.mark.parametrize(
    ("page", "name", "asked", "label", "most"),
    [
        ("change-a-word", "cw_new", "a" * 60, "by", 40),
        ("change-a-word", "cw_old", "tired " * 10, "Replace", 40),
        ("self-attention-mass", "lab_numbers", "3,3; " * 500, "Tokens, such as 3,3; 10,0", 2000),
    ],
)
def test_a_text_that_is_cut_off(page: str, name: str, asked: str, label: str, most: int) -> None:
    app = opened(page, lab_tokens="numbers", **{name: asked})
    assert (label, asked[:40]) in [one[:2] for one in refused(app)]
    assert any(f"{most:,}" in notice for notice in said(app))


@pytest.mark.parametrize(
    ("page", "name", "label"), [("scores", "query", "Query"), ("one-head", "th_layer", "Layer")]
)
def test_a_place_that_stands_twice_in_the_url(page: str, name: str, label: str) -> None:
    app = opened(page)
    app.query_params[name] = ["2", "5"]
    app.run()
    assert str(app.session_state[name]) == "5"
    assert refused(app) == [(label, "2, 5", "5")]
    assert app.query_params[name] in ("5", ["5"])
    assert not app.run().toast
