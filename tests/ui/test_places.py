"""Heads, groups, sequences and cells that the URL asks for and that do not exist."""

from __future__ import annotations

import pytest

from tests.ui.app import errors, opened, refused


@pytest.mark.parametrize("asked", ["999", "1000", "9" * 100, "3"])
def test_groups_that_the_heads_cannot_have_are_refused_once(asked: str) -> None:
    app = opened("shared-keys", groups=asked)
    shown = app.button_group(key="switch groups").value
    assert shown == (2 if asked == "3" else 4)
    ((_, quoted, instead),) = refused(app)
    assert (quoted, instead) == (asked[:40], shown)
    assert not app.run().toast


@pytest.mark.parametrize(
    ("page", "name", "asked"),
    [("head-worth", "off", "1.99"), ("head-worth", "off", "1.100"), ("all-heads", "subset", "4")],
)
def test_heads_that_the_layer_has_not_are_refused_once(page: str, name: str, asked: str) -> None:
    app = opened(page, **{name: asked})
    label = app.button_group(key=f"switches {name}").label
    assert refused(app) == [(label, asked, 3)]
    assert app.session_state[f"switches {name}"] == ([1] if name == "off" else [])
    assert not app.run().toast


@pytest.mark.parametrize(
    ("page", "name", "asked", "label", "shown"),
    [
        ("one-head", "th_cell", "99-3-0", "Cell", "13-3-0"),
        ("change-a-word", "th_cell", "2-99-1", "Cell", "2-13-1"),
        ("trained-heads", "th_cell", "99999-3-0", "Cell", "13-3-0"),
        ("lexicon", "lex_cell", "9-99-1", "Cell", "3-9-1"),
        ("self-attention-mass", "lab_cell", "7-99", "Pair", "7-11"),
        ("convolution", "conv_pixel", "99-1", "Pixel", "7-1"),
        ("training", "train_without", "5", "Silenced head", "1"),
    ],
)
def test_a_cell_that_there_is_not_is_refused_once(
    page: str, name: str, asked: str, label: str, shown: str
) -> None:
    app = opened(page, **{name: asked})
    assert not errors(app)
    assert refused(app) == [(label, asked, shown)]
    assert app.query_params[name] in (shown, [shown])
    assert not app.run().toast


@pytest.mark.parametrize(
    ("page", "name", "label"), [("scores", "query", "Query"), ("one-head", "th_layer", "Layer")]
)
def test_a_place_that_stands_twice_in_the_url(page: str, name: str, label: str) -> None:
    app = opened(page)
    app.query_params[name] = ["2", "5"]
    app.run()
    assert app.session_state[name] == 5
    assert refused(app) == [(label, "2, 5", "5")]
    assert app.query_params[name] in ("5", ["5"])
    assert not app.run().toast
