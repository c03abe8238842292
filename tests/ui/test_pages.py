"""Every page runs clean at every size, shows the trace's own numbers, and is the same when
nothing was touched.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.scenario import Scenario
from attention_ui.panels import CLOSER
from attention_ui.presets import preset_of, presets
from attention_ui.registry import PAGES, Page, page_of, story
from attention_viz.theme import ON_BOARDS, PALETTES
from tests.ui.app import (
    EVERY_PAGE,
    alternatives,
    entries,
    figures,
    gone_to,
    here,
    html,
    numbers_of,
    numbers_of_scene,
    opened,
    scenes,
    texts,
    title,
    way,
)

COLOURS = {
    "color",
    "colorscale",
    *(f"{of}color" for of in ("bg", "border", "fill", "grid", "line", "arrow")),
}
TAGS = {"div", "span", "small", "bdi"}
HOSTILE = (
    "<script>alert(1)</script> @query &lt; $x$ **b** `c` [l](//x) :red[x] %{z} שלום 👩🏽\u200d🚀 "
    + "x" * 300
)
LARGEST = {"n_tokens": 64, "d_model": 512, "n_heads": 16}
# Pages that draw nothing: before the visitor has given them a file, or because the visitor is to do
# the work.
WAITING = {"your-weights", "practice"}
# Situations in which a page has divided by zero, indexed past an end, or drawn nothing.
SITUATIONS: dict[str, dict[str, object]] = {
    "as it opens": {},
    "dark": {"theme": "dark"},
    "presentation": {"present": "true", "own_scale": "true"},
    "one token": {"text": "a"},
    "one of everything": {"text": "a", "d_model": 1, "n_heads": 1},
    "largest": LARGEST | {"head": 15, "query": 63, "key": 62, "feature": 31},
    "largest and causal": LARGEST | {"mask": "causal", "residual": "true"},
    "largest and weightless": LARGEST | {"weights": "weightless"},
    "wide heads": {"d_k": 128, "d_v": 128, "n_heads": 16, "feature": 127},
    "narrow keys, wider values": {"d_k": 3, "d_v": 5, "feature": 4},
    "uneven heads": {"d_model": 7, "n_heads": 3, "d_k": 2, "d_v": 3},
    "by hand": {"weights": "by hand", "d_model": 8, "n_heads": 2, "query": 8, "key": 1},
    "weightless": {"weights": "weightless", "residual": "true"},
    "tied": {"weights": "tied", "n_heads": 1},
    "orthonormal": {"weights": "orthonormal", "init": "integers"},
    "padding": {"mask": "padding", "n_tokens": 16, "query": 15, "key": 15},
    "only itself": {"mask": "window", "window": 0},
    "integers": {
        "embedding": "integers",
        "init": "integers",
        "positions": "false",
        "scaling": "off",
    },
    "all scores 0": {"scaling": "custom", "scale": 0},
    "saturated": {"scaling": "custom", "scale": -100},
    "pieces": {"piece": 1, "n_tokens": 64},
    "trained": {"weights": "trained", "layer": 3, "head": 11, "query": 14, "feature": 383},
    "trained and filled up": {
        "weights": "trained",
        "layer": 5,
        "n_tokens": 20,
        "mask": "padding",
        "n_heads": 5,
    },
    "hostile text": {"text": HOSTILE, "query": 2, "key": 4},
}


@lru_cache(maxsize=2)
def in_situation(name: str) -> AppTest:
    """The app in a situation; the pages are then visited one after the other, as a visitor does."""
    address: dict[str, Any] = dict(SITUATIONS[name])
    return opened(**address)


@pytest.mark.parametrize("page", EVERY_PAGE)
@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_page_runs_clean(situation: str, page: str) -> None:
    """No exception, no error box, nothing logged; every picture is dressed, described and JSON
    that a browser takes.
    """
    app = gone_to(in_situation(situation), page)
    assert [error.value for error in [*app.exception, *app.error]] == []
    assert not any(
        text.value.startswith("#") for text in app.markdown
    )  # keys would stop at such a heading's link
    assert title(app) == page_of(page).title
    boards, drawn = scenes(app), figures(app)
    assert boards or drawn or page in WAITING or page_of(page).section == "reference"
    for description in [*alternatives(app), *(board["description"] for board in boards)]:
        assert description.endswith(".")
    for _, colour in entries(drawn, COLOURS):
        assert "@" not in str(colour)


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_an_untouched_rerun_changes_nothing(page: str) -> None:
    """Running the page again gives the same boards, figures and HTML, and the very same trace."""
    app = opened(page, mask="causal")
    before, trace = (scenes(app), figures(app), html(app)), here(app).trace
    app.run()
    assert (scenes(app), figures(app), html(app)) == before
    assert here(app).trace is trace


def numbers_shown(app: AppTest) -> np.ndarray:
    """All numbers of a page's boards and figures, for each choice where it shows one of several
    matrices.
    """

    def of_this_run() -> list[np.ndarray]:
        return [numbers_of(figures(app)), *(numbers_of_scene(board) for board in scenes(app))]

    shown = of_this_run()
    for choice in app.segmented_control:
        for option in choice.options:
            app.segmented_control(key=choice.key).set_value(option).run()
            shown += of_this_run()
    return np.unique(np.concatenate(shown))


@pytest.mark.parametrize("page", [page.url_path for page in PAGES if page.fields])
def test_a_page_shows_the_numbers_of_its_fields(page: str) -> None:
    """Every number of the focused head, in each field that a page claims to show, is sent to a
    board or a figure.
    """
    app = opened(page, mask="causal", head=1)
    trace = here(app).trace
    drawn = numbers_shown(app)
    for field in page_of(page).fields:
        array = getattr(trace, field)[0]
        matrix = array[1] if array.ndim == 3 else array
        assert np.isin(matrix[np.isfinite(matrix)].astype("f4"), drawn).all(), field


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_the_theme_changes_colours_only(page: str) -> None:
    """In the dark theme every board holds the same numbers in the colours of the dark palette."""
    light, dark = opened(page), opened(page, theme="dark")
    for before, after in zip(scenes(light), scenes(dark), strict=True):
        assert before["palette"] == json.loads(json.dumps(ON_BOARDS["light"]))
        assert after["palette"] == json.loads(json.dumps(ON_BOARDS["dark"]))
        assert before["arrays"] == after["arrays"]
    seen = str(figures(dark)) + "".join(html(dark))
    for role in ("text", "focus", "query", "key", "value"):
        assert PALETTES["light"][role] not in seen


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_tokens_with_markup_are_shown_letter_by_letter(page: str) -> None:
    """Tokens like markup reach neither HTML, Markdown nor a picture's text unescaped."""
    app = gone_to(in_situation("hostile text"), page)
    trace = here(app).trace
    assert {"<", "&", "$", "*", "`", "["} < set(trace.tokens)
    for body in html(app):
        assert set(re.findall(r"</?([^\s>/]*)", body)) <= TAGS
    if page_of(page).section == "trained" or page == "encoder-decoder":
        return  # its tokens are the trained model's, or those of two sentences
    for board in scenes(app):
        assert set(board["axes"].get("T", {"labels": trace.tokens})["labels"]) == set(trace.tokens)


