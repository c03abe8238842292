"""Which controls a section shows, and that the others stay in the address."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.control_list import CONTROLS
from attention_lab.page_list import PAGES, Page
from attention_lab.presets import preset_of, presets
from attention_lab.scenario import Scenario
from tests.ui.app import gone_to, opened, page_context

OF_THEIR_OWN = {str(page.own_controls): page for page in PAGES}
MOVED = {
    "text": "One two",
    "d_model": "32",
    "mask": "causal",
    "rotary": "halves",
    "notation": "gml",
}


def used_by(page: Page) -> set[str]:
    """The controls that a page uses."""
    if page.own_controls is not None:
        return set(page.own_controls.used)
    return {one.name for one in CONTROLS if page.runs_modern or one.group != "Modern attention"}


@pytest.mark.parametrize("page", OF_THEIR_OWN.values(), ids=lambda page: page.url_path)
def test_a_page_shows_the_controls_it_uses(page: Page) -> None:
    app, own = opened(page.url_path), page.own_controls
    assert shown(app) == used_by(page) & {"text", "n_tokens", "d_model", "n_heads"}
    assert ("Weights" in [box.label for box in app.sidebar.expander]) == (own is None)
    said = [caption.value for caption in app.sidebar.caption]
    usual = preset_of(Scenario())
    assert usual
    assert said == ([usual.hint] if own is None else [own.says])


def test_the_sidebar_holds_what_a_page_uses_after_every_arrival() -> None:
    """By a click in the book, with what was moved elsewhere still in the URL; by that URL; and once
    more, as after a reload.
    """
    app = opened("scores", **MOVED)
    for page in (one for one in PAGES if one.has_sidebar):
        app = gone_to(app, page.url_path)
        assert {name: app.query_params.get(name) for name in MOVED} == MOVED, page.url_path
        used = used_by(page)
        assert used & {*MOVED} <= shown(app) <= used, page.url_path
        if OF_THEIR_OWN[str(page.own_controls)] == page:
            direct = opened(page.url_path, **MOVED)
            for again in (direct, direct.run()):
                assert shown(again) == shown(app), page.url_path
                assert {name: again.query_params.get(name) for name in MOVED} == MOVED


@pytest.mark.parametrize("page", ["trained-heads", "training"])
def test_what_is_set_elsewhere_stays_in_the_address(page: str) -> None:
    address = {"d_model": "32", "seed": "7", "text": "One two"}
    app = opened("scores", **address)
    for there in (page, "scores"):
        app = gone_to(app, there)
        assert {name: app.query_params.get(name) for name in address} == address
        assert "n_heads" not in shown(app) or there == "scores"
    assert page_context(app).scenario == Scenario(text="One two", d_model=32, seed=7)


def test_an_example_chosen_among_trained_heads_is_in_the_address() -> None:
    app = opened("trained-heads")
    example = next(one for one in presets() if one.scenario.d_model != Scenario().d_model)
    app.selectbox(key="example").select(example.name).run()
    assert app.query_params["d_model"] == str(example.scenario.d_model)
    assert page_context(gone_to(app, "scores")).scenario == example.scenario


def shown(app: AppTest) -> set[str]:
    """The names of the controls that are in the sidebar."""
    side = app.sidebar
    kinds = (side.text_input, side.text_area, side.select_slider, side.number_input, side.slider)
    widgets = [one for kind in (*kinds, side.selectbox, side.toggle) for one in kind]
    return {one.name for one in CONTROLS} & {str(widget.key) for widget in widgets}
