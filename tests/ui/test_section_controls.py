"""Which controls a section shows, and that the others stay in the address."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.page_list import PAGES, Page
from attention_lab.presets import preset_of, presets
from attention_lab.scenario import Scenario
from tests.ui.app import gone_to, opened, page_context

FIRST_OF_A_SECTION = {page.section: page for page in reversed(PAGES)}
OF_THEIR_OWN = {str(page.own_controls): page for page in PAGES}


@pytest.mark.parametrize(
    "page",
    dict.fromkeys([*FIRST_OF_A_SECTION.values(), *OF_THEIR_OWN.values()]),
    ids=lambda page: page.url_path,
)
def test_a_section_shows_the_controls_it_uses(page: Page) -> None:
    app, own = opened(page.url_path), page.own_controls
    used = ("text", "n_tokens", "d_model", "n_heads") if own is None else own.used
    assert keys_of(app) == set(used)
    assert ("Weights" in [box.label for box in app.sidebar.expander]) == (own is None)
    said = [caption.value for caption in app.sidebar.caption]
    usual = preset_of(Scenario())
    assert usual
    assert said == ([usual.hint] if own is None else [own.says])


@pytest.mark.parametrize("page", ["trained-heads", "training"])
def test_what_is_set_elsewhere_stays_in_the_address(page: str) -> None:
    address = {"d_model": "32", "seed": "7", "text": "One two"}
    app = opened("scores", **address)
    for there in (page, "scores"):
        app = gone_to(app, there)
        assert {name: app.query_params.get(name) for name in address} == address
        assert "n_heads" not in keys_of(app) or there == "scores"
    assert page_context(app).scenario == Scenario(text="One two", d_model=32, seed=7)


def test_an_example_chosen_among_trained_heads_is_in_the_address() -> None:
    app = opened("trained-heads")
    example = next(one for one in presets() if one.scenario.d_model != Scenario().d_model)
    app.selectbox(key="example").select(example.name).run()
    assert app.query_params["d_model"] == str(example.scenario.d_model)
    assert page_context(gone_to(app, "scores")).scenario == example.scenario


def keys_of(app: AppTest) -> set[str | None]:
    """The names of the sizes' widgets that are in the sidebar."""
    side = app.sidebar
    widgets = (*side.text_input, *side.select_slider, *side.number_input, *side.slider)
    return {widget.key for widget in widgets} & {"text", "n_tokens", "d_model", "n_heads"}
