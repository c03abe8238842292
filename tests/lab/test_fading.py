"""Help with a question by hand: what each level shows adds up, and what it asks for is hidden."""

from __future__ import annotations

import pytest

from attention_lab.practice import ASKED_FIELDS, HELP_LEVELS, fade_example, practice_question
from tests.lab.test_practice import layer

FIELDS = [field for field in ASKED_FIELDS if field != "merged"]


@pytest.mark.parametrize("field", FIELDS)
def test_each_level_shows_less(field: str) -> None:
    question = practice_question(layer(), 2, field)
    own, no_result, no_term, worked = (fade_example(question, level) for level in HELP_LEVELS)
    assert (own.lines, own.result) == ((), None)
    assert no_result.result is None
    assert None not in [line.value for line in no_result.lines]
    assert [line.value for line in no_term.lines].count(None) == 1
    assert no_term.result == worked.result == question.answer
    assert len(worked.lines) == len(question.exact.terms)


@pytest.mark.parametrize("field", FIELDS)
def test_the_missing_term_is_judged(field: str) -> None:
    question = practice_question(layer(), 3, field)
    shown = fade_example(question, "one term missing")
    assert shown.missing is not None
    exact = question.exact.terms[shown.missing].value
    assert shown.accepts(exact)
    assert shown.accepts(round(question.rounded.terms[shown.missing].value, shown.decimals))
    assert not shown.accepts(exact + 3 * shown.tolerance)
    assert not shown.accepts(float("nan"))
