"""The app and the site open with the same, and an act means the same in both."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any
from urllib.parse import parse_qs

import pytest

from attention_lab.focus import Focus
from attention_lab.presets import widget_values
from attention_lab.url_choices import read_url
from attention_viz.every_page import BLOCK_PAGES
from attention_viz.story.stages import STEPS_OF_STORY, shown_view
from attention_viz.story.story_view import StoryView, view_of
from tests.ui.app import EVERY_PAGE, opened, page_context, scenes
from tests.viz.reading_site import answer_to

OWN_SENTENCES = (
    "the dog chased the ball because it was hungry",
    "cake",
    "we like green tea",
    "Our teacher lost her keys",
    "a a a a",
    "the boy saw the girl and she saw him",
    "it rains",
    "猫が好き",
    "I never said she stole my money",
    "<b>bold</b> & brave!",
    "One day, a little frog was very sad. The",
    "the trophy did not fit into the suitcase because it was too big",
)


def view_on_site(found: dict[str, Any]) -> StoryView:
    """What the URL of an answer chooses."""
    return view_of(read_url(parse_qs(found["query"], keep_blank_values=True)))


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_a_url_without_parameters_opens_the_same(page: str) -> None:
    app, found = opened(page, bare=True), answer_to(page, "")
    shown, view = page_context(app), view_on_site(found)
    if page in STEPS_OF_STORY:  # a step of an option that is off is shown with it
        shown, view = shown_view(shown, page), shown_view(view, page)
    assert asdict(shown.scenario) == asdict(view.scenario)
    assert replace(shown.focus, feature=0) == replace(view.focus, feature=0)
    if page in STEPS_OF_STORY:  # a URL leaves out the feature that a step opens with
        assert scenes(app)[0]["cell"] == found["scene"]["cell"]
    if page in BLOCK_PAGES:
        parameters = parse_qs(found["query"], keep_blank_values=True)
        choices, values, refused = BLOCK_PAGES[page].after(view, parameters, {})
        texts = {one.key: one.text(values[one.key]) for one in choices}
        assert {name: app.session_state[name] for name in texts} == texts
        assert refused == found["refused"] == []


@pytest.mark.parametrize("layer", [{}, {"weights": "trained", "layer": 3}])
def test_own_sentences_are_looked_at_in_the_same_cell(layer: dict[str, object]) -> None:
    app = opened("scores", bare=True, **layer)
    found = answer_to("scores", "&".join(f"{name}={value}" for name, value in layer.items()))
    cells = set[Focus]()
    for text in OWN_SENTENCES:
        app.text_input(key="text").set_value(text).run()
        found = answer_to("scores", found["query"], act={"name": "text", "value": text})
        shown, view = page_context(app), view_on_site(found)
        assert (shown.scenario, shown.focus) == (view.scenario, view.focus), text
        cells.add(view.focus)
    assert len(cells) > len(OWN_SENTENCES) // 2


ACTS: tuple[tuple[str, str, object], ...] = (
    ("scores", "weights", "language model"),
    ("scores", "weights", "trained"),
    ("scores", "mask", "padding"),
    ("scores", "n_tokens", "1"),
    ("scores", "d_v", "1"),
    ("scores", "head", 1),
    ("scores", "text", "x " * 900),
)


@pytest.mark.parametrize(("page", "name", "value"), ACTS)
def test_a_control_brings_along_the_same(page: str, name: str, value: Any) -> None:
    app = opened(page, bare=True)
    for group in ("Weights", "Scores and mask", "Tokens and widths"):
        app.session_state[f"group {group}"] = True
    app.run().get_by_key(name).set_value(value).run()
    found = answer_to(page, answer_to(page, "")["query"], act={"name": name, "value": value})
    view = view_on_site(found)
    assert widget_values(page_context(app).scenario) == widget_values(view.scenario)
    assert page_context(app).focus == view.focus
