"""Every page runs clean at every size, shows the trace's own numbers, and is the same when
nothing was touched.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_ui.panels import CLOSER_LOOKS
from attention_ui.registry import PAGES, page_of, story_steps, strip_pages
from attention_viz.theme import BOARD_PALETTES, PALETTES
from tests.ui.app import (
    EVERY_PAGE,
    alternatives,
    entries,
    facts,
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
from tests.ui.situations import SITUATIONS, USUAL, chosen, every

COLOURS = {
    "color",
    "colorscale",
    *(f"{of}color" for of in ("bg", "border", "fill", "grid", "line", "arrow")),
}
TAGS = {"div", "span", "small", "bdi", *("svg", "title", "g", "path")}  # the last: a QR code
# Pages that draw nothing: before the visitor has given a file or a room, or because he is to do
# the work.
WAITING = {"your-weights", "class", "before-and-after", "for-teachers", "homework"}


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


def test_every_situation_is_run_in_every_section() -> None:
    runs = list(chosen())
    assert len(set(runs)) == len(runs)
    sections = {page.section for page in PAGES}
    assert {(name, page_of(page).section) for name, page in runs} == set(
        product(SITUATIONS, sections)
    )
    assert min(Counter(page for _, page in runs)[page] for page in EVERY_PAGE) == USUAL
    assert set(runs) <= set(every())


def test_a_page_runs_clean(situation: str, page: str) -> None:
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
    app = opened(page, mask="causal")
    before, trace = (scenes(app), figures(app), html(app)), page_context(app).trace
    app.run()
    assert (scenes(app), figures(app), html(app)) == before
    assert page_context(app).trace is trace


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
    app = opened(page, mask="causal", head=1, whole="true")
    trace = page_context(app).trace
    drawn = numbers_shown(app)
    for field in page_of(page).fields:
        array = getattr(trace, field)[0]
        matrix = array[1] if array.ndim == 3 else array
        assert np.isin(matrix[np.isfinite(matrix)].astype("f4"), drawn).all(), field


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_the_theme_changes_colours_only(page: str) -> None:
    light, dark = opened(page), opened(page, theme="dark")
    for before, after in zip(scenes(light), scenes(dark), strict=True):
        assert before["palette"] == json.loads(json.dumps(BOARD_PALETTES["light"]))
        assert after["palette"] == json.loads(json.dumps(BOARD_PALETTES["dark"]))
        assert before["arrays"] == after["arrays"]
    seen = str(figures(dark)) + "".join(html(dark))
    for role in ("text", "focus", "query", "key", "value"):
        assert PALETTES["light"][role] not in seen


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_tokens_with_markup_are_shown_letter_by_letter(page: str) -> None:
    app = gone_to(in_situation("hostile text"), page)
    trace = page_context(app).trace
    assert {"<", "&", "$", "*", "`", "["} < set(trace.tokens)
    for body in html(app):
        assert set(re.findall(r"</?([^\s>/]*)", body)) <= TAGS
    if page_of(page).section == "trained" or page == "encoder-decoder":
        return  # its tokens are the trained model's, or those of two sentences
    for board in scenes(app):
        assert set(board["axes"].get("T", {"labels": trace.tokens})["labels"]) == set(trace.tokens)


@pytest.mark.parametrize("page", [page.url_path for page in strip_pages()])
def test_the_strip_of_steps(page: str) -> None:
    shown = stage(opened(page))
    assert shown["steps"] == [{"title": one.title, "path": one.url_path} for one in strip_pages()]
    assert shown["steps"][shown["place"]]["path"] == page


@pytest.mark.parametrize("page", [page.url_path for page in story_steps()])
def test_every_step_explains_itself(page: str) -> None:
    app = opened(page)
    shown = stage(app)
    assert shown["question"] == page_of(page).question
    if page == PAGES[0].url_path:
        return
    trace, fields = page_context(app).trace, page_of(page).fields
    field = fields[0]
    assert shown["formula"][0] == "math"
    result = next(panel for panel in scenes(app)[0]["panels"] if panel["role"] == "result")
    assert result["badge"].startswith(str(getattr(trace, field).shape[-2]))
    assert [len(app.dataframe), len(app.code), len(app.get("download_button"))] == [0, 0, 0]
    app.session_state["closer"] = list(CLOSER_LOOKS)
    app.run()
    assert not app.exception
    assert trace.code(field).splitlines()[0] in app.code[0].value
    assert f'assert_allclose({field}, shown["{field}"]' in app.code[0].value
    one_term = facts(app)["terms"] == 1
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
    app = opened(page, notation="gml")
    assert "GeometricMachineLearning.jl" in texts(app)
    gap = facts(app).get("gap_with_columns")
    assert (gap is None) == (largest is None)
    assert gap is None or gap < largest


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_every_board_is_transposed_where_a_page_says_so(page: str) -> None:
    app = opened(page, notation="gml")
    boards = [scene["transposed"] for scene in scenes(app)]
    assert len(set(boards)) <= 1
    assert ("gap_with_columns" in facts(app)) == any(boards)
    assert any(boards) == bool(boards) or not page_of(page).looks_into
