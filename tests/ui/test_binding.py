"""What a URL holds is followed: every choice of a page, none, or what nobody knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.scenario import Scenario
from tests.ui.app import (
    EVERY_PAGE,
    ROOT,
    errors,
    figures,
    gone_to,
    html,
    opened,
    page_context,
    said,
    scenes,
    texts,
)


def test_the_url_is_bound_at_one_place() -> None:
    found = [*(ROOT / "attention_ui").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    bound = [file.name for file in found if "query-params" in file.read_text("utf-8")]
    assert bound == ["binding.py"]


@pytest.mark.parametrize(
    ("page", "name"), [("mask-workshop", "mw_masks"), ("growth", "growth_lines")]
)
def test_nothing_chosen_is_a_choice(page: str, name: str) -> None:
    app = opened(page, **{name: ""})
    assert not app.session_state[name]
    assert not app.toast


def test_each_of_several_options_may_stand_alone_in_a_url() -> None:
    app = opened("growth")
    app.query_params["growth_n"] = ["4", "64"]
    assert app.run().session_state["growth_n"] == "4.64"
    assert not app.toast


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_every_choice_is_understood_and_a_rerun_changes_nothing(page: str) -> None:
    plain = opened(page)
    shown_plain, url = all_of(plain), dict(choices(plain))
    app = opened(page, **url) if url else plain
    assert not app.toast
    first = all_of(app)
    assert all_of(app.run()) == first
    if not url:
        return
    shown = {name: app.session_state[name] for name in url if name in app.session_state}
    assert {
        name: str(*one) if isinstance(one, list) else str(one) for name, one in shown.items()
    }.items() <= url.items()
    wished = [name for name in url if not isinstance(plain.session_state[name], list)]
    app = opened(page, **dict.fromkeys(wished, ""))
    assert not errors(app)
    assert all_of(app) == shown_plain
    assert len(app.toast) == len(wished)


def all_of(app: AppTest) -> list[Any]:
    """All that a page shows."""
    return [texts(app), scenes(app), figures(app), html(app)]


def choices(app: AppTest) -> Iterator[tuple[str, str]]:
    """Each widget with a few choices that is bound to the URL, with one that it does not
    show.
    """
    for widget in app.main:
        options = getattr(widget, "options", None)
        name = getattr(widget.proto, "query_param_key", "")
        if name and options:
            yield name, next(option for option in options if option != str(app.session_state[name]))


def test_parameters_that_nobody_knows_do_nothing() -> None:
    foreign = ("utm_source", "__proto__", "here", "preset", "example", "", "$$ID-1", "session")
    app = opened("scores", **dict.fromkeys(foreign, "1"))
    assert page_context(app).scenario == Scenario()
    assert not app.toast
    assert not app.exception


def test_a_step_back_takes_a_choice_back_once() -> None:
    app = opened("scores", head=2, query=3)
    del app.query_params["head"]
    app.query_params["unset"] = "head.n_heads.subset"
    app.run()
    assert (app.session_state["head"], app.session_state["query"]) == (0, 3)
    assert "unset" not in app.query_params
    app.query_params["unset"] = "head"
    app.selectbox(key="head").set_value(1).run()
    assert app.session_state["head"] == 1
    assert not app.toast
    assert not errors(app)


def test_a_url_from_before_the_last_answer_asks_for_nothing() -> None:
    """A quick second move of a slider comes with the URL that the first one has not changed yet."""
    app = opened("scores", bare=True)
    late = {name: app.session_state[name] for name in ("query", "key")}
    app.select_slider(key="n_tokens").set_value("4").run()
    found = page_context(app).focus
    assert found.query != late["query"]
    for name, place in late.items():
        app.query_params[name] = str(place)
    app.select_slider(key="n_tokens").set_value("5").run()
    assert page_context(app).focus == found
    assert not app.toast
    app.query_params["query"] = str(late["query"])
    app.run()  # without an act the URL counts, as after a step back
    assert said(app) == ["The URL asks for “8” under “Query”; the last one, 4, is shown."]


def test_the_url_of_a_page_holds_its_own_choices_and_those_of_the_layer() -> None:
    app = opened("all-heads", heads_lines="key", n_heads="2", query="3")
    for page, held in (("scores", False), ("all-heads", True), ("glossary", False)):
        gone_to(app, page)
        named = dict(app.query_params)
        assert ("heads_lines" in named) is held, page
        assert (named["n_heads"], named["query"]) == ("2", "3")


def test_what_a_step_shows_goes_along_to_pages_without_it() -> None:
    app = opened("mask", unmasked="true")
    assert gone_to(app, "glossary").query_params["unmasked"] in ("true", ["true"])
