"""What a visitor sees before choosing anything, and the cell that explains a new sentence."""

from __future__ import annotations

import json
from dataclasses import astuple, replace
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.by_hand import choose_example_cell
from attention_lab.focus import Focus
from attention_lab.heads.head_worth import norm_shares
from attention_lab.masks.encoder_decoder import run_three_uses
from attention_lab.presets import (
    KEEP_EXAMPLE,
    PRESET_FILE,
    SUITED_EXAMPLES,
    cell_worth_a_look,
    example_for,
    opening_cell,
    presets,
    widget_values,
)
from attention_lab.scenario import Scenario, trace_of
from attention_lab.state_file import FOCUS, State, write_state
from attention_ui import first_look
from tests.ui.app import gone_to, opened, page_context, scenes, texts

FIRST = presets()[0]
OWN_SENTENCE = "the dog chased the ball because it was hungry"


def opening(app: AppTest) -> dict[str, str]:
    """What the URL of the first example is made to say."""
    said: dict[str, str] = app.session_state["session"].opening
    return said


def bodies(app: AppTest) -> list[str]:
    """Everything that is sent as HTML."""
    return [str(element.proto.body) for element in app.html]


def test_a_bare_url_opens_the_first_example() -> None:
    app = opened(bare=True)
    assert page_context(app).scenario == FIRST.scenario
    assert page_context(app).focus == Focus(*(FIRST.focus or ()))
    assert app.selectbox(key="example").value == FIRST.name
    assert app.slider(key="n_heads").value == 2
    chosen = opened("scores")
    chosen.selectbox(key="example").select(FIRST.name).run()
    assert page_context(app).trace is page_context(chosen).trace
    scenario = json.loads(PRESET_FILE.read_text("utf-8"))[0]["scenario"]
    named = {name: str(value) for name, value in scenario.items()}
    assert opening(app) == named | {"query": "8", "key": "1"}
    (script,) = [body for body in bodies(app) if "replaceState" in body]
    assert json.dumps(opening(app)) in script
    shared = opened(**opening(app))
    assert page_context(shared) == page_context(app)
    assert (texts(shared), [*shared.toast]) == (texts(app), [])
    assert not opening(app.run())


@pytest.mark.parametrize("name", ["seed", "mask", "query", "edits"])
def test_a_url_that_names_anything_keeps_the_defaults(name: str) -> None:
    usual = widget_values(Scenario()) | {"query": 0, "edits": "wq_0_0_9"}
    app = opened("scores", bare=True, **{name: usual[name]})
    assert replace(page_context(app).scenario, edits="") == Scenario()
    assert page_context(app).focus == Focus(0, 0, 0, 0)


def test_a_url_with_nothing_but_a_sentence_shows_it_in_the_language_model() -> None:
    for text in ("I love you", "", "猫が好き"):
        app = opened("scores", bare=True, text=text)
        asked = Scenario(text, weights="language model", layer=4)
        assert page_context(app).scenario == asked
        assert astuple(page_context(app).focus) == cell_worth_a_look(asked)
    assert page_context(opened("all-heads", bare=True, text="we")).scenario == Scenario("we")


def test_the_example_goes_along_and_is_left() -> None:
    app = opened(bare=True)
    for page in ("scores", "training", "trained-heads", "overview"):
        gone_to(app, page)
    assert page_context(app).scenario == FIRST.scenario
    app.selectbox(key="example").select(presets()[2].name).run()
    assert page_context(app).scenario == Scenario()
    for page in ("training", "scores"):
        gone_to(app, page)
    assert page_context(app).scenario == Scenario()


def test_a_page_opens_with_the_example_that_suits_it() -> None:
    for page in SUITED_EXAMPLES:
        assert page_context(opened(page, bare=True)).scenario == example_for(page).scenario
    for example, page in {example: page for page, example in SUITED_EXAMPLES.items()}.items():
        app = gone_to(gone_to(opened(bare=True), "scores"), page)
        if page in KEEP_EXAMPLE:
            assert page_context(app).scenario == FIRST.scenario
            continue
        assert app.selectbox(key="example").value == example
        assert page_context(app).scenario == example_for(page).scenario
        assert not app.toast
        assert page_context(gone_to(app, "scores")).scenario == FIRST.scenario


def test_a_choice_wins_over_the_example_of_a_page() -> None:
    app = opened(bare=True)
    app.slider(key="n_heads").set_value(1).run()
    chosen = page_context(app).scenario
    for page in ("shared-keys", "scores"):
        assert page_context(gone_to(app, page)).scenario == chosen
    url = opening(opened(bare=True))
    assert page_context(opened("shared-keys", **url)).scenario == FIRST.scenario


def test_no_page_opens_on_data_that_empty_it() -> None:
    (board,) = scenes(opened("shared-keys", bare=True))
    sets = [int(panel["badge"].split()[0]) for panel in board["panels"]]
    assert sets[0] > sets[1] > sets[2] == 1
    app = opened("encoder-decoder", bare=True)
    target = app.text_input(key="choose ed_target").value
    shares = run_three_uses(page_context(app).scenario, target, 0)["cross"].probabilities
    assert (shares[0].std(axis=-1) > 0.01).all()
    assert (norm_shares(page_context(opened("head-worth", bare=True)).trace)[0] > 0.1).all()