@pytest.mark.parametrize("page", [page.url_path for page in story()])
def test_the_way_through_the_layer(page: str) -> None:
    """Every story page links to all steps, and says which step it is."""
    app = opened(page)
    pages = [step.url_path for step in story()]
    place = pages.index(page)
    assert way(app) == {
        "steps": [{"title": step.title, "path": step.url_path} for step in story()],
        "place": place,
    }
    assert any(f"Step {place + 1} of {len(pages)}" in element.value for element in app.markdown)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.url_path)
def test_a_section_shows_the_controls_it_uses(page: Page) -> None:
    """A section that looks after itself leaves out the controls it has no use for, and says
    which count.
    """
    app, own = opened(page.url_path), page.own_controls
    used = ("text", "n_tokens", "d_model", "n_heads") if own is None else own.used
    assert keys_of(app) == set(used)
    assert ("Weights" in [box.label for box in app.sidebar.expander]) == (own is None)
    said = [caption.value for caption in app.sidebar.caption]
    usual = preset_of(Scenario())
    assert usual
    assert said == ([usual.says] if own is None else [own.says])


@pytest.mark.parametrize("page", ["trained-heads", "training"])
def test_what_is_set_elsewhere_stays_in_the_address(page: str) -> None:
    """A control that was moved is drawn where nothing uses it, too: what is not drawn leaves
    the address.
    """
    address = {"d_model": "32", "seed": "7", "text": "One two"}
    app = opened("scores", **address)
    for there in (page, "scores"):
        app = gone_to(app, there)
        assert {name: app.query_params.get(name) for name in address} == address
        assert "n_heads" not in keys_of(app) or there == "scores"
    assert here(app).scenario == Scenario(text="One two", d_model=32, seed=7)


