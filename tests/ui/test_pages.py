"""Every page runs clean at every size and shows the trace's own numbers."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.focus import Focus
from attention_lab.page_list import PAGES, page_of, page_row, story_steps
from attention_viz.story.closer import CLOSER
from attention_viz.theme import BOARD_PALETTES, PALETTES
from tests.ui.app import (
    EVERY_PAGE,
    entries,
    figures,
    gone_to,
    html,
    numbers_of,
    numbers_of_scene,
    opened,
    page_context,
    scenes,
    stage,
    texts,
    title,
)
from tests.ui.situations import REFUSED, SITUATIONS, chosen, every

COLOURS = {
    "color",
    "colorscale",
    *(f"{of}color" for of in ("bg", "border", "fill", "grid", "line", "arrow")),
}
TAGS = {"div", "span", "small", "bdi", *("svg", "title", "g", "path")}  # the last: a QR code
# Pages that draw nothing: before the visitor has given a room, or because he is to do
# the work.
WAITING = {"class", "for-teachers"}


@lru_cache(maxsize=2)
def in_situation(name: str) -> AppTest:
    """The app in a situation; the pages are then visited one after the other, as a visitor does."""
    address: dict[str, Any] = dict(SITUATIONS[name])
    return opened(**address)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The runs of `test_a_page_runs_clean`, the pages of a situation one after the other."""
    if "situation" in metafunc.fixturenames:
        runs = every() if metafunc.config.getoption("every_situation") else chosen()
        metafunc.parametrize(("situation", "page"), list(runs))


def test_a_page_runs_clean(situation: str, page: str) -> None:
    app = gone_to(in_situation(situation), page)
    if (situation, page) in REFUSED:
        assert (len(app.error), [*app.exception], scenes(app)) == (1, [], [])
        return
    assert [error.value for error in [*app.exception, *app.error]] == []
    assert not any(
        text.value.startswith("#") for text in app.markdown
    )  # keys would stop at such a heading's link
    assert title(app) == page_of(page).title
    boards, drawn = scenes(app), figures(app)
    assert boards or drawn or page in WAITING or page_of(page).section == "reference"
    charts = (figure["layout"]["meta"] for figure in drawn)
    for description in (part["description"] for part in (*charts, *boards)):
        assert description.endswith(".")
    assert all(table.proto.alt for table in app.dataframe)  # its name for a screen reader
    for _, colour in entries(drawn, COLOURS):
        assert "@" not in str(colour)


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
    for choice in stage(app).get("choices", ()):
        for option in choice["options"] if choice["name"] == "which" else ():
            app.session_state["which"] = option
            app.run()
            shown += of_this_run()
    return np.unique(np.concatenate(shown))


@pytest.mark.parametrize("page", [page.url_path for page in PAGES if page.fields])
def test_a_page_shows_the_numbers_of_its_fields(page: str) -> None:
    app = opened(page, mask="causal", head=1, whole="true")
    trace = page_context(app).trace
    drawn = numbers_shown(app)
    for field in page_of(page).fields:
        array = getattr(trace, field)[0]
        matrix = array[1] if array.ndim == 3 else array
        assert np.isin(matrix[np.isfinite(matrix)].astype("f4"), drawn).all(), field


@pytest.mark.parametrize("page", [page.url_path for page in page_row("story").lecture])
def test_every_step_explains_itself(page: str) -> None:
    app = opened(page)
    shown = stage(app)
    row = page_row("story")
    assert shown["steps"] == [{"title": one.title, "path": one.url_path} for one in row.pages]
    assert shown["further"] == len(row.lecture)
    assert shown["steps"][shown["place"]]["path"] == page
    if page == PAGES[0].url_path or page_of(page) not in story_steps():
        return
    assert shown["question"] == page_of(page).question
    if not page_of(page).fields:
        return
    trace, field = page_context(app).trace, page_of(page).fields[0]
    assert shown["formula"][0] == "math"
    result = next(panel for panel in scenes(app)[0]["panels"] if panel["role"] == "result")
    assert result["badge"].startswith(str(getattr(trace, field).shape[-2]))
    assert [len(app.dataframe), len(app.code), len(app.get("download_button"))] == [0, 0, 0]
    app.session_state["closer"] = ".".join(CLOSER.options)
    app.run()
    assert not app.exception
    assert trace.code(field).splitlines()[0] in app.code[0].value
    assert f'assert_allclose({field}, shown["{field}"]' in app.code[0].value
    # The numbers, and the terms; there is one term where a number is copied, multiplied once, or
    # let through or not.
    assert len(app.dataframe) == (1 if page in ("split", "scale", "mask", "merge") else 2)
    assert len(app.get("download_button")) == 5
    assert scenes(app)[0]["arithmetic"] is True


def test_the_theme_changes_colours_only() -> None:
    app = opened("softmax", theme="dark", mask="causal")
    (dark,), trace = scenes(app), page_context(app).trace
    app.context = {"theme": "light"}
    (light,) = scenes(app.run())
    assert light["palette"] == json.loads(json.dumps(BOARD_PALETTES["light"]))
    assert light["arrays"] == dark["arrays"]
    assert page_context(app).trace is trace


OTHER_TOKENS = ("encoder-decoder", "two-layers")


def test_a_walk_keeps_place_theme_and_convention_and_shows_markup_letter_by_letter() -> None:
    chosen = SITUATIONS["hostile text"] | {"notation": "gml", "mask": "causal"}
    app = opened(theme="dark", head=3, feature=2, **chosen)
    dark = json.loads(json.dumps(BOARD_PALETTES["dark"]))
    light = [PALETTES["light"][role] for role in ("text", "focus", "query", "key", "value")]
    for page in EVERY_PAGE:
        app = gone_to(app, page)
        assert page_context(app).focus == Focus(3, 2, 4, 2), page
        boards, bodies = scenes(app), html(app)
        drawn = str(figures(app)) + "".join(bodies)
        assert [colour for colour in light if colour in drawn] == [], page
        assert all(scene["palette"] == dark for scene in boards), page
        transposed = {scene["transposed"] for scene in boards}
        is_told = page == "next-token" or not page_of(page).looks_into
        assert transposed <= ({True, False} if is_told else {True}), page
        if boards:
            assert ("the whole layer" in texts(app)) == any(transposed), page
        tokens = set(page_context(app).trace.tokens)
        assert {"<", "&", "$", "*", "`", "["} < tokens
        assert {tag for body in bodies for tag in re.findall(r"</?([^\s>/]*)", body)} <= TAGS
        if page_of(page).section == "trained" or page in OTHER_TOKENS:
            continue  # its tokens are the trained model's, or others than those of the sentence
        for board in boards:
            assert set(board["axes"].get("T", {"labels": tokens})["labels"]) == tokens, page
