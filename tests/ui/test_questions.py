"""What learners ask stands on the overview, is found by their words, and leads to what is there."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.scenario import Scenario, trace_of
from attention_ui.reference.questions import ASKED, Entry, find_entries, learner_questions
from attention_ui.registry import read_table
from tests.ui.app import facts, opened, texts

QUOTING = [one for one in learner_questions() if "“" in one.look]


def labels(app: AppTest) -> str:
    """The names of all that can be opened, chosen and pressed, with the headings."""
    named = (*app.expander, *app.button, *app.toggle, *app.get("download_button"))
    options = [option for choice in app.get("button_group") for option in choice.options]
    headings = [heading.value for heading in (*app.header, *app.subheader)]
    return "\n".join([*headings, *options, *(one.label for one in named), texts(app)])


def test_the_overview_lists_them_all() -> None:
    app = opened("overview")
    everything = [one.number for one in learner_questions()]
    assert facts(app)["questions_found"] == everything
    app.text_input(key="asked_words").set_value("GQA").run()
    assert facts(app)["questions_found"] == [one.number for one in find_entries("GQA", [ASKED])]
    app.text_input(key="asked_words").set_value("banana").run()
    assert facts(app)["questions_found"] == []


@pytest.mark.parametrize(
    ("typed", "page"),
    [
        ("parameters", "shared-keys"),
        ("do more heads have more parameters?", "shared-keys"),
        ("explanation", "find-a-head"),
        ("order", "invariances"),
        ("position", "invariances"),
        ("notebook", "scores"),
        ("GQA", "shared-keys"),
        ("one or eight heads", "training"),
        ("reshape or permute", "split"),
        ("my weights do not sum to one", "break-it"),
        ("coreference", "find-a-head"),
    ],
)
def test_synonyms_are_known(typed: str, page: str) -> None:
    """What is called otherwise here is found by the words of those who ask."""
    assert page in {one.page for one in find_entries(typed, [ASKED])}


# What a beginner types, by the number of the question that must come first.
BEGINNERS_TYPE = {
    1: ("what is attention", "self-attention", "what is an attention mechanism"),
    2: ("what is a query", "query key value", "what are keys", "qkv"),
    3: ("why three vectors", "why three matrices"),
    4: ("what is a token", "word embedding"),
    5: ("what is a score", "why a dot product?"),
    6: ("why divide by sqrt(d_k)", "why scale the scores", "scaled dot product"),
    7: ("why softmax", "what does the softmax do"),
    8: ("temperature", "What is the temperature for?"),
    9: ("why do we use a mask", "causal mask", "padding mask"),
    10: ("positional encoding", "position embedding", "sinusoidal"),
    11: ("what is a head", "attention head"),
    12: (
        "why several heads",
        "why multiple heads",
        "multi-head",
        "more than one head",
    ),
    13: ("what does W_O do", "output projection", "linear layer"),
}


@pytest.mark.parametrize(
    ("number", "typed"), [(number, one) for number, all_ in BEGINNERS_TYPE.items() for one in all_]
)
def test_what_beginners_ask_comes_first(number: int, typed: str) -> None:
    assert find_entries(typed, [ASKED])[0].number == number
    beside_ideas = [one.number for one in find_entries(typed, []) if one.text == ASKED]
    assert beside_ideas[0] == number


def test_one_vector_for_query_and_key_makes_scores_symmetric() -> None:
    link = next(one for one in learner_questions() if "weights=weightless" in one.query)
    asked = dict(parse_qsl(link.query))
    for weights, symmetric in ((asked["weights"], True), ("random", False)):
        scores_TS = trace_of(Scenario(weights=weights, n_heads=int(asked["n_heads"]))).scores[0, 0]
        assert np.allclose(scores_TS, scores_TS.T) is symmetric


@pytest.mark.parametrize("row", read_table("synonyms"), ids=lambda row: row["typed"])
def test_every_synonym_finds_something(row: dict[str, str]) -> None:
    assert find_entries(row["typed"], [ASKED])


@pytest.mark.parametrize("question", QUOTING, ids=lambda one: str(one.number))
def test_what_a_question_names_is_on_its_page(question: Entry) -> None:
    shown = labels(opened(question.page, **dict(parse_qsl(question.query))))
    named = re.findall("“(.+?)”", question.look)
    assert [name for name in named if name not in shown] == []