def test_an_example_chosen_among_trained_heads_is_in_the_address() -> None:
    """It sets controls that were not on the page, which come with it."""
    app = opened("trained-heads")
    example = next(one for one in presets() if one.scenario.d_model != Scenario().d_model)
    app.selectbox(key="example").select(example.name).run()
    assert app.query_params["d_model"] == str(example.scenario.d_model)
    assert here(gone_to(app, "scores")).scenario == example.scenario


def keys_of(app: AppTest) -> set[str | None]:
    """The names of the sizes' widgets that are in the sidebar."""
    side = app.sidebar
    widgets = (*side.text_area, *side.select_slider, *side.number_input, *side.slider)
    return {widget.key for widget in widgets} & {"text", "n_tokens", "d_model", "n_heads"}


@pytest.mark.parametrize("page", [page.url_path for page in story()])
def test_every_step_explains_itself(page: str) -> None:
    """A step shows its question, its formula, the shape of its result, the NumPy lines and a
    cell's arithmetic.
    """
    app = opened(page)
    assert page_of(page).question in app.markdown[0].value + app.markdown[1].value
    if page == PAGES[0].url_path:
        return
    trace, fields = here(app).trace, page_of(page).fields
    field = fields[0]
    shape = " × ".join(map(str, getattr(trace, field).shape))
    assert len(app.latex) >= 1
    assert any(shape in element.value for element in app.markdown)
    assert [len(app.dataframe), len(app.code), len(app.get("download_button"))] == [0, 0, 0]
    app.session_state["closer"] = list(CLOSER)
    app.run()
    assert not app.exception
    assert trace.code(field).splitlines()[0] in app.code[0].value
    assert f'assert_allclose({field}, shown["{field}"]' in app.code[0].value
    one_term = "Here is one term only: the line above says all of it." in [
        caption.value for caption in app.caption
    ]
    assert one_term == (
        page in ("split", "scale", "mask", "merge")
    )  # copied, multiplied once, let through or not
    assert len(app.dataframe) == (1 if one_term else 2)  # the numbers, and the terms
    assert len(app.get("download_button")) == 5
    assert scenes(app)[0]["arithmetic"] is True


@pytest.mark.parametrize(
    ("page", "largest"), [("scores", 1e-14), ("one-head", 1e-4), ("self-attention-mass", None)]
)
def test_boards_with_tokens_as_columns_are_checked(page: str, largest: float | None) -> None:
    """Where boards are transposed the page says how far its own layer differs; elsewhere it
    says nothing of it.
    """
    app = opened(page, notation="gml")
    said = [
        caption.value
        for caption in app.main.caption
        if "every matrix is shown transposed" in caption.value
    ]
    assert "Symbols and words of GeometricMachineLearning.jl" in texts(app)
    assert len(said) == (largest is not None)
    for sentence in said:
        assert float(sentence.rsplit(" ", 1)[1].removesuffix(".").replace("−", "-")) < largest


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_every_board_is_transposed_where_a_page_says_so(page: str) -> None:
    """With tokens as columns a page says that every matrix is shown transposed if it has boards
    and all of them are.
    """
    app = opened(page, notation="gml")
    boards = [scene["transposed"] for scene in scenes(app)]
    assert len(set(boards)) <= 1
    assert ("every matrix is shown transposed" in texts(app)) == any(boards)
    assert any(boards) == bool(boards) or not page_of(page).looks_into
