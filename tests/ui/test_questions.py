"""What learners ask stands on the overview, is found by their words, and leads to what is there."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

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
    """The list is that of the page about concepts; a search keeps those that fit."""
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


@pytest.mark.parametrize("row", read_table("synonyms"), ids=lambda row: row["typed"])
def test_every_synonym_finds_something(row: dict[str, str]) -> None:
    """A line of the table that leads to no question has no use."""
    assert find_entries(row["typed"], [ASKED])


@pytest.mark.parametrize("question", QUOTING, ids=lambda one: str(one.number))
def test_what_a_question_names_is_on_its_page(question: Entry) -> None:
    """A heading, a box or a button that is named in quotation marks stands on the page that the
    link opens.
    """
    shown = labels(opened(question.page, **dict(parse_qsl(question.query))))
    named = re.findall("“(.+?)”", question.look)
    assert [name for name in named if name not in shown] == []