def test_a_laboratory_comes_before_the_visit_of_a_layer() -> None:
    app = opened("training", bare=True)
    assert app.query_params == {}
    gone_to(app, "scores")
    assert page_context(app).scenario == FIRST.scenario
    app = gone_to(opened("training", bare=True, seed=0), "scores")
    assert page_context(app).scenario == Scenario()


def test_the_usual_layer_can_be_shared_too() -> None:
    """At its very first cell nothing else would stand in the URL, so that the head does."""
    app = opened("scores", head=0)
    assert app.query_params == {"head": "0"} or app.query_params["head"] == ["0"]
    app.selectbox(key="query").select_index(3).run()
    assert "head" not in app.query_params
    app.selectbox(key="query").select_index(0).run()
    url = {name: app.query_params[name] for name in app.query_params}
    assert page_context(opened("scores", bare=True, **url)).scenario == Scenario()


def typed(app: AppTest, text: str) -> Focus:
    """The focus after a sentence was typed."""
    app.text_input(key="text").set_value(text).run()
    return page_context(app).focus


@pytest.mark.parametrize("bare", [True, False])
def test_an_own_sentence_is_told_by_a_cell_worth_telling(bare: bool) -> None:
    app = opened("scores", bare=bare)
    for text in (OWN_SENTENCE, "cake", "we like green tea", "it rains"):
        focus = typed(app, text)
        assert astuple(focus) == cell_worth_a_look(page_context(app).scenario)


def test_a_shorter_sequence_has_a_cell_worth_a_look_and_the_whole_one_its_own() -> None:
    app = opened("scores", bare=True)
    app.select_slider(key="n_tokens").set_value("4").run()
    assert astuple(page_context(app).focus) == choose_example_cell(page_context(app).trace)
    app.select_slider(key="n_tokens").set_value("fit").run()
    assert page_context(app).focus == Focus(*(FIRST.focus or ()))


def test_a_place_that_was_chosen_stays() -> None:
    app = opened("scores", bare=True)
    app.selectbox(key="query").select_index(4).run()
    assert typed(app, OWN_SENTENCE) == Focus(0, 4, 1, 0)
    assert typed(opened("scores", head=1, query=2), OWN_SENTENCE) == Focus(1, 2, 0, 0)
    app = opened("scores")
    app.query_params["query"] = "5"
    assert typed(app, OWN_SENTENCE) == Focus(0, 5, 0, 0)


def test_an_example_sentence_brings_its_own_cell() -> None:
    app = opened("scores", weights="trained", layer=3, text="it rains")
    assert typed(app, Scenario().text) == Focus(1, 9, 2, 0)
    assert typed(app, "the cat slept because it was ill").head == 1


def test_a_state_file_says_its_own_cell() -> None:
    state = State(Scenario(OWN_SENTENCE))
    app = opened("scores", bare=True)
    app.session_state["own numbers"] = True
    app.run()
    app.get_by_key("own file").upload("a.json", write_state(state), "application/json").run()
    assert page_context(app).scenario == state.scenario
    assert tuple(getattr(page_context(app).focus, name) for name in FOCUS) == (0, 0, 0, 0)
    assert trace_of(state.scenario) is page_context(app).trace


@pytest.mark.parametrize("layer", [0, 3])
def test_a_url_of_a_model_opens_at_a_cell_worth_a_look(layer: int) -> None:
    trained = Scenario(weights="trained", layer=layer)
    app = opened("scores", weights="trained", layer=layer)
    assert astuple(page_context(app).focus) == opening_cell(trained)
    assert {"query", "key"} <= app.query_params.keys()
    chosen = opened("scores", weights="trained", layer=layer, head=0)
    assert page_context(chosen).focus == Focus(0, 0, 0, 0)
    assert chosen.query_params["head"] == "0"


@pytest.mark.parametrize(("n_tokens", "stays"), [(7, True), (6, True), (5, False), (4, False)])
def test_the_last_place_that_there_is_stays(n_tokens: int, stays: bool) -> None:
    """Query 5 is the sixth token."""
    app = opened("scores", text="we saw it and it slept well", query=5, key=2)
    app.session_state["n_tokens"] = str(n_tokens)
    focus = page_context(app.run()).focus
    assert ((focus.query, focus.key) == (5, 2)) is stays
    assert focus.query < n_tokens


def test_what_the_url_says_ends_no_script(monkeypatch: pytest.MonkeyPatch) -> None:
    held = SimpleNamespace(opening={"text": "</script><script>alert(1)//"})
    monkeypatch.setattr(first_look, "session", lambda: held)
    script = first_look.opening_script()
    assert "<" not in script.split("Object.entries(")[1].split(")) {")[0]
    named = script.split("Object.entries(")[1].split(")) {")[0]
    assert json.loads(named) == held.opening
