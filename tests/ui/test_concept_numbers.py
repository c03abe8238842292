"""Every number that the list of concepts promises at the end of a link is the number that is
computed there.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from attention_core import SettingsError
from attention_lab.scenario import trace_of
from attention_ui.reference.questions import concepts
from attention_ui.registry import page_of
from tests.ui.concept_counts import CHECKS, parameters_of, scenario_of

WORDS = {
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "thirteen": 13,
    "fourteen": 14,
}
NUMBER = re.compile(rf"\b(?:\d+|{'|'.join(WORDS)})\b")
UNEVEN = ("gml", 12)
LISTED = {(one.text, one.number): one for one in concepts()}


def promised(look: str) -> list[int]:
    """The numbers of a text in their order, in digits or in words; "one" is too often a pronoun
    to count.
    """
    return [WORDS.get(found) or int(found) for found in NUMBER.findall(look.casefold())]


def test_every_promise_is_checked() -> None:
    assert {key for key, one in LISTED.items() if promised(one.look)} == {*CHECKS, UNEVEN}


@pytest.mark.parametrize("key", CHECKS, ids=lambda key: f"{key[0]} {key[1]}")
def test_the_numbers_are_those_of_the_engine(key: tuple[str, int]) -> None:
    one = LISTED[key]
    parameters = parameters_of(one) | {"page": one.page}
    assert list(CHECKS[key](trace_of(scenario_of(parameters)), parameters)) == promised(one.look)


def test_heads_that_do_not_fit() -> None:
    one = LISTED[UNEVEN]
    n_heads, d_model = promised(one.look)
    with pytest.raises(SettingsError, match=rf"n_heads .*\b{n_heads}\b.* d_model .*\b{d_model}\b"):
        trace_of(scenario_of(parameters_of(one)))


def test_quoted_headings_stand_on_their_pages() -> None:
    quoted = [(one, title) for one in LISTED.values() for title in re.findall("“(.*?)”", one.look)]
    assert quoted
    for one, title in quoted:
        assert f'("{title}' in " ".join(
            Path(page_of(one.page).path).read_text("utf-8").split()
        ).replace("( ", "(")
