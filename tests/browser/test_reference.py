"""The reference section in a real browser: a link of a concept opens the page in the state it
names.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from attention_ui.registry import OLD_URLS, page_of
from tests.browser.driving import expect_title, parameters, path_of, scenario_in, settled

pytestmark = pytest.mark.browser


def test_a_concept_opens_where_it_is_seen_and_an_old_url_where_it_moved(
    visit: Callable[[str], Page],
) -> None:
    page = visit("questions?concepts_words=36%20columns&seed=7")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Projections").click()
    tab = settled(opened.value)
    assert path_of(tab) == "projections"
    assert parameters(tab)["notation"] == "mql5"
    scenario = scenario_in(tab)
    assert (scenario.d_model, scenario.n_heads, scenario.d_v, scenario.seed) == (12, 3, 12, 0)
    expect(tab.get_by_text("MQL5 book").first).to_be_visible()
    expect(tab.get_by_role("radio", name="values")).to_be_checked()
    tab.close()
    assert parameters(page) == {"concepts_words": "36 columns", "seed": "7"}
    old = next(iter(OLD_URLS))
    page = visit(f"{old}?lab_tokens=numbers&lab_numbers=1;%202&seed=7")
    expect_title(page, page_of(old).title)
    assert path_of(page) == page_of(old).url_path
    assert parameters(page) == {"lab_tokens": "numbers", "lab_numbers": "1; 2", "seed": "7"}
    expect(page.get_by_test_id("stToast")).to_have_count(0)
