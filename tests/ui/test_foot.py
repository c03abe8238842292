"""Below every page: questions that concern it, and the page that follows."""

from __future__ import annotations

import re

import pytest

from attention_ui.reference.questions import N_RELATED, learner_questions, related_questions
from attention_ui.registry import PAGES, Page, page_of, story_steps
from tests.ui.app import opened

WITH_FOOT = [page for page in PAGES if page.url_path != "questions"]


@pytest.mark.parametrize("page", WITH_FOOT, ids=lambda page: page.url_path)
def test_two_or_three_questions_concern_a_page(page: Page) -> None:
    shown = related_questions(page)
    assert 2 <= len(shown) <= N_RELATED
    assert len(set(shown)) == len(shown)
    named = [one for one in learner_questions() if page.url_path in one.asked_on]
    assert list(shown[: len(named)]) == named[:N_RELATED]


def test_questions_name_pages_that_exist() -> None:
    for one in learner_questions():
        assert all(page_of(url).url_path == url for url in one.asked_on)
        assert one.page not in one.asked_on


@pytest.mark.parametrize("url", ["overview", "scores", "depth", "sources"])
def test_a_page_ends_with_questions_and_the_next_page(url: str) -> None:
    app = opened(url)
    foot = next(part.value for part in app.markdown if "**Related questions**" in part.value)
    links = re.findall(r"\]\(([\w-]+(?:\?\S+)?)\)", foot)
    assert links == [*(one.url for one in related_questions(page_of(url))), "questions"]
    after = PAGES[(PAGES.index(page_of(url)) + 1) % len(PAGES)]
    labels = [link.proto.label for link in app.get("page_link")]
    assert (f"Next: {after.title}" in labels) is (page_of(url) not in story_steps())
