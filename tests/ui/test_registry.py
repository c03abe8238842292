"""The list of pages agrees with the files, with the trace and with itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from attention_core import STEPS
from attention_lab.page_list import MENU, OLD_URLS, PAGES, Page, page_now, page_of, story_steps
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
    assert page.section in MENU
    assert re.fullmatch(r":material/[a-z_]+:", page.icon)
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


def test_the_pages_stand_in_the_order_of_the_menu() -> None:
    headings = [page.heading for page in PAGES]
    assert list(dict.fromkeys(headings)) == list(MENU.values())
    assert headings == sorted(headings, key=list(MENU.values()).index)
