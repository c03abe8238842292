"""The list of pages agrees with the files, with the trace and with itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from attention_core import STEPS
from attention_lab.page_list import (
    CHAPTERS,
    OLD_URLS,
    PAGES,
    Page,
    chapter_pages,
    option_of,
    page_now,
    page_of,
    page_row,
    story_steps,
)
from tests.ui.app import ROOT


def test_pages_are_the_files_on_disk() -> None:
    files = {str(file) for file in (ROOT / "pages").glob("*/*.py")}
    assert {page.path for page in PAGES} == files
    for name in ("path", "url_path", "title"):
        assert len({getattr(page, name) for page in PAGES}) == len(PAGES), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.url_path)
def test_a_page_is_described(page: Page) -> None:
    *_, section, name = Path(page.path).parts
    assert section == page.section
    assert page.url_path == name.removesuffix(".py").replace("_", "-")
    assert page.section in CHAPTERS
    assert page.question.endswith("?")
    assert set(page.fields) <= set(STEPS)


def test_every_field_of_the_trace_has_a_page() -> None:
    assert {field for page in story_steps() for field in page.fields} == set(STEPS)


def test_the_story_follows_the_computation() -> None:
    order = list(STEPS)
    first = [order.index(page.fields[0]) for page in story_steps()[1:] if page.fields]
    assert first == sorted(first)


def test_an_unknown_address_is_the_first_page() -> None:
    assert page_of("") is page_of("nonsense") is PAGES[0]
    assert page_of("scores").title == "Scores"


def test_an_old_url_leads_to_a_page() -> None:
    today = {page.url_path for page in PAGES}
    assert OLD_URLS
    for old, now in OLD_URLS.items():
        assert old not in today
        assert page_of(old).url_path == now


@pytest.mark.parametrize(
    ("old", "asked", "page", "now"),
    [
        ("truths", {"seed": "1"}, "propositions", {"seed": "1"}),
        ("compare", {"compare_shows": "output"}, "what-changes", {"shown": "output"}),
        ("invariances", {"inv_change": "key_bias"}, "what-changes", {"change": "key_bias"}),
        ("invariances", {"inv_topic": "scale", "head": "1"}, "scale", {"head": "1"}),
        ("break-it", {"bi_spot": "true", "bi_round": "4"}, "what-changes", {"bi_round": "4"}),
        ("break-it", {"bi_spot": "true"}, "what-changes", {"change": "hidden"}),
        ("break-it", {"bi_spot": "false"}, "what-changes", {"change": "split"}),
        ("scores", {"head": "1"}, "scores", {"head": "1"}),
    ],
)
def test_old_choices_are_those_of_today(
    old: str, asked: dict[str, str], page: str, now: dict[str, str]
) -> None:
    opens, choices = page_now(old, {name: [text] for name, text in asked.items()})
    assert opens.url_path == page
    assert {name: [text] for name, text in now.items()}.items() <= choices.items()
    assert not {"compare_shows", "inv_change", "inv_topic", "bi_spot"} & choices.keys()


def test_eight_chapters_hold_each_page_once() -> None:
    assert len(CHAPTERS) <= 8
    assert [page for section in CHAPTERS for page in chapter_pages(section)] == list(PAGES)


@pytest.mark.parametrize("section", CHAPTERS)
def test_what_goes_further_stands_last_in_a_row(section: str) -> None:
    row = page_row(section)
    assert set(row.pages) == set(chapter_pages(section))
    assert row.lecture[0] == chapter_pages(section)[0]
    assert not any(page.further or option_of(page) for page in row.lecture)
    assert all(page.further or option_of(page) for page in row.further)


def test_a_step_leaves_the_line_with_its_option() -> None:
    row = page_row("story", ["rotary"])
    named = [page.url_path for page in row.lecture]
    assert named.index("split") + 1 == named.index("rotary") == named.index("scores") - 1
    assert [page.url_path for page in row.further] == ["qk-norm", "next-token"]
