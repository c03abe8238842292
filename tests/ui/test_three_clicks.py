"""What a student asks on a first visit is answered within three clicks from the first page.

The first click is into the search field of the overview, the second on the link that it finds; a
third may open a box that the link's sentence names.
"""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from attention_ui.reference.questions import Entry, learner_questions
from attention_ui.registry import PAGES
from tests.ui.app import facts, opened

# What is typed, and the page that must be found. At most `FIRST` questions may stand above it.
ASKED_BY_STUDENTS = {
    "where is W_O, and what happens without it": "output",
    "reshape then transpose": "split",
    "whole embedding or a slice": "projections",
    "which axis is the softmax over": "break-it",
    "sqrt d_k, not sqrt C": "scale",
    "why do my weights not sum to 1": "softmax",
    "is the diagonal inside the causal mask": "mask",
    "what about padded queries": "mask-workshop",
    "do more heads need more parameters": "shared-keys",
    "heads do not divide the embedding size": "split",
    "sum heads instead of concatenate": "output",
    "self-attention, masked, cross-attention": "encoder-decoder",
    "does a token attend most to itself without weights": "self-attention-mass",
    "what do trained heads look at": "trained-heads",
    "load my own model": "your-weights",
    "which head handles it": "find-a-head",
    "is attention an explanation": "find-a-head",
    "does word order matter": "invariances",
    "MQA and GQA": "shared-keys",
    "one head or eight": "training",
    "work it out by hand": "practice",
    "into my notebook": "scores",
}
FIRST = 4


@pytest.mark.parametrize(("typed", "page"), ASKED_BY_STUDENTS.items(), ids=ASKED_BY_STUDENTS)
def test_a_question_leads_to_its_answer(typed: str, page: str) -> None:
    overview = opened(PAGES[0].url_path)
    overview.text_input(key="asked_words").set_value(typed).run()
    numbers = facts(overview)["questions_found"]
    answers = [one for one in learner_questions() if one.number in numbers]
    assert page in [one.page for one in answers[:FIRST]]
    link = next(one for one in answers if one.page == page)
    assert any(f"]({link.url})" in table.value for table in overview.markdown)
    assert_opens(link)


def assert_opens(link: Entry) -> None:
    """The page of a link runs without an exception and can show all that its URL asks for."""
    app = opened(link.page, **dict(parse_qsl(link.query)))
    assert not app.exception
    assert facts(app)["refused"] == []
