"""The cell in focus: set by select boxes and URLs, always within the trace, never changing
it.
"""

from __future__ import annotations

import re
from dataclasses import astuple
from itertools import product

import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.by_hand import choose_example_cell
from attention_lab.focus import Focus
from attention_lab.page_list import PAGES, Page
from attention_lab.scenario import Scenario, trace_of
from attention_lab.state_file import FOCUS
from attention_viz.markdown import escape_markdown
from tests.ui.app import MAIN, gone_to, opened, page_context, refused, scenes

# The choices on a page that look into different places; else its first ones say all.
STATES: dict[str, list[dict[str, str]]] = {
    "projections": [{"which": "queries"}, {"which": "keys"}],
    **{step: [{"which": "queries"}, {"which": "keys"}] for step in ("split", "qk-norm", "rotary")},
    "what-changes": [{"shown": shown} for shown in ("probabilities", "output")],
}


@pytest.mark.parametrize("name", FOCUS)
def test_a_select_box_moves_the_focus(name: str) -> None:
    app = opened("what-changes", key=4)
    before = page_context(app)
    app.selectbox(key=name).select_index(2).run()
    after = page_context(app)
    moved = {name: 2}
    if name == "head":
        moved["key"] = int(before.trace.probabilities[0, 2, 0].argmax())
        assert moved["key"] != 4
    assert vars(after.focus) == vars(before.focus) | moved
    assert after.trace is before.trace
    assert app.query_params.get(name) in ("2", ["2"])


def test_the_boxes_name_tokens_and_places() -> None:
    app = opened("what-changes", text="the cat the dog")
    assert app.selectbox(key="query").options == ["0 · the", "1 · cat", "2 · the", "3 · dog"]
    assert app.selectbox(key="key").options == app.selectbox(key="query").options
    assert app.selectbox(key="head").options == ["0", "1", "2", "3"]


def test_a_box_is_told_its_place_only_when_it_must_be() -> None:
    app = opened("scores", text="the cat sat on the mat", query=3)

    def told() -> dict[str, str]:
        boxes = {name: app.selectbox(key=name).proto for name in ("head", "query", "key")}
        return {name: box.raw_value for name, box in boxes.items() if box.set_value}

    app.run()
    assert told() == {}
    app.text_input(key="text").set_value("the cat lay by the mat").run()
    assert told() == {"query": "3 · by"}
    app.run()
    assert told() == {}
    app.text_input(key="text").set_value("the cat").run()
    box = app.selectbox(key="query").proto
    assert (box.raw_value, box.default) == ("1 · cat", 1)


MADE_ANEW = re.compile(r'deferred_file_id: "\w+"')  # of a file that is made when it is asked for


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.url_path)
def test_every_box_has_an_effect(page: Page, request: pytest.FixtureRequest) -> None:
    states = STATES.get(page.url_path, [{}])
    shown = [opened(page.url_path, **state) for state in states]
    boxes = tuple(box.key for box in shown[0].sidebar.selectbox if box.key in FOCUS)
    assert boxes == page.looks_into
    before = [_everything(app.run()) for app in shown]
    # That the other places have none is seen by `make test-all`.
    tried = FOCUS if request.config.getoption("every_situation") else page.looks_into
    for name in tried:
        for app, place in product(shown, FOCUS):
            app.session_state[place] = 2 if place == name else 0
        after = [_everything(app.run()) for app in shown]
        assert (before != after) is (name in page.looks_into), name


def _everything(app: AppTest) -> list[str]:
    """All that the browser is sent for the page itself; what the machine takes for it differs
    from run to run.
    """
    return [MADE_ANEW.sub("", str(element.proto)) for element in app.main]


FAR = {"head": 4, "query": 12, "key": 99, "feature": 4096}


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ({"head": 3, "query": 11, "key": 0}, Focus(3, 11, 0, 0)),
        (FAR, Focus(3, 11, 11, 15)),
        ({"head": 99999}, Focus(3, 0, 0, 0)),
        ({"head": "007"}, Focus(3, 0, 0, 0)),
    ],
)
def test_a_place_outside_moves_to_the_nearest_end(url: dict[str, object], expected: Focus) -> None:
    app = opened("scores", **url)
    assert page_context(app).focus == expected
    places = [(name, str(place), str(vars(expected)[name])) for name, place in url.items()]
    assert refused(app) == [(name.capitalize(), a, b) for name, a, b in places if a != b]
    app.run()
    assert not app.toast


def test_no_notice_where_no_place_is_shown() -> None:
    assert not opened("questions", query=999).toast


def test_a_smaller_layer_moves_the_focus_in() -> None:
    app = opened("scores", head=3, query=11)
    app.slider(key="n_heads").set_value(2).run()
    assert page_context(app).focus == Focus(1, 11, 0, 0)
    for length in ("5", "12", "3"):
        app.select_slider(key="n_tokens").set_value(length).run()
        cell = choose_example_cell(page_context(app).trace, 1)
        assert astuple(page_context(app).focus) == cell
        assert scenes(app)[0]["cell"]["index"] == [0, *cell[:3]]
    app.selectbox(key="query").select_index(0).run()
    app.selectbox(key="key").select_index(0).run()
    app.select_slider(key="n_tokens").set_value("2").run()
    assert page_context(app).focus == Focus(1, 0, 0, 0)


@pytest.mark.parametrize(("sent", "expected"), [("3 · street", 3), ("99 · gone", 11), ("· x", 0)])
def test_the_words_of_an_old_list_still_mean_their_place(sent: str, expected: int) -> None:
    app = AppTest.from_file(str(MAIN), default_timeout=60)
    app.session_state["query"] = sent
    gone_to(app, "scores")
    assert not app.exception
    assert page_context(app).focus.query == expected


def test_panels_follow_the_focus() -> None:
    app = opened("scores", head=2, query=6, key=1)
    trace = page_context(app).trace
    result = f"{trace.scores[0, 2, 6, 1]:.4f}".replace("-", "−")
    lines = [line for text in app.markdown for line in text.value.splitlines()]
    (line,) = [line for line in lines if line.endswith(escape_markdown(result))]
    assert [name in line for name in ("“street”", "“animal”")] == [True, True]
    assert scenes(app)[0]["cell"] == {"array": "scores", "index": [0, 2, 6, 1]}


def test_a_focus_within_a_narrower_field() -> None:
    trace = trace_of(Scenario(d_k=3, d_v=5))
    far = Focus(head=2, query=0, key=0, feature=9)
    fields = ("query_heads", "merged", "inputs")
    assert [far.within(trace, field).feature for field in fields] == [2, 4, 9]
    assert [far.column(trace, field) for field in ("queries", *fields[1:])] == [8, 14, 9]


def test_a_page_without_cells_keeps_the_place() -> None:
    app = opened("scores", head=2, query=5)
    gone_to(app, "questions")
    assert not any(box.key in ("head", "query", "key", "feature") for box in app.sidebar.selectbox)
    gone_to(app, "softmax")
    assert (page_context(app).focus.head, page_context(app).focus.query) == (2, 5)
    assert app.selectbox(key="head").value == 2
