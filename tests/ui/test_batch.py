"""A batch in the story: the field, the choice of the sentence, what the steps say of it."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab.scenario import Scenario, trace_of
from tests.ui.app import (
    error,
    gone_to,
    opened,
    page_context,
    refused,
    scenes,
    stage,
    texts,
    unfolded,
)
from tests.viz.reading_words import numbers_said

QUERY = {"text": "we like green tea today", "batch": "it slept\nthe dog ran", "n_heads": 2}
TEXTS = ["we like green tea today", "it slept", "the dog ran"]
BATCH = Scenario(TEXTS[0], n_heads=2, batch="\n".join(TEXTS[1:]))


def test_two_lines_are_a_batch_of_three() -> None:
    app = unfolded(opened("scores", text=TEXTS[0], n_heads=2))
    assert "sentences" not in stage(app)
    app.get_by_key("batch").set_value(QUERY["batch"]).run()
    assert page_context(app).batch is trace_of(BATCH)
    assert app.query_params["batch"] == QUERY["batch"]
    assert stage(app)["sentences"] == {"texts": TEXTS, "chosen": 0}


@pytest.mark.parametrize("page", ["tokens", "split", "output"])
def test_every_step_shows_the_chosen_sentence(page: str) -> None:
    app = opened(page, **QUERY, sentence=2, query=1)
    trace, whole = page_context(app).trace, trace_of(page_context(app).scenario)
    assert trace.labels("T") == ("the", "dog", "ran", "[pad]", "[pad]")
    assert np.array_equal(trace.output[0], whole.output[2])
    assert stage(app)["sentences"] == {"texts": TEXTS, "chosen": 2}
    assert "(real tokens: 3)" in texts(app)
    assert scenes(app)[1]["cell"]["array"] == "sentence 2"
    assert not refused(app)
    if page == "split":
        assert "(3, 2, 5, 8)" in texts(app)


def test_choosing_a_sentence_computes_nothing() -> None:
    app = opened("softmax", **QUERY)
    before = page_context(app).batch
    app.session_state["sentence"] = 1
    app.run()
    assert page_context(app).batch is before
    assert page_context(app).trace.tokens[:2] == ("it", "slept")
    assert app.query_params["sentence"] == "1"
    assert gone_to(app, "merge").query_params["sentence"] == "1"


@pytest.mark.parametrize(
    ("asked", "shown"), [("3", 2), ("999999", 2), ("-1", 0), ("<b>", 0), ("1e9", 0)]
)
def test_a_sentence_that_there_is_not(asked: str, shown: int) -> None:
    app = opened("scores", **QUERY, sentence=asked)
    assert page_context(app).sequence == shown
    assert [(label, wish) for label, wish, _ in refused(app)] == [("Sentence", asked)]


def test_a_line_without_a_word_is_named_and_nothing_is_lost() -> None:
    app = opened("scores", text=TEXTS[0], batch="it slept\n\u200e")
    assert "2" in str(error(app))
    assert app.get_by_key("batch").value == "it slept\n\u200e"


@pytest.mark.parametrize("page", ["all-heads", "mask-workshop", "what-changes"])
def test_other_pages_look_at_the_sentence_alone(page: str) -> None:
    app = opened(page, **QUERY, sentence=1)
    assert page_context(app).scenario == Scenario(TEXTS[1], n_heads=2)
    assert page_context(app).trace.sizes["B"] == 1
    assert "this page looks at sentence 1 alone" in texts(app)
    assert app.query_params["sentence"] == "1"


def test_x_can_be_edited_in_the_first_sentence_only() -> None:
    for place, editable in ((0, True), (1, False)):
        app = opened("projections", **QUERY, sentence=place)
        panels = {panel["array"]: panel for panel in scenes(app)[0]["panels"]}
        assert bool(panels["inputs"].get("editable")) is editable
        assert panels["w_q"]["editable"]


def test_all_steps_hand_out_the_whole_batch() -> None:
    app = opened("scores", **QUERY, sentence=1)
    app.session_state["closer"] = "code.numbers.files"
    app.run()
    assert any("(B, H, T, S) = (3, 2, 5, 5)" in code.value for code in app.code)


def test_a_page_of_one_sentence_says_how_many_there_are_and_which_it_shows() -> None:
    app = opened("all-heads", **QUERY, sentence=2)
    numbers = numbers_said(
        next(one for one in texts(app).split("\n") if "this page looks at" in one)
    )
    assert numbers == [3, 2]
    assert page_context(app).scenario == Scenario(TEXTS[2], n_heads=2)
    assert "this page looks at" not in texts(opened("scores", **QUERY, sentence=2))


def test_options_of_modern_attention_are_left_out_where_a_page_explains_the_layer_without() -> None:
    modern = {"rotary": "halves", "sink": "true", "softcap": "true", "qk_norm": "true"}
    plain = Scenario(TEXTS[0])
    for page, runs in (("head-worth", False), ("what-changes", True), ("scores", True)):
        app = opened(page, text=TEXTS[0], **modern)
        assert (page_context(app).scenario == plain) is not runs
        assert ("are left out here" in texts(app)) is not runs
