"""*Practice* in the app: an answer is typed and judged, old links open a set, a link is handed
out.
"""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from attention_lab.practice import practice_question
from attention_lab.presets import preset_named
from attention_viz.practice_page import SET, SMALL_EXAMPLE
from tests.ui.app import opened, page_context, title

LAYER = {"text": "you like cake", "d_model": "4", "n_heads": "2", "embedding": "integers"}


def test_an_answer_is_judged_and_the_next_question_begins_anew() -> None:
    app = opened("practice", pr_step="scores", pr_number=3, pr_show="true", **LAYER)
    question = practice_question(page_context(app).trace, 3, "scores")
    app.text_input(key="choose pr_answer").set_value(f"{question.value:.2f}").run()
    assert (len(app.success), len(app.warning)) == (1, 0)
    app.button(key="practice Next question").click().run()
    assert (len(app.success), len(app.warning)) == (0, 0)
    assert app.number_input(key="choose pr_number").value == 4
    assert app.text_input(key="choose pr_answer").value == ""
    app.toggle(key="choose pr_show").set_value(True).run()
    app.button(key="practice to See it on the board").click().run()
    assert title(app) == "Scores"
    cell = practice_question(page_context(app).trace, 4, "scores").exact.index
    assert page_context(app).focus.cell("query", "key") == cell[1:]


def test_an_old_link_opens_a_set_and_a_link_to_it_keeps_no_answers() -> None:
    own = {"hw_student": "7", "hw_answer_1": "5", "hw_show_1": "true"}
    app = opened("homework", hw_first="3", **own, **LAYER)
    assert title(app) == "Practice"
    assert app.text_input(key="choose hw_answer_1").value == "5"
    link = urlsplit(app.code[-1].value)
    held = {name: texts[0] for name, texts in parse_qs(link.query).items()}
    assert link.path == "/practice"
    assert held.items() >= (LAYER | {"pr_mode": SET, "hw_first": "3", "hw_count": "6"}).items()
    assert held.keys().isdisjoint(own)


def test_tries_are_counted_and_stand_in_the_url() -> None:
    app = opened("practice", pr_mode=SET, **LAYER)
    for given in ("4", "5", "", "5"):
        app.text_input(key="choose hw_answer_2").set_value(given).run()
    assert (app.session_state["hw_tries_1"], app.session_state["hw_tries_2"]) == ("0", "3")
    again = opened("practice", **app.query_params)
    assert again.session_state["hw_tries_2"] == "3"


def test_an_example_with_a_seed_replaces_a_layer_without_one() -> None:
    app = opened("practice", pr_mode=SET, weights="weightless", n_heads=1)
    app.button(key="practice Use three words with small numbers").click().run()
    example = preset_named(SMALL_EXAMPLE)
    assert example is not None
    assert page_context(app).scenario == example.scenario
